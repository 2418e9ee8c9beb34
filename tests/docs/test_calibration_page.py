"""docs/guide/calibration.md shows docs/calibration_study/results.csv, whose rates are near the nominal ones."""

import importlib.util
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "docs" / "calibration_study" / "run.py"
LOWEST = {"discrimination": 0.8, "uncertainty": 0.9, "miscalibration": 0.9}  # as the page says


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("calibration_study", STUDY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_table(study):
    assert study.table(study.read()) in study.PAGE.read_text(encoding="utf-8")


def test_every_cell_is_there_and_its_rates_are_near_the_nominal_ones(study):
    rows = study.read()
    assert {(row["model"], row["cases"]) for row in rows} == {(model.name, str(n)) for model, n in study.cells()}
    for row in rows:
        rate = float(row["rate"])
        if row["quantity"].endswith("test"):
            assert rate <= 0.075, row  # 400 samples: two Monte Carlo errors above 5 %
        else:
            assert rate >= LOWEST.get(row["quantity"], 0.92), row


@pytest.mark.slow
def test_a_replicate_is_repeated_to_the_last_digit(study):
    model = study.MODELS[0]
    assert study.replicate(model, 40, 3) == study.replicate(model, 40, 3)
