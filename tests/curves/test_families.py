"""Families of curves: classifiers, one class against the rest, pairs of classes, folds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from polyroc.datasets import Binormal, catalogue
from polyroc.errors import InputError, NotApplicableError
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
    found = family["lda: setosa"]
    assert (found.classifier, found.positive, found.negative) == ("lda", "setosa", "not setosa")
    expected = pr.evaluate(iris, measure="ova")["lda", "ova"]
    assert found.area.standard_error == pytest.approx(expected.parts["setosa"].standard_error, rel=1e-9)
    assert family.whole["lda"].value == expected.value
    pairs = pr.curve(iris, multi_class="ovo")
    assert pairs.by == "pair"
    found = pairs["knn: A(setosa|virginica)"]
    assert (found.positive, found.negative, sum(found.provenance.cases.values())) == ("setosa", "virginica", 100)


def test_a_dict_gives_a_family_by_classifier_even_of_one():
    y, s = Binormal(1.0).sample(20, rng=0)
    family = pr.curve(y, {"only": s})
    assert isinstance(family, pr.Curves)
    assert [*family] == ["only"]
    assert family.areas["only"].value == pr.evaluate(y, s, measure="auc").value
    assert repr(family).startswith("Curves(roc by classifier: only 0.")
    assert family.thinned(points=10, tolerance=0.5)["only"].thresholds[0] == np.inf


def test_families_are_stored_and_read_back(iris):
    family = pr.curve(iris, multi_class="ova").thinned(points=50)
    back = pr.Curves.from_dict(family.to_dict())
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
    found = pr.curve(y, s, folds=fold, average="vertical", labels=[0, 1])
    points = fold_points(y, s, fold)
    for u in (rate, 0.5, *found.fpr):
        expected = np.mean([naive.height(p, u) for p in points])
        assert found.at(fpr=u).tpr == pytest.approx(expected, abs=ROUNDING)
    areas = [naive.auc(y[fold == k], s[fold == k], [1.0] * int((fold == k).sum())) for k in np.unique(fold)]
    assert found.area.value == pytest.approx(np.mean(areas), abs=ROUNDING)
    assert found.area.standard_error == pytest.approx(np.std(areas, ddof=1) / np.sqrt(len(areas)), abs=1e-9)
    assert (np.diff(found.fpr) >= 0).all()
    assert np.isnan(found.thresholds).all()


@given(folded())
def test_threshold_average_is_the_mean_of_the_rates_at_every_threshold(sample):
    y, s, fold = sample
    found = pr.curve(y, s, folds=fold, average="threshold", labels=[0, 1])
    for u, t, threshold in zip(found.fpr, found.tpr, found.thresholds, strict=True):
        rates = [[np.mean(s[(fold == k) & (y == c)] >= threshold) for c in (0, 1)] for k in np.unique(fold)]
        assert (u, t) == pytest.approx(tuple(np.mean(rates, axis=0)), abs=ROUNDING)
    assert found.area.value == pytest.approx(np.trapezoid(found.tpr, found.fpr), abs=ROUNDING)


def test_pooling_is_the_curve_of_all_cases():
    y, s = Binormal(1.0).sample(50, rng=0)
    fold = np.arange(100) % 5
    pooled, plain = pr.curve(y, s, folds=fold, average="pooled"), pr.curve(y, s)
    assert pooled.to_dict() == plain.to_dict()


def test_folds_may_come_as_groups_and_by_name():
    y, s = Binormal(1.0).sample(50, rng=0)
    fold = np.array(list("abcde") * 20)
    one = pr.curve(y, s, folds=fold, average="vertical")
    two = pr.curve(y, s, groups=fold, folds="groups", average="vertical")
    assert one.to_dict() == two.to_dict()
    family = pr.curve(y, s, folds=fold)
    assert (family.by, [*family]) == ("fold", [f"fold {k}" for k in range(1, 6)])
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


def test_a_vertical_average_has_a_band_over_folds():
    y, s = Binormal(1.0).sample(200, rng=0)
    found = pr.curve(y, s, folds=np.arange(400) % 10, average="vertical", band="pointwise")
    middle = np.array([found.at(fpr=u).tpr for u in found.band.x])
    assert (found.band.low <= middle + ROUNDING).all()
    assert (found.band.high >= middle - ROUNDING).all()
    assert found.band.method == "Student's interval over 10 folds"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"folds": [0, 0, 1, 1]}, InputError, "Fold 1 has no case of class '1'"),
        ({"folds": [0, 0, 0, 0]}, InputError, "two or more"),
        ({"folds": [0, 1, 0]}, InputError, "one group per case"),
        ({"folds": "fold"}, InputError, "or be 'groups'"),
        ({"folds": "groups"}, InputError, "there are none"),
        ({"folds": [0, 1, 0, 1], "groups": [0, 1, 0, 1]}, InputError, "combined with groups"),
        ({"folds": [0, 1, 0, 1], "kind": "pr"}, NotApplicableError, "ROC or DET"),
        ({"folds": [0, 1, 0, 1], "average": "threshold", "band": "pointwise"}, NotApplicableError, "pooled"),
        ({"folds": [0, 1, 0, 1], "average": "vertical", "area": "gini"}, NotApplicableError, "omit area"),
        ({"folds": [0, 1, 0, 1], "average": "vertical", "binormal": True}, NotApplicableError, "pooled"),
    ],
)
def test_folds_that_cannot_be_used(options, error, words):
    with pytest.raises(error, match=words):
        pr.curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], **options)


def test_an_averaged_curve_has_no_thresholds_to_ask_for():
    found = pr.curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], folds=[0, 1, 0, 1], average="vertical")
    with pytest.raises(InputError, match="no thresholds"):
        found.nearest(threshold=0.3)
