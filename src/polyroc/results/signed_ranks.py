"""Signed ranks: the exact null distribution, and the interval it gives a median of paired differences."""

from math import floor, nan, sqrt
from statistics import NormalDist

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.results.intervals import ConfidenceInterval, checked_level

__all__ = ["EXACT", "hodges_lehmann", "null_counts", "walsh_interval"]

EXACT = 200  # differences up to which the distribution is counted, not approximated


def null_counts(ranks: FloatArray) -> FloatArray:
    """P(2 T = 0, 1, 2 ...) of the sum T of those ranks whose difference is positive, if signs are coins.

    Exact with ties too: ranks are whole or half, so they are doubled and counted.

    >>> null_counts(np.array([1.0, 2.0]))
    array([0.25, 0.  , 0.25, 0.  , 0.25, 0.  , 0.25])
    """
    doubled = np.round(2 * ranks).astype(np.int64)
    found = np.zeros(int(doubled.sum()) + 1)
    found[0] = 1.0
    for rank in doubled:
        found[rank:] = found[rank:] + found[: len(found) - rank]
        found /= 2
    return found


def walsh_averages(differences: FloatArray) -> FloatArray:
    """The means of all pairs of differences, each with itself too, sorted."""
    i, j = np.triu_indices(len(differences))
    return np.sort((differences[i] + differences[j]) / 2)


def hodges_lehmann(differences: FloatArray) -> float:
    """The median of the Walsh averages: an estimate of the centre of symmetry.

    >>> hodges_lehmann(np.array([0.0, 1.0, 5.0]))
    1.75
    """
    return float(np.median(walsh_averages(differences)))


def walsh_interval(differences: FloatArray, level: float = 0.95) -> ConfidenceInterval:
    """Where the centre of symmetric differences is: all that the signed-rank test would not reject.

    Between the c-th smallest and the c-th largest Walsh average, where P(T < c) is at most (1 - level) / 2
    (Hollander & Wolfe); (nan, nan) if there are too few differences for the level.

    >>> walsh_interval(np.array([-0.5, 0.2, 0.6, 1.1, 1.6, 2.5, 3.0]))
    ConfidenceInterval(low=0.04..., high=2.5)
    """
    checked_level(level)
    n, tail = len(differences), (1 - level) / 2
    if n <= EXACT:
        below = np.cumsum(null_counts(np.arange(1.0, n + 1))[::2])  # P(T <= 0), P(T <= 1) ...
        c = int(np.searchsorted(below, tail, "right"))
    else:
        c = floor(n * (n + 1) / 4 + NormalDist().inv_cdf(tail) * sqrt(n * (n + 1) * (2 * n + 1) / 24))
    if c < 1:
        return ConfidenceInterval(nan, nan)
    averages = walsh_averages(differences)
    return ConfidenceInterval(float(averages[c - 1]), float(averages[-c]))
