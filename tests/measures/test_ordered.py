"""Volumes of one score for ordered classes: kernels against the definitions, what the volumes tell together."""

from itertools import permutations
from math import factorial, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from measure_values import components, value
from polyroc.kernels.chains import merge
from polyroc.validation.scores import normalise
from strategies import ordered, weights

CLOSE = {"rtol": 0, "atol": 1e-12}


@given(ordered())
def test_runs_are_the_cases_in_ascending_order(cases):
    y, s = cases
    blocks = [np.sort(s[y == k]) for k in range(y.max() + 1)]
    starts = np.cumsum([0, *map(len, blocks)])
    runs = merge(np.concatenate(blocks), starts)
    heads = starts[:-1].copy()
    values, by_run = np.concatenate(blocks), []
    for k, size in zip(runs.code, runs.size, strict=True):
        by_run.append(values[heads[k] : heads[k] + size])
        heads[k] += size
    assert heads.tolist() == starts[1:].tolist()
    for before, after, tied in zip(by_run, by_run[1:], runs.tied[1:], strict=False):
        assert {*before} == {*after} if tied else max(before) < min(after)
    assert not runs.tied[0]


@given(ordered(c=3), st.data())
def test_umbrella(cases, data):
    y, s = cases
    w = data.draw(st.one_of(st.none(), weights(y)))
    v, worth = np.ones(len(y)) if w is None else w, naive.under_the_umbrella
    assert value("umbrella", y, s, w) == pytest.approx(naive.vus(y, s.tolist(), v, worth), abs=1e-12)
    expected = naive.vus_components(y, s.tolist(), v, worth)
    np.testing.assert_allclose(components("umbrella", y, s, w), expected, **CLOSE)


@pytest.mark.slow
@given(st.integers(3, 4).flatmap(ordered), st.data())
def test_scurfield(cases, data):
    y, s = cases
    w = data.draw(st.one_of(st.none(), weights(y)))
    v = np.ones(len(y)) if w is None else w
    estimate = pr.evaluate(y, s, measure="scurfield", labels=range(y.max() + 1), sample_weight=w, method=None)
    assert estimate.value == pytest.approx(naive.scurfield(y, s, v), abs=1e-11)  # p log p is steep at 0
    for order, volume in naive.scurfield_volumes(y, s, v).items():
        part = estimate.parts["<".join(map(str, order))]
        assert part.value == pytest.approx(volume, abs=1e-12)
        np.testing.assert_allclose(part.components, naive.vus_components(y, s, v, naive.in_order(order)), **CLOSE)
    assert len(estimate.parts) == factorial(y.max() + 1)
    assert sum(map(float, estimate.parts.values())) == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("c", [3, 4, 5, 6])
def test_volumes_are_vus_with_the_classes_in_another_order(c):
    rng = np.random.default_rng(c)
    y = np.repeat(range(c), [7 + k for k in range(c)])
    s = (rng.normal(size=len(y)) + 0.5 * y).round(1)
    estimate = pr.evaluate(y, s, measure="scurfield", labels=range(c))
    orders = [tuple(rng.permutation(c)) for _ in range(5)] if c > 3 else permutations(range(3))
    for order in orders:
        same = pr.evaluate(y, s, measure="vus", labels=[int(k) for k in order])
        part = estimate.parts["<".join(map(str, order))]
        assert part.value == pytest.approx(same.value, abs=1e-13)
        assert part.standard_error == pytest.approx(same.standard_error, abs=1e-13)
    assert sum(map(float, estimate.parts.values())) == pytest.approx(1, abs=1e-12)


def test_umbrella_is_two_of_the_volumes():
    rng = np.random.default_rng(0)
    y, s = rng.integers(3, size=60), rng.integers(9, size=60)
    parts = pr.evaluate(y, s, measure="scurfield", labels=[0, 1, 2]).parts
    both = parts["0<2<1"].value + parts["2<0<1"].value
    assert pr.evaluate(y, s, measure="umbrella", labels=[0, 1, 2]).value == pytest.approx(both, abs=1e-14)


def test_separated_classes_in_any_order_have_full_information():
    estimate = pr.evaluate([0, 0, 1, 1, 2, 2], [5, 6, 1, 2, 8, 9], measure="scurfield", labels=[0, 1, 2])
    assert estimate.value == pytest.approx(log2(6), abs=1e-15)
    assert estimate.parts["1<0<2"].value == 1
    assert (estimate.parts["1<0<2"].limits, estimate.parts["1<0<2"].chance) == ((0, 1), 1 / 6)
    stored = pr.results.Estimate.from_dict(estimate.to_dict()).parts["1<0<2"]
    assert (stored.limits, stored.chance) == ((0, 1), 1 / 6)
    assert estimate.limits == (0, log2(6))
    low, high = estimate.confidence_interval()
    assert 0 < low < high == log2(6)  # never of no width


def test_bias_correction_is_the_jackknife():
    """Leave out each case in turn, by the definition."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], [4, 6, 5])
    s = rng.integers(6, size=len(y)) + 2 * y
    plain = naive.scurfield(y, s, np.ones(len(y)))
    bias = 0.0
    for k in range(3):
        members = np.flatnonzero(y == k)
        without = [naive.scurfield(np.delete(y, x), np.delete(s, x), np.ones(len(y) - 1)) for x in members]
        bias += (len(members) - 1) * (np.mean(without) - plain)
    estimate = pr.evaluate(y, s, measure="scurfield(corrected=True)", labels=[0, 1, 2])
    assert 0 < estimate.value < plain
    assert estimate.value == pytest.approx(plain - bias, abs=1e-12)
    twice = pr.evaluate(
        y, s, measure="scurfield(corrected=True)", labels=[0, 1, 2], sample_weight=np.full(len(y), 2)
    )
    again = pr.evaluate(np.repeat(y, 2), np.repeat(s, 2), measure="scurfield(corrected=True)", labels=[0, 1, 2])
    assert twice.value == pytest.approx(again.value, abs=1e-12)


def test_bias_correction_of_a_class_of_one_case():
    estimate = pr.evaluate(
        [0, 1, 1, 2, 2], [1, 2, 0, 3, 2], measure="scurfield(corrected=True)", labels=[0, 1, 2], method=None
    )
    assert np.isfinite(estimate.value)


@pytest.mark.slow
def test_correction_removes_most_of_the_bias():
    """True D of three normal classes one apart, from 600 cases a class; 400 samples of 12 a class."""
    rng = np.random.default_rng(6)

    def draw(n):
        y = np.repeat([0, 1, 2], n)
        return y, rng.normal(size=3 * n) + y

    def mean_of(key, samples):
        return np.mean([value(key, y, s) for y, s in samples])

    true = mean_of("scurfield", [draw(600) for _ in range(20)])
    samples = [draw(12) for _ in range(400)]
    plain, corrected = mean_of("scurfield", samples), mean_of("scurfield(corrected=True)", samples)
    # the mean of 400 values with a standard deviation of some 0.27 is known to 0.014
    assert plain - true > 0.06
    assert abs(corrected - true) < 0.04


@pytest.mark.slow
def test_delta_method_agrees_with_simulation():
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1, 2], [40, 50, 60])
    values, errors, volumes, volume_errors = [], [], [], []
    for _ in range(400):
        estimate = pr.evaluate(y, rng.normal(size=150) + y, measure="scurfield", labels=[0, 1, 2])
        values.append(estimate.value)
        errors.append(estimate.standard_error)
        volumes.append(estimate.parts["0<2<1"].value)
        volume_errors.append(estimate.parts["0<2<1"].standard_error)
    # a standard deviation from 400 values is known to 3.5 %; DeLong's is a little too large
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.12)
    assert np.mean(volume_errors) == pytest.approx(np.std(volumes), rel=0.12)


def test_volumes_of_two_classifiers_can_be_compared():
    """An analysis that Sampat et al. (2009) say is not available."""
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1, 2], 80)
    good = rng.normal(size=240) + 1.5 * y
    poor = good + rng.normal(scale=2, size=240)
    for key in ("scurfield", "vus"):
        paired = pr.compare(y, {"good": good, "poor": poor}, measure=key, labels=range(3))
        assert paired.difference("good", "poor").pvalue < 1e-4
        alone = {name: normalise(y, s, labels=range(3)) for name, s in {"good": good, "poor": poor}.items()}
        apart = pr.compare(alone, measure=key)
        assert apart.difference("good", "poor").standard_error > paired.difference("good", "poor").standard_error


def test_corrected_must_be_yes_or_no():
    with pytest.raises(pr.errors.MeasureError, match="corrected must be True or False, got 'yes'"):
        pr.evaluate([0, 1, 2], [1, 2, 3], measure="scurfield(corrected='yes')", labels=[0, 1, 2])


def test_seven_classes_are_too_many_orders():
    with pytest.raises(pr.errors.NotApplicableError, match="scurfield is for 3 to 6 classes, here 7"):
        pr.evaluate(range(7), range(7), measure="scurfield", labels=range(7))
