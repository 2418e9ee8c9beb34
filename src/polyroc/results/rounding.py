"""Rounding errors taken off, so that values that are equal on paper tie."""

import numpy as np

from polyroc.kernels.arrays import FloatArray

__all__ = ["tidy"]


def tidy(values: FloatArray, scale: FloatArray) -> FloatArray:
    """Each value rounded to the twelfth digit of its scale.

    >>> tidy(np.array([0.1 + 0.2, 0.3]), np.ones(1)).tolist()
    [0.3, 0.3]
    """
    size = np.abs(scale)
    places = 12 - np.ceil(np.log10(np.where(size > 0, size, 1.0)))
    unit = 10.0 ** np.clip(places, -290, 290)
    rounded: FloatArray = np.round(values * unit) / unit
    return rounded
