"""Which member of the archive becomes a parent."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.archive import Archive, GrowingFront
from polyroc.fronts.cases import Training
from polyroc.fronts.cost_sampling import Costs
from polyroc.fronts.families.family import WatchedFamily
from polyroc.fronts.fixed_classifier import two_classes
from polyroc.fronts.result import Front, Growth
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr

__all__ = ["Evolution", "Selection", "Start", "checked_selection", "select"]


Selection = Literal["pqrs", "uniform"]
INTERVALS = 50  # into which the archive's range on an objective is cut


def checked_selection(selection: Selection) -> Selection:
    """The same, if there is such a selection."""
    if selection not in get_args(Selection):
        raise InputError(f"selection must be one of {', '.join(get_args(Selection))}, got {selection!r}.")
    return selection


def select(archive: Archive, selection: Selection, rng: np.random.Generator) -> int:
    """The slot of a member.

    "uniform": each is as likely. "pqrs", partitioned quasi-random selection: an objective is drawn, the archive's
    range on it is cut into intervals of equal width, one of those that are not empty is drawn, and a member of it,
    so that crowds of similar members are not favoured.

    References
    ----------
    Fieldsend, Everson & Singh, IEEE Transactions on Evolutionary Computation 7 (2003) 305-323.
    """
    if selection == "uniform":
        return archive.slot(int(rng.integers(len(archive))))
    values = archive.objective(int(rng.integers(archive.objectives)))
    low, high = values.min(), values.max()
    width = max(float(high - low), 1.0)
    interval = np.minimum(((values - low) * (INTERVALS / width)).astype(np.int64), INTERVALS - 1)
    filled = np.flatnonzero(np.bincount(interval, minlength=INTERVALS))
    members = np.flatnonzero(interval == filled[rng.integers(len(filled))])
    return archive.slot(int(members[rng.integers(len(members))]))


Start = Literal["fitted", "random"]
SWEEP = 10_000  # cost vectors drawn for what the search starts from
AS_PRINTED = 100  # parameters drawn at random, with one cost vector each
EVERY = 10  # generations between two looks at the growth


@dataclass(slots=True)
class Evolution:
    """The search as it stands: the front so far, the parameters behind it, and the random numbers to come."""

    family: WatchedFamily
    training: Training
    costs: Costs
    per_generation: int
    selection: Selection
    front: GrowingFront
    rng: np.random.Generator
    pool: ThreadPoolExecutor
    workers: int
    generation: int = 0
    draws: int = 0
    models: list[FloatArray] = field(default_factory=list)

    def begin(self, start: Any) -> None:
        """The first archive: from a fit, from parameters given, or from parameters drawn at random."""
        if isinstance(start, str) and start not in get_args(Start):
            raise InputError(f"start must be one of {', '.join(get_args(Start))}, or parameters, got {start!r}.")
        X, y, named = self.training.X, self.training.y, start if isinstance(start, str) else ""
        kept = self.family.keep(X, y)
        first = None if kept and named != "fitted" else self.family.start(X, y, self.rng)
        if named == "random":
            for _ in range(AS_PRINTED):
                self._try(self.family.random(X, y, self.rng), 1)
        else:
            vectors = [first] if named and first is not None else self._given(start)
            for vector in vectors:
                self._try(vector, max(self.per_generation, SWEEP // len(vectors)))
        self.front.look(self.draws, 0)

    def restore(self, found: Front) -> None:
        """Stand where the search that found a front stood."""
        assert found.search is not None
        if not self.family.keep(self.training.X, self.training.y):
            self.family.start(self.training.X, self.training.y, np.random.default_rng(0))
        self.family.given(found.search.models[0])
        self.models = list(found.search.models)
        self.rng.bit_generator.state = found.search.state
        self.generation, self.draws = found.search.generations, found.growth.draws[-1]
        steps = zip(*found.growth, strict=True)
        regular = Growth(*zip(*(step for step in steps if step[-1] % EVERY == 0), strict=True))
        self.front.restore(found.counts, found.costs, found.search.place, found.search.generation, regular)

    def _given(self, start: Any) -> list[FloatArray]:
        try:
            table = np.atleast_2d(np.asarray(start, dtype=np.float64))
        except (TypeError, ValueError):
            table = np.empty((0, 0))
        if table.ndim != 2 or len(table) == 0:
            raise InputError(f"start must hold parameters, one vector a row, got {short_repr(start)}.")
        return [self.family.given(vector) for vector in table]

    def step(self) -> None:
        """One generation; if it is interrupted, as if it had not begun."""
        before = self.rng.bit_generator.state
        try:
            self.family.generation = self.generation + 1
            parent = self.front.model(select(self.front.archive, self.selection, self.rng))
            child = self.family.perturb(self.models[parent], self.rng)
            found = self._judged(child, self.per_generation)
        except BaseException:
            self.rng.bit_generator.state = before
            raise
        self.generation += 1
        self._keep(child, *found)
        if self.generation % EVERY == 0:
            self.front.look(self.draws, self.generation)

    def _try(self, parameters: FloatArray, n: int) -> None:
        self._keep(parameters, *self._judged(parameters, n))

    def _judged(self, parameters: FloatArray, n: int) -> tuple[IntArray, FloatArray, int]:
        """The tables that these parameters lead to, the costs behind each, and how many costs were looked at.

        For two classes every threshold is looked at instead.
        """
        cases = self.training.judged(self.family.posteriors(parameters, self.training.X))
        if len(cases.totals) == 2:
            return two_classes(cases, self.costs.ratios)
        costs = self.costs.draw(n, self.rng)
        return cases.tally(costs, self.pool, self.workers), costs, n

    def _keep(self, parameters: FloatArray, counts: IntArray, costs: FloatArray, looked: int) -> None:
        self.draws += looked
        if self.front.add(counts, costs, len(self.models), self.generation):
            self.models.append(parameters)
