"""From what is asked to the rule that answers it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from polyroc.decisions.cost_search import Task, search_costs
from polyroc.decisions.operating_point import Optimality
from polyroc.decisions.optimality import cheapest_and_proof
from polyroc.decisions.thresholds import Thresholds, best_threshold
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import ROUNDING
from polyroc.messages import Option, short_repr
from polyroc.rules import CostRule, Rule, ThresholdRule
from polyroc.scores import Scores
from polyroc.validation.costs import as_costs, as_limits, as_priors

__all__ = ["EQUAL", "Aim", "Criterion", "choose_rule", "read_aim", "within"]

Criterion = Literal["youden", "closest"]
EQUAL = 1e-12  # a limit is kept if it is kept but for rounding

CRITERIA = {
    "youden": ("largest sensitivity + specificity - 1 (Youden)", lambda at: at.missed + at.alarms),
    "closest": ("closest to the corner of no errors", lambda at: at.missed**2 + at.alarms**2),
    "sensitivity": ("largest specificity", lambda at: at.alarms),
    "specificity": ("largest sensitivity", lambda at: at.missed),
}


@dataclass(frozen=True, slots=True)
class Aim:
    """What a rule is to be best at, every term of it settled.

    Attributes
    ----------
    words
        The aim in words.
    costs, priors, limits
        As matrix, in the order of the classes, and by positions (true, said).
    training_priors
        The frequencies of the classes for which the probabilities were made.
    criterion
        A key of `CRITERIA`, or None for the least expected cost.
    calibrated
        True if the probabilities are believed, and the rule follows from them without a look at the classes.
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
        """What each rate adds to the expected cost."""
        return np.asarray(self.priors[:, None] * self.costs)


def read_aim(
    scores: Scores,
    *,
    costs: Any = None,
    priors: Any = None,
    at_most: Any = None,
    criterion: Criterion | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    calibrated: bool = False,
    training_priors: Any = None,
) -> Aim:
    """Settle what is asked; one question at a time."""
    terms = {"costs": costs, "priors": priors, "at_most": at_most}
    rates = {"sensitivity": sensitivity, "specificity": specificity}
    asked = [name for name, value in {"criterion": criterion, **rates}.items() if value is not None]
    if len(asked) > 1:
        raise InputError(f"Give one of {' and '.join(asked)}; limits on both errors go into at_most.")
    if asked and (calibrated or any(value is not None for value in terms.values())):
        given = [name for name, value in {**terms, "calibrated": calibrated or None}.items() if value is not None]
        raise InputError(f"{asked[0]} does not go with {', '.join(given)}; ask for one or the other.")
    if calibrated and at_most is not None:
        raise InputError(
            Option("at_most"),
            " needs a rule fitted to the cases, but ",
            Option("calibrated", True),
            " uses a fixed one; leave out one of the two.",
        )
    shares = np.bincount(scores.codes, scores.sample_weight, scores.n_classes)
    shares = shares / shares.sum()
    limits = as_limits(at_most, scores.labels)
    words = "least expected cost"
    if asked:
        criterion, words, limits = _two_class_aim(scores, criterion, sensitivity, specificity)
    aim = Aim(
        words=words + within(scores.names, limits),
        costs=as_costs(costs, scores.labels),
        priors=shares if priors is None else as_priors(priors, scores.labels),
        limits=limits,
        training_priors=_training(training_priors, shares, scores),
        criterion=criterion,
        calibrated=calibrated,
        priors_given=priors is not None,
    )
    if not aim.losses.any():
        raise InputError("With these priors no error costs anything, so every rule is as good as any other.")
    return aim


def _training(given: Any, shares: FloatArray, scores: Scores) -> FloatArray:
    if given is None:
        return shares
    priors = as_priors(given, scores.labels, "training_priors")
    if not priors.all():
        raise InputError(f"training_priors must be positive for every class, got {short_repr(priors.tolist())}.")
    return priors


def _two_class_aim(
    scores: Scores, criterion: Any, sensitivity: float | None, specificity: float | None
) -> tuple[Any, str, dict[tuple[int, int], float]]:
    """The key of the criterion, the aim in words, and the limit that a fixed rate means."""
    name = criterion or ("sensitivity" if specificity is None else "specificity")
    if scores.n_classes != 2 or scores.positive is None:
        raise InputError(
            f"{name} is for two classes of which the positive one is known (",
            Option("pos_label"),
            f"), here {short_repr(list(scores.labels))}; use ",
            Option("costs"),
            " or ",
            Option("at_most"),
            ".",
        )
    if criterion is not None:
        if criterion not in ("youden", "closest"):
            raise InputError(f"criterion must be 'youden' or 'closest', got {short_repr(criterion)}.")
        return criterion, CRITERIA[criterion][0], {}
    wanted = sensitivity if specificity is None else specificity
    if not isinstance(wanted, int | float) or not 0 <= wanted <= 1:
        raise InputError(f"{name} must be a share from 0 to 1 (0.9 for 90 %), got {short_repr(wanted)}.")
    true = scores.positive if name == "sensitivity" else 1 - scores.positive
    return name, CRITERIA[name][0], {(true, 1 - true): 1.0 - wanted}


def within(names: Sequence[str], limits: Mapping[tuple[int, int], float]) -> str:
    """The limits in words, by the names of the classes."""
    kept = [f"at most {limit:.4g} of {names[k]} called {names[m]}" for (k, m), limit in limits.items()]
    return f" with {' and '.join(kept)}" if kept else ""


def choose_rule(
    scores: Scores, values: FloatArray, aim: Aim, rng: np.random.Generator
) -> tuple[Rule, Optimality | None]:
    """The rule that is best at the aim on these cases, and whether that is proven.

    If the probabilities are believed: Bayes' rule, and None, because it is not chosen on the cases.
    """
    _check(scores, values, aim)
    bayes = aim.costs * (aim.priors / aim.training_priors)[:, None]
    if aim.calibrated:
        return _bayes_rule(scores, bayes), None
    if scores.n_classes == 2:
        return best_threshold(scores, values, _objective(aim), aim.limits), "proven"
    losses = aim.losses / aim.losses.max()  # what is small is then small whatever the currency
    task = Task.of(scores, values, losses, aim.limits)
    L, worth = search_costs(task, aim.limits, bayes / bayes.max(), rng)
    L, worth, proven = cheapest_and_proof(task, L, worth)
    rule = CostRule(scores.labels, L.tolist())
    if worth[0] > EQUAL:
        raise InputError(_unreached(scores, values, aim, rule))
    return rule, "proven" if proven else "best found"


def _check(scores: Scores, values: FloatArray, aim: Aim) -> None:
    if scores.kind == "decisions":
        raise InputError("y_score holds labels, so it is decided already; operate needs scores or probabilities.")
    if scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}, so no rule can be chosen for it; add cases.")
    if scores.n_classes > 2 and values.ndim == 1:
        raise InputError(
            f"operate needs one column per class for {scores.n_classes} classes, got one score per case; "
            "give probabilities."
        )
    if (scores.n_classes > 2 or aim.calibrated) and (values.min() < -ROUNDING or values.max() > 1 + ROUNDING):
        worst = values.min() if values.min() < -ROUNDING else values.max()
        raise InputError(f"operate needs probabilities in [0, 1] here, got {worst:g}; turn the scores into such.")


def _objective(aim: Aim) -> Any:
    if aim.criterion is not None:
        return CRITERIA[aim.criterion][1]

    losses = aim.losses / aim.losses.max()

    def cost(at: Thresholds) -> FloatArray:
        n, p = 1 - at.positive, at.positive
        return np.asarray(losses[p, n] * at.missed + losses[n, p] * at.alarms)

    return cost


def _bayes_rule(scores: Scores, bayes: FloatArray) -> Rule:
    """Argmin of the expected cost; for one score, read as the probability of the positive class, its threshold."""
    if scores.kind == "matrix":
        return CostRule(scores.labels, bayes.tolist())
    assert scores.positive is not None
    p, n = scores.positive, 1 - scores.positive
    threshold = bayes[n, p] / (bayes[n, p] + bayes[p, n])
    return ThresholdRule(scores.labels, scores.labels[p], float(threshold))


def _unreached(scores: Scores, values: FloatArray, aim: Aim, rule: CostRule) -> str:
    """Limits that contradict each other: the closest that was found."""
    said = rule.codes(values)
    weight = np.ones(len(values)) if scores.sample_weight is None else scores.sample_weight
    told = []
    for (k, m), limit in aim.limits.items():
        of = np.where(scores.codes == k, weight, 0.0)
        rate = of[said == m].sum() / of.sum()
        told.append(f"{rate:.4g} of {scores.names[k]!r} called {scores.names[m]!r} (at most {limit:g})")
    return (
        f"No rule was found that satisfies at_most; the closest has {', '.join(told)}. Allow more, or find a "
        "better classifier."
    )
