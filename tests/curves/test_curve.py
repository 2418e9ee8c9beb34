"""Curves of two classes: points, areas, places, thinning; the same points as scikit-learn's."""

import pickle
from dataclasses import FrozenInstanceError
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, det_curve, precision_recall_curve, roc_curve

import naive
import polyroc as pr
from polyroc.curves.points import KINDS
from polyroc.datasets import Binormal
from polyroc.errors import InputError, MeasureError, NotApplicableError, PolyrocError, SmallClassWarning
from polyroc.measures.registry import MEASURES
from samples import samples_of
from strategies import ranked, weights

ROUNDING = 1e-12  # sums of a dozen rates


def quiet_curve(y, s, **options):
    """A curve whose area has no standard error, so that tiny classes raise no warning."""
    return pr.curve(y, s, method=None, labels=[0, 1], **options)


@given(data=st.data())
def test_points_are_those_of_every_threshold(data):
    y, s = data.draw(ranked())
    w = data.draw(st.one_of(st.just(np.ones(len(y))), weights(y)))
    curve = quiet_curve(y, s, sample_weight=w)
    twin = naive.roc_points(y, s, w)
    moved = [p for p, q in zip(twin[1:], twin, strict=False) if p != q]  # scores of weight zero call nothing
    assert np.allclose(np.stack([curve.fpr, curve.tpr], axis=1)[1:], moved, atol=ROUNDING)
    assert (curve.fpr[0], curve.tpr[0], curve.thresholds[0]) == (0, 0, np.inf)
    assert (curve.fpr[-1], curve.tpr[-1]) == (1, 1)
    assert (np.diff(curve.thresholds) < 0).all()


@given(data=st.data())
def test_area_under_the_points_is_the_auc(data):
    y, s = data.draw(ranked())
    w = data.draw(st.one_of(st.none(), weights(y)))
    curve = quiet_curve(y, s, sample_weight=w)
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(curve.area.value, abs=ROUNDING)
    dropped = quiet_curve(y, s, sample_weight=w, drop_intermediate=True)
    assert np.trapezoid(dropped.tpr, dropped.fpr) == pytest.approx(curve.area.value, abs=ROUNDING)


def test_area_is_what_evaluate_gives():
    y, s = Binormal(1.0).sample((40, 60), rng=3)
    for method in (pr.methods.Influence(), pr.methods.Bootstrap(replicates=50, rng=1)):
        result, expected = pr.curve(y, s, method=method).area, pr.evaluate(y, s, measure="auc", method=method)
        assert result.to_dict() == expected.to_dict()
    partial = "partial_auc(fpr=(0, 0.2))"
    assert pr.curve(y, s, area=partial).area.to_dict() == pr.evaluate(y, s, measure=partial).to_dict()


@pytest.mark.peer("scikit-learn", "roc_curve: every point and threshold, ties and weights included")
@given(data=st.data())
def test_roc_points_are_scikit_learns(data):
    y, s = data.draw(ranked())
    w = data.draw(st.one_of(st.none(), weights(y)))
    curve = quiet_curve(y, s, sample_weight=w)
    fpr, tpr, thresholds = roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    assert np.allclose(curve.fpr, fpr, atol=ROUNDING)
    assert np.allclose(curve.tpr, tpr, atol=ROUNDING)
    assert (curve.thresholds == thresholds).all()


@pytest.mark.peer("scikit-learn", "precision_recall_curve: every point and threshold, ties and weights included")
@given(data=st.data())
def test_precision_recall_points_are_scikit_learns_turned_round(data):
    """Scikit-learn goes from the lowest threshold up, and its last point has no threshold."""
    y, s = data.draw(ranked())
    w = data.draw(st.one_of(st.none(), weights(y)))
    drop = data.draw(st.booleans())
    curve = quiet_curve(y, s, kind="pr", sample_weight=w, drop_intermediate=drop)
    precision, recall, thresholds = precision_recall_curve(y, s, sample_weight=w, drop_intermediate=drop)
    if drop:  # scikit-learn looks at the highest score as an end, we at infinity: one point more or less
        inside = np.isin(curve.thresholds, thresholds)
        assert inside.sum() >= len(curve) - 2
        place = [np.flatnonzero(thresholds == t)[0] for t in curve.thresholds[inside]]
        assert np.allclose(curve.precision[inside], precision[place], atol=ROUNDING)
        return
    assert np.allclose(curve.precision, precision[::-1], atol=ROUNDING)
    assert np.allclose(curve.recall, recall[::-1], atol=ROUNDING)
    assert (curve.thresholds[1:] == thresholds[::-1]).all()
    assert (curve.x == curve.recall).all()


@pytest.mark.peer("scikit-learn", "det_curve: every point and threshold that it keeps")
@given(data=st.data())
def test_det_points_are_scikit_learns_turned_round(data):
    """Scikit-learn goes from the lowest threshold up, and cuts ends on which one of the rates does not change."""
    y, s = data.draw(ranked())
    w = data.draw(st.one_of(st.none(), weights(y)))
    curve = quiet_curve(y, s, kind="det", sample_weight=w)
    fpr, fnr, thresholds = det_curve(y, s, sample_weight=w, drop_intermediate=False)
    place = [np.flatnonzero(curve.thresholds == t)[0] for t in thresholds]
    assert (np.diff(place) == -1).all()
    assert np.allclose(curve.fpr[place], fpr, atol=ROUNDING)
    assert np.allclose(curve.fnr[place], fnr, atol=ROUNDING)


def test_det_is_drawn_in_normal_deviates():
    curve = pr.curve([0, 1, 0, 1], [1.0, 2.0, 3.0, 4.0], kind="det")
    assert curve.x == pytest.approx([-np.inf, -np.inf, 0, 0, np.inf])
    assert curve.y == pytest.approx([np.inf, 0, 0, -np.inf, -np.inf])


@given(ranked())
def test_dropped_points_carry_nothing(sample):
    y, s = sample
    whole, few = quiet_curve(y, s), quiet_curve(y, s, drop_intermediate=True)
    assert len(few) <= len(roc_curve(y, s)[0])
    assert set(few.thresholds) <= set(whole.thresholds)
    points = list(zip(few.fpr, few.tpr, strict=True))
    for u, t in zip(whole.fpr, whole.tpr, strict=True):
        gaps = [abs((b[0] - a[0]) * (t - a[1]) - (b[1] - a[1]) * (u - a[0])) for a, b in pairwise(points)]
        assert min(gaps) < ROUNDING


@given(ranked(), st.floats(0, 1))
def test_at_is_the_straight_line_between_points(sample, rate):
    y, s = sample
    curve = quiet_curve(y, s)
    points = naive.roc_points(y, s, [1.0] * len(y))
    rule = curve.at(fpr=rate)
    assert rule.fpr == rate
    assert rule.tpr == pytest.approx(naive.height(points, rate), abs=ROUNDING)
    mirrored = [(-t, -u) for u, t in points[::-1]]
    assert curve.at(tpr=rate).fpr == pytest.approx(-naive.height(mirrored, -rate), abs=ROUNDING)
    for r in (rule, curve.at(tpr=rate)):
        first, second = (curve.nearest(threshold=t) for t in r.thresholds)
        mixed = [(1 - r.probability) * a + r.probability * b for a, b in zip(first[:2], second[:2], strict=True)]
        assert mixed == pytest.approx([r.fpr, r.tpr], abs=ROUNDING)


@given(ranked())
def test_height_is_that_of_what_is_drawn(sample):
    y, s = sample
    roc, det, pr_, cost = (quiet_curve(y, s, kind=kind) for kind in ("roc", "det", "pr", "cost"))
    for u in (0.0, 0.3, 1.0):
        assert roc.height(u) == roc.at(fpr=u).tpr
        assert det.height(u) == pytest.approx(1 - roc.height(u))
        assert cost.height(u) == pytest.approx(naive.least_cost(list(zip(roc.fpr, roc.tpr, strict=True)), u))
    for recall, precision in zip(pr_.recall, pr_.precision, strict=True):  # the best of equal recall
        assert pr_.height(recall) >= precision - ROUNDING
    with pytest.raises(InputError):
        cost.height(3)


def test_nearest_is_a_threshold_that_exists():
    curve = pr.curve([0, 0, 0, 0, 1, 0, 1, 1, 1, 1], range(10))
    assert curve.nearest(fpr=0.25) == (0.2, 1.0, 4.0)  # the better of three with this rate
    assert curve.nearest(tpr=0.75) == (0.0, 0.8, 6.0)
    assert curve.nearest(threshold=5.5) == (0.0, 0.8, 6.0)
    assert curve.nearest(threshold=100) == (0.0, 0.0, np.inf)


@given(data=st.data())
def test_partial_areas_are_those_of_the_measure(data):
    y, s = data.draw(ranked())
    w = data.draw(st.one_of(st.none(), weights(y)))
    low = data.draw(st.sampled_from([0.0, 0.1, 0.5, 1 / 3]))
    high = data.draw(st.sampled_from([0.6, 2 / 3, 1.0]))
    curve = quiet_curve(y, s, sample_weight=w)
    for along in ("fpr", "tpr"):
        for standardised in (True, False):
            options = {along: (low, high), "standardised": standardised}
            expected = pr.evaluate(
                y, s, measure=pr.measure("partial_auc", **options), method=None, labels=[0, 1], sample_weight=w
            )
            assert curve.partial_area(**options) == pytest.approx(expected.value, abs=1e-9)  # ends fall on points


@pytest.mark.slow
@pytest.mark.peer("scikit-learn", "average_precision_score, weighted")
@given(data=st.data())
def test_average_precision_is_scikit_learns(data):
    y, s = data.draw(ranked())
    w = data.draw(st.one_of(st.just(np.ones(len(y))), weights(y)))
    value = quiet_curve(y, s, kind="pr", sample_weight=w).area.value
    assert value == pytest.approx(naive.average_precision(y, s, w), abs=ROUNDING)
    assert value == pytest.approx(average_precision_score(y, s, sample_weight=w), abs=ROUNDING)


@given(data=st.data())
def test_cost_curve_is_the_least_cost_of_all_thresholds(data):
    y, s = data.draw(ranked())
    w = data.draw(st.one_of(st.just(np.ones(len(y))), weights(y)))
    curve = quiet_curve(y, s, kind="cost", sample_weight=w)
    points = naive.roc_points(y, s, w)
    for p in np.linspace(0, 1, 23):
        assert np.interp(p, curve.x, curve.y) == pytest.approx(naive.least_cost(points, p), abs=ROUNDING)
    assert curve.area.value == pytest.approx(naive.cost_area(y, s, w), abs=ROUNDING)
    assert np.trapezoid(curve.y, curve.x) == pytest.approx(curve.area.value, abs=ROUNDING)


@pytest.mark.parametrize("kind", ["pr", "cost"])
def test_components_of_areas_are_derivatives(kind):
    """By how much the value moves with the share of a case in its class, by central differences."""
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [9, 7])
    s, w = np.round(rng.normal(size=16) + y, 1), rng.uniform(0.5, 2.0, 16)
    (sample,) = samples_of(y, s, sample_weight=w)
    measure, step = KINDS[kind].area, 1e-6
    statistic = measure(sample)
    for stratum in statistic.strata():
        cases = stratum.cases()
        mean = np.average(stratum.components, weights=w[cases])
        for case, component in zip(cases, stratum.components, strict=True):
            changes = []
            for side in (step, -step):
                moved = w.copy()
                moved[case] += side * w[cases].sum()
                moved[cases] *= w[cases].sum() / moved[cases].sum()  # class sizes are given
                changes.append(measure(sample.reweighted(moved)).value)
            slope = (changes[0] - changes[1]) / (2 * step)
            assert slope == pytest.approx(component - mean, abs=1e-6)  # rounding / step


@pytest.mark.parametrize("kind", ["pr", "cost"])
def test_linearised_errors_of_areas_are_near_the_bootstrap(kind):
    y, s = Binormal(1.0).sample((300, 200), rng=8)
    formula = pr.curve(y, s, kind=kind).area.standard_error
    drawn = pr.curve(y, s, kind=kind, method=pr.methods.Bootstrap(replicates=600, rng=0)).area.standard_error
    assert formula == pytest.approx(drawn, rel=0.12)  # the bootstrap's own error is 1 / sqrt(1200) = 3 %


def test_weights_repeat_cases():
    y, s = Binormal(1.0).sample(12, rng=0)
    w = np.random.default_rng(1).integers(1, 4, 24)
    for kind in ("roc", "pr", "det", "cost"):
        curve = pr.curve(y, s, kind=kind, sample_weight=w, method=None)
        expected = pr.curve(np.repeat(y, w), np.repeat(s, w), kind=kind, method=None)
        assert curve.x == pytest.approx(expected.x)
        assert curve.y == pytest.approx(expected.y)
        assert curve.area.value == pytest.approx(expected.area.value, abs=ROUNDING)


# Thinning --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["roc", "pr", "det"])
def test_thinned_curves_keep_the_area(kind):
    y, s = Binormal(1.0).sample(200_000, rng=2)
    whole = pr.curve(y, s, kind=kind, method=None)
    few = whole.thinned(points=2000)
    assert len(few) <= 2000
    assert set(few.thresholds) <= set(whole.thresholds)
    height, base = ("precision", "recall") if kind == "pr" else ("tpr", "fpr")
    drawn, true = (np.trapezoid(getattr(c, height), getattr(c, base)) for c in (few, whole))
    assert abs(drawn - true) < (1e-4 if kind == "pr" else 1e-5)
    assert (few.fpr[-1], few.tpr[-1], few.thresholds[0]) == (1, 1, np.inf)
    assert few.area.value == whole.area.value


def test_a_staircase_made_to_fool_thinning_still_keeps_its_area():
    """Positive, negative, positive ...: a corner at every step, and all that is cut off lies on one side."""
    n = 3000
    y, s = np.tile([1, 0], n), np.arange(2 * n, 0, -1)
    whole = pr.curve(y, s, method=None)
    few = whole.thinned(points=1000)
    drawn = np.trapezoid(few.tpr, few.fpr)
    assert abs(drawn - whole.area.value) <= 1e-4
    assert len(whole.thinned(points=100, tolerance=0.1)) <= 100


@given(ranked(), st.integers(2, 12))
def test_thinning_never_moves_the_area_beyond_the_tolerance(sample, points):
    y, s = sample
    whole = quiet_curve(y, s)
    few = whole.thinned(points=points, tolerance=0.01)
    assert abs(np.trapezoid(few.tpr, few.fpr) - whole.area.value) <= 0.01 + ROUNDING


# Records ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["roc", "pr", "det", "cost"])
def test_curves_are_stored_and_read_back(kind):
    y, s = Binormal(1.0).sample(30, rng=1)
    band = "pointwise" if kind != "cost" else None
    curve = pr.curve(y, s, kind=kind, band=band, binormal=True, method=pr.methods.Bootstrap(replicates=40, rng=0))
    back = pr.results.Curve.from_dict(curve.to_dict())
    assert back.to_dict() == curve.to_dict()
    assert back.thresholds[0] == np.inf
    assert pickle.loads(pickle.dumps(curve)).to_dict() == curve.to_dict()
    hull = curve.hull()
    assert pr.results.Hull.from_dict(hull.to_dict()).to_dict() == hull.to_dict()


def test_records_are_tidy_frozen_and_shown():
    y = np.repeat(["<b>", "well"], 30)
    curve = pr.curve(y, Binormal(1.0).sample(30, rng=1)[1], pos_label="well")
    rows = curve.rows()
    assert len(rows) == len(curve) == 61
    assert rows[0] == {
        "classifier": "classifier",
        "positive": "well",
        "negative": "<b>",
        "fpr": 0.0,
        "tpr": 0.0,
        "threshold": np.inf,
        "precision": 1.0,
    }
    shown = curve._repr_html_()
    assert "<b>" not in shown
    assert shown.count("<tr>") <= 21
    assert repr(curve).startswith("Curve(roc of classifier: well or <b>, 61 points, auc = 0.")
    with pytest.raises(FrozenInstanceError):
        curve.kind = "pr"


def test_provenance_states_the_method():
    y, s = Binormal(1.0).sample(30, rng=1)
    provenance = pr.curve(y, s, method=pr.methods.Bootstrap(replicates=20, rng=7)).provenance
    assert (provenance.cases, provenance.seed) == ({"0": 30, "1": 30}, 7)


# What is refused -------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::polyroc.errors.FewEffectiveCasesWarning")  # a dozen cases
@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"kind": "rco"}, InputError, "did you mean 'roc'"),
        ({"kind": "lift"}, InputError, "kind must be 'roc', 'pr', 'det' or 'cost', got 'lift'"),
        ({"band": "wide"}, InputError, "band must be 'pointwise', .*, got 'wide'"),
        ({"level": 95}, InputError, "level must be between 0 and 1"),
        ({"average": "vertical"}, InputError, "needs the fold of each case"),
        ({"multi_class": "ovr"}, InputError, "multi_class"),
        ({"sample_weight": [0, 0, 0, 0]}, InputError, "zero for every case"),
        ({"sample_weight": [0, 0, 1, 1]}, InputError, "No case of class '0'"),
        ({"labels": [0, 1, 2]}, NotApplicableError, "multi_class='ova'"),
        ({"area": "accuracy"}, NotApplicableError, "measure of a ROC curve"),
        ({"area": "arc"}, MeasureError, "auc"),
        ({"kind": "pr", "area": "auc"}, NotApplicableError, "measure of a ROC curve"),
        ({"kind": "pr", "band": "pointwise", "groups": [1, 2, 1, 2]}, NotApplicableError, r"Bootstrap\(\)"),
        ({"kind": "cost", "band": "pointwise"}, NotApplicableError, "band='simultaneous'"),
        ({"band": "pointwise", "groups": [1, 2, 1, 2]}, NotApplicableError, "independent cases"),
        ({"kind": "pr", "band": "working_hotelling"}, NotApplicableError, "working-hotelling|binormal"),
        ({"method": pr.methods.Permutation()}, InputError, "comparisons"),
        (
            {"band": "pointwise", "method": pr.methods.Bootstrap(replicates=1, rng=0)},
            InputError,
            "two or more resamples",
        ),
        ({"method": pr.methods.HanleyMcNeil(), "groups": [1, 2, 3, 4]}, NotApplicableError, "groups"),
    ],
)
def test_bad_requests_are_rejected_at_once(options, error, words):
    with pytest.raises(error, match=words):
        pr.curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], **options)


@pytest.mark.parametrize(
    ("y", "s", "words"),
    [
        ([0, 0, 1], [0.1, np.nan, 0.3], "missing"),
        ([1, 1, 1], [0.1, 0.2, 0.3], "class"),
        (["a", "b", "a"], [0.1, 0.2, 0.3], "pos_label"),
        (["a", "b", "c"], [0.1, 0.2, 0.3], "multi_class"),
        (["a", "b", "a"], ["a", "b", "b"], "decisions"),
    ],
)
def test_bad_data_are_rejected(y, s, words):
    with pytest.raises(PolyrocError, match=words):
        pr.curve(y, s)


def test_a_class_of_one_case_has_a_curve_without_an_error():
    with pytest.warns(SmallClassWarning):
        curve = pr.curve([0, 0, 1], [0.1, 0.2, 0.15])
    assert curve.fpr == pytest.approx([0, 0.5, 0.5, 1])
    assert np.isnan(curve.area.standard_error)


def test_places_are_checked():
    curve = pr.curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    for ask in ({}, {"fpr": 0.1, "tpr": 0.2}, {"fpr": 10}, {"tpr": "half"}):
        with pytest.raises(InputError):
            curve.at(**ask)
        with pytest.raises(InputError):
            curve.nearest(**ask)
    for span in ({}, {"fpr": (0.5, 0.2)}, {"fpr": (0, 0.1), "tpr": (0, 1)}):
        with pytest.raises(InputError):
            curve.partial_area(**span)
    with pytest.raises(InputError):
        curve.thinned(points=1)


def test_inputs_stay_as_they_are():
    y, s = Binormal(1.0).sample(20, rng=1)
    before = y.copy(), s.copy()
    pr.curve(y, s, band="simultaneous", binormal=True).hull()
    assert (y == before[0]).all()
    assert (s == before[1]).all()


def test_the_areas_are_measures_of_two_classes():
    assert KINDS["roc"].area is MEASURES["auc"]
    assert all(
        measure.needs == "score" and measure.classes == (2, 2)
        for measure in (kind.area for kind in KINDS.values())
    )


def test_a_warning_names_a_reversed_score():
    y, s = [0] * 9 + [1] * 9, np.arange(18)
    both = pr.curve(y, {"rising": s, "falling": -s})
    assert "is the score reversed?" in str(pr.curve(y, -s))
    assert "is the score reversed?" not in str(pr.curve(y, s))
    assert both.to_table().notes[0].startswith("falling: every value of the 95 % interval of auc is below chance")


def slow_lc_index(y, a, b, low, likely, high):
    """The least loss of both at each of many costs, by every threshold."""
    share = low + (high - low) * (np.arange(20_000) + 0.5) / 20_000
    pi = np.mean(y)

    def loss(s):
        rules = [(np.mean(s[y == 1] < t), np.mean(s[y == 0] >= t)) for t in (*np.unique(s), np.inf)]
        return np.min([pi * share * fnr + (1 - pi) * (1 - share) * fpr for fnr, fpr in rules], axis=0)

    gap = loss(b) - loss(a)
    density = stats.triang.pdf(share, (likely - low) / (high - low), low, high - low)
    return np.average(np.where(np.abs(gap) > 1e-12, np.sign(gap), 0.0), weights=density)


@pytest.mark.parametrize("seed", range(8))
def test_lc_index_is_that_of_its_definition(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([0, 1], (12, 18)))
    a, b = (rng.integers(0, 9, 30) + 2 * y for _ in range(2))
    low, likely, high = np.sort(rng.random(3))
    curves = pr.curve(y, {"a": a, "b": b})
    index = curves.lc_index("a", "b", low=low, likely=likely, high=high)
    assert index == pytest.approx(slow_lc_index(y, a, b, low, likely, high), abs=1e-3)
    assert curves.lc_index("b", "a", low=low, likely=likely, high=high) == pytest.approx(-index, abs=1e-12)
    assert curves.lc_index("a", "a") == 0.0


def test_lc_index_rejects_what_it_cannot_compare():
    curves = pr.curve([0, 0, 1, 1], {"a": [1, 2, 3, 4], "b": [1, 3, 2, 4]})
    for names, costs in ((("a", "c"), {}), (("a", "b"), {"low": 0.6}), (("a", "b"), {"low": 0.5, "high": 0.5})):
        with pytest.raises(InputError, match="lc_index needs two of the classifiers"):
            curves.lc_index(*names, **costs)


def test_a_grid_of_thresholds_is_a_score_with_ties():
    """Bradley's trapezia over some thresholds (equation 7) are the AUC of the score cut at them."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 40)
    s = rng.normal(size=80) + y
    grid = [-1.0, 0.0, 0.5, 1.5]
    points = [(np.mean(s[y == 0] >= t), np.mean(s[y == 1] >= t)) for t in (np.inf, *grid[::-1], -np.inf)]
    fpr, tpr = np.array(points).T
    assert pr.evaluate(y, np.digitize(s, grid), measure="auc").value == pytest.approx(
        np.trapezoid(tpr, fpr), abs=1e-14
    )
