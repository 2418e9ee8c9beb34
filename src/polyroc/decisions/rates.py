"""The verb `rates`: the confusion-rate matrix of decisions, of a rule or of a threshold, with standard errors."""

from collections.abc import Sequence
from functools import partial
from math import nan
from typing import Any, Unpack

import numpy as np

from polyroc.data_options import DataOptions, cases_of
from polyroc.decisions.rate_matrix import Rates
from polyroc.engines.support import check_supported
from polyroc.errors import InputError, SmallClassWarning, UndefinedMeasureWarning, warn
from polyroc.inference.covariance import effective_units, sampled_strata, variance, weights_vary
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.confusion import Confusion, decided
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.measures.within_folds import average_over_folds, check_folds
from polyroc.messages import Message, Option, short_repr
from polyroc.progress import ProgressOption
from polyroc.results.provenance import Provenance
from polyroc.rules import CutPointRule, Rule, ThresholdRule
from polyroc.scores import Schema, Scores
from polyroc.validation.signatures import validated

__all__ = ["check_rule", "one_classifier", "provenance_of", "rates", "rates_of", "rule_at", "scored_cases"]


@validated
def rates(
    data: Any,
    y_score: Any = None,
    *,
    rule: Rule | None = None,
    threshold: float | None = None,
    only: str | None = None,
    progress: ProgressOption = None,
    **data_options: Unpack[DataOptions],
) -> Rates:
    """Compute the confusion-rate matrix P(decision | class), each rate with its standard error.

    Parameters
    ----------
    data
        As in `evaluate`.
    y_score
        Decisions as labels; or one column per class, of which the largest decides and a tie is shared; or the
        input of the rule or threshold.
    rule
        The rule that decides, such as `MossmanRule(labels, alpha, beta)`, `CostRule`, or the `rule` of `operate`.
    threshold
        Two classes: a case is positive if its score is at least the threshold.
    only
        The classifier to use, if there are several.
    progress
        For files: True for a progress bar, or a function called with (done, total, message), as in `evaluate`.
    data_options
        As in `evaluate`. With `folds`, rates are those within folds, averaged over the trained models. Decisions
        in files are counted in one scan, and the rates are exact.

    Returns
    -------
    Rates
        With `cobweb()`, `information_gain()` and `likelihood_ratios()`.

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

        return _with_warnings(FileCases(cases, only, progress).rates(rule, threshold))
    name = one_classifier(cases, only)
    return _with_warnings(rates_of(cases, name, rule if threshold is None else rule_at(cases, threshold, rule)))


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


def shares_by(rule: Rule, scores: Scores, values: FloatArray) -> FloatArray:
    """A rule's decisions as shares per class, columns in the order of the scores' labels."""
    check_rule(rule, scores)
    positions = [scores.labels.index(label) for label in rule.labels]
    codes = rule.codes(values if values.ndim == 1 else values[:, positions])
    return np.asarray(np.eye(len(positions))[np.array(positions)[codes]])


def scored_cases(rule: Rule, scores: Any, classifier: str) -> tuple[FloatArray, IntArray, IntArray]:
    """For a rule of one score: the scores of the cases, their true classes and the decisions.

    Classes are positions in the labels of the rule. A classifier of this name is used, or else the only one.
    """
    if not isinstance(scores, Scores):
        raise InputError(
            f"scores must be Scores, such as Scores.from_arrays(y_true, y_score), got {short_repr(scores)}."
        )
    check_rule(rule, scores)
    values = scores.values[classifier if classifier in scores.values else one_classifier(scores, None)]
    if values.ndim == 2:
        positive = getattr(rule, "positive", rule.labels[-1])
        values = values[:, scores.labels.index(positive)]
    positions = np.array([rule.labels.index(label) for label in scores.labels])
    return values, positions[scores.codes], rule.codes(values)


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
