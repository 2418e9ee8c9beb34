"""Triples of cases, one per class: which of them are assigned correctly, in O(n^2) instead of O(n^3).

With s_i(x) the score of case x for class i, put a = s_1 - s_2, e = s_2 - s_3, b = s_1 - s_3. To give x1, x2, x3
their own classes is among the best of the six assignments (those of the largest sum of scores) if

    a1 >= a2,   e2 >= e3,   b1 >= b3,   a1 + e2 >= b3,   b1 - a2 >= e3

one inequality for each other assignment, with equality where that one is as good. So for a pair (x1, x2) the x3
sought have e3 <= E = min(e2, b1 - a2) and b3 <= B = min(b1, a1 + e2): a quadrant. Where b1 >= b2, E is e2: x2 is
fixed, the x3 up to e2 are counted along b3, and as x1 moves up along a1 the limit a1 + e2 moves up along b3: one
merge for each x2. Where b1 < b2, B is b1; to exchange classes 1 and 2 (a changes its sign, e and b change places)
leads to the first case. So two sweeps of O(n^2) count all n^3 triples. Ties cost no more: on the borders of the
quadrant [a1 = a2] + [e3 = E] (1 + [b1 = b2]) + [b3 = B] (1 + [e1 = e2]) other assignments are as good.

A score may be -inf, but not that of a case for its own class: then a1, e2 > -inf and a2, e3, b3 < inf, so that no
sum is nan. To decide whether a1 + e2 >= b3 for some triple is 3SUM (Gajentaan & Overmars, Computational Geometry 5
(1995) 165-185): an algorithm much faster than n^2 is not to be expected.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel
from polyroc.kernels.threads import run_concurrently

__all__ = ["Sweep", "differences", "first_from", "right_triples", "sweep_triples", "sweeps"]

# From so many pairs on, a sweep is divided into so many tasks: not by the number of cores, so that sums agree.
MANY_PAIRS, TASKS = 10**5, 8


class Sweep(NamedTuple):
    """Three classes prepared for one sweep.

    Attributes
    ----------
    classes
        Which classes have the roles 1, 2 and 3.
    orders
        The permutations that sort the first class by a, and the third by b.
    first, second, third
        By row: a, b, e of the first class, sorted by a; a, b, e of the second; b, e of the third, sorted by b.
    levels
        The e of the third class, sorted.
    strictly
        True if only pairs with e1 > e2 count, False if those with b1 >= b2: what the other sweep leaves.
    """

    classes: tuple[int, int, int]
    orders: tuple[IntArray, IntArray]
    first: FloatArray
    second: FloatArray
    third: FloatArray
    levels: FloatArray
    strictly: bool


def sweeps(scores: Sequence[FloatArray], finite: bool = False) -> tuple[Sweep, Sweep]:
    """Prepare the two sweeps, which do not depend on weights; scores[k] has a row per case of class k.

    `finite` if all scores are known to be.
    """
    # Pairs of the two smallest classes are enumerated; the largest class is only counted.
    i, j, k = sorted(range(3), key=lambda k: len(scores[k]))
    # The cases of all classes at once: with few of them the calls take longer than the work.
    columns = np.concatenate([scores[i], scores[j], scores[k]]).T
    n1, n2 = len(scores[i]), len(scores[i]) + len(scores[j])
    one, two, three = slice(0, n1), slice(n1, n2), slice(n2, None)
    return (
        _sweep(differences(columns[[i, j, k]], finite), (one, two, three), (i, j, k), False),
        _sweep(differences(columns[[j, i, k]], finite), (two, one, three), (j, i, k), True),
    )


def _sweep(
    by_case: FloatArray, blocks: tuple[slice, slice, slice], classes: tuple[int, int, int], strictly: bool
) -> Sweep:
    first, second, third = (by_case[:, block] for block in blocks)
    order, last = first[0].argsort(), third[1].argsort()
    first, third = first.take(order, axis=1), third[1:].take(last, axis=1)
    return Sweep(classes, (order, last), first, second, third, np.sort(third[1]), strictly)


def differences(scores: FloatArray, finite: bool = False) -> FloatArray:
    """a, b and e of each case, from its scores by row; the difference of two infinite ones, nan, becomes -inf.

    That decides nothing. `finite` if all scores are known to be.
    """
    i, j, k = scores
    if finite or np.isfinite(scores).all():
        return np.array([i - j, i - k, j - k])
    with np.errstate(invalid="ignore"):
        differences = np.array([i - j, i - k, j - k])
    differences[np.isnan(differences)] = -np.inf
    return differences


def right_triples(pair: tuple[Sweep, Sweep], weights: Sequence[FloatArray], tolerance: float) -> list[FloatArray]:
    """For each case of each class, the weight of the triples that contain it and are assigned correctly.

    The weight of a triple is the product of the other two weights, divided by the number of best assignments. Sums
    of scores are equal within the tolerance. Threads share the work, in parts that do not depend on their number.

    >>> rows = [np.eye(3)[[k]] for k in range(3)]
    >>> right_triples(sweeps(rows), [np.array([2.0]), np.array([3.0]), np.array([5.0])], 0.0)
    [array([15.]), array([10.]), array([6.])]
    """
    # A task is one sweep over a part of its second class: tasks share nothing but what they read.
    pairs = len(pair[0].orders[0]) * pair[0].second.shape[1]
    parts = TASKS if pairs >= MANY_PAIRS else 1
    tasks = [(sweep, part) for sweep in pair for part in _parts(sweep.second.shape[1], parts)]

    done = [(np.empty(0),) * 3] * len(tasks)

    def work(number: int) -> None:
        sweep, part = tasks[number]
        (i, j, k), (order, last) = sweep.classes, sweep.orders
        # Weights follow their cases into the order of the sweep.
        done[number] = sweep_triples(
            np.concatenate([sweep.first, weights[i][None, order]]),
            np.concatenate([sweep.second[:, part], weights[j][None, part]]),
            np.concatenate([sweep.third, weights[k][None, last]]),
            sweep.levels,
            tolerance,
            sweep.strictly,
        )

    run_concurrently(work, len(tasks), 2 * pairs)  # two sweeps
    # Added up in the order of the tasks, not in that in which threads finish; and back in the order of the cases.
    totals = [np.zeros(len(w)) for w in weights]
    for (sweep, part), (x, y, z) in zip(tasks, done, strict=True):
        i, j, k = sweep.classes
        totals[i][sweep.orders[0]] += x
        totals[j][part] += y
        totals[k][sweep.orders[1]] += z
    return totals


def _parts(n: int, tasks: int) -> list[slice]:
    ends = [int(n / tasks * number) for number in range(tasks)]
    return [slice(a, b) for a, b in pairwise([*ends, n])]


# Steps: for each x2 the x1, with a dozen operations each, and the x3.
@kernel(steps=lambda first, second, third, *_: second.shape[1] * (4 * first.shape[1] + third.shape[1]))
def sweep_triples(
    first: FloatArray, second: FloatArray, third: FloatArray, levels: FloatArray, tolerance: float, strictly: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The weights of the triples of each case in one sweep; rows as in `Sweep`, and the weights as a last row."""
    b3, e3, w3 = third
    n3 = len(b3)
    total1, total2, total3 = np.zeros(first.shape[1]), np.zeros(second.shape[1]), np.zeros(n3)
    # At [:, i], of the first i along b3: the weights of those with e3 <= e2 and with e3 < e2, and the weights of
    # the x1 whose quadrants end there, which these x3 will receive.
    prefix = np.zeros((4, n3 + 1))
    # For each x1, how many b3 are less than b1 - tolerance, and how many at most b1 + tolerance.
    places = np.empty((2, first.shape[1]), dtype=np.int64)
    for i in range(first.shape[1]):
        places[0, i] = first_from(b3, first[1, i] - tolerance)
        places[1, i] = _first_after(b3, first[1, i] + tolerance)
    for j in range(second.shape[1]):
        e2, w2 = second[2, j], second[3, j]
        # For most x2 no e3 is equal to e2, and half of the work can be saved.
        level = first_from(levels, e2 - tolerance) < _first_after(levels, e2 + tolerance)
        limits = e2 + tolerance, np.nextafter(e2 - tolerance, -np.inf)
        for kind in range(1 + level):
            _prefix_weights(e3, w3, limits[kind], prefix[kind])
        total2[j] = _merge(first, second[:, j], level, b3, places, tolerance, strictly, prefix, total1)
        for kind in range(1 + level):
            _distribute(e3, w2, limits[kind], prefix[2 + kind], total3)
    return total1, total2, total3


@kernel
def _prefix_weights(e: FloatArray, weight: FloatArray, limit: float, prefix: FloatArray) -> None:
    """At [i], the weight of those among the first i that have e up to the limit."""
    for i in range(len(e)):
        prefix[i + 1] = prefix[i] + (weight[i] if e[i] <= limit else 0.0)


@kernel
def _distribute(e: FloatArray, weight: float, limit: float, gain: FloatArray, totals: FloatArray) -> None:
    """Add gain[i] times the weight to those among the first i with e up to the limit (the transposed prefix sum).

    One suffix sum for all i; `gain` is set to zero.
    """
    all_gain = 0.0
    for i in range(len(e) - 1, -1, -1):
        all_gain += gain[i + 1]
        gain[i + 1] = 0.0
        totals[i] += weight * all_gain if e[i] <= limit else 0.0
    gain[0] = 0.0


@kernel
def _merge(
    first: FloatArray,
    x2: FloatArray,
    level: bool,
    b3: FloatArray,
    places: IntArray,
    tolerance: float,
    strictly: bool,
    prefix: FloatArray,
    totals: FloatArray,
) -> float:
    """All x1 with one x2: adds the weights of the triples of each x1, and returns that of the triples of x2."""
    a1, b1, e1, w1 = first
    a2, b2, e2, w2 = x2
    kind = int(level)  # if no e3 = e2, those with e3 < e2 are those with e3 <= e2
    up_to, below, gain_up_to, gain_below = prefix[0], prefix[kind], prefix[2], prefix[2 + kind]
    total, weak, strict = 0.0, 0, 0  # b3 up to, and below, the limit a1 + e2: both only move up, as a1 does
    for i in range(first_from(a1, a2 - tolerance), len(a1)):  # a1 >= a2
        rising = a1[i] + e2
        while weak < len(b3) and b3[weak] <= rising + tolerance:
            weak += 1
        last = min(weak, places[1, i])  # b3 <= B = min(a1 + e2, b1)
        counts = e1[i] > e2 if strictly else b1[i] >= b2
        # Whether another assignment may be as good: on a border of the quadrant, or a1 = a2.
        tied = level or a1[i] <= a2 + tolerance or (last > 0 and b3[last - 1] >= min(rising, b1[i]) - tolerance)
        if not tied:  # selections instead of a branch on `counts`, which would be mispredicted
            share = up_to[last] if counts else 0.0
            gain_up_to[last] += w1[i] if counts else 0.0
        elif counts:
            while strict < len(b3) and b3[strict] < rising - tolerance:
                strict += 1
            clear = min(strict, places[0, i])  # b3 < B
            # The quadrant is the disjoint union of its inside, its two borders and its corner; their weights are
            # differences of the four prefix weights, collected here by prefix weight.
            inside, on_e, on_b, corner = _fair_shares(
                a1[i] <= a2 + tolerance, abs(b1[i] - b2) <= tolerance, abs(e1[i] - e2) <= tolerance
            )
            share = inside * below[clear] + on_e * up_to[clear] + on_b * below[last] + corner * up_to[last]
            gain_below[clear] += w1[i] * inside
            gain_up_to[clear] += w1[i] * on_e
            gain_below[last] += w1[i] * on_b
            gain_up_to[last] += w1[i] * corner
        else:
            continue
        totals[i] += w2 * share
        total += w1[i] * share
    return total


@kernel
def first_from(ascending: FloatArray, limit: float) -> int:
    """The number of entries below the limit: `np.searchsorted`, which takes longer to compile."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] < limit:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _first_after(ascending: FloatArray, limit: float) -> int:
    """The number of entries up to the limit, as `np.searchsorted` with side="right"."""
    low, high = 0, len(ascending)
    while low < high:
        middle = (low + high) // 2
        if ascending[middle] <= limit:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _fair_shares(tie: bool, tie_e: bool, tie_b: bool) -> tuple[float, float, float, float]:
    """1 / (number of best assignments) inside the quadrant, on its borders and in its corner, by prefix weight."""
    inside, on_e, on_b = 1.0 / (1 + tie), 1.0 / (2 + tie + tie_e), 1.0 / (2 + tie + tie_b)
    corner = 1.0 / (3 + tie + tie_e + tie_b)
    return inside - on_e - on_b + corner, on_e - corner, on_b - corner, corner
