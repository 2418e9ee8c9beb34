"""The bootstrap: resamples as weights against resamples written out, and intervals against scipy and by hand."""

import os
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import polyroc as pr
from polyroc.datasets import Binormal
from polyroc.errors import InputError, PolyrocWarning
from polyroc.estimates.bootstrap_intervals import acceleration, interval, standard_error
from polyroc.estimates.interval_names import interval_name
from polyroc.estimates.intervals import interval as guarded
from polyroc.inference.methods import resamples
from polyroc.inference.methods.bootstrap import Bootstrap
from polyroc.kernels.resamples import tally
from polyroc.measures.registry import MEASURES
from polyroc.measures.sample import Sample
from polyroc.validation.random import count_workers
from polyroc.validation.scores import as_scores
from strategies import at_most, fitting, weights

QUICK = ["auc", "gini", "hand_till", "ova"]
KEYS = [
    # net_benefit needs a threshold; on drawn data the domain of sahiner is mostly empty, see test_threeway
    *(key for key in MEASURES if key not in ("net_benefit", "sahiner")),
    "partial_auc(tpr=(0.4, 0.9))",
    "ppv(threshold=0.5)",
    "npv(threshold=0.5, prevalence=0.2)",
]
KINDS = ["percentile", "basic", "bca", "normal"]


def samples(y, s, **options):
    """One sample per classifier; classes are numbered 0 .. c-1, the last of two positive."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyrocWarning)
        scores = as_scores(np.asarray(y), s, labels=range(int(np.max(y)) + 1), **options)
    return [Sample(scores, classifier) for classifier in scores.classifiers]


def value(key, y, s, **options):
    return float(pr.evaluate(y, s, measure=key, method=None, labels=range(int(np.max(y)) + 1), **options))


def counts_drawn(sample, stratified, seed, size):
    """How often each case is drawn in the first chunk, in the order of the cases."""
    urn = resamples._Urn(sample, stratified)
    urn.weight = None
    counts = np.empty((size, len(sample.values)), dtype=int)
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])
    counts[:, resamples._grouped(sample)] = urn.draw(rng, size)
    return counts


def settled_data(rng, n, c):
    """A sample with ties and classes of different sizes; scores for two classes, a column per class for more."""
    y = np.sort(rng.choice(c, p=[0.3, 0.7] if c == 2 else [0.2, 0.3, 0.5], size=n))
    P = (rng.dirichlet(np.ones(c), size=n) + 0.6 * np.eye(c)[y]).round(2) / 2
    return y, P


def drawn(data, key):
    """Data that fit the measure, with or without weights and groups."""
    y, s = data.draw(fitting(pr.measure(key)))
    options = {"sample_weight": data.draw(st.one_of(st.none(), weights(y)))}
    some = st.lists(st.integers(0, 4), min_size=len(y), max_size=len(y))
    return y, s, {**options, "groups": data.draw(st.one_of(st.none(), some))}


# Replicates ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("key", KEYS)
@at_most(25)
@given(data=st.data(), stratified=st.booleans(), seed=st.integers(0, 100))
def test_replicates_are_the_measure_on_resampled_data(key, data, stratified, seed):
    y, s, options = drawn(data, key)
    (sample,) = samples(y, s, **options)
    replicates = Bootstrap(4, stratified, rng=seed).resample(pr.measure(key), [sample])
    assert replicates.shape == (1, 4)
    w = options["sample_weight"]
    for count, replicate in zip(counts_drawn(sample, stratified, seed, 4), replicates[0], strict=True):
        rows = np.repeat(np.arange(len(y)), count)
        if len(set(y[rows])) < len(set(y)):
            assert np.isnan(replicate)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PolyrocWarning)
            expected = value(key, y[rows], s[rows], sample_weight=None if w is None else w[rows])
        # a dozen cases: sums of a dozen terms of order one, so rounding stays far below 1e-12
        assert replicate == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("key", QUICK)
@pytest.mark.parametrize("options", ["plain", "weighted", "grouped"])
def test_quick_ways_equal_the_general_way(key, options):
    rng = np.random.default_rng(1)
    y, P = settled_data(rng, 400, 2 if key in ("auc", "gini") else 3)
    more = {
        "plain": {},
        "weighted": {"sample_weight": rng.exponential(size=400) * (rng.random(400) < 0.8)},
        "grouped": {"groups": rng.integers(0, 60, size=400)},
    }
    (sample,) = samples(y, P, **more[options])
    weight = resamples._Urn(sample, stratified=True).draw(rng, 20)
    totals = np.stack([block.sum(axis=1) for block in np.split(weight, sample.starts[1:-1], axis=1)], axis=1)
    quick = resamples.value_evaluator(pr.measure(key), sample)(weight, totals)
    general = resamples.value_evaluator(pr.measure(key).without_capabilities(), sample)(weight, totals)
    # 400 weights added up in two orders: relative rounding of 400 x 1.1e-16 at most
    np.testing.assert_allclose(quick, general, rtol=0, atol=1e-12)


def test_a_single_column_and_two_columns_give_the_same_area():
    y, P = settled_data(np.random.default_rng(2), 100, 2)
    one, two = (Bootstrap(50, rng=3).resample(pr.measure("auc"), samples(y, s))[0] for s in (P[:, 1], P))
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize("key", ["auc", "hand_till", "accuracy", "partial_auc"])
def test_the_number_of_workers_does_not_matter(key):
    y, P = settled_data(np.random.default_rng(3), 600, 2)
    n = 3 * resamples.CHUNK_REPLICATES + 7  # several chunks, the last one short
    result = [Bootstrap(n, rng=5, n_jobs=jobs).resample(pr.measure(key), samples(y, P)) for jobs in (1, 2, None)]
    assert result[0].shape == (1, n)
    assert all(np.array_equal(replicates, result[0]) for replicates in result[1:])
    assert len(np.unique(result[0])) > n / 10  # no chunk repeats another


def test_seeds_and_generators():
    y, P = settled_data(np.random.default_rng(4), 80, 3)

    def draw(rng):
        return Bootstrap(20, rng=rng).resample(pr.measure("hand_till"), samples(y, P)).tolist()

    assert draw(1) == draw(np.int64(1)) != draw(2)
    assert draw(None) != draw(None)
    one, two = np.random.default_rng(7), np.random.default_rng(7)
    first, second = draw(one), draw(one)
    assert first != second
    assert [draw(two), draw(two)] == [first, second]


def test_a_seeded_method_draws_the_same_again():
    y, P = settled_data(np.random.default_rng(4), 80, 3)
    for rng in (None, 3, np.random.default_rng(3)):
        method = Bootstrap(20, rng=rng).seeded()
        assert isinstance(method.rng, int)
        assert 0 <= method.rng < 2**53  # exact in JSON
        one, two = (method.resample(pr.measure("ova"), samples(y, P)).tolist() for _ in range(2))
        assert one == two
    assert Bootstrap(rng=3).seeded() == Bootstrap(rng=3)


def test_classifiers_are_resampled_together():
    y, P = settled_data(np.random.default_rng(5), 90, 3)
    several = samples(y, {"a": P, "b": np.roll(P, 1, axis=1), "c": P})
    replicates = Bootstrap(40, rng=6).resample(pr.measure("hand_till"), several)
    assert replicates[0].tolist() == replicates[2].tolist() != replicates[1].tolist()
    alone = Bootstrap(40, rng=6).resample(pr.measure("hand_till"), [several[1]])
    assert replicates[1].tolist() == alone[0].tolist()


# What is drawn ---------------------------------------------------------------------------------------------------


@given(st.data())
def test_what_is_drawn(data):
    y, s, options = drawn(data, "hand_till")
    (sample,) = samples(y, s, **options)
    w, groups = sample.scores.sample_weight, sample.scores.groups
    counted = np.ones(len(y), dtype=bool) if w is None else w > 0
    for stratified in (True, False):
        counts = counts_drawn(sample, stratified, 0, 5)
        assert not counts[:, ~counted].any()
        if groups is not None:  # whole groups, as many as there are
            firsts = [np.flatnonzero(counted & (groups == g))[0] for g in np.unique(groups[counted])]
            assert (counts[:, firsts].sum(axis=1) == len(firsts)).all()
            for g, first in zip(np.unique(groups[counted]), firsts, strict=True):
                assert (counts[:, counted & (groups == g)] == counts[:, [first]]).all()
        elif stratified:
            for k in range(sample.classes):
                assert (counts[:, y == k].sum(axis=1) == counted[y == k].sum()).all()
        else:
            assert (counts.sum(axis=1) == counted.sum()).all()


def test_every_case_is_drawn_as_often_as_any_other():
    (sample,) = samples([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
    for stratified in (True, False):
        counts = counts_drawn(sample, stratified, 1, 20_000)
        # the count of a case has mean 1 and variance below 1: five standard errors of the mean of 20,000
        assert counts.mean(axis=0) == pytest.approx(np.ones(5), abs=5 / 20_000**0.5)
        size = 3 if stratified else 5
        assert counts[:, 0].var() == pytest.approx(1 - 1 / size, abs=0.06)  # binomial; var(count^2) < 4


def test_tally_counts():
    counts = np.zeros((2, 5), dtype=np.int32)
    tally(np.array([[0, 0, 2], [1, 1, 1]], dtype=np.int32), 2, counts)
    assert counts.tolist() == [[0, 0, 2, 0, 1], [0, 0, 0, 3, 0]]


def test_a_class_that_is_not_drawn_gives_nan():
    y, s = [0] * 9 + [1], [*range(5), *range(5)]
    (sample,) = samples(y, s)
    n = 4000
    missing = np.isnan(Bootstrap(n, stratified=False, rng=1).resample(pr.measure("auc"), [sample])[0])
    expected = 0.9**10  # the one positive is not drawn in ten draws; five standard errors of the share
    assert missing.mean() == pytest.approx(expected, abs=5 * (expected * (1 - expected) / n) ** 0.5)
    assert not np.isnan(Bootstrap(200, rng=1).resample(pr.measure("auc"), [sample])).any()
    (whole_class,) = samples(y, s, groups=[0] * 9 + [1])  # two groups: half of the draws take one of them twice
    missing = np.isnan(Bootstrap(n, rng=1).resample(pr.measure("auc"), [whole_class])[0])
    assert missing.mean() == pytest.approx(0.5, abs=5 * 0.5 / n**0.5)


def test_an_undefined_replicate_is_nan_without_a_warning():
    (sample,) = samples([0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1])
    replicates = Bootstrap(1000, True, rng=1).resample(pr.measure("ppv(threshold=1)"), [sample])[0]
    expected = (2 / 3) ** 3  # the only case called positive is not drawn
    assert np.isnan(replicates).mean() == pytest.approx(
        expected, abs=5 * (expected * (1 - expected) / 1000) ** 0.5
    )
    assert np.nanmin(replicates) == 1.0


def test_a_class_without_cases_gives_nan_only():
    scores = as_scores([0, 0, 1, 1], np.full((4, 3), 0.2), labels=[0, 1, 2])
    replicates = Bootstrap(5, rng=0).resample(pr.measure("hand_till"), [Sample(scores, scores.classifiers[0])])
    assert np.isnan(replicates).all()


def test_samples_with_other_weights_share_the_sort():
    y, P = settled_data(np.random.default_rng(8), 60, 3)
    w = np.random.default_rng(9).exponential(size=60)
    (plain,), (weighted,) = samples(y, P), samples(y, P, sample_weight=w)
    plain.once(pr.measure("hand_till"))  # what was made with the old weights must not be found again
    other = plain.reweighted(w)
    assert other._blocks is plain._blocks
    assert other.totals.tolist() == weighted.totals.tolist()
    for key in ("hand_till", "accuracy"):
        assert pr.measure(key)(other).value == pr.measure(key)(weighted).value
    assert plain.weight is None


# Standard errors -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("key", ["auc", "hand_till", "ova", "accuracy", "partial_auc(fpr=(0, 0.5))", "ht3"])
@pytest.mark.parametrize("options", ["plain", "weighted", "grouped"])
def test_the_standard_error_is_close_to_delong(key, options):
    rng = np.random.default_rng(11)
    y, P = settled_data(rng, 300, pr.measure(key).classes[1] or 3)
    more = {
        "plain": {},
        "weighted": {"sample_weight": rng.uniform(0.5, 2, size=300)},
        "grouped": {"groups": rng.permutation(300) // 3},  # classes mixed inside the groups
    }[options]
    several = samples(y, P, **more)
    result = standard_error(Bootstrap(1500, rng=12).resample(pr.measure(key), several)[0])
    error = pr.evaluate(y, P, measure=key, **more).standard_error
    # 1500 replicates know a standard deviation to 1.8 %; first-order variances differ by a few per cent more,
    # and drawing groups lets the class sizes vary, which accuracy and one-versus-all feel
    assert result == pytest.approx(error, rel=0.15 if options == "grouped" else 0.1)


def test_the_standard_error_leaves_out_what_is_undefined():
    assert standard_error(np.array([1.0, np.nan, 3.0])) == pytest.approx(2**0.5, rel=1e-15)  # one rounded root
    assert np.isnan(standard_error(np.array([np.nan, 1.0])))


# Intervals -------------------------------------------------------------------------------------------------------


def area(x, z, axis=-1):
    """For scipy: the share of pairs with x > z, ties one half, along the last axis."""
    x, z = x[..., :, None], z[..., None, :]
    return (x > z).mean(axis=(-1, -2)) + (x == z).mean(axis=(-1, -2)) / 2


def two_samples(rng, n=(25, 40)):
    return rng.exponential(size=n[0]).round(1) + 0.6, rng.exponential(size=n[1]).round(1)


def influence(x, z):
    """(component - class mean) / (class size), class by class."""
    estimate = pr.evaluate(np.repeat([1, 0], [len(x), len(z)]), np.concatenate([x, z]), measure="auc")
    parts = np.split(estimate.components, [len(x)])
    return estimate.value, np.concatenate([(part - part.mean()) / len(part) for part in parts])


@pytest.mark.peer(
    "scipy", "stats.bootstrap: percentile, basic and BCa intervals from the same replicates, to 1e-10"
)
@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_intervals_equal_scipy_on_the_same_replicates(kind, level):
    x, z = two_samples(np.random.default_rng(21))
    theirs = stats.bootstrap((x, z), area, n_resamples=999, method=kind, confidence_level=level, rng=1)
    result, u = influence(x, z)
    ours = interval(kind, result, theirs.bootstrap_distribution, level, acceleration(u))
    # the jackknife of a mean over pairs is its influence function, so even BCa agrees but for rounding;
    # a quantile between two replicates amplifies it by their number
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=1e-10)


@pytest.mark.peer(
    "scipy", "stats.bootstrap: the BCa interval of an area of 0.986, if its ties are exact, to 1e-10"
)
def test_bca_of_a_high_area_is_scipys_if_ties_are_ties():
    """A mean of placements equals the area but for rounding; to scipy these are no ties, and its ends move."""

    def placements(x, z, axis=-1):
        pairs = x[..., :, None] - z[..., None, :]
        return ((pairs > 0) + 0.5 * (pairs == 0)).mean(axis=-1).mean(axis=-1)

    y, s = Binormal(3.0).sample((25, 35), rng=21)
    x, z = s[y == 1], s[y == 0]
    result, u = influence(x, z)
    exact, rounded = (
        stats.bootstrap(
            (x, z),
            statistic,
            method="BCa",
            n_resamples=5000,
            vectorized=True,
            batch=500,
            rng=np.random.default_rng(0),
        )
        for statistic in (area, placements)
    )
    for theirs in (exact, rounded):
        ours = interval("bca", result, theirs.bootstrap_distribution, 0.95, acceleration(u))
        assert ours == pytest.approx(tuple(exact.confidence_interval), abs=1e-10)
    assert exact.confidence_interval.high < 0.9995 < rounded.confidence_interval.high


@pytest.mark.peer(
    "scipy", "stats.bootstrap: intervals and standard error from other replicates, within Monte Carlo error"
)
@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
def test_intervals_agree_with_scipy_within_monte_carlo_error(kind):
    x, z = two_samples(np.random.default_rng(22))
    result, u = influence(x, z)
    theirs = stats.bootstrap((x, z), area, n_resamples=4000, method=kind, rng=2, batch=500)
    several = samples(np.repeat([1, 0], [len(x), len(z)]), np.concatenate([x, z]))
    drawn = Bootstrap(20_000, rng=3).resample(pr.measure("auc"), several)[0]
    # the 2.5 % quantile of 4000 normal replicates has a standard error of
    # sqrt(0.025 x 0.975 / 4000) / phi(1.96) = 0.042 standard deviations, for BCa about twice that: allow five
    error = 5 * 2 * 0.042 * theirs.standard_error
    ours = interval(kind, result, drawn, 0.95, acceleration(u))
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=error)
    assert standard_error(drawn) == pytest.approx(theirs.standard_error, rel=5 / (2 * 4000) ** 0.5)


def test_percentile_basic_and_normal_by_hand():
    even = np.linspace(0, 1, 1001)  # the quantile at p is p
    assert interval("percentile", 0.4, even, 0.9) == pytest.approx((0.05, 0.95), abs=1e-12)  # rounding
    assert interval("basic", 0.4, even, 0.9) == pytest.approx((2 * 0.4 - 0.95, 2 * 0.4 - 0.05), abs=1e-12)
    reach = stats.norm.ppf(0.95) * even.std(ddof=1)
    assert interval("normal", 0.4, even, 0.9) == pytest.approx((0.4 - reach, 0.4 + reach), abs=1e-12)


@pytest.mark.parametrize("where", [0.35, 0.5, 0.6])
def test_bca_by_hand(where):
    even = np.linspace(0, 1, 1001)
    u = np.array([3.0, -1.0, -1.0, -1.0, np.nan, 0.0])
    a = (27 - 3) / (6 * (9 + 3) ** 1.5)
    z0, z = stats.norm.ppf(where), stats.norm.ppf(0.975)
    ends = [stats.norm.cdf(z0 + (z0 + end) / (1 - a * (z0 + end))) for end in (-z, z)]
    result = interval("bca", where, even, 0.95, acceleration(u))
    # 1001 replicates, one of which equals the value: the share below it is known to 1/2002, which moves the ends
    # by no more than 0.003; the formula itself would differ by far more
    assert result == pytest.approx(tuple(ends), abs=0.003)
    # the unit of the influence plays no part
    assert result == interval("bca", where, even, 0.95, acceleration(1000 * u))


def test_bca_without_skewness_and_bias_is_percentile():
    even = np.linspace(0, 1, 1001)
    for u in (np.zeros(0), np.array([1.0, -1.0]), np.zeros(3)):
        result = interval("bca", 0.5, even, 0.95, acceleration(u))
        assert result == pytest.approx(interval("percentile", 0.5, even), abs=1e-12)  # rounding of the quantile


def test_ties_with_the_value_count_one_half_whatever_the_rounding():
    steps = np.repeat([0.2, 0.4, 0.6], [30, 40, 30])
    rounded = steps + np.random.default_rng(1).choice([-1e-16, 0, 1e-16], size=100)
    assert interval("bca", 0.4, rounded) == pytest.approx(interval("bca", 0.4, steps), abs=1e-12)
    assert interval("bca", 0.4, steps) == pytest.approx(interval("percentile", 0.4, steps), abs=1e-12)


def test_the_acceleration_is_that_of_a_mean():
    """For the mean of n numbers it is their skewness / (6 sqrt(n)) (Efron & Tibshirani 1993, chapter 14)."""
    x = np.random.default_rng(23).exponential(size=50)
    expected = stats.skew(x) / (6 * 50**0.5)
    assert acceleration((x - x.mean()) / 50) == pytest.approx(expected, rel=1e-12)  # rounding


def test_nan_replicates_are_left_out():
    even = np.linspace(0, 1, 101)
    holes = np.insert(even, [3, 50, 101], np.nan)
    for kind in KINDS:
        assert interval(kind, 0.5, holes) == interval(kind, 0.5, even)


NONE = np.full(50, np.nan)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("value", "result"),
    [
        (1.0, np.ones(50)),
        (1.0, 1 - np.arange(50) % 2 * 1e-16),  # all equal but for rounding
        (0.5, NONE),
        (0.5, np.append(NONE, 0.4)),
        (np.nan, np.linspace(0, 1, 50)),
    ],
)
def test_no_interval_without_anything_to_make_it_of(kind, value, result):
    assert interval(kind, value, result) is None


def test_bca_does_not_run_off_the_end():
    even = np.linspace(0.2, 0.6, 100)
    assert interval("bca", 0.1, even) is None  # no replicate below
    assert interval("bca", 0.7, even) is None  # none above
    skewed = np.array([1.0, 0.0, 0.0])  # a = 1/6
    assert interval("bca", 0.599, even, 0.9999, acceleration(skewed)) is None  # a (z0 + z) = (2.2 + 3.9) / 6 > 1
    assert interval("bca", 0.4, even, 0.95, acceleration(skewed)) is not None


def test_a_perfect_classifier_has_no_bootstrap_interval():
    (sample,) = samples([0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
    replicates = Bootstrap(100, rng=0).resample(pr.measure("auc"), [sample])[0]
    assert set(replicates) == {1.0}
    assert interval("bca", 1.0, replicates) is None


@pytest.mark.parametrize("key", ["auc", "average_precision", "gini"])
def test_the_default_interval_is_the_guarded_one_with_the_error_of_the_replicates(key):
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1], [12, 15])
    estimate = pr.evaluate(y, rng.normal(size=27) + 1.5 * y, measure=key, method=Bootstrap(200, rng=1))
    assert estimate.resampled.kind == "guarded"
    assert estimate.standard_error == pytest.approx(np.std(estimate.resampled.replicates, ddof=1))
    expected = guarded(estimate.value, estimate.standard_error, estimate.limits, estimate.effective)
    assert estimate.confidence_interval() == pytest.approx(expected)
    assert interval_name(estimate) == "guarded logit"


def test_a_range_without_limits_has_students_quantiles():
    y = np.repeat([0, 1], [12, 15])
    p = np.clip(0.5 + 0.3 * (y - 0.5) + 0.1 * np.random.default_rng(0).normal(size=27), 0.05, 0.95)
    boot, plain = (pr.evaluate(y, p, measure="log_loss", method=m) for m in (Bootstrap(200, rng=1), "influence"))
    assert boot.df == plain.df is not None


@pytest.mark.parametrize("kind", KINDS)
def test_replicates_that_do_not_vary_leave_the_guarded_interval_and_it_is_named(kind):
    """None of 57 is wrong, and in no resample either: Wilson's interval of 57 cases."""
    y = np.repeat([0, 1], 57)
    rate = pr.evaluate(y, y, measure="sensitivity", method=Bootstrap(50, kind=kind, rng=0))
    assert rate.confidence_interval() == pytest.approx((0.9369, 1.0), abs=1e-4)
    assert interval_name(rate) == "guarded logit"


@pytest.mark.slow
def test_intervals_cover():
    """Exponential scores, rates 1 and 4: the area is 4/5; 300 samples of 30 and 30 cases."""
    rng = np.random.default_rng(31)
    hits = dict.fromkeys(KINDS, 0)
    for seed in range(300):
        x, z = rng.exponential(size=30), rng.exponential(scale=0.25, size=30)
        several = samples(np.repeat([1, 0], 30), np.concatenate([x, z]))
        result, u = influence(x, z)
        drawn = Bootstrap(400, rng=seed).resample(pr.measure("auc"), several)[0]
        for kind in KINDS:
            low, high = interval(kind, result, drawn, 0.9, acceleration(u))
            hits[kind] += low <= 0.8 <= high
    # 300 samples know a share of 0.9 to 0.017; the bootstrap itself falls short by a few per cent at n = 30
    for kind in KINDS:
        assert 0.9 - 0.03 - 3 * 0.017 <= hits[kind] / 300 <= 0.9 + 3 * 0.017


# The record ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"replicates": 0}, "replicates must be a whole number from 1 to 1,000,000,000, got 0"),
        ({"replicates": 2.5}, "got 2.5"),
        ({"replicates": True}, "got True"),
        ({"kind": "BCA"}, "kind must be 'guarded', 'percentile', 'bca', 'basic' or 'normal', got 'BCA'"),
        ({"rng": -1}, "rng must be a seed"),
        ({"rng": "seven"}, "got 'seven'"),
        ({"rng": np.random.RandomState(0)}, "rng must be a seed"),
        ({"n_jobs": 0}, "n_jobs must be a number of threads"),
        ({"n_jobs": 1.5}, "got 1.5"),
    ],
)
def test_wrong_options_are_rejected(options, words):
    with pytest.raises(InputError, match=words):
        Bootstrap(**options)


def test_the_number_of_workers():
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert [count_workers(jobs) for jobs in (None, -1, 1, 3, -99)] == [cores, cores, 1, 3, 1]


def test_an_error_inside_a_worker_reaches_the_caller():
    (sample,) = samples([0, 1, 0, 1], [1, 2, 3, 4])
    with pytest.raises(pr.errors.MeasureError, match="fpr must be"):
        Bootstrap(10, rng=0).resample(pr.measure("partial_auc", fpr=(0.5, 0.1)), [sample])


# Parts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["hand_till", "ova", "scurfield", "pdi"])
def test_parts_have_the_standard_errors_of_the_same_resamples(key):
    """The measure of a part alone, on the very resamples of the whole."""
    rng = np.random.default_rng(21)
    y, P = settled_data(rng, 60, 3)
    s = (P @ [0, 1, 2]).round(1) if key == "scurfield" else P
    estimate = pr.evaluate(y, s, measure=key, labels=[0, 1, 2], method=Bootstrap(50, rng=3))
    (sample,) = samples(y, s)
    counts = counts_drawn(sample, stratified=key != "ova", seed=3, size=50)  # class sizes vary in a cohort
    statistics = [pr.measure(key)(sample.reweighted(row.astype(float))) for row in counts]
    for name, part in estimate.parts.items():
        expected = np.std([statistic.parts()[name].value for statistic in statistics], ddof=1)
        assert part.standard_error == pytest.approx(expected, rel=1e-9)
    assert estimate.to_dict() == pr.results.Estimate.from_dict(estimate.to_dict()).to_dict()
