"""The page on coverage says what its results say, and the results can be had again."""

import importlib.util
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "coverage_study"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("coverage_study", FOLDER / "run.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_page_is_made_of_the_results(study):
    text = study.PAGE.read_text()
    assert study.filled(text, study.read()) == text


def test_results_have_every_cell_once(study):
    expected = [(c.study, c.measure, c.world, f"{c.nominal:g}", c.shown_sizes) for c in study.cells()]
    keys = ("study", "measure", "world", "nominal", "sizes")
    assert list(dict.fromkeys(tuple(row[key] for key in keys) for row in study.read())) == expected


@pytest.mark.parametrize(
    ("cell", "method", "rows"),
    [
        (("interval", "auc", "normal", 0.8, (10, 10)), "exponential", 1),
        (("interval", "auc", "clusters", 0.95, (30, 30)), "groups ignored", 1),
        (("interval", "hand_till", "three", 0.8, (7, 7, 7)), "DeLong", 2),
        (("interval", "ova", "three", 0.99, (7, 7, 7)), "DeLong", 2),
    ],
)
def test_one_cell_again(study, cell, method, rows):
    again = study.simulate(study.Cell(*cell), only=method)
    assert len(again) == rows
    committed = study.read()
    assert all(row in committed for row in again)


def test_true_values(study):
    """Of worlds whose value is computed here: against one large sample."""
    for cell in (
        ("interval", "auc", "ties", 0.95, (4000, 4000)),
        ("interval", "ova", "three", 0.8, (4000, 4000, 1000)),
    ):
        asked = study.Cell(*cell)
        truth, draw = study.world_of(asked)
        found = study.pr.evaluate(**draw(asked.rng(0)), measure=asked.measure)
        assert abs(found.value - truth) < 4 * found.standard_error
