"""Obuchowski & Rockette's analysis of variance: mean squares, error covariances, error terms with Hillis' df.

All functions work on arrays with any number of axes before those of modality and reader, so that simulations
analyse many studies at once. With t modalities, r readers, theta(i, j) the value of reader j with modality i:

    theta(i, j) = mu + modality(i) + reader(j) + interaction(i, j) + error(i, j)

The errors are due to the cases, which all cells have in common, so they are correlated: Cov1 between modalities
read by one reader, Cov2 between readers of one modality, Cov3 if both differ. They are estimated from the cases
(as `compare` does), everything else from the values.

References
----------
Obuchowski & Rockette, Communications in Statistics B 24 (1995) 285-308. Hillis, Statistics in Medicine 26 (2007)
596-619. Hillis, Statistics in Medicine 33 (2014) 330-360.
"""

from typing import Any, Literal, NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = [
    "ErrorCovariances",
    "ErrorTerm",
    "Fixed",
    "MeanSquares",
    "Nested",
    "average_term",
    "error_covariances",
    "error_term",
    "mean_squares",
]

Fixed = Literal["readers", "cases"]  # what the conclusion is limited to; None: readers and cases are random
Nested = Literal["readers", "cases"]  # readers within modality, or cases within reader; None: fully crossed


class MeanSquares(NamedTuple):
    """The mean squares of the values by modality and reader.

    Attributes
    ----------
    modality, reader, interaction
        MS(T), MS(R) and MS(T:R). If readers are nested in modalities, `reader` is that within modalities and there
        is no interaction (nan); of one modality `reader` alone is defined.
    """

    modality: float
    reader: float
    interaction: float


class ErrorCovariances(NamedTuple):
    """The mean variance and covariances of the errors of the cells.

    Attributes
    ----------
    variance
        The mean variance of a cell.
    cov1, cov2, cov3
        The mean covariance of two modalities of one reader, of two readers of one modality, and of different
        readers and modalities; nan where there are no such pairs.
    """

    variance: float
    cov1: float
    cov2: float
    cov3: float


class ErrorTerm(NamedTuple):
    """What a mean over readers varies by: its variance times the number of readers, and its degrees of freedom."""

    variance: Any
    df: Any


def mean_squares(values: FloatArray, nested: Nested | None = None) -> MeanSquares:
    """The mean squares of values at [..., modality, reader].

    >>> [round(float(mean), 6) for mean in mean_squares(np.array([[0.9, 0.8, 0.7], [0.95, 0.9, 0.7]]))]
    [0.00375, 0.02625, 0.00125]
    """
    t, r = values.shape[-2:]
    by_modality, by_reader = values.mean(axis=-1), values.mean(axis=-2)
    modality = r * by_modality.var(axis=-1, ddof=1) if t > 1 else np.nan
    if nested == "readers":
        return MeanSquares(modality, values.var(axis=-1, ddof=1).mean(axis=-1), np.nan)
    reader = t * by_reader.var(axis=-1, ddof=1)
    if t == 1:
        return MeanSquares(modality, reader, np.nan)
    rest = values - by_modality[..., None] - by_reader[..., None, :] + values.mean(axis=(-2, -1))[..., None, None]
    return MeanSquares(modality, reader, (rest**2).sum(axis=(-2, -1)) / ((t - 1) * (r - 1)))


def error_covariances(covariance: FloatArray, nested: Nested | None = None) -> ErrorCovariances:
    """The mean variance and covariances of a covariance at [..., modality, reader, modality, reader].

    If readers are nested in modalities, the j-th readers of two modalities are different persons.
    """
    t, r = covariance.shape[-2:]
    total = covariance.sum(axis=(-4, -3, -2, -1))
    variance = np.einsum("...ijij->...", covariance)
    same_reader = np.einsum("...ijkj->...", covariance) - variance
    same_modality = np.einsum("...ijik->...", covariance) - variance
    neither = total - variance - same_reader - same_modality
    if nested == "readers":
        pairs = t * (t - 1) * r * r
        cov1, cov3 = np.nan, (neither + same_reader) / pairs if pairs else np.nan
    else:
        cov1 = same_reader / (t * (t - 1) * r) if t > 1 else np.nan
        cov3 = neither / (t * (t - 1) * r * (r - 1)) if t > 1 else np.nan
    return ErrorCovariances(variance / (t * r), cov1, same_modality / (t * r * (r - 1)), cov3)


def error_term(
    values: FloatArray, covariance: FloatArray, fixed: Fixed | None = None, nested: Nested | None = None
) -> ErrorTerm:
    """The denominator of F for equal modalities; 2 / r of it is the variance of a difference of two means.

    Readers and cases random: MS(T:R) + r max(Cov2 - Cov3, 0), with Hillis' degrees of freedom. Readers fixed: from
    the error covariances alone, without limit of the degrees of freedom. Cases fixed: MS(T:R). If readers are
    nested in modalities, the mean square of readers within modalities takes the place of MS(T:R).

    Parameters
    ----------
    values, covariance
        At [..., modality, reader], and at [..., modality, reader, modality, reader].
    fixed, nested
        What is fixed, and what is nested.
    """
    t, r = values.shape[-2:]
    squares, errors = mean_squares(values, nested), error_covariances(covariance, nested)
    between = np.maximum(errors.cov2 - errors.cov3, 0.0)
    if fixed == "readers":
        if nested == "readers":
            return ErrorTerm(errors.variance - errors.cov2 + r * (errors.cov2 - errors.cov3), np.inf)
        return ErrorTerm(errors.variance - errors.cov1 + (r - 1) * between, np.inf)
    within, df = (squares.reader, t * (r - 1)) if nested == "readers" else (squares.interaction, (t - 1) * (r - 1))
    return _satterthwaite(within, df, 0.0 if fixed == "cases" else r * between)


def average_term(values: FloatArray, covariance: FloatArray, fixed: Fixed | None = None) -> ErrorTerm:
    """The error of a mean over readers, times r: of one modality, or of differences from a stand-alone algorithm.

    Parameters
    ----------
    values, covariance
        At [..., reader], and at [..., reader, reader].
    fixed
        What is fixed.
    """
    r = values.shape[-1]
    variance = np.trace(covariance, axis1=-2, axis2=-1)
    cov2 = np.maximum((covariance.sum(axis=(-2, -1)) - variance) / (r * (r - 1)), 0.0)
    if fixed == "readers":
        return ErrorTerm(variance / r + (r - 1) * cov2, np.inf)
    return _satterthwaite(values.var(axis=-1, ddof=1), r - 1, 0.0 if fixed == "cases" else r * cov2)


def _satterthwaite(within: Any, df: int, between: Any) -> ErrorTerm:
    """A mean square plus a covariance, with the degrees of freedom of the mean square stretched accordingly."""
    variance = within + between
    with np.errstate(divide="ignore", invalid="ignore"):
        return ErrorTerm(variance, np.where(within > 0, df * (variance / within) ** 2, np.inf))
