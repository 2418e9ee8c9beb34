"""Confidence bands: the replicates behind them, what they cover, how they are drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import binom, norm, weibull_min
from scipy.stats import t as student

import naive
import polyroc as pr
from polyroc.curves.sweep import CurveSweep, ranked_cases
from polyroc.datasets import Binormal
from polyroc.errors import NotApplicableError
from samples import samples_of
from strategies import ordered, ranked, weights

ROUNDING = 1e-9  # rates times totals, divided again
RATES = np.linspace(0, 1, 201)


@pytest.mark.slow
@given(data=st.data())
def test_heights_of_weighted_cases_are_those_of_the_curve(data):
    y, s = data.draw(ranked())
    rates = np.array(sorted(data.draw(st.lists(st.floats(0, 1), min_size=1, max_size=5))))
    rows = np.array([data.draw(weights(y)) for _ in range(3)])
    (sample,) = samples_of(y, s)
    cases = ranked_cases(CurveSweep(sample))
    grouped = np.concatenate([sample.cases(0), sample.cases(1)])
    heights = cases.tpr_at(rows[:, grouped], rates)
    turned = cases.mirrored().tpr_at(rows[:, grouped], rates)
    for w, row, back in zip(rows, heights, turned, strict=True):
        points = naive.roc_points(y, s, w)
        mirror = [(1 - t, 1 - u) for u, t in points[::-1]]
        for u, t, v in zip(rates, row, back, strict=True):
            near = [naive.height(points, r) for r in (max(u - ROUNDING, 0), min(u + ROUNDING, 1))]
            assert near[0] - 1e-6 <= t <= near[1] + 1e-6  # beside a step, either side of it
            near = [naive.height(mirror, r) for r in (max(u - ROUNDING, 0), min(u + ROUNDING, 1))]
            assert near[0] - 1e-6 <= v <= near[1] + 1e-6


@pytest.mark.slow
def test_a_resample_without_a_class_has_no_height():
    (sample,) = samples_of([0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0])
    heights = ranked_cases(CurveSweep(sample)).tpr_at(
        np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 1]]), np.array([0.0, 0.5])
    )
    assert np.isnan(heights[:2]).all()
    assert (heights[2] == 1).all()


METHODS = {"formula": pr.methods.Influence(), "bootstrap": pr.methods.Bootstrap(replicates=200, rng=0)}


def coverage(model, sizes, times, **options):
    """Whether the band of each sample holds the true curve at each of `RATES`."""
    true, values = ndtr((model.separation + ndtri(RATES)) / model.ratio_of_spreads), []
    for seed in range(times):
        y, s = model.sample(sizes, rng=1000 + seed)
        band = pr.curve(y, s, **options).band
        low, high = (np.interp(RATES, band.x, limit) for limit in (band.low, band.high))
        values.append((low <= true + 1e-12) & (true <= high + 1e-12))
    return np.array(values)


def least(times, level):
    """Fewer than this happen less than once in a thousand if the coverage is the level."""
    return int(binom.ppf(0.001, times, level))


@pytest.mark.slow
@given(ordered(c=2, least=2), st.sampled_from([0.8, 0.95]))
def test_pointwise_band_is_its_slow_twin(cases, level):
    y, s = cases
    band = pr.curve(y, s, band="pointwise", level=level, pos_label=1, labels=[0, 1]).band
    for i in (1, 7, 61, 113, 189, 199):  # rates that are no multiple of 1 / cases, where rounding would decide
        u = band.x[i]
        if min(u * (y == 0).sum() % 1, -u * (y == 0).sum() % 1) > 1e-6:
            expected = naive.pointwise_band(y, s, u, level)
            assert (band.low[i], band.high[i]) == pytest.approx(expected, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("separation", [1.0, 1.8])
@pytest.mark.parametrize("sizes", [(20, 200), (10, 100), (40, 400), (200, 20)])
def test_pointwise_bands_hold_near_the_ends(separation, sizes):
    """With the slope of the curve for the variance of the threshold: 79 % at FPR 0.05 of 20 + 200 cases."""
    times = 200
    covered = coverage(Binormal(separation), sizes, times, band="pointwise")
    for place in (2, 10, 20, 190, 198):  # FPR 0.01, 0.05, 0.1, 0.95, 0.99
        assert covered[:, place].sum() >= least(times, 0.95)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_simultaneous_bands_hold_the_whole_curve_as_often_as_they_say(method):
    times = 120
    for model, sizes in ((Binormal(1.0), 60), (Binormal(1.5, 1.4), (80, 50))):
        covered = coverage(model, sizes, times, band="simultaneous", level=0.9, method=METHODS[method])
        assert covered.all(axis=1).sum() >= least(times, 0.9)


@pytest.mark.slow
def test_working_hotelling_bands_hold_a_binormal_curve_as_often_as_they_say():
    times = 150
    total = coverage(Binormal(1.0, 1.3), 80, times, band="working_hotelling", level=0.9).all(axis=1).sum()
    assert least(times, 0.9) <= total <= binom.ppf(0.999, times, 0.9) + 3  # 3: the fit is not normal at n = 80


@pytest.mark.slow
def test_resampled_simultaneous_band_holds_the_whole_curve_where_negatives_are_few():
    """It contained 91 % of these before it contained the pointwise band by formula."""
    times = 150
    covered = coverage(Binormal(1.8), (20, 200), times, band="simultaneous", method=METHODS["bootstrap"])
    assert covered.all(axis=1).sum() >= least(times, 0.95)


@pytest.mark.parametrize("kind", ["roc", "pr"])
@pytest.mark.parametrize("name", ["pointwise", "simultaneous"])
def test_resampled_bands_contain_the_pointwise_band_by_formula(kind, name):
    y, s = Binormal(1.2).sample((15, 60), rng=3)
    formula = pr.curve(y, s, kind=kind, band="pointwise").band
    resampled = pr.curve(y, s, kind=kind, band=name, method=METHODS["bootstrap"]).band
    assert (resampled.low <= formula.low).all()
    assert (resampled.high >= formula.high).all()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_pointwise_bands_hold_each_point_as_often_as_they_say(method):
    times = 200
    covered = coverage(Binormal(1.0), 100, times, band="pointwise", level=0.9, method=METHODS[method])
    for place in (20, 60, 100, 160):  # FPR 0.1, 0.3, 0.5, 0.8
        assert least(times, 0.9) <= covered[:, place].sum() <= binom.ppf(0.999, times, 0.9) + 4  # 4: lattice
    assert covered.all(axis=1).mean() < 0.7  # a pointwise band is not a simultaneous one


@pytest.mark.slow
@pytest.mark.parametrize(
    "method", [pr.methods.Influence(), pr.methods.Bootstrap(replicates=100, rng=0)], ids=["formula", "bootstrap"]
)
def test_precision_recall_bands_hold_the_true_precision(method):
    model, times, places = Binormal(1.0), 60, np.array([0.3, 0.5, 0.8])
    inside, everywhere = np.zeros(3), 0
    for seed in range(times):
        y, s = model.sample((120, 80), rng=seed)
        for kind in ("pointwise", "simultaneous"):
            curve = pr.curve(y, s, kind="pr", band=kind, level=0.9, method=method)
            band = curve.band
            own = np.array([curve.height(recall) for recall in band.x[1:]])
            assert ((band.low[1:] <= own + 1e-9) & (own <= band.high[1:] + 1e-9)).all()
            recall = places if kind == "pointwise" else band.x[1:-1]
            true = 0.4 * recall / (0.4 * recall + 0.6 * ndtr(ndtri(recall) - 1.0))
            low, high = (np.interp(recall, band.x, limit) for limit in (band.low, band.high))
            ok = (low <= true) & (true <= high)
            inside += ok if kind == "pointwise" else 0
            everywhere += bool(ok.all()) if kind == "simultaneous" else 0
    assert (inside >= least(times, 0.9)).all()
    assert everywhere >= least(times, 0.9)


def rare_positives():
    """1,000 positives among 151,000 cases."""
    return Binormal(3.0).sample((150_000, 1000), rng=0)


def test_precision_recall_band_of_rare_positives_is_as_narrow_as_the_data_allow():
    """On a grid of 0.005 of the false positive rate it was 0.29 to 1 at recall 0.3."""
    y, s = rare_positives()
    band = pr.curve(y, s, kind="pr", band="pointwise").band
    threshold = np.sort(s[y == 1])[::-1][299]
    false = np.sum(s[y == 0] >= threshold)
    # log(recall odds) has the variance of the false positives and of the threshold with 300 of 1,000 positives
    value, change = 300 / (300 + false), np.log(np.sum(s[y == 0] >= np.sort(s[y == 1])[::-1][329]) / false) / 0.03
    wald = 1.96 * value * (1 - value) * np.sqrt(1 / false + change**2 * 0.3 * 0.7 / 1000)
    low, high = (float(np.interp(0.3, band.x, limit)) for limit in (band.low, band.high))
    assert 0.8 < (high - low) / (2 * wald) < 1.3
    simultaneous = pr.curve(y, s, kind="pr", band="simultaneous").band
    assert np.interp(0.3, simultaneous.x, simultaneous.high - simultaneous.low) < 2 * (high - low)


def test_band_of_steps_has_a_point_per_step_and_no_teeth():
    y, s = Binormal(1.5).sample((300, 30), rng=0)
    curve = pr.curve(y, s, kind="pr", band="pointwise")
    assert curve.band.x == pytest.approx(np.unique(curve.recall))
    tied = pr.curve(y, s.round(), kind="pr", band="pointwise").band
    assert 0.25 in tied.x  # inside a tie precision is an arc, which a few points would cut


def test_band_has_points_where_a_curve_is_steep():
    y, s = rare_positives()
    for kind in ("roc", "det"):
        curve = pr.curve(y, s, kind=kind, band="pointwise")
        rates = curve.band.x if kind == "roc" else ndtr(curve.band.x)
        assert np.sum((rates > 0) & (rates < 0.005)) > 20
        assert len(rates) < 700


def test_simultaneous_band_is_narrower_than_that_of_a_fixed_width():
    """Kolmogorov's rectangles covered 100 % with a width of 0.8 at a false positive rate of 0.1."""
    widths = []
    for seed in range(10):
        band = pr.curve(*Binormal(1.2).sample(100, rng=seed), band="simultaneous").band
        widths.append(np.interp(0.1, band.x, band.high - band.low))
    assert np.mean(widths) < 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("negatives", "positives"),
    [(norm(), norm(1.2)), (student(3), student(3, 1.6)), (weibull_min(0.8), weibull_min(2.2, scale=1.6))],
    ids=["normal", "heavy tails", "flat start"],
)
def test_simultaneous_band_holds_curves_of_any_shape(negatives, positives):
    times, rng = 150, np.random.default_rng(0)
    y, true = np.repeat([0, 1], 60), positives.sf(negatives.isf(RATES))
    inside = 0
    for _ in range(times):
        band = pr.curve(y, np.r_[negatives.rvs(60, rng), positives.rvs(60, rng)], band="simultaneous").band
        low, high = (np.interp(RATES, band.x, limit) for limit in (band.low, band.high))
        inside += bool(((low <= true + 1e-12) & (true <= high + 1e-12)).all())
    assert inside >= least(times, 0.95)


def test_bands_contain_the_curve_and_grow_with_the_level():
    y, s = Binormal(1.0).sample(100, rng=0)
    for method in METHODS.values():
        for kind in ("pointwise", "simultaneous"):
            narrow, wide = (pr.curve(y, s, band=kind, level=v, method=method) for v in (0.8, 0.99))
            middle = np.array([narrow.at(fpr=u).tpr for u in narrow.band.x])
            assert (narrow.band.low <= middle).all()
            assert (narrow.band.high >= middle).all()
            assert (wide.band.high - wide.band.low >= narrow.band.high - narrow.band.low - 1e-12).all()
            assert (narrow.band.low >= 0).all()
            assert (narrow.band.high <= 1).all()
            assert narrow.band.kind == kind


def test_simultaneous_bands_are_wider_than_pointwise_ones():
    y, s = Binormal(1.0).sample(100, rng=0)
    for method in METHODS.values():
        one, all_ = (pr.curve(y, s, band=kind, method=method).band for kind in ("pointwise", "simultaneous"))
        assert (all_.high - all_.low).mean() > 1.3 * (one.high - one.low).mean()


def test_det_bands_are_roc_bands_in_normal_deviates():
    y, s = Binormal(1.0).sample(100, rng=0)
    for name in ("pointwise", "simultaneous", "working_hotelling"):
        roc, det = (pr.curve(y, s, kind=kind, band=name).band for kind in ("roc", "det"))
        assert det.x == pytest.approx(ndtri(roc.x))
        assert ndtr(det.low) == pytest.approx(1 - roc.high)
        assert ndtr(det.high) == pytest.approx(1 - roc.low)


def test_same_seed_same_band_whatever_the_workers():
    y, s = Binormal(1.0).sample(100, rng=0)
    one, two = (
        pr.curve(y, s, band="simultaneous", method=pr.methods.Bootstrap(replicates=300, rng=4, n_jobs=jobs)).band
        for jobs in (1, 2)
    )
    assert (one.low == two.low).all()
    assert (one.high == two.high).all()


@pytest.mark.slow
def test_weights_and_groups_are_honoured():
    y, s = Binormal(1.0).sample(60, rng=0)
    plain = pr.curve(y, s, band="simultaneous", method=pr.methods.Bootstrap(replicates=200, rng=0)).band
    doubled = pr.curve(
        np.repeat(y, 2),
        np.repeat(s, 2),
        groups=np.repeat(np.arange(120), 2),
        band="simultaneous",
        method=pr.methods.Bootstrap(replicates=200, rng=0),
    ).band
    ratio = (doubled.high - doubled.low).mean() / (plain.high - plain.low).mean()
    assert ratio == pytest.approx(1.0, abs=0.15)  # pairs of equal cases tell no more than one of them
    w = np.where(np.arange(120) % 2, 1.0, 0.0)
    kept = pr.curve(y, s, sample_weight=w, band="pointwise").band
    without = pr.curve(y[w > 0], s[w > 0], band="pointwise").band
    assert kept.low == pytest.approx(without.low)
    assert kept.high == pytest.approx(without.high)


def test_a_perfect_classifier_has_a_band_of_some_width():
    y, s = np.repeat([0, 1], 30), np.arange(60)
    for method in METHODS.values():
        for kind in ("pointwise", "simultaneous"):
            band = pr.curve(y, s, band=kind, method=method).band
            assert band.low[100] < 0.95
            assert (band.high[1:] == 1).all()
    with pytest.raises(NotApplicableError, match="binormal"):
        pr.curve(y, s, band="working_hotelling")


def test_working_hotelling_needs_plain_cases_and_a_roc_plane():
    y, s = Binormal(1.0).sample(60, rng=0)
    for options in (
        {"kind": "pr"},
        {"sample_weight": np.full(120, 0.5)},
        {"groups": np.arange(120)},
    ):
        with pytest.raises(NotApplicableError, match="working-hotelling"):
            pr.curve(y, s, band="working_hotelling", **options)


@pytest.mark.parametrize(
    "method", [pr.methods.Influence(), pr.methods.Bootstrap(replicates=300, rng=1)], ids=["formula", "bootstrap"]
)
def test_cost_band_holds_the_true_costs_where_the_roc_band_holds_the_true_curve(method):
    """Least costs of a binormal model: min over thresholds of p FNR + (1 - p) FPR."""
    model, covered = Binormal(1.2), 0
    cuts = np.linspace(-6, 8, 4001)
    fpr, tpr = ndtr(-cuts), ndtr(1.2 - cuts)
    for seed in range(8):
        y, s = model.sample(60, rng=seed)
        roc = pr.curve(y, s, band="simultaneous", method=method).band
        cost = pr.curve(y, s, kind="cost", band="simultaneous", method=method)
        own = np.interp(cost.band.x, cost.x, cost.y)
        assert ((cost.band.low <= own + 1e-12) & (own <= cost.band.high + 1e-12)).all()
        truth = np.interp(roc.x, fpr[::-1], tpr[::-1])
        if ((roc.low <= truth) & (truth <= roc.high)).all():
            covered += 1
            p = cost.band.x[:, None]
            least = (p * (1 - tpr) + (1 - p) * fpr).min(axis=1)
            # a grid of cuts finds the least cost to 1e-5
            assert ((cost.band.low <= least + 1e-5) & (least <= cost.band.high + 1e-5)).all()
    assert covered >= 5


def test_cost_curves_have_no_pointwise_band():
    y, s = Binormal(1.0).sample(30, rng=0)
    with pytest.raises(NotApplicableError, match="use band='simultaneous'"):
        pr.curve(y, s, kind="cost", band="pointwise")


@pytest.mark.parametrize("method", [None, pr.methods.Bootstrap(replicates=50, rng=0)])
def test_precision_band_accounts_for_a_random_prevalence(method):
    """Errors of the prevalence and of the rates are added as independent ones, on the scale of log-odds."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 40])
    score = rng.normal(size=130) + 1.5 * y
    fixed, random = (
        pr.curve(
            y, score, kind="pr", band="pointwise", sampling=sampling, **({"method": method} if method else {})
        )
        for sampling in ("case-control", "cohort")
    )
    assert "prevalence random" in random.band.method
    assert (random.band.low <= fixed.band.low).all()
    assert (random.band.high >= fixed.band.high).all()
    at = int(np.argmin(np.abs(fixed.band.x - 0.8)))
    threshold = np.sort(score[y == 1])[::-1][31]  # the 32nd of 40 positives
    false = np.mean(score[y == 0] >= threshold)
    middle = np.log(0.8 * 40 / (false * 90))
    share = 1.959963984540054**2 * (1 / 40 + 1 / 90)
    for end, other in ((fixed.band.low[at], random.band.low[at]), (fixed.band.high[at], random.band.high[at])):
        near, far = (abs(np.log(limit / (1 - limit)) - middle) for limit in (end, other))
        assert far**2 - near**2 == pytest.approx(
            share, rel=0.15
        )  # the band's curve is straight between its points


def test_average_precision_counts_what_one_negative_at_the_top_can_change():
    y = np.r_[np.zeros(60, int), np.ones(30, int)]
    rng = np.random.default_rng(1)
    score = rng.normal(size=90) + 2 * y
    area = pr.curve(y, score, kind="pr", sampling="case-control").area
    top = np.mean([1 / (k + 1) for k in range(1, 31)])  # the loss if one negative is above all positives
    assert 1 / area.cases_behind == pytest.approx(top, rel=0.2)  # a logarithm in the place of the sum
    perfect = pr.curve([0] * 60 + [1] * 30, np.arange(90), kind="pr").area
    spoilt = pr.curve([0] * 59 + [1] * 30 + [0], np.arange(90), kind="pr").area
    assert perfect.value - spoilt.value == pytest.approx(top)


def test_working_hotelling_has_one_spelling_and_takes_the_other():
    y, s = np.arange(20) % 2, np.random.default_rng(0).normal(size=20)
    first, second = (pr.curve(y, s, band=name).band for name in ("working-hotelling", "working_hotelling"))
    assert first.low.tolist() == second.low.tolist()
