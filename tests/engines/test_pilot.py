"""Some rows looked at before all: whichever they are, bounds and standard errors stay true."""

import warnings
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polyroc as pr
from polyroc.engines import pilot
from polyroc.engines.bins import BinCounts, BinnedValues, Layout
from polyroc.engines.counts import Counts
from polyroc.engines.refine import evaluate_rows
from polyroc.engines.request import EvaluationRequest
from polyroc.engines.rows import Batch, DuckRows, MemoryRows, RowBuffer
from polyroc.engines.scan import Scan, ScanPlan
from polyroc.errors import InputError, PolyrocWarning
from polyroc.measures.registry import measure
from polyroc.scores import Schema
from strategies import at_most

SCHEMA = Schema((0, 1, 2), "matrix")


@dataclass(frozen=True, eq=False)
class PartRows(MemoryRows):
    """Rows in memory that let themselves be looked at in part."""

    part: slice | np.ndarray | None = None

    def pilot_sample(self, rows):  # noqa: ARG002
        codes, columns, weight, _ = self.batch
        part = None if weight is None else weight[self.part]
        return MemoryRows(Batch(codes[self.part], [column[self.part] for column in columns], part))


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(pilot, "PILOT_ROWS", 8)
    monkeypatch.setattr(pilot, "FEWEST_PILOT_ROWS", 1)


@pytest.fixture
def lenient(monkeypatch):
    """Few rows teach little: a part of them is enough all the same."""
    monkeypatch.setattr("polyroc.engines.pilot.LARGEST_RELATIVE_ERROR", 0.5)


def cases(n, seed=0, classifiers=1, decimals=None):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 3).astype(np.int32)
    logits = rng.normal(size=(n, 3)) + 1.2 * np.eye(3)[y]
    columns = []
    for k in range(classifiers):
        P = np.exp(logits + k * rng.normal(size=(n, 3)))
        P /= P.sum(axis=1, keepdims=True)
        columns += [*np.ascontiguousarray(P.T if decimals is None else P.T.round(decimals))]
    return y, columns, rng.integers(1, 4, n).astype(float)


def request(keys=("hand_till",), classifiers=1, tolerance=1e-5):
    places = {f"c{k}": tuple(range(3 * k, 3 * k + 3)) for k in range(classifiers)}
    return EvaluationRequest([measure(key) for key in keys], places, SCHEMA, tolerance, paired=classifiers > 1)


@pytest.mark.slow
@at_most(15)
@given(st.data())
def test_whatever_part_is_seen_first(data):
    n = data.draw(st.sampled_from([30, 200, 1000]))
    weighted = data.draw(st.booleans())
    y, columns, w = cases(n, data.draw(st.integers(0, 99)), decimals=data.draw(st.sampled_from([None, 2])))
    order = np.argsort(columns[0] if data.draw(st.booleans()) else np.arange(n))  # sorted: not like the others
    part = order[: data.draw(st.integers(2, n))]
    rows = PartRows(Batch(y, columns, w if weighted else None), part=part)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PolyrocWarning)
        estimates = evaluate_rows(rows, request(("hand_till", "ova"))).estimates
    for (_, key), estimate in estimates.items():
        exact = pr.evaluate(y, np.column_stack(columns), measure=key, sample_weight=w if weighted else None)
        assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
        off = abs(estimate.standard_error - exact.standard_error)
        assert off <= estimate.certificate.error_within + 1e-12  # rounding
        if estimate.certificate.passes == 1:
            assert (
                estimate.certificate.error_within <= pilot.LARGEST_RELATIVE_ERROR * estimate.standard_error + 1e-12
            )


@pytest.mark.usefixtures("lenient")
def test_one_pass_is_enough_where_the_part_is_like_the_rest():
    y, columns, _ = cases(60_000)
    rows = PartRows(Batch(y, columns, None), part=slice(40_000))
    (estimate,) = evaluate_rows(rows, request(tolerance=1e-4)).estimates.values()
    exact = pr.evaluate(y, np.column_stack(columns), measure="hand_till")
    assert estimate.certificate.passes == 1
    assert estimate.certificate.width <= 1e-4
    assert estimate.certificate.error_within > 1e-5 * exact.standard_error  # what is certain
    assert estimate.standard_error == pytest.approx(exact.standard_error, rel=1e-4)  # what happens: order 1/20,000


class TestRareClasses:
    """Most bins of the pilot rows have no case of a rare class; what all rows will have there is interpolated."""

    def binned(self, y, columns):
        counts = Counts(SCHEMA, dict.fromkeys(range(3), Layout.of(8)), (), weighted=False)
        counts.add(y, [BinnedValues(column) for column in columns], None)
        return counts.binned()

    def test_one_pass_is_enough(self, monkeypatch):
        y, columns, _ = cases(120_000)
        kept = np.flatnonzero((y != 2) | (np.arange(len(y)) % 50 == 0))  # 2 % of class 2, 1 % of what is left
        y, columns = y[kept], [column[kept] for column in columns]
        monkeypatch.setattr("polyroc.engines.pilot.LARGEST_RELATIVE_ERROR", 1.0)

        def passes():
            rows = PartRows(Batch(y, columns, None), part=slice(len(y) // 4))
            (estimate,) = evaluate_rows(rows, request(tolerance=1e-4)).estimates.values()
            exact = pr.evaluate(y, np.column_stack(columns), measure="hand_till")
            assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
            return estimate.certificate.passes

        assert passes() == 1
        monkeypatch.setattr("polyroc.engines.pilot.smoothed_bins", lambda binned: binned)
        assert passes() == 2

    @given(st.integers(4, 400), st.integers(0, 99))
    def test_the_classes_keep_their_sizes(self, n, seed):
        y, columns, _ = cases(n, seed)
        observed = self.binned(y, columns)
        smoothed = pilot.smoothed_bins(observed)
        for place, column in smoothed.columns.items():
            assert (column.weight >= 0).all()
            np.testing.assert_allclose(column.totals, observed.columns[place].totals)

    def test_bins_with_many_cases_stay_as_they_are(self):
        y, columns, _ = cases(900)
        y, columns = np.tile(y, 50), [np.tile(np.round(column), 50) for column in columns]
        observed = self.binned(y, columns)
        for place, column in pilot.smoothed_bins(observed).columns.items():
            np.testing.assert_allclose(column.weight, observed.columns[place].weight)
            assert not column.mixed.any()


@pytest.mark.slow
def test_two_where_it_is_not():
    y, columns, _ = cases(60_000)
    order = np.argsort(columns[0])
    rows = PartRows(Batch(y[order], [column[order] for column in columns], None), part=slice(20_000))
    (estimate,) = evaluate_rows(rows, request()).estimates.values()
    exact = pr.evaluate(y, np.column_stack(columns), measure="hand_till")
    assert estimate.certificate.passes == 2
    assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
    off = estimate.standard_error - exact.standard_error
    assert abs(off) <= estimate.certificate.error_within < 1e-3 * exact.standard_error


@pytest.mark.slow
@pytest.mark.usefixtures("lenient")
def test_covariance_of_classifiers():
    y, columns, _ = cases(60_000, classifiers=2)
    rows = PartRows(Batch(y, columns, None), part=slice(20_000))
    result = evaluate_rows(rows, request(classifiers=2, tolerance=1e-4))
    scores = {"c0": np.column_stack(columns[:3]), "c1": np.column_stack(columns[3:])}
    exact = pr.compare(y, scores, measure="hand_till")
    assert next(iter(result.estimates.values())).certificate.passes == 1
    assert result.covariance == pytest.approx(exact.covariance, rel=2e-4)  # order 1/20,000, of squares


def test_a_part_that_teaches_nothing():
    y, columns, _ = cases(300)
    spoilt = [columns[0].copy(), *columns[1:]]
    spoilt[0][5] = np.nan
    with pytest.raises(InputError, match="column 0"):
        evaluate_rows(PartRows(Batch(y, spoilt, None), part=slice(10)), request())
    alone = np.flatnonzero(y == 1)  # one class only
    (estimate,) = evaluate_rows(PartRows(Batch(y, columns, None), part=alone), request()).estimates.values()
    assert estimate.certificate.passes == 2


class TestFiles:
    """Stretches of Parquet files."""

    def written(self, folder, n=3000, files=5):
        y, columns, w = cases(n)
        data = pl.DataFrame({"y": y, "0": columns[0], "1": columns[1], "2": columns[2], "w": w})
        for i, part in enumerate(data.iter_slices(n // files)):
            names = ["y", "0", "1", "2", "w"] if i % 2 else ["w", "2", "1", "0", "y"]  # each file has its order
            part.select(names).write_parquet(folder / f"{i}.parquet")
        return y, np.column_stack(columns), w

    @pytest.mark.usefixtures("lenient")
    @pytest.mark.parametrize("weight", [None, "w"])
    def test_one_pass(self, tmp_path, weight, monkeypatch):
        y, P, w = self.written(tmp_path)
        monkeypatch.setattr(pilot, "PILOT_ROWS", 320)
        ask = {"truth": "y", "scores": ["0", "1", "2"], "measure": "hand_till", "sample_weight": weight}
        estimate = pr.evaluate(str(tmp_path / "*.parquet"), engine="duckdb", tolerance=0.01, **ask)
        exact = pr.evaluate(y, P, measure="hand_till", sample_weight=w if weight else None)
        assert estimate.certificate.passes == 1
        assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
        assert estimate.standard_error == pytest.approx(exact.standard_error, rel=0.05)  # 320 rows: order 1/320
        assert abs(estimate.standard_error - exact.standard_error) <= estimate.certificate.error_within

    @pytest.mark.slow
    def test_text_files_and_few_rows_are_read_at_once(self, tmp_path, monkeypatch):
        self.written(tmp_path, n=300)
        ask = {"truth": "y", "scores": ["0", "1", "2"], "measure": "hand_till", "engine": "duckdb"}
        monkeypatch.setattr(pilot, "PILOT_ROWS", 100)  # more than an eighth of them
        assert pr.evaluate(str(tmp_path / "*.parquet"), **ask).certificate.passes == 2
        pl.read_parquet(tmp_path / "0.parquet").write_csv(tmp_path / "one.csv")
        monkeypatch.setattr(pilot, "PILOT_ROWS", 8)
        assert pr.evaluate(str(tmp_path / "one.csv"), **ask).certificate.passes == 2

    def estimated(self, folder, monkeypatch, data, row_groups=100, **options):
        """The estimate of a table in five files of small row groups, after a pilot sample of 320 rows."""
        monkeypatch.setattr(pilot, "PILOT_ROWS", 320)
        for i, part in enumerate(data.iter_slices(len(data) // 5)):
            part.write_parquet(folder / f"{i}.parquet", row_group_size=row_groups)
        ask = {"truth": "y", "scores": ["0", "1", "2"], "measure": "hand_till", "tolerance": 0.01}
        return pr.evaluate(str(folder / "*.parquet"), engine="duckdb", **ask | options)

    def table(self, n=3000):
        y, columns, _ = cases(n)
        return pl.DataFrame({"y": y, "0": columns[0], "1": columns[1], "2": columns[2]})

    @pytest.mark.slow
    def test_a_range_of_the_first_file_is_read_once(self, tmp_path, monkeypatch):
        seen = []
        drawn = DuckRows.pilot_sample

        def record(rows, size):
            sample = drawn(rows, size)
            seen.extend(sample.batch.columns)
            return sample

        monkeypatch.setattr(DuckRows, "pilot_sample", record)
        self.estimated(tmp_path, monkeypatch, self.table())
        assert len(seen) == 3
        assert all(300 < len(np.unique(x)) == len(x) <= 320 for x in seen)  # a range may end with its file

    @pytest.mark.slow
    @pytest.mark.parametrize("order", ["0", "y", "last class"])
    def test_sorted_rows(self, tmp_path, monkeypatch, order):
        """Of the third class, only the last row group has cases in one of them."""
        data = self.table()
        if order == "last class":
            third = data.filter(pl.col("y") == 2)[:50]
            data = pl.concat([data.filter(pl.col("y") != 2), third])
        else:
            data = data.sort(order)
        data = data[: len(data) // 5 * 5]
        estimate = self.estimated(tmp_path, monkeypatch, data)
        exact = pr.evaluate(data["y"], data.select("0", "1", "2"), measure="hand_till")
        assert estimate.certificate.width <= 0.01
        assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
        assert (
            abs(estimate.standard_error - exact.standard_error) <= estimate.certificate.error_within + 1e-12
        )  # rounding

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "change",
        [
            pl.col("0", "1", "2").cast(pl.Float32),
            pl.col("0", "1", "2").cast(pl.Decimal(9, 8)),
            pl.col("y").cast(pl.String).cast(pl.Categorical),
            pl.col("y").cast(pl.Decimal(9, 0)),
            pl.col("0", "1", "2").round(2),  # scores of which many are equal, and
            pl.when(pl.col("0") > 0.5).then(1.0).otherwise(pl.col("0")).alias("0"),  # some of them
        ],
    )
    def test_types_and_ties(self, tmp_path, monkeypatch, change):
        data = self.table().with_columns(change)
        estimate = self.estimated(tmp_path, monkeypatch, data)
        numbers = data.select(pl.col("y").cast(pl.String).cast(pl.Int8), pl.col("0", "1", "2").cast(pl.Float64))
        exact = pr.evaluate(numbers["y"], numbers.select("0", "1", "2"), measure="hand_till")
        assert estimate.certificate.width <= 0.01
        assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
        assert (
            abs(estimate.standard_error - exact.standard_error) <= estimate.certificate.error_within + 1e-12
        )  # rounding

    @pytest.mark.parametrize("value", [None, np.nan, np.inf])
    def test_no_number_outside_the_pilot_sample(self, tmp_path, monkeypatch, value):
        data = self.table()
        scores = data["1"].to_list()
        scores[2999] = value
        with pytest.raises(InputError, match=r"column '1'.* in 1 of 3000 rows"):
            self.estimated(tmp_path, monkeypatch, data.with_columns(pl.Series("1", scores, strict=False)))

    @pytest.mark.slow
    def test_truth_values(self, tmp_path, monkeypatch):
        data = self.table().with_columns(pl.col("y") == 1)
        options = {"scores": "1", "measure": "auc", "pos_label": True}
        estimate = self.estimated(tmp_path, monkeypatch, data, **options)
        exact = pr.evaluate(data["y"], data["1"], measure="auc", pos_label=True)
        assert estimate.bounds[0] <= exact.value <= estimate.bounds[1]
        assert estimate.certificate.width <= 0.01


@pytest.mark.parametrize("seed", range(4))
def test_sums_of_counts_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    layout, classes = Layout.of(8).refined(np.full(Layout.of(8).size, 5)), 2 + seed
    x = np.concatenate([rng.random(20_000), np.full(900, 0.3), rng.normal(size=500)])
    y = rng.integers(0, classes, len(x)).astype(np.int32)
    counts = BinCounts(layout, classes, weighted=False)
    counts.add(BinnedValues(x), y, None)
    made = counts.column()
    bins = layout.locate(x)
    for i in range(classes):
        _, won, lost, undecided = made.area_sums(i)
        for j in range(classes):
            above = bins[y == i][:, None] > bins[y == j]
            tied = bins[y == i][:, None] == bins[y == j]
            assert won[j] + lost[j] == above.sum() + tied.sum() / 2
        mixed = made.mixed[np.searchsorted(np.unique(bins), bins[y == i])]
        assert undecided[i] == (made.cases[:, i] ** 2 * made.mixed).sum() >= mixed.sum()
    assert made.totals.tolist() == made.units.tolist() == np.bincount(y, minlength=classes).tolist()
    assert not made.is_weighted


@pytest.mark.parametrize("bits", [8, 16])
def test_counts_beyond_a_byte(bits):
    n = 3 * 2**16 + 5
    bins = BinCounts(Layout.of(bits), 2, weighted=False)
    x, y = np.full(n, 0.25), (np.arange(n) % 2).astype(np.int32)
    bins.add(BinnedValues(x), y, None)
    column = bins.column()
    assert column.cases.tolist() == [np.bincount(y).tolist()]
    assert not column.mixed.any()
    bins.add(BinnedValues(np.array([0.25, np.nextafter(0.25, 1)])), np.zeros(2, np.int32), None)
    bins.add(BinnedValues(x), y, None)
    assert bins.column().mixed.all()
    assert bins.column().cases.tolist() == [(2 * np.bincount(y) + [2, 0]).tolist()]


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_counts_are_those_of_the_definition(classes):
    """Whatever waits, whenever it is read, added or looked at in pieces of any size."""
    rng = np.random.default_rng(classes)
    layout = Layout.of(13).refined(np.full(Layout.of(13).size, 2))
    x = np.concatenate([rng.random(300_000), rng.normal(size=1000), rng.integers(0, 3, 100_000) / 7])
    x, y = rng.permutation(x), rng.integers(0, classes, len(x)).astype(np.int32)
    added = BinCounts(layout, classes, weighted=False)
    edges = [0, 7, 9, 2000, 150_000, 150_001, 320_000, len(x)]
    for i, (start, end) in enumerate(pairwise(edges)):
        added.add(BinnedValues(x[start:end]), y[start:end], None)
        if i % 2:
            assert added.records[:, 1:].sum() == end
    bins = layout.locate(x)
    occupied = np.unique(bins)
    table = np.zeros((len(occupied), classes))
    np.add.at(table, (np.searchsorted(occupied, bins), y), 1)
    many = [len(np.unique(x[bins == k])) > 1 for k in occupied[:200]]
    column = added.column()
    assert (column.cases == table).all()
    assert column.mixed[:200].tolist() == many


def test_coarser_bins_hold_the_same_cases():
    rng = np.random.default_rng(0)
    coarse = Layout.of(8)
    fine = coarse.refined(rng.integers(0, 4, coarse.size))
    x, y = rng.random(500).round(2), rng.integers(0, 3, 500).astype(np.int32)
    counted = [BinCounts(layout, 3, weighted=False) for layout in (coarse, fine)]
    for counts in counted:
        counts.add(BinnedValues(x), y, None)
    assert (counted[1].coarsened(coarse).records == counted[0].records).all()


def test_fractions_of_many_cells_do_not_overflow():
    """A sum of 2^12 fractions in units of 2^-52 leaves 64 bits unless they are carried on the way."""
    coarse = Layout.of(8)
    (place,) = coarse.locate(np.array([0.3]))
    fine = coarse.refined(np.where(np.arange(coarse.size) == place, 12, 0))
    x, w = fine.edges()[place : place + 2**12], np.full(2**12, 1 - 2.0**-50)
    bins = BinCounts(fine, 2, weighted=True)
    bins.add(BinnedValues(x), np.zeros(len(x), np.int32), w)
    assert len(bins.column().weight) == 2**12
    assert bins.coarsened(coarse).column().weight[0, 0] == 2**12 * w[0]


class TestRowBuffer:
    """Batches of a stream are copied together; their own memory is free for the next ones."""

    @staticmethod
    def batches(sizes, weighted=True, clustered=False):
        rng = np.random.default_rng(0)
        for n in sizes:
            weight = rng.random(n) if weighted else None
            clusters = rng.integers(0, 9, n) if clustered else None
            yield Batch(rng.integers(0, 3, n).astype(np.int32), [*rng.random((2, n))], weight, clusters)

    @pytest.mark.parametrize("options", [{}, {"weighted": False}, {"clustered": True}])
    def test_rows_are_those_of_the_batches(self, options):
        batches = [*self.batches([3, 0, 4, 1], **options)]
        buffer = RowBuffer(8)
        for _ in range(2):  # used again
            for batch in batches:
                assert buffer.fits(batch)
                buffer.add(batch)
            assert not buffer.fits(next(self.batches([1])))
            joined = buffer.batch()
            for own, *parts in zip(joined, *batches, strict=True):
                if own is None:
                    assert parts == [None] * len(batches)
                else:
                    axis = -1  # of the columns together, or of one array
                    np.testing.assert_array_equal(
                        np.array(own), np.concatenate([np.array(p) for p in parts], axis)
                    )
            assert [column.dtype for column in joined.columns] == [np.float64] * 2
            buffer.clear()

    def test_large_batch_is_not_copied(self):
        (batch,) = self.batches([9])
        buffer = RowBuffer(8)
        buffer.add(batch)
        assert buffer.batch() is batch
        assert not buffer.fits(next(self.batches([1])))
        buffer.clear()
        assert buffer.fits(next(self.batches([1])))

    @pytest.mark.parametrize("rows", [1, 10, 64, 10**6])
    def test_scan_does_not_depend_on_the_size_of_buffers(self, monkeypatch, rows):
        monkeypatch.setattr("polyroc.engines.scan.BATCH_ROWS", rows)
        layouts = {"": {0: Layout.of(8), 1: Layout.of(8)}}
        plan = ScanPlan({"": (0, 1)}, Schema((0, 1, 2), "matrix"), False, layouts, (), None, check_values=True)
        scan, seen = Scan(plan), []
        sizes = [30, 1, 0, 64, 7, 100, 2]
        scan.run(self.batches(sizes, weighted=False), seen.append)
        batches = [*self.batches(sizes, weighted=False)]
        assert scan.rows == seen[-1] == sum(sizes)
        for place in (0, 1):
            plain = BinCounts(Layout.of(8), 3, weighted=False)
            for batch in batches:
                plain.add(BinnedValues(batch.columns[place]), batch.codes, None)
            assert (scan.counts[""].bins[place].records == plain.records).all()
