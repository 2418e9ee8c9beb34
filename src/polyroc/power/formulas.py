"""Variance formulas for planning without data: area under the ROC curve, volume of three ordered classes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import exp, pi, sqrt
from typing import Annotated, Literal, TypeAlias

import numpy as np

from polyroc.datasets import Trinormal
from polyroc.errors import InputError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil, area_variance
from polyroc.measures.measure import Measure, NormalModel
from polyroc.messages import Option
from polyroc.power.allocation import Sizes
from polyroc.power.analytic import Variances
from polyroc.power.goals import NORMAL, PlanningQuestion
from polyroc.validation.signatures import OpenShare, PositiveInt, validated, within

__all__ = ["CLASSES", "CorrelationOf", "FormulaVariances", "Obuchowski", "area_correlation", "formula"]

CorrelationOf = Literal["estimates", "scores"]
Variance: TypeAlias = Callable[..., float]  # from a value between 0 and 1 and the class sizes

# The names of the classes under each model of normal scores.
CLASSES: Mapping[NormalModel, tuple[str, ...]] = {
    "binormal": ("negative", "positive"),
    "trinormal": ("lowest", "middle", "highest"),
}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)  # see `_orthant_covariance`


@dataclass(frozen=True, slots=True)
class Obuchowski:
    """Obuchowski's variance of the area under the ROC curve, for planning: ratings with a latent binormal model.

    With a = 1.414 Phi^-1(A), n1 positives and n0 negatives,

        variance = 0.0099 exp(-a^2 / 2) [(5 a^2 + 8) / n1 + (a^2 + 8) / n0]

    For areas above 1/2 it depends more on the number of positives than on that of negatives; for large areas it is
    larger than Hanley & McNeil's.

    References
    ----------
    Obuchowski & McClish, Statistics in Medicine 16 (1997) 1529-1542. Obuchowski, Lieber & Wians, Clinical
    Chemistry 50 (2004) 1118-1125, equation 3 and table 4.
    """

    @validated
    def planned_variance(self, area: OpenShare, negatives: PositiveInt, positives: PositiveInt) -> float:
        """The formula with its published constants.

        >>> round(Obuchowski().planned_variance(0.5, 100, 100), 6)  # 0.0792 (1 / 100 + 1 / 100)
        0.001584
        """
        a2 = (1.414 * NORMAL.inv_cdf(area)) ** 2
        return 0.0099 * exp(-a2 / 2.0) * ((5.0 * a2 + 8.0) / positives + (a2 + 8.0) / negatives)


def formula(measure: Measure, method: HanleyMcNeil | Obuchowski | None) -> tuple[Variance, str]:
    """The variance and its name: of a method, by default the exact one for normal scores of equal variance."""
    if measure.normal_model == "trinormal":
        if method is not None:
            raise InputError(
                f"{method!r} is for areas; omit ",
                Option("method"),
                f": that of {measure} is exact for normal scores.",
            )
        return _trinormal, "exact variance for normal scores of equal variance, means evenly spaced"
    if method is None:
        return _binormal, "exact variance for normal scores of equal variance"
    return method.planned_variance, repr(method)


def _binormal(area: float, negatives: int, positives: int) -> float:
    """The exact variance for two normal distributions of equal variance.

    The components of the positives and of the negatives have the variance Phi2(h, h; 1/2) - area^2, with h the
    normal deviate of the area: two negatives are both below a positive if two normal variables with a correlation
    of 1/2 are both below h.

    >>> round(_binormal(0.5, 10, 10), 12) == round(21 / 1200, 12)  # Wilcoxon's, for every distribution
    True
    """
    h = NORMAL.inv_cdf(area)
    return area_variance(area, positives, negatives, *[_orthant_covariance(h, h, 0.5) + area**2] * 2)


def _trinormal(volume: float, *sizes: int) -> float:
    """The exact variance for three normal distributions of equal variance with evenly spaced means."""
    return _evenly_spaced(volume).vus_variance(sizes)


_evenly_spaced = lru_cache(maxsize=8)(Trinormal.with_vus)  # the search for n asks for the same volume many times


@dataclass(frozen=True, slots=True)
class FormulaVariances:
    """The variance of an area or a volume, or of the difference between two, at given class sizes.

    Attributes
    ----------
    question
        The goal and the expected values of a measure that has a formula.
    variance
        The variance of one area or volume.
    textbook
        True for the test of the published formulas, with the variance under the hypothesis; False for the test of
        `evaluate` or `compare`.
    correlation
        Between the estimates of two classifiers; 0 if they are evaluated on different cases.
    """

    question: PlanningQuestion
    variance: Variance
    textbook: bool = False
    correlation: float = 0.0

    def __post_init__(self) -> None:
        low, high = self.question.limits
        for name, value in {"value": self.question.value, "versus": self.question.versus}.items():
            if value is not None and not low < value < high:
                raise InputError(
                    f"{name} must be between {low:g} and {high:g}, both excluded, got {value:g}; at a limit the "
                    "variance of the formula is 0."
                )
        if self.question.goal.width is None and not low < self._rejected < high:
            raise InputError(
                f"The {self.question.measure} to be rejected must be between {low:g} and {high:g}, both excluded, "
                f"got {self._rejected:g}; change null or margin."
            )

    @property
    def _rejected(self) -> float:
        """The first classifier's value under the hypothesis."""
        return self.question.hypothesis + (self.question.versus or 0.0)

    def variances(self, sizes: Sizes) -> Variances:
        """The variances at the expected values."""
        return self._at(self.question.value, sizes)

    def under_hypothesis(self, sizes: Sizes) -> float | None:
        """The variance that the textbook test uses (Hanley & McNeil 1982); None for the test of `evaluate`."""
        return self._at(self._rejected, sizes).effect if self.textbook else None

    def cases(self, sizes: Sizes) -> tuple[tuple[float, float], ...]:
        """Return `Estimate.fewest` and `Estimate.effective` of each classifier."""
        return ((min(sizes), min(sizes)),) * len(self.question.values)

    def _at(self, value: float, sizes: Sizes) -> Variances:
        """The variances if the first classifier has this value and the second one its expected value."""
        first = self._of_one(value, sizes)
        if self.question.versus is None:
            return Variances((first,), first)
        second = self._of_one(self.question.versus, sizes)
        both = first + second - 2.0 * self.correlation * sqrt(first * second)
        return Variances((first, second), max(0.0, both))

    def _of_one(self, value: float, sizes: Sizes) -> float:
        low, high = self.question.limits
        return (high - low) ** 2 * self.variance((value - low) / (high - low), *sizes)


@validated
def area_correlation(correlation: Annotated[float, within(-1, 1)], value: OpenShare, versus: OpenShare) -> float:
    """The correlation of the estimates of two areas, from that of the scores within each class.

    For normal scores of equal variance (`Binormal` with a ratio of 1), the same correlation in both classes, and
    large samples. The correlation of the areas is slightly below that of the scores.

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
    if own == 0:  # by underflow
        raise InputError(f"value and versus must not be so close to 0 or 1, got {value:g} and {versus:g}.")
    return _orthant_covariance(h, k, correlation / 2.0) / sqrt(own)


def _orthant_covariance(h: float, k: float, r: float) -> float:
    """Phi2(h, k; r) - Phi(h) Phi(k) for |r| <= 1/2, by Gauss-Legendre quadrature.

    The integrand, the density, is smooth there, so 32 points suffice.
    """
    rho = r * (NODES + 1.0) / 2.0
    rest = 1.0 - rho**2
    density = np.exp(-(h * h - 2.0 * rho * h * k + k * k) / (2.0 * rest)) / (2.0 * pi * np.sqrt(rest))
    return float(r / 2.0 * (WEIGHTS @ density))
