"""Layouts with several rows per case: the rows of every classifier, case and class become one row per case."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from polyroc.errors import InputError
from polyroc.io.columns import Columns, TableNames, columns_text
from polyroc.io.predictions import Predictions, matching_label, number_column, predictions_of
from polyroc.io.stacked_rows import MAX_COLUMNS, readable_keys
from polyroc.io.table import Table
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.messages import Message, Option
from polyroc.scores import readable
from polyroc.validation.labels import Coded, renumber

__all__ = [
    "CaseData",
    "Cases",
    "arrange",
    "by_position",
    "check_agreement",
    "check_identified",
    "complete",
    "in_order_of_appearance",
    "in_repeats",
    "named_cases",
    "names_for",
    "rows_of",
]


@dataclass(frozen=True, slots=True)
class Cases:
    """The case of each row, the number of cases, and the name of each case."""

    codes: CodeArray
    count: int
    name: Callable[[int], str]
    named: bool


def complete(table: Table, name: str) -> Coded:
    """A column of labels in which none may be missing."""
    coded = table.coded(name)
    _check_complete(coded.codes, name)
    return coded


def in_order_of_appearance(coded: Coded) -> Coded:
    """The same labels, numbered in the order of appearance in the table."""
    codes, first = _appearance(coded.codes, len(coded.labels))
    return Coded(codes, tuple(coded.labels[code] for code in coded.codes[first].tolist()))


def named_cases(table: Table, name: str) -> Cases:
    """Cases by the column that names them, in the order of appearance."""
    codes = table.codes(name)
    _check_complete(codes, name)
    codes, first = _appearance(codes, table.count(name))
    return Cases(codes, len(first), lambda case: repr(table.label(name, int(first[case]))), True)


def in_repeats(cases: Cases, repeats: Coded) -> Cases:
    """The rows of repeats of a cross-validation: one per case and repeat."""
    count = len(repeats.labels)

    def name(row: int) -> str:
        return f"{cases.name(row // count)} of repeat {repeats.labels[row % count]!r}"

    return Cases(cases.codes * np.int32(count) + repeats.codes, cases.count * count, name, cases.named)


def by_position(classifiers: Coded, column: str) -> Cases:
    """Cases by their position among the rows of their classifier."""
    counts = np.bincount(classifiers.codes, minlength=len(classifiers.labels))
    odd = int(np.argmax(counts != counts[0]))
    if odd:
        first, other = (f"{classifiers.labels[k]!r}: {counts[k]}" for k in (0, odd))
        raise InputError(
            f"The classifiers of column {column!r} do not have the same number of rows ({first}, {other}), so "
            "their rows cannot be the same cases in the same order; give the column that names the case with ",
            Option("case", ...),
            ".",
        )
    codes = np.empty(len(classifiers.codes), dtype=np.int32)
    codes[np.argsort(classifiers.codes, kind="stable")] = np.tile(np.arange(counts[0]), len(counts))
    return Cases(codes, int(counts[0]), lambda case: str(case + 1), False)


def check_identified(table: Table, columns: Columns, rows: IntArray) -> str:
    """Return what shows that the classifiers' rows, [classifier, position], are the same cases in the same order.

    Columns that could identify cases have the same values in the rows of every classifier. All of them must agree
    row by row and tell the cases apart: classes alone agree also where rows were sorted by scores, and so do
    numbers of the rows, which may have been given after that. It is an error if they do not.
    """
    known = {*columns.numbers, columns.truth, columns.classifier} - {columns.weight}
    names = [name for name in readable_keys(table.source.columns, table.source) if name.strip()]
    names = [name for name in names if name not in known][:MAX_COLUMNS]
    table.reread(*names)
    agreeing, others, numbering = [], [], []
    identity = rows[0] * 0 + table.codes(columns.truth)[rows[0]]
    for name in names:
        codes = table.codes(name)[rows] + 1
        if (codes == codes[0]).all() and _numbers_rows(table, name, rows[0]):
            numbering.append(name)
        elif (codes == codes[0]).all():
            agreeing.append(name)
            identity = np.unique(identity * (table.count(name) + 1) + codes[0], return_inverse=True)[1]
        elif (np.sort(codes) == np.sort(codes[0])).all():
            others.append(name)
    alone = [name for name in (*others, *agreeing, *numbering) if table.count(name) == rows.shape[1]]
    if not others and len(np.unique(identity)) == rows.shape[1]:
        shown = [name for name in alone if name in agreeing] or agreeing
        return f"the order of the rows, in which {columns_text(shown)} {'agree' if shown[1:] else 'agrees'}"
    case = Option("case", alone[0] if alone else ...)
    raise InputError(
        f"Which rows of the classifiers in column {columns.classifier!r} are of the same case is not known"
        + (f": column {others[0]!r} has the same values for all of them, in another order. " if others else ". ")
        + (
            f"Column {alone[0]!r} seems to name the case; use "
            if alone
            else "Add a column that names it, and use "
        ),
        case,
        ".",
    )


def _numbers_rows(table: Table, name: str, rows: IntArray) -> bool:
    """Return True if a column counts these rows, from any number on."""
    codes = table.codes(name)[rows]
    if codes[0] < 0 or (np.diff(codes) != 1).any():  # also of a missing value
        return False
    first, last = (table.label(name, int(rows[k])) for k in (0, -1))
    return isinstance(first, int) and isinstance(last, int) and last - first == len(rows) - 1


def rows_of(cases: Cases, classifiers: Coded, classes: Coded) -> IntArray:
    """The row of every (classifier, case, class); each must exist once."""
    shape = (len(classifiers.labels), cases.count, len(classes.labels))
    cell = (classifiers.codes.astype(np.int64) * shape[1] + cases.codes) * shape[2] + classes.codes
    if shape[0] * shape[1] * shape[2] == len(cell):
        rows = np.full(len(cell), -1, dtype=np.int64)
        rows[cell] = np.arange(len(cell))
        if (rows >= 0).all():
            return rows.reshape(shape)
    _check_unique(cell, cases, classifiers, classes)
    raise InputError(_absent(cases, classifiers, classes))


def check_agreement(values: CodeArray | FloatArray, rows: IntArray, cases: Cases, column: str) -> None:
    """Check that all rows of a case have the same value."""
    table = values[rows]
    first = table[:1, :, :1]
    differs = (table != first) & ~((table != table) & (first != first))  # nan is the same as nan
    if not differs.any():
        return
    classifier, case, label = (int(i[0]) for i in np.nonzero(differs))
    where = f"rows {rows[0, case, 0] + 1} and {rows[classifier, case, label] + 1}"
    if cases.named:
        raise InputError(
            f"Case {cases.name(case)} has different values in column {column!r} ({where}); all rows of a case "
            "must agree there."
        )
    raise InputError(
        f"The classifiers' rows are not the same cases in the same order: column {column!r} differs between "
        f"{where}; give the column that names the case with ",
        Option("case", ...),
        ".",
    )


def _check_complete(codes: CodeArray, name: str) -> None:
    missing: BoolArray = codes < 0
    if missing.any():
        raise InputError(
            f"column {name!r} has missing values ({TableNames().where(missing)}), so it is not clear where those "
            "rows belong; complete or remove them."
        )


def _appearance(codes: CodeArray, count: int) -> tuple[CodeArray, IntArray]:
    """The codes numbered in the order of appearance, and the first row of each."""
    first = np.empty(count, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    order = np.argsort(first)
    rank = np.empty(count, dtype=np.int32)
    rank[order] = np.arange(count)
    return rank[codes], first[order]


def _check_unique(cell: IntArray, cases: Cases, classifiers: Coded, classes: Coded) -> None:
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    if len(again) == 0:
        return
    at = again[np.argmin(order[again + 1])]
    row, other = int(order[at]), int(order[at + 1])
    pair = _pair_text(classifiers, int(classifiers.codes[row]), classes, int(classes.codes[row]))
    raise InputError(
        f"Case {cases.name(int(cases.codes[row]))} has two rows{pair and ' for '}{pair} (rows {row + 1} and "
        f"{other + 1}); one is needed. Remove the other, or give the cases distinct names."
    )


def _absent(cases: Cases, classifiers: Coded, classes: Coded) -> str:
    per_case = len(classifiers.labels) * len(classes.labels)
    case = int(np.argmax(np.bincount(cases.codes, minlength=cases.count) < per_case))
    mine = cases.codes == case
    present = np.zeros((len(classifiers.labels), len(classes.labels)), dtype=np.bool_)
    present[classifiers.codes[mine], classes.codes[mine]] = True
    classifier, label = (int(i[0]) for i in np.nonzero(~present))
    pair = _pair_text(classifiers, classifier, classes, label)
    return (
        f"Case {cases.name(case)} has no row{pair and ' for '}{pair}; every case needs one. Add the rows, or "
        "remove the case everywhere."
    )


def _pair_text(classifiers: Coded, classifier: int, classes: Coded, label: int) -> str:
    """A classifier and a class as text, as far as they have names."""
    parts = [f"classifier {classifiers.labels[classifier]!r}"] if classifiers.labels != (None,) else []
    parts += [f"class {classes.labels[label]!r}"] if classes.labels != (None,) else []
    return " and ".join(parts)


_Values = TypeVar("_Values", FloatArray, Coded, FloatArray | Coded)


@dataclass(frozen=True, slots=True)
class CaseData:
    """The arguments of validation, one row per case (and repeat), and their names in messages."""

    truth: Coded
    scores: Mapping[str, FloatArray | Coded]
    weight: FloatArray | None
    groups: Coded | None
    arguments: TableNames
    folds: Coded | None = None
    repeats: Coded | None = None
    cases: Coded | None = None
    by: Mapping[str, Coded] = field(default_factory=dict, kw_only=True)
    pairing: str | None = field(default=None, kw_only=True)


def names_for(columns: Columns) -> TableNames:
    """The names of the columns in messages."""
    names = [name for classifier in columns.scores.values() for name in classifier.names]
    return TableNames(
        truth=columns_text([columns.truth]),
        scores=columns_text(names),
        weight=columns_text([columns.weight or ""]),
        groups=columns_text([columns.groups or ""]),
        folds=columns_text([columns.folds or ""]),
        repeats=columns_text([columns.repeats or ""]),
        by="column",
    )


def arrange(table: Table, columns: Columns, truth: Coded, in_order: bool) -> CaseData:
    """The data by case; `truth` has the classes in order, `in_order` if the user gave this order."""
    predictions = {
        name: Predictions(number_column(table, own.names[0]), columns_text(own.names))
        if columns.class_
        else predictions_of(table, own, truth.labels, in_order)
        for name, own in columns.scores.items()
    }
    table.check_distinct([own.names for own in columns.scores.values()])
    weight = number_column(table, columns.weight) if columns.weight else None
    groups = _numbered(table, columns.groups) if columns.groups else None
    words = replace(names_for(columns), columns={name: own.columns_text for name, own in predictions.items()})
    folds, repeats = (table.coded(name) if name else None for name in (columns.folds, columns.repeats))
    cases = _numbered(table, columns.case) if columns.case and columns.repeats else None
    scores = {name: own.values for name, own in predictions.items()}
    by = {name: table.coded(name) for name in columns.by}
    rows = CaseData(truth, scores, weight, groups, words, folds, repeats, cases, by=by)
    if columns.classifier is None and columns.class_ is None and columns.case is None:
        return rows
    return _paired(table, columns, rows)


def _paired(table: Table, columns: Columns, rows: CaseData) -> CaseData:
    """One row per case, from the rows that make it."""
    classifiers = classes = Coded(np.zeros(table.rows, dtype=np.int32), (None,))  # one, without a name
    if columns.classifier is not None:
        classifiers = in_order_of_appearance(complete(table, columns.classifier))
    if columns.class_ is not None:
        classes = _classes(table, columns.class_, rows.truth.labels)
    cases = (
        named_cases(table, columns.case) if columns.case else by_position(classifiers, columns.classifier or "")
    )
    if columns.case and columns.repeats:
        cases = in_repeats(cases, complete(table, columns.repeats))
    places = rows_of(cases, classifiers, classes)
    _check_agreement(rows, places, cases, columns)
    if columns.classifier is None and columns.class_ is None:
        return rows  # already one row per case
    pairing = None
    if len(classifiers.labels) > 1:
        named = columns.case and columns_text([columns.case])
        pairing = named or check_identified(table, columns, places[:, :, 0])
    ((name, values),) = rows.scores.items()
    names = readable(classifiers.labels) if columns.classifier is not None else (name,)
    by_classifier = [place if columns.class_ else place[:, 0] for place in places]
    first = places[0, :, 0]
    return CaseData(
        _rows(rows.truth, first),
        {own: _rows(values, place) for own, place in zip(names, by_classifier, strict=True)},
        None if rows.weight is None else rows.weight[first],
        None if rows.groups is None else _rows(rows.groups, first),
        replace(
            rows.arguments,
            columns=dict.fromkeys(names, rows.arguments.columns[name]),
            row="case",
            name_case=cases.name if cases.named else None,
        ),
        *(None if column is None else _rows(column, first) for column in (rows.folds, rows.repeats, rows.cases)),
        by={name: _rows(column, first) for name, column in rows.by.items()},
        pairing=pairing,
    )


def _rows(values: _Values, rows: IntArray) -> _Values:
    """Some rows of the values."""
    return Coded(values.codes[rows], values.labels) if isinstance(values, Coded) else values[rows]


def _numbered(table: Table, name: str) -> Coded:
    """Labels of which only the codes matter."""
    return Coded(table.codes(name), tuple(range(table.count(name))))


def _classes(table: Table, name: str, labels: tuple[Hashable, ...]) -> Coded:
    """The class that the score of each row is for, numbered like the true classes."""
    codes, present = complete(table, name)
    classes = Coded(codes, tuple(matching_label(label, labels) for label in present))
    advice = Message(
        f"which is not among the classes {list(labels)!r}; name every class with ", Option("labels", [...])
    )
    return renumber(classes, labels, columns_text([name]), advice, TableNames())


def _check_agreement(rows: CaseData, places: IntArray, cases: Cases, columns: Columns) -> None:
    by_column: list[tuple[CodeArray | FloatArray | None, str | None]] = [
        (rows.truth.codes, columns.truth),
        (rows.weight, columns.weight),
        (None if rows.groups is None else rows.groups.codes, columns.groups),
        (None if rows.folds is None else rows.folds.codes, columns.folds),
        (None if rows.repeats is None else rows.repeats.codes, columns.repeats),
        *((column.codes, name) for name, column in rows.by.items()),
    ]
    for values, column in by_column:
        if values is not None and column is not None:
            check_agreement(values, places, cases, column)
