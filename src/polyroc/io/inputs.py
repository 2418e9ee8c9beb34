"""Inputs that are neither a path nor a table: open files, standard input, and what a DuckDB connection can read.

polyroc opens no network connection. Data elsewhere come through a file object or a DuckDB connection that the
caller has opened.
"""

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from io import TextIOBase
from pathlib import Path, PurePath
from typing import Any

from polyroc.errors import InputError
from polyroc.io.compression import decompressed
from polyroc.io.files import HEAD, content_of
from polyroc.io.sources import DataFile
from polyroc.messages import Option, short_repr

__all__ = ["LocalCopy", "check_file_options", "check_local", "is_file_object", "resolve_input"]

_BLOCK = 2**20  # bytes that are copied at once
_ENDINGS = {"CSV": ".csv", "JSON": ".json", "Parquet": ".parquet", "Arrow IPC": ".arrow", "DuckDB": ".duckdb"}
_ENDINGS["an Excel workbook"] = ".xlsx"
_COMPRESSED = {"gzip": ".gz", "zstd": ".zst"}


class LocalCopy(os.PathLike[str]):
    """What a file object holds, as a temporary file that is removed with this object.

    Engines scan data several times, and most formats are not read from the beginning to the end. The ending of the
    file tells its format, which is recognised by its first bytes.

    Attributes
    ----------
    file
        The temporary file, and its name in messages.
    """

    def __init__(self, stream: Any, name: str, encoding: str | None = None) -> None:
        folder = tempfile.mkdtemp(prefix="polyroc-")
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        path = Path(folder, re.sub(r"[^A-Za-z0-9_-]+", "-", PurePath(name).stem).strip("-")[:60] or "input")
        _copy(stream, path, name)
        self.file = DataFile(_with_ending(DataFile(path, name, encoding=encoding)), name)

    def __fspath__(self) -> str:
        return str(self.file.path)


def _copy(stream: Any, path: Path, name: str) -> None:
    try:
        with path.open("wb") as copy:
            while block := stream.read(_BLOCK):
                copy.write(block.encode() if isinstance(block, str) else block)
    except Exception as error:  # of any package that the stream may be from
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(" .")
        raise InputError(f"'{name}' cannot be read: {reason}.") from error


def _with_ending(file: DataFile) -> Path:
    """The same file, renamed to end as its content does."""
    with file.path.open("rb") as stream:
        content = content_of(stream.read(HEAD), encoding=file.encoding)
    if content in _COMPRESSED:
        file = file._replace(path=file.path.rename(file.path.with_suffix(_COMPRESSED[content])))
        with decompressed(file) as stream:
            content = content_of(stream.read(HEAD), encoding=file.encoding)
    if content == "nothing":
        raise InputError(f"{file.name} is empty; there is nothing to read.")
    if content == "text in UTF-16":
        raise InputError(f"{file.name} is {content}; read it with ", Option("encoding", "utf-16"), ".")
    if content not in _ENDINGS:
        raise InputError(
            f"{file.name} is {content}; expected {', '.join(_ENDINGS)}, the text formats also compressed."
        )
    return file.path.rename(file.path.with_name(f"{file.path.stem}{_ENDINGS[content]}{file.path.suffix}"))


def is_file_object(data: Any) -> bool:
    """Whether this is an open file, or one that fsspec can open."""
    return callable(getattr(data, "read", None)) or _is_fsspec(data)


def _is_fsspec(data: Any) -> bool:
    return any(kind.__name__ == "OpenFile" and kind.__module__.startswith("fsspec") for kind in type(data).__mro__)


def resolve_input(source: Any, connection: Any = None, encoding: str | None = None) -> Any:
    """The input as a path or a table: open files are copied, and a connection reads the files that are named."""
    if connection is not None:
        return _relation(source, connection)
    if is_file_object(source):
        return _local_copy(source, encoding)
    for path in _paths(source):
        check_local(path)
    return source


def check_file_options(source: Any, connection: Any, decimal: str, encoding: str | None) -> None:
    """Raise an error for a decimal sign or an encoding of something that is not a file."""
    if decimal not in (".", ","):
        raise InputError(Option("decimal"), f" must be '.' or ',', got {short_repr(decimal)}.")
    is_file = is_file_object(source) or isinstance(source, DataFile) or bool(_paths(source))
    for name, value, default in (("decimal", decimal, "."), ("encoding", encoding, None)):
        if value != default and (connection is not None or not is_file):
            raise InputError(Option(name, value), " is for text files (CSV); leave it out.")


def _local_copy(source: Any, encoding: str | None) -> LocalCopy:
    if _is_fsspec(source):
        with source as stream:
            return LocalCopy(stream, str(source.path), encoding)
    stream = getattr(source, "buffer", source)  # the bytes of a text file
    if encoding is not None and isinstance(source, TextIOBase) and stream is source:
        raise InputError("A text stream is decoded already; leave out ", Option("encoding", encoding), ".")
    name = getattr(source, "name", None)
    if name == "<stdin>":
        name = "standard input"
    return LocalCopy(stream, name if isinstance(name, str) else "the file object", encoding)


def check_local(path: str) -> None:
    """Raise an error for a URL; one that became a `Path` has one slash only."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):/+", path)
    if scheme and not Path(path).exists():
        raise InputError(
            f"'{scheme[1]}://{path[scheme.end() :]}' is not on this machine, and polyroc uses no "
            "network by itself. Download it; or, in Python, pass an open file (fsspec.open(...)), a relation of "
            "your DuckDB connection, connection=... for Parquet files, or a Spark data frame; at the shell, "
            "pipe it and write - for the file."
        )


def _relation(source: Any, connection: Any) -> Any:
    """The Parquet files that the user's connection reads, wherever they are."""
    import duckdb

    if not isinstance(connection, duckdb.DuckDBPyConnection):
        raise InputError(Option("connection"), f" must be a DuckDB connection, got {short_repr(connection)}.")
    paths = _paths(source)
    if not paths or not all(path.lower().endswith(".parquet") for path in paths):
        raise InputError(
            Option("connection"),
            f" reads Parquet files by their paths, got {short_repr(source)}; pass other data as a relation, such "
            "as connection.read_csv(...) or connection.table(...).",
        )
    try:
        return connection.read_parquet(paths)
    except duckdb.Error as error:
        reason = str(error).splitlines()[0].rstrip(" .")
        raise InputError(f"{short_repr(paths[0])} cannot be read by the connection: {reason}.") from error


def _paths(source: Any) -> list[str]:
    items: Sequence[Any] = source if isinstance(source, list | tuple) else [source]
    return (
        [os.fspath(item) for item in items] if all(isinstance(item, str | os.PathLike) for item in items) else []
    )
