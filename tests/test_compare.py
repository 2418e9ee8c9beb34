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
from asking import THREE_CLASSES
from polyroc import datasets
from polyroc.errors import DegenerateComparisonWarning, InputError, NotApplicableError, UndefinedMeasureWarning
from polyroc.inference.multiplicity import adjust
from polyroc.measures import MEASURES

RNG = np.random.default_rng(3)
Y = np.repeat([0, 1, 2], [20, 25, 30])
TRUTH = np.eye(3)[Y]


def noisy(strength):
    P = RNG.dirichlet(np.ones(3), size=len(Y)) + strength * TRUTH
    return P / P.sum(axis=1, keepdims=True)


THREE = {"good": noisy(0.8), "fair": noisy(0.4), "poor": noisy(0.2)}


@pytest.fixture(scope="module")
def found():
    return pr.compare(Y, THREE, measure="hand_till")


def test_covariance_is_that_of_the_components(found):
    components = [estimate.components for estimate in found.estimates.values()]
    expected = sum(np.cov([c[k == Y] for c in components]) / (k == Y).sum() for k in range(3))
    np.testing.assert_allclose(found.covariance, expected, rtol=0, atol=1e-15)
    for i, estimate in enumerate(found.estimates.values()):
        assert estimate.standard_error == pytest.approx(found.covariance[i, i] ** 0.5, abs=1e-15)


def test_difference_is_delongs_z_test(found):
    pair = found.difference("good", "poor")
    V = found.covariance
    error = (V[0, 0] + V[2, 2] - 2 * V[0, 2]) ** 0.5
    assert pair.value == pytest.approx(float(found.estimates["good"]) - float(found.estimates["poor"]), abs=1e-15)
    assert pair.standard_error == pytest.approx(error, abs=1e-15)
    assert pair.pvalue == pytest.approx(2 * stats.norm.sf(abs(pair.value) / error), rel=1e-12)
    assert pair.confidence_interval() == pytest.approx(pair.value + np.array([-1, 1]) * 1.959963985 * error)
    back = found.difference("poor", "good")
    assert (back.value, back.pvalue) == (-pair.value, pair.pvalue)


def test_omnibus_test_is_hotellings_chi_square(found):
    values = np.array([float(e) for e in found.estimates.values()])
    L = np.array([[1, -1, 0], [0, 1, -1]])
    d = L @ values
    statistic = d @ np.linalg.solve(L @ found.covariance @ L.T, d)
    assert found.statistic == pytest.approx(statistic, rel=1e-9)
    assert found.df == 2
    assert found.pvalue == pytest.approx(stats.chi2.sf(statistic, 2), rel=1e-9)
    assert found.contrast(L) == pytest.approx((found.statistic, 2, found.pvalue), rel=1e-9)
    pair = found.difference("good", "fair")
    assert found.contrast([1, -1, 0]).pvalue == pytest.approx(pair.pvalue, rel=1e-9)


def test_two_classes_delong_by_hand():
    """Two markers of five negatives and five positives, all placements written out."""
    y = [0] * 5 + [1] * 5
    one, two = [1, 2, 3, 4, 6, 5, 7, 8, 9, 10], [2, 1, 6, 9, 3, 4, 7, 8, 5, 10]
    found = pr.compare(y, {"one": one, "two": two}, measure="auc")
    above_one, below_one = np.array([0.8, 1, 1, 1, 1]), np.array([1, 1, 1, 1, 0.8])
    above_two, below_two = np.array([0.6, 0.8, 0.8, 0.6, 1]), np.array([1, 1, 0.6, 0.2, 1])
    expected = (np.cov(above_one, above_two) + np.cov(below_one, below_two)) / 5
    np.testing.assert_allclose(found.covariance, expected, rtol=0, atol=1e-15)


def said(key, P):
    """Probabilities as the measure needs them: an ordered measure takes the mean class."""
    return P @ [0, 1, 2] if MEASURES[key].needs == "ordered" else P


@pytest.mark.parametrize("key", THREE_CLASSES)
def test_identical_classifiers_differ_by_nothing_without_a_warning(key):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        good, fair = said(key, THREE["good"]), said(key, THREE["fair"])
        found = pr.compare(Y, {"a": good, "b": good.copy(), "c": fair}, measure=key, labels=[0, 1, 2])
    same = found.difference("a", "b")
    assert (same.value, same.standard_error, same.pvalue) == (0, 0, 1)
    assert found.df == 1  # only c can differ
    assert found.pvalue == pytest.approx(found.difference("a", "c").pvalue, rel=1e-6)
    only = pr.compare(Y, {"a": good, "b": good}, measure=key, labels=[0, 1, 2])
    assert (only.statistic, only.df, only.pvalue) == (0, 0, 1)


def test_collinear_classifiers_add_no_degrees_of_freedom():
    """A third score that ranks like the first one is the first one."""
    y, s = datasets.Binormal(1.0).sample(30, rng=0)
    other = s + RNG.normal(size=60)
    found = pr.compare(y, {"a": s, "b": other, "c": np.exp(s)}, measure="auc")
    assert found.df == 1
    assert found.difference("a", "c").pvalue == 1


def test_different_cases_are_unpaired():
    one = pr.compare(Y, THREE, measure="hand_till")
    alone = {name: _scores(Y, P) for name, P in THREE.items()}
    apart = pr.compare(alone, measure="hand_till")
    assert list(apart.estimates) == list(THREE)
    np.testing.assert_allclose(apart.covariance, np.diag(np.diag(one.covariance)), rtol=0, atol=1e-15)
    pair = apart.difference("good", "fair")
    assert pair.standard_error == pytest.approx((apart.covariance[0, 0] + apart.covariance[1, 1]) ** 0.5)


def _scores(y, s):
    from polyroc._normalise import normalise

    return normalise(y, s)


def test_perfect_against_constant_has_no_p_value():
    y = [0, 0, 0, 1, 1, 1]
    with pytest.warns(DegenerateComparisonWarning, match="between one and two has no sampling variance"):
        found = pr.compare(y, {"one": y, "two": [1] * 6}, measure="auc")
    assert np.isnan(found.difference("one", "two").pvalue)
    assert np.isnan(found.pvalue)
    assert found.conclusion() == ["one and two cannot be compared: their difference has no standard error."]


def test_class_without_a_case_makes_all_undefined():
    table = {name: np.column_stack([P, np.zeros(len(Y))]) for name, P in THREE.items()}
    with pytest.warns(UndefinedMeasureWarning, match="No case of class '3'"):
        found = pr.compare(Y, table, measure="hand_till", labels=[0, 1, 2, 3])
    assert np.isnan(found.pvalue)
    assert np.isnan(found.difference("good", "fair").adjusted_pvalue)


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


def test_rows_hold_holms_p_values(found):
    raw = np.array([row["pvalue"] for row in found.rows()])
    assert [row["adjusted_pvalue"] for row in found.rows()] == pytest.approx(adjust(raw, "holm").tolist())
    assert [(row["first"], row["second"]) for row in found.rows()] == [
        ("good", "fair"),
        ("good", "poor"),
        ("fair", "poor"),
    ]
    plain = pr.compare(Y, THREE, measure="hand_till", adjustment=None)
    assert [row["adjusted_pvalue"] for row in plain.rows()] == raw.tolist()


def test_margins(found):
    pair = found.difference("good", "fair")
    d, s = pair.value, pair.standard_error
    assert pair.non_inferiority(0.05) == pytest.approx(stats.norm.sf((d + 0.05) / s), rel=1e-12)
    tost = max(stats.norm.sf((0.05 + d) / s), stats.norm.sf((0.05 - d) / s))
    assert pair.equivalence(0.05) == pytest.approx(tost, rel=1e-12)
    assert pair.reversed().equivalence(0.05) == pair.equivalence(0.05)
    risks = {name: P[:, 1:].sum(axis=1) for name, P in THREE.items()}
    cost = pr.compare(Y > 0, risks, measure="expected_cost(threshold=0.5)")
    saved = cost.difference("good", "poor")
    assert saved.value < 0
    assert saved.non_inferiority(0.01) < 0.5  # a lower cost is not worse
    assert "good is better than poor" in saved.sentence() or saved.pvalue > 0.05
    with pytest.raises(InputError, match="margin must be positive"):
        pair.non_inferiority(0)


def test_conclusions_are_plain_sentences(found):
    assert found.conclusion()[1].startswith("good is better than poor by 0.")
    assert "after Holm" in found.conclusion()[1]
    even = pr.compare(Y, {"a": noisy(0.3), "b": noisy(0.3)}, measure="accuracy")
    assert even.conclusion()[0].startswith("No difference is shown between ")
    assert "after" not in even.conclusion()[0]  # one pair needs no adjustment


def test_comparison_survives_json_and_pickle(found):
    for copy in (
        pr.Comparison.from_dict(json.loads(json.dumps(found.to_dict()))),
        pickle.loads(pickle.dumps(found)),
    ):
        assert copy.to_dict() == found.to_dict()
        assert copy.difference("poor", "good") == found.difference("poor", "good")
    assert "<td>good</td>" in found._repr_html_()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: pr.compare(Y, {"a": THREE["good"]}, measure="hand_till"), "at least two classifiers, got 'a'"),
        (lambda: pr.compare(Y, THREE["good"], measure="hand_till"), "at least two classifiers, got 'classifier'"),
        (lambda: pr.compare({"a": THREE["good"]}, measure="auc"), "dict of Scores by name .*'a' is a ndarray"),
        (lambda: pr.compare(Y, THREE, measure="auc"), "auc is for 2 classes, here 3"),
        (lambda: pr.compare(Y, THREE, measure="hand_till", adjustment="tukey"), "adjust.* must be 'holm'"),
        (lambda: pr.compare(Y, THREE, measure="hand_till", method="delong"), "method must be one of DeLong"),
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
