"""The two-class table at a threshold: sensitivity, specificity, predictive values, expected cost, net benefit.

Decisions are given as labels, by the larger of two columns (a tie is shared), or by the option `threshold`, as in
`polyroc.measures.confusion`. The option `prevalence` is the share of positives where the rule will be used; by
default that of the data.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from polyroc.errors import MeasureError, NotApplicableError, UndefinedMeasureWarning, warn
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import ROUNDING
from polyroc.measures.confusion import Confusion, checked_number, decided, with_threshold
from polyroc.measures.fixed_rate import SENSITIVITY_VARIANTS, SPECIFICITY_VARIANTS
from polyroc.measures.measure import Measure, RateForm, always
from polyroc.measures.rule_decisions import bayes_rule, shares_by
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.messages import Option, short_repr
from polyroc.rules import Rule
from polyroc.validation.costs import as_costs, as_priors

__all__ = ["TABLE", "expected_cost", "net_benefit", "npv", "ppv", "sensitivity", "specificity"]


def _table(sample: Sample, threshold: float | None) -> tuple[Confusion, int, int]:
    """The confusion at the threshold, and which class is positive, which negative."""
    assert sample.positive is not None
    return decided(sample, threshold), sample.positive, 1 - sample.positive


def _one_rate(confusion: Confusion, true: int, decision: int) -> Statistic:
    gradient = np.zeros((2, 2))
    gradient[true, decision] = 1.0
    return confusion.statistic(float(confusion.rates[true, decision]), gradient)


def sensitivity(sample: Sample, threshold: float | None = None) -> Statistic:
    """Share of the positives called positive (true positive rate, recall)."""
    confusion, positive, _ = _table(sample, threshold)
    return _one_rate(confusion, positive, positive)


def specificity(sample: Sample, threshold: float | None = None) -> Statistic:
    """Share of the negatives called negative (1 - false positive rate)."""
    confusion, _, negative = _table(sample, threshold)
    return _one_rate(confusion, negative, negative)


def ppv(sample: Sample, threshold: float | None = None, prevalence: float | None = None) -> Statistic:
    """Positive predictive value (precision): the share of positives among the cases called positive."""
    confusion, positive, negative = _table(sample, threshold)
    priors = _priors(confusion, positive, prevalence)
    return _predictive(confusion, positive, negative, priors, estimated=prevalence is None)


def npv(sample: Sample, threshold: float | None = None, prevalence: float | None = None) -> Statistic:
    """Negative predictive value: the share of negatives among the cases called negative."""
    confusion, positive, negative = _table(sample, threshold)
    priors = _priors(confusion, positive, prevalence)
    return _predictive(confusion, negative, positive, priors, estimated=prevalence is None)


def _priors(confusion: Confusion, positive: int, prevalence: float | None) -> FloatArray:
    if prevalence is None:
        return np.asarray(confusion.priors)
    share = checked_number("prevalence", prevalence, 0.0, 1.0)
    return np.array([1.0 - share, share] if positive == 1 else [share, 1.0 - share])


def _predictive(confusion: Confusion, decision: int, other: int, priors: FloatArray, estimated: bool) -> Statistic:
    """Bayes' rule on the rates: right / (right + wrong) among the cases with this decision."""
    rates = confusion.rates[:, decision]
    right, wrong = priors[decision] * rates[decision], priors[other] * rates[other]
    gradient, slopes = np.zeros((2, 2)), np.zeros(2)
    if right + wrong == 0:
        name = confusion.sample.names[decision]
        warn(
            f"No case was called {name!r}, so its predictive value is undefined (nan); change the threshold.",
            UndefinedMeasureWarning,
        )
        return confusion.statistic(np.nan, gradient)
    of_right, of_wrong = wrong / (right + wrong) ** 2, -right / (right + wrong) ** 2
    gradient[decision, decision], gradient[other, decision] = priors[decision] * of_right, priors[other] * of_wrong
    slopes[decision], slopes[other] = rates[decision] * of_right, rates[other] * of_wrong
    value = float(right / (right + wrong))
    statistic = confusion.statistic(value, gradient, slopes=slopes if estimated else None)
    return confusion.allowing_for_unseen(statistic, gradient, (0.0, 1.0))


def expected_cost(
    sample: Sample,
    threshold: float | None = None,
    prevalence: float | None = None,
    false_positive: float = 1.0,
    false_negative: float = 1.0,
) -> Statistic:
    """Expected cost per case: prevalence x FNR x (cost of a false negative) + the same for false positives."""
    confusion, positive, negative = _table(sample, threshold)
    costs = np.zeros((2, 2))
    costs[positive, negative] = checked_number("false_negative", false_negative, 0.0)
    costs[negative, positive] = checked_number("false_positive", false_positive, 0.0)
    return _cost(confusion, costs, _priors(confusion, positive, prevalence), estimated=prevalence is None)


def cost_of_errors(
    sample: Sample, costs: Any = None, priors: Any = None, rule: Any = None, threshold: float | None = None
) -> Statistic:
    """Expected cost per case of any number of classes: the sum over errors of prior x rate x cost.

    `costs` are a matrix in the order of the labels, row = true class, column = decision, or {(true, decision):
    cost}, and `priors` the class probabilities, as in `polyroc.operate`; by default every error costs 1, and the
    priors are the shares of the classes. Decisions are those of `rule`: what `Rule.to_dict` gives, or "bayes" for
    Bayes' rule for the costs and priors. The standard error takes the rule as given.
    """
    matrix, labels = as_costs(costs, sample.scores.labels), sample.scores.labels
    shares = sample.totals / sample.totals.sum() if priors is None else as_priors(priors, labels)
    confusion = decided(sample, threshold) if rule is None else _by_rule(sample, rule, matrix, shares)
    return _cost(confusion, matrix, shares, estimated=priors is None)


def _cost(confusion: Confusion, costs: FloatArray, priors: FloatArray, estimated: bool) -> Statistic:
    """The expected cost of decisions; `estimated` if the priors are the shares of the classes."""
    by_class: FloatArray = (costs * confusion.rates).sum(axis=1)
    gradient = priors[:, None] * costs
    statistic = confusion.statistic(float(priors @ by_class), gradient, slopes=by_class if estimated else None)
    return confusion.allowing_for_unseen(statistic, gradient, (0.0, float(costs.max())))


def _by_rule(sample: Sample, rule: Any, costs: FloatArray, priors: FloatArray) -> Confusion:
    """The confusion of the decisions of a rule, or of Bayes' rule for costs and priors."""
    scores, shares = sample.scores, sample.totals / sample.totals.sum()
    if rule == "bayes":
        if scores.kind != "matrix" and (scores.kind != "score" or scores.positive is None):
            raise NotApplicableError(
                "Bayes' rule needs probabilities: one column per class, or that of the positive one of two (",
                Option("pos_label"),
                ").",
            )
        _require_probabilities(sample, "Bayes' rule needs probabilities")
        odds = np.divide(priors, shares, where=shares > 0, out=np.ones(len(shares)))
        rule = bayes_rule(scores, costs * odds[:, None])
    elif isinstance(rule, Mapping):
        rule = Rule.from_dict(rule)
    else:
        raise MeasureError(f'rule must be a Rule, its to_dict(), or "bayes", got {short_repr(rule)}.')
    return Confusion(sample, shares_by(rule, scores, sample.values))


def net_benefit(sample: Sample, threshold: float | None = None, prevalence: float | None = None) -> Statistic:
    """Net benefit of acting where the probability is at least the threshold t (Vickers & Elkin 2006).

    prevalence x TPR - (1 - prevalence) x FPR x t / (1 - t): true positives minus false positives, weighted by the
    odds at which a decision maker with this threshold exchanges them. Acting on no case has the net benefit 0.
    """
    return benefit_over(sample, threshold, prevalence, act=False)


def benefit_over(sample: Sample, threshold: float | None, prevalence: float | None, act: bool) -> Statistic:
    """Return the net benefit minus that of acting on all cases if `act`, else on none."""
    odds = _odds(threshold)
    _require_probabilities(sample, "net_benefit compares probabilities with the threshold")
    confusion, positive, negative = _table(sample, threshold)
    priors = _priors(confusion, positive, prevalence)
    gains, changed, sign = np.zeros((2, 2)), negative if act else positive, -1.0 if act else 1.0
    gains[positive, changed], gains[negative, changed] = sign, -sign * odds
    by_class: FloatArray = (gains * confusion.rates).sum(axis=1)
    slopes, gradient = by_class if prevalence is None else None, priors[:, None] * gains
    statistic = confusion.statistic(float(priors @ by_class), gradient, slopes=slopes)
    return confusion.allowing_for_unseen(statistic, gradient, (-1.0, odds) if act else (-odds, 1.0))


def _odds(threshold: Any) -> float:
    if isinstance(threshold, int | float) and 0 < threshold < 1:
        return float(threshold / (1.0 - threshold))
    raise MeasureError(
        f"net_benefit: threshold must be a probability between 0 and 1, ends excluded, got {threshold!r}."
    )


def _require_probabilities(sample: Sample, need: str) -> None:
    low, high = float(sample.values.min()), float(sample.values.max())
    if low < -ROUNDING or high > 1.0 + ROUNDING:
        raise NotApplicableError(
            f"{need}, but values are from {low:g} to {high:g}; turn the scores into probabilities (calibrate "
            "them)."
        )


def _net_benefit_range(_: int, threshold: Any, **__: Any) -> tuple[float, float]:
    """From acting on negatives alone to acting on positives alone, whatever the prevalence."""
    return -inf if threshold is None else -_odds(threshold), 1.0


def _dearer(_: int, false_positive: float, false_negative: float, **__: Any) -> tuple[float, float]:
    """The range of the expected cost: no case can cost more than the dearer error."""
    return 0.0, max(false_positive, false_negative)


def _dearest(classes: int, costs: Any, **_: Any) -> tuple[float, float]:
    """The range of the expected cost of any number of classes; errors that a mapping does not name cost 1."""
    named = [*costs.values()] if isinstance(costs, Mapping) else np.ravel(1.0 if costs is None else costs).tolist()
    return 0.0, float(max(named if len(named) >= classes * (classes - 1) else [*named, 1.0]))


def _positives_right(rates: FloatArray, _: FloatArray, positive: int | None) -> FloatArray:
    assert positive is not None
    return rates[..., positive, positive]


def _negatives_right(rates: FloatArray, totals: FloatArray, positive: int | None) -> FloatArray:
    assert positive is not None
    return _positives_right(rates, totals, 1 - positive)


AT: Mapping[str, Any] = {"threshold": None}
AMONG: Mapping[str, Any] = {**AT, "prevalence": None}
COSTS: Mapping[str, Any] = {**AMONG, "false_positive": 1.0, "false_negative": 1.0}
MATRIX: Mapping[str, Any] = {"costs": None, "priors": None}
UNIT = always((0.0, 1.0))

_FACTS: Mapping[str, Any] = {
    "needs": "decisions",
    "classes": (2, 2),
    "chance": None,
    "symmetric": False,
    "bins": "decisions",
}
_BRADLEY = "Bradley (1997)"

_COST = Measure(
    key="expected_cost",
    name="expected cost per case",
    symbol="EC",
    range=_dearer,
    paper=_BRADLEY,
    compute=expected_cost,
    degree=always(1),
    options=COSTS,
    larger_is_better=False,
    prevalence=True,
    linear=True,
    mean_over_cases=True,
    **_FACTS,
)
_MATRIX = replace(
    _COST,
    compute=cost_of_errors,
    options=MATRIX,
    classes=(2, None),
    range=_dearest,
    paper="Everson & Fieldsend (2005)",
)
_OF_RULE = replace(_MATRIX, options={**MATRIX, "rule": None}, rank_based=False, bins=None)
_OF_COSTS = with_threshold(replace(_MATRIX, variants={"rule": _OF_RULE}))

_MEASURES = (
    *(
        Measure(
            key=key,
            name=key,
            symbol=symbol,
            range=UNIT,
            paper=_BRADLEY,
            compute=compute,
            degree=always(1),
            options=AT,
            variants=variants,
            linear=True,
            proportion=True,
            rates=RateForm(rate, increasing=True),
            **_FACTS,
        )
        for key, symbol, compute, rate, variants in (
            ("sensitivity", "TPR", sensitivity, _positives_right, SENSITIVITY_VARIANTS),
            ("specificity", "TNR", specificity, _negatives_right, SPECIFICITY_VARIANTS),
        )
    ),
    *(
        Measure(
            key=key,
            name=name,
            symbol=symbol,
            range=UNIT,
            paper=_BRADLEY,
            compute=compute,
            options=AMONG,
            prevalence=True,
            **_FACTS,
        )
        for key, name, symbol, compute in (
            ("ppv", "positive predictive value", "PPV", ppv),
            ("npv", "negative predictive value", "NPV", npv),
        )
    ),
    replace(_COST, variants={"costs": _OF_COSTS, "rule": _OF_RULE, "priors": _OF_COSTS}),
    Measure(
        key="net_benefit",
        name="net benefit",
        symbol="NB",
        range=_net_benefit_range,
        paper="Vickers & Elkin (2006)",
        compute=net_benefit,
        degree=always(1),
        options=AMONG,
        required=("threshold",),
        rank_based=False,
        prevalence=True,
        linear=True,
        mean_over_cases=True,
        bound_rule="threshold",
        **{**_FACTS, "bins": "score"},
    ),
)

TABLE = tuple(measure if measure.required else with_threshold(measure) for measure in _MEASURES)
