"""Statistics of binned counts: value, structural components by bin and class, and certified bounds of both."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from polyroc.engines.bins import BinnedColumn
from polyroc.estimates.boundary import Boundary
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.statistic import Errors, Scale, Shares, Statistic, Stratum
from polyroc.measures.statistic import Strata as CaseStrata

__all__ = [
    "ROUNDING",
    "BinnedStatistic",
    "BoundedStatistic",
    "ComponentTables",
    "Strata",
    "binned_statistic",
    "widen",
]

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
    """The bounds widened by the rounding error of sums of so many terms (by default, one per bin)."""
    terms = max(column.size for column in columns) if terms is None else terms
    rounding = _rounding_error(columns, terms) * (limits[1] - limits[0])
    return max(min(low, high) - rounding, limits[0]), min(max(low, high) + rounding, limits[1])


def _rounding_error(columns: Sequence[BinnedColumn], terms: int) -> float:
    """Relative rounding error of a sum of so many terms and of weights that are multiples of 2^-52."""
    lost = max(float((column.units / column.totals).sum()) * LOST_WEIGHT for column in columns)
    weighted = any(column.is_weighted for column in columns)
    return ROUNDING * (terms + 16) + (4.0 * lost if weighted else 0.0)


def binned_statistic(
    statistic: Statistic, bins: Sequence[IntArray], starts: IntArray, column: BinnedColumn, place: int
) -> BinnedStatistic:
    """A statistic of a sample whose cases are bins, with its components arranged by bin and class.

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
