"""One curve from several folds: averaged at equal rates, averaged at equal thresholds, or pooled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal

import numpy as np

from polyroc._results.provenance import Provenance
from polyroc.curves.binary_problems import BinaryProblem
from polyroc.curves.points import AUC, CurvePoints
from polyroc.curves.sweep import CurveSweep
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray

__all__ = ["AVERAGES", "Average", "threshold_area", "vertical_height"]

Average = Literal["vertical", "threshold", "none"]


def vertical(folds: Sequence[CurveSweep], weights: FloatArray) -> CurvePoints:
    """The mean true positive rate at each false positive rate: the expected curve of a randomly chosen fold.

    It is exact: computed wherever a curve bends, as limits from the left and from the right where one is vertical,
    so its area is the mean of the folds' areas (Bradley 1997). It has no thresholds, because the folds' differ.
    """
    u = np.unique(np.concatenate([fold.fpr for fold in folds]))
    ends: FloatArray = np.average([_lowest_and_highest(fold, u) for fold in folds], axis=0, weights=weights)
    jumps = ends[0] != ends[1]  # there the averaged curve has two points with one false positive rate
    fpr = np.repeat(u, 1 + jumps)
    tpr = ends.T[np.stack([jumps, np.ones_like(jumps)], axis=1)]
    return CurvePoints(fpr, tpr, np.full(len(fpr), np.nan))


def _lowest_and_highest(fold: CurveSweep, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest true positive rate of a curve at each false positive rate."""
    first, last = np.searchsorted(fold.fpr, u), np.searchsorted(fold.fpr, u, "right") - 1
    i, j = np.minimum(last, len(fold.fpr) - 2), np.minimum(last, len(fold.fpr) - 2) + 1
    width = np.where(fold.fpr[j] > fold.fpr[i], fold.fpr[j] - fold.fpr[i], 1.0)
    between = fold.tpr[i] + (fold.tpr[j] - fold.tpr[i]) * (u - fold.fpr[i]) / width
    exact = fold.fpr[last] == u
    return np.where(exact, fold.tpr[np.minimum(first, last)], between), np.where(exact, fold.tpr[last], between)


def vertical_height(folds: Sequence[CurveSweep], weights: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """The vertical average as a function of the false positive rate."""
    return lambda u: np.asarray(np.average([_lowest_and_highest(fold, u)[1] for fold in folds], 0, weights))


def threshold(folds: Sequence[CurveSweep], weights: FloatArray) -> CurvePoints:
    """The mean rates at each threshold (Fawcett 2006): for scores on the same scale in all folds."""
    thresholds = np.unique(np.concatenate([fold.thresholds for fold in folds]))[::-1]
    positions = [np.searchsorted(-fold.thresholds, -thresholds, "right") - 1 for fold in folds]
    fpr = np.average([fold.fpr[i] for fold, i in zip(folds, positions, strict=True)], 0, weights)
    tpr = np.average([fold.tpr[i] for fold, i in zip(folds, positions, strict=True)], 0, weights)
    return CurvePoints(fpr, tpr, thresholds)


AVERAGES: Mapping[str, Callable[[Sequence[CurveSweep], FloatArray], CurvePoints]] = {
    "vertical": vertical,
    "threshold": threshold,
}


def threshold_area(folds: Sequence[CurveSweep], weights: FloatArray, problem: BinaryProblem) -> Estimate:
    """The area under the threshold average, with its jackknife standard error over folds.

    The folds' classifiers were trained on overlapping cases, which this standard error does not account for.
    """
    k = len(folds)

    def area(sweeps: Sequence[CurveSweep], shares: FloatArray) -> float:
        points = threshold(sweeps, shares)
        return float(np.trapezoid(points.tpr, points.fpr))

    without = np.array([area([*folds[:i], *folds[i + 1 :]], np.delete(weights, i)) for i in range(k)])
    return Estimate(
        measure=AUC.key,
        name=f"area under the ROC curve, threshold average of {k} folds",
        classifier=problem.classifier,
        value=area(folds, weights),
        standard_error=sqrt((k - 1) / k * float(((without - without.mean()) ** 2).sum())),
        limits=(0.0, 1.0),
        chance=0.5,
        fewest=float(k),
        provenance=replace(Provenance.of(problem.scores, f"jackknife over {k} folds"), groups=k),
    )
