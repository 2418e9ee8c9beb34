"""Every kernel against its slow twin, and against scikit-learn where it has the measure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

import naive
import polyroc as pr
from measure_values import components, value
from polyroc.errors import MeasureError, UndefinedMeasureWarning
from strategies import ordered, probabilities, ranked, weights

# Among the values drawn are numbers that are no probability beside others that are.
pytestmark = pytest.mark.filterwarnings("ignore::polyroc.errors.SuspectInputWarning")

CLOSE = {"rtol": 0, "atol": 1e-12}
RANGES = [(0.0, 1.0), (0.0, 0.1), (0.2, 0.55), (0.9, 1.0)]
DECISIONS = ["accuracy", "macro_average", "ht3", "pairwise_accuracy"]
COSTS, LOG_SHARES = [[0, 1, 2], [3, 0, 1], [9, 4, 0]], np.log([0.5, 0.3, 0.2])
TABLE = ["sensitivity", "specificity", "expected_cost"]


@given(ranked(), st.data())
def test_auc_and_gini(cases, data):
    y, s = cases
    w = data.draw(weights(y))
    ones = np.ones(len(y))
    assert value("auc", y, s) == pytest.approx(naive.auc(y, s, ones), abs=1e-12)
    assert value("auc", y, s, w) == pytest.approx(naive.auc(y, s, w), abs=1e-12)
    assert value("gini", y, s, w) == pytest.approx(2 * naive.auc(y, s, w) - 1, abs=1e-12)
    np.testing.assert_allclose(components("auc", y, s), naive.auc_components(y, s, ones), **CLOSE)
    np.testing.assert_allclose(components("auc", y, s, w), naive.auc_components(y, s, w), **CLOSE)


@given(ranked(), st.data())
@pytest.mark.parametrize("between", RANGES)
@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize("standardised", [True, False])
def test_partial_auc(between, axis, standardised, cases, data):
    y, s = cases
    w = data.draw(st.one_of(st.just(np.ones(len(y))), weights(y)))
    measure = pr.measure("partial_auc", **{axis: between}, standardised=standardised)
    expected = naive.partial_auc(y, s, w, **{axis: between}, standardised=standardised)
    assert value(measure, y, s, w) == pytest.approx(expected, abs=1e-12)
    result, weighty = components(measure, y, s, w), w > 0
    if between == (0.0, 1.0):
        np.testing.assert_allclose(result[weighty], np.array(naive.auc_components(y, s, w))[weighty], **CLOSE)
    slow = naive.partial_auc_components(y, s, w, **{axis: between}, standardised=standardised)
    # differences of values, times the total weight over that of one case
    slack = 1e-11 * w.sum() / w[weighty].min() / (between[1] - between[0])
    np.testing.assert_allclose(result[weighty], np.array(slow, dtype=float)[weighty], rtol=0, atol=slack)
    for k in (0, 1):  # the mean of the components of either class is the value
        assert np.average(result[y == k], weights=w[y == k]) == pytest.approx(expected, abs=slack)


@given(probabilities(), st.data())
def test_hand_till_and_its_parts(cases, data):
    y, P = cases
    w = data.draw(st.one_of(st.just(None), weights(y)))
    v = np.ones(len(y)) if w is None else w
    c = P.shape[1]
    estimate = pr.evaluate(y, P, measure="hand_till", labels=range(c), sample_weight=w, method=None)
    assert estimate.value == pytest.approx(naive.hand_till(y, P, v), abs=1e-12)
    np.testing.assert_allclose(estimate.components, naive.hand_till_components(y, P, v), **CLOSE)
    for i in range(c):
        for j in range(c):
            if i != j:
                both = (naive.a_given(y, P, v, i, j) + naive.a_given(y, P, v, j, i)) / 2
                one = estimate.parts[f"A({i}|{j})"]
                assert float(one) == pytest.approx(naive.a_given(y, P, v, i, j), abs=1e-12)
                assert np.isnan(one.components).tolist() == [k not in (i, j) for k in y]
                if i < j:
                    assert float(estimate.parts[f"A({i},{j})"]) == pytest.approx(both, abs=1e-12)


@given(probabilities(), st.data())
def test_ova_and_its_parts(cases, data):
    y, P = cases
    w = data.draw(st.one_of(st.just(None), weights(y)))
    v = np.ones(len(y)) if w is None else w
    estimate = pr.evaluate(y, P, measure="ova", labels=range(P.shape[1]), sample_weight=w, method=None)
    assert estimate.value == pytest.approx(naive.ova(y, P, v), abs=1e-12)
    for i, (key, part) in enumerate(estimate.parts.items()):
        assert key == str(i)
        assert float(part) == pytest.approx(naive.one_versus_all(y, P, v, i), abs=1e-12)
        against_rest = naive.auc_components([int(k == i) for k in y], P[:, i], v)
        np.testing.assert_allclose(part.components, against_rest, **CLOSE)


@given(ordered(), st.data())
def test_vus(cases, data):
    y, s = cases
    w = data.draw(st.one_of(st.just(None), weights(y)))
    v = np.ones(len(y)) if w is None else w
    assert value("vus", y, s, w) == pytest.approx(naive.vus(y, s, v), abs=1e-12)
    np.testing.assert_allclose(components("vus", y, s, w), naive.vus_components(y, s, v), **CLOSE)
    if len(set(y.tolist())) == 2:
        assert value("vus", y, s, w) == pytest.approx(value("auc", y, s, w), abs=1e-12)


@pytest.mark.parametrize("key", DECISIONS)
@given(probabilities(), st.data())
def test_decisions(key, cases, data):
    y, P = cases
    w = data.draw(st.one_of(st.just(None), weights(y)))
    v = np.ones(len(y)) if w is None else w
    assert value(key, y, P, w) == pytest.approx(getattr(naive, key)(y, P, v), abs=1e-12)


@given(probabilities(c=3))
def test_decisions_given_as_labels_are_one_column_of_ones(cases):
    y, P = cases
    decisions = P.argmax(axis=1)
    names = np.array(["x", "y", "z"])
    for key in DECISIONS:
        expected = getattr(naive, key)(y, np.eye(3)[decisions], np.ones(len(y)))
        assert value(key, y, decisions.astype(float)) == pytest.approx(expected, abs=1e-12)
        named = pr.evaluate(names[y], names[decisions], measure=key, labels=names, method=None)
        assert float(named) == pytest.approx(expected, abs=1e-12)


@given(ranked(), st.data())
def test_table_at_a_threshold(cases, data):
    y, s = cases
    w = data.draw(weights(y))
    t = float(data.draw(st.sampled_from(s.tolist())))
    for key in TABLE:
        expected = getattr(naive, key)(y, s, w, t)
        assert value(f"{key}(threshold={t!r})", y, s, w) == pytest.approx(expected, abs=1e-12)
    assert value(f"expected_cost(threshold={t!r}, false_positive=3.0, false_negative=0.5)", y, s, w) == (
        pytest.approx(naive.expected_cost(y, s, w, t, 3.0, 0.5), abs=1e-12)
    )
    tp, fn, fp, tn = naive.table(y, s, w, t)
    if tp + fp > 0:
        assert value(f"ppv(threshold={t!r})", y, s, w) == pytest.approx(tp / (tp + fp), abs=1e-12)
    if tn + fn > 0:
        assert value(f"npv(threshold={t!r})", y, s, w) == pytest.approx(tn / (tn + fn), abs=1e-12)


@given(probabilities(), st.data())
def test_costs_of_any_number_of_classes(cases, data):
    y, P = cases
    w, c = data.draw(weights(y)), P.shape[1]
    whole = st.lists(st.integers(0, 9), min_size=c, max_size=c)
    costs = np.array(data.draw(st.lists(whole, min_size=c, max_size=c))) * (1 - np.eye(c, dtype=int))
    costs[0, 1] += not costs.any()
    priors = data.draw(st.one_of(st.none(), whole.filter(any)))
    priors = None if priors is None else (np.array(priors) / sum(priors)).tolist()
    decided, bayes = P.argmax(axis=1), naive.bayes_decisions(y, P, w, costs.tolist(), priors)
    options = {"costs": costs, "priors": priors}
    for rule, chosen in ((None, decided), ("bayes", bayes)):
        measure = pr.measure("expected_cost", **options, rule=rule)
        given_as_labels = value(pr.measure("expected_cost", **options), y, np.eye(c)[chosen], w)
        twin = naive.cost_of_decisions(y, chosen, w, costs.tolist(), priors)
        assert given_as_labels == pytest.approx(twin, abs=1e-9)
        if rule is not None or (P.max(axis=1, keepdims=True) == P).sum() == len(P):
            assert value(measure, y, P, w) == pytest.approx(twin, abs=1e-9)


@pytest.mark.filterwarnings("ignore::polyroc.errors.MiscalibrationWarning")
def test_costs_are_those_of_operate_and_of_a_rule():
    rng = np.random.default_rng(8)
    y = np.repeat([0, 1, 2], 20)
    P = rng.dirichlet([1, 1, 1], 60) + 0.5 * np.eye(3)[y]
    P /= P.sum(axis=1, keepdims=True)
    terms = {"costs": {(2, 0): 9, (0, 1): 2}, "priors": [0.5, 0.3, 0.2]}
    for calibrated in (True, False):
        chosen = pr.operate(y, P, **terms, calibrated=calibrated, evaluate_on=(y, P))
        measure = pr.measure("expected_cost", **terms, rule="bayes" if calibrated else chosen.rule)
        again = pr.measure(str(measure))  # its text is read back
        for estimate in (pr.evaluate(y, P, measure=measure), pr.evaluate(y, P, measure=again)):
            assert estimate.value == pytest.approx(chosen.expected_cost, abs=1e-12)
            assert estimate.standard_error == pytest.approx(chosen.cost.standard_error, abs=1e-12)


def test_costs_of_two_classes_are_those_of_the_two_errors():
    y, s = np.array([0, 0, 0, 1, 0, 1, 1, 1]), np.array([0.1, 0.2, 0.7, 0.4, 0.3, 0.6, 0.9, 0.8])
    wide = pr.measure("expected_cost", costs=[[0, 2], [5, 0]], priors=[0.9, 0.1], threshold=0.5)
    plain = pr.measure("expected_cost", threshold=0.5, prevalence=0.1, false_positive=2, false_negative=5)
    one, other = (pr.evaluate(y, s, measure=measure) for measure in (wide, plain))
    assert (one.value, one.standard_error) == (other.value, other.standard_error)
    by_bayes = pr.evaluate(y, s, measure=pr.measure("expected_cost", costs=[[0, 2], [5, 0]], rule="bayes"))
    at_odds = pr.evaluate(y, s, measure=f"expected_cost(threshold={2 / 7}, false_positive=2, false_negative=5)")
    assert (by_bayes.value, by_bayes.standard_error) == (at_odds.value, at_odds.standard_error)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [None, "bayes"])
@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_interval_of_costs_holds_them_and_the_paired_test_has_its_size(rule, priors):
    """1,000 cohorts of 150 cases; two classifiers of equal cost. Bounds: 3.5 binomial standard errors."""
    rng, measure = np.random.default_rng(1), pr.measure("expected_cost", costs=COSTS, priors=priors, rule=rule)

    def cohort(n):
        y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
        x = np.eye(3)[y] + rng.normal(size=(n, 3))
        return y, {name: softmax(x + 0.7 * rng.normal(size=(n, 3)) + LOG_SHARES, axis=1) for name in "ab"}

    y, P = cohort(200_000)
    truth = float(pr.evaluate(y, P["a"], measure=measure, method=None))
    covered = significant = 0
    for _ in range(1000):
        y, P = cohort(150)
        compared = pr.compare(y, P, measure=measure)
        low, high = compared.estimates["a"].confidence_interval()
        covered += low <= truth <= high
        significant += compared.difference("a", "b").pvalue < 0.05
    # Bayes' rule for other priors makes few of the errors that cost most: intervals allow for unseen ones
    assert 0.95 - 0.025 < covered / 1000 < (0.98 if rule is None or priors is None else 1)
    assert significant / 1000 < 0.05 + 0.025


def test_predictive_value_at_another_prevalence_is_bayes_rule():
    y, s = [0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8]  # at 4: sensitivity 1, specificity 3/4
    estimate = pr.evaluate(y, s, measure="ppv(threshold=4, prevalence=0.1)")
    assert estimate.value == pytest.approx(0.1 / (0.1 + 0.9 * 0.25))


def test_predictive_value_of_no_call_is_undefined():
    with pytest.warns(UndefinedMeasureWarning, match=r"No case was called '1'.*change the threshold"):
        estimate = pr.evaluate([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], measure="ppv(threshold=9)")
    assert np.isnan(estimate.value)
    assert np.isnan(estimate.confidence_interval()).all()


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(5)
    y = rng.choice(4, p=[0.1, 0.2, 0.3, 0.4], size=3000)
    P = rng.dirichlet(np.ones(4), size=3000).round(2) + 0.5 * np.eye(4)[y]
    P /= P.sum(axis=1, keepdims=True)
    return y, P, rng.exponential(size=3000)


@pytest.mark.peer(
    "scikit-learn", "roc_auc_score (ovo, ovr), accuracy_score, balanced_accuracy_score; weighted; to 1e-12"
)
def test_scikit_learn_agrees_for_many_classes(many):
    y, P, w = many
    assert value("hand_till", y, P) == pytest.approx(roc_auc_score(y, P, multi_class="ovo"), abs=1e-12)
    assert value("ova", y, P) == pytest.approx(roc_auc_score(y, P, multi_class="ovr"), abs=1e-12)
    weighted = roc_auc_score(y, P, multi_class="ovr", sample_weight=w)
    assert value("ova", y, P, w) == pytest.approx(weighted, abs=1e-12)
    decisions = P.argmax(axis=1)
    assert value("accuracy", y, decisions, w) == pytest.approx(
        accuracy_score(y, decisions, sample_weight=w), abs=1e-12
    )
    assert value("macro_average", y, decisions) == pytest.approx(balanced_accuracy_score(y, decisions), abs=1e-12)


@pytest.mark.peer("scikit-learn", "roc_auc_score, with sample_weight and with max_fpr, to 1e-12")
def test_scikit_learn_agrees_for_two_classes(many):
    y, P, w = many
    y, s = (y > 1).astype(int), P[:, 2]
    assert value("auc", y, s) == pytest.approx(roc_auc_score(y, s), abs=1e-12)
    assert value("auc", y, s, w) == pytest.approx(roc_auc_score(y, s, sample_weight=w), abs=1e-12)
    for high in (0.05, 0.5):
        expected = roc_auc_score(y, s, max_fpr=high, sample_weight=w)
        assert value(f"partial_auc(fpr=(0, {high}))", y, s, w) == pytest.approx(expected, abs=1e-12)


@given(probabilities(c=2))
def test_two_classes_make_everything_the_auc(cases):
    y, P = cases
    p = np.round(16 * P[:, 1]) / 16  # so that 1 - p ties where p does
    P = np.column_stack([1 - p, p])
    assert value("hand_till", y, P) == pytest.approx(value("auc", y, P[:, 1]), abs=1e-12)
    assert value("ova", y, P) == pytest.approx(value("auc", y, P), abs=1e-12)


@given(st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_equal_class_sizes_make_ova_hand_till(size, seed):
    y = np.repeat([0, 1, 2], size + 1)
    P = np.random.default_rng(seed).integers(0, 5, size=(len(y), 3)) / 4
    by_key = {key: pr.evaluate(y, P, measure=key, sampling="case-control") for key in ("ova", "hand_till")}
    assert by_key["ova"].value == pytest.approx(by_key["hand_till"].value, abs=1e-12)
    assert by_key["ova"].standard_error == pytest.approx(by_key["hand_till"].standard_error, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("hand_til", r"no measure 'hand_til'; did you mean 'hand_till'\?"),
        ("zzz", r"no measure 'zzz'; known: .*auc, gini"),
        ("partial_auc(fpr=(0.5, 0.2))", r"fpr must be \(low, high\), 0 <= low < high <= 1, got \(0.5, 0.2\)"),
        ("partial_auc(fpr=0.1)", r"needs a range such as fpr=\(0, 0.1\), got 0.1"),
        ("partial_auc(fpr=(0, 1), tpr=(0, 1))", r"fpr or of tpr, got both"),
        ("partial_auc(frp=(0, 0.1))", r"has no option 'frp'; known: fpr, tpr, standardised"),
        ("auc(x=1)", r"auc has no option 'x'; known: none"),
        ("auc(", r"Cannot read the measure 'auc\('; write it like partial_auc\(fpr=\(0, 0.1\)\)"),
        ("auc(__import__('os'))", r"Cannot read the measure"),
        ("sensitivity(threshold='high')", r"threshold must be a number, got 'high'"),
        ("ppv(threshold=1, prevalence=2)", r"prevalence must be a number from 0 to 1, got 2"),
        ("expected_cost(threshold=1, false_positive=-1)", r"false_positive must be a number"),
        ("expected_cost(costs=[[0, 1], [1, 0]], rule='best')", "rule must be a Rule, its"),
        ("expected_cost(costs=[[0, 1], [1, 0]], prevalence=0.2)", "no option 'prevalence'; known: costs"),
    ],
)
def test_what_cannot_be_requested(options, message):
    with pytest.raises(MeasureError, match=message):
        pr.evaluate([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], measure=options)


@pytest.mark.parametrize(
    ("s", "options", "message"),
    [
        (np.eye(3), "", r"is for 2 classes, here 3; for more classes give costs, such as expected_cost\(costs="),
        (np.eye(3), "(costs=[[0, 1], [1, 0]])", r"costs must have 3 rows .* got shape \(2, 2\)"),
        (np.eye(3), "(costs=[[0, 1, 1], [1, 0, -1], [1, 1, 0]])", "costs must not be negative, but 1 called 2"),
        (np.eye(3), "(costs={(0, 7): 1})", "costs names 7, which is not one of the classes"),
        (np.eye(3), "(priors=[0.5, 0.5])", "priors must hold one probability per class"),
        (np.eye(3), "(costs={(0, 1): 2}, threshold=0.5)", "is for 2 classes, here 3"),
        (3 * np.eye(3), "(rule='bayes')", "Bayes' rule needs probabilities, but values are from 0 to 3"),
        (np.array([0, 1, 2]), "(rule='bayes')", "Bayes' rule needs probabilities: one column per class"),
    ],
)
def test_bad_costs(s, options, message):
    with pytest.raises(pr.errors.PolyrocError, match=message):
        pr.evaluate([0, 1, 2], s, labels=[0, 1, 2], measure=f"expected_cost{options}")
