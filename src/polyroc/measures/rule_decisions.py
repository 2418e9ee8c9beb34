"""Decisions of a rule about the cases of a sample, and Bayes' rule for them."""

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import Option, short_repr
from polyroc.rules import CostRule, CutPointRule, Rule, ThresholdRule
from polyroc.scores import Schema, Scores

__all__ = ["bayes_rule", "check_rule", "shares_by"]


def bayes_rule(scores: Scores, costs: FloatArray) -> Rule:
    """Return the rule of least expected cost of calibrated probabilities; of one score its threshold."""
    if scores.kind == "matrix":
        return CostRule(scores.labels, costs.tolist())
    assert scores.positive is not None
    positive, negative = scores.positive, 1 - scores.positive
    false_alarm, miss = costs[negative, positive], costs[positive, negative]
    return ThresholdRule(scores.labels, scores.labels[positive], float(false_alarm / (false_alarm + miss)))


def shares_by(rule: Rule, scores: Scores, values: FloatArray) -> FloatArray:
    """Return the decisions of a rule as shares per class, columns in the order of the labels of the scores."""
    check_rule(rule, scores)
    positions = [scores.labels.index(label) for label in rule.labels]
    codes = rule.codes(values if values.ndim == 1 else values[:, positions])
    return np.asarray(np.eye(len(positions))[np.array(positions)[codes]])


def check_rule(rule: Rule, scores: Scores | Schema) -> None:
    """Raise an error if the rule has other classes, or needs another kind of scores."""
    if scores.kind == "decisions":
        raise InputError("y_score contains decisions (labels); a rule needs scores or probabilities.")
    if set(rule.labels) != set(scores.labels):
        raise InputError(
            f"The rule has the classes {short_repr(list(rule.labels))}, the data have "
            f"{short_repr(list(scores.labels))}; name classes without cases with ",
            Option("labels", [...]),
            ".",
        )
    _check_direction(rule, scores)


def _check_direction(rule: Rule, scores: Scores | Schema) -> None:
    """Raise an error unless high scores indicate the same class in the data and in the rule."""
    if isinstance(rule, CutPointRule) and scores.ordered and rule.labels != scores.labels:
        raise InputError(
            f"Scores rise along {short_repr(list(rule.labels))} in the rule but along "
            f"{short_repr(list(scores.labels))} in the data; give the classes in the order of the rule with ",
            Option("labels", [...]),
            ", or leave it out.",
        )
    if scores.kind != "score" or not isinstance(rule, ThresholdRule) or scores.positive is None:
        return
    positive = scores.labels[scores.positive]
    if rule.positive != positive:
        raise InputError(
            f"High scores indicate {short_repr(rule.positive)} in the rule but {short_repr(positive)} in the "
            "data; use ",
            Option("pos_label", rule.positive),
            ", or reverse the rule.",
        )
