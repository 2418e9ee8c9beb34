"""Repeated cross-validation: the covariance between repeats, and Student's quantiles."""

import numpy as np
import pytest
import scipy
from scipy.stats import norm, t

import polyroc as pr
from polyroc.estimates.intervals import student_z

CASES, FOLDS, REPEATS = 60, 5, 4


def repeated(seed=0, classifiers=2):
    rng = np.random.default_rng(seed)
    y = np.arange(CASES) % 2
    folds = np.concatenate([_stratified(y, rng) for _ in range(REPEATS)])
    truth = np.tile(y, REPEATS)
    values = {f"c{i}": truth + rng.normal(scale=1 + i, size=len(truth)) for i in range(classifiers)}
    return truth, values, folds, np.repeat(np.arange(REPEATS), CASES)


def _stratified(y, rng):
    fold = np.empty(len(y), dtype=int)
    order = rng.permutation(len(y))
    fold[order[np.argsort(y[order], kind="stable")]] = np.arange(len(y)) % FOLDS
    return fold


def naive_covariance(truth, values, folds, repeats):
    """Influence values added up by case, plus K / 2 times the covariance of the values of the repeats."""
    influence, by_repeat = [], []
    for score in values.values():
        own, means = np.zeros(CASES), []
        for r in range(REPEATS):
            areas = []
            for k in range(FOLDS):
                rows = np.flatnonzero((repeats == r) & (folds == k))
                positive, negative = rows[truth[rows] == 1], rows[truth[rows] == 0]
                wins = np.heaviside(score[positive][:, None] - score[negative][None], 0.5)
                areas.append(wins.mean())
                for cases, part in ((positive, wins.mean(axis=1)), (negative, wins.mean(axis=0))):
                    m = len(cases)
                    own[cases % CASES] += (part - part.mean()) / m * np.sqrt(m / (m - 1)) / (FOLDS * REPEATS)
            means.append(np.mean(areas))
        influence.append(own)
        by_repeat.append(means)
    table = np.array(influence)
    return table @ table.T + FOLDS / 2 * np.cov(by_repeat)


def test_covariance_is_that_of_influence_values_and_between_repeats():
    truth, values, folds, repeats = repeated()
    comparison = pr.compare(truth, values, measure="auc", folds=folds, repeats=repeats)
    expected = naive_covariance(truth, values, folds, repeats)
    # Influence values of all folds share one correction for the degrees of freedom of folds of equal size.
    np.testing.assert_allclose(comparison.covariance, expected, rtol=1e-3)


def test_one_repeat_has_no_such_term():
    truth, values, folds, repeats = repeated()
    first = repeats == 0
    one = {name: score[first] for name, score in values.items()}
    single = pr.compare(truth[first], one, measure="auc", folds=folds[first])
    named = pr.compare(truth[first], one, measure="auc", folds=folds[first], repeats=repeats[first])
    np.testing.assert_array_equal(single.covariance, named.covariance)
    assert all(estimate.df is None for estimate in single.estimates.values())


def test_intervals_and_tests_use_students_t():
    truth, values, folds, repeats = repeated()
    comparison = pr.compare(truth, values, measure="auc", folds=folds, repeats=repeats)
    df = 4 * (REPEATS - 1)
    (difference,) = comparison.differences.values()
    estimate = comparison.estimates["c0"]
    assert estimate.df == difference.df == df
    low, high = estimate.confidence_interval(kind="wald")
    reach = t.ppf(0.975, df) * estimate.standard_error
    assert (low, high) == pytest.approx((estimate.value - reach, min(1.0, estimate.value + reach)))
    for null in (0.5, 0.7):
        p = estimate.test(null)
        ends = estimate.confidence_interval(1 - p)
        assert min(abs(end - null) for end in ends) == pytest.approx(0, abs=1e-6)
    ends = difference.confidence_interval(1 - difference.pvalue)
    assert min(map(abs, ends)) == pytest.approx(0, abs=1e-6)


def test_parts_and_stored_results_keep_the_degrees_of_freedom():
    rng = np.random.default_rng(1)
    y = np.tile(np.arange(60) % 3, 2)
    P = rng.dirichlet(np.ones(3), 120)
    folds = np.concatenate([np.arange(60) // 3 % 4, (np.arange(60) // 3 + np.arange(60) % 3) % 4])
    estimate = pr.evaluate(y, P, measure="hand_till", folds=folds, repeats=np.repeat([0, 1], 60))
    assert estimate.df == 4
    assert {part.df for part in estimate.parts.values()} == {4}
    again = type(estimate).from_dict(estimate.to_dict())
    assert again.confidence_interval() == pytest.approx(estimate.confidence_interval())


FAR_OUT = pytest.param(
    30.0,
    marks=pytest.mark.skipif(
        tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 17), reason="scipy's stdtrit was imprecise there"
    ),
)


@pytest.mark.parametrize("z", [-3.0, 0.0, 1.96, 8.0, FAR_OUT])
def test_student_quantile_has_the_probability_of_the_normal_one(z):
    assert t.logsf(student_z(z, 7.0), 7.0) == pytest.approx(norm.logsf(z), rel=1e-6)
    assert student_z(z, None) == z
    assert student_z(37.0, 7.0) > 1e20
