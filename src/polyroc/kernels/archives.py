"""Vectors of counts that do not dominate each other, compared many fields at a time.

A count and a guard bit above it make a field, and fields share 64-bit words. With the guard bits H set in b,
(b | H) - a keeps the guard bit of each field where b >= a: one subtraction compares all fields of a word.
"""

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import BoolArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["WordArray", "guard_bits", "merge", "pack", "places_of", "sift", "unpack_one"]

WordArray = npt.NDArray[np.uint64]
BLOCK = 512  # members compared before looking whether one was found


def _layout(largest: int) -> tuple[int, int]:
    """Bits of a field, the guard included, and fields in a word, for counts up to the largest."""
    field = max(int(largest), 1).bit_length() + 1
    return field, 64 // field


def guard_bits(largest: int) -> np.uint64:
    """The guard bit of every field.

    >>> bin(guard_bits(2**20))
    '0b10000000000000000000001000000000000000000000'
    """
    field, fields = _layout(largest)
    return np.uint64(sum(1 << (field * (i + 1) - 1) for i in range(fields)))


def pack(counts: IntArray, largest: int) -> WordArray:
    """Vectors of counts up to the largest, as words x vectors."""
    field, fields = _layout(largest)
    n, D = counts.shape
    words = np.zeros((-(-D // fields), n), dtype=np.uint64)
    for d in range(D):
        words[d // fields] |= counts[:, d].astype(np.uint64) << np.uint64(field * (d % fields))
    return words


def unpack_one(words: WordArray, d: int, largest: int) -> IntArray:
    """Count d of each vector, from what `pack` made."""
    field, fields = _layout(largest)
    count = words[d // fields] >> np.uint64(field * (d % fields))
    return np.asarray(count & np.uint64((1 << (field - 1)) - 1), dtype=np.int64)


@kernel
def places_of(members: WordArray, comers: WordArray, places: IntArray) -> None:
    """How many members are up to each comer; columns of both are ordered by their rows, the first row first."""
    for n in range(comers.shape[1]):
        low, high = 0, members.shape[1]
        while low < high:
            middle = (low + high) // 2
            w = 0
            while w < len(comers) - 1 and members[w, middle] == comers[w, n]:
                w += 1
            if members[w, middle] <= comers[w, n]:
                low = middle + 1
            else:
                high = middle
        places[n] = low


@kernel
def merge(
    members: WordArray, stay: BoolArray, comers: WordArray, enter: BoolArray, places: IntArray, merged: WordArray
) -> None:
    """The members that stay and the comers that enter, in order: places[n] members are up to comer n."""
    for w in range(len(members)):
        row, target = members[w], merged[w]
        count = i = 0
        for n in range(len(enter) + 1):
            stop = places[n] if n < len(enter) else len(stay)
            while i < stop:
                if stay[i]:
                    target[count] = row[i]
                    count += 1
                i += 1
            if n < len(enter) and enter[n]:
                target[count] = comers[w, n]
                count += 1


@kernel
def _below(vector: WordArray, words: WordArray, stop: int, H: np.uint64, guards: WordArray) -> bool:
    """Whether some of the first vectors in `words` is nowhere above this one: dominates or equals it."""
    for start in range(0, stop, BLOCK):
        size = min(BLOCK, stop - start)
        guards[:size] = H
        for w in range(len(words)):
            guarded = vector[w] | H
            for i in range(size):
                guards[i] &= guarded - words[w, start + i]
        some = False
        for i in range(size):
            some |= guards[i] == H
        if some:
            return True
    return False


@kernel
def _strike(
    vector: WordArray, words: WordArray, begin: int, H: np.uint64, guards: WordArray, stay: BoolArray
) -> None:
    """Mark, from one place on, the vectors in `words` that are nowhere below this one."""
    stop = words.shape[1]
    for start in range(begin, stop, BLOCK):
        size = min(BLOCK, stop - start)
        guards[:size] = H
        for w in range(len(words)):
            for i in range(size):
                guards[i] &= (words[w, start + i] | H) - vector[w]
        for i in range(size):
            stay[start + i] &= guards[i] != H


@kernel
def sift(
    members: WordArray, comers: WordArray, places: IntArray, H: np.uint64, stay: BoolArray, enter: BoolArray
) -> None:
    """Which members stay and which comers enter; both by rising sum, places[n] members being up to comer n.

    A comer enters if no member, and no comer before it, dominates or equals it: none of a larger sum can. A member
    stays unless a comer that entered dominates it: none of a sum as large can.
    """
    guards = np.empty(BLOCK, dtype=np.uint64)
    entered = np.empty_like(comers)
    count = 0
    stay[:] = True
    for n in range(comers.shape[1]):
        vector = comers[:, n].copy()
        enter[n] = not (_below(vector, entered, count, H, guards) or _below(vector, members, places[n], H, guards))
        if enter[n]:
            entered[:, count] = vector
            count += 1
            _strike(vector, members, places[n], H, guards, stay)
