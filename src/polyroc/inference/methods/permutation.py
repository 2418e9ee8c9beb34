"""The permutation test of paired classifiers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, TypeAlias

import numpy as np

from polyroc.errors import NotApplicableError
from polyroc.inference.methods.method import PairedPvalues, PairedTest
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.sample import Sample
from polyroc.messages import Call, Option
from polyroc.scores import Scores
from polyroc.validation.random import Rng
from polyroc.validation.signatures import Count, validate_fields

__all__ = ["Permutation"]

Dispersion: TypeAlias = Callable[[FloatArray], float]  # of the values of the classifiers

# Rearrangements that differ by rounding alone count as equal to the observed one.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Permutation(PairedTest):
    """P-values for paired classifiers, by exchanging them case by case.

    If classifiers are equal, their scores for a case could have come from either. In each of the random
    rearrangements every case (every group, with `groups`) deals its scores anew among the classifiers, and the
    p-value is the share of rearrangements, the observed one included, that differ as much as the observed one:
    (1 + how many) / (1 + replicates). Ranking scores are replaced by their mid-ranks first, so that classifiers on
    different scales can trade places (Bandos, Rockette & Gur 2005). For a pair the statistic is the absolute
    difference; for all classifiers together the variance of their values. Standard errors are
    those of `Influence()`, and the interval is stretched to agree with the p-value.

    It tests that the classifiers are interchangeable, which is a little more than equal values of the measure.

    Attributes
    ----------
    replicates
        How many rearrangements; the smallest p-value is 1 / (1 + replicates).
    rng
        A seed (0 by default, so that the same call gives the same answer), a generator, or None for a different
        answer each time.

    References
    ----------
    Venkatraman & Begg, Biometrika 83 (1996) 835-848. Bandos, Rockette & Gur, Statist. Med. 24 (2005) 2873-2893.
    """

    name: ClassVar[str] = "permutation"
    test: ClassVar[str] = "permutation test"

    replicates: Count = 2000
    rng: Rng = 0

    def __post_init__(self) -> None:
        validate_fields(self)

    def paired_pvalues(self, measure: Measure, scores: Scores | None) -> PairedPvalues:
        """The share of rearrangements that differ as much as the observed arrangement, which counts as one."""
        if scores is None:
            raise NotApplicableError(
                Option("method", Call("Permutation")),
                " exchanges the classifiers' scores case by case, so it needs the same cases for all classifiers.",
            )
        rng = np.random.default_rng(self.rng)
        stack = _exchangeable(scores)
        names = scores.classifiers
        pairs = {
            (names[i], names[j]): _pvalue(self.replicates, measure, scores, stack[[i, j]], _difference, rng)
            for i, j in combinations(range(len(names)), 2)
        }
        if len(names) == 2:
            return PairedPvalues(pairs[names[0], names[1]], pairs)
        return PairedPvalues(_pvalue(self.replicates, measure, scores, stack, _variance, rng), pairs)


def _exchangeable(scores: Scores) -> FloatArray:
    """The scores of the classifiers on a common scale, at [classifier, case] or [classifier, case, class]."""
    if scores.kind != "score":
        return np.stack(list(scores.values.values()))
    from scipy.stats import rankdata

    return np.stack([rankdata(values) for values in scores.values.values()])


def _difference(values: FloatArray) -> float:
    return float(abs(values[0] - values[1]))


def _variance(values: FloatArray) -> float:
    return float(values.var())


def _pvalue(
    replicates: int,
    measure: Measure,
    scores: Scores,
    stack: FloatArray,
    dispersion: Dispersion,
    rng: np.random.Generator,
) -> float:
    observed = dispersion(_values(measure, scores, stack))
    units = np.arange(len(scores)) if scores.units is None else scores.units
    cases = np.arange(len(scores))
    at_least = 0
    for _ in range(replicates):
        deal = rng.permuted(np.tile(np.arange(len(stack)), (int(units.max()) + 1, 1)), axis=1)[units]
        at_least += dispersion(_values(measure, scores, stack[deal.T, cases])) >= observed - ROUNDING
    return (1 + at_least) / (1 + replicates)


def _values(measure: Measure, scores: Scores, stack: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """The measure of each classifier."""
    dealt = scores._replace(values={str(i): values for i, values in enumerate(stack)})
    return np.array([measure(Sample(dealt, str(i))).value for i in range(len(stack))])
