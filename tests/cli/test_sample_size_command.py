"""The command `size`."""

import json

import pytest
from click.testing import CliRunner

from planning import FAIR, GOOD, PLANS, Y
from polyroc.cli.sample_size import sample_size as size
from polyroc.errors import PolyrocError
from polyroc.power.formulas import Obuchowski
from polyroc.power.result import SampleSize
from polyroc.power.sample_size import sample_size


def run(*arguments):
    return CliRunner().invoke(size, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("pilot") / "p.csv"
    rows = [",".join([y, *(repr(float(p)) for p in (*a, *b))]) for y, a, b in zip(Y, GOOD, FAIR, strict=True)]
    path.write_text("\n".join(["y,g_a,g_b,g_c,f_a,f_b,f_c", *rows]) + "\n")
    return path


def test_command_prints_a_table_and_the_sentence():
    done = run("--value", 0.85, "--null", 0.75, "--power", 0.9, "--ratio", "1,2")
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert lines[0] == "auc: 239 cases"
    assert lines[2].split() == ["class", "cases"]
    assert [line.split() for line in lines[3:5]] == [["negative", "80"], ["positive", "159"]]
    assert PLANS["one"][1] in lines
    assert lines[-1].startswith("Method: exact variance for normal scores of equal variance; test of `evaluate`; ")


@pytest.mark.slow
def test_command_gives_what_python_gives(file):
    arguments = (
        "--value",
        0.85,
        "--versus",
        0.8,
        "--correlation",
        0.5,
        "--correlation-of",
        "scores",
        "--sides",
        1,
    )
    plan = sample_size(
        measure="auc",
        value=0.85,
        versus=0.8,
        correlation=0.5,
        correlation_of="scores",
        sides=1,
        method=Obuchowski(),
    )
    done = run(*arguments, "--formula", "obuchowski", "--json")
    assert SampleSize.from_dict(json.loads(done.output)) == plan
    assert run(*arguments, "--formula", "obuchowski", "--csv").output.splitlines()[1].startswith("auc,negative,")
    assert run(*arguments, "--markdown").output.startswith("| class | cases |")
    power = json.loads(run("--value", 0.85, "--null", 0.75, "--n", "40:80", "--json").output)["power"]
    assert power == sample_size(measure="auc", value=0.85, null=0.75, n=(40, 80)).power
    pilot = ("--pilot", file, "--truth", "y", "--scores", "good=g_*", "--scores", "fair=f_*", "-m", "hand_till")
    done = run(*pilot, "--json")
    expected = sample_size(Y, {"good": GOOD, "fair": FAIR}, measure="hand_till")
    assert SampleSize.from_dict(json.loads(done.output)) == expected
    drawn = run(*pilot, "--simulate", 20, "--rng", 1, "--n", 60)
    assert drawn.exit_code == 0
    assert "Simulated power: 95 % 0." in drawn.output
    assert "seed 1." in drawn.output
    assert "in each of two sets" in run("--value", 0.85, "--versus", 0.8).output


def test_command_has_the_usual_level_of_a_margin():
    margin = ("--value", 0.85, "--null", 0.85, "--margin", 0.05, "--n", 200)
    assert "(one-sided test at 2.5 %)" in run(*margin).output
    assert "(one-sided test at 5 %)" in run(*margin, "--alpha", 0.05).output
    assert "0.025 for the one-sided test with --margin" in " ".join(run("--help").output.split())


def test_command_helps():
    text = run("--help").output
    assert all(word in text for word in ("Two classifiers:", "--margin", "Non-inferiority", "From pilot data:"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--value", "0.85", "--null", "0.85"], "there is no difference to show"),
        (["--value", "0.85", "--ratio", "one"], "--ratio must be numbers, such as 1,2, got 'one'"),
        (["--value", "0.85", "--n", "1.5"], "--n must be whole numbers"),
        (["--value", "0.85", "--truth", "y"], "--truth came without --pilot FILE"),
        (["--value", "0.85", "--rng", "1"], "--rng came without --pilot FILE"),
        (["--pilot", "p.csv"], "--pilot needs --truth COLUMN and --scores COLUMNS"),
        (["--pilot", "nowhere.csv", "--truth", "y", "--scores", "s"], "nowhere.csv"),
        (["--pilot", "FILE", "--truth", "y", "--scores", "g_*", "-m", "ova", "--rng", "1"], "is for --simulate"),
        (
            ["--pilot", "FILE", "--truth", "y", "--scores", "g_*", "-m", "ova", "--formula", "obuchowski"],
            "Simulation",
        ),
    ],
)
def test_command_complains(file, arguments, message):
    done = run(*[file if argument == "FILE" else argument for argument in arguments])
    assert isinstance(done.exception, PolyrocError)
    assert message in str(done.exception)
