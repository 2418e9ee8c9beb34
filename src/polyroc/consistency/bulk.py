"""Measures of many outputs: all together where a measure declares how, else one by one."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from polyroc.errors import NotApplicableError, UndefinedMeasureWarning
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.measure import Measure
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.measures.registry import MEASURES
from polyroc.measures.sample import Sample

__all__ = ["applicable_measures", "goodness", "levels", "require_applicable", "signs", "undefined_is_nan"]

EQUAL = 1e-12  # values that differ by less, relative to their size or to 1, differ by rounding only


def applicable_measures(outputs: ClassifierOutputs) -> list[Measure]:
    """All measures of the registry that apply to such outputs, without those that are computed only by name."""
    ranking = (measure for measure in MEASURES.values() if measure.needs != "forecast")
    return [measure for measure in ranking if _reason(measure, outputs) is None]


def require_applicable(measures: Sequence[Measure], outputs: ClassifierOutputs) -> None:
    """Raise an error if a measure does not apply to such outputs."""
    for measure in measures:
        reason = _reason(measure, outputs)
        if reason is not None:
            raise NotApplicableError(f"{measure} cannot be applied to these outputs: it ", reason, ".")


def _reason(measure: Measure, outputs: ClassifierOutputs) -> str | None:
    """Why a measure does not apply, or None; with one score per case the cut makes decisions."""
    example, threshold = outputs.scores(0), measure.settings.get("threshold")
    reason = inapplicable_reason(measure, example, by_name=True)
    if reason is not None or measure.needs != "decisions" or example.kind != "score":
        return reason
    if outputs.cuts is not None and threshold is not None:
        return "has a threshold, but on ranked lists the cut decides; leave the threshold out"
    if outputs.cuts is None and threshold is None:
        return "needs decisions, here one score per case and no cut"
    return None


@contextmanager
def undefined_is_nan() -> Iterator[None]:
    """Suppress the warning for each output of which a measure is undefined: the caller counts them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMeasureWarning)
        yield


def goodness(measure: Measure, outputs: ClassifierOutputs) -> FloatArray:
    """The measure of each output, with its sign turned if less is better; nan where it is undefined."""
    values = _values(measure, outputs)
    return values if measure.larger_is_better else -values


def signs(a: FloatArray, b: FloatArray) -> IntArray:
    """1 where a is larger, -1 where b is larger, 0 where they differ by rounding only."""
    equal = np.abs(a - b) <= EQUAL * np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    return np.where(equal, 0, np.sign(a - b)).astype(np.int64)


def levels(values: FloatArray) -> IntArray:
    """The rank of each value among the distinct ones, from 0; values that differ by rounding only are equal.

    >>> levels(np.array([0.3, 0.1, 0.1 + 0.2, 0.5])).tolist()
    [1, 0, 1, 2]
    """
    order = np.argsort(values)
    ascending = values[order]
    differs = np.diff(ascending) > EQUAL * np.maximum(1.0, np.abs(ascending[1:]))
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(differs)])
    return ranks


def _values(measure: Measure, outputs: ClassifierOutputs) -> FloatArray:
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


def _by_table(measure: Measure, outputs: ClassifierOutputs) -> FloatArray:
    """A measure of decisions depends on the rates alone: computed once for each table of rates that occurs."""
    tables, which = np.unique(outputs.rates.reshape(len(outputs), -1), axis=0, return_inverse=True)
    square = (outputs.classes, outputs.classes)
    values = [measure(Sample(outputs.table(table.reshape(square)), "output")).value for table in tables]
    return np.array(values)[which.ravel()]
