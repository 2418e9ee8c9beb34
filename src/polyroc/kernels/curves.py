"""ROC curves of two classes: counts at every threshold, convex hull, vertical sections, thinning; all linear."""

import numpy as np
import numpy.typing as npt

from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.jit import all_sizes, kernel

__all__ = ["heights", "thin", "trace", "turning_points", "upper_hull"]


NUDGE = 1e-12  # relative: a rate times a total may be an ulp beside the integer that is meant


@kernel(steps=all_sizes)
def _trace(x: FloatArray, z: FloatArray, x_called: CodeArray, z_called: CodeArray, thresholds: FloatArray) -> int:
    """A merge from the largest value down; k counts distinct thresholds. Returns the number of points."""
    i, j, k, last = len(x), len(z), 0, np.inf
    x_called[0], z_called[0], thresholds[0] = 0, 0, np.inf
    while i > 0 and j > 0:  # arithmetic instead of branches, which random data would mispredict
        a, b = x[i - 1], z[j - 1]
        t = max(a, b)
        i -= int(a == t)
        j -= int(b == t)
        k += int(t != last)  # a tied value overwrites the point, so that ties share one
        x_called[k], z_called[k], thresholds[k] = len(x) - i, len(z) - j, t
        last = t
    while i > 0 or j > 0:
        t = x[i - 1] if i > 0 else z[j - 1]
        i, j = max(i - 1, 0), j if i > 0 else j - 1
        k += int(t != last)
        x_called[k], z_called[k], thresholds[k] = len(x) - i, len(z) - j, t
        last = t
    return k + 1


def trace(x: FloatArray, z: FloatArray) -> tuple[CodeArray, CodeArray, FloatArray]:
    """How many of each sample are at or above every distinct value, from infinity down; both sorted; one merge.

    >>> called_x, called_z, thresholds = trace(np.array([1.0, 3.0]), np.array([0.0, 1.0]))
    >>> called_x.tolist(), called_z.tolist(), thresholds.tolist()
    ([0, 1, 2, 2], [0, 0, 1, 2], [inf, 3.0, 1.0, 0.0])
    """
    most = len(x) + len(z) + 1
    x_called, z_called = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    thresholds = np.empty(most)
    n = _trace(x, z, x_called, z_called, thresholds)
    return x_called[:n], z_called[:n], thresholds[:n]


@kernel(steps=all_sizes)
def turning_points(x: npt.NDArray[np.generic], y: npt.NDArray[np.generic]) -> BoolArray:
    """Which points of a path turn it: the others lie on the straight line between their neighbours, exactly.

    >>> turning_points(np.array([0, 1, 2, 4, 4]), np.array([0, 0, 1, 3, 4]))
    array([ True,  True, False,  True,  True])
    """
    turns = np.ones(len(x), dtype=np.bool_)
    last = 0
    for i in range(1, len(x) - 1):
        # The cross product of the steps from the last turning point and to the next point; counts make it exact.
        ahead = (x[i] - x[last]) * (y[i + 1] - y[i])
        aside = (y[i] - y[last]) * (x[i + 1] - x[i])
        if ahead == aside:
            turns[i] = False
        else:
            last = i
    return turns


@kernel(steps=all_sizes)
def upper_hull(x: FloatArray, y: FloatArray) -> IntArray:
    """The upper convex hull of points sorted by x, then y: the monotone chain of Andrew (1979), linear.

    The first and the last point belong to it; a point on the line between its neighbours does not.

    >>> upper_hull(np.array([0.0, 0.0, 0.5, 1.0]), np.array([0.0, 0.6, 0.7, 1.0]))
    array([0, 1, 3])
    """
    hull = np.empty(len(x), dtype=np.int64)
    n = 0
    for i in range(len(x)):
        while n > 1:  # drop points at which the chain would not turn right
            a, b = hull[n - 2], hull[n - 1]
            if (x[b] - x[a]) * (y[i] - y[b]) < (y[b] - y[a]) * (x[i] - x[b]):
                break
            n -= 1
        if n == 1 and x[hull[0]] == x[i] and y[hull[0]] == y[i]:  # a copy of the first point
            continue
        hull[n] = i
        n += 1
    return hull[:n].copy()


@kernel(
    steps=lambda weight, falling, _positive, _ends, rates, _tpr: len(weight) * (4 * len(falling) + 2 * len(rates))
)
def heights(
    weight: npt.NDArray[np.generic],
    falling: IntArray,
    positive: BoolArray,
    ends: BoolArray,
    rates: FloatArray,
    tpr: FloatArray,
) -> None:
    """The true positive rate at each false positive rate, for each row of weights; nothing is sorted.

    Parameters
    ----------
    weight
        Counts, or counts times weights, of shape (replicates, cases).
    falling
        The cases by falling score, of both classes together.
    positive, ends
        In the same order: whether the case is positive, and whether it is the last of its block of ties.
    rates
        The false positive rates, ascending.
    tpr
        Written to, shape (replicates, rates); nan where a class has no weight. Inside a block of ties the curve is
        straight; where it is vertical the highest point counts.
    """
    for r in range(len(weight)):
        negatives = positives = 0.0
        for i in range(len(falling)):
            if positive[i]:
                positives += weight[r, falling[i]]
            else:
                negatives += weight[r, falling[i]]
        if negatives == 0.0 or positives == 0.0:
            tpr[r, :] = np.nan
            continue
        u = t = new_u = new_t = 0.0  # weights of negatives and positives above this block of ties, and with it
        g = 0  # the next rate
        for i in range(len(falling)):
            if positive[i]:
                new_t += weight[r, falling[i]]
            else:
                new_u += weight[r, falling[i]]
            if ends[i]:
                # The segment of this block reaches the rate; at its end the next, higher point counts.
                while g < len(rates) and rates[g] * negatives * (1.0 + NUDGE) < new_u:
                    along = (rates[g] * negatives - u) / (new_u - u)
                    tpr[r, g] = (t + (new_t - t) * min(max(along, 0.0), 1.0)) / positives
                    g += 1
                u, t = new_u, new_t
        while g < len(rates):
            tpr[r, g] = t / positives
            g += 1


def thin(x: FloatArray, y: FloatArray, points: int) -> IntArray:
    """At most so many points of a path, chosen evenly along it.

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
