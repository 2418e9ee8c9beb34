"""Pairwise areas and their structural components from binned counts, by running sums along the bins.

O(bins x classes) for each column. Cases of one bin tie (one half); where the scores of a bin differ (it is mixed),
the pairs inside it are undecided, and their weight bounds the error.
"""

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.kernels.jit import kernel

__all__ = ["add_areas", "binned_components"]


@kernel
def add_areas(weight: FloatArray, mixed: BoolArray, i: int, sums: FloatArray) -> None:
    """Add pairs of a case of class i and one of each class j, in some bins above those that were added before.

    `weight` is at [bin, class]. At [:, j], `sums` are the weight of class j, the weight of the pairs that are won
    (ties one half), what rounding lost of it, and the weight of the pairs that are undecided. Sums are
    compensated: what each addition loses (Knuth, The Art of Computer Programming 2, section 4.2.2, theorem B) is
    summed as well, so that the rounding error does not grow with the number of bins.
    """
    for j in range(weight.shape[1]):  # the outer loop, so that the sums of one class stay in registers
        below, total, lost, undecided = sums[0, j], sums[1, j], sums[2, j], sums[3, j]
        for b in range(len(weight)):
            own, here = weight[b, i], weight[b, j]
            term = own * (below + 0.5 * here)
            larger = total + term
            added = larger - total
            lost += (total - (larger - added)) + (term - added)
            total = larger
            undecided += own * here if mixed[b] else 0.0
            below += here
        sums[0, j], sums[1, j], sums[2, j], sums[3, j] = below, total, lost, undecided


@kernel
def binned_components(
    weight: FloatArray,
    totals: FloatArray,
    mixed: BoolArray,
    i: int,
    slope: FloatArray,
    loss: FloatArray,
    table: FloatArray,
    errors: FloatArray,
) -> None:
    """Components of the sum over j of slope[j] A(i|j), at [bin, class], and the bounds of their errors.

    The component of a case of class i is the share of each class j below it, times slope[j]; that of a case of
    class j is the share of class i above it, times loss[j]. In a mixed bin, the share in the bin counts one half
    where it is 0 or 1 in truth: half of it bounds the error.
    """
    c = weight.shape[1]
    below, here = np.zeros(c), np.zeros(c)
    for b in range(len(weight)):
        won = undecided = 0.0
        for j in range(c):
            here[j] = weight[b, j] / totals[j]
            won += slope[j] * (below[j] + 0.5 * here[j])
            undecided += 0.5 * slope[j] * here[j]
        lost = 1.0 - below[i] - 0.5 * here[i]
        for j in range(c):
            table[b, j] = loss[j] * lost
            if mixed[b]:
                errors[b, j] = 0.5 * loss[j] * here[i]
            below[j] += here[j]
        table[b, i] = won  # instead of what the loop wrote for class i
        if mixed[b]:
            errors[b, i] = undecided
