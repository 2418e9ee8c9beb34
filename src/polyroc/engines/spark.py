"""Rows of a Spark data frame: executors count them, and the driver receives one merged tally."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import TYPE_CHECKING, TypeVar
from zlib import compress, decompress

import numpy as np
from pyspark.cloudpickle import dumps
from pyspark.errors import PySparkException
from pyspark.sql import functions as sql

from polyroc.engines.bins import BinnedColumn
from polyroc.engines.rows import PILOT_FACTOR, MemoryRows, check_memory, exact_column, non_finite_error
from polyroc.engines.scan import Scan
from polyroc.engines.spark_executors import MESSAGE, Load, add_message, count, merge, row_batches
from polyroc.errors import InputError, MissingPackageError, OutOfSpaceError
from polyroc.kernels.bins import FRACTION_BITS
from polyroc.messages import Option

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

try:
    from py4j.protocol import Py4JError
except ImportError:  # the client of Spark Connect has no Java
    Py4JError = PySparkException

__all__ = ["NAME", "SparkRows", "broadcast", "is_connect", "run_spark"]

T = TypeVar("T")
NAME = "the Spark data frame"
PILOT_ROWS = 2**19  # sent to the driver: 15 MB for three columns
FEW_TASKS = 4  # that would save less time by merging than their start takes
MERGED_AT_ONCE = 16  # messages that one task merges; more of them are merged in two steps
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
    number
        The number of rows.
    """

    frame: "DataFrame"
    names: Sequence[str]
    room: int
    number: int = 0
    bytes: int | None = None
    weight_exponent: int = 0

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return "w" in self.frame.columns

    def pilot_sample(self, rows: int, needed: bool) -> MemoryRows | None:
        """Rows by a hash of their numbers: the same ones, in the same order, for any partitions and sorting.

        Spark computes all rows for them, but only these are handed to Python, which takes most time of a scan: so
        it saves time where it saves a scan, and not otherwise. Where rows are often equal, very many or very few
        may have one of the hash values: then there is no sample.
        """
        rows = min(rows, PILOT_ROWS)
        if not needed or self.number < PILOT_FACTOR * rows:
            return None
        numbers = [name for name in self.frame.columns if name not in ("k", "p")]
        hashed = self.frame.drop("p").withColumn("h", sql.xxhash64(*numbers))
        drawn = hashed.where(sql.pmod("h", sql.lit(self.number)) < rows)
        table = run_spark(drawn.limit(2 * rows).toArrow)
        if not rows // 2 < table.num_rows < 2 * rows:
            return None
        (batch,) = row_batches(iter([table.sort_by("h").drop_columns("h")]), self.weighted)
        return MemoryRows(batch, share=table.num_rows / self.number)

    @property
    def clustered(self) -> bool:
        """Whether rows belong to clusters."""
        return "p" in self.frame.columns

    def scan(self, scan: Scan, report: Callable[[int], None]) -> None:
        """Send the plan to the executors, which count their partitions and merge the counts."""
        self._scan(self.frame.drop("p"), scan, report)

    def scan_clusters(self, scan: Scan, report: Callable[[int], None], scores: bool) -> None:
        """As `scan`, after a shuffle: each cluster is in one partition, and its rows follow each other."""
        columns = [name for name in self.frame.columns if scores or not name.startswith("v")]
        tasks = int(self.frame.sparkSession.conf.get("spark.sql.shuffle.partitions") or 1)
        together = self.frame.select(columns).repartition(tasks, "p").sortWithinPartitions("p")
        self._scan(together, scan, report)

    def _scan(self, frame: "DataFrame", scan: Scan, report: Callable[[int], None]) -> None:
        """Count partitions, and merge the counts.

        Messages are merged by as many tasks as there are cores if these are several (and then by the root of that,
        if they are many), then by one: the driver receives one message, however many rows and partitions there
        are. Each task takes messages in the order of their partitions, so that sums of products are rounded the
        same way every time.
        """
        tasks = _merging_tasks(frame)
        with broadcast(frame, scan.plan) as load:
            messages = frame.mapInArrow(partial(count, load), MESSAGE)
            several = [tasks] if tasks > FEW_TASKS else []
            for n in (*several, *([ceil(sqrt(tasks))] if tasks > MERGED_AT_ONCE else []), 1):
                together = messages.repartition(n, "part").sortWithinPartitions("part")
                messages = together.mapInArrow(partial(merge, load), MESSAGE)
            merged = run_spark(messages.collect)
        for message in merged:
            if message["error"]:
                raise InputError(message["error"])
            add_message(scan, message)
        report(scan.rows)

    def distinct(self, place: int, classes: int) -> BinnedColumn:
        """A column with one bin for each distinct value; Spark groups, and the driver collects the groups."""
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
        """The error for a column that has missing or infinite values."""
        value = sql.col(f"v{place}")
        infinite, missing, rows = run_spark(
            lambda: self.frame.select(
                sql.count_if(sql.abs(value) == float("inf")), sql.count_if(sql.isnan(value)), sql.count("*")
            ).collect()[0]
        )
        return non_finite_error(f"column {self.names[place]!r} of {NAME}", missing, infinite, rows)


def is_connect(frame: "DataFrame") -> bool:
    """Whether the data frame is one of Spark Connect, whose sessions have no Spark context."""
    return type(frame).__module__.startswith("pyspark.sql.connect")


def _merging_tasks(frame: "DataFrame") -> int:
    """How many tasks merge the messages of the partitions first: as many as there are cores, if that is known."""
    session = frame.sparkSession
    shuffled = int(session.conf.get("spark.sql.shuffle.partitions") or 1)
    return shuffled if is_connect(frame) else min(shuffled, session.sparkContext.defaultParallelism)


@contextmanager
def broadcast(frame: "DataFrame", value: object) -> Iterator[Load]:
    """Send a value to the executors for as long as the context lasts; they load it as pickled bytes.

    Spark Connect has no broadcasts: the value is sent with the functions that use it.
    """
    if is_connect(frame):
        yield partial(decompress, compress(dumps(value), 1))  # type: ignore[no-untyped-call]
        return
    sent = frame.sparkSession.sparkContext.broadcast(dumps(value))  # type: ignore[no-untyped-call]
    try:
        yield partial(getattr, sent, "value")
    finally:
        sent.destroy()


def run_spark(action: Callable[[], T]) -> T:
    """The result of an action; errors of Spark become polyroc's."""
    try:
        return action()
    except (PySparkException, Py4JError) as error:
        text = str(error)
        if "No module named 'polyroc" in text:
            raise MissingPackageError(
                "Spark's executors cannot import polyroc. Install it in their environment (with numba and "
                "pyarrow), or send an environment that has it; docs/scale.md says how."
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
    """The first line that names an error, or the first line that is not empty."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if "Error: " in line or "Exception: " in line]
    return (named or lines or ["Spark gave no reason"])[0]


def _exact_sum(amount: "SparkColumn") -> "SparkColumn":
    """The sum of weights as the kernel makes it: whole parts and fractions are summed as integers."""
    unit = float(2**FRACTION_BITS)
    whole = sql.sum(sql.floor(amount).cast(WHOLE)).cast("double")
    fraction = sql.sum(sql.floor((amount - sql.floor(amount)) * unit).cast(WHOLE)).cast("double")
    return whole + fraction / unit
