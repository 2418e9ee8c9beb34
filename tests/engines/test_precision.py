"""Weights of any size, and integers that doubles cannot distinguish: right answers, or errors that say why."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import polyroc as pr
from polyroc.errors import InputError

EXPONENTS = [-1060, -600, -60, -33, -27, -12, 30, 600, 1000]


def weighted_cases(n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return (
        y,
        rng.normal(size=n) + y,
        rng.integers(1, 9, n).astype(float),
    )  # whole, so that denormals are exact, too


def write(folder: Path, **columns: np.ndarray) -> str:
    pd.DataFrame(columns).to_parquet(folder / "a.parquet")
    return str(folder / "a.parquet")


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_the_scale_of_weights_does_not_matter(tmp_path, exponent):
    y, score, weight = weighted_cases()
    scaled = np.ldexp(weight, exponent)
    path = write(tmp_path, y=y, s=score, w=scaled)
    expected = pr.evaluate(y, score, measure="auc", sample_weight=weight)
    ask = {"truth": "y", "scores": "s", "sample_weight": "w", "measure": "auc", "engine": "duckdb"}
    answers = [
        pr.evaluate(y, score, measure="auc", sample_weight=scaled),
        pr.evaluate(path, **ask),
        pr.evaluate(path, exact=True, **ask),
        pr.evaluate(path, tolerance=1e-6, **ask),
    ]
    for answer in answers:
        assert answer.value == pytest.approx(expected.value, rel=1e-9)
        assert answer.standard_error == pytest.approx(expected.standard_error, rel=1e-6)
        assert answer.confidence_interval() == pytest.approx(expected.confidence_interval(), rel=1e-6)


def test_counts_of_rates_are_in_the_units_of_the_weights(tmp_path):
    y, score, weight = weighted_cases()
    path = write(tmp_path, y=y, s=score, w=1e-9 * weight)
    rates = pr.rates(path, truth="y", scores="s", sample_weight="w", threshold=0.5, engine="duckdb")
    assert rates.counts.sum() == pytest.approx(1e-9 * weight.sum())


def test_each_group_has_a_scale_of_its_own(tmp_path):
    y, score, weight = weighted_cases()
    path = write(
        tmp_path,
        y=np.tile(y, 2),
        s=np.tile(score, 2),
        w=np.append(weight, 1e-12 * weight),
        g=np.repeat([0, 1], 300),
    )
    groups = pr.evaluate(path, truth="y", scores="s", sample_weight="w", measure="auc", by="g")
    one, two = groups.groups.values()
    assert two.standard_error == pytest.approx(one.standard_error, rel=1e-6)


PATTERNS = {  # from weights of a usual size and the classes
    "one class small": lambda w, y, factor: np.where(y == 1, factor, 1.0) * w,
    "one class small, all large": lambda w, y, factor: np.where(y == 1, factor, 1.0) * w * 1e7,
    "few small": lambda w, y, factor: np.where(np.arange(len(y)) < 5, factor, 1.0) * w,
    "one large": lambda w, y, factor: np.where(np.arange(len(y)) < 1, 1 / factor, 1.0) * w,
    "all sizes": lambda w, y, factor: factor ** np.linspace(0, 1, len(y)) * w,
}


@pytest.mark.parametrize("factor", [1e-4, 1e-9, 1e-12, 1e-14, 1e-16, 1e-40])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.filterwarnings("ignore::polyroc.errors.FewEffectiveCasesWarning")
def test_memory_and_the_engine_accept_the_same_weights(tmp_path, pattern, factor):
    y, score, weight = weighted_cases()
    path = write(tmp_path, y=y, s=score, p=1 / (1 + np.exp(-score)), w=PATTERNS[pattern](weight, y, factor))
    for key, column in (("auc", "s"), ("brier", "p"), ("sensitivity(threshold=0.5)", "s")):
        answers = []
        for engine in ("memory", "duckdb"):
            try:
                one = pr.evaluate(path, truth="y", scores=column, sample_weight="w", measure=key, engine=engine)
                answers.append([one.value, one.standard_error, *one.confidence_interval()])
            except InputError as error:
                answers.append(str(error))
        same = answers[0] if isinstance(answers[0], str) else pytest.approx(answers[0], rel=1e-5, abs=1e-8)
        assert answers[1] == same


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_class_of_weights_too_small_against_the_others_is_an_error(tmp_path, engine):
    y, score, weight = weighted_cases()
    path = write(tmp_path, y=y, s=score, w=np.where(y == 1, 1e-16, 1.0) * weight)
    with pytest.raises(InputError, match=r"weights of class '1' are too small .* units of 2\^-52"):
        pr.evaluate(path, truth="y", scores="s", sample_weight="w", measure="auc", engine=engine)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 1.0, 1.0, 1e-150], r"column 'w'.* goes from 1e-150 to 1; weights that differ by a factor of more"),
        ([1e300, 1e-300, 1e300, 1e-300], r"column 'w'.* goes from 1e-300 to 1e\+300"),
        ([1.0, 1.0, 1.0, 5e-324], r"column 'w'.* goes from 4.94e-324 to 1"),
        ([0.0, 0.0, 0.0, 0.0], r"column 'w'.* is zero for every case"),
    ],
)
def test_extreme_weights_are_the_same_error_by_every_engine(tmp_path, engine, weights, message):
    path = write(tmp_path, y=np.array([0, 1, 0, 1]), s=np.arange(4.0), w=np.array(weights))
    with pytest.raises(InputError, match=message):
        pr.evaluate(path, truth="y", scores="s", sample_weight="w", measure="auc", engine=engine)


def test_a_tally_takes_the_scale_of_the_weights():
    y, score, weight = weighted_cases()
    expected = pr.evaluate(y, score, measure="auc", sample_weight=weight)
    halves = slice(None, 150), slice(150, None)
    parts = []
    for half in halves:
        tally = pr.Tally([0, 1], weight_scale=1e-30)
        tally.update(y[half], score[half], 1e-30 * weight[half])
        parts.append(pr.Tally.from_bytes(tally.to_bytes()))
    parts[0].merge(parts[1])
    answer = parts[0].evaluate("auc")
    assert answer.value == pytest.approx(expected.value, rel=1e-4)
    assert answer.standard_error == pytest.approx(expected.standard_error, rel=1e-4)


def test_a_tally_rejects_weights_that_it_cannot_sum():
    y, score, weight = weighted_cases()
    tally = pr.Tally([0, 1])
    with pytest.raises(
        InputError, match=r"at least 2\^-52 times weight_scale \(1\), got 1e-30.*weight_scale=\.\.\."
    ):
        tally.update(y, score, np.full(len(y), 1e-30))
    with pytest.raises(InputError, match=r"not be larger than 2\^25 times weight_scale \(1\), got 1e\+30"):
        tally.update(y, score, np.full(len(y), 1e30))
    assert tally.rows == 0
    tally.update(y, score, 1e-9 * weight)
    with pytest.raises(InputError, match=r"too small .* Make the tally with weight_scale=\.\.\."):
        tally.evaluate("auc")


def test_tallies_of_different_scales_are_not_merged():
    y, score, weight = weighted_cases()
    first, second = pr.Tally([0, 1]), pr.Tally([0, 1], weight_scale=1024.0)
    for tally in (first, second):
        tally.update(y, score, weight)
    with pytest.raises(InputError, match="same weight_scale can be merged, got 1 and 1024"):
        first.merge(second)


@pytest.mark.parametrize("scale", [0, -1.0, float("inf"), float("nan"), "1"])
def test_weight_scale_is_a_positive_number(scale):
    with pytest.raises(InputError, match="weight_scale must be a finite number above 0"):
        pr.Tally([0, 1], weight_scale=scale)


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object, list, pd.Series])
def test_integers_beyond_double_precision_are_an_error(kind):
    y, score = np.arange(100) % 2, 1_700_000_000_000_000_000 + np.arange(100)
    data = {list: score.tolist(), pd.Series: pd.Series(score)}.get(kind)
    data = score.astype(kind) if data is None else data
    with pytest.raises(InputError, match=r"y_score .* double precision cannot distinguish.* Subtract a constant"):
        pr.evaluate(y, data, measure="auc")
    smallest = 1_700_000_000_000_000_000
    assert pr.evaluate(y, score - smallest, measure="auc").value == pytest.approx(0.51)


EXACT = [Decimal(10**20 + k) for k in range(18)]
NUMBERS = {
    "decimals": EXACT,
    "fractions": [Fraction(1, 3) + Fraction(k, 10**20) for k in range(18)],
    "long doubles": np.longdouble(1) + np.arange(18) * np.longdouble(1e-18),
    "objects of pandas": pd.Series(EXACT),
    "decimals of pandas": pd.Series(EXACT, dtype=pd.ArrowDtype(pa.decimal128(38, 10))),
    "decimals of Polars": pl.Series(EXACT, dtype=pl.Decimal(38, 10)),
    "decimals of pyarrow": pa.array(EXACT, pa.decimal128(38, 10)),
    "long decimals of pyarrow": pa.array(EXACT, pa.decimal256(60, 10)),
    "two columns of Polars": pl.DataFrame(
        {"0": EXACT, "1": EXACT[::-1]}, schema={"0": pl.Decimal(38, 10), "1": pl.Decimal(38, 10)}
    ),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_different_numbers_that_are_equal_doubles_are_an_error(name):
    if name == "long doubles" and np.finfo(np.longdouble).eps > 1e-18:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(InputError, match=r"y_score holds .* different scores would become equal"):
        pr.evaluate(np.arange(18) // 9, NUMBERS[name])


@pytest.mark.parametrize("kind", [list, pl.Series, pd.Series])
def test_decimals_of_few_digits_are_doubles(kind):
    score = [Decimal(k) / 100 for k in range(18)]
    assert pr.evaluate(np.arange(18) // 9, kind(score), measure="auc").value == 1
    with_none = kind([*score[:-1], None])
    with pytest.raises(InputError, match="y_score has missing values"):
        pr.evaluate(np.arange(18) // 9, with_none, measure="auc")


def test_large_integers_that_are_doubles_are_accepted():
    y, score = np.arange(100) % 2, 1_700_000_000_000_000_000 + 1024 * np.arange(100)
    assert pr.evaluate(y, score, measure="auc").value == pytest.approx(0.51)


@pytest.mark.slow
def test_the_engine_rejects_the_same_integers_of_parquet_files(tmp_path):
    y, base = np.arange(100) % 2, 1_700_000_000_000_000_000
    path = write(tmp_path, y=y, s=base + np.arange(100), t=base + 1024 * np.arange(100))
    ask = {"truth": "y", "measure": "auc", "engine": "duckdb"}
    with pytest.raises(InputError, match=r"column 's' of .* double precision cannot distinguish"):
        pr.evaluate(path, scores="s", **ask)
    assert pr.evaluate(path, scores="t", **ask).value == pytest.approx(0.51)


def test_the_standard_error_of_weighted_cases_is_within_its_bound():
    """Scores that share a bin, and uneven weights: the mean that is subtracted is off, too."""
    y = np.array([0, 0, 0, 1, 1, 1, 0], np.int32)
    score = np.array([0.50000000000004, 0.75, 0.50000000000003, 0.0, 0.5, 0.5, 0.50000000000002])
    weight = np.array([1.0, 0.03, 1.0, 1.0, 0.03, 0.03, 1.0])
    exact = pr.evaluate(y, score, measure="auc", sample_weight=weight)
    tally = pr.Tally([0, 1])
    tally.update(y, score, weight)
    binned = tally.evaluate("auc")
    assert abs(binned.standard_error - exact.standard_error) <= binned.certificate.error_within
