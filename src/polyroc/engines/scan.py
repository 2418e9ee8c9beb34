"""One scan over the rows, wherever they are: count them in bins, look their influence values up, or both.

Binned counts of two columns do not determine their covariance. Each row's component is the sum of the entries of
its bins in the component tables of the columns, and the covariance follows from the products: these are looked
up while the same blocks of a column are counted, so that values and bins are in the cache once.

Columns are processed in threads, batches in their order; the next batch is read meanwhile. Small batches are
joined in memory that is used again.
"""

import os
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numpy as np

from polyroc.engines.binned_sample import ComponentTables
from polyroc.engines.bins import BinIndex, BinnedColumn, BinnedValues, Layout
from polyroc.engines.bounds import bin_family
from polyroc.engines.counts import DECISIONS, BinnedData, Counts, DecisionPatterns
from polyroc.engines.rows import MISSING_LABEL, Batch, RowBuffer
from polyroc.errors import InputError
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.bins import look_up, sum_products
from polyroc.measures.measure import Measure
from polyroc.messages import Option
from polyroc.scores import Schema
from polyroc.validation.weights import LARGEST_WEIGHT

__all__ = ["CACHED_ROWS", "Contributions", "InfluenceLookup", "InfluenceLookups", "Scan", "ScanPlan"]

WORKERS = min(8, os.cpu_count() or 1)
BATCHES_IN_WORK = 2  # more of them would only take memory
# Rows that small batches are joined to. A thread that goes from one column to the next fills its cache with other
# counters, so that smaller batches take up to twice as long.
BATCH_ROWS = 2**20
BYTES_PER_NUMBER = 64  # of the numbers of a batch: those of four batches, and of the components of their rows
LARGE_ROOM = 2**28  # bytes of all joined batches, where there is no limit
CACHED_ROWS = 2**16  # rows of a column that are processed before the next ones: their bins stay in the cache
Task = Callable[[], None]
SUMMED_ROWS = 2**14  # rows whose contributions are summed and multiplied while they are in the cache


class Contributions(dict[int, FloatArray]):
    """By data column (-1: decisions), its contributions to the components of rows; views of one table."""

    def __init__(self, numbers: Sequence[int], rows: int) -> None:
        self.table = np.empty((len(numbers), rows))
        super().__init__(zip(numbers, self.table, strict=True))

    def sum(self, rows: slice = slice(None)) -> FloatArray:
        """Return the components of some rows, as a table of one row; in the place of the first contributions."""
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

    def allocate(self, rows: int) -> Contributions:
        """Return memory for the contributions of the columns to the components of some rows."""
        return Contributions([*self.tables, *([] if self.patterns is None else [DECISIONS])], rows)

    def look_up(self, number: int, scores: BinnedValues, codes: CodeArray, target: FloatArray) -> None:
        """Write the contributions of one column into `target`."""
        index, table = self.tables[number]
        look_up(index.locate(scores), codes, table, target)

    def at_bins(self, place: int, column: BinnedColumn) -> FloatArray:
        """Return the components of every class at the bins of a column."""
        index, table = self.tables[self.numbers[place]]
        assert column.index is not None
        return np.asarray(table[index.locate(BinnedValues(column.index.edges()))])

    def look_up_patterns(self, batch: Batch, target: FloatArray) -> None:
        """Write the contributions of decisions into `target`."""
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

    def allocate(self, rows: int) -> list[Contributions]:
        """Return, by statistic, memory for the contributions of some rows."""
        return [lookup.allocate(rows) for lookup in self.lookups]

    def look_up(
        self,
        number: int,
        scores: BinnedValues,
        codes: CodeArray,
        contributions: Sequence[Contributions],
        block: slice,
    ) -> None:
        """Look up the contributions of one column to every statistic, for a block of the rows."""
        for lookup, target in zip(self.lookups, contributions, strict=True):
            if number in lookup.tables:
                lookup.look_up(number, scores, codes, target[number][block])

    def pattern_tasks(self, batch: Batch, contributions: Sequence[Contributions]) -> list[Callable[[], None]]:
        """Return tasks that look up decisions."""
        return [
            partial(lookup.look_up_patterns, batch, target[DECISIONS])
            for lookup, target in zip(self.lookups, contributions, strict=True)
            if lookup.patterns is not None
        ]

    def components(self, contributions: Sequence[Contributions], rows: slice = slice(None)) -> FloatArray:
        """Return at [statistic, row] the sum of the contributions of the columns, which may be in their place."""
        sums = [parts.sum(rows) for parts in contributions]
        return sums[0] if len(sums) == 1 else np.concatenate(sums)

    def add(self, batch: Batch, contributions: Sequence[Contributions]) -> None:
        """Sum the contributions of the columns to components, and add the products of these."""
        for start in range(0, len(batch.codes), SUMMED_ROWS):
            rows = slice(start, start + SUMMED_ROWS)
            weight = np.empty(0) if batch.weight is None else batch.weight[rows]
            sum_products(self.components(contributions, rows), batch.codes[rows], weight, self.products)

    def finish(self) -> None:
        """Do nothing: products are complete after each batch."""

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


@dataclass(frozen=True, eq=False)
class ScanPlan:
    """What a scan does with every row.

    Attributes
    ----------
    classifiers, schema, weighted
        By classifier the numbers of its columns of scores; what is known of the data; whether rows have weights.
    layouts, kinds
        By classifier and column the bins to count in; and the kinds of patterns of decisions to count.
    lookups
        The tables in which to look rows up; None for a scan that only counts.
    check_values
        Whether to check scores and weights, which the first scan does. True classes are always checked, because
        they are used as indices.
    decide
        Makes decisions from scores, one column per class, before they are counted.
    """

    classifiers: Mapping[str, tuple[int, ...]]
    schema: Schema
    weighted: bool
    layouts: Mapping[str, Mapping[int, Layout]]
    kinds: Sequence[str]
    lookups: InfluenceLookups | None
    check_values: bool
    decide: Callable[[Batch], Batch] | None = None

    def empty_counts(self) -> dict[str, Counts]:
        """Return, by classifier, bins and patterns without cases."""
        return {
            name: Counts(self.schema, layouts, self.kinds, self.weighted, self.check_values)
            for name, layouts in self.layouts.items()
        }


class Scan:
    """The state of a scan.

    Attributes
    ----------
    counts
        By classifier: the bins and patterns.
    lookups
        The sums of products of influence values, if rows are looked up.
    rows
        The number of rows so far.
    """

    def __init__(self, plan: ScanPlan) -> None:
        self.plan, self.counts, self.lookups = plan, plan.empty_counts(), plan.lookups
        self.rows = 0
        # One thread at a time updates the counts of a column (by number) or the patterns of a classifier (by
        # name).
        self._locks: dict[int | str, Lock] = defaultdict(Lock)

    def run(self, batches: Generator[Batch], report: Callable[[int], None], room: int = LARGE_ROOM) -> None:
        """Process all batches, a few at a time, while the next one is read; stop at a value that is not finite.

        Small batches are joined, in no more memory than `room` bytes.
        """
        spare: list[RowBuffer] = []
        in_work: deque[tuple[RowBuffer, list[Future[None]], Task]] = deque()

        def finish_first() -> None:
            buffer, futures, last = in_work.popleft()
            for future in futures:
                future.result()
            last()
            spare.append(buffer)

        joined = _joined(batches, spare, room)
        with ThreadPoolExecutor(WORKERS + 1) as pool, closing(_prefetched(joined, pool)) as coming:
            for buffer in coming:
                tasks, last = self.tasks(buffer.batch())
                in_work.append((buffer, [pool.submit(task) for task in tasks], last))
                if len(in_work) == BATCHES_IN_WORK:
                    finish_first()
                if self.non_finite_column() is not None:
                    break
                report(self.rows)
            while in_work:
                finish_first()
        self.finish()

    def finish(self) -> None:
        """Complete the sums after the last batch."""
        if self.lookups is not None:
            self.lookups.finish()

    def tasks(self, batch: Batch) -> tuple[list[Task], Task]:
        """Return the work on a batch: tasks that can run at the same time, and one that runs after them.

        The last tasks of all batches run in the order of the batches, so that sums of products are rounded the
        same way every time.
        """
        if len(batch.codes):
            self._check(batch)
        if self.plan.decide is not None:
            batch = self.plan.decide(batch)
        self.rows += len(batch.codes)
        if self.lookups is None:
            return self._column_tasks(batch, []), lambda: None
        contributions = self.lookups.allocate(len(batch.codes))
        return self._column_tasks(batch, contributions), partial(self.lookups.add, batch, contributions)

    def non_finite_column(self) -> int | None:
        """Return the number of a data column with a missing or infinite value, if there is one."""
        places = ((name, counts.non_finite_column()) for name, counts in self.counts.items())
        numbers = self.plan.classifiers
        return next((numbers[name][place] for name, place in places if place is not None), None)

    def _column_tasks(self, batch: Batch, contributions: Sequence[Contributions]) -> list[Task]:
        codes, columns, weight = batch.codes, batch.columns, batch.weight

        def scan_column(number: int, lock: Lock) -> None:
            with lock:
                for start in range(0, len(codes), CACHED_ROWS):
                    self._scan_block(number, batch, contributions, slice(start, start + CACHED_ROWS))

        def count_patterns(name: str, lock: Lock) -> None:
            own = [BinnedValues(columns[number]) for number in self.plan.classifiers[name]]
            with lock:
                self.counts[name].add_patterns(codes, own, weight)

        tasks: list[Task] = [partial(scan_column, i, self._locks[i]) for i in range(len(columns))]
        tasks += [
            partial(count_patterns, name, self._locks[name])
            for name, counts in self.counts.items()
            if counts.patterns
        ]
        return tasks + ([] if self.lookups is None else self.lookups.pattern_tasks(batch, contributions))

    def _scan_block(self, number: int, batch: Batch, contributions: Sequence[Contributions], block: slice) -> None:
        """Count a block of a column for every classifier that has it, and look it up for every statistic."""
        codes, scores = batch.codes[block], BinnedValues(batch.columns[number][block])
        weight = None if batch.weight is None else batch.weight[block]
        for name, counts in self.counts.items():
            for place, column in enumerate(self.plan.classifiers[name]):
                if column == number:
                    counts.add_column(place, codes, scores, weight)
        if self.lookups is not None:
            self.lookups.look_up(number, scores, codes, contributions, block)

    def _check(self, batch: Batch) -> None:
        lowest = int(batch.codes.min())
        if lowest < 0:
            if lowest == MISSING_LABEL:
                raise InputError(
                    "A row has no true class. Complete it, or use ",
                    Option("missing", "drop"),
                    " to drop such rows.",
                )
            raise InputError(
                f"The true class of a row is not among the classes {[*self.plan.schema.labels]!r}; name every "
                "class with ",
                Option("labels", [...]),
                ".",
            )
        if not self.plan.check_values or batch.weight is None:
            return
        if not (batch.weight.min() >= 0 and batch.weight.max() <= LARGEST_WEIGHT):  # false for nan, too
            raise InputError(
                f"Weights must be between 0 and 2^25 and not be missing, got {batch.weight.min():g} to "
                f"{batch.weight.max():g}; correct or scale them."
            )


def _joined(batches: Generator[Batch], spare: list[RowBuffer], room: int) -> Generator[RowBuffer]:
    """Yield the rows of small batches together, in buffers; `spare` has those that can be used again."""
    with closing(batches):
        buffer: RowBuffer | None = None
        for batch in batches:
            if buffer is not None and not buffer.fits(batch):
                yield buffer
                buffer = None
            if buffer is None:
                rows = min(BATCH_ROWS, room // (BYTES_PER_NUMBER * (len(batch.columns) + 1)))
                buffer = spare.pop() if spare else RowBuffer(rows)
                buffer.clear()
            buffer.add(batch)
        if buffer is not None:
            yield buffer


def _prefetched(batches: Generator[RowBuffer], pool: ThreadPoolExecutor) -> Generator[RowBuffer]:
    """Yield the same rows, each buffer filled by another thread while the one before is processed."""
    coming = pool.submit(next, batches, None)
    try:
        while (buffer := coming.result()) is not None:
            coming = pool.submit(next, batches, None)
            yield buffer
    finally:
        coming.exception()  # wait for it: a running generator cannot be closed
        batches.close()
