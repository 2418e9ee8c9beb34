"""What a measure reads off cells: its value, the components by cell and class, and how far both can be wrong."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from polyroc.engines.bins import Column
from polyroc.estimates.boundary import Boundary
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.statistic import Errors, Scale, Shares, Statistic, Stratum
from polyroc.measures.statistic import Strata as CaseStrata

__all__ = ["ROUNDING", "Bounded", "Reading", "Strata", "Tables", "reading_of", "widened"]

ROUNDING = 4.0 * np.finfo(np.float64).eps  # of each cell that a value is summed over
LOST = 2.0**-52  # of a weight, at most, where it is rounded to its unit

Strata = Sequence[tuple[tuple[int, ...], float | None]]
Tables = dict[int, FloatArray]  # by column: at [cell, class], what the cell adds to the component of a case


@dataclass(frozen=True, eq=False)
class Reading:
    """A value read off cells.

    Attributes
    ----------
    value
        The number.
    strata
        Makes the strata of the variance: classes, and how far their components reach (None: all the way).
    tables
        Makes the components.
    scale
        Range and chance value of a part where they are not those of the measure.
    boundary
        Makes what the interval needs if the chance value is a limit of the range, from the variance of a reading,
        the covariance of several and the effective number of cases of a class; None if it is inside.
    shares
        Makes the dependence on the shares of the classes; None if there is none.
    shares_off
        Makes, by class, how far the order inside cells moves the derivative by the share; None if not at all.
    """

    value: float
    strata: Callable[[], Strata]
    tables: Callable[[], Tables]
    scale: Scale | None = None
    shares: Callable[[], Shares] | None = None
    shares_off: Callable[[], FloatArray] | None = None
    boundary: Callable[["VarianceOf", "CovarianceOf", Callable[[int], float]], Boundary] | None = None


VarianceOf = Callable[[Reading], float]
CovarianceOf = Callable[[Sequence[Reading]], FloatArray]


@dataclass(frozen=True, eq=False)
class Bounded:
    """A reading with the bounds of its value.

    Attributes
    ----------
    reading, low, high
        What was read, and between what the exact value is.
    off
        Makes by how much the order inside cells moves each component; None if that is not known.
    parts
        Makes the pieces the value is made of.
    widths
        Makes, by column, what each cell adds to the distance of the bounds; None if `off` tells.
    """

    reading: Reading
    low: float
    high: float
    off: Callable[[], Tables] | None = None
    parts: Callable[[], Mapping[str, "Bounded"]] = field(default=dict)
    widths: Callable[[], dict[int, FloatArray]] | None = None


def _slack(columns: Sequence[Column], terms: int) -> float:
    """How much of a share can be rounding: of a sum of so many terms, and of weights to their unit."""
    lost = max(float((column.units / column.totals).sum()) * LOST for column in columns)
    weighted = any(column.weight is not column.squares for column in columns)
    return ROUNDING * (terms + 16) + (4.0 * lost if weighted else 0.0)


def widened(
    low: float, high: float, columns: Sequence[Column], limits: tuple[float, float], terms: int | None = None
) -> tuple[float, float]:
    """The bounds with what rounding may have taken; sums have as many terms as there are cells, or so many."""
    terms = max(len(column.mixed) for column in columns) if terms is None else terms
    most = _slack(columns, terms) * (limits[1] - limits[0])
    return max(min(low, high) - most, limits[0]), min(max(low, high) + most, limits[1])


def reading_of(
    statistic: Statistic, held: Sequence[IntArray], starts: IntArray, column: Column, place: int
) -> Reading:
    """A statistic of cells that stand for cases, as a reading; `held` and `starts` say which cells these are."""

    def class_of(stratum: Stratum) -> int:
        return int(np.searchsorted(starts, stratum.cases()[0], "right")) - 1

    def tables() -> Tables:
        table = np.zeros(column.cases.shape)
        for stratum in statistic.strata():
            k = class_of(stratum)
            table[held[k][stratum.cases() - starts[k]], k] = stratum.components
        return {place: table}

    def strata() -> Strata:
        return [((class_of(stratum),), stratum.reach) for stratum in statistic.strata()]

    made = statistic.boundary
    reading = Reading(float(statistic.value), strata, tables, statistic.scale, statistic.shares)
    if made is None:
        return reading

    def boundary(variance: VarianceOf, covariance: CovarianceOf, units: Callable[[int], float]) -> Boundary:
        def of_one(each: CaseStrata, shares: Callable[[], Shares] | None = None) -> Reading:
            return reading_of(Statistic(0.0, lambda: each, shares=shares), held, starts, column, place)

        return made(
            Errors(
                lambda strata, shares=None: variance(of_one(strata, shares)),
                lambda several: covariance([of_one(each) for each in several]),
                lambda stratum: units(class_of(stratum)),
            )
        )

    return replace(reading, boundary=boundary)
