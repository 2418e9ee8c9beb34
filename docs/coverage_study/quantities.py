"""What is estimated from a sample: every registered measure, and what curves, rates and decision curves give."""

import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from models import Data, Floats, probabilities
from scipy.special import expit, ndtr

import polyroc as pr

DEFAULT = pr.methods.Influence()
BENEFIT_AT = 0.3  # the threshold of the net benefit
PERMUTATIONS = 199  # of a test of curves
SCORE = ("auc", "gini", "partial_auc", "partial_auc(tpr=(0.8, 1))", "average_precision", "cost_area")
FIXED_RATE = ("sensitivity(specificity=0.9)", "specificity(sensitivity=0.9)")
THRESHOLD = ("sensitivity", "specificity", "ppv", "npv", "expected_cost")
FROM_RATES = ("rate", "likelihood_ratio", "information_gain")
COLUMNS = ("hand_till", "ova", "pdi")
PROBABILITIES = ("he", "mossman", "sahiner(malignant=2)")
DECISIONS = ("accuracy", "macro_average", "pairwise_accuracy", "ht3")
ORDERED = ("vus", "scurfield", "scurfield(corrected=True)", "umbrella")
FORECASTS = ("brier", "brier_skill", "log_loss", "spherical")  # proper scores of probabilities
TWO_CLASSES = (*SCORE, *THRESHOLD, *FROM_RATES, "net_benefit")
MANY_CLASSES = (*COLUMNS, *PROBABILITIES, *DECISIONS, "rate", "information_gain")
DISCRETE = (*THRESHOLD, *FROM_RATES, *DECISIONS, "net_benefit")


class Result(NamedTuple):
    """A value and its interval; the estimate if there is one, with tests and other kinds of interval."""

    value: float
    ends: tuple[float, float]
    estimate: Any = None


class Setting(NamedTuple):
    """What an evaluation needs beside the data: the decision threshold of scores, and how cases were sampled."""

    threshold: float
    cohort: bool


def options(function: Any, data: Data, setting: Setting) -> dict[str, Any]:
    """Weights, groups, folds and sampling as the function takes them.

    A cohort is the default of `sampling`. A version of polyroc without the option takes class sizes as fixed.
    """
    design: dict[str, Any] = {}
    if data.weights is not None:
        design["sample_weight"] = data.weights
    if data.groups is not None:
        design["groups"] = data.groups
    if data.folds is not None:
        design["folds"] = data.folds
    if not setting.cohort and _takes_sampling(function):
        design["sampling"] = "case-control"
    return design


@cache
def _takes_sampling(function: Any) -> bool:
    return "sampling" in inspect.signature(function).parameters


def inputs(name: str, data: Data, classifier: int, setting: Setting) -> Any:
    """The scores of a classifier as a measure needs them."""
    scores = data.scores[classifier]
    if name in PROBABILITIES:
        return probabilities(scores)
    if name in FORECASTS and scores.ndim == 2:
        return probabilities(scores)
    if name == "net_benefit" or name in FORECASTS:
        return chances(scores, setting)
    if name in COLUMNS:
        return ndtr(scores)
    if name in DECISIONS or name in FROM_RATES:
        return scores.argmax(axis=1) if scores.ndim == 2 else (scores >= setting.threshold).astype(int)
    return scores


def measure_text(name: str, setting: Setting) -> str:
    """The measure as `evaluate` reads it."""
    if name == "net_benefit":
        return f"{name}(threshold={BENEFIT_AT})"
    return f"{name}(threshold={setting.threshold})" if name in THRESHOLD else name


def order(name: str, data: Data) -> dict[str, Any]:
    """The order of the classes, for ordered measures; the umbrella's peak is the highest class."""
    if name not in ORDERED:
        return {}
    return {"labels": [0, 2, 1] if name == "umbrella" else list(range(int(data.y.max()) + 1))}


def evaluate(name: str, data: Data, setting: Setting, method: Any = DEFAULT) -> Result:
    """A quantity of the first classifier; without an interval if it is not defined for the sample."""
    try:
        return SPECIAL[name](data, setting) if name in SPECIAL else _measure(name, data, setting, method)
    except pr.errors.NotApplicableError:
        return Result(np.nan, (np.nan, np.nan))


def _measure(name: str, data: Data, setting: Setting, method: Any) -> Result:
    y_score = inputs(name, data, 0, setting)
    design = options(pr.evaluate, data, setting) | order(name, data)
    estimate: Any = pr.evaluate(data.y, y_score, measure=measure_text(name, setting), method=method, **design)
    return _from_estimate(estimate)


def evaluate_binned(name: str, data: Data, setting: Setting, bits: int) -> Any:
    """The first classifier from a tally; scores between 0 and 1, where bins are 2^-bits wide and less."""
    tally = pr.Tally(list(range(int(data.y.max()) + 1)), bits=bits)
    tally.update(data.y, ndtr(data.scores[0]))
    return tally.evaluate(name, sampling="cohort" if setting.cohort else "case-control")


def compare(name: str, data: Data, setting: Setting, method: Any = DEFAULT) -> pr.results.Comparison | None:
    """All classifiers by one measure, under the names "0", "1", ...; None if it is not defined for the sample."""
    scores = {str(i): inputs(name, data, i, setting) for i in range(len(data.scores))}
    design = options(pr.compare, data, setting) | order(name, data)
    try:
        return pr.compare(data.y, scores, measure=measure_text(name, setting), method=method, **design)
    except pr.errors.NotApplicableError:
        return None


def divide(name: str, data: Data, setting: Setting, by: Any) -> Any:
    """Subgroups of the cases: of one classifier its values, of several their comparison."""
    scores = {str(i): inputs(name, data, i, setting) for i in range(len(data.scores))}
    verb = pr.compare if len(scores) > 1 else pr.evaluate
    design = options(verb, data, setting) | order(name, data)
    y_score = scores if len(scores) > 1 else scores["0"]
    return verb(data.y, y_score, measure=measure_text(name, setting), by=by, **design)


def _from_estimate(estimate: Any) -> Result:
    return Result(estimate.value, tuple(estimate.confidence_interval()), estimate)


def _curve_area(kind: Any, data: Data, setting: Setting) -> Result:
    design = options(pr.curve, data, setting)
    curve: Any = pr.curve(data.y, data.scores[0], kind=kind, **design)
    return _from_estimate(curve.area)


def _rates(data: Data, setting: Setting) -> pr.results.Rates:
    decisions = inputs("rate", data, 0, setting)
    return pr.rates(
        data.y, decisions, labels=list(range(int(data.y.max()) + 1)), **options(pr.rates, data, setting)
    )


def _rate(data: Data, setting: Setting) -> Result:
    """P(last class | last class)."""
    last = int(data.y.max())
    return _from_estimate(_rates(data, setting)[last, last])


def _information_gain(data: Data, setting: Setting) -> Result:
    return _from_estimate(_rates(data, setting).information_gain())


def _likelihood_ratio(data: Data, setting: Setting) -> Result:
    """Positive: P(1 | 1) / P(1 | 0)."""
    ratios = _rates(data, setting).likelihood_ratios()
    (ratio,) = (entry for entry in ratios if (entry.decision, entry.of, entry.against) == ("1", "1", "0"))
    return Result(ratio.value, tuple(ratio.confidence_interval()))


def _net_benefit(data: Data, setting: Setting) -> Result:
    design = options(pr.decision_curve, data, setting)
    curve = pr.decision_curve(data.y, chances(data.scores[0], setting), thresholds=[BENEFIT_AT], **design)
    (benefit,) = curve.curves.values()
    low, high = benefit.confidence_interval()
    return Result(float(benefit.value[0]), (float(low[0]), float(high[0])))


def chances(scores: Floats, setting: Setting) -> Floats:
    """Scores as probabilities: 1/2 at the decision threshold."""
    return np.asarray(expit(scores - setting.threshold))


def benefit_difference(data: Data, setting: Setting, thresholds: tuple[float, ...]) -> Any:
    """The simultaneous band of the difference of two decision curves."""
    risks = {str(i): chances(scores, setting) for i, scores in enumerate(data.scores[:2])}
    curve = pr.decision_curve(data.y, risks, thresholds=thresholds, **options(pr.decision_curve, data, setting))
    return curve.difference("0", "1").simultaneous


def curve_tests(data: Data, setting: Setting, seed: int) -> dict[tuple[str, str], float]:
    """P-values of the hypothesis that two curves, or decisions, are equal, by what is tested and the test."""
    scores = {str(i): data.scores[i] for i in range(2)}
    pvalues = venkatraman_tests(data, seed)
    if data.groups is data.weights is None:
        measure = measure_text("sensitivity", setting)
        for key in (measure, measure.replace("sensitivity", "specificity")):
            exact = pr.compare(data.y, scores, measure=key, method=pr.methods.McNemar())
            pvalues[key.partition("(")[0], "mcnemar"] = exact.pvalue
    return pvalues


def venkatraman_tests(data: Data, seed: int) -> dict[tuple[str, str], float]:
    """P-values of the test that two ROC curves are equal: of all cases, and of each on one half of them."""
    scores = {str(i): data.scores[i] for i in range(2)}
    design = {"groups": data.groups, "sample_weight": data.weights}
    test = pr.curves.venkatraman(data.y, scores, replicates=PERMUTATIONS, rng=seed, **design)
    pvalues = {("roc_curve", "paired"): test.pair("0", "1").pvalue}
    if data.groups is data.weights is None:
        half = np.arange(len(data.y)) % 2 == 0  # two sets of cases
        apart = {name: pr.Scores(data.y[rows], s[rows]) for (name, s), rows in _sets(scores, half)}
        unpaired = pr.curves.venkatraman(apart, replicates=PERMUTATIONS, rng=seed)
        pvalues["roc_curve", "unpaired"] = unpaired.pair("0", "1").pvalue
    return pvalues


def _sets(scores: dict[str, Floats], half: Any) -> Any:
    return zip(scores.items(), (half, ~half), strict=True)


SPECIAL: dict[str, Callable[[Data, Setting], Result]] = {
    "average_precision": partial(_curve_area, "pr"),
    "cost_area": partial(_curve_area, "cost"),
    "rate": _rate,
    "information_gain": _information_gain,
    "likelihood_ratio": _likelihood_ratio,
    "net_benefit": _net_benefit,
}
