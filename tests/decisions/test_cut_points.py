"""Cut-points of ordered classes, and thresholds chosen again in resamples: brute force, laws, bad terms."""

import json
import math
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

import naive
import polyroc as pr
import strategies as draw
from operating_points import operate
from polyroc.decisions import CutPointRule
from polyroc.errors import InputError, OptimismWarning, PolyrocError, UndefinedMeasureWarning

EXACT = 1e-12  # sums of a dozen numbers of size 1
ORDER = ["none", "mild", "severe"]
RNG = np.random.default_rng(5)
STAGE = np.repeat(ORDER, [40, 30, 20])
MARKER = np.concatenate([RNG.normal(m, 1, n) for m, n in ((0, 40), (1.5, 30), (3.5, 20))]).round(1)


@st.composite
def cut_cases(draw_, most=9):
    """(y, score, weights) of three or four ordered classes, few enough to try all cut-points."""
    c = draw_(st.sampled_from([3, 3, 4]))
    y, s = draw_(draw.ordered(c=c))
    w = draw_(st.sampled_from(["ones", "whole", "real"]))
    weights = np.ones(len(y)) if w == "ones" else draw_(draw.weights(y, whole=w == "whole"))
    return y[: most * 3], s[: most * 3], weights[: most * 3]


def best_of(tried, loss):
    """The least loss, and the highest cut-points that have it (the last one first)."""
    least = min(map(loss, tried.values()))
    tied = [cuts for cuts, R in tried.items() if loss(R) <= least + 1e-11]
    return least, max(tied, key=lambda cuts: cuts[::-1])


# Against all cut-points ------------------------------------------------------------------------------------------


@given(st.data())
def test_costs_against_all_cut_points(data):
    y, s, w = data.draw(cut_cases())
    c = int(y.max()) + 1
    costs = np.array([[data.draw(st.integers(0, 4)) for _ in range(c)] for _ in range(c)]) * (1 - np.eye(c))
    costs[0, -1] += 1
    share = data.draw(st.booleans())
    priors = [naive.total(y, w, k) / w.sum() for k in range(c)] if share else [1 / c] * c
    point = operate(y, s, labels=list(range(c)), costs=costs, priors=None if share else priors, sample_weight=w)
    tried = naive.all_cut_rates(y.tolist(), s.tolist(), w.tolist(), c)
    least, cuts = best_of(tried, lambda R: naive.expected_loss(R, costs, priors))
    assert point.expected_cost == pytest.approx(least, abs=1e-11)
    assert point.optimality == "proven"
    assert point.rule == CutPointRule(tuple(range(c)), cuts)
    assert point.rates == pytest.approx(np.array(tried[cuts]), abs=EXACT)


@given(cut_cases(), st.sampled_from(["youden", "closest"]))
def test_criteria_against_all_cut_points(drawn, criterion):
    y, s, w = drawn
    c = int(y.max()) + 1
    point = operate(y, s, labels=list(range(c)), criterion=criterion, sample_weight=w)
    tried = naive.all_cut_rates(y.tolist(), s.tolist(), w.tolist(), c)
    power = 1 if criterion == "youden" else 2
    least, cuts = best_of(tried, lambda R: sum((1 - R[k][k]) ** power for k in range(c)))
    assert sum((1 - np.diag(point.rates)) ** power) == pytest.approx(least, abs=EXACT)
    if criterion == "youden":
        assert point.rule.cut_points == cuts


@given(st.data())
def test_limits_against_all_cut_points(data):
    y, s, w = data.draw(cut_cases())
    c = int(y.max()) + 1
    pairs = [(k, m) for k in range(c) for m in range(c) if k != m]
    limited = data.draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=4, unique=True))
    limits = {pair: data.draw(st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.9])) for pair in limited}
    tried = naive.all_cut_rates(y.tolist(), s.tolist(), w.tolist(), c)
    kept = {t: R for t, R in tried.items() if all(R[k][m] <= r + EXACT for (k, m), r in limits.items())}
    options = {"labels": list(range(c)), "at_most": limits, "sample_weight": w}
    if not kept:
        with pytest.raises(InputError, match=r"No cut-points satisfy the limits; the closest has .*\(at most"):
            operate(y, s, **options)
        return
    shares = [naive.total(y, w, k) / w.sum() for k in range(c)]
    least, cuts = best_of(kept, lambda R: naive.expected_loss(R, 1 - np.eye(c), shares))
    point = operate(y, s, **options)
    assert point.expected_cost == pytest.approx(least, abs=1e-11)
    assert point.rule.cut_points == cuts


# Laws ------------------------------------------------------------------------------------------------------------


@given(draw.ordered(c=3), st.sampled_from(["youden", "closest", None]))
def test_a_monotone_transformation_moves_the_cut_points_with_the_scores(drawn, criterion):
    y, s = drawn
    _, ranks = np.unique(s + 0.0, return_inverse=True)
    moved = np.exp(ranks / 7.0)
    first, second = (operate(y, x, labels=[0, 1, 2], criterion=criterion) for x in (ranks.astype(float), moved))
    assert first.rates.tolist() == second.rates.tolist()
    assert second.rule.cut_points == pytest.approx([np.exp(t / 7.0) for t in first.rule.cut_points])


@given(st.data())
def test_whole_weights_are_repetitions(data):
    y, s = data.draw(draw.ordered(c=3))
    w = data.draw(draw.weights(y, whole=True)).astype(int)
    options = {"labels": [0, 1, 2], "criterion": "youden"}
    weighted, repeated = operate(y, s, sample_weight=w, **options), operate(y.repeat(w), s.repeat(w), **options)
    assert weighted.rule == repeated.rule
    assert weighted.rates == pytest.approx(repeated.rates, abs=EXACT)


@given(draw.ordered(c=4), st.sampled_from(["youden", "closest"]))
def test_reversed_order_and_scores_make_the_same_errors(drawn, criterion):
    y, s = drawn
    first = operate(y, s, labels=[0, 1, 2, 3], criterion=criterion)
    back = operate(y, -s, labels=[3, 2, 1, 0], criterion=criterion)
    losses = [sum((1 - np.diag(point.rates)) ** (1 if criterion == "youden" else 2)) for point in (first, back)]
    assert losses[0] == pytest.approx(losses[1], abs=EXACT)


def test_an_empty_region_only_where_nothing_is_better():
    y, s = [0, 0, 1, 1, 2, 2], [1, 2, 3, 4, 5, 6]
    assert operate(y, s, labels=[0, 1, 2]).rule.sentence() == "0 below 3, 1 from 3, 2 from 5."
    rare = operate(y, s, labels=[0, 1, 2], priors=[0.5, 0.0, 0.5])  # 1 never occurs, so it is never decided
    assert rare.rule.sentence() == "0 below 5, 2 from 5; never 1."
    assert rare.expected_cost == 0


def test_two_classes_are_the_same_search():
    y, s = (STAGE == "severe").astype(int), MARKER
    for options in ({}, {"criterion": "youden"}, {"criterion": "closest"}, {"sensitivity": 0.9}):
        point = operate(y, s, **options)
        assert point.thresholds == (point.rule.threshold,)


# Published -------------------------------------------------------------------------------------------------------


STEP = 0.002


def normal_cases(means, deviations):
    """Normal distributions as weighted cases on a grid: true classes, scores and weights."""
    grid = np.arange(-8, 20, STEP)
    weights = [np.diff(ndtr((np.append(grid, 20) - m) / d)) for m, d in zip(means, deviations, strict=True)]
    c = len(means)
    return np.repeat(np.arange(c), len(grid)), np.tile(grid, c), {"sample_weight": np.concatenate(weights)}


@pytest.mark.peer("DiagTest3Grp (R)", "the optimal cut-points of its manual's normal model, to all printed digits")
def test_cut_points_of_three_normal_classes():
    """Its example of SampleSize.Youden3Grp: means 6, 8, 13.36, deviations 1, 1.2, 1.4, cut-points 7.02, 10.52."""
    y, s, weights = normal_cases((6, 8, 13.36), (1, 1.2, 1.4))
    point = operate(y, s, labels=[0, 1, 2], criterion="youden", **weights)
    assert point.rule.cut_points == pytest.approx((7.02, 10.52), abs=0.005 + STEP)


THREE_COSTS = [[0, 1, 3], [2, 0, 1], [6, 2, 0]]


@pytest.mark.peer(
    "ThresholdROC 2.9.5 (R)", "thresTH3, cut-points of three normal classes: example 1 of its manual, and by costs"
)
@pytest.mark.parametrize(
    ("means", "deviations", "options", "printed"),
    [
        ((0, 2, 4), (1, 1, 1), {"criterion": "youden"}, (0.9999999992, 3.0000000008)),
        ((0, 2, 4), (1, 1, 1.5), {"costs": THREE_COSTS, "priors": [0.5, 0.3, 0.2]}, (0.8224575769, 2.9349596122)),
    ],
)
def test_cut_points_of_thresholdroc(means, deviations, options, printed):
    """Its theoretical thresholds, run by hand, beside those of normal cases on a grid."""
    y, s, weights = normal_cases(means, deviations)
    assert operate(y, s, labels=[0, 1, 2], **options, **weights).rule.cut_points == pytest.approx(
        printed, abs=STEP
    )


@pytest.mark.peer(
    "ThresholdROC 2.9.5 (R)",
    "thres2(method='empirical'): threshold, cost by costs and prevalence; its bootstrap interval is within ours",
)
def test_thresholds_of_thresholdroc():
    """Printed for these cases: thresholds, costs of 40 cases; percentiles -0.66 and 2.24 for equal costs."""
    y = np.repeat([0, 1], [22, 18])
    marker = [1, -1, -2, -1, -3, -1, -2, 1, -2, -1, -3, -1, 0, -3, -2, 2, 1, -2, -1, -3, -3, 3]
    marker += [0, 5, 2, 3, 3, 3, -3, 0, 1, 3, 1, 2, -1, 2, 6, 4, 4, 1]
    s = np.array(marker) + np.arange(40) / 100
    printed = {(0.2, 1): (3.25, 4.444444444), (0.2, 5): (-0.66, 10.94949495)}
    printed |= {(0.5, 1): (1.3, 6.262626263), (0.5, 5): (-0.66, 11.01010101)}
    for (prevalence, cost), (threshold, total) in printed.items():
        point = operate(y, s, costs=[[0, 1], [cost, 0]], priors=[1 - prevalence, prevalence])
        assert (*point.thresholds, 40 * float(point.cost)) == pytest.approx((threshold, total), abs=1e-8)
    choice = {"costs": [[0, 1], [1, 0]], "priors": [0.5, 0.5], "sampling": "case-control"}
    point = operate(y, s, method=pr.methods.Bootstrap(replicates=1000, rng=0), **choice)
    # theirs are percentiles of the best thresholds alone; ours count those that are worse by one case, too
    low, high = point.threshold_intervals()[0]
    assert low <= -0.66 < 2.24 <= high < 2.4


def test_cut_points_of_a_normal_and_two_lognormal_classes():
    """Example 2 of ThresholdROC's thresTH3: where densities cross."""
    grid = np.arange(-8, 60, STEP)
    ends = np.append(grid, 60)
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(ends, 0))
    below = [ndtr(ends), *(ndtr((logs - mean) / 0.5) for mean in (1, 2))]
    y, s = np.repeat(np.arange(3), len(grid)), np.tile(grid, 3)
    weight = np.concatenate([np.diff(share) for share in below])
    point = operate(y, s, labels=[0, 1, 2], criterion="youden", sample_weight=weight)
    t = point.rule.cut_points[0]
    normal = math.exp(-(t**2) / 2)
    lognormal = math.exp(-((math.log(t) - 1) ** 2) / 0.5) / (0.5 * t)
    assert normal == pytest.approx(lognormal, rel=0.02)
    assert point.rule.cut_points[1] == pytest.approx(math.exp(1.5), abs=2 * STEP)


def test_cut_points_by_costs_are_where_weighted_densities_cross():
    """Skaltsa et al. (2012): where sum over k of p_k (C[k, j] - C[k, j + 1]) f_k is zero (thresTH3)."""
    y, s, weights = normal_cases((0, 2, 4), (1, 1, 1))
    equal = operate(y, s, labels=[0, 1, 2], priors=[1 / 3] * 3, **weights)
    assert equal.rule.cut_points == pytest.approx((1, 3), abs=STEP)
    neighbours = [[0, 1, 1], [4, 0, 1], [4, 1, 0]]  # calling anything 0 that is not costs 4
    dear = operate(y, s, labels=[0, 1, 2], priors=[1 / 3] * 3, costs=neighbours, **weights)
    t = dear.rule.cut_points[0]
    density = [math.exp(-((t - m) ** 2) / 2) for m in (0, 2, 4)]
    assert density[0] == pytest.approx(4 * density[1] + 3 * density[2], rel=5e-3)


@pytest.mark.slow
@pytest.mark.peer(
    "pROC, cutpointr (R)", "Youden's index with ties: sensitivity and specificity of the best threshold"
)
# From probabilities ----------------------------------------------------------------------------------------------


def test_youden_of_probabilities_counts_every_class_the_same():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], [14, 4, 6])
    P = rng.dirichlet(np.ones(3), size=24) + 0.5 * np.eye(3)[y]
    P /= P.sum(axis=1, keepdims=True)
    point, costs = operate(y, P, criterion="youden"), operate(y, P, priors=[1 / 3] * 3)
    assert np.trace(point.rates) == pytest.approx(np.trace(costs.rates), abs=EXACT)
    assert point.rule == costs.rule
    assert point.aim == "largest sum of the rates of right decisions (generalised Youden index)"
    assert point.priors == pytest.approx([14 / 24, 4 / 24, 6 / 24])


# The rule --------------------------------------------------------------------------------------------------------


def test_the_rule_is_deployed_and_evaluated_elsewhere():
    point = pr.operate(STAGE, MARKER, labels=ORDER, evaluate_on=(STAGE[::2], MARKER[::2] + 0.1))
    rule = pr.Rule.from_json(point.rule.to_json())
    assert rule == point.rule
    assert rule.decide([-5.0, 1.4, 9.0]).tolist() == ["none", "mild", "severe"]
    assert point.held_out
    elsewhere = pr.rates(STAGE[::2], MARKER[::2] + 0.1, rule=rule, labels=ORDER)
    assert point.rates.tolist() == elsewhere.rates.tolist()
    again = pr.results.OperatingPoint.from_json(point.to_json())
    assert again.to_dict() == point.to_dict()
    row = {(row["true"], row["decision"]): row for row in point.rows()}["none", "severe"]
    assert (row["threshold"], row["threshold_low"]) == (rule.cut_points[1], None)


def test_the_sentence_of_a_rule():
    assert CutPointRule(list("abc"), (1, 2)).sentence() == "a below 1, b from 1, c from 2."
    assert CutPointRule(list("abc"), (2, 2)).sentence() == "a below 2, c from 2; never b."
    assert CutPointRule(list("abc"), (math.inf, math.inf)).sentence() == "Always a."
    assert CutPointRule(list("abc"), ("-inf", "inf")).sentence() == "Always b."


@pytest.mark.parametrize(
    ("cut_points", "message"),
    [
        ((1,), "cut_points must contain 2 numbers, one fewer than the classes"),
        (3, "cut_points must contain 2 numbers"),
        ((2, 1), r"cut_points must not fall, got \[2.0, 1.0\]"),
        ((1, math.nan), "cut_points must be a number, got nan"),
    ],
)
def test_bad_cut_points(cut_points, message):
    with pytest.raises(InputError, match=message):
        CutPointRule(list("abc"), cut_points)


def test_a_rule_for_another_order_or_for_columns():
    rule = CutPointRule(ORDER, (1, 2))
    with pytest.raises(InputError, match=r"Scores rise along \['none', 'mild', 'severe'\] in the rule but along"):
        pr.rates(STAGE, MARKER, rule=rule, labels=ORDER[::-1])
    with pytest.raises(InputError, match="needs one score per case, got 3 columns"):
        rule.decide(np.eye(3))
    assert pr.rates(STAGE, MARKER, rule=rule).rates.shape == (3, 3)  # without an order of its own


# Chosen again in resamples ---------------------------------------------------------------------------------------

FAST = pr.methods.Bootstrap(replicates=60, rng=3)


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["youden", "closest"])
def test_every_resample_is_chosen_as_if_it_were_the_data(criterion):
    """The kernel's ranges of thresholds and optimism against `operate` on the drawn cases themselves."""
    options = {"labels": ORDER, "criterion": criterion}
    point = operate(STAGE, MARKER, method=FAST, **options)
    ranges, optimism = [], []
    for weight in naive_resamples(pr.Scores(STAGE, MARKER, labels=ORDER), FAST):
        chosen = operate(STAGE, MARKER, sample_weight=weight, **options)
        ranges.append(naive_ranges(weight, chosen, criterion))
        optimism.append(chosen.rates - pr.rates(STAGE, MARKER, labels=ORDER, rule=chosen.rule).rates)
    low, high = np.array(ranges).transpose(2, 1, 0)
    assert point.uncertainty.low.tolist() == low.tolist()
    assert point.uncertainty.high.tolist() == high.tolist()
    mean = 2 ** (1 / 3) * np.mean(optimism, axis=0)
    assert point.uncertainty.optimism == pytest.approx(mean, abs=EXACT)
    plain = operate(STAGE, MARKER, **options)
    # rows then sum to 1, and a rate that is nearer to a limit than its error is there
    assert point.rates == pytest.approx(np.clip(plain.rates - mean, 0, 1), abs=0.04)
    # the error of the rates, and that of the optimism; at least the error of a rule that was given
    errors = np.sqrt(np.var(optimism, axis=0, ddof=1) + 0.45 * mean**2)
    expected = np.fmax(errors, plain.confusion.standard_errors)
    inside = (point.rates > 0) & (point.rates < 1)  # at a limit it is at least Wilson's
    assert point.confusion.standard_errors[inside] == pytest.approx(expected[inside], abs=EXACT)
    assert (point.confusion.standard_errors[~inside] >= expected[~inside] - EXACT).all()


def naive_ranges(weight, chosen, criterion):
    """For each cut-point (low, high): around it, the loss is larger by no more than that of one case."""
    codes, power = [ORDER.index(stage) for stage in STAGE], 1 if criterion == "youden" else 2

    def errors(cuts):
        return [1 - row[k] for k, row in enumerate(naive.cut_rates(codes, MARKER, weight, cuts))]

    at_best = errors(chosen.thresholds)
    slack = max((e + 1.0 / n) ** power - e**power for e, n in zip(at_best, (40, 30, 20), strict=True))
    bound = sum(e**power for e in at_best) + slack + EXACT
    scores = [-math.inf, *np.unique(MARKER).tolist(), math.inf]
    ranges = []
    for j, threshold in enumerate(chosen.thresholds):

        def good(t, j=j):
            cuts = [*chosen.thresholds[:j], t, *chosen.thresholds[j + 1 :]]
            return cuts == sorted(cuts) and sum(e**power for e in errors(cuts)) <= bound

        low = high = scores.index(threshold)
        while low > 1 and good(scores[low - 1]):
            low -= 1
        while high < len(scores) - 1 and good(scores[high + 1]):
            high += 1
        ranges.append((scores[low - 1], scores[high]))
    return ranges


def naive_resamples(scores, method):
    """The weights of the resamples, one row each, in the order of the cases."""
    from polyroc.measures.sample import Sample

    sample = Sample(scores, "classifier")
    cases = np.concatenate([sample.cases(k) for k in range(3)])
    rows = np.empty((method.replicates, len(cases)))
    rows[:, cases] = method.over_resamples(sample, lambda weight: weight.T.astype(float)).T
    return rows


@pytest.mark.parametrize("criterion", ["youden", "closest", None])
def test_two_classes_are_chosen_again_by_the_same_rule(criterion):
    y = (STAGE == "severe").astype(int)
    point = operate(y, MARKER, criterion=criterion, method=FAST)
    (ends,) = point.threshold_intervals(0.9)
    assert ends.low <= point.rule.threshold <= ends.high
    assert point.threshold_intervals(0.5)[0].low >= ends.low
    other = operate(1 - y, MARKER, pos_label=0, labels=[1, 0], criterion=criterion, method=FAST)
    assert other.uncertainty.high.tolist() == point.uncertainty.high.tolist()


def test_threads_and_seeds():
    calls = [
        operate(
            STAGE, MARKER, labels=ORDER, method=pr.methods.Bootstrap(replicates=300, rng=seed, n_jobs=jobs)
        ).to_dict()
        for seed, jobs in ((1, 1), (1, 2), (2, 1))
    ]
    assert calls[0] == calls[1] != calls[2]


def test_rates_of_a_rule_that_does_not_depend_on_the_score_are_known():
    """Where no threshold is better than infinity, sensitivity is certainly 0: there is no optimism."""
    rng, y = np.random.default_rng(0), np.repeat([0, 1], [200, 20])
    checked = 0
    for _ in range(30):
        point = pr.operate(y, rng.normal(size=220) + y, method=FAST)
        if point.thresholds == (np.inf,):
            assert point.rates.tolist() == [[1, 0], [1, 0]]
            assert not point.uncertainty.optimism.any()
            for true in "01":
                low, high = point.confusion[true, "0"].confidence_interval()
                assert low < high == 1.0
            checked += 1
    assert checked > 3


def test_a_corrected_rate_at_its_limit_has_an_interval_like_wilsons():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [200, 20])
    checked = 0
    for _ in range(20):
        s = rng.normal(size=220) + y
        specificity = pr.operate(y, s, method=FAST).confusion["0", "0"]
        if specificity.value == 1.0 and specificity.standard_error > 0:
            low, _ = specificity.confidence_interval()
            assert low == pytest.approx(200 / 203.84, abs=0.002)  # 3.84 = 1.96^2
            checked += 1
    assert checked


def test_corrected_rates_are_stored_printed_and_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", OptimismWarning)
        point = pr.operate(STAGE, MARKER, labels=ORDER, criterion="youden", method=FAST)
    again = pr.results.OperatingPoint.from_dict(json.loads(json.dumps(point.to_dict())))
    assert again.to_dict() == point.to_dict() == pickle.loads(pickle.dumps(point)).to_dict()
    assert again.threshold_intervals() == point.threshold_intervals()
    assert point.confusion.provenance.method.startswith("Bootstrap(replicates=60, stratified=True")
    assert point.expected_cost > point.apparent_cost
    rows = {row["decision"]: row for row in point.rows(0.9)}
    ends = point.threshold_intervals(0.9)[0]
    assert (rows["mild"]["threshold_low"], rows["mild"]["threshold_high"]) == tuple(ends)
    assert rows["none"]["threshold"] is None
    assert str(point).endswith(f"Thresholds: {'; '.join(point.threshold_texts())}.")


def test_other_cases_keep_their_rates():
    point = pr.operate(STAGE, MARKER, labels=ORDER, method=FAST, evaluate_on=(STAGE[::2], MARKER[::2]))
    plain = pr.operate(STAGE, MARKER, labels=ORDER, evaluate_on=(STAGE[::2], MARKER[::2]))
    assert point.rates.tolist() == plain.rates.tolist()
    assert len(point.threshold_intervals()) == 2


def test_the_shares_of_a_cohort_vary_with_the_resamples():
    cohort = operate(STAGE, MARKER, labels=ORDER, method=FAST)
    fixed = operate(STAGE, MARKER, labels=ORDER, method=FAST, sampling="case-control")
    stated = operate(STAGE, MARKER, labels=ORDER, method=FAST, priors=[0.2, 0.3, 0.5])
    methods = [point.uncertainty.method for point in (cohort, fixed, stated)]
    assert ["stratified=False" in text for text in methods] == [True, False, False]


def test_groups_are_drawn_whole():
    groups = np.arange(len(STAGE)) // 2
    point = operate(STAGE, MARKER, labels=ORDER, criterion="youden", groups=groups, method=FAST)
    single = operate(STAGE, MARKER, labels=ORDER, criterion="youden", method=FAST)
    assert point.uncertainty.high.tolist() != single.uncertainty.high.tolist()
    with pytest.warns(UndefinedMeasureWarning, match=r"of 60 resamples have no threshold \(a class was not drawn"):
        pr.operate([0, 0, 1, 1], [1, 2, 3, 4], groups=[0, 1, 2, 3], method=FAST)


def test_well_separated_classes_have_an_interval_that_holds_the_gap():
    point = operate(np.repeat([0, 1], 30), np.r_[np.linspace(0, 1, 30), np.linspace(5, 6, 30)], method=FAST)
    (ends,) = point.threshold_intervals()
    assert ends.low <= 1
    assert ends.high >= 5


# Bad terms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": None}, r"needs the order of the classes for one score and 3 classes; .* labels=\["),
        ({"calibrated": True}, "calibrated=True needs probabilities, one column per class, for 3 classes"),
        ({"sensitivity": 0.9}, "sensitivity needs two classes"),
        (
            {"method": pr.methods.Jackknife()},
            r"Jackknife\(\) is not available in operate; use method=Bootstrap\(\)",
        ),
        ({"method": "permutation"}, "is for comparisons"),
        ({"method": "strap"}, "There is no method 'strap'"),
        ({"at_most": {("none", "mild"): 0, ("none", "severe"): 0, ("mild", "none"): 0}}, "No cut-points satisfy"),
    ],
)
def test_bad_terms(options, message):
    with pytest.raises(PolyrocError, match=message):
        operate(STAGE, MARKER, **{"labels": ORDER, **options})


@pytest.mark.filterwarnings("ignore::polyroc.errors.MiscalibrationWarning")
@pytest.mark.filterwarnings(
    "ignore::polyroc.errors.SuspectInputWarning"
)  # labels in another order than the columns
def test_what_cannot_be_chosen_again():
    P = np.eye(3)[np.repeat([0, 1, 2], [40, 30, 20])] * 0.4 + 0.2
    with pytest.raises(InputError, match="calibrated=True chooses nothing on the cases"):
        operate(STAGE, P, method=FAST, calibrated=True)
    with pytest.raises(InputError, match="criterion='closest' needs one ordered score for 3 classes"):
        operate(STAGE, P, criterion="closest")
    with pytest.raises(InputError, match="method cannot be used with a front"):
        operate(pr.front([0, 1, 0, 1], [[0.9, 0.1], [0.3, 0.7], [0.6, 0.4], [0.5, 0.5]]), method=FAST)
    with pytest.raises(InputError, match=r"The choice was not repeated; .* method=Bootstrap\(\) in operate"):
        operate(STAGE, MARKER, labels=ORDER).threshold_intervals()
    with pytest.raises(InputError, match="thresholds are those of a rule of one score"):
        _ = operate(STAGE, P, labels=ORDER, calibrated=True).thresholds


def test_a_rate_that_is_corrected_to_almost_zero_has_a_short_interval():
    """By the logit, a rate of 0.0001 with a standard error of 0.02 would have the interval from 0 to 1."""
    rng = np.random.default_rng(0)
    y = np.repeat(["none", "mild", "severe"], [60, 50, 40])
    x = np.repeat([0, 1.2, 2.5], [60, 50, 40]) + rng.normal(size=150)
    point = operate(
        y, x, labels=["none", "mild", "severe"], criterion="youden", method=pr.methods.Bootstrap(replicates=500)
    )
    low, high = point.confusion["none", "severe"].confidence_interval()
    assert low == 0
    assert high < 0.1
    assert point.rates.sum(axis=1) == pytest.approx(1)
