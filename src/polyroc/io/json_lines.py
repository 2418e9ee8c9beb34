"""JSON lines: the kinds of the columns are told from the whole file; a line that is no record is found."""

import gzip
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from polyroc.errors import InputError
from polyroc.io.session import Session
from polyroc.io.sources import Kind, Source, compression, kind_of, literal

__all__ = ["json_source"]

_TYPES: dict[Kind, str] = {"integer": "BIGINT", "float": "DOUBLE", "boolean": "BOOLEAN"}
_OPTIONS = "?, compression = ?, records = 'true', maximum_object_size = 67108864, hive_partitioning = false"
_WHOLE_FILE = "sample_size = -1, map_inference_threshold = -1, field_appearance_threshold = 0"


def json_source(session: Session, path: Path, zipped: bool) -> Source:
    """A source for a file of JSON records; text that looks like a date stays text."""
    parameters = (literal(path), compression(zipped))
    try:
        told = session.rows(
            f"DESCRIBE SELECT * FROM read_json({_OPTIONS}, {_WHOLE_FILE})", parameters, f"'{path}'"
        )
    except InputError as error:
        raise InputError(_odd_line(path, zipped) or str(error)) from None
    names = tuple(str(row[0]) for row in told)
    _check_capitals(session, path, names, parameters)
    kinds = tuple(kind_of(str(row[1])) for row in told)
    columns = {name: _TYPES.get(kind, "VARCHAR") for name, kind in zip(names, kinds, strict=True)}
    return Source(f"'{path}'", names, f"read_json({_OPTIONS}, columns = ?)", (*parameters, columns), kinds)


def _odd_line(path: Path, zipped: bool) -> str | None:
    """The first line that is not a record, in words; None if there is none, or the records are in an array."""
    try:
        with gzip.open(path) if zipped else path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip() and not _is_record(line):
                    return _told(path, number, line.decode(errors="replace").strip())
    except (OSError, EOFError, zlib.error):
        return f"'{path}' is damaged: it cannot be unpacked. Pack it again with gzip."
    return None


def _told(path: Path, number: int, line: str) -> str | None:
    if re.match(r"\[\s*(\{|$)", line):  # an array of records
        return None
    remedy = 'Write one record {"column": value, ...} per line'
    return f"'{path}': line {number} is not a JSON record: {line[:60]!r}. {remedy}."


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _check_capitals(session: Session, path: Path, names: Sequence[str], parameters: Sequence[Any]) -> None:
    """DuckDB takes Cat and cat for one name and calls the second cat_1; if it may have done so, look."""
    lower = {name.lower() for name in names}
    if not any(re.sub(r"_\d+$", "", name) in lower - {name} for name in lower):
        return
    query = "SELECT DISTINCT unnest(json_keys(json)) FROM read_json_objects(?, compression = ?)"
    keys = {str(row[0]) for row in session.rows(query, parameters, f"'{path}'")}
    if not keys <= set(names):
        raise InputError(
            f"'{path}' has columns whose names differ in capitals only (one is {min(keys - set(names))!r}), which "
            "cannot be told apart in JSON; rename one, or write the file as CSV or Parquet."
        )
