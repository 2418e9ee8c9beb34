"""Standard errors of G over cases: resamples counted anew, paired fronts, the command line."""

import numpy as np
import pytest
from scipy.stats import t

import naive
import polyroc as pr
from polyroc.errors import InputError
from polyroc.fronts.case_errors import case_errors


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(1)
    y = np.array(["u", "v", "w"])[np.arange(90) % 3]
    shared = rng.normal(size=(90, 3))
    P = {}
    for name, strength in (("good", 1.6), ("poor", 0.3)):
        z = np.exp(shared + rng.normal(size=(90, 3)) + strength * np.eye(3)[np.arange(90) % 3])
        P[name] = z / z.sum(axis=1, keepdims=True)
    return y, P


@pytest.fixture(scope="module")
def fronts(cases):
    return pr.front(*cases, n=120, alpha=1.0)


def test_decisions_are_those_of_the_front_and_weights_repeat_cases(cases, fronts):
    y, P = cases
    decided = fronts["good"].decided(y, P["good"])
    assert (decided.counts == fronts["good"].counts).all()
    weight = np.random.default_rng(0).integers(0, 4, size=90)
    order = np.argsort(y, kind="stable")
    codes = np.searchsorted(["u", "v", "w"], y)
    for i in (0, len(decided.decisions) - 1):
        costs = fronts["good"].costs[i].tolist()
        twin = naive.decision_counts(codes.tolist(), P["good"].tolist(), costs, weight.tolist())
        assert decided.resampled(weight[order])[i].tolist() == twin


@pytest.mark.slow
def test_errors_over_cases_are_those_of_a_plain_bootstrap(cases, fronts):
    """Standard deviations of 150 resamples each, made in another way; a ratio of 1 has a deviation of 0.08."""
    y, P = cases
    volumes = pr.fronts.front_volumes(fronts, n_points=5000, cases=cases, replicates=150)
    rng, values = np.random.default_rng(3), []
    for _ in range(150):
        rows = np.concatenate([rng.choice(np.flatnonzero(y == k), 30) for k in ("u", "v", "w")])
        values.append(
            [fronts[name].evaluated(y[rows], P[name][rows], n_points=5000).gini.value for name in ("good", "poor")]
        )
    good, poor = np.array(values).T
    assert volumes.standard_error("good") == pytest.approx(good.std(ddof=1), rel=0.3)
    test = volumes.difference("good", "poor")
    assert test.standard_error == pytest.approx((good - poor).std(ddof=1), rel=0.3)
    by = t(29)  # 30 cases of each class, less than the 150 resamples
    assert test.pvalue == pytest.approx(2 * by.sf(test.value / test.standard_error), rel=1e-9)
    assert test.confidence_interval().high == pytest.approx(test.value + by.ppf(0.975) * test.standard_error)
    low, high = volumes.confidence_interval("good")
    assert 0 <= low < high <= 1
    assert "case_error" in volumes.rows()[0]


def test_errors_are_stored_and_read(fronts, cases):
    volumes = pr.fronts.front_volumes(fronts, n_points=500, cases=cases, replicates=5)
    again = pr.fronts.FrontVolumes.from_dict(volumes.to_dict())
    assert again.standard_error("good") == volumes.standard_error("good")
    plain = pr.fronts.front_volumes(fronts, n_points=500)
    assert "case_errors" not in plain.to_dict()
    with pytest.raises(InputError, match="give front_volumes the cases="):
        plain.difference("good", "poor")


def test_equal_fronts_do_not_differ(cases, fronts):
    y, P = cases
    same = {"a": fronts["good"], "b": fronts["good"]}
    test = pr.fronts.front_volumes(same, n_points=500, cases=(y, P["good"]), replicates=5).difference("a", "b")
    assert (test.value, test.standard_error, test.pvalue) == (0.0, 0.0, 1.0)


def test_two_classes_and_families_have_errors_too():
    y, p = np.arange(40) % 2, np.random.default_rng(0).random(40)
    P = np.column_stack([1 - p, p])
    assert pr.fronts.front_volumes(pr.front(y, P), cases=(y, P), replicates=10).standard_error("classifier") > 0
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.arange(60)[:, None] % 3
    front = pr.front(pr.fronts.LogisticFamily(), X, np.arange(60) % 3, generations=3, costs=20)
    decided = front.decided(X, np.arange(60) % 3)
    assert (decided.counts == front.counts).all()
    assert case_errors([decided], 5, 0).standard_errors.shape == (1, 1)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([1, 2], "must be .y_true, probabilities."),
        ((["u"], {"good": 1}), "lack the probabilities of 'poor'"),
    ],
)
def test_bad_cases_are_reported(fronts, bad, message):
    with pytest.raises(InputError, match=message):
        pr.fronts.front_volumes(fronts, cases=bad)


def test_rates_have_no_rules(cases):
    with pytest.raises(InputError, match="'A' holds rates"):
        pr.fronts.front_volumes({"A": [[0.9, 0.1], [0.4, 0.6]]}, cases=cases)
