"""Venkatraman's tests of whole curves: against their definitions, against pROC, and by simulation."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

import naive
import polyroc as pr
import strategies as draw
from command import polyroc
from polyroc.curves import venkatraman
from polyroc.errors import InputError, NotApplicableError
from polyroc.results import CurveTest

# The two markers of docs/coming_from_proc.md.
Y = np.repeat([0, 1], [22, 18])
A = [1, -1, -2, -1, -3, -1, -2, 1, -2, -1, -3, -1, 0, -3, -2, 2, 1, -2, -1, -3, -3, 3]
A += [0, 5, 2, 3, 3, 3, -3, 0, 1, 3, 1, 2, -1, 2, 6, 4, 4, 1]
B = [1, 2, -7, 4, 2, -2, 2, 1, -2, -2, -2, -1, 4, 4, -3, 4, -2, 3, -3, -2, 0, 1]
B += [1, 8, -3, 5, 2, 6, -4, 0, -1, 1, 4, 2, 0, 5, 5, 2, 7, 3]
SICK = np.arange(400) % 2
RNG = np.random.default_rng(3)
QUANTILES = ndtri((np.arange(200) + 0.5) / 200)


def normal(mean, deviation):
    """Scores of normal distributions without error: N(0, 1) if well, N(mean, deviation^2) if sick."""
    values = np.empty(400)
    values[SICK == 0], values[SICK == 1] = (
        RNG.permutation(QUANTILES),
        mean + deviation * RNG.permutation(QUANTILES),
    )
    return values


STEADY, OTHER, ERRATIC = normal(1.0, 1.0), normal(1.0, 1.0), normal(5**0.5, 3.0)  # of the same area


def scores(y, s):
    return pr.Scores(y, s)


@pytest.mark.slow
@given(st.data())
def test_the_statistics_are_their_definitions(data):
    y = data.draw(draw.classes(c=2))
    values = st.lists(st.integers(0, 6), min_size=len(y), max_size=len(y))
    a, b = data.draw(values), data.draw(values)
    truth = np.asarray(y).tolist()
    paired = venkatraman(y, {"a": a, "b": b}, replicates=1).pair("a", "b")
    assert paired.statistic == pytest.approx(naive.curve_errors_paired(truth, a, b), abs=1e-9)
    unpaired = venkatraman({"a": scores(y, a), "b": scores(y, b)}, replicates=1).pair("a", "b")
    expected = naive.curve_errors_unpaired([(truth, a), (truth, b)], cuts=2000)
    assert unpaired.statistic == pytest.approx(expected, abs=2e-3)  # of a grid of 2000 points
    assert (paired.paired, unpaired.paired) == (True, False)


def test_curves_with_equal_areas():
    areas = [pr.evaluate(SICK, s, measure="auc").value for s in (STEADY, ERRATIC)]
    assert abs(areas[0] - areas[1]) < 0.005
    assert pr.compare(SICK, {"a": STEADY, "b": ERRATIC}, measure="auc").pvalue > 0.5
    assert venkatraman(SICK, {"a": STEADY, "b": ERRATIC}, replicates=400).pair("a", "b").pvalue < 0.02
    apart = {"a": scores(SICK, STEADY), "b": scores(SICK, ERRATIC)}
    assert venkatraman(apart, replicates=400).pair("b", "a").pvalue < 0.05
    assert venkatraman(SICK, {"a": STEADY, "b": OTHER}, replicates=400).pair("a", "b").pvalue > 0.1


def test_what_does_not_matter():
    """A monotone transformation, the order of the cases and of the pair, and one column or two."""
    test = venkatraman(SICK, {"a": STEADY, "b": ERRATIC}, replicates=200, rng=4)
    again = venkatraman(SICK, {"a": np.exp(STEADY), "b": 3 * ERRATIC}, replicates=200, rng=4)
    assert again.rows() == test.rows()
    order = RNG.permutation(len(SICK))
    shuffled = venkatraman(SICK[order], {"b": ERRATIC[order], "a": STEADY[order]}, replicates=200, rng=4)
    assert shuffled.pair("a", "b").statistic == pytest.approx(test.pair("a", "b").statistic)
    p = 1 / (1 + np.exp(-STEADY))
    columns = {"a": np.column_stack([1 - p, p]), "b": np.column_stack([-ERRATIC, ERRATIC])}
    assert venkatraman(SICK, columns, replicates=200, rng=4).rows() == test.rows()
    same = venkatraman(SICK, {"a": STEADY, "b": STEADY}, replicates=50).pair("a", "b")
    assert (same.statistic, same.pvalue) == (0.0, 1.0)


def test_groups_exchange_together():
    """Every case twice, in a group: rearrangements are those of the single cases."""
    once = venkatraman(SICK, {"a": STEADY, "b": ERRATIC}, replicates=300, rng=1).pair("a", "b")
    twice = {name: np.repeat(s, 2) for name, s in {"a": STEADY, "b": ERRATIC}.items()}
    grouped = venkatraman(np.repeat(SICK, 2), twice, groups=np.repeat(np.arange(400), 2), replicates=300, rng=1)
    assert grouped.pair("a", "b").pvalue == pytest.approx(once.pvalue, abs=0.01)
    assert venkatraman(np.repeat(SICK, 2), twice, replicates=300, rng=1).pair("a", "b").pvalue <= once.pvalue


@pytest.mark.slow
@given(st.data())
def test_weights_of_paired_curves(data):
    """The area between weighted curves of errors; frequencies are repeated rows, each a case of its own."""
    y = data.draw(draw.classes(c=2))
    values, counts = (st.lists(st.integers(*ends), min_size=len(y), max_size=len(y)) for ends in ((0, 6), (1, 4)))
    a, b, w = data.draw(values), data.draw(values), data.draw(counts)
    statistic = venkatraman(y, {"a": a, "b": b}, sample_weight=w, replicates=1).pair("a", "b").statistic
    if len({*w}) > 1:  # else it is a sum, not an area, which differs where tied curves cross
        assert statistic == pytest.approx(naive.curve_errors_weighted(np.asarray(y).tolist(), a, b, w), abs=1e-9)
    counted = venkatraman(y, {"a": a, "b": b}, sample_weight=w, weight_kind="frequency", replicates=20)
    rows = {name: np.repeat(s, w) for name, s in {"a": a, "b": b}.items()}
    assert counted.rows() == venkatraman(np.repeat(y, w), rows, replicates=20).rows()


def test_a_case_exchanges_its_scores_and_keeps_its_weight():
    """Importance weights are as groups of equal cases, which are exchanged together."""
    w = np.where(np.arange(400) % 3, 1, 3)
    weighted = venkatraman(SICK, {"a": STEADY, "b": ERRATIC}, sample_weight=w, replicates=300, rng=1).pair(
        "a", "b"
    )
    rows = {name: np.repeat(s, w) for name, s in {"a": STEADY, "b": ERRATIC}.items()}
    grouped = venkatraman(np.repeat(SICK, w), rows, groups=np.repeat(np.arange(400), w), replicates=300, rng=1)
    assert weighted.statistic == pytest.approx(grouped.pair("a", "b").statistic * 400 / w.sum() / w.mean())
    assert weighted.pvalue == pytest.approx(grouped.pair("a", "b").pvalue, abs=0.02)
    same = venkatraman(SICK, {"a": STEADY, "b": ERRATIC}, sample_weight=np.full(400, 0.3), replicates=50)
    assert same.rows() == venkatraman(SICK, {"a": STEADY, "b": ERRATIC}, replicates=50).rows()
    nothing = np.append(w, 0)  # a case that does not count
    other = {"a": np.append(STEADY, 9.0), "b": np.append(ERRATIC, -9.0)}
    padded = venkatraman(np.append(SICK, 1), other, sample_weight=nothing, replicates=9).pair("a", "b")
    assert padded.statistic == pytest.approx(weighted.statistic)


def test_several_pairs_are_adjusted_stored_and_reported():
    reports = []
    three = {"a": STEADY, "b": ERRATIC, "c": OTHER}
    test = venkatraman(SICK, three, replicates=99, progress=lambda *report: reports.append(report))
    assert [*test.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert reports[0] == (0, 99, "a and b")
    assert all(pair.adjusted_pvalue >= pair.pvalue for pair in test.pairs.values())
    plain = venkatraman(SICK, three, replicates=99, adjustment=None)
    assert all(pair.adjusted_pvalue == pair.pvalue for pair in plain.pairs.values())
    again = CurveTest.from_dict(json.loads(json.dumps(test.to_dict())))
    assert again.rows() == test.rows()
    assert repr(test).startswith("CurveTest(equal ROC curves: a, b: p = ")
    assert test.provenance.seed == 0


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: venkatraman(SICK, {"a": STEADY}), "needs two classifiers or more"),
        (lambda: venkatraman([0, 1, 2], {"a": np.eye(3), "b": np.eye(3)}), "A ROC curve is for 2 classes"),
        (lambda: venkatraman(list("xyxy"), {"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}), "positive class is ambiguous"),
        (lambda: venkatraman(Y, {"a": A, "b": B}, adjustment="max-t"), "adjustment must be 'holm'"),
        (lambda: venkatraman(Y, {"a": A, "b": B}, replicates=0), "replicates must be a whole number"),
        (lambda: venkatraman(Y, {"a": A, "b": B}).pair("a", "z"), "one of the pairs 'a' and 'b', got 'a' and 'z'"),
        (
            lambda: venkatraman(dict.fromkeys("ab", (Y, A)), sample_weight=Y + 1.0),
            r"not valid for importance weights.* compare areas instead, with compare\(...\), which allows "
            "weights.* weight_kind='frequency'",
        ),
        (
            lambda: venkatraman({k: pr.Scores(Y, A, groups=Y) for k in "ab"}),
            "not valid for groups, whose cases stay together; compare areas instead",
        ),
        (lambda: venkatraman(Y, {"a": A, "b": B}, sample_weight=[-1.0] * 40), "negative weights"),
        (lambda: venkatraman([1, 1], {"a": [1, 2], "b": [1, 2]}, labels=[0, 1]), "No case of class '0'"),
    ],
)
def test_bad_questions(ask, message):
    with pytest.raises((InputError, NotApplicableError), match=message):
        ask()


# pROC: 60 cases without ties, whose distances do not depend on how ties are broken.

CLASSES = np.repeat([0, 1], [35, 25])
PLACES = np.arange(60)
U = ((PLACES * 37 + 11) % 60 + 0.5) / 60 + 0.355 * CLASSES
V = ((PLACES * 23 + 5) % 60 + 0.5) / 60 * (1 + CLASSES) + 0.0003 * CLASSES


@pytest.mark.slow
@pytest.mark.peer(
    "pROC 1.18.0 (R)",
    "roc.test(method='venkatraman'), paired and unpaired: statistic, and p-value to Monte Carlo error",
)
def test_proc():
    """boot.n=10000: 138 and p = 0.3969 paired, 0.038333 and p = 0.5107 unpaired."""
    paired = venkatraman(CLASSES, {"u": U, "v": V}, replicates=2000).pair("u", "v")
    assert paired.statistic == pytest.approx(138)
    assert paired.pvalue == pytest.approx(
        0.3969, abs=0.036
    )  # three standard errors of the two Monte Carlo p-values
    unpaired = venkatraman({"u": scores(CLASSES, U), "v": scores(CLASSES, V)}, replicates=2000).pair("u", "v")
    assert unpaired.statistic == pytest.approx(0.0383333333333333)
    assert unpaired.pvalue == pytest.approx(0.5107, abs=0.036)


@pytest.mark.peer("pROC 1.18.0 (R)", "ci.se by the bootstrap (10000 replicates), beside the interval by formula")
def test_proc_sensitivity_at_a_specificity():
    """The ends of percentile intervals of 25 positives are steps of 1/25; ours are within two and a half."""
    theirs = {0.7: (0.44, 0.68, 0.88), 0.8: (0.36, 0.60, 0.84), 0.9: (0.24, 0.48, 0.68)}
    for specificity, (low, median, high) in theirs.items():
        estimate = pr.evaluate(CLASSES, U, measure=f"sensitivity(specificity={specificity})")
        assert estimate.value == pytest.approx(median, abs=1 / 25 + 1e-9)
        assert estimate.confidence_interval() == pytest.approx((low, high), abs=2.5 / 25)


def test_on_the_command_line(tmp_path):
    path = tmp_path / "curves.csv"
    rows = zip(CLASSES.tolist(), U.tolist(), V.tolist(), strict=True)
    path.write_text("y,u,v\n" + "".join(f"{y},{u!r},{v!r}\n" for y, u, v in rows))
    arguments = ("curve", path, "--truth", "y", "--scores", "u=u", "--scores", "v=v", "--test", "venkatraman")
    done = polyroc(*arguments, "--replicates", "99", "--json")
    assert done.returncode == 0, done.stderr
    assert (
        CurveTest.from_dict(json.loads(done.stdout)).rows()
        == venkatraman(CLASSES, {"u": U, "v": V}, replicates=99).rows()
    )
    assert "Venkatraman's permutation test, 99 permutations" in polyroc(*arguments, "--replicates", "99").stdout
    assert "in memory" in polyroc(*arguments, "--engine", "duckdb").stderr
