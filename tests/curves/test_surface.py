"""ROC surfaces of three classes: what they enclose is the measure, point by point they are the rule's."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from polyroc.cli.app import app
from polyroc.errors import InputError, MeasureError, NotApplicableError
from strategies import ordered, probabilities, weights

RULES = ["vus", "mossman", "he"]


def data_for(key, rng, sizes, decimals=12):
    y = np.repeat([0, 1, 2], sizes)
    P = rng.dirichlet(np.ones(3), size=len(y)) + 0.4 * np.eye(3)[y]
    P = (P / P.sum(axis=1, keepdims=True)).round(decimals)
    return y, (P @ [0, 1, 2] if key == "vus" else P)


@pytest.mark.parametrize("key", RULES)
@given(st.data())
def test_the_mesh_encloses_the_measure(key, data):
    y, s = data.draw(ordered(c=3) if key == "vus" else probabilities(c=3))
    w = data.draw(st.one_of(st.none(), weights(y)))
    surface = pr.surface(
        y, s, measure=key, labels=[0, 1, 2], sample_weight=w, points=data.draw(st.integers(1, 9)), method=None
    )
    assert surface.mesh.volume == pytest.approx(surface.volume.value, abs=1e-12)
    heights = surface.mesh.second
    assert (np.diff(heights, axis=0) <= 1e-12).all()
    assert (np.diff(heights, axis=1) <= 1e-12).all()
    assert -1e-12 <= heights.min() <= heights.max() <= 1 + 1e-12


def rates(decisions, y):
    return [int((decisions[y == k] == k).sum()) for k in range(3)]


def midpoints(values):
    steps = np.unique(values)
    return np.concatenate([[steps[0] - 1], (steps[1:] + steps[:-1]) / 2, [steps[-1] + 1]])


def every_decision(key, s):
    """The decisions of the rule at every pair of thresholds that makes a difference."""
    if key == "vus":
        for low in midpoints(s):
            for high in midpoints(s):
                if low <= high:
                    yield np.where(s < low, 0, np.where(s < high, 1, 2))
    elif key == "mossman":
        d = s[:, 1] - s[:, 0]
        for alpha in midpoints(s[:, 2]):
            for beta in midpoints(d):
                yield np.where(s[:, 2] >= alpha, 2, np.where(d <= beta, 0, 1))
    else:
        L = np.log(s)
        crossings = ((L[:, 2] - L[:, 1])[:, None] - (L[:, 0] - L[:, 1])).ravel()
        for first in midpoints(np.concatenate([L[:, 2] - L[:, 0], crossings])):
            for second in midpoints(np.concatenate([L[:, 2] - L[:, 1], L[:, 0] - L[:, 1] + first])):
                yield (L + np.array([first, second, 0.0])).argmax(axis=1)


@pytest.mark.parametrize("key", RULES)
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_best_that_the_rule_can_do(key, seed):
    """The union of the boxes below (TPR1, TPR2, TPR3) at every pair of thresholds, cell by cell; no ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 5, size=3)
    y, s = data_for(key, rng, sizes)
    best = np.zeros((sizes[0] + 1, sizes[2] + 1))
    for decisions in every_decision(key, s):
        first, second, third = rates(decisions, y)
        best[first, third] = max(best[first, third], second)
    best = np.maximum.accumulate(best[::-1, ::-1], axis=0)
    best = np.maximum.accumulate(best, axis=1)[::-1, ::-1][1:, 1:] / sizes[1]
    surface = pr.surface(y, s, measure=key, labels=[0, 1, 2], method=None)
    np.testing.assert_allclose(surface.mesh.second, best, rtol=0, atol=1e-12)


def test_other_orders_of_the_classes_are_scurfields_other_surfaces():
    rng = np.random.default_rng(0)
    y, s = data_for("vus", rng, [20, 30, 25], decimals=1)
    volumes = pr.evaluate(y, s, measure="scurfield", labels=[0, 1, 2]).parts
    for order in ([0, 2, 1], [2, 0, 1]):
        surface = pr.surface(y, s, labels=order, points=10)
        assert surface.mesh.volume == pytest.approx(volumes["<".join(map(str, order))].value, abs=1e-12)
        assert surface.classes == tuple(map(str, order))


def test_what_comes_back():
    rng = np.random.default_rng(1)
    y, P = data_for("he", rng, [30, 40, 50])
    surface = pr.surface(y, P, measure="mossman", points=12)
    assert surface.mesh.second.shape == (12, 12)
    assert surface.volume.standard_error == pr.evaluate(y, P, measure="mossman").standard_error
    first, third, height = surface.mesh.corners
    assert first.shape == third.shape == height.shape == (13, 13)
    assert len(surface.rows()) == 144
    copy = pr.results.Surface.from_dict(json.loads(json.dumps(surface.to_dict())))
    assert copy.to_dict() == surface.to_dict()
    several = pr.surface(y, {"a": P, "b": P[::-1]}, measure="mossman", points=3)
    assert list(several) == ["a", "b"]


def test_bad_input_is_reported():
    y, P = data_for("he", np.random.default_rng(2), [3, 3, 3])
    with pytest.raises(MeasureError, match="pdi has no surface; known: vus, he, mossman"):
        pr.surface(y, P, measure="pdi")
    with pytest.raises(InputError, match="points must be a positive integer, got 0"):
        pr.surface(y, P, measure="he", points=0)
    with pytest.raises(NotApplicableError, match="A surface needs 3 classes, got 2"):
        pr.surface([0, 1, 0], [1, 2, 3], labels=[0, 1])
    with pytest.raises(NotApplicableError, match="vus needs"):
        pr.surface(y, P, labels=[0, 1, 2])
    with pytest.raises(InputError, match="Permutation"):
        pr.surface(y, P, measure="he", method=pr.methods.Permutation())


@pytest.mark.slow
def test_command(tmp_path):
    rng = np.random.default_rng(3)
    y, P = data_for("he", rng, [8, 9, 10])
    lines = [f"{'abc'[k]},{p[0]},{p[1]},{p[2]},{p @ [0, 1, 2]}" for k, p in zip(y, P, strict=True)]
    file = tmp_path / "three.csv"
    file.write_text("\n".join(["y,p_a,p_b,p_c,score", *lines]))

    def ask(*arguments):
        done = CliRunner().invoke(app, ["surface", str(file), "--truth", "y", *arguments], standalone_mode=False)
        return done.output if done.exception is None else str(done.exception)

    output = ask("--scores", "score", "--labels", "a,b,c")
    assert "share of b right" in output
    assert "Volume below it: vus = " in output
    stored = json.loads(ask("--scores", "p_*", "--measure", "he", "--points", "4", "--json"))
    assert pr.results.Surface.from_dict(stored).mesh.second.shape == (4, 4)
    assert len(ask("--scores", "p_*", "--measure", "mossman", "--points", "3", "--csv").splitlines()) == 10
    assert "to_ordered(...)" in ask("--scores", "p_*", "--labels", "a,b,c")
