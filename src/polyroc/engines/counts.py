"""What is kept of one classifier's scores: the cells of the columns, the patterns of decisions."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isnan

import numpy as np

from polyroc.engines.bins import Cells, Column, Layout, Placed
from polyroc.engines.bounds import bounded, family
from polyroc.engines.bounds.reading import Bounded
from polyroc.engines.patterns import MOST_CLASSES, Patterns
from polyroc.errors import NotApplicableError
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.measures.measure import Measure
from polyroc.scores import Schema

__all__ = ["Counted", "Read", "columns_of", "patterns_of"]


def columns_of(measures: Iterable[Measure], schema: Schema) -> tuple[int, ...]:
    """The columns of scores that the measures are read off."""
    families = {family(measure) for measure in measures}
    if "pairs" in families:
        return tuple(range(schema.n_classes))
    if "score" in families:
        return (schema.positive if schema.kind != "score" and schema.positive is not None else 0,)
    return ()


def patterns_of(measures: Iterable[Measure], schema: Schema) -> tuple[str, ...]:
    """The patterns of decisions that the measures are read off."""
    found = {family(measure) for measure in measures} & {"decisions", "wins"}
    if found and not schema.kind != "score":
        raise NotApplicableError("Decisions need one column per class here; a score alone decides nothing.")
    if found and schema.n_classes > MOST_CLASSES:
        raise NotApplicableError(f"Patterns of decisions are counted for up to {MOST_CLASSES} classes.")
    return tuple(sorted(found))


class Counted:
    """Cells by column and patterns by kind, for one classifier.

    Attributes
    ----------
    schema, weighted
        What is known of the data, and whether cases have weights.
    cells, patterns
        By column, and by kind ("decisions", "wins").
    ends
        By column, the smallest and the largest score seen, nan if one was missing; nothing unless `checked`.
    """

    def __init__(
        self,
        schema: Schema,
        layouts: Mapping[int, Layout],
        kinds: Sequence[str],
        weighted: bool,
        checked: bool = True,
    ) -> None:
        c = schema.n_classes
        self.schema, self.weighted = schema, weighted
        self.cells = {place: Cells(layout, c, weighted) for place, layout in layouts.items()}
        self.patterns = {kind: Patterns(kind == "wins", c, weighted) for kind in kinds}
        self.ends = dict.fromkeys((range(c) if kinds else layouts) if checked else (), (inf, -inf))

    def add(self, codes: CodeArray, columns: Sequence[Placed], weight: FloatArray | None) -> None:
        """Count cases."""
        for place in range(len(columns)):
            self.add_column(place, codes, columns[place], weight)
        self.add_patterns(codes, columns, weight)

    def add_column(self, place: int, codes: CodeArray, scores: Placed, weight: FloatArray | None) -> None:
        """Count what one column says of some cases; columns can be counted at the same time."""
        if len(codes):
            self.see_ends(place, float(scores.values.min()), float(scores.values.max()))
        if place in self.cells:
            self.cells[place].add(scores, codes, weight)

    def see_ends(self, place: int, low: float, high: float) -> None:
        """Take note of the smallest and the largest of some scores."""
        if place in self.ends:
            first, last = self.ends[place]
            low, high = float(np.minimum(low, first)), float(np.maximum(high, last))
            self.ends[place] = low + 0.0, high + 0.0  # no -0.0

    def add_patterns(self, codes: CodeArray, columns: Sequence[Placed], weight: FloatArray | None) -> None:
        """Count what the columns decide together."""
        if self.patterns:
            table = np.column_stack([each.values for each in columns])
            for each in self.patterns.values():
                each.add(table, codes, weight)

    def strange(self) -> int | None:
        """A column in which something was not finite, if there is one."""
        return next(
            (place for place, (low, high) in self.ends.items() if isnan(low) or low == -inf or high == inf), None
        )

    def cases(self) -> IntArray:
        """Cases (of positive weight) by class."""
        held: list[Cells | Patterns] = [*self.cells.values(), *self.patterns.values()]
        records = held[0].records
        return np.asarray(records[:, 1 : 1 + self.schema.n_classes].sum(axis=0))

    def merge(self, other: "Counted") -> None:
        """Count what another counted in the same cells."""
        for place, ends in other.ends.items():
            self.see_ends(place, *ends)
        for place, cells in self.cells.items():
            cells.merge(other.cells[place])
        for kind, patterns in self.patterns.items():
            patterns.merge(other.patterns[kind])

    def read_coarser(self, layouts: Mapping[int, Layout]) -> "Read":
        """What can be read off the columns in the cells that theirs were cut from."""
        cells = {place: each.coarser(layouts[place]) for place, each in self.cells.items()}
        return Read(self.schema, {place: each.column() for place, each in cells.items()}, {})

    def read(self) -> "Read":
        """What can be read off."""
        return Read(
            self.schema,
            {place: cells.column() for place, cells in self.cells.items()},
            {kind: (each.column(), each) for kind, each in self.patterns.items()},
        )


class Read:
    """The columns and patterns of one classifier, ready to be read by measures."""

    def __init__(
        self,
        schema: Schema,
        columns: Mapping[int, Column],
        patterns: Mapping[str, tuple[Column, Patterns]],
    ) -> None:
        self.schema, self.columns, self.patterns = schema, columns, patterns

    def of(self, measure: Measure) -> dict[int, Column]:
        """The columns that a measure is read off; patterns count as one column, number -1."""
        kind = family(measure)
        if kind in self.patterns:
            return {-1: self.patterns[kind][0]}
        return {place: self.columns[place] for place in columns_of([measure], self.schema)}

    def bounded(self, measure: Measure) -> Bounded:
        """The measure with its bounds."""
        kind = family(measure)
        rows = self.patterns[kind][1].rows() if kind in self.patterns else None
        return bounded(measure, self.of(measure), self.schema, rows)
