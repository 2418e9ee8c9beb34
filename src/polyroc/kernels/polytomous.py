"""Polytomous discrimination: the probability that the case of one class is the highest of one case per class.

Let class j have the share L_j of its cases below a value v, and the share E_j at v. A case at v is the highest
among one random case of each other class, counting 1/(1 + m) where m of them tie with it, with probability

    integral from 0 to 1 of  prod_j (L_j + t E_j)  dt,        because t^m integrates to 1/(1 + m).

The integrand is a polynomial of degree c - 1, so the Gauss-Legendre rule with ceil(c/2) nodes is
exact up to rounding: O(c^2) per case instead of 2^c sets of ties.
"""

from functools import lru_cache

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.jit import kernel

__all__ = ["highest", "highest_without"]


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


@kernel(steps=lambda below, _tied, nodes, *_: 4 * below.size * len(nodes))
def _highest_without(
    below: FloatArray,
    tied: FloatArray,
    nodes: FloatArray,
    weights: FloatArray,
    beats: FloatArray,
    ties: FloatArray,
) -> None:
    others = below.shape[1]
    factor, before = np.empty(others), np.empty(others)
    for d in range(len(below)):
        beats[d], ties[d] = 0.0, 0.0
        for q in _which(tied[d], nodes):
            product = weights[q]
            for j in range(others):
                factor[j] = below[d, j] + nodes[q] * tied[d, j]
                before[j] = product
                product *= factor[j]
            after = 1.0
            # Products without factor j from prefix and suffix products; a division could be by 0.
            for j in range(others - 1, -1, -1):
                beats[d, j] += before[j] * after
                ties[d, j] += nodes[q] * before[j] * after
                after *= factor[j]


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


def highest_without(below: FloatArray, tied: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The same at [case, j] given that the case of the j-th other class lies below, and given that it ties.

    >>> beats, ties = highest_without(np.array([[0.5, 0.8]]), np.array([[0.5, 0.2]]))
    >>> beats.round(4), ties.round(4)
    (array([[0.9 , 0.75]]), array([[0.4667, 0.4167]]))
    """
    beats, ties = np.empty(below.shape), np.empty(below.shape)
    _highest_without(below, tied, *_rules(below.shape[1] + 1), beats, ties)
    return beats, ties
