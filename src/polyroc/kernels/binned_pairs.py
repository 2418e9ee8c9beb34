"""Pairwise areas and their structural components from binned counts, by running sums along the bins.

O(bins x classes) for each column. Cases of one bin tie (one half); where the scores of a bin differ (it is mixed),
the pairs inside it are undecided, and their weight bounds the error.
"""

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.kernels.jit import kernel

__all__ = ["binned_areas", "binned_components"]


@kernel
def binned_areas(weight: FloatArray, mixed: BoolArray, i: int, won: FloatArray, undecided: FloatArray) -> None:
    """Pairs of a case of class i and one of each class: the weight of those won, ties one half, and undecided.

    `weight` is at [bin, class]. Sums are compensated (Neumaier, Zeitschrift fuer Angewandte Mathematik und
    Mechanik 54 (1974) 39-51): the rounding error does not grow with the number of bins.
    """
    c = weight.shape[1]
    below, lost = np.zeros(c), np.zeros(c)
    for b in range(len(weight)):
        own = weight[b, i]
        for j in range(c):
            here = weight[b, j]
            term = own * (below[j] + 0.5 * here)
            total = won[j] + term
            # What the addition lost: the low part of the smaller of the two terms.
            lost[j] += (won[j] - total) + term if won[j] >= term else (term - total) + won[j]
            won[j] = total
            if mixed[b]:
                undecided[j] += own * here
            below[j] += here
    for j in range(c):
        won[j] += lost[j]


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
