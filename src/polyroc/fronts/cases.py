"""The cases of a front, grouped by true class, and their confusion counts under costs."""

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any, Self

import numpy as np

from polyroc.errors import InputError, NotApplicableError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.cost_decisions import tally_decisions, tally_each
from polyroc.measures.applicability import SUM_TOLERANCE, inapplicable_reason
from polyroc.measures.registry import MEASURES
from polyroc.scores import Scores, readable
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import as_features
from polyroc.validation.data_frames import check_alignment
from polyroc.validation.labels import encode, in_order
from polyroc.validation.weights import as_counts

__all__ = ["Cases", "TrainingData", "with_both_columns"]

FORECAST = next(measure for measure in MEASURES.values() if measure.needs == "forecast")

TASKS_PER_THREAD = 4  # so that threads that finish early find more to do
PARALLEL_DECISIONS = 2**18  # fewer decisions are made faster by one thread
MOST_STEPS = 2**27  # cost vectors x cases x classes^2 of a task: a tenth of a second, so that ctrl-C is prompt


def with_both_columns(scores: Scores) -> Scores:
    """Return the scores with one column per class, where there is the probability of one of two classes."""
    if scores.kind != "score" or scores.n_classes != 2:
        return scores
    reason = inapplicable_reason(FORECAST, scores, by_name=True)
    if reason is not None:
        raise NotApplicableError("A front of one score ", reason, ".")
    order = 1 if scores.positive else -1
    both = {name: np.stack([1.0 - p, p][::order], axis=1) for name, p in scores.values.items()}
    return scores._replace(values=both, kind="matrix")


@dataclass(frozen=True, slots=True)
class Cases:
    """Predicted probabilities of a classifier for the cases of positive weight.

    Attributes
    ----------
    P
        Classes x cases: the probabilities, cases grouped by true class.
    starts
        Where each class begins, and where the last one ends.
    weight
        How many cases each row stands for.
    totals
        The sum of the weights by class.
    """

    P: FloatArray
    starts: IntArray
    weight: IntArray
    totals: IntArray

    @classmethod
    def of(cls, scores: Scores, classifier: str) -> Self:
        """Check the probabilities of a classifier, and group them by class."""
        P = scores.values[classifier]
        name = ArgumentNames().of(classifier, len(scores.values))
        bad = (P < 0).any(axis=1) | (np.abs(P.sum(axis=1) - 1.0) > SUM_TOLERANCE)
        if bad.any():
            raise InputError(
                f"{name} must hold probabilities, 0 or more, that sum to 1 for each case; not so at "
                f"{ArgumentNames().where(bad)}. Divide each row by its sum, or calibrate scores that are none."
            )
        weight = as_counts(scores.sample_weight, len(P))
        counted = np.flatnonzero(weight > 0)
        order = counted[np.argsort(scores.codes[counted], kind="stable")]
        c = scores.n_classes
        starts = np.searchsorted(scores.codes[order], np.arange(c + 1)).astype(np.int64)
        totals = np.bincount(scores.codes[order], weight[order], c).astype(np.int64)
        return cls(np.ascontiguousarray(P[order].T), starts, weight[order], totals)

    def confusion_counts(
        self, costs: FloatArray, pool: ThreadPoolExecutor, workers: int, stop: Callable[[], bool] | None = None
    ) -> IntArray:
        """At [n, k, j], the cases of class k assigned to class j under costs[n].

        A case is assigned to the class of least conditional risk (Everson & Fieldsend 2005, equation 3). The cost
        vectors are distributed over the threads; every one of them writes its own part of the result. Where
        `stop` becomes true, the counts are those of the first costs only, one at least.
        """
        counts = np.empty(costs.shape, dtype=np.int64)
        if len(costs) * self.P.shape[1] < PARALLEL_DECISIONS:
            tally_decisions(self.P, self.starts, self.weight, costs, counts)
            return counts
        at_once = max(1, MOST_STEPS // (self.P.size * len(self.P)))
        tasks = max(min(TASKS_PER_THREAD * workers, len(costs)), -(-len(costs) // at_once))
        edges = np.linspace(0, len(costs), tasks + 1).astype(int).tolist()
        queue = [
            pool.submit(tally_decisions, self.P, self.starts, self.weight, costs[a:b], counts[a:b])
            for a, b in pairwise(edges)
        ]
        return counts[: edges[_completed(queue, stop)]]


def _completed(tasks: "Sequence[Future[None]]", stop: Callable[[], bool] | None) -> int:
    """Wait for the tasks, and give how many of the first are complete: all, unless `stop` becomes true."""
    for done, task in enumerate(tasks):
        if done and stop is not None and stop():
            for later in tasks[done:]:
                later.cancel()
            return done
        task.result()
    return len(tasks)


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Features and classes of the cases a search runs on.

    Attributes
    ----------
    X, y
        Cases x features, those of weight 0 left out; the class of each as a position in `labels`. Both arrays are
        read-only.
    labels
        The classes.
    order, starts
        The cases class by class, and where each class begins among them.
    weight, totals
        How many cases each row stands for, class by class; their sums by class.
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
        """Validate the arguments of `search_front(family, X, y)`."""
        arguments = ArgumentNames(truth="y")
        check_alignment(X=X, y=y, sample_weight=sample_weight)
        features, coded = as_features(X), encode(y, "y")
        if len(features) != len(coded.codes):
            raise InputError(f"X and y must have as many cases, got {len(features)} and {len(coded.codes)}.")
        codes, names = in_order(coded, labels, arguments)
        if (codes < 0).any():
            raise InputError(f"y has missing values ({arguments.where(codes < 0)}); leave these cases out.")
        weight = as_counts(sample_weight, len(codes))
        features, codes, weight = features[weight > 0], codes[weight > 0], weight[weight > 0]
        sizes = np.bincount(codes, minlength=len(names))
        if not sizes.all():
            empty = readable(names)[int(np.argmin(sizes))]
            raise NotApplicableError(f"A front needs cases of every class; there is none of {empty!r}.")
        order = np.argsort(codes, kind="stable")
        classes = codes.astype(np.int64)
        features.flags.writeable = classes.flags.writeable = False
        starts = np.append(0, np.cumsum(sizes)).astype(np.int64)
        totals = np.bincount(codes, weight, len(names)).astype(np.int64)
        weighted = sample_weight is not None
        return cls(features, classes, names, order, starts, weight[order], totals, weighted)

    @property
    def digest(self) -> str:
        """A hash of the data, by which a resumed search recognises its cases."""
        digest = sha256(repr((self.X.shape, readable(self.labels))).encode())
        # fixed byte order: a front can be resumed on another machine
        digest.update(self.X.astype("<f8").tobytes())
        digest.update(self.y.astype("<i8").tobytes())
        digest.update(self.weight.astype("<i8").tobytes() if self.weighted else b"")
        return digest.hexdigest()

    def counts_of_each(self, P: FloatArray, costs: FloatArray) -> IntArray:
        """At [n, k, j], the cases of class k assigned to class j by P[n], cases x classes, under costs[n]."""
        counts = np.empty(costs.shape, dtype=np.int64)
        by_class = np.ascontiguousarray(P[:, self.order].transpose(0, 2, 1))
        tally_each(by_class, self.starts, self.weight, costs, counts)
        return counts

    def with_posteriors(self, P: FloatArray) -> Cases:
        """The cases with the posterior probabilities of one classifier, given as cases x classes."""
        return Cases(np.ascontiguousarray(P[self.order].T), self.starts, self.weight, self.totals)
