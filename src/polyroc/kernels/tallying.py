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

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray, ShortArray
from polyroc.kernels.compiling import kernel

__all__ = [
    "BINADE",
    "FIRST_BINADE",
    "FRACTION",
    "LAST_BINADE",
    "MIXED",
    "add_cases",
    "add_records",
    "add_weighted",
    "co_moments",
    "count_cases",
    "descend",
    "image",
    "look_up",
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
FULL = 1 << 16
BLOCK = 1 << 12
U = np.uint64  # of an index: a signed one is asked whether it counts from the end


@kernel
def image(x: float) -> int:
    """The order-preserving image of a finite number; that of -0.0 is that of 0.0."""
    near_one = 0.5 < x <= 1.0  # arithmetic instead of branches that random data would mispredict
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
    for i in range(len(values)):
        x = values[i]
        key = image(x if abs(x) < np.inf else 0.0)
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


@kernel
def count_cases(
    cells: CodeArray, values: FloatArray, codes: CodeArray, records: IntArray, fresh: ShortArray
) -> None:
    """Count cases beside the records, in two bytes by class, so that what is touched stays in the cache.

    The first of a cell's numbers in `fresh` is 1 once its mark cannot change any more: then the record is not
    looked at. A count that is full goes to the record and begins anew.
    """
    for i in range(len(cells)):
        k, j = U(cells[i]), U(1 + codes[i])
        if fresh[k, 0] == 0:
            mark = np.float64(values[i] + 0.0).view(np.int64) ^ DISGUISE
            seen = records[k, 0]
            if seen == 0:
                records[k, 0] = mark
            elif seen != mark:
                records[k, 0] = MIXED
                fresh[k, 0] = 1
        count = np.uint16(fresh[k, j] + 1)
        fresh[k, j] = count
        if count == 0:
            records[k, j] += FULL


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
def add_records(records: IntArray, others: IntArray, classes: int) -> None:
    """Add the records of some cells to those of the same cells elsewhere."""
    weighted = records.shape[1] > 1 + classes
    for i in range(len(records)):
        mine, other = records[i], others[i]
        if other[0] == 0:
            continue
        if mine[0] != other[0]:
            mine[0] = other[0] if mine[0] == 0 else MIXED
        for k in range(1, len(mine)):
            mine[k] += other[k]
        if weighted:
            for k in range(1, 1 + classes):
                for whole, fraction in ((k + classes, k + 2 * classes), (k + 3 * classes, k + 4 * classes)):
                    mine[whole] += mine[fraction] >> FRACTION
                    mine[fraction] &= (1 << FRACTION) - 1


@kernel
def look_up(cells: CodeArray, codes: CodeArray, table: FloatArray, found: FloatArray) -> None:
    """What the table holds for the cell and class of each case."""
    for i in range(len(cells)):
        found[i] = table[U(cells[i]), U(codes[i])]


@kernel
def see_cells(
    values: FloatArray,
    codes: CodeArray,
    levels: tuple[CodeArray, ...],
    records: IntArray,
    fresh: ShortArray,
    depth: int,
    table: FloatArray,
    found: FloatArray,
) -> None:
    """Place values level by level (rows of each: `sub` and `cut`), look them up at one depth, and count them.

    Block by block, so that what is known of a block stays in the cache, and in one call, so that threads need not
    wait for each other.
    """
    cells, rest = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int64)
    for start in range(0, len(values), BLOCK):
        stop = min(start + BLOCK, len(values))
        some, kinds = values[start:stop], codes[start:stop]
        here, left = cells[: stop - start], rest[: stop - start]
        for i in range(len(levels)):
            if i == 0:
                place(some, levels[i][0], levels[i][1], here, left)
            else:
                descend(levels[i][0], levels[i][1], here, left, here, left)
            if i == depth:
                look_up(here, kinds, table, found[start:stop])
        count_cases(here, some, kinds, records, fresh)


@kernel
def co_moments(found: FloatArray, codes: CodeArray, weight: FloatArray, sums: FloatArray) -> None:
    """Add up the products of each two rows of `found` over the cases of each class, by squared weight if any."""
    for i in range(found.shape[1]):
        squared = weight[i] * weight[i] if len(weight) > 0 else 1.0
        for a in range(found.shape[0]):
            for b in range(a + 1):
                sums[codes[i], a, b] += squared * found[a, i] * found[b, i]


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
