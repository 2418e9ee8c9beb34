"""Dominated volumes in the space of error rates: G and delta of Everson & Fieldsend (2005), section 5.

The D = Q(Q - 1) error rates of a classifier are a point of the unit cube. P is the region of the cube that random
allocation does not dominate, where the rates sum to less than Q - 1. G(A) is the share of P that the points of a
front A dominate; delta(A, B) the share that A dominates and B does not.
"""

from collections.abc import Sequence
from itertools import combinations
from math import isnan, sqrt
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval, interval
from polyroc.kernels.arrays import FloatArray
from polyroc.validation.random import check_rng, is_whole

__all__ = ["Volume", "volume_shares"]

MOST_COMPARISONS = 2e9  # of points, for an exact volume: about a minute


class Volume(float):
    """A dominated volume, as a share of the region below random allocation: a float with a Monte Carlo error.

    Attributes
    ----------
    n_points
        The number of random points it is estimated from; None if it is exact.

    >>> Volume(0.25, 10000)
    Volume(0.2500, standard error 0.0043 of 10000 points)
    >>> Volume(0.25) + 0.25
    0.5
    """

    n_points: int | None

    def __new__(cls, value: float, n_points: int | None = None) -> "Volume":
        """A share, and the number of points it is estimated from."""
        volume = super().__new__(cls, value)
        volume.n_points = n_points
        return volume

    def __getnewargs__(self) -> tuple[float, int | None]:  # type: ignore[override]
        return self.value, self.n_points

    @property
    def value(self) -> float:
        """The bare number."""
        return float(self)

    @property
    def standard_error(self) -> float:
        """Monte Carlo error, sqrt(G (1 - G) / points), not sampling error of the cases; 0 if it is exact."""
        return 0.0 if self.n_points is None else sqrt(self * (1.0 - self) / self.n_points)

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Confidence interval for the exact volume of this front."""
        if self.n_points is None:
            return ConfidenceInterval(self.value, self.value)
        return interval(self.value, self.standard_error, (0.0, 1.0), self.n_points, level)

    def __repr__(self) -> str:
        if self.n_points is None:
            return f"Volume({self:.4f}, exact)"
        return f"Volume({self:.4f}, standard error {self.standard_error:.2g} of {self.n_points} points)"


def volume_shares(fronts: Sequence[FloatArray], n_points: int | None, rng: Any) -> list[list[Volume]]:
    """At [a][a] G of a front, at [a][b] delta of two, all on the same random points.

    The fronts are rates, points x classes x classes, of the same classes; see `polyroc.fronts.gini_volume`.
    """
    from polyroc.kernels.volumes import (
        DominatedRegion,
        points_below_chance,
    )  # imports numba, which `--help` does not need

    classes = fronts[0].shape[1]
    objectives = [np.ascontiguousarray(rates[:, ~np.eye(classes, dtype=bool)]) for rates in fronts]
    if n_points is not None and not is_whole(n_points, 1):
        raise InputError(f"n_points must be a whole number, 1 or more, or None for exact, got {n_points!r}.")
    if classes == 2 or n_points is None:
        return _exact(objectives, classes)
    check_rng(rng)
    shadows = [DominatedRegion(front) for front in objectives]
    hits = np.zeros((len(fronts), len(fronts)), dtype=np.int64)
    for points in points_below_chance(classes, int(n_points), np.random.default_rng(rng)):
        dominated = np.array([shadow.contains(points) for shadow in shadows])
        both = dominated.astype(np.float64) @ dominated.T  # counts as floats: BLAS is fast, and they are exact
        alone = np.diag(both)
        # |A| - |A and B| off the diagonal, |A| on it
        hits += (alone[:, None] - both + np.diag(alone)).astype(np.int64)
    return [[Volume(count / n_points, int(n_points)) for count in row] for row in hits.tolist()]


def _exact(objectives: Sequence[FloatArray], classes: int) -> list[list[Volume]]:
    """Exact G of each front, and delta(A, B) as the volume of A and B together less that of B."""
    alone = [_share(front, classes) for front in objectives]
    table = [[Volume(share)] * len(alone) for share in alone]
    for a, b in combinations(range(len(alone)), 2):
        both = _share(np.concatenate([objectives[a], objectives[b]]), classes)
        table[a][b], table[b][a] = (Volume(max(0.0, both - alone[other])) for other in (b, a))
    return table


def _share(front: FloatArray, classes: int) -> float:
    """The exact share of the region that a set of points dominates."""
    from polyroc.kernels.volumes import staircase_share, union_share

    if classes == 2:
        return staircase_share(front)
    share = union_share(front, classes, MOST_COMPARISONS)
    if isnan(share):
        raise InputError(
            f"An exact volume of {len(front)} points of {classes} classes takes too long; give n_points, such as "
            "10**6."
        )
    return share
