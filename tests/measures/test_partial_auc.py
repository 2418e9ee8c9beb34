"""Partial areas: standard errors and intervals where the range holds few cases."""

import warnings

import numpy as np
import pytest
from scipy.stats import binom

import polyroc as pr
from polyroc.datasets import Binormal
from polyroc.errors import FewEffectiveCasesWarning


def estimates(model, sizes, key, times, seed=0):
    """Estimates of so many samples, without the warning of a short range."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewEffectiveCasesWarning)
        return [
            pr.evaluate(*model.sample(sizes, rng=seed + i), measure=f"partial_auc({key})") for i in range(times)
        ]


@pytest.mark.parametrize(
    ("sizes", "high"), [((100, 100), 0.01), ((100, 100), 0.02), ((10, 100), 0.1), ((20, 100), 0.1)]
)
def test_interval_holds_the_true_area_where_the_range_holds_one_or_two_cases(sizes, high):
    """With the derivative for the components these were 41, 72, 36 and 67 %."""
    model, times = Binormal(1.8), 200
    result = estimates(model, sizes, f"fpr=(0, {high})", times)
    true = model.partial_auc(0, high)
    ends = [estimate.confidence_interval() for estimate in result]
    assert sum(low <= true <= up for low, up in ends) >= binom.ppf(0.001, times, 0.95)
    # an interval of all values would hold it too
    low, high = result[0].limits
    assert np.mean([up - down for down, up in ends]) < 0.92 * (high - low)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "key"),
    [
        ((100, 100), "fpr=(0, 0.02)"),
        ((20, 100), "fpr=(0, 0.1)"),
        ((50, 40), "fpr=(0.1, 0.3)"),
        ((100, 30), "tpr=(0.9, 1)"),
    ],
)
def test_standard_error_contains_the_variance_of_the_ends_of_the_range(sizes, key):
    result = estimates(Binormal(1.5), sizes, key, times=400)
    ratio = np.sqrt(np.mean([estimate.standard_error**2 for estimate in result])) / np.std(
        [estimate.value for estimate in result]
    )
    assert 0.93 < ratio < 1.3  # 400 values know a standard deviation to 3.5 %; the jackknife is too large, if any


@pytest.mark.slow
def test_standard_error_of_a_paired_difference():
    rng, differences, errors = np.random.default_rng(1), [], []
    for _ in range(300):
        y = np.repeat([0, 1], [100, 80])
        common = rng.normal(size=180)
        s = {name: common + rng.normal(size=180) + step * y for name, step in (("a", 2.2), ("b", 1.8))}
        pair = pr.compare(y, s, measure="partial_auc(fpr=(0, 0.05))").difference("a", "b")
        differences.append(pair.value)
        errors.append(pair.standard_error)
    assert 0.93 < np.sqrt(np.mean(np.square(errors))) / np.std(differences) < 1.3


def test_cases_inside_the_range_are_counted():
    y, s = Binormal(1.5).sample((40, 30), rng=0)
    for key, effective in (("fpr=(0.1, 0.3)", 8), ("tpr=(0.8, 1)", 6), ("fpr=(0, 1)", 30)):
        evaluation = pr.evaluate(y, s, measure=f"partial_auc({key})")
        assert (evaluation.fewest, evaluation.effective) == (30, pytest.approx(effective))
        bare = pr.evaluate(y, s, measure=f"partial_auc({key}, standardised=False)")
        assert bare.effective == pytest.approx(effective)
    with pytest.warns(
        FewEffectiveCasesWarning, match=r"less than one effective case .* \(0.4\).*Use a wider range"
    ):
        pr.evaluate(y, s, measure="partial_auc(fpr=(0, 0.01))")


def test_a_range_with_less_than_one_case_has_an_interval_of_all_values():
    y, s = Binormal(1.5).sample((10, 100), rng=0)
    with pytest.warns(FewEffectiveCasesWarning):
        estimate = pr.evaluate(y, s, measure="partial_auc(fpr=(0, 0.01), standardised=False)")
    for kind in ("guarded", "logit", "wald"):
        assert estimate.confidence_interval(kind=kind) == (0, 0.01)


@pytest.mark.parametrize("weighted", [False, True])
def test_tally_agrees_with_memory(weighted):
    """Scores with few values, so that every cell is one of them: ties, also of cases of different weight."""
    rng = np.random.default_rng(2)
    y, s = Binormal(1.5).sample((60, 50), rng=1)
    s = s.round(1)
    w = rng.integers(1, 4, len(y)) / 2.0 if weighted else None
    tally = pr.Tally([0, 1])
    tally.update(y, s, sample_weight=w)
    for key in ("partial_auc(fpr=(0, 0.07))", "partial_auc(tpr=(0.85, 0.97))", "partial_auc(fpr=(0.1, 0.4))"):
        here, there = pr.evaluate(y, s, measure=key, sample_weight=w), tally.evaluate(key)
        assert there.standard_error == pytest.approx(here.standard_error, rel=1e-9)
        assert there.effective == pytest.approx(here.effective, rel=1e-9)
