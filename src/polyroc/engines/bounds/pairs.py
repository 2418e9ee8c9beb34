"""Bounds of measures that are linear in the pairwise areas A(i|j), each of which is the area of column i."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from polyroc.engines.bins import BinnedColumn
from polyroc.engines.bounds.statistic import ROUNDING, BinnedStatistic, BoundedStatistic, Strata, widen
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.binned_pairs import binned_areas, binned_components
from polyroc.measures.measure import AreaForm, Measure
from polyroc.measures.pairwise import area_gradient
from polyroc.measures.statistic import Shares
from polyroc.scores import Schema

__all__ = ["bound_pairs"]


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
        for i, column in enumerate(columns):
            binned_areas(column.weight, column.mixed, i, self.values[i], self.undecided[i])
            pairs = column.totals[i] * column.totals
            self.values[i] /= pairs
            self.undecided[i] /= pairs

    def bounded(
        self,
        gradient: FloatArray,
        strata: Strata,
        pooled: bool = False,
        intercept: float = 0.0,
        limits: tuple[float, float] = (0.0, 1.0),
    ) -> BoundedStatistic:
        """The statistic intercept + sum of gradient[i, j] A(i|j), whose gradient is not negative.

        `pooled` if the classes other than i are one stratum, whose cases count the same.
        """
        value = intercept + float((gradient * self.values).sum())
        bins = max(len(column.mixed) for column in self.columns)
        half = float((gradient * self.undecided).sum()) / 2.0 * (1.0 + ROUNDING * bins)
        tables = cache(lambda: self._tables(gradient, pooled))
        return BoundedStatistic(
            BinnedStatistic(value, lambda: strata, lambda: {i: table for i, (table, _) in tables().items()}),
            *widen(value - half, value + half, self.columns, limits, len(gradient)),
            lambda: {i: errors for i, (_, errors) in tables().items()},
        )

    def _tables(self, gradient: FloatArray, pooled: bool) -> dict[int, tuple[FloatArray, FloatArray]]:
        """By column, the components and the bounds of their errors."""
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
    """A measure that is linear in the areas A(i|j), with its parts."""
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
    """The statistic with its dependence on the shares of the classes, if it has any."""
    slopes_of, error_of = form.share_slopes, form.share_slopes_off
    if slopes_of is None or error_of is None:
        return statistic

    def shares() -> Shares:
        slopes = slopes_of(areas.values, totals)
        return Shares(slopes, float(np.ptp(slopes)))

    return replace(statistic, shares=shares, shares_error=lambda: error_of(areas.undecided / 2.0, totals))
