"""5x2 cross-validation: Dietterich's t-test and Alpaydin's F-test of pairs of learners on one data set."""

from itertools import combinations
from math import nan, sqrt
from typing import Literal

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.errors import InputError
from polyroc.estimates.multiplicity import Adjustment, adjust
from polyroc.kernels.arrays import FloatArray
from polyroc.studies.summaries.input_tables import Table, fold_table
from polyroc.studies.summaries.paired_tests import NAMES, PairedTest, PairedTests, Procedure, t_ratio
from polyroc.validation.arrays import Missing
from polyroc.validation.signatures import validated

__all__ = ["five_by_two"]

ASSUMES = (
    "Differences over halves of the data are normal, and those of the five repeats independent, which they are "
    "not: all are of the same cases. Of learners trained on half of this data set."
)


@validated
def five_by_two(
    table: Table,
    *,
    statistic: Literal["F", "t"] = "F",
    adjustment: Adjustment | None = "holm",
    missing: Missing = "raise",
) -> PairedTests:
    """Dietterich's 5x2 cv t-test, or Alpaydin's combined F-test, of each pair of learners on one data set.

    Five repeats of two folds. With the differences d1 and d2 of a repeat, its variance is s^2 = (d1 - d2)^2 / 2.
    Dietterich's t is the first difference of the first repeat divided by the root of the mean s^2, with 5 degrees
    of freedom; it depends on which fold happens to be the first. Alpaydin's F is the sum of all ten d^2 divided by
    twice the sum of the five s^2, with 10 and 5 degrees of freedom; it does not.

    For comparison with papers that use them. Half of the cases train, so the learners are those of half the data;
    `corrected_t` and `compare` with repeats of more folds have more power (docs/examiner.md).

    Parameters
    ----------
    table, missing
        As in `anova`; the folds must be five repeats of two.
    statistic
        "F" or "t".
    adjustment
        Adjustment of the p-values for all pairs: "holm", "bonferroni", "benjamini-hochberg", or None.

    References
    ----------
    Dietterich, Neural Computation 10 (1998) 1895-1923. Alpaydin, Neural Computation 11 (1999) 1885-1892.

    Examples
    --------
    >>> a = [0.83, 0.80, 0.79, 0.85, 0.84, 0.81, 0.82, 0.80, 0.86, 0.83]
    >>> b = [0.79, 0.78, 0.78, 0.80, 0.79, 0.80, 0.76, 0.79, 0.80, 0.78]
    >>> five_by_two({"a": a, "b": b}, statistic="t")
    PairedTests(5x2 t, value on data: a - b 0.0360 (p = 0.169))
    """
    complete, dropped = fold_table(table, missing)
    if len(complete.values) != 10:
        raise InputError(
            "A 5x2 cross-validation has five repeats of two folds, 10 values of each learner, got "
            f"{len(complete.values)}; make them with out_of_fold(cv=2, repeats=5)."
        )
    procedure: Procedure = "5x2 t" if statistic == "t" else "5x2 F"
    compute, degrees = (_t_test, 5.0) if statistic == "t" else (_f_test, nan)
    pairs = list(combinations(range(len(complete.learners)), 2))
    differences = [(complete.values[:, i] - complete.values[:, j]).reshape(5, 2) for i, j in pairs]
    tests = [compute(d) for d in differences]
    adjusted = adjust(np.array([pvalue for _, pvalue in tests]), adjustment).tolist()
    names = [(complete.learners[i], complete.learners[j]) for i, j in pairs]
    by_pair = {
        name: PairedTest(*name, float(d.mean()), nan, degrees, ratio, pvalue, q)
        for name, d, (ratio, pvalue), q in zip(names, differences, tests, adjusted, strict=True)
    }
    where = complete.data_set, complete.measure, complete.learners
    provenance = Provenance({}, NAMES[procedure], dropped=dropped)
    return PairedTests(procedure, *where, by_pair, adjustment, ASSUMES, provenance)


def _variances(d: FloatArray) -> FloatArray:
    """By repeat, the variance of the differences of the two folds."""
    return np.asarray((d[:, 0] - d[:, 1]) ** 2 / 2.0)


def _t_test(d: FloatArray) -> tuple[float, float]:
    from scipy.special import stdtr

    ratio = t_ratio(float(d[0, 0]), sqrt(float(_variances(d).mean())))
    return ratio, 1.0 if ratio == 0 else 2.0 * float(stdtr(5, -abs(ratio)))


def _f_test(d: FloatArray) -> tuple[float, float]:
    from scipy.special import fdtrc

    total = 2.0 * float(_variances(d).sum())
    if not d.any():
        return 0.0, 1.0
    ratio = float((d**2).sum()) / total if total else nan
    return ratio, float(fdtrc(10, 5, ratio))
