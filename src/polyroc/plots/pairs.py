"""The heat map of A(i|j): how well each class is told from each other class."""

from collections.abc import Sequence
from math import floor

import numpy as np
from matplotlib.axes import Axes

from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.plots.look import SHADES, SMALL, TEXT
from polyroc.plots.matrix import MatrixPicture, draw_matrix
from polyroc.plots.words import PLAIN, decimals, shown
from polyroc.results import Estimate

__all__ = ["draw_pairs", "has_pairs", "shades_of"]


def has_pairs(estimate: Estimate) -> bool:
    """Whether its parts are ordered pairs of classes, as those of Hand & Till's M are."""
    first, second = [*estimate.provenance.cases][:2]
    return f"{_letter(estimate)}({first}|{second})" in estimate.parts


def _letter(estimate: Estimate) -> str:
    return next(iter(estimate.parts), " ")[0]


def draw_pairs(
    estimate: Estimate, ax: Axes | None = None, *, shades: tuple[float, float] | None = None
) -> MatrixPicture:
    """A(i|j) in row i and column j: how well the probabilities of class i tell it from class j.

    Dark cells are pairs that are hard to tell apart.

    Parameters
    ----------
    estimate
        Of the measure `hand_till` (or `pairwise_accuracy`).
    ax
        The axes to draw on.
    shades
        The values of the darkest and the lightest shade, to draw several on one scale; by default from below the
        smallest value to 1.
    """
    if not has_pairs(estimate):
        raise NotApplicableError(
            f"{estimate.measure} has no parts A(i|j) for pairs of classes; draw an estimate of hand_till."
        )
    classes = [*estimate.provenance.cases]
    ends = shades_of([estimate]) if shades is None else shades
    picture = draw_matrix(ax, _areas(estimate), classes, shades=ends, colours=f"{SHADES}_r")
    picture.scale.set_label(f"{_letter(estimate)}(i|j)", fontsize=SMALL)
    picture.ax.set_ylabel("class i", fontsize=TEXT)
    picture.ax.set_xlabel("class j", fontsize=TEXT)
    title = f"{shown(estimate.classifier)}: {estimate.name} = {decimals(estimate.value)}"
    picture.ax.set_title(title, fontsize=TEXT, loc="left", **PLAIN)
    return picture


def shades_of(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """Round ends of a scale for all pairs of these estimates."""
    found = [float(value) for each in estimates for value in _areas(each).flat if not np.isnan(value)]
    return min([0.9, *(floor(20 * value) / 20 for value in found)]), 1.0


def _areas(estimate: Estimate) -> FloatArray:
    letter, classes = _letter(estimate), [*estimate.provenance.cases]
    values = np.full((len(classes), len(classes)), np.nan)
    for i, first in enumerate(classes):
        for j, second in enumerate(classes):
            if i != j:
                values[i, j] = estimate.parts[f"{letter}({first}|{second})"].value
    return values
