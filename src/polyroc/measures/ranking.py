"""Measures of a ranking score for two classes: areas under the ROC curve, whole and in part."""

from typing import Any

import numpy as np

from polyroc.errors import MeasureError
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.kernels.merging import area, counts_below, placements
from polyroc.measures.measure import Measure, always
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic, Strata, Stratum

__all__ = ["RANKING", "auc", "gini", "partial_auc"]


class _TwoClasses:
    """Which class is positive, and which column of the scores speaks for it."""

    def __init__(self, sample: Sample) -> None:
        assert sample.positive is not None
        self.sample, self.positive, self.negative = sample, sample.positive, 1 - sample.positive
        self.column = sample.positive if sample.values.ndim == 2 else 0

    def scores(self, k: int) -> FloatArray:
        return self.sample.sorted(k, self.column)

    def weights(self, k: int) -> FloatArray | None:
        return self.sample.weights(k, self.column)

    def mass(self, k: int) -> FloatArray | None:
        return self.sample.mass(k, self.column)

    def stratum(self, k: int, components: FloatArray) -> Stratum:
        """Components in the order of the sorted scores; the argsort that finds the cases waits until asked."""
        return Stratum(components, lambda: self.sample.sorted_cases(k, self.column))


def auc(sample: Sample) -> Statistic:
    """Area under the ROC curve: the share of (positive, negative) pairs ranked rightly, ties one half.

    Its components are the placement values: the share of negatives below a positive, of positives above a
    negative (Hanley & McNeil 1982; DeLong et al. 1988).
    """
    two = _TwoClasses(sample)
    x, z = two.scores(two.positive), two.scores(two.negative)
    value = area(x, z, two.weights(two.positive), two.mass(two.negative))

    def strata() -> Strata:
        above = placements(x, z, two.mass(two.negative))
        below = 1.0 - placements(z, x, two.mass(two.positive))
        return two.stratum(two.positive, above), two.stratum(two.negative, below)

    return Statistic(value, strata)


def gini(sample: Sample) -> Statistic:
    """Gini coefficient, 2 AUC - 1."""
    base = auc(sample)
    return Statistic(
        2.0 * base.value - 1.0,
        lambda: tuple(Stratum(2.0 * s.components - 1.0, s.cases) for s in base.strata()),
    )


def partial_auc(
    sample: Sample,
    fpr: tuple[float, float] | None = (0.0, 0.1),
    tpr: tuple[float, float] | None = None,
    standardised: bool = True,
) -> Statistic:
    """Part of the area: over a range of false positive rates, or of true positive rates.

    Over FPR in [a, b] it is the area between the curve and the axis; over TPR in [a, b] the area between the
    curve and the right side, the integral of (1 - FPR) dTPR. Inside a block of ties the curve is straight.
    Standardised (McClish 1989) it is 1/2 + 1/2 (area - chance) / (largest area - chance): chance is 1/2, a
    perfect curve 1.
    """
    low, high = _checked_range(fpr, tpr)
    two = _TwoClasses(sample)
    x, z = two.positive, two.negative
    turned = tpr is not None
    if turned:  # the mirror image: exchange the classes, turn the scores round
        x, z, low, high = z, x, 1.0 - high, 1.0 - low
    scale, shift = _mcclish(low, high) if standardised else (1.0, 0.0)
    above, height = _partial_components(_Run(two, x, turned), _Run(two, z, turned), low, high)
    value = float(np.average(above, weights=two.weights(x)))

    def strata() -> Strata:
        return two.stratum(x, shift + scale * above), two.stratum(z, shift + scale * height)

    return Statistic(shift + scale * value, strata)


def _mcclish(low: float, high: float) -> tuple[float, float]:
    """Scale and shift that carry the chance area over low .. high to 1/2 and the largest area to 1."""
    chance = (high**2 - low**2) / 2.0
    scale = 0.5 / (high - low - chance)
    return scale, 0.5 - scale * chance


def _partial_range(_: int, fpr: Any, tpr: Any, standardised: bool) -> tuple[float, float]:
    """Raw: from 0 to the length of the range. Standardised: a curve below chance may end far below 0."""
    low, high = _checked_range(fpr, tpr)
    if not standardised:
        return 0.0, high - low
    worst = (_mcclish(low, high) if tpr is None else _mcclish(1.0 - high, 1.0 - low))[1]
    return worst, 1.0


def _partial_chance(_: int, fpr: Any, tpr: Any, standardised: bool) -> float:
    low, high = _checked_range(fpr, tpr)
    under = (high**2 - low**2) / 2.0
    return 0.5 if standardised else under if tpr is None else high - low - under


def _checked_range(fpr: Any, tpr: Any) -> tuple[float, float]:
    name, given = ("fpr", fpr) if tpr is None else ("tpr", tpr)
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        raise MeasureError(f"partial_auc needs a range such as {name}=(0, 0.1), got {given!r}.") from None
    if fpr is not None and tpr is not None:
        raise MeasureError(f"partial_auc takes a range of fpr or of tpr, got both ({fpr!r} and {tpr!r}).")
    if not 0 <= low < high <= 1:
        raise MeasureError(f"partial_auc: {name} must be (low, high), 0 <= low < high <= 1, got {given!r}.")
    return low, high


class _Run:
    """The sorted scores of a class, turned round if need be, and the share of the class beyond each."""

    def __init__(self, two: _TwoClasses, k: int, turned: bool) -> None:
        scores, mass = two.scores(k), two.mass(k)
        if mass is None:
            mass = np.arange(len(scores) + 1, dtype=np.float64)
        self.step = -1 if turned else 1
        self.scores = -scores[::-1] if turned else scores
        self.beyond = mass[::-1] / mass[-1] if turned else (mass[-1] - mass) / mass[-1]

    def passed(self, at: "_Run") -> tuple[FloatArray, FloatArray]:
        """For each score of a run, the share of this class beyond it, without and with its ties."""
        below, up_to = counts_below(at.scores, self.scores)
        return self.beyond[up_to], self.beyond[below]


def _partial_components(x: _Run, z: _Run, low: float, high: float) -> tuple[FloatArray, FloatArray]:
    """Components of the area over low .. high, the share of z passed on the axis, that of x as the height.

    An x contributes the length of [low, high] beyond its own place on the axis. A z contributes the height of
    the curve at its place, held inside [low, high]: the scores that bound the range are estimated too, and move
    with each z (Dodd & Pepe 2003). Ties share a stretch of the axis, on which the curve is straight.
    """
    above = high - _mean_held(*z.passed(x), low, high)
    start, end = z.passed(z)
    foot, top = x.passed(z)
    slope = np.divide(top - foot, end - start, out=np.zeros(len(foot)), where=end > start)

    def curve_at(place: float, inside: BoolArray) -> float:
        i = int(np.argmax(inside))
        return float(foot[i] + slope[i] * (place - start[i]))

    straight = foot + slope * (_mean_held(start, end, low, high) - start)
    height = np.where(end > start, straight, (foot + top) / 2.0)
    height[(end <= low) & (start < low)] = curve_at(low, (start <= low) & (low < end))
    height[(start >= high) & (end > high)] = curve_at(high, (start < high) & (high <= end))
    return above[:: x.step], height[:: z.step]


def _mean_held(start: FloatArray, end: FloatArray, low: float, high: float) -> FloatArray:
    """The mean over [start, end] of a number held inside [low, high]; at a single point, the point held."""
    first, last = np.clip(start, low, high), np.clip(end, low, high)
    outside = low * (np.minimum(end, low) - np.minimum(start, low))
    outside += high * (np.maximum(end, high) - np.maximum(start, high))
    whole = outside + (last - first) * (first + last) / 2.0
    return np.divide(whole, end - start, out=first, where=end > start)


RANKING = (
    Measure(
        key="auc",
        name="area under the ROC curve",
        symbol="AUC",
        needs="score",
        classes=(2, 2),
        range=always((0.0, 1.0)),
        chance=always(0.5),
        paper="Bradley (1997); Hanley & McNeil (1982)",
        compute=auc,
        symmetric=False,
    ),
    Measure(
        key="gini",
        name="Gini coefficient",
        symbol="2 AUC - 1",
        needs="score",
        classes=(2, 2),
        range=always((-1.0, 1.0)),
        chance=always(0.0),
        paper="Hand & Till (2001)",
        compute=gini,
        symmetric=False,
    ),
    Measure(
        key="partial_auc",
        name="partial area under the ROC curve",
        symbol="pAUC",
        needs="score",
        classes=(2, 2),
        range=_partial_range,
        chance=_partial_chance,
        paper="McClish (1989); Dodd & Pepe (2003)",
        compute=partial_auc,
        options={"fpr": (0.0, 0.1), "tpr": None, "standardised": True},
        either=("fpr", "tpr"),
        symmetric=False,
    ),
)
