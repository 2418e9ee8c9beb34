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

from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["BRIER", "LOG", "RULES", "SPHERICAL", "Outcomes", "Rule", "terms"]

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
        return _loss(self.happened, shares, shares) + _loss(self.otherwise, shares, 1.0 - shares)


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


class Outcomes(NamedTuple):
    """Outcomes summed by prediction, and by block of equal recalibrated predictions, of which there are few.

    Attributes
    ----------
    p, totals, others
        The distinct predictions, and at [row, prediction] the weight of the cases with the event, and without.
    row, fitted, happened, otherwise
        By block of all rows: its row, its recalibrated prediction, and the weight with the event, and without.
    """

    p: FloatArray
    totals: FloatArray
    others: FloatArray
    row: IntArray
    fitted: FloatArray
    happened: FloatArray
    otherwise: FloatArray

    @classmethod
    def of(cls, p: FloatArray, fitted: FloatArray, totals: FloatArray, weights: FloatArray) -> "Outcomes":
        """From recalibrated predictions, weights with the event and of all cases, each at [row, prediction]."""
        others = weights - totals
        others = np.where(others > ROUNDING * weights, others, 0.0)
        new = np.ones(fitted.shape, dtype=bool)
        new[:, 1:] = fitted[:, 1:] != fitted[:, :-1]
        starts = np.flatnonzero(new)
        happened, otherwise = (np.add.reduceat(cells, starts) for cells in (totals.ravel(), others.ravel()))
        return cls(p, totals, others, starts // fitted.shape[1], fitted.ravel()[starts], happened, otherwise)

    def terms(self, rule: Rule) -> FloatArray:
        """At [term, row]: miscalibration, discrimination and share of events."""
        happened, otherwise = self.totals.sum(axis=1), self.others.sum(axis=1)
        whole = happened + otherwise
        share = happened / whole
        blocks = _loss(rule.happened, self.fitted, self.happened) + _loss(
            rule.otherwise, self.fitted, self.otherwise
        )
        after = np.bincount(self.row, blocks, len(whole)) / whole
        before = (_sums(rule.happened(self.p), self.totals) + _sums(rule.otherwise(self.p), self.others)) / whole
        constant = (_loss(rule.happened, share, happened) + _loss(rule.otherwise, share, otherwise)) / whole
        return np.stack([before - after, constant - after, share])


def terms(rule: Rule, p: FloatArray, fitted: FloatArray, totals: FloatArray, weights: FloatArray) -> FloatArray:
    """At [term, row]: miscalibration, discrimination and share of events, of outcomes summed by prediction."""
    return Outcomes.of(p, fitted, totals, weights).terms(rule)


def _loss(loss: Callable[[FloatArray], FloatArray], forecast: FloatArray, weight: FloatArray) -> FloatArray:
    """Weights times losses; a loss may be infinite where no case has it."""
    return np.asarray(weight * np.where(weight > 0, loss(forecast), 0.0))


def _sums(losses: FloatArray, cells: FloatArray) -> FloatArray:
    """The sum over the cells of each row, times the loss of their column, which may be infinite."""
    finite = np.isfinite(losses)
    sums = cells @ np.where(finite, losses, 0.0)
    return sums if finite.all() else np.where((cells[:, ~finite] > 0).any(axis=1), np.inf, sums)
