"""Creation of a store: its tables, the folds, and a view of the predictions of each data set.

Stores are read by later versions, so the names of tables and columns stay (`warnings.told` is a message).
"""

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np

from polyroc._version import __version__
from polyroc.errors import InputError
from polyroc.studies.data import Data
from polyroc.studies.plan import Plan
from polyroc.studies.splits import Block, duplicates_of
from polyroc.studies.store import LATER_TABLES
from polyroc.studies.store_files import SCHEMA, attach_file, error_reason

__all__ = ["create_store"]

ABANDONED_SECONDS = 600  # no process takes this long to create a store, so an older temporary file has no owner

_TABLES = """
CREATE SCHEMA polyroc_study;
CREATE TABLE polyroc_study.plan (schema INTEGER, polyroc VARCHAR, digest VARCHAR, plan VARCHAR);
CREATE TABLE polyroc_study.versions (started TIMESTAMP, package VARCHAR, version VARCHAR);
CREATE TABLE polyroc_study.data_sets (data_set INTEGER, name VARCHAR, digest VARCHAR, labels VARCHAR,
    positive INTEGER, features VARCHAR[], truth INTEGER[]);
CREATE TABLE polyroc_study.learners (learner INTEGER, name VARCHAR);
CREATE TABLE polyroc_study.blocks (data_set INTEGER, block INTEGER, repeat INTEGER, fold INTEGER, first INTEGER,
    cases INTEGER[]);
CREATE TABLE polyroc_study.fits (data_set INTEGER, learner INTEGER, block INTEGER, probabilities DOUBLE[][],
    failure VARCHAR);
CREATE TABLE polyroc_study.timings (data_set INTEGER, learner INTEGER, block INTEGER, seconds DOUBLE);
CREATE TABLE polyroc_study.warnings (data_set INTEGER, learner INTEGER, block INTEGER, told VARCHAR);
"""
_GROUP = 'g.names[g.groups[u."case" + 1] + 1] AS "group", '
_GROUPS = "JOIN polyroc_study.groups AS g ON g.data_set = {number} "
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
JOIN polyroc_study.data_sets AS d ON d.data_set = {number} {groups}ORDER BY u.learner, u.id
"""


def create_store(
    path: Path, connection: Any, plan: Plan, data: Sequence[Data], blocks: Sequence[Sequence[Block]]
) -> None:
    """Create a store without any fit.

    It is written under a temporary name and then linked to its own: no process ever sees half a store, and a store
    that another process has created in the meantime is not replaced.
    """
    import duckdb

    if not path.parent.is_dir():
        raise InputError(f"'{path}' cannot be written: there is no folder '{path.parent}'; create it first.")
    log = path.with_name(f"{path.name}.wal")
    if log.exists() and not path.exists():  # DuckDB would apply this log to the new store
        raise InputError(f"'{log}' belongs to a store that no longer exists; remove it, or give another path.")
    temporary = path.with_name(f"{path.name}.{os.getpid()}.new")
    _remove(temporary, *_abandoned(path))
    try:
        attach_file(connection, temporary, write=True)
        _fill(connection, plan, data, blocks)
        connection.execute("CHECKPOINT; USE memory; DETACH store")  # everything is in one file, nothing in a log
        _publish(temporary, path)
    except duckdb.Error as error:  # a full disk (ENOSPC) among others
        raise InputError(
            f"'{path}' cannot be written: {error_reason(error)}. Nothing was stored; free some space, or give "
            "another path."
        ) from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be written ({error.strerror}); give another path.") from None
    finally:
        _remove(temporary, temporary.with_name(f"{temporary.name}.wal"))


def _remove(*paths: Path) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink()


def _abandoned(path: Path) -> list[Path]:
    """Temporary files of processes that were killed while they created this store."""
    oldest = time.time() - ABANDONED_SECONDS
    candidates = path.parent.glob(f"{escape(path.name)}.*.new*")
    return [candidate for candidate in candidates if candidate.stat().st_mtime < oldest]


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
    connection.execute(LATER_TABLES)
    connection.execute(
        "INSERT INTO polyroc_study.plan VALUES (?, ?, ?, ?)",
        [SCHEMA, __version__, plan.digest, json.dumps(plan.to_dict())],
    )
    names = [learner.name for learner in plan.learners]
    connection.execute("INSERT INTO polyroc_study.learners SELECT unnest(range(len($1))), unnest($1)", [names])
    for number, data_set in enumerate(data):
        _add_data_set(connection, number, data_set)
        duplicates = duplicates_of(data_set, blocks[number])
        if duplicates is not None:
            connection.execute(
                "INSERT INTO polyroc_study.duplicates VALUES (?, ?, ?, ?)", [number, *duplicates[1:]]
            )
    _add_blocks(connection, blocks)
    connection.commit()


def _add_data_set(connection: Any, number: int, data: Data) -> None:
    connection.execute(
        "INSERT INTO polyroc_study.data_sets VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            number,
            data.name,
            data.digest,
            json.dumps(data.labels),
            data.positive,
            list(data.features),
            data.codes.tolist(),
        ],
    )
    if data.groups is not None:
        connection.execute(
            "INSERT INTO polyroc_study.groups VALUES (?, ?, ?)",
            [number, list(data.group_names), data.groups.tolist()],
        )
    connection.execute(
        _VIEW.format(
            group="" if data.groups is None else _GROUP,
            groups="" if data.groups is None else _GROUPS.format(number=number),
            view=_identifier(data.name),
            number=number,
            labels=", ".join(map(_literal, data.labels)),
            columns=", ".join(
                f"u.p[{k + 1}] AS {_identifier(f'p_{label}')}" for k, label in enumerate(data.labels)
            ),
        )
    )


def _add_blocks(connection: Any, blocks: Sequence[Sequence[Block]]) -> None:
    """Insert the folds of all data sets by one statement.

    `first` is the number of test cases in the earlier folds of the data set, so `first` + position identifies each
    prediction of a learner.
    """
    flat = [
        (number, position, block) for number, of_set in enumerate(blocks) for position, block in enumerate(of_set)
    ]
    sizes = np.array([len(block.test) for *_, block in flat])
    first = np.concatenate([np.cumsum([0, *(len(block.test) for block in of_set[:-1])]) for of_set in blocks])
    keys = [(number, position, block.repeat, block.fold) for number, position, block in flat]
    names = ("data_set", "block", "repeat", "fold", "first")
    columns = dict(zip(names, np.repeat(np.column_stack([keys, first]), sizes, axis=0).T, strict=True))
    connection.register("batch", columns | {"c": np.concatenate([block.test for *_, block in flat])})
    connection.execute(
        "INSERT INTO polyroc_study.blocks SELECT data_set, block, repeat, fold, first, list(c ORDER BY c) "
        "FROM batch GROUP BY ALL ORDER BY data_set, block"
    )
    connection.unregister("batch")


def _identifier(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _literal(label: Any) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, int | float):
        return repr(label)
    return "'" + str(label).replace("'", "''") + "'"
