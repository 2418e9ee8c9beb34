"""Running a study: what is kept, what fails, who may write, and that the answer does not depend on how."""

import json
import re
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import duckdb
import joblib
import numpy as np
import pytest

import polyroc as pr
from command import polyroc
from disks import small_files
from polyroc.cli.study_tests import NAMES
from polyroc.errors import InputError, PolyrocWarning, PooledFoldsWarning
from polyroc.studies.data import load
from polyroc.studies.splits import split_data, training_cases
from polyroc.studies.store import Store
from study_plans import BLOBS, content, plan


@pytest.mark.slow
@pytest.mark.peer("scikit-learn", "predictions of a study, fold by fold")
def test_predictions_are_those_of_scikit_learn_fold_by_fold(tmp_path):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    stored_plan = pr.Plan.from_dict(
        {
            "data": ["iris"],
            "learners": [
                {
                    "name": "logit",
                    "class": "sklearn.linear_model.LogisticRegression",
                    "parameters": {"C": 0.5},
                    "steps": ["sklearn.preprocessing:StandardScaler"],
                }
            ],
            "splitting": {"folds": 5, "repeats": 2},
        }
    )
    study = pr.study(stored_plan, out=tmp_path / "s.duckdb")
    data = load(stored_plan, 0)
    predictions = study.predictions()
    assert len(predictions["probability"]) == 2 * 150 * 3
    for place, block in enumerate(split_data(data, stored_plan.splitting, stored_plan.seed)):
        train = training_cases(150, block.test)
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.5)).fit(data.X[train], data.y[train])
        P = model.predict_proba(data.X[block.test])
        here = (predictions["repeat"] == block.repeat) & (predictions["fold"] == block.fold)
        np.testing.assert_allclose(
            predictions["probability"][here].reshape(-1, 3), P, rtol=1e-12
        )  # threads of BLAS
        assert predictions["case"][here][::3].tolist() == block.test.tolist()
        assert predictions["truth"][here][::3].tolist() == data.y[block.test].tolist()
        for key in ("hand_till", "accuracy"):
            value = pr.evaluate(data.y[block.test], P, measure=key, method=None).value
            assert study.values(key).values[place, 0] == pytest.approx(value, abs=1e-12)
    assert study.values().train_size == 120
    assert study.values().test_size == 30


def test_all_learners_have_the_same_folds(tmp_path):
    study = pr.study(plan("Prior", "Worldly", splitting={"folds": 4, "repeats": 3}), out=tmp_path / "s.duckdb")
    predictions = study.predictions()
    one, two = (
        [predictions[key][predictions["learner"] == name].tolist() for key in ("repeat", "fold", "case", "truth")]
        for name in ("Prior", "Worldly")
    )
    assert one == two
    assert study.values().blocks == tuple((r, f) for r in range(3) for f in range(4))


FAILING = {
    "Raises": "RuntimeError: no such luck",
    "SaysNan": "Expected probabilities, got nan or infinity for 15 of 15 cases.",
    "SaysTooLittle": "Expected probabilities of shape (15, 2), got (15, 1).",
    "DoesNotAddUp": "Expected probabilities that add up to 1 for each case, got 0.9.",
    "Hangs": "Time limit: not done after 0.4 s.",
    "Dies": "The process of the fit died (exit code 3).",
}


@pytest.mark.slow
def test_learners_that_fail_are_recorded_and_the_rest_continues(tmp_path):
    names = ["Raises", "SaysNan", "SaysTooLittle", "DoesNotAddUp"]
    study = pr.study(plan("Prior", *names, "Worldly"), out=tmp_path / "here.duckdb")
    assert {(failure.learner, failure.message) for failure in study.failures} == {(n, FAILING[n]) for n in names}
    assert len(study.failures) == 4 * len(names)
    assert study.left == 0
    assert np.isnan(study.values().values[:, 1:5]).all()
    assert np.isfinite(study.values().values[:, [0, 5]]).all()

    hangs = {"name": "Hangs", "class": "study_learners:Hangs", "time_limit": 0.4}
    limited = plan("Prior", hangs, "Dies", "Worldly", time_limit=60)
    with_children = pr.study(limited, out=tmp_path / "apart.duckdb", n_jobs=2)
    assert {(failure.learner, failure.message) for failure in with_children.failures} == {
        (name, FAILING[name]) for name in ("Hangs", "Dies")
    }
    np.testing.assert_array_equal(with_children.values().values[:, [0, 3]], study.values().values[:, [0, 5]])
    with pytest.raises(InputError, match="no fold of 'blobs' in which all of these learners have predictions"):
        with_children.scores()
    assert with_children.scores(learners=["Prior", "Worldly"]).classifiers == ("Prior", "Worldly")
    again = pr.study(limited, out=tmp_path / "apart.duckdb")  # failures are stored: nothing hangs any more
    assert again.failures == with_children.failures


@pytest.mark.slow
def test_what_failed_can_be_tried_again(tmp_path):
    moody = "import study_learners\nclass Moody(study_learners.Prior):\n    pass\n"
    (tmp_path / "moody.py").write_text(moody + "    def fit(self, X, y): raise ValueError('today not')\n")
    options = plan(
        {"class": "moody:Moody"}, "Prior", time_limit=60, folder=tmp_path
    )  # a process of its own imports anew
    store = tmp_path / "s.duckdb"
    assert len(pr.study(options, out=store).failures) == 4
    (tmp_path / "moody.py").write_text(moody)
    del sys.modules["moody"]  # as in a new session
    assert len(pr.study(options, out=store).failures) == 4
    assert pr.study(options, out=store, retry_failed=True).failures == ()


def test_no_row_tested_on_is_seen_by_learner_or_preprocessing(tmp_path):
    """A learner that remembers its rows predicts none of them; each fold is scaled by its own training cases."""
    scaled = {
        "name": "scaled",
        "class": "study_pipelines:FirstColumn",
        "steps": ["sklearn.preprocessing:MinMaxScaler"],
    }
    options = plan("Remembers", scaled)
    study = pr.study(options, out=tmp_path / "s.duckdb")
    assert study.failures == ()
    data, predictions = load(options, 0), study.predictions()
    inside = True
    for block in split_data(data, options.splitting, options.seed):
        here = (
            (predictions["learner"] == "scaled")
            & (predictions["fold"] == block.fold)
            & (predictions["class"] == "1")
        )
        P = predictions["probability"][here]
        train = data.X[training_cases(len(data), block.test), 0]
        x = (data.X[block.test, 0] - train.min()) / np.ptp(train)
        np.testing.assert_allclose(np.log(P / (1 - P)), x, atol=1e-12)  # rounding of the logistic function
        inside &= bool(((x >= 0) & (x <= 1)).all())
    assert not inside  # a scaler fitted on all cases would have kept every one in [0, 1]


def test_a_leak_would_be_caught(tmp_path, monkeypatch):
    """The learner that remembers does fail where rows tested on are among those learned from."""
    from polyroc.studies import fit

    monkeypatch.setattr(fit, "training_cases", lambda cases, _: np.arange(cases))
    study = pr.study(plan("Remembers"), out=tmp_path / "s.duckdb")
    assert {failure.message for failure in study.failures} == {
        "AssertionError: predicts a row that it was fitted on"
    }


@pytest.mark.slow
def test_the_answer_does_not_depend_on_how_it_is_run(tmp_path):
    tree = {
        "name": "forest",
        "class": "sklearn.ensemble:RandomForestClassifier",
        "parameters": {"n_estimators": 5},
    }
    options = plan("Prior", "Worldly", tree)
    pr.study(options, out=tmp_path / "one.duckdb")
    pr.study(options, out=tmp_path / "two.duckdb", n_jobs=2)
    quick = replace(options, learners=options.learners[:2])  # workers that need not import scikit-learn
    with joblib.parallel_config(backend="loky", n_jobs=2):
        theirs = pr.study(quick, out=tmp_path / "loky.duckdb")
    part = replace(options, learners=options.learners[::-1])
    pr.study(part, out=tmp_path / "turned.duckdb")
    first = content(tmp_path / "one.duckdb")
    assert content(tmp_path / "two.duckdb") == first
    turned, one = pr.results.Study.open(tmp_path / "turned.duckdb"), pr.results.Study.open(tmp_path / "one.duckdb")
    for name in ("Prior", "Worldly"):
        np.testing.assert_array_equal(
            *(study.scores(learners=[name], repeat=0).values[name] for study in (theirs, one))
        )
    np.testing.assert_array_equal(turned.values().values[:, ::-1], one.values().values)


def test_random_numbers_of_the_caller_are_left_alone(tmp_path):
    np.random.seed(3)  # noqa: NPY002 - what a caller might have done
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    pr.study(plan("Worldly"), out=tmp_path / "s.duckdb")
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002

    def interrupted(done, total, message):
        if done > 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:  # kept, and with it the frames of the run
        pr.study(plan("Worldly"), out=tmp_path / "t.duckdb", progress=interrupted)
    assert np.random.get_state()[1].tolist() == before, caught  # noqa: NPY002


def test_what_is_stored_is_not_fitted_again(tmp_path):
    log = tmp_path / "log"
    logged = {"name": "p", "class": "study_learners:Prior", "parameters": {"log": str(log)}}
    options = plan(logged)
    pr.study(options, out=tmp_path / "s.duckdb")
    assert len(log.read_text().split()) == 4
    pr.study(replace(options, measures=("ova",), name="another name"), out=tmp_path / "s.duckdb")
    assert len(log.read_text().split()) == 4
    assert pr.results.Study.open(tmp_path / "s.duckdb").measures == ("ova",)


@pytest.mark.slow
def test_a_store_of_another_plan_is_never_touched(tmp_path):
    store = tmp_path / "s.duckdb"
    pr.study(plan("Prior"), out=store)
    before = content(store)
    for other, message in (
        (plan("Prior", seed=5), "seed is 0 there and 5 here"),
        (plan("Prior", "Worldly"), "learners is Prior there and Prior, Worldly here"),
        (plan("Prior", splitting={"folds": 5}), r"splitting.folds is 4 there and 5 here"),
        (plan({"name": "Prior", "class": "study_learners:Worldly"}), r"learners\[0\].class is"),
    ):
        with pytest.raises(InputError, match=f"holds another study: .*{message}.*Nothing was changed"):
            pr.study(other, out=store)
    assert content(store) == before


@pytest.mark.slow
def test_other_data_under_the_same_name_are_reported(tmp_path):
    table = tmp_path / "d.csv"
    table.write_text("y,x\n" + "".join(f"{i % 2},{i}\n" for i in range(20)))
    data = [{"name": "d", "file": "d.csv", "target": "y"}]
    options = plan("Prior", data=data, folder=tmp_path)
    pr.study(options, out=tmp_path / "s.duckdb")
    table.write_text(table.read_text().replace("0,4\n", "0,4.5\n"))
    with pytest.raises(InputError, match="data set 'd' are not those"):
        pr.study(options, out=tmp_path / "s.duckdb")


def test_files_that_are_no_store_are_left_alone(tmp_path):
    text = tmp_path / "s.duckdb"
    text.write_text("my thesis")
    with pytest.raises(InputError, match="not a store"):
        pr.study(plan("Prior"), out=text)
    assert text.read_text() == "my thesis"
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as mine:
        mine.execute("CREATE TABLE mine (x INTEGER)")
    with pytest.raises(InputError, match="without a study"):
        pr.study(plan("Prior"), out=other)
    with pytest.raises(InputError, match="no store"):
        pr.results.Study.open(tmp_path / "none.duckdb")
    left = tmp_path / "gone.duckdb.wal"
    left.write_text("of a run that was killed, whose store was then removed")
    with pytest.raises(InputError, match=r"gone.duckdb.wal' belongs to a store that no longer exists; remove"):
        pr.study(plan("Prior"), out=tmp_path / "gone.duckdb")
    assert left.exists()
    with pytest.raises(InputError, match="there is no folder"):
        pr.study(plan("Prior"), out=tmp_path / "no" / "such" / "s.duckdb")


def test_no_room_for_a_store(small_disk):
    store = small_disk / "s.duckdb"
    with (
        nullcontext() if small_disk.is_mount() else small_files(2**17),
        pytest.raises(InputError, match=r"s.duckdb' cannot be written: .* Nothing was stored; free some space"),
    ):
        pr.study(plan("Prior"), out=store)
    assert not [*small_disk.iterdir()]


@pytest.mark.slow
def test_a_second_process_is_informed_who_has_the_store(tmp_path):
    store = tmp_path / "s.duckdb"
    pr.study(plan("Prior"), out=store)
    hold = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "held\n"
        for attempt in (lambda: pr.study(plan("Prior"), out=store), lambda: pr.results.Study.open(store)):
            with pytest.raises(InputError, match=f"in use by process {other.pid}"):
                attempt()
        other.stdin.close()
    with Store.open(store, write=True), pytest.raises(InputError, match="another study of this process"):
        pr.study(plan("Prior"), out=store)
    assert pr.study(plan("Prior"), out=store).left == 0


@pytest.mark.slow
def test_tables_of_data_with_nominal_columns_are_encoded_inside_the_fold(tmp_path):
    rng = np.random.default_rng(0)
    rows = [
        f"{'sick' if i % 3 else 'well'},{rng.normal():.3f},{'rgb'[i % 3]},{i % 2},g{i // 4}" for i in range(48)
    ]
    rows[0] = rows[0].replace(",r,", ",violet,")  # a value of one case: unknown where it is tested on
    (tmp_path / "d.csv").write_text("\n".join(["state,x,colour,code,patient", *rows]))
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM '{tmp_path}/d.csv') TO '{tmp_path}/d.parquet'")
    seen = {}
    for encode in ("one-hot", "ordinal"):
        data = [
            {
                "name": Path(file).suffix,
                "file": file,
                "target": "state",
                "groups": "patient",
                "nominal": ["code"],
                "encode": encode,
                "positive": "sick",
                "features": ["x", "c*"],
            }
            for file in ("d.csv", "d.parquet")
        ]
        options = replace(
            pr.Plan.from_dict(
                {"data": data, "learners": ["sklearn.naive_bayes:GaussianNB"], "splitting": {"folds": 4}}
            ),
            folder=tmp_path,
        )
        loaded = load(options, 0)
        assert loaded.features == ("x", "colour", "code")
        assert loaded.nominal == (1, 2)
        assert loaded.labels == ("sick", "well")
        study = pr.study(options, out=tmp_path / f"{encode}.duckdb")
        assert study.failures == ()
        one, two = (study.values("auc", name).values for name in (".csv", ".parquet"))
        assert one.shape == two.shape == (4, 1)
        predictions = study.predictions(".csv")
        for fold in range(4):
            cases = predictions["case"][predictions["fold"] == fold]
            assert set(cases // 4).isdisjoint(set(predictions["case"][predictions["fold"] != fold] // 4))
        seen[encode] = predictions["probability"]
    assert not np.array_equal(seen["one-hot"], seen["ordinal"])


def test_scores_of_a_learner_without_probabilities_keep_their_order(tmp_path):
    learner = {"name": "d", "class": "study_learners:Decides", "output": "decision_function"}
    options = plan(learner, measures=["auc"])
    study = pr.study(options, out=tmp_path / "s.duckdb")
    data, scores = load(options, 0), study.scores()
    cases = study.predictions()["case"][::2]
    bare = pr.evaluate(data.codes[cases], 1000 * data.X[cases, 0], measure="auc").value
    assert pr.evaluate(scores.pool_folds(), measure="auc").value == bare  # no ties have come of squeezing
    assert pr.evaluate(scores, measure="auc").value == pytest.approx(study.values("auc").values.mean())


def test_a_class_that_was_not_learned_gets_probability_zero(tmp_path):
    rows = "".join(f"{'abc'[min(i // 10, 2)] if i < 21 else 'a'},{i}\n" for i in range(30))
    (tmp_path / "d.csv").write_text("y,x\n" + rows)  # class c has one case
    options = plan("Prior", data=[{"name": "d", "file": "d.csv", "target": "y"}], folder=tmp_path)
    study = pr.study(options, out=tmp_path / "s.duckdb")
    predictions = study.predictions()
    fold = predictions["fold"][predictions["truth"] == "c"][0]
    assert (predictions["probability"][(predictions["fold"] == fold) & (predictions["class"] == "c")] == 0).all()
    assert np.isnan(study.values("hand_till").values).sum() == 3  # folds without a case of class c
    with pytest.raises(InputError, match="3 of 4 folds lack a class"):
        pr.evaluate(study.scores(), measure="hand_till", method=None)
    with pytest.warns(PooledFoldsWarning, match="scores of the same class differ between folds"):
        assert pr.evaluate(study.scores().pool_folds(), measure="hand_till", method=None).value > 0


def test_measures_are_computed_where_they_fit(tmp_path):
    three = {"name": "three", "call": "study_learners:blobs", "parameters": {"classes": 3}}
    options = plan("Prior", "Worldly", data=[BLOBS, three], measures=["auc", "hand_till"])
    study = pr.study(options, out=tmp_path / "s.duckdb")
    assert [table.data_set for table in study.tables("auc")] == ["blobs"]
    assert [table.data_set for table in study.tables("hand_till")] == ["blobs", "three"]
    np.testing.assert_allclose(
        study.values("auc", "blobs").values, study.values("hand_till", "blobs").values, atol=1e-15
    )
    with pytest.raises(InputError, match="auc is not for the number of classes of data set 'three'"):
        study.values("auc", "three")
    with pytest.raises(InputError, match="name one of blobs, three"):
        study.values("hand_till")
    with pytest.raises(InputError, match="did you mean 'three'"):
        study.values("hand_till", "thre")
    rows = study.rows()
    assert len(rows) == 4 * 2 * 3
    assert rows[0].keys() == {"data_set", "learner", "repeat", "fold", "measure", "value"}
    assert study.values("partial_auc(fpr=(0, 0.5))", "blobs").values.shape == (4, 2)


def test_a_leave_one_out_is_one_block(tmp_path):
    options = plan("Prior", splitting={"kind": "leave-one-out"}, measures=["auc", "accuracy"])
    study = pr.study(options, out=tmp_path / "s.duckdb")
    assert study.values("auc").values.shape == (1, 1)
    with pytest.warns(PooledFoldsWarning, match="leave-one-out"):
        assert study.values("auc").values[0, 0] == pr.evaluate(study.scores(), measure="auc", method=None).value
    assert study.fold_counts() == {"blobs": (30.0, 30.0)}


def test_pooled_scores_take_one_repeat_and_all_hold_outs(tmp_path):
    study = pr.study(plan("Prior", splitting={"folds": 4, "repeats": 3}), out=tmp_path / "a.duckdb")
    scores = study.scores()
    assert len(scores) == 60
    assert np.bincount(scores.folds.codes).tolist() == [15] * 4
    assert not np.array_equal(scores.values["Prior"], study.scores(repeat=1).values["Prior"])
    splitting = {"kind": "hold-out", "repeats": 5, "test_size": 0.1}
    hold_outs = pr.study(plan("Prior", splitting=splitting), out=tmp_path / "b.duckdb").scores()
    assert len(hold_outs) == 30
    assert (hold_outs.folds.repeats, hold_outs.folds.weights.tolist()) == (5, [0.2] * 5)
    assert len(np.unique(hold_outs.units)) < 30  # a case in several test sets is one unit


def test_a_pooled_test_of_hold_outs(tmp_path):
    """One test set: its cases are independent, as in `compare`. Several that overlap: with a warning."""
    one = {"kind": "hold-out", "test_size": 0.5}
    options = plan("Prior", "Worldly", measures=["auc"], splitting=one)
    study = pr.study(options, out=tmp_path / "one.duckdb")
    pooled, plain = study.fold_test(pooled=True), pr.compare(study.scores()._replace(groups=None), measure="auc")
    assert pooled.pvalue == pytest.approx(plain.pvalue, rel=1e-12)
    assert study.fold_test().pvalue == plain.pvalue
    assert study.recommend().test == "fold_test"
    many = pr.study(
        replace(options, splitting=replace(options.splitting, repeats=3)), out=tmp_path / "many.duckdb"
    )
    with pytest.warns(PolyrocWarning, match="Some cases of 'blobs' are in several test sets and are counted as"):
        many.fold_test(pooled=True)
    assert many.recommend().test == "corrected_t"  # test sets at random are no folds


def test_a_study_stored_as_plain_data_gives_the_same_results(tmp_path):
    study = pr.study(plan("Prior", "Worldly", "Raises", measures=["auc", "accuracy"]), out=tmp_path / "s.duckdb")
    back = pr.results.Study.from_dict(json.loads(json.dumps(study.to_dict())))
    np.testing.assert_array_equal(back.values("auc").values, study.values("auc").values)
    assert back.failures == study.failures
    assert back.to_dict() == study.to_dict()
    assert repr(study) == "Study(3 learners on blobs: auc, accuracy, 4 failed)"
    with pytest.raises(InputError, match="has values only"):
        back.predictions()


@pytest.mark.slow
def test_the_tests_of_the_summaries_are_one_line(tmp_path):
    three = {"name": "more", "call": "study_learners:blobs", "parameters": {"n": 90}}
    study = pr.study(
        plan("Prior", "Worldly", "Remembers", data=[BLOBS, three], measures=["auc"]), out=tmp_path / "s.duckdb"
    )
    for name in ("anova", "duncan", "tukey", "corrected_t", "fold_test"):
        result = getattr(study, name)()
        assert set(result) == {"blobs", "more"}
        assert result["more"].to_dict() == getattr(study, name)("auc", "more").to_dict()
    assert study.friedman("auc").to_dict()
    assert study.wilcoxon("auc").to_dict()
    assert study.bayes("auc").to_dict() != study.bayes("auc", "blobs").to_dict()
    assert study.spread()["blobs", "Prior"].wilcoxon_error > 0
    assert "corrected_t" in str(study.recommend())


@pytest.mark.slow
def test_five_repeats_of_two_folds(tmp_path):
    store = tmp_path / "s.duckdb"
    design = {"folds": 2, "repeats": 5}
    study = pr.study(plan("Prior", "Worldly", splitting=design, measures=["auc"]), out=store)
    expected = pr.studies.summaries.five_by_two(study.values("auc", "blobs"), statistic="t")
    assert study.five_by_two(statistic="t").to_dict() == expected.to_dict()
    blocks = [(block.repeat, block.fold) for block in study._blocks[0]]
    assert blocks == [(repeat, fold) for repeat in range(5) for fold in range(2)]  # as the test takes them
    done = polyroc("study", "test", store, "five-by-two", "--statistic", "t", "--json")
    assert json.loads(done.stdout) == json.loads(json.dumps(expected.to_dict()))
    wrong = polyroc("study", "test", store, "duncan", "--statistic", "t")
    assert "--statistic is not valid for duncan; it is for five-by-two." in wrong.stderr
    other = pr.study(plan("Prior", "Worldly", measures=["auc"]), out=tmp_path / "other.duckdb")
    with pytest.raises(InputError, match=r"needs five repeats of two folds, here 4-fold cross-validation"):
        other.five_by_two()


@pytest.mark.slow
def test_read_opens_a_store(tmp_path):
    study = pr.study(plan("Prior", "Worldly"), out=tmp_path / "study.duckdb")
    columns = {"truth": "truth", "scores": "p_*", "classifier": "learner", "case": "id", "folds": "fold"}
    scores = pr.read(tmp_path / "study.duckdb", **columns)
    pooled = study.scores()
    assert scores.labels == pooled.labels == (0, 1)
    np.testing.assert_array_equal(scores.codes, pooled.codes)
    np.testing.assert_array_equal(scores.folds.codes, pooled.folds.codes)
    for name in ("Prior", "Worldly"):
        np.testing.assert_array_equal(scores.values[name], pooled.values[name])
    with pytest.raises(InputError, match="did you mean 'blobs'"):
        pr.read(tmp_path / "study.duckdb", table="blob", **columns)
    (tmp_path / "a.csv").write_text("truth,p\n0,0.1\n1,0.2\n")
    with pytest.raises(InputError, match="not a DuckDB file"):
        pr.read(tmp_path / "a.csv", table="x", truth="truth", scores="p")


def test_odd_names_are_only_names(tmp_path):
    odd = "a'b\"c; DROP TABLE x"
    data = [{**BLOBS, "name": odd}]
    learner = {"name": odd, "class": "study_learners:Prior"}
    study = pr.study(plan(learner, data=data), out=tmp_path / "s.duckdb")
    columns = {"truth": "truth", "scores": "p_*", "classifier": "learner", "case": "id", "folds": "fold"}
    assert pr.read(tmp_path / "s.duckdb", table=odd, **columns).classifiers == (odd,)
    assert study.values(data_set=odd).learners == (odd,)


def test_n_jobs_is_checked(tmp_path):
    with pytest.raises(InputError, match="n_jobs must be"):
        pr.study(plan("Prior"), out=tmp_path / "s.duckdb", n_jobs=0)


@pytest.mark.slow
def test_the_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = plan("Prior", "Raises", measures=["auc", "accuracy"])
    (tmp_path / "plan.toml").write_text(options.to_toml())
    done = polyroc("study", "run", "plan.toml", "--out", "s.duckdb")
    assert done.returncode == 1
    assert "blobs     Prior" in done.stdout
    assert "failed: blobs, Raises, 4 folds: RuntimeError: no such luck" in done.stdout
    assert done.stderr == ""
    again = polyroc("study", "run", "plan.toml", "--out", "s.duckdb", "--csv")
    assert again.stderr == ""
    shown = polyroc("study", "show", "s.duckdb", "--csv")
    assert shown.stdout == again.stdout
    assert len(shown.stdout.splitlines()) == 1 + 4 * 2 * 2
    other = polyroc("study", "show", "s.duckdb", "-m", "ova", "--json")
    assert {table["measure"] for table in json.loads(other.stdout)["tables"]} == {"ova"}
    (tmp_path / "plan.toml").write_text(options.to_toml().replace("folds = 4", "folds = 5"))
    refused = polyroc("study", "run", "plan.toml", "--out", "s.duckdb")
    assert refused.returncode == 2
    assert re.search("holds another study: splitting.folds is 4 there and 5 here", refused.stderr)


@pytest.mark.slow
def test_the_command_of_tests(tmp_path):
    three = {"name": "more", "call": "study_learners:blobs", "parameters": {"n": 90}}
    store = str(tmp_path / "s.duckdb")
    pr.study(plan("Prior", "Worldly", data=[BLOBS, three], measures=["auc"]), out=store)
    for name in NAMES:
        if name == "five-by-two":  # of another design
            assert "needs five repeats of two folds" in polyroc("study", "test", store, name).stderr
            continue
        shown = polyroc("study", "test", store, name).stdout
        assert shown.startswith(f"study: {name} of auc\n"), name
        assert ("To compare learners: " if name == "recommend" else "Assumes: ") in shown, name
    assert (
        json.loads(polyroc("study", "test", store, "duncan", "--data", "more", "--json").stdout)["data_set"]
        == "more"
    )
    assert set(json.loads(polyroc("study", "test", store, "anova", "--json").stdout)) == {"blobs", "more"}
    within = polyroc("study", "test", store, "fold-test", "--data", "more").stdout
    assert "Errors of folds are correlated" in within
    assert "One run shows nothing of this correlation" in within
    pooled = polyroc("study", "test", store, "fold-test", "--data", "more", "--pooled").stdout
    assert "scores mean the same in all folds" in pooled
    friedman = polyroc("study", "test", store, "friedman", "--alpha", "0.1").stdout
    assert re.search(
        r"chi-square 2.000 with 1 df, p = 0.157; .*\n.* apart than 1.163 differ .*\n.*at 10 %", friedman
    )
    assert (
        "equivalent: a difference of 0.05 at most"
        in polyroc("study", "test", store, "bayes", "--rope", "0.05").stdout
    )
    for wrong, message in (
        (["friedman", "--data", "more"], "leave --data out"),
        (["anova", "--rope", "0.1"], "--rope is not valid for anova; it is for bayes"),
        (["duncan", "--pooled"], "--pooled is not valid for duncan; it is for fold-test"),
        (["corrected-t", "-o", tmp_path / "t.png"], "on one data set; name it with --data: blobs, more"),
        (["recommend", "-o", tmp_path / "t.png"], "no picture of Recommendation"),
        (["duncan", "-o", tmp_path / "t.txt"], "ends in .png, .svg or .pdf"),
    ):
        refused = polyroc("study", "test", store, *wrong)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert message in refused.stderr
    assert list(tmp_path.glob("t.*")) == []


@pytest.mark.slow
def test_the_command_of_tests_draws(tmp_path):
    three = {"name": "more", "call": "study_learners:blobs", "parameters": {"n": 90}}
    store = tmp_path / "s.duckdb"
    pr.study(plan("Prior", "Worldly", data=[BLOBS, three], measures=["auc"]), out=store)
    for name, more in (
        ("duncan", []),
        ("duncan", ["--data", "more", "--kind", "letters"]),
        ("friedman", []),
        ("corrected-t", ["--data", "more"]),
    ):
        picture = tmp_path / f"{name}{len(more)}.svg"
        assert polyroc("study", "test", store, name, *more, "-o", picture).returncode == 0
        assert picture.read_text().startswith("<?xml")
