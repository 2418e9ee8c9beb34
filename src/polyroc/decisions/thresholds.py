"""Two classes: every threshold there is, and the best of them, exactly."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.rules import ThresholdRule
from polyroc.scores import Scores

__all__ = ["Thresholds", "best_threshold", "thresholds_of"]

EQUAL = 1e-12  # rates and costs nearer than this are the same number, rounded otherwise


class Thresholds(NamedTuple):
    """What happens at each threshold, from none called positive (infinite) to all.

    Attributes
    ----------
    values
        Infinity, then the distinct scores of cases that count, falling.
    missed, alarms
        The share of positives called negative, and of negatives called positive.
    positive
        The position of the positive class.
    """

    values: FloatArray
    missed: FloatArray
    alarms: FloatArray
    positive: int

    def rate(self, true: int) -> FloatArray:
        """The rate at which a class is mistaken for the other."""
        return self.missed if true == self.positive else self.alarms


def thresholds_of(scores: Scores, values: FloatArray) -> Thresholds:
    """All thresholds of a score, or of the column of the positive class; of the second if none is known."""
    positive = 1 if scores.positive is None else scores.positive
    weight = np.ones(len(values)) if scores.sample_weight is None else scores.sample_weight
    counted = weight > 0
    score = (values if values.ndim == 1 else values[:, positive])[counted] + 0.0  # no -0.0
    order = np.argsort(-score, kind="stable")
    score, weight, codes = score[order], weight[counted][order], scores.codes[counted][order]
    last = np.flatnonzero(np.append(score[1:] != score[:-1], True))
    called = [np.cumsum(np.where(codes == k, weight, 0.0))[last] for k in (0, 1)]
    shares = [np.append(0.0, mass / mass[-1]) for mass in called]
    return Thresholds(np.append(np.inf, score[last]), 1.0 - shares[positive], shares[1 - positive], positive)


def best_threshold(
    scores: Scores,
    values: FloatArray,
    objective: Callable[[Thresholds], FloatArray],
    limits: Mapping[tuple[int, int], float],
) -> ThresholdRule:
    """The threshold of the smallest objective among those within the limits; of several, the highest."""
    found = thresholds_of(scores, values)
    allowed = np.ones(len(found.values), dtype=bool)
    for (true, _), limit in limits.items():
        allowed &= found.rate(true) <= limit + EQUAL
    if not allowed.any():
        raise InputError(_contradiction(scores, found, limits))
    worth = np.where(allowed, objective(found), np.inf)
    best = int(np.argmax(worth <= worth.min() + EQUAL * max(1.0, abs(worth.min()))))
    return ThresholdRule(scores.labels, scores.labels[found.positive], float(found.values[best]))


def _contradiction(scores: Scores, found: Thresholds, limits: Mapping[tuple[int, int], float]) -> str:
    """Both errors are limited and no threshold keeps both: what the one can be at best while the other is kept."""
    names = scores.names
    told = []
    for (true, said), limit in limits.items():
        kept = found.rate(true) <= limit + EQUAL
        least = found.rate(said)[kept].min()
        told.append(
            f"with at most {limit:g} of {names[true]!r} called {names[said]!r}, at least {least:.4g} of "
            f"{names[said]!r} are called {names[true]!r}"
        )
    return f"No threshold satisfies at_most: {'; '.join(told)}. Allow more, or find a better classifier."
