"""Weights where cases are counted exactly: whole numbers."""

from typing import Any

import numpy as np

from polyroc._normalise.values import as_vector
from polyroc._normalise.words import Words, shown
from polyroc.errors import InputError
from polyroc.kernels.arrays import IntArray

__all__ = ["as_counts"]


def as_counts(sample_weight: Any, n: int) -> IntArray:
    """How many cases each of n rows stands for; one each if nothing is given.

    >>> as_counts([2, 0, 1.0], 3).tolist(), as_counts(None, 2).tolist()
    ([2, 0, 1], [1, 1])
    """
    if sample_weight is None:
        return np.ones(n, dtype=np.int64)
    weight = as_vector(sample_weight, "sample_weight", n, Words())
    broken = ~((weight >= 0) & (weight == np.floor(weight)) & (weight < 2**53))
    if broken.any():
        raise InputError(
            "sample_weight must hold whole numbers, 0 or more, for a front, which counts cases exactly; got "
            f"{shown(weight[broken].tolist()[0])}. Rates do not depend on their scale, so "
            "np.rint(1000 * sample_weight) may serve."
        )
    if not weight.any() or weight.sum() >= 2**53:
        raise InputError(f"sample_weight must add up to 1 or more, and less than 2^53, got {weight.sum():g}.")
    return weight.astype(np.int64)
