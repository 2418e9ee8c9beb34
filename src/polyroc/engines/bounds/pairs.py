"""Measures of pairs of classes, each judged in the column of one of them: linear in the areas A(i|j)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from polyroc.engines.bins import Column
from polyroc.engines.bounds.reading import ROUNDING, Bounded, Reading, Strata, widened
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.binned_pairs import grid_areas, grid_components
from polyroc.measures.measure import AreaForm, Measure
from polyroc.measures.pairwise import area_gradient
from polyroc.measures.statistic import Shares
from polyroc.scores import Schema

__all__ = ["paired"]


class _Areas:
    """Every A(i|j), read off column i, and how far the order inside mixed cells can move it up or down."""

    def __init__(self, columns: Sequence[Column]) -> None:
        c = len(columns)
        self.columns, self.values, self.inside = columns, np.zeros((c, c)), np.zeros((c, c))
        for i, column in enumerate(columns):
            grid_areas(column.weight, column.mixed, i, self.values[i], self.inside[i])
            pairs = column.totals[i] * column.totals
            self.values[i] /= pairs
            self.inside[i] /= pairs

    def bounded(
        self,
        gradient: FloatArray,
        strata: Strata,
        pooled: bool = False,
        intercept: float = 0.0,
        limits: tuple[float, float] = (0.0, 1.0),
    ) -> Bounded:
        """What is linear in the areas; `pooled` if the other classes are one stratum and count alike in it."""
        value = intercept + float((gradient * self.values).sum())
        cells = max(len(column.mixed) for column in self.columns)
        reach = float((gradient * self.inside).sum()) / 2.0 * (1.0 + ROUNDING * cells)
        tables = cache(lambda: self._tables(gradient, pooled))
        return Bounded(
            Reading(value, lambda: strata, lambda: {i: table for i, (table, _) in tables().items()}),
            *widened(value - reach, value + reach, self.columns, limits, len(gradient)),
            lambda: {i: off for i, (_, off) in tables().items()},
        )

    def _tables(self, gradient: FloatArray, pooled: bool) -> dict[int, tuple[FloatArray, FloatArray]]:
        found = {}
        for i, slope in enumerate(gradient):
            if slope.any():
                column = self.columns[i]
                table, off = np.zeros(column.weight.shape), np.zeros(column.weight.shape)
                loss = (slope != 0).astype(np.float64) if pooled else slope
                grid_components(column.weight, column.totals, column.mixed, i, slope, loss, table, off)
                found[i] = table, off
        return found


def paired(measure: Measure, columns: Sequence[Column], schema: Schema) -> Bounded:
    """A measure that is linear in the areas A(i|j), with its parts."""
    form = measure.areas
    assert form is not None
    areas, totals, c = _Areas(columns), columns[0].totals, len(columns)
    gradient, intercept = area_gradient(form.value, totals)

    def parts() -> Mapping[str, Bounded]:
        linear = {} if form.bin_parts is None else form.bin_parts(schema.names, totals)
        return {key: areas.bounded(part.gradient, part.strata, part.pooled) for key, part in linear.items()}

    strata = [((k,), float(gradient[k].sum() + gradient[:, k].sum())) for k in range(c)]
    whole = areas.bounded(gradient, strata, intercept=intercept, limits=measure.range(c, **measure.settings))
    return replace(whole, reading=_with_shares(whole.reading, form, areas, totals), parts=parts)


def _with_shares(reading: Reading, form: AreaForm, areas: _Areas, totals: FloatArray) -> Reading:
    """The reading with its dependence on the shares of the classes, if it has any."""
    slopes_of, off_by = form.share_slopes, form.share_slopes_off
    if slopes_of is None or off_by is None:
        return reading

    def shares() -> Shares:
        slopes = slopes_of(areas.values, totals)
        return Shares(slopes, float(np.ptp(slopes)))

    # the order inside mixed bins moves every area by at most half of what is inside
    return replace(reading, shares=shares, shares_off=lambda: off_by(areas.inside / 2.0, totals))
