"""A threshold falls through the scores of two classes: what is called at every distinct value."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc.curves.result import CurveKind
from polyroc.inference.covariance import effective_units
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.curves import heights, trace, turning_points
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Stratum

__all__ = ["Falling", "Sweep", "falling"]


class Sweep:
    """What is called at each threshold, from infinity down: cases whose score is at least that high.

    Attributes
    ----------
    thresholds
        Infinity, then every distinct score.
    tp, fp
        The weight of positives and of negatives called; whole numbers if there are no weights.
    tpr, fpr
        The same as shares: the points of the ROC curve, from (0, 0) to (1, 1).
    prevalence
        The share of weight of the positive class.
    """

    def __init__(self, sample: Sample, units: tuple[float, float] | None = None) -> None:
        self.sample, self._units = sample, units
        self.classes, self.column = _sides(sample)
        *self.called, self.thresholds = sample.fixed(_traced)
        self.tp, self.fp = (self._mass(k, called) for k, called in zip(self.classes, self.called, strict=True))
        self.tpr: FloatArray = self.tp / self.tp[-1]
        self.fpr: FloatArray = self.fp / self.fp[-1]
        self.prevalence = float(self.tp[-1]) / (float(self.tp[-1]) + float(self.fp[-1]))

    @property
    def units(self) -> tuple[float, float]:
        """The effective numbers of positives and negatives: as told, or by the cases' weights and groups."""
        if self._units is not None:
            return self._units
        nothing = np.zeros(len(self.thresholds) - 1)
        positive, negative = (effective_units(each, self.sample.scores) for each in self.strata(nothing, nothing))
        return positive, negative

    def _mass(self, k: int, called: CodeArray) -> npt.NDArray[Any]:
        weights = self.sample.weights(k, self.column)
        return called if weights is None else np.concatenate([[0.0], np.cumsum(weights[::-1])])[called]

    def strata(
        self, positive: FloatArray, negative: FloatArray, reach: float | None = None
    ) -> tuple[Stratum, Stratum]:
        """Components that depend only on the step at which a case is called: one per threshold but the first.

        `reach` is that of the negatives (see `Stratum`).
        """
        return self._stratum(0, positive, None), self._stratum(1, negative, reach)

    def _stratum(self, side: int, by_step: FloatArray, reach: float | None) -> Stratum:
        components = np.repeat(by_step, np.diff(self.called[side]))[::-1]
        return Stratum(components, lambda: self.sample.sorted_cases(self.classes[side], self.column), reach)

    def points(self, kind: CurveKind, drop_intermediate: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The rates and thresholds of a curve, without scores that weigh nothing.

        If told so, also without points that do not change the line that is drawn.
        """
        kept = np.ones(len(self.thresholds), dtype=bool)
        if self.sample.weight is not None:
            kept[1:] = (np.diff(self.tp) != 0) | (np.diff(self.fp) != 0)
        if drop_intermediate:
            kept[kept] = _needed(self.fp[kept], self.tp[kept], kind)
        if kept.all():
            return self.fpr, self.tpr, self.thresholds
        return self.fpr[kept], self.tpr[kept], self.thresholds[kept]


def _needed(fp: npt.NDArray[Any], tp: npt.NDArray[Any], kind: CurveKind) -> BoolArray:
    """Points that turn the ROC curve; for curves that are not straight there, those where the recall changes."""
    if kind in ("roc", "cost"):
        return turning_points(fp, tp)
    moves = np.diff(tp) != 0
    return np.concatenate([[True], moves[:-1] | moves[1:], [True]])


def _sides(sample: Sample) -> tuple[tuple[int, int], int]:
    """The positive and the negative class, and the column whose high values indicate the former."""
    assert sample.positive is not None
    return (sample.positive, 1 - sample.positive), sample.positive if sample.values.ndim == 2 else 0


def _traced(sample: Sample) -> tuple[CodeArray, CodeArray, FloatArray]:
    """Positives and negatives called at each threshold, by number: the same whatever the weights."""
    (positive, negative), column = _sides(sample)
    return trace(sample.sorted(positive, column), sample.sorted(negative, column))


class Falling(NamedTuple):
    """Cases (as places among those grouped by class), which are positive, and which end a block of ties."""

    cases: IntArray
    positive: BoolArray
    ends: BoolArray

    def at(self, weight: npt.NDArray[Any], rates: FloatArray) -> FloatArray:
        """The true positive rate at false positive rates: one row per row of weights, nan without both classes."""
        found = np.empty((len(weight), len(rates)))
        heights(weight, *self, rates, found)
        return found

    def mirrored(self) -> "Falling":
        """Classes exchanged and scores turned round: (FPR, TPR) becomes (1 - TPR, 1 - FPR)."""
        starts = np.concatenate([[True], self.ends[:-1]])
        return Falling(self.cases[::-1].copy(), ~self.positive[::-1], starts[::-1].copy())


def falling(found: Sweep) -> Falling:
    """The cases of a sweep in the order in which they are called."""
    sample = found.sample
    cases = [sample.starts[k] + sample.order(k, found.column)[::-1] for k in found.classes]
    step = np.concatenate([np.repeat(np.arange(len(called) - 1), np.diff(called)) for called in found.called])
    positive = np.arange(len(step)) < len(cases[0])
    order = np.argsort(step, kind="stable")
    ends = np.append(np.diff(step[order]) > 0, True)
    return Falling(np.concatenate(cases)[order], positive[order], ends)
