"""DecisionRegions: what is decided where, over two features."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.results.result import SCHEMA, Result

__all__ = ["DecisionRegions"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecisionRegions(Result):
    """The decisions of a classifier over a grid of two features, and for the cases.

    Attributes
    ----------
    classes
        The names of the classes.
    features
        The names of the two features.
    across, up
        The places of the grid along the first and the second feature, evenly spaced.
    regions
        At [i, j], the class decided for at (across[j], up[i]), as a position in `classes`.
    cases
        Cases x 2: where they are.
    truth, said
        The true class of each case, and the one decided for, as positions in `classes`.
    """

    classes: tuple[str, ...]
    features: tuple[str, str]
    across: FloatArray
    up: FloatArray
    regions: IntArray
    cases: FloatArray
    truth: IntArray
    said: IntArray

    @property
    def errors(self) -> int:
        """How many cases are decided wrongly."""
        return int((self.truth != self.said).sum())

    def __repr__(self) -> str:
        return (
            f"DecisionRegions({' and '.join(self.features)}: {', '.join(self.classes)}; {self.errors} of "
            f"{len(self.truth)} cases decided wrongly)"
        )

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - there are no intervals
        """One record per case."""
        columns = zip(self.cases.tolist(), self.truth.tolist(), self.said.tolist(), strict=True)
        return [
            {
                self.features[0]: x,
                self.features[1]: y,
                "true": self.classes[true],
                "said": self.classes[said],
            }
            for (x, y), true, said in columns
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002 - there are no intervals
        """Plain data for JSON."""
        arrays = ("across", "up", "regions", "cases", "truth", "said")
        return {
            "schema": SCHEMA,
            "kind": "DecisionRegions",
            "classes": list(self.classes),
            "features": list(self.features),
            **{name: getattr(self, name).tolist() for name in arrays},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        first, second = data["features"]
        return cls(
            classes=tuple(data["classes"]),
            features=(first, second),
            across=np.array(data["across"], dtype=np.float64),
            up=np.array(data["up"], dtype=np.float64),
            regions=np.array(data["regions"], dtype=np.int64),
            cases=np.array(data["cases"], dtype=np.float64).reshape(-1, 2),
            truth=np.array(data["truth"], dtype=np.int64),
            said=np.array(data["said"], dtype=np.int64),
        )
