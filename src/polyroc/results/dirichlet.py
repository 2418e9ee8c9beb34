"""Draws of the Bayesian signed-rank test: Dirichlet weights on the differences, and what they say."""

from collections.abc import Iterator

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.results.rounding import tidy

__all__ = ["drawn_thetas"]

ROOM = 4e6  # numbers held at a time


def drawn_thetas(differences: FloatArray, rope: float, prior: float, n: int, seed: int) -> Iterator[FloatArray]:
    """Shares of pairs of data sets whose mean difference is above, within and below the region, draw by draw.

    With weights w of a Dirichlet distribution on the differences z_i and on a prior difference z_0 = 0,

        above = sum_ij w_i w_j [z_i + z_j > 2 rope],   below = sum_ij w_i w_j [z_i + z_j < -2 rope]

    and on the border half (Benavoli et al. 2014). All pairs of learners see the same weights.

    Parameters
    ----------
    differences
        Data sets x pairs of learners.
    rope, prior
        Half the width of the region of practical equivalence; the strength of the prior.
    n, seed
        How many draws, and of which seed.

    Yields
    ------
    FloatArray
        Some draws x (above, within, below) x pairs of learners.
    """
    z = np.vstack([np.zeros(differences.shape[1]), differences])
    i, j = np.triu_indices(len(z))
    twice = np.where(i == j, 1.0, 2.0)[:, None]
    scale = np.maximum(np.maximum(np.abs(z[i]), np.abs(z[j])), rope)
    beyond = (tidy(side * (z[i] + z[j]) - 2 * rope, scale) for side in (1, -1))
    above, below = (twice * np.heaviside(each, 0.5) for each in beyond)
    strengths = np.array([prior, *np.ones(len(differences))])
    rng = np.random.default_rng(seed)
    block = max(1, int(ROOM / (len(i) + 3 * differences.shape[1])))
    for start in range(0, n, block):
        w = rng.standard_gamma(strengths, size=(min(block, n - start), len(z)))
        w /= w.sum(axis=1, keepdims=True)
        products = w[:, i] * w[:, j]
        high, low = products @ above, products @ below
        yield np.stack([high, np.clip(1 - high - low, 0.0, 1.0), low], axis=1)
