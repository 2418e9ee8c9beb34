"""Every kind of input gives the same answers, by the engine and in memory, and errors that say what to do."""

import gzip
import subprocess
import sys
import weakref
from decimal import Decimal
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import dask.dataframe as dd
import duckdb
import fsspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import polyroc as pr
from command import polyroc
from engine_files import P, Q, frame
from polyroc.errors import DroppedRowsWarning, InputError, MissingPackageError, NotApplicableError
from polyroc.io.frames import is_lazy, is_table
from polyroc.io.inputs import LocalCopy
from table_inputs import FILES, FRAMES, INPUTS, LAZY

ROWS = frame(400)
TWO = ROWS.filter(pl.col("kind") != "c")
MATRIX = {"truth": "kind", "scores": P}
RISK = {"truth": "kind", "scores": "s", "pos_label": "b"}
ENGINE = {"engine": "duckdb", "exact": True}


FAST = ("pandas", "LazyFrame", "csv")  # the others are marked as slow


@pytest.fixture(params=[kind if kind in FAST else pytest.param(kind, marks=pytest.mark.slow) for kind in INPUTS])
def make(request, tmp_path):
    """A function that makes an input of one kind from a Polars frame."""
    made = []

    def build(rows):
        folder = tmp_path / str(len(made))
        folder.mkdir()
        made.append(INPUTS[request.param](rows, folder))
        return made[-1]

    build.kind = request.param
    yield build
    for data in made:
        if hasattr(data, "read"):
            data.close()


def alike(engine, memory):
    """Value, standard error, interval and cases of two estimates; the value is inside the certified bounds."""
    assert engine.value == pytest.approx(memory.value, abs=1e-12)
    assert engine.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    assert engine.confidence_interval() == pytest.approx(memory.confidence_interval(), abs=1e-9)
    assert engine.provenance.cases == memory.provenance.cases
    low, high = engine.bounds
    assert low <= memory.value <= high
    assert high - low < 1e-9


class TestVerbs:
    def test_read(self, make):
        """The cases in the order of the rows."""
        scores = pr.read(make(ROWS), **MATRIX, sample_weight="w", groups="day")
        expected = pr.Scores(ROWS["kind"], ROWS[P].to_numpy(), sample_weight=ROWS["w"], groups=ROWS["day"])
        assert scores.labels == ("a", "b", "c")
        assert (scores.codes == expected.codes).all()
        assert (scores.values["classifier"] == expected.values["classifier"]).all()
        assert (scores.sample_weight == expected.sample_weight).all()
        assert (scores.groups == expected.groups).all()

    @pytest.mark.parametrize("weight", [None, "w"])
    def test_evaluate(self, make, weight):
        memory = pr.evaluate(
            ROWS["kind"],
            ROWS[P].to_numpy(),
            measure="hand_till",
            sample_weight=None if weight is None else ROWS[weight],
        )
        engine = pr.evaluate(make(ROWS), **MATRIX, sample_weight=weight, measure="hand_till", **ENGINE)
        alike(engine, memory)
        assert pr.evaluate(
            make(ROWS), **MATRIX, sample_weight=weight, measure="hand_till", engine="memory"
        ).value == pytest.approx(memory.value, abs=1e-15)

    def test_bounds_without_exact(self, make):
        estimate = pr.evaluate(make(TWO), **RISK, measure="auc", engine="duckdb")
        memory = pr.evaluate(TWO["kind"], TWO["s"], pos_label="b", measure="auc")
        assert estimate.bounds[0] <= memory.value <= estimate.bounds[1]
        assert estimate.bounds[1] - estimate.bounds[0] <= memory.standard_error

    def test_by_column(self, make):
        grouped = pr.evaluate(make(TWO), **RISK, measure="auc", by="country", engine="duckdb")
        assert [*grouped.groups] == [("fr",), ("it",)]
        for (country,), estimate in grouped.groups.items():
            part = TWO.filter(pl.col("country") == country)
            alike(estimate, pr.evaluate(part["kind"], part["s"], pos_label="b", measure="auc"))

    def test_compare(self, make):
        arrays = {"old": ROWS[P].to_numpy(), "new": ROWS[Q].to_numpy()}
        memory = pr.compare(ROWS["kind"], arrays, measure="hand_till")
        engine = pr.compare(make(ROWS), truth="kind", scores={"old": P, "new": Q}, measure="hand_till", **ENGINE)
        one, other = (comparison.difference("old", "new") for comparison in (engine, memory))
        assert one.value == pytest.approx(other.value, abs=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)
        assert one.pvalue == pytest.approx(other.pvalue, rel=1e-6)

    def test_curve(self, make):
        memory = pr.curve(TWO["kind"], TWO["s"], pos_label="b")
        engine = pr.curve(make(TWO), **RISK, **ENGINE)
        for name in ("fpr", "tpr", "thresholds"):
            assert getattr(engine, name) == pytest.approx(getattr(memory, name), abs=1e-12)
        alike(engine.area, memory.area)

    def test_rates(self, make):
        memory = pr.rates(TWO["kind"], TWO["s"], pos_label="b", threshold=0.5)
        engine = pr.rates(make(TWO), **RISK, threshold=0.5, engine="duckdb")
        assert engine.rates == pytest.approx(memory.rates)
        assert engine.standard_errors == pytest.approx(memory.standard_errors)

    def test_operate(self, make):
        """`evaluate_on` takes the same kinds of input."""
        costs = [[0, 1], [3, 0]]
        cases = (TWO["kind"], TWO["s"])
        memory = pr.operate(*cases, costs=costs, pos_label="b", evaluate_on=cases)
        engine = pr.operate(make(TWO), **RISK, costs=costs, evaluate_on=make(TWO), **ENGINE)
        assert engine.expected_cost == pytest.approx(memory.expected_cost)
        assert engine.rates == pytest.approx(memory.rates)

    def test_groups(self, make):
        """Cases of one group are dependent: the standard error counts groups."""
        memory = pr.evaluate(TWO["kind"], TWO["s"], pos_label="b", groups=TWO["w"].round(1), measure="auc")
        rows = TWO.with_columns(patient=TWO["w"].round(1).cast(pl.String))
        engine = pr.evaluate(make(rows), **RISK, groups="patient", measure="auc", **ENGINE)
        assert engine.standard_error == pytest.approx(memory.standard_error, rel=1e-9)

    def test_report(self, make):
        expected = pr.report(TWO["kind"], TWO["s"], pos_label="b", path=None)
        page = pr.report(make(TWO), **RISK, path=None)
        assert page.conclusion.sentences[0] == expected.conclusion.sentences[0]
        if page.findings.points["classifier"].is_optimistic:  # an engine does not choose again in resamples
            assert page.conclusion.sentences[-1].endswith("so its rates and cost are optimistic.")
        else:
            assert page.conclusion.sentences == expected.conclusion.sentences
        assert page.repeat[1].startswith("pr.report(")
        assert "truth='kind', scores='s'" in page.repeat[1]

    def test_missing_values_can_be_dropped(self, make):
        rows = TWO.with_columns(s=pl.when(pl.col("day") == 1).then(None).otherwise(pl.col("s")))
        kept = rows.drop_nulls()
        memory = pr.evaluate(kept["kind"], kept["s"], pos_label="b", measure="auc")
        for options in ({"engine": "memory"}, ENGINE):
            with pytest.warns(DroppedRowsWarning, match=f"Dropped {len(rows) - len(kept)} of {len(rows)} rows"):
                estimate = pr.evaluate(make(rows), **RISK, missing="drop", measure="auc", **options)
            assert estimate.value == pytest.approx(memory.value, abs=1e-12)


EQUAL = "column 's' of .* holds [0-9.]+ and [0-9.]+, which double precision cannot distinguish"
DECIMALS = pl.Series([Decimal(10**20 + k) for k in range(len(TWO))], dtype=pl.Decimal(38, 10))
LISTED = {"csv", "csv.gz", "csv.zst", "bytes"}
BAD = {
    "missing column": (TWO, {"scores": "risk"}, r"has no column 'risk' \(scores\)"),
    "text": (TWO, {"scores": "country"}, "column 'country'"),
    "null score": (
        TWO.with_columns(s=pl.when(pl.col("day") == 1).then(None).otherwise(pl.col("s"))),
        {},
        "missing",
    ),
    "null label": (
        TWO.with_columns(kind=pl.when(pl.col("day") == 1).then(None).otherwise(pl.col("kind"))),
        {},
        "missing",
    ),
    "infinite": (TWO.with_columns(s=pl.when(pl.col("day") == 1).then(np.inf).otherwise(pl.col("s"))), {}, "infin"),
    "empty": (TWO.head(0), {}, "no rows|no label at all|is empty"),
    "one class": (TWO.filter(pl.col("kind") == "a"), {}, r"one class only \('a'\)"),
    "integers": (TWO.with_columns(s=2**53 + pl.int_range(pl.len())), {}, EQUAL),
    "decimals": (TWO.with_columns(s=DECIMALS), {}, EQUAL),
    "lists": (TWO.with_columns(s=pl.concat_list("s", "s")), {}, r"lists or records|text|DOUBLE\[\]"),
}


@pytest.mark.parametrize("problem", BAD)
def test_bad_input(make, problem):
    """The same problem has a message for every kind of input by the engine, and for some in memory too."""
    rows, options, message = BAD[problem]
    if problem == "lists" and make.kind in LISTED:
        pytest.skip("CSV has no lists")
    if problem == "infinite" and make.kind.startswith("jsonl"):
        pytest.skip("JSON has no infinity")
    if problem == "decimals" and (make.kind.startswith("jsonl") or make.kind == "dask"):
        pytest.skip("decimals become text")
    # Text may be decisions, which the engine does not support; Dask turns lists into text.
    error = (InputError, NotApplicableError) if problem in ("text", "lists") else InputError
    for engine in ("memory", "duckdb") if make.kind in FAST else ("duckdb",):
        with pytest.raises(error, match=message):
            pr.evaluate(make(rows), **RISK | options, measure="auc", engine=engine)


MIXED = {
    "a.jsonl": '{"y":0,"s":9007199254740993}\n{"y":0,"s":0.5}\n{"y":1,"s":9007199254740992}\n',
    "a.csv": "y,s\n0, 9007199254740993\n0,0.5\n1,9007199254740992\n",
    "b.csv": f"y,s\n0,1\n0,{10**45 + 1}\n1,{10**45 + 2}\n",
    "fractions.csv": "y,s\n0,0.1234567890123456781\n0,0.5\n1,+.1234567890123456782\n",
    "exponents.csv": "y,s\n0,1.234567890123456781e-5\n0,0.5\n1,0.00001234567890123456782\n",
    "sizes.csv": "y,s\n0,0.99999999999999999999\n0,0.5\n1,1\n",
    "fractions.jsonl": '{"y":0,"s":0.1234567890123456781}\n{"y":0,"s":1}\n{"y":1,"s":0.1234567890123456782}\n',
    "columns.csv": "y,s,t\n0,9007199254740993,9007199254740992\n1,3,4\n",
}
KEPT = {
    "no neighbours.csv": ("y,s\n0,1\n1,123456789012345678901234567890123456789012345\n1,3\n", 1.0),
    "the same number.csv": ("y,s\n0,0.10000000000000000000\n1,1e-1\n1,.1\n1,+0.1\n", 0.5),
    "rounded doubles.csv": ("y,s\n" + "\n".join(f"{i % 2},{i / 70:.18e}" for i in range(70)), 0.5 + 1 / 70),
    "rounded doubles.jsonl": ("\n".join(f'{{"y":{i % 2},"s":{i / 70:.19f}}}' for i in range(70)), 0.5 + 1 / 70),
}


SCORE = {"truth": "y", "scores": "s", "measure": "auc"}


class TestSameFiles:
    """Memory and the engine accept the same files, and count every case once."""

    Y, S = np.tile([0, 1], 20), np.arange(40.0) % 7

    def write(self, path, *names):
        path.parent.mkdir(exist_ok=True)
        columns = {"y": self.Y, "S": -self.S, "s": self.S}
        pq.write_table(pa.table([columns[name] for name in names], names=list(names)), path)

    @pytest.mark.parametrize("place", ["a.parquet", "folder", "two files"])
    def test_two_columns_of_one_name(self, tmp_path, place):
        self.write(tmp_path / "folder" / "1.parquet", "y", "s")
        self.write(tmp_path / "folder" / "2.parquet", "y", "s", "s")
        self.write(tmp_path / "a.parquet", "y", "s", "s")
        if place == "folder":
            (tmp_path / "folder" / "1.parquet").unlink()
        path = tmp_path / ("a.parquet" if place == "a.parquet" else "folder")
        for engine in ("memory", "duckdb") if path.is_file() else ("duckdb",):
            with pytest.raises(InputError, match=r"(a|2)\.parquet' has more than one column named 's'"):
                pr.evaluate(path, **SCORE, engine=engine)

    def test_names_that_differ_in_capitals_only(self, tmp_path):
        self.write(tmp_path / "a" / "1.parquet", "y", "S", "s")
        expected = pr.evaluate(self.Y, self.S, measure="auc").value
        assert expected != 0.5
        for path, engine in ((tmp_path / "a" / "1.parquet", "memory"), (tmp_path / "a", "duckdb")):
            assert pr.evaluate(path, **SCORE, engine=engine).value == pytest.approx(expected)
        self.write(tmp_path / "a" / "2.parquet", "y", "s")
        with pytest.raises(
            InputError, match=r"1\.parquet' has columns whose names differ in capitals only \('S', 's'\)"
        ):
            pr.evaluate(tmp_path / "a", **SCORE)

    @pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
    def test_links_count_no_case_twice(self, tmp_path):
        self.write(tmp_path / "a" / "1.parquet", "y", "s")
        (tmp_path / "a" / "latest.parquet").symlink_to("1.parquet")
        for files in (tmp_path / "a", [*(tmp_path / "a").iterdir()]):
            assert pr.evaluate(files, **SCORE).provenance.cases == {"0": 20, "1": 20}


class TestEqualDoubles:
    """Different numbers that are the same double, where the type of the column does not tell."""

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    @pytest.mark.parametrize("name", MIXED)
    def test_among_other_numbers(self, tmp_path, name, engine):
        (tmp_path / name).write_text(MIXED[name])
        scores = ["s", "t"] if name == "columns.csv" else "s"
        with pytest.raises(InputError, match="which double precision cannot distinguish: different scores would"):
            pr.evaluate(tmp_path / name, truth="y", scores=scores, labels=[0, 1], engine=engine)

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    @pytest.mark.parametrize("name", KEPT)
    def test_that_stay_different(self, tmp_path, name, engine):
        (tmp_path / name).write_text(KEPT[name][0])
        options = {"truth": "y", "scores": "s", "measure": "auc", "method": None, "engine": engine}
        assert pr.evaluate(tmp_path / name, **options).value == pytest.approx(KEPT[name][1])

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_decimals_of_parquet(self, tmp_path, engine):
        """Up to 38 digits; DuckDB reads those of more as doubles."""
        options = {"truth": "y", "scores": "s", "measure": "auc", "method": None, "engine": engine}
        for kind, message in ((pa.decimal128(38, 10), EQUAL), (pa.decimal256(60, 10), "more than 38 digits")):
            scores = pa.array([Decimal(10**20 + k) for k in range(6)], kind)
            pq.write_table(pa.table({"y": [0, 0, 0, 1, 1, 1], "s": scores}), tmp_path / "a.parquet")
            with pytest.raises(InputError, match=message):
                pr.evaluate(tmp_path / "a.parquet", **options)
        scores = pa.array([Decimal(k) / 7 for k in range(6)], pa.decimal128(38, 28))  # 28 digits, none are equal
        pq.write_table(pa.table({"y": [0, 0, 0, 1, 1, 1], "s": scores}), tmp_path / "a.parquet")
        assert pr.evaluate(tmp_path / "a.parquet", **options).value == 1

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_labels_that_are_decimals(self, tmp_path, engine):
        labels = pa.array([Decimal(10**20 + k) for k in (0, 1, 0, 1)], pa.decimal128(38, 10))
        pq.write_table(pa.table({"y": labels, "s": [0.1, 0.2, 0.3, 0.4]}), tmp_path / "a.parquet")
        with pytest.raises(InputError, match=r"column 'y'.* different labels would become equal"):
            pr.evaluate(tmp_path / "a.parquet", truth="y", scores="s", engine=engine)

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_labels(self, tmp_path, engine):
        """Labels of JSON lines are doubles if one is; those of CSV files are text then."""
        (tmp_path / "a.jsonl").write_text(
            '{"y":9007199254740993,"s":1}\n{"y":0.5,"s":2}\n{"y":9007199254740992,"s":3}\n'
        )
        with pytest.raises(InputError, match=r"column 'y'.* different labels would become equal"):
            pr.evaluate(tmp_path / "a.jsonl", truth="y", scores="s", engine=engine)
        (tmp_path / "a.csv").write_text("y,s\n9007199254740993,1\n0.5,2\n9007199254740992,3\n")
        options = {"measure": "vus", "labels": LABELS, "method": None}
        vus = pr.evaluate(tmp_path / "a.csv", truth="y", scores="s", engine=engine, **options)
        assert [*vus.provenance.cases] == LABELS

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_weights_and_doubles_may_be_large(self, tmp_path, engine):
        (tmp_path / "a.csv").write_text("y,s,w\n0,1e300,9007199254740993\n1,9007199254740993.0,9007199254740992\n")
        options = {"truth": "y", "scores": "s", "sample_weight": "w", "measure": "auc", "method": None}
        assert pr.evaluate(tmp_path / "a.csv", **options, engine=engine).value == 0

    def test_objects_of_pandas(self):
        data = pd.DataFrame({"y": [0, 0, 1], "s": [2**53, 2**53 + 1, 0.5]}, dtype=object)
        with pytest.raises(InputError, match=EQUAL):
            pr.read(data, truth="y", scores="s")


LABELS = ["0.5", "9007199254740992", "9007199254740993"]


class TestLazyTables:
    @pytest.mark.parametrize("kind", LAZY)
    def test_by_the_engine_without_an_option(self, kind, tmp_path):
        """Frames are in memory already; lazy tables are not loaded unless that is requested."""
        data = LAZY[kind](TWO, tmp_path)
        assert is_lazy(data)
        assert pr.evaluate(data, **RISK, measure="auc").certificate is not None
        assert pr.evaluate(data, **RISK, measure="auc", engine="memory").certificate is None

    @pytest.mark.parametrize("kind", FRAMES)
    def test_frames_are_in_memory(self, kind, tmp_path):
        data = FRAMES[kind](TWO, tmp_path)
        assert is_table(data)
        assert not is_lazy(data)
        assert pr.evaluate(data, **RISK, measure="auc").certificate is None

    def test_only_requested_columns_are_computed(self):
        def fail(_):
            raise RuntimeError("this column is not needed")

        data = TWO.lazy().with_columns(bad=pl.col("w").map_batches(fail, return_dtype=pl.Float64))
        assert pr.evaluate(data, **RISK, measure="auc").value > 0.5
        with pytest.raises(InputError, match=r"the Polars lazy frame cannot be read: .*not needed"):
            pr.evaluate(data, truth="kind", scores="bad", pos_label="b", measure="auc")

    def test_a_file_that_does_not_exist(self, tmp_path):
        with pytest.raises(InputError, match=r"the Polars lazy frame cannot be read: .*absent"):
            pr.read(pl.scan_parquet(tmp_path / "absent.parquet"), **RISK)

    @pytest.mark.slow
    def test_partitions_are_computed_one_after_the_other(self):
        most, alive = 0, 0
        schema = pa.schema({"kind": pa.string(), "s": pa.float64()})

        class Batch:
            def __init__(self, number):
                nonlocal most, alive
                rng = np.random.default_rng(number)
                y = rng.integers(0, 2, 50_000)
                self.rows = pa.record_batch(
                    [pa.array(np.array(["a", "b"])[y]), pa.array(y + rng.normal(size=len(y)))], schema=schema
                )
                alive += 1
                most = max(most, alive)
                weakref.finalize(self, self.gone)

            @staticmethod
            def gone():
                nonlocal alive
                alive -= 1

        frames = dd.from_map(
            lambda number: Batch(number).rows.to_pandas(), range(12), meta=schema.empty_table().to_pandas()
        )
        estimate = pr.evaluate(frames, **RISK, measure="auc")
        assert estimate.provenance.cases["a"] + estimate.provenance.cases["b"] == 600_000
        assert most <= 4

    @pytest.mark.slow
    def test_categories_that_differ_between_partitions(self):
        data = dd.from_pandas(TWO.sort("kind").to_pandas().astype({"kind": "category"}), npartitions=4)
        assert pr.evaluate(data, **RISK, measure="auc", **ENGINE).value == pytest.approx(
            pr.evaluate(TWO["kind"], TWO["s"], pos_label="b", measure="auc").value, abs=1e-12
        )

    def test_partitions_of_a_dataset_are_columns(self, tmp_path):
        ds.write_dataset(
            TWO.to_arrow(),
            tmp_path / "hive",
            format="parquet",
            partitioning=["country"],
            partitioning_flavor="hive",
        )
        data = ds.dataset(tmp_path / "hive", format="parquet", partitioning="hive")
        grouped = pr.evaluate(data, **RISK, measure="auc", by="country")
        assert [*grouped.groups] == [("fr",), ("it",)]

    def test_a_relation_is_computed_by_its_own_connection(self):
        connection = duckdb.connect()
        connection.execute(
            'CREATE TABLE t AS SELECT range % 2 AS "the class", range AS "a ""score" FROM range(99)'
        )
        relation = connection.sql("SELECT * FROM t")
        auc = pr.evaluate(relation, truth="the class", scores='a "score', measure="auc", **ENGINE)
        assert auc.value == pr.evaluate([i % 2 for i in range(99)], range(99), measure="auc").value
        connection.close()
        with pytest.raises(InputError, match="the DuckDB relation cannot be read"):
            pr.evaluate(relation, truth="the class", scores='a "score', measure="auc")

    def test_two_columns_of_one_name(self):
        twice = ds.dataset(pa.table([[0, 1], [0.5, 1.0], [0.5, 1.0]], names=["y", "s", "s"]))
        with pytest.raises(InputError, match="the pyarrow dataset has more than one column named 's'"):
            pr.read(twice, truth="y", scores="s")

    @pytest.mark.parametrize("kind", ["LazyFrame", "relation", "polars", "pandas"])
    def test_without_pyarrow(self, monkeypatch, tmp_path, kind):
        """Data frames, Polars and DuckDB need no pyarrow; the columns of a lazy frame are then collected."""
        data = INPUTS[kind](TWO, tmp_path)
        monkeypatch.setattr("polyroc.io.frames.find_spec", lambda _: None)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        if duckdb.__version__ < "2" and kind != "pandas":
            with pytest.raises(MissingPackageError, match="DuckDB needs pyarrow for it"):
                pr.evaluate(data, **RISK, measure="auc", **ENGINE)
            return
        auc = pr.evaluate(data, **RISK, measure="auc", **ENGINE)
        alike(auc, pr.evaluate(TWO["kind"].to_list(), TWO["s"].to_numpy(), pos_label="b", measure="auc"))

    @pytest.mark.slow
    def test_options_that_do_not_apply(self):
        with pytest.raises(InputError, match=r"data frame has no tables; leave out table='t'"):
            pr.evaluate(TWO, **RISK, table="t")
        with pytest.raises(InputError, match="data frame has no tables"):
            pr.evaluate(TWO.lazy(), **RISK, table="t")
        with pytest.raises(NotApplicableError, match="by is not available in curve for cases in memory"):
            pr.curve(TWO, **{**RISK, "by": "country"})
        with pytest.raises(NotApplicableError, match="engine='memory'"):
            pr.evaluate(TWO.lazy(), **RISK, measure="auc", method="bootstrap")
        with pytest.raises(InputError, match=r"name columns .* instead of passing arrays, here y_score\."):
            pr.evaluate(TWO, TWO["s"], truth="kind", scores="s")


class TestFiles:
    @pytest.mark.slow
    @pytest.mark.parametrize("ending", ["jsonl", "feather"])
    def test_folders(self, tmp_path, ending):
        write = {"jsonl": pl.DataFrame.write_ndjson, "feather": pl.DataFrame.write_ipc}[ending]
        for i, part in enumerate(ROWS.iter_slices(150)):
            write(part, tmp_path / f"{i}.{ending}")
        expected = pr.evaluate(ROWS["kind"], ROWS[P].to_numpy(), measure="hand_till")
        alike(pr.evaluate(tmp_path, **MATRIX, measure="hand_till", exact=True), expected)
        alike(pr.evaluate(str(tmp_path / f"*.{ending}"), **MATRIX, measure="hand_till", exact=True), expected)

    def test_arrow_files_with_other_columns(self, tmp_path):
        ROWS.write_ipc(tmp_path / "a.feather")
        ROWS.select("kind", "s").write_ipc(tmp_path / "b.feather")
        with pytest.raises(InputError, match=r"b\.feather' does not have the columns and types of"):
            pr.evaluate(tmp_path, **MATRIX, measure="hand_till")

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_damaged_arrow_files(self, tmp_path, engine):
        ROWS.write_ipc(tmp_path / "a.feather")
        content = (tmp_path / "a.feather").read_bytes()
        (tmp_path / "a.feather").write_bytes(content[: len(content) // 2])
        with pytest.raises(InputError, match=r"a\.feather' is damaged"):
            pr.evaluate(tmp_path / "a.feather", **MATRIX, measure="hand_till", engine=engine)
        (tmp_path / "b.arrow").write_text("kind,s\na,1\n")
        with pytest.raises(InputError, match="should be Arrow IPC, by its ending, but looks like text"):
            pr.read(tmp_path / "b.arrow", **RISK)

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    @pytest.mark.parametrize("kind", ["csv.zst", "jsonl.zst"])
    def test_a_zstd_file_that_is_cut_off(self, tmp_path, kind, engine):
        """DuckDB reads the rows before the end without an error."""
        path = FILES[kind](pl.concat([ROWS] * 20), tmp_path)
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        with pytest.raises(InputError, match=r"is damaged: .* compress it again with zstd"):
            pr.evaluate(path, **MATRIX, measure="hand_till", engine=engine)

    @pytest.mark.parametrize(
        "kind",
        [
            "feather",
            pytest.param("csv.zst", marks=pytest.mark.skipif(sys.version_info >= (3, 14), reason="stdlib")),
        ],
    )
    def test_without_pyarrow(self, monkeypatch, tmp_path, kind):
        path = FILES[kind](TWO, tmp_path)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(MissingPackageError, match="pip install pyarrow"):
            pr.read(path, **RISK)

    def test_what_is_not_zstd(self, tmp_path):
        (tmp_path / "a.csv.zst").write_text("kind,s\na,1\n")
        with pytest.raises(InputError, match=r"is not a zstd file but CSV; remove \.zst from its name"):
            pr.read(tmp_path / "a.csv.zst", **RISK)
        (tmp_path / "a.parquet.zst").write_text("PAR1")
        with pytest.raises(InputError, match=r"'\.parquet\.zst', which is no known format"):
            pr.read(tmp_path / "a.parquet.zst", **RISK)


class TestPartitions:
    """Values in the names of folders have the types that they would have in a column of a CSV file."""

    @pytest.mark.parametrize(
        ("values", "labels"),
        [
            (["01", "1"], ["01", "1"]),
            (["1", "2"], [1, 2]),
            (["1.5", "2"], [1.5, 2.0]),
            (["true", "False"], [False, True]),
            (["2024-01-01", "2024-01-02"], ["2024-01-01", "2024-01-02"]),
            (["9007199254740992", "9007199254740993"], [2**53, 2**53 + 1]),
            (["a b", "c'd"], ["a b", "c'd"]),
        ],
    )
    @pytest.mark.parametrize("ending", ["parquet", "csv"])
    def test_types(self, tmp_path, values, labels, ending):
        for i, value in enumerate(values):
            (tmp_path / f"part={value}").mkdir()
            rows = pl.DataFrame({"y": [0, 1, 0, 1], "s": [1.0 + i, 2.0, 3.0, 4.0]})
            getattr(rows, f"write_{ending}")(tmp_path / f"part={value}" / f"rows.{ending}")
        options = {"scores": "s", "measure": "auc", "method": None}
        grouped = pr.evaluate(tmp_path, truth="y", by="part", **options)
        assert [*grouped.groups] == [(label,) for label in labels]
        auc = pr.evaluate(tmp_path, truth="part", pos_label=labels[1], **options)
        assert [*auc.provenance.cases] == [str(label) for label in labels]

    @pytest.mark.parametrize("ending", ["parquet", "csv"])
    def test_columns_of_the_file_itself(self, tmp_path, ending):
        (tmp_path / "part=7").mkdir()
        rows = pl.DataFrame({"y": [0, 1, 0, 1], "s": [1.0, 2.0, 3.0, 4.0], "part": ["u", "u", "v", "v"]})
        getattr(rows, f"write_{ending}")(tmp_path / "part=7" / f"rows.{ending}")
        grouped = pr.evaluate(tmp_path, truth="y", scores="s", measure="auc", method=None, by="part")
        assert [*grouped.groups] == [("u",), ("v",)]


class TestDuckDBFiles:
    @pytest.fixture
    def path(self, tmp_path):
        TWO.write_csv(tmp_path / "secret.csv")
        TWO.write_parquet(tmp_path / "secret.parquet")
        path = tmp_path / "stored.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute(f"CREATE TABLE predictions AS FROM '{tmp_path}/secret.parquet'")
            connection.execute("CREATE VIEW half AS SELECT * FROM predictions WHERE day < 3")
            for name in ("csv", "parquet"):
                connection.execute(f"CREATE VIEW from_{name} AS FROM '{tmp_path}/secret.{name}'")
            connection.execute(f"CREATE VIEW from_glob AS SELECT file AS kind, 1.0 AS s FROM glob('{tmp_path}/*')")
            connection.execute(
                f"CREATE VIEW from_text AS SELECT content AS kind, 1 AS s FROM read_text('{tmp_path}/secret.csv')"
            )
        return path

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_tables_and_views(self, path, engine):
        for table, rows in (("predictions", TWO), ("half", TWO.filter(pl.col("day") < 3))):
            auc = pr.evaluate(path, **RISK, table=table, measure="auc", engine=engine)
            expected = pr.evaluate(rows["kind"], rows["s"], pos_label="b", measure="auc")
            assert auc.value == pytest.approx(expected.value, abs=1e-4)
        with pytest.raises(InputError, match="has several tables; choose one with table="):
            pr.evaluate(path, **RISK, measure="auc", engine=engine)
        with pytest.raises(InputError, match="has no table 'halve'"):
            pr.evaluate(path, **RISK, table="halve", measure="auc", engine=engine)

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    @pytest.mark.parametrize("view", ["from_csv", "from_parquet", "from_glob", "from_text"])
    def test_views_of_other_files(self, path, view, engine):
        with pytest.raises(InputError, match=f"'{view}' of .* is a view that reads other files"):
            pr.evaluate(path, **RISK, table=view, measure="auc", engine=engine)

    @pytest.mark.slow
    def test_larger_than_the_memory(self, tmp_path):
        """Temporary files are still allowed when other files are not."""
        path = tmp_path / "large.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.execute(
                "CREATE TABLE t AS SELECT range % 2 AS y, hash(range) / 1.9e19 AS s, range % 3 AS part "
                "FROM range(4_000_000)"
            )
        grouped = pr.evaluate(path, truth="y", scores="s", measure="auc", by="part", memory="64MB", method=None)
        cases = [estimate.provenance.cases["0"] for estimate in grouped.groups.values()]
        assert cases == [666_667, 666_666, 666_667]

    def test_is_not_changed(self, path):
        before = path.read_bytes()
        pr.evaluate(path, **RISK, table="half", by="country", measure="auc")
        assert path.read_bytes() == before

    @pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
    def test_other_files_have_no_tables(self, tmp_path, ending):
        path = FILES[ending](TWO, tmp_path)
        for engine in ("memory", "duckdb"):
            with pytest.raises(InputError, match="is not a DuckDB file and has no tables; leave out table='t'"):
                pr.evaluate(path, **RISK, table="t", measure="auc", engine=engine)

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_command_line(self, path, engine):
        done = polyroc("evaluate", path, *SHELL, "--table", "half", "--engine", engine)
        assert f"(a {(TWO.filter(pl.col('day') < 3)['kind'] == 'a').sum()}" in done.stdout
        done = polyroc("evaluate", path, *SHELL, "--table", "from_csv", "--engine", engine)
        assert done.returncode == 2
        assert "view that reads other files" in done.stderr


SHELL = ["--truth", "kind", "--scores", "s", "--pos-label", "b", "-m", "auc"]


CONTENT = {
    "csv": lambda path: TWO.write_csv(path),
    "parquet": lambda path: TWO.write_parquet(path),
    "jsonl": lambda path: TWO.write_ndjson(path),
    "arrow": lambda path: TWO.write_ipc(path),
    "csv.gz": lambda path: path.write_bytes(gzip.compress(TWO.write_csv().encode())),
    "jsonl.zst": lambda path: FILES["jsonl.zst"](TWO, path.parent).rename(path),
}


class TestOpenFiles:
    @pytest.mark.parametrize("content", CONTENT)
    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_standard_input(self, tmp_path, monkeypatch, content, engine):
        """The format is recognised by the content."""
        path = tmp_path / "content"
        CONTENT[content](path)
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(path.read_bytes())))
        done = polyroc("evaluate", "-", *SHELL, "--engine", engine)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"standard input: {len(TWO)} cases")

    @pytest.mark.parametrize("command", ["curve", "rates", "report", "plot", "operate"])
    def test_other_commands(self, tmp_path, monkeypatch, command):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(TWO.write_csv().encode())))
        monkeypatch.chdir(tmp_path)
        more = {
            "curve": [],
            "rates": ["--threshold", "0.5"],
            "report": ["-o", "page.md"],
            "plot": ["--kind", "roc", "-o", "roc.svg"],
            "operate": ["--criterion", "youden"],
        }[command]
        done = polyroc(command, "-", *SHELL[:6], *more)
        assert done.returncode == 0, done.stderr

    @pytest.mark.slow
    def test_a_pipe(self, tmp_path):
        TWO.write_csv(tmp_path / "rows.csv")
        shell = "import sys; from polyroc.cli import main; sys.exit(main())"
        with (tmp_path / "rows.csv").open("rb") as stream:
            done = subprocess.run(
                [sys.executable, "-c", shell, "evaluate", "-", *SHELL],
                stdin=stream,
                capture_output=True,
                text=True,
            )
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("standard input: ")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "'standard input' is empty"),
            (b"\0\1\2" * 50, "'standard input' is binary data"),
            (b"a,b\n1,2\n", "'standard input' has no column 'kind'"),
            (gzip.compress(b"kind,s\na,1\n", mtime=0)[:-9], "'standard input' is damaged"),
        ],
    )
    def test_bad_standard_input(self, monkeypatch, content, message):
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(content)))
        done = polyroc("evaluate", "-", *SHELL)
        assert done.returncode == 2
        assert message in done.stderr

    def test_standard_input_among_files(self, tmp_path):
        TWO.write_csv(tmp_path / "rows.csv")
        done = polyroc("evaluate", "-", tmp_path / "rows.csv", *SHELL)
        assert done.returncode == 2
        assert "cannot be combined with other files" in done.stderr

    def test_text_and_temporary_files(self):
        """Text is read too; the copy is removed with the object."""
        auc = pr.evaluate(StringIO(TWO.write_csv()), **RISK, measure="auc")
        assert auc.value == pr.evaluate(TWO, **RISK, measure="auc").value
        copy = LocalCopy(BytesIO(b"kind,s\na,1\n"), "some name.csv")
        path = Path(copy)
        assert path.name == "some-name.csv"
        assert path.read_text() == "kind,s\na,1\n"
        del copy
        assert not path.parent.exists()

    def test_a_stream_that_fails(self):
        class Broken:
            def read(self, _):
                raise ConnectionResetError("peer went away")

        with pytest.raises(InputError, match="'the file object' cannot be read: peer went away"):
            pr.read(Broken(), **RISK)

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_fsspec(self, engine):
        """An object store is read through a file that the caller opens."""
        with fsspec.open("memory://bucket/rows.parquet", "wb") as stream:
            TWO.write_parquet(stream)
        remote = fsspec.open("memory://bucket/rows.parquet", "rb")
        auc = pr.evaluate(remote, **RISK, measure="auc", engine=engine)
        assert auc.value == pytest.approx(pr.evaluate(TWO, **RISK, measure="auc").value, abs=1e-3)
        with remote as stream:
            assert len(pr.read(stream, **RISK)) == len(TWO)


URLS = ["s3://bucket/rows.parquet", "https://example.org/rows.csv", "gs://b/*.parquet", "hf://datasets/x.jsonl"]


class TestNoNetwork:
    @pytest.mark.parametrize("url", URLS)
    def test_urls(self, url):
        """No URL is opened; the message names the ways to read it."""
        message = rf"'{url.replace('*', '.')}' is not on this machine, and polyroc uses no network by itself"
        for verb in (pr.evaluate, pr.curve, pr.rates, pr.report):
            with pytest.raises(InputError, match=message):
                verb(url, **RISK)
        for source in (url, Path(url), [url]):
            with pytest.raises(InputError, match=message.replace("//", "/+")):
                pr.read(source, **RISK)
        done = polyroc("evaluate", url, *SHELL)
        assert done.returncode == 2
        for way in ("Download", "fsspec.open", "connection=", "pipe it and write -"):
            assert way in done.stderr

    @pytest.mark.slow
    def test_the_connection_of_the_user(self, tmp_path):
        """It reads what it can, with the settings that its owner has made."""
        for i, part in enumerate(TWO.iter_slices(100)):
            part.write_parquet(tmp_path / f"{i}.parquet")
        store = fsspec.filesystem("memory")
        for path in tmp_path.iterdir():
            store.pipe(f"/rows/{path.name}", path.read_bytes())
        connection = duckdb.connect()
        connection.register_filesystem(store)
        memory = pr.evaluate(TWO["kind"], TWO["s"], pos_label="b", measure="auc")
        options = {**RISK, "measure": "auc", "connection": connection}
        alike(pr.evaluate("memory://rows/*.parquet", **options, exact=True), memory)
        files = [f"memory://rows/{path.name}" for path in sorted(tmp_path.iterdir())]
        alike(pr.evaluate(files, **options, exact=True), memory)
        assert pr.evaluate(files, **options, engine="memory").value == pytest.approx(memory.value)
        scores = pr.read(files, **RISK, connection=connection)
        assert (scores.values["classifier"] == TWO["s"].to_numpy()).all()

    def test_what_a_connection_does_not_read(self, tmp_path):
        connection = duckdb.connect()
        with pytest.raises(InputError, match=r"reads Parquet files by their paths, got 's3://b/rows\.csv'"):
            pr.read("s3://b/rows.csv", **RISK, connection=connection)
        with pytest.raises(InputError, match="reads Parquet files by their paths"):
            pr.read(TWO, **RISK, connection=connection)
        with pytest.raises(InputError, match="connection must be a DuckDB connection, got 'duckdb'"):
            pr.read("s3://b/rows.parquet", **RISK, connection="duckdb")
        with pytest.raises(InputError, match="cannot be read by the connection"):
            pr.read(tmp_path / "absent.parquet", **RISK, connection=connection)

    def test_a_local_name_like_a_url(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("s3:").mkdir()
        TWO.write_csv("s3:/rows.csv")
        assert len(pr.read("s3:/rows.csv", **RISK)) == len(TWO)


def test_scores_from_table(make):
    scores = pr.Scores(make(TWO), **RISK, sample_weight="w")
    assert (scores.values["classifier"] == TWO["s"].to_numpy()).all()
    assert (scores.sample_weight == TWO["w"].to_numpy()).all()
