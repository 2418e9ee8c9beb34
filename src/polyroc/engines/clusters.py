"""Standard errors for clustered cases, from scans of rows that come one cluster after the other.

The cases of a cluster (a patient; the argument `groups` of the verbs) are dependent, so their influence values are
summed before they are squared. A first scan counts the clusters of each class and sums their weights; a second one
looks the influence values of all rows up by bin, and sums them by cluster. Either needs the rows in the order of
their clusters, which DuckDB or Spark sorts on disk, and keeps one cluster at a time: the number of clusters is not
limited by memory.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polyroc.engines.binned_sample import BinnedStatistic, BoundedStatistic, ComponentTables
from polyroc.engines.bins import BinnedColumn
from polyroc.engines.counts import BinnedData
from polyroc.engines.rows import Batch
from polyroc.engines.scan import Contributions, InfluenceLookup, InfluenceLookups
from polyroc.errors import MissingPartsWarning, warn
from polyroc.estimates.boundary import Boundary
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.messages import Message, Option

if TYPE_CHECKING:
    from polyroc.engines.request import EvaluationRequest, Layouts, RowScans

__all__ = [
    "ClusterCounts",
    "ClusterErrors",
    "ClusterTotals",
    "ClusteredStatistics",
    "clustered_statistics",
    "sum_clusters",
]

Classes = tuple[int, ...]
VALUES_AT_ONCE = 2**22  # weights by class and row that are summed together


class ClusterTotals:
    """Sums of values over the rows of each cluster; the last one stays open until another cluster comes."""

    def __init__(self, width: int) -> None:
        self._cluster: int | None = None
        self._open = np.zeros(width)

    def add(self, clusters: IntArray, values: FloatArray) -> FloatArray:
        """Return the totals, at [value, cluster], of the clusters that end before the last of these rows."""
        starts = np.flatnonzero(np.append(True, clusters[1:] != clusters[:-1]))
        totals = np.add.reduceat(values, starts, axis=1)
        if clusters[0] == self._cluster:
            totals[:, 0] += self._open
        else:
            totals = np.column_stack([self._open, totals])
        self._cluster, self._open = int(clusters[-1]), totals[:, -1].copy()
        return totals[:, :-1]

    def close(self) -> FloatArray:
        """Return the totals of the last cluster."""
        last, self._open = self._open[:, None], np.zeros_like(self._open)
        return last


class ClusterCounts(InfluenceLookups):
    """By set of classes, the number of clusters that have cases in it, and the sum of their squared weights.

    It is filled by a scan as lookups are, with the class and the weight of each row alone.

    Attributes
    ----------
    products
        At [0, set] the number of clusters, at [1, set] the sum of squares; the last set is that of all rows, also
        of those whose weight is 0.
    """

    def __init__(self, classes: int, sets: Sequence[Classes]) -> None:
        super().__init__([], 1)
        singles = [(k,) for k in range(classes)]
        self._places = {
            members: i for i, members in enumerate(dict.fromkeys([*singles, tuple(range(classes)), *sets]))
        }
        self._members = np.zeros((len(self._places) + 1, classes + 1))
        for members, i in self._places.items():
            self._members[i, [*members]] = 1.0
        self._members[-1, -1] = 1.0  # a value that is 1 for every row
        self.products = np.zeros((2, len(self._members)))
        self._totals = ClusterTotals(classes + 1)

    def add(self, batch: Batch, contributions: Sequence[Contributions]) -> None:  # noqa: ARG002 - there are none
        """Count the clusters of some rows."""
        assert batch.clusters is not None
        size = max(1, VALUES_AT_ONCE // self._members.shape[1])
        for start in range(0, len(batch.codes), size):
            codes, rows = batch.codes[start : start + size], slice(start, start + size)
            values = np.zeros((self._members.shape[1], len(codes)))
            values[codes, np.arange(len(codes))] = 1.0 if batch.weight is None else batch.weight[rows]
            values[-1] = 1.0
            self._count(self._totals.add(batch.clusters[rows], values))

    def _count(self, totals: FloatArray) -> None:
        weights = self._members @ totals
        self.products += (weights > 0).sum(axis=1), (weights**2).sum(axis=1)

    def finish(self) -> None:
        """Count the last cluster."""
        self._count(self._totals.close())

    @property
    def number(self) -> int:
        """The number of clusters."""
        return int(self.products[0, -1])

    def correction(self, classes: Classes) -> float:
        """Return the root of m / (m - 1) for the m clusters that have cases in some classes; nan for one."""
        m = self.products[0, self._places[classes]]
        return sqrt(m / (m - 1.0)) if m > 1 else nan

    def units(self, classes: Classes, total: float) -> float:
        """Return the effective number of clusters (Kish's) in classes of this total weight."""
        return float(total**2 / self.products[1, self._places[classes]])


class ClusterLookups(InfluenceLookups):
    """Influence values of several statistics, and the sums of products of their totals over clusters."""

    def __init__(self, lookups: Sequence[InfluenceLookup]) -> None:
        super().__init__(lookups, 1)
        self._totals = ClusterTotals(len(lookups))

    def add(self, batch: Batch, contributions: Sequence[Contributions]) -> None:
        """Sum the influence values of some rows by cluster, and add the products of complete clusters."""
        assert batch.clusters is not None
        values = self.components(contributions)
        if batch.weight is not None:
            values *= batch.weight
            self._add_fixed(values, batch)
        self._add_products(self._totals.add(batch.clusters, values))

    def _add_fixed(self, values: FloatArray, batch: Batch) -> None:
        """Add what each case contributes whatever its weight."""
        assert batch.weight is not None
        for row, lookup in zip(values, self.lookups, strict=True):
            if lookup.fixed is not None:
                row += lookup.fixed[batch.codes] * (batch.weight > 0)

    def _add_products(self, totals: FloatArray) -> None:
        self.products[0] += totals @ totals.T

    def finish(self) -> None:
        """Add the products of the last cluster."""
        self._add_products(self._totals.close())


class _Entry(NamedTuple):
    classifier: str
    measure: Measure
    statistic: BinnedStatistic
    errors: Callable[[], ComponentTables] | None


class ClusteredStatistics:
    """The statistics whose variances need sums over clusters.

    The measures come first, in their order; then their parts, and what their intervals need near a limit of the
    range.

    Attributes
    ----------
    entries
        Each statistic with its classifier, its measure, and the bounds of the errors of its components.
    """

    def __init__(self, bounded: Mapping[tuple[str, Measure], BoundedStatistic], with_parts: bool) -> None:
        self.entries = [
            _Entry(*key, measure_bounds.statistic, measure_bounds.component_errors)
            for key, measure_bounds in bounded.items()
        ]
        self._boundary_calls: dict[int, list[list[int]]] = {}
        for (classifier, measure), whole in bounded.items():
            self._record_boundary(classifier, measure, whole.statistic)
            for part in whole.parts().values() if with_parts else ():
                self.entries.append(_Entry(classifier, measure, part.statistic, part.component_errors))
                self._record_boundary(classifier, measure, part.statistic)
        # The entries keep their statistics alive, so identities stay theirs.
        self._places = {id(entry.statistic): i for i, entry in enumerate(self.entries)}

    def sets(self) -> list[Classes]:
        """Return the sets of classes that are strata of a statistic."""
        return [tuple(classes) for entry in self.entries for classes, _ in entry.statistic.strata()]

    def place(self, statistic: BinnedStatistic) -> int | None:
        """Return the number of a statistic; None if it is not among these."""
        return self._places.get(id(statistic))

    def _record_boundary(self, classifier: str, measure: Measure, statistic: BinnedStatistic) -> None:
        """Find the statistics behind `Boundary` by a call with arbitrary variances."""
        if statistic.boundary is None:
            return
        calls = self._boundary_calls[id(statistic)] = []

        def covariance(several: Sequence[BinnedStatistic]) -> FloatArray:
            first = len(self.entries)
            self.entries.extend(_Entry(classifier, measure, statistic, None) for statistic in several)
            calls.append([*range(first, len(self.entries))])
            return np.eye(len(several))

        statistic.boundary(lambda part: float(covariance([part])[0, 0]), covariance, lambda _: 2.0)

    def boundary(
        self, statistic: BinnedStatistic, covariance: FloatArray, units: Callable[[int], float]
    ) -> Boundary:
        """Make `Boundary` from the covariance of all entries: calls come in the order in which they were found."""
        calls: Iterator[list[int]] = iter(self._boundary_calls[id(statistic)])
        assert statistic.boundary is not None

        def of_next(_: object = None) -> FloatArray:
            places = next(calls)
            return covariance[np.ix_(places, places)]

        return statistic.boundary(lambda part: float(of_next(part)[0, 0]), of_next, units)


@dataclass(frozen=True, eq=False)
class ClusterErrors:
    """Variances of statistics of clustered cases.

    Attributes
    ----------
    counts, statistics
        The clusters, and the statistics.
    covariance
        Of the statistics.
    error_bounds
        How far the standard error of each can be off because of the order inside bins; nan if that is not known.
    """

    counts: ClusterCounts
    statistics: ClusteredStatistics
    covariance: FloatArray
    error_bounds: Sequence[float]

    def has(self, statistic: BinnedStatistic) -> bool:
        """Return whether the statistic is among these."""
        return self.statistics.place(statistic) is not None

    def variance(self, statistic: BinnedStatistic) -> float:
        """Return the variance of a statistic."""
        place = self.statistics.place(statistic)
        return nan if place is None else float(self.covariance[place, place])

    def error_bound(self, statistic: BinnedStatistic) -> float:
        """Return the bound of the error of a standard error."""
        place = self.statistics.place(statistic)
        return nan if place is None else self.error_bounds[place]

    def boundary(self, statistic: BinnedStatistic, units: Callable[[int], float]) -> Boundary:
        """Return what the interval needs near a limit of the range."""
        return self.statistics.boundary(statistic, self.covariance, units)


def cluster_influence_tables(
    statistic: BinnedStatistic, columns: Mapping[int, BinnedColumn], counts: ClusterCounts, random_shares: bool
) -> ComponentTables:
    """Return the influence values of cases of weight 1, by column, to be summed over the columns of a row.

    As in `polyroc.inference.covariance`: (component - mean) / (total weight of the stratum), times the root of
    m / (m - 1) for the m clusters of the stratum. Random shares of the classes are one more stratum.
    """
    tables = statistic.tables()
    influence = _scaled_by_stratum(statistic, tables, columns, counts, sign=-1.0)
    if random_shares and statistic.shares is not None:
        first = next(iter(tables))
        influence[first] += _share_values(statistic.shares().slopes, columns[first], counts, sign=-1.0)
    return influence


def cluster_error_tables(
    statistic: BinnedStatistic,
    errors: ComponentTables,
    columns: Mapping[int, BinnedColumn],
    counts: ClusterCounts,
    random_shares: bool,
) -> ComponentTables:
    """Return bounds of the errors of the influence values: of the component, and of the mean that is subtracted.

    The errors of a cluster's cases may all have the same sign, so their bounds are summed by cluster. The root of
    the sum of squares of these sums bounds the error of the standard error, which is a norm.
    """
    bounds = _scaled_by_stratum(statistic, errors, columns, counts, sign=1.0)
    if random_shares and statistic.shares is not None and statistic.shares_error is not None:
        first = next(iter(errors))
        bounds[first] += _share_values(statistic.shares_error(), columns[first], counts, sign=1.0)
    return bounds


def cluster_weight_offsets(
    slopes: FloatArray, column: BinnedColumn, counts: ClusterCounts, sign: float
) -> FloatArray:
    """Return by class the mean influence of its cases through the shares, subtracted where their number is fixed.

    As in `polyroc.inference.covariance`. With `sign` 1, of bounds of errors, which add up.
    """
    values = _share_values(slopes, column, counts, sign)
    return np.asarray(sign * values * column.totals / np.maximum(column.units, 1))


def _scaled_by_stratum(
    statistic: BinnedStatistic,
    tables: ComponentTables,
    columns: Mapping[int, BinnedColumn],
    counts: ClusterCounts,
    sign: float,
) -> ComponentTables:
    """Return, per stratum, the tables plus `sign` times their mean, times correction / total weight."""
    scaled = {i: np.zeros(table.shape) for i, table in tables.items()}
    first = next(iter(tables))
    for classes, _ in statistic.strata():
        k = [*classes]
        total = float(columns[first].totals[k].sum())
        factor = counts.correction(tuple(classes)) / total
        mean = sum(float((columns[i].weight[:, k] * table[:, k]).sum()) for i, table in tables.items()) / total
        for i, table in tables.items():
            scaled[i][:, k] += factor * table[:, k]
        scaled[first][:, k] += sign * factor * mean
    return scaled


def _share_values(slopes: FloatArray, column: BinnedColumn, counts: ClusterCounts, sign: float) -> FloatArray:
    """Return by class (slope plus `sign` times the mean) / total weight, corrected for the number of clusters."""
    totals = column.totals
    whole = totals.sum()
    factor = counts.correction(tuple(range(len(totals)))) / whole
    return np.asarray(factor * (slopes + sign * (totals @ slopes) / whole))


def clustered_statistics(
    bounded: Mapping[tuple[str, Measure], BoundedStatistic], layouts: "Layouts", request: "EvaluationRequest"
) -> ClusteredStatistics:
    """Return the statistics to look up; without parts if their tables would not fit into memory."""
    statistics = ClusteredStatistics(bounded, with_parts=True)
    bins = max(sum(layout.size for layout in columns.values()) for columns in layouts.values())
    size = 16 * request.schema.n_classes * bins * len(statistics.entries)  # of components and of their errors
    if size <= request.room:
        return statistics
    wholes = ClusteredStatistics(bounded, with_parts=False)
    if request.errors and len(wholes.entries) < len(statistics.entries):
        warn(
            Message(
                "The parts of measures are left out: their standard errors with groups need tables of "
                f"{size / 2**30:.2g} GB. Raise ",
                Option("memory"),
                ".",
            ),
            MissingPartsWarning,
        )
    return wholes


def sum_clusters(
    scans: "RowScans", statistics: ClusteredStatistics, counts: ClusterCounts, binned: Mapping[str, BinnedData]
) -> ClusterErrors:
    """Return the covariance of the statistics, with bounds of the errors of standard errors, from one scan."""
    cohort = scans.request.schema.sampling == "cohort"
    values, errors = [], {}
    for i, (name, measure, statistic, component_errors) in enumerate(statistics.entries):
        numbers, columns = scans.request.classifiers[name], binned[name].columns_for(measure)
        first = next(iter(columns.values()))
        varying = not cohort and first.weights_vary
        influence = cluster_influence_tables(statistic, columns, counts, cohort or varying)
        fixed = errors_fixed = None
        if varying and statistic.shares is not None:
            fixed = cluster_weight_offsets(statistic.shares().slopes, first, counts, sign=-1.0)
        values.append(InfluenceLookup(numbers, binned[name], measure, influence, fixed))
        if component_errors is None:
            continue
        bounds = cluster_error_tables(statistic, component_errors(), columns, counts, cohort or varying)
        if fixed is not None and statistic.shares_error is not None:
            errors_fixed = cluster_weight_offsets(statistic.shares_error(), first, counts, sign=1.0)
        errors[i] = InfluenceLookup(numbers, binned[name], measure, bounds, errors_fixed)
    # One scan for both: the diagonal then has the squared sums of error bounds (`cluster_error_tables`).
    lookups = ClusterLookups([*values, *errors.values()])
    scans.scan_clusters(lookups, scores=True)
    (products,) = lookups.products
    bounds_of = dict(zip(errors, np.sqrt(products.diagonal()[len(values) :]).tolist(), strict=True))
    error_bounds = [bounds_of.get(i, nan) for i in range(len(values))]
    return ClusterErrors(counts, statistics, products[: len(values), : len(values)], error_bounds)
