"""Measures of pairs of classes, each judged in the column of one of them: linear in the areas A(i|j)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from polyroc.engines.bins import Column
from polyroc.engines.bounds.reading import ROUNDING, Bounded, Reading, Strata, widened
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.binned_pairs import grid_areas, grid_components
from polyroc.measures.measure import Measure
from polyroc.measures.pairwise import mean_of_pairs, one_versus_all, share_slopes
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

    def bounded(self, gradient: FloatArray, strata: Strata, pooled: bool = False) -> Bounded:
        """What is linear in the areas; `pooled` if the other classes are one stratum and count alike in it."""
        value = float((gradient * self.values).sum())
        cells = max(len(column.mixed) for column in self.columns)
        reach = float((gradient * self.inside).sum()) / 2.0 * (1.0 + ROUNDING * cells)
        tables = cache(lambda: self._tables(gradient, pooled))
        return Bounded(
            Reading(value, lambda: strata, lambda: {i: table for i, (table, _) in tables().items()}),
            *widened(value - reach, value + reach, self.columns, (0.0, 1.0), len(gradient)),
            lambda: {i: off for i, (_, off) in tables().items()},
        )

    def shares(self) -> Shares:
        """How the mean one-versus-all area depends on the shares of the classes."""
        totals = self.columns[0].totals
        slopes = share_slopes(self.values, one_versus_all(self.values, totals), totals)
        return Shares(slopes, float(np.ptp(slopes)))

    def shares_off(self) -> FloatArray:
        """By class, how far the order inside mixed cells can move that: every area by half of what is inside."""
        totals = self.columns[0].totals
        half = self.inside / 2.0
        return share_slopes(half, -one_versus_all(half, totals), totals)

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
    """Hand & Till's M or one-versus-all, with their parts."""
    areas = _Areas(columns)
    c, names = len(columns), schema.names
    gradient = _gradient(measure, columns)

    def cell(i: int, j: int) -> FloatArray:
        found = np.zeros((c, c))
        found[i, j] = 1.0
        return found

    def pairs() -> Mapping[str, Bounded]:
        def both(i: int, j: int) -> Strata:
            return [((i,), 1.0), ((j,), 1.0)]

        ordered = [(i, j) for i in range(c) for j in range(c) if i != j]
        one = {f"A({names[i]}|{names[j]})": areas.bounded(cell(i, j), both(i, j)) for i, j in ordered}
        two = {
            f"A({names[i]},{names[j]})": areas.bounded((cell(i, j) + cell(j, i)) / 2, both(i, j))
            for i, j in ordered
            if i < j
        }
        return one | two

    def rests() -> Mapping[str, Bounded]:
        rest = [tuple(k for k in range(c) if k != i) for i in range(c)]
        alone = np.eye(c)[:, :, None]
        return {
            names[i]: areas.bounded(alone[i] * gradient * c, [((i,), None), (rest[i], None)], pooled=True)
            for i in range(c)
        }

    reach = [float(gradient[k].sum() + gradient[:, k].sum()) for k in range(c)]
    whole = areas.bounded(gradient, [((k,), reach[k]) for k in range(c)])
    if measure.key == "hand_till":
        return replace(whole, parts=pairs)
    reading = replace(whole.reading, shares=areas.shares, shares_off=areas.shares_off)
    return replace(whole, reading=reading, parts=rests)


def _gradient(measure: Measure, columns: Sequence[Column]) -> FloatArray:
    """The derivatives of the measure by every A(i|j), in which it is linear."""
    c = len(columns)
    if measure.key == "hand_till":
        gradient = np.full((c, c), float(mean_of_pairs(np.ones((c, c)))) / (c * (c - 1)))
    else:
        alone = np.zeros((c, c, c))
        alone[np.arange(c), :, np.arange(c)] = 1.0  # at [j], every A(i|j) is 1 and no other
        gradient = one_versus_all(alone, np.broadcast_to(columns[0].totals, (c, c))).T / c
    np.fill_diagonal(gradient, 0.0)
    return gradient
