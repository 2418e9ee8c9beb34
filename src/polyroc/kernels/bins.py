"""Count scores in cells: an order-preserving image of a double, and what is kept of the cases that fall together.

The image of x is half the integer that the bits of x are, which rises with x; between 1/2 and 1 it is that of
1 - x turned round (1 - x is exact there), so that probabilities near 1 are told apart as finely as those near 0.
Two neighbouring doubles may share an image; no two change places.

A record of a cell holds a mark and then, for each class, the cases in it. The mark is 0 while the cell is empty,
the value (disguised) while all its cases have the same, and 1 once they differ. With weights the record goes on
with their sums and the sums of their squares, class by class, each as a whole and a fraction in units of 2^-52:
integers, so that the order of adding does not matter.
"""

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray, ShortArray
from polyroc.kernels.jit import kernel

__all__ = [
    "BINADE",
    "FIRST_BINADE",
    "FRACTION",
    "LAST_BINADE",
    "MIXED",
    "add_cases",
    "add_fresh",
    "add_records",
    "add_weighted",
    "co_moments",
    "count_cases",
    "descend",
    "fresh_counts",
    "held_cases",
    "image",
    "look_up",
    "merge_cells",
    "place",
    "see_cells",
    "winners",
    "wins",
]

BINADE = 51  # bits of an image below its exponent
MIXED = 1
FRACTION = 52
SIGN = 0x7FFFFFFFFFFFFFFF
TWO_HALVES = 0x3FE0 << 48  # twice the image of 1/2: the image of 1
ONE = 0x3FF0 << 47  # half the bits of 1
DISGUISE = 0x7FF8000000000002  # of no finite number
FIRST_BINADE, LAST_BINADE = -0x800, 0xC00
BELOW = (1 << BINADE) - 1
UNITS = 2.0**FRACTION
BLOCK = 1 << 12
STRETCH = 16  # bits of a slot's number within its stretch
IN_STRETCH = (1 << STRETCH) - 1
CACHED = 4  # stretches that the cache holds
WAIT = 1 << 15  # cases that wait for each stretch
Fresh = tuple[npt.NDArray[np.uint8], ShortArray, ShortArray, IntArray]
U = np.uint64  # of an index: a signed one is asked whether it counts from the end


@kernel
def image(x: float) -> int:
    """The order-preserving image of a finite number; that of -0.0 is that of 0.0."""
    near_one = (x > 0.5) & (x <= 1.0)  # arithmetic instead of branches that random data would mispredict
    bits = np.float64(1.0 - x if near_one else x + 0.0).view(np.int64)
    half = (bits & SIGN) >> 1
    found = -half if bits < 0 else half
    found = TWO_HALVES - half if near_one else found
    return int(found + (TWO_HALVES - ONE) if x > 1.0 else found)


@kernel
def place(values: FloatArray, sub: CodeArray, cut: CodeArray, cells: CodeArray, rest: IntArray) -> None:
    """The cell of each value and what is left of its image below the cell; what is not finite counts as 0.

    By binade, `sub` is its first cell and `cut` how many bits of the image are left below a cell.
    """
    for i in range(len(values)):  # a loop of its own, which the compiler makes several steps of at a time
        rest[i] = image(values[i] if abs(values[i]) < np.inf else 0.0)
    for i in range(len(values)):
        key = rest[i]
        binade = U((key >> BINADE) - FIRST_BINADE)
        below = key & BELOW
        cells[i] = sub[binade] + (below >> cut[binade])
        rest[i] = below & ((1 << cut[binade]) - 1)


@kernel
def descend(
    sub: CodeArray, cut: CodeArray, above: CodeArray, left: IntArray, cells: CodeArray, rest: IntArray
) -> None:
    """The cells one level further down, from the cells above and what is left below these."""
    for i in range(len(cells)):
        k, below = U(above[i]), left[i]
        cells[i] = sub[k] + (below >> cut[k])
        rest[i] = below & ((1 << cut[k]) - 1)


@kernel
def add_cases(cells: CodeArray, values: FloatArray, codes: CodeArray, records: IntArray) -> None:
    """Count cases into the records of their cells."""
    for i in range(len(cells)):
        record = records[cells[i]]
        mark = np.float64(values[i] + 0.0).view(np.int64) ^ DISGUISE
        seen = record[0]
        if seen not in (MIXED, mark):
            record[0] = mark if seen == 0 else MIXED
        record[1 + codes[i]] += 1


def fresh_counts(cells: int, classes: int) -> Fresh:
    """Room to count cases beside the records of cells, in two bytes for each cell and class (a slot).

    `settled` has a bit for each cell whose mark cannot change any more. Slots are counted in stretches of 2^16;
    where there are more of them than the cache holds, each has room for cases that wait, so many in `ends`.
    """
    stretches = (cells * classes >> STRETCH) + 1
    many = WAIT if stretches > CACHED else 0
    return (
        np.zeros((cells >> 3) + 1, dtype=np.uint8),
        np.zeros((stretches, 1 << STRETCH), dtype=np.uint16),
        np.empty((stretches, many), dtype=np.uint16),
        np.zeros(stretches, dtype=np.int64),
    )


@kernel
def count_cases(cells: CodeArray, values: FloatArray, codes: CodeArray, records: IntArray, fresh: Fresh) -> None:
    """Count cases by slot, stretch by stretch when enough wait, so that what is touched stays in the cache.

    Cases of a cell that is not settled go to its record, and its mark is looked at.
    """
    settled, counts, waiting, ends = fresh
    classes, most = U(records.shape[1] - 1), waiting.shape[1]
    for i in range(len(cells)):
        k, j = U(cells[i]), U(codes[i])
        bit = np.uint8(1 << (k & U(7)))
        if settled[k >> U(3)] & bit == 0:
            mark = np.float64(values[i] + 0.0).view(np.int64) ^ DISGUISE
            seen = records[k, 0]
            if seen == 0:
                records[k, 0] = mark
            elif seen != mark:
                records[k, 0] = MIXED
                settled[k >> U(3)] |= bit
            records[k, j + U(1)] += 1
            continue
        slot = k * classes + j
        stretch, key = slot >> U(STRETCH), np.uint16(slot & U(IN_STRETCH))
        if most == 0:
            _count_slot(key, counts[stretch], stretch, records)
            continue
        end = ends[stretch]
        waiting[stretch, U(end)] = key
        ends[stretch] = end + 1
        if end + 1 == most:
            _count_waiting(waiting[stretch], counts[stretch], stretch, records)
            ends[stretch] = 0


@kernel
def _count_slot(key: np.uint16, counts: ShortArray, stretch: np.uint64, records: IntArray) -> None:
    """One more case; a count that is full goes to the record and begins anew."""
    count = np.uint16(counts[key] + np.uint16(1))
    counts[key] = count
    if count == 0:
        classes, slot = U(records.shape[1] - 1), (stretch << U(STRETCH)) + U(key)
        records[slot // classes, U(1) + slot % classes] += 1 << 16


@kernel
def _count_waiting(keys: ShortArray, counts: ShortArray, stretch: np.uint64, records: IntArray) -> None:
    for i in range(len(keys)):
        _count_slot(keys[i], counts, stretch, records)


@kernel
def add_fresh(records: IntArray, fresh: Fresh) -> None:
    """Add to the records what was counted beside them, which begins anew; what is settled stays so."""
    _, counts, waiting, ends = fresh
    for stretch in range(len(ends)):
        _count_waiting(waiting[stretch, : ends[stretch]], counts[stretch], U(stretch), records)
        ends[stretch] = 0
    slots = counts.ravel()
    classes = records.shape[1] - 1
    for k in range(len(records)):
        for j in range(classes):
            records[k, 1 + j] += slots[k * classes + j]
    slots[:] = 0


@kernel
def _add_exactly(record: IntArray, whole: int, fraction: int, amount: float) -> None:
    floor = np.floor(amount)
    record[whole] += np.int64(floor)
    record[fraction] += np.int64((amount - floor) * UNITS)
    record[whole] += record[fraction] >> FRACTION
    record[fraction] &= (1 << FRACTION) - 1


@kernel
def add_weighted(
    cells: CodeArray, values: FloatArray, codes: CodeArray, weight: FloatArray, records: IntArray
) -> None:
    """The same with weights; cases of weight zero do not count."""
    classes = (records.shape[1] - 1) // 5
    for i in range(len(cells)):
        w = weight[i]
        if w > 0.0:
            record = records[cells[i]]
            mark = np.float64(values[i] + 0.0).view(np.int64) ^ DISGUISE
            seen = record[0]
            if seen not in (MIXED, mark):
                record[0] = mark if seen == 0 else MIXED
            k = 1 + codes[i]
            record[k] += 1
            _add_exactly(record, k + classes, k + 2 * classes, w)
            _add_exactly(record, k + 3 * classes, k + 4 * classes, w * w)


@kernel
def _add_record(mine: IntArray, other: IntArray, classes: int) -> None:
    if other[0] == 0:
        return
    if mine[0] != other[0]:
        mine[0] = other[0] if mine[0] == 0 else MIXED
    for k in range(1, len(mine)):
        mine[k] += other[k]
    if len(mine) > 1 + classes:
        for k in range(1, 1 + classes):
            for whole, fraction in ((k + classes, k + 2 * classes), (k + 3 * classes, k + 4 * classes)):
                mine[whole] += mine[fraction] >> FRACTION
                mine[fraction] &= (1 << FRACTION) - 1


@kernel
def add_records(records: IntArray, others: IntArray, classes: int) -> None:
    """Add the records of some cells to those of the same cells elsewhere."""
    for i in range(len(records)):
        _add_record(records[i], others[i], classes)


@kernel
def merge_cells(records: IntArray, first: CodeArray, classes: int, found: IntArray) -> None:
    """Add the records of cells to those of the larger cells they are in, by the first cell in each of these."""
    for k in range(len(first)):
        end = first[k + 1] if k + 1 < len(first) else len(records)
        for i in range(first[k], end):
            _add_record(found[k], records[i], classes)


@kernel
def held_cases(records: IntArray, held: IntArray) -> FloatArray:
    """The cases by class in some cells, from records without weights."""
    found = np.empty((len(held), records.shape[1] - 1))
    for k in range(len(held)):
        for j in range(found.shape[1]):
            found[k, j] = records[held[k], 1 + j]
    return found


@kernel
def look_up(cells: CodeArray, codes: CodeArray, table: FloatArray, found: FloatArray) -> None:
    """What the table holds for the cell and class of each case."""
    for i in range(len(cells)):
        found[i] = table[U(cells[i]), U(codes[i])]


@kernel
def _ends(values: FloatArray, low: float, high: float) -> tuple[float, float]:
    """The smallest and the largest of some values and two more, nan if one is missing."""
    missing = False
    for i in range(len(values)):
        x = values[i]
        low = x if x < low else low
        high = x if x > high else high
        missing |= x != x
    return (np.nan, np.nan) if missing else (low, high)


@kernel
def see_cells(
    values: FloatArray,
    codes: CodeArray,
    levels: tuple[CodeArray, ...],
    records: IntArray,
    fresh: Fresh,
    depth: int,
    table: FloatArray,
    found: FloatArray,
) -> tuple[float, float]:
    """Place values level by level (rows of each: `sub` and `cut`), look them up at one depth, and count them.

    Block by block, so that what is known of a block stays in the cache, and in one call, so that threads need not
    wait for each other. Returns the smallest and the largest value, nan if one is missing.
    """
    cells, rest = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int64)
    low, high = np.inf, -np.inf
    for start in range(0, len(values), BLOCK):
        stop = min(start + BLOCK, len(values))
        some, kinds = values[start:stop], codes[start:stop]
        low, high = _ends(some, low, high)
        here, left = cells[: stop - start], rest[: stop - start]
        for i in range(len(levels)):
            if i == 0:
                place(some, levels[i][0], levels[i][1], here, left)
            else:
                descend(levels[i][0], levels[i][1], here, left, here, left)
            if i == depth:
                look_up(here, kinds, table, found[start:stop])
        count_cases(here, some, kinds, records, fresh)
    return low, high


@kernel
def co_moments(found: FloatArray, codes: CodeArray, weight: FloatArray, sums: FloatArray) -> None:
    """Add up the products of each two rows of `found` over the cases of each class, by squared weight if any.

    In four sums each, so that an addition need not wait for the one before.
    """
    part = np.empty((4, len(sums)))
    for start in range(0, len(codes), BLOCK):
        stop = min(start + BLOCK, len(codes))
        for a in range(len(found)):
            for b in range(a + 1):
                part[:] = 0.0
                for i in range(start, stop):
                    squared = weight[i] * weight[i] if len(weight) > 0 else 1.0
                    part[U(i & 3), U(codes[i])] += squared * found[a, i] * found[b, i]
                for k in range(len(sums)):
                    sums[k, a, b] += (part[0, k] + part[1, k]) + (part[2, k] + part[3, k])


@kernel
def winners(table: FloatArray, found: IntArray) -> None:
    """For each row, the set of its largest columns, as bits."""
    for i in range(table.shape[0]):
        most, held = table[i, 0], np.int64(1)
        for j in range(1, table.shape[1]):
            x = table[i, j]
            if x > most:
                most, held = x, np.int64(1) << j
            elif x == most:
                held |= np.int64(1) << j
        found[i] = held


@kernel
def wins(table: FloatArray, codes: CodeArray, found: IntArray) -> None:
    """For each row, how its own class's column compares with every column (0 less, 1 equal, 2 more), to base 3."""
    for i in range(table.shape[0]):
        own, held = table[i, codes[i]], np.int64(0)
        for j in range(table.shape[1] - 1, -1, -1):
            x = table[i, j]
            held = held * 3 + 1 + int(own > x) - int(own < x)
        found[i] = held
