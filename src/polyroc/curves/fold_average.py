"""One curve from several folds: averaged at equal rates, averaged at equal thresholds, or pooled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal

import numpy as np

from polyroc.curves.bands import RATES
from polyroc.curves.binary_problems import BinaryProblem
from polyroc.curves.points import CurvePoints
from polyroc.curves.result import Band
from polyroc.curves.sweep import Sweep
from polyroc.errors import InputError
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.messages import Option
from polyroc.results.provenance import Provenance
from polyroc.scores import Scores

__all__ = ["AVERAGES", "Average", "area_over_folds", "band_over_folds", "fold_scores"]

Average = Literal["vertical", "threshold", "pooled"]


def fold_scores(scores: Scores) -> dict[str, Scores]:
    """The cases of each fold; the folds are passed as groups, and every fold needs both classes."""
    folds = scores.groups
    assert folds is not None
    numbers = np.unique(folds)
    if len(numbers) < 2:
        raise InputError(f"There must be two or more folds, got {len(numbers)}.")
    by_name = {f"fold {position + 1}": _in_fold(scores, folds == k) for position, k in enumerate(numbers)}
    for name, fold in by_name.items():
        if fold.absent:
            raise InputError(
                f"{name.capitalize()} has no case of class {fold.absent[0]!r}, but a curve needs both classes; "
                "use stratified folds, or pool the folds with ",
                Option("average", "pooled"),
                ".",
            )
    return by_name


def _in_fold(scores: Scores, which: BoolArray) -> Scores:
    return replace(
        scores,
        codes=scores.codes[which],
        values={name: column[which] for name, column in scores.values.items()},
        sample_weight=None if scores.sample_weight is None else scores.sample_weight[which],
        groups=None,
    )


def vertical(folds: Sequence[Sweep]) -> CurvePoints:
    """The mean true positive rate at each false positive rate: the expected curve of a randomly chosen fold.

    It is exact: computed wherever a curve bends, as limits from the left and from the right where one is vertical,
    so its area is the mean of the folds' areas (Bradley 1997). It has no thresholds, because the folds' differ.
    """
    u = np.unique(np.concatenate([fold.fpr for fold in folds]))
    ends = np.mean([_lowest_and_highest(fold, u) for fold in folds], axis=0)
    jumps = ends[0] != ends[1]  # there the averaged curve has two points with one false positive rate
    fpr = np.repeat(u, 1 + jumps)
    tpr = np.stack(ends, axis=1)[np.stack([jumps, np.ones_like(jumps)], axis=1)]
    return CurvePoints(fpr, tpr, np.full(len(fpr), np.nan))


def _lowest_and_highest(fold: Sweep, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest true positive rate of a curve at each false positive rate."""
    first, last = np.searchsorted(fold.fpr, u), np.searchsorted(fold.fpr, u, "right") - 1
    i, j = np.minimum(last, len(fold.fpr) - 2), np.minimum(last, len(fold.fpr) - 2) + 1
    width = np.where(fold.fpr[j] > fold.fpr[i], fold.fpr[j] - fold.fpr[i], 1.0)
    between = fold.tpr[i] + (fold.tpr[j] - fold.tpr[i]) * (u - fold.fpr[i]) / width
    exact = fold.fpr[last] == u
    return np.where(exact, fold.tpr[np.minimum(first, last)], between), np.where(exact, fold.tpr[last], between)


def threshold(folds: Sequence[Sweep]) -> CurvePoints:
    """The mean rates at each threshold (Fawcett 2006): for scores on the same scale in all folds."""
    thresholds = np.unique(np.concatenate([fold.thresholds for fold in folds]))[::-1]
    positions = [np.searchsorted(-fold.thresholds, -thresholds, "right") - 1 for fold in folds]
    fpr = np.mean([fold.fpr[i] for fold, i in zip(folds, positions, strict=True)], axis=0)
    tpr = np.mean([fold.tpr[i] for fold, i in zip(folds, positions, strict=True)], axis=0)
    return CurvePoints(fpr, tpr, thresholds)


AVERAGES: Mapping[str, Callable[[Sequence[Sweep]], CurvePoints]] = {"vertical": vertical, "threshold": threshold}


def area_over_folds(folds: Sequence[Sweep], how: str, problem: BinaryProblem) -> Estimate:
    """The area under the averaged curve, with its jackknife standard error over folds.

    For the vertical average that is the standard deviation of the folds' areas / sqrt(folds) (Bradley 1997).
    The folds' classifiers were trained on overlapping cases, which this standard error does not account for.
    """
    k, average = len(folds), AVERAGES[how]

    def area(sweeps: Sequence[Sweep]) -> float:
        points = average(sweeps)
        return float(np.trapezoid(points.tpr, points.fpr))

    without = np.array([area([*folds[:i], *folds[i + 1 :]]) for i in range(k)])
    return Estimate(
        measure="auc",
        name=f"area under the ROC curve, {how} average of {k} folds",
        classifier=problem.classifier,
        value=area(folds),
        standard_error=sqrt((k - 1) / k * float(((without - without.mean()) ** 2).sum())),
        limits=(0.0, 1.0),
        chance=0.5,
        fewest=float(k),
        provenance=replace(Provenance.of(problem.scores, f"jackknife over {k} folds"), groups=k),
    )


def band_over_folds(folds: Sequence[Sweep], level: float) -> Band:
    """The pointwise band of the vertical average: Student's interval of the folds' true positive rates."""
    from scipy.special import stdtrit

    k = len(folds)
    tpr = np.array([_lowest_and_highest(fold, RATES)[1] for fold in folds])
    half_width = stdtrit(k - 1, 0.5 + level / 2.0) * tpr.std(axis=0, ddof=1) / sqrt(k)
    low, high = (np.clip(tpr.mean(axis=0) + side * half_width, 0.0, 1.0) for side in (-1.0, 1.0))
    return Band("pointwise", f"Student's interval over {k} folds", level, RATES, low, high)
