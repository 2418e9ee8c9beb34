"""The work of Spark's executors: count the rows of a partition, merge counts, estimate small groups.

Executors exchange messages: tables of one row, in which the counts of every classifier are checksummed bytes
(`polyroc.engines.tally_file`).
"""

import json
import pickle
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polyroc.engines.refine import evaluate_rows
from polyroc.engines.rows import Batch, MemoryRows
from polyroc.engines.scan import Scan
from polyroc.engines.tally_file import StoredTally, pack_message, unpack_message
from polyroc.errors import PolyrocError, PolyrocWarning
from polyroc.validation.weights import scaled_weights

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MESSAGE", "Load", "add_message", "count", "evaluate_group", "merge", "process", "row_batches"]

MESSAGE = "part int, error string, rows bigint, products array<double>, tallies array<binary>"
ROWS_AT_ONCE = 2**16  # rows that are counted together; Spark's own batches are smaller

Load = Callable[[], bytes]
Tables = Iterator["pa.RecordBatch"]


def count(load: Load, tables: Tables) -> Iterator["pa.RecordBatch"]:
    """The message of one partition; none if it has no rows."""
    scan = _load_scan(load)
    try:
        for batch in row_batches(tables, scan.plan.weighted):
            process(scan, batch)
            if scan.non_finite_column() is not None:
                break
        scan.finish()
    except PolyrocError as error:
        yield _message(str(error), scan)
    else:
        if scan.rows:
            yield _message(None, scan)


def merge(load: Load, tables: Tables) -> Iterator["pa.RecordBatch"]:
    """One message from many."""
    scan, error = Scan(replace(pickle.loads(load()), continuous=None)), None  # it compares no scores
    for table in tables:
        for message in table.to_pylist():
            error = error or message["error"]
            add_message(scan, message)
    if scan.rows or error:
        yield _message(error, scan)


def add_message(scan: Scan, message: Any) -> None:
    """Add the counts of a message to those of a scan."""
    scan.rows += message["rows"]
    if scan.lookups is not None:
        scan.lookups.products += np.reshape(message["products"], scan.lookups.products.shape)
    for counts, data in zip(scan.counts.values(), message["tallies"], strict=True):
        stored = unpack_message(bytes(data))
        stored.add_to(counts)
        for place, low, high in stored.header["ends"]:
            counts.update_range(place, low, high)


def evaluate_group(load: Load, key: "tuple[pa.Scalar[Any], ...]", rows: "pa.Table") -> "pa.Table":
    """Estimate one group where its rows are: its name and, as JSON, estimates and warnings, or the error."""
    import pyarrow as pa

    request, weighted, columns = pickle.loads(load())
    own = rows.drop_columns([f"g{i}" for i in range(len(key))])
    (batch,) = row_batches(iter([own.sort_by("p") if "p" in own.column_names else own]), weighted)
    result: dict[str, Any] = {"estimates": [], "covariance": [], "rows": 0, "warnings": [], "error": None}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            # All weights may be small against those of other groups.
            weight = scaled_weights(batch.weight, batch.codes, request.schema.names, "the weights")
            batch = batch._replace(weight=weight)
            estimated = evaluate_rows(MemoryRows(batch, columns), request)
            result["estimates"] = [[*names, estimate.to_dict()] for names, estimate in estimated.estimates.items()]
            result["covariance"], result["rows"] = estimated.covariance.tolist(), estimated.rows
        except PolyrocError as error:
            result["error"] = str(error)
    ours = [warning for warning in caught if issubclass(warning.category, PolyrocWarning)]
    result["warnings"] = [[warning.category.__name__, str(warning.message)] for warning in ours]
    names = {f"g{i}": pa.array([value.as_py()], value.type) for i, value in enumerate(key)}
    return pa.table({**names, "result": [json.dumps(result)]})


def _load_scan(load: Load) -> Scan:
    return Scan(pickle.loads(load()))  # from the driver's broadcast; Spark itself sends functions as pickles


def row_batches(tables: Tables, weighted: bool) -> Iterator[Batch]:
    """Rows as arrays, several of Spark's small batches at a time."""
    gathered: list[list[Any]] = []
    clusters = _ClusterNumbers()
    for table in tables:
        columns = dict(zip(table.schema.names, table.columns, strict=True))
        numbers = [clusters.of(columns.pop("p"))] if "p" in columns else []
        gathered.append([*(column.to_numpy(zero_copy_only=False) for column in columns.values()), *numbers])
        if sum(len(columns[0]) for columns in gathered) >= ROWS_AT_ONCE:
            yield _concatenated(gathered, weighted, bool(numbers))
            gathered = []
    if gathered:
        yield _concatenated(gathered, weighted, clusters.last is not None)


class _ClusterNumbers:
    """Numbers for clusters whose rows follow each other, whatever the type of their names."""

    def __init__(self) -> None:
        self.last: Any = None
        self._number = 0

    def of(self, names: Any) -> Any:
        """The numbers of the clusters of some rows; the first cluster may be that of the rows before."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if isinstance(names, pa.ChunkedArray):
            names = names.combine_chunks()
        if not len(names):
            return np.empty(0, np.int64)
        new = np.ones(len(names), dtype=np.int64)
        new[1:] = pc.not_equal(names[1:], names[:-1]).to_numpy(zero_copy_only=False)
        new[0] = names[0] != self.last
        numbers = self._number + np.cumsum(new)
        self._number, self.last = int(numbers[-1]), names[-1]
        return numbers


def _concatenated(gathered: list[list[Any]], weighted: bool, clustered: bool) -> Batch:
    codes, *columns = (np.concatenate(parts) for parts in zip(*gathered, strict=True))
    clusters = columns.pop() if clustered else None
    weight = columns.pop() if weighted else None
    return Batch(codes, columns, weight, clusters)


def process(scan: Scan, batch: Batch) -> None:
    """Process a batch without threads: Spark runs one task per core."""
    tasks, last = scan.tasks(batch)
    for task in [*tasks, last]:
        task()


def _message(error: str | None, scan: Scan) -> "pa.RecordBatch":
    import pyarrow as pa
    from pyspark import TaskContext

    context = TaskContext.get()
    tallies = []
    for counts in scan.counts.values():
        ranges = [[place, *limits] for place, limits in counts.ranges.items()]
        tallies.append(pack_message(StoredTally.of({"ends": ranges}, counts)))
    products = [] if scan.lookups is None else scan.lookups.products.ravel().tolist()
    return pa.RecordBatch.from_arrays(
        [
            pa.array([None if context is None else context.partitionId()], pa.int32()),
            pa.array([error], pa.string()),
            pa.array([scan.rows], pa.int64()),
            pa.array([products], pa.list_(pa.float64())),
            pa.array([tallies], pa.list_(pa.binary())),
        ],
        names=["part", "error", "rows", "products", "tallies"],
    )
