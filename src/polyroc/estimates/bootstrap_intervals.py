"""Intervals from replicates: what resampling says of an estimate."""

from collections.abc import Callable
from math import copysign, isnan
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from polyroc.estimates.hypothesis_tests import signed_root, two_sided
from polyroc.estimates.intervals import NOTHING, ConfidenceInterval
from polyroc.kernels.arrays import FloatArray

__all__ = ["BootstrapKind", "Resampled", "acceleration", "interval", "less", "standard_error"]

BootstrapKind = Literal["percentile", "bca", "basic", "normal"]
NORMAL = NormalDist()
MOST = 6.0  # quantiles of replicates are not asked for beyond this z


class Resampled(NamedTuple):
    """What resampling gave: the kind of interval wanted, the replicates, and BCa's acceleration."""

    kind: BootstrapKind
    replicates: tuple[float, ...]
    acceleration: float

    def confidence_interval(self, value: float, level: float) -> ConfidenceInterval | None:
        """The interval; None if the replicates cannot give one."""
        return interval(self.kind, value, np.array(self.replicates), level, self.acceleration)

    def is_usable(self, value: float) -> bool:
        """True if the replicates give an interval around the value; they do not if all are equal."""
        return self.confidence_interval(value, 0.95) is not None

    def signed_root(self, ends: Callable[[float], tuple[float, float]], value: float, null: float) -> float:
        """`inversion.signed_root`, but no larger than n replicates can show: p is at least 1 / (1 + n)."""
        root = signed_root(ends, value, null, MOST)
        smallest = 1.0 / (1.0 + len(self.replicates))
        if self.kind == "normal" or not two_sided(root) < smallest:
            return root
        return copysign(NORMAL.inv_cdf(1.0 - smallest / 2.0), root)

    def reversed(self) -> "Resampled":
        """The same with the sign changed."""
        return Resampled(self.kind, tuple(-each for each in self.replicates), -self.acceleration)


def less(first: Resampled | None, second: Resampled | None, acceleration: float | None) -> Resampled | None:
    """What resampling gave of a difference, replicate by replicate; None if it gave nothing of one of the two.

    The acceleration is that of the difference, which those of the two do not tell.
    """
    if first is None or second is None or acceleration is None:
        return None
    steps = (a - b for a, b in zip(first.replicates, second.replicates, strict=False))
    return Resampled(first.kind, tuple(steps), acceleration)


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
    """An interval from replicates, of a kind described in `Bootstrap`; None if they cannot give one.

    None means: fewer than two replicates are defined; or all are equal (a perfect or a constant classifier), so
    that resampling says nothing of the uncertainty; or, for "bca", none or all lie below the value, or the
    correction runs off the end of the distribution. The ends of "basic" and "normal" may lie beyond the limits of
    the measure, those of "percentile" and "bca" may leave out the value; nothing is cut here.

    For "bca" a replicate that equals the value counts half as below it, also where the two differ by rounding.
    Many replicates of a high area equal it, and with an exact comparison, as in scipy.stats.bootstrap, the last
    digit of a sum would decide the interval.

    Parameters
    ----------
    kind, value, replicates, level
        What the interval is made of.
    a
        For "bca": the acceleration.

    >>> interval("percentile", 2.0, np.array([0.0, 1.0, 2.0, 3.0, 4.0]), level=0.5)
    ConfidenceInterval(low=1.0, high=3.0)
    """
    defined = replicates[~np.isnan(replicates)]
    rounding = NOTHING * max(1.0, abs(value))
    if isnan(value) or len(defined) < 2 or np.ptp(defined) <= rounding:
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
    """Which quantiles BCa takes, given the share of replicates below the value; None if it runs off the end."""
    if not 0 < below < 1:
        return None
    z0 = NORMAL.inv_cdf(below)
    if a * (z0 - z) >= 1 or a * (z0 + z) >= 1:
        return None
    low, high = (NORMAL.cdf(z0 + (z0 + end) / (1.0 - a * (z0 + end))) for end in (-z, z))
    return low, high


def acceleration(influence: FloatArray) -> float:
    """BCa's acceleration, the skewness of the influence values / 6; 0 if none differs from 0.

    With u = by how much each unit (case, or group) moves the value, up to a common factor, it is
    sum(u^3) / (6 sum(u^2)^1.5). With several classes u is (component - class mean) / (class size), which makes it
    the acceleration of a problem with several samples. A unit that cannot say (nan) is left out.
    """
    u = influence[~np.isnan(influence)]
    spread = float((u**2).sum())
    return float((u**3).sum()) / (6.0 * spread**1.5) if spread > 0 else 0.0
