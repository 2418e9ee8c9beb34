"""The engine on Spark says what memory and DuckDB say, whatever the partitions and however often a task dies."""

import os
import shutil
import signal
import sys

import numpy as np
import polars as pl
import pytest

import polyroc as pr
from polyroc.engines import spark_executors
from polyroc.engines.bins import Layout
from polyroc.engines.refine import EvaluationRequest, evaluate_rows
from polyroc.engines.rows import Batch, MemoryRows
from polyroc.engines.scan import Scan, ScanPlan
from polyroc.errors import InputError, MissingPackageError, NotApplicableError, OutOfSpaceError
from polyroc.measures.registry import measure
from polyroc.scores import Schema
from test_engine import P, Q, frame
from test_tally import MATRIX

JAVA = shutil.which("java") or os.environ.get("JAVA_HOME")
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",  # sessions are short
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
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
    settings = {**SETTINGS, "spark.local.dir": aside, "spark.sql.warehouse.dir": aside}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}.items():
            patch.setenv(name, value)
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
    found = whole.repartition(5, "part").drop("part").cache()
    sizes = sorted(found.rdd.glom().map(len).collect())
    assert sizes[0] == 0 < sizes[-2] < 2900 <= sizes[-1]
    return found


@pytest.fixture(scope="module")
def file(rows, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    rows.write_parquet(path)
    return path


def test_spark_equals_memory(spark, table, rows):
    asked = {"truth": "kind", "scores": P, "weight": "w", "measure": MATRIX}
    found = pr.evaluate(table, engine=spark, exact=True, **asked)
    memory = pr.evaluate(pr.read(rows, truth="kind", scores=P, weight="w"), measure=MATRIX)
    for key in MATRIX:
        one, other = found.estimates["classifier", key], memory.estimates["classifier", key]
        assert one.value == pytest.approx(other.value, abs=1e-12)  # sums in another order
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)
        assert one.bounds[0] <= other.value <= one.bounds[1]
        assert one.provenance.cases == other.provenance.cases


def test_spark_counts_as_duckdb_does(spark, table, file):
    """Counts are integers: value and bounds are the same to the last bit, in passes that cut finer too."""
    asked = {"truth": "kind", "scores": {"p": P, "q": Q}, "measure": "hand_till", "memory": "1GB"}
    told = []
    found = pr.compare(table, engine=spark, tolerance=1e-7, **asked)
    other = pr.compare(file, engine="duckdb", tolerance=1e-7, **asked)
    for one, two in zip(found.estimates.values(), other.estimates.values(), strict=True):
        assert (one.value, one.bounds) == (two.value, two.bounds)
        assert one.certificate.passes == two.certificate.passes == 2
        assert one.certificate.rows == 3000
    assert found.covariance == pytest.approx(other.covariance, rel=1e-9)  # sums of products are rounded
    pr.evaluate(
        table, truth="kind", scores=P, measure="accuracy", method=None, progress=lambda *each: told.append(each)
    )
    assert told == [(3000, 3000, "pass 1")]


def test_curve_and_operating_point(spark, table, file, rows):
    two = rows.filter(pl.col("kind") != "c")
    asked = {"truth": "kind", "scores": "s", "pos_label": "b"}
    some = table.where("kind != 'c'")
    drawn = pr.curve(some, engine=spark, exact=True, kind="pr", band="pointwise", **asked)
    memory = pr.curve(pr.read(two, **asked), kind="pr", band="pointwise")
    assert drawn.tpr == pytest.approx(memory.tpr, abs=1e-12)
    assert drawn.thresholds == pytest.approx(memory.thresholds)
    assert drawn.area.value == pytest.approx(memory.area.value, abs=1e-12)
    assert drawn.band.low == pytest.approx(memory.band.low, abs=1e-9)
    cost = {"costs": [[0, 1], [5, 0]], **asked}
    chosen = pr.operate(some, engine=spark, evaluate_on=some, **cost)
    two.write_parquet(file.parent / "two.parquet")
    other = pr.operate(
        file.parent / "two.parquet", engine="duckdb", evaluate_on=file.parent / "two.parquet", **cost
    )
    assert chosen.rule.threshold == other.rule.threshold
    assert chosen.expected_cost == other.expected_cost


def test_decisions(spark, table, file):
    """The rule travels to the executors; patterns of decisions are counted there."""
    asked = {"truth": "kind", "scores": P, "weight": "w", "calibrated": True, "priors": [0.1, 0.2, 0.7]}
    found = pr.operate(table, engine=spark, **asked)
    other = pr.operate(file, engine="duckdb", **asked)
    assert found.rule == other.rule
    assert (found.confusion.counts == other.confusion.counts).all()
    assert found.cost.standard_error == other.cost.standard_error
    with pytest.raises(InputError, match=r"probabilities in \[0, 1\] here, got "):
        pr.operate(table.withColumn("p_c", 3 * table["p_c"]), engine=spark, **asked)


@pytest.mark.parametrize("room", [2**20, 0])  # without room no group fits into a task, and each has passes
def test_groups(spark, table, rows, room, monkeypatch):
    from polyroc.engines import spark_frames

    limited = spark_frames.estimate_frame_groups
    monkeypatch.setattr(spark_frames, "estimate_frame_groups", lambda data, asked, _: limited(data, asked, room))
    asked = {"truth": "kind", "scores": "s", "pos_label": "b", "measure": "auc"}
    some = table.where("kind != 'c'")
    found = pr.evaluate(some, engine=spark, by=["country"] if room else "country", **asked)
    assert [*found] == [("fr",), ("it",)]
    for (country,), estimate in found.items():
        kept = rows.filter((pl.col("country") == country) & (pl.col("kind") != "c"))
        alone = pr.evaluate(kept["kind"], kept["s"], measure="auc", pos_label="b")
        assert estimate.bounds[0] <= alone.value <= estimate.bounds[1]
        assert estimate.certificate.width < (1e-10 if room else 1e-3)  # rounding, or cells
        within = estimate.certificate.error_within + 1e-12
        assert estimate.standard_error == pytest.approx(alone.standard_error, abs=within)
    compared = pr.compare(some, engine=spark, by="country", **{**asked, "scores": {"s": "s", "p": "p_b"}})
    for country, one in compared.items():
        kept = rows.filter((pl.col("country") == country[0]) & (pl.col("kind") != "c"))
        alone = pr.compare(kept["kind"], {"s": kept["s"], "p": kept["p_b"]}, measure="auc", pos_label="b")
        assert one.covariance == pytest.approx(alone.covariance, rel=1e-8 if room else 1e-2)  # exact, or cells
        assert one.difference("s", "p").value == pytest.approx(alone.difference("s", "p").value, abs=1e-3)


def test_killed_and_tried_again(spark, table, file, monkeypatch):
    """The process that counts a partition is killed in the middle of it, the first time."""

    def dying(load, tables):
        from pyspark import TaskContext

        from polyroc.engines.spark_executors import count

        def watched():
            for each in tables:
                yield each
                if TaskContext.get().attemptNumber() == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        yield from count(load, watched())

    monkeypatch.setattr("polyroc.engines.spark.count", dying)
    asked = {"truth": "kind", "scores": P, "measure": "hand_till", "method": None, "memory": "1GB"}
    failed = failures(spark)
    found = pr.evaluate(table.coalesce(2), engine=spark, **asked)
    assert failures(spark) >= failed + 1  # a partition without rows does not die
    other = pr.evaluate(file, engine="duckdb", **asked)
    assert (found.value, found.bounds) == (other.value, other.bounds)
    assert found.certificate.rows == 3000


def stages(spark):
    """What Spark itself has noted of its stages."""
    context, gateway = spark.sparkContext, spark.sparkContext._gateway
    context._jsc.sc().listenerBus().waitUntilEmpty()
    store, nothing = context._jsc.sc().statusStore(), gateway.jvm.java.util.ArrayList()
    found = store.stageList(nothing, False, False, gateway.new_array(gateway.jvm.double, 0), nothing)
    return [found.apply(i) for i in range(found.size())]


def failures(spark):
    return sum(stage.numFailedTasks() for stage in stages(spark))


def test_bytes_to_the_driver(spark):
    """Spark's own count of what its tasks sent there: ten times the rows, the same bytes."""
    received = {}
    for n in (10**5, 10**6):
        made = spark.range(n, numPartitions=4).selectExpr("id % 2 AS y", "(rand(1) + 0.1 * (id % 2)) / 1.1 AS s")
        before = sum(stage.resultSize() for stage in stages(spark))
        found = pr.evaluate(made, truth="y", scores="s", measure="auc", engine=spark)
        received[n] = sum(stage.resultSize() for stage in stages(spark)) - before
        assert found.certificate.rows == n
    assert received[10**6] < 1.5 * received[10**5]
    assert received[10**6] < 2 * 2**20  # of 16 MB


class TestTrouble:
    """Every error says which column, and what to do."""

    def evaluate(self, table, **options):
        return pr.evaluate(table, **{"truth": "kind", "scores": P, "measure": "hand_till", **options})

    def test_missing_scores(self, table):
        hole = table.selectExpr("kind", "p_a", "p_c", "w", "CASE WHEN w < 0.01 THEN NULL ELSE p_b END AS p_b")
        n = hole.where("p_b IS NULL").count()
        with pytest.raises(InputError, match=rf"'p_b' of the Spark data frame has missing values in {n} of 3000"):
            self.evaluate(hole)
        with pytest.warns(pr.errors.DroppedRowsWarning, match=f"Dropped {n} of 3000"):
            assert self.evaluate(hole, missing="drop", method=None).provenance.dropped == n

    def test_infinite_scores(self, table):
        with pytest.raises(InputError, match="infinity in 3000 of 3000 rows"):
            self.evaluate(table.selectExpr("kind", "p_a", "p_b", "double('infinity') AS p_c"))

    def test_labels(self, table):
        with pytest.raises(InputError, match="no true class"):
            self.evaluate(table.selectExpr("nullif(kind, 'a') AS kind", "p_b", "p_c"), scores=["p_b", "p_c"])
        with pytest.raises(InputError, match="'c'"):
            self.evaluate(table, labels=["a", "b"], scores=["p_a", "p_b"])
        with pytest.raises(InputError, match="lists or records"):
            self.evaluate(table.selectExpr("array(kind) AS kind", *P))

    def test_weights(self, table):
        with pytest.raises(InputError, match="between 0 and"):
            self.evaluate(table.selectExpr("kind", *P, "-w AS w"), weight="w")

    def test_columns(self, table):
        with pytest.raises(InputError, match=r"no column 'knid'.*Did you mean 'kind'"):
            self.evaluate(table, truth="knid")
        with pytest.raises(InputError, match=r"no column .* \(by\)"):
            self.evaluate(table, by="contry")
        with pytest.raises(InputError, match="'p_c' of the Spark data frame holds text where numbers"):
            self.evaluate(table.withColumn("p_c", table["p_c"].cast("string")))
        with pytest.raises(InputError, match="more than one column named 'kind'"):
            self.evaluate(table.select("kind", "kind", *P))

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
        with pytest.raises(InputError, match="disk limits DuckDB"):
            self.evaluate(table, disk="1GB")
        with pytest.raises(InputError, match="truth"):
            pr.evaluate(table, measure="auc")
        with pytest.raises(NotApplicableError, match="in memory"):
            self.evaluate(table, method=pr.Bootstrap(n=10, rng=0))

    def test_too_many_values(self, table):
        with pytest.raises(OutOfSpaceError, match="distinct values of 'p_a'"):
            self.evaluate(table, exact=True, memory=2**16)

    def test_executors_without_polyroc(self, table, monkeypatch):
        def absent(load, tables):
            raise ModuleNotFoundError("No module named 'polyroc'")

        monkeypatch.setattr("polyroc.engines.spark.count", absent)
        with pytest.raises(MissingPackageError, match="executors cannot import polyroc"):
            self.evaluate(table.coalesce(1))

    def test_failure_of_the_data(self, table):
        with pytest.raises(InputError, match=r"cannot be scanned: .*(?i:divi)"):
            self.evaluate(table.selectExpr("kind", "p_a", "p_b", "1 / (length(kind) - 1) AS p_c"))


@pytest.mark.parametrize(
    ("later", "told"),
    [
        (lambda codes: codes[:2999], "3000 rows in the previous scan and 2999 in this one"),
        (lambda codes: np.where(np.arange(3000) == 2000, -1, codes).astype(np.int32), "A row has no true class"),
        (
            lambda codes: np.where(np.arange(3000) == 2000, -2, codes).astype(np.int32),
            "true class of a row is not among",
        ),
    ],
)
def test_rows_that_change_between_passes(rows, later, told):
    class Changing(MemoryRows):
        def scan(self, scan, report):
            codes, columns, _ = self.batch
            codes = codes if scan.plan.check_values else later(codes)
            scan.run((each for each in [Batch(codes, [one[: len(codes)] for one in columns], None)]), report)

    codes = np.searchsorted(["a", "b", "c"], rows["kind"]).astype(np.int32)
    changing = Changing(Batch(codes, [rows[name].to_numpy() for name in P], None))
    schema = Schema(("a", "b", "c"), "matrix")
    with pytest.raises(InputError, match=told):
        evaluate_rows(changing, EvaluationRequest([measure("hand_till")], {"one": (0, 1, 2)}, schema))


def test_damaged_message():
    """What travels is checksummed."""
    schema = Schema((0, 1), positive=1)
    plan = ScanPlan({"one": (0,)}, schema, False, {"one": {0: Layout.of(4)}}, (), None, True)
    scan = Scan(plan)
    spark_executors.process(scan, Batch(np.array([0, 1], np.int32), [np.array([0.1, 0.7])], None))
    (message,) = spark_executors._message(None, scan).to_pylist()
    again = Scan(plan)
    spark_executors.add_message(again, message)
    assert (again.counts["one"].bins[0].records == scan.counts["one"].bins[0].records).all()
    message["tallies"][0] = message["tallies"][0][:-1] + b"?"
    with pytest.raises(InputError, match="damaged"):
        spark_executors.add_message(again, message)
