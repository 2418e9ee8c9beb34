"""`OperatingPoint`, the result of `operate`: the chosen rule with its rates and its expected cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import hypot
from statistics import NormalDist
from typing import Any, Literal

from polyroc._results.codec import STORED_IF_SET, stored_as
from polyroc._results.invariants import Invariants, shares, within
from polyroc._results.result import Result
from polyroc.decisions.rate_matrix import Rates
from polyroc.decisions.uncertainty import ThresholdUncertainty
from polyroc.errors import InputError
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import ConfidenceInterval
from polyroc.estimates.tables import direction_hint
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import Call, Option
from polyroc.output.numbers import level_text, number_text, percentage
from polyroc.output.sentences import printable
from polyroc.output.tables import Table, record_table
from polyroc.rules import CutPointRule, Rule, ThresholdRule
from polyroc.validation.signatures import validated

__all__ = ["OPTIMISTIC", "OperatingPoint", "Optimality"]

Optimality = Literal["proven", "best found", "best point"]
OPTIMALITY = {
    "proven": "Proven: on the cases it was chosen on, no rule of its kind is better.",
    "best found": "Best found: on the cases it was chosen on, a better rule may exist.",
    "best point": "Best point of the front, which holds no cases; operate on the cases may find a better rule.",
    None: "Not chosen on the cases: it follows from the options.",
}
OPTIMISTIC = "The rule was chosen and evaluated on the same cases, so its rates and cost are optimistic."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OperatingPoint(Result):
    """A decision rule, the objective it was chosen for, and its estimated rates and expected cost.

    Attributes
    ----------
    aim
        The objective in words.
    rule
        The rule to deploy: `rule.decide(y_score)`, `rule.to_json()`.
    confusion
        The confusion rates, each with its interval, on the cases it was evaluated on. If the choice was repeated
        in resamples (`uncertainty`) and there were no other cases, they are corrected for the choice; the counts
        are not.
    cost
        The expected cost per case on these, with its interval; given priors are treated as known.
    costs, priors
        Row = true class, column = decision; the class probabilities where the rule will be used.
    at_most, at_least
        By (true class, decision), the largest rate allowed when the rule was chosen; by class, of three or more,
        the least rate of right decisions, None without any.
    apparent_cost
        The expected cost on the cases the rule was chosen on; optimistic if it was fitted to them.
    held_out
        True if it was evaluated on other cases than those it was chosen on.
    point
        Its position in the front it was taken from; None if there is no front, or if the rule is no point of it.
    optimality
        "proven" if no rule of its kind (thresholds of the score; `CostRule`) is better on the cases it was chosen
        on; "best found" if one may be; "best point" if only the points of a front were compared, because it holds
        no cases on which to search for a better rule; None if it was not chosen on cases (Bayes' rule for
        calibrated probabilities, or a given point of a front). It is not a statement about other cases.
    uncertainty
        The thresholds chosen in resamples, if the rule has any, and the optimism of the rates; None if the choice
        was not repeated.
    """

    aim: str
    rule: Rule
    confusion: Rates
    cost: Estimate
    costs: FloatArray
    priors: FloatArray
    at_most: Mapping[tuple[str, str], float]
    apparent_cost: float
    held_out: bool = field(metadata=stored_as("judged_apart"))
    point: int | None = None
    optimality: Optimality | None = None
    uncertainty: ThresholdUncertainty | None = field(default=None, metadata=STORED_IF_SET)
    at_least: Mapping[str, float] | None = field(default=None, metadata=STORED_IF_SET)

    def _invariants(self) -> Invariants:
        c = len(self.confusion.classes)
        yield self.costs.shape == (c, c) and len(self.priors) == c, "costs and priors must fit the classes"
        yield len(self.rule.labels) == c, "the rule must be of these classes"
        yield shares(self.priors) and within(self.priors.sum(), 1.0, 1.0), "priors must sum to 1"
        least = self.at_least or {}
        yield shares([*self.at_most.values(), *least.values()]), "limits must be from 0 to 1"
        known = {*least, *(name for pair in self.at_most for name in pair)} <= set(self.confusion.classes)
        yield known, "at_most and at_least must name classes"
        yield self.point is None or self.point >= 0, "point must be 0 or more"
        if self.uncertainty is not None:
            fitting = len(self.uncertainty.low) == len(
                self.rule.thresholds
            ) and self.uncertainty.optimism.shape == (
                c,
                c,
            )
            yield fitting, "the uncertainty must be of the thresholds of the rule"

    @property
    def rates(self) -> FloatArray:
        """The confusion-rate matrix: row = true class, column = decision."""
        return self.confusion.rates

    @property
    def expected_cost(self) -> float:
        """The expected cost per case; `cost` has its interval."""
        return self.cost.value

    @property
    def fpr(self) -> float:
        """Two classes: the false positive rate."""
        positive = self._positive()
        return float(self.rates[1 - positive, positive])

    @property
    def tpr(self) -> float:
        """Two classes: the true positive rate."""
        positive = self._positive()
        return float(self.rates[positive, positive])

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The threshold of two classes, or the cut-points of ordered classes, rising."""
        if not self.rule.thresholds:
            raise InputError(
                "thresholds are those of a rule of one score; this one decides by probabilities and costs, which "
                "the cases do not determine: very different costs make the same decisions. Its rates and its cost "
                "have intervals."
            )
        return self.rule.thresholds

    @validated
    def threshold_intervals(self, level: float = 0.95) -> tuple[ConfidenceInterval, ...]:
        """The interval of each of `thresholds`, if the choice was repeated in resamples.

        Each resample has a range of thresholds that are best there, or worse by no more than one case. The ends
        of the interval are percentiles of the lower and of the upper ends of these ranges: a sample does not
        distinguish the thresholds between two neighbouring scores, which are far apart where classes are well
        separated or rare. The choice by costs, "youden" or "closest" has an error of the order n^(-1/3), for which
        the bootstrap has no general proof: simulated 95 % intervals covered 94 % or more, 98 % on average
        (docs/coverage.md). A required sensitivity or specificity makes the threshold a quantile,
        whose interval is by order statistics; an end is infinite if there are too few cases for it.
        """
        if self.uncertainty is None:
            raise InputError(
                "The choice was not repeated; intervals of thresholds need ",
                Option("method", Call("Bootstrap")),
                " in operate.",
            )
        return self.uncertainty.confidence_intervals(level) if self.thresholds else ()

    @validated
    def threshold_texts(self, level: float = 0.95) -> list[str]:
        """For each threshold a sentence: its value, and its interval if there is one."""
        intervals = None if self.uncertainty is None else self.threshold_intervals(level)
        sentences = []
        for place, (label, value) in enumerate(zip(self._decided_from(), self.thresholds, strict=True)):
            ends = "" if intervals is None else f" ({level_text(float(level))} {_ends_text(intervals[place])})"
            sentences.append(f"{label} from {value:.6g}{ends}")
        return sentences

    def _decided_from(self) -> list[str]:
        """The classes that are decided from each threshold on."""
        if isinstance(self.rule, ThresholdRule):
            return [self.confusion.classes[self.rule.labels.index(self.rule.positive)]]
        return [*self.confusion.classes[1:]]

    def _positive(self) -> int:
        if not isinstance(self.rule, ThresholdRule):
            raise InputError("fpr and tpr are available for a threshold rule of two classes; use rates.")
        return self.rule.labels.index(self.rule.positive)

    def sentence(self) -> str:
        """The optimality in words."""
        return OPTIMALITY[self.optimality]

    @property
    def is_optimistic(self) -> bool:
        """True if the rates are of the cases on which the rule was chosen, and not corrected for the choice."""
        chosen = self.optimality is not None or self.point is not None
        return chosen and not self.held_out and self.uncertainty is None

    @property
    def evaluation(self) -> str:
        """On which cases the rates and the cost were estimated, in a sentence."""
        if self.is_optimistic:
            return OPTIMISTIC
        if self.held_out:
            return "Evaluated on other cases."
        if self.uncertainty is None:
            return "Evaluated on these cases, on which nothing was chosen."
        return "Evaluated on the cases it was chosen on; rates and cost are corrected for the choice."

    def __repr__(self) -> str:
        optimality = "" if self.optimality is None else f" ({self.optimality})"
        cost = number_text(self.expected_cost)
        return f"OperatingPoint({self.aim}{optimality}: expected cost {cost}; {self.rule.sentence()})"

    @validated
    def to_table(self, level: float = 0.95) -> Table:
        """The records as a table of text, with intervals at a level; thresholds are below it."""
        names = {"threshold", "threshold_low", "threshold_high"}
        rows = [{name: cell for name, cell in row.items() if name not in names} for row in self.rows(level)]
        notes = [f"Rule: {self.rule.sentence()}"] if isinstance(self.rule, CutPointRule) else []
        if self.uncertainty is not None and self.rule.thresholds:
            notes = [f"Thresholds: {'; '.join(self.threshold_texts(level))}."]
        if isinstance(self.rule, ThresholdRule) and self._is_reversed(level):
            positive = self._decided_from()[0]
            notes.append(
                f"{positive} is decided less often for cases of {positive} ({percentage(self.tpr)}) than for the "
                f"others ({percentage(self.fpr)}): {direction_hint(self.confusion.provenance)}"
            )
        if self.is_optimistic:
            notes.append(OPTIMISTIC)
        return replace(record_table(rows), notes=tuple(map(printable, notes)))

    def _is_reversed(self, level: float) -> bool:
        """Whether a threshold is certainly worse than chance: the false positive rate is above the true one."""
        z = NormalDist().inv_cdf(0.5 + level / 2)
        return self.fpr - self.tpr > z * hypot(*self.confusion.standard_errors[:, self._positive()])

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per confusion rate, with its cost, its prior and its limit.

        For cut-points, and if the choice was repeated in resamples, also the threshold from which on the decision
        is made (None for the class of the lowest scores), with its interval.
        """
        classes = self.confusion.classes
        thresholds = self._threshold_columns(level)
        cells = [(k, m) for k in range(len(classes)) for m in range(len(classes))]
        return [
            {
                **row,
                "cost": float(self.costs[cell]),
                "prior": float(self.priors[cell[0]]),
                "at_most": self.at_most.get((classes[cell[0]], classes[cell[1]])),
                "optimality": self.optimality,
                **thresholds.get(classes[cell[1]], {}),
            }
            for cell, row in zip(cells, self.confusion.rows(level), strict=True)
        ]

    def _threshold_columns(self, level: float) -> dict[str, dict[str, float | None]]:
        """By decision, its threshold and its interval; empty if rows have none."""
        if not self.rule.thresholds or (self.uncertainty is None and not isinstance(self.rule, CutPointRule)):
            return {}
        names = ("threshold", "threshold_low", "threshold_high")
        columns: dict[str, dict[str, float | None]] = {
            name: dict.fromkeys(names) for name in self.confusion.classes
        }
        intervals = None if self.uncertainty is None else self.threshold_intervals(level)
        for place, (name, value) in enumerate(zip(self._decided_from(), self.thresholds, strict=True)):
            ends = (None, None) if intervals is None else intervals[place]
            columns[name] = dict(zip(names, (value, *ends), strict=True))
        return columns


def _ends_text(interval: ConfidenceInterval) -> str:
    return f"{interval.low:.6g} to {interval.high:.6g}"
