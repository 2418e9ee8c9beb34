"""Points of a front against targets: random points of rates that a search tries to dominate."""

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.jit import kernel

__all__ = ["first_below", "least_excess"]


@kernel
def first_below(rates: FloatArray, targets: FloatArray, first: IntArray) -> None:
    """The first row of `rates` that is nowhere above each target; -1 if there is none."""
    for t in range(len(targets)):
        first[t] = -1
        for i in range(len(rates)):
            d = 0
            while d < rates.shape[1] and rates[i, d] <= targets[t, d]:
                d += 1
            if d == rates.shape[1]:
                first[t] = i
                break


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
