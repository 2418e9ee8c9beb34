"""What the pages of the server suggest and ask for, and the command lines that they show."""

import json
import re
import shlex
from io import StringIO

import numpy as np
import openpyxl
import polars as pl
import pytest

from command import polyroc
from polyroc.datasets import catalogue
from polyroc.errors import InputError
from polyroc.io.preview import Column, Preview
from polyroc.io.read import read
from polyroc.serve.commands import command_line, data_options, python_lines, term_options
from polyroc.serve.forms import as_columns, as_study
from polyroc.serve.limits import Limits
from polyroc.serve.suggestions import point_suggestions, suggestions
from polyroc.serve.tasks import choose_point, make_report, plan_size, preview_file

LIMITS = Limits()
RNG = np.random.default_rng(8)
N = 60
SICK = RNG.choice(["no", "yes"], N)
KIND = RNG.integers(0, 3, N)
SHARES = RNG.dirichlet([1, 1, 1], N)
AGE = RNG.integers(20, 90, N)


def no_progress(*_):
    pass


def seen_of(path, **reading):
    return preview_file(path, path.name, LIMITS, reading, no_progress)


def suggested(seen):
    return {one["role"]: tuple(one["columns"]) for one in seen["suggestions"]}


FILES = {
    "an age": ({"Age": AGE, "sick": SICK}, {"truth": ("sick",), "pos_label": ("yes",)}),
    "an age and a risk": (
        {"id": range(N), "Age": AGE, "sick": SICK, "risk": RNG.normal(size=N)},
        {"truth": ("sick",), "pos_label": ("yes",), "scores": ("risk",), "case": ("id",)},
    ),
    "missing scores": (
        {"y": KIND % 2, "score_a": [None, *range(N - 1)], "score_b": range(N)},
        {"truth": ("y",), "pos_label": ("1",), "scores": ("score_a", "score_b"), "missing": ("drop",)},
    ),
    "several classifiers of several classes": (
        {"label": [f"c{k}" for k in KIND], **{f"{m}_c{k}": SHARES[:, k] for m in ("rf", "lr") for k in range(3)}},
        {"truth": ("label",), "scores": tuple(f"{m}_c{k}" for m in ("rf", "lr") for k in range(3))},
    ),
    "numbered features": (
        {"class": 1 + KIND % 2, **{f"V{k}": RNG.normal(size=N) for k in (1, 2, 3)}},
        {"truth": ("class",)},
    ),
    "repeated ids and negative weights": (
        {"id": np.arange(N) // 3, "weight": RNG.normal(size=N), "target": KIND % 2, "prob": RNG.random(N)},
        {"truth": ("target",), "pos_label": ("1",), "scores": ("prob",)},
    ),
    "folds without a class": (
        {"fold": np.arange(N) % 20, "y": (np.arange(N) % 10 == 0).astype(int), "prob": RNG.random(N)},
        {"truth": ("y",), "pos_label": ("1",), "scores": ("prob",)},
    ),
    "dates and text": (
        {
            "date": [f"2026-01-{1 + i % 28:02}" for i in range(N)],
            "note": [f"text; {i}" for i in range(N)],
            "p": AGE,
        },
        {},
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_suggestions_have_evidence_and_can_be_read(name, tmp_path):
    columns, expected = FILES[name]
    path = tmp_path / "a.csv"
    pl.DataFrame(columns).write_csv(path)
    assert suggested(seen_of(path)) == expected


def test_suggestions_for_the_irises():
    assert suggested(seen_of(catalogue.path("iris_predictions"))) == {
        "truth": ("species",),
        "scores": ("p_setosa", "p_versicolor", "p_virginica"),
        "classifier": ("classifier",),
        "case": ("case",),
    }


STACKED = {"image": np.tile(np.arange(N), 4), "net": np.repeat(list("abcd"), N), "y": np.tile(SICK, 4)}
SCORES = RNG.normal(size=4 * N)


def test_stacked_rows_are_suggested_as_classifiers(tmp_path):
    path = tmp_path / "a.csv"
    pl.DataFrame({**STACKED, "score": SCORES}).write_csv(path)
    seen = seen_of(path)
    assert suggested(seen) == {
        "truth": ("y",),
        "scores": ("score",),
        "pos_label": ("yes",),
        "classifier": ("net",),
        "case": ("image",),
    }
    assert seen["notes"] == []


@pytest.fixture(params=["nr", "patient"])
def readings(request, tmp_path):
    """A file of two readers who used two modalities, and the name of its column of cases."""
    rooms = {
        request.param: STACKED["image"],
        "who": np.repeat(list("AB"), 2 * N),
        "modality": np.tile(np.repeat(["CT", "MR"], N), 2),
    }
    pl.DataFrame({**rooms, "truth": STACKED["y"], "score": SCORES}).write_csv(tmp_path / "a.csv")
    return tmp_path / "a.csv", request.param


def test_readings_are_suggested_as_a_reader_study(readings):
    path, case = readings
    seen = seen_of(path)
    roles = suggested(seen)
    assert (roles["reader"], roles["modality"], roles["case"]) == (("who",), ("modality",), (case,))
    assert "groups" not in roles
    assert seen["notes"] == []


def test_readings_make_the_report_of_a_reader_study(readings, tmp_path, monkeypatch):
    path, case = readings
    sent = {"truth": "truth", "scores": ["score"], "reader": "who", "modality": "modality", "case": case}
    chosen = as_study(as_columns(json.dumps({**sent, "pos_label": "yes"}).encode()))
    make_report(path, path.name, LIMITS, tmp_path / "page.html", chosen, [], no_progress)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"With 2 readers and {N} cases" in page
    assert f"{4 * N} cases" not in page
    monkeypatch.chdir(tmp_path)
    done = polyroc(*lines(command_line("reader-study", [path.name, *data_options(chosen)])))
    assert done.returncode == 0, done.stderr
    exec("\n".join(python_lines("report", path.name, chosen, {"path": "python.html"})))
    assert f"With 2 readers and {N} cases" in (tmp_path / "python.html").read_text(encoding="utf-8")


def test_readings_that_are_evaluated_as_cases_are_noted(readings):
    path, case = readings
    columns = {"truth": "truth", "scores": ["score"], "pos_label": "yes"}
    chosen = choose_point(path, path.name, LIMITS, columns, {"criterion": "youden"}, no_progress)
    words = f"\"reader\" for 'who' and \"modality\" for 'modality' and \"case\" for '{case}'"
    assert any(
        words in note and 'if they are dependent observations, use "group"' in note for note in chosen["notes"]
    )


def test_readings_are_suggested_as_dependent_for_an_operating_point(readings):
    path, case = readings
    for_a_point = {one["role"]: one["columns"][0] for one in point_suggestions(seen_of(path)["suggestions"])}
    assert for_a_point == {"truth": "truth", "scores": "score", "pos_label": "yes", "groups": case}
    columns = {**for_a_point, "scores": ["score"]}
    chosen = choose_point(path, path.name, LIMITS, columns, {"criterion": "youden"}, no_progress)
    assert not any("independent cases" in note for note in chosen["notes"])


def test_a_modality_needs_readers():
    with pytest.raises(InputError, match="Choose the column of the readers, too"):
        as_columns(b'{"truth": "y", "scores": ["s"], "modality": "m"}')


def test_the_page_gives_the_reason_for_what_it_leaves_out(tmp_path):
    path = tmp_path / "a.csv"
    cells = [*map(str, RNG.random(N).round(3))]
    pl.DataFrame({"y": SICK, "risk_a": RNG.random(N), "risk_b": [*cells[:-1], "n/a"]}).write_csv(path)
    seen = seen_of(path)
    assert suggested(seen)["scores"] == ("risk_a",)
    assert seen["notes"] == ["Column 'risk_b' is no score because of 'n/a'; leave such cells empty."]
    pl.DataFrame({"y": SICK, "risk": RNG.random(N), "weight": [0.0] * N}).write_csv(path)
    (note,) = seen_of(path)["notes"]
    assert note.startswith("Some roles are not suggested: column 'weight' is zero for every case")


def test_an_operating_point_says_what_is_doubtful_about_the_rows(tmp_path):
    path = tmp_path / "a.csv"
    pl.DataFrame({**STACKED, "score": SCORES}).write_csv(path)
    columns = {"truth": "y", "scores": ["score"], "pos_label": "yes"}
    chosen = choose_point(path, path.name, LIMITS, columns, {"criterion": "youden"}, no_progress)
    assert any("use \"classifier\" for 'net' and \"case\" for 'image'" in note for note in chosen["notes"])


def test_no_suggestion_without_evidence():
    numbers = [Column(name, True, 0.0, 1.0, (), 500) for name in "abc"]
    assert suggestions(Preview(tuple(numbers), (), 500)) == ()


def test_classes_beyond_the_first_rows_are_listed(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"y": ["a"] * 6000 + ["b"] * 6000 + ["c"], "n": range(12001)}).write_parquet(path)
    assert [column["classes"] for column in seen_of(path)["columns"]] == [["a", "b", "c"], []]


@pytest.mark.slow
def test_encodings_sheets_and_decimal_signs(tmp_path):
    table = StringIO(
        "Größe;Kranker;p\n" + "\n".join(f"1,{i};{'ja' if i % 3 else 'nein'};0,{i}" for i in range(10, 40))
    )
    path = tmp_path / "a.csv"
    path.write_bytes(table.getvalue().encode("cp1252"))
    question = seen_of(path)
    assert (question["asks"], question["choices"]) == ("encoding", ["latin-1", "cp1252", "utf-16"])
    seen = seen_of(path, encoding="cp1252")
    assert seen["reading"] == {"encoding": "cp1252", "decimal": ","}
    assert [column["range"] for column in seen["columns"]] == ["1.1 to 1.39", None, "0.1 to 0.39"]
    assert suggested(seen) == {"truth": ("Kranker",), "scores": ("p",)}
    path.write_bytes(b"\x00\xff\xfe" * 50)
    assert seen_of(path)["asks"] == "encoding"
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.create_sheet("Daten").append(["b"])
    book["Daten"].append(["x"])
    book.save(tmp_path / "a.xlsx")
    question = seen_of(tmp_path / "a.xlsx")
    assert (question["asks"], question["choices"]) == ("table", ["Sheet", "Daten"])
    assert seen_of(tmp_path / "a.xlsx", table="Daten")["columns"][0]["name"] == "b"


def lines(text, *more):
    """The arguments of a command line as a shell reads them."""
    program, *arguments = shlex.split(text)
    assert program == "polyroc"
    return [*arguments, *map(str, more)]


AWKWARD = {"truth": 'true "class" $(x)', "scores": ["-lead", "a=b"], "reversed": ["a=b"], "pos_label": "yes, sir"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        {
            "truth": "sick",
            "scores": ["risk", "Age"],
            "names": {"risk": "my model", "Age": "age"},
            "reversed": ["Age"],
            "pos_label": "yes",
        },
        {**AWKWARD, "names": {"-lead": "A B", "a=b": "it's"}},
        {"truth": "stage", "scores": ["risk"], "labels": ["mild", "not so mild", "severe"], "by": ["sick"]},
    ],
    ids=["named and reversed", "awkward names", "ordered"],
)
def test_the_command_makes_the_same_page(sent, tmp_path, monkeypatch):
    stage = np.array(["mild", "not so mild", "severe"])[KIND]
    truth = np.where(SICK == "yes", "yes, sir", "no")
    risk = 3 * RNG.normal(size=N) + 4 * KIND
    columns = {
        "sick": SICK,
        "stage": stage,
        AWKWARD["truth"]: truth,
        "risk": risk,
        "Age": AGE,
        "-lead": risk,
        "a=b": AGE,
    }
    path = tmp_path / "my data.csv"
    pl.DataFrame(columns).write_csv(path, separator=";")
    chosen = as_columns(json.dumps(sent).encode())
    make_report(path, path.name, LIMITS, tmp_path / "page.html", chosen, [], no_progress)
    command = command_line("report", [path.name, *data_options(chosen)])
    monkeypatch.chdir(tmp_path)
    done = polyroc(*lines(command, "-o", "command.html"))
    assert done.returncode == 0, done.stderr
    pages = [(tmp_path / name).read_text(encoding="utf-8") for name in ("page.html", "command.html")]
    without = [re.sub(r"<h3>How to repeat it</h3>.*?</pre>", "", page, flags=re.DOTALL).split() for page in pages]
    assert without[0] == without[1]


def test_the_commands_of_operating_points_and_sizes(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    pl.DataFrame({"sick": SICK, "risk": RNG.normal(size=N)}).write_csv(path)
    columns, terms = {"truth": "sick", "scores": ["risk"], "pos_label": "yes"}, {"costs": {("yes", "no"): 5.0}}
    chosen = choose_point(path, path.name, LIMITS, columns, terms, no_progress)
    monkeypatch.chdir(tmp_path)
    done = polyroc(*lines(command_line("operate", [path.name, *data_options(columns), *term_options(terms)])))
    printed = " ".join(done.stdout.split())
    for text in (*chosen["rows"][0], *(" ".join(note.split()) for note in chosen["notes"])):
        assert text in printed
    assert json.loads(chosen["rule"])["kind"]
    optimistic = "The rule was chosen and evaluated on the same cases, so its rates and cost are optimistic."
    assert optimistic in chosen["notes"]
    corrected = choose_point(path, path.name, LIMITS, columns, {**terms, "method": "bootstrap"}, no_progress)
    assert optimistic not in corrected["notes"]
    planned = plan_size({"measure": "auc", "value": 0.85, "null": 0.75}, no_progress)
    done = polyroc(*lines("polyroc sample-size --measure auc --value 0.85 --null 0.75"))
    assert planned["notes"][0] in " ".join(done.stdout.split())


def test_what_a_command_line_cannot_say_has_none():
    assert data_options({"truth": "y", "scores": ["p"], "labels": ["a,b", "c"]}) is None
    assert data_options({"truth": "y", "scores": {"a=b": ["p"]}}) is None
    assert term_options({"costs": {("a>b", "c"): 1.0}}) is None
    assert command_line("report", None) is None


def test_no_part_of_a_command_is_run_by_a_shell():
    line = command_line(
        "report", ["-x;.csv", "--truth", "$(date)", "--scores", "a`b", "--by", "it's", "--case", ""]
    )
    assert line == """polyroc report "./-x;.csv" --truth '$(date)' --scores 'a`b' --by "it's" --case \"\""""


def test_reversed_scores_are_multiplied(tmp_path):
    path = tmp_path / "a.csv"
    pl.DataFrame({"y": [0, 1] * 5, "s": range(10)}).write_csv(path)
    sent = {"truth": "y", "scores": ["s"], "reversed": ["s"], "pos_label": "1"}
    scores = read(path, **as_columns(json.dumps(sent).encode()))
    np.testing.assert_array_equal(scores.values["classifier"], -np.arange(10.0))
