"""The search for a cost rule, repeated in resamples: rates on the cases left out, and their intervals."""

import json
import warnings

import numpy as np
import polars as pl
import pytest

import polyroc as pr
from command import polyroc
from polyroc.errors import InputError, OptimismWarning, UndefinedMeasureWarning
from polyroc.measures.sample import Sample
from polyroc.rules import CostRule

COSTS = np.array([[0, 1, 1], [2, 0, 1], [5, 2, 0]])
FEW = pr.methods.Bootstrap(replicates=12, rng=3)


def draw(n, rng):
    """Three normal classes, n cases each, with their true posteriors."""
    means, y = 1.6 * np.eye(3), np.repeat(np.arange(3), n)
    x = means[y] + rng.normal(size=(len(y), 3))
    density = np.exp(-0.5 * ((x[:, None] - means) ** 2).sum(axis=2))
    return y, density / density.sum(axis=1, keepdims=True)


Y, P = draw(20, np.random.default_rng(1))


@pytest.fixture(scope="module")
def point():
    with warnings.catch_warnings():
        warnings.simplefilter("error", OptimismWarning)
        return pr.operate(Y, P, costs=COSTS, method=FEW)


@pytest.mark.slow
def test_rates_are_those_of_the_cases_left_out(point):
    """Every resample with its rule, evaluated case by case on the cases that are not in it."""
    from polyroc.cost_rules.search import CostProblem, search_again

    rule = pr.operate(Y, P, costs=COSTS, evaluate_on=(Y, P)).rule
    assert rule == point.rule
    scores = pr.Scores(Y, {"classifier": P})
    method = FEW.for_shares(True, scores)
    assert "stratified=False" in repr(method)
    weights = method.over_resamples(Sample(scores, "classifier"), lambda weight: weight.T.astype(float)).T
    counts = np.zeros((3, 3))
    for weight in weights:  # the cases are grouped by class already
        shares = np.bincount(Y, weight) / weight.sum()
        losses = shares[:, None] * COSTS
        problem = CostProblem.weighted(Y, weight, P, losses / losses.max(), {})
        training = np.full((3, 1), 1 / 3)
        bayes = losses / losses.max() / training
        L, _ = search_again(problem, {}, bayes / bayes.max(), np.array(rule.costs))
        for case in np.flatnonzero(weight == 0):
            (decision,) = CostRule((0, 1, 2), L.tolist()).codes(P[[case]])
            counts[Y[case], decision] += 1
    assert point.rates == pytest.approx(counts / counts.sum(axis=1, keepdims=True))
    assert point.uncertainty.optimism == pytest.approx(rule_rates(rule) - point.rates)


def rule_rates(rule):
    return pr.rates(Y, P, rule=rule).rates


@pytest.mark.slow
def test_errors_account_for_the_choice(point):
    plain = pr.operate(Y, P, costs=COSTS, evaluate_on=(Y, P))
    assert point.expected_cost > point.apparent_cost == plain.expected_cost
    assert point.cost.standard_error > plain.cost.standard_error
    assert not point.held_out
    assert point.confusion.provenance.method.startswith("Bootstrap(replicates=12")


def test_stored_and_printed(point):
    again = pr.results.OperatingPoint.from_dict(json.loads(json.dumps(point.to_dict())))
    assert again.to_dict() == point.to_dict()
    assert again.uncertainty.resamples == point.uncertainty.resamples == 12
    assert "threshold" not in point.rows()[0]
    assert str(again) == str(point)
    for ask in (point.threshold_intervals, point.threshold_texts, lambda: point.thresholds):
        with pytest.raises(InputError, match="very different costs make the same decisions"):
            ask()


@pytest.mark.slow
def test_threads_limits_and_criteria():
    options = {"at_most": {(2, 0): 0.1}, "priors": [0.2, 0.3, 0.5]}
    calls = []
    one, two = (
        pr.operate(
            Y,
            P,
            method=pr.methods.Bootstrap(replicates=6, n_jobs=jobs),
            progress=lambda *call: calls.append(call),
            **options,
        )
        for jobs in (1, 2)
    )
    assert one.to_dict() == two.to_dict()
    assert calls[-1] == (6, 6, "resamples")
    assert "stratified=True" in one.uncertainty.method
    youden = pr.operate(Y, P, criterion="youden", method=pr.methods.Bootstrap(replicates=4))
    assert youden.confusion.standard_errors.min() >= 0


@pytest.mark.slow
def test_groups_and_weights():
    groups = np.arange(len(Y)) // 2
    grouped = pr.operate(Y, P, groups=groups, method=pr.methods.Bootstrap(replicates=6))
    assert grouped.uncertainty.resamples == 6
    weight = np.where(np.arange(len(Y)) % 5 == 0, 0.0, 1.0)
    weighted = pr.operate(Y, P, sample_weight=weight, method=pr.methods.Bootstrap(replicates=6))
    without = pr.operate(Y[weight > 0], P[weight > 0], method=pr.methods.Bootstrap(replicates=6))
    assert weighted.rates == pytest.approx(without.rates)
    with pytest.warns(UndefinedMeasureWarning, match=r"of 20 resamples have no rule \(a class was not drawn"):
        pr.operate([0, 0, 1, 1, 2], P[[0, 1, 20, 21, 40]], method=pr.methods.Bootstrap(replicates=20))


@pytest.mark.slow
def test_command(tmp_path):
    columns = {f"p_{k}": P[:, k] for k in range(3)}
    pl.DataFrame({"y": Y, **columns}).write_csv(tmp_path / "p.csv")
    arguments = ("--truth", "y", "--scores", "p_*", "--method", "bootstrap", "--replicates", "5")
    done = polyroc("operate", tmp_path / "p.csv", *arguments)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "Searched again in 5 resamples, and evaluated on the cases left out of them" in text
    assert "rates and cost are corrected for the choice" in text


@pytest.mark.slow
def test_cost_on_new_cases_is_covered():
    """Apparent costs are too low in nearly all samples; corrected ones are covered."""
    y_new, new = draw(5000, np.random.default_rng(99))
    covered, too_low = [], []
    for seed in range(8):
        y, sample = draw(40, np.random.default_rng([4, seed]))
        method = pr.methods.Bootstrap(replicates=30, rng=seed)
        point = pr.operate(y, sample, costs=COSTS, method=method, sampling="case-control")
        true = pr.rates(y_new, new, rule=point.rule).rates
        cost = (true * COSTS).sum() / 3
        low, high = point.cost.confidence_interval()
        covered.append(low <= cost <= high)
        too_low.append(point.apparent_cost < cost)
    assert np.mean(covered) >= 0.8
    assert np.mean(too_low) >= 0.9


def test_a_corrected_rate_of_none_has_at_least_wilsons_interval():
    """None of 57 is called positive, here and in nearly all resamples: 0 to 0.017 was printed."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [57, 60])
    s = rng.normal(size=167)[:117] * 0.45 + 1.6 * y
    point = pr.operate(y, s, criterion="youden", method=pr.methods.Bootstrap(replicates=200, rng=0))
    rate = point.confusion[0, 1]
    assert rate.value == 0
    assert rate.standard_error > 0
    assert rate.low == 0
    assert 0.0631 < rate.high < 0.07  # Wilson's is 0.0631
    assert point.confusion[0, 0].low == pytest.approx(1 - rate.high)
    assert rate.confidence_interval(0.99).high > 0.1
