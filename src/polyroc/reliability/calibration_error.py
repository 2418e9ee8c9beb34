"""The expected calibration error without bias: the root of the mean squared distance of probability and truth.

With d(p) = P(event | p) - p, the usual estimate averages |d| or d^2 over bins of predictions. Chance alone makes
it larger than 0 in every bin, the more the more bins there are. Of the square, products of the residuals of two
different cases of a bin have no such bias, since their errors are independent (the debiased L2 error of Kumar,
Liang & Ma 2019; the number of bins grows as in Lee, Huang, Hassani & Dobriban 2023). Of |d| there is no unbiased
estimate.
"""

from math import nan, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from polyroc.estimates.intervals import student_z
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.reliability.decomposition import Part
from polyroc.reliability.events import Event

__all__ = ["calibration_error"]

BINS_POWER = 0.4  # the number of bins is the number of cases to this power


def calibration_error(event: Event, level: float) -> Part | None:
    """The root mean squared calibration error with its interval; None with groups, or with fewer than 4 cases.

    The interval has the values s of the square that a test does not reject, as Wilson's of a proportion: the
    variance of the estimate at s is

        v + 4 s m / n + 2 s^2 / n

    with v what products of pairs vary by where the error is 0, m the mean squared residual; the last term is for
    errors that differ between cases as squares of normal numbers do. (A variance from the same cases would be
    smallest where the estimate is too small.) The ends are cut at 0; their roots are the interval. The standard
    error is nan where the estimate of the square is 0 or less.
    """
    counted = event.weight > 0
    if not event.independent or np.count_nonzero(counted) < 4:
        return None
    square = _square(event.p[counted], event.y[counted], event.weight[counted])
    if square is None:
        return None
    low, high = _ends(square, level)
    value = sqrt(max(square.value, 0.0))
    error = sqrt(square.variance(max(square.value, 0.0))) / (2.0 * value) if value > 0 else nan
    return Part(value, error, sqrt(low), sqrt(high))


def _ends(square: "_Square", level: float) -> tuple[float, float]:
    """The squares s with (estimate - s)^2 <= t^2 variance(s)."""
    t = student_z(NormalDist().inv_cdf(0.5 + level / 2.0), square.cases - 1.0) ** 2
    curved = max(1.0 - 2.0 * t / square.cases, 0.05)  # of very few cases
    middle = (square.value + 2.0 * t * square.residual / square.cases) / curved
    inside = middle**2 - (square.value**2 - t * square.pairs) / curved
    reach = sqrt(max(inside, 0.0))
    return max(middle - reach, 0.0), min(max(middle + reach, 0.0), 1.0)


class _Square(NamedTuple):
    """The estimate of the square, what its variance is made of, and the effective number of cases."""

    value: float
    pairs: float
    residual: float
    cases: float

    def variance(self, s: float) -> float:
        """That of the estimate if the square is s."""
        return self.pairs + (4.0 * s * self.residual + 2.0 * s**2) / self.cases


def _square(p: FloatArray, y: BoolArray, w: FloatArray) -> _Square | None:
    """The mean over bins of the mean product of the residuals of two cases; None if no bin has two."""
    place = _bins(p)
    kept = np.bincount(place)[place] > 1
    if not kept.any():
        return None
    place, w, r = np.unique(place[kept], return_inverse=True)[1], w[kept], (y - p)[kept]
    total = w.sum()
    weight, squared = np.bincount(place, w), np.bincount(place, w**2)
    sums, squares = np.bincount(place, w * r), np.bincount(place, (w * r) ** 2)
    different = weight**2 - squared  # the weight of all pairs of two cases
    value = float(weight @ ((sums**2 - squares) / different) / total)
    products = squares**2 - np.bincount(place, (w * r) ** 4)
    pairs = 2.0 * float((products * (weight / different) ** 2).sum()) / total**2
    return _Square(value, pairs, float(w @ r**2 / total), float(total**2 / (w**2).sum()))


def _bins(p: FloatArray) -> IntArray:
    """Bins of about equal numbers of cases; equal predictions are in one."""
    values, place, cases = np.unique(p, return_inverse=True, return_counts=True)
    most = max(2, round(len(p) ** BINS_POWER))
    middle = (np.cumsum(cases) - cases / 2.0) / len(p)
    return np.asarray(np.floor(middle * min(most, len(values))).astype(np.int64)[place])
