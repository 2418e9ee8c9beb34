"""Measure against measure: exact counts, enumeration, definitions."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import asin, comb, inf, isnan, nan, pi, sqrt
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
import polyroc as pr
from polyroc.consistency.enumeration import count_lists, ranked_lists, tied_lists
from polyroc.consistency.enumeration import count_pairs as count_values
from polyroc.consistency.exact import asymptotics, count_pairs, joint_table, layers
from polyroc.consistency.result import share_interval
from polyroc.errors import InputError, MeasureError, NotApplicableError, UndefinedMeasureWarning
from polyroc.measures.outputs import ClassifierOutputs
from polyroc.measures.statistic import Statistic
from strategies import at_most

# 2n, agree, disagree, only AUC, only accuracy: tables 5 and 6 of Ling, Huang & Zhang (2003), and beyond
T2 = [
    (4, 9, 0, 5, 0),
    (6, 113, 1, 62, 4),
    (8, 1459, 34, 762, 52),
    (10, 19742, 766, 9416, 618),
    (12, 273600, 13997, 120374, 7369),
    (14, 3864673, 237303, 1578566, 89828),
    (16, 55370122, 3868959, 21161143, 1121120),
    (18, 802343521, 61797523, 288745778, 14290466),
    (20, 11733729456, 975464160, 3998425154, 185536518),
]


@pytest.mark.published(
    "Ling, Huang & Zhang (2003), tables 5 and 6",
    "pairs of lists that agree and disagree, 4 to 16 cases and beyond; lost in the scan, counted anew",
)
@pytest.mark.parametrize(("cases", "agree", "disagree", "only_first", "only_second"), T2)
def test_the_paper_s_tables_to_the_last_digit(cases, agree, disagree, only_first, only_second):
    comparison = pr.compare_measures("auc", "accuracy", positives=cases // 2, negatives=cases // 2)
    assert comparison.counts == (agree, disagree, only_first, only_second)
    assert comparison.counts.agree == comparison.counts["agree"] == agree
    assert comparison.pairs == comb(comb(cases, cases // 2), 2)
    assert comparison.consistency == agree / (agree + disagree)
    assert comparison.discriminancy == (only_first / only_second if only_second else inf)
    assert comparison.exact
    assert comparison.cases == cases


@pytest.mark.parametrize(
    ("n", "C", "D"), [(25, 0.888484, 41.68832), (50, 0.871773, 74.15956), (100, 0.860282, 137.16093)]
)
def test_sizes_the_paper_could_only_extrapolate(n, C, D):
    comparison = pr.compare_measures("auc", "accuracy", positives=n, negatives=n)
    assert round(comparison.consistency, 6) == C
    assert round(comparison.discriminancy, 5) == D
    # The normal approximation with its first correction: off by terms of order 1/n.
    assert abs(comparison.asymptotics.consistency - comparison.consistency) < 0.1 / n
    assert abs(comparison.asymptotics.discriminancy / comparison.discriminancy - 1) < 0.4 / n
    assert comparison.asymptotics.limit == pytest.approx(5 / 6, abs=1e-15)
    assert comparison.asymptotics.growth == pytest.approx(1 / sqrt(3), abs=1e-15)


def test_the_limit_depends_on_the_cut_alone_not_on_the_balance():
    limit = 0.5 + asin(sqrt(3 * 0.2 * 0.8)) / pi
    for positives, negatives in ((16, 64), (40, 40), (64, 16)):
        comparison = pr.compare_measures("auc", "accuracy", positives=positives, negatives=negatives, cut=16)
        tends = comparison.asymptotics
        assert tends.limit == pytest.approx(limit, abs=1e-15)
        # The corrections are of order 1/sqrt(n) = 0.1, what is left of order 1/n.
        assert tends.consistency == pytest.approx(comparison.consistency, abs=0.005)
        assert tends.discriminancy == pytest.approx(comparison.discriminancy, rel=0.02)


def test_no_asymptotics_where_all_lists_have_the_same_accuracy():
    assert asymptotics(3, 3, 0) is None
    comparison = pr.compare_measures("auc", "accuracy", positives=3, negatives=3, cut=0)
    assert isnan(comparison.consistency)
    assert comparison.discriminancy == inf
    assert comparison.counts.only_first + comparison.undecided == comparison.pairs


def lists_by_definition(positives, negatives, cut):
    """(AUC, accuracy) of every list as fractions."""
    n, result = positives + negatives, []
    for places in combinations(range(n), positives):
        others = [place for place in range(n) if place not in places]
        U = sum(p > q for p in places for q in others)
        right = sum(p >= n - cut for p in places) + sum(q < n - cut for q in others)
        result.append((Fraction(U, positives * negatives), Fraction(right, n)))
    return result


@pytest.mark.parametrize("cases", range(2, 8))
def test_generating_functions_equal_all_pairs_of_lists(cases):
    for positives in range(1, cases):
        for cut in range(cases + 1):
            values = lists_by_definition(positives, cases - positives, cut)
            counts, undecided = count_pairs(positives, cases - positives, cut)
            assert [*counts, undecided] == naive.pair_counts(values), (positives, cut)


@pytest.mark.slow
@pytest.mark.parametrize("cases", range(2, 11))
def test_enumeration_equals_generating_functions_for_all_sizes_and_cuts(cases):
    for positives in range(1, cases):
        for cut in range(cases + 1):
            sizes = {"positives": positives, "negatives": cases - positives, "cut": cut}
            listed = pr.compare_measures(["auc", "accuracy", "gini"], **sizes)["auc", "accuracy"]
            exact = pr.compare_measures("auc", "accuracy", **sizes)
            assert listed.counts == exact.counts
            assert listed.undecided == exact.undecided
            one, two = (
                {(round(f, 9), round(g, 9)): n for f, g, n in cells(comparison.joint)}
                for comparison in (listed, exact)
            )
            assert one == two


def cells(joint):
    return zip(joint.first.tolist(), joint.second.tolist(), joint.counts, strict=True)


@given(st.integers(1, 12), st.integers(1, 12), st.data())
@at_most(40)
def test_lemma_1_and_the_number_of_lists(positives, negatives, data):
    cut = data.draw(st.integers(0, positives + negatives))
    total = 0
    for k, lowest, lists in layers(positives, negatives, cut):
        # The k positives at the top and the others at the foot stand lowest, or highest, in their sections.
        top, foot = cut - k, negatives - cut + k
        assert lowest == k * foot
        assert lowest + len(lists) - 1 == k * (top + foot) + (positives - k) * foot
        assert min(lists[0], lists[-1]) == 1
        assert (lists == lists[::-1]).all()  # Lemma 3: lists mirrored within both sections
        total += lists.sum()
    assert total == comb(positives + negatives, positives)


@pytest.mark.parametrize("n", [3, 6, 9])
def test_lemma_1_bounds_the_area_by_the_accuracy(n):
    joint = joint_table(AUC, pr.measure("accuracy"), n, n, n)
    acc = joint.second
    low, high = acc**2, 1 - (1 - acc) ** 2
    assert (joint.first >= low - 1e-12).all()
    assert (joint.first <= high + 1e-12).all()
    assert {round(a, 9) for a in low} <= {round(a, 9) for a in joint.first}  # reached


@pytest.mark.parametrize("key", ["macro_average", "pairwise_accuracy", "sensitivity", "specificity"])
def test_every_measure_at_the_cut_counts_alike_and_has_its_own_values(key):
    exact = pr.compare_measures("gini", key, positives=3, negatives=5, cut=2)
    listed = pr.compare_measures(["gini", key, "auc"], positives=3, negatives=5, cut=2)["gini", key]
    assert exact.provenance.method == "Gaussian binomials"
    assert exact.counts == listed.counts
    for one, two in zip(sorted(cells(exact.joint)), sorted(cells(listed.joint)), strict=True):
        assert one == pytest.approx(two, abs=1e-12)


# Enumeration -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sizes", [(2, 2), (1, 3), (2, 1, 2), (1, 1, 1, 1)])
@pytest.mark.parametrize("ties", [False, True])
def test_every_list_is_there_once(sizes, ties):
    _, expected = naive.ranked_lists(sizes, ties)
    result = (tied_lists if ties else ranked_lists)(sizes)
    assert sorted(map(tuple, result.tolist())) == expected
    assert len(result) == count_lists(sizes, ties)


@pytest.mark.parametrize(("sizes", "cuts"), [((2, 3), (2, 3)), ((2, 3), (4, 1)), ((2, 1, 2), (1, 3, 1))])
def test_places_among_ties_are_shared(sizes, cuts):
    outputs = ClassifierOutputs(tied_lists(sizes), sizes, cuts)
    for s, shares in zip(outputs.values.tolist(), outputs.decided, strict=True):
        assert shares == pytest.approx(np.array(naive.calls(s, cuts)), abs=1e-12)


def test_lists_with_ties_by_all_pairs():
    y, lists = naive.ranked_lists((2, 3), ties=True)
    ones = [1.0] * 5
    values = []
    for s in lists:
        P = naive.calls(s, (2, 3))
        right = sum(row[k] for row, k in zip(P, y, strict=True)) / 5
        values.append((round(naive.auc(y, s, ones), 9), round(right, 9)))
    comparison = pr.compare_measures("auc", "accuracy", positives=3, negatives=2, ties=True)
    assert [*comparison.counts, comparison.undecided] == naive.pair_counts(values)


@pytest.mark.parametrize("ties", [False, True])
def test_three_ordered_classes_by_all_pairs(ties):
    sizes = (2, 1, 2)
    y, lists = naive.ranked_lists(sizes, ties)
    ones = [1.0] * 5
    values = {
        "vus": [round(naive.vus(y, s, ones), 9) for s in lists],
        "umbrella": [round(naive.vus(y, s, ones, worth=naive.under_the_umbrella), 9) for s in lists],
        "scurfield": [round(naive.scurfield(y, s, ones), 9) for s in lists],
    }
    comparison = pr.compare_measures(list(values), sizes=sizes, ties=ties)
    for f, g in combinations(values, 2):
        pairs = list(zip(values[f], values[g], strict=True))
        assert [*comparison[f, g].counts, comparison[f, g].undecided] == naive.pair_counts(pairs)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=40))
def test_pairs_are_counted_as_by_the_definition(values):
    f, g = np.array(values, dtype=float).T
    counts, undecided = count_values(f / 7, g * 1e6)
    assert [*counts, undecided] == naive.pair_counts(values)


def test_a_measure_undefined_for_some_lists_leaves_them_out():
    with pytest.warns(UndefinedMeasureWarning, match=r"ppv is undefined for 20 of 20 lists"):
        comparison = pr.compare_measures("auc", "ppv", positives=3, negatives=3, cut=0)
    assert comparison.pairs == 0
    assert isnan(comparison.consistency)
    assert isnan(comparison.discriminancy)


# Definitions -----------------------------------------------------------------------------------------------------

AUC = pr.measure("auc")
PLAIN = AUC.without_capabilities()  # those of the AUC do not hold for functions of it
NEGATIVE = replace(PLAIN, key="negative", compute=lambda sample: Statistic(-AUC.compute(sample).value, lambda: ()))
CUBE = replace(PLAIN, key="cube", compute=lambda sample: Statistic(AUC.compute(sample).value ** 3, lambda: ()))
COST = replace(NEGATIVE, key="cost", larger_is_better=False)


def test_a_monotone_function_is_consistent_and_a_negative_is_not():
    comparison = pr.compare_measures([AUC, CUBE, NEGATIVE, COST], positives=4, negatives=3)
    assert comparison["auc", "cube"].consistency == 1
    assert comparison["auc", "negative"].consistency == 0
    assert comparison["auc", "cost"].consistency == 1  # less of it is better
    for pair in comparison:
        assert comparison[pair].counts[2:] == (0, 0)
        assert isnan(comparison[pair].discriminancy)


def test_consistency_is_symmetric_and_discriminancy_reciprocal():
    comparison = pr.compare_measures(["auc", "partial_auc", "accuracy", "ppv"], positives=4, negatives=3, cut=3)
    for f, g in combinations(comparison.measures, 2):
        there, back = comparison[f, g], comparison[g, f]
        assert there.consistency == back.consistency
        assert there.discriminancy == pytest.approx(1 / back.discriminancy, rel=1e-15, nan_ok=True)
        assert there.joint.first.tolist() == back.joint.second.tolist()
    assert (comparison.consistency == comparison.consistency.T)[~np.eye(4, dtype=bool)].all()
    assert pr.compare_measures("accuracy", "auc", positives=4, negatives=3).discriminancy == pytest.approx(
        1 / pr.compare_measures("auc", "accuracy", positives=4, negatives=3).discriminancy
    )
    assert comparison.ranking()[0] == "auc"
    assert isnan(comparison["accuracy", "ppv"].discriminancy)  # both rise with the positives above the cut


def test_the_conclusion_follows_definition_5():
    comparison = pr.compare_measures("auc", "accuracy", positives=5, negatives=5)
    assert comparison.conclusion().startswith("auc is the better measure")
    assert comparison.reversed().conclusion().startswith("auc is the better measure")
    opposed = pr.compare_measures([AUC, NEGATIVE], positives=3, negatives=3)["auc", "negative"]
    assert "contradict each other" in opposed.conclusion()


def test_strict_consistency_of_all_pairs():
    """Definitions 1 and 2 of Ling, Huang & Zhang: four cases; six have a counterexample."""
    four = pr.compare_measures("auc", "accuracy", positives=2, negatives=2)
    for comparison in (four, four.reversed()):
        assert comparison.conclusion().startswith(
            "auc is strictly consistent with accuracy and strictly more discriminating"
        )
    six = pr.compare_measures("auc", "accuracy", positives=3, negatives=3)
    assert (six.counts.disagree, six.counts.only_second) == (1, 4)
    assert "strictly" not in six.conclusion()
    drawn = pr.compare_measures("auc", "accuracy", model=pr.consistency.RankedLists((2, 2)), pairs=500, rng=0)
    assert (drawn.consistency, drawn.discriminancy) == (1.0, inf)
    assert "strictly" not in drawn.conclusion()


def test_counts_of_many_digits_are_printed_by_their_magnitude():
    comparison = pr.compare_measures("auc", "accuracy", positives=50, negatives=50)
    assert "3.932706e+57" in str(comparison)
    assert str(comparison.counts.agree) not in str(comparison)
    assert comparison.rows()[0]["agree"] == comparison.counts.agree


# Records ---------------------------------------------------------------------------------------------------------


def test_nothing_is_stored_that_json_does_not_know():
    comparison = pr.compare_measures("auc", "accuracy", positives=2, negatives=2)
    assert comparison.discriminancy == inf
    assert json.loads(json.dumps(comparison.to_dict(), allow_nan=False))["discriminancy"] == "inf"


def test_stored_and_read_back():
    comparison = pr.compare_measures(["auc", "partial_auc", "accuracy"], positives=4, negatives=4)
    again = pr.results.MeasureComparisons.from_dict(json.loads(json.dumps(comparison.to_dict())))
    assert again.to_dict() == comparison.to_dict()
    one = pr.compare_measures("auc", "accuracy", positives=20, negatives=20)
    stored = json.loads(json.dumps(one.to_dict()))
    assert pr.results.MeasureComparison.from_dict(stored).counts == one.counts
    assert pr.results.MeasureComparison.from_dict(stored).joint.counts == one.joint.counts
    assert one.joint.total == comb(40, 20)
    large = pr.compare_measures("auc", "accuracy", positives=50, negatives=50).to_dict()
    assert large["joint"] is None  # 42,000 cells
    assert "<table>" in one._repr_html_()
    assert one.rows()[0]["agree"] == one.counts.agree


@pytest.mark.peer("scipy", "binomtest: exact intervals of a share, to 1e-12")
def test_exact_intervals_of_a_share():
    for hits, trials in ((0, 10), (3, 10), (10, 10), (999, 1000)):
        expected = stats.binomtest(hits, trials).proportion_ci(0.9, method="exact")
        assert share_interval(hits, trials, 0.9) == pytest.approx(tuple(expected), abs=1e-12)
    assert all(map(isnan, share_interval(0, 0)))
    with pytest.raises(InputError, match="level"):
        share_interval(1, 2, 95)


# Bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("auc", "accuracy"), {"positives": 0, "negatives": 5}, "one case or more of each"),
        (("auc", "accuracy"), {"positives": 2.5, "negatives": 5}, "positives must be a whole number, got 2.5"),
        (("auc", "accuracy"), {"positives": 5}, "Give positives and negatives"),
        (("auc", "accuracy"), {}, "Give positives and negatives"),
        (("auc", "accuracy"), {"positives": 5, "negatives": 5, "cut": 11}, "cut must be a number from 0 to 10"),
        (("auc", "accuracy"), {"positives": 5, "negatives": 5, "cut": True}, "cut must be"),
        (("vus", "accuracy"), {"sizes": (2, 2, 2), "cut": (1, 2)}, "3 numbers"),
        (("auc", "partial_auc"), {"positives": 12, "negatives": 12}, r"2704156 ranked lists .* model=RankedLists"),
        (("auc", "accuracy"), {"positives": 7, "negatives": 7, "ties": True}, r"model=RankedLists\(\(7, 7\)\)"),
        (("auc", "accuracy"), {"positives": 99, "negatives": 99, "ties": True}, "or more ranked lists"),
        (("auc", "auc"), {"positives": 3, "negatives": 3}, "different measures"),
        (("auc", "ppv"), {"positives": 3, "negatives": 3, "max_lists": 0}, "max_lists must be"),
        ((["auc"],), {"positives": 3, "negatives": 3}, "two or more different"),
        (("auc",), {"positives": 3, "negatives": 3}, "two measures"),
        ((5,), {"positives": 3, "negatives": 3}, "first must be text, a Measure"),
        ((None, "auc"), {"positives": 3, "negatives": 3}, "two measures"),
        (("auc", "accuracy"), {"model": 3}, "model must be"),
        (("auc", "accuracy"), {"model": pr.consistency.RankedLists((3, 3)), "cut": 2}, "leave out cut"),
        (("auc", "accuracy"), {"model": pr.consistency.RankedLists((3, 3)), "pairs": 0}, "pairs must be"),
        (("auc", "accuracy"), {"model": pr.consistency.RankedLists((3, 3)), "rng": -1}, "rng must be"),
    ],
)
def test_invalid_arguments_raise(arguments, options, message):
    with pytest.raises(InputError, match=message):
        pr.compare_measures(*arguments, **options)


@pytest.mark.parametrize(
    ("options", "sizes", "message"),
    [
        (("hand_till", "accuracy"), (3, 3), "hand_till cannot be applied .* one column per class"),
        (("auc", "vus"), (2, 2, 2), "auc cannot be applied .* 2 classes"),
        (("auc", "sensitivity(threshold=1)"), (2, 2), "the cut decides"),
    ],
)
def test_measures_that_do_not_apply_raise(options, sizes, message):
    with pytest.raises(NotApplicableError, match=message):
        pr.compare_measures(*options, sizes=sizes)


def test_an_unknown_measure_raises():
    with pytest.raises(MeasureError, match="did you mean 'auc'"):
        pr.compare_measures("auk", "accuracy", positives=3, negatives=3)


@pytest.mark.slow
def test_every_measure_that_applies():
    two = pr.compare_measures(positives=3, negatives=3)
    assert {"auc", "gini", "partial_auc(fpr=(0, 0.1))", "accuracy", "sensitivity", "vus"} <= {*two.measures}
    assert not {"hand_till", "umbrella"} & {*two.measures}
    assert len(two) == comb(len(two.measures), 2)
    assert two["auc", "vus"].consistency == 1
    three = pr.compare_measures(sizes=(2, 2, 2))
    assert {"vus", "umbrella", "scurfield", "accuracy"} <= {*three.measures}
    drawn = pr.compare_measures(model=pr.consistency.DirichletModel((3, 3, 3)), pairs=20, rng=0)
    assert {"hand_till", "he", "pdi", "mossman", "accuracy"} <= {*drawn.measures}


def test_an_unknown_pair_raises():
    comparison = pr.compare_measures(["auc", "gini"], positives=2, negatives=2)
    assert ("gini", "auc") in comparison
    assert ("auc", "accuracy") not in comparison
    with pytest.raises(InputError, match="no pair"):
        comparison["auc", "accuracy"]
    assert np.isnan(np.diag(comparison.consistency)).all()
    assert nan not in comparison.consistency


@pytest.mark.slow
def test_the_tables_of_the_page_are_true():
    page = (Path(__file__).parents[2] / "docs" / "consistency.md").read_text()
    lines = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line] for line in lines if line[0].strip().isdigit()]
    by_size, by_cut = [row for row in rows if len(row) == 7], [row for row in rows if len(row) == 6]
    assert (len(by_size), len(by_cut)) == (14, 5)
    assert [row[3:7:3] for row in by_size[-2:]] == [["0.852293", "260.17899"], ["0.846700", "501.85674"]]
    for cases, *cells in by_size[:-2]:  # the last two take minutes: formula sheet, T2
        comparison = pr.compare_measures("auc", "accuracy", positives=int(cases) // 2, negatives=int(cases) // 2)
        agree, disagree, only_first, only_second = map(str, comparison.counts)
        C, D = f"{comparison.consistency:.6f}", f"{comparison.discriminancy:.5f}"
        printed = ["", "", C, "", "", D] if int(cases) > 20 else [agree, disagree, C, only_first, only_second, D]
        assert cells == printed
    for positives, negatives, cut, C, limit, D in by_cut:
        comparison = pr.compare_measures(
            "auc", "accuracy", positives=int(positives), negatives=int(negatives), cut=int(cut)
        )
        expected = (
            f"{comparison.consistency:.4f}",
            f"{comparison.asymptotics.limit:.4f}",
            f"{comparison.discriminancy:.2f}",
        )
        assert (C, limit, D) == expected


@pytest.mark.slow
def test_the_code_of_the_page_runs():
    page = (Path(__file__).parents[2] / "docs" / "consistency.md").read_text()
    names = {}
    mpl.use("agg")
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    mpl.pyplot.close("all")
    assert names["sampled"]["hand_till", "accuracy"].consistency > 0.5
    assert round(names["stability"]["accuracy", "lda", "knn"].share, 4) == 0.923
    assert names["stability"]["hand_till", "lda", "knn"].share == 0.9955
