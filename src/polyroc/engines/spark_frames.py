"""Datasets from Spark data frames, and estimates of groups of their rows."""

import json
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from importlib.util import find_spec
from operator import and_, or_
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as sql

from polyroc import errors
from polyroc.engines.dataset import (
    MOST_LABELS,
    ColumnRequest,
    Dataset,
    bind_columns,
    check_columns,
    label_kind,
    report_dropped,
    sorted_labels,
)
from polyroc.engines.groups import Group, group_context, row_bytes
from polyroc.engines.refine import EngineResult, EvaluationRequest, evaluate_rows
from polyroc.engines.rows import MISSING_LABEL, UNKNOWN_LABEL, non_finite_error
from polyroc.engines.spark import NAME, SparkRows, broadcast, run_spark
from polyroc.engines.spark_columns import NumberColumns, checked_numbers, column_kind
from polyroc.engines.spark_executors import evaluate_group
from polyroc.engines.support import check_supported
from polyroc.errors import InputError, MissingPackageError, warn
from polyroc.estimates.estimate import Estimate
from polyroc.io.predictions import matching_labels
from polyroc.io.sources import Source, check_names

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["FrameDataset", "estimate_frame_groups", "open_frame"]


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
    if columns.negated:
        check_supported("negate", "spark", None)
    plain = frame.toDF(*(f"c{i}" for i in range(len(names))))
    label = _label(source, columns.truth)
    labels = run_spark(plain.select(label.alias("label")).distinct().limit(MOST_LABELS + 2).collect)
    present = sorted_labels((row["label"] for row in labels), columns.truth)
    numbers = NumberColumns(frame, plain, source)
    vectors = numbers.expand(columns, matching_labels(request.labels, present), present)
    classifiers, chosen, schema = bind_columns(source, columns, present, request, vectors)
    values = [numbers.column(name).alias(f"v{i}") for i, name in enumerate(chosen)]
    weights = [numbers.column(request.weight).alias("w")] if request.weight else []
    inexact = [numbers.inexact(name).alias(f"x{i}") for i, name in enumerate(chosen) if numbers.is_large(name)]
    clusters = [_label(source, request.groups).alias("p")] if request.groups else []
    by = [sql.col(f"c{names.index(name)}").alias(f"g{i}") for i, name in enumerate(request.by)]
    rows = plain.select(_code(label, schema.labels).alias("k"), *values, *weights, *clusters, *inexact, *by)
    kept = [name for name in rows.columns if name[0] not in "gx"]
    dropped = 0
    if request.missing == "drop":
        rows, dropped = _complete_rows(rows, kept)
    elif request.groups:
        _check_clusters(rows, request.groups)
    rows, exponent = checked_numbers(rows, chosen)
    frame_rows = SparkRows(rows.select(kept), chosen, memory // 4, weight_exponent=exponent)
    yield FrameDataset(frame_rows, classifiers, schema, dropped, rows)


def _check_environment() -> None:
    if find_spec("pyarrow") is None:
        raise MissingPackageError("Spark needs pyarrow here: pip install 'polyroc[spark]'.")


def _label(source: Source, truth: str) -> "Column":
    """The true class of each row; nan counts as missing."""
    kind, column = label_kind(source, truth), sql.col(f"c{source.columns.index(truth)}")
    if kind == "float":
        return sql.nullif(column.cast("double"), sql.lit(float("nan")))
    return column.cast({"integer": "bigint", "boolean": "boolean"}.get(kind, "string"))


def _code(label: "Column", labels: Sequence[Hashable]) -> "Column":
    """The class code of a row."""
    place = sql.array_position(sql.array(*map(sql.lit, labels)), label)
    known = sql.when(place > 0, place - 1).otherwise(sql.lit(UNKNOWN_LABEL))
    return sql.when(label.isNull(), sql.lit(MISSING_LABEL)).otherwise(known).cast("int")


def _check_clusters(rows: "DataFrame", name: str) -> None:
    """Raise an error if a row has no group."""
    total, present = run_spark(lambda: rows.select(sql.count("*"), sql.count("p")).collect()[0])
    if present < total:
        raise non_finite_error(f"column {name!r} of {NAME}", total - present, 0, total)


def _complete_rows(rows: "DataFrame", names: Sequence[str]) -> tuple["DataFrame", int]:
    """Only the rows without a missing value, and how many have one."""
    complete = sql.col("k") != MISSING_LABEL
    for name in names[1:]:
        complete &= sql.col(name).isNotNull() if name == "p" else ~sql.isnan(name)
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
        rows = replace(data.rows, frame=data.grouped.where(condition).select(data.rows.frame.columns))
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
