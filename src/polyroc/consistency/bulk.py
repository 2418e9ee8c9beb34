"""What a measure says of many outputs: by arrays where it is made of areas or rates, else one by one."""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from typing import Any

import numpy as np

from polyroc.consistency.outputs import Outputs, area
from polyroc.errors import NotApplicableError, UndefinedMeasureWarning
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.polytomous import highest
from polyroc.kernels.ranked_lists import mean_worths, places_among
from polyroc.measures.applicability import refusal
from polyroc.measures.assignment import ROUNDINGS, SCORINGS, SMALLEST, he
from polyroc.measures.confusion import accuracy, ht3, macro_average, pairwise_accuracy
from polyroc.measures.measure import Measure
from polyroc.measures.pairwise import hand_till, mean_of_pairs, one_versus_all, ova
from polyroc.measures.polytomous import pdi
from polyroc.measures.ranking import auc, gini
from polyroc.measures.registry import MEASURES
from polyroc.measures.sample import Sample

__all__ = ["fitting", "goodness", "levels", "require_fitness", "signs", "undefined_is_nan"]

SAME = 1e-12  # values that differ by no more, relative to 1 or to their size, are equal but for rounding
MOST_TUPLES = 50_000  # up to so many, going through all tuples of an output beats cleverness


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
    if measure.compute in FROM_COLUMNS and _fits_columns(measure, outputs):
        return FROM_COLUMNS[measure.compute](outputs, **measure.settings)
    if measure.needs == "decisions" and measure.settings.get("threshold") is None:
        from_rates = FROM_RATES.get(measure.compute)
        return _by_table(measure, outputs) if from_rates is None else from_rates(outputs)
    return np.array([measure(Sample(outputs.scores(i), "output")).value for i in range(len(outputs))])


def _fits_columns(measure: Measure, outputs: Outputs) -> bool:
    if measure.compute is he:
        return measure.settings["tuples"] is None and prod(outputs.sizes) <= MOST_TUPLES
    return measure.compute is not pairwise_accuracy or outputs.values.ndim == 3


def _by_table(measure: Measure, outputs: Outputs) -> FloatArray:
    """A measure of decisions depends on the rates alone: computed once for each table of rates that occurs."""
    tables, which = np.unique(outputs.rates.reshape(len(outputs), -1), axis=0, return_inverse=True)
    square = (outputs.classes, outputs.classes)
    found = [measure(Sample(outputs.table(table.reshape(square)), "output")).value for table in tables]
    return np.array(found)[which.ravel()]


def _auc(outputs: Outputs) -> FloatArray:
    positive = 1 if outputs.positive is None else outputs.positive
    column = positive if outputs.values.ndim == 3 else None
    return area(outputs.of(positive, column), outputs.of(1 - positive, column))


def _ova(outputs: Outputs) -> FloatArray:
    found: FloatArray = one_versus_all(outputs.areas, np.asarray(outputs.sizes, dtype=np.float64)).mean(axis=1)
    return found


def _pdi(outputs: Outputs) -> FloatArray:
    c, total = outputs.classes, np.zeros(len(outputs))
    for i in range(c):
        x = outputs.of(i, i)
        places = [places_among(x, outputs.of(j, i)) for j in range(c) if j != i]
        sizes = np.array([size for j, size in enumerate(outputs.sizes) if j != i])
        below = np.stack([lower for lower, _ in places], axis=-1).reshape(-1, c - 1) / sizes
        tied = np.stack([upper - lower for lower, upper in places], axis=-1).reshape(-1, c - 1) / sizes
        total += highest(below, tied).reshape(x.shape).mean(axis=1)
    return total / c


def _he(outputs: Outputs, scoring: str, **_: Any) -> FloatArray:
    P, c = outputs.values, outputs.classes
    scores = SCORINGS[scoring](P.reshape(-1, c))[0].reshape(P.shape)
    size = np.abs(scores, where=np.isfinite(scores), out=np.ones_like(scores)).max(axis=(1, 2), initial=SMALLEST)
    return mean_worths(scores, outputs.starts, ROUNDINGS * c**2 * np.finfo(np.float64).eps * size)


def _pairwise_accuracy(outputs: Outputs) -> FloatArray:
    c, total = outputs.classes, np.zeros(len(outputs))
    for k, size in enumerate(outputs.sizes):
        own = outputs.of(k, k)[..., None]
        block = outputs.of(k)
        wins = ((own > block) + 0.5 * (own == block)).mean(axis=1)
        pull = np.array([size / (size + other) for other in outputs.sizes])
        pull[k] = 0.0
        total += wins @ pull
    return total * 2.0 / (c * (c - 1))


def _accuracy(outputs: Outputs) -> FloatArray:
    share = np.asarray(outputs.sizes) / sum(outputs.sizes)
    return np.asarray(np.einsum("nkk,k->n", outputs.rates, share))


def _macro_average(outputs: Outputs) -> FloatArray:
    return np.asarray(np.einsum("nkk->n", outputs.rates) / outputs.classes)


def _ht3(outputs: Outputs) -> FloatArray:
    sizes = np.asarray(outputs.sizes, dtype=np.float64)
    rest = sizes[:, None] / (sizes.sum() - sizes)
    np.fill_diagonal(rest, 0.0)
    right = np.einsum("nkk->nk", outputs.rates)
    areas = (1.0 + right - (rest * outputs.rates).sum(axis=1)) / 2.0
    found: FloatArray = np.maximum(areas, 0.5).mean(axis=1)
    return found


Bulk = Callable[..., FloatArray]
FROM_COLUMNS: Mapping[Callable[..., Any], Bulk] = {
    auc: _auc,
    gini: lambda outputs: 2.0 * _auc(outputs) - 1.0,
    hand_till: lambda outputs: mean_of_pairs(outputs.areas),
    ova: _ova,
    pdi: _pdi,
    he: _he,
    pairwise_accuracy: _pairwise_accuracy,
}
FROM_RATES: Mapping[Callable[..., Any], Bulk] = {
    accuracy: _accuracy,
    macro_average: _macro_average,
    ht3: _ht3,
}
