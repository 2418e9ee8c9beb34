"""Sources that DuckDB reads, files and data frames: their columns, types, and queries."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path, PureWindowsPath
from typing import Any, Literal, NamedTuple

from polyroc.errors import InputError
from polyroc.io.session import Session

__all__ = [
    "DataFile",
    "Kind",
    "Source",
    "check_names",
    "compression",
    "expand_home",
    "frame_source",
    "kind_of",
    "literal",
    "local_path",
]


class DataFile(NamedTuple):
    """A file, and the name that messages call it by; its path if there is no other."""

    path: Path
    shown_as: str | None = None

    @property
    def name(self) -> str:
        """The name in quotes."""
        return f"'{self.shown_as or self.path}'"

    @property
    def zipped(self) -> bool:
        """True if the file is compressed, by its ending."""
        return self.path.suffix.lower() == ".gz"

    @property
    def ending(self) -> str:
        """The ending that tells the format, without .gz."""
        return Path(self.path.stem if self.zipped else self.path.name).suffix.lower()


Kind = Literal["integer", "float", "boolean", "text", "other"]

_INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")} | {
    "INTEGER",
    "UINTEGER",
    "HUGEINT",
}
_OTHERS = ("STRUCT", "MAP", "UNION", "BLOB", "BIT", "VARIANT", "GEOMETRY")


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
    """

    name: str
    columns: tuple[str, ...]
    call: str
    parameters: tuple[Any, ...] = ()
    kinds: tuple[Kind, ...] | None = None
    selectable: tuple[int, ...] | None = None
    rejects: str | None = None
    before: int = 0

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


def compression(zipped: bool) -> str:
    """DuckDB's name of the compression."""
    return "gzip" if zipped else "none"


def check_names(columns: Sequence[str], name: str) -> None:
    """Raise an error if two columns have the same name; empty names are ignored."""
    twice = [column for column, count in Counter(columns).items() if count > 1 and column.strip()]
    if twice:
        raise InputError(
            f"{name} has more than one column named {twice[0]!r}, so it is not clear which is meant; "
            "rename or remove the others."
        )


_NAME = "the data frame"


def frame_source(session: Session, data: Any, requested: Collection[str]) -> Source:
    """A source for a pandas, polars or pyarrow data frame; only the requested columns are registered."""
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        check_names(_names(data), _NAME)
        raise
    if not isinstance(frame, nw.DataFrame):
        lazy = "; collect it first" if hasattr(data, "collect") else ""
        raise InputError(
            "source must be the path of a file or a data frame (pandas, polars, pyarrow), "
            f"got {type(data).__name__}{lazy}."
        )
    names = _names(frame.to_native())
    check_names(names, _NAME)
    selectable = tuple(i for i, name in enumerate(names) if _is_requested(name, requested))
    kinds = (
        dict(zip(selectable, _register(session, frame[:, list(selectable)]), strict=True)) if selectable else {}
    )
    return Source(_NAME, names, "frame", (), tuple(kinds.get(i, "other") for i in range(len(names))), selectable)


def _register(session: Session, frame: Any) -> list[Kind]:
    """Register the frame: pandas as it is, all others by Arrow's C interface, which needs no pyarrow."""
    session.register("frame", frame.to_native() if frame.implementation.is_pandas() else frame, _NAME)
    return [kind_of(str(row[1])) for row in session.rows("DESCRIBE SELECT * FROM frame", (), _NAME)]


def _names(native: Any) -> tuple[str, ...]:
    names = native.column_names if hasattr(native, "column_names") else native.columns
    return tuple(str(name) for name in names)


def _is_requested(name: str, requested: Collection[str]) -> bool:
    return name in requested or any(fnmatchcase(name, pattern) for pattern in requested)
