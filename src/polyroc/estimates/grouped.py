"""Grouped: one result per group of cases."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from polyroc.estimates.comparison import Comparison
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.evaluation import Evaluation
from polyroc.results.result import Result

__all__ = ["Grouped"]

Group = tuple[Hashable, ...]
Found = Estimate | Evaluation | Comparison


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Grouped(Result, Mapping[Group, Found]):
    """The same question asked of each group: AUC per country per day.

    Attributes
    ----------
    by
        The columns that make the groups.
    groups
        By the values of these columns: what was found there.
    """

    by: tuple[str, ...]
    groups: Mapping[Group, Found]

    def __getitem__(self, key: Hashable) -> Found:
        """What was found for a group, by the value of its column or the values of its columns."""
        return self.groups[key if isinstance(key, tuple) else (key,)]

    def __iter__(self) -> Iterator[Group]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def __repr__(self) -> str:
        return f"Grouped({len(self)} groups by {', '.join(self.by)})"

    def rows(self, level: float = 0.95) -> list[dict[str, Any]]:
        """One record per group, classifier and measure, or per pair compared; the group's columns first."""
        return [
            {**dict(zip(self.by, group, strict=True)), **row}
            for group, found in self.groups.items()
            for row in ([found.row(level)] if isinstance(found, Estimate) else found.rows(level))
        ]


def _plain(value: Hashable) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)
