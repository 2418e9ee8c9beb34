"""Nested cross-validation (Bates, Hastie & Tibshirani 2023), for averages over folds of any value.

J. Amer. Statist. Assoc. 119 (2024) 1434-1445. Theirs is for mean losses of cases; here the loss of a fold is the
value of a measure on its cases, and the variance of the mean loss the variance of the value within the fold.
"""

from math import sqrt

import numpy as np
from learners import Array

Z = 1.959964


def nested_interval(value: Array, inner: Array, within: Array) -> tuple[float, float, float]:
    """The value with bias correction, and the 95 % interval.

    Parameters
    ----------
    value
        At [repeat, fold], the value of the model trained without the fold, on the cases of the fold.
    inner
        At [repeat, k, j], the value of the model trained without folds k and j, on the cases of j; nan at k = j.
    within
        At [repeat, fold], the variance of `value` within the fold.
    """
    K = value.shape[1]
    inside = np.nanmean(inner, axis=2)  # the cross-validation of the cases outside fold k
    error = float(np.mean((inside - value) ** 2) - np.mean(within))
    naive = sqrt(float(np.mean(within)) / K)
    # As in the paper: between the naive standard error and sqrt(K) times it.
    standard_error = min(max(sqrt(max(error, 0.0) * (K - 1) / K), naive), sqrt(K) * naive)
    ordinary, nested = float(value.mean()), float(inside.mean())
    corrected = nested - (1 + (K - 2) / K) * (nested - ordinary)
    return corrected, corrected - Z * standard_error, corrected + Z * standard_error
