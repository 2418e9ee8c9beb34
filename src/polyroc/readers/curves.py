"""ROC curves of readers, and their mean: the mean true positive rate at each false positive rate."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from polyroc.curves.fold_average import vertical
from polyroc.curves.sweep import CurveSweep
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.sample import Sample
from polyroc.readers.readings import Cell, Readings

__all__ = ["ReaderCurve", "reader_curves"]


class ReaderCurve(NamedTuple):
    """A ROC curve: of one reader, of the mean over readers (reader None), or of an algorithm.

    Attributes
    ----------
    modality, reader
        Whose it is.
    fpr, tpr
        Its points.
    area
        The area under it; that of a mean is the mean of the readers' areas.
    """

    modality: str
    reader: str | None
    fpr: FloatArray
    tpr: FloatArray
    area: float


def reader_curves(
    readings: Readings, modalities: Sequence[str], standalone: str | None = None
) -> list[ReaderCurve]:
    """The curves of the readers of each modality, each followed by their mean; then that of an algorithm."""
    if readings.scores.n_classes != 2 or readings.scores.kind != "score":
        raise NotApplicableError(
            "ROC curves of readers are of two classes and one rating per case; these have "
            f"{readings.scores.n_classes} classes, or one column per class."
        )
    curves = []
    for modality in modalities:
        sweeps = {reader: _sweep(readings, Cell(modality, reader)) for reader in readings.readers_of(modality)}
        curves += [_curve(modality, reader, sweep.fpr, sweep.tpr) for reader, sweep in sweeps.items()]
        mean = vertical([*sweeps.values()], np.ones(len(sweeps)))
        curves.append(_curve(modality, None, mean.fpr, mean.tpr))
    if standalone is not None:
        (reader,) = readings.readers_of(standalone)
        sweep = _sweep(readings, Cell(standalone, reader))
        curves.append(_curve(standalone, standalone, sweep.fpr, sweep.tpr))
    return curves


def _sweep(readings: Readings, cell: Cell) -> CurveSweep:
    scores, _ = readings.scores_of(cell)
    return CurveSweep(Sample(scores, readings.names[cell]))


def _curve(modality: str, reader: str | None, fpr: FloatArray, tpr: FloatArray) -> ReaderCurve:
    return ReaderCurve(modality, reader, fpr, tpr, float(np.trapezoid(tpr, fpr)))
