"""Confidence intervals from a value and its standard error, honest at the edges."""

from math import exp, isnan, log, sqrt
from statistics import NormalDist
from typing import Literal, NamedTuple, get_args

from polyroc.errors import InputError

__all__ = ["ConfidenceInterval", "IntervalKind", "interval"]

IntervalKind = Literal["guarded", "logit", "wald"]

NOTHING = 1e-12  # a standard error below this share of the range is rounding
UNSEEN = 0.5  # cases of the smallest class, right or wrong altogether, that "guarded" reckons with


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
    kind: IntervalKind = "guarded",
) -> ConfidenceInterval:
    """A confidence interval for a measure that lives inside `limits`.

    logit: value and error are carried to the logit of p, the value's place between the limits, where the interval
    is symmetric, and back; it never leaves the limits.

    guarded (default): the logit interval for the variance

        standard error^2 + 1/2 p (1 - p) / fewest^2

    A standard error is made of the cases seen, and a few cases of a rare class say little of how much its cases
    differ: two that happen to be alike, or twenty without the one in fifty that goes wrong, make it too small. The
    variance of a mean of n is (sum of squares) / n^2, and to this sum half a case is added whose outcome is all or
    nothing, which has the variance p (1 - p), the largest there can be: the half case of Anscombe's and Jeffreys'
    corrections for a proportion. The addition is of order 1/n against the variance itself, so with many cases the
    interval is the logit one. It does not reach beyond Wilson's interval for a share seen in `fewest` cases,
    unless the logit interval does: as a value nears a limit, the interval becomes Wilson's. docs/coverage.md has
    the coverage of this and of other corrections.

    wald: value plus or minus z standard errors, cut at the limits.

    Where the standard error is 0 or cannot be had (a value at a limit, a class of one case), it says nothing of
    the uncertainty, and every kind gives Wilson's interval: wide, never of zero width. Without `fewest` either
    there is none: (nan, nan).

    Parameters
    ----------
    value, standard_error
        What was found.
    limits
        The smallest and the largest value there can be.
    fewest
        The effective number of cases in the smallest class behind the value.
    level
        Between 0 and 1.
    kind
        "guarded", "logit" or "wald".

    References
    ----------
    Wilson, Journal of the American Statistical Association 22 (1927) 209-212. Anscombe, Biometrika 43 (1956)
    461-464. Brown, Cai & DasGupta, Statistical Science 16 (2001) 101-133. On the logit interval of an area: Pepe,
    The Statistical Evaluation of Medical Tests (2003).

    Examples
    --------
    >>> interval(0.9, 0.03, (0, 1), fewest=50, kind="logit")
    ConfidenceInterval(low=0.824031..., high=0.945346...)
    >>> interval(0.9, 0.03, (0, 1), fewest=50)
    ConfidenceInterval(low=0.823086..., high=0.945681...)
    >>> interval(0.9, 0.03, (0, 1), fewest=5)
    ConfidenceInterval(low=0.743766..., high=0.965404...)
    >>> interval(1.0, 0.0, (0, 1), fewest=50)
    ConfidenceInterval(low=0.928652..., high=1.0)
    """
    if not 0 < level < 1:
        raise InputError(f"level must be between 0 and 1 (0.95 for 95 %), got {level!r}.")
    if kind not in get_args(IntervalKind):
        raise InputError(f"kind must be 'guarded', 'logit' or 'wald', got {kind!r}.")
    if isnan(value) or (isnan(standard_error) and isnan(fewest)):
        return ConfidenceInterval(float("nan"), float("nan"))
    low, high = map(float, limits)
    if low == high:
        return ConfidenceInterval(low, high)
    span, z = high - low, NormalDist().inv_cdf(0.5 + level / 2)
    p, error = (value - low) / span, standard_error / span
    if not error >= NOTHING:
        first, last = _wilson(p, fewest, z)
    elif kind == "wald" or not 0 < p < 1:
        first, last = p - z * error, p + z * error
    else:
        first, last = _logit(p, error, z) if kind == "logit" else _guarded(p, error, fewest, z)
    return ConfidenceInterval(max(low, min(low + span * first, value)), min(high, max(low + span * last, value)))


def _logit(p: float, error: float, z: float) -> tuple[float, float]:
    centre, reach = log(p / (1 - p)), z * error / (p * (1 - p))
    return _logistic(centre - reach), _logistic(centre + reach)


def _logistic(x: float) -> float:
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))


def _guarded(p: float, error: float, n: float, z: float) -> tuple[float, float]:
    """The logit interval with half an unseen case, which adds nothing beyond Wilson's interval."""
    plain, edge = _logit(p, error, z), _wilson(p, n, z)
    wide = _logit(p, sqrt(error**2 + UNSEEN * p * (1 - p) / n**2), z)
    return min(plain[0], max(wide[0], edge[0])), max(plain[1], min(wide[1], edge[1]))


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    reach = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return max(0.0, middle - reach), min(1.0, middle + reach)
