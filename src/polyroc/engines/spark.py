"""Rows of a Spark data frame: executors count them, and one merged tally comes to the driver."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import ceil, sqrt
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from py4j.protocol import Py4JError
from pyspark.cloudpickle import dumps
from pyspark.errors import PySparkException
from pyspark.sql import functions as sql

from polyroc.engines.bins import Column
from polyroc.engines.rows import check_room, exact_column, not_finite
from polyroc.engines.scan import Pass
from polyroc.engines.spark_executors import MESSAGE, Load, absorb, count, merge
from polyroc.errors import InputError, MissingPackageError, OutOfSpaceError
from polyroc.kernels.bins import FRACTION
from polyroc.messages import Option

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame

__all__ = ["NAME", "SparkRows", "guarded", "shared"]

T = TypeVar("T")
NAME = "the Spark data frame"
FEW = 16  # messages that one task merges without help
WHOLE = "decimal(28,0)"  # sums of these are exact


@dataclass(frozen=True, eq=False)
class SparkRows:
    """Rows of a data frame, gone through anew each time.

    Attributes
    ----------
    frame
        The number of each row's class (k), the scores (v0, v1, ...), the weight (w) if there is one.
    names
        What the columns of scores are called.
    room
        How many bytes an exact answer may take on the driver.
    """

    frame: "DataFrame"
    names: Sequence[str]
    room: int
    bytes: int | None = None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return "w" in self.frame.columns

    def some(self, rows: int) -> None:
        """None: a part of a data frame can cost as much to make as all of it."""

    def go_through(self, work: Pass, tell: Callable[[int], None]) -> None:
        """Send the plan to the executors, let them count their partitions and merge, take in what is left.

        Messages are merged by as many tasks as there are cores (and then by the root of that, if these are many),
        then by one: the driver sees one message, however many rows and partitions there are. Each task takes
        messages in the order of their partitions, so that sums of products are rounded alike every time.
        """
        session = self.frame.sparkSession
        shuffled = int(session.conf.get("spark.sql.shuffle.partitions") or 1)
        tasks = min(shuffled, session.sparkContext.defaultParallelism)
        with shared(self.frame, work.plan) as load:
            messages = self.frame.mapInArrow(partial(count, load), MESSAGE)
            for n in (tasks, *([ceil(sqrt(tasks))] if tasks > FEW else []), 1):
                together = messages.repartition(n, "part").sortWithinPartitions("part")
                messages = together.mapInArrow(partial(merge, load), MESSAGE)
            found = guarded(messages.collect)
        for message in found:
            if message["trouble"]:
                raise InputError(message["trouble"])
            absorb(work, message)
        tell(work.seen)

    def distinct(self, place: int, classes: int) -> Column:
        """Every distinct value of a column as a cell; Spark groups, and the groups come to the driver."""
        weight = sql.col("w") if self.weighted else sql.lit(1.0)
        rows = self.frame.select((sql.col(f"v{place}") + 0.0).alias("v"), "k", weight.alias("w")).where("w > 0")
        check_room(guarded(rows.select("v").distinct().count), classes, NAME, self.names[place], self.room)
        sums = [sql.count("*").alias("n")]
        if self.weighted:
            sums += [_exact_sum(sql.col("w")).alias("s"), _exact_sum(sql.col("w") * sql.col("w")).alias("q")]
        table = guarded(rows.groupBy("v", "k").agg(*sums).toArrow)
        found = {name: table[name].to_numpy() for name in table.column_names}
        order = np.lexsort((found["k"], found["v"]))
        return exact_column({name: each[order] for name, each in found.items()}, classes, self.weighted)

    def explain(self, place: int) -> InputError:
        """What is wrong with a column: how many rows of it are missing, or infinite."""
        value = sql.col(f"v{place}")
        infinite, missing, rows = guarded(
            lambda: self.frame.select(
                sql.count_if(sql.abs(value) == float("inf")), sql.count_if(sql.isnan(value)), sql.count("*")
            ).collect()[0]
        )
        return not_finite(f"column {self.names[place]!r} of {NAME}", missing, infinite, rows)


@contextmanager
def shared(frame: "DataFrame", value: object) -> Iterator[Load]:
    """Send a value to the executors as long as this lasts; there it is what these bytes tell."""
    sent = frame.sparkSession.sparkContext.broadcast(dumps(value))  # type: ignore[no-untyped-call]
    try:
        yield partial(getattr, sent, "value")
    finally:
        sent.destroy()


def guarded(action: Callable[[], T]) -> T:
    """What Spark answers; what goes wrong there as an error of ours."""
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
        raise InputError(f"{NAME} cannot be gone through: {_reason(text)}") from error


def _reason(text: str) -> str:
    """The first line that names an error, or the first that says anything."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if "Error: " in line or "Exception: " in line]
    return (told or lines or ["Spark did not say why"])[0]


def _exact_sum(amount: "SparkColumn") -> "SparkColumn":
    """The sum of weights as whole numbers and fractions, integers both, so that the order does not matter."""
    unit = float(2**FRACTION)
    whole = sql.sum(sql.floor(amount).cast(WHOLE)).cast("double")
    fraction = sql.sum(sql.floor((amount - sql.floor(amount)) * unit).cast(WHOLE)).cast("double")
    return whole + fraction / unit
