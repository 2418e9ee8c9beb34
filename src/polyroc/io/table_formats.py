"""Folders of Delta Lake, Iceberg and Hudi tables: their data files include rows that were replaced or deleted."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from polyroc.errors import InputError

__all__ = ["check_no_table_format"]


class _Format(NamedTuple):
    """A table format: the pattern of a file or folder that marks it, and the functions that read it."""

    name: str
    marker: str
    spark: str
    duckdb: str


_FORMATS = (
    _Format("Delta Lake", "_delta_log", "spark.read.format('delta').load(...)", "delta_scan('...')"),
    _Format(
        "Iceberg", "metadata/*.metadata.json", "spark.read.format('iceberg').load(...)", "iceberg_scan('...')"
    ),
    _Format("Hudi", ".hoodie", "spark.read.format('hudi').load(...)", ""),
)


def check_no_table_format(paths: Iterable[str | Path]) -> None:
    """Raise an error if one of the folders, or a folder around a path, is a table of such a format."""
    folders = {folder for path in paths for folder in (Path(path).absolute(), *Path(path).absolute().parents)}
    for folder in sorted(folders):
        for format_ in _FORMATS:
            if next(folder.glob(format_.marker), None) is not None:
                raise InputError(_message(folder, format_))


def _message(folder: Path, format_: _Format) -> str:
    extension = format_.duckdb.split("_")[0]
    duckdb = (
        f", or write {format_.duckdb} of DuckDB's extension {extension!r} to a Parquet file" if extension else ""
    )
    return (
        f"'{folder}' is a table of {format_.name}: some of its files hold rows that were replaced or deleted, so "
        f"they are not read directly. Pass the data frame {format_.spark}{duckdb}."
    )
