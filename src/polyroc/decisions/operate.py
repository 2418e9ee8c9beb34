"""The verb `operate`: from costs, limits or a criterion to a rule, and how it does."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from polyroc.decisions.criteria import Aim, Criterion, choose_rule, read_aim
from polyroc.decisions.files import FiledCases
from polyroc.decisions.front_points import front_aim, pick, rates_at
from polyroc.decisions.operating_point import OperatingPoint, Optimality
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.rates import one_classifier, rates_of
from polyroc.engines.options import Engine, Reading, over_files
from polyroc.engines.source import is_files, is_frame
from polyroc.errors import InputError, OptimismWarning, warn
from polyroc.estimates.estimate import Estimate
from polyroc.fronts.result import Front
from polyroc.inference.file_input import scores_or_settings
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.messages import Message, Option, short_repr
from polyroc.progress import ProgressOption
from polyroc.rules import Rule
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores

__all__ = ["operate"]


def operate(
    y_true: Any,
    y_score: Any = None,
    *,
    costs: Any = None,
    priors: Sequence[float] | Mapping[Any, float] | None = None,
    at_most: Mapping[tuple[Any, Any], float] | None = None,
    point: int | None = None,
    criterion: Criterion | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    calibrated: bool = False,
    training_priors: Sequence[float] | Mapping[Any, float] | None = None,
    evaluate_on: Any = None,
    rng: int | np.random.Generator = 0,
    classifier: str | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    progress: ProgressOption = None,
    engine: Engine | None = None,
    **reading: Unpack[Reading],
) -> OperatingPoint:
    """Choose the decision rule that is best at what you ask for, and judge it.

    Without `criterion`, `sensitivity` or `specificity`: the rule of least expected cost among those that keep
    `at_most`. Two classes: every threshold of the score (of a matrix: of the positive class's column) is looked
    at, so there is none better; of several equally good ones, the highest. More classes: the rules
    argmin over j of sum over k of L[k, j] p_k are searched by exact line searches from many starts, among them
    Bayes' rule for your costs (`polyroc.decisions.cost_search`). For up to 100 different rows of probabilities,
    integer programming then looks for a better rule and for a proof that there is none
    (`polyroc.decisions.optimality`); it gives up after a fixed number of steps, so the answer does not depend on
    the speed of the machine.

    `optimality` of the result is "proven" if no rule of the family has a lower cost on these cases and keeps
    `at_most`, decisions that differ by rounding only aside (1e-11 of the expected costs that are compared; costs
    to one part in a million). It is "best found" if a better rule may exist; it is then never worse than Bayes'
    rule. Three classes and 30 cases or fewer are mostly proven, 100 cases only if errors are few. "Proven" is a
    statement about these cases, not about the population: on new cases another rule may be better.

    The search fits c(c - 1) - 1 numbers to the cases. In a simulation with three classes it lowered the cost on
    new cases below that of Bayes' rule for overconfident probabilities and 300 cases or more; where probabilities
    are calibrated, or cases few, Bayes' rule itself did better: `calibrated=True` takes it as it stands.

    Of a `Front`: its point of least expected cost among those that keep `at_most`, or the `point` named. Of points
    that cost the same, the one with the smallest sum of error rates; of those, the first in the front. What goes
    with a front is `costs`, `priors`, `at_most` or `point`, `evaluate_on` and `classifier`. If the front was
    searched over a family, the rule takes the posteriors of `front.deploy(found.point)`, which decides from
    features.

    Parameters
    ----------
    y_true, y_score
        As for `evaluate`: a score that ranks two classes, or one column of probabilities per class. Or a `Front`
        alone.
    costs
        What each error costs: a matrix in the order of `labels`, row = true class, column = decision; or
        {(true, said): cost}, where an error that is not named costs 1. By default every error costs 1.
    priors
        How frequent the classes are where the rule will be used, in the order of `labels` or by class; by default
        as in these data.
    at_most
        {(true, said): share}: the largest rate allowed, such as {("malignant", "benign"): 0.02}. For two classes
        this is the rule of Neyman & Pearson.
    point
        Of a front: the place of the operating point in `front.rates`, where it has been chosen by eye.
    criterion
        Two classes: "youden" (largest sensitivity + specificity) or "closest" (to the corner of no errors).
    sensitivity, specificity
        Two classes: at least this, and the largest of the other.
    calibrated
        True to believe the probabilities: the rule then follows from costs and priors alone, and is not fitted to
        the cases. The columns are read as posteriors where the classes are as frequent as `training_priors`.
    training_priors
        For which class frequencies the probabilities were made; by default those of these data.
    evaluate_on
        Other cases to judge the rule on: (y_true, y_score) or `Scores`; (X, y) for a front that was searched over
        the parameters of a family. Without it the rates and the cost are those of the cases the rule was fitted
        to, which flatters it; a warning says so.
    rng
        Seed of the search for three classes or more.
    classifier
        Whose scores, if there are several classifiers.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As everywhere.
    engine, reading
        For files, as in `evaluate`; `evaluate_on` may name files too. Two classes: the rule is the best threshold
        among the edges of cells, and its rates are exact; with `exact=True` it is the best of all. More classes:
        Bayes' rule with `calibrated=True`, its rates counted exactly; the search needs the cases in memory.
    progress
        For files: True for a progress bar, or a function called with (done, total, message), as in `evaluate`.

    Examples
    --------
    Missing a sick one costs five times a false alarm:

    >>> y, s = [0, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.35, 0.6, 0.7, 0.9]
    >>> found = operate(y, s, costs=[[0, 1], [5, 0]], evaluate_on=(y, s))
    >>> found.rule.threshold, found.rates.tolist()
    (0.35, [[0.75, 0.25], [0.0, 1.0]])
    >>> round(found.expected_cost, 4), found.optimality
    (0.1429, 'proven')
    >>> found.rule.decide([0.34, 0.35]).tolist()
    [0, 1]

    From a front, where no more than one in five of class 1 may be missed:

    >>> from polyroc import front
    >>> P = [[1 - p, p] for p in s]
    >>> found = operate(front(y, P), at_most={(1, 0): 0.2}, evaluate_on=(y, P))
    >>> found.rates.tolist(), found.point
    ([[0.75, 0.25], [0.0, 1.0]], 1)

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927; Youden, Cancer 3 (1950) 32-35.
    """
    optimality: Optimality | None
    options: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "sampling": sampling,
    }
    if isinstance(y_true, Front):
        aims = {"criterion": criterion, "sensitivity": sensitivity, "specificity": specificity}
        beliefs = {"calibrated": calibrated or None, "training_priors": training_priors}
        _refuse_idle({"y_score": y_score, **aims, **beliefs, **options})
        aim = front_aim(y_true, costs=costs, priors=priors, at_most=at_most, point=point)
        optimality = None if point is not None else "proven" if y_true.exact else "best found"
        return _on_front(y_true, aim, pick(y_true, aim, point), optimality, evaluate_on, classifier, missing)
    if point is not None:
        raise InputError(
            "point is a place in a front; give operate the front, as in operate(front(y, P), point=0)."
        )
    terms: dict[str, Any] = {
        "costs": costs,
        "priors": priors,
        "at_most": at_most,
        "criterion": criterion,
        "sensitivity": sensitivity,
        "specificity": specificity,
        "calibrated": calibrated,
        "training_priors": training_priors,
    }
    files = None
    if over_files(y_true, engine, reading):
        if y_score is not None or sample_weight is not None or groups is not None:
            raise InputError("Of files name the columns (truth, scores, weight) instead of giving arrays.")
        files = _Files(engine, reading, labels, pos_label, missing, classifier, progress, weight_kind, sampling)
        y_true, options = files.read(y_true), {}
    rest = missing, files, sampling
    if isinstance(y_true, FiledCases):
        aim, rule, optimality, apparent, scores = _from_counts(y_true, terms)
        others = None if evaluate_on is None else _others(evaluate_on, scores.labels, scores.positive, *rest)
    else:
        scores = as_scores(y_true, y_score, **options, missing=missing)
        name = one_classifier(scores, classifier)
        aim = read_aim(scores, **terms)
        others = None if evaluate_on is None else _others(evaluate_on, scores.labels, scores.positive, *rest)
        rule, optimality = choose_rule(scores, scores.values[name], aim, np.random.default_rng(rng))
        apparent = rates_of(scores, name, rule)
    judged = apparent if others is None else _judged(others, rule, classifier)
    return _operating_point(aim, rule, apparent, judged, others is not None, optimality)


@dataclass(frozen=True, slots=True)
class _Files:
    """How files are read: into memory if they are small, else counted by an engine."""

    engine: Engine | None
    reading: Mapping[str, Any]
    labels: Sequence[Hashable] | None
    pos_label: Hashable
    missing: Missing
    classifier: str | None
    progress: ProgressOption
    weight_kind: WeightKind | None
    sampling: Sampling | None

    def read(self, files: Any) -> Scores | FiledCases:
        """The cases of files, or what counts them."""
        given: dict[str, Any] = {"labels": self.labels, "pos_label": self.pos_label, "missing": self.missing}
        how: dict[str, Any] = {"weight_kind": self.weight_kind, "sampling": self.sampling}
        asked = scores_or_settings(files, self.engine, self.reading, None, **given, **how)
        if isinstance(asked, Scores):
            return asked
        return FiledCases(asked, given, self.classifier, self.progress)


def _from_counts(
    cases: FiledCases, terms: Mapping[str, Any]
) -> tuple[Aim, Rule, Optimality | None, Rates, Scores]:
    """Bayes' rule if the probabilities are believed; else the best threshold among the edges of cells."""
    nobody = np.random.default_rng(0)  # nothing is searched
    if terms["calibrated"]:
        scores, name = cases.frequencies()
        aim = read_aim(scores, **terms)
        rule, _ = choose_rule(scores, scores.values[name], aim, nobody)
        return aim, rule, None, cases.rates(rule, probabilities=True), scores
    cells = cases.cells()
    aim = read_aim(cells.scores, **terms)
    rule, _ = choose_rule(cells.scores, cells.scores.values[cells.classifier], aim, nobody)
    optimality: Optimality = "proven" if cases.asked.exact else "best found"  # of all thresholds, or of edges
    return aim, rule, optimality, cells.rates(rule), cells.scores


def _judged(others: Scores | FiledCases, rule: Rule, classifier: str | None) -> Rates:
    if isinstance(others, FiledCases):
        found = others.rates(rule)
        _require_all(found.fewest == 0, found.classes)
        return found
    return rates_of(others, one_classifier(others, classifier), rule)


def _refuse_idle(given: Mapping[str, Any]) -> None:
    idle = [name for name, value in given.items() if value is not None]
    if idle:
        raise InputError(
            Option(idle[0]),
            " cannot be used with a front, whose cases have been counted; use ",
            Option("costs"),
            ", ",
            Option("priors"),
            " and ",
            Option("at_most"),
            ", or ",
            Option("point"),
            ", and ",
            Option("evaluate_on"),
            " for other cases.",
        )


def _on_front(
    front: Front,
    aim: Aim,
    point: int,
    optimality: Optimality | None,
    evaluate_on: Any,
    classifier: str | None,
    missing: Missing,
) -> OperatingPoint:
    """The point of a front, judged on other cases if there are any."""
    rule, apparent = front.rule(point), rates_at(front, point)
    if evaluate_on is None:
        return _operating_point(aim, rule, apparent, apparent, False, optimality, point)
    if front.search is not None:
        evaluate_on = _said(front, point, evaluate_on)
    others = _others(evaluate_on, front.labels, None, missing)
    assert isinstance(others, Scores)
    asked = front.classifier if classifier is None and front.classifier in others.classifiers else classifier
    return _operating_point(aim, rule, apparent, _judged(others, rule, asked), True, optimality, point)


def _said(front: Front, point: int, evaluate_on: Any) -> tuple[Any, Any]:
    """The true classes, and what the classifier of a point of a searched front says of the features."""
    if not isinstance(evaluate_on, tuple) or len(evaluate_on) != 2:
        raise InputError(
            f"evaluate_on must be (X, y) for a front that was searched, got {short_repr(evaluate_on)}."
        )
    X, y = evaluate_on
    return y, front.deploy(point).posteriors(X)


def _operating_point(
    aim: Aim,
    rule: Rule,
    apparent: Rates,
    judged: Rates,
    apart: bool,
    optimality: Optimality | None,
    point: int | None = None,
) -> OperatingPoint:
    if not apart and not aim.calibrated:
        warn(
            Message(
                "The rule was chosen and evaluated on the same cases, so its rates and cost are "
                "optimistic. Evaluate "
                "it on other cases with ",
                Option("evaluate_on"),
                ".",
            ),
            OptimismWarning,
        )
    names = judged.classes
    return OperatingPoint(
        aim=aim.words,
        rule=rule,
        confusion=judged,
        cost=_cost(judged, aim, apparent),
        costs=aim.costs,
        priors=aim.priors,
        at_most={(names[k], names[m]): limit for (k, m), limit in aim.limits.items()},
        apparent_cost=_total(aim.losses, apparent),
        judged_apart=apart,
        optimality=optimality,
        point=point,
    )


def _others(
    given: Any,
    labels: tuple[Hashable, ...],
    positive: int | None,
    missing: Missing,
    files: _Files | None = None,
    sampling: Sampling | None = None,
) -> Scores | FiledCases:
    """The cases to judge on, with the same classes in the same order."""
    if files is not None and (is_files(given) or is_frame(given)):
        pos_label = None if positive is None else labels[positive]
        read = replace(files, labels=list(labels), pos_label=pos_label).read(given)
        if isinstance(read, FiledCases):
            return read
        given = read
    if isinstance(given, Scores):
        found = given
    elif isinstance(given, tuple) and len(given) == 2:
        pos_label = None if positive is None else labels[positive]
        found = as_scores(*given, labels=list(labels), pos_label=pos_label, sampling=sampling, missing=missing)
    else:
        raise InputError(f"evaluate_on must be (y_true, y_score) or Scores, got {short_repr(given)}.")
    if found.labels != labels:
        raise InputError(
            f"evaluate_on has the classes {short_repr(list(found.labels))}, the rule was chosen for "
            f"{short_repr(list(labels))}; use ",
            Option("labels", [...]),
            " in the same order.",
        )
    _require_all(found.counts == 0, found.names)
    return found


def _require_all(absent: BoolArray, names: Sequence[str]) -> None:
    if absent.any():
        raise InputError(
            f"evaluate_on has no case of class {names[int(absent.argmax())]!r}, so the rule cannot be evaluated."
        )


def _cost(judged: Rates, aim: Aim, apparent: Rates) -> Estimate:
    """The expected cost; shares of the classes that were not given are those of the cases it was chosen on."""
    losses = aim.losses
    return judged.estimate(
        _total(losses, judged),
        losses,
        None if aim.priors_given else (aim.costs * judged.rates).sum(axis=1),
        apparent,
        measure="expected_cost",
        name="expected cost per case",
        limits=(0.0, float(losses.max(axis=1).sum())),
        chance=None,
    )


def _total(losses: FloatArray, judged: Rates) -> float:
    return float((losses * judged.rates).sum())
