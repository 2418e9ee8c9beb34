"""P-values of many classifiers against a hypothesis, adjusted for their number."""

import numpy as np
import pytest

import polyroc as pr
from polyroc.errors import InputError


@pytest.fixture(scope="module")
def columns():
    """Scores with many ties, perfect, constant, and near chance."""
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], [40, 25])
    table = {f"feature {j}": rng.normal(size=65) + y * j / 40 for j in range(6)}
    return y, table | {"ties": rng.integers(3, size=65), "perfect": y * 1.0, "constant": np.ones(65)}


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
