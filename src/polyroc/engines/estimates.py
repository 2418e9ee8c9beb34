"""From statistics of binned counts to estimates: standard errors by structural components, bounds, parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot, inf, isnan, nan, sqrt

import numpy as np

from polyroc._results.codec import Known, Once
from polyroc._results.provenance import Provenance
from polyroc.engines.binned_sample import BinnedStatistic, BoundedStatistic, ComponentTables
from polyroc.engines.bins import BinnedColumn
from polyroc.engines.clusters import ClusterErrors
from polyroc.estimates.boundary import Boundary
from polyroc.estimates.certificate import Certificate
from polyroc.estimates.estimate import Estimate, Parts
from polyroc.estimates.intervals import share_of_units_behind
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.statistic import Shares
from polyroc.scores import Schema

__all__ = ["Estimator", "ScanSummary", "centred_components", "share_offsets", "weight_offsets", "width_by_bin"]


# Bounds are negligible if their distance is at most a fifth of the standard error (a tenth to either side), or a
# tenth of a case of the smallest class, or 1e-9 of the range, which is above the rounding error of the bounds.
SHARE_OF_ERROR, SHARE_OF_CASE, SHARE_OF_RANGE = 0.2, 0.1, 1e-9
TYPICAL_ERROR = 0.1  # of the root of 1 / cases: the standard error to aim at while bins say nothing about it


@dataclass(frozen=True, slots=True)
class ScanSummary:
    """The scans so far: their number, the rows and bytes of the data, and the provenance of the estimates."""

    passes: int
    rows: int
    bytes: int | None
    provenance: Provenance


@dataclass(frozen=True, eq=False)
class Estimator:
    """Makes estimates of one measure of one classifier from statistics of its binned columns.

    Variances of clustered cases do not follow from bins: `clusters` has them.
    """

    measure: Measure
    classifier: str
    schema: Schema
    columns: Mapping[int, BinnedColumn]
    summary: ScanSummary
    clusters: ClusterErrors | None = None

    def estimate(self, bounded: BoundedStatistic, scanned_variance: tuple[float, float] | None = None) -> Estimate:
        """Return the estimate of a statistic.

        `scanned_variance` is the variance from influence values of rows with the bound of the error of its root;
        by default both follow from the bins.
        """
        is_bound = False
        if scanned_variance is None:
            variance, is_bound = self._variance(bounded.statistic)
            within = self.standard_error_bound(bounded)
        else:
            variance, within = scanned_variance
        c = self.schema.n_classes
        settings = self.measure.settings
        chance = None if self.measure.chance is None else self.measure.chance(c, **settings)
        limits, chance = bounded.statistic.scale or (self.measure.range(c, **settings), chance)
        fewest, effective = self._effective_cases(bounded.statistic, limits)
        error = sqrt(variance) if variance >= 0 else nan
        wide = bool(bounded.high - bounded.low > _negligible_width(error, fewest, limits[1] - limits[0]))
        if wide:  # the largest standard error that the order inside bins allows
            error += self._largest_error(bounded.statistic, limits) if isnan(within) else within
            within *= 2.0  # the smallest one is as far below the one of ties as the largest is above it
        return Estimate(
            measure=str(self.measure),
            name=self.measure.full_name,
            classifier=self.classifier,
            value=float(np.clip(bounded.statistic.value, *limits)),
            standard_error=error,
            limits=limits,
            chance=chance,
            fewest=fewest,
            effective=effective,
            provenance=self.summary.provenance,
            certificate=self._certificate(bounded, within, is_bound, wide),
            _boundary=Known(self._boundary(bounded.statistic)),
            larger_is_better=None if self.measure.larger_is_better else False,
            _parts=Once(lambda: self._parts(bounded)),
        )

    def undefined(self) -> Estimate:
        """Return the estimate where a class has no case: nan."""
        nothing = BinnedStatistic(nan, tuple, dict)
        return self.estimate(BoundedStatistic(nothing, nan, nan), (nan, nan))

    def negligible_width(self, bounded: BoundedStatistic) -> float:
        """Return the distance of bounds up to which they are small against the standard error."""
        error, fewest, span = self._scales(bounded)
        return _negligible_width(error, fewest, span)

    def target_width(self, bounded: BoundedStatistic) -> float:
        """Return the distance of bounds that finer bins should have.

        Ties make the standard error too small: as long as it is smaller than the distance of the bounds, that of
        typical scores takes its place, or a quarter of the distance.
        """
        error, fewest, span = self._scales(bounded)
        negligible, width = _negligible_width(error, fewest, span), bounded.high - bounded.low
        if width <= error:
            return negligible
        return max(negligible, min(SHARE_OF_ERROR * TYPICAL_ERROR * span / sqrt(fewest), width / 4.0))

    def _scales(self, bounded: BoundedStatistic) -> tuple[float, float, float]:
        """Return the standard error from bins, the number of cases of the smallest stratum, and the range."""
        variance, _ = self._variance(bounded.statistic)
        settings = self.measure.settings
        limits = (bounded.statistic.scale or (self.measure.range(self.schema.n_classes, **settings),))[0]
        fewest, _ = self._effective_cases(bounded.statistic, limits)
        return sqrt(max(variance, 0.0)), fewest, limits[1] - limits[0]

    def _largest_error(self, statistic: BinnedStatistic, limits: tuple[float, float]) -> float:
        """Return the standard error of components that are at the limits of the range, half of them at either."""
        errors = [sqrt(1.0 / self._units(*classes)) for classes, _ in statistic.strata()]
        # A cluster can have cases in all strata: then the standard errors add up, not the variances.
        total = hypot(*errors) if self.clusters is None else sum(errors)
        return (limits[1] - limits[0]) / 2.0 * total

    def _certificate(self, bounded: BoundedStatistic, within: float, is_bound: bool, wide: bool) -> Certificate:
        summary = self.summary
        return Certificate(
            low=float(bounded.low),
            high=float(bounded.high),
            passes=summary.passes,
            rows=summary.rows,
            bytes=summary.bytes,
            error_within=within if bounded.errors_are_bounds else nan,
            error_is_bound=is_bound or (wide and bounded.errors_are_bounds),
            in_interval=wide or None,
        )

    def _parts(self, bounded: BoundedStatistic) -> Parts:
        parts = bounded.parts()
        if self.clusters is not None:
            parts = {key: part for key, part in parts.items() if self.clusters.has(part.statistic)}
        return Parts(tuple(parts), lambda key: self.estimate(parts[key]))

    def _effective_cases(self, statistic: BinnedStatistic, limits: tuple[float, float]) -> tuple[float, float]:
        """Return the effective cases of the smallest stratum, and the smallest number relative to its influence.

        A stratum whose components cover only a part of the range counts for so many times more cases.
        """
        if isnan(statistic.value) or self.summary.provenance.method is None:
            return nan, nan
        span = limits[1] - limits[0]
        units, relative = [], []
        column = self._first_column
        behind = share_of_units_behind(column.totals**2 / column.squared_totals, column.units)
        for classes, reach in statistic.strata():
            units.append(self._units(*classes))
            relative.append(units[-1] * behind[[*classes]].min() * (span / reach if reach else 1.0))
        shares = self._shares(statistic)
        if shares is not None:
            whole = self._units(*range(len(self._first_column.totals))) * behind.min()
            relative.append(whole * (span / shares.reach if shares.reach else 1.0))
        return min(units), min(relative)

    @property
    def _first_column(self) -> BinnedColumn:
        return next(iter(self.columns.values()))

    def _units(self, *classes: int) -> float:
        """Return the effective number of cases (Kish's, with weights) or of clusters of some classes together."""
        column, k = self._first_column, [*classes]
        if self.clusters is not None:
            return self.clusters.counts.units(classes, float(column.totals[k].sum()))
        return float(column.totals[k].sum() ** 2 / column.squares[:, k].sum())

    def _boundary(self, statistic: BinnedStatistic) -> Boundary | None:
        """Return what the interval needs at a limit of the range, if the chance value is one."""
        if statistic.boundary is None or isnan(statistic.value) or self.summary.provenance.method is None:
            return None
        if self.clusters is not None:
            boundary = self.clusters.boundary(statistic, self._units)
        else:
            boundary = statistic.boundary(lambda part: self._variance(part)[0], self._covariance, self._units)
        return None if isnan(boundary.bias) or isnan(boundary.variance or 0.0) else boundary

    def _covariance(self, statistics: Sequence[BinnedStatistic]) -> FloatArray:
        """Return the covariance of statistics of one column whose strata are single classes."""
        influence = np.array([self._influence(statistic).ravel() for statistic in statistics])
        return np.asarray(influence @ influence.T)

    def _influence(self, statistic: BinnedStatistic) -> FloatArray:
        """Return, at [bin, class], the influence values of its cases as one number.

        Its square is the sum of their squares, and its sign is theirs: all cases of a bin and class have the same
        component, so inner products of such tables are sums of products over the cases.
        """
        ((i, table),) = statistic.tables().items()
        column, k = self.columns[i], [k for (k,), _ in statistic.strata()]
        m, totals, influence = column.units[k], column.totals[k], np.zeros(table.shape)
        centred = table[:, k] - (column.weight[:, k] * table[:, k]).sum(axis=0) / totals
        with np.errstate(divide="ignore"):
            correction = np.where(m > 1, np.sqrt(m / (m - 1.0)), nan)
        influence[:, k] = np.sqrt(column.squares[:, k]) * centred * correction / totals
        return influence

    def _shares(self, statistic: BinnedStatistic) -> Shares | None:
        """Return the dependence on the shares of the classes, where these are random."""
        random = self._cohort or self._first_column.weights_vary
        return statistic.shares() if statistic.shares is not None and random else None

    @property
    def _cohort(self) -> bool:
        return self.summary.provenance.sampling == "cohort"

    def _variance(self, statistic: BinnedStatistic) -> tuple[float, bool]:
        """Sum over strata of var(components) / size, and whether it is an upper bound.

        Binned columns do not determine their covariance: for components that are sums over several columns, the
        standard errors of the columns are added (the triangle inequality), as if they were perfectly correlated.
        """
        if isnan(statistic.value) or self.summary.provenance.method is None:
            return nan, False
        if self.clusters is not None:
            return self.clusters.variance(statistic), False
        tables = statistic.tables()
        total, is_bound = 0.0, False
        for classes, _ in statistic.strata():
            k = [*classes]
            errors = [self._column_error(i, table[:, k], k) for i, table in tables.items()]
            varying = [error for error in errors if error > 0 or isnan(error)]
            is_bound = is_bound or len(varying) > 1
            total += sum(varying) ** 2
        shares = self._shares(statistic)
        return total if shares is None else total + self._share_variance(shares.slopes, tables), is_bound

    def _share_variance(self, slopes: FloatArray, tables: ComponentTables) -> float:
        """Return what random class sizes, or weights that vary within classes, add to the variance.

        The squared influence through the shares, and its product with the influence through the components, which
        does not vanish with weights. The product is linear in the components, so the columns' products add up.
        """
        column = self._first_column
        offsets, scale = share_offsets(slopes, column), _class_scale(column)
        squares = column.squared_totals
        if not self._cohort:  # the number of cases of a class is fixed: w minus its mean
            squares = squares - column.totals**2 / column.units
        total = float((scale * squares) @ offsets**2)
        for i, table in tables.items():
            one = self.columns[i]
            centred = table - (one.weight * table).sum(axis=0) / one.totals
            total += 2.0 * float((scale * offsets) @ (one.squares * centred).sum(axis=0))
        return total

    def _column_error(self, i: int, table: FloatArray, classes: list[int]) -> float:
        """Return the standard error of the mean of one column's components over some classes together."""
        column = self.columns[i]
        m, w = int(column.units[classes].sum()), column.weight[:, classes]
        total = float(w.sum())
        centred = table - float((w * table).sum()) / total
        squares = float((column.squares[:, classes] * centred**2).sum())
        return sqrt(squares * m / (m - 1)) / total if m > 1 else nan

    def standard_error_bound(self, bounded: BoundedStatistic) -> float:
        """Return a bound of the error of the standard error, which comes from the errors of the components."""
        if bounded.component_errors is None or self.summary.provenance.method is None:
            return nan
        if self.clusters is not None:
            return self.clusters.error_bound(bounded.statistic)
        return self.change_bound(bounded.statistic, bounded.component_errors())

    def change_bound(self, statistic: BinnedStatistic, errors: ComponentTables) -> float:
        """Return the most that a standard error can change if the components change by no more than `errors`.

        A standard error is a norm of the centred components, so it changes by no more than the norm of their
        change. Without weights centring makes a norm smaller. With weights it may make it larger, because squares
        are weighted otherwise than means: then the change of the mean counts too.
        """
        total = 0.0
        for classes, _ in statistic.strata():
            k = [*classes]
            total += sum(self._root_mean_square(i, table[:, k], k) for i, table in errors.items()) ** 2
        if self._shares(statistic) is None or statistic.shares_error is None:
            return sqrt(total)
        column = self._first_column
        shares_error = statistic.shares_error()
        shares_error = shares_error + _mean_change(
            column, float(column.totals @ shares_error / column.totals.sum())
        )
        squares = float(column.squared_totals @ shares_error**2)
        return sqrt(total) + sqrt(squares * _correction(int(column.units.sum()))) / float(column.totals.sum())

    def _root_mean_square(self, i: int, errors: FloatArray, classes: list[int]) -> float:
        column = self.columns[i]
        m, total = int(column.units[classes].sum()), float(column.totals[classes].sum())
        mean = float((column.weight[:, classes] * errors).sum()) / total
        errors = np.abs(errors) + _mean_change(column, mean)
        squares = float((column.squares[:, classes] * errors**2).sum())
        return sqrt(squares * _correction(m)) / total


def _negligible_width(error: float, fewest: float, span: float) -> float:
    """Return the distance of bounds that is negligible; infinite if there is no interval that it could affect."""
    if isnan(fewest):
        return inf
    error = 0.0 if isnan(error) else error
    return max(SHARE_OF_ERROR * error, span * SHARE_OF_CASE / fewest, span * SHARE_OF_RANGE)


def _mean_change(column: BinnedColumn, mean: float) -> float:
    """Return what the change of the mean adds to that of a centred component; nothing without weights."""
    return abs(mean) if column.is_weighted else 0.0


def _correction(m: int) -> float:
    """Return m / (m - 1), which makes a variance of m cases unbiased."""
    return m / (m - 1) if m > 1 else 1.0


def weight_offsets(statistic: BinnedStatistic, column: BinnedColumn) -> FloatArray | None:
    """Return by class what its number of cases, where fixed, contributes to components through the shares.

    None if there is nothing to subtract: the value does not depend on the shares, or weights do not vary.
    """
    if statistic.shares is None or not column.weights_vary:
        return None
    return share_offsets(statistic.shares().slopes, column)


def _class_scale(column: BinnedColumn) -> FloatArray:
    """Return, by class, m / (m - 1) / W^2: from sums of squared weights to variances; nan for one case."""
    m = np.asarray(column.units, dtype=np.float64)
    return np.asarray(np.where(m > 1, m / np.maximum(m - 1.0, 1.0), nan) / column.totals**2)


def share_offsets(slopes: FloatArray, column: BinnedColumn) -> FloatArray:
    """Return, by class, what to add to centred components so that they contain the influence through the shares.

    The influence of a case of class k is w (component - mean) / W_k through its class and w (slope_k - mean) / W
    through the shares. The former is multiplied by sqrt(m_k / (m_k - 1)) later; the latter should be by sqrt(n /
    (n - 1)) instead.
    """
    m, totals = np.asarray(column.units, dtype=np.float64), column.totals
    whole = totals.sum()
    correction = np.sqrt(_correction(int(m.sum())) * (m - 1.0) / m)
    return np.asarray((slopes - totals @ slopes / whole) * correction * totals / whole)


def centred_components(
    statistic: BinnedStatistic, columns: Mapping[int, BinnedColumn], random_shares: bool
) -> ComponentTables:
    """Centre the components by column and class, to be summed over the columns of a row.

    The means are subtracted in the first column. Where the shares of the classes are random, the components
    contain the influence through these.
    """
    tables = {i: table.copy() for i, table in statistic.tables().items()}
    first = next(iter(tables))
    mean = sum((columns[i].weight * table).sum(axis=0) / columns[i].totals for i, table in tables.items())
    tables[first] -= mean
    if random_shares and statistic.shares is not None:
        tables[first] += share_offsets(statistic.shares().slopes, columns[first])
    return tables


def width_by_bin(bounded: BoundedStatistic, columns: Mapping[int, BinnedColumn]) -> dict[int, FloatArray]:
    """Return, by column, how much of the distance of the bounds is due to each bin."""
    if bounded.widths is not None:
        parts = bounded.widths()
    elif bounded.component_errors is not None:
        errors = bounded.component_errors()
        parts = {i: (columns[i].shares * table).sum(axis=1) for i, table in errors.items()}
    else:
        parts = {i: _undecided_pairs(column) for i, column in columns.items()}
    # These are known up to a factor: scale them to the distance that is to be explained.
    whole = sum(float(part.sum()) for part in parts.values())
    width = bounded.high - bounded.low
    return {i: part * (width / whole) if whole > 0 else part for i, part in parts.items()}


def _undecided_pairs(column: BinnedColumn) -> FloatArray:
    """Return, by bin, the probability that two cases of different classes are both in it, if its scores differ."""
    shares = column.shares
    pairs = shares.sum(axis=1) ** 2 - (shares**2).sum(axis=1)
    return np.asarray(np.where(column.mixed, pairs, 0.0))
