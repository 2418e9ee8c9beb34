"""Parameters and costs that evolve together: batches against one at a time, bounds, credit, resuming."""

import dataclasses

import numpy as np
import pytest

import naive
import polyroc as pr
from front_data import Tilt, errors_of, three_blobs
from polyroc.errors import InputError
from polyroc.fronts.bandit import Bandit
from polyroc.fronts.cases import TrainingData
from polyroc.fronts.dominated_volume import volume_shares


class Sums(Tilt):
    """A family without batches whose parameters may be added."""

    name, continuous = "sums", True


def test_batches_are_what_one_vector_at_a_time_gives():
    X, y = three_blobs()
    rng = np.random.default_rng(0)
    training = TrainingData.of(X, y, None, rng.integers(1, 4, len(y)))
    family = pr.fronts.LogisticFamily()
    vectors = family.start(training.X, training.y, rng) + rng.normal(size=(7, 9))
    P = family.posteriors_of_each(vectors, training.X)
    assert all(
        (one == family.posteriors(vector, training.X)).all() for one, vector in zip(P, vectors, strict=True)
    )
    other = three_blobs(seed=5)[0]
    assert (family.posteriors_of_each(vectors, other)[3] == family.posteriors(vectors[3], other)).all()
    costs = rng.exponential(size=(7, 3, 3)) * (1 - np.eye(3))
    weight = training.weight[np.argsort(training.order)].tolist()
    twins = [
        naive.decision_counts(training.y.tolist(), p.tolist(), cost.tolist(), weight)
        for p, cost in zip(P, costs, strict=True)
    ]
    assert training.counts_of_each(P, costs).tolist() == twins


def test_a_family_without_batches_evolves_in_the_same_way():
    """Bounds hold, points are their parameters under their costs, and nothing in the front is dominated."""
    X, y = three_blobs()
    X, family = X @ np.eye(2, 3), Sums(decimals=12)
    front = pr.search_front(family, X, y, generations=12, costs=20, bounds={((0, 1), (1, 0)): (0.5, 2)}, rng=1)
    assert front.growth.draws[-1] == 2000 + 12 * 20
    assert front.generation.max() > 0
    ratio = front.costs[:, 0, 1] / front.costs[:, 1, 0]
    assert ((ratio >= 0.5 - 1e-12) & (ratio <= 2 + 1e-12)).all()
    for i in range(0, len(front), 40):
        P = family.posteriors(front.parameters[i], X).tolist()
        assert naive.decision_counts(y.tolist(), P, front.costs[i].tolist(), [1] * 60) == front.counts[i].tolist()
    assert len(naive.non_dominated(errors_of(front.counts).tolist())) == len(front)


@pytest.mark.slow
def test_the_default_raises_g_more_than_the_printed_algorithm():
    """In as many evaluations; see docs/fronts.md for data sets, seeds and NSGA-III."""
    X, y = three_blobs(sizes=(40, 40, 40), seed=2, spread=0.8)
    family = pr.fronts.LogisticFamily()
    default = pr.search_front(family, X, y, generations=100)
    printed = pr.search_front(family, X, y, generations=20, algorithm="printed")
    assert default.growth.draws[-1] == printed.growth.draws[-1] == 12_000
    (ours, only_ours), (only_theirs, theirs) = volume_shares([default.rates, printed.rates], 20_000, 0)
    assert ours - theirs > 0.01
    assert only_ours > 3 * only_theirs.value


def test_which_algorithm_is_the_default():
    X, y = three_blobs()

    def algorithm(family, **options):
        front = pr.search_front(family, X, y, generations=1, costs=5, **options)
        return front.search.options.get("algorithm", "printed")

    logistic = pr.fronts.LogisticFamily()
    assert algorithm(logistic) == "adaptive"
    assert algorithm(logistic, concentration=2) == algorithm(logistic, objectives="false_positives") == "printed"
    assert algorithm(pr.fronts.NearestNeighbours(largest=5)) == "printed"
    begun = pr.search_front(logistic, X, y, generations=1, algorithm="printed")
    assert algorithm(logistic, concentration=1) == "printed"
    assert pr.search_front(logistic, X, y, generations=2, resume=begun).search.options == begun.search.options


def test_operators_by_which_g_rises_make_more_children():
    bandit = Bandit(3, 0.9)
    for _ in range(20):
        arms = bandit.sample(60, np.random.default_rng(0))
        bandit.learn(arms, arms[arms == 1])
    assert bandit.shares().argmax() == 1
    assert bandit.shares()[1] > 0.8
    assert bandit.shares().min() >= 0.05 - 1e-12
    again = Bandit(3, 0.9)
    again.restore(bandit.state)
    assert (again.shares() == bandit.shares()).all()
    again.learn(np.array([0]), np.empty(0, dtype=np.int64))


@pytest.mark.parametrize(
    "damaged",
    [None, {}, {"gained": [1], "tried": [1]}, {"gained": [1] * 8, "tried": [0] * 8}, {"gained": "a" * 8}],
)
def test_damaged_gains_are_reported(damaged):
    X, y = three_blobs()
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=1, costs=5)
    assert front.search is not None
    state = {**front.search.state, "operators": damaged}
    if damaged is None:  # of an earlier version
        state.pop("operators")
    front = dataclasses.replace(front, search=dataclasses.replace(front.search, state=state))
    if damaged is None:
        again = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=2, costs=5, resume=front)
        assert again.search.generations == 2
        return
    with pytest.raises(InputError, match="what its operators gained is damaged"):
        pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=2, costs=5, resume=front)


@pytest.mark.parametrize(
    ("method", "returned", "message"),
    [
        (
            "perturb_each",
            lambda v, _: v[:-1],
            "perturb_each of the family sums must give 5 vectors of 3 finite numbers",
        ),
        (
            "perturb_each",
            lambda v, _: v * np.nan,
            "In generation 1, perturb_each of the family sums must give 5 vectors",
        ),
        (
            "posteriors_of_each",
            lambda v, X: np.ones((len(v), len(X), 2)) / 2,
            "5 vectors x 60 cases x 3 classes, got",
        ),
        (
            "posteriors_of_each",
            lambda v, X: np.ones((len(v), len(X), 3)),
            r"sum to 1, got .* \(sum 3\) for case 0",
        ),
        ("posteriors_of_each", lambda v, X: np.full((len(v), len(X), 3), np.nan), "must give finite numbers"),
    ],
)
def test_bad_batches_are_reported_with_family_and_generation(method, returned, message):
    X, y = three_blobs()
    family = Sums()
    setattr(family, method, returned)
    with pytest.raises(InputError, match=message):
        pr.search_front(family, X @ np.eye(2, 3), y, generations=2, costs=5)
