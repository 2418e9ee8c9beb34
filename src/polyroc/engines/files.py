"""Files of predictions, one or many, as something DuckDB reads; what is wrong with one of many is named."""

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

_ENDINGS = (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz")


def is_files(data: Any) -> bool:
    """Whether this names files: a path, a glob, or a list of paths that end as files of data do."""
    if isinstance(data, PathLike):
        return True
    if isinstance(data, str):
        return True
    return (
        isinstance(data, list | tuple)
        and len(data) > 0
        and all(isinstance(each, PathLike) or (isinstance(each, str) and _ending(each)) for each in data)
    )


def is_frame(data: Any) -> bool:
    """Whether this is a data frame of Spark, which is not imported to find out."""
    return _is_sparks(data, "DataFrame")


def is_session(data: Any) -> bool:
    """Whether this is a session of Spark."""
    return _is_sparks(data, "SparkSession")


def _is_sparks(data: Any, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.startswith("pyspark.sql") for kind in type(data).__mro__)


def find_files(given: Files) -> list[str]:
    """The files of paths, globs and folders, in order."""
    asked = [given] if isinstance(given, str | PathLike) else [*given]
    found: list[str] = []
    for each in asked:
        path = str(each)
        if "://" in path:
            raise InputError(
                f"'{path}' is not on this machine, and DuckDB reads what is here: copy or mount it, or give "
                "spark.read.parquet(...) of it."
            )
        if Path(path).is_dir():
            inside = sorted(str(file) for file in Path(path).rglob("*") if _ending(file.name))
            if not inside:
                raise MissingFileError(f"The folder '{path}' holds no file that ends in {', '.join(_ENDINGS)}.")
            found += inside
        elif has_magic(path) and not Path(path).exists():
            matched = sorted(glob(path, recursive=True))  # noqa: PTH207 - a glob may start anywhere
            if not matched:
                raise MissingFileError(f"No file matches '{path}'; check the path and the wildcards.")
            found += matched
        elif Path(path).is_file():
            found.append(path)
        else:
            raise MissingFileError(f"There is no file '{path}'; check the path.")
    endings = {_ending(path) for path in found}
    if len(endings) > 1 or None in endings:
        raise InputError(
            f"The files must all be of one kind, ending in {', '.join(_ENDINGS)}; got "
            f"{', '.join(sorted(str(Path(path).suffix) for path in set(found)))[:80]}."
        )
    return list(dict.fromkeys(found))


def _ending(path: str) -> str | None:
    return next((ending for ending in _ENDINGS if path.lower().endswith(ending)), None)


def as_source(session: EngineSession, files: Sequence[str]) -> Source:
    """The files as one table; columns of Hive partitions (`day=2024-01-01/`) are columns of it."""
    name = f"'{files[0]}'" if len(files) == 1 else f"'{files[0]}' and {len(files) - 1} more files"
    parquet = _ending(files[0]) == ".parquet"
    call, parameters = ("read_parquet(?)", ([*files],)) if parquet else _csv_call(session, files, name)
    columns = session.rows(f"DESCRIBE SELECT * FROM {call}", parameters, name)
    names = tuple(str(row[0]) for row in columns)
    check_names(names, name)
    return Source(name, names, call, parameters, tuple(kind_of(str(row[1])) for row in columns))


def _csv_call(session: EngineSession, files: Sequence[str], name: str) -> tuple[str, tuple[Any, ...]]:
    """How to read CSV files: only true and false, in any case, are truth values.

    DuckDB takes yes and no, t and f, y and n for truth values, too. As classes they would lose their names, and
    the positive class would be guessed.
    """
    call = "read_csv(?, header = true, union_by_name = true)"
    columns = session.rows(f"DESCRIBE SELECT * FROM {call}", ([*files],), name)
    truth_values = [str(row[0]) for row in columns if str(row[1]) == "BOOLEAN"]
    text = "read_csv(?, header = true, union_by_name = true, all_varchar = true)"
    words = {}
    for column in truth_values:
        quoted = '"' + column.replace('"', '""') + '"'
        query = f"SELECT 1 FROM {text} WHERE lower(trim({quoted})) NOT IN ('true', 'false') LIMIT 1"
        if session.rows(query, ([*files],), name):
            words[column] = "VARCHAR"
    if not words:
        return call, ([*files],)
    return call.replace(")", ", types = ?)"), ([*files], words)


def check_files(
    session: EngineSession, files: Sequence[str], numbers: Sequence[str], others: Sequence[str]
) -> None:
    """Every file must have every column, and the scores must be numbers; otherwise the file is named."""
    for file, columns in _types(session, files, (*numbers, *others)).items():
        parts = {part.split("=", 1)[0] for part in Path(file).parts if "=" in part}
        missing = [name for name in (*numbers, *others) if name not in columns and name not in parts]
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
    """By file and column, what it holds; of Parquet files from their ends, all at once."""
    if _ending(files[0]) != ".parquet":
        return {file: _described(session, "read_csv(?, header = true)", file) for file in files}
    query = "SELECT file_name, name, duckdb_type FROM parquet_schema(?) WHERE num_children IS NULL"
    held: dict[str, dict[str, str]] = {file: {} for file in files}
    for file, name, kind in session.rows(query, ([*files],), f"'{files[0]}'"):
        held.setdefault(str(file), {})[str(name)] = str(kind)
    for file, columns in held.items():
        if any(name not in columns for name in wanted):  # it may be a column of lists or records
            columns |= _described(session, "read_parquet(?)", file)
    return held


def _described(session: EngineSession, call: str, file: str) -> dict[str, str]:
    rows = session.rows(f"DESCRIBE SELECT * FROM {call}", (file,), f"'{file}'")
    return {str(name): str(kind) for name, kind, *_ in rows}
