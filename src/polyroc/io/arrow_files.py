"""Files of Arrow's IPC format, which Feather is the name of too: read in batches by pyarrow."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from polyroc.errors import InputError, MissingPackageError
from polyroc.io.frames import LazyTable, Streams, lazy_source, plain_batches, plain_schema, record_streams
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, Source

__all__ = ["arrow_source"]

_FILE = b"ARROW1"  # the beginning of a file; a stream begins otherwise


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
