"""The volume of three ordered classes: the mean worth of chains x, y, z of one case per class."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.dominance import Places, places, relations
from polyroc.measures import Sample
from polyroc.measures.ordered import vus

__all__ = ["TripleOutcomes"]

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
