"""What the verbs make of files by an engine: curves, rules, rates, comparisons by group; and the command line."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from engine_files import P, Q, frame, written
from polyroc.cli.app import run as main
from polyroc.curves.points import KINDS
from polyroc.engines.bins import BinCounts, BinnedValues, Layout
from polyroc.engines.bounds import bounded_statistic
from polyroc.errors import InputError, MissingFileError, NotApplicableError, OptimismWarning
from polyroc.kernels.threads import machine_memory
from polyroc.measures.sample import Sample
from polyroc.scores import Schema, Scores

RISK = {"truth": "kind", "scores": "s", "pos_label": "b"}
MATRIX = {"truth": "kind", "scores": P}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = written(tmp_path_factory.mktemp("rows"))
    frame(900, seed=5).write_parquet(path / "new.parquet")
    return path


def judged_alike(engine, memory):
    """Value, error and cases of two estimates; sums were made in another order."""
    assert engine.measure == memory.measure
    assert engine.value == pytest.approx(memory.value, abs=1e-12)
    assert engine.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    assert engine.confidence_interval() == pytest.approx(memory.confidence_interval(), abs=1e-9)
    assert engine.provenance == memory.provenance


class TestCurves:
    @pytest.mark.parametrize("weight", [None, "w"])
    @pytest.mark.parametrize("kind", ["roc", "pr", "det", "cost"])
    def test_exact_curve_is_that_of_memory(self, folder, kind, weight):
        options = {
            **RISK,
            "sample_weight": weight,
            "kind": kind,
            "band": "simultaneous",
            "binormal": weight is None,
        }
        engine = pr.curve(folder / "two.parquet", engine="duckdb", exact=True, **options)
        memory = pr.curve(folder / "two.parquet", engine="memory", **options)
        for name in ("fpr", "tpr", "thresholds"):
            assert getattr(engine, name) == pytest.approx(getattr(memory, name), abs=1e-12)
        judged_alike(engine.area, memory.area)
        assert engine.prevalence == pytest.approx(memory.prevalence)
        for name in ("x", "low", "high"):
            assert getattr(engine.band, name) == pytest.approx(getattr(memory.band, name), abs=1e-9)
        if weight is None:
            assert engine.binormal.covariance == pytest.approx(memory.binormal.covariance)

    @pytest.mark.parametrize("band", ["pointwise", "working_hotelling"])
    def test_other_bands(self, folder, band):
        engine = pr.curve(folder / "two.parquet", engine="duckdb", exact=True, band=band, **RISK)
        memory = pr.curve(folder / "two.parquet", engine="memory", band=band, **RISK)
        assert engine.band.low == pytest.approx(memory.band.low, abs=1e-9)
        assert engine.band.high == pytest.approx(memory.band.high, abs=1e-9)

    def test_band_of_cells(self, folder):
        """Cells move the curve by less than the largest holds; the numbers of cases are those of the rows."""
        cells, memory = (
            pr.curve(folder / "two.parquet", engine=engine, band="simultaneous", **RISK)
            for engine in ("duckdb", "memory")
        )
        assert len(cells) < len(memory)
        low = np.interp(memory.band.x, cells.band.x, cells.band.low)
        assert low == pytest.approx(memory.band.low, abs=0.01)

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["roc", "pr"])
    @pytest.mark.parametrize("multi_class", ["ova", "ovo"])
    def test_points_lie_on_the_exact_curve(self, folder, multi_class, kind):
        options = {**MATRIX, "multi_class": multi_class, "kind": kind}
        engine = pr.curve(folder / "one.parquet", engine="duckdb", drop_intermediate=True, **options)
        memory = pr.curve(folder / "one.parquet", engine="memory", **options)
        assert [*engine] == [*memory]
        assert engine.whole.keys() == memory.whole.keys()
        for key, curve in engine.items():
            exact = {(round(x, 12), round(y, 12)) for x, y in zip(memory[key].fpr, memory[key].tpr, strict=True)}
            assert {(round(x, 12), round(y, 12)) for x, y in zip(curve.fpr, curve.tpr, strict=True)} <= exact
            assert (curve.positive, curve.negative) == (memory[key].positive, memory[key].negative)
            low, high = curve.area.bounds
            assert low <= memory[key].area.value <= high
            assert curve.area.provenance == memory[key].area.provenance
            assert curve.area.standard_error == pytest.approx(memory[key].area.standard_error, rel=1e-2)

    def test_tolerance_is_about_the_area(self, folder):
        curve = pr.curve(folder / "two.parquet", kind="pr", tolerance=1e-7, **RISK)
        assert curve.area.measure == "average_precision"
        assert curve.area.certificate.width <= 1e-7

    def test_what_engines_do_not_draw(self, folder):
        options = {**RISK, "engine": "duckdb"}
        with pytest.raises(NotApplicableError, match="is not available for files that an engine reads"):
            pr.curve(
                folder / "two.parquet",
                band="pointwise",
                method=pr.methods.Bootstrap(replicates=10, rng=0),
                **options,
            )
        with pytest.raises(NotApplicableError, match="by is not available"):
            pr.curve(folder / "two.parquet", **options | {"by": "country"})
        with pytest.raises(NotApplicableError, match="multi_class='ova'"):
            pr.curve(folder / "one.parquet", engine="duckdb", **MATRIX)
        with pytest.raises(InputError, match="folds"):
            pr.curve(folder / "two.parquet", folds=[1, 2], **options)


cases = st.lists(
    st.tuples(
        st.sampled_from([0, 1]), st.sampled_from([0.1, 0.11, 0.12, 0.13, 0.4, 0.41, 0.9]), st.integers(0, 3)
    ),
    min_size=1,
    max_size=30,
)


@pytest.mark.parametrize("kind", ["pr", "cost"])
@given(cases, st.booleans())
def test_areas_are_inside_their_bounds(kind, rows, weighted):
    """However scores tie inside a cell: three bits, so that the scores above share three cells."""
    rows = [*rows, (0, 0.4, 1), (1, 0.41, 1)]  # both classes
    y, score, w = (np.array(column) for column in zip(*rows, strict=True))
    weight = w.astype(float) if weighted else np.ones(len(y))
    exact = KINDS[kind].area(
        Sample(Scores._make(y.astype(np.int32), (0, 1), {"": score}, positive=1, sample_weight=weight), "")
    )
    bins = BinCounts(Layout.of(3), 2, weighted)
    kept = weight > 0
    bins.add(BinnedValues(score[kept]), y[kept].astype(np.int32), weight[kept] if weighted else None)
    result = bounded_statistic(KINDS[kind].area, {0: bins.column()}, Schema((0, 1), positive=1))
    assert result.low <= exact.value <= result.high
    assert result.low <= result.statistic.value <= result.high


class TestRules:
    @pytest.mark.parametrize("weight", [None, "w"])
    @pytest.mark.parametrize(
        "aim", [{"costs": [[0, 1], [5, 0]]}, {"criterion": "youden"}, {"at_most": {("b", "a"): 0.1}}]
    )
    def test_exact_threshold_is_that_of_memory(self, folder, aim, weight):
        options = {**RISK, "sample_weight": weight, "labels": ["a", "b"], **aim}
        with pytest.warns(OptimismWarning):
            engine = pr.operate(folder / "two.parquet", engine="duckdb", exact=True, **options)
        with pytest.warns(OptimismWarning):
            memory = pr.operate(folder / "two.parquet", engine="memory", **options)
        assert engine.rule == memory.rule
        self.alike(engine, memory)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "aim", [{"costs": {("c", "a"): 5}}, {"criterion": "youden"}, {"at_most": {("b", "a"): 0.1}}]
    )
    def test_exact_cut_points_are_those_of_memory(self, folder, aim):
        options = {
            "truth": "kind",
            "scores": "s",
            "labels": ["a", "b", "c"],
            "evaluate_on": folder / "new.parquet",
        }
        engine = pr.operate(folder / "one.parquet", engine="duckdb", exact=True, **options, **aim)
        memory = pr.operate(folder / "one.parquet", engine="memory", **options, **aim)
        assert engine.rule == memory.rule
        self.alike(engine, memory)
        binned = pr.operate(folder / "one.parquet", engine="duckdb", **options, **aim)
        assert binned.apparent_cost == pytest.approx(memory.apparent_cost, abs=2e-3)  # at edges of bins
        assert (engine.optimality, binned.optimality) == ("proven", "best found")

    def alike(self, engine, memory):
        assert engine.aim == memory.aim
        assert engine.apparent_cost == pytest.approx(memory.apparent_cost)
        judged_alike(engine.cost, memory.cost)
        self.same_rates(engine.confusion, memory.confusion)

    def same_rates(self, engine, memory):
        assert engine.rates == pytest.approx(memory.rates, abs=1e-12)
        assert engine.standard_errors == pytest.approx(memory.standard_errors, rel=1e-9)
        assert engine.counts == pytest.approx(memory.counts)
        assert engine.fewest == pytest.approx(memory.fewest)
        assert engine.provenance == memory.provenance

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("terms", "weight"),
        [
            ({}, "w"),
            ({"costs": [[0, 1, 2], [3, 0, 1], [9, 1, 0]]}, None),
            ({"priors": [0.1, 0.2, 0.7]}, "w"),
            ({"training_priors": {"a": 0.1, "b": 0.2, "c": 0.7}}, None),
        ],
    )
    def test_bayes_rule_for_many_classes(self, folder, terms, weight):
        options = {
            **MATRIX,
            "calibrated": True,
            "sample_weight": weight,
            "evaluate_on": folder / "new.parquet",
            **terms,
        }
        engine, memory = (
            pr.operate(folder / "one.parquet", engine=engine, **options) for engine in ("duckdb", "memory")
        )
        assert np.array(engine.rule.costs) == pytest.approx(np.array(memory.rule.costs))  # weights were summed
        self.alike(engine, memory)

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore::polyroc.errors.MiscalibrationWarning")
    def test_bayes_rule_for_one_probability(self, folder):
        options = {"truth": "kind", "scores": "p_b", "pos_label": "b", "calibrated": True, "priors": [0.9, 0.1]}
        engine, memory = (
            pr.operate(folder / "two.parquet", engine=engine, **options) for engine in ("duckdb", "memory")
        )
        assert engine.rule == memory.rule
        self.alike(engine, memory)
        with pytest.raises(InputError, match=r"probabilities in \[0, 1\]"):
            pr.operate(folder / "two.parquet", engine="duckdb", **{**options, "scores": "s"})

    @pytest.mark.slow
    def test_evaluated_on_other_cases(self, folder):
        data = pl.read_parquet(folder / "two.parquet")
        options = {**RISK, "engine": "duckdb", "criterion": "youden"}
        point = pr.operate(folder / "two.parquet", evaluate_on=folder / "two.parquet", **options)
        called = data["s"].to_numpy() >= point.rule.threshold  # an edge: between two scores, not one of them
        for k, label in enumerate("ab"):
            rate = called[data["kind"].to_numpy() == label].mean()
            assert point.rates[k, 1] == pytest.approx(rate, abs=1e-12)
        arrays = pr.operate(folder / "two.parquet", evaluate_on=(data["kind"], data["s"]), **options)
        self.same_rates(point.confusion, arrays.confusion)
        small = pr.operate(folder / "two.parquet", evaluate_on=folder / "two.parquet", **RISK)
        assert small.held_out  # both were read into memory
        data.filter(pl.col("kind") == "a").write_parquet(folder / "a.parquet")
        with pytest.raises(InputError, match="evaluate_on has no case of class 'b'"):
            pr.operate(folder / "two.parquet", evaluate_on=folder / "a.parquet", **options)

    @pytest.mark.parametrize(
        "rule",
        [
            None,
            pr.decisions.CostRule(("b", "a", "c"), [[0, 1, 2], [3, 0, 1], [9, 1, 0]]),
            pr.decisions.MossmanRule([*"abc"], 0.4, 0),
        ],
    )
    def test_rates(self, folder, rule):
        """Without a rule ties are shared: a fifth of the rows are rounded to one decimal."""
        engine, memory = (
            pr.rates(folder / "one.parquet", engine=engine, rule=rule, sample_weight="w", **MATRIX)
            for engine in ("duckdb", "memory")
        )
        self.same_rates(engine, memory)
        judged_alike(engine.information_gain(), memory.information_gain())

    def test_rates_at_a_threshold(self, folder):
        calls = []
        options = {**RISK, "threshold": 0.5}
        progress = {"progress": lambda *call: calls.append(call)}
        engine = pr.rates(folder / "two.parquet", engine="duckdb", **options, **progress)
        self.same_rates(engine, pr.rates(folder / "two.parquet", **options))
        assert calls == [(1957, 1957, "decisions")]

    def test_rejected_calls(self, folder):
        options = {"truth": "kind", "engine": "duckdb"}
        with pytest.raises(NotApplicableError, match=r"3 classes .* calibrated=True .* sample"):
            pr.operate(folder / "one.parquet", scores=P, **options)
        with pytest.raises(
            NotApplicableError, match="by is not available in operate for files that an engine reads"
        ):
            pr.operate(folder / "two.parquet", **{**RISK, **options, "by": "country"})
        with pytest.raises(InputError, match="needs the order of the classes for one score and 3 classes"):
            pr.operate(folder / "one.parquet", scores="s", **options)
        with pytest.raises(NotApplicableError, match=r"Bootstrap\(.*is not available for files that an engine"):
            pr.operate(folder / "two.parquet", method="bootstrap", exact=True, **{**RISK, **options})
        with pytest.raises(InputError, match="rule or a threshold"):
            pr.rates(folder / "two.parquet", **{**RISK, **options})
        with pytest.raises(InputError, match="High scores indicate 'a' in the rule"):
            pr.rates(
                folder / "two.parquet",
                rule=pr.decisions.ThresholdRule(["a", "b"], "a", 0.5),
                **{**RISK, **options},
            )
        with pytest.raises(InputError, match="sample_weight must be the name of a column"):
            pr.operate(folder / "two.parquet", sample_weight=[1.0], **{**RISK, **options})

    @pytest.mark.parametrize(("hole", "message"), [(None, "missing values in 1"), (np.inf, "infinity in 1")])
    def test_scores_that_cannot_be_decided(self, hole, message, tmp_path):
        spoilt = pl.when(pl.int_range(pl.len()) == 7).then(hole).otherwise(pl.col("p_b")).alias("p_b")
        frame(300).with_columns(spoilt).write_parquet(tmp_path / "x.parquet")
        with pytest.raises(InputError, match=rf"'p_b' .* {message} of 300"):
            pr.operate(tmp_path / "x.parquet", engine="duckdb", calibrated=True, **MATRIX)


@pytest.mark.slow
def test_comparisons_by_group(folder):
    calls = []
    options = {"truth": "kind", "scores": {"p": P, "q": Q}, "measure": "hand_till"}
    comparison = pr.compare(folder / "hive", by=["country"], progress=lambda *call: calls.append(call), **options)
    assert [*comparison] == [("fr",), ("it",)]
    data = frame()
    for (country,), one in comparison.items():
        kept = data.filter(pl.col("country") == country)
        tables = {name: kept[columns].to_numpy() for name, columns in (("p", P), ("q", Q))}
        alone = pr.compare(kept["kind"], tables, measure="hand_till")
        assert one.covariance == pytest.approx(alone.covariance, rel=1e-8)
        assert one.pvalue == pytest.approx(alone.pvalue, rel=1e-6)
    assert [row["country"] for row in comparison.rows()] == ["fr", "it"]
    assert pr.results.Grouped.from_dict(json.loads(json.dumps(comparison.to_dict()))).rows() == comparison.rows()
    assert calls[-2:] == [(3000, 3000, "group it"), (3000, 3000, "all rows")]
    with pytest.raises(InputError, match="two classifiers"):
        pr.compare(folder / "hive", by="country", **{**options, "scores": P})
    memory = pr.compare(folder / "one.parquet", by="country", engine="memory", **options)
    assert memory.interaction().pvalue == pytest.approx(comparison.interaction().pvalue, rel=1e-6)
    assert comparison.overall.covariance == pytest.approx(memory.overall.covariance, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "float"])
@pytest.mark.parametrize("room", ["1GB", 1000])
def test_subgroups_as_in_memory(kind, room, tmp_path):
    """All cases are evaluated, too, and a missing value of `by` is not a subgroup."""
    part = frame(400)
    column = pl.col("country") if kind == "text" else pl.col("day").cast(pl.Float64)
    hole = None if kind == "text" else float("nan")
    part = part.with_columns(g=pl.when(pl.int_range(pl.len()) % 9 == 0).then(hole).otherwise(column))
    part.write_parquet(tmp_path / "x.parquet")
    options = {"truth": "kind", "scores": P, "measure": "hand_till", "by": "g"}
    for engine in ("memory", "duckdb"):
        with pytest.raises(InputError, match="missing"):
            pr.evaluate(tmp_path / "x.parquet", engine=engine, **options)
    with pytest.warns(pr.errors.DroppedRowsWarning):
        memory = pr.evaluate(tmp_path / "x.parquet", engine="memory", missing="drop", **options)
    with pytest.warns(pr.errors.DroppedRowsWarning):
        engine = pr.evaluate(tmp_path / "x.parquet", engine="duckdb", missing="drop", memory=room, **options)
    assert [*engine] == [*memory]
    assert engine.overall.value == pytest.approx(memory.overall.value, abs=0 if room == "1GB" else 1e-2)
    for group in memory:
        assert engine[group].value == pytest.approx(memory[group].value, abs=1e-2)


@pytest.mark.slow
def test_progress_of_passes(folder):
    """The first pass knows how many rows there are: Parquet says so."""
    calls = []
    monitored = {"progress": lambda *call: calls.append(call), "tolerance": 1e-7, "memory": "1GB"}
    pr.compare(
        str(folder / "many" / "*.parquet"), truth="kind", scores={"p": P, "q": Q}, measure="ova", **monitored
    )
    pr.curve(str(folder / "many" / "*.parquet"), **MATRIX, multi_class="ova", **monitored)
    assert {total for _, total, _ in calls} == {3000}
    assert [what for done, _, what in calls if done == 3000] == ["pass 1", "pass 2", "pass 1", "pass 2"]


VERBS = {
    "evaluate": lambda path: pr.evaluate(path, measure="auc", **RISK),
    "compare": lambda path: pr.compare(
        path, measure="auc", **{**RISK, "scores": {"s": "s", "p": "p_b"}}
    ).estimates["s"],
    "curve": lambda path: pr.curve(path, **RISK).area,
    "operate": lambda path: pr.operate(path, criterion="youden", evaluate_on=path, **RISK),
}


class TestChoiceOfEngine:
    """Without a word on the engine: memory up to a quarter of what the machine has, DuckDB beyond."""

    @pytest.mark.parametrize("verb", VERBS)
    @pytest.mark.parametrize("large", [True, False])
    def test_by_size(self, folder, verb, large, monkeypatch):
        path = folder / "two.parquet"
        limit = 4 * path.stat().st_size
        monkeypatch.setattr("polyroc.engines.options.machine_memory", lambda: limit - large)
        counted = []
        monkeypatch.setattr("polyroc.engines.evaluate.open_files", self.watched(counted))
        result = VERBS[verb](path)
        assert bool(counted) == large
        if verb != "operate":
            assert (result.certificate is not None) == large

    def watched(self, counted):
        from polyroc.engines.evaluate import open_files

        def watching(files, *others):
            counted.append(files)
            return open_files(files, *others)

        return watching

    @pytest.mark.parametrize("large", [True, False])
    @pytest.mark.parametrize("verb", [["evaluate", "-m", "auc"], ["curve"], ["operate", "--criterion", "youden"]])
    def test_on_the_command_line(self, folder, verb, large, monkeypatch, capsys):
        path = folder / "two.parquet"
        limit = 4 * path.stat().st_size
        monkeypatch.setattr("polyroc.engines.options.machine_memory", lambda: limit - large)
        counted = []
        monkeypatch.setattr("polyroc.engines.evaluate.open_files", self.watched(counted))
        assert main([verb[0], str(path), "--truth", "kind", "--scores", "s", "--pos-label", "b", *verb[1:]]) == 0
        assert bool(counted) == large
        assert verb[0] == "operate" or ("Certain to hold" in capsys.readouterr().out) == large

    def test_memory_of_a_container(self, tmp_path, monkeypatch):
        monkeypatch.setattr("polyroc.kernels.threads._CONTAINER_LIMITS", [])
        whole = machine_memory()
        for text, expected in (("max\n", whole), ("1048576\n", 2**20), (f"{2**62}\n", whole)):
            (tmp_path / "limit").write_text(text)
            monkeypatch.setattr(
                "polyroc.kernels.threads._CONTAINER_LIMITS", ["/no/such/file", str(tmp_path / "limit")]
            )
            assert machine_memory() == expected

    @pytest.mark.slow
    def test_one_file_however_named(self, folder, tmp_path):
        """A list of one is a file; a folder or a glob of one is for the engine, which knows partitions."""
        frame(300).write_parquet(tmp_path / "a.parquet")
        frame(300).write_ndjson(tmp_path / "b.jsonl")
        options = {**MATRIX, "measure": "accuracy"}
        one = pr.evaluate(tmp_path / "a.parquet", **options)
        assert one.certificate is None
        for path in ([tmp_path / "a.parquet"], tmp_path / "b.jsonl"):
            assert pr.evaluate(path, **options).value == one.value
        for path in (tmp_path, str(tmp_path / "*.parquet")):
            estimate = pr.evaluate(path, **options)
            assert estimate.value == pytest.approx(one.value, abs=1e-12)
            assert estimate.certificate.passes == 1
        with pytest.raises(InputError, match="reads one file"):
            pr.evaluate(folder / "many", engine="memory", **options)
        with pytest.raises(MissingFileError):
            pr.evaluate(tmp_path / "c.parquet", **options)


class TestCommandLine:
    def test_curve(self, folder, capsys, tmp_path):
        files = [str(path) for path in sorted((folder / "many").glob("*.parquet"))]
        points = tmp_path / "points.json"
        arguments = ["curve", *files, "--truth", "kind", "--scores", "p_*", "--multi-class", "ova", "--kind", "pr"]
        assert main([*arguments, "--tolerance", "1e-3", "--points", "50", "--out", str(points)]) == 0
        out = capsys.readouterr().out
        assert "0.parquet and 4 more: 3 precision-recall curves" in out
        assert "average_precision of c: " in out
        assert pr.results.Curves.from_dict(json.loads(points.read_text()))["c"].area.certificate.rows == 3000

    @pytest.mark.slow
    def test_operate_and_rates(self, folder, capsys, tmp_path):
        rule = tmp_path / "rule.json"
        columns = ["--truth", "kind", "--scores", "p_*", "--engine", "duckdb", "--json"]
        arguments = [
            "--calibrated",
            "--costs",
            "a>b=3",
            "--evaluate-on",
            str(folder / "new.parquet"),
            "--rule",
            str(rule),
        ]
        assert main(["operate", str(folder / "many"), *columns, *arguments]) == 0
        chosen = json.loads(capsys.readouterr().out)
        assert main(["rates", str(folder / "new.parquet"), *columns, "--rule", str(rule)]) == 0
        assert json.loads(capsys.readouterr().out)["counts"] == chosen["confusion"]["counts"]
        assert main(["operate", str(folder / "many"), *columns]) == 2
        assert "Use --calibrated" in capsys.readouterr().err

    @pytest.mark.slow
    def test_comparisons_by_group(self, folder, capsys):
        scores = ["--truth", "kind", "--scores", "p=p_*", "--scores", "q=q_*", "-m", "hand_till"]
        assert main(["compare", str(folder / "hive"), *scores, "--by", "country", "--by", "day"]) == 0
        assert "6 groups by country, day" in capsys.readouterr().out
        assert main(["compare", str(folder / "one.parquet"), *scores, "--by", "country"]) == 0
        assert "difference between p and q in hand_till depends on the subgroup" in capsys.readouterr().out

    def test_several_files(self, folder, capsys):
        files = [str(folder / name) for name in ("one.parquet", "new.parquet")]
        arguments = ["--truth", "kind", "--scores", "p_*", "-m", "accuracy"]
        assert main(["evaluate", *files, *arguments]) == 0
        assert "one.parquet and 1 more: 3900 cases" in capsys.readouterr().out
        assert main(["evaluate", *files, *arguments, "--engine", "memory"]) == 2
        assert "reads one file; several files" in capsys.readouterr().err
        judge = ["--evaluate-on", str(folder / "many")]
        assert main(["operate", files[0], "--truth", "kind", "--scores", "p_*", *judge]) == 0
        assert "on other cases" in capsys.readouterr().out.replace("\n", " ")


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"sample_weight": "w"}, {"sampling": "case-control"}])
@pytest.mark.parametrize("threshold", [0.25, 0.3])
def test_net_benefit_from_counts(options, threshold, tmp_path):
    """At an edge of bins every case is decided; inside a bin its cases are in doubt, unless exact."""
    rng = np.random.default_rng(3)
    y = (rng.random(4000) < 0.3).astype(int)
    p, q = (np.round(1 / (1 + np.exp(-(d * y - 1 + rng.normal(size=4000)))), 3) for d in (1.5, 1.0))
    file = tmp_path / "x.parquet"
    pl.DataFrame({"y": y, "p": p, "q": q, "w": rng.random(4000), "raw": 9 * p - 3}).write_parquet(file)
    request = {"truth": "y", "pos_label": 1, "measure": f"net_benefit(threshold={threshold!r})", **options}
    rough = pr.evaluate(file, scores="p", engine="duckdb", **request)
    exact = pr.evaluate(file, scores="p", engine="duckdb", exact=True, **request)
    memory = pr.evaluate(file, scores="p", engine="memory", **request)
    assert exact.value == pytest.approx(memory.value, abs=1e-9)
    assert exact.standard_error == pytest.approx(memory.standard_error, rel=1e-6)
    assert rough.standard_error == pytest.approx(memory.standard_error, rel=0.02)
    for estimate in (rough, exact):
        assert estimate.bounds[0] <= memory.value <= estimate.bounds[1]
    assert rough.bounds[1] - rough.bounds[0] < (1e-8 if threshold == 0.25 else 0.25 * memory.standard_error)
    both = {"scores": {"p": "p", "q": "q"}, **request}
    compared = pr.compare(file, engine="duckdb", exact=True, **both)
    assert compared.covariance == pytest.approx(pr.compare(file, engine="memory", **both).covariance, rel=1e-6)
    with pytest.raises(NotApplicableError, match="net_benefit compares probabilities with the threshold"):
        pr.evaluate(file, scores="raw", engine="duckdb", **request)
