"""The binormal curve by maximum likelihood: ratings, or continuous scores cut where the true class changes."""

from math import nan, sqrt
from typing import NamedTuple

import numpy as np

from polyroc.curves.binormal_fit import BinormalFit
from polyroc.curves.sweep import Sweep
from polyroc.errors import NotApplicableError
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray
from polyroc.results.provenance import Provenance

__all__ = ["fit_binormal"]

STEPS, HALVINGS = 200, 40
CLOSE = 1e-12  # twice the log likelihood that a last step may promise to gain
ROUNDED = 1e-6  # and where no step gains any more: of millions of cases it is lost in rounding


class _Place(NamedTuple):
    """Where the likelihood is looked at: a, b and the cuts between categories."""

    a: float
    b: float
    cuts: FloatArray


def fit_binormal(found: Sweep, classifier: str, provenance: Provenance) -> BinormalFit:
    """Fit TPR = Phi(a + b Phi^-1(FPR)) to what a sweep calls.

    The scores are ordered categories of a latent variable, N(0, 1) for negatives and with P(positive <= c) =
    Phi(b c - a) for positives; the cuts between categories are parameters too (Dorfman & Alf 1969). Tied scores,
    such as ratings, are one category; so are neighbouring scores of cases of one class, for a cut inside such a
    run carries no information about the curve (Metz, Herman & Shen 1998). Newton's method; the information is
    tridiagonal in the cuts, so a step is linear in their number.

    Weights multiply the likelihood. The standard errors are for independent cases that count one each: with
    weights or groups they are nan.
    """
    negatives, positives = _categories(found)
    _refuse_degenerate(negatives, positives, classifier)
    place = _start(negatives, positives)
    here = _Likelihood(negatives, positives, place)
    for _ in range(STEPS):
        gain, step = here.newton()
        after = here.ahead(step) if gain >= CLOSE else here
        if after is here and gain < ROUNDED:
            return _result(here, classifier, provenance)
        here = after
    raise NotApplicableError(
        f"The binormal fit of {classifier!r} did not settle in {STEPS} steps; the data may be nearly separable or "
        "nearly constant. Use the empirical curve, or more cases."
    )


def _categories(found: Sweep) -> tuple[FloatArray, FloatArray]:
    """Negatives and positives in each category, by rising score; runs of one class are joined."""
    n0, n1 = np.diff(found.fp)[::-1].astype(np.float64), np.diff(found.tp)[::-1].astype(np.float64)
    seen = (n0 > 0) | (n1 > 0)
    n0, n1 = n0[seen], n1[seen]
    state = np.where(n1 == 0, 0, np.where(n0 == 0, 1, 2))
    starts = np.concatenate([[True], (state[1:] != state[:-1]) | (state[1:] == 2)])
    where = np.flatnonzero(starts)
    return np.add.reduceat(n0, where), np.add.reduceat(n1, where)


def _refuse_degenerate(n0: FloatArray, n1: FloatArray, classifier: str) -> None:
    """Refuse points that a curve of upright and level pieces passes through: no slope is then the likeliest."""
    u, t = np.cumsum(n0), np.cumsum(n1)
    levels, uprights = t[(u > 0) & (u < u[-1])], u[(t > 0) & (t < t[-1])]
    if len(np.unique(levels)) < 2 or len(np.unique(uprights)) < 2:
        raise NotApplicableError(
            f"A binormal curve cannot be fitted to {classifier!r}: its points lie on one upright and one level "
            "line (classes that do not overlap, or too few distinct scores), so that no a and b are likeliest. "
            "It takes points at two or more levels of both rates; use the empirical curve, or more cases."
        )


def _start(n0: FloatArray, n1: FloatArray) -> _Place:
    """Normal scores of all cases together: their means and spreads by class give a first a and b."""
    from scipy.special import ndtri

    both = np.cumsum(n0 + n1) / (n0 + n1).sum()
    middle = ndtri(both - (n0 + n1) / (2.0 * (n0 + n1).sum()))
    m0, m1 = np.average(middle, weights=n0), np.average(middle, weights=n1)
    s0 = sqrt(np.average((middle - m0) ** 2, weights=n0))
    s1 = sqrt(np.average((middle - m1) ** 2, weights=n1))
    return _Place(float(m1 - m0) / s1, s0 / s1, (ndtri(both[:-1]) - m0) / s0)


class _Cells:
    """One class: the likelihood of its counts between cuts, its gradient and tridiagonal Hessian by the cuts."""

    def __init__(self, counts: FloatArray, cuts: FloatArray) -> None:
        from scipy.special import ndtr

        ends = np.concatenate([[-np.inf], cuts, [np.inf]])
        low, high = ends[:-1], ends[1:]
        right = low > 0  # in the upper tail, differences of what is left are exact
        share = np.where(right, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
        with np.errstate(divide="ignore"):
            self.value = float(counts[counts > 0] @ np.log(share[counts > 0]))
        density = np.exp(-(cuts**2) / 2.0) / sqrt(2.0 * np.pi)
        ratio = np.divide(counts, share, out=np.zeros(len(counts)), where=counts > 0)
        curvature = np.divide(ratio, share, out=np.zeros(len(counts)), where=counts > 0)
        self.gradient = density * (ratio[:-1] - ratio[1:])
        self.diagonal = -cuts * self.gradient - density**2 * (curvature[:-1] + curvature[1:])
        self.beside = density[:-1] * density[1:] * curvature[1:-1]

    def times(self, vector: FloatArray) -> FloatArray:
        """The Hessian times a vector."""
        product: FloatArray = self.diagonal * vector
        product[:-1] += self.beside * vector[1:]
        product[1:] += self.beside * vector[:-1]
        return product


class _Likelihood:
    """The log likelihood at a place, and what Newton's method needs of it."""

    def __init__(self, n0: FloatArray, n1: FloatArray, place: _Place) -> None:
        self.n0, self.n1, self.place = n0, n1, place
        self.zero, self.one = _Cells(n0, place.cuts), _Cells(n1, place.b * place.cuts - place.a)
        self.value = self.zero.value + self.one.value

    def newton(self) -> tuple[float, _Place]:
        """Twice the gain that a full step promises, and the step."""
        solved, gradient, schur = self._reduced()
        values, vectors = np.linalg.eigh(schur)
        safe = np.maximum(np.abs(values), 1e-8 * np.abs(values).max())  # uphill also where it is not concave
        a, b = vectors @ ((vectors.T @ gradient) / safe)
        cuts = solved[:, 0] - solved[:, 1:] @ np.array([a, b])
        by_cuts = self.zero.gradient + self.place.b * self.one.gradient
        along = self._by_parameters()
        return float(by_cuts @ cuts + along @ np.array([a, b])), _Place(float(a), float(b), cuts)

    def covariance(self) -> FloatArray:
        """Of (a, b), the cuts being estimated too."""
        return np.asarray(np.linalg.inv(self._reduced()[2]), dtype=np.float64)

    def _by_parameters(self) -> FloatArray:
        return np.array([-self.one.gradient.sum(), self.place.cuts @ self.one.gradient])

    def _reduced(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The cuts eliminated: A^-1 (gradient, B), and gradient and information of a and b given the cuts."""
        from scipy.linalg import solveh_banded

        b, cuts, one = self.place.b, self.place.cuts, self.one
        of_ones, of_cuts = one.times(np.ones(len(cuts))), one.times(cuts)
        banded = np.zeros((2, len(cuts)))
        banded[0] = -(self.zero.diagonal + b * b * one.diagonal)
        banded[1, :-1] = -(self.zero.beside + b * b * one.beside)
        cross = np.stack([b * of_ones, -(one.gradient + b * of_cuts)], axis=1)
        own = -np.array([[of_ones.sum(), -of_cuts.sum()], [-of_cuts.sum(), cuts @ of_cuts]])
        by_cuts = self.zero.gradient + b * one.gradient
        solved: FloatArray = solveh_banded(banded, np.column_stack([by_cuts, cross]), lower=True)
        gradient = self._by_parameters() - cross.T @ solved[:, 0]
        return solved, gradient, own - cross.T @ solved[:, 1:]

    def ahead(self, step: _Place) -> "_Likelihood":
        """The likelihood after a step, halved until it gains and keeps the cuts in order."""
        share, here = 1.0, self.place
        for _ in range(HALVINGS):
            there = _Place(here.a + share * step.a, here.b + share * step.b, here.cuts + share * step.cuts)
            if there.b > 0 and (np.diff(there.cuts) > 0).all():
                after = _Likelihood(self.n0, self.n1, there)
                if after.value > self.value:
                    return after
            share /= 2.0
        return self


def _result(here: _Likelihood, classifier: str, provenance: Provenance) -> BinormalFit:
    from scipy.special import ndtr

    a, b, _ = here.place
    plain = provenance.weight_kind != "importance" and provenance.groups is None
    spread = here.covariance() if plain else np.full((2, 2), nan)
    z, length = a / sqrt(1.0 + b * b), sqrt(1.0 + b * b)
    density = np.exp(-z * z / 2.0) / sqrt(2.0 * np.pi)
    slope = density * np.array([1.0 / length, -a * b / length**3])
    area = Estimate(
        measure="binormal_auc",
        name="area under the binormal curve",
        classifier=classifier,
        value=float(ndtr(z)),
        standard_error=float(np.sqrt(slope @ spread @ slope)),
        limits=(0.0, 1.0),
        chance=0.5,
        fewest=float(min(provenance.cases.values())),
        provenance=provenance,
    )
    return BinormalFit(a, b, spread, area, len(here.n0), here.value)
