"""Files of predictions that the tests of the engines share."""

import duckdb
import numpy as np
import polars as pl

P = ["p_a", "p_b", "p_c"]


Q = ["q_a", "q_b", "q_c"]


def frame(n=3000, seed=0):
    """Three classes, two classifiers, a score along the classes, weights, two columns that make groups."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    logits = rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[y]
    other = logits + rng.normal(size=(n, 3))
    tables = [np.exp(table) / np.exp(table).sum(axis=1, keepdims=True) for table in (2 * logits, other)]
    tables[0] = np.where(rng.random((n, 1)) < 0.2, tables[0].round(1), tables[0])  # some ties
    columns = dict(zip([*P, *Q], np.hstack(tables).T, strict=True))
    score = y + rng.normal(size=n)
    named = np.array(["a", "b", "c"])[y]
    extra = {"w": rng.random(n) * 2, "country": rng.choice(["fr", "it"], n), "day": rng.integers(1, 4, n)}
    return pl.DataFrame({"kind": named, **columns, "s": score, **extra})


def written(path):
    """The same rows in one file, in several, in partitions, and as text."""
    data = frame()
    data.write_parquet(path / "one.parquet")
    data.write_csv(path / "one.csv")
    (path / "many").mkdir()
    for i, part in enumerate(data.iter_slices(700)):
        part.write_parquet(path / "many" / f"{i}.parquet")
    duckdb.sql(
        f"COPY (SELECT * FROM '{path}/one.parquet') TO '{path}/hive' (FORMAT parquet, PARTITION_BY (country, day))"
    )
    data.filter(pl.col("kind") != "c").write_parquet(path / "two.parquet")
    return path
