"""Polytomous discrimination: the probability that the case of one class is the highest of one case per class.

Let class j have the share L_j of its cases below a value v, and the share E_j at v. A case at v is the highest
among one random case of each other class, counting 1/(1 + m) where m of them tie with it, with probability

    integral from 0 to 1 of  prod_j (L_j + t E_j)  dt,        because t^m integrates to 1/(1 + m).

The integrand is a polynomial of degree c - 1, so the Gauss-Legendre rule with ceil(c/2) nodes is
exact up to rounding: O(c^2) per case instead of 2^c sets of ties.
"""

from functools import lru_cache

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["Column", "highest"]


@lru_cache
def _rules(classes: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights on [0, 1]: first the rule of one node, for a case without ties, then the full rule."""
    nodes, weights = np.polynomial.legendre.leggauss((classes + 1) // 2)
    return np.append(0.5, (1.0 + nodes) / 2.0), np.append(1.0, weights / 2.0)


@kernel
def _which(tied: FloatArray, nodes: FloatArray) -> range:
    """The positions of the nodes to use for a case, given the shares that tie with it: without ties, one."""
    for share in tied:
        if share > 0.0:
            return range(1, len(nodes))
    return range(1)


@kernel(steps=lambda below, _tied, nodes, *_: below.size * len(nodes))
def _highest(below: FloatArray, tied: FloatArray, nodes: FloatArray, weights: FloatArray, out: FloatArray) -> None:
    for d in range(len(below)):
        out[d] = 0.0
        for q in _which(tied[d], nodes):
            product = weights[q]
            for j in range(below.shape[1]):
                product *= below[d, j] + nodes[q] * tied[d, j]
            out[d] += product


@kernel(steps=lambda below, _tied, _mass, nodes, *_: 4 * below.size * len(nodes))
def _sums_without(
    below: FloatArray,
    tied: FloatArray,
    mass: FloatArray,
    nodes: FloatArray,
    weights: FloatArray,
    beats: FloatArray,
    ties: FloatArray,
) -> None:
    """Sums over the first cases of the share of each times the probability that it is the highest.

    At [cases, j] given that the case of the j-th other class lies below, and given that it ties.
    """
    others = below.shape[1]
    factor, before, beat, tie = np.empty(others), np.empty(others), np.empty(others), np.empty(others)
    for d in range(len(below)):
        for j in range(others):
            beat[j], tie[j] = 0.0, 0.0
        for q in _which(tied[d], nodes):
            product = weights[q]
            for j in range(others):
                factor[j] = below[d, j] + nodes[q] * tied[d, j]
                before[j] = product
                product *= factor[j]
            after = 1.0
            # Products without factor j from prefix and suffix products; a division could be by 0.
            for j in range(others - 1, -1, -1):
                beat[j] += before[j] * after
                tie[j] += nodes[q] * before[j] * after
                after *= factor[j]
        share = mass[d + 1] - mass[d]
        for j in range(others):
            beats[d + 1, j] = beats[d, j] + share * beat[j]
            ties[d + 1, j] = ties[d, j] + share * tie[j]


@kernel(steps=lambda row, starts, *_: 2 * len(row) * len(starts))
def _shares(
    row: FloatArray, starts: IntArray, i: int, mass: FloatArray, below: FloatArray, tied: FloatArray
) -> None:
    x, place = row[starts[i] : starts[i + 1]], 0
    for j in range(len(starts) - 1):
        if j == i:
            continue
        z, share = row[starts[j] : starts[j + 1]], mass[starts[j] + j : starts[j + 1] + j + 1]
        smaller, last = 0, 0
        for d in range(len(x)):  # one merge, as in `placements.counts_below`
            if d == 0 or x[d] != x[d - 1]:
                smaller = last
                while smaller < len(z) and z[smaller] < x[d]:
                    smaller += 1
                last = smaller
                while last < len(z) and z[last] == x[d]:
                    last += 1
            below[d, place] = share[smaller]
            tied[d, place] = share[last] - share[smaller]
        place += 1


@kernel(steps=lambda row, _order, starts, *_: 4 * len(row) * len(starts))
def _add_components(
    row: FloatArray,
    order: IntArray,
    starts: IntArray,
    i: int,
    own: FloatArray,
    beats: FloatArray,
    ties: FloatArray,
    totals: FloatArray,
) -> None:
    x, place = row[starts[i] : starts[i + 1]], 0
    for d in range(len(x)):
        totals[starts[i] + order[starts[i] + d]] += own[d]
    for j in range(len(starts) - 1):
        if j == i:
            continue
        z = row[starts[j] : starts[j + 1]]
        lower, upper = 0, 0
        for p in range(len(z)):
            if p == 0 or z[p] != z[p - 1]:
                lower = upper
                while lower < len(x) and x[lower] < z[p]:
                    lower += 1
                upper = lower
                while upper < len(x) and x[upper] == z[p]:
                    upper += 1
            above = beats[len(x), place] - beats[upper, place]
            totals[starts[j] + order[starts[j] + p]] += above + ties[upper, place] - ties[lower, place]
        place += 1


def highest(below: FloatArray, tied: FloatArray) -> FloatArray:
    """For each case, the probability that it is the highest among one random case of each other class.

    Parameters
    ----------
    below, tied
        At [case, j], the share of the j-th other class below the case, and at its value.

    >>> highest(np.array([[0.5, 0.8], [0.5, 0.8], [0.0, 0.0]]), np.array([[0.0, 0.0], [0.5, 0.0], [1.0, 1.0]]))
    array([0.4       , 0.6       , 0.33333333])
    """
    out = np.empty(len(below))
    _highest(below, tied, *_rules(below.shape[1] + 1), out)
    return out


class Column:
    """Column i of cases that are grouped by class and sorted in each: which case of class i is the highest.

    Parameters
    ----------
    row
        The scores of column i; class k at starts[k] .. starts[k + 1], ascending.
    starts, i
        Where each class begins; the class of the column.
    mass
        For each class the share of it up to each of its scores, from 0 to 1: one number more than the class has.

    Attributes
    ----------
    highest
        For each case of class i, ascending: the probability that it has the highest score of one case per class.

    >>> column = Column(np.array([1.0, 3.0, 0.0, 2.0]), np.array([0, 2, 4]), 0, np.array([0, 0.5, 1, 0, 0.5, 1]))
    >>> column.highest
    array([0.5, 1. ])
    """

    def __init__(self, row: FloatArray, starts: IntArray, i: int, mass: FloatArray) -> None:
        self.row, self.starts, self.i, self.mass = row, starts, i, mass
        self._below, self._tied = np.empty((2, starts[i + 1] - starts[i], len(starts) - 2))
        _shares(row, starts, i, mass, self._below, self._tied)
        self.highest = highest(self._below, self._tied)

    def add_components(self, order: IntArray, totals: FloatArray) -> None:
        """Add to the total of each case the probability that the case of class i is the highest, given this case.

        `order` has the position in its class of each of the sorted scores.
        """
        beats, ties = np.zeros((2, len(self.highest) + 1, len(self.starts) - 2))
        _sums_without(self._below, self._tied, self._own_mass, *_rules(len(self.starts) - 1), beats, ties)
        _add_components(self.row, order, self.starts, self.i, self.highest, beats, ties, totals)

    @property
    def _own_mass(self) -> FloatArray:
        return self.mass[self.starts[self.i] + self.i : self.starts[self.i + 1] + self.i + 1]
