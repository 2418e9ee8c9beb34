"""Values of measures fold by fold, by the same kernels as everywhere."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from polyroc.errors import InputError, MeasureError
from polyroc.kernels.arrays import CodeArray, FloatArray
from polyroc.measures import Measure, Sample, measure
from polyroc.measures.fitness import refusal
from polyroc.scores import Scores

__all__ = ["applies", "check_measure", "fold_values"]


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
    codes = np.arange(len(data.labels), dtype=np.int32)
    example = Scores(codes, data.labels, {"learner": np.eye(len(codes))}, "matrix", data.positive)
    reason = refusal(asked, example, asked=True)
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
