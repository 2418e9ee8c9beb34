"""Volumes of error rates: the generalised Gini coefficient and the exclusively dominated volume."""

from math import comb, sqrt
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.regions import Shadow, points_below_chance, staircase_share, union_share
from polyroc.results.intervals import ConfidenceInterval, interval

__all__ = ["Volume", "exclusive_share", "gini_share"]

EFFORT = 10**8  # terms of inclusion and exclusion that an exact volume may take
MANY = 1000  # points of which it is not worth while to look for those that are dominated


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


def gini_share(rates: FloatArray, n_points: int | None, rng: Any) -> Volume:
    """The share of the region below random allocation that the rates dominate; see `gini_volume`."""
    return _share([_objectives(rates)], n_points, rng)


def exclusive_share(a: FloatArray, b: FloatArray, n_points: int | None, rng: Any) -> Volume:
    """The share that the rates a dominate and the rates b do not; see `exclusive_volume`."""
    return _share([_objectives(a), _objectives(b)], n_points, rng)


def _objectives(rates: FloatArray) -> FloatArray:
    """The error rates of points x classes x classes, as points x Q(Q - 1)."""
    return np.ascontiguousarray(rates[:, ~np.eye(rates.shape[1], dtype=bool)])


def _share(fronts: list[FloatArray], n_points: int | None, rng: Any) -> Volume:
    """What the first front dominates and the second, if there is one, does not."""
    D = fronts[0].shape[1]
    classes = round((1 + sqrt(1 + 4 * D)) / 2)
    whole = isinstance(n_points, int | np.integer) and not isinstance(n_points, bool)
    if n_points is not None and not (whole and n_points > 0):
        raise InputError(f"n_points must be a whole number, 1 or more, or None for exact, got {n_points!r}.")
    if classes == 2 or n_points is None:
        return Volume(_exact(fronts, classes))
    wanted, *others = [Shadow(front) for front in fronts]
    hits = 0
    for points in points_below_chance(classes, int(n_points), _generator(rng)):
        inside = wanted.over(points)
        for other in others:
            inside[inside] = ~other.over(points[inside])
        hits += int(np.count_nonzero(inside))
    return Volume(hits / n_points, int(n_points))


def _generator(rng: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise InputError(f"rng must be a seed (0 or more), a Generator or None, got {rng!r}.") from None


def _exact(fronts: list[FloatArray], classes: int) -> float:
    """The union of both less that of the second."""
    union = _union(np.concatenate(fronts), classes)
    return union if len(fronts) == 1 else max(0.0, union - _union(fronts[1], classes))


def _union(front: FloatArray, classes: int) -> float:
    if classes == 2:
        return staircase_share(front)
    front = np.unique(front, axis=0)
    if len(front) <= MANY:
        front = front[(front[:, None] <= front).all(axis=2).sum(axis=0) == 1]
    if sum(comb(front.shape[1], j) for j in range(classes - 1)) << len(front) > EFFORT:
        raise InputError(
            f"An exact volume of {len(front)} points of {classes} classes takes too many boxes; give n_points, "
            "such as 10**6."
        )
    return union_share(front, classes)
