"""A damaged store of a study, or its write-ahead log: an error that says what to do."""

import json
import shutil

import numpy as np
import pytest

import polyroc as pr
from golden import files, studies
from polyroc.errors import InputError, PolyrocError
from polyroc.rules import Rule
from stored_damage import mutated


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return files.unpack_study(tmp_path_factory.mktemp("store"))


def read(path):
    """Open a store and use it."""
    study = pr.Study.open(path)
    study.rows()
    study.fit_times()
    return study


@pytest.mark.filterwarnings("ignore")
def test_damaged_bytes_of_a_store(store, tmp_path):
    whole, rng = store.read_bytes(), np.random.default_rng(0)
    path = tmp_path / "damaged.duckdb"
    rejected = 0
    for length in (1, 1, 1, 64, 64, 4096, 4096, 4096, 4096, 4096):
        damaged = bytearray(whole)
        start = int(rng.integers(len(whole) - length))
        damaged[start : start + length] = rng.bytes(length)
        path.write_bytes(bytes(damaged))
        try:
            read(path)
        except PolyrocError:
            rejected += 1
    for end in (0, 10, 5000, len(whole) // 2, len(whole) - 4096):
        path.write_bytes(whole[:end])
        with pytest.raises(PolyrocError):
            read(path)
    assert rejected > 0


def with_log(store, folder):
    """A copy of a store whose latest change is in its log only, as a killed process leaves it."""
    import duckdb

    path, copy = folder / "study.duckdb", folder / "copy" / "study.duckdb"
    shutil.copy(store, path)
    connection = duckdb.connect(str(path))
    connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    connection.execute("DELETE FROM polyroc_study.timings")
    connection.close()
    copy.parent.mkdir()
    for file in (path, path.with_name(f"{path.name}.wal")):
        shutil.copy(file, copy.parent / file.name)
    return copy


@pytest.mark.filterwarnings("ignore")
def test_a_damaged_log_is_named_and_can_be_removed(store, tmp_path):
    path = with_log(store, tmp_path)
    log = path.with_name(f"{path.name}.wal")
    whole, rng = log.read_bytes(), np.random.default_rng(0)
    messages = []
    for _ in range(12):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(whole), 3):
            damaged[place] ^= 0xFF
        log.write_bytes(bytes(damaged))
        try:
            read(path)
        except InputError as error:
            messages.append(str(error))
    assert messages
    assert all("is damaged" in message and f"rename '{log}'" in message for message in messages)
    log.unlink()
    read(path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM polyroc_study.plan",
        "UPDATE polyroc_study.plan SET plan = '{'",
        "UPDATE polyroc_study.plan SET plan = '[]'",
        "UPDATE polyroc_study.data_sets SET labels = '3'",
        "UPDATE polyroc_study.data_sets SET labels = 'x'",
        "DELETE FROM polyroc_study.data_sets",
        "DELETE FROM polyroc_study.blocks",
        "DELETE FROM polyroc_study.blocks WHERE data_set = 0",
        "DROP TABLE polyroc_study.fits CASCADE",
        "DROP TABLE polyroc_study.timings CASCADE",
    ],
)
def test_tables_that_were_changed(store, tmp_path, statement):
    import duckdb

    path = tmp_path / "study.duckdb"
    shutil.copy(store, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement)
    with pytest.raises(PolyrocError):
        read(path)


def test_damaged_plans():
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged, what = mutated(json.loads(json.dumps(studies.PLAN)), rng)
        try:
            pr.Plan.from_dict(damaged).to_toml()
        except PolyrocError:
            continue
        except Exception as error:
            raise AssertionError(what) from error


@pytest.mark.parametrize("path", sorted(files.STORED.glob("rule_*.json")), ids=lambda path: path.stem)
def test_damaged_rules(path):
    data, rng = json.loads(path.read_text(encoding="utf-8")), np.random.default_rng(0)
    for _ in range(200):
        damaged, what = mutated(data, rng)
        try:
            Rule.from_dict(damaged).sentence()
        except PolyrocError:
            continue
        except Exception as error:
            raise AssertionError(what) from error
