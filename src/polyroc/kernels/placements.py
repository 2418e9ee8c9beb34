"""Placement values and the Mann-Whitney statistic of two sorted samples, by one merge: O(n + m) after sorting."""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray, inner_product
from polyroc.kernels.jit import all_sizes, kernel
from polyroc.kernels.threads import FEWEST, run_concurrently

__all__ = ["area", "counts_below", "placements", "twice_pairs_won"]

PIECES = 16  # of a large merge; more than cores, so that none waits long for the last one


@kernel(steps=all_sizes)
def _counts_below(x: FloatArray, z: FloatArray, below: IntArray, up_to: IntArray) -> None:
    smaller = 0  # the number of z below the present x
    last = 0  # and of those that are not above it: where the next, larger x goes on
    # Neither number ever falls, so all x together take one pass over z.
    for i in range(len(x)):
        if i == 0 or x[i] != x[i - 1]:
            smaller = last
            while smaller < len(z) and z[smaller] < x[i]:
                smaller += 1
            last = smaller
            while last < len(z) and z[last] == x[i]:
                last += 1
        below[i] = smaller
        up_to[i] = last


@kernel(steps=all_sizes)
def _placements(x: FloatArray, z: FloatArray, before: int, total: int, shares: FloatArray) -> None:
    """Fill in the share of z below each x; `before` of the `total` of z were left out, and are below all x.

    The counts of `_counts_below`, which need not be stored here.
    """
    smaller, last = 0, 0
    scale = 2.0 * total
    for i in range(len(x)):
        if i == 0 or x[i] != x[i - 1]:
            smaller = last
            while smaller < len(z) and z[smaller] < x[i]:
                smaller += 1
            last = smaller
            while last < len(z) and z[last] == x[i]:
                last += 1
        shares[i] = (2 * before + smaller + last) / scale


@kernel(steps=all_sizes)
def twice_pairs_won(x: FloatArray, z: FloatArray) -> int:
    """Twice the number of pairs with x > z, plus the number of ties."""
    # Twice, so that a tie, one half, is an integer too: the count is exact.
    twice, i, j = 0, 0, 0
    while i < len(x) and j < len(z):
        if x[i] == z[j]:
            first_i, first_j, value = i, j, x[i]
            while i < len(x) and x[i] == value:
                i += 1
            while j < len(z) and z[j] == value:
                j += 1
            twice += (i - first_i) * (first_j + j)  # each x of the tie: 2 per z below it, 1 per tied z
        else:  # arithmetic instead of a branch, which random data would mispredict
            z_first = int(z[j] < x[i])
            twice += (1 - z_first) * 2 * j  # if x is the smaller one, the j smaller z lie below it
            j += z_first
            i += 1 - z_first
    return twice + (len(x) - i) * 2 * len(z)  # the x that are left are above all z


def counts_below(x: FloatArray, z: FloatArray) -> tuple[IntArray, IntArray]:
    """For each x, the number of z that are smaller, and smaller or equal; both samples sorted.

    >>> counts_below(np.array([1.0, 3.0]), np.array([0.0, 1.0, 2.0, 4.0]))
    (array([1, 3]), array([2, 3]))
    """
    below, up_to = np.empty(len(x), dtype=np.int64), np.empty(len(x), dtype=np.int64)
    _counts_below(x, z, below, up_to)
    return below, up_to


def placements(x: FloatArray, z: FloatArray, mass: FloatArray | None) -> FloatArray:
    """Placement values: the share of z below each x, ties counting one half (DeLong et al. 1988).

    Parameters
    ----------
    x, z
        Two sorted samples.
    mass
        Cumulative weights of z, from 0 to their total (one longer than z); None if every z counts one.

    >>> placements(np.array([1.0, 3.0]), np.array([0.0, 1.0, 2.0, 4.0]), None)
    array([0.375, 0.75 ])
    """
    if mass is None:
        shares, cuts = np.empty(len(x)), _cuts(x, z)

        def piece(number: int) -> None:
            (i, j), (next_i, next_j) = cuts[number], cuts[number + 1]
            _placements(x[i:next_i], z[j:next_j], j, len(z), shares[i:next_i])

        run_concurrently(piece, len(cuts) - 1, len(x) + len(z))
        return shares
    below, up_to = counts_below(x, z)
    weighted: FloatArray = (mass[below] + mass[up_to]) / (2.0 * mass[-1])
    return weighted


def area(x: FloatArray, z: FloatArray, weight: FloatArray | None, mass: FloatArray | None) -> float:
    """The share of pairs in which x is larger, ties counting one half: Mann and Whitney's U / (n m).

    Without weights it is a sum of integers, exact up to the last division.

    Parameters
    ----------
    x, z, mass
        As in `placements`.
    weight
        The weights of x; None if `mass` is.
    """
    if weight is not None:
        return inner_product(weight, placements(x, z, mass)) / float(weight.sum())
    cuts = _cuts(x, z)
    won = [0] * (len(cuts) - 1)

    def piece(number: int) -> None:
        (i, j), (next_i, next_j) = cuts[number], cuts[number + 1]
        won[number] = twice_pairs_won(x[i:next_i], z[j:next_j]) + 2 * j * (next_i - i)

    run_concurrently(piece, len(won), len(x) + len(z))
    return sum(won) / (2 * len(x) * len(z))


def _cuts(x: FloatArray, z: FloatArray) -> list[tuple[int, int]]:
    """Where two large sorted samples can be cut so that each piece is merged by itself, ties in one piece."""
    n = len(x)
    if n + len(z) < FEWEST:
        return [(0, 0), (n, len(z))]
    inner = [x[n * piece // PIECES] for piece in range(1, PIECES)] if n else []
    cuts = zip(np.searchsorted(x, inner).tolist(), np.searchsorted(z, inner).tolist(), strict=True)
    return [(0, 0), *cuts, (n, len(z))]
