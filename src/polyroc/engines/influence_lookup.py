"""Covariance across columns and classifiers, from influence values looked up row by row."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from polyroc.engines.bins import Column, Placed, Where
from polyroc.engines.bounds import family
from polyroc.engines.bounds.reading import Tables
from polyroc.engines.counts import Read
from polyroc.engines.patterns import Patterns
from polyroc.engines.rows import Batch
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.bins import co_moments, look_up
from polyroc.measures.measure import Measure

__all__ = ["Lookup", "Lookups", "Parts"]


class Parts(dict[int, FloatArray]):
    """By the number of a data column (-1: decisions), what it adds to rows' components; all in one table."""

    def __init__(self, numbers: Sequence[int], rows: int) -> None:
        self.table = np.empty((len(numbers), rows))
        super().__init__(zip(numbers, self.table, strict=True))


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

    def room(self, rows: int) -> Parts:
        """Room for what the columns add to the components of some rows."""
        return Parts([*self.tables, *([] if self.patterns is None else [-1])], rows)

    def look(self, number: int, scores: Placed, codes: CodeArray, found: FloatArray) -> None:
        """What one column adds to the components."""
        where, table = self.tables[number]
        look_up(where.place(scores), codes, table, found)

    def at(self, place: int, column: Column) -> FloatArray:
        """The components of every class at the cells of a column."""
        where, table = self.tables[self.numbers[place]]
        assert column.where is not None
        return np.asarray(table[where.place(Placed(column.where.edges()))])

    def look_at_patterns(self, batch: Batch, found: FloatArray) -> None:
        """What decisions add."""
        assert self.patterns is not None
        numbers, patterns, table = self.patterns
        rows = np.column_stack([batch.columns[i] for i in numbers])
        look_up(patterns.place(rows, batch.codes), batch.codes, table, found)


class Lookups:
    """The components of several readings, and the sums of their products over the rows of each class."""

    def __init__(self, each: Sequence[Lookup], classes: int) -> None:
        self.each = each
        self.sums = np.zeros((classes, len(each), len(each)))

    def room(self, rows: int) -> list[Parts]:
        """Room for what is looked up of some rows, by reading."""
        return [one.room(rows) for one in self.each]

    def look(self, number: int, scores: Placed, codes: CodeArray, parts: Sequence[Parts], where: slice) -> None:
        """What one column adds to every reading, for a part of the rows."""
        for one, found in zip(self.each, parts, strict=True):
            if number in one.tables:
                one.look(number, scores, codes, found[number][where])

    def tasks(self, batch: Batch, parts: Sequence[Parts]) -> list[Callable[[], None]]:
        """What is to be done for decisions."""
        return [
            partial(one.look_at_patterns, batch, found[-1])
            for one, found in zip(self.each, parts, strict=True)
            if one.patterns is not None
        ]

    def add(self, batch: Batch, parts: Sequence[Parts]) -> None:
        """Add up the products of what was looked up."""
        found = np.empty((len(parts), len(batch.codes)))
        for total, each in zip(found, parts, strict=True):
            np.add.reduce(each.table, axis=0, out=total)
        co_moments(found, batch.codes, np.empty(0) if batch.weight is None else batch.weight, self.sums)

    def covariance(self, cases: IntArray, totals: FloatArray) -> FloatArray:
        """Sum over classes of the products of influences, with m / (m - 1) for m cases."""
        scale = cases / (cases - 1.0) / totals**2
        lower = (self.sums * scale[:, None, None]).sum(axis=0)
        return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
