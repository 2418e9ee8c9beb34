"""Three classes or more: against all decisions there are, and against a plain search; proofs and their limits."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
import strategies as draw
from operating_points import operate
from polyroc.cost_rules import optimality
from polyroc.cost_rules.search import CostProblem, search_costs
from polyroc.errors import InputError
from strategies import at_most

EXACT = 1e-9  # costs of a dozen cases; the integer program is precise to 1e-6 of the cost of one case
Y6 = [0, 0, 1, 1, 2, 2]
P6 = [[0.48, 0.05, 0.47], [0.41, 0.31, 0.28], [0.11, 0.15, 0.74], [0.4, 0.15, 0.45], [0.03, 0.33, 0.64],
      [0.23, 0.36, 0.41]]  # fmt: skip


def drawn(seed, n, c, apart, power=1):
    """Cases of several classes whose probabilities lean to the true class, and costs."""
    rng = np.random.default_rng(seed)
    y = np.append(np.arange(c), rng.integers(c, size=n - c))
    P = (rng.dirichlet(np.ones(c), size=n) + apart * np.eye(c)[y]) ** power
    costs = rng.integers(1, 9, size=(c, c)) * (1 - np.eye(c))
    return y, P / P.sum(axis=1, keepdims=True), costs if seed % 2 else 1 - np.eye(c)


def test_one_error_where_the_search_once_returned_two():
    point = operate(Y6, P6)
    assert (point.rule.decide(P6) != Y6).sum() == 1
    assert point.expected_cost == pytest.approx(1 / 6, abs=EXACT)
    assert point.optimality == "proven"


def test_an_interrupted_search_tries_no_more_costs(monkeypatch):
    """A loss of 300,000 cases takes 40 ms, and the search has dozens of them before its first line."""
    tried, loss = [], CostProblem.loss

    def counted(problem, L):
        tried.append(L)
        return loss(problem, L)

    monkeypatch.setattr(CostProblem, "loss", counted)
    y, P, _ = drawn(0, 20, 3, 0.2)
    costs = 1.0 - np.eye(3)
    problem = CostProblem.weighted(y, np.ones(20), P, costs, {})
    L, (excess, cost) = search_costs(problem, {}, costs, np.random.default_rng(0), stop=lambda: bool(tried))
    assert len(tried) == 2  # the one before the interrupt, and that of the result
    assert (excess, cost) == loss(problem, L)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(14))
def test_nine_cases_against_all_decisions(seed):
    y, P, costs = drawn(seed, 9, 3, 0.2)
    point = operate(y, P, costs=costs)
    least = naive.least_rule_cost(y, P, np.ones(9), costs, np.bincount(y) / 9)
    assert point.expected_cost == pytest.approx(least, abs=EXACT)
    assert point.optimality == "proven"


@pytest.mark.slow
@at_most(15)  # each tries hundreds of decisions
@given(st.data())
def test_few_cases_with_ties_weights_and_limits(data):
    c = data.draw(st.sampled_from([3, 3, 4]))
    y = data.draw(draw.classes(c=c, most=6))
    tenths = st.lists(st.integers(0, 10).map(lambda v: v / 10), min_size=c, max_size=c)
    P = np.array(data.draw(st.lists(tenths, min_size=len(y), max_size=len(y))))
    w = data.draw(draw.weights(y, whole=True))
    costs = np.array(data.draw(st.lists(st.integers(0, 4), min_size=c * c, max_size=c * c))).reshape(c, c)
    costs = costs * (1 - np.eye(c, dtype=int))
    costs[0, 1] += 1
    pair = data.draw(st.sampled_from([None, (0, 1), (2, 0), (1, 1)]))
    limits = {} if pair is None else {pair: data.draw(st.sampled_from([0.0, 0.5]))}
    shares = [naive.total(y, w, k) / w.sum() for k in range(c)]
    least = naive.least_rule_cost(y, P, w, costs, shares, limits)
    terms = {"costs": costs, "sample_weight": w, "at_most": limits or None}
    if pair == (1, 1):
        terms |= {"at_most": None, "at_least": {1: limits[pair]}}
    if least == np.inf:
        with pytest.raises(InputError, match="No rule was found"):
            operate(y, P, **terms)
        return
    point = operate(y, P, **terms)
    for (k, m), limit in limits.items():
        assert point.rates[k, m] >= limit - EXACT if k == m else point.rates[k, m] <= limit + EXACT
    assert point.expected_cost == pytest.approx(least, abs=EXACT)
    assert point.optimality == "proven"


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "c", "n"), [(0, 3, 30), (1, 3, 30), (2, 4, 30), (3, 4, 25), (4, 5, 30)])
def test_small_data_are_proven_and_no_random_rule_is_better(seed, c, n):
    y, P, costs = drawn(seed, n, c, 0.5, power=3)
    point = operate(y, P, costs=costs)
    assert point.optimality == "proven"
    assert operate(y, P, costs=costs).to_dict() == point.to_dict()
    assert point.expected_cost <= plain_search(y, P, costs, starts=40, seed=seed) + EXACT


@pytest.mark.slow
def test_the_order_of_cases_and_repeated_cases_do_not_matter():
    y, P, costs = drawn(5, 24, 3, 0.3)
    point = operate(y, P, costs=costs)
    turned = operate(y[::-1], P[::-1], costs=costs)
    thrice = operate(np.tile(y, 3), np.tile(P, (3, 1)), costs=costs)  # 72 cases, 24 rows that differ
    weighted = operate(y, P, costs=costs, sample_weight=np.full(24, 3))
    costs_found = [point.expected_cost for point in (turned, thrice, weighted)]
    assert costs_found == pytest.approx([point.expected_cost] * 3, abs=EXACT)
    assert {point.optimality for point in (point, turned, thrice, weighted)} == {"proven"}


@pytest.mark.slow
def test_no_errors_are_proven_whatever_the_size():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=2000)
    P = 0.5 * rng.dirichlet(np.ones(3), size=2000) + 0.5 * np.eye(3)[y]
    assert operate(y, P).expected_cost == 0
    assert operate(y, P).optimality == "proven"


@pytest.mark.slow
def test_hard_data_are_the_best_found():
    y, P, costs = drawn(1, 300, 3, 0.3)
    assert operate(y, P, costs=costs).optimality == "best found"


def test_effort_that_runs_out_proves_nothing(monkeypatch):
    y, P, costs = drawn(3, 30, 3, 0.1)
    monkeypatch.setattr(optimality, "MOST_CUTS", 2)
    assert operate(y, P, costs=costs).optimality == "best found"


def test_a_combination_that_does_not_contradict_is_no_cut():
    """0 < x - y and 0 < y - x contradict each other; 0 < x - y and 0 < 2y - x do not."""
    strict, y = np.array([True, True]), np.array([0.5, 0.5])
    assert optimality._contradict(np.array([[1.0, -1.0], [-1.0, 1.0]]), strict, y)
    assert not optimality._contradict(np.array([[1.0, -1.0], [-1.0, 2.0]]), strict, y)
    assert not optimality._contradict(np.array([[1.0, -1.0], [-1.0, 1.0]]), ~strict, y)  # x = y
    tiny = np.array([[1e-13, -1.0], [-1e-13, 1.0 + 1e-6]])  # a solution there is: x = 1e13 (1 + 5e-7), y = 1
    assert not optimality._contradict(tiny, strict, y)


# Larger data: a plain search -----------------------------------------------------------------------------------


def plain_search(y, P, costs, starts, seed):
    """Random costs, then the best value of one cost after another until none helps; the best of several starts."""
    rng = np.random.default_rng(seed)
    n, c = P.shape
    pay = costs[y] / n
    lines = [(a, b) for a in range(c) for b in range(c) if a != b]

    def cost(L):
        return float(pay[np.arange(n), (P @ L).argmin(axis=1)].sum())

    def moved(L, a, b, now):
        risk = P @ L
        rest = np.where(np.arange(c) == b, np.inf, risk)
        with np.errstate(divide="ignore", invalid="ignore"):
            edges = (rest.min(axis=1) - risk[:, b] + L[a, b] * P[:, a]) / P[:, a]
        points = np.unique(edges[np.isfinite(edges) & (edges > 0)])
        if not len(points):
            return L, now
        values = np.concatenate([[points[0] / 2], (points[1:] + points[:-1]) / 2, [points[-1] * 2]])
        decisions = np.where(values[:, None] < edges, b, rest.argmin(axis=1))
        changed = L.copy()
        changed[a, b] = values[pay[np.arange(n), decisions].sum(axis=1).argmin()]
        return (changed, cost(changed)) if cost(changed) < now - 1e-12 else (L, now)

    ends = []
    for _ in range(starts):
        L = rng.exponential(size=(c, c)) * (1 - np.eye(c))
        now, before = cost(L), np.inf
        while now < before:
            before = now
            for a, b in lines:
                L, now = moved(L, a, b, now)
        ends.append(now)
    return min(ends)


@pytest.mark.slow
@pytest.mark.parametrize("c", [3, 4, 5])
@pytest.mark.parametrize("seed", [10, 13])
def test_larger_data_are_no_worse_than_a_plain_search(seed, c):
    y, P, costs = drawn(seed, 150 + 50 * (seed % 4), c, 0.1 * c, power=2)
    point = operate(y, P, costs=costs)
    assert point.expected_cost <= plain_search(y, P, costs, starts=32, seed=seed) + EXACT


# How it is described --------------------------------------------------------------------------------------------


def test_what_is_printed():
    point = operate(Y6, P6)
    assert repr(point).startswith("OperatingPoint(least expected cost (proven): expected cost 0.1667; ")
    assert point.sentence() == "Proven: on the cases it was chosen on, no rule of its kind is better."
    assert {row["optimality"] for row in point.rows()} == {"proven"}
    assert "proven" in point._repr_html_()
    again = pr.results.OperatingPoint.from_dict(json.loads(json.dumps(point.to_dict())))
    assert again.optimality == "proven"
    older = point.to_dict()
    del older["optimality"]
    assert pr.results.OperatingPoint.from_dict(older).optimality is None


def test_rules_that_are_not_chosen_on_cases():
    believed = pr.operate(Y6, P6, calibrated=True)
    assert believed.optimality is None
    assert repr(believed).startswith("OperatingPoint(least expected cost: expected cost")
    y, s = [0, 0, 1, 0, 1, 1], np.array([0.1, 0.3, 0.35, 0.4, 0.6, 0.9])
    front = pr.front(y, np.column_stack([1 - s, s]))
    assert operate(front).optimality == "proven"
    assert operate(front, point=0).optimality is None
    assert operate(y, s, criterion="youden").optimality == "proven"
    front = pr.front(Y6, P6, draws=200)
    assert operate(front).optimality == "proven"
    assert operate(pr.results.Front.from_dict(front.to_dict())).optimality == "best point"
