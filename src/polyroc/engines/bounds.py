"""Certified bounds of measures from binned counts, by the family that a measure declares (`Measure.bins`).

The order of scores inside a bin is unknown. A measure of one score that is monotone in it is bounded by computing
it twice, with the cases of each class placed inside the bins so as to make the most, and the least, of them. A
measure that is linear in the pairwise areas A(i|j), each of which is the area of column i, is bounded by those.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import permutations
from math import e, log2

import numpy as np

from polyroc.engines.binned_sample import (
    ROUNDING,
    BinnedSample,
    BinnedStatistic,
    BoundedStatistic,
    ComponentTables,
    Strata,
    binned_statistic,
    called_sample,
    pattern_sample,
    widen,
)
from polyroc.engines.bins import BinnedColumn
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.binned_pairs import binned_components
from polyroc.kernels.threads import run_concurrently
from polyroc.measures.confusion import checked_number
from polyroc.measures.measure import AreaForm, Bins, Measure
from polyroc.measures.ordered import Chains
from polyroc.measures.pairwise import area_gradient
from polyroc.measures.registry import MEASURES
from polyroc.measures.statistic import Shares, Statistic
from polyroc.scores import Schema

__all__ = ["bin_family", "bounded_statistic", "engine_measures"]


def engine_measures() -> list[Measure]:
    """Return the registered measures that engines compute: bounded from binned counts, or means over cases."""
    return [measure for measure in MEASURES.values() if measure.bins is not None or measure.case_mean is not None]


def bin_family(measure: Measure) -> Bins:
    """Return the kind of counts from which the measure is computed (`polyroc.engines.support` checks for some)."""
    assert measure.bins is not None, measure
    return measure.bins


def bounded_statistic(
    measure: Measure, columns: Mapping[int, BinnedColumn], schema: Schema, rows: FloatArray | None = None
) -> BoundedStatistic:
    """Return the measure of its columns with bounds; `rows` has a row of scores for each pattern of decisions."""
    if bin_family(measure) == "pairs":
        return bound_pairs(measure, [*columns.values()], schema)
    ((place, column),) = columns.items()
    if rows is not None:
        return bound_decisions(measure, column, rows, schema)
    if measure.bound_rule == "volumes":
        return bound_volumes(measure, column, schema)
    if measure.bound_rule == "threshold":
        return bound_at_threshold(measure, column, schema, place)
    if measure.bound_rule == "precision":
        return bound_average_precision(measure, column, schema, place)
    return bound_by_ranks(measure, column, schema, place)


def binned_measure(
    measure: Measure, column: BinnedColumn, schema: Schema, place: int, ranks: Sequence[float] | None = None
) -> BinnedStatistic:
    """Compute the measure of the bins; `ranks` order the classes inside bins whose scores differ (else ties)."""
    sample = BinnedSample(column, schema.labels, schema.positive, ranks)
    return binned_statistic(measure(sample), sample.bins, sample.starts, column, place)


def bound_by_ranks(measure: Measure, column: BinnedColumn, schema: Schema, place: int) -> BoundedStatistic:
    """Bound an area or a volume: with ties inside bins, and in the two orders that bound it.

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
    errors = cache(lambda: _half_distance(low.tables(), high.tables()))
    # Components of a curve are linear neither in the order inside bins nor in the weights of the cases of a bin.
    return BoundedStatistic(
        tied, *bounds, errors, errors_are_bounds=measure.bound_rule != "curve" or column.is_uniform
    )


def _half_distance(low: ComponentTables, high: ComponentTables) -> ComponentTables:
    return {i: np.abs(high[i] - low[i]) / 2.0 for i in high}


def bound_average_precision(
    measure: Measure, column: BinnedColumn, schema: Schema, place: int
) -> BoundedStatistic:
    """Bound the sum over thresholds of (rise of recall) x (precision there), of two classes, by bin.

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
    """Integrate u / (u + b) = 1 - b / (u + b) from a to a + p, which gives p - b log(1 + p / (a + b))."""
    growth = np.divide(p, a + b, out=np.zeros(len(p)), where=b > 0)
    return np.asarray(p - b * np.log1p(growth))


def bound_at_threshold(measure: Measure, column: BinnedColumn, schema: Schema, place: int) -> BoundedStatistic:
    """Bound a measure of two classes whose cases are called positive if their score is at least a threshold.

    Only the bin with the threshold inside it is not decided: at best its positives alone are called, at worst its
    negatives alone. A threshold at an edge of bins, or bins of single values, leave no doubt.
    """
    assert schema.positive is not None
    assert column.index is not None
    edges = column.index.edges()
    threshold = checked_number("threshold", measure.settings["threshold"])
    above, inside = edges >= threshold, np.zeros(len(edges), dtype=np.bool_)
    if column.index.layout is not None:
        of_threshold = column.index.layout.locate(np.array([threshold]))
        inside = (edges == column.index.layout.edges()[of_threshold]) & ~above
    best = np.arange(2) == schema.positive
    calls = [np.where(inside[:, None], one, above[:, None]) for one in (np.zeros(2, dtype=np.bool_), ~best, best)]
    scores = min(edges[0], np.nextafter(threshold, -np.inf)), max(edges[-1], threshold)
    samples = [called_sample(column, called, scores, schema) for called in calls]
    limits = measure.range(schema.n_classes, **measure.settings)

    def bounded(statistics: Sequence[Statistic]) -> BoundedStatistic:
        tied, low, high = (
            binned_statistic(statistic, bins, sample.starts, column, place)
            for statistic, (sample, bins) in zip(statistics, samples, strict=True)
        )
        bounds = widen(low.value, high.value, [column], limits)
        widths = np.where(inside, abs(high.value - low.value), 0.0)
        return BoundedStatistic(tied, *bounds, widths=lambda: {place: widths})

    statistics = [measure(sample) for sample, _ in samples]

    def parts() -> Mapping[str, BoundedStatistic]:
        made = [statistic.parts() for statistic in statistics if statistic.parts is not None]
        return {key: bounded([parts[key] for parts in made]) for key in made[0]} if made else {}

    return replace(bounded(statistics), parts=parts)


def bound_volumes(measure: Measure, column: BinnedColumn, schema: Schema) -> BoundedStatistic:
    """Bound Scurfield's D by interval arithmetic: the volume of each order of the classes v is bounded by ranks.

    D = log2(c!) + sum over orders of v log2(v), so the bounds of the terms add up.
    """
    if measure.settings["corrected"]:
        raise NotApplicableError(f"{measure} has no certified bounds; ask for {measure.key}.")
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
    """Return the smallest and the largest v log2(v) for v between low and high; it falls until 1/e, then rises."""

    def at(v: float) -> float:
        return v * log2(v) if v > 0 else 0.0

    least = -log2(e) / e if low <= 1 / e <= high else min(at(low), at(high))
    return float(least), max(at(low), at(high))


def bound_decisions(measure: Measure, column: BinnedColumn, rows: FloatArray, schema: Schema) -> BoundedStatistic:
    """Compute the measure of patterns of decisions; `rows` has a row of scores for each pattern."""
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


class _Areas:
    """Every A(i|j), from the bins of column i.

    Attributes
    ----------
    values
        At [i, j], A(i|j) with ties inside bins.
    undecided
        At [i, j], the share of pairs that are in one bin with different scores. Each counts one half in `values`
        and 0 or 1 in truth, so the area is off by at most half of it.
    """

    def __init__(self, columns: Sequence[BinnedColumn]) -> None:
        c = len(columns)
        self.columns, self.values, self.undecided = columns, np.zeros((c, c)), np.zeros((c, c))
        run_concurrently(self._sum_column, c, c * sum(column.size for column in columns))

    def _sum_column(self, i: int) -> None:
        column = self.columns[i]
        _, won, lost, undecided = column.area_sums(i)
        pairs = column.totals[i] * column.totals
        self.values[i], self.undecided[i] = (won + lost) / pairs, undecided / pairs

    def bounded(
        self,
        gradient: FloatArray,
        strata: Strata,
        pooled: bool = False,
        intercept: float = 0.0,
        limits: tuple[float, float] = (0.0, 1.0),
    ) -> BoundedStatistic:
        """Return the statistic intercept + sum of gradient[i, j] A(i|j), whose gradient is not negative.

        `pooled` if the classes other than i are one stratum, whose cases count the same.
        """
        value = intercept + float((gradient * self.values).sum())
        bins = max(column.size for column in self.columns)
        half = float((gradient * self.undecided).sum()) / 2.0 * (1.0 + ROUNDING * bins)
        tables = cache(lambda: self._tables(gradient, pooled))
        return BoundedStatistic(
            BinnedStatistic(value, lambda: strata, lambda: {i: table for i, (table, _) in tables().items()}),
            *widen(value - half, value + half, self.columns, limits, len(gradient)),
            lambda: {i: errors for i, (_, errors) in tables().items()},
        )

    def _tables(self, gradient: FloatArray, pooled: bool) -> dict[int, tuple[FloatArray, FloatArray]]:
        """Return, by column, the components and the bounds of their errors."""
        tables = {}
        for i, slope in enumerate(gradient):
            if slope.any():
                column = self.columns[i]
                table, errors = np.zeros(column.weight.shape), np.zeros(column.weight.shape)
                loss = (slope != 0).astype(np.float64) if pooled else slope
                binned_components(column.weight, column.totals, column.mixed, i, slope, loss, table, errors)
                tables[i] = table, errors
        return tables


def bound_pairs(measure: Measure, columns: Sequence[BinnedColumn], schema: Schema) -> BoundedStatistic:
    """Bound a measure that is linear in the areas A(i|j), with its parts."""
    form = measure.areas
    assert form is not None
    areas, totals, c = _Areas(columns), columns[0].totals, len(columns)
    gradient, intercept = area_gradient(form.value, totals)

    def parts() -> Mapping[str, BoundedStatistic]:
        linear = {} if form.bin_parts is None else form.bin_parts(schema.names, totals)
        return {key: areas.bounded(part.gradient, part.strata, part.pooled) for key, part in linear.items()}

    strata = [((k,), float(gradient[k].sum() + gradient[:, k].sum())) for k in range(c)]
    whole = areas.bounded(gradient, strata, intercept=intercept, limits=measure.range(c, **measure.settings))
    return replace(whole, statistic=_with_shares(whole.statistic, form, areas, totals), parts=parts)


def _with_shares(statistic: BinnedStatistic, form: AreaForm, areas: _Areas, totals: FloatArray) -> BinnedStatistic:
    """Return the statistic with its dependence on the shares of the classes, if it has any."""
    slopes_of, error_of = form.share_slopes, form.share_slopes_off
    if slopes_of is None or error_of is None:
        return statistic

    def shares() -> Shares:
        slopes = slopes_of(areas.values, totals)
        return Shares(slopes, float(np.ptp(slopes)))

    return replace(statistic, shares=shares, shares_error=lambda: error_of(areas.undecided / 2.0, totals))
