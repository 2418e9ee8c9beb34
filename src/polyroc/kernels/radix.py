"""Radix sort of floating-point numbers.

Least significant digit first, 11 bits at a time (Knuth, The Art of Computer Programming 3, 5.2.5). Numbers are
compared as unsigned integers: with all bits inverted if they are negative, else the sign bit alone, these have the
order of the numbers. Digits that all numbers have in common, such as most of the exponents of probabilities, are
skipped.

On AMD's Zen 4 it takes 12 ns for each of 10^5 doubles, with their order too, and 6 for singles; numpy's vectorised
sort takes 40 and 23 there, and its argsort 53. On other processors numpy's sort may be as fast.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["FEW", "argsort", "sort"]

FEW = 5000  # numbers that numpy sorts before this has counted digits, and without compiling anything
BITS = 11
MASK = np.uint64((1 << BITS) - 1)
KEYS: dict[type, tuple[type, Any]] = {
    np.float64: (np.uint64, np.uint64(1 << 63)),
    np.float32: (np.uint32, np.uint32(1 << 31)),
}
KeyArray = npt.NDArray[Any]


def argsort(values: FloatArray) -> IntArray:
    """The positions of the numbers in ascending order; none is nan.

    >>> argsort(np.array([0.3, -0.1, 0.2]))
    array([1, 2, 0])
    """
    n = len(values)
    if n < FEW or n >= 2**32:
        return values.argsort()
    order = np.empty(n, dtype=np.int64)
    # Allocated by numpy: see `class_blocks.split`.
    keys, places = np.empty((2, n), dtype=np.uint64), np.empty((2, n), dtype=np.uint32)
    _argsort(np.ascontiguousarray(values).view(np.uint64), keys, places, order)
    return order


def sort(values: npt.NDArray[np.floating[Any]]) -> None:
    """Sort contiguous numbers, of which none is nan, in place."""
    if len(values) < FEW:
        values.sort()
        return
    unsigned, sign = KEYS[values.dtype.type]
    _sort(values.view(unsigned), np.empty(len(values), dtype=unsigned), sign)


@kernel(types="(Array(uint64, 1, 'C', readonly=True), uint64[:, ::1], uint32[:, ::1], int64[::1])")
def _argsort(bits: KeyArray, keys: KeyArray, places: KeyArray, order: IntArray) -> None:
    n, sign = len(bits), np.uint64(1 << 63)
    counts = np.zeros((6, 1 << BITS), dtype=np.int64)
    for i in range(n):
        key = ~bits[i] if bits[i] & sign else bits[i] | sign
        keys[0, i], places[0, i] = key, i
        for digit in range(len(counts)):
            counts[digit, (key >> np.uint64(BITS * digit)) & MASK] += 1
    now = 0  # which of the two rows has the numbers in the order so far
    for digit in range(len(counts)):
        shift, free = np.uint64(BITS * digit), counts[digit]
        if free[(keys[now, 0] >> shift) & MASK] == n:
            continue
        _add_up(free)
        for i in range(n):
            key = keys[now, i]
            k = (key >> shift) & MASK
            slot = free[k]
            free[k] = slot + 1
            keys[1 - now, slot], places[1 - now, slot] = key, places[now, i]
        now = 1 - now
    for i in range(n):
        order[i] = places[now, i]


@kernel
def _sort(bits: KeyArray, others: KeyArray, sign: Any) -> None:
    """The same without the positions: `bits` are those of the numbers, and in the end those of the sorted ones."""
    n = len(bits)
    counts = np.zeros((3 * bits.itemsize // 4, 1 << BITS), dtype=np.int64)  # 6 digits of doubles, 3 of singles
    for i in range(n):
        key = ~bits[i] if bits[i] & sign else bits[i] | sign
        bits[i] = key
        for digit in range(len(counts)):
            counts[digit, (key >> np.uint64(BITS * digit)) & MASK] += 1
    now, then = bits, others
    for digit in range(len(counts)):
        shift, free = np.uint64(BITS * digit), counts[digit]
        if free[(now[0] >> shift) & MASK] == n:
            continue
        _add_up(free)
        for i in range(n):
            k = (now[i] >> shift) & MASK
            slot = free[k]
            free[k] = slot + 1
            then[slot] = now[i]
        now, then = then, now
    for i in range(n):
        bits[i] = now[i] ^ sign if now[i] & sign else ~now[i]


@kernel
def _add_up(counts: IntArray) -> None:
    """From the numbers of each digit to the place of the first of them."""
    start = 0
    for k in range(len(counts)):
        counts[k], start = start, start + counts[k]
