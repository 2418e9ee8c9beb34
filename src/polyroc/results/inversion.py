"""Tests as inverted intervals: the level at which a hypothetical value leaves the interval."""

from collections.abc import Callable
from math import erfc, inf, isnan, nan, sqrt

__all__ = ["MOST", "one_sided", "signed_root", "two_sided"]

MOST = 37.0  # standard errors; the p-value beyond is below the smallest double
PRECISION = 1e-10

Ends = Callable[[float], tuple[float, float]]
"""From a quantile z of the standard normal distribution to the ends of an interval that grows with z."""


def signed_root(ends: Ends, value: float, null: float, most: float = MOST, guess: float = 1.0) -> float:
    """The z at which the interval just reaches `null`: positive if `value` is above it, else negative.

    It plays the part of (value - null) / (standard error): the interval at the level of z excludes `null` if and
    only if |signed root| > z, so p-values made of it never contradict the interval. Infinite if no interval
    reaches `null`, nan if there is no interval. `guess` is tried first.

    >>> round(signed_root(lambda z: (2.0 - 0.5 * z, 2.0 + 0.5 * z), value=2.0, null=1.0), 6)
    2.0
    """
    if value == null:
        return 0.0
    end, sign = (0, 1.0) if value > null else (1, -1.0)

    def beyond(z: float) -> float:
        """How far `null` is outside the interval; negative inside."""
        return sign * (ends(z)[end] - null)

    low, at_low = 0.0, abs(value - null)
    high = min(max(guess, 1e-3), most)
    at_high = beyond(high)
    if isnan(at_high) or isnan(at_low):
        return nan
    while at_high > 0:
        if high >= most:
            return sign * inf
        low, at_low, high = high, at_high, min(2.0 * high, most)
        at_high = beyond(high)
    return sign * _bracketed(beyond, (low, at_low), (high, at_high))


def _bracketed(f: Callable[[float], float], left: tuple[float, float], right: tuple[float, float]) -> float:
    """The root of a falling function between two points with its values there.

    The Illinois method: a secant that halves the value at an end which has stayed twice, so that both ends move.
    """
    (a, at_a), (b, at_b) = left, right
    root, side = b, 0
    for _ in range(100):
        # An end held at a limit reaches `null` exactly and stays there: halve, to find where it begins to.
        last, root = root, b - at_b * (b - a) / (at_b - at_a) if at_b < 0 else (a + b) / 2.0
        if abs(root - last) <= PRECISION * max(b, 1.0):
            break
        value = f(root)
        if value > 0:
            a, at_a, at_b, side = root, value, at_b / (2.0 if side > 0 else 1.0), 1
        else:
            b, at_b, at_a, side = root, value, at_a / (2.0 if side < 0 else 1.0), -1
    return root


def two_sided(z: float) -> float:
    """P(|Z| >= |z|) for a standard normal Z."""
    return erfc(abs(z) / sqrt(2.0))


def one_sided(z: float) -> float:
    """P(Z >= z) for a standard normal Z."""
    return erfc(z / sqrt(2.0)) / 2.0
