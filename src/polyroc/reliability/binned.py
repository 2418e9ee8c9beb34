"""Isotonic regression from bins: what it is at most and at least, whatever the order of the cases within a bin.

Bins are in the order of the prediction. Let f be the isotonic regression of the outcomes on the predictions, which
the bins do not show: within a bin the order of the cases is unknown.

- *Loss.* Functions that are constant on bins are some of all rising functions, so the least squared loss among
  them, that of isotonic regression of the bins, is at least that of f. For the other bound let the cases of a bin
  be in the most favourable order, those without the event first. Exchanging the values of f within a bin so that
  they rise with the outcome makes no loss larger (rearrangement inequality), and a rising function stays one; its
  values may be averaged over the cases of one outcome (Jensen). So the loss of isotonic regression in this order
  is at most that of f.
- *Curve.* f at a case is the largest, over the runs of neighbours that begin at or before it, of the smallest
  mean among runs of the same beginning that end at or after it. From above: let runs end with a bin only, which
  leaves out some of the ends and makes no minimum smaller, and let a bin in which a run begins give it the cases
  with the event alone, the largest mean that a part of it can add. From below: let runs begin with a bin only,
  and end with the cases without the event of the last one. Both are isotonic regressions: with the bins up to the
  place divided by outcome and those after it whole, and the other way round.

A bin of one prediction, or of one outcome, leaves nothing open; dividing bins makes the bounds narrower.
"""

from dataclasses import dataclass

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.isotonic import isotonic
from polyroc.reliability.decomposition import Fit

__all__ = ["BinnedEvent"]


@dataclass(frozen=True, eq=False)
class BinnedEvent:
    """The cases of an event in bins, in the order of the prediction.

    Attributes
    ----------
    p
        The mean prediction in each bin.
    cases, weight, squares
        At [bin, outcome]: the cases (of weight above 0), the sum of their weights and of the squared weights.
    mixed
        By bin, whether its predictions may differ.
    """

    p: FloatArray
    cases: FloatArray
    weight: FloatArray
    squares: FloatArray
    mixed: BoolArray

    @property
    def open(self) -> BoolArray:
        """By bin, whether the order of its cases matters and is unknown."""
        return np.asarray(self.mixed & (self.weight > 0).all(axis=1))

    @property
    def total(self) -> float:
        """The weight of all cases."""
        return float(self.weight.sum())

    @property
    def units(self) -> tuple[float, float]:
        """The effective number of cases without and with the event."""
        squares = self.squares.sum(axis=0)
        units = np.where(squares > 0, self.weight.sum(axis=0) ** 2 / np.where(squares > 0, squares, 1.0), 0.0)
        return float(units[0]), float(units[1])

    def fit(self) -> Fit:
        """Isotonic regression of the bins; weighted cases count as their effective number (Kish)."""
        weight, happened = self.weight.sum(axis=1), self.weight[:, 1]
        cases = self.cases.sum(axis=1)
        if self.squares is not self.weight:
            cases = np.maximum(np.round(weight**2 / self.squares.sum(axis=1)), 1.0)
        return Fit(self.p, weight, happened, cases, isotonic(happened, weight))

    def joined(self, most: int) -> "BinnedEvent":
        """Neighbouring bins joined to about so many of equal weight; for simulations."""
        if len(self.p) <= most:
            return self
        weight = self.weight.sum(axis=1)
        places = np.cumsum(weight) - weight / 2.0
        group = np.unique((places / weight.sum() * most).astype(np.int64), return_inverse=True)[1]
        starts = np.flatnonzero(np.append(True, np.diff(group)))
        p, cases, weights, squares, mixed = (
            np.add.reduceat(row, starts, axis=0)
            for row in (self.p * weight, self.cases, self.weight, self.squares, self.mixed)
        )
        unweighted = self.squares is self.weight
        return BinnedEvent(p / weights.sum(axis=1), cases, weights, weights if unweighted else squares, mixed > 0)

    def losses(self) -> tuple[float, float]:
        """The mean squared loss of isotonic regression: certainly at least, and at most."""
        return self._loss(*self._divided()), self._loss(*self._whole())

    def _loss(self, totals: FloatArray, weights: FloatArray) -> float:
        happened, weight = totals.ravel(), weights.ravel()
        fitted = isotonic(happened, weight)
        # (y - f)^2 = y - 2 y f + f^2
        return float(happened.sum() - 2.0 * happened @ fitted + weight @ fitted**2) / self.total

    def curve_bounds(self, places: IntArray) -> tuple[FloatArray, FloatArray]:
        """What isotonic regression of the cases is at least and at most in these bins."""
        divided, whole = self._divided(), self._whole()
        low, high = np.empty(len(places)), np.empty(len(places))
        for i, place in enumerate(places.tolist()):
            after = _joined_at(divided, whole, place + 1)
            high[i] = isotonic(*after)[2 * place + 1]
            before = _joined_at(whole, divided, place)
            low[i] = isotonic(*before)[2 * place]
        return low, high

    def _divided(self) -> tuple[FloatArray, FloatArray]:
        """At [bin, part], events and weight: of an open bin, the cases without and those with the event."""
        totals, weights = self._whole()
        is_open = self.open
        totals[is_open] = np.stack([np.zeros(is_open.sum()), self.weight[is_open, 1]], axis=1)
        weights[is_open] = self.weight[is_open]
        return totals, weights

    def _whole(self) -> tuple[FloatArray, FloatArray]:
        """The same with all cases of a bin in its first part."""
        nothing = np.zeros(len(self.p))
        return np.stack([self.weight[:, 1], nothing], axis=1), np.stack([self.weight.sum(axis=1), nothing], axis=1)


def _joined_at(
    first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray], place: int
) -> tuple[FloatArray, FloatArray]:
    """The sequence of parts of the first before a bin, and of the second from it on."""
    totals, weights = (np.concatenate([a[:place], b[place:]]).ravel() for a, b in zip(first, second, strict=True))
    return totals, weights
