"""Preview of a file: its columns, their content, and the first rows, for a user who chooses columns."""

from os import PathLike
from pathlib import Path
from typing import NamedTuple

from polyroc.io.files import file_source
from polyroc.io.session import Session
from polyroc.io.sources import DataFile

__all__ = ["Column", "Preview", "preview"]

PREVIEWED_ROWS = 10_000  # columns are described by so many rows
MOST_VALUES = 100  # columns with more distinct values list none


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
    """

    name: str
    numeric: bool
    low: float | None
    high: float | None
    values: tuple[str, ...]
    distinct: int


class Preview(NamedTuple):
    """The columns, the first rows as text, and the number of rows that describe the columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str | None, ...], ...]
    previewed: int


def preview(path: str | PathLike[str] | DataFile, rows: int = 8) -> Preview:
    r"""The columns and first rows of a CSV, TSV, Parquet or JSON-lines file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "pets.csv")
    ...     _ = file.write_text("kind,p_dog\ncat,0.1\ndog,0.7\n")
    ...     seen = preview(file)
    >>> seen.columns[0].values, seen.columns[1].numeric, seen.rows[0]
    (('cat', 'dog'), True, ('cat', '0.1'))
    """
    with Session() as session:
        source = file_source(session, path if isinstance(path, DataFile) else Path(path), (), verify=False)
        places = range(len(source.columns))
        texts = source.select([f"CAST(c{i} AS VARCHAR)" for i in places])
        session.run(
            f"CREATE TEMP TABLE seen AS SELECT * FROM ({texts} LIMIT {PREVIEWED_ROWS}) "
            f"AS seen({', '.join(f'c{i}' for i in places)})",
            source.parameters,
            source.name,
        )
        columns = tuple(_column(session, i, source.columns[i], source.name) for i in places)
        first = session.rows(f"SELECT * FROM seen LIMIT {rows}", (), source.name)
        previewed = session.rows("SELECT count(*) FROM seen", (), source.name)[0][0]
    return Preview(columns, tuple(tuple(row) for row in first), int(previewed))


def _column(session: Session, i: int, name: str, reading: str) -> Column:
    number = f"TRY_CAST(c{i} AS DOUBLE)"
    query = f"SELECT count(c{i}), count({number}), min({number}), max({number}), count(DISTINCT c{i}) FROM seen"
    filled, numbers, low, high, distinct = session.rows(query, (), reading)[0]
    numeric = 0 < filled == numbers
    values: tuple[str, ...] = ()
    if distinct <= MOST_VALUES:
        order = f"{number}, c{i}" if numeric else f"c{i}"
        listed = session.rows(
            f"SELECT DISTINCT c{i}, {number} FROM seen WHERE c{i} IS NOT NULL ORDER BY {order}", (), reading
        )
        values = tuple(str(value) for value, _ in listed)
    return Column(name, numeric, low if numeric else None, high if numeric else None, values, int(distinct))
