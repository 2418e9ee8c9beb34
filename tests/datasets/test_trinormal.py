"""The model of three ordered classes: its volume, and the variance of the volume observed."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyroc.datasets import Trinormal
from polyroc.errors import InputError


@pytest.mark.parametrize(
    ("model", "volume"),
    [
        (Trinormal((0, 0.5, 1)), 0.3372374942),
        (Trinormal((0, 1, 2)), 0.5361516341),
        (Trinormal((0, 1.5, 3)), 0.7138768472),
        (Trinormal((0, 2, 4)), 0.8430121032),
        (Trinormal((2, 3.212, 6.424), (1, 2, 4)), 0.50002),
        (Trinormal((5, 5, 5), (3, 3, 3)), 1 / 6),
    ],
)
def test_t10_volumes_of_normal_scores(model, volume):
    assert model.vus == pytest.approx(volume, abs=5e-6 if volume == 0.50002 else 1e-9)  # as printed
    turned = Trinormal(tuple(-m for m in model.means[::-1]), model.spreads[::-1])
    assert turned.vus == pytest.approx(model.vus, abs=1e-10)  # the same integral from the other side, by Simpson
    assert turned.vus_variance((4, 5, 6)) == pytest.approx(model.vus_variance((6, 5, 4)), abs=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("model", [Trinormal((0, 1, 2)), Trinormal((0, 1, 2), (1, 0.5, 3)), Trinormal((0, -1, 1))])
def test_variance_of_the_volume_by_simulation(model):
    """2000 samples of 5, 4 and 6 cases: mean and variance within four standard errors."""
    rng = np.random.default_rng(0)
    values = []
    for _ in range(2000):
        y, s = model.sample((5, 4, 6), rng=rng)
        x, u, z = (s[y == k] for k in range(3))
        values.append(((x[:, None] < u).sum(axis=0) * (u[:, None] < z).sum(axis=1)).sum() / 120)
    moved = (np.array(values) - model.vus) ** 2
    assert np.mean(values) == pytest.approx(model.vus, abs=4 * np.std(values) / 2000**0.5)
    assert moved.mean() == pytest.approx(model.vus_variance((5, 4, 6)), abs=4 * moved.std() / 2000**0.5)


@pytest.mark.slow
@given(st.floats(1e-6, 1 - 1e-6))
def test_evenly_spaced_model_has_the_requested_volume(volume):
    model = Trinormal.with_vus(volume)
    assert model.vus == pytest.approx(volume, abs=1e-9)
    assert model.means[2] == 2 * model.means[1]
    assert 0 < model.vus_variance(10) < volume * (1 - volume)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Trinormal((0, 1)), "means must be 3 finite numbers"),
        (lambda: Trinormal((0, 1, math.inf)), "means must be 3 finite numbers"),
        (lambda: Trinormal((0, 1, 2), (1, 0, 1)), "spreads must be three positive finite numbers"),
        (lambda: Trinormal.with_vus(1.0), "vus must be between 0 and 1"),
        (lambda: Trinormal((0, 1, 2)).sample((1, 2), rng=0), "sizes must be a count of cases, or 3"),
    ],
)
def test_invalid_models_raise(make, message):
    with pytest.raises(InputError, match=message):
        make()
