"""Confidence bands: where the true curve may lie, at one place or everywhere at once."""

from collections.abc import Callable
from math import log, sqrt
from statistics import NormalDist
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc.curves.binormal_fit import SPAN, BinormalFit
from polyroc.curves.result import Band, BandKind, CurveKind
from polyroc.curves.sweep import Sweep, falling
from polyroc.errors import InputError, NotApplicableError
from polyroc.inference.methods import Method
from polyroc.inference.methods.bootstrap import Bootstrap, over_resamples
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import Call, Option

__all__ = ["BandName", "band_around", "drawn_as", "working_hotelling"]

BandName = Literal["pointwise", "simultaneous", "working_hotelling"]
RATES = np.linspace(0.0, 1.0, 201)  # where a band is known
FEW = 3.0  # cases of an outcome, up to which Wilson's interval is modified
Ends = tuple[FloatArray, FloatArray]


class _Heights(NamedTuple):
    """The curve as a height at each of `RATES`: its value, and the number of cases behind it as a share.

    Attributes
    ----------
    value, n
        The height, and of how many cases it is the share.
    step
        The rate of a single case on the axis.
    replicated
        From rows of weights to heights, one column per row.
    """

    value: FloatArray
    n: FloatArray
    step: float
    replicated: Callable[[npt.NDArray[Any]], FloatArray]

    @property
    def softened(self) -> FloatArray:
        """Variance of one case, p (1 - p), after two more of either outcome (Agresti & Coull 1998)."""
        p = (self.value * self.n + 2.0) / (self.n + 4.0)
        return np.asarray(p * (1.0 - p))


def band_around(found: Sweep, kind: CurveKind, name: BandKind, level: float, method: Method | None) -> Band:
    """The band of a curve: by resampling if the method is `Bootstrap`, else by formula.

    For ROC and DET curves, of the true positive rate R at a false positive rate u:

    - pointwise, formula: two intervals are combined as those of independent errors (MOVER, Zou & Donner 2008):
      that of a share of n1 positives (Wilson's, modified beside 0 and 1), and the heights of the curve between
      which the threshold with rate u lies, by the binomial distribution of the number of negatives above it. Near
      the ends, where there may be no negative beyond the threshold, the lower end is 0.
    - pointwise, bootstrap: Wilson's interval for as many cases as have the variance of the replicates.
    - simultaneous, formula: rectangles of fixed size that hold both rates at all thresholds, from Kolmogorov's
      distribution (Campbell 1994). They hold for every shape of curve, and are wide.
    - simultaneous, bootstrap: so many standard errors to either side that the share `level` of the replicates
      stays inside everywhere. The standard error is never taken below that of Agresti & Coull's share, for
      resampling does not vary where all positives are called, or none.

    Bands of replicates are moved sideways by one negative (pointwise: half of one), for a rate cannot be told from
    its neighbour, and widened to contain the pointwise band by formula: resampling does not know of scores beyond
    the last. For precision-recall curves, of the precision at a recall; by formula, from the false positive rates
    at which the band of the ROC curve holds that recall. The prevalence is that of the sample; its error is added
    if class sizes are random (a cohort). For cost curves, from the simultaneous band of the ROC curve: as sure, at
    least.

    References
    ----------
    Brown, Cai & DasGupta, Statistical Science 16 (2001) 101-133. Campbell, Statistics in Medicine 13 (1994)
    499-508. Zou & Donner, Statistics in Medicine 27 (2008) 1693-1702.
    """
    _refuse(found, kind, name, method)
    if kind == "pr" and found.sample.scores.sampling == "cohort":
        return _for_random_prevalence(found, _band(found, kind, name, level, method))
    return _band(found, kind, name, level, method)


def _band(found: Sweep, kind: CurveKind, name: BandKind, level: float, method: Method | None) -> Band:
    """The band for a known prevalence."""
    if isinstance(method, Bootstrap):
        return _resampled_band(found, kind, name, level, method)
    if kind == "pr":
        return _as_precision(_band(found, "roc", name, level, method), found.prevalence)
    known = _true_positive_rates(found)
    if name == "pointwise":
        ends, how = _by_order_statistics(found, known, level), "order statistics and Wilson, combined"
    else:
        ends, how = _kolmogorov(found, known, level), "Kolmogorov rectangles"
    return drawn_as(kind, Band(name, how, level, RATES, *ends))


def _resampled_band(found: Sweep, kind: CurveKind, name: BandKind, level: float, method: Bootstrap) -> Band:
    known = _precisions(found) if kind == "pr" else _true_positive_rates(found)
    z = NormalDist().inv_cdf(0.5 + level / 2.0)
    replicates = over_resamples(method, found.sample, known.replicated)
    replicates = replicates[:, ~np.isnan(replicates).any(axis=0)]
    if replicates.shape[1] < 2:
        raise InputError(f"A band needs two or more resamples with both classes; {method} gave fewer.")
    if name == "simultaneous":
        ends, how, step = _studentised(known, replicates, level, z), f"studentised {method}", known.step
    else:
        ends, how = _wilson(known, replicates.var(axis=1, ddof=1), z), f"Wilson with the variance of {method}"
        step = known.step / 2.0
    low, high = _moved(*ends, step, rises=kind != "pr")
    least = Band("pointwise", "", level, RATES, *_by_order_statistics(found, _true_positive_rates(found), level))
    if kind == "pr":
        least = _as_precision(least, found.prevalence)
    ends = np.minimum(low, least.low), np.maximum(high, least.high)
    return drawn_as(kind, Band(name, f"{how}, and order statistics", level, RATES, *ends))


def working_hotelling(fit: BinormalFit, kind: CurveKind, level: float) -> Band:
    """Simultaneous, from a binormal fit: a + b z plus or minus sqrt(chi-square quantile, 2 df) standard errors.

    It holds if the binormal model does (Working & Hotelling 1929; Ma & Hall 1993).
    """
    from scipy.special import ndtr

    if kind == "pr" or np.isnan(fit.covariance).any():
        raise NotApplicableError(
            Option("band", "working_hotelling"),
            " is for ROC, DET and cost curves of independent, unweighted cases; use ",
            Option("band", "pointwise", "simultaneous"),
            " with ",
            Option("method", Call("Bootstrap")),
            ".",
        )
    (aa, ab), (_, bb) = fit.covariance
    reach = sqrt(-2.0 * log(1.0 - level)) * np.sqrt(aa + 2.0 * ab * SPAN + bb * SPAN**2)
    middle = fit.a + fit.b * SPAN
    ends = (np.concatenate([[0.0], ndtr(middle + side * reach), [1.0]]) for side in (-1.0, 1.0))
    return drawn_as(kind, Band("simultaneous", "Working-Hotelling, binormal", level, fit.fpr, *ends))


def drawn_as(kind: CurveKind, band: Band) -> Band:
    """The band in the coordinates of the curve: for a DET curve normal deviates of the error rates.

    For a cost curve, what the least cost can be at each probability-cost if the ROC curve lies inside its band
    everywhere: from that of its upper to that of its lower end.
    """
    if kind == "cost":
        p = RATES[:, None]
        before = np.concatenate([[0.0], band.x[:-1]])  # between two places it may be as high as at the second
        low = (p * (1.0 - band.high) + (1.0 - p) * before).min(axis=1)
        high = (p * (1.0 - band.low) + (1.0 - p) * band.x).min(axis=1)
        how = f"least cost inside the band of the ROC curve, {band.method}"
        return Band(band.kind, how, band.level, RATES, low, high)
    if kind != "det":
        return band
    from scipy.special import ndtri

    ends = ndtri(band.x), ndtri(1.0 - band.high), ndtri(1.0 - band.low)
    return Band(band.kind, band.method, band.level, *ends)


def _as_precision(roc: Band, prevalence: float) -> Band:
    """From true positive rates at u to precisions at a recall r, which may have any u whose interval holds it.

    The interval at the true u holds r with the confidence of the band, so this set holds the true u as often.
    """
    last = len(roc.x) - 1
    lowest = roc.x[np.maximum(np.searchsorted(np.maximum.accumulate(roc.high), RATES) - 1, 0)]
    highest = roc.x[np.minimum(np.searchsorted(np.maximum.accumulate(roc.low), RATES, "right"), last)]
    low, high = (_precision(prevalence, RATES, u) for u in (highest, lowest))
    high[0] = 1.0  # nothing called, nothing wrong
    return Band(roc.kind, f"{roc.method}, turned", roc.level, RATES, low, high)


def _for_random_prevalence(found: Sweep, band: Band) -> Band:
    """A band of precisions for class sizes that are random.

    The log-odds of a precision are those of the prevalence plus the logarithm of (recall / false positive rate):
    the errors of both are combined as independent ones (MOVER). A rate of 0 counts as half a case.
    """
    from scipy.special import expit, logit

    positives, negatives = found.units
    z = NormalDist().inv_cdf(0.5 + band.level / 2.0)
    share = z * sqrt(1.0 / positives + 1.0 / negatives)
    precision = np.minimum(_precisions(found).value, _precision(found.prevalence, RATES, 0.5 / negatives))
    middle = np.clip(precision, band.low, band.high)
    ends = []
    for side, end in ((-1.0, band.low), (1.0, band.high)):
        a, b = (logit(np.clip(each, 1e-12, 1.0 - 1e-12)) for each in (middle, end))
        ends.append(np.where((end > 0) & (end < 1), expit(a + side * np.hypot(b - a, share)), end))
    low, high = ends
    return Band(band.kind, f"{band.method}, prevalence random", band.level, band.x, low, high)


def _precision(prevalence: float, recall: FloatArray, false_positive_rate: FloatArray | float) -> FloatArray:
    recalled = prevalence * recall
    return recalled / np.maximum(recalled + (1.0 - prevalence) * false_positive_rate, 1e-300)


def _refuse(found: Sweep, kind: CurveKind, name: BandKind, method: Method | None) -> None:
    if kind == "cost" and name == "pointwise":
        raise NotApplicableError(
            "The band of a cost curve covers all thresholds at once; use ", Option("band", "simultaneous"), "."
        )
    if isinstance(method, Bootstrap):
        return
    if found.sample.scores.groups is not None:
        raise NotApplicableError(
            "A band by formula assumes independent cases, but there are groups; use ",
            Option("method", Call("Bootstrap")),
            ".",
        )


def _ones(found: Sweep) -> FloatArray:
    """The cases' own weights, grouped by class, as the only row."""
    sample = found.sample
    own: FloatArray = np.ones(len(sample.values)) if sample.weight is None else sample.weight
    return np.asarray(own[np.concatenate([sample.cases(k) for k in range(2)])]).reshape(1, -1)


def _true_positive_rates(found: Sweep) -> _Heights:
    cases, (positives, negatives) = falling(found), found.units
    value = cases.at(_ones(found), RATES)[0]
    return _Heights(value, np.full(len(RATES), positives), 1.0 / negatives, lambda w: cases.at(w, RATES).T)


def _precisions(found: Sweep) -> _Heights:
    """Precision at each recall, the ROC curve being straight between its points, at the sample's prevalence."""
    cases, (positives, negatives) = falling(found).mirrored(), found.units
    pi, recall = found.prevalence, np.maximum(RATES, RATES[1])

    def precision(weight: npt.NDArray[Any]) -> FloatArray:
        fpr = 1.0 - cases.at(weight, 1.0 - recall[::-1])[:, ::-1].T
        return np.asarray((pi * recall / (pi * recall + (1.0 - pi) * fpr.T)).T)

    value = precision(_ones(found))[:, 0]
    called = (positives + negatives) * pi * recall / value
    return _Heights(value, called, 1.0 / positives, precision)


def _wilson(known: _Heights, variance: FloatArray, z: float) -> Ends:
    """Wilson's interval for a share of so many cases as have this variance, no more than there are."""
    n = np.minimum(known.n, known.softened / np.maximum(variance, np.finfo(float).tiny))
    return _wilson_ends(known.value, n, z)


def _wilson_ends(p: FloatArray, n: FloatArray, z: float) -> Ends:
    near = 1.0 + z * z / n
    middle = (p + z * z / (2.0 * n)) / near
    reach = z / near * np.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))
    return np.minimum(middle - reach, p), np.maximum(middle + reach, p)


def _studentised(known: _Heights, replicates: FloatArray, level: float, z: float) -> Ends:
    """As many standard errors as hold the share `level` of replicates, and no fewer than at a single place."""
    floor = known.softened / (known.n + 4.0)
    error = np.sqrt(np.maximum(replicates.var(axis=1, ddof=1), floor))
    away = np.abs(replicates - known.value[:, None]) / error[:, None]
    reach = max(z, float(np.quantile(away.max(axis=0), level))) * error
    return known.value - reach, known.value + reach


def _by_order_statistics(found: Sweep, known: _Heights, level: float) -> Ends:
    """The errors of both rates, combined as independent ones, each by its own interval (MOVER).

    The threshold with the false positive rate u has J of n negatives above it, and J is binomial, whatever the
    distribution of the scores. So it lies below the J-th highest negative and not below the next, and the curve at
    the likely values of J tells how far R may be off because of the threshold.
    """
    cases, weight, n = falling(found), _ones(found), max(round(1.0 / known.step), 1)
    fewest = _fewest_beyond(n, (1.0 - level) / 2.0)
    most = n - fewest[::-1]
    left = np.where(fewest > 0, cases.at(weight, np.maximum(fewest - 1.0, 0.0) / n)[0], 0.0)
    right = np.where(most < n, cases.at(weight, most / n)[0], 1.0)
    low, high = _share_interval(known.value, known.n, level)
    p = known.value
    below = np.hypot(p - low, np.maximum(p - left, 0.0))
    above = np.hypot(high - p, np.maximum(right - p, 0.0))
    return np.maximum(p - below, 0.0), np.minimum(p + above, 1.0)


def _fewest_beyond(n: int, tail: float) -> FloatArray:
    """At each of `RATES` the smallest binomial number of n whose mid-P lower tail is larger than `tail`."""
    from scipy.special import bdtr, bdtrik

    inner = RATES[1:-1]
    k = np.clip(np.ceil(np.nan_to_num(bdtrik(tail, n, inner))), 0, n)
    k += np.where(bdtr(k, n, inner) < tail, 1.0, 0.0)  # the inverse is rounded
    before = np.where(k > 0, bdtr(np.maximum(k - 1.0, 0.0), n, inner), 0.0)
    k += (bdtr(k, n, inner) + before) / 2.0 <= tail
    return np.concatenate([[0.0], np.minimum(k, n), [float(n)]])


def _share_interval(p: FloatArray, n: FloatArray, level: float) -> Ends:
    """Wilson's interval for a share; with up to three cases of either outcome as modified by Brown et al. (2001).

    Wilson's holds too seldom just beside 0 and 1. There the outer end is that of a Poisson number.
    """
    from scipy.special import gammaincinv

    low, high = _wilson_ends(p, n, NormalDist().inv_cdf(0.5 + level / 2.0))

    def poisson(cases: FloatArray) -> FloatArray:
        return np.where(cases <= FEW, gammaincinv(np.clip(cases, 1e-9, FEW), 1.0 - level) / n, 1.0)

    return np.minimum(low, poisson(p * n)), np.maximum(high, 1.0 - poisson((1.0 - p) * n))


def _kolmogorov(found: Sweep, known: _Heights, level: float) -> Ends:
    """Both distribution functions inside their bands at once: the curve moved by both widths, either way.

    The quantile is that of the limit, with Stephens's correction for n cases, at sqrt(level) for each class.
    """
    from scipy.special import kolmogi

    quantile = float(kolmogi(1.0 - sqrt(level)))
    positives, negatives = known.n[0], 1.0 / known.step
    up, aside = (quantile / (sqrt(n) + 0.12 + 0.11 / sqrt(n)) for n in (positives, negatives))
    cases, weight = falling(found), _ones(found)
    low = cases.at(weight, np.maximum(RATES - aside, 0.0))[0] - up
    high = cases.at(weight, np.minimum(RATES + aside, 1.0))[0] + up
    low[aside > RATES], high[1.0 - aside < RATES] = 0.0, 1.0
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def _moved(low: FloatArray, high: FloatArray, step: float, rises: bool) -> Ends:
    """The band moved sideways by a step, so that it holds what it held beside, and cut at 0 and 1."""
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    if rises:
        return np.interp(RATES - step, RATES, low, left=0.0), np.interp(RATES + step, RATES, high, right=1.0)
    beside = [np.clip(RATES + side * step, 0.0, 1.0) for side in (-1.0, 1.0)]
    lows, highs = ([np.interp(place, RATES, end) for place in beside] for end in (low, high))
    return np.minimum(*lows), np.maximum(*highs)
