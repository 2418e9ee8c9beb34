"""Limits of one rate where the other has a fixed value, from binomial counts and order statistics."""

from collections.abc import Callable
from typing import Any

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = ["Limits", "rate_limits", "wilson_limits"]

FEW = 3.0  # cases of an outcome up to which Brown, Cai & DasGupta modify Wilson's interval
Limits = tuple[FloatArray, FloatArray]


def rate_limits(
    height: Callable[[FloatArray], FloatArray], value: Any, fixed: Any, units: tuple[Any, float], tail: Any
) -> Limits:
    """The limits of the second rate where the first has a fixed value: two independent errors, combined (MOVER).

    The threshold at which the first rate is u has J of n cases beyond it, and J is binomial, whatever the
    distribution of the scores. So it lies between the J-th case and the next, and the curve at the likely values
    of J bounds the error that is due to the threshold; no slope is needed. The error of the second rate at a known
    threshold is that of a proportion. Where there may be no case beyond the threshold, the lower limit is 0.

    Parameters
    ----------
    height
        From first rates to second rates: the curve.
    value, fixed
        The second rate, and the first rate u.
    units
        The effective numbers of cases of which the second and the first are rates.
    tail
        The probability beyond each limit.

    References
    ----------
    Zou & Donner, Statistics in Medicine 27 (2008) 1693-1702. Brown, Cai & DasGupta, Statistical Science 16 (2001)
    101-133.

    Examples
    --------
    >>> low, high = rate_limits(np.sqrt, 0.3, 0.09, (100, 200), 0.025)
    >>> round(float(low), 4), round(float(high), 4)
    (0.1886, 0.4134)
    """
    n = max(round(units[1]), 1)
    fewest = _fewest_beyond(n, fixed, tail)
    most = n - _fewest_beyond(n, 1.0 - np.asarray(fixed), tail)  # n - J is binomial with 1 - u
    left = np.where(fewest > 0, height(np.maximum(fewest - 1.0, 0.0) / n), 0.0)
    right = np.where(most < n, height(most / n), 1.0)
    low, high = _proportion_limits(value, units[0], tail)
    below = np.hypot(value - low, np.maximum(value - left, 0.0))
    above = np.hypot(high - value, np.maximum(right - value, 0.0))
    return np.maximum(value - below, 0.0), np.minimum(value + above, 1.0)


def _fewest_beyond(n: int, rate: Any, tail: Any) -> FloatArray:
    """The smallest binomial count of n whose mid-P lower tail probability exceeds `tail`."""
    from scipy.special import bdtr, bdtrik

    rate, tail = np.broadcast_arrays(np.asarray(rate, dtype=np.float64), tail)
    inner = np.clip(rate, 1e-12, 1.0 - 1e-12)  # 0 and 1 are below
    k = np.clip(np.ceil(np.nan_to_num(bdtrik(tail, n, inner))), 0, n)
    k += np.where(bdtr(k, n, inner) < tail, 1.0, 0.0)  # rounding of the inverse may leave k one too small
    before = np.where(k > 0, bdtr(np.maximum(k - 1.0, 0.0), n, inner), 0.0)
    k += (bdtr(k, n, inner) + before) / 2.0 <= tail
    return np.where(rate <= 0.0, 0.0, np.where(rate >= 1.0, float(n), np.minimum(k, n)))


def _proportion_limits(p: Any, n: Any, tail: Any) -> Limits:
    """Wilson's interval of a proportion, modified by Brown et al. (2001) for up to three cases of an outcome.

    The coverage of Wilson's interval is too low very close to 0 and 1. There the outer limit is that of a Poisson
    count.
    """
    from scipy.special import gammaincinv, ndtri

    low, high = wilson_limits(p, n, -ndtri(tail))

    def poisson(cases: Any) -> FloatArray:
        return np.where(cases <= FEW, gammaincinv(np.clip(cases, 1e-9, FEW), 2.0 * tail) / n, 1.0)

    return np.minimum(low, poisson(p * n)), np.maximum(high, 1.0 - poisson((1.0 - p) * n))


def wilson_limits(p: Any, n: Any, z: Any) -> Limits:
    """Wilson's interval of a proportion p of n cases at a standard normal quantile."""
    shrinkage = 1.0 + z * z / n
    middle = (p + z * z / (2.0 * n)) / shrinkage
    half_width = z / shrinkage * np.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))
    return np.minimum(middle - half_width, p), np.maximum(middle + half_width, p)  # p itself despite rounding
