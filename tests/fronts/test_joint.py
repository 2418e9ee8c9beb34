"""Joint fronts: against all points at once, hulls and mixtures against a linear program over all points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import naive
import polyroc as pr
from polyroc.errors import InputError
from polyroc.fronts import joint_front
from strategies import at_most


def fronts(sizes, seed, n=60, names="ab"):
    rng = np.random.default_rng(seed)
    c, y = len(sizes), np.repeat(range(len(sizes)), sizes)
    P = {name: rng.dirichlet(np.ones(c), len(y)) + 0.4 * np.eye(c)[y] for name in names}
    P = {name: table / table.sum(axis=1, keepdims=True) for name, table in P.items()}
    return pr.front(y, P, draws=n, labels=range(c))


def errors_of(counts):
    return counts[:, ~np.eye(counts.shape[1], dtype=bool)]


def is_improved(objectives, i):
    """Whether no positive costs make point i the best: the least costs are raised as far as it stays so."""
    n, D = objectives.shape
    solution = linprog(
        np.append(np.zeros(D), -1.0),  # costs, and the least of them
        A_ub=np.block([[objectives[i] - objectives, np.zeros((n, 1))], [-np.eye(D), np.ones((D, 1))]]),
        b_ub=np.append(np.full(n, 1e-12), np.zeros(D)),
        A_eq=np.append(np.ones(D), 0.0)[None],
        b_eq=[1.0],
    )
    return solution.x is None or -solution.fun < 1e-9


@given(st.integers(0, 10**6), st.sampled_from([(6, 5), (5, 4, 6), (3, 4, 3, 5)]))
def test_the_joint_front_is_what_no_point_of_any_front_dominates(seed, sizes):
    named = fronts(sizes, seed)
    joint = joint_front(named)
    every = np.concatenate([errors_of(front.counts) for front in named.values()])
    expected = naive.non_dominated([tuple(row) for row in every.tolist()])
    counts = np.array([[*named.values()][k].counts[i] for k, i in zip(joint.source, joint.point, strict=True)])
    assert sorted(map(tuple, errors_of(counts).tolist())) == sorted(set(expected))
    assert (joint.rates == counts / counts.sum(axis=2, keepdims=True)).all()
    assert sum(joint.sizes.values()) == len(joint)


@at_most(5)
@given(st.integers(0, 10**6), st.sampled_from([(6, 5), (5, 4, 6)]))
def test_points_on_the_hull_are_those_that_no_mixture_improves(seed, sizes):
    joint = joint_front(fronts(sizes, seed, n=25))
    objectives = errors_of(joint.rates)
    assert joint.on_hull().tolist() == [not is_improved(objectives, i) for i in range(len(joint))]


def test_two_classes_are_the_hull_of_the_roc_curves():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 30)
    p = {name: np.clip(rng.normal(0.4 + 0.2 * y, 0.2), 0, 1) for name in "ab"}
    joint = joint_front(pr.front(y, p))
    hull = pr.curve(y, p).hull()
    on_hull = joint.on_hull()
    below = np.interp(joint.rates[:, 0, 1], hull.fpr, hull.tpr) - joint.rates[:, 1, 1]
    at_zero = joint.rates[:, 0, 1] == 0  # where the curve is upright, so that interpolation takes its end
    assert (np.abs(below[on_hull & ~at_zero]) < 1e-9).all()
    assert (below[~on_hull & ~at_zero] > 1e-9).all()


def test_what_each_supplies_adds_up():
    named = fronts((20, 25, 30), 1, n=300)
    joint = joint_front(named)
    supplied, union = joint.supplied(10**4, 2), joint.gini(10**4, 2)
    volumes = pr.fronts.front_volumes(named, n_points=10**4, rng=2)
    assert union == pytest.approx(volumes.gini("a") + volumes.exclusive("b", "a"), abs=1e-12)
    for name, other in ("ab", "ba"):
        assert volumes.exclusive(name, other) <= supplied[name] + 1e-12 <= union + 1e-12
    assert joint_front({"a": named["a"], "again": named["a"]}).supplied(10**3)["again"] == 0


def test_a_mixture_keeps_a_limit_at_less_cost_than_a_point():
    joint = joint_front(fronts((20, 25, 30), 4, n=300))
    limits = {"at_most": {(0, 1): 0.11}, "at_least": {2: 0.87}}
    shares = joint.mixture(**limits)
    assert sum(shares.values()) == pytest.approx(1)
    keys = [("ab"[k], i) for k, i in zip(joint.source.tolist(), joint.point.tolist(), strict=True)]
    places = {key: i for i, key in enumerate(keys)}
    mixed = sum(share * joint.rates[places[key]] for key, share in shares.items())
    assert mixed[0, 1] <= 0.11 + 1e-9
    assert mixed[2, 2] >= 0.87 - 1e-9
    priors = np.array([20, 25, 30]) / 75
    cost = (priors[:, None] * (1 - np.eye(3)) * joint.rates).sum(axis=(1, 2))
    kept = (joint.rates[:, 0, 1] <= 0.11) & (joint.rates[:, 2, 2] >= 0.87)
    least = sum(share * cost[places[key]] for key, share in shares.items())
    assert least <= cost[kept].min() + 1e-9
    assert sum(share * cost[places[key]] for key, share in joint.mixture().items()) == pytest.approx(cost.min())


def test_what_cannot_be_merged():
    a, b = fronts((5, 5, 5), 0)["a"], fronts((5, 6, 5), 0)["b"]
    with pytest.raises(InputError, match="All fronts must be of the same cases"):
        joint_front([a, b])
    with pytest.raises(InputError, match="fronts"):
        joint_front({"a": a.rates})
    with pytest.raises(InputError, match="No mixture of these points is within the limits"):
        joint_front([a]).mixture(at_least={0: 1, 1: 1, 2: 1})


@given(st.integers(0, 10**6))
def test_the_extremal_set_is_not_dominated_in_false_positive_rates(seed):
    front = fronts((6, 4, 5), seed)["a"]
    totals = [6, 4, 5]
    scaled = [
        tuple(sum(60 // totals[k] * table[k][j] for k in range(3) if k != j) for j in range(3))
        for table in front.counts.tolist()
    ]
    kept = front.extremal()
    assert sorted(scaled[i] for i in kept) == sorted(set(naive.non_dominated(scaled)))


def test_tradeoffs_are_the_fewest_errors_and_those_that_spare_a_class():
    front = fronts((20, 25, 30, 20, 20), 2, n=400)["a"]
    points = front.tradeoffs()
    mean = front.misses.mean(axis=1)
    best = points.pop("fewest errors")
    assert mean[best] == mean.min()
    assert points
    for name, point in points.items():
        k = int(name[-1])
        spared = front.misses[:, k] <= front.misses[best, k] / 2
        assert spared[point]
        assert mean[point] == mean[spared].min()
