"""Confidence bands of curves, pointwise and simultaneous: by formula, by resampling, and from a binormal fit."""

from collections.abc import Callable
from math import log, sqrt
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc.curves.binormal import DEVIATES, BinormalFit
from polyroc.curves.points import KINDS, CurveKind, CurvePoints
from polyroc.curves.result import LARGEST_DEVIATE, Band, BandKind
from polyroc.curves.sweep import CurveSweep, RankedCases, ranked_cases
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.order_statistics import Limits, rate_limits, wilson_limits
from polyroc.inference.methods.method import Method
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.curves import thin
from polyroc.messages import Call, Option

__all__ = ["BandName", "average_band", "band_around", "in_coordinates", "working_hotelling"]

BandName = Literal["pointwise", "simultaneous", "working-hotelling"]
RATES = np.linspace(0.0, 1.0, 201)  # values of the first axis at which bands are computed, beside the data's
MAX_POINTS = 400  # of the data, chosen evenly along the curve as it is drawn
TINY = 1e-300  # keeps 0 / 0 out of the precision at recall 0
ORDER_STATISTICS = "order statistics and Wilson, combined"
Height = Callable[[FloatArray], FloatArray]


class _CurveHeights(NamedTuple):
    """Heights of a curve at values of its first axis, each a proportion of a number of cases.

    Attributes
    ----------
    value, n
        The height, and the number of cases of which it is a proportion.
    step
        The width of a single case on the first axis.
    replicated
        From rows of weights to heights, one column per row.
    """

    value: FloatArray
    n: FloatArray
    step: float
    replicated: Callable[[npt.NDArray[Any]], FloatArray]

    @property
    def adjusted_variance(self) -> FloatArray:
        """The variance of one case, p (1 - p), after adding two of either outcome (Agresti & Coull 1998)."""
        p = (self.value * self.n + 2.0) / (self.n + 4.0)
        return np.asarray(p * (1.0 - p))


def band_around(sweep: CurveSweep, kind: CurveKind, name: BandKind, level: float, method: Method | None) -> Band:
    """The band of a curve: by resampling if the method resamples, else by formula.

    For ROC and DET curves, of the true positive rate R at a false positive rate u:

    - pointwise, formula: two intervals are combined as those of independent errors (MOVER, Zou & Donner 2008):
      that of a proportion of n1 positives (Wilson's, modified near 0 and 1), and the heights of the curve between
      which the threshold with rate u lies, by the binomial distribution of the number of negatives above it. Near
      the ends, where there may be no negative beyond the threshold, the lower limit is 0.
    - simultaneous, formula: the pointwise limits at a higher level; see `_local_level`.
    - pointwise, bootstrap: Wilson's interval with the number of cases that gives the variance of the replicates.
    - simultaneous, bootstrap: as many standard errors to either side as contain the share `level` of the whole
      replicates. The standard error is never below that of Agresti & Coull's proportion, because resampling does
      not vary where the true positive rate is 0 or 1.

    Bands of replicates are shifted sideways by one negative (pointwise: half of one), because the rate of a
    threshold is known to one negative only, and widened to contain the pointwise band by formula, because
    resampling has no scores beyond the largest.

    For precision-recall curves the band is of the precision at a recall; by formula, it follows from the band of
    the false positive rate at that recall, which is the band of the ROC curve with its axes exchanged. The
    prevalence is that of the sample; its error is added if class sizes are random (a cohort). For cost curves it
    follows from the simultaneous band of the ROC curve, and has at least its confidence.

    References
    ----------
    Brown, Cai & DasGupta, Statistical Science 16 (2001) 101-133. Zou & Donner, Statistics in Medicine 27 (2008)
    1693-1702.
    """
    _check_applicable(sweep, kind, name, method)
    if kind == "pr" and sweep.sample.scores.sampling == "cohort":
        return _for_random_prevalence(sweep, _band(sweep, kind, name, level, method))
    return _band(sweep, kind, name, level, method)


def _band(sweep: CurveSweep, kind: CurveKind, name: BandKind, level: float, method: Method | None) -> Band:
    """Return the band for a known prevalence."""
    x = _places(sweep, kind)
    if method is not None and method.resamples:
        return _resampled_band(sweep, kind, name, level, method, x)
    return in_coordinates(kind, Band(name, ORDER_STATISTICS, level, x, *_limits(sweep, kind, name, level, x)))


def _places(sweep: CurveSweep, kind: CurveKind) -> FloatArray:
    """Return the values of the first axis at which a band is computed: a grid, and those of the data, thinned.

    Where the recall rises in steps, precision between two steps rises with the recall alone, at the same false
    positive rate. There a grid would draw teeth that are not in the data; so it is used only inside ties.
    """
    axes = KINDS["det" if kind == "det" else "roc"].coordinates(sweep.fpr, sweep.tpr, sweep.prevalence)
    x, y = (np.clip(axis, -LARGEST_DEVIATE, LARGEST_DEVIATE) for axis in axes)
    points = thin(x, y, MAX_POINTS)
    if kind != "pr":
        return np.union1d(RATES, sweep.fpr[points])
    end = np.searchsorted(sweep.tpr, RATES[1:])
    return np.union1d(RATES[1:][sweep.fpr[end] > sweep.fpr[end - 1]], sweep.tpr[points])


def _limits(sweep: CurveSweep, kind: CurveKind, name: BandKind, level: float, x: FloatArray) -> Limits:
    """Return the limits by formula at values x of the first axis."""
    positives, negatives = sweep.units
    if name == "simultaneous":
        level = _local_level(level, positives + negatives)
    tail, cases = (1.0 - level) / 2.0, ranked_cases(sweep)
    if kind != "pr":
        height = _height(cases, sweep)
        return rate_limits(height, height(x), x, (positives, negatives), tail)
    height, specific = _height(cases.mirrored(), sweep), 1.0 - x[::-1]
    specificities = rate_limits(height, height(specific), specific, (negatives, positives), tail)
    low, high = (_precision(sweep.prevalence, x, 1.0 - limit[::-1]) for limit in specificities)
    high[x == 0] = 1.0  # precision is 1 by convention where no case is classified as positive
    return low, high


def _local_level(level: float, cases: float) -> float:
    """Return the level of pointwise intervals that contain the whole curve with the probability `level`.

    The level is Bonferroni's for half as many intervals as the root of the number of cases. Neighbouring intervals
    err together; the number was chosen by simulation of binormal curves of 10 + 10 to 10,000 + 10,000 cases, where
    95 % bands contain the whole curve in 96 to 98 % of samples (other shapes: 93 to 99 %).
    """
    return 1.0 - (1.0 - level) * min(1.0, 2.0 / sqrt(cases))


def _resampled_band(
    sweep: CurveSweep, kind: CurveKind, name: BandKind, level: float, method: Method, x: FloatArray
) -> Band:
    heights = _precisions(sweep, x) if kind == "pr" else _true_positive_rates(sweep, x)
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    replicates = method.over_resamples(sweep.sample, heights.replicated)
    replicates = replicates[:, ~np.isnan(replicates).any(axis=0)]
    if replicates.shape[1] < 2:
        raise InputError(f"A band needs two or more resamples with both classes, {method} has fewer; increase n.")
    if name == "simultaneous":
        limits, step = _studentised(heights, replicates, level, z), heights.step
        construction = f"studentised {method}"
    else:
        limits, step = _wilson(heights, replicates.var(axis=1, ddof=1), z), heights.step / 2.0
        construction = f"Wilson with the variance of {method}"
    formula = _limits(sweep, kind, "pointwise", level, x)
    low, high = _shifted(x, *limits, step, rises=kind != "pr")
    limits = np.minimum(low, formula[0]), np.maximum(high, formula[1])
    return in_coordinates(kind, Band(name, f"{construction}, and order statistics", level, x, *limits))


def working_hotelling(fit: BinormalFit, kind: CurveKind, level: float) -> Band:
    """The simultaneous band of a binormal fit: a + b z with sqrt(chi-square quantile, 2 df) standard errors.

    It is valid if the binormal model is (Working & Hotelling 1929; Ma & Hall 1993).
    """
    from scipy.special import ndtr

    if kind == "pr" or np.isnan(fit.covariance).any():
        raise NotApplicableError(
            Option("band", "working-hotelling"),
            " is available for ROC, DET and cost curves of independent, unweighted cases; use ",
            Option("band", "pointwise", "simultaneous"),
            " with ",
            Option("method", Call("Bootstrap")),
            ".",
        )
    (aa, ab), (_, bb) = fit.covariance
    # The chi-square distribution with 2 degrees of freedom is exponential: its quantile is -2 log(1 - level).
    half_width = sqrt(-2.0 * log(1.0 - level)) * np.sqrt(aa + 2.0 * ab * DEVIATES + bb * DEVIATES**2)
    middle = fit.a + fit.b * DEVIATES
    limits = (np.concatenate([[0.0], ndtr(middle + side * half_width), [1.0]]) for side in (-1.0, 1.0))
    return in_coordinates(kind, Band("simultaneous", "Working-Hotelling, binormal", level, fit.fpr, *limits))


def in_coordinates(kind: CurveKind, band: Band) -> Band:
    """The band of a ROC curve in the coordinates of a kind: for a DET curve, normal deviates of the error rates.

    For a cost curve, the range of the least cost at each probability-cost if the ROC curve lies inside its band
    everywhere: from the least cost of the upper limit to that of the lower limit.
    """
    if kind == "cost":
        p = RATES[:, None]
        # Between two values of x the curve may rise at once to the upper limit at the second.
        before = np.concatenate([[0.0], band.x[:-1]])
        low = (p * (1.0 - band.high) + (1.0 - p) * before).min(axis=1)
        high = (p * (1.0 - band.low) + (1.0 - p) * band.x).min(axis=1)
        method = f"least cost inside the band of the ROC curve, {band.method}"
        return Band(band.kind, method, band.level, RATES, low, high)
    if kind != "det":
        return band
    from scipy.special import ndtri

    return Band(band.kind, band.method, band.level, ndtri(band.x), ndtri(1.0 - band.high), ndtri(1.0 - band.low))


def _for_random_prevalence(sweep: CurveSweep, band: Band) -> Band:
    """The band of precisions if class sizes are random.

    The log-odds of a precision are those of the prevalence plus the logarithm of (recall / false positive rate):
    the errors of both are combined as independent (MOVER). A rate of 0 counts as half a case.
    """
    from scipy.special import expit, logit

    positives, negatives = sweep.units
    z = NormalDist().inv_cdf(0.5 + band.level / 2.0)
    prevalence_error = z * sqrt(1.0 / positives + 1.0 / negatives)  # of its log-odds
    precision = np.minimum(_precisions(sweep, band.x).value, _precision(sweep.prevalence, band.x, 0.5 / negatives))
    middle = np.clip(precision, band.low, band.high)
    limits = []
    for side, limit in ((-1.0, band.low), (1.0, band.high)):
        a, b = (logit(np.clip(value, 1e-12, 1.0 - 1e-12)) for value in (middle, limit))
        widened = expit(a + side * np.hypot(b - a, prevalence_error))
        limits.append(np.where((limit > 0) & (limit < 1), widened, limit))
    return Band(band.kind, f"{band.method}, prevalence random", band.level, band.x, *limits)


def _precision(prevalence: float, recall: FloatArray, false_positive_rate: FloatArray | float) -> FloatArray:
    true_positives = prevalence * recall
    return true_positives / np.maximum(true_positives + (1.0 - prevalence) * false_positive_rate, TINY)


def _check_applicable(sweep: CurveSweep, kind: CurveKind, name: BandKind, method: Method | None) -> None:
    if kind == "cost" and name == "pointwise":
        raise NotApplicableError(
            "A cost curve has no pointwise band, because it uses all thresholds at once; use ",
            Option("band", "simultaneous"),
            ".",
        )
    if method is not None and method.resamples:
        return
    if sweep.sample.scores.units is not None:
        what = "cases are repeated" if sweep.sample.scores.groups is None else "there are groups"
        raise NotApplicableError(
            f"A band by formula needs independent cases, but {what}; use ",
            Option("method", Call("Bootstrap")),
            ".",
        )


def _weights(sweep: CurveSweep) -> FloatArray:
    """The weights of the sample, grouped by class, as the only row."""
    sample = sweep.sample
    weight: FloatArray = np.ones(len(sample.values)) if sample.weight is None else sample.weight
    return np.asarray(weight[np.concatenate([sample.cases(k) for k in range(2)])]).reshape(1, -1)


def _true_positive_rates(sweep: CurveSweep, x: FloatArray) -> _CurveHeights:
    cases, (positives, negatives) = ranked_cases(sweep), sweep.units
    value = cases.tpr_at(_weights(sweep), x)[0]
    n = np.full(len(x), positives)
    return _CurveHeights(value, n, 1.0 / negatives, lambda weight: cases.tpr_at(weight, x).T)


def _precisions(sweep: CurveSweep, x: FloatArray) -> _CurveHeights:
    """Precision at each recall, the ROC curve being straight between its points, at the sample's prevalence."""
    cases, (positives, negatives) = ranked_cases(sweep).mirrored(), sweep.units
    pi, recall = sweep.prevalence, np.maximum(x, x[1])  # at recall 0 precision is not continuous

    def precision(weight: npt.NDArray[Any]) -> FloatArray:
        fpr = 1.0 - cases.tpr_at(weight, 1.0 - recall[::-1])[:, ::-1].T
        return np.asarray((pi * recall / (pi * recall + (1.0 - pi) * fpr.T)).T)

    value = precision(_weights(sweep))[:, 0]
    called = (positives + negatives) * pi * recall / value
    return _CurveHeights(value, called, 1.0 / positives, precision)


def _wilson(heights: _CurveHeights, variance: FloatArray, z: float) -> Limits:
    """Wilson's interval with the number of cases that gives this variance, no more than there are."""
    n = np.minimum(heights.n, heights.adjusted_variance / np.maximum(variance, np.finfo(float).tiny))
    return wilson_limits(heights.value, n, z)


def _studentised(heights: _CurveHeights, replicates: FloatArray, level: float, z: float) -> Limits:
    """As many standard errors as contain the share `level` of replicates, at least those of a pointwise band."""
    floor = heights.adjusted_variance / (heights.n + 4.0)
    error = np.sqrt(np.maximum(replicates.var(axis=1, ddof=1), floor))
    deviation = np.abs(replicates - heights.value[:, None]) / error[:, None]
    half_width = max(z, float(np.quantile(deviation.max(axis=0), level))) * error
    return heights.value - half_width, heights.value + half_width


def _height(cases: RankedCases, sweep: CurveSweep) -> Height:
    """Return the true positive rates of a curve as a function of false positive rates."""
    weight = _weights(sweep)
    return lambda rates: np.asarray(cases.tpr_at(weight, rates)[0])


def average_band(points: CurvePoints, height: Height, units: tuple[float, float], level: float) -> Band:
    """The pointwise band of a curve averaged over folds, given the models: as that of one curve by formula.

    The error of the averaged rate at a threshold is at most that of one proportion of all positives, because the
    variance p (1 - p) is concave in p; that of the averaged thresholds is that of all negatives.

    Parameters
    ----------
    points
        Of the averaged curve.
    height
        From false positive rates to the averaged true positive rates.
    units
        The effective numbers of positives and negatives in all folds together.
    level
        Of the band.
    """
    x = np.union1d(RATES, points.fpr[thin(points.fpr, points.tpr, MAX_POINTS)])
    limits = rate_limits(height, height(x), x, units, (1.0 - level) / 2.0)
    return Band("pointwise", ORDER_STATISTICS, level, x, *limits)


def _shifted(x: FloatArray, low: FloatArray, high: FloatArray, step: float, rises: bool) -> Limits:
    """The band extended sideways by a step, so that it contains its neighbours, and cut at 0 and 1."""
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    if rises:
        return np.interp(x - step, x, low, left=0.0), np.interp(x + step, x, high, right=1.0)
    neighbours = [np.clip(x + side * step, 0.0, 1.0) for side in (-1.0, 1.0)]
    lows, highs = ([np.interp(near, x, limit) for near in neighbours] for limit in (low, high))
    return np.minimum(*lows), np.maximum(*highs)
