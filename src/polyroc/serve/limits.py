"""What a visitor may ask of the server."""

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How large, how long, how many.

    Attributes
    ----------
    size
        The largest file, in bytes.
    seconds
        The longest that an upload may take, and the longest that a report may.
    idle
        After so many seconds without a request a visitor's data are deleted.
    files
        How many files a visitor can have at a time.
    visitors
        How many visitors at a time.
    workers
        How many reports are made at the same time; the others wait.
    """

    size: int = 200 * 2**20
    seconds: float = 300.0
    idle: float = 3600.0
    files: int = 10
    visitors: int = 50
    workers: int = 1
