"""Pairs of learners: corrected t, Wilcoxon, the Bayesian tests, pooled predictions; which test to take."""

import json
from itertools import combinations
from math import isnan

import baycomp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
import polyroc as pr
from polyroc.errors import DegenerateComparisonWarning, InputError, NotApplicableError
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries.bayesian import Posteriors, drawn_thetas
from polyroc.studies.summaries.paired_tests import PairedTests, hodges_lehmann, walsh_interval
from polyroc.studies.summaries.recommendation import Recommendation
from polyroc.studies.summaries.spread import Spread, WilcoxonErrors
from polyroc.validation.scores import as_scores

S = pr.studies.summaries


def table(values, measure="auc", train=90.0, test=10.0, data_set="a"):
    values = np.asarray(values, dtype=float)
    blocks = tuple((0, k) for k in range(len(values)))
    learners = tuple("abcdefghijklmnopqrstuvw"[: values.shape[1]])
    return FoldTable(values, learners, blocks, train, test, data_set, measure)


def numbers(n, most=8, unit=8):
    return st.lists(st.integers(-most, most).map(lambda v: v / unit), min_size=n, max_size=n)


# Corrected t ----------------------------------------------------------------------------------------------------


@given(st.integers(2, 12), st.integers(0, 2**16), st.floats(0.5, 50))
def test_corrected_t_is_its_twin(n, seed, train):
    a, b = np.random.default_rng(seed).normal(size=(2, n))
    tests = S.corrected_t({"a": a, "b": b}, train_size=train, test_size=2.0)["a", "b"]
    assert tests.statistic == pytest.approx(naive.corrected_t(a, b, train, 2.0), rel=1e-9)
    assert tests.pvalue == pytest.approx(2 * stats.t.sf(abs(tests.statistic), n - 1), rel=1e-9)


@pytest.mark.peer("scipy", "stats.ttest_rel, where training sets do not overlap")
def test_without_overlap_it_is_the_paired_t_test():
    a, b = np.random.default_rng(0).normal(size=(2, 9))
    peer = stats.ttest_rel(a, b)
    tests = S.corrected_t({"a": a, "b": b}, train_size=1e12, test_size=1.0)["a", "b"]
    assert (tests.statistic, tests.pvalue) == pytest.approx((peer.statistic, peer.pvalue), rel=1e-9)
    assert tuple(tests.confidence_interval(0.9)) == pytest.approx(tuple(peer.confidence_interval(0.9)), rel=1e-9)


def test_repeated_folds_do_not_make_it_ever_surer():
    """The same differences ten times over: the plain t grows by sqrt(10), the corrected one hardly."""
    d = np.random.default_rng(1).normal(0.5, 1, size=10)
    once, often = (
        S.corrected_t({"a": differences, "b": 0 * differences}, train_size=90, test_size=10)["a", "b"].statistic
        for differences in (d, np.tile(d, 10))
    )
    assert 1 < often / once < 1.4


def test_p_values_are_adjusted_by_holm_and_pairs_turn_round():
    y = np.random.default_rng(2).normal([0, 1, 2], 1, size=(10, 3))
    tests = S.corrected_t(table(y))
    raw = np.array([test.pvalue for test in tests.tests.values()])
    order = np.sort(raw)
    assert max(test.adjusted_pvalue for test in tests.tests.values()) <= 1
    assert min(test.adjusted_pvalue for test in tests.tests.values()) == pytest.approx(3 * order[0])
    turned, straight = tests["b", "a"], tests["a", "b"]
    assert (turned.value, turned.statistic) == (-straight.value, -straight.statistic)
    assert turned.pvalue == straight.pvalue
    assert S.corrected_t(table(y), adjustment=None)["a", "b"].adjusted_pvalue == straight.pvalue
    with pytest.raises(InputError, match="no pair of learners"):
        tests["a", "a"]


def test_the_sizes_of_the_sets_are_needed():
    with pytest.raises(InputError, match="train_size=nan"):
        S.corrected_t({"a": [1.0, 2.0], "b": [2.0, 5.0]})
    with pytest.raises(InputError, match="test_size=0"):
        S.correlated_t({"a": [1.0, 2.0], "b": [2.0, 5.0]}, train_size=9, test_size=0)


def test_a_difference_without_spread_has_no_p_value():
    y = np.array([[0.9, 0.8, 0.9], [0.8, 0.7, 0.8], [0.7, 0.6, 0.7]])
    with pytest.warns(DegenerateComparisonWarning, match="same in every fold"):
        tests = S.corrected_t(table(y))
    assert isnan(tests["a", "b"].pvalue)
    assert isnan(tests["a", "b"].statistic)
    assert tests["a", "c"].pvalue == 1.0
    with pytest.warns(DegenerateComparisonWarning):
        believed = S.correlated_t(table(y), rope=0.01)
    assert (believed["a", "b"].first_better, believed["a", "c"].equivalent) == (1.0, 1.0)
    with pytest.raises(NotApplicableError, match="no posterior density"):
        believed["a", "b"].density(np.zeros(1))


# Wilcoxon -------------------------------------------------------------------------------------------------------


@given(st.integers(2, 9).flatmap(lambda n: st.tuples(numbers(n), numbers(n))))
def test_wilcoxon_is_its_twin_with_ties_and_zeros(drawn):
    a, b = drawn
    tests = S.wilcoxon({"a": a, "b": b})["a", "b"]
    statistic, pvalue = naive.signed_rank([x - y for x, y in zip(a, b, strict=True)])
    assert (tests.statistic, tests.pvalue) == pytest.approx((statistic, pvalue), abs=1e-12)
    turned = tests.reversed()
    again = S.wilcoxon({"b": b, "a": a})["b", "a"]
    assert (turned.statistic, turned.value, turned.pvalue) == pytest.approx(
        (again.statistic, again.value, again.pvalue), abs=1e-12
    )


@pytest.mark.peer("scipy", "wilcoxon, exact, without ties")
@given(st.integers(3, 40), st.integers(0, 2**16))
def test_wilcoxon_is_that_of_scipy(n, seed):
    a, b = np.random.default_rng(seed).normal(size=(2, n))
    peer = stats.wilcoxon(a, b, method="exact")
    tests = S.wilcoxon({"a": a, "b": b})["a", "b"]
    assert min(tests.statistic, n * (n + 1) / 2 - tests.statistic) == peer.statistic
    assert tests.pvalue == pytest.approx(peer.pvalue, rel=1e-9)


def test_very_many_data_sets_are_approximated():
    a = np.random.default_rng(0).normal(0.1, 1, size=300)
    tests = S.wilcoxon({"a": a, "b": 0 * a})["a", "b"]
    assert tests.pvalue == pytest.approx(stats.wilcoxon(a, method="approx").pvalue, rel=1e-12)
    low, high = tests.confidence_interval()
    assert low < tests.value < high


def test_equal_learners_have_p_1():
    tests = S.wilcoxon({"a": [0.1, 0.2, 0.3], "b": [0.1, 0.2, 0.3]})["a", "b"]
    assert (tests.value, tests.statistic, tests.pvalue) == (0.0, 0.0, 1.0)


def test_differences_that_tie_on_paper_tie():
    """0.3 - 0.2 and 0.2 - 0.1 differ in their last digit."""
    tests = S.wilcoxon({"a": [0.3, 0.1, 0.9], "b": [0.2, 0.2, 0.5]})["a", "b"]
    assert tests.statistic == 4.5


@given(st.integers(6, 12), st.integers(0, 2**16), st.sampled_from([0.8, 0.95]))
def test_the_interval_is_what_the_test_does_not_reject(n, seed, level):
    d = np.random.default_rng(seed).normal(size=n)
    low, high = walsh_interval(d, level)
    width = high - low
    for shift, kept in ((low + 1e-9 * width, True), (low - 1e-9 * width, False)):
        assert (naive.signed_rank((d - shift).tolist())[1] > 1 - level) == kept
    assert low <= hodges_lehmann(d) <= high


def test_five_data_sets_have_no_95_per_cent_interval():
    assert all(map(isnan, walsh_interval(np.arange(5.0))))
    assert not any(map(isnan, walsh_interval(np.arange(6.0))))


# Bayesian -------------------------------------------------------------------------------------------------------


@pytest.mark.peer("baycomp", "CorrelatedTTest, to 1e-12")
@pytest.mark.parametrize("rope", [0.0, 0.01, 0.2])
@pytest.mark.parametrize("runs", [1, 3])
def test_correlated_t_is_that_of_baycomp(rope, runs):
    a, b = np.random.default_rng(runs).normal(0.8, 0.1, size=(2, 12))
    k = 12 // runs
    posteriors = S.correlated_t({"a": a, "b": b}, rope=rope, train_size=k - 1, test_size=1)["a", "b"]
    peer = baycomp.CorrelatedTTest.probs(a, b, rope, runs)
    ours = (posteriors.first_better, posteriors.equivalent, posteriors.second_better)
    assert ours == pytest.approx(peer if rope else (peer[0], 0.0, peer[1]), abs=1e-12)


def test_one_side_of_the_posterior_is_half_the_p_value():
    y = np.random.default_rng(3).normal([0.8, 0.7], 0.1, size=(10, 2))
    p = S.corrected_t(table(y))["a", "b"].pvalue
    posteriors = S.correlated_t(table(y), rope=0.0)["a", "b"]
    assert min(posteriors.first_better, posteriors.second_better) == pytest.approx(p / 2, rel=1e-9)
    x = np.linspace(-60, 60, 200_001) * posteriors.scale + posteriors.location
    assert np.trapezoid(posteriors.density(x), x) == pytest.approx(1.0, abs=1e-9)


def test_the_better_of_two_costs_is_the_smaller():
    y = np.random.default_rng(3).normal([0.8, 0.5], 0.1, size=(10, 2))
    for test in (S.correlated_t, lambda table, rope: S.signed_rank([table] * 4, rope=rope, n=500)):
        gain = test(table(y), rope=0.01)["a", "b"]
        cost = test(table(y, "expected_cost"), rope=0.01)["a", "b"]
        assert (gain.first_better, gain.second_better) == (cost.second_better, cost.first_better)
        assert gain.first_better > 0.9


@pytest.mark.peer("baycomp", "SignedRankTest, within the error of the draws")
@pytest.mark.parametrize("rope", [0.0, 0.02, 0.1])
def test_signed_rank_is_that_of_baycomp(rope):
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.8, 0.05, 10), rng.normal(0.82, 0.05, 10)
    posteriors = S.signed_rank({"a": a, "b": b}, rope=rope)["a", "b"]
    peer = baycomp.SignedRankTest.probs(a, b, rope, nsamples=10_000, random_state=0)
    ours = (posteriors.first_better, posteriors.equivalent, posteriors.second_better)
    expected = peer if rope else (peer[0], 0.0, peer[1])
    assert ours == pytest.approx(expected, abs=5 * 0.5 / np.sqrt(10_000))  # five standard errors of the smaller


@given(st.integers(1, 6).flatmap(numbers), st.sampled_from([0.0, 0.125, 0.2, 0.5]), st.floats(0.1, 3))
def test_shares_of_a_draw_are_their_twin(differences, rope, prior):
    d = np.array(differences)
    (thetas,) = drawn_thetas(d[:, None], rope, prior, 3, 7)
    w = np.random.default_rng(7).standard_gamma(np.array([prior, *np.ones(len(d))]), size=(3, len(d) + 1))
    for row, weights in zip(thetas[:, :, 0], w / w.sum(axis=1, keepdims=True), strict=True):
        assert row == pytest.approx(naive.signed_rank_shares(differences, weights.tolist(), rope), abs=1e-12)


def test_a_mean_difference_on_the_border_is_half_whatever_its_rounding():
    """0.1 + 0.2 is not 2 times 0.15 in binary numbers."""
    (thetas,) = drawn_thetas(np.array([[0.1], [0.2]]), 0.15, 0.5, 4, 7)
    w = np.random.default_rng(7).standard_gamma(np.array([0.5, 1.0, 1.0]), size=(4, 3))
    w /= w.sum(axis=1, keepdims=True)
    assert thetas[:, 0, 0] == pytest.approx(w[:, 2] ** 2 + w[:, 1] * w[:, 2], abs=1e-12)


def test_a_pair_of_posteriors_turns_round():
    posteriors = S.correlated_t(table(np.random.default_rng(3).normal([0.8, 0.7], 0.1, size=(10, 2))))
    one, other = posteriors["a", "b"], posteriors["b", "a"]
    assert (other.first_better, other.second_better) == (one.second_better, one.first_better)
    x = np.linspace(-0.3, 0.3, 7)
    assert other.density(-x) == pytest.approx(one.density(x), rel=1e-12)


def test_the_sample_is_what_the_probabilities_are_made_of():
    y = np.random.default_rng(5).normal(0.8, 0.1, size=(8, 3))
    posteriors = S.signed_rank({"a": y[:, 0], "b": y[:, 1], "c": y[:, 2]}, rope=0.02, n=3000, rng=11)
    for a, b in combinations("abc", 2):
        sample = posteriors.sample(a, b)
        assert sample.shape == (3000, 3)
        assert sample.sum(axis=1) == pytest.approx(np.ones(3000), abs=1e-12)
        shares = np.bincount(sample.argmax(axis=1), minlength=3) / 3000
        assert [
            posteriors[a, b].first_better,
            posteriors[a, b].equivalent,
            posteriors[a, b].second_better,
        ] == pytest.approx(shares, abs=1e-12)
    assert posteriors.sample("b", "a") == pytest.approx(posteriors.sample("a", "b")[:, ::-1], abs=1e-12)
    again = S.signed_rank({"a": y[:, 0], "b": y[:, 1], "c": y[:, 2]}, rope=0.02, n=3000, rng=11)
    assert again.to_dict() == posteriors.to_dict()


def test_draws_in_blocks_are_the_same_draws(monkeypatch):
    from polyroc.studies.summaries import bayesian

    d = np.random.default_rng(6).normal(size=(5, 2))
    whole = np.concatenate(list(drawn_thetas(d, 0.1, 0.5, 50, 3)))
    monkeypatch.setattr(bayesian, "MOST_NUMBERS", 200)
    parts = list(drawn_thetas(d, 0.1, 0.5, 50, 3))
    assert len(parts) > 1
    assert np.concatenate(parts) == pytest.approx(whole, abs=1e-15)


def test_equal_learners_are_equivalent_or_share():
    same = {"a": [0.5, 0.6, 0.7], "b": [0.5, 0.6, 0.7]}
    inside = S.signed_rank(same, rope=0.01, n=200)["a", "b"]
    assert inside.equivalent == 1.0
    split = S.signed_rank(same, rope=0.0, n=200)["a", "b"]
    assert (split.first_better, split.second_better) == (0.5, 0.5)


def test_a_generator_is_turned_into_a_seed():
    y = {"a": [0.5, 0.6, 0.7], "b": [0.6, 0.5, 0.7]}
    posteriors = S.signed_rank(y, n=200, rng=np.random.default_rng(0))
    assert isinstance(posteriors.provenance.seed, int)
    assert posteriors.sample("a", "b").shape == (200, 3)


def test_bad_options_are_rejected():
    y = {"a": [0.5, 0.6], "b": [0.6, 0.5]}
    for bad in ({"rope": -1}, {"rope": np.nan}, {"prior": 0}, {"n": 0}, {"rng": -1}, {"rng": "seed"}):
        with pytest.raises(InputError):
            S.signed_rank(y, **bad)
    posteriors = S.correlated_t(table(np.random.default_rng(0).normal(size=(5, 2))))
    with pytest.raises(NotApplicableError, match="draws no sample"):
        posteriors.sample("a", "b")


# Spread, pooled predictions, what to take -----------------------------------------------------------------------


def test_spread_counts_failed_folds_by_learner():
    y = np.array([[0.9, 0.8], [0.7, np.nan], [0.8, np.nan], [0.6, np.nan]])
    spread = S.spread(table(y), fold_counts={"a": (10, 20)})
    one = spread["a", "a"]
    assert (one.folds, one.failed) == (4, 0)
    assert (one.mean, one.standard_deviation) == pytest.approx((0.75, np.std(y[:, 0], ddof=1)))
    assert one.error_of_mean == pytest.approx(one.standard_deviation / 2)
    assert spread["a", "b"].failed == 3
    assert isnan(spread["a", "b"].standard_deviation)
    assert one.wilcoxon_error == pytest.approx(S.wilcoxon_error("auc", 0.75, 10, 20), rel=1e-12)


def test_a_learner_that_always_fails_has_no_spread():
    spread = S.spread(table([[0.9, np.nan], [0.7, np.nan]]), fold_counts=(10, 20))
    lost = spread["a", "b"]
    assert (lost.folds, lost.failed) == (0, 2)
    assert all(map(isnan, (lost.mean, lost.standard_deviation, lost.error_of_mean, lost.wilcoxon_error)))
    assert Spread.from_dict(json.loads(json.dumps(spread.to_dict()))).rows() == spread.rows()


def test_se_w_is_the_exponential_error_of_hanley_and_mcneil():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 20])
    estimate = pr.evaluate(
        y, rng.normal(size=50) + y, measure="auc", method=pr.methods.HanleyMcNeil(kind="exponential")
    )
    assert S.wilcoxon_error("auc", estimate.value, 20, 30) == pytest.approx(estimate.standard_error, rel=1e-12)
    assert S.wilcoxon_error("gini", 2 * estimate.value - 1, 20, 30) == pytest.approx(
        2 * estimate.standard_error, rel=1e-12
    )


def test_other_measures_have_no_se_w():
    y = np.random.default_rng(0).normal(0.8, 0.1, size=(5, 2))
    spread = S.spread(table(y, "accuracy"), fold_counts=(10, 20))
    assert not spread.has_errors
    assert spread.line is None
    with pytest.raises(InputError, match="fold_counts"):
        S.spread(table(y), fold_counts=(10, 0))
    with pytest.raises(InputError, match="one measure"):
        S.spread([table(y), table(y, "gini")])


def test_the_line_through_errors_and_deviations():
    rng = np.random.default_rng(1)
    tables = [table(rng.normal(0.6 + 0.05 * k, 0.1 - 0.01 * k, (10, 3)), data_set=str(k)) for k in range(4)]
    spread = S.spread(tables, fold_counts=(15, 15))
    x = [fold_spread.wilcoxon_error for fold_spread in spread.spreads.values()]
    y = [fold_spread.standard_deviation for fold_spread in spread.spreads.values()]
    peer = stats.linregress(x, y)
    assert spread.line == pytest.approx((peer.rvalue, peer.slope, peer.intercept), rel=1e-9)


@pytest.mark.parametrize(
    "bad", [{"areas": [1.2]}, {"areas": []}, {"positives": [0]}, {"negatives_per_positive": 0}]
)
def test_errors_of_no_areas_or_sizes_are_rejected(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        S.wilcoxon_errors(**bad)


def test_errors_count_negatives_by_positives():
    errors = S.wilcoxon_errors([0.8], [10, 20], negatives_per_positive=3)
    assert errors.errors.tolist() == [[S.wilcoxon_error("auc", 0.8, n, 3 * n) for n in (10, 20)]]


def out_of_fold():
    rng = np.random.default_rng(7)
    y = np.arange(120) % 2
    learners = {"a": rng.normal(size=120) + y, "b": rng.normal(size=120) + 0.5 * y}
    return as_scores(y, learners, folds=np.arange(120) // 12)


def test_pooled_predictions_go_through_the_verbs():
    scores = out_of_fold()
    test = S.fold_test(scores, "auc", pooled=True)
    fold = np.arange(120) // 12
    groups = as_scores(scores.codes, dict(scores.values), groups=fold)
    assert test.to_dict() == pr.compare(groups, measure="auc").to_dict()
    assert S.pooled_roc(scores)["a"].area.value == pytest.approx(test.estimates["a"].value, rel=1e-12)
    own = [(scores.codes[fold == k], scores.values["a"][fold == k]) for k in range(10)]
    folds = [float(pr.evaluate(*cases, measure="auc", method=None)) for cases in own]
    averaged, expected = S.averaged_roc(scores)["a"].area, pr.evaluate(scores, measure="auc")["a", "auc"]
    assert averaged.value == pytest.approx(np.mean(folds), rel=1e-9)
    assert averaged.standard_error == expected.standard_error
    with pytest.raises(InputError, match="needs the fold of each case"):
        S.averaged_roc(scores._replace(folds=None))


@pytest.mark.parametrize(
    ("data_sets", "learners", "folds", "test_size", "test"),
    [
        (1, 3, 10, 10.0, "corrected_t"),
        (1, 3, 1, 10.0, "fold_test"),
        (1, 2, 50, 1.0, "fold_test"),
        (4, 3, 10, 10.0, "corrected_t"),
        (5, 2, 10, 10.0, "corrected_t"),
        (6, 2, 10, 10.0, "wilcoxon"),
        (10, 3, 10, 10.0, "wilcoxon"),
        (10, 20, 10, 10.0, "friedman"),
        (13, 20, 10, 10.0, "wilcoxon"),
    ],
)
def test_what_is_recommended(data_sets, learners, folds, test_size, test):
    tables = [table(np.ones((folds, learners)), test=test_size, data_set=str(k)) for k in range(data_sets)]
    recommendation = S.recommend(tables if data_sets > 1 else tables[0])
    assert recommendation.test == test
    assert str(recommendation).startswith(f"Use {test}: ")
    assert [row["recommended"] for row in recommendation.rows()] == [True] + [False] * len(recommendation.others)
    assert ("friedman" in recommendation.others or recommendation.test == "friedman") == (data_sets > 1)
    assert (
        Recommendation.from_dict(json.loads(json.dumps(recommendation.to_dict()))).rows() == recommendation.rows()
    )


def test_repeats_of_one_data_set_are_compared_within_folds():
    blocks = tuple((repeat, fold) for repeat in range(3) for fold in range(5))
    repeated = FoldTable(np.ones((15, 2)), ("a", "b"), blocks, 80.0, 20.0)
    recommended = S.recommend(repeated)
    assert (recommended.test, "corrected_t" in recommended.others) == ("fold_test", True)
    once = FoldTable(np.ones((5, 2)), ("a", "b"), blocks[:5], 80.0, 20.0)
    assert S.recommend(once).test == "corrected_t"
    assert "fold_test" in S.recommend(once).others
    assert "fold_test" in S.recommend([repeated, repeated]).others


def test_what_holm_cannot_reach_is_not_recommended():
    """The smallest p-value over N data sets is 2 / 2^N: twelve tell no pair of twenty apart, thirteen can."""
    for N, reached in ((12, False), (13, True)):
        y = {str(k): np.arange(1.0, N + 1) * (k + 1) for k in range(20)}
        smallest = min(test.adjusted_pvalue for test in S.wilcoxon(y).tests.values())
        assert (smallest <= 0.05) == reached


def test_nothing_is_recommended_for_nothing():
    with pytest.raises(InputError, match="none"):
        S.recommend([])
    with pytest.raises(InputError, match="two or more learners"):
        S.recommend(table(np.ones((5, 1))))


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (lambda y: S.corrected_t(table(y)), PairedTests),
        (lambda y: S.wilcoxon({"a": y[:, 0], "b": y[:, 1]}), PairedTests),
        (lambda y: S.correlated_t(table(y)), Posteriors),
        (lambda y: S.signed_rank({"a": y[:, 0], "b": y[:, 1]}, n=100), Posteriors),
        (lambda y: S.spread(table(y), fold_counts=(5, 5)), Spread),
        (lambda _: S.wilcoxon_errors(), WilcoxonErrors),
    ],
)
def test_results_come_back_as_they_were(made, kind):
    result = made(np.random.default_rng(0).normal(0.7, 0.1, size=(8, 3)))
    back = kind.from_dict(json.loads(json.dumps(result.to_dict())))
    assert back.to_dict() == result.to_dict()
    assert repr(back) == repr(result)
    assert back.rows(0.9) == result.rows(0.9)
    assert back.assumes
    assert "<table>" in result._repr_html_()


def test_fold_table_of_scores_has_the_values_and_sizes_of_the_folds():
    rng = np.random.default_rng(0)
    y, fold = np.tile(np.arange(40) % 2, 2), np.tile(np.arange(40) // 2 % 4, 2)
    values = {name: y + rng.normal(size=80) for name in ("a", "b")}
    scores = pr.Scores(y, values, folds=fold, repeats=np.repeat([0, 1], 40))
    table = pr.studies.fold_table(scores, "auc")
    assert table.blocks == tuple((repeat, k) for repeat in range(2) for k in range(4))
    assert (table.train_size, table.test_size, table.learners, table.measure) == (30, 10, ("a", "b"), "auc")
    for row, (repeat, k) in enumerate(table.blocks):
        rows = (np.repeat([0, 1], 40) == repeat) & (fold == k)
        for column, name in enumerate(values):
            expected = pr.evaluate(y[rows], values[name][rows], measure="auc", method=None).value
            assert table.values[row, column] == pytest.approx(expected)
    corrected = pr.studies.summaries.corrected_t(table)["a", "b"]
    differences = table.values[:, 0] - table.values[:, 1]
    error = np.sqrt(differences.var(ddof=1) * (1 / 8 + 1 / 3))
    assert corrected.statistic == pytest.approx(differences.mean() / error)
    with pytest.raises(InputError, match="folds that are not pooled"):
        pr.studies.fold_table(scores.pool_folds(), "auc")


# 5x2 cross-validation


FIVE = {"a": [0.83, 0.80, 0.79, 0.85, 0.84, 0.81, 0.82, 0.80, 0.86, 0.83]}
FIVE["b"] = [0.79, 0.78, 0.78, 0.80, 0.79, 0.80, 0.76, 0.79, 0.80, 0.78]


def test_five_by_two_is_its_definition():
    """Dietterich (1998), t of 5 degrees of freedom; Alpaydin (1999), F of 10 and 5."""
    pairs = [(FIVE["a"][i] - FIVE["b"][i], FIVE["a"][i + 1] - FIVE["b"][i + 1]) for i in range(0, 10, 2)]
    means = [(d1 + d2) / 2 for d1, d2 in pairs]
    variances = [(d1 - m) ** 2 + (d2 - m) ** 2 for (d1, d2), m in zip(pairs, means, strict=True)]
    t = pairs[0][0] / np.sqrt(sum(variances) / 5)
    one = S.five_by_two(FIVE, statistic="t")["a", "b"]
    assert (one.statistic, one.pvalue) == pytest.approx((t, 2 * stats.t.sf(abs(t), 5)))
    f = sum(d1**2 + d2**2 for d1, d2 in pairs) / (2 * sum(variances))
    two = S.five_by_two(FIVE)["a", "b"]
    assert (two.statistic, two.pvalue) == pytest.approx((f, stats.f.sf(f, 10, 5)))
    assert one.value == two.value == pytest.approx(np.mean(means))
    back = S.five_by_two(FIVE, statistic="t")["b", "a"]
    assert (back.statistic, back.value) == pytest.approx((-t, -one.value))
    assert S.five_by_two(FIVE)["b", "a"].statistic == pytest.approx(f)
    assert np.isnan(one.confidence_interval()).all()


def test_five_by_two_without_a_difference_and_with_other_folds():
    same = {"a": FIVE["a"], "b": FIVE["a"], "c": FIVE["b"]}
    tests = S.five_by_two(same)
    assert tests["a", "b"].pvalue == 1.0
    assert tests["a", "c"].adjusted_pvalue >= tests["a", "c"].pvalue
    again = type(tests).from_dict(tests.to_dict())
    assert again.rows() == tests.rows()
    with pytest.raises(InputError, match="five repeats of two folds, 10 values of each learner, got 3"):
        S.five_by_two({"a": [0.8, 0.9, 0.7], "b": [0.7, 0.7, 0.6]})
