"""Proper scores of the probability of one event, as losses, and their terms by isotonic regression.

Isotonic regression is the best rising recalibration by every proper score at once (Barlow & Brunk 1972), so that
one fit decomposes them all:

    mean loss = miscalibration - discrimination + uncertainty

the loss of the predictions minus that of recalibrated ones, that of the share of events minus that of recalibrated
predictions, and that of the share (Dimitriadis, Gneiting & Jordan 2021).
"""

from collections.abc import Callable
from math import log, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = ["BRIER", "LOG", "RULES", "SPHERICAL", "Rule", "terms"]

ROUNDING = 1e-12  # a weight below this share of the weight of its group is rounding


class Rule(NamedTuple):
    """A proper score as a loss.

    Attributes
    ----------
    happened, otherwise
        The loss of a probability if the event happened, and if not.
    largest
        The largest miscalibration and discrimination.
    """

    happened: Callable[[FloatArray], FloatArray]
    otherwise: Callable[[FloatArray], FloatArray]
    largest: tuple[float, float]

    def uncertainty(self, shares: FloatArray) -> FloatArray:
        """The mean losses of predicting the share of events; largest at 1/2."""
        at = shares[:, None]
        return _mean_loss(self, at, at, np.ones_like(at))


def _logarithm(p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(p))


def _distance(p: FloatArray) -> FloatArray:
    """1 minus the spherical score."""
    return np.asarray(1.0 - p / np.hypot(p, 1.0 - p))


BRIER = Rule(lambda p: (1.0 - p) ** 2, lambda p: p**2, (1.0, 0.25))
LOG = Rule(_logarithm, lambda p: _logarithm(1.0 - p), (np.inf, log(2.0)))
SPHERICAL = Rule(_distance, lambda p: _distance(1.0 - p), (1.0, 1.0 - 1.0 / sqrt(2.0)))
RULES = {"brier": BRIER, "log_loss": LOG, "spherical": SPHERICAL}


def terms(rule: Rule, p: FloatArray, fitted: FloatArray, totals: FloatArray, weights: FloatArray) -> FloatArray:
    """At [term, row]: miscalibration, discrimination and share of events, of outcomes summed by prediction.

    Parameters
    ----------
    rule
        The score.
    p, fitted
        The distinct predictions, and at [row, prediction] the recalibrated ones.
    totals, weights
        At [row, prediction], the weight of the cases with the event, and of all cases.
    """
    whole = weights.sum(axis=1)
    share = totals.sum(axis=1) / whole
    after = _mean_loss(rule, fitted, totals, weights)
    before = _mean_loss(rule, p[None], totals, weights)
    constant = _mean_loss(rule, share[:, None], totals, weights)
    return np.stack([before - after, constant - after, share])


def _mean_loss(rule: Rule, forecast: FloatArray, totals: FloatArray, weights: FloatArray) -> FloatArray:
    """The mean loss of each row; a loss may be infinite where no case has it."""
    others = weights - totals
    one = np.where(totals > ROUNDING * weights, rule.happened(forecast), 0.0)
    other = np.where(others > ROUNDING * weights, rule.otherwise(forecast), 0.0)
    return np.asarray((totals * one + others * other).sum(axis=1) / weights.sum(axis=1))
