"""Standard errors of G over cases: cases left out and counted anew, paired fronts, bad input."""

import numpy as np
import pytest
from scipy.stats import kurtosis, t

import naive
import polyroc as pr
from polyroc.errors import InputError
from polyroc.fronts.case_errors import _groups, bias_range, case_errors


@pytest.fixture(scope="module")
def cases():
    rng = np.random.default_rng(1)
    y = np.array(["u", "v", "w"])[np.arange(90) % 3]
    shared = rng.normal(size=(90, 3))
    P = {}
    for name, strength in (("good", 1.6), ("poor", 0.3)):
        z = np.exp(shared + rng.normal(size=(90, 3)) + strength * np.eye(3)[np.arange(90) % 3])
        P[name] = z / z.sum(axis=1, keepdims=True)
    return y, P


@pytest.fixture(scope="module")
def fronts(cases):
    return pr.front(*cases, draws=120, concentration=1.0)


def test_decisions_are_those_of_the_front_and_weights_repeat_cases(cases, fronts):
    y, P = cases
    decided = fronts["good"].decided(y, P["good"])
    assert (decided.counts == fronts["good"].counts).all()
    weight = np.random.default_rng(0).integers(0, 4, size=90)
    order = np.argsort(y, kind="stable")
    codes = np.searchsorted(["u", "v", "w"], y)
    for i in (0, len(decided.decisions) - 1):
        costs = fronts["good"].costs[i].tolist()
        twin = naive.decision_counts(codes.tolist(), P["good"].tolist(), costs, weight.tolist())
        assert decided.counted(weight[order])[i].tolist() == twin


@pytest.mark.slow
def test_errors_over_cases_are_near_those_of_a_plain_bootstrap(cases, fronts):
    """150 resamples, whose standard deviation is known to 6 %, and a little below the jackknife."""
    y, P = cases
    volumes = pr.fronts.front_volumes(fronts, n_points=5000, cases=cases)
    rng, values = np.random.default_rng(3), []
    for _ in range(150):
        rows = np.concatenate([rng.choice(np.flatnonzero(y == k), 30) for k in ("u", "v", "w")])
        values.append(
            [fronts[name].evaluated(y[rows], P[name][rows], n_points=5000).gini.value for name in ("good", "poor")]
        )
    good, poor = np.array(values).T
    assert volumes.standard_error("good") == pytest.approx(good.std(ddof=1), rel=0.3)
    assert volumes.difference("good", "poor").standard_error == pytest.approx((good - poor).std(ddof=1), rel=0.3)
    low, high = volumes.confidence_interval("good")
    assert 0 <= low < volumes.gini("good") < high <= 1


def test_a_table_has_the_interval_over_cases(cases, fronts):
    volumes = pr.fronts.front_volumes(fronts, n_points=500, cases=cases, replicates=30)
    (row, delta, *_) = volumes.rows()
    low, high = volumes.confidence_interval("good")
    assert (row["low"], row["high"]) == (low, high)
    assert (row["standard_error"], row["monte_carlo_error"]) == (
        volumes.standard_error("good"),
        volumes.gini("good").standard_error,
    )
    assert row["standard_error"] != row["monte_carlo_error"]
    assert (delta["measure"], delta["low"]) == ("delta", None)
    names = [column.name for column in volumes.to_table().columns]
    assert names[-5:] == ["value", "std. error", "95 % interval", "Monte Carlo error", "n points"]
    few = pr.fronts.front_volumes(fronts, n_points=20, cases=cases, replicates=30).confidence_interval("good")
    assert few.high - few.low > high - low  # it allows for the error of the random points
    alone = pr.fronts.front_volumes(fronts, n_points=500)
    assert "95 % interval" not in str(alone)
    assert not {"standard_error", "low"} & set(alone.rows()[0])


def two_classes(weight=None):
    """Two fronts of two classes, whose volumes are exact, and their decisions."""
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], (9, 12))
    tables = [np.column_stack([1 - p, p]) for p in np.clip(rng.normal(0.4 + 0.2 * y, 0.2, (2, 21)), 0.01, 0.99)]
    fronts = [pr.front(y, P) for P in tables]
    rows = np.arange(21) if weight is None else np.repeat(np.arange(21), weight)
    return fronts, [front.decided(y[rows], P[rows]) for front, P in zip(fronts, tables, strict=True)], (y, tables)


def left_out(front, y, P):
    """By class, exact G of a front without one case after another, by the rates of its points."""
    volumes = []
    for k in (0, 1):
        kept = [np.delete(np.arange(len(y)), case) for case in np.flatnonzero(y == k)]
        volumes.append(np.array([front.evaluated(y[rows], P[rows]).gini.value for rows in kept]))
    return volumes


def test_errors_are_those_of_the_jackknife_from_its_definition():
    fronts, decided, (y, tables) = two_classes()
    errors = case_errors(decided, 1000, 0)
    assert errors.replicates == 21
    first, second = (left_out(front, y, P) for front, P in zip(fronts, tables, strict=True))
    for (a, b), by_class in {(0, 0): first, (0, 1): [x - z for x, z in zip(first, second, strict=True)]}.items():
        variances = [(len(x) - 1) / len(x) * ((x - x.mean()) ** 2).sum() for x in by_class]
        table = errors.standard_errors if a == b else errors.differences
        assert table[a, b] == pytest.approx(np.sqrt(sum(variances)), rel=1e-12)
        # Satterthwaite: 2 V^2 / Var(V), with the kurtosis of a normal variable if that of the values is less
        relative = [
            max(kurtosis(x, fisher=False) / len(x) - (len(x) - 3) / (len(x) - 1) / len(x), 2 / (len(x) - 1))
            for x in by_class
        ]
        spread = sum(v**2 * r for v, r in zip(variances, relative, strict=True))
        assert errors.degrees_of_freedom[a, b] == pytest.approx(2 * sum(variances) ** 2 / spread, rel=1e-9)


def test_weights_repeat_cases():
    weight = np.random.default_rng(0).integers(1, 4, 21)
    (front, _), (repeated, _), (y, (P, _)) = two_classes(weight)
    scores = pr.Scores(y, P, sample_weight=weight)
    ours, theirs = (case_errors([decided], 1000, 0) for decided in (front.decided(scores), repeated))
    assert ours.replicates == theirs.replicates == weight.sum()
    assert ours.standard_errors[0, 0] == pytest.approx(theirs.standard_errors[0, 0], rel=1e-12)


def test_weights_count_in_fronts_of_families():
    """`polyroc front --family --test` left them out of its standard errors."""
    X, y = np.random.default_rng(0).normal(size=(60, 2)) + np.arange(60)[:, None] % 3, np.arange(60) % 3
    weight = 1 + np.arange(60) % 4
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=3, costs=20, sample_weight=weight)
    assert (front.decided(X, y, weight).counts == front.counts).all()


def test_groups_divide_the_cases(monkeypatch):
    weight = np.array([5, 0, 2, 30])
    groups = list(_groups(weight, 4, np.random.default_rng(0)))
    assert sum(groups).tolist() == weight.tolist()
    assert [int(group.sum()) for group in groups] == [10, 9, 9, 9]
    monkeypatch.setattr("polyroc.fronts.case_errors.MOST_SHUFFLED", 10)
    assert sum(_groups(weight, 4, np.random.default_rng(0))).tolist() == weight.tolist()


def test_halves_of_the_cases_show_a_bias_of_many_points(cases, fronts):
    errors = pr.fronts.front_volumes(fronts, n_points=500, cases=cases, replicates=80).case_errors
    assert (np.diagonal(errors.bias) > 0).all()
    assert bias_range(-0.1) == (pytest.approx(-0.1 * (1 + 2**0.5)), 0.0)


def test_few_errors_are_noted():
    y = np.arange(60) % 3
    P = np.full((60, 3), 0.1) + 0.7 * np.eye(3)[y]
    P[0] = P[1]  # the only error
    tested = pr.fronts.front_volumes(pr.front(y, P, draws=50), n_points=500, cases=(y, P))
    assert "Few errors determine G of classifier" in str(tested)
    assert "Few errors" not in str(pr.fronts.front_volumes(pr.front(y, P, draws=50), n_points=500))


def test_a_class_of_one_case_is_reported():
    y, P = np.array([0, 0, 1]), np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    with pytest.raises(InputError, match="two cases or more of every class"):
        pr.fronts.front_volumes(pr.front(y, P), cases=(y, P))


@pytest.mark.parametrize(("value", "bias"), [(0.2, 0.0), (0.2, 0.05), (0.2, -0.05), (0.05, 0.1), (0.0, 0.0)])
def test_the_test_rejects_what_its_interval_excludes(value, bias):
    test = pr.results.VolumeDifference("a", "b", value, 0.07, 20.0, bias, 0.001)
    level = 1 - test.pvalue
    if level == 0:  # 0 is within the range of the bias
        assert test.confidence_interval(0.01).low < 0 < test.confidence_interval(0.01).high
    else:
        assert min(np.abs(test.confidence_interval(level))) == pytest.approx(0, abs=1e-12)
    if bias == 0:
        by = t(20)
        assert test.pvalue == pytest.approx(2 * by.sf(value / np.sqrt(0.07**2 + 0.001)), rel=1e-9)


def test_errors_are_stored_and_read(fronts, cases):
    volumes = pr.fronts.front_volumes(fronts, n_points=500, cases=cases, replicates=5)
    again = pr.results.FrontVolumes.from_dict(volumes.to_dict())
    assert again.standard_error("good") == volumes.standard_error("good")
    plain = pr.fronts.front_volumes(fronts, n_points=500)
    assert "case_errors" not in plain.to_dict()
    with pytest.raises(InputError, match="give front_volumes the cases="):
        plain.difference("good", "poor")


def test_equal_fronts_do_not_differ(cases, fronts):
    y, P = cases
    same = {"a": fronts["good"], "b": fronts["good"]}
    test = pr.fronts.front_volumes(same, n_points=500, cases=(y, P["good"]), replicates=5).difference("a", "b")
    assert (test.value, test.standard_error, test.pvalue) == (0.0, 0.0, 1.0)


def test_two_classes_and_families_have_errors_too():
    y, p = np.arange(40) % 2, np.random.default_rng(0).random(40)
    P = np.column_stack([1 - p, p])
    assert pr.fronts.front_volumes(pr.front(y, P), cases=(y, P), replicates=10).standard_error("classifier") > 0
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.arange(60)[:, None] % 3
    front = pr.search_front(pr.fronts.LogisticFamily(), X, np.arange(60) % 3, generations=3, costs=20)
    decided = front.decided(X, np.arange(60) % 3)
    assert (decided.counts == front.counts).all()
    assert case_errors([decided], 5, 0).standard_errors.shape == (1, 1)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([1, 2], "must be .y_true, probabilities."),
        ((["u"], {"good": 1}), "lack the probabilities of 'poor'"),
    ],
)
def test_bad_cases_are_reported(fronts, bad, message):
    with pytest.raises(InputError, match=message):
        pr.fronts.front_volumes(fronts, cases=bad)


def test_rates_have_no_rules(cases):
    with pytest.raises(InputError, match="'A' holds rates"):
        pr.fronts.front_volumes({"A": [[0.9, 0.1], [0.4, 0.6]]}, cases=cases)
