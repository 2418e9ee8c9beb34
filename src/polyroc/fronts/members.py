"""A classifier at a point of the front of a family that the front does not store."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.rules import Rule
from polyroc.validation.arrays import as_features

__all__ = ["MemberClassifier"]


@dataclass(frozen=True, slots=True, eq=False)
class MemberClassifier:
    """A member of a family with the rule of a point: features in, decisions out.

    Made by `Front.deploy(point, family=family)`. It has no JSON; store it as scikit-learn's models are, with
    joblib or pickle, if the family can be stored so.

    Attributes
    ----------
    rule
        The rule from probabilities to decisions.
    parameters
        The parameters of the member.
    member
        The fitted classifier of an `EstimatorFamily`, whose classes are 0 to Q - 1; else the family.
    """

    rule: Rule
    parameters: FloatArray
    member: Any
    _posteriors: Callable[[FloatArray], Any]

    @classmethod
    def of(cls, rule: Rule, family: Any, parameters: FloatArray) -> "MemberClassifier":
        """The member of a family with these parameters, fitted if the family fits its members."""
        if callable(getattr(family, "fitted", None)):
            member = family.fitted(parameters)
            return cls(rule, parameters, member, member.predict_proba)
        return cls(rule, parameters, family, partial(family.posteriors, parameters))

    def __repr__(self) -> str:
        classes = ", ".join(map(str, self.labels))
        return f"MemberClassifier({type(self.member).__name__}, {len(self.parameters)} parameters: {classes})"

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The classes, in the order of the columns of `posteriors`."""
        return self.rule.labels

    def posteriors(self, X: Any) -> FloatArray:
        """Cases x classes: the probability of each class."""
        return np.asarray(self._posteriors(as_features(X)), dtype=np.float64)

    def decide(self, X: Any) -> np.ndarray[Any, Any]:
        """The label assigned to each case."""
        return self.rule.decide(self.posteriors(X))
