"""`polyroc reproduce`: the machinery, each file of expected numbers, and the quick run itself."""

import doctest
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from math import inf, isfinite
from pathlib import Path

import numpy as np
import pytest

from packages import skip_without
from polyroc.cli.app import run
from polyroc.datasets import Entry
from polyroc.errors import InputError

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from repro.expected import Expected, compare_numbers, read_expected  # noqa: E402
from repro.sampat.classifiers import gaussian, nearest, regression  # noqa: E402

from repro import markdown, pages, reproduction  # noqa: E402

FOLDERS = {paper: ROOT / "repro" / paper.replace("-", "_") for paper in reproduction.PAPERS}


@pytest.mark.slow
@pytest.mark.parametrize("paper", reproduction.PAPERS)
def test_what_should_agree_agrees(paper_reports, paper):
    result = paper_reports[1][paper]
    assert [line.row() for line in result.lines if not line.holds] == []
    assert len(result.lines) > 15


@pytest.mark.slow
@pytest.mark.parametrize("paper", reproduction.PAPERS)
def test_a_perturbed_number_is_noticed(paper_reports, paper):
    """Each number in turn, moved to where its kind no longer holds."""
    result = paper_reports[1][paper]
    measured: dict = {}
    for line in result.lines:
        measured.setdefault(line.expected.table, {})[line.expected.name] = line.measured
    arguments = [line for line in result.lines if line.expected.kind not in ("shown", "not obtainable")]
    assert len(arguments) > 10
    for line in arguments:
        wrong = perturbed(line.expected, line.measured)
        (again,) = compare_numbers([wrong], measured)
        assert not again.holds, wrong
        assert again.verdict == "DISAGREES"


def perturbed(number, measured):
    away = 2.0 * number.tolerance + 1e-6 * max(1.0, abs(measured) if isfinite(measured) else 1.0)
    moved = {
        "agrees": measured + away if isfinite(measured) else 1.0,
        "at most": measured - away,
        "at least": measured + away,
        "misprint": measured,
    }
    return Expected(number.table, number.name, moved[number.kind], number.kind, number.tolerance, number.reason)


@pytest.mark.parametrize("paper", reproduction.PAPERS)
def test_every_expected_number_has_a_reason(paper):
    for quick in (True, False):
        expected = read_expected(FOLDERS[paper] / "expected.toml", quick=quick)
        assert all(len(number.reason) > 10 for number in expected)
        assert all(number.tolerance >= 0.0 for number in expected)
    assert (FOLDERS[paper] / "README.md").is_file()


def test_a_quick_run_is_never_stricter():
    for paper in reproduction.PAPERS:
        path = FOLDERS[paper] / "expected.toml"
        full = {(n.table, n.name): n for n in read_expected(path)}
        for number in read_expected(path, quick=True):
            exact = full[number.table, number.name]
            looser = number.tolerance >= exact.tolerance
            assert looser if number.kind != "misprint" else number.tolerance <= exact.tolerance


def test_table_six_is_all_there():
    expected = read_expected(FOLDERS["sampat"] / "expected.toml")
    cells = [number for number in expected if number.table.startswith("Table VI,")]
    assert len(cells) == 84
    assert [n.name for n in cells if "one exception" in n.reason] == ["A(2|3)"]


@pytest.mark.slow
def test_a_run_continues_where_it_was(paper_reports, tmp_path, monkeypatch):
    out, _ = paper_reports
    shutil.copytree(out / "ling", tmp_path / "ling")
    stored = sorted((tmp_path / "ling" / "steps").rglob("*.json"))
    stored[0].unlink()
    from repro.ling import experiment

    done = []
    steps = experiment.steps

    def counted(quick):
        def run_step(name, step):
            done.append(name)
            return step()

        return {name: lambda n=name, s=step: run_step(n, s) for name, step in steps(quick).items()}

    monkeypatch.setattr(experiment, "steps", counted)
    again = reproduction.reproduce("ling", quick=True, out=tmp_path)
    assert done == [stored[0].stem.replace("_", " ")]
    assert again == paper_reports[1]["ling"]


PICTURES = {
    "bradley": ("figures_5_and_6.svg", "figures_13_and_14.svg", "figure_15.svg", "duncan_pima.svg"),
    "everson": ("figure_1.png", "figure_2.png", "figure_3.svg"),
    "hand-till": ("figure_1.svg", "figure_2.svg", "table_1.svg"),
    "ling": ("limits.svg",),
    "sampat": ("figure_2.svg", "cobweb.svg"),
}


@pytest.mark.slow
@pytest.mark.parametrize("paper", reproduction.PAPERS)
def test_what_is_written(paper_reports, paper):
    if any("polyroc[repro]" in line.expected.reason for line in paper_reports[1][paper].lines):
        skip_without("the packages with its data sets are not installed")
    out, result = paper_reports[0] / paper, paper_reports[1][paper]
    stored = json.loads((out / "report.json").read_text())
    assert stored["holds"] is True
    assert len(stored["rows"]) == len(result.lines)
    page = (out / "report.md").read_text()
    assert result.summary() in page
    assert stored["tables"].count("\n|") > 10
    assert stored["tables"] in page
    assert page.count("\n|") >= len(result.lines)
    for picture in PICTURES[paper]:
        drawn = (out / picture).read_bytes()
        assert drawn.count(b"<path") > 20 if picture.endswith("svg") else len(drawn) > 50_000


def test_a_new_look_does_not_run_a_step_again(tmp_path, monkeypatch):
    """Results are kept by the code that made them; what only shows them is not part of it."""
    monkeypatch.setattr(reproduction, "HERE", tmp_path)
    (tmp_path / "ling").mkdir()
    for name in ("experiment.py", "figures.py", "tables.py"):
        (tmp_path / "ling" / name).write_text("")
    before = reproduction._results_folder(tmp_path / "out", "ling", quick=False)
    (tmp_path / "ling" / "figures.py").write_text("changed")
    (tmp_path / "ling" / "tables.py").write_text("changed")
    assert reproduction._results_folder(tmp_path / "out", "ling", quick=False) == before
    (tmp_path / "ling" / "experiment.py").write_text("changed")
    assert reproduction._results_folder(tmp_path / "out", "ling", quick=False) != before


@pytest.mark.parametrize("paper", reproduction.PAPERS)
def test_the_page_states_the_results_of_the_full_run(paper):
    page = (FOLDERS[paper] / "README.md").read_text()
    reported = page.split(pages.BEGIN)[1].split(pages.END)[0]
    right, options = re.search(
        r"Full run of \d{4}-\d\d-\d\d, polyroc \S+: (\d+) of (\d+) numbers", reported
    ).groups()
    assert right == options
    assert reported.count("\n|") > 10


def test_only_full_runs_go_to_the_pages(tmp_path, monkeypatch):
    page = tmp_path / "here" / "ling" / "README.md"
    page.parent.mkdir(parents=True)
    page.write_text(f"# Ling\n{pages.BEGIN}\n{pages.END}\n")
    by_key = {"quick": True, "polyroc": "1", "date": "2026-01-01", "summary": "2 of 2.", "tables": "| a |"}
    (tmp_path / "reproduced" / "ling").mkdir(parents=True)
    report = tmp_path / "reproduced" / "ling" / "report.json"
    monkeypatch.setattr(pages, "HERE", tmp_path / "here")
    report.write_text(json.dumps(by_key))
    pages.main(tmp_path / "reproduced")
    assert "2 of 2." not in page.read_text()
    report.write_text(json.dumps(by_key | {"quick": False}))
    pages.main(tmp_path / "reproduced")
    pages.main(tmp_path / "reproduced")
    assert page.read_text().count("2 of 2.") == 1


@pytest.mark.parametrize("module", [pages, markdown])
def test_the_examples_are_true(module):
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


# Verdicts


@pytest.mark.parametrize(
    ("kind", "published", "measured", "holds"),
    [
        ("agrees", 0.76, 0.7652, False),
        ("agrees", 0.76, 0.765, True),
        ("agrees", inf, inf, True),
        ("agrees", inf, 1.0, False),
        ("agrees", 0.5, float("nan"), False),
        ("at most", 0.01, 0.012, True),
        ("at most", 0.01, 0.0151, False),
        ("at least", 0.5, 0.496, True),
        ("at least", 0.5, 0.494, False),
        ("misprint", 0.94, 0.833, True),
        ("misprint", 0.94, 0.937, False),
        ("shown", 0.94, 0.1, True),
        ("agrees", 0.94, None, False),
        ("not obtainable", 0.94, None, True),
    ],
)
def test_verdicts(kind, published, measured, holds):
    number = Expected("Table", "number", published, kind, 0.005, "half a printed digit")
    (line,) = compare_numbers([number], {} if measured is None else {"Table": {"number": measured}})
    assert line.holds is holds
    assert line.holds or line.verdict in ("DISAGREES", "NOT MEASURED")


def test_bad_files_of_numbers_are_rejected(tmp_path):
    file = tmp_path / "expected.toml"
    file.write_text('[[group]]\ntable = "T"\nnumbers = { a = 1 }\n')
    with pytest.raises(InputError, match="needs a reason"):
        read_expected(file)
    file.write_text('[[group]]\ntable = "T"\nreason = "why"\nkind = "near"\nnumbers = { a = 1 }\n')
    with pytest.raises(InputError, match="a kind of agrees"):
        read_expected(file)
    twice = '[[group]]\ntable = "T"\nreason = "why"\nnumbers = { a = 1 }\n'
    file.write_text(twice + twice)
    with pytest.raises(InputError, match="twice"):
        read_expected(file)


def test_numbers_of_a_data_set_that_is_not_here_are_not_obtainable(tmp_path, monkeypatch):
    def kinds():
        expected = read_expected(FOLDERS["bradley"] / "expected.toml")
        return {number.kind for number in expected if number.table == "Table 7, Hungarian"}

    monkeypatch.delenv("POLYROC_DATA", raising=False)
    assert kinds() == {"not obtainable"}
    (tmp_path / "hungarian.csv").touch()
    monkeypatch.setenv("POLYROC_DATA", str(tmp_path))
    assert kinds() == {"agrees", "at least", "shown"}


# The review's classifiers against their definitions


def test_gaussian_without_a_case_is_the_rule_learnt_without_it():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], (5, 7, 6))
    X = rng.normal(size=(18, 2)) + y[:, None]
    for pooled in (True, False):
        P = gaussian(X, y, pooled=pooled)
        for case in (0, 8, 17):
            assert P[case] == pytest.approx(slow_gaussian(X, y, case, pooled), abs=1e-12)


def slow_gaussian(X, y, case, pooled):
    keep = np.arange(len(y)) != case
    parts = [X[keep & (y == k)] for k in range(3)]
    within = sum((part - part.mean(axis=0)).T @ (part - part.mean(axis=0)) for part in parts) / (keep.sum() - 3)
    densities = []
    for part in parts:
        covariance = within if pooled else np.cov(part.T)
        away = X[case] - part.mean(axis=0)
        densities.append(
            np.exp(-0.5 * away @ np.linalg.inv(covariance) @ away) / np.sqrt(np.linalg.det(covariance))
        )
    return np.array(densities) / sum(densities)


def test_regression_without_a_case_is_the_line_learnt_without_it():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 4)
    X = rng.normal(size=(12, 2)) + y[:, None]
    result = regression(X, y)
    for case in (0, 6, 11):
        keep = np.arange(12) != case
        line = np.linalg.lstsq(np.column_stack((np.ones(11), X[keep])), y[keep] + 1.0, rcond=None)[0]
        assert result[case] == pytest.approx(line[0] + X[case] @ line[1:], abs=1e-12)


def test_nearest_neighbours_do_not_count_the_case_itself():
    X, y = np.array([[0.0], [0.1], [1.0], [1.1]]), np.array([0, 1, 1, 0])
    assert nearest(X, y, k=1).argmax(axis=1).tolist() == [1, 0, 0, 1]


# The command


@pytest.mark.slow
def test_the_command(paper_reports, capsys):
    out, _ = paper_reports
    assert run(["reproduce", "ling", "--quick", "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "55370122" in shown
    assert "numbers as they should be" in shown
    assert re.search(
        r"^Tables 5 and 6, 16 cases\n  agree  .*agrees$", shown, re.MULTILINE
    )  # the name is not folded
    assert max(map(len, shown.split("\n\n")[1].splitlines())) <= 80
    assert run(["reproduce", "ling", "--quick", "--out", str(out), "--markdown"]) == 0
    assert re.search(r"\| Tables 5 and 6, 16 cases *\| agree *\|", capsys.readouterr().out)


@pytest.mark.slow
def test_the_exit_code_states_the_outcome(paper_reports, capsys, monkeypatch):
    out, result = paper_reports
    line = result["ling"].lines[0]
    wrong = Expected(line.expected.table, "wrong", 0.5, "agrees", 0.0, "made up for this test")
    monkeypatch.setattr(reproduction, "read_expected", lambda *_, **__: [wrong])
    assert run(["reproduce", "ling", "--quick", "--failures", "--json", "--out", str(out)]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row["verdict"] == "NOT MEASURED"


def test_an_unknown_paper_is_an_error(capsys):
    assert run(["reproduce", "bradly"]) == 2
    assert "There is no paper 'bradly'" in capsys.readouterr().err


@pytest.mark.slow
def test_what_is_not_here_is_skipped_by_name(paper_reports, tmp_path, capsys, monkeypatch):
    """With the data sets of polyroc and scikit-learn alone, as after the plain installation of a study."""
    shutil.copytree(paper_reports[0], tmp_path / "out")
    own = property(lambda entry: entry.package in ("polyroc", "sklearn"))
    monkeypatch.setattr(Entry, "available", own)
    assert run(["reproduce", "--quick", "--out", str(tmp_path / "out")]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for name in ("breast", "pima", "cleveland", "vehicle", "image", "tae", "car", "pen", "glass", "optical"):
        assert f'Skipped without {name}: pip install "polyroc[repro]".' in shown, name
    assert "Skipped without hungarian: name the folder of your copy in POLYROC_DATA." in shown
    assert "DISAGREES" not in shown
    assert "NOT MEASURED" not in shown


@pytest.mark.slow
def test_a_step_with_an_error_does_not_end_the_run(tmp_path, capsys, monkeypatch):
    """Its numbers are not measured, and nothing is written."""
    from repro.ling import experiment

    monkeypatch.setattr(experiment, "lists", lambda: 1 / 0)
    assert run(["reproduce", "ling", "--quick", "--out", str(tmp_path)]) == 1
    shown = capsys.readouterr()
    assert "ZeroDivisionError" in shown.err
    assert shown.out.count("NOT MEASURED") > 50
    assert not (tmp_path / "ling" / "report.json").exists()


@pytest.mark.slow
def test_an_installed_package_has_the_papers(tmp_path):
    """The wheel contains repro/ where the command looks for it; here a copy, outside the source tree."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    (source, target) = next(iter(wheel["force-include"].items()))
    shutil.copytree(ROOT / "src" / "polyroc", tmp_path / "polyroc")
    shutil.copytree(ROOT / source, tmp_path / target)
    command = [
        sys.executable,
        "-c",
        "from polyroc.cli import main; main()",
        "reproduce",
        "ling",
        "--quick",
        "--json",
    ]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)}, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert len(json.loads(done.stdout)) > 50
