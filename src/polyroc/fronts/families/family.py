"""What a family must be able to do, and the watch over what it says."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.models import Model
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr

__all__ = ["Family", "WatchedFamily", "is_family"]

SLACK = 1e-6  # rows of posteriors may miss 1 by this much


@runtime_checkable
class Family(Protocol):
    """A family of classifiers: any object with these three methods.

    Parameters are a vector of numbers, the same length for all members. A family may keep what it needs of the
    training cases when `start` is called: it is called once in every search, also where its answer is not used
    (`start="random"`, parameters given, a search that goes on from a stored front).

    It may have more: `random(X, y, rng)`, parameters drawn at random (for `start="random"`); `keep(X, y)`, called
    first in every search, so that `start`, which may be a long fit, is called only where its answer is used;
    `name`, what it is called; `describe()`, its settings as a mapping of plain data, by which a stored front is
    told from one of other settings (for a dataclass its fields serve).
    """

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> Any:
        """Parameters to begin with, such as those of a fit.

        Parameters
        ----------
        X
            Cases x features.
        y
            The classes of the cases, 0 to Q - 1 in the order of the labels; each has a case.
        rng
            Where all random numbers are to come from, so that the same seed gives the same front.
        """

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> Any:
        """Other parameters, a random step away."""

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> Any:
        """Cases x classes: the probability of each class; the training cases are the very array `start` saw."""


def is_family(thing: object) -> bool:
    """Whether it has the three methods (an object, not a class that has yet to be called)."""
    methods = ("start", "perturb", "posteriors")
    return not isinstance(thing, type) and all(callable(getattr(thing, name, None)) for name in methods)


@dataclass(slots=True)
class WatchedFamily:
    """A family whose every answer is looked at; what is wrong is told with its name and the generation."""

    family: Any
    classes: int
    generation: int = 0
    size: int | None = None

    @property
    def name(self) -> str:
        """What it is called."""
        given = getattr(self.family, "name", None)
        return given if isinstance(given, str) else type(self.family).__name__

    @property
    def model(self) -> Model | None:
        """What its members share, if it is one of polyroc's own."""
        model = getattr(self.family, "model", None)
        return model if isinstance(model, Model) else None

    def describe(self) -> dict[str, Any]:
        """Its name and settings."""
        told: Any = {}
        if callable(getattr(self.family, "describe", None)):
            told = self.family.describe()
        elif is_dataclass(self.family):
            told = {f.name: getattr(self.family, f.name) for f in fields(self.family) if f.init}
        settings = {str(name): _plain(value) for name, value in dict(told).items()}
        return {"name": self.name, "settings": settings}

    def keep(self, X: FloatArray, y: IntArray) -> bool:
        """Let it keep what it needs of the training cases; False if it has to be started for that."""
        keeps = callable(getattr(self.family, "keep", None))
        if keeps:
            self.family.keep(X, y)
        return keeps

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:
        """Parameters to begin with."""
        return self._vector(self.family.start(X, y, rng), "start")

    def random(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:
        """Parameters drawn at random."""
        if not callable(getattr(self.family, "random", None)):
            raise InputError(
                f"{self.name} has no method random(X, y, rng), which start='random' needs; write one, or leave "
                "start out."
            )
        return self._vector(self.family.random(X, y, rng), "random")

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Parameters a step away; those given are not to be changed in place."""
        parameters = parameters.copy()
        return self._vector(self.family.perturb(parameters, rng), "perturb")

    def given(self, parameters: Any) -> FloatArray:
        """Parameters that a caller gives."""
        vector = self._vector(parameters, "start=")
        if self.model is not None and not self.model.fits(vector, self.classes):
            wanted = self.model.wanted(self.classes)
            raise self._trouble("start=", f"must be {wanted}; got {short_repr(vector.tolist())}")
        return vector

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> FloatArray:
        """Cases x classes, each row summing to 1."""
        said = self.family.posteriors(parameters, X)
        try:
            P = np.asarray(said, dtype=np.float64)
        except (TypeError, ValueError):
            raise self._trouble("posteriors", f"must give numbers, got {short_repr(said)}") from None
        if P.shape != (len(X), self.classes):
            wanted = f"{len(X)} cases x {self.classes} classes"
            raise self._trouble("posteriors", f"must give {wanted}, got shape {P.shape}")
        if np.abs(P.sum(axis=1) - 1.0).max() <= SLACK and P.min() >= 0.0:  # false also for nan
            return P
        if not np.isfinite(P).all():
            row = int(np.argmax(~np.isfinite(P).all(axis=1)))
            raise self._trouble("posteriors", f"must give finite numbers, got {P[row].tolist()} for case {row}")
        row = int(np.argmax((P < 0).any(axis=1) | (np.abs(P.sum(axis=1) - 1.0) > SLACK)))
        told = (
            f"must give probabilities that sum to 1, got {P[row].tolist()} (sum {P[row].sum():g}) for case {row}"
        )
        raise self._trouble("posteriors", told)

    def _vector(self, given: Any, method: str) -> FloatArray:
        try:
            vector = np.array(given, dtype=np.float64)
        except (TypeError, ValueError):
            raise self._trouble(method, f"must give a vector of numbers, got {short_repr(given)}") from None
        if vector.ndim != 1 or len(vector) == 0 or not np.isfinite(vector).all():
            raise self._trouble(method, f"must give a vector of finite numbers, got {short_repr(vector.tolist())}")
        if self.size not in (None, len(vector)):
            raise self._trouble(method, f"must give {self.size} parameters, as before, got {len(vector)}")
        self.size = len(vector)
        return vector

    def _trouble(self, method: str, what: str) -> InputError:
        said = "the parameters given as start" if method == "start=" else f"{method} of the family {self.name}"
        return InputError(f"In generation {self.generation}, {said} {what}.")


def _plain(value: Any) -> Any:
    """A setting as JSON has it."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
