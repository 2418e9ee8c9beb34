"""Multinomial logistic regression, whose coefficients evolve."""

from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.models import LogisticModel, standardised
from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["LogisticFamily"]

STEPS = 200  # of the fit, at most
SMALL = 1e-9  # share of the loss that a step must gain


class LogisticFamily:
    """Multinomial logistic regression: p_j proportional to exp(a_j + b_j x), with a_j and b_j for every class.

    It starts from the fit of maximum likelihood (with a trace of a penalty, without which classes that can be
    separated have none). A step adds Laplacian noise to every coefficient.

    Parameters
    ----------
    scale
        Of the Laplacian steps: the mean absolute value of what is added to a coefficient. By default 1 over the
        root of their number, so that a step is as long however many there are; the paper has 1.
    standardise
        Whether coefficients belong to features of mean 0 and standard deviation 1. Otherwise, as in the paper, a
        step of the same size means more for a feature of large numbers.
    penalty
        Times the sum of the squared b, halved, it is taken from the log likelihood in the fit.

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927, section 4.2.

    >>> family = LogisticFamily()
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> fitted = family.start(X, y, np.random.default_rng(0))
    >>> family.posteriors(fitted, X).round(3).tolist()
    [[0.796, 0.204], [0.612, 0.388], [0.388, 0.612], [0.204, 0.796]]
    """

    name = "logistic"

    def __init__(self, *, scale: float | None = None, standardise: bool = True, penalty: float = 1e-3) -> None:
        for what, value in (("scale", 1.0 if scale is None else scale), ("penalty", penalty)):
            if not (isinstance(value, int | float) and 0 < value < np.inf):
                raise InputError(f"{what} must be a number above 0, got {value!r}.")
        self.scale = scale
        self.standardise = bool(standardise)
        self.penalty = float(penalty)
        self.model: LogisticModel | None = None
        self._own: Any = None

    def __repr__(self) -> str:
        return f"LogisticFamily(scale={self.scale}, standardise={self.standardise}, penalty={self.penalty:g})"

    def describe(self) -> dict[str, Any]:
        """Its settings."""
        return {"scale": self.scale, "standardise": self.standardise, "penalty": self.penalty}

    def keep(self, X: FloatArray, y: IntArray) -> None:  # noqa: ARG002
        """How the features are scaled, and the training cases."""
        self.model = LogisticModel(*standardised(X, self.standardise))
        self._own = X, self.model.reader(X)

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """The fit of maximum likelihood."""
        self.keep(X, y)
        assert self.model is not None
        return fit(X, y, self.model, self.penalty)

    def random(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:
        """Laplacian coefficients of scale 1."""
        return np.asarray(rng.laplace(0.0, 1.0, (int(y.max()) + 1) * (1 + X.shape[1])))

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """A Laplacian step."""
        scale = 1.0 / np.sqrt(len(parameters)) if self.scale is None else self.scale
        return parameters + rng.laplace(0.0, scale, len(parameters))

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> FloatArray:
        """Cases x classes."""
        if self.model is None:
            raise InputError("LogisticFamily has not seen training cases yet; call start first.")
        own, reader = self._own
        return np.asarray((reader if X is own else self.model.reader(X))(parameters))


def fit(X: FloatArray, y: IntArray, model: LogisticModel, penalty: float) -> FloatArray:
    """The parameters of the largest penalised likelihood, by Newton's method with steps that do not overshoot."""
    c, scaled = int(y.max()) + 1, np.column_stack([np.ones(len(X)), (X - model.centre) / model.spread])
    truth, ridge = np.eye(c)[y], np.tile(np.append(0.0, np.full(X.shape[1], penalty)), c)
    posteriors = model.reader(X)

    def loss(parameters: FloatArray) -> float:
        likely = np.maximum(posteriors(parameters)[np.arange(len(y)), y], np.finfo(float).tiny)
        return float((ridge * parameters**2).sum() / 2.0 - np.log(likely).sum())

    found = np.zeros(ridge.size)
    reached = loss(found)
    for _ in range(STEPS):
        P = posteriors(found)
        slope = ((P - truth).T @ scaled).ravel() + ridge * found
        step, share = np.linalg.solve(_curvature(P, scaled, ridge), slope), 1.0
        while loss(found - share * step) > reached and share > SMALL:
            share /= 2.0
        before, found = reached, found - share * step
        reached = loss(found)
        if before - reached <= SMALL * (1.0 + abs(reached)):
            break
    return found


def _curvature(P: FloatArray, scaled: FloatArray, ridge: FloatArray) -> FloatArray:
    """The second derivatives of the loss; a trace is added, as intercepts may all be raised alike."""
    c, d = P.shape[1], scaled.shape[1]
    found = np.diag(ridge + SMALL)
    for j in range(c):
        for m in range(c):
            weight = P[:, j] * ((j == m) - P[:, m])
            found[j * d : (j + 1) * d, m * d : (m + 1) * d] += (scaled * weight[:, None]).T @ scaled
    return found
