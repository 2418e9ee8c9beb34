"""Damaged gzip files, files that change while they are read, and tables whose log tells the valid files."""

import gzip
import os

import polars as pl
import pytest

import polyroc as pr
from engine_files import frame
from polyroc.engines.rows import DuckRows
from polyroc.errors import InputError
from polyroc.io.sources import unchanged
from polyroc.io.table import Table

ASK = {"truth": "kind", "scores": "s", "measure": "auc", "pos_label": "b"}


@pytest.fixture
def cases():
    return frame(400).filter(pl.col("kind") != "c")


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
class TestGzip:
    def write(self, path, cases, change):
        content = bytearray(gzip.compress(cases.write_csv().encode(), mtime=0))
        change(content)
        path.write_bytes(content)
        return path

    @pytest.mark.parametrize("part", range(1, 20))
    def test_a_flipped_bit(self, tmp_path, cases, engine, part):
        def flip(content):
            content[10 + (len(content) - 11) * part // 19] ^= 1 << part % 8

        path = self.write(tmp_path / "x.csv.gz", cases, flip)
        with pytest.raises(InputError, match="is damaged: it cannot be decompressed"):
            pr.evaluate(path, engine=engine, **ASK)

    def test_a_checksum_that_does_not_match(self, tmp_path, cases, engine):
        def spoil(content):
            content[-8] ^= 1

        path = self.write(tmp_path / "x.csv.gz", cases, spoil)
        with pytest.raises(
            InputError, match=r"x\.csv\.gz' is damaged: .* or its checksum does not match\. Copy it"
        ):
            pr.evaluate(path, engine=engine, **ASK)

    def test_truncated(self, tmp_path, cases, engine):
        path = self.write(tmp_path / "x.csv.gz", cases, lambda content: content.__delitem__(slice(-20, None)))
        with pytest.raises(InputError, match="is damaged"):
            pr.evaluate(path, engine=engine, **ASK)

    def test_members_are_read_one_after_the_other(self, tmp_path, cases, engine):
        text = cases.write_csv().encode()
        (tmp_path / "x.csv.gz").write_bytes(gzip.compress(text[:1000]) + gzip.compress(text[1000:]))
        (tmp_path / "x.csv").write_bytes(text)
        zipped, plain = (pr.evaluate(tmp_path / f"x.csv{end}", engine=engine, **ASK).value for end in (".gz", ""))
        assert zipped == plain


def test_one_damaged_file_of_several(tmp_path, cases):
    for i in range(3):
        content = bytearray(gzip.compress(cases.write_csv().encode()))
        content[-6] ^= 4 * (i == 1)
        (tmp_path / f"{i}.csv.gz").write_bytes(content)
    with pytest.raises(InputError, match=r"1\.csv\.gz' is damaged"):
        pr.evaluate(tmp_path, **ASK)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_replaced_between_scans(tmp_path, cases, ending, monkeypatch):
    path = tmp_path / f"x.{ending}"

    def write(data):
        data.write_csv(path) if ending == "csv" else data.write_parquet(path)

    write(cases)
    scan = DuckRows.scan

    def then_replace(self, *arguments):
        scan(self, *arguments)
        write(cases.with_columns(s=-pl.col("s")))

    monkeypatch.setattr(DuckRows, "scan", then_replace)
    with pytest.raises(InputError, match=r"x\..*' was changed or replaced while it was read.* run this again"):
        pr.evaluate(path, engine="duckdb", **ASK)


def test_a_file_replaced_while_it_is_read_into_memory(tmp_path, cases, monkeypatch):
    path = tmp_path / "x.csv"
    cases.write_csv(path)
    coded = Table.coded

    def then_replace(self, name):
        cases.head(100).write_csv(path)
        return coded(self, name)

    monkeypatch.setattr(Table, "coded", then_replace)
    with pytest.raises(InputError, match="was changed or replaced while it was read"):
        pr.evaluate(path, engine="memory", **ASK)


def test_same_size_and_time_but_other_content(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a" * 200_000)
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns

    def rewrite(text):
        path.write_text(text)
        os.utime(path, ns=times)

    for spoilt in ("b" + "a" * 199_999, "a" * 199_999 + "b"):
        rewrite("a" * 200_000)
        with pytest.raises(InputError, match="was changed or replaced"), unchanged([path]):
            rewrite(spoilt)


def test_the_change_is_reported_instead_of_its_consequence(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a")
    with pytest.raises(ValueError, match="invalid literal"), unchanged([path]):
        int("as it is")
    with pytest.raises(InputError, match="was changed or replaced"), unchanged([path]):
        int(f"{path.unlink()}")


class TestTableFormats:
    @pytest.fixture(params=["_delta_log/0.json", "metadata/v1.metadata.json", ".hoodie/hoodie.properties"])
    def table(self, request, tmp_path, cases):
        folder = tmp_path / "table"
        (folder / request.param).parent.mkdir(parents=True)
        (folder / request.param).write_text("{}")
        (folder / "day=1").mkdir()
        cases.write_parquet(folder / "day=1" / "0.parquet")
        cases.write_parquet(folder / "0.parquet")
        return folder

    @pytest.mark.parametrize("path", ["", "day=1", "*.parquet", "**/*.parquet", "../tab*", ".."])
    def test_folders_and_patterns_raise_an_error(self, table, path):
        name = {"_delta_log": "Delta Lake", "metadata": "Iceberg", ".hoodie": "Hudi"}[
            next(child.name for child in table.iterdir() if child.name in ("_delta_log", "metadata", ".hoodie"))
        ]
        with pytest.raises(InputError, match=rf"is a table of {name}: .* spark\.read\.format\(") as caught:
            pr.evaluate(f"{table}/{path}", **ASK)
        if name != "Hudi":
            assert "_scan('...') of DuckDB's extension '" in str(caught.value)

    def test_reading_a_folder_into_memory(self, table):
        with pytest.raises(InputError, match="is a table of"):
            pr.read(table, truth="kind", scores="s")

    def test_files_that_are_named_are_read(self, table):
        assert pr.evaluate([table / "0.parquet"], engine="duckdb", **ASK).value > 0.7

    def test_other_folders_named_metadata(self, tmp_path, cases):
        (tmp_path / "metadata").mkdir()
        (tmp_path / "metadata" / "notes.json").write_text("{}")
        cases.write_parquet(tmp_path / "0.parquet")
        assert pr.evaluate(tmp_path, **ASK).value > 0.7
