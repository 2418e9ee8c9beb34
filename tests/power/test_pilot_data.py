"""Sample sizes from pilot data."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import pytest

import polyroc as pr
from measure_values import THREE_CLASSES, scores_for
from planning import FAIR, GOOD, Y, binormal, bounds
from polyroc import datasets
from polyroc.errors import NotApplicableError
from polyroc.measures.registry import MEASURES
from polyroc.power.sample_size import sample_size
from polyroc.power.simulation import Simulation
from polyroc.validation.scores import normalise

MANY = [key for key in THREE_CLASSES if np.isfinite(MEASURES[key].range(3, **MEASURES[key].settings)).all()]


TWO = [key for key, measure in MEASURES.items() if measure.classes == (2, 2)]


# Intervals at a limit of the range, or that allow for unseen errors: planned by the guarded interval without that.
BOUNDED = ("ht3", "macro_average", "scurfield", "ppv", "npv", "expected_cost", "cost_area", "net_benefit")


def planned_width(key, width):
    if key == "cost_area":  # whose interval also allows for the bias
        return pytest.approx(width, rel=0.5)
    return pytest.approx(width, rel=0.3) if key.split("(")[0] in BOUNDED else pytest.approx(width, abs=1e-12)


@pytest.mark.parametrize("key", MANY)
def test_pilot_at_its_own_size_has_the_standard_error_of_evaluate_and_compare(key):
    good, fair = scores_for(key, GOOD), scores_for(key, FAIR)
    fixed = {"labels": ["a", "b", "c"], "sampling": "case-control"}  # a plan fixes class sizes
    one = pr.evaluate(Y, fair, measure=key, **fixed)
    counts = (20, 25, 30)
    plan = sample_size(Y, fair, measure=key, width=0.3, n=counts, labels=["a", "b", "c"])
    low, high = one.confidence_interval()
    assert plan.width == planned_width(key, high - low)  # the same variance, added up in another order
    assert plan.value == pytest.approx(one.value, abs=1e-15)
    both = {"good": good, "fair": fair}
    two = pr.compare(Y, both, measure=key, **fixed).difference("good", "fair")
    plan = sample_size(Y, both, measure=key, n=counts, labels=["a", "b", "c"])
    assert plan.width == planned_width(key, np.diff(two.confidence_interval())[0])
    assert plan.sets == 1
    if key in BOUNDED:
        return
    # A pilot that is just significant: the next one of its size is so in one of two, whatever the interval.
    again = sample_size(Y, both, measure=key, n=counts, alpha=two.pvalue, labels=["a", "b", "c"])
    assert again.power == pytest.approx(0.5, abs=1e-6)  # two root finders


@pytest.mark.parametrize("key", TWO)
def test_pilot_of_two_classes(key):
    y = (Y != "a").astype(int)
    risk = {"good": 1 - GOOD[:, 0], "fair": 1 - FAIR[:, 0]}
    key = key if MEASURES[key].needs == "score" else f"{key}(threshold=0.5)"
    two = pr.compare(y, risk, measure=key, sampling="case-control").difference("good", "fair")
    plan = sample_size(y, risk, measure=key, n={"0": 20, "1": 55})
    assert plan.width == planned_width(key, np.diff(two.confidence_interval())[0])
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
    """A hundred times the cases: a tenth of the width, as soon as the interval is near Wald's."""
    options = {"measure": "hand_till", "width": 1.9}
    few = sample_size(Y, {"a": GOOD, "b": FAIR}, n=(20000, 25000, 30000), **options)
    many = sample_size(Y, {"a": GOOD, "b": FAIR}, n=(2000000, 2500000, 3000000), **options)
    assert few.width / many.width == pytest.approx(10, rel=0.01)  # the guard and the limits add some 1/n


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


@pytest.mark.slow
def test_pilot_keeps_its_promise():
    """A pilot of 1500 cases, so that its own error does not matter: the power in simulations of the same model."""
    model = datasets.HandTill(3, 1.0)
    plan = sample_size(*model.sample(500, rng=4), measure="hand_till", null=0.75, value=model.hand_till)
    result = sample_size(model=model, measure="hand_till", null=0.75, n=plan.n, method=Simulation(600, rng=5))
    low, high = bounds(plan.power, 600)
    assert low <= 600 * result.power <= high


@dataclass(frozen=True)
class Shared:
    """Two classifiers of three classes: logits that are better for the true class, half of the noise in common."""

    strengths: tuple[float, float]

    def sample(self, sizes, rng):
        rng, y = np.random.default_rng(rng), np.repeat(range(3), np.broadcast_to(sizes, 3))
        common, *own = rng.standard_normal((3, len(y), 3))
        logits = [
            (common + noise) / sqrt(2) + strength * np.eye(3)[y]
            for noise, strength in zip(own, self.strengths, strict=True)
        ]
        P = [np.exp(logit) / np.exp(logit).sum(axis=1, keepdims=True) for logit in logits]
        return y, dict(zip(("one", "two"), P, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("strengths", "n", "options"),
    [((1.5, 1.1), (50, 50, 50), {}), ((2.5, 1.8), (30, 60, 30), {}), ((1.5, 1.5), (60, 60, 60), {"margin": 0.07})],
)
def test_pilot_of_two_classifiers_keeps_its_promise(strengths, n, options):
    """400 samples; a pilot of 9000 cases has the difference to 0.002, which is 0.05 of power at most."""
    model = Shared(strengths)
    plan = sample_size(*model.sample(3000, rng=4), measure="hand_till", n=n, **options)
    values = {"value": plan.value, "versus": plan.versus}
    result = sample_size(model=model, measure="hand_till", n=n, method=Simulation(400, rng=5), **values, **options)
    assert bounds(plan.power - 0.05, 400)[0] <= 400 * result.power
    assert 400 * result.power <= bounds(min(1.0, plan.power + 0.05), 400)[1]


def test_cost_is_better_if_lower():
    y, risk = binormal(0.8).sample(40, rng=0)
    key = "expected_cost(threshold=0.7)"
    cheap = sample_size(y, risk, measure=key, null=0.5)
    assert not cheap.upward
    assert "is below 0.5" in cheap.sentence()
    not_worse = sample_size(y, risk, measure=key, null=cheap.value, margin=0.05)
    assert not_worse.upward is False
    assert "is not above" in not_worse.sentence()


def test_a_measure_without_limits_is_not_planned():
    with pytest.raises(NotApplicableError, match="sample_size plans measures with a smallest and a largest value"):
        sample_size(Y, GOOD, measure="log_loss", width=0.3, labels=["a", "b", "c"])
