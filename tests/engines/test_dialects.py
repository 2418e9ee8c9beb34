"""Dialects of CSV files and odd files: the engine and the reader into memory agree, or both raise an error."""

import gzip

import pytest

import polyroc as pr
from csv_dialects import CLASSES, DIALECTS, agree, lines, outcome, rows


def test_there_are_many_dialects():
    assert len(DIALECTS) >= 180


@pytest.mark.slow
@pytest.mark.parametrize("name", DIALECTS)
def test_engine_and_memory_agree(name, tmp_path):
    content = DIALECTS[name]
    path = tmp_path / "cases.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    first = str(name).removeprefix("classes: ")
    label = CLASSES[first][1].strip('"') if first in CLASSES else "b"  # two classes need a positive one
    both = [outcome(path, engine, pos_label=label) for engine in ("memory", "duckdb")]
    assert agree(*both), both
    if isinstance(both[0], Exception):
        dropped = [outcome(path, engine, missing="drop", pos_label=label) for engine in ("memory", "duckdb")]
        assert agree(*dropped), dropped


@pytest.mark.parametrize("suffix", [".tsv", ".csv.gz", ".TSV.GZ"])
def test_endings(suffix, tmp_path):
    content = lines(rows(), "\t" if "tsv" in suffix.lower() else ",").encode()
    path = tmp_path / f"cases{suffix}"
    path.write_bytes(gzip.compress(content) if suffix.lower().endswith("gz") else content)
    memory, engine = (outcome(path, engine, pos_label="b") for engine in ("memory", "duckdb"))
    assert isinstance(memory, float)
    assert agree(memory, engine)


def test_files_of_several_dialects_are_one_table(tmp_path):
    both = rows(n=80)
    (tmp_path / "0.csv").write_text(lines(both[:40]))
    reordered = [[score, "x", label] for label, score in both[40:]]
    (tmp_path / "1.csv").write_bytes(
        b"\r\n" + lines(reordered, ";", "\r\n", header=("score", "note", "truth")).encode()
    )
    (tmp_path / "all.txt").write_text("")
    whole = tmp_path.parent / f"{tmp_path.name}.csv"
    whole.write_text(lines(both))
    assert agree(outcome(whole, "memory", pos_label="b"), outcome(tmp_path, "duckdb", pos_label="b"))


def test_rows_that_begin_with_a_number_sign_are_cases(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text(lines(rows(("#1", "2"), n=200)))
    result = pr.evaluate(path, engine="duckdb", truth="truth", scores="score", measure="auc", pos_label="2")
    assert result.certificate.rows == 200


def test_partitions_of_text_files_are_text(tmp_path):
    for day in ("01", "1"):
        (tmp_path / f"day={day}").mkdir()
        (tmp_path / f"day={day}" / "x.csv").write_text(lines(rows(seed=int(day == "1"))))
    groups = pr.evaluate(tmp_path, truth="truth", scores="score", measure="auc", by="day", pos_label="b")
    assert list(groups) == [("01",), ("1",)]


def test_message_of_a_row_that_is_not_regular(tmp_path):
    path = tmp_path / "cases.csv"
    path.write_text(lines(rows()) + "a,0.5,1\n")
    message = str(outcome(path, "duckdb"))
    assert "line 42 of '" in message
    assert "is not regular CSV: 'a,0.5,1'" in message
