"""Pictures of fronts, by what they contain; texts keep apart; readable with ten points and with thousands."""

import json
import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")

from dataclasses import replace

from matplotlib import pyplot as plt

import polyroc as pr
from plot_checks import assert_texts_keep_apart, texts
from polyroc.errors import InputError, NotApplicableError

pytestmark = pytest.mark.filterwarnings("ignore::polyroc.errors.OptimismWarning")
NAMES = ["$\\frac{a}{$", "_hidden\nby its name", "a name that is longer than anybody would like to see on an axis"]


def sample(classes, n, strength=1.2, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    odds = np.exp(rng.normal(size=(n, classes)) + strength * np.eye(classes)[y])
    return y, odds / odds.sum(axis=1, keepdims=True)


def front(classes, n=120, draws=400, names=None, **options):
    y, P = sample(classes, n, **options)
    names = names or [f"class {k}" for k in range(classes)]
    return pr.front(np.array(names, dtype=object)[y], P, draws=draws, labels=names)


@pytest.fixture(scope="module")
def three():
    return front(3)


@pytest.fixture(scope="module")
def two():
    return front(2, n=60)


# Two classes


def test_two_classes_are_the_staircase_below_which_the_share_is_gini(two):
    picture = pr.plot(two)
    x, y = picture.lines[0].get_data()
    assert (x[1:-1] == two.rates[:, 0, 1]).all()
    assert (y[1:-1] == two.rates[:, 1, 1]).all()
    assert (x[-1], y[0]) == (1.0, 0.0)
    assert picture.lines[0].get_drawstyle() == "steps-post"
    assert (np.diff(y) >= 0).all()
    assert (picture.ax.get_xlabel(), picture.ax.get_ylabel()) == (
        "class 0 called class 1",
        "class 1 called class 1",
    )
    assert texts(picture.legend.get_texts()) == [f"classifier  G = {two.gini():.3f}"]
    assert picture.shade is not None
    assert_texts_keep_apart(picture.figure)


def test_names_of_points_stay_inside(two):
    places = {f"a rather long name for point {i}": i for i in range(0, len(two), max(1, len(two) // 4))}
    picture = pr.plot(two, points=places)
    width, _ = picture.figure.canvas.get_width_height()
    picture.figure.canvas.draw()
    assert all(text.get_window_extent().x0 > 0 and text.get_window_extent().x1 < width for text in picture.names)


def test_staircases_of_several_are_distinguished_without_colour(two):
    picture = pr.plot({"forest": two, "logit": front(2, n=60, strength=0.5)})
    assert [text.split()[0] for text in texts(picture.legend.get_texts())] == ["forest", "logit"]
    assert len({line.get_linestyle() for line in picture.lines}) == 2
    assert picture.shade is None
    with pytest.raises(InputError, match="places in one front"):
        pr.plot([two, two], points={"here": 0})
    with pytest.raises(NotApplicableError, match="same two classes"):
        pr.plot([two, front(2, names=["x", "y"])])


def test_a_chosen_point_is_on_the_staircase(two):
    chosen = pr.operate(two, costs={("class 1", "class 0"): 5})
    picture = pr.plot(two, points={"five to one": chosen, "the first": 0})
    rates = two.rates[[chosen.point, 0]]
    assert [tuple(map(float, dot.get_xydata()[0])) for dot in picture.points] == [
        (matrix[0, 1], matrix[1, 1]) for matrix in rates
    ]
    assert texts(picture.names) == ["five to one", "the first"]


# Three classes in space


@pytest.mark.slow
def test_three_classes_are_seen_in_the_space_of_false_positive_rates(three):
    picture = pr.plot(three)
    F = np.array([[sum(r[j][k] for j in range(3) if j != k) for k in range(3)] for r in three.rates])
    assert three.false_positive_rates == pytest.approx(F, abs=1e-12)
    drawn = np.concatenate([np.column_stack(dots._offsets3d) for dots in picture.dots])
    assert sorted(drawn.round(9).tolist()) == sorted(F.round(9).tolist())
    into = three.counts.sum(axis=1) - np.diagonal(three.counts, axis1=1, axis2=2)
    sizes = [int((into.argmax(axis=1) == k).sum()) for k in range(3)]
    assert [len(dots.get_offsets()) for dots in picture.dots] == sizes
    assert texts(picture.legend.get_texts()) == [f"class {k} ({n})" for k, n in enumerate(sizes)]
    assert picture.legend.get_title().get_text() == "most errors go to"
    assert [picture.ax.get_xlabel(), picture.ax.get_zlabel()] == ["false class 0", "false class 2"]


@pytest.mark.slow
def test_what_is_no_better_than_chance_is_drawn_on_demand():
    result = front(3, n=60, draws=100, strength=0.1)
    left = int((result.false_positive_rates.sum(axis=1) >= 2 - 1e-9).sum())
    assert 0 < left < len(result)
    assert f"{left} no better than chance are left out" in pr.plot(result).ax.get_title()
    whole = pr.plot(result, beyond=True)
    assert sum(len(dots.get_offsets()) for dots in whole.dots) == len(result)
    assert whole.ax.get_title() == f"classifier: {len(result)} operating points"


def test_points_have_the_shade_of_a_rate_and_chosen_ones_stand_out(three):
    chosen = pr.operate(three, at_most={("class 0", "class 1"): 0.1})
    picture = pr.plot(three, shade_by=("class 0", "class 1"), points={"chosen": chosen, "another": 3}, beyond=True)
    (dots,) = picture.dots
    assert (dots.get_array() == three.rates[:, 0, 1]).all()
    assert picture.scale.ax.get_ylabel() == "class 0 called class 1"
    F = three.false_positive_rates[[chosen.point, 3]]
    assert [np.array(mark.get_data_3d()).ravel().tolist() for mark in picture.points] == F.tolist()
    assert len({mark.get_marker() for mark in picture.points}) == 2
    assert texts(picture.legend.get_texts()) == ["operating points", "chosen", "another"]


@pytest.mark.slow
def test_few_points_stand_on_the_floor_and_many_are_small():
    few = pr.plot(front(3, n=18, draws=30))
    many = pr.plot(front(3, n=300, draws=4000, strength=0.7))
    assert few.stems is not None
    assert many.stems is None
    assert few.dots[0].get_sizes()[0] > 3 * many.dots[0].get_sizes()[0]
    assert many.dots[0].get_rasterized()
    assert not few.dots[0].get_rasterized()


# All rates side by side


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3, 4, 7])
def test_parallel_coordinates_have_a_line_for_each_point_over_all_errors(classes):
    result = front(classes, n=20 * classes, draws=100)
    picture = pr.plot(result, kind="parallel", points={"chosen": 0, "b": 0, "c": 0, "d": 0})
    rates = result.rates[:, ~np.eye(classes, dtype=bool)]
    assert (np.array([path[:, 1] for path in picture.lines.get_segments()]) == rates).all()
    assert (picture.points[0].get_ydata() == rates[0]).all()
    decisions = [f"class {m}" for k in range(classes) for m in range(classes) if m != k]
    assert texts(picture.ax.get_xticklabels()) == decisions
    assert texts(picture.legend.get_texts()) == [f"{len(result)} operating points", "chosen", "b", "c", "d"]
    assert_texts_keep_apart(picture.figure)


@pytest.mark.slow
def test_four_classes_are_drawn_side_by_side_by_default():
    result = front(4, draws=100)
    assert [*pr.plot(result).artists] == ["lines", "points", "legend", "scale"]
    with pytest.raises(InputError, match="no picture 'false_positives'"):
        pr.plot(result, kind="false_positives")


@pytest.mark.slow
def test_lines_have_the_shade_of_a_rate_and_are_the_fainter_the_more_there_are(three):
    picture = pr.plot(three, kind="parallel", shade_by=("class 2", "class 1"))
    assert (picture.lines.get_array() == three.rates[:, 2, 1]).all()
    assert picture.scale.ax.get_ylabel() == "class 2 called class 1"
    assert picture.scale.solids.get_alpha() == 1
    few = pr.plot(front(3, n=18, draws=30), kind="parallel")
    assert few.lines.get_alpha() > picture.lines.get_alpha() > 0


@pytest.mark.parametrize("colour", [("class 0", "class 9"), "rainbow", ("class 0",), 3])
def test_unknown_colours_are_rejected(three, colour):
    for kind in ("false_positives", "parallel"):
        with pytest.raises(InputError, match="shade_by"):
            pr.plot(three, kind=kind, shade_by=colour)


@pytest.mark.parametrize("place", [-1, 10**6, "first", 1.5])
def test_points_elsewhere_are_rejected(three, two, place):
    for result, kind in ((three, "false_positives"), (three, "parallel"), (two, "roc")):
        with pytest.raises(InputError, match="indices into the front"):
            pr.plot(result, kind=kind, points={"here": place})


# Growth


def test_growth_is_gini_by_draws(three):
    picture = pr.plot(three, kind="growth")
    x, y = picture.lines[0].get_data()
    assert (tuple(x), tuple(y)) == (three.growth.draws, three.growth.gini)
    (entry,) = texts(picture.legend.get_texts())
    assert f"{three.growth.gini[-1]:.3f}, {three.growth.lately:.3f} of it lately" in entry
    assert ("not converged" in entry) == (not three.converged)
    assert picture.ax.get_title(loc="left").replace("\n", " ") == three.convergence
    assert picture.lately.get_x() == three.growth.draws[-1] / 2
    assert_texts_keep_apart(picture.figure)


@pytest.mark.slow
def test_growths_of_several_share_axes(three):
    picture = pr.plot({"one": three, "two": front(3, strength=0.5, draws=800)})
    assert len(picture.lines) == 2
    assert picture.lately is None
    assert picture.ax.get_xlim()[1] >= 800


def searched(generations=40):
    rng = np.random.default_rng(0)
    y = np.arange(90) % 3
    X = rng.normal(size=(90, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[y]
    return pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=generations, costs=20)


@pytest.mark.slow
def test_a_front_that_was_searched_has_generations():
    result = searched()
    picture = pr.plot(result, kind="growth")
    assert tuple(picture.lines[0].get_xdata()) == result.growth.generations
    assert picture.ax.get_xlabel() == "Generations"
    assert (pr.plot(result, shade_by="generation", beyond=True).dots[0].get_array() == result.generation).all()
    assert (pr.plot(result, kind="parallel", shade_by="generation").lines.get_array() == result.generation).all()
    both = pr.plot([result, front(3)], kind="growth")
    assert both.ax.get_xlabel() == "Cost vectors drawn"
    assert tuple(both.lines[0].get_xdata()) == result.growth.draws


def test_an_exact_front_did_not_grow(two):
    with pytest.raises(InputError, match="no picture 'growth'"):
        pr.plot(two, kind="growth")


# Volumes


@pytest.mark.slow
def test_volumes_are_a_matrix_with_gini_in_the_names(three):
    volumes = pr.fronts.front_volumes({"one": three, "two": front(3, strength=0.5)}, n_points=2000)
    picture = pr.plot(volumes)
    assert np.ma.allequal(picture.mesh.get_array().reshape(2, 2)[0, 1], volumes.exclusive("one", "two"))
    assert texts(picture.numbers) == [
        f"{volumes.exclusive(a, b):.3f}" for a, b in (("one", "two"), ("two", "one"))
    ]
    assert texts(picture.ax.get_yticklabels()) == [f"{n}  G = {volumes.gini(n):.3f}" for n in ("one", "two")]
    assert_texts_keep_apart(picture.figure)
    with pytest.raises(NotApplicableError, match="two fronts or more"):
        pr.plot(pr.fronts.front_volumes(three, n_points=10))


# Regions


def straight(X):
    return np.where(X[:, 0] < 0.4, "low", np.where(X[:, 1] < 0.5, "mid", "high"))


def cases(n=60):
    X = np.random.default_rng(0).random((n, 2))
    y = straight(X)
    y[:5] = "low"
    return X, y


def test_regions_are_what_is_decided_on_the_grid():
    X, y = cases()
    regions = pr.decisions.decision_regions(straight, X, y, labels=["low", "mid", "high"], grid=30)
    for i, j in [(0, 0), (3, 17), (29, 29), (20, 11)]:
        place = np.array([[regions.across[j], regions.up[i]]])
        assert regions.classes[regions.regions[i, j]] == straight(place)[0]
    assert [regions.classes[k] for k in regions.truth] == y.tolist()
    assert [regions.classes[k] for k in regions.decisions] == straight(X).tolist()
    assert regions.errors == int((straight(X) != y).sum()) > 0
    assert regions.across[0] < X[:, 0].min() < X[:, 0].max() < regions.across[-1]
    assert (regions.rows()[0]["true"], regions.rows()[0]["first feature"]) == ("low", X[0, 0])
    again = pr.results.DecisionRegions.from_dict(json.loads(json.dumps(regions.to_dict())))
    assert (again.regions == regions.regions).all()
    assert repr(again) == repr(regions)


def test_a_rule_decides_by_the_probabilities_of_a_model():
    from sklearn.linear_model import LogisticRegression

    X, y = cases()
    model = LogisticRegression().fit(X, y)
    labels = model.classes_.tolist()
    rule = pr.decisions.CostRule(tuple(labels), [[0, 9, 1], [1, 0, 1], [1, 9, 0]])
    regions = pr.decisions.decision_regions(model, X, y, rule=rule, grid=10)
    places = np.column_stack([grid.ravel() for grid in np.meshgrid(regions.across, regions.up)])
    twin = rule.decide(model.predict_proba(places))
    assert np.array(regions.classes)[regions.regions].ravel().tolist() == twin.tolist()
    plain = pr.decisions.decision_regions(model, X, y, grid=10)
    assert np.array(plain.classes)[plain.regions].ravel().tolist() == model.predict(places).tolist()
    assert (plain.regions != regions.regions).any()


def test_regions_are_drawn_with_right_cases_filled_and_wrong_ones_open():
    X, y = cases()
    regions = pr.decisions.decision_regions(straight, X, y, features=("age", "$dose"))
    picture = pr.plot(regions)
    assert (picture.mesh.get_array().reshape(200, 200) == regions.regions).all()
    assert sum(len(dots.get_offsets()) for dots in picture.wrong) == regions.errors
    assert sum(len(dots.get_offsets()) for dots in (*picture.right, *picture.wrong)) == len(y)
    assert texts(picture.legend.get_texts()) == ["high", "low", "mid"]
    assert (picture.ax.get_xlabel(), picture.ax.get_ylabel()) == ("age", "$dose")
    assert_texts_keep_apart(picture.figure)


def test_frames_name_the_features():
    import pandas as pd

    X, y = cases()
    regions = pr.decisions.decision_regions(straight, pd.DataFrame(X, columns=["a", "b"]), y, grid=3)
    assert regions.features == ("a", "b")
    one = pr.decisions.decision_regions(straight, X[:, [0, 0]] * 0, y, grid=3)
    assert one.across.tolist() == [-1.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"classifier": 3}, "classifier must be a function"),
        ({"X": np.zeros((60, 3))}, "two finite numbers"),
        ({"X": np.full((60, 2), np.nan)}, "two finite numbers"),
        ({"X": np.zeros((59, 2))}, "for each of the 59 cases"),
        ({"X": [["a", "b"]] * 60}, "must contain numbers"),
        ({"grid": 1}, "grid must be"),
        ({"grid": True}, "grid must be"),
        ({"features": ("a",)}, "features must be 2 names"),
        ({"classifier": lambda _: ["low"]}, "decision for each of"),
        ({"classifier": lambda X: ["else"] * len(X)}, "not among the classes"),
    ],
)
def test_bad_regions_are_rejected(options, message):
    X, y = cases()
    with pytest.raises(InputError, match=message):
        pr.decisions.decision_regions(**{"classifier": straight, "X": X, "y": y, **options})


# Trade-offs


def test_tradeoffs_are_the_first_picture_of_five_classes(three):
    result = front(5, n=100, draws=200)
    picture = pr.plot(result)
    points, misses = result.tradeoffs(), result.misses
    expected = [f"{100 * x:.1f}" for point in points.values() for x in (*misses[point], misses[point].mean())]
    assert [text.get_text() for text in picture.numbers] == expected
    rows = [label.get_text() for label in picture.ax.get_yticklabels()]
    assert rows[0] == f"fewest errors #{points['fewest errors']}"
    assert all(row.startswith("spare class ") for row in rows[1:])
    assert_texts_keep_apart(picture.figure)
    assert len(pr.plot(three, kind="tradeoffs").numbers) == 4 * len(three.tradeoffs())


# Names


@pytest.mark.slow
def test_hostile_names_are_shown_as_they_are(three):
    result = front(3, names=NAMES)
    for kind in ("parallel", "false_positives", "growth"):
        picture = pr.plot(replace(result, classifier=NAMES[0]), kind=kind)
        assert_texts_keep_apart(picture.figure)
    two = front(2, names=NAMES[:2])
    assert_texts_keep_apart(pr.plot(two, points={NAMES[2]: 0}).figure)


def test_axes_given_are_used_and_space_needs_three_dimensions(three):
    figure = plt.figure()
    flat, space = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2, projection="3d")
    assert pr.plot(three, flat, kind="parallel").ax is flat
    assert pr.plot(three, space).ax is space
    with pytest.raises(InputError, match="projection='3d'"):
        pr.plot(three, flat)


# The page


@pytest.mark.slow
def test_lines_of_the_page_run(tmp_path, monkeypatch):
    """Every Python line of the sections that are about using a front."""
    monkeypatch.chdir(tmp_path)
    text = Path(__file__).parents[2].joinpath("docs", "fronts.md").read_text()
    sections = dict(part.split("\n", 1) for part in text.split("\n## ")[1:])
    names = {}
    for title in ("From front to decision", "Volumes", "Plots"):
        for block in re.findall(r"```python\n(.*?)```", sections[title], flags=re.DOTALL):
            exec(compile(block, "fronts.md", "exec"), names)
    assert names["point"].held_out
    assert names["table"].fronts == ("model", "flat")
    assert (tmp_path / "front.png").exists()
