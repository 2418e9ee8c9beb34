"""The verb `evaluate` and what it returns."""

import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
from polyroc.errors import InputError, NotApplicableError, PolyrocError, SmallClassWarning, UndefinedMeasureWarning
from polyroc.measures.registry import MEASURES

Y = np.repeat(["a", "b", "c"], 10)
RNG = np.random.default_rng(0)
P = RNG.dirichlet(np.ones(3), size=30) + 0.4 * np.eye(3)[np.repeat([0, 1, 2], 10)]
P /= P.sum(axis=1, keepdims=True)
BINARY, SCORE = np.repeat([0, 1], 15), np.concatenate([RNG.normal(size=15), RNG.normal(1, size=15)])
THREE = {"hand_till", "ova", "ht3", "accuracy", "pairwise_accuracy", "macro_average", "pdi", "mossman", "he"}


def test_without_a_measure_every_one_that_applies_and_why_the_others_do_not():
    evaluation = pr.evaluate(Y, P)
    assert set(evaluation.measures) == THREE
    assert set(evaluation.measures) | set(evaluation.skipped) == set(MEASURES)
    assert evaluation.skipped["auc"] == "is for 2 classes, here 3"
    binary = pr.evaluate(BINARY, SCORE)
    assert set(binary.measures) == {"auc", "gini", "partial_auc(fpr=(0, 0.1))", "average_precision", "cost_area"}
    assert binary.skipped["hand_till"] == "needs scores, one column per class, here one score per case"
    assert binary.skipped["vus"] == "needs the order of the classes; give it with labels=[...]"
    assert binary.skipped["accuracy"] == "needs decisions or one column per class, here one score per case"
    risk = 1 / (1 + np.exp(-SCORE))
    two = {str(measure) for measure in MEASURES.values() if measure.classes[0] == 2}
    named_only = {key for key, measure in MEASURES.items() if measure.needs == "forecast"}
    every = set(pr.evaluate(BINARY, np.column_stack([1 - risk, risk])).measures)
    assert every == two - {"vus", "net_benefit"} - named_only
    ranks = pr.evaluate(Y, range(30), labels=["a", "b", "c"])
    assert ranks.measures == ("vus", "scurfield", "umbrella")
    assert ranks["vus"].value == pytest.approx(1, abs=1e-15)


def test_what_comes_back():
    assert isinstance(pr.evaluate(BINARY, SCORE, measure="auc"), pr.results.Estimate)
    assert isinstance(pr.evaluate(BINARY, SCORE, measure=["auc"]), pr.results.Evaluation)
    assert isinstance(pr.evaluate(BINARY, {"only": SCORE}, measure="auc"), pr.results.Evaluation)
    evaluation = pr.evaluate(BINARY, {"one": SCORE, "two": -SCORE}, measure=["auc", "gini"])
    assert evaluation.classifiers == ("one", "two")
    assert evaluation.measures == ("auc", "gini")
    assert float(evaluation["one", "auc"]) + float(evaluation["two", "auc"]) == pytest.approx(1)
    assert [row["classifier"] for row in evaluation.rows()] == ["one", "one", "two", "two"]


def test_estimate_answers_the_next_question():
    estimate = pr.evaluate(Y, P, measure="hand_till")
    assert repr(estimate).startswith("Estimate(hand_till = 0.")
    low, high = estimate.confidence_interval()
    assert (
        estimate.confidence_interval(0.99).low
        < low
        < estimate.value
        < high
        < estimate.confidence_interval(0.99).high
    )
    assert estimate.chance == 0.5
    assert estimate.provenance.cases == {"a": 10, "b": 10, "c": 10}
    assert estimate.provenance.method == "Influence()"
    assert estimate.provenance.version == pr.__version__
    assert "A(a|b)" in estimate.parts
    assert len(estimate.parts) == 9
    assert repr(estimate.parts).startswith("Parts(A(a|b), ")
    with pytest.raises(KeyError):
        estimate.parts["A(a|z)"]
    assert [row["part"] for row in estimate.rows()] == [None, *estimate.parts]


def test_components_come_in_the_order_given_and_make_the_error():
    rng = np.random.default_rng(10)
    order = rng.permutation(30)
    estimate = pr.evaluate(Y[order], P[order], measure="ova", sampling="case-control")
    variance = sum(estimate.components[Y[order] == k].var(ddof=1) / 10 for k in "abc")
    assert estimate.standard_error == pytest.approx(variance**0.5)
    assert pr.evaluate(Y, P, measure="accuracy").parts == {}


def test_parts_of_ova_have_delongs_error_of_the_two_class_problem():
    estimate = pr.evaluate(Y, P, measure="ova")
    for i, name in enumerate("abc"):
        alone = pr.evaluate((name == Y).astype(int), P[:, i], measure="auc")
        assert estimate.parts[name].value == pytest.approx(alone.value, abs=1e-12)
        assert estimate.parts[name].standard_error == pytest.approx(alone.standard_error, abs=1e-12)


def test_bare_value_has_no_error_bar():
    estimate = pr.evaluate(BINARY, SCORE, measure="auc", method=None)
    assert estimate.value == pr.evaluate(BINARY, SCORE, measure="auc").value
    assert np.isnan(estimate.standard_error)
    assert np.isnan(estimate.confidence_interval()).all()
    assert estimate.provenance.method is None


@given(st.integers(0, 2**32 - 1))
def test_groups_of_one_change_nothing_and_copies_count_once(seed):
    rng = np.random.default_rng(seed)
    y, s = np.repeat([0, 1], 6), rng.normal(size=12).round(1)
    plain = pr.evaluate(y, s, measure="auc")
    alone = pr.evaluate(y, s, measure="auc", groups=[f"patient {i}" for i in range(12)])
    assert alone.standard_error == pytest.approx(plain.standard_error, abs=1e-12)
    twice = pr.evaluate(np.tile(y, 2), np.tile(s, 2), measure="auc", groups=np.tile(np.arange(12), 2))
    assert twice.standard_error == pytest.approx(plain.standard_error, abs=1e-12)
    assert twice.provenance.groups == 12


def test_weighted_error_is_the_robust_one():
    rng = np.random.default_rng(75)
    w = rng.exponential(size=30)
    estimate = pr.evaluate(BINARY, SCORE, measure="auc", sample_weight=w)
    components = naive.auc_components(BINARY, SCORE, w)
    expected = naive.variance(BINARY.tolist(), components, w.tolist())
    assert estimate.standard_error == pytest.approx(expected**0.5, abs=1e-12)
    assert pr.evaluate(BINARY, SCORE, measure="auc", sample_weight=7 * w).standard_error == (
        pytest.approx(estimate.standard_error, abs=1e-12)
    )


@pytest.mark.parametrize("key", sorted(THREE - {"mossman"}))
def test_class_without_a_case_is_nan_with_a_named_warning(key):
    table = np.column_stack([P, np.zeros(30)])
    with pytest.warns(
        UndefinedMeasureWarning, match=rf"No case of class 'd': {key} undefined \(nan\)\. Add cases"
    ):
        estimate = pr.evaluate(Y, table, measure=key, labels=["a", "b", "c", "d"])
    assert np.isnan(estimate.value)
    assert np.isnan(estimate.standard_error)
    assert np.isnan(estimate.confidence_interval()).all()
    assert estimate.components is None
    assert len(estimate.parts) == 0


def test_one_class_is_nan_if_both_are_named():
    with pytest.warns(UndefinedMeasureWarning, match="No case of class '0'"):
        evaluation = pr.evaluate([1, 1], [0.2, 0.4], labels=[0, 1])
    assert all(np.isnan(float(estimate)) for estimate in evaluation.estimates.values())


def test_class_whose_weights_are_all_zero_has_no_case():
    with pytest.warns(UndefinedMeasureWarning, match="No case of class '1'"):
        estimate = pr.evaluate([0, 1, 0], [1, 2, 3], measure="auc", sample_weight=[1, 0, 1])
    assert np.isnan(estimate.value)


def test_class_of_one_case_has_no_standard_error_but_an_interval():
    with pytest.warns(SmallClassWarning, match=r"one case only: no standard error \(nan\) for auc.*Add cases"):
        estimate = pr.evaluate([0, 0, 0, 1], [0.1, 0.2, 0.3, 0.25], measure="auc")
    assert estimate.value == pytest.approx(2 / 3)
    assert np.isnan(estimate.standard_error)
    low, high = estimate.confidence_interval()
    assert 0 <= low < estimate.value < high <= 1


def test_perfect_separation_has_a_valid_interval_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimate = pr.evaluate([0] * 20 + [1] * 30, range(50), measure="auc")
    assert estimate.value == 1
    assert estimate.standard_error == 0
    low, high = estimate.confidence_interval()
    assert high == 1
    assert low == pytest.approx(20 / (20 + 1.959964**2), abs=1e-6)  # Wilson's interval for 20 of 20


@pytest.mark.parametrize(
    ("y", "s", "options", "message"),
    [
        (Y, P, {"measure": "auc"}, "auc is for 2 classes, here 3"),
        (BINARY, SCORE, {"measure": "hand_till"}, "hand_till needs scores, one column per class"),
        (Y, 3 * P, {"measure": "mossman"}, r"in \[0, 1\], but 'classifier' gives class 'a' \S+ at position 0"),
        (BINARY, SCORE, {"measure": "accuracy"}, r"values must be labels \[0, 1\], but position 0 holds"),
        (["x", "y"], ["x", "y"], {"measure": "auc"}, "needs a ranking score, here decisions"),
        (["x", "y"], [[0.2, 0.8], [0.1, 0.9]], {"measure": "auc"}, r"positive class; use pos_label='y' or 'x'"),
    ],
)
def test_measure_that_does_not_fit_says_why(y, s, options, message):
    with pytest.raises(PolyrocError, match=message) as raised:
        pr.evaluate(y, s, **options)
    assert isinstance(raised.value, NotApplicableError)
    assert isinstance(raised.value, ValueError)


def test_level_and_method_of_the_wrong_kind_are_rejected():
    estimate = pr.evaluate(BINARY, SCORE, measure="auc")
    for level in (0, 1, 95, -0.1):
        with pytest.raises(InputError, match="level must be between 0 and 1"):
            estimate.confidence_interval(level)
    with pytest.raises(InputError, match="kind must be 'guarded', 'logit' or 'wald', got 'exact'"):
        estimate.confidence_interval(kind="exact")
    with pytest.raises(InputError, match=r"method must be one of Influence.* or None, got 5"):
        pr.evaluate(BINARY, SCORE, measure="auc", method=5)


@pytest.mark.filterwarnings(
    "ignore::polyroc.errors.SuspectInputWarning"
)  # one of the classifiers is in another order
def test_evaluation_survives_json_and_pickle():
    evaluation = pr.evaluate(Y, {"one": P, "two": P[:, ::-1]})
    for copy in (
        pr.results.Evaluation.from_dict(json.loads(json.dumps(evaluation.to_dict()))),
        pickle.loads(pickle.dumps(evaluation)),
    ):
        assert copy.to_dict() == evaluation.to_dict()
        assert copy.skipped == evaluation.skipped
        assert copy["one", "hand_till"].confidence_interval(0.8) == evaluation[
            "one", "hand_till"
        ].confidence_interval(0.8)
    with pytest.raises(InputError, match="Expected a stored Estimate of schema 1, got kind 'Evaluation'"):
        pr.results.Estimate.from_dict(evaluation.to_dict())


def test_names_are_hostile_text_in_html():
    evaluation = pr.evaluate(Y, {"<script>alert(1)</script>": P}, measure="accuracy")
    page = evaluation._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert page.count("<tr>") == 2


def test_progress_is_reported():
    calls = []
    pr.evaluate(BINARY, SCORE, progress=lambda *step: calls.append(step))
    measures = ["auc", "gini", "partial_auc", "average_precision", "cost_area"]
    assert calls == [(i, 5, f"classifier: {measure}") for i, measure in enumerate(measures)]


def test_public_names_are_what_is_promised():
    assert sorted(pr.__all__) == pr.__all__ == sorted([*dir(pr), "__version__"])
    assert all(getattr(pr, name) is not None for name in pr.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        _ = pr.evalute


def test_parts_print_as_what_they_are():
    M = pr.evaluate(Y, P, measure="hand_till")
    part = M.parts["A(a,b)"]
    assert repr(part).startswith("Estimate(A(a,b) = ")
    assert "A(a,b)" in str(part)
    assert "hand_till" not in str(part)
    assert repr(M).startswith("Estimate(hand_till = ")
    assert repr(pr.evaluate(Y, P, measure="ova").parts["a"]).startswith("Estimate(ova(a) = ")
    stored = pr.results.Estimate.from_dict(part.to_dict())
    assert stored.label == "A(a,b)"
    assert "part" not in M.to_dict()
    assert pr.results.Estimate.from_dict(M.to_dict()).parts["A(a,b)"].label == "A(a,b)"


def test_an_estimate_with_parts_and_a_null_value_is_printed():
    estimate = pr.evaluate(Y, P, measure="hand_till", null=0.5)
    assert all(part in str(estimate) for part in estimate.parts)
    assert estimate._repr_html_().count("<tr>") == 2 + len(estimate.parts)


def test_results_answer_to_the_habits_of_python():
    y, s, t = [0, 0, 1, 1, 0, 1], [1, 4, 3.5, 8, 2, 9], [1, 2, 3, 4, 5, 6]
    both = pr.evaluate(y, {"forest": s, "tree": t}, measure=["auc", "gini"])
    estimate = both["forest", "auc"]
    assert (f"{estimate:.3f}", round(estimate, 3), f"{estimate}") == ("0.889", 0.889, str(estimate))
    assert (estimate.low, estimate.high) == estimate.confidence_interval()
    assert list(both) == list(both.estimates.values())
    assert both["tree"].measures == ("auc", "gini")
    assert both["gini"].classifiers == ("forest", "tree")
    assert pr.evaluate(y, {"forest": s, "tree": t}, measure="auc")["tree"].classifier == "tree"
    with pytest.raises(KeyError, match="'lda' is none of 'forest', 'tree', 'auc', 'gini'"):
        both["lda"]
    assert r"\label{tab:a}" in both.to_latex(label="tab:a")
    with pytest.raises(InputError, match="label must have letters"):
        both.to_latex(label="a}")
