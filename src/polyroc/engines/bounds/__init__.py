"""Certified bounds of measures from binned counts, by the family that a measure declares (`Measure.bins`)."""

from collections.abc import Mapping

from polyroc.engines.bins import BinnedColumn
from polyroc.engines.bounds.columns import bound_average_precision, bound_by_ranks, bound_decisions, bound_volumes
from polyroc.engines.bounds.pairs import bound_pairs
from polyroc.engines.bounds.statistic import BoundedStatistic
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Bins, Measure
from polyroc.measures.registry import MEASURES
from polyroc.scores import Schema

__all__ = ["bin_family", "bounded_statistic", "engine_measures"]


def engine_measures() -> list[Measure]:
    """The registered measures that can be bounded from binned counts."""
    return [measure for measure in MEASURES.values() if measure.bins is not None]


def bin_family(measure: Measure) -> Bins:
    """The binned counts from which the measure is computed (`polyroc.engines.support` checks that it has some)."""
    assert measure.bins is not None, measure
    return measure.bins


def bounded_statistic(
    measure: Measure, columns: Mapping[int, BinnedColumn], schema: Schema, rows: FloatArray | None = None
) -> BoundedStatistic:
    """The measure of its columns with bounds; `rows` has a row of scores for each pattern of decisions."""
    if bin_family(measure) == "pairs":
        return bound_pairs(measure, [*columns.values()], schema)
    ((place, column),) = columns.items()
    if rows is not None:
        return bound_decisions(measure, column, rows, schema)
    if measure.bound_rule == "volumes":
        return bound_volumes(measure, column, schema)
    if measure.bound_rule == "precision":
        return bound_average_precision(measure, column, schema, place)
    return bound_by_ranks(measure, column, schema, place)
