"""Covariance across columns and classifiers, from influence values looked up row by row.

Binned counts of two columns do not determine their covariance. A second scan does: each row's component is the sum
of the entries of its bins in the component tables of the columns, and the covariance follows from the products.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from polyroc.engines.binned_statistic import ComponentTables
from polyroc.engines.bins import BinIndex, BinnedColumn, BinnedValues
from polyroc.engines.bounds import bin_family
from polyroc.engines.counts import DECISIONS, BinnedData, DecisionPatterns
from polyroc.engines.rows import Batch
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.bins import look_up, sum_products
from polyroc.measures.measure import Measure

__all__ = ["Contributions", "InfluenceLookup", "InfluenceLookups"]

SUMMED_ROWS = 2**14  # rows whose contributions are summed and multiplied while they are in the cache


class Contributions(dict[int, FloatArray]):
    """By data column (-1: decisions), its contributions to the components of rows; views of one table.

    `spare` is a table that is used again if it is large enough: memory that is new to a process costs time.
    """

    def __init__(self, numbers: Sequence[int], rows: int, spare: FloatArray | None = None) -> None:
        fits = spare is not None and spare.shape[1] >= rows
        self.memory = spare if spare is not None and fits else np.empty((len(numbers), rows))
        self.table = self.memory[:, :rows]
        super().__init__(zip(numbers, self.table, strict=True))

    def sum(self, rows: slice = slice(None)) -> FloatArray:
        """The components of some rows, as a table of one row; in the place of the first contributions."""
        table = self.table[:, rows]
        for contributions in table[1:]:
            table[0] += contributions
        return table[:1]


class InfluenceLookup:
    """The components of one statistic, to be looked up row by row.

    Attributes
    ----------
    numbers
        The numbers of the classifier's data columns.
    tables
        By the number of a data column: how to find the bins of its scores, and the components there.
    patterns
        The same for patterns of decisions: the data columns that decide, the patterns and the components.
    fixed
        By class, what is due to its number of cases and is subtracted where that is fixed: of each component, as a
        share of the mean weight over its own (`InfluenceLookups`), or of each influence value (`ClusterLookups`).
        None without.
    """

    def __init__(
        self,
        numbers: Sequence[int],
        binned: BinnedData,
        measure: Measure,
        tables: ComponentTables,
        fixed: FloatArray | None = None,
    ) -> None:
        columns, self.numbers, self.fixed = binned.columns_for(measure), numbers, fixed
        self.tables: dict[int, tuple[BinIndex, FloatArray]] = {}
        self.patterns: tuple[Sequence[int], DecisionPatterns, FloatArray] | None = None
        for place, table in tables.items():
            index = columns[place].index
            if index is None:
                self.patterns = numbers, binned.patterns[bin_family(measure)][1], table
            else:
                self.tables[numbers[place]] = index, index.expand(table)

    def allocate(self, rows: int, spare: FloatArray | None) -> Contributions:
        """Memory for the contributions of the columns to the components of some rows."""
        return Contributions([*self.tables, *([] if self.patterns is None else [DECISIONS])], rows, spare)

    def look_up(self, number: int, scores: BinnedValues, codes: CodeArray, target: FloatArray) -> None:
        """The contributions of one column, into `target`."""
        index, table = self.tables[number]
        look_up(index.locate(scores), codes, table, target)

    def at_bins(self, place: int, column: BinnedColumn) -> FloatArray:
        """The components of every class at the bins of a column."""
        index, table = self.tables[self.numbers[place]]
        assert column.index is not None
        return np.asarray(table[index.locate(BinnedValues(column.index.edges()))])

    def look_up_patterns(self, batch: Batch, target: FloatArray) -> None:
        """The contributions of decisions, into `target`."""
        assert self.patterns is not None
        numbers, patterns, table = self.patterns
        rows = np.column_stack([batch.columns[i] for i in numbers])
        look_up(patterns.locate(rows, batch.codes), batch.codes, table, target)


class InfluenceLookups:
    """The components of several statistics, and the sums of their products over the rows of each class.

    Attributes
    ----------
    lookups
        One for each statistic.
    products
        At [class, a, b] with b <= a, the sum of the products of the components of statistics a and b.
    """

    def __init__(self, lookups: Sequence[InfluenceLookup], classes: int) -> None:
        self.lookups = lookups
        self.products: FloatArray = np.zeros((classes, len(lookups), len(lookups)))
        self._spare: list[list[FloatArray]] = []  # by statistic, memory of batches whose products have been added

    def allocate(self, rows: int) -> list[Contributions]:
        """By statistic, memory for the contributions of some rows."""
        spare = self._spare.pop() if self._spare else [None] * len(self.lookups)
        return [lookup.allocate(rows, memory) for lookup, memory in zip(self.lookups, spare, strict=True)]

    def look_up(
        self,
        number: int,
        scores: BinnedValues,
        codes: CodeArray,
        contributions: Sequence[Contributions],
        block: slice,
    ) -> None:
        """The contributions of one column to every statistic, for a block of the rows."""
        for lookup, target in zip(self.lookups, contributions, strict=True):
            if number in lookup.tables:
                lookup.look_up(number, scores, codes, target[number][block])

    def pattern_tasks(self, batch: Batch, contributions: Sequence[Contributions]) -> list[Callable[[], None]]:
        """Tasks that look up decisions."""
        return [
            partial(lookup.look_up_patterns, batch, target[DECISIONS])
            for lookup, target in zip(self.lookups, contributions, strict=True)
            if lookup.patterns is not None
        ]

    def components(self, contributions: Sequence[Contributions], rows: slice = slice(None)) -> FloatArray:
        """At [statistic, row], the sum of the contributions of the columns, which may be in their place."""
        sums = [parts.sum(rows) for parts in contributions]
        return sums[0] if len(sums) == 1 else np.concatenate(sums)

    def add(self, batch: Batch, contributions: Sequence[Contributions]) -> None:
        """Sum the contributions of the columns to components, and add the products of these."""
        for start in range(0, len(batch.codes), SUMMED_ROWS):
            rows = slice(start, start + SUMMED_ROWS)
            weight = np.empty(0) if batch.weight is None else batch.weight[rows]
            sum_products(self.components(contributions, rows), batch.codes[rows], weight, self.products)
        self._spare.append([parts.memory for parts in contributions])

    def finish(self) -> None:
        """Nothing: products are complete after each batch."""

    def covariance(self, cases: IntArray, totals: FloatArray) -> FloatArray:
        """Sum over classes of the products of influence values, times m / (m - 1) for m cases of a class.

        Where the number of cases of a class is fixed, the mean of weight times component is subtracted from each
        of these products: their sum is `fixed` times the weight of the class.
        """
        scale = cases / (cases - 1.0) / totals**2
        products = self.products
        if any(lookup.fixed is not None for lookup in self.lookups):
            none = np.zeros(len(cases))
            sums = np.array([none if lookup.fixed is None else lookup.fixed for lookup in self.lookups]) * totals
            products = products - np.einsum("ak,bk->kab", sums, sums) / cases[:, None, None]
        lower = (products * scale[:, None, None]).sum(axis=0)
        return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
