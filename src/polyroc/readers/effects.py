"""Means over readers and differences between modalities: intervals and tests by Student's t."""

from dataclasses import dataclass, field, replace
from math import exp, isfinite, log, nan
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from polyroc._results.codec import STORED_IF_SET, Record
from polyroc._results.invariants import Invariants, at_least, shares, within
from polyroc.estimates.difference import ScoreRegion
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.hypothesis_tests import one_sided, signed_root
from polyroc.estimates.intervals import ConfidenceInterval, interval_at, student_interval, student_z
from polyroc.output.numbers import estimate_text
from polyroc.validation.arguments import checked_level, checked_margin
from polyroc.validation.signatures import validated

__all__ = ["ReaderAverage", "ReaderDifference", "tail"]

LARGE = 1e10  # degrees of freedom that stand for infinitely many
EDGE = 700.0  # logits beyond it are 0 or 1 in double precision
LARGEST_T = 1e8  # quantiles of Student's t that stand for larger ones, whose squares overflow
NEAR_LIMIT = 2.0  # cases' worth of distance from a limit; with less, Student's intervals covered too rarely


def tail(statistic: float, df: float) -> float:
    """The probability that Student's t is larger; the normal distribution if the degrees of freedom are infinite.

    >>> round(tail(2.0, 10), 6), round(tail(1.959964, float("inf")), 6)
    (0.036694, 0.025)
    """
    if np.isinf(df):
        return one_sided(statistic)
    from scipy.special import stdtr

    return float(stdtr(df, -statistic))


def _quantile(z: float, df: float) -> float:
    """Return the quantile of Student's t at the probability of a standard normal quantile."""
    return min(student_z(z, min(df, LARGE)), LARGEST_T)


def _interval(
    value: float, error: float, df: float, limits: tuple[float, float], level: float
) -> ConfidenceInterval:
    """The interval by Student's t, within the limits; nan without a standard error above 0."""
    checked_level(level)
    if not error > 0:
        return ConfidenceInterval(nan, nan)
    low, high = student_interval(value, error, min(df, LARGE), level)
    return ConfidenceInterval(max(limits[0], low), min(limits[1], high))


@dataclass(frozen=True, slots=True)
class ReaderAverage(Record):
    """The mean over readers of one modality.

    Attributes
    ----------
    value, standard_error, df
        The mean, its standard error and the degrees of freedom (infinite if readers are fixed).
    limits
        The smallest and the largest possible value.
    cases
        The effective number of cases of the smallest class behind the mean: as many as a reader has if readers err
        on the same cases, up to as many as all readers have together. None if cases are fixed.
    """

    value: float
    standard_error: float
    df: float
    limits: tuple[float, float]
    cases: float | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        yield within(self.value, *self.limits), "value must be between the limits"
        yield at_least([self.standard_error, self.df], 0), "standard_error and df must be 0 or more"

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Return the interval by Student's t on the logit scale of the limits; nan without variation.

        Near a limit the mean is skewed, and the interval around it (`student_interval`) covers too rarely. Where
        the mean is less than two of its `cases` away from a limit, it is the guarded interval of
        `polyroc.estimates.intervals.interval`, with the quantile of Student's t. Without limits it is
        `student_interval`.
        """
        low, high = self.limits
        if self.cases is not None and (self.is_near_limit or self.standard_error == 0):
            z = _quantile(NormalDist().inv_cdf(0.5 + checked_level(level) / 2), self.df)
            return interval_at(self.value, self.standard_error, self.limits, self.cases, z)
        share, error = (self.value - low) / (high - low), self.standard_error / (high - low)
        if not (0.0 < share < 1.0 and error > 0.0):
            return self.student_interval(level)
        centre, slope = log(share / (1.0 - share)), share * (1.0 - share)
        ends = student_interval(centre, error / slope, min(self.df, LARGE), checked_level(level))
        return ConfidenceInterval(*(low + (high - low) / (1.0 + exp(-min(max(end, -EDGE), EDGE))) for end in ends))

    @property
    def is_near_limit(self) -> bool:
        """True if the mean is less than two cases of the smallest class away from a limit."""
        low, high = self.limits
        if self.cases is None or not isfinite(high - low):
            return False
        return self.cases * min(self.value - low, high - self.value) < NEAR_LIMIT * (high - low)

    @property
    def cases_behind(self) -> float:
        """The effective number of cases, as that of an `Estimate`; nan if it is not known."""
        return nan if self.cases is None else self.cases

    @property
    def monte_carlo_error(self) -> float:
        """0, as that of an `Estimate` from all tuples of cases."""
        return 0.0

    @property
    def fewest(self) -> float:
        """The effective number of cases; as in an `Estimate` whose cases reach all of the range."""
        return self.cases_behind

    @property
    def of_decisions(self) -> bool:
        """False: a mean over readers takes more values than that of one decision a case."""
        return False

    @property
    def bound_slack(self) -> tuple[float, float]:
        """0 and 0: the value is exact."""
        return 0.0, 0.0

    @validated
    def student_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The value plus or minus a quantile of Student's t times the standard error, as in MRMCaov."""
        return _interval(self.value, self.standard_error, self.df, self.limits, level)

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}


@dataclass(frozen=True, slots=True)
class ReaderDifference(Record):
    """The difference between two modalities, or an algorithm and a modality: first minus second.

    Attributes
    ----------
    first, second
        The modalities.
    value, standard_error, df
        The difference, its standard error and the degrees of freedom (infinite: normal distribution).
    limits
        The smallest and the largest possible difference.
    adjusted_pvalue
        The two-sided p-value of no difference, adjusted for all pairs of modalities.
    larger_is_better
        False for a cost.
    means
        The two means, if one of them is near a limit, or the standard error is 0: intervals and tests are then
        those of `compare` (`polyroc.estimates.difference.ScoreRegion`). None elsewhere.
    """

    first: str
    second: str
    value: float
    standard_error: float
    df: float
    limits: tuple[float, float]
    adjusted_pvalue: float = nan
    larger_is_better: bool = True
    means: tuple[ReaderAverage, ReaderAverage] | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        yield self.first != self.second, "first and second must differ"
        yield within(self.value, *self.limits), "value must be between the limits"
        yield at_least([self.standard_error, self.df], 0), "standard_error and df must be 0 or more"
        yield shares(self.adjusted_pvalue), "p-values must be from 0 to 1"

    @property
    def pvalue(self) -> float:
        """Two-sided p-value of no difference; nan without variation."""
        return min(2.0 * min(self._above(0.0), self._below(0.0)), 1.0)

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """Return the interval by Student's t, within the limits; nan without variation.

        Near a limit, or without variation of the difference, it is that of the score test of the `means`.
        """
        if self.means is not None:
            return ConfidenceInterval(*self._region_at(NormalDist().inv_cdf(0.5 + checked_level(level) / 2)))
        return _interval(self.value, self.standard_error, self.df, self.limits, level)

    def _region_at(self, z: float) -> tuple[float, float]:
        """Return the ends of the interval of the score test at a standard normal quantile."""
        # means have what the region asks of estimates
        region = ScoreRegion(*cast(tuple[Estimate, Estimate], self.means), self.standard_error**2)
        return region.ends(_quantile(z, self.df))

    @validated
    def non_inferiority(self, margin: float) -> float:
        """P-value of the hypothesis that the first is worse than the second by `margin` or more (one-sided)."""
        margin = checked_margin(margin, self.limits[1])
        return self._above(-margin) if self.larger_is_better else self._below(margin)

    @validated
    def superiority(self, margin: float = 0.0) -> float:
        """P-value of the hypothesis that the first is better than the second by `margin` at most (one-sided)."""
        checked_margin(margin, self.limits[1], zero=True)
        return self._above(margin) if self.larger_is_better else self._below(-margin)

    @validated
    def equivalence(self, margin: float) -> float:
        """P-value of the hypothesis that the two differ by `margin` or more, either way (two one-sided tests)."""
        margin = checked_margin(margin, self.limits[1])
        return max(self._above(-margin), self._below(margin))

    def reversed(self) -> "ReaderDifference":
        """The same pair with first and second exchanged."""
        return replace(
            self, first=self.second, second=self.first, value=-self.value, means=self.means and self.means[::-1]
        )

    @validated
    def text(self, level: float = 0.95) -> str:
        """The value with its interval."""
        return estimate_text(self.value, self.confidence_interval(level), level=level)

    def _above(self, null: float) -> float:
        """P-value of the hypothesis that the difference is `null` or less."""
        return self._tail(null, 1.0)

    def _below(self, null: float) -> float:
        """P-value of the hypothesis that the difference is `null` or more."""
        return self._tail(null, -1.0)

    def _tail(self, null: float, sign: float) -> float:
        """Return the p-value against larger (sign 1) or smaller (-1) values; nan without variation."""
        if self.means is not None:
            return one_sided(sign * signed_root(self._region_at, self.value, null))
        if not self.standard_error > 0:
            return nan
        return tail(sign * (self.value - null) / self.standard_error, self.df)

    def _derived(self) -> dict[str, Any]:
        return {"pvalue": self.pvalue}

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}
