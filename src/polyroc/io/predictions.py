"""Labels as a command line gives them: matched to the column's labels by their text."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.io.columns import ScoreColumns
from polyroc.io.messages import ColumnWords, columns_named
from polyroc.io.table import Table
from polyroc.kernels.arrays import BoolArray, FloatArray
from polyroc.messages import Option, short_repr
from polyroc.validation.labels import Coded
from polyroc.validation.predictions import match_columns, named_after

__all__ = ["Said", "as_labels", "class_columns", "like", "number_column", "said"]


_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def as_labels(labels: Sequence[Hashable] | None, found: Sequence[Hashable]) -> tuple[Hashable, ...] | None:
    """The labels given, each of the kind that the column holds.

    >>> as_labels(["2", "1"], [1, 2])
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
    given = labels.tolist() if isinstance(labels, np.ndarray) else labels
    return tuple(like(label, found) for label in given)


def like(label: Hashable, found: Sequence[Hashable]) -> Hashable:
    """The label itself if the column holds it, else the label of the column's kind with the same text.

    >>> like("1", [0, 1]), like("true", [False, True]), like(1, ["0", "1"]), like("x", [0, 1])
    (1, True, '1', 'x')
    """
    if label is None or not found or label in found:
        return label
    kinds = {type(value) for value in found}
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


class Said(NamedTuple):
    """One classifier's values, one row per row of the table, and what to call their columns in messages."""

    values: FloatArray | Coded
    told: str


def said(table: Table, columns: ScoreColumns, labels: tuple[Hashable, ...], in_order: bool) -> Said:
    """The values of one classifier; `in_order` if the caller gave the labels, whose order then counts."""
    if len(columns.names) == 1:
        return Said(_score_or_decisions(table, columns.names[0], labels), columns_named(columns.names))
    names = class_columns(table.source.name, columns, labels, in_order)
    matrix = np.empty((table.rows, len(names)))
    for j, name in enumerate(names):
        matrix[:, j] = number_column(table, name)
    bad = [name for j, name in enumerate(names) if not np.isfinite(matrix[:, j]).all()]
    return Said(matrix, columns_named(bad or names))


def number_column(table: Table, name: str) -> FloatArray:
    """A column that must hold numbers; true and false are 1 and 0."""
    values, bad = table.numbers(name)
    if bad is None:
        return values
    booleans = _booleans(table, name)
    if booleans is not None:
        return booleans
    raise InputError(f"column {name!r} must hold numbers, but {_what_it_holds(table, name, bad, ())}.")


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
        f"column {name!r} must hold numbers, or decisions for the classes {list(labels)!r}, "
        f"but {_what_it_holds(table, name, bad, labels)}."
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
    codes, held = table.coded(name)
    if not all(isinstance(label, bool) for label in held):
        return None
    return np.array([*held, np.nan], dtype=np.float64)[codes]


def _what_it_holds(table: Table, name: str, bad: BoolArray, labels: Sequence[Hashable]) -> str:
    odd = table.odd(name, [str(label) for label in labels])
    bad = odd if odd.any() else bad
    value = table.cell(name, int(np.argmax(bad)))
    comma = re.fullmatch(r"\s*[+-]?\d+,\d+\s*", str(value))
    remedy = "write numbers with a decimal point" if comma else "correct it, leave it empty, or name other columns"
    return f"holds the text {value!r} ({ColumnWords().where(bad)}); {remedy}"


def class_columns(
    source: str, columns: ScoreColumns, labels: tuple[Hashable, ...], in_order: bool
) -> tuple[str, ...]:
    """The columns in the order of the labels: by name, or as spelt out where the labels were too."""
    names, spelt = columns.names, _spelling(labels, columns.names)
    if in_order and columns.spelt and len(names) == len(labels) and not named_after(names, spelt):
        return names
    return tuple(names[i] for i in match_columns(names, spelt, source))


def _spelling(labels: tuple[Hashable, ...], names: Sequence[str]) -> tuple[Hashable, ...]:
    """True and False as the columns' names write them."""
    if not all(isinstance(label, bool) for label in labels) or any("True" in name for name in names):
        return labels
    return tuple(str(label).lower() for label in labels)
