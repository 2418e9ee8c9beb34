"""Files of predictions: those that paths, globs and folders name; Parquet files, and CSV files, as one table.

CSV files follow the rules of `polyroc.io`: same dialect, header, missing values and kinds of labels. DuckDB
detects nothing by itself. The columns of scores are read as numbers, all others as text, of which labels are
made as for a file that is read into memory.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from polyroc.engines.session import EngineSession
from polyroc.errors import InputError, MissingFileError
from polyroc.io.compression import check_compressed
from polyroc.io.csv_files import Header, csv_call, read_header
from polyroc.io.file_formats import check_no_table_format
from polyroc.io.files import check_file, check_no_table, parquet_source
from polyroc.io.frames import is_table
from polyroc.io.inputs import check_local, is_file_object
from polyroc.io.other_formats import other_program
from polyroc.io.sources import (
    Compression,
    DataFile,
    Kind,
    Source,
    check_names,
    expand_home,
    kind_of,
    literal,
    local_path,
)
from polyroc.io.table import check_equal_doubles, inferred_kind, label_expression, may_be_equal
from polyroc.io.text_copies import text_copy

__all__ = [
    "Files",
    "check_parquet_columns",
    "csv_table",
    "files_text",
    "find_files",
    "is_csv",
    "is_frame",
    "is_parquet",
    "is_session",
    "is_source",
    "partitioned_source",
]

_PARTITION_TYPES: dict[Kind, str] = {
    "integer": "HUGEINT",
    "float": "DOUBLE",
    "boolean": "BOOLEAN",
    "text": "VARCHAR",
}

Files = str | PathLike[str] | Sequence[str | PathLike[str]]

_TABLES = (".parquet", ".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst")
_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".jsonl.zst", ".ndjson.zst")
_ARROW = (".feather", ".arrow", ".ipc")
_IN_FOLDERS = (_TABLES, (*_LINES, *_ARROW))  # the latter only if there are none of the former
# read if they are named, but not as files of a folder
_NAMED = (*(".txt", ".txt.gz", ".txt.zst", ".xlsx", ".xlsm"), *(".json", ".json.gz", ".json.zst", ".duckdb"))
_SUFFIXES = (*_TABLES, *_LINES, *_ARROW, *_NAMED)
_SHOWN = (".parquet", ".csv", ".tsv", ".csv.gz", ".csv.zst", ".jsonl", ".feather")


def is_files(data: Any) -> bool:
    """Return whether this names files: a path, a glob, or a list of paths with the suffix of a data file."""
    if isinstance(data, str | PathLike):
        return True
    return (
        isinstance(data, list | tuple)
        and len(data) > 0
        and all(isinstance(item, PathLike) or (isinstance(item, str) and _suffix(item)) for item in data)
    )


def is_source(data: Any) -> bool:
    """Return whether columns can be read from this: names of files, an open file, a data frame or a lazy table."""
    return is_files(data) or is_file_object(data) or is_table(data)


def is_frame(data: Any) -> bool:
    """Return whether this is a Spark data frame; Spark is not imported to find out."""
    return _is_spark_class(data, "DataFrame")


def is_session(data: Any) -> bool:
    """Return whether this is a Spark session."""
    return _is_spark_class(data, "SparkSession")


def _is_spark_class(data: Any, name: str) -> bool:
    return any(kind.__name__ == name and kind.__module__.startswith("pyspark.sql") for kind in type(data).__mro__)


def find_files(files: Files) -> list[str]:
    """Return the files that paths, globs and folders name, in order, all of one format."""
    paths = [
        path for item in ([files] if isinstance(files, str | PathLike) else files) for path in _paths(fspath(item))
    ]
    suffixes = {_suffix(path) for path in paths}
    for path in paths:
        if _suffix(path) is None and (message := other_program(DataFile(Path(path)))) is not None:
            raise InputError(message)
    if len(suffixes) > 1 or None in suffixes:
        raise InputError(
            f"The files must all be of one format, with the same ending, such as {', '.join(_SHOWN)}; got "
            f"{', '.join(sorted(str(Path(path).suffix) for path in set(paths)))[:80]}."
        )
    by_target = {Path(path).resolve(): path for path in reversed(paths)}  # links count no case twice
    return [path for path in dict.fromkeys(paths) if by_target[Path(path).resolve()] == path]


def _paths(path: str) -> list[str]:
    """Return the files that a path, a glob or a folder names."""
    check_local(path)
    path = str(expand_home(Path(path)))
    if Path(path).is_dir():
        inside = _inside(path)
        check_no_table_format([path, *inside])
        if not inside:
            raise MissingFileError(f"The folder '{path}' holds no file that ends in {', '.join(_SHOWN)}.")
        return inside
    if has_magic(path) and not Path(path).exists():
        matched = sorted(glob(path, recursive=True))  # noqa: PTH207 - a glob may start anywhere
        if not matched:
            raise MissingFileError(f"No file matches '{path}'; check the path and the wildcards.")
        check_no_table_format(matched)
        return [file for match in matched for file in (_inside(match) if Path(match).is_dir() else [match])]
    if not Path(path).is_file():
        raise MissingFileError(f"There is no file '{path}'; check the path.")
    return [path]


def _inside(folder: str) -> list[str]:
    """Return the data files in a folder and its folders."""
    files = sorted(str(file) for file in Path(folder).rglob("*") if _suffix(file.name) and file.is_file())
    for suffixes in _IN_FOLDERS:
        if chosen := [file for file in files if file.lower().endswith(suffixes)]:
            return chosen
    return []


def _suffix(path: str) -> str | None:
    return next((suffix for suffix in _SUFFIXES if path.lower().endswith(suffix)), None)


def is_parquet(files: Sequence[str]) -> bool:
    """Return whether the files, which are all of one format, are Parquet files."""
    return bool(files) and _suffix(files[0]) == ".parquet"


def is_csv(files: Sequence[str]) -> bool:
    """Return whether the files, all of one format, are CSV or TSV files, or workbooks that become such."""
    return bool(files) and (_suffix(files[0]) or "").startswith((".csv", ".tsv", ".txt", ".xls"))


def partitioned_source(session: EngineSession, files: Sequence[str]) -> Source:
    """Open Parquet files as one table; columns of Hive partitions (`day=2024-01-01/`) are columns of it."""
    data = [DataFile(Path(file)) for file in files]
    for file in data:
        check_file(file)
    parameters = ([literal(file.path) for file in data],)
    call = _partitioned_call(session, files, parameters)
    return parquet_source(session, data, files_text(files), call, parameters)


def _partitioned_call(session: EngineSession, files: Sequence[str], parameters: Sequence[Any]) -> str:
    """Return the call that reads Parquet files; partition columns have types by the rule for CSV columns."""
    plain = "read_parquet(?, hive_partitioning = false)"
    keys = shared_partition_keys(files)
    if not keys:
        return plain
    own = {str(row[0]) for row in session.rows(f"DESCRIBE SELECT * FROM {plain}", parameters, files_text(files))}
    if own.issuperset(keys):  # the files themselves have these columns
        return plain
    text = _typed_call(dict.fromkeys(keys, "VARCHAR"))
    aliases = [f"{quoted(key)} AS k{i}" for i, key in enumerate(keys)]
    query = f"CREATE OR REPLACE TEMP TABLE partitions AS SELECT DISTINCT {', '.join(aliases)} FROM {text}"
    session.run(query, parameters, files_text(files))
    kinds = [inferred_kind(session, "partitions", f"k{i}") for i in range(len(keys))]
    return _typed_call({key: _PARTITION_TYPES[kind] for key, kind in zip(keys, kinds, strict=True)})


def _typed_call(types: Mapping[str, str]) -> str:
    listed = ", ".join(f"{quoted(key)}: {type_}" for key, type_ in types.items())
    return f"read_parquet(?, hive_partitioning = true, hive_types = {{{listed}}})"


def quoted(name: str) -> str:
    """Return a column's name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def shared_partition_keys(files: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns in the names of folders, if all files have the same."""
    keys = {partition_keys(file) for file in files}
    return tuple(dict.fromkeys(keys.pop())) if len(keys) == 1 else ()


def files_text(files: Sequence[str]) -> str:
    """Return the files in messages: the first and the number of others."""
    return f"'{files[0]}'" if len(files) == 1 else f"'{files[0]}' and {len(files) - 1} more files"


def partition_keys(file: str) -> tuple[str, ...]:
    """Return the names of the columns in the names of the folders, as Hive writes them: day=2024-01-01."""
    return tuple(part.split("=", 1)[0] for part in Path(file).parts[:-1] if "=" in part)


def check_parquet_columns(
    session: EngineSession, files: Sequence[str], numbers: Sequence[str], others: Sequence[str]
) -> None:
    """Raise an error that names the file if one of them lacks a column, or has scores that are not numbers."""
    for file, columns in _types(session, files, (*numbers, *others)).items():
        check_column_names(file, [*columns], (*numbers, *others))
        for name in numbers:
            if kind_of(columns.get(name, "DOUBLE")) not in ("integer", "float", "boolean"):
                raise InputError(
                    f"column {name!r} of '{file}' holds {columns[name]} where numbers were expected; "
                    "write it again as numbers."
                )


def check_column_names(file: str, columns: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise an error that names the file if it lacks a column."""
    missing = [name for name in wanted if name not in columns and name not in partition_keys(file)]
    if missing:
        raise InputError(
            f"'{file}' has no column {missing[0]!r}, which other files have; its columns are "
            f"{', '.join(map(repr, columns[:8]))}. Write it again, or leave it out."
        )


def _types(session: EngineSession, files: Sequence[str], wanted: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return, by file and column, the type, from the files' metadata, all at once."""
    query = "SELECT file_name, name, duckdb_type FROM parquet_schema(?) WHERE num_children IS NULL"
    types: dict[str, dict[str, str]] = {local_path(Path(file)): {} for file in files}
    parameters = ([literal(Path(file)) for file in files],)
    for file, name, kind in session.rows(query, parameters, files_text(files)):
        types.setdefault(str(file), {})[str(name)] = str(kind)
    for file, columns in types.items():
        if any(name not in columns for name in wanted):  # it may be a column of lists or records
            described = session.rows("DESCRIBE SELECT * FROM read_parquet(?)", (literal(Path(file)),), f"'{file}'")
            columns |= {str(name): str(kind) for name, kind, *_ in described}
    return types


_PROBED_ROWS = 2048  # a column that holds numbers in the first rows must hold numbers in all
_IS_BOOLEAN = "lower(trim({0})) IN ('true', 'false')"


class _Part(NamedTuple):
    """The files with the same header."""

    header: Header
    files: list[DataFile]


@dataclass(frozen=True)
class CsvTable:
    """CSV files whose columns are matched by name.

    Attributes
    ----------
    name
        The name in messages.
    columns
        The names of all columns, those of Hive partitions (`day=2024-01-01/`) last.
    parts
        The files by header.
    keys
        The names of the columns of Hive partitions.
    """

    name: str
    columns: tuple[str, ...]
    parts: tuple[_Part, ...]
    keys: tuple[str, ...]

    @property
    def text(self) -> Source:
        """The table with every column as text."""
        return self._source({}, {})

    def check(self, wanted: Sequence[str]) -> None:
        """Raise an error that names the file if one of them lacks a column."""
        for part in self.parts:
            for file in part.files:
                check_column_names(file.shown_as or str(file.path), part.header.names, wanted)

    def typed(
        self,
        session: EngineSession,
        numbers: Sequence[str],
        labels: Sequence[str],
        scores: Sequence[Sequence[str]],
    ) -> Source:
        """Return the table with columns of numbers and labels, whose kinds are inferred from their values.

        `scores` are the columns of each classifier, in which different numbers must be different doubles.
        """
        kinds: dict[str, Kind] = {name: self._number_kind(session, name) for name in numbers}
        types = {name: "DOUBLE" for name, kind in kinds.items() if kind == "float"}
        expressions = {name: label_expression("boolean", "{}") for name in numbers if kinds[name] == "boolean"}
        for i, name in enumerate(labels):
            # The first scan for labels also looks for long numbers among the scores.
            kinds[name] = self._label_kind(session, name, () if i else scores)
            expressions[name] = label_expression(kinds[name], "{}")
        source = self._source(types, expressions)
        return Source(
            self.name,
            self.columns,
            source.call,
            source.parameters,
            tuple(kinds.get(name, "text") for name in self.columns),
        )

    def _number_kind(self, session: EngineSession, name: str) -> Kind:
        """Return boolean for a column of true and false, else float: text is reported when it is read."""
        column = f"c{self.columns.index(name)}"
        counts = [f"count({column})", f"count(TRY_CAST({self.text.number_text(column)} AS DOUBLE))"]
        counts += [f"count(*) FILTER ({_IS_BOOLEAN.format(column)})"]
        rows = self.text.select([column])
        for limit in (f" LIMIT {_PROBED_ROWS}", ""):
            query = f"SELECT {', '.join(counts)} FROM ({rows}{limit})"
            ((present, numeric, boolean),) = session.rows(query, self.text.parameters, self.name)
            if present and numeric == present:
                return "float"
        return "boolean" if present and boolean == present else "float"

    def _label_kind(self, session: EngineSession, name: str, scores: Sequence[Sequence[str]]) -> Kind:
        """Return the kind of a column of labels; raise an error if different scores are the same double."""
        column = f"c{self.columns.index(name)}"
        conditions = [
            " OR ".join(may_be_equal(f"c{self.columns.index(score)}", "VARCHAR") for score in own)
            for own in scores
        ]
        selected = self.text.select([column, *(f"bool_or({long}) AS x{i}" for i, long in enumerate(conditions))])
        session.run(
            f"CREATE OR REPLACE TEMP TABLE texts AS {selected} GROUP BY {column}", self.text.parameters, self.name
        )
        if scores:
            sums = [f"bool_or(x{i})" for i in range(len(scores))]
            (answers,) = session.rows(f"SELECT {', '.join(sums)} FROM texts", (), self.name)
            for own, is_long in zip(scores, answers, strict=True):
                if is_long:
                    check_equal_doubles(session, self.text, own)
        return inferred_kind(session, "texts", column)

    def _source(self, types: Mapping[str, str], expressions: Mapping[str, str]) -> Source:
        """Return the table with some columns of other types than text, or replaced by expressions of it."""
        queries, parameters = [], list[Any]()
        for header, files in self.parts:
            own = {i: types[name] for i, name in enumerate(header.names) if name in types}
            partitions = "true, hive_types_autocast = false" if self.keys else "false"
            call, values = csv_call(files, header, own, f"hive_partitioning = {partitions}")
            columns = [self._column(name, header) for name in self.columns]
            selected = [
                f"{expressions.get(name, '{}').format(column)} AS c{i}"
                for i, (name, column) in enumerate(zip(self.columns, columns, strict=True))
            ]
            queries.append(f"SELECT {', '.join(selected)} FROM {call}")
            parameters += values
        decimal = self.parts[0].files[0].decimal
        call = f"({' UNION ALL '.join(queries)})"
        return Source(self.name, self.columns, call, tuple(parameters), decimal=decimal)

    def _column(self, name: str, header: Header) -> str:
        """Return a column of a file, or of its partition; NULL if it has neither."""
        if name in header.names:
            return f"c{header.names.index(name)}"
        return quoted(name) if name in self.keys else "NULL::VARCHAR"


def csv_table(
    session: EngineSession, data: Sequence[DataFile], requested: Collection[str], sheet: str | None
) -> CsvTable:
    """Open CSV files or sheets of workbooks as one table; the requested names help to detect the delimiter."""
    parts: dict[tuple[Header, Compression], list[DataFile]] = {}
    files = [str(file.path) for file in data]
    for file in data:
        if check_file(file) != "workbook":
            check_no_table(sheet, file.name)
    data = [text_copy(session, file, sheet) for file in data]
    check_compressed(data)
    for file in data:
        header = read_header(file, requested)
        check_names(header.names, file.name)
        session.name_columns(local_path(file.path), header.names, file.decimal)
        parts.setdefault((header, file.compression), []).append(file)
    names = [*next(iter(parts))[0].names]
    for header, _ in parts:
        names += [name for name in header.names if name not in names]
    partitions = tuple(key for key in shared_partition_keys(files) if key not in names)
    table = [_Part(header, own) for (header, _), own in parts.items()]
    return CsvTable(files_text(files), (*names, *partitions), tuple(table), partitions)
