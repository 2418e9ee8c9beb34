"""The command line, run as a user runs it: its output and its exit code."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import polyroc as pr
from command import polyroc
from polyroc.datasets import catalogue
from polyroc.measures.registry import MEASURES

IRIS = ["--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case"]
PROGRAM = Path(sys.executable).parent / "polyroc"


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """A two-class file with several score columns."""
    rng = np.random.default_rng(7)
    y = np.repeat(["sick", "well"], 20)
    forest, logit = rng.normal(size=40) + (y == "sick"), rng.normal(size=40)
    file = tmp_path_factory.mktemp("files") / "scores.csv"
    lines = [f"{a},{b!r},{c!r}" for a, b, c in zip(y, forest.tolist(), logit.tolist(), strict=True)]
    file.write_text("\n".join(["state,forest,logit", *lines]) + "\n")
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["evaluate", "FILE", "--truth", "state", "--scores", "forest", "--pos-label", "sick"], 0, "auc"),
        (
            ["evaluate", "FILE", "--truth", "state", "--scores", "forest", "--labels", "sick,well,dead"],
            1,
            "Not shown",
        ),
        (["evaluate", "FILE", "--truth", "sate", "--scores", "forest"], 2, "Did you mean 'state'?"),
        (["--version"], 0, pr.__version__),
    ],
)
def test_a_process_returns_what_the_function_returns(scores, arguments, code, words):
    """So that the other tests may do without the cost of a process."""
    options = [str(scores) if argument == "FILE" else argument for argument in arguments]
    done = subprocess.run([PROGRAM, *options], capture_output=True, text=True, check=False)
    assert polyroc(*options) == (done.returncode, done.stdout, done.stderr)
    assert done.returncode == code
    assert words in done.stdout + done.stderr


def test_evaluate_prints_a_plain_table_in_a_pipe():
    done = polyroc("evaluate", catalogue.path("iris_predictions"), *IRIS, "-m", "hand_till")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "iris_predictions.csv: 150 cases (setosa 50, versicolor 50, virginica 50)"
    assert lines[2].split("  ")[0] == "measure"
    assert [line.split()[:4] for line in lines[3:6]] == [
        ["hand_till", "lda", "0.9196", "0.0160"],
        ["hand_till", "knn", "0.8934", "0.0179"],
        ["hand_till", "tree", "0.8472", "0.0231"],
    ]
    assert "\x1b" not in done.stdout


@pytest.mark.slow
def test_json_csv_and_markdown_hold_what_python_gives():
    file = catalogue.path("iris_predictions")
    read = pr.read(file, truth="species", scores="p_*", classifier="classifier", case="case")
    expected = pr.evaluate(read, measure=["hand_till", "ova"])
    arguments = ("evaluate", file, *IRIS, "-m", "hand_till", "-m", "ova")
    stored = json.loads(polyroc(*arguments, "--json").stdout)
    assert pr.results.Evaluation.from_dict(stored).to_dict() == expected.to_dict()
    rows = list(csv.DictReader(io.StringIO(polyroc(*arguments, "--csv").stdout)))
    assert [float(row["value"]) for row in rows] == [row["value"] for row in expected.rows()]
    assert [float(row["low"]) for row in rows] == [row["low"] for row in expected.rows()]
    table = polyroc(*arguments, "--markdown").stdout.splitlines()
    assert table[1] == "| --- | --- | ---: | ---: | --- | ---: |"
    assert len(table) == 8
    parts = list(csv.DictReader(io.StringIO(polyroc(*arguments, "--csv", "--parts", "--level", "0.9").stdout)))
    assert len(parts) == 3 * (1 + 9) + 3 * (1 + 3)
    assert {row["level"] for row in parts} == {"0.9"}


def test_two_classifiers_side_by_side(scores):
    arguments = ("evaluate", scores, "--truth", "state", "--pos-label", "sick")
    done = polyroc(*arguments, "--scores", "forest=forest", "--scores", "logit=logit", "-m", "auc", "--json")
    restored = pr.results.Evaluation.from_dict(json.loads(done.stdout))
    assert restored.classifiers == ("forest", "logit")
    assert float(restored["forest", "auc"]) > float(restored["logit", "auc"])
    one = polyroc(*arguments, "--scores", "forest", "-m", "partial_auc(fpr=(0, 0.2))")
    assert "partial_auc(fpr=(0, 0.2))  0." in one.stdout
    assert "classifier" not in one.stdout.splitlines()[2]


@pytest.mark.slow
def test_compare_has_a_sentence(monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    arguments = ("compare", catalogue.path("iris_predictions"), *IRIS, "-m", "hand_till")
    done = polyroc(*arguments, "--margin", "0.05")
    assert (done.returncode, done.stderr) == (0, "")
    assert "lda is better than knn by 0.026 (simultaneous 95 % 0.005 to 0.050), p = 0.010" in done.stdout
    assert "Test that all are equal: score test, largest of 3 differences, p < 0.001." in done.stdout
    assert "p not worse" in done.stdout
    read = pr.read(arguments[1], truth="species", scores="p_*", classifier="classifier", case="case")
    expected = pr.compare(read, measure="hand_till")
    stored = json.loads(polyroc(*arguments, "--json").stdout)
    assert pr.results.Comparison.from_dict(stored).to_dict() == expected.to_dict()
    rows = list(csv.DictReader(io.StringIO(polyroc(*arguments, "--csv", "--adjustment", "bonferroni").stdout)))
    expected_rows = [min(1, 3 * row["pvalue"]) for row in expected.rows()]
    assert [float(row["adjusted_pvalue"]) for row in rows] == pytest.approx(expected_rows)


def test_lines_that_name_columns_labels_or_tests_in_other_ways(tmp_path):
    path = tmp_path / "decisions.csv"
    y, a, b, c = "nnnnyyyy", "nnynyyny", "nynnyyyn", "nnnnyyyy"
    path.write_text("\n".join(["y,a,b,c", *map(",".join, zip(y, a, b, c, strict=True))]))

    def line(*more):
        return polyroc("compare", path, "--truth", "y", "--pos-label", "y", "-m", "accuracy", *more)

    assert "There is no file 'b'. If it is a second value of an option" in line("--scores", "a", "b").stderr
    assert "use --scores NAME=COLUMNS." in line("--scores", "a", "--scores", "b").stderr
    assert "use --labels A,B,C." in line("--scores", "a", "--labels", "n", "--labels", "y").stderr
    named = [text for name in "abc" for text in ("--scores", f"{name}={name}")]
    refused = line(*named, "--method", "stuart-maxwell").stderr
    assert "there is no method 'stuart-maxwell'; it is no test of performance" in refused
    assert "'mcnema' is not one of 'influence'" in line(*named, "--method", "mcnema").stderr
    assert "Test that all are equal: Cochran's Q, p = 0." in line(*named, "--method", "mcnemar").stdout


@pytest.mark.slow
def test_methods_and_seeds():
    arguments = ("evaluate", catalogue.path("iris_predictions"), *IRIS, "-m", "hand_till", "--csv")
    drawn = ("--method", "bootstrap", "--replicates", "200", "--rng", "4")
    again = [polyroc(*arguments, *drawn).stdout for _ in range(2)]
    assert again[0] == again[1]
    assert again[0] != polyroc(*arguments, "--method", "unbiased").stdout
    shown = polyroc(*arguments[:-1], *drawn).stdout
    method = "Bootstrap(replicates=200, stratified=True, kind='guarded', rng=4)"
    assert f"Standard errors by {method}; guarded logit intervals." in shown
    compared = polyroc("compare", *arguments[1:-1], "--method", "permutation", "--replicates", "99", "--rng", "1")
    assert "lda is better than tree" in compared.stdout
    refused = polyroc("evaluate", arguments[1], *IRIS, "-m", "ova", "--method", "unbiased")
    assert refused.returncode == 2
    assert "use --method influence or bootstrap." in refused.stderr


def test_scores_are_every_other_column_unless_named():
    """The issue's own words: polyroc compare FILE --truth COL --classifier COL --measure hand_till."""
    arguments = ("compare", catalogue.path("iris_predictions"), "--truth", "species", "--classifier", "classifier")
    some = (*arguments, "--case", "case", "--measure", "hand_till")
    assert polyroc(*some).stdout == polyroc(*some, "--scores", "p_*").stdout != ""


def test_one_classifier_cannot_be_compared(scores):
    done = polyroc("compare", scores, "--truth", "state", "--scores", "forest", "--pos-label", "sick", "-m", "auc")
    assert done.returncode == 2
    assert "at least two classifiers" in done.stderr


def test_measures_lists_the_registry():
    rows = list(csv.DictReader(io.StringIO(polyroc("measures", "--csv").stdout)))
    assert [row["measure"] for row in rows] == list(MEASURES)
    assert all(row["name"] and row["source"] for row in rows)
    output = polyroc("measures").stdout
    assert all(key in output for key in MEASURES)


def test_demo_writes_its_data(tmp_path):
    copy = tmp_path / "irises.csv"
    assert f"polyroc evaluate {copy}" in polyroc("demo", "--data", copy).stdout
    assert copy.read_bytes() == catalogue.path("iris_predictions").read_bytes()
    assert polyroc("demo", "--data", tmp_path / "nowhere" / "x.csv").returncode == 2


def test_demo_is_the_shipped_example():
    done = polyroc("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in ("lda", "knn", "tree", "hand_till", "95 % interval"))


def test_help_is_worth_reading():
    top = polyroc("--help").stdout
    assert all(word in top for word in ("evaluate", "measures", "demo", "Exit codes", '"p_*"'))
    page = polyroc("evaluate", "--help").stdout
    assert all(word in page for word in ("--truth", "--scores", "Side by side", "partial_auc(fpr=(0, 0.2))"))
    assert polyroc("--version").stdout.strip() == f"polyroc, version {pr.__version__}"


@pytest.mark.parametrize("group", [[], ["study"]])
def test_a_group_without_a_command_prints_its_help(group):
    assert polyroc(*group) == polyroc(*group, "--help")
    assert polyroc(*group).returncode == 0


def test_two_formats_are_an_error():
    code, printed, error = polyroc("measures", "--json", "--csv")
    assert (code, printed) == (2, "")
    assert "--csv and --json are two formats" in error or "--json and --csv are two formats" in error


def test_a_measure_of_two_classes_names_those_of_more():
    code, _, error = polyroc("evaluate", catalogue.path("iris_predictions"), *IRIS, "-m", "auc")
    assert (code, error) == (2, "polyroc: auc is for 2 classes, here 3; use hand_till or ova.\n")


def test_operate_names_the_option_that_selects_a_classifier():
    code, _, error = polyroc("operate", catalogue.path("iris_predictions"), *IRIS)
    assert (code, error) == (
        2,
        "polyroc: There are several classifiers; choose one with --only lda or knn or tree.\n",
    )


def test_undefined_measure_is_exit_code_1(scores):
    done = polyroc("evaluate", scores, "--truth", "state", "--scores", "forest", "--labels", "sick,well,dead")
    assert done.returncode == 1
    assert "Not shown" in done.stdout
    undefined = polyroc(
        "evaluate", catalogue.path("iris_predictions"), "--truth", "classifier", "--scores", "p_setosa",
        "--labels", "lda,knn,tree", "-m", "accuracy",
    )  # fmt: skip
    assert undefined.returncode == 2  # a score is no decision


def test_class_without_a_case_is_exit_code_1_with_a_note(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("y,p_a,p_b,p_c\na,0.6,0.3,0.1\nb,0.2,0.7,0.1\na,0.5,0.4,0.1\nb,0.3,0.6,0.1\n")
    done = polyroc("evaluate", file, "--truth", "y", "--scores", "p_*", "--labels", "a,b,c", "-m", "hand_till")
    assert done.returncode == 1
    assert done.stderr.startswith("polyroc: note: No case of class 'c': hand_till undefined (nan).")
    assert "nan" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "nowhere.csv", "--truth", "y", "--scores", "s"], "nowhere.csv"),
        (["evaluate", "FILE", "--truth", "sate", "--scores", "forest"], "Did you mean 'state'?"),
        (["evaluate", "FILE", "--truth", "state", "--scores", "forest"], "use --pos-label well or sick."),
        (["evaluate", "FILE", "--truth", "state", "--scores", "state"], "state"),
        (["evaluate", "FILE", "--scores", "forest"], "Missing option '--truth'"),
        (["evaluate", "FILE", "--truth", "state", "--scores", "a=forest", "--scores", "logit"], "NAME=COLUMNS"),
        (
            ["evaluate", "FILE", "--truth", "state", "--scores", "forest", "-m", "auk", "--pos-label", "sick"],
            "'auc'",
        ),
        (["evaluate", "FILE", "--truth", "state", "--scores", "forest", "--level", "95"], "--level"),
        (["evalute"], "No such command 'evalute'"),
        (["measures", "--jsn"], "No such option"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(scores, arguments, message):
    done = polyroc(*[str(scores) if argument == "FILE" else argument for argument in arguments])
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_dropped_rows_are_noted(tmp_path):
    file = tmp_path / "holes.csv"
    file.write_text("y,s\n0,0.1\n1,0.9\n0,\n1,0.7\n0,0.3\n")
    refused = polyroc("evaluate", file, "--truth", "y", "--scores", "s")
    assert refused.returncode == 2
    assert "--missing drop" in refused.stderr
    done = polyroc("evaluate", file, "--truth", "y", "--scores", "s", "--missing", "drop")
    assert done.returncode == 0
    assert "polyroc: note: Dropped 1 of 5 rows" in done.stderr


@pytest.mark.slow
def test_names_in_a_file_cannot_paint_the_terminal(tmp_path):
    file = tmp_path / "hostile.csv"
    file.write_text("y,m,s\n" + "".join(f"{i % 2},[red]\x1b[31m,{i}\n" for i in range(6)))
    done = polyroc("evaluate", file, "--truth", "y", "--scores", "s", "--classifier", "m", "-m", "auc")
    assert "\x1b" not in done.stdout
    assert "\x1b[31m" not in on_a_terminal("evaluate", file, "--truth", "y", "--scores", "s", "--classifier", "m")


def on_a_terminal(*arguments):
    """What the command writes when a terminal is attached."""
    parent, child = pty.openpty()
    command = [PROGRAM, *map(str, arguments)]
    with subprocess.Popen(command, stdout=child, stderr=child, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(child)
        pieces = []
        while True:
            try:
                piece = os.read(parent, 65536)
            except OSError:
                break
            if not piece:
                break
            pieces.append(piece)
        assert process.wait() == 0
    os.close(parent)
    return b"".join(pieces).decode()


@pytest.mark.slow
def test_on_a_terminal_the_table_has_typography():
    shown = on_a_terminal("demo")
    assert "\x1b[1m" in shown  # bold values
    assert "hand_till" in shown
    assert "───" in shown


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_error():
    command = f"{PROGRAM} measures --json | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_evaluate_tests_against_a_value():
    arguments = ("evaluate", catalogue.path("iris_predictions"), *IRIS, "-m", "hand_till")
    shown = polyroc(*arguments, "--null", "0.9").stdout
    assert "p (0.9)" in shown
    rows = list(csv.DictReader(io.StringIO(polyroc(*arguments, "--null", "chance", "--csv").stdout)))
    assert {float(row["null"]) for row in rows} == {0.5}
    assert all(float(row["pvalue"]) < 0.05 for row in rows)
    wrong = polyroc(*arguments, "--null", "luck")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "null must be a number from 0 to 1 for hand_till" in wrong.stderr
