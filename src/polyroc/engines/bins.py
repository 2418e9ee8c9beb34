"""Bins of scores: how the real line is divided, counts by bin and class, and their refinement.

Counts are integers. Weights and their squares are summed as integers too, in units of 2^-52, after a division by a
power of two that brings them to an ordinary size: no sum depends on the order of the rows.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import isfinite, ldexp
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.binned_pairs import add_areas
from polyroc.kernels.bins import (
    BINADE_BITS,
    FIRST_BINADE,
    FRACTION_BITS,
    HALF_BITS_OF_ONE,
    KEY_OF_ONE,
    LAST_BINADE,
    MIXED,
    add_records,
    add_weighted,
    count_cases,
    flush_counters,
    locate,
    locate_finer,
    merge_bins,
    occupied_bins,
)
from polyroc.validation.weights import (
    SMALLEST_UNSCALED,
    check_class_weights,
    check_weight_range,
    weight_exponent,
)

__all__ = [
    "BinCounts",
    "BinIndex",
    "BinnedColumn",
    "BinnedValues",
    "Layout",
    "bin_bytes",
    "check_weight_precision",
    "checked_exponent",
    "class_sums",
    "record_width",
    "scaled_expression",
]

BITS_PER_BINADE = 8  # bins per power of two near 0 and near 1, as a power of two: a relative width of 1/256
BINNED_BINADES = 64  # powers of two towards 0 and 1 that are divided; what is nearer shares one bin per binade
SMALLEST_POWER, LARGEST_POWER = -6, 12  # outside [0, 1], numbers from 2^-6 to 2^12 have as many bins as inside
INFINITY_BITS = 0x7FF0 << 48


class Level(NamedTuple):
    """One level of bins: for each bin of the level above, its first bin and the number of key bits below one."""

    first: CodeArray
    shift: CodeArray
    size: int

    @property
    def counts(self) -> IntArray:
        """The number of bins into which each bin of the level above is divided."""
        return np.append(self.first[1:], self.size) - self.first.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Layout:
    """Bins in ascending order; every level divides each bin of the level above into a power of two of equal parts.

    Parts are equal in key (see `polyroc.kernels.bins`), that is in units of the last place.

    Attributes
    ----------
    levels
        The first divides the binades (powers of two), every other one the bins of the level before.
    """

    levels: tuple[Level, ...]

    @classmethod
    def of(cls, bits: int) -> "Layout":
        """Make bins for any score: 2^-bits wide inside [0, 1], finer towards both ends, coarser outside.

        Within 2^(8 - bits) of an end of [0, 1] the width of a bin is 1/256 to 1/512 of the distance from that end,
        down to 2^-64: probabilities of 1e-12 and of 1 - 1e-12 are resolved as those of 0.3 are. Outside [0, 1]
        there are 2^(bits - 5) bins from one power of two to the next between 1/64 and 4096 (ranking scores,
        log-odds).
        """
        return cls((_first_level(bits),))

    def __reduce__(self) -> tuple[type["Layout"], tuple[tuple[Level, ...]]]:
        return Layout, (self.levels,)  # without the cached properties, which would be sent to every executor

    @property
    def size(self) -> int:
        """Number of bins."""
        return self.levels[-1].size

    def _low_keys(self) -> Iterator[IntArray]:
        """Yield the smallest key of every bin: of the binades, then of the bins of each level."""
        low = np.arange(FIRST_BINADE, LAST_BINADE, dtype=np.int64) << BINADE_BITS
        yield low
        for level in self.levels:
            first, shift = (
                np.repeat(by_group, level.counts).astype(np.int64) for by_group in (level.first, level.shift)
            )
            low = np.repeat(low, level.counts) + ((np.arange(level.size) - first) << shift)
            yield low

    @cached_property
    def shift(self) -> IntArray:
        """By bin: the number of key bits below it, which is how often it can still be halved."""
        level = self.levels[-1]
        return np.repeat(level.shift, level.counts).astype(np.int64)

    def locate(self, values: FloatArray) -> CodeArray:
        """Return the bin of each value."""
        return BinnedValues(values).bins(self)

    def refined(self, halvings: IntArray) -> "Layout":
        """Return the layout with each bin divided into 2^halvings, or as far as doubles can be distinguished."""
        return Layout((*self.levels, _level(np.minimum(halvings, self.shift), self.shift)))

    def edges(self) -> FloatArray:
        """Return the smallest number of each bin, whether or not it occurred."""
        *_, low = self._low_keys()
        return _smallest_number(low)


class BinnedValues:
    """A batch of finite values and their bins, computed once for all layouts that share levels."""

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self._located: dict[int, tuple[CodeArray, IntArray]] = {}  # by the identity of a level

    def bins(self, layout: Layout) -> CodeArray:
        """Return the bin of each value in a layout."""
        coarse: tuple[CodeArray, IntArray] | None = None
        for level in layout.levels:
            if id(level.first) not in self._located:
                self._located[id(level.first)] = self._locate(level, coarse)
            coarse = self._located[id(level.first)]
        assert coarse is not None
        return coarse[0]

    def _locate(self, level: Level, coarse: tuple[CodeArray, IntArray] | None) -> tuple[CodeArray, IntArray]:
        bins, rest = np.empty(len(self.values), np.int32), np.empty(len(self.values), np.int64)
        if coarse is None:
            locate(self.values, level.first, level.shift, bins, rest)
        else:
            locate_finer(level.first, level.shift, *coarse, bins, rest)
        return bins, rest


@cache
def _first_level(bits: int) -> Level:
    halvings = np.array([_halvings(binade, bits) for binade in range(FIRST_BINADE, LAST_BINADE)])
    return _level(halvings, np.full(len(halvings), BINADE_BITS))


def _level(halvings: IntArray, shift_above: IntArray) -> Level:
    counts = np.left_shift(1, halvings)
    ends = np.cumsum(counts)
    return Level((ends - counts).astype(np.int32), (shift_above - halvings).astype(np.int32), int(ends[-1]))


def _halvings(binade: int, bits: int) -> int:
    """Return how often a binade of keys is halved, so that `Layout.of` holds."""
    fewest = min(BITS_PER_BINADE, bits)
    # Binades 0 to 2043 of the keys cover [0, 1): 1021 is [1/4, 1/2), and 1022 is its mirror image, up to 3/4.
    if 0 <= binade < 2044:
        to_end = 1022 - binade if binade < 1022 else binade - 1021  # 1: from 1/4 to 1/2, or from 1/2 to 3/4
        return max(bits - 1 - to_end, fewest) if to_end <= BINNED_BINADES else 0
    power = binade - 2044 if binade > 0 else -1024 - binade
    if SMALLEST_POWER <= power < LARGEST_POWER:
        return max(bits - 5, fewest)
    return fewest // 2 if abs(power) <= BINNED_BINADES else 0


def _smallest_number(key: IntArray) -> FloatArray:
    """Return the smallest number whose key is not below each (the inverse of `order_key`); infinite if none."""
    key = np.clip(key, -(INFINITY_BITS >> 1), (INFINITY_BITS >> 1) + KEY_OF_ONE - HALF_BITS_OF_ONE)
    # Up to 1/2 and above 1 the bits are twice the key; the lower of the two doubles with that key is the even one.
    bits = np.where(key > KEY_OF_ONE, 2 * (key - (KEY_OF_ONE - HALF_BITS_OF_ONE)), 2 * key)
    number = np.where(key > 0, bits, 0).view(np.float64)
    # Below 0 the smallest number has the larger magnitude, the odd one; key 0 includes the smallest denormal.
    number = np.where(key <= 0, -np.minimum(1 - 2 * key, INFINITY_BITS).view(np.float64), number)
    # From 1/2 to 1 the key is that of the distance from 1: the smallest number has the larger distance. Where 1 -
    # distance is rounded away from it, the next double is the first one inside the bin.
    near_one = (key > KEY_OF_ONE >> 1) & (key <= KEY_OF_ONE)
    distance = np.where(near_one, 2 * (KEY_OF_ONE - key) + 1, 0).view(np.float64)
    mirrored = 1.0 - distance
    mirrored = np.where(1.0 - mirrored > distance, np.nextafter(mirrored, 2.0), mirrored)
    return np.where(near_one, mirrored, number)


class BinIndex(NamedTuple):
    """How to find the bins of scores.

    Attributes
    ----------
    locate, expand
        From scores to numbers of bins; and from a table of the occupied bins to a table of all these numbers, in
        which an empty bin has the entry of its neighbour.
    edges
        The smallest number of each occupied bin, whether it occurred or not.
    layout
        The bins; None if every distinct value is one.
    """

    locate: Callable[[BinnedValues], CodeArray]
    expand: Callable[[FloatArray], FloatArray]
    edges: Callable[[], FloatArray]
    layout: Layout | None = None


@dataclass(frozen=True, eq=False)
class BinnedColumn:
    """The occupied bins of a column of scores in ascending order, or the patterns of decisions that occurred.

    Attributes
    ----------
    cases
        At [bin, class], the number of cases (of positive weight).
    weight, squares
        At [bin, class], the sum of their weights, and of the squared weights.
    mixed
        By bin: whether its cases may have different scores; if not, they tie.
    index
        How to find scores among the bins; None if these are patterns of decisions.
    """

    cases: FloatArray
    weight: FloatArray
    squares: FloatArray
    mixed: BoolArray
    index: BinIndex | None

    @property
    def size(self) -> int:
        """The number of bins."""
        return len(self.mixed)

    def area_sums(self, i: int) -> FloatArray:
        """Return the sums over pairs of a case of class i and one of each class; see `add_areas`."""
        sums = np.zeros((4, self.weight.shape[1]))
        add_areas(self.weight, self.mixed, i, sums)
        return sums

    @cached_property
    def totals(self) -> FloatArray:
        """The weight of each class."""
        return np.asarray(np.einsum("ij->j", self.weight))  # as `sum(axis=0)`, four times as fast

    @cached_property
    def units(self) -> IntArray:
        """The number of cases of each class."""
        return np.asarray(np.einsum("ij->j", self.cases), dtype=np.int64)

    @cached_property
    def shares(self) -> FloatArray:
        """At [bin, class], the share of the class that is in the bin."""
        return np.asarray(self.weight / self.totals)

    @cached_property
    def squared_totals(self) -> FloatArray:
        """The sum of squared weights of each class."""
        return np.asarray(np.einsum("ij->j", self.squares)) if self.is_weighted else self.totals

    @property
    def is_weighted(self) -> bool:
        """Whether cases have weights."""
        return self.weight is not self.squares

    @property
    def weights_vary(self) -> bool:
        """Whether cases of one class have different weights, as far as the sums of their squares tell."""
        if not self.is_weighted:
            return False
        equal = self.units * self.squared_totals <= self.totals**2 * (1.0 + 1e-12)
        return not bool(equal.all())

    @property
    def is_uniform(self) -> bool:
        """Whether all cases of a bin and class have one score and one weight."""
        equal = self.cases * self.squares <= self.weight**2 * (1.0 + 1e-12)
        return not self.mixed.any() and bool(equal.all())


def record_width(classes: int, weighted: bool) -> int:
    """Return integers in a record: the mark, the cases and, with weights, four more per class (see the kernel)."""
    return 1 + classes * (5 if weighted else 1)


def bin_bytes(classes: int, weighted: bool) -> int:
    """Return memory of one bin while cases are counted: its record and, without weights, its counters."""
    return 8 * record_width(classes, weighted) + (0 if weighted else classes)


def class_sums(records: IntArray, classes: int, bins: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return cases, weights and squared weights by class in the bins listed; one same array without weights."""
    if records.shape[1] == record_width(classes, weighted=False):
        counts = records[bins, 1:].astype(np.float64)
        return counts, counts, counts
    cases, *sums = (records[bins, 1 + i * classes : 1 + (i + 1) * classes] for i in range(5))
    if any((part < 0).any() for part in sums):  # 2^25 squared, more than 8192 times in one bin
        raise InputError("The squared weights of one bin and class sum to 2^63 or more; divide all weights.")
    unit = 2.0**-FRACTION_BITS
    weight, squares = (whole + fraction * unit for whole, fraction in (sums[:2], sums[2:]))
    return cases.astype(np.float64), weight, squares


class BinCounts:
    """A column of scores counted in the bins of a layout.

    Attributes
    ----------
    layout
        The bins.
    """

    def __init__(self, layout: Layout, classes: int, weighted: bool) -> None:
        self.layout, self.classes, self.weighted = layout, classes, weighted
        self._records = np.zeros((layout.size, record_width(classes, weighted)), dtype=np.int64)
        self._counters = np.zeros((0 if weighted else layout.size, classes), dtype=np.uint8)
        self._buffered = False  # whether counters may have cases

    @property
    def records(self) -> IntArray:
        """The record of each bin; see `polyroc.kernels.bins`."""
        if self._buffered:
            flush_counters(self._records, self._counters)
            self._buffered = False
        return self._records

    def add(self, scores: BinnedValues, codes: CodeArray, weight: FloatArray | None) -> None:
        """Count cases."""
        bins = scores.bins(self.layout)
        if weight is None:
            self._buffered = True
            count_cases(bins, scores.values, codes, self._records, self._counters)
        else:
            add_weighted(bins, scores.values, codes, weight, self._records)

    def add_records(self, bins: IntArray, records: IntArray) -> None:
        """Add records to those of some bins, each listed once."""
        own = self.records[bins]
        add_records(own, records, self.classes)
        self._records[bins] = own

    def coarsened(self, layout: Layout) -> "BinCounts":
        """Return the same cases in the layout of which this is the refinement by one level, or in this one."""
        if layout is self.layout:
            return self
        coarse = BinCounts(layout, self.classes, self.weighted)
        first = self.layout.levels[-1].first
        merge_bins(self._records, self._counters, first, self.classes, coarse._records)
        return coarse

    def column(self) -> BinnedColumn:
        """Return the occupied bins."""
        occupied, sums, mixed = self.occupied()
        layout = self.layout

        def expand(table: FloatArray) -> FloatArray:
            """Give an empty bin the entry of the occupied bin below it, or of the first one."""
            places = np.zeros(layout.size, dtype=np.int64)
            places[occupied[1:]] = 1
            return np.asarray(table[np.cumsum(places)])

        index = BinIndex(lambda scores: scores.bins(layout), expand, lambda: layout.edges()[occupied], layout)
        return BinnedColumn(*sums, mixed=mixed, index=index)

    def occupied(self) -> tuple[IntArray, tuple[FloatArray, FloatArray, FloatArray], BoolArray]:
        """Return the numbers of the occupied bins, their sums as in `class_sums`, and whether scores differ."""
        if self.weighted:
            mark = self._records[:, 0]
            bins = np.flatnonzero(mark)
            return bins, class_sums(self._records, self.classes, bins), mark[bins] == MIXED
        size = self.layout.size
        # numpy's memory for the largest result: it comes in large pages, and what is not used costs nothing.
        bins, counts, mixed = np.empty(size, np.int64), np.empty((size, self.classes)), np.empty(size, np.bool_)
        n = occupied_bins(self._records, self._counters, bins, counts, mixed)
        return bins[:n], (counts[:n],) * 3, mixed[:n]


def checked_exponent(
    smallest: float | None,
    largest: float | None,
    rows: int,
    sums: Callable[[int], Iterable[Sequence[Any]]],
    names: Sequence[str],
    argument: str,
) -> int:
    """Return the `weight_exponent`; an error for weights that memory does not accept either.

    Parameters
    ----------
    smallest, largest, rows
        Of the positive weights.
    sums
        From the exponent to the class code, the cases of positive weight and the sum of their squared weights.
    names, argument
        Of the classes; what the weights are called.
    """
    if largest is None or not isfinite(largest) or largest < 0:
        return 0  # the scan raises an error, or warns of absent cases
    smallest = smallest or largest
    check_weight_range(smallest, largest, argument)
    exponent = weight_exponent(smallest, largest, rows)
    if ldexp(smallest, -exponent) < SMALLEST_UNSCALED:
        of_class = {k: (cases, squares) for k, cases, squares in sums(exponent)}
        cases, squares = zip(*(of_class.get(k, (0, 0.0)) for k in range(len(names))), strict=True)
        check_class_weights(cases, squares, names)
    return exponent


def scaled_expression(expression: str, exponent: int) -> str:
    """Return the SQL expression of a number divided by 2^exponent, in two steps: 2^1074 is not a double."""
    half = exponent // 2
    return " * ".join(
        [f"({expression})", *(f"{2.0**-power!r}::DOUBLE" for power in (half, exponent - half) if power)]
    )


def check_weight_precision(column: BinnedColumn, names: Sequence[str], advice: str = "") -> None:
    """Raise an error if weights of a class are too small for the unit in which their squares are summed."""
    if column.is_weighted:
        check_class_weights(column.units, column.squared_totals, names, advice)
