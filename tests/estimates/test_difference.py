"""Intervals of differences, simultaneous intervals, and tests as inverted intervals."""

import gc
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize, stats

import polyroc as pr
from polyroc._results.provenance import Provenance
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.difference import ScoreRegion
from polyroc.estimates.estimate import Estimate
from polyroc.estimates.hypothesis_tests import one_sided, signed_root, two_sided
from polyroc.estimates.multiplicity import MaxT, adjust, adjusted_pvalues, critical_value

AGREEING = ["max-t", "bonferroni", "benjamini-hochberg", None]  # whose intervals exclude 0 exactly if p is small
ADJUSTMENTS = [*AGREEING, "holm"]


def estimate(value, error, n, limits=(0.0, 1.0), decisions=None):
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
        of_decisions=decisions,
    )


def naive_ends(first, second, variance, z, decisions=False):
    """Scan all differences: those in one run around the observed one that the definition does not reject."""
    (low, high), n = first.limits, first.fewest
    span, d = high - low, first.value - second.value
    own = first.standard_error**2, second.standard_error**2
    r = (sum(own) - variance) / 2 / sqrt(own[0] * own[1]) if own[0] * own[1] > 0 else 0.0
    r = min(max(r, 0.0), 0.999)
    middle = (first.value + second.value - 2 * low) / 2 / span

    def h(delta):
        half = np.abs(delta) / 2
        m = np.clip(middle, half, 1 - half)
        up, down = np.maximum((m + half) * (1 - m - half), 0), np.maximum((m - half) * (1 - m + half), 0)
        return up + down - 2 * r * np.sqrt(up * down)

    delta = np.linspace(-1, 1, 40_001)
    share = np.maximum(h(delta) / max(h(d / span), 1e-300), 0.7)
    share[(np.abs(delta) < abs(d) / span)] = np.minimum(share, 1)[np.abs(delta) < abs(d) / span]
    guard = (1 / n if decisions else 2 / n**2) / (1 + 2 * n * h(d / span))
    at = variance / span**2 * share + guard * np.abs(delta)
    if not variance / span**2 > 1e-3 * h(d / span) / n:
        at = np.maximum(h(delta) / n, guard * np.abs(delta))
    inside = np.abs(delta - d / span) <= z * np.sqrt(at) + 1e-12
    at = int(np.abs(delta - d / span).argmin())
    above, below = np.flatnonzero(~inside[at:]), np.flatnonzero(~inside[: at + 1][::-1])
    return (
        span * delta[at - below[0] + 1 if len(below) else 0],
        span * delta[at + above[0] - 1 if len(above) else -1],
    )


values = st.one_of(st.floats(0.02, 0.98), st.sampled_from([0.0, 0.5, 1.0]))


@given(
    values,
    values,
    st.floats(0.005, 0.2),
    st.floats(0.005, 0.2),
    st.floats(-0.9, 0.99),
    st.sampled_from([5, 20, 200]),
    st.sampled_from([True, None]),
)
def test_score_interval_is_its_definition(one, two, e1, e2, r, n, decisions):
    e1, e2 = (0.0 if value in (0.0, 1.0) else e for value, e in ((one, e1), (two, e2)))
    first, second = (estimate(value, e, n, decisions=decisions) for value, e in ((one, e1), (two, e2)))
    variance = e1**2 + e2**2 - 2 * r * e1 * e2
    slow = naive_ends(first, second, variance, 1.96, decisions)
    assert ScoreRegion(first, second, variance).ends(1.96) == pytest.approx(slow, abs=2e-4)  # the grid's step


@given(values, values, st.floats(0.0, 0.2), st.floats(0.0, 0.2), st.floats(-1, 1), st.integers(2, 500))
def test_score_interval_laws(one, two, e1, e2, r, n):
    first, second = estimate(one, e1, n), estimate(two, e2, n)
    variance = max(0.0, e1**2 + e2**2 - 2 * r * e1 * e2)
    region = ScoreRegion(first, second, variance)
    narrow, wide = region.ends(1.0), region.ends(2.0)
    assert wide[0] - 1e-9 <= narrow[0] <= one - two <= narrow[1] <= wide[1] + 1e-9
    assert -1 <= wide[0] <= wide[1] <= 1
    assert region.reversed().ends(2.0) == pytest.approx((-wide[1], -wide[0]), abs=1e-9)
    own = (e1**2 + e2**2 - variance) / 2.0 / (e1 * e2) if e1 * e2 > 0 else 0.0
    h = sum(p * (1 - p) for p in (one, two)) - 2 * min(max(own, 0), 0.999) * sqrt(
        one * (1 - one) * two * (1 - two)
    )
    if (
        abs(one - two) > 2.0 * sqrt(variance) + 1e-9 and variance > 2e-3 * h / n
    ):  # Wald's test rejects: so does this
        assert not wide[0] <= 0 <= wide[1]


def test_no_difference_without_any_variance_is_not_certain():
    ranked, decided = estimate(0.9, 0.05, 20), estimate(0.9, 0.05, 20, decisions=True)
    assert ScoreRegion(ranked, ranked, 0.0).ends(1.96) == pytest.approx((-0.0191, 0.0191), abs=1e-4)
    low, high = ScoreRegion(decided, decided, 0.0).ends(1.96)
    assert high == pytest.approx(-low)
    assert high == pytest.approx(1.96**2 / (20 + 1.96**2), abs=0.03)  # Tango's, without a discordant case


def test_many_cases_have_walds_interval():
    first, second = estimate(0.5, 0.001, 10**6), estimate(0.5, 0.001, 10**6)
    low, high = ScoreRegion(first, second, 1e-6).ends(1.96)
    assert (low, high) == pytest.approx((-0.00196, 0.00196), rel=3e-3)


def test_other_limits_scale_the_interval():
    plain = ScoreRegion(estimate(0.9, 0.03, 20), estimate(0.8, 0.04, 20), 0.001).ends(1.96)
    gini = ScoreRegion(estimate(0.8, 0.06, 20, (-1.0, 1.0)), estimate(0.6, 0.08, 20, (-1.0, 1.0)), 0.004).ends(
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
    st.sampled_from(AGREEING),
    st.sampled_from([0.9, 0.95]),
)
def test_intervals_agree_with_adjusted_p_values(z, how, level):
    max_t = MaxT(np.eye(4) + 0.5)
    z = np.array(z)
    pvalues = [two_sided(statistic) for statistic in z]
    adjusted = adjusted_pvalues(z, how, max_t)
    assume((np.abs(adjusted - (1 - level)) > 1e-6).all())
    critical = critical_value(pvalues, how, max_t, level)
    assert ((z > critical) == (adjusted < 1 - level)).all()


@pytest.mark.parametrize("effects", [[0, 0, 0, 0, 0], [0, 4, 8, 12, 16]])
def test_intervals_are_what_they_are_called(effects):
    """Simultaneous ones contain all differences in 95 % of samples; of FCR-adjusted ones shown, 5 % may miss."""
    covariance = 0.6 * np.eye(5) + 0.4
    covariance[0] *= 0.5
    covariance[:, 0] *= 0.5
    max_t, rng, runs = MaxT(covariance), np.random.default_rng(8), 2000
    first, second = np.triu_indices(5, 1)
    draws = rng.multivariate_normal(np.zeros(5), covariance, runs)
    errors = np.sqrt(
        np.array(
            [
                covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
                for i, j in zip(first, second, strict=True)
            ]
        )
    )
    misses = np.abs(draws[:, first] - draws[:, second]) / errors
    truth = (np.array(effects)[first] - np.array(effects)[second]) / errors
    z = (draws[:, first] - draws[:, second]) / errors + truth
    for how in ("max-t", "bonferroni", "holm"):  # one z for all samples
        critical = critical_value([0.5] * 10, how, max_t, 0.95)
        assert (misses < critical).all(axis=1).mean() > 0.935, how
    shares = []
    for of_sample, missed in zip(z, misses, strict=True):
        pvalues = [two_sided(value) for value in of_sample]
        shown = adjust(np.array(pvalues), "benjamini-hochberg") < 0.05
        critical = critical_value(pvalues, "benjamini-hochberg", max_t, 0.95)
        shares.append((missed[shown] > critical).mean() if shown.any() else 0.0)
    assert np.mean(shares) < 0.06


def test_what_cannot_be_adjusted():
    with pytest.raises(InputError, match="adjustment must be 'holm', 'bonferroni'"):
        adjust(np.array([0.1]), "max-t")


# --- through the public verbs ---

RNG = np.random.default_rng(4)
Y = np.repeat([0, 1], [15, 40])
SCORES = {name: RNG.normal(size=55) + gap * Y for name, gap in (("a", 0.5), ("b", 1.5), ("c", 3.0), ("d", 3.2))}


@pytest.mark.parametrize(
    "method", [pr.methods.Influence(), pr.methods.Bootstrap(300, rng=1), pr.methods.Permutation(199, rng=1)]
)
@pytest.mark.parametrize("how", AGREEING)
def test_an_interval_and_its_p_value_never_contradict_each_other(how, method):
    comparison = pr.compare(Y, SCORES, measure="auc", adjustment=how, method=method)
    for difference in comparison.differences.values():
        alone, together = difference.confidence_interval(), difference.adjusted_interval()
        assert (difference.pvalue < 0.05) == (not alone.low <= 0 <= alone.high)
        assert (difference.adjusted_pvalue < 0.05) == (not together.low <= 0 <= together.high)
        assert difference.adjusted_pvalue >= difference.pvalue - 1e-8  # roots are found to 1e-10
    for sentence, difference in zip(comparison.conclusion(), comparison.differences.values(), strict=True):
        assert ("is better than" in sentence) == (difference.adjusted_pvalue < 0.05)


def test_intervals_are_named_by_what_they_guarantee():
    """By every output: the sentence alone and in the conclusion, the table, the rows, JSON."""
    kinds = dict.fromkeys(ADJUSTMENTS, "simultaneous") | {
        "benjamini-hochberg": "FCR-adjusted",
        None: "pointwise",
    }
    for how, kind in kinds.items():
        comparison = pr.compare(Y, SCORES, measure="auc", adjustment=how)
        difference = comparison.difference("c", "a")
        text = "" if how is None else f"{kind} "
        low, high = difference.adjusted_interval()
        sentence = difference.sentence()
        assert f"({text}95 % {low:.3f} to {high:.3f})" in sentence
        assert ("adjustment" in sentence) == (how is not None)
        assert comparison.difference("a", "c").sentence() in comparison.conclusion()
        assert ("simultaneous" in str(comparison)) == (kind == "simultaneous")
        key = {"simultaneous": "simultaneous", "FCR-adjusted": "fcr_adjusted"}.get(kind)
        (row, *_), stored = comparison.rows(), comparison.to_dict()["differences"][0]
        assert {name for name in row if name.endswith("_low")} == ({f"{key}_low"} if key else set())
        assert {name for name in stored if name.endswith("_interval")} == (
            {"confidence_interval", f"{key}_interval"} if key else {"confidence_interval"}
        )
        if kind == "simultaneous":
            assert difference.simultaneous_interval() == (low, high)
        else:
            with pytest.raises(NotApplicableError, match=f"are {kind}, not simultaneous; take adjusted_interval"):
                difference.simultaneous_interval()
    max_t, holm = (pr.compare(Y, SCORES, measure="auc", adjustment=how) for how in ("max-t", "holm"))
    for pair, difference in holm.differences.items():
        assert difference.simultaneous_interval() == max_t.differences[pair].simultaneous_interval()


def test_a_pair_alone_has_a_plain_interval():
    comparison = pr.compare(Y, {name: SCORES[name] for name in "ac"}, measure="auc")
    difference = comparison.difference("c", "a")
    assert difference.simultaneous_interval() == difference.confidence_interval()
    assert "simultaneous" not in difference.sentence()


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
    boot = pr.evaluate(
        Y, SCORES["b"], measure="auc", null=0.5, method=pr.methods.Bootstrap(200, kind="bca", rng=0)
    )
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


def test_a_small_variance_is_not_taken_for_none():
    """Losses vary much less than proportions do: their variance was once taken for unknown, and power was lost."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [200, 20])
    shift, s = 6.0 * y, rng.normal(size=220)
    scores = {"sharp": 1 / (1 + np.exp(-(s + shift - 3) * 4)), "flat": 1 / (1 + np.exp(-(s + shift - 3) / 4))}
    pair = pr.compare(y, scores, measure="brier").difference("sharp", "flat")
    assert pair.pvalue <= pair.wald_test() * 1.5 + 0.01
