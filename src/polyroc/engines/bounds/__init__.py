"""Which measures are read off tallies, and off which: columns of scores, or patterns of decisions."""

from collections.abc import Mapping

from polyroc.engines.bins import BinnedColumn
from polyroc.engines.bounds.columns import bound_average_precision, bound_by_ranks, bound_scurfield
from polyroc.engines.bounds.decisions import bound_decisions
from polyroc.engines.bounds.pairs import bound_pairs
from polyroc.engines.bounds.statistic import BoundedStatistic
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.scores import Schema

__all__ = ["ENGINE_MEASURES", "bin_family", "bounded_statistic"]

SCORE = ("auc", "gini", "partial_auc", "vus", "umbrella", "scurfield")
CURVES = ("average_precision", "cost_area")  # the areas of curves, which the verb `curve` asks for
PAIRS = ("hand_till", "ova")
DECISIONS = ("accuracy", "pairwise_accuracy", "macro_average", "ht3")
ENGINE_MEASURES = (*SCORE, *PAIRS, *DECISIONS)


def bin_family(measure: Measure) -> str:
    """Which tallies the measure is read off."""
    for name, keys in (("score", (*SCORE, *CURVES)), ("pairs", PAIRS), ("decisions", DECISIONS)):
        if measure.key in keys:
            return "wins" if measure.key == "pairwise_accuracy" else name
    raise NotApplicableError(
        f"{measure} looks at whole rows of several cases at once, which tallies do not keep; engines have "
        f"{', '.join(ENGINE_MEASURES)}. Read a sample of the rows into memory for the others."
    )


def bounded_statistic(
    measure: Measure, columns: Mapping[int, BinnedColumn], schema: Schema, rows: FloatArray | None = None
) -> BoundedStatistic:
    """The measure read off its columns, with bounds; `rows` are what patterns of decisions stand for."""
    if bin_family(measure) == "pairs":
        return bound_pairs(measure, [*columns.values()], schema)
    ((place, column),) = columns.items()
    if rows is not None:
        return bound_decisions(measure, column, rows, schema)
    if measure.key == "scurfield":
        return bound_scurfield(measure, column, schema)
    if measure.key == "average_precision":
        return bound_average_precision(measure, column, schema, place)
    return bound_by_ranks(measure, column, schema, place)
