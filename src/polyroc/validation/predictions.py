"""What the classifiers said: numbers, one per case or one per class, or decisions given as labels."""

from collections.abc import Hashable, Mapping
from decimal import Decimal
from math import inf, nan
from numbers import Real
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import FloatArray
from polyroc.messages import Option, short_repr
from polyroc.scores import Kind, readable
from polyroc.validation.arrays import Array, as_array, as_columns
from polyroc.validation.class_columns import are_numbers_only, match_columns
from polyroc.validation.labels import Coded, encode, is_missing, renumber
from polyroc.validation.messages import Words

__all__ = ["as_vector", "check_width", "classifier_values"]


def classifier_values(
    y_score: Any, labels: tuple[Hashable, ...], n: int, words: Words
) -> tuple[dict[str, FloatArray], Kind]:
    """Every classifier's scores as floats, all of one kind."""
    given = y_score if isinstance(y_score, Mapping) else {"classifier": y_score}
    if not given:
        raise InputError(f"{words.scores} is an empty mapping; give at least one classifier's scores.")
    found = {
        name: _one_classifier(data, labels, n, words.of(name, len(given)), words)
        for name, data in zip(readable(tuple(given)), given.values(), strict=True)
    }
    kinds: dict[str, Kind] = {name: kind for name, (_, kind) in found.items()}
    if len(set(kinds.values())) > 1:
        told = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise InputError(f"All classifiers must give the same kind of scores, got {told}; evaluate them apart.")
    return {name: values for name, (values, _) in found.items()}, kinds[next(iter(kinds))]


def _one_classifier(
    data: Any, labels: tuple[Hashable, ...], n: int, what: str, words: Words
) -> tuple[FloatArray, Kind]:
    if isinstance(data, Coded):
        _check_length(data.codes, n, what, words)
        return _decisions(data, labels, what, words), "decisions"
    array, columns = as_columns(data, what)
    if array.ndim not in (1, 2):
        raise InputError(
            f"{what} must be 1-D or 2-D (cases x classes), got shape {array.shape}; "
            "pass several classifiers as a mapping.",
        )
    _check_length(array, n, what, words)
    if array.ndim == 2:
        return _floats(_by_class(array, columns, labels, what), what, words), "matrix"
    if _is_text(array):
        return _decisions(encode(array, what), labels, what, words), "decisions"
    return _floats(array, what, words), "score"


def _check_length(array: Array, n: int, what: str, words: Words) -> None:
    if len(array) != n:
        raise InputError(
            f"{words.truth} has {n} cases but {what} has {len(array)}; give one row of scores per case."
        )


def _by_class(array: Array, columns: tuple[str, ...] | None, labels: tuple[Hashable, ...], what: str) -> Array:
    """The columns in the order of the labels."""
    unnamed = columns is None or (are_numbers_only(columns) and set(columns) != set(readable(labels)))
    if columns is not None and not unnamed:
        places = match_columns(columns, labels, what)
        return array if places == list(range(len(places))) else array[:, places]
    check_width(array.shape[1], labels, what)
    return array


def check_width(columns: int, labels: tuple[Hashable, ...], what: str) -> None:
    """Raise an error unless there is one column per class."""
    if columns != len(labels):
        raise InputError(
            f"{what} has {columns} columns but there are {len(labels)} classes "
            f"{short_repr(list(labels))}; give one column per class, and name all classes, also those without "
            "cases, with ",
            Option("labels", [...]),
            ".",
        )


def _is_text(array: Array) -> bool:
    if array.dtype.kind in "UST":
        return True
    return array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.tolist())


def _decisions(said: Coded, labels: tuple[Hashable, ...], what: str, words: Words) -> FloatArray:
    """A matrix with a 1 for the class decided for; nan where none was."""
    trouble = (
        f"which is not one of the classes {short_repr(list(labels))}; give decisions as labels, scores as numbers"
    )
    codes = renumber(encode(said, what), labels, what, trouble, words).codes
    shares = np.zeros((len(codes), len(labels)))
    shares[np.arange(len(codes)), codes] = 1.0
    shares[codes < 0] = nan
    return shares


def _floats(array: Array, what: str, words: Words) -> FloatArray:
    if array.dtype.kind in "biuf":
        with np.errstate(over="ignore"):  # a long double may become infinite, and is then refused as such
            return np.asarray(np.ma.filled(np.asanyarray(array, dtype=np.float64), nan))
    cells = (array.astype(str) if array.dtype.kind in "mM" else array).ravel().tolist()
    numbers = [_number(cell) for cell in cells]
    bad = np.array([number is None for number in numbers])
    if bad.any():
        where = words.where(np.asarray(bad.reshape(len(array), -1).any(axis=1)))
        raise InputError(
            f"{what} must hold numbers, but holds {short_repr(cells[bad.argmax()])} ({where}); turn "
            "it into a number."
        )
    return np.array(numbers, dtype=np.float64).reshape(array.shape)


def _number(cell: Any) -> float | None:
    """The cell as a float, nan if it is missing; None if it is no number, as text is not, even if it reads so."""
    if not isinstance(cell, Real | Decimal | np.bool_):
        return nan if is_missing(cell) else None
    try:
        return float(cell)
    except OverflowError:
        return inf


def as_vector(data: Any, what: str, n: int, words: Words) -> FloatArray:
    """One number per case."""
    array = as_array(data, what)
    if array.shape != (n,):
        raise InputError(
            f"{what} must hold one number per case (shape ({n},)), got shape {array.shape}; give one column."
        )
    return _floats(array, what, words)
