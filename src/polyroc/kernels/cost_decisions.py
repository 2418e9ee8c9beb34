"""Decisions of least expected cost, and the errors they make."""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["tally_decisions"]

BLOCK = 256  # cases decided at a time
ROUNDING = 1e-12  # risks nearer than this share of themselves tie


@kernel
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
        How often each case counts.
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
                _risks(P, start, stop, costs[n], risk)
                _first_least(risk, stop - start, least, best)
                _add_up(best, weight[start:stop], tallies[n, true])


@kernel
def _risks(P: FloatArray, start: int, stop: int, costs: FloatArray, risk: FloatArray) -> None:
    """What each decision costs; row by row, as only whole rows are known to be contiguous."""
    for j in range(len(P)):
        total = risk[j]
        total[:] = 0.0
        for k in range(len(P)):
            p, cost = P[k][start:stop], costs[k, j]
            if cost != 0.0:
                for i in range(len(p)):
                    total[i] += p[i] * cost


@kernel
def _first_least(risk: FloatArray, size: int, least: FloatArray, best: IntArray) -> None:
    """The first of the decisions that cost least, for each case."""
    last = len(risk) - 1
    least[:] = risk[last]
    best[:] = last
    for j in range(last):
        total = risk[j]
        for i in range(size):
            least[i] = total[i] if total[i] < least[i] else least[i]
    for i in range(size):
        least[i] += ROUNDING * abs(least[i])
    for j in range(last - 1, -1, -1):
        total = risk[j]
        for i in range(size):
            best[i] = j if total[i] <= least[i] else best[i]


@kernel
def _add_up(best: IntArray, weight: IntArray, tally: IntArray) -> None:
    """The weight by decision; one pass for each, as passes without branches are quick."""
    for j in range(len(tally)):
        total = 0
        for i in range(len(weight)):
            total += weight[i] if best[i] == j else 0
        tally[j] += total
