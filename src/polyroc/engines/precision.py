"""Numbers that engines can represent: the scale of weights, and the precision of their sums."""

from collections.abc import Sequence
from math import frexp, isfinite

import numpy as np

from polyroc.engines.bins import BinnedColumn
from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.bins import FRACTION_BITS
from polyroc.validation.scores import check_weight_range

__all__ = [
    "LARGEST_WEIGHT",
    "WEIGHT_UNIT",
    "check_weight_precision",
    "checked_exponent",
    "scaled_expression",
    "scaled_weights",
    "weight_exponent",
]

LARGEST_WEIGHT = 2.0**25  # so that the whole part of a square and its fraction of 52 bits fit in integers
SMALLEST_UNSCALED = 2.0**-10  # of the largest weight: the squares of smaller ones would lose digits
WEIGHT_UNIT = 2.0**-FRACTION_BITS  # weights and their squares are rounded down to multiples of this
LARGEST_LOSS = 1e-3  # of a sum of squared weights by this rounding; a standard error changes by half of it


def weight_exponent(largest: float | None) -> int:
    """The power of two by which weights are divided before they are summed; 0 for those of an ordinary size.

    Only ratios of weights matter, and division by a power of two is exact.

    >>> weight_exponent(3.0), weight_exponent(1e-8), weight_exponent(1e30)
    (0, -26, 100)
    """
    if largest is None or not isfinite(largest) or not largest > 0:
        return 0  # the scan raises an error, or warns of absent cases
    return 0 if SMALLEST_UNSCALED <= largest <= LARGEST_WEIGHT else frexp(largest)[1]


def checked_exponent(smallest: float | None, largest: float | None, argument: str) -> int:
    """Return the `weight_exponent`; an error for weights that memory does not accept either."""
    if largest is not None and isfinite(largest):  # else the scan says why
        check_weight_range(smallest or largest, largest, argument)
    return weight_exponent(largest)


def scaled_weights(weight: FloatArray | None) -> FloatArray | None:
    """Weights in memory, divided by 2^weight_exponent."""
    if weight is None or not len(weight):
        return weight
    exponent = weight_exponent(float(weight.max()))
    return np.ldexp(weight, -exponent) if exponent else weight


def scaled_expression(expression: str, exponent: int) -> str:
    """The SQL expression of a number divided by 2^exponent, in two steps: 2^1074 is not a double."""
    half = exponent // 2
    return " * ".join(
        [f"({expression})", *(f"{2.0**-power!r}::DOUBLE" for power in (half, exponent - half) if power)]
    )


def check_weight_precision(column: BinnedColumn, names: Sequence[str], advice: str) -> None:
    """Raise an error if weights of a class are too small for the unit in which their squares are summed."""
    if not column.is_weighted:
        return
    squares = column.squared_totals
    lost = column.units * WEIGHT_UNIT > LARGEST_LOSS * squares
    if lost.any():
        k = int(np.argmax(lost))
        raise InputError(
            f"The weights of class {names[k]!r} are too small (their sum is {column.totals[k]:.3g} for "
            f"{column.units[k]} cases): squared weights are summed in units of 2^-{FRACTION_BITS}. {advice}"
        )
