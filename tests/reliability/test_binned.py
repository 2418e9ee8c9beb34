"""Calibration from bins and scans: certain bounds of isotonic regression, and files as in memory."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import naive
import polyroc as pr
from command import polyroc
from polyroc.errors import InputError, NotApplicableError, OutOfSpaceError, ToleranceWarning
from polyroc.reliability.binned import BinnedEvent

N = 600
RNG = np.random.default_rng(1)
P = RNG.dirichlet(np.ones(3), N)
Y = (P.cumsum(axis=1) < RNG.random((N, 1))).sum(axis=1)
Q = P**1.6 / (P**1.6).sum(axis=1, keepdims=True)
WEIGHT = RNG.random(N) * (RNG.random(N) < 0.9)
FRAME = pl.DataFrame(
    {"y": Y, "sick": Y == 0, "w": WEIGHT, "site": np.arange(N) // 3}
    | {f"p{k}": P[:, k] for k in range(3)}
    | {f"q{k}": Q[:, k] for k in range(3)}
    | {"tied": Q[:, 0].round(1)}
)
THREE = {
    "truth": "y",
    "scores": {"p": ["p0", "p1", "p2"], "q": ["q0", "q1", "q2"]},
    "labels": [0, 1, 2],
    "replicates": 50,
}
TWO = {"truth": "sick", "scores": {"p": "p0", "q": "q0"}, "replicates": 50}


def exact_numbers(result):
    """What does not depend on bins."""
    numbers = [*(z for test in result.overall.values() for z in test)]
    for own in result.events.values():
        numbers += [own.predicted, own.observed, *own.in_the_large, *own.slope, *own.joint, *own.spiegelhalter]
        numbers += [own.brier, own.decomposition.uncertainty.value, *own.curve.counts]
    return [*numbers, *(x for one in (result.differences or {}).values() for x in one)]


def binned_event(y, w, bins):
    """Cases in the order of their predictions, the first of `bins[0]` in one bin, and so on."""
    groups = np.repeat(np.arange(len(bins)), bins)
    cases, weight, squares = (
        np.stack([np.bincount(groups, values * (y == k)) for k in (0, 1)], axis=1)
        for values in (np.ones(len(y)), w, w**2)
    )
    return BinnedEvent(np.arange(len(bins)) / len(bins), cases, weight, squares, np.array(bins) > 1)


@given(st.data())
def test_bounds_contain_isotonic_regression_of_the_cases(data):
    bins = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    n = sum(bins)
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    w = np.array(data.draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 3.5]), min_size=n, max_size=n)))
    fitted = np.array(naive.isotonic((w * y).tolist(), w.tolist()))
    loss = w @ (y - fitted) ** 2 / w.sum()
    event = binned_event(y, w, bins)
    low, high = event.losses()
    assert low - 1e-12 <= loss <= high + 1e-12
    below, above = event.curve_bounds(np.arange(len(bins)))
    place = np.repeat(np.arange(len(bins)), bins)
    assert (below[place] <= fitted + 1e-12).all()
    assert (fitted <= above[place] + 1e-12).all()
    joined = event.fit().fitted
    assert (below - 1e-12 <= joined).all()
    assert (joined <= above + 1e-12).all()
    # the lower bound is attained by an order of the cases within their bins
    order = np.lexsort((y, place))
    best = np.array(naive.isotonic((w * y)[order].tolist(), w[order].tolist()))
    assert w[order] @ (y[order] - best) ** 2 / w.sum() == pytest.approx(low, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("options", [TWO, THREE], ids=["two", "three"])
def test_files_as_in_memory(options, weight):
    read = pr.calibration(FRAME, engine="duckdb", sample_weight=weight, tolerance=1e-6, **options)
    memory = pr.calibration(FRAME, engine="memory", sample_weight=weight, **options)
    assert exact_numbers(read) == pytest.approx(exact_numbers(memory), rel=1e-8, abs=1e-11)
    for name, own in memory.events.items():
        bounds, stated = read.bounds[name], read.events[name].decomposition
        assert bounds.width <= 1e-6
        for term in ("miscalibration", "discrimination"):
            more = getattr(own.decomposition, term).value - getattr(stated, term).value
            assert -1e-12 <= more <= bounds.width + 1e-12
        curve = read.events[name].curve
        fitted = np.interp(curve.predicted, own.curve.predicted, own.curve.observed)
        close = np.searchsorted(own.curve.predicted, curve.predicted - 1e-12)
        same = np.abs(own.curve.predicted[np.minimum(close, len(fitted) - 1)] - curve.predicted) < 1e-12
        assert (bounds.low[same] - 1e-9 <= fitted[same]).all()
        assert (fitted[same] <= bounds.high[same] + 1e-9).all()


@pytest.mark.slow
def test_exact_and_tied_probabilities():
    options = {"truth": "sick", "replicates": 50, "engine": "duckdb"}
    exact = pr.calibration(FRAME, scores="q0", exact=True, **options)
    (bounds,), own = exact.bounds.values(), exact.event()
    memory = pr.calibration(Y == 0, Q[:, 0], replicates=50).event()
    assert bounds.width == pytest.approx(0, abs=1e-15)
    assert own.decomposition.miscalibration.value == pytest.approx(
        memory.decomposition.miscalibration.value, abs=1e-13
    )
    np.testing.assert_allclose(bounds.high, bounds.low, atol=1e-12)
    tied, ties = (
        pr.calibration(FRAME, scores="tied", **options),
        pr.calibration(Y == 0, Q[:, 0].round(1), replicates=50),
    )
    np.testing.assert_allclose(tied.event().curve.observed, ties.event().curve.observed, atol=1e-12)
    np.testing.assert_allclose(tied.event().curve.predicted, ties.event().curve.predicted, atol=1e-12)
    assert tied.event().simulated_pvalue == ties.event().simulated_pvalue
    assert "These are, too: no bin" in str(tied.decomposition_table().notes)
    again = pr.results.Calibration.from_dict(exact.to_dict())
    np.testing.assert_array_equal(again.bounds["classifier", "True"].low, bounds.low)
    assert again.separate()[0].bounds is not None


@pytest.mark.slow
def test_memory_limits():
    options = {"truth": "sick", "scores": "q0", "replicates": 50, "engine": "duckdb", "memory": "16MB"}
    rng = np.random.default_rng(0)
    p = 0.5 + 1e-5 * rng.random(200_000)
    frame = pl.DataFrame({"sick": rng.random(len(p)) < p, "q0": p})
    with pytest.raises(OutOfSpaceError, match="no memory for bins that separate all probabilities; raise memory"):
        pr.calibration(frame, exact=True, **options)
    with pytest.warns(ToleranceWarning, match="further than the tolerance 1e-12"):
        rough = pr.calibration(frame, tolerance=1e-12, **options)
    assert rough.bounds["classifier", "True"].width > 1e-12


@pytest.mark.slow
def test_no_slope():
    def own(sick, p):
        frame = pl.DataFrame({"sick": sick, "p": p})
        read = pr.calibration(frame, truth="sick", scores="p", engine="duckdb", replicates=50).event()
        memory = pr.calibration(np.array(sick), np.array(p), replicates=50).event()
        ours, theirs = [[*e.in_the_large, *e.slope, *e.joint, *e.spiegelhalter] for e in (read, memory)]
        assert ours == pytest.approx(theirs, rel=1e-8, nan_ok=True)
        assert read.undefined == memory.undefined
        return read.undefined

    half = [False, False, True, True, False, True]
    assert "separate cases" in own(half, [0.1, 0.2, 0.8, 0.9, 0.2, 0.7])
    assert "all probabilities are equal" in own(half, [0.25] * 6)
    assert "2 probabilities are 0 or 1" in own(half, [0.0, 0.2, 0.3, 1.0, 0.6, 0.7])
    assert "1 of them is wrong, which refutes calibration" in own(half, [0.0, 0.2, 0.0, 1.0, 0.6, 0.7])
    near = pl.DataFrame({"sick": half * 2, "p": [0.1, 0.5 + 1e-13, 0.5, 0.9, 0.2, 0.7] * 2})
    read = pr.calibration(near, truth="sick", scores="p", tolerance=1.0, replicates=50).event()
    assert "except within one bin" in read.undefined


@pytest.mark.slow
def test_errors():
    options = {"truth": "sick", "scores": "p0", "engine": "duckdb"}
    with pytest.raises(NotApplicableError, match="groups is not available in calibration for files"):
        pr.calibration(FRAME, groups="site", **options)
    with pytest.raises(NotApplicableError, match="case-control sample is not"):
        pr.calibration(FRAME, sampling="case-control", **options)
    with pytest.raises(NotApplicableError, match=r"probabilities in \[0, 1\], but 'classifier' has a row with -"):
        pr.calibration(FRAME.with_columns(p0=pl.col("p0") - 0.5), **options)
    three = {**THREE, "scores": ["p0", "p1", "p2"], "engine": "duckdb"}
    with pytest.raises(NotApplicableError, match="that sum to 1 for each case, but 'classifier' has a row with"):
        pr.calibration(FRAME.with_columns(p0=pl.col("p0") / 2), **three)
    with pytest.raises(InputError, match=r"'p1' .* has missing values in 1 of 600"):
        pr.calibration(FRAME.with_columns(p1=pl.when(pl.int_range(pl.len()) != 5).then("p1")), **three)
    two = {"truth": "sick", "scores": ["absent", "p0"], "pos_label": True, "labels": [False, True]}
    both = FRAME.with_columns(absent=1 - pl.col("p0"))
    assert exact_numbers(pr.calibration(both, engine="duckdb", replicates=50, **two)) == pytest.approx(
        exact_numbers(pr.calibration(Y == 0, P[:, 0], replicates=50)), rel=1e-7
    )
    hole = both.with_columns(absent=pl.when(pl.int_range(pl.len()) != 5).then("absent"))
    with pytest.raises(InputError, match=r"'absent' .* has missing values in 1 of 600"):
        pr.calibration(hole, engine="duckdb", **two)
    with pytest.raises(InputError, match="No case of class 'c'"):
        pr.calibration(FRAME, **{**options, "scores": ["p0", "p1", "p2"], "labels": [False, True, "c"]})


def test_command_over_files(tmp_path):
    for half in (0, 1):
        FRAME.filter(pl.int_range(pl.len()) % 2 == half).write_csv(tmp_path / f"{half}.csv")
    done = polyroc("calibration", tmp_path / "*.csv", "--truth", "sick", "--scores", "q0", "--replicates", "50")
    assert done.returncode == 0, done.stderr
    assert "too extreme: slope" in done.stdout
    assert "From 600 rows in 3 scans" in done.stdout


@pytest.mark.slow
def test_many_rows_are_quick():
    """Two columns of 2 * 10^5 rows; the bounds are small against the standard error."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=200_000)
    frame = pl.DataFrame({"y": rng.random(len(x)) < expit(x), "p": expit(1.3 * x)})
    own = pr.calibration(frame, truth="y", scores="p", engine="duckdb", replicates=50)
    assert own.bounds["classifier", "True"].width < 0.2 * own.event().decomposition.miscalibration.standard_error
    assert own.event().slope.low < 1 / 1.3 < own.event().slope.high
