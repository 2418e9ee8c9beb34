"""The permutation test: if two classifiers are equal, nothing changes when they trade places."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.scores import Scores

__all__ = ["Permutation", "permutation_pvalues"]

Statistic: TypeAlias = Callable[[FloatArray], float]


@dataclass(frozen=True, slots=True)
class Permutation:
    """P-values for paired classifiers, by exchanging them case by case.

    If classifiers are equal, their scores for a case could have come from either. In each of n random
    rearrangements every case (every group, with `groups`) deals its scores anew among the classifiers, and the
    p-value is the share of rearrangements, the observed one included, that differ as much as the observed one:
    (1 + how many) / (1 + n). Ranking scores are replaced by their mid-ranks first, so that classifiers on
    different scales can trade places (Bandos, Rockette & Gur 2005). For a pair the statistic is the absolute
    difference; for all classifiers together the spread of their values. Standard errors and intervals are
    DeLong's.

    It tests that the classifiers are interchangeable, which is a little more than equal values of the measure.

    Attributes
    ----------
    n
        How many rearrangements; the smallest p-value is 1 / (1 + n).
    rng
        A seed or a generator, or None for a different answer each time.

    References
    ----------
    Venkatraman & Begg, Biometrika 83 (1996) 835-848. Bandos, Rockette & Gur, Statist. Med. 24 (2005) 2873-2893.
    """

    n: int = 2000
    rng: int | np.random.Generator | None = None

    def __post_init__(self) -> None:
        if isinstance(self.n, bool) or not isinstance(self.n, int | np.integer) or self.n < 1:
            raise InputError(f"n must be a whole number of rearrangements, 1 or more, got {self.n!r}.")


def permutation_pvalues(
    method: Permutation, measure: Measure, scores: Scores
) -> tuple[float, dict[tuple[str, str], float]]:
    """P-value of all equal, and of each pair of classifiers."""
    rng = np.random.default_rng(method.rng)
    stack = _exchangeable(scores)
    names = scores.classifiers
    pairs = {
        (names[i], names[j]): _pvalue(method.n, measure, scores, stack[[i, j]], _apart, rng)
        for i, j in combinations(range(len(names)), 2)
    }
    if len(names) == 2:
        return pairs[names[0], names[1]], pairs
    return _pvalue(method.n, measure, scores, stack, _spread, rng), pairs


def _exchangeable(scores: Scores) -> FloatArray:
    """What the classifiers said, on a common scale; shape (classifiers, cases), or one more for classes."""
    if scores.kind != "score":
        return np.stack(list(scores.values.values()))
    from scipy.stats import rankdata

    return np.stack([rankdata(values) for values in scores.values.values()])


def _apart(values: FloatArray) -> float:
    return float(abs(values[0] - values[1]))


def _spread(values: FloatArray) -> float:
    return float(values.var())


def _pvalue(
    n: int, measure: Measure, scores: Scores, stack: FloatArray, statistic: Statistic, rng: np.random.Generator
) -> float:
    observed = statistic(_values(measure, scores, stack))
    units = np.arange(len(scores)) if scores.groups is None else scores.groups
    seats = np.arange(len(scores))
    as_much = 0
    for _ in range(n):
        deal = rng.permuted(np.tile(np.arange(len(stack)), (int(units.max()) + 1, 1)), axis=1)[units]
        as_much += statistic(_values(measure, scores, stack[deal.T, seats])) >= observed - 1e-12
    return (1 + as_much) / (1 + n)


def _values(measure: Measure, scores: Scores, stack: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """The measure of each classifier."""
    dealt = replace(scores, values={str(i): values for i, values in enumerate(stack)})
    return np.array([measure(Sample(dealt, str(i))).value for i in range(len(stack))])
