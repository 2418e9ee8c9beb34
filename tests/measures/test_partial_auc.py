"""Partial areas: standard errors and intervals where the range holds few cases."""

import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, weibull_min

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


@pytest.mark.parametrize("sizes", [(10, 10), (30, 30)])
def test_interval_holds_the_true_area_where_the_curve_starts_flat(sizes):
    """Negatives with the heavier tail: it was covered by 85 and 91 %, always missed from above."""
    negatives, positives = weibull_min(0.8), weibull_min(2.2, scale=1.6)
    area, _ = quad(lambda u: positives.sf(negatives.isf(u)), 0, 0.1)
    true = 0.5 + 0.5 * (area - 0.005) / 0.095
    rng, times, covered = np.random.default_rng(0), 400, 0
    for _ in range(times):
        s = np.r_[negatives.rvs(sizes[0], rng), positives.rvs(sizes[1], rng)]
        low, high = pr.evaluate(np.repeat([0, 1], sizes), s, measure="partial_auc").confidence_interval()
        covered += low <= true <= high
    assert covered >= binom.ppf(0.01, times, 0.95)


def test_the_whole_range_has_nearly_the_interval_of_the_area():
    y, s = Binormal(1.5).sample((60, 50), rng=0)
    part, whole = (pr.evaluate(y, s, measure=key) for key in ("partial_auc(fpr=(0, 1))", "auc"))
    assert part.value == pytest.approx(whole.value)
    assert part.high == pytest.approx(whole.high)
    assert part.low == pytest.approx(whole.low, abs=0.02)


def test_exchanged_classes_have_the_mirror_image():
    """The area at true positive rates is that at false positive rates of the negated score, classes exchanged."""
    y, s = Binormal(1.2).sample((40, 50), rng=3)
    one = pr.evaluate(y, s, measure="partial_auc(fpr=(0, 0.2))")
    two = pr.evaluate(1 - y, -s, measure="partial_auc(tpr=(0.8, 1))")
    assert two.value == pytest.approx(one.value)
    assert [*two.confidence_interval(0.9)] == pytest.approx([*one.confidence_interval(0.9)])


def test_every_output_names_the_range():
    y, s = Binormal(1.5).sample((40, 30), rng=0)
    estimate = pr.evaluate(y, s, measure="partial_auc")
    assert estimate.measure == "partial_auc(fpr=(0, 0.1))"
    assert estimate.name == "partial area under the ROC curve at false positive rates 0 to 0.1"
    assert "fpr=(0, 0.1)" in str(estimate)
    assert "fpr=(0, 0.1)" in repr(estimate)
    assert estimate.to_dict()["measure"] == estimate.measure
    wide = pr.evaluate(y, s, measure="partial_auc(tpr=(0.8, 1), standardised=False)")
    assert wide.measure == "partial_auc(tpr=(0.8, 1), standardised=False)"
    assert wide.name.endswith("true positive rates 0.8 to 1")
    fixed = pr.evaluate(y, s, measure="sensitivity(specificity=0.9)")
    assert (fixed.measure, fixed.name) == ("sensitivity(specificity=0.9)", "sensitivity at specificity 0.9")
    both = pr.evaluate(y, {"first": s, "second": -s}, measure=["auc", "partial_auc"])
    assert both["first", "partial_auc"] is both["first"]["partial_auc(fpr=(0, 0.1))"]


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
