"""Outcomes of tuples of cases: what a measure that is their mean needs for an unbiased variance.

A measure that is the mean outcome over all tuples of one case per class (an AUC: 1 if the positive of a pair has
the larger score, 1/2 if they tie) declares the outcomes of which it is made (`Measure.outcomes`). From them follow
the mean products of the outcomes of two tuples that share the cases of some classes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol, TypeAlias

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.concordance import Places, concordance, places, relations
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic

__all__ = ["Outcomes", "PairOutcomes", "TripleOutcomes", "TupleOutcomes"]


class TupleOutcomes(Protocol):
    """The outcomes of the tuples of one case of each of some classes."""

    @property
    def classes(self) -> tuple[int, ...]:
        """The classes of the cases."""

    def shared(self, samples: Sequence[Sample]) -> dict[frozenset[int], FloatArray]:
        """By set of classes, mean products of outcomes of tuples that share its cases, less those of the values.

        At [classifier, other classifier]: one outcome from each.
        """


# By part of a measure (None: the measure itself), the terms that its outcomes are the sum of.
Outcomes: TypeAlias = Mapping[str | None, Sequence[TupleOutcomes]]


@dataclass(frozen=True, slots=True)
class PairOutcomes:
    """The outcomes of the pairs of two classes: a constant plus the sum of slope x sign(x - z) by column.

    The outcome 1 for x > z, 1/2 for x = z, 0 for x < z is (1 + sign(x - z)) / 2: a slope of 1/2.
    """

    k: int
    other: int
    slopes: Mapping[int, float]

    @property
    def classes(self) -> tuple[int, int]:
        """The two classes."""
        return self.k, self.other

    def shared(self, samples: Sequence[Sample]) -> dict[frozenset[int], FloatArray]:
        """As in `TupleOutcomes`, by sign products: as Kendall's tau, but between two classes."""
        slopes = np.kron(np.eye(len(samples)), list(self.slopes.values()))
        signs = [_Signs(sample, *self.classes, column) for sample in samples for column in self.slopes]
        by_class = {}
        for k, means in zip(self.classes, ("rows", "columns"), strict=True):
            centred = slopes @ [getattr(table, means) - table.mean for table in signs]
            by_class[frozenset([k])] = centred @ centred.T / centred.shape[1]
        mean = slopes @ [table.mean for table in signs]
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
    return np.asarray((where.below + where.up_to) / len(where.z_order) - 1.0)


def _products(signs: Sequence[_Signs]) -> FloatArray:
    """The mean products of the signs of the same pairs: as Kendall's tau, but between two classes."""
    products = np.empty((len(signs), len(signs)))
    for i, a in enumerate(signs):
        for j, b in enumerate(signs[: i + 1]):
            products[i, j] = products[j, i] = concordance(a.places, b.places) / a.places.pairs
    return products


# The outcome of a chain x, y, z: at [i, j] for an x below (0), level with (1) or above (2) y, and a z likewise.
WORTH = np.array([[0.0, 1 / 2, 1.0], [0.0, 1 / 6, 1 / 2], [0.0, 0.0, 0.0]])
MIDDLE = np.array([1.0, 0.5, 0.0])  # a rank: those below, and half of those level


@dataclass(frozen=True, slots=True)
class TripleOutcomes:
    """The outcomes of triples of cases: 1 if the score rises, 1/2 if two neighbours tie, 1/6 if all three do.

    `compute` is the measure that is their mean, for its value and components.
    """

    compute: Callable[[Sample], Statistic]

    @property
    def classes(self) -> tuple[int, ...]:
        """The three classes."""
        return 0, 1, 2

    def shared(self, samples: Sequence[Sample]) -> dict[frozenset[int], FloatArray]:
        """As in `TupleOutcomes`."""
        markers = [_Marker(sample, self.compute(sample)) for sample in samples]
        products: dict[frozenset[int], FloatArray] = {}
        for i, a in enumerate(markers):
            for j, b in enumerate(markers[: i + 1]):
                for classes, mean in _mean_products(a, b).items():
                    table = products.setdefault(frozenset(classes), np.empty((len(markers), len(markers))))
                    table[i, j] = table[j, i] = mean - a.value * b.value
        return products


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

    def __init__(self, sample: Sample, statistic: Statistic) -> None:
        self.value = statistic.value
        self.by_case = [
            _unsorted(stratum.components, sample.order(k)) for k, stratum in enumerate(statistic.strata())
        ]
        self.y_x, self.y_z, self.z_x = _places(sample, 1, 0), _places(sample, 1, 2), _places(sample, 2, 0)
        self.xy, self.yz = WORTH @ self.y_z.shares, WORTH.T @ self.y_x.shares
        x_among_y, z_among_y = _places(sample, 0, 1).shares, _places(sample, 2, 1).shares
        self.rank = np.ones(x_among_y.shape[1]), MIDDLE @ x_among_y
        between = np.stack([MIDDLE @ z_among_y, z_among_y[1] / 6, np.zeros(z_among_y.shape[1])])
        self.xz = between, np.array([[-1.0], [0.0], [0.0]])


def _places(sample: Sample, k: int, m: int) -> Places:
    return places(sample.sorted(k), sample.order(k), sample.sorted(m), sample.order(m))


def _unsorted(values: FloatArray, order: IntArray) -> FloatArray:
    unsorted = np.empty_like(values)
    unsorted[order] = values
    return unsorted


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
