"""Binormal ROC curves: the fitted curve `BinormalFit`, and its fit by maximum likelihood (Dorfman & Alf 1969)."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc._results.invariants import Invariants, at_least, is_covariance
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import short_repr
from polyroc.output.numbers import number_text
from polyroc.validation.signatures import validated

__all__ = ["BinormalFit", "fit_binormal"]

DEVIATES = np.linspace(-4.0, 4.0, 201)  # of the false positive rates at which the smooth curve is drawn
MOST_STEPS = 200  # of Newton's method; it takes about 10 unless the data are nearly separable
MOST_HALVINGS = 40  # of a step: beyond, it is lost in rounding
CONVERGED = 1e-12  # twice the log likelihood that the next step is expected to gain
ROUNDING = 1e-6  # the same where no step gains any more: with millions of cases, rounding hides a smaller gain


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BinormalFit(Result):
    """The binormal curve TPR = Phi(a + b Phi^-1(FPR)) fitted by maximum likelihood.

    Some increasing function of the score is normal in both classes: with mean 0 and standard deviation 1 for the
    negatives, mean a / b and standard deviation 1 / b for the positives.

    Attributes
    ----------
    a, b
        Intercept and slope of the curve in normal deviates.
    covariance
        The covariance matrix of (a, b); nan with weights or groups.
    area
        Phi(a / sqrt(1 + b^2)) with its standard error by the delta method.
    categories
        The number of score categories in the likelihood.
    log_likelihood
        The maximum of the log likelihood.
    """

    a: float
    b: float
    covariance: FloatArray
    area: Estimate
    categories: int
    log_likelihood: float

    def _invariants(self) -> Invariants:
        yield at_least([self.b, self.categories], 0), "b and categories must be 0 or more"
        yield is_covariance(self.covariance, np.zeros(2, dtype=bool)), "covariance must be symmetric"

    @property
    def separation(self) -> float:
        """Difference of the means in standard deviations of the negatives, a / b; d' if both have the same."""
        return self.a / self.b

    @property
    def ratio_of_spreads(self) -> float:
        """Standard deviation of the positives relative to the negatives, 1 / b."""
        return 1.0 / self.b

    @property
    def d_a(self) -> float:
        """Difference of the means in root mean square standard deviations, a sqrt(2 / (1 + b^2))."""
        return self.a * sqrt(2.0 / (1.0 + self.b**2))

    @property
    def standard_errors(self) -> tuple[float, float]:
        """The standard errors of a and b."""
        return float(np.sqrt(self.covariance[0, 0])), float(np.sqrt(self.covariance[1, 1]))

    @property
    def fpr(self) -> FloatArray:
        """False positive rates at which the smooth curve is drawn."""
        from scipy.special import ndtr

        return np.concatenate([[0.0], ndtr(DEVIATES), [1.0]])

    @property
    def tpr(self) -> FloatArray:
        """The smooth curve at `fpr`."""
        return self.at(self.fpr)

    @validated
    def at(self, fpr: Any) -> FloatArray:
        """The true positive rate of the smooth curve at false positive rates."""
        from scipy.special import ndtr, ndtri

        try:
            rates = np.asarray(fpr)
        except ValueError:  # lists of different lengths
            raise InputError(f"fpr must be numbers from 0 to 1, got {short_repr(fpr)}.") from None
        if rates.dtype.kind not in "iuf" or not ((rates >= 0) & (rates <= 1)).all():
            raise InputError(f"fpr must be numbers from 0 to 1, got {short_repr(fpr)}.")
        return np.asarray(ndtr(self.a + self.b * ndtri(rates.astype(np.float64))))

    def __repr__(self) -> str:
        (a, b), (s, t) = (self.a, self.b), self.standard_errors
        shown = [number_text(v) for v in (a, s, b, t, self.area.value, self.area.standard_error)]
        return "BinormalFit(a = {} ({}), b = {} ({}), area {} ({}))".format(*shown)

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per parameter, and one for the area."""
        parameters = zip(("a", "b"), (self.a, self.b), self.standard_errors, strict=True)
        low, high = self.area.confidence_interval(level)
        rows = [
            {"parameter": name, "value": value, "standard_error": error, "low": None, "high": None}
            for name, value, error in parameters
        ]
        area = {"value": self.area.value, "standard_error": self.area.standard_error, "low": low, "high": high}
        return [*rows, {"parameter": "area", **area}]


class _Parameters(NamedTuple):
    """The parameters of the likelihood, or a step of them: a, b and the cuts between categories."""

    a: float
    b: float
    cuts: FloatArray


def fit_binormal(
    fp: npt.NDArray[Any], tp: npt.NDArray[Any], classifier: str, provenance: Provenance
) -> BinormalFit:
    """Fit TPR = Phi(a + b Phi^-1(FPR)) to the false and true positives at each threshold of a sweep.

    The scores are ordered categories of a latent variable, N(0, 1) for negatives and with P(positive <= c) =
    Phi(b c - a) for positives; the cuts between categories are parameters too (Dorfman & Alf 1969). Tied scores,
    such as ratings, are one category; so are neighbouring scores of cases of one class, because a cut inside such
    a run carries no information about the curve (Metz, Herman & Shen 1998). Newton's method; the information is
    tridiagonal in the cuts, so a step is linear in their number.

    Weights multiply the likelihood. The standard errors are for independent cases of weight one: with weights or
    groups they are nan.
    """
    negatives, positives = _categories(fp, tp)
    _check_identifiable(negatives, positives, classifier)
    likelihood = _Likelihood(negatives, positives, _start(negatives, positives))
    for _ in range(MOST_STEPS):
        gain, step = likelihood.newton()
        after = likelihood.ahead(step) if gain >= CONVERGED else likelihood
        if after is likelihood and gain < ROUNDING:
            return _fitted(likelihood, classifier, provenance)
        likelihood = after
    raise NotApplicableError(
        f"The binormal fit of {classifier!r} did not converge in {MOST_STEPS} steps; the classes may be nearly "
        "separable or the scores nearly constant. Use the empirical curve, or more cases."
    )


def _categories(fp: npt.NDArray[Any], tp: npt.NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Negatives and positives in each category, by rising score; runs of one class are merged."""
    n0, n1 = np.diff(fp)[::-1].astype(np.float64), np.diff(tp)[::-1].astype(np.float64)
    occupied = (n0 > 0) | (n1 > 0)
    n0, n1 = n0[occupied], n1[occupied]
    only_negative, only_positive, mixed = 0, 1, 2
    content = np.where(n1 == 0, only_negative, np.where(n0 == 0, only_positive, mixed))
    starts = np.concatenate([[True], (content[1:] != content[:-1]) | (content[1:] == mixed)])
    first = np.flatnonzero(starts)
    return np.add.reduceat(n0, first), np.add.reduceat(n1, first)


def _check_identifiable(n0: FloatArray, n1: FloatArray, classifier: str) -> None:
    """Raise an error if all points lie on a vertical and a horizontal line: the likelihood has no maximum."""
    u, t = np.cumsum(n0), np.cumsum(n1)
    heights, places = t[(u > 0) & (u < u[-1])], u[(t > 0) & (t < t[-1])]
    if len(np.unique(heights)) < 2 or len(np.unique(places)) < 2:
        raise NotApplicableError(
            f"A binormal curve cannot be fitted to {classifier!r}: its points lie on one vertical and one "
            "horizontal line (classes that do not overlap, or too few distinct scores), so the likelihood has no "
            "maximum. Points at two or more values of both rates are needed; use the empirical curve or more data."
        )


def _start(n0: FloatArray, n1: FloatArray) -> _Parameters:
    """A start from the normal scores of all cases: their means and standard deviations by class give a and b."""
    from scipy.special import ndtri

    both = np.cumsum(n0 + n1) / (n0 + n1).sum()
    middle = ndtri(both - (n0 + n1) / (2.0 * (n0 + n1).sum()))
    m0, m1 = np.average(middle, weights=n0), np.average(middle, weights=n1)
    s0 = sqrt(np.average((middle - m0) ** 2, weights=n0))
    s1 = sqrt(np.average((middle - m1) ** 2, weights=n1))
    return _Parameters(float(m1 - m0) / s1, s0 / s1, (ndtri(both[:-1]) - m0) / s0)


class _ClassLikelihood:
    """Log likelihood of one class's counts between cuts, with its gradient and tridiagonal Hessian in the cuts."""

    def __init__(self, counts: FloatArray, cuts: FloatArray) -> None:
        from scipy.special import ndtr

        ends = np.concatenate([[-np.inf], cuts, [np.inf]])
        low, high = ends[:-1], ends[1:]
        right = low > 0  # in the upper tail 1 - Phi keeps the digits that Phi, close to 1, loses
        share = np.where(right, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
        with np.errstate(divide="ignore"):
            self.value = float(counts[counts > 0] @ np.log(share[counts > 0]))
        density = np.exp(-(cuts**2) / 2.0) / sqrt(2.0 * np.pi)
        ratio = np.divide(counts, share, out=np.zeros(len(counts)), where=counts > 0)
        curvature = np.divide(ratio, share, out=np.zeros(len(counts)), where=counts > 0)
        self.gradient = density * (ratio[:-1] - ratio[1:])
        self.diagonal = -cuts * self.gradient - density**2 * (curvature[:-1] + curvature[1:])
        self.off_diagonal = density[:-1] * density[1:] * curvature[1:-1]

    def times(self, vector: FloatArray) -> FloatArray:
        """The Hessian times a vector."""
        product: FloatArray = self.diagonal * vector
        product[:-1] += self.off_diagonal * vector[1:]
        product[1:] += self.off_diagonal * vector[:-1]
        return product


class _Likelihood:
    """The log likelihood at some parameters, with Newton's step and the covariance of (a, b)."""

    def __init__(self, n0: FloatArray, n1: FloatArray, at: _Parameters) -> None:
        self.n0, self.n1, self.at = n0, n1, at
        self.zero, self.one = _ClassLikelihood(n0, at.cuts), _ClassLikelihood(n1, at.b * at.cuts - at.a)
        self.value = self.zero.value + self.one.value

    def newton(self) -> tuple[float, _Parameters]:
        """Twice the gain of the log likelihood expected from a full step, and the step."""
        solved, gradient, schur = self._reduced()
        values, vectors = np.linalg.eigh(schur)
        # Absolute eigenvalues give an ascent direction also where the likelihood is not concave.
        safe = np.maximum(np.abs(values), 1e-8 * np.abs(values).max())
        a, b = vectors @ ((vectors.T @ gradient) / safe)
        cuts = solved[:, 0] - solved[:, 1:] @ np.array([a, b])
        by_cuts = self.zero.gradient + self.at.b * self.one.gradient
        gain = float(by_cuts @ cuts + self._gradient() @ np.array([a, b]))
        return gain, _Parameters(float(a), float(b), cuts)

    def covariance(self) -> FloatArray:
        """The covariance matrix of (a, b), the cuts being estimated too."""
        return np.asarray(np.linalg.inv(self._reduced()[2]), dtype=np.float64)

    def _gradient(self) -> FloatArray:
        """The derivatives with respect to a and b: the cuts of the positives are b c - a."""
        return np.array([-self.one.gradient.sum(), self.at.cuts @ self.one.gradient])

    def _reduced(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """A^-1 (gradient, B) for the cuts, and the gradient and information of (a, b) with the cuts eliminated.

        The information matrix is [[A, B], [B', D]] with A (tridiagonal) for the cuts and D for (a, b); the cuts
        are eliminated by the Schur complement D - B' A^-1 B.
        """
        from scipy.linalg import solveh_banded

        b, cuts, one = self.at.b, self.at.cuts, self.one
        of_ones, of_cuts = one.times(np.ones(len(cuts))), one.times(cuts)
        banded = np.zeros((2, len(cuts)))
        banded[0] = -(self.zero.diagonal + b * b * one.diagonal)
        banded[1, :-1] = -(self.zero.off_diagonal + b * b * one.off_diagonal)
        cross = np.stack([b * of_ones, -(one.gradient + b * of_cuts)], axis=1)
        own = -np.array([[of_ones.sum(), -of_cuts.sum()], [-of_cuts.sum(), cuts @ of_cuts]])
        by_cuts = self.zero.gradient + b * one.gradient
        solved: FloatArray = solveh_banded(banded, np.column_stack([by_cuts, cross]), lower=True)
        gradient = self._gradient() - cross.T @ solved[:, 0]
        return solved, gradient, own - cross.T @ solved[:, 1:]

    def ahead(self, step: _Parameters) -> "_Likelihood":
        """The likelihood after a step, halved until it gains and keeps the cuts in order; itself if none does."""
        share, start = 1.0, self.at
        for _ in range(MOST_HALVINGS):
            ahead = _Parameters(start.a + share * step.a, start.b + share * step.b, start.cuts + share * step.cuts)
            if ahead.b > 0 and (np.diff(ahead.cuts) > 0).all():
                after = _Likelihood(self.n0, self.n1, ahead)
                if after.value > self.value:
                    return after
            share /= 2.0
        return self


def _fitted(likelihood: _Likelihood, classifier: str, provenance: Provenance) -> BinormalFit:
    from scipy.special import ndtr

    a, b, _ = likelihood.at
    independent = provenance.weight_kind != "importance" and provenance.groups is None
    covariance = likelihood.covariance() if independent else np.full((2, 2), nan)
    z, length = a / sqrt(1.0 + b * b), sqrt(1.0 + b * b)
    density = np.exp(-z * z / 2.0) / sqrt(2.0 * np.pi)
    gradient = density * np.array([1.0 / length, -a * b / length**3])
    area = Estimate(
        measure="binormal_auc",
        name="area under the binormal curve",
        classifier=classifier,
        value=float(ndtr(z)),
        standard_error=float(np.sqrt(gradient @ covariance @ gradient)),
        limits=(0.0, 1.0),
        chance=0.5,
        fewest=float(min(provenance.cases.values())),
        provenance=provenance,
    )
    return BinormalFit(a, b, covariance, area, len(likelihood.n0), likelihood.value)
