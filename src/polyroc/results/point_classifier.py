"""The classifier at a point of an evolved front: features in, decisions out."""

import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from polyroc._normalise.features import as_features
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.models import Model, kind_of, model_from
from polyroc.results.result import SCHEMA
from polyroc.results.rules import Rule

__all__ = ["PointClassifier"]


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
