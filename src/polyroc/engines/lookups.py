"""Components looked up row by row: how the columns of a row, and the classifiers, move together."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from polyroc.engines.bounding import family
from polyroc.engines.column import Column, Where
from polyroc.engines.counting import Read
from polyroc.engines.layout import Placed
from polyroc.engines.patterns import Patterns
from polyroc.engines.reading import Tables
from polyroc.engines.rows import Batch
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.tallying import co_moments, look_up
from polyroc.measures import Measure

__all__ = ["Lookup", "Lookups"]


class Lookup:
    """The components of one reading, looked up row by row.

    Attributes
    ----------
    numbers
        The numbers of the classifier's data columns.
    tables
        By the number of a data column: where its scores are, and the components there.
    patterns
        The same for patterns of decisions: the data columns that decide, the patterns and the components.
    """

    def __init__(self, numbers: Sequence[int], read: Read, measure: Measure, tables: Tables) -> None:
        columns, self.numbers = read.of(measure), numbers
        self.tables: dict[int, tuple[Where, FloatArray]] = {}
        self.patterns: tuple[Sequence[int], Patterns, FloatArray] | None = None
        for place, table in tables.items():
            where = columns[place].where
            if where is None:
                self.patterns = numbers, read.patterns[family(measure)][1], table
            else:
                self.tables[numbers[place]] = where, where.spread(table)
        self.parts: dict[int, FloatArray] = {}

    def begin(self, rows: int) -> None:
        """Make room for a batch."""
        self.parts = {number: np.zeros(rows) for number in self.tables}

    def look(self, number: int, scores: Placed, codes: CodeArray, part: slice) -> None:
        """What one column adds to the components of a part of the batch."""
        if number in self.tables:
            where, table = self.tables[number]
            look_up(where.place(scores), codes, table, self.parts[number][part])

    def at(self, place: int, column: Column) -> FloatArray:
        """The components of every class at the cells of a column."""
        where, table = self.tables[self.numbers[place]]
        assert column.where is not None
        return np.asarray(table[where.place(Placed(column.where.edges()))])

    def look_at_patterns(self, batch: Batch) -> None:
        """What decisions add."""
        if self.patterns is not None:
            numbers, patterns, table = self.patterns
            rows = np.column_stack([batch.columns[i] for i in numbers])
            self.parts[-1] = np.zeros(len(batch.codes))
            look_up(patterns.place(rows, batch.codes), batch.codes, table, self.parts[-1])


class Lookups:
    """The components of several readings, and the sums of their products over the rows of each class."""

    def __init__(self, each: Sequence[Lookup], classes: int) -> None:
        self.each = each
        self.sums = np.zeros((classes, len(each), len(each)))

    def begin(self, rows: int) -> None:
        """Make room for a batch."""
        for one in self.each:
            one.begin(rows)

    def look(self, number: int, scores: Placed, codes: CodeArray, part: slice) -> None:
        """What one column adds to every reading, for a part of the batch."""
        for one in self.each:
            one.look(number, scores, codes, part)

    def tasks(self, batch: Batch) -> list[Callable[[], None]]:
        """What is to be done for decisions."""
        return [partial(one.look_at_patterns, batch) for one in self.each if one.patterns is not None]

    def adding(self, batch: Batch) -> Callable[[], None]:
        """What adds up the products of a batch that was looked up."""
        return partial(self._add, [one.parts for one in self.each], batch)

    def _add(self, parts: Sequence[dict[int, FloatArray]], batch: Batch) -> None:
        found = np.array([sum(each.values()) for each in parts])
        co_moments(found, batch.codes, np.empty(0) if batch.weight is None else batch.weight, self.sums)

    def covariance(self, cases: IntArray, totals: FloatArray) -> FloatArray:
        """Sum over classes of the products of influences, with m / (m - 1) for m cases."""
        scale = cases / (cases - 1.0) / totals**2
        lower = (self.sums * scale[:, None, None]).sum(axis=0)
        return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
