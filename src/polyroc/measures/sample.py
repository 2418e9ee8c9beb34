"""One classifier's cases, split by class and sorted once for all measures."""

from collections.abc import Callable, Hashable
from copy import copy
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from polyroc.estimates.intervals import share_of_units_behind
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.class_blocks import (
    argsort_and_sort_blocks,
    argsort_blocks,
    block_starts,
    count,
    group,
    sort_blocks,
    split,
)
from polyroc.scores import Scores

__all__ = ["MANY", "Sample"]

T = TypeVar("T")
MISSING: Any = object()
MANY = 20_000  # numbers from which on their order is found with the sorted numbers, by a radix sort


class Sample:
    """The cases of one classifier, made ready for kernels; what two measures need is made once.

    Attributes
    ----------
    classes
        How many classes there are.
    names
        The classes' names.
    positive
        The positive one of two classes, or None.
    weight
        One weight per case, or None.
    totals
        The weight of each class (its size, if there are no weights).
    starts
        Where each class begins among the cases grouped by class; one longer than the classes.
    components_wanted
        True if a standard error is to follow, so that measures may prepare their components with the value.
    cases_wanted
        True if it will also be asked which case each component belongs to, as in a comparison.
    """

    components_wanted = cases_wanted = False

    def __init__(self, scores: Scores, classifier: str) -> None:
        self.scores = scores
        self.weight = scores.sample_weight
        self.names = scores.names
        self.classes = scores.n_classes
        self.positive = scores.positive
        sizes, self.totals = scores.counts, scores.counts.astype(np.float64)
        if self.weight is not None:  # the counts leave out cases of weight zero, the blocks do not
            sizes = np.bincount(scores.codes, minlength=self.classes)
            self.totals = np.asarray(np.bincount(scores.codes, self.weight, self.classes), dtype=np.float64)
        self.starts = block_starts(sizes)
        self._blocks = _Blocks(scores, classifier, self.starts)
        self._made: dict[tuple[Hashable, ...], Any] = {}

    @cached_property
    def values(self) -> FloatArray:
        """Scores of shape (cases,) or (cases, classes)."""
        return self._blocks.values

    def reweighted(self, weight: FloatArray) -> "Sample":
        """The same cases with other weights, one per case; they stay grouped and sorted as they are."""
        other = copy(self)
        other.weight, other._made = weight, {}
        other.__dict__.pop("effective_sizes", None)
        if self.scores.within_folds:
            pairs = zip(self.folds, self.fold_rows, strict=True)
            other.folds = tuple(fold.reweighted(weight[rows]) for fold, rows in pairs)
        other.totals = np.asarray(np.bincount(self.scores.codes, weight, self.classes), dtype=np.float64)
        return other

    def share_groups(self, other: "Sample") -> None:
        """Use the groups of cases by class of another classifier's sample of the same scores."""
        if other is not self and other.scores is self.scores:
            self._blocks.grouped_by = other._blocks

    @cached_property
    def effective_sizes(self) -> FloatArray:
        """The effective number of cases of each class (Kish's, if there are weights)."""
        if self.weight is None:
            return self.totals
        return np.asarray(self.totals**2 / np.bincount(self.scores.codes, self.weight**2, self.classes))

    @property
    def shares_behind(self) -> FloatArray:
        """By class, the share of its effective number of cases that intervals count; 1 without weights."""
        counted = None if self.weight is None else self.weight > 0
        return share_of_units_behind(self.effective_sizes, np.bincount(self.scores.codes, counted, self.classes))

    @cached_property
    def folds(self) -> tuple["Sample", ...]:
        """One sample per fold of the cross-validation."""
        folds, whole = self.scores.folds, self.scores
        assert folds is not None
        starts = self._fold_starts
        columns = split(self.values.reshape(len(self.values), -1), folds.codes, starts)
        rows = None if self.weight is None and whole.units is None else np.concatenate(self.fold_rows)
        codes = split(whole.codes[:, None].astype(np.float64), folds.codes, starts)[0].astype(np.int32)
        weight = None if self.weight is None else self.weight[rows]
        units = None if whole.units is None else whole.units[rows]
        samples = []
        for start, stop in pairwise(starts.tolist()):
            own = slice(start, stop)
            values = columns[0, own] if self.values.ndim == 1 else columns[:, own].T
            scores = whole._replace(
                codes=codes[own],
                values={"": values},
                sample_weight=None if weight is None else weight[own],
                groups=None if units is None else units[own],
                folds=None,
            )
            samples.append(Sample(scores, ""))
        return tuple(samples)

    @cached_property
    def fold_rows(self) -> tuple[IntArray, ...]:
        """The rows of each fold, in the order given."""
        assert self.scores.folds is not None
        rows = group(self.scores.folds.codes, self._fold_starts)
        return tuple(rows[start:stop] for start, stop in pairwise(self._fold_starts.tolist()))

    @property
    def _fold_starts(self) -> IntArray:
        assert self.scores.folds is not None
        sizes = count(self.scores.folds.codes, len(self.scores.folds))
        return block_starts(sizes)

    def once(self, make: Callable[..., T], *arguments: Hashable) -> T:
        """What `make` makes of this sample (and arguments), made once however many measures ask."""
        key = make, *arguments
        made: T = self._made.get(key, MISSING)
        if made is MISSING:
            made = self._made[key] = make(self, *arguments)
        return made

    def fixed(self, make: Callable[["Sample"], T]) -> T:
        """What `make` makes of this sample whatever its weights: made once for all samples reweighted from it."""
        made: T = self._blocks.made.get(make, MISSING)
        if made is MISSING:
            made = self._blocks.made[make] = make(self)
        return made

    def cases(self, k: int) -> IntArray:
        """The cases of class k, in the order given."""
        return self._blocks.by_class[k]

    def grouped(self, rows: FloatArray) -> FloatArray:
        """The rows of a table with one row per case, those of a class together, each in the order of `cases`."""
        return rows.take(self._blocks.cases, axis=0)  # one call for all classes: each takes a microsecond

    def by_class(self, grouped: FloatArray) -> list[FloatArray]:
        """The part of each class of rows that are grouped."""
        return [grouped[start:stop] for start, stop in pairwise(self.starts.tolist())]

    def sorted_cases(self, k: int, column: int = 0) -> IntArray:
        """The cases of class k, by ascending score."""
        return self.cases(k)[self.order(k, column)]

    def order(self, k: int, column: int = 0) -> IntArray:
        """What sorts the scores of class k: positions among the cases of the class."""
        return self._blocks.order[column, self._block(k)]

    def sorted(self, k: int, column: int = 0) -> FloatArray:
        """The scores of class k, ascending."""
        return self._blocks.sorted[column, self._block(k)]

    def unsorted(self, k: int, column: int = 0) -> FloatArray:
        """The scores of class k, in the order of `cases`."""
        return self._blocks.split[column, self._block(k)]

    @property
    def all_sorted(self) -> FloatArray:
        """The scores of all columns, one row each, grouped by class and ascending in each."""
        return self._blocks.sorted

    @property
    def all_orders(self) -> IntArray:
        """What sorts them: for each column, positions among the cases of the class."""
        return self._blocks.order

    def ascending(self, column: int = 0) -> FloatArray:
        """The scores of all classes, class after class, ascending in each."""
        whole: FloatArray = self._blocks.sorted[column]
        return whole

    def weights(self, k: int, column: int = 0) -> FloatArray | None:
        """The weights that go with `sorted`; None if there are none."""
        return None if self.weight is None else self.weight[self.sorted_cases(k, column)]

    def mass(self, k: int, column: int = 0) -> FloatArray | None:
        """The weights that go with `sorted`, added up from 0 to their total; None if there are none."""
        weights = self.weights(k, column)
        return None if weights is None else np.concatenate([[0.0], np.cumsum(weights)])

    def binned_cases(self, k: int) -> FloatArray | None:  # noqa: ARG002 - see BinnedSample
        """How many cases each of `sorted` stands for, if cases are binned; None if each is a case."""
        return None

    def _block(self, k: int) -> slice:
        return slice(self.starts[k], self.starts[k + 1])


class _Blocks:
    """Cases grouped by class and sorted, whatever their weights: shared by samples that differ in weights only."""

    def __init__(self, scores: Scores, classifier: str, starts: IntArray) -> None:
        self.codes, self.starts = scores.codes, starts
        self._columns, self._classifier = scores.values, classifier
        self.made: dict[Callable[..., Any], Any] = {}
        self.grouped_by: _Blocks | None = None

    @cached_property
    def values(self) -> FloatArray:
        return self._columns[self._classifier]

    @cached_property
    def cases(self) -> IntArray:
        if self.grouped_by is not None:
            return self.grouped_by.cases
        return group(self.codes, self.starts)

    @cached_property
    def by_class(self) -> list[IntArray]:
        return [self.cases[start:stop] for start, stop in pairwise(self.starts.tolist())]

    @cached_property
    def order(self) -> IntArray:
        if self.values.size < MANY:
            return argsort_blocks(self.split, self.starts)
        order, ascending = argsort_and_sort_blocks(self.split, self.starts)
        self.__dict__.setdefault("sorted", ascending)
        return order

    @cached_property
    def sorted(self) -> FloatArray:
        return sort_blocks(self._split(), self.starts)

    @cached_property
    def split(self) -> FloatArray:
        return self._split()

    def _split(self) -> FloatArray:
        return split(self.values.reshape(len(self.values), -1), self.codes, self.starts)
