"""Confidence intervals from a value and its standard error, honest at the edges."""

from math import exp, isnan, log, sqrt
from statistics import NormalDist
from typing import Literal, NamedTuple

from polyroc.errors import InputError

__all__ = ["ConfidenceInterval", "IntervalKind", "interval"]

IntervalKind = Literal["logit", "wald"]


NOTHING = 1e-12  # a standard error below this share of the range is rounding


class ConfidenceInterval(NamedTuple):
    """The two ends of an interval."""

    low: float
    high: float


def interval(
    value: float,
    standard_error: float,
    limits: tuple[float, float],
    fewest: float,
    level: float = 0.95,
    kind: IntervalKind = "logit",
) -> ConfidenceInterval:
    """A confidence interval for a measure that lives inside `limits`.

    logit (default): value and error are carried to the logit of the value's place
    between the limits, where the interval is symmetric, and back; it never leaves the limits. wald: value plus
    or minus z standard errors, cut at the limits. Where the standard error is 0 or cannot be had (a value at a
    limit, a class of one case), it says nothing of the uncertainty; the interval is then Wilson's for a share
    observed in `fewest` cases, the size of the smallest class: wide, never of zero width (Wilson 1927). Without
    either there is no interval: (nan, nan).

    >>> interval(0.9, 0.03, (0, 1), fewest=50)
    ConfidenceInterval(low=0.824031..., high=0.945346...)
    >>> interval(1.0, 0.0, (0, 1), fewest=50)
    ConfidenceInterval(low=0.928652..., high=1.0)
    """
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1 (0.95 for 95 %), got {level!r}.")
    if kind not in ("logit", "wald"):
        raise InputError(f"kind must be 'logit' or 'wald', got {kind!r}.")
    nowhere = ConfidenceInterval(float("nan"), float("nan"))
    if isnan(value) or (isnan(standard_error) and isnan(fewest)):
        return nowhere
    low, high = map(float, limits)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    if isnan(standard_error) or standard_error < NOTHING * (high - low):
        first, last = _on(limits, _wilson((value - low) / (high - low), fewest, z))
    elif kind == "logit" and low < value < high:
        first, last = _on(limits, _logit((value - low) / (high - low), standard_error / (high - low), z))
    else:
        first, last = value - z * standard_error, value + z * standard_error
    return ConfidenceInterval(max(low, min(first, value)), min(high, max(last, value)))


def _on(limits: tuple[float, float], unit: tuple[float, float]) -> tuple[float, float]:
    """From the unit interval to the limits."""
    low, high = limits
    return low + (high - low) * unit[0], low + (high - low) * unit[1]


def _logit(p: float, standard_error: float, z: float) -> tuple[float, float]:
    centre, reach = log(p / (1 - p)), z * standard_error / (p * (1 - p))
    return _logistic(centre - reach), _logistic(centre + reach)


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - reach), min(1.0, middle + reach)
