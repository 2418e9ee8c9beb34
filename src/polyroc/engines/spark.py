"""Spark data frames: Spark prepares the columns, and its executors count the rows.

Every scan is one `mapInArrow`: each partition is counted in bins, and the counts are merged by a few tasks, then
by one, so that the driver receives one message, however many rows there are. Counts are integers: the answers are
those of files. Groups of rows that fit into a task are estimated where they are, by `applyInArrow`.
"""

import pickle
import warnings
import zlib
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial, reduce
from importlib.util import find_spec
from math import ceil, inf, sqrt
from operator import and_, or_
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from pyspark import TaskContext
from pyspark.cloudpickle import dumps
from pyspark.errors import PySparkException
from pyspark.sql import functions as sql
from pyspark.sql import types

from polyroc.engines.bins import BinnedColumn, checked_exponent
from polyroc.engines.dataset import (
    MOST_LABELS,
    Dataset,
    bind_columns,
    check_columns,
    label_kind,
    negated_columns,
    report_dropped,
    sorted_labels,
)
from polyroc.engines.evaluate import Group, group_context, row_bytes
from polyroc.engines.options import EngineOptions
from polyroc.engines.refine import evaluate_rows
from polyroc.engines.request import EngineResult, EvaluationRequest
from polyroc.engines.rows import (
    CHAINED_LABELS,
    MISSING_LABEL,
    UNKNOWN_LABEL,
    Batch,
    MemoryRows,
    check_memory,
    exact_column,
    non_finite_error,
)
from polyroc.engines.scan import Scan
from polyroc.engines.support import check_supported, decisions_subject
from polyroc.errors import (
    InputError,
    MissingPackageError,
    OutOfSpaceError,
    PolyrocError,
    PolyrocWarning,
    StackedRowsWarning,
    warn,
)
from polyroc.io.columns import Columns, columns_text
from polyroc.io.predictions import matching_labels
from polyroc.io.sources import Kind, Source, check_names
from polyroc.io.stacked_rows import Repetition, key_columns, name_note, readable_keys
from polyroc.io.table import DIGITS, distinct_below
from polyroc.kernels.bins import FRACTION_BITS
from polyroc.messages import Option, install_command
from polyroc.validation.negation import not_negatable
from polyroc.validation.predictions import equal_doubles_message
from polyroc.validation.weights import scaled_weights

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

try:
    from py4j.protocol import Py4JError
except ImportError:  # the client of Spark Connect has no Java
    Py4JError = PySparkException

__all__ = ["count", "estimate_frame_groups", "open_frame"]

T = TypeVar("T")
Load = Callable[[], Any]
Tables = Iterator["pa.RecordBatch"]
NAME = "the Spark data frame"
MESSAGE = "part int, counts binary"
FEW_TASKS = 4  # that would save less time by merging than their start takes
ROWS_AT_ONCE = 2**16  # rows that are counted together; Spark's own batches are smaller
WHOLE = "decimal(28,0)"  # the sums of which are exact


@dataclass(frozen=True, eq=False)
class SparkRows:
    """Rows of a data frame, computed by Spark for every scan.

    Attributes
    ----------
    frame
        The class code of each row (k), the scores (v0, v1, ...), the weight (w) and the cluster (p) if there is
        one.
    names
        The names of the columns of scores.
    room
        How many bytes an exact answer may take on the driver.
    """

    frame: "DataFrame"
    names: Sequence[str]
    room: int
    bytes: int | None = None
    weight_exponent: int = 0

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return "w" in self.frame.columns

    @property
    def clustered(self) -> bool:
        """Whether rows belong to clusters."""
        return "p" in self.frame.columns

    def pilot_sample(self, rows: int) -> MemoryRows | None:
        """Return None: to draw rows, Spark would compute all of them once more."""

    def scan(self, scan: Scan, report: Callable[[int], None]) -> None:
        """Send the plan to the executors, which count their partitions and merge the counts."""
        self._scan(self.frame.drop("p"), scan, report)

    def scan_clusters(self, scan: Scan, report: Callable[[int], None], scores: bool) -> None:
        """Scan after a shuffle: each cluster is in one partition, and its rows follow each other."""
        columns = [name for name in self.frame.columns if scores or not name.startswith("v")]
        together = self.frame.select(columns).repartition(_shuffled(self.frame), "p").sortWithinPartitions("p")
        self._scan(together, scan, report)

    def _scan(self, frame: "DataFrame", scan: Scan, report: Callable[[int], None]) -> None:
        """Count partitions, and merge the counts: by some tasks if there are many, then by one.

        Each task takes counts in the order of their partitions, so that sums of products are rounded the same way
        every time.
        """
        tasks = _shuffled(frame)
        with _sent(frame, scan.plan) as load:
            counts = frame.mapInArrow(partial(count, load), MESSAGE)
            for n in (*([ceil(sqrt(tasks))] if tasks > FEW_TASKS else []), 1):
                together = counts.repartition(n, "part").sortWithinPartitions("part")
                counts = together.mapInArrow(partial(_merge, load), MESSAGE)
            merged = run_spark(counts.collect)
        for message in merged:
            _add_message(scan, message["counts"])
        report(scan.rows)

    def distinct(self, place: int, classes: int) -> BinnedColumn:
        """Return a column with one bin for each distinct value; Spark groups, the driver collects the groups."""
        weight = sql.col("w") if self.weighted else sql.lit(1.0)
        rows = self.frame.select((sql.col(f"v{place}") + 0.0).alias("v"), "k", weight.alias("w")).where("w > 0")
        check_memory(run_spark(rows.select("v").distinct().count), classes, NAME, self.names[place], self.room)
        sums = [sql.count("*").alias("n")]
        if self.weighted:
            sums += [_exact_sum(sql.col("w")).alias("s"), _exact_sum(sql.col("w") * sql.col("w")).alias("q")]
        table = run_spark(rows.groupBy("v", "k").agg(*sums).toArrow)
        groups = {name: table[name].to_numpy() for name in table.column_names}
        order = np.lexsort((groups["k"], groups["v"]))
        return exact_column({name: column[order] for name, column in groups.items()}, classes, self.weighted)

    def non_finite_error(self, place: int) -> InputError:
        """Return the error for a column that has missing or infinite values."""
        value = sql.col(f"v{place}")
        infinite, missing, rows = run_spark(
            lambda: self.frame.select(
                sql.count_if(sql.abs(value) == float("inf")), sql.count_if(sql.isnan(value)), sql.count("*")
            ).collect()[0]
        )
        return non_finite_error(f"column {self.names[place]!r} of {NAME}", missing, infinite, rows)


@dataclass(frozen=True, eq=False)
class FrameDataset(Dataset):
    """Rows of a data frame; `grouped` also has the columns that define groups (g0, g1, ...)."""

    rows: SparkRows
    grouped: "DataFrame"


@contextmanager
def open_frame(frame: "DataFrame", request: EngineOptions) -> Iterator[FrameDataset]:
    """Open a data frame as a dataset."""
    if request.table is not None:
        raise InputError("A Spark data frame has no tables; leave out ", Option("table", request.table), ".")
    if find_spec("pyarrow") is None:
        raise MissingPackageError(f"Spark needs pyarrow here: {install_command('spark')}.")
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
    frame_rows = SparkRows(rows.select(kept), chosen, request.memory // 4, weight_exponent=exponent)
    yield FrameDataset(frame_rows, classifiers, schema, dropped, rows, negated=columns.negated, notes=notes)


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
    """Return the true class of each row; nan counts as missing."""
    kind, column = label_kind(source, truth), sql.col(f"c{source.columns.index(truth)}")
    if kind == "float":
        return sql.nullif(column.cast("double"), sql.lit(float("nan")))
    return column.cast({"integer": "bigint", "boolean": "boolean"}.get(kind, "string"))


def _code(label: "Column", labels: Sequence[Hashable]) -> "Column":
    """Return the class code of a row."""
    if len(labels) <= CHAINED_LABELS:
        code = sql.when(label.isNull(), sql.lit(MISSING_LABEL))
        for i, one in enumerate(labels):
            code = code.when(label == sql.lit(one), sql.lit(i))
        return code.otherwise(sql.lit(UNKNOWN_LABEL))
    place = sql.array_position(sql.array(*map(sql.lit, labels)), label)
    known = sql.when(place > 0, place - 1).otherwise(sql.lit(UNKNOWN_LABEL))
    return sql.when(label.isNull(), sql.lit(MISSING_LABEL)).otherwise(known).cast("int")


def _without_nan(source: Source, name: str) -> "Column":
    """Return a column that divides the rows; nan counts as missing."""
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
    """Return only the rows without a missing value, and how many have one."""
    complete = sql.col("k") != MISSING_LABEL
    for name in dict.fromkeys([*names[1:], *labelled]):
        complete &= sql.col(name).isNotNull() if name in labelled else ~sql.isnan(name)
    total, kept = run_spark(lambda: rows.select(sql.count("*"), sql.count_if(complete)).collect()[0])
    return rows.where(complete), report_dropped(total, kept)


def estimate_frame_groups(
    data: FrameDataset, request: EvaluationRequest, room: int
) -> Iterator[tuple[Group, EngineResult]]:
    """Estimate each group: by one task if its rows take no more bytes than `room`, else by scans."""
    names = [name for name in data.grouped.columns if name.startswith("g")]
    most = room // row_bytes(len(data.rows.names), data.rows.weighted, data.rows.clustered)
    sizes = {tuple(row[:-1]): row[-1] for row in run_spark(data.grouped.groupBy(*names).count().collect)}
    large = {group: _in_group(names, group) for group, n in sizes.items() if n > most}
    results = {}
    for group, condition in large.items():
        frame = data.grouped.where(condition).select(data.rows.frame.columns)
        rows = replace(data.rows, frame=frame)
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
    schema = frame.select(names).schema.add("result", "binary")
    work = replace(request, exact=True, progress=None), data.rows.weighted, data.rows.names
    with _sent(frame, work) as load:
        applied = frame.groupBy(*names).applyInArrow(lambda key, rows: _evaluate_group(load, key, rows), schema)
        answers = run_spark(applied.collect)
    return {tuple(row[:-1]): _group_result(row[:-1], row[-1]) for row in answers}


def _group_result(group: Group, answer: bytes) -> EngineResult:
    """Return the result of an executor; its warnings and its error are raised here."""
    data, caught = _loads(answer)
    with group_context(group):
        for warning in caught:
            warn(warning.message, type(warning))
        result = pickle.loads(data)
        if isinstance(result, PolyrocError):
            raise result
    assert isinstance(result, EngineResult)
    return result


def column_kind(data_type: Any) -> Kind:
    """Return the kind of values of a Spark data type."""
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
        """Return the names of the elements of columns of arrays, one for each class in their order.

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
        """Return a column of arrays or vectors as arrays; None for other columns."""
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
        """Return a column as doubles, nan for null."""
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
    """Scale weights to a size whose squares can be summed; return the power of two that divides them, too."""
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


def _shuffled(frame: "DataFrame") -> int:
    """Return the number of tasks after a shuffle."""
    return int(frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)


@contextmanager
def _sent(frame: "DataFrame", value: object) -> Iterator[Load]:
    """Send a value to the executors for as long as the context lasts.

    Spark Connect has no broadcasts: the value is sent with the functions that use it.
    """
    data = dumps(value)  # type: ignore[no-untyped-call]
    if type(frame).__module__.startswith("pyspark.sql.connect"):
        yield partial(_loads, zlib.compress(data, 1))
        return
    broadcast = frame.sparkSession.sparkContext.broadcast(data)
    try:
        yield lambda: pickle.loads(broadcast.value)
    finally:
        broadcast.destroy()


def _loads(data: bytes) -> Any:
    """Load what an executor or the driver of the same run has pickled and compressed."""
    return pickle.loads(zlib.decompress(data))


def run_spark(action: Callable[[], T]) -> T:
    """Return the result of an action; errors of Spark become polyroc's."""
    try:
        return action()
    except (PySparkException, Py4JError) as error:
        text = str(error)
        if "No module named 'polyroc" in text:
            raise MissingPackageError(
                "Spark's executors cannot import polyroc. Install it in their environment (with numba and "
                "pyarrow), or send an environment that has it."
            ) from error
        if "maxResultSize" in text:
            raise OutOfSpaceError(
                "The distinct values exceed what Spark's driver accepts (spark.driver.maxResultSize). Raise that "
                "limit, or use ",
                Option("tolerance"),
                " instead of ",
                Option("exact", True),
                ".",
            ) from error
        if "RESOURCE_EXHAUSTED" in text:
            raise OutOfSpaceError(
                "The bins exceed what Spark Connect accepts in one message "
                "(spark.connect.grpc.maxInboundMessageSize on the server). Raise that limit, lower ",
                Option("memory"),
                ", or use a wider ",
                Option("tolerance"),
                ".",
            ) from error
        raise InputError(f"{NAME} cannot be scanned: {_reason(text)}") from error


def _reason(text: str) -> str:
    """Return the first line that names an error, or the first line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if "Error: " in line or "Exception: " in line]
    return (named or lines or ["Spark gave no reason"])[0]


def _exact_sum(amount: "Column") -> "Column":
    """Sum weights as the kernel does: whole parts and fractions are summed as integers."""
    unit = float(2**FRACTION_BITS)
    whole = sql.sum(sql.floor(amount).cast(WHOLE)).cast("double")
    fraction = sql.sum(sql.floor((amount - sql.floor(amount)) * unit).cast(WHOLE)).cast("double")
    return whole + fraction / unit


def count(load: Load, tables: Tables) -> Iterator["pa.RecordBatch"]:
    """Count one partition; no message if it has no rows."""
    scan, error = Scan(load()), None
    try:
        for batch in _row_batches(tables, scan.plan.weighted):
            tasks, last = scan.tasks(batch)  # without threads: Spark runs one task per core
            for task in (*tasks, last):
                task()
            if scan.non_finite_column() is not None:
                break
        scan.finish()
    except PolyrocError as raised:
        error = raised
    if scan.rows or error:
        yield _message(scan, error)


def _merge(load: Load, tables: Tables) -> Iterator["pa.RecordBatch"]:
    """Merge the counts of several partitions."""
    scan, error = Scan(load()), None
    try:
        for table in tables:
            for message in table.to_pylist():
                _add_message(scan, message["counts"])
    except PolyrocError as raised:
        error = raised
    if scan.rows or error:
        yield _message(scan, error)


def _message(scan: Scan, error: PolyrocError | None) -> "pa.RecordBatch":
    """Return the counts, or an error, as a table of one row."""
    import pyarrow as pa

    context = TaskContext.get()
    tables = [(counts.ranges, counts.records()) for counts in scan.counts.values()]
    products = None if scan.lookups is None else scan.lookups.products
    data = zlib.compress(pickle.dumps(error or (scan.rows, products, tables)), 1)
    part = None if context is None else context.partitionId()
    return pa.RecordBatch.from_pydict(
        {"part": pa.array([part], pa.int32()), "counts": pa.array([data], pa.binary())}
    )


def _add_message(scan: Scan, data: bytes) -> None:
    """Add the counts of a message to those of a scan, or raise its error."""
    message = _loads(data)
    if isinstance(message, PolyrocError):
        raise message
    rows, products, tables = message
    scan.rows += rows
    if scan.lookups is not None:
        scan.lookups.products += products
    for counts, (ranges, records) in zip(scan.counts.values(), tables, strict=True):
        counts.add_records(records)
        for place, limits in ranges.items():
            counts.update_range(place, *limits)


def _row_batches(tables: Tables, weighted: bool) -> Iterator[Batch]:
    """Yield rows as arrays, several of Spark's small batches at a time, with numbers for their clusters."""
    gathered: list[list[Any]] = []
    last, number, clustered = None, 0, False
    for table in tables:
        if not table.num_rows:
            continue
        names = table.schema.names
        columns = [column.to_numpy(zero_copy_only=False) for column in table.columns]
        if clustered := "p" in names:
            own = columns.pop(names.index("p"))
            columns.append(number + np.cumsum(np.append(own[0] != last, own[1:] != own[:-1])))
            last, number = own[-1], int(columns[-1][-1])
        gathered.append(columns)
        if sum(len(columns[0]) for columns in gathered) >= ROWS_AT_ONCE:
            yield _concatenated(gathered, weighted, clustered)
            gathered = []
    if gathered:
        yield _concatenated(gathered, weighted, clustered)


def _concatenated(gathered: list[list[Any]], weighted: bool, clustered: bool) -> Batch:
    codes, *columns = (np.concatenate(parts) for parts in zip(*gathered, strict=True))
    clusters = columns.pop() if clustered else None
    weight = columns.pop() if weighted else None
    return Batch(codes, columns, weight, clusters)


def _evaluate_group(load: Load, key: "tuple[pa.Scalar[Any], ...]", rows: "pa.Table") -> "pa.Table":
    """Estimate one group where its rows are: its name with the pickled result or error, and the warnings."""
    import pyarrow as pa

    request, weighted, columns = load()
    own = rows.drop_columns([f"g{i}" for i in range(len(key))])
    (batch,) = _row_batches(iter([own.sort_by("p") if "p" in own.column_names else own]), weighted)
    result: EngineResult | PolyrocError
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            # All weights may be small against those of other groups.
            weight = scaled_weights(batch.weight, batch.codes, request.schema.names, "the weights")
            batch = batch._replace(weight=weight)
            result = replace(evaluate_rows(MemoryRows(batch, columns), request), binned={})
            data = pickle.dumps(result)  # which computes the parts, and may warn
        except PolyrocError as error:
            data = pickle.dumps(error)
    ours = [warning.message for warning in caught if isinstance(warning.message, PolyrocWarning)]
    names = {f"g{i}": pa.array([value.as_py()], value.type) for i, value in enumerate(key)}
    return pa.table({**names, "result": [zlib.compress(pickle.dumps((data, ours)))]})
