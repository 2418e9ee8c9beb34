"""Missing values are refused, or dropped on request and counted; infinity is always refused."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from polyroc._normalise.words import Words
from polyroc.errors import DroppedRowsWarning, InputError, warn
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray

__all__ = ["Missing", "complete_rows"]

Missing = Literal["refuse", "drop"]


def complete_rows(
    codes: CodeArray,
    values: Mapping[str, FloatArray],
    weight: FloatArray | None,
    group: IntArray | None,
    missing: Missing,
    words: Words,
) -> BoolArray | None:
    """The rows to keep, or None if all are complete."""
    if missing not in ("refuse", "drop"):
        raise InputError(f"missing must be 'refuse' or 'drop', got {missing!r}.")
    columns = {words.of(name, len(values)): column for name, column in values.items()}
    if weight is not None:
        columns[words.weight] = weight
    holes = {what: _holes(column, what, words) for what, column in columns.items()}
    holes[words.truth] = codes < 0
    if group is not None:
        holes[words.groups] = group < 0
    found = {what: mask for what, mask in holes.items() if mask is not None and mask.any()}
    return _keep(found, missing, words) if found else None


def _holes(column: FloatArray, what: str, words: Words) -> BoolArray | None:
    """Which rows have a nan; None if all is finite."""
    if np.isfinite(column).all():
        return None
    table = column.reshape(len(column), -1)
    infinite: BoolArray = np.asarray(np.isinf(table).any(axis=1))
    if infinite.any():
        raise InputError(
            f"{what} holds infinity ({words.where(infinite)}) where a finite number was expected; "
            "replace it by a finite number beyond all others."
        )
    return np.asarray(np.isnan(table).any(axis=1))


def _keep(holes: Mapping[str, BoolArray], missing: Missing, words: Words) -> BoolArray:
    lost = np.logical_or.reduce(list(holes.values()))
    if missing == "refuse":
        what, mask = next(iter(holes.items()))
        raise InputError(
            f"{what} has missing values ({words.where(mask)}); {lost.sum()} of {len(lost)} rows are "
            "incomplete. Complete them, or say missing='drop' to leave such rows out."
        )
    if lost.all():
        raise InputError("Every row has a missing value; nothing is left to evaluate.")
    counts = ", ".join(f"{what}: {mask.sum()}" for what, mask in holes.items())
    warn(f"Dropped {lost.sum()} of {len(lost)} rows with missing values ({counts}).", DroppedRowsWarning)
    return np.asarray(~lost)
