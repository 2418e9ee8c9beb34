"""Signed ranks: the exact null distribution, the Hodges-Lehmann estimate and its confidence interval."""

from math import floor, nan, sqrt
from statistics import NormalDist

import numpy as np

from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.kernels.arrays import FloatArray
from polyroc.validation.arguments import checked_level

__all__ = ["EXACT", "hodges_lehmann", "null_counts", "walsh_interval"]

EXACT = 200  # differences up to which the null distribution is exact; beyond, a normal approximation


def null_counts(ranks: FloatArray) -> FloatArray:
    """P(2 T = 0, 1, 2 ...) for the sum T of the ranks of positive differences under random signs.

    Exact with ties too: ranks are multiples of 1/2, so twice their sum is a whole number. Each rank is added with
    probability 1/2, which is a convolution with two points.

    >>> null_counts(np.array([1.0, 2.0]))
    array([0.25, 0.  , 0.25, 0.  , 0.25, 0.  , 0.25])
    """
    doubled = np.round(2 * ranks).astype(np.int64)
    probabilities = np.zeros(int(doubled.sum()) + 1)
    probabilities[0] = 1.0
    for rank in doubled:
        probabilities[rank:] = probabilities[rank:] + probabilities[: len(probabilities) - rank]
        probabilities /= 2
    return probabilities


def walsh_averages(differences: FloatArray) -> FloatArray:
    """The sorted means of all pairs of differences, including each difference with itself."""
    i, j = np.triu_indices(len(differences))
    return np.sort((differences[i] + differences[j]) / 2)


def hodges_lehmann(differences: FloatArray) -> float:
    """The median of the Walsh averages: an estimate of the centre of symmetry.

    >>> hodges_lehmann(np.array([0.0, 1.0, 5.0]))
    1.75
    """
    return float(np.median(walsh_averages(differences)))


def walsh_interval(differences: FloatArray, level: float = 0.95) -> ConfidenceInterval:
    """Confidence interval of the centre of symmetry: the values that the signed-rank test does not reject.

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
