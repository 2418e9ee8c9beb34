"""`ReaderPlan`, the result of `plan_reader_study`: cases by number of readers, and the power of combinations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from polyroc._results.codec import STORED_IF_SET
from polyroc._results.invariants import Invariants, ascending, shares
from polyroc._results.result import Result
from polyroc._version import __version__
from polyroc.kernels.arrays import FloatArray
from polyroc.output.numbers import level_text
from polyroc.output.sentences import class_text
from polyroc.output.tables import Table
from polyroc.readers.anova import Fixed
from polyroc.readers.power import ReaderVariances
from polyroc.readers.result import RANDOM

__all__ = ["NeededCases", "ReaderPlan", "ReaderVariances"]


class NeededCases(NamedTuple):
    """The smallest number of cases that has the power with so many readers; None if no number has."""

    readers: int
    cases: int | None
    power: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReaderPlan(Result):
    """How many readers and cases a reader study of two modalities needs.

    Attributes
    ----------
    needed
        For each number of readers, the cases that have the wanted power.
    readers, cases, powers
        The power at [readers, cases] for these numbers.
    effect, margin
        The expected difference, and the margin of non-inferiority (None: the test of no difference).
    wanted_power, alpha, sides
        The power asked for, the significance level, and 1 or 2.
    fixed
        What is taken as fixed.
    variances
        The variance components.
    measure
        The measure of the pilot study, if there is one.
    shares
        The share of each class among the cases of the pilot study, which a plan assumes, if there is one.
    version
        The version of polyroc.
    """

    needed: tuple[NeededCases, ...]
    readers: tuple[int, ...]
    cases: tuple[int, ...]
    powers: FloatArray
    effect: float
    margin: float | None
    wanted_power: float
    alpha: float
    sides: int
    fixed: Fixed | None
    variances: ReaderVariances
    measure: str | None = field(default=None, metadata=STORED_IF_SET)
    shares: Mapping[str, float] | None = field(default=None, metadata=STORED_IF_SET)
    version: str = __version__

    def _invariants(self) -> Invariants:
        yield self.powers.shape == (len(self.readers), len(self.cases)), "there must be a power for every pair"
        yield shares(self.powers) and shares(self.wanted_power), "powers must be from 0 to 1"
        yield ascending(self.readers) and ascending(self.cases), "readers and cases must rise"
        yield 0 < self.alpha < 1 and self.sides in (1, 2), "alpha must be between 0 and 1, sides 1 or 2"

    def __repr__(self) -> str:
        texts = [f"{one.readers} readers: {_cases(one)}" for one in self.needed]
        return f"ReaderPlan(power {self.wanted_power:g} for {self.effect:g}; {', '.join(texts)})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - a plan has no intervals
        """One record per combination of readers and cases, and per number of readers the cases needed."""
        rows: list[dict[str, Any]] = [
            {"readers": one.readers, "cases": one.cases, "power": one.power, "needed": True} for one in self.needed
        ]
        rows += [
            {"readers": r, "cases": c, "power": float(self.powers[i, j]), "needed": False}
            for i, r in enumerate(self.readers)
            for j, c in enumerate(self.cases)
        ]
        return [{**row, "effect": self.effect, "margin": self.margin, "alpha": self.alpha} for row in rows]

    def to_table(self, level: float = 0.95) -> Table:  # noqa: ARG002 - a plan has no intervals
        """The cases needed by number of readers, and the power of other numbers of cases."""
        rows = [
            {
                "readers": str(one.readers),
                f"cases for {self.wanted_power:g}": "none" if one.cases is None else str(one.cases),
                **{f"power, {c} cases": f"{self.powers[i, j]:.2f}" for j, c in enumerate(self.cases)},
            }
            for i, one in enumerate(self.needed)
        ]
        return Table.of("Readers and cases", rows, [self.sentence(), self.assumptions()])

    def sentence(self) -> str:
        """The plan as a sentence: the smallest study by number of readings."""
        possible = [one for one in self.needed if one.cases is not None]
        test = f"{'two' if self.sides == 2 else 'one'}-sided test at {level_text(self.alpha)}"
        goal = (
            f"to show a difference of {abs(self.effect):g}"
            if self.margin is None
            else f"to show non-inferiority by less than {self.margin:g} if the difference is {self.effect:g}"
        )
        if not possible:
            return f"No number of cases has a power of {self.wanted_power:g} {goal} with so few readers ({test})."
        fewest = min(possible, key=lambda one: one.readers * (one.cases or 0))
        return (
            f"{fewest.readers} readers and {fewest.cases} cases have a power of {fewest.power:.2f} {goal} "
            f"({test}, {RANDOM[self.fixed]}); of these numbers of readers it needs the fewest readings."
        )

    def assumptions(self) -> str:
        """What the plan assumes, in a sentence."""
        v = self.variances
        classes = ""
        if self.shares is not None:
            named = ", ".join(f"{100 * share:.0f} % {class_text(name)}" for name, share in self.shares.items())
            classes = f" Classes are as frequent as in the pilot study ({named})."
        return (
            f"Variance components: modality x reader {v.interaction:.3g}, error {v.error:.3g}, Cov1 {v.cov1:.3g}, "
            f"Cov2 {v.cov2:.3g}, Cov3 {v.cov3:.3g} for {v.cases} cases; errors are inversely proportional to the "
            f"number of cases.{classes}"
        )

    def _derived(self) -> dict[str, Any]:
        return {"sentence": self.sentence()}


def _cases(one: NeededCases) -> str:
    return "no number of cases" if one.cases is None else f"{one.cases} cases"
