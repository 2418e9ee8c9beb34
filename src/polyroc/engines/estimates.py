"""From what was read off cells to estimates: standard errors by components, bounds, parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isnan, nan, sqrt

import numpy as np

from polyroc.engines.bins import Column
from polyroc.engines.bounds.reading import Bounded, Reading, Tables
from polyroc.estimates.boundary import Boundary
from polyroc.estimates.estimate import Certificate, Estimate, Parts
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.statistic import Shares
from polyroc.results.provenance import Provenance
from polyroc.scores import Schema

__all__ = ["Facts", "Judge", "centred", "share_offsets", "width_by_cell"]


@dataclass(frozen=True, slots=True)
class Facts:
    """What it took, and how the cases are."""

    passes: int
    rows: int
    bytes: int | None
    provenance: Provenance


@dataclass(frozen=True, eq=False)
class Judge:
    """Turns what was read off the columns of one classifier into estimates."""

    measure: Measure
    classifier: str
    schema: Schema
    columns: Mapping[int, Column]
    facts: Facts

    def estimate(self, found: Bounded, seen: tuple[float, float] | None = None) -> Estimate:
        """An estimate; `seen` is its variance and how far off the root can be, if rows were seen again for it."""
        bound = False
        if seen is None:
            (variance, bound), within = self._variance(found.reading), self.error_within(found)
        else:
            variance, within = seen
        c = self.schema.n_classes
        told = self.measure.settings
        chance = None if self.measure.chance is None else self.measure.chance(c, **told)
        limits, chance = found.reading.scale or (self.measure.range(c, **told), chance)
        fewest, effective = self._cases(found.reading, limits)
        return Estimate(
            measure=str(self.measure),
            name=self.measure.name,
            classifier=self.classifier,
            value=float(np.clip(found.reading.value, *limits)),
            standard_error=sqrt(variance) if variance >= 0 else nan,
            limits=limits,
            chance=chance,
            fewest=fewest,
            effective=effective,
            provenance=self.facts.provenance,
            certificate=self._certificate(found, within, bound),
            boundary=self._boundary(found.reading),
            _parts=cache(lambda: self._parts(found)),
        )

    def undefined(self) -> Estimate:
        """What a measure is where a class has no case."""
        nothing = Reading(nan, tuple, dict)
        return self.estimate(Bounded(nothing, nan, nan), (nan, nan))

    def _certificate(self, found: Bounded, within: float, bound: bool) -> Certificate:
        facts = self.facts
        return Certificate(
            float(found.low), float(found.high), facts.passes, facts.rows, facts.bytes, within, bound
        )

    def _parts(self, found: Bounded) -> Parts:
        parts = found.parts()
        return Parts(tuple(parts), lambda key: self.estimate(parts[key]))

    def _cases(self, reading: Reading, limits: tuple[float, float]) -> tuple[float, float]:
        """The effective cases of the smallest stratum; and by the share of the range they have a say in."""
        if isnan(reading.value) or self.facts.provenance.method is None:
            return nan, nan
        span = limits[1] - limits[0]
        units, reached = [], []
        for classes, reach in reading.strata():
            units.append(self._units(*classes))
            reached.append(units[-1] * (span / reach if reach else 1.0))
        shares = self._shares(reading)
        if shares is not None:
            whole = self._units(*range(len(next(iter(self.columns.values())).totals)))
            reached.append(whole * (span / shares.reach if shares.reach else 1.0))
        return min(units), min(reached)

    def _units(self, *classes: int) -> float:
        """The effective number of cases of some classes together."""
        column, held = next(iter(self.columns.values())), [*classes]
        return float(column.totals[held].sum() ** 2 / column.squares[:, held].sum())

    def _boundary(self, reading: Reading) -> Boundary | None:
        """What the interval needs at a limit of the range, if the chance value is one."""
        if reading.boundary is None or isnan(reading.value) or self.facts.provenance.method is None:
            return None
        made = reading.boundary(lambda each: self._variance(each)[0], self._covariance, self._units)
        return None if isnan(made.bias) or isnan(made.variance or 0.0) else made

    def _covariance(self, readings: Sequence[Reading]) -> FloatArray:
        """The covariance of statistics of one column whose strata are single classes."""
        influence = np.array([self._influence(each).ravel() for each in readings])
        return np.asarray(influence @ influence.T)

    def _influence(self, reading: Reading) -> FloatArray:
        """At [cell, class], what its cases add: signed, with the sum of their squares as its square."""
        ((i, table),) = reading.tables().items()
        column, held = self.columns[i], [k for (k,), _ in reading.strata()]
        m, totals, influence = column.units[held], column.totals[held], np.zeros(table.shape)
        away = table[:, held] - (column.weight[:, held] * table[:, held]).sum(axis=0) / totals
        with np.errstate(divide="ignore"):
            correction = np.where(m > 1, np.sqrt(m / (m - 1.0)), nan)
        influence[:, held] = np.sqrt(column.squares[:, held]) * away * correction / totals
        return influence

    def _shares(self, reading: Reading) -> Shares | None:
        """The dependence on the shares of the classes, where these are random."""
        cohort = self.facts.provenance.sampling == "cohort"
        return reading.shares() if cohort and reading.shares is not None else None

    def _variance(self, reading: Reading) -> tuple[float, bool]:
        """Sum over strata of var(components) / size; of several columns the most it can be, and that it is so."""
        if isnan(reading.value) or self.facts.provenance.method is None:
            return nan, False
        tables = reading.tables()
        total, bound = 0.0, False
        for classes, _ in reading.strata():
            held = [*classes]
            errors = [self._spread(i, table[:, held], held) for i, table in tables.items()]
            moving = [error for error in errors if error > 0 or isnan(error)]
            bound = bound or len(moving) > 1
            total += sum(moving) ** 2
        shares = self._shares(reading)
        return total if shares is None else total + self._share_variance(shares.slopes, tables), bound

    def _share_variance(self, slopes: FloatArray, tables: Tables) -> float:
        """What random class sizes add: the squared influence through the shares, and its product with the other.

        With weights the product does not vanish. It is linear in the components, so the columns' products add up.
        """
        column = next(iter(self.columns.values()))
        offsets, scale = share_offsets(slopes, column), _class_scale(column)
        total = float((scale * column.squares.sum(axis=0)) @ offsets**2)
        for i, table in tables.items():
            one = self.columns[i]
            away = table - (one.weight * table).sum(axis=0) / one.totals
            total += 2.0 * float((scale * offsets) @ (one.squares * away).sum(axis=0))
        return total

    def _spread(self, i: int, table: FloatArray, held: list[int]) -> float:
        """The standard error of the mean of one column's components over some classes together."""
        column = self.columns[i]
        m, w = int(column.units[held].sum()), column.weight[:, held]
        total = float(w.sum())
        away = table - float((w * table).sum()) / total
        squares = float((column.squares[:, held] * away**2).sum())
        return sqrt(squares * m / (m - 1)) / total if m > 1 else nan

    def error_within(self, found: Bounded) -> float:
        """How far the standard error can be off: components off by half of what the order inside cells decides."""
        if found.off is None or self.facts.provenance.method is None:
            return nan
        return self.error_of(found.reading, found.off())

    def error_of(self, reading: Reading, off: Tables) -> float:
        """By how much a standard error can change if the components do by no more than this."""
        total = 0.0
        for classes, _ in reading.strata():
            held = [*classes]
            total += sum(self._root_mean_square(i, each[:, held], held) for i, each in off.items()) ** 2
        if self._shares(reading) is None or reading.shares_off is None:
            return sqrt(total)
        column = next(iter(self.columns.values()))
        moved = float(column.squares.sum(axis=0) @ reading.shares_off() ** 2)
        return sqrt(total) + sqrt(moved * _correction(int(column.units.sum()))) / float(column.totals.sum())

    def _root_mean_square(self, i: int, off: FloatArray, held: list[int]) -> float:
        column = self.columns[i]
        squares = float((column.squares[:, held] * off**2).sum())
        return sqrt(squares * _correction(int(column.units[held].sum()))) / float(column.totals[held].sum())


def _correction(m: int) -> float:
    return m / (m - 1) if m > 1 else 1.0


def _class_scale(column: Column) -> FloatArray:
    """By class, what makes a sum of squared weights times centred components a variance; nan for a single case."""
    m = np.asarray(column.units, dtype=np.float64)
    return np.asarray(np.where(m > 1, m / np.maximum(m - 1.0, 1.0), nan) / column.totals**2)


def share_offsets(slopes: FloatArray, column: Column) -> FloatArray:
    """By class, what is added to centred components so that they contain the influence through the shares.

    A case of class k moves a value by w (component - mean) / W_k through its class, by w (slope_k - mean) / W
    through the shares. The former is multiplied by sqrt(m_k / (m_k - 1)) later, the latter should be by sqrt(n /
    (n - 1)).
    """
    m, totals = np.asarray(column.units, dtype=np.float64), column.totals
    whole = totals.sum()
    few = np.sqrt(_correction(int(m.sum())) * (m - 1.0) / m)
    return np.asarray((slopes - totals @ slopes / whole) * few * totals / whole)


def centred(reading: Reading, columns: Mapping[int, Column], cohort: bool) -> Tables:
    """The components by column with each class's mean taken off, ready to be added up over a row's columns.

    In a cohort they contain the influence through the shares of the classes.
    """
    tables = {i: table.copy() for i, table in reading.tables().items()}
    first = next(iter(tables))
    mean = sum((columns[i].weight * table).sum(axis=0) / columns[i].totals for i, table in tables.items())
    tables[first] -= mean
    if cohort and reading.shares is not None:
        tables[first] += share_offsets(reading.shares().slopes, columns[first])
    return tables


def width_by_cell(found: Bounded, columns: Mapping[int, Column]) -> dict[int, FloatArray]:
    """How much of the distance of the bounds is due to each cell of each column."""
    if found.widths is not None:
        parts = found.widths()
    elif found.off is not None:
        parts = {i: (columns[i].shares * each).sum(axis=1) for i, each in found.off().items()}
    else:
        parts = {i: _pairs_inside(column) for i, column in columns.items()}
    whole = sum(float(part.sum()) for part in parts.values())
    width = found.high - found.low
    return {i: part * (width / whole) if whole > 0 else part for i, part in parts.items()}


def _pairs_inside(column: Column) -> FloatArray:
    """How likely two cases of different classes meet in each mixed cell."""
    shares = column.shares
    met = shares.sum(axis=1) ** 2 - (shares**2).sum(axis=1)
    return np.asarray(np.where(column.mixed, met, 0.0))
