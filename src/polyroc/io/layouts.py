"""Rows become cases: one row a case, one row a case and classifier, or one row a case, classifier and class."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from polyroc._normalise import Coded, renumber
from polyroc.io.columns import Columns
from polyroc.io.labels import like
from polyroc.io.pairing import (
    Cases,
    by_position,
    check_agreement,
    complete,
    in_order_of_appearance,
    named_cases,
    rows_of,
)
from polyroc.io.table import Table
from polyroc.io.values import Said, number_column, said
from polyroc.io.words import ColumnWords, columns_named
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.scores import readable

__all__ = ["Observed", "arrange", "words_for"]

_Values = TypeVar("_Values", FloatArray, Coded, FloatArray | Coded)


@dataclass(frozen=True, slots=True)
class Observed:
    """What validation takes, one row per case."""

    truth: Coded
    scores: Mapping[str, FloatArray | Coded]
    weight: FloatArray | None
    groups: Coded | None
    words: ColumnWords


def words_for(columns: Columns) -> ColumnWords:
    """What the columns are called in messages."""
    names = [name for classifier in columns.scores.values() for name in classifier.names]
    return ColumnWords(
        truth=columns_named([columns.truth]),
        scores=columns_named(names),
        weight=columns_named([columns.weight or ""]),
        groups=columns_named([columns.groups or ""]),
    )


def arrange(table: Table, columns: Columns, truth: Coded, in_order: bool) -> Observed:
    """The cases; `truth` has the classes in their order, `in_order` says that the caller gave it."""
    found = {
        name: Said(number_column(table, asked.names[0]), columns_named(asked.names))
        if columns.class_
        else said(table, asked, truth.labels, in_order)
        for name, asked in columns.scores.items()
    }
    weight = number_column(table, columns.weight) if columns.weight else None
    groups = _numbered(table, columns.groups) if columns.groups else None
    words = replace(words_for(columns), columns={name: one.told for name, one in found.items()})
    rows = Observed(truth, {name: one.values for name, one in found.items()}, weight, groups, words)
    if columns.classifier is None and columns.class_ is None and columns.case is None:
        return rows
    return _paired(table, columns, rows)


def _paired(table: Table, columns: Columns, rows: Observed) -> Observed:
    """One row per case, from the rows that make it."""
    nobody = Coded(np.zeros(table.rows, dtype=np.int32), (None,))
    who, about = nobody, nobody
    if columns.classifier is not None:
        who = in_order_of_appearance(complete(table, columns.classifier))
    if columns.class_ is not None:
        about = _classes(table, columns.class_, rows.truth.labels)
    cases = named_cases(table, columns.case) if columns.case else by_position(who, columns.classifier or "")
    places = rows_of(cases, who, about)
    _check_agreement(rows, places, cases, columns)
    if columns.classifier is None and columns.class_ is None:
        return rows  # one row a case all along
    ((name, values),) = rows.scores.items()
    names = readable(who.labels) if columns.classifier is not None else (name,)
    each = [place if columns.class_ else place[:, 0] for place in places]
    first = places[0, :, 0]
    return Observed(
        _taken(rows.truth, first),
        {one: _taken(values, place) for one, place in zip(names, each, strict=True)},
        None if rows.weight is None else rows.weight[first],
        None if rows.groups is None else _taken(rows.groups, first),
        replace(
            rows.words,
            columns=dict.fromkeys(names, rows.words.columns[name]),
            row="case",
            name_case=cases.name if cases.named else None,
        ),
    )


def _taken(values: _Values, rows: IntArray) -> _Values:
    """Some rows of what was said."""
    return Coded(values.codes[rows], values.labels) if isinstance(values, Coded) else values[rows]


def _numbered(table: Table, name: str) -> Coded:
    """Labels of which only the numbers count."""
    return Coded(table.codes(name), tuple(range(table.count(name))))


def _classes(table: Table, name: str, labels: tuple[Hashable, ...]) -> Coded:
    """The class that each row's score is for, numbered like the true classes."""
    codes, held = complete(table, name)
    found = Coded(codes, tuple(like(label, labels) for label in held))
    trouble = f"which is not among the classes {list(labels)!r}; name every class with labels=[...]"
    return renumber(found, labels, columns_named([name]), trouble, ColumnWords())


def _check_agreement(rows: Observed, places: IntArray, cases: Cases, columns: Columns) -> None:
    said_of_case: list[tuple[CodeArray | FloatArray | None, str | None]] = [
        (rows.truth.codes, columns.truth),
        (rows.weight, columns.weight),
        (None if rows.groups is None else rows.groups.codes, columns.groups),
    ]
    for values, column in said_of_case:
        if values is not None and column is not None:
            check_agreement(values, places, cases, column)
