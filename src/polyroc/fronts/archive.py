"""The archive: all vectors of error counts seen that no other one dominates."""

import numpy as np

from polyroc.kernels.archives import guard_bits, pack, sift
from polyroc.kernels.arrays import BoolArray, IntArray

__all__ = ["Archive"]


class Archive:
    """An unbounded set of mutually non-dominating vectors of counts; equal vectors are kept once.

    One vector dominates another if none of its counts is larger and some is smaller.

    Attributes
    ----------
    counts
        The members, one a row: those that stayed, then those that entered last.

    Parameters
    ----------
    largest
        The largest count that can come, one number or one for each objective.
    objectives
        How many counts make a vector.

    >>> archive = Archive(largest=9, objectives=2)
    >>> archive.insert(np.array([[3, 3], [1, 5], [3, 3], [4, 3]]))
    (array([], dtype=bool), array([ True,  True, False, False]))
    >>> archive.insert(np.array([[2, 3]]))
    (array([False,  True]), array([ True]))
    >>> archive.counts.tolist()
    [[1, 5], [2, 3]]
    """

    def __init__(self, largest: int, objectives: int) -> None:
        self.counts: IntArray = np.empty((0, objectives), dtype=np.int64)
        self._largest = largest
        self._guard = guard_bits(largest)
        self._words = pack(self.counts, largest)

    def __len__(self) -> int:
        return len(self.counts)

    def insert(self, batch: IntArray) -> tuple[BoolArray, BoolArray]:
        """Put a batch in; which members stayed, and which of the batch entered.

        What belongs to the members is kept in step by `np.concatenate([mine[stayed], theirs[entered]])`.
        """
        stayed, entered = np.empty(len(self), dtype=np.bool_), np.empty(len(batch), dtype=np.bool_)
        order = np.argsort(batch.sum(axis=1), kind="stable")
        words = pack(batch, self._largest)
        by_sum = np.empty_like(entered)
        sift(self._words, np.ascontiguousarray(words[:, order]), self._guard, stayed, by_sum)
        entered[order] = by_sum
        self.counts = np.concatenate([self.counts[stayed], batch[entered]])
        self._words = np.concatenate([self._words[:, stayed], words[:, entered]], axis=1)
        return stayed, entered
