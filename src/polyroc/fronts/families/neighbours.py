"""Probabilistic k nearest neighbours as a family of classifiers: k and beta evolve."""

from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.models import NeighbourModel, scaling
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.validation.signatures import validated

__all__ = ["NearestNeighbours"]

START_BETAS = np.geomspace(0.1, 100.0, 40)  # grid for the start: from nearly equal posteriors to nearly 0 and 1


class NearestNeighbours:
    """Probabilistic k nearest neighbours: p_j proportional to exp(beta m_j / k), m_j of the k nearest in class j.

    The posteriors of a training case leave the case itself out. The search starts from the k and beta of the
    largest leave-one-out likelihood. Distances among all training cases are computed once, which suits some ten
    thousand cases.

    The distance d(x, x_n) in equation (9) of the paper is replaced by 1: as printed, farther neighbours would have
    more weight; with 1 the exponent is the fraction of neighbours in class j, as the text below the equation says.

    Parameters
    ----------
    largest
        The largest k; cut to the number of training cases less one.
    scale
        Scales of the Laplacian steps of k and of beta.
    standardise
        Whether features are divided by their standard deviation before distances are computed.

    References
    ----------
    Holmes & Adams, Journal of the Royal Statistical Society B 64 (2002) 295-306. Everson & Fieldsend, Pattern
    Recognition Letters 27 (2006) 918-927, section 5.1.

    >>> family = NearestNeighbours(largest=2)
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> start = family.start(X, y, np.random.default_rng(0))
    >>> family.posteriors(np.array([1, 2.0]), X).round(3).tolist()
    [[0.881, 0.119], [0.881, 0.119], [0.881, 0.119], [0.119, 0.881]]
    """

    name = "nearest neighbours"

    @validated
    def __init__(
        self, *, largest: int = 50, scale: tuple[float, float] = (3.0, 1.0), standardise: bool = True
    ) -> None:
        if isinstance(largest, bool) or not isinstance(largest, int | np.integer) or largest < 1:
            raise InputError(f"largest must be a whole number of neighbours, 1 or more, got {largest!r}.")
        pair = isinstance(scale, tuple | list) and len(scale) == 2
        if not pair or not all(isinstance(value, int | float) and 0 < value < np.inf for value in scale):
            raise InputError(f"scale must be two numbers above 0, for k and for beta, got {scale!r}.")
        self.largest = int(largest)
        self.scale = float(scale[0]), float(scale[1])
        self.standardise = bool(standardise)
        self.model: NeighbourModel | None = None
        self._training: Any = None  # the arrays of training cases, and their posteriors as a function

    def __repr__(self) -> str:
        return f"NearestNeighbours(largest={self.largest}, scale={self.scale}, standardise={self.standardise})"

    def describe(self) -> dict[str, Any]:
        """The settings."""
        return {"largest": self.largest, "scale": self.scale, "standardise": self.standardise}

    @property
    def _largest_k(self) -> int:
        assert self.model is not None
        return int(self.model.limits[1])

    def keep(self, X: FloatArray, y: IntArray) -> None:
        """Store the training cases, and find the neighbours of each among the others."""
        limits = np.array([int(y.max()) + 1, min(self.largest, len(X) - 1)], dtype=np.int64)
        self.model = NeighbourModel(scaling(X, self.standardise)[1], X.copy(), y.astype(np.int64), limits)
        self._training = X, y, self.model.leave_one_out()

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002 - the protocol
        """The k and beta of the largest leave-one-out likelihood."""
        if self._training is None or self._training[0] is not X or self._training[1] is not y:
            self.keep(X, y)
        posteriors = self._training[2]
        own_class = np.arange(len(y)), y
        grid = [np.array([k, beta]) for k in range(1, self._largest_k + 1) for beta in START_BETAS]
        log_likelihoods = [np.log(posteriors(parameters)[own_class]).sum() for parameters in grid]
        return grid[int(np.argmax(log_likelihoods))]

    def random(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002 - the protocol
        """A uniform k and an exponential beta."""
        return np.array([rng.integers(1, self._largest_k + 1), rng.exponential(self.scale[1])])

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Add Laplacian noise, reflected at 1 and the largest k, and at a beta of 0."""
        k, beta = parameters + rng.laplace(0.0, self.scale)
        return np.array([_reflected(int(np.rint(k)), 1, self._largest_k), abs(beta)])

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> FloatArray:
        """Cases x classes: the probability of each class."""
        if self.model is None:
            raise InputError("NearestNeighbours has no training cases yet; call start first.")
        if not self.model.fits(parameters, int(self.model.limits[0])):
            expected = self.model.expected(int(self.model.limits[0]))
            raise InputError(f"The parameters of nearest neighbours are {expected}, got {parameters.tolist()}.")
        training, _, of_training = self._training
        of_cases = of_training if X is training else self.model.posterior_function(X)
        return np.asarray(of_cases(parameters))


def _reflected(k: int, low: int, high: int) -> int:
    """K reflected at both ends until it lies between them.

    >>> [_reflected(k, 1, 4) for k in (-1, 0, 1, 4, 5, 9)]
    [3, 2, 1, 4, 3, 3]
    """
    if low == high:
        return low
    period = 2 * (high - low)
    step = (k - low) % period
    return low + min(step, period - step)
