"""McNemar's test and Cochran's Q as a method of `compare`: against statsmodels."""

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import SquareTable, cochrans_q, mcnemar

import polyroc as pr
from command import polyroc
from polyroc.errors import NotApplicableError

RNG = np.random.default_rng(6)
Y = RNG.integers(0, 3, 90)
DECISIONS = {
    name: np.where(RNG.random(90) < share, Y, (Y + 1) % 3) for name, share in (("a", 0.9), ("b", 0.75), ("c", 0.7))
}
TEXT = {name: decided.astype(str) for name, decided in DECISIONS.items()}
RIGHT = {name: decided == Y for name, decided in DECISIONS.items()}


def table(first, second):
    """Right and wrong decisions of two classifiers."""
    return np.array([[(x & y).sum() for y in (second, ~second)] for x in (first, ~first)])


@pytest.mark.peer("statsmodels", "mcnemar (exact, and chi-square with and without correction), cochrans_q")
@pytest.mark.parametrize(
    ("method", "options"),
    [
        (pr.methods.McNemar(), {"exact": True}),
        (pr.methods.McNemar(exact=False), {"exact": False, "correction": True}),
        (pr.methods.McNemar(exact=False, corrected=False), {"exact": False, "correction": False}),
    ],
)
def test_statsmodels(method, options):
    comparison = pr.compare(Y.astype(str), TEXT, measure="accuracy", method=method)
    for (a, b), difference in comparison.differences.items():
        expected = mcnemar(table(RIGHT[a], RIGHT[b]), **options).pvalue
        assert difference.pvalue == pytest.approx(expected, rel=1e-9)
    assert comparison.pvalue == pytest.approx(cochrans_q(np.column_stack([*RIGHT.values()])).pvalue, rel=1e-9)
    pair = pr.compare(Y.astype(str), {k: TEXT[k] for k in "ab"}, measure="accuracy", method=method)
    assert pair.pvalue == pair.difference("a", "b").pvalue


@pytest.mark.peer("statsmodels", "SquareTable.homogeneity (Stuart-Maxwell), which docs/examiner.md shows")
def test_stuart_maxwell_is_about_marginals_not_about_right_decisions():
    """Two classifiers that are right on the same cases differ by Stuart-Maxwell, if their errors go elsewhere."""
    right = (np.arange(90) % 3 > 0) | (Y == 0)
    up, down = np.where(right, Y, 3 - Y), np.where(right, Y, 0)
    counts = np.array([[((up == i) & (down == j)).sum() for j in range(3)] for i in range(3)])
    assert SquareTable(counts, shift_zeros=False).homogeneity().pvalue < 0.01
    assert (
        pr.compare(
            Y.astype(str), {"up": up.astype(str), "down": down.astype(str)}, measure="accuracy", method="mcnemar"
        ).pvalue
        > 0.05
    )


def test_the_interval_agrees_with_the_pvalue():
    comparison = pr.compare(Y.astype(str), TEXT, measure="accuracy", method="mcnemar", adjustment=None)
    for difference in (one for one in comparison.differences.values() if one.pvalue < 0.9):
        low, high = difference.confidence_interval(1 - difference.pvalue)
        assert min(abs(low), abs(high)) < 1e-6
    assert comparison.estimates["a"].value == RIGHT["a"].mean()


def test_one_class_alone():
    """The sensitivity counts the positives, and decisions at a threshold are decisions."""
    y, s = Y > 0, {name: decided + RNG.normal(scale=0.3, size=90) for name, decided in DECISIONS.items()}
    comparison = pr.compare(y, s, measure="sensitivity(threshold=0.5)", method="mcnemar")
    counts = table(s["a"][y] >= 0.5, s["b"][y] >= 0.5)
    assert comparison.difference("a", "b").pvalue == pytest.approx(mcnemar(counts).pvalue)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"measure": "macro_average"},
            "McNemar's test is for proportions of right decisions, not for macro_average",
        ),
        (
            {"measure": "accuracy", "groups": np.arange(90) // 2},
            r"McNemar\(.* is for independent, unweighted cases",
        ),
        ({"measure": "accuracy", "sample_weight": Y + 1.0}, "there are sample_weight"),
        ({"measure": "accuracy", "folds": np.arange(90) % 5}, "use pooled=True"),
    ],
)
def test_not_applicable(options, words):
    with pytest.raises(NotApplicableError, match=words):
        pr.compare(Y.astype(str), TEXT, method=pr.methods.McNemar(), **options)


def test_decisions_that_tie_and_different_cases():
    P = np.eye(3)[Y]
    P[0] = 1 / 3
    with pytest.raises(NotApplicableError, match="some cases have several largest scores"):
        pr.compare(Y, {"a": P, "b": P}, measure="accuracy", method="mcnemar")
    apart = {name: pr.Scores(Y.astype(str), decided) for name, decided in TEXT.items()}
    with pytest.raises(NotApplicableError, match="on the same cases"):
        pr.compare(apart, measure="accuracy", method="mcnemar")


def test_on_the_command_line(tmp_path):
    path = tmp_path / "decisions.csv"
    rows = zip(Y, *DECISIONS.values(), strict=True)
    path.write_text("y,a,b,c\n" + "".join(",".join(f"k{code}" for code in row) + "\n" for row in rows))
    columns = [part for name in TEXT for part in ("--scores", f"{name}={name}")]
    done = polyroc("compare", path, "--truth", "y", *columns, "-m", "accuracy", "--method", "mcnemar", "--csv")
    assert done.returncode == 0, done.stderr
    expected = pr.compare(Y.astype(str), TEXT, measure="accuracy", method="mcnemar").rows()[0]["pvalue"]
    assert str(expected)[:8] in done.stdout


def test_tests_of_other_names_are_answered_with_what_to_use():
    with pytest.raises(pr.errors.InputError, match=r"There is no method '5x2 cv'; it is for learners"):
        pr.compare([0, 1], {"a": [0, 1], "b": [1, 0]}, measure="accuracy", method="5x2 cv")


@pytest.mark.parametrize("cases", [200, 3000])
def test_very_small_pvalues(cases):
    y = np.arange(cases) % 2
    comparison = pr.compare(y, {"right": y, "wrong": 1 - y}, measure="accuracy", method=pr.methods.McNemar())
    pair = comparison.difference("right", "wrong")
    assert 0 <= pair.pvalue < 1e-50
    low, high = pair.confidence_interval()
    assert 0 < low <= pair.value <= high
