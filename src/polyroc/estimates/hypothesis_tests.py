"""Tests by inverting intervals, tails of distributions, and the Wald test of linear hypotheses."""

from collections.abc import Callable
from math import erfc, inf, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = [
    "LARGEST_Z",
    "ROUNDING_VARIANCE",
    "Wald",
    "chi_square_tail",
    "one_sided",
    "root_between",
    "signed_root",
    "two_sided",
    "wald",
]


LARGEST_Z = 37.0  # the p-value of a larger z is below the smallest double
PRECISION = 1e-10  # of a signed root, relative beyond 1

Ends = Callable[[float], tuple[float, float]]
"""From a quantile z of the standard normal distribution to the ends of an interval that grows with z."""


def signed_root(ends: Ends, value: float, null: float, most: float = LARGEST_Z, guess: float = 1.0) -> float:
    """The z at which the interval just reaches `null`: positive if `value` is above it, else negative.

    The test statistic of the inverted interval, in place of (value - null) / (standard error). The interval at the
    quantile z excludes `null` if and only if |signed root| > z, so p-values and intervals always agree. It is
    infinite if the interval at the largest z does not reach `null`, and nan if there is no interval.

    Parameters
    ----------
    ends
        From a quantile z to the ends of the interval.
    value, null
        The estimate and the value of the hypothesis.
    most
        The largest z that is tried.
    guess
        The z that is tried first.

    >>> round(signed_root(lambda z: (2.0 - 0.5 * z, 2.0 + 0.5 * z), value=2.0, null=1.0), 6)
    2.0
    """
    if value == null:
        return 0.0
    end, sign = (0, 1.0) if value > null else (1, -1.0)

    def beyond(z: float) -> float:
        """The distance of `null` from the interval; negative inside."""
        return sign * (ends(z)[end] - null)

    # Double z until the interval reaches `null`: the root is then between the last two.
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


def root_between(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a decreasing function that is positive at `low` and negative at `high`."""
    return _bracketed(f, (low, f(low)), (high, f(high)), 1e-14)


def _bracketed(
    f: Callable[[float], float],
    left: tuple[float, float],
    right: tuple[float, float],
    precision: float = PRECISION,
) -> float:
    """The root of a decreasing function between two points, each given with its function value.

    The Illinois variant of the secant method (Dowell & Jarratt, BIT 11 (1971) 168-174): the function value at an
    end that was kept twice is halved, so that both ends converge.
    """
    (a, at_a), (b, at_b) = left, right
    root, side = b, 0
    for _ in range(100):
        # At a limit of the range the end of the interval no longer moves, so the function is 0 from some z on:
        # bisect to find the smallest such z.
        last, root = root, b - at_b * (b - a) / (at_b - at_a) if at_b < 0 else (a + b) / 2.0
        if abs(root - last) <= precision * max(b, 1.0):
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


ROUNDING_VARIANCE = 1e-10  # a variance below this share of those of the estimates is rounding, and counts as 0


class Wald(NamedTuple):
    """A Wald test of linear hypotheses, with the p-value by an F distribution."""

    statistic: float
    df: int
    denominator_df: float
    pvalue: float


def wald(values: FloatArray, covariance: FloatArray, matrix: FloatArray, units: float = np.inf) -> Wald:
    """The Wald test of the hypothesis `matrix @ values` = 0, with an F distribution.

    With a known covariance, the statistic T has a chi-square distribution with q degrees of freedom, the rank of
    the covariance of the tested sums (identical or collinear classifiers add none). With a covariance estimated
    from few cases of a class, T is too large. As in Hotelling's test, T (nu - q + 1) / (q nu) is therefore
    compared with F(q, nu - q + 1), where nu is the number of cases in the smallest class minus one, a lower bound
    of the degrees of freedom of Krishnamoorthy & Yu (2004). The p-value is nan if nu is too small for q, or if a
    sum that is not 0 has no variance.

    Parameters
    ----------
    values, covariance
        The estimates and their covariance.
    matrix
        One row per linear hypothesis.
    units
        nu, the degrees of freedom of the covariance; infinite for a known covariance.

    References
    ----------
    Krishnamoorthy & Yu, Statistics & Probability Letters 66 (2004) 161-169.

    >>> wald(np.array([1.0, 0.5]), np.diag([0.125, 0.125]), np.array([[1.0, -1.0]]))
    Wald(statistic=1.0, df=1, denominator_df=inf, pvalue=0.3173105...)
    >>> wald(np.array([1.0, 0.5]), np.diag([0.125, 0.125]), np.array([[1.0, -1.0]]), units=9)
    Wald(statistic=1.0, df=1, denominator_df=9.0, pvalue=0.3434363...)
    """
    sums, covariance_of_sums = matrix @ values, matrix @ covariance @ matrix.T
    if not np.isfinite(covariance_of_sums).all() or not np.isfinite(sums).all():
        return Wald(nan, len(matrix), nan, nan)
    # On the principal axes the sums are uncorrelated; axes without variance are left out (a generalised inverse).
    variances, axes = np.linalg.eigh(covariance_of_sums)
    scale = float((matrix**2).sum(axis=1).max() * np.diag(covariance).max())
    varies = variances > ROUNDING_VARIANCE * scale
    projections, rank = axes.T @ sums, int(varies.sum())
    if np.abs(projections[~varies]).max(initial=0.0) > sqrt(ROUNDING_VARIANCE):
        return Wald(nan, rank, nan, nan)
    statistic = float((projections[varies] ** 2 / variances[varies]).sum())
    rest = units - rank + 1.0
    return Wald(statistic, rank, rest, _f_tail(statistic, rank, units, rest))


def _f_tail(statistic: float, df: int, units: float, rest: float) -> float:
    """P(F(df, rest) >= statistic x rest / (df x units)); nan without degrees of freedom."""
    if df == 0:
        return 1.0
    if isnan(rest) or rest <= 0:
        return nan
    if np.isinf(rest):
        return chi_square_tail(statistic, df)
    from scipy.special import fdtrc

    return float(fdtrc(df, rest, statistic * rest / (df * units)))


def chi_square_tail(statistic: float, df: int) -> float:
    """P(chi-square with df degrees of freedom >= statistic); 1 for df = 0."""
    if df == 0:
        return 1.0
    from scipy.special import gammaincc

    return float(gammaincc(df / 2.0, statistic / 2.0))
