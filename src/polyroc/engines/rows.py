"""Rows that can be scanned again and again: of files through DuckDB, or of arrays in memory."""

from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from polyroc.engines.bins import BinIndex, BinnedColumn, class_sums, record_width
from polyroc.engines.session import EngineSession
from polyroc.errors import InputError, OutOfSpaceError
from polyroc.io.sources import Source
from polyroc.kernels.arrays import CodeArray, FloatArray, IntArray
from polyroc.kernels.bins import FRACTION_BITS, add_cases, add_weighted
from polyroc.messages import Option

if TYPE_CHECKING:
    from polyroc.engines.scan import Scan

__all__ = [
    "CHAINED_LABELS",
    "MISSING_LABEL",
    "UNKNOWN_LABEL",
    "Batch",
    "DuckRows",
    "MemoryRows",
    "Rows",
    "check_memory",
    "code_expression",
    "codes_of_integers",
    "concatenated",
    "exact_column",
    "non_finite_error",
]

CHAINED_LABELS = 64  # more labels are looked up in a list, which is faster than a chain of comparisons
MISSING_LABEL, UNKNOWN_LABEL = -1, -2  # codes of rows whose true class is missing, or not among the labels
PILOT_RANGES = 16  # ranges of rows, at equal distances in the files, that a pilot sample consists of
GROUP_ROWS = 122_880  # of a row group of a file written by DuckDB: a range that starts with one reads no other
PILOT_FACTOR = 8  # there must be at least so many times as many rows as in the pilot sample


class Batch(NamedTuple):
    """Some rows: the class code of each, the columns of scores, the weights and clusters if there are any."""

    codes: CodeArray
    columns: Sequence[FloatArray]
    weight: FloatArray | None
    clusters: IntArray | None = None

    def take(self, rows: slice | IntArray) -> "Batch":
        """Return some of the rows."""
        return Batch(
            self.codes[rows],
            [column[rows] for column in self.columns],
            None if self.weight is None else self.weight[rows],
            None if self.clusters is None else self.clusters[rows],
        )


class RowBuffer:
    """Rows copied from batches, so that the memory of these is free for the next ones.

    To hand a batch of a stream on as it is would cost more than the copy: each further batch then comes in memory
    that is new to the process. A batch that would fill the buffer is not copied.
    """

    def __init__(self, rows: int) -> None:
        self.size, self.rows = rows, 0
        self._arrays: list[Any] = []
        self._large: Batch | None = None

    def fits(self, batch: Batch) -> bool:
        """Return whether there is room for the rows of a batch."""
        return self._large is None and self.rows + len(batch.codes) <= self.size

    def add(self, batch: Batch) -> None:
        """Append the rows of a batch that fits, or of a large one to an empty buffer."""
        if len(batch.codes) >= self.size:
            self._large, self.rows = batch, len(batch.codes)
            return
        arrays = [*batch[:1], *batch.columns, *(array for array in batch[2:] if array is not None)]
        if not self._arrays:
            # One block of memory, which numpy takes from large pages if it has 4 MB or more.
            ends = np.cumsum([-self.size * array.itemsize // -8 * 8 for array in arrays]).tolist()
            memory = np.empty(ends[-1], np.uint8)
            self._arrays = [
                memory[start : start + self.size * array.itemsize].view(array.dtype)
                for start, array in zip([0, *ends], arrays, strict=False)
            ]
        for own, array in zip(self._arrays, arrays, strict=True):
            own[self.rows : self.rows + len(array)] = array
        self._like = batch
        self.rows += len(batch.codes)

    def batch(self) -> Batch:
        """Return the rows, as views of the buffer."""
        if self._large is not None:
            return self._large
        arrays = iter([array[: self.rows] for array in self._arrays])
        codes, columns = next(arrays), [next(arrays) for _ in self._like.columns]
        weight, clusters = (None if array is None else next(arrays) for array in self._like[2:])
        return Batch(codes, columns, weight, clusters)

    def clear(self) -> None:
        """Forget the rows."""
        self.rows, self._large = 0, None


class Rows(Protocol):
    """What the engine needs of the data, wherever they are."""

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""

    @property
    def weight_exponent(self) -> int:
        """The power of two by which the weights have been divided."""

    @property
    def bytes(self) -> int | None:
        """Size of the data where they are stored; None if it is not known."""

    @property
    def clustered(self) -> bool:
        """Whether rows belong to clusters."""

    def scan_clusters(self, scan: "Scan", report: Callable[[int], None], scores: bool) -> None:
        """Scan with the rows of a cluster one after the other; without their scores unless `scores`."""

    def scan(self, scan: "Scan", report: Callable[[int], None]) -> None:
        """Let a scan process all rows once; `report` is called with the number of rows so far."""

    def distinct(self, place: int, classes: int) -> BinnedColumn:
        """Return a column with one bin for each distinct value."""

    def pilot_sample(self, rows: int) -> "MemoryRows | None":
        """Draw about so many rows from all over the data, if that is a small part of them and costs little."""

    def non_finite_error(self, place: int) -> InputError:
        """Return the error for a column that has missing or infinite values."""


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """Rows in memory, as one batch; `names` are the names of the columns of scores.

    `share` is their share of all rows, if they are a pilot sample.
    """

    batch: Batch
    names: Sequence[str] = ()
    bytes: int | None = None
    share: float = 1.0
    weight_exponent: int = 0

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.batch.weight is not None

    def scan(self, scan: "Scan", report: Callable[[int], None]) -> None:
        """Let a scan process all rows."""
        scan.run(self.parts(max(len(self.batch.codes), 1)), report)

    def parts(self, rows: int) -> Generator[Batch]:
        """Yield the rows, so many at a time."""
        for start in range(0, len(self.batch.codes), rows):
            yield self.batch.take(slice(start, start + rows))

    @property
    def clustered(self) -> bool:
        """Whether rows belong to clusters."""
        return self.batch.clusters is not None

    def scan_clusters(self, scan: "Scan", report: Callable[[int], None], scores: bool) -> None:
        """Let a scan process all rows, sorted by cluster."""
        assert self.batch.clusters is not None
        batch = self.batch if scores else self.batch._replace(columns=[])
        scan.run((part for part in (batch.take(np.argsort(self.batch.clusters, kind="stable")),)), report)

    def distinct(self, place: int, classes: int) -> BinnedColumn:
        """Return a column with one bin for each distinct value."""
        codes, columns, weight = self.batch.codes, self.batch.columns, self.batch.weight
        kept = slice(None) if weight is None else weight > 0
        scores = columns[place][kept] + 0.0  # no -0.0
        values, bins = np.unique(scores, return_inverse=True)
        records = np.zeros((len(values), record_width(classes, self.weighted)), dtype=np.int64)
        if weight is None:
            add_cases(bins.astype(np.int32), scores, codes, records)
        else:
            add_weighted(bins.astype(np.int32), scores, codes[kept], weight[kept], records)
        return _column_of_values(values, *class_sums(records, classes, np.arange(len(values))))

    def pilot_sample(self, rows: int) -> "MemoryRows | None":
        """Return None: rows in memory are scanned quickly without a pilot."""

    def non_finite_error(self, place: int) -> InputError:
        """Return the error for a column that has missing or infinite values."""
        values = self.batch.columns[place]
        counts = int(np.isnan(values).sum()), int(np.isinf(values).sum()), len(values)
        return non_finite_error(f"column {(self.names or range(place + 1))[place]!r}", *counts)


def non_finite_error(column: str, missing: int, infinite: int, rows: int) -> InputError:
    """Return the error for a column with so many missing and infinite values."""
    if infinite:
        return InputError(
            f"{column} holds infinity in {infinite} of {rows} rows where a finite number was expected; replace it "
            "by a finite number beyond all others."
        )
    return InputError(
        f"{column} has missing values in {missing} of {rows} rows. Complete them, or use ",
        Option("missing", "drop"),
        " to drop these rows.",
    )


def _column_of_values(
    values: FloatArray, cases: FloatArray, weight: FloatArray, squares: FloatArray
) -> BinnedColumn:
    return BinnedColumn(
        cases,
        weight,
        squares,
        mixed=np.zeros(len(values), dtype=bool),
        index=BinIndex(
            lambda scores: np.minimum(np.searchsorted(values, scores.values), len(values) - 1).astype(np.int32),
            lambda table: table,
            lambda: values,
        ),
    )


def exact_column(groups: Mapping[str, Any], classes: int, weighted: bool) -> BinnedColumn:
    """Return a column with one bin for each distinct value, from a table of values and classes.

    `groups` has ascending values (v), class codes (k), and the number of cases, the sum of weights and of squared
    weights (n, s, q) of each value and class.
    """
    is_new = np.append(True, groups["v"][1:] != groups["v"][:-1])
    bins = np.cumsum(is_new) - 1
    sums = {name: np.zeros((int(is_new.sum()), classes)) for name in (("n", "s", "q") if weighted else ("n",))}
    for name, table in sums.items():
        table[bins, groups["k"]] = groups[name]
    weight, squares = (sums["s"], sums["q"]) if weighted else (sums["n"], sums["n"])
    return _column_of_values(groups["v"][is_new], sums["n"], weight, squares)


def check_memory(count: int, classes: int, source: str, name: str, room: int) -> None:
    """Raise an error if so many distinct values do not fit into memory."""
    size = count * 8 * (2 + 3 * classes)
    if size > room:
        raise OutOfSpaceError(
            f"{source} has {count} distinct values of {name!r}, and an exact result keeps them all: "
            f"{size / 2**30:.2g} GB. Raise ",
            Option("memory"),
            ", or use ",
            Option("tolerance"),
            ".",
        )


@dataclass(frozen=True, eq=False)
class DuckRows:
    """Rows of files, read by DuckDB for every scan.

    Attributes
    ----------
    code
        The SQL expression of a row's class code.
    names, expressions
        The columns of scores, and their SQL expressions as doubles.
    weight
        The SQL expression of the weight; None without.
    condition
        Which rows count.
    code_parameters, condition_parameters
        The parameters of `code` and of `condition`.
    room
        How many bytes an exact answer, or the batches of a scan, may take in memory.
    weight_exponent
        The weights have been divided by 2 to this power (see `polyroc.engines.bins`).
    cluster
        The column of the clusters in queries, which are numbered in the table "clusters"; None without.
    integers
        If the classes are neighbouring integers: their column, the first and the last one. Scans then read the
        column and subtract the first one, because `code` takes DuckDB as long as reading a column of scores.
    """

    session: EngineSession
    source: Source
    code: str
    names: Sequence[str]
    expressions: Sequence[str]
    weight: str | None
    condition: str
    code_parameters: Sequence[Any]
    condition_parameters: Sequence[Any]
    room: int
    bytes: int | None
    weight_exponent: int = 0
    cluster: str | None = None
    integers: tuple[str, int, int] | None = None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weight is not None

    @property
    def clustered(self) -> bool:
        """Whether rows belong to clusters."""
        return self.cluster is not None

    @property
    def clusters_join(self) -> str:
        """What to write after a table with the column of the clusters, to have their numbers (p)."""
        return f" JOIN clusters ON {self.cluster} = clusters.name" if self.clustered else ""

    @property
    def parameters(self) -> list[Any]:
        """The parameters of a query that starts with the class code."""
        return [*self.code_parameters, *self.source.parameters, *self.condition_parameters]

    def select(self, expressions: Sequence[str]) -> Sequence[tuple[Any, ...]]:
        """Return the result of a query over the rows."""
        query = f"{self.source.select(expressions)} WHERE {self.condition}"
        return self.session.rows(query, [*self.source.parameters, *self.condition_parameters], self.source.name)

    def scan(self, scan: "Scan", report: Callable[[int], None]) -> None:
        """Let a scan process all rows."""
        scan.run(self._stream(*self._row_query(), ordered=False), report, self.room)

    def scan_clusters(self, scan: "Scan", report: Callable[[int], None], scores: bool) -> None:
        """Let a scan process all rows, which DuckDB sorts by cluster, on disk if need be."""
        query, parameters = self._row_query(self.expressions if scores else (), clusters=True)
        scan.run(self._stream(f"{query} ORDER BY p", parameters, clusters=True), report, self.room)

    def batches(self) -> Generator[Batch]:
        """Yield all rows in the order of the files, with the numbers of their clusters."""
        yield from self._stream(*self._row_query(clusters=self.clustered), clusters=self.clustered)

    def _row_query(
        self,
        scores: Sequence[str] | None = None,
        condition: str = "TRUE",
        files: Sequence[Any] | None = None,
        numbers: Sequence[Any] = (),
        clusters: bool = False,
    ) -> tuple[str, list[Any]]:
        """Return the query for the rows that also meet a condition, and its parameters; see `_stream`."""
        code, parameters = (self.code, self.code_parameters) if self.integers is None else (self.integers[0], ())
        weight, cluster = [] if self.weight is None else [self.weight], ["p"] if clusters else []
        columns = [code, *(self.expressions if scores is None else scores), *weight, *cluster]
        table = self.source.select(columns) + (self.clusters_join if clusters else "")
        files = self.source.parameters if files is None else files
        return (
            f"{table} WHERE {self.condition} AND {condition}",
            [*parameters, *files, *self.condition_parameters, *numbers],
        )

    def _stream(
        self, query: str, parameters: Sequence[Any], clusters: bool = False, ordered: bool = True
    ) -> Generator[Batch]:
        for codes, *columns in self.session.stream(query, parameters, self.source.name, ordered=ordered):
            codes = codes if self.integers is None else codes_of_integers(codes, *self.integers[1:])
            own = columns.pop() if clusters else None
            yield Batch(codes, columns, columns.pop() if self.weighted else None, own)

    def pilot_sample(self, rows: int) -> MemoryRows | None:
        """Read ranges of rows at equal distances; only Parquet files can be read in part."""
        if not self.source.call.startswith("read_parquet"):
            return None
        query = "SELECT file_name, num_rows FROM parquet_file_metadata(?) ORDER BY file_name"
        files = self.session.rows(query, self.source.parameters, self.source.name)
        ends = np.cumsum([count for _, count in files])
        if ends[-1] < PILOT_FACTOR * rows:
            return None
        length, distance, ranges = rows // PILOT_RANGES, ends[-1] / PILOT_RANGES, dict[str, list[int]]()
        for start in ((np.arange(PILOT_RANGES) + 0.5) * distance).astype(np.int64):
            name, count = files[i := int(np.searchsorted(ends, start, "right"))]
            first = int(start - ends[i] + count)  # within the file
            first -= first % GROUP_ROWS if distance > 2 * GROUP_ROWS else 0
            ranges.setdefault(name, []).extend((first, first + length - 1))
        buffer = RowBuffer(PILOT_RANGES * length)
        for part in self._row_ranges(ranges):
            buffer.add(part)
        if not buffer.rows:
            return None
        batch = buffer.batch()
        return MemoryRows(batch, share=len(batch.codes) / int(ends[-1]))

    def _row_ranges(self, ranges: Mapping[str, Sequence[int]]) -> Generator[Batch]:
        """Yield the rows in ranges of files; by file, the numbers of the first and the last row of each range.

        One query for all, so that DuckDB reads several at a time.
        """
        queries, parameters = [], list[Any]()
        for name, numbers in ranges.items():
            condition = " OR ".join(["file_row_number BETWEEN ? AND ?"] * (len(numbers) // 2))
            # of all files only this one, and the first one, by which DuckDB finds the columns
            own = [*dict.fromkeys([self.source.parameters[0][0], name])]
            query, values = self._row_query(None, f"filename = ? AND ({condition})", [own], [name, *numbers])
            queries.append(query)
            parameters += values
        yield from self._stream(" UNION ALL ".join(queries), parameters)

    def distinct(self, place: int, classes: int) -> BinnedColumn:
        """Return a column with one bin for each distinct value; DuckDB groups, and spills to disk if need be."""
        columns = f"{self.code} AS k", f"{self.expressions[place]} + 0.0 AS v", f"{self.weight or '1.0'} AS w"
        inner = f"{self.source.select(columns)} WHERE {self.condition}"
        sums = ["count(*) AS n", _exact_sum("w", "s"), _exact_sum("w * w", "q")]
        query = f"SELECT v, k, {', '.join(sums)} FROM ({inner}) WHERE w > 0 GROUP BY v, k ORDER BY v"
        count = self.session.rows(
            f"SELECT count(DISTINCT v), count(*) FROM ({inner})", self.parameters, self.source.name
        )[0][0]
        check_memory(count, classes, self.source.name, self.names[place], self.room)
        groups = self.session.arrays(query, self.parameters, self.source.name)
        return exact_column(groups, classes, self.weighted)

    def non_finite_error(self, place: int) -> InputError:
        """Return the error for a column that has missing or infinite values."""
        value = f"({self.expressions[place]})"
        counts = [
            f"count(*) FILTER ({value} IS NULL OR isnan({value}))",
            f"count(*) FILTER (isinf({value}))",
            "count(*)",
        ]
        ((missing, infinite, rows),) = self.select(counts)
        return non_finite_error(f"column {self.names[place]!r} of {self.source.name}", missing, infinite, rows)


def concatenated(batches: Sequence[Batch]) -> Batch:
    """Return several batches as one."""
    columns = [np.concatenate(parts) for parts in zip(*(batch.columns for batch in batches), strict=True)]
    weights = [batch.weight for batch in batches if batch.weight is not None]
    clusters = [batch.clusters for batch in batches if batch.clusters is not None]
    return Batch(
        np.concatenate([batch.codes for batch in batches]),
        columns,
        np.concatenate(weights) if weights else None,
        np.concatenate(clusters) if clusters else None,
    )


def _exact_sum(expression: str, name: str) -> str:
    """Sum weights in SQL as the kernel does: whole parts and fractions are summed as integers."""
    unit = 2**FRACTION_BITS
    whole = f"sum(CAST(floor({expression}) AS BIGINT))"
    fraction = f"sum(CAST(floor(({expression} - floor({expression})) * {unit}) AS BIGINT))"
    return f"({whole})::DOUBLE + ({fraction})::DOUBLE / {unit} AS {name}"


def codes_of_integers(labels: np.ndarray[Any, Any], first: int, last: int) -> CodeArray:
    """Return the class codes of labels if the classes are the integers from the first to the last one.

    The labels are integers, or floats with nan for missing ones.
    """
    if labels.size and first <= labels.min() and labels.max() <= last:
        return np.asarray((labels.astype(np.int64) - first if first else labels).astype(np.int32))
    known = (first <= labels) & (labels <= last)  # false for nan
    codes = np.where(known, labels, first).astype(np.int64) - first
    return np.where(known, codes, np.where(labels == labels, UNKNOWN_LABEL, MISSING_LABEL)).astype(np.int32)


def code_expression(column: str, labels: Sequence[Hashable]) -> tuple[str, list[Any]]:
    """Return the SQL expression of a row's class code, and its parameters."""
    missing = f"WHEN {column} IS NULL THEN {MISSING_LABEL} "
    if any(isinstance(label, float) for label in labels):
        missing += f"WHEN isnan({column}::DOUBLE) THEN {MISSING_LABEL} "
    if len(labels) <= CHAINED_LABELS:
        cases = " ".join(f"WHEN {column} = ? THEN {i}" for i in range(len(labels)))
        return f"CAST(CASE {missing}{cases} ELSE {UNKNOWN_LABEL} END AS INTEGER)", [*labels]
    place = f"coalesce(list_position(?, {column}) - 1, {UNKNOWN_LABEL})"
    return f"CAST(CASE {missing}ELSE {place} END AS INTEGER)", [[*labels]]
