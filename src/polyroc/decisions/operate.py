"""The verb `operate`: choose a decision rule by costs, limits or a criterion, and evaluate it."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

import numpy as np

from polyroc.data_options import DataOptions, cases_of
from polyroc.decisions.cost_resamples import rechoose_costs
from polyroc.decisions.criteria import Criterion, Objective, choose_rule, cut_problem, read_objective
from polyroc.decisions.cut_points import ScoreOrder
from polyroc.decisions.evaluation import evaluation_cases, operating_point, rates_on
from polyroc.decisions.files import FileCases, choose_from_counts
from polyroc.decisions.front_points import operate_on_front
from polyroc.decisions.operating_point import OperatingPoint
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.rates import one_classifier, rates_of
from polyroc.decisions.uncertainty import ThresholdUncertainty, rechoose
from polyroc.engines.options import EngineOptions
from polyroc.errors import InputError, MiscalibrationWarning, ReversedScoreWarning, warn
from polyroc.estimates.tables import direction_hint
from polyroc.fronts.result import Front
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.methods import DEFAULT, Influence, Method, as_estimating_method
from polyroc.measures.registry import measure_of_area
from polyroc.measures.sample import Sample
from polyroc.messages import Call, Message, Option
from polyroc.output.numbers import number_text, p_text
from polyroc.progress import ProgressOption, progress_callback
from polyroc.reliability.calibration import calibration_pvalue
from polyroc.rules import CostRule, Rule, ThresholdRule
from polyroc.scores import Scores
from polyroc.validation.random import Rng
from polyroc.validation.scores import one_sample
from polyroc.validation.signatures import validated

__all__ = ["operate"]

REJECTED = 0.01  # p-value below which probabilities count as not right: few false alarms
# The cases to evaluate a rule on, for its classes in order and the position of the positive one; None without any.
OtherCases = Callable[[tuple[Hashable, ...], int | None], Scores | EngineOptions | None]


@validated
def operate(
    data: Any,
    y_score: Any = None,
    *,
    costs: Any = None,
    priors: Sequence[float] | Mapping[Any, float] | None = None,
    at_most: Mapping[tuple[Any, Any], float] | None = None,
    at_least: Mapping[Any, float] | None = None,
    point: int | None = None,
    criterion: Criterion | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    calibrated: bool = False,
    training_priors: Sequence[float] | Mapping[Any, float] | None = None,
    evaluate_on: Any = None,
    method: Method | str | None = DEFAULT,
    rng: Rng = 0,
    only: str | None = None,
    progress: ProgressOption = None,
    **data_options: Unpack[DataOptions],
) -> OperatingPoint:
    """Choose the best decision rule for costs, limits or a criterion, and evaluate it.

    Without `criterion`, `sensitivity` or `specificity`: the rule of least expected cost within the limits
    `at_most` and `at_least`. Two classes: all thresholds of the score (of a matrix: of the positive class's
    column) are compared, so none is better; of several equally good ones, the highest is chosen. More classes
    along one score (`labels` by rising score): all cut-points are compared, by dynamic programming; of equally
    good ones, the highest are chosen. A class may have no cases decided as it (two equal cut-points), but only if
    nothing is better. More classes with one column each: the rules argmin over j of sum over k of L[k, j] p_k are
    searched by exact line searches from many starts, among them Bayes' rule for the costs
    (`polyroc.cost_rules.search`). For up to 100 different rows of probabilities, integer programming then searches
    for a better rule and for a proof that there is none (`polyroc.cost_rules.optimality`); it stops after a fixed
    number of steps, so the result does not depend on the speed of the machine.

    `optimality` of the result is "proven" if no rule of the family has a lower cost on these cases and satisfies
    `at_most`, apart from decisions that differ by rounding only (1e-11 of the expected costs that are compared;
    costs to one part in a million). It is "best found" if a better rule may exist; the rule is then never worse
    than Bayes' rule. Three classes and 30 cases or fewer are mostly proven, 100 cases only if errors are few.
    "Proven" is a statement about these cases, not about the population: on new cases another rule may be better.

    The search fits c(c - 1) - 1 numbers to the cases. In a simulation with three classes it lowered the cost on
    new cases below that of Bayes' rule for overconfident probabilities and 300 cases or more; with calibrated
    probabilities, or few cases, Bayes' rule itself had a lower cost: `calibrated=True` uses it.

    For a `Front`: its point of least expected cost among those that satisfy `at_most`, or the given `point`. Of
    points of equal cost, the one with the smallest sum of error rates; of those, the first in the front. If a
    front of three classes or more still has its cases (`front.scores`), the rule is searched on them as well, so
    that it is never worse than without the front; `point` of the result is None if it is no point of the front. A
    front that was read from a file, that has bounds or that was searched over a family gives its best point
    (`optimality` "best point"). A front accepts `costs`, `priors`, limits or `point`, `rng`, `evaluate_on` and
    `classifier`. If it was searched over a family, the rule applies to the posteriors of
    `front.deploy(result.point)`, which decides from features.

    Parameters
    ----------
    data, y_score
        As for `evaluate`: a score that ranks two classes, a score that rises along three classes or more (given in
        order as `labels`), or one column of probabilities per class. Or a `Front` alone.
    costs
        The cost of each error: a matrix in the order of `labels`, row = true class, column = decision; or
        {(true, decision): cost}, where an error that is not listed costs 1. By default every error costs 1.
    priors
        The class probabilities where the rule will be used, in the order of `labels` or by class; by default the
        shares in these data.
    at_most
        {(true, decision): rate}: the largest rate allowed, such as {("malignant", "benign"): 0.02}. For two
        classes this is the rule of Neyman & Pearson.
    at_least
        {class: rate}: the least share of the class that must be decided rightly, such as {"nine": 0.95}. With
        three classes or more it needs one column per class.
    point
        For a front: the position in `front.rates` of an operating point that was selected by eye.
    criterion
        "youden": the largest sum of the rates of right decisions of all classes, of two classes sensitivity +
        specificity. "closest": the smallest sum of the squared error rates of the classes, the Euclidean distance
        from no errors; of three classes or more, for one ordered score.
    sensitivity, specificity
        Two classes: at least this value, and the largest value of the other.
    calibrated
        True to treat the probabilities as calibrated: the rule then follows from costs and priors alone, and is
        not fitted to the cases. The columns are posteriors for class probabilities of `training_priors`.
    training_priors
        The class probabilities for which the probabilities were computed; by default the shares in these data.
    evaluate_on
        Other cases on which to evaluate the rule: (y_true, y_score) or `Scores`; (X, y) for a front that was
        searched over the parameters of a family. Without it the rates and the cost are those of the cases to which
        the rule was fitted, which is optimistic; a warning says so.
    method
        `Influence()` (default): the standard errors of the rates of the chosen rule, taken as given.
        `Bootstrap()`: the choice is repeated in resamples. The result then has, without `evaluate_on`, rates and
        cost that are corrected for the choice, with intervals that account for it; for a threshold or cut-points
        also intervals of these (`threshold_intervals`). In simulations the rates were covered in 96 % on average,
        92 % at worst (docs/coverage.md). A searched rule of three classes or more is searched again in every
        resample, and evaluated on the cases that are not in it (`polyroc.decisions.cost_resamples`);
        `Bootstrap(replicates=200)` takes about ten seconds for 300 cases. Its costs have no intervals: very
        different costs make the same decisions.
    rng
        Seed of the search for three classes or more.
    only
        The classifier to use, if there are several.
    progress
        For files, and for the search in resamples: True for a progress bar, or a function called with (done,
        total, message), as in `evaluate`.
    data_options
        As in `evaluate`; `evaluate_on` may be files too. From files that an engine reads, two classes: the rule is
        the best threshold among the edges of bins, and its rates are exact; with `exact=True` it is the best of
        all. More classes: Bayes' rule with `calibrated=True`; the search needs the cases in memory.

    Examples
    --------
    A missed positive costs five times a false alarm:

    >>> y, s = [0, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.35, 0.6, 0.7, 0.9]
    >>> chosen = operate(y, s, costs=[[0, 1], [5, 0]], evaluate_on=(y, s))
    >>> chosen.rule.threshold, chosen.rates.tolist()
    (0.35, [[0.75, 0.25], [0.0, 1.0]])
    >>> round(chosen.expected_cost, 4), chosen.optimality
    (0.1429, 'proven')
    >>> chosen.rule.decide([0.34, 0.35]).tolist()
    [0, 1]

    From a front, where at most one in five of class 1 may be missed:

    >>> from polyroc import front
    >>> P = [[1 - p, p] for p in s]
    >>> chosen = operate(front(y, P), at_most={(1, 0): 0.2}, evaluate_on=(y, P))
    >>> chosen.rates.tolist(), chosen.point
    ([[0.75, 0.25], [0.0, 1.0]], 1)

    Cut-points of ordered classes, with intervals:

    >>> stage = ["none"] * 6 + ["mild"] * 6 + ["severe"] * 6
    >>> marker = [1, 2, 2, 3, 3, 5, 3, 4, 5, 5, 6, 7, 5, 7, 8, 8, 9, 9]
    >>> order = ["none", "mild", "severe"]
    >>> chosen = operate(stage, marker, labels=order, criterion="youden", method="bootstrap")
    >>> chosen.rule.sentence()
    'none below 4, mild from 4, severe from 8.'
    >>> chosen.threshold_intervals()[0]
    ConfidenceInterval(low=1.0, high=7.0)

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927; Youden, Cancer 3 (1950) 32-35; Nakas,
    Alonzo & Yiannoutsos, Statistics in Medicine 29 (2010) 2946-2955, on the generalised Youden index; Efron &
    Tibshirani, An Introduction to the Bootstrap, 1993, section 17.6, on the correction for optimism; Efron &
    Tibshirani, Journal of the American Statistical Association 92 (1997) 548-560, on cases left out of resamples.
    """
    method = _checked_method(method)
    cost_options: dict[str, Any] = {"costs": costs, "priors": priors, "at_most": at_most, "at_least": at_least}
    criteria: dict[str, Any] = {"criterion": criterion, "sensitivity": sensitivity, "specificity": specificity}
    if isinstance(data, Front):
        calibration = {"calibrated": calibrated or None, "training_priors": training_priors}
        missing = data_options.pop("missing", "raise")
        unused = {"y_score": y_score, **criteria, **calibration, "method": method, **data_options}
        return operate_on_front(data, point, cost_options, evaluate_on, only, missing, unused, rng)
    if point is not None:
        raise InputError(Option("point"), " is a position in a front; pass the front instead of the data.")
    terms = {**cost_options, **criteria, "calibrated": calibrated, "training_priors": training_priors}
    cases = cases_of("operate", data, y_score, data_options, method)
    others = partial(evaluation_cases, evaluate_on, options=data_options)
    if not isinstance(cases, Scores):
        return _operate_on_files(FileCases(cases, only, progress), terms, others)
    scores = one_sample(cases, "operate")
    return _operate_on_scores(scores, terms, only, others, method, np.random.default_rng(rng), progress)


def _operate_on_files(cases: FileCases, terms: Mapping[str, Any], others: OtherCases) -> OperatingPoint:
    """The rule chosen on the counts of an engine."""
    objective, rule, optimality, apparent, scores = choose_from_counts(cases, terms)
    other = others(scores.labels, scores.positive)
    evaluated = None
    if other is not None:
        evaluated = rates_on(other, rule, cases.only, cases.progress)
    return operating_point(objective, rule, apparent, evaluated, optimality)


def _operate_on_scores(
    scores: Scores,
    terms: Mapping[str, Any],
    classifier: str | None,
    others: OtherCases,
    method: Method | None,
    rng: np.random.Generator,
    progress: ProgressOption,
) -> OperatingPoint:
    """The rule chosen on cases in memory; with a method, the choice is repeated in resamples."""
    name = one_classifier(scores, classifier)
    objective = read_objective(scores, **terms)
    if method is not None and objective.calibrated:
        raise InputError(
            Option("calibrated", True), f" chooses nothing on the cases, so {method!r} cannot repeat it; omit one."
        )
    # before the search, which may take long: wrong cases are reported at once
    other = others(scores.labels, scores.positive)
    if objective.calibrated and terms["training_priors"] is None:
        _warn_of_miscalibration(scores, name)
    rule, optimality = choose_rule(scores, scores.values[name], objective, rng)
    apparent = rates_of(scores, name, rule)
    if isinstance(rule, ThresholdRule):
        _warn_if_reversed(scores, name, scores.labels.index(rule.positive))
    repeated = None
    if method is not None:
        repeated = _repeated(scores, name, objective, rule, method, apparent, progress)
    evaluated = None
    if other is not None:
        evaluated = rates_on(other, rule, classifier, progress)
    return operating_point(objective, rule, apparent, evaluated, optimality, repeated=repeated)


def _warn_if_reversed(scores: Scores, classifier: str, positive: int) -> None:
    """Warn if the score certainly falls where it should rise: the best threshold is then a poor one."""
    sample = Sample(scores._replace(positive=positive), classifier)
    area = estimate_measure(measure_of_area("roc"), Influence(), {classifier: sample}).estimates[classifier]
    if area.is_below_chance():
        low, high = map(number_text, area.confidence_interval())
        warn(
            f"Every value of the 95 % interval of the AUC of {classifier!r} ({low} to {high}) is below 0.5: "
            + direction_hint(area.provenance),
            ReversedScoreWarning,
        )


def _warn_of_miscalibration(scores: Scores, classifier: str) -> None:
    """Warn if the cases show that the probabilities are not right; they may, where priors differ from training."""
    pvalue = calibration_pvalue(scores, classifier)
    if pvalue < REJECTED:
        warn(
            Message(
                f"The probabilities of {classifier!r} are not right for these cases ({p_text(pvalue)}), so Bayes' "
                "rule for them may not be the best; ",
                Call("calibration", ...),
                " shows how. Calibrate them, or leave out ",
                Option("calibrated", True),
                " to choose on the cases.",
            ),
            MiscalibrationWarning,
        )


def _checked_method(method: Method | str | None) -> Method | None:
    """The method that repeats the choice; None if it is not to be repeated."""
    parsed = as_estimating_method(method)
    if parsed is None or parsed == DEFAULT:
        return None
    if not parsed.resamples:
        raise InputError(
            f"{parsed!r} is not available in operate; use ",
            Option("method", Call("Bootstrap")),
            ", which repeats the choice in resamples, or ",
            Option("method", Call("Influence")),
            ", which takes the chosen rule as given.",
        )
    return parsed


def _repeated(
    scores: Scores,
    classifier: str,
    objective: Objective,
    rule: Rule,
    method: Method,
    apparent: Rates,
    progress: ProgressOption,
) -> tuple[ThresholdUncertainty, Rates]:
    if isinstance(rule, CostRule):
        with progress_callback(progress) as report:
            return rechoose_costs(scores, classifier, objective, rule, method, apparent, report)
    order = ScoreOrder.of(scores, scores.values[classifier])
    return rechoose(scores, classifier, order, cut_problem(objective, order.classes), method, apparent)
