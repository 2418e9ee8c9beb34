"""Studies of what users have: pipelines as objects, factories and files; data frames, CSV, Parquet, functions."""

import pickle
import re
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import polyroc as pr
from polyroc.errors import InputError, OptimismWarning
from polyroc.studies import backends
from polyroc.studies.data import load
from polyroc.studies.splits import duplicates_of, split_data, training_cases
from study_plans import content

HERE = Path(__file__).parent
# scikit-learn 1.7 asks for the interchange protocol of data frames, which polars 2 no longer has.
KNOWS_POLARS = version("scikit-learn") >= "1.8"


def patients(n=80):
    """A frame with text, missing values and two cases per patient; the marker says something."""
    rng = np.random.default_rng(1)
    ill = np.arange(n) % 2
    frame = pd.DataFrame(
        {
            "marker": rng.normal(size=n) + ill,
            "site": rng.choice(["north", "south", "west"], n),
            "ill": np.where(ill == 1, "yes", "no"),
            "patient": np.arange(n) // 2,
        }
    )
    frame.loc[::9, "marker"] = np.nan
    frame.loc[::7, "site"] = np.nan
    return frame


def labelled_patients():
    """The same as features, classes and groups."""
    frame = patients()
    return frame[["marker", "site"]], frame["ill"], frame["patient"]


def by_columns(model):
    """A pipeline whose preprocessing selects columns by name."""
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    words = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore"))
    return make_pipeline(make_column_transformer((numbers, ["marker"]), (words, ["site"])), model)


COLUMNS = {"target": "ill", "positive": "yes", "groups": "patient"}
LOGISTIC = by_columns(LogisticRegression())


@pytest.mark.slow
@pytest.mark.peer("scikit-learn", "a pipeline by column names on a data frame, fold by fold")
def test_a_pipeline_on_a_frame_predicts_as_it_does_alone(tmp_path):
    learners = {"logistic": LOGISTIC, "ridge": by_columns(RidgeClassifier()), "factory": lambda: LOGISTIC}
    plan = pr.Plan.of(learners, patients(), **COLUMNS, folds=4, measures=["auc", "accuracy", "brier"])
    study = pr.study(plan, out=tmp_path / "s.duckdb")
    assert study.failures == ()
    data, scores = load(plan, 0), study.scores()
    X, y = patients()[["marker", "site"]], patients()["ill"].to_numpy()
    for block in split_data(data, plan.splitting, plan.seed):
        train, inside = training_cases(len(data), block.test), scores.folds.codes == block.fold
        alone = {
            name: by_columns(model)
            for name, model in (("logistic", LogisticRegression()), ("ridge", RidgeClassifier()))
        }
        for model in alone.values():
            model.fit(X.iloc[train], y[train])
        P = alone["logistic"].predict_proba(X.iloc[block.test])
        np.testing.assert_allclose(scores.values["logistic"][inside], P, rtol=1e-9)
        np.testing.assert_array_equal(scores.values["factory"][inside], scores.values["logistic"][inside])
        d = alone["ridge"].decision_function(X.iloc[block.test])  # as they are, not mapped into [0, 1]
        np.testing.assert_allclose(scores.values["ridge"][inside], np.column_stack([-d, d]), rtol=1e-9)
        right = alone["ridge"].predict(X.iloc[block.test]) == y[block.test]
        assert study.values("accuracy").values[block.fold, 1] == pytest.approx(right.mean())
    brier = study.values("brier").values
    assert np.isfinite(brier[:, [0, 2]]).all()
    assert np.isnan(brier[:, 1]).all()  # decision values are no probabilities
    assert [len(np.unique(scores.groups[scores.folds.codes == f])) for f in range(4)] == [10] * 4
    assert len(np.unique(scores.groups)) == 40  # patients are kept in the store


@pytest.mark.slow
def test_the_same_data_in_every_form(tmp_path):
    frame = patients()
    frame.to_csv(tmp_path / "p.csv", index=False)
    frame.to_parquet(tmp_path / "p.parquet")
    forms = {
        "pandas": frame,
        "csv": {"file": str(tmp_path / "p.csv"), "frame": True},
        "parquet": {"file": str(tmp_path / "p.parquet"), "frame": True},
        "function": patients,
    }
    values = []
    for form in forms.values():
        plan = pr.Plan.of({"logistic": LOGISTIC}, {"p": form}, **COLUMNS, folds=4, measures=["auc"])
        data = load(plan, 0)
        assert (type(data.X).__module__.split(".")[0], data.features) == ("pandas", ("marker", "site"))
        values.append(pr.study(plan, out=tmp_path / f"{len(values)}.duckdb").values("auc").values)
    for other in values[1:]:
        np.testing.assert_allclose(other, values[0], rtol=1e-9)
    polars = pr.Plan.of({"logistic": LOGISTIC}, {"p": pl.from_pandas(frame)}, **COLUMNS, folds=4)
    assert isinstance(load(polars, 0).X, pl.DataFrame)
    if KNOWS_POLARS:
        assert pr.study(polars, out=tmp_path / "polars.duckdb").failures == ()


@pytest.mark.slow
def test_categories_and_missing_values_reach_the_learner(tmp_path):
    boosting = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=3)
    frames = {"pandas": patients()} | ({"polars": pl.from_pandas(patients())} if KNOWS_POLARS else {})
    for name, frame in frames.items():
        plan = pr.Plan.of(boosting, {name: frame}, **COLUMNS, nominal=["site"], folds=4)
        assert pr.study(plan, out=tmp_path / f"{name}.duckdb").failures == ()
    call = {"name": "c", "call": "test_objects:labelled_patients", "positive": "yes"}
    called = load(replace(pr.Plan.from_dict({"data": [call], "learners": [GaussianNB()]}), folder=HERE), 0)
    assert (called.nominal, called.X.shape, called.group_names[:2]) == ((), (80, 2), ("0", "1"))
    encoded = pr.Plan.of(
        HistGradientBoostingClassifier(max_iter=3), patients(), **COLUMNS, encode="one-hot", folds=4
    )
    assert load(encoded, 0).nominal == (1,)
    assert pr.study(encoded, out=tmp_path / "encoded.duckdb").failures == ()


MODULE = """
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

def scaled(C=1.0):
    return make_pipeline(StandardScaler(), LogisticRegression(C=C))

ready = scaled(0.5)
"""


@pytest.mark.slow
def test_a_plan_names_factories_estimators_and_files(tmp_path):
    (tmp_path / "my_pipelines.py").write_text(MODULE)
    joblib.dump(make_pipeline(StandardScaler(), LogisticRegression(C=0.5)), tmp_path / "stored.joblib")
    (tmp_path / "plan.toml").write_text(
        """
data = ["iris"]
splitting.folds = 3
learners = [
    {name = "function", class = "my_pipelines:scaled", parameters = {C = 0.5}},
    {name = "file", class = "my_pipelines.py:scaled", parameters = {C = 0.5}},
    {name = "object", class = "my_pipelines:ready"},
    {name = "set", class = "my_pipelines:ready", parameters = {logisticregression__C = 0.5}},
    {name = "pickle", class = "stored.joblib"},
    {name = "written", class = "sklearn.pipeline:Pipeline", parameters = {steps = [
        ["columns", {class = "sklearn.compose:ColumnTransformer", parameters = {transformers = [
            ["all", {class = "sklearn.preprocessing:StandardScaler"}, [0, 1, 2, 3]]]}}],
        ["model", {class = "sklearn.linear_model:LogisticRegression", parameters = {C = 0.5}}]]}},
]
"""
    )
    study = pr.study(tmp_path / "plan.toml", out=tmp_path / "s.duckdb")
    assert study.failures == ()
    values = study.values("hand_till").values
    assert (values == values[:, :1]).all()


@pytest.mark.slow
def test_objects_of_a_script_reach_worker_processes(tmp_path):
    class Own(LogisticRegression):
        """Defined here, so that no other process can import it."""

    plan = pr.Plan.of(
        {
            "own": make_pipeline(SimpleImputer(), Own()),
            "factory": lambda: make_pipeline(SimpleImputer(), Own(C=2.0)),
        },
        {"p": patients},
        **COLUMNS,
        features=["marker"],
        folds=2,
    )
    here = pr.study(plan, out=tmp_path / "here.duckdb")
    there = pr.study(plan, out=tmp_path / "there.duckdb", n_jobs=2)
    assert (here.failures, there.failures) == ((), ())
    assert content(tmp_path / "here.duckdb") == content(tmp_path / "there.duckdb")


@pytest.mark.slow
def test_backends_of_joblib_need_no_more_than_pickle(tmp_path, monkeypatch):
    """joblib's multiprocessing sends calls by plain pickle, which has no `lambda`; here without processes."""

    def sent(_, calls, **__):
        for function, arguments, options in map(pickle.loads, map(pickle.dumps, calls)):
            yield function(*arguments, **options)

    monkeypatch.setattr(backends, "results_as_completed", sent)
    monkeypatch.setattr(backends, "run_task", backends.fit)
    complete = patients().fillna({"marker": 0.0})
    plan = pr.Plan.of({"factory": lambda: GaussianNB()}, complete, **COLUMNS, features=["marker"], folds=2)
    with joblib.parallel_config(backend="multiprocessing", n_jobs=2):
        assert pr.study(plan, out=tmp_path / "s.duckdb").failures == ()


@pytest.mark.slow
def test_a_study_of_objects_is_opened_without_them(tmp_path):
    plan = pr.Plan.of(
        [LOGISTIC, GaussianNB(), GaussianNB(var_smoothing=1e-3)], {"p": patients()}, **COLUMNS, folds=4
    )
    assert [learner.name for learner in plan.learners] == ["LogisticRegression", "GaussianNB", "GaussianNB 2"]
    pr.study(plan, out=tmp_path / "s.duckdb")
    stored = pr.results.Study.open(tmp_path / "s.duckdb").plan
    assert stored == plan
    assert stored.learners[2].description == "GaussianNB(var_smoothing=0.001)"
    assert pr.Plan.from_toml(stored.to_toml()) == stored
    pickle.loads(pickle.dumps(plan))
    with pytest.raises(InputError, match=r"data set 'p': its cases were in memory .*; run the study from Python"):
        pr.study(stored, out=tmp_path / "s.duckdb")
    mixed = {**plan.to_dict(), "data": {"p": {"memory": patients(), **COLUMNS}}}
    with pytest.raises(InputError, match=r"'LogisticRegression' was an object in Python \(Pipeline"):
        pr.study(mixed, out=tmp_path / "t.duckdb")


WRONG = [
    ({"learners": object()}, "a learner must be a scikit-learn classifier or pipeline"),
    ({"learners": StandardScaler()}, "has neither predict_proba nor decision_function"),
    ({"learners": lambda: 1 / 0}, "cannot be called: ZeroDivisionError"),
    ({"data": None}, "data must be a data frame, a file"),
    ({"data": pl.from_pandas(patients()).lazy()}, "lazy table"),
    ({"target": None}, "a data frame needs target"),
    ({"target": "il"}, "there is no column 'il'; did you mean 'ill'"),
    ({"data": (np.zeros((3, 1)), [0, 1]), "target": None, "groups": None}, "got shapes"),
    ({"data": np.zeros(3)}, "target names columns of a data frame, but"),
    ({"data": patients().assign(ill=None)}, "the target 'ill' is missing in row 1"),
    ({"data": patients().assign(marker=np.inf)}, "feature 'marker' is infinite in row 1"),
]


@pytest.mark.parametrize(("options", "message"), WRONG, ids=[message[:30] for _, message in WRONG])
def test_bad_objects_are_reported(tmp_path, options, message):
    arguments = {"learners": LOGISTIC, "data": patients(), **COLUMNS, **options}
    with pytest.raises(InputError, match=re.escape(message)):
        pr.study(
            pr.Plan.of(arguments.pop("learners"), arguments.pop("data"), **arguments), out=tmp_path / "s.duckdb"
        )
    assert list(tmp_path.iterdir()) == []


def test_copies_of_cases_in_other_folds_are_reported(tmp_path):
    """On random classes, one nearest neighbour is right about copies: they are counted, and warned of."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 2, 30)
    twice = np.vstack([X, X]), np.concatenate([y, y])
    plan = pr.Plan.from_dict(
        {
            "data": {"copies": {"memory": twice}},
            "learners": [{"class": "sklearn.neighbors:KNeighborsClassifier", "parameters": {"n_neighbors": 1}}],
            "splitting": {"folds": 5},
            "measures": ["accuracy"],
        }
    )
    with pytest.warns(
        OptimismWarning, match=r"of 60 test cases of 'copies' equal a training case in all features"
    ):
        study = pr.study(plan, out=tmp_path / "s.duckdb")
    data = load(plan, 0)
    blocks = split_data(data, plan.splitting, plan.seed)
    fold = np.empty(60, dtype=int)
    for block in blocks:
        fold[block.test] = block.fold
    expected = int((fold[:30] != fold[30:]).sum()) * 2
    duplicates = duplicates_of(data, blocks)
    assert (duplicates.cases, duplicates.total, duplicates.other_class) == (expected, 60, 0)
    assert study.notes == (duplicates.text,)
    assert duplicates.text in pr.report(study, path=None).findings.notes
    kept = pr.Plan.of(LOGISTIC, {"p": (*twice, np.tile(np.arange(30), 2))}, folds=5)
    assert duplicates_of(load(kept, 0), split_data(load(kept, 0), kept.splitting, 0)) is None  # groups keep them


def test_copies_in_frames_and_of_another_class():
    frame = pd.DataFrame({"a": ["x", "x", None, None, "y", "z"], "b": [1.0, 1.0, np.nan, np.nan, 2.0, 2.0]})
    y = [0, 1, 0, 0, 1, 1]
    for form in (frame, pl.from_pandas(frame)):
        plan = pr.Plan.of(LOGISTIC, {"d": (form, y)}, folds=6)
        data = load(plan, 0)
        blocks = split_data(
            data, pr.Plan.from_dict({**plan.to_dict(), "splitting": {"kind": "leave-one-out"}}).splitting, 0
        )
        assert tuple(duplicates_of(data, blocks)) == ("d", 4, 6, 2)


def test_the_example_has_ten_lines():
    """`tests/docs` runs it, as all of docs/studies.md."""
    text = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    code = re.search(r"The ten lines:\n\n```python\n(.*?)```", text, re.DOTALL)[1]
    assert len([line for line in code.splitlines() if line]) == 10
