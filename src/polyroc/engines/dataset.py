"""Datasets: the rows of files or tables, bound to the columns, classes and conditions that were requested."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from polyroc.engines.bins import checked_exponent, scaled_expression
from polyroc.engines.files import (
    Files,
    check_parquet_columns,
    csv_table,
    files_text,
    find_files,
    is_csv,
    is_parquet,
    partitioned_source,
)
from polyroc.engines.options import EngineOptions
from polyroc.engines.rows import DuckRows, Rows, code_expression, non_finite_error
from polyroc.engines.session import EngineSession
from polyroc.engines.support import check_supported, decisions_subject
from polyroc.errors import DroppedRowsWarning, InputError, StackedRowsWarning, warn
from polyroc.io.columns import Columns, RequestedColumns, TableNames, columns_text, find_columns
from polyroc.io.files import check_file, check_no_table, files_source
from polyroc.io.frames import frame_source, is_table, stated_categories
from polyroc.io.predictions import class_columns, matching_label, matching_labels
from polyroc.io.sources import DataFile, Kind, Source, unchanged
from polyroc.io.stacked_rows import check_stored_folds, stacked_rows_notes
from polyroc.io.stored_categories import stored_categories
from polyroc.io.table import check_distinct
from polyroc.messages import Option
from polyroc.scores import Schema
from polyroc.validation.data_frames import ordered_classes
from polyroc.validation.labels import FEW_CLASSES, check_class_count
from polyroc.validation.scores import schema_of

__all__ = [
    "MOST_LABELS",
    "Dataset",
    "FileDataset",
    "bind_columns",
    "check_columns",
    "label_kind",
    "negated_columns",
    "open_files",
    "report_dropped",
    "sorted_labels",
]

MACHINE_INTEGERS = {f"{sign}{size}" for sign in ("", "U") for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")}
LARGEST_WHOLE = 2**53 - 1  # doubles distinguish integers up to it: labels come as doubles if some are missing
MOST_LABELS = 65536  # more distinct labels than this are taken for a mistake in the choice of the column


def label_columns(options: EngineOptions) -> tuple[str, ...]:
    """Return the columns of labels: the true class, the groups, and those that divide the rows."""
    return tuple(dict.fromkeys([options.truth, *([options.groups] if options.groups else []), *options.by]))


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows with validated columns and classes.

    Attributes
    ----------
    rows
        The rows; their columns of scores have numbers.
    classifiers
        By name: the numbers of its columns.
    schema
        The classes and the kind of the scores, from which the applicability of a measure is checked.
    dropped
        Number of rows left out because a value is missing.
    negated
        The classifiers whose scores are multiplied by -1.
    notes
        What is doubtful about the rows; see `Scores.notes`.
    """

    rows: Rows
    classifiers: dict[str, tuple[int, ...]]
    schema: Schema
    dropped: int
    negated: tuple[str, ...] = field(default=(), kw_only=True)
    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def expected(self) -> int | None:
        """Return the number of rows, if it is known without a scan."""
        return None


@dataclass(frozen=True, eq=False)
class FileDataset(Dataset):
    """Rows of files or tables, read by DuckDB."""

    rows: DuckRows

    def expected(self) -> int | None:
        """Return the number of rows, which the metadata of Parquet files contain."""
        source = self.rows.source
        if not source.call.startswith("read_parquet"):
            return None
        query = "SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata(?)"
        ((count,),) = self.rows.session.rows(query, source.parameters, source.name)
        return int(count) - self.dropped

    def where(self, condition: str, parameters: Sequence[Any]) -> DuckRows:
        """Return the rows that also meet a condition on the columns c0, c1, ..."""
        return replace(
            self.rows,
            condition=f"{self.rows.condition} AND {condition}",
            condition_parameters=[*self.rows.condition_parameters, *parameters],
        )

    def column(self, name: str) -> str:
        """Return a column's name in queries."""
        return f"c{self.rows.source.columns.index(name)}"


@contextmanager
def open_files(files: Files | Any, request: EngineOptions) -> Iterator[FileDataset]:
    """Open files, a data frame or a lazy table as a dataset."""
    memory = request.memory
    paths = [] if is_table(files) else find_files(files)
    with unchanged([Path(path) for path in paths]), EngineSession(memory // 2, request.disk) as session:
        data = [DataFile(Path(path), None, request.decimal, request.encoding) for path in paths]
        source, columns = _open_source(session, files, data, request)
        check_stored_folds(columns, source)
        labels = [[name] for name in label_columns(request) if label_kind(source, name) == "float"]
        check_distinct(session, source, labels, "labels")
        # every scan of a table reads all registered columns
        keys = frame_source(session, files, [columns.truth], keys=True, view="keys") if is_table(files) else source
        notes = stacked_rows_notes(session, keys, columns, request.by)
        for note in notes:
            warn(note, StackedRowsWarning)
        present = _labels(session, source, columns.truth)
        categories = _stated_categories(session, files, paths, columns.truth) if request.labels is None else None
        count = partial(_count_rows, session, source)
        classifiers, names, schema = bind_columns(source, columns, present, request, count, categories=categories)
        weight = [request.weight] if request.weight else []
        _check_numbers(source, (*names, *weight))
        if is_parquet(paths):
            check_parquet_columns(session, paths, (*names, *weight), label_columns(request))
        truth = f"c{source.columns.index(request.truth)}"
        code, code_parameters = code_expression(truth, schema.labels)
        rows = DuckRows(
            session=session,
            source=source,
            code=code,
            names=names,
            expressions=_expressions(source, columns, names),
            weight=_number(source, request.weight) if request.weight else None,
            condition="TRUE",
            code_parameters=code_parameters,
            condition_parameters=(),
            room=memory // 4,
            bytes=sum(Path(path).stat().st_size for path in paths) if paths else None,
            integers=_neighbours(session, source, truth, schema.labels),
        )
        dropped = 0
        if request.missing == "drop":
            others = [*([request.groups] if request.groups else []), *request.by]
            conditions = [f"{truth} IS NOT NULL", *(_present(source, name) for name in others)]
            rows, dropped = _complete_rows(rows, conditions, request.weight)
        _check_present(rows, request.by)
        if request.groups is not None:
            rows = _with_clusters(rows, request.groups)
        check_distinct(session, source, [own.names for own in columns.scores.values()])
        scaled = _with_scaled_weights(rows, request.weight, schema.names)
        yield FileDataset(scaled, classifiers, schema, dropped, negated=columns.negated, notes=notes)


def _open_source(
    session: EngineSession, files: Any, data: Sequence[DataFile], request: EngineOptions
) -> tuple[Source, Columns]:
    """Return the files or the table as one source whose columns have kinds, and the requested columns."""
    names, paths, table = _requested(request).names, [str(file.path) for file in data], request.table
    if is_csv(paths):
        csv = csv_table(session, data, names, table)
        columns = check_columns(csv.text, request)
        csv.check((*columns.numbers, *label_columns(request)))
        scores = [own.names for own in columns.scores.values()]
        return csv.typed(session, columns.numbers, label_columns(request), scores), columns
    if not paths:
        check_no_table(table)
        source = frame_source(session, files, names)
    elif is_parquet(paths) and table is None:
        check_file(data[0])
        source = partitioned_source(session, paths)
    else:
        source = files_source(session, data, names, table, files_text(paths))
    return source, check_columns(source, request)


def _check_numbers(source: Source, names: Sequence[str]) -> None:
    """Raise an error if a column of scores or weights does not hold numbers."""
    assert source.kinds is not None
    for name in names:
        kind = source.kinds[source.columns.index(name)]
        if kind == "text":
            check_supported("decisions", "duckdb", None, decisions_subject(f"column {name!r} of {source.name}"))
        if kind not in ("integer", "float", "boolean"):
            raise InputError(
                f"column {name!r} of {source.name} holds lists or records, or decimals of more than 38 digits, "
                "where numbers were expected; write it again as numbers."
            )


def _requested(request: EngineOptions) -> RequestedColumns:
    columns = request.truth, request.scores, None, None, None, request.weight, request.groups
    return RequestedColumns(*columns, by=tuple(request.by))


def _number(source: Source, name: str) -> str:
    return f"CAST(c{source.columns.index(name)} AS DOUBLE)"


def negated_columns(columns: Columns) -> set[str]:
    """Return the columns of scores that are multiplied by -1; each has one sign, as rows hold a column once."""
    negated = {columns.scores[classifier].names[0] for classifier in columns.negated}
    both = [own.names[0] for own in columns.scores.values() if not own.negated and own.names[0] in negated]
    if both:
        raise InputError(f"column {both[0]!r} is named with and without a negative sign; evaluate them apart.")
    return negated


def _expressions(source: Source, columns: Columns, names: Sequence[str]) -> list[str]:
    """Return the SQL expressions of the scores as doubles; those of negated classifiers with the other sign."""
    negated = negated_columns(columns)
    numbers = {name: _number(source, name) for name in names}
    return [f"(0.0 - {number})" if name in negated else number for name, number in numbers.items()]


def _with_scaled_weights(rows: DuckRows, name: str | None, classes: Sequence[str]) -> DuckRows:
    """Return the rows with weights of a size whose squares can be summed."""
    if rows.weight is None:
        return rows
    weight = rows.weight

    def ask(expressions: Sequence[str], parameters: Sequence[Any] = (), group: str = "") -> list[Any]:
        query = f"{rows.source.select(expressions)} WHERE {rows.condition} {group}"
        values = [*parameters, *rows.source.parameters, *rows.condition_parameters]
        return rows.session.rows(query, values, rows.source.name)

    def sums(exponent: int) -> list[Any]:
        square = f"sum(({scaled_expression(weight, exponent)}) ** 2)"
        return ask([rows.code, count, square], rows.code_parameters, "GROUP BY 1")

    count = f"count(*) FILTER ({weight} > 0)"
    ((smallest, largest, number),) = ask([f"min({weight}) FILTER ({weight} > 0)", f"max({weight})", count])
    exponent = checked_exponent(smallest, largest, number, sums, classes, f"column {name!r} of {rows.source.name}")
    if not exponent:
        return rows
    return replace(rows, weight=scaled_expression(weight, exponent), weight_exponent=exponent)


def _neighbours(
    session: EngineSession, source: Source, truth: str, labels: Sequence[Hashable]
) -> tuple[str, int, int] | None:
    """Return the column and the ends of classes that are neighbouring integers; see `DuckRows.integers`."""
    first, *_, last = labels
    if type(first) is not int or type(last) is not int or max(abs(first), abs(last)) > LARGEST_WHOLE:
        return None
    if any(label != first + i for i, label in enumerate(labels)):
        return None
    ((_, column_type, *_),) = session.rows(f"DESCRIBE {source.select([truth])}", source.parameters, source.name)
    return (truth, first, last) if column_type in MACHINE_INTEGERS else None


def _labels(session: EngineSession, source: Source, truth: str) -> tuple[Hashable, ...]:
    """Return the distinct true classes, sorted."""
    cast = {"integer": "HUGEINT", "float": "DOUBLE", "boolean": "BOOLEAN"}.get(
        label_kind(source, truth), "VARCHAR"
    )
    column = f"CAST(c{source.columns.index(truth)} AS {cast})"
    query = f"{source.select([f'DISTINCT {column} AS label'])} LIMIT {MOST_LABELS + 2}"
    rows = session.rows(query, source.parameters, source.name)
    return sorted_labels((label for (label,) in rows), truth)


def check_columns(source: Source, request: EngineOptions) -> Columns:
    """Return the requested columns, which must be among those of the source."""
    columns = find_columns(_requested(request), source).with_negated(request.negate)
    if source.kinds is not None:
        for name in label_columns(request):
            label_kind(source, name)
    return columns


def label_kind(source: Source, name: str) -> Kind:
    """Return the kind of values in a column of labels."""
    assert source.kinds is not None
    kind = source.kinds[source.columns.index(name)]
    if kind == "other":
        raise InputError(f"column {name!r} of {source.name} holds lists or records; name another column.")
    return kind


def sorted_labels(labels: Iterable[Any], truth: str) -> tuple[Hashable, ...]:
    """Return the distinct labels that are not missing, if there are not too many."""
    present = [label for label in labels if label is not None and label == label]  # nan is not equal to itself
    if len(present) > MOST_LABELS:
        raise InputError(
            f"column {truth!r} holds more than {MOST_LABELS:,} different labels; is it an identifier? Name that "
            "of the classes with ",
            Option("truth", ...),
            ".",
        )
    return tuple(sorted(present))


def _stated_categories(
    session: EngineSession, files: Files | Any, paths: Sequence[str], column: str
) -> Sequence[Hashable] | None:
    """Return the order of the classes that a data frame, or the metadata of Parquet files, state."""
    if not paths:
        return stated_categories(files, column)
    return stored_categories(session, [Path(path) for path in paths], column)


def bind_columns(
    source: Source,
    columns: Columns,
    present: tuple[Hashable, ...],
    request: EngineOptions,
    cases: Callable[[], int],
    vectors: Mapping[str, tuple[str, ...]] | None = None,
    categories: Sequence[Hashable] | None = None,
) -> tuple[dict[str, tuple[int, ...]], list[str], Schema]:
    """Return by classifier the numbers of its columns; the names of all columns of scores; and the schema.

    `cases` counts the rows; `vectors` has the names of the elements of columns that contain one number per class,
    in the order of these; `categories` the order that an ordered categorical states, which is not one of unnamed
    columns.
    """
    if not present:
        raise InputError(f"column {columns.truth!r} of {source.name} has no label at all; is it the right column?")
    stated = None
    if categories is not None:
        stated = ordered_classes(categories, present, len(next(iter(columns.scores.values())).names))
    order = matching_labels(request.labels if stated is None else stated, present)
    labels = order or present
    arguments = TableNames(truth=columns_text([columns.truth]))
    if not vectors and any(len(own.names) != len(labels) for own in columns.scores.values()):
        counted = len(labels) > FEW_CLASSES and request.labels is None
        check_class_count(len(labels), cases() if counted else None, arguments)
    names: list[str] = []
    classifiers: dict[str, tuple[int, ...]] = {}
    for classifier, score_columns in columns.scores.items():
        own = score_columns.names
        if len(own) == 1 and vectors and own[0] in vectors:
            own = vectors[own[0]]
        elif len(own) > 1:
            own = class_columns(source.name, score_columns, labels, request.labels is not None)
        names += [name for name in own if name not in names]
        classifiers[classifier] = tuple(names.index(name) for name in own)
    widths = {len(numbers) for numbers in classifiers.values()}
    if len(widths) > 1:
        raise InputError("All classifiers must give the same kind of scores; evaluate them apart.")
    schema = schema_of(
        present,
        [*classifiers],
        widths.pop(),
        labels=order,
        pos_label=matching_label(request.pos_label, labels),
        sampling=request.sampling,
        arguments=replace(arguments, scores=columns_text(names)),
    )
    return classifiers, names, schema


def _count_rows(session: EngineSession, source: Source) -> int:
    ((count,),) = session.rows(source.select(["count(*)"]), source.parameters, source.name)
    return int(count)


def _present(source: Source, name: str) -> str:
    """Return the SQL condition that a row has a label in a column; nan counts as missing."""
    column = f"c{source.columns.index(name)}"
    return f"{column} IS NOT NULL" + (f" AND NOT isnan({column})" if label_kind(source, name) == "float" else "")


def _check_present(rows: DuckRows, names: Sequence[str]) -> None:
    """Raise an error if a row lacks a label in one of these columns."""
    if not names:
        return
    source = rows.source
    counts = [f"count(*) FILTER ({_present(source, name)})" for name in names]
    ((total, *present),) = rows.select(["count(*)", *counts])
    for name, count in zip(names, present, strict=True):
        if count < total:
            raise non_finite_error(f"column {name!r} of {source.name}", total - count, 0, total)


def _with_clusters(rows: DuckRows, name: str) -> DuckRows:
    """Return the rows with numbered clusters: the groups of a column, in which no row may lack a value."""
    _check_present(rows, [name])
    source, parameters = rows.source, [*rows.source.parameters, *rows.condition_parameters]
    column = f"c{source.columns.index(name)}"
    distinct = f"{source.select([f'DISTINCT {column} AS name'])} WHERE {rows.condition}"
    rows.session.run(
        f"CREATE OR REPLACE TEMP TABLE clusters AS SELECT name, row_number() OVER () - 1 AS p FROM ({distinct})",
        parameters,
        source.name,
    )
    return replace(rows, cluster=column)


def _complete_rows(rows: DuckRows, present: Sequence[str], weight: str | None) -> tuple[DuckRows, int]:
    """Leave out rows with a missing value, and count them; `present` are conditions on the labels of rows.

    Infinite values are an error in any row, as in memory; those of rows that are dropped are not seen later.
    """
    numbers = dict(zip(rows.names, rows.expressions, strict=True))
    if weight is not None and rows.weight is not None:
        numbers[weight] = rows.weight
    condition = " AND ".join([*present, *(f"NOT isnan({number})" for number in numbers.values())])
    infinite = [f"count(*) FILTER (isinf({number}))" for number in numbers.values()]
    ((total, kept, *infinities),) = rows.select(["count(*)", f"count(*) FILTER ({condition})", *infinite])
    for name, number in zip(numbers, infinities, strict=True):
        if number:
            raise non_finite_error(f"column {name!r} of {rows.source.name}", 0, number, total)
    return replace(rows, condition=condition), report_dropped(total, kept)


def report_dropped(total: int, kept: int) -> int:
    """Return the number of rows that are not kept, with a warning if there are any."""
    if not kept:
        raise InputError("Every row has a missing value; nothing is left to evaluate.")
    if kept < total:
        warn(f"Dropped {total - kept} of {total} rows with missing values.", DroppedRowsWarning)
    return total - kept
