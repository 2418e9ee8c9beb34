"""Band: where the curve itself may lie."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Literal, NamedTuple

import numpy as np

from polyroc.curves.binormal_fit import BinormalFit
from polyroc.curves.hull import Hull, RandomisedRule, Vertices, area_between, checked_rate, hull_of, rule_at
from polyroc.errors import InputError
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.results.codec import Record, stored_as
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result, number_text

__all__ = ["Band", "BandKind", "Curve", "CurveKind", "OperatingRates"]


BandKind = Literal["pointwise", "simultaneous"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Record):
    """A confidence band around a curve, in the coordinates in which the curve is drawn.

    Attributes
    ----------
    kind
        "pointwise": at any one place the true curve lies inside with probability `level`. "simultaneous": it
        lies inside everywhere at once with probability `level`.
    method
        How it was made, in words.
    level
        The confidence.
    x, low, high
        Where, from and to: the coordinates of `Curve.x` and `Curve.y`.
    """

    kind: BandKind
    method: str
    level: float
    x: FloatArray
    low: FloatArray
    high: FloatArray

    def __repr__(self) -> str:
        return f"Band({self.kind}, {100 * self.level:g} %, {self.method})"


CurveKind = Literal["roc", "pr", "det", "cost"]
SHOWN = 20  # points in a notebook's table


class OperatingRates(NamedTuple):
    """The rates of one threshold: call a case positive if its score is at least that high."""

    fpr: float
    tpr: float
    threshold: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curve(Result):
    """A curve of one classifier, one point per threshold, from calling nothing to calling everything.

    Attributes
    ----------
    kind
        "roc" (true against false positive rate), "pr" (precision against recall), "det" (false negative against
        false positive rate, both as normal deviates) or "cost" (the least normalised expected cost against the
        probability-cost of the positive class).
    classifier, positive, negative
        Whose scores; the class that is called, and what it is told from.
    fpr, tpr, thresholds
        False and true positive rate of the rule "score at least the threshold", by falling threshold, from
        (0, 0) at infinity to (1, 1). The thresholds of curves averaged at equal rates are nan.
    prevalence
        The share (of weight) of the positive class among the cases.
    band, binormal
        A confidence band and a binormal fit, if they were asked for.
    """

    kind: CurveKind = field(metadata=stored_as("curve"))
    classifier: str
    positive: str
    negative: str
    fpr: FloatArray
    tpr: FloatArray
    thresholds: FloatArray
    prevalence: float
    _area: Callable[[], Estimate]
    band: Band | None = None
    binormal: BinormalFit | None = None

    def __len__(self) -> int:
        return len(self.fpr)

    def __repr__(self) -> str:
        low, high = self.area.confidence_interval()
        ends = f"{number_text(low)} to {number_text(high)}"
        area = f"{self.area.measure} = {number_text(self.area.value)}, 95 % {ends}"
        classes = f"{self.positive} or {self.negative}"
        return f"Curve({self.kind} of {self.classifier}: {classes}, {len(self)} points, {area})"

    @property
    def area(self) -> Estimate:
        """The area as an estimate, made when it is first looked at.

        It is auc for "roc" and "det", average precision for "pr" (the sum of rises of recall times precision, no
        interpolation), and the area under the lower envelope for "cost".
        """
        return self._area()

    @property
    def provenance(self) -> Provenance:
        """What is needed to repeat it."""
        return self.area.provenance

    @property
    def fnr(self) -> FloatArray:
        """The false negative rate, 1 - TPR."""
        return 1.0 - self.tpr

    @property
    def recall(self) -> FloatArray:
        """Another name of the true positive rate."""
        return self.tpr

    @property
    def precision(self) -> FloatArray:
        """The share of positives among the cases called; 1 where none is called."""
        called = self.prevalence * self.tpr + (1.0 - self.prevalence) * self.fpr
        return np.divide(self.prevalence * self.tpr, called, out=np.ones(len(self)), where=called > 0)

    @property
    def x(self) -> FloatArray:
        """The first coordinate of what is drawn."""
        return DRAWN[self.kind].coordinates(self)[0]

    @property
    def y(self) -> FloatArray:
        """The second coordinate of what is drawn."""
        return DRAWN[self.kind].coordinates(self)[1]

    @property
    def axes(self) -> tuple[str, str]:
        """What the two coordinates are called."""
        return DRAWN[self.kind].axes

    def at(self, *, fpr: float | None = None, tpr: float | None = None) -> RandomisedRule:
        """The curve at a false, or a true, positive rate, and the rule that has these rates.

        Between two points the ROC curve is straight, because drawing lots between their thresholds reaches every
        point on the line. (In a precision-recall curve that line is the arc of Davis & Goadrich 2006.)
        """
        return rule_at(self.vertices, fpr, tpr)

    def height(self, rate: float) -> float:
        """How high the curve is at a place on its first axis.

        TPR or FNR at a false positive rate, precision at a recall, cost at a probability-cost. For a DET curve
        both are rates, not normal deviates; precision is that of the straight ROC curve.
        """
        if self.kind == "cost":
            return float(np.interp(checked_rate("probability-cost", rate), self.x, self.y))
        if self.kind != "pr":
            tpr = self.at(fpr=rate).tpr
            return tpr if self.kind == "roc" else 1.0 - tpr
        fpr, found = self.at(tpr=rate).fpr, self.prevalence * rate
        return found / (found + (1.0 - self.prevalence) * fpr) if rate > 0 else float(self.precision[0])

    def nearest(
        self, *, fpr: float | None = None, tpr: float | None = None, threshold: float | None = None
    ) -> OperatingRates:
        """The threshold whose false, or true, positive rate comes nearest; or what a threshold does.

        Of thresholds equally near in one rate, the better in the other is taken.
        """
        if [fpr, tpr, threshold].count(None) != 2:
            raise InputError("nearest takes one of fpr=..., tpr=..., threshold=....")
        if threshold is not None:
            i = self._called_at(threshold)
        elif fpr is not None:
            away = np.abs(self.fpr - checked_rate("fpr", fpr))
            i = len(self) - 1 - int(np.argmin(away[::-1]))
        else:
            i = int(np.argmin(np.abs(self.tpr - checked_rate("tpr", tpr))))
        return OperatingRates(float(self.fpr[i]), float(self.tpr[i]), float(self.thresholds[i]))

    def _called_at(self, threshold: float) -> int:
        """The last point whose threshold is not below this one."""
        if np.isnan(self.thresholds).any() or np.isnan(threshold):
            raise InputError("A curve averaged at equal rates has no thresholds; ask for fpr=... or tpr=....")
        return int(np.searchsorted(-self.thresholds, -threshold, "right")) - 1

    def hull(self) -> Hull:
        """The upper convex hull of the ROC curve, with the rules that reach it."""
        return hull_of([self.vertices])

    def partial_area(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        standardised: bool = True,
    ) -> float:
        """Part of the area under the ROC curve; see the measure `partial_auc`, which also has an error bar.

        Parameters
        ----------
        fpr, tpr
            The range, of one of the two rates.
        standardised
            McClish's: 1/2 for chance, 1 for a perfect curve. Otherwise the bare area.
        """
        if (fpr is None) == (tpr is None):
            raise InputError("partial_area takes a range of fpr or of tpr, one of them, such as fpr=(0, 0.1).")
        low, high = fpr or tpr or (0.0, 1.0)
        if not 0 <= low < high <= 1:
            raise InputError(f"The range must be (low, high), 0 <= low < high <= 1, got {(low, high)}.")
        if fpr is not None:
            area = area_between(self.fpr, self.tpr, low, high)
        else:  # the mirror image
            low, high = 1.0 - high, 1.0 - low
            area = area_between(1.0 - self.tpr[::-1], 1.0 - self.fpr[::-1], low, high)
        chance = (high**2 - low**2) / 2.0
        return 0.5 + 0.5 * (area - chance) / (high - low - chance) if standardised else area

    def thinned(self, points: int = 2000, tolerance: float = 1e-4) -> "Curve":
        """The same curve from fewer of its points, to draw or to store it; the area estimate stays.

        Points are kept evenly along the curve as it is drawn. The area under the kept points differs from that
        under all by no more than `tolerance`: it is measured, and if it does, more points are kept than asked
        for. That is rare: a ROC curve cannot need more than 2 / tolerance, and 10^7 cases need a few hundred.

        Parameters
        ----------
        points
            About how many to keep at most.
        tolerance
            By how much the area may change; for a DET curve that of the ROC curve is meant.
        """
        from polyroc.kernels.curves import (
            thin,  # not above: reading a stored curve needs no compiler
            turning_points,
            upper_hull,
        )

        if points < 2 or not tolerance > 0:
            raise InputError(f"thinned takes 2 or more points and a tolerance > 0, got {points} and {tolerance}.")
        if self.kind == "cost":
            return self._kept(upper_hull(self.fpr, self.tpr))
        curve = self
        if self.kind == "roc" and points < len(self):
            curve = self._kept(np.flatnonzero(turning_points(self.fpr, self.tpr)))
        x, y = (np.clip(axis, -EDGE, EDGE) for axis in (curve.x, curve.y))
        height, base = (curve.precision, curve.recall) if self.kind == "pr" else (curve.tpr, curve.fpr)
        whole = float(np.trapezoid(height, base))
        while points < len(curve):
            kept = thin(x, y, points)
            if abs(float(np.trapezoid(height[kept], base[kept])) - whole) <= tolerance:
                return curve._kept(kept)
            points *= 2
        return curve

    def _kept(self, which: IntArray) -> "Curve":
        return replace(self, fpr=self.fpr[which], tpr=self.tpr[which], thresholds=self.thresholds[which])

    @property
    def vertices(self) -> Vertices:
        """The points as a hull takes them."""
        names = np.broadcast_to(np.array(self.classifier, dtype=object), len(self))
        return Vertices(self.fpr, self.tpr, self.thresholds, names)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - a curve has no intervals
        """One record per point; the band has points of its own."""
        names = ("fpr", "tpr", "threshold", "precision")
        columns = (self.fpr, self.tpr, self.thresholds, self.precision)
        whose = {"classifier": self.classifier, "positive": self.positive, "negative": self.negative}
        points = zip(*(column.tolist() for column in columns), strict=True)
        return [{**whose, **dict(zip(names, point, strict=True))} for point in points]

    def _repr_html_(self) -> str:
        """The curve in a line, and some of its points."""
        from polyroc.kernels.curves import thin

        kept = self._kept(thin(self.fpr, self.tpr, SHOWN))
        return f"<p>{escape(repr(self))}</p>{super(Curve, kept)._repr_html_()}"


EDGE = 5.0  # normal deviates beyond it, rates of 3e-7, are drawn at the edge


class _Drawn(NamedTuple):
    """How a kind of curve is drawn."""

    axes: tuple[str, str]
    coordinates: Callable[[Curve], tuple[FloatArray, FloatArray]]


def _deviates(curve: Curve) -> tuple[FloatArray, FloatArray]:
    from scipy.special import ndtri

    return ndtri(curve.fpr), ndtri(curve.fnr)


def _envelope(curve: Curve) -> tuple[FloatArray, FloatArray]:
    """The lower envelope of the cost lines: a corner of the hull is the best choice between two of its corners.

    A point (FPR, TPR) costs p FNR + (1 - p) FPR at the probability-cost p (Drummond & Holte 2006).
    """
    from polyroc.kernels.curves import upper_hull

    kept = upper_hull(curve.fpr, curve.tpr)
    fpr, fnr = curve.fpr[kept], curve.fnr[kept]
    right, up = np.diff(fpr), -np.diff(fnr)
    p = np.concatenate([[0.0], right / (right + up), [1.0]])
    best = np.append(np.arange(len(kept)), len(kept) - 1)
    return p, p * fnr[best] + (1.0 - p) * fpr[best]


DRAWN: Mapping[str, _Drawn] = {
    "roc": _Drawn(("false positive rate", "true positive rate"), lambda c: (c.fpr, c.tpr)),
    "pr": _Drawn(("recall", "precision"), lambda c: (c.recall, c.precision)),
    "det": _Drawn(("false positive rate (normal deviate)", "false negative rate (normal deviate)"), _deviates),
    "cost": _Drawn(("probability-cost of the positive class", "normalised expected cost"), _envelope),
}
