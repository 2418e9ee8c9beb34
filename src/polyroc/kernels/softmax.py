"""Posterior probabilities of a multinomial logistic regression, case by case: O(cases x classes x features)."""

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.jit import kernel

__all__ = ["softmax", "softmax_each"]


@kernel
def softmax(X: FloatArray, weights: FloatArray, P: FloatArray) -> None:
    """P[n, j] = exp(a_j + x_n b_j) / sum over i of exp(a_i + x_n b_i).

    Sums run over the features in their order (no matrix product, whose rounding varies with the number of cases),
    so that a case has the same probabilities alone and among others.

    Parameters
    ----------
    X
        Cases x features.
    weights
        Classes x (1 + features): a_j and b_j.
    P
        Cases x classes, written to.
    """
    for n in range(len(X)):
        # The row of the result holds the linear predictors, then their exponentials, then the probabilities.
        p = P[n]
        for j in range(len(weights)):
            total = weights[j, 0]
            for d in range(X.shape[1]):
                total += X[n, d] * weights[j, d + 1]
            p[j] = total
        largest = p.max()  # subtracted, so that the exponentials cannot overflow
        total = 0.0
        for j in range(len(p)):
            p[j] = np.exp(p[j] - largest)
            total += p[j]
        for j in range(len(p)):
            p[j] /= total


@kernel
def softmax_each(X: FloatArray, weights: FloatArray, P: FloatArray) -> None:
    """The same for vectors x classes x (1 + features) weights: P[i] is that of weights[i]."""
    for i in range(len(weights)):
        softmax(X, weights[i], P[i])
