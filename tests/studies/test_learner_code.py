"""A study is resumed with the code that its stored fits are of: never mixed without a word."""

import re
import subprocess
import sys

import duckdb
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import polyroc as pr
from command import polyroc
from golden import files
from polyroc.errors import InputError, PolyrocWarning
from polyroc.studies.learner_code import code_of, differences
from study_plans import content, plan

LEARNER = """
import study_learners
from helpers import SHARE

def halved(X):
    return X * SHARE

class Mine(study_learners.Prior):
    \"\"\"A learner in a module beside the plan.\"\"\"

    def fit(self, X, y):
        return super().fit(halved(X), y)
"""


def interrupted(after):
    """A `progress` that ends a run after so many fits."""

    def progress(done, total, message):
        if done >= after:
            raise KeyboardInterrupt

    return progress


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A plan with a learner of the user, two of whose four fits are stored; and a function that changes files."""
    options = plan({"name": "mine", "class": "mine:Mine"}, "Worldly", folder=tmp_path)
    monkeypatch.setattr(
        sys, "dont_write_bytecode", True
    )  # a file changed within a second would not be compiled anew

    def write(learner=LEARNER, helpers="SHARE = 0.5\n"):
        (tmp_path / "mine.py").write_text(learner)
        (tmp_path / "helpers.py").write_text(helpers)
        for name in ("mine", "helpers"):
            sys.modules.pop(name, None)

    write()
    with pytest.raises(KeyboardInterrupt):
        pr.study(options, out=tmp_path / "s.duckdb", progress=interrupted(2))
    yield options, tmp_path / "s.duckdb", write
    for name in ("mine", "helpers"):
        sys.modules.pop(name, None)


CHANGES = {
    "method": ({"learner": LEARNER.replace("halved(X), y", "X, y")}, "the code of mine:Mine"),
    "function": ({"learner": LEARNER.replace("X * SHARE", "X + SHARE")}, "the code of mine:halved"),
    "constant": ({"helpers": "SHARE = 0.25\n"}, "the code of mine:SHARE"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_changed_code_is_refused_refitted_or_kept(mine, change):
    options, path, write = mine
    before = content(path)
    edit, message = CHANGES[change]
    write(**edit)
    expected = (
        rf"have changed since: 'mine' \(2 fits\): {message}.*changed='refit' to fit them again, changed='keep'"
    )
    with pytest.raises(InputError, match=expected) as error:
        pr.study(options, out=path)
    assert "Worldly" not in str(error.value)
    assert content(path) == before
    if change == "method":
        with pytest.warns(PolyrocWarning, match="2 stored fits of 'mine' .* are kept, although it has changed"):
            kept = pr.study(options, out=path, changed="keep")
        assert kept.notes == ("The fits of 'mine' are of 2 versions of its code or its packages.",)
        assert pr.study(options, out=path).notes == kept.notes  # the latest code is known: no error
    else:
        study = pr.study(options, out=path, changed="refit")
        assert (study.left, study.notes) == (0, ())


def test_comments_and_other_functions_do_not_count(mine):
    options, path, write = mine
    write(LEARNER.replace("def fit", "# a comment\n    def fit") + "\ndef other():\n    return 1\n")
    assert pr.study(options, out=path).left == 0


@pytest.mark.slow
def test_a_refitted_learner_is_the_new_one(mine, tmp_path):
    options, path, write = mine
    write(helpers="SHARE = 3.0\n")
    pr.study(options, out=path, changed="refit")
    pr.study(options, out=tmp_path / "fresh.duckdb")
    assert content(path) == content(tmp_path / "fresh.duckdb")


@pytest.mark.slow
def test_parameters_and_steps_of_a_plan(tmp_path):
    quick = {"name": "p", "class": "study_learners:Prior"}
    path = tmp_path / "s.duckdb"
    pr.study(plan(quick, "Worldly"), out=path)
    other = plan({**quick, "parameters": {"wait": 0.001}}, "Worldly")
    with pytest.raises(InputError, match=r"learners\[0\].parameters is not given there .*changed='refit'"):
        pr.study(other, out=path)
    pr.study(other, out=path, changed="refit")
    assert pr.results.Study.open(path).plan == other
    with pytest.raises(InputError, match="seed is 0 there and 5 here"):  # another study, whatever `changed` says
        pr.study(plan(quick, "Worldly", seed=5), out=path, changed="refit")


@pytest.mark.slow
def test_parameters_of_objects(tmp_path):
    def study(C, **options):
        model = make_pipeline(StandardScaler(), LogisticRegression(C=C))
        return pr.study(pr.Plan.of({"m": model}, "iris", folds=3), out=tmp_path / "s.duckdb", **options)

    study(1.0)
    with pytest.raises(
        InputError, match=r"'m' \(3 fits\): parameter logisticregression__C is 1.0 there and 2.0 here"
    ):
        study(2.0)
    assert study(2.0, changed="refit").plan.learners[0].description.endswith("LogisticRegression(C=2.0))])")


@pytest.mark.slow
def test_other_versions_count_while_fits_are_left(mine, monkeypatch):
    options, path, _ = mine
    monkeypatch.setattr(np, "__version__", "1.0.0")
    with pytest.raises(InputError, match=r"'mine' \(2 fits\): numpy .* before, 1.0.0 now"):
        pr.study(options, out=path)
    monkeypatch.undo()
    monkeypatch.chdir(path.parent)
    pr.study(options, out=path)
    monkeypatch.setattr(np, "__version__", "1.0.0")
    assert pr.study(options, out=path).left == 0  # nothing would be mixed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*tasks which were still being processed")  # of joblib, as for Ctrl-C
def test_a_worker_with_other_code_ends_the_study(mine, tmp_path):
    """The file was changed after this process imported it; worker processes import the new one."""
    options, path, _ = mine
    pr.study(options, out=tmp_path / "loaded.duckdb")
    (tmp_path / "mine.py").write_text(LEARNER.replace("X * SHARE", "X + SHARE"))
    with pytest.raises(
        InputError, match="'mine': the process that fits it has other code: the code of mine:halved"
    ):
        pr.study(options, out=path, n_jobs=2)


@pytest.mark.slow
def test_the_command_refits(mine, tmp_path):
    options, path, write = mine
    (tmp_path / "plan.toml").write_text(options.to_toml())
    write(helpers="SHARE = 3.0\n")
    refused = polyroc("study", "run", tmp_path / "plan.toml", "--out", path)
    assert refused.returncode == 2
    assert "--changed refit" in refused.stderr
    assert polyroc("study", "run", tmp_path / "plan.toml", "--out", path, "--changed", "refit").returncode == 0


SCRIPT = """
import json
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from polyroc.studies.learner_code import code_of
import study_learners
WORDS = {"a", "b", "c", "d"}
def chosen(x):
    return x if {"a", "b", "c"} & WORDS else [y for y in x]
print(json.dumps(code_of(make_pipeline(FunctionTransformer(chosen), study_learners.Prior()))))
"""


@pytest.mark.slow
def test_code_is_the_same_in_every_process():
    texts = set()
    for seed in "12":
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        texts.add(done.stdout)
    assert len(texts) == 1


def test_what_is_different_is_named():
    one = code_of(make_pipeline(FunctionTransformer(np.log1p), LogisticRegression()))
    assert differences(one, one) == ([], [])
    function = code_of(make_pipeline(FunctionTransformer(lambda x: x + 1), LogisticRegression()))
    other = code_of(make_pipeline(FunctionTransformer(lambda x: x + 2), LogisticRegression()))
    assert [re.sub("^.*:", "", text) for text in differences(function, other)[0]] == [
        "test_what_is_different_is_named.<locals>.<lambda>"
    ]
    weights = code_of(LogisticRegression(class_weight={0: 1.0, 1: 2.0}))
    changed = code_of(LogisticRegression(class_weight={0: 1.0, 1: 3.0}))
    assert differences(weights, changed)[0] == [
        "parameter class_weight is {0: 1.0, 1: 2.0} there and {0: 1.0, 1: 3.0} here"
    ]


@pytest.mark.filterwarnings("ignore:.*was started with other versions")
def test_an_older_store_is_resumed_with_a_warning(tmp_path):
    """It has no code of its learners, and its decision values are mapped; both stay as they are."""
    from dataclasses import replace

    from golden import studies

    path = files.unpack_study(tmp_path)
    with duckdb.connect(str(path)) as store:
        assert store.execute("SELECT schema FROM polyroc_study.plan").fetchone() == (1,)
        store.execute("DELETE FROM polyroc_study.fits WHERE learner = 0 AND block = 3 AND data_set = 0")
    options = replace(pr.Plan.from_dict(studies.PLAN), folder=studies.PLACE)
    with pytest.warns(PolyrocWarning, match="written before the code of learners was stored.*fits of both are"):
        study = pr.study(options, out=path)
    assert study.left == 0
    assert pr.study(options, out=path).left == 0  # the code is known now


@pytest.mark.slow
def test_decisions_in_an_older_store_stay_mapped(tmp_path):
    learner = {"name": "d", "class": "study_learners:Decides", "output": "decision_function"}
    options, path = plan(learner, measures=["auc"]), tmp_path / "s.duckdb"
    raw = pr.study(options, out=path).scores().values["d"]
    assert raw.max() > 1000
    with duckdb.connect(str(path)) as store:
        store.execute("UPDATE polyroc_study.plan SET schema = 1; DELETE FROM polyroc_study.fits")
    mapped = pr.study(options, out=path).scores().values["d"]
    assert (mapped.min() >= 0, mapped.max() <= 1) == (True, True)
    np.testing.assert_array_equal(np.argsort(mapped[:, 1], kind="stable"), np.argsort(raw[:, 1], kind="stable"))
