"""What columns, rows and cases are called in messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyroc.kernels.arrays import BoolArray
from polyroc.validation.arguments import ArgumentNames

__all__ = ["ColumnWords", "columns_named", "shortened"]

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class ColumnWords(ArgumentNames):
    """How validation names the parts of a table: column names, and rows counted from 1, or cases by their name.

    Attributes
    ----------
    columns
        By classifier: the columns that hold its scores, in words.
    name_case
        Says a case's name where several rows make one case; None where a case is a row.
    """

    row: str = "row"
    first: int = 1
    columns: Mapping[str, str] = field(default_factory=dict)
    name_case: Callable[[int], str] | None = None

    def of(self, classifier: str, among: int) -> str:
        """The columns of one classifier; its name too where the columns do not tell."""
        told = self.columns.get(classifier, self.scores)
        alone = among == 1 or len(set(self.columns.values())) == among
        return told if alone else f"{told} (classifier {classifier!r})"

    def where(self, bad: BoolArray) -> str:
        """The first few bad rows, or cases."""
        if self.name_case is None:
            return ArgumentNames(row=self.row, first=self.first).where(bad)
        found = np.flatnonzero(bad)
        shown = ", ".join(self.name_case(i) for i in found[:3].tolist())
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        return f"case{'s' if len(found) > 1 else ''} {shown}{more}"


def columns_named(names: Sequence[str]) -> str:
    """Columns in words.

    >>> columns_named(["p"]), columns_named(["p", "q"])
    ("column 'p'", "columns 'p', 'q'")
    """
    return f"column{'s' if len(names) > 1 else ''} {shortened(names)}"


def shortened(names: Sequence[object]) -> str:
    """The first few of a list, and how many more there are."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(repr(name) for name in names[:_SHOWN]) + more
