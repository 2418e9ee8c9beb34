"""Search: how an evolved front was found, and all that is needed to go on with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from polyroc.fronts.models import Model, kind_of, model_from
from polyroc.kernels.arrays import FloatArray, IntArray

__all__ = ["Search"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Search:
    """The evolution behind a front.

    Attributes
    ----------
    family
        The family of classifiers and its settings, as plain data.
    options
        How it was searched: costs per generation, selection, objectives, alpha, bounds.
    data
        A digest of the cases it was searched on.
    generations
        How many there were.
    models
        Parameter vectors x parameters: those that points of the front have.
    place, generation
        For each point, its row in `models`, and the generation it was found in; 0 is the start.
    state
        Of the random numbers, after the last generation.
    interrupted
        True if it was broken off before all generations that were asked for.
    model
        What points share, for polyroc's own families; None for others.
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
        return {**own, **{f"model_{name}": each for name, each in shared.items()}}

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """What `header` and `arrays` gave, put together again."""
        prefix = "model_"
        shared = {name.removeprefix(prefix): each for name, each in arrays.items() if name.startswith(prefix)}
        models = np.asarray(arrays["models"], dtype=np.float64)
        found = {name: header[name] for name in ("family", "options", "data", "generations", "state")}
        return cls(
            **found,
            models=models.reshape(len(models), -1),
            place=np.asarray(arrays["place"], dtype=np.int64),
            generation=np.asarray(arrays["generation"], dtype=np.int64),
            interrupted=bool(header["interrupted"]),
            model=None if header["model"] is None else model_from(header["model"], shared),
        )
