"""The verb `calibration` over files: the result from events counted in bins and sums over rows."""

from itertools import combinations
from math import inf, nan, sqrt

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.engines.evaluate import open_dataset
from polyroc.engines.options import EngineOptions
from polyroc.estimates.hypothesis_tests import chi_square_tail, two_sided
from polyroc.kernels.arrays import FloatArray
from polyroc.progress import Progress
from polyroc.reliability.binned import BinnedEvent
from polyroc.reliability.calibration import check_forecast, interval_part
from polyroc.reliability.confidence_bands import confidence_bands
from polyroc.reliability.decomposition import (
    GRID,
    MOST_GROUPS,
    Decomposition,
    Part,
    Simulation,
    simulate,
)
from polyroc.reliability.differences import PartDifference, slope_difference
from polyroc.reliability.events import Event
from polyroc.reliability.file_events import FileEvents
from polyroc.reliability.file_sums import BARS
from polyroc.reliability.recalibration import JointTest
from polyroc.reliability.result import (
    BinBounds,
    Calibration,
    EventCalibration,
    ReliabilityCurve,
    ZTest,
)
from polyroc.scores import Scores
from polyroc.validation.random import rng_for

__all__ = ["calibrate_files"]


def calibrate_files(
    settings: EngineOptions, level: float, n: int, seed: int, progress: Progress | None
) -> Calibration:
    """Calibration from all rows of files, tables or a Spark data frame."""
    with open_dataset(settings) as data:
        check_forecast(data.schema)
        events = FileEvents(data, settings, progress)
        events.count()
        events.fit_logistic()
        return _result(events, level, n, seed)


def _result(events: FileEvents, level: float, n: int, seed: int) -> Calibration:
    per_classifier = len(events.names) // len(events.classifiers)
    estimates, bounds = {}, {}
    for event, name in enumerate(events.names):
        generator = rng_for(seed, 0, event % per_classifier)  # the same for all classifiers, as in memory
        estimator = _EventEstimator(events, event, level)
        estimates[name], bounds[name] = estimator.calibration(n, generator), estimator.bounds()
    overall = zip(events.classifiers, events.sums["overall"].tolist(), strict=True)
    several = per_classifier == 1 and len(estimates) > 1
    return Calibration(
        events=estimates,
        overall={classifier.name: _z(*sums) for classifier, sums in overall},
        level=level,
        provenance=Provenance(
            cases=dict(zip(events.schema.names, events.cases.tolist(), strict=True)),
            method="simulation",
            weighted=events.data.rows.weighted,
            dropped=events.data.dropped,
            seed=seed,
            sampling=events.schema.sampling,
            negated=events.data.negated or None,
            notes=events.data.notes or None,
        ),
        differences=_differences(events, level) if several else None,
        bounds=bounds,
    )


def _z(total: float, variance: float, impossible: float) -> ZTest:
    """Spiegelhalter's test from the sums of w d and of w^2 var(d), and the outcomes of probability 0."""
    if impossible:
        return ZTest(inf, 0.0)
    if not variance > 0:
        return ZTest(nan, nan)
    z = total / sqrt(variance)
    return ZTest(z, two_sided(z))


def _inverse(events: FileEvents, event: int) -> FloatArray:
    """The inverse of the second derivatives of the likelihoods, of the coefficients that are defined."""
    alone, both, cross, square = events.sums["hessian"][event].tolist()
    reason, inverse = events.undefined(event), np.full((3, 3), nan)
    if reason is None or not reason.without_large:
        inverse[0, 0] = 1.0 / alone
    if reason is None:
        inverse[1:, 1:] = np.linalg.inv(np.array([[both, cross], [cross, square]]))
    return inverse


def _covariance(events: FileEvents, first: int, second: int, k: slice) -> FloatArray:
    """Of some coefficients of two events: the sandwich (see `polyroc.reliability.recalibration`)."""
    meat, m = events.sums["meat"], float(events.cases.sum())
    own = meat[first] if meat.ndim == 3 else meat[3 * first : 3 * first + 3, 3 * second : 3 * second + 3]
    product = _inverse(events, first)[k, k] @ own[k, k] @ _inverse(events, second)[k, k]
    return np.asarray(product * (m / (m - 1.0) if m > 1 else nan))


LARGE, LINE = slice(0, 1), slice(1, 3)  # coefficients: the intercept with slope 1; intercept and slope


def _differences(events: FileEvents, level: float) -> dict[tuple[str, str], PartDifference]:
    """The differences of the slopes of all pairs of classifiers."""
    smallest, differences = min(events.binned(0).units), {}
    for i, j in combinations(range(len(events.names)), 2):
        value = float(events.theta[i, 2] - events.theta[j, 2])
        variance = sum(
            float(_covariance(events, a, b, LINE)[1, 1]) * (1 if a == b else -1) for a in (i, j) for b in (i, j)
        )
        defined = events.undefined(i) is None and events.undefined(j) is None
        error = sqrt(max(variance, 0.0)) if defined else nan
        names = events.names[i][0], events.names[j][0]
        differences[names] = slope_difference(value if defined else nan, error, smallest, level)
    return differences


class _EventEstimator:
    """The calibration of one event from its bins and sums."""

    def __init__(self, events: FileEvents, event: int, level: float) -> None:
        self.events, self.event, self.level = events, event, level
        self.binned: BinnedEvent = events.binned(event)
        self.fit, self.losses = self.binned.fit(), self.binned.losses()
        self.places = np.unique(np.linspace(0, len(self.fit.p) - 1, GRID).round().astype(np.int64))
        self.sums = events.sums["sums"][event].tolist()

    def calibration(self, n: int, rng: np.random.Generator) -> EventCalibration:
        """The estimates, with n simulated samples."""
        grid, total, reason = self.fit.p[self.places], self.binned.total, self.events.undefined(self.event)
        simulation = self._simulation(n, rng)
        return EventCalibration(
            predicted=float(np.clip(self.sums[0] / total, 0.0, 1.0)),
            observed=self._share(),
            in_the_large=self._part(0, LARGE, reason is None or not reason.without_large),
            slope=self._part(2, LINE, reason is None),
            joint=self._joint(),
            spiegelhalter=_z(*self.sums[9:12]),
            simulated_pvalue=simulation.pvalue,
            decomposition=self._decomposition(simulation),
            curve=ReliabilityCurve(
                predicted=grid,
                observed=self.fit.fitted[self.places],
                confidence=confidence_bands(self.fit, grid, self.level),
                consistency=simulation.consistency,
                edges=np.linspace(0.0, 1.0, BARS + 1),
                counts=np.ldexp(self.events.sums["bars"][self.event], self.events.data.rows.weight_exponent),
            ),
            undefined=None if reason is None else reason.reason,
        )

    def bounds(self) -> BinBounds:
        """What the bins leave open."""
        events, (low, high) = self.events, self.losses
        below, above = self.binned.curve_bounds(self.places)
        size = events.data.rows.bytes
        return BinBounds(max(high - low, 0.0), below, above, len(self.fit.p), events.passes, events.rows, size)

    def _share(self) -> float:
        return float(self.binned.weight[:, 1].sum()) / self.binned.total

    def _part(self, coefficient: int, of: slice, defined: bool) -> Part:
        if not defined:
            return Part(nan, nan, nan, nan)
        covariance = _covariance(self.events, self.event, self.event, of)
        value, error = float(self.events.theta[self.event, coefficient]), sqrt(covariance[-1, -1])
        return interval_part(value, error, min(self.binned.units), self.level)

    def _joint(self) -> JointTest:
        """The score test from sums; x is centred at its mean after summation."""
        _, _, certain, r, rx, x, v, vx, vxx, *_ = self.sums
        if certain:
            return JointTest(nan, 2, nan)
        centre = x / self.binned.total
        scores = np.array([r, rx - centre * r])
        cross = vx - centre * v
        if self.events.is_constant(self.event):
            statistic = float(scores[0] ** 2 / v)
            return JointTest(statistic, 1, chi_square_tail(statistic, 1))
        covariance = np.array([[v, cross], [cross, vxx - 2.0 * centre * vx + centre**2 * v]])
        statistic = float(scores @ np.linalg.solve(covariance, scores))
        return JointTest(statistic, 2, chi_square_tail(statistic, 2))

    def _simulation(self, n: int, rng: np.random.Generator) -> Simulation:
        """As in memory; weighted cases of a group of bins count as their effective number."""
        weighted = self.events.data.rows.weighted
        fit = self.binned.joined(MOST_GROUPS).fit() if weighted else self.fit
        empty = np.empty(0)
        cases = Scores._make(empty.astype(np.int32), (0, 1), {"": empty}, positive=1)
        event = Event("", empty, empty.astype(bool), cases)
        return simulate(event, fit, self.fit.p[self.places], n, self.level, rng, self.binned.units)

    def _decomposition(self, simulation: Simulation) -> Decomposition:
        """The terms with the exact Brier score, and the loss of isotonic regression of the bins."""
        brier, share, loss = self.sums[1] / self.binned.total, self._share(), self.losses[1]
        uncertainty = share * (1.0 - share)
        values = max(brier - loss, 0.0), max(uncertainty - loss, 0.0), uncertainty
        terms = zip(simulation.decomposition, values, strict=True)
        return Decomposition(*(part._replace(value=value) for part, value in terms))
