"""The verb `calibration`: whether predicted probabilities are right."""

from collections.abc import Hashable, Sequence
from itertools import combinations
from math import inf, nan, sqrt
from typing import Any, Unpack

import numpy as np

from polyroc.engines.options import Engine, FileOptions, is_file_input
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.intervals import student_interval
from polyroc.inference.file_input import scores_or_settings
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.registry import MEASURES
from polyroc.messages import Option, short_repr
from polyroc.progress import ProgressOption, progress_callback
from polyroc.reliability.decomposition import GRID, Part, confidence_bands, fit_isotonic, simulate
from polyroc.reliability.events import Event, events_of
from polyroc.reliability.recalibration import Recalibration, joint_test, recalibrate, spiegelhalter
from polyroc.reliability.result import Calibration, EventCalibration, ReliabilityCurve, SlopeDifference, ZTest
from polyroc.results.provenance import Provenance
from polyroc.scores import Sampling, Schema, Scores, WeightKind
from polyroc.validation.arguments import checked_level
from polyroc.validation.arrays import Missing
from polyroc.validation.random import Rng, is_whole, rng_for, seed_of
from polyroc.validation.scores import as_scores, one_sample
from polyroc.validation.signatures import validated

__all__ = ["calibration", "calibration_pvalue", "check_forecast", "interval_part", "slope_difference"]

FEWEST_DRAWS = 50  # simulated samples of which quantiles can be taken
BARS = 20  # of the histogram of predictions
FORECAST = next(measure for measure in MEASURES.values() if measure.needs == "forecast")


@validated
def calibration(
    y_true: Any,
    y_score: Any = None,
    *,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    level: float = 0.95,
    n: int = 1000,
    rng: Rng = 0,
    progress: ProgressOption = None,
    engine: Engine | None = None,
    **reading: Unpack[FileOptions],
) -> Calibration:
    """Evaluate whether predicted probabilities are right: recalibration, tests, decomposition, reliability curve.

    For two classes the event is the positive class. For more, each class is one event, whose probability is its
    column, and "top label" is the event that the class with the largest probability is the true one. These are
    necessary conditions; that all rows of probabilities are right is what Spiegelhalter's test of all classes
    (`overall`) has as its hypothesis.

    Class sizes are taken as random: in a case-control sample probabilities refer to shares of the classes that the
    design did not keep, unless weights restore them.

    Parameters
    ----------
    y_true, y_score
        The probability of the positive class, or one column per class whose rows sum to 1, or a dict by
        classifier.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As in `evaluate`; of a case-control sample there is no calibration. Cases of a group are dependent: tests
        and standard errors allow for it, and what is simulated for independent cases (bands, intervals of the
        decomposition) is left out.
    level
        Of intervals and bands.
    n, rng
        Number of simulated samples, and the seed.
    progress, engine, reading
        For files, tables and Spark data frames, as in `evaluate`. An engine gives slope, in-the-large, tests and
        the Brier score exactly, by scans of all rows, and isotonic regression from bins with certain bounds
        (`Calibration.bounds`), which `tolerance` and `exact` make narrower; groups need the cases in memory.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p
    >>> calibration(y, p).event().joint.pvalue > 0.05
    True
    >>> extreme = p**2 / (p**2 + (1 - p) ** 2)  # log odds are doubled
    >>> print(calibration(y, extreme).conclusion()[0])
    classifier: its probabilities are too extreme: slope 0.53 (0.46 to 0.59), in the large ... p < 0.001.

    References
    ----------
    Cox, Biometrika 45 (1958) 562-565. Spiegelhalter, Statistics in Medicine 5 (1986) 421-433. Dimitriadis,
    Gneiting & Jordan, PNAS 118 (2021) e2016191118. Dimitriadis, Duembgen, Henzi, Puke & Ziegel, Biometrika 110
    (2023) 663-680.
    """
    checked_level(level)
    if not is_whole(n, FEWEST_DRAWS):
        raise InputError(f"n must be a whole number, {FEWEST_DRAWS} or more, got {short_repr(n)}.")
    options: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "sampling": sampling,
    }
    seed = seed_of(rng)
    if is_file_input(y_true, engine, reading):
        options |= {"y_score": y_score, "missing": missing}
        source = scores_or_settings("calibration", y_true, engine, reading, None, **options)
        if not isinstance(source, Scores):
            from polyroc.reliability.files import calibrate_files

            named: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "missing": missing}
            with progress_callback(progress) as report:
                return calibrate_files(source, level, n, seed, report, **named)
        y_true, y_score, options = source, None, {}
    scores = one_sample(as_scores(y_true, y_score, **options, missing=missing), "calibration")
    _check(scores)
    events: dict[tuple[str, str], EventCalibration] = {}
    fits: dict[str, tuple[Event, Recalibration]] = {}
    for number, name in enumerate(scores.classifiers):
        for place, event in enumerate(events_of(scores, name)):
            fits[name] = event, recalibrate(event)
            events[name, event.name] = _event(*fits[name], level, n, rng_for(seed, number, place))
    several = scores.n_classes == 2 and len(scores.classifiers) > 1
    return Calibration(
        events=events,
        overall={name: _overall(scores, name) for name in scores.classifiers},
        level=level,
        provenance=Provenance.of(scores, "simulation", seed),
        differences=_differences(fits, level) if several else None,
    )


def _check(scores: Scores) -> None:
    """Raise an error if there is no calibration of these cases."""
    check_forecast(scores)
    if scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}; calibration needs cases of every class.")


def check_forecast(scores: Scores | Schema) -> None:
    """Raise an error if the predictions are no probabilities, or the cases do not say how often events happen."""
    reason = inapplicable_reason(FORECAST, scores, by_name=True)
    if reason is not None:
        raise NotApplicableError("calibration ", reason, ".")
    if scores.sampling == "case-control":
        raise NotApplicableError(
            "calibration needs cases in which classes are as frequent as where the probabilities are used, which "
            "a case-control sample is not; use ",
            Option("sampling", "cohort"),
            " with weights that restore the shares of the classes.",
        )


def calibration_pvalue(scores: Scores, classifier: str) -> float:
    """The p-value of right probabilities without simulations: the joint test, or Spiegelhalter's of all classes.

    nan where the predictions are no probabilities, or the cases do not say how frequent the classes are.
    """
    reason = inapplicable_reason(FORECAST, scores, by_name=True)
    if reason is not None or scores.sampling == "case-control" or scores.absent:
        return nan
    if scores.n_classes == 2:
        (event,) = events_of(scores, classifier)
        pvalue = joint_test(event).pvalue
        if not np.isnan(pvalue):
            return pvalue
    return _overall(scores, classifier).pvalue


def _event(
    event: Event, cox: Recalibration, level: float, n: int, generator: np.random.Generator
) -> EventCalibration:
    fit = fit_isotonic(event)
    places = np.unique(np.linspace(0, len(fit.p) - 1, GRID).round().astype(np.int64))
    grid = fit.p[places]
    simulation = simulate(event, fit, grid, n, level, generator)
    counts, edges = np.histogram(event.p, bins=BARS, range=(0.0, 1.0), weights=event.weight)
    smallest = min(event.units)
    excess, variance = (1.0 - 2.0 * event.p), event.p * (1.0 - event.p)
    return EventCalibration(
        predicted=float(np.average(event.p, weights=event.weight)),
        observed=float(np.average(event.y, weights=event.weight)),
        in_the_large=interval_part(*cox.in_the_large, smallest, level),
        slope=interval_part(*cox.slope, smallest, level),
        joint=joint_test(event),
        spiegelhalter=ZTest(*spiegelhalter((event.y - event.p) * excess, excess**2 * variance, event)),
        simulated_pvalue=simulation.pvalue,
        decomposition=simulation.decomposition,
        curve=ReliabilityCurve(
            predicted=grid,
            observed=fit.fitted[places],
            confidence=confidence_bands(fit, grid, level) if event.independent else None,
            consistency=simulation.consistency,
            edges=edges,
            counts=counts.astype(np.float64),
        ),
        undefined=cox.undefined,
    )


def interval_part(value: float, error: float, smallest: float, level: float) -> Part:
    """The value with an interval by Student's t; degrees of freedom: the cases of the rarer outcome less one."""
    if not error >= 0 or smallest <= 1:
        return Part(value, error, -inf if error == error else nan, inf if error == error else nan)
    low, high = student_interval(value, error, smallest - 1.0, level)
    return Part(value, error, low, high)


def _overall(scores: Scores, classifier: str) -> ZTest:
    """Spiegelhalter's test with the Brier score of all classes.

    With p the row of a case, the score 1 - 2 p_y + sum p^2 has the expectation 1 - sum p^2 and the variance
    4 (sum p^3 - (sum p^2)^2).
    """
    if scores.n_classes == 2:
        (event,) = events_of(scores, classifier)
        table = np.column_stack([1.0 - event.p, event.p])
        own = np.where(event.y, event.p, 1.0 - event.p)
    else:
        (event, *_) = events_of(scores, classifier)
        table = np.clip(scores.values[classifier], 0.0, 1.0)
        table = table / table.sum(axis=1, keepdims=True)
        own = table[np.arange(len(table)), scores.codes]
    squares = (table**2).sum(axis=1)
    return ZTest(*spiegelhalter(2.0 * (squares - own), 4.0 * ((table**3).sum(axis=1) - squares**2), event))


def _differences(
    fits: dict[str, tuple[Event, Recalibration]], level: float
) -> dict[tuple[str, str], SlopeDifference]:
    """The differences of the slopes of all pairs, from the influence values of the same cases."""
    return {
        (first, second): _difference(*fits[first], fits[second][1], level)
        for first, second in combinations(fits, 2)
    }


def _difference(event: Event, first: Recalibration, second: Recalibration, level: float) -> SlopeDifference:
    influence: FloatArray = first.influence[1] - second.influence[1]
    error = sqrt(event.covariance(influence[None])[0, 0])
    return slope_difference(first.slope[0] - second.slope[0], error, min(event.units), level)


def slope_difference(value: float, error: float, smallest: float, level: float) -> SlopeDifference:
    """The difference of two slopes with interval and p-value, by Student's t as in `interval_part`."""
    from polyroc._scipy import stdtr

    part, pvalue = interval_part(value, error, smallest, level), nan
    if error > 0 and smallest > 1:
        pvalue = float(2.0 * stdtr(smallest - 1.0, -abs(value) / error))
    return SlopeDifference(value, error, part.low, part.high, pvalue)
