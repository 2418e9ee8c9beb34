"""Which costs a front tries: argmax and the rule of `operate` are never missed; targets against plain numpy."""

import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

import polyroc as pr
from polyroc.fronts.archive import FrontBuilder, Objectives
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.cost_proposals import AdaptiveCosts, first_costs
from polyroc.kernels.targets import first_below, least_excess


def softened(c, n, strength, seed, decimals=12):
    """Classes and probabilities; the larger the strength, the fewer the errors."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % c
    P = np.exp(rng.normal(size=(n, c)) + strength * np.eye(c)[y])
    P = (P / P.sum(axis=1, keepdims=True)).round(decimals) + 1e-9
    return y, P / P.sum(axis=1, keepdims=True)


def expected_cost(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pr.errors.OptimismWarning)
        return pr.operate(*arguments, **options).expected_cost


@pytest.mark.slow
@settings(deadline=None, max_examples=8)  # integer programs in each
@given(st.integers(3, 5), st.integers(10, 25), st.floats(0, 3), st.integers(0, 10**6), st.sampled_from([1, 2, 12]))
def test_a_front_is_never_worse_than_operate_or_argmax(c, n, strength, seed, decimals):
    y, P = softened(c, n, strength, seed, decimals)
    front = pr.front(y, P, draws=100, rng=seed)
    errors = n * expected_cost(front)
    assert errors <= n * expected_cost(y, P, rng=seed) + 1e-9
    assert errors <= np.count_nonzero(P.argmax(axis=1) != y) + 1e-9


def test_the_first_costs_are_equal_ones_priors_and_emphases():
    first = first_costs(np.array([10, 30, 60]))
    assert first.sum(axis=(1, 2)) == pytest.approx(1)
    equal, priors, *emphases = first
    assert (equal == (1 - np.eye(3)) / 6).all()
    assert (priors[0, 1] / priors[1, 0], priors[0, 2] / priors[2, 0]) == pytest.approx((3, 6))
    ratios = [emphasis / np.where(priors > 0, priors, 1) for emphasis in emphases]
    relative = [ratio[ratio > 0] / np.median(ratio[ratio > 0]) for ratio in ratios]
    assert sorted(r[np.abs(np.log(r)).argmax()].round(9) for r in relative) == [0.2] * 6 + [5.0] * 6


@given(st.data())
def test_targets_are_compared_as_numpy_compares_them(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    rates, targets = (rng.integers(0, 4, size=(rng.integers(1, 12), 3)) / 3 for _ in range(2))
    first, nearest = np.empty(len(targets), dtype=np.int64), np.empty(len(targets), dtype=np.int64)
    first_below(rates, np.argsort(-rates, axis=1), targets, first)
    least_excess(rates, targets, nearest)
    below = (rates[None] <= targets[:, None]).all(axis=2)
    assert (first == np.where(below.any(axis=1), below.argmax(axis=1), -1)).all()
    excess = np.maximum(rates[None] - targets[:, None], 0).sum(axis=2)
    assert excess[np.arange(len(targets)), nearest] == pytest.approx(excess.min(axis=1), abs=1e-12)


def test_more_draws_go_where_gains_were():
    totals = np.array([20, 20, 20])
    front = FrontBuilder(Objectives("rates", totals), 0)
    proposals = AdaptiveCosts(front, CostDistribution(1.0 - np.eye(3), []), np.random.default_rng(0))
    perfect, useless = np.diag(totals), np.tile([20, 0, 0], (3, 1))
    front.add(np.array([useless]), first_costs(totals)[:1])
    for _ in range(3):
        # What is dominated is removed, and a point counts once; here there are always more.
        proposals._targets.points = np.full((50, 6), 0.1)
        proposals._targets._seen.clear()
        sampled = proposals.sample(90)
        assert sampled.sum(axis=(1, 2)) == pytest.approx(1)
        chosen = proposals._sources == 2
        proposals.learn(np.where(chosen[:, None, None], perfect, useless))
    assert proposals._bandit.shares().argmax() == 2
    assert proposals._bandit.shares()[2] > 0.8
    assert proposals._bandit.shares().min() > 0.01  # nothing is given up


@pytest.mark.slow
def test_bounds_hold_for_all_costs():
    y, P = softened(3, 60, 1.0, 0)
    front = pr.front(y, P, draws=300, bounds={((0, 1), (1, 0)): (2, 4)})
    ratio = front.costs[:, 0, 1] / front.costs[:, 1, 0]
    assert ((ratio >= 2 - 1e-12) & (ratio <= 4 + 1e-12)).all()


@pytest.mark.slow
def test_alpha_draws_from_the_distribution_alone():
    y, P = softened(4, 80, 1.5, 1)
    assert "Dirichlet" in pr.front(y, P, draws=60, concentration=1).provenance.method
    assert "Dirichlet" not in pr.front(y, P, draws=60).provenance.method
    assert pr.front(y, P, draws=1).growth.draws == (1,)


@pytest.mark.slow
def test_ten_classes_of_digits_are_better_than_chance():
    """`front(y, P)` said "nothing better than chance yet" where argmax is right in 94 % of the cases."""
    X, y = load_digits(return_X_y=True)
    P = cross_val_predict(RandomForestClassifier(30, random_state=0), X, y, cv=3, method="predict_proba")
    front = pr.front(y, P, draws=2000)
    assert front.growth.gini[-1] > 0.02
    assert expected_cost(front) <= min(np.mean(P.argmax(axis=1) != y), expected_cost(y, P)) + 1e-12


SWEEP = """
import numpy as np
import polyroc as pr

y = np.arange(300_000) % 6
P = np.random.default_rng(0).exponential(size=(len(y), 6)) + np.eye(6)[y]
P /= P.sum(axis=1, keepdims=True)
pr.front(y[:600], P[:600], draws=100)  # compiled before
front = pr.front(y, P, draws=1_000_000, progress=lambda *_: print("begun", flush=True))
print("interrupted" if front.interrupted else "complete")
"""


@pytest.mark.slow
def test_an_interrupt_ends_a_sweep_of_many_rows_within_a_second():
    """In a process of its own: an interrupt at a wrong moment would end that of the tests."""
    with subprocess.Popen([sys.executable, "-c", SWEEP], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.5)  # a million costs take minutes
        process.send_signal(signal.SIGINT)
        pressed = time.monotonic()
        last = [line for line in process.stdout if line != "begun\n"]
        late = time.monotonic() - pressed
    assert last == ["interrupted\n"]
    assert late < 10  # on an idle machine below 1; the tests share theirs, and it was 86 once
