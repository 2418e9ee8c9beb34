"""The registry is the test plan: laws that every measure obeys, run over all of them."""

import json
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, currently_in_test_context, given
from hypothesis import strategies as st

import naive
import polyroc as pr
from all_measures import ALL, at_fixed_rate
from polyroc.errors import ComponentsError, NotApplicableError, PolyrocWarning
from polyroc.inference import estimation
from polyroc.measures.sample import Sample
from polyroc.validation.scores import normalise
from strategies import fitting, weights


def every(which=bool):
    """Run a law over the measures it concerns."""
    return pytest.mark.parametrize("measure", [measure for measure in ALL if which(measure)], ids=str)


def ask(measure, y, s, **options):
    """The estimate, without the warnings about tiny classes; undefined values drawn by chance are passed over."""
    c = int(np.max(y)) + 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyrocWarning)
        try:
            estimate = pr.evaluate(y, s, measure=measure, labels=range(c), **options)
        except NotApplicableError:  # a domain without area
            if currently_in_test_context():
                assume(False)
            raise
    if currently_in_test_context():
        assume(not np.isnan(estimate.value))
    return estimate


def settled(rng, measure, n):
    """A fixed sample with ties and two or three classes of different sizes."""
    c = 2 if measure.classes[1] == 2 else 3
    y = np.sort(rng.choice(c, p=[0.3, 0.7] if c == 2 else [0.2, 0.3, 0.5], size=n))
    P = (rng.dirichlet(np.ones(c), size=n) + 0.6 * np.eye(c)[y]).round(2) / 2
    if measure.needs == "forecast":
        return y, (P + 0.05) / (P + 0.05).sum(axis=1, keepdims=True)
    if measure.needs == "ordered":
        return y, (2 * P[:, 2] - 2 * P[:, 0]).round(2)
    return y, (P[:, 1] if measure.needs == "score" else P)


@every()
@given(st.data())
def test_order_of_cases_does_not_matter(measure, data):
    y, s = data.draw(fitting(measure))
    order = np.array(data.draw(st.permutations(range(len(y)))))
    one, two = ask(measure, y, s), ask(measure, y[order], s[order])
    assert one.value == pytest.approx(two.value, abs=1e-12)
    np.testing.assert_allclose(one.components[order], two.components, rtol=0, atol=1e-12)


@every(lambda measure: measure.needs == "score")
@given(st.data())
def test_names_of_two_classes_do_not_matter(measure, data):
    y, s = data.draw(fitting(measure))
    names = np.array(["good", "bad"])  # sorts the other way round
    named = pr.evaluate(names[y], s, measure=measure, pos_label="bad", method=None)
    assert named.value == ask(measure, y, s).value


@every(lambda measure: measure.symmetric)
@given(st.data())
def test_renaming_classes_permutes_parts_and_changes_no_value(measure, data):
    y, s = data.draw(fitting(measure))
    new = np.array(data.draw(st.permutations(range(y.max() + 1))))
    one, two = ask(measure, y, s), ask(measure, new[y], s if s.ndim == 1 else s[:, np.argsort(new)])
    assert one.value == pytest.approx(two.value, abs=1e-12)
    assert len(one.parts) == len(two.parts)
    parts = sorted(float(part) for part in one.parts.values())
    assert parts == pytest.approx(sorted(float(part) for part in two.parts.values()), abs=1e-12)


@every(lambda measure: measure.rank_based and measure.settings.get("threshold") is None)
@given(st.data())
def test_monotone_transformation_changes_nothing(measure, data):
    y, s = data.draw(fitting(measure))
    steps = np.unique(s)
    rising = np.sort(data.draw(st.lists(st.floats(0, 1), min_size=len(steps), max_size=len(steps), unique=True)))
    assert ask(measure, y, s).value == ask(measure, y, rising[np.searchsorted(steps, s)]).value


@every()
@given(st.data())
def test_integer_weights_are_repetitions(measure, data):
    y, s = data.draw(fitting(measure))
    w = data.draw(weights(y, whole=True)).astype(int)
    weighted = ask(measure, y, s, sample_weight=w)
    assert weighted.value == pytest.approx(ask(measure, np.repeat(y, w), np.repeat(s, w, axis=0)).value, abs=1e-12)


@every(lambda measure: measure.chance is not None and measure.key != "sahiner")  # has no domain then
@given(st.data())
def test_constant_scores_get_the_chance_value(measure, data):
    y, s = data.draw(fitting(measure))
    w = data.draw(st.one_of(st.none(), weights(y)))
    estimate = ask(measure, y, np.full_like(s, 0.25), sample_weight=w)
    assert estimate.value == pytest.approx(estimate.chance, abs=1e-12)


@every()
@given(st.data())
def test_value_and_interval_stay_in_range(measure, data):
    y, s = data.draw(fitting(measure))
    estimate = ask(measure, y, s, sample_weight=data.draw(st.one_of(st.none(), weights(y))))
    low, high = estimate.limits
    for kind in ("guarded", "logit", "wald"):
        interval = estimate.confidence_interval(kind=kind)
        assert low <= interval.low <= estimate.value <= interval.high <= high
        assert interval.high > interval.low
    narrow, wide = estimate.confidence_interval(0.5), estimate.confidence_interval(0.99)
    rounding = 1e-12  # at a limit both ends of both may be that limit
    assert wide.low - rounding <= narrow.low <= narrow.high <= wide.high + rounding


@every()
@given(st.data())
def test_inputs_are_never_modified(measure, data):
    y, s = data.draw(fitting(measure))
    w, groups = data.draw(weights(y)), np.arange(len(y)) // 2
    copies = [array.copy() for array in (y, s, w, groups)]
    for array in (y, s, w, groups):
        array.flags.writeable = False
    ask(measure, y, s, sample_weight=w, groups=groups)
    for array, copy in zip((y, s, w, groups), copies, strict=True):
        assert array.tolist() == copy.tolist()


@every()
@given(st.data())
def test_frequency_weights_are_repetitions_with_their_errors(measure, data):
    y, s = data.draw(fitting(measure))
    w = data.draw(weights(y, whole=True)).astype(int)
    groups = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    options = {"sample_weight": w, "weight_kind": "frequency", "groups": groups}
    estimate = ask(measure, y, s, **options)
    again = None if groups is None else np.repeat(groups, w)
    expected = ask(measure, np.repeat(y, w), np.repeat(s, w, axis=0), groups=again)
    assert estimate.to_dict() == {**expected.to_dict(), "provenance": estimate.provenance.to_dict()}
    np.testing.assert_array_equal(estimate.components, expected.components)


@every()
@given(st.data())
def test_scaling_importance_weights_changes_nothing(measure, data):
    y, s = data.draw(fitting(measure, least=2))
    w = data.draw(weights(y))
    scale = data.draw(st.sampled_from([2.0**-900, 2.0**-20, 2.0**900]))
    result, scaled = (ask(measure, y, s, sample_weight=weight) for weight in (w, scale * w))
    ends = [
        [estimate.value, estimate.standard_error, *estimate.confidence_interval()] for estimate in (result, scaled)
    ]
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-9, atol=1e-12)


@pytest.mark.slow
@every(lambda measure: measure.estimates_prevalence)
@given(st.data())
def test_in_a_cohort_components_are_contributions_to_a_mean_over_all_cases(measure, data):
    y, s = data.draw(fitting(measure, least=2))
    w = data.draw(st.one_of(st.none(), weights(y)))
    groups = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    estimate = ask(measure, y, s, sample_weight=w, groups=groups, sampling="cohort")
    assert np.average(estimate.components, weights=w) == pytest.approx(estimate.value, abs=1e-12)
    assume(not np.isnan(estimate.standard_error))
    expected = naive.cohort_variance(
        y.tolist(),
        estimate.components.tolist(),
        *(None if x is None else np.asarray(x).tolist() for x in (w, groups)),
    )
    assert estimate.standard_error**2 == pytest.approx(expected, rel=1e-9, abs=1e-18)


@every(lambda measure: measure.estimates_prevalence)
@pytest.mark.parametrize("weighted", [False, True])
def test_in_a_cohort_components_are_derivatives_by_weight(measure, weighted):
    """Give a case a little more weight: the value moves by (component - value) / total weight."""
    rng = np.random.default_rng(3)
    y, s = settled(rng, measure, n=37)
    w = rng.exponential(size=len(y)) + 0.5 if weighted else np.ones(len(y))
    estimate = ask(measure, y, s, sample_weight=w)
    h = 1e-4
    for x in range(len(y)):
        moved = [
            ask(measure, y, s, sample_weight=w + step * (np.arange(37) == x), method=None) for step in (h, -h)
        ]
        slope = (moved[0].value - moved[1].value) / (2 * h)
        assert slope * w.sum() == pytest.approx(estimate.components[x] - estimate.value, abs=1e-5)


@every()
def test_the_record_says_whether_the_value_depends_on_the_shares_of_the_classes(measure):
    y, s = settled(np.random.default_rng(12), measure, n=60)
    c = y.max() + 1
    shares = measure(Sample(normalise(y, s, labels=range(c)), "classifier")).shares
    assert (shares is not None) == measure.estimates_prevalence
    w = np.linspace(1.0, 3.0, c)[y]  # other shares, the same distribution in every class
    other = ask(measure, y, s, sample_weight=w, method=None).value
    depends = shares is not None and np.ptp(shares().slopes) > 1e-12  # ova of two classes does not
    assert depends == (abs(other - ask(measure, y, s, method=None).value) > 1e-12)


@every(lambda measure: not measure.estimates_prevalence)
@given(st.data())
def test_how_cases_were_sampled_changes_nothing_else(measure, data):
    y, s = data.draw(fitting(measure))
    one, two = (ask(measure, y, s, sampling=sampling) for sampling in ("cohort", "case-control"))
    assert {**one.to_dict(), "provenance": None} == {**two.to_dict(), "provenance": None}


@every()
@given(st.data())
def test_standard_error_is_made_of_the_components(measure, data):
    y, s = data.draw(fitting(measure, least=2))
    w = data.draw(st.one_of(st.none(), weights(y)))
    if w is not None and measure.estimates_prevalence:  # weights that vary within a class add a part of their own
        w = (1.0 + np.arange(y.max() + 1))[y]
    groups = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    estimate = ask(measure, y, s, sample_weight=w, groups=groups, sampling="case-control")
    assume(not np.isnan(estimate.standard_error))
    involved = ~np.isnan(estimate.components)
    kept = [None if x is None else np.asarray(x)[involved].tolist() for x in (w, groups)]
    expected = naive.variance(y[involved].tolist(), estimate.components[involved].tolist(), *kept)
    assert estimate.standard_error**2 == pytest.approx(expected, rel=1e-9, abs=1e-20)


@every()
@pytest.mark.parametrize("weighted", [False, True])
def test_components_are_derivatives_by_weight(measure, weighted):
    """Give a case a little more weight, keep its class's total: the value moves by (component - mean) / total.

    Those of a partial area come of leaving out a case in full (test_measures.py has their slow twin), those of a
    rate where the other is fixed of a mean slope of the curve. Both are the derivative if a case is a
    small part of the sample, as when all are repeated many times.
    """
    rng = np.random.default_rng(3)
    y, s = settled(rng, measure, n=37)  # so that no end of a range falls on a step of the curve
    w = rng.exponential(size=len(y)) + 0.5 if weighted else np.ones(len(y))
    times = 1000 if measure.key == "partial_auc" else 20_000 if at_fixed_rate(measure) else 1
    many = [np.repeat(column, times, axis=0) for column in (y, s, w)]
    components = ask(measure, *many[:2], sample_weight=many[2], sampling="case-control").components[::times]
    h = 1e-4
    for x in range(len(y)):
        same = (y == y[x]) & ~np.isnan(components)
        moved = []
        for step in (h, -h):
            v = w.copy()
            v[x] += step
            v[y == y[x]] *= w[y == y[x]].sum() / v[y == y[x]].sum()
            moved.append(ask(measure, y, s, sample_weight=v, method=None).value)
        slope = (moved[0] - moved[1]) / (2 * h)
        if not same[x]:
            assert slope == pytest.approx(0, abs=1e-9)
            continue
        centred = components[x] - np.average(components[same], weights=w[same])
        # central differences err by h^2 times a third derivative of order one; leaving out 1 of `times` n cases by
        # a second derivative of that order
        near = 1e-5 if times == 1 else 0.1 / times
        assert slope * w[y == y[x]].sum() == pytest.approx(centred, abs=near)


@pytest.mark.slow
@pytest.mark.parametrize(  # for the others sampling changes nothing, see above
    ("measure", "sampling"),
    [(measure, "case-control") for measure in ALL]
    + [(measure, "cohort") for measure in ALL if measure.estimates_prevalence],
    ids=str,
)
def test_analytic_error_is_close_to_the_bootstrap(measure, sampling):
    rng = np.random.default_rng(4)
    y, s = settled(rng, measure, n=150)
    estimate = ask(measure, y, s, sampling=sampling)
    strata = [np.flatnonzero(y == k) for k in np.unique(y)]
    if sampling == "cohort":
        strata = [np.arange(150)]
    replicates = []
    for _ in range(
        1500 if measure.needs == "forecast" else 400
    ):  # fast ones, whose first 400 are 9 % off by chance
        draw = np.concatenate([rng.choice(cases, size=len(cases)) for cases in strata])
        replicates.append(ask(measure, y[draw], s[draw], method=None).value)
    # 400 replicates know a standard deviation to 3.5 %; first-order variances differ by a few per cent more. The
    # threshold of a fixed rate is a quantile; the bootstrap, too, knows its variance to order n^(-1/4) only.
    near = 0.3 if at_fixed_rate(measure) else 0.12
    assert estimate.standard_error == pytest.approx(np.std(replicates), rel=near)


@every()
def test_results_survive_json_and_pickle(measure):
    y, s = settled(np.random.default_rng(1), measure, n=40)
    estimate = ask(measure, y, s)
    for copy in (
        pr.results.Estimate.from_dict(json.loads(json.dumps(estimate.to_dict()))),
        pickle.loads(pickle.dumps(estimate)),
    ):
        assert copy.to_dict() == estimate.to_dict()
        assert copy.rows() == estimate.rows()
        assert copy.confidence_interval(0.9) == estimate.confidence_interval(0.9)


@every(lambda measure: measure.degree is not None)
def test_components_that_do_not_add_up_are_an_error(measure, monkeypatch):
    """The run-time check passes for the measure, and fails if its components are a little off."""
    rng = np.random.default_rng(5)
    y, s = settled(rng, measure, n=30)
    ask(measure, y, s)
    original = estimation.check_components

    def wrong(measure, sample, statistic):
        strata = tuple(replace(stratum, components=stratum.components + 1e-3) for stratum in statistic.strata())
        original(measure, sample, replace(statistic, strata=lambda: strata))

    monkeypatch.setattr(estimation, "check_components", wrong)
    with pytest.raises(ComponentsError, match=r"components of .* add up to"):
        ask(measure, y, s)
