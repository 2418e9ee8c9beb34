"""docs/guide/calibration.md shows docs/calibration_study/results.csv, whose rates are near the nominal ones."""

import importlib.util
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "docs" / "calibration_study" / "run.py"
SAMPLES = 200
LOWEST = 0.95 - 3 * (0.95 * 0.05 / SAMPLES) ** 0.5  # three Monte Carlo errors below 95 %
EXCEPTIONS = {  # as the page says
    ("underconfident, beta(1, 3)", "discrimination"): 0.9,
    ("overconfident, rare", "calibration_error"): 0.88,
}
LARGEST = 0.05 + 3 * (0.05 * 0.95 / SAMPLES) ** 0.5


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("calibration_study", STUDY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_tables(study):
    page = study.PAGE.read_text(encoding="utf-8")
    for table in study.tables(study.read()).values():
        assert table in page


def test_every_cell_is_there_and_its_rates_are_near_the_nominal_ones(study):
    rows = study.read()
    assert {(row["model"], row["cases"]) for row in rows} == {(name, str(n)) for name, n in study.cells()}
    for row in rows:
        rate = float(row["rate"])
        assert int(row["replicates"]) <= study.REPLICATES == SAMPLES
        if row["quantity"].endswith("test"):
            assert rate <= LARGEST, row
        elif not row["quantity"].endswith("power"):
            assert rate >= EXCEPTIONS.get((row["model"], row["quantity"]), LOWEST), row


@pytest.mark.slow
def test_a_replicate_is_repeated_to_the_last_digit(study):
    for name in ("calibrated", "two calibrated classifiers", "three classes, calibrated"):
        assert study.replicate(name, 60, 3) == study.replicate(name, 60, 3)
