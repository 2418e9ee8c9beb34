"""A request for estimates from rows, the scans that serve it, and the result.

Every scan is checked: values are finite, and the rows are as many as before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.engines.bins import Layout
from polyroc.engines.counts import BinnedData, Counts, warn_absent
from polyroc.engines.estimates import Estimator, ScanSummary
from polyroc.engines.options import Covariance
from polyroc.engines.rows import Rows
from polyroc.engines.scan import InfluenceLookups, Scan, ScanPlan
from polyroc.errors import InputError, SmallClassWarning, warn
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.progress import Progress
from polyroc.scores import Schema

__all__ = ["EngineResult", "EvaluationRequest", "Layouts", "RowScans", "warn_of_small_classes"]


@dataclass(frozen=True, slots=True)
class EvaluationRequest:
    """Which measures to estimate from rows, and how.

    Attributes
    ----------
    measures
        The measures.
    classifiers
        By name, the numbers of the columns of scores.
    schema
        The classes, the kind of the scores, and whether class sizes are random.
    tolerance, exact
        The largest distance of the bounds; None for one that is small against the standard error. `exact` for no
        distance at all.
    errors
        Whether to estimate standard errors.
    covariance
        "joined": rows are scanned again for the covariance of columns and classifiers; "bound": an upper bound.
    paired
        Whether to estimate the covariance between classifiers.
    room
        Bytes that the records may take.
    dropped
        Number of rows left out because a value is missing.
    negated, notes
        The classifiers whose scores were multiplied by -1; what is doubtful about the rows.
    progress, expected
        Called during a scan; the number of rows, if it is known.
    """

    measures: Sequence[Measure]
    classifiers: Mapping[str, tuple[int, ...]]
    schema: Schema
    tolerance: float | None = None
    exact: bool = False
    errors: bool = True
    covariance: Covariance = "joined"
    paired: bool = False
    room: int = 2**29
    dropped: int = 0
    negated: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    progress: Progress | None = field(default=None)
    expected: int | None = None


@dataclass(frozen=True, slots=True)
class EngineResult:
    """The estimates of an engine.

    Attributes
    ----------
    estimates
        By (classifier, measure).
    covariance
        Of the estimates, in their order.
    binned
        By classifier, the bins; empty if a class has no case.
    rows
        Number of rows.
    weight_exponent
        The power of two by which the weights have been divided.
    """

    estimates: dict[tuple[str, str], Estimate]
    covariance: FloatArray
    binned: Mapping[str, BinnedData]
    rows: int
    weight_exponent: int = 0


Layouts = Mapping[str, Mapping[int, Layout]]  # by classifier and place of the column


class RowScans:
    """The scans over some rows, and what is known of the rows after them.

    Attributes
    ----------
    number
        The number of scans so far.
    n_rows
        The number of rows; 0 before the first scan.
    cases
        The cases of each class, without those of weight 0; whoever counts them sets it.
    """

    def __init__(self, rows: Rows, request: EvaluationRequest) -> None:
        self.rows, self.request = rows, request
        self.number, self.n_rows = 0, 0
        self.cases: IntArray = np.zeros(request.schema.n_classes, dtype=np.int64)

    def scan(
        self, layouts: Layouts, kinds: Sequence[str] = (), lookups: InfluenceLookups | None = None
    ) -> dict[str, Counts]:
        """Scan all rows once: count them, or look them up, or both."""
        scan = self._next(layouts, kinds, lookups)
        self.rows.scan(scan, self._report)
        number = scan.non_finite_column()
        if number is not None:
            raise self.rows.non_finite_error(number)
        self._check_number(scan)
        return scan.counts

    def scan_clusters(self, lookups: InfluenceLookups, scores: bool) -> None:
        """Look all rows up in the order of their clusters; with their scores or without."""
        scan = self._next({}, (), lookups)
        self.rows.scan_clusters(scan, self._report, scores)
        self._check_number(scan)

    def _next(self, layouts: Layouts, kinds: Sequence[str], lookups: InfluenceLookups | None) -> Scan:
        self.number += 1
        classifiers, schema = self.request.classifiers, self.request.schema
        return Scan(
            ScanPlan(
                classifiers, schema, self.rows.weighted, layouts, kinds, lookups, check_values=self.number == 1
            )
        )

    def _check_number(self, scan: Scan) -> None:
        if self.n_rows and scan.rows != self.n_rows:
            raise InputError(
                f"There were {self.n_rows} rows in the previous scan and {scan.rows} in this one; make sure that "
                "they stay the same (persist() a Spark data frame)."
            )
        self.n_rows = scan.rows

    def _report(self, rows: int) -> None:
        if self.request.progress is not None:
            expected = max(self.n_rows or self.request.expected or 0, rows)
            self.request.progress(rows, expected, f"pass {self.number}")

    def summary(self, groups: int | None = None) -> ScanSummary:
        """Return the scans so far, with the provenance of their estimates; `groups` is the number of clusters."""
        provenance = Provenance(
            cases=dict(zip(self.request.schema.names, self.cases.tolist(), strict=True)),
            method="Influence()" if self.request.errors else None,
            weighted=self.rows.weighted,
            groups=groups,
            dropped=self.request.dropped,
            sampling=self.request.schema.sampling,
            negated=self.request.negated or None,
            notes=self.request.notes or None,
            two_columns=self.request.schema.has_two_columns or None,
        )
        return ScanSummary(self.number, self.n_rows, self.rows.bytes, provenance)

    def absent(self) -> list[str]:
        """Return the names of the classes without cases."""
        names = self.request.schema.names
        return [name for name, count in zip(names, self.cases, strict=True) if count == 0]

    def undefined(self) -> EngineResult:
        """Return the result if a class has no case: nan for all measures, with a warning."""
        request, summary = self.request, self.summary()
        for measure in request.measures:
            warn_absent(self.absent(), measure)
        estimates = {
            (name, str(measure)): Estimator(measure, name, request.schema, {}, summary).undefined()
            for name in request.classifiers
            for measure in request.measures
        }
        return EngineResult(estimates, np.full((len(estimates), len(estimates)), nan), {}, self.n_rows)


def warn_of_small_classes(estimates: Mapping[tuple[str, str], Estimate]) -> None:
    """Warn if a class has one case only."""
    small = dict.fromkeys(key for (_, key), estimate in estimates.items() if estimate.fewest <= 1)
    if small:
        warn(f"A class has one case only: no standard error (nan) for {', '.join(small)}.", SmallClassWarning)
