"""What must hold of the fields of a stored result, beyond their types; checked when data are read.

A record states it in a method `_invariants`, which yields pairs: whether it holds, and the sentence that says what
must. Results that are computed are not checked, as their code makes sure of it. nan passes wherever a number may
be undefined.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray

__all__ = [
    "LARGEST",
    "Invariants",
    "ascending",
    "at_least",
    "check_invariants",
    "distinct",
    "finite",
    "is_covariance",
    "ordered",
    "shares",
    "within",
]

Invariants = Iterator[tuple[bool, str]]
LARGEST = 1e100  # of a count, cost or standard error: its square, and a product with another's, are finite
ROUNDING = 1e-9  # of what was computed from rounded numbers, such as a value at the end of its range


def check_invariants(record: Any, where: str) -> None:
    """Raise an error for the first invariant of a record that does not hold."""
    if not hasattr(record, "_invariants"):
        return
    for holds, sentence in record._invariants():
        if not holds:
            raise InputError(f"{where}: {sentence}; the stored data are damaged.")


def at_least(values: Any, low: float) -> bool:
    """Return True if no number is smaller, and none but infinity beyond `LARGEST`."""
    array = np.asarray(values, dtype=np.float64)
    return not ((array < low) | ((array > LARGEST) & (array < np.inf))).any()


def within(values: Any, low: float, high: float) -> bool:
    """Return True if all numbers are in a range, up to rounding."""
    array = np.asarray(values, dtype=np.float64)
    return not ((array < low - ROUNDING) | (array > high + ROUNDING)).any()


def shares(values: Any) -> bool:
    """Return True if all numbers are from 0 to 1, up to rounding."""
    return within(values, 0.0, 1.0)


def finite(values: Any) -> bool:
    """Return True if no number is nan or infinite."""
    return bool(np.isfinite(np.asarray(values, dtype=np.float64)).all())


def ascending(values: Any, rounding: float = 0.0) -> bool:
    """Return True if no number is smaller than the one before, up to rounding."""
    array = np.asarray(values, dtype=np.float64)
    return not (array[1:] < array[:-1] - rounding).any()


def ordered(*values: float) -> bool:
    """Return True if numbers do not fall, up to rounding."""
    return ascending(values, ROUNDING)


def distinct(values: Sequence[Any] | Collection[Any]) -> bool:
    """Return True if no value occurs twice."""
    return len(set(values)) == len(values)


def is_covariance(matrix: Any, undefined: BoolArray) -> bool:
    """Return True for a symmetric matrix without negative variances, but for undefined ones; nan passes."""
    size = len(undefined)
    if matrix.shape != (size, size) or not np.allclose(matrix, matrix.T, rtol=1e-6, atol=1e-12, equal_nan=True):
        return False
    return at_least(np.diagonal(matrix)[~undefined], 0.0)
