"""Every pair of classes in the column of one of them: areas A(i|j), and the shares of which they are the mean.

One call for all pairs of a column: with few cases the calls would take longer than the loops. Cases are grouped by
class: class k at starts[k] .. starts[k + 1].
"""

from typing import Any

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel
from polyroc.kernels.placements import twice_pairs_won
from polyroc.kernels.threads import run_concurrently
from polyroc.kernels.triples import first_from

__all__ = ["column_areas", "column_shares"]


def _steps(rows: FloatArray, *_: Any) -> int:
    """Return the steps for one column, whose own class is merged with each other one."""
    return 2 * len(rows[0])


@kernel(steps=_steps)
def _areas(rows: FloatArray, starts: IntArray, first: int, last: int, areas: FloatArray) -> None:
    for i in range(first, last):
        x = rows[i, starts[i] : starts[i + 1]]
        for j in range(len(starts) - 1):
            z = rows[i, starts[j] : starts[j + 1]]
            if j != i and len(x) * len(z) > 0:
                areas[i, j] = twice_pairs_won(x, z) / (2 * len(x) * len(z))


@kernel(steps=_steps)
def _shares(
    rows: FloatArray,
    order: IntArray,
    starts: IntArray,
    first: int,
    last: int,
    shares: FloatArray,
    areas: FloatArray,
) -> None:
    for i in range(first, last):
        x, x_order = rows[i, starts[i] : starts[i + 1]], order[i, starts[i] : starts[i + 1]]
        for j in range(len(starts) - 1):
            z, z_order = rows[i, starts[j] : starts[j + 1]], order[i, starts[j] : starts[j + 1]]
            if j == i or len(x) * len(z) == 0:
                continue
            won, beaten = shares[0, j, starts[i] : starts[i + 1]], shares[1, i, starts[j] : starts[j + 1]]
            twice = _merge_distinct(x, z, x_order, z_order, won, beaten)
            if twice < 0:
                twice = _merge(x, z, x_order, z_order, won, beaten)
            areas[i, j] = twice / (2 * len(x) * len(z))


@kernel
def _merge(
    x: FloatArray, z: FloatArray, x_order: IntArray, z_order: IntArray, won: FloatArray, beaten: FloatArray
) -> int:
    """For each x the share of the z below it, for each z that of the x above it; twice the pairs that x wins."""
    a, b, twice = 0, 0, 0
    # One merge for both sides: the cases of each value, of both classes, have the same counts below them.
    while a < len(x) or b < len(z):
        value = x[a] if b == len(z) or (a < len(x) and x[a] <= z[b]) else z[b]
        first_a, first_b = a, b
        while a < len(x) and x[a] == value:
            a += 1
        while b < len(z) and z[b] == value:
            b += 1
        twice += (a - first_a) * (first_b + b)
        for k in range(first_a, a):
            won[x_order[k]] = (first_b + b) / (2.0 * len(z))
        for k in range(first_b, b):
            beaten[z_order[k]] = 1.0 - (first_a + a) / (2.0 * len(x))
    return twice


@kernel
def _merge_distinct(
    x: FloatArray, z: FloatArray, x_order: IntArray, z_order: IntArray, won: FloatArray, beaten: FloatArray
) -> int:
    """`_merge` where no x equals a z; -1 as soon as one does.

    Which of two random numbers is smaller cannot be predicted, and a wrong prediction takes longer than a step. So
    nothing depends on a branch: the next case of either side is written until it is passed, and its last share is
    the right one. A step then waits for the comparison before it; two merges, from both ends, share the waiting.
    """
    n, m, twice = len(x), len(z), 0
    a, b, p, q = 0, 0, n - 1, m - 1  # what is not merged yet: x from a up to p, z from b up to q
    for _ in range(min(n, m)):
        if x[a] == z[b] or x[p] == z[q]:
            return -1
        less, more = int(x[a] < z[b]), int(x[p] > z[q])
        won[x_order[a]], beaten[z_order[b]] = b / m, 1.0 - a / n
        won[x_order[p]], beaten[z_order[q]] = (q + 1) / m, 1.0 - (p + 1) / n
        twice += 2 * (b * less + (q + 1) * more)
        a, b, p, q = a + less, b + 1 - less, p - more, q - 1 + more
    while a <= p and b <= q:  # the longer class has some left
        if x[a] == z[b]:
            return -1
        less = int(x[a] < z[b])
        won[x_order[a]], beaten[z_order[b]] = b / m, 1.0 - a / n
        twice += 2 * b * less
        a, b = a + less, b + 1 - less
    for k in range(a, p + 1):
        won[x_order[k]] = b / m
        twice += 2 * b
    for k in range(b, q + 1):
        beaten[z_order[k]] = 1.0 - a / n
    # Where the merges met, the one may have written over the last share of the other.
    for k in range(max(a - 1, 0), min(p + 3, n)):
        won[x_order[k]] = first_from(z, x[k]) / m
    for k in range(max(b - 1, 0), min(q + 3, m)):
        beaten[z_order[k]] = 1.0 - first_from(x, z[k]) / n
    return twice


def column_areas(rows: FloatArray, starts: IntArray) -> FloatArray:
    """A(i|j) at [i, j]: the share of pairs in which class i is above class j in row i, ties one half.

    Parameters
    ----------
    rows
        One row per class: the scores for it, sorted within each class.
    starts
        Where each class begins.

    >>> column_areas(np.array([[3.0, 4.0, 1.0, 3.0], [1.0, 2.0, 1.0, 5.0]]), np.array([0, 2, 4]))
    array([[  nan, 0.875],
           [0.625,   nan]])
    """
    areas = np.full((len(rows), len(rows)), np.nan)
    run_concurrently(lambda i: _areas(rows, starts, i, i + 1, areas), len(rows), rows.size)
    return areas


def column_shares(
    rows: FloatArray, order: IntArray, starts: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The shares that a case wins, and that it is beaten by, both at [class, case] with cases grouped by class.

    Of a case of class k, at [l]: the share of class l below it in row k; the share of class l above it in row l.
    The third table is that of `column_areas`, by the same merges.

    Parameters
    ----------
    rows, starts
        As in `column_areas`.
    order
        The position in its block of each of the sorted scores.
    """
    shares = np.zeros((2, *rows.shape))
    areas = np.full((len(rows), len(rows)), np.nan)
    run_concurrently(lambda i: _shares(rows, order, starts, i, i + 1, shares, areas), len(rows), rows.size)
    return shares[0], shares[1], areas
