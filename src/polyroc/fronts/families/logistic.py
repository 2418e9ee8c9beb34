"""Multinomial logistic regression as a family of classifiers: its coefficients evolve."""

from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.models import LogisticModel, scaling
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.validation.signatures import validated

__all__ = ["LogisticFamily"]

MOST_STEPS = 200  # Newton steps of a fit; some ten are usual
CONVERGED = 1e-9  # a fit ends when a step reduces the loss by less than this share of it


class LogisticFamily:
    """Multinomial logistic regression: p_j proportional to exp(a_j + b_j x), with a_j and b_j for every class.

    This is equation (6) of the paper. The search starts from the fit of maximum likelihood, with a small penalty:
    separable classes have no maximum without it. A step adds Laplacian noise to every coefficient.

    Parameters
    ----------
    scale
        Scale of the Laplacian steps: the mean absolute value of what is added to a coefficient. By default 1 over
        the root of the number of coefficients, so that the length of a step does not depend on it; 1 in the paper.
    standardise
        Whether coefficients refer to features of mean 0 and standard deviation 1. Otherwise, as in the paper, a
        step of the same size has more effect on a feature of large numbers.
    penalty
        Ridge penalty of the fit: half of it times the sum of the squared b is subtracted from the log likelihood.

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
    continuous = True

    @validated
    def __init__(self, *, scale: float | None = None, standardise: bool = True, penalty: float = 1e-3) -> None:
        for name, value in (("scale", 1.0 if scale is None else scale), ("penalty", penalty)):
            if not (isinstance(value, int | float) and 0 < value < np.inf):
                raise InputError(f"{name} must be a number above 0, got {value!r}.")
        self.scale = scale
        self.standardise = bool(standardise)
        self.penalty = float(penalty)
        self.model: LogisticModel | None = None
        self._training: Any = None  # the array of training cases, and their posteriors as a function

    def __repr__(self) -> str:
        return f"LogisticFamily(scale={self.scale}, standardise={self.standardise}, penalty={self.penalty:g})"

    def describe(self) -> dict[str, Any]:
        """The settings."""
        return {"scale": self.scale, "standardise": self.standardise, "penalty": self.penalty}

    def keep(self, X: FloatArray, y: IntArray) -> None:  # noqa: ARG002 - the protocol
        """Store how features are scaled."""
        self.model = LogisticModel(*scaling(X, self.standardise))
        self._training = X, self.model.posterior_functions(X)

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002 - the protocol
        """The fit of maximum likelihood."""
        self.keep(X, y)
        assert self.model is not None
        return fit(X, y, self.model, self.penalty)

    def random(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:
        """Laplacian coefficients of scale 1."""
        return np.asarray(rng.laplace(0.0, 1.0, (int(y.max()) + 1) * (1 + X.shape[1])))

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Add Laplacian noise, to one vector of parameters or to each of several."""
        scale = 1.0 / np.sqrt(parameters.shape[-1]) if self.scale is None else self.scale
        return parameters + rng.laplace(0.0, scale, parameters.shape)

    perturb_each = perturb

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> FloatArray:
        """Cases x classes: the probability of each class."""
        return np.asarray(self.posteriors_of_each(parameters[None], X)[0])

    def posteriors_of_each(self, vectors: FloatArray, X: FloatArray) -> FloatArray:
        """Vectors x cases x classes: the same for each of several vectors of parameters."""
        if self.model is None:
            raise InputError("LogisticFamily has no training cases yet; call start first.")
        training, of_training = self._training
        of_cases = of_training if X is training else self.model.posterior_functions(X)
        return np.asarray(of_cases(vectors))


def fit(X: FloatArray, y: IntArray, model: LogisticModel, penalty: float) -> FloatArray:
    """The parameters of the largest penalised likelihood, by Newton's method with step halving."""
    c, design = int(y.max()) + 1, np.column_stack([np.ones(len(X)), (X - model.centre) / model.spread])
    indicators, ridge = np.eye(c)[y], np.tile(np.append(0.0, np.full(X.shape[1], penalty)), c)
    posteriors = model.posterior_function(X)

    def loss(parameters: FloatArray) -> float:
        likelihood = np.maximum(posteriors(parameters)[np.arange(len(y)), y], np.finfo(float).tiny)
        return float((ridge * parameters**2).sum() / 2.0 - np.log(likelihood).sum())

    parameters = np.zeros(ridge.size)
    present = loss(parameters)
    for _ in range(MOST_STEPS):
        P = posteriors(parameters)
        gradient = ((P - indicators).T @ design).ravel() + ridge * parameters
        step, share = np.linalg.solve(_hessian(P, design, ridge), gradient), 1.0
        while loss(parameters - share * step) > present and share > CONVERGED:
            share /= 2.0
        previous, parameters = present, parameters - share * step
        present = loss(parameters)
        if previous - present <= CONVERGED * (1.0 + abs(present)):
            break
    return parameters


def _hessian(P: FloatArray, design: FloatArray, ridge: FloatArray) -> FloatArray:
    """The second derivatives of the loss.

    A small number is added to the diagonal: the loss does not change when all intercepts are raised alike, so the
    matrix would be singular.
    """
    c, d = P.shape[1], design.shape[1]
    hessian = np.diag(ridge + CONVERGED)
    for j in range(c):
        for m in range(c):
            weight = P[:, j] * ((j == m) - P[:, m])
            hessian[j * d : (j + 1) * d, m * d : (m + 1) * d] += (design * weight[:, None]).T @ design
    return hessian
