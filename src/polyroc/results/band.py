"""Band: where the curve itself may lie."""

from dataclasses import dataclass
from typing import Any, Literal, Self

from polyroc.kernels.arrays import FloatArray
from polyroc.results.numbers import restored, stored

__all__ = ["Band", "BandKind"]

BandKind = Literal["pointwise", "simultaneous"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band:
    """A confidence band around a curve, in the coordinates in which the curve is drawn.

    Attributes
    ----------
    kind
        "pointwise": at any one place the true curve lies inside with probability `level`. "simultaneous": it
        lies inside everywhere at once with probability `level`.
    method
        How it was made, in words.
    level
        The confidence.
    x, low, high
        Where, from and to: the coordinates of `Curve.x` and `Curve.y`.
    """

    kind: BandKind
    method: str
    level: float
    x: FloatArray
    low: FloatArray
    high: FloatArray

    def __repr__(self) -> str:
        return f"Band({self.kind}, {100 * self.level:g} %, {self.method})"

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        ends = {name: stored(getattr(self, name)) for name in ("x", "low", "high")}
        return {"kind": self.kind, "method": self.method, "level": self.level, **ends}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        ends = {name: restored(data[name]) for name in ("x", "low", "high")}
        return cls(data["kind"], data["method"], data["level"], **ends)
