"""Places on a ROC curve, between two of its points too, and the rule that reaches them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray

__all__ = ["RandomisedRule", "Vertices", "area_between", "checked_rate", "rule_at"]


class RandomisedRule(NamedTuple):
    """A rule that reaches a point between two operating points by drawing lots (Scott, Niranjan & Prager 1998).

    Attributes
    ----------
    fpr, tpr
        The rates it has.
    classifiers, thresholds
        Two ways to decide: call a case positive if that classifier's score is at least that threshold.
    probability
        With this probability a case is decided by the second way, else by the first; 0 if the first alone
        reaches the point.
    """

    fpr: float
    tpr: float
    classifiers: tuple[str, str]
    thresholds: tuple[float, float]
    probability: float


class Vertices(NamedTuple):
    """The points of a curve or a hull, from (0, 0) to (1, 1), and what reaches them."""

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    classifiers: npt.NDArray[np.object_]


def rule_at(vertices: Vertices, fpr: float | None, tpr: float | None) -> RandomisedRule:
    """The rule with this false, or this true, positive rate, on straight lines between the points.

    Where the curve is upright the highest point with the false positive rate counts; where it is level, the
    leftmost with the true positive rate.
    """
    if (fpr is None) == (tpr is None):
        raise InputError(f"Ask for a place by fpr=... or by tpr=..., one of them; got fpr={fpr!r}, tpr={tpr!r}.")
    if tpr is None:
        rate, along = checked_rate("fpr", fpr), vertices.fpr
        i = first = int(np.searchsorted(along, rate, "right")) - 1
    else:
        rate, along = checked_rate("tpr", tpr), vertices.tpr
        i = int(np.searchsorted(along, rate))
        first = i - 1
    if along[i] == rate:
        return _mixed(vertices, i, i, 0.0)
    rule = _mixed(vertices, first, first + 1, float((rate - along[first]) / (along[first + 1] - along[first])))
    return rule._replace(fpr=rate) if tpr is None else rule._replace(tpr=rate)


def checked_rate(name: str, rate: object) -> float:
    """The rate, if it is one."""
    if not isinstance(rate, int | float | np.number) or not 0 <= rate <= 1:
        raise InputError(f"{name} must be a rate between 0 and 1, got {rate!r}.")
    return float(rate)


def _mixed(vertices: Vertices, i: int, j: int, share: float) -> RandomisedRule:
    fpr, tpr, thresholds, names = vertices
    return RandomisedRule(
        float(fpr[i] + share * (fpr[j] - fpr[i])),
        float(tpr[i] + share * (tpr[j] - tpr[i])),
        (names[i], names[j]),
        (float(thresholds[i]), float(thresholds[j])),
        share,
    )


def area_between(x: FloatArray, y: FloatArray, low: float, high: float) -> float:
    """The area under the straight lines between points, over low .. high of x, which rises from 0 to 1.

    >>> area_between(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), 0.0, 0.5)
    0.3125
    """
    first, last = np.searchsorted(x, low, "right"), np.searchsorted(x, high)
    inside = slice(first, last)
    u = np.concatenate([[low], x[inside], [high]])
    t = np.concatenate([[_on_segment(x, y, first, low)], y[inside], [_on_segment(x, y, last, high)]])
    return float(np.trapezoid(t, u))


def _on_segment(x: FloatArray, y: FloatArray, end: np.intp, at: float) -> float:
    """The height at a place on the line that ends at a point."""
    j = min(int(end), len(x) - 1)
    if x[j] == x[j - 1]:
        return float(y[j])
    return float(y[j - 1] + (y[j] - y[j - 1]) * (at - x[j - 1]) / (x[j] - x[j - 1]))
