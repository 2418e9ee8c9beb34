"""Data frames of any library, through narwhals, as a source for DuckDB."""

from collections.abc import Collection
from fnmatch import fnmatchcase
from typing import Any

from polyroc.errors import InputError
from polyroc.io.session import Session
from polyroc.io.source import Kind, Source, check_names, kind_of

__all__ = ["frame_source"]

_NAME = "the data frame"


def frame_source(session: Session, data: Any, asked: Collection[str]) -> Source:
    """A source for a pandas, polars or pyarrow data frame; only the columns asked for are looked at."""
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
    held = tuple(i for i, name in enumerate(names) if _is_asked(name, asked))
    kinds = dict(zip(held, _register(session, frame[:, list(held)]), strict=True)) if held else {}
    return Source(_NAME, names, "frame", (), tuple(kinds.get(i, "other") for i in range(len(names))), held)


def _register(session: Session, frame: Any) -> list[Kind]:
    """Let DuckDB see the frame: pandas as it is, all others by Arrow's C interface, which needs no pyarrow."""
    session.register("frame", frame.to_native() if frame.implementation.is_pandas() else frame, _NAME)
    return [kind_of(str(row[1])) for row in session.rows("DESCRIBE SELECT * FROM frame", (), _NAME)]


def _names(native: Any) -> tuple[str, ...]:
    names = native.column_names if hasattr(native, "column_names") else native.columns
    return tuple(str(name) for name in names)


def _is_asked(name: str, asked: Collection[str]) -> bool:
    return name in asked or any(fnmatchcase(name, pattern) for pattern in asked)
