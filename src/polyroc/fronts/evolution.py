"""Multi-objective evolution of the parameters of a classifier: Algorithm 1 of Everson & Fieldsend (2005).

"printed" is Algorithm 1 as the paper has it; "adaptive" makes other children: see `children` for families whose
parameters may be added, and `Evolution._costs` for others.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.archive import Archive, FrontBuilder
from polyroc.fronts.cases import Cases, TrainingData
from polyroc.fronts.children import Offspring
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.cost_proposals import AdaptiveCosts, Targets, first_costs, scaled
from polyroc.fronts.families.family import CheckedFamily
from polyroc.fronts.fixed_classifier import threshold_front
from polyroc.fronts.result import Front, Growth
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr

__all__ = ["GROWTH_INTERVAL", "Algorithm", "Evolution", "Selection", "Start", "checked", "select"]


Algorithm = Literal["adaptive", "printed"]
Selection = Literal["pqrs", "uniform"]
Start = Literal["fitted", "random"]
_Child = tuple[FloatArray, IntArray, FloatArray, int]
"""Parameters, confusion counts and costs of each point, and how many cost vectors were tried."""

PQRS_INTERVALS = 50  # into which the range of an objective is cut; the paper does not say how many
START_DRAWS = 10_000  # cost vectors for the parameters a search starts from: one fit deserves a dense sweep
SHORT_START = 2000  # the same where costs and parameters evolve together: more would be found by children as well
RANDOM_STARTS = 100  # random parameter vectors with one cost vector each, as in section 3 of the paper
GROWTH_INTERVAL = 10  # generations between two records of the growth
START_BATCH = 100  # cost vectors of the sweep of a fit, after each of which the proposals learn
INHERITED = 0.3  # share of the cost vectors of a child that are those of members of the archive
COST_STEP = 0.3  # standard deviation of the logarithms of half of these
AIMED = 0.6  # share that is aimed at targets, points that no member dominates
AIM_SIZES, AIM_NOISE = (0.1, 0.3, 1.0), 0.3  # of the steps of their costs
MOST_NUMBERS = 2**22  # posteriors at a time: 32 MB
NEAREST = 300  # members among which the nearest to a target is sought


def checked(name: str, value: Any, known: Any) -> Any:
    """The value of an option, if it is one of those known."""
    if value not in get_args(known):
        raise InputError(f"{name} must be one of {', '.join(get_args(known))}, got {value!r}.")
    return value


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
    per_generation, selection, algorithm
        Cost vectors in each generation (N_lambda), how a parent is selected if not by targets, and whether
        children are made as printed.
    front, models
        The archive, and the parameter vectors that its members refer to by number: those of which a point entered.
    generation, draws
        How many generations and cost vectors there were so far.
    n_models
        The number of the next parameter vector.
    offspring
        Makes the children if parameters and costs evolve together.
    """

    family: CheckedFamily
    training: TrainingData
    costs: CostDistribution
    per_generation: int
    selection: Selection
    algorithm: Algorithm
    front: FrontBuilder
    rng: np.random.Generator
    pool: ThreadPoolExecutor
    workers: int
    targets: Targets
    generation: int = 0
    draws: int = 0
    models: dict[int, FloatArray] = field(default_factory=dict)
    n_models: int = 0
    offspring: Offspring = field(init=False)

    def __post_init__(self) -> None:
        self.offspring = Offspring(self.front, self.models, self.targets, self.costs, self.family.perturb_each)

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
                self._try(self.family.random(X, y, self.rng), self.costs.sample(1, self.rng))
        else:
            vectors = [fitted] if named and fitted is not None else self._parameters(start)
            draws = SHORT_START if self._together else START_DRAWS
            for vector in vectors:
                self._sweep(vector, max(self.per_generation, draws // len(vectors)))
        self.front.record(self.draws, 0)

    def restore(self, front: Front) -> None:
        """Take the state of the search that found a front."""
        assert front.search is not None
        if not self.family.keep(self.training.X, self.training.y):
            self.family.start(self.training.X, self.training.y, np.random.default_rng(0))
        self.family.checked_start(front.search.models[0])
        self.models.update(enumerate(front.search.models))
        self.n_models = len(self.models)
        self._restore_state(dict(front.search.state))
        self.generation, self.draws = front.search.generations, front.growth.draws[-1]
        # an interrupted search has recorded its last generation too; an uninterrupted one would not have
        steps = zip(*front.growth, strict=True)
        regular = Growth(*zip(*(step for step in steps if step[-1] % GROWTH_INTERVAL == 0), strict=True))
        self.front.restore(front.counts, front.costs, front.search.place, front.search.generation, regular)
        self._remove_targets(front.counts)

    @property
    def state(self) -> dict[str, Any]:
        """All that a resumed search cannot know from the front: random numbers, and what operators have gained."""
        state = dict(self.rng.bit_generator.state)
        if self._together:
            state["operators"] = self.offspring.bandit.state
        return state

    def _restore_state(self, state: dict[str, Any]) -> None:
        """Take the `state` of another search; one of an earlier version has no operators."""
        operators = state.pop("operators", None)
        self.rng.bit_generator.state = state
        if self._together and operators is not None:
            self.offspring.bandit.restore(operators)

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
            children = self._children()
        except BaseException:
            self.rng.bit_generator.state = state
            raise
        self.generation += 1
        gains = self._insert_all(children)
        if self._together:
            self.offspring.learn(gains)
        if self.generation % GROWTH_INTERVAL == 0:
            self.front.record(self.draws, self.generation)

    @property
    def _together(self) -> bool:
        """Whether parameters and costs evolve together, one cost vector for each child."""
        many = len(self.training.totals) > 2
        return self.algorithm == "adaptive" and self.family.is_continuous and many

    def _children(self) -> list[_Child]:
        """The children of a generation, evaluated (lines 3 to 7): one, unless costs evolve together with them."""
        n = self.per_generation
        if self._together:
            return self._evaluate_each(*self.offspring.children(n, self.rng))
        parent = self.front.model(select(self.front.archive, self.selection, self.rng))
        child = self.family.perturb(self.models[parent], self.rng)
        costs = self.costs.sample(n, self.rng) if self.algorithm == "printed" else self._costs(n)
        return [(child, *self._evaluate(child, costs))]

    def _evaluate_each(self, vectors: FloatArray, costs: FloatArray) -> list[_Child]:
        """Children with one cost vector each, as many at a time as the memory allows."""
        size = max(1, MOST_NUMBERS // (len(self.training.X) * len(self.training.totals)))
        counts = [
            self.training.counts_of_each(
                self.family.posteriors_of_each(vectors[i : i + size], self.training.X), costs[i : i + size]
            )
            for i in range(0, len(vectors), size)
        ]
        tables = np.concatenate(counts)[:, None]
        return [(*child, 1) for child in zip(vectors, tables, costs[:, None], strict=True)]

    def _costs(self, n: int) -> FloatArray:
        """The cost vectors of a child (line 6): those of members, varied, some aimed, and some drawn anew.

        The posteriors of a child are near those of its parent, so that costs which made points of the front are
        likely to do so again.
        """
        if len(self.training.totals) == 2:
            return self.costs.sample(n, self.rng)
        inherited = self.front.costs_of(self._members(int(INHERITED * n)))
        inherited[::2] *= np.exp(COST_STEP * self.rng.normal(size=inherited[::2].shape))
        sizes, slots = self.rng.choice(AIM_SIZES, size=int(AIMED * n)), self.front.some(NEAREST, self.rng)
        aimed, _ = self.targets.aimed(self.front, slots, sizes, AIM_NOISE, self.rng)
        costs = scaled(np.concatenate([inherited, aimed]))
        costs = costs[self.costs.within_bounds(costs)]
        return np.concatenate([costs, self.costs.sample(n - len(costs), self.rng)])

    def _members(self, n: int) -> IntArray:
        """Random members, by their place in the archive: the same whether a search was resumed or not."""
        return np.asarray(self.rng.integers(len(self.front), size=n))

    def _sweep(self, parameters: FloatArray, n: int) -> None:
        """Try one parameter vector under n cost vectors: proposed ones, as for a fixed classifier, or drawn."""
        if self.algorithm == "printed" or len(self.training.totals) == 2:
            self._try(parameters, self.costs.sample(n, self.rng))
            return
        cases = self._cases(parameters)
        first = first_costs(cases.totals)
        first = first[self.costs.within_bounds(first)][:n]
        proposals = AdaptiveCosts(self.front, self.costs, self.rng)
        model, done = self.n_models, 0
        while done < n:
            costs = first if not done and len(first) else proposals.sample(min(START_BATCH, n - done))
            counts = cases.confusion_counts(costs, self.pool, self.workers)
            new = self.front.add(counts, costs, model, self.generation)
            self._remove_targets(counts[new])
            if len(new):
                self.models[model] = parameters
            if costs is first:
                proposals.add(counts)
            else:
                proposals.learn(counts)
            done += len(costs)
        self.draws += n
        self.n_models += 1

    def _try(self, parameters: FloatArray, costs: FloatArray) -> None:
        self._insert(parameters, *self._evaluate(parameters, costs))

    def _cases(self, parameters: FloatArray) -> Cases:
        return self.training.with_posteriors(self.family.posteriors(parameters, self.training.X))

    def _evaluate(self, parameters: FloatArray, costs: FloatArray) -> tuple[IntArray, FloatArray, int]:
        """Confusion counts under cost vectors (lines 5 to 7), the costs, and how many there were.

        The posteriors are computed once. For two classes all thresholds take the place of the cost vectors.
        """
        cases = self._cases(parameters)
        if len(cases.totals) == 2:
            return threshold_front(cases, self.costs.ratios)
        return cases.confusion_counts(costs, self.pool, self.workers), costs, len(costs)

    def _insert(self, parameters: FloatArray, counts: IntArray, costs: FloatArray, draws: int) -> None:
        """Lines 9 to 11; parameters are kept only if one of their points entered the archive."""
        self._insert_all([(parameters, counts, costs, draws)])

    def _insert_all(self, children: Sequence[_Child]) -> IntArray:
        """The same for several, in one comparison with the archive; by target dominated, the child that does."""
        self.draws += sum(draws for *_, draws in children)
        child = np.repeat(np.arange(len(children)), [len(counts) for _, counts, _, _ in children])
        counts, costs = (np.concatenate([one[i] for one in children]) for i in (1, 2))
        entered = self.front.add(counts, costs, self.n_models + child, self.generation)
        self.models.update((self.n_models + i, children[i][0]) for i in np.unique(child[entered]).tolist())
        self.n_models += len(children)
        return np.asarray(child[entered][self._remove_targets(counts[entered])])

    def _remove_targets(self, counts: IntArray) -> IntArray:
        """Remove the targets that new members dominate; for each of them, which member.

        With other objectives than rates a member may leave for one that does not dominate it in rates; a resumed
        search could then not know which targets it had removed, so all are kept.
        """
        if self.algorithm == "adaptive" and self.front.objectives.kind == "rates" and len(counts):
            return self.targets.remove(counts)
        return np.empty(0, dtype=np.int64)
