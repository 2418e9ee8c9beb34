"""FrontVolumes: what each of several fronts dominates, and what it dominates that another does not."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result, number_text
from polyroc.results.volume import Volume

__all__ = ["FrontVolumes"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FrontVolumes(Result):
    """G of each of several fronts and delta of each two, all counted on the same random points.

    Attributes
    ----------
    fronts
        The names of the fronts, in the order of rows and columns.
    sizes
        How many operating points each has.
    shares
        At [a, a] the generalised Gini coefficient G(A), at [a, b] the exclusively dominated volume delta(A, B):
        shares of the region below random allocation.
    classes
        How many classes there are.
    n_points
        How many random points; None if all is exact.
    provenance
        What is needed to repeat it; the cases of each class if the fronts have the same.
    """

    fronts: tuple[str, ...]
    sizes: tuple[int, ...]
    shares: FloatArray
    classes: int
    n_points: int | None
    provenance: Provenance

    def gini(self, front: str) -> Volume:
        """The generalised Gini coefficient of a front."""
        return self._volume(front, front)

    def exclusive(self, front: str, against: str) -> Volume:
        """What the first front dominates and the second does not; zero for a front against itself."""
        return Volume(0.0, self.n_points) if front == against else self._volume(front, against)

    def _volume(self, front: str, against: str) -> Volume:
        places = []
        for name in (front, against):
            if name not in self.fronts:
                raise InputError(f"There is no front {name!r}; there are {', '.join(map(repr, self.fronts))}.")
            places.append(self.fronts.index(name))
        return Volume(float(self.shares[places[0], places[1]]), self.n_points)

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {number_text(self.gini(name))}" for name in self.fronts)
        how = "exact" if self.n_points is None else f"{self.n_points} points"
        return f"FrontVolumes(G: {told}; {how})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record for each G (against nothing), and one for each delta; the errors are of the points alone."""
        return [
            {
                "front": name,
                "against": None if against == name else against,
                "points_of_front": size,
                "measure": "G" if against == name else "delta",
                "value": volume.value,
                "standard_error": volume.standard_error,
                "low": volume.confidence_interval(level).low,
                "high": volume.confidence_interval(level).high,
                "level": level,
                "n_points": self.n_points,
            }
            for name, size in zip(self.fronts, self.sizes, strict=True)
            for against in (name, *(other for other in self.fronts if other != name))
            for volume in [self._volume(name, against)]
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002 - intervals follow from n_points
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "FrontVolumes",
            "fronts": list(self.fronts),
            "sizes": list(self.sizes),
            "shares": self.shares.tolist(),
            "classes": self.classes,
            "n_points": self.n_points,
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        return cls(
            fronts=tuple(data["fronts"]),
            sizes=tuple(data["sizes"]),
            shares=np.array(data["shares"], dtype=np.float64),
            classes=data["classes"],
            n_points=data["n_points"],
            provenance=Provenance(**data["provenance"]),
        )
