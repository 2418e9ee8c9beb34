"""Bootstrap intervals: guarded, percentile, BCa, basic and normal, and the tests that invert them."""

from collections.abc import Callable
from math import copysign, isnan
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from polyroc._results.invariants import Invariants, finite
from polyroc.estimates.hypothesis_tests import signed_root, two_sided
from polyroc.estimates.intervals import ROUNDING_ERROR, ConfidenceInterval
from polyroc.kernels.arrays import FloatArray

__all__ = ["BootstrapKind", "Resampled", "acceleration", "difference_of_replicates", "interval", "standard_error"]

BootstrapKind = Literal["guarded", "percentile", "bca", "basic", "normal"]
NORMAL = NormalDist()
LARGEST_Z = 6.0  # no quantile of replicates beyond this z is used


class Resampled(NamedTuple):
    """Replicates of an estimate, the kind of interval made of them, and the acceleration for BCa."""

    kind: BootstrapKind
    replicates: tuple[float, ...]
    acceleration: float

    def _invariants(self) -> Invariants:
        yield self.kind != "bca" or finite(self.acceleration), "the acceleration of BCa must be finite"

    def confidence_interval(self, value: float, level: float) -> ConfidenceInterval | None:
        """The interval; None if the replicates do not define one, or are there for the standard error only."""
        return interval(self.kind, value, np.array(self.replicates), level, self.acceleration)

    def is_usable(self, value: float) -> bool:
        """True if the replicates define an interval; they do not if all are equal."""
        return self.confidence_interval(value, 0.95) is not None

    def signed_root(self, ends: Callable[[float], tuple[float, float]], value: float, null: float) -> float:
        """`hypothesis_tests.signed_root`, bounded so that the p-value of n replicates is at least 1 / (1 + n)."""
        root = signed_root(ends, value, null, LARGEST_Z)
        smallest = 1.0 / (1.0 + len(self.replicates))
        if self.kind == "normal" or not two_sided(root) < smallest:
            return root
        return copysign(NORMAL.inv_cdf(1.0 - smallest / 2.0), root)

    def reversed(self) -> "Resampled":
        """The same with the sign changed."""
        return Resampled(self.kind, tuple(-replicate for replicate in self.replicates), -self.acceleration)


def difference_of_replicates(
    first: Resampled | None, second: Resampled | None, acceleration: float | None
) -> Resampled | None:
    """The replicates of a difference, pair by pair; None if one of the two estimates has none.

    The acceleration is that of the difference, which does not follow from those of the two estimates.
    """
    if first is None or second is None or acceleration is None:
        return None
    replicates = (a - b for a, b in zip(first.replicates, second.replicates, strict=False))
    return Resampled(first.kind, tuple(replicates), acceleration)


def standard_error(replicates: FloatArray) -> float:
    """Standard deviation of the replicates that are defined; nan if there are fewer than two."""
    defined = replicates[~np.isnan(replicates)]
    return float(defined.std(ddof=1)) if len(defined) > 1 else np.nan


def interval(
    kind: BootstrapKind,
    value: float,
    replicates: FloatArray,
    level: float = 0.95,
    a: float = 0.0,
) -> ConfidenceInterval | None:
    """An interval from replicates, of a kind described in `Bootstrap`; None if they do not define one.

    None is returned for "guarded", an interval from the standard error of the replicates
    (`polyroc.estimates.intervals.interval`), if fewer than two replicates are defined, if all are equal (a perfect
    or a constant classifier), or, for "bca", if none or all are below the value or the corrected quantile is
    outside (0, 1). The ends are not cut: those of "basic" and "normal" may be beyond the limits of the measure,
    those of "percentile" and "bca" may exclude the value.

    For "bca", a replicate that equals the value up to rounding counts half as below it. Many replicates of a high
    area equal the value, and with an exact comparison, as in scipy.stats.bootstrap, the last digit of a sum would
    decide the interval.

    Parameters
    ----------
    kind, value, replicates, level
        The kind of interval, the estimate, its replicates (nan if undefined), and the confidence level.
    a
        The acceleration, for "bca".

    References
    ----------
    Efron, Journal of the American Statistical Association 82 (1987) 171-185, on BCa. Efron & Tibshirani, An
    Introduction to the Bootstrap, 1993, chapters 12 to 14.

    >>> interval("percentile", 2.0, np.array([0.0, 1.0, 2.0, 3.0, 4.0]), level=0.5)
    ConfidenceInterval(low=1.0, high=3.0)
    """
    defined = replicates[~np.isnan(replicates)]
    rounding = ROUNDING_ERROR * max(1.0, abs(value))
    if kind == "guarded" or isnan(value) or len(defined) < 2 or np.ptp(defined) <= rounding:
        return None
    z = NORMAL.inv_cdf(0.5 + level / 2.0)
    if kind == "normal":
        reach = z * standard_error(defined)
        return ConfidenceInterval(value - reach, value + reach)
    shares: tuple[float, float] | None = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    if kind == "bca":
        below = (np.mean(defined < value - rounding) + np.mean(defined <= value + rounding)) / 2.0
        shares = _corrected(float(below), z, a)
    if shares is None:
        return None
    low, high = map(float, np.quantile(defined, shares))
    return ConfidenceInterval(*(2 * value - high, 2 * value - low) if kind == "basic" else (low, high))


def _corrected(below: float, z: float, a: float) -> tuple[float, float] | None:
    """The quantiles of a BCa interval, given the share of replicates below the value; None if they do not exist.

    Efron (1987): Phi(z0 + (z0 +- z) / (1 - a (z0 +- z))), with z0 = Phi^-1(share below) to correct the bias. The
    denominator must be positive.
    """
    if not 0 < below < 1:
        return None
    z0 = NORMAL.inv_cdf(below)
    if a * (z0 - z) >= 1 or a * (z0 + z) >= 1:
        return None
    low, high = (NORMAL.cdf(z0 + (z0 + end) / (1.0 - a * (z0 + end))) for end in (-z, z))
    return low, high


def acceleration(influence: FloatArray) -> float:
    """The acceleration of BCa, sum(u^3) / (6 sum(u^2)^1.5) for influence values u; 0 if all are 0.

    A common factor of the influence values of the units (cases or groups) does not matter. With several classes u
    is (component - class mean) / (class size), the acceleration of a problem with several samples (Efron 1987).
    Undefined values (nan) are left out.
    """
    u = influence[~np.isnan(influence)]
    sum_of_squares = float((u**2).sum())
    return float((u**3).sum()) / (6.0 * sum_of_squares**1.5) if sum_of_squares > 0 else 0.0
