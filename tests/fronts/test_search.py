"""The evolutionary search: what it keeps is what nothing proposed dominates, and it says how far it got."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB

import naive
import polyroc as pr
from front_data import Tilt, errors_of, three_blobs
from polyroc.errors import InputError, NotApplicableError
from polyroc.fronts.archive import Archive, Objectives
from polyroc.fronts.cost_distribution import CostDistribution
from polyroc.fronts.evolution import PQRS_INTERVALS, select
from polyroc.rules import CostRule
from strategies import at_most


@pytest.mark.slow
@at_most(25)
@given(st.integers(0, 2**32), st.sampled_from(["pqrs", "uniform"]), st.sampled_from(["rates", "false_positives"]))
def test_the_archive_is_the_non_dominated_part_of_everything_proposed(seed, selection, objectives):
    """Every table of every parameter and cost vector, from the definitions, filtered by brute force."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 8, 3)
    y = np.repeat(np.arange(3), sizes)
    X = np.eye(3)[y] + rng.normal(size=(len(y), 3)).round(1)
    family, drawn = Tilt(), []
    draw = CostDistribution.sample

    def noted(self, n, rng):
        costs = draw(self, min(n, 40), rng)  # of the start too: the brute force is slow
        drawn.append(costs)
        return costs

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CostDistribution, "sample", noted)
        patch.setattr("polyroc.fronts.evolution.START_DRAWS", 40)
        front = pr.search_front(
            family,
            X,
            y,
            algorithm="printed",
            generations=6,
            costs=15,
            selection=selection,
            objectives=objectives,
            rng=seed,
        )
    assert len(drawn) == len(family.predicted_for) == 7
    tables, ones = [], [1] * len(y)
    for parameters, costs in zip(list(family.predicted_for), drawn, strict=True):
        P = family.posteriors(parameters, X).tolist()
        tables += [naive.decision_counts(y.tolist(), P, cost.tolist(), ones) for cost in costs]
    if objectives == "rates":
        twin = naive.non_dominated(errors_of(tables).tolist())
        mine = [tuple(row) for row in errors_of(front.counts).tolist()]
    else:
        whole = int(np.lcm.reduce(sizes))
        twin = naive.non_dominated(naive.false_positives(tables, sizes.tolist(), whole))
        mine = [tuple(row) for row in naive.false_positives(front.counts.tolist(), sizes.tolist(), whole)]
    assert len(set(mine)) == len(mine)
    assert set(mine) == twin
    for counts, costs, parameters in zip(front.counts, front.costs, front.parameters, strict=True):
        P = family.posteriors(parameters, X).tolist()
        assert naive.decision_counts(y.tolist(), P, costs.tolist(), ones) == counts.tolist()


@pytest.mark.parametrize("start", ["fitted", "random"])
@pytest.mark.parametrize(
    "family", [pr.fronts.LogisticFamily(), pr.fronts.NearestNeighbours(largest=9)], ids=lambda f: f.name
)
def test_every_point_is_its_parameters_under_its_costs(family, start):
    X, y = three_blobs()
    front = pr.search_front(family, X, y, generations=40, start=start, rng=3)
    assert (np.diff(front.generation[np.argsort(front.search.place)]) >= 0).all()  # models are numbered as found
    assert front.generation.max() <= 40
    assert front.generation.min() == 0 or start == "random"
    for i in range(0, len(front), max(1, len(front) // 10)):
        P = family.posteriors(front.parameters[i], sampled_cases(family))
        decisions = CostRule((0, 1, 2), front.costs[i]).codes(P)
        table = np.zeros((3, 3), dtype=int)
        np.add.at(table, (y, decisions), 1)
        assert (table == front.counts[i]).all()
    errors = errors_of(front.counts)
    assert len(naive.non_dominated(errors.tolist())) == len(errors)


def sampled_cases(family):
    """The very array that the search gave to the family: nearest neighbours leave these out one by one."""
    return family._training[0]


def test_two_classes_are_the_staircases_of_all_parameters_searched():
    """Every threshold of every classifier: the lower envelope of their ROC curves, drawn by `curve`."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [30, 25])
    X = rng.normal(size=(55, 2)) + y[:, None] * [0.8, 0.4]
    family = Tilt(decimals=12)
    front = pr.search_front(family, X, y, generations=25, rng=1)
    errors = set()
    for parameters in list(family.predicted_for):
        P = family.posteriors(parameters, X)
        curve = pr.curve(y, P[:, 1], drop_intermediate=False, method=None)
        errors |= {(round(f * 30), round((1 - t) * 25)) for f, t in zip(curve.fpr, curve.tpr, strict=True)}
    assert [tuple(row) for row in errors_of(front.counts).tolist()] == sorted(naive.non_dominated(errors))
    assert front.gini().n_points is None  # exact
    assert front.growth.gini[-1] == pytest.approx(front.gini().value, abs=4 * 0.5 / np.sqrt(20_000))
    logistic = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=25)
    alone = pr.front(y, logistic.deploy(0).model.posterior_function(X)(fitted(X, y)))
    assert logistic.exclusive(alone) >= 0
    # the fit is in the archive with all its thresholds; the difference of two volumes is zero but for rounding
    assert alone.exclusive(logistic).value == pytest.approx(0, abs=1e-15)


def fitted(X, y):
    return pr.fronts.LogisticFamily().start(X, y, np.random.default_rng(0))


@pytest.mark.slow
def test_costs_drawn_reach_what_direct_minimisation_reaches():
    """The cheapest point of the front for some costs against the best of a direct search over parameters."""
    X, y = three_blobs(sizes=(30, 30, 30))
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=400, rng=0)
    family = pr.fronts.LogisticFamily()
    begin, rng = family.start(X, y, np.random.default_rng(0)), np.random.default_rng(1)
    for costs in rng.exponential(size=(4, 3, 3)) * (1 - np.eye(3)):
        best, least = begin, np.inf
        for _ in range(300):  # a climber of the expected cost itself
            tried = best + rng.laplace(0, 0.2, len(best))
            decisions = CostRule((0, 1, 2), costs).codes(family.posteriors(tried, X))
            cost = costs[y, decisions].sum() / 90
            best, least = (tried, cost) if cost < least else (best, least)
        cheapest = (front.counts * costs).sum(axis=(1, 2)).min() / 90
        assert cheapest <= least + costs.max() / 90 + 1e-12  # one case more at most


@pytest.mark.slow
def test_the_same_seed_gives_the_same_front_whatever_the_threads():
    X, y = three_blobs()
    one, two = (
        pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=30, rng=7, n_jobs=jobs) for jobs in (1, 3)
    )
    assert one.to_dict() == two.to_dict()
    other = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=30, rng=8)
    assert not np.array_equal(one.costs, other.costs)
    generator = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=30, rng=np.random.default_rng(1))
    again = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=30, rng=generator.provenance.seed)
    assert generator.to_dict() == again.to_dict()


def test_growth_is_reported_by_generation():
    X, y = three_blobs()
    calls = []
    front = pr.search_front(
        pr.fronts.LogisticFamily(), X, y, generations=45, progress=lambda *step: calls.append(step)
    )
    growth = front.growth
    assert growth.generations == (0, 10, 20, 30, 40, 45)
    assert growth.draws == tuple(2000 + 100 * t for t in growth.generations)
    assert growth.sizes[-1] == len(front)
    assert (np.diff(growth.gini) >= 0).all()
    assert growth.lately == growth.gini[-1] - growth.gini[2]
    assert [step[:2] for step in calls] == [(t, 45) for t in (10, 20, 30, 40, 45)]
    assert calls[-1][2].startswith(f"{len(front)} points, G 0.")
    gini = front.gini(n_points=100_000)
    assert abs(growth.gini[-1] - gini) < 4 * np.sqrt(gini * (1 - gini) * (1 / 20_000 + 1 / 100_000))


@pytest.mark.slow
def test_a_bar_shows_the_size_of_the_archive_and_its_gini(capsys):
    X, y = three_blobs()
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=20, progress=True)
    assert f"{len(front)} points, G {front.growth.gini[-1]:.3f}" in capsys.readouterr().err
    P = np.eye(3)[y]
    pr.front(y, P, draws=100, progress=True)
    assert "1 points, G 1.000" in capsys.readouterr().err
    pr.front(y, P, draws=100, progress=False)
    assert capsys.readouterr().err == ""
    with pytest.raises(InputError, match="progress must be True, False or a function"):
        pr.front(y, P, draws=100, progress="bar")


@pytest.mark.slow
def test_a_front_says_whether_it_still_grew():
    X, y = three_blobs(sizes=(8, 8, 8))
    early = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=20, start="random")
    assert not early.converged
    assert "20 generations, G about" in repr(early)
    assert "still growing" in repr(early)
    assert early.convergence == (
        f"Not converged: G rose by {early.growth.lately:.4f} to {early.growth.gini[-1]:.4f} over the second half "
        "of 20 generations; run more generations (resume=...)."
    )
    late = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=400, algorithm="printed")
    assert late.converged
    assert re.fullmatch(
        r"Converged: G rose by 0.00\d\d to 0.\d+ over the second half of 400 generations.", late.convergence
    )
    assert "still growing" not in repr(late)
    blind = pr.search_front(pr.fronts.LogisticFamily(scale=1e-6), np.zeros((len(y), 1)), y, generations=20)
    assert not blind.converged
    assert "nothing better than chance yet" in repr(blind)
    assert blind.convergence.startswith("Not converged: nothing better than chance after 20 generations")


@pytest.mark.slow
def test_a_start_can_be_given():
    X, y = three_blobs()
    begin = fitted(X, y)
    default, started = (
        pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=12, start=s) for s in ("fitted", begin)
    )
    assert default.to_dict() == started.to_dict()
    several = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=0, start=[begin, begin + 0.1])
    assert set(several.search.place.tolist()) == {0, 1}
    assert several.growth.draws == (2000,)
    printed = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=0, start="random")
    assert printed.growth.draws == (100,)
    assert len(printed.search.models) == len(printed)  # one cost vector for each


@pytest.mark.slow
def test_false_positives_are_a_part_of_all_errors():
    """The points of the rates' front that are best in false positives are not beaten by that front by far."""
    X, y = three_blobs()
    full = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=150)
    coarse = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=150, objectives="false_positives")
    assert len(coarse) < len(full)
    false = [naive.false_positives(front.counts.tolist(), [20, 16, 24], 240) for front in (full, coarse)]
    assert len(naive.non_dominated(false[1])) == len(coarse)
    projected = naive.non_dominated(false[0])
    beaten = [any(naive.dominates(b, a) for b in false[1]) for a in projected]
    assert np.mean(beaten) < 1


def test_large_classes_without_a_common_multiple_still_compare():
    totals = np.array(
        [2**31 - 1, 2**31 - 19, 2**31 - 61]
    )  # primes: their multiple is far above what can be packed
    objectives = Objectives("false_positives", totals)
    table = np.array([[[0, 5, 0], [0, 0, 0], [0, 0, 0]], [[0, 6, 0], [0, 0, 0], [0, 0, 0]]])
    low, high = objectives.of(table)
    assert (low <= high).all()
    assert low[1] < high[1] < objectives.largest < 2**60


def test_bounds_and_alphas_reach_the_search():
    X, y = three_blobs()
    front = pr.search_front(
        pr.fronts.LogisticFamily(),
        X,
        y,
        generations=20,
        bounds={((0, 1), (1, 0)): (2, 5)},
        concentration={(0, 2): 9},
    )
    ratio = front.costs[:, 0, 1] / front.costs[:, 1, 0]
    assert ((ratio >= 2) & (ratio <= 5)).all()
    assert front.costs[:, 0, 2].mean() > 0.4  # 9 of 14 before what dominates what


@pytest.mark.parametrize("crowd", [500, 5000])
def test_pqrs_gives_the_few_far_away_their_share(crowd):
    """A crowd in one interval of both objectives, and two hermits: intervals are drawn, not members."""
    steps = np.arange(crowd)
    vectors = np.stack([10**6 + steps, 10**6 + crowd - steps], axis=1)
    archive = Archive(2 * 10**6 * PQRS_INTERVALS, 2)
    archive.insert(np.concatenate([vectors, [[0, 10**8]], [[10**8, 0]]]))
    rng = np.random.default_rng(0)
    counts = archive.counts[np.argsort(archive.slots)]
    times = 600
    chosen = counts[[select(archive, "pqrs", rng) for _ in range(times)]]
    hermits = [(chosen == parameters).all(axis=1).mean() for parameters in ([0, 10**8], [10**8, 0])]
    # on either objective one hermit is alone in its interval, the other shares one with the crowd: 1/2 and about 0
    assert hermits == pytest.approx([0.25, 0.25], abs=4 * np.sqrt(0.25 * 0.75 / times))
    even = counts[[select(archive, "uniform", rng) for _ in range(times)]]
    assert (even >= 10**8).any(axis=1).mean() < 0.03  # 2 of 502


def test_labels_and_frames_are_understood():
    import pandas as pd

    X, y = three_blobs()
    names = np.array(["low", "mid", "top"])[y]
    plain = pr.search_front(pr.fronts.LogisticFamily(), X, names, generations=5)
    assert plain.labels == ("low", "mid", "top")
    framed = pr.search_front(
        pr.fronts.LogisticFamily(), pd.DataFrame(X, columns=["a", "b"]), pd.Series(names), generations=5
    )
    assert framed.to_dict() == plain.to_dict()
    turned = pr.search_front(pr.fronts.LogisticFamily(), X, names, generations=5, labels=["top", "low", "mid"])
    assert turned.classes == ("top", "low", "mid")
    assert turned.provenance.cases == {"top": 24, "low": 20, "mid": 16}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generations": -1}, "generations must be"),
        ({"generations": 2.5}, "generations must be"),
        ({"costs": 0}, "costs must be"),
        ({"selection": "best"}, "selection must be 'pqrs' or 'uniform'"),
        ({"objectives": "all"}, "objectives must be 'rates' or 'false_positives'"),
        ({"start": "anything"}, "start must be"),
        ({"start": [1.0, 2.0]}, "9 parameters"),
        ({"start": [np.nan] * 9}, "finite"),
        ({"rng": -1}, "rng must be"),
        ({"concentration": 0}, "above 0"),
        ({"save": "no/such/folder/front.npz"}, "no folder"),
        ({"save_every": -1}, "save_every"),
        ({"labels": [0, 1]}, "not among labels"),
    ],
)
def test_bad_options_are_rejected(options, message):
    X, y = three_blobs()
    with pytest.raises(InputError, match=message):
        pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=options.pop("generations", 3), **options)


def test_bad_cases_are_rejected():
    X, y = three_blobs()
    family = pr.fronts.LogisticFamily()
    with pytest.raises(InputError, match="as many cases"):
        pr.search_front(family, X[1:], y)
    with pytest.raises(InputError, match=r"finite numbers, but does not at position 4"):
        pr.search_front(family, np.where(np.arange(60)[:, None] == 4, np.nan, X), y)
    with pytest.raises(InputError, match="must hold numbers"):
        pr.search_front(family, [["a", "b"]] * 60, y)
    with pytest.raises(InputError, match="cases x features"):
        pr.search_front(family, X[None], y)
    with pytest.raises(NotApplicableError, match="none of '3'"):
        pr.search_front(family, X, y, labels=[0, 1, 2, 3])
    with pytest.raises(InputError, match="one class only"):
        pr.search_front(family, X, np.zeros(60))
    with pytest.raises(InputError, match="missing values"):
        pr.search_front(family, X, np.where(np.arange(60) == 2, np.nan, y))
    with pytest.raises(InputError, match="lacks perturb"):
        pr.search_front(type("Half", (), {"start": print, "posteriors": print})(), X, y)
    with pytest.raises(InputError, match="is a class: give an object"):
        pr.search_front(pr.fronts.LogisticFamily, X, y)
    with pytest.raises(InputError, match=r"is given as EstimatorFamily\(GaussianNB"):
        pr.search_front(GaussianNB(), X, y)
    unknown = {"generations": 100}
    with pytest.raises(InputError, match="There is no option 'generations'"):
        pr.front(y, np.eye(3)[y], **unknown)
    for taken in (family, pr.fronts.LogisticFamily, GaussianNB()):
        with pytest.raises(InputError, match=r"search_front\(family, X, y\)"):
            pr.front(taken, X)


def test_the_inputs_are_left_alone():
    X, y = three_blobs()
    before = X.copy(), y.copy()
    pr.search_front(pr.fronts.NearestNeighbours(), X, y, generations=5)
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])
    assert X.flags.writeable
