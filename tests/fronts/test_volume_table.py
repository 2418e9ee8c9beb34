"""The table of volumes of several fronts, and an independent judge of dominance (moocore)."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from packages import package
from polyroc.errors import InputError
from polyroc.kernels.volumes import DominatedRegion, union_share, union_volume

OFF = ~np.eye(3, dtype=bool)
A = np.zeros((3, 3))
A[OFF] = [0.05, 0.2, 0.1, 0.1, 0.2, 0.05]
B = 0.1 * OFF


def sample(seed, pull, n=50):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n)
    P = rng.dirichlet(np.ones(3), size=3 * n) + pull * np.eye(3)[y]
    return y, P / P.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def fronts():
    y, P = sample(0, 0.6)
    return pr.front(y, {"one": P, "two": sample(1, 0.5)[1], "three": sample(2, 0.2)[1]}, draws=1000)


def test_published_numbers_are_exact():
    """T13 of the formula sheet, to the digits given there."""
    volumes = pr.fronts.front_volumes({"A": A, "B": B}, n_points=None)
    assert volumes.shares == pytest.approx(
        np.array([[0.08247742, 0.03118646], [0.07691224, 0.12820321]]), abs=5e-9
    )
    assert volumes.gini("A").n_points is None
    assert (volumes.provenance.method, volumes.provenance.seed, volumes.provenance.cases) == ("exact", None, {})
    assert volumes.exclusive("A", "A") == 0


@pytest.mark.slow
def test_the_table_is_that_of_single_questions(fronts):
    volumes = pr.fronts.front_volumes(fronts, n_points=5000, rng=2)
    for a, front in fronts.items():
        assert volumes.gini(a) == front.gini(n_points=5000, rng=2)
        for b, other in fronts.items():
            if a != b:
                assert volumes.exclusive(a, b) == front.exclusive(other, n_points=5000, rng=2)
                assert volumes.exclusive(a, b).n_points == 5000
                difference = volumes.gini(a) - volumes.gini(b)
                assert difference == pytest.approx(volumes.exclusive(a, b) - volumes.exclusive(b, a), abs=1e-12)
    assert volumes.sizes == tuple(len(front) for front in fronts.values())
    assert (volumes.classes, volumes.n_points, volumes.provenance.seed) == (3, 5000, 2)
    assert volumes.provenance.cases == {"0": 50, "1": 50, "2": 50}


def test_rows_have_each_volume_with_its_error(fronts):
    volumes = pr.fronts.front_volumes(fronts, n_points=5000)
    rows = volumes.rows(0.9)
    assert len(rows) == 9
    for row in rows:
        against = row["against"] or row["front"]
        share = volumes.shares[volumes.fronts.index(row["front"]), volumes.fronts.index(against)]
        assert row["value"] == share
        assert row["monte_carlo_error"] == pytest.approx(np.sqrt(share * (1 - share) / 5000), abs=1e-15)
        assert (row["measure"] == "G") == (row["against"] is None)


def test_it_is_stored_and_read_back(fronts):
    volumes = pr.fronts.front_volumes(fronts, n_points=500)
    again = pr.results.FrontVolumes.from_dict(json.loads(json.dumps(volumes.to_dict())))
    assert again.rows() == volumes.rows()
    assert (
        repr(again)
        == repr(volumes)
        == (
            f"FrontVolumes(G: one {volumes.gini('one'):.4f}, two {volumes.gini('two'):.4f}, "
            f"three {volumes.gini('three'):.4f}; 500 points)"
        )
    )


def test_fronts_are_named_by_classifier_or_numbered(fronts):
    one, two, _ = fronts.values()
    assert pr.fronts.front_volumes(one, n_points=10).fronts == ("one",)
    assert pr.fronts.front_volumes([two, one], n_points=10).fronts == ("two", "one")
    assert pr.fronts.front_volumes([one, two, one], n_points=10).fronts == ("one 1", "two", "one 2")


@pytest.mark.parametrize(
    ("fronts", "message"),
    [
        ({}, "one front or more"),
        ([], "one front or more"),
        (3, "fronts must be a Front, a mapping or a list of Front"),
        ([np.eye(3)], "fronts must be a Front, a mapping or a list of Front"),
        ({"a": np.eye(3), "b": np.eye(2)}, "same classes in the same order; a and b"),
        ({"a": [[8, 2], [1, 9]]}, "must hold rates"),
    ],
)
def test_bad_fronts_are_rejected(fronts, message):
    with pytest.raises(InputError, match=message):
        pr.fronts.front_volumes(fronts)


@pytest.mark.slow
def test_other_classes_and_unknown_names_are_rejected(fronts):
    y, P = sample(0, 0.5)
    other = pr.front(np.array(["a", "b", "c"])[y], P, draws=50)
    with pytest.raises(InputError, match="same classes in the same order; one and other"):
        pr.fronts.front_volumes({"one": fronts["one"], "other": other})
    volumes = pr.fronts.front_volumes(fronts, n_points=10)
    with pytest.raises(InputError, match="no front 'x'"):
        volumes.gini("x")


@pytest.mark.slow
@given(st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), min_size=1, max_size=5))
def test_the_exact_union_equals_whole_fractions(members):
    """Few distinct rates, so that corners coincide and dominate each other."""
    twin = naive.union_share([[Fraction(v, 10) for v in m] for m in members], 3)
    assert union_share(np.array(members) / 10, 3) == pytest.approx(float(twin), abs=1e-12)


@pytest.mark.slow
def test_exact_volumes_of_whole_fronts_are_within_the_error_of_sampled_ones(fronts):
    exact = pr.fronts.front_volumes(fronts, n_points=None)
    sampled = pr.fronts.front_volumes(fronts, n_points=100_000, rng=3)
    assert min(exact.sizes) > 100
    errors = np.sqrt(exact.shares * (1 - exact.shares) / 100_000)
    assert (np.abs(exact.shares - sampled.shares) <= 4 * errors).all()  # the seed is fixed; 1 in 16000 otherwise
    a, b = exact.shares[0, 0] - exact.shares[1, 1], exact.shares[0, 1] - exact.shares[1, 0]
    assert a == pytest.approx(b, abs=1e-12)


def test_four_classes_are_exact_too():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 4
    P = rng.dirichlet(np.ones(4), size=120) + 0.5 * np.eye(4)[y]
    front = pr.front(y, P / P.sum(axis=1, keepdims=True), draws=60, concentration=1.0)
    exact, sampled = front.gini(None), front.gini(100_000)
    assert 0.01 < exact < 1
    assert abs(exact - sampled) < 4 * sampled.standard_error


def test_nothing_below_chance_is_dominated_by_what_is_beyond():
    assert union_share(np.full((3, 6), 0.5), 3) == 0


@pytest.mark.slow
@pytest.mark.peer("moocore", "is_nondominated: no point of a front is dominated")
def test_moocore_finds_no_dominated_point(fronts):
    moocore = package("moocore")
    y, P = sample(5, 0.4, n=300)
    many = pr.front(y, P, draws=4000)
    assert len(many) > 500
    for result in (*fronts.values(), many):
        assert moocore.is_nondominated(result.counts[:, OFF].astype(float), keep_weakly=True).all()


@pytest.mark.slow
@pytest.mark.peer("moocore", "hypervolume: what fronts of three classes dominate of the unit cube, to 1e-11")
def test_moocore_has_the_volume_of_the_cube(fronts):
    """What is dominated of the unit cube: ours exactly, and the share of points that `DominatedRegion` finds."""
    moocore = package("moocore")
    points = np.random.default_rng(0).random((200_000, 6))
    for front in fronts.values():
        errors = np.ascontiguousarray(front.rates[:, OFF])
        exact = moocore.hypervolume(errors, ref=np.ones(6))
        assert union_volume(errors, 6.0) == pytest.approx(exact, abs=1e-11)  # thousands of boxes, each rounded
        share = DominatedRegion(errors).contains(points).mean()
        assert abs(share - exact) < 4 * np.sqrt(exact * (1 - exact) / len(points))  # 1 in 16000 for another seed
