"""What the classifiers said, from columns: a score, decisions, or one column per class."""

import re
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from polyroc._normalise import Coded, match_columns, named_after
from polyroc.errors import InputError
from polyroc.io.columns import ScoreColumns
from polyroc.io.table import Table
from polyroc.io.words import ColumnWords, columns_named
from polyroc.kernels.arrays import BoolArray, FloatArray

__all__ = ["Said", "class_columns", "number_column", "said"]


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
