"""Fenwick's tree: numbers at places, of which any first few are added up in a few steps (Fenwick 1994).

A tree for n places is an array of n + 1 zeros.
"""

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.jit import kernel

__all__ = ["held", "insert"]


@kernel
def insert(tree: FloatArray, place: int, amount: float) -> None:
    """So much more at this place, counted from 0."""
    i = place + 1
    while i < len(tree):
        tree[i] += amount
        i += i & -i


@kernel
def held(tree: FloatArray, below: int) -> float:
    """How much there is at places smaller than `below`."""
    found, i = 0.0, below
    while i > 0:
        found += tree[i]
        i -= i & -i
    return found
