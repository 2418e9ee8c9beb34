"""Fold values: one data set, one measure, every learner on the same blocks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from polyroc.errors import InputError, MeasureError
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray
from polyroc.measures.applicability import refusal
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure
from polyroc.measures.sample import Sample
from polyroc.scores import Schema, Scores

__all__ = ["FoldTable", "applies", "check_measure", "fold_values"]


@dataclass(frozen=True, slots=True, eq=False)
class FoldTable:
    """The values of one measure on one data set: a row per test fold (a block), a column per learner.

    All learners were fitted and tested on the same folds, so rows are blocks and columns are paired. A value that
    could not be had (a failed fit, a fold without a case of some class) is nan; `complete` leaves such blocks out.

    Attributes
    ----------
    values
        Blocks x learners.
    learners
        Names of the columns.
    blocks
        (repeat, fold) of each row, counted from 0.
    train_size, test_size
        Mean number of cases learned from and tested on, over the blocks (Nadeau & Bengio need their ratio).
    data_set, measure
        What was tested on, and the key of the measure.

    Examples
    --------
    >>> table = FoldTable(np.array([[0.9, 0.8], [0.7, np.nan]]), ("tree", "knn"), ((0, 0), (0, 1)), 90.0, 10.0)
    >>> table.complete().values.tolist()
    [[0.9, 0.8]]
    """

    values: FloatArray
    learners: tuple[str, ...]
    blocks: tuple[tuple[int, int], ...]
    train_size: float
    test_size: float
    data_set: str = "data"
    measure: str = "value"

    def complete(self) -> "FoldTable":
        """The same with the blocks in which every learner has a value."""
        kept: BoolArray = np.asarray(np.isfinite(self.values).all(axis=1))
        if kept.all():
            return self
        blocks = tuple(block for block, keep in zip(self.blocks, kept, strict=True) if keep)
        sizes = self.train_size, self.test_size
        return FoldTable(self.values[kept], self.learners, blocks, *sizes, self.data_set, self.measure)


class Classes(Protocol):
    """What a measure must know of a data set."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def labels(self) -> tuple[Any, ...]:
        """Its classes, in order."""

    @property
    def positive(self) -> int | None:
        """Position of the positive one of two."""


def applies(asked: Measure, data: Classes) -> bool:
    """Whether a measure is for as many classes; what else stands in its way is an error."""
    few, most = asked.classes
    if len(data.labels) < few or len(data.labels) > (most or len(data.labels)):
        return False
    reason = refusal(asked, Schema(data.labels, "matrix", data.positive), asked=True)
    if reason is not None and "positive class" in reason:
        reason = (
            f"needs to know the positive class; say positive = {data.labels[-1]!r} where the data set is named"
        )
    if reason is not None:
        raise InputError(f"{asked} on data set {data.name!r}: it {reason}.")
    return True


def check_measure(key: str, data: Sequence[Classes]) -> None:
    """Complain of a measure that does not exist, or that fits none of the data sets."""
    asked = measure(key)
    fits = [applies(asked, each) for each in data]
    if not any(fits):
        many = " or ".join(sorted({str(len(each.labels)) for each in data}))
        raise MeasureError(
            f"{asked} is not for {many} classes, and no data set has others; ask for another measure."
        )


def fold_values(
    measures: Sequence[Measure],
    data: Classes,
    folds: Sequence[tuple[CodeArray, Mapping[int, FloatArray]]],
    many: int,
) -> FloatArray:
    """Measures x folds x learners; nan where a class has no case in the fold or there is no prediction.

    A fold is the true classes of its cases, and by learner what was said of them.
    """
    values = np.full((len(measures), len(folds), many), np.nan)
    ranges = [each.range(len(data.labels), **each.settings) for each in measures]
    for place, (codes, said) in enumerate(folds):
        tables = {str(learner): table for learner, table in said.items()}
        scores = Scores(codes, data.labels, tables, "matrix", data.positive)
        if scores.absent:
            continue
        for learner in said:
            sample = Sample(scores, str(learner))
            for number, (each, (low, high)) in enumerate(zip(measures, ranges, strict=True)):
                values[number, place, learner] = min(max(each(sample).value, low), high)
    return values
