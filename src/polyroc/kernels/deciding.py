"""Decisions of least expected cost, and the errors they make."""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.compiling import kernel

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
    for n in range(len(costs)):
        tallies[n] = 0
        for true in range(c):
            for start in range(starts[true], starts[true + 1], BLOCK):
                size = min(BLOCK, starts[true + 1] - start)
                _risks(P, start, size, costs[n], risk)
                _first_least(risk, size, least, best)
                for i in range(size):
                    tallies[n, true, best[i]] += weight[start + i]


@kernel
def _risks(P: FloatArray, start: int, size: int, costs: FloatArray, risk: FloatArray) -> None:
    for j in range(len(P)):
        for i in range(size):
            risk[j, i] = 0.0
        for k in range(len(P)):
            cost = costs[k, j]
            if cost != 0.0:
                for i in range(size):
                    risk[j, i] += P[k, start + i] * cost


@kernel
def _first_least(risk: FloatArray, size: int, least: FloatArray, best: IntArray) -> None:
    last = len(risk) - 1
    for i in range(size):
        least[i] = risk[last, i]
        best[i] = last
    for j in range(last):
        for i in range(size):
            least[i] = min(least[i], risk[j, i])
    for i in range(size):
        least[i] += ROUNDING * abs(least[i])
    for j in range(last - 1, -1, -1):
        for i in range(size):
            best[i] = j if risk[j, i] <= least[i] else best[i]
