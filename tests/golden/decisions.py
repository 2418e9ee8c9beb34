"""Recorded answers: rates, operating points, rules, decision curves, decision regions."""

import numpy as np

import polyroc as pr
from golden.data import COSTS, DATA, FEATURES, LABELS
from golden.registry import METHODS, add, recorded

add("decisions", pr.rates, "decisions", only="first")
add("two_decisions", pr.rates, "two_decisions")
add("threshold", pr.rates, "two_classes", threshold=0.5)
add("weighted", pr.rates, "weighted", threshold=0.5)
add("three", pr.rates, "three", only="good")
add("three_weighted", pr.rates, "three_weighted")
add("grouped", pr.rates, "grouped", threshold=0.5, only="fair")
add("perfect", pr.rates, "perfect", threshold=12.0)
add(
    "cost_rule",
    pr.rates,
    "three",
    only="good",
    rule=pr.decisions.CostRule(["a", "b", "c"], [[0, 1, 4], [1, 0, 1], [2, 1, 0]]),
)


@recorded("rates/more_questions")
def _rates_questions():
    rates = DATA["three"].call(pr.rates, only="good")
    return {
        "information_gain": rates.information_gain(),
        "information_gain_priors": rates.information_gain([0.2, 0.3, 0.5]),
        "likelihood_ratios": rates.likelihood_ratios(),
        "cobweb": rates.cobweb().rows(),
        "cell": rates["a", "b"],
    }


add("two_classes", pr.operate, "two_classes")
add("costs", pr.operate, "two_classes", costs=[[0, 1], [3, 0]], priors=[0.8, 0.2])
for _criterion in ("youden", "closest"):
    add(_criterion, pr.operate, "two_classes", criterion=_criterion)
add("sensitivity", pr.operate, "two_classes", sensitivity=0.9)
add("specificity", pr.operate, "ratings", specificity=0.8)
add("at_most", pr.operate, "two_classes", at_most={(1, 0): 0.3})
add("weighted", pr.operate, "weighted", costs=[[0, 1], [3, 0]])
add("three", pr.operate, "three", only="good", costs=COSTS)


@recorded("operate/three_at_most")
def _three_at_most():
    """The least cost, which is proven; which of several rules has it depends on the version of scipy."""
    chosen = DATA["three"].call(pr.operate, only="poor", at_most={("a", "b"): 0.3})
    return {"cost": chosen.expected_cost, "optimality": chosen.optimality}


add("three_calibrated", pr.operate, "three", only="good", costs=COSTS, calibrated=True)
add("training_priors", pr.operate, "two_columns", priors=[0.9, 0.1], training_priors=[0.5, 0.5], calibrated=True)
for _criterion in ("youden", "closest"):
    add(f"cut_points_{_criterion}", pr.operate, "ordered", criterion=_criterion)
add("cut_points_at_most", pr.operate, "ordered", at_most={("high", "low"): 0.0, ("middle", "low"): 0.2})
add("cut_points_rechosen", pr.operate, "ordered", criterion="youden", method=METHODS["bootstrap_percentile"])
add("threshold_rechosen", pr.operate, "weighted", method=METHODS["bootstrap_percentile"])


@recorded("operate/other_cases")
def _other_cases():
    first, second = DATA["two_classes"], DATA["ratings"]
    return first.call(pr.operate, costs=[[0, 1], [3, 0]], evaluate_on=(second.y_true, second.y_score))


RULES = {
    "ThresholdRule": ("two_classes", lambda: DATA["two_classes"].call(pr.operate).rule),
    "CutPointRule": ("ordered", lambda: DATA["ordered"].call(pr.operate, criterion="youden").rule),
    "CostRule": ("three_weighted", lambda: DATA["three"].call(pr.operate, only="good", costs=COSTS).rule),
    "MossmanRule": ("three_weighted", lambda: pr.decisions.MossmanRule(["a", "b", "c"], 0.4, 0.5)),
}


def rule_answers(name, rule):
    """The rule, in words and in its decisions."""
    data, _ = RULES[name]
    return {"rule": rule, "sentence": rule.sentence(), "decisions": rule.decide(DATA[data].y_score)}


for _name, (_data, _make) in RULES.items():
    recorded(f"rule/{_name}")(lambda name=_name, make=_make: rule_answers(name, make()))

add("two_columns", pr.decision_curve, "two_columns", thresholds=[0.1, 0.25, 0.5, 0.75])
add("two_probabilities", pr.decision_curve, "two_probabilities", thresholds=[0.1, 0.3, 0.5], prevalence=0.2)
add("case_control", pr.decision_curve, "case_control", thresholds=[0.1, 0.3, 0.5], prevalence=0.2)


@recorded("decision_regions/half_planes")
def decision_regions():
    X, y = FEATURES[:20, :2], LABELS[:20]
    return pr.decisions.decision_regions(
        lambda Z: np.where(Z[:, 0] < 0.5, "a", "b"), X, y, labels=["a", "b", "c"], grid=6
    )
