"""The store of a study: one DuckDB file with the plan, the folds and every out-of-fold prediction.

The tables are in the schema `polyroc_study` (see `store_schema`); `main` has one view per data set with a row for
each prediction. Everything is written in transactions, so a process that is killed at any moment leaves a store
from which the study is resumed.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np

from polyroc.errors import InputError, PolyrocError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.studies.fit import FitKey, FitResult
from polyroc.studies.learner_code import Code
from polyroc.studies.plan import Plan
from polyroc.studies.splits import Block, Duplicates
from polyroc.studies.store_files import (
    SCHEMA,
    attach_store,
    check_schema,
    check_tables,
    damaged,
    error_reason,
    open_connection,
)

__all__ = ["LATER_TABLES", "Failure", "LearnerWarning", "Store", "StoredData"]

T = TypeVar("T")
FLUSH_SECONDS = 1.0  # a process that is killed loses the fits of at most this much work
LEAST_RATIO, LONGEST_INTERVAL = 20, 10.0  # where a flush takes long: 20 times as long, at most 10 seconds
_WRITING: set[Path] = set()  # stores that this process writes: DuckDB's lock is for other processes
_LOCK = Lock()
# Tables that stores of schema 1 do not have. They get them when they are written to.
LATER_TABLES = """
CREATE TABLE IF NOT EXISTS polyroc_study.codes (learner INTEGER, place INTEGER, code VARCHAR);
CREATE TABLE IF NOT EXISTS polyroc_study.groups (data_set INTEGER, names VARCHAR[], groups INTEGER[]);
CREATE TABLE IF NOT EXISTS polyroc_study.duplicates (data_set INTEGER, cases INTEGER, total INTEGER,
    other_class INTEGER);
"""


class StoredData(NamedTuple):
    """A data set in a store: everything but the features.

    Attributes
    ----------
    name, digest
        Its name, and the digest of its cases (`Data.digest`).
    labels, positive
        The classes in order, and the position of the positive one of two.
    features
        Names of the features.
    truth
        True class of each case, as a position in the labels.
    groups, group_names
        The group of each case by number, or None; and the names of the groups.
    """

    name: str
    digest: str
    labels: tuple[Any, ...]
    positive: int | None
    features: tuple[str, ...]
    truth: IntArray
    groups: IntArray | None = None
    group_names: tuple[str, ...] = ()


class Failure(NamedTuple):
    """A fit that failed, and its message."""

    data_set: str
    learner: str
    repeat: int
    fold: int
    message: str


class LearnerWarning(NamedTuple):
    """A warning that a learner gave on a data set, and in how many folds."""

    data_set: str
    learner: str
    message: str
    folds: int


def _reads(method: Callable[["Store"], T]) -> Callable[["Store"], T]:
    """A method that reads a table: content of another form than was written is a damaged store."""

    @wraps(method)
    def checked(store: "Store") -> T:
        try:
            return method(store)
        except PolyrocError:
            raise
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            raise damaged(store.path, f"{type(error).__name__}: {error}") from None

    return checked


class Store:
    """An open store."""

    def __init__(self, path: Path, connection: Any, schema: int = SCHEMA) -> None:
        self.path, self._connection, self.schema = path, connection, schema
        self._waiting: list[FitResult] = []
        self._flushed, self._work, self._interval = time.monotonic(), 0.0, 0.0

    @classmethod
    @contextmanager
    def open(
        cls, path: Path, write: bool = False, create: Callable[[Path, Any], None] | None = None
    ) -> Iterator["Store"]:
        """The store in a file, closed at the end of the `with`; one at a time may write.

        If there is no such file, `create` is called with the path and a connection.
        """
        import duckdb

        resolved = path.resolve()
        with _LOCK:
            if resolved in _WRITING:
                raise InputError(f"'{path}' is in use by another study of this process; wait until it is done.")
            if write:
                _WRITING.add(resolved)
        try:
            with open_connection() as connection:
                if create is not None and not path.exists():
                    create(path, connection)
                attach_store(connection, path, write)
                check_tables(path, connection)
                schema = check_schema(path, connection)
                try:
                    store = cls(path, connection, schema)
                    if write and schema == 1:
                        connection.execute(LATER_TABLES)
                    store._check_data_sets()
                    yield store
                except duckdb.Error as error:
                    raise damaged(path, error_reason(error)) from None
        finally:
            if write:
                _WRITING.discard(resolved)

    @property
    @_reads
    def plan(self) -> Plan:
        """The plan of the study."""
        (text,) = self._connection.execute("SELECT plan FROM polyroc_study.plan").fetchone()
        return Plan.from_dict(json.loads(text), f"the plan in '{self.path}'")

    @_reads
    def _check_data_sets(self) -> None:
        """Raise an error unless every data set of the plan is stored, with its folds."""
        (stored, divided) = self._connection.execute(
            "SELECT (SELECT count(*) FROM polyroc_study.data_sets), "
            "(SELECT count(DISTINCT data_set) FROM polyroc_study.blocks)"
        ).fetchone()
        if not stored == divided == len(self.plan.data):
            raise damaged(self.path, "data sets or folds of the plan are not in it")

    def replace_plan(self, plan: Plan) -> None:
        """Store a plan that differs in name, note or measures, on which no prediction depends."""
        self._connection.execute("UPDATE polyroc_study.plan SET plan = ?", [json.dumps(plan.to_dict())])

    @_reads
    def data_sets(self) -> list[StoredData]:
        """The data sets, in the order of the plan."""
        query = (
            "SELECT name, digest, labels, positive, features, truth FROM polyroc_study.data_sets ORDER BY data_set"
        )
        sets = [
            StoredData(
                name, digest, tuple(json.loads(labels)), positive, tuple(features), np.array(truth, dtype=np.int64)
            )
            for name, digest, labels, positive, features, truth in self._connection.execute(query).fetchall()
        ]
        for number, names, groups in self._later("SELECT data_set, names, groups FROM polyroc_study.groups"):
            if len(groups) != len(sets[number].truth):
                raise damaged(self.path, "groups and cases differ in number")
            grouped = {"groups": np.array(groups, dtype=np.int64), "group_names": tuple(names)}
            sets[number] = sets[number]._replace(**grouped)
        return sets

    def _later(self, query: str) -> list[Any]:
        """The rows of a table that stores of schema 1 may not have."""
        if self.schema == 1:
            table = query.partition("polyroc_study.")[2].split()[0]
            known = self._connection.execute(
                "SELECT 1 FROM system.main.duckdb_tables() "
                "WHERE database_name = 'store' AND schema_name = 'polyroc_study' AND table_name = ?",
                [table],
            ).fetchone()
            if known is None:
                return []
        rows: list[Any] = self._connection.execute(query).fetchall()
        return rows

    @_reads
    def codes(self) -> dict[int, list[Code]]:
        """The codes of each learner with which fits were made, the latest last."""
        codes: dict[int, list[Code]] = {}
        for learner, text in self._later("SELECT learner, code FROM polyroc_study.codes ORDER BY learner, place"):
            code = json.loads(text)
            codes.setdefault(learner, []).append(
                {kind: code[kind] for kind in ("parameters", "source", "versions")}
            )
        return codes

    def set_codes(self, codes: Mapping[int, Sequence[Code]]) -> None:
        """Replace the codes of some learners."""
        rows = [
            (learner, place, json.dumps(code))
            for learner, of_one in codes.items()
            for place, code in enumerate(of_one)
        ]
        self._connection.execute("DELETE FROM polyroc_study.codes WHERE list_contains(?, learner)", [list(codes)])
        if rows:
            self._connection.execute(
                "INSERT INTO polyroc_study.codes SELECT unnest(?), unnest(?), unnest(?)",
                list(map(list, zip(*rows, strict=True))),
            )

    def remove_fits(self, learners: Sequence[int]) -> None:
        """Remove all fits of some learners, so that they are done again."""
        for table in ("fits", "timings", "warnings"):
            self._connection.execute(
                f"DELETE FROM polyroc_study.{table} WHERE list_contains(?, learner)", [list(learners)]
            )

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several changes at once: all of them are stored, or none."""
        self._connection.begin()
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    @_reads
    def duplicates(self) -> list[Duplicates]:
        """The data sets of which test cases have equal training cases, with their numbers."""
        query = """
            SELECT name, cases, total, other_class FROM polyroc_study.duplicates AS c
            JOIN polyroc_study.data_sets AS d ON d.data_set = c.data_set ORDER BY c.data_set
        """
        return [Duplicates(*row) for row in self._later(query)]

    @_reads
    def blocks(self) -> list[list[Block]]:
        """The folds of every data set, in order."""
        query = "SELECT data_set, repeat, fold, cases FROM polyroc_study.blocks ORDER BY data_set, block"
        blocks: list[list[Block]] = []
        for data_set, repeat, fold, cases in self._connection.execute(query).fetchall():
            if data_set == len(blocks):
                blocks.append([])
            blocks[data_set].append(Block(repeat, fold, np.array(cases, dtype=np.int64)))
        return blocks

    @_reads
    def done(self) -> dict[FitKey, bool]:
        """The stored fits, and whether each has failed."""
        query = "SELECT data_set, learner, block, failure IS NOT NULL FROM polyroc_study.fits"
        return {FitKey(*key): failed for *key, failed in self._connection.execute(query).fetchall()}

    @_reads
    def failures(self) -> list[Failure]:
        """The failed fits, in the order of the plan."""
        query = """
            SELECT d.name, l.name, repeat, fold, failure FROM polyroc_study.fits AS f
            JOIN polyroc_study.data_sets AS d USING (data_set) JOIN polyroc_study.learners AS l USING (learner)
            JOIN polyroc_study.blocks AS b ON b.data_set = f.data_set AND b.block = f.block
            WHERE failure IS NOT NULL ORDER BY f.data_set, f.learner, f.block
        """
        return [Failure(*row) for row in self._connection.execute(query).fetchall()]

    def remove_failures(self) -> None:
        """Remove failed fits, so that they are tried again."""
        self._connection.execute("DELETE FROM polyroc_study.fits WHERE failure IS NOT NULL")

    def seconds(self) -> dict[FitKey, float]:
        """The time that each fit took."""
        query = "SELECT data_set, learner, block, seconds FROM polyroc_study.timings"
        return {FitKey(*key): seconds for *key, seconds in self._connection.execute(query).fetchall()}

    @_reads
    def warnings(self) -> list[LearnerWarning]:
        """The warnings of the learners, equal ones of several folds together."""
        query = """
            SELECT d.name, l.name, told, count(*) FROM polyroc_study.warnings AS w
            JOIN polyroc_study.data_sets AS d USING (data_set) JOIN polyroc_study.learners AS l USING (learner)
            GROUP BY ALL ORDER BY ALL
        """
        return [LearnerWarning(*row) for row in self._connection.execute(query).fetchall()]

    def versions(self) -> dict[str, str]:
        """The package versions of the latest run."""
        query = """
            SELECT package, version FROM polyroc_study.versions
            WHERE started = (SELECT max(started) FROM polyroc_study.versions)
        """
        return dict(self._connection.execute(query).fetchall())

    def add_versions(self, versions: dict[str, str]) -> None:
        """Store the package versions of a run."""
        now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        self._connection.execute(
            "INSERT INTO polyroc_study.versions SELECT ?, unnest(?), unnest(?)",
            [now, list(versions), list(versions.values())],
        )

    def probabilities(self, data_set: int) -> tuple[IntArray, FloatArray]:
        """(learner, block) of every successful fit of a data set, in order, and all their numbers end to end."""
        fits = "FROM polyroc_study.fits WHERE data_set = ? AND failure IS NULL ORDER BY learner, block"
        keys = self._connection.execute(f"SELECT learner, block {fits}", [data_set]).fetchnumpy()
        numbers = self._connection.execute(
            f"SELECT unnest(flatten(probabilities)) AS p FROM (SELECT probabilities {fits})", [data_set]
        ).fetchnumpy()
        return np.column_stack([keys["learner"], keys["block"]]).astype(np.int64), np.asarray(numbers["p"])

    def add(self, result: FitResult) -> None:
        """Store a fit; it is on disk after at most `FLUSH_SECONDS` of work, unless a flush takes long."""
        self._waiting.append(result)
        self._work += result.seconds
        if max(time.monotonic() - self._flushed, self._work) >= max(FLUSH_SECONDS, self._interval):
            self.flush()

    def flush(self) -> None:
        """Write the waiting fits to disk, in one transaction."""
        import duckdb

        waiting, self._waiting = self._waiting, []
        begun = time.monotonic()
        try:
            if waiting:
                self._write(waiting)
        except duckdb.Error as error:  # most often ENOSPC, a full disk: DuckDB has an exception of its own for it
            raise InputError(
                f"'{self.path}' cannot be written: {error_reason(error)}. The fits stored before are kept."
            ) from None
        self._flushed, self._work = time.monotonic(), 0.0
        self._interval = min(LEAST_RATIO * (self._flushed - begun), LONGEST_INTERVAL)

    def _write(self, waiting: list[FitResult]) -> None:
        self._connection.begin()
        self._add_probabilities(waiting)
        failed = [[*fit.key, fit.failure] for fit in waiting if fit.failure is not None]
        warned = [[*fit.key, line] for fit in waiting for line in fit.warnings.splitlines()]
        if failed:
            self._connection.executemany("INSERT INTO polyroc_study.fits VALUES (?, ?, ?, NULL, ?)", failed)
        if warned:
            self._connection.executemany("INSERT INTO polyroc_study.warnings VALUES (?, ?, ?, ?)", warned)
        timings = np.array([[*fit.key, fit.seconds] for fit in waiting]).T
        self._insert("polyroc_study.timings SELECT * FROM batch", dict(zip("abcd", timings, strict=True)))
        self._connection.commit()

    def _add_probabilities(self, waiting: list[FitResult]) -> None:
        """Insert all fits with the same number of classes at once; row by row would take longer than fitting."""
        fits = [(fit.key, fit.probabilities) for fit in waiting if fit.probabilities is not None]
        for n_classes in {table.shape[1] for _, table in fits}:
            batch = [(key, table) for key, table in fits if table.shape[1] == n_classes]
            keys = np.repeat(np.array([key for key, _ in batch]), [len(table) for _, table in batch], axis=0)
            columns = {name: keys[:, position] for position, name in enumerate(("data_set", "learner", "block"))}
            columns["place"] = np.arange(len(keys))
            whole = np.concatenate([table for _, table in batch])
            columns |= {f"p{k}": np.ascontiguousarray(whole[:, k]) for k in range(n_classes)}
            row = ", ".join(f"p{k}" for k in range(n_classes))
            self._insert(
                f"polyroc_study.fits SELECT data_set, learner, block, list([{row}] ORDER BY place), NULL "
                "FROM batch GROUP BY data_set, learner, block",
                columns,
            )

    def _insert(self, statement: str, columns: dict[str, Any]) -> None:
        """Run an INSERT that selects from these columns, the table `batch`."""
        self._connection.register("batch", columns)
        self._connection.execute(f"INSERT INTO {statement}")
        self._connection.unregister("batch")
