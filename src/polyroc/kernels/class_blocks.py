"""Group cases by class: one pass over the data (a counting sort), a block of memory per class."""

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import all_sizes, kernel
from polyroc.kernels.radix import FEW, argsort_into, sort
from polyroc.kernels.threads import run_concurrently

__all__ = [
    "argsort_and_sort_blocks",
    "argsort_blocks",
    "block_starts",
    "count",
    "group",
    "sort_blocks",
    "split",
]

COLUMNS = 5  # that a thread splits: fewer would read the rows of the table too often

# What the user passed: strided, not to be modified.
COLUMN = "Array(float64, 1, 'A', readonly=True)"
TABLE = "Array(float64, 2, 'A', readonly=True)"
CODES = "Array(int32, 1, 'C', readonly=True)"


@kernel(types=f"({TABLE}, {CODES}, int64[::1], float64[:, ::1])", steps=all_sizes)
def _split(columns: FloatArray, codes: CodeArray, starts: IntArray, out: FloatArray) -> None:
    free = starts[:-1].copy()  # by class, the next free slot of its block
    for i in range(len(codes)):
        slot = free[codes[i]]
        for j in range(columns.shape[1]):
            out[j, slot] = columns[i, j]
        free[codes[i]] = slot + 1


@kernel(types=f"({COLUMN}, {CODES}, int64[::1], float64[::1])", steps=all_sizes)
def _split_in_two(column: FloatArray, codes: CodeArray, starts: IntArray, out: FloatArray) -> None:
    """Split one column of two classes, with the free slots in registers: several times faster."""
    first, second = starts[0], starts[1]
    for i in range(len(codes)):
        out[second if codes[i] else first] = column[i]
        second += codes[i]
        first += 1 - codes[i]


@kernel(types=f"({CODES}, int64)", steps=all_sizes)
def count(codes: CodeArray, classes: int) -> IntArray:
    """The number of cases of each class; a code below 0 is no class.

    >>> count(np.array([1, 0, -1, 1], dtype=np.int32), 3)
    array([1, 2, 0])
    """
    # Four tables in turn: an increment does not wait for the one before.
    counts = np.zeros((4, classes + 1), dtype=np.int64)
    for i in range(len(codes)):
        counts[i & 3, codes[i] + 1] += 1
    total = np.empty(classes, dtype=np.int64)
    for k in range(classes):  # a loop instead of `counts[:, 1:].sum(axis=0)`, which takes seconds to compile
        total[k] = counts[0, k + 1] + counts[1, k + 1] + counts[2, k + 1] + counts[3, k + 1]
    return total


@kernel(types=f"({CODES}, int64[::1], int64[::1])", steps=all_sizes)
def _group(codes: CodeArray, starts: IntArray, out: IntArray) -> None:
    free = starts[:-1].copy()
    for i in range(len(codes)):
        out[free[codes[i]]] = i
        free[codes[i]] += 1


def block_starts(sizes: IntArray) -> IntArray:
    """Where each of the blocks of these sizes begins, and the last one ends.

    >>> block_starts(np.array([2, 3]))
    array([0, 2, 5])
    """
    starts = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.add.accumulate(sizes, out=starts[1:])
    return starts


def split(columns: FloatArray, codes: CodeArray, starts: IntArray) -> FloatArray:
    """Columns of shape (cases, m) as m rows, cases grouped by class: class k at starts[k] .. starts[k + 1].

    >>> split(np.array([[0.3], [0.1], [0.2]]), np.array([1, 0, 1], dtype=np.int32), np.array([0, 1, 3]))
    array([[0.1, 0.3, 0.2]])
    """
    # Allocated by numpy, which requests huge pages: large arrays are filled twice as fast.
    out = np.empty(columns.T.shape)
    if columns.shape[1] == 1 and len(starts) == 3:
        _split_in_two(columns[:, 0], codes, starts, out[0])
        return out

    def split_some(number: int) -> None:
        some = slice(number * COLUMNS, (number + 1) * COLUMNS)
        _split(columns[:, some], codes, starts, out[some])

    run_concurrently(split_some, -(-columns.shape[1] // COLUMNS), columns.size)
    return out


def group(codes: CodeArray, starts: IntArray) -> IntArray:
    """The cases themselves, grouped in the same way."""
    out = np.empty(len(codes), dtype=np.int64)
    _group(codes, starts, out)
    return out


def sort_blocks(rows: FloatArray, starts: IntArray) -> FloatArray:
    """Sort each class's block of each row in place; returns the rows."""
    m, blocks = len(rows), len(starts) - 1
    if rows.size < FEW:  # numpy sorts them all by one call
        for k in range(blocks):
            rows[:, starts[k] : starts[k + 1]].sort(axis=1)
        return rows

    def sort_block(number: int) -> None:
        k, row = divmod(number, m)
        sort(rows[row, starts[k] : starts[k + 1]])

    run_concurrently(sort_block, m * blocks, rows.size)
    return rows


def argsort_blocks(rows: FloatArray, starts: IntArray) -> IntArray:
    """For each row, the positions that sort each class's block; positions count from the block's start."""
    if rows.size >= FEW:
        return argsort_and_sort_blocks(rows, starts)[0]
    order = np.empty(rows.shape, dtype=np.int64)
    for k in range(len(starts) - 1):
        order[:, starts[k] : starts[k + 1]] = rows[:, starts[k] : starts[k + 1]].argsort(axis=1)
    return order


def argsort_and_sort_blocks(rows: FloatArray, starts: IntArray) -> tuple[IntArray, FloatArray]:
    """The same with the sorted rows, which a radix sort has at the end anyway."""
    order, ascending = np.empty(rows.shape, dtype=np.int64), np.empty(rows.shape)
    m, blocks = len(rows), len(starts) - 1

    def argsort_block(number: int) -> None:
        k, row = divmod(number, m)
        block = slice(starts[k], starts[k + 1])
        argsort_into(rows[row, block], order[row, block], ascending[row, block])

    run_concurrently(argsort_block, m * blocks, rows.size)
    return order, ascending
