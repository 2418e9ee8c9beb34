"""The verb `compare`: covariance, tests, adjustments, margins."""

import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import polyroc as pr
from measure_values import THREE_CLASSES, scores_for
from polyroc import datasets
from polyroc.errors import (
    DegenerateComparisonWarning,
    InputError,
    NotApplicableError,
    PolyrocError,
    UndefinedMeasureWarning,
)
from polyroc.estimates.difference import AREAS
from polyroc.estimates.multiplicity import adjust
from polyroc.measures.registry import MEASURES

Y = np.repeat([0, 1, 2], [20, 25, 30])
TRUTH = np.eye(3)[Y]


def noisy(strength, rng):
    P = rng.dirichlet(np.ones(3), size=len(Y)) + strength * TRUTH
    return P / P.sum(axis=1, keepdims=True)


RNG = np.random.default_rng(3)
THREE = {"good": noisy(0.8, RNG), "fair": noisy(0.4, RNG), "poor": noisy(0.2, RNG)}


@pytest.fixture(scope="module")
def comparison():
    return pr.compare(Y, THREE, measure="hand_till")


def test_covariance_is_that_of_the_components(comparison):
    components = [estimate.components for estimate in comparison.estimates.values()]
    expected = sum(np.cov([c[k == Y] for c in components]) / (k == Y).sum() for k in range(3))
    np.testing.assert_allclose(comparison.covariance, expected, rtol=0, atol=1e-15)
    for i, estimate in enumerate(comparison.estimates.values()):
        assert estimate.standard_error == pytest.approx(comparison.covariance[i, i] ** 0.5, abs=1e-15)


def test_difference_has_delongs_standard_error_and_z_test(comparison):
    pair = comparison.difference("good", "poor")
    V = comparison.covariance
    error = (V[0, 0] + V[2, 2] - 2 * V[0, 2]) ** 0.5
    assert pair.value == pytest.approx(
        float(comparison.estimates["good"]) - float(comparison.estimates["poor"]), abs=1e-15
    )
    assert pair.standard_error == pytest.approx(error, abs=1e-15)
    assert pair.wald_test() == pytest.approx(2 * stats.norm.sf(abs(pair.value) / error), rel=1e-12)
    assert pair.wald_test(0.1) == pytest.approx(2 * stats.norm.sf(abs(pair.value - 0.1) / error), rel=1e-12)
    back = comparison.difference("poor", "good")
    assert (back.value, back.pvalue) == (-pair.value, pair.pvalue)


def test_omnibus_p_value_is_the_smallest_one_adjusted_by_max_t(comparison):
    z = [pair.value / pair.standard_error for pair in comparison.differences.values()]
    assert comparison.statistic == pytest.approx(max(map(abs, z)), rel=1e-12)
    assert comparison.pvalue == min(pair.adjusted_pvalue for pair in comparison.differences.values())
    two = pr.compare(Y, {name: THREE[name] for name in ("good", "fair")}, measure="hand_till")
    assert two.pvalue == two.difference("good", "fair").pvalue
    holm = pr.compare(Y, THREE, measure="hand_till", adjustment="holm")
    assert holm.pvalue == comparison.pvalue  # whatever the adjustment of the pairs


def test_contrasts_are_hotellings_tests(comparison):
    rng = np.random.default_rng(91)
    """T^2 by an F distribution with the degrees of freedom of the smallest class."""
    values, covariance = np.array([float(e) for e in comparison.estimates.values()]), comparison.covariance
    L = np.array([[1, -1, 0], [0, 1, -1]])
    d = L @ values
    statistic = d @ np.linalg.solve(L @ covariance @ L.T, d)
    test = comparison.contrast(L)
    assert test.statistic == pytest.approx(statistic, rel=1e-9)
    assert (test.df, test.denominator_df) == (2, 18)  # 20 cases in the smallest class
    assert test.pvalue == pytest.approx(stats.f.sf(statistic * 18 / (2 * 19), 2, 18), rel=1e-9)
    few = pr.compare([0, 0, 0, 1, 1, 1], {k: rng.normal(size=6) for k in "abcde"}, measure="auc")
    with pytest.warns(DegenerateComparisonWarning, match="too small for so many rows"):
        assert np.isnan(few.contrast(np.eye(5)[1:] - np.eye(5)[0]).pvalue)


def test_two_classes_delong_by_hand():
    """Two markers of five negatives and five positives, all placements written out."""
    y = [0] * 5 + [1] * 5
    one, two = [1, 2, 3, 4, 6, 5, 7, 8, 9, 10], [2, 1, 6, 9, 3, 4, 7, 8, 5, 10]
    comparison = pr.compare(y, {"one": one, "two": two}, measure="auc")
    above_one, below_one = np.array([0.8, 1, 1, 1, 1]), np.array([1, 1, 1, 1, 0.8])
    above_two, below_two = np.array([0.6, 0.8, 0.8, 0.6, 1]), np.array([1, 1, 0.6, 0.2, 1])
    expected = (np.cov(above_one, above_two) + np.cov(below_one, below_two)) / 5
    np.testing.assert_allclose(comparison.covariance, expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("key", THREE_CLASSES)
def test_identical_classifiers_differ_by_nothing_without_a_warning(key):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good, fair = scores_for(key, THREE["good"]), scores_for(key, THREE["fair"])
        comparison = pr.compare(Y, {"a": good, "b": good.copy(), "c": fair}, measure=key, labels=[0, 1, 2])
    same = comparison.difference("a", "b")
    assert (same.value, same.standard_error, same.pvalue) == (0, 0, 1)
    low, high = same.confidence_interval()
    assert low < 0 < high  # never of zero width
    assert comparison.difference("a", "c").pvalue == pytest.approx(
        comparison.difference("b", "c").pvalue, rel=1e-6
    )
    assert comparison.pvalue >= comparison.difference("a", "c").pvalue
    only = pr.compare(Y, {"a": good, "b": good}, measure=key, labels=[0, 1, 2])
    assert (only.statistic, only.pvalue) == (0, 1)


def test_a_score_that_ranks_like_another_is_the_other():
    rng = np.random.default_rng(36)
    y, s = datasets.Binormal(1.0).sample(30, rng=0)
    other = s + rng.normal(size=60)
    comparison = pr.compare(y, {"a": s, "b": other, "c": np.exp(s)}, measure="auc")
    assert comparison.difference("a", "c").pvalue == 1
    assert comparison.contrast([[1, -1, 0], [1, 0, -1]]).pvalue > 0


def test_different_cases_are_unpaired():
    one = pr.compare(Y, THREE, measure="hand_till")
    alone = {name: _scores(Y, P) for name, P in THREE.items()}
    apart = pr.compare(alone, measure="hand_till")
    assert list(apart.estimates) == list(THREE)
    np.testing.assert_allclose(apart.covariance, np.diag(np.diag(one.covariance)), rtol=0, atol=1e-15)
    pair = apart.difference("good", "fair")
    assert pair.standard_error == pytest.approx((apart.covariance[0, 0] + apart.covariance[1, 1]) ** 0.5)


def _scores(y, s):
    from polyroc.validation.scores import normalise

    return normalise(y, s)


def test_perfect_against_constant_is_a_difference_with_an_error():
    y = [0] * 50 + [1] * 50
    perfect = pr.compare(y, {"one": y, "two": [1] * 100}, measure="auc").difference("one", "two")
    assert perfect.standard_error == 0
    assert perfect.pvalue < 1e-6
    low, high = perfect.confidence_interval()
    assert (low, high) == pytest.approx((0.343, 0.630), abs=0.01)  # about that of proportions of 50 cases
    few = pr.compare([0, 0, 0, 1, 1, 1], {"one": range(6), "two": [1] * 6}, measure="auc")
    assert 0.05 < few.pvalue < 1


def test_two_perfect_classifiers_have_an_interval_of_positive_width():
    y = [0] * 5 + [1] * 5
    same = pr.compare(y, {"one": range(10), "two": np.arange(10) ** 2}, measure="auc").difference("one", "two")
    low, high = same.confidence_interval()
    assert -0.5 < low < -0.3  # Wilson's lower end for 5 of 5 is 0.566
    assert 0.3 < high < 0.5
    assert same.pvalue == 1


def test_class_without_a_case_makes_all_undefined():
    table = {name: np.column_stack([P, np.zeros(len(Y))]) for name, P in THREE.items()}
    with pytest.warns(UndefinedMeasureWarning, match="No case of class '3'"):
        comparison = pr.compare(Y, table, measure="hand_till", labels=[0, 1, 2, 3])
    assert np.isnan(comparison.pvalue)
    assert np.isnan(comparison.difference("good", "fair").adjusted_pvalue)


@pytest.mark.peer("scipy", "stats.false_discovery_control, to 1e-12")
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_adjustments_against_scipy_and_the_definition(pvalues):
    p = np.array(pvalues)
    m = len(p)
    np.testing.assert_allclose(adjust(p, "benjamini-hochberg"), stats.false_discovery_control(p), rtol=1e-12)
    np.testing.assert_allclose(adjust(p, "bonferroni"), np.minimum(1, m * p))
    order = np.argsort(p, kind="stable")
    holm, largest = np.empty(m), 0.0
    for step, i in enumerate(order):
        largest = max(largest, min(1.0, (m - step) * p[i]))
        holm[i] = largest
    np.testing.assert_allclose(adjust(p, "holm"), holm, rtol=1e-12)
    assert adjust(p, None) is p


def test_rows_hold_adjusted_p_values():
    holm = pr.compare(Y, THREE, measure="hand_till", adjustment="holm")
    raw = np.array([row["pvalue"] for row in holm.rows()])
    assert [row["adjusted_pvalue"] for row in holm.rows()] == pytest.approx(adjust(raw, "holm").tolist())
    assert [(row["first"], row["second"]) for row in holm.rows()] == [
        ("good", "fair"),
        ("good", "poor"),
        ("fair", "poor"),
    ]
    plain = pr.compare(Y, THREE, measure="hand_till", adjustment=None)
    assert [row["adjusted_pvalue"] for row in plain.rows()] == raw.tolist()


def test_margins_are_tested_by_the_interval(comparison):
    pair = comparison.difference("good", "fair")
    for p, end, null in (
        (pair.non_inferiority(0.05), 0, -0.05),
        (pair.superiority(), 0, 0.0),
        (pair.superiority(0.02), 0, 0.02),
        (1 - pair.superiority(0.4), 1, 0.4),
    ):
        assert pair.confidence_interval(1 - 2 * p)[end] == pytest.approx(null, abs=1e-6)
    assert pair.equivalence(0.3) == pytest.approx(pair.reversed().equivalence(0.3), rel=1e-6)
    both = pair.non_inferiority(0.3), pair.reversed().non_inferiority(0.3)
    assert pair.equivalence(0.3) == pytest.approx(max(both), rel=1e-9)
    risks = {name: P[:, 1:].sum(axis=1) for name, P in THREE.items()}
    cost = pr.compare(Y > 0, risks, measure="expected_cost(threshold=0.5)")
    saved = cost.difference("good", "poor")
    assert saved.value < 0
    assert saved.non_inferiority(0.01) < 0.5  # a lower cost is not worse
    assert saved.superiority() < 0.5
    assert "good is better than poor" in saved.sentence() or saved.pvalue > 0.05
    with pytest.raises(InputError, match="margin must be positive"):
        pair.non_inferiority(0)
    with pytest.raises(InputError, match="margin must be 0 or more"):
        pair.superiority(-0.1)
    for test in (pair.non_inferiority, pair.equivalence, pair.superiority):
        with pytest.raises(InputError, match=r"margin must be below 1, .* got 5; 5 percentage points are 0\.05"):
            test(5)


def test_conclusions_are_plain_sentences(comparison):
    sentence = comparison.conclusion()[1]
    assert sentence.startswith("good is better than poor by 0.")
    low, high = comparison.differences["good", "poor"].simultaneous_interval()
    assert f"(simultaneous 95 % {low:.3f} to {high:.3f})" in sentence
    assert sentence.endswith("(score test, max-t adjustment).")
    rng = np.random.default_rng(4)
    even = pr.compare(Y, {"a": noisy(0.3, rng), "b": noisy(0.3, rng)}, measure="accuracy")
    assert even.conclusion()[0].startswith("No difference is shown between ")
    assert "after" not in even.conclusion()[0]  # one pair needs no adjustment


def test_comparison_survives_json_and_pickle(comparison):
    for copy in (
        pr.results.Comparison.from_dict(json.loads(json.dumps(comparison.to_dict()))),
        pickle.loads(pickle.dumps(comparison)),
    ):
        assert copy.to_dict() == comparison.to_dict()
        assert copy.difference("poor", "good") == comparison.difference("poor", "good")
    assert ">good - fair</td>" in comparison._repr_html_()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: pr.compare(Y, {"a": THREE["good"]}, measure="hand_till"), "at least two classifiers, got 'a'"),
        (lambda: pr.compare(Y, THREE["good"], measure="hand_till"), "at least two classifiers, got 'classifier'"),
        (lambda: pr.compare({"a": THREE["good"]}, measure="auc"), "dict of Scores, .* by name; 'a' is a ndarray"),
        (lambda: pr.compare(Y, THREE, measure="auc"), "auc is for 2 classes, here 3"),
        (
            lambda: pr.compare(Y, THREE, measure="hand_till", adjustment="tukey"),
            "adjust.* must be 'max-t', 'holm'",
        ),
        (
            lambda: pr.compare(Y, THREE, measure="hand_till", method="delonk"),
            "no method 'delonk'; did you mean 'delong'",
        ),
        (
            lambda: pr.compare(Y, THREE, measure="ova").difference("good", "best"),
            "no classifier 'best'",
        ),
        (lambda: pr.compare(Y, THREE, measure="ova").difference("good", "good"), "needs two classifiers"),
        (lambda: pr.compare(Y, THREE, measure="ova").contrast([1, -1]), r"rows of 3 finite weights.*got shape"),
        (lambda: pr.compare(Y, THREE, measure="ova").contrast([1, 1, 0]), "must add up to zero"),
    ],
)
def test_what_cannot_be_compared(ask, message):
    with pytest.raises((InputError, NotApplicableError), match=message):
        ask()


@pytest.mark.slow
def test_p_values_are_uniform_under_the_null():
    """Two classifiers that are equal in truth: 400 samples, the share of p < 0.05 within exact binomial bounds."""
    y = np.repeat([0, 1], 60)
    rng = np.random.default_rng(9)
    pvalues = []
    for _ in range(400):
        truth = rng.normal(size=120) + y
        scores = {"a": truth + rng.normal(size=120), "b": truth + rng.normal(size=120)}
        pvalues.append(pr.compare(y, scores, measure="auc").pvalue)
    low, high = stats.binom.interval(0.999, 400, 0.05)
    assert low <= np.sum(np.array(pvalues) < 0.05) <= high
    assert stats.kstest(pvalues, "uniform").pvalue > 0.001


# --- the test that is asked for ---


def two_scores():
    rng = np.random.default_rng(40)
    y = np.repeat([0, 1], [22, 18])
    return y, {"a": rng.normal(size=40) + 1.8 * y, "b": rng.normal(size=40) + 1.2 * y}


@pytest.mark.peer("pROC", "roc.test and its interval, which are DeLong's")
def test_delongs_test_is_the_difference_over_its_standard_error():
    default, delong = (
        pr.compare(*two_scores(), measure="auc", test=test).difference("a", "b") for test in TESTS[:2]
    )
    z = default.value / default.standard_error
    assert delong.pvalue == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
    reach = 1.959963984540054 * default.standard_error
    assert delong.confidence_interval() == pytest.approx((delong.value - reach, delong.value + reach), abs=1e-9)
    assert delong.sentence().endswith(f"p = {delong.pvalue:.3f} (DeLong's test).")
    assert default.sentence().endswith(f"p = {default.pvalue:.3f} (score test).")
    comparison = pr.compare(*two_scores(), measure="auc")
    assert f"p: score test, paired by case; DeLong's z = {z:.2f}, p = {delong.pvalue:.3f}." in str(comparison)
    assert comparison.statistic == pytest.approx(abs(z), rel=1e-12)


def test_only_areas_have_delongs_z():
    """The names of the areas are those of the registry; the z of another measure is Wald's."""
    assert {key for key, one in MEASURES.items() if one.name in AREAS} == {
        key for key, one in MEASURES.items() if one.area_line is not None
    }
    y, scores = two_scores()
    chances = {name: 1 / (1 + np.exp(-score)) for name, score in scores.items()}
    assert "; Wald's z = " in str(pr.compare(y, chances, measure="brier"))


TESTS = ["score", "delong", "permutation", "bootstrap"]


@pytest.mark.parametrize("test", TESTS)
def test_a_test_is_stored_and_named_everywhere(test):
    comparison = pr.compare(*two_scores(), measure="auc", test=test)
    pair = comparison.difference("a", "b")
    again = pr.results.Comparison.from_json(comparison.to_json()).difference("a", "b")
    assert again.confidence_interval() == pytest.approx(pair.confidence_interval(), rel=1e-12)
    assert again.test == pair.test == comparison.rows()[0]["test"]
    assert f"p: {pair.test}" in str(comparison)
    assert comparison.rows()[0]["wald_pvalue"] == pair.wald_test()


def test_permutation_and_bootstrap_are_the_methods_of_these_names():
    for name, method in (("permutation", pr.methods.Permutation()), ("bootstrap", pr.methods.Bootstrap())):
        by_test = pr.compare(*two_scores(), measure="auc", test=name)
        assert by_test.pvalue == pr.compare(*two_scores(), measure="auc", method=method).pvalue
    own = pr.methods.Permutation(replicates=99, rng=3)
    assert pr.compare(*two_scores(), measure="auc", test="permutation", method=own).pvalue >= 0.01


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"test": "delong", "measure": "average_precision"},
            r"formula for auc, gini, not for average_precision",
        ),
        (
            {"test": "delong", "method": pr.methods.Jackknife()},
            r"needs the method 'delong', got 'jackknife'; leave out method",
        ),
        ({"test": "wilcoxon"}, "test must be "),
    ],
)
def test_tests_that_there_are_not(options, message):
    with pytest.raises(PolyrocError, match=message):
        pr.compare(*two_scores(), **{"measure": "auc", **options})


@pytest.mark.parametrize(
    ("measure", "test"),
    [
        ("auc", "score test"),
        ("log_loss", "Student's t test"),
        ("cost_area", "test by the two intervals (MOVER)"),
    ],
)
def test_the_test_is_named_as_it_is_made(measure, test):
    y, scores = two_scores()
    comparison = pr.compare(y, {name: 1 / (1 + np.exp(-s)) for name, s in scores.items()}, measure=measure)
    assert f"({test})" in comparison.conclusion()[-1]
    again = pr.results.Comparison.from_json(comparison.to_json())
    assert again.difference("a", "b").test == comparison.difference("a", "b").test == test
