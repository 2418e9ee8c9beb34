"""`OperatingPoint`, the result of `operate`: the chosen rule with its rates and its expected cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from polyroc.decisions.rate_matrix import Rates
from polyroc.errors import InputError
from polyroc.estimates.estimate import Estimate
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import number_text
from polyroc.results.codec import stored_as
from polyroc.results.invariants import Invariants, shares, within
from polyroc.results.result import Result
from polyroc.rules import Rule, ThresholdRule

__all__ = ["OperatingPoint", "Optimality"]

Optimality = Literal["proven", "best found"]
OPTIMALITY = {
    "proven": "Proven: on the cases it was chosen on, no rule of its kind is better.",
    "best found": "Best found: on the cases it was chosen on, a better rule may exist.",
    None: "Not chosen on the cases: it follows from the options.",
}


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
        The confusion rates, each with its interval, on the cases it was evaluated on.
    cost
        The expected cost per case on these, with its interval; given priors are treated as known.
    costs, priors
        Row = true class, column = decision; the class probabilities where the rule will be used.
    at_most
        By (true class, decision): the largest rate allowed when the rule was chosen.
    apparent_cost
        The expected cost on the cases the rule was chosen on; optimistic if it was fitted to them.
    held_out
        True if it was evaluated on other cases than those it was chosen on.
    point
        Its position in the front it was taken from; None if there is no front.
    optimality
        "proven" if no rule of its kind (thresholds of the score; `CostRule`) is better on the cases it was chosen
        on; "best found" if one may be; None if it was not chosen on cases (Bayes' rule for calibrated
        probabilities, or a given point of a front). It is not a statement about other cases.
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

    def _invariants(self) -> Invariants:
        c = len(self.confusion.classes)
        yield self.costs.shape == (c, c) and len(self.priors) == c, "costs and priors must fit the classes"
        yield len(self.rule.labels) == c, "the rule must be of these classes"
        yield shares(self.priors) and within(self.priors.sum(), 1.0, 1.0), "priors must sum to 1"
        yield shares([*self.at_most.values()]), "largest rates must be from 0 to 1"
        known = {name for pair in self.at_most for name in pair} <= set(self.confusion.classes)
        yield known, "at_most must name classes"
        yield self.point is None or self.point >= 0, "point must be 0 or more"

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

    def _positive(self) -> int:
        if not isinstance(self.rule, ThresholdRule):
            raise InputError("fpr and tpr are available for a threshold rule of two classes; use rates.")
        return self.rule.labels.index(self.rule.positive)

    def sentence(self) -> str:
        """The optimality in words."""
        return OPTIMALITY[self.optimality]

    def __repr__(self) -> str:
        optimality = "" if self.optimality is None else f" ({self.optimality})"
        cost = number_text(self.expected_cost)
        return f"OperatingPoint({self.aim}{optimality}: expected cost {cost}; {self.rule.sentence()})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per confusion rate, with its cost, its prior and its limit."""
        classes = self.confusion.classes
        cells = [(k, m) for k in range(len(classes)) for m in range(len(classes))]
        return [
            {
                **row,
                "cost": float(self.costs[cell]),
                "prior": float(self.priors[cell[0]]),
                "at_most": self.at_most.get((classes[cell[0]], classes[cell[1]])),
                "optimality": self.optimality,
            }
            for cell, row in zip(cells, self.confusion.rows(level), strict=True)
        ]
