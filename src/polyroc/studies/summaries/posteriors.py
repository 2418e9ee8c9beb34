"""Draws of the Bayesian signed-rank test: Dirichlet weights on the differences, and what they say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any, Literal

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result, plain, tidy

__all__ = ["Draws", "Posterior", "Posteriors", "drawn_thetas"]


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


Procedure = Literal["correlated t", "signed rank"]
NAMES = {"correlated t": "Bayesian correlated t-test", "signed rank": "Bayesian signed-rank test"}


@dataclass(frozen=True, slots=True)
class Draws:
    """How a posterior was drawn: the strength of the prior, how many draws, and their seed."""

    prior: float
    n: int
    seed: int


@dataclass(frozen=True, slots=True)
class Posterior:
    """What is believed of one pair of learners.

    Attributes
    ----------
    first, second
        The learners.
    first_better, equivalent, second_better
        Probabilities, which add up to 1, that the first is better by more than the region of practical
        equivalence, that neither is, and that the second is.
    location, scale, df
        Of the posterior of the difference, first minus second, a Student t; nan for signed ranks.
    differences
        The differences on the data sets; empty for folds.
    """

    first: str
    second: str
    first_better: float
    equivalent: float
    second_better: float
    location: float = nan
    scale: float = nan
    df: float = nan
    differences: tuple[float, ...] = ()

    def density(self, differences: FloatArray) -> FloatArray:
        """The posterior density of the difference, first minus second."""
        from scipy.special import gammaln

        if not self.scale > 0:
            raise NotApplicableError(
                f"The difference between {self.first} and {self.second} has no posterior density: there is no "
                "spread over folds, or it was made of signed ranks; see the probabilities."
            )
        x, df = (np.asarray(differences) - self.location) / self.scale, self.df
        height = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi)
        found: FloatArray = np.exp(height - (df + 1) / 2 * np.log1p(x**2 / df)) / self.scale
        return found

    def reversed(self) -> "Posterior":
        """The same pair the other way round."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            first_better=self.second_better,
            second_better=self.first_better,
            location=-self.location,
            differences=tuple(-each for each in self.differences),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Posteriors(Result):
    """Every pair of learners, with a region of practical equivalence.

    Attributes
    ----------
    procedure
        "correlated t" (over the folds of one data set) or "signed rank" (over data sets).
    data_set, measure
        What was tested on, and by what.
    learners
        The learners.
    pairs
        By pair of learners, in order.
    rope
        Differences of at most this much are practically none.
    larger_is_better
        False for a cost.
    draws
        Of signed ranks; None for the t-test, whose probabilities are exact.
    assumes
        What has to be so for the probabilities to hold.
    provenance
        Method, what was left out, seed, version.
    """

    procedure: Procedure
    data_set: str
    measure: str
    learners: tuple[str, ...]
    pairs: Mapping[tuple[str, str], Posterior]
    rope: float
    larger_is_better: bool
    draws: Draws | None
    assumes: str
    provenance: Provenance

    @property
    def name(self) -> str:
        """The procedure in words."""
        return NAMES[self.procedure]

    def __getitem__(self, pair: tuple[str, str]) -> Posterior:
        if pair in self.pairs:
            return self.pairs[pair]
        if not isinstance(pair, tuple) or pair[::-1] not in self.pairs:
            known = ", ".join(map(repr, self.learners))
            raise InputError(f"There is no pair of learners {pair!r}; give two different ones of {known}.")
        return self.pairs[pair[::-1]].reversed()

    def sample(self, first: str, second: str) -> FloatArray:
        """The draws behind the probabilities of a pair: shares of first better, equivalent, second better.

        The same draws every time: they are made anew from the seed.
        """
        if self.draws is None:
            raise NotApplicableError(f"{self.name} draws no sample; see Posterior.density.")
        better = 1.0 if self.larger_is_better else -1.0
        each = better * np.array(self[first, second].differences)
        drawn = drawn_thetas(each[:, None], self.rope, self.draws.prior, self.draws.n, self.draws.seed)
        return np.concatenate([thetas[:, :, 0] for thetas in drawn])

    def __repr__(self) -> str:
        shown = [
            f"{a} {each.first_better:.3f}, equivalent {each.equivalent:.3f}, {b} {each.second_better:.3f}"
            for (a, b), each in self.pairs.items()
        ]
        more = "; ..." if len(shown) > 4 else ""
        where = f"{self.measure} on {self.data_set}, rope {self.rope:g}"
        return f"Posteriors({self.procedure}, {where}: {'; '.join(shown[:4])}{more})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - probabilities need no interval
        """One record per pair."""
        return [
            {
                "first": each.first,
                "second": each.second,
                "first_better": each.first_better,
                "equivalent": each.equivalent,
                "second_better": each.second_better,
                "location": plain(each.location),
                "scale": plain(each.scale),
                "df": plain(each.df),
            }
            for each in self.pairs.values()
        ]
