"""Search: how a front was searched for, and the state from which the search can be resumed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from polyroc.fronts.models import Model, kind_of, model_from
from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["Search"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Search:
    """The search behind the front of a family.

    Attributes
    ----------
    family
        The name and settings of the family, as plain data.
    options
        The options of the search: costs per generation, selection, objectives, alpha, bounds.
    data
        A hash of the cases it ran on.
    generations
        How many generations it ran.
    models
        Parameter vectors x parameters: those of the points of the front, each once.
    place, generation
        For each point, its row in `models`, and the generation it was found in; 0 is the start.
    state
        State of the random number generator after the last generation.
    interrupted
        True if it ended before the number of generations requested.
    model
        What the points share, for built-in families; None for others.
    """

    family: Mapping[str, Any]
    options: Mapping[str, Any]
    data: str
    generations: int
    models: FloatArray
    place: IntArray
    generation: IntArray
    state: Mapping[str, Any]
    interrupted: bool = False
    model: Model | None = None

    def __repr__(self) -> str:
        broken = ", interrupted" if self.interrupted else ""
        return f"Search({self.generations} generations of {self.family.get('name', 'a family')}{broken})"

    def fits(self, points: int, classes: int) -> bool:
        """Whether there are parameters for so many points, valid for the model and this number of classes."""
        if not len(self.place) == len(self.generation) == points or self.models.ndim != 2:
            return False
        if not (self.place.min() >= 0 and self.place.max() < len(self.models)):
            return False
        if not (self.generation.min() >= 0 and self.generation.max() <= self.generations):
            return False
        model = self.model
        return model is None or all(model.fits(parameters, classes) for parameters in self.models)

    def header(self) -> dict[str, Any]:
        """All but the arrays, as plain data."""
        return {
            "family": dict(self.family),
            "options": dict(self.options),
            "data": self.data,
            "generations": self.generations,
            "state": dict(self.state),
            "interrupted": self.interrupted,
            "model": None if self.model is None else kind_of(self.model),
        }

    def arrays(self) -> dict[str, Any]:
        """The arrays, by the name they are stored under."""
        shared = {} if self.model is None else self.model.arrays()
        own = {"models": self.models, "place": self.place, "generation": self.generation}
        return {**own, **{f"model_{name}": array for name, array in shared.items()}}

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """A search from its `header` and `arrays`."""
        prefix = "model_"
        shared = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        models = np.asarray(arrays["models"], dtype=np.float64)
        plain = {name: header[name] for name in ("family", "options", "data", "generations", "state")}
        return cls(
            **plain,
            models=models.reshape(len(models), -1),
            place=np.asarray(arrays["place"], dtype=np.int64),
            generation=np.asarray(arrays["generation"], dtype=np.int64),
            interrupted=bool(header["interrupted"]),
            model=None if header["model"] is None else model_from(header["model"], shared),
        )
