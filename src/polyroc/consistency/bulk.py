"""Measures of many outputs: all together where a measure declares how, else one by one."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from polyroc.errors import NotApplicableError, UndefinedMeasureWarning
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.applicability import refusal
from polyroc.measures.measure import Measure
from polyroc.measures.outputs import Outputs
from polyroc.measures.registry import MEASURES
from polyroc.measures.sample import Sample

__all__ = ["fitting", "goodness", "levels", "require_fitness", "signs", "undefined_is_nan"]

SAME = 1e-12  # values that differ by no more, relative to 1 or to their size, are equal but for rounding


def fitting(outputs: Outputs) -> list[Measure]:
    """Every measure that can be applied to such outputs."""
    return [each for each in MEASURES.values() if _refusal(each, outputs) is None]


def require_fitness(measures: Sequence[Measure], outputs: Outputs) -> None:
    """Refuse measures that cannot be applied to such outputs."""
    for measure in measures:
        reason = _refusal(measure, outputs)
        if reason is not None:
            raise NotApplicableError(f"{measure} cannot be applied to these outputs: it ", reason, ".")


def _refusal(measure: Measure, outputs: Outputs) -> str | None:
    """Why the measure cannot be applied; of one score a case, decisions are made by the cut."""
    example, threshold = outputs.scores(0), measure.settings.get("threshold")
    reason = refusal(measure, example, asked=True)
    if reason is not None or measure.needs != "decisions" or example.kind != "score":
        return reason
    if outputs.cuts is not None and threshold is not None:
        return "has a threshold, but on ranked lists the cut decides; leave the threshold out"
    if outputs.cuts is None and threshold is None:
        return "needs decisions, here one score per case and no cut"
    return None


@contextmanager
def undefined_is_nan() -> Iterator[None]:
    """No warning for each output of which a measure is undefined: they are counted by whoever asks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        yield


def goodness(measure: Measure, outputs: Outputs) -> FloatArray:
    """The measure of each output, its sign turned if less is better; nan where it is undefined."""
    values = _values(measure, outputs)
    return values if measure.larger_is_better else -values


def signs(a: FloatArray, b: FloatArray) -> IntArray:
    """1 where a is larger, -1 where b is, 0 where they are equal but for rounding."""
    near = np.abs(a - b) <= SAME * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    return np.where(near, 0, np.sign(a - b)).astype(np.int64)


def levels(values: FloatArray) -> IntArray:
    """The rank of each value among the distinct ones, from 0; equal but for rounding is equal.

    >>> levels(np.array([0.3, 0.1, 0.1 + 0.2, 0.5])).tolist()
    [1, 0, 1, 2]
    """
    order = np.argsort(values)
    rising = values[order]
    new = np.diff(rising) > SAME * np.maximum(1.0, np.abs(rising[1:]))
    found = np.empty(len(values), dtype=np.int64)
    found[order] = np.concatenate([[0], np.cumsum(new)])
    return found


def _values(measure: Measure, outputs: Outputs) -> FloatArray:
    """The measure of each output: all together where it declares how, else one by one."""
    if measure.areas is not None:
        areas = outputs.area if measure.needs == "score" else outputs.areas
        return measure.areas.value(areas, outputs.totals)
    if measure.bulk is not None:
        values = measure.bulk(outputs, **measure.settings)
        if values is not None:
            return values
    if measure.needs == "decisions" and measure.settings.get("threshold") is None:
        form = measure.rates
        values = None if form is None else form.value(outputs.rates, outputs.totals, outputs.positive_class)
        return _by_table(measure, outputs) if values is None else values
    return np.array([measure(Sample(outputs.scores(i), "output")).value for i in range(len(outputs))])


def _by_table(measure: Measure, outputs: Outputs) -> FloatArray:
    """A measure of decisions depends on the rates alone: computed once for each table of rates that occurs."""
    tables, which = np.unique(outputs.rates.reshape(len(outputs), -1), axis=0, return_inverse=True)
    square = (outputs.classes, outputs.classes)
    found = [measure(Sample(outputs.table(table.reshape(square)), "output")).value for table in tables]
    return np.array(found)[which.ravel()]
