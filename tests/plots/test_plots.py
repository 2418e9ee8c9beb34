"""Pictures, by what they contain: artists, labels, limits; that texts keep apart; never by pixels."""

import runpy
import subprocess
import sys
from itertools import permutations
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from disks import small_files
from plot_checks import HOSTILE, assert_texts_keep_apart, texts, written

matplotlib.use("agg")

from matplotlib import pyplot as plt
from matplotlib.colors import to_rgba
from matplotlib.text import Text

import polyroc as pr
from polyroc import plots
from polyroc.cli.app import run
from polyroc.datasets import catalogue
from polyroc.errors import InputError
from polyroc.plots import picture, style
from polyroc.plots.dispatch import draw_panels

IRIS = ["--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case"]
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def irises():
    file = catalogue.path("iris_predictions")
    return pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")


def probabilities(classes, n, strength, seed=0):
    """Codes, and one column per class that is the better the greater the strength."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    odds = np.exp(rng.normal(size=(n, classes)) + strength * np.eye(classes)[y])
    return y, odds / odds.sum(axis=1, keepdims=True)


def two_classes(*strengths, n=200):
    rng = np.random.default_rng(1)
    y = np.arange(n) % 2
    return y, {f"model {k}": rng.normal(size=n) + k * y for k in strengths}


def row_labels(picture):
    return texts(picture.ax.get_yticklabels())


# Forest plots


def test_an_evaluation_has_a_row_for_each_classifier_below_each_measure(irises):
    evaluation = pr.evaluate(irises, measure=["hand_till", "accuracy"])
    picture = pr.plot(evaluation)
    names = ["lda", "knn", "tree"]
    assert row_labels(picture) == ["Hand & Till's M", *names, "Proportion correct", *names]
    assert [float(point.get_xdata()[0]) for point in picture.points] == [
        evaluation[name, key].value for key in evaluation.measures for name in names
    ]
    for bar, (key, name) in zip(
        picture.intervals, [(k, n) for k in evaluation.measures for n in names], strict=True
    ):
        assert tuple(bar.get_xdata()) == tuple(evaluation[name, key].confidence_interval())
    assert [line.get_xdata()[0] for line in picture.references] == [0.5, pytest.approx(1 / 3)]
    assert picture.numbers[0].get_text() == "0.920 (0.877 to 0.946)"
    low, high = picture.ax.get_xlim()
    assert all(low < x < high for bar in picture.intervals for x in bar.get_xdata())


def test_one_measure_has_no_heading_and_one_classifier_a_row_for_each_measure(irises):
    one = pr.plot(pr.evaluate(irises, measure=["hand_till"]))
    assert row_labels(one) == ["lda", "knn", "tree"]
    assert one.ax.get_xlabel() == "Hand & Till's M"
    y, P = probabilities(3, 60, 1.0)
    several = pr.plot(pr.evaluate(y, P, measure=["hand_till", "ova"]))
    assert row_labels(several) == ["Hand & Till's M", "Mean one-versus-all AUC"]
    assert several.ax.get_xlabel() == "Values of classifier"


def test_the_level_reaches_intervals_and_heading(irises):
    comparison = pr.compare(irises, measure="hand_till")
    picture = pr.plot(comparison, kind="forest", level=0.5)
    assert tuple(picture.intervals[0].get_xdata()) == tuple(comparison.estimates["lda"].confidence_interval(0.5))
    assert "value (50 % interval)" in texts(written(picture.figure))


def test_differences_have_a_zero_line_adjusted_p_values_and_open_markers_where_nothing_is_shown():
    y, P = probabilities(3, 90, 1.0)
    _, worse = probabilities(3, 90, 0.2, seed=1)
    _, same = probabilities(3, 90, 1.0, seed=2)
    comparison = pr.compare(y, {"a": P, "b": worse, "c": same}, measure="hand_till")
    picture = pr.plot(comparison)
    assert row_labels(picture) == ["a − b", "a − c", "b − c"]  # noqa: RUF001
    assert [list(line.get_xdata()) for line in picture.references] == [[0.0, 0.0]]
    values, pvalues = picture.numbers[:3], picture.numbers[3:]
    assert len(values) == len(pvalues) == 3
    assert "p (max-t)" in texts(written(picture.figure))
    background = to_rgba(picture.ax.get_facecolor())
    filled = [to_rgba(point.get_markerfacecolor()) != background for point in picture.points]
    assert filled == [difference.adjusted_pvalue < 0.05 for difference in comparison.differences.values()]
    assert "value (simultaneous 95 %)" in texts(written(picture.figure))
    assert True in filled
    assert False in filled


def test_parts_end_with_the_whole(irises):
    estimate = pr.evaluate(irises, measure=["ova"])["lda", "ova"]
    picture = pr.plot(estimate)
    assert row_labels(picture) == ["setosa", "versicolor", "virginica", "ova"]
    assert picture.points[-1].get_marker() == "D"
    assert float(picture.points[-1].get_xdata()[0]) == estimate.value


def test_what_is_undefined_has_a_row_but_no_marker():
    with pytest.warns(pr.errors.UndefinedMeasureWarning):
        evaluation = pr.evaluate(
            [0, 1, 2, 0], np.full((4, 4), 0.25), labels=[0, 1, 2, 3], measure=["hand_till", "ova"]
        )
    picture = pr.plot(evaluation)
    assert picture.points == picture.intervals == ()
    assert texts(picture.numbers) == ["undefined", "undefined"]


def test_a_class_of_one_case_has_its_wide_interval():
    with pytest.warns(pr.errors.SmallClassWarning):
        estimate = pr.evaluate([0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4], measure="auc")
    picture = pr.plot(estimate)
    assert tuple(picture.intervals[0].get_xdata()) == tuple(estimate.confidence_interval())
    low, high = picture.ax.get_xlim()
    assert low < estimate.confidence_interval().low < 1.0 < high


def test_chance_that_would_squeeze_the_intervals_is_named_at_the_edge():
    y, S = two_classes(4, 4.1, n=20_000)
    picture = pr.plot(pr.compare(y, S, measure="auc"), kind="forest")
    assert picture.references == ()
    assert "← chance 0.5" in texts(written(picture.figure))
    assert picture.ax.get_xlim()[0] > 0.9
    value, low, high = picture.numbers[0].get_text().replace("(", "").replace("to ", "").strip(")").split()
    assert len({value, low, high}) == 3  # decimals enough to tell the ends apart


def test_nothing_to_draw_is_reported():
    with pytest.raises(pr.errors.NotApplicableError, match="holds no estimate"):
        pr.plot(pr.results.Evaluation({}, {"auc": "is for 2 classes"}))


def test_name_colour_and_title():
    y, S = two_classes(1)
    curve = pr.curve(y, next(iter(S.values())))
    picture = pr.plot(curve, name="forest", color="crimson", title="$x_1$")
    assert to_rgba(picture.lines[0].get_color()) == to_rgba("crimson")
    assert picture.legend.get_texts()[0].get_text().startswith("forest")
    assert picture.legend.get_texts()[-1].get_text() == "chance"
    assert picture.ax.get_title(loc="left") == "$x_1$"
    assert repr(picture) == "Picture(ax, lines, bands, fits, hull, points, names, chance, legend)"
    assert pr.plot(curve).lines[0].get_color() == style.COLOURS[0]
    with pytest.raises(pr.errors.InputError, match="color must be a colour of matplotlib"):
        pr.plot(curve, color="no colour")
    with pytest.raises(pr.errors.InputError, match="name is for a result of one classifier"):
        pr.plot([curve, curve], name="both")


def test_the_size_of_figures_is_that_of_the_users_settings():
    y, S = two_classes(1)
    curve = pr.curve(y, next(iter(S.values())))
    with matplotlib.rc_context({"figure.figsize": (3, 2)}):
        assert pr.plot(curve).figure.get_size_inches().tolist() == [3, 2]
    assert pr.plot(curve).figure.get_size_inches().tolist() != [3, 2]


# Matrices


def test_pairs_are_a_matrix_with_values_off_the_diagonal(irises):
    estimate = pr.evaluate(irises, measure=["hand_till"])["lda", "hand_till"]
    picture = pr.plot(estimate)
    cells = picture.mesh.get_array().reshape(3, 3)
    names = ["setosa", "versicolor", "virginica"]
    for i, j in permutations(range(3), 2):
        assert cells[i, j] == estimate.parts[f"A({names[i]}|{names[j]})"].value
    assert [bool(cells.mask[i, i]) for i in range(3)] == [True] * 3
    assert len(picture.numbers) == 6
    assert row_labels(picture) == texts(picture.ax.get_xticklabels()) == names
    assert picture.ax.yaxis_inverted()
    low, high = picture.mesh.get_clim()
    assert low <= cells.min() <= cells.max() <= high == 1.0


@pytest.mark.slow
def test_of_thirty_classes_the_numbers_are_left_out():
    y, P = probabilities(30, 300, 1.0)
    picture = pr.plot(pr.evaluate(y, P, measure="hand_till"))
    assert picture.numbers == ()
    assert len(row_labels(picture)) == 30
    assert_texts_keep_apart(picture.figure)


def test_panels_of_pairs_share_their_shades(irises):
    values = [*pr.evaluate(irises, measure=["hand_till"]).estimates.values()]
    figure = draw_panels(values, "pairs")
    meshes = [ax.collections[0] for ax in figure.axes if ax.get_ylabel() == "class i"]
    assert len(meshes) == 3
    assert len({mesh.get_clim() for mesh in meshes}) == 1


def test_rates_are_written_with_their_intervals(irises):
    rates = pr.rates(irises, only="knn")
    picture = pr.plot(rates)
    assert np.array_equal(picture.mesh.get_array().reshape(3, 3), rates.rates)
    assert texts(picture.numbers) == [f"{rate:.2f}" for rate in rates.rates.flat]
    low, high = rates["virginica", "versicolor"].confidence_interval()
    assert f"{low:.2f} to {high:.2f}" in texts(written(picture.figure))
    assert (picture.ax.get_ylabel(), picture.ax.get_xlabel()) == ("true class", "decision")


# Bars and webs


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "bars"), [(3, 6), (4, 24), (5, 24)])
def test_volumes_are_bars_by_order_at_most_two_dozen(classes, bars):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(classes), 15)
    estimate = pr.evaluate(y, y + rng.normal(size=len(y)), labels=list(range(classes)), measure="scurfield")
    picture = pr.plot(estimate)
    assert len(picture.bars) == len(picture.intervals) == len(picture.numbers) == bars
    assert " < ".join(map(str, range(classes))) in row_labels(picture)
    widths = sorted((bar.get_width() for bar in picture.bars), reverse=True)
    assert widths == sorted((part.value for part in estimate.parts.values()), reverse=True)[:bars]
    assert picture.chance.get_xdata()[0] == 1 / len(estimate.parts)
    assert ("the largest 24 of 120" in picture.ax.get_xlabel()) == (classes == 5)
    assert_texts_keep_apart(picture.figure)


def test_a_cobweb_has_a_corner_for_each_confusion_and_the_polygon_of_chance(irises):
    rates = pr.rates(irises, only="knn")
    picture = pr.plot(rates, kind="cobweb")
    (polygon,) = picture.polygons
    assert np.hypot(*polygon.get_data())[:6] == pytest.approx(rates.cobweb().ratios)
    assert np.hypot(*picture.chance.get_data()) == pytest.approx(np.full(7, 1 / 3))
    assert texts(picture.names)[0] == "setosa\n→ versicolor"
    assert len(picture.names) == len(picture.intervals) == 6
    assert texts(picture.legend.get_texts()) == ["knn", "chance, 1/3"]


def test_cobwebs_of_several_classifiers_share_axes_and_many_spokes_are_named_by_class(irises):
    several = pr.plot([pr.rates(irises, only=name) for name in irises.classifiers])
    assert len(several.polygons) == 3
    assert several.intervals == ()
    y, P = probabilities(8, 160, 1.0)
    assert texts(pr.plot(pr.rates(y, P), kind="cobweb").names) == [str(k) for k in range(8)]


# Curves


def test_a_roc_curve_is_the_curve_with_band_hull_fit_and_points():
    y, S = two_classes(1.5)
    curve = pr.curve(y, S["model 1.5"], band="pointwise", binormal=True)
    place = curve.nearest(fpr=0.1)
    picture = pr.plot(curve, hull=True, points={"strict": place})
    assert np.array_equal(picture.lines[0].get_xydata(), np.column_stack([curve.fpr, curve.tpr]))
    assert np.array_equal(picture.hull.get_xdata(), curve.hull().fpr)
    assert np.array_equal(picture.fits[0].get_ydata(), curve.binormal.tpr)
    assert picture.points[0].get_xydata().tolist() == [[place.fpr, place.tpr]]
    assert texts(picture.names) == ["strict"]
    assert len(picture.bands) == 1
    low, high = picture.ax.get_xlim()
    assert low < 0
    assert high > 1
    area = curve.area
    assert texts(picture.legend.get_texts()) == [
        f"classifier  {style.value_text(area.value, area.confidence_interval())}",
        "convex hull",
        "binormal fit",
        "95 % band, pointwise",
        "chance",
    ]
    assert picture.legend.get_title().get_text() == "Area under the ROC curve (95 % interval)"


def test_bands_and_fits_can_be_left_out():
    y, S = two_classes(1.5)
    curve = pr.curve(y, S["model 1.5"], band="pointwise", binormal=True)
    picture = pr.plot(curve, band=False, fit=False)
    assert picture.bands == picture.fits == ()
    assert picture.hull is None
    assert len(picture.legend.get_texts()) == 2


@pytest.mark.parametrize("kind", ["roc", "pr", "det", "cost"])
def test_several_classifiers_are_distinguished_without_colour(kind):
    y, S = two_classes(0.5, 1.5, 2.5)
    picture = pr.plot(pr.curve(y, S, kind=kind))
    assert [text.split("  ")[0] for text in texts(picture.legend.get_texts())] == [*S, "chance"]
    assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in picture.lines}) == 3
    assert len({line.get_color() for line in picture.lines}) == 3
    assert picture.chance is not None


def test_precision_goes_in_steps_whose_area_is_the_average_precision():
    y, S = two_classes(1.0)
    curve = pr.curve(y, S["model 1.0"], kind="pr")
    picture = pr.plot(curve)
    (line,) = picture.lines
    assert line.get_drawstyle() == "steps-pre"
    recall, precision = line.get_data()
    assert np.diff(recall) @ precision[1:] == pytest.approx(curve.area.value, abs=1e-12)  # sums in another order
    assert list(picture.chance.get_ydata()) == [0.5, 0.5]


def test_det_axes_are_normal_deviates_named_by_rates():
    y, S = two_classes(1.0)
    picture = pr.plot(pr.curve(y, S["model 1.0"], kind="det"))
    ticks = dict(zip(texts(picture.ax.get_xticklabels()), picture.ax.get_xticks(), strict=True))
    assert ticks["0.5"] == pytest.approx(0, abs=1e-12)
    assert ticks["0.05"] == pytest.approx(-1.6448536, abs=1e-6)  # the normal quantile to seven digits
    assert picture.ax.get_xlabel() == "False positive rate"
    assert np.isfinite(picture.lines[0].get_xydata()).all()


def test_the_chance_of_a_cost_curve_is_a_tent():
    y, S = two_classes(1.0)
    picture = pr.plot(pr.curve(y, S["model 1.0"], kind="cost"))
    assert picture.chance.get_xydata().tolist() == [[0, 0], [0.5, 0.5], [1, 0]]


def test_a_family_has_a_curve_for_each_class_and_the_mean_as_title(irises):
    species = [irises.labels[code] for code in irises.codes]
    curve = pr.curve(species, irises.values["lda"], multi_class="ova")
    picture = pr.plot(curve)
    assert [text.split("  ")[0] for text in texts(picture.legend.get_texts())] == [*irises.labels, "chance"]
    assert "mean one-versus-all AUC = 0.920" in picture.ax.get_title(loc="left")


@pytest.mark.slow
def test_a_large_family_has_its_legend_beside_the_axes_and_not_without_end():
    y, P = probabilities(6, 120, 1.0)
    picture = pr.plot(pr.curve(y, P, multi_class="ovo"))
    assert len(picture.lines) == 30
    assert len(picture.legend.get_texts()) == 21
    assert texts(picture.legend.get_texts())[-2:] == ["... and 11 more", "chance"]
    assert_texts_keep_apart(picture.figure)


def test_a_long_curve_is_drawn_from_few_points_with_the_same_area():
    y, S = two_classes(1.0, n=200_000)
    curve = pr.curve(y, S["model 1.0"])
    x, height = pr.plot(curve).lines[0].get_data()
    assert len(curve) > 50_000
    assert len(x) < 5_000
    assert np.trapezoid(height, x) == pytest.approx(curve.area.value, abs=1e-4)  # what `thinned` promises


@pytest.mark.slow
def test_decision_curves_stand_beside_treating_all_and_none():
    y, S = two_classes(1.0, 2.0)
    net_benefit = pr.decision_curve(y, {name: 1 / (1 + np.exp(1 - 2 * score)) for name, score in S.items()})
    picture = pr.plot(net_benefit, level=0.9)
    for line, curve in zip(picture.lines, net_benefit.curves.values(), strict=True):
        assert np.array_equal(line.get_ydata(), curve.value)
    assert len(picture.bands) == 2
    assert np.array_equal(picture.treat_all.get_ydata(), net_benefit.treat_all.value)
    assert set(picture.treat_none.get_ydata()) == {0.0}
    assert texts(picture.legend.get_texts()) == [*S, "treat all", "treat none"]
    assert picture.legend.get_title().get_text() == "90 % band, pointwise"
    low, high = picture.ax.get_ylim()
    assert -0.2 < low < 0 < net_benefit.prevalence < high
    assert pr.plot(net_benefit, band=False).bands == ()


def test_a_single_threshold_of_a_decision_curve_is_seen():
    y, S = two_classes(1.0)
    picture = pr.plot(pr.decision_curve(y, 1 / (1 + np.exp(-S["model 1.0"])), thresholds=[0.5]))
    assert picture.lines[0].get_marker() == "o"
    low, high = picture.ax.get_xlim()
    assert low < 0.5 < high


def test_an_operating_point_is_a_matrix_and_a_place_on_its_curve():
    y, S = two_classes(1.5)
    score = S["model 1.5"]
    point = pr.operate(y, score, criterion="youden", evaluate_on=(y, score))
    picture = pr.plot(point)
    assert np.array_equal(picture.mesh.get_array().reshape(2, 2), point.rates)
    assert picture.ax.get_title(loc="left") == f"classifier: {point.aim}"
    roc = pr.plot(pr.curve(y, score), points={"chosen": point})
    assert roc.points[0].get_xydata().tolist() == [[point.fpr, point.tpr]]


def test_thresholds_among_the_scores():
    y = np.repeat(["none", "mild", "severe"], 30)
    marker = np.linspace(0, 1, 90).reshape(3, 30) + np.array([[0.0], [0.2], [0.1]])
    scores = pr.Scores(y, {"marker": marker.ravel()}, labels=["none", "mild", "severe"])
    point = pr.operate(scores, criterion="youden", method=pr.methods.Bootstrap(replicates=30, rng=0))
    picture = pr.plot(point, kind="scores", scores=scores)
    assert [line.get_xdata()[0] for line in picture.lines] == [*point.thresholds]
    ends = [(band.get_x(), band.get_x() + band.get_width()) for band in picture.bands]
    assert ends == [pytest.approx(tuple(interval)) for interval in point.threshold_intervals()]
    named = ["decided none", "decided mild", "decided severe", "threshold", "95 % interval"]
    assert texts(picture.legend.get_texts()) == named
    assert picture.ax.get_xlabel() == "marker"
    two = pr.Scores(y == "severe", np.column_stack([1 - marker.ravel(), marker.ravel()]) / 3 + 0.2)
    chosen = pr.operate(two, criterion="youden", evaluate_on=two)
    assert pr.plot(chosen, kind="scores", scores=two).bands == ()
    with pytest.raises(InputError, match="scores must be Scores, such as"):
        pr.plot(point, kind="scores", scores=marker)
    searched = pr.operate(y, np.full((90, 3), 1 / 3), calibrated=True)
    with pytest.raises(InputError, match="There is no picture 'scores' of OperatingPoint here"):
        pr.plot(searched, kind="scores", scores=scores)


def test_curves_given_by_name_are_so_named():
    y, S = two_classes(1.0, 2.0)
    one, two = pr.curve(y, S).values()
    picture = pr.plot({"old": one, "new": two})
    assert [text.split("  ")[0] for text in texts(picture.legend.get_texts())] == ["old", "new", "chance"]
    assert [text.split("  ")[0] for text in texts(pr.plot([one, two]).legend.get_texts())] == [*S, "chance"]


def test_a_binormal_curve_is_straight_on_double_probability_paper():
    """Pixels of the fit are on a line; ticks are rates; chance is the diagonal."""
    y, scores = two_classes(1.5)
    curve = pr.curve(y, next(iter(scores.values())), binormal=True)
    drawn = pr.plot(curve, deviates=True)
    low, high = drawn.ax.get_xlim()
    assert drawn.ax.get_ylim() == (low, high) == (0.01, 0.99)
    rates = drawn.fits[0].get_xydata()
    inside = rates[((rates > low) & (rates < high)).all(axis=1)]
    x, up = drawn.ax.transData.transform(inside).T
    assert len(x) > 10
    assert np.ptp(up - np.polyval(np.polyfit(x, up, 1), x)) < 0.1
    assert texts(drawn.ax.get_xticklabels()) == ["0.01", "0.05", "0.2", "0.5", "0.8", "0.95", "0.99"]
    assert drawn.chance.get_xdata() == drawn.chance.get_ydata()
    with pytest.raises(
        InputError, match="Double probability paper is drawn in the ROC plane only, here it is a pr"
    ):
        pr.plot(pr.curve(y, next(iter(scores.values())), kind="pr"), deviates=True)


def test_curves_of_two_kinds_and_hulls_elsewhere_are_rejected():
    y, S = two_classes(1.0)
    roc, det = (pr.curve(y, S["model 1.0"], kind=kind) for kind in ("roc", "det"))
    with pytest.raises(pr.errors.InputError, match="one kind, got det, roc"):
        pr.plot([roc, det])
    with pytest.raises(
        pr.errors.InputError, match="A hull is drawn in the ROC plane only, here it is a det curve"
    ):
        pr.plot(det, hull=True)


# Surfaces


def test_a_surface_is_drawn_in_three_dimensions_with_the_names_of_the_classes():
    rng = np.random.default_rng(0)
    stage = np.repeat(["early", "middle", "late"], 20)
    surface = pr.surface(stage, rng.normal(size=60) + np.repeat([0, 1, 2], 20), labels=["early", "middle", "late"])
    picture = pr.plot(surface)
    labels = [picture.ax.get_xlabel(), picture.ax.get_ylabel(), picture.ax.get_zlabel()]
    assert labels == ["correct rate of early", "correct rate of late", "correct rate of middle"]
    assert picture.ax.get_zlim() == (0, 1)
    assert picture.chance.get_data_3d()[2].tolist() == [0, 0, 1, 0]
    assert len(picture.mesh.get_facecolor()) == surface.mesh.second.size
    _, flat = plt.subplots()
    with pytest.raises(pr.errors.InputError, match="projection='3d'"):
        pr.plot(surface, flat)


# What all pictures have in common


def pictures_of(names):
    """One of each kind, with these names for classes and classifiers."""
    y, P = probabilities(3, 90, 1.0)
    labels = np.array(names)
    scores = {name: np.roll(P, k, axis=0) if k else P for k, name in enumerate(names)}
    compared = pr.compare(labels[y], scores, labels=names, measure="hand_till")
    estimate = compared.estimates[names[0]]
    rates = [pr.rates(labels[y], scores, labels=names, only=name) for name in names]
    volumes = pr.evaluate(labels[y], P[:, 0], labels=names, measure="scurfield")
    yield pr.plot(pr.evaluate(labels[y], scores, labels=names, measure=["hand_till", "ova"]))
    yield pr.plot(compared)
    yield pr.plot(estimate)
    yield pr.plot(estimate, kind="forest")
    yield pr.plot(volumes)
    yield pr.plot(rates[0])
    yield pr.plot(rates)
    yield pr.plot(pr.curve(labels[y], scores, labels=names, multi_class="ova"))
    yield pr.plot(pr.surface(labels[y], P[:, 0], labels=names))


@pytest.mark.slow
@pytest.mark.parametrize("names", [["a", "b", "c"], HOSTILE])
def test_names_are_shown_as_they_are_on_one_line_and_texts_do_not_collide(names):
    for drawn in pictures_of(names):
        assert_texts_keep_apart(drawn.figure)
        for text in drawn.figure.findobj(Text):
            assert "\n" not in text.get_text().replace("\n→", "")  # the cobweb's own
            assert HOSTILE[2] not in text.get_text()
            if any(sign in text.get_text() for sign in "$_"):
                assert not text.get_parse_math()
                assert not text.get_usetex()


@pytest.mark.slow
def test_nine_classifiers_do_not_collide():
    y, P = probabilities(3, 90, 1.0)
    scores = {f"a classifier with quite a long name {k}": np.roll(P, 3 * k, axis=0) for k in range(9)}
    comparison = pr.compare(y, scores, measure="hand_till")
    differences = pr.plot(comparison)
    assert len(differences.points) == 36
    assert_texts_keep_apart(differences.figure)
    assert_texts_keep_apart(pr.plot(comparison, kind="forest").figure)
    y, S = two_classes(*range(9))
    assert_texts_keep_apart(pr.plot(pr.curve(y, S)).figure)


def test_pictures_go_on_the_axes_given_and_nothing_else_is_made(irises, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    figure, ax = plt.subplots()
    picture = pr.plot(pr.evaluate(irises, measure=["hand_till"]), ax)
    assert picture.ax is ax
    assert picture.figure is figure
    assert plt.get_fignums() == [figure.number]
    assert list(tmp_path.iterdir()) == []


def test_drawing_on_a_part_of_a_figure_gives_the_figure(irises):
    figure = plt.figure()
    ax = figure.subfigures(1, 2)[0].subplots()
    assert pr.plot(pr.evaluate(irises, measure=["hand_till"]), ax).figure is figure


def test_a_dark_style_sheet_is_followed(irises):
    with plt.style.context("dark_background"):
        picture = pr.plot(pr.evaluate(irises, measure=["hand_till"]))
        assert picture.references[0].get_color() == "white"


def test_styles_differ_also_in_grey():
    assert len({style.style(k)[::2] for k in range(35)}) == 35
    assert len({style.style(k)[:2] for k in range(56)}) == 56
    assert len({style.style(k).marker for k in range(8)}) == 8
    assert len({style.style(k).line for k in range(5)}) == 5


def test_unknown_results_and_kinds_are_rejected(irises):
    evaluation = pr.evaluate(irises, measure=["hand_till", "accuracy"])
    with pytest.raises(pr.errors.InputError, match="no picture of int; give a result"):
        pr.plot(3)
    with pytest.raises(pr.errors.InputError, match="no picture of several of nothing"):
        pr.plot([])
    with pytest.raises(pr.errors.InputError, match="several of Estimate and Evaluation"):
        pr.plot([evaluation, evaluation["lda", "hand_till"]])
    with pytest.raises(
        pr.errors.InputError, match="no picture 'pie' of Estimate here; there is 'pairs', 'forest'"
    ):
        pr.plot(evaluation["lda", "hand_till"], kind="pie")
    with pytest.raises(pr.errors.InputError, match="no picture 'pairs' of Estimate here; there is 'forest'"):
        pr.plot(evaluation["lda", "accuracy"], kind="pairs")


def test_matplotlib_is_not_imported_until_a_picture_is_drawn():
    code = "import sys, polyroc; polyroc.plot; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_matplotlib_the_error_says_how_to_get_it(irises, monkeypatch, capsys, tmp_path):
    evaluation = pr.evaluate(irises, measure=["hand_till"])
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r'pip install "polyroc\[plot\]"') as caught:
        pr.plot(evaluation)
    assert isinstance(caught.value, pr.errors.PolyrocError)
    file = catalogue.path("iris_predictions")
    assert run(["plot", str(file), *IRIS, "--kind", "forest", "-o", str(tmp_path / "x.png")]) == 2
    assert 'pip install "polyroc[plot]"' in capsys.readouterr().err


# The command line

SIGNATURES = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


def command(*arguments):
    return run(["plot", str(catalogue.path("iris_predictions")), *IRIS, *map(str, arguments)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "suffix", "more"),
    [
        ("forest", "png", ["-m", "hand_till"]),
        ("differences", "svg", ["-m", "hand_till", "--level", "0.9"]),
        ("parts", "pdf", ["-m", "ova"]),
        ("pairs", "png", []),
        ("volumes", "svg", ["--convert", "expected", "--labels", "setosa,versicolor,virginica"]),
        ("roc", "pdf", ["--hull", "--band", "pointwise"]),
        ("pr", "png", []),
        ("det", "png", ["--multi-class", "ovo"]),
        ("cost", "PNG", ["--dpi", "50"]),
        ("surface", "png", ["-m", "mossman"]),
        ("rates", "png", []),
        ("cobweb", "png", []),
    ],
)
def test_the_command_writes_the_format_of_the_name(kind, suffix, more, tmp_path, capsys):
    out = tmp_path / f"picture.{suffix}"
    assert command("--kind", kind, "-o", out, *more) == 0
    assert out.read_bytes().startswith(SIGNATURES[suffix.lower()])
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    assert capsys.readouterr().out.strip() == str(out)


@pytest.mark.slow
def test_the_command_draws_two_classes(tmp_path, capsys):
    y, S = two_classes(1.0)
    file = tmp_path / "scores.csv"
    rows = zip(y, 1 / (1 + np.exp(-S["model 1.0"])), strict=True)
    file.write_text("sick,risk\n" + "".join(f"{sick},{risk}\n" for sick, risk in rows))
    for kind, more in (("decision", []), ("rates", ["--threshold", "0.5"]), ("roc", ["--binormal"])):
        out = tmp_path / f"{kind}.png"
        assert (
            run(["plot", str(file), "--truth", "sick", "--scores", "risk", "--kind", kind, "-o", str(out), *more])
            == 0
        )
        assert out.read_bytes().startswith(SIGNATURES["png"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("x.jpg", ["--kind", "pairs"], "ends in .png, .svg or .pdf, got 'jpg' in 'x.jpg'"),
        ("x", ["--kind", "pairs"], "got no suffix in 'x'"),
        ("nowhere/x.png", ["--kind", "pairs"], "There is no folder"),
        ("x.png", ["--kind", "differences"], "give it with --measure KEY"),
        ("x.png", ["--kind", "pairs", "--hull"], "--hull is not valid for --kind pairs; it is for roc."),
        ("x.png", ["--kind", "roc", "-m", "auc"], "--measure is not valid for --kind roc"),
        ("x.png", ["--kind", "pairs", "-m", "accuracy"], "no picture 'pairs' of Estimate here"),
        ("x.png", ["--kind", "pie"], "'pie' is not one of"),
    ],
)
def test_what_cannot_be_drawn_is_reported_in_a_line_and_nothing_is_written(
    name, arguments, message, tmp_path, capsys
):
    assert command("-o", tmp_path / name, *arguments) == 2
    complaint = capsys.readouterr().err
    assert message in complaint
    assert complaint.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_picture_is_never_half_written(tmp_path):
    out = tmp_path / "x.png"
    out.write_bytes(b"old")
    figure, _ = plt.subplots()
    with (
        small_files(100),
        pytest.raises(pr.errors.InputError, match=r"x.png cannot be written \(File too large\)"),
    ):
        picture.save(figure, out)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


def test_the_same_svg_twice(irises, tmp_path):
    for name in ("a.svg", "b.svg"):
        picture.save(pr.plot(pr.evaluate(irises, measure=["hand_till"])).figure, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


# The gallery


@pytest.fixture(scope="module")
def gallery():
    return runpy.run_path(str(DOCS / "make_gallery.py"))


def test_the_gallery_shows_every_example_as_it_is(gallery):
    assert sorted(gallery["ORDER"]) == sorted(path.stem for path in gallery["EXAMPLES"].glob("*.py"))
    assert (DOCS / "gallery.md").read_text() == gallery["page"]()
    assert sorted(path.stem for path in (DOCS / "gallery").iterdir()) == sorted(gallery["ORDER"])


@pytest.mark.slow
def test_every_example_leaves_its_picture(gallery, tmp_path):
    gallery["draw"](tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{name}.png" for name in gallery["ORDER"])


@pytest.mark.slow
def test_command_of_thresholds_among_the_scores(tmp_path):
    from command import polyroc

    rows = [
        f"{stage},{place + 0.1 * i}" for place, stage in enumerate(("none", "mild", "severe")) for i in range(20)
    ]
    (tmp_path / "s.csv").write_text("\n".join(["stage,marker", *rows]) + "\n")
    data = ("plot", tmp_path / "s.csv", "--truth", "stage", "--scores", "marker", "--labels", "none,mild,severe")
    picture = tmp_path / "cuts.svg"
    chosen = ("--criterion", "youden", "--method", "bootstrap", "--replicates", "30")
    done = polyroc(*data, "--kind", "scores", *chosen, "-o", picture)
    assert done.returncode == 0, done.stderr
    assert picture.read_text().startswith("<?xml")
    done = polyroc(*data, "--kind", "forest", "--criterion", "youden", "-o", picture)
    assert "--criterion is not valid for --kind forest; it is for scores." in done.stderr
    (tmp_path / "p.csv").write_text("y,p_a,p_b,p_c\na,.5,.3,.2\nb,.2,.5,.3\nc,.1,.2,.7\n")
    done = polyroc(
        "plot", tmp_path / "p.csv", "--truth", "y", "--scores", "p_*", "--kind", "scores", "-o", picture
    )
    assert "--kind scores is for one score per case" in done.stderr
