"""Places on a ROC curve, between two of its points too, and the rule that reaches them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.results.result import Result, number_text

__all__ = ["Hull", "RandomisedRule", "Vertices", "area_between", "checked_rate", "hull_of", "rule_at"]


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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hull(Result):
    """The upper convex hull of one or several ROC curves.

    No costs and no class shares have their optimum below it (Provost & Fawcett 2001). It is chosen on the same
    cases as the curves are made of, so its area is optimistic for new cases.

    Attributes
    ----------
    fpr, tpr, thresholds
        Its corners, from (0, 0) to (1, 1), and the thresholds that reach them.
    classifiers
        Whose threshold each corner is.
    """

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    classifiers: tuple[str, ...]

    @property
    def area(self) -> float:
        """The area under the hull."""
        return float(np.trapezoid(self.tpr, self.fpr))

    def __len__(self) -> int:
        return len(self.fpr)

    def __repr__(self) -> str:
        whose = ", ".join(dict.fromkeys(self.classifiers))
        return f"Hull({len(self)} corners of {whose}, area {number_text(self.area)})"

    def at(self, *, fpr: float | None = None, tpr: float | None = None) -> RandomisedRule:
        """The rule that reaches the hull at a false, or a true, positive rate.

        >>> hull = Hull(np.array([0, 0.2, 1]), np.array([0, 0.8, 1]), np.array([np.inf, 7, 1]), ("a", "a", "b"))
        >>> rule = hull.at(fpr=0.6)
        >>> rule.classifiers, rule.thresholds, round(rule.probability, 3), round(rule.tpr, 3)
        (('a', 'b'), (7.0, 1.0), 0.5, 0.9)
        """
        return rule_at(Vertices(self.fpr, self.tpr, self.thresholds, np.array(self.classifiers, object)), fpr, tpr)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002
        """One record per corner; a hull has no intervals."""
        columns = (self.classifiers, self.fpr.tolist(), self.tpr.tolist(), self.thresholds.tolist())
        names = ("classifier", "fpr", "tpr", "threshold")
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _derived(self) -> dict[str, Any]:
        return {"area": self.area}


def hull_of(curves: Iterable[Vertices]) -> Hull:
    """The hull of several curves: each is cut to its own first, so that only corners are sorted."""
    from polyroc.kernels.curves import upper_hull  # not above: reading a stored hull needs no compiler

    corners = [_kept(each, upper_hull(each.fpr, each.tpr)) for each in curves]
    fpr, tpr, thresholds = (np.concatenate([each[axis] for each in corners]) for axis in range(3))
    every = Vertices(fpr, tpr, thresholds, np.concatenate([each.classifiers for each in corners]))
    ranked = _kept(every, np.lexsort((tpr, fpr)))
    best = _kept(ranked, upper_hull(ranked.fpr, ranked.tpr))
    return Hull(best.fpr, best.tpr, best.thresholds, tuple(best.classifiers.tolist()))


def _kept(v: Vertices, which: IntArray) -> Vertices:
    return Vertices(v.fpr[which], v.tpr[which], v.thresholds[which], v.classifiers[which])
