"""Notes on predictions that are valid but do not look as they were meant: columns in another order, codes."""

import warnings

import numpy as np
import pandas as pd
import pytest

import polyroc as pr
from polyroc.errors import SuspectInputWarning


def probabilities(y, c, separation, rng):
    logits = rng.normal(size=(len(y), c))
    logits[np.arange(len(y)), y] += separation
    P = np.exp(logits)
    return P / P.sum(axis=1, keepdims=True)


RNG = np.random.default_rng(8)
Y = RNG.integers(0, 4, 400)
P = probabilities(Y, 4, 1.5, RNG)
PERMUTED = P[:, [2, 0, 3, 1]]


def test_columns_in_another_order_are_noticed():
    with pytest.warns(
        SuspectInputWarning, match=r"in the order \[2, 0, 3, 1\] of the classes, not \[0, 1, 2, 3\]"
    ):
        estimate = pr.evaluate(Y, PERMUTED, measure="hand_till")
    assert "are the columns in another order than the classes, or" in str(estimate)
    assert "negate" not in str(estimate)
    assert "seem to be in the order" in str(estimate)


def test_the_remedy_is_the_order_of_the_columns():
    right = pr.evaluate(Y, P, measure="hand_till").value
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pr.evaluate(Y, PERMUTED, labels=[2, 0, 3, 1], measure="hand_till").value == pytest.approx(right)
    with pytest.warns(SuspectInputWarning, match=r"with labels=\[0, 1, 2, 3\]"):
        pr.evaluate(Y, P, labels=[1, 2, 3, 0], measure="hand_till")


def test_two_columns_are_exchanged_not_negated():
    y = RNG.integers(0, 2, 200)
    score = RNG.normal(size=200) + 2 * y
    two = np.column_stack([score, -score])
    with pytest.warns(SuspectInputWarning, match=r"with labels=\[1, 0\]"):
        estimate = pr.evaluate(y, two, measure="auc")
    assert "negate" not in str(estimate)
    assert "negate it" in str(pr.evaluate(y, -score, measure="auc"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        point = pr.operate(y, two, criterion="youden", pos_label=1)
        page = pr.report(y, two, path=None)
    text = " ".join([str(point), *map(str, page.conclusion), *(str(one.message) for one in caught)])
    assert "are the columns in another order than the classes?" in text
    assert "negate" not in text
    assert "by -1" not in text
    assert type(estimate).from_json(estimate.to_json()).provenance == estimate.provenance


def test_columns_of_a_file_and_of_each_classifier():
    frame = pd.DataFrame(P, columns=list("abcd")).add_prefix("p_").assign(y=np.array(list("bcda"))[Y])
    with pytest.warns(SuspectInputWarning, match="correct their names"):
        pr.evaluate(frame, truth="y", scores="p_*", measure="hand_till")
    with pytest.warns(SuspectInputWarning) as caught:
        scores = pr.Scores(Y, {"right": P, "wrong": PERMUTED})
    assert [str(one.message).split(":")[0] for one in caught] == ["wrong"]
    assert len(scores.notes) == 1


@pytest.mark.parametrize("c", [3, 6, 12])
@pytest.mark.parametrize("separation", [0.0, 0.3, 1.0])
def test_random_and_weak_classifiers_are_not_doubted(c, separation, recwarn):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y = rng.permutation(np.arange(c * (5, 20, 60)[seed % 3]) % c)
        pr.Scores(y, probabilities(y, c, separation, rng))
    assert not recwarn.list


@pytest.mark.slow
@pytest.mark.parametrize("c", range(3, 13))
def test_hardly_any_random_matrix_is_doubted(c):
    doubted = 0
    for seed in range(300):
        rng = np.random.default_rng([seed, c])
        weights = 1 / np.arange(1, c + 1)
        y = np.concatenate([np.arange(c).repeat(5), rng.choice(c, 15 * c, p=weights / weights.sum())])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            pr.Scores(y, probabilities(y, c, seed % 3 * 0.2, rng))
        doubted += len(caught)
    assert doubted <= 1


def test_codes_among_probabilities():
    odd = P.copy()
    odd[7, 2] = -99
    odd[9] *= 0.7
    with pytest.warns(SuspectInputWarning) as caught:
        scores = pr.Scores(Y, odd)
    assert "1 of 400 cases has a value that is no probability, such as -99" in str(caught[0].message)
    assert "probabilities that do not sum to 1, but for example to 0.7" in str(caught[1].message)
    assert len(scores.notes) == 2
    with pytest.warns(SuspectInputWarning, match="no probability, such as -99"):
        pr.evaluate(Y == 1, np.where(np.arange(400) == 3, -99, P[:, 1]), measure="auc")


def test_scores_that_are_no_probabilities_are_not_doubted(recwarn):
    for matrix in (
        P.round(1),
        np.log(P),
        P * 100,
        P + RNG.normal(size=P.shape),
        P * RNG.uniform(0.5, 1, (400, 1)),
    ):
        pr.Scores(Y, matrix)
    for score in (P[:, 1] * 1.5, RNG.exponential(0.3, 400), RNG.normal(size=400), np.log(P[:, 1])):
        pr.Scores(Y == 1, score)
    assert not recwarn.list
