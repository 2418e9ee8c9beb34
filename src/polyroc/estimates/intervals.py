"""Confidence intervals from a value and its standard error: guarded, logit, Wald, Wilson, Student."""

import math
from math import isnan
from statistics import NormalDist
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.validation.arguments import checked_level

__all__ = [
    "ConfidenceInterval",
    "IntervalKind",
    "guard_variance",
    "interval",
    "share_of_units_behind",
    "student_interval",
    "student_z",
]


IntervalKind = Literal["guarded", "logit", "wald"]

ROUNDING_ERROR = 1e-12  # a standard error below this share of the range is rounding, and counts as 0
LARGEST_EXPONENT = 700.0  # of e, within the range of floats
EULER_GAMMA = 0.5772156649015329
PSEUDO_OBSERVATIONS = 0.5  # of the smallest class, added by the guarded interval (as Anscombe and Jeffreys do)


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
    """A confidence interval for a measure with a bounded range.

    Let p be the position of the value between the limits, from 0 to 1, and n = `fewest`.

    logit: symmetric on the scale of logit(p), with the standard error by the delta method, and transformed back;
    always inside the limits.

    guarded (default): the logit interval for the variance

        standard error^2 + 1/2 p (1 - p) / n^2

    The standard error is too small if a class has few cases and none of the rare extreme ones is among them. The
    variance of a mean of n cases is (sum of squares) / n^2. To this sum half a pseudo-observation is added whose
    outcome is 0 or 1; its variance p (1 - p) is the largest possible. This is the half case of Anscombe's and
    Jeffreys' corrections for a proportion. The value of such a sample is also too extreme, so the end that faces
    the middle of the range reaches at least as far as that of the same interval around (n p + 1/2) / (n + 1), the
    value with half a case of either outcome. Both additions vanish as n grows. The interval does not reach beyond
    Wilson's interval for a proportion of n cases, unless the logit interval does; as the value approaches a limit,
    it becomes Wilson's. docs/coverage.md compares the coverage with that of other corrections.

    wald: value plus or minus z standard errors, cut at the limits.

    Of a range that is infinite on one side (log loss), "guarded" and "logit" are symmetric on the scale of the
    logarithm of the distance from the finite limit; of one that is infinite on both sides (a calibration slope),
    every kind is Wald's. Estimates of such measures use Student's t, with the number of cases of the smallest
    class less one as degrees of freedom. Without a standard error nothing is known: the whole range. The upper end
    of a guarded interval of a range without upper limit is that of a sample with half a case more, whose loss is
    the largest one expected of n: a sample without large losses has a value and a standard error that are too
    small. With h = 1/2 + ... + 1/n, by which the largest of n exponential variables exceeds their mean in standard
    deviations, the error is multiplied by the root of 1 + h^2 / (2 n), and the end by 1 plus h / (2 n + 1) times
    the standard deviation of a case, relative to the value.

    If the standard error is 0 or nan (a value at a limit, a class of one case), every kind returns Wilson's
    interval, which is never of zero width. If `fewest` is nan as well, the interval is (nan, nan). If `fewest` is
    below 1 (a partial area whose range of rates holds less than one case), the bias of the value is unknown, and
    every kind returns the whole range.

    Parameters
    ----------
    value, standard_error
        The estimate.
    limits
        The smallest and the largest possible value.
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
    ConfidenceInterval(low=0.816877..., high=0.945681...)
    >>> interval(0.9, 0.03, (0, 1), fewest=5)
    ConfidenceInterval(low=0.679970..., high=0.965404...)
    >>> interval(1.0, 0.0, (0, 1), fewest=50)
    ConfidenceInterval(low=0.928652..., high=1.0)
    """
    checked_level(level)
    if kind not in get_args(IntervalKind):
        raise InputError(f"kind must be 'guarded', 'logit' or 'wald', got {kind!r}.")
    z = NormalDist().inv_cdf(0.5 + level / 2)
    return interval_at(value, standard_error, limits, fewest, z, kind)


def interval_at(
    value: float,
    standard_error: float,
    limits: tuple[float, float],
    fewest: float,
    z: float,
    kind: IntervalKind = "guarded",
) -> ConfidenceInterval:
    """`interval` for a quantile z of the standard normal distribution instead of a level."""
    if isnan(value) or (isnan(standard_error) and isnan(fewest)):
        return ConfidenceInterval(float("nan"), float("nan"))
    low, high = map(float, limits)
    if low == high:  # nothing to estimate
        return ConfidenceInterval(low, high)
    if fewest < 1 - ROUNDING_ERROR:  # less than one case: no data would be surprising
        return ConfidenceInterval(low, high)
    if math.isinf(high - low):
        return _unbounded(value, standard_error, (low, high), fewest, z, kind)
    # All formulas are on the scale from 0 to 1.
    span = high - low
    p, error = (value - low) / span, standard_error / span
    if not error >= ROUNDING_ERROR:  # also if it is nan: the cases do not show how the value varies
        first, last = _wilson(p, fewest, z)
    elif kind == "wald" or not 0.0 < 1.0 - p < 1.0:  # there is no logit of 0 and 1
        first, last = p - z * error, p + z * error
    else:
        first, last = _logit(p, error, z) if kind == "logit" else _guarded(p, error, fewest, z)
    # Back to the scale of the measure; rounding must not move an end past the value or past a limit.
    return ConfidenceInterval(max(low, min(low + span * first, value)), min(high, max(low + span * last, value)))


def _unbounded(
    value: float, error: float, limits: tuple[float, float], fewest: float, z: float, kind: IntervalKind
) -> ConfidenceInterval:
    """The interval for a range that is infinite on one side or on both."""
    low, high = limits
    if not error >= ROUNDING_ERROR or math.isinf(value):
        return ConfidenceInterval(low, high)
    if kind == "wald" or value in limits or math.isinf(low) == math.isinf(high):
        return ConfidenceInterval(max(low, value - z * error), min(high, value + z * error))
    distance = value - low if math.isinf(high) else high - value
    near, far = distance / _factor(z * error / distance), distance * _factor(z * error / distance)
    if math.isinf(low):
        return ConfidenceInterval(high - far, high - near)
    if kind == "guarded" and not isnan(fewest):
        far = _guarded_far(distance, error, fewest, z)
    return ConfidenceInterval(low + near, low + far)


def _factor(exponent: float) -> float:
    return math.exp(min(exponent, LARGEST_EXPONENT))


def _guarded_far(distance: float, error: float, n: float, z: float) -> float:
    """The far end for half a case more, with the largest loss expected of n; at z = 0 the distance itself."""
    excess = max(math.log(n) + EULER_GAMMA + 1.0 / (2.0 * n) - 1.0, 0.0)  # 1/2 + ... + 1/n
    wide = error * math.sqrt(1.0 + PSEUDO_OBSERVATIONS * excess**2 / n)
    shift = PSEUDO_OBSERVATIONS * excess * error * math.sqrt(n) / (n + PSEUDO_OBSERVATIONS)
    return (distance + min(shift, z * error)) * _factor(z * wide / distance)


def guard_variance(p: Any, n: Any) -> Any:
    """The variance of the pseudo-observation of the guarded interval, on the unit scale: 1/2 p (1 - p) / n^2."""
    return PSEUDO_OBSERVATIONS * p * (1 - p) / n**2


def share_of_units_behind(effective: FloatArray, cases: FloatArray | IntArray) -> FloatArray:
    """Return the share of the effective numbers of weighted cases that an interval counts.

    Kish's number is that of equal cases which would have the same variance if deviations did not go with the
    weights. Where they do, a few heavy cases decide the value, and those in the sample vary less than those that
    are not: by simulation, intervals cover that count the share sqrt(Kish's number / cases) of it, which is 1 if
    weights are equal. One case counts in any case.
    """
    shares = np.sqrt(np.minimum(effective / np.maximum(cases, 1.0), 1.0))
    return np.asarray(np.maximum(shares, 1.0 / np.maximum(effective, 1.0)))


def _logit(p: float, error: float, z: float) -> tuple[float, float]:
    return 1.0 - _logit_high(1.0 - p, error, z), _logit_high(p, error, z)


def _logit_high(p: float, error: float, z: float) -> float:
    """Return the upper end of a logit interval; the lower one is 1 minus that of 1 - p."""
    x = math.log(p / (1.0 - p)) + z * error / (p * (1.0 - p))
    return (1.0 + math.tanh(x / 2.0)) / 2.0  # unlike 1 / (1 + exp(-x)), it cannot overflow


def _guarded(p: float, error: float, n: float, z: float) -> tuple[float, float]:
    """Return both ends of the guarded interval."""
    return 1.0 - _guarded_high(1.0 - p, error, n, z), _guarded_high(p, error, n, z)


def _guarded_high(p: float, error: float, n: float, z: float) -> float:
    """Return the upper end: with half a case, which does not widen it beyond Wilson's."""
    # (n p + 1/2) / (n + 1) is above p only if p < 1/2, so only the end that faces 1/2 is moved.
    centre = p + (PSEUDO_OBSERVATIONS - p) / (n + 1.0)
    widest = max(_logit_high(q, math.sqrt(error**2 + guard_variance(q, n)), z) for q in (p, centre))
    return max(_logit_high(p, error, z), min(widest, _wilson_high(p, n, z)))


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Return Wilson's score interval for p of n cases (J. Amer. Statist. Assoc. 22 (1927) 209-212)."""
    return 1.0 - _wilson_high(1.0 - p, n, z), _wilson_high(p, n, z)


def _wilson_high(p: float, n: float, z: float) -> float:
    scaled = z * z / n
    return min(1.0, (p + scaled / 2.0 + z * math.sqrt((p * (1.0 - p) + scaled / 4.0) / n)) / (1.0 + scaled))


def student_z(z: float, df: float | None) -> float:
    """The quantile of Student's t at the probability of the standard normal quantile z; z itself without df.

    >>> round(student_z(1.959964, 9), 4), student_z(1.96, None)
    (2.2622, 1.96)
    """
    if df is None:
        return z
    from scipy.special import ndtr, stdtrit

    # of 0 and of huge ones, some versions of scipy lose the sign
    return math.copysign(abs(float(stdtrit(df, ndtr(-abs(z))))), z)


def student_interval(value: float, standard_error: float, df: float, level: float = 0.95) -> ConfidenceInterval:
    """The value plus or minus the quantile of Student's t with df degrees of freedom times the standard error.

    >>> student_interval(1.0, 0.5, 9)
    ConfidenceInterval(low=-0.1310785..., high=2.1310785...)
    """
    checked_level(level)
    from scipy.special import stdtrit

    reach = float(stdtrit(df, 0.5 + level / 2)) * standard_error
    return ConfidenceInterval(value - reach, value + reach)
