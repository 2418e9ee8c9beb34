"""Operating points: against brute force, under limits, evaluated on other cases; errors of invalid terms."""

import itertools
import json
import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
import strategies as draw
from operating_points import operate
from polyroc.errors import InputError, OptimismWarning, PolyrocError, ReversedScoreWarning
from published.iris_loo import posteriors
from strategies import at_most

EXACT = 1e-12  # sums of a dozen numbers of size 1
RNG = np.random.default_rng(3)
Y3 = np.repeat(["benign", "malignant", "normal"], [30, 20, 40])
P3 = RNG.dirichlet([1, 1, 1], size=90) + 0.4 * np.eye(3)[np.repeat([0, 1, 2], [30, 20, 40])]
P3 /= P3.sum(axis=1, keepdims=True)
Y30, P30 = Y3[::3], P3[::3]  # fewer cases, for which a proof takes a tenth of the time


@pytest.mark.filterwarnings("ignore::polyroc.errors.OptimismWarning")
def test_one_decision_for_all_cases_by_a_reversed_score_is_noticed():
    y, s = np.repeat([0, 1], [40, 20]), np.arange(60)
    with pytest.warns(ReversedScoreWarning, match=r"of 'classifier' \(0.0000 to .*negate it"):
        assert pr.operate(y, -s).rule.threshold == np.inf
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReversedScoreWarning)
        pr.operate(y, s)
        pr.operate(y, s % 2)  # one decision as well, for want of a better score


@pytest.mark.filterwarnings("ignore::polyroc.errors.OptimismWarning")
@pytest.mark.parametrize("terms", [{"sensitivity": 0.9}, {"specificity": 0.9}, {"criterion": "youden"}])
def test_a_reversed_score_is_noticed_whatever_the_rule_is_chosen_by(terms):
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    s = y + rng.normal(size=200)
    with pytest.warns(ReversedScoreWarning, match="is the score reversed"):  # by itself the rule is not so bad
        pr.operate(y, -s, **terms)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReversedScoreWarning)
        pr.operate(y, s, **terms)


@pytest.mark.filterwarnings("ignore::polyroc.errors.ReversedScoreWarning")
def test_a_reversed_score_is_noticed():
    y = np.repeat([0, 1], 60)
    s = np.random.default_rng(0).normal(size=120) + 1.5 * y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OptimismWarning)
        texts = [str(pr.operate(y, sign * s, sensitivity=0.9, pos_label=1)) for sign in (1, -1)]
    assert ["is the score reversed?" in text for text in texts] == [False, True]


@pytest.mark.parametrize("verb", ["evaluate", "operate"])
def test_the_weights_of_a_table_are_a_column(verb):
    frame = pd.DataFrame({"y": ["a", "b"] * 3, "s": range(6), "w": [1.0] * 6})
    options = {"truth": "y", "scores": "s", "pos_label": "b"}
    with pytest.raises(InputError, match="sample_weight must be the name of a column"):
        getattr(pr, verb)(frame, **options, sample_weight=frame["w"])
    with pytest.raises(InputError, match="There is no option 'weight'; it is sample_weight"):
        getattr(pr, verb)(frame, **options, weight="w")


# Two classes: every threshold ----------------------------------------------------------------------------------


@given(st.data())
def test_costs_against_all_thresholds(data):
    y, s = data.draw(draw.ranked())
    w = data.draw(draw.weights(y))
    costs = [[0, data.draw(st.integers(0, 5))], [data.draw(st.integers(1, 5)), 0]]
    share = data.draw(st.sampled_from([None, 0.1, 0.5]))
    priors = None if share is None else [1 - share, share]
    point = operate(y, s, costs=costs, priors=priors, sample_weight=w)
    if share is None:
        priors = [naive.total(y, w, k) / w.sum() for k in (0, 1)]
    tried = {t: naive.expected_loss(R, costs, priors) for t, R in naive.threshold_rates(y, s, w).items()}
    assert point.expected_cost == pytest.approx(min(tried.values()), abs=EXACT)
    assert point.apparent_cost == point.expected_cost
    best = [t for t, cost in tried.items() if cost <= min(tried.values()) + 1e-11]
    assert point.rule.threshold == max(best)
    assert point.cost.confidence_interval().low <= point.expected_cost <= point.cost.confidence_interval().high


@given(draw.ranked(), st.sampled_from(["youden", "closest"]))
def test_criteria_against_all_thresholds(drawn, criterion):
    y, s = drawn
    point = operate(y, s, criterion=criterion)
    tried = []
    for (tnr, fpr), (fnr, tpr) in naive.threshold_rates(y.tolist(), s.tolist(), [1] * len(y)).values():
        assert math.isclose(tnr + fpr, 1)
        tried.append(1 - tpr + fpr if criterion == "youden" else fnr**2 + fpr**2)
    reached = 1 - point.tpr + point.fpr if criterion == "youden" else (1 - point.tpr) ** 2 + point.fpr**2
    assert reached == pytest.approx(min(tried), abs=EXACT)


@given(draw.ranked(), st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]))
def test_fixed_sensitivity_and_specificity(drawn, wanted):
    y, s = drawn
    tried = list(naive.threshold_rates(y.tolist(), s.tolist(), [1] * len(y)).values())
    kept = operate(y, s, sensitivity=wanted)
    assert kept.tpr >= wanted - EXACT
    assert kept.fpr == pytest.approx(min(R[0][1] for R in tried if R[1][1] >= wanted - EXACT), abs=EXACT)
    kept = operate(y, s, specificity=wanted)
    assert 1 - kept.fpr >= wanted - EXACT
    assert kept.tpr == pytest.approx(max(R[1][1] for R in tried if R[0][0] >= wanted - EXACT), abs=EXACT)


@given(st.data())
def test_neyman_and_pearson(data):
    y, s = data.draw(draw.ranked())
    limits = {(1, 0): data.draw(st.floats(0, 1))}
    if data.draw(st.booleans()):
        limits[0, 1] = data.draw(st.floats(0, 1))
    tried = naive.threshold_rates(y.tolist(), s.tolist(), [1] * len(y)).values()
    kept = [R for R in tried if all(R[k][m] <= limit + EXACT for (k, m), limit in limits.items())]
    costs = [[0, 1], [2, 0]]
    if not kept:
        with pytest.raises(InputError, match=r"No threshold satisfies the limits: with at most .* at least"):
            operate(y, s, costs=costs, at_most=limits)
        return
    point = operate(y, s, costs=costs, at_most=limits)
    assert all(point.rates[pair] <= limit + EXACT for pair, limit in limits.items())
    shares = [np.mean(y == k) for k in (0, 1)]
    assert point.expected_cost == pytest.approx(
        min(naive.expected_loss(R, costs, shares) for R in kept), abs=EXACT
    )


def test_at_least_is_a_limit_of_the_errors_of_two_classes():
    y, s = [0, 0, 0, 1, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6, 7, 8]
    costs = [[0, 9], [1, 0]]
    least, most = (
        operate(y, s, costs=costs, at_least={1: 0.75}),
        operate(y, s, costs=costs, at_most={(1, 0): 0.25}),
    )
    assert least.to_dict() == most.to_dict()
    assert operate(y, s, costs=costs, at_least={1: 1}).tpr == 1
    assert operate(y, s, costs=costs, at_least={1: 0.5}, at_most={(1, 0): 0}).tpr == 1  # the stricter of the two


def test_at_least_of_three_classes_is_kept_and_stored():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], 12)
    P = rng.dirichlet([1, 1, 1], 36) + 0.3 * np.eye(3)[y]
    P /= P.sum(axis=1, keepdims=True)
    free, point = operate(y, P), operate(y, P, at_least={1: 0.95}, at_most={(0, 1): 0.5})
    assert free.rates[1, 1] < 0.95 <= point.rates[1, 1]
    assert point.at_least == {"1": 0.95}
    assert "at least 0.95 of 1 called 1" in point.aim
    assert pr.results.OperatingPoint.from_dict(point.to_dict()).to_dict() == point.to_dict()
    assert free.at_least is None
    assert "at_least" not in free.to_dict()


@pytest.mark.parametrize(
    ("y", "s", "limits", "message"),
    [
        ([0, 1, 2], np.eye(3), {7: 0.5}, "at_least names 7, which is not one of the classes"),
        ([0, 1, 2], np.eye(3), {1: 2}, "at_least must hold shares from 0 to 1"),
        ([0, 1, 2], np.eye(3), 0.5, "at_least must be a mapping"),
        ([0, 1, 2], [1, 2, 3], {1: 0.5}, "at_least needs probabilities, one column per class, for 3 classes"),
        ([0, 1, 2] * 2, np.eye(3)[[0, 1, 2, 1, 2, 0]], {0: 1, 1: 1}, "satisfies the limits; the closest has"),
    ],
)
def test_bad_least_rates(y, s, limits, message):
    with pytest.raises(InputError, match=message):
        pr.operate(y, s, labels=[0, 1, 2], at_least=limits)


def test_a_contradiction_names_the_best_rates_available():
    y, s = [0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 4, 6, 3, 5, 7, 8]
    with pytest.raises(InputError) as raised:
        operate(y, s, at_most={(1, 0): 0.1, (0, 1): 0.1})
    assert "with at most 0.1 of '1' classified as '0', at least 0.5 of '0' are classified as '1'" in str(
        raised.value
    )
    assert "with at most 0.1 of '0' classified as '1', at least 0.5 of '1' are classified as '0'" in str(
        raised.value
    )
    assert operate(y, s, at_most={(1, 0): 0, (0, 1): 0.5}).rule.threshold == 3


def test_ten_percent_of_ten_is_kept_though_floats_round():
    y, s = np.repeat([0, 1], 10), np.arange(20.0)
    assert operate(y, s, sensitivity=0.9).rule.threshold == 11
    assert operate(y, s, at_most={(1, 0): 0.3}, costs={(1, 0): 0.0}).rates[1, 0] <= 0.3 + EXACT


def test_two_columns_are_the_score_of_the_positive_class():
    y, s = np.array(["well", "sick"])[[0, 0, 1, 0, 1, 1]], np.array([0.1, 0.3, 0.35, 0.4, 0.6, 0.9])
    costs = {("sick", "well"): 4}
    one = operate(y, s, costs=costs, pos_label="sick")
    two = operate(y, np.column_stack([s, 1 - s]), costs=costs, pos_label="sick")
    assert one.rule == two.rule == pr.decisions.ThresholdRule(("sick", "well"), "sick", 0.35)
    unsaid = operate(y, np.column_stack([s, 1 - s]), costs=costs)  # the costs say all there is to say
    assert unsaid.expected_cost == one.expected_cost


@pytest.mark.filterwarnings("ignore::polyroc.errors.MiscalibrationWarning")
def test_calibrated_probabilities_give_bayes_rule():
    y, p = [0, 1, 0, 1], [0.2, 0.7, 0.6, 0.4]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing was fitted, so no word of optimism
        point = pr.operate(y, p, costs=[[0, 1], [4, 0]], calibrated=True)
    assert point.rule.threshold == pytest.approx(0.2)
    rarer = pr.operate(y, p, priors=[0.9, 0.1], calibrated=True)
    assert rarer.rule.threshold == pytest.approx(0.9)  # odds of 1 become odds of 1/9
    trained = pr.operate(y, p, priors=[0.9, 0.1], training_priors=[0.9, 0.1], calibrated=True)
    assert trained.rule.threshold == pytest.approx(0.5)
    three = pr.operate(Y3, P3, costs={("malignant", "benign"): 10}, calibrated=True)
    assert three.rule.costs == ((0, 1, 1), (10, 0, 1), (1, 1, 0))


# Three classes: a fine grid of costs ---------------------------------------------------------------------------


def rates_by_grid(steps, y, P):
    """The rates of the rules of all cost matrices of three classes whose six errors cost these."""
    cells = np.array([*itertools.product(steps, repeat=6)])
    L = np.zeros((len(cells), 3, 3))
    L[:, ~np.eye(3, dtype=bool)] = cells
    decisions = (P @ L).argmin(axis=2)
    rates = [[(decisions[:, y == k] == m).mean(axis=1) for m in range(3)] for k in range(3)]
    return np.moveaxis(np.array(rates), -1, 0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_three_classes_against_a_grid(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [12, 20, 16])
    P = rng.dirichlet([0.7, 0.7, 0.7], size=48) + 0.3 * np.eye(3)[y]
    P = P**2 / (P**2).sum(axis=1, keepdims=True)  # not calibrated
    costs = rng.integers(1, 9, size=(3, 3)) * (1 - np.eye(3))
    priors = rng.dirichlet([3, 3, 3])
    limits = {(2, 0): 0.1, (0, 1): 0.2} if seed % 2 else {}
    point = operate(y, P, costs=costs, priors=priors, at_most=limits or None)
    grid = rates_by_grid([0.05, 0.2, 0.5, 1, 2], y, P)
    kept = np.all([grid[:, *pair] <= limit + EXACT for pair, limit in limits.items()], axis=0)
    tried = (priors[:, None] * costs * grid[kept]).sum(axis=(-2, -1))
    assert point.expected_cost <= tried.min() + EXACT
    assert all(point.rates[pair] <= limit + EXACT for pair, limit in limits.items())
    decisions = point.rule.decide(P)
    assert point.rates.tolist() == pr.rates(y, np.eye(3)[decisions]).rates.tolist()
    assert point.expected_cost == pytest.approx(float((priors[:, None] * costs * point.rates).sum()), abs=EXACT)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::polyroc.errors.MiscalibrationWarning")
def test_four_classes_are_no_worse_than_bayes_rule_and_the_seed_determines_it():
    rng = np.random.default_rng(8)
    y = rng.integers(4, size=200)
    P = rng.dirichlet(np.ones(4), size=200) + 0.5 * np.eye(4)[y]
    P /= P.sum(axis=1, keepdims=True)
    costs = rng.integers(1, 9, size=(4, 4)) * (1 - np.eye(4))
    result, again = operate(y, P, costs=costs, rng=1), operate(y, P, costs=costs, rng=1)
    assert result.rule == again.rule
    assert result.expected_cost <= pr.operate(y, P, costs=costs, calibrated=True).expected_cost + EXACT


@pytest.mark.slow
@at_most(15)  # each is a search
@given(st.data())
def test_the_search_handles_ties_zeros_and_weights(data):
    y, P = data.draw(draw.probabilities(c=3))
    w = data.draw(draw.weights(y))
    point = operate(y, P, costs={(0, 1): 3}, sample_weight=w)
    shares = [naive.total(y, w, k) / w.sum() for k in range(3)]
    costs = [[0, 3, 1], [1, 0, 1], [1, 1, 0]]
    decisions = [naive.cost_decision(p, costs) for p in P.tolist()]
    bayes = naive.expected_loss(naive.rates(y.tolist(), np.eye(3)[decisions].tolist(), w.tolist()), costs, shares)
    assert point.expected_cost <= bayes + 1e-9


@pytest.mark.slow
def test_a_limit_that_only_a_decision_never_made_satisfies():
    point = operate(Y3, P3, at_most={("malignant", "benign"): 0, ("normal", "benign"): 0})
    assert point.rates[1, 0] == point.rates[2, 0] == 0
    assert point.aim == (
        "least expected cost with at most 0 of malignant called benign and at most 0 of normal called benign"
    )


@pytest.mark.slow
def test_limits_that_contradict_say_how_close_one_can_come():
    everything = dict.fromkeys(itertools.permutations(["benign", "malignant", "normal"], 2), 0.0)
    with pytest.raises(InputError, match=r"No rule was found .* the limits; the closest has .*at most 0\)"):
        operate(np.repeat(["benign", "malignant", "normal"], 30), np.full((90, 3), 1 / 3), at_most=everything)


# Judged apart --------------------------------------------------------------------------------------------------


def test_choosing_and_evaluating_on_the_same_cases_is_noted():
    with pytest.warns(OptimismWarning, match="chosen and evaluated on the same cases"):
        point = pr.operate([0, 1, 0, 1], [1, 2, 3, 4])
    assert not point.held_out


def test_evaluated_on_other_cases():
    rng = np.random.default_rng(33)
    y, s = np.repeat([0, 1], 50), np.concatenate([rng.normal(size=50), rng.normal(1, size=50)])
    y2, s2 = np.repeat([0, 1], 40), np.concatenate([rng.normal(size=40), rng.normal(1, size=40)])
    point = pr.operate(y, s, costs=[[0, 1], [3, 0]], evaluate_on=(y2, s2))
    assert point.held_out
    assert point.rates.tolist() == pr.rates(y2, s2, rule=point.rule).rates.tolist()
    assert point.confusion.provenance.cases == {"0": 40, "1": 40}
    assert point.priors.tolist() == [0.5, 0.5]
    loss = 0.5 * point.rates[0, 1] + 1.5 * point.rates[1, 0]
    assert point.expected_cost == pytest.approx(loss, abs=EXACT)
    assert point.apparent_cost == operate(y, s, costs=[[0, 1], [3, 0]]).expected_cost
    frame = pd.DataFrame({"y": y2, "s": s2})
    read = pr.read(frame, truth="y", scores="s")
    assert pr.operate(y, s, costs=[[0, 1], [3, 0]], evaluate_on=read).to_dict() == point.to_dict()


@pytest.mark.slow
def test_the_error_of_the_cost_is_that_of_its_rates():
    point = operate(Y3, P3, costs={("malignant", "benign"): 10}, priors=[0.2, 0.1, 0.7])
    decisions = point.rule.decide(P3)
    pays = np.array([point.costs[k, m] for k, m in zip(*map(codes, (Y3, decisions)), strict=True)])
    variance = sum(
        p**2 * pays[k == Y3].var(ddof=1) / (k == Y3).sum()
        for k, p in zip(("benign", "malignant", "normal"), (0.2, 0.1, 0.7), strict=True)
    )
    assert point.cost.standard_error == pytest.approx(math.sqrt(variance), abs=EXACT)
    assert point.cost.limits == (0.0, pytest.approx(0.2 + 1.0 + 0.7))


def codes(labels):
    return np.searchsorted(["benign", "malignant", "normal"], labels)


@pytest.mark.slow
def test_stored_and_read_back():
    point = operate(Y30, P30, costs={("malignant", "benign"): 10}, at_most={("malignant", "normal"): 0.4})
    again = pr.results.OperatingPoint.from_dict(json.loads(json.dumps(point.to_dict())))
    assert again.to_dict() == point.to_dict() == pickle.loads(pickle.dumps(point)).to_dict()
    assert again.rule == point.rule
    assert again.at_most == {("malignant", "normal"): 0.4}
    assert len(point.rows()) == 9
    assert point.rows()[3]["cost"] == 10
    assert repr(operate([0, 1], [0, 1])) == (
        "OperatingPoint(least expected cost (proven): expected cost 0.0000; "
        "1 if its score is at least 1, otherwise 0.)"
    )
    with pytest.raises(InputError, match="fpr and tpr are available for a threshold"):
        _ = point.fpr


@pytest.mark.slow
@pytest.mark.parametrize("currency", [2.0**-60, 2.0**60])
def test_the_currency_does_not_matter(currency):
    costs = np.array([[0, 2, 1], [10, 0, 1], [1, 1, 0]])
    result, other = operate(Y30, P30, costs=costs), operate(Y30, P30, costs=currency * costs)
    assert other.rule == result.rule
    assert other.expected_cost == pytest.approx(currency * result.expected_cost, rel=1e-12)
    y, s = (Y30 == "malignant").astype(int), P30[:, 1]
    pair = np.array([[0, 1], [4, 0]])
    assert operate(y, s, costs=currency * pair).rule == operate(y, s, costs=pair).rule


@pytest.mark.slow
def test_costs_in_every_form():
    matrix = [[0, 2, 1], [10, 0, 1], [1, 1, 0]]
    pairs = {("benign", "malignant"): 2, ("malignant", "benign"): 10}
    names = ["benign", "malignant", "normal"]
    forms = [matrix, np.array(matrix), pairs, pd.DataFrame(matrix, columns=names)]
    records = [operate(Y30, P30, costs=form).to_dict() for form in forms]
    assert all(point == records[0] for point in records)
    by_class = operate(Y30, P30, priors={"normal": 0.7, "benign": 0.2, "malignant": 0.1})
    assert by_class.priors.tolist() == [0.2, 0.1, 0.7]


# Bad terms -----------------------------------------------------------------------------------------------------

TWO = ([0, 1, 0, 1], [1, 2, 3, 4])


@pytest.mark.parametrize(
    ("data", "terms", "message"),
    [
        (TWO, {"costs": [[0, 1, 1], [1, 0, 1]]}, r"costs must have 2 rows .* and 2 columns .* got shape \(2, 3\)"),
        (TWO, {"costs": [[0, 1], [1]]}, "costs has rows of different lengths"),
        (TWO, {"costs": "cheap"}, "costs must be a list, an array"),
        (TWO, {"costs": [[0, "x"], [1, 0]]}, "costs must hold numbers"),
        (TWO, {"costs": [[0, -1], [1, 0]]}, "costs must not be negative, but 0 called 1 costs -1"),
        (TWO, {"costs": [[2, 1], [1, 0]]}, "A right decision costs nothing, but 0 called 0 costs 2"),
        (TWO, {"costs": [[0, 0], [0, 0]]}, "All costs are zero"),
        (TWO, {"costs": [[0, math.inf], [1, 0]]}, "costs must hold finite numbers"),
        (TWO, {"costs": {(0, 2): 1}}, r"costs names 2, which is not one of the classes \[0, 1\]"),
        (TWO, {"costs": {0: 1}}, r'costs must be given by pairs \("true", "decided"\), got 0'),
        (TWO, {"costs": {(0, 1): [1, 2]}}, "costs must hold finite numbers"),
        (TWO, {"costs": {(0, 1): "dear"}}, "costs must hold numbers, got 'dear'"),
        (TWO, {"costs": pd.DataFrame({1: [0, 1], 0: [1, 0]})}, r"columns of costs must be the classes in order"),
        (TWO, {"priors": [0.5, 0.6]}, r"priors must be probabilities that sum to 1, got .*which sum to 1.1"),
        (TWO, {"priors": [0.5]}, "priors must hold one probability per class"),
        (TWO, {"priors": [1, 0], "costs": {(0, 1): 0}}, "With these priors no error has a cost"),
        (TWO, {"priors": {0: 1}}, "priors lacks class 1"),
        (TWO, {"training_priors": [1, 0], "calibrated": True}, "training_priors must be positive for every class"),
        (TWO, {"at_most": {(1, 0): 2}}, "at_most must hold shares from 0 to 1"),
        (TWO, {"at_most": {(1, 1): 0.2}}, "at_most limits errors, but 1 called 1 is right"),
        (TWO, {"at_most": {(1, "x"): 0.2}}, "at_most names 'x'"),
        (TWO, {"at_most": [0.2]}, "at_most must be a mapping"),
        (TWO, {"at_most": {(1, 0): 0.2}, "calibrated": True}, "at_most needs a rule fitted to the cases"),
        (TWO, {"criterion": "best"}, "criterion must be 'youden' or 'closest', got 'best'"),
        (TWO, {"criterion": "youden", "sensitivity": 0.9}, "Pass one of criterion and sensitivity"),
        (TWO, {"sensitivity": 0.9, "specificity": 0.9}, "limits of both error rates go into at_most"),
        (TWO, {"criterion": "youden", "costs": [[0, 1], [1, 0]]}, "criterion cannot be combined with costs"),
        (TWO, {"sensitivity": 90}, "sensitivity must be a number from 0 to 1"),
        (TWO, {"evaluate_on": [1, 2]}, r"evaluate_on must be \(y_true, y_score\) or Scores"),
        (TWO, {"evaluate_on": ([0, 0], [1, 2])}, "evaluate_on has no case of class '1'"),
        (TWO, {"evaluate_on": ([0, 2], [1, 2])}, "not among labels"),
        (TWO, {"calibrated": True}, r"operate needs probabilities in \[0, 1\] here, got 4"),
        (TWO, {"labels": [0, 1, 2]}, "No case of class '2', so no rule can be chosen"),
        ((list("abab"), list("abab")), {}, "contains decisions"),
        ((Y3, P3), {"sensitivity": 0.9}, "sensitivity needs two classes with a known positive class"),
        ((Y3, P3 * 2), {}, r"operate needs probabilities in \[0, 1\] here"),
        ((Y3, P3[:, 0]), {}, "operate needs the order of the classes for one score and 3 classes"),
        ((Y3, {"a": P3, "b": P3}), {}, "There are several classifiers; choose one with only='a' or 'b'"),
    ],
)
def test_bad_terms(data, terms, message):
    with pytest.raises(PolyrocError, match=message):
        operate(*data, **terms)


def test_published_irises_can_be_run_at_other_places():
    """With two features 15 of 50 virginica are called versicolor at the usual place; costs move that."""
    y, P = posteriors(2)
    usual = pr.rates(y, P)
    dear = operate(y, P, costs={(2, 1): 20})
    assert usual.rates[2, 1] == 0.3
    assert dear.rates[2, 1] < 0.1
    assert dear.rates[1, 2] > usual.rates[1, 2]
