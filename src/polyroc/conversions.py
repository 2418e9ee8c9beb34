"""Conversions between one probability per class ("type A") and one score per case ("type B").

Sampat et al. (2009, section II-C) convert each into the other, so that every classifier can be evaluated by every
measure. A conversion adds assumptions: it is never made silently, and what is computed from converted values is
marked (`Scores.converted`, `Estimate.converted`).
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict, Unpack, overload

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import SOFTMAX
from polyroc.messages import Option, short_repr
from polyroc.scores import Scores
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import Missing, as_array, as_columns
from polyroc.validation.costs import as_priors
from polyroc.validation.labels import Coded, encode, in_order
from polyroc.validation.predictions import are_numbers_only, as_vector, classifier_values
from polyroc.validation.scores import as_scores, normalise
from polyroc.validation.signatures import Positive, Probability, validate_fields, validated

__all__ = ["GaussianLikelihoods", "Rule", "to_ordered", "to_probabilities"]

Rule = Literal["sampat", "expected"]
ProbabilityRule = Literal["gaussian", "softmax"]

ROUNDING = 1e-9  # a softmax may be outside [0, 1] by rounding
DECIMALS = 12  # rounding to these keeps sums tied that are equal in exact arithmetic
LARGEST_DEVIATION = 1e150  # its square does not overflow


@overload
def to_ordered(probabilities: Scores, *, rule: Rule = ..., labels: Sequence[Hashable] | None = ...) -> Scores: ...
@overload
def to_ordered(
    probabilities: Mapping[Any, Any], *, rule: Rule = ..., labels: Sequence[Hashable] | None = ...
) -> dict[Any, FloatArray]: ...
@overload
def to_ordered(probabilities: Any, *, rule: Rule = ..., labels: Sequence[Hashable] | None = ...) -> FloatArray: ...


@validated
def to_ordered(probabilities: Any, *, rule: Rule = "sampat", labels: Sequence[Hashable] | None = None) -> Any:
    """Convert one probability per class to one score that rises along ordered classes (type A to type B).

    Parameters
    ----------
    probabilities
        Cases x classes, columns in the order of the classes; a dict of such by classifier; or `Scores` whose
        `labels` were given, so that their order is known.
    rule
        "sampat": k - 1/2 + p_k, where class k has the largest probability p_k: 0.5 + p_1, 1.5 + p_2 or 2.5 + p_3
        for three classes (the rule behind the volumes in the tables of Sampat et al.). The paper does not define
        it where several classes share the largest probability; here the score is the mean of theirs. Note that the
        score rises with the confidence in whichever class wins: of two cases assigned to the first class, the more
        certain one lies nearer to the second class. "expected": the expected class number, sum of k p_k / sum of
        p_k, rounded to 12 decimals. It has no such property, and treats the classes as equally spaced.
    labels
        The classes in order, for a data frame, whose columns are then matched by name.

    Returns
    -------
    numpy.ndarray, dict or Scores
        Of the same type as the input. A row with a missing value gets nan. `Scores` keep weights, groups, labels
        and classifiers, and results computed from them are marked as converted.

    References
    ----------
    Sampat et al., IEEE Trans. Inf. Technol. Biomed. 13 (2009), section II-C1.

    Examples
    --------
    >>> P = [[0.7, 0.2, 0.1], [0.4, 0.4, 0.2], [0.0, 0.1, 0.9]]
    >>> to_ordered(P)
    array([1.2, 1.4, 3.4])
    >>> to_ordered(P, rule="expected")
    array([1.4, 1.8, 2.9])
    """
    if isinstance(probabilities, Scores):
        if labels is not None:
            raise InputError("Scores hold everything already; leave out labels, or say it to polyroc.read.")
        return _ordered(probabilities, rule)
    if isinstance(probabilities, Mapping):
        if not probabilities:
            raise InputError("probabilities is an empty mapping; give at least one classifier's.")
        return {name: to_ordered(table, rule=rule, labels=labels) for name, table in probabilities.items()}
    return RULES[rule](_require_probabilities(_columns(probabilities, labels), "probabilities"))


def _ordered(scores: Scores, rule: Rule) -> Scores:
    if scores.kind == "score":
        raise NotApplicableError("to_ordered needs one column per class, here one score per case already.")
    if not scores.ordered:
        raise NotApplicableError(
            "to_ordered needs the order of the classes; give it with ", Option("labels", [...]), "."
        )
    values = {name: RULES[rule](_require_probabilities(P, name)) for name, P in scores.values.items()}
    positive = 1 if scores.n_classes == 2 else None  # the score rises towards the last class
    return _converted(scores, DESCRIPTIONS[rule], values=values, kind="score", positive=positive)


def _columns(data: Any, labels: Sequence[Hashable] | None) -> FloatArray:
    array, names = as_columns(data, "probabilities")
    if array.ndim != 2 or array.shape[1] < 2:
        raise InputError(
            f"probabilities must be 2-D (cases x classes), got shape {array.shape}; there are two classes or more."
        )
    if labels is None and names is not None and not are_numbers_only(names):
        raise InputError(
            "The columns of probabilities, a data frame, are matched to the classes by name, and to_ordered needs "
            "the order of the classes; give it with ",
            Option("labels", [...]),
            ", or pass an array with the columns in order.",
        )
    order = tuple(range(array.shape[-1]) if labels is None else labels)
    values, kind = classifier_values(data, order, len(array), ArgumentNames(scores="probabilities"))
    if kind == "score":
        raise InputError(f"probabilities must be 2-D (cases x classes), got shape {array.shape}.")
    return values["classifier"]


def _require_probabilities(P: FloatArray, name: str) -> FloatArray:
    outside = (P < -ROUNDING) | (P > 1 + ROUNDING)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise InputError(
            f"{name} must hold probabilities in [0, 1], but column {column} holds {P[row, column]:g} at position "
            f"{row}; ",
            SOFTMAX,
            ".",
        )
    return P


def _sampat(P: FloatArray) -> FloatArray:
    largest = P.max(axis=1, keepdims=True)
    winners = largest == P
    with np.errstate(invalid="ignore"):  # a row with nan has no winner, and gets nan
        number = winners @ np.arange(1, P.shape[1] + 1) / winners.sum(axis=1)
    return np.asarray(number - 0.5 + largest[:, 0])


def _expected(P: FloatArray) -> FloatArray:
    total = P.sum(axis=1)
    if (total <= 0).any():
        raise InputError(f"The probabilities at position {np.argmax(total <= 0)} add up to zero; correct them.")
    return np.asarray(np.round((P * np.arange(1, P.shape[1] + 1)).sum(axis=1) / total, DECIMALS))


RULES: Mapping[Rule, Callable[[FloatArray], FloatArray]] = {"sampat": _sampat, "expected": _expected}
DESCRIPTIONS: Mapping[Rule, str] = {
    "sampat": "probabilities to one score by the rule of Sampat et al. (2009)",
    "expected": "probabilities to one score, the expected number of the class",
}


def _converted(scores: Scores, description: str, **changes: Any) -> Scores:
    """The scores with these changes, marked with this conversion after earlier ones."""
    return scores._replace(converted="; then ".join(filter(None, (scores.converted, description))), **changes)


@dataclass(frozen=True, slots=True)
class GaussianLikelihoods:
    """Normal distributions of a score in each class, which give one probability per class by Bayes' theorem.

    The likelihood of class k is the normal density with the mean and the standard deviation (divided by n, maximum
    likelihood) of the scores of class k; likelihoods times priors are divided by their sum. Fit it to other cases
    than those it is applied to: probabilities of the cases it was fitted to are optimistic. If standard deviations
    differ, an extreme score on either side belongs to the class of the largest one, so the probability of the last
    class need not rise with the score.

    Attributes
    ----------
    labels
        The classes, in the order of the columns.
    means, deviations, priors
        By class.

    References
    ----------
    Sampat et al., IEEE Trans. Inf. Technol. Biomed. 13 (2009), section II-C2.

    Examples
    --------
    >>> likelihoods = GaussianLikelihoods.fit(["low", "low", "high", "high"], [0, 2, 2, 4], labels=["low", "high"])
    >>> likelihoods.means, likelihoods.deviations
    ((1.0, 3.0), (1.0, 1.0))
    >>> likelihoods.probabilities([1, 2, 3]).round(3)
    array([[0.881, 0.119],
           [0.5  , 0.5  ],
           [0.119, 0.881]])
    """

    labels: tuple[Hashable, ...]
    means: tuple[float, ...]
    deviations: tuple[Positive, ...]
    priors: tuple[Probability, ...]

    def __post_init__(self) -> None:
        validate_fields(self)
        for name in ("labels", "means", "deviations", "priors"):
            values = tuple(getattr(self, name))
            if len(values) != len(self.labels) or len(values) < 2:
                raise InputError(f"{name} must have one entry per class, two or more, got {short_repr(values)}.")
            object.__setattr__(self, name, values)

    @classmethod
    @validated
    def fit(
        cls,
        y_true: Any,
        score: Any = None,
        *,
        labels: Sequence[Hashable] | None = None,
        priors: Any = None,
        sample_weight: Any = None,
        missing: Missing = "raise",
    ) -> Self:
        """Fit the distributions to these cases.

        Parameters
        ----------
        y_true, score
            True classes and one score per case; or `Scores` of one classifier.
        labels
            The classes in order; sorted by default.
        priors
            The prevalence of the classes where the probabilities will be used, in the order of the labels or as a
            mapping; equal by default.
        sample_weight, missing
            As in `evaluate`.
        """
        scores = _one_score(y_true, score, labels=labels, sample_weight=sample_weight, missing=missing)
        if len(scores.classifiers) > 1:
            raise InputError(
                f"Expected the scores of one classifier, got {', '.join(scores.classifiers)}; "
                "to_probabilities takes several."
            )
        return cls._of(scores, scores.classifiers[0], priors)

    @classmethod
    def _of(cls, scores: Scores, classifier: str, priors: Any) -> Self:
        values = scores.values[classifier]
        weight = np.ones(len(values)) if scores.sample_weight is None else scores.sample_weight
        fits = []
        for k, name in enumerate(scores.names):
            members = (scores.codes == k) & (weight > 0)
            fits.append(_normal(values[members], weight[members], name))
        means, deviations = zip(*fits, strict=True)
        shares = np.full(len(fits), 1.0 / len(fits)) if priors is None else as_priors(priors, scores.labels)
        return cls(scores.labels, means, deviations, tuple(shares.tolist()))

    def probabilities(self, score: Any) -> FloatArray:
        """One probability per case and class: likelihoods times priors, divided by their sum; nan for a nan.

        Computed from logarithms, the largest of which is subtracted: far from all means every density underflows.
        """
        x = as_vector(score, "score", np.size(as_array(score, "score")), ArgumentNames())
        if np.isinf(x).any():
            raise InputError(f"score holds infinity ({ArgumentNames().where(np.isinf(x))}); give finite numbers.")
        with np.errstate(over="ignore", divide="ignore"):  # extreme scores, and a prior of zero
            deviations = (x[:, None] - np.array(self.means)) / np.array(self.deviations)
            logs = (
                np.log(self.priors)
                - np.log(self.deviations)
                - np.clip(deviations, -LARGEST_DEVIATION, LARGEST_DEVIATION) ** 2 / 2.0
            )
        likelihoods = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(likelihoods / likelihoods.sum(axis=1, keepdims=True))


def _one_score(y_true: Any, score: Any, **options: Any) -> Scores:
    """Validate one score per case; which of two classes is positive does not matter here."""
    if not isinstance(y_true, Scores) and score is not None:
        codes, labels = in_order(encode(y_true, "y_true"), options.pop("labels"), ArgumentNames())
        scores = normalise(
            Coded(codes, labels), score, labels=labels, arguments=ArgumentNames(scores="score"), **options
        )
    else:
        scores = as_scores(y_true, score, **options)
    if scores.kind != "score":
        kind = "decisions" if scores.kind == "decisions" else "one column per class"
        raise NotApplicableError(f"Likelihoods are fitted to one score per case, here {kind}.")
    return scores


def _normal(x: FloatArray, weight: FloatArray, name: str) -> tuple[float, float]:
    """Mean and standard deviation; scores are divided by the largest first, so that squares cannot overflow."""
    if len(x) > 1 and x.min() < x.max():
        scale = np.abs(x).max()
        mean = np.average(x / scale, weights=weight)
        deviation = scale * np.sqrt(np.average((x / scale - mean) ** 2, weights=weight))
        if deviation > 0:
            return float(scale * mean), float(deviation)
    problem = f"{len(x)} case{'' if len(x) == 1 else 's'}" + (
        f", all with the score {x[0]:g}" if len(x) > 1 else ""
    )
    raise InputError(
        f"A normal distribution needs at least two different scores in each class, but class {name!r} has "
        f"{problem}; add cases, or leave the class out."
    )


class _CaseOptions(TypedDict):
    """What is known of the cases, for the type checker."""

    labels: Sequence[Hashable] | None
    sample_weight: Any
    missing: Missing


class _Options(TypedDict, total=False):
    """The options of `to_probabilities`, for the type checker."""

    rule: ProbabilityRule
    labels: Sequence[Hashable] | None
    priors: Any
    sample_weight: Any
    missing: Missing


@overload
def to_probabilities(
    y_true: Scores, *, rule: ProbabilityRule = ..., fitted_on: Scores | None = ..., priors: Any = ...
) -> Scores: ...
@overload
def to_probabilities(
    y_true: Any, score: Mapping[Any, Any], **options: Unpack[_Options]
) -> dict[Any, FloatArray]: ...
@overload
def to_probabilities(y_true: Any, score: Any, **options: Unpack[_Options]) -> FloatArray: ...


@validated
def to_probabilities(
    y_true: Any,
    score: Any = None,
    *,
    rule: ProbabilityRule = "gaussian",
    fitted_on: Scores | None = None,
    labels: Sequence[Hashable] | None = None,
    priors: Any = None,
    sample_weight: Any = None,
    missing: Missing = "raise",
) -> Any:
    """Convert scores to one probability per class: by normal likelihoods of one score, or by the softmax.

    Parameters
    ----------
    y_true, score
        True classes and one score per case ("gaussian") or one column per class ("softmax"), or a dict of such by
        classifier; or `Scores`.
    rule
        "gaussian" (type B to type A): normal likelihoods of one score, which are fitted. "softmax": exp(s_k) / sum
        of exp(s_j) of logits, one column per class. Of other scores (margins, distances) the softmax has the right
        order within a case, but these are no probabilities that a model claims: measures that use their size are
        then of the softmax, not of the scores.
    fitted_on
        With `Scores` and "gaussian": other `Scores` of the same classes and classifiers, to which the likelihoods
        are fitted. By default they are fitted to the cases they are applied to, which is optimistic. For arrays
        use `GaussianLikelihoods.fit(...).probabilities(...)`.
    labels, priors, sample_weight, missing
        As in `GaussianLikelihoods.fit`.

    Returns
    -------
    numpy.ndarray, dict or Scores
        Of the same type as the input; columns in the order of the labels. Results computed from `Scores` are
        marked as converted, with the cases that the likelihoods were fitted to.

    Examples
    --------
    >>> to_probabilities(["low", "low", "high", "high"], [0, 2, 2, 4], labels=["low", "high"]).round(3)
    array([[0.982, 0.018],
           [0.5  , 0.5  ],
           [0.5  , 0.5  ],
           [0.018, 0.982]])
    >>> to_probabilities(["a", "b"], [[2.0, 1.0], [-500.0, 700.0]], rule="softmax").round(3)
    array([[0.731, 0.269],
           [0.   , 1.   ]])
    """
    options: _CaseOptions = {"labels": labels, "sample_weight": sample_weight, "missing": missing}
    if rule == "softmax":
        _check_no_fit(fitted_on, priors)
        return _by_softmax(y_true, score, options)
    if isinstance(y_true, Scores):
        scores = _one_score(y_true, score, **options)
        return _with_probabilities(scores, scores if fitted_on is None else _one_score(fitted_on, None), priors)
    if fitted_on is not None:
        raise InputError(
            "fitted_on is for Scores; for arrays use GaussianLikelihoods.fit(...).probabilities(...)."
        )
    if isinstance(score, Mapping):
        return {name: to_probabilities(y_true, own, priors=priors, **options) for name, own in score.items()}
    return GaussianLikelihoods.fit(y_true, score, priors=priors, **options).probabilities(score)


def _check_no_fit(fitted_on: Scores | None, priors: Any) -> None:
    for name, value in (("fitted_on", fitted_on), ("priors", priors)):
        if value is not None:
            raise InputError(
                Option(name), " is for likelihoods that are fitted, not for ", Option("rule", "softmax"), "."
            )


def _by_softmax(y_true: Any, score: Any, options: _CaseOptions) -> Any:
    from scipy.special import softmax

    scores = as_scores(y_true, score, **options)
    if scores.kind != "matrix":
        kind = "decisions" if scores.kind == "decisions" else "one score per case"
        raise NotApplicableError(f"The softmax needs one column per class, here {kind}.")
    values = {name: softmax(own, axis=1) for name, own in scores.values.items()}
    if isinstance(y_true, Scores):
        return _converted(scores, "scores to probabilities by the softmax", values=values)
    return values if isinstance(score, Mapping) else next(iter(values.values()))


def _with_probabilities(scores: Scores, base: Scores, priors: Any) -> Scores:
    if base.labels != scores.labels or not set(scores.classifiers) <= set(base.classifiers):
        raise InputError(
            f"fitted_on must have the same classes and classifiers, {list(scores.labels)!r} and "
            f"{', '.join(scores.classifiers)}, got {list(base.labels)!r} and {', '.join(base.classifiers)}."
        )
    fits = {name: GaussianLikelihoods._of(base, name, priors) for name in scores.classifiers}
    values = {name: fits[name].probabilities(x) for name, x in scores.values.items()}
    cases = "the same" if base is scores else "other"
    description = f"one score to probabilities by normal likelihoods fitted to {cases} cases"
    return _converted(scores, description, values=values, kind="matrix")
