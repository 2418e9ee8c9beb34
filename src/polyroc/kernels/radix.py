"""Radix sort of floating-point numbers.

Least significant digit first, 11 bits at a time (Knuth, The Art of Computer Programming 3, 5.2.5). Numbers are
compared as unsigned integers: with all bits inverted if they are negative, else the sign bit alone, these have the
order of the numbers. Bits that all numbers have in common, such as most of the exponents of probabilities, are
skipped.

Of doubles only the first two to four digits are sorted, so many that few numbers agree in them; the rest is sorted
by insertion, where most numbers stay in their place. Each pass over the numbers takes as long as the next, so this
takes half the time of all six. Numbers that agree in the first digits and not in the rest (half of them within
1e-9 of each other, say) exceed a limit of moves, and are sorted by all digits after all: up to 1.7 times the time.

On AMD's Zen 4 it takes 6 to 9 ns for each of 10^5 doubles, with their order 7 to 10; numpy's
vectorised sort takes 40 there, and its argsort 53. On other processors numpy's sort may be as fast.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["FEW", "argsort", "argsort_into", "sort"]

FEW = 5000  # numbers that numpy sorts before this has counted digits, and without compiling anything
BITS = 11
MOVES = 4  # of each number, on average, after which the rest is not sorted by insertion
MASK = np.uint64((1 << BITS) - 1)
KeyArray = npt.NDArray[Any]


def argsort(values: FloatArray) -> IntArray:
    """The positions of the numbers in ascending order; none is nan.

    >>> argsort(np.array([0.3, -0.1, 0.2]))
    array([1, 2, 0])
    """
    if len(values) < FEW or len(values) >= 2**32:
        return values.argsort()
    order = np.empty(len(values), dtype=np.int64)
    argsort_into(values, order, np.empty(len(values)))
    return order


def argsort_into(values: FloatArray, order: IntArray, ascending: FloatArray) -> None:
    """Write the positions of the numbers in ascending order, and the sorted numbers."""
    n = len(values)
    if n < FEW or n >= 2**32:
        order[:] = values.argsort()
        np.take(values, order, out=ascending, mode="clip")  # "raise" would copy
        return
    # Allocated by numpy: see `class_blocks.split`.
    keys, places = np.empty((2, n), dtype=np.uint64), np.empty((2, n), dtype=np.uint32)
    _argsort(np.ascontiguousarray(values).view(np.uint64), keys, places, order, ascending.view(np.uint64))


def sort(values: FloatArray) -> None:
    """Sort contiguous doubles, of which none is nan, in place."""
    if len(values) < FEW:
        values.sort()
        return
    _sort(values.view(np.uint64), np.empty(len(values), dtype=np.uint64))


# One loop for the first digits, and if need be once more for all of them: with a function for each step these
# would take twice as long to compile.


@kernel(types="(Array(uint64, 1, 'C', readonly=True), uint64[:, ::1], uint32[:, ::1], int64[::1], uint64[::1])")
def _argsort(bits: KeyArray, keys: KeyArray, places: KeyArray, order: IntArray, ascending: KeyArray) -> None:  # noqa: C901
    n, sign, varying = len(bits), np.uint64(1 << 63), np.uint64(0)
    for i in range(n):
        key = ~bits[i] if bits[i] & sign else bits[i] | sign
        keys[0, i], places[0, i] = key, i
        varying |= key ^ keys[0, 0]
    low, width = _range(n, varying)
    now, ready = 0, False  # which of the two rows has the numbers in the order so far
    while not ready:
        counts = np.zeros(((width - low + BITS - 1) // BITS, 1 << BITS), dtype=np.int64)
        for i in range(n):
            for digit in range(len(counts)):
                counts[digit, (keys[now, i] >> np.uint64(low + BITS * digit)) & MASK] += 1
        for digit in range(len(counts)):
            shift, free = np.uint64(low + BITS * digit), counts[digit]
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
        # Nearly sorted, unless many numbers agree in these digits: insertion, up to a limit of moves.
        moves = 0
        for i in range(1 if low > 0 else n, n):
            key, place, j = keys[now, i], places[now, i], i
            while j > 0 and keys[now, j - 1] > key:
                keys[now, j], places[now, j] = keys[now, j - 1], places[now, j - 1]
                j -= 1
            if j < i:
                keys[now, j], places[now, j] = key, place
                moves += i - j
                if moves > MOVES * n:
                    break
        ready, low = moves <= MOVES * n, 0
    for i in range(n):
        order[i], key = places[now, i], keys[now, i]
        ascending[i] = key ^ sign if key & sign else ~key


@kernel
def _sort(bits: KeyArray, others: KeyArray) -> None:  # noqa: C901
    """Sort numbers by their bits, in place."""
    n, sign, varying = len(bits), np.uint64(1 << 63), np.uint64(0)
    for i in range(n):
        key = ~bits[i] if bits[i] & sign else bits[i] | sign
        bits[i] = key
        varying |= key ^ bits[0]
    low, width = _range(n, varying)
    now, then, ready = bits, others, False
    while not ready:
        counts = np.zeros(((width - low + BITS - 1) // BITS, 1 << BITS), dtype=np.int64)
        for i in range(n):
            for digit in range(len(counts)):
                counts[digit, (now[i] >> np.uint64(low + BITS * digit)) & MASK] += 1
        for digit in range(len(counts)):
            shift, free = np.uint64(low + BITS * digit), counts[digit]
            if free[(now[0] >> shift) & MASK] == n:
                continue
            _add_up(free)
            for i in range(n):
                k = (now[i] >> shift) & MASK
                slot = free[k]
                free[k] = slot + 1
                then[slot] = now[i]
            now, then = then, now
        moves = 0
        for i in range(1 if low > 0 else n, n):
            key, j = now[i], i
            while j > 0 and now[j - 1] > key:
                now[j] = now[j - 1]
                j -= 1
            now[j] = key
            moves += i - j
            if moves > MOVES * n:
                break
        ready, low = moves <= MOVES * n, 0
    for i in range(n):
        bits[i] = now[i] ^ sign if now[i] & sign else ~now[i]


@kernel
def _range(n: int, varying: Any) -> tuple[int, int]:
    """The lowest and the highest of the bits by which n doubles are sorted first: few of them have the same.

    The highest is the highest that varies. Bits above the 52 of the fraction say how large a number is, and half
    of the numbers may have the same: they do not count.
    """
    width = 0
    while width < 64 and varying >> np.uint64(width):
        width += 1
    digits, beyond = 1, max(width - 52, 0)
    while BITS * digits < width and (BITS * digits <= beyond or n >> (BITS * digits - beyond) > 0):
        digits += 1
    return max(width - BITS * digits, 0), width


@kernel
def _add_up(counts: IntArray) -> None:
    """From the numbers of each digit to the place of the first of them."""
    start = 0
    for k in range(len(counts)):
        counts[k], start = start, start + counts[k]
