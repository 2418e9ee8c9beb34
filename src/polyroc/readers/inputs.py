"""The data of a reader study, from arrays, files or data frames, with one row per reading or columns per cell."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.inference.file_input import read_into_memory
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
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.scores import as_scores, one_sample

__all__ = ["readings_from_arrays", "readings_from_file"]

ONE_MODALITY = "all readings"  # the name of the modality if there is no column of it


def readings_from_arrays(
    y_true: Any,
    y_score: Any,
    columns: Columns,
    nested: Nested | None,
    standalone: str | None,
    negate: bool | None,
    options: Mapping[str, Any],
) -> Readings:
    """The readings of arrays, or of `Scores` with one row per reading."""
    if not is_long(columns):
        if isinstance(y_true, Scores):
            raise InputError(
                "Of Scores with one row per reading, name the columns of their `by` with ",
                *ROW_OPTIONS,
                ".",
            )
        table = from_table(y_score, standalone)
        _check_nesting(nested)
        names = cell_names([*table])
        scores = as_scores(y_true, {name: table[cell] for cell, name in names.items()}, negate=negate, **options)
        return _wide(scores, names, standalone)
    named = {name: column for name, column in columns._asdict().items() if column is not None}
    if isinstance(y_true, Scores):
        rows = as_scores(y_true, y_score, by=_names(named), negate=negate, **options)
        rows = _renamed(rows, named)
    else:
        arguments = ArgumentNames(by="column")
        rows = as_scores(y_true, y_score, by=named, negate=negate, arguments=arguments, **options)
        rows = _renamed(rows, {name: name for name in named})
    return from_rows(one_sample(rows, "reader_study"), nested, standalone, options["missing"])


def readings_from_file(
    source: Any,
    y_score: Any,
    columns: Columns,
    nested: Nested | None,
    standalone: str | None,
    negate: bool | None,
    reading: Mapping[str, Any],
    options: Mapping[str, Any],
) -> Readings:
    """The readings of a file or a data frame."""
    if is_long(columns):
        named = {name: column for name, column in columns._asdict().items() if column is not None}
        request = {**reading, "by": _names(named), "negate": negate}
        rows = read_into_memory(source, request, y_score=y_score, **options)
        return from_rows(_renamed(rows, named), nested, standalone, options["missing"])
    _check_nesting(nested)
    table = from_table(reading.get("scores"), standalone, "scores")
    names = cell_names([*table])
    patterns = {name: table[cell] for cell, name in names.items()}
    request = {**reading, "scores": patterns, "negate": negate}
    return _wide(read_into_memory(source, request, y_score=y_score, **options), names, standalone)


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
    return replace(rows, by=by)


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
