"""Recorded answers: measures, evaluate, compare."""

import numpy as np

import polyroc as pr
from golden.data import DATA
from golden.plain import sums
from golden.registry import METHODS, add, recorded
from polyroc.measures.registry import MEASURES


@recorded("measures/facts")
def _facts():
    return {key: _facts_of(measure) for key, measure in MEASURES.items()}


def _facts_of(measure):
    names = ("name", "symbol", "needs", "classes", "paper", "larger_is_better", "symmetric", "rank_based")
    fewest, settings = measure.classes[0], measure.settings
    return {
        **{name: getattr(measure, name) for name in names},
        "options": dict(measure.options),
        "prevalence": measure.prevalence,
        "range": measure.range(fewest, **settings),
        "chance": None if measure.chance is None else measure.chance(fewest, **settings),
        "degree": None if measure.degree is None else measure.degree(fewest),
    }


def evaluated(data):
    """Every measure that applies, and sums of the components, which the JSON leaves out."""
    evaluation = data.call(pr.evaluate)
    components = {"/".join(key): _component_sums(estimate) for key, estimate in evaluation.estimates.items()}
    return {"result": evaluation, "components": components}


def _component_sums(estimate):
    return None if estimate.components is None else sums(np.ravel(estimate.components))


for _name, _data in DATA.items():
    recorded(f"evaluate/{_name}")(lambda data=_data: evaluated(data))

for _name, _method in METHODS.items():
    for _data in ("ratings", "three_weighted" if _name != "unbiased" else "three_in_order"):
        if not _name.startswith("hanley") or _data == "ratings":
            add(f"{_data}_{_name}", pr.evaluate, _data, method=_method)

add("grouped_bootstrap", pr.evaluate, "grouped", measure="auc", method=METHODS["bootstrap_bca"])
add("null_chance", pr.evaluate, "two_classifiers", null="chance")
add("null_value", pr.evaluate, "three", measure="hand_till", null=0.7)
add("perfect_null", pr.evaluate, "perfect", measure="auc", null=0.9)
add("one_measure", pr.evaluate, "two_classes", measure="auc")
add("sampling_decisions", pr.evaluate, "decisions", sampling="case-control")

OPTIONS = {
    "two_classes": [
        "partial_auc(fpr=(0.1, 0.4))",
        "partial_auc(tpr=(0.7, 1), standardised=False)",
        "sensitivity(threshold=0.5)",
        "specificity(threshold=0.5)",
        "ppv(threshold=0.5, prevalence=0.2)",
        "npv(threshold=0.5)",
        "expected_cost(threshold=0.5, false_positive=1.0, false_negative=4.0)",
    ],
    "three": ["he(scoring='log')", "sahiner(malignant='a')", "mossman", "pdi"],
    "ordered": ["vus", "scurfield", "scurfield(corrected=True)", "umbrella"],
}
for _measure in ("net_benefit(threshold=0.3)", "sensitivity(specificity=0.9)", "specificity(sensitivity=0.9)"):
    add(_measure.split("(")[0], pr.evaluate, "two_probabilities", measure=_measure)
for _measure in ("average_precision", "cost_area", "net_benefit(threshold=0.3)", "sensitivity(specificity=0.9)"):
    add(f"two_{_measure.split('(')[0]}", pr.compare, "two_probabilities", measure=_measure)
PROPER = ["brier", "brier_skill", "log_loss(clip=0.001)", "spherical"]
add("proper_scores", pr.evaluate, "two_probabilities", measure=PROPER)
add("three_proper_scores", pr.evaluate, "three", measure=PROPER)
add("three_brier", pr.compare, "three", measure="brier")
for _name, _measures in OPTIONS.items():
    add(f"{_name}_with_options", pr.evaluate, _name, measure=_measures)

for _adjustment in ("max-t", "holm", "bonferroni", "benjamini-hochberg"):
    _options = {"measure": "auc", "adjustment": _adjustment}
    add(f"two_classifiers_{_adjustment}", pr.compare, "two_classifiers", **_options)
for _name, _paired in {**METHODS, "permutation": pr.methods.Permutation(replicates=100, rng=0)}.items():
    if _name != "none" and not _name.startswith("hanley"):
        add(f"two_classifiers_{_name}", pr.compare, "two_classifiers", measure="auc", method=_paired)
for _measure in ("hand_till", "ova", "accuracy", "pdi", "mossman", "he"):
    add(f"three_{_measure}", pr.compare, "three", measure=_measure)
add("grouped", pr.compare, "grouped", measure="auc")
add("by_site", pr.compare, "grouped", measure="auc", by={"site": ["x", "y"] * 30})
add(
    "grouped_permutation",
    pr.compare,
    "grouped",
    measure="auc",
    method=pr.methods.Permutation(replicates=100, rng=0),
)
add("decisions", pr.compare, "decisions", measure="accuracy")
add("ordered_ties", pr.compare, "ordered_ties", measure="vus")
add("two_probabilities", pr.compare, "two_probabilities", measure="accuracy")
add("case_control", pr.compare, "case_control", measure="accuracy")


@recorded("evaluate/tests_and_intervals")
def _tests_and_intervals():
    estimates = {name: DATA[name].call(pr.evaluate, measure="auc") for name in ("two_classes", "perfect", "rare")}
    estimates["bootstrap"] = DATA["ratings"].call(pr.evaluate, measure="auc", method=METHODS["bootstrap_bca"])
    return {name: _questions(estimate) for name, estimate in estimates.items()}


def _questions(estimate):
    return {
        **{f"test {side}": estimate.test(0.8, side) for side in ("two-sided", "greater", "less")},
        **{f"interval {kind}": estimate.confidence_interval(kind=kind) for kind in ("guarded", "logit", "wald")},
        "interval 90": estimate.confidence_interval(0.9),
        "rows 90": estimate.rows(0.9),
    }


@recorded("compare/tests_and_intervals")
def _pair_questions():
    comparison = DATA["two_classifiers"].call(pr.compare, measure="auc")
    pair = comparison.difference("weak", "strong")
    return {
        "wald_test": pair.wald_test(),
        "simultaneous_interval": pair.simultaneous_interval(0.9),
        "interval": pair.confidence_interval(0.9),
        "non_inferiority": pair.non_inferiority(0.1),
        "superiority": pair.superiority(0.02),
        "equivalence": pair.equivalence(0.3),
        "sentence": pair.sentence(0.9),
        "linear": comparison.contrast([[1, -1, 0], [0, 1, -1]]),
        "result 90": comparison.to_dict(0.9),
    }
