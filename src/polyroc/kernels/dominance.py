"""Two scores judge the same pairs of cases: how often they agree. A count of points below and to the left."""

from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import IntArray
from polyroc.kernels.compiling import kernel

__all__ = ["Places", "concordance"]


class Places(NamedTuple):
    """Where one score puts the cases x of one class among the cases z of another.

    Attributes
    ----------
    x_order, z_order
        What sorts the x, and what sorts the z: positions in the order given.
    below, up_to
        For each x in the order given, how many z are smaller, and how many are smaller or equal.
    """

    x_order: IntArray
    z_order: IntArray
    below: IntArray
    up_to: IntArray

    @property
    def pairs(self) -> int:
        """How many pairs (x, z) there are."""
        return len(self.x_order) * len(self.z_order)

    @property
    def won(self) -> int:
        """The sum of sign(x - z) over all pairs."""
        return int((self.below + self.up_to).sum()) - self.pairs

    @property
    def tied(self) -> int:
        """The number of pairs with x = z."""
        return int((self.up_to - self.below).sum())


@kernel
def _insert(tree: IntArray, place: int) -> None:
    """Fenwick's tree: one more at this place (counted from 0)."""
    i = place + 1
    while i < len(tree):
        tree[i] += 1
        i += i & -i


@kernel
def _count(tree: IntArray, below: int) -> int:
    """How many are at places smaller than `below`."""
    held, i = 0, below
    while i > 0:
        held += tree[i]
        i -= i & -i
    return held


@kernel
def _won_within(limits: IntArray, below: IntArray, up_to: IntArray, places: IntArray) -> int:
    """The sum of sign(x - z) over all x and the first `limits[x]` of the z; the limits never fall."""
    tree = np.zeros(len(places) + 1, dtype=np.int64)
    held, won = 0, 0
    for i in range(len(limits)):
        while held < limits[i]:
            _insert(tree, places[held])
            held += 1
        won += _count(tree, below[i]) + _count(tree, up_to[i]) - held
    return won


def concordance(a: Places, b: Places) -> int:
    """Pairs (x, z) that two scores order alike, less those they order differently; a tie in either counts 0.

    It is the sum over all pairs of sign(a(x) - a(z)) sign(b(x) - b(z)), as in Kendall's tau but between two
    classes. One sweep along a; a Fenwick tree counts along b: O(n log n) for n cases.

    >>> a = Places(np.array([0, 1]), np.array([0, 1]), np.array([0, 1]), np.array([1, 2]))  # 1, 2 among 1, 2
    >>> b = Places(np.array([1, 0]), np.array([0, 1]), np.array([2, 0]), np.array([2, 0]))  # 5, 0 among 1, 2
    >>> concordance(a, a), concordance(a, b)
    (2, -2)
    """
    if a is b:
        return a.pairs - a.tied
    x, places = a.x_order, np.empty_like(b.z_order)
    places[b.z_order] = np.arange(len(places))
    places = places[a.z_order]
    below, up_to = b.below[x], b.up_to[x]
    smaller = _won_within(a.below[x], below, up_to, places)
    if a.tied == 0:
        return 2 * smaller - b.won
    return smaller + _won_within(a.up_to[x], below, up_to, places) - b.won
