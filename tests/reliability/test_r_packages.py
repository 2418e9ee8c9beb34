"""Numbers of R packages for proper scores and their terms, on cases made by a formula or by their manuals."""

import numpy as np
import pytest

import polyroc as pr

NUMBER = np.arange(1, 61)
Q = (NUMBER - 0.5) / 60
Y, P = (NUMBER * 37) % 60 < 60 * (0.2 + 0.6 * Q), 1 / (1 + np.exp(-0.4) * ((1 - Q) / Q) ** 1.3)


@pytest.mark.peer("reliabilitydiag 0.2.1 (R 4.2.2)", "summary: the terms of Brier score and log loss, to 1e-12")
def test_reliabilitydiag():
    """i <- 1:60; q <- (i - 0.5) / 60; y <- as.integer((i * 37) %% 60 < 60 * (0.2 + 0.6 * q))
    p <- plogis(0.4 + 1.3 * qlogis(q))
    r <- reliabilitydiag(data.frame(p = p, ties = round(p, 1)), y = y, region.level = NA)
    summary(r); summary(r, score = function(y, x) -ifelse(y == 1, log(x), log(1 - x)))
    """
    own, ties = (pr.calibration(Y, p, replicates=50, rng=0).event() for p in (P, np.round(P, 1)))
    expected = {
        (0.0365517045041445, 0.0589316239316239, 0.25): own.decomposition,
        (0.0285446950710108, 0.0462113617376775, 0.25): ties.decomposition,
        (0.12137831853781, 0.149113001648275, 0.693147180559945): own.log_loss,
        (
            np.inf,
            0.109218904122742,
            0.693147180559945,
        ): ties.log_loss,  # a 1 without the event
    }
    for numbers, terms in expected.items():
        assert [part.value for part in terms] == pytest.approx(numbers, abs=1e-12)


@pytest.mark.peer("riskRegression 2022.11.28 (R 4.2.2)", "Score: Brier score, IPA, AUC, differences, errors")
def test_risk_regression():
    """The first example of ?Score (set.seed(18); two logistic regressions of 48 cases, 40 others to test them),
    with predictions of four digits: Score(list(a = a, b = b), formula = y ~ 1, data = ..., summary = "ipa").
    """
    y = np.array([*"0111110000111100011100110011010011001001"], dtype=int)
    a = "7098 2258 5401 8025 2428 4230 10000 5776 485 7655 4558 3400 7015 8172 1980 2421 10000 4873 5599 9131 "
    a += "1872 10000 3689 5441 4575 3798 10000 10000 2093 6736 691 5924 8301 4293 5541 3250 5994 5746 172 1050"
    b = "5636 5092 5455 5092 5636 5636 5455 5636 5455 5455 4908 5636 4908 5455 5455 4908 5455 5636 5092 5455 4908 "
    b += "5636 5455 4908 5455 5455 5636 5455 5455 5092 5636 5455 5455 5636 5455 5455 5455 5636 4908 4908"
    risks = {name: np.array(text.split(), dtype=float) / 1e4 for name, text in (("b", b), ("a", a))}
    brier, skill, auc = (pr.compare(y, risks, measure=key) for key in ("brier", "brier_skill", "auc"))

    def values(comparison):
        return [float(comparison.estimates[name]) for name in "ab"]

    def errors(comparison):
        own = [comparison.estimates[name].standard_error for name in "ab"]
        return [*own, comparison.difference("b", "a").standard_error]

    assert values(brier) == pytest.approx([0.27895297325, 0.2543372525], abs=1e-12)
    assert values(skill) == pytest.approx([-0.1186084140350878, -0.0198987568922306], abs=1e-12)
    assert values(auc) == pytest.approx([0.604010025062657, 0.442355889724311], abs=1e-12)
    assert errors(auc) == pytest.approx([0.0941538443690198, 0.0883876752372336, 0.111613974420474], rel=1e-12)
    # theirs has n - 1 below, ours that of each class: a factor of up to sqrt((m / (m - 1)) / (n / (n - 1)))
    theirs = [0.04551728172932892, 0.00726906044169475, 0.04423688278775814]
    assert errors(brier) == pytest.approx(theirs, rel=0.015)
    assert all(ours > other for ours, other in zip(errors(brier), theirs, strict=True))
