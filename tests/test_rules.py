"""Rules as they are deployed: stored as JSON, read back, refused if they are not what they should be."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
import strategies as draw
from polyroc.errors import InputError

THRESHOLD = pr.decisions.ThresholdRule(("benign", "malignant"), "malignant", 0.3)
COST = pr.decisions.CostRule(("a", "b", "c"), [[0, 1, 2], [3, 0, 1], [1, 5, 0]])
MOSSMAN = pr.decisions.MossmanRule((1, 2, 3), 0.5, -0.1)


@pytest.mark.parametrize("rule", [THRESHOLD, COST, MOSSMAN], ids=lambda rule: type(rule).__name__)
def test_a_rule_read_back_is_the_same_rule(rule):
    again = pr.Rule.from_json(rule.to_json())
    assert again == rule
    assert hash(again) == hash(rule)
    assert type(rule).from_json(rule.to_json().encode()) == rule
    assert again.sentence() == rule.sentence()
    P = np.random.default_rng(0).dirichlet(np.ones(len(rule.labels)), size=50)
    assert again.decide(P).tolist() == rule.decide(P).tolist()
    assert not hasattr(rule, "__dict__")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (("x", "y"), "U"),
        ((0, 1), "i"),
        ((0.5, 1.5), "f"),
        ((False, True), "b"),
        (("é", 1), "O"),
        ((2**70, 0), "O"),
    ],
)
def test_labels_of_every_kind_survive(labels, kind):
    rule = pr.Rule.from_json(pr.decisions.ThresholdRule(labels, labels[1], 0.0).to_json())
    assert rule.labels == labels
    assert [type(label) for label in rule.labels] == [type(label) for label in labels]
    decisions = rule.decide([1.0, -1.0])
    assert decisions.tolist() == [labels[1], labels[0]]
    assert decisions.dtype.kind == (
        "O" if labels in (("é", 1), (2**70, 0)) else {str: "U", int: "i", float: "f"}.get(type(labels[0]), "b")
    )


@pytest.mark.parametrize("threshold", [math.inf, -math.inf, 5e-324, 0.1, 1e300])
def test_thresholds_survive_to_the_last_bit(threshold):
    rule = pr.Rule.from_json(pr.decisions.ThresholdRule((0, 1), 1, threshold).to_json())
    assert rule.threshold == threshold


def test_numpy_labels_and_tuples():
    rule = pr.decisions.ThresholdRule(np.array([3, 4]), np.int64(4), np.float32(0.5))
    assert rule.labels == (3, 4)
    assert json.loads(rule.to_json())["labels"] == [3, 4]
    odd = pr.decisions.ThresholdRule((("a", 1), ("b", 2)), ("b", 2), 0.5)
    assert odd.decide([0.9]).tolist() == [("b", 2)]
    with pytest.raises(InputError, match=r"The label \('a', 1\) \(tuple\) cannot be stored in JSON"):
        odd.to_json()


@given(st.data())
def test_cost_rule_is_the_definition(data):
    _, P = data.draw(draw.probabilities())
    c = P.shape[1]
    cells = st.integers(0, 4)
    L = [[0 if k == m else data.draw(cells) for m in range(c)] for k in range(c)]
    rule = pr.decisions.CostRule(range(c), L)
    assert rule.decide(P).tolist() == [naive.cost_decision(p, L) for p in P.tolist()]
    alone = [rule.decide(row[None])[0] for row in P]  # a case is decided the same in any company
    assert alone == rule.decide(P).tolist()


def test_ties_go_to_the_first_label_whatever_rounding_does():
    wrong = (1 - np.eye(4)).tolist()
    P = [[0.1, 0.3, 0.3, 0.3], [0.7 / 3, 0.1 + 0.2, 0.3, 0.5 / 3], [0.25] * 4]
    assert pr.decisions.CostRule(range(4), wrong).decide(P).tolist() == [1, 1, 0]
    assert pr.decisions.ThresholdRule((0, 1), 1, 0.0).decide([-0.0, 0.0]).tolist() == [1, 1]


def test_columns_of_a_frame_are_matched_by_name():
    P = np.array([[0.8, 0.1, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]])
    expected = COST.decide(P).tolist()
    frame = {"p_c": P[:, 2], "p_a": P[:, 0], "p_b": P[:, 1]}
    assert COST.decide(pd.DataFrame(frame)).tolist() == expected
    assert COST.decide(pl.DataFrame(frame)).tolist() == expected
    assert COST.decide(P.tolist()).tolist() == expected
    assert COST.decide(P[:0]).tolist() == []
    two = pd.DataFrame({"malignant": [0.2, 0.4], "benign": [0.8, 0.6]})
    assert THRESHOLD.decide(two).tolist() == ["benign", "malignant"]


@pytest.mark.parametrize(
    ("rule", "scores", "message"),
    [
        (COST, [0.1, 0.2], r"needs one column per class \(3\), got one number per case"),
        (MOSSMAN, [0.1, 0.2], "needs three columns"),
        (COST, [[0.1, 0.9]], "2 columns but there are 3 classes"),
        (COST, [[0.1, math.nan, 0.2]], r"missing values \(position 0\)"),
        (THRESHOLD, [math.inf], "holds infinity"),
        (THRESHOLD, ["benign"], "contains decisions"),
        (THRESHOLD, {"x": [0.1]}, "one classifier"),
        (COST, pd.DataFrame({"a": [1.0], "b": [0.0], "x": [0.0]}), "column 'x' belongs to no class"),
    ],
)
def test_scores_that_do_not_fit(rule, scores, message):
    with pytest.raises(InputError, match=message):
        rule.decide(scores)


def changed(rule, **fields):
    return json.dumps({**json.loads(rule.to_json()), **fields})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be JSON text"),
        ("not json", "must be JSON text"),
        (b"\xff\xfe\x00", "must be JSON text"),
        ("[" * 100_000, "must be JSON text"),
        ("9" * 10_000, "must be JSON text"),
        (None, "must be JSON text"),
        ("[]", "Expected a stored rule of schema 1"),
        ("{}", "Expected a stored rule of schema 1"),
        (changed(COST, schema=2), "of schema 2; it may come from another version"),
        (changed(COST, schema=True), "of schema True"),
        (changed(COST, kind="os.system"), "got kind 'os.system'"),
        (changed(COST, kind=["CostRule"]), "Expected a stored rule"),
        (changed(COST, more=1), "must have exactly labels, costs"),
        ('{"schema": 1, "kind": "CostRule", "labels": ["a", "b"]}', "must have exactly labels, costs"),
        ('{"schema": 1, "schema": 1}', "must have each field once"),
        (THRESHOLD.to_json().replace("0.3", "NaN"), "finite numbers, got NaN"),
        (THRESHOLD.to_json().replace("0.3", '"nan"'), "threshold must be a number, got 'nan'"),
        (THRESHOLD.to_json().replace("0.3", "true"), "threshold must be a number, got True"),
        (changed(MOSSMAN, alpha=None), "alpha must be a number, got None"),
        (changed(COST, labels="abc"), "labels must contain at least two different classes"),
        (changed(COST, labels=["a", "a", "b"]), "labels must contain at least two different classes"),
        (changed(COST, labels=[1, True, 2]), "labels must contain at least two different classes"),
        (changed(COST, labels=["a", "b", ["c"]]), "labels must be text, numbers"),
        (changed(COST, labels=["a", "b", None]), "labels must be text, numbers"),
        (changed(THRESHOLD, labels=["x", "y", "z"]), "labels must contain 2 different classes"),
        (changed(THRESHOLD, positive="x"), "positive must be one of the classes"),
        (changed(COST, costs=[[0, 1], [1, 0]]), "costs must have 3 rows of 3 numbers"),
        (changed(COST, costs="abc"), "costs must have 3 rows of 3 numbers"),
        (changed(COST, costs=[[0, 1, 1], [1, 0, 1], "abc"]), "costs must have 3 rows of 3 numbers"),
        (changed(COST, costs=[[0, 1, 1], [1, 0, 1], [1, -1, 0]]), "costs must be non-negative"),
        (changed(COST, costs=[[1, 1, 1], [1, 0, 1], [1, 1, 0]]), "zero on the diagonal"),
        (changed(COST, costs=[[0, 1, 1], [1, 0, 1], [1, "inf", 0]]), "costs must be a finite number, got 'inf'"),
        (COST.to_json().replace("5.0", "1e999"), "costs must be a finite number, got inf"),
        (COST.to_json().replace("5.0", "9" * 400), "costs must be a finite number"),
    ],
)
def test_hostile_text_is_rejected(text, message):
    with pytest.raises(InputError, match=message):
        pr.Rule.from_json(text)


def test_another_kind_of_rule_is_rejected():
    with pytest.raises(InputError, match="Expected a stored CostRule"):
        pr.decisions.CostRule.from_json(THRESHOLD.to_json())


def test_rules_in_words():
    assert THRESHOLD.sentence() == "malignant if its score is at least 0.3, otherwise benign."
    assert pr.decisions.ThresholdRule((0, 1), 1, math.inf).sentence() == "Always 0."
    assert MOSSMAN.sentence() == "3 if p(3) is at least 0.5; otherwise 1 if p(2) - p(1) is at most -0.1, else 2."
    assert COST.sentence() == "The class of least expected cost, by the costs of the rule."
