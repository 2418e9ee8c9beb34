"""Differences of net benefit between paired classifiers: pointwise intervals, and a band over all thresholds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from polyroc._results.invariants import Invariants, at_least, shares
from polyroc.curves.result import Band
from polyroc.estimates.comparison import pairwise_differences
from polyroc.estimates.difference import Difference
from polyroc.estimates.hypothesis_tests import two_sided
from polyroc.estimates.multiplicity import LargestZ
from polyroc.inference.covariance import by_unit, influence, sampled_strata
from polyroc.inference.estimation import estimate_measure
from polyroc.inference.methods import DEFAULT
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.registry import measure
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.scores import Scores

__all__ = ["BenefitDifference", "benefit_differences"]

METHOD = "score interval of the difference of the two net benefits"


class BenefitDifference(NamedTuple):
    """The net benefit of one classifier minus that of another, at each threshold, on the same cases.

    Attributes
    ----------
    value, standard_error
        The difference and its standard error, from the influence values of the cases.
    pvalue
        Of no difference at this threshold.
    adjusted_pvalue
        The same, adjusted for all thresholds: of the largest absolute z over all of them.
    pointwise, simultaneous
        The band that contains the true difference at any one threshold, and at all of them at once.
    """

    value: FloatArray
    standard_error: FloatArray
    pvalue: FloatArray
    adjusted_pvalue: FloatArray
    pointwise: Band
    simultaneous: Band

    def _invariants(self) -> Invariants:
        numbers = [self.standard_error, self.pvalue, self.adjusted_pvalue, self.pointwise.x, self.simultaneous.x]
        yield all(row.shape == self.value.shape and row.ndim == 1 for row in numbers), "lengths must agree"
        yield at_least(self.standard_error, 0), "standard_error is 0 or more"
        yield shares(self.pvalue) and shares(self.adjusted_pvalue), "p-values must be from 0 to 1"

    @property
    def equal_pvalue(self) -> float:
        """P-value of the hypothesis that the net benefits are equal at all thresholds."""
        return float(np.min(self.adjusted_pvalue))

    def reversed(self) -> "BenefitDifference":
        """The second classifier minus the first."""
        bands = (replace(band, low=-band.high, high=-band.low) for band in (self.pointwise, self.simultaneous))
        return BenefitDifference(-self.value, *self[1:4], *bands)

    def _derived_at(self, _: float) -> dict[str, Any]:
        return {"equal_pvalue": self.equal_pvalue}


def benefit_differences(
    scores: Scores,
    grid: FloatArray,
    prevalence: float | None,
    statistics: Mapping[str, Sequence[Statistic]],
    level: float,
) -> dict[tuple[str, str], BenefitDifference]:
    """The differences of all pairs of classifiers.

    Parameters
    ----------
    scores, grid, prevalence
        The cases, the thresholds, and the prevalence if it is given.
    statistics
        By classifier, the net benefit at each threshold.
    level
        Of the bands.
    """
    samples = {name: Sample(scores, name) for name in statistics}
    by_threshold = [_differences(samples, float(t), prevalence) for t in grid]
    return {
        pair: _difference(
            [differences[pair] for differences in by_threshold],
            _largest(scores, grid, [statistics[name] for name in pair], pair),
            grid,
            level,
        )
        for pair in combinations(statistics, 2)
    }


def _differences(
    samples: Mapping[str, Sample], threshold: float, prevalence: float | None
) -> dict[tuple[str, str], Difference]:
    """The differences at one threshold, as `compare` makes them."""
    net_benefit = measure("net_benefit", threshold=threshold, prevalence=prevalence)
    estimates, covariance, _ = estimate_measure(net_benefit, DEFAULT, samples)
    pairs = combinations(samples, 2)
    return pairwise_differences(estimates, covariance, net_benefit.larger_is_better, dict.fromkeys(pairs))


def _difference(
    differences: Sequence[Difference], largest: LargestZ, grid: FloatArray, level: float
) -> BenefitDifference:
    z = np.array([difference.z_value() for difference in differences])
    critical = largest.critical(level)
    whole = [replace(difference, critical=lambda _: critical) for difference in differences]
    pointwise = np.array([difference.confidence_interval(level) for difference in differences]).T
    simultaneous = np.array([difference.adjusted_interval(level) for difference in whole]).T
    return BenefitDifference(
        np.array([difference.value for difference in differences]),
        np.array([difference.standard_error for difference in differences]),
        np.array([two_sided(value) for value in z]),
        np.array([largest.adjusted(value) for value in z]),
        Band("pointwise", METHOD, level, grid, *pointwise),
        Band("simultaneous", f"{METHOD}, largest z over the thresholds", level, grid, *simultaneous),
    )


def _largest(
    scores: Scores, grid: FloatArray, statistics: Sequence[Sequence[Statistic]], pair: tuple[str, str]
) -> LargestZ:
    """The distribution of the largest |z| over the thresholds if there is no difference at any of them."""
    first, sizes = _distinct_cases(scores, grid, pair)
    rows = []
    for one, two in zip(*statistics, strict=True):
        values = [influence(sampled_strata(statistic, scores), scores) for statistic in (one, two)]
        rows.append(by_unit(values[0] - values[1], scores)[first])
    matrix = np.array(rows) * np.sqrt(sizes)
    return LargestZ(matrix @ matrix.T)


def _distinct_cases(scores: Scores, grid: FloatArray, pair: tuple[str, str]) -> tuple[IntArray, IntArray]:
    """One case of each set with equal influence values at all thresholds, and the sizes of these sets.

    Of many cases few are distinct: the influence values depend on the class and on the thresholds between which
    the two probabilities lie. Cases with weights, and groups, are taken one by one.
    """
    if scores.sample_weight is not None or scores.units is not None:
        n = len(scores) if scores.units is None else int(scores.units.max()) + 1
        return np.arange(n), np.ones(n, dtype=np.int64)
    keys = scores.codes.astype(np.int64)
    for name in pair:
        values = scores.values[name]
        p = values if values.ndim == 1 else values[:, scores.positive]
        keys = keys * (len(grid) + 1) + np.searchsorted(grid, p, "right")
    _, first, sizes = np.unique(keys, return_index=True, return_counts=True)
    return first, sizes
