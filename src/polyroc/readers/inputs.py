"""The data of a reader study, from arrays, files or data frames, with one row per reading or columns per cell."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from polyroc.data_options import DataOptions, cases_in_memory
from polyroc.errors import InputError
from polyroc.messages import Option, short_repr
from polyroc.readers.anova import Nested
from polyroc.readers.readings import (
    ROW_OPTIONS,
    Cell,
    Columns,
    Readings,
    cell_names,
    from_rows,
    from_table,
    is_long,
)
from polyroc.scores import Coded, Scores
from polyroc.validation.scores import one_sample

__all__ = ["readings_of"]

ONE_MODALITY = "all readings"  # the name of the modality if there is no column of it


def readings_of(
    data: Any,
    y_score: Any,
    columns: Columns,
    nested: Nested | None,
    standalone: str | None,
    options: DataOptions,
) -> Readings:
    """Return the readings of arrays, a file, a table, or `Scores` with one row per reading."""
    of_table = options.get("truth") is not None
    if is_long(columns):
        named: dict[str, Any] = {name: column for name, column in columns._asdict().items() if column is not None}
        by: Any = _names(named) if of_table or isinstance(data, Scores) else named
        rows = cases_in_memory("reader_study", data, y_score, {**options, "by": by})
        rows = _renamed(one_sample(rows, "reader_study"), dict(zip(named, by, strict=True)))
        return from_rows(rows, nested, standalone, options.get("missing", "raise"))
    if isinstance(data, Scores):
        raise InputError(
            "Of Scores with one row per reading, name the columns of their `by` with ",
            *ROW_OPTIONS,
            ".",
        )
    _check_nesting(nested)
    table = (
        from_table(options.get("scores"), standalone, "scores") if of_table else from_table(y_score, standalone)
    )
    names = cell_names([*table])
    by_name = {name: table[cell] for cell, name in names.items()}
    if of_table:
        options = {**options, "scores": by_name}
    scores = cases_in_memory("reader_study", data, y_score if of_table else by_name, options)
    return _wide(scores, names, standalone)


def _check_nesting(nested: Nested | None) -> None:
    if nested == "cases":
        raise InputError(
            Option("nested", "cases"),
            " needs one row per reading, because not every reader read every case: name ",
            *ROW_OPTIONS,
            ".",
        )


def _names(named: Mapping[str, Any]) -> list[str]:
    """The names of the columns."""
    for role, name in named.items():
        if not isinstance(name, str):
            raise InputError(Option(role), f" must be the name of a column, got {short_repr(name)}.")
    return [*named.values()]


def _renamed(rows: Scores, named: Mapping[str, str]) -> Scores:
    """Rows whose columns of `by` are named by their role; one modality if there is no column of it."""
    if len(rows.values) != 1:
        raise InputError(
            "One row is one reading, but ",
            Option("scores"),
            f" names {len(rows.values)} classifiers; name one column, or one per class.",
        )
    if rows.weight_kind == "frequency":
        raise InputError(
            "With one row per reading, ",
            Option("weight_kind", "frequency"),
            " is not available, because a row stands for one reading; repeat the cases.",
        )
    by = {role: rows.by[name] for role, name in named.items()}
    by.setdefault("modality", Coded(np.zeros(len(rows), dtype=np.int32), (ONE_MODALITY,)))
    return rows._replace(by=by)


def _wide(scores: Scores, names: Mapping[Cell, str], standalone: str | None) -> Readings:
    """The readings of columns per cell; readers are in one order in all modalities."""
    one_sample(scores, "reader_study")
    modalities = [*dict.fromkeys(cell.modality for cell in names)]
    readers = [*dict.fromkeys(cell.reader for cell in names if cell.modality != standalone)]
    place = {
        cell: (modalities.index(cell.modality), cell.modality == standalone or readers.index(cell.reader))
        for cell in names
    }
    ordered = {cell: names[cell] for cell in sorted(names, key=place.__getitem__)}
    read = np.ones((len(names), len(scores)), dtype=bool)
    return Readings(scores, ordered, tuple(modalities), tuple(readers), read)
