"""The threshold sweep behind a curve: effective class sizes, the points that are drawn, and cases by rank."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc.curves.points import CurveKind, CurvePoints
from polyroc.inference.covariance import effective_units
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.curves import heights, turning_points
from polyroc.measures.sample import Sample
from polyroc.measures.sweep import Sweep

__all__ = ["CurveSweep", "RankedCases", "ranked_cases"]


class CurveSweep(Sweep):
    """A sweep with the effective numbers of cases behind its rates, and the points of its curves."""

    def __init__(self, sample: Sample, units: tuple[float, float] | None = None) -> None:
        super().__init__(sample)
        self._units = units

    @property
    def units(self) -> tuple[float, float]:
        """The effective numbers of positives and negatives, by weights and groups unless passed."""
        if self._units is not None:
            return self._units
        zeros = np.zeros(len(self.thresholds) - 1)
        positives, negatives = (effective_units(s, self.sample.scores) for s in self.strata(zeros, zeros))
        return positives, negatives

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


def ranked_cases(sweep: CurveSweep) -> RankedCases:
    """The cases of a sweep by falling score."""
    sample = sweep.sample
    cases = [sample.starts[k] + sample.order(k, sweep.column)[::-1] for k in sweep.classes]
    # Within a class the cases are in order already; the threshold that reaches each merges the two classes.
    step = np.concatenate([np.repeat(np.arange(len(called) - 1), np.diff(called)) for called in sweep.called])
    positive = np.arange(len(step)) < len(cases[0])
    order = np.argsort(step, kind="stable")
    ends = np.append(np.diff(step[order]) > 0, True)
    return RankedCases(np.concatenate(cases)[order], positive[order], ends)
