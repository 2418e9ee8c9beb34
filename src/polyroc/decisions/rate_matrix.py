"""The confusion-rate matrix `Rates`: misclassification ratios (cobweb), information gain, likelihood ratios."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, isnan, log, nan, pi, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from polyroc._results.codec import NOT_STORED, STORED_IF_SET, Known
from polyroc._results.invariants import Invariants, at_least, distinct, finite, shares, within
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.decisions.required_rates import RequiredRate
from polyroc.errors import InputError
from polyroc.estimates.boundary import QUANTILES, Boundary, unseen_variance
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import PSEUDO_OBSERVATIONS, ConfidenceInterval, interval_at
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import number_text
from polyroc.validation.arguments import checked_level
from polyroc.validation.costs import as_priors
from polyroc.validation.signatures import validated

__all__ = ["Cobweb", "LikelihoodRatio", "Rates"]


@dataclass(frozen=True, slots=True)
class LikelihoodRatio:
    """The likelihood ratio of a decision: its probability in one class relative to another.

    Attributes
    ----------
    decision, of, against
        The decision, and the two true classes: P(decision | of) / P(decision | against).
    value
        The ratio; infinite if no case of `against` has the decision, nan if no case of either has it.
    log_standard_error
        The standard error of its natural logarithm, by the delta method: sqrt((1 - p) / (n p) + (1 - q) / (m q))
        for the rates p of n and q of m cases (Simel, Samsa & Matchar 1991). With weights or groups, from the
        variances of the rates. Where one rate is zero, that of the logarithm of `centre`; nan where both are.
    centre
        The centre of the interval: the value. Where one rate is zero, the ratio of the rates after adding half a
        case to those with and to those without this decision, in both classes (Haldane 1956).

    References
    ----------
    Simel, Samsa & Matchar, Journal of Clinical Epidemiology 44 (1991) 763-770. Haldane, Annals of Human Genetics
    20 (1956) 309-311.
    """

    decision: str
    of: str
    against: str
    value: float
    log_standard_error: float
    centre: float | None = None

    def confidence_interval(self, level: float = 0.95) -> ConfidenceInterval:
        """The interval, symmetric around the logarithm of `centre`; from 0 or to infinity if the value is."""
        checked_level(level)
        if isnan(self.log_standard_error):
            return ConfidenceInterval(nan, nan)
        centre = self.value if self.centre is None else self.centre
        half_width = NormalDist().inv_cdf(0.5 + level / 2) * self.log_standard_error
        low, high = centre * exp(-half_width), centre * exp(half_width)
        return ConfidenceInterval(min(low, self.value), max(high, self.value))


@dataclass(frozen=True, slots=True, eq=False)
class Cobweb:
    """Cobweb: the misclassification ratios as a polygon; a perfect classifier is its centre, chance a regular one.

    Attributes
    ----------
    spokes
        (true class, decision) of each corner: (1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2) for three classes.
    ratios, low, high
        The radius of each corner, and its confidence limits.
    chance
        The radius of the polygon of chance, 1 / classes.
    angles
        The direction of each spoke in radians, the first upwards, then clockwise.
    """

    spokes: tuple[tuple[str, str], ...]
    ratios: FloatArray
    low: FloatArray
    high: FloatArray
    chance: float
    angles: FloatArray

    def polygon(self, radius: FloatArray | float | None = None) -> FloatArray:
        """The corners as (x, y), closed (the first is repeated); of the ratios, or of another radius."""
        r = np.broadcast_to(self.ratios if radius is None else radius, self.angles.shape)
        corners = np.column_stack([r * np.cos(self.angles), r * np.sin(self.angles)])
        return np.concatenate([corners, corners[:1]])

    def rows(self) -> list[dict[str, Any]]:
        """One record per spoke."""
        columns = zip(self.spokes, self.ratios, self.low, self.high, self.angles, strict=True)
        return [
            {
                "true": true,
                "decision": decision,
                "ratio": float(ratio),
                "low": float(low),
                "high": float(high),
                "chance": self.chance,
                "angle": float(angle),
            }
            for (true, decision), ratio, low, high, angle in columns
        ]


def _no_variance(_: FloatArray, __: FloatArray | None = None) -> float:
    return nan


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rates(Result):
    """The confusion-rate matrix of a classifier's decisions, each rate with its standard error.

    For three classes these are the nine conditional classification rates P(decision | class).

    Attributes
    ----------
    classifier
        The name of the classifier.
    classes
        The names of the classes, in the order of rows and columns.
    rates
        At [k, m], the share of class k classified as m; rows add up to 1 (nan for a class without a case).
    standard_errors
        The standard errors of the rates, each of which is a proportion of one class.
    counts
        At [k, m], the weight of the cases of class k classified as m; fractions where ties were shared.
    fewest
        The number of cases of each class (effective number, if weighted; groups, if clustered).
    provenance
        What is needed to reproduce it.
    required
        The rate that was required of a class, if it determined the threshold of these rates; None otherwise. Its
        interval is by order statistics.
    """

    classifier: str
    classes: tuple[str, ...]
    rates: FloatArray
    standard_errors: FloatArray
    counts: FloatArray
    fewest: FloatArray
    provenance: Provenance
    required: RequiredRate | None = field(default=None, metadata=STORED_IF_SET)
    _variance: Callable[[FloatArray, FloatArray | None], float] = field(default=_no_variance, metadata=NOT_STORED)

    def _invariants(self) -> Invariants:
        c = len(self.classes)
        tables = (self.rates, self.standard_errors, self.counts)
        yield c >= 2 and distinct(self.classes), "classes must be two or more, and distinct"
        yield all(table.shape == (c, c) for table in tables), "tables must have a row and a column per class"
        yield len(self.fewest) == c, "fewest must have a number per class"
        yield shares(self.rates), "rates must be from 0 to 1"
        yield within(self.rates.sum(axis=1), 1.0, 1.0), "the rates of a class must sum to 1"
        yield at_least(self.standard_errors, 0) and shares(self.standard_errors), "standard errors are 0 to 1"
        yield finite(self.counts), "counts must be finite"
        yield at_least(self.counts, 0) and at_least(self.fewest, 0), "counts must be 0 or more"
        yield (
            self.required is None or self.required.true in self.classes,
            "a rate is required of one of the classes",
        )

    def __repr__(self) -> str:
        right = ", ".join(
            f"{k} {number_text(rate)}" for k, rate in zip(self.classes, np.diag(self.rates).tolist(), strict=True)
        )
        return f"Rates({self.classifier}; right decisions: {right})"

    @property
    def priors(self) -> FloatArray:
        """The shares of the classes among the cases."""
        totals: FloatArray = self.counts.sum(axis=1)
        return np.asarray(totals / totals.sum())

    def __getitem__(self, cell: tuple[Hashable, Hashable]) -> Estimate:
        """The estimate of one rate, by true class and decision (labels or names)."""
        k, m = (self._position(label) for label in cell)
        true, decision = self.classes[k], self.classes[m]
        return Estimate(
            measure=f"P({decision}|{true})",
            name=f"share of {true} called {decision}",
            classifier=self.classifier,
            value=float(self.rates[k, m]),
            standard_error=float(self.standard_errors[k, m]),
            limits=(0.0, 1.0),
            chance=1 / len(self.classes),
            fewest=float(self.fewest[k]),
            _boundary=Known(self._limits_of_required(k, m) or self._limits_of_none(k, m)),
            larger_is_better=None if k == m else False,
            provenance=self.provenance,
        )

    def _limits_of_required(self, k: int, m: int) -> Boundary | None:
        if self.required is None or self.required.true != self.classes[k]:
            return None
        return self.required.boundary(float(self.rates[k, m]), k == m)

    def _limits_of_none(self, k: int, m: int) -> Boundary | None:
        """Return limits of a corrected rate of 0 or 1: Wilson's, or Wald's by its error if that is wider."""
        value, error, cases = (float(x) for x in (self.rates[k, m], self.standard_errors[k, m], self.fewest[k]))
        if value not in (0.0, 1.0) or not error > 0:
            return None
        pairs = [[interval_at(value, e, (0.0, 1.0), cases, z) for e in (0.0, error)] for z in QUANTILES]
        low = tuple(min(one.low for one in pair) for pair in pairs)
        return Boundary(value, 0.0, 0.0, ends=(low, tuple(max(one.high for one in pair) for pair in pairs)))

    def _position(self, label: Hashable) -> int:
        for spelling in (str(label), repr(label)):
            if spelling in self.classes:
                return self.classes.index(spelling)
        raise InputError(f"There is no class {label!r}; known: {', '.join(map(repr, self.classes))}.")

    def estimate(
        self,
        value: float,
        gradient: FloatArray,
        slopes: FloatArray | None = None,
        shares_of: "Rates | None" = None,
        **facts: Any,
    ) -> Estimate:
        """The estimate of a function of the rates, with its standard error by the delta method.

        Parameters
        ----------
        value, gradient
            The value of the function and its derivatives with respect to the rates.
        slopes
            Its derivatives with respect to the class shares, if these were estimated. The standard error accounts
            for them where the shares are random: in a cohort, and with weights that vary within a class.
        shares_of
            The rates of the cases that the shares were estimated from, if they are not these.
        facts
            Further fields of the estimate.
        """
        share_cases = self if shares_of is None else shares_of
        variance = self._variance(gradient, slopes if share_cases is self else None)
        if slopes is not None and share_cases is not self:  # other cases are independent: variances add up
            variance += share_cases._variance(np.zeros_like(gradient), slopes)
        involved = [self.fewest[k] for k, slope in enumerate(gradient) if slope.any()] or self.fewest.tolist()
        (low, high), reaches = facts["limits"], np.ptp(gradient, axis=1)
        reaching = [n * (high - low) / reach for n, reach in zip(self.fewest, reaches, strict=True) if reach]
        return Estimate(
            classifier=self.classifier,
            value=value,
            standard_error=sqrt(variance) if variance >= 0 else nan,
            fewest=float(min(involved)),
            effective=float(min(reaching)) if reaching else None,
            provenance=self.provenance,
            **facts,
        )

    @validated
    def cobweb(self, level: float = 0.95) -> Cobweb:
        """The misclassification ratios as a polygon, to be drawn by `plot`.

        References
        ----------
        Diri & Albayrak, Expert Systems with Applications 34 (2008) 628-634; Sampat et al. (2009).
        """
        spokes = tuple((true, decision) for true in self.classes for decision in self.classes if true != decision)
        ratios = [self[spoke] for spoke in spokes]
        limits = np.array([ratio.confidence_interval(level) for ratio in ratios])
        return Cobweb(
            spokes=spokes,
            ratios=np.array([ratio.value for ratio in ratios]),
            low=limits[:, 0],
            high=limits[:, 1],
            chance=1 / len(self.classes),
            angles=pi / 2 - 2 * pi * np.arange(len(spokes)) / len(spokes),
        )

    @validated
    def information_gain(self, priors: Sequence[float] | Mapping[Hashable, float] | None = None) -> Estimate:
        """The mutual information of decision and class, in bits.

        I = sum over i, j of P(i) P(j|i) log2( P(j|i) / sum over k of P(k) P(j|k) ). In small samples it is biased
        upwards, as every plug-in estimate of information is; the interval accounts for that
        (`polyroc.estimates.boundary`: near chance it is that of a likelihood-ratio test of independence).

        Parameters
        ----------
        priors
            The probabilities of the classes, in their order or by class; by default their shares in the data.

        References
        ----------
        Mossman, Medical Decision Making 19 (1999) 78-89.
        """
        P = self.priors if priors is None else as_priors(priors, self.classes)
        joint = np.where(
            P[:, None] > 0, P[:, None] * self.rates, 0.0
        )  # a class of prior 0 may have undefined rates
        i, j = np.nonzero(joint > 0)
        gradient = np.zeros_like(joint)
        gradient[i, j] = P[i] * np.log2(self.rates[i, j] / joint.sum(axis=0)[j])
        value = nan if np.isnan(joint).any() else max(0.0, float((gradient[i, j] * self.rates[i, j]).sum()))
        by_class = np.where(joint > 0, gradient * self.rates, 0.0).sum(axis=1)
        slopes = np.divide(by_class, P, out=np.zeros(len(P)), where=P > 0)
        most = float(-(P[P > 0] * np.log2(P[P > 0])).sum())
        return self.estimate(
            min(value, most),
            gradient,
            slopes if priors is None else None,
            measure="information_gain",
            name="information gain in bits",
            limits=(0.0, most),
            chance=0.0,
            _boundary=Known(self._information_boundary(min(value, most), P, gradient)),
        )

    def _information_boundary(self, value: float, P: FloatArray, gradient: FloatArray) -> Boundary | None:
        """The bias of the information gain to second order, and the variance due to decisions not observed.

        The bias is half the sum over decisions of [sum over classes of P(i) var P(j|i) / P(j|i)] - var P(j) / P(j)
        in nats: (classes - 1) (decisions - 1) / (2 n) under independence. Where no case of a class has a decision,
        the ratio var P(j|i) / P(j|i) is that of a rare event, 1 / (cases of the class).
        """
        if isnan(value) or isnan(self._variance(gradient, None)):
            return None
        used = np.where(P > 0, P * self.rates.T, 0.0).sum(axis=1) > 0
        c, P = len(P), P[:, None]
        rates = np.where(P > 0, self.rates, 1.0)[:, used]  # a class of prior 0 has no effect
        decided, units, empty = (P * rates).sum(axis=0), np.maximum(self.fewest, 1.0)[:, None], rates == 0
        rare = 1.0 / (units * np.maximum(empty.sum(axis=1, keepdims=True), 1))
        ratios = np.where(empty, rare, self.standard_errors[:, used] ** 2 / np.where(empty, 1.0, rates))
        totals = [self._variance(P * unit, None) for unit in np.eye(c)[used]]
        bias = (np.where(P > 0, P * ratios, 0.0).sum() - (totals / decided).sum()) / (2.0 * log(2.0))
        slopes = np.where(empty, P * np.log2(PSEUDO_OBSERVATIONS / (units * decided)), gradient[:, used])
        return Boundary(value, max(float(bias), 0.0), unseen_variance(rates, slopes, units[:, 0]))

    def likelihood_ratios(self) -> list[LikelihoodRatio]:
        """P(decision | one class) / P(decision | another), for every decision and every two classes."""
        c = range(len(self.classes))
        return [self._ratio(j, i, k) for j in c for i in c for k in c if i != k]

    def _ratio(self, decision: int, numerator: int, denominator: int) -> LikelihoodRatio:
        top, bottom = float(self.rates[numerator, decision]), float(self.rates[denominator, decision])
        value = top / bottom if bottom else (np.inf if top > 0 else nan)
        names = self.classes[decision], self.classes[numerator], self.classes[denominator]
        if top > 0 and bottom > 0:
            gradient = np.zeros_like(self.rates)
            gradient[numerator, decision] = self._by_n(numerator) / top
            gradient[denominator, decision] = -self._by_n(denominator) / bottom
            return LikelihoodRatio(*names, value, sqrt(self._variance(gradient, None)))
        n, m = float(self.fewest[numerator]), float(self.fewest[denominator])
        if isnan(value) or not min(n, m) > 0:
            return LikelihoodRatio(*names, value, nan)
        # Haldane's half case in each of the four counts
        p, q = (top * n + 0.5) / (n + 1.0), (bottom * m + 0.5) / (m + 1.0)
        error = sqrt((1.0 - p) / (p * (n + 1.0)) + (1.0 - q) / (q * (m + 1.0)))
        return LikelihoodRatio(*names, value, error, p / q)

    def _by_n(self, k: int) -> float:
        """The factor from a standard error with the divisor n - 1, as elsewhere, to Simel et al.'s with n."""
        if self.provenance.weighted or self.provenance.groups is not None or self.provenance.folds is not None:
            return 1.0
        return sqrt(1.0 - 1.0 / self.fewest[k]) if self.fewest[k] > 1 else nan

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per true class and decision: count (a whole number unless weighted), rate and interval."""
        whole = bool((self.counts == np.round(self.counts)).all())
        return [
            {
                "classifier": self.classifier,
                "true": true,
                "decision": decision,
                "count": (int if whole else float)(self.counts[k, m]),
                "rate": float(self.rates[k, m]),
                "standard_error": float(self.standard_errors[k, m]),
                "low": self[true, decision].confidence_interval(level).low,
                "high": self[true, decision].confidence_interval(level).high,
                "level": level,
            }
            for k, true in enumerate(self.classes)
            for m, decision in enumerate(self.classes)
        ]

    def _derived_at(self, level: float) -> dict[str, Any]:
        intervals = [
            [list(self[true, decided].confidence_interval(level)) for decided in self.classes]
            for true in self.classes
        ]
        return {"confidence_intervals": intervals}
