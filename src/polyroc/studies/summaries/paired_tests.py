"""Paired tests of all pairs of learners: corrected t over folds, Wilcoxon's signed-rank test over data sets."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import floor, isnan, nan, sqrt
from statistics import NormalDist
from typing import Any, ClassVar, Literal

import numpy as np

from polyroc._results.invariants import Invariants, at_least, ordered, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import plain
from polyroc.estimates.intervals import ConfidenceInterval, student_interval
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import number_text, p_text
from polyroc.studies.summaries.input_tables import Table, Tables, means_of
from polyroc.studies.summaries.pairwise import OVERLAP, PairwiseSummary, fold_differences
from polyroc.validation.arguments import checked_level
from polyroc.validation.arrays import Missing
from polyroc.validation.signatures import validated

__all__ = [
    "EXACT",
    "PairedTest",
    "PairedTests",
    "corrected_t",
    "hodges_lehmann",
    "null_counts",
    "t_ratio",
    "walsh_interval",
    "wilcoxon",
]


Procedure = Literal["corrected t", "wilcoxon", "5x2 t", "5x2 F"]
NAMES = {
    "5x2 t": "Dietterich's 5x2 cv t-test",
    "5x2 F": "Alpaydin's combined 5x2 cv F-test",
    "corrected t": "Nadeau & Bengio's corrected resampled t",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
EXACT = 200  # differences up to which the null distribution is exact; beyond, a normal approximation
SYMMETRIC = "Data sets are independent, and the differences on them symmetric about one centre; no normality."


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The difference of two learners, with its test.

    Attributes
    ----------
    first, second
        The learners; values are first minus second.
    value
        The mean difference over folds; or, over data sets, the centre of the differences (Hodges & Lehmann).
    standard_error, df
        Standard error of the mean difference and its degrees of freedom; nan for signed ranks and F. 5x2
        cross-validation has no standard error.
    statistic
        Student's t; the sum of the ranks of positive differences; or F.
    pvalue, adjusted_pvalue
        Two-sided p-value of no difference; the latter adjusted for all pairs.
    differences
        The differences on the data sets; empty for folds.
    """

    first: str
    second: str
    value: float
    standard_error: float
    df: float
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    differences: tuple[float, ...] = ()

    def _invariants(self) -> Invariants:
        yield self.first != self.second, "first and second must differ"
        yield at_least([self.standard_error, self.df], 0), "standard_error and df must be 0 or more"
        yield shares([self.pvalue, self.adjusted_pvalue]), "p-values must be from 0 to 1"
        yield ordered(self.pvalue, self.adjusted_pvalue), "an adjusted p-value is not below the p-value"

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval at a level, not adjusted for other pairs; (nan, nan) if the level needs more data sets."""
        if self.differences:
            return walsh_interval(np.array(self.differences), level)
        return student_interval(self.value, self.standard_error, self.df, level)

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}

    @property
    def _reversed_ratio(self) -> float:
        """The statistic with the learners exchanged: -t, but the same F, which has no single df."""
        return self.statistic if isnan(self.df) else -self.statistic

    def reversed(self) -> "PairedTest":
        """The same pair with the learners exchanged."""
        nonzero = sum(1 for difference in self.differences if difference)
        statistic = nonzero * (nonzero + 1) / 2 - self.statistic if self.differences else self._reversed_ratio
        differences = tuple(-difference for difference in self.differences)
        return replace(
            self,
            first=self.second,
            second=self.first,
            value=-self.value,
            statistic=statistic,
            differences=differences,
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairedTests(PairwiseSummary[PairedTest]):
    """Paired tests of all pairs of learners.

    Attributes
    ----------
    procedure
        "corrected t", "5x2 t" or "5x2 F" (over the folds of one data set) or "wilcoxon" (over data sets).
    data_set, measure
        Name of the data set and key of the measure.
    learners
        The learners.
    tests
        By pair of learners, in order.
    adjustment
        How the p-values were adjusted: "holm", "bonferroni", "benjamini-hochberg" or None.
    assumes
        Assumptions of the p-values.
    provenance
        Method, number of folds or data sets left out, version.
    """

    NAMES: ClassVar = NAMES

    procedure: Procedure
    tests: Mapping[tuple[str, str], PairedTest]
    adjustment: Adjustment | None
    assumes: str
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield from PairwiseSummary._invariants(self)
        named = all((test.first, test.second) == pair for pair, test in self.tests.items())
        yield named and {name for pair in self.tests for name in pair} <= {*self.learners}, "names must agree"
        lengths = {len(test.differences) for test in self.tests.values()}
        yield len(lengths) <= 1, "all tests must have as many differences"

    @property
    def by_pair(self) -> Mapping[tuple[str, str], PairedTest]:
        """The tests by pair of learners."""
        return self.tests

    def __repr__(self) -> str:
        shown = [
            f"{a} - {b} {number_text(test.value)} ({p_text(test.adjusted_pvalue)})"
            for (a, b), test in self.tests.items()
        ]
        more = "; ..." if len(shown) > 6 else ""
        return f"PairedTests({self.procedure}, {self.measure} on {self.data_set}: {'; '.join(shown[:6])}{more})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair."""
        return [self._row(test, level) for test in self.tests.values()]

    def _row(self, test: PairedTest, level: float) -> dict[str, Any]:
        low, high = test.confidence_interval(level)
        return {
            "first": test.first,
            "second": test.second,
            "difference": test.value,
            "standard_error": plain(test.standard_error),
            "low": plain(low),
            "high": plain(high),
            "level": level,
            "statistic": plain(test.statistic),
            "df": plain(test.df),
            "pvalue": plain(test.pvalue),
            "adjusted_pvalue": plain(test.adjusted_pvalue),
        }


@validated
def corrected_t(
    table: Table,
    *,
    train_size: float | None = None,
    test_size: float | None = None,
    adjustment: Adjustment | None = "holm",
    missing: Missing = "raise",
) -> PairedTests:
    """Nadeau & Bengio's corrected resampled t-test of each pair of learners on one data set.

    Training sets overlap, so the differences of n folds vary less than those of independent training sets would.
    Therefore their variance s^2 is not simply divided by n:

        t = mean difference / sqrt((1 / n + test / train) s^2),   n - 1 degrees of freedom

    with the numbers of test and training cases of a fold. For k folds test / train is 1 / (k - 1); with repeats n
    counts the folds of all repeats (Bouckaert & Frank 2004).

    Parameters
    ----------
    table, missing
        As in `anova`.
    train_size, test_size
        Sizes of one training and one test set; by default those of the `FoldTable`.
    adjustment
        Adjustment of the p-values for all pairs: "holm", "bonferroni", "benjamini-hochberg", or None.

    References
    ----------
    Nadeau & Bengio, Machine Learning 52 (2003) 239-281. Bouckaert & Frank, PAKDD (2004) 3-12.

    Examples
    --------
    >>> corrected_t({"a": [0.8, 0.9, 0.7], "b": [0.7, 0.7, 0.6]}, train_size=20, test_size=10)
    PairedTests(corrected t, value on data: a - b 0.1333 (p = 0.127))
    """
    from scipy.special import stdtr

    differences = fold_differences(table, train_size, test_size, missing)
    t = np.array([t_ratio(d, error) for d, error in zip(differences.means, differences.errors, strict=True)])
    pvalues = np.where(t == 0, 1.0, 2 * stdtr(differences.df, -np.abs(t)))
    adjusted = adjust(pvalues, adjustment).tolist()
    columns = zip(
        differences.pairs,
        differences.means,
        differences.errors,
        t.tolist(),
        pvalues.tolist(),
        adjusted,
        strict=True,
    )
    tests = {(a, b): PairedTest(a, b, d, e, differences.df, t, p, q) for (a, b), d, e, t, p, q in columns}
    table = differences.table
    provenance = Provenance({}, NAMES["corrected t"], dropped=differences.dropped)
    where = table.data_set, table.measure, table.learners
    return PairedTests("corrected t", *where, tests, adjustment, OVERLAP, provenance)


def t_ratio(difference: float, error: float) -> float:
    """Student's t: 0 if the difference is 0, nan if only the standard error is."""
    return 0.0 if difference == 0 else difference / error if error else nan


@validated
def wilcoxon(tables: Tables, *, adjustment: Adjustment | None = "holm", missing: Missing = "raise") -> PairedTests:
    """Wilcoxon's signed-rank test of each pair of learners over data sets (Demsar 2006, Benavoli et al. 2016).

    The nonzero differences of the means over folds are ranked by absolute value; the statistic is the sum of the
    ranks of the positive ones. Its null distribution is exact, with ties too, for up to 200 data sets. Unlike with
    Nemenyi's test, the result for a pair depends on the other learners only through the adjustment.

    Parameters
    ----------
    tables, missing
        As in `friedman`.
    adjustment
        Adjustment of the p-values for all pairs: "holm", "bonferroni", "benjamini-hochberg", or None.

    References
    ----------
    Wilcoxon, Biometrics Bulletin 1 (1945) 80-83. Benavoli, Corani & Mangili, Journal of Machine Learning Research
    17 (2016) 1-10.

    Examples
    --------
    >>> wilcoxon({"a": [0.9, 0.8, 0.7, 0.9, 0.8], "b": [0.8, 0.78, 0.65, 0.91, 0.72]})
    PairedTests(wilcoxon, value on 5 data sets: a - b 0.0500 (p = 0.125))
    """
    means = means_of(tables, missing)
    differences = list(means.differences().T)
    results = [_signed_rank(of_pair) for of_pair in differences]
    adjusted = adjust(np.array([pvalue for _, pvalue in results]), adjustment).tolist()
    tests = {
        pair: PairedTest(*pair, hodges_lehmann(of_pair), nan, nan, statistic, p, q, tuple(of_pair.tolist()))
        for pair, of_pair, (statistic, p), q in zip(means.pairs, differences, results, adjusted, strict=True)
    }
    where = f"{len(means.data_sets)} data sets", means.measure, means.learners
    provenance = Provenance({}, NAMES["wilcoxon"], dropped=means.dropped)
    return PairedTests("wilcoxon", *where, tests, adjustment, SYMMETRIC, provenance)


def _signed_rank(differences: FloatArray) -> tuple[float, float]:
    """The sum of the ranks of positive differences, and its two-sided p-value."""
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as scipy_wilcoxon

    d = differences[differences != 0]
    ranks = rankdata(np.abs(d))
    positive = float(ranks[d > 0].sum())
    if len(d) > EXACT:
        return positive, float(scipy_wilcoxon(d, method="approx").pvalue)
    counts = null_counts(ranks)
    smaller = round(2 * min(positive, float(ranks.sum()) - positive))
    return positive, min(1.0, 2 * float(counts[: smaller + 1].sum()))


def null_counts(ranks: FloatArray) -> FloatArray:
    """P(2 T = 0, 1, 2 ...) for the sum T of the ranks of positive differences under random signs.

    Exact with ties too: ranks are multiples of 1/2, so twice their sum is a whole number. Each rank is added with
    probability 1/2, which is a convolution with two points.

    >>> null_counts(np.array([1.0, 2.0]))
    array([0.25, 0.  , 0.25, 0.  , 0.25, 0.  , 0.25])
    """
    doubled = np.round(2 * ranks).astype(np.int64)
    probabilities = np.zeros(int(doubled.sum()) + 1)
    probabilities[0] = 1.0
    for rank in doubled:
        probabilities[rank:] = probabilities[rank:] + probabilities[: len(probabilities) - rank]
        probabilities /= 2
    return probabilities


def walsh_averages(differences: FloatArray) -> FloatArray:
    """The sorted means of all pairs of differences, including each difference with itself."""
    i, j = np.triu_indices(len(differences))
    return np.sort((differences[i] + differences[j]) / 2)


def hodges_lehmann(differences: FloatArray) -> float:
    """The median of the Walsh averages: an estimate of the centre of symmetry.

    >>> hodges_lehmann(np.array([0.0, 1.0, 5.0]))
    1.75
    """
    return float(np.median(walsh_averages(differences)))


def walsh_interval(differences: FloatArray, level: float = 0.95) -> ConfidenceInterval:
    """Confidence interval of the centre of symmetry: the values that the signed-rank test does not reject.

    Between the c-th smallest and the c-th largest Walsh average, where P(T < c) is at most (1 - level) / 2
    (Hollander & Wolfe); (nan, nan) if there are too few differences for the level.

    >>> walsh_interval(np.array([-0.5, 0.2, 0.6, 1.1, 1.6, 2.5, 3.0]))
    ConfidenceInterval(low=0.04..., high=2.5)
    """
    checked_level(level)
    n, tail = len(differences), (1 - level) / 2
    if n <= EXACT:
        below = np.cumsum(null_counts(np.arange(1.0, n + 1))[::2])  # P(T <= 0), P(T <= 1) ...
        c = int(np.searchsorted(below, tail, "right"))
    else:
        c = floor(n * (n + 1) / 4 + NormalDist().inv_cdf(tail) * sqrt(n * (n + 1) * (2 * n + 1) / 24))
    if c < 1:
        return ConfidenceInterval(nan, nan)
    averages = walsh_averages(differences)
    return ConfidenceInterval(float(averages[c - 1]), float(averages[-c]))
