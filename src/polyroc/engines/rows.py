"""Re-iterable row sources: files through DuckDB, or arrays in memory."""

from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from polyroc.engines.bins import Column, Where, record_width, sums_of
from polyroc.engines.session import EngineSession
from polyroc.errors import InputError, OutOfSpaceError
from polyroc.io.sources import Source
from polyroc.kernels.arrays import CodeArray, FloatArray
from polyroc.kernels.bins import FRACTION, add_cases, add_weighted
from polyroc.messages import Option

if TYPE_CHECKING:
    from polyroc.engines.scan import Pass

__all__ = [
    "Batch",
    "DuckRows",
    "MemoryRows",
    "Rows",
    "check_room",
    "code_of",
    "exact_column",
    "joined",
    "not_finite",
]

MANY = 64  # labels beyond which a list is searched instead of a chain of comparisons
NULL, UNKNOWN = -1, -2
STRETCHES = 16  # of files that some rows are taken from
SMALL_PART = 8  # how many times as many rows there must be


class Batch(NamedTuple):
    """Some rows: the class of each, the columns of scores, the weights if there are any."""

    codes: CodeArray
    columns: Sequence[FloatArray]
    weight: FloatArray | None


class Rows(Protocol):
    """What a solution needs of its data, wherever these are."""

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""

    @property
    def bytes(self) -> int | None:
        """How large the data are where they are stored; None if that is not known."""

    def go_through(self, work: "Pass", tell: Callable[[int], None]) -> None:
        """Let all rows be seen once; `tell` hears how many were so far."""

    def distinct(self, place: int, classes: int) -> Column:
        """Every distinct value of a column as a cell."""

    def some(self, rows: int) -> "MemoryRows | None":
        """About so many rows from all over the data, if that is a small part of them and costs little."""

    def explain(self, place: int) -> InputError:
        """What is wrong with a column in which something is not finite."""


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """Rows in memory, one batch; `names` are what the columns of scores are called."""

    batch: Batch
    names: Sequence[str] = ()
    bytes: int | None = None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.batch.weight is not None

    def go_through(self, work: "Pass", tell: Callable[[int], None]) -> None:
        """All rows."""
        work.go_through(self._each(), tell)

    def _each(self) -> Generator[Batch]:
        yield self.batch

    def distinct(self, place: int, classes: int) -> Column:
        """Every distinct value of a column as a cell."""
        codes, columns, weight = self.batch
        kept = slice(None) if weight is None else weight > 0
        values = columns[place][kept] + 0.0
        found, cells = np.unique(values, return_inverse=True)
        records = np.zeros((len(found), record_width(classes, self.weighted)), dtype=np.int64)
        if weight is None:
            add_cases(cells.astype(np.int32), values, codes, records)
        else:
            add_weighted(cells.astype(np.int32), values, codes[kept], weight[kept], records)
        return _exact(found, *sums_of(records, classes, np.arange(len(found))))

    def some(self, rows: int) -> "MemoryRows | None":
        """None: all are at hand."""

    def explain(self, place: int) -> InputError:
        """What is wrong with a column: how many rows of it are missing, or infinite."""
        values = self.batch.columns[place]
        counts = int(np.isnan(values).sum()), int(np.isinf(values).sum()), len(values)
        return not_finite(f"column {(self.names or range(place + 1))[place]!r}", *counts)


def not_finite(column: str, missing: int, infinite: int, rows: int) -> InputError:
    """What is wrong with a column, and what to do."""
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


def _exact(found: FloatArray, cases: FloatArray, weight: FloatArray, squares: FloatArray) -> Column:
    return Column(
        cases,
        weight,
        squares,
        mixed=np.zeros(len(found), dtype=bool),
        where=Where(
            lambda scores: np.minimum(np.searchsorted(found, scores.values), len(found) - 1).astype(np.int32),
            lambda table: table,
            lambda: found,
        ),
    )


def exact_column(found: Mapping[str, Any], classes: int, weighted: bool) -> Column:
    """Every value a cell, from ascending values (v) and classes (k) with their cases and sums (n, s, q)."""
    new = np.append(True, found["v"][1:] != found["v"][:-1])
    cells = np.cumsum(new) - 1
    sums = {name: np.zeros((int(new.sum()), classes)) for name in (("n", "s", "q") if weighted else ("n",))}
    for name, table in sums.items():
        table[cells, found["k"]] = found[name]
    weight, squares = (sums["s"], sums["q"]) if weighted else (sums["n"], sums["n"])
    return _exact(found["v"][new], sums["n"], weight, squares)


def check_room(count: int, classes: int, source: str, name: str, room: int) -> None:
    """Refuse to keep more distinct values than fit."""
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
    """Rows of files, read anew each time.

    Attributes
    ----------
    code
        The expression that makes a row's class a number.
    names, expressions
        The columns of scores, and the expressions that make them doubles.
    weight
        The expression of the weight; None without.
    condition, told
        Which rows count, with the parameters of `code` and of this.
    room
        How many bytes an exact answer may take in memory.
    """

    session: EngineSession
    source: Source
    code: str
    names: Sequence[str]
    expressions: Sequence[str]
    weight: str | None
    condition: str
    told: tuple[Sequence[Any], Sequence[Any]]
    room: int
    bytes: int | None

    @property
    def weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weight is not None

    @property
    def parameters(self) -> list[Any]:
        """The parameters of a query that starts with the class of a row."""
        return [*self.told[0], *self.source.parameters, *self.told[1]]

    def _query(self, expressions: Sequence[str]) -> str:
        return f"{self.source.select(expressions)} WHERE {self.condition}"

    def go_through(self, work: "Pass", tell: Callable[[int], None]) -> None:
        """All rows once."""
        work.go_through(self._each(), tell)

    def _each(self, condition: str = "TRUE", told: Sequence[Any] = ()) -> Generator[Batch]:
        weight = [] if self.weight is None else [self.weight]
        query = f"{self._query([self.code, *self.expressions, *weight])} AND {condition}"
        n = len(self.names)
        for codes, *rest in self.session.stream(query, [*self.parameters, *told], self.source.name):
            yield Batch(codes, rest[:n], rest[n] if weight else None)

    def some(self, rows: int) -> MemoryRows | None:
        """Stretches at equal distances; only Parquet files can be read in part."""
        if not self.source.call.startswith("read_parquet"):
            return None
        query = "SELECT file_name, num_rows FROM parquet_file_metadata(?) ORDER BY file_name"
        held = self.session.rows(query, self.source.parameters, self.source.name)
        ends = np.cumsum([count for _, count in held])
        if ends[-1] < SMALL_PART * rows:
            return None
        batches: list[Batch] = []
        for start in ((np.arange(STRETCHES) + 0.5) * (ends[-1] / STRETCHES)).astype(np.int64):
            i = int(np.searchsorted(ends, start, "right"))
            first = int(start - ends[i] + held[i][1])
            between = [held[i][0], first, first + rows // STRETCHES - 1]
            batches += self._each("filename = ? AND file_row_number BETWEEN ? AND ?", between)
        return MemoryRows(joined(batches)) if batches else None

    def distinct(self, place: int, classes: int) -> Column:
        """Every distinct value of a column as a cell; DuckDB groups, and puts aside on disk what does not fit."""
        inner = self._query(
            [f"{self.code} AS k", f"{self.expressions[place]} + 0.0 AS v", f"{self.weight or '1.0'} AS w"]
        )
        sums = ["count(*) AS n", _exact_sum("w", "s"), _exact_sum("w * w", "q")]
        query = f"SELECT v, k, {', '.join(sums)} FROM ({inner}) WHERE w > 0 GROUP BY v, k ORDER BY v"
        count = self.session.rows(
            f"SELECT count(DISTINCT v), count(*) FROM ({inner})", self.parameters, self.source.name
        )[0][0]
        check_room(count, classes, self.source.name, self.names[place], self.room)
        return exact_column(self.session.arrays(query, self.parameters, self.source.name), classes, self.weighted)

    def explain(self, place: int) -> InputError:
        """What is wrong with a column: how many rows of it are missing, or infinite."""
        value = f"({self.expressions[place]})"
        missing, infinite, rows = self.session.rows(
            self._query(
                [
                    f"count(*) FILTER ({value} IS NULL OR isnan({value}))",
                    f"count(*) FILTER (isinf({value}))",
                    "count(*)",
                ]
            ),
            [*self.source.parameters, *self.told[1]],
            self.source.name,
        )[0]
        return not_finite(f"column {self.names[place]!r} of {self.source.name}", missing, infinite, rows)


def joined(batches: Sequence[Batch]) -> Batch:
    """Several batches as one."""
    columns = [np.concatenate(parts) for parts in zip(*(batch.columns for batch in batches), strict=True)]
    weights = [batch.weight for batch in batches if batch.weight is not None]
    return Batch(
        np.concatenate([batch.codes for batch in batches]), columns, np.concatenate(weights) if weights else None
    )


def _exact_sum(expression: str, name: str) -> str:
    """The sum of weights as whole numbers and fractions, integers both, so that the order does not matter."""
    unit = 2**FRACTION
    whole = f"sum(CAST(floor({expression}) AS BIGINT))"
    fraction = f"sum(CAST(floor(({expression} - floor({expression})) * {unit}) AS BIGINT))"
    return f"({whole})::DOUBLE + ({fraction})::DOUBLE / {unit} AS {name}"


def code_of(column: str, labels: Sequence[Hashable]) -> tuple[str, list[Any]]:
    """An expression for the number of a row's label, and its parameters."""
    missing = f"WHEN {column} IS NULL THEN {NULL} "
    if any(isinstance(label, float) for label in labels):
        missing += f"WHEN isnan({column}::DOUBLE) THEN {NULL} "
    if len(labels) <= MANY:
        cases = " ".join(f"WHEN {column} = ? THEN {i}" for i in range(len(labels)))
        return f"CAST(CASE {missing}{cases} ELSE {UNKNOWN} END AS INTEGER)", [*labels]
    place = f"coalesce(list_position(?, {column}) - 1, {UNKNOWN})"
    return f"CAST(CASE {missing}ELSE {place} END AS INTEGER)", [[*labels]]
