"""Brier score and skill, log loss and spherical score: slow twins, scikit-learn, direction, infinite loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, get_scorer, log_loss
from sklearn.model_selection import cross_val_score

import naive
import polyroc as pr
from measure_values import value
from polyroc.errors import InfiniteLossWarning, MeasureError, NotApplicableError, SmallClassWarning
from strategies import forecasts, weights

KEYS = ["brier", "brier_skill", "log_loss", "spherical"]


def sample(c=2, n=300, seed=0):
    """Probabilities that are right, in rows, and the classes drawn from them."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(c), n)
    return (P.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1), P


@pytest.mark.parametrize("key", KEYS)
@given(forecasts(), st.data())
def test_values(key, cases, data):
    y, P = cases
    w = data.draw(st.one_of(st.none(), weights(y)))
    expected = getattr(naive, key)(y.tolist(), P.tolist(), [1.0] * len(y) if w is None else w.tolist())
    assert value(key, y, P, w) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    if P.shape[1] == 2:  # the probability of the positive class alone
        assert value(key, y, P[:, 1], w) == pytest.approx(expected, rel=1e-10, abs=1e-10)


@pytest.mark.peer("scikit-learn", "brier_score_loss and log_loss, two classes and more, weighted, to 1e-12")
@pytest.mark.parametrize("c", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn(c, weighted):
    y, P = sample(c)
    w = np.random.default_rng(1).exponential(size=len(y)) if weighted else None
    scores = P[:, 1] if c == 2 else P
    for key, function in (("brier", brier_score_loss), ("log_loss", log_loss)):
        assert value(key, y, scores, w) == pytest.approx(function(y, scores, sample_weight=w), abs=1e-12)


@pytest.mark.parametrize("key", ["brier", "log_loss", "spherical"])
def test_the_error_in_a_cohort_is_that_of_a_mean_of_all_cases(key):
    y, P = sample()
    estimate = pr.evaluate(y, P, measure=key)
    by_case = estimate.components
    assert by_case.mean() == pytest.approx(estimate.value, abs=1e-12)
    # within and between classes have their own corrections for few cases, m / (m - 1) each
    assert estimate.standard_error == pytest.approx(by_case.std(ddof=1) / np.sqrt(len(y)), rel=0.01)
    fixed = pr.evaluate(y, P, measure=key, sampling="case-control")
    parts = [np.var(by_case[y == k], ddof=1) * (y == k).mean() / len(y) for k in (0, 1)]
    assert fixed.standard_error**2 == pytest.approx(sum(parts), rel=1e-9)
    assert fixed.standard_error <= estimate.standard_error


@pytest.mark.filterwarnings("ignore::polyroc.errors.SuspectInputWarning")  # wrong with certainty
def test_reference_values():
    y, _ = sample(c=3)
    shares = np.bincount(y) / len(y)
    same = np.tile(shares, (len(y), 1))
    assert value("brier_skill", y, same) == pytest.approx(0, abs=1e-12)
    assert value("log_loss", y, same) == pytest.approx(-(shares @ np.log(shares)), abs=1e-12)
    assert value("spherical", y, same) == pytest.approx(np.sqrt(shares @ shares), abs=1e-12)
    sure = np.eye(3)[y]
    assert [value(key, y, sure) for key in KEYS] == [0, 1, 0, 1]
    assert value("brier", y, np.eye(3)[(y + 1) % 3]) == 2
    assert value("brier", y % 2, 1.0 - y % 2) == 1


def test_probability_zero_of_what_happened():
    y, P = sample()
    P[0] = np.eye(2)[1 - y[0]]
    with pytest.warns(InfiniteLossWarning, match="1 case has the probability 0 of the true class"):
        estimate = pr.evaluate(y, P, measure="log_loss")
    assert estimate.value == np.inf
    assert np.isnan(estimate.standard_error)
    assert pr.results.Estimate.from_json(estimate.to_json()).value == np.inf
    with pytest.warns(InfiniteLossWarning):
        comparison = pr.compare(y, {"a": P, "b": sample()[1]}, measure="log_loss")
    assert np.isnan(comparison.pvalue)
    assert "cannot be compared" in comparison.difference("a", "b").sentence()
    w = np.ones(len(y))
    w[0] = 0
    assert np.isfinite(value("log_loss", y, P, w))  # the case does not count
    clipped = pr.evaluate(y, P, measure="log_loss(clip=1e-3)")
    assert clipped.value == pytest.approx(log_loss(y, np.clip(P[:, 1], 1e-3, 1 - 1e-3)), abs=2e-3)
    assert clipped.limits == (0, -np.log(1e-3))
    with pytest.raises(MeasureError, match=r"clip must be a number between 0 and 0\.5"):
        pr.evaluate(y, P, measure="log_loss(clip=0.7)")


@pytest.mark.slow
def test_smaller_is_better():
    y, P = sample(n=2000)
    poor = {"good": P, "poor": (P + 1) / 3}
    for key in KEYS:
        comparison = pr.compare(y, poor, measure=key)
        assert comparison.difference("good", "poor").sentence().startswith("good is better than poor by")
        assert comparison.difference("good", "poor").superiority() < 0.01
    page = pr.report(y, poor, measure="brier", path=None)
    assert page.conclusion.sentences[0].startswith("good")


def test_scorer():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.array(["no", "yes"])[(X[:, 0] + rng.normal(size=200) > 0).astype(int)]
    ours = cross_val_score(LogisticRegression(), X, y, scoring=pr.scorer("log_loss"))
    theirs = cross_val_score(LogisticRegression(), X, y, scoring=get_scorer("neg_log_loss"))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    assert (ours < 0).all()


def test_what_is_no_probability():
    y, P = sample()
    with pytest.raises(NotApplicableError, match=r"in \[0, 1\], but 'classifier' has values from"):
        pr.evaluate(y, np.log(P[:, 1] / P[:, 0]), measure="brier")
    with pytest.raises(NotApplicableError, match=r"sum to 1 for each case, but those of .* position 0 sum to 0.5"):
        pr.evaluate(y, P / 2, measure="brier")
    with pytest.raises(NotApplicableError, match="here decisions"):
        pr.evaluate(["a", "b"], ["a", "b"], measure="brier", pos_label="b")
    assert "name it" in pr.evaluate(y, P).skipped["brier"]


@pytest.mark.parametrize("key", KEYS)
def test_intervals_of_few_cases(key):
    """In a range without limits an interval exists wherever a standard error does; else it is the whole range."""
    y, P = [0, 0, 1, 1], [0.2, 0.4, 0.5, 0.9]
    low, high = pr.evaluate(y, P, measure=key).confidence_interval()
    estimate = pr.evaluate(y, P, measure=key)
    assert estimate.limits[0] <= low < estimate.value < high <= estimate.limits[1]
    assert (estimate.df == 1) == np.isinf(np.ptp(estimate.limits))
    with pytest.warns(SmallClassWarning, match="the interval is the whole range"):
        wide = pr.evaluate([0, 1], [0.2, 0.8], measure="log_loss").confidence_interval()
    assert wide == (0, np.inf)


@pytest.mark.slow
def test_bootstrap_and_jackknife():
    y, P = sample()
    for key in KEYS:
        plain = pr.evaluate(y, P, measure=key).standard_error
        for method in ("jackknife", pr.methods.Bootstrap(replicates=800, rng=0)):
            assert pr.evaluate(y, P, measure=key, method=method).standard_error == pytest.approx(plain, rel=0.1)


def test_by_subgroup_and_in_folds():
    y, P = sample(n=400)
    half = np.arange(400) % 2
    grouped = pr.evaluate(y, P, measure="brier", by={"half": half})
    assert grouped[0].value == pytest.approx(value("brier", y[half == 0], P[half == 0]), abs=1e-12)
    assert 0 < grouped.between().pvalue < 1
    folds = pr.evaluate(y, P, measure="log_loss", folds=np.arange(400) // 100, pooled=False)
    by_fold = [value("log_loss", y[i : i + 100], P[i : i + 100]) for i in range(0, 400, 100)]
    assert folds.value == pytest.approx(np.mean(by_fold), abs=1e-12)
