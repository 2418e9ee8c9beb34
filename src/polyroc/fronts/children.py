"""Children of points of a front whose parameters and costs change together, each towards a target.

Each child has one cost vector. Its parent is the point of the front that exceeds a random target least; a target
is a random point below chance that no point dominates yet. The costs of the parent are aimed at the target, and
its parameters take a random step. A bandit gives more children to the operators by which G rises. Compared with
many cost vectors for each new parameter vector, more parameters are tried in as many evaluations, under costs that
have proved good for parameters close by.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from polyroc.fronts.archive import FrontBuilder
from polyroc.fronts.bandit import Bandit
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.cost_proposals import Targets, scaled
from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["Offspring"]

PARENTS = 1000  # points of the front among which the nearest to a target is sought
DECAY = 0.98  # weight of the generations before, in each


class Operator(NamedTuple):
    """One way to make a child of a point.

    Attributes
    ----------
    length
        Of the mutation of the parameters, as a share of the family's own.
    difference
        True to add a random part of the difference of the parameters of two points (differential evolution; Storn
        & Price, Journal of Global Optimization 11 (1997) 341-359): it has the scale and the directions in which
        points of the front differ.
    noise, aim
        Standard deviation of the random step of the logarithms of the costs, and size of the aimed one.
    """

    length: float
    difference: bool
    noise: float
    aim: float


OPERATORS = (
    Operator(5.0, False, 0.3, 0.3),
    Operator(2.0, False, 0.3, 0.3),
    Operator(1.0, False, 0.1, 0.1),
    Operator(0.3, False, 0.1, 0.3),
    Operator(0.3, False, 0.1, 0.1),
    Operator(0.1, False, 0.1, 0.3),
    Operator(0.1, True, 0.1, 0.3),
    Operator(0.1, True, 0.1, 0.0),
)


class Offspring:
    """Makes the children of a generation.

    Parameters
    ----------
    front, models
        The front so far, and the parameters that its points refer to by number.
    targets
        Random points that the front does not dominate.
    bounds
        The bounds that all costs keep.
    perturb
        The mutation of the family, of vectors as rows.
    """

    def __init__(
        self,
        front: FrontBuilder,
        models: Mapping[int, FloatArray],
        targets: Targets,
        bounds: CostDistribution,
        perturb: Callable[[FloatArray, np.random.Generator], FloatArray],
    ) -> None:
        self._front, self._models, self._targets = front, models, targets
        self._bounds, self._perturb = bounds, perturb
        self.bandit = Bandit(len(OPERATORS), DECAY)
        self._used = np.empty(0, dtype=np.int64)

    def children(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """The parameters of n children, one a row, and the costs of each."""
        self._used = self.bandit.sample(n, rng)
        length, difference, noise, aim = np.array(OPERATORS)[self._used].T
        slots = self._front.some(PARENTS, rng)
        costs, parents = self._targets.aimed(self._front, slots, aim, noise[:, None], rng)
        costs = scaled(costs)
        outside = ~self._bounds.within_bounds(costs)
        costs[outside] = self._front.at(parents[outside])[1]  # a parent keeps the bounds
        others = slots[rng.integers(len(slots), size=(2, n))]
        own, one, two = (self._parameters(part) for part in (parents, *others))
        mutations = length[:, None] * (self._perturb(own, rng) - own)
        return own + mutations + (difference * rng.random(n))[:, None] * (one - two), costs

    def learn(self, children: IntArray) -> None:
        """Credit operators with the targets that were dominated: by each target, the child that dominates it."""
        self.bandit.learn(self._used, self._used[children])

    def _parameters(self, slots: IntArray) -> FloatArray:
        return np.array([self._models[number] for number in self._front.models_of(slots).tolist()])
