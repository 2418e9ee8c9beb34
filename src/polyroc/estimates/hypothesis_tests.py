"""Tests as inverted intervals: the level at which a hypothetical value leaves the interval."""

from collections.abc import Callable
from math import erfc, inf, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = ["MOST", "ROUNDING", "Wald", "chi_square_tail", "one_sided", "signed_root", "two_sided", "wald"]


MOST = 37.0  # standard errors; the p-value beyond is below the smallest double
PRECISION = 1e-10

Ends = Callable[[float], tuple[float, float]]
"""From a quantile z of the standard normal distribution to the ends of an interval that grows with z."""


def signed_root(ends: Ends, value: float, null: float, most: float = MOST, guess: float = 1.0) -> float:
    """The z at which the interval just reaches `null`: positive if `value` is above it, else negative.

    It plays the part of (value - null) / (standard error): the interval at the level of z excludes `null` if and
    only if |signed root| > z, so p-values made of it never contradict the interval. Infinite if no interval
    reaches `null`, nan if there is no interval. `guess` is tried first.

    >>> round(signed_root(lambda z: (2.0 - 0.5 * z, 2.0 + 0.5 * z), value=2.0, null=1.0), 6)
    2.0
    """
    if value == null:
        return 0.0
    end, sign = (0, 1.0) if value > null else (1, -1.0)

    def beyond(z: float) -> float:
        """How far `null` is outside the interval; negative inside."""
        return sign * (ends(z)[end] - null)

    low, at_low = 0.0, abs(value - null)
    high = min(max(guess, 1e-3), most)
    at_high = beyond(high)
    if isnan(at_high) or isnan(at_low):
        return nan
    while at_high > 0:
        if high >= most:
            return sign * inf
        low, at_low, high = high, at_high, min(2.0 * high, most)
        at_high = beyond(high)
    return sign * _bracketed(beyond, (low, at_low), (high, at_high))


def _bracketed(f: Callable[[float], float], left: tuple[float, float], right: tuple[float, float]) -> float:
    """The root of a falling function between two points with its values there.

    The Illinois method: a secant that halves the value at an end which has stayed twice, so that both ends move.
    """
    (a, at_a), (b, at_b) = left, right
    root, side = b, 0
    for _ in range(100):
        # An end held at a limit reaches `null` exactly and stays there: halve, to find where it begins to.
        last, root = root, b - at_b * (b - a) / (at_b - at_a) if at_b < 0 else (a + b) / 2.0
        if abs(root - last) <= PRECISION * max(b, 1.0):
            break
        value = f(root)
        if value > 0:
            a, at_a, at_b, side = root, value, at_b / (2.0 if side > 0 else 1.0), 1
        else:
            b, at_b, at_a, side = root, value, at_a / (2.0 if side < 0 else 1.0), -1
    return root


def two_sided(z: float) -> float:
    """P(|Z| >= |z|) for a standard normal Z."""
    return erfc(abs(z) / sqrt(2.0))


def one_sided(z: float) -> float:
    """P(Z >= z) for a standard normal Z."""
    return erfc(z / sqrt(2.0)) / 2.0


ROUNDING = 1e-10  # a variance below this share of the estimates' own is rounding


class Wald(NamedTuple):
    """A Wald test of linear hypotheses, with the p-value by an F distribution."""

    statistic: float
    df: int
    denominator_df: float
    pvalue: float


def wald(values: FloatArray, covariance: FloatArray, matrix: FloatArray, units: float = np.inf) -> Wald:
    """The test that `matrix @ values` is zero.

    The statistic T would have a chi-square distribution with q degrees of freedom, the rank of the covariance of
    what is tested (classifiers that are identical or collinear add none), if the covariance were known. It is
    estimated from the cases, and a class of few cases leaves T far too large. As in Hotelling's test,
    T (nu - q + 1) / (q nu) is therefore compared with F(q, nu - q + 1); nu is at least the number of cases in the
    smallest class less one (Krishnamoorthy & Yu 2004), which is what is taken. Without enough of them for q, or
    for a difference in a direction without any variance, there is no p-value (nan).

    Parameters
    ----------
    values, covariance
        The estimates and their covariance.
    matrix
        One row per linear hypothesis.
    units
        nu, the degrees of freedom of the covariance; infinite if it is known.

    References
    ----------
    Krishnamoorthy & Yu, Statistics & Probability Letters 66 (2004) 161-169.

    >>> wald(np.array([1.0, 0.5]), np.diag([0.125, 0.125]), np.array([[1.0, -1.0]]))
    Wald(statistic=1.0, df=1, denominator_df=inf, pvalue=0.3173105...)
    >>> wald(np.array([1.0, 0.5]), np.diag([0.125, 0.125]), np.array([[1.0, -1.0]]), units=9)
    Wald(statistic=1.0, df=1, denominator_df=9.0, pvalue=0.3434363...)
    """
    differences, spread = matrix @ values, matrix @ covariance @ matrix.T
    if not np.isfinite(spread).all() or not np.isfinite(differences).all():
        return Wald(nan, len(matrix), nan, nan)
    variances, directions = np.linalg.eigh(spread)
    size = float((matrix**2).sum(axis=1).max() * np.diag(covariance).max())
    real = variances > ROUNDING * size
    along, rank = directions.T @ differences, int(real.sum())
    if np.abs(along[~real]).max(initial=0.0) > sqrt(ROUNDING):
        return Wald(nan, rank, nan, nan)
    statistic = float((along[real] ** 2 / variances[real]).sum())
    rest = units - rank + 1.0
    return Wald(statistic, rank, rest, _f_tail(statistic, rank, units, rest))


def _f_tail(statistic: float, df: int, units: float, rest: float) -> float:
    """P(F(df, rest) >= statistic x rest / (df x units)); nan where no degrees of freedom are left."""
    if df == 0:
        return 1.0
    if isnan(rest) or rest <= 0:
        return nan
    if np.isinf(rest):
        return chi_square_tail(statistic, df)
    from scipy.special import fdtrc

    return float(fdtrc(df, rest, statistic * rest / (df * units)))


def chi_square_tail(statistic: float, df: int) -> float:
    """P(chi-square with df degrees of freedom >= statistic); 1 if nothing can differ."""
    if df == 0:
        return 1.0
    from scipy.special import gammaincc

    return float(gammaincc(df / 2.0, statistic / 2.0))
