"""Calibration: recalibration against R's glm and slow twins, tests, decomposition, curve, bands, errors."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import binomtest, norm
from sklearn.isotonic import IsotonicRegression

import naive
import polyroc as pr
from command import polyroc
from polyroc.errors import InputError, MiscalibrationWarning, NotApplicableError
from polyroc.kernels.isotonic import isotonic, isotonic_rows
from polyroc.reliability.calibration import calibration_pvalue
from polyroc.reliability.confidence_bands import confidence_bands
from polyroc.reliability.decomposition import fit_isotonic
from polyroc.reliability.events import events_of
from strategies import at_most

# R 4.2.2: glm(y ~ offset(qlogis(p)), binomial), glm(y ~ qlogis(p), binomial), the latter also with weights; the
# sandwich vcov %*% crossprod(model.matrix * residuals) %*% vcov * 10 / 9; isoreg(p, y)$yf
Y = np.array([0, 0, 1, 0, 0, 1, 0, 1, 1, 1])
P = np.array([0.1, 0.2, 0.25, 0.3, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9])


def sample(n=400, slope=1.0, shift=0.0, seed=0):
    """Outcomes, and probabilities whose calibration slope and intercept are these."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.5, n)
    return rng.random(n) < expit(odds), expit((odds - shift) / slope)


@pytest.mark.peer(
    "R 4.2.2 (stats)", "glm: calibration-in-the-large, slope, sandwich errors, weights; isoreg, to 1e-7"
)
def test_numbers_of_r():
    own = pr.calibration(Y, P, replicates=50).event()
    assert own.in_the_large[:2] == pytest.approx((0.108221927058337, 0.733379274671034), abs=1e-7)
    assert own.slope[:2] == pytest.approx((1.319272033589179, 0.695636164363444), abs=1e-7)
    weighted = pr.calibration(Y, P, sample_weight=[1, 2, 1, 3, 1, 2, 1, 1, 2, 1], replicates=50).event()
    assert weighted.slope.value == pytest.approx(1.837604542264758, abs=1e-9)
    np.testing.assert_allclose(own.curve.observed, [0, 0, 1 / 3, 1 / 3, 1 / 3, 0.5, 0.5, 1, 1, 1], atol=1e-12)


def likelihood(y, p, w, slope_free):
    def loss(theta):
        eta = theta[0] + (theta[1] if slope_free else 1.0) * logit(p)
        return -(w @ (y * eta - np.logaddexp(0, eta)))

    start = [0.0, 1.0] if slope_free else [0.0]
    return minimize(loss, start, method="BFGS", options={"gtol": 1e-10}).x


@pytest.mark.parametrize("weighted", [False, True])
def test_recalibration_is_the_largest_likelihood(weighted):
    y, p = sample(slope=0.7, shift=0.4)
    w = np.random.default_rng(1).exponential(size=len(y)) if weighted else np.ones(len(y))
    own = pr.calibration(y, p, sample_weight=w if weighted else None, replicates=50).event()
    assert own.in_the_large.value == pytest.approx(likelihood(y, p, w, slope_free=False)[0], abs=1e-5)
    assert own.slope.value == pytest.approx(likelihood(y, p, w, slope_free=True)[1], abs=1e-5)


@pytest.mark.slow
def test_standard_errors_are_those_of_the_jackknife():
    """Sandwich and jackknife agree to first order."""
    y, p = sample(n=150, slope=0.8)
    own = pr.calibration(y, p, replicates=50).event()
    kept = ~np.eye(len(y), dtype=bool)
    without = [naive.recalibration(y[k].tolist(), p[k].tolist()) for k in kept]
    for part, values in zip((own.in_the_large, own.slope), zip(*without, strict=True), strict=True):
        error = np.sqrt((len(y) - 1) * np.var(values))
        assert part.standard_error == pytest.approx(error, rel=0.06)


def test_groups_of_one_change_nothing_and_copies_are_no_news():
    y, p = sample(n=200)
    plain = pr.calibration(y, p, replicates=50).event()
    single = pr.calibration(y, p, groups=np.arange(200), replicates=50).event()
    assert single.slope[:2] == pytest.approx(plain.slope[:2], rel=1e-9)
    twice = pr.calibration(
        np.repeat(y, 2), np.repeat(p, 2), groups=np.repeat(np.arange(200), 2), replicates=50
    ).event()
    assert twice.slope[:2] == pytest.approx(plain.slope[:2], rel=1e-6)
    assert np.isnan(single.simulated_pvalue)
    assert single.curve.consistency is None


def test_joint_test_and_spiegelhalter_by_their_formulas():
    y, p = sample(n=300, slope=0.8)
    own = pr.calibration(y, p, replicates=50).event()
    x, v = logit(p), p * (1 - p)
    U = np.array([(y - p).sum(), ((y - p) * x).sum()])
    information = np.array([[v.sum(), (v * x).sum()], [(v * x).sum(), (v * x * x).sum()]])
    assert own.joint.statistic == pytest.approx(U @ np.linalg.solve(information, U), rel=1e-9)
    z = ((y - p) * (1 - 2 * p)).sum() / np.sqrt(((1 - 2 * p) ** 2 * v).sum())
    assert own.spiegelhalter == pytest.approx((z, 2 * norm.sf(abs(z))), rel=1e-9)
    assert pr.calibration(y, p, replicates=50).overall["classifier"] == pytest.approx(own.spiegelhalter, rel=1e-9)
    turned = pr.calibration(~y, 1 - p, replicates=50).event()
    assert turned.joint.pvalue == pytest.approx(own.joint.pvalue, rel=1e-9)
    assert turned.in_the_large.value == pytest.approx(-own.in_the_large.value, abs=1e-9)


@pytest.mark.parametrize(
    ("slope", "shift", "words"),
    [
        (0.5, 0.0, "its probabilities are too extreme"),
        (2.0, 0.0, "its probabilities are too moderate"),
        (1.0, 0.7, "its probabilities are too low on average"),
        (1.0, -0.7, "its probabilities are too high on average"),
        (1.0, 0.0, "no miscalibration is shown"),
    ],
)
def test_sentences(slope, shift, words):
    y, p = sample(n=1500, slope=slope, shift=shift, seed=1)
    result = pr.calibration(y, {"model": p}, replicates=50)
    assert result.conclusion()[0].startswith(f"model: {words}")
    assert result.event().is_rejected() == ("no miscalibration" not in words)
    assert (result.event().simulated_pvalue < 0.05) == ("no miscalibration" not in words)


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.floats(0.1, 3)), min_size=2, max_size=14))
def test_isotonic_regression_is_the_slow_twin_and_scikit_learns(cases):
    p, y, w = (np.array(column, dtype=float) for column in zip(*cases, strict=True))
    values, place = np.unique(p, return_inverse=True)
    weight, total = np.bincount(place, w), np.bincount(place, w * y)
    fitted = isotonic(total, weight)
    np.testing.assert_allclose(fitted, naive.isotonic(total.tolist(), weight.tolist()), atol=1e-9)
    theirs = IsotonicRegression().fit(p, y, sample_weight=w).predict(values)
    np.testing.assert_allclose(fitted, theirs, atol=1e-9)
    np.testing.assert_array_equal(isotonic_rows(total[None], weight[None])[0], fitted)


@pytest.mark.peer("scikit-learn", "isotonic regression of outcomes on probabilities, to 1e-12")
def test_recalibrated_probabilities_are_those_of_scikit_learn():
    y, p = sample(n=500)
    fit = fit_isotonic(next(events_of(pr.Scores(y, p), "classifier")))
    theirs = IsotonicRegression().fit(p, y).predict(fit.p)
    np.testing.assert_allclose(fit.fitted, theirs, rtol=0, atol=1e-12)


@at_most(20)
@given(st.integers(0, 1000), st.booleans())
def test_the_terms_add_up_to_the_brier_score(seed, weighted):
    y, p = sample(n=60, slope=0.6, seed=seed)
    p = p.round(1).clip(0.05, 0.95)
    w = np.random.default_rng(seed).exponential(size=60) if weighted else None
    own = pr.calibration(y, p, sample_weight=w, replicates=50).event()
    assert own.brier == pytest.approx(pr.evaluate(y, p, measure="brier", sample_weight=w).value, abs=1e-12)
    v = np.ones(60) if w is None else w
    terms = naive.corp(y.tolist(), p.tolist(), v.tolist())
    assert [part.value for part in own.decomposition] == pytest.approx(terms, abs=1e-9)
    assert all(part.value >= -1e-12 for part in own.decomposition)


def test_recalibration_leaves_no_miscalibration():
    y, p = sample(n=300)
    fit = fit_isotonic(next(events_of(pr.Scores(y, p), "classifier")))
    again = np.interp(p, fit.p, fit.fitted).clip(0, 1)
    assert pr.calibration(y, again, replicates=50).event().decomposition.miscalibration.value == pytest.approx(
        0, abs=1e-9
    )


@pytest.mark.slow
def test_bands():
    y, p = sample(n=800)
    curve = pr.calibration(y, p, replicates=300).event().curve
    for bands in (curve.confidence, curve.consistency):
        assert (bands.simultaneous_low <= bands.low + 1e-12).all()
        assert (bands.simultaneous_high >= bands.high - 1e-12).all()
        assert (bands.low <= bands.high).all()
    assert (curve.consistency.low <= curve.predicted).mean() > 0.9
    narrow = pr.calibration(y, p, replicates=300, level=0.5).event().curve
    assert (narrow.confidence.simultaneous_high <= curve.confidence.simultaneous_high + 1e-12).all()
    assert curve.counts.sum() == 800


@pytest.mark.slow
def test_simultaneous_band_is_the_union_of_binomial_bounds():
    y, p = sample(n=60)
    p = p.round(1)
    fit = fit_isotonic(next(events_of(pr.Scores(y, p), "classifier")))
    bands = confidence_bands(fit, fit.p, 0.9)
    k = len(fit.p)
    for i, at in enumerate(fit.p):
        lows, highs = [0.0], [1.0]
        for first in range(k):
            for last in range(first, k):
                own = (p >= fit.p[first]) & (p <= fit.p[last])
                ends = binomtest(int(y[own].sum()), int(own.sum())).proportion_ci(1 - 0.2 / (k * (k + 1)))
                if fit.p[last] <= at:
                    lows.append(ends.low)
                if fit.p[first] >= at:
                    highs.append(ends.high)
        assert bands.simultaneous_low[i] == pytest.approx(max(lows), abs=1e-9)
        assert bands.simultaneous_high[i] == pytest.approx(min(highs), abs=1e-9)


@pytest.mark.slow
def test_many_classes():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(3), 600)
    y = (rows.cumsum(axis=1) < rng.random((600, 1))).sum(axis=1)
    result = pr.calibration(np.array(["a", "b", "c"])[y], rows, replicates=60)
    assert [event for _, event in result.events] == ["a", "b", "c", "top label"]
    alone = pr.calibration(y == 1, rows[:, 1], replicates=60).event()
    assert result.event(event="b").slope == pytest.approx(alone.slope, rel=1e-9)
    top = pr.calibration(rows.argmax(axis=1) == y, rows.max(axis=1), replicates=60).event()
    assert result.event(event="top label").in_the_large == pytest.approx(top.in_the_large, rel=1e-9)
    sharp = rows**3 / (rows**3).sum(axis=1, keepdims=True)
    assert pr.calibration(y, sharp, replicates=60).overall["classifier"].pvalue < 1e-6
    assert len(result.separate()) == 4
    with pytest.raises(InputError, match="must name one of"):
        result.event()
    with pytest.raises(InputError, match="must be among"):
        result.event(event="d")


def test_differences_of_slopes():
    y, p = sample(n=1000)
    extreme = p**2 / (p**2 + (1 - p) ** 2)
    result = pr.calibration(y, {"right": p, "extreme": extreme}, replicates=50)
    difference = result.differences["right", "extreme"]
    assert difference.value == pytest.approx(result.event("right").slope.value / 2, rel=1e-6)
    assert difference.pvalue < 1e-6
    same = pr.calibration(y, {"one": p, "two": p}, replicates=50).differences["one", "two"]
    assert same.value == 0
    assert "The slope of right minus that of extreme is" in result.conclusion()[-1]


def test_undefined_slopes():
    y, p = sample(n=50)
    certain = np.where(np.arange(50) < 3, 1.0, p)
    own = pr.calibration(y, certain, replicates=50)
    wrong = np.count_nonzero(~y[:3])
    assert wrong == 2
    text = "3 probabilities are 0 or 1, which have no log odds; 2 of them are wrong, which refutes calibration"
    assert own.event().undefined == text
    right = pr.calibration(y, np.where(np.arange(50) < 3, y, p), replicates=50).event()
    assert right.undefined == "3 probabilities are 0 or 1, which have no log odds"
    assert 0 < right.spiegelhalter.pvalue < 1
    assert np.isnan(own.event().slope.value)
    assert "no calibration slope, because 3 probabilities" in own.conclusion()[0]
    apart = pr.calibration([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9], replicates=50).event()
    assert "separate" in apart.undefined
    assert not np.isnan(apart.joint.pvalue)
    assert not np.isnan(apart.in_the_large.value)
    constant = pr.calibration([0, 0, 1, 1], [0.4] * 4, replicates=50).event()
    assert constant.undefined == "all probabilities are equal"
    assert constant.joint.df == 1


def test_a_constant_that_is_too_high_is_called_so():
    result = pr.calibration(np.arange(100) % 4 == 0, np.full(100, 0.9), replicates=50)
    (sentence,) = result.conclusion()
    assert sentence.startswith("classifier: its probabilities are too high on average: in the large -3.30 (")
    assert sentence.endswith("p < 0.001; no calibration slope, because all probabilities are equal.")
    assert repr(result) == "Calibration(classifier: no slope, p < 0.001)"
    right = pr.calibration(np.arange(100) % 4 == 0, np.full(100, 0.25), replicates=50)
    assert right.conclusion()[0].startswith("classifier: no miscalibration is shown: in the large")


@pytest.mark.parametrize("groups", [None, np.arange(100) // 2])
def test_an_outcome_of_probability_zero_refutes_the_probabilities(groups):
    y = np.arange(100) % 4 == 0
    p = np.where(np.arange(100) % 10 < 3, ~y, y).astype(float)
    result = pr.calibration(y, p, groups=groups, replicates=50)
    assert result.event().spiegelhalter == result.overall["classifier"] == (np.inf, 0.0)
    assert result.event().is_rejected(0.999)
    (sentence,) = result.conclusion()
    assert sentence.startswith(
        "classifier: its probabilities are not right: predicted 0.3500 on average, observed 0.25"
    )
    assert "Spiegelhalter's test p < 0.001" in sentence
    assert "30 of them are wrong, which refutes calibration" in sentence
    again = pr.reliability.result.Calibration.from_json(result.to_json())
    assert again.event().spiegelhalter == (np.inf, 0.0)
    with pytest.warns(pr.errors.MiscalibrationWarning):
        pr.operate(y, p, costs=[[0, 1], [3, 0]], calibrated=True)
    right = pr.calibration(y, y.astype(float), replicates=50)
    assert np.isnan(right.event().spiegelhalter.pvalue)
    assert "no miscalibration is shown" in right.conclusion()[0]
    assert "no test is defined" in right.conclusion()[0]


def test_what_cannot_be_evaluated():
    y, p = sample(n=50)
    with pytest.raises(NotApplicableError, match=r"calibration needs the probability of the positive class"):
        pr.calibration(y, 5 * p)
    with pytest.raises(NotApplicableError, match="case-control"):
        pr.calibration(pr.Scores(y, p, sampling="case-control"))
    with pytest.raises(InputError, match="replicates must be a whole number, 50 or more"):
        pr.calibration(y, p, replicates=3)


def test_seed_and_storage():
    y, p = sample(n=100)
    one, two = (pr.calibration(y, {"a": p, "b": p**2}, replicates=60, rng=5) for _ in range(2))
    assert one.to_dict() == two.to_dict()
    again = pr.results.Calibration.from_json(one.to_json())
    assert again.to_dict() == one.to_dict()
    assert again.rows() == one.rows()
    assert len(one.curve_rows()) == sum(len(own.curve.predicted) for own in one.events.values())
    assert "slope" in str(one)


def test_picture():
    y, p = sample(n=200)
    picture = pr.plot(pr.calibration(y, p, replicates=60))
    assert len(picture.bands) == 2
    assert len(picture.lines) == 1
    several = pr.plot(pr.calibration(y, {"a": p, "b": p**2}, replicates=60))
    assert [text.get_text() for text in several.legend.get_texts()] == ["a", "b", "right"]
    assert not several.bands
    with pytest.raises(InputError, match="band must be"):
        pr.plot(pr.calibration(y, p, replicates=60), band="wide")


@pytest.mark.slow
def test_command(tmp_path):
    y, p = sample(n=200)
    path = tmp_path / "risks.csv"
    path.write_text("sick,risk\n" + "".join(f"{int(a)},{b!r}\n" for a, b in zip(y, p.tolist(), strict=True)))
    done = polyroc("calibration", path, "--truth", "sick", "--scores", "risk", "--replicates", "60")
    assert done.returncode == 0
    assert "miscalibration" in done.stdout
    stored = json.loads(polyroc("calibration", path, "--truth", "sick", "--scores", "risk", "--json").stdout)
    expected = pr.calibration(y, p).event()
    assert stored["events"][0]["slope"]["value"] == pytest.approx(expected.slope.value, rel=1e-9)
    rows = polyroc(
        "calibration", path, "--truth", "sick", "--scores", "risk", "--csv", "--curve"
    ).stdout.splitlines()
    assert rows[0].startswith("classifier,event,predicted,observed,confidence_low")
    picture = tmp_path / "curve.svg"
    done = polyroc("plot", path, "--truth", "sick", "--scores", "risk", "--kind", "reliability", "-o", picture)
    assert done.returncode == 0
    assert picture.exists()


def test_operate_warns_if_probabilities_are_not_right():
    y, p = sample(n=500)
    pr.operate(y, p, costs=[[0, 1], [2, 0]], calibrated=True)  # no warning
    extreme = p**2 / (p**2 + (1 - p) ** 2)
    with pytest.warns(MiscalibrationWarning, match=r"'classifier' are not right for these cases \(p < 0\.001\)"):
        pr.operate(y, extreme, costs=[[0, 1], [2, 0]], calibrated=True)
    rows = np.random.default_rng(0).dirichlet(np.ones(3), 400)
    true = (rows.cumsum(axis=1) < np.random.default_rng(1).random((400, 1))).sum(axis=1)
    pr.operate(true, rows, calibrated=True)
    with pytest.warns(MiscalibrationWarning):
        pr.operate(true, rows**3 / (rows**3).sum(axis=1, keepdims=True), calibrated=True)
    assert np.isnan(calibration_pvalue(pr.Scores(y, p, sampling="case-control"), "classifier"))


def test_reversed_probabilities_are_named():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    y = rng.random(300) < p
    (sentence,) = pr.calibration(y, 1 - p, replicates=50).conclusion()
    assert "its probabilities are reversed (are they those of the other class?): slope -" in sentence


@pytest.mark.peer("rms 6.5-0 (R 4.2.2)", "val.prob: Brier score, C, slope, Spiegelhalter's test; glm: intercept")
def test_val_prob():
    """i <- 1:60; q <- (i - 0.5) / 60; y <- as.integer((i * 37) %% 60 < 60 * (0.2 + 0.6 * q))
    val.prob(plogis(0.4 + 1.3 * qlogis(q)), y, pl = FALSE); the slope of R has seven digits of convergence.
    """
    i = np.arange(1, 61)
    q = (i - 0.5) / 60
    y, p = (i * 37) % 60 < 60 * (0.2 + 0.6 * q), 1 / (1 + np.exp(-0.4) * ((1 - q) / q) ** 1.3)
    own = pr.calibration(y, p, replicates=50, rng=0).event()
    assert own.slope.value == pytest.approx(0.476954233994965, rel=1e-7)
    assert own.in_the_large.value == pytest.approx(-0.4, rel=1e-9)
    assert tuple(own.spiegelhalter) == pytest.approx((3.596667004704767, 0.000322320674485), rel=1e-10)
    values = [float(pr.evaluate(y, p, measure=key)) for key in ("brier", "auc")]
    assert values == pytest.approx([0.227620080572521, 0.74], rel=1e-12)
