"""Two classes: every threshold, and of them the points that none dominates."""

import numpy as np

from polyroc._normalise.terms import Ratio
from polyroc.errors import InputError
from polyroc.fronts.tally import Cases
from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["two_classes"]

ROUNDING = 1e-9  # rows that miss 1 by less do so by rounding, and the column is taken as it is, as `curve` does


def two_classes(cases: Cases, ratios: list[Ratio]) -> tuple[IntArray, FloatArray, int]:
    """The counts and costs of the non-dominated thresholds within the bounds, and how many thresholds there are.

    The second class is said where its share s of the two probabilities is above t; this is the rule of least cost
    if an error on the first class costs t and one on the second 1 - t.
    """
    both = cases.P[0] + cases.P[1]
    share = cases.P[1] if np.abs(both - 1.0).max() < ROUNDING else cases.P[1] / both
    values, place = np.unique(share, return_inverse=True)
    first = slice(0, cases.starts[1])
    alarms, hits = (
        np.bincount(place[part], cases.weight[part], len(values))[::-1].cumsum()[::-1]
        for part in (first, slice(cases.starts[1], None))
    )
    t, within = _thresholds(values, *_range(ratios))
    counts = np.zeros((len(t), 2, 2), dtype=np.int64)
    counts[:, 0, 1], counts[:, 1, 1] = np.append(alarms, 0)[within], np.append(hits, 0)[within]
    counts[:, 0, 0], counts[:, 1, 0] = (cases.totals[k] - counts[:, k, 1] for k in (0, 1))
    moves, misses = np.diff(counts[:, 0, 1]) != 0, np.diff(counts[:, 1, 0]) != 0
    free = np.append(misses, True) & np.append(True, moves)
    costs = np.zeros((len(t), 2, 2))
    costs[:, 0, 1], costs[:, 1, 0] = t, 1.0 - t
    return counts[free], costs[free], len(t)


def _range(ratios: list[Ratio]) -> tuple[float, float]:
    """Between what t lies, from bounds on t / (1 - t) or on its inverse."""
    low, high = 0.0, 1.0
    for error, _, least, most in ratios:
        ends = [1.0 if end == np.inf else end / (1.0 + end) for end in (least, most)]
        if error == (1, 0):
            ends = [1.0 - end for end in reversed(ends)]
        low, high = max(low, ends[0]), min(high, ends[1])
    if low > high:
        raise InputError("The bounds contradict each other: no costs satisfy them all.")
    return low, high


def _thresholds(values: FloatArray, low: float, high: float) -> tuple[FloatArray, IntArray]:
    """One t for each set of cases that can be said to be of the second class, and where these begin in values.

    They begin at place i for t from values[i - 1] up to, but without, values[i].
    """
    bottom, ceiling = np.maximum(np.append(0.0, values), low), np.append(values, np.inf)
    reached = (bottom < ceiling) & (bottom <= high)
    reached[0] |= low == 0.0
    bottom, ceiling, within = bottom[reached], ceiling[reached], np.flatnonzero(reached)
    middle = (bottom + np.minimum(ceiling, high)) / 2.0
    return np.where(middle < ceiling, middle, bottom), within
