"""ROC convex hull: what thresholds, and randomised classifiers between them, attain at best."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.results.numbers import restored, stored
from polyroc.results.places import RandomisedRule, Vertices, rule_at
from polyroc.results.result import SCHEMA, Result, number_text

__all__ = ["Hull", "hull_of"]


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

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "Hull",
            "area": self.area,
            "fpr": self.fpr.tolist(),
            "tpr": self.tpr.tolist(),
            "thresholds": stored(self.thresholds),
            "classifiers": list(self.classifiers),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        rates = np.array(data["fpr"]), np.array(data["tpr"])
        return cls(*rates, restored(data["thresholds"]), tuple(data["classifiers"]))


def hull_of(curves: Iterable[Vertices]) -> Hull:
    """The hull of several curves: each is cut to its own first, so that only corners are sorted."""
    from polyroc.kernels.tracing import upper_hull  # not above: reading a stored hull needs no compiler

    corners = [_kept(each, upper_hull(each.fpr, each.tpr)) for each in curves]
    fpr, tpr, thresholds = (np.concatenate([each[axis] for each in corners]) for axis in range(3))
    every = Vertices(fpr, tpr, thresholds, np.concatenate([each.classifiers for each in corners]))
    ranked = _kept(every, np.lexsort((tpr, fpr)))
    best = _kept(ranked, upper_hull(ranked.fpr, ranked.tpr))
    return Hull(best.fpr, best.tpr, best.thresholds, tuple(best.classifiers.tolist()))


def _kept(v: Vertices, which: IntArray) -> Vertices:
    return Vertices(v.fpr[which], v.tpr[which], v.thresholds[which], v.classifiers[which])
