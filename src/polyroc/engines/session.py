"""A DuckDB session for data larger than memory: limits, temporary files, batches as arrays.

Batches come by Arrow's C stream interface, without a copy and without pyarrow.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from nanoarrow import c_array_stream

from polyroc.errors import InputError, OutOfSpaceError
from polyroc.io.csv_files import number_remedy
from polyroc.io.session import Session, is_out_of_space
from polyroc.io.sources import Decimal
from polyroc.messages import Option, short_repr

__all__ = ["EngineSession", "parse_size"]

LARGEST_SIZE = 2**60  # bytes; DuckDB takes a little more
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
Batch = tuple[np.ndarray[Any, Any], ...]


def parse_size(text: str | int, option: str = "memory") -> int:
    """Return the bytes of a size such as "1GB", the value of an option; units are powers of 1024.

    >>> parse_size("1GB"), parse_size("512 MiB"), parse_size(1000)
    (1073741824, 536870912, 1000)
    """
    if isinstance(text, int):
        size = text
    else:
        match = re.fullmatch(r"\s*(\d{1,30}(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", str(text), re.IGNORECASE)
        if not match:
            raise InputError(f"{option} must be a size such as '1GB' or '512MB', got {short_repr(text)}.")
        size = int(float(match[1]) * _UNITS[match[2].upper()])
    if size > LARGEST_SIZE:
        raise InputError(f"{option} must be at most 1048576TB, got {short_repr(text)}.")
    return size


class EngineSession(Session):
    """A session with limits; its temporary files are in a folder of its own that is removed at the end.

    Parameters
    ----------
    memory
        Bytes of memory that DuckDB may take.
    disk
        Bytes of temporary files; None for the free space.
    """

    def __init__(self, memory: int, disk: int | None = None) -> None:
        super().__init__()
        self._columns: dict[str, Sequence[str]] = {}
        self._decimals: dict[str, Decimal] = {}
        self._folder = ""
        with suppress(OSError):  # no folder for temporary files is writable: the memory must suffice
            self._folder = tempfile.mkdtemp(prefix="polyroc-")
        settings = {
            "temp_directory": self._folder,
            "memory_limit": f"{max(memory, 2**26) // 2**20}MiB",
            # It takes statistics of a Parquet column, which leave nan out, to say that there is none: rows with
            # nan would not be dropped (DuckDB 2.0, files written by polars).
            "disabled_optimizers": "statistics_propagation",
        }
        if disk is not None:
            settings["max_temp_directory_size"] = f"{disk // 2**20}MiB"
        for name, value in settings.items():
            self._connection.execute(f"SET {name} = {_literal(value)}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def name_columns(self, path: str, names: Sequence[str], decimal: Decimal = ".") -> None:
        """Call the columns c0, c1, ... of a file by these names in messages; `decimal` is its decimal sign."""
        self._columns[path] = names
        self._decimals[path] = decimal

    def stream(
        self, query: str, parameters: Sequence[Any], reading: str, ordered: bool = False
    ) -> Iterator[Batch]:
        """Yield the numeric columns of a large result, batch by batch.

        `ordered` keeps the order of the query or of the files: otherwise DuckDB returns batches in any order, and
        DuckDB 1.5 even those of a query that sorts its rows.
        """
        if not self.locked:  # of a stranger's DuckDB file; there the order is preserved
            self._connection.execute(f"SET preserve_insertion_order = {ordered}")
        relation = self._guarded(lambda: self._connection.sql(query, params=list(parameters)), reading)
        stream = self._guarded(lambda: c_array_stream(relation), reading)
        try:
            for batch in stream:
                yield tuple(_column(batch.child(number)) for number in range(batch.n_children))
        except RuntimeError as error:  # DuckDB stops in the middle of the rows
            raise self._named(error, reading) from None

    def _named(self, error: Exception, reading: str) -> Exception:
        text = str(error).strip()
        if is_out_of_space(error):
            return OutOfSpaceError(
                f"{reading} needs more memory or disk space than there is: {text.splitlines()[0]} Nothing was "
                "written. Raise ",
                Option("memory"),
                f", free disk space in {Path(self._folder).parent}, or use ",
                Option("tolerance"),
                " instead of ",
                Option("exact", True),
                ".",
            )
        return self._parsing_error(text) or super()._named(error, reading)

    def _parsing_error(self, text: str) -> InputError | None:
        """Return the error for a CSV line that cannot be parsed, with file, line and text; or None."""
        line, file = (
            re.search(r"CSV Error on Line: (\d+)", text),
            re.search(r"^ *file = (.+)$", text, re.MULTILINE),
        )
        if not (line and file):
            return None
        path = file[1].strip()
        where = f"line {line[1]} of '{self._names.get(path, path)}'"
        field = re.search(r'Error when converting column "c(\d+)"\. Could not convert string "(.*)" to', text)
        if field is None:
            original = re.search(r"^Original Line: ?(.*)$", text, re.MULTILINE)
            shown = original[1][:60] if original else ""
            return InputError(
                f"{where} is not regular CSV: {shown!r}. It needs one value for each name of the header, and "
                "quotes around values that contain the delimiter."
            )
        column = self._columns.get(path, {int(field[1]): f"c{field[1]}"})[int(field[1])]
        other = ("correct it, or leave it empty and use ", Option("missing", "drop"))
        remedy = number_remedy(field[2], self._decimals.get(path, ".")) or other
        return InputError(
            f"{where} has {field[2]!r} in column {column!r}, where a number was expected; ", *remedy, "."
        )


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "'" + str(value).replace("'", "''") + "'"


def _column(array: Any) -> np.ndarray[Any, Any]:
    """Return a column as a view of the batch's memory, or a copy with nan for null."""
    view = array.view()  # its buffers: a bitmap of the values that are not null, and the values
    part = slice(array.offset, array.offset + array.length)
    values = np.asarray(view.buffer(1))[part]
    if not array.null_count:
        return values
    valid = np.unpackbits(np.asarray(view.buffer(0)).view(np.uint8), bitorder="little")[part]
    return np.where(valid == 1, values, np.nan)
