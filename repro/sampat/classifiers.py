"""The review's three classifiers with leave-one-out predictions."""

import numpy as np
import numpy.typing as npt

__all__ = ["gaussian", "nearest", "regression"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def gaussian(X: FloatArray, y: IntArray, *, pooled: bool) -> FloatArray:
    """Posteriors of normal classes with equal priors, one covariance for all or one for each.

    Means and covariances without a case follow from those with it: leaving x out of n cases shifts the mean by
    (mean - x)/(n - 1) and reduces the scatter matrix by n/(n - 1) (x - mean)(x - mean)'.
    """
    classes, n, features = int(y.max()) + 1, len(y), X.shape[1]
    sizes = np.bincount(y)
    means = np.array([X[y == k].mean(axis=0) for k in range(classes)])
    away = X - means[y]
    scatters = np.array([away[y == k].T @ away[y == k] for k in range(classes)])
    loss = (sizes[y] / (sizes[y] - 1))[:, None, None] * away[:, :, None] * away[:, None, :]
    log_density = np.empty((n, classes))
    for k in range(classes):
        own = (y == k)[:, None]
        mean = np.where(own, (sizes[k] * means[k] - X) / (sizes[k] - 1), means[k])
        if pooled:
            covariance = (scatters.sum(axis=0) - loss) / (n - 1 - classes)
        else:
            df = sizes[k] - (y == k) - 1
            covariance = (scatters[k] - np.where(own[:, :, None], loss, 0.0)) / df[:, None, None]
        from_mean = X - mean
        distance = np.einsum("ij,ij->i", from_mean, np.linalg.solve(covariance, from_mean[:, :, None])[:, :, 0])
        log_determinant = 0.0 if pooled else np.linalg.slogdet(covariance.reshape(n, features, features))[1]
        log_density[:, k] = -0.5 * (distance + log_determinant)
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    posterior: FloatArray = density / density.sum(axis=1, keepdims=True)
    return posterior


def nearest(X: FloatArray, y: IntArray, *, k: int) -> FloatArray:
    """Shares of the classes among the k nearest other cases; of those equally far, the earlier ones."""
    distance = ((X[:, None, :] - X[None, :, :]) ** 2).sum(axis=2).round(9)
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1, kind="stable")[:, :k]
    shares: FloatArray = np.eye(int(y.max()) + 1)[y[order]].mean(axis=1)
    return shares


def regression(X: FloatArray, y: IntArray) -> FloatArray:
    """The predicted class number by least squares; e / (1 - h) is the leave-one-out residual (h: leverage)."""
    design = np.column_stack((np.ones(len(X)), X))
    hat = design @ np.linalg.pinv(design)
    target = y + 1.0
    left_out: FloatArray = target - (target - hat @ target) / (1.0 - np.diag(hat))
    return left_out
