"""What a study is to show, and how surely."""

from dataclasses import dataclass
from math import isfinite
from statistics import NormalDist
from typing import Any

from polyroc.errors import InputError
from polyroc.measures.measure import Measure

__all__ = ["Aim", "Question"]

NORMAL = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What was asked for, whatever the measure and wherever the variance comes from; see `sample_size`."""

    null: float | None = None
    margin: float | None = None
    width: float | None = None
    power: float | None = None
    alpha: float | None = None
    sides: int | None = None

    def __post_init__(self) -> None:
        if self.alpha is not None and not (_is_number(self.alpha) and 0 < self.alpha < 0.5):
            raise InputError(
                "alpha must be the chance of a false finding, between 0 and 0.5 (0.05 for 5 %), got "
                f"{self.alpha!r}."
            )
        if self.power is not None and not (_is_number(self.power) and 0 < self.power < 1):
            raise InputError(f"power must be between 0 and 1 (0.8 for 80 %), got {self.power!r}.")
        if self.sides not in (1, 2, None):
            raise InputError(f"sides must be 1 or 2, for a one-sided or a two-sided test, got {self.sides!r}.")
        for name in ("margin", "width"):
            given = getattr(self, name)
            if given is not None and not (_is_number(given) and given > 0):
                raise InputError(f"{name} must be a positive number, got {given!r}.")
        self._require_one_question()

    def _require_one_question(self) -> None:
        if self.width is None:
            return
        tested = {"null": self.null, "margin": self.margin, "sides": self.sides if self.sides == 1 else None}
        named = ", ".join(name for name, given in tested.items() if given is not None)
        if named:
            raise InputError(
                f"width asks how wide an interval will be, {named} what a test will show; ask one thing at a time."
            )

    @property
    def test_sides(self) -> int:
        """1 or 2: that a classifier is not worse is shown by a one-sided test unless something else was said."""
        return self.sides or (2 if self.margin is None else 1)

    @property
    def test_alpha(self) -> float:
        """5 %, or 2.5 % for the one-sided test with a margin, as regulators expect, unless alpha is given."""
        if self.alpha is not None:
            return self.alpha
        return 0.025 if self.margin is not None and self.test_sides == 1 else 0.05


@dataclass(frozen=True, slots=True)
class Question:
    """One measure of one classifier, or of two, and what is to be shown of it.

    Attributes
    ----------
    measure, classes
        What is measured, and for how many classes.
    aim
        What was asked for.
    value, versus
        What the (first) classifier is expected to have, and the second one; None if there is one.
    """

    measure: Measure
    classes: int
    aim: Aim
    value: float
    versus: float | None = None

    def __post_init__(self) -> None:
        low, high = self.limits
        for name in ("value", "versus"):
            given = getattr(self, name)
            if given is not None and not (_is_number(given) and low <= given <= high):
                raise InputError(f"{name} must be a value of {self.measure}, {low:g} to {high:g}, got {given!r}.")
        if self.aim.width is not None:
            self._require_width()
        else:
            self._require_something_to_show()

    @property
    def limits(self) -> tuple[float, float]:
        """The smallest and the largest value of the measure."""
        return self.measure.range(self.classes, **self.measure.settings)

    @property
    def reach(self) -> tuple[float, float]:
        """The smallest and the largest value of what is asked: the measure, or a difference."""
        low, high = self.limits
        return (low, high) if self.versus is None else (low - high, high - low)

    @property
    def null(self) -> float:
        """The value, or the difference, to be tested against; without a margin the one to be rejected."""
        if self.aim.null is not None:
            return self.aim.null
        if self.versus is not None:
            return 0.0
        if self.measure.chance is None:
            raise InputError(f"{self.measure} has no chance value to test against; say null, the value to exceed.")
        return self.measure.chance(self.classes, **self.measure.settings)

    @property
    def hypothesis(self) -> float:
        """The value, or the difference, to be rejected: the null, or worse than that by the margin."""
        worse = -1.0 if self.measure.larger_is_better else 1.0
        return self.null + worse * (self.aim.margin or 0.0)

    @property
    def expected(self) -> float:
        """The value, or the difference, that is thought to be true."""
        return self.value if self.versus is None else self.value - self.versus

    @property
    def values(self) -> tuple[float, ...]:
        """The value expected of each classifier."""
        return (self.value,) if self.versus is None else (self.value, self.versus)

    @property
    def upward(self) -> bool:
        """True if what is to be shown lies above what is to be rejected."""
        return self.expected > self.hypothesis

    @property
    def z(self) -> float:
        """The normal quantile of the test, or of the interval."""
        return NORMAL.inv_cdf(1.0 - self.aim.test_alpha / self.aim.test_sides)

    @property
    def level(self) -> float:
        """The level of the interval that does the test: it must leave out what is to be rejected."""
        return 1.0 - 2.0 * self.aim.test_alpha / self.aim.test_sides

    @property
    def verb(self) -> str:
        """The function that analyses the study."""
        return "evaluate" if self.versus is None else "compare"

    def _require_width(self) -> None:
        low, high = self.reach
        if self.aim.width is not None and self.aim.width >= high - low:
            raise InputError(
                f"width must be less than {high - low:g}, which is all there is, got {self.aim.width!r}."
            )

    def _require_something_to_show(self) -> None:
        low, high = self.reach
        named = "null" if self.versus is None else "null (a difference)"
        if not _is_number(self.null) or not low <= self.null <= high:
            raise InputError(f"{named} must be from {low:g} to {high:g}, got {self.null!r}.")
        if self.aim.margin is not None and self.upward != self.measure.larger_is_better:
            raise InputError(
                f"With {self._named()} and a margin of {self.aim.margin:g}, the classifier is worse by the margin "
                f"or more: the power stays at {self.aim.test_alpha:g} or below, whatever n; expect a better "
                "value, or accept a larger margin."
            )
        if abs(self.expected - self.hypothesis) < 1e-12:  # 0.85 - 0.80 is not 0.05 to the last bit
            raise InputError(
                f"With {self._named()} there is no difference to show: the power stays at "
                f"{self.aim.test_alpha:g}, whatever n; expect another value, or say margin to show that it is "
                "not worse."
            )

    def _named(self) -> str:
        others = [] if self.versus is None else [f"versus {self.versus:g}"]
        return ", ".join([f"value {self.value:g}", *others]) + f" and null {self.null:g}"


def _is_number(value: Any) -> bool:
    try:
        return isfinite(value)
    except TypeError:
        return False
