"""Cells as cases: each counts for as many as it holds, so what takes cases with weights applies as is."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from polyroc.engines.bins import Column
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.measures.sample import Sample
from polyroc.scores import Scores

__all__ = ["BinnedSample", "edge_scores", "pattern_sample", "two_sides"]

T = TypeVar("T")


class BinnedSample(Sample):
    """The cells of one ordered column, as a sample that the measures of a score take.

    Parameters
    ----------
    column
        The cells.
    labels, positive
        The classes, and the positive one of two.
    ranks
        By class: where its cases stand inside a cell that mixes scores, to make the most or the least of them. All
        alike by default: they tie.
    """

    def __init__(
        self, column: Column, labels: tuple[Any, ...], positive: int | None, ranks: Sequence[float] | None = None
    ) -> None:
        ranks = ranks or [0.0] * len(labels)
        scale = 1.0 / (2.0 * len(labels))
        self.held = [np.flatnonzero(column.cases[:, k]) for k in range(len(labels))]
        self._sorted = [
            cells + scale * rank * column.mixed[cells] for cells, rank in zip(self.held, ranks, strict=True)
        ]
        self._counts = [column.cases[cells, k] for k, cells in enumerate(self.held)]
        self.weight = np.concatenate([column.weight[cells, k] for k, cells in enumerate(self.held)])
        codes = np.repeat(np.arange(len(labels), dtype=np.int32), [len(cells) for cells in self.held])
        self.values = np.empty(0)
        self.scores = Scores(codes, labels, {"": self.values}, "score", positive, True, self.weight)
        self.names, self.classes, self.positive = self.scores.names, len(labels), positive
        self.totals = column.totals
        self.starts = np.concatenate([[0], np.cumsum([len(cells) for cells in self.held])]).astype(np.int64)
        self._made: dict[Callable[..., Any], Any] = {}
        self.effective_shares = _effective_shares(column)

    def fixed(self, make: Callable[[Sample], T]) -> T:
        """What `make` makes of this sample, made once."""
        return self.once(make)

    def cases(self, k: int) -> IntArray:
        """The cells of class k, numbered through all classes."""
        return np.arange(self.starts[k], self.starts[k + 1])

    def order(self, k: int, column: int = 0) -> IntArray:  # noqa: ARG002 - there is one
        """What sorts the cells: they are sorted."""
        return np.arange(len(self.held[k]))

    def sorted(self, k: int, column: int = 0) -> FloatArray:  # noqa: ARG002
        """The places of the cells of class k."""
        return cast("FloatArray", self._sorted[k])

    def binned_cases(self, k: int) -> FloatArray | None:
        """How many cases (of positive weight) each cell of class k holds."""
        return cast("FloatArray", self._counts[k])

    def ascending(self, column: int = 0) -> FloatArray:  # noqa: ARG002
        """The places of the cells of all classes, class after class."""
        return np.concatenate(self._sorted)


def pattern_sample(
    column: Column, rows: FloatArray, labels: tuple[Any, ...], positive: int | None
) -> tuple[Sample, list[IntArray]]:
    """Patterns of decisions as a sample, and for each class the patterns that its cases are, in their order."""
    held = [np.flatnonzero(column.cases[:, k]) for k in range(len(labels))]
    codes = np.repeat(np.arange(len(labels), dtype=np.int32), [len(cells) for cells in held])
    weight = np.concatenate([column.weight[cells, k] for k, cells in enumerate(held)])
    table = rows[np.concatenate(held)]
    sample = Sample(Scores(codes, labels, {"": table}, "matrix", positive, True, weight), "")
    sample.effective_shares = _effective_shares(column)
    return sample, held


def _effective_shares(column: Column) -> FloatArray:
    """As in `Sample`, of the cases that the cells stand for."""
    sizes = column.totals**2 / column.squares.sum(axis=0)
    return np.asarray(sizes / sizes.sum())


def two_sides(column: Column, positive: Sequence[int], negative: Sequence[int]) -> Column:
    """Of many classes two: some together are the second, others the first."""
    cases, weight, squares = (
        np.stack([each[:, [*side]].sum(axis=1) for side in (negative, positive)], axis=1)
        for each in (column.cases, column.weight, column.squares)
    )
    plain = column.squares is column.weight
    return replace(column, cases=cases, weight=weight, squares=weight if plain else squares)


def edge_scores(column: Column, labels: tuple[Any, ...], positive: int | None, classifier: str) -> Scores:
    """Each cell and class as a case at the lower edge of the cell.

    A threshold at an edge does to these cases what it does to the rows themselves.
    """
    assert column.where is not None
    held = [np.flatnonzero(column.cases[:, k]) for k in range(len(labels))]
    edges = column.where.edges()
    return Scores(
        codes=np.repeat(np.arange(len(labels), dtype=np.int32), [len(cells) for cells in held]),
        labels=labels,
        values={classifier: np.concatenate([edges[cells] for cells in held])},
        kind="score",
        positive=positive,
        sample_weight=np.concatenate([column.weight[cells, k] for k, cells in enumerate(held)]),
    )
