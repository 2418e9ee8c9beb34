"""Features: one row of numbers per case."""

from typing import Any

import numpy as np

from polyroc._normalise.frames import as_columns
from polyroc._normalise.words import Words, shown
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray

__all__ = ["as_features"]


def as_features(X: Any, what: str = "X", columns: int | None = None) -> FloatArray:
    """Cases x features as a new array of finite numbers, with so many columns if that is known.

    >>> as_features([1, 2]).tolist()
    [[1.0], [2.0]]
    """
    given, _ = as_columns(X, what)
    try:
        features = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(
            f"{what} must hold numbers, cases x features, got {shown(X)}; code text as numbers."
        ) from None
    features = features[:, None] if features.ndim == 1 else features
    if features.ndim != 2 or features.shape[1] == 0:
        raise InputError(f"{what} must be cases x features, got shape {features.shape}.")
    holes = np.ma.getmaskarray(given).reshape(features.shape)
    bad = np.asarray((holes | ~np.isfinite(features)).any(axis=1))
    if bad.any():
        where = Words().where(bad)
        raise InputError(
            f"{what} must hold finite numbers; not so at {where}. Leave these cases out, or fill gaps."
        )
    if columns not in (None, features.shape[1]):
        raise InputError(
            f"{what} must have {columns} features, as the training cases had, got {features.shape[1]}."
        )
    return features
