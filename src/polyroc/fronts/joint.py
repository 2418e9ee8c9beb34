"""The joint front of several classifiers, its convex hull, and randomised mixtures of its points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.archive import Archive, Objectives
from polyroc.fronts.dominated_volume import Volume, volume_shares
from polyroc.fronts.result import Front
from polyroc.fronts.volume_table import named_fronts
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.output.numbers import number_text
from polyroc.validation.costs import as_costs, as_limits, as_priors
from polyroc.validation.random import Rng
from polyroc.validation.signatures import Count, validated

__all__ = ["JointFront", "joint_front"]

EQUAL = 1e-9  # rates of mixtures that differ by less do so by the rounding of a linear program


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointFront:
    """The operating points of several fronts that no other one of them dominates.

    Attributes
    ----------
    fronts
        The fronts, by name.
    source, point
        For each point, the number of the front that supplies it (the first of several), and its place there.
    """

    fronts: Mapping[str, Front]
    source: IntArray
    point: IntArray

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name} {number}" for name, number in self.sizes.items())
        return f"JointFront({len(self)} points: {parts}; G about {number_text(self.gini(10**4))})"

    @property
    def rates(self) -> FloatArray:
        """Points x classes x classes: the share of each true class (row) by decision (column)."""
        every = [front.rates for front in self.fronts.values()]
        return np.array([every[front][place] for front, place in zip(self.source, self.point, strict=True)])

    @property
    def sizes(self) -> dict[str, int]:
        """By front, how many points it supplies."""
        return {name: int((self.source == i).sum()) for i, name in enumerate(self.fronts)}

    @validated
    def gini(self, n_points: Count | None = 10**6, rng: Rng = 0) -> Volume:
        """The generalised Gini coefficient G of the union."""
        return volume_shares([self.rates], n_points, rng)[0][0]

    @validated
    def supplied(self, n_points: Count | None = 10**5, rng: Rng = 0) -> dict[str, Volume]:
        """By front, the share of the region below chance that only its points dominate."""
        rates = self.rates
        supplied = {}
        for i, name in enumerate(self.fronts):
            parts = [rates[self.source == i], rates[self.source != i]]
            if len(parts[0]) and len(parts[1]):
                supplied[name] = volume_shares(parts, n_points, rng)[0][1]
            else:
                supplied[name] = self.gini(n_points, rng) if len(parts[0]) else Volume(0.0, n_points)
        return supplied

    def on_hull(self) -> BoolArray:
        """Which points no randomised mixture of others improves on, for any number of classes (Srinivasan 1999).

        These are the points of least expected cost under some costs: the faces of the convex hull towards no
        errors. Each point takes a linear program or several, with as many unknowns as there are errors.
        """
        objectives = self._objectives
        best = {int(i) for i in (objectives @ _directions(objectives).T).argmin(axis=0)}
        known = {*best}
        return np.array([i in best or _is_supported(objectives, i, known) for i in range(len(self))])

    @validated
    def mixture(
        self, *, costs: Any = None, priors: Any = None, at_most: Any = None, at_least: Any = None
    ) -> dict[tuple[str, int], float]:
        """The randomised mixture of points of least expected cost within limits, as shares by (front, point).

        Without limits one point is best. A limit of a rate is met exactly by deciding a share of the cases by one
        point and the others by another.

        Parameters
        ----------
        costs, priors, at_most, at_least
            As in `operate`.
        """
        from scipy.optimize import linprog

        first = next(iter(self.fronts.values()))
        rates, totals = self.rates, first.counts[0].sum(axis=1)
        shares = totals / totals.sum() if priors is None else as_priors(priors, first.labels)
        limits = as_limits(at_most, first.labels, at_least)
        sign = np.array([-1.0 if k == m else 1.0 for k, m in limits])
        solution = linprog(
            (shares[:, None] * as_costs(costs, first.labels) * rates).sum(axis=(1, 2)),
            A_ub=np.array([rates[:, k, m] for k, m in limits]) * sign[:, None] if limits else None,
            b_ub=np.array([*limits.values()]) * sign if limits else None,
            A_eq=np.ones((1, len(self))),
            b_eq=[1.0],
        )
        if solution.x is None:
            raise InputError("No mixture of these points is within the limits; relax them, or add classifiers.")
        names = [*self.fronts]
        return {
            (names[self.source[i]], int(self.point[i])): float(solution.x[i])
            for i in np.flatnonzero(solution.x > EQUAL)
        }

    @property
    def _objectives(self) -> FloatArray:
        rates = self.rates
        return rates[:, ~np.eye(rates.shape[1], dtype=bool)]


def _directions(objectives: FloatArray) -> FloatArray:
    """Random costs, under each of which some point of the hull is best."""
    return np.random.default_rng(0).exponential(size=(1000, objectives.shape[1]))


def _is_supported(objectives: FloatArray, i: int, known: set[int]) -> bool:
    """Whether a point is on the hull; points that are better under some costs are added to `known`.

    Costs under which the point is better than the known points are tried on all points. If it is not the best, the
    best one is known from then on, until the point is best, or no costs are left.
    """
    from scipy.optimize import linprog

    D = objectives.shape[1]
    while True:
        ahead = objectives[sorted(known - {i})] - objectives[i]
        # costs w >= 0 that sum to 1, and the largest margin m with w (known - own) >= m for each known point
        solution = linprog(
            np.append(np.zeros(D), -1.0),
            A_ub=np.column_stack([-ahead, np.ones(len(ahead))]),
            b_ub=np.zeros(len(ahead)),
            A_eq=np.append(np.ones(D), 0.0)[None],
            b_eq=[1.0],
            bounds=[(0.0, None)] * D + [(None, None)],
        )
        expected = objectives @ solution.x[:D]
        best = int(expected.argmin())
        if -solution.fun < -EQUAL:
            return False
        if -solution.fun <= EQUAL or expected[best] >= expected[i] - EQUAL:
            return not _is_improved(objectives, i)  # ties, and costs of 0, leave a doubt
        known.add(best)


def _is_improved(objectives: FloatArray, i: int) -> bool:
    """Whether a mixture of all points has no larger rate than a point, and a smaller one."""
    from scipy.optimize import linprog

    n, D = objectives.shape
    solution = linprog(
        np.append(np.zeros(n), -np.ones(D)),  # the largest sum by which rates are smaller
        A_eq=np.block([[objectives.T, np.eye(D)], [np.ones((1, n)), np.zeros((1, D))]]),
        b_eq=np.append(objectives[i], 1.0),
    )
    return bool(-solution.fun > EQUAL)


@validated
def joint_front(fronts: Mapping[str, Front] | Sequence[Front]) -> JointFront:
    """Merge fronts of classifiers on the same cases: the points that no other one dominates, and whose they are.

    Parameters
    ----------
    fronts
        Fronts by name, as `front` returns them for several classifiers, or a sequence of fronts.

    Examples
    --------
    >>> from polyroc import front
    >>> p, q = [0.1, 0.2, 0.3, 0.7, 0.4, 0.5, 0.6, 0.8], [0.3, 0.4, 0.5, 0.6, 0.1, 0.7, 0.8, 0.9]
    >>> joint = joint_front(front([0] * 4 + [1] * 4, {"p": p, "q": q}))
    >>> joint.sizes, joint.gini()
    ({'p': 1, 'q': 1}, Volume(0.8750, exact))
    >>> shares = joint.mixture(costs={(0, 1): 2}, at_most={(1, 0): 0.1})
    >>> {point: round(share, 6) for point, share in shares.items()}
    {('p', 1): 0.6, ('q', 0): 0.4}

    References
    ----------
    Srinivasan, Note on the location of optimal classifiers in n-dimensional ROC space, Oxford University Computing
    Laboratory, PRG-TR-2-99, 1999; Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
    """
    named = named_fronts(fronts)
    every = [*named.values()]
    if not all(isinstance(front, Front) for front in every):
        raise InputError("joint_front merges fronts, not arrays of rates; give what front returns.")
    cases = [(front.classes, front.counts[0].sum(axis=1).tolist()) for front in every]
    if any(other != cases[0] for other in cases):
        raise InputError("All fronts must be of the same cases, with the classes in the same order; they are not.")
    counts = np.concatenate([front.counts for front in every])
    kept = non_dominated(counts, "rates")
    sizes = [len(front) for front in every]
    source = np.repeat(np.arange(len(every)), sizes)[kept]
    return JointFront(named, source, kept - np.append(0, np.cumsum(sizes))[source])


def non_dominated(counts: IntArray, kind: Any) -> IntArray:
    """Return the places, rising, of the points that no other one dominates in the objectives; equal ones once."""
    objectives = Objectives(kind, counts[0].sum(axis=1))
    entered, _ = Archive(objectives.largest, objectives.number).insert(objectives.of(counts))
    return np.sort(entered)
