"""Models of the built-in families: from features and parameters to posterior probabilities.

A model is what all points of a front share (how features are scaled, the cases that neighbours are sought among);
the parameters are what each point has of its own.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.rules import Rule
from polyroc.validation.arrays import as_features

__all__ = ["LogisticModel", "Model", "NeighbourModel", "PointClassifier", "kind_of", "model_from", "standardised"]

SCHEMA = 1  # of stored classifiers


Reader = Callable[[FloatArray], FloatArray]
CELLS = 2**22  # distances at a time


class Model(ABC):
    """Gives posteriors from parameters, and can be stored as arrays."""

    __slots__ = ()

    @abstractmethod
    def reader(self, X: FloatArray) -> Reader:
        """A function from parameters to the posteriors of these cases, cases x classes."""

    @property
    @abstractmethod
    def features(self) -> int:
        """How many features a case has."""

    @abstractmethod
    def fits(self, parameters: FloatArray, classes: int) -> bool:
        """Whether these can be the parameters of a point, for so many classes."""

    @abstractmethod
    def wanted(self, classes: int) -> str:
        """What such parameters are, in words."""

    def arrays(self) -> dict[str, Any]:
        """What it is made of, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel(Model):
    """Multinomial logistic regression: p_j proportional to exp(a_j + b_j (x - centre) / spread).

    The parameters of a point are a_1, b_1, a_2, b_2 ..., a set for each class.

    Attributes
    ----------
    centre, spread
        By feature.
    """

    centre: FloatArray
    spread: FloatArray

    @property
    def features(self) -> int:
        """How many features a case has."""
        return len(self.centre)

    def fits(self, parameters: FloatArray, classes: int) -> bool:
        """Whether there is a set of coefficients for each class."""
        return parameters.shape == (classes * (1 + self.features),) and bool(np.isfinite(parameters).all())

    def wanted(self, classes: int) -> str:
        """What such parameters are, in words."""
        many = classes * (1 + self.features)
        return f"{many} parameters, for each class an intercept and a coefficient per feature"

    def reader(self, X: FloatArray) -> Reader:
        """A function from parameters to the posteriors of these cases."""
        from polyroc.kernels.softmax import softmax  # not above: help needs no compiler

        scaled = np.ascontiguousarray((X - self.centre) / self.spread)

        def posteriors(parameters: FloatArray) -> FloatArray:
            weights = np.ascontiguousarray(parameters).reshape(-1, 1 + self.features)
            P = np.empty((len(scaled), len(weights)))
            softmax(scaled, weights, P)
            return P

        return posteriors


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourModel(Model):
    """Probabilistic k nearest neighbours: p_j proportional to exp(beta m_j / k), m_j of the k in class j.

    The parameters of a point are k and beta. Of neighbours at the same distance the earlier ones count.

    Attributes
    ----------
    spread
        By feature; distances are Euclidean after division by it.
    cases, codes
        The cases that neighbours are sought among, and their classes.
    limits
        The number of classes and the largest k.
    """

    spread: FloatArray
    cases: FloatArray
    codes: IntArray
    limits: IntArray

    @property
    def features(self) -> int:
        """How many features a case has."""
        return len(self.spread)

    def fits(self, parameters: FloatArray, classes: int) -> bool:
        """Whether they are a k within the limits and a beta of 0 or more."""
        if parameters.shape != (2,) or classes != self.limits[0]:
            return False
        k, beta = parameters.tolist()
        return bool(k == int(k) and 1 <= k <= self.limits[1] and 0 <= beta < np.inf)

    def wanted(self, classes: int) -> str:  # noqa: ARG002
        """What such parameters are, in words."""
        return f"a whole k from 1 to {self.limits[1]} and a beta of 0 or more"

    def reader(self, X: FloatArray) -> Reader:
        """A function from parameters to the posteriors of these cases."""
        return self._speaking(self._votes(X, leave_out=False))

    def left_out(self) -> Reader:
        """The same for the model's own cases, each without itself."""
        return self._speaking(self._votes(self.cases, leave_out=True))

    def _speaking(self, votes: IntArray) -> Reader:
        def posteriors(parameters: FloatArray) -> FloatArray:
            k, beta = int(parameters[0]), parameters[1]
            share = votes[:, k - 1] / k
            P = np.exp(beta * (share - share.max(axis=1, keepdims=True)))
            return np.asarray(P / P.sum(axis=1, keepdims=True))

        return posteriors

    def _votes(self, X: FloatArray, leave_out: bool) -> IntArray:
        """At [n, k - 1, j], how many of the k nearest neighbours of case n are of class j."""
        classes, largest = self.limits.tolist()
        seen, known = np.ascontiguousarray(X.T), np.ascontiguousarray(self.cases.T)
        votes = np.empty((len(X), largest, classes), dtype=np.int64)
        size = max(1, CELLS // len(self.cases))
        for start in range(0, len(X), size):
            part = slice(start, min(start + size, len(X)))
            distance = np.zeros((part.stop - start, len(self.cases)))
            for mine, theirs, spread in zip(seen, known, self.spread, strict=True):
                distance += ((mine[part, None] - theirs) / spread) ** 2  # equal differences stay equal
            if leave_out:
                distance[np.arange(len(distance)), np.arange(start, part.stop)] = np.inf
            nearest = np.argsort(distance, axis=1, kind="stable")[:, :largest]
            votes[part] = (self.codes[nearest][:, :, None] == np.arange(classes)).cumsum(axis=1)
        return votes


KINDS: Mapping[str, type[Model]] = {"logistic": LogisticModel, "nearest neighbours": NeighbourModel}


def model_from(kind: str, arrays: Mapping[str, Any]) -> Model:
    """What `arrays` of a model of this kind gave, put together again."""
    if kind not in KINDS:
        raise InputError(f"A stored model must be one of {', '.join(KINDS)}, got {kind!r}.")
    whole = ("codes", "limits")
    return KINDS[kind](
        **{
            field.name: np.asarray(arrays[field.name], dtype=np.int64 if field.name in whole else np.float64)
            for field in fields(KINDS[kind])  # type: ignore[arg-type]
        }
    )


def kind_of(model: Model) -> str:
    """Under what name the model is stored."""
    return next(kind for kind, made in KINDS.items() if isinstance(model, made))


def standardised(X: FloatArray, wanted: bool) -> tuple[FloatArray, FloatArray]:
    """The centre and spread of each feature: mean and standard deviation, or 0 and 1.

    A feature that does not vary has spread 1.
    """
    if not wanted:
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    centre, spread = X.mean(axis=0), X.std(axis=0)
    return centre, np.where(spread > 0, spread, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class PointClassifier:
    """A classifier that can be deployed: the model of a family, the parameters of a point, and its rule.

    Made by `Front.deploy`. Stored as JSON, it is read back without running any code and decides as before. That of
    nearest neighbours holds its training cases.

    Attributes
    ----------
    rule
        From the probabilities to decisions.
    model
        What the points of the front share.
    parameters
        What this one has of its own.
    """

    rule: Rule
    model: Model
    parameters: FloatArray

    def __repr__(self) -> str:
        classes = ", ".join(map(str, self.labels))
        return f"PointClassifier({kind_of(self.model)}, {len(self.parameters)} parameters: {classes})"

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The classes, in the order of the columns of `posteriors`."""
        return self.rule.labels

    def posteriors(self, X: Any) -> FloatArray:
        """Cases x classes: the probability of each class."""
        return self.model.reader(as_features(X, columns=self.model.features))(self.parameters)

    def decide(self, X: Any) -> np.ndarray[Any, Any]:
        """The label decided for, for each case."""
        return self.rule.decide(self.posteriors(X))

    def to_json(self) -> str:
        """JSON text, to be stored, and read back by `from_json`."""
        plain = {
            "schema": SCHEMA,
            "kind": "PointClassifier",
            "rule": self.rule.to_dict(),
            "model": {name: each.tolist() for name, each in self.model.arrays().items()},
            "model_kind": kind_of(self.model),
            "parameters": self.parameters.tolist(),
        }
        return json.dumps(plain, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """What `to_json` wrote, read back and checked; nothing in the text is ever run."""
        try:
            data = json.loads(text)
            if (data["kind"], data["schema"]) != ("PointClassifier", SCHEMA):
                raise InputError(f"Expected a stored PointClassifier of schema {SCHEMA}, got {data['kind']!r}.")
            found = cls(
                rule=Rule.from_dict(data["rule"]),
                model=model_from(data["model_kind"], data["model"]),
                parameters=np.asarray(data["parameters"], dtype=np.float64),
            )
            whole = found.model.fits(found.parameters, len(found.labels))
        except InputError:
            raise
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as trouble:
            raise InputError(
                f"This is not a whole stored PointClassifier ({trouble!r}); store it again."
            ) from None
        if not whole:
            raise InputError(
                "This stored PointClassifier is damaged: its parts do not fit together; store it again."
            )
        return found
