"""Scores: what was observed, as the verbs see it."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from polyroc.errors import DroppedRowsWarning, InputError
from polyroc.measures.applicability import inapplicable_reason
from polyroc.measures.registry import MEASURES
from polyroc.scores import Schema, Scores, readable

CODES = np.array([0, 2, 2, 0, 2], dtype=np.int32)
VALUES = {"forest": np.arange(5.0), "logit": np.ones(5)}
SCORES = Scores._make(CODES, ("a", "b", "c"), VALUES)


def test_properties_of_scores():
    assert len(SCORES) == 5
    assert SCORES.n_classes == 3
    assert SCORES.classifiers == ("forest", "logit")
    assert SCORES.cases == {"a": 2, "b": 0, "c": 3}
    assert SCORES.absent == ("b",)
    assert (SCORES.kind, SCORES.positive, SCORES.ordered, SCORES.dropped) == ("score", None, False, 0)


def test_repr_says_what_is_there():
    assert repr(SCORES) == "Scores(5 cases (a: 2, b: 0, c: 3); score of forest, logit)"


def test_cases_of_weight_zero_do_not_count():
    scores = Scores._make(CODES, ("a", "b", "c"), VALUES, sample_weight=np.array([0, 1, 2, 0, 0.5]))
    assert scores.cases == {"a": 0, "b": 0, "c": 3}
    assert scores.absent == ("a", "b")
    assert len(scores) == 5


def test_scores_are_frozen():
    with pytest.raises(FrozenInstanceError):
        SCORES.labels = ("x", "y", "z")
    assert not hasattr(SCORES, "__dict__")


def test_scores_are_compared_by_identity():
    """Two sets of scores are not equal because their numbers are; and an array has no single truth."""
    assert Scores._make(CODES, ("a", "b", "c"), VALUES) != SCORES
    assert len({SCORES, Scores._make(CODES, ("a", "b", "c"), VALUES)}) == 2


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (("cat", "dog"), ("cat", "dog")),
        ((1, 2.5, True), ("1", "2.5", "True")),
        ((1, "1"), ("1", "'1'")),
        ((1, "1", "a"), ("1", "'1'", "'a'")),
        ((None, "None"), ("None", "'None'")),
        ((("a", 1), "('a', 1)"), ("('a', 1)", "\"('a', 1)\"")),
    ],
)
def test_readable_names(labels, names):
    assert readable(labels) == names


@given(st.lists(st.one_of(st.integers(), st.text(max_size=3), st.floats(allow_nan=False)), unique=True))
def test_names_are_distinct_where_labels_are(labels):
    assert len(set(readable(tuple(labels)))) == len(labels)


def test_arrays_become_what_the_verbs_build():
    y, s = [0, 0, 1, 1, 1], [0.1, 0.4, 0.35, 0.8, 0.4]
    weight, groups = [1.0, 2.0, 1.0, 0.5, 1.0], ["a", "b", "a", "b", "c"]
    scores = pr.Scores(y, s, sample_weight=weight, groups=groups, sampling="case-control")
    assert scores.codes.tolist() == y
    assert scores.groups.tolist() == [0, 1, 0, 1, 2]
    assert (scores.positive, scores.sampling, scores.weight_kind) == (1, "case-control", "importance")
    options = {"sample_weight": weight, "groups": groups, "sampling": "case-control"}
    assert pr.evaluate(scores, measure="auc").to_dict() == pr.evaluate(y, s, measure="auc", **options).to_dict()


def test_arrays_take_labels_and_several_classifiers():
    y = ["low", "high", "mid", "low"]
    scores = pr.Scores(
        y, {"a": np.eye(3)[[0, 2, 1, 0]], "b": np.full((4, 3), 1 / 3)}, labels=["low", "mid", "high"]
    )
    assert (scores.labels, scores.ordered, scores.kind) == (("low", "mid", "high"), True, "matrix")
    assert scores.classifiers == ("a", "b")
    assert pr.evaluate(scores, measure="hand_till", method=None)["a", "hand_till"].value == 1.0


def test_arrays_repeat_frequency_weights_and_drops_missing_rows():
    scores = pr.Scores([0, 1], [0.2, 0.7], sample_weight=[3, 2], weight_kind="frequency")
    assert (len(scores), scores.sample_weight, scores.weight_kind) == (5, None, "frequency")
    with pytest.warns(DroppedRowsWarning):
        scores = pr.Scores([0, 1, 1], [0.2, np.nan, 0.7], missing="drop")
    assert (len(scores), scores.dropped) == (2, 1)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 1], [0.2]), {}, "y_true has 2 cases but y_score has 1"),
        (([0, 1], [0.2, np.nan]), {}, "missing values"),
        (([0, 1], [0.2, np.inf]), {}, "y_score"),
        ((["a", "b"], [0.2, 0.3]), {}, "positive class"),
        (([0, 0], [0.2, 0.3]), {}, "one class only"),
        (([0, 2], [0.2, 0.3]), {"labels": [0, 1]}, "not among labels"),
        (([0, 1], [0.2, 0.3]), {"sample_weight": [1, -1]}, "negative weights"),
        (([0, 1], [0.2, 0.3]), {"weight_kind": "frequency"}, "there are no weights"),
        (([0, 1], [0.2, 0.3]), {"groups": ["a"]}, "one group per case"),
        (([0, 1], [0.2, 0.3]), {"sampling": "random"}, "sampling must be"),
        (([0, 1], [0.2, 0.3]), {"missing": "ignore"}, "missing must be"),
        (([0, 1, 2], [[0.2, 0.8]] * 3), {}, "2 columns but there are 3 classes"),
    ],
)
def test_arrays_rejects_invalid_input(arguments, options, message):
    with pytest.raises(InputError, match=message):
        pr.Scores(*arguments, **options)


def test_schema_of_scores():
    assert SCORES.schema == Schema(("a", "b", "c"), "score", None, False, ("forest", "logit"), "cohort")
    assert (SCORES.schema.names, SCORES.schema.n_classes) == (SCORES.names, SCORES.n_classes)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("options", [False, True])
@pytest.mark.parametrize("positive", [None, 1])
@pytest.mark.parametrize(
    ("kind", "classes"),
    [("score", 2), ("matrix", 2), ("decisions", 2), ("score", 3), ("matrix", 3), ("decisions", 3)],
)
def test_a_schema_decides_applicability_as_scores_do(kind, classes, positive, options, ordered):
    """Of valid probabilities; the range of the values is the only thing that a schema does not know."""
    if classes == 3 and positive is not None:
        return
    codes = np.arange(classes, dtype=np.int32)
    values = np.linspace(0, 1, classes) if kind == "score" else np.eye(classes)
    scores = Scores._make(codes, tuple(range(classes)), {"one": values}, kind, positive, ordered)
    for measure in MEASURES.values():
        assert inapplicable_reason(measure, scores.schema, options) == inapplicable_reason(
            measure, scores, options
        ), measure


def test_merged_classes_are_separated_as_two_unions():
    """Hand & Till's remark: A of two unions, by the sum of the columns, over the cases of these classes alone."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 60)
    P = rng.dirichlet(np.ones(4) + 1, 60)
    scores = pr.Scores(y, P, labels=[0, 1, 2, 3], sample_weight=rng.integers(1, 4, 60))
    merged = scores.merge({"low": [0, 2], "high": [3]})
    assert merged.labels == ("low", "high")
    assert len(merged) == np.sum(y != 1)
    parts = pr.evaluate(merged, measure="hand_till").parts
    for name, columns in (("A(low|high)", [0, 2]), ("A(high|low)", [3])):
        score = P[:, columns].sum(axis=1)
        wins = [
            (w * v, (a > b) + (a == b) / 2)
            for a, w in zip(score[np.isin(y, columns)], scores.sample_weight[np.isin(y, columns)], strict=True)
            for b, v in zip(
                score[np.isin(y, [0, 2, 3]) & ~np.isin(y, columns)],
                scores.sample_weight[np.isin(y, [0, 2, 3]) & ~np.isin(y, columns)],
                strict=True,
            )
        ]
        weights, outcomes = zip(*wins, strict=True)
        assert parts[name].value == pytest.approx(np.average(outcomes, weights=weights), abs=1e-12)


@pytest.mark.parametrize(
    "unions", [{"a": [0]}, {"a": [0], "b": []}, {"a": [0], "b": [0, 1]}, {"a": [0], "b": [7]}]
)
def test_unions_must_be_of_different_classes(unions):
    scores = pr.Scores([0, 1, 2], np.eye(3))
    with pytest.raises(InputError, match="unions must map two labels or more"):
        scores.merge(unions)
    with pytest.raises(InputError, match="and kind 'score'"):
        pr.Scores([0, 1, 1], [0.1, 0.2, 0.3]).merge({"a": [0], "b": [1]})
