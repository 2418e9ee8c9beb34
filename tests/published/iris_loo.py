"""The posteriors behind Table VI of Sampat et al. (2009): a linear discriminant on iris, leaving one out.

Normal classes with a pooled covariance (divided by n - c), equal priors, means and covariance estimated anew
for each case left out; Fisher's iris, the first 1 to 4 measurements in order. The paper's text speaks of
covariances by class, but only the pooled one gives its table.
"""

from functools import cache

import numpy as np

from polyroc.datasets import catalogue
from polyroc.kernels.arrays import FloatArray, IntArray

CLASSES, PER_CLASS = 3, 50


@cache
def posteriors(features: int) -> tuple[IntArray, FloatArray]:
    """True class (0, 1, 2) and posteriors of the 150 cases; read-only, because they are shared."""
    X = np.loadtxt(catalogue.path("iris"), delimiter=",", skiprows=1, usecols=range(features), ndmin=2)
    y = np.repeat(np.arange(CLASSES), PER_CLASS)
    P = np.array([_left_out(X, y, case) for case in range(len(y))])
    y.flags.writeable = P.flags.writeable = False
    return y, P


def _left_out(X: FloatArray, y: IntArray, case: int) -> FloatArray:
    """Posteriors of one case from all the others."""
    others = np.arange(len(y)) != case
    X_others, y_others = X[others], y[others]
    means = np.array([X_others[y_others == k].mean(axis=0) for k in range(CLASSES)])
    residuals = X_others - means[y_others]
    covariance = residuals.T @ residuals / (len(y_others) - CLASSES)
    away = X[case] - means
    log_density = -0.5 * np.sum(away * np.linalg.solve(covariance, away.T).T, axis=1)
    density = np.exp(log_density - log_density.max())
    posterior: FloatArray = density / density.sum()
    return posterior
