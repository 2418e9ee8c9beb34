"""Signed ranks: the exact null distribution, and the interval it gives a median of paired differences."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import floor, nan, sqrt
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.intervals import ConfidenceInterval, student_interval
from polyroc.estimates.multiplicity import Adjustment
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import number_text, p_text
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result, plain
from polyroc.validation.arguments import checked_level

__all__ = ["EXACT", "PairedTest", "PairedTests", "hodges_lehmann", "null_counts", "walsh_interval"]


EXACT = 200  # differences up to which the distribution is counted, not approximated


def null_counts(ranks: FloatArray) -> FloatArray:
    """P(2 T = 0, 1, 2 ...) of the sum T of those ranks whose difference is positive, if signs are coins.

    Exact with ties too: ranks are whole or half, so they are doubled and counted.

    >>> null_counts(np.array([1.0, 2.0]))
    array([0.25, 0.  , 0.25, 0.  , 0.25, 0.  , 0.25])
    """
    doubled = np.round(2 * ranks).astype(np.int64)
    found = np.zeros(int(doubled.sum()) + 1)
    found[0] = 1.0
    for rank in doubled:
        found[rank:] = found[rank:] + found[: len(found) - rank]
        found /= 2
    return found


def walsh_averages(differences: FloatArray) -> FloatArray:
    """The means of all pairs of differences, each with itself too, sorted."""
    i, j = np.triu_indices(len(differences))
    return np.sort((differences[i] + differences[j]) / 2)


def hodges_lehmann(differences: FloatArray) -> float:
    """The median of the Walsh averages: an estimate of the centre of symmetry.

    >>> hodges_lehmann(np.array([0.0, 1.0, 5.0]))
    1.75
    """
    return float(np.median(walsh_averages(differences)))


def walsh_interval(differences: FloatArray, level: float = 0.95) -> ConfidenceInterval:
    """Where the centre of symmetric differences is: all that the signed-rank test would not reject.

    Between the c-th smallest and the c-th largest Walsh average, where P(T < c) is at most (1 - level) / 2
    (Hollander & Wolfe); (nan, nan) if there are too few differences for the level.

    >>> walsh_interval(np.array([-0.5, 0.2, 0.6, 1.1, 1.6, 2.5, 3.0]))
    ConfidenceInterval(low=0.04..., high=2.5)
    """
    checked_level(level)
    n, tail = len(differences), (1 - level) / 2
    if n <= EXACT:
        below = np.cumsum(null_counts(np.arange(1.0, n + 1))[::2])  # P(T <= 0), P(T <= 1) ...
        c = int(np.searchsorted(below, tail, "right"))
    else:
        c = floor(n * (n + 1) / 4 + NormalDist().inv_cdf(tail) * sqrt(n * (n + 1) * (2 * n + 1) / 24))
    if c < 1:
        return ConfidenceInterval(nan, nan)
    averages = walsh_averages(differences)
    return ConfidenceInterval(float(averages[c - 1]), float(averages[-c]))


Procedure = Literal["corrected t", "wilcoxon"]
NAMES = {
    "corrected t": "Nadeau & Bengio's corrected resampled t",
    "wilcoxon": "Wilcoxon's signed-rank test",
}


@dataclass(frozen=True, slots=True)
class PairedTest:
    """How much more one learner has of a measure than another.

    Attributes
    ----------
    first, second
        The learners; values are first minus second.
    value
        The mean difference over folds; or, over data sets, the centre of the differences (Hodges & Lehmann).
    standard_error, df
        Of the mean difference; nan for signed ranks.
    statistic
        Student's t; or the sum of the ranks of positive differences.
    pvalue, adjusted_pvalue
        Two-sided, of no difference; the latter adjusted for all pairs that were compared.
    differences
        The differences on the data sets; empty for folds.
    """

    first: str
    second: str
    value: float
    standard_error: float
    df: float
    statistic: float
    pvalue: float
    adjusted_pvalue: float
    differences: tuple[float, ...] = ()

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval at a level, not adjusted for other pairs; (nan, nan) if the level needs more data sets."""
        if self.differences:
            return walsh_interval(np.array(self.differences), level)
        return student_interval(self.value, self.standard_error, self.df, level)

    def _derived_at(self, level: float) -> dict[str, Any]:
        return {"confidence_interval": list(self.confidence_interval(level))}

    def reversed(self) -> "PairedTest":
        """The same pair the other way round."""
        ranks = sum(1 for each in self.differences if each)
        statistic = ranks * (ranks + 1) / 2 - self.statistic if self.differences else -self.statistic
        differences = tuple(-each for each in self.differences)
        return replace(
            self,
            first=self.second,
            second=self.first,
            value=-self.value,
            statistic=statistic,
            differences=differences,
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PairedTests(Result):
    """Which learners differ, pair by pair.

    Attributes
    ----------
    procedure
        "corrected t" (over the folds of one data set) or "wilcoxon" (over data sets).
    data_set, measure
        What was tested on, and by what.
    learners
        The learners.
    tests
        By pair of learners, in order.
    adjustment
        How the p-values were adjusted: "holm", "bonferroni", "benjamini-hochberg" or None.
    assumes
        What has to be so for the p-values to hold.
    provenance
        Method, what was left out, version.
    """

    procedure: Procedure
    data_set: str
    measure: str
    learners: tuple[str, ...]
    tests: Mapping[tuple[str, str], PairedTest]
    adjustment: Adjustment | None
    assumes: str
    provenance: Provenance

    @property
    def name(self) -> str:
        """The procedure in words."""
        return NAMES[self.procedure]

    def __getitem__(self, pair: tuple[str, str]) -> PairedTest:
        if pair in self.tests:
            return self.tests[pair]
        if not isinstance(pair, tuple) or pair[::-1] not in self.tests:
            known = ", ".join(map(repr, self.learners))
            raise InputError(f"There is no pair of learners {pair!r}; give two different ones of {known}.")
        return self.tests[pair[::-1]].reversed()

    def __repr__(self) -> str:
        shown = [
            f"{a} - {b} {number_text(each.value)} ({p_text(each.adjusted_pvalue)})"
            for (a, b), each in self.tests.items()
        ]
        more = "; ..." if len(shown) > 6 else ""
        where = f"{self.measure} on {self.data_set}"
        return f"PairedTests({self.procedure}, {where}: {'; '.join(shown[:6])}{more})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per pair."""
        return [self._row(each, level) for each in self.tests.values()]

    def _row(self, each: PairedTest, level: float) -> dict[str, Any]:
        low, high = each.confidence_interval(level)
        return {
            "first": each.first,
            "second": each.second,
            "difference": each.value,
            "standard_error": plain(each.standard_error),
            "low": plain(low),
            "high": plain(high),
            "level": level,
            "statistic": plain(each.statistic),
            "df": plain(each.df),
            "pvalue": plain(each.pvalue),
            "adjusted_pvalue": plain(each.adjusted_pvalue),
        }
