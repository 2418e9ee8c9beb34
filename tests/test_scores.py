"""Scores: what was observed, as the verbs see it."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyroc.scores import Scores, readable

CODES = np.array([0, 2, 2, 0, 2], dtype=np.int32)
VALUES = {"forest": np.arange(5.0), "logit": np.ones(5)}
SCORES = Scores(CODES, ("a", "b", "c"), VALUES)


def test_what_can_be_asked_of_scores():
    assert len(SCORES) == 5
    assert SCORES.n_classes == 3
    assert SCORES.classifiers == ("forest", "logit")
    assert SCORES.cases == {"a": 2, "b": 0, "c": 3}
    assert SCORES.absent == ("b",)
    assert (SCORES.kind, SCORES.positive, SCORES.ordered, SCORES.dropped) == ("score", None, False, 0)


def test_repr_says_what_is_there():
    assert repr(SCORES) == "Scores(5 cases (a: 2, b: 0, c: 3); score of forest, logit)"


def test_cases_of_weight_zero_do_not_count():
    scores = Scores(CODES, ("a", "b", "c"), VALUES, sample_weight=np.array([0, 1, 2, 0, 0.5]))
    assert scores.cases == {"a": 0, "b": 0, "c": 3}
    assert scores.absent == ("a", "b")
    assert len(scores) == 5


def test_scores_are_frozen():
    with pytest.raises(FrozenInstanceError):
        SCORES.labels = ("x", "y", "z")
    assert not hasattr(SCORES, "__dict__")


def test_scores_are_compared_by_identity():
    """Two sets of scores are not equal because their numbers are; and an array has no single truth."""
    assert Scores(CODES, ("a", "b", "c"), VALUES) != SCORES
    assert len({SCORES, Scores(CODES, ("a", "b", "c"), VALUES)}) == 2


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
