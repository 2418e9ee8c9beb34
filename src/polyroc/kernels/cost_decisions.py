"""Decisions of least expected cost under many cost matrices, and their confusion counts.

O(matrices x cases x classes^2), in vectorised loops over blocks of cases that stay in the cache.
"""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray, ShortArray
from polyroc.kernels.jit import kernel

__all__ = ["decide_cases", "tally_decided", "tally_decisions", "tally_each"]

BLOCK = 256  # cases at a time: their risks for all classes stay in the first-level cache
ROUNDING = 1e-12  # relative difference of risks that tie


def _tally_by_numpy(
    P: FloatArray, starts: IntArray, weight: IntArray, costs: FloatArray, tallies: IntArray
) -> None:
    c = len(P)
    risk = np.zeros((c, len(costs), P.shape[1]))
    for j in range(c):
        for k in range(c):
            if k != j:
                risk[j] += P[k] * costs[:, k, j, None]
    least = risk.min(axis=0)
    least += ROUNDING * np.abs(least)
    best = (risk <= least).argmax(axis=0)  # the first of tied decisions
    for true in range(c):
        own = slice(starts[true], starts[true + 1])
        for j in range(c):
            tallies[:, true, j] = (best[:, own] == j) @ weight[own]


@kernel(
    steps=lambda P, _starts, _weight, costs, _tallies: len(costs) * P.size * len(P) // 100 + 100,
    by_numpy=_tally_by_numpy,
)
def tally_decisions(
    P: FloatArray, starts: IntArray, weight: IntArray, costs: FloatArray, tallies: IntArray
) -> None:
    """At [n, k, j], the weight of the cases of class k for which decision j costs least by costs[n].

    A tie, to within rounding, goes to the first of the decisions: the rule of `CostRule`, number for number.

    Parameters
    ----------
    P, starts
        Classes x cases: the probabilities, cases of class k from starts[k] to starts[k + 1].
    weight
        The multiplicity of each case.
    costs
        Draws x true class x decision.
    tallies
        Written to.
    """
    c = len(P)
    risk, least, best = np.empty((c, BLOCK)), np.empty(BLOCK), np.empty(BLOCK, dtype=np.int64)
    tallies[:] = 0
    for true in range(c):
        for start in range(starts[true], starts[true + 1], BLOCK):  # a block stays in the cache for all costs
            stop = min(start + BLOCK, starts[true + 1])
            for n in range(len(costs)):
                if c == 3:
                    _tally_three(P, start, stop, weight, costs[n], tallies[n, true])
                    continue
                _risks(P, start, stop, costs[n], risk)
                _first_least(risk, stop - start, least, best)
                _add_up(best, weight[start:stop], tallies[n, true])


@kernel
def _tally_three(
    P: FloatArray, start: int, stop: int, weight: IntArray, costs: FloatArray, tally: IntArray
) -> None:
    """`_risks`, `_first_least` and `_add_up` of three classes in one pass: the same sums in the same order."""
    p0, p1, p2, w = P[0][start:stop], P[1][start:stop], P[2][start:stop], weight[start:stop]
    a0, a1, a2 = costs[0, 1], costs[0, 2], costs[1, 0]
    b0, b1, b2 = costs[1, 2], costs[2, 0], costs[2, 1]
    first, second, total = 0, 0, 0
    for i in range(len(w)):
        r0 = p1[i] * a2 + p2[i] * b1
        r1 = p0[i] * a0 + p2[i] * b2
        r2 = p0[i] * a1 + p1[i] * b0
        least = min(min(r0, r1), r2)
        least += ROUNDING * abs(least)
        is_first, is_second = r0 <= least, r1 <= least
        total += w[i]
        first += w[i] if is_first else 0
        second += w[i] if is_second and not is_first else 0
    tally[0] += first
    tally[1] += second
    tally[2] += total - first - second


@kernel
def tally_each(P: FloatArray, starts: IntArray, weight: IntArray, costs: FloatArray, tallies: IntArray) -> None:
    """At [n, k, j], as `tally_decisions` counts it, by the probabilities P[n] and the costs[n]."""
    for n in range(len(P)):
        tally_decisions(P[n], starts, weight, costs[n : n + 1], tallies[n : n + 1])


@kernel
def decide_cases(P: FloatArray, costs: FloatArray, decisions: ShortArray) -> None:
    """At [n, i], the decision for case i that costs least by costs[n], as `tally_decisions` counts them."""
    c, cases = P.shape
    risk, least, best = np.empty((c, BLOCK)), np.empty(BLOCK), np.empty(BLOCK, dtype=np.int64)
    for start in range(0, cases, BLOCK):
        stop = min(start + BLOCK, cases)
        for n in range(len(costs)):
            _risks(P, start, stop, costs[n], risk)
            _first_least(risk, stop - start, least, best)
            for i in range(stop - start):
                decisions[n, start + i] = best[i]


@kernel
def tally_decided(decisions: ShortArray, starts: IntArray, weight: IntArray, tallies: IntArray) -> None:
    """At [n, k, j], the weight of the cases of class k, from starts[k] on, with decisions[n] j."""
    for n in range(len(decisions)):
        for true in range(tallies.shape[1]):
            for j in range(tallies.shape[2]):
                tallies[n, true, j] = 0
            for i in range(starts[true], starts[true + 1]):
                tallies[n, true, decisions[n, i]] += weight[i]


@kernel
def _risks(P: FloatArray, start: int, stop: int, costs: FloatArray, risk: FloatArray) -> None:
    """The expected cost of each decision; by rows, which the compiler knows to be contiguous."""
    for j in range(len(P)):
        total = risk[j]
        for i in range(stop - start):  # loops instead of `[:] =`, which takes much longer to compile
            total[i] = 0.0
        for k in range(len(P)):
            p, cost = P[k][start:stop], costs[k, j]
            if cost != 0.0:  # the diagonal of a cost matrix is zero
                for i in range(len(p)):
                    total[i] += p[i] * cost


@kernel
def _first_least(risk: FloatArray, size: int, least: FloatArray, best: IntArray) -> None:
    """The first of the decisions that cost least, for each case."""
    last = len(risk) - 1
    total = risk[last]
    for i in range(size):
        least[i] = total[i]
        best[i] = last
    for j in range(last):  # pass 1: the smallest risk
        total = risk[j]
        for i in range(size):
            least[i] = total[i] if total[i] < least[i] else least[i]
    # Risks are sums whose rounding depends on their order: within it they count as equal.
    for i in range(size):
        least[i] += ROUNDING * abs(least[i])
    for j in range(last - 1, -1, -1):  # pass 2, backwards, so that the first of tied decisions is kept
        total = risk[j]
        for i in range(size):
            best[i] = j if total[i] <= least[i] else best[i]


@kernel
def _add_up(best: IntArray, weight: IntArray, tally: IntArray) -> None:
    """The weight by decision; one vectorised pass for each is faster than one pass with scattered additions."""
    for j in range(len(tally)):
        total = 0
        for i in range(len(weight)):
            total += weight[i] if best[i] == j else 0
        tally[j] += total
