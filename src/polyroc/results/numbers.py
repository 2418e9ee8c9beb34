"""Arrays of numbers for JSON, which knows no nan and no infinity."""

from collections.abc import Sequence
from math import inf, isfinite, isnan, nan

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = ["restored", "stored"]


def stored(values: FloatArray) -> list[float | str | None]:
    """The numbers as a list: nan as None, infinity as text.

    >>> stored(np.array([np.inf, 0.5, np.nan]))
    ['inf', 0.5, None]
    """
    return [v if isfinite(v) else None if isnan(v) else str(v) for v in values.tolist()]


def restored(values: Sequence[float | str | None]) -> FloatArray:
    """What `stored` wrote, read back."""
    special = {None: nan, "inf": inf, "-inf": -inf}
    return np.array([special[v] if v is None or isinstance(v, str) else v for v in values], dtype=np.float64)
