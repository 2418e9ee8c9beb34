"""The ROC convex hull, and randomised rules that attain points between two operating points."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc._results.invariants import Invariants, ascending, shares
from polyroc._results.result import Result
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.output.numbers import number_text
from polyroc.output.tables import SHOWN_ROWS
from polyroc.validation.signatures import validated

__all__ = ["Hull", "RandomisedRule", "Vertices", "checked_rate", "convex_hull", "rule_at"]


class RandomisedRule(NamedTuple):
    """A rule that chooses at random between two operating points (Scott, Niranjan & Prager 1998).

    Attributes
    ----------
    fpr, tpr
        Its rates.
    classifiers, thresholds
        The two operating points: a case is positive if that classifier's score is at least that threshold.
    probability
        The probability of using the second operating point, else the first; 0 if the first alone has these
        rates.
    """

    fpr: float
    tpr: float
    classifiers: tuple[str, str]
    thresholds: tuple[float, float]
    probability: float


class Vertices(NamedTuple):
    """The points of a curve or a hull, from (0, 0) to (1, 1), and the rules that attain them."""

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    classifiers: npt.NDArray[np.object_]


def rule_at(vertices: Vertices, fpr: float | None, tpr: float | None) -> RandomisedRule:
    """The rule with a false, or a true, positive rate, on straight lines between the points.

    Of several points with the false positive rate it is the highest; with the true positive rate, the leftmost.
    """
    if (fpr is None) == (tpr is None):
        raise InputError(f"Pass either fpr or tpr, got fpr={fpr!r}, tpr={tpr!r}.")
    if tpr is None:
        rate, axis = checked_rate("fpr", fpr), vertices.fpr
        i = first = int(np.searchsorted(axis, rate, "right")) - 1
    else:
        rate, axis = checked_rate("tpr", tpr), vertices.tpr
        i = int(np.searchsorted(axis, rate))
        first = i - 1
    if axis[i] == rate:
        return _mixed(vertices, i, i, 0.0)
    rule = _mixed(vertices, first, first + 1, float((rate - axis[first]) / (axis[first + 1] - axis[first])))
    return rule._replace(fpr=rate) if tpr is None else rule._replace(tpr=rate)


def checked_rate(name: str, rate: object) -> float:
    """The rate as a float; an error if it is not a number between 0 and 1."""
    if not isinstance(rate, int | float | np.number) or not 0 <= rate <= 1:
        raise InputError(f"{name} must be a number between 0 and 1, got {rate!r}.")
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hull(Result):
    """The upper convex hull of one or several ROC curves.

    For every ratio of costs and every prevalence an optimal operating point lies on it (Provost & Fawcett 2001).
    It is selected on the cases that the curves were computed from, so its area is optimistic for new cases.

    Attributes
    ----------
    fpr, tpr, thresholds
        Its vertices, from (0, 0) to (1, 1), and the thresholds that attain them.
    classifiers
        The classifier of each vertex.
    """

    _most_rows: ClassVar[int] = SHOWN_ROWS  # they are points

    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    classifiers: tuple[str, ...]

    def _invariants(self) -> Invariants:
        yield self.fpr.shape == self.tpr.shape == self.thresholds.shape, "lengths must agree"
        yield self.fpr.shape == (len(self.classifiers),), "there must be a classifier for every vertex"
        yield shares(self.fpr) and shares(self.tpr), "rates must be from 0 to 1"
        yield ascending(self.fpr) and ascending(self.tpr), "rates must not fall along the hull"

    @property
    def area(self) -> float:
        """The area under the hull."""
        return float(np.trapezoid(self.tpr, self.fpr))

    def __len__(self) -> int:
        return len(self.fpr)

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(self.classifiers))
        return f"Hull({len(self)} vertices of {names}, area {number_text(self.area)})"

    @validated
    def at(self, *, fpr: float | None = None, tpr: float | None = None) -> RandomisedRule:
        """The rule that attains the hull at a false, or a true, positive rate.

        >>> hull = Hull(np.array([0, 0.2, 1]), np.array([0, 0.8, 1]), np.array([np.inf, 7, 1]), ("a", "a", "b"))
        >>> rule = hull.at(fpr=0.6)
        >>> rule.classifiers, rule.thresholds, round(rule.probability, 3), round(rule.tpr, 3)
        (('a', 'b'), (7.0, 1.0), 0.5, 0.9)
        """
        return rule_at(Vertices(self.fpr, self.tpr, self.thresholds, np.array(self.classifiers, object)), fpr, tpr)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002
        """One record per vertex; a hull has no intervals."""
        columns = (self.classifiers, self.fpr.tolist(), self.tpr.tolist(), self.thresholds.tolist())
        names = ("classifier", "fpr", "tpr", "threshold")
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _derived(self) -> dict[str, Any]:
        return {"area": self.area}


def convex_hull(curves: Iterable[Vertices]) -> Hull:
    """The upper convex hull of several curves together."""
    from polyroc.kernels.curves import upper_hull  # not above: reading a stored hull needs no compiler

    # The hull of each curve first: only its few vertices, not all points, are then sorted together.
    parts = [_subset(curve, upper_hull(curve.fpr, curve.tpr)) for curve in curves]
    vertices = Vertices(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    ordered = _subset(vertices, np.lexsort((vertices.tpr, vertices.fpr)))
    hull = _subset(ordered, upper_hull(ordered.fpr, ordered.tpr))
    return Hull(hull.fpr, hull.tpr, hull.thresholds, tuple(hull.classifiers.tolist()))


def _subset(vertices: Vertices, which: IntArray) -> Vertices:
    fpr, tpr, thresholds, classifiers = vertices
    return Vertices(fpr[which], tpr[which], thresholds[which], classifiers[which])
