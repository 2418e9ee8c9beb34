"""What `sample_size` gives back, how it shares cases among the classes, and what it complains of."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from planning import FAIR, GOOD, NAMES, PLANS, TRUTH, Y, binormal
from polyroc.errors import InputError, MeasureError, NotApplicableError, PolyrocError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil
from polyroc.power.allocation import Allocation
from polyroc.power.formulas import Obuchowski
from polyroc.power.result import SampleSize
from polyroc.power.sample_size import sample_size
from polyroc.power.simulation import Simulation
from polyroc.validation.scores import normalise


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=6), st.integers(0, 200))
def test_cases_are_added_one_at_a_time_in_the_ratio(ratio, more):
    shared = Allocation(tuple("abcdef"[: len(ratio)]), tuple(ratio))
    one, two = (np.array(shared.sizes(shared.fewest + more + extra)) for extra in (0, 1))
    assert one.sum() == shared.fewest + more
    assert one.min() >= 2
    assert sorted(two - one) == [0] * (len(ratio) - 1) + [1]
    # Sainte-Lague: no class would rather give one up than another get one more.
    r = np.array(ratio)
    assert (r / (2 * one - 1)).min() >= (r / (2 * one + 1)).max() * (1 - 1e-9)  # ties round
    least = shared.by_formula()
    sizes = np.array(least.sizes(least.fewest))
    assert sizes.min() >= 10
    assert least.fewest == pytest.approx(10 * r.sum() / r.min(), abs=1)  # rounded up


@given(
    st.lists(st.integers(1, 30), min_size=2, max_size=3),
    st.sampled_from([{}, {"null": 0.78}, {"width": 0.3}, {"n": 1200}, {"n": 999}]),
)
def test_ratio_is_kept(ratio, options):
    """Within one case of the exact share of each class, whatever is planned, with the minimum of a class too."""
    key, value = {2: ("auc", 0.9), 3: ("vus", 0.85)}[len(ratio)]
    if "n" not in options or options["n"] >= 2 * sum(ratio) / min(ratio):  # else n is refused
        plan = sample_size(measure=key, value=value, ratio=ratio, **options)
        _require_ratio(plan, ratio)
        assert "n" in options or min(plan.by_class.values()) >= 10


def _require_ratio(plan, ratio):
    sizes, shares = np.array(list(plan.by_class.values())), np.array(ratio) / sum(ratio)
    assert np.abs(sizes - sizes.sum() * shares).max() < 1.0 + 1e-9


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({"value": 0.9, "ratio": [2, 1]}, [20, 10]),
        ({"value": 0.95, "ratio": [1, 20]}, [10, 200]),
        ({"value": 0.85, "width": 0.4, "ratio": {"positive": 1, "negative": 2}}, [20, 10]),
        ({"value": 0.9, "ratio": [2, 1], "n": 60}, [40, 20]),
        ({"value": 0.9, "versus": 0.8, "ratio": [2, 1], "n": 12}, [4, 2]),
    ],
)
def test_a_minimum_raises_all_classes_in_proportion(options, sizes):
    assert list(sample_size(measure="auc", **options).by_class.values()) == sizes


@pytest.mark.parametrize("options", [{"null": 0.6}, {"width": 0.5}, {"n": 70}, {"n": 71}])
def test_ratio_is_kept_with_pilot_data(options):
    for ratio in ((4, 2, 1), (1, 1, 5)):
        _require_ratio(sample_size(Y, GOOD, measure="hand_till", ratio=ratio, **options), ratio)
    two = sample_size(Y, {"a": GOOD, "b": FAIR}, measure="hand_till", ratio=(4, 2, 1), n=70)
    assert list(two.by_class.values()) == [40, 20, 10]


def test_multiples_of_the_ratio_are_exact():
    assert Allocation(NAMES, (1, 2)).sizes(3_000_000) == (1_000_000, 2_000_000)
    assert Allocation(tuple("abc"), (0.2, 0.3, 0.5)).sizes(100) == (20, 30, 50)


@pytest.mark.parametrize(("options", "sentence"), PLANS.values(), ids=PLANS)
def test_sentence_rows_json_and_pickle(options, sentence):
    plan = sample_size(measure="auc", **options)
    assert plan.sentence() == sentence
    for copy in (SampleSize.from_dict(json.loads(json.dumps(plan.to_dict()))), pickle.loads(pickle.dumps(plan))):
        assert copy == plan
    assert [row["cases"] for row in plan.rows()] == list(plan.by_class.values())
    assert plan.n == plan.sets * sum(plan.by_class.values())
    assert ">positive</td>" in plan._repr_html_()
    assert plan.monte_carlo_error is None
    assert plan.power_interval() is None
    assert plan.assumptions
    assert plan.version == pr.__version__
    with pytest.raises(InputError, match="stored SampleSize"):
        SampleSize.from_dict({"kind": "Estimate"})


def test_repr_is_short():
    one = sample_size(measure="auc", value=0.85, null=0.75, power=0.9)
    assert repr(one) == f"SampleSize(auc: n = {one.n} (negative 105, positive 104), power 0.9011)"
    two = replace(one, sets=2, simulations=100, power=1.0)
    assert repr(two).endswith(" in each of two sets), power 1.0000, Monte Carlo error 0.0000)")
    assert two.power_interval().low < 1
    assert "more than 0.99" in replace(one, power=0.999).sentence()


def test_values_near_a_limit_are_pointed_out():
    near, far = (sample_size(measure="auc", value=0.98, versus=v, n=(40, 40)).assumptions[-1] for v in (0.7, 0.71))
    assert "less than two standard errors from its limit" in near
    assert near == far
    assert sample_size(measure="auc", value=0.9, n=(40, 40)).assumptions[-1] == "normal estimates"


def test_sentence_of_a_difference_in_width():
    plan = sample_size(measure="auc", value=0.85, versus=0.8, correlation=0.5, width=0.1)
    assert "interval of the difference in auc no wider than 0.1 in 0.80 of all samples if" in plan.sentence()


@pytest.mark.parametrize(
    ("options", "alpha", "sides"),
    [
        ({}, 0.05, 2),
        ({"sides": 1}, 0.05, 1),
        ({"margin": 0.2}, 0.025, 1),
        ({"margin": 0.2, "sides": 1}, 0.025, 1),
        ({"margin": 0.2, "sides": 2}, 0.05, 2),
        ({"margin": 0.2, "alpha": 0.05}, 0.05, 1),
        ({"alpha": 0.01}, 0.01, 2),
    ],
)
def test_a_margin_is_tested_at_one_sided_two_and_a_half_percent(options, alpha, sides):
    plan = sample_size(measure="auc", value=0.85, null=0.8, n=100, **options)
    assert (plan.alpha, plan.sides) == (alpha, sides)
    assert f"({'one' if sides == 1 else 'two'}-sided test at {100 * alpha:g} %)" in plan.sentence()
    explicit = sample_size(measure="auc", value=0.85, null=0.8, n=100, **{**options, "alpha": alpha})
    assert explicit == plan


def test_both_ways_to_test_a_margin_are_the_same():
    margin = {"measure": "auc", "value": 0.85, "versus": 0.85, "correlation": 0.5, "margin": 0.05, "n": 300}
    assert sample_size(**margin).power == sample_size(sides=2, **margin).power


AUC = {"measure": "auc", "value": 0.85}
HALF = {"measure": "auc", "value": 0.85, "versus": 0.8}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({**AUC, "null": 0.85}, r"value 0.85 and null 0.85 there is no difference.*power is 0.05"),
        ({**HALF, "versus": 0.85}, r"versus 0.85 and null 0 there is no difference.*or margin"),
        ({**AUC, "null": 0.95, "margin": 0.05}, r"worse by the margin or more: the power is at most 0.025"),
        ({**AUC, "power": 1}, r"power must be between 0 and 1 \(0.8 for 80 %\), got 1"),
        ({**AUC, "power": "high"}, r"power must be a finite number, got 'high'"),
        ({**AUC, "alpha": 0.95}, r"alpha, .* must be between 0 and 0.5 \(0.05 for 5 %\), got 0.95"),
        ({**AUC, "sides": 3}, r"sides must be 1 or 2.*got 3"),
        ({**AUC, "margin": -0.05}, r"margin must be a positive number, got -0.05"),
        ({**AUC, "width": 0}, r"width must be a positive number, got 0"),
        ({**AUC, "width": 1}, r"width must be less than 1, the whole range, got 1"),
        ({**AUC, "width": 0.1, "null": 0.5}, r"width plans .* null a test; pass one or the other"),
        ({**AUC, "width": 0.1, "sides": 1}, r"width plans .* sides a test"),
        ({**HALF, "correlation": 1.5}, r"correlation must be a number from -1 to 1, got 1.5"),
        ({**HALF, "correlation": "r"}, r"correlation must be a finite number, got 'r'"),
        ({**HALF, "correlation": 0.5, "correlation_of": "areas"}, r"must be 'estimates' or 'scores', got 'areas'"),
        (
            {**AUC, "correlation": 0.5},
            r"correlation needs two classifiers; pass versus",
        ),
        ({"measure": "auc", "value": 1.0}, r"value must be between 0 and 1, both excluded, got 1"),
        ({"measure": "auc", "value": 85}, r"value must be a value of auc, 0 to 1, got 85"),
        ({**AUC, "versus": 0}, r"versus must be between 0 and 1, both excluded, got 0"),
        ({**AUC, "null": 1}, r"auc to be rejected must be between 0 and 1.*got 1; change null or margin"),
        ({**AUC, "null": 0.3, "margin": 1.5}, r"auc to be rejected must be .*got -1.2; use a smaller margin"),
        ({**AUC, "null": 1.2}, r"null must be from 0 to 1, got 1.2"),
        ({**HALF, "null": 1.2}, r"null \(a difference\) must be from -1 to 1, got 1.2"),
        ({"measure": "auc"}, r"the expected value, is missing"),
        ({**AUC, "n": 100, "power": 0.9}, r"Pass n to get the power, or power to get n, not both"),
        (
            {**AUC, "n": 3},
            r"n must be .* 4 or more cases in the ratio 1:1, or the size of each class .*got 3",
        ),
        ({**AUC, "n": 10.5}, r"n must be a whole number.*got 10.5"),
        ({**HALF, "n": 101}, r"an even number for two sets of cases.*got 101"),
        ({**AUC, "n": (10, 1)}, r"n must contain integers, 2 or more for each class, got \(10, 1\)"),
        ({**AUC, "n": (10, 10, 10)}, r"n must contain one number per class \(negative, positive\), got"),
        ({**AUC, "ratio": (1, 0)}, r"ratio must contain positive numbers, one per class .*got \(1, 0\)"),
        ({**AUC, "ratio": 2}, r"ratio must be a list of finite numbers"),
        (
            {**AUC, "ratio": {"sick": 1, "well": 2}},
            r"ratio must have the classes negative, positive, got sick, well",
        ),
        ({**AUC, "method": "obuchowski"}, r"method must be HanleyMcNeil.*got 'obuchowski'"),
        ({**AUC, "method": Simulation()}, r"Simulation\(\) needs a model or pilot data, got Simulation"),
        (
            {**AUC, "method": HanleyMcNeil()},
            r"nonparametric.* needs data; use method=HanleyMcNeil\('exponential'\)",
        ),
        ({**AUC, "y_score": [1, 2]}, r"y_score needs y_true"),
        ({**AUC, "pos_label": 1}, r"pos_label needs y_true"),
        (
            {"measure": "hand_till", "value": 0.9},
            r"formula for auc, gini, vus, not for hand_till; pass pilot data",
        ),
        ({"measure": "auk", "value": 0.9}, r"There is no measure 'auk'"),
        (
            {"measure": "auc", "value": 0.500001},
            r"More than 1e\+09 cases.*there is a power of 0\.\d+\. Use a larger",
        ),
        ({**AUC, "width": 1e-6}, r"More than 1e\+09 cases would be needed; with that many there is a width of"),
        ({"measure": "auc", "model": 3}, r"model must have a method sample\(sizes, rng\).*got 3"),
        ({"measure": "auc", "model": binormal(0.8), "value": 0.7}, r"model has its own true auc \(0.8\); omit"),
        ({"measure": "auc", "model": binormal(0.8), "versus": 0.7}, r"one classifier, or two with versus"),
        ({"measure": "auc", "model": binormal(0.8), "y_true": Y}, r"pilot data .* or a model .*not both"),
        (
            {"measure": "auc", "model": binormal(0.8), "correlation": 0.1},
            r"correlation is for planning without data.* omit it",
        ),
        (
            {"measure": "auc", "model": binormal(0.8), "method": Obuchowski()},
            r"must be Simulation\(\) for a model",
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
        (lambda: sample_size(Y, TRUTH.astype(float), measure="ova", value=0.9), "do not vary"),
        (lambda: sample_size(Y, {"a": GOOD, "b": GOOD}, measure="ova", value=0.9), "do not vary"),
        (
            lambda: sample_size(Y[:21], GOOD[:21, :2], measure="ova"),
            "two cases or more of each class, got 1 of 'b'",
        ),
        (
            lambda: sample_size(Y, GOOD, measure="ova", method=Simulation(), value=0.9),
            "omit value and versus",
        ),
        (
            lambda: sample_size(normalise(Y, GOOD, groups=Y), measure="ova"),
            "is for independent, unweighted cases, got groups",
        ),
        (
            lambda: sample_size(normalise(Y, GOOD, sample_weight=np.ones(75)), measure="ova"),
            "got sample_weight; omit it",
        ),
        (
            lambda: sample_size({"a": normalise(Y, GOOD), "b": normalise(Y == "a", GOOD[:, :2])}, measure="ova"),
            "same classes, got a, b, c and False, True",
        ),
        (lambda: sample_size((Y == "a") + 0, GOOD[:, 0], measure="sensitivity(threshold=0.5)"), "no chance value"),
        (lambda: Simulation(replicates=1), "replicates must be a whole number from 2 to 1,000,000,000, got 1"),
        (lambda: Simulation(rng=-1), "rng must be a seed"),
    ],
)
def test_unsuitable_pilot_data(ask, message):
    with pytest.raises((InputError, NotApplicableError), match=message):
        ask()


def test_pilot_undefined():
    with (
        pytest.raises(InputError, match="is undefined on the pilot data"),
        pytest.warns(pr.errors.UndefinedMeasureWarning),
    ):
        sample_size((Y == "a") + 0, GOOD[:, 0], measure="ppv(threshold=2)", null=0.5)
