"""Every method record through the verbs."""

import json

import numpy as np
import pytest

import polyroc as pr
from polyroc import datasets
from polyroc.errors import (
    InputError,
    NegativeVarianceWarning,
    NotApplicableError,
    SmallClassWarning,
    UndefinedMeasureWarning,
)
from polyroc.inference.methods.unbiased import unbiased_covariance
from polyroc.measures.sample import Sample

Y, P = datasets.HandTill(3, 1.2).sample((20, 25, 30), rng=5)
B, S = datasets.Binormal(1.2).sample((30, 40), rng=6)
OTHER = S + np.random.default_rng(7).normal(size=70)
QUICK = pr.methods.Bootstrap(replicates=400, rng=1)
METHODS = [
    pr.methods.Influence(),
    pr.methods.Unbiased(),
    pr.methods.HanleyMcNeil(),
    pr.methods.HanleyMcNeil("exponential"),
    pr.methods.Jackknife(),
    QUICK,
]


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_all_methods_agree_on_an_auc_of_seventy_cases(method):
    estimate = pr.evaluate(B, S, measure="auc", method=method)
    expected = pr.evaluate(B, S, measure="auc")
    assert estimate.value == expected.value
    # the methods differ by terms of order 1 / n, the bootstrap by 1 / sqrt(2 n) = 3.5 % more
    assert estimate.standard_error == pytest.approx(expected.standard_error, rel=0.12)
    assert estimate.provenance.method == repr(method).replace("stratified=None", "stratified=True")
    low, high = estimate.confidence_interval()
    assert low < estimate.value < high


@pytest.mark.parametrize("method", [pr.methods.Unbiased(), pr.methods.Jackknife(), QUICK], ids=repr)
def test_methods_for_m_and_its_comparison(method):
    estimate = pr.evaluate(Y, P, measure="hand_till", method=method)
    assert estimate.standard_error == pytest.approx(
        pr.evaluate(Y, P, measure="hand_till").standard_error, rel=0.12
    )
    pair = pr.compare(B, {"one": S, "two": OTHER}, measure="auc", method=method)
    expected = pr.compare(B, {"one": S, "two": OTHER}, measure="auc")
    difference = pair.difference("one", "two").standard_error
    assert difference == pytest.approx(expected.difference("one", "two").standard_error, rel=0.12)


def test_unbiased_is_the_formula():
    estimate = pr.evaluate(Y, P, measure="hand_till", method=pr.methods.Unbiased())
    scores = pr.evaluate(Y, P, measure="hand_till")
    assert estimate.standard_error < scores.standard_error  # DeLong counts the second-order terms too often
    from polyroc.validation.scores import normalise

    sample = Sample(normalise(Y, P), "classifier")
    assert estimate.standard_error**2 == pytest.approx(
        unbiased_covariance(pr.measure("hand_till"), [sample])[0, 0], rel=1e-12
    )
    part = estimate.parts["A(0|1)"]
    assert part.standard_error**2 == pytest.approx(
        unbiased_covariance(pr.measure("hand_till"), [sample], part="A(0|1)")[0, 0], rel=1e-12
    )


def test_t3_hanley_and_mcneils_own_standard_errors():
    y = np.repeat([0] * 5 + [1] * 5, [33, 6, 6, 11, 2, 3, 2, 2, 11, 33])
    rating = np.repeat([1, 2, 3, 4, 5] * 2, [33, 6, 6, 11, 2, 3, 2, 2, 11, 33])
    plain = pr.evaluate(y, rating, measure="auc", method=pr.methods.HanleyMcNeil())
    assert plain.standard_error == pytest.approx(0.03069, abs=5e-6)
    exponential = pr.evaluate(y, rating, measure="auc", method=pr.methods.HanleyMcNeil("exponential"))
    assert exponential.standard_error == pytest.approx(0.03249, abs=5e-6)


def test_without_a_measure_those_without_a_formula_are_named():
    evaluation = pr.evaluate(Y, P, method=pr.methods.Unbiased())
    assert evaluation.measures == ("hand_till",)
    assert "use method=Influence() or Bootstrap()" in evaluation.skipped["ova"]
    with pytest.raises(NotApplicableError, match="has a formula for auc, gini, hand_till, vus, not for ova"):
        pr.evaluate(Y, P, measure="ova", method=pr.methods.Unbiased())
    with pytest.raises(NotApplicableError, match="sample_weight"):
        pr.evaluate(B, S, measure="auc", method=pr.methods.HanleyMcNeil(), sample_weight=np.ones(70))


def test_negative_variance_is_reported():
    table = np.array([[3, 3, 0], [1, 0, 2], [2, 3, 3], [0, 1, 3], [0, 2, 3], [3, 0, 3]]) / 4
    with pytest.warns(NegativeVarianceWarning, match=r"unbiased variance of hand_till is negative \(-0.0052\)"):
        estimate = pr.evaluate([0, 0, 1, 1, 2, 2], table, measure="hand_till", method=pr.methods.Unbiased())
    assert np.isnan(estimate.standard_error)
    assert estimate.confidence_interval().low < estimate.confidence_interval().high


@pytest.mark.parametrize("kind", ["percentile", "bca", "basic", "normal"])
def test_bootstrap_intervals(kind):
    method = pr.methods.Bootstrap(replicates=1000, kind=kind, rng=3)
    estimate = pr.evaluate(B, S, measure="auc", method=method)
    again = pr.evaluate(
        B, S, measure="auc", method=pr.methods.Bootstrap(replicates=1000, kind=kind, rng=3, n_jobs=1)
    )
    assert estimate.confidence_interval() == again.confidence_interval()
    assert estimate.provenance.seed == 3
    low, high = estimate.confidence_interval()
    # as wide as the normal interval, but for the skewness and the noise of two quantiles of 1000 replicates
    assert high - low == pytest.approx(2 * 1.96 * estimate.standard_error, rel=0.15)
    stored = pr.results.Estimate.from_dict(json.loads(json.dumps(estimate.to_dict())))
    assert stored.confidence_interval(0.8) == estimate.confidence_interval(0.8)


def test_bootstrap_without_a_seed_reports_the_seed_used():
    estimate = pr.evaluate(B, S, measure="auc", method=pr.methods.Bootstrap(replicates=50))
    again = pr.evaluate(
        B, S, measure="auc", method=pr.methods.Bootstrap(replicates=50, rng=estimate.provenance.seed)
    )
    assert estimate.standard_error == again.standard_error


def test_bootstrap_of_a_perfect_classifier_falls_back_to_wilson():
    y = [0] * 10 + [1] * 10
    usual = pr.evaluate(y, range(20), measure="auc").confidence_interval()
    assert pr.evaluate(y, range(20), measure="auc", method=QUICK).confidence_interval() == usual


def test_bootstrap_of_a_class_of_one_case_has_no_standard_error():
    with pytest.warns(SmallClassWarning, match="one case only"):
        estimate = pr.evaluate([0] * 30 + [1], range(31), measure="auc", method=QUICK)
    assert np.isnan(estimate.standard_error)
    assert estimate.resampled is None
    assert estimate.confidence_interval().low < 0.3


def test_one_seed_serves_a_whole_evaluation():
    evaluation = pr.evaluate(B, {"one": S, "two": OTHER}, method=pr.methods.Bootstrap(replicates=50))
    assert len({estimate.provenance.seed for estimate in evaluation.estimates.values()}) == 1


def test_bootstrap_counts_the_resamples_that_lack_a_class():
    with pytest.warns(UndefinedMeasureWarning, match=r"\d+ of 200 resamples leave auc undefined"):
        evaluation = pr.evaluate(
            [0, 0, 0, 0, 1, 1], range(6), measure="auc", method=pr.methods.Bootstrap(200, False, rng=0)
        )
    assert len(evaluation.resampled.replicates) < 200


@pytest.mark.slow
def test_permutation_agrees_with_delong_and_is_exact_for_twins():
    scores = {"one": S, "two": 10 * OTHER}
    delong = pr.compare(B, scores, measure="auc")
    permuted = pr.compare(B, scores, measure="auc", method=pr.methods.Permutation(replicates=999, rng=2))
    # 999 rearrangements know a p-value p to sqrt(p (1 - p) / 999), at most .016; three of those
    assert permuted.pvalue == pytest.approx(delong.difference("one", "two").wald_test(), abs=0.05)
    assert permuted.difference("one", "two").standard_error == delong.difference("one", "two").standard_error
    again = pr.compare(B, scores, measure="auc", method=pr.methods.Permutation(replicates=999, rng=2))
    assert again.pvalue == permuted.pvalue
    twins = pr.compare(
        B, {"one": S, "two": np.exp(S)}, measure="auc", method=pr.methods.Permutation(replicates=19, rng=0)
    )
    assert twins.pvalue == 1
    three = pr.compare(
        B, {**scores, "three": -S}, measure="auc", method=pr.methods.Permutation(replicates=99, rng=0)
    )
    assert three.pvalue == 0.01  # the smallest there is: nothing comes near a reversed score
    holm = pr.compare(
        B,
        {**scores, "three": -S},
        measure="auc",
        method=pr.methods.Permutation(replicates=99, rng=0),
        adjustment="holm",
    )
    assert [row["adjusted_pvalue"] for row in holm.rows()][1:] == pytest.approx([0.03, 0.03])


def test_intervals_beside_a_permutation_test_agree_with_it():
    scores = {"one": S, "two": 10 * OTHER}
    pair = pr.compare(B, scores, measure="auc", method=pr.methods.Permutation(replicates=199, rng=2)).difference(
        "one", "two"
    )
    assert min(map(abs, pair.confidence_interval(1 - pair.pvalue))) == pytest.approx(0, abs=1e-6)
    assert 0.5 < pair.stretch < 2


def test_permutation_is_for_paired_comparisons_only():
    from polyroc.validation.scores import normalise

    with pytest.raises(InputError, match="is for comparisons"):
        pr.evaluate(B, S, measure="auc", method=pr.methods.Permutation())
    apart = {"one": normalise(B, S), "two": normalise(B, OTHER)}
    with pytest.raises(NotApplicableError, match="needs the same cases"):
        pr.compare(apart, measure="auc", method=pr.methods.Permutation())
    assert len(pr.compare(apart, measure="auc", method=pr.methods.HanleyMcNeil()).differences) == 1
    with pytest.raises(InputError, match="replicates must be a whole number from 1 to 1,000,000,000, got 0"):
        pr.methods.Permutation(replicates=0)
