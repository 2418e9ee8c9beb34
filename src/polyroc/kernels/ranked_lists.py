"""Many short samples at once: placements, assignments and concordance, sample by sample in compiled loops."""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.assignments import worths
from polyroc.kernels.jit import kernel

__all__ = ["concordant", "mean_worths", "places_among"]


@kernel
def _places_among(x: FloatArray, z: FloatArray, below: IntArray, up_to: IntArray) -> None:
    for row in range(len(x)):
        rising = np.sort(z[row])
        for i in range(x.shape[1]):
            below[row, i] = np.searchsorted(rising, x[row, i])
            up_to[row, i] = np.searchsorted(rising, x[row, i], "right")


def places_among(x: FloatArray, z: FloatArray) -> tuple[IntArray, IntArray]:
    """For each x, the number of z of the same row that are smaller, and smaller or equal; in any order.

    >>> below, up_to = places_among(np.array([[1.0, 3.0], [0.0, 9.0]]), np.array([[2.0, 1.0], [0.0, 0.0]]))
    >>> below.tolist(), up_to.tolist()
    ([[0, 2], [0, 2]], [[1, 2], [2, 2]])
    """
    below, up_to = np.empty((2, *x.shape), dtype=np.int64)
    _places_among(np.ascontiguousarray(x), np.ascontiguousarray(z), below, up_to)
    return below, up_to


@kernel
def _mean_worths(scores: FloatArray, starts: IntArray, tolerance: FloatArray, means: FloatArray) -> None:
    worth = np.empty(np.prod(np.diff(starts)))
    for row in range(len(scores)):
        worths(scores[row], starts, tolerance[row], worth)
        means[row] = worth.mean()


@kernel
def _mean_right(s: FloatArray, starts: IntArray, tolerance: FloatArray, means: FloatArray) -> None:
    """Three classes, finite scores: the five inequalities of `polyroc.kernels.triples`, triple by triple."""
    n1, n2, n3 = np.diff(starts)
    for row in range(len(s)):
        tol, total = tolerance[row], 0.0
        x1, x2, x3 = s[row, : starts[1]], s[row, starts[1] : starts[2]], s[row, starts[2] :]
        for i in range(n1):
            a1, b1 = x1[i, 0] - x1[i, 1], x1[i, 0] - x1[i, 2]
            for j in range(n2):
                a2, e2 = x2[j, 0] - x2[j, 1], x2[j, 1] - x2[j, 2]
                if a1 < a2 - tol:  # exchanging classes 1 and 2 is better
                    continue
                # The quadrant of the x3: strictly inside, the triple is right; on its border, assignments tie.
                e_low, b_low = min(e2, b1 - a2) - tol, min(b1, a1 + e2) - tol
                level = int(a1 <= a2 + tol)
                for k in range(n3):
                    b3, e3 = x3[k, 0] - x3[k, 2], x3[k, 1] - x3[k, 2]
                    if e3 < e_low and b3 < b_low:
                        total += 1.0 if level == 0 else 0.5
                    elif e3 <= e_low + 2 * tol and b3 <= b_low + 2 * tol:
                        # One tie for each inequality that holds with equality.
                        ties = level + int(e3 >= e2 - tol) + int(e3 >= b1 - a2 - tol)
                        ties += int(b3 >= b1 - tol) + int(b3 >= a1 + e2 - tol)
                        total += 1.0 / (1 + ties)
        means[row] = total / (n1 * n2 * n3)


def mean_worths(scores: FloatArray, starts: IntArray, tolerance: FloatArray) -> FloatArray:
    """For each list, the mean worth of its tuples; see `polyroc.kernels.assignments`.

    Parameters
    ----------
    scores
        At [list, case, class], cases grouped by class; may be -inf.
    starts
        Where each class begins; one longer than the classes.
    tolerance
        By list, within what sums of scores are equal.
    """
    means = np.empty(len(scores))
    quick = np.isfinite(scores).all(axis=(1, 2)) & (scores.shape[2] == 3)
    for work, which in ((_mean_right, quick), (_mean_worths, ~quick)):
        if which.any():
            part = np.empty(np.count_nonzero(which))
            work(np.ascontiguousarray(scores[which]), starts, tolerance[which], part)
            means[which] = part
    return means


@kernel
def _concordant(f: IntArray, g: IntArray, count: IntArray, tree: IntArray) -> int:
    """A sweep along f with a Fenwick tree along g; entries of equal f are inserted after their block."""
    total, start = 0, 0
    for i in range(len(f)):
        if f[i] != f[start]:
            # Insert the block that has ended: place & -place, the lowest bit, is the length of the range that an
            # entry of the tree sums, and leads to the next range that contains it.
            for j in range(start, i):
                place = g[j] + 1
                while place < len(tree):
                    tree[place] += count[j]
                    place += place & -place
            start = i
        below, place = 0, g[i]  # the sum over all g that are smaller: ranges that end where the last one began
        while place > 0:
            below += tree[place]
            place -= place & -place
        total += count[i] * below
    return total


def concordant(f: IntArray, g: IntArray, count: IntArray) -> int:
    """The number of concordant pairs: one item has both the larger f and the larger g; O(n log n).

    Parameters
    ----------
    f, g
        The values as ranks from 0, by entry, f ascending.
    count
        The number of items of each entry; the pairs must be fewer than 2^63.

    >>> concordant(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([2, 1, 3]))
    6
    """
    return int(_concordant(f, g, count, np.zeros(int(g.max(initial=0)) + 2, dtype=np.int64)))
