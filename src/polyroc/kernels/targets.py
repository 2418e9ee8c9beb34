"""Points of a front against targets: random points of rates that a search tries to dominate."""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["first_below", "least_excess"]

BLOCK = 256  # targets at a time: their rates stay in the first-level cache


@kernel
def first_below(rates: FloatArray, targets: FloatArray, first: IntArray) -> None:
    """The first row of `rates` that is nowhere above each target; -1 if there is none.

    Block by block, rate by rate: loops without branches, which the compiler vectorises.
    """
    D = rates.shape[1]
    columns, below = np.empty((D, BLOCK)), np.empty(BLOCK, dtype=np.int64)
    for start in range(0, len(targets), BLOCK):
        size = min(BLOCK, len(targets) - start)
        own = first[start : start + size]
        for t in range(size):
            own[t] = -1
            for d in range(D):
                columns[d, t] = targets[start + t, d]
        for i in range(len(rates) - 1, -1, -1):  # backwards, so that the first row is kept
            for t in range(size):
                below[t] = i
            for d in range(D):
                rate, column = rates[i, d], columns[d]
                for t in range(size):
                    below[t] = below[t] if rate <= column[t] else -1
            for t in range(size):
                own[t] = below[t] if below[t] >= 0 else own[t]


@kernel
def least_excess(rates: FloatArray, targets: FloatArray, nearest: IntArray) -> None:
    """The row of `rates` with the smallest sum of excesses over each target; the first of several."""
    for t in range(len(targets)):
        least = 1e300
        nearest[t] = 0
        for i in range(len(rates)):
            excess = 0.0
            for d in range(rates.shape[1]):
                if rates[i, d] > targets[t, d]:
                    excess += rates[i, d] - targets[t, d]
                    if excess >= least:  # most rows are left after a few rates
                        break
            if excess < least:
                least = excess
                nearest[t] = i
