"""`polyroc operate`: terms as a shell gives them, one-line complaints, nothing half-written."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import polyroc as pr
from polyroc.cli.app import run


@pytest.fixture
def polyroc(capsys):
    """The command without the process around it: exit code, output, complaints."""

    def run_it(*arguments):
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    return run_it


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(4)
    for name in ("old", "new"):
        y = np.repeat(["benign", "malignant", "normal"], 20)
        P = rng.dirichlet(np.ones(3), size=60) + 0.5 * np.eye(3)[np.repeat([0, 1, 2], 20)]
        P /= P.sum(axis=1, keepdims=True)
        frame = pd.DataFrame(P, columns=["p_benign", "p_malignant", "p_normal"]).assign(y=y)
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


ASKED = ("--truth", "y", "--scores", "p_*")


def read(file):
    return pr.read(file, truth="y", scores="p_*")


@pytest.mark.slow
def test_what_python_gives(polyroc, files):
    old, new = files / "old.csv", files / "new.csv"
    done = polyroc(
        "operate", old, *ASKED, "--costs", "malignant>benign=10", "--costs", "malignant>normal=5", "--json",
        "--priors", "benign=0.2,malignant=0.1,normal=0.7", "--at-most", "benign>malignant=0.3",
        "--at-least", "normal=0.6",
        "--evaluate-on", new,
        "--rule", files / "rule.json",
    )  # fmt: skip
    expected = pr.operate(
        read(old),
        costs={("malignant", "benign"): 10, ("malignant", "normal"): 5},
        priors=[0.2, 0.1, 0.7],
        at_most={("benign", "malignant"): 0.3},
        at_least={"normal": 0.6},
        evaluate_on=read(new),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == expected.to_dict()
    assert pr.Rule.from_json((files / "rule.json").read_text()) == expected.rule
    assert sorted(path.name for path in files.iterdir()) == ["new.csv", "old.csv", "rule.json"]
    judged = polyroc("rates", new, *ASKED, "--rule", files / "rule.json", "--json")
    assert json.loads(judged.stdout)["rates"] == expected.rates.tolist()


@pytest.mark.slow
def test_costs_as_a_file_or_as_json(polyroc, files):
    costs = files / "costs.csv"
    costs.write_text("true,normal,benign,malignant\nbenign,1,0,2\nmalignant,5,10,0\nnormal,0,1,1\n")
    arguments = ("operate", files / "old.csv", *ASKED, "--evaluate-on", files / "new.csv", "--json")
    by_file = polyroc(*arguments, "--costs", costs)
    by_json = polyroc(*arguments, "--costs", "[[0, 2, 1], [10, 0, 5], [1, 1, 0]]", "--priors", "0.4,0.2,0.4")
    assert by_file.returncode == by_json.returncode == 0
    assert json.loads(by_file.stdout)["costs"] == json.loads(by_json.stdout)["costs"]
    assert json.loads(by_json.stdout)["priors"] == pytest.approx([0.4, 0.2, 0.4])


@pytest.mark.slow
def test_a_page_for_people_and_a_note_of_optimism(polyroc, files):
    done = polyroc("operate", files / "old.csv", *ASKED, "--costs", "malignant>benign=10")
    assert done.returncode == 0
    assert done.stderr.startswith("polyroc: note: The rule was chosen and evaluated on the same cases")
    assert "true class  cases  called benign" in done.stdout
    assert "Chosen for: least expected cost." in done.stdout
    assert "chosen and evaluated on the same cases, so its rates and cost are optimistic." in done.stdout
    assert "Proven: on the cases it was chosen on, no rule" in done.stdout
    believed = polyroc("operate", files / "old.csv", *ASKED, "--calibrated")
    assert "Not chosen on the cases: it follows from the options." in believed.stdout
    rows = polyroc("operate", files / "old.csv", *ASKED, "--calibrated", "--csv")
    assert rows.stderr.startswith(
        "polyroc: note: The probabilities of 'classifier' are not right for these cases (p = "
    )
    assert "leave out --calibrated" in rows.stderr
    assert len(rows.stdout.splitlines()) == 10


def test_two_classes(polyroc, files):
    file = files / "scores.csv"
    pd.DataFrame({"y": [0, 0, 1, 0, 1, 1], "s": [0.1, 0.3, 0.35, 0.4, 0.6, 0.9]}).to_csv(file)
    arguments = ("operate", file, "--truth", "y", "--scores", "s")
    assert (
        "Rule: 1 if its score is at least 0.6, otherwise 0." in polyroc(*arguments, "--criterion", "youden").stdout
    )
    assert "at least 0.35" in polyroc(*arguments, "--sensitivity", "1").stdout
    assert "at least 0.35" in polyroc(*arguments, "--at-most", "1>0=0").stdout
    assert "at least 0.6" in polyroc(*arguments, "--specificity", "1").stdout


def test_cut_points_of_ordered_classes(polyroc, files):
    rng = np.random.default_rng(7)
    stage = np.repeat(["none", "mild", "severe"], 25)
    marker = np.concatenate([rng.normal(mean, 1, 25) for mean in (0, 2, 4)]).round(1)
    file, rule = files / "stages.csv", files / "rule.json"
    pd.DataFrame({"stage": stage, "marker": marker}).to_csv(file, index=False)
    data = ("--truth", "stage", "--scores", "marker", "--labels", "none,mild,severe")
    choice = ("--criterion", "youden", "--method", "bootstrap", "--replicates", "50", "--rng", "3")
    done = polyroc("operate", file, *data, *choice, "--rule", rule)
    expected = pr.operate(
        stage,
        marker,
        labels=["none", "mild", "severe"],
        criterion="youden",
        method=pr.methods.Bootstrap(replicates=50, rng=3),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Rule: {expected.rule.sentence()}" in done.stdout
    texts = "; ".join(expected.threshold_texts())
    assert f"Chosen again in 50 resamples: {texts}." in done.stdout
    assert "rates and cost are corrected for the choice." in done.stdout
    assert pr.Rule.from_json(rule.read_text()) == expected.rule
    stored = json.loads(polyroc("operate", file, *data, *choice, "--json").stdout)
    assert stored == json.loads(expected.to_json())
    rates = polyroc("rates", file, *data, "--rule", rule)
    assert "called severe" in rates.stdout
    unordered = polyroc("operate", file, *data[:4])
    assert unordered.returncode == 2
    assert "give them by rising score with --labels A,B,C" in unordered.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--costs", "malignant>benign"], "--costs must be TRUE>DECISION=NUMBER"),
        (["--costs", "malignant>benign=dear"], "--costs must hold numbers, got 'dear'"),
        (["--costs", "malignant>bad=1"], "costs names 'bad', which is not one of the classes"),
        (["--costs", "none.csv"], "there is no file none.csv"),
        (["--costs", "OLD"], "must have one row per true class"),
        (["--costs", "[[0, 1]"], "--costs must be JSON rows"),
        (["--costs", "[[0, 1], [1, 0]]"], "costs must have 3 rows"),
        (["--priors", "0.5,0.6"], "one probability per class"),
        (["--priors", "benign=0.5,malignant=0.2,normal=x"], "--priors must hold numbers"),
        (["--at-most", "0.2"], "--at-most must be TRUE>DECISION=NUMBER"),
        (["--at-most", "malignant>benign=2"], "shares from 0 to 1"),
        (["--at-least", "malignant"], "--at-least must be CLASS=SHARE"),
        (["--criterion", "closest"], "--criterion closest needs one ordered score for 3 classes"),
        (["--sensitivity", "0.9"], "sensitivity needs two classes"),
        (["--evaluate-on", "none.csv"], "none.csv"),
        (["--only", "forest"], "There is no classifier 'forest'; choose one with --only classifier."),
        (["--rule", "nowhere/rule.json"], "cannot be written"),
    ],
)
def test_bad_terms_are_one_line_and_nothing_is_written(polyroc, files, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    passed = [str(files / "old.csv") if argument == "OLD" else argument for argument in arguments]
    done = polyroc("operate", "old.csv", *ASKED, "--rule", "kept.json", *passed)
    complaint = [line for line in done.stderr.splitlines() if "note:" not in line]
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(complaint) == 1
    assert message.replace("classifier must", "--classifier must") in complaint[0].replace(
        "classifier must", "--classifier must"
    )
    assert sorted(path.name for path in files.iterdir()) == ["new.csv", "old.csv"]
