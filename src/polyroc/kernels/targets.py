"""Points of a front against targets: random points of rates that a search tries to dominate."""

from collections.abc import Iterator

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["dominated", "dominated_steps", "first_below", "least_excess"]

BLOCK = 256  # targets at a time: their rates stay in the first-level cache
LOOK = 4  # rates after which it is looked whether any target of the block is left
NUMPY_BLOCK = 4096  # the same for numpy, which needs longer arrays


def dominated_steps(rates: FloatArray, targets: FloatArray) -> int:
    """The steps of `dominated`: numpy compares some thousand numbers in one."""
    return rates.size * len(targets) // 6000 + 20 * (1 + len(targets) // NUMPY_BLOCK)


def dominated(rates: FloatArray, targets: FloatArray) -> Iterator[tuple[slice, BoolArray]]:
    """At [i, t], whether rates[i] is nowhere above target t; for one block of targets after the other."""
    for start in range(0, len(targets), NUMPY_BLOCK):
        block = slice(start, start + NUMPY_BLOCK)
        columns = np.ascontiguousarray(targets[block].T)
        below = np.ones((len(rates), columns.shape[1]), dtype=np.bool_)
        for d in range(len(columns)):
            below &= rates[:, d, None] <= columns[d]
        yield block, below


def _first_below_by_numpy(rates: FloatArray, _: IntArray, targets: FloatArray, first: IntArray) -> None:
    first[:] = -1
    for block, below in dominated(rates, targets):
        some = np.flatnonzero(below.any(axis=0))
        first[block][some] = below[:, some].argmax(axis=0)


def _least_excess_by_numpy(rates: FloatArray, targets: FloatArray, nearest: IntArray) -> None:
    excess = np.zeros((len(targets), len(rates)))
    for d in range(rates.shape[1]):
        excess += np.maximum(rates[:, d] - targets[:, d, None], 0.0)
    nearest[:] = excess.argmin(axis=1)


@kernel(steps=lambda rates, _, targets, __: dominated_steps(rates, targets), by_numpy=_first_below_by_numpy)
def first_below(rates: FloatArray, order: IntArray, targets: FloatArray, first: IntArray) -> None:
    """The first row of `rates` that is nowhere above each target; -1 if there is none.

    Block by block, rate by rate: loops without branches, which the compiler vectorises. `order` has the places of
    each row by falling rate: of many rates, a few exclude all targets of most blocks.
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
            for k in range(D):
                rate, column = rates[i, order[i, k]], columns[order[i, k]]
                for t in range(size):
                    below[t] = below[t] if rate <= column[t] else -1
                if k % LOOK == LOOK - 1 and below[:size].max() < 0:
                    break
            for t in range(size):
                own[t] = below[t] if below[t] >= 0 else own[t]


@kernel(steps=lambda rates, targets, _: rates.size * len(targets) // 200 + 20, by_numpy=_least_excess_by_numpy)
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
