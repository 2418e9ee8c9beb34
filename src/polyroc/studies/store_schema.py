"""A new store: its tables, the folds in them, and a view of the predictions for each data set."""

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
from polyroc.studies.splits import Block
from polyroc.studies.store import SCHEMA, attach, reason

__all__ = ["make"]

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
_VIEW = """
CREATE VIEW main.{view} AS
SELECT l.name AS learner, u.repeat, u.fold, u."case", u.id,
    list_value({labels})[d.truth[u."case" + 1] + 1] AS truth, {columns}
FROM (
    SELECT f.learner, b.repeat, b.fold, unnest(b.cases) AS "case", b.first + unnest(range(len(b.cases))) AS id,
        unnest(f.probabilities) AS p
    FROM polyroc_study.fits AS f JOIN polyroc_study.blocks AS b USING (data_set, block)
    WHERE f.data_set = {number} AND f.failure IS NULL
) AS u JOIN polyroc_study.learners AS l ON l.learner = u.learner
JOIN polyroc_study.data_sets AS d ON d.data_set = {number} ORDER BY u.learner, u.id
"""


def make(path: Path, connection: Any, plan: Plan, data: Sequence[Data], blocks: Sequence[Sequence[Block]]) -> None:
    """Make a store without any fit; it appears under its name when it is whole, and never in place of another."""
    import duckdb

    if not path.parent.is_dir():
        raise InputError(f"'{path}' cannot be written: there is no folder '{path.parent}'; make it first.")
    log = path.with_name(f"{path.name}.wal")  # DuckDB would take it for a part of the new store
    if log.exists() and not path.exists():
        raise InputError(f"'{log}' is left of a store that is gone; remove it, or give another path.")
    making = path.with_name(f"{path.name}.{os.getpid()}.new")
    _remove(making, *_remains(path))
    try:
        attach(connection, making, write=True)
        _fill(connection, plan, data, blocks)
        connection.execute("CHECKPOINT; USE memory; DETACH store")  # everything is in the one file
        _appear(making, path)
    except duckdb.Error as error:
        raise InputError(
            f"'{path}' cannot be written: {reason(error)}. Nothing was stored; make room, or give another path."
        ) from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be written ({error.strerror}); give another path.") from None
    finally:
        _remove(making, making.with_name(f"{making.name}.wal"))


def _remove(*paths: Path) -> None:
    for each in paths:
        with suppress(OSError):
            each.unlink()


def _remains(path: Path) -> list[Path]:
    """What processes killed while they made a store have left behind: nobody takes ten minutes for it."""
    old = time.time() - 600
    return [each for each in path.parent.glob(f"{escape(path.name)}.*.new*") if each.stat().st_mtime < old]


def _appear(making: Path, path: Path) -> None:
    """Give the store its name; one that somebody else has just made stays."""
    try:
        os.link(making, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        making.rename(path)


def _fill(connection: Any, plan: Plan, data: Sequence[Data], blocks: Sequence[Sequence[Block]]) -> None:
    connection.begin()
    connection.execute(_TABLES)
    connection.execute(
        "INSERT INTO polyroc_study.plan VALUES (?, ?, ?, ?)",
        [SCHEMA, __version__, plan.digest, json.dumps(plan.to_dict())],
    )
    names = [learner.name for learner in plan.learners]
    connection.execute("INSERT INTO polyroc_study.learners SELECT unnest(range(len($1))), unnest($1)", [names])
    for number, each in enumerate(data):
        _add_data_set(connection, number, each)
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
    connection.execute(
        _VIEW.format(
            view=_name(data.name),
            number=number,
            labels=", ".join(map(_literal, data.labels)),
            columns=", ".join(f"u.p[{k + 1}] AS {_name(f'p_{label}')}" for k, label in enumerate(data.labels)),
        )
    )


def _add_blocks(connection: Any, blocks: Sequence[Sequence[Block]]) -> None:
    """The folds of all data sets by one statement; the cases of a data set are numbered through, fold by fold."""
    flat = [(number, place, block) for number, each in enumerate(blocks) for place, block in enumerate(each)]
    sizes = np.array([len(block.test) for *_, block in flat])
    before = np.concatenate([np.cumsum([0, *(len(block.test) for block in each[:-1])]) for each in blocks])
    facts = [(number, place, block.repeat, block.fold) for number, place, block in flat]
    names = ("data_set", "block", "repeat", "fold", "first")
    columns = dict(zip(names, np.repeat(np.column_stack([facts, before]), sizes, axis=0).T, strict=True))
    connection.register("batch", columns | {"c": np.concatenate([block.test for *_, block in flat])})
    connection.execute(
        "INSERT INTO polyroc_study.blocks SELECT data_set, block, repeat, fold, first, list(c ORDER BY c) "
        "FROM batch GROUP BY ALL ORDER BY data_set, block"
    )
    connection.unregister("batch")


def _name(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def _literal(label: Any) -> str:
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, int | float):
        return repr(label)
    return "'" + str(label).replace("'", "''") + "'"
