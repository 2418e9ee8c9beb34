"""CSV files as one table, by the rules of `polyroc.io`: same dialect, header, missing values and kinds of labels.

DuckDB detects nothing by itself. The columns of scores are read as numbers, all others as text, of which labels
are made as for a file that is read into memory.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from polyroc.engines.files import check_column_names, files_text, quoted, shared_partition_keys
from polyroc.engines.session import EngineSession
from polyroc.io.compression import check_compressed
from polyroc.io.csv_files import Header, csv_call, read_header
from polyroc.io.files import check_file, check_no_table
from polyroc.io.sources import Compression, DataFile, Kind, Source, check_names, local_path
from polyroc.io.table import check_equal_doubles, inferred_kind, label_expression, may_be_equal
from polyroc.io.text_copies import text_copy

__all__ = ["CsvTable", "csv_table"]

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
        """The table with columns of numbers and labels, whose kinds are inferred from their values.

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
        """The kind of a column of true and false is boolean, else float: text is reported when it is read."""
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
        """The kind of a column of labels; an error if different scores of a classifier are the same double."""
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
        """The table with some columns of other types than text, or replaced by expressions of their text."""
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
        """A column of a file, or of its partition; NULL if it has neither."""
        if name in header.names:
            return f"c{header.names.index(name)}"
        return quoted(name) if name in self.keys else "NULL::VARCHAR"


def csv_table(
    session: EngineSession, data: Sequence[DataFile], requested: Collection[str], sheet: str | None
) -> CsvTable:
    """CSV files or sheets of workbooks as one table; the requested names help to detect the delimiter."""
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
