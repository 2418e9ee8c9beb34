"""The page on coverage says what its results say, and the results can be had again."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import polyroc as pr
from polyroc.results.intervals import interval

FOLDER = Path(__file__).parents[1] / "docs" / "coverage_study"
MODULES = ("cells", "worlds", "ways", "running", "candidates", "page")


@pytest.fixture(scope="module")
def study():
    sys.path.insert(0, str(FOLDER))
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    sys.path.remove(str(FOLDER))
    for name in MODULES:
        del sys.modules[name]


def test_page_is_made_of_the_results(study):
    text = study.page.PAGE.read_text()
    rows, candidates = study.running.read(), study.running.read(study.candidates.CANDIDATES)
    assert study.page.filled(text, rows, candidates) == text


def test_results_have_every_cell_once(study):
    expected = [cell.key for cell in study.cells.cells()]
    assert len(set(expected)) == len(expected)
    keys = study.running.KEY
    assert list(dict.fromkeys(tuple(row[key] for key in keys) for row in study.running.read())) == expected


@pytest.mark.parametrize(
    ("cell", "method", "rows"),
    [
        (("interval", "auc", "normal", 0.8, (10, 10)), "exponential", 1),
        (("interval", "auc", "clusters", 0.95, (30, 30)), "groups ignored", 1),
        (("interval", "hand_till", "three", 0.8, (7, 7, 7)), "DeLong", 3),
        (("interval", "ova", "ties", 0.95, (20, 20, 20)), "DeLong", 3),
        (("interval", "vus", "three", 0.99, (7, 7, 7)), "DeLong", 3),
    ],
)
def test_one_cell_again(study, cell, method, rows):
    again = study.running.simulate(study.cells.Cell(*cell), only=method)
    assert len(again) == rows
    committed = study.running.read()
    assert all(row in committed for row in again)


def test_what_is_done_is_kept_and_not_done_again(study, tmp_path):
    chosen = study.cells.cells()[:3]
    done = study.running.simulate(chosen[1], share=0.0)
    study.running.write([row | {"hits": "kept"} for row in done], tmp_path / "out.part")
    study.running.run(chosen, 0.0, tmp_path / "out.csv", jobs=1)
    rows = study.running.read(tmp_path / "out.csv")
    assert [row["sizes"] for row in rows if row["method"] == "DeLong"] == [cell.shown_sizes for cell in chosen]
    assert {row["sizes"] for row in rows if row["hits"] == "kept"} == {chosen[1].shown_sizes}
    assert not (tmp_path / "out.part").exists()


@pytest.mark.parametrize(
    "cell",
    [
        ("interval", "auc", "ties", 0.95, (4000, 4000)),
        ("interval", "auc", "unequal spreads", 0.8, (4000, 4000)),
        ("interval", "ova", "three", 0.8, (4000, 4000, 1000)),
        ("interval", "ova", "ties", 0.8, (4000, 4000, 1000)),
        ("interval", "hand_till", "clusters", 0.95, (3000, 3000, 999)),
        ("interval", "vus", "three", 0.6, (4000, 4000, 4000)),
        ("interval", "vus", "ties", 0.8, (4000, 2000, 4000)),
    ],
)
def test_true_values(study, cell):
    """Of worlds whose value is computed here: against one large sample."""
    asked = study.cells.Cell(*cell)
    truth, draw = study.worlds.world_of(asked)
    found = pr.evaluate(**draw(asked.rng(0)), measure=asked.measure)
    assert abs(found.value - truth) < 4 * found.standard_error
    assert found.standard_error < 0.02


def test_candidates_named_default_and_logit_are_those_of_polyroc(study):
    found = study.candidates.Found(
        p=np.array([0.7, 0.9, 0.99, 0.9999]),
        v=np.array([[1e-3, 2e-3], [5e-4, 1e-5], [1e-6, 1e-6], [1e-9, 1e-10]]),
        n=np.array([20.0, 400.0]),
        m=20.0,
    )
    for label, kind in (("logit", "logit"), ("half a case (the default)", "guarded")):
        ends = np.array(study.candidates.KINDS[label](found)).T
        expected = [
            interval(p, e, (0, 1), 20, kind=kind) for p, e in zip(found.p, found.variance**0.5, strict=True)
        ]
        assert ends == pytest.approx(np.array(expected), abs=1e-12)


def test_candidates_can_be_had_again(study):
    (cell,) = (each for each in study.cells.cells() if each.key == ("interval", "vus", "ties", "0.95", "20+20+20"))
    committed = study.running.read(study.candidates.CANDIDATES)
    again = study.candidates.try_cell(cell)
    assert len(again) == len(study.candidates.KINDS)
    assert all(row in committed for row in again)
