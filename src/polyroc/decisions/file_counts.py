"""Counts of decisions, made from every row by a rule or by its largest column, in one exact scan."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from polyroc.engines.bins import BinnedColumn
from polyroc.engines.counts import MOST_CLASSES, Counts
from polyroc.engines.dataset import Dataset
from polyroc.engines.rows import Batch
from polyroc.engines.scan import Scan, ScanPlan
from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray
from polyroc.measures.applicability import ROUNDING
from polyroc.progress import Progress
from polyroc.rules import Rule

__all__ = ["class_totals", "count_decisions"]


class DecisionCounts(NamedTuple):
    """Patterns of decisions: how many cases of each class have each, and the share of each class in a pattern."""

    column: BinnedColumn
    shares: FloatArray


def count_decisions(
    data: Dataset, classifier: str, rule: Rule | None, probabilities: bool, progress: Progress | None
) -> DecisionCounts:
    """The decisions of a rule about every row; without a rule the largest column wins, and ties are shared.

    With `probabilities`, scores outside [0, 1] are an error.
    """
    numbers, labels = data.classifiers[classifier], data.schema.labels
    if rule is None:
        counts = _count(data, numbers, None, progress)
    else:
        places = tuple(labels.index(label) for label in rule.labels)
        counts = _count(data, numbers, _ByRule(rule, numbers, places, probabilities), progress)
    patterns = counts.patterns["decisions"]
    winners = patterns.representatives()
    return DecisionCounts(patterns.column(), winners / winners.sum(axis=1, keepdims=True))


def class_totals(data: Dataset, progress: Progress | None) -> FloatArray:
    """The weight of each class."""
    c = data.schema.n_classes
    return _count(data, range(c), _Undecided(c), progress).patterns["decisions"].column().totals


def _count(
    data: Dataset,
    numbers: "tuple[int, ...] | range",
    decide: Callable[[Batch], Batch] | None,
    progress: Progress | None,
) -> Counts:
    c = data.schema.n_classes
    if c > MOST_CLASSES:
        raise NotApplicableError(f"Decisions are counted for up to {MOST_CLASSES} classes, here {c}.")
    columns = tuple(numbers) if decide is None else tuple(range(c))
    weighted = data.rows.weighted
    scan = Scan(ScanPlan({"": columns}, data.schema, weighted, {"": {}}, ("decisions",), None, True, decide))
    expected = (None if progress is None else data.expected()) or 0

    def report(rows: int) -> None:
        if progress is not None:
            progress(rows, max(expected, rows), "decisions")

    data.rows.scan(scan, report)
    place = scan.counts[""].non_finite_column()
    if place is not None:
        raise data.rows.non_finite_error(numbers[place])
    return scan.counts[""]


@dataclass(frozen=True, slots=True)
class _ByRule:
    """The decisions of a rule about a batch: 1 in the column of the class decided for.

    Attributes
    ----------
    numbers, places
        The columns of scores, in the order of the classes; and the positions of the rule's classes among these.
    """

    rule: Rule
    numbers: tuple[int, ...]
    places: tuple[int, ...]
    probabilities: bool

    def __call__(self, batch: Batch) -> Batch:
        columns = [batch.columns[i] for i in self.numbers]
        decisions = np.zeros((len(self.places), len(batch.codes)))
        not_finite = [~np.isfinite(column) for column in columns]
        if any(column.any() for column in not_finite):  # passed on as nan, so that the scan names the column
            decisions[: len(columns)][np.array(not_finite)] = np.nan
            return batch._replace(columns=[*decisions])
        if self.probabilities:
            self._check_range(columns)
        one = len(columns) == 1
        table = columns[0] if one else np.column_stack([columns[place] for place in self.places])
        decisions[np.array(self.places)[self.rule.codes(table)], np.arange(len(batch.codes))] = 1.0
        return batch._replace(columns=[*decisions])

    def _check_range(self, columns: list[FloatArray]) -> None:
        for column in columns:
            for end in (column.min(initial=0.0), column.max(initial=0.0)):
                if not -ROUNDING <= end <= 1 + ROUNDING:
                    raise InputError(
                        f"operate needs probabilities in [0, 1] here, got {end:g}; turn the scores into such."
                    )


@dataclass(frozen=True, slots=True)
class _Undecided:
    """No decision: all columns are equal."""

    classes: int

    def __call__(self, batch: Batch) -> Batch:
        return batch._replace(columns=[np.zeros(len(batch.codes))] * self.classes)
