"""Events with a predicted probability: a class, or that the predicted class is the true one."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from polyroc.inference.covariance import by_unit
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.scores import Scores

__all__ = ["TOP_LABEL", "Event", "events_of", "positive_probability"]

TOP_LABEL = "top label"


@dataclass(frozen=True, eq=False)
class Event:
    """Whether an event happened, with its predicted probability, for each case.

    Attributes
    ----------
    name
        The class, or "top label".
    p, y
        The probability, and whether it happened.
    scores
        The cases, with their weights and groups.
    """

    name: str
    p: FloatArray
    y: BoolArray
    scores: Scores

    @property
    def weight(self) -> FloatArray:
        """The weight of each case."""
        weight = self.scores.sample_weight
        return np.ones(len(self.p)) if weight is None else weight

    @property
    def independent(self) -> bool:
        """True if the cases are independent: no groups."""
        return self.scores.units is None

    @property
    def units(self) -> tuple[float, float]:
        """The effective number of cases (of groups, where there are any) without and with the event."""
        by_outcome = []
        for happened in (False, True):
            weight = by_unit(np.where(self.y == happened, self.weight, 0.0), self.scores)
            squares = float((weight**2).sum())
            by_outcome.append(float(weight.sum()) ** 2 / squares if squares else 0.0)
        return by_outcome[0], by_outcome[1]

    def covariance(self, influence: FloatArray) -> FloatArray:
        """The covariance of estimates with influence values at [estimate, case], which sum to 0 by weight."""
        total = self.weight.sum()
        rows = np.array([by_unit(self.weight * row / total, self.scores) for row in influence])
        m = np.count_nonzero(by_unit(self.weight, self.scores))
        return np.asarray(rows @ rows.T * (m / (m - 1.0) if m > 1 else np.nan))


def positive_probability(scores: Scores, classifier: str) -> FloatArray:
    """Of two classes, the probability of the positive one."""
    values = scores.values[classifier]
    p = values if values.ndim == 1 else values[:, scores.positive]
    return np.clip(p, 0.0, 1.0)


def events_of(scores: Scores, classifier: str) -> Iterator[Event]:
    """The positive class of two; of more, each class, and whether the predicted class is the true one."""
    if scores.n_classes == 2:
        positive = scores.positive
        assert positive is not None
        p = positive_probability(scores, classifier)
        yield Event(scores.names[positive], p, scores.codes == positive, scores)
        return
    table = np.clip(scores.values[classifier], 0.0, 1.0)
    for k, name in enumerate(scores.names):
        yield Event(name, table[:, k], scores.codes == k, scores)
    top = table.argmax(axis=1)
    yield Event(TOP_LABEL, table.max(axis=1), scores.codes == top, scores)
