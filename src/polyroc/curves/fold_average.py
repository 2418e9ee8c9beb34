"""One curve from several folds: averaged at equal rates, averaged at equal thresholds, or pooled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from typing import Literal, NamedTuple

import numpy as np

from polyroc.curves.bands import RATES
from polyroc.curves.families import Problem
from polyroc.curves.result import Band
from polyroc.curves.sweep import Sweep
from polyroc.errors import InputError
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.messages import Option
from polyroc.results.provenance import Provenance
from polyroc.scores import Scores

__all__ = ["AVERAGES", "Average", "Points", "area_over_folds", "band_over_folds", "fold_scores"]

Average = Literal["vertical", "threshold", "pooled"]


class Points(NamedTuple):
    """The points of a curve."""

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray


def fold_scores(scores: Scores) -> dict[str, Scores]:
    """The cases of each fold, which came as groups; every fold needs both classes."""
    folds = scores.groups
    assert folds is not None
    numbers = np.unique(folds)
    if len(numbers) < 2:
        raise InputError(f"Folds must be two or more, got {len(numbers)}.")
    found = {f"fold {place + 1}": _only(scores, folds == k) for place, k in enumerate(numbers)}
    for name, each in found.items():
        if each.absent:
            raise InputError(
                f"{name.capitalize()} has no case of class {each.absent[0]!r}, but its curve needs both classes; "
                "use stratified folds, or pool the folds with ",
                Option("average", "pooled"),
                ".",
            )
    return found


def _only(scores: Scores, which: BoolArray) -> Scores:
    return replace(
        scores,
        codes=scores.codes[which],
        values={name: column[which] for name, column in scores.values.items()},
        sample_weight=None if scores.sample_weight is None else scores.sample_weight[which],
        groups=None,
    )


def vertical(folds: Sequence[Sweep]) -> Points:
    """The mean true positive rate at each false positive rate: the curve of a fold picked at random.

    Exact: known wherever one of the curves bends, from below and from above where one is upright, so that its area
    is the mean of the folds' areas (Bradley's averaging). It has no thresholds: each fold has its own.
    """
    u = np.unique(np.concatenate([fold.fpr for fold in folds]))
    ends = np.mean([_foot_and_top(fold, u) for fold in folds], axis=0)
    upright = ends[0] != ends[1]
    fpr = np.repeat(u, 1 + upright)
    tpr = np.stack(ends, axis=1)[np.stack([upright, np.ones_like(upright)], axis=1)]
    return Points(fpr, tpr, np.full(len(fpr), np.nan))


def _foot_and_top(fold: Sweep, u: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lowest and the highest point of a curve at each rate."""
    first, last = np.searchsorted(fold.fpr, u), np.searchsorted(fold.fpr, u, "right") - 1
    i, j = np.minimum(last, len(fold.fpr) - 2), np.minimum(last, len(fold.fpr) - 2) + 1
    width = np.where(fold.fpr[j] > fold.fpr[i], fold.fpr[j] - fold.fpr[i], 1.0)
    between = fold.tpr[i] + (fold.tpr[j] - fold.tpr[i]) * (u - fold.fpr[i]) / width
    meets = fold.fpr[last] == u
    return np.where(meets, fold.tpr[np.minimum(first, last)], between), np.where(meets, fold.tpr[last], between)


def threshold(folds: Sequence[Sweep]) -> Points:
    """The mean rates at each threshold (Fawcett 2006): for scores that mean the same in all folds."""
    thresholds = np.unique(np.concatenate([fold.thresholds for fold in folds]))[::-1]
    places = [np.searchsorted(-fold.thresholds, -thresholds, "right") - 1 for fold in folds]
    fpr = np.mean([fold.fpr[place] for fold, place in zip(folds, places, strict=True)], axis=0)
    tpr = np.mean([fold.tpr[place] for fold, place in zip(folds, places, strict=True)], axis=0)
    return Points(fpr, tpr, thresholds)


AVERAGES: Mapping[str, Callable[[Sequence[Sweep]], Points]] = {"vertical": vertical, "threshold": threshold}


def area_over_folds(folds: Sequence[Sweep], how: str, problem: Problem) -> Estimate:
    """The area under the averaged curve, its standard error by leaving out one fold at a time.

    For the vertical average that is the standard deviation of the folds' areas / sqrt(folds): Bradley (1997).
    Classifiers of different folds were trained on overlapping cases, which no such error accounts for.
    """
    k, average = len(folds), AVERAGES[how]

    def area(some: Sequence[Sweep]) -> float:
        points = average(some)
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
    """Pointwise, for the vertical average: Student's interval of the folds' true positive rates."""
    from scipy.special import stdtrit

    k = len(folds)
    found = np.array([_foot_and_top(fold, RATES)[1] for fold in folds])
    reach = stdtrit(k - 1, 0.5 + level / 2.0) * found.std(axis=0, ddof=1) / sqrt(k)
    low, high = (np.clip(found.mean(axis=0) + side * reach, 0.0, 1.0) for side in (-1.0, 1.0))
    return Band("pointwise", f"Student's interval over {k} folds", level, RATES, low, high)
