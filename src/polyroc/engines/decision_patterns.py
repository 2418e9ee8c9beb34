"""Patterns of decisions: rows with the same decisions are counted together, so their measures are exact."""

import numpy as np

from polyroc.engines.bins import BinnedColumn, class_sums, record_width
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.bins import add_cases, add_records, add_weighted, largest_columns, own_class_comparisons

__all__ = ["MOST_CLASSES", "DecisionPatterns"]

MOST_CLASSES = 39  # the largest number of digits to base 3 in the 63 bits of a pattern


class DecisionPatterns:
    """How often each pattern of decisions occurred.

    Attributes
    ----------
    pairwise
        True for the comparisons of the own class with every class, False for the set of the largest columns.
    codes, records
        The patterns that occurred, ascending, and their records (see `polyroc.kernels.bins`).
    """

    def __init__(self, pairwise: bool, classes: int, weighted: bool) -> None:
        self.pairwise, self.classes, self.weighted = pairwise, classes, weighted
        self.codes = np.empty(0, dtype=np.int64)
        self.records = np.empty((0, record_width(classes, weighted)), dtype=np.int64)

    def add(self, table: FloatArray, codes: CodeArray, weight: FloatArray | None) -> None:
        """Count cases, from a table of scores with one column per class."""
        patterns, positions = np.unique(self._patterns(table, codes), return_inverse=True)
        batch = DecisionPatterns(self.pairwise, self.classes, self.weighted)
        batch.codes, batch.records = patterns, np.zeros((len(patterns), self.records.shape[1]), dtype=np.int64)
        # Equal values: the bin of a pattern is never mixed.
        bins, no_values = positions.astype(np.int32), np.zeros(len(codes))
        if weight is None:
            add_cases(bins, no_values, codes, batch.records)
        else:
            add_weighted(bins, no_values, codes, weight, batch.records)
        self.merge(batch)

    def merge(self, other: "DecisionPatterns") -> None:
        """Add the counts of another set of patterns."""
        codes = np.union1d(self.codes, other.codes)
        records = np.zeros((len(codes), self.records.shape[1]), dtype=np.int64)
        added = records.copy()
        records[np.searchsorted(codes, self.codes)] = self.records
        added[np.searchsorted(codes, other.codes)] = other.records
        add_records(records, added, self.classes)
        self.codes, self.records = codes, records

    def locate(self, table: FloatArray, codes: CodeArray) -> CodeArray:
        """The pattern of each row, as a position in `codes`."""
        positions = np.searchsorted(self.codes, self._patterns(table, codes))
        return np.minimum(positions, len(self.codes) - 1).astype(np.int32)

    def column(self) -> BinnedColumn:
        """The patterns as bins."""
        bins = np.arange(len(self.codes))
        return BinnedColumn(
            *class_sums(self.records, self.classes, bins), mixed=np.zeros(len(bins), dtype=bool), index=None
        )

    def representatives(self) -> FloatArray:
        """For each pattern a row of scores with these decisions; in comparisons the own class has score 0."""
        digits = np.arange(self.classes)
        if not self.pairwise:
            return (self.codes[:, None] >> digits & 1).astype(np.float64)
        return (1 - self.codes[:, None] // 3**digits % 3).astype(np.float64)

    def _patterns(self, table: FloatArray, codes: CodeArray) -> IntArray:
        patterns = np.empty(len(codes), dtype=np.int64)
        if self.pairwise:
            own_class_comparisons(table, codes, patterns)
        else:
            largest_columns(table, patterns)
        return patterns
