"""Measures whose chance value is a limit of their range: intervals that hold there."""

import warnings
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

import naive
import polyroc as pr
from polyroc.estimates.boundary import Boundary, _noncentrality, boundary_interval, unseen_variance
from polyroc.estimates.estimate import Estimate

LN2 = np.log(2.0)


def discriminability(y, s, measure="scurfield", **options):
    return pr.evaluate(y, s, measure=measure, labels=range(int(max(y)) + 1), **options)


def information(y, decisions, **options):
    return pr.rates(y, decisions, labels=range(int(max(y)) + 1), **options).information_gain()


def modified(y, decisions, **options):
    return pr.evaluate(y, decisions, measure="ht3", labels=range(int(max(y)) + 1), **options)


def cost(y, s, **options):
    return pr.curve(y, s, kind="cost", **options).area


def scores(rng, sizes, shift=0.0):
    y = np.repeat(range(len(sizes)), sizes)
    return y, rng.normal(size=len(y)) + shift * y


def decisions(rng, sizes, right=None):
    c = len(sizes)
    table = np.full((c, c), 1 / c) if right is None else np.full((c, c), (1 - right) / (c - 1))
    if right is not None:
        np.fill_diagonal(table, right)
    return np.repeat(range(c), sizes), np.concatenate(
        [rng.choice(c, n, p=row) for n, row in zip(sizes, table, strict=True)]
    )


FOUR = {
    "scurfield": (discriminability, lambda rng: scores(rng, (30, 20, 25), 0.3)),
    "information": (information, lambda rng: decisions(rng, (30, 20, 25))),
    "ht3": (modified, lambda rng: decisions(rng, (30, 20, 25))),
    "cost": (cost, lambda rng: scores(rng, (30, 20), 0.3)),
}


@given(
    form=st.floats(1e-3, 1e5),
    df=st.floats(0.1, 100.0),
    p=st.sampled_from([0.005, 0.025, 0.05, 0.5, 0.95, 0.975, 0.995]),
)
def test_noncentrality_solves_its_equation(form, df, p):
    result = _noncentrality(form, df, p)
    if stats.chi2.cdf(form, df) <= p:
        assert result == 0.0
        return
    top = 4 * form + 400
    expected = optimize.brentq(lambda at: stats.ncx2.cdf(form, df, max(at, 1e-12)) - p, 0.0, top, xtol=1e-9 * top)
    assert result == pytest.approx(expected, rel=1e-5, abs=1e-6 * (1 + form))  # two root finders


@pytest.mark.parametrize("p", [0.025, 0.975])
def test_noncentrality_goes_over_into_its_normal_limit(p):
    below, above = (_noncentrality(form, 7.0, p) - form for form in (999_999.0, 1_000_001.0))
    assert below == pytest.approx(above, abs=0.05)  # of a standard deviation of 2000


@given(
    value=st.floats(0.0, 1.0),
    bias=st.floats(0.0, 0.3),
    unseen=st.floats(0.0, 0.01),
    error=st.floats(0.0, 0.3),
    cases=st.floats(2.0, 500.0),
    upper=st.booleans(),
    limits=st.sampled_from([None, (-1.0, 2.0)]),
)
def test_intervals_are_nested_and_inside_the_limits(value, bias, unseen, error, cases, upper, limits):
    variance = None if limits is None else error**2
    boundary = Boundary(value, 0.0 if limits else bias, unseen, 0.0, limits, variance)
    ends = [
        boundary_interval(boundary, error, (0.0, 1.0), float(upper), cases, level)
        for level in (0.5, 0.9, 0.95, 0.999)
    ]
    for inner, outer in pairwise(ends):
        assert 0.0 <= outer.low <= inner.low + 1e-7  # chndtrinc's root is good to about that
        assert inner.high - 1e-7 <= outer.high <= 1.0


def test_the_interval_reaches_chance_unless_a_test_of_chance_rejects():
    # x / s = 4 x^2 / V against chi-square with b / s degrees of freedom, one tail of 2.5 %
    value, error = 0.1, 0.08
    scale = error**2 / (4 * value)
    for bias in np.linspace(0.005, 0.1, 40):
        ends = boundary_interval(Boundary(value, bias, 0.0), error, (0.0, 1.0), 0.0, cases=1e6)
        rejects = stats.chi2.sf(value / scale, bias / scale) < 0.025
        assert (ends.low > 0) == rejects


def test_mirrored_if_chance_is_the_upper_limit():
    low = boundary_interval(Boundary(0.03, 0.01, 0.0001), 0.02, (0.0, 0.25), 0.0, 20)
    high = boundary_interval(Boundary(0.22, 0.01, 0.0001), 0.02, (0.0, 0.25), 0.25, 20)
    assert (0.25 - high.high, 0.25 - high.low) == pytest.approx(low, abs=1e-12)


def test_bias_and_scale_of_the_discriminability_are_those_of_its_quadratic_form():
    y, s = scores(np.random.default_rng(3), (12, 9, 15), 0.5)
    estimate = discriminability(y, s.round(1))
    volumes = [estimate.parts["<".join(map(str, order))] for order in permutations(range(3))]
    influence = np.zeros((6, len(y)))
    for row, volume in zip(influence, volumes, strict=True):
        for k in range(3):
            own = volume.components[y == k]
            row[y == k] = (own - own.mean()) / np.sqrt(len(own) * (len(own) - 1))
    hessian = np.diag([1 / (volume.value * LN2) for volume in volumes])  # of v log2 v
    eigenvalues = np.linalg.eigvals(hessian @ influence @ influence.T).real
    assert estimate.boundary.bias == pytest.approx(eigenvalues.sum() / 2, rel=1e-9)
    assert estimate.boundary.scale == pytest.approx((eigenvalues**2).sum() / eigenvalues.sum() / 2, rel=1e-9)


def test_beyond_a_size_only_the_variances_of_the_volumes_are_used(monkeypatch):
    y, s = scores(np.random.default_rng(3), (12, 9, 15))
    whole = discriminability(y, s).boundary
    monkeypatch.setattr("polyroc.measures.ordered.MOST_COMPARED", 10)
    part = discriminability(y, s).boundary
    assert part.bias == pytest.approx(whole.bias, rel=1e-9)
    assert (part.scale, whole.scale > 0) == (0.0, True)


def test_correcting_the_bias_does_not_change_the_interval_but_to_hold_the_value():
    y, s = scores(np.random.default_rng(8), (15, 15, 15), 1.0)
    plain, corrected = discriminability(y, s), discriminability(y, s, "scurfield(corrected=True)")
    assert corrected.value < plain.value
    assert corrected.confidence_interval() == plain.confidence_interval()


def second_order_bias(function, rates, counts):
    """Half the trace of the second derivatives times the covariance of multinomial rates, by differences."""
    step, total = 1e-4, 0.0
    for k, row in enumerate(rates):
        covariance = (np.diag(row) - np.outer(row, row)) / (counts[k] - 1)
        values, vectors = np.linalg.eigh(covariance)
        for size, vector in zip(values, vectors.T, strict=True):
            moved = [rates.copy() for _ in range(2)]
            moved[0][k] += step * vector
            moved[1][k] -= step * vector
            change = function(moved[0]) + function(moved[1]) - 2 * function(rates)
            total += size * change / step**2 / 2
    return total


def test_bias_of_the_information_gain_is_that_of_second_order():
    y = np.repeat([0, 1, 2], [10, 20, 15])
    message = np.concatenate(
        [[0] * 5 + [1] * 3 + [2] * 2, [0] * 6 + [1] * 10 + [2] * 4, [0] * 3 + [1] * 3 + [2] * 9]
    )
    rates = pr.rates(y, message)
    shares = np.array([10, 20, 15]) / 45
    for priors in (shares, np.array([0.2, 0.5, 0.3])):
        gain = rates.information_gain(priors)
        expected = second_order_bias(lambda R, P=priors: naive.information_gain(R, P), rates.rates, [10, 20, 15])
        assert gain.boundary.bias == pytest.approx(expected, rel=1e-3)  # differences


def test_the_rarest_decision_of_a_class_counts_half_a_case_more():
    rates, slopes = np.array([[1.0, 0.0, 0.0], [0.4, 0.4, 0.2]]), np.array([[0.2, -0.4, 0.0], [0.1, 0.5, -0.2]])
    # shared by two decisions in the first class, one in the second; the mean slopes are both 0.2
    expected = 0.25 * (0.6**2 + 0.2**2) / 10**2 + 0.5 * 0.4**2 / 20**2
    assert unseen_variance(rates, slopes, np.array([10.0, 20.0])) == pytest.approx(expected)
    perfect = information(np.repeat([0, 1], 30), np.repeat([0, 1], 30))
    assert perfect.value == 1.0
    # 60 cases without an error do not rule out an error rate of 1 - 0.025^(1/60) = 6 %, a gain of 0.67 bits
    assert 0.5 < perfect.confidence_interval().low < 0.67


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_optimism_of_the_cost_area_is_that_of_the_faces_of_its_hull(shift):
    y, s = scores(np.random.default_rng(5), (25, 18), shift)
    s = (2 * s).round()
    result = cost(y, s)
    curve = pr.curve(y, s)
    x, t = upper_hull(curve.x, curve.y)
    right, up = np.diff(x), np.diff(t)
    seen = (right > 0) & (up > 0)
    bias = 0.0
    for a, b in zip(right[seen], up[seen], strict=True):
        hessian = np.array([[-(b**2), a * b], [a * b, -(a**2)]]) / (a + b) ** 3  # of a b / (2 (a + b))
        bias -= np.trace(hessian @ np.diag([a * (1 - a) / 24, b * (1 - b) / 17])) / 2
    for a, b, n in [(a, b, 25) for a, b in zip(right, up, strict=True) if a == 0] + [
        (b, a, 18) for a, b in zip(right, up, strict=True) if b == 0
    ]:
        bias += (0.5 / n) * (1 - a) / (n - 1) / (2 * b)
    assert result.boundary.bias == pytest.approx(1.5 * bias, rel=1e-9)


def upper_hull(x, y):
    """The corners of the least concave majorant, from the definition: nothing lies above any edge."""
    points = sorted({(float(a), float(b)) for a, b in zip(x, y, strict=True)})
    corners = [points[0]]
    while corners[-1] != points[-1]:
        at = corners[-1]
        rest = [point for point in points if point[0] > at[0] or (point[0] == at[0] and point[1] > at[1])]
        corners.append(max(rest, key=lambda to: (round(np.arctan2(to[1] - at[1], to[0] - at[0]), 9), to)))
    return np.array(corners).T


def test_ht3_is_a_truncated_mean_of_areas():
    y, message = decisions(np.random.default_rng(11), (12, 30, 20))
    estimate = pr.evaluate(y, message, measure="ht3", sampling="case-control")
    shares, rates = np.array([12, 30, 20]) / 62, pr.rates(y, message).rates
    components, value = np.zeros(62), 0.0
    for i in range(3):
        others = np.arange(3) != i
        area = 0.5 + rates[i, i] / 2 - (shares[others] * rates[others, i]).sum() / (1 - shares[i]) / 2
        value += max(area, 0.5) / 3
        components += np.where(y == i, 0.5, -0.5 * shares[y] / (1 - shares[i])) * (message == i) / 3
    variance = sum(components[y == k].var(ddof=1) / (y == k).sum() for k in range(3))
    assert estimate.value == pytest.approx(value, abs=1e-12)
    assert estimate.boundary.limits == (0.0, 1.0)
    assert estimate.boundary.variance == pytest.approx(variance, rel=1e-9)
    assert modified(y, message).boundary.variance > variance  # in a cohort class shares vary too
    # all wrong: nothing but the half case of each class, whose decision changes the mean area by 1/2
    worst = modified(np.repeat([0, 1], 20), np.repeat([1, 0], 20))
    unseen = 2 * 0.5 * 0.5**2 / 20**2
    assert worst.boundary.unseen == pytest.approx(unseen)
    assert worst.confidence_interval() == pytest.approx((0.5, 0.5 + stats.norm.ppf(0.975) * 2 * np.sqrt(unseen)))


@pytest.mark.parametrize("key", FOUR)
def test_repeated_cases_in_groups_are_the_cases_once(key):
    make, draw = FOUR[key]
    y, s = draw(np.random.default_rng(21))
    once = make(y, s)
    twice = make(np.repeat(y, 2), np.repeat(s, 2), groups=np.repeat(np.arange(len(y)), 2))
    doubled = make(y, s, sample_weight=np.full(len(y), 2.0))
    for other in (twice, doubled):
        assert other.confidence_interval() == pytest.approx(once.confidence_interval(), abs=1e-9)


@pytest.mark.parametrize("key", FOUR)
def test_stored_and_read_back_the_interval_is_the_same(key):
    make, draw = FOUR[key]
    result = make(*draw(np.random.default_rng(22)))
    again = Estimate.from_dict(result.to_dict())
    assert again.boundary == result.boundary
    assert again.confidence_interval(0.9) == result.confidence_interval(0.9)
    for part, other in zip(result.parts.values(), again.parts.values(), strict=True):
        assert other.confidence_interval(0.8) == part.confidence_interval(0.8)


def test_resampling_changes_the_standard_error_only():
    y, s = scores(np.random.default_rng(2), (20, 20, 20))
    estimate = discriminability(y, s, method=pr.methods.Bootstrap(replicates=200, rng=0))
    assert estimate.confidence_interval().low == 0.0  # percentiles of a bootstrap never reach 0
    assert estimate.confidence_interval(kind="wald") != estimate.confidence_interval()


def test_one_case_of_a_class_leaves_wilsons_interval():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pr.errors.SmallClassWarning)
        values = discriminability([0, 1, 1, 2, 2], [1.0, 2.0, 0.0, 3.0, 2.5])
        gain = information([0, 1, 1, 2, 2], [0, 1, 2, 2, 2])
    for estimate in (values, gain):
        assert estimate.boundary is None
        low, high = estimate.confidence_interval()
        assert estimate.limits[0] <= low < high <= estimate.limits[1]


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "w"])
def test_engines_have_the_same_intervals(tmp_path, weight):
    rng = np.random.default_rng(31)
    y, s = scores(rng, (20, 30, 25), 0.2)
    s, P, w = s.round(1), rng.dirichlet([1, 1, 1], len(y)), rng.integers(1, 4, len(y)).astype(float)
    rows = np.column_stack([y, s, P, w])
    two = rows[:, 0] < 2
    for name, kept in (("three", rows), ("two", rows[two])):
        lines = [",".join(map(repr, map(float, row))) for row in kept]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y,s,p0,p1,p2,w", *lines]))
    options = {"truth": "y", "engine": "duckdb", "sample_weight": weight, "exact": True}
    weights = None if weight is None else w
    pairs = [
        (
            pr.evaluate(
                str(tmp_path / "three.csv"), scores=columns, measure=key, labels=[0.0, 1.0, 2.0], **options
            ),
            pr.evaluate(y, values, measure=key, labels=[0, 1, 2], sample_weight=weights),
        )
        for key, columns, values in (("scurfield", "s", s), ("ht3", ["p0", "p1", "p2"], P))
    ]
    curve = pr.curve(str(tmp_path / "two.csv"), scores="s", kind="cost", pos_label=1.0, **options)
    pairs.append((curve.area, cost(y[two], s[two], sample_weight=None if weight is None else w[two])))
    for engine, memory in pairs:
        assert engine.confidence_interval() == pytest.approx(memory.confidence_interval(), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "draw", "chance"),
    [
        (discriminability, lambda rng: scores(rng, (15, 15, 15)), 0.0),
        (discriminability, lambda rng: scores(rng, (10, 60, 20)), 0.0),
        (information, lambda rng: decisions(rng, (20, 20, 20)), 0.0),
        (information, lambda rng: decisions(rng, (15, 60)), 0.0),
        (modified, lambda rng: decisions(rng, (20, 20, 20)), 0.5),
        (modified, lambda rng: decisions(rng, (20, 80)), 0.5),
        (cost, lambda rng: scores(rng, (20, 20)), 0.25),
        (cost, lambda rng: scores(rng, (15, 100)), 0.25),
    ],
)
def test_chance_is_rarely_excluded_at_chance(make, draw, chance):
    rng = np.random.default_rng(41)
    ends = np.array([make(*draw(rng)).confidence_interval() for _ in range(400)])
    excluded = ((ends[:, 0] > chance) | (ends[:, 1] < chance)).sum()
    assert excluded <= stats.binom.ppf(0.999, 400, 0.05)


def true_cost_area(shift):
    t = np.linspace(-6.0, 6.0 + shift, 20_001)[::-1]
    x, y = np.diff(stats.norm.sf(t)), np.diff(stats.norm.sf(t - shift))
    return float((x * y / (2 * (x + y))).sum())


def true_ht3(right):
    return 0.5 + right / 2 - (1 - right) / 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "draw", "true"),
    [
        (discriminability, lambda rng: scores(rng, (25, 25, 25), 0.3), 0.0904),
        (discriminability, lambda rng: scores(rng, (20, 200, 200), 0.3), 0.0904),
        (discriminability, lambda rng: scores(rng, (40, 40, 40), 2.0), 1.7815),
        (information, lambda rng: decisions(rng, (20, 20, 20), 0.5), np.log2(3) - 1.5),
        (modified, lambda rng: decisions(rng, (20, 20, 20), 0.4), true_ht3(0.4)),
        (modified, lambda rng: decisions(rng, (20, 20, 20), 0.9), true_ht3(0.9)),
        (cost, lambda rng: scores(rng, (20, 20), 0.4), true_cost_area(0.4)),
        (cost, lambda rng: scores(rng, (60, 60), 1.2), true_cost_area(1.2)),
    ],
)
def test_coverage_near_chance_and_away_from_it(make, draw, true):
    rng = np.random.default_rng(42)
    ends = np.array([make(*draw(rng)).confidence_interval() for _ in range(400)])
    covered = ((ends[:, 0] <= true) & (true <= ends[:, 1])).sum()
    assert covered >= stats.binom.ppf(0.001, 400, 0.94)


@pytest.mark.slow
@pytest.mark.parametrize("error", [0.02, 0.1])
def test_a_rare_class_without_errors_does_not_hide_its_variance(error):
    rng, y = np.random.default_rng(43), np.repeat([0, 1], [400, 20])
    covered = 0
    for _ in range(400):
        message = np.where(rng.random(len(y)) < error, 1 - y, y)
        low, high = pr.evaluate(y, message, measure="macro_average", labels=[0, 1]).confidence_interval()
        covered += low <= 1 - error <= high
    assert covered >= stats.binom.ppf(0.001, 400, 0.94)  # without the half case: 65 to 85 %


def test_net_benefit_where_no_case_is_called_has_an_interval_like_its_neighbours():
    """Wilson's interval over the range from -odds to 1 would be seven times as long as with one case called."""
    y = (np.arange(200) % 5 == 0).astype(int)
    p = np.where(np.arange(200) == 0, 0.84, 0.1)
    one, none = (pr.evaluate(y, p, measure=f"net_benefit(threshold={t})") for t in (0.83, 0.85))
    assert (one.standard_error > 0, none.value, none.standard_error) == (True, 0.0, 0.0)
    lengths = [
        interval.high - interval.low for interval in (one.confidence_interval(), none.confidence_interval())
    ]
    assert lengths[0] < lengths[1] < 2.5 * lengths[0]
    low, high = none.confidence_interval()
    assert low == pytest.approx(-0.8 * 3 / 160 * 0.85 / 0.15, rel=0.1)  # the rule of three for the negatives
    assert high == -low
