"""Certificate: what an engine vouches for, and what it took."""

from dataclasses import asdict, dataclass
from typing import Any, Self

__all__ = ["Certificate"]


@dataclass(frozen=True, slots=True)
class Certificate:
    """The interval that surely holds the exact value of an estimate made from tallies.

    The value is bounded: scores that fell into one cell are given every order there can be. The standard error is
    estimated, from components that are exact but for the order inside cells.

    Attributes
    ----------
    low, high
        The bounds, rounding included.
    passes, rows, bytes
        How often the data were read, how many rows were, and how many bytes the files have (None if unknown).
    error_within
        By how much at most the order inside cells changes the standard error; nan if that is not known.
    error_is_bound
        True if the standard error is the largest there can be, from the columns' own errors (Cauchy & Schwarz),
        because the rows were not scanned again for the covariance of the columns.
    """

    low: float
    high: float
    passes: int
    rows: int
    bytes: int | None = None
    error_within: float = float("nan")
    error_is_bound: bool = False

    @property
    def width(self) -> float:
        """How far apart the bounds are."""
        return self.high - self.low

    def row(self) -> dict[str, Any]:
        """What a table shows of it."""
        return {"bound_low": self.low, "bound_high": self.high, "passes": self.passes}

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON, which knows no nan."""
        return {name: None if value != value else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` wrote, read back."""
        told: dict[str, Any] = {
            name: float("nan") if value is None and name != "bytes" else value for name, value in data.items()
        }
        return cls(**told)
