"""Multi-objective evolution of the parameters of a classifier: Algorithm 1 of Everson & Fieldsend (2005)."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.archive import Archive, FrontBuilder
from polyroc.fronts.cases import TrainingData
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.families.family import CheckedFamily
from polyroc.fronts.fixed_classifier import threshold_front
from polyroc.fronts.result import Front, Growth
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr

__all__ = ["GROWTH_INTERVAL", "Evolution", "Selection", "Start", "checked_selection", "select"]


Selection = Literal["pqrs", "uniform"]
Start = Literal["fitted", "random"]

PQRS_INTERVALS = 50  # into which the range of an objective is cut; the paper does not say how many
START_DRAWS = 10_000  # cost vectors for the parameters a search starts from: one fit deserves a dense sweep
RANDOM_STARTS = 100  # random parameter vectors with one cost vector each, as in section 3 of the paper
GROWTH_INTERVAL = 10  # generations between two records of the growth


def checked_selection(selection: Selection) -> Selection:
    """The selection, if it is one of those known."""
    if selection not in get_args(Selection):
        raise InputError(f"selection must be one of {', '.join(get_args(Selection))}, got {selection!r}.")
    return selection


def select(archive: Archive, selection: Selection, rng: np.random.Generator) -> int:
    """Select a member as a parent (line 3 of Algorithm 1), and give its slot.

    "uniform": each member is equally likely.

    "pqrs", partitioned quasi-random selection: an objective is drawn, the range of the archive on it is cut into
    intervals of equal width, one of those that are not empty is drawn, and a member of it. Clusters of similar
    members are then not selected more often than lonely ones, which would bias the search towards them.

    References
    ----------
    Fieldsend, Everson & Singh, IEEE Transactions on Evolutionary Computation 7 (2003) 305-323.
    """
    if selection == "uniform":
        return archive.slot(int(rng.integers(len(archive))))
    values = archive.objective(int(rng.integers(archive.objectives)))
    low, high = values.min(), values.max()
    width = max(float(high - low), 1.0)  # all members equal on this objective: one interval holds them
    # the largest value would fall into an interval of its own
    interval = np.minimum(((values - low) * (PQRS_INTERVALS / width)).astype(np.int64), PQRS_INTERVALS - 1)
    filled = np.flatnonzero(np.bincount(interval, minlength=PQRS_INTERVALS))
    members = np.flatnonzero(interval == filled[rng.integers(len(filled))])
    return archive.slot(int(members[rng.integers(len(members))]))


@dataclass(slots=True)
class Evolution:
    """The state of a search: the front so far, the parameters behind it, and the random number generator.

    The costs of the parent (its lambda in Algorithm 1) are not used: only its parameters are perturbed, and costs
    are drawn anew (lines 4 and 6).

    Attributes
    ----------
    family, training, costs
        What is searched: classifiers, on these cases, under this distribution of costs.
    per_generation, selection
        Cost vectors in each generation (N_lambda), and how a parent is selected.
    front, models
        The archive, and the parameter vectors that its members refer to by number.
    generation, draws
        How many generations and cost vectors there were so far.
    """

    family: CheckedFamily
    training: TrainingData
    costs: CostDistribution
    per_generation: int
    selection: Selection
    front: FrontBuilder
    rng: np.random.Generator
    pool: ThreadPoolExecutor
    workers: int
    generation: int = 0
    draws: int = 0
    models: list[FloatArray] = field(default_factory=list)

    def initialise(self, start: Any) -> None:
        """Fill the archive (line 1): from a fit, from parameters of the caller, or from random parameters."""
        if isinstance(start, str) and start not in get_args(Start):
            raise InputError(f"start must be one of {', '.join(get_args(Start))}, or parameters, got {start!r}.")
        X, y, named = self.training.X, self.training.y, start if isinstance(start, str) else ""
        kept = self.family.keep(X, y)
        # a family without `keep` sees the training cases in `start`, so it is called even if its fit is not used
        fitted = None if kept and named != "fitted" else self.family.start(X, y, self.rng)
        if named == "random":
            for _ in range(RANDOM_STARTS):
                self._try(self.family.random(X, y, self.rng), 1)
        else:
            vectors = [fitted] if named and fitted is not None else self._parameters(start)
            for vector in vectors:
                self._try(vector, max(self.per_generation, START_DRAWS // len(vectors)))
        self.front.record(self.draws, 0)

    def restore(self, front: Front) -> None:
        """Take the state of the search that found a front."""
        assert front.search is not None
        if not self.family.keep(self.training.X, self.training.y):
            self.family.start(self.training.X, self.training.y, np.random.default_rng(0))
        self.family.checked_start(front.search.models[0])
        self.models = list(front.search.models)
        self.rng.bit_generator.state = front.search.state
        self.generation, self.draws = front.search.generations, front.growth.draws[-1]
        # an interrupted search has recorded its last generation too; an uninterrupted one would not have
        steps = zip(*front.growth, strict=True)
        regular = Growth(*zip(*(step for step in steps if step[-1] % GROWTH_INTERVAL == 0), strict=True))
        self.front.restore(front.counts, front.costs, front.search.place, front.search.generation, regular)

    def _parameters(self, start: Any) -> list[FloatArray]:
        """The parameter vectors that a caller gives as `start`."""
        try:
            table = np.atleast_2d(np.asarray(start, dtype=np.float64))
        except (TypeError, ValueError):
            table = np.empty((0, 0))
        if table.ndim != 2 or len(table) == 0:
            raise InputError(f"start must hold parameters, one vector a row, got {short_repr(start)}.")
        return [self.family.checked_start(vector) for vector in table]

    def step(self) -> None:
        """Run one generation (lines 3 to 13); after an exception the state is that before it."""
        state = self.rng.bit_generator.state
        try:
            self.family.generation = self.generation + 1
            parent = self.front.model(select(self.front.archive, self.selection, self.rng))
            child = self.family.perturb(self.models[parent], self.rng)
            counts, costs, draws = self._evaluate(child, self.per_generation)
        except BaseException:
            self.rng.bit_generator.state = state
            raise
        self.generation += 1
        self._insert(child, counts, costs, draws)
        if self.generation % GROWTH_INTERVAL == 0:
            self.front.record(self.draws, self.generation)

    def _try(self, parameters: FloatArray, n: int) -> None:
        self._insert(parameters, *self._evaluate(parameters, n))

    def _evaluate(self, parameters: FloatArray, n: int) -> tuple[IntArray, FloatArray, int]:
        """Confusion counts under n cost vectors (lines 5 to 7), the costs, and how many there were.

        The posteriors are computed once. For two classes all thresholds take the place of the cost vectors.
        """
        cases = self.training.with_posteriors(self.family.posteriors(parameters, self.training.X))
        if len(cases.totals) == 2:
            return threshold_front(cases, self.costs.ratios)
        costs = self.costs.sample(n, self.rng)
        return cases.confusion_counts(costs, self.pool, self.workers), costs, n

    def _insert(self, parameters: FloatArray, counts: IntArray, costs: FloatArray, draws: int) -> None:
        """Lines 9 to 11; parameters are kept only if one of their points entered the archive."""
        self.draws += draws
        if self.front.add(counts, costs, len(self.models), self.generation):
            self.models.append(parameters)
