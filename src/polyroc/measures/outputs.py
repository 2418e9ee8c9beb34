"""ClassifierOutputs: many outputs of classifiers for the same cases, of which measures are computed together."""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.ranked_lists import places_among
from polyroc.scores import Kind, Scores

__all__ = ["ClassifierOutputs", "area"]


@dataclass(frozen=True, eq=False, repr=False)
class ClassifierOutputs:
    """Many outputs of a classifier for cases whose classes are fixed, such as random ones or all ranked lists.

    Attributes
    ----------
    values
        Scores at [output, case], or one column per class at [output, case, class]; cases grouped by class.
    sizes
        Cases of each class.
    cuts
        For scores: how many cases are called each class, from the lowest scores to the highest, the places of ties
        shared.
    labels, kind, positive, ordered
        As in `Scores`; by default 0, 1, ... in order, the last of two being the positive one.
    """

    values: FloatArray
    sizes: tuple[int, ...]
    cuts: tuple[int, ...] | None = None
    labels: tuple[Hashable, ...] = ()
    kind: Kind | None = None
    positive: int | None = None
    ordered: bool = True

    def __len__(self) -> int:
        return len(self.values)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.sizes)

    @cached_property
    def starts(self) -> IntArray:
        """Where each class begins among the cases; one longer than the classes."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @cached_property
    def codes(self) -> CodeArray:
        """The class of each case."""
        return np.repeat(np.arange(self.classes, dtype=np.int32), self.sizes)

    def of(self, k: int, column: int | None = None) -> FloatArray:
        """The scores of the cases of class k, or their values in a column, at [output, case]."""
        block = self.values[:, self.starts[k] : self.starts[k + 1]]
        return block if column is None else block[..., column]

    @cached_property
    def decided(self) -> FloatArray:
        """Decisions as shares at [output, case, class]: by the largest column, or by the cuts; ties share."""
        if self.values.ndim == 3:
            largest = self.values == self.values.max(axis=2, keepdims=True)
            return np.asarray(largest / largest.sum(axis=2, keepdims=True))
        below, up_to = (places[..., None] for places in places_among(self.values, self.values))
        cuts = np.array(self.cuts, dtype=np.int64)
        ends = np.cumsum(cuts)
        overlap = np.minimum(up_to, ends) - np.maximum(below, ends - cuts)
        return np.asarray(np.maximum(overlap, 0) / (up_to - below))

    @cached_property
    def rates(self) -> FloatArray:
        """At [output, k, m], the share of class k decided as m."""
        blocks = np.split(self.decided, self.starts[1:-1], axis=1)
        return np.stack([block.mean(axis=1) for block in blocks], axis=1)

    @property
    def positive_class(self) -> int | None:
        """The positive one of two classes: the last, if none is named; None for several classes."""
        return 1 if self.positive is None and self.classes == 2 else self.positive

    @cached_property
    def totals(self) -> FloatArray:
        """Cases of each class, as an array."""
        return np.asarray(self.sizes, dtype=np.float64)

    @cached_property
    def area(self) -> FloatArray:
        """Of two classes, the area of the positive one, at [output]."""
        positive = self.positive_class
        assert positive is not None
        column = positive if self.values.ndim == 3 else None
        return area(self.of(positive, column), self.of(1 - positive, column))

    @cached_property
    def areas(self) -> FloatArray:
        """At [output, i, j], A(i|j): how well column i separates class i from class j; nan on the diagonal."""
        c = self.classes
        areas = np.full((len(self), c, c), np.nan)
        for i, j in permutations(range(c), 2):
            areas[:, i, j] = area(self.of(i, i), self.of(j, i))
        return areas

    def scores(self, i: int) -> Scores:
        """One output as `Scores`."""
        kind = self.kind or ("matrix" if self.values.ndim == 3 else "score")
        return self._scores(self.codes, self.values[i], kind)

    def table(self, rates: FloatArray) -> Scores:
        """Decisions at these rates [k, m]: one weighted case for each true class and decision."""
        weight = (np.asarray(self.sizes)[:, None] * rates).ravel()
        codes = np.repeat(np.arange(self.classes, dtype=np.int32), self.classes)
        return self._scores(codes, np.tile(np.eye(self.classes), (self.classes, 1)), "decisions", weight)

    def _scores(
        self, codes: CodeArray, values: FloatArray, kind: Kind, weight: FloatArray | None = None
    ) -> Scores:
        labels = self.labels or tuple(range(self.classes))
        positive = self.positive_class if not self.labels else self.positive
        return Scores._make(codes, labels, {"output": values}, kind, positive, self.ordered, weight)


def area(x: FloatArray, z: FloatArray) -> FloatArray:
    """By row, the share of pairs in which x is larger, ties one half."""
    below, up_to = places_among(x, z)
    shares: FloatArray = (below + up_to).sum(axis=1) / (2 * x.shape[1] * z.shape[1])
    return shares
