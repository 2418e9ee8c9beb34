"""Distances between two ROC curves, for permutation tests of whole curves: linear in the number of cases."""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["paired_distance", "unpaired_distance"]


@kernel
def _running_sums(ranks: IntArray, signs: FloatArray, sums: FloatArray) -> None:
    """sums[k] = sum of the signs of the k + 1 cases with the lowest ranks; straight along ties.

    Ranks are whole numbers below 2 n + 1 (twice the mid-ranks), so a table of all takes the place of sorting.
    """
    n = len(ranks)
    counts, totals = np.zeros(2 * n + 1, dtype=np.int64), np.zeros(2 * n + 1)
    for i in range(n):
        counts[ranks[i]] += 1
        totals[ranks[i]] += signs[i]
    # Along a tie the sum rises in equal steps, as the curve does whatever the order of the tied cases.
    k, before = 0, 0.0
    for rank in range(2 * n + 1):
        size = counts[rank]
        for place in range(size):
            sums[k] = before + totals[rank] * (place + 1) / size
            k += 1
        before += totals[rank]


@kernel
def _sums_in_order(ranks: IntArray, signs: FloatArray, order: IntArray, sums: FloatArray) -> None:
    """As `_running_sums`, with ties in the order in which `order` lists the cases."""
    # A counting sort: places[r] is where the next case of rank r goes. It is stable, so `order` decides on ties.
    n = len(ranks)
    places, sorted_signs = np.zeros(2 * n + 2, dtype=np.int64), np.empty(n)
    for i in range(n):
        places[ranks[i] + 1] += 1
    for rank in range(1, 2 * n + 2):
        places[rank] += places[rank - 1]
    for i in order:
        sorted_signs[places[ranks[i]]] = signs[i]
        places[ranks[i]] += 1
    total = 0.0
    for k in range(n):
        total += sorted_signs[k]
        sums[k] = total


@kernel
def paired_distance(first: IntArray, second: IntArray, signs: FloatArray, order: IntArray) -> float:
    """Venkatraman & Begg's E: over all numbers k of cases called negative, the difference in errors, added up.

    With the k lowest cases of either score called negative, the scores differ by |C1(k) - C2(k)| errors, where
    C(k) is the number of positives minus that of negatives among them.

    Parameters
    ----------
    first, second
        Twice the mid-ranks of the cases by either score.
    signs
        1 for a positive case, -1 for a negative one.
    order
        How ties are broken: an order of the cases for the first score, followed by one for the second. Empty:
        ties are straight lines.
    """
    n = len(signs)
    one, two = np.empty(n), np.empty(n)
    if len(order) == 0:
        _running_sums(first, signs, one)
        _running_sums(second, signs, two)
    else:
        _sums_in_order(first, signs, order[:n], one)
        _sums_in_order(second, signs, order[n:], two)
    total = 0.0
    for k in range(n):
        total += abs(one[k] - two[k])
    return total


@kernel
def unpaired_distance(x1: FloatArray, e1: FloatArray, x2: FloatArray, e2: FloatArray) -> float:
    """The area between two piecewise linear functions on [0, 1], given at rising x from 0 to 1."""
    i, j, total, x = 0, 0, 0.0, 0.0
    gap = e1[0] - e2[0]
    while i < len(x1) - 1 or j < len(x2) - 1:
        # To the next corner of either function: between two corners the difference is linear.
        step_first = j == len(x2) - 1 or (i < len(x1) - 1 and x1[i + 1] <= x2[j + 1])
        end = x1[i + 1] if step_first else x2[j + 1]
        one = _height(x1, e1, min(i, len(x1) - 2), end)
        two = _height(x2, e2, min(j, len(x2) - 2), end)
        if step_first:
            i += 1
        else:
            j += 1
        after = one - two
        if gap * after < 0:  # they cross: two triangles
            total += (end - x) * (gap * gap + after * after) / (2.0 * (abs(gap) + abs(after)))
        else:
            total += (end - x) * (abs(gap) + abs(after)) / 2.0
        gap, x = after, end
    return total


@kernel
def _height(x: FloatArray, e: FloatArray, i: int, at: float) -> float:
    """The function between x[i] and x[i + 1], which are different."""
    return float(e[i] + (e[i + 1] - e[i]) * (at - x[i]) / (x[i + 1] - x[i]))
