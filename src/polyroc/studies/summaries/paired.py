"""Pairs of learners: the corrected resampled t over folds, Wilcoxon's signed-rank test over data sets."""

from math import nan

import numpy as np

from polyroc._normalise import Missing
from polyroc.kernels.arrays import FloatArray
from polyroc.results import Provenance
from polyroc.results.paired_tests import NAMES, PairedTest, PairedTests
from polyroc.results.signed_ranks import EXACT, hodges_lehmann, null_counts
from polyroc.results.simultaneous import Adjustment, adjust
from polyroc.studies.summaries.overlap import OVERLAP, fold_differences
from polyroc.studies.summaries.tables import Table, Tables, means_of

__all__ = ["corrected_t", "wilcoxon"]

SYMMETRIC = "Data sets are independent, and the differences on them symmetric about one centre; no normality."


def corrected_t(
    table: Table,
    *,
    train_size: float | None = None,
    test_size: float | None = None,
    adjustment: Adjustment | None = "holm",
    missing: Missing = "refuse",
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
    t = np.array([_ratio(d, error) for d, error in zip(found.means, found.errors, strict=True)])
    pvalues = np.where(t == 0, 1.0, 2 * stdtr(found.df, -np.abs(t)))
    adjusted = adjust(pvalues, adjustment).tolist()
    columns = zip(found.pairs, found.means, found.errors, t.tolist(), pvalues.tolist(), adjusted, strict=True)
    tests = {(a, b): PairedTest(a, b, d, e, found.df, t, p, q) for (a, b), d, e, t, p, q in columns}
    table = found.table
    provenance = Provenance({}, NAMES["corrected t"], dropped=found.dropped)
    where = table.data_set, table.measure, table.learners
    return PairedTests("corrected t", *where, tests, adjustment, OVERLAP, provenance)


def _ratio(difference: float, error: float) -> float:
    """Student's t: 0 if nothing differs, nan if there is no error to divide by."""
    return 0.0 if difference == 0 else difference / error if error else nan


def wilcoxon(
    tables: Tables, *, adjustment: Adjustment | None = "holm", missing: Missing = "refuse"
) -> PairedTests:
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
