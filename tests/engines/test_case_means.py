"""Proper scores from files: exactly those of memory, in one pass, with weights, groups, several classifiers."""

import numpy as np
import polars as pl
import pytest

import polyroc as pr
from polyroc.errors import InfiniteLossWarning, InputError, NotApplicableError

KEYS = ["brier", "brier_skill", "log_loss", "spherical"]
N, LABELS = 3000, ["a", "b", "c"]
RNG = np.random.default_rng(0)
P = RNG.dirichlet(np.ones(3), N)
Y = (P.cumsum(axis=1) < RNG.random((N, 1))).sum(axis=1)
Q = P**1.5 / (P**1.5).sum(axis=1, keepdims=True)
WEIGHT, PATIENT = RNG.random(N) * (RNG.random(N) < 0.9), RNG.integers(0, 300, N)
COLUMNS = {name: [f"{name}_{label}" for label in LABELS] for name in ("one", "two")}
OPTIONS = {
    "plain": ({}, {}),
    "weight": ({"sample_weight": "w"}, {"sample_weight": WEIGHT}),
    "groups": ({"groups": "site"}, {"groups": PATIENT}),
    "both": ({"groups": "site", "sample_weight": "w"}, {"groups": PATIENT, "sample_weight": WEIGHT}),
    "case-control": ({"sampling": "case-control"}, {"sampling": "case-control"}),
    "case-control, weight": (
        {"sampling": "case-control", "sample_weight": "w"},
        {"sampling": "case-control", "sample_weight": WEIGHT},
    ),
    "case-control, both": (
        {"sampling": "case-control", "groups": "site", "sample_weight": "w"},
        {"sampling": "case-control", "groups": PATIENT, "sample_weight": WEIGHT},
    ),
}


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("forecasts") / "cases.parquet"
    columns = {
        column: table[:, k] for table, name in ((P, "one"), (Q, "two")) for k, column in enumerate(COLUMNS[name])
    }
    frame = pl.DataFrame({"y": np.array(LABELS)[Y], **columns, "w": WEIGHT, "site": PATIENT, "half": PATIENT % 2})
    frame.write_parquet(path)
    return path


def numbers(comparison):
    estimates = comparison.estimates.values()
    ends = [end for estimate in estimates for end in estimate.confidence_interval()]
    difference = comparison.difference("one", "two")
    return [*map(float, estimates), *comparison.covariance.ravel(), *ends, *difference.confidence_interval()]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("columns", "arrays"), OPTIONS.values(), ids=OPTIONS)
def test_as_in_memory(path, key, columns, arrays):
    read = pr.compare(path, truth="y", scores=COLUMNS, labels=LABELS, measure=key, engine="duckdb", **columns)
    memory = pr.compare(np.array(LABELS)[Y], {"one": P, "two": Q}, labels=LABELS, measure=key, **arrays)
    assert numbers(read) == pytest.approx(numbers(memory), rel=1e-7, abs=1e-12)
    certificate = read.estimates["one"].certificate
    assert certificate.passes == 1
    assert certificate.low == certificate.high


@pytest.mark.slow
def test_beside_other_measures_and_by_subgroup(path):
    options = {"truth": "y", "scores": COLUMNS["one"], "labels": LABELS, "engine": "duckdb"}
    both = pr.evaluate(path, measure=["brier", "hand_till", "log_loss"], **options)
    assert both.measures == ("brier", "hand_till", "log_loss")
    assert both["brier"].value == pytest.approx(pr.evaluate(Y, P, measure="brier").value, abs=1e-12)
    grouped = pr.evaluate(path, measure="brier", by="half", **options)
    own = PATIENT % 2 == 1
    assert grouped[1].value == pytest.approx(pr.evaluate(Y[own], P[own], measure="brier", labels=range(3)).value)
    frame = pl.read_parquet(path).with_columns((pl.col("y") == "a").alias("is_a"))
    two = pr.evaluate(frame, truth="is_a", scores="one_a", measure="log_loss", engine="duckdb")
    assert two.value == pytest.approx(pr.evaluate(Y == 0, P[:, 0], measure="log_loss").value, abs=1e-12)


def test_values_that_are_no_probabilities(path):
    frame = pl.read_parquet(path)
    options = {"truth": "y", "scores": COLUMNS["one"], "labels": LABELS, "engine": "duckdb"}
    with pytest.raises(NotApplicableError, match=r"sum to 1 for each case, but those .* in \d+ of 3000 rows"):
        pr.evaluate(frame.with_columns(pl.col("one_a") / 3 + 0.05), measure="brier", **options)
    with pytest.raises(InputError, match="missing values in 3000 of 3000"):
        pr.evaluate(frame.with_columns(pl.lit(None, dtype=pl.Float64).alias("one_b")), measure="brier", **options)
    certain = frame.with_columns(one_a=pl.lit(1.0), one_b=pl.lit(0.0), one_c=pl.lit(0.0))
    with pytest.warns(InfiniteLossWarning, match="cases have the probability 0"):
        assert pr.evaluate(certain, measure="log_loss", **options).value == np.inf
    clipped = pr.evaluate(certain, measure="log_loss(clip=0.01)", **options)
    assert clipped.value == pytest.approx((Y != 0).mean() * -np.log(0.01))
