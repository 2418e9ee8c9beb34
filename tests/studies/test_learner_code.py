"""A study is resumed with the learners that its stored fits are of: never mixed without a word."""

import json
import subprocess
import sys

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import polyroc as pr
from command import polyroc
from polyroc.errors import InputError, PolyrocWarning
from polyroc.studies.learners import code_of
from study_plans import content, plan


def interrupted(after):
    """A `progress` that ends a run after so many fits."""

    def progress(done, total, message):
        if done >= after:
            raise KeyboardInterrupt

    return progress


def scaled(C):
    """A plan with an object."""
    return pr.Plan.of({"mine": make_pipeline(StandardScaler(), LogisticRegression(C=C))}, "iris", folds=4)


@pytest.fixture
def partial(tmp_path):
    """A store with two of four fits."""
    with pytest.raises(KeyboardInterrupt):
        pr.study(scaled(1.0), out=tmp_path / "s.duckdb", progress=interrupted(2))
    return tmp_path / "s.duckdb"


@pytest.mark.slow
def test_changed_parameters_are_refused_refitted_or_kept(partial, tmp_path):
    before = content(partial)
    expected = (
        r"have changed since: 'mine' \(2 fits\): it is Pipeline.*LogisticRegression\(\)\)\]\) there and Pipeline.*"
        r"C=2.0.* here.*changed='refit' to fit them again, changed='keep'"
    )
    with pytest.raises(InputError, match=expected):
        pr.study(scaled(2.0), out=partial)
    assert content(partial) == before
    with pytest.warns(PolyrocWarning, match="2 stored fits of 'mine' .* are kept, although it has changed"):
        kept = pr.study(scaled(2.0), out=partial, changed="keep")
    assert kept.notes[-1] == "The fits of 'mine' are of 2 versions of its parameters or packages."
    assert pr.study(scaled(2.0), out=partial).notes == kept.notes  # the latest code is known: no error
    study = pr.study(scaled(3.0), out=partial, changed="refit")
    assert (study.left, study.notes) == (0, kept.notes[:-1])
    fresh = pr.study(scaled(3.0), out=tmp_path / "fresh.duckdb")
    np.testing.assert_array_equal(study.scores().values["mine"], fresh.scores().values["mine"])


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
def test_other_versions_count_while_fits_are_left(partial, monkeypatch):
    monkeypatch.setattr(np, "__version__", "1.0.0")
    with pytest.raises(InputError, match=r"'mine' \(2 fits\): numpy .* before, 1.0.0 now"):
        pr.study(scaled(1.0), out=partial)
    monkeypatch.undo()
    pr.study(scaled(1.0), out=partial)
    monkeypatch.setattr(np, "__version__", "1.0.0")
    assert pr.study(scaled(1.0), out=partial).left == 0  # nothing would be mixed


@pytest.mark.slow
def test_the_command_refits(tmp_path):
    def write(wait):
        learner = {"name": "p", "class": "study_learners:Prior", "parameters": {"wait": wait}}
        (tmp_path / "plan.toml").write_text(plan(learner).to_toml())

    command = ("study", "run", tmp_path / "plan.toml", "--out", tmp_path / "s.duckdb")
    write(0.0)
    assert polyroc(*command).returncode == 0
    write(0.001)
    refused = polyroc(*command)
    assert refused.returncode == 2
    assert "--changed refit" in refused.stderr
    assert polyroc(*command, "--changed", "refit").returncode == 0


SCRIPT = """
import json
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from polyroc.studies.learners import code_of
import study_learners
models = [FunctionTransformer(f) for f in (np.log1p, lambda x: x)]
models.append(FunctionTransformer(kw_args={"a": {"b", "c"}}))
print(json.dumps([code_of(make_pipeline(model, study_learners.Prior())) for model in models]))
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
    codes = json.loads(texts.pop())
    assert len({digest for digest, _ in codes}) == 3
    assert codes[0][1].keys() == {"python", "numpy", "sklearn"}


def test_codes_differ_with_parameters():
    assert code_of(LogisticRegression()) == code_of(LogisticRegression())
    weights, changed = (code_of(LogisticRegression(class_weight={0: 1.0, 1: one})) for one in (2.0, 3.0))
    assert weights.digest != changed.digest
    one, two = (code_of(make_pipeline(FunctionTransformer(f), LogisticRegression())) for f in (np.log1p, np.sqrt))
    assert one.digest != two.digest
