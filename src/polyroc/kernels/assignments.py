"""Tuples of cases, one per class: whether giving each its own class is the best assignment, and how many tie.

Scores are a table of one row per case and one column per class; a tuple names one row per class. Its worth is
1 / (number of best assignments) if giving case k class k, for all k, is one of them, and 0 if it is not. Sums of
scores count as equal within a tolerance, which must not be zero.

To give case k class i instead of k costs s_k(x_k) - s_i(x_k). Any other assignment is a set of cycles of such
exchanges, so the right one is among the best if no cycle has a negative cost: the Bellman-Ford algorithm decides
it by potentials, in O(c^2) steps mostly and O(c^3) at worst. Other assignments that are as good consist of cycles
of cost 0, which are enumerated depth first. See Ahuja, Magnanti & Orlin, Network Flows (1993), chapter 5.
"""

from math import factorial

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["MOST_COUNTED", "tally_worths", "worths"]

# If more assignments than this are best, all c! are taken to be: counting takes too long.
MOST_COUNTED = factorial(10)


@kernel(steps=lambda scores, _starts, _tolerance, values: 10 * len(values) * scores.shape[1] ** 2)
def worths(scores: FloatArray, starts: IntArray, tolerance: float, values: FloatArray) -> None:
    """The worth of every tuple, the last class changing first; class k has the rows starts[k] .. starts[k + 1].

    >>> values = np.empty(4)
    >>> worths(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 2.0], [3.0, 0.0]]), np.array([0, 2, 4]), 1e-9, values)
    >>> values
    array([1., 0., 1., 0.])
    """
    c = scores.shape[1]
    cost, potential = np.empty((c, c)), np.empty(c)
    picks = starts[:-1].astype(np.int32).reshape(1, c)
    for t in range(len(values)):
        values[t] = _worth(scores, picks, 0, tolerance, cost, potential)
        k = c - 1  # the next tuple, as an odometer
        picks[0, k] += 1
        while k > 0 and picks[0, k] == starts[k + 1]:
            picks[0, k] = starts[k]
            k -= 1
            picks[0, k] += 1


@kernel
def tally_worths(
    scores: FloatArray, picks: CodeArray, tolerance: float, totals: FloatArray
) -> tuple[float, float]:
    """Add the worth of each tuple (a row of `picks`) to the totals of its cases; sums of worths and squares."""
    c = scores.shape[1]
    cost, potential = np.empty((c, c)), np.empty(c)
    total, squares = 0.0, 0.0
    for t in range(len(picks)):
        worth = _worth(scores, picks, t, tolerance, cost, potential)
        total += worth
        squares += worth * worth
        for k in range(c):
            totals[picks[t, k]] += worth
    return total, squares


@kernel
def _worth(
    scores: FloatArray, picks: CodeArray, t: int, tolerance: float, cost: FloatArray, potential: FloatArray
) -> float:
    """The worth of tuple t."""
    c = len(cost)
    # A score of -inf for the own class makes the right sum -inf: worthless, unless no assignment is finite and all
    # tie.
    for k in range(c):
        if scores[picks[t, k], k] == -np.inf:
            return 0.0 if _some_finite(scores, picks[t]) else 1.0 / _factorial(c)
    for k in range(c):  # cheap test first: most tuples that are not right fail by an exchange of two
        x = picks[t, k]
        for i in range(k):
            z = picks[t, i]
            if (scores[x, k] - scores[x, i]) + (scores[z, i] - scores[z, k]) < -tolerance:
                return 0.0
    for k in range(c):
        for i in range(c):
            cost[k, i] = scores[picks[t, k], k] - scores[picks[t, k], i]
    # Even if every exchange cost less by the tolerance, no cycle would be negative: the right one is the only
    # best.
    if _find_potentials(cost, potential, tolerance, tolerance / c):
        return 1.0
    if not _find_potentials(cost, potential, 0.0, tolerance / c):  # some cycle is negative
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
    """Whether some assignment has a finite sum: a perfect bipartite matching, by augmenting paths."""
    c, placed = len(pick), 0
    holder, own = np.full(c, -1), np.full(c, -1)
    while placed < c and _place(scores, pick, placed, holder, own):
        placed += 1
    return placed == c


@kernel
def _place(scores: FloatArray, pick: IntArray, k: int, holder: IntArray, own: IntArray) -> bool:
    """Find an augmenting path from case k, breadth first, and exchange along it; False if there is none.

    By class its `holder`, and by case its `own` class; -1 for none.
    """
    c, end, first, last = len(pick), -1, 0, 1
    # Cases in search of a class; and by class, the case that reached it first.
    queue, reached = np.full(c + 1, k), np.full(c, -1)
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
    is_placed = end >= 0
    while end >= 0:  # backwards: each case takes the class by which it was reached, and frees its own
        x = reached[end]
        holder[end], own[x], end = x, end, own[x]
    return is_placed


@kernel
def _find_potentials(cost: FloatArray, potential: FloatArray, less: float, slack: float) -> bool:
    """Potentials with cost[k, i] - less + potential[k] - potential[i] >= 0, within the slack; False if none exist.

    They exist if and only if no cycle of the reduced costs is negative. Bellman-Ford: relax every edge until
    nothing changes; if something still changes in round c, there is a negative cycle.
    """
    c = len(cost)
    for k in range(c):  # loops instead of `[:] =`, which takes longer to compile
        potential[k] = 0.0
    for _ in range(c):
        change = 0.0
        for k in range(c):
            own = potential[k]
            for i in range(c):
                lower = min(potential[i], own + (cost[k, i] - less))
                change += potential[i] - lower
                potential[i] = lower
            change -= own - potential[k]  # the edge from k to itself, of cost -less, is none: take its step back
            potential[k] = own
        if change <= slack:
            return True
    return False


@kernel
def _tight(cost: FloatArray, potential: FloatArray, tolerance: float) -> FloatArray:
    """The reduced costs, infinite where no cycle of cost 0 can pass: at classes with tight edges one way only.

    Reduced costs are not negative, and the cost of a cycle is that of its reduced costs, because potentials
    cancel: a cycle of cost 0 consists of tight edges.
    """
    c, going = len(cost), True
    for k in range(c):
        for i in range(c):
            cost[k, i] += potential[k] - potential[i]
    while going:  # taking a class out may leave another one without an edge in or out
        going = False
        for k in range(c):
            out, back = False, False
            for i in range(c):
                out |= i != k and cost[k, i] <= tolerance
                back |= i != k and cost[i, k] <= tolerance
            if out != back:
                going = True
                for i in range(c):
                    cost[k, i] = cost[i, k] = np.inf
                cost[k, k] = 0.0
    return cost


@kernel
def _count_best(cost: FloatArray, tolerance: float) -> int:
    """The number of assignments of cost 0, or one more than are counted.

    Depth first with an explicit stack: at each depth one case takes a class. Cases come in the order of the cycle,
    so that the cost spent grows early: the next case is the one whose own class was taken.
    """
    c, depth, count = len(cost), 0, 0
    case, taken, start = np.zeros(c, dtype=np.int64), np.full(c, -1), np.zeros(c, dtype=np.int64)
    free, spent = np.ones(c, dtype=np.bool_), np.zeros(c)
    while depth >= 0 and count <= MOST_COUNTED:
        k, i = case[depth], taken[depth]
        if i >= 0:  # back at this depth: give the class back and try the next
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
        if i == start[depth]:  # the cycle is closed: a new one begins with the first case that has no class yet
            k = 0
            while not free[k]:
                k += 1
            start[depth] = case[depth] = k
    return count
