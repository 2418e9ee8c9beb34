"""Intervals of estimates that are not linear functions of their cases, where value and standard error mislead.

The intervals of `polyroc.estimates.intervals` assume that an estimate is nearly a mean over cases, with a standard
error by the delta method. Four kinds of estimates are not; what a `Boundary` holds says of which kind one is.

quadratic near chance (neither `limits` nor `ends`)
    Scurfield's D, the information gain and the area of a cost curve are quadratic functions of volumes, rates or
    steps of the hull, with chance as a limit of their range. Their gradient is zero there, the estimate is always
    on one side, with a bias as large as its standard error: a noncentral chi-square is inverted (`_quadratic`).
truncated (`limits` and `variance`)
    HT3 is a mean of areas cut at 1/2, with a kink at chance: the interval of the mean without the cut, cut.
rare decisions (`limits`)
    A predictive value, a macro average or a cost has no error from decisions that no case of the sample got: half
    a case with the rarest decision adds its variance, `unseen`.
tabulated (`ends`)
    A rate where the other rate is fixed has limits by order statistics, computed beforehand at `QUANTILES`.

docs/intervals.md has the formulas and what was compared.
"""

from bisect import bisect_right
from dataclasses import dataclass, field
from math import hypot, inf, nan, sqrt
from statistics import NormalDist

import numpy as np

from polyroc._results.codec import STORED_IF_SET
from polyroc._results.invariants import Invariants, at_least, within
from polyroc.estimates.intervals import PSEUDO_OBSERVATIONS, ROUNDING_ERROR, ConfidenceInterval, interval
from polyroc.kernels.arrays import FloatArray

__all__ = ["QUANTILES", "Boundary", "boundary_interval", "unseen_variance"]

# For larger values the square root of a noncentral chi-square variable is taken for normal.
NORMAL_ABOVE = 1e6
# Standard normal quantiles at which limits are tabulated: those of the usual levels, and up to the largest one.
LEVELS = (0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.975, 0.98, 0.99, 0.995, 0.999, 0.9999)
QUANTILES = (*(NormalDist().inv_cdf(0.5 + level / 2) for level in LEVELS), 4.5, 5.0, 6.0, 7.0)


@dataclass(frozen=True, slots=True)
class Boundary:
    """Bias and unseen variance of an estimate near a limit of its range, for `boundary_interval`.

    Attributes
    ----------
    value
        The plug-in value, also if the estimate is corrected for bias.
    bias
        Expected distance of the plug-in value from the true value, away from chance; 0 if truncated.
    unseen
        The variance of half a pseudo-observation; see `unseen_variance`.
    scale
        Half the mean eigenvalue of the quadratic form, each weighted by itself; 0 if unknown.
    limits
        Of a truncated measure, the limits without truncation; of rare decisions, those of the measure; None if
        quadratic.
    variance
        Of a truncated measure, the variance without truncation; None for the square of the standard error.
    ends
        Lower and upper limits at each of `QUANTILES`, if the interval is tabulated; None otherwise. With `limits`,
        those of the measure, the interval is the guarded one and reaches at least as far.
    """

    value: float
    bias: float
    unseen: float
    scale: float = 0.0
    limits: tuple[float, float] | None = None
    variance: float | None = None
    ends: tuple[tuple[float, ...], tuple[float, ...]] | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        variances = [self.unseen, self.scale, self.variance or 0.0]
        yield at_least(variances, 0), "unseen, scale and variance must be 0 or more"
        yield within(self.bias, 0.0, inf), "bias must be 0 or more"
        yield self.limits is None or self.limits[0] <= self.limits[1], "limits must be in order"
        if self.ends is not None:
            yield all(len(side) == len(QUANTILES) for side in self.ends), f"ends must be 2 x {len(QUANTILES)}"
            low, high = (np.diff(np.array([self.value, *side])) for side in self.ends)
            yield bool((low <= 0).all() and (high >= 0).all()), "ends must be further apart at higher quantiles"


def boundary_interval(
    boundary: Boundary,
    standard_error: float,
    limits: tuple[float, float],
    chance: float | None,
    cases: float,
    level: float = 0.95,
) -> ConfidenceInterval:
    """Return the interval of an estimate of one of the four kinds above.

    Parameters
    ----------
    boundary
        Plug-in value, bias, unseen variance and the range without truncation.
    standard_error
        By the delta method.
    limits, chance
        The range, and the chance value, which is one of its ends if the estimate is quadratic, and else not used.
    cases
        The effective number of cases in the smallest class, as in `interval`.
    level
        Between 0 and 1.

    Examples
    --------
    >>> boundary_interval(Boundary(0.05, 0.04, 0.0), 0.05, (0.0, 1.0), 0.0, cases=30)
    ConfidenceInterval(low=0.0, high=0.156698...)
    """
    if boundary.ends is not None:
        ends = _tabulated(boundary, level)
        if boundary.limits is None:
            return ends
        usual = interval(boundary.value, standard_error, limits, cases, level)
        return ConfidenceInterval(min(ends.low, usual.low), max(ends.high, usual.high))
    if boundary.limits is not None:
        return _truncated(boundary, standard_error, limits, cases, level)
    assert chance is not None
    return _quadratic(boundary, standard_error, limits, chance, cases, level)


def _quadratic(
    boundary: Boundary,
    standard_error: float,
    limits: tuple[float, float],
    chance: float,
    cases: float,
    level: float,
) -> ConfidenceInterval:
    """Return the interval of an estimate that is quadratic near chance.

    Let x be the distance of the plug-in value from the chance value, V its variance and b its bias. Near chance, x
    is a quadratic form of nearly normal variables. With s = V / (4 x), the mean eigenvalue of the form in the
    observed direction, x / s is approximated by a noncentral chi-square variable with b / s degrees of freedom and
    noncentrality (true distance) / s (Box, Annals of Mathematical Statistics 25 (1954) 290-302). The interval
    contains the distances that neither tail test, at (1 - level) / 2 each, rejects; far from chance it is x - b
    plus or minus z standard errors. `_tails` widens it twice; here the end towards chance reaches at least as far
    as that of the guarded interval around x - b, which accounts for the other limit of the range.
    """
    span, distance = limits[1] - limits[0], abs(boundary.value - chance)
    error = hypot(standard_error, sqrt(boundary.unseen))
    if not min(error, distance) > ROUNDING_ERROR * span:  # constant scores, or separated classes
        return interval(boundary.value, nan, limits, cases, level)
    # The variance of the quadratic term, 2 s b = V b / (2 x), is not in the standard error by the delta method.
    wider = sqrt(1 + boundary.bias / (2 * distance))
    centre = max(distance - boundary.bias, 0.0)
    guarded, _ = _guarded(centre, standard_error * wider, boundary.unseen, (0.0, span), cases, level)
    near, far = _tails(distance, error, boundary, level)
    near, far = min(near, guarded), min(far, span)
    if chance == limits[0]:
        return ConfidenceInterval(chance + near, chance + far)
    return ConfidenceInterval(chance - far, chance - near)


def _tabulated(boundary: Boundary, level: float) -> ConfidenceInterval:
    """Return the limits, straight between the quantiles of the table."""
    assert boundary.ends is not None
    z = NormalDist().inv_cdf(0.5 + level / 2)
    last = min(bisect_right(QUANTILES, z), len(QUANTILES) - 1)
    start = QUANTILES[last - 1] if last else 0.0
    share = min((z - start) / (QUANTILES[last] - start), 1.0)
    ends = []
    for side in boundary.ends:
        before = side[last - 1] if last else boundary.value
        ends.append(before + share * (side[last] - before))
    return ConfidenceInterval(*ends)


def _truncated(
    boundary: Boundary, standard_error: float, limits: tuple[float, float], cases: float, level: float
) -> ConfidenceInterval:
    """Return the guarded interval with the variance and the limits without truncation, cut at the limits."""
    assert boundary.limits is not None
    low, high = boundary.limits
    seen = standard_error if boundary.variance is None else sqrt(boundary.variance)
    # The effective number of cases is relative to the range (see `Estimate.effective`), which is wider here.
    effective = cases * (high - low) / (limits[1] - limits[0])
    low, high = _guarded(boundary.value, seen, boundary.unseen, boundary.limits, effective, level)
    # A value inside its range without any variance (no case is called): the unseen cases are all there is, and
    # Wilson's interval would reach over a large part of the range.
    is_constant = seen <= ROUNDING_ERROR and boundary.limits[0] < boundary.value < boundary.limits[1]
    if boundary.variance is None and not (is_constant and boundary.unseen > 0):
        # a measure that only has unseen variance: not inside its guarded interval
        usual = interval(boundary.value, seen, boundary.limits, effective, level)
        low, high = min(low, usual.low), max(high, usual.high)
    return ConfidenceInterval(*(min(max(end, limits[0]), limits[1]) for end in (low, high)))


def _guarded(
    value: float, seen: float, unseen: float, limits: tuple[float, float], cases: float, level: float
) -> ConfidenceInterval:
    """Return the guarded interval for the variance of the cases and the unseen variance.

    Near a limit, any variance is large on the logit scale. Therefore the unseen variance does not widen the
    interval beyond z standard errors with four times this variance: two pseudo-observations instead of half a one,
    as in Wilson's interval.
    """
    errors = seen, hypot(seen, sqrt(unseen))
    narrow, wide = (interval(value, error, limits, cases, level) for error in errors)
    reach = NormalDist().inv_cdf(0.5 + level / 2) * hypot(seen, 2 * sqrt(unseen))
    if seen <= ROUNDING_ERROR * (limits[1] - limits[0]) < sqrt(unseen):
        low, high = value - reach, value + reach
    else:
        low = min(narrow.low, max(wide.low, value - reach))
        high = max(narrow.high, min(wide.high, value + reach))
    return ConfidenceInterval(max(low, limits[0]), min(high, limits[1]))


def _tails(distance: float, error: float, boundary: Boundary, level: float) -> tuple[float, float]:
    """Return the distances from chance that neither tail test rejects.

    For the far end a distance below b, its expectation at chance, counts as b: less noise than expected is no
    evidence (power-constrained limits: Cowan, Cranmer, Gross & Vitells, arXiv 1105.3166). And s is, for x up to
    4 b, at least the mean over all directions, as classes of unequal size have very different eigenvalues.
    """
    bias, tail, scale = boundary.bias, (1 - level) / 2, error**2 / (4 * distance)
    near = scale * _noncentrality(distance / scale, bias / scale, 1 - tail)
    scale += min(4 * bias / distance, 1.0) * max(boundary.scale - scale, 0.0)
    return near, scale * _noncentrality(max(distance, bias) / scale, bias / scale, tail)


def _noncentrality(form: float, df: float, p: float) -> float:
    """Return the noncentrality of a chi-square variable that is below `form` with probability p; 0 if none is."""
    from scipy.special import chndtr, chndtrinc

    df = max(df, ROUNDING_ERROR)
    if chndtr(form, df, 0.0) <= p:
        return 0.0
    if form > NORMAL_ABOVE:
        return float((sqrt(form) - NormalDist().inv_cdf(p)) ** 2 - df + 1)
    return float(chndtrinc(form, df, p))


def unseen_variance(rates: FloatArray, slopes: FloatArray, units: FloatArray) -> float:
    """Return the variance of half a pseudo-observation per class, with the rarest decision of the class.

    If all cases of a class get the same decision, or one decision is rare in it, the variance of the observed
    cases tends to be too small. The pseudo-observation is that of the guarded interval, but its effect on the
    measure is known here: the derivative by the rate of the rarest decision.

    Parameters
    ----------
    rates, slopes
        At [k, m], the share of class k decided as m, and the derivative of the measure by it (if the share is 0,
        the change by half a case).
    units
        The effective number of cases of each class.
    """
    rarest = rates == rates.min(axis=1, keepdims=True)
    mean = (rates * slopes).sum(axis=1, keepdims=True)
    squares = np.where(rarest, (slopes - mean) ** 2, 0.0).sum(axis=1) / rarest.sum(axis=1)
    return float((PSEUDO_OBSERVATIONS * squares / np.maximum(units, 1.0) ** 2).sum())
