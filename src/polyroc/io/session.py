"""A DuckDB connection of our own: what goes wrong in it becomes an `InputError`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import uuid4

import numpy as np

from polyroc.errors import InputError

__all__ = ["Session"]

_Answer = TypeVar("_Answer")


class Session:
    """A private database in memory, closed at the end of a `with`.

    It downloads nothing, prints nothing, keeps the order of rows, and if the data are larger than the memory puts
    them aside in the system's folder for temporary files, not in the user's.
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
        self._connection.execute("SET pandas_analyze_sample = 4294967295")  # look at every object, not at some

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def register(self, name: str, frame: Any, reading: str) -> None:
        """Let queries select from a data frame under this name."""
        self._guarded(lambda: self._connection.register(name, frame), reading)

    def run(self, query: str, parameters: Sequence[Any], reading: str) -> None:
        """Run a query for what it does."""
        self._guarded(lambda: self._connection.execute(query, list(parameters)), reading)

    def rows(self, query: str, parameters: Sequence[Any], reading: str) -> list[Any]:
        """The few rows of a small answer."""
        return self._guarded(lambda: self._connection.execute(query, list(parameters)).fetchall(), reading)

    def arrays(self, query: str, parameters: Sequence[Any], reading: str) -> dict[str, np.ndarray[Any, Any]]:
        """The columns of a large answer."""
        return self._guarded(lambda: self._connection.execute(query, list(parameters)).fetchnumpy(), reading)

    def _guarded(self, action: Callable[[], _Answer], reading: str) -> _Answer:
        try:
            return action()
        except self._failure as error:
            raise self._named(error, reading) from None

    def _named(self, error: Exception, reading: str) -> Exception:
        """What went wrong, as an error of ours."""
        return InputError(f"{reading} cannot be read: {_reason(error)}. Check that it is whole.")


def _reason(error: Exception) -> str:
    """The first line of what DuckDB says, without the kind of error before it."""
    line = str(error).strip().split("\n", 1)[0]
    return line.split("Error: ", 1)[-1].rstrip(" .")
