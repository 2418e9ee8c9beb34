"""Volumes of error rates: the generalised Gini coefficient and the exclusively dominated volume."""

from collections.abc import Sequence
from itertools import combinations
from math import isnan, sqrt
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval, interval
from polyroc.kernels.arrays import FloatArray

__all__ = ["Volume", "volume_shares"]

EFFORT = 2e9  # comparisons of points that an exact volume may take: about a minute


class Volume(float):
    """A share of the region below random allocation: a number that knows its Monte Carlo error.

    Attributes
    ----------
    n_points
        How many random points it was counted on; None if it is exact.

    >>> Volume(0.25, 10000)
    Volume(0.2500, standard error 0.0043 of 10000 points)
    >>> Volume(0.25) + 0.25
    0.5
    """

    n_points: int | None

    def __new__(cls, value: float, n_points: int | None = None) -> "Volume":
        """The share, and on how many points it was counted."""
        found = super().__new__(cls, value)
        found.n_points = n_points
        return found

    def __getnewargs__(self) -> tuple[float, int | None]:  # type: ignore[override]
        return self.value, self.n_points

    @property
    def value(self) -> float:
        """The bare number."""
        return float(self)

    @property
    def standard_error(self) -> float:
        """Of the random points alone, not of the cases: sqrt(G (1 - G) / points); 0 if it is exact."""
        return 0.0 if self.n_points is None else sqrt(self * (1.0 - self) / self.n_points)

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Where the exact volume of this front lies, at a level."""
        if self.n_points is None:
            return ConfidenceInterval(self.value, self.value)
        return interval(self.value, self.standard_error, (0.0, 1.0), self.n_points, level)

    def __repr__(self) -> str:
        if self.n_points is None:
            return f"Volume({self:.4f}, exact)"
        return f"Volume({self:.4f}, standard error {self.standard_error:.2g} of {self.n_points} points)"


def volume_shares(fronts: Sequence[FloatArray], n_points: int | None, rng: Any) -> list[list[Volume]]:
    """At [a][a], G of a front; at [a][b], delta of two: all counted on the same points, as shares of the region.

    The fronts are rates, points x classes x classes, of the same classes; see `polyroc.fronts.gini_volume`.
    """
    from polyroc.kernels.volumes import Shadow, points_below_chance  # not above: help needs no compiler

    classes = fronts[0].shape[1]
    objectives = [np.ascontiguousarray(rates[:, ~np.eye(classes, dtype=bool)]) for rates in fronts]
    whole = isinstance(n_points, int | np.integer) and not isinstance(n_points, bool)
    if n_points is not None and not (whole and n_points > 0):
        raise InputError(f"n_points must be a whole number, 1 or more, or None for exact, got {n_points!r}.")
    if classes == 2 or n_points is None:
        return _exact(objectives, classes)
    shadows = [Shadow(front) for front in objectives]
    hits = np.zeros((len(fronts), len(fronts)), dtype=np.int64)
    for points in points_below_chance(classes, int(n_points), _generator(rng)):
        inside = np.array([shadow.over(points) for shadow in shadows])
        both = inside.astype(np.float64) @ inside.T  # whole numbers, exact
        alone = np.diag(both)
        hits += (alone[:, None] - both + np.diag(alone)).astype(np.int64)
    return [[Volume(count / n_points, int(n_points)) for count in row] for row in hits.tolist()]


def _exact(objectives: Sequence[FloatArray], classes: int) -> list[list[Volume]]:
    """What each dominates; and what both of two dominate together, less what the other does."""
    alone = [_union(each, classes) for each in objectives]
    table = [[Volume(each)] * len(alone) for each in alone]
    for a, b in combinations(range(len(alone)), 2):
        both = _union(np.concatenate([objectives[a], objectives[b]]), classes)
        table[a][b], table[b][a] = (Volume(max(0.0, both - alone[other])) for other in (b, a))
    return table


def _generator(rng: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(f"rng must be a seed (0 or more), a Generator or None, got {rng!r}.") from None


def _union(front: FloatArray, classes: int) -> float:
    from polyroc.kernels.volumes import staircase_share, union_share

    if classes == 2:
        return staircase_share(front)
    share = union_share(front, classes, EFFORT)
    if isnan(share):
        raise InputError(
            f"An exact volume of {len(front)} points of {classes} classes takes too many boxes; give n_points, "
            "such as 10**6."
        )
    return share
