"""The difference between two classifiers by a measure: joint confidence region, interval and tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import erf, hypot, inf, isnan, nan, sqrt
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np

from polyroc.estimates.bootstrap_intervals import Resampled
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.hypothesis_tests import one_sided, signed_root, two_sided
from polyroc.estimates.intervals import ConfidenceInterval, GuardedEnds, guard_variance, student_z
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import estimated_text, interval_text, level_text, p_text
from polyroc.output.sentences import listed
from polyroc.results.codec import NOT_STORED, STORED_IF_SET, stored_as
from polyroc.results.invariants import Invariants, at_least, shares, within
from polyroc.validation.arguments import checked_level, checked_margin
from polyroc.validation.signatures import validated

__all__ = ["Difference", "JointRegion", "MoverRegion", "chance_clause", "difference_record"]

QUANTILES = np.linspace(0.25, 7.0, 28)  # z at which the intervals of measures near a limit are tabulated
TABLE_Z = np.concatenate([-QUANTILES[::-1], [0.0], QUANTILES])
# Directions around the region; the ends of the difference are accurate to 1 in 250 of their distance.
DIRECTIONS = np.linspace(0.0, 2.0 * np.pi, 240, endpoint=False)


class Region(Protocol):
    """What the interval of a difference is made of."""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The two estimates, if the difference is one of estimates."""

    def ends(self, z: float) -> tuple[float, float]:
        """The ends of the interval at a standard normal quantile."""

    def reversed(self) -> "Region":
        """The region with first and second exchanged."""


class JointRegion:
    """The joint confidence region of two values, which defines the interval of their difference.

    The guarded intervals of a value at all levels define a function from z, a standard normal quantile, to the
    value. The two z have the correlation r of the estimates. The region at z is the ellipse

        z1^2 - 2 r z1 z2 + z2^2 <= (1 - r^2) z^2

    mapped to the two values, and the interval of the difference is the range of the differences in the region.
    Like MOVER (Zou & Donner 2008) it respects the limits and the two guarded intervals; unlike MOVER it allows for
    correlated errors of the two values. The correlation includes the pseudo-observation of the guarded interval of
    each value, taken as independent: r = covariance / sqrt((v1 + g1) (v2 + g2)), with the variances v and g of the
    estimates and pseudo-observations. An unseen case on which both classifiers err does not change the difference,
    so the intervals are recentred by the share 1 - r of the shift of a single value (by all of it if r < 0).

    If both values are far from their limits, or equal, Wald's interval from the variance of the difference is
    valid as well and does not depend on the shape of the marginal intervals; at each end the wider of the two is
    used. docs/coverage.md compares the coverage of both and of other candidates.

    References
    ----------
    Zou & Donner, Statistics in Medicine 27 (2008) 1693-1702. Zou, Psychological Methods 12 (2007) 399-413.
    """

    def __init__(self, first: Estimate, second: Estimate, variance: float) -> None:
        pair, (low, high) = (first, second), first.limits
        self._pair, self._variance = pair, variance
        self.value, self.span = first.value - second.value, float(high - low)
        self._wald = sqrt(variance + first.monte_carlo_error**2 + second.monte_carlo_error**2)
        n = np.array([estimate.cases_behind for estimate in pair])
        self._ends: GuardedEnds | None = None
        if self.span in (0.0, inf) or np.isnan([self.value, *n]).any():
            return  # of a range without limits, Wald's interval alone
        p = np.array([(estimate.value - low) / self.span for estimate in pair])
        error = np.array([hypot(e.standard_error, e.monte_carlo_error) / self.span for e in pair])
        r = _correlation(p, error, n, variance / self.span**2)
        self._around = _ellipse(p, error, n, r)
        columns = p[:, None], error[:, None], n[:, None]
        self._ends = GuardedEnds(*columns, self._around, share=1.0 - max(0.0, r))
        # A boundary interval takes long to compute, so it is interpolated between tabulated quantiles.
        self._tables = [e.quantiles(QUANTILES) if e.uses_boundary else None for e in pair]

    def __reduce__(self) -> tuple[type["JointRegion"], tuple[Estimate, Estimate, float]]:
        return JointRegion, (*self._pair, self._variance)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The two estimates."""
        return self._pair

    def reversed(self) -> "JointRegion":
        """The region with first and second exchanged."""
        return JointRegion(*self._pair[::-1], self._variance)

    def ends(self, z: float) -> tuple[float, float]:
        """The ends of the interval of the difference at a standard normal quantile."""
        low, high = inf, -inf
        if self.span == inf and self._wald == 0:  # nothing varies, and no limit says what might
            return -inf, inf
        if not isnan(self._wald):
            low, high = self.value - z * self._wald, self.value + z * self._wald
        if self._ends is not None:
            first, second = self._values(self._ends, z)
            differences = first - second
            low, high = min(low, float(differences.min())), max(high, float(differences.max()))
        if low > high:
            return nan, nan
        (below_first, above_first), (below_second, above_second) = (e.bound_slack for e in self._pair)
        low, high = (
            min(low, self.value) - below_first - above_second,
            max(high, self.value) + above_first + below_second,
        )
        return max(-self.span, low), min(self.span, high)

    def _values(self, ends: GuardedEnds, z: float) -> FloatArray:
        """The two values around the region at z, as ends of their intervals."""
        values = self.span * ends.at(z)
        for row, table in enumerate(self._tables):
            if table is not None:
                values[row] = np.interp(z * self._around[row], TABLE_Z, table)
        return values


class MoverRegion:
    """The interval of the difference between two differences, from their own intervals (MOVER).

    With d1, d2 the two differences, (l, u) their intervals at z and r their correlation, the lower end is

        d1 - d2 - sqrt((d1 - l1)^2 - 2 r (d1 - l1) (u2 - d2) + (u2 - d2)^2)

    and the upper end accordingly (Zou 2007). It inherits the care for small classes and limits of the range from
    the intervals that it is made of.
    """

    def __init__(self, first: "Difference", second: "Difference", correlation: float) -> None:
        self._pair, self._correlation = (first, second), correlation

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """None: the two values are differences."""
        return ()

    def reversed(self) -> "MoverRegion":
        """The region with first and second exchanged."""
        return MoverRegion(*self._pair[::-1], self._correlation)

    def ends(self, z: float) -> tuple[float, float]:
        """The ends of the interval at a standard normal quantile."""
        first, second = self._pair
        (low1, high1), (low2, high2) = first._ends(z), second._ends(z)
        value = first.value - second.value
        below, above = (
            self._reach(first.value - low1, high2 - second.value),
            self._reach(high1 - first.value, second.value - low2),
        )
        return value - below, value + above

    def _reach(self, a: float, b: float) -> float:
        return sqrt(max(a * a - 2.0 * self._correlation * a * b + b * b, 0.0))


def _ellipse(p: FloatArray, error: FloatArray, n: FloatArray, r: float) -> FloatArray:
    """The two z around the ellipse for z = 1: z1 = cos(a), z2 = cos(a - b) with cos(b) = r.

    The first angle is that of the largest difference if both values are linear in z, so that the interval is exact
    in this case.
    """
    between, (e1, e2) = np.arccos(r), np.sqrt(np.nan_to_num(error) ** 2 + guard_variance(p, n))
    angle = DIRECTIONS + np.arctan2(-e2 * np.sin(between), e1 - e2 * r)
    return np.stack([np.cos(angle), np.cos(angle - between)])


def _correlation(p: FloatArray, error: FloatArray, n: FloatArray, variance: float) -> float:
    """The correlation of two estimates, from the variance of their difference.

    The variance of each includes that of the pseudo-observation at (n p + 1/2) / (n + 1), which is positive also
    at a limit of the range, so that the correlation is defined and below 1.
    """
    own = error**2
    guarded = own + guard_variance((n * p + 0.5) / (n + 1.0), n)
    if not np.isfinite([*guarded, variance]).all():
        return 0.0
    return float(np.clip((own.sum() - variance) / 2.0 / sqrt(guarded.prod()), -1.0, 1.0))


def _without_replicates(difference: "Difference", _: float) -> Resampled | None:
    """The kind of interval and the acceleration; the replicates follow from those of the two estimates."""
    return None if difference.resampled is None else difference.resampled._replace(replicates=())


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between two classifiers by a measure.

    The tests invert the interval: p < 0.05 if and only if the 95 % interval excludes 0, and likewise for margins.

    Attributes
    ----------
    first, second
        The classifiers; the value is first minus second.
    value, standard_error
        The difference and its standard error.
    limits
        The smallest and the largest possible difference.
    pvalue
        Two-sided p-value of no difference, by inverting the interval unless the method has p-values of its own.
    adjusted_pvalue
        The same, adjusted for all compared pairs.
    larger_is_better
        False for a cost.
    resampled
        The replicates of which the interval is made, if the method resamples.
    region
        The joint region of the two values, of which the interval is made otherwise.
    stretch
        Factor by which the interval is longer than that of the region, so that it agrees with the p-value of a
        permutation test: a test-based interval (Miettinen 1976). 1 for other methods.
    df
        Degrees of freedom of the standard error, if the interval uses Student's t; None: the normal distribution.
    critical
        From a level to the standard normal quantile of the simultaneous interval; None for a single difference.
    """

    first: str
    second: str
    value: float
    standard_error: float
    limits: tuple[float, float]
    pvalue: float
    adjusted_pvalue: float
    larger_is_better: bool = True
    resampled: Resampled | None = field(default=None, repr=False, metadata=stored_as(encode=_without_replicates))
    region: Region | None = field(default=None, repr=False, compare=False, metadata=NOT_STORED)
    stretch: float = field(default=1.0, repr=False)
    df: float | None = field(default=None, repr=False, metadata=STORED_IF_SET)
    critical: Callable[[float], float] | None = field(default=None, repr=False, compare=False, metadata=NOT_STORED)

    def _invariants(self) -> Invariants:
        low, high = self.limits
        yield self.first != self.second, "first and second must differ"
        yield low <= high and within(self.value, low, high), "value must be between the limits"
        yield at_least([self.standard_error, self.stretch], 0), "standard_error and stretch must be 0 or more"
        yield shares([self.pvalue, self.adjusted_pvalue]), "p-values must be from 0 to 1"

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {
            "confidence_interval": list(self.confidence_interval(level)),
            "simultaneous_interval": list(self.simultaneous_interval(level)),
        }

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The confidence interval of this difference alone.

        From the joint region of the two values (see `JointRegion`), or, if the method resamples, from the
        replicates of the difference.
        """
        return self._interval_at(NormalDist().inv_cdf(0.5 + checked_level(level) / 2))

    @validated
    def wald_test(self, null: float = 0.0) -> float:
        """Two-sided p-value of DeLong's z test, (value - null) / standard_error, as in pROC's roc.test.

        For comparison with other programs: in small samples and near the limits the test rejects too often. nan
        without a standard error.
        """
        if not self.standard_error > 0:
            return nan
        return two_sided((self.value - null) / self.standard_error)

    @validated
    def simultaneous_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval that excludes 0 if and only if the adjusted p-value is below 1 - level.

        See `polyroc.estimates.multiplicity.critical_values` for its guarantee under each adjustment.
        """
        if self.critical is None:
            return self.confidence_interval(level)
        return self._interval_at(self.critical(checked_level(level)))

    def _interval_at(self, z: float) -> ConfidenceInterval:
        """The interval at a standard normal quantile."""
        low, high = self._ends(z)
        return ConfidenceInterval(max(self.limits[0], low), min(self.limits[1], high))

    def _ends(self, z: float) -> tuple[float, float]:
        if self.resampled is not None and self.resampled.is_usable(self.value):
            ends = self.resampled.confidence_interval(self.value, erf(z / sqrt(2.0)))
            return self.limits if ends is None else ends
        return (nan, nan) if self.region is None else self.region.ends(self.stretch * student_z(z, self.df))

    @validated
    def z_value(self, null: float = 0.0) -> float:
        """Signed root of the test that the difference is `null`: the z at which the interval just reaches it."""
        if self.resampled is not None and self.resampled.is_usable(self.value):
            return self.resampled.signed_root(self._ends, self.value, null)
        wald = abs(self.value - null) / self.standard_error if self.standard_error > 0 else 1.0
        return signed_root(self._ends, self.value, null, guess=wald / self.stretch)

    @validated
    def non_inferiority(self, margin: float) -> float:
        """P-value of the hypothesis that the first is worse than the second by `margin` or more (one-sided)."""
        worse = checked_margin(margin, self.limits[1]) * (-1.0 if self.larger_is_better else 1.0)
        return one_sided(self.z_value(worse) if self.larger_is_better else -self.z_value(worse))

    @validated
    def superiority(self, margin: float = 0.0) -> float:
        """P-value of the hypothesis that the first is better than the second by `margin` at most (one-sided)."""
        checked_margin(margin, self.limits[1], zero=True)
        better = margin if self.larger_is_better else -margin
        return one_sided(self.z_value(better) if self.larger_is_better else -self.z_value(better))

    @validated
    def equivalence(self, margin: float) -> float:
        """P-value of the hypothesis that the two differ by `margin` or more, either way (two one-sided tests)."""
        margin = checked_margin(margin, self.limits[1])
        return max(one_sided(self.z_value(-margin)), one_sided(-self.z_value(margin)))

    def reversed(self) -> "Difference":
        """The same pair with first and second exchanged."""
        resampled = None if self.resampled is None else self.resampled.reversed()
        region = None if self.region is None else self.region.reversed()
        return replace(
            self, first=self.second, second=self.first, value=-self.value, resampled=resampled, region=region
        )

    @validated
    def below_chance(self, level: float = 0.95) -> tuple[str, ...]:
        """Those of the two classifiers of which every value of the interval is worse than chance."""
        estimates = () if self.region is None else self.region.estimates
        names = zip((self.first, self.second), estimates, strict=False)
        return tuple(name for name, estimate in names if estimate.is_below_chance(level))

    @property
    def unit(self) -> float:
        """The order of magnitude of the two values: 1, or a small chance value of the measure."""
        estimates = () if self.region is None else self.region.estimates
        return min((estimate.unit for estimate in estimates), default=1.0)

    def sentence(self, adjustment: str | None = None, level: float = 0.95) -> str:
        """The difference in a plain sentence, with the simultaneous interval if p-values are adjusted.

        A conclusion that one is better names those of the two that are worse than chance.
        """
        if isnan(self.pvalue):
            return f"{self.first} and {self.second} cannot be compared: one of the values is undefined."
        shown = self if self.value >= 0 else self.reversed()
        kind, after = ("simultaneous ", f" after {adjustment}") if adjustment else ("", "")
        ends = f"{kind}{level_text(level)} {interval_text(shown.simultaneous_interval(level), 3, self.unit)}"
        value = estimated_text(shown.value, shown.standard_error, 3, self.unit)
        size = f"{value} ({ends}), {p_text(self.adjusted_pvalue)}{after}"
        if self.adjusted_pvalue >= 1 - level:
            return f"No difference is shown between {shown.first} and {shown.second}: {size}."
        winner, loser = (shown.first, shown.second)[:: 1 if self.larger_is_better else -1]
        return f"{winner} is better than {loser} by {size}{chance_clause(self.below_chance(level))}"


def chance_clause(names: Sequence[str]) -> str:
    """The end of a sentence on classifiers whose intervals are below chance; a full stop if none is.

    >>> chance_clause(["a", "b"])
    '; a and b are worse than chance: are their scores reversed?'
    """
    if not names:
        return "."
    verb, owner = ("is", "is its score") if len(names) == 1 else ("are", "are their scores")
    return f"; {listed(names)} {verb} worse than chance: {owner} reversed?"


def difference_record(difference: Difference, level: float) -> dict[str, Any]:
    """The record of a difference that all tables of differences have in common."""
    interval = difference.confidence_interval(level)
    return {
        "first": difference.first,
        "second": difference.second,
        "difference": difference.value,
        "standard_error": difference.standard_error,
        "low": interval.low,
        "high": interval.high,
        "level": level,
        "pvalue": difference.pvalue,
        "adjusted_pvalue": difference.adjusted_pvalue,
    }
