import numpy as np
import pytest
from hypothesis import assume, given

import naive
from polyroc.errors import InputError, NotApplicableError
from polyroc.inference.methods.hanley_mcneil import HanleyMcNeil, area_variance, exponential
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
    with pytest.raises(NotApplicableError, match="no covariance of paired classifiers, here 2"):
        hanley_mcneil("auc", samples_of(y, {"a": s, "b": s}))
    with pytest.raises(InputError, match="'nonparametric' or 'exponential', got 'normal'"):
        HanleyMcNeil("normal")
