"""Every pair of classes in the column of one of them: areas A(i|j), and the shares of which they are the mean.

One call for all pairs of a column: with few cases the calls would take longer than the loops. Cases are grouped by
class: class k at starts[k] .. starts[k + 1].
"""

from typing import Any

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel
from polyroc.kernels.placements import twice_pairs_won
from polyroc.kernels.threads import in_threads

__all__ = ["column_areas", "column_shares"]


def _steps(rows: FloatArray, *_: Any) -> int:
    """Every column is merged with its own class once for each other class."""
    return 2 * rows.size


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
    won: FloatArray,
    beaten: FloatArray,
    areas: FloatArray,
) -> None:
    for i in range(first, last):
        x = rows[i, starts[i] : starts[i + 1]]
        for j in range(len(starts) - 1):
            if j == i:
                continue
            z = rows[i, starts[j] : starts[j + 1]]
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
                    won[j, starts[i] + order[i, starts[i] + k]] = (first_b + b) / (2.0 * len(z))
                for k in range(first_b, b):
                    beaten[i, starts[j] + order[i, starts[j] + k]] = 1.0 - (first_a + a) / (2.0 * len(x))
            if len(x) * len(z) > 0:
                areas[i, j] = twice / (2 * len(x) * len(z))


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
    if not in_threads(lambda i: _areas(rows, starts, i, i + 1, areas), len(rows), rows.size):
        _areas(rows, starts, 0, len(rows), areas)
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
    won, beaten = np.zeros((2, *rows.shape))
    areas = np.full((len(rows), len(rows)), np.nan)
    if not in_threads(lambda i: _shares(rows, order, starts, i, i + 1, won, beaten, areas), len(rows), rows.size):
        _shares(rows, order, starts, 0, len(rows), won, beaten, areas)
    return won, beaten, areas
