"""The order of an ordered categorical in a Parquet or Arrow file: honoured, or an error that asks for labels."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import polyroc as pr
from command import polyroc
from polyroc.errors import InputError

ORDER = ["none", "low", "mid", "high"]
GRADES = ["mid"] * 5 + ["high"] * 5 + ["low"] * 5
SCORE = np.array([5, 6, 4, 7, 5, 9, 8, 7, 9, 8, 1, 2, 3, 4, 2.0])


def frame(order=ORDER, ordered=True):
    return pd.DataFrame({"y": pd.Categorical(GRADES, categories=order, ordered=ordered), "s": SCORE})


def by_pandas(path):
    frame().to_parquet(path, row_group_size=4)


def by_polars(path):
    pl.DataFrame({"y": pl.Series(GRADES, dtype=pl.Enum(ORDER)), "s": SCORE}).write_parquet(path)


def by_pyarrow(path):
    codes = pa.array([ORDER.index(grade) for grade in GRADES], pa.int8())
    table = pa.table({"y": pa.DictionaryArray.from_arrays(codes, ORDER, ordered=True), "s": SCORE})
    parquet.write_table(table, path)


def as_feather(path):
    frame().to_feather(path)


@pytest.mark.slow
@pytest.mark.parametrize("write", [by_pandas, by_polars, by_pyarrow, as_feather])
def test_the_order_is_that_of_the_frame(write, tmp_path):
    path = tmp_path / ("grades.feather" if write is as_feather else "grades.parquet")
    write(path)
    assert pr.read(path, truth="y", scores="s").labels == ("low", "mid", "high")
    expected = pr.evaluate(frame(), truth="y", scores="s", measure="vus").value
    for engine in (None, "duckdb"):
        assert pr.evaluate(path, truth="y", scores="s", measure="vus", engine=engine).value == expected
    with path.open("rb") as stream:
        assert pr.evaluate(stream, truth="y", scores="s", measure="vus").value == expected
    done = polyroc("evaluate", path, "--truth", "y", "--scores", "s", "-m", "vus", "--json")
    assert f"{expected:.6f}"[:8] in done.stdout


def test_labels_are_stronger_and_unordered_categories_are_sorted(tmp_path):
    path = tmp_path / "grades.parquet"
    by_pandas(path)
    stated = ["high", "mid", "low"]
    assert pr.read(path, truth="y", scores="s", labels=stated).labels == tuple(stated)
    frame(ordered=False).to_parquet(path)
    assert pr.read(path, truth="y", scores="s").labels == ("high", "low", "mid")


def test_files_with_different_orders(tmp_path):
    frame().to_parquet(tmp_path / "a.parquet")
    frame(ORDER[::-1]).to_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"different categories in '.*a.parquet' and '.*b.parquet'; .* labels="):
        pr.evaluate(str(tmp_path / "*.parquet"), truth="y", scores="s", measure="vus", engine="duckdb")


@pytest.mark.parametrize("write", [by_pandas, by_polars])
def test_without_pyarrow(write, tmp_path, monkeypatch):
    path = tmp_path / "grades.parquet"
    write(path)
    monkeypatch.setattr("polyroc.io.stored_categories.find_spec", lambda _: None)
    with pytest.raises(InputError, match="may be an ordered categorical, whose order only pyarrow reads"):
        pr.read(path, truth="y", scores="s")
    assert pr.read(path, truth="y", scores="s", labels=ORDER[1:]).labels == tuple(ORDER[1:])
    frame(ordered=False).to_parquet(path)
    assert pr.read(path, truth="y", scores="s").labels == ("high", "low", "mid")


def test_pyarrow_is_not_imported_where_nothing_is_ordered(tmp_path, monkeypatch):
    path = tmp_path / "plain.parquet"
    frame(ordered=False).to_parquet(path)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert pr.read(path, truth="y", scores="s").labels == ("high", "low", "mid")
