"""Decision rules that can be deployed: from scores or probabilities to the class decided for.

A rule is a small frozen record of plain numbers. It is stored as a few lines of JSON and read back without
executing any code; the restored rule makes exactly the same decisions.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from math import inf, isfinite, isnan
from typing import Any

import numpy as np

from polyroc._results.codec import encode_fields
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import as_array, complete_rows
from polyroc.validation.labels import is_hashable
from polyroc.validation.predictions import classifier_values

__all__ = ["CostRule", "CutPointRule", "MossmanRule", "Rule", "ThresholdRule"]

SCHEMA = 1
ROUNDING = 1e-12  # risks that differ by a smaller share of themselves are tied
INFINITE = {"inf": inf, "-inf": -inf}  # JSON has no infinity


class Rule(ABC):
    """Base class of decision rules, which decide by `decide` and are stored by `to_json`."""

    __slots__ = ()
    labels: tuple[Hashable, ...]

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The thresholds of a rule that decides by one score, rising; none if it decides by probabilities."""
        return ()

    @abstractmethod
    def codes(self, values: FloatArray) -> IntArray:
        """The decisions as positions in `labels`; the columns of `values` are in the order of `labels`."""

    @abstractmethod
    def sentence(self) -> str:
        """The rule in words."""

    def decide(self, y_score: Any) -> np.ndarray[Any, Any]:
        """The decision for each case, as a label.

        Parameters
        ----------
        y_score
            One column per class in the order of `labels`, or a data frame whose columns are matched by name; a
            `ThresholdRule` also accepts the score itself, one number per case. A `CutPointRule` needs the score.
        """
        if isinstance(y_score, Mapping):
            raise InputError("A rule applies to one classifier; pass its scores, not a mapping.")
        arguments = ArgumentNames()
        n = len(as_array(y_score, arguments.scores))
        values, kind = classifier_values(y_score, self.labels, n, arguments)
        if kind == "decisions":
            raise InputError("y_score contains decisions (labels); a rule needs scores or probabilities.")
        complete_rows(np.zeros(n, dtype=np.int32), values, None, {}, "raise", arguments)
        (table,) = values.values()
        return _labels_as_array(self.labels)[self.codes(table)]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        for label in self.labels:
            if not isinstance(label, str | int | float) or (isinstance(label, float) and not isfinite(label)):
                raise InputError(
                    f"The label {short_repr(label)} ({type(label).__name__}) cannot be stored in JSON; "
                    "labels must be text, numbers or booleans."
                )
        return {"schema": SCHEMA, "kind": type(self).__name__, **encode_fields(self)}

    def to_json(self) -> str:
        """The rule as JSON text, which `Rule.from_json` reads back."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Any) -> "Rule":
        """The rule from the output of `to_dict`, validated."""
        kind, schema = (data.get("kind"), data.get("schema")) if isinstance(data, dict) else (None, None)
        kinds = {rule.__name__: rule for rule in (ThresholdRule, CutPointRule, CostRule, MossmanRule)}
        rule = kinds.get(kind) if isinstance(kind, str) else None
        if rule is None or type(schema) is not int or schema != SCHEMA or not issubclass(rule, cls):
            expected = "rule" if cls is Rule else cls.__name__
            raise InputError(
                f"Expected a stored {expected} of schema {SCHEMA} ({', '.join(kinds)}), got kind "
                f"{short_repr(kind)} of schema {short_repr(schema)}; it may come from another version of polyroc."
            )
        names = [field.name for field in fields(rule)]
        if set(data) != {"schema", "kind", *names}:
            raise InputError(
                f"A stored {kind} must have exactly {', '.join(names)}, got {short_repr(sorted(data))}."
            )
        return rule(**{name: data[name] for name in names})

    @classmethod
    def from_json(cls, text: str | bytes) -> "Rule":
        """The rule from the output of `to_json`, validated; no code in the text is executed."""
        try:
            data = json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_reject_constant)
        except InputError:
            raise
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(f"A stored rule must be JSON text, got {short_repr(text)} ({error}).") from None
        return cls.from_dict(data)


@dataclass(frozen=True, slots=True)
class ThresholdRule(Rule):
    """Two classes: the positive one if its score is at least the threshold, else the other.

    Attributes
    ----------
    labels
        The two classes, in the order of the columns.
    positive
        The class that high scores indicate.
    threshold
        The smallest score that is classified as positive; infinite if none is.

    >>> rule = ThresholdRule(("benign", "malignant"), "malignant", 0.3)
    >>> rule.decide([0.1, 0.3, 0.8]).tolist()
    ['benign', 'malignant', 'malignant']
    >>> Rule.from_json(rule.to_json()) == rule
    True
    """

    labels: tuple[Hashable, ...]
    positive: Hashable
    threshold: float

    def __post_init__(self) -> None:
        labels = _checked_labels(self.labels, 2)
        _freeze(self, labels=labels, positive=_member(self.positive, labels, "positive"))
        _freeze(self, threshold=_checked_number(self.threshold, "threshold", finite=False))

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The threshold."""
        return (self.threshold,)

    def codes(self, values: FloatArray) -> IntArray:
        """Position of the positive class where the score, or its column, is at least the threshold."""
        positive = self.labels.index(self.positive)
        score = values if values.ndim == 1 else values[:, positive]
        return np.where(score >= self.threshold, positive, 1 - positive)

    def sentence(self) -> str:
        """The rule in words."""
        other = self.labels[1 - self.labels.index(self.positive)]
        if self.threshold == inf:
            return f"Always {other}."
        return f"{self.positive} if its score is at least {self.threshold:.6g}, otherwise {other}."


@dataclass(frozen=True, slots=True)
class CutPointRule(Rule):
    """Ordered classes: the last class whose cut-point the score reaches, or the first class if it reaches none.

    Attributes
    ----------
    labels
        The classes in the order of rising scores.
    cut_points
        For every class but the first, the smallest score that is classified as this class or a later one; they do
        not fall, and are infinite if no score is. Where two are equal, the class between them is never decided.

    >>> rule = CutPointRule(("none", "mild", "severe"), [1.5, 4.0])
    >>> rule.decide([1.4, 1.5, 3.9, 4.0]).tolist()
    ['none', 'mild', 'mild', 'severe']
    >>> Rule.from_json(rule.to_json()) == rule
    True
    """

    labels: tuple[Hashable, ...]
    cut_points: tuple[float, ...]

    def __post_init__(self) -> None:
        labels = _checked_labels(self.labels)
        numbers = self.cut_points.tolist() if isinstance(self.cut_points, np.ndarray) else self.cut_points
        if not _is_sequence(numbers) or len(numbers) != len(labels) - 1:
            raise InputError(
                f"cut_points must contain {len(labels) - 1} numbers, one fewer than the classes, got "
                f"{short_repr(self.cut_points)}."
            )
        cut_points = tuple(_checked_number(number, "cut_points", finite=False) for number in numbers)
        if any(later < earlier for earlier, later in pairwise(cut_points)):
            raise InputError(f"cut_points must not fall, got {short_repr(list(cut_points))}; sort them.")
        _freeze(self, labels=labels, cut_points=cut_points)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """The cut-points."""
        return self.cut_points

    def codes(self, values: FloatArray) -> IntArray:
        """The number of cut-points that the score reaches."""
        if values.ndim != 1:
            raise InputError(f"This rule needs one score per case, got {values.shape[1]} columns.")
        return np.searchsorted(np.array(self.cut_points), values, side="right")

    def sentence(self) -> str:
        """The rule in words."""
        starts, ends = (-inf, *self.cut_points), (*self.cut_points, inf)
        parts, never = [], []
        for label, start, end in zip(self.labels, starts, ends, strict=True):
            if start == end:
                never.append(str(label))
            elif start == -inf:
                parts.append(f"{label} below {end:.6g}" if end < inf else f"Always {label}")
            else:
                parts.append(f"{label} from {start:.6g}")
        return ", ".join(parts) + (f"; never {', '.join(never)}." if never and len(parts) > 1 else ".")


@dataclass(frozen=True, slots=True)
class CostRule(Rule):
    """Any number of classes: the decision j of least sum over k of costs[k, j] x (probability of class k).

    This is the family of rules of Everson & Fieldsend (2005). With the true costs and calibrated probabilities it
    is Bayes' rule; other costs give other operating points. Only the ratios of the costs matter. Of decisions with
    the same expected cost, up to rounding, the first in `labels` is made.

    Attributes
    ----------
    labels
        The classes, in the order of rows and columns.
    costs
        Row: the true class; column: the decision. Not negative; zero on the diagonal.

    >>> rule = CostRule(("benign", "malignant"), [[0, 1], [10, 0]])
    >>> rule.decide([[0.95, 0.05], [0.85, 0.15]]).tolist()
    ['benign', 'malignant']
    """

    labels: tuple[Hashable, ...]
    costs: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        labels = _checked_labels(self.labels)
        rows = self.costs.tolist() if isinstance(self.costs, np.ndarray) else self.costs
        c = len(labels)
        square = _is_sequence(rows) and len(rows) == c and all(_is_sequence(r) and len(r) == c for r in rows)
        if not square:
            raise InputError(
                f"costs must have {c} rows of {c} numbers, one per class, got {short_repr(self.costs)}."
            )
        costs = tuple(tuple(_checked_number(cell, "costs") for cell in row) for row in rows)
        if min(map(min, costs)) < 0 or any(row[k] for k, row in enumerate(costs)):
            raise InputError(f"costs must be non-negative, and zero on the diagonal, got {short_repr(rows)}.")
        _freeze(self, labels=labels, costs=costs)

    def risks(self, values: FloatArray) -> FloatArray:
        """The expected cost of each decision, one column per decision."""
        if values.ndim == 1:
            raise InputError(
                f"This rule needs one column per class ({len(self.labels)}), got one number per case."
            )
        risk = np.zeros((values.shape[1], len(values)))  # by decision: operations on long rows are fast
        # Not a matrix product: its rounding depends on the library and the number of cases, and would break ties.
        for column, row in zip(values.T, self.costs, strict=True):
            risk += column * np.array(row)[:, None]
        return risk.T

    def codes(self, values: FloatArray) -> IntArray:
        """Position of the decision of least expected cost; the first of ties."""
        risk = self.risks(values).T
        least = risk.min(axis=0)
        least += ROUNDING * np.abs(least)
        codes = np.full(len(values), len(risk) - 1)
        for j in reversed(range(len(risk) - 1)):
            codes[risk[j] <= least] = j
        return codes

    def sentence(self) -> str:
        """The rule in words."""
        return "The class of least expected cost, by the costs of the rule."


@dataclass(frozen=True, slots=True)
class MossmanRule(Rule):
    """Three classes: the third if p3 >= alpha, else the first if p2 - p1 <= beta, else the second.

    References
    ----------
    Mossman, Medical Decision Making 19 (1999) 78-89.

    >>> MossmanRule((1, 2, 3), 0.5, 0.0).decide([[0.1, 0.3, 0.6], [0.5, 0.4, 0.1], [0.2, 0.6, 0.2]]).tolist()
    [3, 1, 2]
    """

    labels: tuple[Hashable, ...]
    alpha: float
    beta: float

    def __post_init__(self) -> None:
        _freeze(self, labels=_checked_labels(self.labels, 3))
        _freeze(self, alpha=_checked_number(self.alpha, "alpha", finite=False))
        _freeze(self, beta=_checked_number(self.beta, "beta", finite=False))

    def codes(self, values: FloatArray) -> IntArray:
        """Positions of the decisions."""
        if values.ndim == 1:
            raise InputError("This rule needs three columns, one per class, got one number per case.")
        first, second, third = values.T
        return np.where(third >= self.alpha, 2, np.where(second - first <= self.beta, 0, 1))

    def sentence(self) -> str:
        """The rule in words."""
        a, b, c = self.labels
        return (
            f"{c} if p({c}) is at least {self.alpha:.6g}; otherwise {a} if p({b}) - p({a}) is at most "
            f"{self.beta:.6g}, else {b}."
        )


def _freeze(rule: Rule, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(rule, name, value)


def _is_sequence(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _checked_labels(labels: Any, count: int | None = None) -> tuple[Hashable, ...]:
    plain = tuple(_plain_label(label) for label in labels) if _is_sequence(labels) else ()
    if len(plain) < 2 or not _are_distinct(plain) or (count is not None and len(plain) != count):
        number = "at least two" if count is None else str(count)
        raise InputError(f"labels must contain {number} different classes, got {short_repr(labels)}.")
    return plain


def _are_distinct(labels: tuple[Hashable, ...]) -> bool:
    try:
        return len(set(labels)) == len(labels)
    except TypeError:  # an array, say
        return False


def _plain_label(label: Any, name: str = "labels") -> Hashable:
    plain = label.item() if isinstance(label, np.generic) else label
    if not is_hashable(plain) or plain is None or (isinstance(plain, float) and isnan(plain)):
        raise InputError(f"{name} must be text, numbers or other hashable values, got {short_repr(label)}.")
    return plain  # type: ignore[no-any-return]


def _member(label: Any, labels: tuple[Hashable, ...], name: str) -> Hashable:
    plain = _plain_label(label, name)
    if plain not in labels:
        raise InputError(f"{name} must be one of the classes {short_repr(list(labels))}, got {short_repr(label)}.")
    return labels[labels.index(plain)]


def _checked_number(value: Any, name: str, finite: bool = True) -> float:
    if not finite and isinstance(value, str) and value in INFINITE:
        return INFINITE[value]
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    try:
        number = float(value) if is_number else np.nan
    except OverflowError:  # an integer beyond the range of floats
        number = np.nan
    if isnan(number) or (finite and not isfinite(number)):
        raise InputError(f"{name} must be a {'finite ' if finite else ''}number, got {short_repr(value)}.")
    return number


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):  # json keeps the last of duplicate fields, silently
        raise InputError(
            f"A stored rule must have each field once, got {short_repr([name for name, _ in pairs])}."
        )
    return fields


def _reject_constant(name: str) -> float:
    raise InputError(f"A stored rule must contain finite numbers, got {name}.")


def _labels_as_array(labels: tuple[Hashable, ...]) -> np.ndarray[Any, Any]:
    """The labels as an array of their type if all are text, integers, floats or booleans; else of objects."""
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {str, bool, int, float}:
        array = np.array(labels)
        if array.dtype.kind in "Ubif":  # integers beyond 64 bits become objects
            return array
    array = np.empty(len(labels), dtype=object)
    for i, label in enumerate(labels):  # one by one, because numpy would take a tuple for a row
        array[i] = label
    return array
