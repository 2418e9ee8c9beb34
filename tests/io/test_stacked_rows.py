"""Rows of several classifiers, folds or repeats, evaluated as different cases: the warning and the remedy."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris

import polyroc as pr
from command import polyroc
from polyroc.datasets.catalogue import path as path_of
from polyroc.errors import InputError, StackedRowsWarning
from polyroc.io.stacked_rows import Repetition, name_note
from polyroc.reports.paragraph import methods_paragraph

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
        with pytest.warns(StackedRowsWarning, match=r"use read\(classifier='model', case='id'\); if they"):
            scores = pr.read(source, **COLUMNS)
        assert len(scores) == 3 * N
        with pytest.warns(
            StackedRowsWarning, match="column 'id' has 3 rows|column 'model' are evaluated together"
        ):
            pr.evaluate(source, **COLUMNS, measure="auc", engine="duckdb")
    with pytest.warns(StackedRowsWarning, match="one for each value of column 'model'"):
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
        assert "polyroc: note: Each value of column 'id' has 3 rows of one class" in done.stderr
        assert "use --classifier model --case id; if they are dependent" in done.stderr
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


def test_one_note_for_all_columns():
    note = name_note(["fold", "id", "model"], lambda _: Repetition(100, 5, True))
    assert "classifier='model', case='id'" in note


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
        pr.errors.InputError, match=r"case is only valid for files and tables.*truth=... and scores=..."
    ):
        pr.evaluate(THREE, case="id", measure="auc")


# By structure, whatever the names


def stacked(cases, classes, by, seed=0):
    """A frame with a row for each case and each combination of the columns `by`."""
    rng = np.random.default_rng(seed)
    truth = np.arange(cases) % classes
    name = rng.permutation(cases) + 1000
    frame = pd.DataFrame({"nr": name, "y": truth})
    for column, values in by.items():
        frame = pd.concat([frame.assign(**{column: value}) for value in values])
    return frame.assign(s=rng.normal(size=len(frame)) + frame.y).sample(
        frac=1, random_state=seed, ignore_index=True
    )


STRUCTURES = [
    (stacked(96, 12, {"net": "abcdefgh"}), {"labels": range(12)}, "read(classifier='net', case='nr')"),
    (stacked(100, 2, {"doctor": "AB", "modality": ["CT", "MR"]}), {}, "reader='doctor', modality='modality'"),
    (stacked(100, 2, {"MODALITY": ["CT", "MR"], "doctor": "ABC"}), {}, "reader='doctor', modality='MODALITY'"),
    (stacked(50, 2, {"for_class": [0, 1]}), {}, "read(class_='for_class', case='nr')"),
    (stacked(40, 2, {"again": range(3)}).drop(columns="again"), {}, "read(classifier=..., case='nr')"),
]


@pytest.mark.parametrize(("frame", "options", "remedy"), STRUCTURES)
def test_repeated_identifiers_are_recognised_by_structure(frame, options, remedy, tmp_path):
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for source in (frame, tmp_path / "rows.csv"):
        with pytest.warns(StackedRowsWarning) as caught:
            scores = pr.read(source, **COLUMNS, **options)
        assert remedy in scores.notes[0]
        assert "groups='nr'" in scores.notes[0]
        assert [str(one.message) for one in caught] == [*scores.notes]


def test_files_by_the_engine_are_searched_too(tmp_path):
    frame = stacked(10_000, 2, {"net": "abc"})
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.warns(StackedRowsWarning, match="has 3 rows of one class, one for each value of column 'net'"):
        estimate = pr.evaluate(tmp_path / "rows.parquet", **COLUMNS, measure="auc", engine="duckdb")
    assert "case='nr'" in estimate.provenance.notes[0]


RNG_OF_COLUMNS = np.random.default_rng(11)
M = 600
TRUTH = np.arange(M) % 3
ORDINARY = {
    "age": RNG_OF_COLUMNS.integers(20, 90, M),
    "whole numbers, two rows each on average": RNG_OF_COLUMNS.integers(0, M // 2, M),
    "rare numbers": RNG_OF_COLUMNS.integers(0, 5 * M, M),
    "centre": np.repeat(np.arange(20), M // 20),
    "ten folds": np.arange(M) // 3 % 10,
    "leave some out": np.arange(M) // 5,
    "matched sets, one of each class": np.arange(M) // 3,
    "score with ties": np.round(TRUTH + RNG_OF_COLUMNS.normal(size=M), 1),
    "score that separates": TRUTH * 100 + RNG_OF_COLUMNS.integers(0, 60, M),
    "finer diagnosis": TRUTH * 4 + np.arange(M) // 3 % 4,
    "date": np.repeat(np.arange(M // 8 + 1), 8)[:M],
    "missing names": np.where(np.arange(M) < 30, np.nan, np.arange(M) // 2),
}


@pytest.mark.parametrize("column", ORDINARY)
def test_ordinary_columns_are_no_identity(column, recwarn):
    frame = pd.DataFrame({"y": TRUTH, "s": RNG_OF_COLUMNS.normal(size=M), "x": ORDINARY[column]})
    pr.read(frame, **COLUMNS, labels=[0, 1, 2])
    assert not recwarn.list


@pytest.mark.slow
def test_random_columns_of_whole_numbers_are_no_identity(recwarn):
    """Also with few rows, and nearly all of one class, where values have one class by accident."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(20, 200))
        truth = np.arange(n) < 2
        columns = {f"x{k}": rng.integers(0, max(2, int(n / k)), n) for k in (1, 2, 3, 5)}
        designed = {"pairs": np.arange(n) // 2, "halves": np.arange(n) % (n // 2)}
        pr.read(pd.DataFrame({"y": rng.permutation(truth), "s": rng.normal(size=n), **columns}), **COLUMNS)
        pr.read(
            pd.DataFrame({"y": np.arange(n) % 2 == 0, "s": rng.normal(size=n), "pairs": designed["pairs"]}),
            **COLUMNS,
        )
    assert not recwarn.list


def test_iris_features_are_no_identity(recwarn):
    features, species = load_iris(return_X_y=True)
    frame = pd.DataFrame(features).add_prefix("x").assign(y=species, s=RNG.normal(size=150))
    pr.read(frame, **COLUMNS, labels=[0, 1, 2])
    assert not recwarn.list


@pytest.mark.parametrize("option", ["groups", "case", "by"])
def test_an_identity_that_an_option_names_is_answered(option, recwarn):
    frame = stacked(60, 2, {"net": "ab"})
    roles = {"classifier": "net", "case": "nr"} if option == "case" else {option: "nr"}
    assert not pr.read(frame, **COLUMNS, **roles).notes
    assert not recwarn.list


def test_every_output_has_the_notes(tmp_path):
    frame = stacked(60, 2, {"net": "ab"})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    with pytest.warns(StackedRowsWarning):
        scores = pr.read(tmp_path / "rows.csv", **COLUMNS)
    (note,) = scores.notes
    for result in (
        pr.evaluate(scores, measure="auc"),
        pr.evaluate(scores),
        pr.curve(scores),
        pr.rates(scores, threshold=0.5),
    ):
        assert note in str(result)
        assert note in result.to_json()
        assert "are evaluated as independent cases" in result._repr_html_()
    page = pr.report(scores, path=None)
    assert note in page.findings.stated_notes
    assert "they are evaluated as independent cases" in page.to_html()
    assert note in json.loads(page.to_json())["notes"]
    assert "they are evaluated as independent cases" in page.to_markdown()
    stored = pr.report(pr.evaluate(scores), path=None)
    assert "they are evaluated as independent cases" in stored.to_html()


def test_every_output_of_an_engine_has_the_notes(tmp_path):
    frame = stacked(60, 2, {"net": "ab"}).assign(t=np.random.default_rng(3).normal(size=120))
    path = tmp_path / "rows.parquet"
    frame.assign(s=frame.s.where(frame.index != 3)).to_parquet(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pr.errors.PolyrocWarning)
        scan = pr.scan(path, **COLUMNS | {"scores": {"s": ["s"], "t": ["t"]}}, missing="drop")
        results = [
            pr.evaluate(scan, measure="auc"),
            pr.evaluate(scan),
            pr.compare(scan, measure="auc"),
            pr.curve(scan),
            pr.rates(scan, threshold=0.5, only="s"),
            pr.operate(scan, only="s"),
        ]
        page = pr.report(scan, path=None)
    for result in results:
        for words in ("are evaluated as independent cases", "ropped"):
            assert words in str(result)
            assert words in result.to_json()
            assert words in result._repr_html_()
    for text in (page.to_html(), page.to_json(), page.to_markdown()):
        assert "are evaluated as independent cases" in text
        assert "Dropped 1 of 120 rows" in text


def test_dropped_rows_are_printed():
    frame = ONE.assign(s=ONE.s.where(ONE.index != 3))
    with pytest.warns(pr.errors.DroppedRowsWarning):
        estimate = pr.evaluate(frame, **COLUMNS, measure="auc", missing="drop")
    assert "Dropped 1 row with missing values." in str(estimate)


# Which rows of several classifiers are the same case

SHUFFLED = pd.concat(
    [part.sample(frac=1, random_state=k).sort_values("y") for k, (_, part) in enumerate(THREE.groupby("model"))]
)
BY_ROWS = {**COLUMNS, "classifier": "model"}


def test_rows_in_another_order_are_not_paired_by_position():
    with pytest.raises(InputError, match="Column 'id' seems to name the case; use case='id'"):
        pr.compare(SHUFFLED, **BY_ROWS, measure="auc")
    for frame in (SHUFFLED.drop(columns="id"), THREE.drop(columns="id")):
        with pytest.raises(InputError, match=r"is not known. Add a column that names it, and use case=\.\.\."):
            pr.compare(frame, **BY_ROWS, measure="auc")
    paired = pr.compare(SHUFFLED, **BY_ROWS, case="id", measure="auc")
    assert paired.pvalue == pytest.approx(pr.compare(THREE, **BY_ROWS, case="id", measure="auc").pvalue)


def test_rows_in_the_same_order_are_paired_if_other_columns_show_it():
    scores = pr.read(THREE, **BY_ROWS)
    assert scores.pairing == "the order of the rows, in which column 'id' agrees"
    several = THREE.assign(age=np.tile(np.arange(N) // 10, 3), room=np.tile(np.arange(N) % 10, 3)).drop(
        columns="id"
    )
    assert "columns 'age', 'room' agree" in pr.read(several, **BY_ROWS).pairing
    assert (
        "columns 'age', 'room' agree" in pr.read(several.assign(row=np.tile(np.arange(N), 3)), **BY_ROWS).pairing
    )
    # of each row, so that it says nothing
    assert pr.read(THREE.assign(seconds=np.arange(len(THREE)) / 7), **BY_ROWS).pairing == scores.pairing
    with pytest.raises(InputError, match="column 'age' has the same values for all of them, in another order"):
        pr.read(several.assign(age=np.r_[np.tile(np.arange(N) // 10, 2), np.arange(N)[::-1] // 10]), **BY_ROWS)
    with pytest.raises(InputError, match="is not known"):
        pr.read(several.drop(columns="room"), **BY_ROWS)


def test_numbers_of_rows_are_no_evidence():
    """They may have been given after the rows were sorted; named as the case, they are what the user says."""
    numbered = SHUFFLED.drop(columns="id").assign(row=np.tile(np.arange(1, N + 1), 3))
    with pytest.raises(InputError, match="Column 'row' seems to name the case; use case='row'"):
        pr.read(numbered, **BY_ROWS)
    assert pr.read(numbered, **BY_ROWS, case="row").pairing == "column 'row'"
    with pytest.raises(InputError, match="use case='case'"):
        pr.read(path_of("iris_predictions"), truth="species", scores="p_*", classifier="classifier")


def test_one_classifier_in_a_column_needs_no_identity():
    assert pr.read(ONE.assign(model="lr").drop(columns="id"), **BY_ROWS).pairing is None


def test_every_output_says_what_identifies_the_cases(path):
    by_case = pr.read(path, **BY_ROWS, case="id")
    text = "aired by case, identified by column 'id'"
    comparison = pr.compare(by_case, measure="auc")
    page = pr.report(by_case, path=None)
    assert text in str(comparison)
    assert "aired by case, identified by column" in page.to_html()
    assert text in " ".join(page.methods)
    assert text in methods_paragraph(page.findings, 0.95)
    assert json.loads(comparison.to_json())["estimates"]["lr"]["provenance"]["pairing"] == "column 'id'"
    done = polyroc(
        "compare", path, "--truth", "y", "--scores", "s", "--classifier", "model", "--case", "id", "-m", "auc"
    )
    assert text in done.stdout


def test_different_cases_are_not_called_paired():
    unpaired = pr.compare({"a": (Y, ONE.s), "b": (Y, ONE.s + RNG.normal(size=N))}, measure="auc")
    page = pr.report(unpaired, path=None)
    assert "unpaired: different cases" in " ".join(page.methods)
    assert "paired by case" not in page.to_html()
