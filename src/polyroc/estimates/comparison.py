"""The comparison of several classifiers by one measure: differences of all pairs, omnibus test, contrasts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from math import nan, sqrt
from typing import Any, Self, get_args

import numpy as np

from polyroc._results.codec import NOT_STORED
from polyroc._results.invariants import Invariants, at_least, is_covariance, shares
from polyroc._results.result import Result
from polyroc.errors import DegenerateComparisonWarning, InputError, warn
from polyroc.estimates.bootstrap_intervals import acceleration, difference_of_replicates
from polyroc.estimates.difference import DELONGS_TEST, SCORE_TEST, Difference, difference_record, region_of
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.hypothesis_tests import ROUNDING_VARIANCE, Wald, two_sided, wald
from polyroc.estimates.multiplicity import INTERVALS, Adjustment, MaxT, adjusted_pvalues, critical_value
from polyroc.estimates.tables import comparison_table, score_notes
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import short_repr
from polyroc.output.numbers import number_text, p_text
from polyroc.output.tables import Table
from polyroc.validation.signatures import validated

__all__ = [
    "NAMES",
    "Comparison",
    "accelerations_of",
    "adjusted_comparison",
    "compare_estimates",
    "pairwise_differences",
]

NAMES: Mapping[Adjustment | None, str | None] = {
    "max-t": "max-t adjustment",
    "holm": "Holm's adjustment",
    "bonferroni": "Bonferroni's adjustment",
    "benjamini-hochberg": "Benjamini & Hochberg's adjustment",
    None: None,
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Result):
    """Several classifiers compared by one measure.

    Attributes
    ----------
    estimates
        By classifier.
    covariance
        Of the estimates, in the same order.
    statistic, pvalue
        The test that all are equal: the largest absolute difference / standard error of the pairs (nan if one has
        no standard error), and the smallest p-value adjusted by "max-t" (see `MaxT`), which rejects if and only if
        some pair differs. For two classifiers it is the p-value of their difference.
    differences
        By pair of classifiers, in order.
    adjustment
        The adjustment of the p-values of the pairs: "max-t", "holm", "bonferroni", "benjamini-hochberg" or None.
    max_t
        The distribution of the largest absolute z if all are equal.
    """

    estimates: Mapping[str, Estimate]
    covariance: FloatArray
    statistic: float
    pvalue: float
    differences: Mapping[tuple[str, str], Difference]
    adjustment: Adjustment | None
    max_t: MaxT = field(metadata=NOT_STORED)

    def _invariants(self) -> Invariants:
        names = [*self.estimates]
        yield len(names) >= 2, "a comparison has two or more estimates"
        # An unbiased variance may be negative; its standard error is then nan.
        undefined = np.isnan([estimate.standard_error for estimate in self.estimates.values()])
        covariance = is_covariance(self.covariance, undefined)
        yield covariance, "covariance must be symmetric, variances 0 or more"
        yield at_least(self.statistic, 0) and shares(self.pvalue), "pvalue must be from 0 to 1"
        yield [*self.differences] == [*combinations(names, 2)], "there must be a difference for every pair"
        yield all(estimate.classifier == name for name, estimate in self.estimates.items()), "names must agree"
        yield len({estimate.measure for estimate in self.estimates.values()}) == 1, "measures must agree"

    def __post_init__(self) -> None:
        # `critical` does not refer to this object: with a reference cycle, the data of the estimates would stay in
        # memory until the next garbage collection.
        pvalues = [difference.pvalue for difference in self.differences.values()]
        facts: dict[str, Any] = {"critical": partial(critical_value, pvalues, self.adjustment, self.max_t)}
        if len(pvalues) > 1:
            facts |= {"adjustment": NAMES[self.adjustment], "interval_kind": INTERVALS[self.adjustment]}
        differences = {pair: replace(difference, **facts) for pair, difference in self.differences.items()}
        object.__setattr__(self, "differences", differences)

    @property
    def measure(self) -> str:
        """The measure of the comparison."""
        return next(iter(self.estimates.values())).measure

    def __repr__(self) -> str:
        shown = ", ".join(f"{name} {number_text(e.value, unit=e.unit)}" for name, e in self.estimates.items())
        return f"Comparison({self.measure}: {shown}; all equal: {p_text(self.pvalue)})"

    @validated
    def difference(self, first: str, second: str) -> Difference:
        """First minus second."""
        for name in (first, second):
            if name not in self.estimates:
                known = ", ".join(map(repr, self.estimates))
                raise InputError(f"There is no classifier {name!r}; there are {known}.")
        if (first, second) in self.differences:
            return self.differences[first, second]
        if first == second:
            raise InputError(f"A difference needs two classifiers, got {first!r} twice.")
        return self.differences[second, first].reversed()

    @validated
    def contrast(self, weights: Sequence[float] | Sequence[Sequence[float]]) -> Wald:
        """Test that weighted sums of the estimates are zero.

        Parameters
        ----------
        weights
            One row per sum, or a single row: one weight per classifier, adding up to zero.
        """
        try:
            matrix = np.atleast_2d(np.asarray(weights, dtype=np.float64))
        except ValueError:
            raise InputError(f"The rows of weights must be equally long, got {short_repr(weights)}.") from None
        if matrix.ndim != 2 or matrix.shape[1] != len(self.estimates) or not np.isfinite(matrix).all():
            raise InputError(
                f"Contrasts must be rows of {len(self.estimates)} finite weights, one per classifier, "
                f"got shape {matrix.shape}."
            )
        if np.abs(matrix.sum(axis=1)).max() > 1e-9 * np.abs(matrix).max():
            raise InputError(f"The weights of a contrast must add up to zero, got {matrix.sum(axis=1).tolist()}.")
        estimates = self.estimates.values()
        fewest = min(estimate.fewest for estimate in estimates)
        test = wald(np.array([float(e) for e in estimates]), self.covariance, matrix, fewest - 1.0)
        if np.isnan(test.pvalue):
            warn(
                f"The contrast of {len(matrix)} rows has no p-value (nan): the smallest class, {fewest:g} cases, "
                "is too small for so many rows, or a classifier is perfect or constant. Use fewer rows, or the "
                "pairwise differences, which have p-values.",
                DegenerateComparisonWarning,
            )
        return test

    @property
    def is_adjusted(self) -> bool:
        """True if there are several pairs, whose p-values and intervals are adjusted for their number."""
        return self.adjustment is not None and len(self.differences) > 1

    def conclusion(self, level: float = 0.95) -> list[str]:
        """The comparison in plain sentences, one per pair, with the intervals that belong to the adjustment.

        A classifier whose interval is below chance is named first, and in each conclusion that another is better
        than it: its score may be reversed.
        """
        target = next(iter(self.estimates.values())).provenance.target
        sentences = score_notes(self.estimates.values(), level)
        sentences += [difference.sentence(level) for difference in self.differences.values()]
        return sentences if target is None else [*sentences, target]

    def to_table(self, level: float = 0.95, *, margin: float | None = None) -> Table:
        """The pairs as a table of text; with a margin, also tests of non-inferiority and equivalence."""
        return comparison_table(self, level, margin)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair, with its adjusted p-value and the interval beside it, named by its kind."""
        return [
            {
                "measure": self.measure,
                **difference_record(difference, level),
                **difference.adjusted_record(level),
                "test": difference.test,
                "wald_pvalue": difference.wald_test(),
                "adjustment": self.adjustment,
                "larger_is_better": difference.larger_is_better,
            }
            for difference in self.differences.values()
        ]

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"conclusion": self.conclusion(level)}

    @classmethod
    def _from_fields(cls, fields: dict[str, Any]) -> Self:
        """Rebuild the regions and the replicates of the differences, which follow from the estimates."""
        estimates, covariance = fields["estimates"], fields["covariance"]
        stored: dict[tuple[str, str], Difference] = fields["differences"]
        first, *_ = stored.values()
        accelerations = {
            pair: None if difference.resampled is None else difference.resampled.acceleration
            for pair, difference in stored.items()
        }
        rebuilt = pairwise_differences(estimates, covariance, first.larger_is_better, accelerations, first.test)
        differences = {
            pair: replace(
                difference,
                pvalue=stored[pair].pvalue,
                adjusted_pvalue=stored[pair].adjusted_pvalue,
                stretch=stored[pair].stretch,
            )
            for pair, difference in rebuilt.items()
        }
        for pair, difference in rebuilt.items():
            if not np.isclose(difference.value, stored[pair].value, rtol=1e-9, atol=1e-9, equal_nan=True):
                raise InputError(
                    f"Comparison: the difference of {pair} is not that of the estimates; it is damaged."
                )
        max_t = MaxT(covariance)
        return cls(**{**fields, "differences": differences, "max_t": max_t})


def pairwise_differences(
    estimates: Mapping[str, Estimate],
    covariance: FloatArray,
    larger_is_better: bool,
    accelerations: Mapping[tuple[str, str], float | None] | None = None,
    test: str = SCORE_TEST,
) -> dict[tuple[str, str], Difference]:
    """The difference of every pair of classifiers, without p-values.

    Parameters
    ----------
    estimates, covariance
        By classifier; of the estimates, in the same order.
    larger_is_better
        False for a cost.
    accelerations
        By pair: BCa's acceleration of the difference, if the method resamples.
    test
        The test of the difference, in words.
    """
    differences = {}
    for i, j in combinations(range(len(estimates)), 2):
        pair = tuple(estimates)[i], tuple(estimates)[j]
        first, second = (estimates[name] for name in pair)
        variance = _variance_of_difference(covariance, i, j)
        low, high = first.limits
        region = region_of(first, second, variance, test)
        differences[pair] = Difference(
            *pair,
            value=first.value - second.value,
            standard_error=sqrt(variance),
            limits=(low - high, high - low),
            pvalue=nan,
            adjusted_pvalue=nan,
            larger_is_better=larger_is_better,
            resampled=difference_of_replicates(first.resampled, second.resampled, (accelerations or {}).get(pair)),
            test=region.test if test == SCORE_TEST else test,
            region=region,
            df=None if test == DELONGS_TEST else _degrees_of_freedom(first, second),
        )
    return differences


def _degrees_of_freedom(first: Estimate, second: Estimate) -> float | None:
    """Return the degrees of freedom of a difference: twice Satterthwaite's for components that vary alike.

    The class sizes are scaled so that the smallest is the effective one. Student's quantile is for a mean and its
    variance that are independent. Here a case that makes a difference large makes its variance large as well, and
    the quantile of one sample is too large; the factor was chosen by simulation (docs/intervals.md). Degrees of
    freedom of a cross-validation, or of a range without limits, are taken as they are.
    """
    fixed = [df for df in (first.df, second.df) if df is not None]
    if fixed or (first.resampled is not None and first.resampled.kind != "guarded"):
        return min(fixed, default=None)
    pairs = [(e.standard_error**2, _satterthwaite(e.fewest, e.provenance.cases.values())) for e in (first, second)]
    if any(df is None for _, df in pairs):
        return None
    total = sum(variance for variance, _ in pairs)
    if not total > 0:
        return 2.0 * min(df for _, df in pairs if df is not None)
    return 2.0 * total / sum(variance / df for variance, df in pairs if df is not None)


def _satterthwaite(fewest: float, cases: Iterable[int]) -> float | None:
    """Return the degrees of freedom of a sum of variances that are inversely proportional to the class sizes."""
    if not fewest > 1.0:
        return None
    present = np.array([size for size in cases if size > 0] or [1])
    sizes = fewest * present / present.min()
    return float((1.0 / sizes).sum() ** 2 / (1.0 / (sizes**2 * (sizes - 1.0))).sum())


def compare_estimates(
    estimates: Mapping[str, Estimate],
    covariance: FloatArray,
    accelerations: Mapping[tuple[str, str], float | None],
    larger_is_better: bool,
    adjustment: Adjustment | None,
    test: str = SCORE_TEST,
) -> Comparison:
    """The differences of all pairs, their adjusted p-values, and the test that all are equal.

    Parameters
    ----------
    estimates, covariance
        By name; of the estimates, in the same order.
    accelerations
        By pair: BCa's acceleration of the difference, if the method resamples.
    larger_is_better
        False for a cost.
    adjustment
        Of the p-values of the pairs.
    test
        The test of the differences, in words.
    """
    if adjustment not in (*get_args(Adjustment), None):
        known = ", ".join(map(repr, get_args(Adjustment)))
        raise InputError(f"adjustment must be {known} or None, got {adjustment!r}.")
    differences = pairwise_differences(estimates, covariance, larger_is_better, accelerations, test)
    z = {pair: difference.z_value() for pair, difference in differences.items()}
    tested = {pair: replace(one, pvalue=two_sided(z[pair])) for pair, one in differences.items()}
    return adjusted_comparison(estimates, covariance, tested, z, adjustment)


def adjusted_comparison(
    estimates: Mapping[str, Estimate],
    covariance: FloatArray,
    differences: Mapping[tuple[str, str], Difference],
    z: Mapping[tuple[str, str], float],
    adjustment: Adjustment | None,
) -> Comparison:
    """The comparison with adjusted p-values and the test that all are equal, from the z of each pair."""
    max_t = MaxT(covariance)
    adjusted = adjusted_pvalues(np.array(list(z.values())), adjustment, max_t)
    largest = float(np.max(np.abs(list(z.values()))))  # nan if a value is undefined
    return Comparison(
        estimates=estimates,
        covariance=covariance,
        statistic=float(np.max([abs(one.wald_z) for one in differences.values()])),
        pvalue=max_t.adjusted(largest),
        differences={
            pair: replace(difference, adjusted_pvalue=float(p))
            for (pair, difference), p in zip(differences.items(), adjusted, strict=True)
        },
        adjustment=adjustment,
        max_t=max_t,
    )


def accelerations_of(estimates: Mapping[str, Estimate], influence: FloatArray) -> dict[tuple[str, str], float]:
    """By pair, BCa's acceleration of its difference, from the influence values at [estimate, unit]."""
    return {
        (a, b): acceleration(influence[i] - influence[j])
        for (i, a), (j, b) in combinations(enumerate(estimates), 2)
    }


def _variance_of_difference(covariance: FloatArray, i: int, j: int) -> float:
    """The variance of estimate i minus estimate j; 0 if it is only rounding."""
    own = float(covariance[i, i] + covariance[j, j])
    variance = own - 2.0 * float(covariance[i, j])
    return 0.0 if variance <= ROUNDING_VARIANCE * own else variance
