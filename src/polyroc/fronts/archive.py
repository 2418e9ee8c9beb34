"""The archive of Algorithm 1: all operating points evaluated so far that no other one dominates.

A point dominates another if none of its objectives is larger and one is smaller (Everson & Fieldsend 2005,
section 2). Objectives are whole numbers, so that dominance is decided exactly and many can be compared at a time.
"""

from dataclasses import dataclass
from math import lcm
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from polyroc.errors import InputError
from polyroc.fronts.result import Growth, growth_points
from polyroc.kernels.archives import WordArray, guard_bits, merge, pack, places_of, sift, unpack_one
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.volumes import DominatedRegion, points_below_chance

__all__ = ["Archive", "FrontBuilder", "Objective", "Objectives", "SlotColumns"]

Objective = Literal["rates", "false_positives"]
LARGEST_OBJECTIVE = 2**60  # a packed field has a guard bit besides, and must fit into a word of 64


@dataclass(frozen=True, slots=True)
class Objectives:
    """From tables of confusion counts to the vectors of whole numbers that are minimised.

    "rates": the Q(Q - 1) error rates. All points have the same class sizes, so counts compare as rates do.

    "false_positives": for each class k the sum over j != k of the share of class j that is assigned to k (the
    false positive rates of Everson & Fieldsend 2005, equation 7), as a whole number of parts of the least common
    multiple of the class sizes. Where that multiple is too large, shares are rounded down to parts of 2^60 / Q.

    >>> table = np.array([[[3, 1], [0, 6]]])
    >>> Objectives("rates", np.array([4, 6])).of(table).tolist()
    [[1, 0]]
    >>> Objectives("false_positives", np.array([4, 6])).of(table).tolist()
    [[0, 3]]
    """

    kind: Objective
    totals: IntArray

    def __post_init__(self) -> None:
        if self.kind not in get_args(Objective):
            raise InputError(f"objectives must be one of {', '.join(get_args(Objective))}, got {self.kind!r}.")

    @property
    def number(self) -> int:
        """How many objectives there are."""
        c = len(self.totals)
        return c if self.kind == "false_positives" else c * (c - 1)

    @property
    def largest(self) -> int:
        """The largest value an objective can have."""
        return int(self.totals.max()) if self.kind == "rates" else (len(self.totals) - 1) * self._denominator

    @property
    def _denominator(self) -> int:
        """The common denominator of the shares of all classes."""
        exact, largest = lcm(*self.totals.tolist()), LARGEST_OBJECTIVE // len(self.totals)
        return min(exact, largest)

    def of(self, tables: IntArray) -> IntArray:
        """Vectors of objectives, from tables x true class x decision."""
        errors = ~np.eye(len(self.totals), dtype=bool)
        if self.kind == "rates":
            return tables[:, errors]
        parts = np.array([self._denominator // total for total in self.totals.tolist()])
        return np.asarray((tables * parts[:, None] * errors).sum(axis=1))


class Archive:
    """An unbounded set of mutually non-dominating vectors of counts; equal vectors are kept once.

    The order of the members depends on nothing but themselves: by rising sum, then by their packed words. Each has
    a slot, under which `SlotColumns` hold what belongs to it; slots of members that leave are used again.

    Parameters
    ----------
    largest
        The largest possible count.
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
        self._members = self._rows(np.empty((0, objectives), dtype=np.int64))
        self._free = np.empty(0, dtype=np.uint64)

    def __len__(self) -> int:
        return int(self._members.shape[1])

    @property
    def counts(self) -> IntArray:
        """Members x objectives."""
        return np.stack([self.objective(d) for d in range(self.objectives)], axis=1)

    @property
    def slots(self) -> IntArray:
        """The slot of each member."""
        return np.asarray(self._members[-1], dtype=np.int64)

    def objective(self, d: int) -> IntArray:
        """One objective of every member."""
        return unpack_one(self._members[1:-1], d, self._largest)

    def slot(self, i: int) -> int:
        """The slot of member i."""
        return int(self._members[-1, i])

    def restore(self, counts: IntArray) -> None:
        """Start from members that are known not to dominate each other; member i gets slot i."""
        members = self._rows(counts)
        members[-1] = np.arange(len(counts), dtype=np.uint64)
        self._members = np.ascontiguousarray(members[:, np.lexsort(members[-2::-1])])

    def insert(self, batch: IntArray) -> tuple[IntArray, IntArray]:
        """Insert a batch (lines 9 to 11 of Algorithm 1): the rows of it that entered, and their slots."""
        newcomers = self._rows(batch)
        order = np.lexsort(newcomers[-2::-1])
        newcomers = np.ascontiguousarray(newcomers[:, order])
        places = np.empty(len(batch), dtype=np.int64)
        places_of(self._members[:-1], newcomers[:-1], places)
        stay, enter = np.empty(len(self), dtype=np.bool_), np.empty(len(batch), dtype=np.bool_)
        sift(self._members[1:-1], newcomers[1:-1], places, self._guard, stay, enter)
        entered = order[enter]
        if not len(entered):
            return entered, np.empty(0, dtype=np.int64)
        newcomers[-1, enter] = slots = self._slots_for(len(entered), stay)
        merged = np.empty((len(newcomers), np.count_nonzero(stay) + len(entered)), dtype=np.uint64)
        merge(self._members, stay, newcomers, enter, places, merged)
        self._members = merged
        return entered, slots.astype(np.int64)

    def _rows(self, counts: IntArray) -> WordArray:
        """Vectors as columns of words: the sum first, which orders them, then the packed counts, last the slot."""
        sums = counts.sum(axis=1, dtype=np.uint64)
        return np.concatenate([sums[None], pack(counts, self._largest), np.zeros((1, len(counts)), np.uint64)])

    def _slots_for(self, n: int, stay: BoolArray) -> WordArray:
        """Slots for n new members: first those that are free, then new ones."""
        used = len(self) + len(self._free)
        free = np.concatenate([self._free, self._members[-1, ~stay]])
        self._free = free[n:]
        return np.concatenate([free[:n], np.arange(used, used + n - len(free[:n]), dtype=np.uint64)])


class SlotColumns:
    """Columns of data that belong to the members of an archive, by slot; they grow as slots are given out.

    >>> columns = SlotColumns(name=np.empty(0, dtype=np.int64))
    >>> columns.put(np.array([0, 1]), name=np.array([5, 7]))
    >>> columns.put(np.array([0]), name=8)
    >>> columns.take("name", np.array([1, 0])).tolist()
    [7, 8]
    """

    def __init__(self, **columns: npt.NDArray[Any]) -> None:
        self._columns = columns

    def put(self, slots: IntArray, **values: object) -> None:
        """Write the values of these slots."""
        needed = int(slots.max(initial=-1)) + 1
        for name, column in self._columns.items():
            if needed > len(column):
                larger = np.empty((max(needed, 2 * len(column)), *column.shape[1:]), dtype=column.dtype)
                larger[: len(column)] = column
                self._columns[name] = larger
            self._columns[name][slots] = values[name]

    def take(self, name: str, slots: IntArray) -> npt.NDArray[Any]:
        """The values of these slots."""
        return self._columns[name][slots]


class FrontBuilder:
    """The front under construction: the archive, the data of its members, and how its size and G grow.

    G is tracked on random points that are drawn once; a point that was dominated stays dominated, so only the
    others are looked at again.

    Parameters
    ----------
    objectives
        What is minimised.
    seed
        The seed of the random points.
    """

    def __init__(self, objectives: Objectives, seed: int) -> None:
        c = len(objectives.totals)
        self.objectives = objectives
        self.archive = Archive(objectives.largest, objectives.number)
        self._columns = SlotColumns(
            counts=np.empty((0, c, c), dtype=np.int64),
            costs=np.empty((0, c, c)),
            model=np.empty(0, dtype=np.int64),
            generation=np.empty(0, dtype=np.int64),
        )
        self._n_points = growth_points(c)
        # [seed, 1]: a stream of its own, so that tracking G does not change the costs drawn from the seed
        points = points_below_chance(c, self._n_points, np.random.default_rng([seed, 1]))
        self._points = self._undominated = np.concatenate(list(points))
        self._unseen: list[IntArray] = []  # tables that entered since the points were looked at
        self.growth = Growth((), (), ())

    def __len__(self) -> int:
        return len(self.archive)

    @property
    def gini(self) -> float:
        """The share of the random points that is dominated, as of the last `record`."""
        return 1.0 - len(self._undominated) / self._n_points

    def add(self, counts: IntArray, costs: FloatArray, model: IntArray | int = 0, generation: int = 0) -> IntArray:
        """Add the tables that no member dominates or equals, with their costs; which of them entered.

        `model` is one number for all, or one for each.
        """
        entered, slots = self.archive.insert(self.objectives.of(counts))
        if len(entered):
            tables, models = counts[entered], np.broadcast_to(model, len(counts))[entered]
            self._columns.put(slots, counts=tables, costs=costs[entered], model=models, generation=generation)
            self._unseen.append(tables)
        return entered

    def model(self, slot: int) -> int:
        """The number of the model behind the member in a slot."""
        return int(self._columns.take("model", np.array([slot]))[0])

    def models_of(self, slots: IntArray) -> IntArray:
        """The numbers of the models behind the members in these slots."""
        return self._columns.take("model", slots)

    def costs_of(self, members: IntArray) -> FloatArray:
        """The costs of members, by their place in the archive."""
        return self._columns.take("costs", self.archive.slots[members])

    def some(self, most: int, rng: np.random.Generator) -> IntArray:
        """The slots of all members, or of a random sample of them if there are more than `most`."""
        slots = self.archive.slots
        return slots[rng.choice(len(slots), most, replace=False)] if len(slots) > most else slots

    def at(self, slots: IntArray) -> tuple[IntArray, FloatArray]:
        """Counts and costs of the members in these slots."""
        return self._columns.take("counts", slots), self._columns.take("costs", slots)

    def restore(
        self, counts: IntArray, costs: FloatArray, model: IntArray, generation: IntArray, growth: Growth
    ) -> None:
        """Start from the points of an earlier front."""
        self.archive.restore(self.objectives.of(counts))
        slots = np.arange(len(counts))
        self._columns.put(slots, counts=counts, costs=costs, model=model, generation=generation)
        self._unseen.append(counts)
        self._update_points()
        self.growth = growth

    def record(self, draws: int, generation: int | None = None) -> None:
        """Add the present size and G to the growth."""
        self.growth = self.growth_at(draws, generation)

    def growth_at(self, draws: int, generation: int | None = None) -> Growth:
        """The growth recorded so far and, unless it is there already, the present size and G."""
        self._update_points()
        if self.growth.draws[-1:] == (draws,):
            return self.growth
        present = (draws, len(self), self.gini, *(() if generation is None else (generation,)))
        return Growth(*((*column, value) for column, value in zip(self.growth, present, strict=False)))

    def _update_points(self) -> None:
        """Remove the random points that new members dominate.

        A member that leaves is dominated by one that entered, so what it dominated stays dominated. This does not
        hold in the space of rates if the objectives are others: then all members and all points are compared.
        """
        if not self._unseen:
            return
        tables = np.concatenate(self._unseen)
        if self.objectives.kind != "rates":
            tables, self._undominated = self._columns.take("counts", self.archive.slots), self._points
        rates = tables / self.objectives.totals[:, None]
        errors = ~np.eye(rates.shape[1], dtype=bool)
        self._undominated = self._undominated[~DominatedRegion(rates[:, errors]).contains(self._undominated)]
        self._unseen.clear()

    def members(self) -> dict[str, npt.NDArray[Any]]:
        """Counts, costs, model and generation of the points, sorted by their error counts."""
        slots = self.archive.slots
        counts = self._columns.take("counts", slots)
        order = np.lexsort(counts[:, ~np.eye(counts.shape[1], dtype=bool)].T[::-1])
        columns = {name: self._columns.take(name, slots[order]) for name in ("costs", "model", "generation")}
        return {"counts": counts[order], **columns}
