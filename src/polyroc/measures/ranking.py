"""Measures of a ranking score for two classes: areas under the ROC curve, whole and in part."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from polyroc.errors import MeasureError
from polyroc.estimates.boundary import QUANTILES, Boundary
from polyroc.estimates.intervals import ROUNDING_ERROR
from polyroc.estimates.order_statistics import wilson_limits
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.placements import area, counts_below, placements
from polyroc.measures.measure import AreaForm, Measure, always
from polyroc.measures.sample import MANY, Sample
from polyroc.measures.statistic import Errors, Statistic, Strata, Stratum
from polyroc.measures.sweep import Sweep
from polyroc.measures.tuple_outcomes import Outcomes, PairOutcomes
from polyroc.messages import short_repr

__all__ = ["RANKING", "auc", "gini", "partial_auc", "positive_highest"]


class _TwoClasses:
    """Which class is positive, and which column of the scores indicates it."""

    def __init__(self, sample: Sample) -> None:
        assert sample.positive is not None
        self.sample, self.positive, self.negative = sample, sample.positive, 1 - sample.positive
        self.column = 0 if sample.scores.kind == "score" else sample.positive

    def scores(self, k: int) -> FloatArray:
        return self.sample.sorted(k, self.column)

    def weights(self, k: int) -> FloatArray | None:
        return self.sample.weights(k, self.column)

    def mass(self, k: int) -> FloatArray | None:
        return self.sample.mass(k, self.column)

    def cases_per_score(self, k: int) -> FloatArray | None:
        """How many cases with a weight each of the sorted scores stands for; None: one each."""
        binned, weights = self.sample.binned_cases(k), self.weights(k)
        if binned is not None or weights is None:
            return binned
        return (weights > 0).astype(np.float64)

    def strata(self, x: FloatArray, z: FloatArray) -> Strata:
        """The placement values without weights, of the sorted scores of the positive and the negative class."""
        above, below = placements(x, z, None), 1.0 - placements(z, x, None)
        return self.stratum(self.positive, above), self.stratum(self.negative, below)

    def stratum(self, k: int, components: FloatArray, reach: float | None = None) -> Stratum:
        """Components in the order of the sorted scores; their cases need an argsort, on demand."""
        return Stratum(components, lambda: self.sample.sorted_cases(k, self.column), reach)


def auc(sample: Sample) -> Statistic:
    """Area under the ROC curve: the share of (positive, negative) pairs ranked rightly, ties one half.

    Its components are the placement values: the share of negatives below a positive, of positives above a
    negative (Hanley & McNeil 1982; DeLong et al. 1988).
    """
    two = _TwoClasses(sample)
    if sample.weight is None:
        if sample.cases_wanted and len(sample.scores) >= MANY:
            _ = sample.all_orders, sample.all_sorted  # argsorted first, they need no sort
        x, z = sample.sorted(two.positive, two.column), sample.sorted(two.negative, two.column)
        return Statistic(area(x, z, None, None), lambda: two.strata(x, z))
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
    curve and the right side, the integral of (1 - FPR) dTPR. Inside a block of ties the curve is straight. The
    components of the class on the axis are jackknife pseudo-values, those of the other class the lengths of the
    range beyond each case (Dodd & Pepe 2003); of both the weighted mean is the value. Standardised (McClish 1989)
    it is 1/2 + 1/2 (area - chance) / (largest area - chance): chance is 1/2, a perfect curve 1.
    """
    low, high = _checked_range(fpr, tpr)
    if not isinstance(standardised, bool | np.bool_):
        raise MeasureError(f"standardised must be True or False, got {short_repr(standardised)}.")
    two = _TwoClasses(sample)
    x, z = two.positive, two.negative
    turned = tpr is not None
    if turned:  # the mirror image: exchange the classes, turn the scores round
        x, z, low, high = z, x, 1.0 - high, 1.0 - low
    scale, shift = _mcclish(low, high) if standardised else (1.0, 0.0)
    runs = _Run(two, x, turned), _Run(two, z, turned)
    above = _lengths_beyond(*runs, low, high)
    value = float(np.average(above, weights=two.weights(x)))

    @cache
    def strata() -> Strata:
        height = _Staircase(*runs).pseudo_values(low, high)[:: runs[1].step]
        # only cases inside the range move the value, each by a height of up to 1: n (high - low) effective cases
        return two.stratum(x, shift + scale * above), two.stratum(z, shift + scale * height, reach=scale)

    result, limits = shift + scale * value, _partial_range(2, fpr, tpr, bool(standardised))

    def boundary(errors: Errors) -> Boundary:
        sweep = Sweep(sample)
        points = (1.0 - sweep.tpr[::-1], 1.0 - sweep.fpr[::-1]) if turned else (sweep.fpr, sweep.tpr)
        height, length = min(value / (high - low), 1.0), scale * (high - low)
        of_x, of_z = strata()
        variance = errors.variance((of_x,)) / length**2
        m = height * (1.0 - height) / variance if variance > ROUNDING_ERROR**2 else errors.units(of_x)
        heights = _lowest_heights(points, (low, high), height, m, errors.units(of_z))
        ends = np.minimum(shift + length * heights, result).tolist()
        return Boundary(result, 0.0, 0.0, limits=limits, ends=(tuple(ends), (result,) * len(ends)))

    return Statistic(result, strata, boundary=boundary)


def _lowest_heights(
    points: tuple[FloatArray, FloatArray], between: tuple[float, float], height: float, m: float, n: float
) -> FloatArray:
    """Return lower limits, at `QUANTILES`, of the mean height of a curve over a range of its first axis.

    The scores at the ends of the range are quantiles of n cases. If the curve starts flat and rises behind the
    range, the value is large whenever a quantile happens to be too low; the cases in the range do not show it,
    because most of them have the height 0. Where the share u of the n cases is observed, the true share is at most
    the quantile v of the beta distribution with parameters n u and n (1 - u) + 1. The lower limit therefore takes
    the mean height up to u^2 / v, as if the scale of x were stretched, of the curve whose stretches rise from the
    height before a case to that before the next one. To this error are added, as independent ones (MOVER), that of
    the height as a proportion of m cases (Wilson), and that of the mean height at the n (end - start) cases in the
    range, counted as three at least, because fewer are mostly the quantiles themselves.
    """
    from scipy.special import betaincinv, ndtr

    z = np.array(QUANTILES)
    corners = np.diff(points[0], prepend=-1.0) > 0  # at each x the height before the curve rises
    x, y = (axis[corners] for axis in points)
    area = np.concatenate([[0.0], np.cumsum(np.diff(x) * (y[1:] + y[:-1]) / 2.0)])
    places, areas = [], []
    for u in between:
        place = np.full(len(z), u) if u in (0.0, 1.0) else u * u / betaincinv(n * u, n - n * u + 1.0, ndtr(z))
        i = np.minimum(np.searchsorted(x, place, "right"), len(x) - 1) - 1
        places.append(place)
        areas.append(area[i] + (place - x[i]) * (y[i] + np.interp(place, x, y)) / 2.0)
    by_quantiles = (areas[1] - areas[0]) / (places[1] - places[0])
    inside = np.interp(np.linspace(*between, 101), x, y).var() / max(n * (between[1] - between[0]), 3.0)
    by_cases = height - wilson_limits(height, m, z)[0]
    low = height - np.sqrt(np.maximum(height - by_quantiles, 0.0) ** 2 + by_cases**2 + z**2 * inside)
    return np.minimum.accumulate(np.maximum(low, 0.0))


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
    name, ends = ("fpr", fpr) if tpr is None else ("tpr", tpr)
    try:
        low, high = (float(end) for end in ends)
    except (TypeError, ValueError, OverflowError):
        raise MeasureError(f"partial_auc needs a range such as {name}=(0, 0.1), got {short_repr(ends)}.") from None
    if fpr is not None and tpr is not None:
        raise MeasureError(f"partial_auc takes a range of fpr or of tpr, got both ({fpr!r} and {tpr!r}).")
    if not 0 <= low < high <= 1:
        raise MeasureError(
            f"partial_auc: {name} must be (low, high), 0 <= low < high <= 1, got {short_repr(ends)}."
        )
    return low, high


class _Run:
    """The sorted scores of a class, turned round if need be, and the share of the class beyond each."""

    def __init__(self, two: _TwoClasses, k: int, turned: bool) -> None:
        scores, mass, count = two.scores(k), two.mass(k), two.cases_per_score(k)
        if mass is None:
            mass = np.arange(len(scores) + 1, dtype=np.float64)
        self.step = -1 if turned else 1
        self.scores = -scores[::-1] if turned else scores
        self.beyond = mass[::-1] / mass[-1] if turned else (mass[-1] - mass) / mass[-1]
        self.count = count if count is None else count[:: self.step]

    def passed(self, at: "_Run") -> tuple[FloatArray, FloatArray]:
        """For each score of a run, the share of this class beyond it, without and with its ties."""
        below, up_to = counts_below(at.scores, self.scores)
        return self.beyond[up_to], self.beyond[below]

    def case_shares(self) -> FloatArray:
        """The share of the class that one case has; among ties, and where cases are binned, their mean share.

        A case without weight is given the mean share of all cases.
        """
        n = len(self.scores)
        if self.count is None:
            return np.array(1.0 / n)
        below, up_to = counts_below(self.scores, self.scores)
        number = np.concatenate([[0.0], np.cumsum(self.count)])
        share, cases = self.beyond[below] - self.beyond[up_to], number[up_to] - number[below]
        return np.asarray(np.divide(share, cases, out=np.full(n, 1.0 / number[-1]), where=share > 0))


def _lengths_beyond(x: _Run, z: _Run, low: float, high: float) -> FloatArray:
    """For each x, the length of the range low .. high of the axis that lies beyond its place; z is on the axis."""
    return (high - _mean_clipped(*z.passed(x), low, high))[:: x.step]


class _Staircase:
    """The ROC curve as one stretch of the axis per z: where it starts and ends, and the heights there.

    Tied cases share a stretch, on which the curve is straight. Cases are in ascending order of their scores, so
    that the first has the last stretch.
    """

    def __init__(self, x: _Run, z: _Run) -> None:
        self.z = z
        self.start, self.end = z.passed(z)
        self.foot, self.top = x.passed(z)
        self.mean = (self.foot + self.top) / 2.0
        self.weight = z.beyond[:-1] - z.beyond[1:]
        areas = np.concatenate([[0.0], np.cumsum((self.weight * self.mean)[::-1])])[::-1]
        self.area_before = areas[np.searchsorted(z.scores, z.scores, "right")]

    def area(self, place: FloatArray) -> FloatArray:
        """The area under the curve from 0 to a place on the axis."""
        place = np.clip(place, 0.0, 1.0)
        i = np.clip(np.searchsorted(-self.z.beyond, -place, "right") - 1, 0, len(self.start) - 1)
        return self._inside(place - self.start[i], self.end[i] - self.start[i], i)

    def _inside(self, way: FloatArray, length: FloatArray, i: Any = slice(None)) -> FloatArray:
        """The area up to a way into the stretch of case i, if that had this length."""
        rise = self.top[i] - self.foot[i]
        slope = np.divide(rise, length, out=np.zeros(np.broadcast(rise, length).shape), where=length > 0)
        return np.asarray(self.area_before[i] + way * (self.foot[i] + slope * way / 2.0))

    def pseudo_values(self, low: float, high: float) -> FloatArray:
        """For each z, the value plus (1 / share - 1) (value - value without the case), recentred.

        The scores that bound the range are quantiles of z: without a case of z they jump to the next one. The
        derivative of the area by the weight of a case ignores these jumps, which are most of the variance where
        the range holds few cases; leaving out the case in full contains them. Their weighted mean is the value.
        """
        share = self.z.case_shares()
        rest = 1.0 - share
        value = float(np.diff(self.area(np.array([low, high])))[0])
        without = np.divide(
            self._area_without(share, high * rest) - self._area_without(share, low * rest),
            rest,
            out=np.full(len(self.start), value),
            where=rest > 0,
        )
        influence = rest / share * (value - without)
        # recentred, because the mean of pseudo-values is the value only up to the bias of the jackknife
        return np.asarray(value + influence - np.average(influence, weights=self.weight))

    def _area_without(self, share: FloatArray, place: FloatArray) -> FloatArray:
        """For each z, the area from 0 to a place (in shares of all z), if a share is cut out of its stretch."""
        length = self.end - self.start - share
        inside = self._inside(place - self.start, length)
        behind = self.area(place + share) - share * self.mean
        return np.where(
            place <= self.start, self.area(place), np.where(place >= self.start + length, behind, inside)
        )


def _mean_clipped(start: FloatArray, end: FloatArray, low: float, high: float) -> FloatArray:
    """The mean over [start, end] of u clipped to [low, high]; at a single point, the point clipped."""
    first, last = np.clip(start, low, high), np.clip(end, low, high)
    outside = low * (np.minimum(end, low) - np.minimum(start, low))
    outside += high * (np.maximum(end, high) - np.maximum(start, high))
    whole = outside + (last - first) * (first + last) / 2.0
    return np.divide(whole, end - start, out=first, where=end > start)


def positive_highest(classes: int, positive: int | None) -> list[float]:
    """Ranks within a bin that make an area largest: the positive class above the other."""
    return [float(k == positive) for k in range(classes)]


def _pair_outcomes(slope: float) -> Callable[[Sample], Outcomes]:
    def outcomes(sample: Sample) -> Outcomes:
        two = _TwoClasses(sample)
        return {None: [PairOutcomes(two.positive, two.negative, {two.column: slope})]}

    return outcomes


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
        degree=always(2),
        symmetric=False,
        linear=True,
        areas=AreaForm(lambda area, _: area),
        bins="score",
        best_ranks=positive_highest,
        headline=("two_classes",),
        curve_area="roc",
        normal_model="binormal",
        outcomes=_pair_outcomes(0.5),
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
        degree=always(2),
        symmetric=False,
        linear=True,
        areas=AreaForm(lambda area, _: 2.0 * area - 1.0),
        bins="score",
        best_ranks=positive_highest,
        normal_model="binormal",
        outcomes=_pair_outcomes(1.0),
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
        degree=always(2),
        options={"fpr": (0, 0.1), "tpr": None, "standardised": True},
        either=("fpr", "tpr"),
        symmetric=False,
        bins="score",
        bound_rule="curve",
        best_ranks=positive_highest,
    ),
)
