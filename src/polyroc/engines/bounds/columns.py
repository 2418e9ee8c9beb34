"""Average precision read off cells: each cell adds its part, between bounds of its own."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import permutations
from math import e, log2

import numpy as np

from polyroc.engines.binned_sample import BinnedSample
from polyroc.engines.bins import Column
from polyroc.engines.bounds.reading import Bounded, Reading, Tables, reading_of, widened
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.ordered import Chains
from polyroc.scores import Schema

__all__ = ["discriminability", "precise", "ranked", "read"]


def precise(measure: Measure, column: Column, schema: Schema, place: int) -> Bounded:
    """The sum over thresholds of (rise of recall) x (precision there), of two classes.

    Let a positives and b negatives be called above a cell that holds p and n. Inside the cell the precision is at
    most (a + p) / (a + p + b): all positives tie above all negatives. It is least with all negatives above the
    positives and no two positives tied; the sum over these is then at least the integral of u / (u + b + n) for u
    from a to a + p. Where all scores of the cell are equal, it is (a + p) / (a + p + b + n).
    """
    assert schema.positive is not None
    p, n = (np.ascontiguousarray(column.weight[::-1, k]) for k in (schema.positive, 1 - schema.positive))
    a, b = (np.cumsum(each) - each for each in (p, n))
    mixed = column.mixed[::-1]
    tied = p * _ratio(a + p, b + n)
    low = np.where(mixed, _integral(a, p, b + n), tied)
    high = np.where(mixed, p * _ratio(a + p, b), tied)
    total = float(p.sum())
    ends = widened(float(low.sum()) / total, float(high.sum()) / total, [column], (0.0, 1.0))
    widths = (high - low)[::-1] / total
    return Bounded(read(measure, column, schema, place), *ends, widths=lambda: {place: widths})


def _ratio(true: FloatArray, false: FloatArray) -> FloatArray:
    called = true + false
    return np.divide(true, called, out=np.ones(len(called)), where=called > 0)


def _integral(a: FloatArray, p: FloatArray, b: FloatArray) -> FloatArray:
    """Of u / (u + b) from a to a + p."""
    grown = np.divide(p, a + b, out=np.zeros(len(p)), where=b > 0)
    return np.asarray(p - b * np.log1p(grown))


def ranked(measure: Measure, column: Column, schema: Schema, place: int) -> Bounded:
    """An area or a volume, read off the cells as they are, and in the two orders that bound it."""
    assert measure.best_ranks is not None
    best = measure.best_ranks(schema.n_classes, schema.positive)
    middle, low, high = (
        read(measure, column, schema, place, ranks) for ranks in (None, [-rank for rank in best], best)
    )
    limits = measure.range(schema.n_classes, **measure.settings)
    ends = widened(low.value, high.value, [column], limits)
    if measure.bound_rule == "envelope":  # least at the corners of a hull, which the order inside cells moves
        return Bounded(middle, *ends)
    return Bounded(middle, *ends, cache(lambda: _half_apart(low.tables(), high.tables())))


def _half_apart(low: Tables, high: Tables) -> Tables:
    return {i: np.abs(high[i] - low[i]) / 2.0 for i in high}


def read(
    measure: Measure, column: Column, schema: Schema, place: int, ranks: Sequence[float] | None = None
) -> Reading:
    """The measure of the cells, with the cases of a class at these ranks in a cell that mixes scores."""
    sample = BinnedSample(column, schema.labels, schema.positive, ranks)
    return reading_of(measure(sample), sample.held, sample.starts, column, place)


def discriminability(measure: Measure, column: Column, schema: Schema) -> Bounded:
    """D by the arithmetic of intervals: each volume between its bounds, share log2(share) between its own."""
    if measure.settings["corrected"]:
        raise NotApplicableError("scurfield(corrected=True) has no certified bounds; ask for scurfield.")
    c = schema.n_classes
    sample = BinnedSample(column, schema.labels, schema.positive)
    statistic = measure(sample)
    assert statistic.parts is not None
    volumes = statistic.parts()
    ends: dict[str, tuple[float, float]] = {}
    for order in permutations(range(c)):
        key = "<".join(schema.names[k] for k in order)
        ranks = [float(order.index(k)) for k in range(c)]
        found = [_volume(column, schema, [sign * rank for rank in ranks], order) for sign in (-1.0, 1.0)]
        ends[key] = widened(found[0], found[1], [column], (0.0, 1.0))
    terms = np.array([_surprise_between(*pair) for pair in ends.values()])
    low, high = log2(len(ends)) + terms.sum(axis=0)
    limits = measure.range(c, **measure.settings)

    def parts() -> Mapping[str, Bounded]:
        return {
            key: Bounded(reading_of(volumes[key], sample.held, sample.starts, column, 0), *ends[key])
            for key in ends
        }

    reading = reading_of(statistic, sample.held, sample.starts, column, 0)
    return Bounded(reading, *widened(low, high, [column], limits), None, parts)


def _volume(column: Column, schema: Schema, ranks: list[float], order: tuple[int, ...]) -> float:
    return Chains(BinnedSample(column, schema.labels, None, ranks)).volume(order)[0]


def _surprise_between(low: float, high: float) -> tuple[float, float]:
    """The least and the most of v log2(v) for v between low and high; it falls until 1/e, then rises."""

    def at(v: float) -> float:
        return v * log2(v) if v > 0 else 0.0

    least = -log2(e) / e if low <= 1 / e <= high else min(at(low), at(high))
    return float(least), max(at(low), at(high))
