"""The verb `calibration`: whether predicted probabilities are right."""

from collections.abc import Sequence
from itertools import combinations, product
from math import inf, nan
from typing import Any, NamedTuple, Unpack, overload

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.data_options import DataOptions, WholeDataOptions, cases_of
from polyroc.engines.options import EngineOptions
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.intervals import student_interval
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.registry import MEASURES
from polyroc.messages import Option, short_repr
from polyroc.progress import ProgressOption, progress_callback
from polyroc.reliability.calibration_error import calibration_error
from polyroc.reliability.confidence_bands import confidence_bands
from polyroc.reliability.decomposition import GRID, Fit, Part, Simulation, fit_isotonic, simulate
from polyroc.reliability.differences import Analysis, PartDifference, fold_test, paired
from polyroc.reliability.events import Event, View, checked_views, events_of, table_of
from polyroc.reliability.grouped import GroupedCalibration
from polyroc.reliability.kernel_test import KernelTest, kernel_test
from polyroc.reliability.recalibration import JointTest, Recalibration, joint_test, recalibrate, spiegelhalter
from polyroc.reliability.result import Calibration, EventCalibration, ReliabilityCurve, TermDifferences, ZTest
from polyroc.reliability.smooth_curve import smooth_curve
from polyroc.reliability.subgroups import grouped_calibration
from polyroc.scores import Schema, Scores
from polyroc.validation.arguments import checked_level
from polyroc.validation.random import Rng, is_whole, rng_for, seed_of
from polyroc.validation.signatures import validated

__all__ = ["calibration", "calibration_pvalue", "check_forecast", "interval_part"]

FEWEST_DRAWS = 50  # simulated samples of which quantiles can be taken
BARS = 20  # of the histogram of predictions
KERNEL = 1_000_000  # the place of the random numbers of the kernel test, after those of all events
FORECAST = next(measure for measure in MEASURES.values() if measure.needs == "forecast")


class _Settings(NamedTuple):
    """What is computed of every sample, and how."""

    level: float
    replicates: int
    seed: int
    views: tuple[View, ...]
    smooth: bool


class _Options(WholeDataOptions, total=False):
    """The options of `calibration`, for type checkers."""

    views: View | Sequence[View] | None
    smooth: bool
    level: float
    replicates: int
    rng: Rng
    progress: ProgressOption


@overload
def calibration(data: Any, y_score: Any = ..., *, by: None = ..., **options: Unpack[_Options]) -> Calibration: ...
@overload
def calibration(data: Any, y_score: Any = ..., *, by: Any, **options: Unpack[_Options]) -> GroupedCalibration: ...


@validated
def calibration(
    data: Any,
    y_score: Any = None,
    *,
    views: View | Sequence[View] | None = None,
    smooth: bool = False,
    level: float = 0.95,
    replicates: int = 1000,
    rng: Rng = 0,
    progress: ProgressOption = None,
    **data_options: Unpack[DataOptions],
) -> Calibration | GroupedCalibration:
    """Evaluate whether predicted probabilities are right: recalibration, tests, decomposition, reliability curve.

    For two classes the event is the positive class. For more, each class is one event, whose probability is its
    column, and "top label" is the event that the class with the largest probability is the true one. These are
    necessary conditions; that all rows of probabilities are right is the hypothesis of Spiegelhalter's test of all
    classes (`overall`), which notices rows that are too extreme or too moderate, and of the kernel test
    (`canonical`), which notices deviations of other shapes, too.

    Class sizes are taken as random: in a case-control sample probabilities refer to shares of the classes that the
    design did not keep, unless weights restore them.

    Parameters
    ----------
    data, y_score
        The probability of the positive class, or one column per class whose rows sum to 1, or a dict by
        classifier.
    views
        Which events of three classes or more: "class", "top label", and "pair", of two classes the first, among
        the cases of the two; one or several. By default the first two.
    smooth
        True: also a smooth reliability curve (logistic regression on a spline of the log odds).
    level
        Of intervals and bands.
    replicates, rng
        Number of simulated samples, and the seed.
    progress
        For files, as in `evaluate`.
    data_options
        As in `evaluate`; of a case-control sample there is no calibration. Cases of a group are dependent: tests
        and standard errors allow for it, and what is simulated for independent cases (bands, intervals of the
        decomposition) is left out. All folds are evaluated as one sample, because probabilities of different
        models are on one scale; `fold_tests` says whether the models differ. An engine gives slope, in-the-large,
        tests and the Brier score exactly, by scans of all rows, and isotonic regression from bins with certain
        bounds (`Calibration.bounds`), which `tolerance` and `exact` make narrower. Groups, subgroups, folds,
        pairs of classes and smooth curves need the cases in memory.

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
    (2023) 663-680. Kumar, Liang & Ma, NeurIPS 32 (2019). Widmann, Lindsten & Zachariah, NeurIPS 32 (2019).
    """
    checked_level(level)
    if not is_whole(replicates, FEWEST_DRAWS):
        raise InputError(
            f"replicates must be a whole number, {FEWEST_DRAWS} or more, got {short_repr(replicates)}."
        )
    settings = _Settings(level, replicates, seed_of(rng), checked_views(views), smooth)
    cases = cases_of("calibration", data, y_score, data_options)
    if not isinstance(cases, Scores):
        return _of_files(cases, settings, progress)
    scores = cases.pool_folds()
    _check(scores)
    if data_options.get("by") is None:
        return _evaluate(scores, settings)[0]
    return grouped_calibration(
        scores, lambda part, block: _evaluate(part, settings._replace(seed=settings.seed + block)), level
    )


def _of_files(source: EngineOptions, settings: _Settings, progress: ProgressOption) -> Calibration:
    """The calibration by an engine."""
    from polyroc.reliability.files import calibrate_files

    if settings.smooth or "pair" in settings.views:
        what = "A smooth curve" if settings.smooth else "The view 'pair'"
        raise NotApplicableError(f"{what} needs the cases in memory; use a sample of the rows.")
    with progress_callback(progress) as report:
        return calibrate_files(source, settings.level, settings.replicates, settings.seed, report)


def _evaluate(scores: Scores, settings: _Settings) -> tuple[Calibration, dict[tuple[str, str], Analysis]]:
    """The calibration of one sample, and what differences between samples need."""
    events: dict[tuple[str, str], EventCalibration] = {}
    analyses: dict[tuple[str, str], Analysis] = {}
    tests: dict[tuple[str, str], JointTest | None] = {}
    for name in scores.classifiers:
        for place, event in enumerate(events_of(scores, name, settings.views)):
            key, cox, fit = (name, event.name), recalibrate(event), fit_isotonic(event)
            grid = _grid(fit)
            rng = rng_for(settings.seed, 0, place)  # the same for all classifiers: see `difference`
            simulation = simulate(event, fit, grid, settings.replicates, settings.level, rng)
            events[key] = _event(event, cox, fit, grid, simulation, settings)
            analyses[key] = Analysis.of(event, cox, fit, simulation)
            tests[key] = _folds(event, cox)
    many = scores.n_classes > 2
    result = Calibration(
        events=events,
        overall={name: _overall(scores, name) for name in scores.classifiers},
        level=settings.level,
        provenance=Provenance.of(scores, "simulation", settings.seed),
        differences=None if many else _slope_differences(analyses, settings.level),
        term_differences=_term_differences(analyses, settings.level),
        canonical=_canonical(scores, settings) if many else None,
        fold_tests={key: test for key, test in tests.items() if test is not None} or None,
    )
    return result, analyses


def _canonical(scores: Scores, settings: _Settings) -> dict[str, KernelTest]:
    return {
        name: kernel_test(
            scores, table_of(scores, name), settings.replicates, rng_for(settings.seed, number, KERNEL)
        )
        for number, name in enumerate(scores.classifiers)
    }


def _folds(event: Event, cox: Recalibration) -> JointTest | None:
    folds = event.scores.folds
    return None if folds is None or folds.repeats > 1 else fold_test(event, cox, folds.codes)


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


def _grid(fit: Fit) -> FloatArray:
    """The points at which curves are stated."""
    return fit.p[np.unique(np.linspace(0, len(fit.p) - 1, GRID).round().astype(np.int64))]


def _event(
    event: Event, cox: Recalibration, fit: Fit, grid: FloatArray, simulation: Simulation, settings: _Settings
) -> EventCalibration:
    level, smallest = settings.level, min(event.units)
    counts, edges = np.histogram(event.p, bins=BARS, range=(0.0, 1.0), weights=event.weight)
    excess, variance = (1.0 - 2.0 * event.p), event.p * (1.0 - event.p)
    return EventCalibration(
        predicted=float(np.average(event.p, weights=event.weight)),
        observed=float(np.average(event.y, weights=event.weight)),
        in_the_large=interval_part(*cox.in_the_large, smallest, level),
        slope=interval_part(*cox.slope, smallest, level),
        joint=joint_test(event),
        spiegelhalter=ZTest(
            *spiegelhalter(
                (event.y - event.p) * excess,
                excess**2 * variance,
                event,
                np.where(event.y, event.p, 1.0 - event.p),
            )
        ),
        simulated_pvalue=simulation.pvalue,
        decomposition=simulation.decomposition,
        curve=ReliabilityCurve(
            predicted=grid,
            observed=fit.fitted[np.searchsorted(fit.p, grid)],
            confidence=confidence_bands(fit, grid, level) if event.independent else None,
            consistency=simulation.consistency,
            edges=edges,
            counts=counts.astype(np.float64),
        ),
        undefined=cox.undefined,
        log_loss=simulation.log_loss,
        spherical=simulation.spherical,
        calibration_error=calibration_error(event, level),
        smooth=smooth_curve(event, grid, level) if settings.smooth else None,
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
    (event, *_) = events_of(scores, classifier)  # for weights and groups
    table = table_of(scores, classifier)
    own = table[np.arange(len(table)), scores.codes]
    squares = (table**2).sum(axis=1)
    return ZTest(*spiegelhalter(2.0 * (squares - own), 4.0 * ((table**3).sum(axis=1) - squares**2), event, own))


def _slope_differences(
    analyses: dict[tuple[str, str], Analysis], level: float
) -> dict[tuple[str, str], PartDifference] | None:
    """Of two classes, the differences of the slopes of all pairs of classifiers; None for one."""
    own = {name: analysis for (name, _), analysis in analyses.items()}
    pairs = {pair: paired(own[pair[0]], own[pair[1]], "slope", level) for pair in combinations(own, 2)}
    return pairs or None


def _term_differences(
    analyses: dict[tuple[str, str], Analysis], level: float
) -> dict[tuple[str, str, str], TermDifferences] | None:
    """The differences of the terms of all pairs of classifiers, by event; None for one classifier."""
    names = dict.fromkeys(name for name, _ in analyses)
    events = dict.fromkeys(event for _, event in analyses)
    differences = {}
    for (first, second), event in product(combinations(names, 2), events):
        one, other = analyses.get((first, event)), analyses.get((second, event))
        if one is None or other is None or len(one.event.p) != len(other.event.p):
            continue  # of a pair of classes, a classifier excludes some cases
        terms = (paired(one, other, term, level) for term in TermDifferences._fields)
        differences[first, second, event] = TermDifferences(*terms)
    return differences or None
