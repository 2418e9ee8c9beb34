"""The cases of a front, class by class, and what costs make of them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from polyroc._normalise.counts import as_counts
from polyroc._normalise.words import Words
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.deciding import tally_decisions
from polyroc.scores import Scores

__all__ = ["Cases"]

SLACK = 0.01  # probabilities written with a few decimals may miss 1 by this much
SHARES = 4  # parts of a batch for each thread
WORTH = 2**18  # decisions that are worth sharing out


@dataclass(frozen=True, slots=True)
class Cases:
    """What a classifier says of the cases that count.

    Attributes
    ----------
    P
        Classes x cases: the probabilities, cases grouped by true class.
    starts
        Where each class begins, and where the last one ends.
    weight
        How many cases each stands for.
    totals
        The same by class.
    """

    P: FloatArray
    starts: IntArray
    weight: IntArray
    totals: IntArray

    @classmethod
    def of(cls, scores: Scores, classifier: str) -> Self:
        """The cases of positive weight, checked."""
        P = scores.values[classifier]
        what = Words().of(classifier, len(scores.values))
        bad = (P < 0).any(axis=1) | (np.abs(P.sum(axis=1) - 1.0) > SLACK)
        if bad.any():
            raise InputError(
                f"{what} must hold probabilities, 0 or more, that sum to 1 for each case; not so at "
                f"{Words().where(bad)}. Divide each row by its sum, or calibrate scores that are none."
            )
        weight = as_counts(scores.sample_weight, len(P))
        counted = np.flatnonzero(weight > 0)
        order = counted[np.argsort(scores.codes[counted], kind="stable")]
        c = scores.n_classes
        starts = np.searchsorted(scores.codes[order], np.arange(c + 1)).astype(np.int64)
        totals = np.bincount(scores.codes[order], weight[order], c).astype(np.int64)
        return cls(np.ascontiguousarray(P[order].T), starts, weight[order], totals)

    def tally(self, costs: FloatArray, pool: ThreadPoolExecutor, workers: int) -> IntArray:
        """At [n, k, j], the cases of class k that decision j is made for by costs[n]; threads share the costs."""
        tallies = np.empty(costs.shape, dtype=np.int64)
        if len(costs) * self.P.shape[1] < WORTH:
            tally_decisions(self.P, self.starts, self.weight, costs, tallies)
            return tallies
        edges = np.linspace(0, len(costs), SHARES * workers + 1).astype(int)
        parts = [slice(a, b) for a, b in pairwise(edges.tolist())]
        list(
            pool.map(
                lambda part: tally_decisions(self.P, self.starts, self.weight, costs[part], tallies[part]), parts
            )
        )
        return tallies
