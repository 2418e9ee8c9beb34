"""Formats of files: Arrow's IPC format (Feather) by pyarrow, JSON lines, and table formats that are not read.

The files of a Delta Lake, Iceberg or Hudi table include rows that were replaced or deleted.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from polyroc.errors import InputError, MissingPackageError
from polyroc.io.compression import decompressed
from polyroc.io.frames import LazyTable, Streams, lazy_source, plain_batches, plain_schema, record_streams
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, Kind, Source, kind_of, literal

__all__ = ["arrow_categories", "arrow_source", "check_no_table_format", "json_source"]

_FILE = b"ARROW1"  # the beginning of a file; a stream begins otherwise
_TYPES: dict[Kind, str] = {"integer": "HUGEINT", "float": "DOUBLE", "boolean": "BOOLEAN"}
_NUMBER = r"\s*:\s*(-?[0-9][0-9.eE+-]*)"  # after the name of a column
_OPTIONS = "?, compression = ?, records = 'true', maximum_object_size = 67108864, hive_partitioning = false"
_WHOLE_FILE = "sample_size = -1, map_inference_threshold = -1, field_appearance_threshold = 0"


def arrow_source(
    session: Session, files: Sequence[DataFile], requested: Collection[str], name: str | None = None
) -> Source:
    """A source for Arrow files that have the same columns; only the requested columns are read."""
    schemas = [_schema(file) for file in files]
    for file, schema in zip(files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            raise InputError(
                f"{file.name} does not have the columns and types of {files[0].name}; write it again, or leave it "
                "out."
            )
    columns = tuple(schemas[0].names)

    def select(names: list[Any]) -> Streams:
        positions = [columns.index(column) for column in names]
        schema = plain_schema(schemas[0].field(i) for i in positions)
        return record_streams(schema, lambda: _batches(files, positions, schema))

    return lazy_source(session, LazyTable(name or files[0].name, columns, select), requested, keys=True)


def arrow_categories(file: DataFile, column: str) -> list[Any] | None:
    """The categories of a column that is an ordered categorical; None for another column, or without rows."""
    with _reader(file) as reader:
        kind = reader.schema.field(column).type if column in reader.schema.names else None
        if not getattr(kind, "ordered", False):
            return None
        batches = map(reader.get_batch, range(reader.num_record_batches)) if _is_file(reader) else reader
        position = reader.schema.names.index(column)
        return next((list(batch.column(position).dictionary.to_pylist()) for batch in batches), None)


def _schema(file: DataFile) -> Any:
    with _reader(file) as reader:
        return reader.schema


def _batches(files: Sequence[DataFile], positions: list[int], schema: Any) -> Iterator[Any]:
    for file in files:
        with _reader(file, positions) as reader:
            batches = map(reader.get_batch, range(reader.num_record_batches)) if _is_file(reader) else reader
            for batch in batches:
                yield from plain_batches([batch], schema)


def _is_file(reader: Any) -> bool:
    """Whether batches are read by number, not one after the other."""
    return hasattr(reader, "get_batch")


@contextmanager
def _reader(file: DataFile, positions: list[int] | None = None) -> Iterator[Any]:
    """The reader of some columns of a file or stream."""
    try:
        import pyarrow as pa
        from pyarrow import ipc
    except ImportError:
        raise MissingPackageError(
            f"{file.name} is a file of Arrow's IPC format, which needs pyarrow: pip install pyarrow."
        ) from None
    options = ipc.IpcReadOptions(included_fields=positions)
    try:
        with pa.OSFile(str(file.path)) as stream:
            is_file = stream.read(len(_FILE)) == _FILE
            stream.seek(0)
            with (ipc.open_file if is_file else ipc.open_stream)(stream, options=options) as reader:
                yield reader
    except (pa.ArrowInvalid, OSError) as error:
        reason = str(error).splitlines()[0].rstrip(" .")
        raise InputError(f"{file.name} is damaged: {reason}. Copy it again, or write it again.") from None


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
    # DuckDB would round numbers to doubles before it makes text of them.
    written = ", ".join(f"regexp_extract(CAST(json AS VARCHAR), ?, 1) AS c{i}" for i in range(len(names)))
    objects = "read_json_objects(?, compression = ?, maximum_object_size = 67108864)"
    patterns = (re.escape(json.dumps(column, ensure_ascii=False)) + _NUMBER for column in names)
    text = Source(name, names, f"(SELECT {written} FROM {objects})", (*patterns, *parameters))
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


class _TableFormat(NamedTuple):
    """A table format: the pattern of a file or folder that marks it, and the functions that read it."""

    name: str
    marker: str
    spark: str
    duckdb: str


_TABLE_FORMATS = (
    _TableFormat("Delta Lake", "_delta_log", "spark.read.format('delta').load(...)", "delta_scan('...')"),
    _TableFormat(
        "Iceberg", "metadata/*.metadata.json", "spark.read.format('iceberg').load(...)", "iceberg_scan('...')"
    ),
    _TableFormat("Hudi", ".hoodie", "spark.read.format('hudi').load(...)", ""),
)


def check_no_table_format(paths: Iterable[str | Path]) -> None:
    """Raise an error if one of the folders, or a folder around a path, is a table of such a format."""
    folders = {folder for path in paths for folder in (Path(path).absolute(), *Path(path).absolute().parents)}
    for folder in sorted(folders):
        for format_ in _TABLE_FORMATS:
            if next(folder.glob(format_.marker), None) is not None:
                raise InputError(_table_message(folder, format_))


def _table_message(folder: Path, format_: _TableFormat) -> str:
    extension = format_.duckdb.split("_")[0]
    duckdb = (
        f", or write {format_.duckdb} of DuckDB's extension {extension!r} to a Parquet file" if extension else ""
    )
    return (
        f"'{folder}' is a table of {format_.name}: some of its files hold rows that were replaced or deleted, so "
        f"they are not read directly. Pass the data frame {format_.spark}{duckdb}."
    )
