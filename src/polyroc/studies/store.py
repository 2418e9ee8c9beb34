"""The store: one DuckDB file with the plan, the folds and every out-of-fold prediction.

Tables are in the schema `polyroc_study`; in `main` there is one view per data set, with a row for each prediction.
Everything is added in transactions: a process killed at any moment leaves a store that the next one goes on with.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from polyroc._version import __version__
from polyroc.errors import InputError, MissingFileError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.studies.fit import Job, Outcome
from polyroc.studies.plan import Plan
from polyroc.studies.splits import Block

__all__ = ["SCHEMA", "Facts", "Failure", "Store", "Told", "attach", "reason"]

SCHEMA = 1
EVERY = 1.0  # seconds of work that may be lost
_OPEN: set[Path] = set()
_IDLE: dict[int, Any] = {}  # by process
_LOCK = Lock()


class Facts(NamedTuple):
    """What the store knows of a data set."""

    name: str
    digest: str
    labels: tuple[Any, ...]
    positive: int | None
    features: tuple[str, ...]
    truth: IntArray


class Failure(NamedTuple):
    """A fit that failed, and why."""

    data_set: str
    learner: str
    repeat: int
    fold: int
    message: str


class Told(NamedTuple):
    """A warning of a learner, and in how many folds it came."""

    data_set: str
    learner: str
    message: str
    folds: int


class Store:
    """A store that is open, to add to or to read."""

    def __init__(self, path: Path, connection: Any) -> None:
        self.path, self._connection = path, connection
        self._waiting: list[Outcome] = []
        self._flushed, self._work = time.monotonic(), 0.0

    @classmethod
    @contextmanager
    def opened(
        cls, path: Path, write: bool = False, make: Callable[[Path, Any], None] | None = None
    ) -> Iterator["Store"]:
        """The store in a file, closed at the end of a `with`; one process (and one `with`) at a time may write.

        If there is none, `make` is called with the path and a connection.
        """
        place = path.resolve()
        with _LOCK:
            if place in _OPEN:
                raise InputError(f"'{path}' is in use by another study of this process; wait for it.")
            if write:
                _OPEN.add(place)
        try:
            with _connection() as connection:
                if make is not None and not path.exists():
                    make(path, connection)
                _open(connection, path, write)
                _check_schema(path, connection)
                yield cls(path, connection)
        finally:
            if write:
                _OPEN.discard(place)

    @property
    def plan(self) -> Plan:
        """The plan whose fits are in here."""
        (text,) = self._connection.execute("SELECT plan FROM polyroc_study.plan").fetchone()
        return Plan.from_dict(json.loads(text), lambda _: f"the plan in '{self.path}'")

    def put_plan(self, plan: Plan) -> None:
        """Change what fits do not depend on: names, notes, measures."""
        self._connection.execute("UPDATE polyroc_study.plan SET plan = ?", [json.dumps(plan.to_dict())])

    def facts(self) -> list[Facts]:
        """The data sets, in the order of the plan."""
        query = (
            "SELECT name, digest, labels, positive, features, truth FROM polyroc_study.data_sets ORDER BY data_set"
        )
        return [
            Facts(
                name, digest, tuple(json.loads(labels)), positive, tuple(features), np.array(truth, dtype=np.int64)
            )
            for name, digest, labels, positive, features, truth in self._connection.execute(query).fetchall()
        ]

    def blocks(self) -> list[list[Block]]:
        """The folds of every data set, in order."""
        query = "SELECT data_set, repeat, fold, cases FROM polyroc_study.blocks ORDER BY data_set, block"
        found: list[list[Block]] = []
        for data_set, repeat, fold, cases in self._connection.execute(query).fetchall():
            if data_set == len(found):
                found.append([])
            found[data_set].append(Block(repeat, fold, np.array(cases, dtype=np.int64)))
        return found

    def done(self) -> dict[Job, bool]:
        """The fits that are stored, and whether each has failed."""
        query = "SELECT data_set, learner, block, failure IS NOT NULL FROM polyroc_study.fits"
        return {Job(*key): failed for *key, failed in self._connection.execute(query).fetchall()}

    def failures(self) -> list[Failure]:
        """The fits that failed, in the order of the plan."""
        query = """
            SELECT d.name, l.name, repeat, fold, failure FROM polyroc_study.fits AS f
            JOIN polyroc_study.data_sets AS d USING (data_set) JOIN polyroc_study.learners AS l USING (learner)
            JOIN polyroc_study.blocks AS b ON b.data_set = f.data_set AND b.block = f.block
            WHERE failure IS NOT NULL ORDER BY f.data_set, f.learner, f.block
        """
        return [Failure(*row) for row in self._connection.execute(query).fetchall()]

    def forget_failures(self) -> None:
        """Take failed fits out, so that they are tried again."""
        self._connection.execute("DELETE FROM polyroc_study.fits WHERE failure IS NOT NULL")

    def seconds(self) -> dict[tuple[int, int, int], float]:
        """How long each fit took."""
        query = "SELECT data_set, learner, block, seconds FROM polyroc_study.timings"
        return {Job(*key): seconds for *key, seconds in self._connection.execute(query).fetchall()}

    def warnings(self) -> list[Told]:
        """What learners warned of."""
        query = """
            SELECT d.name, l.name, told, count(*) FROM polyroc_study.warnings AS w
            JOIN polyroc_study.data_sets AS d USING (data_set) JOIN polyroc_study.learners AS l USING (learner)
            GROUP BY ALL ORDER BY ALL
        """
        return [Told(*row) for row in self._connection.execute(query).fetchall()]

    def versions(self) -> dict[str, str]:
        """The versions that the latest run had."""
        query = """
            SELECT package, version FROM polyroc_study.versions
            WHERE started = (SELECT max(started) FROM polyroc_study.versions)
        """
        return dict(self._connection.execute(query).fetchall())

    def put_versions(self, versions: dict[str, str]) -> None:
        """Note the versions of a run."""
        now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        self._connection.execute(
            "INSERT INTO polyroc_study.versions SELECT ?, unnest(?), unnest(?)",
            [now, list(versions), list(versions.values())],
        )

    def probabilities(self, data_set: int) -> tuple[IntArray, FloatArray]:
        """(learner, block) of every fit of a data set that did not fail, in order, and all numbers end to end."""
        which = "FROM polyroc_study.fits WHERE data_set = ? AND failure IS NULL ORDER BY learner, block"
        jobs = self._connection.execute(f"SELECT learner, block {which}", [data_set]).fetchnumpy()
        numbers = self._connection.execute(
            f"SELECT unnest(flatten(probabilities)) AS p FROM (SELECT probabilities {which})", [data_set]
        ).fetchnumpy()
        return np.column_stack([jobs["learner"], jobs["block"]]).astype(np.int64), np.asarray(numbers["p"])

    def add(self, outcome: Outcome) -> None:
        """Take a fit; it is on the disk within a second of work."""
        self._waiting.append(outcome)
        self._work += outcome.seconds
        if max(time.monotonic() - self._flushed, self._work) >= EVERY:
            self.flush()

    def flush(self) -> None:
        """Put on the disk what was taken, all of it or nothing."""
        import duckdb

        waiting, self._waiting = self._waiting, []
        try:
            if waiting:
                self._write(waiting)
        except duckdb.Error as error:
            raise InputError(
                f"'{self.path}' cannot be written: {reason(error)}. What was stored before is there."
            ) from None
        self._flushed, self._work = time.monotonic(), 0.0

    def _write(self, waiting: list[Outcome]) -> None:
        self._connection.begin()
        self._add_probabilities([each for each in waiting if each.probabilities is not None])
        failed = [[*each.job, each.failure] for each in waiting if each.failure is not None]
        warned = [[*each.job, line] for each in waiting for line in each.warnings.splitlines()]
        if failed:
            self._connection.executemany("INSERT INTO polyroc_study.fits VALUES (?, ?, ?, NULL, ?)", failed)
        if warned:
            self._connection.executemany("INSERT INTO polyroc_study.warnings VALUES (?, ?, ?, ?)", warned)
        timings = np.array([[*each.job, each.seconds] for each in waiting]).T
        self._insert("polyroc_study.timings SELECT * FROM batch", dict(zip("abcd", timings, strict=True)))
        self._connection.commit()

    def _add_probabilities(self, outcomes: list[Outcome]) -> None:
        """One insertion for all fits with as many classes."""
        tables = [(each.job, each.probabilities) for each in outcomes if each.probabilities is not None]
        for many in {table.shape[1] for _, table in tables}:
            same = [(job, table) for job, table in tables if table.shape[1] == many]
            lengths = [len(table) for _, table in same]
            jobs = np.repeat(np.array([job for job, _ in same]), lengths, axis=0)
            columns = {name: jobs[:, place] for place, name in enumerate(("data_set", "learner", "block"))}
            columns["place"] = np.arange(len(jobs))
            whole = np.concatenate([table for _, table in same])
            columns |= {f"p{k}": np.ascontiguousarray(whole[:, k]) for k in range(many)}
            row = ", ".join(f"p{k}" for k in range(many))
            self._insert(
                f"polyroc_study.fits SELECT data_set, learner, block, list([{row}] ORDER BY place), NULL "
                "FROM batch GROUP BY data_set, learner, block",
                columns,
            )

    def _insert(self, what: str, columns: dict[str, Any]) -> None:
        self._connection.register("batch", columns)
        self._connection.execute(f"INSERT INTO {what}")
        self._connection.unregister("batch")


@contextmanager
def _connection() -> Iterator[Any]:
    """DuckDB without a file. To start it takes as long as a dozen small fits, so one is kept for whoever is next.

    It has one thread, the caller's: nothing is lost in a fork, and fits have the other cores.
    """
    import duckdb

    with _LOCK:
        connection = _IDLE.pop(os.getpid(), None)
    if connection is None:
        connection = duckdb.connect(config={"autoinstall_known_extensions": False, "threads": 1})
    try:
        yield connection
    except BaseException:
        connection.close()
        raise
    try:
        connection.execute("USE memory; DETACH DATABASE IF EXISTS store")
    except duckdb.Error:  # a full disk: what was committed is in the log
        connection.close()
    else:
        with _LOCK:
            _IDLE[os.getpid()] = connection


def attach(connection: Any, path: Path, write: bool) -> None:
    """Let a connection work on a file."""
    quoted = str(path).replace("'", "''")
    connection.execute(f"ATTACH '{quoted}' AS store (TYPE duckdb{'' if write else ', READ_ONLY'}); USE store")


def reason(error: Exception) -> str:
    """Why DuckDB could not, in one line without a full stop."""
    return str(error).split("\n", 1)[0].strip(" .")


def _open(connection: Any, path: Path, write: bool) -> None:
    """Attach a store; what stands in its way is told."""
    import duckdb

    if not write and not path.exists():
        raise MissingFileError(f"There is no store '{path}'; make one with polyroc study run.")
    try:
        attach(connection, path, write)
    except duckdb.IOException as error:
        holder = re.search(r"PID (\d+)", str(error))
        if "lock" in str(error).lower():
            who = f"process {holder[1]}" if holder else "another process"
            raise InputError(f"'{path}' is in use by {who}; wait until it is done, or stop it.") from None
        raise InputError(f"'{path}' is not a store of a study, or cannot be opened; give another path.") from None
    except duckdb.Error as error:
        raise InputError(f"'{path}' cannot be opened: {reason(error)}; give another path.") from None


def _check_schema(path: Path, connection: Any) -> None:
    import duckdb

    try:
        (schema, version) = connection.execute("SELECT schema, polyroc FROM polyroc_study.plan").fetchone()
    except (duckdb.Error, TypeError):
        raise InputError(f"'{path}' is a DuckDB file without a study in it; give another path.") from None
    if schema != SCHEMA:
        raise InputError(
            f"'{path}' was written by polyroc {version} (schema {schema}), which polyroc {__version__} (schema "
            f"{SCHEMA}) cannot read."
        )
