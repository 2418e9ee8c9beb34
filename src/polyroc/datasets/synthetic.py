"""Simulation models of scores whose true measures are known: the binormal model, and that of Hand & Till.

A model is a distribution of the scores within each class. It can be sampled, and has the true value of a measure
(for infinitely many cases) as an attribute under the key of the measure.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import as_array
from polyroc.validation.predictions import as_vector
from polyroc.validation.random import Rng
from polyroc.validation.signatures import MOST_DRAWS, Probability, validate_fields, validated

__all__ = ["Binormal", "HandTill", "average_correct_rate", "empirical_average_correct_rate"]

Sizes = int | Sequence[int]


@dataclass(frozen=True, slots=True)
class Binormal:
    """Two classes, one normal score: N(0, 1) for the negatives, N(separation, ratio^2) for the positives.

    Its ROC curve is TPR = Phi((separation + Phi^-1(FPR)) / ratio).

    Parameters
    ----------
    separation
        Mean of the positives less mean of the negatives, in standard deviations of the negatives.
    ratio_of_spreads
        Standard deviation of the positives over that of the negatives.

    References
    ----------
    Metz, C. E. (1978). Basic principles of ROC analysis. Seminars in Nuclear Medicine 8, 283-298.
    McClish, D. K. (1989). Analyzing a portion of the ROC curve. Medical Decision Making 9, 190-195.

    Examples
    --------
    >>> model = Binormal(separation=1.0)
    >>> round(model.auc, 7)
    0.7602499
    >>> y_true, y_score = model.sample(3, rng=0)
    >>> y_true.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    separation: float
    ratio_of_spreads: float = 1.0

    def __post_init__(self) -> None:
        validate_fields(self)
        positive = 0 < self.ratio_of_spreads < math.inf
        require(positive, "ratio_of_spreads must be positive and finite", self.ratio_of_spreads)

    @property
    def auc(self) -> float:
        """P(positive > negative) = Phi(separation / sqrt(1 + ratio^2))."""
        return _phi(self.separation / math.hypot(1.0, self.ratio_of_spreads))

    @property
    def gini(self) -> float:
        """2 AUC - 1."""
        return 2.0 * self.auc - 1.0

    @validated
    def partial_auc(self, low: float, high: float, *, standardised: bool = True) -> float:
        """Area under the part of the ROC curve where low <= FPR <= high.

        Standardised (McClish 1989) it is (1 + (area - least) / (largest - least)) / 2, where least is the area
        under the diagonal and largest that under TPR = 1: 1/2 for chance, 1 for a perfect score.

        >>> round(Binormal(1.0).partial_auc(0.0, 0.2), 6)
        0.646097
        >>> round(Binormal(1.0).partial_auc(0.0, 0.2, standardised=False), 6)
        0.072595
        """
        require(0 <= low < high <= 1, "low and high must have 0 <= low < high <= 1", (low, high))
        area = self._area(low, high)
        if not standardised:
            return area
        least, largest = (high**2 - low**2) / 2.0, high - low
        return (1.0 + (area - least) / (largest - least)) / 2.0

    def _area(self, low: float, high: float) -> float:
        """Integral of the curve over the normal deviate z of the FPR.

        The quadrature gets the points where the curve and the density bend, which it could miss in a long
        interval. Beyond 38 standard deviations the density underflows.
        """
        from scipy.integrate import quad
        from scipy.special import ndtr, ndtri

        start, stop = np.clip(ndtri([low, high]), -38.0, 38.0)
        centre, width = -self.separation, 8.0 * self.ratio_of_spreads
        bends = [z for z in {-8.0, 0.0, 8.0, centre - width, centre, centre + width} if start < z < stop]

        def height(z: float) -> float:
            curve = ndtr((self.separation + z) / self.ratio_of_spreads)
            return float(curve * math.exp(-z * z / 2.0) / math.sqrt(2.0 * math.pi))

        area, _ = quad(height, start, stop, points=bends, epsabs=0.0, epsrel=1e-11, limit=200)
        return float(area)

    @validated
    def sample(self, sizes: Sizes, rng: Rng) -> tuple[IntArray, FloatArray]:
        """Cases of class 0 (negative), then of class 1 (positive), with their scores.

        Parameters
        ----------
        sizes
            Cases per class: one number for both, or (negatives, positives).
        rng
            A seed or a `numpy.random.Generator`.
        """
        y_true = true_classes(sizes, 2)
        z = np.random.default_rng(rng).standard_normal(len(y_true))
        return y_true, np.where(y_true == 1, self.separation + self.ratio_of_spreads * z, z)


@dataclass(frozen=True, slots=True)
class HandTill:
    """The simulation model of Hand & Till: class i (of 0, ..., c - 1) has a score x distributed as N(i mu, 1).

    With d = |i - j| the paper has A(i|j) = Phi(d mu / sqrt 2) for every pair (equations 8, 9), the nearest
    mean as decision (equation 10), and Phi(d mu / 2) correct in every pair (equation 11, whose factor must be
    2 / (c (c - 1)); with the printed 2 / c it can exceed 1).

    M needs one column of scores per class, and for c > 2 no columns computed from x have these A(i|j): that of a
    middle class would have to rise with x against the classes below, and fall against those above. `sample`
    therefore draws columns, all within [0, 1], for which all three equations hold.

    Parameters
    ----------
    classes
        The number of classes, c >= 2.
    mu
        Distance between neighbouring means, in standard deviations; >= 0.

    References
    ----------
    Hand, D. J. & Till, R. J. (2001). A simple generalisation of the area under the ROC curve for multiple
    class classification problems. Machine Learning 45, 171-186.

    Examples
    --------
    >>> model = HandTill(classes=3, mu=1.0)
    >>> round(model.hand_till, 7), round(model.accuracy, 7), round(model.pairwise_accuracy, 7)
    (0.8139501, 0.5886166, 0.7414232)
    >>> y_true, y_score = model.sample(100, rng=0)
    >>> y_score.shape
    (300, 3)
    """

    classes: int
    mu: float

    def __post_init__(self) -> None:
        validate_fields(self)
        require(self.classes >= 2, "classes must be a whole number, at least 2", self.classes)
        require(0 <= self.mu < math.inf, "mu must be finite and not negative", self.mu)

    @property
    def hand_till(self) -> float:
        """M, equation 9: the mean of Phi(d mu / sqrt 2) over the pairs of classes."""
        return self._mean_over_pairs(math.sqrt(2.0))

    @property
    def accuracy(self) -> float:
        """C1, equation 10, for classes of equal size: 2 (c - 1) / c Phi(mu / 2) - 1 + 2 / c."""
        c = self.classes
        return 2.0 * (c - 1) / c * _phi(self.mu / 2.0) - 1.0 + 2.0 / c

    @property
    def pairwise_accuracy(self) -> float:
        """C2, equation 11 corrected: the mean of Phi(d mu / 2) over the pairs of classes."""
        return self._mean_over_pairs(2.0)

    def _mean_over_pairs(self, divisor: float) -> float:
        """2 / (c (c - 1)) times the sum over d of (c - d) Phi(d mu / divisor)."""
        c = self.classes
        total = math.fsum((c - d) * _phi(d * self.mu / divisor) for d in range(1, c))
        return 2.0 * total / (c * (c - 1))

    @validated
    def sample(self, sizes: Sizes, rng: Rng) -> tuple[IntArray, FloatArray]:
        """Cases of class 0, then of class 1 and so on, with one column of scores per class.

        A case of class k with score x gets u = 2 Phi(-|x - k mu|), which is uniform on (0, 1), in its own
        column. In the column of class j, d = |j - k| away, it gets kappa_d u, which is below u, or, if x has
        crossed the middle between the two means, u + kappa_d (1 - u), which is above. So

        - own column above another: with probability Phi(d mu / 2), hence C2;
        - own column largest: if and only if x is nearest to its own mean, hence C1;
        - A(j|k) = P(u of a case of class j > the entry) = 1 - E(entry), and kappa_d makes this
          Phi(d mu / sqrt 2), hence M.

        The rows do not sum to 1. A strictly increasing function, the same for all columns, changes neither the
        order within columns nor that within rows, hence none of M, C1 and C2.

        Parameters
        ----------
        sizes
            Cases per class: one number for all, or one per class. `hand_till` and `pairwise_accuracy` are
            true for any sizes, `accuracy` for equal ones.
        rng
            A seed or a `numpy.random.Generator`.
        """
        from scipy.special import ndtr

        y_true = true_classes(sizes, self.classes)
        deviation = np.random.default_rng(rng).standard_normal(len(y_true))
        own = 2.0 * ndtr(-np.abs(deviation))[:, None]
        steps = np.arange(self.classes) - y_true[:, None]
        crossed = np.sign(steps) * deviation[:, None] > np.abs(steps) * self.mu / 2.0
        kappa = self._kappa()[np.abs(steps)]
        other = np.where(crossed, own + kappa * (1.0 - own), kappa * own)
        return y_true, np.where(steps == 0, own, other)

    def _kappa(self) -> FloatArray:
        """The share kappa_d by distance d, solving E(entry) = Phi(-d mu / sqrt 2) = m.

        With q = Phi(-d mu / 2), E(u; crossed) = q^2, so E(entry) = q^2 + kappa (q - q^2) + kappa (1/2 - q^2).
        Since m >= q^2 (two deviates below t have a sum below 2 t) and m <= q <= 1/2, kappa is in [0, 1).
        """
        from scipy.special import ndtr

        d = np.arange(self.classes)
        q, m = ndtr(-d * self.mu / 2.0), ndtr(-d * self.mu / math.sqrt(2.0))
        kappa: FloatArray = (m - q * q) / (q + 0.5 - 2.0 * q * q)
        return kappa


@validated
def average_correct_rate(auc: Probability, prior: Probability) -> float:
    """Average of the Bayes correct rates over all thresholds: r of Hand & Till, equation 5.

    If the threshold is drawn from the mixture of the two classes, the expected share classified correctly
    is r = (pi1^2 + pi0^2) / 2 + 2 pi1 pi0 AUC: linear in the AUC.

    Parameters
    ----------
    auc
        Area under the ROC curve.
    prior
        Share of one of the classes, pi1; the other has pi0 = 1 - pi1.

    References
    ----------
    Hand, D. J. & Till, R. J. (2001). Machine Learning 45, 171-186, equation 5.

    Examples
    --------
    >>> average_correct_rate(0.96, prior=0.5)
    0.73
    """
    return (prior**2 + (1.0 - prior) ** 2) / 2.0 + 2.0 * prior * (1.0 - prior) * auc


@validated
def empirical_average_correct_rate(y_true: Any, y_score: Any) -> float:
    """The empirical `average_correct_rate`: each observed score is the threshold once.

    A positive (class 1) above the threshold is correct, a negative (class 0) below it, and either counts 1/2 at
    the threshold, including the case that gave the threshold. Then equation 5 holds exactly, also with ties, for
    the empirical AUC and the observed share of positives.

    References
    ----------
    Hand, D. J. & Till, R. J. (2001). Machine Learning 45, 171-186, equations 4 and 5.

    Examples
    --------
    Five negatives and five positives with AUC = 24 / 25:

    >>> y_true = [0, 0, 0, 0, 1, 0, 1, 1, 1, 1]
    >>> empirical_average_correct_rate(y_true, range(10)), average_correct_rate(24 / 25, prior=5 / 10)
    (0.73, 0.73)
    """
    arguments, truth = ArgumentNames(), as_array(y_true, "y_true")
    valid = truth.ndim == 1 and len(truth) > 0 and truth.dtype.kind != "V"
    require(valid, "y_true must hold the class of one case or more", y_true)
    positive, score = truth == 1, as_vector(y_score, "y_score", len(truth), arguments)
    thresholds = np.sort(score)
    # twice the number of thresholds below each score, those at it counting 1/2
    doubled = thresholds.searchsorted(score, "left") + thresholds.searchsorted(score, "right")
    below = doubled / (2 * len(score))
    return float(np.mean(np.where(positive, below, 1.0 - below)))


def _phi(z: float) -> float:
    """The standard normal distribution function."""
    from scipy.special import ndtr

    return float(ndtr(z))


def true_classes(sizes: Sizes, classes: int) -> IntArray:
    """The true class of each case: class 0 first, then 1 and so on."""
    counts = np.broadcast_to(np.asarray(sizes), classes) if np.ndim(sizes) == 0 else np.asarray(sizes)
    valid = counts.shape == (classes,) and counts.dtype.kind in "iu" and bool((counts >= 0).all())
    valid = valid and sum(counts.tolist()) <= MOST_DRAWS
    require(valid, f"sizes must be a count of cases, or {classes} of them", sizes)
    return np.repeat(np.arange(classes, dtype=np.int64), counts)


def require(condition: bool, expected: str, got: object) -> None:
    """Raise an error that says what was expected and what came, unless the condition holds."""
    if not condition:
        raise InputError(f"{expected}, got {short_repr(got)}.")
