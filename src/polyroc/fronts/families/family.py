"""The protocol of a family of classifiers, and the checks of what a family returns."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.models import Model
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr

__all__ = ["REQUIRED_METHODS", "CheckedFamily", "Family", "is_family"]

REQUIRED_METHODS = ("start", "perturb", "posteriors")
SUM_TOLERANCE = 1e-6  # a row of posteriors may miss a sum of 1 by this much, by rounding


@runtime_checkable
class Family(Protocol):
    """A family of classifiers: any object with these three methods.

    Parameters are a vector of numbers, the same length for all members. A family may store what it needs of the
    training cases when `start` is called: it is called once in every search, also if its result is not used
    (`start="random"`, parameters given by the caller, a resumed search).

    Optional members: `random(X, y, rng)`, parameters drawn at random (for `start="random"`); `keep(X, y)`, called
    first in every search, so that `start`, which may be a long fit, is called only if its result is used; `name`;
    `continuous = True` if any vector of numbers is valid, so that the search may add and scale parameters;
    `perturb_each(vectors, rng)` and `posteriors_of_each(vectors, X)`, which gives vectors x cases x classes, if
    they are faster than one vector at a time;
    `describe()`, the settings as a mapping of plain data, by which a resumed search recognises its family (the
    fields of a dataclass are used by default).
    """

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> Any:
        """Initial parameters, such as those of a fit.

        Parameters
        ----------
        X
            Cases x features.
        y
            The classes of the cases, 0 to Q - 1 in the order of the labels; each has a case.
        rng
            The source of all random numbers, so that the same seed gives the same front.
        """

    def perturb(self, parameters: FloatArray, rng: np.random.Generator) -> Any:
        """Other parameters, a random step away (line 4 of Algorithm 1)."""

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> Any:
        """Cases x classes: the probability of each class.

        The training cases are the very array that `start` received.
        """


def is_family(candidate: object) -> bool:
    """Whether it is an object (not a class) with the three methods."""
    if isinstance(candidate, type):
        return False
    return all(callable(getattr(candidate, name, None)) for name in REQUIRED_METHODS)


@dataclass(slots=True)
class CheckedFamily:
    """A family whose return values are checked; errors name the family, the method and the generation.

    Attributes
    ----------
    family
        The family of the caller.
    classes
        How many classes there are.
    generation
        The present generation.
    size
        The length of the parameter vectors, known after the first.
    """

    family: Any
    classes: int
    generation: int = 0
    size: int | None = None

    @property
    def name(self) -> str:
        """The name of the family, by default that of its class."""
        name = getattr(self.family, "name", None)
        return name if isinstance(name, str) else type(self.family).__name__

    @property
    def model(self) -> Model | None:
        """What its members share, for the built-in families."""
        model = getattr(self.family, "model", None)
        return model if isinstance(model, Model) else None

    @property
    def is_continuous(self) -> bool:
        """Whether the family states that sums of its parameters are parameters."""
        return getattr(self.family, "continuous", False) is True

    def describe(self) -> dict[str, Any]:
        """Name and settings as plain data."""
        settings: Any = {}
        if callable(getattr(self.family, "describe", None)):
            settings = self.family.describe()
        elif is_dataclass(self.family):
            settings = {f.name: getattr(self.family, f.name) for f in fields(self.family) if f.init}
        plain = {str(name): _plain(value) for name, value in dict(settings).items()}
        return {"name": self.name, "settings": plain}

    def keep(self, X: FloatArray, y: IntArray) -> bool:
        """Call `keep` with the training cases; False if the family has no such method."""
        keeps = callable(getattr(self.family, "keep", None))
        if keeps:
            self.family.keep(X, y)
        return keeps

    def start(self, X: FloatArray, y: IntArray, rng: np.random.Generator) -> FloatArray:
        """Initial parameters."""
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
        """Parameters a step away; the family works on a copy, as the parent stays in the archive."""
        return self._vector(self.family.perturb(parameters.copy(), rng), "perturb")

    def perturb_each(self, vectors: FloatArray, rng: np.random.Generator) -> FloatArray:
        """The same for each of several vectors, one a row."""
        if not callable(getattr(self.family, "perturb_each", None)):
            return np.array([self.perturb(vector, rng) for vector in vectors])
        returned = np.asarray(self.family.perturb_each(vectors.copy(), rng), dtype=np.float64)
        if returned.shape != vectors.shape or not np.isfinite(returned).all():
            expected = f"{len(vectors)} vectors of {vectors.shape[1]} finite numbers"
            raise self._error("perturb_each", f"must give {expected}, got {short_repr(returned.tolist())}")
        return returned

    def checked_start(self, parameters: Any) -> FloatArray:
        """Parameters of the caller, or of a front that is resumed."""
        vector = self._vector(parameters, "start=")
        if self.model is not None and not self.model.fits(vector, self.classes):
            expected = self.model.expected(self.classes)
            raise self._error("start=", f"must be {expected}; got {short_repr(vector.tolist())}")
        return vector

    def posteriors(self, parameters: FloatArray, X: FloatArray) -> FloatArray:
        """Cases x classes, each row summing to 1."""
        return self._probabilities(self.family.posteriors(parameters, X), (len(X), self.classes), "posteriors")

    def posteriors_of_each(self, vectors: FloatArray, X: FloatArray) -> FloatArray:
        """Vectors x cases x classes: the posteriors of each vector of parameters."""
        method = "posteriors_of_each"
        if not callable(getattr(self.family, method, None)):
            return np.array([self.posteriors(vector, X) for vector in vectors])
        shape = len(vectors), len(X), self.classes
        return self._probabilities(self.family.posteriors_of_each(vectors, X), shape, method)

    def _probabilities(self, returned: Any, shape: tuple[int, ...], method: str) -> FloatArray:
        """What a method returned, if it has this shape and its last axis sums to 1."""
        try:
            P = np.asarray(returned, dtype=np.float64)
        except (TypeError, ValueError):
            raise self._error(method, f"must give numbers, got {short_repr(returned)}") from None
        if P.shape != shape:
            vectors = f"{shape[0]} vectors x " if len(shape) == 3 else ""
            expected = f"{vectors}{shape[-2]} cases x {shape[-1]} classes"
            raise self._error(method, f"must give {expected}, got shape {P.shape}")
        sums = P.sum(axis=-1)
        if np.abs(sums - 1.0).max() <= SUM_TOLERANCE and P.min() >= 0.0:  # false also for nan
            return P
        bad = ~np.isfinite(P).all(axis=-1)
        if bad.any():
            row = np.unravel_index(int(np.argmax(bad)), bad.shape)
            raise self._error(method, f"must give finite numbers, got {P[row].tolist()} for case {row[-1]}")
        bad = (P < 0).any(axis=-1) | (np.abs(sums - 1.0) > SUM_TOLERANCE)
        row = np.unravel_index(int(np.argmax(bad)), bad.shape)
        got = f"{P[row].tolist()} (sum {sums[row]:g}) for case {row[-1]}"
        raise self._error(method, f"must give probabilities that sum to 1, got {got}")

    def _vector(self, parameters: Any, method: str) -> FloatArray:
        try:
            vector = np.array(parameters, dtype=np.float64)
        except (TypeError, ValueError):
            raise self._error(method, f"must give a vector of numbers, got {short_repr(parameters)}") from None
        if vector.ndim != 1 or len(vector) == 0 or not np.isfinite(vector).all():
            raise self._error(method, f"must give a vector of finite numbers, got {short_repr(vector.tolist())}")
        if self.size not in (None, len(vector)):
            raise self._error(method, f"must give {self.size} parameters, as before, got {len(vector)}")
        self.size = len(vector)
        return vector

    def _error(self, method: str, problem: str) -> InputError:
        source = "the parameters given as start" if method == "start=" else f"{method} of the family {self.name}"
        return InputError(f"In generation {self.generation}, {source} {problem}.")


def _plain(value: Any) -> Any:
    """A setting as JSON represents it."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
