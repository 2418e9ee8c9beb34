"""Hanley & McNeil's variance of the area under the ROC curve."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar, Literal

import numpy as np
from scipy.special import ndtri, owens_t

from polyroc.errors import InputError
from polyroc.inference.methods.method import Method, Uncertainty
from polyroc.measures.applicability import require_formula, require_plain_cases
from polyroc.measures.measure import Measure
from polyroc.measures.ranking import auc
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Statistic
from polyroc.messages import Call, Option
from polyroc.validation.signatures import PositiveInt, Probability, validate_fields, validated

__all__ = ["HanleyMcNeil", "Kind", "area_correlation", "area_variance", "exponential"]

Kind = Literal["nonparametric", "exponential"]


@dataclass(frozen=True, slots=True)
class HanleyMcNeil(Method):
    """The variance of `auc` and `gini` from the area, the class sizes and two probabilities.

    With n0 positives, n1 negatives and the area A,

        variance = [A (1 - A) + (n0 - 1)(Qa - A^2) + (n1 - 1)(Qb - A^2)] / (n0 n1)

    where Qa is the probability that two positives both exceed one negative, Qb that one positive exceeds two
    negatives. Hand & Till (2001) print it as equation 6, with Qa and Qb lacking their divisors.

    Parameters
    ----------
    kind
        "nonparametric": Qa is the mean over the negatives of the squared share of positives above, Qb the mean
        over the positives of the squared share of negatives below; a tie is half a case in either share, so a
        double tie counts 1/4 (Hanley & McNeil's own table breaks ties at random, and counts it 1/3). Needs two
        cases in each class (nan otherwise).
        "exponential": scores with exponential distributions, Qa = A / (2 - A), Qb = 2 A^2 / (1 + A); a close
        approximation for many other distributions where A is above 1/2, and all that a published area allows. It
        depends on the value alone, so it does not suffer from a class of few cases: with rare positives its 95 %
        interval keeps 93 % and more. But it is a model, and not symmetric in the classes: with rare negatives, the
        more so if the spreads differ too, the interval holds the true value in as few as 60 to 80 % of samples
        (the plain logit one, in 50 to 75 %).

    Notes
    -----
    The covariance of classifiers on the same cases is r times the product of the standard errors (Hanley & McNeil
    1983): r is that of the areas of two normal scores with the mean of both areas, and with the mean, over the two
    classes, of Pearson's correlation of the scores. Their table of r is for 50 cases of each class; here it is for
    as many as there are. DeLong's covariance needs no normal scores.

    Not for `sample_weight` or `groups`. docs/coverage.md has the coverage of the exponential kind.

    References
    ----------
    Hanley & McNeil, Radiology 143 (1982) 29-36, and 148 (1983) 839-843. Bradley, Pattern Recognition 30 (1997)
    1145-1159.
    """

    name: ClassVar[str] = "hanley-mcneil"

    kind: Kind = "nonparametric"

    def __post_init__(self) -> None:
        validate_fields(self)

    def covariance(
        self, measure: Measure, samples: Sequence[Sample], statistics: Sequence[Statistic] | None = None
    ) -> Uncertainty:
        """Return the covariance of `auc` or `gini`: by the formula, and off the diagonal by normal scores."""
        del statistics
        require_formula(self, measure, lambda candidate: candidate.area_line is not None)
        require_plain_cases(self, samples[0].scores)
        assert measure.area_line is not None
        _, slope = measure.area_line
        matrix = np.diag([_variance_of_area(sample, self.kind) for sample in samples])
        errors = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
        varying = np.flatnonzero(errors > 0).tolist()  # an area without error has no covariance
        for a, b in combinations(varying, 2):
            matrix[a, b] = matrix[b, a] = _correlation_of_areas(samples[a], samples[b]) * errors[a] * errors[b]
        return Uncertainty(slope**2 * matrix)

    @validated
    def planned_variance(self, area: Probability, negatives: PositiveInt, positives: PositiveInt) -> float:
        """The variance of an area that is expected, for planning: by the exponential kind alone."""
        if self.kind != "exponential":
            raise InputError(
                f"{self!r} needs data; use ",
                Option("method", Call("HanleyMcNeil", "exponential")),
                ", or pilot data.",
            )
        return area_variance(area, positives, negatives, *exponential(area))


def _variance_of_area(sample: Sample, kind: Kind) -> float:
    """The variance of the area; nan where a class has too few cases."""
    counts = sample.scores.counts.tolist()
    if min(counts) < (1 if kind == "exponential" else 2):
        return np.nan
    area = auc(sample)
    above, below = (stratum.components for stratum in area.strata())  # of the positives, of the negatives
    squares = exponential(area.value) if kind == "exponential" else (np.mean(below**2), np.mean(above**2))
    return area_variance(area.value, len(above), len(below), *map(float, squares))


def _correlation_of_areas(first: Sample, second: Sample) -> float:
    """Hanley & McNeil's r, from the areas and the correlations of the scores within the classes."""
    column = 0 if first.scores.kind == "score" else first.positive
    correlations = []
    for k in range(2):
        x, y = (s.values.reshape(len(s.values), -1)[s.cases(k), column] for s in (first, second))
        scale = np.sqrt(x.var() * y.var())
        correlations.append(np.mean((x - x.mean()) * (y - y.mean())) / scale if scale > 0 else 0.0)
    area = (auc(first).value + auc(second).value) / 2.0
    return area_correlation(area, float(np.mean(correlations)), *first.scores.counts.tolist())


def area_correlation(area: float, correlation: float, n0: float, n1: float) -> float:
    """The correlation of the areas of two normal scores with this area, correlated so in both classes.

    The table of Hanley & McNeil (1983), for 50 cases of each class:

    >>> [round(area_correlation(area, 0.5, 50, 50), 2) for area in (0.7, 0.8, 0.9, 0.95)]
    [0.47, 0.45, 0.41, 0.37]
    """
    z = float(ndtri(area))

    def product(r: float) -> float:
        """The covariance of being below z, of two normal variables with correlation r."""
        with np.errstate(divide="ignore"):  # r = -1
            return float(area - 2.0 * owens_t(z, np.sqrt(np.divide(1.0 - r, 1.0 + r)))) - area**2

    joint = product(correlation) + (n0 + n1 - 2) * product(correlation / 2.0)
    variance = area * (1.0 - area) + (n0 + n1 - 2) * product(0.5)
    return joint / variance


def area_variance(area: float, n0: float, n1: float, Qa: float, Qb: float) -> float:
    """Hanley & McNeil's formula: [A (1 - A) + (n0 - 1)(Qa - A^2) + (n1 - 1)(Qb - A^2)] / (n0 n1).

    Bradley's (1997) figure 15, an area of .85 and 50 cases a class:

    >>> round(area_variance(0.85, 50, 50, *exponential(0.85)) ** 0.5, 5)
    0.03905
    """
    return (area * (1 - area) + (n0 - 1) * (Qa - area**2) + (n1 - 1) * (Qb - area**2)) / (n0 * n1)


def exponential(area: float) -> tuple[float, float]:
    """Qa and Qb of two exponential distributions with this area."""
    return area / (2 - area), 2 * area**2 / (1 + area)
