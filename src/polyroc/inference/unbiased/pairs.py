"""Measures that are mean outcomes of pairs of cases: the area under the ROC curve, Hand & Till's M."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.dominance import Places, concordance, places
from polyroc.measures import Sample

__all__ = ["PairOutcomes", "pairs_of", "pairs_of_parts"]


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
