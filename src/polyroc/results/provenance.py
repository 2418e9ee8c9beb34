"""Provenance: what a colleague needs to repeat a number."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from polyroc._version import __version__

__all__ = ["Provenance"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a result comes from.

    Attributes
    ----------
    cases
        Cases of positive weight by class.
    method
        How the standard errors were made.
    weighted, groups, dropped
        Whether there were sample weights; how many groups (None without); how many rows were dropped.
    seed
        The seed of the random numbers, if there were any.
    version
        The version of polyroc.
    """

    cases: Mapping[str, int]
    method: str | None
    weighted: bool = False
    groups: int | None = None
    dropped: int = 0
    seed: int | None = None
    version: str = __version__

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "cases": dict(self.cases)}
