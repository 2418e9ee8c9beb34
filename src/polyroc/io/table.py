"""The requested columns in DuckDB: numbers as arrays, labels as codes, never as one object per row."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.io.csv_files import rejected
from polyroc.io.session import Session
from polyroc.io.sources import Kind, Source
from polyroc.io.stacked_rows import Repetition
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray
from polyroc.validation.labels import Coded
from polyroc.validation.predictions import LARGEST_EXACT, large_integers_message

__all__ = ["Table", "inexact_integers", "inexact_texts", "inferred_kind", "label_expression"]

_MOST_LABELS = 65_536
_LABEL: dict[Kind, str] = {
    "integer": "CAST({0} AS HUGEINT)",
    "float": "CAST({0} AS DOUBLE)",
    "boolean": "(lower(trim({0})) = 'true')",
}
_TYPES: dict[Kind | None, str] = {"integer": "HUGEINT", "float": "DOUBLE", "text": "VARCHAR"}
_IS_TEXT = """
    SELECT 1 FROM {table} WHERE {column} IS NOT NULL AND TRY_CAST({column} AS DOUBLE) IS NULL
    AND lower(trim({column})) NOT IN ('true', 'false') LIMIT 1
"""
_KINDS = """
    SELECT count(value),
           count(*) FILTER (TRY_CAST(value AS HUGEINT)::VARCHAR = trim(value)),
           count(TRY_CAST(value AS DOUBLE)) FILTER (NOT regexp_matches(value, '^\\s*[+-]?(0[0-9]|[0-9]{{16,}})')),
           count(*) FILTER (lower(trim(value)) IN ('true', 'false'))
    FROM (SELECT DISTINCT {column} AS value FROM {table} WHERE {column} IS NOT NULL)
"""


def inferred_kind(session: Session, table: str, column: str) -> Kind:
    """The kind of labels in a column of text, inferred from all its values; 01 is text, for it is not 1."""
    reading = f"column {column}"
    if session.rows(_IS_TEXT.format(table=table, column=column), (), reading):
        return "text"
    count, *fits = session.rows(_KINDS.format(table=table, column=column), (), reading)[0]
    kinds: tuple[Kind, ...] = ("integer", "float", "boolean")
    return next((kind for kind, fit in zip(kinds, fits, strict=True) if fit == count), "text")


def inexact_integers(column: str) -> str:
    """The SQL condition that an integer is not a double, so that different ones may become equal scores."""
    return f"coalesce(TRY_CAST(CAST({column} AS DOUBLE) AS HUGEINT) <> TRY_CAST({column} AS HUGEINT), true)"


def inexact_texts(column: str) -> str:
    """The same condition for the text of a number; numbers with a decimal point are doubles anyway."""
    is_long_integer = f"strlen({column}) >= 16 AND regexp_full_match({column}, '\\s*[+-]?[0-9]+\\s*')"
    exact = f"TRY_CAST(TRY_CAST({column} AS DOUBLE) AS HUGEINT) = TRY_CAST({column} AS HUGEINT)"
    return f"coalesce({is_long_integer}, false) AND NOT coalesce({exact}, false)"


def label_expression(kind: Kind, column: str) -> str:
    """The SQL expression of the labels in a column of text whose kind is known."""
    return _LABEL.get(kind, "{0}").format(column)


class Table:
    """Columns of a source, read once.

    A column of numbers is stored as doubles: nan for a missing value, NULL for anything that is not a number. A
    column of labels is stored unchanged.
    """

    def __init__(self, session: Session, source: Source, numbers: Sequence[str], labels: Sequence[str]) -> None:
        self.source = source
        self._session = session
        self._position = {name: i for i, name in reversed(list(enumerate(source.columns)))}
        self._home: dict[str, str] = {}
        self._numbered: dict[str, int] = {}
        self._load("data", numbers, labels)
        self.rows = int(self._ask("SELECT count(*) FROM data")[0][0])
        if self.rows == 0:
            raise InputError(f"{source.name} has columns but no rows; at least one row per class is needed.")

    def numbers(self, name: str) -> tuple[FloatArray, BoolArray | None]:
        """A column of numbers, and the rows that hold something else (None if no row does)."""
        column = f"n{self._position[name]}"
        array = self._session.arrays(f"SELECT {column} FROM data", (), self.source.name)[column]
        if not isinstance(array, np.ma.MaskedArray):
            return array, None
        bad = np.ma.getmaskarray(array)
        return array.filled(np.nan), bad if bad.any() else None

    def inexact(self, name: str) -> BoolArray | None:
        """The rows of a column of numbers that hold integers which are not doubles; None if no row does."""
        source = self.source.text or self.source
        kind = None if source.kinds is None else source.kinds[self._position[name]]
        if kind not in ("integer", None):
            return None
        column = f"c{self._position[name]}"
        condition = (
            inexact_texts(column) if kind is None else f"{column} IS NOT NULL AND {inexact_integers(column)}"
        )
        query = source.select([f"{condition} AS inexact"])
        inexact = self._session.arrays(query, source.parameters, source.name)["inexact"]
        return inexact if inexact.any() else None

    def codes(self, name: str) -> CodeArray:
        """A column of labels as codes in the order of the labels; -1 for a missing label."""
        labels, table, column = self._number(name), self._home[name], self._label(name)
        query = f"SELECT t.rowid AS place, code FROM {table} AS t JOIN {labels} ON t.{column} = value"
        columns = self._session.arrays(query, (), self.source.name)
        codes = np.full(self.rows, -1, dtype=np.int32)
        codes[columns["place"]] = columns["code"]
        return codes

    def coded(self, name: str) -> Coded:
        """A column of labels with the labels themselves."""
        count = self.count(name)
        if count > _MOST_LABELS:
            raise InputError(
                f"column {name!r} holds {count} distinct labels, more than {_MOST_LABELS}; is it the right column?"
            )
        rows = self._ask(f"SELECT DISTINCT code, label FROM {self._number(name)} ORDER BY code")
        return Coded(self.codes(name), tuple(label for _, label in rows))

    def count(self, name: str) -> int:
        """The number of distinct labels of a column."""
        self._number(name)
        return self._numbered[name]

    def repetition(self, name: str) -> Repetition:
        """How often the values of a column of labels occur."""
        column, table = self._label(name), self._home[name]
        ((rows, values),) = self._ask(f"SELECT count({column}), approx_count_distinct({column}) FROM {table}")
        if not values or rows < 1.1 * values:  # hardly a value twice: no need to count exactly
            return Repetition(rows, values)
        counts = f"SELECT count(*) AS n FROM {table} WHERE {column} IS NOT NULL GROUP BY {column}"
        ((values, even),) = self._ask(f"SELECT count(*), min(n) = max(n) FROM ({counts})")
        return Repetition(rows, values, even)

    def cell(self, name: str, row: int) -> Any:
        """One cell of a column of labels as it is written, for a message."""
        return self._ask(f"SELECT {self._label(name)} FROM {self._home[name]} WHERE rowid = ?", (row,))[0][0]

    def label(self, name: str, row: int) -> Any:
        """One label, for a message."""
        return self._ask(f"SELECT label FROM {self._number(name)} WHERE value = ?", (self.cell(name, row),))[0][0]

    def odd(self, name: str, allowed: Sequence[str]) -> BoolArray:
        """The rows of a column of labels that are neither a number nor one of these texts."""
        text = f"CAST({self._label(name)} AS VARCHAR)"
        number = f"TRY_CAST({self.source.number_text(text)} AS DOUBLE)"
        is_odd = f"{number} IS NULL AND NOT list_contains(?::VARCHAR[], {text})"
        query = f"SELECT coalesce({is_odd}, false) AS odd FROM {self._home[name]}"
        return self._session.arrays(query, (list(allowed),), self.source.name)["odd"]

    def reread(self, name: str) -> None:
        """Read a column of numbers again as a column of labels."""
        if name not in self._home:
            self._load(f"again{self._position[name]}", (), (name,))

    def _ask(self, query: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return self._session.rows(query, parameters, self.source.name)

    def _label(self, name: str) -> str:
        return f"l{self._position[name]}"

    def _load(self, table: str, numbers: Sequence[str], labels: Sequence[str]) -> None:
        kept = [f"{self._as_number(name)} AS n{self._position[name]}" for name in numbers]
        kept += [f"{self._as_label(name)} AS {self._label(name)}" for name in labels]
        query = f"CREATE TEMP TABLE {table} AS {self.source.select(kept)}"
        try:
            self._session.run(query, self.source.parameters, self.source.name)
        except InputError as error:
            raise InputError(rejected(self._session, self.source, kept) or error.message) from None
        self._home |= dict.fromkeys(labels, table)

    def _as_number(self, name: str) -> str:
        column, kind = f"c{self._position[name]}", self._kind(name)
        number = (
            f"TRY_CAST({self.source.number_text(column)} AS DOUBLE)"
            if kind not in ("text", "other")
            else "NULL::DOUBLE"
        )
        return f"CASE WHEN {column} IS NULL THEN 'nan'::DOUBLE ELSE {number} END"

    def _as_label(self, name: str) -> str:
        kind = self._kind(name)
        if kind == "other":
            raise InputError(
                f"column {name!r} of {self.source.name} holds lists or records where one value per row was "
                "expected; name another column, or take the values out of it first."
            )
        column = f"c{self._position[name]}"
        return f"CAST({column} AS {_TYPES[kind]})" if kind in _TYPES else column

    def _kind(self, name: str) -> Kind | None:
        """The kind of the column according to the source; None if it is not known."""
        return None if self.source.kinds is None else self.source.kinds[self._position[name]]

    def _check_labels(self, name: str, labels: str) -> None:
        """Raise an error if labels, read as doubles, were integers that doubles do not distinguish."""
        ((largest,),) = self._ask(f"SELECT max(abs(value)) FROM {labels}")
        if largest is not None and largest >= LARGEST_EXACT and self.inexact(name) is not None:
            raise InputError(large_integers_message(f"column {name!r}", "labels"))

    def _number(self, name: str) -> str:
        """Make the table of a column's labels and their codes, once."""
        labels = f"labels{self._position[name]}"
        if name not in self._numbered:
            table, column = self._home[name], self._label(name)
            present = f"isnan({column}) IS NOT TRUE" if self._kind(name) == "float" else "TRUE"
            label = (
                "value"
                if self._kind(name)
                else label_expression(inferred_kind(self._session, table, column), "value")
            )
            self._session.run(
                f"CREATE TEMP TABLE {labels} AS SELECT value, {label} AS label, "
                f"(dense_rank() OVER (ORDER BY {label}) - 1)::INTEGER AS code FROM "
                f"(SELECT DISTINCT {column} AS value FROM {table} WHERE {column} IS NOT NULL AND {present})",
                (),
                self.source.name,
            )
            if self.source.text is not None and self._kind(name) == "float":
                self._check_labels(name, labels)
            self._numbered[name] = int(self._ask(f"SELECT coalesce(max(code) + 1, 0) FROM {labels}")[0][0])
        return labels
