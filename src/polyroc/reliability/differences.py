"""Differences of calibration: between classifiers on the same cases, between subgroups, and between folds."""

from collections.abc import Mapping, Sequence
from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.estimates.hypothesis_tests import chi_square_tail, wald
from polyroc.estimates.intervals import student_interval
from polyroc.kernels.arrays import CodeArray, FloatArray
from polyroc.reliability.decomposition import Fit, Simulation, term_influence
from polyroc.reliability.events import Event
from polyroc.reliability.recalibration import JointTest, Recalibration, expit

__all__ = [
    "QUANTITIES",
    "Analysis",
    "PartDifference",
    "Quantity",
    "difference",
    "equality",
    "fold_test",
    "paired",
    "slope_difference",
]

QUANTITIES = ("in_the_large", "slope", "miscalibration", "discrimination")


class PartDifference(NamedTuple):
    """The value of the first minus that of the second, with its interval and test.

    Attributes
    ----------
    value, standard_error
        The difference of the values. Terms of the Brier score are too large by chance, each by its own bias, which
        interval and test allow for.
    low, high
        The interval at the level of the result.
    pvalue
        Of the hypothesis that there is no difference; nan if it is undefined.
    """

    value: float
    standard_error: float
    low: float
    high: float
    pvalue: float


class Quantity(NamedTuple):
    """An estimate with its simulated bias and standard error, and by case its influence value.

    The variance of the bias is that of a mean of simulated samples.
    """

    value: float
    bias: float
    error: float
    influence: FloatArray
    bias_variance: float = 0.0


class Analysis(NamedTuple):
    """What differences need of one event: the event, and its quantities by name."""

    event: Event
    quantities: Mapping[str, Quantity]

    @classmethod
    def of(cls, event: Event, cox: Recalibration, fit: Fit, simulation: Simulation) -> "Analysis":
        """The quantities of an event that was evaluated."""
        rows = {"in_the_large": (cox.in_the_large, 0.0), "slope": (cox.slope, 0.0)}
        parts = simulation.decomposition
        rows["miscalibration"] = (parts.miscalibration[:2], simulation.bias[0])
        rows["discrimination"] = (parts.discrimination[:2], simulation.bias[1])
        influence = [*cox.influence, *term_influence(event, fit)]
        quantities = {
            name: Quantity(value, bias, error, row, error**2 / simulation.n if simulation.n else 0.0)
            for (name, ((value, error), bias)), row in zip(rows.items(), influence, strict=True)
        }
        return cls(event, quantities)

    @property
    def df(self) -> float:
        """The effective number of cases of the rarer outcome less one."""
        return min(self.event.units) - 1.0


def paired(first: Analysis, second: Analysis, name: str, level: float) -> PartDifference:
    """The difference between two classifiers in a quantity, on the same cases."""
    rows = np.stack([analysis.quantities[name].influence for analysis in (first, second)])
    return difference(first, second, name, _correlation(first.event.covariance(rows)), level)


def _correlation(covariance: FloatArray) -> float:
    product = float(covariance[0, 0] * covariance[1, 1])
    return float(np.clip(covariance[0, 1] / sqrt(product), -1.0, 1.0)) if product > 0 else 0.0


def difference(first: Analysis, second: Analysis, name: str, correlation: float, level: float) -> PartDifference:
    """The difference in a quantity between two estimates with this correlation, by Student's t."""
    one, other = first.quantities[name], second.quantities[name]
    value, bias = one.value - other.value, one.bias - other.bias
    variance = one.error**2 + other.error**2 - 2.0 * correlation * one.error * other.error
    if bias != 0.0:  # the same draws for all classifiers: of the same ranking, the same bias
        variance += one.bias_variance + other.bias_variance
    error, df = sqrt(max(variance, 0.0)) if variance == variance else nan, min(first.df, second.df)
    if not error > 0 or df <= 0:
        end = value if error == 0 else nan
        return PartDifference(value, error, end, end, nan)
    from scipy.special import stdtr

    low, high = student_interval(value - bias, error, df, level)
    return PartDifference(value, error, low, high, float(2.0 * stdtr(df, -abs(value - bias) / error)))


def slope_difference(value: float, error: float, smallest: float, level: float) -> PartDifference:
    """The difference of two slopes by Student's t; degrees of freedom: the cases of the rarer outcome less one."""
    if not error > 0 or smallest <= 1:
        return PartDifference(value, error, nan, nan, nan)
    from scipy.special import stdtr

    low, high = student_interval(value, error, smallest - 1.0, level)
    return PartDifference(value, error, low, high, float(2.0 * stdtr(smallest - 1.0, -abs(value) / error)))


def equality(parts: Sequence[Analysis], covariance: FloatArray, names: Sequence[str]) -> JointTest:
    """Wald's test that all parts have the same quantities, from the covariance at [part and name] of all."""
    values = np.array([part.quantities[name].value for part in parts for name in names])
    m = len(names)
    contrasts: FloatArray = np.kron(np.diff(np.eye(len(parts)), axis=0), np.eye(m)).astype(np.float64)
    # errors from few cases are too small: as many degrees of freedom as each contrast has at least
    test = wald(values, covariance, contrasts, min(part.df for part in parts) * (len(parts) - 1))
    return JointTest(test.statistic, test.df, test.pvalue)


def fold_test(event: Event, cox: Recalibration, folds: CodeArray) -> JointTest | None:
    """Whether the models of all folds need the same calibration-in-the-large: a score test.

    In each fold, the outcomes minus the probabilities that recalibration of all folds gives, over the standard
    error; the sum of squares has a chi-square distribution with the number of folds less one degrees of freedom.
    """
    if not event.independent or np.isnan(cox.in_the_large[0]):
        return None
    fitted = expit(np.log(event.p) - np.log1p(-event.p) + cox.in_the_large[0])
    place = np.unique(folds, return_inverse=True)[1]
    residual = np.bincount(place, event.weight * (event.y - fitted))
    variance = np.bincount(place, event.weight**2 * fitted * (1.0 - fitted))
    if len(residual) < 2:
        return None
    statistic = float((residual**2 / variance).sum())
    return JointTest(statistic, len(residual) - 1, chi_square_tail(statistic, len(residual) - 1))
