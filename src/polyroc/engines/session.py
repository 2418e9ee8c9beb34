"""A DuckDB session for data larger than memory: limits, temporary files, streams of batches."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from polyroc.engines.arrow import Batch, StreamError, batches
from polyroc.errors import InputError, OutOfSpaceError
from polyroc.io.session import Session
from polyroc.messages import Option

__all__ = ["EngineSession", "machine_memory", "parse_size"]

_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_FULL = (
    "no space left",
    "quota exceeded",
    "file too large",
    "max_temp_directory_size",
    "out of memory",
    "failed to offload",
    "could not allocate",
)


def parse_size(text: str | int) -> int:
    """Bytes from words.

    >>> parse_size("1GB"), parse_size("512 MiB"), parse_size(1000)
    (1073741824, 536870912, 1000)
    """
    if isinstance(text, int):
        return text
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", str(text), re.IGNORECASE)
    if not found:
        raise InputError(f"memory must be a size such as '1GB' or '512MB', got {text!r}.")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def machine_memory() -> int:
    """The memory of this machine in bytes, or of the container if that has less; 8 GB if nothing says."""
    found: list[int] = []
    with suppress(AttributeError, ValueError, OSError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in CONTAINER:
        with suppress(ValueError, OSError):  # "max": as much as there is
            found.append(int(Path(path).read_text()))
    return min(found, default=8 * 2**30)


class EngineSession(Session):
    """A session within limits; what it puts aside is in a folder of its own that goes when it ends.

    Parameters
    ----------
    memory
        How many bytes DuckDB may take.
    disk
        How many bytes it may put aside on disk; None for what is free.
    """

    def __init__(self, memory: int, disk: int | None = None) -> None:
        super().__init__()
        self._aside = tempfile.mkdtemp(prefix="polyroc-")
        settings = {
            "temp_directory": self._aside,
            "memory_limit": f"{max(memory, 2**26) // 2**20}MiB",
            "preserve_insertion_order": False,
        }
        if disk is not None:
            settings["max_temp_directory_size"] = f"{disk // 2**20}MiB"
        for name, value in settings.items():
            self._connection.execute(f"SET {name} = {_literal(value)}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        shutil.rmtree(self._aside, ignore_errors=True)

    def stream(self, query: str, parameters: Sequence[Any], reading: str) -> Iterator[Batch]:
        """The columns of a large answer of numbers, batch by batch."""
        relation = self._guarded(lambda: self._connection.sql(query, params=list(parameters)), reading)
        capsule = self._guarded(lambda: relation.__arrow_c_stream__(), reading)
        try:
            yield from batches(capsule)
        except StreamError as error:
            raise self._named(error, reading) from None

    def _named(self, error: Exception, reading: str) -> Exception:
        text = str(error).strip()
        if any(word in text.lower() for word in _FULL):
            return OutOfSpaceError(
                f"{reading} needs more memory or disk space than there is: {text.splitlines()[0]} Nothing was "
                "written. Raise ",
                Option("memory"),
                f", free disk space in {Path(tempfile.gettempdir())}, or use ",
                Option("tolerance"),
                " instead of ",
                Option("exact", True),
                ".",
            )
        return _misread(text) or super()._named(error, reading)


def _misread(text: str) -> InputError | None:
    """What is wrong with a line of a CSV file, if that is the trouble: which, and what stands there."""
    line, file = re.search(r"CSV Error on Line: (\d+)", text), re.search(r"^ *file = (.+)$", text, re.MULTILINE)
    cell = re.search(r'Error when converting column "(.+)"\. Could not convert string "(.*)" to', text)
    if not (line and file and cell):
        return None
    return InputError(
        f"line {line[1]} of '{file[1].strip()}' has {cell[2]!r} in column {cell[1]!r}, which held numbers before; "
        "correct it, or leave it empty and use ",
        Option("missing", "drop"),
        ".",
    )


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else "'" + str(value).replace("'", "''") + "'"
