"""Variances that need no data: of the area under the ROC curve, and of the volume of three ordered classes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp, pi, sqrt
from typing import Literal, TypeAlias

import numpy as np

from polyroc.datasets import Trinormal
from polyroc.errors import InputError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil, area_variance
from polyroc.measures.measure import Measure, NormalModel
from polyroc.power.aims import NORMAL, Question
from polyroc.power.allocation import Sizes
from polyroc.power.variances import Variances

__all__ = ["CLASSES", "CorrelationOf", "FormulaVariances", "Obuchowski", "area_correlation", "formula"]

CorrelationOf = Literal["estimates", "scores"]
Variance: TypeAlias = Callable[..., float]  # from a value between 0 and 1 and the class sizes

# What the classes are called under each model of normal scores.
CLASSES: Mapping[NormalModel, tuple[str, ...]] = {
    "binormal": ("negative", "positive"),
    "trinormal": ("lowest", "middle", "highest"),
}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)


@dataclass(frozen=True, slots=True)
class Obuchowski:
    """Obuchowski's variance of the area under the ROC curve, for planning: ratings with a binormal model behind.

    With a = 1.414 Phi^-1(A), n1 positives and n0 negatives,

        variance = 0.0099 exp(-a^2 / 2) [(5 a^2 + 8) / n1 + (a^2 + 8) / n0]

    For areas above 1/2 more depends on the number of positives than on that of negatives; where the area is large
    it asks for more cases than Hanley & McNeil's formula does.

    References
    ----------
    Obuchowski & McClish, Statistics in Medicine 16 (1997) 1529-1542. Obuchowski, Lieber & Wians, Clinical
    Chemistry 50 (2004) 1118-1125, equation 3 and table 4.
    """

    def planned_variance(self, area: float, negatives: int, positives: int) -> float:
        """The formula, constants as published.

        >>> round(Obuchowski().planned_variance(0.5, 100, 100), 6)  # 0.0792 (1 / 100 + 1 / 100)
        0.001584
        """
        a2 = (1.414 * NORMAL.inv_cdf(area)) ** 2
        return 0.0099 * exp(-a2 / 2.0) * ((5.0 * a2 + 8.0) / positives + (a2 + 8.0) / negatives)


def formula(measure: Measure, method: HanleyMcNeil | Obuchowski | None) -> tuple[Variance, str]:
    """The variance and its name: by a method, by default the exact one for normal scores of equal variance."""
    if measure.normal_model == "trinormal":
        if method is not None:
            raise InputError(
                f"{method!r} is for areas; leave out method: that of {measure} is exact for normal scores."
            )
        return _trinormal, "exact variance for normal scores of equal variance, means evenly spaced"
    if method is None:
        return _binormal, "exact variance for normal scores of equal variance"
    return method.planned_variance, repr(method)


def _binormal(area: float, negatives: int, positives: int) -> float:
    """Exact for two normal distributions of equal variance.

    The components of the positives and of the negatives have the variance Phi2(h, h; 1/2) - area^2, with h the
    normal deviate of the area: two negatives are both below a positive if two normal variables with a correlation
    of 1/2 are both below h.

    >>> round(_binormal(0.5, 10, 10), 12) == round(21 / 1200, 12)  # Wilcoxon's, whatever the distribution
    True
    """
    h = NORMAL.inv_cdf(area)
    return area_variance(area, positives, negatives, *[_orthant_covariance(h, h, 0.5) + area**2] * 2)


def _trinormal(volume: float, *sizes: int) -> float:
    return _evenly_spaced(volume).vus_variance(sizes)


_evenly_spaced = lru_cache(maxsize=8)(Trinormal.with_vus)


@dataclass(frozen=True, slots=True)
class FormulaVariances:
    """The variance of an area or a volume, or of the difference between two, at given class sizes.

    Attributes
    ----------
    question
        What is asked of a measure that has a formula.
    variance
        Of one area or volume.
    textbook
        True for the test of the published formulas, with the variance under the hypothesis; False for the test of
        `evaluate` or `compare`.
    correlation
        Between the estimates of two classifiers; 0 if they judge different cases.
    """

    question: Question
    variance: Variance
    textbook: bool = False
    correlation: float = 0.0

    def __post_init__(self) -> None:
        low, high = self.question.limits
        for name, value in {"value": self.question.value, "versus": self.question.versus}.items():
            if value is not None and not low < value < high:
                raise InputError(
                    f"{name} must be between {low:g} and {high:g}, both excluded, got {value:g}; a formula for a "
                    "perfect classifier says that no case is needed."
                )
        if self.question.aim.width is None and not low < self._rejected < high:
            raise InputError(
                f"The {self.question.measure} to be rejected must be between {low:g} and {high:g}, both excluded, "
                f"got {self._rejected:g}; change null or margin."
            )

    @property
    def _rejected(self) -> float:
        """The first classifier's value if the hypothesis is true."""
        return self.question.hypothesis + (self.question.versus or 0.0)

    def variances(self, sizes: Sizes) -> Variances:
        """At the expected values."""
        return self._at(self.question.value, sizes)

    def under_hypothesis(self, sizes: Sizes) -> float | None:
        """The variance that the textbook test takes (Hanley & McNeil 1982); None for the usual test."""
        return self._at(self._rejected, sizes).effect if self.textbook else None

    def effective(self, sizes: Sizes) -> tuple[float, ...]:
        """As `Estimate.effective` of each classifier."""
        return (min(sizes),) if self.question.versus is None else (min(sizes), min(sizes))

    def _at(self, value: float, sizes: Sizes) -> Variances:
        """If the first classifier has this value, and the second one what is expected of it."""
        first = self._of_one(value, sizes)
        if self.question.versus is None:
            return Variances((first,), first)
        second = self._of_one(self.question.versus, sizes)
        both = first + second - 2.0 * self.correlation * sqrt(first * second)
        return Variances((first, second), max(0.0, both))

    def _of_one(self, value: float, sizes: Sizes) -> float:
        low, high = self.question.limits
        return (high - low) ** 2 * self.variance((value - low) / (high - low), *sizes)


def area_correlation(correlation: float, value: float, versus: float) -> float:
    """The correlation between the estimates of two areas, from that between the scores within each class.

    For normal scores of equal variance (`Binormal` with a ratio of 1), the same correlation in both classes, and
    many cases. That of the areas is a little below that of the scores.

    Parameters
    ----------
    correlation
        Between the two classifiers' scores of cases of the same class, -1 to 1.
    value, versus
        The two areas.

    Notes
    -----
    The components of the two areas have the covariance Phi2(h, k; r / 2) - Phi(h) Phi(k), with h and k the normal
    deviates of the areas, Phi2 the bivariate normal distribution function, whose derivative by its correlation is
    the density: so the covariance is the integral of the density from 0 to r / 2.

    >>> round(area_correlation(0.5, 0.85, 0.80), 4), area_correlation(1.0, 0.8, 0.8)
    (0.4452, 1.0)
    """
    h, k = NORMAL.inv_cdf(value), NORMAL.inv_cdf(versus)
    own = _orthant_covariance(h, h, 0.5) * _orthant_covariance(k, k, 0.5)
    return _orthant_covariance(h, k, correlation / 2.0) / sqrt(own)


def _orthant_covariance(h: float, k: float, r: float) -> float:
    """Phi2(h, k; r) - Phi(h) Phi(k), for |r| <= 1/2, by Gauss and Legendre's rule (smooth there: 32 points)."""
    rho = r * (NODES + 1.0) / 2.0
    rest = 1.0 - rho**2
    density = np.exp(-(h * h - 2.0 * rho * h * k + k * k) / (2.0 * rest)) / (2.0 * pi * np.sqrt(rest))
    return float(r / 2.0 * (WEIGHTS @ density))
