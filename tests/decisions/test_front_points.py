"""Using a front: the best point for costs and limits, its rule, its rates; the table of volumes."""

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from polyroc.errors import InputError, OptimismWarning
from polyroc.rules import Rule

pytestmark = pytest.mark.filterwarnings("ignore::polyroc.errors.OptimismWarning")


def sample(sizes, seed=0, pull=0.6, decimals=12):
    rng = np.random.default_rng(seed)
    c = len(sizes)
    y = np.repeat(np.arange(c), sizes)
    P = rng.dirichlet(np.ones(c), size=len(y)) + pull * np.eye(c)[y]
    return y, (P / P.sum(axis=1, keepdims=True)).round(decimals)


@pytest.fixture(scope="module")
def three():
    """A front as it is read from a file, without its cases: `operate` compares its points."""
    y, P = sample((40, 30, 50))
    front = pr.front(y, P, draws=2000)
    assert isinstance(front, pr.results.Front)
    return y, P, replace(front, scores=None)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3, 4, 6, 10])
def test_a_front_is_never_worse_than_operate_on_its_cases(classes, monkeypatch):
    """Random costs, priors, limits and weights; the search is short, as the law holds for one of any length."""
    monkeypatch.setattr("polyroc.cost_rules.search.EFFORT", 2e4)
    rng = np.random.default_rng(classes)
    sizes = rng.integers(120 // classes, 150 // classes, classes)  # more than 100: integer programming takes long
    y, P = sample(sizes, seed=classes, pull=1.2 / classes, decimals=3)
    P /= P.sum(axis=1, keepdims=True)
    w = rng.integers(1, 4, len(y))
    front = pr.front(y, P, draws=50, sample_weight=w)
    costs = rng.exponential(size=(classes, classes)) ** 2 * (1 - np.eye(classes))
    cheaper = 0
    priors = rng.dirichlet(np.full(classes, 3.0))
    for terms in ({}, {"priors": priors}, {"priors": priors, "at_most": {(0, 1): 0.02, (1, 0): 0.8}}):
        direct = pr.operate(y, P, sample_weight=w, costs=costs, **terms)
        chosen = pr.operate(front, costs=costs, **terms)
        assert chosen.expected_cost <= direct.expected_cost + 1e-10
        assert all(chosen.rates[error] <= limit + 1e-12 for error, limit in terms.get("at_most", {}).items())
        assert chosen.rates == pytest.approx(pr.rates(y, P, sample_weight=w, rule=chosen.rule).rates)
        assert (chosen.point is None) == (chosen.rule not in [front.rule(i) for i in range(len(front))])
        cheaper += chosen.point is None
    assert (cheaper > 0) == (classes > 2)  # of two classes the front holds every rule


@pytest.mark.slow
def test_a_copy_has_the_cases_and_a_file_has_not(tmp_path):
    y, P = sample((40, 30, 50))
    front, costs = pr.front(y, P, draws=50), {(0, 1): 7, (2, 1): 0.1}
    chosen = pr.operate(front, costs=costs)
    assert chosen.point is None
    assert chosen.optimality == "best found"
    for again in (pickle.loads(pickle.dumps(front)), copy.deepcopy(front)):
        assert pr.operate(again, costs=costs).rule == chosen.rule
    front.save(tmp_path / "front.npz")
    for read in (pr.results.Front.load(tmp_path / "front.npz"), pr.results.Front.from_json(front.to_json())):
        assert read.scores is None
        stored = pr.operate(read, costs=costs)
        assert stored.optimality == "best point"
        assert stored.expected_cost > chosen.expected_cost
        assert "operate on the cases may find a better rule" in stored.sentence()


def test_a_front_with_bounds_keeps_to_its_points():
    y, P = sample((20, 20, 20))
    front = pr.front(y, P, draws=50, bounds={((0, 1), (1, 0)): (2, 3)})
    assert pr.operate(front, costs={(0, 1): 0.1}).point is not None


@pytest.mark.slow
@given(st.data())
def test_the_point_is_the_cheapest_within_limits(three, data):
    """Costs and limits that are whole numbers and whole cases, so that there are many ties."""
    _, _, result = three
    whole = st.integers(0, 3)
    costs = np.array(data.draw(st.lists(whole, min_size=9, max_size=9))).reshape(3, 3) * (1 - np.eye(3, dtype=int))
    costs[0, 1] += not costs.any()
    sizes = (40, 30, 50)
    cells = [(k, m) for k in range(3) for m in range(3)]
    named = data.draw(st.lists(st.sampled_from(cells), unique=True, max_size=3))
    limits = {(k, m): data.draw(st.integers(0, sizes[k] // 2)) / sizes[k] for k, m in named}
    at_least = {k: limits[k, m] for k, m in named if k == m}
    at_most = {pair: limit for pair, limit in limits.items() if pair[0] != pair[1]}
    terms = {"costs": costs, "at_most": at_most, "at_least": at_least, "priors": np.array(sizes) / 120}
    twin = naive.cheapest_point(result.counts.tolist(), costs.tolist(), limits)
    if twin is None:
        with pytest.raises(InputError, match="No point of this front satisfies the limits; the nearest has"):
            pr.operate(result, **terms)
    else:
        chosen = pr.operate(result, **terms)
        assert chosen.point == twin
        assert (chosen.rates == result.rates[twin]).all()
        assert (chosen.costs == costs).all()
        total = (result.counts[twin] * costs).sum() / 120
        assert chosen.expected_cost == pytest.approx(total, abs=1e-12)
        assert chosen.apparent_cost == chosen.expected_cost


def test_ties_go_to_the_fewest_errors_and_then_to_the_first(three):
    _, _, result = three
    free = pr.operate(result, costs=[[0, 0, 0], [0, 0, 0], [1, 0, 0]])
    never = np.flatnonzero(result.rates[:, 2, 0] == 0)
    assert len(never) > 1
    others = 3 - np.trace(result.rates[never], axis1=1, axis2=2)
    assert free.point == never[np.argmin(others.round(12))]


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(40, 30, 50), (30, 25), (20, 20, 20, 20)])
def test_the_rule_is_deployable_and_survives_json(sizes):
    y, P = sample(sizes)
    front = pr.front(y, P, draws=500)
    P_new = sample([500] * len(sizes), seed=5)[1]
    for point in np.linspace(0, len(front) - 1, 8).astype(int).tolist():
        chosen = pr.operate(front, point=point)
        assert chosen.point == point
        assert chosen.aim == f"point {point} of the front"
        decisions = chosen.rule.decide(P)
        assert decisions.dtype == y.dtype  # labels, not their names
        table = np.zeros((len(sizes), len(sizes)), dtype=int)
        np.add.at(table, (y, decisions), 1)
        assert (table == front.counts[point]).all()
        again = Rule.from_json(chosen.rule.to_json())
        assert (again.decide(P_new) == chosen.rule.decide(P_new)).all()
        stored = pr.results.OperatingPoint.from_dict(json.loads(json.dumps(chosen.to_dict())))
        assert stored.point == point
        assert stored.rule == chosen.rule


def test_always_the_second_class_is_always_even_where_its_probability_is_zero():
    y, P = np.array([0, 1, 0, 1]), np.array([[1.0, 0.0], [1.0, 0.0], [0.3, 0.7], [0.2, 0.8]])
    front = pr.front(y, P)
    always = int(np.flatnonzero(front.counts[:, 1, 0] == 0)[0])
    assert pr.operate(front, point=always).rule.decide(P).tolist() == [1, 1, 1, 1]


def test_rates_and_errors_are_those_of_the_rule_on_its_cases(three):
    y, P, result = three
    costs = {(0, 2): 5, (2, 1): 0.5}
    chosen = pr.operate(result, costs=costs, priors=[0.2, 0.5, 0.3])
    direct = pr.rates(y, P, rule=chosen.rule)
    assert chosen.rates == pytest.approx(direct.rates, abs=1e-15)
    assert chosen.confusion.standard_errors == pytest.approx(direct.standard_errors, abs=1e-12)
    for k, m in [(0, 0), (0, 2), (2, 1)]:
        mine, theirs = chosen.confusion[k, m], direct[k, m]
        assert mine.confidence_interval() == pytest.approx(theirs.confidence_interval(), abs=1e-12)
    judged = pr.operate(result, costs=costs, priors=[0.2, 0.5, 0.3], evaluate_on=(y, P))
    assert chosen.cost.value == pytest.approx(judged.cost.value, abs=1e-12)
    assert chosen.cost.standard_error == pytest.approx(judged.cost.standard_error, abs=1e-12)
    assert chosen.cost.confidence_interval() == pytest.approx(judged.cost.confidence_interval(), abs=1e-10)


@pytest.mark.slow
def test_a_weighted_front_counts_a_case_as_often_as_it_weighs():
    y, P = sample((12, 9, 11))
    w = np.random.default_rng(2).integers(0, 4, len(y))
    weighted = pr.operate(pr.front(y, P, draws=300, sample_weight=w), costs={(0, 1): 3})
    repeated = pr.operate(pr.front(np.repeat(y, w), np.repeat(P, w, axis=0), draws=300), costs={(0, 1): 3})
    assert (weighted.confusion.counts == repeated.confusion.counts).all()
    assert weighted.confusion.standard_errors.tolist() == repeated.confusion.standard_errors.tolist()


def test_a_class_of_one_case_has_no_standard_error():
    y, P = sample((12, 1, 11))
    chosen = pr.operate(pr.front(y, P, draws=300))
    assert np.isnan(chosen.confusion.standard_errors[1]).all()
    assert np.isfinite(chosen.confusion.standard_errors[[0, 2]]).all()
    assert np.isnan(chosen.cost.standard_error)


def test_optimism_is_noted_and_other_cases_take_it_away(three):
    _, _, result = three
    with pytest.warns(OptimismWarning, match="evaluate_on"):
        apparent = pr.operate(result, costs={(0, 1): 4})
    y, P = sample((30, 40, 20), seed=9)
    chosen = pr.operate(result, costs={(0, 1): 4}, evaluate_on=(y, P))
    assert chosen.held_out
    assert not apparent.held_out
    assert chosen.point == apparent.point
    assert chosen.apparent_cost == apparent.expected_cost
    assert (chosen.rates == pr.rates(y, P, rule=chosen.rule).rates).all()


@pytest.mark.filterwarnings("error")
def test_nothing_is_warned_of_where_other_cases_are_given(three):
    y, P, result = three
    pr.operate(result, evaluate_on=(y, P))


@pytest.mark.slow
def test_other_cases_of_several_classifiers():
    y, P = sample((20, 20, 20))
    _, R = sample((20, 20, 20), seed=1)
    fronts = pr.front(y, {"a": P, "b": R}, draws=200)
    others = pr.read(
        pd.DataFrame({"y": y, **{f"{n}_{k}": V[:, k] for n, V in (("a", P), ("b", R)) for k in range(3)}}),
        truth="y",
        scores={"a": ["a_*"], "b": ["b_*"]},
    )
    mine = pr.operate(fronts["b"], point=0, evaluate_on=others)
    assert (mine.rates == fronts["b"].rates[0]).all()
    other = pr.operate(fronts["b"], point=0, evaluate_on=others, only="a")
    assert (other.rates == pr.rates(y, P, rule=mine.rule).rates).all()


@pytest.mark.parametrize("labels", [("well", "sick", "dead"), (3, 1, 2), (True, False), (0.5, 1.5)])
@pytest.mark.parametrize("name", ["front.npz", "front.json"])
def test_labels_survive_the_file(labels, name, tmp_path):
    y, P = sample([20] * len(labels))
    y = np.array(labels)[y]
    front = pr.front(y, P, draws=200, labels=list(labels))
    front.save(tmp_path / name)
    again = pr.results.Front.load(tmp_path / name)
    assert again.labels == labels
    chosen = pr.operate(again, costs={(labels[0], labels[1]): 3}, evaluate_on=(y, P))
    assert set(chosen.rule.decide(P).tolist()) <= set(labels)
    assert (chosen.rates == front.rates[chosen.point]).all()


def test_labels_that_json_does_not_know_are_stored_by_name():
    y, P = sample((10, 10))
    labels = [("a", 1), ("b", 2)]
    named = np.empty(20, dtype=object)
    named[:] = [labels[k] for k in y]
    front = pr.front(named, P, labels=labels)
    assert front.labels == (("a", 1), ("b", 2))
    assert pr.results.Front.from_dict(front.to_dict()).labels == front.classes


@pytest.fixture(scope="module")
def searched():
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0], [1.5, 0], [0, 1.5]])
    y = np.arange(90) % 3
    y_new = np.arange(60) % 3
    X, X_new = (rng.normal(size=(len(codes), 2)) + centres[codes] for codes in (y, y_new))
    labels = np.array(["a", "b", "c"])
    family = pr.fronts.LogisticFamily()
    return pr.search_front(family, X, labels[y], generations=30, costs=20), X, labels[y], X_new, labels[y_new]


def test_a_point_of_a_searched_front_decides_from_features(searched):
    result, X, y, X_new, y_new = searched
    assert result.generation.max() > 0
    chosen = pr.operate(result, costs={("a", "b"): 4}, evaluate_on=(X_new, y_new))
    apart = result.deploy(chosen.point)
    assert (chosen.rule.decide(apart.posteriors(X_new)) == apart.decide(X_new)).all()
    assert (chosen.rates == pr.rates(y_new, apart.decide(X_new)).rates).all()
    again = pr.operate(result, costs={("a", "b"): 4}, evaluate_on=(X, y))
    assert again.point == chosen.point
    assert (again.rates == result.rates[chosen.point]).all()
    regions = pr.decisions.decision_regions(apart, X, y, grid=20)
    assert regions.errors == result.counts[chosen.point].sum() - np.trace(result.counts[chosen.point])


def test_a_searched_front_is_evaluated_on_features(searched):
    result, _, _, X_new, y_new = searched
    with pytest.raises(InputError, match=r"evaluate_on must be \(X, y\)"):
        pr.operate(result, evaluate_on=X_new)
    with pytest.raises(InputError):
        pr.operate(result, evaluate_on=(y_new, X_new))


def test_an_unreachable_limit_says_the_nearest_rate(three):
    _, _, result = three
    worst = result.rates[:, 0, 1] + result.rates[:, 0, 2] + result.rates[:, 1, 0] + result.rates[:, 1, 2]
    worst += result.rates[:, 2, 0] + result.rates[:, 2, 1]
    limits = {(k, m): 0.0 for k in range(3) for m in range(3) if k != m}
    nearest = result.rates[np.argmin(worst)]
    with pytest.raises(InputError) as caught:
        pr.operate(result, at_most=limits)
    assert f"{nearest[0, 1]:.4g} of '0' classified as '1' (at most 0)" in str(caught.value)
    assert "draw more costs" in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"point": 10**6}, "point must be a position .* from 0 to"),
        ({"point": -1}, "point must be"),
        ({"point": True}, "point must be"),
        ({"point": 1.5}, "point must be"),
        ({"point": 0, "at_most": {(0, 1): 0.1}}, "omit one"),
        ({"criterion": "youden"}, "criterion cannot be used with a front"),
        ({"calibrated": True}, "calibrated cannot be used with a front"),
        ({"sample_weight": [1, 2]}, "sample_weight cannot be used"),
        ({"costs": [[0, 1], [1, 0]]}, "costs must have 3 rows"),
        ({"priors": [0.5, 0.5]}, "one probability per class"),
        ({"costs": {(0, "x"): 1}}, "not one of the classes"),
        ({"costs": [[0, 0, 0], [1, 0, 0], [0, 0, 0]], "priors": [0.5, 0, 0.5]}, "no error has a cost"),
        ({"evaluate_on": 3}, "evaluate_on must be"),
    ],
)
def test_bad_questions(three, options, message):
    with pytest.raises(InputError, match=message):
        pr.operate(three[2], **options)


def test_a_point_needs_a_front(three):
    y, P, _ = three
    with pytest.raises(InputError, match="position in a front"):
        pr.operate(y, P, point=3)
