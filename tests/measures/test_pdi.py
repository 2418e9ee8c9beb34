"""The polytomous discrimination index: against its definition, its relatives and the published posteriors."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
import polyroc as pr
from measure_values import components, value
from polyroc.kernels.polytomous import Column
from polyroc.validation.scores import normalise
from published.iris_loo import posteriors
from strategies import probabilities, weights

CLOSE = {"rtol": 0, "atol": 1e-12}
EXTREME = [0.0, -0.0, 5e-324, 2.2e-308, 1e-300, 0.5, np.nextafter(0.5, 1), 1.0]


def drawn(data, y):
    """Weights or none, and the same as the twin takes them."""
    w = data.draw(st.one_of(st.none(), weights(y)))
    return w, np.ones(len(y)) if w is None else w


@given(probabilities(), st.data())
def test_value_parts_and_components_are_the_slow_twins(cases, data):
    y, P = cases
    w, v = drawn(data, y)
    estimate = pr.evaluate(y, P, measure="pdi", labels=range(P.shape[1]), sample_weight=w, method=None)
    assert estimate.value == pytest.approx(naive.pdi(y, P, v), abs=1e-12)
    np.testing.assert_allclose(estimate.components, naive.pdi_components(y, P, v), **CLOSE)
    for i, (name, part) in enumerate(estimate.parts.items()):
        assert name == str(i)
        assert part.value == pytest.approx(naive.pdi_of_class(y, P, v, i), abs=1e-12)
        np.testing.assert_allclose(part.components, naive.pdi_of_class_components(y, P, v, i), **CLOSE)


@given(probabilities(c=3), st.data())
def test_zeros_of_either_sign_and_denormals(cases, data):
    y, P = cases
    row = st.lists(st.sampled_from(EXTREME), min_size=3, max_size=3)
    P = np.array(data.draw(st.lists(row, min_size=len(y), max_size=len(y))))
    assert value("pdi", y, P) == pytest.approx(naive.pdi(y, P, np.ones(len(y))), abs=1e-12)
    np.testing.assert_allclose(components("pdi", y, P), naive.pdi_components(y, P, np.ones(len(y))), **CLOSE)


@given(probabilities(c=2), st.data())
def test_two_classes_are_hand_and_till_and_each_part_an_auc(cases, data):
    y, P = cases
    w, _ = drawn(data, y)
    estimate = pr.evaluate(y, P, measure="pdi", labels=[0, 1], sample_weight=w, method=None)
    assert estimate.value == pytest.approx(value("hand_till", y, P, w), abs=1e-12)
    np.testing.assert_allclose(estimate.components, components("hand_till", y, P, w), **CLOSE)
    for i in (0, 1):
        alone = pr.evaluate(y == i, P[:, i], measure="auc", sample_weight=w, method=None)
        assert estimate.parts[str(i)].value == pytest.approx(alone.value, abs=1e-12)
        np.testing.assert_allclose(estimate.parts[str(i)].components, alone.components, **CLOSE)
    halves = np.round(P[:, 1] * 64) / 64  # complements that are exact, so that ties stay ties
    complementary = np.column_stack([1 - halves, halves])
    assert value("pdi", y, complementary, w) == pytest.approx(value("auc", y, halves, w), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("c", [2, 3, 4, 5, 10, 50, 201])
def test_many_classes_constant_and_perfect(c):
    y = np.repeat(np.arange(c), 2)
    assert value("pdi", y, np.full((2 * c, c), 0.25)) == pytest.approx(1 / c, abs=1e-12)
    perfect = pr.evaluate(y, np.eye(c)[y], measure="pdi")
    assert (perfect.value, perfect.standard_error) == (1, 0)
    assert all(float(part) == 1 for part in perfect.parts.values())
    reversed_ = pr.evaluate(y, 1 - np.eye(c)[y], measure="pdi", method=None)
    assert reversed_.value == 0


@pytest.mark.parametrize("c", [3, 20, 50])
def test_ties_of_many_classes_have_a_closed_form(c):
    """A share p of each other class ties with the case, the rest lies below it: a sum of binomials over 1 + m."""
    p, starts = 0.3, np.append(0, np.arange(1, 10 * c, 10))
    row = np.array([1.0, *[*[0.0] * 7, *[1.0] * 3] * (c - 1)])
    mass = np.concatenate([np.arange(size + 1) / size for size in np.diff(starts)])
    column, totals = Column(row, starts, 0, mass), np.zeros(len(row))
    column.add_components(np.concatenate([np.arange(size) for size in np.diff(starts)]), totals)
    expected = sum(comb(c - 1, m) * p**m * (1 - p) ** (c - 1 - m) / (1 + m) for m in range(c))
    assert [*column.highest, totals[0]] == pytest.approx([expected, expected], rel=1e-13)
    beats, ties = totals[1:].reshape(c - 1, 10)[:, :7], totals[1:].reshape(c - 1, 10)[:, 7:]
    fewer = [comb(c - 2, m) * p**m * (1 - p) ** (c - 2 - m) for m in range(c - 1)]
    assert beats == pytest.approx(sum(q / (1 + m) for m, q in enumerate(fewer)), rel=1e-13)
    assert ties == pytest.approx(sum(q / (2 + m) for m, q in enumerate(fewer)), rel=1e-13)


# Sampat et al. (2009), table VI, features 1, 1-2, 1-3, 1-4: the row of the formula sheet, new there.
T12 = {1: (0.756323, 0.034699), 2: (0.840797, 0.031274), 3: (0.992000, 0.005153), 4: (0.996267, 0.002775)}


@pytest.mark.parametrize("features", T12)
def test_t12_iris(features):
    estimate = pr.evaluate(*posteriors(features), measure="pdi")
    assert (estimate.value, estimate.standard_error) == pytest.approx(T12[features], abs=5e-7)
    assert estimate.value == pytest.approx(np.mean([float(part) for part in estimate.parts.values()]), abs=1e-14)


def three_classifiers(seed=0, sizes=(30, 40, 50)):
    rng = np.random.default_rng(seed)
    y = np.repeat(range(3), sizes)
    common = rng.dirichlet(np.ones(3), size=len(y))
    made = {
        name: common + rng.dirichlet(np.ones(3), size=len(y)) + strength * np.eye(3)[y]
        for name, strength in (("good", 0.9), ("fair", 0.3))
    }
    return y, {name: (P / P.sum(axis=1, keepdims=True)).round(2) for name, P in made.items()}


def test_compare_paired_and_unpaired():
    y, P = three_classifiers()
    paired = pr.compare(y, P, measure="pdi")
    parts = [[e.components[y == k] for e in paired.estimates.values()] for k in range(3)]
    expected = sum(np.cov(pair) / len(pair[0]) for pair in parts)
    np.testing.assert_allclose(paired.covariance, expected, rtol=0, atol=1e-15)
    assert paired.covariance[0, 1] > 0
    assert paired.conclusion()[0].startswith("good is better than fair by 0.")
    apart = pr.compare({name: normalise(y, table) for name, table in P.items()}, measure="pdi")
    np.testing.assert_allclose(apart.covariance, np.diag(np.diag(expected)), rtol=0, atol=1e-15)
    assert apart.difference("good", "fair").standard_error > paired.difference("good", "fair").standard_error


def test_other_methods_agree():
    y, P = three_classifiers(1)
    error = pr.evaluate(y, P["good"], measure="pdi").standard_error
    jackknife = pr.evaluate(y, P["good"], measure="pdi", method=pr.methods.Jackknife())
    assert jackknife.standard_error == pytest.approx(error, rel=1e-12)  # linear in each class: the same number
    bootstrap = pr.evaluate(y, P["good"], measure="pdi", method=pr.methods.Bootstrap(replicates=1000, rng=0))
    assert bootstrap.standard_error == pytest.approx(error, rel=0.1)  # 1000 replicates know it to 2.2 %


@pytest.mark.slow
def test_variance_and_test_against_simulation():
    """Equal classifiers, small unequal classes: the variance is that of the value, the test has its size."""
    values, variances, pvalues = [], [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        y = np.repeat(range(3), (15, 25, 20))
        truth = rng.normal(size=(60, 3)) + 1.2 * np.eye(3)[y]
        by_key = {name: np.exp(truth + 0.7 * rng.normal(size=(60, 3))) for name in "ab"}
        by_key = {name: table / table.sum(axis=1, keepdims=True) for name, table in by_key.items()}
        comparison = pr.compare(y, by_key, measure="pdi")
        values.append(comparison.estimates["a"].value)
        variances.append(comparison.estimates["a"].standard_error ** 2)
        pvalues.append(comparison.pvalue)
    ratio = np.mean(variances) / np.var(values, ddof=1)
    assert 0.75 < ratio < 1.3  # 300 replicates know a variance to 8 %, three standard errors
    low, high = stats.binom.interval(0.999, 300, 0.05)
    assert low <= np.sum(np.array(pvalues) < 0.05) <= high


def test_one_score_is_rejected_by_the_name_of_the_conversion():
    with pytest.raises(pr.errors.NotApplicableError, match=r"pdi needs scores.*to_probabilities\(\.\.\.\)"):
        pr.evaluate(["a", "b", "c", "c"], [1, 2, 3, 4], measure="pdi")
