"""Files of predictions: paths, globs and folders, as one table that DuckDB reads; checks of each file."""

from collections.abc import Sequence
from glob import glob, has_magic
from os import PathLike
from pathlib import Path
from typing import Any

from polyroc.engines.session import EngineSession
from polyroc.errors import InputError, MissingFileError
from polyroc.io.sources import Source, check_names, kind_of

__all__ = ["Files", "as_source", "check_files", "find_files", "is_files", "is_frame", "is_session"]

Files = str | PathLike[str] | Sequence[str | PathLike[str]]

_SUFFIXES = (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz")


def is_files(data: Any) -> bool:
    """Whether this names files: a path, a glob, or a list of paths with the suffix of a data file."""
    if isinstance(data, str | PathLike):
        return True
    return (
        isinstance(data, list | tuple)
        and len(data) > 0
        and all(isinstance(item, PathLike) or (isinstance(item, str) and _suffix(item)) for item in data)
    )


def is_frame(data: Any) -> bool:
    """Whether this is a Spark data frame; Spark is not imported to find out."""
    return _is_spark_class(data, "DataFrame")


def is_session(data: Any) -> bool:
    """Whether this is a Spark session."""
    return _is_spark_class(data, "SparkSession")


def _is_spark_class(data: Any, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.startswith("pyspark.sql") for kind in type(data).__mro__)


def find_files(files: Files) -> list[str]:
    """The files that paths, globs and folders name, in order, all of one format."""
    paths = [
        path for item in ([files] if isinstance(files, str | PathLike) else files) for path in _paths(str(item))
    ]
    suffixes = {_suffix(path) for path in paths}
    if len(suffixes) > 1 or None in suffixes:
        raise InputError(
            f"The files must all be of one format, ending in {', '.join(_SUFFIXES)}; got "
            f"{', '.join(sorted(str(Path(path).suffix) for path in set(paths)))[:80]}."
        )
    return list(dict.fromkeys(paths))


def _paths(path: str) -> list[str]:
    """The files that a path, a glob or a folder names."""
    if "://" in path:
        raise InputError(
            f"'{path}' is not on this machine, and DuckDB reads local files: copy or mount it, or give "
            "spark.read.parquet(...) of it."
        )
    if Path(path).is_dir():
        inside = sorted(str(file) for file in Path(path).rglob("*") if _suffix(file.name))
        if not inside:
            raise MissingFileError(f"The folder '{path}' holds no file that ends in {', '.join(_SUFFIXES)}.")
        return inside
    if has_magic(path) and not Path(path).exists():
        matched = sorted(glob(path, recursive=True))  # noqa: PTH207 - a glob may start anywhere
        if not matched:
            raise MissingFileError(f"No file matches '{path}'; check the path and the wildcards.")
        return matched
    if not Path(path).is_file():
        raise MissingFileError(f"There is no file '{path}'; check the path.")
    return [path]


def _suffix(path: str) -> str | None:
    return next((suffix for suffix in _SUFFIXES if path.lower().endswith(suffix)), None)


def as_source(session: EngineSession, files: Sequence[str]) -> Source:
    """The files as one table; columns of Hive partitions (`day=2024-01-01/`) are columns of it."""
    name = f"'{files[0]}'" if len(files) == 1 else f"'{files[0]}' and {len(files) - 1} more files"
    parquet = _suffix(files[0]) == ".parquet"
    call, parameters = ("read_parquet(?)", ([*files],)) if parquet else _csv_call(session, files, name)
    columns = session.rows(f"DESCRIBE SELECT * FROM {call}", parameters, name)
    names = tuple(str(row[0]) for row in columns)
    check_names(names, name)
    return Source(name, names, call, parameters, tuple(kind_of(str(row[1])) for row in columns))


def _csv_call(session: EngineSession, files: Sequence[str], name: str) -> tuple[str, tuple[Any, ...]]:
    """The call that reads CSV files, in which only true and false, in any case, are booleans.

    DuckDB takes yes and no, t and f, y and n for booleans, too. As classes they would lose their names, and the
    positive class would be guessed.
    """
    call = "read_csv(?, header = true, union_by_name = true)"
    columns = session.rows(f"DESCRIBE SELECT * FROM {call}", ([*files],), name)
    booleans = [str(row[0]) for row in columns if str(row[1]) == "BOOLEAN"]
    text = "read_csv(?, header = true, union_by_name = true, all_varchar = true)"
    types = {}
    for column in booleans:
        quoted = '"' + column.replace('"', '""') + '"'
        query = f"SELECT 1 FROM {text} WHERE lower(trim({quoted})) NOT IN ('true', 'false') LIMIT 1"
        if session.rows(query, ([*files],), name):
            types[column] = "VARCHAR"
    if not types:
        return call, ([*files],)
    return call.replace(")", ", types = ?)"), ([*files], types)


def check_files(
    session: EngineSession, files: Sequence[str], numbers: Sequence[str], others: Sequence[str]
) -> None:
    """Raise an error that names the file if one of them lacks a column, or has scores that are not numbers."""
    for file, columns in _types(session, files, (*numbers, *others)).items():
        partitions = {part.split("=", 1)[0] for part in Path(file).parts if "=" in part}  # Hive: day=2024-01-01
        missing = [name for name in (*numbers, *others) if name not in columns and name not in partitions]
        if missing:
            raise InputError(
                f"'{file}' has no column {missing[0]!r}, which other files have; its columns are "
                f"{', '.join(map(repr, [*columns][:8]))}. Write it again, or leave it out."
            )
        for name in numbers:
            if kind_of(columns.get(name, "DOUBLE")) not in ("integer", "float", "boolean"):
                raise InputError(
                    f"column {name!r} of '{file}' holds {columns[name]} where numbers were expected; "
                    "write it again as numbers."
                )


def _types(session: EngineSession, files: Sequence[str], wanted: Sequence[str]) -> dict[str, dict[str, str]]:
    """By file and column, the type; of Parquet files from their metadata, all at once."""
    if _suffix(files[0]) != ".parquet":
        return {file: _described(session, "read_csv(?, header = true)", file) for file in files}
    query = "SELECT file_name, name, duckdb_type FROM parquet_schema(?) WHERE num_children IS NULL"
    types: dict[str, dict[str, str]] = {file: {} for file in files}
    for file, name, kind in session.rows(query, ([*files],), f"'{files[0]}'"):
        types.setdefault(str(file), {})[str(name)] = str(kind)
    for file, columns in types.items():
        if any(name not in columns for name in wanted):  # it may be a column of lists or records
            columns |= _described(session, "read_parquet(?)", file)
    return types


def _described(session: EngineSession, call: str, file: str) -> dict[str, str]:
    rows = session.rows(f"DESCRIBE SELECT * FROM {call}", (file,), f"'{file}'")
    return {str(name): str(kind) for name, kind, *_ in rows}
