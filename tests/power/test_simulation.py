"""Sample sizes by simulation, from models and from pilot data."""

import json
from dataclasses import replace
from math import nan, sqrt

import numpy as np
import pytest

from planning import FAIR, GOOD, Pair, Y, binormal, bounds
from polyroc import datasets
from polyroc.errors import InputError
from polyroc.power.result import SampleSize
from polyroc.power.sample_size import sample_size
from polyroc.power.simulation import Simulation
from polyroc.validation.scores import normalise


@pytest.mark.slow
def test_simulation_finds_about_the_size_of_the_formula():
    """Within 15 %: 400 samples leave 2 % of power open, some 6 % of n, and the formula is an approximation."""
    calls = []
    options = {"measure": "auc", "null": 0.6}
    plan = sample_size(
        model=binormal(0.7), method=Simulation(400, rng=0), progress=lambda *step: calls.append(step), **options
    )
    assert plan.n == pytest.approx(sample_size(value=0.7, **options).n, rel=0.15)
    assert plan.power >= 0.8
    assert plan.monte_carlo_error == pytest.approx(sqrt(plan.power * (1 - plan.power) / 400), rel=1e-12)
    low, high = plan.power_interval()
    assert low < plan.power < high
    assert calls[0] == (0, 400, calls[0][2])
    assert len(calls) % 400 == 0
    assert plan.simulations == 400
    assert plan.seed == 0
    again = sample_size(model=binormal(0.7), n=plan.n, method=Simulation(400, rng=0), **options)
    assert (again.power, again.width) == (plan.power, plan.width)


def test_generators_move_on_and_are_recorded():
    rng = np.random.default_rng(3)
    options = {"model": binormal(0.7), "measure": "auc", "n": 60}
    one, two = (sample_size(method=Simulation(50, rng=rng), **options) for _ in range(2))
    assert one.seed != two.seed
    assert sample_size(method=Simulation(50, rng=one.seed), **options).power == one.power
    assert sample_size(method=Simulation(50), **options).seed is not None


def test_unpaired_models_and_three_classes():
    apart = {"one": binormal(0.85), "two": binormal(0.7)}
    plan = sample_size(model=apart, measure="auc", method=Simulation(100, rng=0), n=160)
    assert (plan.sets, plan.by_class) == (2, {"0": 40, "1": 40})
    assert (plan.value, plan.versus) == pytest.approx(
        (0.85, 0.7), abs=1e-12
    )  # Phi(Phi^-1(x)) is x but for rounding
    three = sample_size(
        model=datasets.HandTill(3, 1.5), measure="accuracy", n=(30, 20, 10), method=Simulation(50, rng=0)
    )
    assert three.null == pytest.approx(1 / 3)
    assert three.power > 0.9


@pytest.mark.slow
def test_width_is_kept_with_the_chance_wanted():
    plan = sample_size(model=binormal(0.8), measure="auc", width=0.2, power=0.9, method=Simulation(100, rng=0))
    assert plan.power >= 0.9
    assert plan.width < 0.2
    usual = sample_size(measure="auc", value=0.8, width=0.2, power=0.5)
    assert plan.n > usual.n  # in nine samples of ten is more than on average
    assert "no wider than 0.2 in 0.9" in plan.sentence()


@pytest.mark.slow
def test_pilot_data_can_be_resampled():
    options = {"measure": "hand_till", "null": 0.75}
    drawn = sample_size(Y, FAIR, method=Simulation(100, rng=1), **options)
    assert drawn.value == sample_size(Y, FAIR, **options).value
    assert drawn.power >= 0.8
    two = {"good": GOOD, "fair": FAIR}
    one, other = (sample_size(Y, two, measure="ova", n=240, method=m) for m in (None, Simulation(200, rng=1)))
    low, high = bounds(one.power, 200)
    assert low <= 200 * other.power <= high
    apart = {name: normalise(Y, P) for name, P in two.items()}
    assert sample_size(apart, measure="ova", n=120, method=Simulation(20, rng=1)).sets == 2


def test_simulation_model_without_a_true_value_is_reported():
    options = {"model": datasets.Binormal(1.0), "measure": "partial_auc(fpr=(0, 0.2))"}
    with pytest.raises(InputError, match=r"does not have its true partial_auc.*pass value"):
        sample_size(**options)
    true = datasets.Binormal(1.0).partial_auc(0, 0.2)
    assert sample_size(value=true, n=80, method=Simulation(20, rng=0), **options).value == true


def test_samples_without_a_standard_error_count():
    """Two classifiers that rank alike have a difference without a standard error, but an interval."""
    model = Pair(0.8, 0.8, 1.0)
    options = {"model": model, "measure": "auc", "n": 40, "method": Simulation(20, rng=0)}
    plan = sample_size(margin=0.05, **options)
    assert 0 < plan.width < 0.1
    assert plan.power > 0.5
    assert sample_size(margin=plan.width / 10, **options).power == 0  # a tenth of it is inside all intervals


def test_width_that_is_not_known_is_stored_as_null():
    plan = sample_size(measure="auc", value=0.8, n=40)
    data = json.loads(json.dumps(replace(plan, width=nan).to_dict()))
    assert data["width"] is None
    assert np.isnan(SampleSize.from_dict(data).width)


def test_simulation_that_never_gets_there(monkeypatch):
    options = {"measure": "auc", "method": Simulation(50, rng=0)}
    monkeypatch.setattr("polyroc.power.simulation.MOST_SIMULATED", 60)
    with pytest.raises(
        InputError, match=r"About \d+ cases are needed, but samples of at most 60 .* have a power of 0\.\d+"
    ):
        sample_size(model=binormal(0.6), **options)
    with pytest.raises(InputError, match=r"samples of at most 60 are simulated, which have a width of 0\.\d+"):
        sample_size(model=binormal(0.8), width=0.1, **options)
    monkeypatch.setattr("polyroc.power.simulation._first_guess", lambda *_: 50)
    with pytest.raises(InputError, match=r"Samples of 60 cases, .* have a simulated power of only 0\.\d+"):
        sample_size(model=binormal(0.6), **options)
