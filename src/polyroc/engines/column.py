"""Cells and what is in them: the tally of one column of scores, or of the patterns of several."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from polyroc.engines.layout import Layout, Placed
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.tallying import (
    FRACTION,
    MIXED,
    add_fresh,
    add_records,
    add_weighted,
    count_cases,
    fresh_counts,
    held_cases,
    merge_cells,
    see_cells,
)

__all__ = ["Cells", "Column", "Where", "cell_size", "record_width", "sums_of"]


class Where(NamedTuple):
    """Where scores are among the cells.

    Attributes
    ----------
    place, spread
        From scores to numbers of cells, and from a table of the cells that hold cases to one by these numbers, in
        which a cell without cases is like its neighbour.
    edges
        The smallest score of each cell that holds cases, whether it was seen or not.
    layout
        The cells; None if every value is one.
    """

    place: Callable[[Placed], CodeArray]
    spread: Callable[[FloatArray], FloatArray]
    edges: Callable[[], FloatArray]
    layout: Layout | None = None


@dataclass(frozen=True, eq=False)
class Column:
    """The cells that hold cases, in ascending order, or the patterns of decisions that were seen.

    Attributes
    ----------
    cases
        At [cell, class], how many cases (of positive weight): whole numbers.
    weight, squares
        At [cell, class], the sum of their weights, and of the squares of these.
    mixed
        By cell: whether its cases may have different scores; where not, they surely tie.
    where
        How to find scores among the cells; None if these are patterns of decisions.
    """

    cases: FloatArray
    weight: FloatArray
    squares: FloatArray
    mixed: BoolArray
    where: Where | None

    @cached_property
    def totals(self) -> FloatArray:
        """The weight of each class."""
        return np.asarray(self.weight.sum(axis=0))

    @cached_property
    def units(self) -> IntArray:
        """The cases of each class."""
        return np.asarray(self.cases.sum(axis=0), dtype=np.int64)

    @cached_property
    def shares(self) -> FloatArray:
        """At [cell, class], the cell's share of the class."""
        return np.asarray(self.weight / self.totals)


def record_width(classes: int, weighted: bool) -> int:
    """Numbers in a record: the mark, the cases, and with weights four for their sums and sums of squares."""
    return 1 + classes * (5 if weighted else 1)


def cell_size(classes: int, weighted: bool) -> int:
    """Bytes that are kept of a cell while cases are counted."""
    return 8 * record_width(classes, weighted) + (0 if weighted else 3 * classes + 1)


def sums_of(records: IntArray, classes: int, held: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Cases, weights and squared weights by class in some cells, from records; one array where they are alike."""
    if records.shape[1] == record_width(classes, weighted=False):
        plain = held_cases(records, held)
        return plain, plain, plain
    fields = [records[held, 1 + i * classes : 1 + (i + 1) * classes] for i in range(5)]
    unit = 2.0**-FRACTION
    whole, fraction = fields[1::2], fields[2::2]
    weight, squares = (a + b * unit for a, b in zip(whole, fraction, strict=True))
    return fields[0].astype(np.float64), weight, squares


class Cells:
    """A column of scores counted into the cells of a layout.

    Attributes
    ----------
    layout
        The cells.
    """

    def __init__(self, layout: Layout, classes: int, weighted: bool) -> None:
        self.layout, self.classes, self.weighted = layout, classes, weighted
        self._records = np.zeros((layout.size, record_width(classes, weighted)), dtype=np.int64)
        self._fresh = fresh_counts(0 if weighted else layout.size, classes)
        self._counting = False  # whether cases in `_fresh` are not in the records yet

    @property
    def records(self) -> IntArray:
        """The record of each cell; see `polyroc.kernels.tallying`."""
        if self._counting:
            add_fresh(self._records, self._fresh)
            self._counting = False
        return self._records

    def add(self, scores: Placed, codes: CodeArray, weight: FloatArray | None) -> None:
        """Count cases."""
        cells = scores.cells(self.layout)
        if weight is None:
            self._counting = True
            count_cases(cells, scores.values, codes, self._records, self._fresh)
        else:
            add_weighted(cells, scores.values, codes, weight, self._records)

    def see(
        self, values: FloatArray, codes: CodeArray, depth: int, table: FloatArray, found: FloatArray
    ) -> tuple[float, float]:
        """Count cases without weights and find what a table holds for them at a level; -1 for none.

        Returns the smallest and the largest value, nan if one is missing.
        """
        self._counting = True
        return see_cells(values, codes, self.layout.steps, self._records, self._fresh, depth, table, found)

    def merge(self, other: "Cells") -> None:
        """Count what another column of the same layout counted."""
        add_records(self.records, other.records, self.classes)

    def coarser(self, layout: Layout) -> "Cells":
        """The same cases in the cells of the layout that this one's was cut from, or in this one's own."""
        if layout is self.layout:
            return self
        found = Cells(layout, self.classes, self.weighted)
        merge_cells(self.records, self.layout.levels[-1].sub, self.classes, found._records)
        return found

    def column(self) -> Column:
        """The cells that hold cases."""
        mark, layout = self.records[:, 0], self.layout
        held = np.flatnonzero(mark)

        def spread(table: FloatArray) -> FloatArray:
            """A cell without cases is like the one below it that holds some, or like the first."""
            return np.asarray(table[np.maximum(np.cumsum(mark != 0) - 1, 0)])

        return Column(
            *sums_of(self.records, self.classes, held),
            mixed=mark[held] == MIXED,
            where=Where(lambda scores: scores.cells(layout), spread, lambda: layout.edges()[held], layout),
        )
