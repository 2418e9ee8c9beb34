"""The engine over files says what memory says; bounds hold the exact value; what is wrong is named."""

import tempfile
import warnings
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polyroc as pr
from polyroc.cli.commands import run as main
from polyroc.engines.groups import groups
from polyroc.engines.reading import Classes
from polyroc.engines.rows import Batch, MemoryRows
from polyroc.engines.session import parse_size
from polyroc.engines.solving import Asked, solve
from polyroc.errors import InputError, MissingFileError, NotApplicableError, OutOfSpaceError, PolyrocWarning
from polyroc.measures import measure
from test_tally import MATRIX, ONE_COLUMN, TWO_CLASSES, number, share, tallied

P = ["p_a", "p_b", "p_c"]
Q = ["q_a", "q_b", "q_c"]


def frame(n=3000, seed=0):
    """Three classes, two classifiers, a score along the classes, weights, two columns that make groups."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    logits = rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[y]
    other = logits + rng.normal(size=(n, 3))
    tables = [np.exp(each) / np.exp(each).sum(axis=1, keepdims=True) for each in (2 * logits, other)]
    tables[0] = np.where(rng.random((n, 1)) < 0.2, tables[0].round(1), tables[0])  # some ties
    columns = dict(zip([*P, *Q], np.hstack(tables).T, strict=True))
    score = y + rng.normal(size=n)
    named = np.array(["a", "b", "c"])[y]
    extra = {"w": rng.random(n) * 2, "country": rng.choice(["fr", "it"], n), "day": rng.integers(1, 4, n)}
    return pl.DataFrame({"kind": named, **columns, "s": score, **extra})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same rows in one file, in several, in partitions, and as text."""
    path, data = tmp_path_factory.mktemp("rows"), frame()
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
    engine, memory = both(path, key, truth="kind", weight=weight, **options)
    assert engine.value == pytest.approx(memory.value, abs=1e-12)  # sums in another order
    assert engine.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    assert engine.bounds[0] <= memory.value <= engine.bounds[1]
    assert engine.certificate.width < 1e-10
    assert engine.provenance.cases == memory.provenance.cases
    assert engine.confidence_interval() == pytest.approx(memory.confidence_interval(), abs=1e-9)
    for name, part in memory.parts.items():
        assert engine.parts[name].value == pytest.approx(part.value, abs=1e-12)


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
    for found in (once, fine):
        assert found.bounds[0] <= exact.value <= found.bounds[1]
    assert fine.standard_error == pytest.approx(exact.standard_error, abs=fine.certificate.error_within + 1e-12)


def test_errors_without_a_second_look(folder):
    options = {"truth": "kind", "scores": P, "measure": "hand_till", "engine": "duckdb"}
    seen, bound = (pr.evaluate(folder / "one.parquet", covariance=how, **options) for how in ("joined", "bound"))
    assert (seen.certificate.passes, bound.certificate.passes) == (2, 1)
    assert not seen.certificate.error_is_bound
    assert bound.certificate.error_is_bound
    assert seen.standard_error < bound.standard_error


@pytest.mark.parametrize("path", ["many/*.parquet", "many", "hive", "one.csv", "hive/**/*.parquet"])
def test_many_files(folder, path):
    options = {"truth": "kind", "scores": "p_*", "measure": "hand_till", "exact": True}
    one = pr.evaluate(folder / "one.parquet", **options)
    found = pr.evaluate(str(folder / path), **options)
    assert found.value == pytest.approx(one.value, abs=1e-12)
    assert found.standard_error == pytest.approx(one.standard_error, rel=1e-9)
    listed = pr.evaluate(sorted(folder.glob("many/*.parquet")), **options)
    assert listed.value == pytest.approx(one.value, abs=1e-12)


def test_comparison_equals_memory(folder):
    options = {"truth": "kind", "scores": {"p": P, "q": Q}}
    for key in ("hand_till", "accuracy"):
        memory = pr.compare(folder / "one.parquet", measure=key, engine="memory", **options)
        engine = pr.compare(folder / "one.parquet", measure=key, engine="duckdb", exact=True, **options)
        assert engine.covariance == pytest.approx(memory.covariance, rel=1e-8)
        assert engine.pvalue == pytest.approx(memory.pvalue, rel=1e-6)
        bound = pr.compare(folder / "one.parquet", measure=key, engine="duckdb", covariance="bound", **options)
        assert bound.difference("p", "q").standard_error > memory.difference("p", "q").standard_error


@pytest.mark.parametrize("room", [2**20, 0])  # without room no group fits, and each is read from the files
def test_groups(folder, room, monkeypatch):
    monkeypatch.setattr("polyroc.engines.judging.groups", lambda data, by, _: groups(data, by, room))
    asked = {"truth": "kind", "scores": P, "measure": "hand_till", "exact": True}
    found = pr.evaluate(folder / "hive", by=["country", "day"], **asked)
    assert len(found) == 6
    data = frame()
    for (country, day), estimate in found.items():
        kept = data.filter((pl.col("country") == country) & (pl.col("day") == int(day)))
        alone = pr.evaluate(kept["kind"], kept[P].to_numpy(), measure="hand_till")
        assert estimate.value == pytest.approx(alone.value, abs=1e-12)
        assert estimate.standard_error == pytest.approx(alone.standard_error, rel=1e-9)
    assert [row["country"] for row in found.rows()] == ["fr"] * 3 + ["it"] * 3
    assert pr.Grouped.from_dict(found.to_dict()).rows() == found.rows()


def test_every_measure_that_applies(folder):
    found = pr.evaluate(folder / "one.parquet", truth="kind", scores={"p": P, "q": Q}, engine="duckdb")
    assert set(found.measures) == set(MATRIX)
    assert "auc" in found.skipped


@given(tallied(3, 3, share), st.sampled_from([0.3, 1e-3, 1e-9]))
@settings(max_examples=40)
def test_refinement_reaches_the_tolerance(data, tolerance):
    y, table, w, _ = data
    check_solution(y, [*table.T], w, ["hand_till", "ova"], tolerance, matrix=True)


@given(tallied(3, 1, number), st.sampled_from([0.3, 1e-3, 1e-9]))
@settings(max_examples=40)
def test_refinement_of_one_column(data, tolerance):
    y, score, w, _ = data
    check_solution(y, [score], w, ONE_COLUMN, tolerance, matrix=False)


def check_solution(y, columns, w, keys, tolerance, matrix):
    """Bounds as narrow as asked, unless neighbouring doubles are all that is left; the exact value is inside."""
    rows = MemoryRows(Batch(y.astype(np.int32), [np.ascontiguousarray(each) for each in columns], w))
    places = tuple(range(len(columns)))
    classes, kind = Classes((0, 1, 2), ("0", "1", "2"), None, matrix), "matrix" if matrix else "score"
    asked = Asked([measure(key) for key in keys], {"one": places}, classes, kind, tolerance, room=2**26)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PolyrocWarning)
        found = solve(rows, asked)
        scores = np.column_stack(columns) if matrix else columns[0]
        for key in keys:
            exact = pr.evaluate(y, scores, measure=key, sample_weight=w, labels=[0, 1, 2], method=None)
            estimate = found.estimates["one", key]
            assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
            complaints = [each for each in caught if each.category is pr.errors.ToleranceWarning]
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

    def test_no_such_column_and_no_such_file(self, folder):
        with pytest.raises(InputError, match=r"no column 'knid'.*Did you mean 'kind'"):
            self.evaluate(folder / "one.parquet", truth="knid")
        with pytest.raises(InputError, match="asked for as by"):
            self.evaluate(folder / "one.parquet", by="contry")
        for path in ("nothing.parquet", "nothing/*.parquet"):
            with pytest.raises(MissingFileError):
                self.evaluate(folder / path)
        with pytest.raises(InputError, match="one kind"):
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
            self.evaluate(path, weight="w")

    def test_one_class_and_absent_class(self, tmp_path):
        frame(300).filter(pl.col("kind") != "c").write_parquet(tmp_path / "two.parquet")
        with pytest.warns(pr.errors.UndefinedMeasureWarning, match="'c'"):
            found = self.evaluate(tmp_path / "two.parquet", labels=["a", "b", "c"])
        assert np.isnan(found.value)

    def test_what_engines_have_not(self, folder):
        with pytest.raises(NotApplicableError, match="engines have"):
            self.evaluate(folder / "one.parquet", measure="pdi")
        with pytest.raises(NotApplicableError, match="in memory"):
            self.evaluate(folder / "one.parquet", method=pr.Bootstrap(n=10, rng=0))
        with pytest.raises(InputError, match="arrays"):
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
        with pytest.raises(InputError, match="are for files"):
            pr.evaluate([0, 1], [0.1, 0.2], tolerance=1e-6)

    def test_tolerance_out_of_reach(self, folder, monkeypatch):
        monkeypatch.setattr("polyroc.engines.solving.MOST_PASSES", 1)
        with pytest.warns(pr.errors.ToleranceWarning, match="further apart than the tolerance"):
            assert self.evaluate(folder / "one.parquet", tolerance=1e-9).certificate.width > 1e-9


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    row = "random() AS p_a, random() AS p_b, random() AS p_c, (i % 7) % 2 AS g"
    duckdb.sql(f"COPY (SELECT chr((97 + i % 3)::INT) AS kind, {row} FROM range(3000000) AS t(i)) TO '{path}'")
    return path


class TestLittleRoom:
    """Memory smaller than the data: put aside on disk; and a disk that is full."""

    def left(self):
        return {path.name for path in Path(tempfile.gettempdir()).glob("polyroc-*")}

    def test_counting_needs_little(self, file):
        before = self.left()
        options = {"truth": "kind", "scores": P, "measure": "hand_till"}
        found = pr.evaluate(file, engine="duckdb", memory="160MB", tolerance=1e-4, **options)
        assert found.certificate.width <= 1e-4
        assert abs(found.value - 0.5) < 5 * found.standard_error  # random numbers separate nothing
        assert self.left() <= before

    def test_sorting_by_group_spills(self, file):
        options = {"truth": "kind", "scores": P, "measure": "accuracy", "by": "g"}
        small = pr.evaluate(file, memory="256MB", **options)
        large = pr.evaluate(file, memory="4GB", **options)
        assert small.rows() == large.rows()

    def test_full_disk(self, file):
        before = self.left()
        with pytest.raises(OutOfSpaceError, match=r"more room than there is.*Nothing was written"):
            pr.evaluate(
                file,
                truth="kind",
                scores=P,
                measure="accuracy",
                by="g",
                memory="256MB",
                disk="1MB",
                engine="duckdb",
            )
        assert self.left() <= before

    def test_exact_answer_too_large(self, file):
        with pytest.raises(OutOfSpaceError, match="different values"):
            pr.evaluate(
                file, truth="kind", scores=P, measure="hand_till", engine="duckdb", exact=True, memory="512MB"
            )


@pytest.mark.parametrize(("text", "size"), [("1GB", 2**30), ("1.5 MiB", 1572864), ("10k", 10240), (7, 7)])
def test_sizes(text, size):
    assert parse_size(text) == size


class TestCommandLine:
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
        assert main([*arguments, "--scores", "p_*", "--groups", "country"]) == 2
        assert "--groups needs the rows in memory" in capsys.readouterr().err


class TestCurves:
    def test_exact_curve_is_that_of_memory(self, folder):
        options = {"truth": "kind", "scores": "s", "pos_label": "b"}
        engine = pr.curve(folder / "two.parquet", engine="duckdb", exact=True, **options)
        memory = pr.curve(folder / "two.parquet", engine="memory", **options)
        for name in ("fpr", "tpr", "thresholds"):
            assert getattr(engine, name) == pytest.approx(getattr(memory, name), abs=1e-12)
        assert engine.area.value == pytest.approx(memory.area.value, abs=1e-12)
        assert engine.prevalence == pytest.approx(memory.prevalence)

    @pytest.mark.parametrize("multi_class", ["ova", "ovo"])
    def test_points_lie_on_the_exact_curve(self, folder, multi_class):
        options = {"truth": "kind", "scores": P, "multi_class": multi_class}
        engine = pr.curve(folder / "one.parquet", engine="duckdb", drop_intermediate=True, **options)
        memory = pr.curve(folder / "one.parquet", engine="memory", **options)
        assert [*engine] == [*memory]
        for key, curve in engine.items():
            exact = {(round(x, 12), round(y, 12)) for x, y in zip(memory[key].fpr, memory[key].tpr, strict=True)}
            assert {(round(x, 12), round(y, 12)) for x, y in zip(curve.fpr, curve.tpr, strict=True)} <= exact
            assert (curve.positive, curve.negative) == (memory[key].positive, memory[key].negative)
            low, high = curve.area.bounds
            assert low <= memory[key].area.value <= high

    def test_what_engines_do_not_draw(self, folder):
        options = {"truth": "kind", "scores": "s", "pos_label": "b", "engine": "duckdb"}
        with pytest.raises(NotApplicableError, match="'roc' and 'det'"):
            pr.curve(folder / "two.parquet", kind="pr", **options)
        with pytest.raises(NotApplicableError, match="Bands"):
            pr.curve(folder / "two.parquet", band="pointwise", **options)


class TestOperating:
    @pytest.mark.parametrize("weight", [None, "w"])
    @pytest.mark.parametrize(
        "aim", [{"costs": [[0, 1], [5, 0]]}, {"criterion": "youden"}, {"at_most": {("b", "a"): 0.1}}]
    )
    def test_exact_rule_is_that_of_memory(self, folder, aim, weight):
        options = {"truth": "kind", "scores": "s", "weight": weight, "labels": ["a", "b"]}
        with pytest.warns(pr.errors.OptimismWarning):
            engine = pr.operate(folder / "two.parquet", engine="duckdb", exact=True, **aim, **options)
        with pytest.warns(pr.errors.OptimismWarning):
            memory = pr.operate(folder / "two.parquet", engine="memory", **aim, **options)
        assert engine.rule == memory.rule
        assert engine.rates == pytest.approx(memory.rates, abs=1e-12)
        errors = [found.confusion.standard_errors for found in (engine, memory)]
        assert errors[0] == pytest.approx(errors[1], rel=1e-9)
        assert engine.cost.value == pytest.approx(memory.cost.value)
        assert engine.cost.standard_error == pytest.approx(memory.cost.standard_error, rel=1e-9)

    def test_judged_on_other_files(self, folder):
        data = pl.read_parquet(folder / "two.parquet")
        options = {"truth": "kind", "scores": "s", "labels": ["a", "b"], "engine": "duckdb"}
        found = pr.operate(folder / "two.parquet", criterion="youden", judge_on=folder / "two.parquet", **options)
        called = data["s"].to_numpy() >= found.rule.threshold  # an edge: between two scores, not one of them
        for k, label in enumerate("ab"):
            rate = called[data["kind"].to_numpy() == label].mean()
            assert found.rates[k, 1] == pytest.approx(rate, abs=1e-12)

    def test_refusals(self, folder):
        options = {"truth": "kind", "engine": "duckdb"}
        with pytest.raises(NotApplicableError, match="2 classes"):
            pr.operate(folder / "one.parquet", scores=P, **options)
        with pytest.raises(InputError, match="judge_on must name files"):
            pr.operate(folder / "two.parquet", scores="s", pos_label="b", judge_on=([0, 1], [0.1, 0.2]), **options)
