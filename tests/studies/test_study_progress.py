"""How far a study is: the live table fits the screen and keeps the work in sight; the time left is honest."""

import io
import time

import numpy as np
import pytest
from rich.console import Console

import polyroc as pr
from polyroc.cli.study import progress_table
from polyroc.studies.fit import FitKey, FitResult
from polyroc.studies.study import StudyProgress


def tally(learners, data_sets, blocks=3, workers=1):
    plan = pr.Plan.from_dict(
        {
            "data": [{"name": name, "call": "study_learners:blobs"} for name in data_sets],
            "learners": [{"name": name, "class": "study_learners:Prior"} for name in learners],
        }
    )
    return StudyProgress(plan, [blocks] * len(data_sets), {}, {}, workers)


def fitted(job, failure=None, seconds=1.0):
    return FitResult(job, None if failure else np.ones((1, 2)), failure, seconds)


def drawn(what, width, height):
    console = Console(file=io.StringIO(), width=width, height=height, color_system=None)
    console.print(progress_table(what, width, height))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_a_small_study_is_shown_whole():
    what = tally(["bayes", "knn"], ["iris", "wdbc"])
    for k in range(3):
        what.add(fitted(FitKey(0, 0, k)))
    what.add(fitted(FitKey(0, 1, 0), failure="no luck"))
    lines = drawn(what, 80, 24)
    assert lines[0].startswith("4 of 12 fits, 1 failed (0:00:0")
    assert [line.split() for line in lines if "/" in line] == [
        ["bayes", "3/3", "0/3"],
        ["knn", "1/3", "1", "failed", "0/3"],
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "height"), [(80, 24), (60, 12), (45, 10)])
def test_a_large_study_fits_the_screen_and_the_work_stays_in_sight(width, height):
    learners = [f"learner with a name, number {j}" for j in range(30)]
    data_sets = [f"data set {i}" for i in range(9)]
    what = tally(learners, data_sets)
    for i in range(9):
        for j in range(30):
            for k in range(3):
                what.add(fitted(FitKey(i, j, k)))
            lines = drawn(what, width, height)
            assert len(lines) < height
            assert max(map(len, lines)) <= width
            if not what.finished:
                i_now, j_now = (i, j + 1) if j < 29 else (i + 1, 0)
                assert any(line.startswith(f" learner with a ...{learners[j_now][-6:]} ") for line in lines)
                assert f"data set {i_now} " in f"{lines[2]} "
    assert lines[0] == "810 of 810 fits"
    assert "more, " in lines[-1]


def test_names_that_look_like_markup_are_only_names():
    assert any("[red]x[/]" in line for line in drawn(tally(["[red]x[/]"], ["[bold]"]), 80, 24))


def test_the_time_left_counts_what_goes_on_beside_the_fits(monkeypatch):
    """Four fits of 1 s in 12 s of two workers: the other eight take another 24 s, not 4."""
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    what = tally(["a", "b"], ["x", "y"], workers=2)
    assert what.seconds_left() is None
    clock[0] += 12
    for k in range(3):
        what.add(fitted(FitKey(0, 0, k)))
    what.add(fitted(FitKey(0, 1, 0)))
    assert what.seconds_left() == pytest.approx(24)
