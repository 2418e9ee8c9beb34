"""From a Spark data frame and what is asked of it to rows: which columns, which classes, which rows count."""

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
from pyspark.sql import types

from polyroc import errors
from polyroc.engines.dataset import (
    MOST_LABELS,
    Opened,
    Question,
    bind_columns,
    columns_of,
    kind_of_labels,
    left_out,
    sorted_labels,
)
from polyroc.engines.groups import Group, named
from polyroc.engines.refine import Asked, Solution, solve
from polyroc.engines.rows import NULL, UNKNOWN
from polyroc.engines.spark import NAME, SparkRows, guarded, shared
from polyroc.engines.spark_executors import judge
from polyroc.errors import InputError, MissingPackageError, NotApplicableError, warn
from polyroc.estimates.estimate import Estimate
from polyroc.io.sources import Kind, Source, check_names

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["OpenedFrame", "opened_frame", "solved_groups"]


@dataclass(frozen=True, eq=False)
class OpenedFrame(Opened):
    """Rows of a data frame, ready to be judged; `grouped` has the columns that make groups too (g0, g1, ...)."""

    rows: SparkRows
    grouped: "DataFrame"


@contextmanager
def opened_frame(frame: "DataFrame", question: Question, memory: int) -> Iterator[OpenedFrame]:
    """Rows of a data frame, ready to be judged."""
    _require(frame)
    names = tuple(frame.columns)
    check_names(names, NAME)
    source = Source(NAME, names, "", (), tuple(_kind(field.dataType) for field in frame.schema.fields))
    columns = columns_of(source, question)
    plain = frame.toDF(*(f"c{i}" for i in range(len(names))))
    label = _label(source, columns.truth)
    found = guarded(plain.select(label.alias("label")).distinct().limit(MOST_LABELS + 2).collect)
    held = sorted_labels((row["label"] for row in found), columns.truth)
    classifiers, chosen, schema = bind_columns(source, columns, held, question)
    values = [_number(source, name).alias(f"v{i}") for i, name in enumerate(chosen)]
    weights = [_number(source, question.weight).alias("w")] if question.weight else []
    groups = [sql.col(f"c{names.index(name)}").alias(f"g{i}") for i, name in enumerate(question.by)]
    rows = plain.select(_code(label, schema.labels).alias("k"), *values, *weights, *groups)
    kept = [name for name in rows.columns if not name.startswith("g")]
    dropped = 0
    if question.missing == "drop":
        rows, dropped = _complete(rows, kept)
    yield OpenedFrame(SparkRows(rows.select(kept), chosen, memory // 4), classifiers, schema, dropped, rows)


def _require(frame: "DataFrame") -> None:
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        raise NotApplicableError(
            "Spark Connect has no broadcasts, which the passes need; use a session of the cluster itself."
        )
    if find_spec("pyarrow") is None:
        raise MissingPackageError("Spark needs pyarrow here: pip install 'polyroc[spark]'.")


def _kind(data_type: Any) -> Kind:
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


def _label(source: Source, truth: str) -> "Column":
    """The true class of each row; nan counts as missing."""
    kind, column = kind_of_labels(source, truth), sql.col(f"c{source.columns.index(truth)}")
    if kind == "float":
        return sql.nullif(column.cast("double"), sql.lit(float("nan")))
    return column.cast({"integer": "bigint", "boolean": "boolean"}.get(kind, "string"))


def _code(label: "Column", labels: Sequence[Hashable]) -> "Column":
    """The number of a row's label."""
    place = sql.array_position(sql.array(*map(sql.lit, labels)), label)
    known = sql.when(place > 0, place - 1).otherwise(sql.lit(UNKNOWN))
    return sql.when(label.isNull(), sql.lit(NULL)).otherwise(known).cast("int")


def _number(source: Source, name: str) -> "Column":
    """A column as doubles, nan where there is nothing."""
    place = source.columns.index(name)
    assert source.kinds is not None
    if source.kinds[place] not in ("integer", "float", "boolean"):
        raise InputError(
            f"column {name!r} of {NAME} holds {source.kinds[place]} where numbers were expected; cast it to "
            "double (a vector to one column for each class)."
        )
    return sql.coalesce(sql.col(f"c{place}").cast("double"), sql.lit(float("nan")))


def _complete(rows: "DataFrame", names: Sequence[str]) -> tuple["DataFrame", int]:
    """Only the rows with nothing missing, and how many are not."""
    complete = sql.col("k") != NULL
    for name in names[1:]:
        complete &= ~sql.isnan(name)
    whole, kept = guarded(lambda: rows.select(sql.count("*"), sql.count_if(complete)).collect()[0])
    return rows.where(complete), left_out(whole, kept)


def solved_groups(data: OpenedFrame, asked: Asked, room: int) -> Iterator[tuple[Group, Solution]]:
    """Each group's solution: found by the task that holds its rows if these fit into the room, else in passes."""
    names = [name for name in data.grouped.columns if name.startswith("g")]
    width = 4 + 8 * (len(data.rows.names) + data.rows.weighted)
    sizes = {tuple(row[:-1]): row[-1] for row in guarded(data.grouped.groupBy(*names).count().collect)}
    large = {group: _is(names, group) for group, n in sizes.items() if n * width > room}
    found = {}
    for group, condition in large.items():
        with named(group):
            found[group] = solve(_only(data, condition), asked)
    if len(large) < len(sizes):
        found |= _judged(data, names, asked, ~reduce(or_, large.values(), sql.lit(False)))
    yield from found.items()


def _is(names: list[str], group: Group) -> "Column":
    pairs = zip(names, group, strict=True)
    return reduce(and_, (sql.col(name).eqNullSafe(sql.lit(value)) for name, value in pairs))


def _only(data: OpenedFrame, condition: "Column") -> Any:
    return replace(data.rows, frame=data.grouped.where(condition).select(data.rows.frame.columns))


def _judged(data: OpenedFrame, names: list[str], asked: Asked, condition: "Column") -> dict[Group, Solution]:
    frame = data.grouped.where(condition)
    schema = frame.select(names).schema.add("found", "string")
    told = replace(asked, exact=True, progress=None), data.rows.weighted, data.rows.names
    with shared(frame, told) as load:
        found = frame.groupBy(*names).applyInArrow(lambda key, rows: judge(load, key, rows), schema)
        answers = guarded(found.collect)
    return {tuple(row[:-1]): _solution(row[:-1], json.loads(row[-1])) for row in answers}


def _solution(group: Group, found: dict[str, Any]) -> Solution:
    with named(group):
        for kind, text in found["warnings"]:
            warn(text, getattr(errors, kind))
        if found["trouble"] is not None:
            raise InputError(found["trouble"])
    estimates = {(one, key): Estimate.from_dict(each) for one, key, each in found["estimates"]}
    return Solution(estimates, np.array(found["covariance"]), {}, found["rows"])
