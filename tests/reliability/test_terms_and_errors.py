"""Terms of proper scores, the calibration error without bias, the kernel test and the smooth curve."""

from math import hypot, log

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as scikit_log_loss

import naive
import polyroc as pr
from polyroc.reliability import calibration_error, kernel_test, smooth_curve
from polyroc.reliability.events import Event
from polyroc.reliability.score_terms import RULES
from strategies import at_most

LOSSES = {
    "brier": lambda y, q: (y - q) ** 2,
    "log_loss": lambda y, q: -log(q if y else 1 - q),
    "spherical": lambda y, q: 1 - (q if y else 1 - q) / hypot(q, 1 - q),
}
# R 4.2.2: isoreg, and the mean of -log of the probability of what happened
Y = np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 1])
P = np.array([0.1, 0.2, 0.25, 0.3, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9])


def sample(n=400, slope=1.0, seed=0):
    """Outcomes, and probabilities with this calibration slope."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.5, n)
    return rng.random(n) < expit(odds), expit(odds / slope)


def event_of(y, p, **options):
    return Event("event", np.asarray(p), np.asarray(y, dtype=bool), pr.Scores(y, p, **options))


@at_most(12)
@given(st.integers(0, 1000), st.booleans())
@example(1, True)  # the weight of all cases, over their number and times it again, is larger by rounding
def test_terms_of_every_score_are_those_of_the_slow_twin(seed, weighted):
    y, p = sample(n=40, slope=0.6, seed=seed)
    p = p.round(1).clip(0.05, 0.95)
    w = np.random.default_rng(seed).exponential(size=40) if weighted else np.ones(40)
    own = pr.calibration(y, p, sample_weight=w if weighted else None, replicates=50).event()
    for name, loss in LOSSES.items():
        parts = own.decomposition if name == "brier" else getattr(own, name)
        expected = naive.corp_terms(y.tolist(), p.tolist(), w.tolist(), loss)
        assert [part.value for part in parts] == pytest.approx(expected, abs=1e-9)


@pytest.mark.peer("R 4.2.2 (stats)", "isoreg: the terms of the log loss, to 1e-12")
def test_terms_of_the_log_loss_of_r():
    terms = pr.calibration(Y, P, replicates=50).event().log_loss
    expected = (0.166809043012682, 0.363563493959512, 0.693147180559945)
    assert [part.value for part in terms] == pytest.approx(expected, abs=1e-12)


@pytest.mark.peer("scikit-learn", "the terms add up to brier_score_loss and log_loss, to 1e-12")
@pytest.mark.parametrize("weighted", [False, True])
def test_terms_add_up_to_the_scores_of_scikit_learn(weighted):
    y, p = sample(n=300, slope=0.7)
    w = np.random.default_rng(1).exponential(size=300) if weighted else None
    own = pr.calibration(y, p, sample_weight=w, replicates=50).event()
    theirs = {"brier": brier_score_loss(y, p, sample_weight=w), "log_loss": scikit_log_loss(y, p, sample_weight=w)}
    theirs["spherical"] = 1 - pr.evaluate(y, p, measure="spherical", sample_weight=w).value
    for name, value in theirs.items():
        terms = own.decomposition if name == "brier" else getattr(own, name)
        total = terms.miscalibration.value - terms.discrimination.value + terms.uncertainty.value
        assert total == pytest.approx(value, rel=0, abs=1e-12)
        assert all(part.low <= part.high for part in terms)
        assert terms.uncertainty.low <= terms.uncertainty.value <= terms.uncertainty.high


def test_a_probability_of_0_makes_the_miscalibration_infinite():
    y, p = sample(n=60)
    own = pr.calibration(y, np.where(np.arange(60) == np.flatnonzero(y)[0], 0.0, p), replicates=50).event()
    assert own.log_loss.miscalibration.value == np.inf
    assert np.isnan(own.log_loss.miscalibration.low)
    assert np.isfinite(own.log_loss.discrimination.low)
    assert np.isfinite(own.decomposition.miscalibration.high)


def test_groups_have_errors_without_intervals():
    y, p = sample(n=200)
    alone = pr.calibration(y, p, groups=np.arange(200), replicates=50).event()
    twice = [np.repeat(x, 2) for x in (y, p, np.arange(200))]
    doubled = pr.calibration(twice[0], twice[1], groups=twice[2], replicates=50).event()
    for name in RULES:
        parts = [own.decomposition if name == "brier" else getattr(own, name) for own in (alone, doubled)]
        for one, two in zip(*parts, strict=True):
            assert two[:2] == pytest.approx(one[:2], rel=1e-6)
            assert np.isnan(one.low)
    assert alone.calibration_error is None


@at_most(15)
@given(st.integers(0, 1000), st.booleans())
def test_calibration_error_is_the_slow_twin(seed, weighted):
    y, p = sample(n=30, slope=0.5, seed=seed)
    w = np.random.default_rng(seed).exponential(size=30) if weighted else np.ones(30)
    square = calibration_error._square(p, y, w)
    bins = calibration_error._bins(p)
    expected = naive.squared_calibration_error(y.tolist(), p.tolist(), w.tolist(), bins.tolist())
    assert square.value == pytest.approx(expected, abs=1e-12)
    part = calibration_error.calibration_error(event_of(y, p, sample_weight=w), 0.9)
    assert part.value == pytest.approx(max(expected, 0) ** 0.5, abs=1e-12)
    assert 0 <= part.low <= part.high <= 1
    ends = [(square.value - end**2) ** 2 / square.variance(end**2) for end in (part.low, part.high) if 0 < end < 1]
    assert np.ptp(ends) < 1e-9 if len(ends) == 2 else True  # both are as far as the quantile allows


def test_calibration_error_has_no_bias_and_order_does_not_matter():
    samples = [sample(n=100, seed=seed) for seed in range(300)]
    estimates = [calibration_error._square(p, y, np.ones(100)).value for y, p in samples]
    assert abs(np.mean(estimates)) < 3 * np.std(estimates) / 300**0.5  # the probabilities are right
    y, p = sample(n=100)
    p = p.round(1)  # ties must not be separated by the order of the cases
    order = np.argsort(y)
    one, two = (calibration_error._square(p[o], y[o], np.ones(100)).value for o in (slice(None), order))
    assert one == pytest.approx(two, abs=1e-12)
    assert calibration_error.calibration_error(event_of([0, 1, 1], [0.2, 0.5, 0.9]), 0.95) is None


def three_classes(n, seed=0):
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet([1.0, 0.8, 0.6], n)
    return (rng.random((n, 1)) >= rows.cumsum(axis=1)[:, :-1]).sum(axis=1), rows


@pytest.mark.parametrize("weighted", [False, True])
def test_kernel_error_is_the_slow_twin(weighted):
    y, rows = three_classes(40)  # not more than the landmarks, so that the kernel is whole
    w = np.random.default_rng(1).exponential(size=40) if weighted else np.ones(40)
    scores = pr.Scores(y, rows, sample_weight=w if weighted else None)
    own = kernel_test.kernel_test(scores, rows, 60, np.random.default_rng(0))
    width = np.median([np.linalg.norm(a - b) for a in rows for b in rows])
    expected = naive.kernel_calibration_error(y.tolist(), rows.tolist(), w.tolist(), width)
    assert own.value == pytest.approx(expected, abs=1e-9)


@pytest.mark.filterwarnings(
    "ignore::polyroc.errors.SuspectInputWarning"
)  # the columns seem to be in another order
def test_kernel_test_notices_what_events_do_not():
    """Rows that are wrong in a way that leaves every class, alone, right."""
    rng = np.random.default_rng(0)
    base = np.full((1500, 3), 1 / 3)
    turn = np.array([0.25, -0.25, 0.0])
    which = rng.integers(3, size=1500)
    rows = base + np.stack([np.roll(turn, k) for k in which])
    true = base + np.stack([np.roll(turn, k + 1) for k in which])
    # each column of `rows` takes three values; given one of them, the true mean is made equal to it by symmetry
    y = (rng.random((1500, 1)) >= true.cumsum(axis=1)[:, :-1]).sum(axis=1)
    wrong = pr.calibration(y, rows, replicates=100)
    assert wrong.canonical["classifier"].pvalue < 0.02
    assert "whole rows of probabilities are not right: kernel test" in wrong.conclusion()[-1]
    right = pr.calibration(y, true, replicates=100)
    assert right.canonical["classifier"].pvalue > 0.05
    assert "whole rows of probabilities show no miscalibration" in right.conclusion()[-1]
    grouped = pr.calibration(y, rows, groups=np.arange(1500), replicates=50)
    assert np.isnan(grouped.canonical["classifier"].pvalue)
    assert pr.calibration(y == 0, rows[:, 0], replicates=50).canonical is None


@pytest.mark.peer("R 4.2.2 (stats, splines)", "glm on ns(): the smooth reliability curve and its errors, to 1e-7")
def test_smooth_curve_of_r():
    """Three knots at the quantiles 0.1, 0.5 and 0.9; sandwich errors of the log odds, times sqrt(10 / 9)."""
    fitted = [0.149921070167531, 0.196573088607642, 0.217144611448215, 0.241327340441045, 0.366851354955409]
    fitted += [0.437247574790485, 0.624714168620367, 0.822589303923235, 0.949649776939947, 0.993981710106123]
    errors = [1.65013186168253, 1.11164736594327, 1.06822155046321, 1.09336454534447, 1.18207871136624]
    errors += [1.15754353388696, 1.04485697762301, 1.04716245421681, 1.51940905770488, 2.71502920612664]
    curve = smooth_curve.smooth_curve(event_of(Y, P), P, 0.95)
    assert curve.observed == pytest.approx(fitted, abs=1e-7)
    reach = (logit(curve.high) - logit(curve.low)) / 2
    assert reach / reach[0] == pytest.approx(np.array(errors) / errors[0], rel=1e-6)


def test_smooth_curves():
    y, p = sample(n=1500, slope=0.6)
    own = pr.calibration(y, p, replicates=50, smooth=True).event()
    at = np.array([0.2, 0.5, 0.8])
    observed = np.interp(at, own.smooth.predicted, own.smooth.observed)
    assert observed == pytest.approx(expit(0.6 * logit(at)), abs=0.06)
    assert (own.smooth.low <= own.smooth.observed).all()
    assert pr.calibration(y, p, replicates=50).event().smooth is None
    certain = pr.calibration(y, np.where(p > 0.9, 1.0, p), replicates=50, smooth=True).event()
    assert "which have no log odds" in certain.smooth.undefined
    assert not len(certain.smooth.predicted)
    apart = pr.calibration([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9], replicates=50, smooth=True).event()
    assert "separate" in apart.smooth.undefined
    two_values = pr.calibration(
        [0, 1, 0, 1, 1, 1], [0.3, 0.3, 0.3, 0.8, 0.8, 0.8], replicates=50, smooth=True
    ).event()
    assert two_values.smooth.undefined is not None or len(two_values.smooth.observed) == 2
    row = pr.calibration(y, p, replicates=50, smooth=True).curve_rows()[0]
    assert row["smooth_low"] <= row["smooth"] <= row["smooth_high"]


def restricted_cubic(x, knots):
    """Harrell's truncated powers: another basis of the natural cubic splines with these knots."""
    t, m = knots, len(knots)

    def cube(v):
        return max(v, 0.0) ** 3

    def term(v, j):
        ends = cube(v - t[m - 2]) * (t[m - 1] - t[j]) - cube(v - t[m - 1]) * (t[m - 2] - t[j])
        return (cube(v - t[j]) - ends / (t[m - 1] - t[m - 2])) / (t[m - 1] - t[0]) ** 2

    return [[1.0, v, *(term(v, j) for j in range(m - 2))] for v in x]


@pytest.mark.parametrize("n", [60, 150])  # three knots, and four
@pytest.mark.parametrize("weighted", [False, True])
def test_smooth_curves_are_those_of_the_slow_twin(n, weighted):
    """The likelihood maximised by a general optimiser in another basis; the sandwich by loops over cases."""
    y, p = sample(n=n, slope=0.7, seed=n)
    w = np.random.default_rng(1).integers(1, 4, n).astype(float) if weighted else np.ones(n)
    at = np.array([0.2, 0.5, 0.7])
    options = {"sample_weight": w} if weighted else {}
    event = event_of(y, p, **options)
    curve = smooth_curve.smooth_curve(event, at, 0.9)
    odds = np.log(p / (1 - p))
    fewest = min(event.units)
    knots = np.quantile(odds, (0.1, 0.5, 0.9) if fewest < 30 else (0.05, 0.35, 0.65, 0.95))
    Z, G = (np.array(restricted_cubic(x, knots)) for x in (odds, np.log(at / (1 - at))))

    def minus_likelihood(theta):
        eta = Z @ theta
        return float((w * (np.logaddexp(0, eta) - y * eta)).sum())

    theta = minimize(minus_likelihood, np.zeros(Z.shape[1]), method="BFGS", options={"gtol": 1e-9}).x
    mu = 1 / (1 + np.exp(-Z @ theta))
    bread = sum(w[i] * mu[i] * (1 - mu[i]) * np.outer(Z[i], Z[i]) for i in range(n))
    meat = sum((w[i] * (y[i] - mu[i])) ** 2 * np.outer(Z[i], Z[i]) for i in range(n)) * n / (n - 1)
    covariance = np.linalg.inv(bread) @ meat @ np.linalg.inv(bread)
    reach = stats.t.ppf(0.95, sum(event.units) - Z.shape[1]) * np.sqrt([g @ covariance @ g for g in G])
    for name, eta in (("observed", G @ theta), ("low", G @ theta - reach), ("high", G @ theta + reach)):
        assert getattr(curve, name) == pytest.approx(1 / (1 + np.exp(-eta)), abs=2e-5)
