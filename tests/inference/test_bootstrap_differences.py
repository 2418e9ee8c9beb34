"""Differences by the bootstrap: intervals of the method's kind, from the replicates of the difference."""

import json

import numpy as np
import pytest
from scipy import stats

import polyroc as pr
from polyroc.errors import SmallClassWarning
from polyroc.estimates.bootstrap_intervals import interval
from polyroc.measures.sample import Sample
from polyroc.validation.scores import normalise

KINDS = ["percentile", "basic", "bca"]
RNG = np.random.default_rng(5)
Y = np.repeat([0, 1], [40, 25])
COMMON = RNG.exponential(size=65)
SCORES = {
    "one": (COMMON + RNG.exponential(size=65) + 0.9 * Y).round(1),
    "two": (COMMON + RNG.exponential(size=65) + 0.3 * Y).round(1),
}


def difference(measure="auc", **options):
    return pr.compare(Y, SCORES, measure=measure, method=pr.methods.Bootstrap(rng=3, **options)).difference(
        "one", "two"
    )


def twice_won(x, z):
    """Twice the number of pairs with x > z, plus the ties, along the last axis: whole numbers, no rounding."""
    x, z = x[..., :, None], z[..., None, :]
    return 2 * (x > z).sum(axis=(-1, -2)) + (x == z).sum(axis=(-1, -2))


def area_difference(positives, negatives, axis=-1):
    """For scipy: two areas, one less the other, of the cases with these numbers."""
    won = [twice_won(score[positives], score[negatives]) for score in SCORES.values()]
    return (won[0] - won[1]) / (2 * positives.shape[-1] * negatives.shape[-1])


@pytest.mark.peer("scipy", "stats.bootstrap: intervals of a paired difference from the same replicates, to 1e-10")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_intervals_of_a_difference_equal_scipy_on_the_same_replicates(kind, level):
    cases = np.flatnonzero(Y == 1), np.flatnonzero(Y == 0)
    theirs = stats.bootstrap(cases, area_difference, n_resamples=999, method=kind, confidence_level=level, rng=1)
    result = difference(replicates=10)
    ours = interval(kind, result.value, theirs.bootstrap_distribution, level, result.resampled.acceleration)
    # the jackknife of a mean over pairs is its influence function, so even BCa agrees but for rounding;
    # a quantile between two replicates amplifies it by their number
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=1e-10)


def paired_accuracies(rng):
    """Three classes, two classifiers that are right on the same cases more often than chance would have it."""
    y = np.repeat([0, 1, 2], [20, 30, 25])
    tables = {name: rng.dirichlet(np.ones(3), size=75) + strength * np.eye(3)[y] for name, strength in
              {"one": 0.7, "two": 0.4}.items()}  # fmt: skip
    right = [(table.argmax(axis=1) == y).astype(float) for table in tables.values()]
    return y, tables, right


@pytest.mark.slow
@pytest.mark.peer("scipy", "stats.bootstrap with paired=True: intervals of a difference of accuracies")
@pytest.mark.parametrize("kind", KINDS)
def test_paired_intervals_agree_with_scipys(kind):
    """Accuracy without strata is a mean over the cases: scipy's paired bootstrap."""
    y, tables, right = paired_accuracies(np.random.default_rng(6))
    theirs = stats.bootstrap(
        right,
        lambda a, b, axis=-1: (a.sum(axis) - b.sum(axis)) / a.shape[axis],
        paired=True,
        n_resamples=4000,
        method=kind,
        rng=2,
    )
    method = pr.methods.Bootstrap(replicates=2000, stratified=False, kind=kind, rng=3)
    result = pr.compare(y, tables, measure="accuracy", method=method).difference("one", "two")
    same = interval(kind, result.value, theirs.bootstrap_distribution, 0.95, result.resampled.acceleration)
    assert same == pytest.approx(tuple(theirs.confidence_interval), abs=1e-10)  # rounding
    # the 2.5 % quantile of 2000 normal replicates is known to sqrt(0.025 x 0.975 / 2000) / phi(1.96) = 0.06
    # standard deviations, for BCa to twice that: allow five times as much, and one case more or less
    error = 5 * 2 * 0.06 * theirs.standard_error + 1 / 75
    assert result.confidence_interval() == pytest.approx(tuple(theirs.confidence_interval), abs=error)
    assert result.standard_error == pytest.approx(theirs.standard_error, rel=5 / (2 * 2000) ** 0.5)


@pytest.mark.parametrize("kind", [*KINDS, "normal"])
def test_intervals_are_made_of_the_paired_replicates(kind):
    result = difference(replicates=300, kind=kind)
    scores = normalise(Y, SCORES, labels=[0, 1])
    drawn = pr.methods.Bootstrap(300, rng=3).resample(pr.measure("auc"), [Sample(scores, name) for name in SCORES])
    steps = drawn[0] - drawn[1]
    assert result.resampled.replicates == tuple(steps.tolist())
    for level in (0.5, 0.9):
        expected = interval(kind, result.value, steps, level, result.resampled.acceleration)
        assert result.confidence_interval(level) == pytest.approx(expected, abs=1e-15)
    assert result.standard_error == pytest.approx(steps.std(ddof=1), rel=1e-12)  # by way of the covariance
    back = result.reversed()
    mirrored = [-end for end in result.confidence_interval()][::-1]
    assert back.confidence_interval() == pytest.approx(mirrored, abs=1e-12)  # quantiles from the other end
    assert back.reversed() == result
    assert len(repr(result)) < 300  # without the replicates


@pytest.mark.parametrize("kind", [*KINDS, "normal"])
def test_p_values_are_inverted_intervals_of_the_same_kind(kind):
    """The interval at the level 1 - p ends at 0, as nearly as quantiles of replicates can tell."""
    pair = difference(replicates=500, kind=kind)
    touching = pair.confidence_interval(1 - pair.pvalue)
    step = np.diff(np.sort(pair.resampled.replicates)).max()
    assert min(map(abs, touching)) <= (1e-8 if kind == "normal" else step)
    assert pair.pvalue >= 1 / 501
    far = pair.z_value(-0.9)
    assert kind == "normal" or 2 * stats.norm.sf(far) == pytest.approx(1 / 501)


def test_intervals_do_not_go_beyond_what_is_possible():
    y, good, bad = [0] * 4 + [1] * 4, [0, 1, 2, 4, 3, 5, 6, 7], [7, 6, 5, 3, 4, 2, 1, 0]
    method = pr.methods.Bootstrap(200, kind="basic", rng=0)
    result = pr.compare(y, {"good": good, "bad": bad}, measure="auc", method=method).difference("good", "bad")
    assert interval("basic", result.value, np.array(result.resampled.replicates)).high > 1
    assert result.confidence_interval().high == 1


def test_identical_classifiers_have_nothing_to_resample():
    comparison = pr.compare(
        Y, {"a": SCORES["one"], "b": SCORES["one"]}, measure="auc", method=pr.methods.Bootstrap(50, rng=0)
    )
    same = comparison.difference("a", "b")
    assert (same.value, same.standard_error, same.pvalue) == (0, 0, 1)
    low, high = same.confidence_interval()
    assert low < 0 < high


def test_the_paired_test_rejects_true_equality_rarely():
    """By BCa it rejected 12 % with 15 cases a class."""
    rng, rejected = np.random.default_rng(8), 0
    y = np.repeat([0, 1], 15)
    for seed in range(150):
        common = rng.normal(size=30) + 2.0 * y
        scores = {name: common + rng.normal(size=30) for name in "ab"}
        pair = pr.compare(y, scores, measure="auc", method=pr.methods.Bootstrap(200, rng=seed)).difference(
            "a", "b"
        )
        rejected += pair.pvalue < 0.05
    assert rejected / 150 <= 0.065


def test_several_classifiers_and_clusters():
    """Groups are drawn whole, and the acceleration is that of groups."""
    groups = np.arange(65) // 2
    three = {**SCORES, "three": COMMON}
    comparison = pr.compare(Y, three, measure="auc", groups=groups, method=pr.methods.Bootstrap(200, rng=1))
    assert len(comparison.differences) == 3
    for (first, second), pair in comparison.differences.items():
        one, two = (comparison.estimates[name].components for name in (first, second))
        moved = np.zeros(65)
        for k in (0, 1):
            moved[k == Y] = (one - two - (one - two)[k == Y].mean())[k == Y] / (k == Y).sum()
        u = np.bincount(groups, moved)
        assert pair.resampled.acceleration == pytest.approx((u**3).sum() / (6 * (u**2).sum() ** 1.5), rel=1e-9)
        low, high = pair.confidence_interval()
        assert low < pair.value < high


# Different cases -------------------------------------------------------------------------------------------------


def test_sets_of_different_cases_are_drawn_independently():
    """The same data twice, as two sets: with one seed for both, all replicates of the difference would be zero."""
    apart = {"one": normalise(Y, SCORES["one"]), "two": normalise(Y, SCORES["one"])}
    comparison = pr.compare(apart, measure="auc", method=pr.methods.Bootstrap(2000, rng=3))
    pair = comparison.difference("one", "two")
    steps = np.array(pair.resampled.replicates)
    # the covariance of independent replicates: five standard errors
    assert (
        abs(np.corrcoef(*(estimate.resampled.replicates for estimate in comparison.estimates.values()))[0, 1])
        < 5 / 2000**0.5
    )
    assert steps.std(ddof=1) == pytest.approx(pair.standard_error, rel=0.1)
    seeds = [estimate.provenance.seed for estimate in comparison.estimates.values()]
    assert seeds[0] == 3 != seeds[1]
    for name, seed in zip(apart, seeds, strict=True):  # each can be had again by itself
        alone = pr.evaluate(apart[name], measure="auc", method=pr.methods.Bootstrap(2000, rng=seed))
        assert alone.resampled == comparison.estimates[name].resampled


@pytest.mark.peer("scipy", "stats.bootstrap: intervals of a difference of areas on different cases")
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_different_cases_agree_with_scipys(kind):
    """Four samples, resampled one by one."""
    x, z = (SCORES["one"][k == Y] for k in (1, 0))
    u, v = (SCORES["two"][k == Y][: 20 + 10 * (1 - k)] for k in (1, 0))
    y = np.repeat([1, 0], [20, 30])

    def step(x, z, u, v, axis=-1):
        pairs, others = x.shape[-1] * z.shape[-1], u.shape[-1] * v.shape[-1]
        return (twice_won(x, z) * others - twice_won(u, v) * pairs) / (2 * pairs * others)

    theirs = stats.bootstrap((x, z, u, v), step, n_resamples=3000, method=kind, rng=2, batch=500)
    apart = {"one": normalise(Y, SCORES["one"]), "two": normalise(y, np.concatenate([u, v]))}
    result = pr.compare(apart, measure="auc", method=pr.methods.Bootstrap(9000, kind=kind, rng=4)).difference(
        "one", "two"
    )
    same = interval(kind, result.value, theirs.bootstrap_distribution, 0.95, result.resampled.acceleration)
    assert same == pytest.approx(tuple(theirs.confidence_interval), abs=1e-10)
    error = 5 * 2 * 0.049 * theirs.standard_error  # as above, for 3000 replicates
    assert result.confidence_interval() == pytest.approx(tuple(theirs.confidence_interval), abs=error)


# Storage, and tiny classes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_comparison_survives_json(kind):
    comparison = pr.compare(Y, SCORES, measure="auc", method=pr.methods.Bootstrap(100, kind=kind, rng=0))
    copy = pr.results.Comparison.from_dict(json.loads(json.dumps(comparison.to_dict())))
    assert copy.to_dict(0.9) == comparison.to_dict(0.9)
    assert copy.difference("two", "one") == comparison.difference("two", "one")
    old = comparison.to_dict()
    for row in old["differences"]:
        row["resampled"] = None  # as written before differences had intervals of their own
    plain = pr.results.Comparison.from_dict(old).difference("one", "two")
    assert plain.resampled is None
    low, high = plain.confidence_interval()
    assert low < plain.value < high


def test_a_class_of_one_case_has_no_error_to_compare_by():
    """Drawn again and again it never varies: no standard error; the interval is that of one case."""
    y, one, two = [0] * 10 + [1], np.arange(11.0), np.append(np.arange(10.0), 2.0)
    with pytest.warns(SmallClassWarning, match="one case only"):
        comparison = pr.compare(
            y, {"one": one, "two": two}, measure="auc", method=pr.methods.Bootstrap(100, rng=0)
        )
    pair = comparison.difference("one", "two")
    assert np.isnan(pair.standard_error)
    assert comparison.pvalue > 0.05
    low, high = pair.confidence_interval()
    assert high - low > 1
    assert pair.resampled is None
