"""Files that people have: decimal commas, other encodings, .txt, workbooks, files of other programs."""

import gzip
import io
import random
import sys
import tempfile

import openpyxl
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import polyroc as pr
from command import polyroc
from polyroc.errors import DroppedRowsWarning, InputError, MissingPackageError, OutOfSpaceError
from polyroc.io.text_copies import check_encoding

ENGINES = ("memory", "duckdb")
TRUTH = ["été", "hiver"] * 20
SCORES = [round(random.Random(i).random() + (i % 2) / 2, 6) for i in range(40)]
OPTIONS = {"truth": "truth", "scores": "score", "pos_label": "hiver", "measure": "auc"}
EXPECTED = pr.evaluate(TRUTH, SCORES, pos_label="hiver", measure="auc").value


def table(delimiter=",", decimal="."):
    lines = [
        f"{label}{delimiter}{str(score).replace('.', decimal)}" for label, score in zip(TRUTH, SCORES, strict=True)
    ]
    return "\n".join([f"truth{delimiter}score", *lines]) + "\n"


def write(folder, content, name="data.csv", encoding="utf-8"):
    path = folder / name
    data = content if isinstance(content, bytes) else content.encode(encoding)
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def value(path, engine, **options):
    return pr.evaluate(path, engine=engine, **OPTIONS, **options).value


def message(path, engine, error=InputError, **options):
    with pytest.raises(error) as caught:
        value(path, engine, **options)
    return str(caught.value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "content", "encoding", "options"),
    [
        ("a.csv", table(";", ","), "utf-8", {"decimal": ","}),
        ("a.tsv", table("\t", ","), "utf-8", {"decimal": ","}),
        ("a.txt", table("\t"), "utf-8", {}),
        ("a.txt", table(" "), "utf-8", {}),
        ("a.txt.gz", table(";", ","), "utf-8", {"decimal": ","}),
        ("a.csv", table(), "latin-1", {"encoding": "latin-1"}),
        ("a.csv", table(), "cp1252", {"encoding": "cp1252"}),
        ("a.txt", table("\t"), "utf-16", {"encoding": "utf-16"}),
        ("a.csv.gz", table(";", ","), "utf-16", {"encoding": "utf-16", "decimal": ","}),
        ("a.csv", table(), "utf-8", {"encoding": "UTF-8", "decimal": "."}),
        ("a.csv", table(), "utf-8-sig", {"encoding": "utf_8_sig"}),
    ],
)
def test_text_files(engine, name, content, encoding, options, tmp_path):
    assert value(write(tmp_path, content, name, encoding), engine, **options) == pytest.approx(EXPECTED, abs=1e-12)


def test_quoted_decimal_commas_with_a_comma_as_delimiter(tmp_path):
    lines = [f'{label},"{str(score).replace(".", ",")}"' for label, score in zip(TRUTH, SCORES, strict=True)]
    path = write(tmp_path, "\n".join(["truth,score", *lines]) + "\n")
    assert [value(path, engine, decimal=",") for engine in ENGINES] == pytest.approx([EXPECTED] * 2, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_message_names_the_option(engine, tmp_path):
    path = write(tmp_path, table(";", ","))
    assert "decimal comma: use decimal=','." in message(path, engine)
    path = write(tmp_path, table(";"))
    assert "has a decimal point: leave out decimal=','" in message(path, engine, decimal=",")
    path = write(tmp_path, table(), encoding="latin-1")
    assert "is not text in UTF-8; name its encoding, such as encoding='latin-1'" in message(path, engine)
    assert "not text in the encoding 'utf-16'" in message(path, engine, encoding="utf-16")
    path = write(tmp_path, table(), encoding="utf-16")
    assert "is text in UTF-16; read it with encoding='utf-16'." in message(path, engine)
    path = write(tmp_path, table(), encoding="utf-16-le")  # without a byte order mark
    assert "or name its encoding=..." in message(path, engine)
    assert value(path, engine, encoding="utf-16-le") == pytest.approx(EXPECTED, abs=1e-12)


def test_messages_on_the_command_line(tmp_path):
    columns = ("--truth", "truth", "--scores", "score", "--pos-label", "hiver", "-m", "auc", "--csv")
    path = write(tmp_path, table(";", ","), encoding="latin-1")
    answer = polyroc("evaluate", path, *columns)
    assert "--encoding latin-1" in answer.stderr
    answer = polyroc("evaluate", path, *columns, "--encoding", "latin-1")
    assert "--decimal ," in answer.stderr
    for engine in ENGINES:
        options = ("--encoding", "latin-1", "--decimal", ",", "--engine", engine)
        answer = polyroc("evaluate", path, *columns, *options)
        assert f"{EXPECTED:.4f}"[:6] in answer.stdout, answer.stderr


@pytest.mark.slow
@given(
    st.lists(st.floats(allow_nan=False, width=32, min_value=-1e6, max_value=1e6), min_size=4, max_size=12),
    st.sampled_from([".", ","]),
    st.sampled_from([";", "\t", "|"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_memory_and_engine_read_the_same_numbers(tmp_path, scores, decimal, delimiter):
    labels = ["a", "b"] * len(scores)
    lines = [f"{a}{delimiter}{repr(s).replace('.', decimal)}" for a, s in zip(labels, scores, strict=False)]
    path = write(tmp_path, "\n".join([f"truth{delimiter}score", *lines]) + "\n")
    expected = pr.evaluate(labels[: len(scores)], scores, measure="auc", pos_label="b").value
    options = {"truth": "truth", "scores": "score", "measure": "auc", "pos_label": "b", "decimal": decimal}
    for engine in ENGINES:
        exact = {"exact": True} if engine == "duckdb" else {}
        assert pr.evaluate(path, engine=engine, **exact, **options).value == pytest.approx(expected, abs=1e-12)


def test_labels_are_taken_as_they_are_written(tmp_path):
    path = write(tmp_path, "truth;score\n1,5;0,2\n2,5;0,7\n1,5;0,3\n2,5;0,9\n")
    scores = pr.read(path, truth="truth", scores="score", decimal=",", pos_label="2,5")
    assert scores.labels == ("1,5", "2,5")


def test_file_objects(tmp_path):
    content = gzip.compress(table().encode("utf-16"))
    for engine in ENGINES:
        assert value(io.BytesIO(content), engine, encoding="utf-16") == pytest.approx(EXPECTED, abs=1e-12)
        assert "encoding='utf-16'" in message(io.BytesIO(content), engine)
    with pytest.raises(InputError, match="decoded already"):
        pr.read(io.StringIO(table()), truth="truth", scores="score", encoding="latin-1")


def test_partitions_of_files_in_another_encoding(tmp_path):
    for site in ("a", "b"):
        folder = tmp_path / f"site={site}"
        folder.mkdir()
        write(folder, table(";", ","), encoding="latin-1")
    grouped = pr.evaluate(tmp_path, **OPTIONS, by="site", decimal=",", encoding="latin-1")
    assert [estimate.value for estimate in grouped.groups.values()] == pytest.approx([EXPECTED] * 2, abs=1e-12)


def test_json_lines_in_another_encoding(tmp_path):
    lines = [f'{{"truth": "{a}", "score": {s}}}' for a, s in zip(TRUTH, SCORES, strict=True)]
    path = write(tmp_path, "\n".join(lines), "a.jsonl", "latin-1")
    for engine in ENGINES:
        assert value(path, engine, encoding="latin-1") == pytest.approx(EXPECTED, abs=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_options_of_text_are_an_error_elsewhere(engine, tmp_path):
    frame = pd.DataFrame({"truth": TRUTH, "score": SCORES})
    assert "decimal=',' is for text files" in message(frame, engine, decimal=",")
    frame.to_parquet(tmp_path / "a.parquet")
    assert "leave out decimal=','" in message(tmp_path / "a.parquet", engine, decimal=",")
    assert "leave out encoding='latin-1'" in message(tmp_path / "a.parquet", engine, encoding="latin-1")
    path = write(tmp_path, table())
    assert "decimal" in message(path, engine, decimal=";")


@pytest.mark.parametrize("encoding", ["nonsense", "base64", "", 5, "rot13"])
def test_an_unknown_encoding(encoding):
    with pytest.raises(InputError, match="must be the name of an encoding"):
        check_encoding(encoding)


def test_no_copy_is_left(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = write(tmp_path, table(), encoding="latin-1")
    for engine in ENGINES:
        value(path, engine, encoding="latin-1")
        message(path, engine, encoding="utf-16")
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_copy_that_cannot_be_written(tmp_path, monkeypatch):
    def no_folder(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", no_folder)
    path = write(tmp_path, table(), encoding="latin-1")
    assert "set TMPDIR to another folder" in message(path, "memory", OutOfSpaceError, encoding="latin-1")


def workbook(path, *sheets, cells=None):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in sheets:
        sheet = book.create_sheet(name)
        for row in cells or [("truth", "score"), *zip(TRUTH, SCORES, strict=True)]:
            sheet.append(row)
    book.save(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_workbooks(engine, tmp_path):
    path = workbook(tmp_path / "a.xlsx", "scores")
    assert value(path, engine) == pytest.approx(EXPECTED, abs=1e-12)
    assert value(path, engine, decimal=",") == pytest.approx(EXPECTED, abs=1e-12)
    assert value(io.BytesIO(path.read_bytes()), engine) == pytest.approx(EXPECTED, abs=1e-12)
    path = workbook(tmp_path / "b.xlsx", "notes", "scores")
    assert value(path, engine, table="scores") == pytest.approx(EXPECTED, abs=1e-12)
    assert "has several sheets; choose one with table='notes' or 'scores'." in message(path, engine)
    assert "did you mean 'scores'?" in message(path, engine, table="score")
    path = workbook(tmp_path / "c.xlsx", "scores", cells=[()])
    assert "has no cells" in message(path, engine)
    path = write(tmp_path, b"PK\x03\x04 [Content_Types].xml and no more", "d.xlsx")
    assert "is not an Excel workbook, or it is damaged" in message(path, engine)
    path = write(tmp_path, workbook(tmp_path / "e.xlsx", "scores").read_bytes(), "e.csv")
    assert "looks like an Excel workbook; rename it" in message(path, engine)


def test_cells_of_a_workbook(tmp_path):
    cells = [
        ("truth", "text", "whole", None),
        (True, "0,25", 3, None),
        (),
        (False, "0,75", 2.5, None),
        (True, None, 1, None),
    ]
    path = workbook(tmp_path / "a.xlsx", "one", cells=cells)
    with pytest.warns(DroppedRowsWarning, match="1 of 3 rows"):
        scores = pr.read(path, truth="truth", scores={"a": "text", "b": "whole"}, decimal=",", missing="drop")
    assert scores.labels == (False, True)
    assert {name: values.tolist() for name, values in scores.values.items()} == {
        "a": [0.25, 0.75],
        "b": [3, 2.5],
    }


def test_a_workbook_without_a_reader(tmp_path, monkeypatch):
    path = workbook(tmp_path / "a.xlsx", "scores")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    for engine in ENGINES:
        text = message(path, engine, MissingPackageError)
        assert "pip install openpyxl" in text
        assert "CSV UTF-8" in text


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("a.rds", "write.csv(data"),
        ("a.RData", "arrow::write_parquet"),
        ("a.sav", "pandas.read_spss(path)"),
        ("a.dta", "export delimited using"),
        ("a.sas7bdat", "proc export"),
        ("a.xls", "save it as .xlsx or as CSV"),
        ("a.npz", "numpy.load"),
        ("a.pkl", "can run any code"),
        ("a.csv.zip", "extract the files first"),
    ],
)
def test_files_of_other_programs(engine, name, advice, tmp_path):
    assert advice in message(write(tmp_path, b"anything", name), engine)


def test_standard_input_in_another_encoding(monkeypatch):
    columns = ("--truth", "truth", "--scores", "score", "--pos-label", "hiver", "-m", "auc", "--csv")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table(";", ",").encode("utf-16"))))
    answer = polyroc("evaluate", "-", *columns, "--encoding", "utf-16", "--decimal", ",")
    assert str(EXPECTED)[:6] in answer.stdout, answer.stderr
