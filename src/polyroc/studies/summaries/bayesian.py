"""Bayesian tests with a region of practical equivalence: correlated t over folds, signed rank over data sets."""

from collections.abc import Iterable
from math import inf

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.provenance import Provenance
from polyroc.studies.summaries.input_tables import Table, Tables, direction, means_of
from polyroc.studies.summaries.paired import OVERLAP, fold_differences
from polyroc.studies.summaries.posteriors import NAMES, Draws, Posterior, Posteriors, drawn_thetas
from polyroc.validation.arrays import Missing

__all__ = ["correlated_t", "signed_rank"]

DATA_SETS = "Data sets are independent draws of those of interest; a flat prior but for one pseudo data set at 0."
TIED = 1e-9  # shares that differ by less are equal


def correlated_t(
    table: Table,
    *,
    rope: float = 0.01,
    train_size: float | None = None,
    test_size: float | None = None,
    missing: Missing = "raise",
) -> Posteriors:
    """The Bayesian correlated t-test of each pair of learners on one data set (Corani & Benavoli 2015).

    With a flat prior and folds correlated by test / (test + train) cases, the difference of two learners has a
    Student t posterior about the mean difference, with the standard error and degrees of freedom of `corrected_t`.
    Its mass above `rope`, within and below -`rope` is the probability that one is better, neither, or the other.

    Parameters
    ----------
    table, train_size, test_size, missing
        As in `corrected_t`.
    rope
        The region of practical equivalence: differences of at most this much are practically none.

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
    found = fold_differences(table, train_size, test_size, missing)
    better = direction(found.table.measure)
    pairs = {
        pair: Posterior(*pair, *_masses(better * d, error, found.df, rope), d, error, found.df)
        for pair, d, error in zip(found.pairs, found.means, found.errors, strict=True)
    }
    whole = found.table
    where = whole.data_set, whole.measure, whole.learners
    provenance = Provenance({}, NAMES["correlated t"], dropped=found.dropped)
    return Posteriors("correlated t", *where, pairs, rope, better > 0, None, OVERLAP, provenance)


def _masses(location: float, scale: float, df: int, rope: float) -> tuple[float, float, float]:
    """Above, within and below the region; without any spread all is where the difference is, on a border half."""
    from scipy.special import stdtr

    beyond = (side * location - rope for side in (1, -1))
    above, below = (float(stdtr(df, each / scale) if scale else np.heaviside(each, 0.5)) for each in beyond)
    return above, max(0.0, 1 - above - below), below


def signed_rank(
    tables: Tables,
    *,
    rope: float = 0.01,
    prior: float = 0.5,
    n: int = 50_000,
    rng: int | np.random.Generator | None = 0,
    missing: Missing = "raise",
) -> Posteriors:
    """The Bayesian signed-rank test of each pair of learners over data sets (Benavoli et al. 2014, 2017).

    A Dirichlet process on the differences of the means over folds: in each draw the data sets get random weights,
    and the mean difference of two data sets drawn with these weights is above, within or below the region of
    practical equivalence with certain chances. The probability that a learner is better is the share of draws in
    which "above" has the largest chance; ties are shared.

    Parameters
    ----------
    tables, missing
        As in `friedman`.
    rope
        The region of practical equivalence: differences of at most this much are practically none.
    prior
        The weight of a pseudo data set on which the learners are equal, as a share of that of a real one.
    n, rng
        How many draws, and their seed (or a `numpy.random.Generator`). With 50,000 a probability is off by 0.002
        at most (one standard error).

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
    if not prior > 0 or not n >= 1:
        raise InputError(f"prior must be positive and n at least 1, got prior={prior!r}, n={n!r}.")
    means = means_of(tables, missing)
    seed = _seed(rng)
    better = direction(means.measure)
    differences = means.differences()
    shares = _largest(drawn_thetas(better * differences, rope, prior, n, seed), n)
    columns = zip(means.pairs, shares.T.tolist(), differences.T.tolist(), strict=True)
    pairs = {(a, b): Posterior(a, b, p, q, r, differences=tuple(each)) for (a, b), (p, q, r), each in columns}
    where = f"{len(means.data_sets)} data sets", means.measure, means.learners
    provenance = Provenance({}, NAMES["signed rank"], dropped=means.dropped, seed=seed)
    draws = Draws(prior, n, seed)
    return Posteriors("signed rank", *where, pairs, rope, better > 0, draws, DATA_SETS, provenance)


def _seed(rng: int | np.random.Generator | None) -> int:
    """A seed that can be told, so that the draws can be repeated."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**53))
    if not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError(f"rng must be a seed (0 or more), a numpy.random.Generator or None, got {rng!r}.")
    return int(rng)


def _largest(drawn: Iterable[FloatArray], n: int) -> FloatArray:
    """The share of draws in which each of above, within and below is the largest."""
    wins = []
    for thetas in drawn:
        top = np.maximum(np.maximum(thetas[:, 0], thetas[:, 1]), thetas[:, 2])
        largest = thetas >= (top - TIED)[:, None]
        found = largest.sum(axis=0)
        tied = found.sum() > top.size
        wins.append((largest / largest.sum(axis=1, keepdims=True)).sum(axis=0) if tied else found)
    shares: FloatArray = np.sum(wins, axis=0) / n
    return shares


def _checked_rope(rope: float) -> None:
    if not 0 <= rope < inf:
        raise InputError(f"rope, the largest difference that does not matter, must be zero or more, got {rope!r}.")
