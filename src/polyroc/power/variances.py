"""From variances to power and width, and back to the smallest number of cases."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple, Protocol

from polyroc.errors import InputError
from polyroc.estimates.difference import JointRegion
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.power.aims import NORMAL, Question
from polyroc.power.allocation import Allocation, Sizes
from polyroc.results.provenance import Provenance

__all__ = [
    "MOST",
    "VarianceModel",
    "Variances",
    "is_near_limit",
    "power_at",
    "smallest",
    "unreachable",
    "width_at",
]

MOST = 10**9  # cases beyond which nobody plans
CURVATURE = 1.25  # an area of normal scores has 1.23 to 1.30 from 0.5 to 0.99, a share of cases has 1


class Variances(NamedTuple):
    """Of the estimates of one classifier or two, and of the effect: the value, or the difference of two values."""

    own: tuple[float, ...]
    effect: float


class VarianceModel(Protocol):
    """Where variances come from."""

    def variances(self, sizes: Sizes) -> Variances:
        """At the expected values."""
        ...

    def under_hypothesis(self, sizes: Sizes) -> float | None:
        """Variance of the effect if the hypothesis is true, for a textbook formula that tests with it.

        None if the test is that of `evaluate` or `compare`.
        """
        ...

    def effective(self, sizes: Sizes) -> tuple[float, ...]:
        """For each classifier the effective number of cases in the smallest class, as `Estimate.effective`."""
        ...


def power_at(question: Question, model: VarianceModel, sizes: Sizes) -> float:
    """The probability that the test rejects the hypothesis; rejections on the wrong side do not count as power."""
    under_hypothesis = model.under_hypothesis(sizes)
    if under_hypothesis is None:
        return _study(question, model, sizes).power()
    beyond = abs(question.expected - question.hypothesis) - question.z * sqrt(under_hypothesis)
    return NORMAL.cdf(beyond / sqrt(model.variances(sizes).effect))


def width_at(question: Question, model: VarianceModel, sizes: Sizes) -> float:
    """The width of the interval that `evaluate` or `compare` gives if the estimate is what is expected."""
    low, high = _study(question, model, sizes).interval(question.expected)
    return high - low


def is_near_limit(question: Question, model: VarianceModel, sizes: Sizes) -> bool:
    """True if a value is less than two standard errors from a limit, so that its estimate is far from normal."""
    low, high = question.limits
    errors = zip(question.values, model.variances(sizes).own, strict=True)
    return any(min(value - low, high - value) < 2.0 * sqrt(variance) for value, variance in errors)


def _study(question: Question, model: VarianceModel, sizes: Sizes) -> "PlannedStudy":
    return PlannedStudy(question, model.variances(sizes), model.effective(sizes))


@dataclass(frozen=True, slots=True)
class PlannedStudy:
    """A study of given size: the interval that it will give, as a function of the effect that it will find.

    Attributes
    ----------
    question
        What is to be shown.
    variances
        At the expected values.
    effective
        For each classifier the effective number of cases in the smallest class.
    """

    question: Question
    variances: Variances
    effective: tuple[float, ...]

    def power(self) -> float:
        """The probability that the interval excludes the hypothesis.

        That is, that the effect found lies beyond the critical effect, whose interval just reaches the hypothesis.
        """
        expected, error = self.question.expected, sqrt(self.variances.effect)
        if error == 0:
            return float(self._beyond(expected) > 0)
        critical = self._critical(error)
        if critical is None:
            return 0.0
        return NORMAL.cdf((expected - critical if self.question.upward else critical - expected) / error)

    def interval(self, effect: float) -> ConfidenceInterval:
        """What `evaluate` or `compare` gives at the level of the test if this effect is found."""
        estimates = [self._estimate(i, value) for i, value in enumerate(self._values(effect))]
        if len(estimates) == 1:
            return estimates[0].confidence_interval(self.question.level)
        first, second = (estimate.standard_error for estimate in estimates)
        variance = first**2 + second**2 - 2.0 * self._correlation() * first * second
        ends = JointRegion(estimates[0], estimates[1], max(0.0, variance)).ends(self.question.z)
        return ConfidenceInterval(*ends)

    def _critical(self, error: float) -> float | None:
        """The effect nearest to the hypothesis whose interval excludes it; None if there is none.

        Near a limit the interval may grow faster than the estimate moves, so that farther effects are not always
        shown more clearly: steps outwards from the hypothesis find the first one, a root finder the exact place.
        """
        from scipy.optimize import brentq

        side = 1.0 if self.question.upward else -1.0
        end = self.question.reach[1 if self.question.upward else 0]
        below, step = self.question.hypothesis, 0.25 * error
        while side * (end - below) > 0:
            above = side * min(side * (below + side * step), side * end)
            if self._beyond(above) > 0:
                return float(brentq(self._beyond, below, above, xtol=1e-9 * error, rtol=1e-15))
            below, step = above, 1.1 * step
        return None

    def _beyond(self, effect: float) -> float:
        """How far the hypothesis is outside the interval; negative inside."""
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
        more = effect - self.question.expected
        values = self.question.value + share * more, self.question.versus - (1.0 - share) * more
        return [min(high, max(low, value)) for value in values]

    def _correlation(self) -> float:
        """Between the two estimates."""
        first, second = self.variances.own
        if first * second == 0:
            return 0.0
        return (first + second - self.variances.effect) / (2.0 * sqrt(first * second))

    def _estimate(self, i: int, value: float) -> Estimate:
        """The estimate of classifier i if it turns out to be this value; its variance is that expected there."""
        low, high = self.question.limits
        expected = self.question.values[i]
        variance, room = self.variances.own[i], (expected - low) * (high - expected)
        if value != expected and room > 0:
            variance *= ((value - low) * (high - value) / room) ** CURVATURE
        return Estimate(
            measure=str(self.question.measure),
            name=self.question.measure.name,
            classifier="expected",
            value=value,
            standard_error=sqrt(variance),
            limits=self.question.limits,
            chance=None,
            fewest=self.effective[i],
            provenance=Provenance({}, None),
        )


def smallest(reached: Callable[[Sizes], bool], allocation: Allocation) -> Sizes | None:
    """The smallest class sizes that reach what is wanted, which more cases reach too; None beyond `MOST` cases."""
    below, cases = allocation.fewest - 1, allocation.fewest
    while not reached(allocation.sizes(cases)):
        if cases > MOST:
            return None
        below, cases = cases, 2 * cases
    while cases - below > 1:
        middle = (below + cases) // 2
        below, cases = (below, middle) if reached(allocation.sizes(middle)) else (middle, cases)
    return allocation.sizes(cases)


def unreachable(what: str) -> InputError:
    """Nobody has so many cases."""
    return InputError(
        f"More than {MOST:.0e} cases would be needed; with that many there is {what}. Expect a larger difference, "
        "or ask for less."
    )
