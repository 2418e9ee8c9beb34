"""The store of a study: one DuckDB file with the plan, the folds and every out-of-fold prediction.

The tables are in the schema `polyroc_study`; `main` has one view per data set with a row for each prediction.
Everything is written in transactions, so a process that is killed at any moment leaves a store from which the
study is resumed. An open store cannot read other files (`enable_external_access`), whatever its views say.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from polyroc._version import __version__
from polyroc.errors import InputError, MissingFileError, PolyrocError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.studies.data import Data
from polyroc.studies.fit import FitKey, FitResult
from polyroc.studies.learners import Code
from polyroc.studies.plan import Plan
from polyroc.studies.splits import Block, Duplicates, duplicates_of

__all__ = ["Failure", "LearnerWarning", "Store", "StoredData", "create_store"]

T = TypeVar("T")
SCHEMA = 3
STORAGE_VERSION = "v1.5.0"  # of new files: that of the lowest version of DuckDB in pyproject.toml
FLUSH_SECONDS = 1.0  # a process that is killed loses the fits of at most this time
_WRITING: set[Path] = set()  # stores that this process writes: DuckDB's lock is for other processes
_TABLES = """
CREATE SCHEMA polyroc_study;
CREATE TABLE polyroc_study.plan (schema INTEGER, polyroc VARCHAR, digest VARCHAR, plan VARCHAR);
CREATE TABLE polyroc_study.versions (started TIMESTAMP, package VARCHAR, version VARCHAR);
CREATE TABLE polyroc_study.data_sets (data_set INTEGER, name VARCHAR, digest VARCHAR, labels VARCHAR,
    positive INTEGER, features VARCHAR[], truth INTEGER[], groups INTEGER[], group_names VARCHAR[],
    duplicates INTEGER[]);
CREATE TABLE polyroc_study.learners (learner INTEGER, name VARCHAR);
CREATE TABLE polyroc_study.codes (learner INTEGER, place INTEGER, digest VARCHAR, versions VARCHAR);
CREATE TABLE polyroc_study.blocks (data_set INTEGER, block INTEGER, repeat INTEGER, fold INTEGER, first INTEGER,
    cases INTEGER[]);
CREATE TABLE polyroc_study.fits (data_set INTEGER, learner INTEGER, block INTEGER, probabilities DOUBLE[][],
    failure VARCHAR, seconds DOUBLE, warnings VARCHAR[]);
"""
_VIEW = """
CREATE VIEW main.{view} AS
SELECT l.name AS learner, u.repeat, u.fold, u."case", u.id,
    list_value({labels})[d.truth[u."case" + 1] + 1] AS truth, {group}{columns}
FROM (
    SELECT f.learner, b.repeat, b.fold, unnest(b.cases) AS "case", b.first + unnest(range(len(b.cases))) AS id,
        unnest(f.probabilities) AS p
    FROM polyroc_study.fits AS f JOIN polyroc_study.blocks AS b USING (data_set, block)
    WHERE f.data_set = {number} AND f.failure IS NULL
) AS u JOIN polyroc_study.learners AS l ON l.learner = u.learner
JOIN polyroc_study.data_sets AS d ON d.data_set = {number} ORDER BY u.learner, u.id
"""
_INSERT_FITS = """
INSERT INTO polyroc_study.fits
SELECT data_set, learner, block, probabilities, failure, seconds, warnings FROM (
    SELECT unnest(range(len($1))) AS fit, unnest($1) AS data_set, unnest($2) AS learner, unnest($3) AS block,
        unnest($4) AS failure, unnest($5) AS seconds, unnest($6) AS warnings
) LEFT JOIN (
    SELECT fit, list([{columns}][1:width] ORDER BY place) AS probabilities FROM batch GROUP BY fit
) USING (fit) ORDER BY fit
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
    duplicates
        The test cases that have equal training cases, or None.
    """

    name: str
    digest: str
    labels: tuple[Any, ...]
    positive: int | None
    features: tuple[str, ...]
    truth: IntArray
    groups: IntArray | None = None
    group_names: tuple[str, ...] = ()
    duplicates: Duplicates | None = None


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
    """Make a method that reads a table report content of another form than was written as a damaged store."""

    @wraps(method)
    def checked(store: "Store") -> T:
        try:
            return method(store)
        except PolyrocError:
            raise
        except (ValueError, TypeError, LookupError, ArithmeticError) as error:
            raise _damaged(store.path, f"{type(error).__name__}: {error}") from None

    return checked


class Store:
    """An open store."""

    def __init__(self, path: Path, connection: Any) -> None:
        self.path, self._connection = path, connection
        self._waiting: list[FitResult] = []
        self._flushed = time.monotonic()

    @classmethod
    @contextmanager
    def open(
        cls, path: Path, write: bool = False, create: Callable[[Path], None] | None = None
    ) -> Iterator["Store"]:
        """Open the store in a file until the end of the `with`; one at a time may write.

        If there is no such file, `create` is called with the path.
        """
        import duckdb

        resolved = path.resolve()
        if resolved in _WRITING:
            raise InputError(f"'{path}' is in use by another study of this process; wait until it is done.")
        if write:
            _WRITING.add(resolved)
        try:
            if create is not None and not path.exists():
                create(path)
            with closing(_open_file(path, write)) as connection:
                _check_schema(path, connection)
                try:
                    store = cls(path, connection)
                    store._check_data_sets()
                    yield store
                except duckdb.Error as error:
                    raise _damaged(path, _reason(error)) from None
        finally:
            if write:
                _WRITING.discard(resolved)

    def _rows(self, query: str, *parameters: Any) -> list[Any]:
        rows: list[Any] = self._connection.execute(query, list(parameters)).fetchall()
        return rows

    @property
    @_reads
    def plan(self) -> Plan:
        """The plan of the study."""
        ((text,),) = self._rows("SELECT plan FROM polyroc_study.plan")
        return Plan.from_dict(json.loads(text), f"the plan in '{self.path}'")

    @_reads
    def _check_data_sets(self) -> None:
        """Raise an error unless every data set of the plan is stored, with its folds."""
        sets, folds = len(self.data_sets()), len(self.blocks())
        if not sets == folds == len(self.plan.data):
            raise _damaged(self.path, "data sets or folds of the plan are not in it")

    def replace_plan(self, plan: Plan) -> None:
        """Store a plan that differs in name, note or measures, on which no prediction depends."""
        self._connection.execute("UPDATE polyroc_study.plan SET plan = ?", [json.dumps(plan.to_dict())])

    @_reads
    def data_sets(self) -> list[StoredData]:
        """Return the data sets, in the order of the plan."""
        sets = []
        for name, digest, labels, positive, features, truth, groups, names, duplicates in self._rows(
            "SELECT * EXCLUDE data_set FROM polyroc_study.data_sets ORDER BY data_set"
        ):
            if groups is not None and len(groups) != len(truth):
                raise _damaged(self.path, "groups and cases differ in number")
            sets.append(
                StoredData(
                    name,
                    digest,
                    tuple(json.loads(labels)),
                    positive,
                    tuple(features),
                    np.array(truth, dtype=np.int64),
                    None if groups is None else np.array(groups, dtype=np.int64),
                    tuple(names),
                    None if duplicates is None else Duplicates(name, *duplicates),
                )
            )
        return sets

    @_reads
    def codes(self) -> dict[int, list[Code]]:
        """Return the codes of each learner of which fits were made, the latest last."""
        codes: dict[int, list[Code]] = {}
        query = "SELECT learner, digest, versions FROM polyroc_study.codes ORDER BY learner, place"
        for learner, digest, versions in self._rows(query):
            codes.setdefault(learner, []).append(Code(digest, dict(json.loads(versions))))
        return codes

    def set_codes(self, codes: Mapping[int, Sequence[Code]]) -> None:
        """Replace the codes of some learners."""
        self._rows("DELETE FROM polyroc_study.codes WHERE list_contains(?, learner)", list(codes))
        _insert(
            self._connection,
            "codes",
            [
                (learner, place, code.digest, json.dumps(code.versions))
                for learner, history in codes.items()
                for place, code in enumerate(history)
            ],
        )

    def remove_fits(self, learners: Sequence[int]) -> None:
        """Remove all fits of some learners, so that they are done again."""
        self._rows("DELETE FROM polyroc_study.fits WHERE list_contains(?, learner)", list(learners))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Store several changes at once: all of them, or none."""
        self._connection.begin()
        try:
            yield
        except BaseException:
            self._connection.rollback()
            raise
        self._connection.commit()

    @_reads
    def blocks(self) -> list[list[Block]]:
        """Return the folds of every data set, in order."""
        query = "SELECT data_set, repeat, fold, cases FROM polyroc_study.blocks ORDER BY data_set, block"
        blocks: list[list[Block]] = []
        for data_set, repeat, fold, cases in self._rows(query):
            if data_set == len(blocks):
                blocks.append([])
            blocks[data_set].append(Block(repeat, fold, np.array(cases, dtype=np.int64)))
        return blocks

    @_reads
    def done(self) -> dict[FitKey, bool]:
        """Return the stored fits, and whether each has failed."""
        query = "SELECT data_set, learner, block, failure IS NOT NULL FROM polyroc_study.fits"
        return {FitKey(*key): failed for *key, failed in self._rows(query)}

    @_reads
    def failures(self) -> list[Failure]:
        """Return the failed fits, in the order of the plan."""
        query = """
            SELECT d.name, l.name, repeat, fold, failure FROM polyroc_study.fits AS f
            JOIN polyroc_study.data_sets AS d USING (data_set) JOIN polyroc_study.learners AS l USING (learner)
            JOIN polyroc_study.blocks AS b ON b.data_set = f.data_set AND b.block = f.block
            WHERE failure IS NOT NULL ORDER BY f.data_set, f.learner, f.block
        """
        return [Failure(*row) for row in self._rows(query)]

    def remove_failures(self) -> None:
        """Remove failed fits, so that they are tried again."""
        self._rows("DELETE FROM polyroc_study.fits WHERE failure IS NOT NULL")

    def seconds(self) -> dict[FitKey, float]:
        """Return the time that each fit took."""
        query = "SELECT data_set, learner, block, seconds FROM polyroc_study.fits"
        return {FitKey(*key): seconds for *key, seconds in self._rows(query)}

    @_reads
    def warnings(self) -> list[LearnerWarning]:
        """Return the warnings of the learners, equal ones of several folds together."""
        query = """
            SELECT d.name, l.name, message, count(*)
            FROM (SELECT data_set, learner, unnest(warnings) AS message FROM polyroc_study.fits)
            JOIN polyroc_study.data_sets AS d USING (data_set) JOIN polyroc_study.learners AS l USING (learner)
            GROUP BY ALL ORDER BY ALL
        """
        return [LearnerWarning(*row) for row in self._rows(query)]

    def versions(self) -> dict[str, str]:
        """Return the package versions of the latest run."""
        query = """
            SELECT package, version FROM polyroc_study.versions
            WHERE started = (SELECT max(started) FROM polyroc_study.versions)
        """
        return dict(self._rows(query))

    def add_versions(self, versions: dict[str, str]) -> None:
        """Store the package versions of a run."""
        now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
        _insert(self._connection, "versions", [(now, *item) for item in versions.items()])

    def predictions(self, data_set: int) -> dict[tuple[int, int], FloatArray]:
        """Return the predictions of every successful fit of a data set by (learner, block), in order."""
        fits = "FROM polyroc_study.fits WHERE data_set = ? AND failure IS NULL ORDER BY learner, block"
        sizes = self._rows(f"SELECT learner, block, len(probabilities) {fits}", data_set)
        numbers = self._connection.execute(
            f"SELECT unnest(flatten(probabilities)) AS p FROM (SELECT probabilities {fits})", [data_set]
        ).fetchnumpy()["p"]
        classes = len(numbers) // max(sum(cases for *_, cases in sizes), 1)
        whole = np.asarray(numbers, dtype=np.float64).reshape(-1, max(classes, 1))
        parts = np.split(whole, np.cumsum([cases for *_, cases in sizes])[:-1]) if sizes else []
        return {(learner, block): part for (learner, block, _), part in zip(sizes, parts, strict=True)}

    def add(self, result: FitResult) -> None:
        """Store a fit; it is on disk after at most `FLUSH_SECONDS`, or when the next fit is done."""
        self._waiting.append(result)
        if time.monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Write the waiting fits to disk, in one transaction."""
        import duckdb

        waiting, self._waiting = self._waiting, []
        try:
            if waiting:
                self._write(waiting)
        except duckdb.Error as error:  # most often ENOSPC, a full disk: DuckDB has an exception of its own for it
            raise InputError(
                f"'{self.path}' cannot be written: {_reason(error)}. The fits stored before are kept."
            ) from None
        self._flushed = time.monotonic()

    def _write(self, fits: Sequence[FitResult]) -> None:
        """Insert fits; their predictions as columns, which takes a tenth of the time of lists of lists."""
        tables = [(place, fit.probabilities) for place, fit in enumerate(fits) if fit.probabilities is not None]
        widest = max((table.shape[1] for _, table in tables), default=1)
        padded = [np.pad(table, ((0, 0), (0, widest - table.shape[1]))) for _, table in tables]
        cases = np.concatenate([np.empty((0, widest)), *padded])
        sizes = np.array([len(table) for _, table in tables], dtype=np.int64)
        columns = {
            "fit": np.repeat(np.array([place for place, _ in tables], dtype=np.int64), sizes),
            "width": np.repeat(np.array([table.shape[1] for _, table in tables], dtype=np.int64), sizes),
            "place": np.arange(len(cases)),
        }
        columns |= {f"p{k}": np.ascontiguousarray(cases[:, k]) for k in range(widest)}
        rows = [(*fit.key, fit.failure, fit.seconds, fit.warnings.splitlines()) for fit in fits]
        self._connection.register("batch", columns)
        self._connection.execute(
            _INSERT_FITS.format(columns=", ".join(f"p{k}" for k in range(widest))),
            list(map(list, zip(*rows, strict=True))),
        )
        self._connection.unregister("batch")


# The file -------------------------------------------------------------------------------------------------------


def _insert(connection: Any, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert rows into a table, all of them or none."""
    if rows:
        columns = list(map(list, zip(*rows, strict=True)))
        values = ", ".join(f"unnest(${position})" for position in range(1, len(columns) + 1))
        connection.execute(f"INSERT INTO polyroc_study.{table} SELECT {values}", columns)


def _attach(path: Path, write: bool) -> Any:
    """Connect to a file; a new one can be read by every version of DuckDB that polyroc works with."""
    import duckdb

    quoted = str(path).replace("'", "''")
    option = "READ_WRITE" if write else "READ_ONLY"
    if write and not path.exists():
        option = f"STORAGE_VERSION '{STORAGE_VERSION}'"
    # One thread: the other cores are free for fits.
    connection = duckdb.connect(config={"autoinstall_known_extensions": False, "threads": 1})
    try:
        connection.execute(f"ATTACH '{quoted}' AS store (TYPE duckdb, {option}); USE store")
        connection.execute("SET enable_external_access = false")
    except BaseException:
        connection.close()
        raise
    return connection


def _open_file(path: Path, write: bool) -> Any:
    """Connect to a store; an error names the process that has it, or what else is wrong."""
    import duckdb

    if not write and not path.exists():
        raise MissingFileError(f"There is no store '{path}'; create one with polyroc study run.")
    try:
        return _attach(path, write)
    except duckdb.IOException as error:
        process = re.search(r"PID (\d+)", str(error))
        if "lock" in str(error).lower():
            holder = f"process {process[1]}" if process else "another process"
            raise InputError(f"'{path}' is in use by {holder}; wait until it is done, or stop it.") from None
        if _log(path).exists():
            raise _damaged(path, _reason(error)) from None
        raise InputError(f"'{path}' is not a store of a study, or cannot be opened; give another path.") from None
    except duckdb.Error as error:
        raise _damaged(path, _reason(error)) from None


def _check_schema(path: Path, connection: Any) -> None:
    """Raise an error for a file that is no store, or one of another version."""
    import duckdb

    try:
        (schema, version) = connection.execute("SELECT schema, polyroc FROM polyroc_study.plan").fetchone()
    except (duckdb.Error, TypeError):
        raise InputError(f"'{path}' is a DuckDB file without a study; give another path.") from None
    if schema != SCHEMA:
        raise InputError(
            f"'{path}' was written by polyroc {version} (schema {schema}), which polyroc {__version__} (schema "
            f"{SCHEMA}) cannot read."
        )


def _reason(error: Exception) -> str:
    """Return the first line of an error of DuckDB, without its full stop."""
    return str(error).split("\n", 1)[0].strip(" .")


def _log(path: Path) -> Path:
    """Return the write-ahead log of a store: what was written since the last checkpoint."""
    return path.with_name(f"{path.name}.wal")


def _damaged(path: Path, reason: str) -> InputError:
    """Return the error for a store that cannot be read; it says what can be saved."""
    advice = "restore it from a copy, or run the study again"
    if _log(path).exists():
        advice = (
            f"rename '{_log(path)}' and try again: that returns to the last checkpoint, and the study is resumed "
            f"from there. If the error stays, {advice}"
        )
    return InputError(f"The store '{path}' is damaged ({reason}); {advice}.")


def create_store(path: Path, plan: Plan, data: Sequence[Data], blocks: Sequence[Sequence[Block]]) -> None:
    """Create a store without any fit.

    It is written under a temporary name and then linked to its own: no process ever sees half a store, and a store
    that another process has created in the meantime is not replaced.
    """
    import duckdb

    if not path.parent.is_dir():
        raise InputError(f"'{path}' cannot be written: there is no folder '{path.parent}'; create it first.")
    if _log(path).exists():  # DuckDB would apply this log to the new store
        raise InputError(
            f"'{_log(path)}' belongs to a store that no longer exists; remove it, or give another path."
        )
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        temporary.unlink(missing_ok=True)
        with closing(_attach(temporary, write=True)) as connection:
            _fill(connection, plan, data, blocks)
            connection.execute("CHECKPOINT")  # everything is in one file, nothing in a log
        _publish(temporary, path)
    except duckdb.Error as error:  # a full disk (ENOSPC) among others
        raise InputError(
            f"'{path}' cannot be written: {_reason(error)}. Nothing was stored; free some space, or give "
            "another path."
        ) from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be written ({error.strerror}); give another path.") from None
    finally:
        for file in (temporary, _log(temporary)):
            with suppress(OSError):
                file.unlink()


def _publish(temporary: Path, path: Path) -> None:
    """Give the file its name, unless another process has just created the store."""
    try:
        os.link(temporary, path)  # unlike a rename, it does not replace an existing file
    except FileExistsError:
        return
    except OSError:  # a file system without links
        temporary.rename(path)


def _fill(connection: Any, plan: Plan, data: Sequence[Data], blocks: Sequence[Sequence[Block]]) -> None:
    connection.begin()
    connection.execute(_TABLES)
    _insert(connection, "plan", [(SCHEMA, __version__, plan.digest, json.dumps(plan.to_dict()))])
    _insert(connection, "learners", [(number, learner.name) for number, learner in enumerate(plan.learners)])
    _insert(
        connection,
        "data_sets",
        [(number, *_stored(one, blocks[number])) for number, one in enumerate(data)],
    )
    for number, data_set in enumerate(data):
        connection.execute(_view(number, data_set))
    rows = []
    for number, of_set in enumerate(blocks):
        first = 0  # first + position identifies each prediction of a learner
        for position, block in enumerate(of_set):
            rows.append((number, position, block.repeat, block.fold, first, sorted(block.test.tolist())))
            first += len(block.test)
    _insert(connection, "blocks", rows)
    connection.commit()


def _stored(data: Data, blocks: Sequence[Block]) -> tuple[Any, ...]:
    """Return a data set as a row of its table."""
    duplicates = duplicates_of(data, blocks)
    return (
        data.name,
        data.digest,
        json.dumps(data.labels),
        data.positive,
        list(data.features),
        data.codes.tolist(),
        None if data.groups is None else data.groups.tolist(),
        list(data.group_names),
        None if duplicates is None else list(duplicates[1:]),
    )


def _view(number: int, data: Data) -> str:
    """Return the statement that creates the view of a data set: a row for each prediction."""
    probabilities = (f"u.p[{k + 1}] AS {_identifier(f'p_{label}')}" for k, label in enumerate(data.labels))
    return _VIEW.format(
        group="" if data.groups is None else 'd.group_names[d.groups[u."case" + 1] + 1] AS "group", ',
        view=_identifier(data.name),
        number=number,
        labels=", ".join(map(_literal, data.labels)),
        columns=", ".join(probabilities),
    )


def _identifier(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _literal(label: Any) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, int | float):
        return repr(label)
    return "'" + str(label).replace("'", "''") + "'"
