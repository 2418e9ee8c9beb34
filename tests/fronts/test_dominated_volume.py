"""Volumes of error rates: published numbers, exact twins, and the identity of Gini and exclusive volumes."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from polyroc.errors import InputError
from polyroc.fronts.dominated_volume import chance_volume
from polyroc.kernels.volumes import (
    LEVELS,
    DominatedRegion,
    dominated_by_counts,
    points_below_chance,
    staircase_share,
    union_share,
)


def matrices(objectives, classes):
    """Rates with a diagonal, from their error rates."""
    rates = np.zeros((len(objectives), classes, classes))
    rates[:, ~np.eye(classes, dtype=bool)] = objectives
    diagonal = np.arange(classes)
    rates[:, diagonal, diagonal] = 1 - rates.sum(axis=2)
    return rates


A = matrices([[0.05, 0.2, 0.1, 0.1, 0.2, 0.05]], 3)
B = matrices([[0.1] * 6], 3)


@pytest.mark.published(
    "Everson & Fieldsend (2005)",
    "the volume 0.0806 below chance for three classes; two and four to seven by Irwin & Hall's formula",
)
@pytest.mark.parametrize(
    ("classes", "volume"),
    [
        (2, 0.5),
        (3, 29 / 360),
        (4, 397 / 394240),
        (5, 4.2335251e-7),
        (6, 3.3810172e-12),
        (7, 3.3572577e-19),
    ],
)
def test_the_region_has_the_volume_of_irwin_and_hall(classes, volume):
    assert chance_volume(classes) == pytest.approx(volume, rel=1e-7)  # eight digits are printed


@pytest.mark.slow
def test_published_volumes_of_single_points():
    """T13 of the formula sheet, to the digits given there."""
    assert pr.fronts.gini_volume(matrices([[0.2, 0.3]], 2)) == pytest.approx(0.25, abs=1e-12)
    assert pr.fronts.gini_volume(B, n_points=None) == pytest.approx(0.1282032069, abs=5e-11)
    assert pr.fronts.gini_volume(A, n_points=None) == pytest.approx(0.08247742, abs=5e-9)
    assert pr.fronts.exclusive_volume(A, B, n_points=None) == pytest.approx(0.03118646, abs=5e-9)
    assert pr.fronts.exclusive_volume(B, A, n_points=None) == pytest.approx(0.07691224, abs=5e-9)


def test_sampled_volumes_are_within_their_error():
    for estimate, exact in [
        (pr.fronts.gini_volume(A, n_points=200_000), 0.08247742),
        (pr.fronts.gini_volume(B, n_points=200_000), 0.12820321),
        (pr.fronts.exclusive_volume(A, B, n_points=200_000), 0.03118646),
        (pr.fronts.exclusive_volume(B, A, n_points=200_000), 0.07691224),
    ]:
        assert abs(estimate - exact) < 4 * estimate.standard_error  # the seed is fixed; 1 in 16000 otherwise
        assert estimate.standard_error == pytest.approx(np.sqrt(exact * (1 - exact) / 200_000), rel=0.02)
        low, high = estimate.confidence_interval(0.9999)
        assert low < exact < high


@pytest.mark.parametrize("classes", [2, 3, 4, 5])
def test_points_are_uniform_below_chance(classes):
    """Their share above a corner is the exact one, their number the requested one."""
    points = np.concatenate(list(points_below_chance(classes, 50_000, np.random.default_rng(0))))
    D = classes * (classes - 1)
    assert points.shape == (50_000, D)
    assert points.min() >= 0
    assert points.max() <= 1
    assert points.sum(axis=1).max() <= classes - 1 + 1e-9  # a sum of D rounded numbers
    corner = np.zeros(D)
    corner[0] = 0.3
    exact = staircase_share(corner[None]) if classes == 2 else union_share(corner[None], classes)
    share = (points >= corner).all(axis=1).mean()
    assert abs(share - exact) < 4 * np.sqrt(exact * (1 - exact) / 50_000)


rates3 = st.lists(st.lists(st.integers(0, 5), min_size=6, max_size=6), min_size=1, max_size=4)


@given(rates3)
def test_exact_union_equals_whole_fractions(members):
    twin = naive.union_share([[Fraction(v, 10) for v in m] for m in members], 3)
    assert union_share(np.array(members) / 10, 3) == pytest.approx(float(twin), abs=1e-12)
    assert pr.fronts.gini_volume(matrices(np.array(members) / 10, 3), n_points=None) == pytest.approx(
        float(twin), abs=1e-12
    )


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=8))
def test_two_classes_equal_counted_cells(members):
    twin = naive.grid_staircase_share(members, 6)
    assert staircase_share(np.array(members) / 6) == pytest.approx(float(twin), abs=1e-12)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=5))
def test_the_staircase_is_the_union_of_two_objectives(members):
    members = np.array(members)
    assert staircase_share(members) == pytest.approx(union_share(members, 2), abs=1e-12)


@given(rates3, rates3)
def test_differences_of_gini_are_those_of_exclusive_volumes(a, b):
    a, b = (matrices(np.array(rates) / 10, 3) for rates in (a, b))
    for n in (500, None):
        options = {"n_points": n, "rng": 3}
        difference = pr.fronts.gini_volume(a, **options) - pr.fronts.gini_volume(b, **options)
        exclusive = pr.fronts.exclusive_volume(a, b, **options) - pr.fronts.exclusive_volume(b, a, **options)
        assert difference == pytest.approx(exclusive, abs=1e-12)


@pytest.mark.parametrize("distinct", [5, 3 * LEVELS])
@given(st.data())
def test_regions_equal_plain_comparisons(distinct, data):
    """With few levels, and with more distinct rates than levels; sizes around the words of a bitset."""
    m = data.draw(st.sampled_from([1, 2, 63, 64, 65, 2 * LEVELS]))
    D = data.draw(st.sampled_from([2, 3, 6]))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    members, points = (rng.integers(0, distinct, (size, D)) / distinct for size in (m, 20))
    points = np.concatenate([points, members[:3], np.zeros((1, D)), np.ones((1, D))])
    twin = [naive.dominated_share([members], [x]) == 1 for x in points]
    assert DominatedRegion(members).contains(points).tolist() == twin


@pytest.mark.parametrize("total", [4, 50, 2**20])
@given(st.data())
def test_regions_of_counts_equal_plain_comparisons(total, data):
    """With few and many levels, and with more than bitsets are made for."""
    m = data.draw(st.sampled_from([1, 63, 64, 65, 200]))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    totals = np.array([total, 7, total + 3])
    counts = rng.integers(0, totals + 1, (m, 3))
    points = np.concatenate([rng.random((20, 3)), np.zeros((1, 3)), np.ones((1, 3))])
    twin = [naive.dominated_share([counts / totals], [x]) == 1 for x in points]
    assert dominated_by_counts(counts, totals, points).tolist() == twin


def test_signed_zeros_and_tiny_numbers_compare_as_numbers():
    region = DominatedRegion(np.array([[0.0, 5e-324], [-0.0, 1.0]]))
    assert region.contains(np.array([[-0.0, 5e-324], [0.0, 0.0], [0.0, 1.0]])).tolist() == [True, False, True]


def test_more_points_never_dominate_less():
    rng = np.random.default_rng(1)
    rates = matrices(rng.dirichlet(np.ones(7), size=30)[:, :6] * 0.9, 3)
    volumes = [pr.fronts.gini_volume(rates[:m], n_points=20_000) for m in range(1, 31)]
    assert (np.diff(volumes) >= 0).all()
    assert pr.fronts.exclusive_volume(rates[:10], rates, n_points=20_000) == 0


@pytest.mark.parametrize(("classes", "points"), [(4, 60), (7, 20), (10, 1)])
def test_an_exact_volume_of_many_classes_is_given_up(classes, points, monkeypatch):
    """Comparisons are counted, also within one box, so that when it is given up does not depend on the machine."""
    monkeypatch.setattr("polyroc.fronts.dominated_volume.MOST_COMPARISONS", 1e6)
    D = classes * (classes - 1)
    rates = matrices(np.random.default_rng(0).dirichlet(np.ones(D + 1), size=points)[:, :D], classes)
    with pytest.raises(InputError, match=f"{points} points of {classes} classes takes too long; give n_points"):
        pr.fronts.gini_volume(rates, n_points=None)


def test_the_perfect_point_has_everything_and_chance_nothing():
    for classes in (2, 3, 4):
        assert pr.fronts.gini_volume(np.eye(classes), n_points=None) == pytest.approx(1, abs=1e-12)
        assert pr.fronts.gini_volume(np.eye(classes), n_points=100) == 1
        chance = np.full((classes, classes), 1 / classes)
        assert pr.fronts.gini_volume(chance, n_points=None) == pytest.approx(0, abs=1e-12)
        assert pr.fronts.gini_volume(chance, n_points=100) == 0


def test_a_volume_is_a_number_that_survives_pickling():
    volume = pr.fronts.gini_volume(B, n_points=1000)
    again = pickle.loads(pickle.dumps(volume))
    assert (again, again.n_points, again.standard_error) == (volume, 1000, volume.standard_error)
    assert type(volume.value) is float


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ([["a", "b"]], "numbers"),
        (np.zeros((0, 3, 3)), "one point or more"),
        (np.zeros((2, 3, 2)), "classes x classes"),
        ([0.1, 0.2], "classes x classes"),
        ([[80, 20], [30, 70]], "from 0 to 1"),
        ([[0.9, np.nan], [0.1, 0.9]], "from 0 to 1"),
        ([[0.5, 0.1], [0.5, 0.9]], "sum to 1"),
        ([[0, 0.6, 0.6], [0, 0, 0], [0, 0, 0]], "sum to 1"),
    ],
)
def test_bad_rates_are_rejected(rates, message):
    with pytest.raises(InputError, match=message):
        pr.fronts.gini_volume(rates)


def test_bad_options_are_rejected():
    for n in (0, -1, 2.5, True, "many"):
        with pytest.raises(InputError, match="n_points"):
            pr.fronts.gini_volume(B, n_points=n)
    with pytest.raises(InputError, match="rng"):
        pr.fronts.gini_volume(B, rng="seed")
    with pytest.raises(InputError, match="same classes"):
        pr.fronts.exclusive_volume(B, np.eye(2))


def test_an_exact_volume_that_takes_too_long_is_rejected(monkeypatch):
    monkeypatch.setattr("polyroc.fronts.dominated_volume.MOST_COMPARISONS", 2000.0)
    steps = np.linspace(0, 0.5, 40)
    line = matrices([[s, 0.5 - s, 0.1, 0.1, 0.1, 0.1] for s in steps], 3)
    assert pr.fronts.gini_volume(line[:10], n_points=None) > 0
    with pytest.raises(InputError, match="40 points of 3 classes takes too long; give n_points"):
        pr.fronts.gini_volume(line, n_points=None)


def test_few_levels_for_many_objectives_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    members, points = rng.integers(0, 9, (130, 4)) / 9, rng.integers(0, 9, (300, 4)) / 9
    inside = DominatedRegion(members).contains(points)
    monkeypatch.setattr("polyroc.kernels.volumes.WORDS", 40)
    small = DominatedRegion(members)
    assert small.bits.shape[1] == 4
    assert (small.contains(points) == inside).all()
    assert 0 < inside.mean() < 1
