"""Reports of files by an engine: what all rows give is that of memory, the rest is from a stated sample."""

import numpy as np
import polars as pl
import pytest

import polyroc as pr
from command import polyroc
from polyroc.reports import file_collection, file_input


@pytest.fixture
def few(monkeypatch):
    """Few rows are many, so that tests are quick."""
    monkeypatch.setattr(file_input, "SAMPLED_CASES", 300)
    monkeypatch.setattr(file_input, "ENGINE_ROWS", 900)
    return file_collection


@pytest.fixture(scope="module")
def stages(tmp_path_factory):
    """A Parquet file of 1200 rows, three classes and two classifiers."""
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 3, 1200)
    values = rng.normal(size=(2, 1200, 3))
    values[0, np.arange(1200), kind] += 2
    values[1, np.arange(1200), kind] += 1
    shares = np.exp(values) / np.exp(values).sum(axis=2, keepdims=True)
    columns = {f"{name}_{label}": shares[i, :, k] for i, name in enumerate("ab") for k, label in enumerate("xyz")}
    path = tmp_path_factory.mktemp("stages") / "stages.parquet"
    others = {"site": rng.integers(0, 2, 1200), "block": np.arange(1200) // 3, "half": np.arange(1200) % 2}
    others["marker"] = 9 * shares[0, :, 0]
    pl.DataFrame({"kind": np.array(["x", "y", "z"])[kind], **others, **columns}).write_parquet(path)
    return path


COLUMNS = {"truth": "kind", "scores": {"a": "a_*", "b": "b_*"}}


@pytest.mark.slow
def test_results_of_all_rows_and_of_the_sample(few, stages, tmp_path):
    page = tmp_path / "report.html"
    made = pr.report(stages, **COLUMNS, by="site", path=page, exact=True)
    scores = pr.read(stages, **COLUMNS)
    findings = made.findings
    whole = pr.evaluate(scores, measure="hand_till")
    for name in "ab":
        estimate = findings.evaluation[name, "hand_till"]
        assert estimate.value == pytest.approx(whole[name, "hand_till"].value, abs=1e-9)
        assert sum(estimate.provenance.cases.values()) == 1200
        assert sum(findings.evaluation[name, "pdi"].provenance.cases.values()) == 300
        np.testing.assert_array_equal(findings.rates[name].counts, pr.rates(scores, only=name).counts)
    assert findings.comparison.pvalue == pytest.approx(pr.compare(scores, measure="hand_till").pvalue, abs=1e-6)
    assert len(findings.subgroups.groups) == 2
    assert sum(next(iter(findings.curves.values())).area.provenance.cases.values()) == 1200
    assert "300 of the 1,200 cases, drawn at random without replacement (seed 0)" in findings.sample
    for part in ("the measure pdi", "pairs of classes", "the surface", "calibration", "the explorer"):
        assert part in findings.sample
    assert findings.sample in page.read_text(encoding="utf-8")
    assert findings.sample in made.to_markdown().replace("\\", "")
    assert len(made.cases.scores) == 300
    assert "300 of the 1,200" in made.cases.note


ONE = {"truth": "site", "scores": "marker", "pos_label": 1}


@pytest.mark.slow
def test_the_sample_depends_on_the_seed_alone(few, stages):
    drawn = [pr.report(stages, **ONE, path=None, rng=seed).cases.scores.values["classifier"] for seed in (1, 1, 2)]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])
    assert set(drawn[0]) < set(pr.read(stages, **ONE).values["classifier"])


def test_memory_on_request_and_where_an_engine_does_not_do(few, stages):
    assert pr.report(stages, **ONE, path=None, engine="memory").findings.sample == ""
    assert pr.report(stages, **ONE, path=None, folds="half").findings.sample == ""
    with pytest.raises(pr.errors.NotApplicableError, match="folds is not available"):
        pr.report(stages, **ONE, path=None, folds="half", engine="duckdb")


@pytest.mark.slow
def test_groups_and_negated_scores(few, stages):
    made = pr.report(stages, truth="site", scores="-marker", groups="block", pos_label=1, path=None, exact=True)
    assert ": ROC curves. The rest" in made.findings.sample
    assert "a band by formula needs independent cases" in made.to_html()
    estimate = made.findings.evaluation["classifier", "auc"]
    assert estimate.provenance.groups == 400
    assert estimate.value == pytest.approx(
        pr.evaluate(pr.read(stages, **ONE | {"scores": "-marker"}), measure="auc").value
    )
    assert sum(next(iter(made.findings.curves.values())).area.provenance.cases.values()) == 300


@pytest.mark.slow
def test_the_command(few, stages, tmp_path):
    out = tmp_path / "report.json"
    columns = ["--truth", "site", "--scores", "marker", "--pos-label", "1", "-o", out]
    for more, sampled in (([], True), (["--engine", "memory"], False)):
        assert polyroc("report", stages, *columns, *more).returncode == 0
        assert ("300 of the 1,200" in out.read_text(encoding="utf-8")) is sampled
