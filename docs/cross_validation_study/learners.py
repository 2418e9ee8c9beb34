"""Four learners for the simulation, without the overhead of checks: tests compare them with scikit-learn.

A learner takes training cases X, their classes y (0, 1, ...), the number of classes and other cases Z, and gives
the probabilities of the classes for Z. A linear one of two classes has the direction of its score, too, from which
its true AUC follows if features are normal.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from scipy.special import expit, softmax

Array = NDArray[Any]
NEIGHBOURS = 5
PENALTY = 1.0  # scikit-learn's C
LEAF_SHARE, SMALLEST_LEAF = 20, 3


def lda_coefficients(X: Array, y: Array, classes: int) -> tuple[Array, Array]:
    """Weights (features x classes) and constants of the linear discriminant functions, pooled covariance."""
    counts = np.bincount(y, minlength=classes)
    means = np.array([X[y == k].mean(axis=0) for k in range(classes)])
    centred = X - means[y]
    pooled = centred.T @ centred / len(X)
    # A singular covariance (more features than cases) gets the pseudo-inverse, as scikit-learn's SVD does.
    inverse = np.linalg.pinv(pooled, hermitian=True) if len(X) - classes <= X.shape[1] else np.linalg.inv(pooled)
    weights = inverse @ means.T
    return weights, np.log(counts / len(X)) - 0.5 * np.einsum("kd,dk->k", means, weights)


def logistic_coefficients(X: Array, y: Array, classes: int) -> tuple[Array, Array]:
    """Weights (features x classes) and constants of ridge-penalised logistic regression, by Newton's method."""
    design = np.column_stack([X, np.ones(len(X))])
    p = design.shape[1]
    penalty = np.full(p, 1.0 / PENALTY)
    penalty[-1] = 0.0
    if classes == 2:
        w = np.zeros(p)
        for _ in range(50):
            probability = expit(design @ w)
            gradient = design.T @ (probability - y) + penalty * w
            hessian = (design * (probability * (1 - probability))[:, None]).T @ design + np.diag(penalty + 1e-10)
            step = np.linalg.solve(hessian, gradient)
            w -= step
            if np.abs(step).max() < 1e-8:
                break
        both = np.column_stack([np.zeros(p), w])
    else:
        both = _multinomial(design, np.eye(classes)[y], penalty)
    return both[:-1], both[-1]


def _multinomial(design: Array, outcome: Array, penalty: Array) -> Array:
    p, classes = design.shape[1], outcome.shape[1]
    w = np.zeros((p, classes))
    for _ in range(50):
        probability = softmax(design @ w, axis=1)
        gradient = design.T @ (probability - outcome) + penalty[:, None] * w
        hessian = np.empty((p, classes, p, classes))
        for k in range(classes):
            for m in range(k + 1):
                curvature = probability[:, k] * ((k == m) - probability[:, m])
                hessian[:, k, :, m] = hessian[:, m, :, k] = (design * curvature[:, None]).T @ design
        hessian = hessian.reshape(p * classes, -1)
        # The sum of the constants is not determined; the small ridge leaves it at 0.
        hessian += np.diag(np.repeat(penalty, classes) + 1e-8)
        step = np.linalg.solve(hessian, gradient.ravel()).reshape(p, classes)
        w -= step
        if np.abs(step).max() < 1e-8:
            break
    return w


def neighbours(X: Array, y: Array, classes: int, Z: Array) -> Array:
    """Shares of the classes among the five nearest neighbours."""
    nearest = cKDTree(X).query(Z, k=NEIGHBOURS)[1]
    return (y[nearest][:, :, None] == np.arange(classes)).mean(axis=1)


def tree(X: Array, y: Array, classes: int, Z: Array) -> Array:
    """A classification tree with leaves of 5 % of the cases, three at least.

    The regression tree of class indicators is the same tree, as Gini's impurity is their variance, and is fitted
    with fewer checks.
    """
    from sklearn import config_context
    from sklearn.tree import DecisionTreeRegressor

    leaf = max(SMALLEST_LEAF, len(X) // LEAF_SHARE)
    with config_context(skip_parameter_validation=True, assume_finite=True):
        model = DecisionTreeRegressor(min_samples_leaf=leaf, random_state=0)
        model.fit(np.ascontiguousarray(X, dtype=np.float32), np.eye(classes)[y], check_input=False)
        return np.asarray(model.tree_.predict(np.ascontiguousarray(Z, dtype=np.float32))).reshape(len(Z), classes)


LINEAR: dict[str, Callable[[Array, Array, int], tuple[Array, Array]]] = {
    "logistic": logistic_coefficients,
    "lda": lda_coefficients,
}
OTHERS: dict[str, Callable[[Array, Array, int, Array], Array]] = {"5-nn": neighbours, "tree": tree}


def probabilities(learner: str, X: Array, y: Array, classes: int, Z: Array) -> tuple[Array, Array | None]:
    """Probabilities of the classes for Z, and the direction of the score of a linear learner of two classes."""
    if learner in OTHERS:
        return OTHERS[learner](X, y, classes, Z), None
    weights, constants = LINEAR[learner](X, y, classes)
    P = softmax(Z @ weights + constants, axis=1)
    return P, np.asarray(weights[:, 1] - weights[:, 0]) if classes == 2 else None
