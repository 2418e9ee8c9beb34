"""Confusion rates: every cell with its error bar, the cobweb, information gain, likelihood ratios."""

import itertools
import json
import math
import pickle
import warnings
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

import naive
import polyroc as pr
import strategies as draw
from polyroc.cli.app import run
from polyroc.datasets import catalogue
from polyroc.errors import InputError, SmallClassWarning, UndefinedMeasureWarning
from published.iris_loo import posteriors

EXACT = 1e-12  # sums of a dozen numbers of size 1


@given(st.data())
def test_rates_are_the_definition_with_ties_and_weights(data):
    y, P = data.draw(draw.probabilities())
    w = data.draw(draw.weights(y))
    with quiet():
        rates = pr.rates(y, P, sample_weight=w)
    np.testing.assert_allclose(rates.rates, naive.rates(y.tolist(), P.tolist(), w.tolist()), atol=EXACT)
    np.testing.assert_allclose(rates.rates.sum(axis=1), 1, atol=EXACT)
    totals = [naive.total(y, w, k) for k in range(len(rates.classes))]
    np.testing.assert_allclose(rates.counts.sum(axis=1), totals, atol=1e-10)
    np.testing.assert_allclose(rates.priors, np.array(totals) / sum(totals), atol=EXACT)


@given(st.data())
def test_standard_errors_are_those_of_the_shares(data):
    y, P = data.draw(draw.probabilities(c=3))
    y, P = np.tile(y, 2), np.concatenate([P, P[::-1]])  # at least two cases per class
    w = np.array(data.draw(st.lists(st.floats(0.5, 2), min_size=len(y), max_size=len(y))))
    groups = np.array(data.draw(st.permutations(range(len(y))))) // 2
    for more in ({}, {"sample_weight": w}, {"sample_weight": w, "groups": groups}):
        with quiet():
            rates = pr.rates(y, P, **more)
        for k in range(3):
            for m in range(3):
                cases = naive.members(y, k)
                if "groups" in more and len({groups[x] for x in cases}) == 1:
                    assert math.isnan(rates.standard_errors[k, m])
                    continue
                parts = [naive.shares(P[x].tolist())[m] for x in cases]
                expected = naive.variance(
                    [0] * len(cases),
                    parts,
                    [more.get("sample_weight", np.ones(len(y)))[x] for x in cases],
                    [more.get("groups", np.arange(len(y)))[x] for x in cases],
                )
                assert rates.standard_errors[k, m] == pytest.approx(expected**0.5, abs=1e-9)


@contextmanager
def quiet():
    """Tiny classes are meant here: their warning is not news."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SmallClassWarning)
        yield


@pytest.mark.parametrize(("features", "errors"), [(1, 38), (2, 31), (3, 6), (4, 3)])
def test_errors_on_iris_as_published(features, errors):
    """Table VI of Sampat et al. (2009): 1 - C1 of 150."""
    rates = pr.rates(*posteriors(features))
    assert rates.counts.sum() - np.trace(rates.counts) == errors


def test_a_cell_is_an_estimate():
    rates = pr.rates(*posteriors(2), labels=[0, 1, 2])
    cell = rates[1, 2]
    assert cell.measure == "P(2|1)"
    assert cell.name == "share of 1 called 2"
    assert cell.value == rates.rates[1, 2] == 0.3
    assert cell.standard_error == pytest.approx(math.sqrt(0.3 * 0.7 / 49), abs=EXACT)
    assert cell.fewest == 50
    assert rates["1", "2"].value == cell.value
    never = rates[0, 2]
    assert never.value == 0
    assert never.confidence_interval().high == pytest.approx(0.071347, abs=1e-6)  # Wilson's for 0 of 50
    with pytest.raises(InputError, match="There is no class 'x'; known: '0', '1', '2'"):
        rates[0, "x"]


@pytest.mark.published(
    "Sampat et al. (2009), cobweb", "the order of its six spokes, and the chance polygon of radius 1/3"
)
def test_cobweb_is_in_the_published_order():
    rates = pr.rates(*posteriors(2))
    cobweb = rates.cobweb()
    assert cobweb.spokes == (("0", "1"), ("0", "2"), ("1", "0"), ("1", "2"), ("2", "0"), ("2", "1"))
    R = rates.rates
    assert cobweb.ratios.tolist() == [R[0, 1], R[0, 2], R[1, 0], R[1, 2], R[2, 0], R[2, 1]]
    assert cobweb.chance == 1 / 3
    assert (cobweb.low <= cobweb.ratios).all()
    assert (cobweb.ratios <= cobweb.high).all()
    corners = cobweb.polygon()
    assert corners.shape == (7, 2)
    assert corners[0].tolist() == corners[-1].tolist()
    np.testing.assert_allclose(np.hypot(*corners[:-1].T), cobweb.ratios, atol=EXACT)
    chance = cobweb.polygon(cobweb.chance)
    np.testing.assert_allclose(chance[0], [0, 1 / 3], atol=EXACT)  # the first spoke points up
    sides = np.hypot(*np.diff(chance, axis=0).T)
    np.testing.assert_allclose(sides, 1 / 3, atol=EXACT)  # a regular hexagon's side is its radius
    assert chance[1, 0] > 0  # clockwise
    assert [row["decision"] for row in cobweb.rows()] == [decision for _, decision in cobweb.spokes]


def test_chance_and_perfection_in_the_cobweb():
    y = np.repeat(list("abcd"), 5)
    chance = pr.rates(y, np.full((20, 4), 0.25)).cobweb()
    assert chance.ratios.tolist() == [chance.chance] * 12
    assert not pr.rates(y, y).cobweb().ratios.any()


@given(st.data())
def test_information_gain_is_the_definition(data):
    y, P = data.draw(draw.probabilities())
    w = data.draw(draw.weights(y))
    with quiet():
        rates = pr.rates(y, P, sample_weight=w)
    c = len(rates.classes)
    shares = [naive.total(y, w, k) / w.sum() for k in range(c)]
    R = naive.rates(y.tolist(), P.tolist(), w.tolist())
    assert rates.information_gain().value == pytest.approx(naive.information_gain(R, shares), abs=1e-10)
    priors = np.arange(c) / sum(range(c))  # the first class has none
    expected = naive.information_gain(R, priors)
    assert rates.information_gain(priors).value == pytest.approx(expected, abs=1e-10)
    assert rates.information_gain(dict(enumerate(priors))).value == rates.information_gain(priors).value


def test_information_gain_of_the_perfect_and_of_the_constant():
    y = np.repeat(list("abcd"), 5)
    perfect, constant = pr.rates(y, y).information_gain(), pr.rates(y, ["a"] * 20, labels=list("abcd"))
    assert perfect.value == perfect.limits[1] == 2.0
    assert constant.information_gain().value == 0.0
    assert constant.information_gain([0.5, 0.5, 0, 0]).limits == (0.0, 1.0)


@pytest.mark.slow
def test_error_of_the_information_gain_by_simulation():
    rng = np.random.default_rng(5)
    truth = np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]])
    y = np.repeat([0, 1, 2], [80, 60, 100])
    values, errors = [], []
    for _ in range(400):
        decisions = (rng.random((len(y), 1)) > truth.cumsum(axis=1)[y]).sum(axis=1).astype(str)
        gain = pr.rates(y.astype(str), decisions).information_gain()
        values.append(gain.value)
        errors.append(gain.standard_error)
    spread = np.std(values, ddof=1)  # its own relative error is 1 / sqrt(800) = 3.5 %; three of these
    assert np.mean(errors) == pytest.approx(spread, rel=0.11)


def test_several_classifiers_are_a_dict_and_a_cobweb_of_all():
    y, decisions = [0, 1, 2] * 2, {"a": [0, 1, 2, 0, 1, 1], "b": [0, 2, 2, 1, 1, 2]}
    several = pr.rates(y, decisions)
    for name, one in several.items():
        alone = pr.rates(y, decisions[name])
        assert one.classifier == name
        assert one.rates.tolist() == alone.rates.tolist() == pr.rates(y, decisions, only=name).rates.tolist()
    assert [*pr.rates(y, {"a": decisions["a"]})] == ["a"]
    texts = pr.plot(several, kind="cobweb").legend.get_texts()
    assert [text.get_text() for text in texts] == ["a", "b", "chance, 1/3"]


def test_likelihood_ratios():
    y = np.repeat(["sick", "well"], [40, 60])
    decisions = np.repeat(["sick", "well", "sick", "well"], [30, 10, 6, 54])
    by_key = {
        (ratio.decision, ratio.of, ratio.against): ratio for ratio in pr.rates(y, decisions).likelihood_ratios()
    }
    assert len(by_key) == 4
    positive, negative = by_key["sick", "sick", "well"], by_key["well", "sick", "well"]
    assert (positive.value, negative.value) == (pytest.approx(7.5), pytest.approx(0.25 / 0.9))
    expected = 1 / 30 - 1 / 40 + 1 / 6 - 1 / 60  # Simel et al.
    assert positive.log_standard_error == pytest.approx(math.sqrt(expected), abs=EXACT)
    low, high = positive.confidence_interval(0.9)
    assert low * high == pytest.approx(7.5**2)
    assert math.log(high / 7.5) == pytest.approx(1.6448536 * math.sqrt(expected), abs=1e-6)
    with pytest.raises(InputError, match="level must be between 0 and 1"):
        positive.confidence_interval(95)


def test_likelihood_ratios_without_a_case():
    result = pr.rates(list("aabbcc"), list("abbbbb")).likelihood_ratios()
    ratios = {(ratio.decision, ratio.of, ratio.against): ratio for ratio in result}
    assert ratios["a", "a", "b"].value == math.inf
    assert ratios["a", "b", "a"].value == 0
    assert math.isnan(ratios["c", "a", "b"].value)
    for key in (("c", "a", "b"), ("c", "b", "a")):  # decided for neither
        assert all(math.isnan(end) for end in ratios[key].confidence_interval())


@pytest.mark.published(
    "Scott, Greenberg & Poole (2008), Table 1, by epiR's epi.tests",
    "likelihood ratio 3.75 (95 % 3.32 to 4.24) of 670 of 744 and 202 of 842",
)
def test_published_likelihood_ratio():
    y = np.repeat(["sick", "well"], [744, 842])
    decisions = np.repeat(["sick", "well", "sick", "well"], [670, 74, 202, 640])
    result = next(
        ratio for ratio in pr.rates(y, decisions).likelihood_ratios() if ratio.decision == ratio.of == "sick"
    )
    assert [round(number, 2) for number in (result.value, *result.confidence_interval())] == [3.75, 3.32, 4.24]


def test_likelihood_ratio_where_a_rate_is_zero():
    """Half a case is added to each of the four cells: 20.5 of 31, 0.5 of 51."""
    y = np.repeat(["sick", "well"], [30, 50])
    decisions = np.repeat(["sick", "well"], [20, 60])
    by_key = {
        (ratio.decision, ratio.of, ratio.against): ratio for ratio in pr.rates(y, decisions).likelihood_ratios()
    }
    high, low = by_key["sick", "sick", "well"], by_key["sick", "well", "sick"]
    assert (high.value, low.value) == (math.inf, 0)
    error = math.sqrt(1 / 20.5 - 1 / 31 + 1 / 0.5 - 1 / 51)
    assert high.log_standard_error == pytest.approx(error)
    end = (20.5 / 31) / (0.5 / 51) * math.exp(-1.959964 * error)
    assert high.confidence_interval() == (pytest.approx(end, rel=1e-6), math.inf)
    assert low.confidence_interval() == (0, pytest.approx(1 / end, rel=1e-6))


@pytest.mark.parametrize(("n", "m", "p", "q"), [(20, 20, 0.8, 0.05), (50, 30, 0.6, 0.02), (15, 60, 0.9, 0.01)])
def test_interval_of_a_likelihood_ratio_holds_it(n, m, p, q):
    """By all tables there can be, those with a rate of zero among them."""
    coverage = 0.0
    for a, b in itertools.product(range(n + 1), range(m + 1)):
        chance = binom.pmf(a, n, p) * binom.pmf(b, m, q)
        if chance < 1e-6:
            continue
        y, decisions = np.repeat(["a", "b"], [n, m]), np.repeat(["a", "b", "a", "b"], [a, n - a, b, m - b])
        ratio = next(
            ratio for ratio in pr.rates(y, decisions).likelihood_ratios() if ratio.decision == ratio.of == "a"
        )
        low, high = ratio.confidence_interval()
        coverage += chance * (low <= p / q <= high)
    assert coverage >= 0.93


def test_groups_that_span_classes_count_in_what_follows():
    """Pairs of cases, one per class, always decided alike: the ratio of their rates is certain."""
    rng = np.random.default_rng(1)
    decisions = rng.choice(["a", "b"], size=50)
    y, groups = np.repeat(["a", "b"], 50), np.tile(np.arange(50), 2)
    both = pr.rates(y, np.tile(decisions, 2), groups=groups).likelihood_ratios()
    alone = pr.rates(y, np.tile(decisions, 2)).likelihood_ratios()
    assert both[0].log_standard_error == pytest.approx(0, abs=1e-7)
    assert alone[0].log_standard_error > 0.1


def test_a_threshold_and_rules_decide():
    y, s = np.array([0, 0, 1, 1]), np.array([0.1, 0.5, 0.5, 0.9])
    assert pr.rates(y, s, threshold=0.5).rates.tolist() == [[0.5, 0.5], [0, 1]]
    rule = pr.decisions.ThresholdRule((0, 1), 1, 0.9)
    assert pr.rates(y, s, rule=rule).rates.tolist() == [[1, 0], [0.5, 0.5]]
    columns = np.column_stack([1 - s, s])
    assert pr.rates(y, columns, rule=rule).rates.tolist() == [[1, 0], [0.5, 0.5]]
    turned = pr.decisions.ThresholdRule((1, 0), 1, 0.9)  # the same rule, classes named in the other order
    assert pr.rates(y, columns, rule=turned).rates.tolist() == [[1, 0], [0.5, 0.5]]


@given(st.data())
def test_mossmans_rule_is_the_definition(data):
    y, P = data.draw(draw.probabilities(c=3))
    cut = st.sampled_from([-0.5, 0.0, 0.25, 0.5])
    alpha, beta = data.draw(cut), data.draw(cut)
    with quiet():
        rates = pr.rates(y, P, rule=pr.decisions.MossmanRule((0, 1, 2), alpha, beta))
        shuffled = pr.rates(
            y, P[:, [2, 0, 1]], rule=pr.decisions.MossmanRule((0, 1, 2), alpha, beta), labels=[2, 0, 1]
        )
    decisions = [naive.mossman_decision(row, alpha, beta) for row in P.tolist()]
    expected = naive.rates(y.tolist(), np.eye(3)[decisions].tolist(), [1.0] * len(y))
    np.testing.assert_allclose(rates.rates, expected, atol=EXACT)
    np.testing.assert_allclose(shuffled.rates, np.array(expected)[[2, 0, 1]][:, [2, 0, 1]], atol=EXACT)


def test_a_class_without_cases_has_no_rates():
    with pytest.warns(UndefinedMeasureWarning, match="No case of class 'c': its rates are undefined"):
        rates = pr.rates(list("aabb"), list("abab"), labels=list("abc"))
    assert np.isnan(rates.rates[2]).all()
    assert rates.rates[0].tolist() == [0.5, 0.5, 0]
    assert rates.counts[2].tolist() == [0, 0, 0]
    assert math.isnan(rates["c", "a"].confidence_interval().low)
    assert math.isnan(rates.information_gain([0.2, 0.2, 0.6]).value)
    assert rates.information_gain().value == 0
    with pytest.warns(UndefinedMeasureWarning):
        weightless = pr.rates(list("aabbc"), list("ababc"), sample_weight=[1, 1, 1, 1, 0])
    assert np.isnan(weightless.rates[2]).all()


def test_a_class_of_one_case_has_wilsons_interval():
    with pytest.warns(SmallClassWarning, match="Class 'c' has one case only"):
        rates = pr.rates(list("aabbc"), list("ababc"))
    assert math.isnan(rates["c", "c"].standard_error)
    assert rates["c", "c"].confidence_interval().low == pytest.approx(0.2065, abs=1e-4)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: pr.rates([0, 1], [0.2, 0.7]), "the values must be labels"),
        (
            lambda: pr.rates([0, 1], [0, 1], only="x"),
            "There is no classifier 'x'; choose one with only='classifier'",
        ),
        (lambda: pr.rates(list("abc"), np.eye(3), threshold=0.5), "A threshold needs two classes"),
        (
            lambda: pr.rates([0, 1], [0, 1], threshold=0.5, rule=pr.decisions.ThresholdRule((0, 1), 1, 0)),
            "either rule or threshold, not both",
        ),
        (
            lambda: pr.rates([0, 1], [0, 1], rule=pr.decisions.ThresholdRule((0, 2), 2, 0)),
            r"The rule has the classes \[0, 2\], the data have \[0, 1\]",
        ),
        (
            lambda: pr.rates([0, 1], [0, 1], rule=pr.decisions.ThresholdRule((0, 1), 0, 0)),
            "High scores indicate 0 in the rule but 1 in the data",
        ),
        (
            lambda: pr.rates(list("ab"), list("ab"), rule=pr.decisions.ThresholdRule("ab", "b", 0)),
            "labels must contain 2",
        ),
        (
            lambda: pr.rates(list("ab"), list("ab"), rule=pr.decisions.ThresholdRule(["a", "b"], "b", 0)),
            "contains decisions .*; a rule needs scores",
        ),
        (lambda: pr.rates(*posteriors(1)).information_gain([0.5, 0.5]), r"one probability per class \(3"),
        (lambda: pr.rates(*posteriors(1)).information_gain([0.5, 0.5, 0.5]), "sum to 1, got .* which sum to 1.5"),
        (lambda: pr.rates(*posteriors(1)).information_gain([1.5, -0.5, 0]), "must be probabilities"),
        (lambda: pr.rates(*posteriors(1)).information_gain({0: 0.5, 1: 0.5}), "priors lacks class '2'"),
        (lambda: pr.rates(*posteriors(1)).information_gain({"x": 1}), "priors names 'x', which is not one"),
        (lambda: pr.rates(*posteriors(1)).information_gain(["a", "b", "c"]), "priors must hold numbers"),
    ],
)
def test_bad_questions(ask, message):
    with pytest.raises(pr.errors.PolyrocError, match=message):
        ask()


def test_stored_and_read_back():
    rates = pr.rates(*posteriors(2))
    stored = json.loads(json.dumps(rates.to_dict()))
    again = pr.results.Rates.from_dict(stored)
    assert again.to_dict() == rates.to_dict()
    assert pickle.loads(pickle.dumps(rates)).to_dict() == rates.to_dict()
    assert again.cobweb().ratios.tolist() == rates.cobweb().ratios.tolist()
    assert again.information_gain().value == rates.information_gain().value
    assert math.isnan(again.information_gain().standard_error)
    assert repr(rates) == "Rates(classifier; right decisions: 0 0.9800, 1 0.7000, 2 0.7000)"
    assert len(rates.rows()) == 9
    assert rates.rows()[5]["rate"] == rates.rates[1, 2]
    assert rates._repr_html_().count("<tr>") == 10


# The command line ------------------------------------------------------------------------------------------------


@pytest.fixture
def polyroc(capsys):
    """The command without the process around it: exit code, output, complaints."""

    def run_it(*arguments):
        code = run([str(argument) for argument in arguments])
        return SimpleNamespace(
            returncode=code, **dict(zip(("stdout", "stderr"), capsys.readouterr(), strict=True))
        )

    return run_it


IRIS = ["--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case"]


@pytest.mark.slow
def test_the_command_prints_matrix_and_cobweb(polyroc):
    done = polyroc("rates", catalogue.path("iris_predictions"), *IRIS)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "iris_predictions.csv, lda: share of each true class by decision, 95 % intervals"
    assert lines[4].endswith("0.0000 (0.000 to 0.071)  0.7000 (0.559 to 0.811)")
    assert lines[9].endswith("0.3000 (0.189 to 0.441)")
    assert done.stdout.count("Cobweb: ") == 3
    stored = json.loads(polyroc("rates", catalogue.path("iris_predictions"), *IRIS, "--json").stdout)
    assert [record["classifier"] for record in stored] == ["lda", "knn", "tree"]
    read = pr.read(
        catalogue.path("iris_predictions"), truth="species", scores="p_*", classifier="classifier", case="case"
    )
    expected = pr.rates(read, only="knn")
    assert pr.results.Rates.from_dict(stored[1]).to_dict() == expected.to_dict()
    assert stored[1]["information_gain"]["standard_error"] == expected.information_gain().standard_error
    assert len(stored[1]["cobweb"]) == 6
    table = polyroc("rates", catalogue.path("iris_predictions"), *IRIS, "--csv").stdout.splitlines()
    assert len(table) == 1 + 3 * 9


def test_the_command_takes_a_threshold_or_a_rule(polyroc, tmp_path):
    file, rule = tmp_path / "scores.csv", tmp_path / "rule.json"
    pd.DataFrame({"y": ["well", "sick"] * 4, "s": [0.1, 0.9, 0.2, 0.4, 0.6, 0.7, 0.3, 0.8]}).to_csv(file)
    arguments = ("rates", file, "--truth", "y", "--scores", "s", "--pos-label", "sick", "--json")
    rule.write_text(pr.decisions.ThresholdRule(("sick", "well"), "sick", 0.5).to_json())
    cut, stored = polyroc(*arguments, "--threshold", "0.5"), polyroc(*arguments, "--rule", rule)
    assert json.loads(cut.stdout)["rates"] == [[0.75, 0.25], [0.25, 0.75]]
    assert cut.stdout == stored.stdout
    rule.write_text("{}")
    for trouble, message in (
        (("--rule", rule), "Expected a stored rule of schema 1"),
        (("--rule", tmp_path / "none.json"), "There is no file"),
        (("--rule", tmp_path), "cannot be read"),
        ((), "the values must be labels"),
    ):
        done = polyroc(*arguments, *trouble)
        assert done.returncode == 2
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1
