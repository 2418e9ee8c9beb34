"""A private DuckDB connection, whose errors become an `InputError`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4

import numpy as np

from polyroc.errors import InputError

__all__ = ["Session"]

_Result = TypeVar("_Result")


class Session:
    """A private database in memory, closed at the end of a `with`.

    It downloads nothing, prints nothing and keeps the order of rows. Data larger than the memory go to the
    folder for temporary files, not to the working directory.
    """

    def __init__(self) -> None:
        import duckdb

        self._failure = duckdb.Error
        self._connection = duckdb.connect(
            config={
                "autoinstall_known_extensions": False,
                "preserve_insertion_order": True,
                "temp_directory": str(Path(gettempdir(), f"polyroc-{uuid4().hex}")),
            }
        )
        self._connection.execute("SET enable_progress_bar = false")
        # infer the type of an object column from all its values, not from a sample
        self._connection.execute("SET pandas_analyze_sample = 4294967295")
        self._names: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def show_as(self, path: Path, name: str) -> None:
        """Call a file by this name where DuckDB's messages have its path."""
        self._names[str(path)] = name.strip("'")

    def register(self, name: str, frame: Any, reading: str) -> None:
        """Make a data frame available to queries under this name."""
        self._guarded(lambda: self._connection.register(name, frame), reading)

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
        return InputError(f"{reading} cannot be read: {self._first_line(error)}. Check that it is complete.")

    def _first_line(self, error: Exception) -> str:
        """The first line of DuckDB's message, without the kind of error before it."""
        line = str(error).strip().split("\n", 1)[0].split("Error: ", 1)[-1].rstrip(" .")
        for path, name in self._names.items():
            line = line.replace(path, name)
        return line
