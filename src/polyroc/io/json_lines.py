"""JSON lines: the types of the columns are inferred from the whole file; an invalid line is reported."""

import json
import re
from collections.abc import Sequence
from typing import Any

from polyroc.errors import InputError
from polyroc.io.compression import decompressed
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, Kind, Source, kind_of, literal

__all__ = ["json_source"]

_TYPES: dict[Kind, str] = {"integer": "HUGEINT", "float": "DOUBLE", "boolean": "BOOLEAN"}
_OPTIONS = "?, compression = ?, records = 'true', maximum_object_size = 67108864, hive_partitioning = false"
_WHOLE_FILE = "sample_size = -1, map_inference_threshold = -1, field_appearance_threshold = 0"


def json_source(session: Session, files: Sequence[DataFile], name: str | None = None) -> Source:
    """A source for files of JSON records, equally compressed; text that looks like a date stays text."""
    name = name or files[0].name
    parameters = ([literal(file.path) for file in files], files[0].compression)
    try:
        description = session.rows(
            f"DESCRIBE SELECT * FROM read_json({_OPTIONS}, {_WHOLE_FILE})", parameters, name
        )
    except InputError as error:
        invalid = (message for file in files if (message := _invalid_line(file)) is not None)
        raise InputError(next(invalid, error.message)) from None
    names = tuple(str(row[0]) for row in description)
    _check_capitals(session, name, names, parameters)
    kinds = tuple(kind_of(str(row[1])) for row in description)
    types = {column: _TYPES.get(kind, "VARCHAR") for column, kind in zip(names, kinds, strict=True)}
    call = f"read_json({_OPTIONS}, columns = ?)"
    text = Source(name, names, call, (*parameters, dict.fromkeys(names, "VARCHAR")))
    return Source(name, names, call, (*parameters, types), kinds, text=text)


def _invalid_line(file: DataFile) -> str | None:
    """A message about the first line that is not a record; None if all are, or the records are in an array."""
    with decompressed(file) as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip() and not _is_record(line):
                return _line_message(file.name, number, line.decode(errors="replace").strip())
    return None


def _line_message(name: str, number: int, line: str) -> str | None:
    if re.match(r"\[\s*(\{|$)", line):  # an array of records
        return None
    remedy = 'Write one record {"column": value, ...} per line'
    return f"{name}: line {number} is not a JSON record: {line[:60]!r}. {remedy}."


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):  # nested too deeply
        return False


def _check_capitals(session: Session, name: str, names: Sequence[str], parameters: Sequence[Any]) -> None:
    """Check for names that differ in capitals only: DuckDB renames the second of Cat and cat to cat_1."""
    lower = {column.lower() for column in names}
    if not any(re.sub(r"_\d+$", "", column) in lower - {column} for column in lower):
        return
    query = "SELECT DISTINCT unnest(json_keys(json)) FROM read_json_objects(?, compression = ?)"
    keys = {str(row[0]) for row in session.rows(query, parameters, name)}
    if not keys <= set(names):
        raise InputError(
            f"{name} has columns whose names differ in capitals only (one is {min(keys - set(names))!r}), which "
            "cannot be distinguished in JSON; rename one, or write the file as CSV or Parquet."
        )
