"""The verb `decision_curve`: net benefit by probability threshold (Vickers & Elkin 2006)."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import hypot, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from polyroc.decisions.rates import provenance_of
from polyroc.errors import InputError
from polyroc.estimates.boundary import unseen_variance
from polyroc.estimates.intervals import interval
from polyroc.inference.covariance import effective_units, sampled_strata, variance
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.measures.applicability import ROUNDING
from polyroc.measures.statistic import Shares, Statistic, Stratum
from polyroc.messages import Option, short_repr
from polyroc.output.numbers import number_text
from polyroc.results.invariants import Invariants, ascending, at_least, shares
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arguments import checked_level
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores, one_sample
from polyroc.validation.signatures import validated

__all__ = ["DecisionCurve", "NetBenefit", "decision_curve"]


class NetBenefit(NamedTuple):
    """The net benefit at each threshold.

    Attributes
    ----------
    value, standard_error
        The net benefit and its standard error.
    lowest, highest
        The smallest and the largest possible value; None if unknown.
    effective
        The effective number of cases, as in `Estimate`.
    unseen
        The variance that half an unobserved case of each class adds.
    """

    value: FloatArray
    standard_error: FloatArray
    lowest: FloatArray | None = None
    highest: FloatArray | None = None
    effective: FloatArray | None = None
    unseen: FloatArray | None = None

    def _invariants(self) -> Invariants:
        rows = [row for row in self if row is not None]
        yield all(row.shape == self.value.shape and row.ndim == 1 for row in rows), "lengths must agree"
        for name in ("standard_error", "effective", "unseen"):
            yield at_least(0.0 if getattr(self, name) is None else getattr(self, name), 0), f"{name} is 0 or more"
        if self.lowest is not None and self.highest is not None:
            outside = (self.value < self.lowest - 1e-9) | (self.value > self.highest + 1e-9)
            yield not outside.any(), "value must be from lowest to highest"

    def confidence_interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Pointwise guarded intervals (see `polyroc.estimates.intervals.interval`).

        Without limits: value plus or minus z standard errors.
        """
        checked_level(level)
        if self.lowest is not None and self.highest is not None and self.effective is not None:
            unseen = np.zeros(len(self.value)) if self.unseen is None else self.unseen
            columns = (self.value, self.standard_error, unseen, self.lowest, self.highest, self.effective)
            limits = [_widest(level, *row) for row in np.column_stack(columns).tolist()]
            low, high = np.array(limits).T
            return low, high
        half_width = NormalDist().inv_cdf(0.5 + level / 2) * self.standard_error
        return self.value - half_width, self.value + half_width

    def _derived_at(self, level: float) -> dict[str, Any]:
        low, high = self.confidence_interval(level)
        return {"low": low, "high": high}


def _widest(
    level: float, value: float, error: float, unseen: float, lowest: float, highest: float, n: float
) -> tuple[float, float]:
    """The union of the guarded interval and the one that accounts for unobserved cases."""
    errors = error, hypot(error, sqrt(unseen))
    usual, wide = (interval(value, e, (lowest, highest), n, level) for e in errors)
    return min(usual.low, wide.low), max(usual.high, wide.high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionCurve(Result):
    """Net benefit of one or more classifiers, of treating all and of treating none (which is 0).

    Attributes
    ----------
    thresholds
        The probabilities from which on one acts: the odds t / (1 - t) are the cost of a false positive, relative
        to the benefit 1 of a true positive.
    curves
        The net benefit of each classifier.
    treat_all
        The net benefit of acting on every case.
    prevalence
        The share of positives.
    provenance
        What is needed to reproduce it.
    """

    thresholds: FloatArray
    curves: Mapping[str, NetBenefit]
    treat_all: NetBenefit
    prevalence: float
    provenance: Provenance

    def _invariants(self) -> Invariants:
        n = len(self.thresholds)
        yield shares(self.thresholds) and ascending(self.thresholds), "thresholds must rise from 0 to 1"
        yield shares(self.prevalence), "prevalence must be from 0 to 1"
        curves = [*self.curves.values(), self.treat_all]
        yield all(len(curve.value) == n for curve in curves), "curves must have a value for each threshold"

    @property
    def treat_none(self) -> FloatArray:
        """The net benefit of acting on no case: 0 at every threshold."""
        return np.zeros(len(self.thresholds))

    @property
    def net_benefit(self) -> FloatArray:
        """The net benefit at each threshold, if there is one classifier."""
        if len(self.curves) != 1:
            raise InputError(f"There are several classifiers, {', '.join(self.curves)}; use curves[name].value.")
        return next(iter(self.curves.values())).value

    def __repr__(self) -> str:
        low, high = self.thresholds[0], self.thresholds[-1]
        return (
            f"DecisionCurve({', '.join(self.curves)}; {len(self.thresholds)} thresholds from {low:g} to {high:g}, "
            f"prevalence {number_text(self.prevalence)})"
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per classifier and threshold; treating all and treating none are last."""
        none = NetBenefit(self.treat_none, self.treat_none)
        rows = []
        for name, curve in [*self.curves.items(), ("treat all", self.treat_all), ("treat none", none)]:
            low, high = curve.confidence_interval(level)
            for i, threshold in enumerate(self.thresholds):
                rows.append(
                    {
                        "classifier": name,
                        "threshold": float(threshold),
                        "net_benefit": float(curve.value[i]),
                        "standard_error": float(curve.standard_error[i]),
                        "low": float(low[i]),
                        "high": float(high[i]),
                        "level": level,
                    }
                )
        return rows


@validated
def decision_curve(
    y_true: Any,
    y_score: Any = None,
    *,
    thresholds: Sequence[float] | None = None,
    prevalence: float | None = None,
    labels: Sequence[Hashable] | None = None,
    pos_label: Hashable = None,
    sample_weight: Any = None,
    weight_kind: WeightKind | None = None,
    groups: Any = None,
    sampling: Sampling | None = None,
    missing: Missing = "raise",
) -> DecisionCurve:
    """Compute the net benefit of acting where the probability is at least a threshold, for every threshold.

    NB(t) = prevalence x TPR - (1 - prevalence) x FPR x t / (1 - t): true positives minus false positives, weighted
    by the odds at which a decision maker with threshold t exchanges them. Treating all has TPR = FPR = 1, treating
    none has 0.

    Parameters
    ----------
    y_true, y_score
        Two classes; the probability of the positive class, or one column per class, or a dict by classifier.
    thresholds
        Between 0 and 1, ends excluded; by default 0.01, 0.02, ..., 0.99.
    prevalence
        The share of positives where the rule will be used. By default that of the data: in a cohort the standard
        errors account for its uncertainty; with `sampling="case-control"`, where the design fixes it, they do not.
        A given prevalence is treated as known.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As in `evaluate`.

    Examples
    --------
    >>> benefit = decision_curve([0, 0, 0, 1, 1], [0.1, 0.3, 0.6, 0.4, 0.9], thresholds=[0.2, 0.5])
    >>> benefit.net_benefit.round(4).tolist(), benefit.treat_all.value.round(4).tolist()
    ([0.3, 0.0], [0.25, -0.2])

    References
    ----------
    Vickers & Elkin, Medical Decision Making 26 (2006) 565-574.
    """
    options: dict[str, Any] = {
        "labels": labels,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "weight_kind": weight_kind,
        "groups": groups,
        "sampling": sampling,
    }
    scores = one_sample(as_scores(y_true, y_score, **options, missing=missing), "decision_curve")
    positive = _positive(scores)
    grid = _checked_thresholds(thresholds)
    shares = np.bincount(scores.codes, scores.sample_weight, 2)
    share = float(shares[positive] / shares.sum()) if prevalence is None else _checked_prevalence(prevalence)
    known = None if prevalence is None else share
    return DecisionCurve(
        thresholds=grid,
        curves={name: _benefit(scores, grid, known, _probability(scores, name)) for name in scores.classifiers},
        treat_all=_benefit(scores, grid, known, np.ones(len(scores)), certain=True),
        prevalence=share,
        provenance=provenance_of(scores),
    )


def _benefit(
    scores: Scores, grid: FloatArray, prevalence: float | None, p: FloatArray, certain: bool = False
) -> NetBenefit:
    """Net benefit at each threshold; `certain` if all cases have the same decision, whatever the sample."""
    outcomes = [_Outcome(scores, p >= t, t / (1.0 - t), prevalence) for t in grid]
    values, errors = np.array([(outcome.value(), outcome.error()) for outcome in outcomes]).T
    if certain and not outcomes[0].random:  # acting on all cases at a known prevalence: nothing is estimated
        return NetBenefit(values, errors)
    low, high, effective, unseen = np.array(
        [(*outcome.limits(), outcome.effective(), outcome.unseen()) for outcome in outcomes]
    ).T
    return NetBenefit(values, errors, low, high, effective, unseen)


class _Outcome:
    """The benefit of acting on some cases: 1 for a positive, minus the odds for a negative, 0 for the others."""

    def __init__(self, scores: Scores, acted: BoolArray, odds: float, prevalence: float | None) -> None:
        self.scores, self.odds = scores, odds
        self.random = prevalence is None and scores.sampling == "cohort"
        assert scores.positive is not None
        weight = np.ones(len(scores)) if scores.sample_weight is None else scores.sample_weight
        cases = [np.flatnonzero(scores.codes == k) for k in range(2)]
        self.gains = np.where(np.arange(2) == scores.positive, 1.0, -odds)
        self.priors = np.array([weight[members].sum() for members in cases]) / weight.sum()
        if prevalence is not None:
            self.priors = np.where(np.arange(2) == scores.positive, prevalence, 1.0 - prevalence)
        outcome = acted * self.gains[scores.codes]
        self.means = np.array([np.average(outcome[members], weights=weight[members]) for members in cases])
        strata = tuple(
            Stratum(
                self.priors[k] * outcome[members],
                partial(np.asarray, members),
                abs(self.priors[k] * self.gains[k]),
            )
            for k, members in enumerate(cases)
        )
        shares = Shares(self.means, 1.0 + odds)
        statistic = Statistic(self.value(), lambda: strata, shares=lambda: shares)
        self.strata = sampled_strata(statistic, scores, random_sizes=self.random)

    def value(self) -> float:
        return float(self.priors @ self.means)

    def error(self) -> float:
        return float(np.sqrt(variance(self.strata, self.scores)))

    def limits(self) -> tuple[float, float]:
        """The smallest and the largest possible value: at the given prevalence, or over all prevalences."""
        extremes = self.gains if self.random else self.priors * self.gains
        return float(extremes.min()), float(extremes.max())

    def effective(self) -> float:
        """As `Estimate.effective`."""
        low, high = self.limits()
        reaching = [(effective_units(stratum, self.scores), stratum.reach) for stratum in self.strata]
        return min(n * (high - low) / reach for n, reach in reaching if reach)

    def unseen(self) -> float:
        """The variance that half an unobserved case of each class adds: rare errors may be costly."""
        acted = self.means / self.gains
        rates = np.column_stack([acted, 1.0 - acted])
        slopes = np.column_stack([self.priors * self.gains, np.zeros(2)])
        units = np.array([effective_units(stratum, self.scores) for stratum in self.strata[:2]])
        return unseen_variance(rates, slopes, units)


def _positive(scores: Scores) -> int:
    if scores.n_classes != 2 or scores.positive is None:
        raise InputError(
            "A decision curve needs two classes with a known positive class (",
            Option("pos_label"),
            f"), got {short_repr(list(scores.labels))}.",
        )
    if scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}; a decision curve needs both classes.")
    return scores.positive


def _probability(scores: Scores, classifier: str) -> FloatArray:
    values = scores.values[classifier]
    p = values if values.ndim == 1 else values[:, scores.positive]
    if scores.kind == "decisions" or p.min() < -ROUNDING or p.max() > 1 + ROUNDING:
        got = "decisions" if scores.kind == "decisions" else f"values from {p.min():g} to {p.max():g}"
        raise InputError(f"A decision curve needs probabilities in [0, 1], got {got}; calibrate the scores.")
    return p


def _checked_thresholds(thresholds: Any) -> FloatArray:
    if thresholds is None:
        return np.arange(1, 100) / 100
    try:
        grid = np.atleast_1d(np.asarray(thresholds, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"thresholds must be numbers between 0 and 1, got {short_repr(thresholds)}.") from None
    if grid.ndim != 1 or not len(grid) or not ((grid > 0) & (grid < 1)).all():
        raise InputError(
            f"thresholds must be numbers between 0 and 1, ends excluded, got {short_repr(thresholds)}."
        )
    return np.unique(grid)


def _checked_prevalence(prevalence: Any) -> float:
    if not isinstance(prevalence, int | float) or not 0 < prevalence < 1:
        raise InputError(f"prevalence must be between 0 and 1, got {short_repr(prevalence)}.")
    return float(prevalence)
