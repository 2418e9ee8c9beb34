"""Analytic power and interval width from variances, and the smallest number of cases that suffices."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, Protocol

import numpy as np
from scipy.optimize import brentq

from polyroc._results.provenance import Provenance
from polyroc.errors import InputError
from polyroc.estimates.comparison import pairwise_differences
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.power.allocation import Allocation, Sizes
from polyroc.power.goals import NORMAL, PlanningQuestion

__all__ = [
    "MOST_CASES",
    "VarianceModel",
    "Variances",
    "is_near_limit",
    "power_at",
    "smallest_sizes",
    "too_many_cases",
    "width_at",
]

MOST_CASES = 10**9  # no study is larger
# The variance of an estimate p is taken as proportional to (p (1 - p))^CURVATURE: an area of normal scores has an
# exponent of 1.23 to 1.30 from 0.5 to 0.99, a proportion has 1.
CURVATURE = 1.25
# The relative variance of an estimated variance, times n: that of uniform components, as of an area of 0.5.
SPREAD = 0.8


class Variances(NamedTuple):
    """Variances of the estimates of one classifier or two (`own`), and of the effect: a value or a difference."""

    own: tuple[float, ...]
    effect: float


class VarianceModel(Protocol):
    """A source of variances: a formula or pilot data."""

    def variances(self, sizes: Sizes) -> Variances:
        """The variances at the expected values."""
        ...

    def under_hypothesis(self, sizes: Sizes) -> float | None:
        """The variance of the effect under the hypothesis, for a textbook formula that tests with it.

        None if the test is that of `evaluate` or `compare`.
        """
        ...

    def cases(self, sizes: Sizes) -> tuple[tuple[float, float], ...]:
        """Return `Estimate.fewest` and `Estimate.effective` of each classifier."""
        ...


def power_at(question: PlanningQuestion, model: VarianceModel, sizes: Sizes) -> float:
    """Return the probability that the test rejects on the expected side, or that the interval is narrow enough."""
    if question.goal.width is not None:
        return _study(question, model, sizes).assurance(question.goal.width)
    under_hypothesis = model.under_hypothesis(sizes)
    if under_hypothesis is None:
        return _study(question, model, sizes).power()
    excess = abs(question.expected - question.hypothesis) - question.z * sqrt(under_hypothesis)
    return NORMAL.cdf(excess / sqrt(model.variances(sizes).effect))


def width_at(question: PlanningQuestion, model: VarianceModel, sizes: Sizes) -> float:
    """The width of the interval by `evaluate` or `compare` if the estimate is the expected value."""
    low, high = _study(question, model, sizes).interval(question.expected)
    return high - low


def is_near_limit(question: PlanningQuestion, model: VarianceModel, sizes: Sizes) -> bool:
    """True if a value is less than two standard errors from a limit, so that its estimate is far from normal."""
    low, high = question.limits
    errors = zip(question.values, model.variances(sizes).own, strict=True)
    return any(min(value - low, high - value) < 2.0 * sqrt(variance) for value, variance in errors)


def _study(question: PlanningQuestion, model: VarianceModel, sizes: Sizes) -> "PlannedStudy":
    return PlannedStudy(question, model.variances(sizes), model.cases(sizes), sizes)


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """A study of given size: its interval as a function of the estimated effect.

    Attributes
    ----------
    question
        The goal and the expected values.
    variances
        The variances at the expected values.
    cases
        `Estimate.fewest` and `Estimate.effective` of each classifier.
    sizes
        The class sizes.
    """

    question: PlanningQuestion
    variances: Variances
    cases: tuple[tuple[float, float], ...]
    sizes: Sizes

    def power(self) -> float:
        """The probability that the interval excludes the hypothesis.

        That is, that the estimate lies beyond the critical effect, whose interval just reaches the hypothesis.
        """
        expected, error = self.question.expected, sqrt(self.variances.effect)
        if error == 0:
            return float(self._distance(expected) > 0)
        critical = self._critical(error)
        if critical is None:
            return 0.0
        return NORMAL.cdf((expected - critical if self.question.upward else critical - expected) / error)

    def assurance(self, width: float) -> float:
        """Return the probability that the interval is no wider than `width`.

        The width varies with the estimates, by its slopes, and with the standard error around what they predict.
        """
        low, high = self.question.limits
        values, slopes = self.question.values, []
        expected = self._width(values)
        for i, (value, variance) in enumerate(zip(values, self.variances.own, strict=True)):
            step = min(sqrt(variance), 0.5 * (value - low), 0.5 * (high - value))
            ends = [self._width([*values[:i], value + side * step, *values[i + 1 :]]) for side in (1, -1)]
            slopes.append((ends[0] - ends[1]) / (2.0 * step) * sqrt(variance) if step > 0 else 0.0)
        spread = sum(slope**2 for slope in slopes)
        if len(slopes) == 2:
            spread += 2.0 * self._correlation() * slopes[0] * slopes[1]
        if self.question.measure.needs != "decisions":
            shares = np.array([1.0 / size for size in self.sizes])
            spread += expected**2 / 4.0 * SPREAD * float((shares**3).sum() / shares.sum() ** 2)
        if not spread > 0:
            return float(expected <= width)
        return NORMAL.cdf((width - expected) / sqrt(spread))

    def _width(self, values: Sequence[float]) -> float:
        low, high = self._interval(values)
        return high - low

    def interval(self, effect: float) -> ConfidenceInterval:
        """The interval by `evaluate` or `compare`, at the level of the test, if this effect is estimated."""
        return self._interval(self._values(effect))

    def _interval(self, values: Sequence[float]) -> ConfidenceInterval:
        """Return the interval if these values are estimated."""
        estimates = [self._estimate(i, value) for i, value in enumerate(values)]
        if len(estimates) == 1:
            return estimates[0].confidence_interval(self.question.level)
        first, second = (estimate.standard_error for estimate in estimates)
        shared = self._correlation() * first * second
        covariance = np.array([[first**2, shared], [shared, second**2]])
        pair = dict(zip(("first", "second"), estimates, strict=True))
        return next(iter(pairwise_differences(pair, covariance, True).values())).confidence_interval(
            self.question.level
        )

    def _critical(self, error: float) -> float | None:
        """The effect nearest to the hypothesis whose interval excludes it; None if there is none.

        Near a limit the interval may widen faster than the estimate changes, so that a larger effect is not always
        more significant: growing steps away from the hypothesis bracket the first such effect for a root finder.
        """
        side = 1.0 if self.question.upward else -1.0
        end = self.question.effect_limits[1 if self.question.upward else 0]
        below, step = self.question.hypothesis, 0.25 * error
        while side * (end - below) > 0:
            above = side * min(side * (below + side * step), side * end)
            if self._distance(above) > 0:
                return float(brentq(self._distance, below, above, xtol=1e-9 * error, rtol=1e-15))
            below, step = above, 1.1 * step
        return None

    def _distance(self, effect: float) -> float:
        """The distance of the hypothesis from the interval; negative inside."""
        low, high = self.interval(effect)
        hypothesis = self.question.hypothesis
        return low - hypothesis if self.question.upward else hypothesis - high

    def _values(self, effect: float) -> list[float]:
        """The most likely estimates that have this effect: the regression of each estimate on the effect."""
        low, high = self.question.limits
        if self.question.versus is None:
            return [effect]
        first, second = self.variances.own
        share = 0.5 + (first - second) / (2.0 * self.variances.effect) if self.variances.effect > 0 else 0.5
        change = effect - self.question.expected
        values = self.question.value + share * change, self.question.versus - (1.0 - share) * change
        return [min(high, max(low, value)) for value in values]

    def _correlation(self) -> float:
        """The correlation of the two estimates."""
        first, second = self.variances.own
        if first * second == 0:
            return 0.0
        return (first + second - self.variances.effect) / (2.0 * sqrt(first * second))

    def _estimate(self, i: int, value: float) -> Estimate:
        """The estimate of classifier i if it has this value; its variance there is scaled (see `CURVATURE`)."""
        low, high = self.question.limits
        expected = self.question.values[i]
        variance, expected_scale = self.variances.own[i], (expected - low) * (high - expected)
        if value != expected and expected_scale > 0:
            variance *= ((value - low) * (high - value) / expected_scale) ** CURVATURE
        return Estimate(
            measure=str(self.question.measure),
            name=self.question.measure.full_name,
            classifier="expected",
            value=value,
            standard_error=sqrt(variance),
            limits=self.question.limits,
            chance=None,
            fewest=self.cases[i][0],
            effective=self.cases[i][1],
            provenance=Provenance({str(k): size for k, size in enumerate(self.sizes)}, None),
            of_decisions=self.question.measure.needs == "decisions" or None,
        )


def smallest_sizes(suffices: Callable[[Sizes], bool], allocation: Allocation) -> Sizes | None:
    """The smallest class sizes that suffice, by bisection; None beyond `MOST_CASES` cases."""
    below, cases = allocation.fewest - 1, allocation.fewest
    while not suffices(allocation.sizes(cases)):
        if cases > MOST_CASES:
            return None
        below, cases = cases, 2 * cases
    while cases - below > 1:
        middle = (below + cases) // 2
        below, cases = (below, middle) if suffices(allocation.sizes(middle)) else (middle, cases)
    return allocation.sizes(cases)


def too_many_cases(best: str) -> InputError:
    """The error if more than `MOST_CASES` cases would be needed."""
    return InputError(
        f"More than {MOST_CASES:.0e} cases would be needed; with that many there is {best}. Use a larger expected "
        "difference, or a weaker goal."
    )
