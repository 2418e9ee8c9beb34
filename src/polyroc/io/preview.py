"""The beginning of a file: its columns, what they hold, and a few rows, for somebody who has to choose."""

from os import PathLike
from pathlib import Path
from typing import NamedTuple

from polyroc.io.files import file_source
from polyroc.io.session import Session

__all__ = ["Column", "Preview", "preview"]

LOOKED_AT = 10_000  # rows by which a column is described
MOST_VALUES = 100  # different values that are listed


class Column(NamedTuple):
    """What a column holds in the rows looked at.

    Attributes
    ----------
    name
        As the file has it.
    numeric
        True if every value is a number.
    low, high
        The smallest and the largest, of a column of numbers.
    values
        The different values as text, in order; empty if there are more than a hundred.
    distinct
        How many different values there are.
    """

    name: str
    numeric: bool
    low: float | None
    high: float | None
    values: tuple[str, ...]
    distinct: int


class Preview(NamedTuple):
    """The columns, the first rows as text, and how many rows the description rests on."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str | None, ...], ...]
    looked_at: int


def preview(path: str | PathLike[str], rows: int = 8) -> Preview:
    r"""Look at the first rows of a CSV, TSV, Parquet or JSON-lines file.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "pets.csv")
    ...     _ = file.write_text("kind,p_dog\ncat,0.1\ndog,0.7\n")
    ...     seen = preview(file)
    >>> seen.columns[0].values, seen.columns[1].numeric, seen.rows[0]
    (('cat', 'dog'), True, ('cat', '0.1'))
    """
    with Session() as session:
        source = file_source(session, Path(path), ())
        held = range(len(source.columns)) if source.held is None else source.held
        texts = source.select([f"CAST(c{i} AS VARCHAR)" for i in held])
        session.run(
            f"CREATE TEMP TABLE seen AS SELECT * FROM ({texts} LIMIT {LOOKED_AT}) "
            f"AS seen({', '.join(f'c{i}' for i in held)})",
            source.parameters,
            source.name,
        )
        columns = tuple(_column(session, i, source.columns[i], source.name) for i in held)
        first = session.rows(f"SELECT * FROM seen LIMIT {rows}", (), source.name)
        looked_at = session.rows("SELECT count(*) FROM seen", (), source.name)[0][0]
    return Preview(columns, tuple(tuple(row) for row in first), int(looked_at))


def _column(session: Session, i: int, name: str, reading: str) -> Column:
    number = f"TRY_CAST(c{i} AS DOUBLE)"
    query = f"SELECT count(c{i}), count({number}), min({number}), max({number}), count(DISTINCT c{i}) FROM seen"
    filled, numbers, low, high, distinct = session.rows(query, (), reading)[0]
    numeric = 0 < filled == numbers
    values: tuple[str, ...] = ()
    if distinct <= MOST_VALUES:
        order = f"{number}, c{i}" if numeric else f"c{i}"
        found = session.rows(
            f"SELECT DISTINCT c{i}, {number} FROM seen WHERE c{i} IS NOT NULL ORDER BY {order}", (), reading
        )
        values = tuple(str(value) for value, _ in found)
    return Column(name, numeric, low if numeric else None, high if numeric else None, values, int(distinct))
