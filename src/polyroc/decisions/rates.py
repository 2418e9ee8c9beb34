"""The verb `rates`: the confusion-rate matrix of decisions, of a rule or of a threshold, with standard errors."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import nan
from typing import Any, Unpack, overload

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.data_options import DataOptions, cases_of
from polyroc.decisions.rate_matrix import Rates
from polyroc.engines.support import check_supported
from polyroc.errors import InputError, SmallClassWarning, UndefinedMeasureWarning, warn
from polyroc.inference.covariance import effective_units, sampled_strata, variance, weights_vary
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.confusion import Confusion, decided
from polyroc.measures.rule_decisions import check_rule, shares_by
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.measures.within_folds import average_over_folds, check_folds
from polyroc.messages import Message, Option, short_repr
from polyroc.progress import ProgressOption
from polyroc.rules import Rule, ThresholdRule
from polyroc.scores import Schema, Scores
from polyroc.validation.signatures import validated

__all__ = ["one_classifier", "provenance_of", "rates", "rates_of", "rule_at", "scored_cases"]


@overload
def rates(data: Any, y_score: Mapping[Any, Any], *, only: None = None, **options: Any) -> dict[str, Rates]: ...


@overload
def rates(data: Any, y_score: Any = None, **options: Any) -> Rates: ...


@validated  # type: ignore[misc] # the overloads leave the options to the function
def rates(
    data: Any,
    y_score: Any = None,
    *,
    rule: Rule | None = None,
    threshold: float | None = None,
    only: str | None = None,
    progress: ProgressOption = None,
    **data_options: Unpack[DataOptions],
) -> Rates | dict[str, Rates]:
    """Compute the confusion-rate matrix P(decision | class), each rate with its standard error.

    Parameters
    ----------
    data
        As in `evaluate`.
    y_score
        Decisions as labels; or one column per class, of which the largest decides and a tie is shared; or the
        input of the rule or threshold. Or a dict of such by classifier.
    rule
        The rule that decides, such as `MossmanRule(labels, alpha, beta)`, `CostRule`, or the `rule` of `operate`.
    threshold
        Two classes: a case is positive if its score is at least the threshold.
    only
        The classifier to use, if there are several; by default all.
    progress
        For files: True for a progress bar, or a function called with (done, total, message), as in `evaluate`.
    data_options
        As in `evaluate`. With `folds`, rates are those within folds, averaged over the trained models. Decisions
        in files are counted in one scan, and the rates are exact.

    Returns
    -------
    Rates
        With `cobweb()`, `information_gain()` and `likelihood_ratios()`; a dict of them by classifier if `y_score`
        is a dict or there are several. `polyroc.plot(..., kind="cobweb")` draws one or all.

    Examples
    --------
    >>> confusion = rates(["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "b"])
    >>> confusion.rates.round(3).tolist()
    [[0.667, 0.333], [0.0, 1.0]]
    >>> confusion["a", "b"]
    Estimate(P(b|a) = 0.3333, standard error 0.3333, 95 % 0.0258 to 0.9044)
    """
    cases = cases_of("rates", data, y_score, data_options)
    if not isinstance(cases, Scores):
        from polyroc.decisions.files import FileCases

        def from_rows(name: str | None) -> Rates:
            return _with_warnings(FileCases(cases, name, progress).rates(rule, threshold))

        several = only is None and isinstance(cases.scores, Mapping)
        return {name: from_rows(name) for name in cases.scores} if several else from_rows(only)
    rule = rule if threshold is None else rule_at(cases, threshold, rule)
    if only is None and (isinstance(y_score, Mapping) or len(cases.classifiers) > 1):
        names = [one_classifier(cases, name) for name in cases.classifiers]
        return {name: _with_warnings(rates_of(cases, name, rule)) for name in names}
    return _with_warnings(rates_of(cases, one_classifier(cases, only), rule))


def one_classifier(scores: Scores | Schema, classifier: str | None) -> str:
    """The given classifier, or the only one there is; a rule is for its scores as they are, not negated."""
    if isinstance(scores, Scores) and {classifier or scores.classifiers[0]} & {*scores.negated}:
        check_supported("negate", "memory", "operate")
    if classifier is None and len(scores.classifiers) == 1:
        return scores.classifiers[0]
    if classifier not in scores.classifiers:
        fault = "There are several classifiers" if classifier is None else f"There is no classifier {classifier!r}"
        raise InputError(f"{fault}; choose one with ", Option("only", *scores.classifiers), ".")
    return str(classifier)


def rule_at(scores: Scores | Schema, threshold: float, rule: Rule | None = None) -> Rule:
    """The rule of a threshold; an error if there is another rule."""
    if rule is not None:
        raise InputError("Pass either ", Option("rule"), " or ", Option("threshold"), ", not both.")
    if scores.n_classes != 2 or scores.positive is None:
        raise InputError(
            "A threshold needs two classes with a known positive class (",
            Option("pos_label"),
            f"), got {short_repr(list(scores.labels))}; use ",
            Option("rule"),
            ".",
        )
    return ThresholdRule(scores.labels, scores.labels[scores.positive], threshold)


def rates_of(scores: Scores, classifier: str, rule: Rule | None) -> Rates:
    """The rates of a classifier's decisions: of a rule, or of the largest value."""
    sample = Sample(scores, classifier)
    if scores.within_folds:
        check_folds(sample, "a confusion-rate matrix")
    confusions = [_confusion(part, rule) for part in (sample.folds if scores.within_folds else (sample,))]
    c = sample.classes
    present = scores.counts > 0
    variance_of = partial(_rate_variance, sample, confusions)
    weights = scores.folds.weights if scores.folds is not None and scores.within_folds else np.ones(1)
    errors = np.sqrt([[variance_of(_unit_gradient(c, k, m)) for m in range(c)] for k in range(c)])
    return Rates(
        classifier=classifier,
        classes=scores.names,
        rates=np.tensordot(weights, [confusion.rates for confusion in confusions], 1),
        standard_errors=errors,
        counts=np.sum([[_counts(confusion, k) for k in range(c)] for confusion in confusions], axis=0),
        fewest=np.array([_units(sample, confusions, k) if present[k] else 0.0 for k in range(c)]),
        provenance=provenance_of(scores),
        _variance=variance_of,
    )


def _confusion(sample: Sample, rule: Rule | None) -> Confusion:
    """The decisions for the cases of a sample."""
    return decided(sample) if rule is None else Confusion(sample, shares_by(rule, sample.scores, sample.values))


def _statistic(
    sample: Sample, confusions: Sequence[Confusion], gradient: FloatArray, slopes: FloatArray | None = None
) -> Statistic:
    """The sum of rates times `gradient`, and of class shares times `slopes`; averaged over folds if there are."""
    statistics = [confusion.statistic(nan, gradient, slopes=slopes) for confusion in confusions]
    return average_over_folds(sample, statistics) if sample.scores.within_folds else statistics[0]


def _rate_variance(
    sample: Sample, confusions: Sequence[Confusion], gradient: FloatArray, slopes: FloatArray | None = None
) -> float:
    """The variance of the sum of rates times `gradient`, and of class shares times `slopes` if any."""
    scores = sample.scores
    present = scores.counts > 0
    if slopes is not None and scores.sampling != "cohort" and not weights_vary(scores):
        if not gradient.any():
            return 0.0
        slopes = None
    if not present[gradient.any(axis=1)].all() or (slopes is not None and not present.all()):
        return nan
    statistic = _statistic(sample, confusions, gradient, slopes)
    return variance(sampled_strata(statistic, scores), scores)


def _unit_gradient(c: int, k: int, m: int) -> FloatArray:
    """The derivatives of the rate [k, m] with respect to all rates."""
    gradient = np.zeros((c, c))
    gradient[k, m] = 1.0
    return gradient


def _counts(confusion: Confusion, k: int) -> FloatArray:
    """The weight of the cases of class k by decision."""
    cases, weight = confusion.sample.cases(k), confusion.sample.weight
    return np.asarray((np.ones(len(cases)) if weight is None else weight[cases]) @ confusion.shares[k])


def _units(sample: Sample, confusions: Sequence[Confusion], k: int) -> float:
    """The effective number of cases of class k."""
    (stratum,) = _statistic(sample, confusions, _unit_gradient(sample.classes, k, k)).strata()
    return effective_units(stratum, sample.scores)


def scored_cases(rule: Rule, scores: Any, classifier: str) -> tuple[FloatArray, IntArray, IntArray]:
    """For a rule of one score: the scores of the cases, their true classes and the decisions.

    Classes are positions in the labels of the rule. A classifier of this name is used, or else the only one.
    """
    if not isinstance(scores, Scores):
        raise InputError(f"scores must be Scores, such as Scores(y_true, y_score), got {short_repr(scores)}.")
    check_rule(rule, scores)
    values = scores.values[classifier if classifier in scores.values else one_classifier(scores, None)]
    if values.ndim == 2:
        positive = getattr(rule, "positive", rule.labels[-1])
        values = values[:, scores.labels.index(positive)]
    positions = np.array([rule.labels.index(label) for label in scores.labels])
    return values, positions[scores.codes], rule.codes(values)


def provenance_of(scores: Scores) -> Provenance:
    """What is needed to reproduce a result from these cases."""
    return Provenance.of(scores, "Influence()")


def _with_warnings(rates: Rates) -> Rates:
    """The same rates, with a warning if a class has no case, or only one."""
    absent = [name for name, units in zip(rates.classes, rates.fewest, strict=True) if units == 0]
    if absent:
        warn(
            Message(
                f"No case of class {', '.join(map(repr, absent))}: its rates are undefined (nan). Add cases, or "
                "omit the class from ",
                Option("labels"),
                ".",
            ),
            UndefinedMeasureWarning,
        )
    single = [name for name, units in zip(rates.classes, rates.fewest, strict=True) if 0 < units <= 1]
    if single:
        unit = "case" if rates.provenance.groups is None else "group"
        warn(
            f"Class {', '.join(map(repr, single))} has one {unit} only: its rates have no standard error (nan), "
            f"and Wilson's interval for one {unit}. Add cases, or omit the class.",
            SmallClassWarning,
        )
    return rates
