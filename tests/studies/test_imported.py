"""Predictions made elsewhere: as studies with folds of their own, and as learners on the folds of a plan."""

import re

import numpy as np
import pandas as pd
import pytest

import polyroc as pr
from command import polyroc
from polyroc.errors import InputError
from study_plans import plan

COLUMNS = {"truth": "truth", "scores": "p_*", "classifier": "learner", "case": "case", "folds": "fold"}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A study with repeats, and its predictions as another program would write them."""
    folder = tmp_path_factory.mktemp("run")
    study = pr.study(
        plan("Prior", "Worldly", splitting={"folds": 4, "repeats": 3}, measures=["auc", "accuracy"]),
        out=folder / "s.duckdb",
    )
    long = pd.DataFrame(study.predictions())
    keys = ["learner", "repeat", "fold", "case", "truth"]
    wide = long.pivot(index=keys, columns="class", values="probability").add_prefix("p_").reset_index()
    wide.sample(frac=1, random_state=0).to_csv(folder / "predictions.csv", index=False)
    return study, folder


@pytest.mark.slow
def test_an_imported_study_is_the_one_that_was_run(run, tmp_path):
    study, folder = run
    options = {**COLUMNS, "repeats": "repeat", "measures": ["auc", "accuracy"], "pos_label": 1}
    again = pr.studies.import_predictions(folder / "predictions.csv", out=tmp_path / "s.duckdb", **options)
    assert (again.data_sets, again.learners, again.left) == (("predictions",), ("Prior", "Worldly"), 0)
    for key in ("auc", "accuracy"):
        np.testing.assert_allclose(again.values(key).values, study.values(key).values, atol=1e-12)
    assert again.plan.splitting == study.plan.splitting
    one, two = again.fold_test("auc"), study.fold_test("auc")
    assert one.pvalue == pytest.approx(two.pvalue, rel=1e-9)
    assert again.corrected_t("auc").rows()[0]["pvalue"] == pytest.approx(
        study.corrected_t("auc").rows()[0]["pvalue"]
    )
    texts = (str(pr.report(one, path=None).conclusion) for one in (again, study))
    assert next(texts).replace("predictions", "blobs") == next(texts).replace("predictions", "blobs")
    assert pr.results.Study.open(tmp_path / "s.duckdb").plan == again.plan
    with pytest.raises(InputError, match=r"exists; predictions are imported into a new file"):
        pr.studies.import_predictions(folder / "predictions.csv", out=tmp_path / "s.duckdb", **options)
    with pytest.raises(InputError, match=r"its predictions were imported from .*predictions.csv"):
        pr.study(again.plan, out=tmp_path / "t.duckdb")


@pytest.mark.slow
def test_the_command_imports(run, tmp_path):
    _, folder = run
    line = (
        "--truth truth --scores p_* --classifier learner --case case --folds fold --repeats repeat --pos-label 1"
    )
    done = polyroc(
        "study", "import", folder / "predictions.csv", *line.split(), "-o", tmp_path / "s.duckdb", "-m", "auc"
    )
    assert done.returncode == 0
    assert "predictions  Prior" in done.stdout
    assert polyroc("study", "test", tmp_path / "s.duckdb", "corrected-t").returncode == 0
    assert "Rows of" not in done.stderr


def test_scores_of_one_column_and_single_test_sets(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    values = {"net": rng.normal(size=40) + y, "tree": rng.random(40)}
    scores = pr.Scores(y, values, folds=np.arange(40) // 10, groups=np.arange(40) // 2)
    study = pr.studies.import_predictions({"d": scores}, out=tmp_path / "a.duckdb", measures=["auc"])
    stored = study.scores()
    assert (stored.kind, stored.positive) == ("score", 1)
    np.testing.assert_array_equal(stored.values["net"], values["net"])
    np.testing.assert_array_equal(stored.groups, np.arange(40) // 2)
    assert study.fold_test("auc").pvalue == pytest.approx(pr.compare(scores, measure="auc").pvalue)
    weighted = pr.Scores(y, values, sample_weight=np.ones(40))
    with pytest.raises(InputError, match="have weights, which a study does not keep"):
        pr.studies.import_predictions(weighted, out=tmp_path / "b.duckdb", measures=["auc"])
    single = pr.Scores(y, values, pos_label=0)
    study = pr.studies.import_predictions(single, out=tmp_path / "c.duckdb", measures=["auc"])
    assert study.recommend().test == "fold_test"
    assert study.fold_test("auc").pvalue == pytest.approx(pr.compare(single, measure="auc").pvalue)
    assert study.values("auc").values[0].tolist() == [
        pr.evaluate(single, measure="auc")[name, "auc"].value for name in values
    ]


def test_data_sets_of_an_import_must_agree(tmp_path):
    y = np.arange(20) % 2
    a = pr.Scores(y, {"x": np.arange(20.0)}, folds=np.arange(20) // 10)
    others = {
        "need the same classifiers": pr.Scores(y, {"z": np.arange(20.0)}, folds=np.arange(20) // 10),
        "need the same numbers of folds": pr.Scores(y, {"x": np.arange(20.0)}, folds=np.arange(20) // 5),
    }
    for message, b in others.items():
        with pytest.raises(InputError, match=message):
            pr.studies.import_predictions({"a": a, "b": b}, out=tmp_path / "s.duckdb", measures=["auc"])
    with pytest.raises(InputError, match="is an empty dict"):
        pr.studies.import_predictions({}, out=tmp_path / "s.duckdb")
    with pytest.raises(InputError, match="with truth=COLUMN"):
        pr.studies.import_predictions("x.csv", out=tmp_path / "s.duckdb")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def folds(tmp_path):
    """A plan with a learner and a file of predictions, and the table that belongs into the file."""
    splitting = {"folds": 4, "repeats": 2}
    alone = plan("Prior", splitting=splitting)
    table = pd.DataFrame(pr.studies.case_folds(alone))
    table["p_1"] = np.random.default_rng(0).random(len(table))
    table["p_0"] = 1 - table["p_1"]
    network = {"name": "network", "predictions": str(tmp_path / "net_{data}.csv")}
    return plan("Prior", network, splitting=splitting, measures=["auc"]), table, tmp_path / "net_blobs.csv"


@pytest.mark.slow
def test_a_file_is_a_learner_on_the_folds_of_the_plan(folds, tmp_path):
    options, table, file = folds
    table.sample(frac=1, random_state=1).to_csv(file, index=False)
    study = pr.study(options, out=tmp_path / "s.duckdb")
    scores = study.scores(repeat="all")
    np.testing.assert_allclose(scores.values["network"][:, 1], table["p_1"], rtol=1e-12)
    assert study.left == 0
    table.assign(p_1=table["p_0"], p_0=table["p_1"]).to_csv(file, index=False)
    with pytest.raises(InputError, match=r"'network' \(8 fits\): its file"):
        pr.study(options, out=tmp_path / "s.duckdb")
    turned = pr.study(options, out=tmp_path / "s.duckdb", changed="refit").scores(repeat="all")
    np.testing.assert_allclose(turned.values["network"][:, 0], table["p_1"], rtol=1e-12)


BAD_FILES = {
    "fold": (lambda t: t.assign(fold=(t["fold"] + 1) % 4), "must have each of its 15 test cases once, but case"),
    "missing": (lambda t: t.iloc[1:], "must have each of its 15 test cases once"),
    "twice": (lambda t: pd.concat([t, t.iloc[:1]]), "must have each of its 15 test cases once"),
    "columns": (lambda t: t.drop(columns="repeat"), "there is no column 'repeat'"),
    "classes": (lambda t: t.drop(columns="p_0"), "there is no column 'p_0' for class 0"),
    "truth": (lambda t: t.assign(truth=1 - t["truth"]), "case 5 has class '0', in the data '1'; are cases"),
    "sum": (lambda t: t.assign(p_0=0.9, p_1=0.9), "Expected probabilities that add up to 1"),
    "text": (lambda t: t.assign(p_0="x"), "column 'p_0' must be numbers; row 1 is not"),
}


@pytest.mark.parametrize("wrong", BAD_FILES)
def test_a_file_of_other_folds_is_an_error(folds, tmp_path, wrong):
    options, table, file = folds
    change, message = BAD_FILES[wrong]
    change(table).to_csv(file, index=False)
    with pytest.raises(
        InputError, match=rf"predictions of 'blobs' in '.*net_blobs.csv': .*{re.escape(message)[:40]}"
    ):
        pr.study(options, out=tmp_path / "s.duckdb")


def test_no_file_is_reported_before_anything_is_fitted(folds, tmp_path):
    with pytest.raises(
        InputError, match=r"learners\[1\]: the predictions of 'network' cannot be read from .*net_blo"
    ):
        pr.study(folds[0], out=tmp_path / "s.duckdb")
    assert list(tmp_path.iterdir()) == []


def test_the_folds_of_a_plan(tmp_path):
    options = plan("Prior", data=[{"name": "iris"}, {"name": "wdbc"}])
    (tmp_path / "plan.toml").write_text(options.to_toml())
    done = polyroc("study", "folds", tmp_path / "plan.toml", "--data", "iris", "--csv")
    assert done.stdout.splitlines()[0] == "case,repeat,fold,truth"
    assert len(done.stdout.splitlines()) == 151
    assert "name one of iris, wdbc" in polyroc("study", "folds", tmp_path / "plan.toml").stderr
    with pytest.raises(InputError, match="did you mean 'iris'"):
        pr.studies.case_folds(options, "iri")


@pytest.mark.slow
def test_repeats_and_folds_of_a_store_are_not_pooled_by_accident(run, tmp_path):
    study, _ = run
    columns = {key: value for key, value in COLUMNS.items() if key != "folds"}
    for options in ({}, {"folds": "fold"}):
        with pytest.raises(
            InputError, match="with 3 repeats, so every case would count several times; use folds='fold'"
        ):
            pr.read(study.path, **columns, **options)
    scores = pr.read(study.path, **COLUMNS, repeats="repeat")
    assert repr(scores) == repr(study.scores(repeat="all"))
    read, kept = (pr.evaluate(one, measure="auc", pos_label=None) for one in (scores, study.scores(repeat="all")))
    assert read["Prior", "auc"].standard_error == pytest.approx(kept["Prior", "auc"].standard_error, rel=1e-9)
    with pytest.raises(InputError, match="every case would count several times"):
        pr.evaluate(str(study.path), truth="truth", scores="p_*", measure="auc", engine="duckdb")
    once = pr.study(plan("Prior"), out=tmp_path / "once.duckdb").path
    with pytest.raises(InputError, match="with 4 folds, so scores of different models would be compared"):
        pr.read(once, **columns)
    line = ["--truth", "truth", "--scores", "p_*", "--classifier", "learner", "--case", "case", "-m", "accuracy"]
    refused = polyroc("evaluate", once, *line)
    assert (refused.returncode, "use --folds fold" in refused.stderr) == (2, True)
    assert polyroc("evaluate", once, *line, "--folds", "fold", "--pooled").returncode == 0
