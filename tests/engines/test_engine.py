"""The engine over files says what memory says; bounds hold the exact value; what is wrong is named."""

import tempfile
import warnings
from contextlib import nullcontext

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from disks import small_files
from engine_data import MATRIX, ONE_COLUMN, TWO_CLASSES, number, share, tallied
from engine_files import P, Q, frame, written
from polyroc.cli.app import run as main
from polyroc.engines.evaluate import group_rows
from polyroc.engines.refine import evaluate_rows
from polyroc.engines.request import EvaluationRequest
from polyroc.engines.rows import Batch, MemoryRows
from polyroc.engines.session import parse_size
from polyroc.errors import InputError, MissingFileError, NotApplicableError, OutOfSpaceError, PolyrocWarning
from polyroc.measures.registry import measure
from polyroc.scores import Schema
from strategies import at_most


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return written(tmp_path_factory.mktemp("rows"))


def both(path, key, **options):
    """By the engine, exactly, and in memory."""
    engine = pr.evaluate(path, measure=key, engine="duckdb", exact=True, **options)
    return engine, pr.evaluate(path, measure=key, engine="memory", **options)


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("key", [*MATRIX, *ONE_COLUMN, *TWO_CLASSES])
def test_engine_equals_memory(folder, key, weight):
    if key in MATRIX:
        options = {"scores": P}
    elif key in ONE_COLUMN:
        options = {"scores": "s", "labels": ["a", "b", "c"]}
    else:
        options = {"scores": "s", "pos_label": "b"}
    path = folder / ("two.parquet" if key in TWO_CLASSES else "one.parquet")
    engine, memory = both(path, key, truth="kind", sample_weight=weight, **options)
    assert engine.value == pytest.approx(memory.value, abs=1e-12)  # sums in another order
    assert engine.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    assert engine.bounds[0] <= memory.value <= engine.bounds[1]
    assert engine.certificate.width < 1e-10
    assert engine.provenance.cases == memory.provenance.cases
    assert engine.confidence_interval() == pytest.approx(memory.confidence_interval(), abs=1e-9)
    for name, part in memory.parts.items():
        assert engine.parts[name].value == pytest.approx(part.value, abs=1e-12)
        if engine.parts[name].certificate.error_is_bound:  # the mean of A(i|j) and A(j|i), from two columns
            assert name.startswith("A(")
            assert "," in name
            assert engine.parts[name].standard_error > part.standard_error
        else:
            assert engine.parts[name].standard_error == pytest.approx(part.standard_error, rel=1e-9)


@pytest.mark.slow
def test_one_pass_then_finer(folder):
    options = {"truth": "kind", "scores": P, "measure": "hand_till"}
    exact = pr.evaluate(folder / "one.parquet", engine="memory", **options)
    once = pr.evaluate(folder / "one.parquet", engine="duckdb", method=None, **options)
    assert once.certificate.passes == 1
    assert np.isnan(once.standard_error)
    fine = pr.evaluate(folder / "one.parquet", tolerance=1e-7, **options)
    assert fine.certificate.width <= 1e-7 < once.certificate.width
    assert fine.certificate.passes == 2  # the second both cuts finer and sees how the columns move together
    assert fine.certificate.rows == 3000
    assert fine.certificate.bytes == (folder / "one.parquet").stat().st_size
    for result in (once, fine):
        assert result.bounds[0] <= exact.value <= result.bounds[1]
    assert fine.standard_error == pytest.approx(exact.standard_error, abs=fine.certificate.error_within + 1e-12)


def test_errors_without_a_second_look(folder):
    options = {"truth": "kind", "scores": P, "measure": "hand_till", "engine": "duckdb"}
    seen, bound = (pr.evaluate(folder / "one.parquet", covariance=how, **options) for how in ("joined", "bound"))
    assert (seen.certificate.passes, bound.certificate.passes) == (2, 1)
    assert not seen.certificate.error_is_bound
    assert bound.certificate.error_is_bound
    assert seen.standard_error < bound.standard_error


@pytest.mark.slow
@pytest.mark.parametrize("path", ["many/*.parquet", "many", "hive", "one.csv", "hive/**/*.parquet"])
def test_many_files(folder, path):
    options = {"truth": "kind", "scores": "p_*", "measure": "hand_till", "exact": True}
    one = pr.evaluate(folder / "one.parquet", **options)
    estimate = pr.evaluate(str(folder / path), **options)
    assert estimate.value == pytest.approx(one.value, abs=1e-12)
    assert estimate.standard_error == pytest.approx(one.standard_error, rel=1e-9)
    listed = pr.evaluate(sorted(folder.glob("many/*.parquet")), **options)
    assert listed.value == pytest.approx(one.value, abs=1e-12)


@pytest.mark.slow
def test_comparison_equals_memory(folder):
    options = {"truth": "kind", "scores": {"p": P, "q": Q}}
    for key in ("hand_till", "accuracy"):
        memory = pr.compare(folder / "one.parquet", measure=key, engine="memory", **options)
        engine = pr.compare(folder / "one.parquet", measure=key, engine="duckdb", exact=True, **options)
        assert engine.covariance == pytest.approx(memory.covariance, rel=1e-8)
        assert engine.pvalue == pytest.approx(memory.pvalue, rel=1e-6)
        bound = pr.compare(folder / "one.parquet", measure=key, engine="duckdb", covariance="bound", **options)
        assert bound.difference("p", "q").standard_error > memory.difference("p", "q").standard_error


@pytest.mark.slow
@pytest.mark.parametrize("room", [2**20, 0])  # without room no group fits, and each is read from the files
def test_groups(folder, room, monkeypatch):
    monkeypatch.setattr("polyroc.engines.evaluate.group_rows", lambda data, by, _: group_rows(data, by, room))
    options = {"truth": "kind", "scores": P, "measure": "hand_till", "exact": True}
    evaluation = pr.evaluate(folder / "hive", by=["country", "day"], **options)
    assert len(evaluation) == 6
    data = frame()
    for (country, day), estimate in evaluation.items():
        kept = data.filter((pl.col("country") == country) & (pl.col("day") == int(day)))
        alone = pr.evaluate(kept["kind"], kept[P].to_numpy(), measure="hand_till")
        assert estimate.value == pytest.approx(alone.value, abs=1e-12)
        assert estimate.standard_error == pytest.approx(alone.standard_error, rel=1e-9)
    assert [row["country"] for row in evaluation.rows()] == ["fr"] * 3 + ["it"] * 3
    assert pr.estimates.Grouped.from_dict(evaluation.to_dict()).rows() == evaluation.rows()


def test_every_measure_that_applies(folder):
    evaluation = pr.evaluate(folder / "one.parquet", truth="kind", scores={"p": P, "q": Q}, engine="duckdb")
    assert set(evaluation.measures) == set(MATRIX)
    assert "auc" in evaluation.skipped


@pytest.mark.slow
@given(tallied(3, 3, share), st.sampled_from([0.3, 1e-3, 1e-9]))
@at_most(40)
def test_refinement_reaches_the_tolerance(data, tolerance):
    y, table, w, _ = data
    check_solution(y, [*table.T], w, ["hand_till", "ova"], tolerance, matrix=True)


@pytest.mark.slow
@given(tallied(3, 1, number), st.sampled_from([0.3, 1e-3, 1e-9]))
@at_most(40)
def test_refinement_of_one_column(data, tolerance):
    y, score, w, _ = data
    check_solution(y, [score], w, ONE_COLUMN, tolerance, matrix=False)


def check_solution(y, columns, w, keys, tolerance, matrix):
    """Bounds as narrow as required, unless only neighbouring doubles are left; the exact value is inside."""
    rows = MemoryRows(Batch(y.astype(np.int32), [np.ascontiguousarray(column) for column in columns], w))
    places = tuple(range(len(columns)))
    schema = Schema((0, 1, 2), "matrix" if matrix else "score", ordered=True)
    options = EvaluationRequest([measure(key) for key in keys], {"one": places}, schema, tolerance, room=2**26)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PolyrocWarning)
        result = evaluate_rows(rows, options)
        scores = np.column_stack(columns) if matrix else columns[0]
        for key in keys:
            exact = pr.evaluate(y, scores, measure=key, sample_weight=w, labels=[0, 1, 2], method=None)
            estimate = result.estimates["one", key]
            assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
            complaints = [warning for warning in caught if warning.category is pr.errors.ToleranceWarning]
            assert estimate.certificate.width <= tolerance or complaints


class TestTrouble:
    """Every error says which file, which column, and what to do."""

    def evaluate(self, path, **options):
        return pr.evaluate(
            path, **{"truth": "kind", "scores": P, "measure": "hand_till", "engine": "duckdb", **options}
        )

    def spoilt(self, tmp_path, change):
        """Three files, the second of them changed."""
        for i in range(3):
            part = frame(300, seed=i)
            (change(part) if i == 1 else part).write_parquet(tmp_path / f"{i}.parquet")
        return str(tmp_path / "*.parquet")

    @pytest.mark.slow
    def test_missing_scores(self, tmp_path):
        hole = pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise(pl.col("p_b")).alias("p_b")
        path = self.spoilt(tmp_path, lambda part: part.with_columns(hole))
        with pytest.raises(InputError, match=r"'p_b' .* has missing values in 1 of 900 rows"):
            self.evaluate(path)
        with pytest.raises(InputError, match="missing values"):
            self.evaluate(path, measure="accuracy")
        with pytest.warns(pr.errors.DroppedRowsWarning, match="Dropped 1 of 900"):
            assert self.evaluate(path, missing="drop").provenance.dropped == 1

    def test_infinite_scores(self, tmp_path):
        path = self.spoilt(tmp_path, lambda part: part.with_columns(p_b=pl.lit(np.inf)))
        with pytest.raises(InputError, match="infinity in 300 of 900 rows"):
            self.evaluate(path)

    def test_missing_truth(self, tmp_path):
        path = self.spoilt(tmp_path, lambda part: part.with_columns(kind=pl.lit(None, dtype=pl.String)))
        with pytest.raises(InputError, match="no true class"):
            self.evaluate(path)

    def test_unknown_class(self, tmp_path):
        path = self.spoilt(tmp_path, lambda part: part.with_columns(kind=pl.lit("d")))
        with pytest.raises(InputError, match="'d'"):
            self.evaluate(path, labels=["a", "b", "c"])
        with pytest.raises(InputError, match="do not match the classes"):
            self.evaluate(path)

    def test_missing_column_in_one_of_many(self, tmp_path):
        path = self.spoilt(tmp_path, lambda part: part.drop("p_c"))
        with pytest.raises(InputError, match=r"1\.parquet' has no column 'p_c'"):
            self.evaluate(path)

    def test_wrong_type_in_one_of_many(self, tmp_path):
        path = self.spoilt(tmp_path, lambda part: part.with_columns(pl.col("p_c").cast(pl.String)))
        with pytest.raises(InputError, match=r"'p_c' of '.*1\.parquet' holds VARCHAR"):
            self.evaluate(path)

    def test_lists_in_one_of_many(self, tmp_path):
        path = self.spoilt(tmp_path, lambda part: part.with_columns(p_c=pl.concat_list("p_a", "p_b")))
        with pytest.raises(InputError, match=r"'p_c' of '.*1\.parquet' holds DOUBLE\[\]"):
            self.evaluate(path)

    @pytest.mark.slow
    def test_text_files_of_many_kinds(self, tmp_path):
        """Columns go by their names; what is missing or no number is named with its file and line."""
        first, second = frame(300), frame(300, seed=1)
        both = pl.concat([first, second])
        first.write_csv(tmp_path / "0.csv")
        second.select(reversed(second.columns)).drop("w").write_csv(tmp_path / "1.csv")
        estimate = self.evaluate(tmp_path, measure="accuracy")
        assert estimate.value == pytest.approx(
            pr.evaluate(both["kind"], both[P].to_numpy(), measure="accuracy").value
        )
        second.drop("p_c").write_csv(tmp_path / "1.csv")
        with pytest.raises(InputError, match=r"1\.csv' has no column 'p_c'"):
            self.evaluate(tmp_path)
        text = pl.col("p_c").cast(pl.String)
        second.with_columns(pl.when(text.str.len_chars() > 0).then(pl.lit("x")).alias("p_c")).write_csv(
            tmp_path / "1.csv"
        )
        with pytest.raises(InputError, match=r"line \d+ of '.*1\.csv' has 'x' in column 'p_c', where a number"):
            self.evaluate(tmp_path)
        (tmp_path / "1.csv").write_text("kind,p_a,p_b,p_c\n" + "a,0.1,0.2,0.7\n" * 30000 + "b,0.1,oops,0.7\n")
        with pytest.raises(InputError, match=r"line 30002 of '.*1\.csv' has 'oops' in column 'p_b'"):
            self.evaluate(tmp_path)

    @pytest.mark.slow
    def test_groups_say_their_name(self, tmp_path):
        part = frame(300)
        hole = pl.when(pl.int_range(pl.len()) == 7).then(None).otherwise(pl.col("p_b")).alias("p_b")
        part.with_columns(hole).write_parquet(tmp_path / "x.parquet")
        for memory in ("1GB", 1000):  # groups in memory, or in passes of their own
            with pytest.raises(InputError, match=r"Group (fr|it): column 'p_b' .*missing values in 1 of"):
                self.evaluate(tmp_path, by="country", memory=memory)
        some = ~((pl.col("country") == "fr") & (pl.col("kind") == "c"))
        null = pl.when(pl.col("day") == 2).then(None).otherwise(pl.col("country")).alias("country")
        part.filter(some).with_columns(null).write_parquet(tmp_path / "x.parquet")
        with pytest.raises(InputError, match=r"column 'country' .*missing values in \d+ of"):
            self.evaluate(tmp_path, by="country")
        part.filter(some).write_parquet(tmp_path / "x.parquet")
        with pytest.warns(pr.errors.UndefinedMeasureWarning, match="Group fr: No case of class 'c'") as caught:
            evaluation = self.evaluate(tmp_path, by="country")
        assert caught[0].filename == __file__
        assert [*evaluation] == [("fr",), ("it",)]
        part.with_columns(w=pl.concat_list("p_a", "p_b")).write_parquet(tmp_path / "x.parquet")
        with pytest.raises(InputError, match=r"'w' .* holds lists or records"):
            self.evaluate(tmp_path, by="w")
        with pytest.raises(InputError, match="'p_a' is named in scores and for another role"):
            self.evaluate(tmp_path, by="p_a")

    def test_no_such_column_and_no_such_file(self, folder):
        with pytest.raises(InputError, match=r"no column 'knid'.*Did you mean 'kind'"):
            self.evaluate(folder / "one.parquet", truth="knid")
        with pytest.raises(InputError, match=r"no column .* \(by\)"):
            self.evaluate(folder / "one.parquet", by="contry")
        with pytest.raises(InputError, match="not on this machine"):
            self.evaluate("s3://logs/*.parquet")
        for path in ("nothing.parquet", "nothing/*.parquet"):
            with pytest.raises(MissingFileError):
                self.evaluate(folder / path)
        with pytest.raises(InputError, match="one format"):
            self.evaluate([folder / "one.parquet", folder / "one.csv"])

    def test_damaged_file(self, tmp_path):
        path = tmp_path / "cut.parquet"
        frame(300).write_parquet(path)
        path.write_bytes(path.read_bytes()[:-200])
        with pytest.raises(InputError, match="cannot be read"):
            self.evaluate(path)

    def test_weights(self, tmp_path):
        path = self.spoilt(tmp_path, lambda part: part.with_columns(w=-pl.col("w")))
        with pytest.raises(InputError, match="between 0 and"):
            self.evaluate(path, sample_weight="w")

    def test_one_class_and_absent_class(self, tmp_path):
        frame(300).filter(pl.col("kind") != "c").write_parquet(tmp_path / "two.parquet")
        with pytest.warns(pr.errors.UndefinedMeasureWarning, match="'c'"):
            estimate = self.evaluate(tmp_path / "two.parquet", labels=["a", "b", "c"])
        assert np.isnan(estimate.value)

    def test_what_engines_have_not(self, folder):
        with pytest.raises(NotApplicableError, match="pdi is not available for files that an engine reads"):
            self.evaluate(folder / "one.parquet", measure="pdi")
        with pytest.raises(NotApplicableError, match=r"Bootstrap\(.*\) is not available for files that an engine"):
            self.evaluate(folder / "one.parquet", method=pr.Bootstrap(n=10, rng=0))
        with pytest.raises(InputError, match="must be the name of a column"):
            self.evaluate(folder / "one.parquet", sample_weight=[1.0])

    def test_options(self, folder):
        with pytest.raises(InputError, match="tolerance"):
            self.evaluate(folder / "one.parquet", tolerance=0.0)
        with pytest.raises(InputError, match="memory must be a size"):
            self.evaluate(folder / "one.parquet", memory="much")
        with pytest.raises(InputError, match="covariance"):
            self.evaluate(folder / "one.parquet", covariance="guess")
        with pytest.raises(InputError, match="no option 'tolerence'"):
            self.evaluate(folder / "one.parquet", tolerence=1e-6)
        with pytest.raises(InputError, match="engine must be"):
            self.evaluate(folder / "one.parquet", engine="ray")
        with pytest.raises(InputError, match="only valid for files and tables"):
            pr.evaluate([0, 1], [0.1, 0.2], tolerance=1e-6)

    def test_tolerance_out_of_reach(self, folder, monkeypatch):
        monkeypatch.setattr("polyroc.engines.refine.MOST_SCANS", 1)
        with pytest.warns(pr.errors.ToleranceWarning, match="further apart than the tolerance"):
            assert self.evaluate(folder / "one.parquet", tolerance=1e-9).certificate.width > 1e-9


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    row = "random() AS p_a, random() AS p_b, random() AS p_c, (i % 7) % 2 AS g"
    duckdb.sql(f"COPY (SELECT chr((97 + i % 3)::INT) AS kind, {row} FROM range(3000000) AS t(i)) TO '{path}'")
    return path


@pytest.mark.slow
class TestLittleRoom:
    """Memory smaller than the data: put aside on disk; and a disk that is full."""

    @pytest.mark.slow
    def test_counting_needs_little(self, file, tmp_path, monkeypatch):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        options = {"truth": "kind", "scores": P, "measure": "hand_till"}
        estimate = pr.evaluate(file, engine="duckdb", memory="160MB", tolerance=1e-4, **options)
        assert estimate.certificate.width <= 1e-4
        assert abs(estimate.value - 0.5) < 5 * estimate.standard_error  # random numbers separate nothing
        assert not [*tmp_path.iterdir()]

    @pytest.mark.slow
    def test_sorting_by_group_spills(self, file):
        options = {"truth": "kind", "scores": P, "measure": "accuracy", "by": "g"}
        small = pr.evaluate(file, memory="256MB", **options)
        large = pr.evaluate(file, memory="4GB", **options)
        assert small.rows() == large.rows()

    @pytest.mark.slow
    def test_full_disk(self, file, small_disk, monkeypatch):
        """A real file system of 256 KB where one can be mounted, DuckDB's own limit where not."""
        limit = {} if small_disk.is_mount() else {"disk": "1MB"}
        monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
        options = {"truth": "kind", "scores": P, "measure": "accuracy", "by": "g", "memory": "256MB"}
        with pytest.raises(OutOfSpaceError, match=r"more memory or disk space than there is.*Nothing was written"):
            pr.evaluate(file, engine="duckdb", **limit, **options)
        assert not [*small_disk.iterdir()]

    @pytest.mark.slow
    def test_no_room_for_what_is_written(self, folder, small_disk, capsys):
        """The file that was there stays, and nothing is beside it."""
        path = small_disk / "points.csv"
        path.write_text("before")
        arguments = [
            "curve",
            str(folder / "one.parquet"),
            "--truth",
            "kind",
            "--scores",
            "p_*",
            "--multi-class",
            "ovo",
        ]
        with nullcontext() if small_disk.is_mount() else small_files(2**18):
            assert main([*arguments, "--engine", "duckdb", "--out", str(path)]) == 2
        assert "points.csv cannot be written (" in capsys.readouterr().err
        assert path.read_text() == "before"
        assert [*path.parent.iterdir()] == [path]

    @pytest.mark.slow
    def test_exact_answer_too_large(self, file):
        with pytest.raises(OutOfSpaceError, match="distinct values"):
            pr.evaluate(
                file, truth="kind", scores=P, measure="hand_till", engine="duckdb", exact=True, memory="512MB"
            )


@pytest.mark.parametrize(("text", "size"), [("1GB", 2**30), ("1.5 MiB", 1572864), ("10k", 10240), (7, 7)])
def test_sizes(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["1e9", "9" * 400, -1.0, "2000000TB", 2**61])
def test_sizes_that_are_none(text):
    with pytest.raises(InputError, match=r"disk must be (a size such as '1GB' or|at most 1048576TB)"):
        parse_size(text, "disk")


class TestCommandLine:
    @pytest.mark.slow
    def test_evaluate(self, folder, capsys):
        path = str(folder / "many" / "*.parquet")
        arguments = ["evaluate", path, "--truth", "kind", "--scores", "p_*", "-m", "hand_till"]
        assert main([*arguments, "--engine", "duckdb", "--memory", "1GB", "--tolerance", "1e-6"]) == 0
        out = capsys.readouterr().out
        assert "Certain to hold the exact value, after 2 passes over 3000 rows" in out
        assert main([*arguments, "--exact", "--csv"]) == 0
        assert "bound_low" in capsys.readouterr().out

    def test_groups(self, folder, capsys):
        arguments = ["evaluate", str(folder / "hive"), "--truth", "kind", "--scores", "p_*", "-m", "accuracy"]
        assert main([*arguments, "--by", "country"]) == 0
        assert "2 groups by country" in capsys.readouterr().out
        assert main([*arguments, "--by", "country", "--json"]) == 0
        assert '"kind": "Grouped"' in capsys.readouterr().out

    def test_compare(self, folder, capsys):
        arguments = ["compare", str(folder / "many"), "--truth", "kind", "--scores", "p=p_*", "--scores", "q=q_*"]
        assert main([*arguments, "-m", "hand_till"]) == 0
        assert "Certain to hold" in capsys.readouterr().out

    def test_trouble(self, folder, capsys):
        arguments = ["evaluate", str(folder / "one.parquet"), "--truth", "kind", "--engine", "duckdb"]
        assert main([*arguments, "--scores", "p_*", "--classifier", "country"]) == 2
        assert "--classifier is not available for files that an engine reads" in capsys.readouterr().err


@pytest.mark.parametrize("value", [float("nan"), None])
def test_missing_scores_of_any_writer(tmp_path, value):
    """Statistics in Parquet files leave nan out; that does not mean that there is none."""
    scores = [value, *np.arange(599.0)]
    pl.DataFrame({"y": [0, 1] * 300, "s": scores}).write_parquet(tmp_path / "polars.parquet")
    duckdb.sql(f"COPY (FROM '{tmp_path}/polars.parquet') TO '{tmp_path}/duckdb.parquet'")
    for path in (tmp_path / "polars.parquet", tmp_path / "duckdb.parquet"):
        with pytest.warns(pr.errors.DroppedRowsWarning, match="Dropped 1 of 600"):
            estimate = pr.evaluate(
                path, truth="y", scores="s", measure="auc", engine="duckdb", missing="drop", exact=True
            )
        alone = pr.evaluate(([0, 1] * 300)[1:], scores[1:], measure="auc")
        assert estimate.value == pytest.approx(alone.value, abs=1e-12)


@pytest.mark.parametrize("classes", [("no", "yes"), ("f", "t"), ("n", "y"), ("No", "True")], ids=str)
def test_words_that_duckdb_takes_for_truth_values_are_classes(tmp_path, classes):
    rng = np.random.default_rng(0)
    rows = [f"{classes[i % 2]},{rng.normal() + i % 2}" for i in range(40)]
    (tmp_path / "cases.csv").write_text("\n".join(["truth,score", *rows]))
    options = {"truth": "truth", "scores": "score", "measure": "auc"}
    with pytest.raises(InputError, match="ambiguous"):
        pr.evaluate(tmp_path / "cases.csv", engine="duckdb", **options)
    values = [
        pr.evaluate(tmp_path / "cases.csv", engine=engine, pos_label=classes[1], **options).value
        for engine in ("memory", "duckdb")
    ]
    assert values[0] == pytest.approx(values[1])


def test_true_and_false_are_truth_values(tmp_path):
    rows = [f"{bool(i % 3 == 0)},{i % 7}" for i in range(40)]
    (tmp_path / "cases.csv").write_text("\n".join(["truth,score", *rows]))
    options = {"truth": "truth", "scores": "score", "measure": "auc"}
    memory, engine = (pr.evaluate(tmp_path / "cases.csv", engine=e, **options).value for e in ("memory", "duckdb"))
    assert memory == pytest.approx(engine)
