"""The client of `tests/engines/test_spark_connect.py`: verbs over a data frame of Spark Connect, and in memory."""

import sys

import numpy as np
import polars as pl
from pyspark.ml.functions import array_to_vector
from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

import polyroc as pr
from engine_files import P, Q
from polyroc.errors import InputError

SCORES = {"p": P, "q": Q}


def main(path):
    """Print the name of each check that holds."""
    spark = SparkSession.builder.remote("local[2]").getOrCreate()
    rows, table = pl.read_parquet(path), spark.read.parquet(path)
    assert type(table).__module__.startswith("pyspark.sql.connect")
    checks = (exact, tolerance, by, vector, errors)
    for check in checks:
        check(table, rows)
        sys.stdout.write(f"{check.__name__}\n")
    spark.stop()


def close(one, other, rel):
    """Whether estimates have the same value and standard error."""
    assert np.isclose(one.value, other.value, rtol=0, atol=1e-12 + one.certificate.width), (one, other)
    assert np.isclose(one.standard_error, other.standard_error, rtol=rel), (one, other)


def exact(table, rows):
    """All values, with weights far from 1."""
    small = table.withColumn("w", table["w"] * 1e-30)
    memory = pr.evaluate(pr.read(rows, truth="kind", scores=P, sample_weight="w"), measure="hand_till")
    close(
        pr.evaluate(small, truth="kind", scores=P, sample_weight="w", measure="hand_till", exact=True),
        memory,
        rel=1e-9,
    )


def tolerance(table, rows):
    """Finer bins, which are sent to the executors with the functions."""
    memory = pr.compare(pr.read(rows, truth="kind", scores=SCORES), measure="hand_till")
    comparison = pr.compare(table, truth="kind", scores=SCORES, measure="hand_till", tolerance=1e-7)
    for name, estimate in comparison.estimates.items():
        close(estimate, memory.estimates[name], rel=1e-3)
    assert np.allclose(comparison.covariance, memory.covariance, rtol=1e-3)


def by(table, rows):
    """Each group by a task of its own."""
    evaluation = pr.evaluate(table, truth="kind", scores=P, measure="hand_till", by="country")
    for (country,), estimate in evaluation.items():
        kept = rows.filter(pl.col("country") == country)
        close(estimate, pr.evaluate(pr.read(kept, truth="kind", scores=P), measure="hand_till"), rel=1e-9)


def vector(table, rows):
    """A vector of Spark ML."""
    together = table.select("kind", array_to_vector(sql.array(*P)).alias("probability"))
    options = {"truth": "kind", "labels": ["a", "b", "c"], "measure": "accuracy"}
    evaluation = pr.evaluate(together, scores="probability", **options)
    close(evaluation, pr.evaluate(pr.read(rows, truth="kind", scores=P), measure="accuracy"), rel=1e-9)


def errors(table, rows):
    """Errors of Spark and of the executors are polyroc's."""
    del rows
    for broken in ("nullif(p_c, p_c)", "1 / (length(kind) - 1)"):
        try:
            pr.evaluate(
                table.selectExpr("kind", "p_a", "p_b", f"{broken} AS p_c"),
                truth="kind",
                scores=P,
                measure="hand_till",
            )
        except InputError:
            continue
        raise AssertionError(broken)


if __name__ == "__main__":
    main(sys.argv[1])
