"""Models of the built-in families: from features and parameters to posterior probabilities.

A model holds what all points of a front share (the scaling of the features, the cases among which neighbours are
sought); each point has its own parameters.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.kernels.softmax import softmax_each
from polyroc.rules import Rule
from polyroc.validation.arrays import as_features

__all__ = ["LogisticModel", "Model", "NeighbourModel", "PointClassifier", "kind_of", "model_from", "scaling"]

SCHEMA = 1  # of stored classifiers


Posteriors = Callable[[FloatArray], FloatArray]  # from parameters to cases x classes
MOST_DISTANCES = 2**22  # computed at a time: 32 MB


class Model(ABC):
    """A function from features and parameters to posteriors, which can be stored as arrays."""

    __slots__ = ()

    @abstractmethod
    def posterior_function(self, X: FloatArray) -> Posteriors:
        """The function from parameters to the posteriors of these cases.

        What does not depend on the parameters is computed once.
        """

    @property
    @abstractmethod
    def features(self) -> int:
        """How many features a case has."""

    @abstractmethod
    def is_valid(self) -> bool:
        """Whether the shapes of the arrays agree and their values are within their ranges."""

    @abstractmethod
    def fits(self, parameters: FloatArray, classes: int) -> bool:
        """Whether these are valid parameters for this number of classes."""

    @abstractmethod
    def expected(self, classes: int) -> str:
        """A description of valid parameters, for messages."""

    def arrays(self) -> dict[str, Any]:
        """The fields by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, eq=False)
class LogisticModel(Model):
    """Multinomial logistic regression: p_j proportional to exp(a_j + b_j (x - centre) / spread).

    Equation (6) of Everson & Fieldsend (2005). The parameters of a point are a_1, b_1, a_2, b_2 ..., a set for
    each class.

    Attributes
    ----------
    centre, spread
        Mean and standard deviation of each feature, or 0 and 1.
    """

    centre: FloatArray
    spread: FloatArray

    @property
    def features(self) -> int:
        """How many features a case has."""
        return len(self.centre)

    def is_valid(self) -> bool:
        """Whether there are a mean and a positive standard deviation for each feature."""
        return _is_scale(self.spread) and self.centre.shape == self.spread.shape and _is_finite(self.centre)

    def fits(self, parameters: FloatArray, classes: int) -> bool:
        """Whether there is a set of coefficients for each class."""
        return parameters.shape == (classes * (1 + self.features),) and _is_finite(parameters)

    def expected(self, classes: int) -> str:
        """A description of valid parameters, for messages."""
        n = classes * (1 + self.features)
        return f"{n} parameters, for each class an intercept and a coefficient per feature"

    def posterior_function(self, X: FloatArray) -> Posteriors:
        """The function from parameters to the posteriors of these cases."""
        of_each = self.posterior_functions(X)
        return lambda parameters: np.asarray(of_each(parameters[None])[0])

    def posterior_functions(self, X: FloatArray) -> Posteriors:
        """The same from several parameter vectors: vectors x cases x classes."""
        scaled = np.ascontiguousarray((X - self.centre) / self.spread)

        def posteriors(vectors: FloatArray) -> FloatArray:
            weights = np.ascontiguousarray(vectors).reshape(len(vectors), -1, 1 + self.features)
            P = np.empty((len(vectors), len(scaled), weights.shape[1]))
            softmax_each(scaled, weights, P)
            return P

        return posteriors


@dataclass(frozen=True, slots=True, eq=False)
class NeighbourModel(Model):
    """Probabilistic k nearest neighbours: p_j proportional to exp(beta m_j / k), m_j of the k in class j.

    Equation (9) of Everson & Fieldsend (2005) with 1 in the place of the distance. The parameters of a point are k
    and beta. Of neighbours at the same distance the earlier ones are taken.

    Attributes
    ----------
    spread
        The standard deviation of each feature, or 1; distances are Euclidean after division by it.
    cases, codes
        The cases among which neighbours are sought, and their classes.
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

    def is_valid(self) -> bool:
        """Whether every case has its features and a class, and there are as many neighbours as the largest k."""
        if self.limits.shape != (2,) or not _is_scale(self.spread) or self.cases.ndim != 2:
            return False
        classes, largest = self.limits.tolist()
        n = len(self.cases)
        return (
            self.cases.shape[1:] == self.spread.shape
            and _is_finite(self.cases)
            and self.codes.shape == (n,)
            and bool(((self.codes >= 0) & (self.codes < classes)).all())
            and classes >= 2
            and 1 <= largest <= n
        )

    def fits(self, parameters: FloatArray, classes: int) -> bool:
        """Whether these are a k within the limits and a beta of 0 or more."""
        if parameters.shape != (2,) or classes != self.limits[0] or not _is_finite(parameters):
            return False
        k, beta = parameters.tolist()
        return bool(k == int(k) and 1 <= k <= self.limits[1] and beta >= 0)

    def expected(self, classes: int) -> str:  # noqa: ARG002 - the base class
        """A description of valid parameters, for messages."""
        return f"a whole k from 1 to {self.limits[1]} and a beta of 0 or more"

    def posterior_function(self, X: FloatArray) -> Posteriors:
        """The function from parameters to the posteriors of these cases."""
        return self._from_votes(self._votes(X, leave_out=False))

    def leave_one_out(self) -> Posteriors:
        """The same for the model's own cases, each of which is not its own neighbour."""
        return self._from_votes(self._votes(self.cases, leave_out=True))

    def _from_votes(self, votes: IntArray) -> Posteriors:
        def posteriors(parameters: FloatArray) -> FloatArray:
            k, beta = int(parameters[0]), parameters[1]
            share = votes[:, k - 1] / k
            P = np.exp(beta * (share - share.max(axis=1, keepdims=True)))  # the largest exponent is 0: no overflow
            return np.asarray(P / P.sum(axis=1, keepdims=True))

        return posteriors

    def _votes(self, X: FloatArray, leave_out: bool) -> IntArray:
        """At [n, k - 1, j], how many of the k nearest neighbours of case n are of class j."""
        classes, largest = self.limits.tolist()
        columns, own_columns = np.ascontiguousarray(X.T), np.ascontiguousarray(self.cases.T)
        votes = np.empty((len(X), largest, classes), dtype=np.int64)
        size = max(1, MOST_DISTANCES // len(self.cases))
        for start in range(0, len(X), size):
            part = slice(start, min(start + size, len(X)))
            distance = np.zeros((part.stop - start, len(self.cases)))
            # differences, not |x|^2 - 2 xy + |y|^2: equal distances must be equal to the last bit, as ties are
            # broken by order
            for column, own_column, spread in zip(columns, own_columns, self.spread, strict=True):
                distance += ((column[part, None] - own_column) / spread) ** 2
            if leave_out:
                distance[np.arange(len(distance)), np.arange(start, part.stop)] = np.inf
            nearest = np.argsort(distance, axis=1, kind="stable")[:, :largest]
            votes[part] = (self.codes[nearest][:, :, None] == np.arange(classes)).cumsum(axis=1)
        return votes


KINDS: Mapping[str, type[Model]] = {"logistic": LogisticModel, "nearest neighbours": NeighbourModel}


def model_from(kind: str, arrays: Mapping[str, Any]) -> Model:
    """The model of this kind with these arrays, as `arrays` gives them."""
    if kind not in KINDS:
        raise InputError(f"A stored model must be one of {', '.join(KINDS)}, got {kind!r}.")
    stored = {name: np.asarray(arrays[name]) for name in (field.name for field in fields(KINDS[kind]))}  # type: ignore[arg-type]
    integer = ("codes", "limits")
    if any(stored[name].dtype.kind not in "iu" for name in integer if name in stored):
        raise InputError(f"The stored model is damaged: {' and '.join(integer)} must be integers; store it again.")
    model = KINDS[kind](
        **{name: array.astype(np.int64 if name in integer else np.float64) for name, array in stored.items()}
    )
    if not model.is_valid():
        raise InputError(
            "The stored model is damaged: its arrays do not fit together or have invalid values; store it again."
        )
    return model


def _is_finite(array: FloatArray) -> bool:
    return bool(np.isfinite(array).all())


def _is_scale(array: FloatArray) -> bool:
    """Whether this is a positive number for each of one or more features."""
    return array.ndim == 1 and len(array) > 0 and _is_finite(array) and bool((array > 0).all())


def kind_of(model: Model) -> str:
    """The name under which the model is stored."""
    return next(kind for kind, model_type in KINDS.items() if isinstance(model, model_type))


def scaling(X: FloatArray, standardise: bool) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of each feature, or 0 and 1 without standardisation.

    The standard deviation of a constant feature is replaced by 1.
    """
    if not standardise:
        return np.zeros(X.shape[1]), np.ones(X.shape[1])
    centre, spread = X.mean(axis=0), X.std(axis=0)
    return centre, np.where(spread > 0, spread, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class PointClassifier:
    """A classifier at a point of a front: the model of a family, the parameters and the rule of the point.

    Made by `Front.deploy`. It can be stored as JSON; reading it runs no code, and it makes the same decisions. One
    of nearest neighbours contains the training cases.

    Attributes
    ----------
    rule
        The rule from probabilities to decisions.
    model
        What all points of the front share.
    parameters
        The parameters of this point.
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
        return self.model.posterior_function(as_features(X, columns=self.model.features))(self.parameters)

    def decide(self, X: Any) -> np.ndarray[Any, Any]:
        """The label assigned to each case."""
        return self.rule.decide(self.posteriors(X))

    def to_json(self) -> str:
        """JSON text, which `from_json` reads."""
        plain = {
            "schema": SCHEMA,
            "kind": "PointClassifier",
            "rule": self.rule.to_dict(),
            "model": {name: array.tolist() for name, array in self.model.arrays().items()},
            "model_kind": kind_of(self.model),
            "parameters": self.parameters.tolist(),
        }
        return json.dumps(plain, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Read and check what `to_json` wrote; no code in the text is run."""
        try:
            data = json.loads(text)
            if (data["kind"], data["schema"]) != ("PointClassifier", SCHEMA):
                raise InputError(f"Expected a stored PointClassifier of schema {SCHEMA}, got {data['kind']!r}.")
            classifier = cls(
                rule=Rule.from_dict(data["rule"]),
                model=model_from(data["model_kind"], data["model"]),
                parameters=np.asarray(data["parameters"], dtype=np.float64),
            )
            consistent = classifier.model.fits(classifier.parameters, len(classifier.labels))
        except InputError:
            raise
        except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
            raise InputError(
                f"This is not a complete stored PointClassifier ({error!r}); store it again."
            ) from None
        if not consistent:
            raise InputError(
                "This stored PointClassifier is damaged: its parts do not fit together; store it again."
            )
        return classifier
