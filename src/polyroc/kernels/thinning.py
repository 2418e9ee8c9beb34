"""Fewer points that draw the same line."""

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["thin"]


def thin(x: FloatArray, y: FloatArray, points: int) -> IntArray:
    """At most so many of the points of a path, chosen evenly along it; linear in the number of points.

    The path is cut into k = points / 2 pieces of equal length |dx| + |dy|, and the points beside each cut are
    kept. What lies between two kept points is then either a straight line, or inside a box whose sides add up to
    length / k at most; so for a path that rises from (0, 0) to (1, 1) the area under it changes by no more
    than k (1 / k)^2 / 2 = 1 / (2 k), and by far less if it is smooth.

    >>> thin(np.arange(9.0), np.zeros(9), points=4).tolist()
    [0, 3, 4, 8]
    """
    if len(x) <= points:
        return np.arange(len(x))
    along = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
    pieces = max(1, points // 2)
    after = np.searchsorted(along, along[-1] * np.arange(1, pieces) / pieces)
    kept = np.concatenate([[0], after - 1, after, [len(x) - 1]])
    return np.unique(np.clip(kept, 0, len(x) - 1))
