"""The verb `sample_size`: formulas, pilot data, simulations, the command line."""

import json
import pickle
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import polyroc as pr
from asking import THREE_CLASSES
from polyroc import datasets
from polyroc._normalise import normalise
from polyroc.cli.size import size
from polyroc.errors import InputError, MeasureError, NotApplicableError, PolyrocError
from polyroc.inference.hanley_mcneil import HanleyMcNeil
from polyroc.inference.power import Obuchowski, Simulation, area_correlation, sample_size
from polyroc.inference.power.allocation import Allocation
from polyroc.measures import MEASURES
from polyroc.results.intervals import interval
from polyroc.results.sample_size import SampleSize

NORMAL = NormalDist()
NAMES = ("negative", "positive")


def binormal(auc):
    """The world of two normal scores with this area."""
    return datasets.Binormal(sqrt(2) * NORMAL.inv_cdf(auc))


def area_of(y, s):
    return float(pr.evaluate(y, s, measure="auc", method=None, labels=[0, 1]))


def bounds(share, times):
    """Counts that chance alone leaves once in a thousand."""
    return stats.binom.interval(0.999, times, share)


# --- formulas ---


def test_hanley_mcneil_by_hand():
    """Ten and ten cases: 21/1200 under chance (Wilcoxon's exact variance); 0.0104 for an area of 0.8, by hand."""
    found = sample_size(measure="auc", value=0.8, n=(10, 10))
    z = 1.959963984540054
    by_hand = stats.norm.cdf((0.3 - z * sqrt(21 / 1200)) / sqrt(0.0104))
    assert found.power == pytest.approx(by_hand, abs=1e-14)  # the same few operations in another order
    assert found.power == pytest.approx(0.6552, abs=5e-5)  # as printed by a pocket calculator


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
        width = sample_size(measure="auc", value=area, width=0.5, n=(n, n)).width

        def wide(error, n=n):
            return np.diff(interval(area, error, (0, 1), fewest=n))[0]

        half = 0.5 * 10.0 ** -len(str(expected)[2:])  # half a unit of the last digit printed
        assert wide(expected - half) <= width <= wide(expected + half)


# Obuchowski, Lieber & Wians (2004), table 4, as quoted (and in two cells corrected by one) in the tests of R's
# pROC: one-sided, 5 %, power 0.9, against chance. Cells held at 10 cases in the table are left out here.
TABLE_4 = [
    (0.6, 84, 334), (0.7, 20, 80), (0.6, 101, 202), (0.7, 25, 49), (0.6, 135, 135), (0.7, 33, 33), (0.8, 14, 14),
    (0.6, 203, 102), (0.7, 50, 25), (0.8, 21, 11), (0.6, 340, 85), (0.7, 84, 21),
]  # fmt: skip


@pytest.mark.parametrize(("area", "controls", "cases"), TABLE_4)
def test_obuchowskis_table(area, controls, cases):
    """Both numbers are rounded up from the exact solution: they reach the power, one less of each does not."""
    asked = {"measure": "auc", "value": area, "sides": 1, "method": Obuchowski()}
    assert sample_size(n=(controls, cases), **asked).power >= 0.9
    assert sample_size(n=(controls - 1, cases - 1), **asked).power < 0.9


def test_powers_of_r_proc():
    """Printed in the tests of pROC: power.roc.test with 41 cases, 72 controls, to seven digits."""
    asked = {"measure": "auc", "n": (72, 41), "method": Obuchowski()}
    assert sample_size(value=0.73, **asked).power == pytest.approx(0.9897453, abs=5e-8)
    assert sample_size(value=0.73, alpha=0.009238584, **asked).power == pytest.approx(0.95, abs=5e-7)
    # Found there by a root finder that stops within 1.2e-4 of the area; the power rises by some 2.5 per area.
    assert sample_size(value=0.6961054, **asked).power == pytest.approx(0.95, abs=3e-4)


@given(
    value=st.floats(0.55, 0.95),
    null=st.floats(0.5, 0.95),
    power=st.floats(0.5, 0.99),
    ratio=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    sides=st.sampled_from([1, 2]),
    method=st.sampled_from([None, Obuchowski()]),
)
def test_answer_is_the_smallest(value, null, power, ratio, sides, method):
    if abs(value - null) < 0.02:
        null = value - 0.02
    asked = {"measure": "auc", "value": value, "null": null, "ratio": ratio, "sides": sides, "method": method}
    found = sample_size(power=power, **asked)
    assert found.power >= power
    again = sample_size(n=found.by_class, **asked)
    assert (again.power, again.by_class) == (found.power, found.by_class)
    if found.n > 20:
        one_less = Allocation(NAMES, ratio, at_least=10).sizes(found.n - 1)
        assert sample_size(n=one_less, **asked).power < power
    assert min(found.by_class.values()) >= 10


@given(
    st.floats(0.55, 0.8), st.floats(0.01, 0.15), st.floats(0.01, 0.05), st.floats(0.5, 0.9), st.floats(0.001, 0.09)
)
def test_more_is_asked_more_is_needed(null, difference, more, power, bit):
    def n(**other):
        asked = {"null": null, "value": null + difference, "power": power, **other}
        return sample_size(measure="auc", **asked).n

    usual = n()
    assert n(power=power + bit) >= usual
    assert n(alpha=0.01) >= usual
    assert n(sides=1) <= usual
    # Farther from the same null: the variance falls too, as the area is above 1/2.
    assert n(value=null + difference + more) <= usual


@given(st.floats(-1, 0.99), st.floats(0.001, 0.5))
def test_the_more_alike_the_fewer_cases(correlation, more):
    two = {"measure": "auc", "value": 0.85, "versus": 0.80}
    alike = min(1.0, correlation + more)
    assert sample_size(correlation=alike, **two).n <= sample_size(correlation=correlation, **two).n
    assert sample_size(**two).n == 2 * sample_size(correlation=0, **two).n  # the same variance, twice the cases


def test_two_classifiers_by_hand():
    """Against the formula of Hanley & McNeil (1982): z_a sqrt(V0) + z_b sqrt(V1) = difference."""

    def variance(area, n):
        qa, qb = area / (2 - area), 2 * area**2 / (1 + area)
        return (area * (1 - area) + (n - 1) * (qa + qb - 2 * area**2)) / n**2

    r, n = 0.4, 150
    v, w, same = variance(0.85, n), variance(0.8, n), variance(0.8, n)
    z = (0.05 - 1.6448536269514722 * sqrt(2 * same * (1 - r))) / sqrt(v + w - 2 * r * sqrt(v * w))
    found = sample_size(measure="auc", value=0.85, versus=0.8, correlation=r, n=(n, n), sides=1)
    assert found.power == pytest.approx(stats.norm.cdf(z), abs=1e-13)  # the same operations in another order


def test_gini_is_two_areas_less_one():
    area = sample_size(measure="auc", value=0.85, null=0.75, power=0.9)
    gini = sample_size(measure="gini", value=0.7, null=0.5, power=0.9)
    assert (gini.n, gini.power) == (area.n, pytest.approx(area.power, abs=1e-12))  # rounding of (g + 1) / 2
    narrow = sample_size(measure="auc", value=0.85, width=0.1)
    assert sample_size(measure="gini", value=0.7, width=0.2).n == narrow.n
    assert gini.null == 0.5
    assert sample_size(measure="gini", value=0.3).null == 0


def test_null_of_two_classifiers_is_a_difference():
    two = {"measure": "auc", "value": 0.85, "versus": 0.80, "correlation": 0.5, "sides": 1}
    assert sample_size(null=0.02, **two).n > sample_size(**two).n  # better by more than 0.02 is harder to show
    not_worse = sample_size(margin=0.03, **two)
    assert not_worse.n < sample_size(**two).n
    assert not_worse.power == pytest.approx(sample_size(null=-0.03, n=not_worse.n, **two).power, abs=1e-12)
    twice = sample_size(margin=0.03, alpha=0.025, **{**two, "sides": 1})
    assert sample_size(margin=0.03, alpha=0.05, **{**two, "sides": 2}).n == twice.n


@given(st.floats(0.05, 0.95), st.floats(0.02, 0.6))
def test_width_is_that_of_the_interval(value, width):
    found = sample_size(measure="auc", value=value, width=width)
    assert found.width <= width
    if found.n > 20:
        assert sample_size(measure="auc", value=value, width=width, n=found.n - 1).width > width
    assert found.power is None


# --- the promise is kept ---


def test_formula_is_exact_for_exponential_scores():
    """The spread of 4000 simulated areas: within 5 %, four standard errors of a standard deviation."""
    rng, area, n = np.random.default_rng(5), 0.8, (15, 25)
    y = np.repeat([0, 1], n)
    scale = np.where(y == 1, area / (1 - area), 1.0)
    areas = [area_of(y, rng.exponential(scale)) for _ in range(4000)]
    plan = sample_size(measure="auc", value=area, width=0.9, n=n)
    reach = 1.959963984540054 * np.std(areas) / (area * (1 - area))
    logit = np.log(area / (1 - area)) + np.array([-1, 1]) * reach
    assert np.diff(1 / (1 + np.exp(-logit)))[0] == pytest.approx(plan.width, rel=0.05)


@pytest.mark.parametrize(("value", "null", "sides"), [(0.7, 0.6, 2), (0.8, 0.65, 1)])
def test_promised_power_is_reached_for_one_classifier(value, null, sides):
    """600 samples of the size promised: the interval of evaluate lies above the null as often as promised."""
    plan = sample_size(measure="auc", value=value, null=null, sides=sides)
    found = sample_size(
        world=binormal(value), measure="auc", null=null, sides=sides, n=plan.n, method=Simulation(600, rng=1)
    )
    low, high = bounds(plan.power, 600)
    assert low <= 600 * found.power <= high


@dataclass(frozen=True)
class Pair:
    """Two classifiers, normal scores with a correlation within each class."""

    first: float
    second: float
    correlation: float

    @property
    def auc(self):
        return {"one": self.first, "two": self.second}

    def sample(self, sizes, rng):
        sizes = np.broadcast_to(sizes, 2)
        y = np.repeat([0, 1], sizes)
        noise = np.random.default_rng(rng).multivariate_normal(
            [0, 0], [[1, self.correlation], [self.correlation, 1]], len(y)
        )
        shift = sqrt(2) * np.array([NORMAL.inv_cdf(self.first), NORMAL.inv_cdf(self.second)])
        score = noise + y[:, None] * shift
        return y, {"one": score[:, 0], "two": score[:, 1]}


@pytest.mark.parametrize("correlation", [-0.5, 0.3, 0.8])
def test_correlation_of_areas(correlation):
    """1000 pairs of areas: Fisher's z within 3.3 standard errors, once in a thousand."""
    world, rng = Pair(0.85, 0.75, correlation), np.random.default_rng(2)
    pairs = []
    for _ in range(1000):
        y, scores = world.sample(80, rng)
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


@pytest.mark.parametrize(
    ("world", "options"), [(Pair(0.85, 0.77, 0.6), {}), (Pair(0.82, 0.82, 0.6), {"margin": 0.07})]
)
def test_promised_power_is_reached_for_two_classifiers(world, options):
    """500 samples, judged by compare: a difference, and not worse by a margin.

    Hanley & McNeil take the variance under the hypothesis, compare that of the sample, which is smaller here: the
    power promised is exceeded, by less than 0.1.
    """
    asked = {"measure": "auc", "value": world.first, "versus": world.second, **options}
    plan = sample_size(correlation=world.correlation, correlation_of="scores", **asked)
    found = sample_size(world=world, measure="auc", n=plan.n, method=Simulation(500, rng=3), **options)
    assert bounds(plan.power, 500)[0] <= 500 * found.power <= bounds(plan.power + 0.1, 500)[1]
    assert (found.value, found.versus) == (world.first, world.second)


# --- pilot data ---

RNG = np.random.default_rng(8)
Y = np.repeat(["a", "b", "c"], [20, 25, 30])
TRUTH = np.array(["a", "b", "c"])[None, :] == Y[:, None]


def noisy(strength):
    P = RNG.dirichlet(np.ones(3), size=len(Y)) + strength * TRUTH
    return P / P.sum(axis=1, keepdims=True)


GOOD, FAIR = noisy(0.8), noisy(0.4)
MANY = THREE_CLASSES


def said(key, P):
    """Probabilities as the measure needs them: an ordered measure takes the mean class."""
    return P @ [0, 1, 2] if MEASURES[key].needs == "ordered" else P


TWO = [key for key, each in MEASURES.items() if each.classes == (2, 2)]


@pytest.mark.parametrize("key", MANY)
def test_pilot_at_its_own_size_has_the_standard_error_of_evaluate_and_compare(key):
    good, fair = said(key, GOOD), said(key, FAIR)
    one = pr.evaluate(Y, good, measure=key, labels=["a", "b", "c"])
    counts = (20, 25, 30)
    plan = sample_size(Y, good, measure=key, width=0.3, n=counts, labels=["a", "b", "c"])
    low, high = one.confidence_interval()
    assert plan.width == pytest.approx(high - low, abs=1e-12)  # the same variance, added up in another order
    assert plan.value == pytest.approx(one.value, abs=1e-15)
    both = {"good": good, "fair": fair}
    two = pr.compare(Y, both, measure=key, labels=["a", "b", "c"]).difference("good", "fair")
    plan = sample_size(Y, both, measure=key, n=counts, labels=["a", "b", "c"])
    assert plan.width == pytest.approx(np.diff(two.confidence_interval())[0], abs=1e-12)
    expected = stats.norm.cdf(abs(two.value) / two.standard_error - 1.959963984540054)
    assert plan.power == pytest.approx(expected, abs=1e-9)
    assert plan.sets == 1


@pytest.mark.parametrize("key", TWO)
def test_pilot_of_two_classes(key):
    y = (Y != "a").astype(int)
    risk = {"good": 1 - GOOD[:, 0], "fair": 1 - FAIR[:, 0]}
    key = key if key in ("auc", "gini", "partial_auc") else f"{key}(threshold=0.5)"
    two = pr.compare(y, risk, measure=key).difference("good", "fair")
    plan = sample_size(y, risk, measure=key, n={"0": 20, "1": 55})
    assert plan.width == pytest.approx(np.diff(two.confidence_interval())[0], abs=1e-12)
    assert sample_size(y, risk, measure=key).n >= 20


def test_unpaired_pilots():
    apart = {"good": normalise(Y, GOOD), "fair": normalise(Y, FAIR)}
    two = pr.compare(apart, measure="hand_till").difference("good", "fair")
    plan = sample_size(apart, measure="hand_till", n=(20, 25, 30))
    assert plan.width == pytest.approx(np.diff(two.confidence_interval())[0], abs=1e-12)
    assert (plan.n, plan.sets) == (150, 2)
    paired = sample_size(Y, {"good": GOOD, "fair": FAIR}, measure="hand_till")
    assert sample_size(apart, measure="hand_till").n > paired.n
    assert "for each of two classifiers" in plan.sentence()


def test_variance_scales_with_the_class_sizes():
    """Twenty-five times the cases: a fifth of the width, exactly so for a difference."""
    asked = {"measure": "hand_till", "width": 1.9}
    few = sample_size(Y, {"a": GOOD, "b": FAIR}, n=(20, 25, 30), **asked)
    many = sample_size(Y, {"a": GOOD, "b": FAIR}, n=(500, 625, 750), **asked)
    assert few.width / many.width == pytest.approx(5, rel=1e-12)


@pytest.mark.parametrize("key", ["accuracy", "ova", "pairwise_accuracy", "hand_till"])
def test_measures_that_depend_on_the_class_shares_follow_the_planned_ratio(key):
    weight = np.array([3 / 20, 1 / 25, 1 / 30])[np.searchsorted(["a", "b", "c"], Y)]
    expected = pr.evaluate(Y, FAIR, measure=key, sample_weight=weight)
    plan = sample_size(Y, FAIR, measure=key, ratio={"b": 1, "c": 1, "a": 3}, null=expected.value - 0.05)
    assert plan.value == pytest.approx(expected.value, abs=1e-12)  # the same sums in another order
    assert plan.by_class["a"] == pytest.approx(3 * plan.by_class["b"], abs=2)  # each to the nearest case


def test_planned_values_replace_those_of_the_pilot():
    own = sample_size(Y, FAIR, measure="hand_till", null=0.8)
    modest = sample_size(Y, FAIR, measure="hand_till", null=0.8, value=own.value - 0.03)
    assert modest.n > own.n
    two = {"a": GOOD, "b": FAIR}
    hard, easy = (sample_size(Y, two, measure="hand_till", value=0.9, versus=v).n for v in (0.87, 0.8))
    assert hard > easy


def test_pilot_keeps_its_promise():
    """A pilot of 1500 cases, so that its own error does not matter: the power in simulations of the same world."""
    world = datasets.HandTill(3, 1.0)
    plan = sample_size(*world.sample(500, rng=4), measure="hand_till", null=0.75, value=world.hand_till)
    found = sample_size(world=world, measure="hand_till", null=0.75, n=plan.n, method=Simulation(600, rng=5))
    low, high = bounds(plan.power, 600)
    assert low <= 600 * found.power <= high


def test_cost_is_better_if_lower():
    y, risk = binormal(0.8).sample(40, rng=0)
    key = "expected_cost(threshold=0.7)"
    cheap = sample_size(y, risk, measure=key, null=0.5)
    assert not cheap.upward
    assert "is below 0.5" in cheap.sentence()
    not_worse = sample_size(y, risk, measure=key, null=cheap.value, margin=0.05)
    assert not_worse.upward is False
    assert "is not above" in not_worse.sentence()


# --- simulation ---


def test_simulation_finds_about_the_size_of_the_formula():
    """Within 15 %: 400 samples leave 2 % of power open, some 6 % of n, and the formula is an approximation."""
    told = []
    asked = {"measure": "auc", "null": 0.6}
    found = sample_size(
        world=binormal(0.7), method=Simulation(400, rng=0), progress=lambda *step: told.append(step), **asked
    )
    assert found.n == pytest.approx(sample_size(value=0.7, **asked).n, rel=0.15)
    assert found.power >= 0.8
    assert found.monte_carlo_error == pytest.approx(sqrt(found.power * (1 - found.power) / 400), rel=1e-12)
    low, high = found.power_interval()
    assert low < found.power < high
    assert told[0] == (0, 400, told[0][2])
    assert len(told) % 400 == 0
    assert found.simulations == 400
    assert found.seed == 0
    again = sample_size(world=binormal(0.7), n=found.n, method=Simulation(400, rng=0), **asked)
    assert (again.power, again.width) == (found.power, found.width)


def test_generators_move_on_and_are_told():
    rng = np.random.default_rng(3)
    asked = {"world": binormal(0.7), "measure": "auc", "n": 60}
    one, two = (sample_size(method=Simulation(50, rng=rng), **asked) for _ in range(2))
    assert one.seed != two.seed
    assert sample_size(method=Simulation(50, rng=one.seed), **asked).power == one.power
    assert sample_size(method=Simulation(50), **asked).seed is not None


def test_worlds_apart_and_three_classes():
    apart = {"one": binormal(0.85), "two": binormal(0.7)}
    found = sample_size(world=apart, measure="auc", method=Simulation(100, rng=0), n=160)
    assert (found.sets, found.by_class) == (2, {"0": 40, "1": 40})
    assert (found.value, found.versus) == pytest.approx(
        (0.85, 0.7), abs=1e-12
    )  # Phi(Phi^-1(x)) is x but for rounding
    three = sample_size(
        world=datasets.HandTill(3, 1.5), measure="accuracy", n=(30, 20, 10), method=Simulation(50, rng=0)
    )
    assert three.null == pytest.approx(1 / 3)
    assert three.power > 0.9


def test_width_is_kept_with_the_chance_wanted():
    found = sample_size(world=binormal(0.8), measure="auc", width=0.2, power=0.9, method=Simulation(100, rng=0))
    assert found.power >= 0.9
    assert found.width < 0.2
    usual = sample_size(measure="auc", value=0.8, width=0.2)
    assert found.n > usual.n  # in nine samples of ten is more than on average
    assert "no wider than 0.2 in 0.9" in found.sentence()


def test_pilot_data_can_be_resampled():
    asked = {"measure": "hand_till", "null": 0.75}
    drawn = sample_size(Y, FAIR, method=Simulation(100, rng=1), **asked)
    assert drawn.value == sample_size(Y, FAIR, **asked).value
    assert drawn.power >= 0.8
    two = {"good": GOOD, "fair": FAIR}
    one, other = (sample_size(Y, two, measure="ova", n=30, method=m) for m in (None, Simulation(200, rng=1)))
    low, high = bounds(one.power, 200)
    assert low <= 200 * other.power <= high
    apart = {name: normalise(Y, P) for name, P in two.items()}
    assert sample_size(apart, measure="ova", n=120, method=Simulation(20, rng=1)).sets == 2


def test_world_that_does_not_know_its_value_is_told():
    asked = {"world": datasets.Binormal(1.0), "measure": "partial_auc(fpr=(0, 0.2))"}
    with pytest.raises(InputError, match=r"does not know its true partial_auc.*say value"):
        sample_size(**asked)
    true = datasets.Binormal(1.0).partial_auc(0, 0.2)
    assert sample_size(value=true, n=80, method=Simulation(20, rng=0), **asked).value == true


def test_samples_that_say_nothing_show_nothing():
    """Two classifiers that rank alike have a difference without a standard error: never a success."""
    world = Pair(0.8, 0.8, 1.0)
    found = sample_size(world=world, measure="auc", margin=0.05, n=40, method=Simulation(20, rng=0))
    assert found.power == 0
    assert np.isnan(found.width)
    assert json.loads(json.dumps(found.to_dict()))["width"] is None


# --- classes ---


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=6), st.integers(0, 200))
def test_cases_are_added_one_at_a_time_in_the_ratio(ratio, more):
    shared = Allocation(tuple("abcdef"[: len(ratio)]), tuple(ratio))
    one, two = (np.array(shared.sizes(shared.fewest + more + extra)) for extra in (0, 1))
    assert one.sum() == shared.fewest + more
    assert one.min() >= 2
    assert shared.by_formula().fewest == 10 * len(ratio)
    assert sorted(two - one) == [0] * (len(ratio) - 1) + [1]
    # Sainte-Lague: no class above two cases would rather give one up than another get one more.
    r = np.array(ratio)
    assert (r / (2 * one - 1))[one > 2].min(initial=np.inf) >= (r / (2 * one + 1)).max() * (1 - 1e-9)  # ties round


def test_multiples_of_the_ratio_are_exact():
    assert Allocation(NAMES, (1, 2)).sizes(3_000_000) == (1_000_000, 2_000_000)
    assert Allocation(tuple("abc"), (0.2, 0.3, 0.5)).sizes(100) == (20, 30, 50)


# --- the result ---


PLANS = {
    "one": (
        {"value": 0.85, "null": 0.75, "power": 0.9, "ratio": (1, 2)},
        "204 cases (68 negative, 136 positive) give a power of 0.90 to show that auc is above 0.75 if it is 0.85 "
        "(two-sided test at 5 %).",
    ),
    "paired": (
        {"value": 0.85, "versus": 0.8, "correlation": 0.5},
        "596 cases (298 negative, 298 positive) give a power of 0.80 to show that one of two classifiers has auc "
        "above the other's if they have 0.85 and 0.8 on the same cases (two-sided test at 5 %).",
    ),
    "apart": (
        {"value": 0.8, "versus": 0.9, "null": -0.02, "n": 400, "sides": 1},
        "400 cases (100 negative, 100 positive for each of two classifiers) give a power of 0.74 to show that one "
        "of two classifiers has auc below the other's minus 0.02 if they have 0.8 and 0.9 on different cases "
        "(one-sided test at 5 %).",
    ),
    "margin": (
        {"value": 0.85, "null": 0.85, "margin": 0.05, "n": 200},
        "200 cases (100 negative, 100 positive) give a power of 0.48 to show that auc is not below 0.85 by 0.05 "
        "or more if it is 0.85 (one-sided test at 5 %).",
    ),
    "width": (
        {"value": 0.85, "width": 0.1},
        "238 cases (119 negative, 119 positive) give a 95 % interval of auc 0.0998 wide if it is 0.85.",
    ),
}


@pytest.mark.parametrize(("options", "sentence"), PLANS.values(), ids=PLANS)
def test_sentence_rows_json_and_pickle(options, sentence):
    found = sample_size(measure="auc", **options)
    assert found.sentence() == sentence
    for copy in (SampleSize.from_dict(json.loads(json.dumps(found.to_dict()))), pickle.loads(pickle.dumps(found))):
        assert copy == found
    assert [row["cases"] for row in found.rows()] == list(found.by_class.values())
    assert found.n == found.sets * sum(found.by_class.values())
    assert "<td>positive</td>" in found._repr_html_()
    assert found.monte_carlo_error is None
    assert found.power_interval() is None
    assert found.assumptions
    assert found.version == pr.__version__
    with pytest.raises(InputError, match="stored SampleSize"):
        SampleSize.from_dict({"kind": "Estimate"})


def test_repr_is_short():
    one = sample_size(measure="auc", value=0.85, null=0.75, power=0.9)
    assert (
        repr(one) == f"SampleSize(auc: n = {one.n} (negative {one.n // 2}, positive {one.n // 2}), power 0.9014)"
    )
    two = replace(one, sets=2, simulations=100, power=1.0)
    assert repr(two).endswith(" in each of two sets), power 1.0000, Monte Carlo error 0.0000)")
    assert two.power_interval().low < 1
    assert "more than 0.99" in replace(one, power=0.999).sentence()


def test_sentence_of_a_difference_in_width():
    found = sample_size(measure="auc", value=0.85, versus=0.8, correlation=0.5, width=0.1)
    assert "a 95 % interval of the difference in auc 0.0999 wide if" in found.sentence()


# --- bad input ---

AUC = {"measure": "auc", "value": 0.85}
HALF = {"measure": "auc", "value": 0.85, "versus": 0.8}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({**AUC, "null": 0.85}, r"value 0.85 and null 0.85 there is no difference.*power stays at 0.05"),
        ({**HALF, "versus": 0.85}, r"versus 0.85 and null 0 there is no difference.*say margin"),
        ({**AUC, "null": 0.95, "margin": 0.05}, r"worse by the margin or more: the power stays at 0.05"),
        ({**AUC, "power": 1}, r"power must be between 0 and 1 \(0.8 for 80 %\), got 1"),
        ({**AUC, "power": "high"}, r"power must be between 0 and 1.*got 'high'"),
        ({**AUC, "alpha": 0.95}, r"alpha must be .*between 0 and 0.5 \(0.05 for 5 %\), got 0.95"),
        ({**AUC, "sides": 3}, r"sides must be 1 or 2.*got 3"),
        ({**AUC, "margin": -0.05}, r"margin must be a positive number, got -0.05"),
        ({**AUC, "width": 0}, r"width must be a positive number, got 0"),
        ({**AUC, "width": 1}, r"width must be less than 1, which is all there is, got 1"),
        ({**AUC, "width": 0.1, "null": 0.5}, r"width asks .* null what a test will show; ask one thing at a time"),
        ({**AUC, "width": 0.1, "sides": 1}, r"width asks .* sides what a test will show"),
        ({**AUC, "width": 0.1, "power": 0.9}, r"power has no part in the width that a formula gives"),
        ({**HALF, "correlation": 1.5}, r"correlation must be a number from -1 to 1, got 1.5"),
        ({**HALF, "correlation": "r"}, r"correlation must be a number from -1 to 1, got 'r'"),
        ({**HALF, "correlation": 0.5, "correlation_of": "areas"}, r"must be 'estimates' or 'scores', got 'areas'"),
        ({**AUC, "correlation": 0.5}, r"correlation=0.5 is that of two classifiers; say versus"),
        ({"measure": "auc", "value": 1.0}, r"value must be between 0 and 1, both excluded, got 1"),
        ({"measure": "auc", "value": 85}, r"value must be a value of auc, 0 to 1, got 85"),
        ({**AUC, "versus": 0}, r"versus must be between 0 and 1, both excluded, got 0"),
        ({**AUC, "null": 1}, r"auc to be rejected must be between 0 and 1.*got 1; change null or margin"),
        ({**AUC, "null": 1.2}, r"null must be from 0 to 1, got 1.2"),
        ({**HALF, "null": 1.2}, r"null \(a difference\) must be from -1 to 1, got 1.2"),
        ({"measure": "auc"}, r"value is missing"),
        ({**AUC, "n": 100, "power": 0.9}, r"Give n to get the power, or power to get n, not both"),
        ({**AUC, "n": 3}, r"n must be a whole number of cases, 4 or more, or the size of each class .*got 3"),
        ({**AUC, "n": 10.5}, r"n must be a whole number of cases.*got 10.5"),
        ({**HALF, "n": 101}, r"an even one for two sets of cases.*got 101"),
        ({**AUC, "n": (10, 1)}, r"n must hold whole numbers, 2 or more for each class, got \(10, 1\)"),
        ({**AUC, "n": (10, 10, 10)}, r"n must hold one number per class \(negative, positive\), got"),
        ({**AUC, "ratio": (1, 0)}, r"ratio must hold positive numbers, one per class .*got \(1, 0\)"),
        ({**AUC, "ratio": 2}, r"ratio must hold one number per class"),
        (
            {**AUC, "ratio": {"sick": 1, "well": 2}},
            r"ratio must name the classes negative, positive, got sick, well",
        ),
        ({**AUC, "method": "obuchowski"}, r"method must be HanleyMcNeil.*got 'obuchowski'"),
        ({**AUC, "method": Simulation()}, r"Simulation\(\) needs a world or pilot data, got Simulation"),
        (
            {**AUC, "method": HanleyMcNeil()},
            r"nonparametric.* needs data; say method=HanleyMcNeil\('exponential'\)",
        ),
        ({**AUC, "y_score": [1, 2]}, r"y_score came without y_true"),
        ({**AUC, "pos_label": 1}, r"pos_label came without y_true"),
        ({"measure": "hand_till", "value": 0.9}, r"formula for auc and gini, not for hand_till; give pilot data"),
        ({"measure": "auk", "value": 0.9}, r"There is no measure 'auk'"),
        ({"measure": "auc", "value": 0.500001}, r"More than 1e\+09 cases.*there is a power of 0\.\d+\. Expect"),
        ({**AUC, "width": 1e-6}, r"More than 1e\+09 cases would be needed; with that many there is a width of"),
        ({"measure": "auc", "world": 3}, r"world must have sample\(sizes, rng\).*got 3"),
        ({"measure": "auc", "world": binormal(0.8), "value": 0.7}, r"world knows its true auc \(0.8\); leave out"),
        ({"measure": "auc", "world": binormal(0.8), "versus": 0.7}, r"one classifier, or two with versus"),
        ({"measure": "auc", "world": binormal(0.8), "y_true": Y}, r"pilot data .* or a world .*not both"),
        ({"measure": "auc", "world": binormal(0.8), "correlation": 0.1}, r"correlation=0.1 .* leave it out"),
        (
            {"measure": "auc", "world": binormal(0.8), "method": Obuchowski()},
            r"must be Simulation\(\) for a world",
        ),
    ],
)
def test_what_cannot_be_planned(ask, message):
    with pytest.raises(PolyrocError, match=message) as caught:
        sample_size(**ask)
    assert isinstance(caught.value, InputError | NotApplicableError | MeasureError)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: sample_size(Y, GOOD, measure="auc"), "auc is for 2 classes, here 3"),
        (lambda: sample_size(Y, measure="ova"), "y_score is missing"),
        (lambda: sample_size(Y, {"a": GOOD, "b": FAIR, "c": FAIR}, measure="ova"), r"have 3 \(a, b, c\)"),
        (
            lambda: sample_size({"a": GOOD, "b": FAIR}, measure="ova"),
            "dict of Scores by classifier.*ndarray, ndarray",
        ),
        (lambda: sample_size(Y, GOOD, measure="ova", versus=0.7), "versus is for two classifiers"),
        (lambda: sample_size(Y, GOOD, measure="ova", value=1.0), "value must be between 0 and 1, both excluded"),
        (lambda: sample_size(Y, TRUTH.astype(float), measure="ova", value=0.9), "nothing varies"),
        (lambda: sample_size(Y, {"a": GOOD, "b": GOOD}, measure="ova", value=0.9), "nothing varies"),
        (
            lambda: sample_size(Y[:21], GOOD[:21, :2], measure="ova"),
            "two cases or more of each class, got 1 of 'b'",
        ),
        (
            lambda: sample_size(Y, GOOD, measure="ova", method=Simulation(), value=0.9),
            "leave out value and versus",
        ),
        (
            lambda: sample_size(normalise(Y, GOOD, groups=Y), measure="ova"),
            "counts independent cases that weigh the same, here groups came",
        ),
        (
            lambda: sample_size(normalise(Y, GOOD, sample_weight=np.ones(75)), measure="ova"),
            "here sample_weight came",
        ),
        (
            lambda: sample_size({"a": normalise(Y, GOOD), "b": normalise(Y == "a", GOOD[:, :2])}, measure="ova"),
            "same classes, got a, b, c and False, True",
        ),
        (lambda: sample_size((Y == "a") + 0, GOOD[:, 0], measure="sensitivity(threshold=0.5)"), "no chance value"),
        (lambda: Simulation(n=1), "n must be a whole number of simulated samples, 2 or more, got 1"),
        (lambda: Simulation(rng=-1), "rng must be a seed"),
    ],
)
def test_pilot_data_that_do_not_do(ask, message):
    with pytest.raises((InputError, NotApplicableError), match=message):
        ask()


def test_pilot_undefined():
    with (
        pytest.raises(InputError, match="is undefined on the pilot data"),
        pytest.warns(pr.errors.UndefinedMeasureWarning),
    ):
        sample_size((Y == "a") + 0, GOOD[:, 0], measure="ppv(threshold=2)", null=0.5)


def test_simulation_that_never_gets_there(monkeypatch):
    asked = {"measure": "auc", "method": Simulation(50, rng=0)}
    monkeypatch.setattr("polyroc.inference.power.simulating.MOST_DRAWN", 60)
    with pytest.raises(
        InputError, match=r"Some \d+ cases are needed, and samples of 60 .* have a power of 0\.\d+"
    ):
        sample_size(world=binormal(0.6), **asked)
    with pytest.raises(InputError, match=r"samples of 60 at most are simulated, which have a width of 0\.\d+"):
        sample_size(world=binormal(0.8), width=0.1, **asked)
    monkeypatch.setattr("polyroc.inference.power.simulating._first_guess", lambda *_: 50)
    with pytest.raises(InputError, match=r"Samples of 60 cases, .* have a simulated power of 0\.\d+ only"):
        sample_size(world=binormal(0.6), **asked)


# --- the command line ---


def run(*arguments):
    return CliRunner().invoke(size, [str(each) for each in arguments])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pilot") / "p.csv"
    rows = [",".join([y, *(repr(float(p)) for p in (*a, *b))]) for y, a, b in zip(Y, GOOD, FAIR, strict=True)]
    path.write_text("\n".join(["y,g_a,g_b,g_c,f_a,f_b,f_c", *rows]) + "\n")
    return path


def test_command_prints_a_table_and_the_sentence():
    done = run("--value", 0.85, "--null", 0.75, "--power", 0.9, "--ratio", "1,2")
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == "auc: 204 cases"
    assert lines[2].split() == ["class", "cases"]
    assert [line.split() for line in lines[3:5]] == [["negative", "68"], ["positive", "136"]]
    assert PLANS["one"][1] in lines
    assert lines[-1].startswith("Method: HanleyMcNeil(kind='exponential'); ")


def test_command_gives_what_python_gives(file):
    asked = ("--value", 0.85, "--versus", 0.8, "--correlation", 0.5, "--correlation-of", "scores", "--sides", 1)
    found = sample_size(
        measure="auc",
        value=0.85,
        versus=0.8,
        correlation=0.5,
        correlation_of="scores",
        sides=1,
        method=Obuchowski(),
    )
    done = run(*asked, "--formula", "obuchowski", "--json")
    assert SampleSize.from_dict(json.loads(done.output)) == found
    assert run(*asked, "--formula", "obuchowski", "--csv").output.splitlines()[1].startswith("auc,negative,")
    assert run(*asked, "--markdown").output.startswith("| class | cases |")
    power = json.loads(run("--value", 0.85, "--null", 0.75, "--n", "40:80", "--json").output)["power"]
    assert power == sample_size(measure="auc", value=0.85, null=0.75, n=(40, 80)).power
    pilot = ("--pilot", file, "--truth", "y", "--scores", "good=g_*", "--scores", "fair=f_*", "-m", "hand_till")
    done = run(*pilot, "--json")
    expected = sample_size(Y, {"good": GOOD, "fair": FAIR}, measure="hand_till")
    assert SampleSize.from_dict(json.loads(done.output)) == expected
    drawn = run(*pilot, "--simulate", 20, "--seed", 1, "--n", 60)
    assert drawn.exit_code == 0
    assert "Simulated power: 95 % 0." in drawn.output
    assert "seed 1." in drawn.output
    assert "in each of two sets" in run("--value", 0.85, "--versus", 0.8).output


def test_command_helps():
    text = run("--help").output
    assert all(word in text for word in ("Two classifiers:", "--margin", "non-inferiority", "From pilot data:"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--value", "0.85", "--null", "0.85"], "there is no difference to show"),
        (["--value", "0.85", "--ratio", "one"], "--ratio must be numbers, such as 1,2, got 'one'"),
        (["--value", "0.85", "--n", "1.5"], "--n must be whole numbers"),
        (["--value", "0.85", "--truth", "y"], "--truth came without --pilot FILE"),
        (["--value", "0.85", "--seed", "1"], "--seed came without --pilot FILE"),
        (["--pilot", "p.csv"], "--pilot needs --truth COLUMN and --scores COLUMNS"),
        (["--pilot", "nowhere.csv", "--truth", "y", "--scores", "s"], "nowhere.csv"),
        (["--pilot", "FILE", "--truth", "y", "--scores", "g_*", "-m", "ova", "--seed", "1"], "is for --simulate"),
        (
            ["--pilot", "FILE", "--truth", "y", "--scores", "g_*", "-m", "ova", "--formula", "obuchowski"],
            "Simulation",
        ),
    ],
)
def test_command_complains(file, arguments, message):
    done = run(*[file if each == "FILE" else each for each in arguments])
    assert isinstance(done.exception, PolyrocError)
    assert message in str(done.exception)
