"""The verb `rates`: from scores and a way to decide to the confusion-rate matrix with error bars."""

from collections.abc import Hashable, Sequence
from functools import partial
from math import nan
from typing import Any, Unpack

import numpy as np

from polyroc.decisions.rate_matrix import Rates
from polyroc.engines.options import Engine, Reading, over_files
from polyroc.errors import InputError, SmallClassWarning, UndefinedMeasureWarning, warn
from polyroc.inference.covariance import effective_units, sampled_strata, variance
from polyroc.inference.file_input import scores_or_settings
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.confusion import Confusion, decided
from polyroc.measures.sample import Sample
from polyroc.messages import short_repr
from polyroc.progress import ProgressOption
from polyroc.results.provenance import Provenance
from polyroc.rules import Rule, ThresholdRule
from polyroc.scores import Sampling, Schema, Scores, WeightKind
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores

__all__ = ["check_rule", "one_classifier", "provenance_of", "rates", "rates_of", "rule_at"]


def rates(
    y_true: Any,
    y_score: Any = None,
    *,
    rule: Rule | None = None,
    threshold: float | None = None,
    classifier: str | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
    progress: ProgressOption = None,
    engine: Engine | None = None,
    **reading: Unpack[Reading],
) -> Rates:
    """How often each class is called what: the confusion-rate matrix, each rate with its error bar.

    Parameters
    ----------
    y_true
        True class of each case, or `Scores` from `polyroc.read`.
    y_score
        Decisions given as labels; or one column per class, the largest wins, a tie is shared; or, with a rule or
        a threshold, what these need.
    rule
        Decides instead, such as `MossmanRule(labels, alpha, beta)`, `CostRule`, or what `operate` found.
    threshold
        Two classes: called positive if the score is at least this.
    classifier
        Whose decisions, if there are several classifiers.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As everywhere.
    engine, reading
        For files, as in `evaluate`: decisions are counted in one pass, and the rates are exact.
    progress
        For files: True for a progress bar, or a function called with (done, total, message), as in `evaluate`.

    Returns
    -------
    Rates
        With `cobweb()`, `information_gain()` and `likelihood_ratios()`.

    Examples
    --------
    >>> found = rates(["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "b"])
    >>> found.rates.round(3).tolist()
    [[0.667, 0.333], [0.0, 1.0]]
    >>> found["a", "b"]
    Estimate(P(b|a) = 0.3333, standard error 0.3333, 95 % 0.0258 to 0.9044)
    """
    options: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "sampling": sampling,
    }
    if over_files(y_true, engine, reading):
        asked = scores_or_settings(y_true, engine, reading, None, **options, missing=missing, y_score=y_score)
        if not isinstance(asked, Scores):
            from polyroc.decisions.files import FiledCases

            told = {"labels": labels, "pos_label": pos_label, "missing": missing}
            return _told(FiledCases(asked, told, classifier, progress).rates(rule, threshold))
        y_true, options = asked, {}
    scores = as_scores(y_true, y_score, **options, missing=missing)
    name = one_classifier(scores, classifier)
    return _told(rates_of(scores, name, rule if threshold is None else rule_at(scores, threshold, rule)))


def one_classifier(scores: Scores | Schema, asked: str | None) -> str:
    """The classifier asked for, or the only one there is."""
    if asked is None and len(scores.classifiers) == 1:
        return scores.classifiers[0]
    if asked not in scores.classifiers:
        came = "none was named" if asked is None else f"got {asked!r}"
        raise InputError(f"classifier must be one of {', '.join(map(repr, scores.classifiers))}; {came}.")
    return str(asked)


def rule_at(scores: Scores | Schema, threshold: float, rule: Rule | None = None) -> Rule:
    """A threshold as a rule."""
    if rule is not None:
        raise InputError("Give a rule or a threshold, not both.")
    if scores.n_classes != 2 or scores.positive is None:
        raise InputError(
            f"A threshold is for two classes of which the positive one is known (pos_label), here "
            f"{short_repr(list(scores.labels))}; give a rule."
        )
    return ThresholdRule(scores.labels, scores.labels[scores.positive], threshold)


def rates_of(scores: Scores, classifier: str, rule: Rule | None) -> Rates:
    """The rates of a classifier's decisions, made by a rule or as they stand."""
    sample = Sample(scores, classifier)
    confusion = decided(sample) if rule is None else Confusion(sample, shares_by(rule, scores, sample.values))
    c = sample.classes
    present = scores.counts > 0
    variance_of = partial(_rate_variance, confusion)
    errors = np.sqrt([[variance_of(_cell(c, k, m)) for m in range(c)] for k in range(c)])
    return Rates(
        classifier=classifier,
        classes=scores.names,
        rates=confusion.rates,
        standard_errors=errors,
        counts=np.array([_counts(confusion, k) for k in range(c)]),
        fewest=np.array([_units(confusion, _cell(c, k, k), scores) if present[k] else 0.0 for k in range(c)]),
        provenance=provenance_of(scores),
        _variance=variance_of,
    )


def _rate_variance(confusion: Confusion, gradient: FloatArray, slopes: FloatArray | None = None) -> float:
    """The variance of the sum of rates times `gradient`, and of class shares times `slopes` if any."""
    scores = confusion.sample.scores
    present = scores.counts > 0
    if not present[gradient.any(axis=1)].all() or (slopes is not None and not present.all()):
        return nan
    statistic = confusion.statistic(nan, gradient, slopes=slopes)
    return variance(sampled_strata(statistic, scores, random_sizes=True), scores)


def _cell(c: int, k: int, m: int) -> FloatArray:
    """The derivatives of one rate by all."""
    gradient = np.zeros((c, c))
    gradient[k, m] = 1.0
    return gradient


def _counts(confusion: Confusion, k: int) -> FloatArray:
    """The weight of the cases of class k by decision."""
    cases, weight = confusion.sample.cases(k), confusion.sample.weight
    return np.asarray((np.ones(len(cases)) if weight is None else weight[cases]) @ confusion.shares[cases])


def _units(confusion: Confusion, gradient: FloatArray, scores: Scores) -> float:
    (stratum,) = confusion.statistic(nan, gradient).strata()
    return effective_units(stratum, scores)


def shares_by(rule: Rule, scores: Scores, values: FloatArray) -> FloatArray:
    """A rule's decisions as shares per class, columns in the order of the scores' labels."""
    check_rule(rule, scores)
    places = [scores.labels.index(label) for label in rule.labels]
    codes = rule.codes(values if values.ndim == 1 else values[:, places])
    return np.asarray(np.eye(len(places))[np.array(places)[codes]])


def check_rule(rule: Rule, scores: Scores | Schema) -> None:
    """Refuse a rule that is for other classes, or for another kind of scores."""
    if scores.kind == "decisions":
        raise InputError("y_score holds labels, so it is decided already; a rule needs numbers.")
    if set(rule.labels) != set(scores.labels):
        raise InputError(
            f"The rule is for the classes {short_repr(list(rule.labels))}, the data have "
            f"{short_repr(list(scores.labels))}; "
            "give labels=[...] to name classes without cases."
        )
    _check_direction(rule, scores)


def _check_direction(rule: Rule, scores: Scores | Schema) -> None:
    """High scores must indicate the same class in the data and in the rule."""
    if scores.kind != "score" or not isinstance(rule, ThresholdRule) or scores.positive is None:
        return
    positive = scores.labels[scores.positive]
    if rule.positive != positive:
        raise InputError(
            f"High scores indicate {short_repr(rule.positive)} in the rule, for "
            f"{short_repr(positive)} in the data; "
            f"say pos_label={short_repr(rule.positive)}, or turn the rule round."
        )


def provenance_of(scores: Scores) -> Provenance:
    """What is needed to repeat what was made of these cases."""
    return Provenance.of(scores, "DeLong()")


def _told(found: Rates) -> Rates:
    """The rates; if a class has no case, or one only, that is said."""
    absent = [name for name, units in zip(found.classes, found.fewest, strict=True) if units == 0]
    if absent:
        named = ", ".join(map(repr, absent))
        warn(
            f"No case of class {named}: its rates are undefined (nan). Add cases, or leave it out of labels.",
            UndefinedMeasureWarning,
        )
    alone = [name for name, units in zip(found.classes, found.fewest, strict=True) if 0 < units <= 1]
    if alone:
        unit = "case" if found.provenance.groups is None else "group"
        warn(
            f"Class {', '.join(map(repr, alone))} has one {unit} only: its rates have no standard error (nan), "
            f"and Wilson's interval for one {unit}. Add cases, or leave the class out.",
            SmallClassWarning,
        )
    return found
