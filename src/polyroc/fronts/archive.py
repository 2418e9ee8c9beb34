"""The archive: all vectors of error counts seen that no other one dominates."""

import numpy as np

from polyroc.kernels.archives import guard_bits, pack, sift
from polyroc.kernels.arrays import IntArray

__all__ = ["Archive"]


class Archive:
    """An unbounded set of mutually non-dominating vectors of counts; equal vectors are kept once.

    One vector dominates another if none of its counts is larger and some is smaller.

    Attributes
    ----------
    counts
        The members, one a row, by rising sum.

    Parameters
    ----------
    largest
        The largest count that can come.
    objectives
        How many counts make a vector.

    >>> archive = Archive(largest=9, objectives=2)
    >>> archive.insert(np.array([[3, 3], [1, 4], [3, 3], [4, 3]]))
    array([1, 0])
    >>> archive.insert(np.array([[2, 3]]))
    array([0, 2])
    >>> archive.counts.tolist()
    [[1, 4], [2, 3]]
    """

    def __init__(self, largest: int, objectives: int) -> None:
        self.counts: IntArray = np.empty((0, objectives), dtype=np.int64)
        self._largest = largest
        self._guard = guard_bits(largest)
        self._words = pack(self.counts, largest)
        self._sums = self.counts.sum(axis=1)

    def __len__(self) -> int:
        return len(self.counts)

    def insert(self, batch: IntArray) -> IntArray:
        """Put a batch in, and say where the members are from: positions in the old members followed by the batch.

        What belongs to the members is kept in step by `np.concatenate([mine, theirs])[positions]`.
        """
        sums = batch.sum(axis=1)
        order = np.argsort(sums, kind="stable")
        words = pack(batch[order], self._largest)
        places = np.searchsorted(self._sums, sums[order], side="right")
        stay, enter = np.empty(len(self), dtype=np.bool_), np.empty(len(batch), dtype=np.bool_)
        sift(self._words, words, places, self._guard, stay, enter)
        if not enter.any():
            return np.arange(len(self))
        origins = np.concatenate([np.flatnonzero(stay), len(self) + order[enter]])
        merged = np.concatenate([self._sums[stay], sums[order[enter]]])
        by_sum = np.argsort(merged, kind="stable")
        self._sums, origins = merged[by_sum], origins[by_sum]
        self._words = np.concatenate([self._words[:, stay], words[:, enter]], axis=1)[:, by_sum]
        self.counts = np.concatenate([self.counts, batch])[origins]
        return origins
