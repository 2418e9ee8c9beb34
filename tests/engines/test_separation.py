"""Scores that the bins of a first scan do not separate: engines refine, and a tally says what it does not know."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import polyroc as pr

SHAPES = {
    "milliseconds": lambda z: np.round(1.7e12 + 1e7 * z),
    "near 0.7": lambda z: 0.7 + 1e-13 * z,
    "tiny interval": lambda z: 3.0 + 1e-9 * z,
    "huge": lambda z: 1e300 * (2.0 + z / 10.0),
}


def cases(shape: str, n: int = 4000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, SHAPES[shape](rng.normal(size=n) + 1.5 * y)


@pytest.fixture(params=[*SHAPES])
def scored(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[np.ndarray, np.ndarray, str]:
    y, score = cases(request.param)
    for part, rows in enumerate(np.array_split(np.arange(len(y)), 3)):
        pd.DataFrame({"y": y[rows], "s": score[rows]}).to_parquet(tmp_path / f"{part}.parquet")
    return y, score, str(tmp_path)


def test_a_folder_is_refined_until_the_bounds_are_small_against_the_error(scored):
    y, score, folder = scored
    memory = pr.evaluate(y, score, measure="auc")
    with warnings.catch_warnings():
        warnings.simplefilter("error", pr.errors.ToleranceWarning)
        engine = pr.evaluate(folder, truth="y", scores="s", measure="auc")
    low, high = engine.bounds
    assert low <= memory.value <= high
    assert high - low <= 0.2 * engine.standard_error
    assert engine.value == pytest.approx(memory.value, abs=0.1 * memory.standard_error)
    assert engine.standard_error == pytest.approx(memory.standard_error, rel=0.01)
    assert engine.certificate.in_interval is None
    assert 2 <= engine.certificate.passes <= 6


@pytest.mark.slow
def test_operate_and_curve_use_the_refined_bins(scored):
    y, score, folder = scored
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pr.errors.OptimismWarning)
        memory = pr.operate(y, score, criterion="youden")
        engine = pr.operate(folder, truth="y", scores="s", criterion="youden")
    np.testing.assert_allclose(engine.rates, memory.rates, atol=0.02)
    curve = pr.curve(folder, truth="y", scores="s")
    assert len(curve.x) > 300
    assert curve.area.value == pytest.approx(pr.evaluate(y, score, measure="auc").value, abs=1e-3)


def test_a_tally_includes_wide_bounds_and_warns(scored):
    y, score, _ = scored
    exact = pr.evaluate(y, score, measure="auc")
    tally = pr.Tally([0, 1])
    tally.update(y, score)
    with pytest.warns(pr.errors.ToleranceWarning, match="bins do not separate the scores.*more bits"):
        estimate = tally.evaluate("auc")
    low, high = estimate.confidence_interval()
    within = exact.confidence_interval()
    assert low <= min(estimate.bounds[0], within.low)
    assert high >= max(estimate.bounds[1], within.high)
    assert estimate.standard_error >= exact.standard_error
    assert estimate.certificate.in_interval
    assert estimate.certificate.error_is_bound
    assert estimate.test(exact.value) > 0.99
    assert "with bounds" in repr(estimate)
    again = pr.results.Estimate.from_dict(estimate.to_dict())
    assert again.certificate == estimate.certificate
    assert again.confidence_interval() == estimate.confidence_interval()


def test_gini_and_partial_area_of_a_tally_show_their_bounds_too():
    y, score = cases("near 0.7")
    tally = pr.Tally([0, 1])
    tally.update(y, score)
    for measure in ("gini", "partial_auc"):
        exact = pr.evaluate(y, score, measure=measure)
        with pytest.warns(pr.errors.ToleranceWarning, match="do not separate"):
            estimate = tally.evaluate(measure)
        low, high = estimate.confidence_interval()
        assert low <= exact.value <= high
        assert estimate.standard_error > 0


@pytest.mark.slow
def test_where_bins_cannot_be_finer_the_interval_includes_the_bounds_and_a_warning_says_so(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 4000)
    score = 5e-324 * np.round(100 * (rng.normal(size=4000) + 1.5 * y))  # neighbouring doubles share a bin
    pd.DataFrame({"y": y, "s": score, "t": score[::-1]}).to_parquet(tmp_path / "a.parquet")
    exact = pr.evaluate(y, score, measure="auc")
    ask = {"truth": "y", "measure": "auc", "engine": "duckdb"}
    with pytest.warns(
        pr.errors.ToleranceWarning, match="bounds are not small against the standard error.*exact=True"
    ):
        estimate = pr.evaluate(str(tmp_path / "a.parquet"), scores="s", **ask)
    assert estimate.confidence_interval().low < exact.confidence_interval().low
    assert estimate.confidence_interval().high > exact.confidence_interval().high
    with pytest.warns(pr.errors.ToleranceWarning, match="do not separate"):
        compared = pr.compare(str(tmp_path / "a.parquet"), scores={"s": "s", "t": "t"}, **ask)
    (difference,) = compared.differences.values()
    (memory,) = pr.compare(y, {"s": score, "t": score[::-1]}, measure="auc").differences.values()
    low, high = difference.confidence_interval()
    assert low < memory.confidence_interval().low
    assert high > memory.confidence_interval().high
    assert difference.standard_error >= memory.standard_error


@pytest.mark.slow
def test_scores_that_bins_separate_need_one_scan_and_get_no_warning(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 20000)
    for name, score in {
        "probabilities": 1 / (1 + np.exp(-rng.normal(size=20000) - y)),
        "log-odds": rng.normal(size=20000) + y,
        "rounded": np.round(rng.normal(size=20000) + y, 1),
        "separated": rng.random(20000) + 2.0 * y,
    }.items():
        pd.DataFrame({"y": y, "s": score}).to_parquet(tmp_path / f"{name}.parquet")
        with warnings.catch_warnings():
            warnings.simplefilter("error", pr.errors.ToleranceWarning)
            file = tmp_path / f"{name}.parquet"
            estimate = pr.evaluate(str(file), truth="y", scores="s", measure="auc", engine="duckdb")
        assert estimate.certificate.passes == 1, name
        assert estimate.certificate.in_interval is None
