"""Confidence bands of a reliability curve from binomial bounds of runs of neighbouring predictions."""

import numpy as np
from scipy.special import betainc, betaincinv

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.reliability.decomposition import Bands, Fit, effective_cases

__all__ = ["confidence_bands"]

MOST_KNOTS = 128  # groups of neighbouring predictions, all runs of which bound the curve
ROUNDING = 1e-6  # of a probability, relative: bounds that may be rounded are computed


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
    groups = len(coarse.p)
    first, last = np.triu_indices(groups)
    scale = fit.cases.sum() / effective_cases(fit)
    delta = (1.0 - level) / (groups * (groups + 1.0))
    k, n = _run_counts(_sums(coarse), first, last + 1, scale)
    lower, upper = _bounds_of_runs(first, last, k, n, delta)
    # a group holds a range of predictions: its bound is valid from its largest on, or up to its smallest
    ends, starts = _ranges(fit, coarse)
    below, above = np.searchsorted(ends, grid, "right") - 1, np.searchsorted(starts, grid, "left")
    simultaneous = np.append(lower, 0.0)[below], np.append(upper, 1.0)[above]
    return Bands(*_one_run(fit, grid, level, scale), *simultaneous)


def _bounds_of_runs(
    first: IntArray, last: IntArray, k: FloatArray, n: FloatArray, delta: float
) -> tuple[FloatArray, FloatArray]:
    """By group, the largest lower bound of runs that end up to it, and the smallest upper one of those from it on.

    Most runs have bounds that shorter or longer ones exceed. So the bounds of runs of 1, 2, 4, ... groups come
    first, and of the others only those are computed that are beyond them, which the distribution function tells
    much faster than its inverse.
    """
    groups = int(last.max()) + 1
    lower, upper = np.zeros(groups), np.ones(groups)
    length, share = last - first + 1, k / n
    doubled = (length & (length - 1)) == 0
    np.maximum.at(lower, last[doubled], _lower_bounds(k[doubled], n[doubled], delta))
    np.minimum.at(upper, first[doubled], _upper_bounds(k[doubled], n[doubled], delta))
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    above = np.flatnonzero(~doubled & (share > lower[last]))  # a lower bound is below the share
    above = above[betainc(k[above], (n - k)[above] + 1.0, lower[last[above]]) < delta * (1.0 + ROUNDING)]
    below = np.flatnonzero(~doubled & (share < upper[first]))
    below = below[betainc(k[below] + 1.0, (n - k)[below], upper[first[below]]) > 1.0 - delta * (1.0 + ROUNDING)]
    np.maximum.at(lower, last[above], _lower_bounds(k[above], n[above], delta))
    np.minimum.at(upper, first[below], _upper_bounds(k[below], n[below], delta))
    return np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]


def _ranges(fit: Fit, coarse: Fit) -> tuple[FloatArray, FloatArray]:
    """The largest and the smallest prediction of each group."""
    ends = np.searchsorted(np.cumsum(fit.cases), np.cumsum(coarse.cases) - 0.5)
    starts = np.append(0, ends[:-1] + 1)
    return fit.p[ends], fit.p[starts]


def _one_run(fit: Fit, grid: FloatArray, level: float, scale: float) -> tuple[FloatArray, FloatArray]:
    """Pointwise bounds from the n^(2/3) cases nearest to a point on either side."""
    sums, delta = _sums(fit), (1.0 - level) / 2.0
    size = float(fit.cases.sum()) ** (2.0 / 3.0)
    up_to, from_here = np.searchsorted(fit.p, grid, "right"), np.searchsorted(fit.p, grid, "left")
    begin = np.searchsorted(sums[2], sums[2][up_to] - size, "left")
    end = np.minimum(np.searchsorted(sums[2], sums[2][from_here] + size, "right"), len(fit.p))
    below = _run_counts(sums, np.minimum(begin, up_to), up_to, scale)
    above = _run_counts(sums, from_here, np.maximum(end, from_here), scale)
    return _lower_bounds(*below, delta), _upper_bounds(*above, delta)


def _sums(fit: Fit) -> list[FloatArray]:
    """Running sums of the weight of events, of the weight of cases, and of cases."""
    return [np.append(0.0, np.cumsum(row)) for row in (fit.happened, fit.weight, fit.cases)]


def _run_counts(
    sums: list[FloatArray], begin: IntArray, end: IntArray, scale: float
) -> tuple[FloatArray, FloatArray]:
    """Events and cases of runs, as effective numbers; both 0 if a run is empty."""
    happened, weight, cases = (row[end] - row[begin] for row in sums)
    n = cases / scale
    share = np.divide(happened, weight, out=np.zeros(len(n)), where=weight > 0)
    return np.clip(share * n, 0.0, n), n


def _lower_bounds(k: FloatArray, n: FloatArray, delta: float) -> FloatArray:
    """Clopper & Pearson's lower bounds of a proportion, from k events in n cases, each with probability delta."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.where(k > 0, betaincinv(k, n - k + 1.0, delta), 0.0), nan=0.0)


def _upper_bounds(k: FloatArray, n: FloatArray, delta: float) -> FloatArray:
    """Clopper & Pearson's upper bounds."""
    with np.errstate(all="ignore"):
        return np.nan_to_num(np.where(k < n, betaincinv(k + 1.0, n - k, 1.0 - delta), 1.0), nan=1.0)
