"""Sources that DuckDB reads, files and tables: their columns, types, and queries; files that change meanwhile."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import escape
from pathlib import Path, PureWindowsPath
from typing import Any, Literal, NamedTuple

from polyroc.errors import InputError

__all__ = [
    "Compression",
    "DataFile",
    "Decimal",
    "Kind",
    "Source",
    "StoredFolds",
    "check_names",
    "expand_home",
    "kind_of",
    "literal",
    "local_path",
    "unchanged",
]


Compression = Literal["uncompressed", "gzip", "zstd"]

Decimal = Literal[".", ","]

_COMPRESSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd"}
_DIGESTED = 2**16  # bytes at the beginning and at the end of a file by which it is recognised


class DataFile(NamedTuple):
    """A file, the name that messages call it by (its path if there is no other), and how its text is written.

    `decimal` is the sign before the decimals of numbers in a CSV file, `encoding` that of a text file if it is not
    UTF-8.
    """

    path: Path
    shown_as: str | None = None
    decimal: Decimal = "."
    encoding: str | None = None

    @property
    def name(self) -> str:
        """The name in quotes."""
        return f"'{self.shown_as or self.path}'"

    @property
    def compression(self) -> Compression:
        """How the file is compressed, by its ending; the names are those of DuckDB, in all versions."""
        return _COMPRESSIONS.get(self.path.suffix.lower(), "uncompressed")

    @property
    def ending(self) -> str:
        """The ending that tells the format, without .gz or .zst."""
        return Path(self.path.name if self.compression == "uncompressed" else self.path.stem).suffix.lower()


Kind = Literal["integer", "float", "boolean", "text", "other"]

_INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")} | {
    "INTEGER",
    "UINTEGER",
    "HUGEINT",
    "UHUGEINT",
}
_OTHERS = ("STRUCT", "MAP", "UNION", "BLOB", "BIT", "VARIANT", "GEOMETRY")


class StoredFolds(NamedTuple):
    """The numbers of folds and repeats of a data set in the store of a study."""

    folds: int
    repeats: int


@dataclass(frozen=True, slots=True)
class Source:
    """What to select from.

    Attributes
    ----------
    name
        The name in messages.
    columns
        The names of the columns; queries call them by position (c0, c1, ...), so that no name is part of SQL.
    call
        The table or table function, with a question mark for each of `parameters`.
    kinds
        The kind of each column; None if all is text and the kinds are inferred from the values (CSV).
    selectable
        The positions of the columns that can be selected; None if all can.
    rejects
        A variant of `call` that records the rows it cannot read instead of stopping; None if there is none.
    before
        How many lines of the file come before the first row.
    text
        The same table with every value as it is written, if columns of numbers were made from text.
    decimal
        The sign before the decimals of numbers, where columns are text.
    stored_folds
        Of a data set in the store of a study: its folds and repeats; each row is one prediction.
    """

    name: str
    columns: tuple[str, ...]
    call: str
    parameters: tuple[Any, ...] = ()
    kinds: tuple[Kind, ...] | None = None
    selectable: tuple[int, ...] | None = None
    rejects: str | None = None
    before: int = 0
    text: "Source | None" = None
    decimal: Decimal = "."
    stored_folds: StoredFolds | None = None

    def number_text(self, column: str) -> str:
        """The SQL expression of a column of text in which every number has a decimal point.

        With decimal commas, a point is no part of a number: 1.234 would be 1234 in one country and not in another.
        """
        return column if self.decimal == "." else f"translate({column}, '.,', '?.')"

    def select(self, expressions: Sequence[str], call: str | None = None) -> str:
        """A query for some expressions over the columns c0, c1, ..."""
        positions = range(len(self.columns)) if self.selectable is None else self.selectable
        aliases = ", ".join(f"c{i}" for i in positions)
        return f"SELECT {', '.join(expressions)} FROM {call or self.call} AS source({aliases})"


def kind_of(type_name: str) -> Kind:
    """The kind of a DuckDB type.

    >>> [kind_of(name) for name in ("UINTEGER", "DECIMAL(9,0)", "FLOAT", "DATE", "DOUBLE[]")]
    ['integer', 'integer', 'float', 'text', 'other']
    """
    if type_name in _INTEGERS or type_name.endswith(",0)"):
        return "integer"
    if type_name == "BOOLEAN":
        return "boolean"
    if type_name in ("FLOAT", "DOUBLE") or type_name.startswith("DECIMAL"):
        return "float"
    return "other" if type_name.endswith("]") or type_name.startswith(_OTHERS) else "text"


def expand_home(path: Path) -> Path:
    """The path, with a leading `~/` as the home folder unless it exists as it is written; `~x` is a name."""
    return path.expanduser() if path.parts[:1] == ("~",) and not path.exists() else path


def local_path(path: Path) -> str:
    """The path for DuckDB, which takes a leading `~` for the home folder and `x:` for a file system."""
    text = str(path)
    return str(path.absolute()) if text.startswith("~") or ":" in text else text


def literal(path: Path) -> str:
    """The path for DuckDB, with wildcards escaped."""
    text = local_path(path)
    escaped = escape(text)
    if escaped != text and "\\" in text and not isinstance(path, PureWindowsPath):
        # In a pattern, DuckDB takes a backslash for the end of a folder's name.
        raise InputError(f"'{path}' has a backslash and a wildcard in its name, which cannot be read; rename it.")
    return escaped


def check_names(columns: Sequence[str], name: str) -> None:
    """Raise an error if two columns have the same name; empty names are ignored."""
    twice = [column for column, count in Counter(columns).items() if count > 1 and column.strip()]
    if twice:
        raise InputError(
            f"{name} has more than one column named {twice[0]!r}, so it is not clear which is meant; "
            "rename or remove the others."
        )


class _Fingerprint(NamedTuple):
    """Size, time of the last change, and a digest of the first and the last bytes."""

    size: int
    changed: int
    digest: bytes


def _fingerprint(path: Path) -> _Fingerprint | None:
    """The fingerprint of a file; None if it cannot be read, or only once, as a pipe."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            status = path.stat()
            digest = hashlib.blake2b(stream.read(_DIGESTED))
            stream.seek(max(status.st_size - _DIGESTED, 0))
            digest.update(stream.read(_DIGESTED))
    except OSError:
        return None
    return _Fingerprint(status.st_size, status.st_mtime_ns, digest.digest())


@contextmanager
def unchanged(paths: Sequence[Path]) -> Iterator[None]:
    """Raise an error at the end, instead of a result or another error, if one of the files is another one now."""
    prints = {path: _fingerprint(path) for path in paths}
    before = {path: fingerprint for path, fingerprint in prints.items() if fingerprint is not None}
    try:
        yield
    except Exception:
        _check_unchanged(before)
        raise
    _check_unchanged(before)


def _check_unchanged(before: Mapping[Path, _Fingerprint]) -> None:
    for path, fingerprint in before.items():
        if _fingerprint(path) != fingerprint:
            raise InputError(
                f"'{path}' was changed or replaced while it was read, so the result would mix two versions of it; "
                "run this again when it is complete."
            ) from None
