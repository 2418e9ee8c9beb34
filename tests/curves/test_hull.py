"""The convex hull of one or several curves, and the randomised rules that reach it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from polyroc.datasets import Binormal
from polyroc.errors import InputError, NotApplicableError
from strategies import classes, ranked

ROUNDING = 1e-12  # a dozen rates multiplied and added


@given(ranked(), st.floats(0, 1))
def test_hull_is_the_best_that_randomised_rules_reach(sample, rate):
    y, s = sample
    hull = pr.curve(y, s, method=None, labels=[0, 1]).hull()
    points = naive.roc_points(y, s, [1.0] * len(y))
    assert hull.at(fpr=rate).tpr == pytest.approx(naive.hull_height(points, rate), abs=ROUNDING)
    slopes = np.diff(hull.tpr) * 1.0, np.diff(hull.fpr)
    turns = slopes[0][:-1] * slopes[1][1:] - slopes[0][1:] * slopes[1][:-1]
    assert (turns > -ROUNDING).all()  # never bends upwards


@st.composite
def two_classifiers(draw):
    y = draw(classes(c=2))
    numbers = st.lists(st.integers(0, 4).map(float), min_size=len(y), max_size=len(y))
    return y, {"a": np.array(draw(numbers)), "b": np.array(draw(numbers))}


@given(two_classifiers(), st.floats(0, 1))
def test_common_hull_dominates_and_its_rule_has_its_rates(sample, rate):
    y, scores = sample
    family = pr.curve(y, scores, method=None, labels=[0, 1])
    hull = family.hull()
    points = [p for s in scores.values() for p in naive.roc_points(y, s, [1.0] * len(y))]
    assert hull.at(fpr=rate).tpr == pytest.approx(naive.hull_height(points, rate), abs=ROUNDING)
    assert hull.area >= max(curve.area.value for curve in family.values()) - ROUNDING
    for u, t in points:
        assert hull.at(fpr=u).tpr >= t - ROUNDING
    rule = hull.at(tpr=rate)
    called = [scores[name] >= t for name, t in zip(rule.classifiers, rule.thresholds, strict=True)]
    share = (1 - rule.probability) * called[0] + rule.probability * called[1]  # of draws in which a case is called
    assert (share[y == 0].mean(), share[y == 1].mean()) == pytest.approx((rule.fpr, rule.tpr), abs=ROUNDING)


def test_rule_names_classifiers_thresholds_and_probability():
    y = [0, 0, 1, 1]
    hull = pr.curve(y, {"early": [0, 1, 1, 2], "late": [0, 0, 0, 1]}).hull()
    assert [row["classifier"] for row in hull.rows()][1] in ("early", "late")
    rule = hull.at(fpr=0.25)
    assert (rule.fpr, rule.tpr, rule.probability) == (0.25, 0.75, 0.5)
    assert rule.thresholds == (hull.thresholds[1], 1.0)
    assert repr(hull).startswith("Hull(4 vertices of early, late")


def test_hull_area_is_that_under_the_corners():
    y, s = Binormal(1.0).sample(500, rng=0)
    curve = pr.curve(y, s)
    hull = curve.hull()
    assert hull.area == pytest.approx(np.trapezoid(hull.tpr, hull.fpr))
    assert curve.area.value < hull.area < curve.area.value + 0.02
    assert len(hull) < 60


def test_only_classifiers_share_a_hull():
    y, s = Binormal(1.0).sample(20, rng=0)
    with pytest.raises(NotApplicableError, match="by fold"):
        pr.curve(y, s, folds=np.arange(40) % 2, average="none").hull()
    with pytest.raises(InputError):
        pr.curve(y, s).hull().at(fpr=2)
