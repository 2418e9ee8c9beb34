"""Three classes judged by two variables: sums over pairs of cases, in the order of one, placed along the other."""

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.fenwick import held, insert
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
    """Weigh, for each case of class 0 and 1, the cases of the other that make a pair which rises along d.

    A pair rises if d is smaller for the case of class 0; a tie counts one half. Fenwick trees along d: O(n log n).

    Parameters
    ----------
    edges
        Cases come in blocks, block k at edges[k] .. edges[k + 1].
    code
        The class of each case; all but 0 and 1 are passed over.
    place, below, up_to
        The place of each case along d in its own class; how many cases of the other have a smaller d, and how many
        a smaller or an equal one.
    weight
        Of each case.
    out
        Is given, at [0, case], the weight of the partners in earlier blocks, and at [1, case] in its own block.
    """
    trees, inside = np.zeros((2, len(code) + 1)), np.zeros(2)
    for k in range(len(edges) - 1):
        block = range(edges[k], edges[k + 1])
        for i in block:
            if code[i] < 2:
                out[0, i] = _partners(trees, inside, code[i], below[i], up_to[i])
        for i in block:
            if code[i] < 2:
                insert(trees[code[i]], place[i], weight[i])
                inside[code[i]] += weight[i]
        for i in block:
            if code[i] < 2:
                alone = len(block) == 1
                out[1, i] = 0.0 if alone else _partners(trees, inside, code[i], below[i], up_to[i]) - out[0, i]


@kernel
def _partners(trees: FloatArray, inside: FloatArray, code: int, below: int, up_to: int) -> float:
    """The weight of the cases of the other class on the right side of a case, ties one half."""
    smaller = 0.5 * (held(trees[1 - code], below) + held(trees[1 - code], up_to))
    return inside[1] - smaller if code == 0 else smaller
