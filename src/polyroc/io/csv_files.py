"""CSV files: the header with its names and delimiter, and messages about rows that cannot be read."""

import csv
import re
from collections.abc import Collection, Mapping, Sequence
from io import StringIO, TextIOWrapper
from typing import Any, NamedTuple

from polyroc.errors import InputError
from polyroc.io.compression import decompressed
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, Decimal, Source, literal
from polyroc.messages import Message, Option

__all__ = ["Header", "csv_call", "not_utf8", "number_remedy", "read_header", "rejected"]


_HEADER_CHARACTERS = 1 << 20  # long enough for any header
_MISSING = ["", "NA", "N/A", "#N/A", "<NA>", "nan", "NaN", "NAN", "-nan", "NULL", "null", "Null"]
_OPTIONS = (  # nothing is left for DuckDB to detect: it would take lines that begin with # for comments
    "?, delim = ?, skip = ?, columns = ?, nullstr = ?, compression = ?, header = true, auto_detect = false, "
    "quote = '\"', escape = '\"'"
)


_DELIMITERS = {".tsv": "\t,;|", ".txt": "\t,;| "}  # R writes .txt with spaces
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_DECIMAL_POINT = re.compile(r"\s*[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?\s*")


class Header(NamedTuple):
    """The names of the columns, the delimiter, and the number of empty lines before the header."""

    names: tuple[str, ...]
    delimiter: str
    skip: int


def read_header(file: DataFile, names: Collection[str]) -> Header:
    """The header, split at the delimiter that gives most of the requested names, then most columns."""
    text = _beginning(file)
    delimiters = _DELIMITERS.get(file.ending, ",;\t|")
    candidates = [_split(text, delimiter) for delimiter in delimiters]
    headers = [header for header in candidates if header is not None]
    if not headers:
        raise InputError(f"{file.name} is empty; a header line and at least one row per class are needed.")
    _check_line_ends(file, text)
    return max(headers, key=lambda header: (len(set(names) & set(header.names)), len(header.names)))


def _check_line_ends(file: DataFile, text: str) -> None:
    """Raise an error if empty lines before the header end otherwise than the header: DuckDB would read no row."""
    header = text.lstrip("\r\n")
    before = re.findall(r"\r\n|\r|\n", text[: len(text) - len(header)])
    if len({*before, *re.findall(r"\r\n|\r|\n", header)[:1]}) > 1:
        raise InputError(_irregular(file.name))


def _irregular(name: str) -> str:
    return (
        f"{name} is not regular CSV: its line endings differ, or its quotes do not match. Save it again from the "
        "program that made it."
    )


def csv_call(
    files: Sequence[DataFile], header: Header, types: Mapping[int, str], options: str
) -> tuple[str, tuple[Any, ...]]:
    """The call that reads files with the same header, and its parameters; the columns are c0, c1, ...

    Columns are text unless `types` has a type for their position; `options` are further options of the call.
    """
    columns = {f"c{i}": types.get(i, "VARCHAR") for i in range(len(header.names))}
    paths = [literal(file.path) for file in files]
    parameters = (paths, header.delimiter, header.skip, columns, _MISSING, files[0].compression)
    if files[0].decimal != ".":
        options += f", decimal_separator = '{files[0].decimal}'"
    return f"read_csv({_OPTIONS}, {options})", parameters


def number_remedy(value: str, decimal: Decimal = ".") -> tuple[str | Option, ...]:
    """What to do about a text where a number was expected, if it is one with another sign; empty if it is not.

    >>> print(*number_remedy("0,5"))
    it looks like a number with a decimal comma: use  decimal=','
    """
    if decimal == "." and _DECIMAL_COMMA.fullmatch(value):
        return "it looks like a number with a decimal comma: use ", Option("decimal", ",")
    if decimal == "," and _DECIMAL_POINT.fullmatch(value):
        return "it has a decimal point: leave out ", Option("decimal", ","), ", or write all numbers alike"
    return ()


def _beginning(file: DataFile) -> str:
    try:
        with decompressed(file) as content, TextIOWrapper(content, encoding="utf-8-sig", newline="") as text:
            return text.read(_HEADER_CHARACTERS)
    except UnicodeDecodeError:
        raise InputError(*not_utf8(file.name)) from None


def not_utf8(name: str) -> tuple[str | Option, ...]:
    """The message about bytes that are not UTF-8."""
    return (
        f"{name} is not text in UTF-8; name its encoding, such as ",
        Option("encoding", "latin-1", "cp1252", "utf-16"),
        ", or save it again in UTF-8.",
    )


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
        "Quote values that contain the delimiter, or complete the header",
    ),
    "MISSING COLUMNS": (
        "fewer values than the header has names",
        "Complete the row; a missing value is written as an empty one",
    ),
    "UNQUOTED VALUE": (
        "a quote that is not closed, or does not enclose the whole value,",
        "Quote the whole value and double the quotes inside it",
    ),
}
_OTHER = ("something that is not CSV", "Correct it")


def rejected(session: Session, source: Source, expressions: Sequence[str]) -> Message | None:
    """A message about the rows that cannot be read, found by reading again; None if the source cannot tell."""
    if source.rejects is None:
        return None
    query = f"CREATE TEMP TABLE readable AS {source.select(expressions, source.rejects)}"
    rejects = "SELECT line, error_type::VARCHAR, csv_line FROM reject_errors ORDER BY line"
    try:
        session.run(query, source.parameters, source.name)
        rows = session.rows(rejects, (), source.name)
    except InputError as error:
        if "state machine" not in str(error):
            return error.message
        return Message(_irregular(source.name))
    return _message(source, rows) if rows else None


def _message(source: Source, rejects: Sequence[tuple[int, str, str]]) -> Message:
    kind, text = rejects[0][1:]
    rows = [str(line - source.before) for line, other, _ in rejects if other == kind]
    where = f"row{'s' if rows[1:] else ''} {', '.join(rows[:3])}{' and more' if rows[3:] else ''}"
    if kind == "INVALID ENCODING":
        return Message(*not_utf8(f"{source.name} ({where})"))
    problem, remedy = _REASONS.get(kind, _OTHER)
    names = f" ({len(source.columns)})" if "COLUMNS" in kind else ""
    return Message(f"{source.name} has {problem}{names} in {where}: {text.strip()[:60]!r}. {remedy}.")
