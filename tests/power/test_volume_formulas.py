"""Sample sizes for the volume of three ordered classes: by formula, from pilot data, by simulation."""

import json
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import polyroc as pr
from planning import bounds
from polyroc.cli.sample_size import sample_size as size
from polyroc.datasets import Trinormal
from polyroc.errors import InputError, NotApplicableError
from polyroc.estimates.intervals import interval
from polyroc.power.allocation import Allocation
from polyroc.power.formulas import Obuchowski
from polyroc.power.result import SampleSize
from polyroc.power.sample_size import sample_size
from polyroc.power.simulation import Simulation
from polyroc.validation.scores import normalise

ORDER = {"labels": [0, 1, 2]}


@dataclass(frozen=True)
class Pair:
    """Two scores of three classes, evenly spaced, with a correlation within each class."""

    first: Trinormal
    second: Trinormal
    correlation: float

    @property
    def vus(self):
        return {"one": self.first.vus, "two": self.second.vus}

    def sample(self, sizes, rng):
        y = np.repeat([0, 1, 2], np.broadcast_to(sizes, 3))
        one, other = np.random.default_rng(rng).standard_normal((2, len(y)))
        two = self.correlation * one + sqrt(1 - self.correlation**2) * other
        return y, {"one": one + np.array(self.first.means)[y], "two": two + np.array(self.second.means)[y]}


# --- by formula ---


def test_power_by_hand():
    """The critical volume, recovered from the power: its interval of 10 cases ends at chance."""
    error = sqrt(Trinormal.with_vus(0.5).vus_variance(10))
    low, high = interval(0.5, error, (0, 1), 10)
    plan = sample_size(measure="vus", value=0.5, n=30)
    assert plan.null == pytest.approx(1 / 6)
    critical = 0.5 - error * stats.norm.ppf(plan.power)
    there = error * (4 * critical * (1 - critical)) ** 0.625  # the variance is as (p (1 - p))^1.25
    assert interval(critical, there, (0, 1), 10).low == pytest.approx(1 / 6, abs=1e-9)  # two root finders
    assert plan.width == pytest.approx(high - low, abs=1e-12)
    assert plan.by_class == {"lowest": 10, "middle": 10, "highest": 10}
    down = sample_size(measure="vus", value=0.5, null=5 / 6, n=30)  # the mirror image
    assert (down.power, down.upward) == (pytest.approx(plan.power, abs=1e-12), False)


def test_two_volumes_by_hand():
    """About the power and the width of Wald's test and interval."""
    v, w = (Trinormal.with_vus(value).vus_variance((30, 20, 40)) for value in (0.6, 0.45))
    error = sqrt(v + w - 2 * 0.3 * sqrt(v * w))
    plan = sample_size(measure="vus", value=0.6, versus=0.45, correlation=0.3, n=(30, 20, 40))
    assert abs(stats.norm.cdf(0.15 / error - 1.959963984540054) - plan.power) < 0.02
    assert plan.width == pytest.approx(2 * 1.959963984540054 * error, rel=0.02)


@pytest.mark.slow
@given(
    value=st.floats(0.3, 0.9),
    below=st.floats(0.1, 0.2),
    ratio=st.tuples(*[st.integers(1, 5)] * 3),
    sides=st.sampled_from([1, 2]),
)
def test_answer_is_the_smallest(value, below, ratio, sides):
    options = {"measure": "vus", "value": value, "null": value - below, "ratio": ratio, "sides": sides}
    plan = sample_size(**options)
    assert plan.power >= 0.8
    if plan.n > Allocation(tuple("abc"), ratio, at_least=10).fewest:
        assert sample_size(**options, n=plan.n - 1).power < 0.8
    assert min(plan.by_class.values()) >= 10


@pytest.mark.slow
def test_what_is_requested_of_a_volume():
    two = {"measure": "vus", "value": 0.55, "versus": 0.5}
    paired, apart = sample_size(correlation=0.6, **two), sample_size(**two)
    assert (paired.sets, apart.sets) == (1, 2)
    assert apart.n == 2 * sample_size(correlation=0, **two).n > 4 * paired.n
    assert sample_size(correlation=0.6, null=0.01, **two).n > paired.n
    assert sample_size(correlation=0.6, margin=0.05, alpha=0.025, **two).n < paired.n
    narrow = sample_size(measure="vus", value=0.5, width=0.1, power=0.5)
    assert narrow.width <= 0.1 < sample_size(measure="vus", value=0.5, width=0.1, n=narrow.n - 1).width
    assert "vus is above 0.35 if it is 0.5" in sample_size(measure="vus", value=0.5, null=0.35).sentence()
    assert SampleSize.from_dict(json.loads(json.dumps(paired.to_dict()))) == paired


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"method": Obuchowski()}, InputError, r"Obuchowski\(\) is for areas; omit method"),
        ({"ratio": (1, 2)}, InputError, r"one number per class \(lowest, middle, highest\), got \(1, 2\)"),
        ({"value": 1.0}, InputError, "value must be between 0 and 1, both excluded, got 1"),
        ({"null": 0.0}, InputError, "vus to be rejected must be between 0 and 1, both excluded"),
        (
            {"versus": 0.4, "correlation": 0.5, "correlation_of": "scores"},
            NotApplicableError,
            "that of estimates for an area, not for vus; pass the correlation of the estimates",
        ),
    ],
)
def test_what_cannot_be_planned(options, error, message):
    with pytest.raises(error, match=message):
        sample_size(measure="vus", **{"value": 0.5, **options})


# --- the promise is kept ---


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "null", "options"),
    [(0.5, 0.35, {}), (0.7, 0.5, {"sides": 1, "ratio": (3, 1, 2)}), (0.25, None, {})],
)
def test_promised_power_is_reached_for_one_classifier(value, null, options):
    """400 samples of the size promised: the interval of `evaluate` lies above the null as often as promised."""
    arguments = {"measure": "vus", "null": null, **options}
    plan = sample_size(value=value, **arguments)
    model = Trinormal.with_vus(value)
    result = sample_size(model=model, n=list(plan.by_class.values()), method=Simulation(400, rng=1), **arguments)
    low, high = bounds(plan.power, 400)
    assert low <= 400 * result.power <= high
    assert result.value == pytest.approx(value, abs=1e-9)


@pytest.mark.slow
def test_promised_power_is_reached_for_two_classifiers():
    """On the same cases, and on different ones; 300 samples judged by `compare`.

    The correlation of the estimates is taken from one large sample, so it is known to 0.01.
    """
    pair = Pair(Trinormal.with_vus(0.6), Trinormal.with_vus(0.45), 0.6)
    large = pr.compare(*pair.sample(2000, rng=2), measure="vus", **ORDER)
    r = large.covariance[0, 1] / sqrt(large.covariance[0, 0] * large.covariance[1, 1])
    options = {"measure": "vus", "method": Simulation(300, rng=3)}
    plan = sample_size(measure="vus", value=0.6, versus=0.45, correlation=r)
    result = sample_size(model=pair, n=plan.n, **options)
    assert bounds(plan.power, 300)[0] <= 300 * result.power <= bounds(plan.power, 300)[1]
    plan = sample_size(measure="vus", value=0.6, versus=0.45)
    result = sample_size(model={"one": pair.first, "two": pair.second}, n=plan.n, **options)
    assert result.sets == 2
    assert bounds(plan.power, 300)[0] <= 300 * result.power <= bounds(plan.power, 300)[1]


def test_pilot_data_and_formula_agree():
    """A large pilot of the model of the formula: its variance is known to some per cent, so n is."""
    model = Trinormal.with_vus(0.5)
    pilot = model.sample((2000, 3000, 1500), rng=4)
    options = {"measure": "vus", "value": 0.5, "width": 0.1, "ratio": (1, 1, 1)}
    by_formula = sample_size(**options)
    assert sample_size(*pilot, **options, **ORDER).n == pytest.approx(by_formula.n, rel=0.05)


@pytest.mark.slow
def test_pilot_data_of_two_markers():
    """Paired, on different cases, and resampled."""
    y, scores = Pair(Trinormal.with_vus(0.6), Trinormal.with_vus(0.35), 0.5).sample((30, 40, 35), rng=5)
    paired = sample_size(y, scores, measure="vus", **ORDER)
    apart = {name: normalise(y, s, **ORDER) for name, s in scores.items()}
    assert sample_size(apart, measure="vus").n > paired.n
    drawn = sample_size(y, scores, measure="vus", n=paired.n, method=Simulation(200, rng=0), **ORDER)
    assert bounds(paired.power - 0.1, 200)[0] <= 200 * drawn.power  # small samples, of a marker with 105 values
    with pytest.raises(NotApplicableError, match="vus needs the order of the classes"):
        sample_size(y, scores, measure="vus")


# --- the command line ---


def run(*arguments):
    return CliRunner().invoke(size, [str(argument) for argument in arguments])


def test_command(tmp_path):
    done = run("--measure", "vus", "--value", 0.5, "--null", 0.35, "--ratio", "1,1,2")
    plan = sample_size(measure="vus", value=0.5, null=0.35, ratio=(1, 1, 2))
    lines = done.output.splitlines()
    assert lines[0] == f"vus: {plan.n} cases"
    assert [line.split() for line in lines[3:6]] == [[name, str(n)] for name, n in plan.by_class.items()]
    assert plan.sentence() in lines
    assert lines[-1].startswith(
        "Method: exact variance for normal scores of equal variance, means evenly spaced; "
    )
    power = json.loads(run("-m", "vus", "--value", 0.5, "--n", "12,15,18", "--json").output)["power"]
    assert power == sample_size(measure="vus", value=0.5, n=(12, 15, 18)).power
    y, score = Trinormal((0, 1, 2)).sample(20, rng=0)
    names = np.array(["mild", "severe", "worst"])[y]
    path = tmp_path / "pilot.csv"
    rows = (f"{name},{value!r}" for name, value in zip(names, score.tolist(), strict=True))
    path.write_text("\n".join(["stage,marker", *rows]) + "\n")
    arguments = (
        "--pilot",
        path,
        "--truth",
        "stage",
        "--scores",
        "marker",
        "--labels",
        "mild,severe,worst",
        "-m",
        "vus",
    )
    restored = SampleSize.from_dict(json.loads(run(*arguments, "--null", 0.35, "--json").output))
    assert restored == sample_size(names, score, measure="vus", null=0.35, labels=["mild", "severe", "worst"])
    assert "Simulated power" in run(*arguments, "--null", 0.35, "--n", 60, "--simulate", 20, "--rng", 1).output
