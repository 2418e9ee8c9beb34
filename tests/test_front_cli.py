"""`polyroc front`: the table, the points, the file; one-line complaints."""

import csv
import io
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import polyroc as pr
from polyroc.cli.commands import run

ASKED = ("--truth", "y", "--scores", "p_*", "-n", "200", "--points", "2000")


@pytest.fixture
def polyroc(capsys):
    """The command without the process around it: exit code, output, complaints."""

    def run_it(*arguments):
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    return run_it


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(4)
    y = np.repeat(["benign", "malignant", "normal"], 20)
    frame = pd.DataFrame({"y": y})
    for name in ("p", "q"):
        P = rng.dirichlet(np.ones(3), size=60) + 0.5 * np.eye(3)[np.repeat([0, 1, 2], 20)]
        frame[[f"{name}_benign", f"{name}_malignant", f"{name}_normal"]] = P / P.sum(axis=1, keepdims=True)
    frame.to_csv(tmp_path / "p.csv", index=False)
    return tmp_path / "p.csv"


def in_python(file, **options):
    scores = pr.read(file, truth="y", scores="p_*")
    return pr.front(scores, n=200, **options)


def test_json_holds_the_front_and_its_gini(polyroc, file):
    done = polyroc("front", file, *ASKED, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    found = in_python(file)
    assert (pr.Front.from_dict(told).counts == found.counts).all()
    gini = found.gini(n_points=2000)
    assert (told["gini"], told["gini_standard_error"]) == (gini.value, gini.standard_error)


def test_the_table_has_gini_and_exclusive_volumes(polyroc, file):
    asked = ("--truth", "y", "--scores", "one=p_*", "--scores", "two=q_*", "-n", "200", "--points", "2000")
    done = polyroc("front", file, *asked)
    assert done.returncode == 0, done.stderr
    scores = pr.read(file, truth="y", scores={"one": ["p_*"], "two": ["q_*"]})
    found = pr.front(scores, n=200)
    for a, b in (("one", "two"), ("two", "one")):
        line = next(line for line in done.stdout.splitlines() if line.startswith(a))
        assert f"{found[a].gini(n_points=2000):.4f}" in line
        assert f"{found[a].exclusive(found[b], n_points=2000):.4f}" in line
        assert str(len(found[a])) in line


def test_csv_lists_the_points(polyroc, file):
    rows = list(csv.DictReader(io.StringIO(polyroc("front", file, *ASKED, "--csv").stdout)))
    assert [(row["true"], float(row["rate"])) for row in rows] == [
        (row["true"], row["rate"]) for row in in_python(file).rows()
    ]


def test_out_stores_what_load_reads(polyroc, file, tmp_path):
    for name in ("front.npz", "front.json"):
        done = polyroc("front", file, *ASKED, "--out", tmp_path / name, "--seed", "3")
        assert done.returncode == 0, done.stderr
        assert (pr.Front.load(tmp_path / name).counts == in_python(file, rng=3).counts).all()


def test_alphas_and_bounds_as_a_shell_gives_them(polyroc, file):
    asked = ("--alpha", "malignant>benign=20", "--bound", "malignant>normal:normal>malignant=1,10")
    told = json.loads(polyroc("front", file, *ASKED, *asked, "--json").stdout)
    pair = (("malignant", "normal"), ("normal", "malignant"))
    found = in_python(file, alpha={("malignant", "benign"): 20}, bounds={pair: (1, 10)})
    assert told["counts"] == found.counts.tolist()
    told = json.loads(polyroc("front", file, *ASKED, "--alpha", "3", "--json").stdout)
    assert told["counts"] == in_python(file, alpha=3).counts.tolist()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--alpha", "much"), "--alpha must give numbers"),
        (("--alpha", "benign>sick=2"), "not one of the classes"),
        (("--bound", "benign>normal=1,2"), "TRUE>SAID:TRUE>SAID=LOW,HIGH"),
        (("--bound", "benign:normal=1,2"), "TRUE>SAID"),
        (("--scores", "q_*"), "column"),
        (("-n", "0"), "-n"),
    ],
)
def test_complaints_are_one_line(polyroc, file, more, said):
    done = polyroc("front", file, *ASKED, *more)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_out_is_for_one_classifier(polyroc, file, tmp_path):
    asked = ("--truth", "y", "--scores", "one=p_*", "--scores", "two=q_*", "--out", tmp_path / "front.npz")
    done = polyroc("front", file, *asked)
    assert (done.returncode, done.stdout) == (2, "")
    assert "2 classifiers" in done.stderr
    assert not (tmp_path / "front.npz").exists()
