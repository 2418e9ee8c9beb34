"""Means and standard deviations over folds, beside SE(W)."""

from collections.abc import Iterable, Mapping, Sequence
from math import nan, sqrt
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.inference.hanley_mcneil import SCALE, area_variance, exponential
from polyroc.kernels.arrays import FloatArray
from polyroc.results import Provenance
from polyroc.results.spread import FoldSpread, Line, Spread
from polyroc.results.wilcoxon_errors import WilcoxonErrors
from polyroc.studies.table import FoldTable

__all__ = ["spread", "wilcoxon_error", "wilcoxon_errors"]

ASSUMES = (
    "SE(W) is the error of one test fold's area with exponential scores, from the mean area and the fold's class "
    "sizes. SD over folds also has the changes of the training sets; the two agree where these are small."
)


EXPONENTIAL = "Scores of both classes are exponential; independent cases."


def spread(
    tables: FoldTable | Sequence[FoldTable],
    *,
    fold_counts: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
) -> Spread:
    """Mean and standard deviation of each learner over folds, beside SE(W) (Bradley 1997, figures 13 and 14).

    Folds without a value are counted, and left out for that learner alone.

    Parameters
    ----------
    tables
        A `FoldTable`, or one for each data set, all of the same measure.
    fold_counts
        Positive and negative cases of one test fold (means if folds differ), by data set or for all; for SE(W) of
        `auc` and `gini`. Without them there is none.

    Examples
    --------
    >>> values = np.array([[0.9, 0.8], [0.7, 0.9]])
    >>> table = FoldTable(values, ("knn", "tree"), ((0, 0), (0, 1)), 20, 20, "a", "auc")
    >>> spread(table, fold_counts=(10, 10))["a", "knn"]
    FoldSpread(data_set='a', learner='knn', folds=2, failed=0, mean=0.8, standard_deviation=0.1414...,
    wilcoxon_error=0.1019...)
    """
    tables = [tables] if isinstance(tables, FoldTable) else list(tables)
    measures = {each.measure for each in tables}
    if len(measures) != 1:
        raise InputError(f"Expected fold tables of one measure, got {', '.join(sorted(measures)) or 'none'}.")
    (measure,) = measures
    found = {
        (table.data_set, learner): _fold_spread(table, learner, values, _counts(fold_counts, table.data_set))
        for table in tables
        for learner, values in zip(table.learners, table.values.T, strict=True)
    }
    provenance = Provenance({}, "standard deviation over folds")
    return Spread(measure, found, _line(found.values()), ASSUMES, provenance)


def _counts(given: Any, data_set: str) -> tuple[float, float] | None:
    counts = given.get(data_set) if isinstance(given, Mapping) else given
    if counts is not None and (len(counts) != 2 or not min(counts) > 0):
        raise InputError(f"fold_counts must be the positive and negative cases of one test fold, got {counts!r}.")
    return counts


def _fold_spread(
    table: FoldTable, learner: str, values: FloatArray, counts: tuple[float, float] | None
) -> FoldSpread:
    known = values[np.isfinite(values)]
    mean = float(known.mean()) if len(known) else nan
    deviation = float(known.std(ddof=1)) if len(known) > 1 else nan
    error = nan if counts is None else wilcoxon_error(table.measure, mean, *counts)
    return FoldSpread(table.data_set, learner, len(known), len(values) - len(known), mean, deviation, error)


def wilcoxon_error(measure: str, value: float, positives: float, negatives: float) -> float:
    """SE(W) of an `auc` or `gini` with these class sizes (Hanley & McNeil 1982); nan for other measures.

    Bradley's (1997) figure 15:

    >>> [round(wilcoxon_error("auc", 0.85, n, n), 5) for n in (20, 50, 100, 200)]
    [0.06238, 0.03905, 0.02752, 0.01943]
    """
    if measure not in SCALE:
        return nan
    area = value if measure == "auc" else (value + 1) / 2
    if not 0 <= area <= 1:
        return nan
    return SCALE[measure] * sqrt(max(0.0, area_variance(area, positives, negatives, *exponential(area))))


def wilcoxon_errors(
    areas: Sequence[float] = (0.75, 0.85, 0.95),
    positives: Sequence[float] = range(10, 201, 5),
    *,
    negatives_per_positive: float = 1.0,
) -> WilcoxonErrors:
    """SE(W) for areas and sizes of a test set (Bradley's figure 15): how many cases a fold should have.

    Parameters
    ----------
    areas
        Areas under the ROC curve.
    positives, negatives_per_positive
        Positive cases of a test set, and how many negative ones come with each.

    Examples
    --------
    >>> wilcoxon_errors([0.85], [20, 50])
    WilcoxonErrors(20 to 50 positives; 0.85: 0.0624 to 0.0391)
    """
    sizes = tuple(map(float, positives))
    others = tuple(negatives_per_positive * n for n in sizes)
    if not areas or not sizes or not min(*sizes, *others) > 0 or not all(0 <= area <= 1 for area in areas):
        raise InputError(
            f"Expected areas between 0 and 1 and positive sizes, got areas={areas!r}, positives={positives!r}, "
            f"negatives_per_positive={negatives_per_positive!r}."
        )
    errors = np.array(
        [[wilcoxon_error("auc", a, n, m) for n, m in zip(sizes, others, strict=True)] for a in areas]
    )
    method = "Hanley & McNeil (1982), exponential"
    return WilcoxonErrors(tuple(map(float, areas)), sizes, others, errors, EXPONENTIAL, Provenance({}, method))


def _line(found: Iterable[FoldSpread]) -> Line | None:
    """The least squares line through the points that have both errors."""
    points = np.array([(each.wilcoxon_error, each.standard_deviation) for each in found])
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 3 or np.ptp(points[:, 0]) == 0 or np.ptp(points[:, 1]) == 0:
        return None
    slope, intercept = np.polyfit(points[:, 0], points[:, 1], 1)
    return Line(float(np.corrcoef(points.T)[0, 1]), float(slope), float(intercept))
