"""Pairs of classes on one grid of cells: everything is a running sum along the cells."""

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.kernels.jit import kernel

__all__ = ["binned_areas", "binned_components"]


@kernel
def binned_areas(weight: FloatArray, mixed: BoolArray, i: int, won: FloatArray, inside: FloatArray) -> None:
    """Pairs of a case of class i and one of each class: the weight of those won, ties one half, and undecided.

    At [cell, class], `weight` is that of the class in the cell; where `mixed`, the scores in a cell differ, and
    pairs inside it are undecided. Sums are compensated (Neumaier 1974): millions of cells leave no more rounding
    than a few.
    """
    c = weight.shape[1]
    below, lost = np.zeros(c), np.zeros(c)
    for cell in range(len(weight)):
        own = weight[cell, i]
        for j in range(c):
            here = weight[cell, j]
            term = own * (below[j] + 0.5 * here)
            total = won[j] + term
            lost[j] += (won[j] - total) + term if won[j] >= term else (term - total) + won[j]
            won[j] = total
            if mixed[cell]:
                inside[j] += own * here
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
    off: FloatArray,
) -> None:
    """Components of the sum over j of slope[j] A(i|j), and by how much the order inside mixed cells moves them.

    A case of class i wins over class j the share of j below it, times slope[j]; one of class j loses to class i
    the share of i above it, times loss[j].
    """
    c = weight.shape[1]
    below, here = np.zeros(c), np.zeros(c)
    for cell in range(len(weight)):
        won = undecided = 0.0
        for j in range(c):
            here[j] = weight[cell, j] / totals[j]
            won += slope[j] * (below[j] + 0.5 * here[j])
            undecided += 0.5 * slope[j] * here[j]
        lost = 1.0 - below[i] - 0.5 * here[i]
        for j in range(c):
            table[cell, j] = loss[j] * lost
            if mixed[cell]:
                off[cell, j] = 0.5 * loss[j] * here[i]
            below[j] += here[j]
        table[cell, i] = won
        if mixed[cell]:
            off[cell, i] = undecided
