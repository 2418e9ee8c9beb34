"""The binormal fit: published examples, known models, and data that have no fit."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtr

import naive
import polyroc as pr
from polyroc.datasets import Binormal
from polyroc.errors import NotApplicableError


def ratings(normal, abnormal):
    """Cases from counts by rising rating."""
    k = len(normal)
    return np.repeat([0] * k + [1] * k, [*normal, *abnormal]), np.repeat([*range(k)] * 2, [*normal, *abnormal])


def fit(y, s, **options):
    return pr.curve(y, s, binormal=True, method=None, **options).binormal


@pytest.mark.unverified("Stata's manual, rocfit", "the binormal fit of Hanley & McNeil's ratings")
def test_ratings_of_hanley_and_mcneil():
    """Their 109 images. The digits are recalled from Stata's manual (rocfit), whose text was not at hand."""
    fitted = fit(*ratings((33, 6, 6, 11, 2), (3, 2, 2, 11, 33)))
    assert fitted.a == pytest.approx(1.656782, abs=1e-6)
    assert fitted.b == pytest.approx(0.713002, abs=1e-6)
    assert fitted.standard_errors == pytest.approx((0.310456, 0.215882), abs=1e-6)
    assert fitted.area.value == pytest.approx(0.911331, abs=1e-6)
    assert fitted.area.standard_error == pytest.approx(0.029506, abs=1e-6)
    assert fitted.log_likelihood == pytest.approx(-123.64855, abs=1e-5)
    assert fitted.d_a == pytest.approx(1.907771, abs=1e-6)
    assert fitted.categories == 5


@pytest.mark.published("Chakraborty (2017), sections 7.5 and 7.7", "the binormal fit: a, b and area")
def test_ratings_of_chakraborty():
    """Observer Performance Methods for Diagnostic Imaging (2017), chapter 7: a, b and area as printed there.

    The counts are those of his text. 1e-5: his optimiser stops.
    """
    fitted = fit(*ratings((30, 19, 8, 2, 1), (5, 6, 5, 12, 22)))
    assert (fitted.a, fitted.b) == pytest.approx((1.320453, 0.607497), abs=1e-5)
    assert fitted.area.value == pytest.approx(0.8704519, abs=1e-6)


@pytest.mark.parametrize("counts", [((33, 6, 6, 11, 2), (3, 2, 2, 11, 33)), ((9, 0, 4, 1), (1, 3, 2, 8))])
def test_the_likelihood_has_its_maximum_there(counts):
    """Against a general optimiser on the loop definition."""
    fitted = fit(*ratings(*counts))
    negatives, positives = counts
    k = len(negatives)

    def cost(theta):
        cuts = theta[2] + np.concatenate([[0.0], np.cumsum(np.exp(theta[3:]))])
        return -naive.binormal_log_likelihood(negatives, positives, theta[0], np.exp(theta[1]), cuts)

    best = minimize(cost, np.concatenate([[1.0, 0.0, -0.5], np.full(k - 2, -0.7)]), method="BFGS")
    assert fitted.log_likelihood == pytest.approx(-best.fun, abs=1e-7)
    assert (fitted.a, fitted.b) == pytest.approx((best.x[0], np.exp(best.x[1])), abs=1e-4)  # BFGS stops early


def test_continuous_scores_recover_their_model_whatever_the_scale():
    model = Binormal(1.2, 1.5)
    y, s = model.sample(4000, rng=0)
    fitted = fit(y, s)
    a, b = 1.2 / 1.5, 1 / 1.5
    assert abs(fitted.a - a) < 3.3 * fitted.standard_errors[0]  # once in a thousand
    assert abs(fitted.b - b) < 3.3 * fitted.standard_errors[1]
    assert abs(fitted.area.value - model.auc) < 3.3 * fitted.area.standard_error
    assert fitted.separation == pytest.approx(1.2, abs=0.12)
    assert fitted.ratio_of_spreads == pytest.approx(1.5, abs=0.12)
    other = fit(y, np.exp(s))
    assert (other.a, other.b) == pytest.approx((fitted.a, fitted.b), abs=1e-9)


@pytest.mark.slow
def test_standard_errors_are_those_of_repeated_samples():
    model, times = Binormal(1.0), 150
    fits = [fit(*model.sample(60, rng=seed)) for seed in range(times)]
    for value, error in (
        ([f.a for f in fits], [f.standard_errors[0] for f in fits]),
        ([f.b for f in fits], [f.standard_errors[1] for f in fits]),
        ([f.area.value for f in fits], [f.area.standard_error for f in fits]),
    ):
        assert np.std(value, ddof=1) == pytest.approx(np.mean(error), rel=0.2)  # sd of 150: 6 %, three of them
    pulls = np.array([(f.area.value - model.auc) / f.area.standard_error for f in fits])
    assert abs(pulls.mean()) < 3.3 / np.sqrt(times)


def test_runs_of_one_class_are_one_category():
    y, s = Binormal(1.0).sample(40, rng=2)
    order = np.argsort(s)
    runs = 1 + int((np.diff(y[order]) != 0).sum())
    fitted = fit(y, s)
    assert fitted.categories == runs
    joined = np.empty(80)
    joined[order] = np.concatenate([[0], np.cumsum(np.diff(y[order]) != 0)])
    other = fit(y, joined)
    assert (other.a, other.b, other.log_likelihood) == pytest.approx((fitted.a, fitted.b, fitted.log_likelihood))


def test_weights_count_as_cases_but_give_no_standard_error():
    normal, abnormal = (33, 6, 6, 11, 2), (3, 2, 2, 11, 33)
    y, s = np.repeat([0, 1], 5), np.tile(range(5), 2)
    fitted = fit(y, s, sample_weight=[*normal, *abnormal])
    expected = fit(*ratings(normal, abnormal))
    assert (fitted.a, fitted.b) == pytest.approx((expected.a, expected.b), abs=1e-9)
    assert np.isnan(fitted.area.standard_error)


def test_the_smooth_curve_can_be_drawn():
    fitted = fit(*ratings((33, 6, 6, 11, 2), (3, 2, 2, 11, 33)))
    assert (fitted.fpr[0], fitted.tpr[0], fitted.fpr[-1], fitted.tpr[-1]) == (0, 0, 1, 1)
    assert fitted.at(0.5) == pytest.approx(ndtr(fitted.a))
    assert np.trapezoid(fitted.tpr, fitted.fpr) == pytest.approx(fitted.area.value, abs=2e-4)  # 201 points
    assert repr(fitted) == "BinormalFit(a = 1.6568 (0.3105), b = 0.7130 (0.2159), area 0.9113 (0.0295))"
    assert [row["parameter"] for row in fitted.rows()] == ["a", "b", "area"]
    assert pr.results.BinormalFit.from_dict(fitted.to_dict()).to_dict() == fitted.to_dict()


@pytest.mark.parametrize(
    ("y", "s"),
    [
        ([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6]),  # no overlap
        ([0, 0, 0, 1, 1, 1], [4, 5, 6, 1, 2, 3]),  # none, the wrong way round
        ([0, 0, 1, 1], [1, 1, 1, 1]),  # one score
        ([0, 0, 1, 1], [1, 2, 1, 2]),  # one cut: a line, but which?
        ([0, 0, 1, 1, 1], [3, 4, 1, 5, 6]),  # all points on one upright and one level line
    ],
)
def test_data_without_a_fit_are_rejected(y, s):
    with pytest.raises(NotApplicableError, match="binormal curve cannot be fitted"):
        fit(y, s)


@pytest.mark.slow
def test_small_samples_either_fit_or_are_rejected():
    settled = 0
    for seed in range(200):
        y, s = Binormal(1.5).sample((5, 4), rng=seed)
        try:
            fitted = fit(y, s)
        except NotApplicableError:
            continue
        settled += 1
        assert np.isfinite([fitted.a, fitted.b, fitted.area.value]).all()
        assert fitted.b > 0
    assert settled > 60


def test_the_likelihood_of_many_cases_settles():
    """Of 480 million cases a last step promises less than the likelihood is rounded by."""
    y, s = Binormal(1.0).sample((60, 60), rng=0)
    one, many = fit(y, s), fit(y, s, sample_weight=np.full(120, 4e6))
    assert (many.a, many.b) == pytest.approx((one.a, one.b), abs=1e-6)  # a standard error is 2e-4 of these
