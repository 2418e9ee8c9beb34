"""Pairs of cases of two classes that rise along one variable, in the order of another: O(n log n)."""

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.fenwick import add_at, prefix_sum
from polyroc.kernels.jit import kernel

__all__ = ["rising_pairs"]


@kernel
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
    trees, inside = np.zeros((2, len(code) + 1)), np.zeros(2)
    for k in range(len(edges) - 1):
        # Look up before and after inserting the block: the difference is what the block itself contributes.
        block = range(edges[k], edges[k + 1])
        for i in block:
            if code[i] < 2:
                out[0, i] = _partners(trees, inside, code[i], below[i], up_to[i])
        for i in block:
            if code[i] < 2:
                add_at(trees[code[i]], place[i], weight[i])
                inside[code[i]] += weight[i]
        for i in block:
            if code[i] < 2:
                alone = len(block) == 1
                out[1, i] = 0.0 if alone else _partners(trees, inside, code[i], below[i], up_to[i]) - out[0, i]


@kernel
def _partners(trees: FloatArray, inside: FloatArray, code: int, below: int, up_to: int) -> float:
    """The weight of the cases of the other class with smaller d (class 1) or larger d (class 0), ties one half."""
    smaller = 0.5 * (prefix_sum(trees[1 - code], below) + prefix_sum(trees[1 - code], up_to))
    return inside[1] - smaller if code == 0 else smaller
