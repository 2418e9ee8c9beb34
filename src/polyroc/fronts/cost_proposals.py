"""Which costs a front tries next: first those that no front may miss, then by what has paid so far.

With many classes nearly all costs drawn from one distribution lead to points that dominate nothing below chance,
and which distribution is good depends on the classifier. Three things are done about it. Some costs are always
tried: equal ones, those of equal priors, and each error emphasised and played down. Costs are drawn from several
distributions, from nearly equal to very unequal ones, and a bandit gives more draws to those by which G rises.
And costs are aimed: for a random target that no point dominates yet, the point that exceeds it least has its costs
raised where its rates are above the target, and lowered where they are below.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from polyroc.fronts.archive import FrontBuilder
from polyroc.fronts.bandit import Bandit
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.result import MOST_NUMBERS
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.targets import first_below, least_excess
from polyroc.kernels.threads import run_concurrently
from polyroc.kernels.volumes import points_below_chance

__all__ = ["AdaptiveCosts", "Targets", "budget", "first_costs", "scaled"]

LEAST_BUDGET, MOST_BUDGET = 10_000, 30_000  # cost vectors by default: up to six classes, and from ten on
BUDGET_PER_ERROR = 333  # cost vectors by default per kind of error, between the two
EMPHASES = (5.0, 0.2)  # factors of the cost of one error, all others equal
PARTS = 8  # of the targets, which threads share
TARGETS = 20_000  # random points that are aimed at and that count what a distribution has gained; not those of G
MOST_BYTES = 2**24  # of the points that are remembered, so that they are compared with the targets only once
PARENTS = 1000  # points of the front among which the nearest to a target is sought
DECAY = 0.8  # weight of the draws before, in each batch

Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]


def _lognormal(width: float) -> Draw:
    return lambda rng, shape: np.asarray(np.exp(width * rng.normal(size=shape)))


def _gamma(alpha: float) -> Draw:
    return lambda rng, shape: np.asarray(rng.gamma(alpha, size=shape))  # Dirichlet, once divided by the sum


WIDTHS: tuple[Draw, ...] = (*map(_lognormal, (0.15, 0.3, 0.45, 0.6, 1.0)), *map(_gamma, (1.0, 0.4)))
"""Distributions of the costs, relative to those of equal priors."""
UNIFORM = 5  # the place of the gamma distribution of shape 1, whose shares are uniform
AIMS = ((0.1, 0.1), (0.3, 0.1), (1.0, 0.2), (0.3, 0.3), (1.0, 0.4))
"""Size of an aimed step, and standard deviation of the random one, both of the logarithms of costs."""
DOWN = 0.3  # by how much less a cost is lowered than it would be raised


def budget(classes: int) -> int:
    """The number of cost vectors if none is given: more for more classes.

    >>> [budget(classes) for classes in (3, 6, 7, 10, 20)]
    [10000, 10000, 13986, 29970, 30000]
    """
    return int(np.clip(BUDGET_PER_ERROR * classes * (classes - 1), LEAST_BUDGET, MOST_BUDGET))


def scaled(costs: FloatArray) -> FloatArray:
    """Cost matrices divided by their sums."""
    return np.asarray(costs / costs.sum(axis=(1, 2), keepdims=True))


def first_costs(totals: IntArray) -> FloatArray:
    """Costs that every front tries: equal ones, those of equal priors, and one error emphasised or played down.

    The priors of the cases divide the costs of equal priors: errors then count as rates, which G is made of.

    >>> first_costs(np.array([1, 3])).round(3).tolist()[:2]
    [[[0.0, 0.5], [0.5, 0.0]], [[0.0, 0.75], [0.25, 0.0]]]
    >>> len(first_costs(np.array([1, 3, 2])))
    14
    """
    c = len(totals)
    equal = 1.0 - np.eye(c)
    rates = _rate_costs(totals)
    errors = np.argwhere(equal > 0)
    emphasised = np.repeat(rates[None], len(EMPHASES) * len(errors), axis=0)
    for i, (error, factor) in enumerate((error, factor) for factor in EMPHASES for error in errors.tolist()):
        emphasised[i, error[0], error[1]] *= factor
    return scaled(np.concatenate([equal[None], rates[None], emphasised]))


def _rate_costs(totals: IntArray) -> FloatArray:
    """Costs under which each class counts the same."""
    return np.asarray((1.0 - np.eye(len(totals))) / totals[:, None] * totals.mean())


class Targets:
    """Random points below chance that no point of the front dominates yet.

    Parameters
    ----------
    totals
        The number of cases of each class.
    rng
        The source of the points.
    """

    def __init__(self, totals: IntArray, rng: np.random.Generator) -> None:
        c = len(totals)
        self._errors = ~np.eye(c, dtype=bool)
        self._totals = totals
        self._one_case = (1.0 / totals)[:, None].repeat(c, axis=1)[self._errors]
        self.points = np.concatenate(list(points_below_chance(c, min(TARGETS, MOST_NUMBERS // c**2), rng)))
        self._seen: set[bytes] = set()
        self._parents: tuple[IntArray, FloatArray, FloatArray] | None = None  # slots, rates, costs of the last

    def remove(self, counts: IntArray) -> IntArray:
        """Remove those that these points dominate; for each of them, the first point that does."""
        new = self._first_seen(counts)
        if not len(new):
            return new
        first = np.empty(len(self.points), dtype=np.int64)
        rates = self._rates(counts[new])
        order = np.argsort(-rates, axis=1)
        ends = np.linspace(0, len(first), PARTS + 1).astype(np.intp).tolist()

        def find(part: int) -> None:
            own = slice(ends[part], ends[part + 1])
            first_below(rates, order, self.points[own], first[own])

        run_concurrently(find, PARTS, rates.size * len(first) // 64)
        dominated = first >= 0
        if dominated.any():
            self.points = self.points[~dominated]
        return new[first[dominated]]

    def _first_seen(self, counts: IntArray) -> IntArray:
        """Which of these points are new: what the others dominate has been removed."""
        new = []
        for i, row in enumerate(counts):
            point = row.tobytes()
            if point not in self._seen:
                new.append(i)
                if len(self._seen) * row.nbytes < MOST_BYTES:
                    self._seen.add(point)
        return np.array(new, dtype=np.int64)

    def aimed(
        self,
        front: FrontBuilder,
        slots: IntArray,
        sizes: FloatArray,
        noise: FloatArray | float,
        rng: np.random.Generator,
    ) -> tuple[FloatArray, IntArray]:
        """Costs of members of the front moved towards random targets by steps of these sizes, and their slots.

        The member is the one that exceeds the target least. Where its rate is above the target, the cost is
        raised; where it is below, lowered.
        """
        if self._parents is None or self._parents[0] is not slots:
            counts, costs = front.at(slots)
            self._parents = slots, self._rates(counts), costs
        _, rates, costs = self._parents
        change = noise * rng.normal(size=(len(sizes), len(self._one_case)))
        if len(self.points):
            targets = self.points[rng.integers(len(self.points), size=len(sizes))]
            nearest = np.empty(len(sizes), dtype=np.int64)
            least_excess(rates, targets, nearest)
            own = rates[nearest]
            step = (own - targets) / (own + targets + self._one_case)  # from -1 to 1; part of a case is none
            change += sizes[:, None] * np.where(step > 0, step, DOWN * step)
        else:
            nearest = rng.integers(len(rates), size=len(sizes))
        moved = costs[nearest]
        moved[:, self._errors] *= np.exp(change)
        return moved, slots[nearest]

    def _rates(self, counts: IntArray) -> FloatArray:
        return np.ascontiguousarray((counts / self._totals[:, None])[:, self._errors])


@dataclass(slots=True)
class AdaptiveCosts:
    """A bandit over distributions of costs and over aimed steps.

    Attributes
    ----------
    front
        The front so far: where aimed steps begin.
    bounds
        The distribution whose bounds all costs keep; it replaces costs that are outside.
    rng
        The source of all random numbers.
    """

    front: FrontBuilder
    bounds: CostDistribution
    rng: np.random.Generator
    _targets: Targets = field(init=False)
    _bandit: Bandit = field(init=False)
    _sources: IntArray = field(init=False)
    _rate_costs: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        self._bandit = Bandit(len(WIDTHS) + len(AIMS), DECAY)
        self._targets = Targets(self.front.objectives.totals, self.rng)
        self._sources = np.empty(0, dtype=np.int64)
        self._rate_costs = _rate_costs(self.front.objectives.totals)

    def sample(self, n: int) -> FloatArray:
        """The next n cost matrices, whose off-diagonal elements sum to 1."""
        if not len(self.front):  # no first costs within the bounds: there is nothing to aim from
            self._sources = np.full(n, UNIFORM)
            return self.bounds.sample(n, self.rng)
        self._sources = self._bandit.sample(n, self.rng)
        errors = ~np.eye(len(self._rate_costs), dtype=bool)
        vectors = np.empty((n, np.count_nonzero(errors)))
        every_slot = self.front.archive.slots if len(self.front) <= PARENTS else None
        for source in np.unique(self._sources):
            rows = self._sources == source
            shape = int(np.count_nonzero(rows)), vectors.shape[1]
            if source < len(WIDTHS):
                vectors[rows] = WIDTHS[source](self.rng, shape) * self._rate_costs[errors]
            else:
                slots = self.front.some(PARENTS, self.rng) if every_slot is None else every_slot
                vectors[rows] = self._aimed(slots, shape[0], *AIMS[source - len(WIDTHS)])
        costs = np.zeros((n, *errors.shape))
        costs[:, errors] = vectors
        costs = scaled(costs)
        outside = ~self.bounds.within_bounds(costs)
        if outside.any():
            costs[outside] = self.bounds.sample(int(np.count_nonzero(outside)), self.rng)
        return costs

    def learn(self, counts: IntArray) -> None:
        """Credit the targets that the costs sampled last dominate to where these came from."""
        sources = self._sources[: len(counts)]
        self._bandit.learn(sources, sources[self._targets.remove(counts)])

    def add(self, counts: IntArray) -> None:
        """Remove the targets that points from elsewhere dominate."""
        self._targets.remove(counts)

    def _aimed(self, slots: IntArray, n: int, size: float, noise: float) -> FloatArray:
        """Costs of points of the front, moved towards targets that no point dominates."""
        costs, _ = self._targets.aimed(self.front, slots, np.full(n, size), noise, self.rng)
        return costs[:, ~np.eye(costs.shape[1], dtype=bool)]
