"""A threshold that a required rate determines: it is a quantile of the scores of one class.

Of m cases of the class, r or more must be on the right side, so the threshold is the score of the r-th case. The
number of cases beyond a quantile is binomial, whatever the distribution of the scores; intervals of the threshold
and of the rate that it has on new cases follow from that (Wilks 1941), and need no resamples.
"""

from dataclasses import dataclass, replace

import numpy as np

from polyroc._results.codec import Record
from polyroc._results.invariants import Invariants, at_least, shares
from polyroc.decisions.cut_points import CutProblem, ScoreOrder
from polyroc.estimates.boundary import QUANTILES, Boundary
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.cut_points import EQUAL

__all__ = ["RequiredRate", "determining_class", "threshold_ranges"]


@dataclass(frozen=True, slots=True)
class RequiredRate(Record):
    """The rate of right decisions, required of a class, that determined a threshold.

    Let V be the rate of right decisions of the class on new cases, if k of m cases are on the right side of the
    threshold. Without ties the threshold is the score of one of them, and V is distributed as beta(k, m - k + 1).
    With ties, or if the scores of the other class decide between several thresholds, k is a binomial count at one
    of a few thresholds, with quantiles of beta(k, m - k + 1) and of beta(k + 1, m - k) as limits. The lower limit
    is the same in both cases; the upper one is in the middle, a quantile of beta(k + 1/2, m - k + 1/2).

    Attributes
    ----------
    true
        The class.
    observed
        The share of its cases on the right side of the threshold, k / m.
    cases
        The effective number of its cases.

    References
    ----------
    Wilks, Annals of Mathematical Statistics 12 (1941) 91-96. Brown, Cai & DasGupta, Statistical Science 16 (2001)
    101-133.
    """

    true: str
    observed: float
    cases: float

    def _invariants(self) -> Invariants:
        yield shares(self.observed), "observed must be from 0 to 1"
        yield at_least(self.cases, 1), "cases must be 1 or more"

    def limits(self, tail: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Limits of the rate of right decisions, each with this probability beyond it.

        >>> low, high = RequiredRate("sick", 0.9, 40).limits(np.array(0.025))
        >>> round(float(low), 4), round(float(high), 4)
        (0.7634, 0.9653)
        """
        from scipy.special import betaincinv

        n, k = self.cases, self.cases * self.observed
        low = betaincinv(k, n - k + 1.0, tail) if k > EQUAL else np.zeros_like(tail)
        high = betaincinv(k + 0.5, n - k + 0.5, 1.0 - tail) if n - k > EQUAL else np.ones_like(tail)
        return np.asarray(low), np.asarray(high)

    def boundary(self, value: float, right: bool) -> Boundary:
        """The limits of the rate of right decisions, or of that of wrong ones, around an estimate of it."""
        from scipy.special import ndtr

        low, high = self.limits(ndtr(-np.array(QUANTILES)))
        if not right:
            low, high = 1.0 - high, 1.0 - low
        ends = np.minimum.accumulate(np.minimum(low, value)), np.maximum.accumulate(np.maximum(high, value))
        return Boundary(value, 0.0, 0.0, ends=(tuple(ends[0].tolist()), tuple(ends[1].tolist())))


def determining_class(order: ScoreOrder, problem: CutProblem) -> int | None:
    """The position in `order.classes` of the class whose limit determines the threshold of two classes.

    None if no limit does, or if both do.
    """
    if len(order.classes) > 2 or not np.isfinite(problem.limits).any():
        return None
    chosen, determining = order.best(problem), []
    for k in range(2):
        relaxed = problem.limits.copy()
        relaxed[k, 1 - k] = np.inf
        other = order.best(replace(problem, limits=relaxed))
        if chosen is not None and other is not None and chosen.tolist() != other.tolist():
            determining.append(k)
    return determining[0] if len(determining) == 1 else None


def threshold_ranges(
    order: ScoreOrder, problem: CutProblem, k: int, cases: float, n: int
) -> tuple[FloatArray, FloatArray]:
    """Where the threshold of the population lies, at n equally likely numbers of cases of a class below it.

    Parameters
    ----------
    order, problem
        The cases by rising score, and the objective.
    k
        The class whose limit determines the threshold, as a position in `order.classes`.
    cases
        The effective number of its cases.
    n
        How many ranges.

    Returns
    -------
    low, high
        With J cases of the class below the threshold, it is above the score of the J-th case, up to that of the
        next. If the limit is that of the class of low scores, up to the next score of the other class, if that is
        higher: on the cases, all these thresholds are equally good.
    """
    from scipy.special import bdtr

    m, below = max(round(cases), 1), problem.limits[1, 0] if k == 1 else 1.0 - problem.limits[0, 1]
    cumulative = bdtr(np.arange(m, dtype=np.float64), m, below)
    counts = np.searchsorted(cumulative, (np.arange(n) + 0.5) / n).astype(np.float64)
    reached = order.rates[k, 1:]  # by score, the share of the class up to it

    def score_of(count: FloatArray) -> FloatArray:
        """The score of a case by its number from 1 on; infinite beyond the first and the last."""
        places = np.searchsorted(reached, count / m - EQUAL)
        return np.asarray(np.where(count < 1, -np.inf, np.where(count > m, np.inf, order.values[places])))

    low, high = score_of(counts), score_of(counts + 1)
    if k == 0:
        others = np.append(order.values[:-1][np.diff(order.rates[1]) > 0], np.inf)
        high = np.maximum(high, others[np.searchsorted(others, low, side="right")])
    return low, high
