"""Fold values: one data set, one measure, every learner on the same blocks."""

from dataclasses import dataclass

import numpy as np

from polyroc.kernels.arrays import BoolArray, FloatArray

__all__ = ["FoldTable"]


@dataclass(frozen=True, slots=True, eq=False)
class FoldTable:
    """The values of one measure on one data set: a row per test fold (a block), a column per learner.

    All learners were fitted and tested on the same folds, so rows are blocks and columns are paired. A value that
    could not be had (a failed fit, a fold without a case of some class) is nan; `complete` leaves such blocks out.

    Attributes
    ----------
    values
        Blocks x learners.
    learners
        Names of the columns.
    blocks
        (repeat, fold) of each row, counted from 0.
    train_size, test_size
        Mean number of cases learned from and tested on, over the blocks (Nadeau & Bengio need their ratio).
    data_set, measure
        What was tested on, and the key of the measure.

    Examples
    --------
    >>> table = FoldTable(np.array([[0.9, 0.8], [0.7, np.nan]]), ("tree", "knn"), ((0, 0), (0, 1)), 90.0, 10.0)
    >>> table.complete().values.tolist()
    [[0.9, 0.8]]
    """

    values: FloatArray
    learners: tuple[str, ...]
    blocks: tuple[tuple[int, int], ...]
    train_size: float
    test_size: float
    data_set: str = "data"
    measure: str = "value"

    def complete(self) -> "FoldTable":
        """The same with the blocks in which every learner has a value."""
        kept: BoolArray = np.asarray(np.isfinite(self.values).all(axis=1))
        if kept.all():
            return self
        blocks = tuple(block for block, keep in zip(self.blocks, kept, strict=True) if keep)
        sizes = self.train_size, self.test_size
        return FoldTable(self.values[kept], self.learners, blocks, *sizes, self.data_set, self.measure)
