"""The threshold sweep of two classes: counts and rates of the cases at or above every distinct score."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc.curves.points import CurveKind, CurvePoints
from polyroc.inference.covariance import effective_units
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.kernels.curves import heights, trace, turning_points
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Stratum

__all__ = ["RankedCases", "Sweep", "ranked_cases"]


class Sweep:
    """Cases classified as positive at each threshold, from infinity down: those whose score is at least that high.

    Attributes
    ----------
    thresholds
        Infinity, then every distinct score in falling order.
    tp, fp
        The weight of true and of false positives; integers if there are no weights.
    tpr, fpr
        The same as rates: the points of the ROC curve, from (0, 0) to (1, 1).
    prevalence
        The share of weight of the positive class.
    """

    def __init__(self, sample: Sample, units: tuple[float, float] | None = None) -> None:
        self.sample, self._units = sample, units
        self.classes, self.column = _classes_and_column(sample)
        *self.called, self.thresholds = sample.fixed(_counts)
        self.tp, self.fp = (self._weight(k, called) for k, called in zip(self.classes, self.called, strict=True))
        self.tpr: FloatArray = self.tp / self.tp[-1]
        self.fpr: FloatArray = self.fp / self.fp[-1]
        self.prevalence = float(self.tp[-1]) / (float(self.tp[-1]) + float(self.fp[-1]))

    @property
    def units(self) -> tuple[float, float]:
        """The effective numbers of positives and negatives, by weights and groups unless passed."""
        if self._units is not None:
            return self._units
        zeros = np.zeros(len(self.thresholds) - 1)
        positives, negatives = (effective_units(s, self.sample.scores) for s in self.strata(zeros, zeros))
        return positives, negatives

    def _weight(self, k: int, called: CodeArray) -> npt.NDArray[Any]:
        weights = self.sample.weights(k, self.column)
        return called if weights is None else np.concatenate([[0.0], np.cumsum(weights[::-1])])[called]

    def strata(
        self, positive: FloatArray, negative: FloatArray, reach: float | None = None
    ) -> tuple[Stratum, Stratum]:
        """Structural components that depend on a case's score only: one value per threshold but the first.

        `reach` is that of the negatives (see `Stratum`).
        """
        return self._stratum(0, positive, None), self._stratum(1, negative, reach)

    def _stratum(self, side: int, by_threshold: FloatArray, reach: float | None) -> Stratum:
        # `called` falls through the scores, while strata list the cases of a class by rising score.
        components = np.repeat(by_threshold, np.diff(self.called[side]))[::-1]
        return Stratum(components, lambda: self.sample.sorted_cases(self.classes[side], self.column), reach)

    def points(self, kind: CurveKind, drop_intermediate: bool) -> CurvePoints:
        """The points of a curve, without scores of zero weight.

        With `drop_intermediate`, also without points that do not change the line that is drawn.
        """
        kept = np.ones(len(self.thresholds), dtype=bool)
        if self.sample.weight is not None:
            kept[1:] = (np.diff(self.tp) != 0) | (np.diff(self.fp) != 0)
        if drop_intermediate:
            kept[kept] = _changes_line(self.fp[kept], self.tp[kept], kind)
        if kept.all():
            return CurvePoints(self.fpr, self.tpr, self.thresholds)
        return CurvePoints(self.fpr[kept], self.tpr[kept], self.thresholds[kept])


def _changes_line(fp: npt.NDArray[Any], tp: npt.NDArray[Any], kind: CurveKind) -> BoolArray:
    """Which points turn the ROC curve; for kinds that bend between points, those where the recall changes."""
    if kind in ("roc", "cost"):
        return turning_points(fp, tp)
    changes = np.diff(tp) != 0
    return np.concatenate([[True], changes[:-1] | changes[1:], [True]])


def _classes_and_column(sample: Sample) -> tuple[tuple[int, int], int]:
    """The positive and the negative class, and the column whose high values indicate the positive class."""
    assert sample.positive is not None
    return (sample.positive, 1 - sample.positive), sample.positive if sample.values.ndim == 2 else 0


def _counts(sample: Sample) -> tuple[CodeArray, CodeArray, FloatArray]:
    """Numbers of positives and negatives at or above each threshold: the same for all weights of the cases."""
    (positive, negative), column = _classes_and_column(sample)
    return trace(sample.sorted(positive, column), sample.sorted(negative, column))


class RankedCases(NamedTuple):
    """The cases of both classes by falling score.

    Attributes
    ----------
    cases
        Positions among the cases grouped by class.
    positive
        Which of them are positive.
    ends
        Which of them are the last of a block of tied scores.
    """

    cases: IntArray
    positive: BoolArray
    ends: BoolArray

    def tpr_at(self, weight: npt.NDArray[Any], rates: FloatArray) -> FloatArray:
        """True positive rates at false positive rates: a row per row of weights, nan without both classes."""
        tpr = np.empty((len(weight), len(rates)))
        heights(weight, *self, rates, tpr)
        return tpr

    def mirrored(self) -> "RankedCases":
        """Classes exchanged and scores negated: (FPR, TPR) becomes (1 - TPR, 1 - FPR)."""
        starts = np.concatenate([[True], self.ends[:-1]])
        return RankedCases(self.cases[::-1].copy(), ~self.positive[::-1], starts[::-1].copy())


def ranked_cases(sweep: Sweep) -> RankedCases:
    """The cases of a sweep by falling score."""
    sample = sweep.sample
    cases = [sample.starts[k] + sample.order(k, sweep.column)[::-1] for k in sweep.classes]
    # Within a class the cases are in order already; the threshold that reaches each merges the two classes.
    step = np.concatenate([np.repeat(np.arange(len(called) - 1), np.diff(called)) for called in sweep.called])
    positive = np.arange(len(step)) < len(cases[0])
    order = np.argsort(step, kind="stable")
    ends = np.append(np.diff(step[order]) > 0, True)
    return RankedCases(np.concatenate(cases)[order], positive[order], ends)
