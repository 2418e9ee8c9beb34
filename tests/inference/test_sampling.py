"""Class sizes fixed or random, and weights that say how much a case counts or how many cases a row stands for."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from command import polyroc
from polyroc._results.provenance import Provenance
from polyroc.errors import InputError, NotApplicableError, PolyrocWarning
from polyroc.inference.methods.bootstrap import Bootstrap
from polyroc.measures.registry import MEASURES
from polyroc.measures.sample import Sample
from polyroc.validation.scores import normalise
from polyroc.validation.weights import MOST_REPEATED

RNG = np.random.default_rng(17)
Y = RNG.choice(2, p=[0.7, 0.3], size=200)
D = np.where(Y == 1, RNG.random(200) < 0.8, RNG.random(200) < 0.25).astype(int)
S = RNG.normal(size=200) + Y
CLASSES = RNG.choice(3, p=[0.5, 0.3, 0.2], size=150)
P = RNG.dirichlet(np.ones(3), size=150) / 2 + np.eye(3)[CLASSES] / 4
P /= P.sum(axis=1, keepdims=True)
DEPENDENT = [key for key, measure in MEASURES.items() if measure.prevalence and not measure.required]


# Class sizes


def test_in_a_cohort_accuracy_and_predictive_values_have_binomial_errors():
    for key, which, right in (("accuracy", D >= 0, Y == D), ("ppv", D == 1, Y == 1), ("npv", D == 0, Y == 0)):
        p, n = right[which].mean(), which.sum()
        estimate = pr.evaluate(Y, D, measure=key)
        assert estimate.value == pytest.approx(p)
        # the class-wise corrections m / (m - 1) are a few per cent of the variance
        assert estimate.standard_error == pytest.approx(np.sqrt(p * (1 - p) / n), rel=0.02)
        assert estimate.effective == pytest.approx(n)


def test_components_of_accuracy_in_a_cohort_are_right_or_wrong():
    estimate = pr.evaluate(Y, D, measure="accuracy")
    np.testing.assert_allclose(estimate.components, Y == D, atol=1e-12)


@pytest.mark.parametrize("key", DEPENDENT)
def test_random_class_sizes_add_the_variance_of_the_shares(key):
    y, s = (Y, D) if MEASURES[key].classes[1] == 2 else (CLASSES, P)
    cohort, fixed = (pr.evaluate(y, s, measure=key, sampling=sampling) for sampling in ("cohort", "case-control"))
    assert cohort.value == fixed.value
    assert cohort.standard_error > fixed.standard_error * (1 + 1e-6)
    assert (cohort.provenance.sampling, fixed.provenance.sampling) == ("cohort", "case-control")


@pytest.mark.parametrize("groups", [None, np.arange(200) // 3])
def test_weights_that_vary_make_the_shares_random_also_where_class_sizes_are_fixed(groups):
    """The twin: a function of the sums of w and w (p - y)^2 over the cases of each class, by the delta method."""
    w, p = RNG.choice([0.0, 1.0, 4.0], size=200), 1 / (1 + np.exp(-S))
    units = np.arange(200) if groups is None else groups

    def skill(sums):
        (losses, weights), (other_losses, other_weights) = sums
        share = weights / (weights + other_weights)
        return 1 - (losses + other_losses) / (weights + other_weights) / (share * (1 - share))

    terms = np.stack([w * (p - Y) ** 2, w])
    sums = np.array([[row[k == Y].sum() for row in terms] for k in (0, 1)])
    centred, influence = np.zeros((2, 200)), np.zeros(200)
    for k in (0, 1):
        own = (k == Y) & (w > 0)
        centred[:, own] = terms[:, own] - terms[:, own].mean(axis=1, keepdims=True)
        for i in (0, 1):
            step = np.zeros((2, 2))
            step[k, i] = 1e-4
            influence += (skill(sums + step) - skill(sums - step)) / 2e-4 * np.where(own, centred[i], 0.0)
    estimate = pr.evaluate(Y, p, measure="brier_skill", sample_weight=w, groups=groups, sampling="case-control")
    assert estimate.value == pytest.approx(skill(sums), abs=1e-12)
    expected = np.sqrt((np.bincount(units, influence) ** 2).sum())
    assert estimate.standard_error == pytest.approx(expected, rel=0.03)  # times the root of m / (m - 1)
    same = pr.evaluate(Y, p, measure="brier_skill", sample_weight=np.where(Y, 3.0, 1.0), sampling="case-control")
    assert same.standard_error < pr.evaluate(Y, p, measure="brier_skill", sample_weight=1.0 + 2 * Y).standard_error


@pytest.mark.parametrize("key", ["ppv", "npv", "expected_cost"])
def test_a_prevalence_that_is_given_is_known(key):
    given_one = pr.measure(key, prevalence=0.3)
    cohort, fixed = (
        pr.evaluate(Y, D, measure=given_one, sampling=sampling) for sampling in ("cohort", "case-control")
    )
    assert cohort.standard_error == fixed.standard_error
    assert not given_one.estimates_prevalence


@pytest.mark.parametrize(
    "method", [pr.methods.Influence(), pr.methods.Jackknife(), Bootstrap(600, rng=2)], ids=repr
)
def test_methods_agree_in_a_comparison_in_a_cohort(method):
    rng = np.random.default_rng(89)
    other = np.where(rng.random(200) < 0.2, 1 - D, D)
    expected = pr.compare(Y, {"one": D, "two": other}, measure="ppv").difference("one", "two").standard_error
    difference = pr.compare(Y, {"one": D, "two": other}, measure="ppv", method=method).difference("one", "two")
    assert difference.standard_error == pytest.approx(expected, rel=0.1)  # 600 replicates know it to 3 %


def test_average_precision_and_information_gain_account_for_prevalence():
    for make in (
        lambda sampling: pr.curve(Y, S, kind="pr", sampling=sampling).area,
        lambda sampling: pr.rates(Y, D, labels=[0, 1], sampling=sampling).information_gain(),
    ):
        cohort, fixed = make("cohort"), make("case-control")
        assert cohort.value == fixed.value
        assert cohort.standard_error > fixed.standard_error
    known = [
        pr.rates(CLASSES, P, sampling=sampling).information_gain([0.2, 0.3, 0.5]).standard_error
        for sampling in ("cohort", "case-control")
    ]
    assert known[0] == known[1]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::polyroc.errors.MiscalibrationWarning")
def test_analytic_errors_of_information_gain_and_operating_cost_are_those_of_the_bootstrap():
    rng = np.random.default_rng(5)
    gain, cost = [], []
    for _ in range(400):
        draw = rng.choice(150, size=150)
        rates = pr.rates(CLASSES[draw], P[draw], labels=[0, 1, 2])
        gain.append(rates.information_gain().value)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PolyrocWarning)
            cost.append(1.0 - pr.evaluate(CLASSES[draw], P[draw], measure="accuracy", method=None).value)
    information = pr.rates(CLASSES, P).information_gain()
    assert information.standard_error == pytest.approx(
        np.std(gain), rel=0.12
    )  # 400 replicates: 3.5 %, and first order
    operated = pr.operate(CLASSES, P, calibrated=True)
    assert operated.cost.standard_error == pytest.approx(np.std(cost), rel=0.12)


def test_net_benefit_and_expected_cost_have_one_sampling_model():
    t, odds = 0.2, 0.25
    p = 1 / (1 + np.exp(-S))
    for given_one, sampling in ((0.3, "cohort"), (0.3, "case-control"), (None, "case-control")):
        costs = pr.measure("expected_cost", threshold=t, prevalence=given_one, false_positive=odds)
        cost = pr.evaluate(Y, p, measure=costs, sampling=sampling)
        benefit = pr.decision_curve(Y, p, thresholds=[t], prevalence=given_one, sampling=sampling)
        share = Y.mean() if given_one is None else given_one
        assert benefit.net_benefit[0] == pytest.approx(share - cost.value)
        assert benefit.curves["classifier"].standard_error[0] == pytest.approx(cost.standard_error)
    outcome = np.where(p >= t, np.where(Y == 1, 1.0, -odds), 0.0)  # in a cohort, a mean over all cases
    in_cohort = pr.decision_curve(Y, p, thresholds=[t]).curves["classifier"]
    assert in_cohort.standard_error[0] == pytest.approx(outcome.std(ddof=1) / np.sqrt(200), rel=0.01)
    low, high = in_cohort.confidence_interval()
    assert -odds < low[0] < in_cohort.value[0] < high[0] < 1


def test_the_bootstrap_draws_class_sizes_only_where_they_matter():
    sample = Sample(normalise(Y, D, labels=[0, 1]), "classifier")
    drawn = [
        Bootstrap(replicates=10).for_measure(pr.measure(key), sample.scores).stratified
        for key in ("ppv", "sensitivity")
    ]
    assert drawn == [False, True]
    assert Bootstrap(stratified=True).for_measure(pr.measure("ppv"), sample.scores).stratified is True
    known = pr.measure("ppv", prevalence=0.2)
    assert Bootstrap().for_measure(known, sample.scores).stratified is True
    replicates = Bootstrap(300, rng=1).resample(pr.measure("accuracy"), [sample])[0]
    assert replicates.std() == pytest.approx(pr.evaluate(Y, D, measure="accuracy").standard_error, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_engines_and_tallies_have_the_same_errors(tmp_path, engine):
    rng = np.random.default_rng(91)
    file = tmp_path / "cases.csv"
    w = rng.integers(1, 4, 150).astype(float)
    rows = [f"{k},{','.join(map(str, p))},{v}" for k, p, v in zip(CLASSES, P.tolist(), w, strict=True)]
    file.write_text("truth,p_0,p_1,p_2,w\n" + "\n".join(rows) + "\n")
    for key in ("accuracy", "ht3", "pairwise_accuracy", "ova"):
        for sampling in ("cohort", "case-control"):
            for weight in (None, "w"):
                options = {"measure": key, "sampling": sampling}
                expected = pr.evaluate(CLASSES, P, sample_weight=None if weight is None else w, **options)
                estimate = pr.evaluate(
                    str(file), truth="truth", scores="p_*", sample_weight=weight, engine=engine, **options
                )
                assert estimate.standard_error == pytest.approx(expected.standard_error, rel=1e-3)
                assert estimate.effective == pytest.approx(expected.effective, rel=1e-3)
                assert estimate.provenance.sampling == sampling
    tally = pr.Tally([0, 1, 2])
    tally.update(CLASSES, P)
    for sampling in ("cohort", "case-control"):
        expected = pr.evaluate(CLASSES, P, measure="ht3", sampling=sampling).standard_error
        assert tally.evaluate("ht3", sampling=sampling).standard_error == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_engines_compare_in_a_cohort_as_memory_does(tmp_path):
    rng = np.random.default_rng(20)
    file = tmp_path / "cases.csv"
    Q = P[rng.permutation(150)] / 2 + P / 2
    w = rng.exponential(size=150)
    rows = [[k, *one, *two, v] for k, one, two, v in zip(CLASSES, P.tolist(), Q.tolist(), w, strict=True)]
    names = "truth,p_0,p_1,p_2,q_0,q_1,q_2,w"
    file.write_text(names + "\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n")
    for key in ("accuracy", "ova"):
        for sampling in ("cohort", "case-control"):
            options = {"measure": key, "sampling": sampling}
            expected = pr.compare(CLASSES, {"p": P, "q": Q}, sample_weight=w, **options)
            scores = {"p": "p_*", "q": "q_*"}
            comparison = pr.compare(
                str(file), truth="truth", scores=scores, sample_weight="w", engine="duckdb", **options
            )
            np.testing.assert_allclose(comparison.covariance, expected.covariance, rtol=2e-3)
    counted = pr.rates(
        str(file), truth="truth", scores="p_*", sample_weight="w", engine="duckdb"
    ).information_gain()
    expected = pr.rates(CLASSES, P, sample_weight=w).information_gain()
    assert counted.standard_error == pytest.approx(expected.standard_error, rel=1e-6)


# Kinds of weights


@given(st.data())
def test_a_comparison_with_frequency_weights_is_that_of_repeated_rows(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    w = rng.integers(0, 4, 60)
    w[:2] = 1  # a case of each class
    y, one = np.arange(60) % 2, rng.normal(size=60).round(1)
    two = (one + rng.normal(size=60)).round(1)
    key = data.draw(st.sampled_from(["auc", "partial_auc", "gini"]))
    scores = {"one": one, "two": two}
    comparison = pr.compare(y, scores, measure=key, sample_weight=w, weight_kind="frequency")
    again = {name: np.repeat(s, w) for name, s in scores.items()}
    expected = pr.compare(np.repeat(y, w), again, measure=key)
    assert comparison.pvalue == expected.pvalue
    np.testing.assert_array_equal(comparison.covariance, expected.covariance)
    assert comparison.rows() == expected.rows()


@pytest.mark.slow
def test_frequency_weights_repeat_rows_for_every_verb():
    rng = np.random.default_rng(29)
    w = rng.integers(0, 3, 200)
    weights = {"sample_weight": w, "weight_kind": "frequency"}
    y, d, s = (np.repeat(column, w) for column in (Y, D, S))
    assert pr.curve(Y, S, **weights).area.rows() == pr.curve(y, s).area.rows()
    assert pr.rates(Y, D, **weights).rows() == pr.rates(y, d).rows()
    p, q = 1 / (1 + np.exp(-S)), 1 / (1 + np.exp(-s))
    assert pr.decision_curve(Y, p, **weights).rows() == pr.decision_curve(y, q).rows()
    method = Bootstrap(50, rng=3)
    assert pr.evaluate(Y, S, method=method, **weights).rows() == pr.evaluate(y, s, method=method).rows()
    three = pr.surface(CLASSES, P, measure="he", labels=[0, 1, 2], sample_weight=w[:150], weight_kind="frequency")
    rows = np.repeat(np.arange(150), w[:150])
    again = pr.surface(CLASSES[rows], P[rows], measure="he", labels=[0, 1, 2])
    assert three.volume.rows() == again.volume.rows()


def test_a_tally_of_frequency_weights_counts_cases():
    rng = np.random.default_rng(59)
    w = rng.integers(0, 3, 200)
    tally = pr.Tally([0, 1])
    tally.update(Y, S, w, weight_kind="frequency")
    tally.update(Y, S, np.zeros(200), weight_kind="frequency")
    again = pr.Tally([0, 1])
    again.update(np.repeat(Y, w), np.repeat(S, w))
    assert tally.evaluate("auc").to_dict() == again.evaluate("auc").to_dict()


def test_importance_and_frequency_weights_have_the_same_value_and_other_errors():
    w = np.full(200, 4)
    frequency = pr.evaluate(Y, S, measure="auc", sample_weight=w, weight_kind="frequency")
    importance = pr.evaluate(Y, S, measure="auc", sample_weight=w)
    assert frequency.value == pytest.approx(importance.value)
    assert importance.standard_error == pytest.approx(pr.evaluate(Y, S, measure="auc").standard_error)
    assert frequency.standard_error == pytest.approx(importance.standard_error / 2, rel=0.02)
    assert len(frequency.components) == 800
    assert (frequency.provenance.weighted, frequency.provenance.weight_kind) == (True, "frequency")
    assert importance.provenance.weight_kind == "importance"
    assert pr.evaluate(Y, S, measure="auc").provenance.weight_kind is None


EXTREME = {
    "tiny": np.full(200, 1e-300),
    "huge": np.full(200, 1e300),
    "one heavy": np.where(np.arange(200) == 7, 1.0, 1e-13),
    "a heavy class": np.where(Y == 1, 1e200, 1e187),
    "scattered": 10.0 ** RNG.uniform(-90, 0, 200),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXTREME)
@pytest.mark.parametrize(
    "method", [pr.methods.Influence(), pr.methods.Jackknife(), Bootstrap(20, rng=0)], ids=repr
)
def test_extreme_weights_give_no_warnings_of_numpy(name, method):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", PolyrocWarning)
        for data in ((Y, S), (Y, D), (CLASSES, P)):
            w = EXTREME[name][: len(data[0])]
            evaluation = pr.evaluate(*data, sample_weight=w, method=method)
            assert all(
                np.isfinite(estimate.value) or estimate.chance is None
                for estimate in evaluation.estimates.values()
            )
            assert len(evaluation.rows()) > 0
        pr.curve(Y, S, kind="pr", sample_weight=EXTREME[name], band="pointwise")


def test_weights_of_one_size_are_as_none_whatever_the_size():
    for size in (1e-300, 3.7, 1e300):
        evaluation = pr.evaluate(Y, S, sample_weight=np.full(200, size))
        for key, estimate in pr.evaluate(Y, S).estimates.items():
            assert evaluation.estimates[key].standard_error == pytest.approx(estimate.standard_error, rel=1e-9)


# Which sampling is stated


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampling": "random"}, "sampling must be 'cohort' .* or 'case-control' .*, got 'random'"),
        ({"sample_weight": [1] * 200, "weight_kind": "counts"}, "weight_kind must be 'importance' .*got 'counts'"),
        (
            {"weight_kind": "frequency"},
            "weight_kind='frequency' says what sample_weight means, but there are no",
        ),
        (
            {"sample_weight": [0.5] * 200, "weight_kind": "frequency"},
            "whole numbers with weight_kind='frequency' .* got 0.5 .*use weight_kind='importance'",
        ),
        ({"sample_weight": [1e9] * 200, "weight_kind": "frequency"}, f"up to {MOST_REPEATED:,} cases"),
        ({"sample_weight": [1e308] * 200, "weight_kind": "frequency"}, "stands for 1e\\+308 cases or more"),
        ({"sample_weight": [-1] * 200, "weight_kind": "frequency"}, "negative weights"),
        ({"sample_weight": [0] * 200, "weight_kind": "frequency"}, "zero for every case"),
        ({"sample_weight": [1e-300] + [1e300] * 199}, "goes from 1e-300 to 1e\\+300"),
        ({"sample_weight": [1.0] + [1e-90] * 199}, "weights of class .* are too small against the largest"),
    ],
)
def test_what_cannot_be_is_reported(options, message):
    with pytest.raises(InputError, match=message):
        pr.evaluate(Y, S, **options)


def test_scores_hold_how_they_were_sampled():
    scores = normalise(Y, D, labels=[0, 1], sampling="case-control")
    assert scores.sampling == "case-control"
    expected = pr.evaluate(Y, D, measure="accuracy", sampling="case-control").standard_error
    assert pr.evaluate(scores, measure="accuracy").standard_error == expected
    with pytest.raises(InputError, match="Scores cannot be combined with sampling"):
        pr.evaluate(scores, sampling="cohort")


def test_engines_do_not_repeat_rows(tmp_path):
    file = tmp_path / "cases.csv"
    file.write_text("truth,s,w\n" + "\n".join(f"{k},{x},2" for k, x in zip(Y, S, strict=True)))
    options = {"truth": "truth", "scores": "s", "sample_weight": "w", "weight_kind": "frequency", "measure": "auc"}
    with pytest.raises(NotApplicableError, match="engine='memory', or use weight_kind='importance'"):
        pr.evaluate(str(file), engine="duckdb", **options)
    estimate = pr.evaluate(str(file), engine="memory", **options)
    assert estimate.standard_error == pr.evaluate(np.repeat(Y, 2), np.repeat(S, 2), measure="auc").standard_error
    shell = polyroc("evaluate", str(file), "--truth", "truth", "--scores", "s", "--sample-weight", "w", "--json")
    assert json.loads(shell.stdout)["estimates"][0]["provenance"]["weight_kind"] == "importance"


def test_the_command_line_says_how_cases_were_sampled(tmp_path):
    file = tmp_path / "cases.csv"
    file.write_text("truth,decision,w\n" + "\n".join(f"t{k},t{d},3" for k, d in zip(Y, D, strict=True)))
    columns = ["evaluate", str(file), "--truth", "truth", "--scores", "decision"]
    columns += ["--sample-weight", "w", "--pos-label", "t1"]
    shown = polyroc(*columns, "--sampling", "case-control", "--weight-kind", "frequency").stdout
    assert "class sizes fixed (case-control)" in shown
    assert "Each row counts as many cases as its frequency weight says." in shown
    assert "class sizes random (cohort)" in polyroc(*columns).stdout
    assert "Cases count by their importance weights" in polyroc(*columns).stdout


def test_results_stored_before_sampling_was_recorded_are_read():
    record = pr.evaluate(Y, D, measure="accuracy", sample_weight=np.full(200, 2.0)).to_dict()
    for name in ("sampling", "weight_kind"):
        del record["provenance"][name]
    old = pr.results.Estimate.from_dict(record)
    assert (old.provenance.sampling, old.provenance.weight_kind) == (None, "importance")
    assert Provenance({}, None).weight_kind is None


def test_a_report_says_how_cases_were_sampled():
    markdown = pr.report(Y, D, path=None, sampling="case-control").to_markdown()
    assert "class sizes fixed (case-control)" in markdown
