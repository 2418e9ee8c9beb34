"""Dominated volume in the space of error rates: the share of the region below random allocation.

The objectives are the D = Q(Q - 1) error rates of Q classes, all to be small. A point a dominates x if no rate of
a is larger. The region P = {x in [0, 1]^D : sum x <= Q - 1} is what lies below the simplex of random allocation;
volumes are shares of it. Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import comb, factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel
from polyroc.kernels.targets import dominated, dominated_steps
from polyroc.kernels.threads import run_concurrently

__all__ = [
    "DominatedRegion",
    "dominated_by_counts",
    "points_below_chance",
    "region_volume",
    "staircase_share",
    "union_share",
    "union_volume",
]

LEVELS = 256  # bitsets per objective, at most: if there are more distinct rates, bitsets only preselect
PARTS = 16  # of the points, which threads share
WORDS = 2**24  # 64-bit words of all bitsets together (128 MB)
NUMBERS = 2**18  # random numbers at a time: 2 MB
BOX = 20  # comparisons of corners that take as long as the smallest box
TERM = 0.3  # and those as long as a term of the volume of a larger one

WordArray = npt.NDArray[np.uint64]


def region_volume(classes: int) -> Fraction:
    """The volume of the region below random allocation: the distribution function of Irwin and Hall.

        (1 / D!) sum over j < Q of (-1)^j binom(D, j) (Q - 1 - j)^D

    >>> region_volume(2), region_volume(3), region_volume(4)
    (Fraction(1, 2), Fraction(29, 360), Fraction(397, 394240))
    """
    D = classes * (classes - 1)
    return Fraction(
        sum((-1) ** j * comb(D, j) * (classes - 1 - j) ** D for j in range(classes)),
        factorial(D),
    )


def points_below_chance(classes: int, n: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """N points, uniform in the region, in blocks.

    D + 1 exponential numbers over their sum are uniform in a simplex (Devroye 1986, chapter V.2); about nine in
    ten are within the cube, and the others are rejected.
    """
    D, left = classes * (classes - 1), n
    while left > 0:
        drawn = rng.standard_exponential((min(max(1, NUMBERS // (D + 1)), left + left // 4 + 16), D + 1))
        points = np.empty((len(drawn), D))
        kept = min(_scale(drawn, classes - 1.0, points), left)
        left -= kept
        yield points[:kept]


def _scale_by_numpy(drawn: FloatArray, top: float, points: FloatArray) -> int:
    total = np.zeros(len(drawn))
    for column in drawn.T:  # one after the other, as the kernel adds them
        total += column
    scaled = drawn[:, 1:] * (top / total)[:, None]
    inside = scaled[(scaled <= 1.0).all(axis=1)]
    points[: len(inside)], points[len(inside) :] = inside, 0.0
    return len(inside)


@kernel(steps=lambda drawn, _top, _points: drawn.size // 50 + 50, by_numpy=_scale_by_numpy)
def _scale(drawn: FloatArray, top: float, points: FloatArray) -> int:
    """Rows scaled to the sum `top`, without their first number, if all others are at most 1; returns their number.

    A rejected row is overwritten by the next one.
    """
    kept = 0
    for n in range(len(drawn)):
        total, inside = 0.0, True
        for d in range(drawn.shape[1]):
            total += drawn[n, d]
        scale = top / total
        for d in range(points.shape[1]):
            points[kept, d] = drawn[n, d + 1] * scale
            inside &= points[kept, d] <= 1.0
        kept += inside
    points[kept:] = 0.0
    return kept


class DominatedRegion:
    """The region that a set of points (members) dominates, prepared for many queries.

    For each objective and level, a bitset of the members at or below that level. The members that dominate x are
    the AND of one bitset per objective: D operations for 64 members. Where levels are coarser than the rates, each
    candidate is compared in full.

    >>> region = DominatedRegion(np.array([[0.1, 0.3], [0.3, 0.1]]))
    >>> region.contains(np.array([[0.2, 0.2], [0.2, 0.4], [0.3, 0.1]])).tolist()
    [False, True, True]
    """

    def __init__(self, members: FloatArray) -> None:
        order = np.argsort(members.sum(axis=1), kind="stable")  # those that dominate most first: queries end early
        self.members = np.ascontiguousarray(members[order])
        D, words = members.shape[1], -(-len(members) // 64)
        most = int(np.clip(WORDS // (D * words), 2, LEVELS))
        rates = [np.unique(column) for column in self.members.T]
        self.exact = all(len(distinct) <= most for distinct in rates)
        self.counts = np.array([min(len(distinct), most) for distinct in rates])
        self.levels = np.full((D, most), np.inf)
        for row, distinct, count in zip(self.levels, rates, self.counts, strict=True):
            row[:count] = distinct[np.linspace(0, len(distinct) - 1, count).astype(np.intp)]
        self.bits = np.zeros((D, most + 1, words), dtype=np.uint64)
        _fill(self.members, self.levels, self.counts, self.bits)
        # how many members are in each bitset
        self.below = np.zeros((D, most + 1), dtype=np.int64)
        for row, column, levels in zip(self.below, self.members.T, self.levels, strict=True):
            row[1:] = np.searchsorted(np.sort(column), levels, "right")

    def contains(self, points: FloatArray) -> BoolArray:
        """Which points are dominated by, or equal to, some member."""
        dominated = np.empty(len(points), dtype=np.bool_)
        region = self.members, self.levels, self.counts, self.bits, self.below, self.exact

        ends = np.linspace(0, len(points), PARTS + 1).astype(np.intp).tolist()

        def look_up(part: int) -> None:
            own = slice(ends[part], ends[part + 1])
            _look_up(points[own], *region, dominated[own])

        run_concurrently(look_up, PARTS, points.size * self.bits.shape[2])
        return dominated


@kernel
def _place(levels: FloatArray, count: int, x: float) -> int:
    """How many levels are at most x."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if levels[middle] <= x:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(steps=lambda members, _levels, counts, bits: 10 * members.size + bits[:, : counts.max()].size)
def _fill(members: FloatArray, levels: FloatArray, counts: IntArray, bits: WordArray) -> None:
    """The bitset at place l holds the members whose rate has at most l levels up to it; the last one holds all."""
    for d in range(members.shape[1]):
        for i in range(len(members)):
            bits[d, _place(levels[d], counts[d], members[i, d]), i // 64] |= np.uint64(1) << np.uint64(i % 64)
        for level in range(counts[d]):  # running union: a member is in the bitsets of all higher places
            for w in range(bits.shape[2]):
                bits[d, level + 1, w] |= bits[d, level, w]


@kernel
def _order_by_rarest(below: IntArray, place: IntArray, order: IntArray) -> None:
    """The objectives whose bitsets have the fewest members, and after these all objectives."""
    D = len(place)
    for k in range(len(order) - D):
        fewest = np.int64(2**62)
        for d in range(D):
            members, new = below[d, place[d]], True
            for earlier in range(k):
                new &= order[earlier] != d
            if new and members < fewest:
                fewest = members
                order[k] = d
    for d in range(D):
        order[len(order) - D + d] = d


def _look_up_by_numpy(points: FloatArray, members: FloatArray, *arguments: Any) -> None:
    for block, below in dominated(members, points):
        arguments[-1][block] = below.any(axis=0)


@kernel(
    steps=lambda points, members, *_: dominated_steps(members, points),
    by_numpy=_look_up_by_numpy,
)
def _look_up(
    points: FloatArray,
    members: FloatArray,
    levels: FloatArray,
    counts: IntArray,
    bits: WordArray,
    below: IntArray,
    exact: bool,
    dominated: BoolArray,
) -> None:
    D = points.shape[1]
    # With many objectives a few of them exclude most members; with few it takes longer to find these.
    place, order = np.empty(D, dtype=np.int64), np.empty(D + D // 8, dtype=np.int64)
    for n in range(len(points)):
        x = points[n]
        for d in range(D):
            place[d] = _place(levels[d], counts[d], x[d])
        _order_by_rarest(below, place, order)
        dominated[n] = False
        for w in range(bits.shape[2]):  # 64 members at a time
            candidates = bits[order[0], place[order[0]], w]
            for d in order[1:]:
                if candidates == 0:
                    break
                candidates &= bits[d, place[d], w]
            if candidates != 0 and (exact or _confirmed(x, members, 64 * w, candidates)):
                dominated[n] = True
                break


@kernel
def _confirmed(x: FloatArray, members: FloatArray, i: int, candidates: np.uint64) -> bool:
    """Whether one of the candidates, members from i on, dominates x."""
    while candidates != 0:
        if candidates & np.uint64(1):
            dominates = True
            for d in range(len(x)):
                dominates &= members[i, d] <= x[d]
            if dominates:
                return True
        candidates >>= np.uint64(1)
        i += 1
    return False


def dominated_by_counts(counts: IntArray, totals: IntArray, points: FloatArray) -> BoolArray:
    """Which points are dominated by rates that are counts, members x objectives, over the total of each objective.

    As `DominatedRegion` for random points, but faster for members that are queried once: a rate is a multiple of
    1 / total, so that the bitset of a point is at x total, and nothing is searched. Rounding may decide either way
    about a point whose x total is a whole number.

    >>> totals = np.array([10, 5])
    >>> dominated_by_counts(np.array([[1, 2], [3, 0]]), totals, np.array([[0.2, 0.2], [0.1, 0.4]])).tolist()
    [False, True]
    """
    words = -(-len(counts) // 64)
    if int(totals.max() + 1) * words * len(totals) > WORDS // 8:  # few of very many levels would be used
        return DominatedRegion(counts / totals).contains(points)
    order = np.argsort((counts / totals).sum(axis=1), kind="stable")
    bits = np.zeros((len(totals), int(totals.max()) + 1, words), dtype=np.uint64)
    dominated = np.empty(len(points), dtype=np.bool_)
    _fill_counts(np.ascontiguousarray(counts[order]), totals, bits)
    _look_up_counts(totals, points, bits, dominated)
    return dominated


@kernel
def _fill_counts(counts: IntArray, totals: IntArray, bits: WordArray) -> None:
    """The bitset at place l holds the members whose count is at most l."""
    for d in range(len(totals)):
        for i in range(len(counts)):
            bits[d, counts[i, d], i // 64] |= np.uint64(1) << np.uint64(i % 64)
        for level in range(totals[d]):  # running union, as in `_fill`
            for w in range(bits.shape[2]):
                bits[d, level + 1, w] |= bits[d, level, w]


@kernel
def _look_up_counts(totals: IntArray, points: FloatArray, bits: WordArray, dominated: BoolArray) -> None:
    D = len(totals)
    place = np.empty(D, dtype=np.int64)
    for n in range(len(points)):
        for d in range(D):
            place[d] = int(points[n, d] * totals[d])
        dominated[n] = False
        for w in range(bits.shape[2]):
            candidates = bits[0, place[0], w]
            for d in range(1, D):
                if candidates == 0:
                    break
                candidates &= bits[d, place[d], w]
            if candidates != 0:
                dominated[n] = True
                break


def staircase_share(members: FloatArray) -> float:
    """Two classes: the share of the triangle below chance that the points dominate, exactly.

    >>> round(staircase_share(np.array([[0.2, 0.3]])), 12)
    0.25
    """
    x, y = members[np.lexsort(members.T[::-1])].T
    y = np.minimum.accumulate(y)  # the staircase: from x on, everything above the lowest y so far is dominated
    # Each step is a triangle up to the diagonal x + y = 1, less the smaller one that the next step begins with;
    # the whole triangle has area 1/2, so squares of the legs are shares.
    end = np.maximum(x, np.minimum(np.append(x[1:], 1.0), 1.0 - y))
    return float((np.maximum(1.0 - x - y, 0.0) ** 2 - np.maximum(1.0 - end - y, 0.0) ** 2).sum())


def union_share(members: FloatArray, classes: int, effort: float = np.inf) -> float:
    """The share of the region that the points dominate, exactly; nan if it would take more than the effort.

    >>> round(union_share(np.full((1, 6), 0.1), 3), 10)
    0.1282032069
    """
    return union_volume(members, classes - 1.0, effort)


def union_volume(members: FloatArray, top: float, effort: float = np.inf) -> float:
    """The same for {x in [0, 1]^D : sum x <= top}; with top = D that is the hypervolume in the unit cube.

    The WFG algorithm of While, Bradstreet & Barone (IEEE Transactions on Evolutionary Computation 16 (2012)
    86-95): the box above each point, less what the later points dominate of it, which is the same problem for
    their corners within the box. Few corners are left, because most of them dominate each other or lie beyond the
    region. Exponential in D at worst; `effort` limits the comparisons.
    """
    whole, effort = _box(np.ones(members.shape[1]), 1.0, top, effort)
    order = np.lexsort(members.T)[::-1]  # by falling last rate: the later points cut off more
    within = members[order]
    return float(_union(np.ascontiguousarray(within[within.sum(axis=1) < top]), top, effort) / whole)


@kernel
def _box(widths: FloatArray, room: float, top: float, effort: float) -> tuple[float, float]:
    """The volume of {0 <= x <= widths, sum x <= room top}, times D! / top^D, and the effort that is left.

    It is the sum over all sets S of objectives of (-1)^|S| (room - sum of the widths in S / top)_+^D (inclusion
    and exclusion of the half-spaces x_d > width_d). Sets are enumerated depth first with an explicit stack:
    `after[size]` is the next objective to add; a set without room left has no supersets with any. There are up to
    binom(D, Q - 1) sets, for ten classes 10^12, so the effort is limited within a box too: nan if none is left.
    """
    D = len(widths)
    left, after = np.empty(D + 1), np.zeros(D + 1, dtype=np.int64)
    left[0] = room
    total, size, sign = room**D, 0, 1.0
    while size >= 0:
        effort -= TERM
        if effort < 0.0:
            return np.nan, effort
        d = after[size]
        after[size] += 1
        if d == D:  # all supersets done: take the last objective out again
            size -= 1
            sign = -sign
        elif left[size] > widths[d] / top:
            left[size + 1] = left[size] - widths[d] / top
            after[size + 1] = d + 1
            size += 1
            sign = -sign
            total += sign * left[size] ** D
    return total, effort


@kernel
def _union(members: FloatArray, top: float, effort: float) -> float:
    """The volume above the members, times D! / top^D; nan if the effort does not suffice.

    The recursion of `union_volume` with an explicit stack: at each depth, points after[depth] .. ends[depth] of
    `stack` are left, and the sign alternates, because the volume of the corners is subtracted.
    """
    n, D = members.shape
    stack = np.empty((2 * n + 2, D))
    stack[:n] = members
    after, ends = np.zeros(n + 1, dtype=np.int64), np.zeros(n + 1, dtype=np.int64)
    ends[0] = n
    total, depth, sign = 0.0, 0, 1.0
    while depth >= 0:
        i, end = after[depth], ends[depth]
        after[depth] += 1
        if i == end:
            depth -= 1
            sign = -sign
            continue
        if 2 * end - i > len(stack):  # room for a corner with every later point
            larger = np.empty((2 * len(stack), D))
            larger[:end] = stack[:end]
            stack = larger
        # The box from point i up to 1 in every rate, below the plane: its widths and the room left.
        volume, effort = _box(1.0 - stack[i], 1.0 - stack[i].sum() / top, top, effort)
        total += sign * volume
        last = _corners(stack, i, end, top)
        effort -= BOX + (end - i) * (last - end)
        if effort < 0.0:
            return np.nan
        if last > end:
            depth += 1
            sign = -sign
            after[depth], ends[depth] = end, last
    return total


@kernel
def _corners(stack: FloatArray, i: int, end: int, top: float) -> int:
    """What points i + 1 .. end dominate of the box above i, as corners from `end` on; none dominates another."""
    last = end
    corner = np.empty(stack.shape[1])
    for j in range(i + 1, end):
        total = 0.0
        for d in range(len(corner)):
            corner[d] = max(stack[i, d], stack[j, d])
            total += corner[d]
        if total >= top:  # beyond the region
            continue
        # Compare with the corners so far: drop this one if dominated, and those that it dominates, in place.
        kept = end
        for k in range(end, last):
            below, above = _compared(stack[k], corner)
            if below:
                kept = -1
                break
            if not above:
                stack[kept] = stack[k]
                kept += 1
        if kept >= 0:
            stack[kept] = corner
            last = kept + 1
    return last


@kernel
def _compared(a: FloatArray, b: FloatArray) -> tuple[bool, bool]:
    """Whether a is nowhere above b, and whether it is nowhere below."""
    below, above = True, True
    for d in range(len(a)):
        if a[d] > b[d]:
            below = False
        elif a[d] < b[d]:
            above = False
        if not (below or above):
            break
    return below, above
