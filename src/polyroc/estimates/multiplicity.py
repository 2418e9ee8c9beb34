"""Multiple comparisons: adjusted p-values, and the intervals beside them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import expm1, log1p
from statistics import NormalDist
from typing import Literal

import numpy as np

from polyroc.errors import InputError
from polyroc.estimates.hypothesis_tests import two_sided
from polyroc.kernels.arrays import FloatArray

__all__ = [
    "INTERVALS",
    "Adjustment",
    "IntervalKind",
    "LargestZ",
    "MaxT",
    "adjust",
    "adjusted_pvalues",
    "critical_value",
]

Adjustment = Literal["max-t", "holm", "bonferroni", "benjamini-hochberg"]
IntervalKind = Literal["simultaneous", "FCR-adjusted", "pointwise"]
INTERVALS: Mapping[Adjustment | None, IntervalKind] = {
    "max-t": "simultaneous",
    "holm": "simultaneous",
    "bonferroni": "simultaneous",
    "benjamini-hochberg": "FCR-adjusted",
    None: "pointwise",
}
DRAWS = 2**14  # of the maximum, for a Monte Carlo error of .0017 at a p-value of .05
TAIL_DRAWS = 100  # beyond a point, for a relative error of 1/10 of the share of draws there
NORMAL = NormalDist()


class LargestZ:
    """The distribution of the largest |z| of m correlated estimates if all true values are 0.

    It is simulated from the covariance of the estimates with a fixed seed: 16,384 draws, a Monte Carlo error of
    .0017 at a p-value of .05. Beyond the 100 largest draws it is extrapolated in proportion to Sidak's bound 1 -
    (1 - p)^m, which is an upper bound everywhere.

    References
    ----------
    Hothorn, Bretz & Westfall, Biometrical Journal 50 (2008) 346-363. Sidak, Journal of the American Statistical
    Association 62 (1967) 626-633.
    """

    def __init__(self, covariance: FloatArray) -> None:
        self._covariance = covariance
        self.tests = len(covariance)

    @cached_property
    def _maxima(self) -> FloatArray:
        """The simulated maxima, in ascending order."""
        # The square root by eigenvalues exists for a singular covariance too, unlike Cholesky's.
        variances, axes = np.linalg.eigh(np.nan_to_num(self._covariance))
        root = axes * np.sqrt(np.maximum(variances, 0.0))
        draws = root @ np.random.default_rng(0).standard_normal((len(root), DRAWS))
        largest = np.zeros(DRAWS)
        for values, variance in self._tested(root, draws):
            if variance > 0:
                np.maximum(largest, np.abs(values) / np.sqrt(variance), out=largest)
        return np.sort(largest)

    def _tested(self, root: FloatArray, draws: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        """The draws of each value that is tested, and its variance."""
        return ((values, float((row**2).sum())) for row, values in zip(root, draws, strict=True))

    def adjusted(self, z: float) -> float:
        """P(largest |z| >= |z|): the p-value adjusted for all tests."""
        if self.tests == 1 or np.isnan(z):
            return two_sided(z)
        bound = self._sidak(z)
        if not np.isfinite(self._covariance).all():
            return bound
        last = float(self._maxima[-TAIL_DRAWS])
        share = self._share(z) if abs(z) <= last else bound * min(1.0, self._share(last) / self._sidak(last))
        return max(two_sided(z), min(bound, share))

    def critical(self, level: float) -> float:
        """The |z| beyond which the adjusted p-value is below 1 - level, by bisection."""
        low, high = 0.0, NORMAL.inv_cdf(0.5 + level ** (1.0 / self.tests) / 2.0)
        for _ in range(60):
            middle = (low + high) / 2.0
            low, high = (low, middle) if self.adjusted(middle) < 1.0 - level else (middle, high)
        return high

    def _share(self, z: float) -> float:
        return 1.0 - float(np.searchsorted(self._maxima, abs(z))) / DRAWS

    def _sidak(self, z: float) -> float:
        p = two_sided(z)
        return -expm1(self.tests * log1p(-p)) if p < 1 else 1.0


class MaxT(LargestZ):
    """The distribution of the largest |z| of m pairwise differences, by default of all, if all values are equal.

    The differences are correlated, so their maximum is smaller than that of independent ones; see `LargestZ`.
    """

    def __init__(self, covariance: FloatArray, pairs: Sequence[tuple[int, int]] | None = None) -> None:
        super().__init__(covariance)
        self._pairs = [*combinations(range(len(covariance)), 2)] if pairs is None else [*pairs]
        self.tests = len(self._pairs)

    def _tested(self, root: FloatArray, draws: FloatArray) -> Iterator[tuple[FloatArray, float]]:
        for i, j in self._pairs:
            yield draws[i] - draws[j], float(((root[i] - root[j]) ** 2).sum())


def adjusted_pvalues(z: FloatArray, adjustment: Adjustment | None, max_t: MaxT) -> FloatArray:
    """P-values of several differences, given as z, adjusted for their number.

    "max-t", "holm" and "bonferroni" bound the family-wise error rate, "benjamini-hochberg" the false discovery
    rate. A nan stays nan and counts as a test.

    References
    ----------
    Holm, Scand. J. Statist. 6 (1979) 65-70. Benjamini & Hochberg, J. R. Statist. Soc. B 57 (1995) 289-300.
    """
    if adjustment == "max-t":
        return np.array([max_t.adjusted(value) for value in z])
    return adjust(np.array([two_sided(value) for value in z]), adjustment)


def adjust(pvalues: FloatArray, adjustment: Adjustment | None) -> FloatArray:
    """Adjusted p-values by Holm, Bonferroni or Benjamini & Hochberg, which need no covariance.

    >>> adjust(np.array([0.01, 0.04, 0.03]), "holm")
    array([0.03, 0.06, 0.06])
    >>> adjust(np.array([0.01, 0.04, 0.03]), "benjamini-hochberg")
    array([0.03, 0.04, 0.04])
    """
    if adjustment not in ("holm", "bonferroni", "benjamini-hochberg", None):
        raise InputError(
            f"adjustment must be 'holm', 'bonferroni', 'benjamini-hochberg' or None, got {adjustment!r}."
        )
    m = len(pvalues)
    if adjustment is None or m == 0:
        return pvalues
    if adjustment == "bonferroni":
        return np.minimum(1.0, m * pvalues)
    order = np.argsort(pvalues)  # nan last
    adjusted = np.empty(m)
    if adjustment == "holm":  # step-down: the r-th smallest times m - r + 1, not below the one before
        adjusted[order] = np.maximum.accumulate(pvalues[order] * np.arange(m, 0, -1))
    else:  # step-up: the r-th smallest times m / r, not above the one after
        adjusted[order] = np.fmin.accumulate((pvalues[order] * m / np.arange(1, m + 1))[::-1])[::-1]
    return np.minimum(1.0, np.where(np.isnan(pvalues), np.nan, adjusted))


def critical_value(pvalues: Sequence[float], adjustment: Adjustment | None, max_t: MaxT, level: float) -> float:
    """Return the z of the intervals of differences with these unadjusted p-values, the same for all.

    "max-t", "bonferroni" and "holm": the intervals are simultaneous, they contain all true differences with
    probability `level`. Those of "max-t" and "bonferroni" exclude 0 if and only if the adjusted p < 1 - level.
    Beside Holm's p-values stand the intervals of "max-t": a step-down test has no simultaneous intervals of its
    own that are bounded on both sides. At the margin Holm's p-value may therefore be below 1 - level where the
    interval contains 0, or the other way round.

    "benjamini-hochberg": with R differences shown (adjusted p < 1 - level) every interval has the level
    1 - R (1 - level) / m and is FCR-adjusted: of the intervals of the differences shown, the expected share that
    misses the true difference is at most 1 - level. It excludes 0 if and only if the difference is shown
    (Benjamini & Yekutieli, J. Amer. Statist. Assoc. 100 (2005) 71-81).
    """
    m, alpha = len(pvalues), 1.0 - level
    if adjustment is None or m < 2:
        return _quantile(alpha)
    if adjustment == "bonferroni":
        return _quantile(alpha / m)
    if adjustment == "benjamini-hochberg":
        shown = int((adjust(np.array(pvalues), adjustment) < alpha).sum())
        return _quantile(max(shown, 1) * alpha / m)
    return max_t.critical(level)


def _quantile(alpha: float) -> float:
    return NORMAL.inv_cdf(1.0 - alpha / 2.0)
