"""Rows of several classifiers, folds or repeats, evaluated as different cases: the warning and the remedy."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import polyroc as pr
from command import polyroc
from polyroc.errors import StackedRowsWarning
from polyroc.io.stacked_rows import Repetition, warn_of_stacked_rows

N = 50
RNG = np.random.default_rng(5)
Y = np.arange(N) % 2
ONE = pd.DataFrame({"id": [f"case {i}" for i in range(N)], "y": Y, "s": Y + RNG.normal(size=N)})
THREE = pd.concat([ONE.assign(model=name, s=ONE.s + k) for k, name in enumerate(("lr", "rf", "nb"))])
COLUMNS = {"truth": "y", "scores": "s"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "three.csv"
    THREE.to_csv(path, index=False)
    return path


def sources(path, frame):
    frame.to_csv(path, index=False)
    frame.to_parquet(path.with_suffix(".parquet"))
    frame.to_feather(path.with_suffix(".feather")) if frame.index.equals(pd.RangeIndex(len(frame))) else None
    return [path, path.with_suffix(".parquet"), frame, pl.from_pandas(frame), pl.from_pandas(frame).lazy()]


@pytest.mark.slow
def test_classifiers_in_memory_and_by_the_engine(path):
    for source in sources(path, THREE.reset_index(drop=True)):
        with pytest.warns(StackedRowsWarning, match=r"use read\(classifier='model', case='id'\); otherwise keep"):
            scores = pr.read(source, **COLUMNS)
        assert len(scores) == 3 * N
        with pytest.warns(StackedRowsWarning, match="column 'model' are evaluated together"):
            pr.evaluate(source, **COLUMNS, measure="auc", engine="duckdb")
    with pytest.warns(StackedRowsWarning, match="Rows of 3 values of column 'model'"):
        pr.evaluate(path, **COLUMNS, measure="auc")
    with pytest.warns(StackedRowsWarning, match="classifier='model'"):
        pr.read(path.with_suffix(".feather"), **COLUMNS)


def test_what_the_warning_names_is_the_remedy(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = pr.read(path, **COLUMNS, classifier="model", case="id")
        assert (len(scores), scores.classifiers) == (N, ("lr", "rf", "nb"))
        pr.evaluate(path, **COLUMNS, measure="auc", by="model", engine="duckdb")


def test_on_the_command_line(path):
    arguments = ("evaluate", path, "--truth", "y", "--scores", "s", "-m", "auc")
    for engine in ((), ("--engine", "duckdb")):
        done = polyroc(*arguments, *engine)
        assert done.returncode == 0
        assert "polyroc: note: Rows of" in done.stderr
        assert "use --classifier model --case id; otherwise keep the rows of one." in done.stderr
    assert not polyroc(*arguments, "--classifier", "model", "--case", "id").stderr


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        ("fold", np.arange(N) % 5, "cases of different models are compared with each other; use folds='fold'"),
        ("CV-Fold", np.arange(N) % 5, "use folds='CV-Fold'"),
        ("seed", np.arange(N) % 2, "cases count several times; use repeats='seed' with folds"),
        ("split", np.where(Y == 1, "train", "test"), "Keep the rows of the test set"),
        ("patient_id", np.arange(N) // 2, "about 2 rows per value, .* use groups='patient_id'"),
        ("subject", np.minimum(np.arange(N), 30), "about 1.6 rows per value, .* use groups='subject'"),
        ("case", np.tile(np.arange(N // 2), 2), "has 2 rows per value, .*case='case'"),
        ("Unnamed: 0", np.tile(np.arange(N // 2), 2), "has 2 rows per value"),
        ("method", np.tile(["a", "b"], N // 2), r"read\(classifier='method'\)"),
    ],
)
def test_columns_that_say_that_rows_are_stacked(column, values, words):
    frame = ONE[["y", "s"]].assign(**{column: values})
    with pytest.warns(StackedRowsWarning, match=words):
        pr.read(frame, **COLUMNS)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("model", np.full(N, "rf")),  # a file of one classifier
        ("model", np.arange(N) // 1.5),  # hardly a value twice: not the classifiers of this file
        ("id", np.arange(N)),
        ("id", np.minimum(np.arange(N), N - 2)),  # a duplicate, but no system
        ("case", np.sqrt(np.arange(N)).astype(int)),  # values with different numbers of rows
        ("patient", np.minimum(np.arange(N), N - 4)),  # nearly all patients once
        ("fold", np.zeros(N)),
        ("age", np.arange(N) % 5),
        ("modelled_risk", np.arange(N) % 5),
        ("site", np.arange(N) % 5),
        ("model", np.full(N, None)),
    ],
)
def test_columns_that_say_nothing(column, values, recwarn):
    frame = ONE[["y", "s"]].assign(**{column: values})
    pr.read(frame, **COLUMNS)
    assert not recwarn.list


@pytest.mark.parametrize(
    ("column", "options"),
    [
        ("fold", {"folds": "fold"}),
        ("patient", {"groups": "patient"}),
        ("seed", {"folds": "seed"}),  # named for another role
    ],
)
def test_columns_that_an_option_names(column, options, recwarn):
    frame = ONE[["y", "s"]].assign(**{column: np.arange(N) // 10})
    pr.read(frame, **COLUMNS, **options)
    assert not recwarn.list


def test_side_by_side_the_rows_of_a_scanner_model_are_no_classifiers(recwarn):
    frame = ONE.assign(t=ONE.s, model=np.arange(N) % 3)
    pr.read(frame, truth="y", scores={"s": "s", "t": "t"})
    assert not recwarn.list


def test_columns_of_objects_are_not_looked_at(recwarn):
    """A column that was not named must never be the reason of an error."""
    frame = ONE[["y", "s"]].assign(model=[{"a": 1}] * N, fold=[[1, 2]] * N, case=[1, "a"] * (N // 2))
    assert len(pr.read(frame, **COLUMNS)) == N
    assert len(pr.read(pl.DataFrame({"y": Y, "s": ONE.s, "fold": [[1]] * N}), **COLUMNS)) == N
    assert not recwarn.list


def test_one_warning_for_all_columns():
    with pytest.warns(StackedRowsWarning) as caught:
        warn_of_stacked_rows(["fold", "id", "model"], lambda _: Repetition(100, 5, True))
    assert len(caught) == 1
    assert "classifier='model', case='id'" in str(caught[0].message)


@pytest.mark.slow
def test_evaluate_and_compare_take_the_columns_of_stacked_rows(path):
    """As `read` does, of files and data frames; an engine needs one row per case."""
    stacked = {**COLUMNS, "classifier": "model", "case": "id"}
    scores = pr.read(path, **stacked)
    expected = pr.compare(scores, measure="auc").rows()
    for source in (path, THREE, pl.from_pandas(THREE)):
        assert pr.compare(source, **stacked, measure="auc").rows() == expected
        assert pr.evaluate(source, **stacked, measure="auc").rows() == pr.evaluate(scores, measure="auc").rows()
    assert [*pr.curve(THREE, **stacked).curves] == ["lr", "rf", "nb"]
    for lazy in (pl.from_pandas(THREE).lazy(), path):
        with pytest.raises(
            pr.errors.NotApplicableError, match=r"classifier is not available for files .* engine='memory'"
        ):
            pr.evaluate(lazy, **stacked, measure="auc", engine="duckdb")
    long = pl.DataFrame(
        {"id": [1, 1, 2, 2], "y": ["a", "a", "b", "b"], "k": ["a", "b"] * 2, "p": [0.6, 0.4, 0.3, 0.7]}
    )
    assert (
        pr.evaluate(long, truth="y", scores="p", case="id", class_="k", measure="hand_till", method=None).value
        == 1
    )
    with pytest.raises(
        pr.errors.InputError, match=r"case are only valid for files and tables.*truth=... and scores=..."
    ):
        pr.evaluate(THREE, case="id", measure="auc")
