"""A private DuckDB connection, whose errors become an `InputError`."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4

import numpy as np

from polyroc.errors import InputError, MissingPackageError, OutOfSpaceError

__all__ = ["Session", "is_out_of_space"]

_Result = TypeVar("_Result")


_OUT_OF_SPACE = (  # in messages of DuckDB
    "no space left",
    "quota exceeded",
    "file too large",
    "max_temp_directory_size",
    "out of memory",
    "failed to offload",
    "failed to allocate",
    "could not allocate",
)


def is_out_of_space(error: Exception) -> bool:
    """True for an error of DuckDB that says that memory or disk space does not suffice."""
    text = str(error).lower()
    return any(words in text for words in _OUT_OF_SPACE)


def _spill_folder() -> str:
    """A folder for data larger than the memory; empty, for none, if no folder for temporary files is writable."""
    try:
        return str(Path(gettempdir(), f"polyroc-{uuid4().hex}"))
    except OSError:
        return ""


class Session:
    """A private database in memory, closed at the end of a `with`.

    It downloads nothing, prints nothing and keeps the order of rows. Data larger than the memory go to the
    folder for temporary files, not to the working directory.
    """

    def __init__(self) -> None:
        import duckdb

        self._failure = duckdb.Error
        settings: dict[str, Any] = {
            "autoinstall_known_extensions": False,
            "preserve_insertion_order": True,
            "temp_directory": _spill_folder(),
        }
        try:
            self._connection = duckdb.connect(config=settings)
        except duckdb.Error as error:
            raise OutOfSpaceError(f"DuckDB cannot be started: {str(error).strip().splitlines()[0]}.") from None
        # In a notebook without ipywidgets DuckDB has no bar, and raises if it is turned off.
        bar = self._connection.execute("SELECT current_setting('enable_progress_bar')").fetchone()
        if bar != (False,):
            self._connection.execute("SET enable_progress_bar = false")
        # infer the type of an object column from all its values, not from a sample
        self._connection.execute("SET pandas_analyze_sample = 4294967295")
        self._names: dict[str, str] = {}
        self._view: str | None = None
        self._folders: list[TemporaryDirectory[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        for folder in self._folders:
            with suppress(OSError):
                folder.cleanup()

    def keep(self, folder: "TemporaryDirectory[str]") -> "TemporaryDirectory[str]":
        """Remove a temporary folder at the end."""
        self._folders.append(folder)
        return folder

    def show_as(self, path: Path, name: str) -> None:
        """Call a file by this name where DuckDB's messages have its path."""
        self._names[str(path)] = name.strip("'")

    def register(self, name: str, frame: Any, reading: str) -> None:
        """Make a data frame available to queries under this name."""
        self._guarded(lambda: self._connection.register(name, frame), reading)

    def forbid_files(self, view: str) -> None:
        """Open no further file: a view of a stranger's DuckDB file could read any file of this machine.

        `view` is its name in the message if it does.
        """
        for setting in ("enable_external_access = false", "lock_configuration = true"):
            self._connection.execute(f"SET {setting}")
        self._view = view

    @property
    def locked(self) -> bool:
        """Whether no further file can be opened, nor any setting be changed."""
        return self._view is not None

    def run(self, query: str, parameters: Sequence[Any], reading: str) -> None:
        """Run a query for its effect."""
        self._guarded(lambda: self._connection.execute(query, list(parameters)), reading)

    def rows(self, query: str, parameters: Sequence[Any], reading: str) -> list[Any]:
        """The rows of a small result."""
        return self._guarded(lambda: self._connection.execute(query, list(parameters)).fetchall(), reading)

    def arrays(self, query: str, parameters: Sequence[Any], reading: str) -> dict[str, np.ndarray[Any, Any]]:
        """The columns of a large result."""
        return self._guarded(lambda: self._connection.execute(query, list(parameters)).fetchnumpy(), reading)

    def _guarded(self, action: Callable[[], _Result], reading: str) -> _Result:
        try:
            return action()
        except self._failure as error:
            raise self._named(error, reading) from None

    def _named(self, error: Exception, reading: str) -> Exception:
        """A polyroc error for an error of DuckDB."""
        if is_out_of_space(error):
            return OutOfSpaceError(
                f"{reading} needs more memory or disk space than there is: {self._first_line(error)}. Nothing was "
                "written."
            )
        if self._view is not None and "Permission Error" in str(error):
            return InputError(
                f"{self._view} is a view that reads other files, which polyroc does not do for a DuckDB file; "
                "store its rows as a table of the file, or pass a relation of your own DuckDB connection."
            )
        if "pyarrow" in str(error) and find_spec("pyarrow") is None:
            return MissingPackageError(
                f"{reading} cannot be read: this version of DuckDB needs pyarrow for it (pip install pyarrow); "
                "DuckDB 2.0 does not."
            )
        return InputError(f"{reading} cannot be read: {self._first_line(error)}. Check that it is complete.")

    def _first_line(self, error: Exception) -> str:
        """The first line of DuckDB's message, without the kind of error before it."""
        line = str(error).strip().split("\n", 1)[0].split("Error: ", 1)[-1].rstrip(" .")
        # of a stream that Python makes: without what DuckDB and pyarrow say about it
        line = line.split(" failed: Invalid: ")[-1].split(". Detail: Python exception")[0]
        for path, name in self._names.items():
            line = line.replace(path, name)
        return line
