"""Provenance: what a colleague needs to repeat a number."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from polyroc._version import __version__
from polyroc.results.codec import Record
from polyroc.results.invariants import Invariants, at_least
from polyroc.scores import Sampling, Scores, WeightKind

__all__ = ["Provenance"]


@dataclass(frozen=True, slots=True)
class Provenance(Record):
    """Where a result comes from.

    Attributes
    ----------
    cases
        Cases of positive weight by class.
    method
        How the standard errors were made.
    weighted, groups, dropped
        Whether there were sample weights; how many groups (None without); how many rows were dropped.
    weight_kind
        "importance" or "frequency"; None without weights.
    sampling
        "cohort" (class sizes random) or "case-control" (class sizes fixed); None where it plays no part, and in
        results stored before it was recorded, which took class sizes as fixed.
    seed
        The seed of the random numbers, if there were any.
    version
        The version of polyroc.
    """

    cases: Mapping[str, int]
    method: str | None
    weighted: bool = False
    groups: int | None = None
    dropped: int = 0
    seed: int | None = None
    version: str = __version__
    weight_kind: WeightKind | None = None
    sampling: Sampling | None = None

    def _invariants(self) -> Invariants:
        yield at_least([*self.cases.values()], 0), "cases must be 0 or more"
        yield at_least([self.dropped, self.groups or 0], 0), "dropped and groups must be 0 or more"

    def __post_init__(self) -> None:
        if self.weighted and self.weight_kind is None:  # all weights were, before the kind was recorded
            object.__setattr__(self, "weight_kind", "importance")

    @classmethod
    def of(cls, scores: Scores, method: str | None, seed: int | None = None) -> Self:
        """The provenance of a result computed from these scores."""
        repeated = scores.weight_kind == "frequency"
        return cls(
            cases=scores.cases,
            method=method,
            weighted=repeated or scores.sample_weight is not None,
            groups=None if scores.groups is None else len(np.unique(scores.groups)),
            dropped=scores.dropped,
            seed=seed,
            weight_kind="frequency" if repeated else None,
            sampling=scores.sampling,
        )

    @property
    def class_sizes(self) -> str:
        """What was assumed of class sizes, in words."""
        return "class sizes random (cohort)" if self.sampling == "cohort" else "class sizes fixed (case-control)"

    @property
    def weights(self) -> str | None:
        """What the weights meant, in a sentence; None without weights."""
        if self.weight_kind == "frequency":
            return "Each row counts as many cases as its frequency weight says."
        return "Cases count by their importance weights, with robust standard errors." if self.weighted else None
