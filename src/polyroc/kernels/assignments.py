"""Tuples of cases, one per class: whether to give each its own class is the best assignment there is.

Scores are a table of one row per case and one column per class; a tuple names one row per class. Its worth is
1 / (number of best assignments) if giving case k class k, for all k, is one of them, and 0 if it is not. Sums of
scores count as equal within a tolerance, which must not be zero.

To give case k class i instead of k costs s_k(x_k) - s_i(x_k). Any other assignment is a set of cycles of such
exchanges, so the right one is among the best if no cycle has a negative cost: Bellman and Ford's potentials tell,
in O(c^2) steps mostly and O(c^3) at worst. Others that are as good are made of cycles that cost nothing.
"""

from math import factorial

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["MOST_COUNTED", "tally_worths", "worths"]

MOST_COUNTED = factorial(10)  # where more assignments than this are best, all c! are taken to be


@kernel
def worths(scores: FloatArray, starts: IntArray, tolerance: float, found: FloatArray) -> None:
    """The worth of every tuple, the last class changing first; class k has the rows starts[k] .. starts[k + 1].

    >>> found = np.empty(4)
    >>> worths(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 2, 4]), 1e-9, found)
    >>> found
    array([1., 0., 1., 0.])
    """
    c = scores.shape[1]
    cost, potential = np.empty((c, c)), np.empty(c)
    picks = starts[:-1].astype(np.int32).reshape(1, c)
    for t in range(len(found)):
        found[t] = _worth(scores, picks, 0, tolerance, cost, potential)
        k = c - 1
        picks[0, k] += 1
        while k > 0 and picks[0, k] == starts[k + 1]:
            picks[0, k] = starts[k]
            k -= 1
            picks[0, k] += 1


@kernel
def tally_worths(scores: FloatArray, picks: CodeArray, tolerance: float, found: FloatArray) -> tuple[float, float]:
    """Add the worth of each tuple, a row of `picks`, to `found` for its cases; the sums of worths and squares."""
    c = scores.shape[1]
    cost, potential = np.empty((c, c)), np.empty(c)
    total, squares = 0.0, 0.0
    for t in range(len(picks)):
        worth = _worth(scores, picks, t, tolerance, cost, potential)
        if worth > 0:
            total += worth
            squares += worth * worth
            for k in range(c):
                found[picks[t, k]] += worth
    return total, squares


@kernel
def _worth(
    scores: FloatArray, picks: CodeArray, t: int, tolerance: float, cost: FloatArray, potential: FloatArray
) -> float:
    """The worth of tuple t."""
    c = len(cost)
    for k in range(c):
        if scores[picks[t, k], k] == -np.inf:
            return 0.0 if _some_finite(scores, picks[t]) else 1.0 / _factorial(c)
    for k in range(c):  # most tuples that are not right fail by an exchange of two
        x = picks[t, k]
        for i in range(k):
            z = picks[t, i]
            if (scores[x, k] - scores[x, i]) + (scores[z, i] - scores[z, k]) < -tolerance:
                return 0.0
    for k in range(c):
        for i in range(c):
            cost[k, i] = scores[picks[t, k], k] - scores[picks[t, k], i]
    if _settle(cost, potential, tolerance, tolerance / c):  # alone the best: even if every cost were less
        return 1.0
    if not _settle(cost, potential, 0.0, tolerance / c):
        return 0.0
    count = _count_best(_tight(cost, potential, tolerance), tolerance)
    return 1.0 / (count if count <= MOST_COUNTED else _factorial(c))


@kernel
def _factorial(c: int) -> float:
    product = 1.0
    for k in range(2, c + 1):
        product *= k
    return product


@kernel
def _some_finite(scores: FloatArray, pick: IntArray) -> bool:
    """Whether some assignment has a finite sum: a perfect matching, by augmenting paths."""
    c, placed = len(pick), 0
    holder, held = np.full(c, -1), np.full(c, -1)
    while placed < c and _place(scores, pick, placed, holder, held):
        placed += 1
    return placed == c


@kernel
def _place(scores: FloatArray, pick: IntArray, k: int, holder: IntArray, held: IntArray) -> bool:
    """Find case k a class of finite score, and those in the way another one, breadth first."""
    c, end, first, last = len(pick), -1, 0, 1
    queue, reached = (
        np.full(c + 1, k),
        np.full(c, -1),
    )  # cases in search of a class; by class, the case that came by
    while first < last and end < 0:
        x = queue[first]
        first += 1
        for i in range(c):
            if reached[i] < 0 and scores[pick[x], i] > -np.inf:
                reached[i] = x
                if holder[i] < 0:
                    end = i
                    break
                queue[last] = holder[i]
                last += 1
    found = end >= 0
    while end >= 0:
        x = reached[end]
        holder[end], held[x], end = x, end, held[x]
    return found


@kernel
def _settle(cost: FloatArray, potential: FloatArray, less: float, slack: float) -> bool:
    """Find potentials that make no cost, were it less by so much, negative but for the slack; False if none do."""
    c = len(cost)
    potential[:] = 0.0
    for _ in range(c):
        moved = 0.0
        for k in range(c):
            own = potential[k]
            for i in range(c):
                lower = min(potential[i], own + (cost[k, i] - less))
                moved += potential[i] - lower
                potential[i] = lower
            moved -= own - potential[k]
            potential[k] = own
        if moved <= slack:
            return True
    return False


@kernel
def _tight(cost: FloatArray, potential: FloatArray, tolerance: float) -> FloatArray:
    """The costs with potentials, infinite where no cycle of cost zero can pass: into a class only, or out only."""
    c, going = len(cost), True
    for k in range(c):
        for i in range(c):
            cost[k, i] += potential[k] - potential[i]
    while going:
        going = False
        for k in range(c):
            out, back = False, False
            for i in range(c):
                out |= i != k and cost[k, i] <= tolerance
                back |= i != k and cost[i, k] <= tolerance
            if out != back:
                going = True
                cost[k, :] = np.inf
                cost[:, k] = np.inf
                cost[k, k] = 0.0
    return cost


@kernel
def _count_best(cost: FloatArray, tolerance: float) -> int:
    """How many assignments cost nothing, or one more than are counted; cycle after cycle, depth first."""
    c, depth, count = len(cost), 0, 0
    case, taken, start = np.zeros(c, dtype=np.int64), np.full(c, -1), np.zeros(c, dtype=np.int64)
    free, spent = np.ones(c, dtype=np.bool_), np.zeros(c)
    while depth >= 0 and count <= MOST_COUNTED:
        k, i = case[depth], taken[depth]
        if i >= 0:
            free[i] = True
        i += 1
        while i < c and not (free[i] and spent[depth] + cost[k, i] <= tolerance):
            i += 1
        if i == c:
            depth -= 1
            continue
        taken[depth], free[i] = i, False
        if depth == c - 1:
            count += 1
            continue
        depth += 1
        spent[depth], taken[depth] = spent[depth - 1] + cost[k, i], -1
        start[depth], case[depth] = start[depth - 1], i
        if i == start[depth]:  # the cycle is closed: on with the first case that has no class yet
            start[depth] = case[depth] = np.argmax(free)
    return count
