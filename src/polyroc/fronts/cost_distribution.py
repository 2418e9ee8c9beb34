"""Misclassification costs drawn from a Dirichlet distribution, within bounds on their ratios."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.validation.costs import Ratio
from polyroc.validation.signatures import ExtendedFloat, expected

__all__ = ["CostBounds", "CostDistribution"]

CostBounds = Annotated[
    Mapping[Any, tuple[float, ExtendedFloat]], expected("a mapping of pairs of errors to (low, high)")
]

LEAST_ACCEPTED = 1e-4  # share of draws within the bounds below which rejection sampling is given up
LEAST_EXPECTED = 10  # draws that would be accepted at that share, before it is given up


class CostDistribution(NamedTuple):
    """Dirichlet distribution of the Q(Q - 1) costs (Everson & Fieldsend 2005, equation 5), truncated by bounds.

    Attributes
    ----------
    alphas
        True class x decision: the parameters of the distribution; zero on the diagonal.
    ratios
        The bounds on ratios of two costs.
    """

    alphas: FloatArray
    ratios: list[Ratio]

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Draw n cost matrices whose off-diagonal elements sum to 1; draws outside the bounds are rejected."""
        if not self.ratios:
            return self._unbounded(n, rng)
        accepted: list[FloatArray] = []
        n_drawn = n_accepted = 0
        while n_accepted < n:
            costs = self._unbounded(max(n, 1000), rng)
            n_drawn += len(costs)
            accepted.append(costs[self.within_bounds(costs)][: n - n_accepted])
            n_accepted += len(accepted[-1])
            if n_accepted < LEAST_ACCEPTED * n_drawn and n_drawn * LEAST_ACCEPTED > LEAST_EXPECTED:
                raise InputError(
                    f"Hardly any costs drawn satisfy the bounds ({n_accepted} of {n_drawn}); widen them, or "
                    "choose concentration so that its ratios lie within."
                )
        return np.concatenate(accepted)

    def _unbounded(self, n: int, rng: np.random.Generator) -> FloatArray:
        errors = np.flatnonzero(self.alphas)  # zero on the diagonal alone
        costs = np.zeros((n, self.alphas.size))
        costs[:, errors] = rng.dirichlet(self.alphas.flat[errors], size=n)
        return costs.reshape(n, *self.alphas.shape)

    def within_bounds(self, costs: FloatArray) -> BoolArray:
        """Which cost matrices satisfy the bounds."""
        inside = np.ones(len(costs), dtype=bool)
        for (k, j), (m, i), low, high in self.ratios:
            # low <= a / b <= high without the division: costs may be zero
            inside &= costs[:, k, j] >= low * costs[:, m, i]
            if high < np.inf:
                inside &= costs[:, k, j] <= high * costs[:, m, i]
        return inside
