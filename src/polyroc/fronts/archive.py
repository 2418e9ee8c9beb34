"""The archive: all vectors of error counts seen that no other one dominates."""

from typing import Any

import numpy as np
import numpy.typing as npt

from polyroc.fronts.objectives import Objectives
from polyroc.fronts.result import Growth
from polyroc.kernels.archives import WordArray, guard_bits, merge, pack, places_of, sift, unpack_one
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.volumes import Shadow, points_below_chance

__all__ = ["Archive", "GrowingFront", "Ledger"]


class Archive:
    """An unbounded set of mutually non-dominating vectors of counts; equal vectors are kept once.

    One vector dominates another if none of its counts is larger and some is smaller. Members stand in an order
    that depends on nothing but themselves: by rising sum, and by their packed words where sums are equal. Each has
    a slot, by which what belongs to it is found in a `Ledger`.

    Parameters
    ----------
    largest
        The largest count that can come.
    objectives
        How many counts make a vector.

    >>> archive = Archive(largest=9, objectives=2)
    >>> archive.insert(np.array([[3, 3], [1, 4], [3, 3], [4, 3]]))
    (array([1, 0]), array([0, 1]))
    >>> archive.insert(np.array([[2, 3]]))
    (array([0]), array([1]))
    >>> archive.counts.tolist(), archive.slots.tolist()
    ([[2, 3], [1, 4]], [1, 0])
    """

    def __init__(self, largest: int, objectives: int) -> None:
        self.objectives = objectives
        self._largest = largest
        self._guard = guard_bits(largest)
        self._members = self._rows(np.empty((0, objectives), dtype=np.int64))  # sums, packed words, slots
        self._free = np.empty(0, dtype=np.uint64)

    def __len__(self) -> int:
        return int(self._members.shape[1])

    @property
    def counts(self) -> IntArray:
        """The members, one a row."""
        return np.stack([self.objective(d) for d in range(self.objectives)], axis=1)

    @property
    def slots(self) -> IntArray:
        """Their slots."""
        return np.asarray(self._members[-1], dtype=np.int64)

    def objective(self, d: int) -> IntArray:
        """One count of every member."""
        return unpack_one(self._members[1:-1], d, self._largest)

    def slot(self, i: int) -> int:
        """The slot of the member at a place."""
        return int(self._members[-1, i])

    def restore(self, counts: IntArray) -> None:
        """Begin with members that are known not to dominate each other; member i gets slot i."""
        members = self._rows(counts)
        members[-1] = np.arange(len(counts), dtype=np.uint64)
        self._members = np.ascontiguousarray(members[:, np.lexsort(members[-2::-1])])

    def insert(self, batch: IntArray) -> tuple[IntArray, IntArray]:
        """Put a batch in: which rows of it entered, and their slots; those of members that go are used again."""
        comers = self._rows(batch)
        order = np.lexsort(comers[-2::-1])
        comers = np.ascontiguousarray(comers[:, order])
        places = np.empty(len(batch), dtype=np.int64)
        places_of(self._members[:-1], comers[:-1], places)
        stay, enter = np.empty(len(self), dtype=np.bool_), np.empty(len(batch), dtype=np.bool_)
        sift(self._members[1:-1], comers[1:-1], places, self._guard, stay, enter)
        entered = order[enter]
        if len(entered):
            comers[-1, enter] = slots = self._slots_for(len(entered), stay)
            merged = np.empty((len(comers), np.count_nonzero(stay) + len(entered)), dtype=np.uint64)
            merge(self._members, stay, comers, enter, places, merged)
            self._members = merged
            return entered, slots.astype(np.int64)
        return entered, np.empty(0, dtype=np.int64)

    def _rows(self, counts: IntArray) -> WordArray:
        sums = counts.sum(axis=1, dtype=np.uint64)
        return np.concatenate([sums[None], pack(counts, self._largest), np.zeros((1, len(counts)), np.uint64)])

    def _slots_for(self, n: int, stay: BoolArray) -> WordArray:
        used = len(self) + len(self._free)
        free = np.concatenate([self._free, self._members[-1, ~stay]])
        self._free = free[n:]
        return np.concatenate([free[:n], np.arange(used, used + n - len(free[:n]), dtype=np.uint64)])


class Ledger:
    """What belongs to the members of an archive, by slot, in columns that grow as slots are given out.

    >>> ledger = Ledger(name=np.empty(0, dtype=np.int64))
    >>> ledger.put(np.array([0, 1]), name=np.array([5, 7]))
    >>> ledger.put(np.array([0]), name=8)
    >>> ledger.take("name", np.array([1, 0])).tolist()
    [7, 8]
    """

    def __init__(self, **columns: npt.NDArray[Any]) -> None:
        self._columns = columns

    def put(self, slots: IntArray, **values: object) -> None:
        """Write the values of these slots."""
        room = int(slots.max(initial=-1)) + 1
        for name, column in self._columns.items():
            if room > len(column):
                larger = np.empty((max(room, 2 * len(column)), *column.shape[1:]), dtype=column.dtype)
                larger[: len(column)] = column
                self._columns[name] = larger
            self._columns[name][slots] = values[name]

    def take(self, name: str, slots: IntArray) -> npt.NDArray[Any]:
        """The values of these slots."""
        return self._columns[name][slots]


WITNESSES = 20_000  # points on which the growth of the dominated volume is counted; fewer for very many classes
NUMBERS = 2**24  # that the witnesses may hold


class GrowingFront:
    """The operating points so far that no other one dominates, and how their number and volume grew.

    Parameters
    ----------
    objectives
        What is to be small.
    seed
        Of the random points on which the dominated volume is counted.
    """

    def __init__(self, objectives: Objectives, seed: int) -> None:
        c = len(objectives.totals)
        self.objectives = objectives
        self.archive = Archive(objectives.largest, objectives.number)
        self._ledger = Ledger(
            counts=np.empty((0, c, c), dtype=np.int64),
            costs=np.empty((0, c, c)),
            model=np.empty(0, dtype=np.int64),
            generation=np.empty(0, dtype=np.int64),
        )
        self._witnesses = min(WITNESSES, NUMBERS // c**2)
        drawn = points_below_chance(c, self._witnesses, np.random.default_rng([seed, 1]))
        self._all = self._open = np.concatenate(list(drawn))
        self._new: list[IntArray] = []
        self.growth = Growth((), (), ())

    def __len__(self) -> int:
        return len(self.archive)

    @property
    def gini(self) -> float:
        """The share of the witnesses that is dominated; up to date after `look`."""
        return 1.0 - len(self._open) / self._witnesses

    def add(self, counts: IntArray, costs: FloatArray, model: int = 0, generation: int = 0) -> bool:
        """Let tables of counts in, with the costs they come from, unless something dominates or equals them.

        True if any was let in.
        """
        entered, slots = self.archive.insert(self.objectives.of(counts))
        if len(entered):
            found = counts[entered]
            self._ledger.put(slots, counts=found, costs=costs[entered], model=model, generation=generation)
            self._new.append(found)
        return len(entered) > 0

    def model(self, slot: int) -> int:
        """The number of the model behind the member of a slot."""
        return int(self._ledger.take("model", np.array([slot]))[0])

    def restore(
        self, counts: IntArray, costs: FloatArray, model: IntArray, generation: IntArray, growth: Growth
    ) -> None:
        """Begin with the points of a front that was found before."""
        self.archive.restore(self.objectives.of(counts))
        slots = np.arange(len(counts))
        self._ledger.put(slots, counts=counts, costs=costs, model=model, generation=generation)
        self._new.append(counts)
        self._strike()
        self.growth = growth

    def look(self, draws: int, generation: int | None = None) -> None:
        """Write down how large the front is by now."""
        self.growth = self.seen(draws, generation)

    def seen(self, draws: int, generation: int | None = None) -> Growth:
        """What is written down, and how large the front is by now."""
        self._strike()
        if self.growth.draws[-1:] == (draws,):
            return self.growth
        now = (draws, len(self), self.gini, *(() if generation is None else (generation,)))
        return Growth(*((*before, each) for before, each in zip(self.growth, now, strict=False)))

    def _strike(self) -> None:
        """Take away the witnesses that the new points dominate.

        A member that goes is dominated by one that came, so what it dominated stays dominated; not so where other
        objectives than the rates decide who goes, so there all are looked at again.
        """
        if not self._new:
            return
        tables = np.concatenate(self._new)
        if self.objectives.kind != "rates":
            tables, self._open = self._ledger.take("counts", self.archive.slots), self._all
        rates = tables / self.objectives.totals[:, None]
        off = ~np.eye(rates.shape[1], dtype=bool)
        self._open = self._open[~Shadow(rates[:, off]).over(self._open)]
        self._new.clear()

    def members(self) -> dict[str, npt.NDArray[Any]]:
        """Counts, costs, model and generation of the points, by rising rates of the errors in their order."""
        slots = self.archive.slots
        counts = self._ledger.take("counts", slots)
        order = np.lexsort(counts[:, ~np.eye(counts.shape[1], dtype=bool)].T[::-1])
        kept = {name: self._ledger.take(name, slots[order]) for name in ("costs", "model", "generation")}
        return {"counts": counts[order], **kept}
