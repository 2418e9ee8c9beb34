"""Net benefit: against its definition, with error bars by simulation."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import polyroc as pr
import strategies as draw
from command import polyroc
from polyroc.errors import PolyrocError

Y = np.array([0, 0, 0, 1, 1])
P = np.array([0.1, 0.3, 0.6, 0.4, 0.9])


@given(st.data())
def test_net_benefit_is_the_definition(data):
    y = data.draw(draw.classes(c=2))
    p = np.array(data.draw(st.lists(st.sampled_from([0, 0.1, 0.5, 0.7, 1]), min_size=len(y), max_size=len(y))))
    w = data.draw(draw.weights(y))
    grid = [0.1, 0.3, 0.5, 0.9]
    net_benefit = pr.decision_curve(y, p, sample_weight=w, thresholds=grid)
    expected = [naive.net_benefit(y, p, w, t) for t in grid]
    np.testing.assert_allclose(net_benefit.net_benefit, expected, atol=1e-12)  # a dozen terms of size 10 at most
    everyone = [naive.net_benefit(y, np.ones(len(y)), w, t) for t in grid]
    np.testing.assert_allclose(net_benefit.treat_all.value, everyone, atol=1e-12)
    assert not net_benefit.treat_none.any()
    share = naive.total(y, w, 1) / w.sum()
    given_share = pr.decision_curve(y, p, sample_weight=w, thresholds=grid, prevalence=share)
    np.testing.assert_allclose(given_share.net_benefit, expected, atol=1e-12)


@pytest.mark.published(
    "Vickers & Elkin (2006)", "treating all is worth nothing where the threshold is the prevalence"
)
def test_published_identity_and_another_prevalence():
    """At t = prevalence treating all is worth nothing (Vickers & Elkin 2006); a prevalence given moves that."""
    net_benefit = pr.decision_curve(Y, P, thresholds=[0.4])
    assert net_benefit.treat_all.value == pytest.approx([0], abs=1e-15)
    rarer = pr.decision_curve(Y, P, thresholds=[0.1, 0.4], prevalence=0.1)
    assert rarer.treat_all.value == pytest.approx([0, 0.1 - 0.9 * 2 / 3])
    assert rarer.prevalence == 0.1
    tpr, fpr = 1.0, 1 / 3
    assert rarer.net_benefit[1] == pytest.approx(0.1 * tpr - 0.9 * fpr * 2 / 3)
    assert rarer.treat_all.standard_error == pytest.approx([0, 0], abs=1e-15)  # nothing in it is estimated


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [None, 0.3])
def test_standard_errors_by_simulation(prevalence):
    rng = np.random.default_rng(2)
    values, errors = [], []
    for _ in range(400):
        y = rng.random(150) < 0.3 if prevalence is None else np.arange(150) < 50
        p = np.clip(rng.normal(0.3 + 0.2 * y, 0.2), 0, 1)
        net_benefit = pr.decision_curve(y, p, thresholds=[0.2, 0.4], prevalence=prevalence)
        curves = net_benefit.curves["classifier"], net_benefit.treat_all, net_benefit.over_all["classifier"]
        values.append(np.concatenate([curve.value for curve in curves]))
        errors.append(np.concatenate([curve.standard_error for curve in curves]))
    spread = np.std(values, axis=0, ddof=1)  # its relative error is 3.5 %; three of these
    np.testing.assert_allclose(np.mean(errors, axis=0), spread, rtol=0.11, atol=1e-12)


def test_groups_and_several_classifiers():
    net_benefit = pr.decision_curve(Y, {"one": P, "two": P[::-1]}, thresholds=[0.5])
    assert list(net_benefit.curves) == ["one", "two"]
    with pytest.raises(PolyrocError, match="several classifiers"):
        _ = net_benefit.net_benefit
    twice = pr.decision_curve(np.tile(Y, 2), np.tile(P, 2), groups=np.tile(np.arange(5), 2), thresholds=[0.5])
    once = pr.decision_curve(Y, P, thresholds=[0.5])
    assert twice.curves["classifier"].standard_error == pytest.approx(once.curves["classifier"].standard_error)


def test_stored_and_read_back():
    net_benefit = pr.decision_curve(Y, np.column_stack([1 - P, P]))
    assert len(net_benefit.thresholds) == 99
    again = pr.results.DecisionCurve.from_dict(json.loads(json.dumps(net_benefit.to_dict())))
    assert again.to_dict() == net_benefit.to_dict() == pickle.loads(pickle.dumps(net_benefit)).to_dict()
    assert len(net_benefit.rows()) == 3 * 99
    assert {row["classifier"] for row in net_benefit.rows()} == {"classifier", "treat all", "treat none"}
    assert repr(net_benefit) == "DecisionCurve(classifier; 99 thresholds from 0.01 to 0.99, prevalence 0.4000)"
    low, high = net_benefit.treat_all.confidence_interval(0.9)
    assert (low <= net_benefit.treat_all.value).all()
    assert (high >= net_benefit.treat_all.value).all()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: pr.decision_curve(Y, P * 2), r"needs probabilities in \[0, 1\], got values from 0.2 to 1.8"),
        (lambda: pr.decision_curve(Y, P, thresholds=[0, 0.5]), "between 0 and 1, ends excluded"),
        (lambda: pr.decision_curve(Y, P, thresholds="x"), "thresholds must be a list of finite numbers"),
        (lambda: pr.decision_curve(Y, P, thresholds=[]), "thresholds must be numbers"),
        (lambda: pr.decision_curve(Y, P, prevalence=2), "prevalence must be between 0 and 1, got 2"),
        (lambda: pr.decision_curve([0, 1, 2], np.eye(3)), "A decision curve needs two classes"),
        (lambda: pr.decision_curve([0, 0], [0.1, 0.2], labels=[0, 1]), "No case of class '1'"),
        (lambda: pr.decision_curve(list("abab"), list("abab"), pos_label="b"), "got decisions"),
        (lambda: pr.decision_curve(Y, P).treat_all.confidence_interval(95), "level must be between 0 and 1"),
    ],
)
def test_bad_questions(ask, message):
    with pytest.raises(PolyrocError, match=message):
        ask()


# Differences between classifiers

RNG = np.random.default_rng(12)
SICK = RNG.random(200) < 0.3
MODELS = {name: 1 / (1 + np.exp(1 - RNG.normal(size=200) - k * SICK)) for name, k in (("new", 2.0), ("old", 1.0))}
GRID = [0.1, 0.3, 0.5]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"sampling": "case-control"},
        {"sample_weight": RNG.integers(1, 4, 200)},
        {"groups": np.arange(200) // 2},
    ],
    ids=["cohort", "case-control", "weights", "groups"],
)
@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_a_difference_is_that_of_the_comparison_at_each_threshold(options, prevalence):
    curve = pr.decision_curve(SICK, MODELS, thresholds=GRID, prevalence=prevalence, **options)
    own = curve.difference("new", "old")
    for i, t in enumerate(GRID):
        measure = pr.measure("net_benefit", threshold=t, prevalence=prevalence)
        other = pr.compare(SICK, MODELS, measure=measure, **options).difference("new", "old")
        assert own.value[i] == pytest.approx(curve.curves["new"].value[i] - curve.curves["old"].value[i])
        assert (own.value[i], own.standard_error[i]) == pytest.approx((other.value, other.standard_error))
        assert own.pvalue[i] == pytest.approx(other.pvalue)
        assert (own.pointwise.low[i], own.pointwise.high[i]) == pytest.approx(other.confidence_interval())
    assert (own.simultaneous.low <= own.pointwise.low).all()
    assert (own.simultaneous.high >= own.pointwise.high).all()
    assert (own.adjusted_pvalue >= own.pvalue).all()
    # the band excludes 0 at a threshold if and only if the adjusted p-value there is below 5 %
    excludes = (own.simultaneous.low > 0) | (own.simultaneous.high < 0)
    assert (excludes == (own.adjusted_pvalue < 0.05)).all()


def test_the_band_is_that_of_the_joint_distribution():
    """The critical value, from influence values taken one by one, by a simulation of its own."""
    p, q = MODELS["new"], MODELS["old"]
    grid = [0.3, 0.4, 0.5]  # far from thresholds at which all or no cases are acted on, and intervals are guarded
    curve = pr.decision_curve(SICK, MODELS, thresholds=grid, prevalence=0.3).difference("new", "old")
    rows = []
    for t in grid:
        acted = (p >= t).astype(float) - (q >= t)
        gain = np.where(SICK, 0.3 / SICK.sum(), -0.7 * t / (1 - t) / (~SICK).sum())
        means = np.array([acted[k == SICK].mean() for k in (False, True)])[SICK.astype(int)]
        rows.append(gain * (acted - means))
    covariance = np.array(rows) @ np.array(rows).T
    z = np.random.default_rng(0).multivariate_normal(np.zeros(3), covariance, 40_000)
    critical = np.quantile(np.abs(z / np.sqrt(np.diag(covariance))).max(axis=1), 0.95)
    half = (curve.simultaneous.high - curve.simultaneous.low) / 2
    assert half / curve.standard_error == pytest.approx(
        np.full(3, critical), rel=0.03
    )  # 2 % guard, 1 % Monte Carlo


def test_one_threshold_and_equal_classifiers():
    one = pr.decision_curve(SICK, MODELS, thresholds=[0.3]).difference("new", "old")
    assert one.simultaneous.low == pytest.approx(one.pointwise.low)
    assert one.adjusted_pvalue == pytest.approx(one.pvalue)
    same = pr.decision_curve(SICK, {"a": MODELS["new"], "b": MODELS["new"]}, thresholds=GRID).difference("a", "b")
    assert same.value.tolist() == [0, 0, 0]
    assert same.equal_pvalue == 1.0


def test_differences_are_reversed_stored_and_listed():
    curve = pr.decision_curve(SICK, {**MODELS, "third": MODELS["new"] ** 2}, thresholds=GRID, level=0.9)
    assert [*curve.differences] == [("new", "old"), ("new", "third"), ("old", "third")]
    there, back = curve.difference("new", "old"), curve.difference("old", "new")
    assert back.value == pytest.approx(-there.value)
    assert back.pointwise.low == pytest.approx(-there.pointwise.high)
    assert there.pointwise.level == there.simultaneous.level == 0.9
    again = pr.results.DecisionCurve.from_dict(json.loads(json.dumps(curve.to_dict())))
    assert again.difference_rows() == curve.difference_rows()
    assert len(curve.difference_rows()) == 9
    assert pr.decision_curve(SICK, MODELS["new"]).differences is None
    with pytest.raises(PolyrocError, match="two of the classifiers 'new', 'old', 'third', got 'new' and 'x'"):
        curve.difference("new", "x")


@pytest.mark.slow
def test_differences_on_the_command_line(tmp_path):
    path = tmp_path / "risks.csv"
    rows = zip(SICK.astype(int).tolist(), *(p.tolist() for p in MODELS.values()), strict=True)
    path.write_text("y,new,old\n" + "".join(f"{y},{p!r},{q!r}\n" for y, p, q in rows))
    arguments = ("decision-curve", path, "--truth", "y", "--scores", "new=new", "--scores", "old=old")
    done = polyroc(*arguments, "--thresholds", "0.1,0.3")
    assert done.returncode == 0
    assert "new - old" in done.stdout
    assert "new and old equal at all thresholds: p = " in done.stdout
    done = polyroc(*arguments, "--thresholds", "0.1,0.3", "--csv", "--differences")
    expected = pr.decision_curve(SICK, MODELS, thresholds=[0.1, 0.3]).difference_rows()[1]
    assert repr(expected["simultaneous_low"]) in done.stdout
    assert len(json.loads(polyroc(*arguments, "--json").stdout)["thresholds"]) == 99
    assert "--thresholds must be numbers" in polyroc(*arguments, "--thresholds", "a,b").stderr
    single = polyroc(*arguments[:4], "--scores", "new", "--csv", "--differences")
    assert "--differences needs two classifiers or more" in single.stderr
