"""Many scores of the same cases of two classes: placement sums of each, a block of columns at a time."""

from collections.abc import Sequence

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.class_blocks import group
from polyroc.kernels.jit import kernel
from polyroc.kernels.placements import merge_sums
from polyroc.kernels.threads import in_threads

__all__ = ["column_sums"]

BLOCK = 2**16  # numbers that are copied, sorted and merged together, so that they stay in the cache


@kernel(steps=lambda rows, *_: rows.size)
def _row_sums(rows: FloatArray, start: int, positive: int, sums: IntArray) -> None:
    for row in range(len(rows)):
        first, second = rows[row, :start], rows[row, start:]
        if positive == 1:
            merge_sums(second, first, 0, 0, sums[row])
        else:
            merge_sums(first, second, 0, 0, sums[row])


def column_sums(columns: Sequence[FloatArray], codes: CodeArray, starts: IntArray, positive: int) -> IntArray:
    """At [column, :] what `merge_sums` fills in for the positive class against the other.

    Parameters
    ----------
    columns
        One array of scores per column.
    codes, starts
        The class of each case, 0 or 1, and where each begins among the cases grouped by class.
    positive
        The positive class.
    """
    cases, first = group(codes, starts), int(starts[1])
    sums = np.zeros((len(columns), 6), dtype=np.int64)
    width = max(1, BLOCK // len(codes))

    def block(number: int) -> None:
        own = slice(number * width, (number + 1) * width)
        rows = np.empty((len(columns[own]), len(codes)))
        for row, column in zip(rows, columns[own], strict=True):
            np.take(column, cases, out=row, mode="clip")  # "raise" would copy
        rows[:, :first].sort(axis=1)
        rows[:, first:].sort(axis=1)
        _row_sums(rows, first, positive, sums[own])

    blocks = -(-len(columns) // width)
    if not in_threads(block, blocks, len(columns) * len(codes)):
        for number in range(blocks):
            block(number)
    return sums
