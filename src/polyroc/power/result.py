"""`SampleSize`, the result of `sample_size`: class sizes, power and interval width, and a sentence about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from polyroc._results.invariants import Invariants, at_least, shares
from polyroc._results.result import Result
from polyroc._version import __version__
from polyroc.estimates.intervals import ConfidenceInterval, interval
from polyroc.output.numbers import number_text
from polyroc.output.sentences import class_text
from polyroc.validation.signatures import validated

__all__ = ["SampleSize"]


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """The number of cases of a study, with its power or interval width.

    Attributes
    ----------
    measure
        The measure, with its options.
    by_class
        The number of cases of each class, in each set of cases.
    sets
        2 if two classifiers are evaluated on different cases; else 1.
    value, versus
        The values expected of the (first) classifier and of the second; None if there is one.
    null, margin
        The null value or (for two classifiers) difference, and the non-inferiority margin; None without a test,
        and without a margin.
    upward
        True if the alternative is above the null, False if below.
    alpha, sides
        The significance level, and 1 or 2.
    power
        The probability that the study succeeds: that it rejects, or that the interval is narrow enough.
    width
        The width of the interval that is equivalent to the test, with the level 1 - alpha (1 - 2 alpha if
        one-sided), if the estimate is the expected value; in simulations, the mean width.
    wanted_power, wanted_width
        The requested power and width.
    method, assumptions
        The method, and what it assumes.
    simulations, seed
        The number of simulated samples and their seed; None for a formula.
    version
        The version of polyroc.
    """

    measure: str
    by_class: Mapping[str, int]
    sets: int
    value: float
    versus: float | None
    null: float | None
    margin: float | None
    upward: bool
    alpha: float
    sides: int
    power: float
    width: float
    wanted_power: float | None
    wanted_width: float | None
    method: str
    assumptions: tuple[str, ...] = ()
    simulations: int | None = None
    seed: int | None = None
    version: str = __version__

    def _invariants(self) -> Invariants:
        yield len(self.by_class) >= 2 and at_least([*self.by_class.values()], 1), "classes have 1 case or more"
        yield at_least(self.sets, 1) and self.sides in (1, 2), "sets must be 1 or more, sides 1 or 2"
        yield 0 < self.alpha < 1, "alpha must be between 0 and 1"
        yield shares(self.power), "power must be from 0 to 1"
        yield self.wanted_power is None or shares(self.wanted_power), "wanted_power must be from 0 to 1"
        yield at_least([self.width, self.wanted_width or 0.0, self.margin or 0.0], 0), "widths must be 0 or more"
        yield self.simulations is None or self.simulations > 0, "simulations must be 1 or more"

    @property
    def n(self) -> int:
        """The total number of cases: of all classes, and of both sets if there are two."""
        return self.sets * sum(self.by_class.values())

    @property
    def monte_carlo_error(self) -> float | None:
        """The standard error of a simulated power; None for a formula."""
        if self.simulations is None:
            return None
        return sqrt(max(self.power * (1.0 - self.power), 0.0) / self.simulations)

    @validated
    def power_interval(self, level: float = 0.95) -> ConfidenceInterval | None:
        """The confidence interval of a simulated power; None for a formula."""
        error = self.monte_carlo_error
        if error is None or self.simulations is None:
            return None
        return interval(self.power, error, (0.0, 1.0), self.simulations, level)

    def __repr__(self) -> str:
        cases = ", ".join(f"{name} {count}" for name, count in self.by_class.items())
        sets = " in each of two sets" if self.sets == 2 else ""
        error = self.monte_carlo_error
        simulated = "" if error is None else f", Monte Carlo error {number_text(error)}"
        power = number_text(self.power)
        return f"SampleSize({self.measure}: n = {self.n} ({cases}{sets}), power {power}{simulated})"

    def sentence(self) -> str:
        """The result as a sentence."""
        cases = ", ".join(f"{count} {class_text(name)}" for name, count in self.by_class.items())
        sets = " for each of two classifiers" if self.sets == 2 else ""
        return f"{self.n} cases ({cases}{sets}) give {self._result_text()}."

    def _result_text(self) -> str:
        if self.wanted_width is not None:
            narrow = f"no wider than {self.wanted_width:g} in {_share(self.power)} of all samples"
            return f"{self._interval_text()} {narrow} {self._condition_text()}"
        sides = "one-sided" if self.sides == 1 else "two-sided"
        return (
            f"a power of {_share(self.power)} to show that {self._alternative_text()} "
            f"{self._condition_text()} ({sides} test at {100 * self.alpha:g} %)"
        )

    def _interval_text(self) -> str:
        effect = self.measure if self.versus is None else f"the difference in {self.measure}"
        return f"a {100 * (1 - self.alpha):g} % interval of {effect}"

    def _condition_text(self) -> str:
        if self.versus is None:
            return f"if it is {self.value:.4g}"
        cases = "the same cases" if self.sets == 1 else "different cases"
        return f"if they have {self.value:.4g} and {self.versus:.4g} on {cases}"

    def _alternative_text(self) -> str:
        """The alternative hypothesis in words."""
        null = self.null or 0.0
        side = "above" if self.upward else "below"
        other = "below" if self.upward else "above"
        if self.versus is None:
            if self.margin is None:
                return f"{self.measure} is {side} {null:.4g}"
            return f"{self.measure} is not {other} {null:.4g} by {self.margin:g} or more"
        first = f"one of two classifiers has {self.measure}"
        if self.margin is not None:
            return f"{first} not {other} the other's{_shifted(null)} by {self.margin:g} or more"
        return f"{first} {side} the other's{_shifted(null)}"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per class; the level is that of the interval of a simulated power."""
        limits = self.power_interval(level)
        return [
            {
                "measure": self.measure,
                "class": name,
                "cases": count,
                "sets": self.sets,
                "n": self.n,
                "power": self.power,
                "power_low": None if limits is None else limits.low,
                "power_high": None if limits is None else limits.high,
                "width": self.width,
                "value": self.value,
                "versus": self.versus,
                "null": self.null,
                "margin": self.margin,
                "alpha": self.alpha,
                "sides": self.sides,
                "method": self.method,
            }
            for name, count in self.by_class.items()
        ]

    def _derived(self) -> dict[str, Any]:
        return {"n": self.n, "monte_carlo_error": self.monte_carlo_error, "sentence": self.sentence()}

    def _derived_at(self, level: float) -> dict[str, Any]:
        interval = self.power_interval(level)
        return {"power_interval": None if interval is None else list(interval)}


def _share(share: float) -> str:
    """A probability with two digits; a value below 1 is never rounded to 1.

    >>> _share(0.9004), _share(0.9999)
    ('0.90', 'more than 0.99')
    """
    return "more than 0.99" if 0.99 < share < 1 else f"{share:.2f}"


def _shifted(null: float) -> str:
    return "" if null == 0 else f" {'plus' if null > 0 else 'minus'} {abs(null):g}"
