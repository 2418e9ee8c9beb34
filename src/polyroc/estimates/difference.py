"""The difference between two classifiers by a measure: score test, interval and tests."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import erf, inf, isnan, nan, sqrt
from statistics import NormalDist
from typing import Any, Protocol

from polyroc._results.codec import NOT_STORED, STORED_IF_SET, stored_as
from polyroc._results.invariants import Invariants, at_least, shares, within
from polyroc.errors import NotApplicableError
from polyroc.estimates.bootstrap_intervals import Resampled
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.hypothesis_tests import (
    ROUNDING_VARIANCE,
    one_sided,
    root_between,
    signed_root,
    two_sided,
)
from polyroc.estimates.intervals import (
    ROUNDING_ERROR,
    ConfidenceInterval,
    student_z,
)
from polyroc.estimates.multiplicity import IntervalKind
from polyroc.messages import Option
from polyroc.output.numbers import estimated_text, interval_text, level_text, p_text
from polyroc.output.sentences import listed
from polyroc.validation.arguments import checked_level, checked_margin
from polyroc.validation.signatures import validated

__all__ = [
    "AREAS",
    "Difference",
    "MoverRegion",
    "ScoreRegion",
    "chance_clause",
    "difference_record",
    "region_of",
    "verdict",
]

SCORE_TEST, DELONGS_TEST = "score test", "DeLong's test"
T_TEST, MOVER_TEST = "Student's t test", "test by the two intervals (MOVER)"
AREAS = "area under the ROC curve", "Gini coefficient"  # the measures of DeLong's test, by name
LARGEST_CORRELATION = 0.999  # with 1, two equal values would have a difference without variance
# One case on which both classifiers fail makes the correlation, and h where both are equal, arbitrarily small.
SMALLEST_SHARE = 0.7
SMALLEST_VARIANCE = 1e-3  # relative to that of proportions; that of small losses is near 0.02
UNSEEN_RANKS = 2.0  # chosen by simulation, as the share above


class Region(Protocol):
    """What the interval of a difference is made of."""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The two estimates, if the difference is one of estimates."""

    @property
    def test(self) -> str:
        """The test that the interval inverts, in words."""

    def ends(self, z: float) -> tuple[float, float]:
        """The ends of the interval at a standard normal quantile."""

    def reversed(self) -> "Region":
        """The region with first and second exchanged."""


@dataclass(frozen=True, slots=True)
class WaldRegion:
    """Wald's test of a difference, DeLong's for areas: the variance is the same whatever the true difference."""

    first: Estimate
    second: Estimate
    variance: float

    @property
    def test(self) -> str:
        """Return the name of the test."""
        return DELONGS_TEST

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Return the two estimates."""
        return self.first, self.second

    def reversed(self) -> "WaldRegion":
        """Exchange first and second."""
        return WaldRegion(self.second, self.first, self.variance)

    def ends(self, z: float) -> tuple[float, float]:
        """Return the ends of the interval at a standard normal quantile; nan without a variance."""
        value, reach = self.first.value - self.second.value, z * sqrt(self.variance) if self.variance > 0 else nan
        return value - reach, value + reach


class ScoreRegion:
    """The score test of the difference of two values, and the interval that inverts it.

    The test of a difference delta divides d - delta by the root of the variance that d would have if delta were
    true, not of the one at the observed difference, which is too small where few cases differ. Both values are
    shares p of their range. With m = (p1 + p2) / 2, moved where a value would leave the range, they are taken as
    m + delta / 2 and m - delta / 2, with variances in proportion to g(p) = p (1 - p), as in Miettinen & Nurminen's
    test of proportions, and the correlation r of the estimates:

        h(delta) = g1 + g2 - 2 r sqrt(g1 g2)
        variance(delta) = variance x share(delta) + guard |delta|,  share(delta) = max(h(delta) / h(d), 0.7)

    The first term is the estimated variance of the difference (DeLong's, of areas) at delta = d. For differences
    smaller than the observed one the share is at most 1: the test of equality has at least Wald's power. The
    second term allows for cases in which the classifiers differ and of which the sample has none: it vanishes for
    the test of equality, and as more cases differ. A variance below a thousandth of h(d) / cases is unknown; the
    larger of h(delta) / cases and the second term then takes its place. The quantile is Student's.
    docs/intervals.md has the definition, the candidates and the simulations.

    References
    ----------
    Miettinen & Nurminen, Statistics in Medicine 4 (1985) 213-226. Tango, Statistics in Medicine 17 (1998) 891-908.
    """

    def __init__(self, first: Estimate, second: Estimate, variance: float) -> None:
        self._pair, self._variance = (first, second), variance
        low, high = first.limits
        self.value, self.span = first.value - second.value, float(high - low)
        self._wald = variance + first.monte_carlo_error**2 + second.monte_carlo_error**2
        self._guard, self._observed, self._unknown = 0.0, 0.0, False
        if self.span in (0.0, inf) or isnan(self.value):
            return  # of a range without limits, the observed variance alone
        self._middle = ((first.value + second.value) / 2.0 - low) / self.span
        self._r = _correlation(first, second, variance)
        self._observed = self._shape(self.value / self.span)
        self._guard = self.span * self._unseen()
        self._fewest = max(min(estimate.fewest for estimate in self._pair), 1.0)
        self._unknown = not self._wald > SMALLEST_VARIANCE * self.span**2 * self._observed / self._fewest

    def _unseen(self) -> float:
        """Return the variance, relative to the difference, of cases that differ and of which the sample has none.

        One decision is all right or all wrong: for a proportion it is 1/n, as in Tango's interval. In a ranking,
        one case changes the mean by one part in `fewest`, times few ranks of those that count.
        """
        decisions, n = self._pair[0].of_decisions, min(estimate.cases_behind for estimate in self._pair)
        if not decisions:
            n = sqrt(n * min(estimate.fewest for estimate in self._pair))
        if not n >= 1.0:
            return inf
        return (1.0 / n if decisions else UNSEEN_RANKS / n**2) / (1.0 + 2.0 * n * self._observed)

    def __reduce__(self) -> tuple[type["ScoreRegion"], tuple[Estimate, Estimate, float]]:
        return ScoreRegion, (*self._pair, self._variance)

    @property
    def test(self) -> str:
        """Return the name of the test; without limits of the range, the variance has no shape."""
        return T_TEST if self.span == inf else SCORE_TEST

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The two estimates."""
        return self._pair

    def reversed(self) -> "ScoreRegion":
        """Exchange first and second."""
        return ScoreRegion(*self._pair[::-1], self._variance)

    def _shape(self, delta: float) -> float:
        """Return h(delta), to which the variance is proportional; delta is a share of the range."""
        half = delta / 2.0
        middle = min(max(self._middle, abs(half)), 1.0 - abs(half))
        g1, g2 = ((p + half) * (1.0 - p - half) for p, half in ((middle, half), (middle, -half)))
        g1, g2 = max(g1, 0.0), max(g2, 0.0)
        return g1 + g2 - 2.0 * self._r * sqrt(g1 * g2)

    def variance(self, delta: float) -> float:
        """Return the variance of the estimated difference if the true one is delta."""
        guard, shape = self._guard * abs(delta), self._shape(delta / self.span)
        if self._unknown:  # the cases do not show how the difference varies: as that of proportions
            return max(self.span**2 * shape / self._fewest, guard)
        # Two values at one limit, with an error nevertheless, say nothing about the shape.
        share = max(shape / self._observed, SMALLEST_SHARE) if self._observed > ROUNDING_VARIANCE else 1.0
        if abs(delta) < abs(self.value):
            share = min(share, 1.0)
        return self._wald * share + guard

    def ends(self, z: float) -> tuple[float, float]:
        """Return the smallest and the largest difference that the test does not reject at a quantile z."""
        if isnan(self.value) or (isnan(self._wald) and not self._unknown) or self.span == 0.0:
            return (0.0, 0.0) if self.span == 0.0 else (nan, nan)
        if self.span == inf:  # where nothing varies, no limit says what might
            reach = z * sqrt(self._wald) if self._wald > 0 else inf
            return self.value - reach, self.value + reach
        (below_first, above_first), (below_second, above_second) = (e.bound_slack for e in self._pair)
        low = self._end(z, -1.0) - below_first - above_second
        high = self._end(z, 1.0) + above_first + below_second
        return max(-self.span, low), min(self.span, high)

    def _end(self, z: float, side: float) -> float:
        """Return the end below the observed difference (side -1) or above it (side 1)."""

        def inside(distance: float) -> float:
            return z * sqrt(self.variance(self.value + side * distance)) - distance

        nearest, farthest = 0.0, max(self.span - side * self.value, 0.0)
        to_zero = -side * self.value
        if 0.0 < to_zero < farthest:  # whether 0 is inside decides between the two parts of this side
            nearest, farthest = (to_zero, farthest) if inside(to_zero) > 0 else (0.0, to_zero)
        if nearest == 0.0 and inside(0.0) <= 0.0:
            nearest = ROUNDING_ERROR * self.span  # the guard is steeper than the distance at 0
        if not inside(nearest) > 0.0:
            return self.value
        if inside(farthest) >= 0.0:
            return self.value + side * farthest
        return self.value + side * root_between(inside, nearest, farthest)


class MoverRegion:
    """The interval of the difference between two values, or two differences, from their own intervals (MOVER).

    With d1, d2 the two, (l, u) their intervals at z and r their correlation, the lower end is

        d1 - d2 - sqrt((d1 - l1)^2 - 2 r (d1 - l1) (u2 - d2) + (u2 - d2)^2)

    and the upper end accordingly (Zou 2007). It inherits the care for small classes and limits of the range from
    the intervals that it is made of. So are differences of estimates whose chance value is a limit of their range,
    where standard errors are not valid.
    """

    def __init__(
        self, first: "Difference | Estimate", second: "Difference | Estimate", correlation: float
    ) -> None:
        self._pair, self._correlation = (first, second), correlation

    @property
    def test(self) -> str:
        """Return the name of the test."""
        return MOVER_TEST

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """The two estimates; none if the two values are differences."""
        return tuple(one for one in self._pair if isinstance(one, Estimate))

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


def region_of(first: Estimate, second: Estimate, variance: float, test: str = SCORE_TEST) -> Region:
    """Return what makes the interval of the difference of two estimates, from its variance."""
    if test == DELONGS_TEST:
        return WaldRegion(first, second, variance)
    if any(estimate.is_quadratic for estimate in (first, second)):
        return MoverRegion(first, second, _correlation(first, second, variance))
    return ScoreRegion(first, second, variance)


def _correlation(first: Estimate, second: Estimate, variance: float) -> float:
    """Return the correlation of two estimates, from the variance of their difference; 0 if it is negative."""
    own = first.standard_error**2, second.standard_error**2
    if not own[0] * own[1] > 0.0 or isnan(variance):
        return 0.0
    return min(max((sum(own) - variance) / (2.0 * sqrt(own[0] * own[1])), 0.0), LARGEST_CORRELATION)


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
    test
        The test of the p-value in words: "score test", "DeLong's test", "permutation test", ...
    pvalue
        Two-sided p-value of no difference, by inverting the interval unless the method has p-values of its own.
    adjusted_pvalue
        The same, adjusted for all compared pairs.
    larger_is_better
        False for a cost.
    resampled
        The replicates of which the interval is made, if the method resamples.
    region
        What makes the interval otherwise: the score test of the two values (`ScoreRegion`).
    stretch
        Factor by which the interval is longer than that of the region, so that it agrees with the p-value of a
        permutation test: a test-based interval (Miettinen 1976). 1 for other methods.
    df
        Degrees of freedom of the standard error, if the interval uses Student's t; None: the normal distribution.
    adjustment, interval_kind
        In words, how the p-value is adjusted for the number of pairs, if it is; and the kind of interval beside
        it: "simultaneous", "FCR-adjusted" or "pointwise" (see `polyroc.estimates.multiplicity.critical_value`).
    critical
        From a level to the standard normal quantile of such an interval; None for a single difference.
    """

    first: str
    second: str
    value: float
    standard_error: float
    limits: tuple[float, float]
    pvalue: float
    adjusted_pvalue: float
    larger_is_better: bool = True
    test: str = field(default=SCORE_TEST, repr=False)
    resampled: Resampled | None = field(default=None, repr=False, metadata=stored_as(encode=_without_replicates))
    region: Region | None = field(default=None, repr=False, compare=False, metadata=NOT_STORED)
    stretch: float = field(default=1.0, repr=False)
    df: float | None = field(default=None, repr=False, metadata=STORED_IF_SET)
    adjustment: str | None = field(default=None, repr=False, compare=False, metadata=NOT_STORED)
    interval_kind: IntervalKind = field(default="simultaneous", repr=False, compare=False, metadata=NOT_STORED)
    critical: Callable[[float], float] | None = field(default=None, repr=False, compare=False, metadata=NOT_STORED)

    def _invariants(self) -> Invariants:
        low, high = self.limits
        yield self.first != self.second, "first and second must differ"
        yield low <= high and within(self.value, low, high), "value must be between the limits"
        yield at_least([self.standard_error, self.stretch], 0), "standard_error and stretch must be 0 or more"
        yield shares([self.pvalue, self.adjusted_pvalue]), "p-values must be from 0 to 1"

    def _derived_at(self, level: float) -> dict[str, Any]:
        interval = {"confidence_interval": list(self.confidence_interval(level))}
        if self.interval_kind != "pointwise":
            interval[f"{self._key}_interval"] = list(self.adjusted_interval(level))
        return interval

    @property
    def _key(self) -> str:
        """The kind of the adjusted interval, as in a name."""
        return self.interval_kind.lower().replace("-", "_")

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The confidence interval of this difference alone.

        By the score test of the two values (see `ScoreRegion`), or, if the method resamples, from the replicates
        of the difference.
        """
        return self._interval_at(NormalDist().inv_cdf(0.5 + checked_level(level) / 2))

    @property
    def wald_z(self) -> float:
        """Value / standard error; 0 of equal values, nan without a standard error."""
        return self.value / self.standard_error if self.standard_error > 0 else (nan if self.value else 0.0)

    @property
    def wald_name(self) -> str:
        """Return the name of the test by `wald_z`: DeLong's, if areas are compared, else Wald's."""
        estimates = () if self.region is None else self.region.estimates
        return "DeLong's" if any(estimate.name in AREAS for estimate in estimates) else "Wald's"

    @validated
    def wald_test(self, null: float = 0.0) -> float:
        """Two-sided p-value of Wald's z test, (value - null) / standard_error; of areas DeLong's, as in pROC.

        For comparison with other programs: in small samples and near the limits the test rejects too often. nan
        without a standard error.
        """
        if not self.standard_error > 0:
            return nan
        return two_sided((self.value - null) / self.standard_error)

    @validated
    def adjusted_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval beside the adjusted p-value; `interval_kind` says what it guarantees."""
        if self.critical is None:
            return self.confidence_interval(level)
        return self._interval_at(self.critical(checked_level(level)))

    @validated
    def simultaneous_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval that contains the true difference together with those of all other pairs.

        Raise an error if the adjustment of the p-values has no such intervals.
        """
        if self.interval_kind != "simultaneous":
            raise NotApplicableError(
                f"The intervals of this comparison are {self.interval_kind}, not simultaneous; take "
                "adjusted_interval, or compare with ",
                Option("adjustment", "max-t"),
                ".",
            )
        return self.adjusted_interval(level)

    @validated
    def adjusted_record(self, level: float) -> dict[str, float]:
        """The ends of the adjusted interval, named by its kind; nothing if it is that of this difference alone."""
        if self.interval_kind == "pointwise":
            return {}
        low, high = self.adjusted_interval(level)
        return {f"{self._key}_low": low, f"{self._key}_high": high}

    def _interval_at(self, z: float) -> ConfidenceInterval:
        """The interval at a standard normal quantile."""
        low, high = self._ends(z)
        return ConfidenceInterval(max(self.limits[0], low), min(self.limits[1], high))

    def _ends(self, z: float) -> tuple[float, float]:
        if self.resampled is not None and self.resampled.is_usable(self.value):
            ends = self.resampled.confidence_interval(self.value, erf(z / sqrt(2.0)))
            return self.limits if ends is None else ends
        return (nan, nan) if self.region is None else self.region.ends(student_z(self.stretch * z, self.df))

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

    @validated
    def size_text(self, level: float = 0.95) -> str:
        """The difference with the interval beside its p-value, named if it is adjusted."""
        kind = f"{self.interval_kind} " if self.adjustment else ""
        ends = (
            f"{kind}{level_text(level)} {interval_text(self.adjusted_interval(level), 3, self.unit, signed=True)}"
        )
        return f"{estimated_text(self.value, self.standard_error, 3, self.unit)} ({ends})"

    @validated
    def sentence(self, level: float = 0.95) -> str:
        """The difference in a plain sentence, with the adjusted interval if p-values are adjusted.

        A conclusion that one is better names those of the two that are worse than chance.
        """
        shown = self.reversed() if self.value < 0 else self
        lead = verdict(shown.first, shown.second, self.adjusted_pvalue, level, self.larger_is_better)
        if isnan(self.pvalue):
            return f"{lead}: one of the values is undefined."
        named = f"{self.test}, {self.adjustment}" if self.adjustment else self.test
        size = f"{shown.size_text(level)}, {p_text(self.adjusted_pvalue)} ({named})"
        if self.adjusted_pvalue >= 1 - level:
            return f"{lead}: {size}."
        return f"{lead} by {size}{chance_clause(self.below_chance(level))}"


def verdict(first: str, second: str, pvalue: float, level: float, first_is_better: bool) -> str:
    """Return the beginning of a sentence on two classifiers: which is better, if the p-value shows it.

    >>> verdict("a", "b", 0.01, 0.95, True), verdict("a", "b", 0.2, 0.95, True)
    ('a is better than b', 'No difference is shown between a and b')
    """
    if isnan(pvalue):
        return f"{first} and {second} cannot be compared"
    if pvalue >= 1 - level:
        return f"No difference is shown between {first} and {second}"
    winner, loser = (first, second) if first_is_better else (second, first)
    return f"{winner} is better than {loser}"


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
