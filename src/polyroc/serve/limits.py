"""Limits on sizes, times and numbers, so that one visitor cannot take the page from the others; HTTP statuses."""

from dataclasses import dataclass, field
from typing import Any

from polyroc.errors import PolyrocError

__all__ = ["BusyError", "Limits", "NotHereError", "SlowRequestError", "TooLargeError", "size_text"]


MB, MINUTE = 2**20, 60


def _limit(option: str, default: int, unit: str, text: str, size: int = 1) -> Any:
    """Return a field with its option of `polyroc serve`, whose unit is `size` of the field's."""
    return field(default=default * size, metadata={"option": option, "unit": unit, "help": text, "size": size})


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on sizes (in bytes), times (in seconds) and numbers; each is an option of `polyroc serve`.

    The operating system enforces `memory`, also for the files that a process writes; Windows and macOS do not.
    """

    size: int = _limit("--max-size", 200, "MB", "Size of a file.", MB)
    columns: int = _limit("--max-columns", 1000, "N", "Columns of a file.")
    rows: int = _limit("--max-rows", 5_000_000, "N", "Rows of a file.")
    memory: int = _limit(
        "--max-memory", 4096, "MB", "Memory of a process that reads a file or makes a report (Linux).", MB
    )
    disk: int = _limit("--max-disk", 10240, "MB", "All uploaded files together.", MB)
    form: int = _limit("--max-form", 1024, "KB", "Size of a request for a report.", 2**10)
    seconds: float = _limit("--max-time", 300, "SECONDS", "Time to make a report.")
    preview_seconds: float = _limit("--max-preview-time", 60, "SECONDS", "Time to read the first rows of a file.")
    upload_seconds: float = _limit("--max-upload-time", 300, "SECONDS", "Time to upload a file.")
    silence: float = _limit("--max-silence", 20, "SECONDS", "Time until an upload that sends nothing is ended.")
    idle: float = _limit(
        "--max-idle", 60, "MINUTES", "Time without a request until a visitor's data are deleted.", MINUTE
    )
    idle_if_full: float = _limit(
        "--max-idle-if-full", 10, "MINUTES", "The same if a new visitor needs the place.", MINUTE
    )
    files: int = _limit("--max-files", 10, "N", "Files of a visitor.")
    visitors: int = _limit("--max-visitors", 50, "N", "Visitors at a time.")
    uploads: int = _limit("--max-uploads", 10, "N", "Uploads at a time, of all visitors.")
    connections: int = _limit("--max-connections", 100, "N", "Connections at a time.")
    workers: int = _limit("--workers", 1, "N", "Reports made at the same time; the others wait.")
    queue: int = _limit("--max-queue", 20, "N", "Reports that can wait.")


def size_text(n: int) -> str:
    """A number of bytes for a person.

    >>> [size_text(n) for n in (2**10, 200 * 2**20, 4 * 2**30, 3 * 2**29)]
    ['1 kB', '200 MB', '4 GB', '1,536 MB']
    """
    unit, name = next(
        (
            (unit, name)
            for unit, name in ((2**30, "GB"), (2**20, "MB"))
            if (n >= unit and n % unit == 0) or n >= 10 * unit
        ),
        (2**20, "MB") if n >= 2**20 else (2**10, "kB"),
    )
    return f"{n / unit:,.0f} {name}"


class NotHereError(PolyrocError):
    """Not there, or of another visitor: the same answer."""

    status = 404


class TooLargeError(PolyrocError):
    """More than a limit allows."""

    status = 413


class SlowRequestError(PolyrocError):
    """The request did not arrive in time."""

    status = 408


class BusyError(PolyrocError):
    """Too many at a time; later there may be room."""

    status = 503
