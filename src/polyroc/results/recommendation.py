"""Recommendation: which test suits a study, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result

__all__ = ["Recommendation"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Recommendation(Result):
    """The test that suits a study best, and what others would add.

    Attributes
    ----------
    test
        Its name among the summaries, such as "corrected_t".
    why
        In a sentence.
    others
        What else there is, by name, and when to take it.
    data_sets, learners, folds
        How many; folds of the data set that has fewest.
    provenance
        Version.
    """

    test: str
    why: str
    others: Mapping[str, str]
    data_sets: int
    learners: int
    folds: int
    provenance: Provenance

    def __str__(self) -> str:
        return f"Use {self.test}: {self.why}"

    def __repr__(self) -> str:
        return f"Recommendation({self.test}: {self.why})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """The recommended test, then the others."""
        found = {self.test: self.why, **self.others}
        return [{"test": test, "recommended": test == self.test, "why": why} for test, why in found.items()]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002 - no interval here
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "Recommendation",
            "test": self.test,
            "why": self.why,
            "others": dict(self.others),
            "data_sets": self.data_sets,
            "learners": self.learners,
            "folds": self.folds,
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        named = ("test", "why", "others", "data_sets", "learners", "folds")
        return cls(**{name: data[name] for name in named}, provenance=Provenance(**data["provenance"]))
