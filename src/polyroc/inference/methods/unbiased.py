"""Measures that are mean outcomes of pairs of cases: the area under the ROC curve, Hand & Till's M."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from polyroc.errors import NotApplicableError
from polyroc.inference.covariance import covariance
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.concordance import Places, concordance, places, relations
from polyroc.measures.applicability import GENERAL_METHODS, require_measure, require_plain_cases
from polyroc.measures.measure import Measure
from polyroc.measures.ordered import vus
from polyroc.measures.registry import measure as find
from polyroc.measures.sample import Sample

__all__ = ["PairOutcomes", "TripleOutcomes", "Unbiased", "pairs_of", "pairs_of_parts", "unbiased"]


@dataclass(frozen=True, slots=True)
class PairOutcomes:
    """The outcomes of the pairs of two classes: a constant plus the sum of slope x sign(x - z) by column."""

    k: int
    other: int
    slopes: Mapping[int, float]

    @property
    def classes(self) -> tuple[int, int]:
        """The two classes."""
        return self.k, self.other

    def shared(self, samples: Sequence[Sample]) -> dict[frozenset[int], FloatArray]:
        """By set of classes, mean products of the outcomes of pairs that share its cases, less those of values."""
        slopes = np.kron(np.eye(len(samples)), list(self.slopes.values()))
        signs = [_Signs(sample, *self.classes, column) for sample in samples for column in self.slopes]
        by_class = {}
        for k, means in zip(self.classes, ("rows", "columns"), strict=True):
            centred = slopes @ [getattr(each, means) - each.mean for each in signs]
            by_class[frozenset([k])] = centred @ centred.T / centred.shape[1]
        mean = slopes @ [each.mean for each in signs]
        product = slopes @ _products(signs) @ slopes.T
        return {**by_class, frozenset(self.classes): product - np.outer(mean, mean)}


class _Signs:
    """The signs that one column gives to the pairs of two classes, sign(x - z), and their means."""

    def __init__(self, sample: Sample, k: int, m: int, column: int) -> None:
        x, z = ((sample.sorted(i, column), sample.order(i, column)) for i in (k, m))
        self.places = places(*x, *z)
        self.mean = self.places.won / self.places.pairs
        self.rows = _mean_signs(self.places)
        self.columns = -_mean_signs(places(*z, *x))


def _mean_signs(where: Places) -> FloatArray:
    """For each x, the mean of sign(x - z)."""
    found: FloatArray = (where.below + where.up_to) / len(where.z_order) - 1.0
    return found


def _products(signs: Sequence[_Signs]) -> FloatArray:
    """The mean products of the signs of the same pairs: as Kendall's tau, but between two classes."""
    products = np.empty((len(signs), len(signs)))
    for i, a in enumerate(signs):
        for j, b in enumerate(signs[: i + 1]):
            products[i, j] = products[j, i] = concordance(a.places, b.places) / a.places.pairs
    return products


def pairs_of(key: str, sample: Sample) -> list[PairOutcomes]:
    """The pairs of classes whose outcomes make up the measure; psi = (1 + sign) / 2."""
    if key == "hand_till":
        c = sample.classes
        slope = 0.5 / (c * (c - 1))
        return [PairOutcomes(k, m, {k: slope, m: -slope}) for k in range(c) for m in range(k + 1, c)]
    high = 1 if key == "vus" else sample.positive
    assert high is not None
    column = high if sample.values.ndim == 2 else 0
    return [PairOutcomes(high, 1 - high, {column: 1.0 if key == "gini" else 0.5})]


def pairs_of_parts(c: int) -> list[PairOutcomes]:
    """Of the parts of `hand_till`, in their order: every A(i|j), then every A(i,j)."""
    one_way = [PairOutcomes(i, j, {i: 0.5}) for i in range(c) for j in range(c) if i != j]
    both_ways = [PairOutcomes(i, j, {i: 0.25, j: -0.25}) for i in range(c) for j in range(i + 1, c)]
    return one_way + both_ways


# Of a chain x, y, z: at [i, j] for an x below (0), level with (1) or above (2) y, and a z likewise.
WORTH = np.array([[0.0, 1 / 2, 1.0], [0.0, 1 / 6, 1 / 2], [0.0, 0.0, 0.0]])
MIDDLE = np.array([1.0, 0.5, 0.0])  # a rank: those below, and half of those level


class TripleOutcomes:
    """The outcomes of triples of cases: 1 if the score rises, 1/2 if two neighbours tie, 1/6 if all three do."""

    classes = (0, 1, 2)

    def shared(self, samples: Sequence[Sample]) -> dict[frozenset[int], FloatArray]:
        """By set of classes, mean products of outcomes of triples that share its cases, less those of values."""
        markers = [_Marker(sample) for sample in samples]
        found: dict[frozenset[int], FloatArray] = {}
        for i, a in enumerate(markers):
            for j, b in enumerate(markers[: i + 1]):
                for classes, mean in _mean_products(a, b).items():
                    table = found.setdefault(frozenset(classes), np.empty((len(markers), len(markers))))
                    table[i, j] = table[j, i] = mean - a.value * b.value
        return found


class _Marker:
    """One score, and the mean worth of the chains through given cases.

    Attributes
    ----------
    value, by_case
        Of all chains; of those through each x, through each y, through each z.
    y_x, y_z, z_x
        Where each y is among the x and among the z, and each z among the x.
    xy, yz
        At [i, y], of the chains through y and an x (or a z) below, level with or above it.
    xz, rank
        Of the chains through z and an x below, level with or above it: rank[0] xz[0] + rank[1] xz[1] at [i, z],
        with rank[0] = 1 and rank[1] that of x among the y, as a share, ties counting half.
    """

    def __init__(self, sample: Sample) -> None:
        statistic = vus(sample)
        self.value = statistic.value
        self.by_case = [_unsorted(each.components, sample.order(k)) for k, each in enumerate(statistic.strata())]
        self.y_x, self.y_z, self.z_x = _places(sample, 1, 0), _places(sample, 1, 2), _places(sample, 2, 0)
        self.xy, self.yz = WORTH @ self.y_z.shares, WORTH.T @ self.y_x.shares
        x_among_y, z_among_y = _places(sample, 0, 1).shares, _places(sample, 2, 1).shares
        self.rank = np.ones(x_among_y.shape[1]), MIDDLE @ x_among_y
        between = np.stack([MIDDLE @ z_among_y, z_among_y[1] / 6, np.zeros(z_among_y.shape[1])])
        self.xz = between, np.array([[-1.0], [0.0], [0.0]])


def _places(sample: Sample, k: int, m: int) -> Places:
    return places(sample.sorted(k), sample.order(k), sample.sorted(m), sample.order(m))


def _unsorted(values: FloatArray, order: IntArray) -> FloatArray:
    found = np.empty_like(values)
    found[order] = values
    return found


def _mean_products(a: _Marker, b: _Marker) -> dict[tuple[int, ...], float]:
    """By classes shared, the mean product of the worth of two chains with these cases in common, by a and by b."""
    n_x, n_y, n_z = map(len, a.by_case)
    x, z = relations(a.y_x, b.y_x), relations(a.y_z, b.y_z)  # where x, and z, are as seen from y
    xz = 0.0
    for p, q in product((0, 1), repeat=2):
        seen = relations(a.z_x, b.z_x, a.rank[p] * b.rank[q])
        xz += _sum(seen, a.xz[p], b.xz[q])
    return {
        **{(k,): float((one * two).mean()) for k, (one, two) in enumerate(zip(a.by_case, b.by_case, strict=True))},
        (0, 1): _sum(x, a.xy, b.xy) / (n_x * n_y),
        (0, 2): xz / (n_x * n_z),
        (1, 2): _sum(z, a.yz, b.yz) / (n_y * n_z),
        (0, 1, 2): np.einsum("ijy,ik,jl,kly", x, WORTH, WORTH, z) / (n_x * n_y * n_z),
    }


def _sum(seen: FloatArray, one: FloatArray, two: FloatArray) -> float:
    """Over all cases and what is seen from them by two scores, the product of what the scores make of it."""
    return float((seen * one[:, None] * two[None]).sum())


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
            f"The unbiased variance of vus is for two or three classes, here {sample.classes}; use ",
            GENERAL_METHODS,
            ".",
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
