"""Reader studies near a limit of the measure: the guard that `compare` has, for means, differences and readers."""

import dataclasses
import re
from math import sqrt

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

import polyroc as pr

Y = np.repeat([0, 1], 50)


def perfect(rng):
    """Four readers who are perfect with two modalities."""
    return {name: {str(j): Y + 0.1 * rng.random(100) for j in range(4)} for name in "AB"}


def model(first, second):
    """A model of Roe & Metz whose readers have these expected areas."""
    base = pr.datasets.RoeMetz.published("HH", 2.5)
    scale = sqrt(2.0 * (1.0 + base.reader + base.modality_reader))
    return dataclasses.replace(base, separation=ndtri(first) * scale, gain=(ndtri(second) - ndtri(first)) * scale)


def test_perfect_readers_have_intervals():
    study = pr.reader_study(Y, perfect(np.random.default_rng(0)), measure="auc")
    assert study.averages["A"].confidence_interval() == pytest.approx((0.9287, 1.0), abs=1e-4)  # Wilson, 50 cases
    own = pr.compare(Y, dict.fromkeys("AB", Y), measure="auc").difference("A", "B")
    assert study.difference("A", "B").confidence_interval().high == pytest.approx(
        own.confidence_interval().high, abs=0.01
    )
    assert study.difference("A", "B").pvalue == study.equal.pvalue == 1
    assert re.search(r"difference A minus B 0\.000 \(-0\.0\d\d to 0\.0\d\d\), p = 1\.000", study.sentence())
    assert study.conclusion()[0].startswith("No difference is shown between A and B")
    assert pr.results.ReaderStudy.from_json(study.to_json()).differences == study.differences


def test_identical_readings_differ_by_exactly_zero():
    rng = np.random.default_rng(1)
    same = {str(j): rng.normal(size=100) + 1.5 * Y for j in range(4)}
    study = pr.reader_study(Y, {"A": same, "B": same}, measure="auc")
    for effect in (study.difference("A", "B"), study.difference("A", "B", reader="2")):
        assert (effect.value, effect.standard_error, effect.pvalue) == (0.0, 0.0, 1.0)
        low, high = effect.confidence_interval()
        assert low == pytest.approx(-high)
        assert 1e-3 < high < 0.05  # that of `compare`: of what no case has shown


def test_intervals_of_differences_near_one_cover():
    """Student's interval covers 82 %; the model is not one on which the guard was chosen."""
    near, covered = model(0.995, 0.999), []
    rng, truth = np.random.default_rng(3), near.auc["A"] - near.auc["B"]
    for _ in range(60):
        y, ratings = near.sample(6, (150, 30), rng)
        effect = pr.reader_study(y, ratings, measure="auc").difference("A", "B")
        low, high = effect.confidence_interval()
        reach = stdtrit(min(effect.df, 1e10), 0.975) * effect.standard_error
        covered.append((low <= truth <= high, abs(effect.value - truth) <= reach))
    guarded, student = np.mean(covered, axis=0)
    assert guarded >= 0.9
    assert guarded >= student + 0.03


def test_tests_and_intervals_agree_near_one():
    y, ratings = model(0.985, 0.998).sample(5, 40, rng=2)
    effect = pr.reader_study(y, ratings, measure="auc").difference("A", "B")
    assert effect.means is not None
    low, high = effect.confidence_interval(1 - effect.pvalue)
    assert min(abs(low), abs(high)) == pytest.approx(0.0, abs=1e-9)
    margin = 0.02
    assert (effect.equivalence(margin) < 0.05) == (max(map(abs, effect.confidence_interval(0.9))) < margin)
    back = effect.reversed()
    assert back.confidence_interval() == pytest.approx(
        (-effect.confidence_interval()[1], -effect.confidence_interval()[0])
    )
    assert back.pvalue == pytest.approx(effect.pvalue)


def test_far_from_the_limits_nothing_changes():
    y, ratings = pr.datasets.RoeMetz.published("HL", 1.5, gain=0.5).sample(6, (70, 50), rng=0)
    study = pr.reader_study(y, ratings, measure="auc")
    effect = study.difference("A", "B")
    assert effect.means is None
    assert not study.averages["A"].is_near_limit
