"""Certified estimates by refinement: count in fine bins, bound, divide the bins that matter, and count once more.

1. A pilot sample, where rows can be read in part, suggests the bins (`polyroc.engines.pilot`).
2. A scan counts all rows in bins. The cases of one bin are taken to tie; the most and the least that their unknown
   order can make of each measure are its certified bounds.
3. While a bound is wider than the tolerance (without one, while it is not small against the standard error), the
   bins with the largest contributions to the width are divided and the rows are counted again. What a bin
   contributes falls in proportion to its width, so one refinement mostly suffices.
4. Components that are sums over several columns, and the covariance between classifiers, need the rows: the
   components of each row are looked up by bin, in one of the scans above where possible
   (`InfluenceLookups` in `polyroc.engines.scan`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import nan, sqrt
from typing import TypeVar

import numpy as np

from polyroc.engines.binned_sample import BoundedStatistic, ComponentTables
from polyroc.engines.bins import BinnedColumn, Layout, bin_bytes, check_weight_precision
from polyroc.engines.bounds import bin_family
from polyroc.engines.case_means import evaluate_means
from polyroc.engines.clusters import (
    ClusterCounts,
    ClusteredStatistics,
    ClusterErrors,
    clustered_statistics,
    sum_clusters,
)
from polyroc.engines.counts import BinnedData, Counts, check_applicable, default_bits, pattern_kinds, score_columns
from polyroc.engines.estimates import Estimator, ScanSummary, centred_components, weight_offsets, width_by_bin
from polyroc.engines.pilot import Pilot, correct_covariance, run_pilot
from polyroc.engines.request import EngineResult, EvaluationRequest, Layouts, RowScans, warn_of_small_classes
from polyroc.engines.rows import Rows
from polyroc.engines.scan import InfluenceLookup, InfluenceLookups
from polyroc.errors import ToleranceWarning, warn
from polyroc.estimates.estimate import Estimate, warn_of_few_effective
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.messages import Message, Option

__all__ = ["evaluate_rows"]

MOST_SCANS = 24  # each divides bins at least in two where it matters; in practice two or three scans suffice
FEW_BINS, BINS_PER_ROW = 2**22, 64  # of a column: more would cost memory, and separate few rows better
EXACT_BITS = 8  # of the bins of the first scan where an exact answer follows: it checks the values


def evaluate_rows(rows: Rows, request: EvaluationRequest) -> EngineResult:
    """Estimate measures from rows: means over cases exactly, in one scan, and others with certified bounds."""
    means = [measure for measure in request.measures if measure.case_mean is not None]
    if not means:
        return Refinement(rows, request).result()
    others = [measure for measure in request.measures if measure.case_mean is None]
    exact = evaluate_means(rows, replace(request, measures=means))
    if not others:
        return exact
    return _together(request, exact, Refinement(rows, replace(request, measures=others)).result())


def _together(request: EvaluationRequest, first: EngineResult, second: EngineResult) -> EngineResult:
    """Merge two results in the order of the request; the covariance between the two is not known."""
    covariance = np.full((len(first.estimates) + len(second.estimates),) * 2, nan)
    covariance[: len(first.estimates), : len(first.estimates)] = first.covariance
    covariance[len(first.estimates) :, len(first.estimates) :] = second.covariance
    both = {**first.estimates, **second.estimates}
    wanted = [(name, str(measure)) for name in request.classifiers for measure in request.measures]
    order = [[*both].index(key) for key in wanted]
    estimates = {key: both[key] for key in wanted}
    return replace(second, estimates=estimates, covariance=covariance[np.ix_(order, order)])


class Refinement:
    """The scans over some rows, and what is known after each of them.

    Attributes
    ----------
    layouts, binned
        By classifier (and column): the present bins, and their counts.
    coarse
        The counts in the pilot's coarse bins, where there was a pilot.
    bounded
        By classifier and measure: the statistic of the present bins with its bounds.
    covariance, error_bounds
        From influence values of the rows; and the bounds of the errors of the standard errors that it contains.
    share
        The share of all rows, if these are a pilot sample.
    """

    def __init__(self, rows: Rows, request: EvaluationRequest) -> None:
        self.rows, self.request, self.scans = rows, request, RowScans(rows, request)
        self.layouts: dict[str, dict[int, Layout]] = {}
        self.binned: dict[str, BinnedData] = {}
        self.coarse: dict[str, BinnedData] = {}
        self.bounded: dict[tuple[str, Measure], BoundedStatistic] = {}
        self.covariance: FloatArray | None = None
        self.error_bounds: list[float] = []
        self.share = 1.0
        self.finest = False  # bins cannot be divided further
        self.cluster_counts: ClusterCounts | None = None
        self.cluster_errors: ClusterErrors | None = None

    @property
    def cases(self) -> IntArray:
        """The cases of each class, after the first scan."""
        return self.scans.cases

    def result(self) -> EngineResult:
        """Scan until the bounds are narrow enough, and estimate."""
        pilot = run_pilot(self)
        self.scan_first(pilot)
        if self.scans.absent():
            return self.scans.undefined()
        if self.request.exact:
            self._count_distinct_values()
        self.bound()
        if self._refine():
            pilot = None  # the bins have changed, and with them the components to look up
        if self.rows.clustered:
            self._estimate_clusters()
            return self._estimates()
        if pilot is not None and pilot.lookups is not None:
            correct_covariance(self, pilot, pilot.lookups)
        if self.covariance is None and self.needs_influence():
            self._scan({}, lookups=self.make_lookups())
        return self._estimates()

    def _refine(self) -> bool:
        """Divide bins until the bounds are narrow enough, or cannot become narrower; whether any were divided."""
        refined = False
        while self.too_wide():
            layouts = self.refined_layouts()
            if layouts is None or self.scans.number >= MOST_SCANS:
                self._warn_of_tolerance()
                self.finest = True
                break
            self._scan_refined(layouts)
            refined = True
        return refined

    # scans

    def scan_first(self, pilot: Pilot | None = None, bits: int | None = None) -> None:
        """Count all rows, in the bins of the pilot if there was one, and check that the measures apply."""
        request, schema = self.request, self.request.schema
        places, kinds = score_columns(request.measures, schema), pattern_kinds(request.measures, schema)
        n = max(1, len(places) * len(request.classifiers))
        most = default_bits(schema.n_classes, n, self.rows.weighted, request.room)
        layout = Layout.of(EXACT_BITS if request.exact else min(most, bits or most))
        self.layouts = {name: dict.fromkeys(places, layout) for name in request.classifiers}
        if pilot is not None:
            self.layouts = pilot.fine
        counts = self._scan(self.layouts, kinds, None if pilot is None else pilot.lookups)
        self.binned = {name: classifier_counts.binned() for name, classifier_counts in counts.items()}
        self.scans.cases = next(iter(self.binned.values())).cases()
        if self.scans.absent():
            return
        # Only now is it known whether values are probabilities, which some measures need.
        for measure in request.measures:
            for classifier_counts in counts.values():
                check_applicable(measure, classifier_counts)
        self._check_weights()
        if pilot is not None:
            self.coarse = {
                name: classifier_counts.binned_coarser(pilot.coarse[name])
                for name, classifier_counts in counts.items()
            }

    def _check_weights(self) -> None:
        (binned, *_) = self.binned.values()
        columns = [*binned.columns.values(), *(column for column, _ in binned.patterns.values())]
        check_weight_precision(columns[0], self.request.schema.names)

    def _count_distinct_values(self) -> None:
        """Make one bin for each distinct value, so that the bounds differ by rounding errors only."""
        c, numbers = self.request.schema.n_classes, self.request.classifiers
        for name, binned in self.binned.items():
            columns = {place: self.rows.distinct(numbers[name][place], c) for place in binned.columns}
            self.scans.number += len(columns)
            self.binned[name] = BinnedData(binned.schema, columns, binned.patterns)

    def _scan_refined(self, layouts: Layouts) -> None:
        """Count the columns whose bins were divided, and look influence values up in the same scan if needed."""
        refined = {name: columns for name, columns in layouts.items() if columns}
        lookups = self.make_lookups() if self.covariance is None and self.needs_influence() else None
        for name, counts in self._scan(refined, lookups=lookups).items():
            old = self.binned[name]
            self.layouts[name] |= layouts[name]
            columns = {**old.columns, **counts.binned().columns}
            self.binned[name] = BinnedData(old.schema, columns, old.patterns)
        self.bound()

    def _scan(
        self, layouts: Layouts, kinds: Sequence[str] = (), lookups: InfluenceLookups | None = None
    ) -> dict[str, Counts]:
        """Scan all rows once: count them, or look them up, or both."""
        counts = self.scans.scan(layouts, kinds, lookups)
        # Before the first scan has ended, the sizes of the classes are not known: a pilot's lookups wait for them.
        if lookups is not None and self.binned:
            self.covariance = lookups.covariance(self.cases, self.first_column().totals)
        return counts

    # bounds and refinement

    def bound(self) -> None:
        """Bound all measures from the present bins."""
        self.bounded, self.cluster_errors = {}, None
        for name, binned in self.binned.items():
            for measure in self.request.measures:
                bounded = binned.bounded(measure)
                self.bounded[name, measure] = replace(bounded, parts=cache(bounded.parts))

    def too_wide(self) -> dict[tuple[str, Measure], BoundedStatistic]:
        """Return the statistics whose bounds are too far apart."""
        if self.request.exact:
            return {}
        return {
            key: bounded
            for key, bounded in self.bounded.items()
            if bounded.high - bounded.low > self._wanted(*key, Estimator.negligible_width)
        }

    def _wanted(
        self, name: str, measure: Measure, of_errors: Callable[[Estimator, BoundedStatistic], float]
    ) -> float:
        """Return a distance of bounds: as requested, or else from the standard error, whether requested or not."""
        if self.request.tolerance is not None:
            return self.request.tolerance
        summary = self._summary()
        summary = replace(summary, provenance=replace(summary.provenance, method="Influence()"))
        estimator = replace(self.estimator(name, measure, self.binned), summary=summary)
        # The standard error of all rows is smaller than that of a pilot sample.
        return of_errors(estimator, self.bounded[name, measure]) * sqrt(self.share)

    def refined_layouts(self) -> dict[str, dict[int, Layout]] | None:
        """Return layouts that should bring the bounds within the tolerance; None if no bin can be divided."""
        # By column and bin: the width of the bounds that is due to it, in targets, summed over the measures.
        widths: dict[tuple[str, int], FloatArray] = {}
        for (name, measure), bounded in self.too_wide().items():
            target = self._wanted(name, measure, Estimator.target_width)
            for place, width in width_by_bin(bounded, self.binned[name].columns_for(measure)).items():
                if place >= 0:  # patterns of decisions are exact
                    widths[name, place] = widths.get((name, place), 0.0) + width / target
        size = bin_bytes(self.request.schema.n_classes, self.rows.weighted)
        occupied = {column: (self.layouts[column[0]][column[1]], self._occupied(*column)) for column in widths}
        layouts: dict[str, dict[int, Layout]] = {name: {} for name in self.binned}
        useful = max(FEW_BINS, BINS_PER_ROW * self.scans.n_rows)
        divided = divided_layouts(widths, occupied, min(self.request.room // (size * len(widths)), useful))
        for (name, place), layout in divided.items():
            layouts[name][place] = layout
        return layouts if divided else None

    def _occupied(self, name: str, place: int) -> IntArray:
        """Return the numbers of the occupied bins of a column."""
        index = self.binned[name].columns[place].index
        assert index is not None
        return self.layouts[name][place].locate(index.edges()).astype(np.int64)

    def _warn_of_tolerance(self) -> None:
        tolerance = self.request.tolerance
        widths = ", ".join(
            f"{measure} of {name}: {bounded.high - bounded.low:.2g}"
            for (name, measure), bounded in self.too_wide().items()
        )
        if tolerance is None:
            problem = (
                "The bins do not separate the scores: the bounds are not small against the standard error "
                f"({widths}), and confidence intervals include them."
            )
        else:
            problem = f"The bounds are further apart than the tolerance {tolerance:g} ({widths})."
        warn(
            Message(
                f"{problem} Finer bins need more memory, more digits than bins have, or more than "
                f"{BINS_PER_ROW} bins a row; raise ",
                Option("memory"),
                ", or use ",
                Option("exact", True),
                ".",
            ),
            ToleranceWarning,
        )

    # covariance

    def needs_influence(self) -> bool:
        """Return whether the covariance of columns or classifiers is needed, which bins do not determine."""
        request = self.request
        if not request.errors or request.covariance == "bound" or (self.cases <= 1).any():
            return False
        if self.rows.clustered:  # rows are looked up in the order of their clusters instead
            return False
        pairs = any(bin_family(measure) == "pairs" for measure in request.measures)
        return pairs or (request.paired and len(request.classifiers) > 1)

    def make_lookups(self) -> InfluenceLookups:
        """Return the components of the present bins, to be looked up in the next scan."""
        lookups, self.error_bounds = [], []
        for (name, measure), bounded in self.bounded.items():
            lookups.append(self.lookup(name, measure, bounded, self.binned[name]))
            self.error_bounds.append(self.estimator(name, measure, self.binned).standard_error_bound(bounded))
        return InfluenceLookups(lookups, len(self.cases))

    def lookup(
        self, name: str, measure: Measure, bounded: BoundedStatistic, binned: BinnedData
    ) -> InfluenceLookup:
        columns = binned.columns_for(measure)
        components = self.centred(bounded, columns)
        fixed = None if self._cohort else weight_offsets(bounded.statistic, next(iter(columns.values())))
        return InfluenceLookup(self.request.classifiers[name], binned, measure, components, fixed)

    def centred(self, bounded: BoundedStatistic, columns: Mapping[int, BinnedColumn]) -> ComponentTables:
        random_shares = self._cohort or next(iter(columns.values())).weights_vary
        return centred_components(bounded.statistic, columns, random_shares)

    @property
    def _cohort(self) -> bool:
        return self.request.schema.sampling == "cohort"

    # clusters

    def _estimate_clusters(self) -> None:
        """Sum the influence values of clusters; divide bins again if that makes standard errors much smaller."""
        statistics = self._clustered_statistics()
        counts = self.cluster_counts = ClusterCounts(len(self.cases), statistics.sets())
        self.scans.scan_clusters(counts, scores=False)
        if not self.request.errors:
            return
        self._sum_clusters(statistics, counts)
        if not self.finest and self._refine():
            self._sum_clusters(self._clustered_statistics(), counts)

    def _clustered_statistics(self) -> ClusteredStatistics:
        return clustered_statistics(self.bounded, self.layouts, self.request)

    def _sum_clusters(self, statistics: ClusteredStatistics, counts: ClusterCounts) -> None:
        self.cluster_errors = errors = sum_clusters(self.scans, statistics, counts, self.binned)
        measures = len(self.bounded)  # they come before their parts
        self.covariance = errors.covariance[:measures, :measures]
        self.error_bounds = [*errors.error_bounds[:measures]]

    def first_column(self) -> BinnedColumn:
        """Return any column: class totals are the same in all."""
        (name, measure) = next(iter(self.bounded))
        return next(iter(self.binned[name].columns_for(measure).values()))

    # estimates

    def estimator(self, name: str, measure: Measure, binned: Mapping[str, BinnedData]) -> Estimator:
        columns, schema = binned[name].columns_for(measure), self.request.schema
        return Estimator(measure, name, schema, columns, self._summary(), self.cluster_errors)

    def _estimates(self) -> EngineResult:
        estimates: dict[tuple[str, str], Estimate] = {}
        for i, ((name, measure), bounded) in enumerate(self.bounded.items()):
            scanned = None if self.covariance is None else (float(self.covariance[i, i]), self.error_bounds[i])
            estimates[name, str(measure)] = self.estimator(name, measure, self.binned).estimate(bounded, scanned)
        warn_of_small_classes(estimates)
        warn_of_few_effective(estimates.values())
        covariance = self._covariance(estimates)
        return EngineResult(estimates, covariance, self.binned, self.scans.n_rows, self.rows.weight_exponent)

    def _covariance(self, estimates: Mapping[tuple[str, str], Estimate]) -> FloatArray:
        """Return that from influence values; without them, the one that makes a difference of two most uncertain.

        The latter also where bins do not separate the scores, since components in one bin are then not known.
        """
        wide = any(
            estimate.certificate is not None and estimate.certificate.in_interval
            for estimate in estimates.values()
        )
        if self.covariance is not None and not wide:
            return self.covariance
        errors = np.array([estimate.standard_error for estimate in estimates.values()])
        covariance = -np.outer(errors, errors)
        np.fill_diagonal(covariance, errors**2)
        return covariance

    def _summary(self) -> ScanSummary:
        return self.scans.summary(None if self.cluster_counts is None else self.cluster_counts.number)


Column = TypeVar("Column")
WIDTH_MARGIN = 0.8  # of the tolerance that the refined bins should leave: scores are not spread evenly in a bin


def divided_layouts(
    widths: Mapping[Column, FloatArray], occupied: Mapping[Column, tuple[Layout, IntArray]], most: int
) -> dict[Column, Layout]:
    """Return the layouts of the columns in which a bin is to be divided.

    Parameters
    ----------
    widths
        By column and occupied bin: the width of the bounds that is due to the bin, in units of the target.
    occupied
        By column: the present layout, and the numbers of its occupied bins.
    most
        The most bins of a column.
    """
    layouts = {}
    for column, width in widths.items():
        layout, bins = occupied[column]
        # Each column may keep a share of the tolerance in proportion to its present width.
        target = WIDTH_MARGIN * width.sum() / sum(of_column.sum() for of_column in widths.values())
        halvings = _halvings(width, layout.shift[bins], target, most - layout.size)
        if halvings.any():
            by_bin = np.zeros(layout.size, dtype=np.int64)
            by_bin[bins] = halvings
            layouts[column] = layout.refined(by_bin)
    return layouts


def _halvings(widths: FloatArray, possible: IntArray, target: float, most: int) -> IntArray:
    """Return how often to halve each bin so that the widths left sum to the target, with the fewest bins.

    Divided into m parts, a bin in which scores are spread evenly keeps 1/m of its width; for a given number of
    bins the sum of width / m is least if m is in proportion to the root of the width (Lagrange). The factor of
    proportion is found by bisection of its logarithm; m is a power of two, at most 2^possible, and there are at
    most `most` bins.
    """
    root = np.sqrt(np.maximum(widths, 0.0))

    def halvings_at(factor: float) -> IntArray:
        halvings = np.ceil(np.log2(np.maximum(root * factor, 1.0)))
        return np.minimum(halvings.astype(np.int64), possible)

    low, high = 0.0, 64.0  # logarithms to base 2; a tenth is near enough, since m is rounded to powers of two
    while high - low > 0.1:
        middle = (low + high) / 2
        halvings = halvings_at(2.0**middle)
        left, bins = float(np.ldexp(widths, -halvings).sum()), float(np.ldexp(1.0, halvings).sum())
        if left > target and bins < most:
            low = middle
        else:
            high = middle
    halvings = halvings_at(2.0**high)
    return halvings if float(np.ldexp(1.0, halvings).sum()) <= most else halvings_at(2.0**low)
