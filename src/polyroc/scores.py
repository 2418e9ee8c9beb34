"""Scores: what was observed."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray

__all__ = ["Kind", "Sampling", "Scores", "WeightKind", "readable"]

Kind = Literal["score", "matrix", "decisions"]
Sampling = Literal["cohort", "case-control"]
WeightKind = Literal["importance", "frequency"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """The true classes of the cases and what one or more classifiers said of them.

    Classifiers inside one `Scores` saw the same cases, in the same order: they are paired by construction.
    Made by the verbs and by `polyroc.read`; nothing is checked here: validation was done before.

    Attributes
    ----------
    codes
        True class of each case, as a position in `labels`.
    labels
        The classes, in order. Sorted unless the caller gave an order (`ordered`).
    values
        By classifier: a ranking score, shape (cases,), or one column per class, shape (cases, classes).
    kind
        "score" (one number a case), "matrix" (one number a class) or "decisions" (a matrix of 0 and 1).
    positive
        Position of the positive class among two, where it is known.
    ordered
        True if the caller gave `labels`, whose order then counts.
    sample_weight, groups
        One weight, and the code of one group, per case; None if not given.
    dropped
        How many rows with missing values were dropped on request.
    converted
        From what the values were made, and how, if they are not what the classifiers said; see
        `polyroc.conversions`.
    sampling
        How the cases were collected. "cohort": all together, so that class sizes are random. "case-control": each
        class on its own, so that class sizes are fixed and say nothing about the shares of the classes.
    weight_kind
        What the weights meant. "importance": how much each case counts, as in `sample_weight`. "frequency": how
        many cases each row stood for; the rows have been repeated, and `sample_weight` is None.
    names, counts
        The labels as distinct strings, and how many cases of positive weight each class has.
    """

    codes: CodeArray
    labels: tuple[Hashable, ...]
    values: Mapping[str, FloatArray]
    kind: Kind = "score"
    positive: int | None = None
    ordered: bool = False
    sample_weight: FloatArray | None = None
    groups: IntArray | None = None
    dropped: int = 0
    converted: str | None = None
    sampling: Sampling = "cohort"
    weight_kind: WeightKind = "importance"
    names: tuple[str, ...] = field(init=False)
    counts: IntArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", readable(self.labels))
        codes = self.codes if self.sample_weight is None else self.codes[self.sample_weight > 0]
        object.__setattr__(self, "counts", _counts(codes, len(self.labels)))

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        cases = ", ".join(f"{name}: {count}" for name, count in self.cases.items())
        return f"Scores({len(self)} cases ({cases}); {self.kind} of {', '.join(self.values)})"

    @property
    def n_classes(self) -> int:
        """How many classes there are, those without a case included."""
        return len(self.labels)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers' names."""
        return tuple(self.values)

    @property
    def cases(self) -> dict[str, int]:
        """The counts by the class's name."""
        return dict(zip(self.names, self.counts.tolist(), strict=True))

    @property
    def absent(self) -> tuple[str, ...]:
        """The classes that were named but have no case."""
        return tuple(name for name, count in self.cases.items() if count == 0)


def _counts(codes: CodeArray, classes: int) -> IntArray:
    """Cases by class."""
    if classes == 2:  # many times quicker than counting both
        ones = np.count_nonzero(codes)
        return np.array([len(codes) - ones, ones], dtype=np.int64)
    from polyroc.kernels.class_blocks import count  # not above: messages and help need no compiler

    return count(codes, classes)


def readable(labels: tuple[Hashable, ...]) -> tuple[str, ...]:
    """Labels as distinct strings: `str`, or `repr` where two labels would read the same.

    >>> readable(("cat", 2))
    ('cat', '2')
    >>> readable((1, "1"))
    ('1', "'1'")
    """
    names = tuple(str(label) for label in labels)
    return names if len(set(names)) == len(names) else tuple(repr(label) for label in labels)
