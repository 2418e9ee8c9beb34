"""Wald tests: whether a difference, or a set of them, is more than chance."""

from math import erfc, isnan, nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = ["ROUNDING", "Wald", "upper_tail", "wald"]

ROUNDING = 1e-10  # a variance below this share of the estimates' own is rounding


class Wald(NamedTuple):
    """A Wald test of linear hypotheses."""

    statistic: float
    df: int
    pvalue: float


def wald(values: FloatArray, covariance: FloatArray, matrix: FloatArray) -> Wald:
    """The chi-square test that `matrix @ values` is zero.

    The degrees of freedom are the rank of the covariance of what is tested: classifiers that are identical or
    collinear add none. A difference in a direction without any variance has no p-value (nan).

    >>> wald(np.array([1.0, 0.5]), np.diag([0.125, 0.125]), np.array([[1.0, -1.0]]))
    Wald(statistic=1.0, df=1, pvalue=0.3173105...)
    """
    differences, spread = matrix @ values, matrix @ covariance @ matrix.T
    if not np.isfinite(spread).all() or not np.isfinite(differences).all():
        return Wald(nan, len(matrix), nan)
    variances, directions = np.linalg.eigh(spread)
    size = float((matrix**2).sum(axis=1).max() * np.diag(covariance).max())
    real = variances > ROUNDING * size
    along = directions.T @ differences
    if np.abs(along[~real]).max(initial=0.0) > sqrt(ROUNDING):
        return Wald(nan, int(real.sum()), nan)
    statistic = float((along[real] ** 2 / variances[real]).sum())
    return Wald(statistic, int(real.sum()), chi_square_tail(statistic, int(real.sum())))


def chi_square_tail(statistic: float, df: int) -> float:
    """P(chi-square with df degrees of freedom >= statistic); 1 if nothing can differ."""
    if df == 0:
        return 1.0
    from scipy.special import gammaincc

    return float(gammaincc(df / 2.0, statistic / 2.0))


def upper_tail(value: float, standard_error: float) -> float:
    """P(Z >= value / standard error) for a standard normal Z; nan without a standard error."""
    if isnan(standard_error) or standard_error <= 0:
        return nan
    return erfc(value / standard_error / sqrt(2.0)) / 2.0
