"""Logistic recalibration (Cox 1958): in-the-large, slope, and the joint test that neither is needed.

With x = log(p / (1 - p)) and P(event) = 1 / (1 + exp(-(a + b x))), probabilities are right only if a = 0, b = 1.
Calibration-in-the-large is a with b = 1, the slope is b with a free. Standard errors are those of M-estimators
(the sandwich of Huber 1967), which do not assume that the logistic model is true; groups and weights enter by the
influence values.
"""

from math import inf, nan
from typing import NamedTuple

import numpy as np

from polyroc.estimates.hypothesis_tests import chi_square_tail, two_sided, wald
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.reliability.events import Event

__all__ = [
    "JointTest",
    "Recalibration",
    "certainty_text",
    "expit",
    "influence_of",
    "joint_test",
    "no_logits",
    "recalibrate",
    "regress",
    "separated",
    "spiegelhalter",
]

MOST_STEPS, CONVERGED = 100, 1e-10


class Recalibration(NamedTuple):
    """Estimates with standard errors; nan where they are undefined, and why.

    Attributes
    ----------
    in_the_large, slope
        Value and standard error.
    influence
        At [estimate, case], the influence values of the two.
    undefined
        Why one is undefined; None if both are defined.
    """

    in_the_large: tuple[float, float]
    slope: tuple[float, float]
    influence: FloatArray
    undefined: str | None = None


class JointTest(NamedTuple):
    """A test of the hypothesis that the probabilities are right."""

    statistic: float
    df: int
    pvalue: float


def recalibrate(event: Event) -> Recalibration:
    """Calibration-in-the-large and calibration slope of an event."""
    influence = np.full((2, len(event.p)), nan)
    reason = no_logits(event)
    if reason is not None:
        return Recalibration((nan, nan), (nan, nan), influence, reason)
    x = np.log(event.p) - np.log1p(-event.p)
    w, y = event.weight, event.y.astype(np.float64)
    large = regress(np.ones((1, len(x))), x, y, w)
    influence[0] = influence_of(np.ones((1, len(x))), x, large, y, w)[0]
    reason = separated(x[w > 0], event.y[w > 0])
    slope = nan
    if reason is None:
        z = np.stack([np.ones(len(x)), x])
        line = regress(z, np.zeros(len(x)), y, w)
        slope, influence[1] = float(line[1]), influence_of(z, np.zeros(len(x)), line, y, w)[1]
    errors = [float(np.sqrt(event.covariance(row[None])[0, 0])) for row in influence]
    return Recalibration((float(large[0]), errors[0]), (slope, errors[1]), influence, reason)


def no_logits(event: Event) -> str | None:
    """Why there is no logistic regression on log odds; None if there is one."""
    counted = event.weight > 0
    certain = counted & ((event.p <= 0) | (event.p >= 1))
    if certain.any():
        return certainty_text(int(certain.sum()), int((certain & (event.p != event.y)).sum()))
    happened = event.y[counted]
    return None if happened.any() and not happened.all() else "the event happened in all cases, or in none"


def certainty_text(certain: int, wrong: int) -> str:
    """Return why there are no log odds: some probabilities are 0 or 1; and how many of these are wrong."""
    text = f"{certain} probabilit{'y is' if certain == 1 else 'ies are'} 0 or 1, which have no log odds"
    if not wrong:
        return text
    return f"{text}; {wrong} of them {'is' if wrong == 1 else 'are'} wrong, which refutes calibration"


def separated(x: FloatArray, y: BoolArray) -> str | None:
    """Why there is no finite slope."""
    if np.ptp(x) == 0:
        return "all probabilities are equal"
    if x[y].min() >= x[~y].max() or x[y].max() <= x[~y].min():
        return "the probabilities separate cases with and without the event, so the slope is infinite"
    return None


def regress(z: FloatArray, offset: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
    """The coefficients of a logistic regression on the rows of z; steps that lower the likelihood are halved."""
    theta, total = np.zeros(len(z)), w.sum()
    if len(z) == 2:
        theta[1] = 1.0
    best = _likelihood(theta, z, offset, y, w)
    for _ in range(MOST_STEPS):
        mu = expit(offset + theta @ z)
        gradient = z @ (w * (y - mu))
        step = np.linalg.solve((z * (w * mu * (1.0 - mu))) @ z.T, gradient)
        value = _likelihood(theta + step, z, offset, y, w)
        while value < best - 1e-12 * total and np.abs(step).max() > CONVERGED:
            step = step / 2.0
            value = _likelihood(theta + step, z, offset, y, w)
        theta, best = theta + step, value
        if np.abs(step).max() <= CONVERGED * (1.0 + np.abs(theta).max()):
            break
    return theta


def _likelihood(theta: FloatArray, z: FloatArray, offset: FloatArray, y: FloatArray, w: FloatArray) -> float:
    eta = offset + theta @ z
    return float(w @ (y * eta - np.logaddexp(0.0, eta)))


def expit(x: FloatArray) -> FloatArray:
    """The logistic function, which cannot overflow."""
    return np.asarray((1.0 + np.tanh(x / 2.0)) / 2.0)


def influence_of(z: FloatArray, offset: FloatArray, theta: FloatArray, y: FloatArray, w: FloatArray) -> FloatArray:
    """At [coefficient, case], the derivative of the coefficient by the weight of the case, times all weight."""
    mu = expit(offset + theta @ z)
    hessian = (z * (w * mu * (1.0 - mu))) @ z.T / w.sum()
    return np.asarray(np.linalg.solve(hessian, z * (y - mu)))


def joint_test(event: Event) -> JointTest:
    """The score test of a = 0 and b = 1, with the variance under the hypothesis; with groups, the observed one.

    It needs no estimates, so that it is defined also where the slope is infinite.
    """
    if no_logits(event) is not None and ((event.p <= 0) | (event.p >= 1)).any():
        return JointTest(nan, 2, nan)
    x = np.log(event.p) - np.log1p(-event.p)
    w, z = event.weight, np.stack([np.ones(len(x)), x - np.average(x, weights=event.weight)])
    total = w.sum()
    residual = event.y - event.p
    scores = z @ (w * residual) / total
    if not event.independent:
        influence = z * residual
        covariance = event.covariance(influence - np.average(influence, axis=1, weights=w)[:, None])
        test = wald(scores, covariance, np.eye(2), units=sum(event.units) - 1.0)
        return JointTest(test.statistic, test.df, test.pvalue)
    covariance = (z * (w**2 * event.p * (1.0 - event.p))) @ z.T / total**2
    if np.ptp(x) == 0:
        statistic = float(scores[0] ** 2 / covariance[0, 0])
        return JointTest(statistic, 1, chi_square_tail(statistic, 1))
    statistic = float(scores @ np.linalg.solve(covariance, scores))
    return JointTest(statistic, 2, chi_square_tail(statistic, 2))


def spiegelhalter(
    event_scores: FloatArray, variances: FloatArray, event: Event, predicted: FloatArray
) -> tuple[float, float]:
    """Spiegelhalter's z and its two-sided p-value: the Brier score minus its expectation, over its standard error.

    An outcome of predicted probability 0 is impossible if the probabilities are right: z is infinite, p is 0.

    Parameters
    ----------
    event_scores
        By case, the Brier score minus its expectation if the probabilities are right.
    variances
        By case, its variance if they are.
    event
        The cases; with groups, the observed variance between these takes the place of `variances`.
    predicted
        By case, the probability of its outcome.
    """
    w = event.weight
    if (predicted[w > 0] <= 0.0).any():
        return inf, 0.0
    mean = float(w @ event_scores) / float(w.sum())
    if event.independent:
        error = float(np.sqrt(max(float(w**2 @ variances), 0.0))) / float(w.sum())  # below 0 by rounding only
    else:
        error = float(np.sqrt(event.covariance((event_scores - mean)[None])[0, 0]))
    if not error > 0:
        return nan, nan
    return mean / error, two_sided(mean / error)
