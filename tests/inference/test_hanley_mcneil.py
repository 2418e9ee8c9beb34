import numpy as np
import pytest
from hypothesis import assume, given
from scipy import stats

import naive
import polyroc as pr
from polyroc.errors import InputError, NotApplicableError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil, area_correlation, area_variance, exponential
from polyroc.measures.registry import measure as find
from samples import samples_of
from strategies import ranked


def hanley_mcneil(key, samples, kind="nonparametric"):
    return HanleyMcNeil(kind).covariance(find(key), samples).covariance


def standard_error(y, s, kind="nonparametric", measure="auc"):
    return float(hanley_mcneil(measure, samples_of(y, s), kind)[0, 0]) ** 0.5


@pytest.mark.published(
    "Hanley & McNeil (1982), table I",
    "the standard error 0.032, which counts a double tie one third; ours count it a quarter",
)
def test_t3_hanley_and_mcneil_ratings():
    """58 normal and 51 abnormal images, Hanley & McNeil (1982), table I; their own .032 counts double ties 1/3."""
    count = [33, 6, 6, 11, 2, 3, 2, 2, 11, 33]
    y, rating = np.repeat([0] * 5 + [1] * 5, count), np.repeat([1.0, 2, 3, 4, 5] * 2, count)
    assert standard_error(y, rating) == pytest.approx(0.03069, abs=5e-6)
    assert standard_error(y, rating, "exponential") == pytest.approx(0.03249, abs=5e-6)
    assert standard_error(y, rating, measure="gini") == pytest.approx(2 * standard_error(y, rating), rel=1e-15)
    assert area_variance(0.8931711, 51, 58, 0.8182043, 0.8312505) ** 0.5 == pytest.approx(0.03199, abs=5e-6)


@pytest.mark.published(
    "Bradley (1997), figure 15", "the standard error of an area by the exponential approximation"
)
@pytest.mark.parametrize(
    ("area", "errors"),
    [
        (0.75, (0.07789, 0.04884, 0.03443, 0.02431)),
        (0.85, (0.06238, 0.03905, 0.02752, 0.01943)),
        (0.95, (0.03641, 0.02274, 0.01601, 0.01129)),
    ],
)
def test_t15_figure_15_of_bradley(area, errors):
    for n, error in zip((20, 50, 100, 200), errors, strict=True):
        assert area_variance(area, n, n, *exponential(area)) ** 0.5 == pytest.approx(error, abs=5e-6)


@pytest.mark.published(
    "Hand & Till (2001), equation 6", "Q of the list of ten cases by the corrected equation: 0.928"
)
def test_the_list_of_hand_and_till():
    """Positives at ranks 5, 7, 8, 9, 10: Qa = Qb = .928, where the printed equation 6 would give 246 and 139."""
    y, s = [0, 0, 0, 0, 1, 0, 1, 1, 1, 1], np.arange(10.0)
    expected = area_variance(0.96, 5, 5, 0.928, 0.928)
    assert standard_error(y, s) == pytest.approx(expected**0.5, rel=1e-12)


@given(ranked())
def test_nonparametric_is_the_formula_of_the_definition(case):
    y, s = case
    n0, n1 = int((y == 1).sum()), int((y == 0).sum())
    assume(min(n0, n1) > 1)
    psi = np.array([[naive.psi(a, b) for b in s[y == 0]] for a in s[y == 1]])
    Qa, Qb, area = np.mean(psi.mean(axis=0) ** 2), np.mean(psi.mean(axis=1) ** 2), psi.mean()
    expected = (area * (1 - area) + (n0 - 1) * (Qa - area**2) + (n1 - 1) * (Qb - area**2)) / (n0 * n1)
    assert hanley_mcneil("auc", samples_of(y, s))[0, 0] == pytest.approx(expected, abs=1e-15)


def test_a_class_of_one_case():
    assert np.isnan(standard_error([0, 0, 1], [1.0, 2, 3]))
    assert standard_error([0, 0, 1], [1.0, 3, 2], "exponential") ** 2 == pytest.approx(
        area_variance(0.5, 1, 2, 1 / 3, 1 / 3)
    )
    assert np.isnan(hanley_mcneil("auc", samples_of([1, 1], [1.0, 2], labels=[0, 1]), "exponential")[0, 0])


def test_what_it_cannot_do_is_rejected():
    y, s = [0, 0, 1, 1], [1.0, 2, 3, 4]
    with pytest.raises(NotApplicableError, match=r"auc, gini, not for partial_auc; use method=Influence\(\) or"):
        hanley_mcneil("partial_auc", samples_of(y, s))
    with pytest.raises(NotApplicableError, match=r"there are sample_weight; .*use method=Influence"):
        hanley_mcneil("auc", samples_of(y, s, sample_weight=[1, 2, 3, 4]))
    with pytest.raises(InputError, match="'nonparametric' or 'exponential', got 'normal'"):
        HanleyMcNeil("normal")


# Classifiers on the same cases

AREAS = (0.7, 0.725, 0.75, 0.775, 0.8, 0.825, 0.85, 0.875, 0.9, 0.925, 0.95, 0.975)
TABLE = {  # by mean correlation of the scores, at these mean areas
    0.02: (0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01),
    0.10: (0.09, 0.09, 0.09, 0.08, 0.08, 0.08, 0.08, 0.07, 0.07, 0.06, 0.06, 0.04),
    0.30: (0.27, 0.27, 0.27, 0.26, 0.26, 0.25, 0.25, 0.24, 0.23, 0.21, 0.19, 0.16),
    0.50: (0.47, 0.46, 0.46, 0.45, 0.45, 0.44, 0.43, 0.42, 0.41, 0.39, 0.37, 0.32),
    0.70: (0.67, 0.66, 0.66, 0.66, 0.65, 0.65, 0.64, 0.63, 0.62, 0.60, 0.58, 0.54),
    0.90: (0.88, 0.88, 0.88, 0.88, 0.87, 0.87, 0.87, 0.86, 0.86, 0.85, 0.84, 0.82),
}


@pytest.mark.unverified("Hanley & McNeil (1983), table I", "correlations of areas, by a copy of the table")
@pytest.mark.parametrize("correlation", TABLE)
def test_the_correlation_of_areas_is_in_the_table(correlation):
    """To half a digit and a tenth: the table was made by numerical integration."""
    areas = [area_correlation(area, correlation, 50, 50) for area in AREAS]
    assert areas == pytest.approx(TABLE[correlation], abs=0.006)


@pytest.mark.slow
@pytest.mark.parametrize(("area", "correlation"), [(0.7, 0.4), (0.9, -0.3), (0.8, 0.95)])
def test_the_correlation_of_areas_is_that_of_its_definition(area, correlation):
    """By the bivariate normal distribution function, numerically."""

    def both(r):
        return stats.multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf(stats.norm.ppf([area, area])) - area**2

    n0, n1 = 12, 30
    covariance = both(correlation) + (n0 - 1 + n1 - 1) * both(correlation / 2)
    variance = area * (1 - area) + (n0 - 1 + n1 - 1) * both(0.5)
    assert area_correlation(area, correlation, n0, n1) == pytest.approx(covariance / variance, abs=1e-6)


def test_paired_covariance():
    """The same score has correlation 1, the reverse one is no better known; a constant one adds nothing."""
    y, s = np.repeat([0, 1], 20), np.r_[0:20, 8:28].astype(float)
    covariance = hanley_mcneil("auc", samples_of(y, {"a": s, "b": 2 * s + 1, "c": np.zeros(40)}))
    assert covariance[0, 1] == pytest.approx(covariance[0, 0], rel=1e-9)
    assert covariance[0, 2] == 0.0
    assert hanley_mcneil("gini", samples_of(y, {"a": s, "b": s}))[0, 1] == pytest.approx(4 * covariance[0, 1])
    best = hanley_mcneil("auc", samples_of(y, {"a": s, "best": y + 0.0}))
    assert best.tolist() == [[covariance[0, 0], 0.0], [0.0, 0.0]]


@pytest.mark.slow
def test_the_paired_error_is_the_spread_of_the_difference():
    """600 draws of normal scores: both have three decimals in common with the empirical standard deviation."""
    rng, y = np.random.default_rng(0), np.repeat([0, 1], (60, 50))
    differences, errors = [], []
    for _ in range(600):
        shared = rng.normal(size=110)
        scores = {name: shared + rng.normal(size=110) + shift * y for name, shift in (("a", 1.5), ("b", 1.0))}
        difference = pr.compare(y, scores, measure="auc", method="hanley-mcneil").difference("a", "b")
        differences.append(difference.value)
        errors.append(difference.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(differences), rel=0.1)  # 3 standard errors of an SD of 600
