"""Fenwick's binary indexed tree: prefix sums of numbers that change, each step O(log n).

Fenwick, Software: Practice and Experience 24 (1994) 327-336. A tree for n places is an array of n + 1 zeros. Node
i (from 1) holds the sum of the last (i & -i) places up to i, where i & -i is the lowest bit of i.
"""

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.jit import kernel

__all__ = ["add_at", "prefix_sum"]


@kernel
def add_at(tree: FloatArray, place: int, amount: float) -> None:
    """Add an amount at a place, counted from 0."""
    i = place + 1
    while i < len(tree):
        tree[i] += amount
        i += i & -i  # the next node whose range contains the place


@kernel
def prefix_sum(tree: FloatArray, below: int) -> float:
    """The sum of the places smaller than `below`."""
    total, i = 0.0, below
    while i > 0:
        total += tree[i]
        i -= i & -i  # the node that ends where the range of this one begins
    return total
