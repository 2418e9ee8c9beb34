"""The verb `decision_curve`: net benefit by probability threshold (Vickers & Elkin 2006)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import hypot, sqrt
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple, Unpack

import numpy as np

from polyroc._results.codec import STORED_IF_SET
from polyroc._results.invariants import Invariants, ascending, at_least, shares
from polyroc._results.provenance import Provenance
from polyroc._results.result import Result
from polyroc.data_options import DataOptions, cases_in_memory
from polyroc.decisions.benefit_differences import BenefitDifference, benefit_differences
from polyroc.decisions.rates import provenance_of
from polyroc.errors import InputError
from polyroc.estimates.intervals import interval
from polyroc.inference.covariance import covariance, effective_units, sampled_strata, variance, weights_vary
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import ROUNDING
from polyroc.measures.sample import Sample
from polyroc.measures.statistic import Errors, Statistic
from polyroc.measures.two_class_table import benefit_over
from polyroc.messages import Option, short_repr
from polyroc.output.numbers import number_text
from polyroc.output.tables import SHOWN_ROWS
from polyroc.scores import Scores
from polyroc.validation.arguments import checked_level
from polyroc.validation.scores import one_sample
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
    differences
        Of several classifiers, by pair: first minus second, with bands; None for a single classifier.
    over_all
        By classifier, the net benefit minus that of acting on every case; None in results of earlier versions.
    """

    _most_rows: ClassVar[int] = SHOWN_ROWS  # they are points

    thresholds: FloatArray
    curves: Mapping[str, NetBenefit]
    treat_all: NetBenefit
    prevalence: float
    provenance: Provenance
    differences: Mapping[tuple[str, str], BenefitDifference] | None = field(default=None, metadata=STORED_IF_SET)
    over_all: Mapping[str, NetBenefit] | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        n = len(self.thresholds)
        yield shares(self.thresholds) and ascending(self.thresholds), "thresholds must rise from 0 to 1"
        yield shares(self.prevalence), "prevalence must be from 0 to 1"
        curves: list[Any] = [*self.curves.values(), self.treat_all]
        curves += [*(self.differences or {}).values(), *(self.over_all or {}).values()]
        yield {*(self.over_all or self.curves)} == {*self.curves}, "over_all must be of the same classifiers"
        yield all(len(curve.value) == n for curve in curves), "curves must have a value for each threshold"
        pairs = [] if self.differences is None else [*combinations(self.curves, 2)]
        yield [*(self.differences or {})] == pairs, "there must be a difference for every pair"

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

    @validated
    def difference(self, first: str, second: str) -> BenefitDifference:
        """The net benefit of the first classifier minus that of the second."""
        differences = self.differences or {}
        if (first, second) in differences:
            return differences[first, second]
        if (second, first) in differences:
            return differences[second, first].reversed()
        known = ", ".join(map(repr, self.curves))
        raise InputError(f"first and second must be two of the classifiers {known}, got {first!r} and {second!r}.")

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

    def difference_rows(self) -> list[dict[str, Any]]:
        """One record per pair of classifiers and threshold, with the interval and the simultaneous band."""
        return [
            {
                "first": first,
                "second": second,
                "threshold": float(threshold),
                "difference": float(own.value[i]),
                "standard_error": float(own.standard_error[i]),
                "low": float(own.pointwise.low[i]),
                "high": float(own.pointwise.high[i]),
                "simultaneous_low": float(own.simultaneous.low[i]),
                "simultaneous_high": float(own.simultaneous.high[i]),
                "level": own.pointwise.level,
                "pvalue": float(own.pvalue[i]),
                "adjusted_pvalue": float(own.adjusted_pvalue[i]),
            }
            for (first, second), own in (self.differences or {}).items()
            for i, threshold in enumerate(self.thresholds)
        ]


@validated
def decision_curve(
    data: Any,
    y_score: Any = None,
    *,
    thresholds: Sequence[float] | None = None,
    prevalence: float | None = None,
    level: float = 0.95,
    **data_options: Unpack[DataOptions],
) -> DecisionCurve:
    """Compute the net benefit of acting where the probability is at least a threshold, for every threshold.

    NB(t) = prevalence x TPR - (1 - prevalence) x FPR x t / (1 - t): true positives minus false positives, weighted
    by the odds at which a decision maker with threshold t exchanges them. Treating all has TPR = FPR = 1, treating
    none has 0.

    Parameters
    ----------
    data, y_score
        Two classes; the probability of the positive class, or one column per class, or a dict by classifier.
    thresholds
        Between 0 and 1, ends excluded; by default 0.01, 0.02, ..., 0.99.
    prevalence
        The share of positives where the rule will be used. By default that of the data: in a cohort the standard
        errors account for its uncertainty; with `sampling="case-control"`, where the design fixes it, they do not.
        A given prevalence is treated as known.
    level
        Of the bands of the differences between classifiers, which are paired: the same cases. The pointwise band
        is the interval of `compare(measure="net_benefit(threshold=...)")` at each threshold; the simultaneous one
        contains the difference at all thresholds at once, by the distribution of the largest absolute z, simulated
        from the covariance of the influence values.
    data_options
        As in `evaluate`; all cases are read into memory.

    Examples
    --------
    >>> benefit = decision_curve([0, 0, 0, 1, 1], [0.1, 0.3, 0.6, 0.4, 0.9], thresholds=[0.2, 0.5])
    >>> benefit.net_benefit.round(4).tolist(), benefit.treat_all.value.round(4).tolist()
    ([0.3, 0.0], [0.25, -0.2])
    >>> y, rng = np.arange(400) % 4 == 0, np.random.default_rng(0)
    >>> logits = rng.normal(2 * y - 2, 1, (2, 400)) * [[1.0], [0.2]]
    >>> models = dict(zip(["good", "poor"], 1 / (1 + np.exp(-logits)), strict=True))
    >>> difference = decision_curve(y, models, thresholds=[0.2, 0.4]).difference("good", "poor")
    >>> difference.value.round(3).tolist(), round(difference.equal_pvalue, 4)
    ([0.122, 0.144], 0.0)

    References
    ----------
    Vickers & Elkin, Medical Decision Making 26 (2006) 565-574.
    """
    scores = one_sample(cases_in_memory("decision_curve", data, y_score, data_options), "decision_curve")
    positive = _positive(scores)
    grid = _checked_thresholds(thresholds)
    shares = np.bincount(scores.codes, scores.sample_weight, 2)
    share = float(shares[positive] / shares.sum()) if prevalence is None else _checked_prevalence(prevalence)
    for name in scores.classifiers:
        _check_probabilities(scores, name)
    known = None if prevalence is None else share
    statistics, over_all = (
        {name: _statistics(scores, name, grid, known, act) for name in scores.classifiers} for act in (False, True)
    )
    everyone = scores._replace(values={"treat all": np.ones((len(scores), 2))}, kind="matrix")
    in_common: Any = {"grid": grid, "share": share, "known": known is not None}
    return DecisionCurve(
        thresholds=grid,
        curves={name: _benefit(scores, own, **in_common) for name, own in statistics.items()},
        treat_all=_benefit(scores, _statistics(everyone, "treat all", grid, known), **in_common, certain=True),
        prevalence=share,
        provenance=provenance_of(scores),
        differences=benefit_differences(scores, grid, known, statistics, level) if len(statistics) > 1 else None,
        over_all={name: _benefit(scores, own, **in_common, act=True) for name, own in over_all.items()},
    )


def _statistics(
    scores: Scores, name: str, grid: FloatArray, prevalence: float | None, act: bool = False
) -> list[Statistic]:
    """The net benefit at each threshold, minus that of acting on all cases if `act`."""
    sample = Sample(scores, name)
    return [benefit_over(sample, float(t), prevalence, act) for t in grid]


def _benefit(
    scores: Scores,
    statistics: Sequence[Statistic],
    grid: FloatArray,
    share: float,
    known: bool,
    certain: bool = False,
    act: bool = False,
) -> NetBenefit:
    """Net benefit with its errors at each threshold; `certain` if the decisions are the same for every sample.

    Parameters
    ----------
    scores, statistics, grid
        The cases, and the measure net_benefit at each threshold.
    share, known
        The prevalence, and whether it was given.
    certain
        Whether acting does not depend on the case.
    act
        Whether the statistics are differences from acting on all cases.
    """
    random_sizes = not known and (scores.sampling == "cohort" or weights_vary(scores))
    values = np.array([statistic.value for statistic in statistics])
    errors = np.sqrt([variance(sampled_strata(statistic, scores), scores) for statistic in statistics])
    if certain and not random_sizes:  # acting on all cases at a known prevalence: nothing is estimated
        return NetBenefit(values, errors)
    odds = grid / (1.0 - grid)
    # The smallest and the largest possible value: at the given prevalence, or over all prevalences.
    low, high = (-odds, np.ones(len(grid))) if random_sizes else (-(1.0 - share) * odds, np.full(len(grid), share))
    low, high = (-high, -low) if act else (low, high)
    units = _units(scores)
    spans = zip(statistics, high - low, 1.0 + odds, strict=True)
    effective = [_effective(scores, statistic, span, reach, random_sizes) for statistic, span, reach in spans]
    unseen = [statistic.boundary(units).unseen for statistic in statistics if statistic.boundary is not None]
    return NetBenefit(values, errors, low, high, np.array(effective), np.array(unseen))


def _units(scores: Scores) -> Errors:
    """The effective numbers of cases, of which the variance due to unobserved cases is made."""
    return Errors(
        lambda strata, _=None: variance(strata, scores),
        lambda several: covariance(several, scores),
        lambda stratum: effective_units(stratum, scores),
    )


def _effective(scores: Scores, statistic: Statistic, span: float, reach: float, random_sizes: bool) -> float:
    """As `Estimate.effective`; `reach` is that of all cases, from a false to a true positive."""
    strata = [(effective_units(stratum, scores), stratum.reach) for stratum in statistic.strata()]
    if random_sizes:
        strata.append((effective_units(sampled_strata(statistic, scores)[-1], scores), reach))
    return min(n * span / reach for n, reach in strata if reach)


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


def _check_probabilities(scores: Scores, classifier: str) -> None:
    values = scores.values[classifier]
    p = values if values.ndim == 1 else values[:, scores.positive]
    if scores.kind == "decisions" or p.min() < -ROUNDING or p.max() > 1 + ROUNDING:
        got = "decisions" if scores.kind == "decisions" else f"values from {p.min():g} to {p.max():g}"
        raise InputError(f"A decision curve needs probabilities in [0, 1], got {got}; calibrate the scores.")


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
