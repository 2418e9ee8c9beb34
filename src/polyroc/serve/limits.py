"""Limits on sizes, times and numbers, so that one visitor cannot take the page from the others; HTTP statuses."""

from dataclasses import dataclass, fields

from polyroc.errors import InputError, PolyrocError

__all__ = ["BusyError", "Limits", "NotHereError", "SlowRequestError", "TooLargeError", "size_text", "status_of"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on sizes, times and numbers; each is an option of `polyroc serve`.

    Attributes
    ----------
    size
        The largest file, in bytes, as it is sent.
    columns, rows
        The largest numbers of columns and rows of a file.
    disk
        The largest size of all uploaded files together, in bytes.
    memory
        The largest memory of the process that reads a file or makes a report, in bytes, and the largest file that
        it may write. The operating system enforces it; Windows and macOS do not.
    form
        The largest request for a report, in bytes.
    seconds
        The longest that a report may take.
    preview_seconds
        The longest that reading the first rows of a file may take.
    upload_seconds
        The longest that an upload may take.
    silence
        An upload that sends nothing for so many seconds is ended; a connection without a further request closed.
    idle
        After so many seconds without a request a visitor's data are deleted.
    idle_if_full
        The same, if there are as many visitors as allowed and a new one comes.
    files
        How many files a visitor can have at a time.
    visitors
        How many visitors at a time.
    uploads
        How many uploads at a time, of all visitors.
    connections
        How many connections at a time; further ones get "503 Service Unavailable".
    workers
        How many reports are made at the same time; the others wait.
    queue
        How many reports can wait.
    """

    size: int = 200 * 2**20
    columns: int = 1000
    rows: int = 5_000_000
    disk: int = 10 * 2**30
    memory: int = 4 * 2**30
    form: int = 2**20
    seconds: float = 300.0
    preview_seconds: float = 60.0
    upload_seconds: float = 300.0
    silence: float = 20.0
    idle: float = 3600.0
    idle_if_full: float = 600.0
    files: int = 10
    visitors: int = 50
    uploads: int = 10
    connections: int = 100
    workers: int = 1
    queue: int = 20

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
                raise InputError(f"The limit {field.name} must be a number of 0 or more, got {value!r}.")


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


class TooLargeError(PolyrocError):
    """More than a limit allows."""


class SlowRequestError(PolyrocError):
    """The request did not arrive in time."""


class BusyError(PolyrocError):
    """Too many at a time; later there may be room."""


_STATUSES: dict[type[Exception], int] = {
    NotHereError: 404,
    SlowRequestError: 408,
    TooLargeError: 413,
    BusyError: 503,
}


def status_of(error: Exception) -> int:
    """The HTTP status of an error.

    >>> [status_of(BusyError("Later.")), status_of(PolyrocError("Wrong."))]
    [503, 400]
    """
    return _STATUSES.get(type(error), 400)
