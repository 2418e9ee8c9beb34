"""Weights that go with the score: the cases behind an estimate decide its interval, and a warning."""

import warnings

import numpy as np
import pytest

import polyroc as pr
from polyroc.errors import FewEffectiveCasesWarning


def cases(n, rng):
    """Scores of two classes; cases of high scores, of which there are few, have twenty times the weight."""
    y = (rng.random(n) < 0.4).astype(int)
    s = rng.normal(size=n) + 1.2 * y
    return y, s, np.where(s > 1.9, 20.0, 1.0)


def heavy_one(seed=1):
    """Forty cases of each class, of which the last has nearly all the weight."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 40)
    return y, rng.normal(size=80) + 1.2 * y, np.r_[np.ones(79), 1e6]


def test_intervals_cover_where_heavy_cases_vary_most():
    """With Kish's number of cases behind the interval 80 % were covered."""
    rng = np.random.default_rng(5)
    y, s, w = cases(200_000, rng)
    truth = pr.evaluate(y, s, measure="auc", sample_weight=w, weight_kind="importance", method=None).value
    covered = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewEffectiveCasesWarning)
        for _ in range(400):
            area = pr.evaluate(*(data := cases(40, rng))[:2], measure="auc", sample_weight=data[2])
            covered.append(area.low <= truth <= area.high)
    assert np.mean(covered) > 0.90


@pytest.mark.parametrize("key", ["auc", "average_precision"])
def test_one_case_with_all_the_weight_is_named_and_its_interval_is_wide(key):
    y, s, w = heavy_one()
    with pytest.warns(FewEffectiveCasesWarning, match="counts as 1 effective cases, though every class has 40 or"):
        estimate = pr.evaluate(y, s, measure=key, sample_weight=w)
    assert estimate.effective < 1.001
    assert estimate.high - estimate.low > 0.7


def test_one_called_case_with_all_the_weight():
    y, s, w = heavy_one()
    with pytest.warns(FewEffectiveCasesWarning):
        estimate = pr.evaluate(y, (s > 0.6).astype(int), measure="ppv", sample_weight=w)
    assert estimate.effective < 1.001
    assert estimate.low < 0.25  # as Wilson's interval of one case


@pytest.mark.parametrize("weight", [None, np.ones(80), np.repeat([1.0, 20.0], 40)])
@pytest.mark.parametrize("key", ["auc", "average_precision"])
def test_equal_weights_within_the_classes_change_nothing(weight, key):
    y, s, _ = heavy_one()
    sampling = {"sampling": "case-control"}
    plain = pr.evaluate(y, s, measure="auc", **sampling)
    weighted = pr.evaluate(y, s, measure="auc", sample_weight=weight, **sampling)
    assert weighted.effective == plain.effective == 40
    assert weighted.confidence_interval() == pytest.approx(plain.confidence_interval(), rel=1e-12)


def test_mild_weights_give_no_warning():
    y, s, _ = heavy_one()
    with warnings.catch_warnings():
        warnings.simplefilter("error", FewEffectiveCasesWarning)
        pr.evaluate(y, s, measure="auc", sample_weight=np.linspace(1, 3, 80))
