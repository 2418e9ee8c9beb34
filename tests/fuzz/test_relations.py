"""Every measure under every change of data whose effect is known; `make fuzz` draws tables for minutes."""

import numpy as np
import pytest

import polyroc as pr
from all_measures import ALL
from fuzz import relations
from fuzz.relations import RELATIONS, check
from fuzz.tables import Table, compared, table_for

HOLDS_FOR_FEW = (
    "another unit",
    "negate scores",
    "split cases",
)  # these need a threshold, pairs or a mean over cases


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_relations_hold(measure):
    """One table of each measure and relation; rows can always be reordered."""
    rng = np.random.default_rng([7, ALL.index(measure)])
    results = {name: check(name, rng, table_for(rng, measure, most=12), measure) for name in RELATIONS}
    assert results["reorder rows"] is not None


@pytest.mark.parametrize("name", RELATIONS)
def test_each_relation_says_for_which_measures_it_holds(name):
    reasons = {str(measure): RELATIONS[name].exception(measure) for measure in ALL}
    assert all(reason is None or len(reason) > 10 for reason in reasons.values())
    measures = [measure for measure, reason in reasons.items() if reason is None]
    assert len(measures) >= (5 if name in HOLDS_FOR_FEW else 10)


def test_a_broken_relation_is_noticed(monkeypatch):
    table = Table(np.array([0, 1, 0, 1, 1]), {"a": np.array([1.0, 2, 3, 4, 2]), "b": np.arange(5.0)}, (0, 1))
    monkeypatch.setitem(relations.COMPLEMENTS, "auc", lambda answer: answer)
    with pytest.raises(AssertionError, match="auc, negate scores: negated scores have the complement"):
        check("negate scores", np.random.default_rng(0), table, pr.measure("auc"))


@pytest.mark.filterwarnings("ignore")
def test_a_classifier_of_undefined_value_leaves_the_errors_of_the_others():
    """Found by `make fuzz`: an infinite log loss of one classifier made all standard errors nan."""
    y, rng = np.arange(40) % 2, np.random.default_rng(0)
    scores = {name: 1 / (1 + np.exp(-y - rng.normal(size=40))) for name in "ab"}
    infinite = {**scores, "wrong": np.where(np.arange(40) == 3, 0.0, 0.5)}
    for method in ("influence", "jackknife", pr.methods.Bootstrap(replicates=50, rng=0)):
        known = pr.compare(y, scores, measure="log_loss", method=method)
        comparison = pr.compare(y, infinite, measure="log_loss", method=method)
        assert comparison.estimates["wrong"].value == np.inf
        assert np.isnan(comparison.covariance[2]).all()
        np.testing.assert_array_equal(comparison.covariance[:2, :2], known.covariance)
        assert comparison.differences["a", "b"].standard_error == known.differences["a", "b"].standard_error


def test_an_ulp_of_a_fixed_rate_does_not_decide_about_the_standard_error():
    """Found by `make fuzz`: the window of the slope ends at a step of the curve (16 negatives, 0.1 + 0.15)."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], [16, 13])
    table = Table(y, {"a": y + rng.normal(size=29), "b": y + rng.normal(size=29)}, (0, 1))
    swapped = Table(1 - y, {name: -values for name, values in table.scores.items()}, (0, 1))
    one, other = compared(table, "sensitivity(fpr=0.1)"), compared(swapped, "specificity(sensitivity=0.9)")
    assert one.near(other)
