"""What things are called in messages, and how values are shown there."""

from dataclasses import dataclass

import numpy as np

from polyroc.kernels.arrays import BoolArray

__all__ = ["Words"]


@dataclass(frozen=True, slots=True)
class Words:
    """The names of the arguments in messages; a file's reader puts its column names and row numbers here."""

    truth: str = "y_true"
    scores: str = "y_score"
    weight: str = "sample_weight"
    groups: str = "groups"
    row: str = "position"
    first: int = 0

    def of(self, classifier: str, among: int) -> str:
        """What the scores of one classifier among so many are called."""
        return self.scores if among == 1 else f"{self.scores}[{classifier!r}]"

    def where(self, bad: BoolArray) -> str:
        """The first few bad rows, and how many more there are.

        >>> Words().where(np.array([False, True, True]))
        'positions 1, 2'
        """
        found = np.flatnonzero(bad)
        rows = ", ".join(str(i + self.first) for i in found[:3].tolist())
        more = f" and {len(found) - 3} more" if len(found) > 3 else ""
        return f"{self.row}{'s' if len(found) > 1 else ''} {rows}{more}"
