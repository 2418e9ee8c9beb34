"""How the line of scores is cut into cells, and cut finer where it matters."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.tallying import BINADE, FIRST_BINADE, LAST_BINADE, ONE, TWO_HALVES, descend, place

__all__ = ["Layout", "Placed"]

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
