"""Which member of the archive becomes a parent."""

from typing import Literal, get_args

import numpy as np

from polyroc.errors import InputError
from polyroc.fronts.archive import Archive

__all__ = ["Selection", "checked_selection", "select"]

Selection = Literal["pqrs", "uniform"]
INTERVALS = 50  # into which the archive's range on an objective is cut


def checked_selection(selection: Selection) -> Selection:
    """The same, if there is such a selection."""
    if selection not in get_args(Selection):
        raise InputError(f"selection must be one of {', '.join(get_args(Selection))}, got {selection!r}.")
    return selection


def select(archive: Archive, selection: Selection, rng: np.random.Generator) -> int:
    """The slot of a member.

    "uniform": each is as likely. "pqrs", partitioned quasi-random selection: an objective is drawn, the archive's
    range on it is cut into intervals of equal width, one of those that are not empty is drawn, and a member of it,
    so that crowds of similar members are not favoured.

    References
    ----------
    Fieldsend, Everson & Singh, IEEE Transactions on Evolutionary Computation 7 (2003) 305-323.
    """
    if selection == "uniform":
        return archive.slot(int(rng.integers(len(archive))))
    values = archive.objective(int(rng.integers(archive.objectives)))
    low, high = values.min(), values.max()
    width = max(float(high - low), 1.0)
    interval = np.minimum(((values - low) * (INTERVALS / width)).astype(np.int64), INTERVALS - 1)
    filled = np.flatnonzero(np.bincount(interval, minlength=INTERVALS))
    members = np.flatnonzero(interval == filled[rng.integers(len(filled))])
    return archive.slot(int(members[rng.integers(len(members))]))
