"""Families of curves: classifiers, one class against the rest, pairs of classes, folds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import naive
import polyroc as pr
from polyroc.datasets import Binormal, catalogue
from polyroc.errors import InputError, NotApplicableError, PooledFoldsWarning
from strategies import probabilities, ranked, weights

ROUNDING = 1e-12  # means of a dozen outcomes


@given(data=st.data())
def test_areas_are_the_parts_of_ova_and_hand_till(data):
    y, P = data.draw(probabilities())
    w = data.draw(st.one_of(st.none(), weights(y)))
    options = {"labels": range(P.shape[1]), "sample_weight": w, "method": None}
    for multi_class, measure in (("ova", "ova"), ("ovo", "hand_till")):
        family = pr.curve(y, P, multi_class=multi_class, **options)
        parts = pr.evaluate(y, P, measure=measure, **options).parts
        for key, curve in family.items():
            assert curve.area.value == pytest.approx(parts[key].value, abs=ROUNDING)
            assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(parts[key].value, abs=ROUNDING)
        assert family.whole["classifier"].measure == measure


@pytest.fixture(scope="module")
def iris():
    file = catalogue.path("iris_predictions")
    return pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")


def test_families_of_several_classifiers(iris):
    family = pr.curve(iris, multi_class="ova")
    assert (family.by, len(family)) == ("class", 9)
    result = family["lda: setosa"]
    assert (result.classifier, result.positive, result.negative) == ("lda", "setosa", "not setosa")
    expected = pr.evaluate(iris, measure="ova")["lda", "ova"]
    assert result.area.standard_error == pytest.approx(expected.parts["setosa"].standard_error, rel=1e-9)
    assert family.whole["lda"].value == expected.value
    pairs = pr.curve(iris, multi_class="ovo")
    assert pairs.by == "pair"
    result = pairs["knn: A(setosa|virginica)"]
    assert (result.positive, result.negative, sum(result.provenance.cases.values())) == (
        "setosa",
        "virginica",
        100,
    )


def test_a_dict_gives_a_family_by_classifier_even_of_one():
    y, s = Binormal(1.0).sample(20, rng=0)
    family = pr.curve(y, {"only": s})
    assert isinstance(family, pr.results.Curves)
    assert [*family] == ["only"]
    assert family.areas["only"].value == pr.evaluate(y, s, measure="auc").value
    assert repr(family).startswith("Curves(roc by classifier: only 0.")
    assert family.thinned(points=10, tolerance=0.5)["only"].thresholds[0] == np.inf


def test_families_are_stored_and_read_back(iris):
    family = pr.curve(iris, multi_class="ova").thinned(points=50)
    back = pr.results.Curves.from_dict(family.to_dict())
    assert back.to_dict() == family.to_dict()
    rows = family.rows()
    assert rows[0]["class"] == "lda: setosa"
    assert len(rows) == sum(len(curve) for curve in family.values())
    assert "<table>" in family._repr_html_()


def test_many_classes_need_columns():
    with pytest.raises(NotApplicableError, match="probabilities"):
        pr.curve([0, 1, 2], [0.1, 0.2, 0.3], multi_class="ova")
    with pytest.raises(InputError, match="No case of class '2'"):
        pr.curve([0, 1, 1], np.eye(3), multi_class="ovo", labels=[0, 1, 2])


# Folds -----------------------------------------------------------------------------------------------------------


@st.composite
def folded(draw):
    """Two or three folds with both classes each."""
    parts = [draw(ranked()) for _ in range(draw(st.integers(2, 3)))]
    fold = np.concatenate([np.full(len(y), k) for k, (y, _) in enumerate(parts)])
    return np.concatenate([y for y, _ in parts]), np.concatenate([s for _, s in parts]), fold


def fold_points(y, s, fold):
    return [naive.roc_points(y[fold == k], s[fold == k], [1.0] * int((fold == k).sum())) for k in np.unique(fold)]


@given(folded(), st.floats(0, 1))
def test_vertical_average_is_the_mean_at_every_rate(sample, rate):
    y, s, fold = sample
    curve = pr.curve(y, s, folds=fold, average="vertical", labels=[0, 1])
    points = fold_points(y, s, fold)
    for u in (rate, 0.5, *curve.fpr):
        expected = np.mean([naive.height(p, u) for p in points])
        assert curve.at(fpr=u).tpr == pytest.approx(expected, abs=ROUNDING)
    areas = [naive.auc(y[fold == k], s[fold == k], [1.0] * int((fold == k).sum())) for k in np.unique(fold)]
    assert curve.area.value == pytest.approx(np.mean(areas), abs=ROUNDING)
    rows = fold, np.zeros(len(y)), np.arange(len(y))
    _, variance = naive.cross_validated_auc(y, s, np.ones(len(y)), *rows)
    assert curve.area.standard_error**2 == pytest.approx(variance, abs=1e-9, nan_ok=True)
    assert (np.diff(curve.fpr) >= 0).all()
    assert np.isnan(curve.thresholds).all()


@given(folded())
def test_threshold_average_is_the_mean_of_the_rates_at_every_threshold(sample):
    y, s, fold = sample
    curve = pr.curve(y, s, folds=fold, average="threshold", labels=[0, 1])
    for u, t, threshold in zip(curve.fpr, curve.tpr, curve.thresholds, strict=True):
        rates = [[np.mean(s[(fold == k) & (y == c)] >= threshold) for c in (0, 1)] for k in np.unique(fold)]
        assert (u, t) == pytest.approx(tuple(np.mean(rates, axis=0)), abs=ROUNDING)
    assert curve.area.value == pytest.approx(np.trapezoid(curve.tpr, curve.fpr), abs=ROUNDING)


def test_pooling_is_the_curve_of_all_cases():
    y, s = Binormal(1.0).sample(50, rng=0)
    fold = np.arange(100) % 5
    pooled, plain = pr.curve(y, s, folds=fold, pooled=True), pr.curve(y, s)
    np.testing.assert_array_equal(pooled.tpr, plain.tpr)
    assert (pooled.area.value, pooled.area.standard_error) == (plain.area.value, plain.area.standard_error)
    assert pooled.area.provenance.pooled
    for same in (
        pr.curve(y, s, folds=fold, pooled=True),
        pr.curve(pr.Scores(y, s, folds=fold).pool_folds()),
    ):
        assert same.to_dict() == pooled.to_dict()


def test_pooling_folds_on_different_levels_warns():
    y, s = Binormal(1.0).sample(50, rng=0)
    fold = np.arange(100) % 5
    with pytest.warns(PooledFoldsWarning, match="differ between folds"):
        pr.curve(y, s + fold, folds=fold, pooled=True)


def test_the_average_of_folds_is_the_default_and_folds_have_names():
    y, s = Binormal(1.0).sample(50, rng=0)
    fold = np.array(list("abcde") * 20)
    one = pr.curve(y, s, folds=fold, average="vertical")
    two = pr.curve(pr.Scores(y, s, folds=fold))
    assert one.to_dict() == two.to_dict()
    family = pr.curve(y, s, folds=fold, average="none")
    assert (family.by, [*family]) == ("fold", [f"fold {k}" for k in "abcde"])
    assert np.mean([curve.area.value for curve in family.values()]) == pytest.approx(one.area.value)


def test_folds_of_many_classes_are_averaged_class_by_class():
    rng = np.random.default_rng(0)
    y, fold = np.tile([0, 1, 2], 40), np.repeat(range(4), 30)
    P = rng.dirichlet(np.ones(3), 120) + 0.5 * np.eye(3)[y]
    P /= P.sum(axis=1, keepdims=True)
    family = pr.curve(y, P, multi_class="ovo", folds=fold, average="vertical")
    inside = np.isin(y, (0, 1))
    areas = [naive.auc(1 - y[inside & (fold == k)], P[inside & (fold == k), 0], [1.0] * 20) for k in range(4)]
    assert family["A(0|1)"].area.value == pytest.approx(np.mean(areas), abs=ROUNDING)
    whole = pr.evaluate(y, P, measure="hand_till", folds=fold)
    assert family.whole["classifier"].value == whole.value
    assert family["A(0|1)"].area.standard_error == pytest.approx(whole.parts["A(0|1)"].standard_error)


def test_a_vertical_average_has_a_band_of_all_cases():
    y, s = Binormal(1.0).sample(200, rng=0)
    curve = pr.curve(y, s, folds=np.arange(400) % 10, average="vertical", band="pointwise")
    middle = np.array([curve.at(fpr=u).tpr for u in curve.band.x])
    assert (curve.band.low <= middle + ROUNDING).all()
    assert (curve.band.high >= middle - ROUNDING).all()
    # as wide as the band of one curve of as many cases, up to the different heights of the two curves
    plain = pr.curve(y, s, band="pointwise")
    widths = [np.mean(one.band.high - one.band.low) for one in (curve, plain)]
    assert widths[0] == pytest.approx(widths[1], rel=0.1)


@pytest.mark.slow
def test_the_band_of_a_vertical_average_covers_the_mean_curve_of_the_models():
    rng = np.random.default_rng(11)
    y, fold = np.repeat([0, 1], 60), np.tile(np.arange(60) % 5, 2)
    shift = np.array([0.6, 0.8, 1.0, 1.2, 1.4])  # five models of different quality, on different scales
    u = np.array([0.1, 0.3, 0.5])
    truth = np.mean([norm.cdf(d + norm.ppf(u)) for d in shift], axis=0)
    inside = []
    for _ in range(400):
        s = (rng.normal(size=120) + shift[fold] * y) * (1 + fold) + fold
        band = pr.curve(y, s, folds=fold, band="pointwise").band
        at = np.searchsorted(band.x, u - 1e-9)
        inside.append((band.low[at] <= truth) & (truth <= band.high[at]))
    coverage = np.mean(inside, axis=0)
    assert ((coverage > 0.93) & (coverage < 0.995)).all(), coverage  # 400 samples: standard error 0.011


def test_repeats_of_a_curve_are_averaged_too():
    y, s = Binormal(1.0).sample(50, rng=0)
    fold = np.arange(100) % 5
    once = pr.curve(y, s, folds=fold, band="pointwise")
    repeats = {"folds": np.tile(fold, 2), "repeats": np.repeat([0, 1], 100)}
    twice = pr.curve(np.tile(y, 2), np.tile(s, 2), **repeats, band="pointwise")
    np.testing.assert_allclose(twice.tpr, once.tpr)
    np.testing.assert_allclose(twice.band.low, once.band.low)  # the same cases are no new information
    assert twice.area.standard_error == pytest.approx(once.area.standard_error)
    with pytest.raises(NotApplicableError, match="cases are repeated; use method=Bootstrap"):
        pr.curve(np.tile(y, 2), np.tile(s, 2), **repeats, band="pointwise", pooled=True)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"folds": [0, 0, 1, 1]}, InputError, "fold 0: '1'; fold 1: '0'"),
        ({"folds": [0, 0, 1, 1], "average": "none"}, InputError, "fold 0: '1'; fold 1: '0'"),
        ({"folds": [0, 0, 0, 0]}, InputError, "two or more"),
        ({"folds": [0, 1, 0]}, InputError, "one fold per row"),
        ({"average": "vertical"}, InputError, "pass folds"),
        ({"folds": [0, 1, 0, 1], "kind": "pr"}, NotApplicableError, "ROC or DET"),
        ({"folds": [0, 1, 0, 1], "average": "threshold", "band": "pointwise"}, NotApplicableError, "pooled=True"),
        ({"folds": [0, 1, 0, 1], "average": "threshold", "area": "gini"}, NotApplicableError, "omit area"),
        ({"folds": [0, 1, 0, 1], "average": "vertical", "binormal": True}, NotApplicableError, "pooled=True"),
    ],
)
def test_folds_that_cannot_be_used(options, error, words):
    with pytest.raises(error, match=words):
        pr.curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], **options)


def test_an_averaged_curve_has_no_thresholds_to_ask_for():
    curve = pr.curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], folds=[0, 1, 0, 1], average="vertical")
    with pytest.raises(InputError, match="no thresholds"):
        curve.nearest(threshold=0.3)
