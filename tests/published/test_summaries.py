"""Published numbers of tests that compare learners over folds and over data sets."""

from math import sqrt

import numpy as np
import pytest

import polyroc as pr
from polyroc._results.provenance import Provenance
from polyroc.studies.fold_values import FoldTable
from polyroc.studies.summaries.range_tests import range_test
from polyroc.studies.summaries.studentized_range import range_quantile

SAID = {"better": 1.0, "data_set": "a", "measure": "auc", "assumes": "", "provenance": Provenance({}, None)}


@pytest.mark.peer("R", "qtukey at Duncan's levels, 2 to 9 means, 72 and 60 degrees of freedom")
@pytest.mark.parametrize(
    ("df", "printed", "digits"),
    [
        (72.0, [2.8192, 2.9662, 3.0634, 3.1343, 3.1892, 3.2332, 3.2695, 3.3001], 4),
        (60.0, [2.829, 2.976, 3.073, 3.143, 3.198, 3.241, 3.277, 3.307], 3),
    ],
)
def test_t14_duncans_significant_studentized_ranges(df, printed, digits):
    values = [range_quantile(0.95 ** (p - 1), p, df) for p in range(2, 10)]
    assert [round(value, digits) for value in values] == printed


@pytest.mark.peer("agricolae (R)", "duncan.test of its sweet potatoes: mean square error, critical ranges, groups")
def test_t14_sweet_potatoes_of_agricolae():
    crop = {
        "cc": (28.5, 21.7, 23.0),
        "fc": (14.9, 10.6, 13.1),
        "ff": (41.8, 39.2, 28.0),
        "oo": (38.2, 40.4, 32.1),
    }
    means = {virus: float(np.mean(yields)) for virus, yields in crop.items()}
    error = sum(np.var(yields, ddof=1) for yields in crop.values()) / 4  # one-way: no blocks
    assert error == pytest.approx(22.48917, abs=5e-6)
    test = range_test("duncan", means, sqrt(error / 3), 8, 0.05, **SAID)
    assert test.critical_ranges == pytest.approx([8.928965, 9.304825, 9.514910], abs=5e-7)
    assert test.groups == (("oo", "ff"), ("cc",), ("fc",))
    assert test.letters == {"oo": "a", "ff": "a", "cc": "b", "fc": "c"}


@pytest.mark.published("Bradley (1997), figure 15", "SE(W) by area and class size")
@pytest.mark.parametrize(
    ("area", "printed"),
    [
        (0.75, [0.07789, 0.04884, 0.03443, 0.02431]),
        (0.85, [0.06238, 0.03905, 0.02752, 0.01943]),
        (0.95, [0.03641, 0.02274, 0.01601, 0.01129]),
    ],
)
def test_t15_bradleys_figure_15(area, printed):
    values = [pr.studies.summaries.wilcoxon_error("auc", area, n, n) for n in (20, 50, 100, 200)]
    assert values == pytest.approx(printed, abs=5e-6)
    whole = pr.studies.summaries.wilcoxon_errors([area], [20, 50, 100, 200])
    assert [row["wilcoxon_error"] for row in whole.rows()] == values


BRADLEY = {  # AUC in per cent as printed; a root of MSE that the printed groups allow
    2: (5.4, "MSCP 88.1 MSCM 88.7 C4.5 92.1 KNN 96.2 BAYES 96.7 PTRON 97.8 MLP4 98.3 MLP8 98.5 MLP2 98.6"),
    3: (12.8, "C4.5 48.7 KNN 60.9 MLP4 65.5 MLP8 65.7 MLP2 66.1 PTRON 69.8 MSCM 70.0 MSCP 70.5 BAYES 73.3"),
    7: (7.0, "MSCM 70.1 MSCP 70.2 C4.5 79.2 KNN 82.0 MLP8 82.1 MLP4 82.3 BAYES 83.8 MLP2 84.7 PTRON 87.8"),
}
IN_WORDS = {
    2: ["MLP2 MLP8 MLP4 PTRON BAYES KNN", "BAYES KNN C4.5", "C4.5 MSCM MSCP"],
    3: ["BAYES MSCP MSCM PTRON MLP2 MLP8 MLP4 KNN", "C4.5"],
    7: ["PTRON MLP2 BAYES MLP4 MLP8 KNN", "MLP2 BAYES MLP4 MLP8 KNN C4.5", "MSCP MSCM"],
}


@pytest.mark.published("Bradley (1997), tables 2, 3 and 7", "the subgroups of the AUC as the text describes them")
@pytest.mark.parametrize("table", BRADLEY)
def test_the_subgroups_bradley_describes(table):
    """Tables 2, 3 and 7: ten folds, nine learners; the mean square errors are not printed."""
    deviation, printed = BRADLEY[table]
    words = printed.split()
    means = dict(zip(words[::2], map(float, words[1::2]), strict=True))
    test = range_test("duncan", means, deviation / sqrt(10), 72, 0.05, **SAID)
    assert [" ".join(group) for group in test.groups] == IN_WORDS[table]


DEMSAR = {  # JMLR 7 (2006), table 6: AUC of C4.5 and its tuned versions on 14 data sets
    "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.94, 0.619, 0.972, 0.957],
    "C4.5+m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666, 0.981, 0.978],
    "C4.5+cf": [0.771, 0.59, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965, 0.614, 0.9751, 0.946],
    "C4.5+m+cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962, 0.669, 0.975, 0.97],
}


@pytest.mark.published(
    "Demsar (2006), section 3.2.2", "mean ranks, chi-square 9.28, F 3.69, critical difference 1.25"
)
def test_demsars_friedman_and_nemenyi():
    test = pr.studies.summaries.friedman(DEMSAR)
    assert {name: round(rank, 3) for name, rank in test.ranks.items()} == {
        "C4.5+m+cf": 1.964,
        "C4.5+m": 2.0,
        "C4.5+cf": 2.893,
        "C4.5": 3.143,
    }
    plain = test.statistic * test.ties  # he does not correct for ties
    assert plain == pytest.approx(9.28, abs=0.005)
    assert 13 * plain / (14 * 3 - plain) == pytest.approx(3.69, abs=0.005)
    assert (test.df, test.F_df) == (3, (3, 39))
    assert test.statistic == pytest.approx(10.2283464566929, abs=1e-12)  # scipy's test, "verified with R"
    assert test.pvalue == pytest.approx(0.0167215803284414, abs=1e-12)
    assert test.critical_difference == pytest.approx(1.25, abs=0.005)
    assert pr.studies.summaries.friedman(DEMSAR, alpha=0.1).critical_difference == pytest.approx(1.12, abs=0.005)


def test_demsars_nemenyi_separates_two_pairs_at_10_per_cent():
    """Mean ranks 3.143 - 2.000 and 3.143 - 1.964 exceed 1.12."""
    nemenyi = pr.studies.summaries.friedman(DEMSAR, alpha=0.1).nemenyi
    assert nemenyi.apart("C4.5", "C4.5+m")
    assert nemenyi.apart("C4.5", "C4.5+m+cf")
    assert sum(pair["apart"] for pair in nemenyi.pairs()) == 2


@pytest.mark.published("Demsar (2006), table 2", "the smaller sum of ranks")
def test_demsars_wilcoxon():
    """Table 2: the smaller sum of ranks is 12, with two zeros that share ranks 1 and 2; without them it is 6.5."""
    tests = pr.studies.summaries.wilcoxon(DEMSAR)["C4.5", "C4.5+m"]
    assert tests.statistic == 12 - 1.5 - 2 * 2
    assert tests.pvalue < 0.05  # he rejects at 5 %


# scikit-learn, "Statistical comparison of models using grid search": ten times ten folds of two moons, 100 cases.
# The AUC of a fold is 1 less a letter's place by 25: a is 1, b is 0.96 ...
MOONS = {
    "rbf": "chgcaaaababaacecaafafcdcaadcaafbeaaaabcaacacagaaaaaeaaahcaaaccaafdacbabcecaaadccacbahaaaagbdahcabaae",
    "linear": "begcabbacacbbdfbaafaebeaabedaaeceabaacdabcacagacaa"
    "afbbaibcaaccafedbcbabdfeabacccbacaiaaaagbcagcaccae",
    "3_poly": "ahgcadbebbcdagfbaagaecffabeccadcgabbaedadfabckccaa"
    "cfabagffaadcbcegabeabdfdabaibebecagabaahccaibabcal",
}


def moons():
    values = np.array([[1 - (ord(letter) - ord("a")) / 25 for letter in text] for text in MOONS.values()]).T
    blocks = tuple((k // 10, k % 10) for k in range(100))
    return FoldTable(values, tuple(MOONS), blocks, 90.0, 10.0, "moons", "auc")


@pytest.mark.peer("scikit-learn", "corrected t of its example of two moons, to three digits")
@pytest.mark.parametrize(
    ("pair", "t", "one_sided"),
    [(("rbf", "linear"), 0.750, 0.227), (("rbf", "3_poly"), 1.657, 0.050), (("linear", "3_poly"), 1.111, 0.135)],
)
def test_scikit_learns_corrected_t(pair, t, one_sided):
    tests = pr.studies.summaries.corrected_t(moons())[pair]
    assert tests.statistic == pytest.approx(t, abs=5e-4)
    assert tests.pvalue / 2 == pytest.approx(one_sided, abs=6e-4)  # it reports one side


@pytest.mark.peer("scikit-learn", "Bayesian probabilities of its example of two moons, to three digits")
@pytest.mark.parametrize(
    ("pair", "worse", "better", "within"),
    [
        (("rbf", "linear"), 0.068, 0.500, 0.432),
        (("rbf", "3_poly"), 0.018, 0.882, 0.100),
        (("linear", "3_poly"), 0.063, 0.750, 0.187),
    ],
)
def test_scikit_learns_bayesian_comparison(pair, worse, better, within):
    posteriors = pr.studies.summaries.correlated_t(moons(), rope=0.01)[pair]
    assert (posteriors.second_better, posteriors.first_better, posteriors.equivalent) == pytest.approx(
        (worse, better, within), abs=5e-4
    )
