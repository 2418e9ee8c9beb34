"""What the shell completes, and standard input in every command that reads a file."""

import io
import sys

import pytest
from click.shell_completion import ShellComplete

from command import polyroc
from command_lines import make_files
from polyroc.cli.app import app
from polyroc.measures.registry import MEASURES


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    return folder


def completions(*words):
    """What the shell offers for the last word."""
    complete = ShellComplete(app, {}, "polyroc", "_POLYROC_COMPLETE")
    return [item.value for item in complete.get_completions([*words[:-1]], words[-1])]


@pytest.mark.parametrize(
    "command", ["evaluate", "compare", "plot", "report", "sample-size", "surface", "study show", "study test"]
)
def test_keys_of_measures(command):
    assert completions(*command.split(), "-m", "hand") == ["hand_till"]
    assert completions(*command.split(), "--measure", "") == [*MEASURES]


def test_arguments_and_commands():
    assert completions("compare-measures", "average") == ["average_precision"]
    assert "evaluate" in completions("ev")
    assert completions("curve", "--band", "w") == ["working-hotelling"]


@pytest.mark.slow
@pytest.mark.parametrize("spelling", ["working-hotelling", "working_hotelling"])
def test_one_band_of_two_spellings(spelling, folder):
    columns = ("--truth", "y", "--scores", "s")
    done = polyroc("curve", folder / "two.csv", *columns, "--band", spelling)
    assert "Working-Hotelling" in done.stdout, done.stderr
    picture = folder / "roc.png"
    done = polyroc("plot", folder / "two.csv", *columns, "--kind", "roc", "--band", spelling, "-o", picture)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("two.csv", "evaluate FILE --truth y --scores s -m auc"),
        ("two.csv", "evaluate FILE --truth y --scores s -m auc --engine duckdb"),
        ("two.csv", "compare FILE --truth y --scores a=s --scores b=t -m auc"),
        (
            "two.csv",
            "compare-measures auc gini --practice order --replicates 20 --file FILE --truth y "
            "--scores a=s --scores b=t",
        ),
        ("two.csv", "curve FILE --truth y --scores s"),
        ("two_p.csv", "decision-curve FILE --truth y --scores p"),
        ("three.csv", "front FILE --truth y --scores p_* -n 50 --points 100"),
        ("two.csv", "operate FILE --truth y --scores s"),
        ("two.csv", "plot FILE --truth y --scores s --kind roc -o made.png --dpi 20"),
        ("two.csv", "rates FILE --truth y --scores s --threshold 0"),
        ("two.csv", "report FILE --truth y --scores s -m auc -o made.md"),
        ("two.csv", "sample-size --pilot FILE --truth y --scores s --null 0.3"),
        ("three.csv", "surface FILE --truth y --scores p_* -m he --points 3"),
    ],
)
def test_standard_input(file, line, folder, monkeypatch):
    monkeypatch.chdir(folder)
    from_file = polyroc(*line.replace("FILE", file).split())
    assert from_file.returncode == 0, from_file.stderr
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((folder / file).read_bytes())))
    from_input = polyroc(*line.replace("FILE", "-").split())
    assert from_input.returncode == 0, from_input.stderr
    assert from_input.stdout.replace("standard input", file) == from_file.stdout
