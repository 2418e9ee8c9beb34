"""Which measures are read off tallies, and off which: columns of scores, or patterns of decisions."""

from collections.abc import Mapping

from polyroc.engines.bins import Column
from polyroc.engines.bounds.columns import discriminability, precise, ranked
from polyroc.engines.bounds.decisions import decided
from polyroc.engines.bounds.pairs import paired
from polyroc.engines.bounds.reading import Bounded
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Bins, Measure
from polyroc.measures.registry import MEASURES
from polyroc.scores import Schema

__all__ = ["bounded", "engine_measures", "family"]


def engine_measures() -> list[Measure]:
    """The registered measures that are bounded from binned counts."""
    return [measure for measure in MEASURES.values() if measure.bins is not None]


def family(measure: Measure) -> Bins:
    """The binned counts from which the measure is computed."""
    if measure.bins is None:
        raise NotApplicableError(
            f"{measure} looks at whole rows of several cases at once, which tallies do not keep; engines have "
            f"{', '.join(each.key for each in engine_measures())}. Read a sample of the rows into memory for the "
            "others."
        )
    return measure.bins


def bounded(
    measure: Measure, columns: Mapping[int, Column], schema: Schema, rows: FloatArray | None = None
) -> Bounded:
    """The measure read off its columns, with bounds; `rows` are what patterns of decisions stand for."""
    if family(measure) == "pairs":
        return paired(measure, [*columns.values()], schema)
    ((place, column),) = columns.items()
    if rows is not None:
        return decided(measure, column, rows, schema)
    if measure.bound_rule == "volumes":
        return discriminability(measure, column, schema)
    if measure.bound_rule == "precision":
        return precise(measure, column, schema, place)
    return ranked(measure, column, schema, place)
