"""P-values of several tests, adjusted for their number."""

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.comparison import Adjustment

__all__ = ["adjust"]


def adjust(pvalues: FloatArray, how: Adjustment | None) -> FloatArray:
    """Adjusted p-values: each may be compared with the level meant for all of them.

    "holm" (default everywhere) and "bonferroni" bound the chance of any false finding, Holm's being never worse;
    "benjamini-hochberg" bounds the expected share of false findings. A nan stays nan and counts as a test.

    References
    ----------
    Holm, Scand. J. Statist. 6 (1979) 65-70. Benjamini & Hochberg, J. R. Statist. Soc. B 57 (1995) 289-300.

    >>> adjust(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    >>> adjust(np.array([0.01, 0.04, 0.03]), "benjamini-hochberg")
    array([0.03, 0.04, 0.04])
    """
    if how not in ("holm", "bonferroni", "benjamini-hochberg", None):
        raise InputError(f"adjustment must be 'holm', 'bonferroni', 'benjamini-hochberg' or None, got {how!r}.")
    m = len(pvalues)
    if how is None or m == 0:
        return pvalues
    if how == "bonferroni":
        return np.minimum(1.0, m * pvalues)
    order = np.argsort(pvalues)
    adjusted = np.empty(m)
    if how == "holm":
        adjusted[order] = np.maximum.accumulate(pvalues[order] * np.arange(m, 0, -1))
    else:
        adjusted[order] = np.fmin.accumulate((pvalues[order] * m / np.arange(1, m + 1))[::-1])[::-1]
    return np.minimum(1.0, np.where(np.isnan(pvalues), np.nan, adjusted))
