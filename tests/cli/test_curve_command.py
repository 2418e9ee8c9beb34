"""`polyroc curve`: what it prints and how it ends."""

import csv
import io
import json

import numpy as np
import pytest

import polyroc as pr
from command import polyroc
from polyroc.datasets import Binormal, catalogue

IRIS = ["--truth", "species", "--scores", "p_*", "--classifier", "classifier", "--case", "case"]


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    y, s = Binormal(1.0).sample(60, rng=0)
    file = tmp_path_factory.mktemp("files") / "scores.csv"
    lines = [f"{a},{b!r},{i % 4}" for i, (a, b) in enumerate(zip(y.tolist(), s.tolist(), strict=True))]
    file.write_text("\n".join(["y,s,part", *lines]) + "\n")
    return file


def read(scores):
    return pr.read(scores, truth="y", scores="s")


def test_a_table_for_people(scores):
    done = polyroc("curve", scores, "--truth", "y", "--scores", "s", "--binormal", "--band", "simultaneous")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    curve = pr.curve(read(scores), binormal=True)
    assert lines[0] == "scores.csv: 1 ROC curve"
    assert lines[6].split()[-3:] == [f"{curve.at(fpr=u).tpr:.3f}" for u in (0.05, 0.1, 0.2)]
    assert f"{curve.area.value:.4f}" in lines[3]
    assert repr(curve.binormal) in done.stdout
    assert "Band: simultaneous, 95 %, order statistics and Wilson, combined." in done.stdout


@pytest.mark.parametrize("kind", ["roc", "pr", "det", "cost"])
def test_json_and_csv_hold_what_python_gives(scores, kind, tmp_path):
    expected = pr.curve(read(scores), kind=kind)
    arguments = ("curve", scores, "--truth", "y", "--scores", "s", "--kind", kind)
    assert json.loads(polyroc(*arguments, "--json").stdout) == expected.to_dict()
    out = tmp_path / "points.csv"
    assert polyroc(*arguments, "--out", out).returncode == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [float(row["fpr"]) for row in rows] == expected.fpr.tolist()
    assert [float(row["threshold"]) for row in rows] == expected.thresholds.tolist()


def test_families_and_folds(scores):
    done = polyroc("curve", catalogue.path("iris_predictions"), *IRIS, "--multi-class", "ovo", "--json")
    family = pr.results.Curves.from_dict(json.loads(done.stdout))
    assert (family.by, len(family)) == ("pair", 18)
    done = polyroc(
        "curve", scores, "--truth", "y", "--scores", "s", "--folds", "part", "--average", "vertical", "--json"
    )
    restored = pr.results.Curve.from_dict(json.loads(done.stdout))
    folds = [pr.evaluate(*part, measure="auc").value for part in parts(scores)]
    assert restored.area.value == pytest.approx(np.mean(folds))


def parts(file):
    rows = np.loadtxt(file, delimiter=",", skiprows=1)
    return [(rows[rows[:, 2] == k, 0].astype(int), rows[rows[:, 2] == k, 1]) for k in range(4)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--out", "points.txt"], ".csv or .json"),
        (["--out", "/nowhere/points.csv"], "cannot be written"),
        (["--kind", "lift"], "Invalid value for '--kind'"),
        (["--kind", "cost", "--band", "pointwise"], "simultaneous"),
        (["--average", "vertical"], "--folds"),
        (["--labels", "0,1,2"], "--multi-class"),
        (["--points", "1"], "--points"),
    ],
)
def test_bad_requests_end_with_one_line_and_code_2(scores, arguments, words):
    done = polyroc("curve", scores, "--truth", "y", "--scores", "s", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
