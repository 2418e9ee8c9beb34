"""Differences over folds whose training sets overlap: Nadeau & Bengio's standard error."""

from itertools import combinations
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from polyroc.errors import DegenerateComparisonWarning, InputError, warn
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.kernels.arrays import FloatArray
from polyroc.results.provenance import Provenance
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries.input_tables import Table, Tables, fold_table, means_of
from polyroc.studies.summaries.paired_tests import (
    EXACT,
    NAMES,
    PairedTest,
    PairedTests,
    hodges_lehmann,
    null_counts,
)
from polyroc.validation.arrays import Missing

__all__ = ["OVERLAP", "FoldDifferences", "corrected_t", "fold_differences", "wilcoxon"]


UNIT = 1e-12  # of the largest value: a smaller difference is rounding
OVERLAP = (
    "Differences over folds are normal, and those of two folds correlated by test / (test + train) cases, Nadeau "
    "& Bengio's guess for training sets that overlap. Of this data set only."
)


class FoldDifferences(NamedTuple):
    """First minus second of each pair of learners, and what Student's t needs of it.

    Attributes
    ----------
    table
        The complete folds.
    pairs
        Of learners, in order.
    means, errors
        Of the differences over folds; an error of 0 is no spread at all.
    df, dropped
        Degrees of freedom; folds that were left out.
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
    """Mean differences and their errors sqrt((1 / n + test / train) s^2) over n folds."""
    whole, dropped = fold_table(table, missing)
    ratio = _ratio(whole, train_size, test_size)
    n, c = whole.values.shape
    i, j = np.triu_indices(c, 1)
    each = whole.values[:, i] - whole.values[:, j]
    means, variances = each.mean(axis=0), each.var(axis=0, ddof=1)
    rounding = UNIT * np.abs(whole.values).max()
    errors = np.sqrt(np.where(variances > rounding**2, variances, 0.0) * (1 / n + ratio))
    means = np.where((errors == 0) & (np.abs(means) <= rounding), 0.0, means)
    pairs = list(combinations(whole.learners, 2))
    found = FoldDifferences(whole, pairs, means.tolist(), errors.tolist(), n - 1, dropped)
    _warn_of_no_spread(found)
    return found


def _ratio(table: FoldTable, train_size: float | None, test_size: float | None) -> float:
    train = table.train_size if train_size is None else train_size
    test = table.test_size if test_size is None else test_size
    if not (isfinite(train) and isfinite(test) and train > 0 and test > 0):
        raise InputError(
            "The correction for overlapping training sets needs the cases of one training and one test set, got "
            f"train_size={train!r}, test_size={test!r}; of k folds of N cases they are N (k - 1) / k and N / k."
        )
    return test / train


def _warn_of_no_spread(found: FoldDifferences) -> None:
    bare = [
        f"{a} and {b}"
        for (a, b), d, error in zip(found.pairs, found.means, found.errors, strict=True)
        if error == 0 and d != 0
    ]
    if bare:
        more = f" and {len(bare) - 3} more pairs" if len(bare) > 3 else ""
        warn(
            f"The difference between {'; '.join(bare[:3])}{more} is the same in every fold, so it has no p-value "
            "(nan); use more folds or cases.",
            DegenerateComparisonWarning,
        )


SYMMETRIC = "Data sets are independent, and the differences on them symmetric about one centre; no normality."


def corrected_t(
    table: Table,
    *,
    train_size: float | None = None,
    test_size: float | None = None,
    adjustment: Adjustment | None = "holm",
    missing: Missing = "raise",
) -> PairedTests:
    """Nadeau & Bengio's corrected resampled t-test of each pair of learners on one data set.

    The differences of n folds vary less than those of new training sets would, since training sets overlap. So
    their variance s^2 is not divided by n alone:

        t = mean difference / sqrt((1 / n + test / train) s^2),   n - 1 degrees of freedom

    with the cases of one test fold and of what was trained on. For k folds test / train is 1 / (k - 1); with
    repeats n counts the folds of all of them (Bouckaert & Frank 2004).

    Parameters
    ----------
    table, missing
        As in `anova`.
    train_size, test_size
        Cases of one training and one test set; a `FoldTable` knows them.
    adjustment
        Of the p-values of all pairs: "holm", "bonferroni", "benjamini-hochberg", or None.

    References
    ----------
    Nadeau & Bengio, Machine Learning 52 (2003) 239-281. Bouckaert & Frank, PAKDD (2004) 3-12.

    Examples
    --------
    >>> found = corrected_t({"a": [0.8, 0.9, 0.7], "b": [0.7, 0.7, 0.6]}, train_size=20, test_size=10)
    >>> found
    PairedTests(corrected t, value on data: a - b 0.1333 (p = 0.127))
    """
    from scipy.special import stdtr

    found = fold_differences(table, train_size, test_size, missing)
    t = np.array([_t_ratio(d, error) for d, error in zip(found.means, found.errors, strict=True)])
    pvalues = np.where(t == 0, 1.0, 2 * stdtr(found.df, -np.abs(t)))
    adjusted = adjust(pvalues, adjustment).tolist()
    columns = zip(found.pairs, found.means, found.errors, t.tolist(), pvalues.tolist(), adjusted, strict=True)
    tests = {(a, b): PairedTest(a, b, d, e, found.df, t, p, q) for (a, b), d, e, t, p, q in columns}
    table = found.table
    provenance = Provenance({}, NAMES["corrected t"], dropped=found.dropped)
    where = table.data_set, table.measure, table.learners
    return PairedTests("corrected t", *where, tests, adjustment, OVERLAP, provenance)


def _t_ratio(difference: float, error: float) -> float:
    """Student's t: 0 if nothing differs, nan if there is no error to divide by."""
    return 0.0 if difference == 0 else difference / error if error else nan


def wilcoxon(tables: Tables, *, adjustment: Adjustment | None = "holm", missing: Missing = "raise") -> PairedTests:
    """Wilcoxon's signed-rank test of each pair of learners over data sets (Demsar 2006, Benavoli et al. 2016).

    The differences of the means over folds are ranked by size, without those that are zero; the statistic is the
    sum of the ranks of positive ones. Its distribution is counted exactly, with ties too, for up to 200 data sets.
    Unlike Nemenyi's, the verdict on a pair does not depend on the other learners, but for the adjustment.

    Parameters
    ----------
    tables, missing
        As in `friedman`.
    adjustment
        Of the p-values of all pairs: "holm", "bonferroni", "benjamini-hochberg", or None.

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
    tested = [_signed_rank(each) for each in differences]
    adjusted = adjust(np.array([pvalue for _, pvalue in tested]), adjustment).tolist()
    tests = {
        pair: PairedTest(*pair, hodges_lehmann(each), nan, nan, statistic, p, q, tuple(each.tolist()))
        for pair, each, (statistic, p), q in zip(means.pairs, differences, tested, adjusted, strict=True)
    }
    where = f"{len(means.data_sets)} data sets", means.measure, means.learners
    provenance = Provenance({}, NAMES["wilcoxon"], dropped=means.dropped)
    return PairedTests("wilcoxon", *where, tests, adjustment, SYMMETRIC, provenance)


def _signed_rank(differences: FloatArray) -> tuple[float, float]:
    """The sum of the ranks of positive differences, and its two-sided p-value."""
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as approximated

    d = differences[differences != 0]
    ranks = rankdata(np.abs(d))
    positive = float(ranks[d > 0].sum())
    if len(d) > EXACT:
        return positive, float(approximated(d, method="approx").pvalue)
    counts = null_counts(ranks)
    least = round(2 * min(positive, float(ranks.sum()) - positive))
    return positive, min(1.0, 2 * float(counts[: least + 1].sum()))
