"""From DeLong's covariance to the unbiased one: inclusion and exclusion over the classes that tuples share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from polyroc.errors import NotApplicableError
from polyroc.inference.refusals import INSTEAD, require_measure, require_plain_cases
from polyroc.inference.unbiased.pairs import PairOutcomes, pairs_of, pairs_of_parts
from polyroc.inference.unbiased.triples import TripleOutcomes
from polyroc.inference.variance import covariance
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures import Measure, Sample
from polyroc.measures import measure as find

__all__ = ["Unbiased", "unbiased"]

ROUNDING = 1e-14  # of means of products of numbers up to 1, and of a variance relative to DeLong's


@dataclass(frozen=True, slots=True)
class Unbiased:
    """The exactly unbiased variance of `auc`, `gini`, `hand_till` and three-class `vus`, whatever sizes and ties.

    A measure that is a mean outcome over tuples of cases, one per class, estimates its own square with a bias: the
    variance. The mean product of the outcomes of two tuples that share no case has none. So

        variance   = value^2 - mean product of outcomes over pairs of tuples without a common case
        covariance = value of one classifier x value of the other - the same mean, one outcome from each

    Split the outcomes as an analysis of variance does, into what is due to each class (the components), to each
    pair of classes, to three. With V_A the mean square (or product) of what is due to the classes in A together,

        variance = sum over sets of classes A of  (-1)^(|A| + 1) V_A / product over k in A of (n_k - 1)

    The sets of one class make DeLong's variance. It counts what is due to two classes twice, once for each, and
    is too large by that much on average: in `auc` 4 % for 10 and 15 cases, 1 % for some 30 a class; in `vus` 10 %
    for 8, 10 and 7 cases. O(n log n) for n cases.

    What has no bias need not be positive: in tiny samples the variance of `hand_till`, and that of a difference
    between classifiers, can come out negative, and the covariance matrix singular or indefinite. They are given as
    they come. (No sample with a negative variance of `auc` or `vus` is known: of `auc` there is none without ties
    up to 8 and 8 cases, nor with ties up to 4 and 4; of `vus` none without ties up to 3 cases a class, nor with
    ties for 2.) Every class that the measure looks at needs two cases, nan otherwise. Not for `sample_weight` or
    `groups`, nor for `vus` of four classes or more.

    References
    ----------
    Hoeffding, Annals of Mathematical Statistics 19 (1948) 293-325. Bamber, Journal of Mathematical Psychology 12
    (1975) 387-415. Dreiseitl, Ohno-Machado & Binder, Medical Decision Making 20 (2000) 323-331. Gallas, Academic
    Radiology 13 (2006) 353-362.
    """


def unbiased(measure: str | Measure, samples: Sequence[Sample], part: str | None = None) -> FloatArray:
    """The unbiased covariance matrix of a measure, or of one of its parts, of classifiers on the same cases.

    Parameters
    ----------
    measure
        "auc", "gini", "hand_till" or "vus" (of two or three classes).
    samples
        The classifiers, all of the same `Scores`.
    part
        The key of a part of `hand_till`, such as "A(a|b)"; None for the measure itself.
    """
    measure, scores = find(measure), samples[0].scores
    require_measure(Unbiased(), measure, ("auc", "gini", "hand_till", "vus"))
    require_plain_cases(Unbiased(), scores)
    outcomes = _outcomes(measure.key, samples[0])
    nothing = np.full((len(samples), len(samples)), np.nan)
    if scores.absent:
        return nothing
    statistics = [measure(sample) for sample in samples]
    if part is not None:
        parts = [statistic.parts() if statistic.parts is not None else {} for statistic in statistics]
        outcomes = [dict(zip(parts[0], pairs_of_parts(scores.n_classes), strict=True))[part]]
        statistics = [each[part] for each in parts]
    fewest = min(scores.counts[k] for each in outcomes for k in each.classes)
    if fewest < 2:
        return nothing
    delong = covariance([statistic.strata() for statistic in statistics], scores)
    found = delong - np.sum([_counted_twice(each.shared(samples), scores.counts) for each in outcomes], axis=0)
    scale = np.sqrt(np.outer(np.diag(delong), np.diag(delong))) + 1.0 / (fewest - 1) ** 2
    return np.where(np.abs(found) > ROUNDING * scale, found, 0.0)  # a variance of 0 must not come out negative


def _outcomes(key: str, sample: Sample) -> Sequence[PairOutcomes | TripleOutcomes]:
    """The tuples of cases whose outcomes make up the measure."""
    if key != "vus" or sample.classes == 2:
        return pairs_of(key, sample)
    if sample.classes > 3:
        raise NotApplicableError(
            f"Unbiased() has a formula for vus of two or three classes, here {sample.classes}; {INSTEAD}."
        )
    return [TripleOutcomes()]


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
    found = [
        sum((-1) ** len(B) * product for B, product in shared.items() if B <= A)
        / prod(int(counts[k]) - 1 for k in A)
        for A in shared
        if len(A) > 1
    ]
    return np.asarray(np.sum(found, axis=0))
