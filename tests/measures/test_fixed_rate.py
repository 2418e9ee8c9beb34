"""Sensitivity at a fixed specificity, and the reverse: twins, mirror image, errors of the threshold."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.stats import norm as normal

import naive
import polyroc as pr
from polyroc.errors import MeasureError, NotApplicableError
from strategies import ordered, weights

RATES = st.sampled_from([0.05, 0.1, 0.25, 1 / 3, 0.5, 0.6, 0.75, 0.9])


@given(ordered(c=2), RATES, st.data())
def test_value_is_that_of_the_slow_twin(cases, rate, data):
    y, s = cases
    w = data.draw(st.one_of(st.none(), weights(y)))
    plain = y.tolist(), s.tolist(), np.ones(len(y)).tolist() if w is None else w.tolist()
    sensitivity = pr.evaluate(y, s, measure=f"sensitivity(fpr={rate!r})", sample_weight=w, method=None)
    specificity = pr.evaluate(y, s, measure=f"specificity(tpr={rate!r})", sample_weight=w, method=None)
    assert sensitivity.value == pytest.approx(naive.sensitivity_at(*plain, rate), abs=1e-9)
    assert specificity.value == pytest.approx(naive.specificity_at(*plain, rate), abs=1e-9)


@pytest.mark.filterwarnings("ignore::polyroc.errors.FewEffectiveCasesWarning")
@given(st.integers(0, 2**32), st.integers(4, 40), RATES)
@example(781, 4, 0.25)  # the window ends where the curve is vertical
@example(4135207, 4, 0.05)  # less than one effective case bears on the value, which a warning says
def test_the_slope_and_the_error_are_those_of_the_slow_twin(seed, size, rate):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], [size, size // 2]))
    s = rng.normal(size=len(y)) + y  # distinct
    plain = y.tolist(), s.tolist()
    error = pr.evaluate(y, s, measure=f"sensitivity(fpr={rate!r})").standard_error
    assert error == pytest.approx(naive.sensitivity_at_error(*plain, rate), rel=1e-6, abs=1e-9)
    mirrored = pr.evaluate(1 - y, -s, measure=f"specificity(tpr={1 - rate!r})").standard_error
    assert mirrored == pytest.approx(naive.sensitivity_at_error(*plain, rate), rel=1e-6, abs=1e-9)


@given(ordered(c=2, least=2), RATES, st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_is_that_of_the_slow_twin(cases, rate, level):
    y, s = cases
    estimate = pr.evaluate(y, s, measure=f"sensitivity(fpr={rate!r})")
    twin = naive.pointwise_band(y.tolist(), s.tolist(), rate, level)
    # Where a binomial tail equals that of the level, the interval has a jump, and rounding decides.
    nearby = [naive.pointwise_band(y.tolist(), s.tolist(), rate, level + step) for step in (-1e-9, 1e-9)]
    assume(np.allclose(nearby, twin, atol=1e-6))
    np.testing.assert_allclose(estimate.confidence_interval(level), twin, atol=1e-9)


def test_the_interval_is_the_pointwise_band_and_is_stored():
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [60, 35])
    s = rng.normal(size=95) + 1.3 * y
    band, estimate = (
        pr.curve(y, s, band="pointwise").band,
        pr.evaluate(y, s, measure="sensitivity(specificity=0.9)"),
    )
    place = int(np.argmin(abs(band.x - 0.1)))
    assert estimate.confidence_interval() == pytest.approx((band.low[place], band.high[place]), abs=1e-12)
    stored = pr.results.Estimate.from_dict(estimate.to_dict())
    for level in (0.3, 0.5, 0.95, 0.97, 0.9999999):
        assert stored.confidence_interval(level) == estimate.confidence_interval(level)
    ends = np.array([estimate.confidence_interval(level) for level in np.linspace(0.05, 0.999, 40)])
    assert (np.diff(ends * [-1.0, 1.0], axis=0) >= 0).all()
    assert estimate.test(estimate.low + 1e-9) == pytest.approx(0.05, abs=1e-3)


def test_the_interval_counts_groups_weights_and_folds():
    """Copies of each case as a group, as weights, and the same cases in two folds change nothing."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [80, 60])
    s, measure = rng.normal(size=140) + 1.3 * y, "specificity(sensitivity=0.8)"
    once = pr.evaluate(y, s, measure=measure).confidence_interval()
    twice = pr.evaluate(np.tile(y, 2), np.tile(s, 2), measure=measure, groups=np.tile(np.arange(140), 2))
    assert twice.confidence_interval() == pytest.approx(once, abs=0.02)
    weighted = pr.evaluate(y, s, measure=measure, sample_weight=np.full(140, 3.0))
    assert weighted.confidence_interval() == pytest.approx(once, abs=1e-9)
    folds = pr.evaluate(np.tile(y, 2), np.tile(s, 2), measure=measure, folds=np.repeat([1, 2], 140))
    assert np.diff(folds.confidence_interval()) == pytest.approx(np.diff(once) / np.sqrt(2), rel=1e-6)


@given(ordered(c=2, least=2), RATES)
def test_specificity_is_the_mirror_image_of_sensitivity(cases, rate):
    y, s = cases
    one = pr.evaluate(y, s, measure=pr.measure("sensitivity", specificity=rate))
    two = pr.evaluate(1 - y, -s, measure=pr.measure("specificity", sensitivity=rate))
    assert one.value == pytest.approx(two.value, abs=1e-12)
    np.testing.assert_allclose(one.components, two.components, atol=1e-9)
    np.testing.assert_allclose(one.confidence_interval(), two.confidence_interval(), atol=1e-9)


def test_options_name_the_same_rate():
    y, s = np.repeat([0, 1], 50), np.random.default_rng(0).normal(size=100) + np.repeat([0, 1], 50)
    by_specificity, by_fpr = (
        pr.evaluate(y, s, measure=f"sensitivity({option})") for option in ("specificity=0.9", "fpr=0.1")
    )
    assert by_specificity.value == by_fpr.value
    assert by_specificity.standard_error == pytest.approx(by_fpr.standard_error, rel=1e-9)


@pytest.mark.slow
def test_standard_error_is_that_of_repeated_samples():
    """R (1 - R) / m + R'^2 u (1 - u) / n, with the slope of the true curve; and what 400 samples do."""
    rng, m, n, rate = np.random.default_rng(1), 2000, 1000, 0.1
    y = np.repeat([0, 1], [n, m])
    samples = [
        pr.evaluate(y, rng.normal(size=n + m) + 1.2 * y, measure=f"sensitivity(fpr={rate})") for _ in range(400)
    ]
    cut = normal.isf(rate)
    height, slope = normal.sf(cut - 1.2), normal.pdf(cut - 1.2) / normal.pdf(cut)
    error = np.sqrt(height * (1 - height) / m + slope**2 * rate * (1 - rate) / n)
    assert np.mean([estimate.standard_error for estimate in samples]) == pytest.approx(error, rel=0.05)
    assert np.std([estimate.value for estimate in samples]) == pytest.approx(error, rel=0.1)


def test_classifiers_are_compared_on_the_same_cases():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 200)
    common = rng.normal(size=400) + y
    scores = {"a": common + 0.5 * rng.normal(size=400), "b": common + 0.5 * rng.normal(size=400)}
    comparison = pr.compare(y, scores, measure="sensitivity(specificity=0.9)")
    difference = comparison.difference("a", "b")
    single = [estimate.standard_error for estimate in comparison.estimates.values()]
    assert difference.standard_error < np.hypot(*single)  # positively correlated
    assert 0 < difference.pvalue < 1


def test_constant_scores_are_on_the_diagonal():
    estimate = pr.evaluate([0, 0, 1, 1], [1, 1, 1, 1], measure="sensitivity(specificity=0.8)")
    assert estimate.value == pytest.approx(0.2)
    assert estimate.chance == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("sensitivity(specificity=1)", "specificity must be a number between 0 and 1, ends excluded, got 1"),
        ("sensitivity(fpr='low')", "fpr must be a number between 0 and 1, ends excluded, got 'low'"),
        ("sensitivity(specificity=0.9, fpr=0.1)", "takes one of specificity and fpr, got 2"),
        ("sensitivity(specificity=0.9, threshold=1)", "has no option 'threshold'; known: specificity, fpr"),
        ("specificity(tpr=0)", "tpr must be a number between 0 and 1"),
        ("net_benefit(threshold=1.5)", "threshold must be a probability between 0 and 1, ends excluded, got 1.5"),
    ],
)
def test_options_out_of_range(measure, message):
    with pytest.raises(MeasureError, match=message):
        pr.evaluate([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], measure=measure)


def test_net_benefit_needs_a_threshold_and_probabilities():
    with pytest.raises(NotApplicableError, match=r"write it like net_benefit\(threshold=0.2\)"):
        pr.evaluate([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], measure="net_benefit")
    with pytest.raises(NotApplicableError, match="values are from -3 to 4; turn the scores into probabilities"):
        pr.evaluate([0, 1, 0, 1], [-3, 0.2, 0.3, 4], measure="net_benefit(threshold=0.2)")


@given(st.sampled_from([0.1, 0.35, 0.7]), st.sampled_from(["cohort", "case-control"]))
def test_net_benefit_is_that_of_the_decision_curve(threshold, sampling):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 80)
    p = 1 / (1 + np.exp(-rng.normal(size=80) - y))
    benefit = pr.decision_curve(y, p, thresholds=[threshold], sampling=sampling)
    (curve,) = benefit.curves.values()
    estimate = pr.evaluate(y, p, measure=f"net_benefit(threshold={threshold})", sampling=sampling)
    assert estimate.value == pytest.approx(curve.value[0], abs=1e-12)
    assert estimate.standard_error == pytest.approx(curve.standard_error[0], rel=1e-9)
    assert estimate.value == pytest.approx(naive.net_benefit(y.tolist(), p.tolist(), [1.0] * 80, threshold))
