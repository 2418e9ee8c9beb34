"""Intervals of measures whose chance value is a limit of their range, where the delta method fails.

Two kinds of measure are estimated at such a limit with a bias of the same order as their error:

curved
    Scurfield's D, the information gain and the area of a cost curve are quadratic in what they are made of
    (volumes, rates, steps of the hull) near chance: their gradient is zero there, and the estimate is always on
    one side.
truncated
    HT3 is a mean of areas cut at 1/2: a kink instead of a curve.
"""

from math import hypot, nan, sqrt
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from polyroc.estimates.intervals import NOTHING, UNSEEN, ConfidenceInterval, interval
from polyroc.kernels.arrays import FloatArray

__all__ = ["Boundary", "boundary_interval", "unseen_variance"]

MANY = 1e6  # beyond this the noncentral chi-square distribution is normal on the scale of its square root


class Boundary(NamedTuple):
    """What the interval of such a measure needs beside value and standard error.

    Attributes
    ----------
    value
        The plug-in value, also if the estimate is corrected for bias.
    bias
        By how much the plug-in value is expected to lie too far from the chance value; 0 if truncated.
    unseen
        The variance that half a case adds where none was seen.
    scale
        Half the mean eigenvalue of the quadratic form, each weighted by itself; 0 if it is not known.
    limits
        Of a truncated measure, the limits without truncation; None if curved. A measure that is neither, but needs
        `unseen`, gives its own limits.
    variance
        Of a truncated measure, the variance without truncation; None for the square of the standard error.
    """

    value: float
    bias: float
    unseen: float
    scale: float = 0.0
    limits: tuple[float, float] | None = None
    variance: float | None = None


def boundary_interval(
    boundary: Boundary,
    standard_error: float,
    limits: tuple[float, float],
    chance: float | None,
    cases: float,
    level: float = 0.95,
) -> ConfidenceInterval:
    """A confidence interval that holds at the chance value, near it and away from it.

    Truncated: the guarded interval with the variance and between the limits without truncation, cut at the limits.

    Curved: let x be the distance of the plug-in value from the chance value, V its variance and b its bias. Near
    chance x is a quadratic form of nearly normal variables. With s = V / (4 x), which is the mean of the form's
    eigenvalues in the direction seen, x / s is taken for a noncentral chi-square variable with b / s degrees of
    freedom and noncentrality (true distance) / s. The interval holds the distances that neither tail, of
    (1 - level) / 2 each, rejects; far from chance this is x - b plus or minus z standard errors. Amendments
    can only widen it: the end towards chance is not beyond that of the guarded interval around x - b, which knows
    the other limit of the range; and for the far end a distance below b, its expectation under chance, counts as b
    (a power-constrained limit: less noise than expected is no evidence), and s is up to x = 4 b not less than the
    mean over all directions (classes of unequal size have eigenvalues far apart).

    Either way, the variance contains `unseen`: what cases that were not seen may add.

    Parameters
    ----------
    boundary
        Plug-in value, bias and what truncation or unseen cases hide.
    standard_error
        By the delta method.
    limits, chance
        The range, and the chance value, which is one of its ends if the measure is curved (else it plays no part).
    cases
        The effective number of cases in the smallest class, as in `interval`.
    level
        Between 0 and 1.

    References
    ----------
    Box, Annals of Mathematical Statistics 25 (1954) 290-302, on quadratic forms. Cowan, Cranmer, Gross & Vitells,
    arXiv 1105.3166 (2011), on power-constrained limits.

    Examples
    --------
    >>> boundary_interval(Boundary(0.05, 0.04, 0.0), 0.05, (0.0, 1.0), 0.0, cases=30)
    ConfidenceInterval(low=0.0, high=0.156698...)
    """
    if boundary.limits is not None:
        return _truncated(boundary, standard_error, limits, cases, level)
    assert chance is not None
    span, distance = limits[1] - limits[0], abs(boundary.value - chance)
    error = hypot(standard_error, sqrt(boundary.unseen))
    if not (error > NOTHING * span and distance > NOTHING * span):  # a constant score, classes apart: Wilson's
        return interval(boundary.value, nan, limits, cases, level)
    wider = sqrt(1 + boundary.bias / (2 * distance))  # for the variance of the quadratic term, 2 s b
    centre = max(distance - boundary.bias, 0.0)
    guarded, _ = _guarded(centre, standard_error * wider, boundary.unseen, (0.0, span), cases, level)
    near, far = _curved(distance, error, boundary, level)
    near, far = min(near, guarded), min(far, span)
    if chance == limits[0]:
        return ConfidenceInterval(chance + near, chance + far)
    return ConfidenceInterval(chance - far, chance - near)


def _truncated(
    boundary: Boundary, standard_error: float, limits: tuple[float, float], cases: float, level: float
) -> ConfidenceInterval:
    assert boundary.limits is not None
    low, high = boundary.limits
    seen = standard_error if boundary.variance is None else sqrt(boundary.variance)
    more = cases * (high - low) / (limits[1] - limits[0])  # the number of cases goes with the range
    low, high = _guarded(boundary.value, seen, boundary.unseen, boundary.limits, more, level)
    if boundary.variance is None:  # only unseen cases are added: never inside the usual interval
        usual = interval(boundary.value, seen, boundary.limits, more, level)
        low, high = min(low, usual.low), max(high, usual.high)
    return ConfidenceInterval(*(min(max(end, limits[0]), limits[1]) for end in (low, high)))


def _guarded(
    value: float, seen: float, unseen: float, limits: tuple[float, float], cases: float, level: float
) -> ConfidenceInterval:
    """The guarded interval for the variance seen and unseen, which near a limit is not trusted beyond bounds.

    There the logit scale makes any variance large. So the unseen variance does not widen the interval beyond z
    standard errors with four times of it: two cases in the place of half a case, as in Wilson's interval.
    """
    narrow, wide = (interval(value, each, limits, cases, level) for each in (seen, hypot(seen, sqrt(unseen))))
    reach = NormalDist().inv_cdf(0.5 + level / 2) * hypot(seen, 2 * sqrt(unseen))
    if seen <= NOTHING * (limits[1] - limits[0]) < sqrt(unseen):
        low, high = value - reach, value + reach
    else:
        low = min(narrow.low, max(wide.low, value - reach))
        high = max(narrow.high, min(wide.high, value + reach))
    return ConfidenceInterval(max(low, limits[0]), min(high, limits[1]))


def _curved(distance: float, error: float, boundary: Boundary, level: float) -> tuple[float, float]:
    """The distances from chance that neither tail rejects."""
    bias, tail, scale = boundary.bias, (1 - level) / 2, error**2 / (4 * distance)
    near = scale * _noncentrality(distance / scale, bias / scale, 1 - tail)
    scale += min(4 * bias / distance, 1.0) * max(boundary.scale - scale, 0.0)
    return near, scale * _noncentrality(max(distance, bias) / scale, bias / scale, tail)


def _noncentrality(form: float, df: float, p: float) -> float:
    """The noncentrality with which a chi-square variable is below `form` with probability p; 0 if none."""
    from scipy.special import chndtr, chndtrinc

    df = max(df, NOTHING)
    if chndtr(form, df, 0.0) <= p:
        return 0.0
    if form > MANY:
        return float((sqrt(form) - NormalDist().inv_cdf(p)) ** 2 - df + 1)
    return float(chndtrinc(form, df, p))


def unseen_variance(rates: FloatArray, slopes: FloatArray, units: FloatArray) -> float:
    """The variance that half an unseen case of each class adds, with the decision that its cases got most rarely.

    Where all cases of a class are decided alike, or some decision fell to it once or never, the variance made of
    the cases seen tends to be too small. The half case is that of `interval`; here it is known what it changes.

    Parameters
    ----------
    rates, slopes
        At [k, m], the share of class k decided as m, and the derivative of the measure by it (where the share is
        zero: by half a case).
    units
        The effective number of cases of each class.
    """
    rarest = rates == rates.min(axis=1, keepdims=True)
    mean = (rates * slopes).sum(axis=1, keepdims=True)
    squares = np.where(rarest, (slopes - mean) ** 2, 0.0).sum(axis=1) / rarest.sum(axis=1)
    return float((UNSEEN * squares / np.maximum(units, 1.0) ** 2).sum())
