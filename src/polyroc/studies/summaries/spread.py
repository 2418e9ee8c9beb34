"""Means and standard deviations over folds, beside Hanley & McNeil's standard error of one fold's area."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite, nan, sqrt
from typing import Any, NamedTuple

import numpy as np

from polyroc._results.codec import STORED_IF_SET
from polyroc._results.invariants import Invariants, at_least, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result, plain
from polyroc.errors import InputError
from polyroc.inference.methods.hanley_mcneil import area_variance, exponential
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.registry import MEASURES
from polyroc.output.numbers import number_text
from polyroc.studies.fold_values import FoldTable
from polyroc.validation.signatures import Positive, Probability, validated

__all__ = ["FoldSpread", "Line", "Spread", "WilcoxonErrors", "spread", "wilcoxon_error", "wilcoxon_errors"]


STORED = ("mean", "standard_deviation", "wilcoxon_error")


@dataclass(frozen=True, slots=True)
class FoldSpread:
    """Mean and standard deviation of one learner on one data set.

    Attributes
    ----------
    data_set, learner
        Names of both.
    folds, failed
        Number of folds with a value, and without one.
    mean, standard_deviation
        Over the folds; SD(theta) in Bradley (1997).
    wilcoxon_error
        SE(W), the standard error of the area of one fold by Hanley & McNeil; nan if the measure is no area, or if
        the class sizes of a fold are not known.
    corrected_error
        Standard error of the mean for new training sets, by Nadeau & Bengio (2003): SD sqrt(1 / folds + test /
        train), because folds share training cases; nan if there is no training set, None in results of earlier
        versions.
    """

    data_set: str
    learner: str
    folds: int
    failed: int
    mean: float
    standard_deviation: float
    wilcoxon_error: float
    corrected_error: float | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        yield at_least([self.folds, self.failed], 0), "folds and failed must be 0 or more"
        corrected = [] if self.corrected_error is None else [self.corrected_error]
        yield at_least([self.standard_deviation, self.wilcoxon_error, *corrected], 0), "errors must be 0 or more"

    @property
    def error_of_mean(self) -> float:
        """SD / sqrt(folds), as if folds were independent; they share training cases, so it is too small.

        Tables show `corrected_error` instead.
        """
        return self.standard_deviation / sqrt(self.folds) if self.folds else nan

    def _derived(self) -> dict[str, Any]:
        return {"error_of_mean": self.error_of_mean}


class Line(NamedTuple):
    """Relation of SD over folds and SE(W): their correlation, and the line SD = intercept + slope SE(W)."""

    correlation: float
    slope: float
    intercept: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Spread(Result):
    """Means and standard deviations of learners over folds, on one or more data sets.

    Attributes
    ----------
    measure
        Key of the measure.
    spreads
        Means and standard deviations by data set and learner.
    line
        The least squares line through SE(W) and SD, as in Bradley's figure 14; None with fewer than three points.
    assumes
        When SD and SE(W) agree.
    provenance
        Method, version.
    """

    measure: str
    spreads: Mapping[tuple[str, str], FoldSpread]
    line: Line | None
    assumes: str
    provenance: Provenance

    @property
    def data_sets(self) -> tuple[str, ...]:
        """The data sets, in order."""
        return tuple(dict.fromkeys(data_set for data_set, _ in self.spreads))

    @property
    def learners(self) -> tuple[str, ...]:
        """The learners, in order."""
        return tuple(dict.fromkeys(learner for _, learner in self.spreads))

    @property
    def has_errors(self) -> bool:
        """Whether any learner has a SE(W)."""
        return any(isfinite(spread.wilcoxon_error) for spread in self.spreads.values())

    def __getitem__(self, key: tuple[str, str]) -> FoldSpread:
        if key not in self.spreads:
            known = ", ".join(map(repr, list(self.spreads)[:6]))
            raise InputError(f"There is no data set and learner {key!r}; there are {known}.")
        return self.spreads[key]

    def __repr__(self) -> str:
        shown = [
            f"{spread.learner} {number_text(spread.mean)} (SD {number_text(spread.standard_deviation)})"
            for spread in self.spreads.values()
        ]
        sets = f"{len(self.data_sets)} data sets" if len(self.data_sets) > 1 else self.data_sets[0]
        return f"Spread({self.measure} on {sets}: {', '.join(shown[:6])}{', ...' if len(shown) > 6 else ''})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per data set and learner."""
        return [
            {
                **asdict(fold_spread),
                **{name: plain(getattr(fold_spread, name)) for name in STORED},
                "corrected_error": None if corrected is None else plain(corrected),
            }
            for fold_spread in self.spreads.values()
            for corrected in [fold_spread.corrected_error]
        ]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WilcoxonErrors(Result):
    """SE(W) by area and size of a test set, as in Bradley's (1997) figure 15.

    Attributes
    ----------
    areas
        Areas under the ROC curve.
    positives, negatives
        Positive and negative cases of a test set, for each size.
    errors
        Areas x sizes.
    assumes
        Assumptions of the errors.
    provenance
        Method, version.
    """

    areas: tuple[float, ...]
    positives: tuple[float, ...]
    negatives: tuple[float, ...]
    errors: FloatArray
    assumes: str
    provenance: Provenance

    def _invariants(self) -> Invariants:
        yield shares(self.areas), "areas must be from 0 to 1"
        yield len(self.positives) == len(self.negatives), "lengths must agree"
        yield sorted(self.errors.shape) == sorted((len(self.areas), len(self.positives))), "errors must fit"
        yield at_least(self.errors, 0) and at_least([*self.positives, *self.negatives], 0), "must be 0 or more"

    def __repr__(self) -> str:
        ends = f"{self.positives[0]:g} to {self.positives[-1]:g} positives"
        lines = zip(self.areas, self.errors, strict=True)
        shown = "; ".join(f"{area:g}: {number_text(e[0])} to {number_text(e[-1])}" for area, e in lines)
        return f"WilcoxonErrors({ends}; {shown})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per area and size."""
        return [
            {"area": area, "positives": n, "negatives": m, "wilcoxon_error": error}
            for area, errors in zip(self.areas, self.errors.tolist(), strict=True)
            for n, m, error in zip(self.positives, self.negatives, errors, strict=True)
        ]


ASSUMES = (
    "SE(W) is the error of one test fold's area with exponential scores, from the mean area and the fold's class "
    "sizes. SD over folds also has the changes of the training sets; the two agree where these are small. SD / "
    "sqrt(folds) (error_of_mean) is too small an error of the mean, because folds share training cases; "
    "corrected_error is Nadeau & Bengio's, SD sqrt(1 / folds + test / train), still too small for many repeats."
)


EXPONENTIAL = "Scores of both classes are exponential; independent cases."


@validated
def spread(
    tables: FoldTable | Sequence[FoldTable],
    *,
    fold_counts: tuple[float, float] | Mapping[str, tuple[float, float]] | None = None,
) -> Spread:
    """Mean and standard deviation of each learner over folds, beside SE(W) (Bradley 1997, figures 13 and 14).

    Folds without a value are counted as failed and left out for that learner only.

    Parameters
    ----------
    tables
        A `FoldTable`, or one for each data set, all of the same measure.
    fold_counts
        Positive and negative cases of one test fold (means if folds differ), by data set or for all. Required for
        SE(W), which exists for `auc` and `gini`.

    Examples
    --------
    >>> values = np.array([[0.9, 0.8], [0.7, 0.9]])
    >>> table = FoldTable(values, ("knn", "tree"), ((0, 0), (0, 1)), 20, 20, "a", "auc")
    >>> spread(table, fold_counts=(10, 10))["a", "knn"]
    FoldSpread(data_set='a', learner='knn', folds=2, failed=0, mean=0.8, standard_deviation=0.1414...,
    wilcoxon_error=0.1019..., corrected_error=0.1732...)
    """
    tables = [tables] if isinstance(tables, FoldTable) else list(tables)
    measures = {table.measure for table in tables}
    if len(measures) != 1:
        raise InputError(f"Expected fold tables of one measure, got {', '.join(sorted(measures)) or 'none'}.")
    (measure,) = measures
    spreads = {
        (table.data_set, learner): _fold_spread(table, learner, values, _counts(fold_counts, table.data_set))
        for table in tables
        for learner, values in zip(table.learners, table.values.T, strict=True)
    }
    provenance = Provenance({}, "standard deviation over folds")
    return Spread(measure, spreads, _line(spreads.values()), ASSUMES, provenance)


def _counts(fold_counts: Any, data_set: str) -> tuple[float, float] | None:
    counts = fold_counts.get(data_set) if isinstance(fold_counts, Mapping) else fold_counts
    if counts is not None and not min(counts) > 0:
        raise InputError(f"fold_counts must be the positive and negative cases of one test fold, got {counts!r}.")
    return counts


def _fold_spread(
    table: FoldTable, learner: str, values: FloatArray, counts: tuple[float, float] | None
) -> FoldSpread:
    known = values[np.isfinite(values)]
    mean = float(known.mean()) if len(known) else nan
    deviation = float(known.std(ddof=1)) if len(known) > 1 else nan
    error = nan if counts is None else _wilcoxon_error(table.measure, mean, *counts)
    ratio = table.test_size / table.train_size if table.train_size > 0 else nan
    corrected = deviation * sqrt(1 / len(known) + ratio) if len(known) > 1 else nan
    failed = len(values) - len(known)
    return FoldSpread(table.data_set, learner, len(known), failed, mean, deviation, error, corrected)


@validated
def wilcoxon_error(measure: str, value: float, positives: Positive, negatives: Positive) -> float:
    """SE(W) of an `auc` or `gini` with these class sizes (Hanley & McNeil 1982); nan for other measures.

    Bradley's (1997) figure 15:

    >>> [round(wilcoxon_error("auc", 0.85, n, n), 5) for n in (20, 50, 100, 200)]
    [0.06238, 0.03905, 0.02752, 0.01943]
    """
    return _wilcoxon_error(measure, value, positives, negatives)


def _wilcoxon_error(measure: str, value: float, positives: float, negatives: float) -> float:
    line = MEASURES[measure].area_line if measure in MEASURES else None
    if line is None:
        return nan
    intercept, slope = line
    return slope * _area_error((value - intercept) / slope, positives, negatives)


def _area_error(area: float, positives: float, negatives: float) -> float:
    if not 0 <= area <= 1:
        return nan
    return sqrt(max(0.0, area_variance(area, positives, negatives, *exponential(area))))


@validated
def wilcoxon_errors(
    areas: Sequence[Probability] = (0.75, 0.85, 0.95),
    positives: Sequence[Positive] = range(10, 201, 5),
    *,
    negatives_per_positive: Positive = 1.0,
) -> WilcoxonErrors:
    """SE(W) for areas and sizes of a test set (Bradley's figure 15), to choose the size of a fold.

    Parameters
    ----------
    areas
        Areas under the ROC curve.
    positives, negatives_per_positive
        Numbers of positive cases of a test set, and the ratio of negative to positive cases.

    Examples
    --------
    >>> wilcoxon_errors([0.85], [20, 50])
    WilcoxonErrors(20 to 50 positives; 0.85: 0.0624 to 0.0391)
    """
    sizes = tuple(map(float, positives))
    others = tuple(negatives_per_positive * n for n in sizes)
    if not len(areas) or not sizes:
        raise InputError(f"areas and positives must hold one number or more, got {areas!r} and {positives!r}.")
    errors = np.array([[_area_error(a, n, m) for n, m in zip(sizes, others, strict=True)] for a in areas])
    method = "Hanley & McNeil (1982), exponential"
    return WilcoxonErrors(tuple(map(float, areas)), sizes, others, errors, EXPONENTIAL, Provenance({}, method))


def _line(spreads: Iterable[FoldSpread]) -> Line | None:
    """The least squares line through the points with both SE(W) and SD."""
    points = np.array([(spread.wilcoxon_error, spread.standard_deviation) for spread in spreads])
    points = points[np.isfinite(points).all(axis=1)]
    if len(points) < 3 or np.ptp(points[:, 0]) == 0 or np.ptp(points[:, 1]) == 0:
        return None
    slope, intercept = np.polyfit(points[:, 0], points[:, 1], 1)
    return Line(float(np.corrcoef(points.T)[0, 1]), float(slope), float(intercept))
