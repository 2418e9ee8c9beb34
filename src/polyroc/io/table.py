"""The requested columns in DuckDB: numbers as arrays, labels as codes, never as one object per row."""

import re
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.io.columns import columns_text
from polyroc.io.csv_files import rejected
from polyroc.io.session import Session
from polyroc.io.sources import Kind, Source
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray
from polyroc.validation.labels import Coded
from polyroc.validation.predictions import LARGEST_EXACT, equal_doubles_message

__all__ = [
    "DIGITS",
    "Table",
    "check_distinct",
    "check_equal_doubles",
    "distinct_below",
    "inferred_kind",
    "label_expression",
    "may_be_equal",
]

DIGITS = (
    "trim(BOTH '0' FROM translate(split_part(lower(t), 'e', 1), '+-., \t', ''))"  # of text t, in SQL of any kind
)
DECIMAL_DIGITS = 15  # decimals with no more digits are different doubles
_NEVER = "false"
_LONG_INTEGERS = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
_LONG_NUMBER = r"^\s*[+-]?([0.]*[1-9]([.,]?[0-9]){17}|0*[1-9][0-9]{15,}\s*$)"
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
           count(TRY_CAST(value AS DOUBLE)) FILTER
               (NOT regexp_matches(value, '^\\s*[+-]?(0[0-9]|[0-9]{{16,}}|[0-9.]{{20,}})')),
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


def may_be_equal(column: str, type_name: str) -> str:
    """Return the SQL condition that another number of a column may become the same double.

    Integers up to 2^53 and decimals of 15 digits remain different, and so does what programs write of doubles:
    texts of 17 digits. Longer ones are compared by `check_distinct`.
    """
    if type_name == "VARCHAR":
        # The pattern takes longer than reading: it is for 18 digits besides the point and a zero before it, or 16.
        longest = f"strlen({column}) - starts_with({column}, '0.')::INT - 3 * contains({column}, '.')::INT"
        return f"CASE WHEN {longest} >= 16 THEN regexp_matches({column}, '{_LONG_NUMBER}') ELSE false END"
    limit = distinct_below(type_name)
    return _NEVER if limit == inf else f"abs(CAST({column} AS DOUBLE)) >= {limit!r}::DOUBLE"


def distinct_below(type_name: str) -> float:
    """Return the size below which different numbers of a type are different doubles.

    >>> distinct_below("INTEGER"), distinct_below("BIGINT"), distinct_below("DECIMAL(38,10)")
    (inf, 9007199254740992.0, 100000.0)
    """
    digits, scale = map(int, re.findall(r"\d+", type_name)) if type_name.startswith("DECIMAL") else (0, 0)
    if type_name not in _LONG_INTEGERS and digits <= DECIMAL_DIGITS:
        return inf
    return 10.0 ** (DECIMAL_DIGITS - scale) if scale else float(LARGEST_EXACT)


def check_distinct(
    session: Session, source: Source, classifiers: Iterable[Sequence[str]], values: str = "scores"
) -> None:
    """Raise an error if different numbers of a classifier's columns are equal as doubles.

    The rule is that of `polyroc.validation.predictions.check_distinct`; columns are read twice only if they hold
    numbers long enough.
    """
    source = source.text or source
    classifiers = [*classifiers]
    conditions = [_condition(session, source, names) for names in classifiers]
    if set(conditions) <= {_NEVER}:
        return
    query = source.select([f"bool_or({condition})" for condition in conditions])
    (answers,) = session.rows(query, source.parameters, source.name)
    for names, is_doubtful in zip(classifiers, answers, strict=True):
        if is_doubtful:
            check_equal_doubles(session, source, names, values)


def _condition(session: Session, source: Source, names: Sequence[str]) -> str:
    """Return the SQL condition that a number in one of these columns `may_be_equal`."""
    columns = [f"c{source.columns.index(name)}" for name in names]
    described = session.rows(f"DESCRIBE {source.select(columns)}", source.parameters, source.name)
    conditions = (may_be_equal(column, str(row[1])) for column, row in zip(columns, described, strict=True))
    return " OR ".join(condition for condition in conditions if condition != _NEVER) or _NEVER


def check_equal_doubles(session: Session, source: Source, names: Sequence[str], values: str = "scores") -> None:
    """Raise an error if one double stands for texts with different digits in these columns.

    Texts of the same double have the same size, so that the digits tell whether they are the same number.
    """
    columns = [f"c{source.columns.index(name)}" for name in names]
    doubles = ", ".join(f"TRY_CAST({source.number_text(column)} AS DOUBLE)" for column in columns)
    texts = ", ".join(f"CAST({column} AS VARCHAR)" for column in columns)
    query = f"""
        WITH numbers AS ({source.select([f"unnest([{doubles}]) AS d", f"unnest([{texts}]) AS t"])}),
             several AS (SELECT d FROM numbers WHERE isfinite(d) GROUP BY d HAVING min(hash(t)) <> max(hash(t)))
        SELECT arg_min(t, digits), arg_max(t, digits)
        FROM (SELECT d, t, {DIGITS} AS digits FROM numbers WHERE d IN (FROM several))
        GROUP BY d HAVING min(digits) <> max(digits) LIMIT 1
    """
    for one, other in session.rows(query, source.parameters, source.name):
        argument = f"{columns_text(names)} of {source.name}"
        raise InputError(equal_doubles_message(argument, one.strip(), other.strip(), values))


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

    def check_distinct(self, classifiers: Sequence[Sequence[str]]) -> None:
        """Raise an error if different scores in a classifier's columns are equal as doubles."""
        if self.source.text is not None:
            check_distinct(self._session, self.source, classifiers)
            return
        for names in classifiers:
            is_doubtful = " OR ".join(f"x{self._position[name]}" for name in names)
            if self._ask(f"SELECT bool_or({is_doubtful}) FROM data")[0][0]:
                check_equal_doubles(self._session, self.source, names)

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
                f"column {name!r} holds {count:,} labels, more than {_MOST_LABELS:,}; is it an identifier? "
                "Name another column."
            )
        rows = self._ask(f"SELECT DISTINCT code, label FROM {self._number(name)} ORDER BY code")
        return Coded(self.codes(name), tuple(label for _, label in rows))

    def count(self, name: str) -> int:
        """The number of distinct labels of a column."""
        self._number(name)
        return self._numbered[name]

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

    def reread(self, *names: str) -> None:
        """Read columns, such as those of numbers, as columns of labels."""
        further = [name for name in names if name not in self._home]
        if further:
            self._load(f"again{self._position[further[0]]}", (), further)

    def _ask(self, query: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return self._session.rows(query, parameters, self.source.name)

    def _label(self, name: str) -> str:
        return f"l{self._position[name]}"

    def _load(self, table: str, numbers: Sequence[str], labels: Sequence[str]) -> None:
        kept = [f"{self._as_number(name)} AS n{self._position[name]}" for name in numbers]
        kept += [
            f"{_condition(self._session, self.source, [name])} AS x{self._position[name]}" for name in numbers
        ]
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
                f"column {name!r} of {self.source.name} holds lists or records, or decimals of more than 38 "
                "digits, where one value per row was expected; name another column, or write it again."
            )
        column = f"c{self._position[name]}"
        return f"CAST({column} AS {_TYPES[kind]})" if kind in _TYPES else column

    def _kind(self, name: str) -> Kind | None:
        """The kind of the column according to the source; None if it is not known."""
        return None if self.source.kinds is None else self.source.kinds[self._position[name]]

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
            if self._kind(name) == "float":
                check_distinct(self._session, self.source, [[name]], "labels")
            self._numbered[name] = int(self._ask(f"SELECT coalesce(max(code) + 1, 0) FROM {labels}")[0][0])
        return labels
