"""Evaluation, the estimates of several measures and classifiers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from polyroc.estimates.estimate import Estimate
from polyroc.estimates.tables import evaluation_table
from polyroc.output.tables import Table
from polyroc.results.invariants import Invariants
from polyroc.results.result import Result

__all__ = ["Evaluation"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Result):
    """Estimates by classifier and measure, and why other measures do not apply.

    Attributes
    ----------
    estimates
        By (classifier, measure).
    skipped
        By measure: why it does not apply to these data.
    """

    estimates: Mapping[tuple[str, str], Estimate]
    skipped: Mapping[str, str]

    def _invariants(self) -> Invariants:
        named = all((e.classifier, e.measure) == key for key, e in self.estimates.items())
        yield bool(self.estimates) and named, "keys must be the classifier and the measure of each estimate"
        complete = len(self.estimates) == len(self.classifiers) * len(self.measures)
        yield complete, "every classifier must have an estimate of every measure"

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers, in the order of the input."""
        return tuple(dict.fromkeys(classifier for classifier, _ in self.estimates))

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order of the request."""
        return tuple(dict.fromkeys(measure for _, measure in self.estimates))

    def __getitem__(self, key: str | tuple[str, str]) -> Estimate:
        """The estimate of (classifier, measure), or of a measure if there is one classifier only."""
        if isinstance(key, tuple):
            return self.estimates[key]
        if len(self.classifiers) != 1:
            raise KeyError(f"{key!r}: there are several classifiers; use [classifier, {key!r}]")
        return self.estimates[self.classifiers[0], key]

    def __len__(self) -> int:
        return len(self.estimates)

    def __repr__(self) -> str:
        return f"Evaluation({len(self.measures)} measures of {', '.join(self.classifiers) or 'nothing'})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per classifier and measure, with intervals at a level."""
        return [estimate.row(level) for estimate in self.estimates.values()]

    def to_table(self, level: float = 0.95, *, parts: bool = False) -> Table:
        """Measures and classifiers as a table of text, with the parts of each measure if requested."""
        return evaluation_table(self, level, parts=parts)
