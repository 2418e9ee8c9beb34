"""The goal of a planned study: the test or the interval width, and the effect that is expected."""

from dataclasses import dataclass
from math import isfinite, isinf
from statistics import NormalDist
from typing import Any

from polyroc.errors import InputError, NotApplicableError
from polyroc.measures.measure import Measure
from polyroc.messages import Option

__all__ = ["Goal", "PlanningQuestion"]

NORMAL = NormalDist()
LEAST_ALPHA = 1e-12  # the level of an interval is 1 - alpha, which must not be rounded to 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """The test or interval of a study, for any measure and any source of the variance; see `sample_size`."""

    null: float | None = None
    margin: float | None = None
    width: float | None = None
    power: float | None = None
    alpha: float | None = None
    sides: int | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None and not (_is_number(self.alpha) and LEAST_ALPHA <= self.alpha < 0.5):
            raise InputError(
                f"alpha, the significance level, must be between 0 and 0.5 (0.05 for 5 %), got {self.alpha!r}."
            )
        if self.power is not None and not (_is_number(self.power) and 0 < self.power < 1):
            raise InputError(f"power must be between 0 and 1 (0.8 for 80 %), got {self.power!r}.")
        if self.sides not in (1, 2, None):
            raise InputError(f"sides must be 1 or 2, for a one-sided or a two-sided test, got {self.sides!r}.")
        for name in ("margin", "width"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and value > 0):
                raise InputError(f"{name} must be a positive number, got {value!r}.")
        self._require_test_or_width()

    def _require_test_or_width(self) -> None:
        if self.width is None:
            return
        test_options = {"null": self.null, "margin": self.margin, "sides": self.sides if self.sides == 1 else None}
        names = ", ".join(name for name, value in test_options.items() if value is not None)
        if names:
            raise InputError(
                Option("width"), f" plans the width of an interval, {names} a test; pass one or the other."
            )

    @property
    def test_sides(self) -> int:
        """1 or 2; by default a test with a margin (non-inferiority) is one-sided, others two-sided."""
        return self.sides or (2 if self.margin is None else 1)

    @property
    def test_alpha(self) -> float:
        """The significance level; by default 5 %, or 2.5 % for the one-sided test with a margin."""
        if self.alpha is not None:
            return self.alpha
        return 0.025 if self.margin is not None and self.test_sides == 1 else 0.05


@dataclass(frozen=True, slots=True)
class PlanningQuestion:
    """The goal of a study, together with the measure and the values expected of one or two classifiers.

    Attributes
    ----------
    measure, classes
        The measure and the number of classes.
    goal
        The test or interval.
    value, versus
        The values expected of the (first) classifier and of the second; None if there is one.
    """

    measure: Measure
    classes: int
    goal: Goal
    value: float
    versus: float | None = None

    def __post_init__(self) -> None:
        low, high = self.limits
        if isinf(high - low):
            raise NotApplicableError(
                f"sample_size plans measures with a smallest and a largest value, which {self.measure} has not; "
                "plan by another one, such as brier."
            )
        for name in ("value", "versus"):
            value = getattr(self, name)
            if value is not None and not (_is_number(value) and low <= value <= high):
                raise InputError(f"{name} must be a value of {self.measure}, {low:g} to {high:g}, got {value!r}.")
        if self.goal.width is not None:
            self._require_possible_width()
        else:
            self._require_effect()

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest value of the measure."""
        return self.measure.range(self.classes, **self.measure.settings)

    @property
    def effect_limits(self) -> tuple[float, float]:
        """The smallest and the largest effect: value of the measure, or difference."""
        low, high = self.limits
        return (low, high) if self.versus is None else (low - high, high - low)

    @property
    def null(self) -> float:
        """The value, or the difference, of the null hypothesis before the margin is applied."""
        if self.goal.null is not None:
            return self.goal.null
        if self.versus is not None:
            return 0.0
        if self.measure.chance is None:
            raise InputError(f"{self.measure} has no chance value to test against; pass ", Option("null"), ".")
        return self.measure.chance(self.classes, **self.measure.settings)

    @property
    def hypothesis(self) -> float:
        """The value, or the difference, to be rejected: `null`, or worse than it by the margin."""
        worse = -1.0 if self.measure.larger_is_better else 1.0
        return self.null + worse * (self.goal.margin or 0.0)

    @property
    def expected(self) -> float:
        """The expected effect: the value, or the difference of two values."""
        return self.value if self.versus is None else self.value - self.versus

    @property
    def values(self) -> tuple[float, ...]:
        """The value expected of each classifier."""
        return (self.value,) if self.versus is None else (self.value, self.versus)

    @property
    def upward(self) -> bool:
        """True if the expected effect lies above the one to be rejected."""
        return self.expected > self.hypothesis

    @property
    def z(self) -> float:
        """The normal quantile of the test, or of the interval."""
        return NORMAL.inv_cdf(1.0 - self.goal.test_alpha / self.goal.test_sides)

    @property
    def level(self) -> float:
        """The level of the interval that is equivalent to the test: it must exclude the hypothesis."""
        return 1.0 - 2.0 * self.goal.test_alpha / self.goal.test_sides

    @property
    def verb(self) -> str:
        """The verb that will analyse the study."""
        return "evaluate" if self.versus is None else "compare"

    def _require_possible_width(self) -> None:
        low, high = self.effect_limits
        if self.goal.width is not None and self.goal.width >= high - low:
            raise InputError(f"width must be less than {high - low:g}, the whole range, got {self.goal.width!r}.")

    def _require_effect(self) -> None:
        """Raise an error if the expected effect cannot be shown with any number of cases."""
        low, high = self.effect_limits
        name = "null" if self.versus is None else "null (a difference)"
        if not _is_number(self.null) or not low <= self.null <= high:
            raise InputError(f"{name} must be from {low:g} to {high:g}, got {self.null!r}.")
        if not low <= self.hypothesis <= high:
            raise InputError(
                f"The {self.measure} to be rejected must be between {low:g} and {high:g}, got "
                f"{self.hypothesis:g}; use a smaller margin, or change null."
            )
        if self.goal.margin is not None and self.upward != self.measure.larger_is_better:
            raise InputError(
                f"With {self._values_text()} and a margin of {self.goal.margin:g}, the classifier is worse by the "
                f"margin or more: the power is at most {self.goal.test_alpha:g} for every n; use a better value, "
                "or a larger margin."
            )
        if abs(self.expected - self.hypothesis) < 1e-12:  # 0.85 - 0.80 is not 0.05 to the last bit
            raise InputError(
                f"With {self._values_text()} there is no difference to show: the power is "
                f"{self.goal.test_alpha:g} for every n; use another value, or ",
                Option("margin"),
                " to show non-inferiority.",
            )

    def _values_text(self) -> str:
        second = "" if self.versus is None else f", versus {self.versus:g}"
        return f"value {self.value:g}{second} and null {self.null:g}"


def _is_number(value: Any) -> bool:
    try:
        return isfinite(value)
    except TypeError:
        return False
