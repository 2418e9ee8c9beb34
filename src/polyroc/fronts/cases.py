"""The cases of a front, class by class, and what costs make of them."""

from collections.abc import Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any, Self

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.cost_decisions import tally_decisions
from polyroc.scores import Scores, readable
from polyroc.validation.arrays import as_features
from polyroc.validation.labels import encode, in_order
from polyroc.validation.messages import Words
from polyroc.validation.weights import as_counts

__all__ = ["Cases", "Training"]


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


@dataclass(frozen=True, slots=True)
class Training:
    """Features and classes.

    Attributes
    ----------
    X, y
        Cases x features, those of weight 0 left out; the class of each as a position in `labels`. Neither can be
        written to.
    labels
        The classes.
    order, starts
        The cases class by class, and where each class begins among them.
    weight, totals
        How many cases each stands for, class by class; the same added up by class.
    weighted
        Whether weights were given.
    """

    X: FloatArray
    y: IntArray
    labels: tuple[Hashable, ...]
    order: IntArray
    starts: IntArray
    weight: IntArray
    totals: IntArray
    weighted: bool = False

    @classmethod
    def of(cls, X: Any, y: Any, labels: Sequence[Hashable] | None, sample_weight: Any = None) -> Self:
        """What the caller has, checked."""
        words = Words(truth="y")
        features, coded = as_features(X), encode(y, "y")
        if len(features) != len(coded.codes):
            raise InputError(f"X and y must have as many cases, got {len(features)} and {len(coded.codes)}.")
        codes, names = in_order(coded, labels, words)
        if (codes < 0).any():
            raise InputError(f"y has missing values ({words.where(codes < 0)}); leave these cases out.")
        weight = as_counts(sample_weight, len(codes))
        features, codes, weight = features[weight > 0], codes[weight > 0], weight[weight > 0]
        sizes = np.bincount(codes, minlength=len(names))
        if not sizes.all():
            empty = readable(names)[int(np.argmin(sizes))]
            raise NotApplicableError(f"A front needs cases of every class; there is none of {empty!r}.")
        order = np.argsort(codes, kind="stable")
        whole = codes.astype(np.int64)
        features.flags.writeable = whole.flags.writeable = False
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        totals = np.bincount(codes, weight, len(names)).astype(np.int64)
        weighted = sample_weight is not None
        return cls(features, whole, names, order, starts, weight[order], totals, weighted)

    @property
    def digest(self) -> str:
        """By which other cases are told from these."""
        told = sha256(repr((self.X.shape, readable(self.labels))).encode())
        told.update(self.X.astype("<f8").tobytes())
        told.update(self.y.astype("<i8").tobytes())
        told.update(self.weight.astype("<i8").tobytes() if self.weighted else b"")
        return told.hexdigest()

    def judged(self, P: FloatArray) -> Cases:
        """The cases with what a classifier says of them."""
        return Cases(np.ascontiguousarray(P[self.order].T), self.starts, self.weight, self.totals)
