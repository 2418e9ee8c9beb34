"""Options for every entry of the table of `polyroc.engines.support`, and the comparison with memory."""

import re
from functools import cache

import numpy as np
import polars as pl
import pytest

import polyroc as pr
from polyroc.engines.support import FEATURES, MODES, VERBS
from polyroc.errors import NotApplicableError

LABELS = ("integer", "float", "truth", "text")
METHODS = {
    "bootstrap": pr.methods.Bootstrap(replicates=10, rng=0),
    "jackknife": pr.methods.Jackknife(),
    "unbiased": pr.methods.Unbiased(),
    "hanley-mcneil": pr.methods.HanleyMcNeil(),
}
RESULT_OF = {
    "evaluate": {"measure": "auc"},
    "compare": {"measure": "auc"},
    "curve": {},
    "operate": {"costs": [[0, 1], [3, 0]]},
    "rates": {"threshold": 0.5},
    "calibration": {"replicates": 50},
}


@cache
def table():
    """Two classes under several names, scores with ties, and a column for every feature."""
    rng = np.random.default_rng(3)
    n = 240
    y = np.arange(n) % 2
    scores = {name: (y + rng.normal(size=n)).round(1) for name in ("s", "t")}
    p = 1 / (1 + np.exp(-scores["s"]))
    return pl.DataFrame(
        {
            "integer": y,
            "float": y.astype(float),
            "truth": y == 1,
            "text": np.array(["no", "yes"])[y],
            **scores,
            "p_no": 1 - p,
            "p_yes": p,
            "hole": np.where(rng.random(n) < 0.1, np.nan, scores["s"]),
            "p_hole": np.where(np.arange(n) % 9 == 0, np.nan, p),
            "d": np.array(["no", "yes"])[(scores["s"] > 0.5).astype(int)],
            "w": rng.random(n),
            "copies": rng.integers(0, 3, n),
            "patient": rng.integers(0, 40, n),
            "fold": np.arange(n) // 2 % 5,
            "half": np.arange(n) // 2 % 2,
        }
    )


def options_of(feature, verb):
    """By variant, the options of a verb over a table that ask for a feature."""
    scores = {"one": "s", "two": "t"} if verb == "compare" else "s"
    hole = {"one": "hole", "two": "t"} if verb == "compare" else "hole"
    if verb == "calibration":  # of probabilities
        scores, hole = "p_yes", "p_hole"
    options = {"truth": "integer", "scores": scores}
    matrix = ["p_no", "p_yes"]
    decided = {"one": "d", "two": "d"} if verb == "compare" else "d"
    return {
        "scores": {"one": options, "matrix": _matrix(verb, options, matrix)},
        "labels": {name: {**options, "truth": name, "pos_label": _positive(name)} for name in LABELS},
        "decisions": {"": {"truth": "text", "scores": decided, "pos_label": "yes"}},
        "weight": {"": {**options, "sample_weight": "w"}},
        "frequency": {"": {**options, "sample_weight": "copies", "weight_kind": "frequency"}},
        "missing": {"": {**options, "scores": hole, "missing": "drop"}},
        "sampling": {"": {**options, "sampling": "case-control"}},
        "groups": {
            "": {**options, "groups": "patient"},
            "weights": {**options, "groups": "patient", "sample_weight": "w"},
        },
        "folds": {"": {**options, "folds": "fold"}},
        "by": {"": {**options, "by": "half"}},
        "negate": {"": {**options, "scores": {"one": "-s", "two": "t"} if verb == "compare" else "-s"}},
        "method": {
            name: {**options, "method": method}
            for name, method in METHODS.items()
            if verb != "operate" or name == "bootstrap"  # which repeats the choice
        },
        "measures": {"": _matrix(verb, options, matrix)},
        "limits": {name: {**options, name: value} for name, value in LIMITS.items()},
        "disk": {"": {**options, "disk": "1GB"}},
    }[feature]


LIMITS = {"tolerance": 1e-6, "exact": True, "memory": "1GB", "covariance": "bound"}


def _matrix(verb, options, columns):
    if verb == "compare":
        return {**options, "truth": "text", "scores": {"a": columns, "b": columns[::-1]}, "labels": ["no", "yes"]}
    return {**options, "truth": "text", "scores": columns, "pos_label": "yes"}


def _positive(name):
    return {"integer": 1, "float": 1.0, "truth": True, "text": "yes"}[name]


def question(verb, options):
    """What is computed of the data: a measure, costs, a threshold."""
    scores = options["scores"]
    several = scores.values() if isinstance(scores, dict) else [scores]
    if "d" in several:  # decisions
        return {"measure": "accuracy"} if verb in ("evaluate", "compare") else {}
    return {} if verb == "rates" and isinstance(scores, list) else RESULT_OF[verb]


def call(verb, data, options, **more):
    """A verb over files or a Spark data frame."""
    return getattr(pr, verb)(data, **{**question(verb, options), **options, **more})


def numbers(result):
    """What a result states, as numbers."""
    if isinstance(result, pr.results.Comparison):
        values = [estimate.value for estimate in result.estimates.values()]
        return [*values, *result.covariance.ravel(), *(one.value for one in result.differences.values())]
    if isinstance(result, pr.results.Calibration):
        own = result.event()
        values = [*own.in_the_large, *own.slope, *own.joint, *own.spiegelhalter, *own.curve.observed]
        return [*values, *(part.value for part in own.decomposition)]
    if isinstance(result, pr.results.Curve):
        return [*result.fpr, *result.tpr, result.area.value, result.area.standard_error]
    if isinstance(result, pr.results.Rates):
        return [*np.ravel(result.counts), *np.ravel(result.rates), *np.ravel(result.standard_errors)]
    if isinstance(result, pr.results.OperatingPoint):
        return [*numbers(result.confusion), result.expected_cost, result.cost.standard_error]
    return [result.value, result.standard_error, *result.confidence_interval()]


READING = (
    "truth",
    "scores",
    "sample_weight",
    "weight_kind",
    "groups",
    "sampling",
    "labels",
    "pos_label",
    "missing",
)


def in_memory(verb, rows, options):
    """The verb on the same cases in memory."""
    scores = pr.read(rows, **{name: value for name, value in options.items() if name in READING})
    method = {name: value for name, value in options.items() if name == "method"}
    return getattr(pr, verb)(scores, **question(verb, options), **method)


def entries(mode):
    """Every feature, verb and variant, with whether the table allows it in a mode."""
    for feature, entry in FEATURES.items():
        if feature in ("layout", "conversion"):  # the command line, and all measures at once: tested below
            continue
        for verb in VERBS:
            used = any(verb in verbs for name, verbs in entry.verbs.items() if name != "tally")
            if used:
                for variant in options_of(feature, verb):
                    yield pytest.param(
                        feature, verb, variant, verb in entry.verbs[mode], id=f"{feature}-{verb}-{variant}"
                    )


def check(mode, feature, options, evaluate):
    """The message of the table: what is not available where, and what to do instead."""
    subjects = {"measures": "pdi", "decisions": "a column of decisions"}
    subject = subjects.get(feature, str(FEATURES[feature].subject[0]))
    if feature == "method":
        subject = repr(options["method"])
    place = rf"(in \w+ )?{re.escape(MODES[mode])}"
    with pytest.raises(NotApplicableError, match=rf"{re.escape(subject)} is not available {place}; \w+ \w+"):
        evaluate()


def agree(data, rows, mode, feature, verb, options, allowed, more):
    """The engine's answer is memory's, or the message."""

    def call_it():
        return call(verb, data, options, **more)

    if not allowed:
        check(mode, feature, options, call_it)
        return
    result = call_it()
    if feature == "by":
        for (half,), one in result.items():
            kept = rows.filter(pl.col("half") == half)
            alone = in_memory(verb, kept, {name: value for name, value in options.items() if name != "by"})
            assert numbers(one) == pytest.approx(numbers(alone), rel=1e-7, abs=1e-9)
        return
    if feature in ("limits", "disk"):
        rel = 0.02 if options.get("covariance") == "bound" and verb != "compare" else 1e-3
        memory = in_memory(verb, rows, {"truth": options["truth"], "scores": options["scores"]})
        if options.get("covariance") == "bound" and verb == "compare":  # the largest there can be
            assert np.diag(result.covariance) == pytest.approx(np.diag(memory.covariance), rel=1e-3)
            return
        assert numbers(result) == pytest.approx(numbers(memory), rel=rel, abs=1e-3)
        return
    memory = in_memory(verb, rows, options)
    assert numbers(result) == pytest.approx(numbers(memory), rel=1e-7, abs=1e-9)
