"""What Spark's executors do: a partition's rows become tallies, and tallies become one.

What travels is a message: a table of one row, in which every tally is checksummed bytes
(`polyroc.engines.tally_file`).
"""

import json
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc.engines.refine import evaluate_rows
from polyroc.engines.rows import Batch, MemoryRows
from polyroc.engines.scan import Scan
from polyroc.engines.tally_file import StoredTally, pack, unpack
from polyroc.errors import PolyrocError, PolyrocWarning

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MESSAGE", "Load", "add_message", "count", "evaluate_group", "merge"]

MESSAGE = "part int, trouble string, seen bigint, moments array<double>, tallies array<binary>"
GATHERED = 2**16  # rows that are counted together; Spark sends fewer at a time

Load = Callable[[], bytes]
Tables = Iterator["pa.RecordBatch"]


def count(load: Load, tables: Tables) -> Iterator["pa.RecordBatch"]:
    """The message of one partition; of one without rows there is none."""
    work = _work(load)
    try:
        for batch in _batches(tables, work.plan.weighted):
            see_alone(work, batch)
            if work.strange() is not None:
                break
    except PolyrocError as error:
        yield _message(str(error), work)
    else:
        if work.seen:
            yield _message(None, work)


def merge(load: Load, tables: Tables) -> Iterator["pa.RecordBatch"]:
    """One message of many."""
    work, trouble = _work(load), None
    for table in tables:
        for message in table.to_pylist():
            trouble = trouble or message["trouble"]
            add_message(work, message)
    if work.seen or trouble:
        yield _message(trouble, work)


def add_message(work: Scan, message: Any) -> None:
    """Add what a message tells to what is known."""
    work.seen += message["seen"]
    if work.lookups is not None:
        work.lookups.sums += np.reshape(message["moments"], work.lookups.sums.shape)
    for (name, other), data in zip(work.plan.empty().items(), message["tallies"], strict=True):
        stored = unpack(bytes(data))
        stored.fill(other)
        other.ends = {place: (low, high) for place, low, high in stored.header["ends"]}
        work.counted[name].merge(other)


def evaluate_group(load: Load, key: "tuple[pa.Scalar[Any], ...]", rows: "pa.Table") -> "pa.Table":
    """One group judged where it is: its name and, as JSON, the estimates and warnings, or what is wrong."""
    import pyarrow as pa

    asked, weighted, columns = pickle.loads(load())
    (batch,) = _batches(iter([rows.drop_columns([f"g{i}" for i in range(len(key))])]), weighted)
    found: dict[str, Any] = {"estimates": [], "covariance": [], "rows": 0, "warnings": [], "trouble": None}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            solution = evaluate_rows(MemoryRows(batch, columns), asked)
            found["estimates"] = [[*names, each.to_dict()] for names, each in solution.estimates.items()]
            found["covariance"], found["rows"] = solution.covariance.tolist(), solution.rows
        except PolyrocError as error:
            found["trouble"] = str(error)
    ours = [each for each in caught if issubclass(each.category, PolyrocWarning)]
    found["warnings"] = [[each.category.__name__, str(each.message)] for each in ours]
    names = {f"g{i}": pa.array([value.as_py()], value.type) for i, value in enumerate(key)}
    return pa.table({**names, "found": [json.dumps(found)]})


def _work(load: Load) -> Scan:
    return Scan(pickle.loads(load()))  # Spark sends functions this way too, and nobody else's bytes come here


def _batches(tables: Tables, weighted: bool) -> Iterator[Batch]:
    """Rows as arrays of our own, several of Spark's small batches at a time."""
    held: list[list[Any]] = []
    for table in tables:
        held.append([column.to_numpy(zero_copy_only=False) for column in table.columns])
        if sum(len(columns[0]) for columns in held) >= GATHERED:
            yield _joined(held, weighted)
            held = []
    if held:
        yield _joined(held, weighted)


def _joined(held: list[list[Any]], weighted: bool) -> Batch:
    codes, *columns = (np.concatenate(parts) for parts in zip(*held, strict=True))
    return Batch(codes, columns[:-1], columns[-1]) if weighted else Batch(codes, columns, None)


def see_alone(work: Scan, batch: Batch) -> None:
    """See some rows without the help of threads."""
    tasks, rest = work.see(batch)
    for task in [*tasks, rest]:
        task()


def _message(trouble: str | None, work: Scan) -> "pa.RecordBatch":
    import pyarrow as pa
    from pyspark import TaskContext

    context = TaskContext.get()
    tallies = []
    for each in work.counted.values():
        ends = [[place, *between] for place, between in each.ends.items()]
        tallies.append(pack(StoredTally.of({"labels": [], "ends": ends}, each)))
    moments = [] if work.lookups is None else work.lookups.sums.ravel().tolist()
    return pa.RecordBatch.from_arrays(
        [
            pa.array([None if context is None else context.partitionId()], pa.int32()),
            pa.array([trouble], pa.string()),
            pa.array([work.seen], pa.int64()),
            pa.array([moments], pa.list_(pa.float64())),
            pa.array([tallies], pa.list_(pa.binary())),
        ],
        names=["part", "trouble", "seen", "moments", "tallies"],
    )
