"""Decisions are few: rows of scores that decide alike are counted together, exactly."""

import numpy as np

from polyroc.engines.bins import Column, record_width, sums_of
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.bins import add_cases, add_records, add_weighted, winners, wins

__all__ = ["MOST_CLASSES", "Patterns"]

MOST_CLASSES = 39  # comparisons with all classes, to base 3, in 63 bits


class Patterns:
    """How often each pattern of decisions was seen.

    Attributes
    ----------
    pairwise
        True for the comparisons of the own class with every class, False for the set of the largest columns.
    codes, records
        The patterns seen, ascending, and their records.
    """

    def __init__(self, pairwise: bool, classes: int, weighted: bool) -> None:
        self.pairwise, self.classes, self.weighted = pairwise, classes, weighted
        self.codes = np.empty(0, dtype=np.int64)
        self.records = np.empty((0, record_width(classes, weighted)), dtype=np.int64)

    def add(self, table: FloatArray, codes: CodeArray, weight: FloatArray | None) -> None:
        """Count cases."""
        found, places = np.unique(self._patterns(table, codes), return_inverse=True)
        other = Patterns(self.pairwise, self.classes, self.weighted)
        other.codes, other.records = found, np.zeros((len(found), self.records.shape[1]), dtype=np.int64)
        cells, same = places.astype(np.int32), np.zeros(len(codes))
        if weight is None:
            add_cases(cells, same, codes, other.records)
        else:
            add_weighted(cells, same, codes, weight, other.records)
        self.merge(other)

    def merge(self, other: "Patterns") -> None:
        """Count what another counted."""
        codes = np.union1d(self.codes, other.codes)
        records = np.zeros((len(codes), self.records.shape[1]), dtype=np.int64)
        more = records.copy()
        records[np.searchsorted(codes, self.codes)] = self.records
        more[np.searchsorted(codes, other.codes)] = other.records
        add_records(records, more, self.classes)
        self.codes, self.records = codes, records

    def place(self, table: FloatArray, codes: CodeArray) -> CodeArray:
        """The pattern of each row, by its number among those seen."""
        found = np.searchsorted(self.codes, self._patterns(table, codes))
        return np.minimum(found, len(self.codes) - 1).astype(np.int32)

    def column(self) -> Column:
        """The patterns as cells."""
        every = np.arange(len(self.codes))
        return Column(
            *sums_of(self.records, self.classes, every), mixed=np.zeros(len(every), dtype=bool), where=None
        )

    def rows(self) -> FloatArray:
        """For each pattern a row of scores that decides so; in comparisons the own class has 0."""
        digits = np.arange(self.classes)
        if not self.pairwise:
            return (self.codes[:, None] >> digits & 1).astype(np.float64)
        return (1 - self.codes[:, None] // 3**digits % 3).astype(np.float64)

    def _patterns(self, table: FloatArray, codes: CodeArray) -> IntArray:
        found = np.empty(len(codes), dtype=np.int64)
        if self.pairwise:
            wins(table, codes, found)
        else:
            winners(table, found)
        return found
