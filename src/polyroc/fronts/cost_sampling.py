"""Costs that are drawn: a Dirichlet distribution over the errors, within bounds on ratios."""

from typing import NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.validation.costs import Ratio

__all__ = ["Costs"]

RAREST = 1e-4  # a smaller share of draws within the bounds is given up


class Costs(NamedTuple):
    """How costs vary.

    Attributes
    ----------
    alphas
        True class x decision: the parameters of the distribution; zero on the diagonal.
    ratios
        The bounds.
    """

    alphas: FloatArray
    ratios: list[Ratio]

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        """So many cost matrices, off-diagonals summing to 1; draws outside the bounds are drawn again."""
        if not self.ratios:
            return self._any(n, rng)
        found: list[FloatArray] = []
        drawn = kept = 0
        while kept < n:
            costs = self._any(max(n, 1000), rng)
            drawn += len(costs)
            found.append(costs[self._within(costs)][: n - kept])
            kept += len(found[-1])
            if kept < RAREST * drawn and drawn * RAREST > 10:
                raise InputError(
                    f"Hardly any costs drawn satisfy the bounds ({kept} of {drawn}); widen them, or choose alpha "
                    "so that its ratios lie within."
                )
        return np.concatenate(found)

    def _any(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Cost matrices without regard to bounds."""
        errors = np.flatnonzero(self.alphas)  # zero on the diagonal alone
        costs = np.zeros((n, self.alphas.size))
        costs[:, errors] = rng.dirichlet(self.alphas.flat[errors], size=n)
        return costs.reshape(n, *self.alphas.shape)

    def _within(self, costs: FloatArray) -> BoolArray:
        inside = np.ones(len(costs), dtype=bool)
        for (k, j), (m, i), low, high in self.ratios:
            inside &= costs[:, k, j] >= low * costs[:, m, i]
            if high < np.inf:
                inside &= costs[:, k, j] <= high * costs[:, m, i]
        return inside
