"""Preview of a file: its columns, their content, and the first rows, for a user who chooses columns."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from polyroc.errors import InputError
from polyroc.io.files import file_source
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, Decimal, Source

__all__ = ["Column", "Preview", "distinct_values", "has_more_rows", "preview"]

PREVIEWED_ROWS = 10_000  # columns are described by so many rows,
PREVIEWED_VALUES = 1_000_000  # and by fewer in a file of more than a hundred columns
MOST_CHARACTERS = 1000  # of a value
MOST_VALUES = 100  # columns with more distinct values list none
MOST_WORDS = 0.1  # share of the values of a column that is otherwise one of numbers
MOST_COUNTED = 30  # columns whose distinct values are those of all rows


class Column(NamedTuple):
    """The content of a column in the previewed rows.

    Attributes
    ----------
    name
        Name in the file.
    numeric
        True if every value is a number.
    low, high
        The smallest and the largest, of a column of numbers.
    values
        The distinct values as text, in order; empty if there are more than a hundred.
    distinct
        The number of distinct values.
    odd
        A value that is not a number, if most are.
    """

    name: str
    numeric: bool
    low: float | None
    high: float | None
    values: tuple[str, ...]
    distinct: int
    odd: str | None = None


class Preview(NamedTuple):
    """The columns, the first rows as text, and the number of rows that describe the columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str | None, ...], ...]
    previewed: int


def preview(
    path: str | PathLike[str] | DataFile,
    rows: int = 8,
    *,
    most_columns: int | None = None,
    table: str | None = None,
) -> Preview:
    r"""The columns and first rows of a CSV, TSV, Parquet or JSON-lines file.

    A file with more than `most_columns` columns raises an error before anything else is read. `table` is the sheet
    of a workbook.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "pets.csv")
    ...     _ = file.write_text("kind,p_dog\ncat,0.1\ndog,0.7\n")
    ...     seen = preview(file)
    >>> seen.columns[0].values, seen.columns[1].numeric, seen.rows[0]
    (('cat', 'dog'), True, ('cat', '0.1'))
    """
    with Session() as session:
        source = _source(session, path, table)
        number = len(source.columns)
        if most_columns is not None and number > most_columns:
            raise InputError(
                f"{source.name} has {number:,} columns, more than {most_columns:,}; keep the true class, the "
                "scores and what else is needed."
            )
        texts = [f"left(CAST(c{i} AS VARCHAR), {MOST_CHARACTERS})" for i in range(number)]
        previewed = max(rows, min(PREVIEWED_ROWS, PREVIEWED_VALUES // number))
        first = session.rows(f"{source.select(texts)} LIMIT {previewed}", source.parameters, source.name)
    values = zip(*first, strict=True) if first else ((),) * number
    columns = tuple(_column(name, own, source.decimal) for name, own in zip(source.columns, values, strict=True))
    return Preview(columns, tuple(tuple(row) for row in first[:rows]), len(first))


def distinct_values(path: str | PathLike[str] | DataFile, seen: Preview, table: str | None = None) -> Preview:
    """The preview with the values of all rows where a column has few of them, so that no class is missed.

    Of a file with no more rows than were previewed, or of very many such columns, it is the preview itself.
    """
    places = [place for place, column in enumerate(seen.columns) if column.values][:MOST_COUNTED]
    if seen.previewed < PREVIEWED_ROWS or not places:
        return seen
    with Session() as session:
        source = _source(session, path, table)
        lists = [f"list(DISTINCT left(CAST(c{place} AS VARCHAR), {MOST_CHARACTERS}))" for place in places]
        (row,) = session.rows(source.select(lists), source.parameters, source.name)
    columns = [*seen.columns]
    for place, values in zip(places, row, strict=True):
        columns[place] = _column(columns[place].name, values or (), source.decimal)
    return seen._replace(columns=tuple(columns))


def has_more_rows(path: str | PathLike[str] | DataFile, most: int, table: str | None = None) -> bool:
    r"""True if a file has more than this number of rows; no more than one further row is read.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "pets.csv")
    ...     _ = file.write_text("kind,p_dog\ncat,0.1\ndog,0.7\n")
    ...     [has_more_rows(file, 1), has_more_rows(file, 2)]
    [True, False]
    """
    with Session() as session:
        source = _source(session, path, table)
        query = f"SELECT count(*) FROM (SELECT 1 FROM {source.call} LIMIT {most + 1})"
        return bool(session.rows(query, source.parameters, source.name)[0][0] > most)


def _source(session: Session, path: str | PathLike[str] | DataFile, table: str | None = None) -> Source:
    return file_source(session, path if isinstance(path, DataFile) else Path(path), (), table, verify=False)


def _column(name: str, values: Sequence[str | None], decimal: Decimal) -> Column:
    distinct = {value for value in values if value is not None}
    numbers = {value: _number(value if decimal == "." else value.replace(decimal, ".")) for value in distinct}
    known = [number for number in numbers.values() if number is not None and number == number]  # no nan
    numeric = bool(known) and None not in numbers.values()
    listed: list[str] = []
    if len(distinct) <= MOST_VALUES:
        listed = sorted(distinct, key=lambda value: (numbers[value] if numeric else 0, value))
    low, high = (min(known), max(known)) if numeric else (None, None)
    words = [value for value, number in numbers.items() if number is None]
    odd = min(words) if words and len(words) < MOST_WORDS * len(distinct) else None
    return Column(name, numeric, low, high, tuple(listed), len(distinct), odd)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
