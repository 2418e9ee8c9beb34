"""Bounds of measures of one score from its bins: areas and volumes, D of Scurfield, average precision.

The order of scores inside a bin is unknown. A measure that is monotone in it is bounded by computing it twice,
with the cases of each class placed inside the bins so as to make the most, and the least, of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations
from math import e, log2

import numpy as np

from polyroc.engines.binned_sample import BinnedSample, pattern_sample
from polyroc.engines.bins import BinnedColumn
from polyroc.engines.bounds.statistic import (
    BinnedStatistic,
    BoundedStatistic,
    ComponentTables,
    binned_statistic,
    widen,
)
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.ordered import Chains
from polyroc.measures.statistic import Statistic
from polyroc.scores import Schema

__all__ = ["binned_measure", "bound_average_precision", "bound_by_ranks", "bound_decisions", "bound_volumes"]


def binned_measure(
    measure: Measure, column: BinnedColumn, schema: Schema, place: int, ranks: Sequence[float] | None = None
) -> BinnedStatistic:
    """The measure of the bins; `ranks` order the classes inside bins whose scores differ (by default they tie)."""
    sample = BinnedSample(column, schema.labels, schema.positive, ranks)
    return binned_statistic(measure(sample), sample.bins, sample.starts, column, place)


def bound_by_ranks(measure: Measure, column: BinnedColumn, schema: Schema, place: int) -> BoundedStatistic:
    """An area or a volume with ties inside bins, and in the two orders that bound it.

    A component lies between those of the two orders, and the component with ties halfway: it is off by at most
    half of their distance.
    """
    assert measure.best_ranks is not None
    best = measure.best_ranks(schema.n_classes, schema.positive)
    tied, low, high = (
        binned_measure(measure, column, schema, place, ranks) for ranks in (None, [-rank for rank in best], best)
    )
    limits = measure.range(schema.n_classes, **measure.settings)
    bounds = widen(low.value, high.value, [column], limits)
    if measure.bound_rule == "envelope":  # the order inside bins also moves the vertices of the lower envelope
        return BoundedStatistic(tied, *bounds)
    return BoundedStatistic(tied, *bounds, cache(lambda: _half_distance(low.tables(), high.tables())))


def _half_distance(low: ComponentTables, high: ComponentTables) -> ComponentTables:
    return {i: np.abs(high[i] - low[i]) / 2.0 for i in high}


def bound_average_precision(
    measure: Measure, column: BinnedColumn, schema: Schema, place: int
) -> BoundedStatistic:
    """The sum over thresholds of (rise of recall) x (precision there), of two classes, with bounds by bin.

    Let a positives and b negatives be above a bin that holds p and n of them. Inside the bin the precision is at
    most (a + p) / (a + p + b): all positives tie above all negatives. It is least with all negatives above the
    positives and no two positives tied; the sum over these is then at least the integral of u / (u + b + n) for u
    from a to a + p. Where all scores of the bin are equal, it is (a + p) / (a + p + b + n).
    """
    assert schema.positive is not None
    p, n = (np.ascontiguousarray(column.weight[::-1, k]) for k in (schema.positive, 1 - schema.positive))
    a, b = (np.cumsum(weight) - weight for weight in (p, n))  # above each bin: bins are in descending order here
    mixed = column.mixed[::-1]
    tied = p * _precision(a + p, b + n)
    low = np.where(mixed, _integral(a, p, b + n), tied)
    high = np.where(mixed, p * _precision(a + p, b), tied)
    total = float(p.sum())
    bounds = widen(float(low.sum()) / total, float(high.sum()) / total, [column], (0.0, 1.0))
    widths = (high - low)[::-1] / total
    return BoundedStatistic(
        binned_measure(measure, column, schema, place), *bounds, widths=lambda: {place: widths}
    )


def _precision(true: FloatArray, false: FloatArray) -> FloatArray:
    called = true + false
    return np.divide(true, called, out=np.ones(len(called)), where=called > 0)


def _integral(a: FloatArray, p: FloatArray, b: FloatArray) -> FloatArray:
    """The integral of u / (u + b) = 1 - b / (u + b) from a to a + p, which is p - b log(1 + p / (a + b))."""
    growth = np.divide(p, a + b, out=np.zeros(len(p)), where=b > 0)
    return np.asarray(p - b * np.log1p(growth))


def bound_volumes(measure: Measure, column: BinnedColumn, schema: Schema) -> BoundedStatistic:
    """Scurfield's D by interval arithmetic: the volume of each order of the classes v is bounded by ranks.

    D = log2(c!) + sum over orders of v log2(v), so the bounds of the terms add up.
    """
    if measure.settings["corrected"]:
        raise NotApplicableError("scurfield(corrected=True) has no certified bounds; ask for scurfield.")
    c = schema.n_classes
    sample = BinnedSample(column, schema.labels, schema.positive)
    statistic = measure(sample)
    assert statistic.parts is not None
    volumes = statistic.parts()
    bounds: dict[str, tuple[float, float]] = {}
    for order in permutations(range(c)):
        key = "<".join(schema.names[k] for k in order)
        ranks = [float(order.index(k)) for k in range(c)]
        low, high = (_volume(column, schema, [sign * rank for rank in ranks], order) for sign in (-1.0, 1.0))
        bounds[key] = widen(low, high, [column], (0.0, 1.0))
    terms = np.array([_entropy_bounds(*between) for between in bounds.values()])
    low, high = log2(len(bounds)) + terms.sum(axis=0)
    limits = measure.range(c, **measure.settings)

    def parts() -> Mapping[str, BoundedStatistic]:
        return {
            key: BoundedStatistic(
                binned_statistic(volumes[key], sample.bins, sample.starts, column, 0), *bounds[key]
            )
            for key in bounds
        }

    binned = binned_statistic(statistic, sample.bins, sample.starts, column, 0)
    return BoundedStatistic(binned, *widen(low, high, [column], limits), None, parts)


def _volume(column: BinnedColumn, schema: Schema, ranks: list[float], order: tuple[int, ...]) -> float:
    return Chains(BinnedSample(column, schema.labels, None, ranks)).volume(order)[0]


def _entropy_bounds(low: float, high: float) -> tuple[float, float]:
    """The smallest and the largest v log2(v) for v between low and high; it falls until 1/e, then rises."""

    def at(v: float) -> float:
        return v * log2(v) if v > 0 else 0.0

    least = -log2(e) / e if low <= 1 / e <= high else min(at(low), at(high))
    return float(least), max(at(low), at(high))


def bound_decisions(measure: Measure, column: BinnedColumn, rows: FloatArray, schema: Schema) -> BoundedStatistic:
    """The measure of patterns of decisions; `rows` has a row of scores for each pattern."""
    sample, patterns = pattern_sample(column, rows, schema.labels, schema.positive)
    statistic = measure(sample)
    limits = measure.range(schema.n_classes, **measure.settings)

    def bounded(statistic: Statistic) -> BoundedStatistic:
        binned = binned_statistic(statistic, patterns, sample.starts, column, -1)
        bounds = widen(statistic.value, statistic.value, [column], limits)
        return BoundedStatistic(binned, *bounds, lambda: {-1: np.zeros(column.cases.shape)})

    def parts() -> Mapping[str, BoundedStatistic]:
        statistics = statistic.parts() if statistic.parts is not None else {}
        return {key: bounded(part) for key, part in statistics.items()}

    return replace(bounded(statistic), parts=parts)
