"""Numbers that engines can represent: the scale of weights, and the precision of their sums."""

from collections.abc import Callable, Iterable, Sequence
from math import isfinite, ldexp
from typing import Any

from polyroc.engines.bins import BinnedColumn
from polyroc.validation.weights import SMALLEST_UNSCALED, check_class_weights, check_weight_range, weight_exponent

__all__ = ["check_weight_precision", "checked_exponent", "scaled_expression"]


def checked_exponent(
    smallest: float | None,
    largest: float | None,
    rows: int,
    sums: Callable[[int], Iterable[Sequence[Any]]],
    names: Sequence[str],
    argument: str,
) -> int:
    """Return the `weight_exponent`; an error for weights that memory does not accept either.

    Parameters
    ----------
    smallest, largest, rows
        Of the positive weights.
    sums
        From the exponent to the class code, the cases of positive weight and the sum of their squared weights.
    names, argument
        Of the classes; what the weights are called.
    """
    if largest is None or not isfinite(largest) or largest < 0:
        return 0  # the scan raises an error, or warns of absent cases
    smallest = smallest or largest
    check_weight_range(smallest, largest, argument)
    exponent = weight_exponent(smallest, largest, rows)
    if ldexp(smallest, -exponent) < SMALLEST_UNSCALED:
        of_class = {k: (cases, squares) for k, cases, squares in sums(exponent)}
        cases, squares = zip(*(of_class.get(k, (0, 0.0)) for k in range(len(names))), strict=True)
        check_class_weights(cases, squares, names)
    return exponent


def scaled_expression(expression: str, exponent: int) -> str:
    """The SQL expression of a number divided by 2^exponent, in two steps: 2^1074 is not a double."""
    half = exponent // 2
    return " * ".join(
        [f"({expression})", *(f"{2.0**-power!r}::DOUBLE" for power in (half, exponent - half) if power)]
    )


def check_weight_precision(column: BinnedColumn, names: Sequence[str], advice: str = "") -> None:
    """Raise an error if weights of a class are too small for the unit in which their squares are summed."""
    if column.is_weighted:
        check_class_weights(column.units, column.squared_totals, names, advice)
