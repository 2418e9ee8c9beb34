"""A smooth reliability curve: logistic regression on a natural cubic spline of the log odds.

Knots are at quantiles of the log odds (Harrell, Regression Modeling Strategies 2015); beyond the outer ones the
log odds of the curve are linear. The curve of right probabilities, the identity, is one of them.
"""

from math import nan
from typing import NamedTuple

import numpy as np

from polyroc.estimates.intervals import student_z
from polyroc.kernels.arrays import FloatArray
from polyroc.reliability.events import Event
from polyroc.reliability.recalibration import expit, influence_of, no_logits, regress, separated

__all__ = ["SmoothCurve", "smooth_curve"]

KNOTS = {3: (0.1, 0.5, 0.9), 4: (0.05, 0.35, 0.65, 0.95), 5: (0.05, 0.275, 0.5, 0.725, 0.95)}
LARGEST = 50.0  # log odds of a curve beyond which cases are separated


class SmoothCurve(NamedTuple):
    """A smooth reliability curve with a pointwise band; empty if it is undefined.

    Attributes
    ----------
    predicted, observed
        Points of the curve.
    low, high
        The pointwise confidence band at the level of the result.
    undefined
        Why there is no curve; None if there is one.
    """

    predicted: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    undefined: str | None = None


def smooth_curve(event: Event, grid: FloatArray, level: float) -> SmoothCurve:
    """The smooth curve of an event at the points of a grid.

    The band is symmetric in log odds, from the variance that holds whether or not the spline is right (Huber's
    sandwich), which allows for weights and groups, and Student's t.
    """
    reason = no_logits(event) or separated(_logit(event.p)[event.weight > 0], event.y[event.weight > 0])
    if reason is not None:
        return _undefined(reason)
    x, w = _logit(event.p), event.weight
    knots = _knots(x[w > 0], min(event.units))
    z, y, zero = _basis(x, knots), event.y.astype(np.float64), np.zeros(len(x))
    try:
        theta = regress(z, zero, y, w)
        influence = influence_of(z, zero, theta, y, w)
    except np.linalg.LinAlgError:
        return _undefined(SEPARATED)
    if np.abs(theta).max() > LARGEST:
        return _undefined(SEPARATED)
    at = _basis(_logit(grid), knots)
    variance = np.einsum("kg,kl,lg->g", at, event.covariance(influence), at)
    df = max(sum(event.units) - len(z), 1.0)
    from scipy.special import ndtri

    reach = student_z(float(-ndtri((1.0 - level) / 2.0)), df) * np.sqrt(np.maximum(variance, 0.0))
    middle = theta @ at
    return SmoothCurve(grid, expit(middle), expit(middle - reach), expit(middle + reach))


SEPARATED = "the spline separates cases with and without the event, so the curve is infinite"


def _undefined(reason: str) -> SmoothCurve:
    empty = np.full(0, nan)
    return SmoothCurve(empty, empty, empty, empty, reason)


def _logit(p: FloatArray) -> FloatArray:
    return np.asarray(np.log(p) - np.log1p(-p))


def _knots(x: FloatArray, fewest: float) -> FloatArray:
    """Distinct quantiles: five, four or three by the number of cases of the rarer outcome."""
    number = 5 if fewest >= 100 else 4 if fewest >= 30 else 3
    return np.unique(np.quantile(x, KNOTS[number]))


def _basis(x: FloatArray, knots: FloatArray) -> FloatArray:
    """At [function, case], the natural cubic splines that are 1 at one knot and 0 at the others; a line of two."""
    if len(knots) < 3:
        return np.stack([np.ones(len(x)), x])
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")
    below, above = np.minimum(x - knots[0], 0.0), np.maximum(x - knots[-1], 0.0)
    first, last = spline(knots[[0, -1]], 1)
    inside = spline(np.clip(x, knots[0], knots[-1]))
    return np.asarray((inside + below[:, None] * first + above[:, None] * last).T)
