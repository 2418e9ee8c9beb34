"""A front as it grows: its archive, what belongs to the members, and the volume they dominate so far."""

from typing import Any

import numpy as np
import numpy.typing as npt

from polyroc.fronts.archive import Archive, Ledger
from polyroc.fronts.objectives import Objectives
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.regions import Shadow, points_below_chance
from polyroc.results.front import Growth

__all__ = ["GrowingFront"]

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
