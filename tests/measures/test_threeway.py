"""Three classes judged by their probabilities: Mossman's and Sahiner's volumes."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import norm

import naive
import polyroc as pr
from command import polyroc
from measure_values import components, value
from polyroc.errors import NotApplicableError, UndefinedMeasureWarning
from polyroc.kernels.lines import falling_lines
from polyroc.measures.threeway import _Surface
from polyroc.validation.scores import normalise
from published.iris_loo import posteriors
from samples import samples_of
from strategies import at_most, classes, probabilities, weights

CLOSE = {"rtol": 0, "atol": 1e-12}


@st.composite
def neighbours(draw, k=None):
    """(y, counts) of three classes: how many of the k nearest neighbours are of each class."""
    y, k = draw(classes(c=3)), draw(st.integers(1, 13)) if k is None else k
    cuts = st.lists(st.integers(0, k), min_size=2, max_size=2).map(sorted)
    rows = draw(
        st.lists(cuts.map(lambda cut: [cut[0], cut[1] - cut[0], k - cut[1]]), min_size=len(y), max_size=len(y))
    )
    return y, np.array(rows)


def models(rng, sizes, means, spread=1.0):
    """Normal classes in the plane, and their densities scaled to add up to one."""
    y = np.repeat(range(3), sizes)
    x = np.array(means)[y] + rng.normal(size=(len(y), 2)) * spread
    log_density = -0.5 * ((x[:, None] - np.array(means)) ** 2).sum(axis=2)
    P = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    return y, P / P.sum(axis=1, keepdims=True)


TRIANGLE = [(1.2, 0.6), (0.2, 1.1), (0.0, -0.6)]


# Mossman ---------------------------------------------------------------------------------------------------------


@given(probabilities(c=3), st.data())
def test_mossman(cases, data):
    y, P = cases
    w = data.draw(st.one_of(st.none(), weights(y)))
    v = np.ones(len(y)) if w is None else w
    assert value("mossman", y, P, w) == pytest.approx(naive.mossman(y, P, v), abs=1e-12)
    np.testing.assert_allclose(components("mossman", y, P, w), naive.mossman_components(y, P, v), **CLOSE)


@given(neighbours())
def test_mossman_shares_of_neighbours_tie_where_their_counts_do(cases):
    y, counts = cases
    P = counts / counts.sum(axis=1, keepdims=True)
    assert value("mossman", y, P) == pytest.approx(naive.mossman(y, counts, np.ones(len(y))), abs=1e-12)


def test_mossman_differences_equal_but_for_rounding_tie():
    P = [[0.1, 0.3, 0.6], [0.3, 0.5, 0.2], [0.1, 0.1, 0.8]]
    assert 0.3 - 0.1 != 0.5 - 0.3
    assert value("mossman", [0, 1, 2], P) == 0.5


def test_mossman_ties_are_seen_from_both_sides():
    """Found by `make fuzz`: -1e-300 + 1e-12 is 1e-12, but 1e-12 - 1e-12 is above -1e-300: a tie of one side."""
    small, large, third = [1e-300, 0.0, 0.0], [0.0, 1e-12, 0.0], [0.0, 0.0, 1.0]
    for rows, volume in (([small, large, third], 0.5), ([large, small, third], 0.0)):
        P, y = np.repeat(rows, 2, axis=0), [0, 0, 1, 1, 2, 2]
        assert value("mossman", y, P) == volume
        assert components("mossman", y, P).tolist() == [volume] * 6


def test_mossman_ties_one_by_one():
    """x3 tied with one of the others: 1/2, with both: 1/3; a tie in d: 1/2; exactly."""
    for rows, expected in (
        ([[0.5, 0.1, 0.2], [0.1, 0.5, 0.4], [0, 0, 0.4]], 1 / 2),
        ([[0.5, 0.1, 0.4], [0.1, 0.5, 0.4], [0, 0, 0.4]], 1 / 3),
        ([[0.5, 0.1, 0.4], [0.1, 0.5, 0.2], [0, 0, 0.3]], 0),
        ([[0.2, 0.2, 0.4], [0.3, 0.3, 0.2], [0, 0, 0.4]], 1 / 4),
        ([[0.25, 0.25, 0.5]] * 3, 1 / 6),
    ):
        assert value("mossman", [0, 1, 2], rows) == expected


def test_mossman_roles_follow_the_order_of_labels():
    y, P = models(np.random.default_rng(0), (8, 9, 7), TRIANGLE)
    names = np.array(["a", "b", "c"])[y]
    estimate = pr.evaluate(names, P[:, [2, 0, 1]], measure="mossman", labels=["c", "a", "b"])
    new = np.array([1, 2, 0])[y]
    assert estimate.value == pytest.approx(naive.mossman(new, P[:, [2, 0, 1]], np.ones(24)), abs=1e-12)
    assert estimate.value != pytest.approx(value("mossman", y, P), abs=1e-3)


def union_of_boxes(corners):
    """The volume of the union of boxes from 0 to each corner, by cutting space along all their sides."""
    sides = [np.unique([0.0, *corners[:, axis]]) for axis in range(3)]
    covered = np.zeros([len(side) - 1 for side in sides], dtype=bool)
    for corner in corners:
        covered |= np.logical_and.outer(
            np.logical_and.outer(sides[0][1:] <= corner[0], sides[1][1:] <= corner[1]), sides[2][1:] <= corner[2]
        )
    lengths = [np.diff(side) for side in sides]
    return float(np.einsum("ijk,i,j,k->", covered, *lengths))


@at_most(40)
@given(st.one_of(neighbours(k=6), probabilities(c=3)))
def test_mossman_is_the_volume_of_the_union_of_boxes_under_the_surface(cases):
    """With ties counted fully on both sides, as the rule's inequalities do.

    The slice of the union at a height z is, with the largest alpha that still has TPR3 >= z, the area under the
    ROC curve of d for the cases with y3 <= alpha, so the union is the share of right triples; here it is tried.
    """
    y, P = cases
    d, y3 = P[:, 1] - P[:, 0], P[:, 2]
    assume((np.abs(np.subtract.outer(d, d)) > 1e-12).sum() == (d[:, None] != d).sum())
    corners = [
        [
            ((d <= beta) & (y3 <= alpha))[y == 0].mean(),
            ((d >= beta) & (y3 <= alpha))[y == 1].mean(),
            (y3 >= alpha)[y == 2].mean(),
        ]
        for alpha in y3
        for beta in d
    ]
    weak = naive.mean_outcome(y, np.ones(len(y)), lambda x, z, t: d[x] <= d[z] and y3[t] >= max(y3[x], y3[z]))
    assert union_of_boxes(np.array(corners)) == pytest.approx(weak, abs=1e-12)
    if len(np.unique(d)) == len(d) and len(np.unique(y3)) == len(y3):
        assert value("mossman", y, P / max(1, P.max())) == pytest.approx(weak, abs=1e-12)


def test_mossman_of_published_posteriors():
    """Sampat et al. (2009), table VI: leave-one-out posteriors on iris; the row is the formula sheet's T12."""
    expected = [(0.689504, 0.047848), (0.760088, 0.047751), (0.988000, 0.007730), (0.994400, 0.004163)]
    for features, (volume, error) in zip((1, 2, 3, 4), expected, strict=True):
        estimate = pr.evaluate(*posteriors(features), measure="mossman")
        assert estimate.value == pytest.approx(volume, abs=5e-7)
        assert estimate.standard_error == pytest.approx(error, abs=5e-7)


# Sahiner ---------------------------------------------------------------------------------------------------------


def parts_of(y, P, w, malignant):
    """Area and volume with their components, whatever the domain."""
    surface = _Surface(samples_of(y, P, sample_weight=w)[0], malignant)
    by_case = np.full((2, len(y)), surface.area)
    for row, strata in enumerate((surface.of_area(), surface.of_volume())):
        for stratum in strata:
            by_case[row, stratum.cases()] = stratum.components
    return (surface.area, surface.volume), by_case


@pytest.mark.slow
@given(st.one_of(probabilities(c=3), neighbours(k=4)), st.integers(0, 2), st.data())
def test_area_and_volume_of_sahiner(cases, malignant, data):
    y, P = cases[0], cases[1] / max(1, cases[1].max())
    w = data.draw(st.one_of(st.none(), weights(y)))
    v = np.ones(len(y)) if w is None else w
    result, by_case = parts_of(y, P, w, malignant)
    for k, outcome in enumerate(naive.surface(P, malignant)):
        assert result[k] == pytest.approx(naive.mean_outcome(y, v, outcome), abs=1e-12)
        np.testing.assert_allclose(by_case[k], naive.mean_outcomes(y, v, outcome), **CLOSE)


@pytest.mark.slow
@given(st.one_of(probabilities(c=3), neighbours(k=6)), st.integers(0, 2), st.data())
def test_sahiner(cases, malignant, data):
    y, P = cases[0], cases[1] / max(1, cases[1].max())
    w = data.draw(st.one_of(st.none(), weights(y)))
    v = np.ones(len(y)) if w is None else w
    options = f"sahiner(malignant={malignant})"
    try:
        estimate = pr.evaluate(y, P, measure=options, labels=range(3), sample_weight=w, method=None)
    except NotApplicableError:
        assume(False)
    expected = naive.sahiner(y, P, v, malignant)
    assert estimate.value == pytest.approx(
        np.clip(expected, 0, 1), abs=1e-11
    )  # an area of .1 or less stands below
    expected = naive.sahiner_components(y, P, v, malignant)
    # divided by the square of a small area components reach ten thousands, which have 13 places, not 10 decimals
    np.testing.assert_allclose(estimate.components, expected, rtol=1e-13, atol=1e-10)
    assert float(estimate.parts["area"]) == pytest.approx(naive.mean_outcome(y, v, naive.surface(P, malignant)[0]))
    assert np.isnan(estimate.parts["area"].components).tolist() == (y == malignant).tolist()


@pytest.mark.slow
@given(neighbours(), st.integers(0, 2))
def test_sahiner_shares_of_neighbours_tie_where_their_counts_do(cases, malignant):
    y, counts = cases
    result, _ = parts_of(y, counts / counts.sum(axis=1, keepdims=True), None, malignant)
    for k, outcome in enumerate(naive.surface(counts, malignant)):
        assert result[k] == pytest.approx(naive.mean_outcome(y, np.ones(len(y)), outcome), abs=1e-12)


@given(probabilities(c=3), st.integers(0, 2), st.data())
def test_sahiner_knows_no_priors(cases, malignant, data):
    y, P = cases[0], np.maximum(cases[1], 1e-3)  # a probability of zero vanishes, so it has no scale
    priors = np.array(data.draw(st.lists(st.sampled_from([0.125, 0.5, 1.0]), min_size=3, max_size=3)))
    assert parts_of(y, P, None, malignant)[0] == pytest.approx(
        parts_of(y, P * priors, None, malignant)[0], abs=1e-12
    )


@given(st.one_of(probabilities(c=3), neighbours(k=5)))
def test_the_other_two_classes_of_sahiner_play_the_same_role(cases):
    y, P = cases[0], cases[1] / max(1, cases[1].max())
    exchanged = parts_of(np.array([0, 2, 1])[y], P[:, [0, 2, 1]], None, 0)
    for one, two in zip(parts_of(y, P, None, 0), exchanged, strict=True):
        np.testing.assert_allclose(one, two, **CLOSE)


def test_area_of_sahiner_is_two_mann_whitney_numbers():
    y, P = models(np.random.default_rng(1), (20, 30, 25), TRIANGLE)
    estimate = pr.evaluate(y, P, measure="sahiner(malignant=0)")
    r, s = P[:, 1] / P[:, 0], P[:, 2] / P[:, 0]
    others = y > 0
    areas = [float(pr.evaluate(y[others], x[others], measure="auc", pos_label=2)) for x in (-r, s)]
    assert float(estimate.parts["area"]) == pytest.approx(sum(areas) - 1, abs=1e-12)
    assert estimate.value == pytest.approx(
        float(estimate.parts["volume"]) / float(estimate.parts["area"]), abs=1e-12
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_sahiner_is_the_surface_integrated_numerically(seed):
    """Add up, over a fine mesh of (alpha, beta), height times signed area of the image of each cell."""
    y, P = models(np.random.default_rng(seed), (9, 8, 7), TRIANGLE)
    mesh = np.tan(np.linspace(0, np.pi / 2, 1502)[1:-1])
    alpha, beta = np.meshgrid(mesh, mesh, indexing="ij")
    called = [np.zeros_like(alpha) for _ in range(3)]
    for k, p in zip(y, P, strict=True):
        called[k] += (alpha * p[1] + beta * p[2] <= p[0]) / (y == k).sum()
    height, u, v = called
    corners = [
        (slice(None, -1), slice(None, -1)),
        (slice(1, None), slice(None, -1)),
        (slice(1, None), slice(1, None)),
    ]
    corners.append((slice(None, -1), slice(1, None)))
    around = [(u[i], v[i]) for i in (*corners, corners[0])]
    cell = sum(a * d - c * b for (a, b), (c, d) in pairwise(around)) / 2
    volume = (cell * sum(height[i] for i in corners) / 4).sum()
    (area, expected), _ = parts_of(y, P, None, 0)
    # a mesh of 1500 leaves the outermost and a few of the closest crossings unseparated; one weighs 1/56
    assert cell.sum() == pytest.approx(area, abs=1 / 56)
    assert volume == pytest.approx(expected, abs=1 / 56)


@pytest.mark.slow
def test_t16_sahiner_of_three_normal_classes():
    means = [(1.5, 0.8), (0.2, 1.2), (0.0, -0.6)]
    y, P = models(np.random.default_rng(0), (1500, 1500, 1500), means)
    estimate = pr.evaluate(y, P, measure="sahiner(malignant=0)")
    area = estimate.parts["area"]
    exact = norm.cdf(0.9719) + norm.cdf(0.2391) - 1
    assert exact == pytest.approx(0.4289, abs=5e-5)
    assert abs(float(area) - exact) < 4 * area.standard_error  # four standard errors: 1 in 16,000 by chance
    assert abs(estimate.value - 0.878) < 4 * estimate.standard_error + 0.001  # the sheet's number is known to .001
    assert estimate.standard_error < 0.01


def test_sahiner_of_a_mixture_of_the_others_is_chance():
    """If p_M = (p_B + 3 p_N) / 4 everywhere, every M lies on every line: 1/2, whatever the domain."""
    y, P = models(np.random.default_rng(2), (30, 20, 25), TRIANGLE)
    P[:, 0] = P[:, 1] / 4 + P[:, 2] * 3 / 4
    estimate = pr.evaluate(y, P, measure="sahiner(malignant=0)")
    assert estimate.value == pytest.approx(estimate.chance, abs=1e-12)
    assert float(estimate.parts["area"]) < 0.9


def test_sahiner_of_perfect_decisions_is_one():
    """Probabilities of 0 and 1 alone: all of them vanish alike, and nothing is missed."""
    y = np.repeat([0, 1, 2], [3, 4, 5])
    for malignant in range(3):
        estimate = pr.evaluate(y, np.eye(3)[y], measure=f"sahiner(malignant={malignant})")
        assert (estimate.value, float(estimate.parts["area"])) == (1.0, 1.0)


def test_lines_through_points_beyond_all_numbers():
    """b far to the right, n far above: the line passes above every finite m, and between those far away."""
    huge = 1e4
    b, n = np.array([[huge, 0.0, 1.0]]), np.array([[0.0, huge, 1.0]])
    for log_r, log_s, under in (
        (700.0, 700.0, 1.0),
        (huge, -1.0, 1.0),
        (huge, 1.0, 0.0),
        (huge, 0.0, 0.5),
        (0.0, huge, 0.5),
        (1.0, huge, 0.0),
        (-1.0, huge, 1.0),
        (huge, huge, 0.0),
    ):
        by_b, by_n, by_m = np.zeros((2, 1)), np.zeros((2, 1)), np.zeros(1)
        falling_lines(b, n, np.array([[log_r, log_s, 1.0]]), by_b, by_n, by_m)
        assert by_m[0] == by_b[0, 0] == by_n[0, 0] == under
        assert by_b[1, 0] == by_n[1, 0] == 1.0


@pytest.mark.parametrize("malignant", [0, 2])
def test_a_class_at_one_end_of_a_scale_has_no_domain(malignant):
    y, P = posteriors(1)
    names = np.array(["setosa", "versicolor", "virginica"])
    options = f"sahiner(malignant={str(names[malignant])!r})"
    with pytest.raises(NotApplicableError, match=r"mean over a domain.*its area is -0\.0.*ordered scale.*Use ova"):
        pr.evaluate(names[y], P, measure=options)


def test_whether_there_is_a_domain_is_decided_by_groups():
    """Found by `make fuzz`: each case twice, with half its weight and in one group, is the same data."""
    y, P = np.repeat([0, 1, 2], 3), np.random.default_rng(0).dirichlet([1.0, 1.0, 1.0], 9)
    P[np.arange(9), y] += 0.6
    P /= P.sum(axis=1, keepdims=True)
    for times in (1, 2):
        case, weight = np.repeat(np.arange(9), times), np.full(9 * times, 1 / times)
        with pytest.raises(NotApplicableError, match=r"its area is 0\.333, standard error 0\.19\."):
            pr.evaluate(y[case], P[case], measure="sahiner(malignant=1)", groups=case, sample_weight=weight)


def test_a_constant_score_has_no_domain():
    with pytest.raises(NotApplicableError, match="its area is 0, standard error 0"):
        pr.evaluate([0, 0, 1, 1, 2, 2], np.full((6, 3), 1 / 3), measure="sahiner(malignant=1)")


def test_resamples_without_a_domain_are_left_out():
    y, P = models(
        np.random.default_rng(36), (10, 10, 10), [(1.2, 0.6), (0.6, 0.3), (0.0, -0.6)]
    )  # 2.5 errors wide
    with pytest.warns(
        UndefinedMeasureWarning, match=r"\d+ of 400 resamples leave sahiner\(malignant=0\) undefined"
    ):
        estimate = pr.evaluate(
            y, P, measure="sahiner(malignant=0)", method=pr.methods.Bootstrap(replicates=400, rng=0)
        )
    assert estimate.standard_error > 0
    assert pr.evaluate(y, P, measure="sahiner(malignant=0)", method=pr.methods.Jackknife()).standard_error > 0


# Which class is malignant ----------------------------------------------------------------------------------------


def test_the_malignant_class_is_never_guessed():
    y, P = models(np.random.default_rng(0), (10, 10, 10), TRIANGLE)
    names = np.array(["M", "B", "N"])[y]
    reason = "needs to know the malignant class; write sahiner(malignant='B'), or 'M' or 'N'"
    assert pr.evaluate(names, P[:, [1, 0, 2]]).skipped["sahiner"] == reason
    with pytest.raises(NotApplicableError, match=r"^sahiner needs to know the malignant class; write"):
        pr.evaluate(names, P[:, [1, 0, 2]], measure="sahiner")
    with pytest.raises(
        NotApplicableError, match=r"has no class 'm' to be malignant; the classes are 'B', 'M', 'N'"
    ):
        pr.evaluate(names, P[:, [1, 0, 2]], measure="sahiner(malignant='m')")
    with pytest.raises(NotApplicableError, match=r"has no class '0' to be malignant; the classes are 0, 1, 2"):
        pr.compare(y, {"a": P, "b": P}, measure="sahiner(malignant='0')")
    named = pr.evaluate(names, P[:, [1, 0, 2]], measure="sahiner(malignant='M')")
    numbered = pr.evaluate(y, P, measure=pr.measure("sahiner", malignant=np.int64(0)))
    assert named.value == numbered.value
    assert numbered.measure == "sahiner(malignant=0)"


def test_three_classes_of_probabilities_are_needed():
    two = np.array([[0.2, 0.8], [0.7, 0.3]])
    for key in ("mossman", "sahiner"):
        with pytest.raises(NotApplicableError, match=f"{key} needs at least 3 classes, here 2"):
            pr.evaluate([0, 1], two, measure=key)
        with pytest.raises(NotApplicableError, match=f"{key} needs probabilities, one column per class"):
            pr.evaluate([0, 1, 2], [0.1, 0.2, 0.3], measure=key, labels=[0, 1, 2])


def test_on_the_command_line_the_class_is_written_out(tmp_path):
    y, P = models(np.random.default_rng(0), (10, 10, 10), TRIANGLE)
    file = tmp_path / "three.csv"
    rows = [f"{'mbn'[k]},{p[2]:.17g},{p[0]:.17g},{p[1]:.17g}" for k, p in zip(y, P, strict=True)]
    file.write_text("\n".join(["y,p_n,p_m,p_b", *rows]))
    arguments = ["--truth", "y", "--scores", "p_*", "--measure", "sahiner(malignant='m')", "--json"]
    done = polyroc("evaluate", file, *arguments)
    expected = pr.evaluate(y, P, measure="sahiner(malignant=0)").value
    assert json.loads(done.stdout)["estimates"][0]["value"] == pytest.approx(expected, abs=1e-12)


# Both: variance and comparison -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("options", ["mossman", "sahiner(malignant=0)"])
def test_variance_against_simulation(options):
    rng = np.random.default_rng(7)
    estimates = [
        pr.evaluate(*models(rng, (40, 60, 50), [(1.5, 0.8), (0.2, 1.2), (0.0, -0.6)]), measure=options)
        for _ in range(400)
    ]
    ratio = np.mean([estimate.standard_error**2 for estimate in estimates]) / np.var(
        [estimate.value for estimate in estimates], ddof=1
    )
    assert 0.8 < ratio < 1.25  # 400 samples know a variance to 7 %, three standard errors


@pytest.mark.parametrize("options", ["mossman", "sahiner(malignant=0)"])
def test_classifiers_compare_paired_and_unpaired(options):
    rng = np.random.default_rng(8)
    y, good = models(rng, (60, 60, 60), TRIANGLE)
    poor = good * rng.dirichlet(np.ones(3) * 8, size=len(y))
    both = {"good": good, "poor": poor / poor.sum(axis=1, keepdims=True)}
    paired = pr.compare(y, both, measure=options)
    moved = [estimate.components for estimate in paired.estimates.values()]
    expected = sum(np.cov([components[y == k] for components in moved]) / 60 for k in range(3))
    np.testing.assert_allclose(paired.covariance, expected, rtol=1e-9)
    apart = pr.compare({name: normalise(y, P) for name, P in both.items()}, measure=options)
    assert apart.covariance[0, 1] == 0
    assert np.diag(apart.covariance) == pytest.approx(np.diag(paired.covariance))
    assert apart.difference("good", "poor").value == pytest.approx(paired.difference("good", "poor").value)
    assert paired.covariance[0, 1] > 0
