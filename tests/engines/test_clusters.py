"""Standard errors with groups (patients) by the engine are those of memory, and bounded where bins are coarse."""

import io
import warnings

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from command import polyroc
from engine_data import MATRIX, ONE_COLUMN, TWO_CLASSES
from engine_files import P, Q, frame
from polyroc.engines.clusters import ClusterCounts
from polyroc.engines.refine import evaluate_rows
from polyroc.engines.request import EvaluationRequest
from polyroc.engines.rows import Batch, MemoryRows
from polyroc.errors import InputError, MissingPartsWarning
from polyroc.measures.registry import measure
from polyroc.scores import Schema

# Files of these tests have columns for every purpose, also where a test does not name them.
pytestmark = pytest.mark.filterwarnings("ignore::polyroc.errors.StackedRowsWarning")


@pytest.fixture(scope="module")
def rows():
    """Patients with several cases each, in one class or in many; scores of a patient are alike."""
    rng = np.random.default_rng(7)
    data = frame()
    patient = np.where(rng.random(3000) < 0.1, rng.integers(0, 5, 3000), rng.integers(5, 400, 3000))
    effect = rng.normal(size=400)[patient]
    return data.with_columns(
        patient=patient, name=pl.Series([f"p{i}" for i in patient]), s=(data["s"] + effect).round(2)
    )


@pytest.fixture(scope="module")
def files(rows, tmp_path_factory):
    """By number of classes: two or three, as Parquet and as CSV."""
    folder = tmp_path_factory.mktemp("clusters")
    for classes, part in ((3, rows), (2, rows.filter(pl.col("kind") != "c"))):
        part.write_parquet(folder / f"{classes}.parquet")
        part.write_csv(folder / f"{classes}.csv")
    return folder


def check_equal(one, other, rel=1e-9):
    """The engine's estimate, and memory's; rounding in another order of summation."""
    assert one.value == pytest.approx(other.value, abs=1e-12)
    assert one.standard_error == pytest.approx(other.standard_error, rel=rel)
    assert (one.fewest, one.effective) == pytest.approx((other.fewest, other.effective), rel=1e-9)
    assert [*one.confidence_interval()] == pytest.approx([*other.confidence_interval()], abs=1e-9)
    assert one.provenance.groups == other.provenance.groups


@pytest.mark.slow
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("sampling", ["cohort", "case-control"])
@pytest.mark.parametrize(
    ("classes", "keys", "scores", "options"),
    [
        (3, MATRIX, P, {}),
        (3, ONE_COLUMN, "s", {"labels": ["a", "b", "c"]}),
        (2, TWO_CLASSES, "s", {"pos_label": "b"}),
    ],
)
def test_engine_equals_memory(files, weight, sampling, classes, keys, scores, options):
    path = files / f"{classes}.parquet"
    arguments = {"truth": "kind", "scores": scores, "sample_weight": weight, "groups": "patient", **options}
    memory = pr.evaluate(pr.read(path, sampling=sampling, **arguments), measure=keys)
    exact = pr.evaluate(path, engine="duckdb", exact=True, sampling=sampling, measure=keys, **arguments)
    binned = pr.evaluate(path, engine="duckdb", sampling=sampling, measure=keys, **arguments)
    for key, other in memory.estimates.items():
        one, rough = exact.estimates[key], binned.estimates[key]
        check_equal(one, other)
        assert [*one.parts] == [*other.parts]
        for name in one.parts:
            check_equal(one.parts[name], other.parts[name])
        assert rough.bounds[0] <= other.value <= rough.bounds[1]
        within = rough.certificate.error_within
        if not np.isnan(within):
            assert abs(rough.standard_error - other.standard_error) <= within + 1e-15
        assert rough.standard_error == pytest.approx(other.standard_error, rel=0.01)  # bins are fine


def test_copies_of_a_case_count_once(rows, tmp_path):
    """Four copies of every case in one group: the standard error is that of the cases alone."""
    cases = rows.select("kind", "s").filter(pl.col("kind") != "c").with_row_index("case")
    pl.concat([cases] * 4).sample(fraction=1.0, shuffle=True, seed=1).write_parquet(tmp_path / "four.parquet")
    options = {"truth": "kind", "scores": "s", "pos_label": "b", "measure": "auc", "engine": "duckdb"}
    alone = pr.evaluate(cases["kind"], cases["s"], measure="auc", pos_label="b")
    estimate = pr.evaluate(tmp_path / "four.parquet", groups="case", exact=True, **options)
    assert estimate.standard_error == pytest.approx(alone.standard_error, rel=1e-9)
    ungrouped = pr.evaluate(tmp_path / "four.parquet", exact=True, **options)
    assert ungrouped.standard_error == pytest.approx(alone.standard_error / 2, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("groups", ["patient", "name"])
def test_compare(files, ending, groups):
    options = {"truth": "kind", "scores": {"p": P, "q": Q}, "sample_weight": "w", "groups": groups}
    path = files / f"3.{ending}"
    comparison = pr.compare(path, measure="hand_till", engine="duckdb", exact=True, **options)
    memory = pr.compare(pr.read(path, **options), measure="hand_till")
    assert comparison.covariance == pytest.approx(memory.covariance, rel=1e-9)
    assert comparison.pvalue == pytest.approx(memory.pvalue, rel=1e-6)


@pytest.mark.parametrize("memory", ["1GB", 20_000])  # groups of rows in memory, or in scans of their own
def test_groups_in_parts_of_the_rows(files, rows, memory):
    options = {"truth": "kind", "scores": "s", "pos_label": "b", "groups": "patient", "measure": "auc"}
    evaluation = pr.evaluate(files / "2.parquet", by="country", memory=memory, engine="duckdb", **options)
    for (country,), one in evaluation.items():
        kept = rows.filter((pl.col("country") == country) & (pl.col("kind") != "c"))
        alone = pr.evaluate(kept["kind"], kept["s"], groups=kept["patient"], measure="auc", pos_label="b")
        assert one.standard_error == pytest.approx(alone.standard_error, abs=one.certificate.error_within + 1e-12)
        assert one.provenance.groups == alone.provenance.groups


def test_a_small_file_is_read_with_its_groups(files):
    options = {"truth": "kind", "scores": P, "groups": "patient"}
    estimate = pr.evaluate(files / "3.csv", measure="hand_till", **options)
    assert estimate.certificate is None
    assert (
        estimate.standard_error
        == pr.evaluate(pr.read(files / "3.csv", **options), measure="hand_till").standard_error
    )


@pytest.mark.slow
@given(st.data())
def test_bounds_of_the_standard_error(data):
    """Scores that share bins: the exact standard error is within the certified distance."""
    n = data.draw(st.integers(6, 30))
    codes = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), np.int32)
    codes[:4] = 0, 0, 1, 1
    clusters = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), np.int64)
    clusters[:4] = 0, 1, 0, 2  # two clusters in either class
    steps = np.array(data.draw(st.lists(st.integers(0, 8), min_size=n, max_size=n)))
    scores = 0.5 + steps * data.draw(st.sampled_from([1e-14, 0.04]))
    weight = None
    if data.draw(st.booleans()):
        weight = np.array(data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n)))
        weight[:4] = 1.0
    request = EvaluationRequest([measure("auc")], {"one": (0,)}, Schema((0, 1), positive=1), tolerance=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate_rows(MemoryRows(Batch(codes, [scores], weight, clusters)), request)
        memory = pr.evaluate(codes, scores, measure="auc", groups=clusters, sample_weight=weight)
    estimates = result.estimates["one", "auc"]
    assert estimates.bounds[0] <= memory.value <= estimates.bounds[1]
    assert abs(estimates.standard_error - memory.standard_error) <= estimates.certificate.error_within + 1e-12
    assert estimates.provenance.groups == memory.provenance.groups


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.sampled_from([0.0, 0.5, 2.0])), min_size=1),
    st.integers(1, 7),
)
def test_counts_of_clusters(cases, size):
    """The sums do not depend on how rows are divided into batches."""
    clusters, codes, weight = (np.array(column) for column in zip(*sorted(cases), strict=True))
    counts = ClusterCounts(3, [(0, 2)])
    for start in range(0, len(codes), size):
        part = slice(start, start + size)
        counts.add(Batch(codes[part].astype(np.int32), [], weight[part], clusters[part]), [])
    counts.finish()
    assert counts.number == len(set(clusters.tolist()))
    for classes in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
        own = np.isin(codes, classes)
        sums = [weight[own & (clusters == cluster)].sum() for cluster in set(clusters.tolist())]
        m = sum(total > 0 for total in sums)
        assert counts.correction(classes) == pytest.approx(np.sqrt(m / (m - 1)) if m > 1 else np.nan, nan_ok=True)
        if m:
            assert counts.units(classes, sum(sums)) == pytest.approx(sum(sums) ** 2 / np.square(sums).sum())


@pytest.mark.slow
def test_many_clusters_in_little_memory(tmp_path):
    """A cluster for every two rows: DuckDB sorts, and only one cluster is open at a time."""
    path = tmp_path / "many.parquet"
    query = "SELECT i % 2 AS y, sin(i) + 0.3 * (i % 2) AS s, hash(i // 2) AS patient FROM range(400000) t(i)"
    duckdb.sql(f"COPY ({query}) TO '{path}'")
    options = {"truth": "y", "scores": "s", "groups": "patient"}
    estimate = pr.evaluate(path, engine="duckdb", memory="64MB", measure="auc", **options)
    memory = pr.evaluate(pr.read(path, **options), measure="auc")
    assert estimate.provenance.groups == 200_000
    assert estimate.standard_error == pytest.approx(memory.standard_error, abs=estimate.certificate.error_within)


@pytest.mark.slow
def test_parts_need_memory(files):
    options = {"truth": "kind", "scores": P, "groups": "patient", "measure": "hand_till", "engine": "duckdb"}
    with pytest.warns(MissingPartsWarning, match="parts of measures are left out.*memory"):
        estimate = pr.evaluate(files / "3.parquet", memory="64MB", **options)
    whole = pr.evaluate(files / "3.parquet", memory="4GB", **options)
    assert not estimate.parts
    assert whole.parts
    assert estimate.standard_error == pytest.approx(whole.standard_error, rel=1e-3)  # bins may be coarser


class TestTrouble:
    """Bad groups are named, as in memory."""

    def evaluate(self, path, **options):
        arguments = {"truth": "y", "scores": "s", "groups": "g", "measure": "auc", "engine": "duckdb"}
        return pr.evaluate(path, **{**arguments, **options})

    @pytest.mark.parametrize("values", [[1, 2, None, 1, 3, 2], [0.5, 1.5, np.nan, 0.5, 2.5, 1.5]])
    def test_missing_groups(self, tmp_path, values):
        path = tmp_path / "hole.parquet"
        pl.DataFrame({"y": [0, 1, 0, 1, 0, 1], "s": np.arange(6.0), "g": values}).write_parquet(path)
        with pytest.raises(
            InputError, match=r"column 'g' of .* has missing values in 1 of 6 rows.*missing='drop'"
        ):
            self.evaluate(path)
        for engine in ("duckdb", "memory"):
            with pytest.warns(pr.errors.DroppedRowsWarning, match="Dropped 1 of 6 rows"):
                evaluation = self.evaluate(path, missing="drop", engine=engine)
            assert (evaluation.provenance.groups, evaluation.provenance.dropped) == (3, 1)

    def test_names(self, files):
        options = {"truth": "kind", "scores": "s", "pos_label": "b"}
        with pytest.raises(InputError, match=r"no column 'patent' \(groups\).*Did you mean 'patient'"):
            self.evaluate(files / "2.parquet", **{**options, "groups": "patent"})
        with pytest.raises(InputError, match="groups must be the name of a column"):
            self.evaluate(files / "2.parquet", **{**options, "groups": [1, 2]})

    def test_one_cluster(self, tmp_path):
        """As in memory: no standard error, and a warning."""
        path = tmp_path / "one.parquet"
        pl.DataFrame({"y": [0, 1, 0, 1], "s": np.arange(4.0), "g": ["a"] * 4}).write_parquet(path)
        for engine in ("duckdb", "memory"):
            with pytest.warns(pr.errors.SmallClassWarning):
                assert np.isnan(self.evaluate(path, engine=engine).standard_error)


@pytest.mark.slow
def test_command_line(files):
    arguments = ["evaluate", files / "3.parquet", "--truth", "kind", "--scores", "p_*", "-m", "hand_till", "--csv"]
    text = {
        engine: polyroc(*arguments, "--groups", "patient", "--engine", engine).stdout
        for engine in ("duckdb", "memory")
    }
    tables = {engine: pl.read_csv(io.StringIO(table)) for engine, table in text.items()}
    for column in ("value", "standard_error"):
        assert tables["duckdb"][column][0] == pytest.approx(tables["memory"][column][0], abs=1e-5)
