"""BinormalFit: a smooth ROC curve with two parameters."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray
from polyroc.results.result import Result, number_text

__all__ = ["BinormalFit"]

SPAN = np.linspace(-4.0, 4.0, 201)  # normal deviates of the false positive rate at which the curve is drawn


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BinormalFit(Result):
    """The binormal curve TPR = Phi(a + b Phi^-1(FPR)) fitted by maximum likelihood.

    Some rising function of the score is normal in both classes: mean 0 and spread 1 for the negatives, mean
    a / b and spread 1 / b for the positives.

    Attributes
    ----------
    a, b
        Intercept and slope of the curve in normal deviates.
    covariance
        Of (a, b).
    area
        Phi(a / sqrt(1 + b^2)) with its standard error by the delta method.
    categories
        How many categories of the score the likelihood was made of.
    log_likelihood
        Its maximum.
    """

    a: float
    b: float
    covariance: FloatArray
    area: Estimate
    categories: int
    log_likelihood: float

    @property
    def separation(self) -> float:
        """Distance of the means in spreads of the negatives, a / b; d' if the spreads are equal."""
        return self.a / self.b

    @property
    def ratio_of_spreads(self) -> float:
        """Spread of the positives over that of the negatives, 1 / b."""
        return 1.0 / self.b

    @property
    def d_a(self) -> float:
        """Distance of the means in root mean square spreads, a sqrt(2 / (1 + b^2))."""
        return self.a * sqrt(2.0 / (1.0 + self.b**2))

    @property
    def standard_errors(self) -> tuple[float, float]:
        """Of a and of b."""
        return float(np.sqrt(self.covariance[0, 0])), float(np.sqrt(self.covariance[1, 1]))

    @property
    def fpr(self) -> FloatArray:
        """False positive rates at which the smooth curve is drawn."""
        from scipy.special import ndtr

        return np.concatenate([[0.0], ndtr(SPAN), [1.0]])

    @property
    def tpr(self) -> FloatArray:
        """The smooth curve at `fpr`."""
        return self.at(self.fpr)

    def at(self, fpr: Any) -> FloatArray:
        """The true positive rate of the smooth curve at false positive rates."""
        from scipy.special import ndtr, ndtri

        return np.asarray(ndtr(self.a + self.b * ndtri(fpr)))

    def __repr__(self) -> str:
        (a, b), (s, t) = (self.a, self.b), self.standard_errors
        shown = [number_text(v) for v in (a, s, b, t, self.area.value, self.area.standard_error)]
        return "BinormalFit(a = {} ({}), b = {} ({}), area {} ({}))".format(*shown)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per parameter, and one for the area."""
        found = zip(("a", "b"), (self.a, self.b), self.standard_errors, strict=True)
        low, high = self.area.confidence_interval(level)
        rows = [{"parameter": n, "value": v, "standard_error": s, "low": None, "high": None} for n, v, s in found]
        area = {"value": self.area.value, "standard_error": self.area.standard_error, "low": low, "high": high}
        return [*rows, {"parameter": "area", **area}]
