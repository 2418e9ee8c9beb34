"""Isotonic regression by the pool-adjacent-violators algorithm, of one sequence or of many; linear."""

from itertools import pairwise

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.jit import kernel

__all__ = ["isotonic", "isotonic_rows"]


def _isotonic_by_lists(totals: FloatArray, weights: FloatArray) -> FloatArray:
    """`isotonic` for Python, whose lists are faster than single numbers of arrays."""
    block_total, block_weight, block_end = [0.0] * len(totals), [0.0] * len(totals), [0] * len(totals)
    last = -1
    for i, (total, weight) in enumerate(zip(totals.tolist(), weights.tolist(), strict=True)):
        while last >= 0 and block_total[last] * weight >= total * block_weight[last]:
            total += block_total[last]
            weight += block_weight[last]
            last -= 1
        last += 1
        block_total[last], block_weight[last], block_end[last] = total, weight, i + 1
    blocks = slice(last + 1)
    means = np.array(block_total[blocks]) / np.array(block_weight[blocks])
    return np.repeat(means, [end - start for start, end in pairwise([0, *block_end[blocks]])])


def _rows_by_numpy(totals: FloatArray, weights: FloatArray) -> FloatArray:
    """`isotonic_rows` of whole numbers: in all rows at once, neighbours whose means do not rise are joined.

    The sums of whole numbers have no rounding errors, so the order of joining does not matter; of others it does.
    """
    all_weights = np.broadcast_to(weights, totals.shape)
    if not (_is_exact(totals) and _is_exact(all_weights)):
        rows = [_isotonic_by_lists(row, own) for row, own in zip(totals, all_weights, strict=True)]
        return np.array(rows).reshape(totals.shape)
    counted = all_weights > 0
    counted[:, 0] = True  # the others without weight belong to the block before them
    start = np.flatnonzero(counted)
    row, total, weight = start // totals.shape[1], totals.ravel()[start], all_weights[counted]
    while True:
        rises = (total[:-1] * weight[1:] < total[1:] * weight[:-1]) | (row[:-1] < row[1:])
        if rises.all():
            return np.repeat(total / weight, np.diff(start, append=totals.size)).reshape(totals.shape)
        first = np.flatnonzero(np.append(True, rises))
        total, weight = np.add.reduceat(total, first), np.add.reduceat(weight, first)
        start, row = start[first], row[first]


def _is_exact(numbers: FloatArray) -> bool:
    """Whether these are whole numbers so small that products of their sums within a row are exact."""
    return bool((numbers == np.floor(numbers)).all() and np.abs(numbers).sum(axis=1).max(initial=0.0) < 2**26)


@kernel(steps=lambda totals, _: len(totals), by_numpy=_isotonic_by_lists)
def isotonic(totals: FloatArray, weights: FloatArray) -> FloatArray:
    """The rising sequence nearest to totals / weights in weighted squares; a weight may be 0.

    >>> isotonic(np.array([0.0, 2.0, 1.0, 3.0]), np.array([1.0, 1.0, 1.0, 1.0]))
    array([0. , 1.5, 1.5, 3. ])
    """
    n = len(totals)
    block_total, block_weight = np.empty(n), np.empty(n)
    block_end = np.empty(n, dtype=np.int64)
    blocks = 0
    for i in range(n):
        total, weight = totals[i], weights[i]
        # A block whose mean is not above that of the one before is joined to it; so is one without weight.
        while blocks > 0 and block_total[blocks - 1] * weight >= total * block_weight[blocks - 1]:
            blocks -= 1
            total += block_total[blocks]
            weight += block_weight[blocks]
        block_total[blocks], block_weight[blocks], block_end[blocks] = total, weight, i + 1
        blocks += 1
    fitted = np.empty(n)
    start = 0
    for b in range(blocks):
        mean = block_total[b] / block_weight[b]
        for i in range(start, block_end[b]):
            fitted[i] = mean
        start = block_end[b]
    return fitted


@kernel(steps=lambda totals, _: totals.size // 2 + len(totals), by_numpy=_rows_by_numpy)
def isotonic_rows(totals: FloatArray, weights: FloatArray) -> FloatArray:
    """`isotonic` of each row; weights have a row for each, or one for all."""
    rows, n = totals.shape
    fitted = np.empty((rows, n))
    for row in range(rows):
        own = isotonic(totals[row], weights[row % len(weights)])
        for i in range(n):
            fitted[row, i] = own[i]
    return fitted
