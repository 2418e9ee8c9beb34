"""Intervals: what each kind is, and that the default has no cliff, is never shorter and fades with more cases."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

import polyroc as pr
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.intervals import interval
from polyroc.measures.registry import measure
from polyroc.measures.sample import Sample
from polyroc.validation.scores import as_scores
from strategies import probabilities

Z = 1.959963984540054
places = st.floats(0.001, 0.999)
errors = st.floats(1e-9, 0.5)
sizes = st.floats(1, 1e6)


def wilson(p, n):
    middle, reach = p + Z**2 / (2 * n), Z * np.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))
    return (middle - reach) / (1 + Z**2 / n), (middle + reach) / (1 + Z**2 / n)


def on_logit_scale(p, variance):
    return tuple(expit(logit(p) + np.array([-Z, Z]) * np.sqrt(variance) / (p * (1 - p))))


def test_logit_and_wald_are_the_textbook_ones():
    low, high = interval(0.9, 0.03, (0, 1), fewest=50, kind="logit")
    assert (low, high) == pytest.approx(on_logit_scale(0.9, 0.03**2), abs=1e-12)
    gini = interval(0.8, 0.06, (-1, 1), fewest=50, kind="logit")
    assert gini == pytest.approx((2 * low - 1, 2 * high - 1))
    assert interval(0.9, 0.03, (0, 1), fewest=50, kind="wald") == pytest.approx((0.8412011, 0.9587989))
    assert interval(0.9, 0.3, (0, 1), fewest=50, kind="wald").high == 1


def naive_guarded(p, error, n):
    """From the definition, with p > 1/2: the lower end faces the middle of the range."""
    plain, edge = on_logit_scale(p, error**2), wilson(p, n)
    low, high = on_logit_scale(p, error**2 + 0.5 * p * (1 - p) / n**2)
    centre = (n * p + 0.5) / (n + 1)
    recentred, _ = on_logit_scale(centre, error**2 + 0.5 * centre * (1 - centre) / n**2)
    return min(plain[0], max(min(low, recentred), edge[0])), max(plain[1], min(high, edge[1]))


@given(st.floats(0.5, 0.999), st.floats(1e-3, 0.5), st.floats(2, 1e4))
def test_guarded_is_its_definition(p, error, n):
    low, high = interval(p, error, (0, 1), n)
    assert (low, high) == pytest.approx(naive_guarded(p, error, n), abs=1e-12)
    mirrored = interval(1 - p, error, (0, 1), n)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)
    gini = interval(2 * p - 1, 2 * error, (-1, 1), n)
    assert gini == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-9)


@given(places, errors, sizes)
def test_guarded_is_never_shorter_than_logit_and_goes_beyond_wilson_only_with_it(p, error, n):
    low, high = interval(p, error, (0, 1), n)
    plain, edge = interval(p, error, (0, 1), n, kind="logit"), wilson(p, n)
    assert low <= plain.low
    assert high >= plain.high
    assert low >= min(plain.low, edge[0]) - 1e-12  # the two Wilson's are added up in another order
    assert high <= max(plain.high, edge[1]) + 1e-12


@given(places, st.sampled_from([0.1, 0.3, 0.6]))
def test_guarded_becomes_logit_as_classes_grow(p, spread):
    """With error = spread sqrt(p (1 - p) / n), lengths on the logit scale have the ratio 1 + O(1 / sqrt(n))."""
    for n in (10**5, 10**7):
        error = spread * np.sqrt(p * (1 - p) / n)
        ends = np.array([interval(p, error, (0, 1), n, kind=kind) for kind in ("guarded", "logit")])
        length, plain = np.diff(np.log(ends / (1 - ends)))[:, 0]
        odd_cases = n * p * (1 - p)
        assert (
            1
            <= length / plain
            <= 1 + 0.2 / (spread * np.sqrt(odd_cases)) + 1 / (4 * spread**2 * n) + 1 / odd_cases
        )


def test_well_sized_classes_agree_with_logit_to_two_digits():
    rng = np.random.default_rng(0)
    estimate = pr.evaluate(
        np.repeat([0, 1], 100), np.r_[rng.normal(size=100), rng.normal(1, size=100)], measure="auc"
    )
    assert estimate.confidence_interval() == pytest.approx(
        tuple(estimate.confidence_interval(kind="logit")), abs=5e-3
    )


@pytest.mark.parametrize("n", [2, 5, 20, 100])
def test_no_cliff_where_a_value_nears_its_limit(n):
    """A perfect sample has Wilson's interval, and so, in the limit, has a sample with one error in ever more."""
    perfect = interval(1.0, 0.0, (0, 1), n)
    assert perfect == pytest.approx((wilson(1, n)[0], 1), abs=1e-12)
    near = [interval(1 - q, q, (0, 1), n) for q in (1e-6, 1e-8, 1e-10)]
    assert near[-1] == pytest.approx(perfect, abs=1e-4)
    assert all(interval.low <= 1 - 1e-3 for interval in near)
    mirrored = interval(1e-10, 1e-10, (0, 1), n)
    assert mirrored == pytest.approx((0, 1 - near[-1].low), abs=1e-9)


@pytest.mark.parametrize("kind", ["guarded", "logit", "wald"])
def test_without_a_standard_error_every_kind_is_wilsons(kind):
    for error in (0.0, np.nan):
        assert interval(0.7, error, (0, 1), 12, kind=kind) == pytest.approx(wilson(0.7, 12), abs=1e-12)
    assert np.isnan(interval(0.7, np.nan, (0, 1), np.nan, kind=kind)).all()
    assert interval(0.0, 0.0, (0, 0), 12, kind=kind) == (0, 0)


def test_effective_number_of_cases():
    """A class counts by its say: in M of c classes 2/c, in the accuracy its share of the cases."""
    y = np.repeat(["a", "b", "c"], [4, 10, 26])
    scores = np.random.default_rng(0).dirichlet(np.ones(3), size=40)
    evaluation = pr.evaluate(y, scores)
    expected = {"hand_till": 4 * 3 / 2, "accuracy": 40, "macro_average": 4 * 3, "pdi": 4}
    assert {key: evaluation["classifier", key].effective for key in expected} == pytest.approx(expected)
    rest = 4 / 30 + 4 / 14  # the share of class a among what is not b, and among what is not c
    assert evaluation["classifier", "ova"].effective == pytest.approx(4 * 3 / (1 + rest))
    assert {part.fewest for part in evaluation["classifier", "hand_till"].parts.values()} == {4, 10}
    two = pr.evaluate([0] * 7 + [1] * 9, np.arange(16) % 5)
    assert {two["classifier", key].effective for key in ("auc", "gini")} == {7}


@pytest.mark.parametrize("key", ["hand_till", "ova", "accuracy", "macro_average", "pairwise_accuracy", "ht3"])
@given(st.data())
def test_components_stay_within_their_reach(key, data):
    y, scores = data.draw(probabilities())
    sample = Sample(as_scores(y, scores), "classifier")
    for stratum in measure(key)(sample).strata():
        assert np.ptp(stratum.components) <= stratum.reach + 1e-12  # shares that add up to 1 but for rounding


def test_a_rare_class_of_little_weight_does_not_widen_the_interval():
    """Accuracy of 998 cases and 2 of a rare class, all right but ten: as of a share of 1,000."""
    y = np.repeat([0, 1], [998, 2])
    estimate = pr.evaluate(y, np.where(np.arange(1000) < 10, 1 - y, y), measure="accuracy")
    plain = estimate.confidence_interval(kind="logit")
    assert estimate.confidence_interval() == pytest.approx(plain, rel=1e-3)
    perfect = pr.evaluate(y, y, measure="accuracy")
    assert perfect.confidence_interval() == pytest.approx((1000 / (1000 + Z**2), 1))


def test_effective_survives_json_and_old_files_lack_it():
    rng = np.random.default_rng(1)
    estimate = pr.evaluate(np.repeat([0, 1, 2], 5), rng.dirichlet(np.ones(3), size=15), measure="hand_till")
    stored = estimate.to_dict()
    assert Estimate.from_dict(stored).confidence_interval() == estimate.confidence_interval()
    del stored["effective"]
    old = Estimate.from_dict(stored)
    assert old.effective is None
    assert old.confidence_interval() == interval(estimate.value, estimate.standard_error, (0, 1), 5)


def test_two_cases_of_a_rare_class_that_are_alike_are_not_taken_for_the_truth():
    y = np.repeat([0, 1], [40, 2])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimate = pr.evaluate(y, np.r_[np.arange(40.0), 31.2, 31.4], measure="auc")
    low, high = estimate.confidence_interval()
    assert high - low > 2 * np.diff(estimate.confidence_interval(kind="logit"))[0]


def test_the_upper_end_of_an_unbounded_loss_counts_half_a_case_with_a_large_loss():
    """Of 10 cases: h = 1/2 + ... + 1/10, error times sqrt(1 + h^2 / 20), value + h / 21 standard deviations."""
    value, error, n = 0.4, 0.1, 10
    h = sum(1 / i for i in range(2, n + 1))
    far = (value + h * error * np.sqrt(n) / 21) * np.exp(Z * error * np.sqrt(1 + h**2 / 20) / value)
    guarded = interval(value, error, (0, np.inf), n)
    assert guarded == pytest.approx((value / np.exp(Z * error / value), far), rel=1e-3)
    plain = interval(value, error, (0, np.inf), n, kind="logit")
    assert plain == pytest.approx((guarded.low, value * np.exp(Z * error / value)))
    assert interval(value, error, (0, np.inf), 1e9) == pytest.approx(plain, rel=1e-3)
    assert interval(-value, error, (-np.inf, 0), n) == pytest.approx((-plain.high, -plain.low))
    near = interval(value, error, (0, np.inf), n, level=1e-9)
    assert near == pytest.approx((value, value), abs=1e-7)


def test_the_test_of_a_log_loss_inverts_its_interval():
    y, p = np.arange(24) % 2, np.clip(np.random.default_rng(3).random(24), 0.02, 0.98)
    estimate = pr.evaluate(y, p, measure="log_loss")
    low, high = estimate.confidence_interval(0.9)
    assert [estimate.test(null=end) for end in (low, high)] == pytest.approx([0.1, 0.1], abs=1e-6)
