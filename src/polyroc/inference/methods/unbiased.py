"""The exactly unbiased variance of measures that are mean outcomes of tuples of cases."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from polyroc.errors import NotApplicableError
from polyroc.inference.covariance import covariance
from polyroc.inference.methods.method import Method, Uncertainty
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.applicability import GENERAL_METHODS, require_formula, require_plain_cases
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.measures.tuple_outcomes import TupleOutcomes

__all__ = ["Unbiased", "unbiased_covariance"]


ROUNDING = 1e-14  # of means of products of numbers up to 1, and of a variance relative to that of `Influence()`


@dataclass(frozen=True, slots=True)
class Unbiased(Method):
    """The exactly unbiased variance of `auc`, `gini`, `hand_till` and three-class `vus`, whatever sizes and ties.

    A measure that is a mean outcome over tuples of cases, one per class, estimates its own square with a bias: the
    variance. The mean product of the outcomes of two tuples that share no case has none. So

        variance   = value^2 - mean product of outcomes over pairs of tuples without a common case
        covariance = value of one classifier x value of the other - the same mean, one outcome from each

    Split the outcomes as an analysis of variance does, into what is due to each class (the components), to each
    pair of classes, to three. With V_A the mean square (or product) of what is due to the classes in A together,

        variance = sum over sets of classes A of  (-1)^(|A| + 1) V_A / product over k in A of (n_k - 1)

    The sets of one class make the variance of `Influence()`. It counts what is due to two classes twice, once for
    each, and is too large by that much on average: in `auc` 4 % for 10 and 15 cases, 1 % for some 30 a class; in
    `vus` 10 % for 8, 10 and 7 cases. O(n log n) for n cases.

    What has no bias need not be positive: in tiny samples the variance of `hand_till`, and that of a difference
    between classifiers, can come out negative, and the covariance matrix singular or indefinite. They are returned
    as they are. (No sample with a negative variance of `auc` or `vus` is known: of `auc` there is none without
    ties up to 8 and 8 cases, nor with ties up to 4 and 4; of `vus` none without ties up to 3 cases a class, nor
    with ties for 2.) Every class that the measure looks at needs two cases, nan otherwise. Not for `sample_weight`
    or `groups`, nor for `vus` of four classes or more.

    References
    ----------
    Hoeffding, Annals of Mathematical Statistics 19 (1948) 293-325. Bamber, Journal of Mathematical Psychology 12
    (1975) 387-415. Dreiseitl, Ohno-Machado & Binder, Medical Decision Making 20 (2000) 323-331. Gallas, Academic
    Radiology 13 (2006) 353-362.
    """

    name: ClassVar[str] = "unbiased"

    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """The unbiased covariance; it may be negative or indefinite in tiny samples."""
        return Uncertainty(unbiased_covariance(measure, samples, statistics))

    def part_variances(
        self, measure: Measure, sample: Sample, parts: Mapping[str, Statistic]
    ) -> Callable[[str], float]:
        """From the key of a part of the measure to its unbiased variance."""
        return lambda key: float(unbiased_covariance(measure, [sample], [parts[key]], key)[0, 0])


def unbiased_covariance(
    measure: Measure,
    samples: Sequence[Sample],
    statistics: Sequence[Statistic] | None = None,
    part: str | None = None,
) -> FloatArray:
    """The unbiased covariance of a measure, or of one of its parts, of classifiers on the same cases.

    Parameters
    ----------
    measure
        A measure that declares its `outcomes`.
    samples
        One sample per classifier, all of the same `Scores`.
    statistics
        The measure, or the part, of these samples, if it was computed already.
    part
        The key of a part, such as "A(a|b)"; None for the measure itself.
    """
    method = Unbiased()
    scores = samples[0].scores
    require_formula(method, measure, lambda candidate: candidate.outcomes is not None)
    require_plain_cases(method, scores)
    outcomes = _outcomes(method, measure, samples[0], part)
    undefined = np.full((len(samples), len(samples)), np.nan)
    if scores.absent:
        return undefined
    fewest = min(scores.counts[k] for of_tuples in outcomes for k in of_tuples.classes)
    if fewest < 2:
        return undefined
    statistics = statistics or [_statistic(measure, sample, part) for sample in samples]
    influence = covariance([statistic.strata() for statistic in statistics], scores)
    unbiased = influence - np.sum(
        [_counted_twice(of_tuples.shared(samples), scores.counts) for of_tuples in outcomes], axis=0
    )
    scale = np.sqrt(np.outer(np.diag(influence), np.diag(influence))) + 1.0 / (fewest - 1) ** 2
    return np.where(np.abs(unbiased) > ROUNDING * scale, unbiased, 0.0)  # a variance of 0 must not be negative


def _statistic(measure: Measure, sample: Sample, part: str | None) -> Statistic:
    statistic = measure(sample)
    return statistic if part is None or statistic.parts is None else statistic.parts()[part]


def _outcomes(method: Unbiased, measure: Measure, sample: Sample, part: str | None) -> Sequence[TupleOutcomes]:
    """The tuples of cases whose outcomes make up the measure, or one of its parts."""
    assert measure.outcomes is not None
    outcomes = measure.outcomes(sample)
    if outcomes is None:
        raise NotApplicableError(
            f"{method} has no formula for {measure} of {sample.classes} classes; use ", GENERAL_METHODS, "."
        )
    return outcomes[None] if part is None else outcomes[part]


def _counted_twice(shared: Mapping[frozenset[int], FloatArray], counts: IntArray) -> FloatArray:
    """Sum over the sets A of two classes or more of (-1)^|A| V_A / product over k in A of (n_k - 1).

    Parameters
    ----------
    shared
        By set of classes B, the mean product of the outcomes of two tuples that have their cases of these classes
        in common, less the product of the values: the sum of V_A over the sets A inside B.
    counts
        The class sizes.
    """
    terms = [
        sum((-1) ** len(B) * product for B, product in shared.items() if B <= A)
        / prod(int(counts[k]) - 1 for k in A)
        for A in shared
        if len(A) > 1
    ]
    return np.asarray(np.sum(terms, axis=0))
