"""Intervals of differences, simultaneous intervals, and tests as inverted intervals."""

import gc
from math import cos, pi, sin, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize, special, stats

import polyroc as pr
from polyroc.errors import InputError
from polyroc.estimates.difference import JointRegion
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.hypothesis_tests import one_sided, signed_root, two_sided
from polyroc.estimates.multiplicity import MaxT, adjust, adjusted_pvalues, critical_values
from polyroc.results.provenance import Provenance

ADJUSTMENTS = ["max-t", "holm", "bonferroni", "benjamini-hochberg", None]


def estimate(value, error, n, limits=(0.0, 1.0)):
    return Estimate(
        measure="auc",
        name="",
        classifier="",
        value=value,
        standard_error=error,
        limits=limits,
        chance=None,
        fewest=n,
        provenance=Provenance({}, None),
    )


def naive_guarded_high(p, error, n, z, share):
    """The upper end of the guarded interval, recentred by a share."""

    def on_logit_scale(q, variance):
        return float(special.expit(special.logit(q) + z * sqrt(variance) / (q * (1 - q))))

    edge = (p + z * z / (2 * n) + z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))) / (1 + z * z / n)
    if error == 0:
        return edge
    centres = (p, (1 - share) * p + share * (n * p + 0.5) / (n + 1))
    guarded = max(on_logit_scale(q, error**2 + 0.5 * q * (1 - q) / n**2) for q in centres)
    return max(on_logit_scale(p, error**2), min(guarded, edge))


def naive_ends(first, second, variance, level):
    """From the definition: all pairs of ends on a fine grid of the ellipse, each from the guarded interval."""
    z = stats.norm.ppf(0.5 + level / 2)
    (low, high), n = first.limits, first.fewest
    span = high - low

    def guard(e):
        p = ((e.value - low) / span * n + 0.5) / (n + 1)
        return 0.5 * p * (1 - p) / n**2 * span**2

    v1, v2 = first.standard_error**2, second.standard_error**2
    scale = sqrt((v1 + guard(first)) * (v2 + guard(second)))
    r = max(-1.0, min(1.0, (v1 + v2 - variance) / 2 / scale)) if scale > 0 else 0.0

    def at(e, quantile):
        if quantile == 0:
            return e.value
        p, error = (e.value - low) / span, e.standard_error / span
        if quantile > 0:
            return low + span * naive_guarded_high(p, error, n, quantile, 1 - max(0, r))
        return high - span * naive_guarded_high(1 - p, error, n, -quantile, 1 - max(0, r))

    differences = []
    for a in np.linspace(0, 2 * pi, 3000):
        z1, z2 = z * cos(a), z * (r * cos(a) + sqrt(1 - r * r) * sin(a))
        differences.append(at(first, z1) - at(second, z2))
    wald = z * sqrt(variance)
    d = first.value - second.value
    return max(-span, min(*differences, d - wald)), min(span, max(*differences, d + wald))


values = st.one_of(st.floats(0.02, 0.98), st.sampled_from([0.0, 0.5, 1.0]))


@pytest.mark.slow
@given(
    values,
    values,
    st.floats(0.005, 0.2),
    st.floats(0.005, 0.2),
    st.floats(-0.9, 0.99),
    st.sampled_from([5, 20, 200]),
)
def test_region_is_its_definition(one, two, e1, e2, r, n):
    e1, e2 = (0.0 if value in (0.0, 1.0) else e for value, e in ((one, e1), (two, e2)))
    first, second = estimate(one, e1, n), estimate(two, e2, n)
    variance = e1**2 + e2**2 - 2 * r * e1 * e2
    low, high = JointRegion(first, second, variance).ends(stats.norm.ppf(0.975))
    slow = naive_ends(first, second, variance, 0.95)
    # 240 directions find the ends to 1 part in 250 of the width
    assert (low, high) == pytest.approx(slow, abs=(slow[1] - slow[0]) / 250)


@given(values, values, st.floats(0.0, 0.2), st.floats(0.0, 0.2), st.floats(-1, 1), st.integers(2, 500))
def test_region_laws(one, two, e1, e2, r, n):
    first, second = estimate(one, e1, n), estimate(two, e2, n)
    variance = max(0.0, e1**2 + e2**2 - 2 * r * e1 * e2)
    region = JointRegion(first, second, variance)
    narrow, wide = region.ends(1.0), region.ends(2.0)
    close = 1e-3 * (wide[1] - wide[0])  # of 120 directions
    assert wide[0] - close <= narrow[0] <= one - two <= narrow[1] <= wide[1] + close
    assert narrow[1] - narrow[0] > 0
    assert -1 <= wide[0] <= wide[1] <= 1
    back = region.reversed().ends(2.0)
    assert back == pytest.approx((-wide[1], -wide[0]), abs=2e-3 * (wide[1] - wide[0]))
    reach = 2.0 * sqrt(variance)
    assert wide[0] <= max(-1, one - two - reach) + 1e-12
    assert wide[1] >= min(1, one - two + reach) - 1e-12


def test_many_cases_far_from_the_limits_have_walds_interval():
    first, second = estimate(0.5, 0.001, 10**6), estimate(0.5, 0.001, 10**6)
    low, high = JointRegion(first, second, 1e-6).ends(1.96)
    assert (low, high) == pytest.approx((-0.00196, 0.00196), rel=1e-3)


def test_other_limits_scale_the_interval():
    plain = JointRegion(estimate(0.9, 0.03, 20), estimate(0.8, 0.04, 20), 0.001).ends(1.96)
    gini = JointRegion(estimate(0.8, 0.06, 20, (-1.0, 1.0)), estimate(0.6, 0.08, 20, (-1.0, 1.0)), 0.004).ends(
        1.96
    )
    assert gini == pytest.approx(2 * np.array(plain), rel=1e-12)


def test_signed_root_against_brent():
    def ends(z):
        return 2 - np.tanh(z) - 0.1 * z, 2 + 3 * z**2 + z

    for null in (1.9, 1.2, 0.5, 2.1, 7.0, 400.0):
        side = 0 if null < 2 else 1
        expected = optimize.brentq(lambda z, side=side, null=null: ends(z)[side] - null, 0, 37)
        assert abs(signed_root(ends, 2.0, null)) == pytest.approx(expected, rel=1e-8)
    assert signed_root(ends, 2.0, 2.0) == 0
    assert signed_root(lambda _: (1.0, 3.0), 2.0, 0.0) == np.inf
    assert np.isnan(signed_root(lambda _: (np.nan, np.nan), 2.0, 0.0))
    assert (two_sided(1.96), one_sided(1.96)) == pytest.approx((2 * stats.norm.sf(1.96), stats.norm.sf(1.96)))


# --- max-t ---


@pytest.mark.peer("scipy", "stats.studentized_range, for independent estimates of equal variance")
@pytest.mark.parametrize("k", [3, 5, 10])
def test_max_t_of_independent_equal_estimates_is_the_studentised_range(k):
    max_t = MaxT(np.eye(k))
    for z in (1.0, 2.0, 2.5, 3.0, 4.0, 5.0):
        exact = stats.studentized_range.sf(z * sqrt(2), k, np.inf)
        # four Monte Carlo errors of 16,384 draws; in the tail, of the 100 draws that scale Sidak's bound
        error = max(4 * sqrt(exact * (1 - exact) / 2**14), 0.4 * exact)
        assert max_t.adjusted(z) == pytest.approx(exact, abs=error if z > 3 else 4 * sqrt(exact / 2**14))


def test_max_t_of_classifiers_that_are_alike_needs_little_adjustment():
    covariance = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]])  # the second and third are one
    assert MaxT(covariance).adjusted(2.0) == pytest.approx(two_sided(2.0), rel=0.1)
    assert MaxT(np.array([[1.0, 0.5], [0.5, 1.0]])).adjusted(2.0) == two_sided(2.0)
    undefined = np.full((3, 3), np.nan)
    assert MaxT(undefined).adjusted(2.0) == pytest.approx(1 - (1 - two_sided(2.0)) ** 3)  # Sidak's bound


@given(st.lists(st.floats(0, 8), min_size=3, max_size=3), st.sampled_from([0.8, 0.95, 0.99]))
def test_adjusted_p_values_rise_with_p_and_lie_between_p_and_sidak(z, level):
    max_t = MaxT(np.eye(3) + 0.3)
    p = [two_sided(statistic) for statistic in z]
    adjusted = adjusted_pvalues(np.array(z), "max-t", max_t)
    for raw, corrected in zip(p, adjusted, strict=True):
        assert raw <= corrected <= 1 - (1 - raw) ** 3 + 1e-12
    assert list(np.argsort(z)) == list(np.argsort(-adjusted, kind="stable")) or len(set(adjusted)) < 3
    critical = max_t.critical(level)
    assert max_t.adjusted(critical + 1e-9) <= 1 - level
    assert max_t.adjusted(critical - 1e-3) >= 1 - level - 1e-9


@given(
    st.lists(st.floats(0.01, 6), min_size=6, max_size=6),
    st.sampled_from(ADJUSTMENTS),
    st.sampled_from([0.9, 0.95]),
)
def test_simultaneous_intervals_agree_with_adjusted_p_values(z, how, level):
    max_t = MaxT(np.eye(4) + 0.5)
    z = np.array(z)
    pvalues = np.array([two_sided(statistic) for statistic in z])
    adjusted = adjusted_pvalues(z, how, max_t)
    assume((np.abs(adjusted - (1 - level)) > 1e-6).all())
    critical = critical_values(pvalues, how, level, max_t)
    assert ((z > critical) == (adjusted < 1 - level)).all()


def test_what_cannot_be_adjusted():
    with pytest.raises(InputError, match="adjustment must be 'holm', 'bonferroni'"):
        adjust(np.array([0.1]), "max-t")


# --- through the public verbs ---

RNG = np.random.default_rng(4)
Y = np.repeat([0, 1], [15, 40])
SCORES = {name: RNG.normal(size=55) + gap * Y for name, gap in (("a", 0.5), ("b", 1.5), ("c", 3.0), ("d", 3.2))}


@pytest.mark.parametrize("method", [pr.DeLong(), pr.Bootstrap(300, rng=1), pr.Permutation(199, rng=1)])
@pytest.mark.parametrize("how", ADJUSTMENTS)
def test_an_interval_and_its_p_value_never_contradict_each_other(how, method):
    comparison = pr.compare(Y, SCORES, measure="auc", adjustment=how, method=method)
    for difference in comparison.differences.values():
        alone, together = difference.confidence_interval(), difference.simultaneous_interval()
        assert (difference.pvalue < 0.05) == (not alone.low <= 0 <= alone.high)
        assert (difference.adjusted_pvalue < 0.05) == (not together.low <= 0 <= together.high)
        assert difference.adjusted_pvalue >= difference.pvalue - 1e-8  # roots are found to 1e-10
    for sentence, difference in zip(comparison.conclusion(), comparison.differences.values(), strict=True):
        assert ("is better than" in sentence) == (difference.adjusted_pvalue < 0.05)


def test_one_sample_tests_are_inverted_intervals():
    area = pr.evaluate(Y, SCORES["b"], measure="auc", null=0.75)
    assert area.pvalue == area.test() == area.test(0.75)
    low, high = area.confidence_interval(1 - area.pvalue)
    assert min(abs(low - 0.75), abs(high - 0.75)) == pytest.approx(0, abs=1e-8)
    assert area.test(0.5, "greater") == pytest.approx(area.test(0.5) / 2)
    assert area.test(0.5, "less") == pytest.approx(1 - area.test(0.5) / 2)
    assert f"against {0.75}" in repr(area)
    assert area.row()["null"] == 0.75
    back = Estimate.from_dict(area.to_dict())
    assert back.pvalue == area.pvalue
    boot = pr.evaluate(Y, SCORES["b"], measure="auc", null=0.5, method=pr.Bootstrap(200, rng=0))
    assert boot.pvalue >= 1 / 201


def test_null_of_several_measures():
    evaluation = pr.evaluate(Y, SCORES["b"], measure=["auc", "gini"], null="chance")
    assert [evaluation["auc"].null, evaluation["gini"].null] == [0.5, 0.0]
    assert evaluation["auc"].pvalue == pytest.approx(evaluation["gini"].pvalue)
    one = pr.evaluate(Y, SCORES["b"], measure=["auc", "gini"], null={"auc": 0.6})
    assert (one["auc"].null, one["gini"].null, one["gini"].pvalue) == (0.6, None, None)


def area(**options):
    return pr.evaluate(Y, SCORES["b"], measure="auc", **options)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: area(null=1.5), "null must be a number from 0 to 1 for auc"),
        (lambda: area(null="luck"), "null must be a number from 0 to 1"),
        (lambda: area(null=0.5, method=None), "needs a standard error"),
        (lambda: area().test(2.0), "null must be between 0 and 1 for auc, got 2.0"),
        (lambda: area().test(alternative="up"), "alternative must be 'two-sided'"),
        (
            lambda: pr.evaluate(Y, SCORES["b"], measure="ppv(threshold=0.5)").test(),
            "has no chance value to test against; use null",
        ),
    ],
)
def test_tests_that_cannot_be_made(ask, message):
    with pytest.raises(InputError, match=message):
        ask()


@pytest.mark.slow
@pytest.mark.parametrize("verb", [pr.compare, pr.evaluate])
def test_results_are_freed_without_the_garbage_collector(verb):
    # A cycle would keep the scores behind a result, perhaps hundreds of megabytes, until the next collection.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    scores = {name: y + rng.normal(size=60) for name in "abc"}
    verb(y, scores, measure="auc")  # caches are filled
    gc.disable()
    try:
        gc.collect()
        verb(y, scores, measure="auc")
        assert gc.collect() == 0
    finally:
        gc.enable()
