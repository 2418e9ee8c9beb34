"""Provenance: what a colleague needs to repeat a number."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from polyroc._results.codec import NOT_STORED, STORED_IF_SET, Record
from polyroc._results.invariants import Invariants, at_least
from polyroc._version import __version__
from polyroc.output.sentences import counted
from polyroc.scores import Sampling, Scores, WeightKind

__all__ = ["UNPAIRED", "Provenance"]

FEATURES = 50  # classifiers from which on they are taken for features
UNPAIRED = "unpaired: different cases"
LEARNER = "for the learner, trained on new samples, repeat it as a study"
ONE_RUN = (
    "One run: intervals are too short and tests reject too often, most where the features hardly predict; repeats "
    "of the cross-validation mend this."
)


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
    folds, repeats
        Number of folds of a cross-validation (in all repeats) and of repeats; None for one sample.
    pooled
        True if the cases of all folds were evaluated as one sample; None if not.
    negated
        The classifiers whose scores were multiplied by -1 on request; None if none were.
    binary
        The classifiers whose scores are 0 and 1 only, as predicted classes are; None if there are none, and where
        it is not known (files that an engine scans, very many classifiers).
    notes
        What is doubtful about the input (`Scores.notes`); None if nothing is.
    pairing
        What identified the cases of several classifiers that came in rows, or `UNPAIRED`; None if each row had the
        predictions of all classifiers.
    two_columns
        True if there are two classes with a column each, which have no direction; None if not, and in stored
        results.
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
    folds: int | None = field(default=None, metadata=STORED_IF_SET)
    repeats: int | None = field(default=None, metadata=STORED_IF_SET)
    pooled: bool | None = field(default=None, metadata=STORED_IF_SET)
    negated: tuple[str, ...] | None = field(default=None, metadata=STORED_IF_SET)
    binary: tuple[str, ...] | None = field(default=None, metadata=STORED_IF_SET)
    notes: tuple[str, ...] | None = field(default=None, metadata=STORED_IF_SET)
    pairing: str | None = field(default=None, metadata=STORED_IF_SET)
    two_columns: bool | None = field(default=None, metadata=NOT_STORED, compare=False)

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
            folds=None if scores.folds is None else len(scores.folds),
            repeats=None if scores.folds is None else scores.folds.repeats,
            pooled=True if scores.folds is not None and scores.folds.pooled else None,
            negated=scores.negated or None,
            binary=_binary(scores) or None,
            notes=scores.notes or None,
            pairing=scores.pairing,
            two_columns=scores.schema.has_two_columns or None,
        )

    @property
    def input_notes(self) -> tuple[str, ...]:
        """What is doubtful about the input, and the number of rows that were dropped."""
        if not self.dropped or not self.cases:  # a study of learners drops folds or data sets
            return self.notes or ()
        return (*(self.notes or ()), f"Dropped {counted(self.dropped, 'row')} with missing values.")

    @property
    def pairing_text(self) -> str:
        """How the cases of several classifiers were identified, in words; a row with all of them is a case."""
        if self.pairing == UNPAIRED:
            return UNPAIRED
        return "paired by case" + (f", identified by {self.pairing}" if self.pairing else "")

    @property
    def class_sizes(self) -> str:
        """What was assumed of class sizes, in words."""
        return "class sizes random (cohort)" if self.sampling == "cohort" else "class sizes fixed (case-control)"

    @property
    def fold_text(self) -> str | None:
        """The folds in words, "10 folds" or "3 repeats of 10 folds"; None for one sample."""
        if self.folds is None:
            return None
        if self.repeats in (None, 1):
            return f"{self.folds} folds"
        return f"{self.repeats} repeats of {self.folds / (self.repeats or 1):g} folds"

    @property
    def target(self) -> str | None:
        """What cross-validated predictions estimate, in a sentence; None for one sample."""
        if self.folds is None:
            return None
        if self.pooled:
            return (
                f"The cases of {self.fold_text} are evaluated as one sample, as if one model had predicted them; "
                "the value also depends on how the scores of different models compare."
            )
        averages = (
            f"Averages over {self.fold_text}: the average performance of these {self.folds} trained models on new "
            f"cases. The training sets are taken as given; {LEARNER}."
        )
        return f"{averages} {ONE_RUN}" if self.repeats in (None, 1) and self.method is not None else averages

    def _derived(self) -> dict[str, str]:
        return {} if self.target is None else {"target": self.target}

    @property
    def weights(self) -> str | None:
        """What the weights meant, in a sentence; None without weights."""
        if self.weight_kind == "frequency":
            return "Each row counts as many cases as its frequency weight says."
        return "Cases count by their importance weights, with robust standard errors." if self.weighted else None


def _binary(scores: Scores) -> tuple[str, ...]:
    """The classifiers all of whose scores are 0 or 1; none of very many, which are features."""
    if scores.kind == "decisions" or len(scores.values) >= FEATURES:
        return ()
    return tuple(name for name, values in scores.values.items() if _is_binary(values))


def _is_binary(values: npt.NDArray[Any]) -> bool:
    # The first number and the first thousand rows tell in nearly all cases, without a pass over all.
    if values.size == 0 or values.item(0) not in (0.0, 1.0):
        return False
    parts = (values[:1000], values[1000:])
    return all(bool(((part == 0) | (part == 1)).all()) for part in parts) and bool(values.min() < values.max())
