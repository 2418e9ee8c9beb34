"""Dominated volumes in the space of error rates: G and delta of Everson & Fieldsend (2005), section 5.

The D = Q(Q - 1) error rates of a classifier are a point of the unit cube. P is the region of the cube that random
allocation does not dominate, where the rates sum to less than Q - 1. G(A) is the share of P that the points of a
front A dominate; delta(A, B) the share that A dominates and B does not.
"""

from collections.abc import Sequence
from itertools import combinations
from math import isnan, sqrt
from typing import Annotated, Any

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval, interval
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.volumes import (
    DominatedRegion,
    dominated_by_counts,
    points_below_chance,
    region_volume,
    staircase_share,
    union_share,
)
from polyroc.messages import short_repr
from polyroc.validation.random import Rng, check_rng, is_whole
from polyroc.validation.signatures import Count, validated, within

__all__ = [
    "Volume",
    "chance_volume",
    "checked_rates",
    "exclusive_volume",
    "gini_volume",
    "shares_on",
    "volume_shares",
]

SUM_TOLERANCE = 1e-6  # rates written with a few decimals may miss a sum of 1 by this much
MOST_COMPARISONS = 2e9  # of points, for an exact volume: about a minute


class Volume(float):
    """A dominated volume, as a share of the region below random allocation: a float with a Monte Carlo error.

    Attributes
    ----------
    n_points
        The number of random points it is estimated from; None if it is exact.

    >>> Volume(0.25, 10000)
    Volume(0.2500, Monte Carlo error 0.0043 of 10000 points)
    >>> Volume(0.25) + 0.25
    0.5
    """

    n_points: int | None

    def __new__(cls, value: float, n_points: Count | None = None) -> "Volume":
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
        return 0.0 if self.n_points is None else sqrt(max(self * (1.0 - self), 0.0) / self.n_points)

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Confidence interval for the exact volume of this front."""
        if self.n_points is None:
            return ConfidenceInterval(self.value, self.value)
        return interval(self.value, self.standard_error, (0.0, 1.0), self.n_points, level)

    def __repr__(self) -> str:
        if self.n_points is None:
            return f"Volume({self:.4f}, exact)"
        return f"Volume({self:.4f}, Monte Carlo error {self.standard_error:.2g} of {self.n_points} points)"


def volume_shares(fronts: Sequence[FloatArray], n_points: int | None, rng: Any) -> list[list[Volume]]:
    """At [a][a] G of a front, at [a][b] delta of two, all on the same random points.

    The fronts are rates, points x classes x classes, of the same classes; see `polyroc.fronts.gini_volume`.
    """
    classes = fronts[0].shape[1]
    objectives = [np.ascontiguousarray(rates[:, ~np.eye(classes, dtype=bool)]) for rates in fronts]
    if n_points is not None and not is_whole(n_points, 1):
        raise InputError(f"n_points must be a whole number, 1 or more, or None for exact, got {n_points!r}.")
    if classes == 2 or n_points is None:
        return _exact(objectives, classes)
    check_rng(rng)
    regions = [DominatedRegion(front) for front in objectives]
    hits = np.zeros((len(fronts), len(fronts)), dtype=np.int64)
    for points in points_below_chance(classes, int(n_points), np.random.default_rng(rng)):
        hits += _hits([region.contains(points) for region in regions])
    return [[Volume(count / n_points, int(n_points)) for count in row] for row in hits.tolist()]


def shares_on(tables: Sequence[IntArray], points: FloatArray) -> FloatArray:
    """As `volume_shares`, of confusion counts, points x classes x classes, on these random points."""
    true, decided = np.nonzero(~np.eye(tables[0].shape[1], dtype=bool))
    dominated = [
        dominated_by_counts(counts[:, true, decided], counts[0].sum(axis=1)[true], points) for counts in tables
    ]
    return np.asarray(_hits(dominated) / len(points))


def _hits(dominated: Sequence[BoolArray]) -> IntArray:
    """How many points each region contains, and off the diagonal, how many it alone of two contains."""
    within = np.array(dominated)
    both = within.astype(np.float64) @ within.T  # counts as floats: BLAS is fast, and they are exact
    alone = np.diag(both)
    # |A| - |A and B| off the diagonal, |A| on it
    return np.asarray((alone[:, None] - both + np.diag(alone)), dtype=np.int64)


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
    if classes == 2:
        return staircase_share(front)
    share = union_share(front, classes, MOST_COMPARISONS)
    if isnan(share):
        raise InputError(
            f"An exact volume of {len(front)} points of {classes} classes takes too long; give n_points, such as "
            "10**6."
        )
    return share


@validated
def chance_volume(classes: Annotated[int, within(2, 1000)]) -> float:
    """The volume of the region below random allocation, {x in [0, 1]^D : sum x <= Q - 1} with D = Q(Q - 1).

    This is the distribution function of the sum of D uniform numbers (Irwin-Hall distribution) at Q - 1. The two
    terms in section 5 of Everson & Fieldsend (2005) are exact for up to three classes only; this is the whole sum,
    in fractions.

    >>> chance_volume(2), round(chance_volume(3), 7), f"{chance_volume(7):.7e}"
    (0.5, 0.0805556, '3.3572577e-19')
    """
    if not is_whole(classes, 2):
        raise InputError(f"classes must be a whole number, 2 or more, got {classes!r}.")
    return float(region_volume(int(classes)))


@validated
def gini_volume(rates: Any, *, n_points: Count | None = 10**6, rng: Rng = 0) -> Volume:
    """The generalised Gini coefficient G of a set of operating points.

    The share of the region below random allocation that is dominated: where all Q(Q - 1) error rates are at least
    those of some point. For two classes and many thresholds it approaches 2 AUC - 1; for more classes 0 means no
    better than chance and 1 no errors. The sampling error of the cases is not part of its standard error.

    Parameters
    ----------
    rates
        Points x classes x classes, or one matrix: row = true class, column = decision. The diagonal may be
        zero or nan; if it is given, rows must sum to 1.
    n_points
        The number of random points, uniform in the region, that it is estimated from; None for the exact volume,
        which takes seconds for thousands of points of three classes and too long for as many of four. For two
        classes it is always exact.
    rng
        A seed or a generator. With the same seed all volumes use the same points, so that
        G(A) - G(B) = delta(A, B) - delta(B, A) except for rounding.

    Returns
    -------
    Volume
        A number with `standard_error` and `confidence_interval()`.

    Examples
    --------
    >>> gini_volume([[0.8, 0.2], [0.3, 0.7]])
    Volume(0.2500, exact)
    >>> rates = 0.1 + 0.7 * np.eye(3)
    >>> gini_volume(rates, n_points=None)
    Volume(0.1282, exact)
    >>> gini_volume(rates, n_points=10000, rng=1)
    Volume(0.1309, Monte Carlo error 0.0034 of 10000 points)

    References
    ----------
    Everson & Fieldsend, Pattern Recognition Letters 27 (2006) 918-927.
    """
    return volume_shares([checked_rates(rates, "rates")], n_points, rng)[0][0]


@validated
def exclusive_volume(a: Any, b: Any, *, n_points: Count | None = 10**6, rng: Rng = 0) -> Volume:
    """The exclusively dominated volume delta(A, B): what one set of points dominates and another does not.

    It is a share of the region below random allocation. Most fronts cross, so that delta(A, B) and delta(B, A) are
    both above zero; their difference is that of the Gini coefficients.

    Parameters
    ----------
    a, b
        As `rates` in `gini_volume`, for the same classes in the same order.
    n_points, rng
        As in `gini_volume`.

    >>> a, b = [[0.9, 0.1], [0.4, 0.6]], [[0.6, 0.4], [0.1, 0.9]]
    >>> exclusive_volume(a, b), exclusive_volume(b, a)
    (Volume(0.2100, exact), Volume(0.2100, exact))
    """
    first, second = checked_rates(a, "a"), checked_rates(b, "b")
    if first.shape[1] != second.shape[1]:
        raise InputError(
            f"a and b must have the same classes, got {first.shape[1]} and {second.shape[1]} of them."
        )
    return volume_shares([first, second], n_points, rng)[0][1]


def checked_rates(values: Any, name: str) -> FloatArray:
    """Validate an array of rates, points x classes x classes."""
    try:
        rates = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{name} must hold numbers, points x classes x classes, got {short_repr(values)}."
        ) from None
    rates = rates[None] if rates.ndim == 2 else rates
    if rates.ndim != 3 or rates.shape[1] != rates.shape[2] or rates.shape[1] < 2 or len(rates) == 0:
        raise InputError(f"{name} must be points x classes x classes, one point or more, got shape {rates.shape}.")
    diagonal = np.eye(rates.shape[1], dtype=bool)
    errors = np.where(diagonal, 0.0, rates)
    valid = (errors >= 0) & (errors <= 1)  # false also for nan
    if not valid.all():
        bad = errors[~valid][0]
        raise InputError(f"{name} must hold rates from 0 to 1, got {bad:g}; divide counts by the class's size.")
    correct = np.nan_to_num(np.where(diagonal, rates, 0.0))
    sums = (errors + correct).sum(axis=2)
    too_large = (errors.sum(axis=2) > 1 + SUM_TOLERANCE).any()
    if too_large or (correct.any() and (np.abs(sums - 1) > SUM_TOLERANCE).any()):
        raise InputError(
            f"Each row of {name} must sum to 1 (row = true class, column = decision), got "
            f"{short_repr(sums.tolist())}; transpose matrices whose columns sum to 1."
        )
    return rates
