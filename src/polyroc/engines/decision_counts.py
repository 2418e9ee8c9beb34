"""Rows decided by a rule, or as they stand, and counted: one pass, exact."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from polyroc.engines.bins import Column
from polyroc.engines.counts import Counted
from polyroc.engines.dataset import Opened
from polyroc.engines.patterns import MOST_CLASSES
from polyroc.engines.rows import Batch
from polyroc.engines.scan import Pass, Plan
from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import ROUNDING
from polyroc.progress import Progress
from polyroc.rules import Rule

__all__ = ["Decided", "class_totals", "count_decisions"]


class Decided(NamedTuple):
    """Decisions as cells: how many cases of each class have each, and each as shares of the classes."""

    column: Column
    shares: FloatArray


def count_decisions(
    data: Opened, classifier: str, rule: Rule | None, probabilities: bool, progress: Progress | None
) -> Decided:
    """What a rule decides of every row; without one the largest column wins, and ties are shared.

    `probabilities`: refuse scores outside [0, 1].
    """
    numbers, labels = data.classifiers[classifier], data.schema.labels
    if rule is None:
        counted = _pass(data, numbers, None, progress)
    else:
        places = tuple(labels.index(label) for label in rule.labels)
        counted = _pass(data, numbers, _ByRule(rule, numbers, places, probabilities), progress)
    patterns = counted.patterns["decisions"]
    rows = patterns.rows()
    return Decided(patterns.column(), rows / rows.sum(axis=1, keepdims=True))


def class_totals(data: Opened, progress: Progress | None) -> FloatArray:
    """The weight of each class."""
    c = len(data.schema.labels)
    return _pass(data, range(c), _Undecided(c), progress).patterns["decisions"].column().totals


def _pass(
    data: Opened,
    numbers: "tuple[int, ...] | range",
    decide: Callable[[Batch], Batch] | None,
    progress: Progress | None,
) -> Counted:
    c = len(data.schema.labels)
    if c > MOST_CLASSES:
        raise NotApplicableError(f"Decisions are counted for up to {MOST_CLASSES} classes, here {c}.")
    columns = tuple(numbers) if decide is None else tuple(range(c))
    plan = Plan({"": columns}, data.schema, data.rows.weighted, {"": {}}, ("decisions",), None, True, decide)
    work = Pass(plan)

    expected = (None if progress is None else data.expected()) or 0

    def tell(seen: int) -> None:
        if progress is not None:
            progress(seen, max(expected, seen), "decisions")

    data.rows.go_through(work, tell)
    place = work.counted[""].strange()
    if place is not None:
        raise data.rows.explain(numbers[place])
    return work.counted[""]


@dataclass(frozen=True, slots=True)
class _ByRule:
    """A rule's decisions of a batch: 1 in the column of the class decided for.

    Attributes
    ----------
    numbers, places
        The columns of scores, in the order of the classes; and where the rule's classes are among these.
    """

    rule: Rule
    numbers: tuple[int, ...]
    places: tuple[int, ...]
    probabilities: bool

    def __call__(self, batch: Batch) -> Batch:
        columns = [batch.columns[i] for i in self.numbers]
        said = np.zeros((len(self.places), len(batch.codes)))
        strange = [~np.isfinite(each) for each in columns]
        if any(each.any() for each in strange):  # whoever counts these sees which column it is
            said[: len(columns)][np.array(strange)] = np.nan
            return batch._replace(columns=[*said])
        if self.probabilities:
            self._check(columns)
        one = len(columns) == 1
        table = columns[0] if one else np.column_stack([columns[place] for place in self.places])
        said[np.array(self.places)[self.rule.codes(table)], np.arange(len(batch.codes))] = 1.0
        return batch._replace(columns=[*said])

    def _check(self, columns: list[FloatArray]) -> None:
        for each in columns:
            for end in (each.min(initial=0.0), each.max(initial=0.0)):
                if not -ROUNDING <= end <= 1 + ROUNDING:
                    raise InputError(
                        f"operate needs probabilities in [0, 1] here, got {end:g}; turn the scores into such."
                    )


@dataclass(frozen=True, slots=True)
class _Undecided:
    """No decision: all classes alike."""

    classes: int

    def __call__(self, batch: Batch) -> Batch:
        return batch._replace(columns=[np.zeros(len(batch.codes))] * self.classes)
