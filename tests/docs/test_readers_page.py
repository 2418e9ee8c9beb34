"""docs/guide/reader_studies.md shows docs/readers_study/results.csv, made as `reader_study` computes."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import polyroc as pr

STUDY = Path(__file__).parents[2] / "docs" / "readers_study" / "run.py"


@pytest.fixture(scope="module")
def study():
    spec = importlib.util.spec_from_file_location("readers_study", STUDY)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_tables(study):
    page = study.PAGE.read_text(encoding="utf-8")
    assert all(table in page for table in study.tables(study.read()).values())


def test_every_cell_is_there_and_its_rates_are_near_the_nominal_ones(study):
    rows = study.read()
    cells = {(row["structure"], row["separation"], row["readers"], row["sizes"]) for row in rows}
    expected = {
        (one.structure, str(one.separation), str(one.readers), "+".join(map(str, one.sizes)))
        for one in study.settings()
    }
    assert cells == expected
    for row in rows:  # as the page says
        rate, quantity = float(row["rate"]), row["quantity"]
        if quantity.startswith(study.SIZE):
            assert rate <= (0.085 if row["readers"] == "3" else 0.077), row
        else:
            assert rate >= (0.88 if quantity.startswith("Student") else 0.93), row


@pytest.mark.parametrize(("classes", "measure"), [(2, "auc"), (3, "hand_till")])
def test_simulated_studies_are_analysed_as_reader_study_does(study, classes, measure):
    setting = study.Setting("HH", 1.5, 3, (12,) * classes, classes, studies=100)
    rng = np.random.default_rng(0)
    y, ratings, alone = study.with_algorithm(setting.model, setting, rng)
    values, influence = study.areas(y, ratings)
    covariance = study.covariance(influence)
    for k in range(2):
        table = {name: {str(j): ratings[k, i, j] for j in range(3)} for i, name in enumerate("AB")}
        one = pr.reader_study(y, {**table, "AI": alone[k]}, measure=measure, standalone="AI")
        assert [own.value for own in one.estimates.values()][:6] == pytest.approx(values[k].ravel().tolist())
        np.testing.assert_allclose(one.covariance[:6, :6], covariance[k].reshape(6, 6), atol=1e-12)


@pytest.mark.slow
def test_a_chunk_is_repeated_to_the_last_digit(study):
    setting = study.Setting("LL", 0.75, 3, (10, 10), studies=100)
    first, again = next(study.chunks(setting)), next(study.chunks(setting))
    assert all((first[name] == again[name]).all() for name in first)
