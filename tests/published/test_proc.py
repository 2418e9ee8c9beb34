"""What R's pROC 1.18.0 prints for two tied markers on the same 40 cases, written down by hand; no R is needed."""

import numpy as np
import pytest

import polyroc as pr
from operating_points import operate

Y = np.repeat([0, 1], [22, 18])
A = [1, -1, -2, -1, -3, -1, -2, 1, -2, -1, -3, -1, 0, -3, -2, 2, 1, -2, -1, -3, -3, 3]
A += [0, 5, 2, 3, 3, 3, -3, 0, 1, 3, 1, 2, -1, 2, 6, 4, 4, 1]
B = [1, 2, -7, 4, 2, -2, 2, 1, -2, -2, -2, -1, 4, 4, -3, 4, -2, 3, -3, -2, 0, 1]
B += [1, 8, -3, 5, 2, 6, -4, 0, -1, 1, 4, 2, 0, 5, 5, 2, 7, 3]


@pytest.mark.peer(
    "pROC 1.18.0 (R)", "auc, var, cov and the paired DeLong roc.test of two tied markers, to all printed digits"
)
def test_roc_test_by_delong():
    """auc(), var(), cov() and roc.test(method = "delong", paired = TRUE)."""
    comparison = pr.compare(Y, {"a": A, "b": B}, measure="auc")
    values = [float(estimate) for estimate in comparison.estimates.values()]
    assert values == pytest.approx([0.857323232323232, 0.693181818181818], abs=1e-14)
    assert np.diag(comparison.covariance) == pytest.approx([0.00389951026834568, 0.00751651670769318], abs=1e-16)
    assert comparison.covariance[0, 1] == pytest.approx(0.00275877747282976, abs=1e-16)
    pair = comparison.difference("a", "b")
    assert pair.value / pair.standard_error == pytest.approx(2.1372159591648, rel=1e-12)
    assert pair.wald_test() == pytest.approx(0.0325804305814334, rel=1e-12)


@pytest.mark.peer("pROC 1.18.0 (R)", "ci.auc by DeLong of Hanley & McNeil's ratings, to all printed digits")
def test_ci_auc_by_delong():
    """ci.auc() of Hanley & McNeil's ratings: pROC's interval is Wald's."""
    y = np.repeat([0] * 5 + [1] * 5, [33, 6, 6, 11, 2, 3, 2, 2, 11, 33])
    rating = np.repeat([1, 2, 3, 4, 5] * 2, [33, 6, 6, 11, 2, 3, 2, 2, 11, 33])
    estimate = pr.evaluate(y, rating, measure="auc")
    assert estimate.standard_error == pytest.approx(0.0307244083793811, abs=1e-15)
    ends = estimate.confidence_interval(kind="wald")
    assert ends == pytest.approx((0.832952327658172, 0.953389795397947), abs=1e-14)


@pytest.mark.peer(
    "pROC 1.18.0 (R)", "partial areas by specificity and by sensitivity, raw and corrected, to all printed digits"
)
@pytest.mark.parametrize(
    ("options", "printed"),
    [
        ("partial_auc(fpr=(0, 0.3), standardised=False)", 0.196035353535354),
        ("partial_auc(fpr=(0, 0.3))", 0.796147752030105),
        ("partial_auc(tpr=(0.8, 1), standardised=False)", 0.10540404040404),
        ("partial_auc(tpr=(0.8, 1))", 0.737233445566779),
    ],
)
def test_partial_auc(options, printed):
    """auc(partial.auc = c(1, .7) | c(1, .8), partial.auc.focus = "sp" | "se", partial.auc.correct = ...)."""
    assert float(pr.evaluate(Y, A, measure=options)) == pytest.approx(printed, abs=1e-14)


@pytest.mark.peer(
    "pROC 1.18.0 (R)",
    "the best threshold of two tied markers by Youden, distance and costs, its rates to all digits",
)
@pytest.mark.parametrize(
    ("marker", "options", "threshold", "specificity", "sensitivity"),
    [
        (A, {"criterion": "youden"}, 0, 0.727272727272727, 0.888888888888889),
        (A, {"criterion": "closest"}, 0, 0.727272727272727, 0.888888888888889),
        (A, {"costs": [[0, 1], [5, 0]], "priors": [0.8, 0.2]}, 0, 0.727272727272727, 0.888888888888889),
        (B, {"criterion": "youden"}, 5, 1, 0.333333333333333),
        (B, {"criterion": "closest"}, 2, 0.636363636363636, 0.611111111111111),
        (B, {"costs": [[0, 1], [5, 0]], "priors": [0.8, 0.2]}, -1, 0.409090909090909, 0.888888888888889),
    ],
)
def test_best_threshold(marker, options, threshold, specificity, sensitivity):
    """coords("best", best.method = "youden" | "closest.topleft", best.weights = c(5, 0.2)).

    pROC prints the middle between two scores; the threshold here is the upper one of them.
    """
    point = operate(Y, marker, **options)
    assert point.rule.threshold == threshold
    assert [1 - point.fpr, point.tpr] == pytest.approx([specificity, sensitivity], abs=1e-14)


UNTIED_A, UNTIED_B = np.array(A) + np.arange(40) / 100, np.array(B) + np.arange(40) * 7 % 40 / 100
FIXED = {  # coords() at 0.9, 0.8 and 0.5 of both markers; D of roc.test() at 0.8, 20,000 resamples
    "sensitivity(specificity={})": ([14, 14, 17], [7, 7, 14], 18, 2.22372828416),
    "specificity(sensitivity={})": ([16, 17, 21], [2, 10, 17], 22, 1.68007441639),
}


@pytest.mark.slow
@pytest.mark.peer(
    "pROC 1.18.0 (R)",
    "coords where the other rate is fixed, all digits; roc.test by 'specificity' and 'sensitivity', bootstrap",
)
@pytest.mark.parametrize("measure", FIXED)
def test_rates_where_the_other_is_fixed(measure):
    """coords(x, input = "specificity", ret = "sensitivity") and D = difference / its bootstrap standard error."""
    *counts, cases, statistic = FIXED[measure]
    for marker, of_marker in zip((UNTIED_A, UNTIED_B), counts, strict=True):
        values = [float(pr.evaluate(Y, marker, measure=measure.format(rate))) for rate in (0.9, 0.8, 0.5)]
        assert values == pytest.approx(np.array(of_marker) / cases, abs=1e-12)
    pair = pr.compare(
        Y,
        {"a": UNTIED_A, "b": UNTIED_B},
        measure=measure.format(0.8),
        sampling="case-control",
        method=pr.methods.Bootstrap(replicates=2000, rng=0),
    ).difference("a", "b")
    # three Monte Carlo errors of a standard error of 2,000 resamples
    assert pair.value / pair.standard_error == pytest.approx(statistic, rel=3 / np.sqrt(2 * 2000) + 0.005)
