"""The CORP decomposition of the Brier score and the reliability curve (Dimitriadis, Gneiting & Jordan 2021).

Isotonic regression of what happened on the predicted probability, by pooling adjacent violators, gives
recalibrated probabilities without bins or other choices. The Brier score is then

    BS = miscalibration - discrimination + uncertainty

the first being what recalibration gains, the second what recalibrated probabilities gain over the share of events.
"""

from dataclasses import dataclass
from math import nan
from typing import NamedTuple

import numpy as np

from polyroc._scipy import betaincinv
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.isotonic import isotonic, isotonic_rows
from polyroc.reliability.events import Event

__all__ = ["Bands", "Decomposition", "Fit", "Part", "Simulation", "confidence_bands", "fit_isotonic", "simulate"]

MOST_GROUPS = 1024  # of neighbouring predictions in simulations of unweighted cases
MOST_KNOTS = 128  # groups of neighbouring predictions, all runs of which bound the curve
GRID = 200  # points at which bands are stated
CELLS_AT_ONCE = 2**22  # of simulated tables


@dataclass(frozen=True, eq=False)
class Fit:
    """Isotonic regression on the distinct predictions, ascending.

    Attributes
    ----------
    p, weight, happened
        The distinct predictions, the weight of their cases, and that of the cases with the event.
    cases
        How many cases of weight above 0 have each.
    fitted
        The recalibrated probabilities.
    """

    p: FloatArray
    weight: FloatArray
    happened: FloatArray
    cases: FloatArray
    fitted: FloatArray

    @property
    def total(self) -> float:
        """The weight of all cases."""
        return float(self.weight.sum())

    def coarse(self, most: int) -> "Fit":
        """Neighbouring predictions joined to about so many groups of equal size, with their mean predictions."""
        if len(self.p) <= most:
            return self
        places = np.cumsum(self.cases) - self.cases / 2.0
        group = np.unique((places / self.cases.sum() * most).astype(np.int64), return_inverse=True)[1]
        weight, happened, cases = (_sums(group, row) for row in (self.weight, self.happened, self.cases))
        p = _sums(group, self.weight * self.p) / weight
        return Fit(p, weight, happened, cases, isotonic(happened, weight))


class Part(NamedTuple):
    """A term of the decomposition: its value, standard error and interval."""

    value: float
    standard_error: float
    low: float
    high: float


class Decomposition(NamedTuple):
    """The terms of the Brier score."""

    miscalibration: Part
    discrimination: Part
    uncertainty: Part


class Bands(NamedTuple):
    """The two ends of a pointwise band, and of one that holds everywhere at once."""

    low: FloatArray
    high: FloatArray
    simultaneous_low: FloatArray
    simultaneous_high: FloatArray


class Simulation(NamedTuple):
    """What simulated outcomes tell: a test, the decomposition with errors, and consistency bands."""

    pvalue: float
    decomposition: Decomposition
    consistency: Bands | None


def fit_isotonic(event: Event) -> Fit:
    """Isotonic regression of an event on its probability."""
    counted = event.weight > 0
    p, place = np.unique(event.p[counted], return_inverse=True)
    w, y = event.weight[counted], event.y[counted]
    weight, happened = _sums(place, w), _sums(place, w * y)
    return Fit(p, weight, happened, np.bincount(place).astype(np.float64), isotonic(happened, weight))


def _sums(group: IntArray, values: FloatArray) -> FloatArray:
    return np.asarray(np.bincount(group, values), dtype=np.float64)


def _terms(p: FloatArray, fitted: FloatArray, totals: FloatArray, weights: FloatArray) -> FloatArray:
    """At [term, row]: miscalibration, discrimination and share of events, of outcomes summed by prediction."""
    whole = weights.sum(axis=1, keepdims=True)
    share = totals.sum(axis=1, keepdims=True) / whole
    # sums of (y - a)^2 - (y - b)^2 over the cases of a prediction: what varies around their mean cancels
    gain = (2.0 * totals * (fitted - p) + weights * (p**2 - fitted**2)).sum(axis=1) / whole[:, 0]
    better = (2.0 * totals * (fitted - share) + weights * (share**2 - fitted**2)).sum(axis=1) / whole[:, 0]
    return np.stack([gain, better, share[:, 0]])


def simulate(
    event: Event, fit: Fit, grid: FloatArray, n: int, level: float, rng: np.random.Generator
) -> Simulation:
    """The decomposition with errors, the test of miscalibration 0 and the consistency bands, by simulation.

    Under the hypothesis that the probabilities are right, outcomes are drawn from these: miscalibration is then
    above 0 by chance alone, and the share of draws in which it is as large is the p-value. For the errors, cases
    are drawn with replacement and outcomes from the recalibrated probabilities, for which the true terms are
    known; the distribution of the simulated minus the true terms gives standard errors and (basic) intervals,
    which allow for the bias of fitting. Cases in groups are dependent, which no draw imitates: standard errors are
    then those of influence values, and there are neither bands nor a test.
    """
    values = _terms(fit.p, fit.fitted[None], fit.happened[None], fit.weight[None])[:, 0]
    if not event.independent:
        errors = _linear_errors(event, fit)
        values[2] *= 1.0 - values[2]
        linear = (Part(float(v), float(e), nan, nan) for v, e in zip(values, errors, strict=True))
        return Simulation(nan, Decomposition(*linear), None)
    whole = fit if event.scores.sample_weight is not None else fit.coarse(MOST_GROUPS)
    right, curves = _under_calibration(whole, grid, n, rng)
    observed = _terms(whole.p, whole.fitted[None], whole.happened[None], whole.weight[None])[0, 0]
    pvalue = (1.0 + np.count_nonzero(right >= observed - 1e-15)) / (n + 1.0)
    deviations = _resampled(whole, n, rng)
    parts = []
    for value, deviation, largest in zip(values.tolist(), deviations, (1.0, 0.25, 1.0), strict=True):
        below, above = np.quantile(deviation, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        ends = np.clip([value - above, value - below], 0.0, largest)
        parts.append(Part(value, float(deviation.std(ddof=1)), float(ends[0]), float(ends[1])))
    parts[2] = _uncertainty(parts[2], deviations[2])
    return Simulation(float(pvalue), Decomposition(*parts), _envelope(curves, level))


def _uncertainty(share: Part, deviation: FloatArray) -> Part:
    """The Brier score of predicting the share s of events, s (1 - s), from the interval of the share.

    It is largest at s = 1/2, where the deviations of s (1 - s) itself have one sign and would give no interval.
    """
    draws = share.value + deviation
    ends = [end * (1.0 - end) for end in (share.low, share.high)]
    high = 0.25 if share.low <= 0.5 <= share.high else max(ends)
    error = float((draws * (1.0 - draws)).std(ddof=1))
    return Part(share.value * (1.0 - share.value), error, min(ends), high)


def _under_calibration(
    fit: Fit, grid: FloatArray, n: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Miscalibration of outcomes drawn from the predictions, and the curves at the grid."""
    terms, curves = [], []
    place = np.clip(np.searchsorted(fit.p, grid), 0, len(fit.p) - 1)
    unit = fit.weight / fit.cases
    for rows in _rows(n, len(fit.p)):
        totals = unit * rng.binomial(fit.cases.astype(np.int64), np.clip(fit.p, 0.0, 1.0), (rows, len(fit.p)))
        fitted = isotonic_rows(totals, fit.weight[None])
        terms.append(_terms(fit.p, fitted, totals, fit.weight[None])[0])
        curves.append(fitted[:, place])
    return np.concatenate(terms), np.concatenate(curves)


def _resampled(fit: Fit, n: int, rng: np.random.Generator) -> FloatArray:
    """At [term, draw], simulated minus true terms (see `_terms`), for outcomes with recalibrated probabilities."""
    shares, unit = fit.weight / fit.total, fit.weight / fit.cases
    mean = float(shares @ fit.fitted)
    true = np.array([shares @ (fit.p - fit.fitted) ** 2, shares @ (fit.fitted - mean) ** 2, mean])
    chances = fit.cases / fit.cases.sum()
    terms = []
    for rows in _rows(n, len(fit.p)):
        counts = rng.multinomial(int(fit.cases.sum()), chances, rows)
        totals, weights = unit * rng.binomial(counts, np.clip(fit.fitted, 0.0, 1.0)), unit * counts
        terms.append(_terms(fit.p, isotonic_rows(totals, weights), totals, weights))
    return np.asarray(np.concatenate(terms, axis=1) - true[:, None])


def _rows(n: int, columns: int) -> list[int]:
    """The numbers of draws that are made together."""
    at_once = max(1, CELLS_AT_ONCE // columns)
    return [min(at_once, n - start) for start in range(0, n, at_once)]


def _linear_errors(event: Event, fit: Fit) -> FloatArray:
    """Standard errors to first order, in which the fit of the minimum has no influence."""
    fitted = fit.fitted[np.clip(np.searchsorted(fit.p, event.p), 0, len(fit.p) - 1)]
    share, y = float(np.average(event.y, weights=event.weight)), event.y
    after = (y - fitted) ** 2
    influence = np.stack([(y - event.p) ** 2 - after, (y - share) ** 2 - after, (1.0 - 2.0 * share) * y])
    centred = influence - np.average(influence, axis=1, weights=event.weight)[:, None]
    return np.asarray(np.sqrt(np.diag(event.covariance(centred))))


def _envelope(curves: FloatArray, level: float) -> Bands:
    """The quantiles of simulated curves at each point, and a multiple of them that contains whole curves.

    The simultaneous band reaches c times as far from the median as the quantiles do, with c the quantile of the
    largest ratio of a curve's deviation to that of the quantiles (ranks would need far more curves). Where curves
    hardly vary, such as at the ends, the deviation of the quantiles is at least its median over the points.
    """
    low, middle, high = np.quantile(curves, [(1.0 - level) / 2.0, 0.5, (1.0 + level) / 2.0], axis=0)
    below, above = (np.maximum(reach, np.median(reach)) + 1e-9 for reach in (middle - low, high - middle))
    away = curves - middle
    c = max(1.0, float(np.quantile(np.maximum(away / above, -away / below).max(axis=1), level)))
    wide = np.clip(middle - c * below, 0.0, 1.0), np.clip(middle + c * above, 0.0, 1.0)
    return Bands(low, high, *wide)


def confidence_bands(fit: Fit, grid: FloatArray, level: float) -> Bands:
    """Bands of the true share of events as a rising function of the prediction, from binomial bounds.

    Of all runs of neighbouring predictions that end at or below a point, the share of events bounds that at the
    point from below, by monotonicity; those that begin at or above it bound it from above. Clopper-Pearson bounds
    of all runs of at most 128 groups of predictions hold at once at the level, by Bonferroni's inequality (Yang &
    Barber 2019; Dimitriadis, Duembgen, Henzi, Puke & Ziegel 2022), which makes the band simultaneous without
    further assumptions. Pointwise, one run on either side is taken, of n^(2/3) cases. Weighted cases count as
    their effective number (Kish).
    """
    coarse = fit.coarse(MOST_KNOTS)
    k = len(coarse.p)
    first, last = np.triu_indices(k)
    scale = fit.cases.sum() / _kish(fit)
    delta = (1.0 - level) / (k * (k + 1.0))
    sums = [np.append(0.0, np.cumsum(row)) for row in (coarse.happened, coarse.weight, coarse.cases)]
    happened, weight, cases = (row[last + 1] - row[first] for row in sums)
    low, high = _binomial_bounds(happened / weight, cases / scale, delta)
    lower, upper = np.zeros(k), np.ones(k)
    np.maximum.at(lower, last, low)
    np.minimum.at(upper, first, high)
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    # a group holds a range of predictions: its bound is valid from its largest on, or up to its smallest
    ends, starts = _ranges(fit, coarse)
    below, above = np.searchsorted(ends, grid, "right") - 1, np.searchsorted(starts, grid, "left")
    simultaneous = np.append(lower, 0.0)[below], np.append(upper, 1.0)[above]
    return Bands(*_one_run(fit, grid, level, scale), *simultaneous)


def _ranges(fit: Fit, coarse: Fit) -> tuple[FloatArray, FloatArray]:
    """The largest and the smallest prediction of each group."""
    ends = np.searchsorted(np.cumsum(fit.cases), np.cumsum(coarse.cases) - 0.5)
    starts = np.append(0, ends[:-1] + 1)
    return fit.p[ends], fit.p[starts]


def _kish(fit: Fit) -> float:
    """The effective number of cases, as if those of a prediction had the same weight."""
    return float(fit.total**2 / (fit.weight**2 / fit.cases).sum())


def _one_run(fit: Fit, grid: FloatArray, level: float, scale: float) -> tuple[FloatArray, FloatArray]:
    """Pointwise bounds from the n^(2/3) cases nearest to a point on either side."""
    sums = [np.append(0.0, np.cumsum(row)) for row in (fit.happened, fit.weight, fit.cases)]
    size = float(fit.cases.sum()) ** (2.0 / 3.0)
    up_to, from_here = np.searchsorted(fit.p, grid, "right"), np.searchsorted(fit.p, grid, "left")
    begin = np.searchsorted(sums[2], sums[2][up_to] - size, "left")
    end = np.minimum(np.searchsorted(sums[2], sums[2][from_here] + size, "right"), len(fit.p))
    low, _ = _run_bounds(sums, np.minimum(begin, up_to), up_to, level, scale)
    _, high = _run_bounds(sums, from_here, np.maximum(end, from_here), level, scale)
    return low, high


def _run_bounds(
    sums: list[FloatArray], begin: IntArray, end: IntArray, level: float, scale: float
) -> tuple[FloatArray, FloatArray]:
    happened, weight, cases = (row[end] - row[begin] for row in sums)
    empty = weight <= 0
    share = np.where(empty, 0.5, happened / np.where(empty, 1.0, weight))
    low, high = _binomial_bounds(share, cases / scale, (1.0 - level) / 2.0)
    return np.where(empty, 0.0, low), np.where(empty, 1.0, high)


def _binomial_bounds(share: FloatArray, n: FloatArray, delta: float) -> tuple[FloatArray, FloatArray]:
    """Clopper & Pearson's bounds of a proportion of n cases, each with probability delta."""
    k = np.clip(share * n, 0.0, n)
    with np.errstate(all="ignore"):
        low = np.where(k > 0, betaincinv(k, n - k + 1.0, delta), 0.0)
        high = np.where(k < n, betaincinv(k + 1.0, n - k, 1.0 - delta), 1.0)
    return np.nan_to_num(low, nan=0.0), np.nan_to_num(high, nan=1.0)
