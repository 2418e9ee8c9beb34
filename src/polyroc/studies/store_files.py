"""The file of a store: opened by DuckDB, and checked before anything in it is used."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from polyroc._version import __version__
from polyroc.errors import InputError, MissingFileError

__all__ = [
    "SCHEMA",
    "attach_file",
    "attach_store",
    "check_schema",
    "check_tables",
    "damaged",
    "error_reason",
    "open_connection",
]

# Stores of schema 1 have decision values mapped into [0, 1], and neither code of learners, groups nor duplicates.
SCHEMA, READABLE = 2, (1, 2)
STORAGE_VERSION = "v1.5.0"  # of new files: that of the lowest version of DuckDB in pyproject.toml
_IDLE_CONNECTIONS: dict[int, Any] = {}  # by process id, since a connection does not survive a fork
_LOCK = Lock()


@contextmanager
def open_connection() -> Iterator[Any]:
    """A DuckDB connection without a file.

    Starting DuckDB takes as long as a dozen small fits, so an idle connection is kept for the next caller. It has
    one thread, that of the caller: no threads are lost in a fork, and the other cores are free for fits.
    """
    import duckdb

    with _LOCK:
        connection = _IDLE_CONNECTIONS.pop(os.getpid(), None)
    if connection is None:
        connection = duckdb.connect(config={"autoinstall_known_extensions": False, "threads": 1})
    try:
        yield connection
    except BaseException:
        connection.close()
        raise
    try:
        connection.execute("USE memory; DETACH DATABASE IF EXISTS store")
    except duckdb.Error:  # no checkpoint on a full disk; what was committed is in the write-ahead log
        connection.close()
    else:
        with _LOCK:
            _IDLE_CONNECTIONS[os.getpid()] = connection


def attach_file(connection: Any, path: Path, write: bool) -> None:
    """Make a file the database of a connection; a new one can be read by every version that polyroc works with."""
    quoted = str(path).replace("'", "''")
    option = "" if write else ", READ_ONLY"
    if write and not path.exists():
        option = f", STORAGE_VERSION '{STORAGE_VERSION}'"
    connection.execute(f"ATTACH '{quoted}' AS store (TYPE duckdb{option}); USE store")


def error_reason(error: Exception) -> str:
    """The first line of an error of DuckDB, without its full stop."""
    return str(error).split("\n", 1)[0].strip(" .")


def attach_store(connection: Any, path: Path, write: bool) -> None:
    """Attach a store; an error names the process that has it, or what else is wrong."""
    import duckdb

    if not write and not path.exists():
        raise MissingFileError(f"There is no store '{path}'; create one with polyroc study run.")
    try:
        attach_file(connection, path, write)
    except duckdb.IOException as error:
        process = re.search(r"PID (\d+)", str(error))
        if "lock" in str(error).lower():
            holder = f"process {process[1]}" if process else "another process"
            raise InputError(f"'{path}' is in use by {holder}; wait until it is done, or stop it.") from None
        if _log(path).exists():
            raise damaged(path, error_reason(error)) from None
        raise InputError(f"'{path}' is not a store of a study, or cannot be opened; give another path.") from None
    except duckdb.Error as error:
        raise damaged(path, error_reason(error)) from None


def _log(path: Path) -> Path:
    """The write-ahead log of a store: what was written since the last checkpoint."""
    return path.parent / f"{path.name}.wal"


def damaged(path: Path, reason: str) -> InputError:
    """The error for a store that DuckDB cannot read; it says what can be saved."""
    log = _log(path)
    advice = "restore it from a copy, or run the study again"
    if log.exists():
        advice = (
            f"rename '{log}' and try again: that returns to the last checkpoint, and the study is resumed from "
            f"there. If the error stays, {advice}"
        )
    return InputError(f"The store '{path}' is damaged ({reason}); {advice}.")


# names with their catalogue, because a macro of the file could replace these functions too
_CODE = """
    SELECT view_name FROM system.main.duckdb_views() WHERE database_name = 'store' AND schema_name <> 'main'
    UNION ALL
    SELECT function_name FROM system.main.duckdb_functions() WHERE database_name = 'store'
"""


def check_tables(path: Path, connection: Any) -> None:
    """Raise an error if a table is a view, or a function is defined: either could read files of this machine."""
    import duckdb

    try:
        code = connection.execute(_CODE).fetchone()
    except duckdb.Error as error:
        raise damaged(path, error_reason(error)) from None
    if code is not None:
        raise InputError(
            f"'{path}' is not opened: it defines {code[0]!r}, a view or a function in place of the tables of a "
            "study, which could read other files. polyroc writes no such store; ask its author."
        )


def check_schema(path: Path, connection: Any) -> int:
    """The schema of a store, or an error if it is not one that this version can read."""
    import duckdb

    try:
        (schema, version) = connection.execute("SELECT schema, polyroc FROM polyroc_study.plan").fetchone()
    except (duckdb.Error, TypeError):
        raise InputError(f"'{path}' is a DuckDB file without a study; give another path.") from None
    if schema not in READABLE:
        raise InputError(
            f"'{path}' was written by polyroc {version} (schema {schema}), which polyroc {__version__} (schema "
            f"{SCHEMA}) cannot read."
        )
    return int(schema)
