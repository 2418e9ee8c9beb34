"""Functions of rates and class shares: their variance where weights vary within classes of fixed size."""

import numpy as np
import pytest

import polyroc as pr

CLASSES, CASES = 3, 60


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(4)
    y = np.arange(CASES) % CLASSES
    decided = np.where(rng.random(CASES) < 0.6, y, rng.integers(0, CLASSES, CASES))
    return y.astype(str), decided.astype(str), rng.choice([1.0, 2.0, 5.0], CASES)


def information(y, decided, w):
    """Mutual information of class and decision, in bits, from the definition."""
    table = np.array([[w[(y == k) & (decided == m)].sum() for m in np.unique(y)] for k in np.unique(y)]) / w.sum()
    independent = table.sum(axis=1, keepdims=True) * table.sum(axis=0)
    return float((table[table > 0] * np.log2(table[table > 0] / independent[table > 0])).sum())


def linearised(y, decided, w, *, cohort):
    """The variance by derivatives: within classes, and through their weights (see reference/README.md)."""
    step, value, total = 1e-5, information(y, decided, w), 0.0
    for k in np.unique(y):
        own = y == k
        whole, m = w[own].sum(), own.sum()
        up, down = (information(y, decided, np.where(own, w * (1 + h), w)) for h in (step, -step))
        slope = (up - down) / (2 * step)
        for x in np.flatnonzero(own):
            moved = np.where(own, w * (1 - step), w)
            moved[x] += step * whole
            within = (information(y, decided, moved) - value) / step * w[x] / whole
            through = (w[x] - (0.0 if cohort else whole / m)) * slope / whole
            total += (within * np.sqrt(m / (m - 1)) + through * np.sqrt(CASES / (CASES - 1))) ** 2
    return total


@pytest.mark.parametrize("sampling", ["cohort", "case-control"])
def test_information_gain_counts_weights_that_vary(data, sampling):
    y, decided, w = data
    gain = pr.rates(y, decided, sample_weight=w, sampling=sampling).information_gain()
    assert gain.value == pytest.approx(information(y, decided, w), rel=1e-12)
    assert gain.standard_error**2 == pytest.approx(
        linearised(y, decided, w, cohort=sampling == "cohort"), rel=1e-3
    )


def test_with_equal_weights_fixed_sizes_add_nothing(data):
    y, decided, w = data
    equal, none = (
        pr.rates(y, decided, sample_weight=weight, sampling="case-control").information_gain()
        for weight in (np.full_like(w, 3.0), None)
    )
    assert equal.standard_error == pytest.approx(none.standard_error, rel=1e-12)


@pytest.mark.parametrize("sampling", ["cohort", "case-control"])
def test_files_have_the_variance_of_memory(data, tmp_path, sampling):
    y, _, w = data
    score = np.round(np.random.default_rng(5).normal((y == "1") * 1.0), 1)
    sick = np.where(y == "1", "1", "0")
    path = tmp_path / "cases.csv"
    rows = [f"{k},{s},{v}" for k, s, v in zip(sick, score, w, strict=True)]
    path.write_text("\n".join(["truth,score,weight", *rows]) + "\n", encoding="utf-8")
    options = {"threshold": 0.5, "pos_label": "1", "sampling": sampling}
    memory = pr.rates(sick, score, sample_weight=w, **options)
    file = pr.rates(str(path), truth="truth", scores="score", sample_weight="weight", engine="duckdb", **options)
    assert file.information_gain().standard_error == pytest.approx(
        memory.information_gain().standard_error, rel=1e-9
    )
