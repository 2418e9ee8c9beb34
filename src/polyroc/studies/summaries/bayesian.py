"""Bayesian tests with a region of practical equivalence: correlated t over folds, signed rank over data sets."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, nan
from typing import Any, ClassVar, Literal

import numpy as np

from polyroc._results.invariants import Invariants, at_least, shares, within
from polyroc._results.provenance import Provenance
from polyroc._results.result import plain
from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.studies.summaries.input_tables import Table, Tables, direction, means_of, tidy
from polyroc.studies.summaries.pairwise import OVERLAP, PairwiseSummary, fold_differences
from polyroc.validation.arrays import Missing
from polyroc.validation.random import Rng, seed_of
from polyroc.validation.signatures import Count, Positive, validated

__all__ = ["Draws", "Posterior", "Posteriors", "correlated_t", "drawn_thetas", "signed_rank"]

Procedure = Literal["correlated t", "signed rank"]
NAMES = {"correlated t": "Bayesian correlated t-test", "signed rank": "Bayesian signed-rank test"}
DATA_SETS = "Data sets are independent draws of those of interest; a flat prior but for one pseudo data set at 0."
TIED = 1e-9  # probabilities that differ by less are tied
MOST_NUMBERS = 4e6  # products of weights held at a time, 32 MB


@dataclass(frozen=True, slots=True)
class Draws:
    """Settings of the draws: weight of the prior, number of draws, and seed."""

    prior: float
    n: int
    seed: int


@dataclass(frozen=True, slots=True)
class Posterior:
    """Posterior probabilities of one pair of learners.

    Attributes
    ----------
    first, second
        The learners.
    first_better, equivalent, second_better
        Probabilities, with sum 1, that the first is better by more than the region of practical equivalence, that
        neither is, and that the second is.
    location, scale, df
        Parameters of the posterior of the difference, first minus second, a Student t; nan for signed ranks.
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
                f"The difference between {self.first} and {self.second} has no posterior density: it is the same "
                "in all folds, or the test is the signed-rank test; see the probabilities."
            )
        x, df = (np.asarray(differences) - self.location) / self.scale, self.df
        height = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(df * np.pi)
        density: FloatArray = np.exp(height - (df + 1) / 2 * np.log1p(x**2 / df)) / self.scale
        return density

    def reversed(self) -> "Posterior":
        """The same pair with the learners exchanged."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            first_better=self.second_better,
            second_better=self.first_better,
            location=-self.location,
            differences=tuple(-difference for difference in self.differences),
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Posteriors(PairwiseSummary[Posterior]):
    """Posterior probabilities of all pairs of learners, with a region of practical equivalence.

    Attributes
    ----------
    procedure
        "correlated t" (over the folds of one data set) or "signed rank" (over data sets).
    data_set, measure
        Name of the data set and key of the measure.
    learners
        The learners.
    pairs
        By pair of learners, in order.
    rope
        Half the width of the region of practical equivalence.
    larger_is_better
        False for a cost.
    draws
        Draws of the signed-rank test; None for the t-test, whose probabilities are exact.
    assumes
        Assumptions of the probabilities.
    provenance
        Method, number of folds or data sets left out, seed, version.
    """

    NAMES: ClassVar = NAMES

    procedure: Procedure
    pairs: Mapping[tuple[str, str], Posterior]
    rope: float
    larger_is_better: bool
    draws: Draws | None
    assumes: str
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield from PairwiseSummary._invariants(self)
        yield [*self.pairs] == [*combinations(self.learners, 2)], "there must be a posterior for every pair"
        yield at_least(self.rope, 0), "rope must be 0 or more"
        for pair in self.pairs.values():
            probabilities = [pair.first_better, pair.equivalent, pair.second_better]
            yield shares(probabilities) and within(sum(probabilities), 1.0, 1.0), "probabilities must sum to 1"
            yield at_least([pair.scale, pair.df], 0), "scale and df must be 0 or more"

    @property
    def by_pair(self) -> Mapping[tuple[str, str], Posterior]:
        """The posteriors by pair of learners."""
        return self.pairs

    @validated
    def sample(self, first: str, second: str) -> FloatArray:
        """The draws behind the probabilities of a pair: shares of first better, equivalent, second better.

        They are drawn again from the stored seed, so they are always the same.
        """
        if self.draws is None:
            raise NotApplicableError(f"The {self.name} draws no sample; see Posterior.density.")
        better = 1.0 if self.larger_is_better else -1.0
        differences = better * np.array(self[first, second].differences)
        drawn = drawn_thetas(differences[:, None], self.rope, self.draws.prior, self.draws.n, self.draws.seed)
        return np.concatenate([thetas[:, :, 0] for thetas in drawn])

    def __repr__(self) -> str:
        shown = [
            f"{a} {pair.first_better:.3f}, equivalent {pair.equivalent:.3f}, {b} {pair.second_better:.3f}"
            for (a, b), pair in self.pairs.items()
        ]
        more = "; ..." if len(shown) > 4 else ""
        where = f"{self.measure} on {self.data_set}, rope {self.rope:g}"
        return f"Posteriors({self.procedure}, {where}: {'; '.join(shown[:4])}{more})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - probabilities need no interval
        """One record per pair."""
        return [
            {
                "first": posterior.first,
                "second": posterior.second,
                "first_better": posterior.first_better,
                "equivalent": posterior.equivalent,
                "second_better": posterior.second_better,
                "location": plain(posterior.location),
                "scale": plain(posterior.scale),
                "df": plain(posterior.df),
            }
            for posterior in self.pairs.values()
        ]


@validated
def correlated_t(
    table: Table,
    *,
    rope: float = 0.01,
    train_size: float | None = None,
    test_size: float | None = None,
    missing: Missing = "raise",
) -> Posteriors:
    """Bayesian correlated t-test of each pair of learners on one data set (Corani & Benavoli 2015).

    With a flat prior and folds correlated by test / (test + train) cases, the difference of two learners has a
    Student t posterior about the mean difference, with the standard error and degrees of freedom of `corrected_t`.
    Its masses above `rope`, between -`rope` and `rope`, and below -`rope` are the probabilities that the first
    learner is better, that neither is, and that the second is.

    Parameters
    ----------
    table, train_size, test_size, missing
        As in `corrected_t`.
    rope
        Half the width of the region of practical equivalence: smaller differences do not matter.

    References
    ----------
    Corani & Benavoli, Machine Learning 100 (2015) 285-304. Benavoli, Corani, Demsar & Zaffalon, Journal of Machine
    Learning Research 18 (2017) 1-36.

    Examples
    --------
    >>> correlated_t({"a": [0.8, 0.9, 0.7], "b": [0.7, 0.7, 0.6]}, train_size=20, test_size=10)
    Posteriors(correlated t, value on data, rope 0.01: a 0.928, equivalent 0.016, b 0.056)
    """
    _checked_rope(rope)
    differences = fold_differences(table, train_size, test_size, missing)
    better = direction(differences.table.measure)
    pairs = {
        pair: Posterior(*pair, *_masses(better * d, error, differences.df, rope), d, error, differences.df)
        for pair, d, error in zip(differences.pairs, differences.means, differences.errors, strict=True)
    }
    complete = differences.table
    where = complete.data_set, complete.measure, complete.learners
    provenance = Provenance({}, NAMES["correlated t"], dropped=differences.dropped)
    return Posteriors("correlated t", *where, pairs, rope, better > 0, None, OVERLAP, provenance)


def _masses(location: float, scale: float, df: int, rope: float) -> tuple[float, float, float]:
    """Masses above, within and below the region; with scale 0 all mass is at the location (half on a border)."""
    from scipy.special import stdtr

    distances = (side * location - rope for side in (1, -1))
    above, below = (float(stdtr(df, d / scale) if scale else np.heaviside(d, 0.5)) for d in distances)
    return above, max(0.0, 1 - above - below), below


@validated
def signed_rank(
    tables: Tables,
    *,
    rope: float = 0.01,
    prior: Positive = 0.5,
    n: Count = 50_000,
    rng: Rng = 0,
    missing: Missing = "raise",
) -> Posteriors:
    """Bayesian signed-rank test of each pair of learners over data sets (Benavoli et al. 2014, 2017).

    A Dirichlet process prior on the differences of the means over folds. Each draw gives the data sets random
    weights; with these weights, the mean difference of two random data sets is above, within or below the region
    of practical equivalence with certain probabilities. The posterior probability that a learner is better is the
    share of draws in which "above" has the largest probability; ties are shared.

    Parameters
    ----------
    tables, missing
        As in `friedman`.
    rope
        Half the width of the region of practical equivalence: smaller differences do not matter.
    prior
        Weight of a pseudo data set on which the learners are equal, relative to that of a real one.
    n, rng
        Number of draws, and their seed (or a `numpy.random.Generator`). With 50,000 draws the standard error of a
        probability is at most 0.002.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon & Ruggeri, ICML (2014). Benavoli, Corani, Demsar & Zaffalon, Journal of
    Machine Learning Research 18 (2017) 1-36.

    Examples
    --------
    >>> signed_rank({"a": [0.9, 0.8, 0.7, 0.9, 0.8], "b": [0.8, 0.78, 0.65, 0.91, 0.72]}, n=5000)
    Posteriors(signed rank, value on 5 data sets, rope 0.01: a 0.966, equivalent 0.034, b 0.000)
    """
    _checked_rope(rope)
    means = means_of(tables, missing)
    seed = seed_of(rng)  # stored, so that the draws can be repeated
    better = direction(means.measure)
    differences = means.differences()
    shares = _largest(drawn_thetas(better * differences, rope, float(prior), n, seed), n)
    columns = zip(means.pairs, shares.T.tolist(), differences.T.tolist(), strict=True)
    pairs = {
        (a, b): Posterior(a, b, p, q, r, differences=tuple(of_pair)) for (a, b), (p, q, r), of_pair in columns
    }
    where = f"{len(means.data_sets)} data sets", means.measure, means.learners
    provenance = Provenance({}, NAMES["signed rank"], dropped=means.dropped, seed=seed)
    draws = Draws(prior, n, seed)
    return Posteriors("signed rank", *where, pairs, rope, better > 0, draws, DATA_SETS, provenance)


def drawn_thetas(differences: FloatArray, rope: float, prior: float, n: int, seed: int) -> Iterator[FloatArray]:
    """Probabilities that the mean difference of two data sets is above, within and below the region, draw by draw.

    With weights w of a Dirichlet distribution on the differences z_i and on a prior difference z_0 = 0,

        above = sum_ij w_i w_j [z_i + z_j > 2 rope],   below = sum_ij w_i w_j [z_i + z_j < -2 rope]

    where a sum on the border counts half (Benavoli et al. 2014). All pairs of learners have the same weights.

    Parameters
    ----------
    differences
        Data sets x pairs of learners.
    rope, prior
        Half the width of the region of practical equivalence; weight of the prior.
    n, seed
        Number of draws, and their seed.

    Yields
    ------
    FloatArray
        Draws x (above, within, below) x pairs of learners, a block of draws at a time.
    """
    z = np.vstack([np.zeros(differences.shape[1]), differences])
    i, j = np.triu_indices(len(z))
    multiplicity = np.where(i == j, 1.0, 2.0)[:, None]  # each pair of two data sets occurs in both orders
    scale = np.maximum(np.maximum(np.abs(z[i]), np.abs(z[j])), rope)
    # Rounded, so that sums on the border of the region are recognised.
    distances = (tidy(side * (z[i] + z[j]) - 2 * rope, scale) for side in (1, -1))
    above, below = (multiplicity * np.heaviside(d, 0.5) for d in distances)
    strengths = np.array([prior, *np.ones(len(differences))])
    rng = np.random.default_rng(seed)
    block = max(1, int(MOST_NUMBERS / (len(i) + 3 * differences.shape[1])))
    for start in range(0, n, block):
        # Normalised gamma variables have a Dirichlet distribution.
        w = rng.standard_gamma(strengths, size=(min(block, n - start), len(z)))
        w /= w.sum(axis=1, keepdims=True)
        products = w[:, i] * w[:, j]
        high, low = products @ above, products @ below
        yield np.stack([high, np.clip(1 - high - low, 0.0, 1.0), low], axis=1)


def _largest(drawn: Iterable[FloatArray], n: int) -> FloatArray:
    """The share of draws in which each of above, within and below has the largest probability."""
    wins = []
    for thetas in drawn:
        top = np.maximum(np.maximum(thetas[:, 0], thetas[:, 1]), thetas[:, 2])
        largest = thetas >= (top - TIED)[:, None]
        counts = largest.sum(axis=0)
        tied = counts.sum() > top.size
        wins.append((largest / largest.sum(axis=1, keepdims=True)).sum(axis=0) if tied else counts)
    shares: FloatArray = np.sum(wins, axis=0) / n
    return shares


def _checked_rope(rope: float) -> None:
    if not 0 <= rope < inf:
        raise InputError(f"rope, the largest difference that does not matter, must be zero or more, got {rope!r}.")
