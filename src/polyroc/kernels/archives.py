"""Non-dominated sets of vectors of counts: updates by word-parallel comparisons.

A count and a guard bit above it make a field, and fields share 64-bit words. With the guard bits H set in b, (b |
H) - a keeps the guard bit of each field where b >= a, and no borrow crosses into the next field: one subtraction
compares all fields of a word (Lamport, Communications of the ACM 18 (1975) 471-475). Vectors are kept by ascending
sum, because a vector can only be dominated by one of a smaller sum: half of the comparisons need not be made.
"""

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import BoolArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["WordArray", "guard_bits", "merge", "pack", "places_of", "sift", "unpack_one"]

WordArray = npt.NDArray[np.uint64]
BLOCK = 512  # vectors of which a word is compared in a vectorised loop; then those left are looked for


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
    words = np.zeros((-(-D // fields), n), dtype=np.uint64)  # rounded up: the last word may have empty fields
    for d in range(D):
        words[d // fields] |= counts[:, d].astype(np.uint64) << np.uint64(field * (d % fields))
    return words


def unpack_one(words: WordArray, d: int, largest: int) -> IntArray:
    """Count d of each vector, from what `pack` made."""
    field, fields = _layout(largest)
    count = words[d // fields] >> np.uint64(field * (d % fields))
    return np.asarray(count & np.uint64((1 << (field - 1)) - 1), dtype=np.int64)


def _places_by_numpy(members: WordArray, candidates: WordArray, places: IntArray) -> None:
    not_above = members[-1, :, None] <= candidates[-1]
    for own, other in zip(members[-2::-1], candidates[-2::-1], strict=True):  # the words before decide first
        not_above = (own[:, None] < other) | ((own[:, None] == other) & not_above)
    not_above.sum(axis=0, out=places)


@kernel(
    steps=lambda members, candidates, _: candidates.size * members.shape[1] // 200 + 50, by_numpy=_places_by_numpy
)
def places_of(members: WordArray, candidates: WordArray, places: IntArray) -> None:
    """The number of members not above each candidate, in lexicographic order of the words; binary search."""
    for n in range(candidates.shape[1]):
        low, high = 0, members.shape[1]
        while low < high:
            middle = (low + high) // 2
            # The first word that differs decides; the last one also if all are equal.
            w = 0
            while w < len(candidates) - 1 and members[w, middle] == candidates[w, n]:
                w += 1
            if members[w, middle] <= candidates[w, n]:
                low = middle + 1
            else:
                high = middle
        places[n] = low


def _merge_by_numpy(
    members: WordArray,
    stay: BoolArray,
    candidates: WordArray,
    enter: BoolArray,
    places: IntArray,
    merged: WordArray,
) -> None:
    staying_before = np.concatenate([[0], np.cumsum(stay)])[places]
    merged[:] = np.insert(members[:, stay], staying_before[enter], candidates[:, enter], axis=1)


@kernel(steps=lambda *arguments: arguments[-1].size // 50 + 100, by_numpy=_merge_by_numpy)
def merge(
    members: WordArray,
    stay: BoolArray,
    candidates: WordArray,
    enter: BoolArray,
    places: IntArray,
    merged: WordArray,
) -> None:
    """The members that stay and the candidates that enter, in order; places[n] members come before candidate n."""
    for w in range(len(members)):
        row, target = members[w], merged[w]
        # Both lists are in order, so one pass over the members suffices: those before candidate n, then n itself.
        count = i = 0
        for n in range(len(enter) + 1):
            stop = places[n] if n < len(enter) else len(stay)
            while i < stop:
                if stay[i]:
                    target[count] = row[i]
                    count += 1
                i += 1
            if n < len(enter) and enter[n]:
                target[count] = candidates[w, n]
                count += 1


@kernel
def _some_left(guards: WordArray, size: int, H: np.uint64) -> bool:
    """Whether one of the first guards has survived the words so far."""
    some = False
    for i in range(size):  # no early end, which would prevent the vectorisation
        some |= guards[i] == H
    return some


@kernel
def _below(vector: WordArray, words: WordArray, stop: int, H: np.uint64, guards: WordArray) -> bool:
    """Whether one of the first `stop` vectors in `words` dominates or equals this one (is nowhere above it)."""
    for start in range(0, stop, BLOCK):
        size = min(BLOCK, stop - start)
        for i in range(size):  # loops instead of `[:] =`, which takes much longer to compile
            guards[i] = H  # it survives all words if the vector is nowhere smaller
        w, some = 0, True
        while some and w < len(words):  # with many objectives, hardly a block is left after its first word
            guarded = vector[w] | H
            for i in range(size):
                guards[i] &= guarded - words[w, start + i]
            some = _some_left(guards, size, H)
            w += 1
        if some:
            return True
    return False


@kernel
def _remove_dominated(
    vector: WordArray, words: WordArray, begin: int, H: np.uint64, guards: WordArray, stay: BoolArray
) -> None:
    """Clear `stay`, from one place on, for the vectors in `words` that this one dominates or equals."""
    stop = words.shape[1]
    for start in range(begin, stop, BLOCK):
        size = min(BLOCK, stop - start)
        for i in range(size):  # as in `_below`, with the two sides exchanged
            guards[i] = H
        w, some = 0, True
        while some and w < len(words):
            for i in range(size):
                guards[i] &= (words[w, start + i] | H) - vector[w]
            some = _some_left(guards, size, H)
            w += 1
        if some:
            for i in range(size):
                stay[start + i] &= guards[i] != H


def _sift_by_numpy(
    members: WordArray, candidates: WordArray, places: IntArray, H: np.uint64, stay: BoolArray, enter: BoolArray
) -> None:
    # Places need not be looked at: no vector is nowhere above one of a smaller sum.
    earlier = np.tri(len(places), k=-1, dtype=np.bool_)
    twins = _nowhere_above(candidates, candidates, H) & earlier.T
    enter[:] = ~(_nowhere_above(members, candidates, H).any(axis=0) | twins.any(axis=0))
    stay[:] = ~_nowhere_above(candidates[:, enter], members, H).any(axis=0)


def _nowhere_above(some: WordArray, others: WordArray, H: np.uint64) -> BoolArray:
    """At [i, k], whether vector i of some dominates or equals vector k of the others."""
    below = np.ones((some.shape[1], others.shape[1]), dtype=np.bool_)
    for one, other in zip(some, others, strict=True):
        below &= ((other | H) - one[:, None]) & H == H
    return below


def _sift_steps(members: WordArray, candidates: WordArray, *_: object) -> int:
    return int(candidates.size * (2 * members.shape[1] + candidates.shape[1]) // 200 + 100)


@kernel(steps=_sift_steps, by_numpy=_sift_by_numpy)
def sift(
    members: WordArray, candidates: WordArray, places: IntArray, H: np.uint64, stay: BoolArray, enter: BoolArray
) -> None:
    """Which members stay and which candidates enter; both by ascending sum, places[n] members up to candidate n.

    A candidate enters if no member, and no candidate before it, dominates or equals it: none of a larger sum can.
    A member stays unless a candidate that entered dominates it: only one of a smaller sum can.
    """
    guards, vector = np.empty(BLOCK, dtype=np.uint64), np.empty(len(candidates), dtype=np.uint64)
    entered = np.empty(candidates.shape, dtype=np.uint64)
    count = 0
    for i in range(len(stay)):
        stay[i] = True
    for n in range(candidates.shape[1]):
        for w in range(len(vector)):
            vector[w] = candidates[w, n]
        # The candidates that entered first: mostly the shorter list, and one that dominates ends the search.
        enter[n] = not (_below(vector, entered, count, H, guards) or _below(vector, members, places[n], H, guards))
        if enter[n]:
            for w in range(len(vector)):
                entered[w, count] = vector[w]
            count += 1
            _remove_dominated(vector, members, places[n], H, guards, stay)
