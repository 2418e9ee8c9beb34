from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive
from polyroc.inference.covariance import covariance
from polyroc.inference.methods.jackknife import jackknife_covariance
from polyroc.measures.registry import MEASURES, measure
from samples import samples_of
from strategies import at_most, ordered, probabilities, weights

NAIVE = {
    "auc": naive.auc,
    "gini": lambda y, s, w: 2 * naive.auc(y, s, w) - 1,
    "partial_auc(fpr=(0.1, 0.6))": lambda y, s, w: naive.partial_auc(y, s, w, fpr=(0.1, 0.6)),
    "hand_till": naive.hand_till,
    "ova": naive.ova,
    "ht3": naive.ht3,
    "accuracy": naive.accuracy,
    "pairwise_accuracy": naive.pairwise_accuracy,
    "macro_average": naive.macro_average,
    "sensitivity(threshold=0.5)": lambda y, s, w: naive.sensitivity(y, s, w, 0.5),
    "specificity(threshold=0.5)": lambda y, s, w: naive.specificity(y, s, w, 0.5),
    "expected_cost(threshold=0.5)": lambda y, s, w: naive.expected_cost(y, s, w, 0.5),
}


def jackknife(key, samples, part=None):
    return jackknife_covariance(measure(key), samples, part)


def ranks(key):
    return MEASURES[measure(key).key].classes[1] == 2


def delong(key, samples):
    return covariance([measure(key)(sample).strata() for sample in samples], samples[0].scores)


@pytest.mark.parametrize("key", NAIVE)
@at_most(25)  # each example computes a slow twin some twenty times
@given(data=st.data())
def test_it_is_the_slow_twins_with_weights_and_groups(key, data):
    y, s = data.draw(ordered(c=2, least=2) if ranks(key) else probabilities(least=2))
    w = data.draw(st.one_of(st.none(), weights(y)))
    groups = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 4), min_size=len(y), max_size=len(y))))
    weight = [1.0] * len(y) if w is None else w.tolist()
    units = list(range(len(y))) if groups is None else groups
    assume(all(len({units[x] for x in naive.members(y, k) if weight[x]}) > 1 for k in set(y.tolist())))
    other = s[data.draw(st.permutations(range(len(y))))]
    sampling = data.draw(st.sampled_from(["cohort", "case-control"]))
    whole = sampling == "cohort" and measure(key).estimates_prevalence  # one sample: nothing holds class sizes
    strata = [0] * len(y) if whole else y.tolist()
    moves = [
        naive.jackknife_moves(strata, lambda v, score=score: NAIVE[key](y, score.tolist(), v), weight, units)
        for score in (s, other)
    ]
    expected = [[sum(one[u] * two[u] for u in one) for two in moves] for one in moves]
    options = {"sample_weight": w, "groups": groups, "sampling": sampling}
    estimate = jackknife(key, samples_of(y, {"one": s, "two": other}, **options))
    # a share of nearly 1 left out leaves little to divide by: weights go down to .01 beside 5
    np.testing.assert_allclose(estimate, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("key", ["auc", "hand_till"])
@given(data=st.data())
def test_it_is_the_textbook_formula_with_the_rows_deleted(key, data):
    y, s = data.draw(ordered(c=2, least=2) if ranks(key) else probabilities(least=2))
    expected = 0.0
    for k in range(y.max() + 1):
        left = [np.delete(np.arange(len(y)), x) for x in np.flatnonzero(y == k)]
        values = [NAIVE[key](y[rest], s[rest].tolist(), np.ones(len(rest))) for rest in left]
        expected += (len(values) - 1) * np.var(values)
    assert jackknife(key, samples_of(y, s))[0, 0] == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("key", ["auc", "gini", "hand_till", "ova", "accuracy", "pairwise_accuracy"])
@given(data=st.data())
def test_it_equals_delong_where_units_are_alike(key, data):
    y, s = data.draw(ordered(c=2, least=2) if ranks(key) else probabilities(least=2))
    other = s[data.draw(st.permutations(range(len(y))))]
    samples = samples_of(y, {"one": s, "two": other}, sampling="case-control")
    np.testing.assert_allclose(jackknife(key, samples), delong(key, samples), rtol=0, atol=1e-14)
    twice = {"one": np.concatenate([s, other]), "two": np.concatenate([other, s])}  # each case a group of two
    samples = samples_of(np.tile(y, 2), twice, groups=np.tile(range(len(y)), 2), sampling="case-control")
    np.testing.assert_allclose(jackknife(key, samples), delong(key, samples), rtol=0, atol=1e-14)


@pytest.mark.parametrize("sampling", ["cohort", "case-control"])
@pytest.mark.parametrize("key", [key for key in MEASURES if MEASURES[key].linear and not MEASURES[key].required])
def test_one_pass_over_the_components_equals_computing_anew(key, sampling):
    rng = np.random.default_rng(5)
    c = 2 if ranks(key) else 3
    y, P = np.tile(range(c), 20), rng.dirichlet(np.ones(c), size=20 * c).round(1)
    if MEASURES[key].needs == "forecast":  # rows that sum to 1, without 0
        P = (P + 0.1) / (P + 0.1).sum(axis=1, keepdims=True)
    options = {"sample_weight": rng.exponential(size=len(y)), "groups": rng.integers(0, 12, len(y))}
    options["sampling"] = sampling
    quick = jackknife(key, samples_of(y, P, **options))
    anew = replace(MEASURES[key], linear=False, mean_over_cases=False)
    np.testing.assert_allclose(quick, jackknife(anew, samples_of(y, P, **options)), rtol=1e-10)


def test_parts_have_variances_too():
    rng = np.random.default_rng(6)
    y, P = np.tile(range(3), 15), rng.dirichlet(np.ones(3), size=45).round(1)
    samples = samples_of(y, P, sampling="case-control")
    for key in ("hand_till", "macro_average", "pairwise_accuracy"):
        for part, statistic in measure(key)(samples[0]).parts().items():
            estimate = jackknife(key, samples, part=part)
            np.testing.assert_allclose(estimate, covariance([statistic.strata()], samples[0].scores), atol=1e-15)
    one_against_rest = jackknife("ova", samples, part="0")  # its strata, a class and the rest, are not the classes
    moves = naive.jackknife_moves(
        y.tolist(), lambda w: naive.one_versus_all(y, P.tolist(), w, 0), [1.0] * 45, list(range(45))
    )
    assert one_against_rest[0, 0] == pytest.approx(sum(step**2 for step in moves.values()), rel=1e-10)


def test_it_is_close_to_delong_for_smooth_measures():
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1], [120, 80])
    scores = {"one": rng.normal(size=200) + y, "two": rng.normal(size=200) + 2 * y}
    samples = samples_of(y, scores, sampling="case-control")
    for key in ("partial_auc(fpr=(0.1, 0.6))", "ppv(threshold=0.8)", "npv(threshold=0.8)"):
        # second-order terms: one part in the class size, and the kinks of a partial area
        np.testing.assert_allclose(np.diag(jackknife(key, samples)), np.diag(delong(key, samples)), rtol=0.05)


def test_a_class_of_one_unit():
    y, s = [0, 1, 1, 1], [0.6, 0.2, 0.7, 0.9]
    assert np.isnan(jackknife("auc", samples_of(y, s))[0, 0])
    assert np.isnan(jackknife("partial_auc", samples_of(y, s))[0, 0])
    assert np.isnan(jackknife("auc", samples_of([1, 1, 1, 1], s, labels=[0, 1]))[0, 0])
    alone = jackknife("sensitivity(threshold=0.5)", samples_of(y, s))[0, 0]  # does not look at the one negative
    assert alone == pytest.approx(2 / 9 / 2)
    in_one_group = {"groups": [0, 0, 1, 1, 1, 1]}
    assert np.isnan(jackknife("auc", samples_of([0, 0, 1, 1, 1, 1], np.arange(6.0), **in_one_group))[0, 0])


def test_undefined_without_some_case_gives_nan():
    """One case is called positive; without it there is no positive predictive value."""
    estimate = jackknife("ppv(threshold=0.5)", samples_of([0, 0, 1, 1], [0.1, 0.2, 0.3, 0.9]))
    assert np.isnan(estimate[0, 0])
