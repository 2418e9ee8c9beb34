"""Bins as weighted cases: measures of samples with weights apply to binned counts without change.

Their statistics have structural components by bin and class, and certified bounds of the value and of these.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np

from polyroc.engines.bins import BinnedColumn
from polyroc.estimates.boundary import Boundary
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Scale, Shares, Statistic, Stratum
from polyroc.measures.statistic import Strata as CaseStrata
from polyroc.scores import Schema, Scores

__all__ = [
    "ROUNDING",
    "BinnedSample",
    "BinnedStatistic",
    "BoundedStatistic",
    "ComponentTables",
    "Strata",
    "binned_statistic",
    "called_sample",
    "edge_scores",
    "pattern_sample",
    "two_sides",
    "widen",
]

T = TypeVar("T")


class BinnedSample(Sample):
    """The bins of one ordered column, as a sample for measures of a ranking or an ordered score.

    Each bin and class is one case whose score is the number of the bin and whose weight is that of the class
    there.

    Parameters
    ----------
    column
        The bins.
    labels, positive
        The classes, and the positive one of two.
    ranks
        By class: the order of its cases among those of the same bin, where the scores of the bin differ. Equal by
        default: the cases of a bin tie.

    Attributes
    ----------
    bins
        By class, the bins that its cases stand for.
    """

    def __init__(
        self,
        column: BinnedColumn,
        labels: tuple[Any, ...],
        positive: int | None,
        ranks: Sequence[float] | None = None,
    ) -> None:
        ranks = ranks or [0.0] * len(labels)
        scale = 1.0 / (2.0 * len(labels))  # ranks are below the number of classes: they never reach the next bin
        self.bins, codes, self.weight = _occupied(column, len(labels))
        self._sorted = [
            bins + scale * rank * column.mixed[bins] for bins, rank in zip(self.bins, ranks, strict=True)
        ]
        self._counts = [column.cases[bins, k] for k, bins in enumerate(self.bins)]
        self.values = np.empty(0)  # the sorted places above are all that measures of one column use
        self.scores = Scores._make(codes, labels, {"": self.values}, "score", positive, True, self.weight)
        self.names, self.classes, self.positive = self.scores.names, len(labels), positive
        self.totals = column.totals
        self.starts = np.concatenate([[0], np.cumsum([len(bins) for bins in self.bins])]).astype(np.int64)
        self._made = {}
        self.effective_sizes = _effective_sizes(column)

    def fixed(self, make: Callable[[Sample], T]) -> T:
        """Return the result of `make` for this sample, computed once."""
        return self.once(make)

    def cases(self, k: int) -> IntArray:
        """Return the cases (bins) of class k, numbered through all classes."""
        return np.arange(self.starts[k], self.starts[k + 1])

    def order(self, k: int, column: int = 0) -> IntArray:  # noqa: ARG002 - there is one column
        """Return the permutation that sorts the cases of class k: the identity."""
        return np.arange(len(self.bins[k]))

    def sorted(self, k: int, column: int = 0) -> FloatArray:  # noqa: ARG002
        """Return the places of the bins of class k, ascending."""
        return cast("FloatArray", self._sorted[k])

    def binned_cases(self, k: int) -> FloatArray | None:
        """Return the number of cases (of positive weight) in each bin of class k."""
        return cast("FloatArray", self._counts[k])

    def ascending(self, column: int = 0) -> FloatArray:  # noqa: ARG002
        """Return the places of the bins of all classes, class after class."""
        return np.concatenate(self._sorted)


def pattern_sample(
    column: BinnedColumn, rows: FloatArray, labels: tuple[Any, ...], positive: int | None
) -> tuple[Sample, list[IntArray]]:
    """Return patterns of decisions as a sample, and for each class the patterns that its cases stand for."""
    patterns, codes, weight = _occupied(column, len(labels))
    table = rows[np.concatenate(patterns)]
    sample = Sample(Scores._make(codes, labels, {"": table}, "matrix", positive, True, weight), "")
    sample.effective_sizes = _effective_sizes(column)
    return sample, patterns


def called_sample(
    column: BinnedColumn, called: BoolArray, pair: tuple[float, float], schema: Schema
) -> tuple[Sample, list[IntArray]]:
    """Return bins as cases with the larger score of the pair if they are called positive; by class their bins.

    `called` says so at [bin, class].
    """
    bins, codes, weight = _occupied(column, schema.n_classes)
    scores = np.concatenate([np.where(called[of_class, k], *pair[::-1]) for k, of_class in enumerate(bins)])
    sample = Sample(Scores._make(codes, schema.labels, {"": scores}, "score", schema.positive, True, weight), "")
    sample.effective_sizes = _effective_sizes(column)
    return sample, bins


def edge_scores(column: BinnedColumn, schema: Schema, classifier: str) -> Scores:
    """Return each bin and class as a weighted case at the lower edge of the bin.

    A threshold at an edge decides these cases as it decides the rows themselves.
    """
    assert column.index is not None
    bins, codes, weight = _occupied(column, schema.n_classes)
    edges = column.index.edges()
    values = {classifier: np.concatenate([edges[of_class] for of_class in bins])}
    return Scores._make(codes, schema.labels, values, "score", schema.positive, schema.ordered, weight)


def _occupied(column: BinnedColumn, classes: int) -> tuple[list[IntArray], CodeArray, FloatArray]:
    """Return by class the bins with cases of it; and of all classes in turn the class codes and weights there."""
    bins = [np.flatnonzero(column.cases[:, k]) for k in range(classes)]
    codes = np.repeat(np.arange(classes, dtype=np.int32), [len(of_class) for of_class in bins])
    weight = np.concatenate([column.weight[of_class, k] for k, of_class in enumerate(bins)])
    return bins, codes, weight


def _effective_sizes(column: BinnedColumn) -> FloatArray:
    """Return the effective sizes, as in `Sample`, of the cases that the bins hold."""
    return np.asarray(column.totals**2 / column.squared_totals)


def two_sides(column: BinnedColumn, positive: Sequence[int], negative: Sequence[int]) -> BinnedColumn:
    """Merge classes into two: those of `negative` are the first, those of `positive` the second."""
    cases, weight, squares = (
        np.stack([table[:, [*side]].sum(axis=1) for side in (negative, positive)], axis=1)
        for table in (column.cases, column.weight, column.squares)
    )
    unweighted = column.squares is column.weight  # the identity tells, so it is kept
    return BinnedColumn(cases, weight, weight if unweighted else squares, column.mixed, column.index)


ROUNDING = 4.0 * np.finfo(np.float64).eps  # bound of the rounding error of one term of a sum over bins
LOST_WEIGHT = 2.0**-52  # a weight is rounded down to a multiple of this before it is summed

Strata = Sequence[tuple[tuple[int, ...], float | None]]
ComponentTables = dict[int, FloatArray]  # by column: at [bin, class], its contribution to the component of a case


@dataclass(frozen=True, eq=False)
class BinnedStatistic:
    """A statistic of binned counts, in which the cases of one bin tie.

    Attributes
    ----------
    value
        The statistic.
    strata
        Makes the strata of the variance: their classes, and the range of their components (None: the whole range).
    tables
        Makes the structural components.
    scale
        Range and chance value of a part where they are not those of the measure.
    shares
        Makes the dependence on the shares of the classes; None if there is none.
    shares_error
        Makes, by class, how far the derivative by its share can be off; None if it is exact.
    boundary
        Makes what the interval needs if the chance value is a limit of the range, from the variance of a
        statistic, the covariance of several and the effective number of cases of a class; None if it is inside.
    """

    value: float
    strata: Callable[[], Strata]
    tables: Callable[[], ComponentTables]
    scale: Scale | None = None
    shares: Callable[[], Shares] | None = None
    shares_error: Callable[[], FloatArray] | None = None
    boundary: Callable[["VarianceOf", "CovarianceOf", Callable[[int], float]], Boundary] | None = None


VarianceOf = Callable[[BinnedStatistic], float]
CovarianceOf = Callable[[Sequence[BinnedStatistic]], FloatArray]


@dataclass(frozen=True, eq=False)
class BoundedStatistic:
    """A statistic of binned counts with certified bounds: the exact value is between them.

    Attributes
    ----------
    statistic, low, high
        The statistic, and the bounds of the exact value.
    component_errors
        Makes the bounds of the error of each component; None if they are not known.
    parts
        Makes the parts of the measure.
    widths
        Makes, by column, the contribution of each bin to the distance of the bounds; None if it follows from
        `component_errors`.
    errors_are_bounds
        False if `component_errors` are only approximate.
    """

    statistic: BinnedStatistic
    low: float
    high: float
    component_errors: Callable[[], ComponentTables] | None = None
    parts: Callable[[], Mapping[str, "BoundedStatistic"]] = field(default=dict)
    widths: Callable[[], dict[int, FloatArray]] | None = None
    errors_are_bounds: bool = True


def widen(
    low: float, high: float, columns: Sequence[BinnedColumn], limits: tuple[float, float], terms: int | None = None
) -> tuple[float, float]:
    """Return the bounds widened by the rounding error of sums of so many terms (by default, one per bin)."""
    terms = max(column.size for column in columns) if terms is None else terms
    rounding = _rounding_error(columns, terms) * (limits[1] - limits[0])
    return max(min(low, high) - rounding, limits[0]), min(max(low, high) + rounding, limits[1])


def _rounding_error(columns: Sequence[BinnedColumn], terms: int) -> float:
    """Return relative rounding error of a sum of so many terms and of weights that are multiples of 2^-52."""
    lost = max(float((column.units / column.totals).sum()) * LOST_WEIGHT for column in columns)
    weighted = any(column.is_weighted for column in columns)
    return ROUNDING * (terms + 16) + (4.0 * lost if weighted else 0.0)


def binned_statistic(
    statistic: Statistic, bins: Sequence[IntArray], starts: IntArray, column: BinnedColumn, place: int
) -> BinnedStatistic:
    """Return a statistic of a sample whose cases are bins, with its components arranged by bin and class.

    By class, `bins` are the bins that its cases stand for; `starts` is the first case of each class, and `place`
    the number of the column.
    """

    def class_of(stratum: Stratum) -> int:
        return int(np.searchsorted(starts, stratum.cases()[0], "right")) - 1

    def tables() -> ComponentTables:
        table = np.zeros(column.cases.shape)
        for stratum in statistic.strata():
            k = class_of(stratum)
            table[bins[k][stratum.cases() - starts[k]], k] = stratum.components
        return {place: table}

    def strata() -> Strata:
        return [((class_of(stratum),), stratum.reach) for stratum in statistic.strata()]

    make_boundary = statistic.boundary
    binned = BinnedStatistic(float(statistic.value), strata, tables, statistic.scale, statistic.shares)
    if make_boundary is None:
        return binned

    def boundary(variance: VarianceOf, covariance: CovarianceOf, units: Callable[[int], float]) -> Boundary:
        def of_strata(strata: CaseStrata, shares: Callable[[], Shares] | None = None) -> BinnedStatistic:
            return binned_statistic(Statistic(0.0, lambda: strata, shares=shares), bins, starts, column, place)

        return make_boundary(
            Errors(
                lambda strata, shares=None: variance(of_strata(strata, shares)),
                lambda several: covariance([of_strata(strata) for strata in several]),
                lambda stratum: units(class_of(stratum)),
            )
        )

    return replace(binned, boundary=boundary)
