"""Paths mean files by name: what exists is itself, wildcards are expanded once, `~` is a sign like any other."""

import polars as pl
import pytest

import polyroc as pr
from engine_files import frame
from polyroc.cli.app import run as main
from polyroc.engines.files import find_files
from polyroc.errors import InputError, MissingFileError, StackedRowsWarning

ASK = {"truth": "kind", "scores": "s", "measure": "auc", "pos_label": "b"}


@pytest.fixture
def two(tmp_path, monkeypatch):
    """Writes a file and one that its name would match as a pattern, with another AUC; in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    good = frame(200).filter(pl.col("kind") != "c")
    bad = good.with_columns(s=-pl.col("s"))

    def write(name, decoy):
        for path, data in ((name, good), (decoy, bad)):
            (tmp_path / path).parent.mkdir(exist_ok=True)
            data.write_csv(tmp_path / path) if path.endswith("csv") else data.write_parquet(tmp_path / path)

    return write


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("name", "decoy"),
    [
        ("fold[1]", "fold1"),
        ("a*b", "axb"),
        ("a?b", "axb"),
        ("**", "xx"),
        ("[[]x", "[x"),
        ("{a,b}", "a"),
        ("~x", "home/x"),
        ("~", "home/x"),
        ("file:x", "x"),
        ("a\\b", "a/b"),
        ("day=1/x", "x"),
        ("it's", "its"),
        ("a b%20c", "a b c"),
    ],
)
def test_a_path_that_exists_is_that_path(two, name, decoy, engine, ending):
    two(f"{name}.{ending}", f"{decoy}.{ending}")
    assert pr.evaluate(f"{name}.{ending}", engine=engine, **ASK).value > 0.7
    assert pr.evaluate(f"./{name}.{ending}", engine=engine, **ASK).value > 0.7


def test_a_backslash_and_a_wildcard_cannot_be_read(two):
    two("a\\b*.csv", "a/b*.csv")
    for engine in ("memory", "duckdb"):
        with pytest.raises(InputError, match=r"has a backslash and a wildcard in its name.*rename it"):
            pr.evaluate("a\\b*.csv", engine=engine, **ASK)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_home_folder(two, tmp_path, engine):
    two("home/x.csv", "x.csv")
    assert pr.evaluate("~/x.csv", engine=engine, **ASK).value > 0.7
    two("~/x.csv", "home/x.csv")  # a folder of that name
    assert pr.evaluate("~/x.csv", engine=engine, **ASK).value > 0.7
    with pytest.raises(MissingFileError, match=r"There is no file '~x\.csv'"):
        pr.evaluate("~x.csv", engine=engine, **ASK)


def test_patterns_are_expanded_by_name(two, tmp_path):
    two("fold[1].csv", "fold1.csv")
    assert find_files("fold*.csv") == ["fold1.csv", "fold[1].csv"]
    with pytest.warns(StackedRowsWarning, match="2 rows of one class"):  # every case is in both files
        assert pr.evaluate("fold*.csv", **ASK).certificate.rows == 2 * len(pl.read_csv(tmp_path / "fold1.csv"))


def test_folders_that_a_pattern_matches(two):
    two("part1.parquet/0.parquet", "part2.parquet/0.parquet")
    assert find_files("part*.parquet") == ["part1.parquet/0.parquet", "part2.parquet/0.parquet"]
    assert find_files("**") == find_files(".")


def test_command_line_reads_a_file_with_brackets(two, capsys):
    two("fold[1].csv", "fold1.csv")
    arguments = ["--truth", "kind", "--scores", "s", "--pos-label", "b", "-m", "auc", "--csv"]
    assert main(["evaluate", "fold[1].csv", *arguments]) == 0
    brackets = capsys.readouterr().out
    assert main(["evaluate", "fold1.csv", *arguments]) == 0
    assert brackets != capsys.readouterr().out
