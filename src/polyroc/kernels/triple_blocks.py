"""Blocks of three classes: which triples of cases are assigned correctly within triples of blocks.

The inequalities are those of `polyroc.kernels.triples`. There one sweep counts the pairs (x1, x2) with b1 >= b2,
for which the x3 sought have e3 <= e2 and b3 <= min(b1, a1 + e2), and another those with b1 < b2, for which
b3 <= b1 and e3 <= min(e2, b1 - a2). Of a block of some dozen cases the weights of all such quadrants fit the
cache, so that one loop over the pairs serves both: a pair selects its table and looks up where its limit is,
without a branch that random data would mispredict. That takes a third of the time of the sweeps.

Sums that tie within the tolerance need care, so a triple of blocks with a tie is left to the sweeps.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel
from polyroc.kernels.triples import differences, first_from, sweep_triples

__all__ = ["LARGEST_BLOCK", "Blocks", "block_volumes", "divide"]

# Cases of a class in a block. One less than a power of two, so that a binary search has as many steps for all of
# them, which the compiler then unrolls; and few enough for the tables to fit the fastest cache.
LARGEST_BLOCK = 31
HALF = (LARGEST_BLOCK + 1) // 2

# By class, the a, b and e of what is in no triple: no inequality holds, and nothing ties.
NOWHERE = 1e300 * np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [1.0, 1.0, 1.0]])


class Blocks(NamedTuple):
    """Three classes divided into as many blocks; within a block the weights of a class add up to one.

    Attributes
    ----------
    first, second
        At [block, row, place]: a, b, e and weight, sorted by a (first class) or by -a (second class).
    third
        At [block, row, place]: b, e and weight, sorted by b.
    by_e
        The places of the third class in each block, in ascending order of e.
    """

    first: FloatArray
    second: FloatArray
    third: FloatArray
    by_e: IntArray


def divide(scores: FloatArray, cases: Sequence[IntArray], weight: FloatArray) -> tuple[Blocks, list[IntArray]]:
    """Prepare blocks for `block_volumes`, and the cases in the order in which it has them.

    Parameters
    ----------
    scores
        One row per case.
    cases
        By class, at [block, place] a case, or -1 where there is none.
    weight
        Of each case.
    """
    tables, ordered = [], []
    for k, of_class in enumerate(cases):
        w = np.where(of_class >= 0, weight[of_class], 0.0)
        w /= w.sum(axis=1, keepdims=True)
        # A case that gives its own class nothing is in no triple that is right here: see `triples`. It has weight
        # 0, as have places without a case.
        w[scores[of_class, k] == -np.inf] = 0.0
        rows = differences(scores[of_class].reshape(-1, 3).T).reshape(3, *w.shape)
        rows[:, w == 0.0] = NOWHERE[k][:, None]
        order = np.argsort((rows[0], -rows[0], rows[1])[k], axis=1)
        table = np.stack([*(rows if k < 2 else rows[1:]), w], axis=1)
        tables.append(np.take_along_axis(table, order[:, None], axis=2))
        ordered.append(np.take_along_axis(of_class, order, axis=1))
    first, second, third = tables
    return Blocks(first, second, third, np.argsort(third[:, 1], axis=1)), ordered


def block_volumes(
    first: FloatArray,
    second: FloatArray,
    third: FloatArray,
    by_e: IntArray,
    shift2: int,
    shift3: int,
    start: int,
    stop: int,
    tolerance: float,
    sums: Sequence[FloatArray],
    means: FloatArray,
    squares: FloatArray,
) -> None:
    """The volumes of the triples of blocks (g, g + shift2, g + shift3), for g from start to stop.

    Parameters
    ----------
    first, second, third, by_e
        The fields of `Blocks`.
    shift2, shift3, start, stop
        Which triples; the number of a block counts modulo the number of blocks.
    tolerance
        Sums of scores are equal within it.
    sums
        By class at [block, place], to which the component of each case is added.
    means, squares
        Filled in by g: the volume; at [g, class], the sum of squared components.
    """
    sums1, sums2, sums3 = sums
    _block_volumes(
        first, second, third, by_e, shift2, shift3, start, stop, tolerance, sums1, sums2, sums3, means, squares
    )


@kernel
def _block_volumes(
    first: FloatArray,
    second: FloatArray,
    third: FloatArray,
    by_e: IntArray,
    shift2: int,
    shift3: int,
    start: int,
    stop: int,
    tolerance: float,
    sums1: FloatArray,
    sums2: FloatArray,
    sums3: FloatArray,
    means: FloatArray,
    squares: FloatArray,
) -> None:
    blocks, n1, n2, n3 = len(first), first.shape[2], second.shape[2], third.shape[2]
    # b3 and e3, ascending from place 1 on; nan is neither below nor above anything, so that it needs no test.
    keys = np.full((2, LARGEST_BLOCK + 2), np.nan)
    tables, gains = np.empty((2, n3 + 1, max(n1, n2))), np.empty((2, n3 + 1, max(n1, n2)))
    by_b, turned = np.arange(n3), np.empty((3, n3))
    for g in range(start, stop):
        h, k = (g + shift2) % blocks, (g + shift3) % blocks
        for i in range(n3):  # the third class by e
            place = by_e[k, i]
            turned[0, i], turned[1, i], turned[2, i] = third[k, 1, place], third[k, 0, place], third[k, 2, place]
            keys[0, i + 1], keys[1, i + 1] = third[k, 0, i], turned[0, i]
        x, y, z = np.zeros(n1), np.zeros(n2), np.zeros(n3)
        _fill(third[k], second[h, 2], tables[0], gains[0])
        _fill(turned, first[g, 1], tables[1], gains[1])
        if _count_pairs(first[g], second[h], keys, tolerance, tables, gains, x, y):
            _collect(gains[0], third[k, 1], second[h, 2], by_b, z)
            _collect(gains[1], turned[1], first[g, 1], by_e[k], z)
        else:
            x, y, z = _sweep_twice(first[g], second[h], third[k], turned, by_e[k], tolerance)
        mean = 0.0
        for i in range(n1):
            mean += first[g, 3, i] * x[i]
        means[g] = mean
        squares[g, 0] = _add_components(x, first[g, 3], sums1[g])
        squares[g, 1] = _add_components(y, second[h, 3], sums2[h])
        squares[g, 2] = _add_components(z, third[k, 2], sums3[k])


@kernel
def _fill(third: FloatArray, limits: FloatArray, table: FloatArray, gain: FloatArray) -> None:
    """At [t, x], the weight of those among the first t of the third class whose second row is up to limits[x].

    The gains are set to zero. The inner loops are over x, and not along the sums: they are vectorised.
    """
    for x in range(len(limits)):
        table[0, x] = gain[0, x] = 0.0
    for t in range(third.shape[1]):
        other, weight = third[1, t], third[2, t]
        for x in range(len(limits)):
            table[t + 1, x] = table[t, x] + (weight if other <= limits[x] else 0.0)
            gain[t + 1, x] = 0.0


@kernel
def _count_pairs(
    first: FloatArray,
    second: FloatArray,
    keys: FloatArray,
    tolerance: float,
    tables: FloatArray,
    gains: FloatArray,
    total1: FloatArray,
    total2: FloatArray,
) -> bool:
    """Add the weight of the triples of each case of the first two classes; False, and nothing of use, at a tie.

    The weight of each pair is added to the gains where its quadrant ends.
    """
    a1, b1, w1, clear = first[0], first[1], first[3], True
    for i in range(len(a1)):
        clear &= _is_clear(keys[0], b1[i], tolerance)
    for j in range(second.shape[1]):
        a2, b2, e2, w2 = second[0, j], second[1, j], second[2, j], second[3, j]
        clear &= _is_clear(keys[1], e2, tolerance)
        total, start = 0.0, first_from(a1, a2 - tolerance)
        clear &= start == len(a1) or a1[start] > a2 + tolerance
        for i in range(start, len(a1)):  # a1 > a2
            # Both kinds of limits, and numbers instead of conditions: a compiler makes branches of these.
            kind = int(b1[i] < b2)
            along_b, along_e = min(b1[i], a1[i] + e2), min(e2, b1[i] - a2)
            limit = along_e if kind else along_b
            own = j + (i - j) * kind
            # How many keys are up to the limit. A binary search with as many steps for all pairs, and written
            # here, so that the processor searches for several pairs at the same time: half of the time.
            last, step = 0, HALF
            while step > 0:
                last += step * int(keys[kind, last + step] <= limit)
                step >>= 1
            clear &= not ((keys[kind, last] >= limit - tolerance) | (keys[kind, last + 1] <= limit + tolerance))
            share = tables[kind, last, own]
            gains[kind, last, own] += w1[i] * w2
            total1[i] += w2 * share
            total += w1[i] * share
        total2[j] = total
    return clear  # not before: to stop at the first tie makes a branch of every test, and doubles the time


@kernel
def _is_clear(keys: FloatArray, limit: float, tolerance: float) -> bool:
    """Whether no key ties with a limit."""
    last, step = 0, HALF
    while step > 0:
        last += step * int(keys[last + step] <= limit)
        step >>= 1
    return not ((keys[last] >= limit - tolerance) | (keys[last + 1] <= limit + tolerance))


@kernel
def _collect(
    gain: FloatArray, other: FloatArray, limits: FloatArray, places: IntArray, totals: FloatArray
) -> None:
    """Add to each of the third class the gains of the quadrants that contain it: `_fill` transposed."""
    n3, n = len(other), len(limits)
    for t in range(n3 - 1, -1, -1):
        sums = gain[t + 1]
        if t + 2 <= n3:
            for x in range(n):
                sums[x] += gain[t + 2, x]
        total = 0.0
        for x in range(n):
            total += sums[x] if other[t] <= limits[x] else 0.0
        totals[places[t]] += total


@kernel
def _sweep_twice(
    first: FloatArray, second: FloatArray, third: FloatArray, turned: FloatArray, by_e: IntArray, tolerance: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The same by the sweeps of `triples`, which count ties."""
    x, y, z = sweep_triples(first, second, third, turned[0], tolerance, False)
    # The second sweep exchanges classes 1 and 2: a changes its sign, e and b change places.
    more_y, more_x, more_z = sweep_triples(
        _exchanged(second), _exchanged(first), turned, third[0], tolerance, True
    )
    for i in range(len(z)):
        z[by_e[i]] += more_z[i]
    return x + more_x, y + more_y, z


@kernel
def _exchanged(rows: FloatArray) -> FloatArray:
    out = np.empty(rows.shape)
    for i in range(rows.shape[1]):
        out[0, i], out[1, i], out[2, i], out[3, i] = -rows[0, i], rows[2, i], rows[1, i], rows[3, i]
    return out


@kernel
def _add_components(components: FloatArray, weight: FloatArray, sums: FloatArray) -> float:
    """Add the components of the cases that have a weight to the sums; the sum of their squares."""
    squares = 0.0
    for i in range(len(components)):
        component = components[i] if weight[i] > 0.0 else 0.0
        sums[i] += component
        squares += component * component
    return squares
