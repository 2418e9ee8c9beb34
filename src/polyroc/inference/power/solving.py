"""From variances to power and width, and back to the smallest number of cases."""

from collections.abc import Callable
from math import inf, log, sqrt
from typing import Protocol

from polyroc.errors import InputError
from polyroc.inference.power.allocation import Allocation, Sizes
from polyroc.inference.power.questions import NORMAL, Question
from polyroc.results.intervals import interval

__all__ = ["MOST", "Spread", "power_at", "smallest", "unreachable", "width_at"]

MOST = 10**9  # cases beyond which nobody plans


class Spread(Protocol):
    """Where variances come from."""

    @property
    def tested(self) -> bool:
        """True if one value is judged by the test that the variances belong to, False if by its interval."""
        ...

    def variances(self, sizes: Sizes) -> tuple[float, float]:
        """Of the estimate, if the hypothesis is true and if what is expected is true."""
        ...

    def effective(self, sizes: Sizes) -> float:
        """The effective number of cases in the smallest class, as `Estimate.effective`."""
        ...


def power_at(question: Question, spread: Spread, sizes: Sizes) -> float:
    """The chance that a normal estimate lies more than z standard errors (those under the hypothesis) beyond it.

    Phi((effect - z sqrt(V0)) / sqrt(V1)): rejections on the wrong side do not count as power.
    """
    if question.versus is None and not spread.tested:
        return _power_of_interval(question, spread, sizes)
    under_hypothesis, expected = spread.variances(sizes)
    beyond = abs(question.expected - question.hypothesis) - question.z * sqrt(under_hypothesis)
    return NORMAL.cdf(beyond / sqrt(expected)) if expected > 0 else float(beyond > 0)


def _power_of_interval(question: Question, spread: Spread, sizes: Sizes) -> float:
    """The chance that the interval that `evaluate` gives leaves out what is to be rejected.

    Reckoned on the logit scale, where estimates are about normal and their intervals about equally wide.
    """
    (low, high), error = question.limits, sqrt(spread.variances(sizes)[1])

    def logit(value: float) -> float:
        return log((value - low) / (high - value)) if low < value < high else inf

    ends = interval(question.value, error, question.limits, spread.effective(sizes), question.level)
    effect, reach = (
        abs(logit(question.value) - logit(other))
        for other in (question.hypothesis, ends.low if question.upward else ends.high)
    )
    if error == 0 or reach == inf:
        return float(effect > reach)
    scale = (high - low) / ((question.value - low) * (high - question.value))
    return NORMAL.cdf((effect - reach) / (error * scale))


def width_at(question: Question, spread: Spread, sizes: Sizes) -> float:
    """The width of the interval that `evaluate` or `compare` gives if the estimate is what is expected."""
    _, expected = spread.variances(sizes)
    level = 1.0 - question.aim.alpha
    if question.versus is None:
        low, high = interval(question.value, sqrt(expected), question.limits, spread.effective(sizes), level)
        return high - low
    reach = NORMAL.inv_cdf(0.5 + level / 2.0) * sqrt(expected)
    low, high = question.reach
    return min(high, question.expected + reach) - max(low, question.expected - reach)


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
