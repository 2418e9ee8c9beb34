"""Concordance of two variables over the same pairs of cases (x, z) of two classes.

For each x, the weights of the z that are below, level with or above it by either variable: a sweep along one
variable with a Fenwick tree along the other, O(n log n). The covariance of two AUCs and Kendall's tau between
classes are sums of these.
"""

from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel
from polyroc.kernels.placements import counts_below

__all__ = ["Places", "concordance", "dominance", "places", "relations", "rising_pairs"]


# Fenwick's binary indexed tree (Software: Practice and Experience 24, 1994, 327-336): prefix sums of numbers that
# change, each step O(log n). A tree for n places is an array of n + 1 zeros. Node i (from 1) holds the sum of the
# last (i & -i) places up to i, where i & -i is the lowest bit of i.


@kernel
def _add_at(tree: FloatArray, place: int, amount: float) -> None:
    """Add an amount at a place, counted from 0."""
    i = place + 1
    while i < len(tree):
        tree[i] += amount
        i += i & -i  # the next node whose range contains the place


@kernel
def _prefix_sum(tree: FloatArray, below: int) -> float:
    """The sum of the places smaller than `below`."""
    total, i = 0.0, below
    while i > 0:
        total += tree[i]
        i -= i & -i  # the node that ends where the range of this one begins
    return total


class Places(NamedTuple):
    """Where one score puts the cases x of one class among the cases z of another.

    Attributes
    ----------
    x_order, z_order
        The permutations that sort the x and the z.
    below, up_to
        For each x in the order given, the number of z that are smaller, and smaller or equal.
    """

    x_order: IntArray
    z_order: IntArray
    below: IntArray
    up_to: IntArray

    @property
    def pairs(self) -> int:
        """The number of pairs (x, z)."""
        return len(self.x_order) * len(self.z_order)

    @property
    def won(self) -> int:
        """The sum of sign(x - z) over all pairs."""
        return int(self.below.sum() + self.up_to.sum()) - self.pairs

    @property
    def shares(self) -> FloatArray:
        """At [i, x], the share of z below (0), level with (1) and above (2) x."""
        n = len(self.z_order)
        return np.stack([self.below, self.up_to - self.below, n - self.up_to]) / n

    def within(self, weight: FloatArray | None) -> FloatArray:
        """At [i, x], the weight of the z below x (0), of those up to it (1) and of all (2)."""
        if weight is None:
            return np.stack([self.below, self.up_to, np.full_like(self.below, len(self.z_order))]) * 1.0
        mass = np.concatenate([[0.0], np.cumsum(weight[self.z_order])])
        return np.stack([mass[self.below], mass[self.up_to], np.full(len(self.below), mass[-1])])


def places(x: FloatArray, x_order: IntArray, z: FloatArray, z_order: IntArray) -> Places:
    """The places of the x among the z, from both samples sorted and the permutations that sorted them."""
    below, up_to = np.empty_like(x_order), np.empty_like(x_order)
    below[x_order], up_to[x_order] = counts_below(x, z)
    return Places(x_order, z_order, below, up_to)


@kernel(
    steps=lambda order, _limits, _below, _up_to, rank, *_: (2 * len(order) + len(rank)) * len(rank).bit_length()
)
def _sweep(
    order: IntArray,
    limits: IntArray,
    below: IntArray,
    up_to: IntArray,
    rank: IntArray,
    weight: FloatArray,
    out: FloatArray,
) -> None:
    """For each x, the weight of its first `limits[x]` z, as far as their rank is below, and up to, that of x."""
    tree = np.zeros(len(rank) + 1)
    inserted = 0
    for x in order:  # by ascending first score, so that the limits never fall: every z is inserted once
        while inserted < limits[x]:
            _add_at(tree, rank[inserted], weight[inserted])
            inserted += 1
        out[0, x] = _prefix_sum(tree, below[x])
        out[1, x] = _prefix_sum(tree, up_to[x])


def dominance(a: Places, b: Places, weight: FloatArray | None = None) -> FloatArray:
    """At [i, j, x], the weight of the z that a puts below x (i = 0) or up to it (1), and b too (j = 0 or 1).

    One sweep along a (two if it has ties); a Fenwick tree adds up along b: O(n log n) for n cases.

    Parameters
    ----------
    a, b
        Where two scores put the same x among the same z.
    weight
        Of each z, in the order given; None if every z counts one.

    >>> a = Places(np.array([0, 1]), np.array([0, 1]), np.array([0, 1]), np.array([1, 2]))  # 1, 2 among 1, 2
    >>> b = Places(np.array([1, 0]), np.array([0, 1]), np.array([2, 0]), np.array([2, 0]))  # 5, 0 among 1, 2
    >>> dominance(a, b)[1, 1].tolist(), dominance(a, a)[1, 0].tolist()
    ([1.0, 0.0], [0.0, 1.0])
    """
    if a is b:
        below, up_to, _ = a.within(weight)
        return np.array([[below, below], [below, up_to]])
    weight = np.ones(len(a.z_order)) if weight is None else weight
    # The places of the z along b, listed in the order of a. Ties along b need no care: limits are counts of z.
    rank = np.empty_like(b.z_order)
    rank[b.z_order] = np.arange(len(rank))
    rank, weight = rank[a.z_order], weight[a.z_order]
    weights = np.empty((2, 2, len(a.x_order)))
    _sweep(a.x_order, a.below, b.below, b.up_to, rank, weight, weights[0])
    if (a.below == a.up_to).all():  # no ties along a
        weights[1] = weights[0]
    else:
        _sweep(a.x_order, a.up_to, b.below, b.up_to, rank, weight, weights[1])
    return weights


def relations(a: Places, b: Places, weight: FloatArray | None = None) -> FloatArray:
    """At [i, j, x], the weight of the z that a puts below (i = 0), level with (1) or above (2) x, b likewise (j).

    The parameters are those of `dominance`.

    >>> a = Places(np.array([0, 1]), np.array([0, 1]), np.array([0, 1]), np.array([1, 2]))  # 1, 2 among 1, 2
    >>> b = Places(np.array([1, 0]), np.array([0, 1]), np.array([2, 0]), np.array([2, 0]))  # 5, 0 among 1, 2
    >>> relations(a, b)[:, :, 1].tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    within = np.empty((3, 3, len(a.x_order)))
    within[:, 2], within[2] = a.within(weight), b.within(weight)
    within[:2, :2] = dominance(a, b, weight)
    # From cumulative weights (below, up to, all) to those of each relation, by differences along either score.
    for by_score in (within, within.swapaxes(0, 1)):
        by_score[2] -= by_score[1]
        by_score[1] -= by_score[0]
    return within


def concordance(a: Places, b: Places) -> float:
    """Concordant less discordant pairs (x, z) of two scores; a tie in either counts 0.

    It is the sum over all pairs of sign(a(x) - a(z)) sign(b(x) - b(z)), as in Kendall's tau but between two
    classes. Each sign is 1[z < x] + 1[z <= x] - 1; multiplied out, the products of indicators are `dominance`.
    """
    return float(dominance(a, b).sum()) - a.won - b.won - a.pairs


@kernel(steps=lambda _edges, code, *_: 3 * len(code) * len(code).bit_length() // 2)
def rising_pairs(
    edges: IntArray,
    code: CodeArray,
    place: IntArray,
    below: IntArray,
    up_to: IntArray,
    weight: FloatArray,
    out: FloatArray,
) -> None:
    """For each case of class 0 and 1, the weight of the cases of the other class with which it rises along d.

    A pair rises if d is smaller for the case of class 0; a tie counts one half. One Fenwick tree per class, along
    d.

    Parameters
    ----------
    edges
        Cases come in blocks, block k at edges[k] .. edges[k + 1].
    code
        The class of each case; cases of other classes than 0 and 1 are skipped.
    place, below, up_to
        The place of each case along d in its own class; the numbers of cases of the other class with a smaller d,
        and with a smaller or equal d.
    weight
        Of each case.
    out
        Written to: at [0, case], the weight of the partners in earlier blocks, and at [1, case] in its own block.
    """
    places = 0  # of the larger class: smaller trees fit the cache
    for i in range(len(place)):
        places = max(places, place[i] + 1)
    trees, inside = np.zeros((2, places + 1)), np.zeros(2)
    for k in range(len(edges) - 1):
        # Look up before and after inserting the block: the difference is what the block itself contributes.
        block = range(edges[k], edges[k + 1])
        for i in block:
            if code[i] < 2:
                out[0, i] = _partners(trees, inside, code[i], below[i], up_to[i])
        for i in block:
            if code[i] < 2:
                _add_at(trees[code[i]], place[i], weight[i])
                inside[code[i]] += weight[i]
        for i in block:
            if code[i] < 2:
                alone = len(block) == 1
                out[1, i] = 0.0 if alone else _partners(trees, inside, code[i], below[i], up_to[i]) - out[0, i]


@kernel
def _partners(trees: FloatArray, inside: FloatArray, code: int, below: int, up_to: int) -> float:
    """The weight of the cases of the other class with smaller d (class 1) or larger d (class 0), ties one half."""
    smaller = 0.5 * (_prefix_sum(trees[1 - code], below) + _prefix_sum(trees[1 - code], up_to))
    return inside[1] - smaller if code == 0 else smaller
