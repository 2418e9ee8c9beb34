"""Measures on the user's own data, on the command line, and in pictures."""

import csv
import io
import json
from itertools import combinations

import matplotlib as mpl
import numpy as np
import pytest

import command
import polyroc as pr
from polyroc.datasets import catalogue
from polyroc.errors import InputError, NotApplicableError, UndefinedMeasureWarning
from polyroc.plots.consistency import draw_comparisons

IRIS = catalogue.path("iris_predictions")
COLUMNS = ["--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case"]


@pytest.fixture(scope="module")
def iris():
    return pr.read(IRIS, truth="species", scores="p_*", classifier="classifier", case="case")


def two_classes(n=30, seed=0, **gaps):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n)
    return y, {name: gap * y + rng.normal(size=2 * n) for name, gap in gaps.items()}


# The order that resampling keeps ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_share_of_resamples_that_keep_the_order(iris):
    method = pr.methods.Bootstrap(replicates=300, rng=1)
    stability = pr.consistency.order_stability(iris, measure=["hand_till", "accuracy"], method=method)
    for key in ("hand_till", "accuracy"):
        drawn = pr.evaluate(iris, measure=[key], method=method)
        replicates = {name: np.array(drawn[name, key].resampled.replicates) for name in iris.classifiers}
        for a, b in combinations(iris.classifiers, 2):
            pair = stability[key, a, b]
            assert (pair.better, pair.worse) == (a, b)
            gap = np.round(replicates[a] - replicates[b], 12)
            assert (pair.same, pair.tied, pair.reversed) == ((gap > 0).sum(), (gap == 0).sum(), (gap < 0).sum())
            assert pair.difference == pytest.approx(drawn[a, key].value - drawn[b, key].value)
            low, high = pair.confidence_interval()
            assert low <= pair.share <= high
    assert stability["hand_till", "knn", "lda"] == stability["hand_till", "lda", "knn"]


def test_the_worse_classifier_may_be_named_first_and_a_cost_is_turned():
    y, scores = two_classes(poor=0.2, good=2.0)
    P = {name: np.column_stack([-s, s]) for name, s in scores.items()}
    stability = pr.consistency.order_stability(
        y, P, measure=["auc", "expected_cost(threshold=1)"], method=pr.methods.Bootstrap(replicates=50, rng=0)
    )
    for pair in stability.pairs.values():
        assert (pair.better, pair.worse) == ("good", "poor")
        assert pair.difference > 0
        assert pair.share > 0.8
    assert stability["auc"].measure == "auc"


def test_classifiers_that_are_equal_have_no_order_to_keep():
    y, scores = two_classes(one=1.0)
    stability = pr.consistency.order_stability(
        y, {**scores, "same": scores["one"]}, measure="auc", method=pr.methods.Bootstrap(replicates=20, rng=0)
    )
    pair = stability["auc"]
    assert (pair.same, pair.tied, pair.reversed, pair.difference) == (0, 20, 0, 0.0)
    assert np.isnan(pair.share)
    assert stability.rows()[0]["share"] is None


def test_a_measure_that_is_undefined_on_all_cases_has_no_order():
    y, scores = two_classes(one=1.0, two=0.5)
    P = {
        "never": np.column_stack([np.ones(60), np.zeros(60)]),
        "two": np.column_stack([-scores["two"], scores["two"]]),
    }
    with pytest.warns(UndefinedMeasureWarning, match="No case was called"):
        stability = pr.consistency.order_stability(
            y, P, measure="ppv", method=pr.methods.Bootstrap(replicates=20, rng=0)
        )
    assert stability["ppv"].difference == 0
    assert np.isnan(stability["ppv"].share)


def test_order_stability_is_stored_and_shown(iris):
    stability = pr.consistency.order_stability(
        iris, measure="hand_till", method=pr.methods.Bootstrap(replicates=50, rng=1)
    )
    again = pr.results.OrderStability.from_dict(json.loads(json.dumps(stability.to_dict())))
    assert again.pairs == stability.pairs
    assert again.provenance.seed == 1
    assert "<table>" in stability._repr_html_()
    with pytest.raises(InputError, match="must match one entry, but matches 3"):
        stability["hand_till"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": pr.methods.Influence()}, "method must be Bootstrap"),
        ({"y_score": {"only": [0.1, 0.2, 0.3, 0.4]}}, "At least two classifiers"),
        ({"labels": [0, 1, 2]}, "No case of class '2'"),
    ],
)
def test_bad_requests_of_order_stability(options, message):
    arguments = {"y_score": {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.1, 0.2, 0.4, 0.3]}, "measure": "auc", **options}
    with pytest.raises(InputError, match=message):
        pr.consistency.order_stability([0, 0, 1, 1], **arguments)


# Bradley's sensitivity -------------------------------------------------------------------------------------------


def test_groups_are_longest_runs_without_a_difference():
    y, scores = two_classes(n=60, seed=3, a=0.0, b=0.4, c=0.8, d=1.2, e=1.6, f=2.0, g=2.4, h=2.8, i=3.2)
    P = {name: np.column_stack([1 / (1 + np.exp(s)), 1 / (1 + np.exp(-s))]) for name, s in scores.items()}
    separation = pr.consistency.separation(y, P, measure=["auc", "accuracy"])
    for key in ("auc", "accuracy"):
        groups = separation[key]
        compared = pr.compare(y, P, measure=key, adjustment="holm")
        assert list(groups.order) == sorted(P, key=lambda name: -compared.estimates[name].value)
        apart = {
            frozenset(pair)
            for pair, difference in compared.differences.items()
            if difference.adjusted_pvalue < 0.05
        }
        runs = [groups.order[i:j] for i in range(9) for j in range(i + 1, 10)]
        level = [run for run in runs if not any({a, b} in apart for a, b in combinations(run, 2))]
        longest = {run for run in level if not any(set(run) < set(other) for other in level)}
        assert set(groups.groups) == longest
        assert len(groups.groups) == len(longest)
        assert (groups.separated, groups.pairs) == (len(apart), 36)
    # Bradley (1997): AUC separates nine classifiers into more groups than accuracy.
    assert len(separation["auc"].groups) > len(separation["accuracy"].groups)
    assert (
        pr.consistency.separation(y, P, measure="auc", alpha=1e-12)["auc"].separated < separation["auc"].separated
    )


def test_separation_is_stored_and_shown(iris):
    separation = pr.consistency.separation(iris, measure=["hand_till", "accuracy"], adjustment=None)
    again = pr.results.Separation.from_dict(json.loads(json.dumps(separation.to_dict())))
    assert again.measures == separation.measures
    assert repr(again) == repr(separation)
    assert separation.rows()[0]["members"] == "lda | knn | tree"
    with pytest.raises(InputError, match="no measure 'auc'"):
        separation["auc"]
    with pytest.raises(InputError, match="alpha"):
        pr.consistency.separation(iris, measure="hand_till", alpha=5)
    with pytest.raises(NotApplicableError, match="auc is for 2 classes"):
        pr.consistency.separation(iris, measure="auc")


# The command line ------------------------------------------------------------------------------------------------


def polyroc(*arguments):
    return command.polyroc("compare-measures", *arguments)


@pytest.mark.slow
def test_the_paper_s_table_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    picture = tmp_path / "sizes.svg"
    done = polyroc("auc", "accuracy", "--positives", "2-4", "-o", picture)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert [line.split()[2:] for line in lines[3:6]] == [
        ["4", "1.0000", "inf", "9", "0", "5", "0", "1"],
        ["6", "0.9912", "15.5", "113", "1", "62", "4", "10"],
        ["8", "0.9772", "14.654", "1459", "34", "762", "52", "108"],
    ]
    assert "auc is the better measure" in done.stdout
    assert picture.read_text().startswith("<?xml")


def test_json_and_csv_hold_what_python_gives():
    arguments = ("auc", "accuracy", "--positives", "3", "--negatives", "5", "--cut", "2")
    expected = pr.compare_measures("auc", "accuracy", positives=3, negatives=5, cut=2)
    assert json.loads(polyroc(*arguments, "--json").stdout) == expected.to_dict()
    (row,) = csv.DictReader(io.StringIO(polyroc(*arguments, "--csv").stdout))
    assert row["only_first"] == str(expected.counts.only_first)


@pytest.mark.slow
def test_a_model_on_the_command_line():
    done = polyroc(
        *("hand_till", "accuracy", "--model", "dirichlet", "--sizes", "4,5,6", "--precision", 5, "--pairs", 200),
        *("--rng", 3, "--json"),
    )
    model = pr.consistency.DirichletModel((4, 5, 6), precision=5.0)
    assert (
        json.loads(done.stdout)
        == pr.compare_measures("hand_till", "accuracy", model=model, pairs=200, rng=3).to_dict()
    )


@pytest.mark.slow
def test_own_data_on_the_command_line(iris):
    file = ("--file", IRIS, *COLUMNS, "--rng", 2)
    done = polyroc(
        "hand_till", "accuracy", "--model", "data", *file, "--between", "lda,tree", "--pairs", 100, "--json"
    )
    model = pr.consistency.ResampledModel(iris, classifiers=("lda", "tree"))
    assert (
        json.loads(done.stdout)
        == pr.compare_measures("hand_till", "accuracy", model=model, pairs=100, rng=2).to_dict()
    )
    done = polyroc("hand_till", "accuracy", "--practice", "groups", *file)
    assert done.stdout.splitlines()[3].split() == ["hand_till", "3", "3", "3", "lda", "|", "knn", "|", "tree"]
    done = polyroc("accuracy", "--practice", "order", *file, "--replicates", 50, "--json")
    expected = pr.consistency.order_stability(
        iris, measure="accuracy", method=pr.methods.Bootstrap(replicates=50, rng=2)
    )
    assert json.loads(done.stdout)["pairs"] == expected.to_dict()["pairs"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["auc", "accuracy"], "Give --positives"),
        (["auc", "accuracy", "--positives", "x"], "--positives must be whole numbers"),
        (["auc", "accuracy", "--positives", "0"], "one case or more"),
        (["auc", "accuracy", "--positives", "3,4", "--negatives", "3,4,5"], "the same number of values"),
        (["auc", "partial_auc", "--positives", "20"], "--model lists --sizes 20,20"),
        (["auc", "accuracy", "--positives", "3", "--separation", "1"], "--separation is not valid"),
        (["auc", "accuracy", "--model", "lists"], "needs --sizes"),
        (
            ["auc", "accuracy", "--model", "lists", "--sizes", "3,3", "--precision", "2"],
            "--precision is not valid",
        ),
        (["auc", "accuracy", "--practice", "order"], "Give --file"),
        (["auc", "accuracy", "--positives", "3", "-o", "a.gif"], ".png, .svg or .pdf"),
    ],
)
def test_bad_usage_is_one_line(arguments, message):
    done = polyroc(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


# Pictures --------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def without_windows():
    mpl.use("agg")
    yield
    mpl.pyplot.close("all")


@pytest.mark.slow
def test_links_of_the_paper_s_first_figure():
    comparison = pr.compare_measures("auc", "accuracy", positives=3, negatives=3)
    picture = pr.plot(comparison)
    joint = comparison.joint
    ends = [path.vertices[:, 1].tolist() for path in picture.links.get_paths()]
    assert ends == [list(pair) for pair in zip(joint.first.tolist(), joint.second.tolist(), strict=True)]
    dots = pr.plot(comparison, kind="joint").cells.get_offsets()
    assert {tuple(dot) for dot in dots.tolist()} == set(
        zip(joint.second.tolist(), joint.first.tolist(), strict=True)
    )


def test_too_many_links_are_drawn_as_dots():
    comparison = pr.compare_measures("auc", "accuracy", positives=20, negatives=20)
    assert len(pr.plot(comparison).cells.get_offsets()) == len(comparison.joint)
    with pytest.raises(InputError, match="no picture 'links'"):
        pr.plot(comparison, kind="links")


def test_consistency_and_discriminancy_against_size():
    comparisons = [pr.compare_measures("auc", "accuracy", positives=n, negatives=n) for n in (2, 5, 9)]
    (line,) = pr.plot(comparisons).lines
    assert line.get_xdata().tolist() == [4, 10, 18]
    assert line.get_ydata().tolist() == [comparison.consistency for comparison in comparisons]
    picture = pr.plot(comparisons, kind="discriminancy")
    assert picture.lines[0].get_ydata().tolist() == [
        comparison.discriminancy for comparison in comparisons[1:]
    ]  # not the infinite one
    assert picture.asymptotes[0].get_ydata().tolist() == [
        comparison.asymptotics.discriminancy for comparison in comparisons[1:]
    ]
    assert len(draw_comparisons(comparisons).axes) == 2
    assert len(draw_comparisons(comparisons[:1]).axes) == 1
    assert len(pr.plot({"small": comparisons[0], "large": comparisons[1]}).lines) == 1


def test_several_measures_as_a_heat_map():
    comparison = pr.compare_measures(["auc", "accuracy", "partial_auc"], positives=3, negatives=3)
    drawn = pr.plot(comparison).mesh.get_array()
    assert drawn.filled(np.nan) == pytest.approx(comparison.consistency, nan_ok=True)


def test_a_joint_distribution_that_was_not_stored_cannot_be_drawn():
    large = pr.compare_measures("auc", "accuracy", positives=50, negatives=50)
    with pytest.raises(InputError, match="not stored"):
        pr.plot(pr.results.MeasureComparison.from_dict(large.to_dict()))


def test_measures_that_contradict_each_other_are_named(tmp_path):
    """Table 3 of Ling, Huang & Zhang, with recalled areas: 21/25 against 16/25, accuracies 3/5 against 4/5."""
    y = [0] * 5 + [1] * 5
    scores = {
        name: [rank for rank in range(1, 11) if rank not in ranks] + ranks
        for name, ranks in (("third", [4, 5, 8, 9, 10]), ("fourth", [1, 6, 7, 8, 9]))
    }
    measures = ["auc", "accuracy(threshold=5.5)"]
    assert [round(25 * pr.evaluate(y, s, measure="auc").value) for s in scores.values()] == [21, 16]
    stability = pr.consistency.order_stability(
        y, scores, measure=measures, method=pr.methods.Bootstrap(replicates=20, rng=0)
    )
    (sentence,) = stability.conclusion()
    assert sentence == (
        "auc and accuracy(threshold=5.5) contradict each other: third is better than fourth by auc, and worse by "
        "accuracy(threshold=5.5)."
    )
    agreeing = pr.consistency.order_stability(
        y, scores, measure=["auc", "gini"], method=pr.methods.Bootstrap(replicates=20, rng=0)
    )
    assert agreeing.conclusion() == []
    file = tmp_path / "two.csv"
    file.write_text(
        "y,third,fourth\n" + "".join(f"{c},{a},{b}\n" for c, a, b in zip(y, *scores.values(), strict=True))
    )
    options = ("--truth", "y", "--scores", "third=third", "--scores", "fourth=fourth", "--replicates", "20")
    done = polyroc(*measures, "--practice", "order", "--file", file, *options)
    assert "contradict each other: third is better" in " ".join(done.stdout.split())
