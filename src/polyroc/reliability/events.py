"""Events with a predicted probability: a class, the predicted class, or one class of a pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.inference.covariance import by_unit
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.scores import Scores

__all__ = [
    "TOP_LABEL",
    "VIEWS",
    "Event",
    "View",
    "checked_views",
    "events_of",
    "pair_name",
    "positive_probability",
    "table_of",
]

TOP_LABEL = "top label"
View = Literal["class", "top label", "pair"]
VIEWS: tuple[View, ...] = ("class", "top label")  # unless others are named


@dataclass(frozen=True, eq=False)
class Event:
    """Whether an event happened, with its predicted probability, for each case.

    Attributes
    ----------
    name
        The class, "top label", or "a, of a or b".
    p, y
        The probability, and whether it happened.
    scores
        The cases, with their weights and groups.
    cases
        Their positions among all cases; None for all.
    """

    name: str
    p: FloatArray
    y: BoolArray
    scores: Scores
    cases: IntArray | None = None

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


def checked_views(views: View | Sequence[View] | None) -> tuple[View, ...]:
    """The views of many classes that are asked for, each once, in order."""
    known: tuple[View, ...] = get_args(View)
    names = VIEWS if views is None else (views,) if isinstance(views, str) else views
    if not len(names):
        raise InputError(f"views must name one or more of {', '.join(map(repr, known))}, got {short_repr(views)}.")
    return tuple(view for view in known if view in names)


def table_of(scores: Scores, classifier: str) -> FloatArray:
    """The rows of probabilities, one column per class."""
    if scores.n_classes == 2:
        p = positive_probability(scores, classifier)
        return np.column_stack([1.0 - p, p] if scores.positive == 1 else [p, 1.0 - p])
    table = np.clip(scores.values[classifier], 0.0, 1.0)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def pair_name(first: str, second: str) -> str:
    """The event that the class is the first, of cases of the two classes."""
    return f"{first}, of {first} or {second}"


def events_of(scores: Scores, classifier: str, views: tuple[View, ...] = VIEWS) -> Iterator[Event]:
    """The positive class of two; of more, the events of the views.

    "class": each class. "top label": whether the class with the largest probability is the true one. "pair": of
    cases of two classes, whether it is the first, with the probability p / (p + p'); cases for which both
    probabilities are 0 are left out.
    """
    if scores.n_classes == 2:
        positive = scores.positive
        assert positive is not None
        p = positive_probability(scores, classifier)
        yield Event(scores.names[positive], p, scores.codes == positive, scores)
        return
    table = np.clip(scores.values[classifier], 0.0, 1.0)
    if "class" in views:
        for k, name in enumerate(scores.names):
            yield Event(name, table[:, k], scores.codes == k, scores)
    if "top label" in views:
        top = table.argmax(axis=1)
        yield Event(TOP_LABEL, table.max(axis=1), scores.codes == top, scores)
    if "pair" in views:
        yield from _pairs(scores, table)


def _pairs(scores: Scores, table: FloatArray) -> Iterator[Event]:
    for i, j in combinations(range(scores.n_classes), 2):
        either = table[:, i] + table[:, j]
        cases = np.flatnonzero(((scores.codes == i) | (scores.codes == j)) & (either > 0))
        if not len(cases):
            continue
        part = scores.subset(cases)
        name = pair_name(scores.names[i], scores.names[j])
        yield Event(name, table[cases, i] / either[cases], part.codes == i, part, cases)
