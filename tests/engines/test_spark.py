"""The engine on Spark says what memory and DuckDB say, whatever the partitions and however often a task dies."""

import os
import signal
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import polyroc as pr
import spark_daemon
from engine_data import MATRIX
from engine_files import P, Q, frame
from polyroc.engines import spark as spark_engine
from polyroc.engines.bins import Layout
from polyroc.engines.refine import evaluate_rows
from polyroc.engines.request import EvaluationRequest
from polyroc.engines.rows import Batch, MemoryRows
from polyroc.engines.scan import Scan, ScanPlan
from polyroc.errors import InputError, MissingPackageError, NotApplicableError, OutOfSpaceError, StackedRowsWarning
from polyroc.measures.registry import measure
from polyroc.scores import Schema
from spark_settings import JAVA, SETTINGS
from support_cases import agree, entries, options_of
from support_cases import table as support_table

# Small data: to compile a query, or to plan it again after each of its stages, takes longer than to run it.
# `test_spark_connect.py` does both, as users do.
INTERPRETED = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A session of two cores in which a task may fail three times."""
    if JAVA is None:
        if os.environ.get("POLYROC_REQUIRE_JAVA") == "1":
            pytest.fail("Spark's tests may not be skipped here, and there is no Java.")
        pytest.skip("Spark needs Java, and there is none.")
    from pyspark.sql import SparkSession

    aside = str(tmp_path_factory.mktemp("spark"))
    settings = {**SETTINGS, **INTERPRETED, "spark.local.dir": aside, "spark.sql.warehouse.dir": aside}
    settings["spark.python.daemon.module"] = spark_daemon.__name__
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}.items():
            patch.setenv(name, value)
        patch.setenv("PYTHONPATH", str(Path(spark_daemon.__file__).parent), prepend=os.pathsep)
        session = SparkSession.builder.master("local[2,4]").config(map=settings).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def rows():
    return frame()


@pytest.fixture(scope="module")
def table(spark, rows):
    """One large partition, small ones, and one without rows; kept by Spark between the tests."""
    part = np.repeat(np.arange(5), [2900, 50, 30, 15, 5])
    whole = spark.createDataFrame(rows.with_columns(part=part).to_arrow())
    result = whole.repartition(5, "part").drop("part").cache()
    sizes = sorted(result.rdd.glom().map(len).collect())
    assert sizes[0] == 0 < sizes[-2] < 2900 <= sizes[-1]
    return result


@pytest.fixture(scope="module")
def two_classes(spark):
    return spark.createDataFrame(support_table().to_arrow()).coalesce(2).cache()


@pytest.fixture(scope="module")
def file(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    rows.write_parquet(path)
    return path


@pytest.mark.slow
def test_spark_equals_memory(spark, table, rows):
    options = {"truth": "kind", "scores": P, "sample_weight": "w", "measure": MATRIX}
    evaluation = pr.evaluate(table, engine=spark, exact=True, **options)
    memory = pr.evaluate(pr.read(rows, truth="kind", scores=P, sample_weight="w"), measure=MATRIX)
    for key in MATRIX:
        one, other = evaluation.estimates["classifier", key], memory.estimates["classifier", key]
        assert one.value == pytest.approx(other.value, abs=1e-12)  # sums in another order
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)
        assert one.bounds[0] <= other.value <= one.bounds[1]
        assert one.provenance.cases == other.provenance.cases


@pytest.mark.slow
def test_spark_counts_as_duckdb_does(spark, table, file):
    """Counts are integers: value and bounds are the same to the last bit, in passes that cut finer too."""
    options = {"truth": "kind", "scores": {"p": P, "q": Q}, "measure": "hand_till", "memory": "1GB"}
    calls = []
    comparison = pr.compare(table, engine=spark, tolerance=1e-7, **options)
    other = pr.compare(file, engine="duckdb", tolerance=1e-7, **options)
    for one, two in zip(comparison.estimates.values(), other.estimates.values(), strict=True):
        assert (one.value, one.bounds) == (two.value, two.bounds)
        assert one.certificate.passes == two.certificate.passes == 2
        assert one.certificate.rows == 3000
    assert comparison.covariance == pytest.approx(other.covariance, rel=1e-9)  # sums of products are rounded
    pr.evaluate(
        table, truth="kind", scores=P, measure="accuracy", method=None, progress=lambda *call: calls.append(call)
    )
    assert calls == [(3000, 3000, "pass 1")]


@pytest.mark.slow
def test_curve_and_operating_point(spark, table, file, rows):
    two = rows.filter(pl.col("kind") != "c")
    options = {"truth": "kind", "scores": "s", "pos_label": "b"}
    some = table.where("kind != 'c'")
    drawn = pr.curve(some, engine=spark, exact=True, kind="pr", band="pointwise", **options)
    memory = pr.curve(pr.read(two, **options), kind="pr", band="pointwise")
    assert drawn.tpr == pytest.approx(memory.tpr, abs=1e-12)
    assert drawn.thresholds == pytest.approx(memory.thresholds)
    assert drawn.area.value == pytest.approx(memory.area.value, abs=1e-12)
    assert drawn.band.low == pytest.approx(memory.band.low, abs=1e-9)
    cost = {"costs": [[0, 1], [5, 0]], **options}
    chosen = pr.operate(some, engine=spark, evaluate_on=some, **cost)
    two.write_parquet(file.parent / "two.parquet")
    other = pr.operate(
        file.parent / "two.parquet", engine="duckdb", evaluate_on=file.parent / "two.parquet", **cost
    )
    assert chosen.rule.threshold == other.rule.threshold
    assert chosen.expected_cost == other.expected_cost


@pytest.mark.slow
def test_decisions(spark, table, file):
    """The rule travels to the executors; patterns of decisions are counted there."""
    options = {"truth": "kind", "scores": P, "sample_weight": "w", "calibrated": True, "priors": [0.1, 0.2, 0.7]}
    point = pr.operate(table, engine=spark, **options)
    other = pr.operate(file, engine="duckdb", **options)
    assert point.rule == other.rule
    assert (point.confusion.counts == other.confusion.counts).all()
    assert point.cost.standard_error == other.cost.standard_error
    with pytest.raises(InputError, match=r"probabilities in \[0, 1\] here, got "):
        pr.operate(table.withColumn("p_c", 3 * table["p_c"]), engine=spark, **options)


@pytest.mark.slow
@pytest.mark.parametrize("room", [2**20, 0])  # without room no group fits into a task, and each has passes
def test_groups(spark, table, rows, room, monkeypatch):
    limited = spark_engine.estimate_frame_groups
    monkeypatch.setattr(
        spark_engine, "estimate_frame_groups", lambda data, options, _: limited(data, options, room)
    )
    options = {"truth": "kind", "scores": "s", "pos_label": "b", "measure": "auc"}
    some = table.where("kind != 'c'")
    evaluation = pr.evaluate(some, engine=spark, by=["country"] if room else "country", **options)
    assert [*evaluation] == [("fr",), ("it",)]
    for (country,), estimate in evaluation.items():
        kept = rows.filter((pl.col("country") == country) & (pl.col("kind") != "c"))
        alone = pr.evaluate(kept["kind"], kept["s"], measure="auc", pos_label="b")
        assert estimate.bounds[0] <= alone.value <= estimate.bounds[1]
        assert estimate.certificate.width < (1e-10 if room else 1e-3)  # rounding, or cells
        within = estimate.certificate.error_within + 1e-12
        assert estimate.standard_error == pytest.approx(alone.standard_error, abs=within)
    compared = pr.compare(some, engine=spark, by="country", **{**options, "scores": {"s": "s", "p": "p_b"}})
    for country, one in compared.items():
        kept = rows.filter((pl.col("country") == country[0]) & (pl.col("kind") != "c"))
        alone = pr.compare(kept["kind"], {"s": kept["s"], "p": kept["p_b"]}, measure="auc", pos_label="b")
        assert one.covariance == pytest.approx(alone.covariance, rel=1e-8 if room else 1e-2)  # exact, or cells
        assert one.difference("s", "p").value == pytest.approx(alone.difference("s", "p").value, abs=1e-3)


def in_one_column(table, kind):
    """Numbers and names of the classes, and the probabilities of all classes in one column."""
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions as sql

    together = sql.array(*P)
    return table.select(
        sql.expr("CASE kind WHEN 'a' THEN 0D WHEN 'b' THEN 1D ELSE 2D END").alias("label"),
        (together if kind == "array" else array_to_vector(together)).alias("probability"),
        "kind",
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "classes"),
    [("vector", {"truth": "label"}), ("array", {"truth": "kind", "labels": ["a", "b", "c"]})],
    ids=["vector", "array"],
)
def test_one_column_for_all_classes(spark, table, rows, kind, classes):
    """Spark ML writes class probabilities as a vector, in the order of the classes' numbers."""
    options = {"scores": "probability", "measure": "hand_till", **classes}
    memory = pr.evaluate(pr.read(rows, truth="kind", scores=P), measure="hand_till")
    numbered = in_one_column(table, kind)
    evaluation = pr.evaluate(numbered, exact=True, **options)
    assert evaluation.value == pytest.approx(memory.value, abs=1e-12)
    assert evaluation.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    hole = numbered.selectExpr("label", "kind", "if(label = 2, null, probability) AS probability")
    with pytest.raises(InputError, match=r"column 'probability\[0\]' of the Spark data frame has missing values"):
        pr.evaluate(hole, **options)


@pytest.mark.slow
def test_one_column_whose_order_is_not_known(spark, table):
    numbered = in_one_column(table, "vector")
    with pytest.raises(InputError, match=r"order that is not known; name the classes .* labels=\[\.\.\.\]"):
        pr.evaluate(numbered, truth="kind", scores="probability", measure="hand_till")
    with pytest.raises(InputError, match="'probability' of the Spark data frame holds 3 numbers in a row, where "):
        pr.evaluate(numbered.where("label < 2"), truth="label", scores="probability", measure="auc")


@pytest.mark.slow
def test_weights_of_any_size(spark, table, rows):
    """Only ratios of weights matter, as in memory, and these must be ones that doubles can add up."""
    scale = 1e-200
    options = {"truth": "kind", "scores": P, "sample_weight": "w", "measure": "hand_till"}
    memory = pr.evaluate(pr.read(rows, truth="kind", scores=P, sample_weight="w"), measure="hand_till")
    small = table.withColumn("w", table["w"] * scale)
    estimate = pr.evaluate(small, exact=True, **options)
    assert estimate.value == pytest.approx(memory.value, abs=1e-12)
    assert estimate.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    rates = [pr.rates(one, truth="kind", scores=P, sample_weight="w") for one in (table, small)]
    assert rates[1].counts == pytest.approx(rates[0].counts * scale, rel=1e-9)
    uneven = table.selectExpr("kind", *P, "country", f"if(country = 'fr', {scale}D, 1D) * w AS w")
    with pytest.raises(InputError, match="differ by a factor of more than"):  # as in memory
        pr.evaluate(uneven, by="country", **options)


@pytest.mark.slow
def test_large_integers(spark):
    """Different numbers would tie silently as doubles."""
    options = {"truth": "y", "scores": "s", "measure": "auc"}
    base = "id % 2 AS y", "CAST(id AS BIGINT) + {} AS s"
    near = spark.range(100).selectExpr(base[0], base[1].format(2**53))
    with pytest.raises(InputError, match=r"column 's' of the Spark data frame holds .* double precision cannot"):
        pr.evaluate(near, **options)
    for decimal in ("CAST(s AS DECIMAL(38, 0)) + 1", "CAST(s AS DECIMAL(30, 0)) / 3.0"):
        with pytest.raises(InputError, match="different scores would become equal"):
            pr.evaluate(near.selectExpr("y", f"{decimal} AS s"), **options)
    below = (spark.range(100).selectExpr(base[0], base[1].format(offset)) for offset in (2**52, 0))
    assert len({pr.evaluate(frame, exact=True, **options).value for frame in below}) == 1
    even = spark.range(100).selectExpr(base[0], f"2 * id + {2**53} AS s")
    assert pr.evaluate(even, exact=True, **options).certificate.rows == 100  # all of these are doubles


@pytest.fixture(scope="module")
def patients(spark, rows):
    """The rows with their patients, by Polars and by Spark."""
    named = rows.with_columns(patient=pl.Series([f"p{(12 * i + 5) % 371}" for i in range(3000)]))
    return named, spark.createDataFrame(named.to_arrow()).repartition(5).cache()


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "w"])
def test_clusters(patients, weight):
    """The rows of a patient are brought together by a shuffle, and one cluster is open at a time."""
    named, whole = patients
    options = {"truth": "kind", "scores": {"p": P, "q": Q}, "sample_weight": weight}
    memory = pr.compare(pr.read(named, groups="patient", **options), measure="ova")
    comparison = pr.compare(whole, groups="patient", measure="ova", exact=True, **options)
    assert comparison.covariance == pytest.approx(memory.covariance, rel=1e-9)
    for name, one in comparison.estimates.items():
        assert one.provenance.groups == memory.estimates[name].provenance.groups == 371
        assert one.effective == pytest.approx(memory.estimates[name].effective)
        for key, part in one.parts.items():
            assert part.standard_error == pytest.approx(memory.estimates[name].parts[key].standard_error, rel=1e-9)


@pytest.mark.slow
def test_clusters_by_country_and_without_a_patient(patients):
    named, whole = patients
    options = {"truth": "kind", "scores": P, "sample_weight": "w"}
    for (country,), one in pr.evaluate(whole, groups="patient", by="country", measure="ova", **options).items():
        kept = pr.read(named.filter(pl.col("country") == country), groups="patient", **options)
        assert one.standard_error == pytest.approx(pr.evaluate(kept, measure="ova").standard_error, rel=1e-9)
    hole = whole.selectExpr("kind", *P, "w", "nullif(patient, 'p5') AS patient")
    with pytest.raises(InputError, match="column 'patient' of the Spark data frame has missing values in "):
        pr.evaluate(hole, groups="patient", measure="ova", **options)
    with pytest.warns(pr.errors.DroppedRowsWarning):
        dropped = pr.evaluate(hole, groups="patient", measure="accuracy", missing="drop", **options)
    assert dropped.provenance.groups == 370


SLOW_VERBS = ("scores",)  # features that are tried with every verb


SAME = {("labels", "integer"), ("limits", "exact")}  # as ("scores", "one"): integers, and always `exact`


def is_tried(feature, verb, variant, allowed):
    """Whether Spark is started for an entry: for what is not allowed; else for `evaluate` and some other verbs."""
    if not allowed:
        return True
    if verb == "evaluate":
        return (feature, variant) not in SAME
    return feature in SLOW_VERBS and variant != "weights"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("feature", "verb", "variant", "allowed"), [entry for entry in entries("spark") if is_tried(*entry.values)]
)
@pytest.mark.filterwarnings("ignore")
def test_support(two_classes, feature, verb, variant, allowed):
    """The table of what is supported, as in test_support.py."""
    options = options_of(feature, verb)[variant]
    more = {} if feature == "limits" else {"exact": True}
    more |= {"measure": "pdi"} if feature == "measures" else {}
    agree(two_classes, support_table(), "spark", feature, verb, options, allowed, more)


@pytest.mark.slow
def test_killed_and_tried_again(spark, table, file, monkeypatch):
    """The process that counts a partition is killed in the middle of it, the first time."""

    def dying(load, tables):
        from pyspark import TaskContext

        from polyroc.engines.spark import count

        def watched():
            for batch in tables:
                yield batch
                if TaskContext.get().attemptNumber() == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        yield from count(load, watched())

    monkeypatch.setattr("polyroc.engines.spark.count", dying)
    options = {"truth": "kind", "scores": P, "measure": "hand_till", "method": None, "memory": "1GB"}
    failed = failures(spark)
    estimate = pr.evaluate(table.coalesce(2), engine=spark, **options)
    assert failures(spark) >= failed + 1  # a partition without rows does not die
    other = pr.evaluate(file, engine="duckdb", **options)
    assert (estimate.value, estimate.bounds) == (other.value, other.bounds)
    assert estimate.certificate.rows == 3000


def stages(spark):
    """What Spark itself has noted of its stages."""
    context, gateway = spark.sparkContext, spark.sparkContext._gateway
    context._jsc.sc().listenerBus().waitUntilEmpty()
    store, nothing = context._jsc.sc().statusStore(), gateway.jvm.java.util.ArrayList()
    listed = store.stageList(nothing, False, False, gateway.new_array(gateway.jvm.double, 0), nothing)
    return [listed.apply(i) for i in range(listed.size())]


def failures(spark):
    return sum(stage.numFailedTasks() for stage in stages(spark))


@pytest.mark.slow
def test_rows_of_several_classifiers(spark):
    """As in memory and over files: see test_stacked_rows.py."""
    names = np.repeat(["lr", "rf", "nb"], 50)
    cases = {"id": [f"case {i % 50}" for i in range(150)], "model": names, "y": np.arange(150) % 2}
    stacked = pl.DataFrame({**cases, "s": np.random.default_rng(5).normal(size=150)})
    with pytest.warns(StackedRowsWarning, match="classifier='model'"):
        pr.evaluate(spark.createDataFrame(stacked.to_arrow()), truth="y", scores="s", measure="auc")


@pytest.mark.slow
def test_bytes_to_the_driver(spark):
    """Spark's own count of what its tasks sent there: ten times the rows, the same bytes."""
    received = {}
    for n in (10**5, 10**6):
        made = spark.range(n, numPartitions=4).selectExpr("id % 2 AS y", "(rand(1) + 0.1 * (id % 2)) / 1.1 AS s")
        before = sum(stage.resultSize() for stage in stages(spark))
        evaluation = pr.evaluate(made, truth="y", scores="s", measure="auc", engine=spark)
        received[n] = sum(stage.resultSize() for stage in stages(spark)) - before
        assert evaluation.certificate.rows == n
    assert received[10**6] < 1.5 * received[10**5]
    assert received[10**6] < 2 * 2**20  # of 16 MB


class TestTrouble:
    """Every error says which column, and what to do."""

    def evaluate(self, table, **options):
        return pr.evaluate(table, **{"truth": "kind", "scores": P, "measure": "hand_till", **options})

    @pytest.mark.slow
    def test_missing_scores(self, table):
        hole = table.selectExpr("kind", "p_a", "p_c", "w", "CASE WHEN w < 0.01 THEN NULL ELSE p_b END AS p_b")
        n = hole.where("p_b IS NULL").count()
        with pytest.raises(InputError, match=rf"'p_b' of the Spark data frame has missing values in {n} of 3000"):
            self.evaluate(hole)
        with pytest.warns(pr.errors.DroppedRowsWarning, match=f"Dropped {n} of 3000"):
            assert self.evaluate(hole, missing="drop", method=None).provenance.dropped == n

    @pytest.mark.slow
    def test_infinite_scores(self, table):
        with pytest.raises(InputError, match="infinity in 3000 of 3000 rows"):
            self.evaluate(table.selectExpr("kind", "p_a", "p_b", "double('infinity') AS p_c"))

    @pytest.mark.slow
    def test_labels(self, table):
        with pytest.raises(InputError, match="no true class"):
            self.evaluate(table.selectExpr("nullif(kind, 'a') AS kind", "p_b", "p_c"), scores=["p_b", "p_c"])
        with pytest.raises(InputError, match="'c'"):
            self.evaluate(table, labels=["a", "b"], scores=["p_a", "p_b"])
        with pytest.raises(InputError, match="lists or records"):
            self.evaluate(table.selectExpr("array(kind) AS kind", *P))

    @pytest.mark.slow
    def test_weights(self, table):
        with pytest.raises(InputError, match="between 0 and"):
            self.evaluate(table.selectExpr("kind", *P, "-w AS w"), sample_weight="w")

    def test_columns(self, table):
        with pytest.raises(InputError, match=r"no column 'knid'.*Did you mean 'kind'"):
            self.evaluate(table, truth="knid")
        with pytest.raises(InputError, match=r"no column .* \(by\)"):
            self.evaluate(table, by="contry")
        with pytest.raises(NotApplicableError, match="'p_c' of the Spark data frame holds text where numbers"):
            self.evaluate(table.withColumn("p_c", table["p_c"].cast("string")))
        with pytest.raises(InputError, match="more than one column named 'kind'"):
            self.evaluate(table.select("kind", "kind", *P))

    @pytest.mark.slow
    def test_a_group_says_its_name(self, table):
        hole = table.selectExpr("kind", "p_a", "p_b", "country", "nullif(p_c, p_c) AS p_c")
        with pytest.raises(InputError, match=r"Group (fr|it): "):
            self.evaluate(hole, by="country")

    def test_engines(self, spark, table, file):
        for engine in ("duckdb", "memory"):
            with pytest.raises(InputError, match="evaluated by Spark"):
                self.evaluate(table, engine=engine)
        with pytest.raises(InputError, match=r"spark\.read\.parquet"):
            self.evaluate(file, engine=spark)
        with pytest.raises(NotApplicableError, match="disk is not available for Spark data frames; use spark"):
            self.evaluate(table, disk="1GB")
        with pytest.raises(InputError, match="truth"):
            pr.evaluate(table, measure="auc")
        with pytest.raises(NotApplicableError, match=r"Bootstrap\(.*\) is not available for Spark data frames"):
            self.evaluate(table, method=pr.methods.Bootstrap(replicates=10, rng=0))

    @pytest.mark.slow
    def test_too_many_values(self, table):
        with pytest.raises(OutOfSpaceError, match="distinct values of 'p_a'"):
            self.evaluate(table, exact=True, memory=2**16)

    @pytest.mark.slow
    def test_executors_without_polyroc(self, table, monkeypatch):
        def absent(load, tables):
            raise ModuleNotFoundError("No module named 'polyroc'")

        monkeypatch.setattr("polyroc.engines.spark.count", absent)
        with pytest.raises(MissingPackageError, match="executors cannot import polyroc"):
            self.evaluate(table.coalesce(1))

    @pytest.mark.slow
    def test_failure_of_the_data(self, table):
        with pytest.raises(InputError, match=r"cannot be scanned: .*(?i:divi)"):
            self.evaluate(table.selectExpr("kind", "p_a", "p_b", "1 / (length(kind) - 1) AS p_c"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("later", "message"),
    [
        (lambda codes: codes[:2999], "3000 rows in the previous scan and 2999 in this one"),
        (lambda codes: np.where(np.arange(3000) == 2000, -1, codes).astype(np.int32), "A row has no true class"),
        (
            lambda codes: np.where(np.arange(3000) == 2000, -2, codes).astype(np.int32),
            "true class of a row is not among",
        ),
    ],
)
def test_rows_that_change_between_passes(rows, later, message):
    class Changing(MemoryRows):
        def scan(self, scan, report):
            codes, columns = self.batch.codes, self.batch.columns
            codes = codes if scan.plan.check_values else later(codes)
            scan.run((batch for batch in [Batch(codes, [one[: len(codes)] for one in columns], None)]), report)

    codes = np.searchsorted(["a", "b", "c"], rows["kind"]).astype(np.int32)
    changing = Changing(Batch(codes, [rows[name].to_numpy() for name in P], None))
    schema = Schema(("a", "b", "c"), "matrix")
    with pytest.raises(InputError, match=message):
        evaluate_rows(changing, EvaluationRequest([measure("hand_till")], {"one": (0, 1, 2)}, schema))


def test_messages_between_executors():
    schema = Schema((0, 1), positive=1)
    plan = ScanPlan({"one": (0,)}, schema, False, {"one": {0: Layout.of(4)}}, (), None, True)
    scan, again = Scan(plan), Scan(plan)
    scan.run(
        (batch for batch in [Batch(np.array([0, 1], np.int32), [np.array([0.1, 0.7])], None)]), lambda _: None
    )
    (message,) = spark_engine._message(scan, None).to_pylist()
    spark_engine._add_message(again, message["counts"])
    assert (again.counts["one"].bins[0].records == scan.counts["one"].bins[0].records).all()
    (failed,) = spark_engine._message(scan, InputError("Rows of another world.")).to_pylist()
    with pytest.raises(InputError, match="another world"):
        spark_engine._add_message(again, failed["counts"])
