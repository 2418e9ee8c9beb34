"""Datasets from Spark data frames: their columns as numbers, and estimates of groups of their rows."""

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from importlib.util import find_spec
from math import inf
from operator import and_, or_
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as sql
from pyspark.sql import types

from polyroc import errors
from polyroc.engines.dataset import (
    MOST_LABELS,
    ColumnRequest,
    Dataset,
    bind_columns,
    check_columns,
    label_kind,
    negated_columns,
    report_dropped,
    sorted_labels,
)
from polyroc.engines.evaluate import Group, group_context, row_bytes
from polyroc.engines.precision import checked_exponent
from polyroc.engines.refine import evaluate_rows
from polyroc.engines.request import EngineResult, EvaluationRequest
from polyroc.engines.rows import CHAINED_LABELS, MISSING_LABEL, UNKNOWN_LABEL, non_finite_error
from polyroc.engines.spark import NAME, SparkRows, broadcast, run_spark
from polyroc.engines.spark_executors import evaluate_group
from polyroc.engines.support import check_supported, decisions_subject
from polyroc.errors import InputError, MissingPackageError, StackedRowsWarning, warn
from polyroc.estimates.estimate import Estimate
from polyroc.io.columns import Columns, columns_text
from polyroc.io.predictions import matching_labels
from polyroc.io.sources import Kind, Source, check_names
from polyroc.io.stacked_rows import Repetition, key_columns, name_note, readable_keys
from polyroc.io.table import DIGITS, distinct_below
from polyroc.messages import Option, install_command
from polyroc.validation.negation import not_negatable
from polyroc.validation.predictions import equal_doubles_message

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["estimate_frame_groups", "open_frame"]


@dataclass(frozen=True, eq=False)
class FrameDataset(Dataset):
    """Rows of a data frame; `grouped` also has the columns that define groups (g0, g1, ...)."""

    rows: SparkRows
    grouped: "DataFrame"


@contextmanager
def open_frame(frame: "DataFrame", request: ColumnRequest, memory: int) -> Iterator[FrameDataset]:
    """Open a data frame as a dataset."""
    _check_environment()
    names = tuple(frame.columns)
    check_names(names, NAME)
    source = Source(NAME, names, "", (), tuple(column_kind(field.dataType) for field in frame.schema.fields))
    columns = check_columns(source, request)
    negated = negated_columns(columns)
    plain = frame.toDF(*(f"c{i}" for i in range(len(names))))
    notes = _stacked_rows_notes(plain, readable_keys(key_columns(columns, source, request.by), source), source)
    label = _label(source, columns.truth)
    sizes = plain.select(label.alias("label")).groupBy("label").count().limit(MOST_LABELS + 2)
    classes = run_spark(sizes.collect)
    present = sorted_labels((row["label"] for row in classes), columns.truth)
    numbers = NumberColumns(frame, plain, source)
    vectors = numbers.expand(columns, matching_labels(request.labels, present), present)
    classifiers, chosen, schema = bind_columns(
        source, columns, present, request, lambda: sum(row["count"] for row in classes), vectors
    )
    if vectors.keys() & negated:
        raise InputError(not_negatable(columns.negated[0], "one column per class"))
    signed = [0.0 - numbers.column(name) if name in negated else numbers.column(name) for name in chosen]
    values = [score.alias(f"v{i}") for i, score in enumerate(signed)]
    weights = [numbers.column(request.weight).alias("w")] if request.weight else []
    for places in classifiers.values():
        numbers.check_distinct([chosen[place] for place in places])
    clusters = [_label(source, request.groups).alias("p")] if request.groups else []
    by = [_without_nan(source, name).alias(f"g{i}") for i, name in enumerate(request.by)]
    rows = plain.select(_code(label, schema.labels).alias("k"), *values, *weights, *clusters, *by)
    kept = [name for name in rows.columns if name[0] != "g"]
    labelled = {
        **({"p": request.groups} if request.groups else {}),
        **{f"g{i}": n for i, n in enumerate(request.by)},
    }
    dropped = 0
    if request.missing == "drop":
        rows, dropped = _complete_rows(rows, kept, [*labelled])
    else:
        _check_present(rows, labelled)
    rows, exponent = scaled_rows(rows, request.weight, schema.names)
    number = sum(row["count"] for row in classes) - dropped
    frame_rows = SparkRows(rows.select(kept), chosen, memory // 4, number, weight_exponent=exponent)
    yield FrameDataset(frame_rows, classifiers, schema, dropped, rows, negated=columns.negated, notes=notes)


def _check_environment() -> None:
    if find_spec("pyarrow") is None:
        raise MissingPackageError(f"Spark needs pyarrow here: {install_command('spark')}.")


def _stacked_rows_notes(plain: "DataFrame", keys: Sequence[str], source: Source) -> tuple[str, ...]:
    """Warn if rows seem to be stacked; the different values of columns named as keys are estimated in one job."""
    if not keys:
        return ()
    numbers = [f"c{source.columns.index(name)}" for name in keys]
    counts = [count(c) for c in numbers for count in (sql.count, sql.approx_count_distinct)]
    row = run_spark(lambda: plain.select(*counts).collect()[0])
    repetitions = dict(zip(keys, map(Repetition, row[::2], row[1::2]), strict=True))
    note = name_note(keys, repetitions.__getitem__)
    if note is None:
        return ()
    warn(note, StackedRowsWarning)
    return (note,)


def _label(source: Source, truth: str) -> "Column":
    """The true class of each row; nan counts as missing."""
    kind, column = label_kind(source, truth), sql.col(f"c{source.columns.index(truth)}")
    if kind == "float":
        return sql.nullif(column.cast("double"), sql.lit(float("nan")))
    return column.cast({"integer": "bigint", "boolean": "boolean"}.get(kind, "string"))


def _code(label: "Column", labels: Sequence[Hashable]) -> "Column":
    """The class code of a row."""
    if len(labels) <= CHAINED_LABELS:
        code = sql.when(label.isNull(), sql.lit(MISSING_LABEL))
        for i, one in enumerate(labels):
            code = code.when(label == sql.lit(one), sql.lit(i))
        return code.otherwise(sql.lit(UNKNOWN_LABEL))
    place = sql.array_position(sql.array(*map(sql.lit, labels)), label)
    known = sql.when(place > 0, place - 1).otherwise(sql.lit(UNKNOWN_LABEL))
    return sql.when(label.isNull(), sql.lit(MISSING_LABEL)).otherwise(known).cast("int")


def _without_nan(source: Source, name: str) -> "Column":
    """A column that divides the rows; nan counts as missing."""
    column = sql.col(f"c{source.columns.index(name)}")
    return sql.nullif(column, sql.lit(float("nan"))) if label_kind(source, name) == "float" else column


def _check_present(rows: "DataFrame", labelled: Mapping[str, str]) -> None:
    """Raise an error if a row lacks a label, given the columns of labels with their names."""
    if not labelled:
        return
    total, *present = run_spark(lambda: rows.select(sql.count("*"), *map(sql.count, labelled)).collect()[0])
    for name, count in zip(labelled.values(), present, strict=True):
        if count < total:
            raise non_finite_error(f"column {name!r} of {NAME}", total - count, 0, total)


def _complete_rows(rows: "DataFrame", names: Sequence[str], labelled: Sequence[str]) -> tuple["DataFrame", int]:
    """Only the rows without a missing value, and how many have one."""
    complete = sql.col("k") != MISSING_LABEL
    for name in dict.fromkeys([*names[1:], *labelled]):
        complete &= sql.col(name).isNotNull() if name in labelled else ~sql.isnan(name)
    total, kept = run_spark(lambda: rows.select(sql.count("*"), sql.count_if(complete)).collect()[0])
    return rows.where(complete), report_dropped(total, kept)


def estimate_frame_groups(
    data: FrameDataset, request: EvaluationRequest, room: int
) -> Iterator[tuple[Group, EngineResult]]:
    """The estimates of each group: by one task if its rows take no more bytes than `room`, else by scans."""
    names = [name for name in data.grouped.columns if name.startswith("g")]
    most = room // row_bytes(len(data.rows.names), data.rows.weighted, data.rows.clustered)
    sizes = {tuple(row[:-1]): row[-1] for row in run_spark(data.grouped.groupBy(*names).count().collect)}
    large = {group: _in_group(names, group) for group, n in sizes.items() if n > most}
    results = {}
    for group, condition in large.items():
        frame = data.grouped.where(condition).select(data.rows.frame.columns)
        rows = replace(data.rows, frame=frame, number=sizes[group])
        with group_context(group):
            results[group] = evaluate_rows(rows, request)
    if len(large) < len(sizes):
        results |= _small_groups(data, names, request, ~reduce(or_, large.values(), sql.lit(False)))
    yield from results.items()


def _in_group(names: list[str], group: Group) -> "Column":
    pairs = zip(names, group, strict=True)
    return reduce(and_, (sql.col(name).eqNullSafe(sql.lit(value)) for name, value in pairs))


def _small_groups(
    data: FrameDataset, names: list[str], request: EvaluationRequest, condition: "Column"
) -> dict[Group, EngineResult]:
    frame = data.grouped.where(condition)
    schema = frame.select(names).schema.add("result", "string")
    work = replace(request, exact=True, progress=None), data.rows.weighted, data.rows.names
    with broadcast(frame, work) as load:
        applied = frame.groupBy(*names).applyInArrow(lambda key, rows: evaluate_group(load, key, rows), schema)
        answers = run_spark(applied.collect)
    return {tuple(row[:-1]): _group_result(row[:-1], json.loads(row[-1])) for row in answers}


def _group_result(group: Group, answer: dict[str, Any]) -> EngineResult:
    """The answer of an executor, whose warnings and error are raised here."""
    with group_context(group):
        for kind, text in answer["warnings"]:
            warn(text, getattr(errors, kind))
        if answer["error"] is not None:
            raise InputError(answer["error"])
    estimates = {(name, key): Estimate.from_dict(estimate) for name, key, estimate in answer["estimates"]}
    return EngineResult(estimates, np.array(answer["covariance"]), {}, answer["rows"])


def column_kind(data_type: Any) -> Kind:
    """The kind of values of a Spark data type."""
    if isinstance(data_type, types.IntegralType):
        return "integer"
    if isinstance(data_type, types.DecimalType):
        return "float" if data_type.scale else "integer"
    if isinstance(data_type, types.FractionalType):
        return "float"
    if isinstance(data_type, types.BooleanType):
        return "boolean"
    plain = isinstance(data_type, types.AtomicType) and not isinstance(data_type, types.BinaryType)
    return "text" if plain else "other"


class NumberColumns:
    """The columns of numbers of a data frame; an array or a vector of Spark ML is a column for each element.

    Attributes
    ----------
    elements
        By the name of an element, its column as an array and its place in it.
    """

    def __init__(self, frame: "DataFrame", plain: "DataFrame", source: Source) -> None:
        self.types = dict(zip(source.columns, (field.dataType for field in frame.schema.fields), strict=True))
        self.plain, self.source = plain, source
        self.elements: dict[str, tuple[Column, int]] = {}

    def expand(
        self, columns: Columns, order: Sequence[Hashable] | None, present: Sequence[Hashable]
    ) -> dict[str, tuple[str, ...]]:
        """The names of the elements of columns of arrays, one for each class in their order.

        As a matrix in memory, without `labels` they are taken in the order of the sorted classes; but only if
        these are 0, 1, ..., as Spark ML numbers them. Its indexer orders names by frequency.
        """
        labels = order or present
        vectors = {}
        for name in dict.fromkeys(own.names[0] for own in columns.scores.values() if len(own.names) == 1):
            array = self._array(name)
            if array is not None:
                if order is None and [*labels] != [*range(len(labels))]:
                    raise InputError(
                        f"column {name!r} of {NAME} holds one number per class, in an order that is not known; "
                        "name the classes in that order with ",
                        Option("labels", [...]),
                        ".",
                    )
                self._check_sizes(name, array, len(labels))
                vectors[name] = tuple(f"{name}[{i}]" for i in range(len(labels)))
                self.elements |= {element: (array, i) for i, element in enumerate(vectors[name])}
                self.types |= dict.fromkeys(vectors[name], _element_type(self.types[name]))
        return vectors

    def _array(self, name: str) -> "Column | None":
        """A column of arrays or vectors as arrays; None for other columns."""
        column, data_type = sql.col(f"c{self._place(name)}"), self.types[name]
        if isinstance(data_type, types.UserDefinedType) and data_type.simpleString() == "vector":
            from pyspark.ml.functions import vector_to_array

            return sql.when(column.isNotNull(), vector_to_array(column))  # a missing vector would be an error
        is_array = isinstance(data_type, types.ArrayType) and isinstance(data_type.elementType, types.NumericType)
        return column if is_array else None

    def _check_sizes(self, name: str, array: "Column", classes: int) -> None:
        smallest, largest = run_spark(
            lambda: self.plain.select(sql.min(sql.array_size(array)), sql.max(sql.array_size(array))).collect()[0]
        )
        wrong = next((size for size in (smallest, largest) if size not in (None, classes)), None)
        if wrong is not None:
            raise InputError(
                f"column {name!r} of {NAME} holds {wrong} numbers in a row, where one for each of {classes} "
                "classes was expected; name every class with ",
                Option("labels", [...]),
                ".",
            )

    def _raw(self, name: str) -> "Column":
        return sql.get(*self.elements[name]) if name in self.elements else sql.col(f"c{self._place(name)}")

    def _place(self, name: str) -> int:
        return self.source.columns.index(name)

    def column(self, name: str) -> "Column":
        """A column as doubles, nan for null."""
        kind = column_kind(self.types[name])
        if kind not in ("integer", "float", "boolean"):
            if kind == "text":
                check_supported("decisions", "spark", None, decisions_subject(f"column {name!r} of {NAME}"))
            shown = self.types[name].simpleString()
            raise InputError(
                f"column {name!r} of {NAME} holds {shown} where numbers were expected; cast it to double."
            )
        return sql.coalesce(self._raw(name).cast("double"), sql.lit(float("nan")))

    def check_distinct(self, names: Sequence[str]) -> None:
        """Raise an error if different numbers of a classifier's columns are equal as doubles."""
        limits = [(name, distinct_below(self.types[name].simpleString().upper())) for name in names]
        doubtful = [
            sql.bool_or(sql.abs(self._raw(name).cast("double")) >= limit) for name, limit in limits if limit < inf
        ]
        if not doubtful or not any(run_spark(lambda: self.plain.select(*doubtful).collect()[0])):
            return
        numbers = [self._raw(name) for name in names]
        pairs = [sql.struct(c.cast("double").alias("d"), c.cast("string").alias("t")) for c in numbers]
        texts = self.plain.select(sql.inline(sql.array(*pairs))).select("d", "t", sql.expr(DIGITS).alias("digits"))
        ends = [sql.min_by("t", "digits"), sql.max_by("t", "digits")]
        equal = texts.groupBy("d").agg(*ends, sql.count_distinct("digits").alias("n")).where("n > 1").limit(1)
        for _, one, other, _ in run_spark(equal.collect):
            raise InputError(equal_doubles_message(f"{columns_text(names)} of {NAME}", one, other))


def _element_type(data_type: Any) -> types.DataType:
    return data_type.elementType if isinstance(data_type, types.ArrayType) else types.DoubleType()


def scaled_rows(rows: "DataFrame", name: str | None, classes: Sequence[str]) -> tuple["DataFrame", int]:
    """The rows with weights of a size whose squares can be summed, and the power of two that divides them."""
    if "w" not in rows.columns:
        return rows, 0
    weight = sql.col("w")
    positive = sql.when(weight > 0, weight)

    def scaled(exponent: int) -> "Column":
        half = exponent // 2  # in two steps, since 2^1074 is not a double
        return weight * sql.lit(2.0**-half) * sql.lit(2.0 ** (half - exponent))

    def sums(exponent: int) -> list[Any]:
        squares = sql.sum(scaled(exponent) * scaled(exponent))
        return run_spark(rows.groupBy("k").agg(sql.count(positive), squares).collect)

    ends = [sql.min(positive), sql.max(weight), sql.count(positive)]
    smallest, largest, number = run_spark(lambda: rows.select(*ends).collect()[0])
    exponent = checked_exponent(smallest, largest, number, sums, classes, f"column {name!r} of {NAME}")
    return (rows.withColumn("w", scaled(exponent)), exponent) if exponent else (rows, 0)
