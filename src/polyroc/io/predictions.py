"""Predictions in a table: numbers, columns per class or decisions; labels matched to a column by their text."""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.io.columns import ScoreColumns, TableNames, columns_text
from polyroc.io.csv_files import number_remedy
from polyroc.io.table import Table
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.messages import Message, Option, short_repr
from polyroc.validation.labels import Coded
from polyroc.validation.predictions import match_columns, named_after

__all__ = [
    "Predictions",
    "class_columns",
    "matching_label",
    "matching_labels",
    "number_column",
    "predictions_of",
]


_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def matching_labels(labels: Sequence[Hashable] | None, present: Sequence[Hashable]) -> tuple[Hashable, ...] | None:
    """The labels, each of the type that the column holds.

    >>> matching_labels(["2", "1"], [1, 2])
    (2, 1)
    """
    if labels is None:
        return None
    if isinstance(labels, str | Set | Mapping) or not isinstance(labels, Iterable):
        raise InputError(
            f"labels must be a list of the classes in order, got {short_repr(labels)}; use ",
            Option("labels", [...]),
            ".",
        )
    requested = labels.tolist() if isinstance(labels, np.ndarray) else labels
    return tuple(matching_label(label, present) for label in requested)


def matching_label(label: Hashable, present: Sequence[Hashable]) -> Hashable:
    """The label itself if the column holds it, otherwise the label of the column's type with the same text.

    >>> matching_label("1", [0, 1]), matching_label("true", [False, True])
    (1, True)
    >>> matching_label(1, ["0", "1"]), matching_label("x", [0, 1])
    ('1', 'x')
    """
    if label is None or not present or label in present:
        return label
    kinds = {type(value) for value in present}
    if kinds == {str}:
        return str(label)
    if not isinstance(label, str):
        return label
    if kinds == {bool}:
        return _BOOLEANS.get(label.strip().lower(), label)
    try:
        return int(label) if kinds == {int} else float(label)
    except ValueError:
        return label


class Predictions(NamedTuple):
    """The values of one classifier, one row per row of the table, and their columns as text for messages."""

    values: FloatArray | Coded
    columns_text: str


def predictions_of(
    table: Table, columns: ScoreColumns, labels: tuple[Hashable, ...], in_order: bool
) -> Predictions:
    """The values of one classifier; `in_order` if the user gave the labels, so that their order counts."""
    if len(columns.names) == 1:
        return Predictions(_score_or_decisions(table, columns.names[0], labels), columns_text(columns.names))
    names = class_columns(table.source.name, columns, labels, in_order)
    matrix = np.empty((table.rows, len(names)))
    for j, name in enumerate(names):
        matrix[:, j] = number_column(table, name)
    bad = [name for j, name in enumerate(names) if not np.isfinite(matrix[:, j]).all()]
    return Predictions(matrix, columns_text(bad or names))


def number_column(table: Table, name: str) -> FloatArray:
    """A column of numbers; true and false are 1 and 0."""
    values, bad = table.numbers(name)
    if bad is None:
        return values
    booleans = _booleans(table, name)
    if booleans is not None:
        return booleans
    raise InputError(f"column {name!r} must hold numbers, but ", _content_message(table, name, bad, ()))


def _score_or_decisions(table: Table, name: str, labels: tuple[Hashable, ...]) -> FloatArray | Coded:
    values, bad = table.numbers(name)
    if bad is None:
        return values
    decisions = _decisions(table, name, labels)
    if decisions is not None:
        return decisions
    booleans = _booleans(table, name)
    if booleans is not None:
        return booleans
    raise InputError(
        f"column {name!r} must hold numbers, or decisions for the classes {list(labels)!r}, but ",
        _content_message(table, name, bad, labels),
    )


def _decisions(table: Table, name: str, labels: tuple[Hashable, ...]) -> Coded | None:
    """Decisions for the classes; None if the column holds anything else."""
    table.reread(name)
    if table.count(name) > len(labels):
        return None
    coded = table.coded(name)
    return coded if set(coded.labels) <= {label for label in labels if isinstance(label, str)} else None


def _booleans(table: Table, name: str) -> FloatArray | None:
    """A column of true and false as numbers; None if it holds anything else."""
    table.reread(name)
    if table.count(name) > 2:
        return None
    codes, labels = table.coded(name)
    if not all(isinstance(label, bool) for label in labels):
        return None
    return np.array([*labels, np.nan], dtype=np.float64)[codes]


def _content_message(table: Table, name: str, bad: BoolArray, labels: Sequence[Hashable]) -> Message:
    odd = table.odd(name, [str(label) for label in labels])
    bad = odd if odd.any() else bad
    value = table.cell(name, int(np.argmax(bad)))
    remedy = number_remedy(str(value), table.source.decimal)
    if remedy and table.source.kinds is not None:  # not a text file
        remedy = ("write numbers with a decimal point",)
    remedy = remedy or ("correct it, leave it empty, or name other columns",)
    return Message(f"holds the text {value!r} ({TableNames().where(bad)}); ", *remedy, ".")


def class_columns(
    source: str, columns: ScoreColumns, labels: tuple[Hashable, ...], in_order: bool
) -> tuple[str, ...]:
    """The columns in the order of the labels: by name, or as listed if the user also listed the labels."""
    names, spelt = columns.names, _spelling(labels, columns.names)
    if in_order and columns.spelt and len(names) == len(labels) and not named_after(names, spelt):
        return names
    return tuple(names[i] for i in match_columns(names, spelt, source))


def _spelling(labels: tuple[Hashable, ...], names: Sequence[str]) -> tuple[Hashable, ...]:
    """True and False as they are written in the names of the columns."""
    if not all(isinstance(label, bool) for label in labels) or any("True" in name for name in names):
        return labels
    return tuple(str(label).lower() for label in labels)
