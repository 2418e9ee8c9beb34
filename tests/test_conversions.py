"""Conversions of what classifiers say, and the mark that what is computed from them carries."""

import csv
import io
import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive
import polyroc as pr
from command import polyroc
from polyroc.datasets import catalogue
from polyroc.errors import DroppedRowsWarning, InputError, NotApplicableError
from polyroc.measures.registry import MEASURES
from polyroc.validation.scores import normalise
from published.iris_loo import posteriors
from strategies import ordered, probabilities, weights

SPECIES = ["setosa", "versicolor", "virginica"]
ORDERED = [key for key, measure in MEASURES.items() if measure.needs == "ordered"]
BY_RULE = "probabilities to one score by the rule of Sampat et al. (2009)"
RNG = np.random.default_rng(5)
Y = np.repeat(["low", "mid", "top"], [12, 15, 18])
LABELS = ["low", "mid", "top"]
NUMBER = np.repeat([0, 1, 2], [12, 15, 18])


def noisy(strength):
    P = RNG.dirichlet(np.ones(3), size=len(Y)) + strength * np.eye(3)[NUMBER]
    return P / P.sum(axis=1, keepdims=True)


P, Q = noisy(0.8), noisy(0.4)
SCORE = NUMBER + RNG.normal(size=len(Y))


# Type A to type B ------------------------------------------------------------------------------------------------


@given(probabilities())
def test_rules_are_the_slow_twins(cases):
    _, table = cases
    np.testing.assert_allclose(
        pr.to_ordered(table), [naive.sampat_score(row) for row in table], rtol=0, atol=1e-14
    )
    table = table + 0.01
    table /= table.sum(axis=1, keepdims=True)
    result = pr.to_ordered(table, rule="expected")
    np.testing.assert_allclose(result, [naive.expected_class(row) for row in table], rtol=0, atol=1e-12)
    assert pr.to_ordered(table.tolist()).tolist() == pr.to_ordered(table).tolist()


# Sampat et al. (2009), table VI, "Nakas VUS", features 1, 1-2, 1-3, 1-4; the errors are new in the formula sheet.
T12 = {1: (0.676248, 0.049114), 2: (0.684344, 0.054521), 3: (0.917600, 0.037385), 4: (0.976800, 0.019426)}


@pytest.mark.parametrize("features", T12)
def test_t12_volumes_by_the_reviews_rule(features):
    y, table = posteriors(features)
    estimate = pr.evaluate(y, pr.to_ordered(table), measure="vus", labels=[0, 1, 2])
    assert (estimate.value, estimate.standard_error) == pytest.approx(T12[features], abs=5e-7)
    assert estimate.converted is None  # an array does not tell where it comes from
    marked = pr.evaluate(y, table, labels=[0, 1, 2])["vus"]
    assert (marked.value, marked.standard_error) == (estimate.value, estimate.standard_error)
    assert marked.converted == BY_RULE


def test_the_printed_rule_and_its_ties():
    table = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]]
    np.testing.assert_allclose(pr.to_ordered(table), [1.0, 2.3, 3.0])
    shared = pr.to_ordered([[0.4, 0.4, 0.2], [0.4, 0.2, 0.4], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(shared, [1.4, 1.9, 1.5 + 1 / 3])
    surer, sure = pr.to_ordered([[0.9, 0.1, 0.0], [0.6, 0.4, 0.0]])
    assert surer > sure  # as printed: the surer case of the first class lies nearer to the second
    surer, sure = pr.to_ordered([[0.9, 0.1, 0.0], [0.6, 0.4, 0.0]], rule="expected")
    assert surer < sure


@given(probabilities(c=3))
def test_a_case_won_by_a_lower_class_lies_lower(cases):
    _, table = cases
    winner = table.argmax(axis=1)
    alone = (table == table.max(axis=1, keepdims=True)).sum(axis=1) == 1
    score = pr.to_ordered(table)[alone]
    for k in (0, 1):
        lower, higher = score[winner[alone] <= k], score[winner[alone] > k]
        if len(lower) and len(higher):
            assert lower.max() <= higher.min()  # equal where 1.5 + p rounds to 0.5 + 1


def test_sums_equal_in_exact_arithmetic_stay_tied():
    """Shares of 13 neighbours with the same expected class, whatever the order of the additions."""
    table = np.array([[a, 13 - 2 * a, a] for a in range(7)]) / 13
    assert pr.to_ordered(table, rule="expected").tolist() == [2.0] * 7
    unscaled = pr.to_ordered(table * 0.7, rule="expected")  # likelihoods need not add up to one
    assert unscaled.tolist() == [2.0] * 7


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_of_a_data_frame_go_by_name(frame):
    named = frame({f"p_{name}": P[:, k] for k, name in reversed(list(enumerate(LABELS)))})
    assert pr.to_ordered(named, labels=LABELS).tolist() == pr.to_ordered(P).tolist()
    with pytest.raises(InputError, match=r"needs the order of the classes; give it with labels=\[\.\.\.\]"):
        pr.to_ordered(named)
    assert pr.to_ordered(pd.DataFrame(P)).tolist() == pr.to_ordered(P).tolist()  # numbers only: as they stand


def test_missing_values_stay_missing():
    holed = P.copy()
    holed[3, 1] = np.nan
    for rule in ("sampat", "expected"):
        result = pr.to_ordered(holed, rule=rule)
        assert np.flatnonzero(np.isnan(result)).tolist() == [3]


def test_several_classifiers_are_converted_one_by_one():
    result = pr.to_ordered({"one": P, "two": Q})
    assert list(result) == ["one", "two"]
    assert result["two"].tolist() == pr.to_ordered(Q).tolist()
    compared = pr.compare(Y, result, measure="vus", labels=LABELS)
    assert list(compared.estimates) == ["one", "two"]


def test_a_measure_that_is_named_is_converted_as_one_that_is_not():
    data = {"one": P, "two": Q}
    for by in (None, np.arange(len(Y)) % 2):
        every = pr.evaluate(Y, data, labels=LABELS, by=by)
        named = pr.evaluate(Y, data, labels=LABELS, by=by, measure=ORDERED)
        kept = [row for row in every.rows() if row["measure"] in ORDERED]
        assert [row for row in named.rows() if row["classifier"] in data] == kept
    for method in (pr.Influence(), pr.Permutation(n=99)):
        by_hand = pr.compare(Y, pr.to_ordered(data), measure="vus", labels=LABELS, method=method)
        compared = pr.compare(Y, data, measure="vus", labels=LABELS, method=method)
        assert compared.difference("one", "two").pvalue == by_hand.difference("one", "two").pvalue
        assert compared.estimates["one"].converted == BY_RULE
    with pytest.raises(NotApplicableError, match="needs the order of the classes"):
        pr.compare(Y, data, measure="vus")


@pytest.mark.filterwarnings("ignore::polyroc.errors.FewEffectiveCasesWarning")
def test_scores_keep_all_but_the_kind():
    rng = np.random.default_rng(86)
    w, groups = rng.exponential(size=len(Y)), np.arange(len(Y)) // 2
    scores = normalise(Y, {"one": P, "two": Q}, labels=LABELS, sample_weight=w, groups=groups)
    result = pr.to_ordered(scores, rule="expected")
    assert (result.kind, result.converted) == (
        "score",
        "probabilities to one score, the expected number of the class",
    )
    assert result.values["two"].tolist() == pr.to_ordered(Q, rule="expected").tolist()
    for name in ("codes", "labels", "names", "ordered", "sample_weight", "groups", "classifiers"):
        assert getattr(result, name) is getattr(scores, name) or getattr(result, name) == getattr(scores, name)
    assert scores.kind == "matrix"
    by_hand = pr.evaluate(
        Y, pr.to_ordered(P, rule="expected"), measure="vus", labels=LABELS, sample_weight=w, groups=groups
    )
    judged = pr.evaluate(result, measure="vus")["one", "vus"]
    assert (judged.value, judged.standard_error) == (by_hand.value, by_hand.standard_error)
    assert judged.provenance.groups == by_hand.provenance.groups == 23


def test_decisions_become_numbers_of_classes():
    values = np.array(LABELS)[P.argmax(axis=1)]
    result = pr.to_ordered(normalise(Y, values, labels=LABELS))
    assert result.values["classifier"].tolist() == (P.argmax(axis=1) + 1.5).tolist()


def test_two_classes_rise_towards_the_last():
    scores = normalise([0, 1, 0, 1], [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4], [0.1, 0.9]], labels=[0, 1], pos_label=0)
    assert pr.evaluate(pr.to_ordered(scores), measure="auc").value == 1


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: pr.to_ordered(P, rule="mean"), "rule must be 'sampat' or 'expected', got 'mean'"),
        (lambda: pr.to_ordered(P[:, 0]), r"must be 2-D \(cases x classes\), got shape \(45,\)"),
        (lambda: pr.to_ordered(3 * P), r"in \[0, 1\], but column 0 holds \S+ at position 0; of logits"),
        (lambda: pr.to_ordered([[0.0, 0.0], [0.5, 0.5]], rule="expected"), "at position 0 add up to zero"),
        (lambda: pr.to_ordered([["a", "b"], ["c", "d"]]), "probabilities must hold numbers"),
        (lambda: pr.to_ordered(P, labels=LABELS[:2]), "3 columns but there are 2 classes"),
        (
            lambda: pr.to_ordered(normalise(Y, P)),
            r"needs the order of the classes; give it with labels=\[\.\.\.\]",
        ),
        (lambda: pr.to_ordered(normalise(Y, P, labels=LABELS), labels=LABELS), "leave out labels"),
        (lambda: pr.to_ordered(normalise(Y, SCORE, labels=LABELS)), "here one score per case already"),
        (
            lambda: pr.to_ordered(normalise(Y, 3 * P, labels=LABELS)),
            r"classifier must hold probabilities in \[0, 1\]",
        ),
    ],
)
def test_what_cannot_be_ordered(ask, message):
    with pytest.raises((InputError, NotApplicableError), match=message):
        ask()


# Type B to type A ------------------------------------------------------------------------------------------------


@given(ordered(), st.data())
def test_likelihoods_are_the_slow_twins(cases, data):
    y, _ = cases
    c = int(y.max()) + 1
    y = np.append(y, [*range(c)] * 2)
    s = y + 0.5 * np.arange(len(y)) % 3.7  # no two scores of a class are the same
    w = data.draw(weights(y)) + 0.01
    priors = np.array(data.draw(st.lists(st.floats(0.1, 1), min_size=c, max_size=c)))
    priors /= priors.sum()
    fitted = pr.conversions.GaussianLikelihoods.fit(y, s, sample_weight=w, priors=priors)
    at = np.linspace(-2, 6, 9)
    expected = [naive.normal_probabilities(y.tolist(), s.tolist(), w.tolist(), priors, x) for x in at]
    np.testing.assert_allclose(fitted.probabilities(at), expected, rtol=0, atol=1e-12)
    equal = pr.to_probabilities(y, s, sample_weight=w)
    expected = [naive.normal_probabilities(y.tolist(), s.tolist(), w.tolist(), np.ones(c) / c, x) for x in s]
    np.testing.assert_allclose(equal, expected, rtol=0, atol=1e-12)


@pytest.mark.peer("scipy", "stats.norm: the fitted likelihoods of to_probabilities")
def test_likelihoods_are_scipys():
    fitted = pr.conversions.GaussianLikelihoods.fit(Y, SCORE, labels=LABELS[::-1])
    assert fitted.labels == ("top", "mid", "low")
    fits = [stats.norm.fit(SCORE[name == Y]) for name in LABELS[::-1]]
    np.testing.assert_allclose(np.column_stack([fitted.means, fitted.deviations]), fits, rtol=1e-12)
    density = np.column_stack([stats.norm.pdf(SCORE, *fit) for fit in fits])
    expected = density / density.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(pr.to_probabilities(Y, SCORE, labels=LABELS[::-1]), expected, rtol=1e-10)


def test_weights_are_repetitions_and_zero_is_no_case():
    rng = np.random.default_rng(53)
    w = rng.integers(0, 3, size=len(Y))
    w[[0, 1, 12, 13, 30, 31]] = 1
    weighted = pr.conversions.GaussianLikelihoods.fit(Y, SCORE, sample_weight=w)
    repeated = pr.conversions.GaussianLikelihoods.fit(np.repeat(Y, w), np.repeat(SCORE, w))
    np.testing.assert_allclose(weighted.means, repeated.means, rtol=1e-12)
    np.testing.assert_allclose(weighted.deviations, repeated.deviations, rtol=1e-12)
    alone = np.where(Y == "low", 0.0, 1.0)
    alone[0] = 1.0
    with pytest.raises(InputError, match="class 'low' has 1 case;"):
        pr.conversions.GaussianLikelihoods.fit(Y, SCORE, sample_weight=alone)


def test_priors_by_class_or_in_order():
    by_class = pr.to_probabilities(Y, SCORE, priors={"top": 0.2, "low": 0.5, "mid": 0.3})
    in_order = pr.to_probabilities(Y, SCORE, priors=[0.5, 0.3, 0.2])
    assert by_class.tolist() == in_order.tolist()
    plain = pr.to_probabilities(Y, SCORE) * [0.5, 0.3, 0.2]
    np.testing.assert_allclose(in_order, plain / plain.sum(axis=1, keepdims=True), rtol=1e-12)
    assert not pr.to_probabilities(Y, SCORE, priors=[0.0, 0.5, 0.5])[:, 0].any()


def test_scores_far_away_stay_probabilities():
    """In logarithms nothing underflows to 0/0 and nothing overflows, at whatever scale."""
    fitted = pr.conversions.GaussianLikelihoods.fit(Y, SCORE)
    far = fitted.probabilities([-1e308, -1e9, -60.0, 60.0, 1e9, 1e308])
    np.testing.assert_allclose(far.sum(axis=1), 1, rtol=1e-12)
    for scale in (1e-300, 1e300):
        scaled = pr.to_probabilities(Y, SCORE * scale)
        np.testing.assert_allclose(scaled, pr.to_probabilities(Y, SCORE), rtol=1e-9)


def test_equal_spreads_keep_the_order_of_two_classes():
    y, s = np.repeat([0, 1], 20), np.concatenate([np.arange(20.0), np.arange(20.0) + 5])
    made = pr.to_probabilities(y, s)
    assert pr.evaluate(y, made, measure="auc").value == pr.evaluate(y, s, measure="auc").value
    assert pr.evaluate(y, made, measure="pdi").value == pytest.approx(pr.evaluate(y, s, measure="auc").value)


def test_fitted_on_other_cases():
    half = np.arange(len(Y)) % 2 == 0
    one, two = ({"a": SCORE[h], "b": 2 * SCORE[h]} for h in (half, ~half))
    train, test = normalise(Y[half], one, labels=LABELS), normalise(Y[~half], two, labels=LABELS)
    probabilities = pr.to_probabilities(test, fitted_on=train)
    expected = pr.conversions.GaussianLikelihoods.fit(Y[half], SCORE[half]).probabilities(SCORE[~half])
    np.testing.assert_allclose(probabilities.values["a"], expected, rtol=1e-12)
    np.testing.assert_allclose(probabilities.values["b"], expected, rtol=1e-9)
    assert probabilities.converted == "one score to probabilities by normal likelihoods fitted to other cases"
    assert (probabilities.kind, probabilities.ordered, probabilities.labels) == ("matrix", True, tuple(LABELS))
    own = pr.to_probabilities(test)
    assert own.converted.endswith("fitted to the same cases")
    estimate = pr.evaluate(own, measure="pdi")["a", "pdi"]
    assert estimate.converted == own.converted
    with pytest.raises(InputError, match="same classes and classifiers"):
        pr.to_probabilities(test, fitted_on=normalise(Y, {"a": SCORE}, labels=LABELS))
    with pytest.raises(InputError, match="same classes and classifiers"):
        pr.to_probabilities(test, fitted_on=normalise(Y, {"a": SCORE, "b": SCORE}, labels=LABELS[::-1]))
    with pytest.raises(InputError, match="Scores cannot be combined with labels"):
        pr.to_probabilities(test, labels=LABELS)


def test_two_classes_need_no_positive_one():
    made = pr.to_probabilities(["sick", "well"] * 3, [1, 5, 2, 4, 3, 6])
    assert made.shape == (6, 2)
    assert made[0, 0] > 0.5 > made[1, 0]


def test_series_frames_and_several_classifiers():
    table = pl.DataFrame({"y": Y, "s": SCORE})
    expected = pr.to_probabilities(Y, SCORE)
    assert pr.to_probabilities(table["y"], table["s"]).tolist() == expected.tolist()
    assert pr.to_probabilities(pd.Series(Y), pd.Series(SCORE)).tolist() == expected.tolist()
    several = pr.to_probabilities(Y, {"one": SCORE, "two": -SCORE})
    assert several["one"].tolist() == expected.tolist()


def test_missing_scores_are_rejected_or_stay_missing():
    holed = SCORE.copy()
    holed[2] = np.nan
    with pytest.raises(InputError, match="score has missing values"):
        pr.to_probabilities(Y, holed)
    with pytest.warns(DroppedRowsWarning, match="Dropped 1 of 45"):
        probabilities = pr.to_probabilities(Y, holed, missing="drop")
    assert np.flatnonzero(np.isnan(probabilities).any(axis=1)).tolist() == [2]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: pr.to_probabilities(["a", "b", "b"], [1, 2, 3]), "class 'a' has 1 case; add cases"),
        (lambda: pr.to_probabilities(["a", "a", "b", "b"], [0.1, 0.1, 2, 3]), "'a' has 2 cases, all .* score 0.1"),
        (lambda: pr.to_probabilities(Y, SCORE, labels=[*LABELS, "peak"]), "class 'peak' has 0 cases"),
        (lambda: pr.to_probabilities(Y, P), "fitted to one score per case, here one column per class"),
        (lambda: pr.to_probabilities(Y, Y), "here decisions"),
        (lambda: pr.to_probabilities(Y, SCORE[1:]), "45 cases but score has 44"),
        (lambda: pr.to_probabilities(Y, SCORE, priors=[1, 1]), "priors must hold one probability per class"),
        (lambda: pr.to_probabilities(Y, SCORE, fitted_on=normalise(Y, SCORE)), "fitted_on is for Scores"),
        (lambda: pr.to_probabilities(Y, np.where(Y == "low", np.inf, 1.0)), "infinity"),
        (
            lambda: pr.conversions.GaussianLikelihoods.fit(Y, SCORE).probabilities([np.inf]),
            r"infinity \(position 0\)",
        ),
        (lambda: pr.conversions.GaussianLikelihoods.fit(Y, SCORE).probabilities(P), "one number per case"),
        (
            lambda: pr.conversions.GaussianLikelihoods.fit(Y, {"a": SCORE, "b": SCORE}),
            "scores of one classifier, got a, b",
        ),
        (lambda: pr.conversions.GaussianLikelihoods.fit(Y), "y_score is missing"),
    ],
)
def test_what_has_no_likelihoods(ask, message):
    with pytest.raises((InputError, NotApplicableError), match=message):
        ask()


# The mark --------------------------------------------------------------------------------------------------------


def test_evaluate_converts_only_where_the_order_is_given_and_says_so():
    evaluation = pr.evaluate(Y, {"one": P, "two": Q}, labels=LABELS)
    by_hand = pr.evaluate(Y, pr.to_ordered({"one": P, "two": Q}), measure=ORDERED, labels=LABELS)
    assert set(ORDERED) <= set(evaluation.measures)
    for (classifier, key), estimate in evaluation.estimates.items():
        assert estimate.converted == (BY_RULE if key in ORDERED else None)
        if key in ORDERED:
            same = by_hand[classifier, key]
            assert (estimate.value, estimate.standard_error) == (same.value, same.standard_error)
            assert estimate.components.tolist() == same.components.tolist()
    unordered = pr.evaluate(Y, P)
    assert not set(ORDERED) & set(unordered.measures)
    assert {unordered.skipped[key] for key in ORDERED} == {
        "needs the order of the classes; give it with labels=[...]"
    }
    beyond = pr.evaluate(Y, 3 * P, labels=LABELS)
    assert beyond.skipped["vus"].startswith("needs probabilities in [0, 1]")


def test_mark_is_kept_and_shown():
    evaluation = pr.evaluate(Y, P, labels=LABELS)
    for copy in (
        pr.Evaluation.from_dict(json.loads(json.dumps(evaluation.to_dict()))),
        pickle.loads(pickle.dumps(evaluation)),
    ):
        assert copy["vus"].converted == BY_RULE
        assert copy["hand_till"].converted is None
        assert copy.rows() == evaluation.rows()
    assert {row["measure"]: row["converted"] for row in evaluation.rows()}["vus"] == BY_RULE
    assert repr(evaluation["vus"]).endswith(", converted)")
    assert "converted" not in repr(evaluation["pdi"])
    assert BY_RULE in evaluation._repr_html_()
    assert "converted" not in pr.evaluate(Y, P)._repr_html_()
    for part in evaluation["scurfield"].parts.values():
        assert part.converted == BY_RULE
    stored = evaluation.to_dict()["estimates"][0]
    del stored["converted"]  # as stored before there were conversions
    assert pr.Estimate.from_dict(stored).converted is None


@pytest.mark.filterwarnings("ignore::polyroc.errors.FewEffectiveCasesWarning")
def test_weights_groups_and_resampling_pass_through():
    rng = np.random.default_rng(95)
    w, groups = rng.exponential(size=len(Y)), np.arange(len(Y)) // 3
    options = {"sample_weight": w, "groups": groups, "labels": LABELS, "method": pr.Bootstrap(n=50, rng=1)}
    estimate = pr.evaluate(Y, P, **options)["vus"]
    by_hand = pr.evaluate(Y, pr.to_ordered(P), measure="vus", **options)
    assert estimate.resampled == by_hand.resampled
    assert estimate.confidence_interval() == by_hand.confidence_interval()


def test_two_classes_are_not_converted():
    risk = np.clip(SCORE[:27] / 4 + 0.4, 0, 1)
    evaluation = pr.evaluate(NUMBER[:27], np.column_stack([1 - risk, risk]), labels=[0, 1])
    assert (
        evaluation.skipped["vus"]
        == "needs one score per case that rises along the classes, here one column per class"
    )
    assert all(estimate.converted is None for estimate in evaluation.estimates.values())


@pytest.mark.parametrize(
    ("y", "s", "key", "message"),
    [
        (Y, np.array(LABELS)[NUMBER], "vus", r"here decisions; convert it with to_ordered\(\.\.\.\)"),
        (Y, SCORE, "pdi", r"here one score per case; convert it with to_probabilities\(\.\.\.\)"),
        (Y, SCORE, "hand_till", r"here one score per case; convert it with to_probabilities\(\.\.\.\)"),
        (NUMBER[:27], SCORE[:27], "umbrella", "at least 3 classes, here 2; for two classes use auc"),
        (NUMBER[:27], P[:27, :2], "vus", "here one column per class; for two classes use auc"),
    ],
)
def test_a_measure_requested_by_name_names_the_conversion(y, s, key, message):
    labels = sorted(set(y.tolist()))
    for ask in (
        lambda: pr.evaluate(y, s, measure=key, labels=labels),
        lambda: pr.compare(y, {"a": s, "b": s}, measure=key, labels=labels),
    ):
        with pytest.raises(NotApplicableError, match=message):
            ask()


def test_order_missing_is_reported():
    with pytest.raises(
        NotApplicableError, match=r"vus needs the order of the classes; give it with labels=\[\.\.\.\]"
    ):
        pr.evaluate(Y, SCORE, measure="vus")
    with pytest.raises(NotApplicableError, match="vus needs the order of the classes"):
        pr.evaluate(Y, P, measure="vus")


def test_compare_paired_and_unpaired_by_converted_scores():
    scores = normalise(Y, {"one": P, "two": Q}, labels=LABELS)
    paired = pr.compare(pr.to_ordered(scores), measure="vus")
    assert all(estimate.converted == BY_RULE for estimate in paired.estimates.values())
    assert pr.Comparison.from_dict(paired.to_dict()).estimates["one"].converted == BY_RULE
    apart = {
        name: pr.to_ordered(normalise(Y, table, labels=LABELS)) for name, table in {"one": P, "two": Q}.items()
    }
    unpaired = pr.compare(apart, measure="vus")
    np.testing.assert_allclose(unpaired.covariance, np.diag(np.diag(paired.covariance)), rtol=0, atol=1e-15)


# The command line ------------------------------------------------------------------------------------------------

IRIS = ["--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case"]
ONE = ["--truth", "species", "--scores", "p_setosa", "--classifier", "classifier", "--case", "case"]
ORDER = ["--labels", ",".join(SPECIES)]
FILE = catalogue.path("iris_predictions")


@pytest.mark.slow
def test_evaluate_shows_the_mark_and_a_footnote():
    done = polyroc("evaluate", FILE, *IRIS, *ORDER)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert next(line for line in lines if line.startswith("vus")).split()[:4] == ["vus", "*", "lda", "0.6843"]
    assert f"* Converted: {BY_RULE}." in lines
    assert not any(line.startswith("pdi *") for line in lines)
    plain = polyroc("evaluate", FILE, *IRIS).stdout
    assert "Converted" not in plain
    assert "(needs the order of the classes; give it with --labels A,B,C)." in plain
    rows = list(csv.DictReader(io.StringIO(polyroc("evaluate", FILE, *IRIS, *ORDER, "--csv").stdout)))
    assert {row["measure"] for row in rows if row["converted"] == BY_RULE} == set(ORDERED)
    stored = json.loads(polyroc("evaluate", FILE, *IRIS, *ORDER, "--json").stdout)
    assert pr.Evaluation.from_dict(stored)["lda", "vus"].converted == BY_RULE


@pytest.mark.slow
def test_convert_is_requested():
    scores = pr.read(FILE, truth="species", scores="p_*", classifier="classifier", case="case", labels=SPECIES)
    for rule in ("sampat", "expected"):
        done = polyroc("compare", FILE, *IRIS, *ORDER, "-m", "vus", "--convert", rule, "--json")
        expected = pr.compare(pr.to_ordered(scores, rule=rule), measure="vus")
        assert pr.Comparison.from_dict(json.loads(done.stdout)).to_dict() == expected.to_dict()
    shown = polyroc("compare", FILE, *IRIS, *ORDER, "-m", "vus", "--convert", "sampat").stdout
    assert shown.startswith("iris_predictions.csv: vus * (lda 0.6843")
    assert f"* Converted: {BY_RULE}." in shown
    made = polyroc("evaluate", FILE, *ONE, "-m", "pdi", "--convert", "gaussian").stdout
    assert "* Converted: one score to probabilities by normal likelihoods fitted to the same cases." in made


def test_a_study_is_planned_from_converted_pilot_data(tmp_path):
    file = tmp_path / "pilot.csv"
    pd.DataFrame({"y": Y, **{f"p_{name}": P[:, k] for k, name in enumerate(LABELS)}}).to_csv(file, index=False)
    arguments = ("--pilot", file, "--truth", "y", "--scores", "p_*", "--labels", "low,mid,top", "-m", "vus")
    done = polyroc("size", *arguments, "--null", "0.2", "--convert", "expected", "--json")
    scores = pr.read(file, truth="y", scores="p_*", labels=LABELS)
    expected = pr.sample_size(pr.to_ordered(scores, rule="expected"), measure="vus", null=0.2)
    assert json.loads(done.stdout)["n"] == expected.n
    assert "convert it with --convert sampat" in polyroc("size", *arguments, "--null", "0.2").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([*IRIS, "-m", "vus"], "the order of the classes; give it with --labels A,B,C."),
        ([*IRIS, "-m", "vus", "--convert", "sampat"], "the order of the classes; give it with --labels A,B,C."),
        ([*ONE, "-m", "pdi"], "convert it with --convert gaussian."),
        ([*IRIS, *ORDER, "--convert", "gaussian"], "fitted to one score per case, here one column per class."),
    ],
)
def test_command_line_names_its_own_conversions(arguments, message):
    done = polyroc("evaluate", FILE, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


# Softmax

LOGITS = np.random.default_rng(4).normal(scale=3, size=(30, 3))
NAMES = np.array(list("abc"))[np.arange(30) % 3]


def test_softmax_of_arrays_mappings_and_scores():
    expected = np.exp(LOGITS) / np.exp(LOGITS).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(pr.to_probabilities(NAMES, LOGITS, rule="softmax"), expected, atol=1e-12)
    both = pr.to_probabilities(NAMES, {"m": LOGITS, "n": LOGITS + 7}, rule="softmax")
    np.testing.assert_allclose(both["m"], both["n"], atol=1e-12)
    scores = pr.to_probabilities(pr.Scores.from_arrays(NAMES, LOGITS), rule="softmax")
    assert scores.converted == "scores to probabilities by the softmax"
    np.testing.assert_allclose(scores.values["classifier"], expected, atol=1e-12)
    assert pr.evaluate(scores, measure="mossman").converted == scores.converted


def test_what_needs_probabilities_names_the_softmax(tmp_path):
    from command import polyroc

    with pytest.raises(NotApplicableError, match=r"of logits, to_probabilities\(\.\.\., rule='softmax'\) makes"):
        pr.evaluate(NAMES, LOGITS, measure="mossman")
    for key in ("hand_till", "ova", "pdi"):  # any numbers will do
        assert 0 <= pr.evaluate(NAMES, LOGITS, measure=key).value <= 1
    path = tmp_path / "logits.csv"
    rows = zip(NAMES, LOGITS.tolist(), strict=True)
    path.write_text("y,s_a,s_b,s_c\n" + "".join(f"{y},{','.join(map(repr, row))}\n" for y, row in rows))
    arguments = ("evaluate", path, "--truth", "y", "--scores", "s_*", "-m", "mossman")
    assert "of logits, --convert softmax makes probabilities" in polyroc(*arguments).stderr
    done = polyroc(*arguments, "--convert", "softmax", "--json")
    assert done.returncode == 0, done.stderr
    assert "by the softmax" in done.stdout


@pytest.mark.parametrize(
    ("options", "score", "words"),
    [
        ({"priors": [1, 1, 1]}, LOGITS, "priors is for likelihoods that are fitted"),
        ({}, LOGITS[:, 0], "softmax needs one column per class, here one score per case"),
    ],
)
def test_softmax_of_something_else(options, score, words):
    with pytest.raises((InputError, NotApplicableError), match=words):
        pr.to_probabilities(NAMES, score, labels=["a", "b", "c"], rule="softmax", **options)
