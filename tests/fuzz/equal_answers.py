"""One table, several ways to the answer: memory, files by DuckDB, tallies, Spark, scikit-learn, fractions.

The answers are equal, or the certificate says why not: the value in memory is within the bounds. What a way does
not offer is an error that says so, and counts as rejected.
"""

import sys
import warnings
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

import polyroc as pr
import spark_daemon
from all_measures import ALL
from fuzz.registry import subject
from fuzz.tables import Answer, table_for
from polyroc.errors import PolyrocError
from spark_settings import JAVA, SETTINGS

ROUNDING = 1e-11
PROMISE = "the value in memory, or bounds that contain it; the standard error, or a certified bound"
TEST = "tests/fuzz/test_equal_answers.py"
REFERENCE = Path(__file__).parents[2] / "reference"


def quietly(action):
    """What an action returns, or the error of polyroc that it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return action()
        except PolyrocError as error:
            return error


def in_memory(table, measure):
    """The estimate of the first classifier, from arrays."""
    first = table.scores["a"]
    return quietly(lambda: pr.evaluate(table.truth, first, measure=measure, **table.options))


def near(one, other):
    return bool(np.isclose(one, other, rtol=1e-9, atol=ROUNDING, equal_nan=True))


def check_certified(estimate, memory, what):
    """An engine's estimate against that of memory; True if it was rejected."""
    if isinstance(estimate, PolyrocError) or isinstance(memory, PolyrocError):
        not_offered = isinstance(estimate, pr.errors.NotApplicableError)
        assert not_offered or isinstance(estimate, type(memory)), f"{what}: {estimate!r}; memory: {memory!r}"
        return True
    certificate = estimate.certificate
    message = f"{what}: {estimate.value!r} {certificate} se {estimate.standard_error!r}; "
    message += f"memory: {memory.value!r} se {memory.standard_error!r}"
    if certificate is None:
        assert near(estimate.value, memory.value), message
        assert near(estimate.standard_error**2, memory.standard_error**2), message
        return False
    if np.isnan(memory.value):
        assert np.isnan(estimate.value), message
        return False
    slack = ROUNDING * max(1.0, abs(memory.value)) if np.isfinite(memory.value) else 0.0
    assert certificate.low - slack <= memory.value <= certificate.high + slack, message
    assert near(estimate.value, memory.value) or certificate.width > 1e-10, message
    check_error(estimate, memory, message)
    return False


def check_error(estimate, memory, message):
    """A standard error is the same, within its bound, or a bound itself."""
    one, other, certificate = estimate.standard_error, memory.standard_error, estimate.certificate
    if np.isnan(other) or np.isnan(one):
        assert np.isnan(other) == np.isnan(one), message
    elif certificate.error_is_bound:
        # A bound for the ties of the bins; their order may add the rest, unless it is in the interval already.
        order = 0.0 if certificate.in_interval else np.nan_to_num(certificate.error_within)
        assert one >= other - order - 1e-8, message
    elif np.isfinite(certificate.error_within):
        assert abs(one - other) <= certificate.error_within + 1e-8, message


def frame_of(table):
    """The table as a data frame, and the options that name its columns."""
    first = table.scores["a"]
    names = ["s"] if first.ndim == 1 else [f"p{k}" for k in range(table.classes)]
    columns = {"truth": table.truth, **dict(zip(names, np.atleast_2d(first.T), strict=True))}
    options = {key: value for key, value in table.options.items() if key not in ("sample_weight", "groups")}
    options |= {"truth": "truth", "scores": names[0] if first.ndim == 1 else names}
    for name, column, option in (("w", table.weights, "sample_weight"), ("g", table.groups, "groups")):
        if column is not None:
            columns[name] = column
            options[option] = name
    return pl.DataFrame(columns), options


def drawn(rng, most=40):
    """A measure and a table for it."""
    measure = ALL[rng.integers(len(ALL))]
    return measure, table_for(rng, measure, most)


def written(rng, frame, folder):
    """The table as one Parquet file, several of them, or a CSV file."""
    kind = rng.integers(3)
    if kind == 0:
        path = folder / "cases.csv"
        frame.write_csv(path)
        return path
    cut = int(rng.integers(0, len(frame) + 1)) if kind == 1 else 0
    for number, part in enumerate((frame[:cut], frame[cut:])):
        if len(part):
            part.write_parquet(folder / f"{number}.parquet")
    return folder


@subject(
    "DuckDB and memory",
    "random tables as Parquet or CSV files, one or several, to the last bin or to a tolerance",
    PROMISE,
    TEST,
    share=3.0,
    is_damaged=False,
)
def duckdb_engine(rng, folder):
    measure, table = drawn(rng)
    frame, options = frame_of(table)
    path = written(rng, frame, folder)
    precision = [{"exact": True}, {"tolerance": 0.1}, {"covariance": "bound"}][rng.integers(3)]
    estimate = quietly(lambda: pr.evaluate(path, measure=measure, engine="duckdb", **precision, **options))
    return check_certified(estimate, in_memory(table, measure), f"{measure} of {path.name} by DuckDB, {precision}")


@subject(
    "tallies and memory",
    "random tables tallied in batches, some of them stored and merged in any order",
    PROMISE,
    TEST,
    share=2.0,
    is_damaged=False,
)
def tally(rng, folder):
    measure, table = drawn(rng)
    table = replace(table, groups=None)
    positive = {"pos_label": table.labels[1]} if table.classes == 2 else {}
    bits = int(rng.choice([3, 8, 12]))

    def tallied():
        whole = pr.Tally(list(table.labels), bits=bits, **positive)
        for part in np.array_split(rng.permutation(len(table.y)), rng.integers(1, 4)):
            rows = table.rows(part)
            batch = pr.Tally(list(table.labels), bits=bits, **positive)
            batch.update(rows.truth, rows.scores["a"], rows.weights)
            whole.merge(pr.Tally.from_bytes(batch.to_bytes()) if rng.integers(2) else batch)
        return whole.evaluate(measure, sampling=table.sampling)

    return check_certified(quietly(tallied), in_memory(table, measure), f"{measure} of a tally of {bits} bits")


@cache
def spark():
    """A session that lives as long as this process; None without Java or pyspark."""
    if JAVA is None:
        return None
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None
    import os

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    paths = [str(Path(spark_daemon.__file__).parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    settings = {
        **SETTINGS,
        "spark.python.daemon.module": spark_daemon.__name__,
        "spark.sql.adaptive.enabled": "false",
    }
    session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


@subject(
    "Spark and memory",
    "random tables as Spark data frames in one to four partitions",
    PROMISE,
    "tests/engines/test_spark.py",
    share=3.0,
    is_damaged=False,
)
def spark_engine(rng, folder):
    session = spark()
    if session is None:
        return True
    measure, table = drawn(rng)
    frame, options = frame_of(table)
    data = session.createDataFrame(frame.to_arrow()).repartition(int(rng.integers(1, 5)))
    estimate = quietly(lambda: pr.evaluate(data, measure=measure, engine=session, exact=True, **options))
    return check_certified(estimate, in_memory(table, measure), f"{measure} by Spark")


# Other implementations of the measures


def by_scikit_learn(table, measure):
    """The value of scikit-learn; None where it has no such measure, or another convention."""
    from sklearn import metrics

    s, y, w = table.scores["a"], table.y, table.weights
    if measure.key in ("auc", "average_precision"):
        score = {"auc": metrics.roc_auc_score, "average_precision": metrics.average_precision_score}[measure.key]
        return score(y, s, sample_weight=w)
    if measure.key in ("sensitivity", "specificity", "npv", "ppv") and measure.settings.get("prevalence") is None:
        threshold, side = measure.settings.get("threshold"), int(measure.key in ("sensitivity", "ppv"))
        if threshold is None or s.ndim != 1:
            return None
        rate = metrics.recall_score if measure.key in ("sensitivity", "specificity") else metrics.precision_score
        return rate(y, (s >= threshold).astype(int), pos_label=side, sample_weight=w, zero_division=np.nan)
    if s.ndim == 1:
        return None
    return _of_columns(metrics, measure, y, s, w)


def _of_columns(metrics, measure, y, P, w):
    """Measures of one column per class."""
    codes = np.arange(P.shape[1])
    sums = np.allclose(P.sum(axis=1), 1)
    if measure.key == "hand_till" and w is None and sums and len(codes) > 2:
        return metrics.roc_auc_score(y, P, multi_class="ovo", labels=codes)
    if measure.key == "ova" and sums and len(codes) > 2:
        return metrics.roc_auc_score(y, P, multi_class="ovr", labels=codes, sample_weight=w)
    if (
        measure.key in ("accuracy", "macro_average")
        and ((P.max(axis=1, keepdims=True) == P).sum(axis=1) == 1).all()
    ):
        score = {"accuracy": metrics.accuracy_score, "macro_average": metrics.balanced_accuracy_score}[measure.key]
        return score(y, P.argmax(axis=1), sample_weight=w)
    if measure.key == "log_loss" and not measure.chosen and (P > 1e-12).all():
        return metrics.log_loss(y, P, labels=codes, sample_weight=w)
    if measure.key == "brier" and len(codes) == 2:
        return metrics.brier_score_loss(y, P[:, 1], sample_weight=w)
    return None


@subject(
    "scikit-learn and memory",
    "random tables for the measures that scikit-learn has, with its conventions (no shared decisions)",
    "the value of scikit-learn",
    TEST,
    is_damaged=False,
)
def scikit_learn(rng, folder):
    measure, table = drawn(rng)
    table = replace(table, groups=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = by_scikit_learn(table, measure)
    if peer is None:
        return True
    memory = in_memory(table, measure)
    assert near(memory.value, peer), f"{measure}: {memory.value!r}; scikit-learn: {peer!r}"
    return False


@cache
def definitions():
    """The definitions of the reference set, in rational arithmetic."""
    sys.path.insert(0, str(REFERENCE))
    try:
        return import_module("definitions")
    finally:
        sys.path.remove(str(REFERENCE))


EXACT = {
    "auc": "auc",
    "average_precision": "average_precision",
    "cost_area": "cost_area",
    "hand_till": "hand_till",
    "ova": "one_versus_all",
    "pdi": "pdi",
    "accuracy": "accuracy",
    "macro_average": "macro_average",
    "pairwise_accuracy": "pairwise_accuracy",
    "brier": "brier",
    "brier_skill": "brier_skill",
    "vus": "vus",
    "umbrella": "umbrella",
    "mossman": "mossman",
}
NOT_SEPARABLE = ("average_precision", "cost_area", "brier_skill")


def by_fractions(table, measure):
    """Value and variance, class sizes fixed, from the definition; no variance where it needs derivatives."""
    exact = definitions()
    value = getattr(exact, EXACT[measure.key])
    y = table.y.tolist()
    w = [Fraction(v) for v in (np.ones(len(y)) if table.weights is None else table.weights).tolist()]
    s = table.scores["a"].tolist()
    rows = [Fraction(v) for v in s] if table.width == 1 else [[Fraction(v) for v in row] for row in s]
    answer = value(y, rows, w)
    counts = [
        sum(1 for code, weight in zip(y, w, strict=True) if code == k and weight) for k in range(table.classes)
    ]
    # With weights the shares of the classes are random, which adds a term: reference/build.py has it.
    if measure.key in NOT_SEPARABLE or min(counts) < 2 or (measure.prevalence and table.weights is not None):
        return Answer(float(answer), None)
    columns = exact.components(lambda v: value(y, rows, v), y, w)
    return Answer(float(answer), float(exact.covariance(columns, columns, y, w)))


def has_near_ties(table):
    """Whether differences that are not equal tie by Mossman's measure's documentation: within 1e-12."""
    exact = sorted({Fraction(row[1]) - Fraction(row[0]) for row in table.scores["a"].tolist()})
    return any(high - low < Fraction(1, 10**11) for low, high in pairwise(exact))


@subject(
    "fractions and memory",
    "random tables of few cases for the measures that reference/definitions.py has in rational arithmetic",
    "value and variance of the definition",
    TEST,
    is_damaged=False,
)
def fractions(rng, folder):
    measure, table = drawn(rng, most=16)
    if measure.key not in EXACT or measure.chosen or (measure.key == "mossman" and has_near_ties(table)):
        return True
    table = replace(table, groups=None, sampling="case-control")
    memory, exact = in_memory(table, measure), by_fractions(table, measure)
    assert near(memory.value, exact.values), f"{measure}: {memory.value!r}; fractions: {exact.values!r}"
    if exact.covariance is not None:
        variance = memory.standard_error**2
        assert near(variance, exact.covariance), (
            f"{measure}: variance {variance!r}; fractions: {exact.covariance!r}"
        )
    return False
