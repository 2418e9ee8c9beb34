"""Many classifiers are estimated together, with the estimates of each by itself."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

import polyroc as pr
from polyroc.errors import InputError
from polyroc.estimates.many import ManyEstimates
from polyroc.inference import evaluate as verb
from polyroc.inference.many_classifiers import MANY


@pytest.fixture(scope="module")
def columns():
    """Scores without ties, with many ties, perfect, reversed, constant, and near chance."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [40, 25])
    table = {f"feature {j}": rng.normal(size=65) + y * j / 40 for j in range(MANY)}
    table |= {"ties": rng.integers(3, size=65), "perfect": y * 1.0, "reversed": -y * 1.0, "constant": np.ones(65)}
    return y, table


def alone(monkeypatch, *arguments, **options):
    monkeypatch.setattr(verb, "MANY", 10**6)
    result = pr.evaluate(*arguments, **options)
    monkeypatch.undo()
    return result


@pytest.mark.parametrize("measure", ["auc", "gini"])
def test_estimates_and_pvalues_are_those_of_each_classifier(columns, monkeypatch, measure):
    y, table = columns
    options = {"measure": measure, "null": "chance", "pos_label": 1}
    together, single = pr.evaluate(y, table, **options), alone(monkeypatch, y, table, **options)
    assert isinstance(together.estimates, ManyEstimates)
    assert not isinstance(single.estimates, ManyEstimates)
    many = together.estimates
    assert list(many) == list(single.estimates)
    assert many.value.tolist() == [e.value for e in single]
    # the slope of a linear function of the area is multiplied before or after the root
    assert many.standard_error == pytest.approx([e.standard_error for e in single], rel=1e-14)
    assert many.pvalues() == pytest.approx([e.pvalue for e in single], rel=1e-6, abs=1e-9)
    assert together.to_dict() == single.to_dict()
    adjusted = single.adjusted_pvalues("holm")
    assert together.adjusted_pvalues("holm") == pytest.approx(adjusted, rel=1e-6, abs=1e-9)
    assert together.rows() == single.rows()


def test_the_other_positive_class(columns):
    y, table = columns
    last, first = (pr.evaluate(y, table, measure="auc", pos_label=label).estimates for label in (1, 0))
    assert first.value == pytest.approx(1 - last.value)
    assert first["ties", "auc"].value == first.value[MANY]


def test_pickled_and_copied_estimates_are_complete(columns):
    evaluation = pr.evaluate(*columns, measure="auc")
    for copied in (pickle.loads(pickle.dumps(evaluation)), deepcopy(evaluation)):
        assert copied["ties"].value == evaluation["ties"].value
        assert len(copied) == len(evaluation)


def test_adjusted_pvalues_need_a_hypothesis(columns):
    y, table = columns
    with pytest.raises(InputError, match=r"There are no p-values to adjust; use null='chance' of evaluate"):
        pr.evaluate(y, table, measure="auc").adjusted_pvalues()
    tested = pr.evaluate(y, table, measure="auc", null=0.6)
    with pytest.raises(InputError, match="'max-t' is for comparisons"):
        tested.adjusted_pvalues("max-t")
    with pytest.raises(InputError, match="null must be a number from 0 to 1"):
        pr.evaluate(y, table, measure="auc", null=2)
    assert tested.adjusted_pvalues()["perfect", "auc"] < tested.adjusted_pvalues()["ties", "auc"]


def test_tables_have_adjusted_pvalues_on_request(columns):
    y, table = columns
    evaluation = pr.evaluate(y, {name: table[name] for name in ("ties", "perfect")}, measure="auc", null="chance")
    expected = evaluation.adjusted_pvalues("holm")
    assert [row["adjusted_pvalue"] for row in evaluation.rows(adjustment="holm")] == list(expected.values())
    assert "adjusted_pvalue" not in evaluation.rows()[0]
    assert evaluation.to_table(adjustment="holm", parts=True).columns[-1].name == "adjusted p"
