"""Probabilistic k nearest neighbours, whose k and beta evolve."""

from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.models import NeighbourModel, standardised
from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["NearestNeighbours"]

BETAS = np.geomspace(0.1, 100.0, 40)  # tried for the start


class NearestNeighbours:
    """Probabilistic k nearest neighbours: p_j proportional to exp(beta m_j / k), m_j of the k nearest in class j.

    Training cases are judged without themselves (leave-one-out). It starts from the k and beta whose leave-one-out
    likelihood is largest. Distances among all training cases are computed once: fit for some ten thousand cases.

    The distance in the paper's equation (9) must be a constant 1: with a distance in its place, the farther
    neighbour would speak louder.

    Parameters
    ----------
    largest
        The largest k; cut to the number of training cases less one.
    scale
        Of the Laplacian steps of k and of beta.
    standardise
        Whether features are brought to mean 0 and standard deviation 1 before distances are taken.

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

    def __init__(
        self, *, largest: int = 50, scale: tuple[float, float] = (3.0, 1.0), standardise: bool = True
    ) -> None:
        if isinstance(largest, bool) or not isinstance(largest, int | np.integer) or largest < 1:
            raise InputError(f"largest must be a whole number of neighbours, 1 or more, got {largest!r}.")
        pair = isinstance(scale, tuple | list) and len(scale) == 2
        if not pair or not all(isinstance(each, int | float) and 0 < each < np.inf for each in scale):
            raise InputError(f"scale must be two numbers above 0, for k and for beta, got {scale!r}.")
        self.largest = int(largest)
        self.scale = float(scale[0]), float(scale[1])
        self.standardise = bool(standardise)
        self.model: NeighbourModel | None = None
        self._own: Any = None

    def __repr__(self) -> str:
        return f"NearestNeighbours(largest={self.largest}, scale={self.scale}, standardise={self.standardise})"

    def describe(self) -> dict[str, Any]:
        """Its settings."""
        return {"largest": self.largest, "scale": self.scale, "standardise": self.standardise}

    @property
    def _most(self) -> int:
        assert self.model is not None
        return int(self.model.limits[1])

    def keep(self, X: FloatArray, y: IntArray) -> None:
        """The training cases, and the neighbours of each among the others."""
        limits = np.array([int(y.max()) + 1, min(self.largest, len(X) - 1)], dtype=np.int64)
        self.model = NeighbourModel(standardised(X, self.standardise)[1], X.copy(), y.astype(np.int64), limits)
        self._own = X, y, self.model.left_out()

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """The k and beta of the largest leave-one-out likelihood."""
        if self._own is None or self._own[0] is not X or self._own[1] is not y:
            self.keep(X, y)
        posteriors = self._own[2]
        at = np.arange(len(y)), y
        tried = [np.array([k, beta]) for k in range(1, self._most + 1) for beta in BETAS]
        likely = [np.log(posteriors(each)[at]).sum() for each in tried]
        return tried[int(np.argmax(likely))]

    def random(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:  # noqa: ARG002
        """A k of all that are allowed, and an exponential beta."""
        return np.array([rng.integers(1, self._most + 1), rng.exponential(self.scale[1])])

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Laplacian steps, thrown back where they leave 1 to the largest k, or go below a beta of 0."""
        k, beta = parameters + rng.laplace(0.0, self.scale)
        return np.array([_thrown_back(int(np.rint(k)), 1, self._most), abs(beta)])

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> FloatArray:
        """Cases x classes."""
        if self.model is None:
            raise InputError("NearestNeighbours has not seen training cases yet; call start first.")
        if not self.model.fits(parameters, int(self.model.limits[0])):
            wanted = self.model.wanted(int(self.model.limits[0]))
            raise InputError(f"The parameters of nearest neighbours are {wanted}, got {parameters.tolist()}.")
        own, _, reader = self._own
        return np.asarray((reader if X is own else self.model.reader(X))(parameters))


def _thrown_back(k: int, low: int, high: int) -> int:
    """k, mirrored at both ends until it is between them.

    >>> [_thrown_back(k, 1, 4) for k in (-1, 0, 1, 4, 5, 9)]
    [3, 2, 1, 4, 3, 3]
    """
    if low == high:
        return low
    period = 2 * (high - low)
    step = (k - low) % period
    return low + min(step, period - step)
