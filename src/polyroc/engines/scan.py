"""One pass over rows, wherever they are: counted into cells, looked up in tables, or both."""

import os
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from threading import Lock

import numpy as np

from polyroc.engines.bins import Layout, Placed
from polyroc.engines.counts import Counted
from polyroc.engines.influence_lookup import Lookups, Parts
from polyroc.engines.rows import NULL, Batch
from polyroc.engines.tally import HEAVIEST
from polyroc.errors import InputError
from polyroc.messages import Option
from polyroc.scores import Schema

__all__ = ["Pass", "Plan"]

WORKERS = min(8, os.cpu_count() or 1)
AT_ONCE = 3  # batches that threads work on
MANY = 2**15  # rows that are worth a call of their own kind
CACHED = 2**16  # rows of a column that are done with before the next: what is known of them stays in the cache
NOTHING = np.zeros((1, 0))
Task = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be done with every row.

    Attributes
    ----------
    classifiers, schema, weighted
        By name the numbers of the columns of scores; what is known of the data; whether rows have weights.
    layouts, kinds
        By classifier and column the cells to count in, and the patterns of decisions to count ("wins", ...).
    lookups
        The tables in which to look rows up; None if they need not be.
    first
        Whether nobody has looked at these rows before: scores and weights are then checked. True classes always
        are: they say where to count.
    decide
        Makes decisions of scores, one column per class, before they are counted.
    """

    classifiers: Mapping[str, tuple[int, ...]]
    schema: Schema
    weighted: bool
    layouts: Mapping[str, Mapping[int, Layout]]
    kinds: Sequence[str]
    lookups: Lookups | None
    first: bool
    decide: Callable[[Batch], Batch] | None = None

    def empty(self) -> dict[str, Counted]:
        """By classifier, cells and patterns without cases."""
        return {
            name: Counted(self.schema, layouts, self.kinds, self.weighted, checked=self.first)
            for name, layouts in self.layouts.items()
        }


class Pass:
    """What a pass has found so far.

    Attributes
    ----------
    counted
        By classifier: the cells and patterns.
    lookups
        The sums of products, if rows are looked up.
    seen
        How many rows there were.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan, self.counted, self.lookups = plan, plan.empty(), plan.lookups
        self.seen = 0
        self._locks: dict[int | str, Lock] = defaultdict(Lock)  # of columns, and of classifiers' patterns

    def go_through(self, batches: Generator[Batch], tell: Callable[[int], None]) -> None:
        """See all batches, a few at a time, while the next is being read; stop where something is not finite."""
        with ThreadPoolExecutor(WORKERS + 2) as pool, closing(_ahead(batches, pool)) as coming:
            at_work: deque[tuple[list[Future[None]], Task]] = deque()
            for batch in coming:
                tasks, last = self.see(batch)
                at_work.append(([pool.submit(task) for task in tasks], last))
                if len(at_work) == AT_ONCE:
                    _finish(*at_work.popleft())
                if self.strange() is not None:
                    break
                tell(self.seen)
            for each in at_work:
                _finish(*each)

    def see(self, batch: Batch) -> tuple[list[Task], Task]:
        """What is to be done with some rows: tasks for any threads, and what one does when these are done."""
        if len(batch.codes):
            self._check(batch)
        if self.plan.decide is not None:
            batch = self.plan.decide(batch)
        self.seen += len(batch.codes)
        if self.lookups is None:
            return self._tasks(batch, []), lambda: None
        parts = self.lookups.room(len(batch.codes))
        return self._tasks(batch, parts), partial(self.lookups.add, batch, parts)

    def strange(self) -> int | None:
        """The number of a column in which something is not finite."""
        found = ((name, each.strange()) for name, each in self.counted.items())
        of = self.plan.classifiers
        return next((of[name][place] for name, place in found if place is not None), None)

    def _tasks(self, batch: Batch, parts: Sequence[Parts]) -> list[Task]:
        codes, columns, weight = batch
        of = self.plan.classifiers

        def column(number: int, lock: Lock) -> None:
            with lock:
                if not self._see_at_once(number, batch, parts):
                    for start in range(0, len(codes), CACHED):
                        self._see_column(number, batch, parts, slice(start, start + CACHED))

        def patterns(name: str, lock: Lock) -> None:
            own = [Placed(columns[number]) for number in of[name]]
            with lock:
                self.counted[name].add_patterns(codes, own, weight)

        tasks: list[Task] = [partial(column, i, self._locks[i]) for i in range(len(columns))]
        tasks += [
            partial(patterns, name, self._locks[name]) for name, each in self.counted.items() if each.patterns
        ]
        return tasks + ([] if self.lookups is None else self.lookups.tasks(batch, parts))

    def _see_at_once(self, number: int, batch: Batch, parts: Sequence[Parts]) -> bool:
        """Count a column and look it up by one call, if that is all there is to do with it; whether it was."""
        used = [
            (each, place)
            for name, each in self.counted.items()
            for place, one in enumerate(self.plan.classifiers[name])
            if one == number and place in each.cells
        ]
        readings = [] if self.lookups is None else zip(self.lookups.each, parts, strict=True)
        looks = [(one.tables[number], found[number]) for one, found in readings if number in one.tables]
        if len(batch.codes) < MANY or len(used) != 1 or len(looks) > 1 or batch.weight is not None:
            return False
        (counted, place), values = used[0], batch.columns[number]
        if len(counted.cells[place].layout.levels) > 2:  # compiled for one level and for two
            return False
        depth, table, found = -1, NOTHING, NOTHING[0]
        if looks:
            ((where, table), found) = looks[0]
            at = None if where.layout is None else where.layout.depth_in(counted.cells[place].layout)
            if at is None:
                return False
            depth = at
        counted.see_ends(place, *counted.cells[place].see(values, batch.codes, depth, table, found))
        return True

    def _see_column(self, number: int, batch: Batch, parts: Sequence[Parts], where: slice) -> None:
        codes, scores = batch.codes[where], Placed(batch.columns[number][where])
        weight = None if batch.weight is None else batch.weight[where]
        for name, each in self.counted.items():
            for place, one in enumerate(self.plan.classifiers[name]):
                if one == number:
                    each.add_column(place, codes, scores, weight)
        if self.lookups is not None:
            self.lookups.look(number, scores, codes, parts, where)

    def _check(self, batch: Batch) -> None:
        lowest = int(batch.codes.min())
        if lowest < 0:
            known = f"the classes {[*self.plan.schema.labels]!r}"
            if lowest == NULL:
                raise InputError(
                    "A row has no true class. Complete it, or use ",
                    Option("missing", "drop"),
                    " to drop such rows.",
                )
            raise InputError(
                f"The true class of a row is not among {known}; name every class with ",
                Option("labels", [...]),
                ".",
            )
        if not self.plan.first or batch.weight is None:
            return
        if not (batch.weight.min() >= 0 and batch.weight.max() <= HEAVIEST):
            raise InputError(
                f"Weights must be between 0 and 2^25 and not be missing, got {batch.weight.min():g} to "
                f"{batch.weight.max():g}; correct or scale them."
            )


def _finish(tasks: Sequence[Future[None]], last: Task) -> None:
    for task in tasks:
        task.result()
    last()


def _ahead(batches: Generator[Batch], pool: ThreadPoolExecutor) -> Generator[Batch]:
    """The same batches, each read while the one before is in use."""
    coming = pool.submit(next, batches, None)
    try:
        while (batch := coming.result()) is not None:
            coming = pool.submit(next, batches, None)
            yield batch
    finally:
        coming.exception()  # wait for it: a generator at work cannot be closed
        batches.close()
