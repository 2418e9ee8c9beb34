"""The objective of `operate` (costs, limits, a criterion), and the rule that is best for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from polyroc.cost_rules.search import CostProblem, best_costs, descend, is_better
from polyroc.decisions.cut_points import CutProblem, ScoreOrder, limit_matrix, rule_at_cuts
from polyroc.decisions.operating_point import Optimality
from polyroc.decisions.thresholds import thresholds_in_conflict
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.cut_points import EQUAL
from polyroc.measures.applicability import ROUNDING
from polyroc.measures.rule_decisions import bayes_rule
from polyroc.messages import Call, Message, Option, short_repr
from polyroc.rules import CostRule, Rule
from polyroc.scores import Scores
from polyroc.validation.costs import as_costs, as_limits, as_priors

__all__ = [
    "Criterion",
    "Objective",
    "choose_rule",
    "cut_problem",
    "limits_text",
    "order_needed",
    "read_objective",
    "search_rule",
]

Criterion = Literal["youden", "closest"]

CRITERIA: Mapping[str, str] = {
    "youden": "largest sensitivity + specificity - 1 (Youden)",
    "closest": "closest to the corner of no errors",
    "sensitivity": "largest specificity",
    "specificity": "largest sensitivity",
}
MANY_CLASSES = {
    "youden": "largest sum of the rates of right decisions (generalised Youden index)",
    "closest": "closest to the point of no errors",
}


@dataclass(frozen=True, slots=True)
class Objective:
    """What a rule is chosen for, with all defaults filled in.

    Attributes
    ----------
    words
        The objective in words.
    costs, priors, limits
        As a matrix, in the order of the classes, and by positions (true class, decision); of limits, those of
        right decisions are the least rates.
    training_priors
        The class probabilities for which the predicted probabilities were computed.
    criterion
        A key of `CRITERIA`, or None for the least expected cost.
    calibrated
        True if the probabilities are treated as calibrated, so that the rule does not depend on the true classes.
    priors_given
        True if the priors were given, False if they are the shares of the classes among the cases.
    """

    words: str
    costs: FloatArray
    priors: FloatArray
    limits: Mapping[tuple[int, int], float]
    training_priors: FloatArray
    criterion: str | None
    calibrated: bool
    priors_given: bool

    @property
    def losses(self) -> FloatArray:
        """The derivatives of the expected cost with respect to the confusion rates."""
        return np.asarray(self.priors[:, None] * self.costs)

    @property
    def bayes_costs(self) -> FloatArray:
        """The costs of Bayes' rule for calibrated probabilities, the largest 1."""
        losses = self.search_losses if self.criterion else self.losses
        costs = losses / self.training_priors[:, None]
        return np.asarray(costs / costs.max())

    @property
    def search_losses(self) -> FloatArray:
        """What the search of a rule for probabilities minimises: losses, the largest 1; by Youden all are 1."""
        return np.asarray(1.0 - np.eye(len(self.costs)) if self.criterion else self.losses / self.losses.max())


def read_objective(
    scores: Scores,
    *,
    costs: Any = None,
    priors: Any = None,
    at_most: Any = None,
    at_least: Any = None,
    criterion: Criterion | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    calibrated: bool = False,
    training_priors: Any = None,
) -> Objective:
    """Validate the options that define the objective; only one objective at a time."""
    terms = {"costs": costs, "priors": priors, "at_most": at_most, "at_least": at_least}
    rates = {"sensitivity": sensitivity, "specificity": specificity}
    criteria = [name for name, value in {"criterion": criterion, **rates}.items() if value is not None]
    if len(criteria) > 1:
        raise InputError(
            f"Pass one of {' and '.join(criteria)}; limits of both error rates go into ", Option("at_most"), "."
        )
    if criteria and (calibrated or any(value is not None for value in terms.values())):
        passed = [name for name, value in {**terms, "calibrated": calibrated or None}.items() if value is not None]
        raise InputError(f"{criteria[0]} cannot be combined with {', '.join(passed)}; pass one or the other.")
    if calibrated and (at_most is not None or at_least is not None):
        raise InputError(
            Option("at_least" if at_most is None else "at_most"),
            " needs a rule fitted to the cases, but ",
            Option("calibrated", True),
            " uses a fixed one; omit one of the two.",
        )
    shares = np.bincount(scores.codes, scores.sample_weight, scores.n_classes)
    shares = shares / shares.sum()
    limits = as_limits(at_most, scores.labels, at_least)
    words = "least expected cost"
    if criteria:
        criterion, words, limits = _criterion(scores, criterion, sensitivity, specificity)
    objective = Objective(
        words=words + limits_text(scores.names, limits),
        costs=as_costs(costs, scores.labels),
        priors=shares if priors is None else as_priors(priors, scores.labels),
        limits=limits,
        training_priors=_training_priors(training_priors, shares, scores),
        criterion=criterion,
        calibrated=calibrated,
        priors_given=priors is not None,
    )
    if not objective.losses.any():
        raise InputError("With these priors no error has a cost, so all rules are equally good.")
    return objective


def _training_priors(training_priors: Any, shares: FloatArray, scores: Scores) -> FloatArray:
    if training_priors is None:
        return shares
    priors = as_priors(training_priors, scores.labels, "training_priors")
    if not priors.all():
        raise InputError(f"training_priors must be positive for every class, got {short_repr(priors.tolist())}.")
    return priors


def _criterion(
    scores: Scores, criterion: Any, sensitivity: float | None, specificity: float | None
) -> tuple[Any, str, dict[tuple[int, int], float]]:
    """The key of the criterion, the objective in words, and the limit that a required rate implies."""
    name = criterion or ("sensitivity" if specificity is None else "specificity")
    if name not in CRITERIA:
        raise InputError(f"criterion must be 'youden' or 'closest', got {short_repr(criterion)}.")
    if criterion is not None and scores.n_classes > 2:
        return _criterion_of_many(scores, criterion)
    if scores.n_classes != 2 or scores.positive is None:
        raise InputError(
            f"{name} needs two classes with a known positive class (",
            Option("pos_label"),
            f"), got {short_repr(list(scores.labels))}; use ",
            Option("costs"),
            " or ",
            Option("at_most"),
            ".",
        )
    if criterion is not None:
        return criterion, CRITERIA[criterion], {}
    rate = sensitivity if specificity is None else specificity
    if not isinstance(rate, int | float) or not 0 <= rate <= 1:
        raise InputError(f"{name} must be a number from 0 to 1 (0.9 for 90 %), got {short_repr(rate)}.")
    true = scores.positive if name == "sensitivity" else 1 - scores.positive
    return name, CRITERIA[name], {(true, 1 - true): 1.0 - rate}


def _criterion_of_many(scores: Scores, criterion: str) -> tuple[str, str, dict[tuple[int, int], float]]:
    """As `_criterion`, for three classes or more."""
    if criterion == "closest" and scores.kind != "score":
        raise InputError(
            Option("criterion", "closest"),
            f" needs one ordered score for {scores.n_classes} classes, got one column per class; use ",
            Option("criterion", "youden"),
            ", or convert them with ",
            Call("to_ordered", ...),
            ".",
        )
    return criterion, MANY_CLASSES[criterion], {}


def limits_text(names: Sequence[str], limits: Mapping[tuple[int, int], float]) -> str:
    """The limits in words, by the names of the classes."""
    parts = [
        f"at {'least' if k == m else 'most'} {limit:.4g} of {names[k]} called {names[m]}"
        for (k, m), limit in limits.items()
    ]
    return f" with {' and '.join(parts)}" if parts else ""


def choose_rule(
    scores: Scores, values: FloatArray, objective: Objective, rng: np.random.Generator
) -> tuple[Rule, Optimality | None]:
    """The best rule for the objective on these cases, and whether it is proven to be the best.

    For calibrated probabilities it is Bayes' rule, and None, because it is not chosen on the cases.
    """
    _check_values(scores, values, objective)
    if objective.calibrated:
        return bayes_rule(scores, objective.costs * (objective.priors / objective.training_priors)[:, None]), None
    if scores.n_classes == 2 or values.ndim == 1:
        return _best_thresholds(scores, values, objective), "proven"
    rule, optimality, satisfied = search_rule(scores, values, objective, rng)
    if not satisfied:
        raise InputError(_infeasible(scores, values, objective, rule))
    return rule, optimality


def search_rule(
    scores: Scores,
    values: FloatArray,
    objective: Objective,
    rng: np.random.Generator,
    start: FloatArray | None = None,
) -> tuple[CostRule, Optimality, bool]:
    """The best rule found for probabilities of three classes or more; whether it satisfies the limits.

    With `start`, the costs of a rule, line searches from there are tried as well.
    """
    problem = CostProblem.of(scores, values, objective.search_losses, objective.limits)
    L, loss, proven = best_costs(problem, objective.limits, objective.bayes_costs, rng)
    if start is not None and not proven:
        other, its_loss = descend(problem, start)
        L, loss = (other, its_loss) if is_better(its_loss, loss) else (L, loss)
    return CostRule(scores.labels, L.tolist()), "proven" if proven else "best found", loss[0] <= EQUAL


def _best_thresholds(scores: Scores, values: FloatArray, objective: Objective) -> Rule:
    """The best threshold or cut-points of one score; of equally good ones the highest."""
    order = ScoreOrder.of(scores, values)
    problem = cut_problem(objective, order.classes)
    thresholds = order.best(problem)
    if thresholds is not None:
        return rule_at_cuts(scores, order, thresholds)
    if scores.n_classes == 2:
        raise InputError(thresholds_in_conflict(scores, values, objective.limits))
    nearest = rule_at_cuts(scores, order, order.nearest(problem))
    raise InputError(_infeasible(scores, values, objective, nearest))


def cut_problem(objective: Objective, classes: tuple[int, ...]) -> CutProblem:
    """The objective for thresholds of one score, by classes in the order of rising scores."""
    limits = limit_matrix(objective.limits, classes)
    if objective.criterion is None:
        costs = objective.costs[np.ix_(classes, classes)] / objective.losses.max()  # a tolerance then has no unit
        return CutProblem(costs, objective.priors[[*classes]], limits, False, not objective.priors_given)
    errors = 1.0 - np.eye(len(classes))
    if objective.criterion == "sensitivity":
        errors[1] = 0.0  # only false positives count
    elif objective.criterion == "specificity":
        errors[0] = 0.0
    return CutProblem(errors, np.ones(len(classes)), limits, objective.criterion == "closest", False)


def _check_values(scores: Scores, values: FloatArray, objective: Objective) -> None:
    if scores.kind == "decisions":
        raise InputError("y_score contains decisions (labels); operate needs scores or probabilities.")
    if scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}, so no rule can be chosen; add cases.")
    if scores.n_classes > 2 and values.ndim == 1:
        _check_ordered(scores, objective)
    elif (scores.n_classes > 2 or objective.calibrated) and (
        values.min() < -ROUNDING or values.max() > 1 + ROUNDING
    ):
        worst = values.min() if values.min() < -ROUNDING else values.max()
        raise InputError(f"operate needs probabilities in [0, 1] here, got {worst:g}; convert the scores.")


def _check_ordered(scores: Scores, objective: Objective) -> None:
    """One score of three classes or more: its cut-points need the order of the classes."""
    if objective.calibrated:
        raise InputError(
            Option("calibrated", True),
            f" needs probabilities, one column per class, for {scores.n_classes} classes, got one score per case; "
            "omit it to choose cut-points of the score.",
        )
    if any(k == m for k, m in objective.limits):
        raise InputError(
            Option("at_least"),
            f" needs probabilities, one column per class, for {scores.n_classes} classes, got one score per case; "
            "limit the errors of the class with ",
            Option("at_most"),
            ".",
        )
    if not scores.ordered:
        raise InputError(order_needed(scores.n_classes))


def order_needed(classes: int) -> Message:
    """The message if the classes along one score have no order."""
    return Message(
        f"operate needs the order of the classes for one score and {classes} classes; give them by rising score "
        "with ",
        Option("labels", [...]),
        ", or pass probabilities, one column per class.",
    )


def _infeasible(scores: Scores, values: FloatArray, objective: Objective, rule: Rule) -> str:
    """The message if no rule within the limits was found: the rates of the closest one."""
    decisions = rule.codes(values)
    weight = np.ones(len(values)) if scores.sample_weight is None else scores.sample_weight
    rates = []
    for (k, m), limit in objective.limits.items():
        of_class = np.where(scores.codes == k, weight, 0.0)
        rate = of_class[decisions == m].sum() / of_class.sum()
        bound = f"at {'least' if k == m else 'most'} {limit:g}"
        rates.append(f"{rate:.4g} of {scores.names[k]!r} classified as {scores.names[m]!r} ({bound})")
    none = "No rule was found that satisfies" if isinstance(rule, CostRule) else "No cut-points satisfy"
    closest = ", ".join(rates)
    return f"{none} the limits; the closest has {closest}. Relax them, or use a better classifier."
