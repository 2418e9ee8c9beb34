"""Which measures are read off tallies, and off which: columns of scores, or patterns of decisions."""

from collections.abc import Mapping

from polyroc.engines.bins import Column
from polyroc.engines.bounds.columns import discriminability, precise, ranked
from polyroc.engines.bounds.decisions import decided
from polyroc.engines.bounds.pairs import paired
from polyroc.engines.bounds.reading import Bounded
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.scores import Schema

__all__ = ["ENGINE_MEASURES", "bounded", "family"]

SCORE = ("auc", "gini", "partial_auc", "vus", "umbrella", "scurfield")
CURVES = ("average_precision", "cost_area")  # the areas of curves, which the verb `curve` asks for
PAIRS = ("hand_till", "ova")
DECISIONS = ("accuracy", "pairwise_accuracy", "macro_average", "ht3")
ENGINE_MEASURES = (*SCORE, *PAIRS, *DECISIONS)


def family(measure: Measure) -> str:
    """Which tallies the measure is read off."""
    for name, keys in (("score", (*SCORE, *CURVES)), ("pairs", PAIRS), ("decisions", DECISIONS)):
        if measure.key in keys:
            return "wins" if measure.key == "pairwise_accuracy" else name
    raise NotApplicableError(
        f"{measure} looks at whole rows of several cases at once, which tallies do not keep; engines have "
        f"{', '.join(ENGINE_MEASURES)}. Read a sample of the rows into memory for the others."
    )


def bounded(
    measure: Measure, columns: Mapping[int, Column], schema: Schema, rows: FloatArray | None = None
) -> Bounded:
    """The measure read off its columns, with bounds; `rows` are what patterns of decisions stand for."""
    if family(measure) == "pairs":
        return paired(measure, [*columns.values()], schema)
    ((place, column),) = columns.items()
    if rows is not None:
        return decided(measure, column, rows, schema)
    if measure.key == "scurfield":
        return discriminability(measure, column, schema)
    if measure.key == "average_precision":
        return precise(measure, column, schema, place)
    return ranked(measure, column, schema, place)
