"""How the line of scores is cut into cells, and cut finer where it matters."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.bins import (
    BINADE,
    FIRST_BINADE,
    FRACTION,
    LAST_BINADE,
    MIXED,
    ONE,
    TWO_HALVES,
    add_fresh,
    add_records,
    add_weighted,
    count_cases,
    descend,
    fresh_counts,
    held_cases,
    merge_cells,
    place,
    see_cells,
)

__all__ = ["Cells", "Column", "Layout", "Placed", "Where", "cell_size", "record_width", "sums_of"]


FINE = 8  # bits that tell apart the cells of a binade near 0 or near 1
NEAR = 64  # binades on the way to 0 and to 1 that are cut at all
SMALLEST, LARGEST = -6, 12  # powers of two between which numbers outside [0, 1] are cut as finely as inside
INFINITE = 0x7FF0 << 48


class Level(NamedTuple):
    """Cells of one level: for each cell of the level above, the first of them and the bits left below each."""

    sub: CodeArray
    cut: CodeArray
    size: int

    @property
    def counts(self) -> IntArray:
        """Into how many cells each cell of the level above is cut."""
        return np.append(self.sub[1:], self.size) - self.sub.astype(np.int64)


@dataclass(frozen=True, eq=False)
class Layout:
    """Cells in ascending order: every level cuts each cell of the level above into a power of two of equal parts.

    Attributes
    ----------
    levels
        The first cuts the binades (powers of two), the others what the level above made.
    """

    levels: tuple[Level, ...]

    @classmethod
    def of(cls, bits: int) -> "Layout":
        """Cells for any score: 2^-bits wide inside [0, 1], finer towards both ends, coarser outside.

        Within 2^(8 - bits) of an end of [0, 1] a cell is 1/256 to 1/512 of the distance from that end, down to
        2^-64: probabilities of 1e-12 and of 1 - 1e-12 are told apart as those of 0.3 are. Outside [0, 1] there are
        2^(bits - 5) cells from one power of two to the next between 1/64 and 4096 (ranking scores, log-odds).
        """
        return cls((_first(bits),))

    def __reduce__(self) -> tuple[type["Layout"], tuple[tuple[Level, ...]]]:
        return Layout, (self.levels,)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return self.levels[-1].size

    @cached_property
    def steps(self) -> tuple[CodeArray, ...]:
        """The levels as tables of two rows: the first cells, and the bits left below each."""
        return tuple(np.stack([level.sub, level.cut]) for level in self.levels)

    def depth_in(self, other: "Layout") -> int | None:
        """At which level of another layout these cells are; None if they are not among them."""
        n = len(self.levels)
        same = n <= len(other.levels) and all(a is b for a, b in zip(self.levels, other.levels, strict=False))
        return n - 1 if same else None

    @cached_property
    def cut(self) -> IntArray:
        """By cell: how many bits of the image are left below it."""
        level = self.levels[-1]
        return np.repeat(level.cut, level.counts).astype(np.int64)

    def place(self, values: FloatArray) -> CodeArray:
        """The cell of each value."""
        return Placed(values).cells(self)

    def finer(self, parts: IntArray) -> "Layout":
        """The layout with each cell cut into 2^parts, or as many as it has."""
        return Layout((*self.levels, _level(np.minimum(parts, self.cut), self.cut)))

    def edges(self) -> FloatArray:
        """The smallest number of each cell, whether or not it was seen."""
        low = np.arange(FIRST_BINADE, LAST_BINADE, dtype=np.int64) << BINADE
        for level in self.levels:
            first, cut = (np.repeat(each, level.counts).astype(np.int64) for each in (level.sub, level.cut))
            low = np.repeat(low, level.counts) + ((np.arange(level.size) - first) << cut)
        return _smallest(low)


class Placed:
    """A batch of finite values and the cells they are in, found once for all layouts that share levels."""

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self._found: dict[int, tuple[CodeArray, IntArray]] = {}

    def cells(self, layout: Layout) -> CodeArray:
        """The cell of each value in a layout."""
        above: tuple[CodeArray, IntArray] | None = None
        for level in layout.levels:
            if id(level.sub) not in self._found:
                self._found[id(level.sub)] = self._below(level, above)
            above = self._found[id(level.sub)]
        assert above is not None
        return above[0]

    def _below(self, level: Level, above: tuple[CodeArray, IntArray] | None) -> tuple[CodeArray, IntArray]:
        cells, rest = np.empty(len(self.values), np.int32), np.empty(len(self.values), np.int64)
        if above is None:
            place(self.values, level.sub, level.cut, cells, rest)
        else:
            descend(level.sub, level.cut, *above, cells, rest)
        return cells, rest


@cache
def _first(bits: int) -> Level:
    parts = np.array([_parts(binade, bits) for binade in range(FIRST_BINADE, LAST_BINADE)])
    return _level(parts, np.full(len(parts), BINADE))


def _level(parts: IntArray, above: IntArray) -> Level:
    counts = np.left_shift(1, parts)
    ends = np.cumsum(counts)
    return Level((ends - counts).astype(np.int32), (above - parts).astype(np.int32), int(ends[-1]))


def _parts(binade: int, bits: int) -> int:
    """How many bits of an image tell apart the cells of a binade."""
    fine = min(FINE, bits)
    if 0 <= binade < 2044:
        to_end = 1022 - binade if binade < 1022 else binade - 1021  # 1: from 1/4 to 1/2, or from 1/2 to 3/4
        return max(bits - 1 - to_end, fine) if to_end <= NEAR else 0
    power = binade - 2044 if binade > 0 else -1024 - binade
    if SMALLEST <= power < LARGEST:
        return max(bits - 5, fine)
    return fine // 2 if abs(power) <= NEAR else 0


def _smallest(image: IntArray) -> FloatArray:
    """The smallest number whose image is not below each of these; infinite where there is none."""
    image = np.clip(image, -(INFINITE >> 1), (INFINITE >> 1) + TWO_HALVES - ONE)
    bits = np.where(image > TWO_HALVES, 2 * (image - (TWO_HALVES - ONE)), 2 * image)
    found = np.where(image > 0, bits, 0).view(np.float64)
    found = np.where(image <= 0, -np.minimum(1 - 2 * image, INFINITE).view(np.float64), found)
    near_one = (image > TWO_HALVES >> 1) & (image <= TWO_HALVES)
    distance = np.where(near_one, 2 * (TWO_HALVES - image) + 1, 0).view(np.float64)
    mirrored = 1.0 - distance
    mirrored = np.where(1.0 - mirrored > distance, np.nextafter(mirrored, 2.0), mirrored)
    return np.where(near_one, mirrored, found)


class Where(NamedTuple):
    """Where scores are among the cells.

    Attributes
    ----------
    place, spread
        From scores to numbers of cells, and from a table of the cells that hold cases to one by these numbers, in
        which a cell without cases is like its neighbour.
    edges
        The smallest score of each cell that holds cases, whether it was seen or not.
    layout
        The cells; None if every value is one.
    """

    place: Callable[[Placed], CodeArray]
    spread: Callable[[FloatArray], FloatArray]
    edges: Callable[[], FloatArray]
    layout: Layout | None = None


@dataclass(frozen=True, eq=False)
class Column:
    """The cells that hold cases, in ascending order, or the patterns of decisions that were seen.

    Attributes
    ----------
    cases
        At [cell, class], how many cases (of positive weight): whole numbers.
    weight, squares
        At [cell, class], the sum of their weights, and of the squares of these.
    mixed
        By cell: whether its cases may have different scores; where not, they surely tie.
    where
        How to find scores among the cells; None if these are patterns of decisions.
    """

    cases: FloatArray
    weight: FloatArray
    squares: FloatArray
    mixed: BoolArray
    where: Where | None

    @cached_property
    def totals(self) -> FloatArray:
        """The weight of each class."""
        return np.asarray(self.weight.sum(axis=0))

    @cached_property
    def units(self) -> IntArray:
        """The cases of each class."""
        return np.asarray(self.cases.sum(axis=0), dtype=np.int64)

    @cached_property
    def shares(self) -> FloatArray:
        """At [cell, class], the cell's share of the class."""
        return np.asarray(self.weight / self.totals)


def record_width(classes: int, weighted: bool) -> int:
    """Numbers in a record: the mark, the cases, and with weights four for their sums and sums of squares."""
    return 1 + classes * (5 if weighted else 1)


def cell_size(classes: int, weighted: bool) -> int:
    """Bytes that are kept of a cell while cases are counted."""
    return 8 * record_width(classes, weighted) + (0 if weighted else 3 * classes + 1)


def sums_of(records: IntArray, classes: int, held: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Cases, weights and squared weights by class in some cells, from records; one array where they are alike."""
    if records.shape[1] == record_width(classes, weighted=False):
        plain = held_cases(records, held)
        return plain, plain, plain
    fields = [records[held, 1 + i * classes : 1 + (i + 1) * classes] for i in range(5)]
    unit = 2.0**-FRACTION
    whole, fraction = fields[1::2], fields[2::2]
    weight, squares = (a + b * unit for a, b in zip(whole, fraction, strict=True))
    return fields[0].astype(np.float64), weight, squares


class Cells:
    """A column of scores counted into the cells of a layout.

    Attributes
    ----------
    layout
        The cells.
    """

    def __init__(self, layout: Layout, classes: int, weighted: bool) -> None:
        self.layout, self.classes, self.weighted = layout, classes, weighted
        self._records = np.zeros((layout.size, record_width(classes, weighted)), dtype=np.int64)
        self._fresh = fresh_counts(0 if weighted else layout.size, classes)
        self._counting = False  # whether cases in `_fresh` are not in the records yet

    @property
    def records(self) -> IntArray:
        """The record of each cell; see `polyroc.kernels.bins`."""
        if self._counting:
            add_fresh(self._records, self._fresh)
            self._counting = False
        return self._records

    def add(self, scores: Placed, codes: CodeArray, weight: FloatArray | None) -> None:
        """Count cases."""
        cells = scores.cells(self.layout)
        if weight is None:
            self._counting = True
            count_cases(cells, scores.values, codes, self._records, self._fresh)
        else:
            add_weighted(cells, scores.values, codes, weight, self._records)

    def see(
        self, values: FloatArray, codes: CodeArray, depth: int, table: FloatArray, found: FloatArray
    ) -> tuple[float, float]:
        """Count cases without weights and find what a table holds for them at a level; -1 for none.

        Returns the smallest and the largest value, nan if one is missing.
        """
        self._counting = True
        return see_cells(values, codes, self.layout.steps, self._records, self._fresh, depth, table, found)

    def merge(self, other: "Cells") -> None:
        """Count what another column of the same layout counted."""
        add_records(self.records, other.records, self.classes)

    def coarser(self, layout: Layout) -> "Cells":
        """The same cases in the cells of the layout that this one's was cut from, or in this one's own."""
        if layout is self.layout:
            return self
        found = Cells(layout, self.classes, self.weighted)
        merge_cells(self.records, self.layout.levels[-1].sub, self.classes, found._records)
        return found

    def column(self) -> Column:
        """The cells that hold cases."""
        mark, layout = self.records[:, 0], self.layout
        held = np.flatnonzero(mark)

        def spread(table: FloatArray) -> FloatArray:
            """A cell without cases is like the one below it that holds some, or like the first."""
            return np.asarray(table[np.maximum(np.cumsum(mark != 0) - 1, 0)])

        return Column(
            *sums_of(self.records, self.classes, held),
            mixed=mark[held] == MIXED,
            where=Where(lambda scores: scores.cells(layout), spread, lambda: layout.edges()[held], layout),
        )
