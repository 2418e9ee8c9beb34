"""`polyroc front`: the table, the points, the file; one-line complaints."""

import csv
import io
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import polyroc as pr
from polyroc.cli.app import run

ASKED = ("--truth", "y", "--scores", "p_*", "-n", "200", "--points", "2000")


@pytest.fixture
def polyroc(capsys):
    """The command without the process around it: exit code, output, complaints."""

    def run_it(*arguments):
        code = run([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=out, stderr=err)

    return run_it


@pytest.fixture(scope="module")
def predictions():
    """Two classifiers of three classes."""
    rng = np.random.default_rng(4)
    y = np.repeat(["benign", "malignant", "normal"], 20)
    frame = pd.DataFrame({"y": y})
    for name in ("p", "q"):
        P = rng.dirichlet(np.ones(3), size=60) + 0.5 * np.eye(3)[np.repeat([0, 1, 2], 20)]
        frame[[f"{name}_benign", f"{name}_malignant", f"{name}_normal"]] = P / P.sum(axis=1, keepdims=True)
    return frame


@pytest.fixture
def file(predictions, tmp_path):
    predictions.to_csv(tmp_path / "p.csv", index=False)
    return tmp_path / "p.csv"


def in_python(file, **options):
    scores = pr.read(file, truth="y", scores="p_*")
    return pr.front(scores, draws=200, **options)


@pytest.mark.slow
def test_json_holds_the_front_and_its_gini(polyroc, file):
    done = polyroc("front", file, *ASKED, "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    result = in_python(file)
    assert (pr.results.Front.from_dict(record).counts == result.counts).all()
    gini = result.gini(n_points=2000)
    assert (record["gini"], record["gini_monte_carlo_error"]) == (gini.value, gini.standard_error)
    assert (record["gini_case_error"], record["gini_search_error"]) == result.gini_errors()
    printed = polyroc("front", file, *ASKED, "--points", "2000").stdout
    assert f"{result.gini_errors().cases:.2g}" in printed
    assert "over cases: the standard error of G of these rules" in printed
    assert f"{np.hypot(result.gini_errors().search, gini.standard_error):.2g}" in printed


@pytest.mark.slow
def test_the_table_has_gini_and_exclusive_volumes(polyroc, file):
    arguments = ("--truth", "y", "--scores", "one=p_*", "--scores", "two=q_*", "-n", "200", "--points", "2000")
    done = polyroc("front", file, *arguments)
    assert done.returncode == 0, done.stderr
    scores = pr.read(file, truth="y", scores={"one": ["p_*"], "two": ["q_*"]})
    front = pr.front(scores, draws=200)
    for a, b in (("one", "two"), ("two", "one")):
        line = next(line for line in done.stdout.splitlines() if line.startswith(a))
        assert f"{front[a].gini(n_points=2000):.4f}" in line
        assert f"{front[a].exclusive(front[b], n_points=2000):.4f}" in line
        assert str(len(front[a])) in line


@pytest.mark.slow
def test_csv_lists_the_points(polyroc, file):
    rows = list(csv.DictReader(io.StringIO(polyroc("front", file, *ASKED, "--csv").stdout)))
    assert [(row["true"], float(row["rate"])) for row in rows] == [
        (row["true"], row["rate"]) for row in in_python(file).rows()
    ]


@pytest.mark.slow
def test_out_stores_what_load_reads(polyroc, file, tmp_path):
    for name in ("front.npz", "front.json"):
        done = polyroc("front", file, *ASKED, "--out", tmp_path / name, "--rng", "3")
        assert done.returncode == 0, done.stderr
        assert (pr.results.Front.load(tmp_path / name).counts == in_python(file, rng=3).counts).all()


@pytest.mark.slow
def test_alphas_and_bounds_as_a_shell_gives_them(polyroc, file):
    arguments = ("--concentration", "malignant>benign=20", "--bounds", "malignant>normal:normal>malignant=1,10")
    record = json.loads(polyroc("front", file, *ASKED, *arguments, "--json").stdout)
    pair = (("malignant", "normal"), ("normal", "malignant"))
    result = in_python(file, concentration={("malignant", "benign"): 20}, bounds={pair: (1, 10)})
    assert record["counts"] == result.counts.tolist()
    record = json.loads(polyroc("front", file, *ASKED, "--concentration", "3", "--json").stdout)
    assert record["counts"] == in_python(file, concentration=3).counts.tolist()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--concentration", "much"), "--concentration must give numbers"),
        (("--concentration", "benign>sick=2"), "not one of the classes"),
        (("--bounds", "benign>normal=1,2"), "TRUE>DECISION:TRUE>DECISION=LOW,HIGH"),
        (("--bounds", "benign:normal=1,2"), "TRUE>DECISION"),
        (("--scores", "q_*"), "column"),
        (("-n", "0"), "-n"),
    ],
)
def test_complaints_are_one_line(polyroc, file, more, message):
    done = polyroc("front", file, *ASKED, *more)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_out_overwrites_nothing_but_a_front(polyroc, file):
    before = file.read_bytes()
    done = polyroc("front", file, *ASKED, "-o", file)
    assert done.returncode == 2
    assert "exists and is not a stored front" in done.stderr
    assert file.read_bytes() == before


def test_out_is_for_one_classifier(polyroc, file, tmp_path):
    arguments = ("--truth", "y", "--scores", "one=p_*", "--scores", "two=q_*", "--out", tmp_path / "front.npz")
    done = polyroc("front", file, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "2 classifiers" in done.stderr
    assert not (tmp_path / "front.npz").exists()


# Held-out cases, stored fronts, decisions and pictures


@pytest.fixture
def other(file, tmp_path):
    """Other cases with the same columns."""
    frame = pd.read_csv(file)
    rng = np.random.default_rng(8)
    columns = [name for name in frame if name != "y"]
    P = (frame[columns] + rng.exponential(0.2, size=(60, len(columns)))).to_numpy().reshape(60, 2, 3)
    frame[columns] = (P / P.sum(axis=2, keepdims=True)).reshape(60, 6)
    frame.to_csv(tmp_path / "other.csv", index=False)
    return tmp_path / "other.csv"


@pytest.fixture(scope="module")
def kept(predictions, tmp_path_factory):
    place = tmp_path_factory.mktemp("kept") / "front.npz"
    P = predictions[["p_benign", "p_malignant", "p_normal"]]
    pr.front(predictions["y"], P.to_numpy(), draws=200).save(place)
    return place.read_bytes()


@pytest.fixture
def stored(kept, tmp_path):
    (tmp_path / "front.npz").write_bytes(kept)
    return tmp_path / "front.npz"


def one_line(done, message):
    complaints = [line for line in done.stderr.splitlines() if "note:" not in line]
    return done.returncode == 2 and done.stdout == "" and len(complaints) == 1 and message in complaints[0]


@pytest.mark.slow
def test_a_test_reports_the_optimism(polyroc, file, other):
    held_out = in_python(file).evaluated(pr.read(other, truth="y", scores="p_*"), n_points=2000)
    record = json.loads(polyroc("front", file, *ASKED, "--test", other, "--json").stdout)
    shown = record["held_out"]
    assert (shown["gini"], shown["optimism"]) == (held_out.gini.value, held_out.optimism)
    errors = (shown["standard_error"], shown["apparent_standard_error"])
    assert min(errors) > 0
    assert shown["optimism_standard_error"] == pytest.approx(np.hypot(*errors))
    page = polyroc("front", file, *ASKED, "--test", other).stdout
    assert "optimism" in page
    line = next(line for line in page.splitlines() if line.startswith("classifier  ") and "points" not in line)
    assert f"{held_out.gini:.4f}" in line
    assert f"{held_out.optimism:.4f}" in line


@pytest.mark.slow
def test_several_classifiers_are_tested_each_by_its_own_scores(polyroc, file, other):
    arguments = ("--truth", "y", "--scores", "one=p_*", "--scores", "two=q_*", "-n", "200", "--points", "2000")
    records = json.loads(polyroc("front", file, *arguments, "--test", other, "--json").stdout)
    for record, columns in zip(records, ("p_*", "q_*"), strict=True):
        front = pr.front(pr.read(file, truth="y", scores=columns), draws=200)
        held_out = front.evaluated(pr.read(other, truth="y", scores=columns), n_points=2000)
        assert record["held_out"]["gini"] == held_out.gini.value


@pytest.mark.slow
def test_weights_of_other_cases_count(polyroc, predictions, tmp_path):
    file = tmp_path / "weighted.csv"
    predictions.assign(w=np.arange(60) % 4).to_csv(file, index=False)
    record = json.loads(polyroc("front", file, *ASKED, "--sample-weight", "w", "--test", file, "--json").stdout)
    assert record["held_out"]["optimism"] == 0
    assert record["provenance"]["weighted"]


@pytest.mark.slow
def test_what_is_not_converged_is_reported_in_a_sentence(polyroc, file):
    output = polyroc("front", file, *ASKED).stdout
    assert re.search(
        r"Not converged: G rose by 0.\d+ to 0.\d+ over the second half of 200 cost vectors; draw more .-n", output
    )


@pytest.mark.slow
def test_exact_volumes_on_demand(polyroc, stored):
    record = json.loads(polyroc("front", stored, "--exact", "--json").stdout)
    exact = pr.results.Front.load(stored).gini(None)
    assert (record["gini"], record["gini_monte_carlo_error"]) == (exact, 0.0)


@pytest.mark.slow
def test_stored_fronts_are_set_side_by_side(polyroc, file, stored, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    arguments = ("--truth", "y", "--scores", "q_*", "-n", "200", "--points", "2000")
    assert polyroc("front", file, *arguments, "-o", tmp_path / "rival.json").returncode == 0
    record = json.loads(
        polyroc("front", stored, "--against", tmp_path / "rival.json", "--points", "2000", "--json").stdout
    )
    mine, rival = pr.results.Front.load(stored), pr.results.Front.load(tmp_path / "rival.json")
    assert [record["gini"] for record in record] == [front.gini(n_points=2000) for front in (mine, rival)]
    assert record[0]["exclusive"] == {"rival": mine.exclusive(rival, n_points=2000)}
    fresh = polyroc("front", file, *arguments, "--against", stored, "--test", file)
    assert [line.split()[0] for line in fresh.stdout.splitlines()[3:5]] == ["classifier", "front"]


@pytest.mark.slow
def test_a_rule_is_chosen_from_a_stored_front(polyroc, file, other, stored, tmp_path):
    arguments = ("--costs", "malignant>benign=10", "--priors", "benign=0.2,malignant=0.1,normal=0.7")
    judged = ("--evaluate-on", other, "--truth", "y", "--scores", "p_*")
    done = polyroc("operate", "--front", stored, *arguments, *judged, "--rule", tmp_path / "rule.json", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    expected = pr.operate(
        replace(in_python(file), scores=None),
        costs={("malignant", "benign"): 10},
        priors=[0.2, 0.1, 0.7],
        evaluate_on=pr.read(other, truth="y", scores="p_*"),
    )
    assert json.loads(done.stdout) == expected.to_dict()
    assert pr.Rule.from_json((tmp_path / "rule.json").read_text()) == expected.rule
    rates = polyroc("rates", other, "--truth", "y", "--scores", "p_*", "--rule", tmp_path / "rule.json", "--json")
    assert json.loads(rates.stdout)["rates"] == expected.rates.tolist()


def test_a_point_of_a_stored_front_is_named(polyroc, stored):
    done = polyroc("operate", "--front", stored, "--point", "3")
    assert done.returncode == 0
    assert "Chosen for: point 3 of the front." in done.stdout
    assert "note: The rule was chosen and evaluated on the same cases" in done.stderr
    assert "front.npz" in done.stdout


def test_a_searched_front_gives_a_whole_classifier(polyroc, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 2)) + np.array([[0, 0], [1.5, 0], [0, 1.5]])[y]
    front = pr.search_front(pr.fronts.LogisticFamily(), X, y, generations=10, costs=10)
    front.save(tmp_path / "searched.npz")
    done = polyroc("operate", "--front", tmp_path / "searched.npz", "--point", "2", "--rule", tmp_path / "c.json")
    assert done.returncode == 0, done.stderr
    again = pr.fronts.PointClassifier.from_json((tmp_path / "c.json").read_text())
    assert (again.decide(X) == front.deploy(2).decide(X)).all()
    judged = ("--evaluate-on", tmp_path / "c.json", "--truth", "y")
    assert one_line(polyroc("operate", "--front", tmp_path / "searched.npz", *judged), "searched over features")
    assert polyroc("front", tmp_path / "searched.npz", "--points", "100").returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--kind", "parallel", "--shade-by", "benign>normal"), ("--kind", "growth")])
def test_a_stored_front_is_drawn(polyroc, stored, tmp_path, more):
    marked = () if "growth" in more else ("--point", "1")
    done = polyroc("plot", stored, *more, *marked, "-o", tmp_path / "front.png")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "front.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["front"], "Missing argument 'FILE'"),
        (["front", "FILE"], "Missing option '--truth'"),
        (["front", "DAMAGED"], "not a complete stored front"),
        (["front", "none.npz"], "no file none.npz"),
        (["front", "FRONT", "--test", "FILE"], "FILE is a stored front"),
        (["front", "FRONT", "-o", "new.npz"], "FILE is a stored front"),
        (["front", "FRONT", "--against", "FRONT"], "Two fronts are called 'front'"),
        (["front", "FRONT", "--against", "DAMAGED"], "not a complete stored front"),
        (["front", "FILE", *ASKED, "-o", "nowhere/front.npz"], "no folder 'nowhere'"),
        (["front", "FILE", *ASKED, "--test", "none.csv"], "none.csv"),
        (["front", "FILE", *ASKED, "--test", "FILE", "--sample-weight", "q_normal"], "whole numbers"),
        (["operate", "--costs", "a>b=1"], "Missing argument 'FILE'"),
        (["operate", "FILE"], "Missing option '--truth'"),
        (["operate", "FILE", "--front", "FRONT", "--truth", "y"], "FILE or --front, not both"),
        (["operate", "--front", "DAMAGED"], "not a complete stored front"),
        (["operate", "--front", "FRONT", "--point", "99999"], "from 0 to"),
        (["operate", "--front", "FRONT", "--point", "1", "--at-most", "benign>normal=0"], "omit one"),
        (["operate", "--front", "FRONT", "--criterion", "youden"], "--criterion cannot be used with a front"),
        (["operate", "--front", "FRONT", "--costs", "benign>sick=1"], "not one of the classes"),
        (["operate", "--front", "FRONT", "--evaluate-on", "FILE"], "Missing option '--truth'"),
        (["operate", "--front", "FRONT", "--rule", "nowhere/rule.json"], "cannot be written"),
        (["operate", "FILE", *ASKED[:4], "--point", "1"], "position in a front"),
        (["plot", "-o", "p.png"], "Missing argument 'FILE'"),
        (["plot", "FILE", "--truth", "y", "-o", "p.png"], "Missing option '--kind'"),
        (["plot", "DAMAGED", "-o", "p.png"], "not a complete stored front"),
        (["plot", "FRONT", "-o", "p.gif"], ".png, .svg or .pdf"),
        (["plot", "FRONT", "-o", "p.png", "--kind", "roc"], "no picture 'roc'"),
        (["plot", "FRONT", "-o", "p.png", "--hull"], "not valid for a stored front"),
        (["plot", "FRONT", "-o", "p.png", "--point", "99999"], "indices into the front"),
        (["plot", "FRONT", "-o", "p.png", "--shade-by", "generation"], "shade_by must be"),
        (["plot", "FRONT", "-o", "p.png", "--kind", "growth", "--point", "1"], "not valid for --kind growth"),
        (["plot", "FILE", *ASKED[:4], "-o", "p.png", "--kind", "growth"], "polyroc front FILE -o"),
        (["plot", "FILE", *ASKED[:4], "-o", "p.png", "--kind", "rates", "--point", "1"], "a stored front"),
    ],
)
def test_complaints_about_fronts_are_one_line_and_write_nothing(
    polyroc, file, stored, tmp_path, monkeypatch, arguments, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "damaged.npz").write_bytes(stored.read_bytes()[:500])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    names = {"FILE": file, "FRONT": stored, "DAMAGED": "damaged.npz"}
    done = polyroc(*(names.get(argument, argument) for argument in arguments))
    assert one_line(done, message), (done.returncode, done.stderr)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.slow
def test_two_classes_from_end_to_end(polyroc, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    p = (rng.random(40) + y) / 2
    pd.DataFrame({"y": y, "p_0": 1 - p, "p_1": p}).to_csv(tmp_path / "two.csv", index=False)
    arguments = ("--truth", "y", "--scores", "p_*")
    done = polyroc("front", tmp_path / "two.csv", *arguments, "-o", tmp_path / "two.npz")
    assert "Every threshold was tried" in done.stdout
    assert polyroc("plot", tmp_path / "two.npz", "-o", tmp_path / "two.svg").returncode == 0
    coloured = polyroc("plot", tmp_path / "two.npz", "-o", tmp_path / "no.svg", "--shade-by", "0>1")
    assert one_line(coloured, "three classes or more")
    chosen = polyroc("operate", "--front", tmp_path / "two.npz", "--at-most", "1>0=0", "--json")
    rule = pr.Rule.from_dict(json.loads(chosen.stdout)["rule"])
    decisions = rule.decide(np.column_stack([1 - p, p]))
    assert (decisions[y == 1] == 1).all()
    assert (decisions == 0).any()


@pytest.fixture
def features(tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    frame = pd.DataFrame({"y": np.array(["u", "v", "w"])[y]})
    frame[["x_1", "x_2"]] = rng.normal(size=(60, 2)) + y[:, None]
    frame.to_csv(tmp_path / "x.csv", index=False)
    return tmp_path / "x.csv"


@pytest.mark.slow
def test_a_family_is_searched_on_features(polyroc, features, tmp_path):
    line = ("front", features, "--truth", "y", "--features", "x_*", "--generations", "5", "--points", "500")
    done = polyroc(
        *line, "--family", "logistic", "-o", tmp_path / "f.npz", "--test", features, "--replicates", "5"
    )
    assert done.returncode == 0, done.stderr
    assert "+-" in done.stdout
    assert "run more (--generations)" in done.stdout
    front = pr.results.Front.load(tmp_path / "f.npz")
    frame = pd.read_csv(features)
    twin = pr.search_front(pr.fronts.LogisticFamily(), frame[["x_1", "x_2"]].to_numpy(), frame["y"], generations=5)
    assert (front.counts == twin.counts).all()
    assert front.deploy(0).decide([[0.0, 0.0]]).shape == (1,)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--features", "x_*"), "give --family"),
        (("--family", "logistic"), "give --features"),
        (("--family", "logistic", "--features", "z_*"), "matches no column"),
        (("--family", "logistic", "--features", "x_*", "-n", "5"), "give --generations"),
        (("--family", "logistic", "--features", "x_*", "--scores", "x_1"), "instead of --scores"),
    ],
)
def test_bad_family_options_are_reported(polyroc, features, more, message):
    done = polyroc("front", features, "--truth", "y", *more)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.slow
def test_a_stored_front_is_overwritten_by_force_only(polyroc, file, tmp_path):
    line = ("front", file, *ASKED, "-o", tmp_path / "f.npz")
    assert polyroc(*line).returncode == 0
    again = polyroc(*line)
    assert again.returncode == 2
    assert "give --force" in again.stderr
    assert polyroc(*line, "--force").returncode == 0
