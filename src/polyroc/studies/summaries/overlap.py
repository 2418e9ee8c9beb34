"""Differences over folds whose training sets overlap: Nadeau & Bengio's standard error."""

from itertools import combinations
from math import isfinite
from typing import NamedTuple

import numpy as np

from polyroc._normalise import Missing
from polyroc.errors import DegenerateComparisonWarning, InputError, warn
from polyroc.studies.summaries.tables import Table, fold_table
from polyroc.studies.table import FoldTable

__all__ = ["OVERLAP", "FoldDifferences", "fold_differences"]

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
