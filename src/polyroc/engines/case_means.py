"""Means over cases from rows, exactly in one scan: proper scores of probabilities (`Measure.case_mean`).

A case has a number L for each classifier and measure. The value and its errors follow from sums over the rows of
each class: of w, w L and w^2, w^2 L, w^2 L M for any two numbers L and M. Where rows belong to clusters, w and w L
are summed by cluster and class before they are multiplied. Where class sizes are fixed, a case has one more
number, 1 without its weight: its influence through the shares of the classes is linear in w minus the mean of w.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.engines.clusters import ClusterTotals
from polyroc.engines.estimates import ScanSummary
from polyroc.engines.request import EngineResult, EvaluationRequest, RowScans, warn_of_small_classes
from polyroc.engines.rows import Batch, Rows
from polyroc.engines.scan import Contributions, InfluenceLookups
from polyroc.errors import NotApplicableError
from polyroc.estimates.certificate import Certificate
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import share_of_units_behind
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.measures.applicability import ROUNDING, SUM_TOLERANCE
from polyroc.measures.measure import Measure
from polyroc.measures.proper_scores import CaseAverage, warn_of_infinity
from polyroc.scores import Schema

__all__ = ["evaluate_means"]

ROWS_AT_ONCE = 2**16


def evaluate_means(rows: Rows, request: EvaluationRequest) -> EngineResult:
    """Estimate measures that are means over cases, from one scan."""
    sums = CaseSums(request.classifiers, request.measures, request.schema, rows.clustered)
    scans = RowScans(rows, request)
    if rows.clustered:
        scans.scan_clusters(sums, scores=True)
    else:
        scans.scan({}, lookups=sums)
    number = sums.non_finite_column()
    if number is not None:
        raise rows.non_finite_error(number)
    scans.cases = sums.cases()
    if scans.absent():
        return scans.undefined()
    summary = scans.summary(sums.clusters() if rows.clustered else None)
    results = CaseMeans(sums, summary)
    results.check()
    estimates, covariance = results.estimates()
    warn_of_small_classes(estimates)
    return EngineResult(estimates, covariance, {}, summary.rows, rows.weight_exponent)


class CaseSums(InfluenceLookups):
    """Sums over rows, filled by a scan as lookups are.

    Attributes
    ----------
    products
        All sums one after the other, so that those of two partitions are added: by class the cases (of weight
        above 0) and clusters, by column of scores the values that are not finite, by classifier the rows that are
        no probabilities, by number the infinite ones, by class the squared weights, the sums and the sums of
        products.
    """

    def __init__(
        self,
        classifiers: Mapping[str, tuple[int, ...]],
        measures: Sequence[Measure],
        schema: Schema,
        clustered: bool,
    ) -> None:
        self.classifiers, self.measures, self.schema, self.clustered = classifiers, measures, schema, clustered
        self.fixed_sizes = schema.sampling == "case-control"
        c, q = schema.n_classes, len(classifiers) * len(measures) + 1 + self.fixed_sizes
        columns = max(map(max, classifiers.values())) + 1
        pairs = (c * q, c * q) if clustered else (c, q, q)
        self._shapes = [(c,), (c + 1,), (columns,), (len(classifiers),), (q,), (c,), (c, q), pairs]
        super().__init__([], 1)
        self.products = np.zeros(sum(int(np.prod(shape)) for shape in self._shapes))
        self._totals = ClusterTotals(c * q)

    def parts(self) -> list[FloatArray]:
        """View the products as: cases, clusters, not finite, invalid, infinite, squared weights, sums, pairs."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self._shapes])
        blocks = np.split(self.products, ends[:-1])
        return [block.reshape(shape) for block, shape in zip(blocks, self._shapes, strict=True)]

    def cases(self) -> IntArray:
        """Return the cases of each class, without those of weight 0."""
        return self.parts()[0].astype(np.int64)

    def clusters(self) -> int:
        """Return the number of clusters."""
        return int(self.parts()[1][-1])

    def non_finite_column(self) -> int | None:
        """Return the number of a data column with a missing or infinite value, if there is one."""
        places = np.flatnonzero(self.parts()[2])
        return int(places[0]) if len(places) else None

    def add(self, batch: Batch, contributions: Sequence[Contributions]) -> None:  # noqa: ARG002 - there are none
        """Add the sums of some rows."""
        cases, _, not_finite, _, _, squares, *_ = self.parts()
        for number, column in enumerate(batch.columns):
            not_finite[number] += len(column) - np.isfinite(column).sum()
        if not_finite.any():
            return  # the scan ends with an error
        for start in range(0, len(batch.codes), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            codes = batch.codes[rows]
            weight = np.ones(len(codes)) if batch.weight is None else batch.weight[rows]
            cases += np.bincount(codes[weight > 0], minlength=self.schema.n_classes)
            squares += np.bincount(codes, weight**2, self.schema.n_classes)
            values = self._values([column[rows] for column in batch.columns], codes, weight) * weight
            if self.fixed_sizes:
                values = np.vstack([values, weight > 0])
            if batch.clusters is None:
                self._add_rows(codes, values)
            else:
                self._add_by_cluster(codes, values, batch.clusters[rows])

    def _values(self, columns: Sequence[FloatArray], codes: CodeArray, weight: FloatArray) -> FloatArray:
        """Return, at [number, row]: 1, and the numbers of each classifier and measure; 0 where one is infinite."""
        _, _, _, invalid, infinite, *_ = self.parts()
        numbers = [np.ones(len(codes))]
        for place, used in enumerate(self.classifiers.values()):
            own, squares, wrong = self._forecast([columns[number] for number in used], codes)
            invalid[place] += wrong
            for measure in self.measures:
                assert measure.case_mean is not None
                numbers.append(measure.case_mean.values(own, squares, self.schema.n_classes, **measure.settings))
        table = np.array(numbers)
        endless = np.isinf(table)
        if endless.any():
            infinite[: len(table)] += (endless & (weight > 0)).sum(axis=1)
            table[endless] = 0.0
        return table

    def _forecast(self, columns: Sequence[FloatArray], codes: CodeArray) -> tuple[FloatArray, FloatArray, int]:
        """Return the probability of each row's own class, the sum of squares, and the number of invalid rows."""
        low, high = -ROUNDING, 1.0 + ROUNDING
        if len(columns) == 1:
            (p,) = columns
            own = np.where(codes == self.schema.positive, p, 1.0 - p)
            return own, own**2 + (1.0 - own) ** 2, int(((p < low) | (p > high)).sum())
        table = np.array(columns)
        wrong = (table < low).any(axis=0) | (table > high).any(axis=0)
        wrong |= np.abs(table.sum(axis=0) - 1.0) > SUM_TOLERANCE
        return table[codes, np.arange(len(codes))], (table**2).sum(axis=0), int(wrong.sum())

    def _add_rows(self, codes: CodeArray, values: FloatArray) -> None:
        *_, sums, pairs = self.parts()
        for k in range(self.schema.n_classes):
            own = values[:, codes == k]
            sums[k] += own.sum(axis=1)
            pairs[k] += own @ own.T

    def _add_by_cluster(self, codes: CodeArray, values: FloatArray, clusters: IntArray) -> None:
        c, q = self.schema.n_classes, len(values)
        table = np.zeros((c, q, len(codes)))
        table[codes, :, np.arange(len(codes))] = values.T
        self._add_clusters(self._totals.add(clusters, table.reshape(c * q, -1)))

    def _add_clusters(self, totals: FloatArray) -> None:
        _, clusters, *_, sums, pairs = self.parts()
        weights = totals.reshape(*sums.shape, -1)[:, 0]
        clusters[:-1] += (weights > 0).sum(axis=1)
        clusters[-1] += weights.any(axis=0).sum()
        sums += totals.sum(axis=1).reshape(sums.shape)
        pairs += totals @ totals.T

    def finish(self) -> None:
        """Add the last cluster."""
        if self.clustered:
            self._add_clusters(self._totals.close())


@dataclass(frozen=True, eq=False)
class CaseMeans:
    """The estimates that follow from the sums."""

    sums: CaseSums
    summary: ScanSummary

    @property
    def provenance(self) -> Provenance:
        """The provenance of the estimates."""
        return self.summary.provenance

    def check(self) -> None:
        """Raise an error if the columns are no probabilities."""
        _, _, _, invalid, *_ = self.sums.parts()
        for name, wrong in zip(self.sums.classifiers, invalid.tolist(), strict=True):
            if wrong:
                raise NotApplicableError(
                    f"{self.sums.measures[0]} needs probabilities in [0, 1] that sum to 1 for each case, but "
                    f"those of {name!r} do not in {wrong:.0f} of {self.summary.rows} rows; correct them."
                )

    def estimates(self) -> tuple[dict[tuple[str, str], Estimate], FloatArray]:
        """Return the estimates by classifier and measure, and their covariance."""
        keys = [(name, measure) for name in self.sums.classifiers for measure in self.sums.measures]
        averages = [self._average(place, measure) for place, (_, measure) in enumerate(keys, start=1)]
        covariance = self._covariance(averages)
        estimates = {
            (name, str(measure)): self._estimate(name, measure, average, float(covariance[i, i]), i + 1)
            for i, ((name, measure), average) in enumerate(zip(keys, averages, strict=True))
        }
        for i, estimate in enumerate(estimates.values()):
            if estimate.value == inf:
                covariance[i], covariance[:, i] = nan, nan
        return estimates, covariance

    def _average(self, place: int, measure: Measure) -> CaseAverage:
        *_, sums, _ = self.sums.parts()
        assert measure.case_mean is not None
        c = len(sums)
        # of a skill, the range of the mean, whose own may have no limits
        limits = (
            (0.0, 1.0 if c == 2 else 2.0) if measure.case_mean.reference else measure.range(c, **measure.settings)
        )
        totals = sums[:, 0]
        return CaseAverage(measure.case_mean, sums[:, place] / totals, totals, limits)

    def _units(self) -> FloatArray:
        """Return the effective number of cases (or clusters) of each class, and of all."""
        *_, sums, pairs = self.sums.parts()
        c, q = sums.shape
        weight = sums[:, 0]
        if not self.sums.clustered:
            squares = pairs[:, 0, 0]
            return np.append(weight**2 / squares, weight.sum() ** 2 / squares.sum())
        among = pairs.reshape(c, q, c, q)[:, 0, :, 0]
        return np.append(weight**2 / np.diag(among), weight.sum() ** 2 / among.sum())

    def _covariance(self, averages: Sequence[CaseAverage]) -> FloatArray:
        """Return products of influence values, which are linear in w and w L (`polyroc.inference.covariance`)."""
        cases, clusters, *_, sums, pairs = self.sums.parts()
        (c, q), total = sums.shape, sums[:, 0].sum()
        number = clusters if self.sums.clustered else np.append(cases, cases.sum())
        with np.errstate(divide="ignore", invalid="ignore"):
            corrected = np.where(number > 1, np.sqrt(number / (number - 1.0)), nan)
        linear = np.zeros((len(averages), c, q))
        for a, average in enumerate(averages):
            means = sums[:, a + 1] / sums[:, 0]
            linear[a, :, a + 1] = corrected[:-1] * average.slope / total
            linear[a, :, 0] = -corrected[:-1] * average.slope * means / total
            if self._random_shares():
                away = corrected[-1] * (average.by_share - average.shares @ average.by_share) / total
                linear[a, :, 0] += away
                if self.sums.fixed_sizes:
                    linear[a, :, -1] = -away * sums[:, 0] / cases
        if self.sums.clustered:
            flat = linear.reshape(len(averages), -1)
            return np.asarray(flat @ pairs @ flat.T)
        return np.asarray(np.einsum("akp,kpr,bkr->ab", linear, pairs, linear))

    def _random_shares(self) -> bool:
        """Return whether class sizes are random, or weights vary in a class as far as sums of squares tell."""
        if not self.sums.fixed_sizes:
            return True
        cases, *_, squares, sums, _ = self.sums.parts()
        return bool((cases * squares > sums[:, 0] ** 2 * (1.0 + 1e-12)).any())

    def _estimate(
        self, name: str, measure: Measure, average: CaseAverage, variance: float, place: int
    ) -> Estimate:
        _, _, _, _, infinite, *_ = self.sums.parts()
        passes, rows, size = self.summary.passes, self.summary.rows, self.summary.bytes
        value, limits = average.value, measure.range(len(average.shares), **measure.settings)
        error, fewest, effective = sqrt(max(variance, 0.0)) if variance == variance else nan, nan, nan
        if infinite[place]:
            warn_of_infinity(int(infinite[place]))
            value, error = inf, nan
        elif self.provenance.method is not None:
            fewest, effective = self._cases(average, limits[1] - limits[0])
        df = fewest - 1.0 if np.isinf(limits[1] - limits[0]) and fewest > 1 else None
        return Estimate(
            measure=str(measure),
            name=measure.full_name,
            classifier=name,
            value=float(np.clip(value, *limits)),
            standard_error=error if self.provenance.method is not None else nan,
            limits=limits,
            chance=None,
            fewest=fewest,
            effective=effective,
            provenance=self.provenance,
            certificate=Certificate(value, value, passes, rows, size, 0.0, False, None),
            df=df,
            larger_is_better=None if measure.larger_is_better else False,
            of_decisions=measure.needs == "decisions" or None,
        )

    def _cases(self, average: CaseAverage, span: float) -> tuple[float, float]:
        """Return the effective cases of the smallest class, and the smallest number relative to its influence."""
        units = self._units()
        reaches: list[float | None] = [average.reach(k) for k in range(len(average.shares))]
        counted = units if self._random_shares() else units[:-1]
        if self._random_shares():
            reaches.append(average.share_slopes().reach)
        factors = [span / reach if reach and np.isfinite(span) else 1.0 for reach in reaches]
        cases, *_, squares, sums, _ = self.sums.parts()
        behind = share_of_units_behind(sums[:, 0] ** 2 / squares, cases)
        shares = np.append(behind, behind.min())[: len(counted)]
        return float(counted.min()), float((counted * shares * factors).min())
