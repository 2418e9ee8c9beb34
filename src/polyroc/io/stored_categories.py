"""The order of categories that Parquet and Arrow files state beside their rows.

DuckDB reads a categorical column as text. That it was ordered, and how, is in the metadata that pandas, Polars and
pyarrow write, and in the dictionary of the column, which pyarrow reads.
"""

import json
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from polyroc.errors import InputError
from polyroc.io.file_formats import arrow_categories
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, literal
from polyroc.messages import Option

__all__ = ["stored_categories"]

ARROW, PANDAS = b"ARROW:schema", b"pandas"  # keys of the metadata
ENUM = b"_PL_ENUM_VALUES"  # in the schema of files with a column of Polars' Enum


def stored_categories(session: Session, paths: Sequence[Path], column: str) -> list[Any] | None:
    """The categories of a column that was an ordered categorical when the files were written; None otherwise.

    Files that state different orders are an error, and so is an order that cannot be read because pyarrow is not
    installed: both ask for `labels`.
    """
    endings = {path.suffix.lower() for path in paths}
    if endings and endings <= {".feather", ".arrow", ".ipc"}:
        return _common_order(paths, [arrow_categories(DataFile(path), column) for path in paths], column)
    if endings != {".parquet"}:
        return None
    query = "SELECT file_name, key, value FROM parquet_kv_metadata(?)"
    metadata: dict[str, dict[bytes, bytes]] = {}
    for file, key, value in session.rows(query, ([literal(path) for path in paths],), f"'{paths[0]}'"):
        metadata.setdefault(file, {})[key] = value
    if not any(_may_be_ordered(entries, column) for entries in metadata.values()):
        return None
    if find_spec("pyarrow") is None:
        raise InputError(
            f"Column {column!r} of '{paths[0]}' may be an ordered categorical, whose order only pyarrow reads "
            "(pip install pyarrow); without it, state the order: ",
            Option("labels", ...),
        )
    return _common_order(paths, [_parquet_categories(path, column) for path in paths], column)


def _common_order(paths: Sequence[Path], orders: Sequence[list[Any] | None], column: str) -> list[Any] | None:
    """The order that all files state; an error if they state different ones."""
    if any(order != orders[0] for order in orders):
        other = next(path for path, order in zip(paths, orders, strict=True) if order != orders[0])
        raise InputError(
            f"Column {column!r} is an ordered categorical with different categories in '{paths[0]}' and "
            f"'{other}'; state the order: ",
            Option("labels", ...),
        )
    return orders[0]


def _may_be_ordered(entries: dict[bytes, bytes], column: str) -> bool:
    """Whether the metadata of a file leave open that a column is an ordered categorical."""
    if PANDAS in entries:
        with suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            columns = json.loads(entries[PANDAS])["columns"]
            own = [entry for entry in columns if column in (entry.get("field_name"), entry.get("name"))]
            return any((entry.get("metadata") or {}).get("ordered") is True for entry in own)
    schema = b""
    with suppress(Base64Error):
        schema = b64decode(entries.get(ARROW, b""))
    # Files of pyarrow alone state it in a binary schema that only pyarrow reads.
    return ENUM in schema or (bool(schema) and find_spec("pyarrow") is not None)


def _parquet_categories(path: Path, column: str) -> list[Any] | None:
    """The categories of an ordered categorical of one file; None for another column."""
    import pyarrow
    from pyarrow import parquet

    with suppress(OSError, ValueError, KeyError, pyarrow.ArrowException), parquet.ParquetFile(path) as file:
        if column not in file.schema_arrow.names:
            return None
        kind = file.schema_arrow.field(column).type
        if not (pyarrow.types.is_dictionary(kind) and kind.ordered):
            return None
        for batch in file.iter_batches(batch_size=1, columns=[column]):
            return list(batch.column(0).dictionary.to_pylist())
    return None
