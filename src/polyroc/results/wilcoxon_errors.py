"""WilcoxonErrors: how SE(W) falls with the size of a test set."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from polyroc.kernels.arrays import FloatArray
from polyroc.results.provenance import Provenance
from polyroc.results.result import SCHEMA, Result, number_text

__all__ = ["WilcoxonErrors"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WilcoxonErrors(Result):
    """SE(W) by area and size, as in Bradley's (1997) figure 15.

    Attributes
    ----------
    areas
        Areas under the ROC curve.
    positives, negatives
        Cases of a test set, size by size.
    errors
        Areas x sizes.
    assumes
        What has to be so for the errors to hold.
    provenance
        Method, version.
    """

    areas: tuple[float, ...]
    positives: tuple[float, ...]
    negatives: tuple[float, ...]
    errors: FloatArray
    assumes: str
    provenance: Provenance

    def __repr__(self) -> str:
        ends = f"{self.positives[0]:g} to {self.positives[-1]:g} positives"
        each = zip(self.areas, self.errors, strict=True)
        shown = "; ".join(f"{area:g}: {number_text(e[0])} to {number_text(e[-1])}" for area, e in each)
        return f"WilcoxonErrors({ends}; {shown})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:  # noqa: ARG002 - no interval here
        """One record per area and size."""
        return [
            {"area": area, "positives": n, "negatives": m, "wilcoxon_error": error}
            for area, errors in zip(self.areas, self.errors.tolist(), strict=True)
            for n, m, error in zip(self.positives, self.negatives, errors, strict=True)
        ]

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:  # noqa: ARG002 - no interval here
        """Plain data for JSON."""
        return {
            "schema": SCHEMA,
            "kind": "WilcoxonErrors",
            "areas": list(self.areas),
            "positives": list(self.positives),
            "negatives": list(self.negatives),
            "errors": self.errors.tolist(),
            "assumes": self.assumes,
            "provenance": self.provenance.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        data = cls._checked(data)
        areas, positives, negatives = (tuple(data[name]) for name in ("areas", "positives", "negatives"))
        errors, provenance = np.array(data["errors"]), Provenance(**data["provenance"])
        return cls(areas, positives, negatives, errors, data["assumes"], provenance)
