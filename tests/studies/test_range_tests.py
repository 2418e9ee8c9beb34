"""ANOVA over folds, Duncan, Tukey, Friedman and Nemenyi: twins, peers, laws and degenerate input."""

import json
from itertools import combinations
from math import inf, isnan, sqrt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
import polyroc as pr
from polyroc._results.provenance import Provenance
from polyroc.errors import DegenerateComparisonWarning, DroppedRowsWarning, InputError
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries.anova import Anova
from polyroc.studies.summaries.friedman import Friedman
from polyroc.studies.summaries.range_tests import RangeTest, range_test
from polyroc.studies.summaries.studentized_range import range_probability, range_quantile

S = pr.studies.summaries
SAID = {"data_set": "a", "measure": "auc", "assumes": "", "provenance": Provenance({}, None)}


def table(values, measure="auc", train=90.0, test=10.0, repeats=1, data_set="a"):
    values = np.asarray(values, dtype=float)
    blocks = tuple((k % repeats, k // repeats) for k in range(len(values)))
    learners = tuple(f"learner {k}" for k in range(values.shape[1]))
    return FoldTable(values, learners, blocks, train, test, data_set, measure)


@st.composite
def values(draw, fewest=(2, 2)):
    """Folds x learners: whole eighths, so that many tie, or millionths."""
    r, c = draw(st.integers(fewest[0], 7)), draw(st.integers(fewest[1], 6))
    most, unit = draw(st.sampled_from([(8, 8), (2 * 10**6, 10**6)]))
    number = st.integers(-most, most).map(lambda v: v / unit)
    return np.array(draw(st.lists(number, min_size=r * c, max_size=r * c))).reshape(r, c)


@st.composite
def spread_values(draw):
    """The same with an error to hold differences against, by construction."""
    base = draw(values(fewest=(3, 2)))
    noise = np.random.default_rng(draw(st.integers(0, 2**16))).normal(size=base.shape)
    return base + draw(st.sampled_from([0.01, 0.3, 3.0])) * noise


# The studentized range ------------------------------------------------------------------------------------------


@pytest.mark.peer("scipy", "studentized_range, to its own accuracy of 1e-9")
@pytest.mark.parametrize("df", [1.0, 2.0, 8.0, 72.0, 1881.0])
def test_probabilities_of_the_studentized_range_are_those_of_scipy(df):
    q, means = np.array([0.05, 1.5, 3.5, 9.0]), [2, 3, 9, 20]
    expected = stats.studentized_range.cdf(q[:, None], np.array(means), df)
    assert range_probability(q, means, df) == pytest.approx(expected, abs=2e-9)


def test_the_range_of_endlessly_many_degrees_of_freedom_is_the_limit():
    q, means = np.array([0.5, 2.0, 3.5]), [2, 7, 30]
    assert range_probability(q, means, inf) == pytest.approx(range_probability(q, means, 1e9), abs=1e-8)
    assert range_quantile(0.95, 2, inf) == pytest.approx(sqrt(2) * stats.norm.ppf(0.975), abs=1e-9)


def test_two_means_are_students_t():
    for df in (1, 4, 30):
        assert range_quantile(0.95, 2, float(df)) == pytest.approx(sqrt(2) * stats.t.ppf(0.975, df), rel=1e-9)


# Analysis of variance -------------------------------------------------------------------------------------------


@given(spread_values())
def test_anova_is_its_twin(y):
    anova = S.anova(table(y))
    squares = [anova.table[name].sum_of_squares for name in ("learners", "folds", "error")]
    scale = float((y**2).sum())
    assert squares == pytest.approx(naive.two_way_anova(y.tolist()), abs=1e-12 * scale)
    r, c = y.shape
    assert [line.df for line in anova.table.values()] == [c - 1, r - 1, (r - 1) * (c - 1), r * c - 1]
    assert pytest.approx(squares[0] / (c - 1) / (squares[2] / ((r - 1) * (c - 1))), rel=1e-12) == anova.F
    assert anova.pvalue == pytest.approx(stats.f.sf(anova.F, *anova.df), rel=1e-9)


@pytest.mark.slow
@pytest.mark.peer("statsmodels", "AnovaRM, repeated measures over folds")
def test_anova_is_that_of_statsmodels():
    from statsmodels.stats.anova import AnovaRM

    y = np.random.default_rng(0).normal(np.array([0, 0.5, 1, 0]), size=(10, 4))
    long = pd.DataFrame([(i, j, y[i, j]) for i in range(10) for j in range(4)], columns=["fold", "learner", "y"])
    peer = AnovaRM(long, "y", "fold", ["learner"]).fit().anova_table.iloc[0]
    anova = S.anova(table(y))
    assert (anova.F, anova.pvalue) == pytest.approx((peer["F Value"], peer["Pr > F"]), rel=1e-9)


def test_anova_by_hand():
    """Means 4, 6, 3 and 3, 13/3, 17/3 about 13/3: sums of squares 14, 32/3 and 10/3."""
    anova = S.anova({"a": [3, 4, 5], "b": [5, 5, 8], "c": [1, 4, 4]})
    assert [row["sum_of_squares"] for row in anova.rows()] == pytest.approx([14, 32 / 3, 10 / 3, 28], rel=1e-12)
    assert pytest.approx(8.4, rel=1e-12) == anova.F
    assert anova.mean_square_error == pytest.approx(10 / 12, rel=1e-12)
    assert anova.means == pytest.approx({"a": 4, "b": 6, "c": 3})


@pytest.mark.peer("scipy", "stats.ttest_rel: analysis of variance, Tukey and Duncan of two learners")
def test_two_learners_make_the_paired_t_test():
    y = np.random.default_rng(1).normal(size=(8, 2))
    paired = stats.ttest_rel(y[:, 0], y[:, 1])
    anova = S.anova(table(y))
    assert (anova.F, anova.pvalue) == pytest.approx((paired.statistic**2, paired.pvalue), rel=1e-9)
    assert S.tukey(table(y)).pvalue("learner 0", "learner 1") == pytest.approx(paired.pvalue, abs=1e-12)
    assert S.duncan(table(y)).pvalue("learner 0", "learner 1") == pytest.approx(paired.pvalue, abs=1e-12)


def test_repeats_are_called_dependent():
    y = np.random.default_rng(1).normal(size=(8, 2))
    assert "repeats" not in S.anova(table(y)).assumes
    assert "2 repeats" in S.anova(table(y, repeats=2)).assumes
    assert "8 test sets may share cases" in S.anova(table(y, repeats=8)).assumes


def test_equal_values_are_equal_and_have_no_f():
    anova = S.anova({"a": [0.1, 0.1, 0.1], "b": [0.1, 0.1, 0.1]})
    assert isnan(anova.F)
    assert anova.pvalue == 1.0
    assert S.duncan({"a": [0.1] * 3, "b": [0.1] * 3}).groups == (("a", "b"),)
    easy = S.anova({"a": [0.1, 0.7, 0.3], "b": [0.1, 0.7, 0.3]})  # folds differ, learners do not
    assert easy.pvalue == 1.0


def test_a_difference_without_error_has_no_p_value_but_groups():
    constant = {"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.6], "c": [0.8, 0.7, 0.6]}
    with pytest.warns(DegenerateComparisonWarning, match="same amount in every fold"):
        assert isnan(S.anova(constant).pvalue)
    with pytest.warns(DegenerateComparisonWarning):
        test = S.tukey(constant)
    assert test.groups == (("a",), ("b", "c"))
    assert isnan(test.pvalue("a", "b"))
    assert test.pvalue("b", "c") == 1.0


def test_means_that_differ_by_rounding_are_one_group_without_error():
    with pytest.warns(DegenerateComparisonWarning):
        test = S.tukey({"a": [0.1 + 0.2, 0.4], "b": [0.3, 0.4], "c": [0.5, 0.6]})
    assert [set(group) for group in test.groups] == [{"c"}, {"a", "b"}]
    assert test.pvalue("a", "b") == 1.0


def test_failed_folds_are_rejected_or_left_out_for_all():
    y = np.random.default_rng(2).normal(size=(5, 3))
    y[1, 0] = np.nan
    with pytest.raises(InputError, match=r"'learner 0' has no value in some folds .*leave out 1 of 5 folds"):
        S.anova(table(y))
    with pytest.warns(DroppedRowsWarning, match="1 of 5 folds"):
        anova = S.anova(table(y), missing="drop")
    assert anova.provenance.dropped == 1
    assert pytest.approx(S.anova(table(np.delete(y, 1, axis=0))).F) == anova.F


def test_a_learner_that_always_fails_is_named_and_left_out():
    y = np.random.default_rng(2).normal(size=(5, 3))
    y[:, 2] = np.nan
    with pytest.raises(InputError, match="leave out 'learner 2', which never has one"):
        S.duncan(table(y))
    with pytest.warns(DroppedRowsWarning):
        test = S.duncan(table(y), missing="drop")
    assert set(test.values) == {"learner 0", "learner 1"}
    assert test.provenance.dropped == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"a": [1.0, 2.0]}, "two or more learners"),
        ({"a": [1.0], "b": [2.0]}, "two or more complete folds, got 1"),
        ({"a": [1.0, 2.0], "b": [2.0]}, "all equally many"),
        ({}, "one value per fold"),
        ([1, 2, 3], "one value per fold"),
        ({"a": ["x", "y"], "b": [1.0, 2.0]}, "one number per fold"),
        (FoldTable(np.eye(2), ("a", "a"), ((0, 0), (0, 1)), 1.0, 1.0), "must be distinct"),
    ],
)
def test_what_cannot_be_compared_is_rejected(values, message):
    with pytest.raises(InputError, match=message):
        S.anova(values)


def test_bad_options_are_rejected():
    fine = {"a": [1.0, 2.0], "b": [2.0, 5.0]}
    for alpha in (0, 1, -0.1, np.nan):
        with pytest.raises(InputError, match="alpha"):
            S.duncan(fine, alpha=alpha)
    with pytest.raises(InputError, match="missing must be"):
        S.friedman(fine, missing="ignore")
    with pytest.raises(InputError, match="missing"):
        S.anova({"a": [1.0, np.nan], "b": [2.0, 5.0]}, missing="ignore")


# Duncan and Tukey -----------------------------------------------------------------------------------------------


@given(spread_values(), st.sampled_from(["duncan", "tukey"]), st.sampled_from([0.01, 0.05, 0.3]))
def test_groups_are_those_of_the_procedure_in_words(y, procedure, alpha):
    result = getattr(S, procedure)(table(y), alpha=alpha)
    critical = dict(enumerate(result.critical_ranges, 2))
    runs = naive.homogeneous_ranges(list(result.values.values()), critical)
    assert list(result.groups) == [result.learners[a:b] for a, b in runs]


@given(spread_values(), st.sampled_from(["duncan", "tukey"]), st.sampled_from([0.01, 0.05, 0.3]))
def test_a_pair_is_distinguished_where_its_p_value_is_below_the_level(y, procedure, alpha):
    """Containment and the running maximum are in the p-values too."""
    result = getattr(S, procedure)(table(y), alpha=alpha)
    for a, b in combinations(result.learners, 2):
        p = result.pvalue(a, b)
        if abs(p - alpha) > 1e-9:  # a tie of p and alpha is decided by rounding
            assert result.apart(a, b) == (p < alpha)


@given(spread_values())
def test_wider_pairs_have_smaller_p_values_and_letters_are_groups(y):
    test = S.duncan(table(y))
    k = len(test.learners)
    for i, j in combinations(range(k), 2):
        inside = test.pvalues[i : j + 1, i : j + 1]
        assert test.pvalues[i, j] <= inside.min() + 1e-15
    for a, b in combinations(test.learners, 2):
        assert bool(set(test.letters[a]) & set(test.letters[b])) == (not test.apart(a, b))
    assert test.pvalues == pytest.approx(test.pvalues.T)


def test_critical_ranges_never_fall():
    """With 5 degrees of freedom the formula gives 3.635, 3.749, 3.796, 3.814, 3.814, 3.806 for 2 to 7 means."""
    plain = [range_quantile(0.95 ** (p - 1), p, 5.0) for p in range(2, 8)]
    assert plain[-1] < plain[-2]
    means = {str(k): float(k) for k in range(7)}
    test = range_test("duncan", means, 1.0, 5, 0.05, better=1.0, **SAID)
    assert test.critical_ranges == pytest.approx(np.maximum.accumulate(plain), rel=1e-12)
    between = (plain[-1] + max(plain)) / 2  # significant by the formula for seven means alone
    spread = {str(k): between * k / 6 for k in range(7)}
    test = range_test("duncan", spread, 1.0, 5, 0.05, better=1.0, **SAID)
    assert test.groups == (test.learners,)
    assert test.pvalue("0", "6") > 0.05


def test_containment_keeps_a_pair_together():
    """Neighbours 3.0 apart exceed R_2 = 2.83, but a range around them of 3.1 is below R_4 = 3.07 times 1.02."""
    means = {"a": 3.12, "b": 3.11, "c": 0.01, "d": 0.0}
    test = range_test("duncan", means, 1.02, 60, 0.05, better=1.0, **SAID)
    assert test.critical_ranges[0] < 3.1 < test.critical_ranges[2]
    assert test.groups == (("a", "b", "c", "d"),)
    assert not test.apart("b", "c")
    assert test.pvalue("b", "c") == test.pvalue("a", "d") > 0.05


@pytest.mark.peer("scipy", "tukey_hsd, where the folds do not differ at all")
def test_tukey_is_that_of_scipy_on_the_same_footing():
    """scipy knows no blocks: its p-values are ours with its mean square error and degrees of freedom."""
    y = np.random.default_rng(3).normal(np.array([0, 0.5, 1.5, 0]), size=(6, 4))
    peer = stats.tukey_hsd(*y.T)
    means = {str(k): float(m) for k, m in enumerate(y.mean(axis=0))}
    test = range_test("tukey", means, sqrt(y.var(axis=0, ddof=1).mean() / 6), 20, 0.05, better=1.0, **SAID)
    for i, j in combinations(range(4), 2):
        assert test.pvalue(str(i), str(j)) == pytest.approx(peer.pvalue[i, j], abs=1e-9)


def test_a_cost_is_best_when_small():
    y = {"dear": [3.0, 3.2, 2.9], "cheap": [1.0, 1.3, 0.8]}
    values = np.column_stack(list(y.values()))
    costs = FoldTable(values, tuple(y), ((0, 0), (0, 1), (0, 2)), 2, 1, "a", "expected_cost")
    assert S.duncan(costs).learners == ("cheap", "dear")
    assert S.duncan(y).learners == ("dear", "cheap")
    assert next(iter(S.friedman([costs, costs]).ranks)) == "cheap"


# Friedman and Nemenyi -------------------------------------------------------------------------------------------


def by_learner(y):
    return {f"learner {k}": column for k, column in enumerate(np.asarray(y).T)}


@given(values())
def test_friedman_is_its_twin(y):
    test = S.friedman(by_learner(y))
    ranks, plain, ties = naive.friedman((-y).tolist())
    assert [test.ranks[f"learner {k}"] for k in range(y.shape[1])] == pytest.approx(ranks, abs=1e-12)
    assert test.ties == pytest.approx(ties, abs=1e-12)
    if ties == 0:
        assert isnan(test.statistic)
        assert test.pvalue == test.F_pvalue == 1.0
    else:
        assert test.statistic == pytest.approx(plain / ties, abs=1e-9)
        assert 0 <= test.F_pvalue <= 1


@pytest.mark.peer("scipy", "friedmanchisquare, with ties")
@given(values(fewest=(2, 3)))
def test_friedman_is_that_of_scipy(y):
    test = S.friedman(by_learner(y))
    if test.ties > 0:
        peer = stats.friedmanchisquare(*y.T)
        assert (test.statistic, test.pvalue) == pytest.approx((peer.statistic, peer.pvalue), abs=1e-9)


@pytest.mark.peer("scikit-posthocs", "posthoc_nemenyi_friedman")
def test_nemenyi_is_that_of_scikit_posthocs():
    from scikit_posthocs import posthoc_nemenyi_friedman

    y = np.random.default_rng(4).normal(np.array([0, 0, 1, 2, 0.5]), size=(9, 5))
    peer = posthoc_nemenyi_friedman(y).to_numpy()
    nemenyi = S.friedman(by_learner(y)).nemenyi
    for i, j in combinations(range(5), 2):
        assert nemenyi.pvalue(f"learner {i}", f"learner {j}") == pytest.approx(peer[i, j], abs=1e-9)


def test_perfect_agreement_has_an_endless_f():
    test = S.friedman({"a": [3, 3, 3, 3], "b": [2, 2, 2, 2], "c": [1, 1, 1, 1]})
    assert inf == test.F
    assert test.F_pvalue == 0.0
    assert test.statistic == pytest.approx(8.0)
    assert inf == Friedman.from_dict(json.loads(json.dumps(test.to_dict()))).F


def test_friedman_ranks_means_over_folds_whatever_the_order_of_learners():
    rng = np.random.default_rng(5)
    tables = [table(rng.normal(size=(4, 3)), data_set=f"set {k}") for k in range(4)]
    turned = FoldTable(tables[1].values[:, ::-1], tables[1].learners[::-1], *_rest(tables[1]))
    assert S.friedman([tables[0], turned, *tables[2:]]).ranks == S.friedman(tables).ranks
    means = np.array([fold_table.values.mean(axis=0) for fold_table in tables])
    assert S.friedman(by_learner(means)).statistic == S.friedman(tables).statistic


def _rest(table):
    return table.blocks, table.train_size, table.test_size, table.data_set, table.measure


def test_means_that_differ_by_rounding_tie():
    folds = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])  # the sums differ in the last digit
    test = S.friedman([table(folds, data_set="a"), table(folds, data_set="b")])
    assert set(test.ranks.values()) == {1.5}


def test_data_sets_without_values_are_rejected_or_left_out():
    rng = np.random.default_rng(6)
    tables = [table(rng.normal(size=(4, 3)), data_set=f"set {k}") for k in range(4)]
    tables[2].values[:, 1] = np.nan
    with pytest.raises(InputError, match="set 2"):
        S.friedman(tables)
    with pytest.warns(DroppedRowsWarning, match="set 2"):
        test = S.friedman(tables, missing="drop")
    assert test.data_sets == ("set 0", "set 1", "set 3")
    assert test.provenance.dropped == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (table(np.eye(3)), "a list with the tables of several data sets"),
        ([], "FoldTable for each data set"),
        ({"a": [1.0], "b": [2.0]}, "two or more data sets"),
        ([table(np.eye(3)), table(np.eye(2))], "same learners"),
        ([table(np.eye(3)), table(np.eye(3), measure="gini")], "same learners and measure"),
    ],
)
def test_tables_that_do_not_belong_together_are_rejected(values, message):
    with pytest.raises(InputError, match=message):
        S.friedman(values)


# Results --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (lambda: S.anova(table(np.random.default_rng(0).normal(size=(4, 3)))), Anova),
        (lambda: S.duncan(table(np.random.default_rng(0).normal(size=(4, 3)))), RangeTest),
        (lambda: S.friedman(by_learner(np.random.default_rng(0).normal(size=(4, 3)))), Friedman),
    ],
)
def test_results_come_back_as_they_were(made, kind):
    result = made()
    back = kind.from_dict(json.loads(json.dumps(result.to_dict())))
    assert back.to_dict() == result.to_dict()
    assert repr(back) == repr(result)
    assert back.rows() == result.rows()
    assert back.assumes
    assert "<table>" in result._repr_html_()


def test_an_anova_without_f_comes_back():
    anova = S.anova({"a": [0.1, 0.1], "b": [0.1, 0.1]})
    back = Anova.from_dict(json.loads(json.dumps(anova.to_dict())))
    assert isnan(back.F)
    assert repr(back) == "Anova(value on data: no F, p = 1.000)"


def test_more_than_26_groups_have_letters():
    means = {f"learner {k}": float(100 * k) for k in range(30)}
    test = range_test("tukey", means, 1.0, 60, 0.05, better=1.0, **SAID)
    assert list(test.letters.values())[25:28] == ["z", "a2", "b2"]
    assert len(set(test.letters.values())) == 30


def test_an_unknown_learner_is_rejected():
    with pytest.raises(InputError, match="no learner 'z'"):
        S.duncan({"a": [1.0, 2.0], "b": [2.0, 5.0]}).pvalue("a", "z")
