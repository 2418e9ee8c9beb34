"""The learners of Bradley's study; they live in repro/, which is imported from the root of the checkout."""

import doctest
import importlib
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from packages import package

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
package("sklearn")

from repro.bradley import boxes, trees  # noqa: E402
from repro.bradley.learners import (  # noqa: E402
    BAYES_COSTS,
    MSC_COSTS,
    C45Tree,
    CostSweep,
    MultiscaleClassifier,
    QuadraticDistances,
)
from repro.bradley.pruning import distribution, minimum_error, pessimistic_errors, upper_limit  # noqa: E402
from sklearn import __version__  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

SCIKIT_LEARN = tuple(map(int, __version__.split(".")[:2]))  # before 1.9 a covariance had the divisor n - 1

# Quinlan's weather: outlook (sunny, overcast, rain), temperature, humidity, windy, and whether one plays.
GOLF = np.array(
    [
        [0, 75, 70, 1, 1], [0, 80, 90, 1, 0], [0, 85, 85, 0, 0], [0, 72, 95, 0, 0], [0, 69, 70, 0, 1],
        [1, 72, 90, 1, 1], [1, 83, 78, 0, 1], [1, 64, 65, 1, 1], [1, 81, 75, 0, 1], [2, 71, 80, 1, 0],
        [2, 65, 70, 1, 0], [2, 75, 80, 0, 1], [2, 68, 80, 0, 1], [2, 70, 96, 0, 1],
    ],
    dtype=float,
)  # fmt: skip
X_GOLF, IS_GOLF = GOLF[:, :4], np.eye(2)[GOLF[:, 4].astype(int)]


@pytest.mark.slow
@parametrize_with_checks(
    [C45Tree(), MultiscaleClassifier(), MultiscaleClassifier("minimum_error", "in turn"), CostSweep()]
)
def test_scikit_learn_takes_it_for_one_of_its_own(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", ["learners", "pruning", "trees"])
def test_the_examples_are_true(name):
    result = doctest.testmod(importlib.import_module(f"repro.bradley.{name}"))
    assert result.attempted > 0
    assert result.failed == 0


# Gain ratio, by hand


def test_the_gain_ratio_of_quinlans_weather():
    split = trees.value_split(0, X_GOLF[:, 0], IS_GOLF, 2)
    # info(9, 5) = 0.940; after outlook 5/14 info(2, 3) + 4/14 info(4, 0) + 5/14 info(3, 2) = 0.694
    assert split.gain == pytest.approx(0.940 - 0.694, abs=0.0015)  # three printed digits, twice
    # split info(5, 4, 5) = 1.577
    assert split.ratio == pytest.approx(0.246 / 1.577, abs=0.001)
    windy = trees.value_split(3, X_GOLF[:, 3], IS_GOLF, 2)
    assert windy.gain == pytest.approx(0.048, abs=0.0005)
    assert windy.ratio == pytest.approx(0.049, abs=0.0005)


def test_the_threshold_by_hand():
    x = np.array([[1.0], [2.0], [3.0], [4.0]])
    (split,) = trees.threshold_splits(x, np.eye(2)[[0, 0, 0, 1]], 1)
    # after 3: gain = info(3, 1) = 0.811278 bits, split info(3, 1) the same, ratio 1
    assert split.threshold == 3.0
    assert split.gain == pytest.approx(2.0 - 0.75 * math.log2(3.0), abs=1e-12)
    assert split.ratio == pytest.approx(1.0, abs=1e-12)


def test_the_tree_of_the_weather_is_quinlans():
    tree = trees.grow(X_GOLF, IS_GOLF, 2, nominal=frozenset({0, 3}))
    assert tree.split.feature == 0
    sunny, overcast, rain = tree.children
    assert (sunny.split.feature, sunny.split.threshold) == (2, 70.0)  # humidity: up to 75 between 70 and 85 in his
    assert overcast.split is None
    assert overcast.counts.tolist() == [0.0, 4.0]
    assert rain.split.feature == 3
    assert trees.route(tree, X_GOLF).argmax(axis=1).tolist() == GOLF[:, 4].tolist()


def test_an_unseen_value_is_decided_by_the_node_without_a_branch_for_it():
    tree = trees.grow(X_GOLF, IS_GOLF, 2, nominal=frozenset({0, 3}))
    assert trees.route(tree, np.array([[7.0, 70.0, 70.0, 0.0]])).tolist() == [[5.0, 9.0]]


def test_a_split_needs_enough_cases_on_both_sides():
    X = np.arange(100.0)[:, None]
    y = np.eye(2)[(np.arange(100) > 2).astype(int)]
    (split,) = trees.threshold_splits(X, y, 2)
    assert split.threshold == 4.0  # a tenth of the cases per class, 5, not the 3 that would part them


def test_best_splits_are_those_of_a_slow_search():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n, classes = int(rng.integers(6, 30)), int(rng.integers(2, 4))
        X = rng.integers(0, 6, (n, 3)).astype(float)
        is_class = np.eye(classes)[np.concatenate((np.arange(classes), rng.integers(0, classes, n - classes)))]
        by_key = {split.feature: split for split in trees.threshold_splits(X, is_class, 2)}
        for feature in range(3):
            best = slow_ratio(X[:, feature], is_class, max(2, math.ceil(0.1 * n / classes)))
            assert (feature in by_key) == (best > 0)
            if best > 0:
                assert by_key[feature].ratio == pytest.approx(best, abs=1e-12)


def slow_ratio(x, is_class, fewest):
    def info(counts):
        shares = counts[counts > 0] / counts.sum()
        return -float(np.sum(shares * np.log2(shares)))

    best, n = 0.0, len(x)
    for threshold in np.unique(x)[:-1]:
        below = x <= threshold
        few = min(below.sum(), n - below.sum())
        if few >= fewest:
            parts = [is_class[below], is_class[~below]]
            gain = info(is_class.sum(axis=0)) - sum(len(part) / n * info(part.sum(axis=0)) for part in parts)
            if gain > 1e-10:
                best = max(best, gain / info(np.array([len(part) for part in parts], dtype=float)))
    return best


# Pruning


@pytest.mark.parametrize(("errors", "cases"), [(0, 6), (1, 16), (3, 20), (19, 20)])
def test_the_upper_limit_is_the_binomials(errors, cases):
    p = upper_limit(errors, cases, 0.25)
    assert binom.cdf(errors, cases, p) == pytest.approx(0.25, abs=1e-9)


def test_the_upper_limits_that_quinlan_prints():
    for cases, limit in {6: 0.206, 9: 0.143, 1: 0.750}.items():
        assert upper_limit(0, cases, 0.25) == pytest.approx(limit, abs=0.0005)
    assert upper_limit(1, 16, 0.25) == pytest.approx(0.157, abs=0.004)  # his program interpolates; exactly 0.1597
    assert upper_limit(4, 4, 0.25) == 1.0
    assert upper_limit(0, 0, 0.25) == 0.0


def test_quinlans_subtree_becomes_a_leaf():
    """Section 4.2 of his book: three leaves (6, 0), (9, 0), (0, 1) fear 3.273 errors, one leaf (15, 1) 2.512."""
    X = np.repeat([0.0, 1.0, 2.0], [6, 9, 1])[:, None]
    is_class = np.eye(2)[np.repeat([0, 0, 1], [6, 9, 1])]
    split = trees.Split(0, 1.0, 1.0, values=(0.0, 1.0, 2.0))
    leaves = tuple(trees.Node(is_class[X[:, 0] == k].sum(axis=0)) for k in range(3))
    tree = trees.Node(is_class.sum(axis=0), split, leaves)
    assert trees.prune(tree, X, is_class, np.ones(2), 0.25).split is None
    # the one case of the second class costs so much that it is worth a leaf
    assert trees.prune(tree, X, is_class, np.array([1.0, 30.0]), 0.25).split is not None


def test_a_branch_can_take_the_place_of_its_tree():
    """A split that has nothing to say above one that says it all."""
    rng = np.random.default_rng(1)
    X = np.column_stack((np.repeat([0.0, 1.0], [38, 2]), rng.permutation(40) / 40.0))
    is_class = np.eye(2)[(X[:, 1] > 0.5).astype(int)]
    useful = trees.Split(1, 1.0, 1.0, threshold=0.5)
    small = trees.Node(is_class[38:].sum(axis=0))
    large = trees.Node(is_class[:38].sum(axis=0), useful, (small, small))
    tree = trees.Node(is_class.sum(axis=0), trees.Split(0, 0.1, 0.1, threshold=0.0), (large, small))
    pruned = trees.prune(tree, X, is_class, np.ones(2), 0.25)
    assert pruned.split == useful
    assert sum(child.counts.sum() for child in pruned.children) == 40


def test_minimum_error_by_hand():
    # (6 + 8 x 0.5) / (8 + 8) = 0.625; with a cost of 3 for the second class: (6 + 8 x 0.75) / (6 + 6 + 8) = 0.6
    counts, even = np.array([6.0, 2.0]), np.array([0.5, 0.5])
    assert minimum_error(counts, np.ones(2), even, 8.0) == pytest.approx(0.375, abs=1e-12)
    assert minimum_error(counts, np.array([1.0, 3.0]), even, 8.0) == pytest.approx(0.4, abs=1e-12)


def test_costs_weight_the_distribution():
    assert distribution(np.array([3.0, 1.0]), np.array([1.0, 9.0])).argmax() == 1
    assert (
        distribution(np.array([3.0, 0.0]), np.array([0.0, 1.0])).argmax() == 1
    )  # nothing to lose: the costly class
    assert pessimistic_errors(np.array([3.0, 0.0]), np.array([0.0, 1.0]), 0.25) == 0.0


# The Multiscale Classifier


def test_the_square_is_halved_one_way_and_then_the_other():
    """Exclusive or: no single halving helps, four quarters do."""
    X = np.array([[0.1, 0.1], [0.9, 0.9], [0.1, 0.9], [0.9, 0.1]])
    model = boxes.Boxes.trained(X, np.eye(2)[[0, 0, 1, 1]], epochs=10, step=1)
    # the root says 0; the left half says 1, then its lower quarter 0; the right half 1, then its upper quarter 0
    assert sorted(depth for depth, _ in model.whole) == [0, 1, 1, 2, 2]
    assert model.counts_at(X).argmax(axis=1).tolist() == [0, 0, 1, 1]
    assert model.whole[boxes.ROOT].tolist() == [2.0, 2.0]
    assert model.own[boxes.ROOT].tolist() == [0.0, 0.0]


def test_the_square_is_quartered():
    """Along both features at once: the tree is not binary, and the root has the quarters that it needs."""
    X = np.array([[0.1, 0.1], [0.9, 0.9], [0.1, 0.9], [0.9, 0.1]])
    model = boxes.Boxes.trained(X, np.eye(2)[[0, 0, 1, 1]], epochs=10, step=2)
    assert sorted(model.whole) == [(0, 0), (2, 0b01), (2, 0b10)]  # the root says 0, the two other quarters 1
    assert model.counts_at(X).argmax(axis=1).tolist() == [0, 0, 1, 1]
    assert model.own[boxes.ROOT].tolist() == [2.0, 0.0]
    three = boxes.Boxes.trained(np.column_stack([X, X]), np.eye(4), epochs=10, step=4)
    assert len(three.whole) == 4  # three children of one node


def test_a_pass_halves_once():
    X = np.array([[0.0], [0.10], [0.12], [1.0]])  # 0.10 and 0.12 part at the sixth halving
    is_class = np.eye(2)[[0, 0, 1, 0]]
    one = boxes.Boxes.trained(X, is_class, epochs=1, step=1)
    assert max(depth for depth, _ in one.whole) == 1
    all_right = boxes.Boxes.trained(X, is_class, epochs=50, step=1)
    assert all_right.counts_at(X).argmax(axis=1).tolist() == [0, 0, 1, 0]


def test_pruning_merges_boxes_that_decide_alike():
    """Half of the interval says b, twenty times; but for the one a beside it, cases are not worth a box."""
    X = np.concatenate((np.linspace(0.0, 0.49, 20), np.linspace(0.5, 1.0, 20), [0.9]))[:, None]
    is_class = np.eye(2)[[0] * 20 + [1] * 20 + [0]]
    grown = boxes.Boxes.trained(X, is_class, epochs=10, step=1)
    assert len(grown.whole) > 2
    for pruned in (grown.pessimistic(np.ones(2), 0.25), grown.minimum_error(np.ones(2), 2.0)):
        assert sorted(depth for depth, _ in pruned.whole) == [0, 1]
        assert pruned.counts_at(np.array([[0.2], [0.9]])).argmax(axis=1).tolist() == [0, 1]


@pytest.mark.parametrize("step", [1, 2])
def test_pruned_boxes_still_hold_every_case(step):
    rng = np.random.default_rng(3)
    X = rng.random((60, 2))
    grown = boxes.Boxes.trained(X, np.eye(3)[rng.integers(0, 3, 60)], epochs=10, step=step)
    for pruned in (grown, grown.pessimistic(np.ones(3), 0.25), grown.minimum_error(np.ones(3), 2.0)):
        assert sum(pruned.own.values()).sum() == 60
        assert set(pruned.own) == set(pruned.whole)


def test_a_larger_cost_never_names_its_class_less_often():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    for learner in (C45Tree(), MultiscaleClassifier(pruning="minimum_error")):
        fitted = learner.fit(X, y)
        named = [int(np.sum(fitted.decide(X, (1.0, cost)))) for cost in (0.0, 0.03, 0.25, 1.0, 4.0, 32.0)]
        assert named[0] == 0
        assert named[-1] > named[2]


def test_a_sweep_ranks_better_than_one_tree():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    y = np.where(X.sum(axis=1) + rng.normal(size=300) > 0, "yes", "no")
    swept = CostSweep(MultiscaleClassifier(pruning="minimum_error"), costs=MSC_COSTS).fit(X, y)
    assert len(np.unique(swept.predict_proba(X)[:, 1])) > 2
    assert swept.predict(X).tolist() == MultiscaleClassifier(pruning="minimum_error").fit(X, y).predict(X).tolist()


def test_features_take_turns():
    """Five halvings of (0.3, 0.9, 0.6): lower, upper, upper half; then the upper quarters of the first two."""
    (place,) = boxes._places(np.array([[0.3, 0.9, 0.6]]))
    assert place >> (3 * boxes.DEEPEST - 5) == 0b01111
    (corner,) = boxes._places(np.array([[1.0, 1.0]]))
    assert corner == 2 ** (2 * boxes.DEEPEST) - 1  # the upper border belongs to the last box


# The quadratic discriminant function


def test_distances_are_those_of_equation_13():
    rng = np.random.default_rng(7)
    X = rng.random((60, 2))
    y = (X[:, 0] + rng.normal(scale=0.3, size=60) > 0.5).astype(int)
    distances = QuadraticDistances(reg_param=0.0).fit(X, y).distances(X[:5])
    for k in (0, 1):
        part = X[y == k]
        C = np.cov(part.T, ddof=0 if SCIKIT_LEARN >= (1, 9) else 1)
        away = X[:5] - part.mean(axis=0)
        d = (
            np.log(len(part) / 60)
            - 0.5 * np.log(np.linalg.det(C))
            - 0.5 * np.sum(away @ np.linalg.inv(C) * away, 1)
        )
        assert distances[:, k] == pytest.approx(-d, abs=1e-9)


def test_costs_weight_the_distances():
    rule = QuadraticDistances().fit([[0.0], [0.2], [0.4], [0.6], [0.8], [1.0]], [0, 0, 0, 1, 1, 1])
    X = np.linspace(0.0, 1.0, 9)[:, None]
    D = rule.distances(X)
    for costs in BAYES_COSTS:
        weighted = D * costs
        assert rule.decide(X, costs).tolist() == (weighted[:, 1] < weighted[:, 0]).astype(int).tolist()
    assert BAYES_COSTS[0] == (1.0, 0.0)
    assert BAYES_COSTS[7] == (0.5, 0.5)


def test_bad_parameters_are_rejected():
    X, y = [[0.0], [1.0]], [0, 1]
    with pytest.raises(ValueError, match="pruning must be"):
        MultiscaleClassifier(pruning="hard").fit(X, y)
    with pytest.raises(ValueError, match="halving must be"):
        MultiscaleClassifier(halving="twice").fit(X, y)
    with pytest.raises(ValueError, match="one per class"):
        C45Tree(costs=(1.0, 2.0, 3.0)).fit(X, y).predict(X)
    with pytest.raises(ValueError, match="Only binary"):
        CostSweep().fit([[0.0], [1.0], [2.0]], [0, 1, 2])
