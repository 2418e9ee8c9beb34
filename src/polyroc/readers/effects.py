"""Means over readers and differences between modalities: intervals and tests by Student's t."""

from dataclasses import dataclass, replace
from math import exp, isnan, log, nan
from typing import Any

import numpy as np

from polyroc.estimates.hypothesis_tests import one_sided
from polyroc.estimates.intervals import ConfidenceInterval, student_interval
from polyroc.output.numbers import estimate_text
from polyroc.results.codec import Record
from polyroc.results.invariants import Invariants, at_least, shares, within
from polyroc.validation.arguments import checked_level, checked_margin
from polyroc.validation.signatures import validated

__all__ = ["ReaderAverage", "ReaderDifference", "tail"]

LARGE = 1e10  # degrees of freedom that stand for infinitely many
EDGE = 700.0  # logits beyond it are 0 or 1 in double precision


def tail(statistic: float, df: float) -> float:
    """The probability that Student's t is larger; the normal distribution if the degrees of freedom are infinite.

    >>> round(tail(2.0, 10), 6), round(tail(1.959964, float("inf")), 6)
    (0.036694, 0.025)
    """
    if np.isinf(df):
        return one_sided(statistic)
    from polyroc._scipy import stdtr

    return float(stdtr(df, -statistic))


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
    """

    value: float
    standard_error: float
    df: float
    limits: tuple[float, float]

    def _invariants(self) -> Invariants:
        yield within(self.value, *self.limits), "value must be between the limits"
        yield at_least([self.standard_error, self.df], 0), "standard_error and df must be 0 or more"

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval by Student's t on the logit scale of the limits; nan without variation.

        Near a limit the mean is skewed, and the interval around it (`student_interval`) covers too rarely. Without
        limits, or at one, it is that interval.
        """
        low, high = self.limits
        share, error = (self.value - low) / (high - low), self.standard_error / (high - low)
        if not (0.0 < share < 1.0 and error > 0.0):
            return self.student_interval(level)
        centre, slope = log(share / (1.0 - share)), share * (1.0 - share)
        ends = student_interval(centre, error / slope, min(self.df, LARGE), checked_level(level))
        return ConfidenceInterval(*(low + (high - low) / (1.0 + exp(-min(max(end, -EDGE), EDGE))) for end in ends))

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
    """

    first: str
    second: str
    value: float
    standard_error: float
    df: float
    limits: tuple[float, float]
    adjusted_pvalue: float = nan
    larger_is_better: bool = True

    def _invariants(self) -> Invariants:
        yield self.first != self.second, "first and second must differ"
        yield within(self.value, *self.limits), "value must be between the limits"
        yield at_least([self.standard_error, self.df], 0), "standard_error and df must be 0 or more"
        yield shares(self.adjusted_pvalue), "p-values must be from 0 to 1"

    @property
    def pvalue(self) -> float:
        """Two-sided p-value of no difference; nan without variation."""
        return 2.0 * tail(abs(self._t(0.0)), self.df) if self.standard_error > 0 else nan

    @validated
    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval by Student's t, within the limits; nan without variation."""
        return _interval(self.value, self.standard_error, self.df, self.limits, level)

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
        return replace(self, first=self.second, second=self.first, value=-self.value)

    @validated
    def text(self, level: float = 0.95) -> str:
        """The value with its interval."""
        return estimate_text(self.value, self.confidence_interval(level), level=level)

    def _t(self, null: float) -> float:
        return (self.value - null) / self.standard_error if self.standard_error > 0 else nan

    def _above(self, null: float) -> float:
        """P-value of the hypothesis that the difference is `null` or less."""
        t = self._t(null)
        return nan if isnan(t) else tail(t, self.df)

    def _below(self, null: float) -> float:
        """P-value of the hypothesis that the difference is `null` or more."""
        t = self._t(null)
        return nan if isnan(t) else tail(-t, self.df)

    def _derived(self) -> dict[str, Any]:
        return {"pvalue": self.pvalue}

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}
