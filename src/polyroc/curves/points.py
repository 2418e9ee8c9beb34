"""Points of each kind of curve: ROC, precision-recall, DET (normal deviates) and cost curves."""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.measures.measure import Measure
from polyroc.measures.registry import measure_of_area

__all__ = [
    "KINDS",
    "CurveKind",
    "CurvePoints",
    "area_between",
    "cost_envelope",
    "det_deviates",
    "is_auc",
    "precision",
]

CurveKind = Literal["roc", "pr", "det", "cost"]
Coordinates = tuple[FloatArray, FloatArray]


class CurvePoints(NamedTuple):
    """The points of a ROC curve, from (0, 0) to (1, 1), and the thresholds that attain them."""

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray


class _Kind(NamedTuple):
    """A kind of curve: the names of its axes, its coordinates from (FPR, TPR, prevalence), and its area."""

    axes: tuple[str, str]
    coordinates: Callable[[FloatArray, FloatArray, float], Coordinates]
    area: Measure


def precision(fpr: FloatArray, tpr: FloatArray, prevalence: float) -> FloatArray:
    """The share of positives among the cases classified as positive; 1 by convention where there are none.

    >>> precision(np.array([0.0, 0.0, 0.5]), np.array([0.0, 0.5, 1.0]), 0.5).tolist()
    [1.0, 1.0, 0.6666666666666666]
    """
    called = prevalence * tpr + (1.0 - prevalence) * fpr
    return np.divide(prevalence * tpr, called, out=np.ones(len(tpr)), where=called > 0)


def det_deviates(fpr: FloatArray, tpr: FloatArray) -> Coordinates:
    """The normal deviates of the false positive and the false negative rate; infinite at 0 and 1."""
    from scipy.special import ndtri

    return ndtri(fpr), ndtri(1.0 - tpr)


def cost_envelope(fpr: FloatArray, tpr: FloatArray) -> Coordinates:
    """The lower envelope of the cost lines: the least expected cost at each probability-cost.

    A point (FPR, TPR) has the expected cost p FNR + (1 - p) FPR at the probability-cost p (Drummond & Holte
    2006). The envelope consists of the lines of the vertices of the ROC convex hull. The lines of two neighbours
    cross at p = dFPR / (dFPR + dTPR), where d is the difference between the two.
    """
    from polyroc.kernels.curves import upper_hull

    vertices = upper_hull(fpr, tpr)
    fpr, fnr = fpr[vertices], 1.0 - tpr[vertices]
    right, up = np.diff(fpr), -np.diff(fnr)
    p = np.concatenate([[0.0], right / (right + up), [1.0]])
    # At a crossing both lines have the same cost, so the line that starts there serves; p = 1 ends the last line.
    best = np.append(np.arange(len(vertices)), len(vertices) - 1)
    return p, p * fnr[best] + (1.0 - p) * fpr[best]


AUC = measure_of_area("roc")
KINDS: Mapping[str, _Kind] = {
    "roc": _Kind(("false positive rate", "true positive rate"), lambda fpr, tpr, _: (fpr, tpr), AUC),
    "pr": _Kind(
        ("recall", "precision"),
        lambda fpr, tpr, prevalence: (tpr, precision(fpr, tpr, prevalence)),
        measure_of_area("pr"),
    ),
    "det": _Kind(
        ("false positive rate (normal deviate)", "false negative rate (normal deviate)"),
        lambda fpr, tpr, _: det_deviates(fpr, tpr),
        AUC,
    ),
    "cost": _Kind(
        ("probability-cost of the positive class", "normalised expected cost"),
        lambda fpr, tpr, _: cost_envelope(fpr, tpr),
        measure_of_area("cost"),
    ),
}


def is_auc(area: Measure) -> bool:
    """True for the whole area under the ROC curve, not a part or a function of it."""
    return area.curve_area == "roc"


def area_between(x: FloatArray, y: FloatArray, low: float, high: float) -> float:
    """The area under the straight lines between points, for x from low to high; x rises from 0 to 1.

    >>> area_between(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), 0.0, 0.5)
    0.3125
    """
    first, last = np.searchsorted(x, low, "right"), np.searchsorted(x, high)
    inside = slice(first, last)
    u = np.concatenate([[low], x[inside], [high]])
    t = np.concatenate([[_on_segment(x, y, first, low)], y[inside], [_on_segment(x, y, last, high)]])
    return float(np.trapezoid(t, u))


def _on_segment(x: FloatArray, y: FloatArray, end: np.intp, at: float) -> float:
    """The height at `at` on the segment that ends at point `end`; its upper end if the segment is vertical."""
    j = min(int(end), len(x) - 1)
    if x[j] == x[j - 1]:
        return float(y[j])
    return float(y[j - 1] + (y[j] - y[j - 1]) * (at - x[j - 1]) / (x[j] - x[j - 1]))
