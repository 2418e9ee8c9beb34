"""A damaged store of a study, or its write-ahead log: an error that says what to do."""

import json
import shutil

import numpy as np
import pytest

import polyroc as pr
from golden import files, studies
from polyroc.errors import InputError, PolyrocError
from polyroc.rules import Rule
from stored_damage import mutated, store_with_log


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return files.unpack_study(tmp_path_factory.mktemp("store"))


def read(path):
    """Open a store and use it."""
    study = pr.results.Study.open(path)
    study.rows()
    study.fit_times()
    return study


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_damaged_log_is_named_and_can_be_removed(store, tmp_path):
    path = store_with_log(store, tmp_path)
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
        "DROP TABLE polyroc_study.codes CASCADE",
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


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TABLE polyroc_study.versions CASCADE; CREATE VIEW polyroc_study.versions AS "
        "SELECT now() AS started, 'secret' AS package, content AS version FROM read_text('{}')",
        "CREATE MACRO max(x) AS (SELECT content FROM read_text('{}'))",
        "DROP TABLE polyroc_study.learners CASCADE; CREATE VIEW polyroc_study.learners AS "
        "SELECT 0 AS learner, content AS name FROM read_text('{}')",
    ],
    ids=["view", "function", "another view"],
)
@pytest.mark.filterwarnings("ignore")
def test_a_store_cannot_read_other_files(store, tmp_path, statement):
    import duckdb

    (tmp_path / "secret.txt").write_text("secret")
    path = tmp_path / "study.duckdb"
    shutil.copy(store, path)
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement.replace("{}", str(tmp_path / "secret.txt")))
    with pytest.raises(InputError, match=r'is damaged .*Cannot access file ".*secret.txt"'):
        read(path)
    with pytest.raises(InputError, match=r'is damaged .*Cannot access file ".*secret.txt"'):
        studies.run_study(path)


@pytest.mark.filterwarnings("ignore")
def test_opening_a_study_calls_nothing_that_its_plan_names(store, tmp_path):
    import duckdb

    path, folder = tmp_path / "study.duckdb", tmp_path / "made"
    shutil.copy(store, path)
    with duckdb.connect(str(path)) as connection:
        (text,) = connection.execute("SELECT plan FROM polyroc_study.plan").fetchone()
        plan = json.loads(text)
        plan["data"][0] = {
            "name": plan["data"][0]["name"],
            "call": "os:mkdir",
            "parameters": {"path": str(folder)},
        }
        for learner in plan["learners"]:
            learner |= {"class": "os:mkdir", "parameters": {"path": str(folder)}}
        connection.execute("UPDATE polyroc_study.plan SET plan = ?", [json.dumps(plan)])
    study = read(path)
    assert "os:mkdir" in study.plan.to_toml()
    str(study)
    assert not folder.exists()


def test_running_a_plan_calls_what_it_names(tmp_path):
    folder = tmp_path / "made"
    plan = json.loads(json.dumps(studies.PLAN))
    plan["data"] = [{"name": "harmless", "call": "os:mkdir", "parameters": {"path": str(folder)}}]
    with pytest.raises(PolyrocError):
        pr.study(pr.Plan.from_dict(plan), out=tmp_path / "study.duckdb")
    assert folder.exists()


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
