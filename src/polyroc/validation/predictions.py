"""Predictions: scores, one per case or one column per class matched to the classes by name, or decisions."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from math import inf, nan
from numbers import Real
from typing import Any

import numpy as np

from polyroc.errors import InputError, OutOfSpaceError
from polyroc.kernels.arrays import FloatArray
from polyroc.kernels.threads import machine_memory
from polyroc.messages import Option, short_repr
from polyroc.scores import Kind, readable
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import Array, as_array, as_columns
from polyroc.validation.labels import Coded, check_class_count, encode, is_missing, renumber

__all__ = [
    "LARGEST_EXACT",
    "are_numbers_only",
    "as_vector",
    "check_distinct",
    "check_width",
    "classifier_values",
    "equal_doubles_message",
    "match_columns",
    "named_after",
]

LARGEST_EXACT = 2**53  # up to this size every integer is a double


def classifier_values(
    y_score: Any, labels: tuple[Hashable, ...], n: int, arguments: ArgumentNames, stated: bool = False
) -> tuple[dict[str, FloatArray], Kind]:
    """The scores of every classifier as floats, and their kind, which must be the same for all.

    `stated` if the user gave the labels, so that these are classes even if they are as many as cases.
    """
    by_classifier = y_score if isinstance(y_score, Mapping) else {"classifier": y_score}
    if not by_classifier:
        raise InputError(f"{arguments.scores} is an empty mapping; give at least one classifier's scores.")
    predictions = {
        name: _one_classifier(data, labels, n, arguments.of(name, len(by_classifier)), arguments, stated)
        for name, data in zip(readable(tuple(by_classifier)), by_classifier.values(), strict=True)
    }
    kinds: dict[str, Kind] = {name: kind for name, (_, kind) in predictions.items()}
    if len(set(kinds.values())) > 1:
        listed = ", ".join(f"{name}: {kind}" for name, kind in kinds.items())
        raise InputError(
            f"All classifiers must have the same kind of scores, got {listed}; evaluate them separately."
        )
    return {name: values for name, (values, _) in predictions.items()}, kinds[next(iter(kinds))]


def _one_classifier(
    data: Any, labels: tuple[Hashable, ...], n: int, argument: str, arguments: ArgumentNames, stated: bool
) -> tuple[FloatArray, Kind]:
    if isinstance(data, Coded):
        _check_length(data.codes, n, argument, arguments)
        check_class_count(len(labels), None if stated else n, arguments)
        return _decisions(data, labels, argument, arguments), "decisions"
    array, columns = as_columns(data, argument)
    if array.ndim not in (1, 2):
        raise InputError(
            f"{argument} must be 1-D or 2-D (cases x classes), got shape {array.shape}; "
            "pass several classifiers as a mapping.",
        )
    _check_length(array, n, argument, arguments)
    if array.shape[1:] != (len(labels),):
        check_class_count(len(labels), None if stated else n, arguments)
    if array.ndim == 2:
        return _scores(_by_class(array, columns, labels, argument), argument, arguments), "matrix"
    if _is_text(array):
        return _decisions(encode(array, argument), labels, argument, arguments), "decisions"
    return _scores(array, argument, arguments), "score"


def _check_length(array: Array, n: int, argument: str, arguments: ArgumentNames) -> None:
    if len(array) != n:
        raise InputError(
            f"{arguments.truth} has {n} cases but {argument} has {len(array)}; one row of scores per case is "
            "needed."
        )


def _by_class(array: Array, columns: tuple[str, ...] | None, labels: tuple[Hashable, ...], argument: str) -> Array:
    """The columns in the order of the labels."""
    unnamed = columns is None or (are_numbers_only(columns) and set(columns) != set(readable(labels)))
    if columns is not None and not unnamed:
        positions = match_columns(columns, labels, argument)
        return array if positions == list(range(len(positions))) else array[:, positions]
    check_width(array.shape[1], labels, argument)
    return array


def check_width(columns: int, labels: tuple[Hashable, ...], argument: str) -> None:
    """Raise an error unless there is one column per class."""
    if columns != len(labels):
        raise InputError(
            f"{argument} has {columns} columns but there are {len(labels)} classes "
            f"{short_repr(list(labels))}; give one column per class, and name all classes, also those without "
            "cases, with ",
            Option("labels", [...]),
            ".",
        )


def _is_text(array: Array) -> bool:
    if array.dtype.kind in "UST":
        return True
    return array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.tolist())


def _decisions(
    decided: Coded, labels: tuple[Hashable, ...], argument: str, arguments: ArgumentNames
) -> FloatArray:
    """A matrix with a 1 for the class decided for; nan for a missing decision."""
    advice = (
        f"which is not one of the classes {short_repr(list(labels))}; pass decisions as labels, scores as numbers"
    )
    codes = renumber(encode(decided, argument), labels, argument, advice, arguments).codes
    size = len(codes) * len(labels) * 8
    if 2 * size > machine_memory():
        raise OutOfSpaceError(
            f"{len(codes):,} decisions for {len(labels):,} classes take {size / 2**30:.3g} GB, more than half of "
            "the memory of this machine; take a sample of the cases."
        )
    shares = np.zeros((len(codes), len(labels)))
    shares[np.arange(len(codes)), codes] = 1.0
    shares[codes < 0] = nan
    return shares


def _floats(array: Array, argument: str, arguments: ArgumentNames) -> FloatArray:
    if array.dtype.kind in "biuf":
        with np.errstate(over="ignore"):  # a long double may become infinite, which raises an error later
            return np.asarray(np.ma.filled(np.asanyarray(array, dtype=np.float64), nan))
    cells = (array.astype(str) if array.dtype.kind in "mM" else array).ravel().tolist()
    numbers = [_number(cell) for cell in cells]
    bad = np.array([number is None for number in numbers])
    if bad.any():
        where = arguments.where(np.asarray(bad.reshape(len(array), -1).any(axis=1)))
        raise InputError(
            f"{argument} must hold numbers, but holds {short_repr(cells[bad.argmax()])} ({where}); convert "
            "it to a number."
        )
    return np.array(numbers, dtype=np.float64).reshape(array.shape)


def equal_doubles_message(argument: str, one: object, other: object, values: str = "scores") -> str:
    """Return the message for different scores, or labels, that are the same double."""
    remedy = (
        "Subtract a constant that is close to all of them, such as the smallest, while they are exact, or round "
        "them to 15 digits."
        if values == "scores"
        else "Write them as text."
    )
    return (
        f"{argument} holds {one!s} and {other!s}, which double precision cannot distinguish: different {values} "
        f"would become equal. {remedy}"
    )


def check_distinct(numbers: Iterable[Any], argument: str) -> None:
    """Raise an error if different numbers are equal as doubles. This is the rule for numbers of every type.

    >>> check_distinct([2**53 + 1, 2**53 + 3, Decimal("0.1"), 0.1], "y_score")
    >>> check_distinct([2**53, 2**53 + 1], "y_score")
    Traceback (most recent call last):
    ...
    polyroc.errors.InputError: y_score holds 9007199254740992 and 9007199254740993, which double precision ...
    """
    first: dict[float, Any] = {}
    for number in numbers:
        other = first.setdefault(float(number), number)
        # A double beside a decimal stands for the decimals that are rounded to it.
        if other != number and {Decimal, float} != {type(other), type(number)}:
            raise InputError(equal_doubles_message(argument, other, number))


def _scores(array: Array, argument: str, arguments: ArgumentNames) -> FloatArray:
    """Return scores as doubles; an error if different ones become equal."""
    floats = _floats(array, argument, arguments)
    may_be_equal = np.isfinite(floats)
    if array.dtype.kind in "iu":
        may_be_equal &= np.abs(floats) >= LARGEST_EXACT
    elif array.dtype.kind != "O" and array.dtype.itemsize <= floats.itemsize:
        return floats
    if may_be_equal.any():
        check_distinct(np.ma.getdata(array)[may_be_equal].tolist(), argument)
    return floats


def _number(value: Any) -> float | None:
    """The value as a float, nan if it is missing; None if it is not a number (text never is)."""
    if not isinstance(value, Real | Decimal | np.bool_):
        return nan if is_missing(value) else None
    try:
        return float(value)
    except OverflowError:
        return inf


def as_vector(data: Any, argument: str, n: int, arguments: ArgumentNames) -> FloatArray:
    """One number per case."""
    array = as_array(data, argument)
    if array.shape != (n,):
        raise InputError(
            f"{argument} must hold one number per case (shape ({n},)), got shape {array.shape}; give one column."
        )
    return _floats(array, argument, arguments)


def match_columns(columns: Sequence[str], labels: Sequence[Hashable], argument: str) -> list[int]:
    """The position of each label's column, by name; the names may share a prefix and a suffix.

    >>> match_columns(["p_b", "p_a"], ["a", "b"], "y_score")
    [1, 0]
    """
    positions = {column: i for i, column in enumerate(columns)}
    expected = _expected(columns, labels)
    if positions.keys() == set(expected):
        return [positions[name] for name in expected]
    surplus = [column for column in columns if column not in expected]
    lacking = [label for name, label in zip(expected, labels, strict=True) if name not in positions]
    problems = [f"column {short_repr(column)} belongs to no class" for column in surplus[:1]]
    problems += [f"class {short_repr(label)} has no column" for label in lacking[:1]]
    raise InputError(
        f"The columns {short_repr(list(columns))} of {argument} do not match the classes "
        f"{short_repr(list(labels))}: {' and '.join(problems)}. ",
        *_which_columns(argument),
        ", or name every class with ",
        Option("labels", [...]),
        *(_several_classifiers(argument) if len(lacking) == len(labels) else ()),
        ".",
    )


def _which_columns(argument: str) -> tuple[str | Option, ...]:
    """How to say which columns hold the predictions; of a file, all but those of other options are taken."""
    if argument == "y_score":
        return ("Name the columns after the classes",)
    return "Choose the columns of the predictions with ", Option("scores", ...)


def _several_classifiers(argument: str) -> tuple[str | Option, ...]:
    """What to do if no column is named after a class: each may be the score of another classifier."""
    if argument == "y_score":
        return ("; give scores of several classifiers as a dict, {'NAME': column, ...}",)
    return "; for scores of several classifiers, use ", Option("scores", {"NAME": ...})


def named_after(columns: Sequence[str], labels: Sequence[Hashable]) -> bool:
    """True if most columns are named after classes, so that they must be matched by name, not by order.

    >>> named_after(["p_a", "p_c", "p_x"], "abc"), named_after(["first", "second", "third"], "abc")
    (True, False)
    """
    return 2 * len(set(columns) & set(_expected(columns, labels))) > len(columns)


def _expected(columns: Sequence[str], labels: Sequence[Hashable]) -> list[str]:
    """The names that the columns should have, in the order of the labels."""
    spellings = dict.fromkeys((readable(tuple(labels)), readable(tuple(_as_integer(label) for label in labels))))
    candidates = [_with_affixes(names, columns) for names in spellings]
    return max(candidates, key=lambda names: len(set(columns) & set(names)))


def _as_integer(label: Hashable) -> Hashable:
    """A whole float as an integer: missing values turn a column of integers into floats."""
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _with_affixes(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The names with the prefix and suffix that most columns add to one of them."""
    bare = len(set(names) & set(columns))
    if bare == len(columns):
        return list(names)
    affixes = Counter({("", ""): bare})
    affixes.update(
        (column[:start], column[start + len(name) :])
        for name in names
        for column in columns
        if name in column and name != column
        for start in range(len(column) + 1)
        if column.startswith(name, start)
    )
    (prefix, suffix), _ = affixes.most_common(1)[0]
    return [prefix + name + suffix for name in names]


def are_numbers_only(columns: Sequence[str]) -> bool:
    """True if the columns have only the numbers that pandas and Polars give to the columns of an array."""
    return any(list(columns) == [f"{prefix}{i}" for i in range(len(columns))] for prefix in ("", "column_"))
