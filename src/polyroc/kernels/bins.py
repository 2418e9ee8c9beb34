"""Binned counts by class: an order-preserving integer key of a double, bins of keys, and one record per bin.

Key. Half of the bit pattern of a double, read as a sign-magnitude integer, rises with the number (IEEE 754).
Halving leaves room in 64 bits for one change: the keys of (1/2, 1] are those of 1 - x mirrored (1 - x is exact
there by Sterbenz's lemma), so that probabilities near 1 are resolved as finely as those near 0. Two neighbouring
doubles may share a key; no two change their order.

Bins. The leading bits of a key (its binade) select a row of a table that holds the first bin of the binade and the
number of key bits below a bin; the bin follows by one shift. A finer level does the same with the bins above it.

Records. One row of int64 per bin: a mark and, for each class, the number of cases. The mark is 0 while the bin is
empty, the disguised value while all cases of the bin have the same value, and `MIXED` once they differ. With
weights the record continues with the sums of the weights and of their squares by class, each as a whole part and a
fraction in units of 2^-52: integer sums do not depend on the order of the rows, nor on how they were split among
workers.

Every kernel is one pass, O(rows) or O(bins x classes).
"""

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = [
    "BINADE_BITS",
    "BLOCK",
    "FIRST_BINADE",
    "FRACTION_BITS",
    "HALF_BITS_OF_ONE",
    "KEY_OF_ONE",
    "LAST_BINADE",
    "MIXED",
    "Counters",
    "add_cases",
    "add_records",
    "add_weighted",
    "count_cases",
    "disguised_values",
    "flush_counters",
    "largest_columns",
    "locate",
    "locate_finer",
    "look_up",
    "merge_bins",
    "occupied_bins",
    "order_key",
    "own_class_comparisons",
    "sum_products",
]

BINADE_BITS = 51  # bits of a key below the exponent: 52 bits of the mantissa, less the one lost by halving
FIRST_BINADE, LAST_BINADE = -0x800, 0xC00  # of the keys of all finite doubles
BELOW_BINADE = (1 << BINADE_BITS) - 1
NO_SIGN = 0x7FFFFFFFFFFFFFFF
KEY_OF_ONE = 0x3FE0 << 48  # twice the key of 1/2, because (1/2, 1] mirrors [0, 1/2)
HALF_BITS_OF_ONE = 0x3FF0 << 47  # what the key of 1 would be without the mirror
MIXED = 1
DISGUISE = 0x7FF8000000000002  # a NaN: no finite value XORed with it gives 0 (empty) or 1 (MIXED)
FRACTION_BITS = 52
FRACTION_UNITS = 2.0**FRACTION_BITS
BLOCK = 1 << 12  # rows processed together, so that they stay in the first-level cache

COUNTED, FULL = 1, 255  # a counter of one byte: 0 if the record counts, else one more than its number of cases
Counters = npt.NDArray[np.uint8]

U = np.uint64  # for indices: numba tests a signed index for being negative, an unsigned one not


@kernel
def order_key(x: float) -> int:
    """The order-preserving key of a finite number; -0.0 has the key of 0.0."""
    # Selections instead of branches, which random data would mispredict.
    near_one = (x > 0.5) & (x <= 1.0)
    bits = np.float64(1.0 - x if near_one else x + 0.0).view(np.int64)  # x + 0.0 turns -0.0 into 0.0
    half = (bits & NO_SIGN) >> 1
    key = -half if bits < 0 else half  # sign and magnitude to a signed integer
    key = KEY_OF_ONE - half if near_one else key  # `half` is that of 1 - x here
    return int(key + (KEY_OF_ONE - HALF_BITS_OF_ONE) if x > 1.0 else key)  # continues where the mirror ends


@kernel
def locate(values: FloatArray, first: CodeArray, shift: CodeArray, bins: CodeArray, rest: IntArray) -> None:
    """The bin of each value and the key bits below the bin; a value that is not finite is taken as 0.

    By binade, `first` is its first bin and `shift` the number of key bits below a bin.
    """
    for i in range(len(values)):  # on its own, because this loop is vectorised
        rest[i] = order_key(values[i] if abs(values[i]) < np.inf else 0.0)
    for i in range(len(values)):
        key = rest[i]
        # An arithmetic shift rounds down, so the low bits of a negative key also ascend with the value.
        binade = U((key >> BINADE_BITS) - FIRST_BINADE)
        below = key & BELOW_BINADE
        bins[i] = first[binade] + (below >> shift[binade])
        rest[i] = below & ((1 << shift[binade]) - 1)


@kernel
def locate_finer(
    first: CodeArray, shift: CodeArray, coarse: CodeArray, coarse_rest: IntArray, bins: CodeArray, rest: IntArray
) -> None:
    """The bins one level finer, from the coarse bins and the key bits below them.

    By coarse bin, `first` is its first finer bin and `shift` the number of key bits below a finer bin. `bins` and
    `rest` may be the same arrays as `coarse` and `coarse_rest`.
    """
    for i in range(len(bins)):
        k, below = U(coarse[i]), coarse_rest[i]
        bins[i] = first[k] + (below >> shift[k])
        rest[i] = below & ((1 << shift[k]) - 1)


@kernel
def add_cases(bins: CodeArray, values: FloatArray, codes: CodeArray, records: IntArray) -> None:
    """Count cases without weights in the records of their bins."""
    for i in range(len(bins)):
        record = records[bins[i]]
        mark = np.float64(values[i] + 0.0).view(np.int64) ^ DISGUISE
        previous = record[0]
        if previous not in (MIXED, mark):
            record[0] = mark if previous == 0 else MIXED
        record[1 + codes[i]] += 1


@kernel
def count_cases(
    bins: CodeArray, values: FloatArray, codes: CodeArray, records: IntArray, counters: Counters
) -> None:
    """Count cases without weights in counters of one byte beside the records, at [bin, class].

    The counters take an eighth of the records' memory, so that those of a million bins stay in the cache of the
    processor, where cases arrive in random order. They are in use once the mark of a bin cannot change any more.
    """
    counts, classes = counters.reshape(counters.size), U(counters.shape[1])
    for i in range(len(bins)):
        slot = U(bins[i]) * classes + U(codes[i])
        count = counts[slot]
        if count == 0 or count == FULL:
            _count_in_record(slot, values[i], records, counts, classes)
        else:
            counts[slot] = count + np.uint8(1)


@kernel
def _count_in_record(
    slot: np.uint64, value: float, records: IntArray, counts: Counters, classes: np.uint64
) -> None:
    """Count a case of a bin whose mark may still change, or at which the counter is full."""
    k, j = slot // classes, slot % classes
    previous = records[k, 0]
    if counts[slot] == FULL:
        records[k, 0] = MIXED
        records[k, j + U(1)] += FULL
        counts[slot] = COUNTED
        return
    mark = np.float64(value + 0.0).view(np.int64) ^ DISGUISE
    if previous == 0:
        records[k, 0] = mark
    elif previous != mark:
        records[k, 0] = MIXED
        for i in range(classes):
            counts[k * classes + U(i)] = COUNTED
    records[k, j + U(1)] += 1


@kernel
def flush_counters(records: IntArray, counters: Counters) -> None:
    """Add the counters to the records and set them back; their bins stay mixed."""
    for k in range(len(records)):
        if counters[k, 0] > 0:
            for j in range(counters.shape[1]):
                records[k, 1 + j] += counters[k, j] - COUNTED
                counters[k, j] = COUNTED


@kernel
def _add_exactly(record: IntArray, whole: int, fraction: int, amount: float) -> None:
    """Add an amount, rounded down to a multiple of 2^-52, as integers: the order of adding does not matter."""
    floor = np.floor(amount)
    record[whole] += np.int64(floor)
    record[fraction] += np.int64((amount - floor) * FRACTION_UNITS)
    _carry(record, whole, fraction)


@kernel
def _carry(record: IntArray, whole: int, fraction: int) -> None:
    """Move what exceeds 1 from the fraction into the whole part."""
    record[whole] += record[fraction] >> FRACTION_BITS
    record[fraction] &= (1 << FRACTION_BITS) - 1


def disguised_values(marks: IntArray) -> FloatArray:
    """The values in the marks of bins in which all cases have the same value."""
    return (marks ^ DISGUISE).view(np.float64)


@kernel
def add_weighted(
    bins: CodeArray, values: FloatArray, codes: CodeArray, weight: FloatArray, records: IntArray
) -> None:
    """Count cases with weights in the records of their bins; cases of weight zero do not count."""
    classes = (records.shape[1] - 1) // 5
    for i in range(len(bins)):
        w = weight[i]
        if w > 0.0:
            record = records[bins[i]]
            mark = np.float64(values[i] + 0.0).view(np.int64) ^ DISGUISE
            previous = record[0]
            if previous not in (MIXED, mark):
                record[0] = mark if previous == 0 else MIXED
            # Columns of a record: mark, cases, whole and fraction of weights, whole and fraction of squares.
            k = 1 + codes[i]
            record[k] += 1
            _add_exactly(record, k + classes, k + 2 * classes, w)
            _add_exactly(record, k + 3 * classes, k + 4 * classes, w * w)


@kernel
def _add_record(record: IntArray, other: IntArray, classes: int) -> None:
    """Add a record that is not empty."""
    # Two bins of one value each stay unmixed only if the values (the marks) agree; MIXED differs from any value.
    if record[0] != other[0]:
        record[0] = other[0] if record[0] == 0 else MIXED
    for k in range(1, len(record)):
        record[k] += other[k]
    if len(record) > 1 + classes:
        for k in range(1, 1 + classes):
            for whole, fraction in ((k + classes, k + 2 * classes), (k + 3 * classes, k + 4 * classes)):
                _carry(record, whole, fraction)


@kernel
def add_records(records: IntArray, others: IntArray, classes: int) -> None:
    """Add the records of some bins to those of the same bins elsewhere."""
    for i in range(len(records)):
        if others[i, 0] != 0:
            _add_record(records[i], others[i], classes)


@kernel
def merge_bins(records: IntArray, counters: Counters, first: CodeArray, classes: int, merged: IntArray) -> None:
    """Add the cases of bins to the coarser bins that contain them; `first` as in `locate_finer`.

    `counters` are those of `count_cases`; without rows if there are weights.
    """
    for k in range(len(first)):
        end = first[k + 1] if k + 1 < len(first) else len(records)
        for i in range(first[k], end):
            if records[i, 0] != 0:
                _add_record(merged[k], records[i], classes)
            if len(counters) > 0 and counters[i, 0] > 0:
                for j in range(classes):
                    merged[k, 1 + j] += counters[i, j] - COUNTED


@kernel
def occupied_bins(
    records: IntArray, counters: Counters, occupied: IntArray, counts: FloatArray, mixed: BoolArray
) -> int:
    """The bins with cases, the number of cases by class, and whether their scores may differ; how many bins."""
    n = 0
    for k in range(len(records)):
        if records[k, 0] != 0:
            for j in range(counters.shape[1]):
                counts[n, j] = records[k, 1 + j] + (counters[k, j] - COUNTED if counters[k, 0] > 0 else 0)
            occupied[n], mixed[n] = k, records[k, 0] == MIXED
            n += 1
    return n


@kernel
def look_up(bins: CodeArray, codes: CodeArray, table: FloatArray, values: FloatArray) -> None:
    """The entry of the table for the bin and class of each case, into `values`."""
    for i in range(len(bins)):
        values[i] = table[U(bins[i]), U(codes[i])]


@kernel
def sum_products(components: FloatArray, codes: CodeArray, weight: FloatArray, sums: FloatArray) -> None:
    """Add the products of every two rows of `components`, over the cases of each class, to `sums`.

    At [class, a, b] for b <= a, times the squared weight if there are weights.
    """
    partial = np.empty((4, len(sums)))
    for start in range(0, len(codes), BLOCK):
        stop = min(start + BLOCK, len(codes))
        for a in range(len(components)):
            for b in range(a + 1):
                # Four partial sums: an addition does not wait for the result of the one before.
                partial[:] = 0.0
                for i in range(start, stop):
                    squared = weight[i] * weight[i] if len(weight) > 0 else 1.0
                    partial[U(i & 3), U(codes[i])] += squared * components[a, i] * components[b, i]
                for k in range(len(sums)):
                    sums[k, a, b] += (partial[0, k] + partial[1, k]) + (partial[2, k] + partial[3, k])


@kernel
def largest_columns(table: FloatArray, patterns: IntArray) -> None:
    """For each row the set of its largest columns: bit j is set if column j is one of them."""
    for i in range(table.shape[0]):
        largest, pattern = table[i, 0], np.int64(1)
        for j in range(1, table.shape[1]):
            x = table[i, j]
            if x > largest:
                largest, pattern = x, np.int64(1) << j
            elif x == largest:
                pattern |= np.int64(1) << j
        patterns[i] = pattern


@kernel
def own_class_comparisons(table: FloatArray, codes: CodeArray, patterns: IntArray) -> None:
    """For each row the comparison of its own class's column with every column: digit j to base 3.

    A digit is 0 if the own column is smaller than column j, 1 if equal, 2 if larger.
    """
    for i in range(table.shape[0]):
        own, pattern = table[i, codes[i]], np.int64(0)
        for j in range(table.shape[1] - 1, -1, -1):  # Horner's scheme, from the last digit to the first
            x = table[i, j]
            pattern = pattern * 3 + 1 + int(own > x) - int(own < x)
        patterns[i] = pattern
