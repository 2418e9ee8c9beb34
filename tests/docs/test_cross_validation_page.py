"""The page on cross-validation states what its results say; its learners are those of scikit-learn."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import polyroc as pr

FOLDER = Path(__file__).parents[2] / "docs" / "cross_validation_study"
MODULES = ("learners", "models", "grid", "nested", "study", "page")


@pytest.fixture(scope="module")
def parts():
    before = {name: sys.modules.pop(name) for name in MODULES if name in sys.modules}
    sys.path.insert(0, str(FOLDER))
    yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    sys.path.remove(str(FOLDER))
    for name in MODULES:
        del sys.modules[name]
    sys.modules.update(before)


@pytest.fixture(scope="module")
def rows(parts):
    return parts.study.read()


def test_page_is_made_of_the_results(parts, rows):
    text = parts.page.PAGE.read_text()
    assert parts.page.filled(text, rows) == text


def test_results_have_every_cell_once(parts, rows):
    names = ("learner", "model", "sizes", "scheme", "measure", "method", "target", "quantity")
    keys = [tuple(row[name] for name in names) for row in rows]
    assert len(set(keys)) == len(keys)
    expected = {(*cell.key, str(cell.replicates)) for cell in parts.grid.cells()}
    assert {(*key[:5], row["replicates"]) for key, row in zip(keys, rows, strict=True)} == expected


def test_misses_have_reasons_that_are_explained(parts, rows):
    text = parts.page.PAGE.read_text()
    for row in parts.page.misses(rows):
        assert f"- **{parts.page.reason(row)}**: " in text


def test_repeats_keep_size_and_coverage_without_signal(parts, rows):
    # the claim of the page: where one run fails, repeats do not; two Monte Carlo errors of slack
    for row in parts.page.pick(rows, method="repeated", target="models"):
        if row["model"].startswith("no signal"):
            assert float(row["rate"]) >= 0.94 - 2 * parts.page.error(row), parts.page.place(row)


@pytest.mark.slow
def test_a_cell_is_simulated_again_with_the_same_result(parts, rows):
    key = ("lda", "correlated", "10+10", "leave out one, or a pair", "auc")  # the least work of all
    (cell,) = (cell for cell in parts.grid.cells() if cell.key == key)
    names = ("learner", "model", "sizes", "scheme", "measure")
    stated = [row for row in rows if tuple(row[name] for name in names) == key]
    assert stated
    # Differences were simulated with the test of joint regions, before the score test: the page says so.
    again, before = (
        [row for row in part if row["quantity"] != "difference"] for part in (parts.study.simulate(cell), stated)
    )
    assert again == before


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_learners_are_those_of_scikit_learn(parts, classes):
    rng = np.random.default_rng(classes)
    y = np.repeat(np.arange(classes), 20)
    X, Z = rng.normal(size=(len(y), 4)) + 0.5 * y[:, None], rng.normal(size=(50, 4))
    leaf = max(3, len(X) // 20)
    peers = {
        "logistic": LogisticRegression(tol=1e-10, max_iter=1000),
        "lda": LinearDiscriminantAnalysis(solver="lsqr"),  # whose covariance is the same in all versions
        "5-nn": KNeighborsClassifier(),
        "tree": DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0),
    }
    for name, peer in peers.items():
        P, direction = parts.learners.probabilities(name, X, y, classes, Z)
        # splits of a tree that are equally good in exact arithmetic are chosen by rounding
        differs = np.abs(P - peer.fit(X, y).predict_proba(Z)).max(axis=1) > 1e-6
        assert differs.mean() <= (0.1 if name == "tree" else 0), name
        assert (direction is not None) == (name in ("lda", "logistic") and classes == 2)


def test_values_are_those_of_the_measures(parts):
    rng = np.random.default_rng(0)
    for classes, measure in ((2, "auc"), (2, "accuracy"), (3, "hand_till"), (4, "accuracy")):
        y, P = np.arange(40) % classes, rng.dirichlet(np.ones(classes), 40).round(1)
        expected = pr.evaluate(y, P, measure=measure, method=None).value
        if measure != "accuracy":  # which counts a tie of the largest as a half
            assert parts.study.values_of(measure, P, y, classes) == pytest.approx(expected)


def test_formula_of_the_true_auc(parts):
    model = parts.models.MODELS["correlated"]
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20_000)
    X = model.sample(y, 2, rng)[:, : model.features]
    direction = np.array([1.0, 0.5, -0.2, 2.0])
    value = pr.evaluate(y, X @ direction, measure="auc", method=None).value
    assert model.linear_auc(direction) == pytest.approx(value, abs=0.01)
