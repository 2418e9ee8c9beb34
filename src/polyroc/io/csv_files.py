"""The header of a CSV file: its true names, the delimiter, and where it starts."""

import csv
import gzip
import zlib
from collections.abc import Collection, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from polyroc.errors import InputError
from polyroc.io.session import Session
from polyroc.io.sources import Source

__all__ = ["Header", "read_header", "rejected"]


_ENOUGH = 1 << 20  # characters that surely hold the header


class Header(NamedTuple):
    """The names, what stands between them, and how many empty lines come before."""

    names: tuple[str, ...]
    delimiter: str
    skip: int


def read_header(path: Path, zipped: bool, tabs: bool, asked: Collection[str]) -> Header:
    """Read it with the delimiter that shows most of the columns asked for, then most columns."""
    text = _beginning(path, zipped)
    found = [_split(text, delimiter) for delimiter in ("\t,;|" if tabs else ",;\t|")]
    headers = [header for header in found if header is not None]
    if not headers:
        raise InputError(f"'{path}' is empty; a header line and at least one row per class are needed.")
    return max(headers, key=lambda header: (len(set(asked) & set(header.names)), len(header.names)))


def _beginning(path: Path, zipped: bool) -> str:
    opened = gzip.open if zipped else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
            return str(lines.read(_ENOUGH))
    except UnicodeDecodeError:
        raise InputError(
            f"'{path}' is not text in UTF-8; save it again as a CSV file with that encoding."
        ) from None
    except (OSError, EOFError, zlib.error):
        raise InputError(f"'{path}' is damaged: it cannot be unpacked. Pack it again with gzip.") from None


def _split(text: str, delimiter: str) -> Header | None:
    """The first line that is not empty."""
    try:
        for skip, names in enumerate(csv.reader(StringIO(text, newline=""), delimiter=delimiter)):
            if names:
                return Header(tuple(names), delimiter, skip)
    except csv.Error:  # a field without end: not a header
        pass
    return None


_REASONS = {
    "TOO MANY COLUMNS": (
        "more values than the header has names",
        "Put values that hold the delimiter in quotes, or complete the header",
    ),
    "MISSING COLUMNS": (
        "fewer values than the header has names",
        "Complete the row; a missing value is written as an empty one",
    ),
    "UNQUOTED VALUE": (
        "a quote that does not end, or does not enclose the whole value,",
        "Put the whole value in quotes and double the quotes inside it",
    ),
    "INVALID ENCODING": ("bytes that are not text in UTF-8", "Save the file again with that encoding"),
}
_OTHER = ("something that is not CSV", "Correct it")


def rejected(session: Session, source: Source, expressions: Sequence[str]) -> str | None:
    """Read once more, noting the bad rows; None if the source has no rows to note."""
    if source.rejects is None:
        return None
    query = f"CREATE TEMP TABLE readable AS {source.select(expressions, source.rejects)}"
    told = "SELECT line, error_type::VARCHAR, csv_line FROM reject_errors ORDER BY line"
    try:
        session.run(query, source.parameters, source.name)
        found = session.rows(told, (), source.name)
    except InputError as error:
        if "state machine" not in str(error):
            return str(error)
        return (
            f"{source.name} is not regular CSV: its lines end in different ways, or its quotes do not match. "
            "Save it again from the program that made it."
        )
    return _message(source, found) if found else None


def _message(source: Source, found: Sequence[tuple[int, str, str]]) -> str:
    kind, text = found[0][1:]
    trouble, remedy = _REASONS.get(kind, _OTHER)
    names = f" ({len(source.columns)})" if "COLUMNS" in kind else ""
    rows = [str(line - source.before) for line, same, _ in found if same == kind]
    where = f"row{'s' if rows[1:] else ''} {', '.join(rows[:3])}{' and more' if rows[3:] else ''}"
    return f"{source.name} has {trouble}{names} in {where}: {text.strip()[:60]!r}. {remedy}."
