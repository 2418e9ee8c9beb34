"""Wald tests of linear hypotheses about several estimates."""

from math import isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = ["ROUNDING", "Wald", "chi_square_tail", "wald"]

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
