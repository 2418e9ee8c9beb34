"""Surface: what every pair of thresholds does to three classes, as a mesh ready to draw."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.results.estimate import Estimate
from polyroc.results.numbers import restored, stored
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result, number_text

__all__ = ["Mesh", "Surface"]


class Mesh(NamedTuple):
    """A surface of steps: over each cell of a grid the mean height of the surface there.

    Attributes
    ----------
    first, third
        The edges of the cells, from 0 to 1: the correct rate of the first and of the third class.
    second
        At [i, j], the correct rate of the second class that is left, over the cell first[i] .. first[i + 1],
        third[j] .. third[j + 1]; it never rises along either side.
    """

    first: FloatArray
    third: FloatArray
    second: FloatArray

    @property
    def volume(self) -> float:
        """The volume the surface encloses."""
        return float(np.diff(self.first) @ self.second @ np.diff(self.third))

    @property
    def corners(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """First, third and second at the corners of the cells: each height the mean of the cells around it."""
        padded = np.pad(self.second, 1, mode="edge")
        heights = (padded[1:, 1:] + padded[1:, :-1] + padded[:-1, 1:] + padded[:-1, :-1]) / 4.0
        first, third = np.meshgrid(self.first, self.third, indexing="ij")
        return first, third, heights


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Surface(Result):
    """The ROC surface of three classes: how much of the second is left for given rates of the first and third.

    Attributes
    ----------
    classifier
        Whose scores.
    classes
        The names of the first, second and third class.
    mesh
        The surface.
    volume
        What it encloses, with its standard error: the measure whose surface it is.
    """

    classifier: str
    classes: tuple[str, str, str]
    mesh: Mesh
    volume: Estimate

    def __repr__(self) -> str:
        low, high = self.volume.confidence_interval()
        cells = " x ".join(map(str, self.mesh.second.shape))
        volume = f"{self.volume.measure} = {number_text(self.volume.value)}"
        ends = f"95 % {number_text(low)} to {number_text(high)}"
        return f"Surface(of {self.classifier}: {', '.join(self.classes)}, {cells} cells, {volume}, {ends})"

    @property
    def provenance(self) -> Provenance:
        """What is needed to repeat it."""
        return self.volume.provenance

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - a mesh has no intervals
        """One record per cell: its edges and the correct rate of the second class over it."""
        (first, second, third), mesh = self.classes, self.mesh
        return [
            {
                "classifier": self.classifier,
                f"{first} from": mesh.first[i],
                f"{first} to": mesh.first[i + 1],
                f"{third} from": mesh.third[j],
                f"{third} to": mesh.third[j + 1],
                second: mesh.second[i, j],
            }
            for i, j in np.ndindex(*mesh.second.shape)
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "Surface",
            "classifier": self.classifier,
            "classes": list(self.classes),
            "mesh": {name: stored(np.ravel(array)) for name, array in self.mesh._asdict().items()},
            "volume": self.volume.to_dict(level),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        first, third, second = (restored(data["mesh"][name]) for name in Mesh._fields)
        one, two, three = data["classes"]
        return cls(
            classifier=data["classifier"],
            classes=(one, two, three),
            mesh=Mesh(first, third, second.reshape(len(first) - 1, len(third) - 1)),
            volume=Estimate.from_dict(data["volume"]),
        )
