"""Two classes: the error rates of every threshold."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.cut_points import EQUAL
from polyroc.scores import Scores

__all__ = ["Thresholds", "thresholds_in_conflict", "thresholds_of"]


class Thresholds(NamedTuple):
    """The error rates of each threshold, from infinity (no case is positive) to the lowest score (all are).

    Attributes
    ----------
    values
        Infinity, then the distinct scores of cases of positive weight in falling order.
    fnr, fpr
        The shares of positives classified as negative, and of negatives classified as positive.
    positive
        The position of the positive class.
    """

    values: FloatArray
    fnr: FloatArray
    fpr: FloatArray
    positive: int

    def error_rate(self, true: int) -> FloatArray:
        """The rate at which cases of a class are classified as the other."""
        return self.fnr if true == self.positive else self.fpr


def thresholds_of(scores: Scores, values: FloatArray) -> Thresholds:
    """All thresholds of a score, or of the column of the positive class (the second class if none is known)."""
    positive = 1 if scores.positive is None else scores.positive
    weight = np.ones(len(values)) if scores.sample_weight is None else scores.sample_weight
    included = weight > 0
    score = (values if values.ndim == 1 else values[:, positive])[included] + 0.0  # + 0.0 turns -0.0 into 0.0
    order = np.argsort(-score, kind="stable")
    score, weight, codes = score[order], weight[included][order], scores.codes[included][order]
    last = np.flatnonzero(np.append(score[1:] != score[:-1], True))  # of each block of ties
    cumulative = [np.cumsum(np.where(codes == k, weight, 0.0))[last] for k in (0, 1)]
    rates = [np.append(0.0, total / total[-1]) for total in cumulative]
    return Thresholds(np.append(np.inf, score[last]), 1.0 - rates[positive], rates[1 - positive], positive)


def thresholds_in_conflict(scores: Scores, values: FloatArray, limits: Mapping[tuple[int, int], float]) -> str:
    """The message if both rates are limited and no threshold satisfies both: the least of one within the other."""
    names, thresholds = scores.names, thresholds_of(scores, values)
    tradeoffs = []
    for (true, decision), limit in limits.items():
        within = thresholds.error_rate(true) <= limit + EQUAL
        least = thresholds.error_rate(decision)[within].min()
        tradeoffs.append(
            f"with at most {limit:g} of {names[true]!r} classified as {names[decision]!r}, at least {least:.4g} "
            f"of {names[decision]!r} are classified as {names[true]!r}"
        )
    return f"No threshold satisfies the limits: {'; '.join(tradeoffs)}. Relax them, or use a better classifier."
