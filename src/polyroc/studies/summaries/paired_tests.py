"""Paired tests of all pairs of learners: corrected t over folds, Wilcoxon's signed-rank test over data sets."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, nan
from typing import Any, Literal, NamedTuple

import numpy as np

from polyroc.errors import DegenerateComparisonWarning, InputError, warn
from polyroc.estimates.intervals import ConfidenceInterval, student_interval
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import number_text, p_text
from polyroc.results.invariants import Invariants, at_least, distinct, ordered, shares
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result, plain
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries.input_tables import Table, Tables, fold_table, means_of
from polyroc.studies.summaries.signed_ranks import EXACT, hodges_lehmann, null_counts, walsh_interval
from polyroc.validation.arrays import Missing

__all__ = [
    "OVERLAP",
    "FoldDifferences",
    "PairedTest",
    "PairedTests",
    "corrected_t",
    "fold_differences",
    "wilcoxon",
]

Procedure = Literal["corrected t", "wilcoxon"]
NAMES = {
    "corrected t": "Nadeau & Bengio's corrected resampled t",
    "wilcoxon": "Wilcoxon's signed-rank test",
}
ROUNDING = 1e-12  # relative to the largest value: smaller differences are rounding errors
OVERLAP = (
    "Differences over folds are normal, and those of two folds correlated by test / (test + train) cases, Nadeau "
    "& Bengio's guess for training sets that overlap. Of this data set only."
)
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
        Standard error of the mean difference and its degrees of freedom; nan for signed ranks.
    statistic
        Student's t; or the sum of the ranks of positive differences.
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

    def reversed(self) -> "PairedTest":
        """The same pair with the learners exchanged."""
        nonzero = sum(1 for difference in self.differences if difference)
        statistic = nonzero * (nonzero + 1) / 2 - self.statistic if self.differences else -self.statistic
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
class PairedTests(Result):
    """Paired tests of all pairs of learners.

    Attributes
    ----------
    procedure
        "corrected t" (over the folds of one data set) or "wilcoxon" (over data sets).
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

    procedure: Procedure
    data_set: str
    measure: str
    learners: tuple[str, ...]
    tests: Mapping[tuple[str, str], PairedTest]
    adjustment: Adjustment | None
    assumes: str
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield distinct(self.learners), "learners must be distinct"
        named = all((test.first, test.second) == pair for pair, test in self.tests.items())
        yield named and {name for pair in self.tests for name in pair} <= {*self.learners}, "names must agree"
        lengths = {len(test.differences) for test in self.tests.values()}
        yield len(lengths) <= 1, "all tests must have as many differences"

    @property
    def name(self) -> str:
        """The name of the procedure."""
        return NAMES[self.procedure]

    def __getitem__(self, pair: tuple[str, str]) -> PairedTest:
        if pair in self.tests:
            return self.tests[pair]
        if not isinstance(pair, tuple) or pair[::-1] not in self.tests:
            known = ", ".join(map(repr, self.learners))
            raise InputError(f"There is no pair of learners {pair!r}; give two different ones of {known}.")
        return self.tests[pair[::-1]].reversed()

    def __repr__(self) -> str:
        shown = [
            f"{a} - {b} {number_text(test.value)} ({p_text(test.adjusted_pvalue)})"
            for (a, b), test in self.tests.items()
        ]
        more = "; ..." if len(shown) > 6 else ""
        where = f"{self.measure} on {self.data_set}"
        return f"PairedTests({self.procedure}, {where}: {'; '.join(shown[:6])}{more})"

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


class FoldDifferences(NamedTuple):
    """Mean differences, first minus second, of each pair of learners with their standard errors.

    Attributes
    ----------
    table
        The complete folds.
    pairs
        Of learners, in order.
    means, errors
        Means and standard errors of the differences over folds; the error is 0 if all folds agree.
    df, dropped
        Degrees of freedom; number of folds left out.
    """

    table: FoldTable
    pairs: list[tuple[str, str]]
    means: list[float]
    errors: list[float]
    df: int
    dropped: int


def fold_differences(
    table: Table, train_size: float | None, test_size: float | None, missing: Missing
) -> FoldDifferences:
    """Mean differences over n folds and their standard errors sqrt((1 / n + test / train) s^2)."""
    complete, dropped = fold_table(table, missing)
    ratio = _ratio(complete, train_size, test_size)
    n, c = complete.values.shape
    i, j = np.triu_indices(c, 1)
    differences = complete.values[:, i] - complete.values[:, j]
    means, variances = differences.mean(axis=0), differences.var(axis=0, ddof=1)
    rounding = ROUNDING * np.abs(complete.values).max()
    errors = np.sqrt(np.where(variances > rounding**2, variances, 0.0) * (1 / n + ratio))
    means = np.where((errors == 0) & (np.abs(means) <= rounding), 0.0, means)
    pairs = list(combinations(complete.learners, 2))
    result = FoldDifferences(complete, pairs, means.tolist(), errors.tolist(), n - 1, dropped)
    _warn_of_constant_differences(result)
    return result


def _ratio(table: FoldTable, train_size: float | None, test_size: float | None) -> float:
    train = table.train_size if train_size is None else train_size
    test = table.test_size if test_size is None else test_size
    if not (isfinite(train) and isfinite(test) and train > 0 and test > 0):
        raise InputError(
            "The correction for overlapping training sets needs the sizes of a training and a test set, got "
            f"train_size={train!r}, test_size={test!r}; for k folds of N cases they are N (k - 1) / k and N / k."
        )
    return test / train


def _warn_of_constant_differences(differences: FoldDifferences) -> None:
    constant = [
        f"{a} and {b}"
        for (a, b), d, error in zip(differences.pairs, differences.means, differences.errors, strict=True)
        if error == 0 and d != 0
    ]
    if constant:
        more = f" and {len(constant) - 3} more pairs" if len(constant) > 3 else ""
        warn(
            f"The difference between {'; '.join(constant[:3])}{more} is the same in every fold, so it has no "
            "p-value (nan); use more folds or cases.",
            DegenerateComparisonWarning,
        )


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
    t = np.array([_t_ratio(d, error) for d, error in zip(differences.means, differences.errors, strict=True)])
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


def _t_ratio(difference: float, error: float) -> float:
    """Student's t: 0 if the difference is 0, nan if only the standard error is."""
    return 0.0 if difference == 0 else difference / error if error else nan


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
