"""DecisionCurve: the net benefit of acting on a probability, by the threshold at which one acts."""

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
from polyroc.messages import short_repr
from polyroc.output.numbers import number_text
from polyroc.results.provenance import Provenance
from polyroc.results.result import Result
from polyroc.scores import Sampling, Scores, WeightKind
from polyroc.validation.arguments import checked_level
from polyroc.validation.arrays import Missing
from polyroc.validation.scores import as_scores

__all__ = ["DecisionCurve", "NetBenefit", "decision_curve"]


class NetBenefit(NamedTuple):
    """The net benefit at each threshold.

    Attributes
    ----------
    value, standard_error
        The net benefit and its standard error.
    lowest, highest
        The least and the most it can be; None if nothing is known of it.
    effective
        As in `Estimate`: how many cases are behind it.
    unseen
        The variance that half an unseen case of each class adds.
    """

    value: FloatArray
    standard_error: FloatArray
    lowest: FloatArray | None = None
    highest: FloatArray | None = None
    effective: FloatArray | None = None
    unseen: FloatArray | None = None

    def confidence_interval(self, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """Pointwise guarded intervals (see `polyroc.estimates.intervals.interval`).

        Without limits: value plus or minus z standard errors.
        """
        checked_level(level)
        if self.lowest is not None and self.highest is not None and self.effective is not None:
            unseen = np.zeros(len(self.value)) if self.unseen is None else self.unseen
            columns = (self.value, self.standard_error, unseen, self.lowest, self.highest, self.effective)
            ends = [_widest(level, *row) for row in np.column_stack(columns).tolist()]
            low, high = np.array(ends).T
            return low, high
        reach = NormalDist().inv_cdf(0.5 + level / 2) * self.standard_error
        return self.value - reach, self.value + reach

    def _derived_at(self, level: float) -> dict[str, Any]:
        low, high = self.confidence_interval(level)
        return {"low": low, "high": high}


def _widest(
    level: float, value: float, error: float, unseen: float, lowest: float, highest: float, n: float
) -> tuple[float, float]:
    """The guarded interval, and at each end not inside that which allows for unseen cases."""
    errors = error, hypot(error, sqrt(unseen))
    usual, wide = (interval(value, each, (lowest, highest), n, level) for each in errors)
    return min(usual.low, wide.low), max(usual.high, wide.high)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionCurve(Result):
    """Net benefit of one or more classifiers, beside treating all and treating none (which has none).

    Attributes
    ----------
    thresholds
        The probabilities at which one acts: the odds t / (1 - t) are what a false alarm costs, where a case found
        is worth 1.
    curves
        By classifier.
    treat_all
        Acting on every case.
    prevalence
        The share of positives.
    provenance
        What is needed to repeat it.
    """

    thresholds: FloatArray
    curves: Mapping[str, NetBenefit]
    treat_all: NetBenefit
    prevalence: float
    provenance: Provenance

    @property
    def treat_none(self) -> FloatArray:
        """Acting on no case: 0 at every threshold."""
        return np.zeros(len(self.thresholds))

    @property
    def net_benefit(self) -> FloatArray:
        """The net benefit at each threshold, if there is one classifier."""
        if len(self.curves) != 1:
            raise InputError(f"There are several classifiers; take curves[...] of {', '.join(self.curves)}.")
        return next(iter(self.curves.values())).value

    def __repr__(self) -> str:
        low, high = self.thresholds[0], self.thresholds[-1]
        return (
            f"DecisionCurve({', '.join(self.curves)}; {len(self.thresholds)} thresholds from {low:g} to {high:g}, "
            f"prevalence {number_text(self.prevalence)})"
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per classifier and threshold; treating all and treating none come last."""
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
    """Net benefit of acting where the probability is at least a threshold, for every threshold.

    NB(t) = prevalence x TPR - (1 - prevalence) x FPR x t / (1 - t): cases found, less false alarms at the price
    that someone pays who acts from probability t on. Treating all has TPR = FPR = 1, treating none has 0.

    Parameters
    ----------
    y_true, y_score
        Two classes; the probability of the positive one, or one column per class, or a dict of such by classifier.
    thresholds
        Between 0 and 1, ends excluded; by default 0.01, 0.02, ..., 0.99.
    prevalence
        The share of positives where the rule will be used. By default that of the data: in a cohort the error bars
        account for its uncertainty; with `sampling="case-control"`, where it is a choice of the study, they do
        not. If it is given, it is taken as known.
    labels, pos_label, sample_weight, weight_kind, groups, sampling, missing
        As everywhere.

    Examples
    --------
    >>> found = decision_curve([0, 0, 0, 1, 1], [0.1, 0.3, 0.6, 0.4, 0.9], thresholds=[0.2, 0.5])
    >>> found.net_benefit.round(4).tolist(), found.treat_all.value.round(4).tolist()
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
    scores = as_scores(y_true, y_score, **options, missing=missing)
    positive = _positive(scores)
    grid = _thresholds(thresholds)
    shares = np.bincount(scores.codes, scores.sample_weight, 2)
    share = float(shares[positive] / shares.sum()) if prevalence is None else _prevalence(prevalence)
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
    """Value, standard error and limits at each threshold; `certain` if the decisions are the same for any case."""
    outcomes = [_Outcome(scores, p >= t, t / (1.0 - t), prevalence) for t in grid]
    values, errors = (np.array([getattr(each, name)() for each in outcomes]) for name in ("value", "error"))
    if certain and not outcomes[0].random:  # acting on all at known shares: nothing is estimated
        return NetBenefit(values, errors)
    low, high, effective, unseen = np.array(
        [(*each.limits(), each.effective(), each.unseen()) for each in outcomes]
    ).T
    return NetBenefit(values, errors, low, high, effective, unseen)


class _Outcome:
    """What acting on some cases brings: 1 for a positive, minus the odds for a negative, 0 for the others."""

    def __init__(self, scores: Scores, acted: BoolArray, odds: float, prevalence: float | None) -> None:
        self.scores, self.odds = scores, odds
        self.random = prevalence is None and scores.sampling == "cohort"
        assert scores.positive is not None
        weight = np.ones(len(scores)) if scores.sample_weight is None else scores.sample_weight
        cases = [np.flatnonzero(scores.codes == k) for k in range(2)]
        self.gains = np.where(np.arange(2) == scores.positive, 1.0, -odds)
        self.priors = np.array([weight[each].sum() for each in cases]) / weight.sum()
        if prevalence is not None:
            self.priors = np.where(np.arange(2) == scores.positive, prevalence, 1.0 - prevalence)
        outcome = acted * self.gains[scores.codes]
        self.means = np.array([np.average(outcome[each], weights=weight[each]) for each in cases])
        strata = tuple(
            Stratum(self.priors[k] * outcome[each], partial(np.asarray, each), abs(self.priors[k] * self.gains[k]))
            for k, each in enumerate(cases)
        )
        shares = Shares(self.means, 1.0 + odds)
        statistic = Statistic(self.value(), lambda: strata, shares=lambda: shares)
        self.strata = sampled_strata(statistic, scores, random_sizes=self.random)

    def value(self) -> float:
        return float(self.priors @ self.means)

    def error(self) -> float:
        return float(np.sqrt(variance(self.strata, self.scores)))

    def limits(self) -> tuple[float, float]:
        """The least and the most there can be: at the given shares, or whatever the shares are."""
        ends = self.gains if self.random else self.priors * self.gains
        return float(ends.min()), float(ends.max())

    def effective(self) -> float:
        """As `Estimate.effective`."""
        low, high = self.limits()
        reaching = [(effective_units(each, self.scores), each.reach) for each in self.strata]
        return min(n * (high - low) / reach for n, reach in reaching if reach)

    def unseen(self) -> float:
        """The variance that half an unseen case of each class adds: the costly class may hide its errors."""
        acted = self.means / self.gains
        rates = np.column_stack([acted, 1.0 - acted])
        slopes = np.column_stack([self.priors * self.gains, np.zeros(2)])
        units = np.array([effective_units(each, self.scores) for each in self.strata[:2]])
        return unseen_variance(rates, slopes, units)


def _positive(scores: Scores) -> int:
    if scores.n_classes != 2 or scores.positive is None:
        raise InputError(
            f"A decision curve is for two classes of which the positive one is known (pos_label), here "
            f"{short_repr(list(scores.labels))}."
        )
    if scores.absent:
        raise InputError(f"No case of class {scores.absent[0]!r}; a decision curve needs both classes.")
    return scores.positive


def _probability(scores: Scores, classifier: str) -> FloatArray:
    values = scores.values[classifier]
    p = values if values.ndim == 1 else values[:, scores.positive]
    if scores.kind == "decisions" or p.min() < -ROUNDING or p.max() > 1 + ROUNDING:
        held = "decisions" if scores.kind == "decisions" else f"values from {p.min():g} to {p.max():g}"
        raise InputError(f"A decision curve needs probabilities in [0, 1], got {held}; turn them into such.")
    return p


def _thresholds(given: Any) -> FloatArray:
    if given is None:
        return np.arange(1, 100) / 100
    try:
        grid = np.atleast_1d(np.asarray(given, dtype=np.float64))
    except (TypeError, ValueError):
        raise InputError(f"thresholds must be numbers between 0 and 1, got {short_repr(given)}.") from None
    if grid.ndim != 1 or not len(grid) or not ((grid > 0) & (grid < 1)).all():
        raise InputError(f"thresholds must be numbers between 0 and 1, ends excluded, got {short_repr(given)}.")
    return np.unique(grid)


def _prevalence(given: Any) -> float:
    if not isinstance(given, int | float) or not 0 < given < 1:
        raise InputError(f"prevalence must be between 0 and 1, got {short_repr(given)}.")
    return float(given)
