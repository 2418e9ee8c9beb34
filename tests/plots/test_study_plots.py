"""Pictures of summaries, by what they contain; that texts keep apart."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("agg")

from matplotlib import pyplot as plt

import polyroc as pr
from plot_checks import HOSTILE, assert_texts_keep_apart, texts
from polyroc.errors import InputError, NotApplicableError
from polyroc.plots.studies_groups import lanes
from polyroc.studies.fold_values import FoldTable

S = pr.studies.summaries
LONG = ("bayes", "multiscale classifier, pessimistic pruning", "k nearest neighbours", "C4.5", *HOSTILE)


def tables(learners, data_sets, folds=10, seed=0):
    rng = np.random.default_rng(seed)
    skill = np.linspace(0.95, 0.75, len(learners))
    made = []
    for k in range(data_sets):
        values = np.clip(skill - 0.02 * k + rng.normal(0, 0.03, (folds, len(learners))), 0, 1)
        blocks = tuple((0, fold) for fold in range(folds))
        made.append(FoldTable(values, tuple(learners), blocks, 90.0, 10.0, f"data set {k}", "auc"))
    return made


def many(k):
    return tuple(f"learner number {place}" for place in range(k))


MADE = {
    "anova": lambda t: (S.anova(t[0]), "forest"),
    "duncan": lambda t: (S.duncan(t[0]), "underlines"),
    "letters": lambda t: (S.tukey(t[0]), "letters"),
    "friedman": lambda t: (S.friedman(t), "critical_difference"),
    "corrected_t": lambda t: (S.corrected_t(t[0]), "differences"),
    "wilcoxon": lambda t: (S.wilcoxon(t), "pvalues"),
    "correlated_t": lambda t: (S.correlated_t(t[0]), "bars"),
    "density": lambda t: (S.correlated_t(t[0]), "density"),
    "signed_rank": lambda t: (S.signed_rank(t, n=500), "probabilities"),
    "triangle": lambda t: (S.signed_rank(t, n=500), "triangle"),
    "spread": lambda t: (S.spread(t, fold_counts=(20, 30)), "errors"),
    "means": lambda t: (S.spread(t[:2]), "means"),
}


# Pairs of twenty are not listed by default; the test of so many texts against each other would take long.
MOST = {"corrected_t": 5, "correlated_t": 5, "wilcoxon": 9, "signed_rank": 9, "means": 9}


@pytest.mark.slow
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("learners", [("a", "b"), LONG, many(20)], ids=["two", "hostile", "twenty"])
def test_texts_keep_apart_and_inside(made, learners):
    result, kind = MADE[made](tables(learners[: MOST.get(made, 20)], 6))
    assert_texts_keep_apart(pr.plot(result, kind=kind).figure)


def test_underlines_are_the_groups():
    test = S.duncan(tables(many(9), 1)[0])
    picture = pr.plot(test)
    assert texts(picture.values) == [f"{value:.3f}" for value in reversed(test.values.values())]
    assert len(picture.lines) == len(test.groups) > 1
    order = test.learners[::-1]
    for line, group in zip(picture.lines, test.groups, strict=True):
        start, end = line.get_xdata()
        assert {name for x, name in enumerate(order) if start < x < end} == set(group)
    heights = {}
    for line in picture.lines:
        heights.setdefault(line.get_ydata()[0], []).append(tuple(line.get_xdata()))
    for spans in heights.values():
        assert all(a[1] < b[0] for a, b in zip(sorted(spans), sorted(spans)[1:], strict=False))


@pytest.mark.slow
def test_several_range_tests_are_drawn_below_each_other():
    by_key = {table.data_set: S.duncan(table) for table in tables(LONG, 3)}
    picture = pr.plot(by_key)
    assert [len(panel.lines) for panel in picture.pictures] == [len(test.groups) for test in by_key.values()]
    assert_texts_keep_apart(picture.figure)
    with pytest.raises(InputError, match="a figure of their own"):
        pr.plot(by_key, ax=plt.gca())


def test_more_letters_than_the_alphabet_has_stand_in_columns():
    values = np.arange(28.0) + np.random.default_rng(0).normal(0, 0.01, (4, 28))
    picture = pr.plot(S.tukey({f"learner {k}": values[:, k] for k in range(28)}), kind="letters")
    last = picture.letters[-1].get_text()
    assert last.strip("\u2007") == "b2"
    assert len({len(text.get_text()) for text in picture.letters}) == 1


def test_errors_fall_with_size():
    errors = S.wilcoxon_errors()
    picture = pr.plot(errors)
    assert [line.get_ydata().tolist() for line in picture.lines] == errors.errors.tolist()
    assert texts(picture.legend.get_texts()) == ["AUC 0.75", "AUC 0.85", "AUC 0.95"]
    assert_texts_keep_apart(picture.figure)


def test_lanes_hold_spans_that_do_not_touch():
    assert lanes([]) == []
    assert lanes([(0, 1), (2, 3), (1, 2)]) == [0, 0, 1]


def test_letters_stand_beside_their_learners():
    test = S.duncan(tables(many(9), 1)[0])
    picture = pr.plot(test, kind="letters")
    shown = [text.get_text().replace("\u2007", "") for text in picture.letters]
    assert shown == list(test.letters.values())
    assert [float(point.get_xdata()[0]) for point in picture.points] == list(test.values.values())


def test_a_critical_difference_diagram_joins_the_groups():
    test = S.friedman(tables(many(9), 6))
    picture = pr.plot(test)
    groups = [group for group in test.nemenyi.groups if len(group) > 1]
    assert len(picture.bars) == len(groups)
    for bar, group in zip(picture.bars, groups, strict=True):
        start, end = bar.get_xdata()
        assert {name for name, rank in test.ranks.items() if start < rank < end} == set(group)
    assert np.ptp(picture.difference.get_xdata()) == pytest.approx(test.critical_difference)
    assert picture.names[0].get_text().startswith("learner number 0  1.")


def test_a_critical_difference_longer_than_the_scale_is_still_inside():
    test = S.friedman({"a": [1, 2], "b": [2, 3], "c": [3, 1]})
    assert test.critical_difference > 2
    picture = pr.plot(test)
    assert picture.ax.get_xlim()[1] > 1 + test.critical_difference
    assert_texts_keep_apart(picture.figure)


def test_errors_against_deviations():
    spread = S.spread(tables(many(3), 4), fold_counts=(20, 30))
    picture = pr.plot(spread)
    drawn = np.concatenate([np.column_stack(point.get_data()) for point in picture.points])
    values = [
        (fold_spread.wilcoxon_error, fold_spread.standard_deviation) for fold_spread in spread.spreads.values()
    ]
    assert drawn == pytest.approx(np.array(values))
    assert texts(picture.legend.get_texts()) == list(spread.data_sets)
    assert picture.line.get_ydata() == pytest.approx(
        spread.line.intercept + spread.line.slope * np.array(picture.line.get_xdata())
    )
    assert pr.plot(S.spread(tables(many(3), 1), fold_counts=(20, 30))).legend is None
    with pytest.raises(InputError, match="no picture 'errors'"):
        pr.plot(S.spread(tables(many(3), 1)), kind="errors")


def test_bars_are_probabilities():
    posteriors = S.correlated_t(tables(many(3), 1)[0])
    picture = pr.plot(posteriors)
    widths = [[bar.get_width() for bar in part] for part in picture.bars]
    values = [[pair.first_better, pair.equivalent, pair.second_better] for pair in posteriors.pairs.values()]
    assert np.array(values) == pytest.approx(np.array(widths).T)


@pytest.mark.slow
def test_one_pair_is_drawn_in_full_and_many_as_a_matrix():
    two, twenty = tables(("a", "b"), 6), tables(many(20), 6)
    assert [*pr.plot(S.correlated_t(two[0])).artists] == ["line", "parts"]
    assert [*pr.plot(S.signed_rank(two, n=500)).artists] == ["draws", "corners"]
    for result in (S.correlated_t(twenty[0]), S.corrected_t(twenty[0])):
        assert [*pr.plot(result).artists] == ["mesh", "numbers", "scale"]


def test_a_density_names_the_winner_on_its_side():
    (table,) = tables(("good", "poor"), 1)
    picture = pr.plot(S.correlated_t(table))
    assert texts(picture.parts)[0].startswith("good better")
    assert picture.parts[0].get_position()[0] > 0.5 > picture.parts[2].get_position()[0]
    cost = FoldTable(table.values, table.learners, table.blocks, 90.0, 10.0, "a", "expected_cost")
    picture = pr.plot(S.correlated_t(cost))
    assert texts(picture.parts)[0].startswith("good better\n0.0")
    assert picture.parts[0].get_position()[0] < 0.5


def test_differences_of_data_sets_without_an_interval_are_drawn():
    picture = pr.plot(S.wilcoxon({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.75, 0.6]}))
    assert texts(picture.numbers)[0] == "0.088 (no interval)"
    assert len(picture.points) == 1


def test_a_pair_without_spread_has_no_density():
    posteriors = S.correlated_t({"a": [0.9, 0.8], "b": [0.9, 0.8]}, train_size=1, test_size=1)
    with pytest.raises(NotApplicableError, match="no posterior density"):
        pr.plot(posteriors)
    assert texts(pr.plot(posteriors, kind="bars").numbers) == ["1.00"]
