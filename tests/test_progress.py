"""One convention for `progress` in every verb: None or False, True, or a function of (done, total, message)."""

import inspect
from dataclasses import replace
from pathlib import Path

import pytest

import polyroc as pr
from polyroc.errors import InputError
from polyroc.progress import ProgressOption, progress_callback

Y = [0, 1] * 10
SCORE = [i / 20 for i in range(20)]


VERBS = [
    pr.evaluate,
    pr.compare,
    pr.compare_measures,
    pr.curve,
    pr.operate,
    pr.rates,
    pr.report,
    pr.sample_size,
    pr.study,
    pr.consistency.order_stability,
    pr.consistency.separation,
]


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.__name__)
def test_verbs_share_one_type_and_default(verb):
    parameter = inspect.signature(verb, eval_str=False).parameters["progress"]
    assert parameter.annotation is ProgressOption or parameter.annotation == "ProgressOption"
    assert parameter.default is None
    assert parameter.kind is inspect.Parameter.KEYWORD_ONLY


def test_true_shows_a_bar_and_false_shows_nothing(capsys):
    pr.evaluate(Y, SCORE, measure="auc", progress=True)
    assert "classifier: auc" in capsys.readouterr().err
    pr.evaluate(Y, SCORE, measure="auc", progress=False)
    assert capsys.readouterr().err == ""


def test_anything_else_raises():
    with pytest.raises(InputError, match="progress must be True, False or a function of"):
        pr.evaluate(Y, SCORE, measure="auc", progress="bar")


def test_messages_are_shown_as_they_are(capsys):
    with progress_callback(True) as report:
        report(1, 2, "[bold]a\x1b[31m[/bold]")
    shown = capsys.readouterr().err
    assert "[bold]a" in shown
    assert "\x1b[31m" not in shown


def test_a_study_reports_fits(tmp_path):
    reports: list[tuple[int, int, str]] = []
    learner = {"name": "Prior", "class": "study_learners:Prior"}
    blobs = {"name": "blobs", "call": "study_learners:blobs"}
    table = {"data": [blobs], "splitting": {"folds": 4}, "learners": [learner]}
    plan = replace(pr.Plan.from_dict(table), folder=Path(__file__).parent)
    pr.study(plan, out=tmp_path / "s.duckdb", progress=lambda *step: reports.append(step))
    assert reports == [(0, 4, "starting"), *((done, 4, "blobs, Prior") for done in range(1, 5))]
