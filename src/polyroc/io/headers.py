"""The header of a CSV file: its true names, the delimiter, and where it starts."""

import csv
import gzip
import zlib
from collections.abc import Collection
from io import StringIO
from pathlib import Path
from typing import NamedTuple

from polyroc.errors import InputError

__all__ = ["Header", "read_header"]

_ENOUGH = 1 << 20  # characters that surely hold the header


class Header(NamedTuple):
    """The names, what stands between them, and how many empty lines come before."""

    names: tuple[str, ...]
    delimiter: str
    skip: int


def read_header(path: Path, zipped: bool, tabs: bool, asked: Collection[str]) -> Header:
    """Read it with the delimiter that shows most of the columns asked for, then most columns."""
    text = _beginning(path, zipped)
    found = [_split(text, delimiter) for delimiter in ("\t,;|" if tabs else ",;\t|")]
    headers = [header for header in found if header is not None]
    if not headers:
        raise InputError(f"'{path}' is empty; a header line and at least one row per class are needed.")
    return max(headers, key=lambda header: (len(set(asked) & set(header.names)), len(header.names)))


def _beginning(path: Path, zipped: bool) -> str:
    opened = gzip.open if zipped else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as lines:
            return str(lines.read(_ENOUGH))
    except UnicodeDecodeError:
        raise InputError(
            f"'{path}' is not text in UTF-8; save it again as a CSV file with that encoding."
        ) from None
    except (OSError, EOFError, zlib.error):
        raise InputError(f"'{path}' is damaged: it cannot be unpacked. Pack it again with gzip.") from None


def _split(text: str, delimiter: str) -> Header | None:
    """The first line that is not empty."""
    try:
        for skip, names in enumerate(csv.reader(StringIO(text, newline=""), delimiter=delimiter)):
            if names:
                return Header(tuple(names), delimiter, skip)
    except csv.Error:  # a field without end: not a header
        pass
    return None
