"""Results of the verb `curve`: `Curve`, its confidence `Band`, and `Curves`, a family of curves."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from polyroc._results.codec import Record, stored_as
from polyroc._results.invariants import Invariants, ascending, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.curves.binormal import BinormalFit
from polyroc.curves.hull import Hull, RandomisedRule, Vertices, checked_rate, convex_hull, rule_at
from polyroc.curves.points import KINDS, CurveKind, area_between, cost_envelope, precision
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.tables import score_notes
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.output.numbers import interval_text, level_text, number_text
from polyroc.output.tables import Table, record_table
from polyroc.validation.signatures import Probability, validated

__all__ = ["Band", "BandKind", "Curve", "Curves", "FamilyKind", "OperatingRates"]

BandKind = Literal["pointwise", "simultaneous"]
FamilyKind = Literal["classifier", "class", "pair", "fold"]
SHOWN = 20  # points in a notebook's table
COST_ROUNDING = 1e-12  # costs, at most 1/2, that differ by less are equal in exact arithmetic
LARGEST_DEVIATE = 5.0  # rates below 3e-7 are drawn at the edge of a DET curve


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Record):
    """A confidence band of a curve, in the coordinates of the curve.

    Attributes
    ----------
    kind
        "pointwise": at any one x the band contains the true curve with probability `level`. "simultaneous": it
        contains the whole curve with probability `level`.
    method
        How it was computed.
    level
        The confidence level.
    x, low, high
        The limits `low` and `high` of `Curve.y` at values `x` of `Curve.x`.
    """

    kind: BandKind
    method: str
    level: float
    x: FloatArray
    low: FloatArray
    high: FloatArray

    def _invariants(self) -> Invariants:
        yield 0 < self.level < 1, "level must be between 0 and 1"
        yield self.x.shape == self.low.shape == self.high.shape and self.x.ndim == 1, "lengths must agree"
        yield not (self.low > self.high).any(), "low must not be above high"
        yield ascending(self.x), "x must not fall"

    def __repr__(self) -> str:
        return f"Band({self.kind}, {100 * self.level:g} %, {self.method})"


class OperatingRates(NamedTuple):
    """The rates of the rule "positive if the score is at least the threshold"."""

    fpr: float
    tpr: float
    threshold: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curve(Result):
    """A curve of one classifier, one point per threshold, from no case classified as positive to all cases.

    Attributes
    ----------
    kind
        "roc" (true against false positive rate), "pr" (precision against recall), "det" (false negative against
        false positive rate, both as normal deviates) or "cost" (the least normalised expected cost against the
        probability-cost of the positive class).
    classifier, positive, negative
        The names of the classifier, the positive and the negative class.
    fpr, tpr, thresholds
        False and true positive rate of the rule "score at least the threshold", by falling threshold, from
        (0, 0) at infinity to (1, 1). The thresholds of a vertical average over folds are nan.
    prevalence
        The share (of weight) of the positive class among the cases.
    band, binormal
        A confidence band and a binormal fit, if requested.
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

    def _invariants(self) -> Invariants:
        yield (
            self.fpr.shape == self.tpr.shape == self.thresholds.shape and self.fpr.ndim == 1,
            "lengths must agree",
        )
        yield len(self.fpr) > 0 and shares(self.fpr) and shares(self.tpr), "rates must be from 0 to 1"
        yield ascending(self.fpr) and ascending(self.tpr), "rates must not fall along the curve"
        yield ascending(-self.thresholds), "thresholds must not rise along the curve"
        yield shares(self.prevalence), "prevalence must be from 0 to 1"
        if self.band is not None and self.kind != "det":  # its axes are normal deviates
            axes = (self.band.x, self.band.low, self.band.high)
            yield all(map(shares, axes)), "the rates of a band must be from 0 to 1"

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
        """The area as an estimate, computed when it is first used.

        It is the AUC for "roc" and "det", average precision for "pr" (the sum of increases of recall times
        precision, not interpolated), and the area under the lower envelope for "cost".
        """
        return self._area()

    @property
    def provenance(self) -> Provenance:
        """What is needed to reproduce it."""
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
        """The share of positives among the cases classified as positive; 1 where there are none."""
        return precision(self.fpr, self.tpr, self.prevalence)

    @property
    def x(self) -> FloatArray:
        """The first coordinate of the curve as drawn."""
        return self._coordinates()[0]

    @property
    def y(self) -> FloatArray:
        """The second coordinate of the curve as drawn."""
        return self._coordinates()[1]

    def _coordinates(self) -> tuple[FloatArray, FloatArray]:
        return KINDS[self.kind].coordinates(self.fpr, self.tpr, self.prevalence)

    @property
    def axes(self) -> tuple[str, str]:
        """The names of the two axes."""
        return KINDS[self.kind].axes

    @validated
    def at(self, *, fpr: float | None = None, tpr: float | None = None) -> RandomisedRule:
        """The rule on the curve with a false, or a true, positive rate.

        Between two points the ROC curve is straight, because a random choice between their thresholds attains
        every point of the line. (In a precision-recall curve that line is the arc of Davis & Goadrich 2006.)
        """
        return rule_at(self.vertices, fpr, tpr)

    @validated
    def height(self, rate: Probability) -> float:
        """The height of the curve at a value of its first axis.

        TPR or FNR at a false positive rate, precision at a recall, cost at a probability-cost. For a DET curve
        both are rates, not normal deviates; precision is that of the ROC curve with straight lines.
        """
        if self.kind == "cost":
            return float(np.interp(checked_rate("probability-cost", rate), self.x, self.y))
        if self.kind != "pr":
            tpr = self.at(fpr=rate).tpr
            return tpr if self.kind == "roc" else 1.0 - tpr
        fpr, true_positives = self.at(tpr=rate).fpr, self.prevalence * rate
        if rate == 0:
            return float(self.precision[0])
        return true_positives / (true_positives + (1.0 - self.prevalence) * fpr)

    @validated
    def nearest(
        self, *, fpr: float | None = None, tpr: float | None = None, threshold: float | None = None
    ) -> OperatingRates:
        """The threshold whose false, or true, positive rate is nearest to a value; or the rates of a threshold.

        Of thresholds equally near in one rate, the one that is better in the other is returned.
        """
        if [fpr, tpr, threshold].count(None) != 2:
            raise InputError("Pass exactly one of fpr, tpr and threshold.")
        if threshold is not None:
            i = self._index_of(threshold)
        elif fpr is not None:
            distance = np.abs(self.fpr - checked_rate("fpr", fpr))
            i = len(self) - 1 - int(np.argmin(distance[::-1]))  # the last of equals has the highest TPR
        else:
            i = int(np.argmin(np.abs(self.tpr - checked_rate("tpr", tpr))))
        return OperatingRates(float(self.fpr[i]), float(self.tpr[i]), float(self.thresholds[i]))

    def _index_of(self, threshold: float) -> int:
        """The last point whose threshold is not below this one."""
        if np.isnan(self.thresholds).any() or np.isnan(threshold):
            raise InputError("A vertical average over folds has no thresholds; pass fpr or tpr.")
        return int(np.searchsorted(-self.thresholds, -threshold, "right")) - 1

    def hull(self) -> Hull:
        """The upper convex hull of the ROC curve, with the rules that attain it."""
        return convex_hull([self.vertices])

    @validated
    def partial_area(
        self,
        *,
        fpr: tuple[float, float] | None = None,
        tpr: tuple[float, float] | None = None,
        standardised: bool = True,
    ) -> float:
        """Part of the area under the ROC curve; see the measure `partial_auc` for its standard error.

        Parameters
        ----------
        fpr, tpr
            The range, of one of the two rates.
        standardised
            McClish's standardisation: 1/2 for chance, 1 for a perfect curve. Otherwise the area itself.
        """
        if (fpr is None) == (tpr is None):
            raise InputError("Pass a range of either fpr or tpr, such as fpr=(0, 0.1).")
        low, high = cast("tuple[float, float]", tpr if fpr is None else fpr)
        if not 0 <= low < high <= 1:
            name = "tpr" if fpr is None else "fpr"
            raise InputError(f"{name} must be (low, high), 0 <= low < high <= 1, got {(low, high)}.")
        if fpr is not None:
            area = area_between(self.fpr, self.tpr, low, high)
        else:  # exchanging the classes maps (FPR, TPR) to (1 - TPR, 1 - FPR)
            low, high = 1.0 - high, 1.0 - low
            area = area_between(1.0 - self.tpr[::-1], 1.0 - self.fpr[::-1], low, high)
        chance = (high**2 - low**2) / 2.0
        return 0.5 + 0.5 * (area - chance) / (high - low - chance) if standardised else area

    @validated
    def thinned(self, points: int = 2000, tolerance: float = 1e-4) -> "Curve":
        """The same curve with fewer points, to draw or to store it; the area estimate is unchanged.

        Points are kept evenly along the curve as it is drawn. The area under the kept points differs from that
        under all points by at most `tolerance`; where it would not, more than `points` points are kept. That is
        rare: a ROC curve never needs more than 2 / tolerance, and 10^7 cases need a few hundred.

        Parameters
        ----------
        points
            The number of points to keep, approximately.
        tolerance
            The largest change of the area; for a DET curve, of the area under the ROC curve.
        """
        # Imported here because reading a stored curve needs no compiler.
        from polyroc.kernels.curves import thin, turning_points, upper_hull

        if points < 2 or not tolerance > 0:
            raise InputError(f"points must be at least 2 and tolerance positive, got {points} and {tolerance}.")
        if self.kind == "cost":
            return self._subset(upper_hull(self.fpr, self.tpr))
        curve = self
        if self.kind == "roc" and points < len(self):
            curve = self._subset(np.flatnonzero(turning_points(self.fpr, self.tpr)))
        x, y = (np.clip(axis, -LARGEST_DEVIATE, LARGEST_DEVIATE) for axis in (curve.x, curve.y))
        height, base = (curve.precision, curve.recall) if self.kind == "pr" else (curve.tpr, curve.fpr)
        area = float(np.trapezoid(height, base))
        while points < len(curve):
            kept = thin(x, y, points)
            if abs(float(np.trapezoid(height[kept], base[kept])) - area) <= tolerance:
                return curve._subset(kept)
            points *= 2
        return curve

    def _subset(self, which: IntArray) -> "Curve":
        return replace(self, fpr=self.fpr[which], tpr=self.tpr[which], thresholds=self.thresholds[which])

    @property
    def vertices(self) -> Vertices:
        """The points with the classifier of each, from which hulls are computed."""
        names = np.broadcast_to(np.array(self.classifier, dtype=object), len(self))
        return Vertices(self.fpr, self.tpr, self.thresholds, names)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - a curve has no intervals
        """One record per point; the band has points of its own."""
        names = ("fpr", "tpr", "threshold", "precision")
        columns = (self.fpr, self.tpr, self.thresholds, self.precision)
        names_of_curve = {"classifier": self.classifier, "positive": self.positive, "negative": self.negative}
        points = zip(*(column.tolist() for column in columns), strict=True)
        return [{**names_of_curve, **dict(zip(names, point, strict=True))} for point in points]

    def to_table(self, level: float = 0.95) -> Table:
        """Some of the points, below the `repr`."""
        from polyroc.kernels.curves import thin

        shown = self._subset(thin(self.fpr, self.tpr, SHOWN))
        return record_table(shown.rows(level), repr(self), score_notes([self.area], level))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curves(Result, Mapping[str, Curve]):
    """A family of curves: by classifier, by class against the rest, by ordered pair of classes, or by fold.

    Attributes
    ----------
    by
        "classifier", "class", "pair" or "fold".
    curves
        By the name of the classifier, the class, the pair ("A(i|j)": class i against class j by column i) or the
        fold; with several classifiers and many classes, by "classifier: class".
    whole
        For many classes: by classifier, the measure whose parts are the areas (ova or hand_till).
    """

    by: FamilyKind
    curves: Mapping[str, Curve]
    whole: Mapping[str, Estimate]

    def __getitem__(self, key: str) -> Curve:
        return self.curves[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    def __repr__(self) -> str:
        shown = [f"{key} {number_text(curve.area.value)}" for key, curve in list(self.curves.items())[:6]]
        more = ", ..." if len(self) > 6 else ""
        return f"Curves({self.kind} by {self.by}: {', '.join(shown)}{more})"

    @property
    def kind(self) -> str:
        """The kind of every curve."""
        return next(iter(self.curves.values())).kind

    @property
    def areas(self) -> dict[str, Estimate]:
        """The area of each curve."""
        return {key: curve.area for key, curve in self.curves.items()}

    def hull(self) -> Hull:
        """The upper convex hull of all classifiers: which classifier, or which two at random, is best where."""
        if self.by != "classifier":
            raise NotApplicableError(
                f"A common convex hull is defined for classifiers of the same classes, not for curves by "
                f"{self.by}; use the hull() of each curve."
            )
        return convex_hull(curve.vertices for curve in self.curves.values())

    @validated
    def lc_index(
        self,
        first: str,
        second: str,
        *,
        low: Probability = 0.0,
        likely: Probability = 0.5,
        high: Probability = 1.0,
    ) -> float:
        """Compare two classifiers over a range of costs: the LC index of Adams & Hand.

        It is the probability that the first has the lower expected cost, each at its best threshold, less the
        probability that the second has: from -1 to 1. The unknown cost is the share of a false negative in the
        costs of both errors, with a triangular distribution; the classes are as frequent as in the data.

        Parameters
        ----------
        first, second
            Two classifiers.
        low, likely, high
            The least, the most likely and the largest share.

        References
        ----------
        Adams & Hand, Pattern Recognition 32 (1999) 1139-1147.

        Examples
        --------
        >>> from polyroc import curve
        >>> y = [0, 0, 0, 1, 1, 1]
        >>> curves = curve(y, {"a": [1, 2, 5, 3, 6, 7], "b": [2, 3, 4, 1, 5, 6]})
        >>> round(curves.lc_index("a", "b"), 4), round(curves.lc_index("a", "b", low=0.5, likely=0.6), 4)
        (0.5, 1.0)
        """
        if self.by != "classifier" or not {first, second} <= {*self.curves} or not low <= likely <= high > low:
            raise InputError(
                f"lc_index needs two of the classifiers {list(self.curves)}, not curves by {self.by}, and shares "
                f"low <= likely <= high, low < high; got {first!r}, {second!r}, {low:g}, {likely:g} and {high:g}."
            )
        from scipy.stats import triang

        a, b = (cost_envelope(curve.fpr, curve.tpr) for curve in (self.curves[first], self.curves[second]))
        p = np.union1d(a[0], b[0])
        gap = np.interp(p, *b) - np.interp(p, *a)
        k = np.flatnonzero(gap[:-1] * gap[1:] < 0)  # the envelopes, straight between these, cross
        p = np.union1d(p, p[k] + (p[k + 1] - p[k]) * gap[k] / (gap[k] - gap[k + 1]))
        gap = np.interp((p[:-1] + p[1:]) / 2.0, *b) - np.interp((p[:-1] + p[1:]) / 2.0, *a)
        odds = 1.0 / self.curves[first].prevalence - 1.0
        share = p * odds / (p * odds + 1.0 - p)
        weight = np.diff(triang.cdf(share, (likely - low) / (high - low), low, high - low))
        return float(weight @ np.where(np.abs(gap) > COST_ROUNDING, np.sign(gap), 0.0))

    @validated
    def thinned(self, points: int = 2000, tolerance: float = 1e-4) -> "Curves":
        """Every curve with fewer points; see `Curve.thinned`."""
        fewer = {key: curve.thinned(points, tolerance) for key, curve in self.curves.items()}
        return Curves(self.by, fewer, self.whole)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per point of each curve."""
        return [{self.by: key, **row} for key, curve in self.curves.items() for row in curve.rows(level)]

    def to_table(self, level: float = 0.95) -> Table:
        """A row per curve: the classes and the area."""
        interval = f"{level_text(level)} interval"
        rows = [
            {
                self.by: key,
                "of": f"{curve.positive} or {curve.negative}",
                "points": str(len(curve)),
                "value": number_text(curve.area.value),
                "std. error": curve.area.error_text,
                interval: interval_text(curve.area.confidence_interval(level)),
            }
            for key, curve in self.curves.items()
        ]
        return Table.of("", rows, score_notes(self.areas.values() if self.by == "classifier" else (), level))
