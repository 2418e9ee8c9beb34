"""Sample sizes by formula: published numbers, options, and whether the planned power is attained."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from planning import NAMES, NORMAL, Pair, area_of, binormal, bounds
from polyroc.estimates.intervals import interval
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
from polyroc.power.allocation import Allocation
from polyroc.power.formulas import Obuchowski, area_correlation
from polyroc.power.sample_size import sample_size
from polyroc.power.simulation import Simulation
from strategies import at_most

EXPONENTIAL = HanleyMcNeil("exponential")


def test_hanley_mcneil_by_hand():
    """Ten and ten cases: 21/1200 under chance (Wilcoxon's exact variance); 0.0104 for an area of 0.8, by hand."""
    plan = sample_size(measure="auc", value=0.8, n=(10, 10), method=EXPONENTIAL)
    z = 1.959963984540054
    by_hand = stats.norm.cdf((0.3 - z * sqrt(21 / 1200)) / sqrt(0.0104))
    assert plan.power == pytest.approx(by_hand, abs=1e-14)  # the same few operations in another order
    assert plan.power == pytest.approx(0.6552, abs=5e-5)  # as printed by a pocket calculator


@pytest.mark.published(
    "Bradley (1997), figure 15", "the standard error of an area, as sample_size reckons with it"
)
@pytest.mark.parametrize(
    ("area", "errors"),
    [
        (0.75, {20: 0.07789, 50: 0.04884, 100: 0.03443, 200: 0.02431}),
        (0.85, {20: 0.06238, 50: 0.03905, 100: 0.02752, 200: 0.01943, 40: 0.0437, 60: 0.0356}),
        (0.95, {20: 0.03641, 50: 0.02274, 100: 0.01601, 200: 0.01129}),
    ],
)
def test_standard_errors_are_the_published_ones(area, errors):
    """Bradley (1997), figure 15; 40 and 60 a class: Hanley & McNeil (1982) as quoted in the tests of R's presize.

    With n and a null far away the width of the interval gives back the standard error.
    """
    for n, expected in errors.items():
        width = sample_size(measure="auc", value=area, width=0.5, n=(n, n), method=EXPONENTIAL).width

        def wide(error, n=n):
            return np.diff(interval(area, error, (0, 1), fewest=n))[0]

        half = 0.5 * 10.0 ** -len(str(expected)[2:])  # half a unit of the last digit printed
        assert wide(expected - half) <= width <= wide(expected + half)


# Obuchowski, Lieber & Wians (2004), table 4, as quoted (and in two cells corrected by one) in the tests of R's
# pROC: one-sided, 5 %, power 0.9, against chance. Cells with the table's minimum of 10 cases are left out here.
TABLE_4 = [
    (0.6, 84, 334), (0.7, 20, 80), (0.6, 101, 202), (0.7, 25, 49), (0.6, 135, 135), (0.7, 33, 33), (0.8, 14, 14),
    (0.6, 203, 102), (0.7, 50, 25), (0.8, 21, 11), (0.6, 340, 85), (0.7, 84, 21),
]  # fmt: skip


@pytest.mark.published(
    "Obuchowski, Lieber & Wians (2004), table 4",
    "numbers of cases for a power of 0.9, as quoted in the tests of pROC",
)
@pytest.mark.parametrize(("area", "controls", "cases"), TABLE_4)
def test_obuchowskis_table(area, controls, cases):
    """Both numbers are rounded up from the exact solution: they reach the power, one less of each does not."""
    options = {"measure": "auc", "value": area, "sides": 1, "method": Obuchowski()}
    assert sample_size(n=(controls, cases), **options).power >= 0.9
    assert sample_size(n=(controls - 1, cases - 1), **options).power < 0.9


@pytest.mark.peer("pROC (R), its tests", "power.roc.test with 41 cases and 72 controls, to seven digits")
def test_powers_of_r_proc():
    """Printed in the tests of pROC: power.roc.test with 41 cases, 72 controls, to seven digits."""
    options = {"measure": "auc", "n": (72, 41), "method": Obuchowski()}
    assert sample_size(value=0.73, **options).power == pytest.approx(0.9897453, abs=5e-8)
    assert sample_size(value=0.73, alpha=0.009238584, **options).power == pytest.approx(0.95, abs=5e-7)
    # Found there by a root finder that stops within 1.2e-4 of the area; the power rises by some 2.5 per area.
    assert sample_size(value=0.6961054, **options).power == pytest.approx(0.95, abs=3e-4)


@given(
    value=st.floats(0.55, 0.95),
    null=st.floats(0.5, 0.95),
    power=st.floats(0.5, 0.99),
    ratio=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    sides=st.sampled_from([1, 2]),
    method=st.sampled_from([None, EXPONENTIAL, Obuchowski()]),
)
def test_answer_is_the_smallest(value, null, power, ratio, sides, method):
    if abs(value - null) < 0.02:
        null = value - 0.02
    options = {"measure": "auc", "value": value, "null": null, "ratio": ratio, "sides": sides, "method": method}
    plan = sample_size(power=power, **options)
    assert plan.power >= power
    again = sample_size(n=plan.by_class, **options)
    assert (again.power, again.by_class) == (plan.power, plan.by_class)
    shared = Allocation(NAMES, ratio, at_least=10)
    if plan.n > shared.fewest:
        assert sample_size(n=shared.sizes(plan.n - 1), **options).power < power
    assert min(plan.by_class.values()) >= 10


@pytest.mark.slow
@given(
    st.floats(0.55, 0.8), st.floats(0.01, 0.15), st.floats(0.01, 0.05), st.floats(0.5, 0.9), st.floats(0.001, 0.09)
)
def test_larger_power_needs_more_cases(null, difference, more, power, bit):
    def n(**other):
        options = {"null": null, "value": null + difference, "power": power, **other}
        return sample_size(measure="auc", **options).n

    usual = n()
    assert n(power=power + bit) >= usual
    assert n(alpha=0.01) >= usual
    assert n(sides=1) <= usual
    # Farther from the same null: the variance falls too, as the area is above 1/2.
    assert n(value=null + difference + more) <= usual


@pytest.mark.slow
@at_most(20)  # each plan of two classifiers takes a tenth of a second
@given(st.floats(-1, 0.99), st.floats(0.001, 0.5))
def test_the_more_alike_the_fewer_cases(correlation, more):
    two = {"measure": "auc", "value": 0.85, "versus": 0.80}
    alike = min(1.0, correlation + more)
    assert sample_size(correlation=alike, **two).n <= sample_size(correlation=correlation, **two).n


def test_different_cases_are_twice_those_of_uncorrelated_areas():
    two = {"measure": "auc", "value": 0.85, "versus": 0.80}
    assert sample_size(**two).n == 2 * sample_size(correlation=0, **two).n  # the same variance


def test_two_classifiers_by_hand():
    """Against the formula of Hanley & McNeil (1982): z_a sqrt(V0) + z_b sqrt(V1) = difference."""

    def variance(area, n):
        qa, qb = area / (2 - area), 2 * area**2 / (1 + area)
        return (area * (1 - area) + (n - 1) * (qa + qb - 2 * area**2)) / n**2

    r, n = 0.4, 150
    v, w, same = variance(0.85, n), variance(0.8, n), variance(0.8, n)
    z = (0.05 - 1.6448536269514722 * sqrt(2 * same * (1 - r))) / sqrt(v + w - 2 * r * sqrt(v * w))
    plan = sample_size(measure="auc", value=0.85, versus=0.8, correlation=r, n=(n, n), sides=1, method=EXPONENTIAL)
    assert plan.power == pytest.approx(stats.norm.cdf(z), abs=1e-13)  # the same operations in another order


def test_gini_is_two_areas_less_one():
    area = sample_size(measure="auc", value=0.85, null=0.75, power=0.9)
    gini = sample_size(measure="gini", value=0.7, null=0.5, power=0.9)
    assert (gini.n, gini.power) == (area.n, pytest.approx(area.power, abs=1e-12))  # rounding of (g + 1) / 2
    narrow = sample_size(measure="auc", value=0.85, width=0.1)
    assert sample_size(measure="gini", value=0.7, width=0.2).n == narrow.n
    assert gini.null == 0.5
    assert sample_size(measure="gini", value=0.3).null == 0


@pytest.mark.slow
def test_null_of_two_classifiers_is_a_difference():
    two = {"measure": "auc", "value": 0.85, "versus": 0.80, "correlation": 0.5, "sides": 1}
    assert sample_size(null=0.02, **two).n > sample_size(**two).n  # better by more than 0.02 is harder to show
    not_worse = sample_size(margin=0.03, alpha=0.05, **two)
    assert not_worse.n < sample_size(**two).n
    assert not_worse.power == pytest.approx(sample_size(null=-0.03, n=not_worse.n, **two).power, abs=1e-12)
    twice = sample_size(margin=0.03, alpha=0.025, **{**two, "sides": 1})
    assert sample_size(margin=0.03, alpha=0.05, **{**two, "sides": 2}).n == twice.n


@given(st.floats(0.05, 0.95), st.floats(0.02, 0.6))
def test_width_is_kept_by_the_interval_of_the_expected_estimate(value, width):
    plan = sample_size(measure="auc", value=value, width=width, power=0.5)
    assert plan.width <= width
    if plan.n > 20:
        assert sample_size(measure="auc", value=value, width=width, n=plan.n - 1).width > width
    assert sample_size(measure="auc", value=value, width=width).n >= plan.n


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "width", "ratio"),
    [
        (binormal(0.7), 0.15, (1, 1)),
        (binormal(0.85), 0.1, (1, 1)),
        (binormal(0.85), 0.2, (10, 1)),
        (binormal(0.95), 0.06, (1, 1)),
        (Pair(0.85, 0.8, 0.5), 0.1, (1, 1)),
        (Pair(0.95, 0.85, 0.5), 0.12, (1, 1)),
    ],
)
def test_planned_width_is_kept_in_four_samples_of_five(model, width, ratio):
    """600 samples: 0.06 is allowed for widths that are not normal, beyond chance."""
    values = {"value": getattr(model, "auc", None)}
    if isinstance(model, Pair):
        values = {"value": model.first, "versus": model.second, "correlation": model.correlation}
    scale = "scores" if isinstance(model, Pair) else "estimates"
    plan = sample_size(measure="auc", width=width, ratio=ratio, correlation_of=scale, **values)
    n = tuple(plan.by_class.values())
    result = sample_size(model=model, measure="auc", width=width, n=n, method=Simulation(600, rng=7))
    low, high = bounds(plan.power - 0.06, 600)[0], bounds(plan.power + 0.06, 600)[1]
    assert low <= 600 * result.power <= high


@pytest.mark.slow
def test_formula_is_exact_for_exponential_scores():
    """The spread of 4000 simulated areas: within 5 %, four standard errors of a standard deviation."""
    rng, area, n = np.random.default_rng(5), 0.8, (15, 25)
    y = np.repeat([0, 1], n)
    scale = np.where(y == 1, area / (1 - area), 1.0)
    areas = [area_of(y, rng.exponential(scale)) for _ in range(4000)]
    plan = sample_size(measure="auc", value=area, width=0.9, n=n, method=EXPONENTIAL)
    low, high = interval(area, float(np.std(areas)), (0, 1), min(n))
    assert high - low == pytest.approx(plan.width, rel=0.05)


@pytest.mark.slow
def test_default_variance_is_that_of_normal_scores():
    """The standard deviation of 4000 simulated areas: within 5 %, four standard errors of a standard deviation."""
    rng, area, n = np.random.default_rng(6), 0.9, (40, 12)
    model = binormal(area)
    areas = [area_of(*model.sample(n, rng)) for _ in range(4000)]
    plan = sample_size(measure="auc", value=area, width=0.9, n=n)
    assert plan.width == pytest.approx(np.diff(interval(area, np.std(areas), (0, 1), fewest=12))[0], rel=0.05)


def test_power_is_the_chance_of_an_estimate_beyond_the_critical_one():
    """The interval at the critical estimate, recovered from the power, ends at the hypothesis."""
    plan = sample_size(measure="auc", value=0.9, null=0.8, n=(50, 60))
    width = sample_size(measure="auc", value=0.9, width=0.5, n=(50, 60)).width
    error = brentq(lambda e: np.diff(interval(0.9, e, (0, 1), fewest=50))[0] - width, 1e-6, 0.2)
    critical = 0.9 - error * stats.norm.ppf(plan.power)
    there = error * (critical * (1 - critical) / 0.09) ** 0.625  # the variance is as (p (1 - p))^1.25
    assert interval(critical, there, (0, 1), fewest=50).low == pytest.approx(0.8, abs=1e-9)  # two root finders


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "null", "n", "sides"),
    [
        (0.7, 0.6, (30, 30), 2),
        (0.8, 0.65, (40, 40), 1),
        (0.85, 0.75, (30, 300), 2),
        (0.95, 0.85, (40, 40), 2),
        (0.97, 0.9, (30, 100), 2),
        (0.8, 0.9, (40, 40), 2),
    ],
)
def test_promised_power_is_reached_for_one_classifier(value, null, n, sides):
    """600 samples: the interval of evaluate excludes the null as often as promised.

    Estimates are not quite normal: 0.02 is allowed for that (0.016 at most in 4000 samples of each) beyond chance.
    """
    plan = sample_size(measure="auc", value=value, null=null, sides=sides, n=n)
    result = sample_size(
        model=binormal(value), measure="auc", null=null, sides=sides, n=n, method=Simulation(600, rng=1)
    )
    _require_promise(plan, result)
    assert result.width == pytest.approx(plan.width, rel=0.05)  # the mean over samples, not that at the mean


def _require_promise(plan, result):
    low, high = bounds(plan.power - 0.02, result.simulations)[0], bounds(plan.power + 0.02, result.simulations)[1]
    assert low <= result.simulations * result.power <= high


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [-0.5, 0.3, 0.8])
def test_correlation_of_areas(correlation):
    """1000 pairs of areas: Fisher's z within 3.3 standard errors, once in a thousand."""
    model, rng = Pair(0.85, 0.75, correlation), np.random.default_rng(2)
    pairs = []
    for _ in range(1000):
        y, scores = model.sample(80, rng)
        pairs.append([area_of(y, s) for s in scores.values()])
    seen = np.corrcoef(np.transpose(pairs))[0, 1]
    expected = area_correlation(correlation, 0.85, 0.75)
    assert abs(np.arctanh(seen) - np.arctanh(expected)) < 3.3 / sqrt(997)


def test_correlation_of_areas_against_the_bivariate_normal():
    """The integral of the density is the distribution function; scipy's own is good to 1e-8."""

    def covariance(h, k, r):
        both = stats.multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([h, k])
        return both - NORMAL.cdf(h) * NORMAL.cdf(k)

    h, k = NORMAL.inv_cdf(0.9), NORMAL.inv_cdf(0.7)
    expected = covariance(h, k, 0.3) / sqrt(covariance(h, h, 0.5) * covariance(k, k, 0.5))
    assert area_correlation(0.6, 0.9, 0.7) == pytest.approx(expected, abs=1e-6)
    assert area_correlation(0, 0.9, 0.7) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "n", "options"),
    [
        (Pair(0.85, 0.77, 0.6), (100, 100), {}),
        (Pair(0.9, 0.8, 0.5), (80, 30), {}),
        (Pair(0.95, 0.85, 0.3), (30, 30), {}),
        (Pair(0.82, 0.82, 0.6), (100, 100), {"margin": 0.07}),
        (Pair(0.95, 0.95, 0.8), (60, 60), {"margin": 0.03}),
        (Pair(0.9, 0.92, 0.5), (60, 120), {"margin": 0.08}),
    ],
)
def test_promised_power_is_reached_for_two_classifiers(model, n, options):
    """500 samples, analysed by compare: a difference, and not worse by a margin; 0.02 as for one classifier."""
    arguments = {"measure": "auc", "value": model.first, "versus": model.second, "n": n, **options}
    plan = sample_size(correlation=model.correlation, correlation_of="scores", **arguments)
    result = sample_size(model=model, measure="auc", n=n, method=Simulation(500, rng=3), **options)
    _require_promise(plan, result)
    assert result.width == pytest.approx(plan.width, rel=0.05)
    assert (result.value, result.versus) == (model.first, model.second)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "n", "options"),
    [(0.95, 0.85, (50, 50), {}), (0.85, 0.85, (80, 80), {"margin": 0.1})],
)
def test_promised_power_is_reached_on_different_cases(first, second, n, options):
    """As above, but that each classifier has its own cases."""
    plan = sample_size(measure="auc", value=first, versus=second, n=n, **options)
    models = {"one": binormal(first), "two": binormal(second)}
    _require_promise(plan, sample_size(model=models, measure="auc", n=n, method=Simulation(500, rng=4), **options))
