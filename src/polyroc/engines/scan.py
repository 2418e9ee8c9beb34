"""One scan over the rows, wherever they are: count them in bins, look their influence values up, or both."""

import os
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Lock

from polyroc.engines.bins import BinnedValues, Layout
from polyroc.engines.counts import Counts
from polyroc.engines.influence_lookup import Contributions, InfluenceLookups
from polyroc.engines.rows import MISSING_LABEL, Batch, RowBuffer
from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray
from polyroc.messages import Option
from polyroc.scores import Schema
from polyroc.validation.weights import LARGEST_WEIGHT

__all__ = ["CACHED_ROWS", "Scan", "ScanPlan"]

WORKERS = min(8, os.cpu_count() or 1)
BATCHES_IN_WORK = 2  # more of them would only take memory
# Rows that small batches are joined to. A thread that goes from one column to the next fills its cache with other
# counters, so that smaller batches take up to twice as long.
BATCH_ROWS = 2**20
BYTES_PER_NUMBER = 64  # of the numbers of a batch: those of four batches, and of the components of their rows
LARGE_ROOM = 2**28  # bytes of all joined batches, where there is no limit
CACHED_ROWS = 2**16  # rows of a column that are processed before the next ones: their bins stay in the cache
Task = Callable[[], None]


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
    continuous
        By classifier and column, the bins in which scores are taken to differ (`BinCounts`).
    """

    classifiers: Mapping[str, tuple[int, ...]]
    schema: Schema
    weighted: bool
    layouts: Mapping[str, Mapping[int, Layout]]
    kinds: Sequence[str]
    lookups: InfluenceLookups | None
    check_values: bool
    decide: Callable[[Batch], Batch] | None = None
    continuous: Mapping[str, Mapping[int, BoolArray]] | None = None

    def empty_counts(self) -> dict[str, Counts]:
        """By classifier, bins and patterns without cases."""
        continuous = self.continuous or {}
        return {
            name: Counts(self.schema, layouts, self.kinds, self.weighted, self.check_values, continuous.get(name))
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
        """After the last batch."""
        if self.lookups is not None:
            self.lookups.finish()

    def tasks(self, batch: Batch) -> tuple[list[Task], Task]:
        """The work on a batch: tasks that can run at the same time, and one that runs after them.

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
        """The number of a data column with a missing or infinite value, if there is one."""
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
    """The rows of small batches together, in buffers; `spare` has those that can be used again."""
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
    """The same rows, each buffer filled by another thread while the one before is processed."""
    coming = pool.submit(next, batches, None)
    try:
        while (buffer := coming.result()) is not None:
            coming = pool.submit(next, batches, None)
            yield buffer
    finally:
        coming.exception()  # wait for it: a running generator cannot be closed
        batches.close()
