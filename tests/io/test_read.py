"""Reading files and data frames: every format and layout gives the same Scores, every fault one clear error."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyroc.errors import DroppedRowsWarning, InputError, MissingFileError
from polyroc.io.read import read
from polyroc.validation.scores import normalise

FORMATS = (
    *("csv", "tsv", "csv.gz", "tsv.gz", "parquet", "jsonl", "ndjson", "json", "jsonl.gz"),
    *("pandas", "polars", "pyarrow"),
)
FAST = ("csv", "parquet", "pandas")  # the others are marked as slow


def every_format(which=bool):
    """Run a test with every format that it concerns."""
    chosen = [
        form if form in FAST else pytest.param(form, marks=pytest.mark.slow) for form in FORMATS if which(form)
    ]
    return pytest.mark.parametrize("form", chosen)


def as_format(table: dict, form: str, folder):
    """The table in one of the formats: a path, or a data frame."""
    if form in ("pandas", "polars", "pyarrow"):
        return {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}[form](table)
    path = folder / f"data.{form}"
    if form == "parquet":
        pq.write_table(pa.table(table), path)
        return path
    if form.startswith(("csv", "tsv")):
        text = pd.DataFrame(table).to_csv(index=False, sep="\t" if form.startswith("tsv") else ",")
    else:
        records = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        text = "".join(json.dumps(record) + "\n" for record in records)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if form.endswith(".gz") else data)
    return path


def write(folder, text, name="data.csv"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def assert_same(got, expected):
    assert got.labels == expected.labels
    assert [type(label) for label in got.labels] == [type(label) for label in expected.labels]
    assert got.codes.tolist() == expected.codes.tolist()
    assert got.kind == expected.kind
    assert got.positive == expected.positive
    assert got.ordered == expected.ordered
    assert list(got.values) == list(expected.values)
    for name, values in expected.values.items():
        assert got.values[name].dtype == np.float64
        np.testing.assert_array_equal(got.values[name], values)
    for mine, yours in ((got.sample_weight, expected.sample_weight), (got.groups, expected.groups)):
        assert (mine is None) == (yours is None)
        if mine is not None:
            np.testing.assert_array_equal(mine, yours)


def refused(source, *parts, **options):
    """Reading is refused with a message that holds all these parts."""
    with pytest.raises(InputError) as caught:
        read(source, **{"truth": "y", "scores": "s", **options})
    for part in parts:
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


# one meaning, every format and layout

ANIMALS = st.sampled_from(["cat", "rat", "Emu", "ant", "émeu", "a b", 'say "hi"', "x,y", "Z", "🐈", "semi;colon"])
PROBABILITIES = st.floats(0, 1).map(lambda p: round(p, 6)) | st.floats(0, 1)


@st.composite
def observations(draw):
    """True classes, class probabilities of two classifiers, weights and groups."""
    label = draw(st.sampled_from([ANIMALS, st.integers(-3, 4), st.booleans()]))
    labels = draw(st.lists(label, min_size=2, max_size=5, unique=True))
    n = draw(st.integers(len(labels), 12))
    truth = labels + draw(st.lists(st.sampled_from(labels), min_size=n - len(labels), max_size=n - len(labels)))
    matrices = [
        np.array(draw(st.lists(PROBABILITIES, min_size=n * len(labels), max_size=n * len(labels)))).reshape(n, -1)
        for _ in range(2)
    ]
    weight = draw(st.lists(st.floats(0.25, 4), min_size=n, max_size=n))
    groups = draw(st.lists(st.sampled_from([f"g{i}" for i in range(12)]), min_size=n, max_size=n))
    return truth, sorted(labels), matrices, weight, groups


@pytest.mark.slow
@every_format()
@given(seen=observations(), shuffle=st.randoms())
@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_every_format_and_layout_is_the_same_scores(form, seen, shuffle, tmp_path):
    truth, labels, (first, second), weight, groups = seen
    n = len(truth)
    both = {"forest": first, "logit": second}
    expected = normalise(truth, both, sample_weight=weight, groups=groups)
    roles = {"truth": "y", "sample_weight": "w", "groups": "g"}

    wide = {"y": truth, "w": weight, "g": groups}
    for name, matrix in both.items():
        wide |= {f"{name}_{label}": matrix[:, j].tolist() for j, label in enumerate(labels)}
    source = as_format(wide, form, tmp_path)
    assert_same(read(source, scores={"forest": "forest_*", "logit": "logit_*"}, **roles), expected)

    stacked = {"y": truth * 2, "w": weight * 2, "g": groups * 2, "who": ["forest"] * n + ["logit"] * n}
    stacked |= {f"p({label})": np.r_[first[:, j], second[:, j]].tolist() for j, label in enumerate(labels)}
    source = as_format(stacked, form, tmp_path)
    assert_same(read(source, scores="p(*)", classifier="who", **roles), expected)

    rows = [
        {"id": f"case {i}", "y": truth[i], "w": weight[i], "g": groups[i], "who": who, "class": label, "s": p}
        for who, matrix in both.items()
        for i in range(n)
        for label, p in zip(labels, matrix[i].tolist(), strict=True)
    ]
    source = as_format({key: [row[key] for row in rows] for key in rows[0]}, form, tmp_path)
    options = {"scores": "s", "classifier": "who", "class_": "class", "case": "id"}
    assert_same(read(source, **options, **roles), expected)

    shuffle.shuffle(rows)
    got = read(as_format({key: [row[key] for row in rows] for key in rows[0]}, form, tmp_path), **options, **roles)
    order = [int(name[5:]) for name in dict.fromkeys(row["id"] for row in rows)]
    assert got.codes.tolist() == expected.codes[order].tolist()
    for name, values in expected.values.items():
        np.testing.assert_array_equal(got.values[name], values[order])


@every_format()
def test_one_score(form, tmp_path):
    table = {"y": [1, 0, 1, 0], "s": [0.5, -1.25, 3.0, 1e-300], "unused": ["a", "b", "c", "d"]}
    expected = normalise(table["y"], table["s"])
    assert_same(read(as_format(table, form, tmp_path), truth="y", scores="s"), expected)
    assert_same(read(str(as_format(table, "csv", tmp_path)), truth="y", scores=["s"]), expected)


@every_format()
@pytest.mark.parametrize("labels", [["b", "a", "é", "B", "z"], [10, 9, -1, 2, 100], [0.5, 2.0, 10.0, -1.5, 3.25]])
def test_labels_are_sorted_as_in_memory(form, labels, tmp_path):
    table = {"y": labels * 2, "s": np.linspace(0, 1, 10).tolist()}
    assert_same(read(as_format(table, form, tmp_path), truth="y", scores="s"), normalise(labels * 2, table["s"]))


@every_format()
def test_decisions(form, tmp_path):
    table = {"y": ["a", "b", "c", "a"], "said": ["b", "b", "c", "a"]}
    got = read(as_format(table, form, tmp_path), truth="y", scores="said")
    assert got.kind == "decisions"
    assert_same(got, normalise(table["y"], table["said"]))


def test_decisions_of_two_classifiers(tmp_path):
    path = write(tmp_path, "who,y,said\nf,a,a\nf,b,a\ng,a,b\ng,b,b\n")
    got = read(path, truth="y", scores="said", classifier="who")
    assert_same(got, normalise(["a", "b"], {"f": np.array(["a", "a"]), "g": np.array(["b", "b"])}))


def test_missing_decisions(tmp_path):
    path = write(tmp_path, "y,said\na,a\nb,\nb,a\n")
    refused(path, "column 'said' has missing values (row 2)", scores="said")
    with pytest.warns(DroppedRowsWarning, match="Dropped 1 of 3 rows"):
        got = read(path, truth="y", scores="said", missing="drop")
    assert got.values["classifier"].tolist() == [[1, 0], [1, 0]]


@every_format()
def test_scores_may_be_integers_or_booleans(form, tmp_path):
    table = {"y": [0, 1, 1], "i": [3, 1, 2], "b": [True, False, True]}
    source = as_format(table, form, tmp_path)
    got = read(source, truth="y", scores={"i": "i", "b": "b"})
    assert got.values["i"].tolist() == [3, 1, 2]
    assert got.values["b"].tolist() == [1, 0, 1]


@every_format()
def test_missing_values_in_every_column(form, tmp_path):
    table = {
        "y": ["a", "b", None, "a", "b", "b"],
        "s": [0.5, None, 0.25, 0.75, 1.0, 2.0],
        "w": [1.0, 1.0, 1.0, None, 1.0, 3.0],
        "g": ["u", "v", "u", "v", None, "u"],
        "whole": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5],
    }
    source = as_format(table, form, tmp_path)
    options = {"truth": "y", "scores": "s", "sample_weight": "w", "groups": "g", "pos_label": "b"}
    refused(source, "column 's' has missing values (row 2)", "missing='drop'", **options)
    refused(
        source, "column 'y' has missing values (row 3)", "missing='drop'", truth="y", scores="whole", pos_label="b"
    )
    with pytest.warns(DroppedRowsWarning, match="Dropped 4 of 6 rows"):
        got = read(source, missing="drop", **options)
    assert (got.codes.tolist(), got.values["classifier"].tolist(), got.dropped) == ([0, 1], [0.5, 2.0], 4)
    assert (got.sample_weight.tolist(), got.groups.tolist()) == ([1.0, 3.0], [0, 0])


@every_format()
def test_integer_labels_stay_integers_beside_missing_ones(form, tmp_path):
    table = {"y": pd.array([0, 1, None, 1], dtype="Int64"), "s": [0.5, 1.0, 2.0, 3.0]}
    if form != "pandas":
        table["y"] = [0, 1, None, 1]
    if form in ("csv", "tsv", "csv.gz", "tsv.gz"):
        table["y"] = pd.array(table["y"], dtype="Int64")
    with pytest.warns(DroppedRowsWarning):
        got = read(as_format(table, form, tmp_path), truth="y", scores="s", missing="drop")
    assert repr(got.labels) == "(0, 1)"
    assert got.codes.tolist() == [0, 1, 1]


@pytest.mark.slow
def test_the_order_of_a_large_file_is_kept(tmp_path):
    n = 300_000
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"y": rng.choice(["sick", "well"], n), "s": np.arange(n) / 8})
    table.to_csv(tmp_path / "data.csv", index=False)
    got = read(tmp_path / "data.csv", truth="y", scores="s", pos_label="sick")
    assert (got.values["classifier"] == table["s"]).all()
    assert (np.array(got.labels)[got.codes] == table["y"]).all()


# columns

HOSTILE = [
    "the truth",
    'qu"ote',
    "semi;colon",
    "comma,",
    "x'; DROP TABLE data; --",
    "naïve ★",
    "new\nline",
    "[id]",
    "*",
]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("form", ["csv", "tsv.gz", "parquet", "jsonl", "pandas", "polars", "pyarrow"])
def test_hostile_names(form, name, tmp_path):
    table = {
        name: [1, 0, 1],
        f"{name} 0": [0.5, 0.25, 0.1],
        f"{name} 1": [0.5, 0.75, 0.9],
        "who": ["f", "f", "f"],
        "w": [1, 2, 3],
    }
    got = read(
        as_format(table, form, tmp_path),
        truth=name,
        scores=[f"{name} 0", f"{name} 1"],
        classifier="who",
        groups=name,
        sample_weight="w",
    )
    assert got.values["f"].tolist() == [[0.5, 0.5], [0.25, 0.75], [0.1, 0.9]]
    assert got.groups.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "name", ["o'clock.csv", "a[1].csv", "a*.csv", "a?.csv", "year=2020/a.csv", 'q"; --.csv', "é.CSV"]
)
def test_hostile_paths(name, tmp_path):
    write(tmp_path, "y,s\n0,7\n1,7\n", "a1.csv")
    write(tmp_path, "y,s\n0,7\n1,7\n", "ab.csv")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    path = write(tmp_path, "y,s\n0,0.5\n1,0.75\n", name)
    assert read(path, truth="y", scores="s").values["classifier"].tolist() == [0.5, 0.75]


@every_format(lambda form: "js" not in form)
def test_names_that_differ_in_capitals_only(form, tmp_path):
    table = {"y": ["a", "A"], "p_a": [0.25, 0.5], "p_A": [0.75, 0.5]}
    got = read(as_format(table, form, tmp_path), truth="y", scores="p_*")
    assert got.labels == ("A", "a")
    assert got.values["classifier"].tolist() == [[0.75, 0.25], [0.5, 0.5]]


@pytest.mark.parametrize("end", ["", ".gz"])
def test_names_that_differ_in_capitals_only_in_json(end, tmp_path):
    data = b'{"y":0,"p_a":1,"p_A":2}\n{"y":1,"p_a":3,"p_A":4}\n'
    path = write(tmp_path, gzip.compress(data) if end else data, f"data.jsonl{end}")
    refused(path, "differ in capitals only (one is 'p_A')", "rename one", scores="p_a")
    path = write(tmp_path, '{"y":0,"s":1,"s_1":2,"S_2":3}\n{"y":1,"s":3,"s_1":4}\n', "data.jsonl")
    assert read(path, truth="y", scores="s_1").values["classifier"].tolist() == [2, 4]


def test_columns_are_matched_by_name_not_by_place(tmp_path):
    path = write(tmp_path, "p_c,y,p_a,p_b\n3,a,1,2\n6,b,4,5\n9,c,7,8\n")
    for scores in ("p_*", ["p_b", "p_c", "p_a"], ["p_a", "p_[bc]"]):
        got = read(path, truth="y", scores=scores)
        assert got.values["classifier"].tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    got = read(path, truth="y", scores="p_*", labels=["c", "a", "b"])
    assert got.values["classifier"].tolist() == [[3, 1, 2], [6, 4, 5], [9, 7, 8]]


def test_columns_in_the_order_of_the_labels(tmp_path):
    path = write(tmp_path, "y,s1,s2,s3\nlow,1,2,3\nmid,4,5,6\nhigh,7,8,9\n")
    got = read(path, truth="y", scores=["s3", "s1", "s2"], labels=["low", "mid", "high"])
    assert got.values["classifier"].tolist() == [[3, 1, 2], [6, 4, 5], [9, 7, 8]]
    labels = ["low", "mid", "high"]
    refused(path, "column 's1' belongs to no class", scores="s*", labels=labels)
    refused(path, "column 's1' belongs to no class", scores=["s1", "s2", "s3"])
    refused(path, "do not match", scores=["s1", "s2"], labels=labels)


def test_classifiers_of_the_same_text_stay_two(tmp_path):
    path = write(tmp_path, "y,s,t\n0,1,2\n1,2,3\n")
    got = read(path, truth="y", scores={1: "s", "1": "t"})
    assert [values.tolist() for values in got.values.values()] == [[1, 2], [2, 3]]


def test_one_column_in_two_parts(tmp_path):
    path = write(tmp_path, "y,s,w\n0,1,2\n1,2,3\n")
    got = read(path, truth="y", scores="s", sample_weight="w", groups="w", case="w")
    assert got.sample_weight.tolist() == [2, 3]
    assert got.groups.tolist() == [0, 1]


def test_a_glob_leaves_the_other_columns_alone(tmp_path):
    path = write(tmp_path, "y,w,a,b\na,1,0.5,0.5\nb,2,0.25,0.75\n")
    got = read(path, truth="y", scores="*", sample_weight="w")
    assert got.values["classifier"].tolist() == [[0.5, 0.5], [0.25, 0.75]]


def test_columns_named_after_true_and_false(tmp_path):
    path = write(tmp_path, "y,p_true,p_false\ntrue,0.75,0.25\nfalse,0.5,0.5\n")
    assert read(path, truth="y", scores="p_*").values["classifier"].tolist() == [[0.25, 0.75], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"truth": "Y2"}, ["no column 'Y2'", "(truth)", "Did you mean 'y'", "'p_a'"]),
        ({"truth": "nothing like it"}, ["no column 'nothing like it'", "'y', 'p_a', 'p_b', 'w'"]),
        ({"truth": None}, ["truth must name the column"]),
        ({"scores": "p_x"}, ["no column 'p_x'", "(scores)", "Did you mean 'p_", "'p_a'"]),
        ({"scores": ["p_a", "pb"]}, ["no column 'pb'", "Did you mean 'p_b'"]),
        ({"scores": "p_a,p_b"}, ["no column 'p_a,p_b'", "repeat the option for each, or pass a list"]),
        ({"sample_weight": "W8"}, ["no column 'W8'", "(weight)"]),
        ({"groups": "g"}, ["no column 'g'", "(groups)"]),
        ({"classifier": "who"}, ["no column 'who'", "(classifier)"]),
        ({"case": "id"}, ["no column 'id'", "(case)"]),
        ({"class_": "class", "case": "y", "scores": "w"}, ["no column 'class'", "(class_)"]),
        ({"scores": "q_*"}, ["'q_*' matches no column", "'y', 'p_a', 'p_b', 'w'"]),
        ({"scores": []}, ["scores names no column"]),
        ({"scores": {}}, ["empty mapping"]),
        ({"scores": {"f": []}}, ["scores names no column"]),
        ({"scores": None}, ["scores must be a column's name"]),
        ({"scores": [1]}, ["scores must be a column's name", "[1]"]),
        ({"scores": ["p_a", "p_a"]}, ["names column 'p_a' twice"]),
        ({"scores": "y"}, ["'y' is named in scores and for another role"]),
        ({"scores": {"f": "p_*"}, "classifier": "w"}, ["scores={'NAME': ...}", "with classifier or"]),
        ({"scores": "p_a", "class_": "w"}, ["class_='w'", "case="]),
        ({"scores": "p_*", "class_": "w", "case": "y"}, ["one column holds the scores", "'p_a', 'p_b'"]),
        ({"labels": "ab"}, ["labels must be a list", "'ab'"]),
        ({"labels": {"a", "b"}}, ["labels must be a list"]),
        ({"labels": 2}, ["labels must be a list", "got 2"]),
        ({"labels": ["a"]}, ["labels must name at least two"]),
        ({"labels": ["a", "c"]}, ["column 'y' holds 'b' (row 2)", "not among labels"]),
        (
            {"scores": "p_a"},
            [
                "The positive class is ambiguous: column 'y' takes values in {'a', 'b'}",
                "high values of column 'p_a'",
            ],
        ),
        ({"scores": "p_a", "pos_label": "z"}, ["pos_label", "'z'"]),
        ({"missing": "ignore"}, ["missing must be 'raise' or 'drop'"]),
    ],
)
@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl", "polars"])
def test_a_request_that_does_not_fit(form, options, parts, tmp_path):
    table = {"y": ["a", "b", "a"], "p_a": [0.5, 0.25, 0.5], "p_b": [0.5, 0.75, 0.5], "w": [1.0, 2.0, 3.0]}
    refused(as_format(table, form, tmp_path), *parts, **{"scores": "p_*", **options})


# labels by their text


@every_format()
@pytest.mark.parametrize(
    ("truth", "options", "labels"),
    [
        ([0, 1, 1, 0], ["1", "0"], (1, 0)),
        ([0, 1, 1, 0], ["0", "1", "2"], (0, 1, 2)),
        ([True, False, True], ["true", "False"], (True, False)),
        ([0.5, 1.5, 0.5], ["1.5", "0.5", "2"], (1.5, 0.5, 2.0)),
        (["a1", "2", "2"], ["a1", 2], ("a1", "2")),
        (["a1", "2", "2"], np.array(["2", "a1"]), ("2", "a1")),
    ],
)
def test_labels_match_by_their_text(form, truth, options, labels, tmp_path):
    source = as_format({"y": truth, "s": [0.5] * len(truth)}, form, tmp_path)
    got = read(source, truth="y", scores="s", labels=options)
    assert repr(got.labels) == repr(labels)
    assert [got.labels[code] for code in got.codes] == truth
    assert got.ordered


@pytest.mark.parametrize(
    ("truth", "pos_label", "positive"), [([1, 2], "1", 0), ([True, False], "false", 0), (["1", "b"], 1, 0)]
)
def test_the_positive_class_matches_by_its_text(truth, pos_label, positive, tmp_path):
    source = as_format({"y": truth, "s": [0.5, 1.0]}, "csv", tmp_path)
    assert read(source, truth="y", scores="s", pos_label=pos_label).positive == positive


def test_zero_padded_numbers_are_text(tmp_path):
    path = write(tmp_path, "y,s\n01,1\n02,2\n10,3\n")
    assert read(path, truth="y", scores="s").labels == ("01", "02", "10")


@pytest.mark.slow
def test_long_numbers_are_distinguished(tmp_path):
    for digits in (19, 30, 50):
        one, other = "1" * digits, "1" * (digits - 1) + "2"
        path = write(tmp_path, f"id,y,s\n{one},0,1\n{other},1,2\n{one},1,3\n")
        got = read(path, truth="y", scores="s", groups="id")
        assert got.groups.tolist() == [0, 1, 0]
        refused(path, "has two rows (rows 1 and 3)", one, case="id")


def test_json_keeps_text_that_looks_like_something_else(tmp_path):
    for first, second in (("1", "2"), ("2020-01-01", "2021-01-01"), ("10:00", "11:30"), ("true", "false")):
        path = write(tmp_path, f'{{"y":"{first}","s":1}}\n{{"y":"{second}","s":2}}\n', "data.jsonl")
        got = read(path, truth="y", scores="s", pos_label=first)
        assert set(got.labels) == {first, second}


# several rows make a case

STACKED = "id,who,y,s,w,g\n1,f,a,0.1,1,u\n2,f,b,0.2,2,v\n1,g,a,0.3,1,u\n2,g,b,0.4,2,v\n"
ROLES = {"classifier": "who", "sample_weight": "w", "groups": "g", "pos_label": "b"}


def test_stacked_by_case_does_not_care_for_the_order(tmp_path):
    path = write(tmp_path, "id,who,y,s\n7,g,b,0.4\n3,f,a,0.1\n3,g,a,0.3\n7,f,b,0.2\n")
    got = read(path, truth="y", scores="s", classifier="who", case="id", pos_label="b")
    assert list(got.values) == ["g", "f"]
    assert got.values["g"].tolist() == [0.4, 0.3]
    assert got.values["f"].tolist() == [0.2, 0.1]
    assert got.codes.tolist() == [1, 0]


def test_stacked_by_position(tmp_path):
    got = read(write(tmp_path, STACKED), truth="y", scores="s", **ROLES)
    assert got.values["f"].tolist() == [0.1, 0.2]
    assert got.values["g"].tolist() == [0.3, 0.4]
    assert got.sample_weight.tolist() == [1, 2]
    assert got.groups.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("old", "new", "case", "parts"),
    [
        ("2,g,b,0.4,2,v\n", "", None, ["same number of rows", "'f': 2, 'g': 1", "case="]),
        ("2,g,b", "2,g,a", None, ["not the same cases", "column 'y' differs between rows 2 and 4", "case="]),
        ("0.4,2,v", "0.4,3,v", None, ["column 'w' differs between rows 2 and 4", "case="]),
        ("0.4,2,v", "0.4,2,x", None, ["column 'g' differs between rows 2 and 4", "case="]),
        ("2,g,b", "2,g,a", "id", ["Case 2 has different values in column 'y' (rows 2 and 4)"]),
        ("0.4,2,v", "0.4,3,v", "id", ["Case 2 has different values in column 'w' (rows 2 and 4)"]),
        ("2,g,b", "3,g,b", "id", ["Case 2 has no row for classifier 'g'"]),
        ("2,g,b,0.4,2,v\n", "", "id", ["Case 2 has no row for classifier 'g'"]),
        ("2,g,b", "1,g,a", "id", ["Case 1 has two rows for classifier 'g' (rows 3 and 4)"]),
        ("2,g,b", ",g,b", "id", ["column 'id' has missing values (row 4)"]),
        ("2,g,b", "2,,b", "id", ["column 'who' has missing values (row 4)"]),
        ("0.4", "", "id", ["column 's' (classifier 'g') has missing values (case 2)"]),
        ("0.4", "inf", None, ["column 's' (classifier 'g') holds infinity (case 2)"]),
    ],
)
def test_stacked_rows_that_do_not_pair(old, new, case, parts, tmp_path):
    assert old in STACKED
    path = write(tmp_path, STACKED.replace(old, new))
    refused(path, *parts, case=case, **ROLES)


def test_a_case_named_by_text_is_quoted(tmp_path):
    path = write(tmp_path, "id,who,y,s\np 1,f,a,1\np 2,f,b,2\np 1,g,a,3\n")
    refused(path, "Case 'p 2' has no row for classifier 'g'", classifier="who", case="id", pos_label="b")


def test_one_row_a_case_with_names(tmp_path):
    path = write(tmp_path, "id,y,s\nu,0,1\nv,1,2\n")
    assert read(path, truth="y", scores="s", case="id").values["classifier"].tolist() == [1, 2]
    path = write(tmp_path, "id,y,s\nu,0,1\nv,1,2\nu,1,2\n")
    refused(path, "Case 'u' has two rows (rows 1 and 3)", case="id")


LONG = "id,y,class,s\nu,a,a,0.75\nu,a,b,0.25\nv,b,a,0.5\nv,b,b,0.5\n"


def test_long_without_classifier(tmp_path):
    got = read(write(tmp_path, LONG), truth="y", scores="s", class_="class", case="id")
    assert got.kind == "matrix"
    assert got.values["classifier"].tolist() == [[0.75, 0.25], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("v,b,a,0.5\n", "", ["Case 'v' has no row for class 'a'"]),
        ("v,b,a,0.5\n", "v,b,a,0.5\nv,b,a,0.5\n", ["Case 'v' has two rows for class 'a' (rows 3 and 4)"]),
        ("v,b,a", "v,b,x", ["column 'class' holds 'x' (row 3)", "not among the classes ['a', 'b']"]),
        ("v,b,a", "v,b,", ["column 'class' has missing values (row 3)"]),
        ("v,b,a", "v,a,a", ["Case 'v' has different values in column 'y' (rows 3 and 4)"]),
        ("0.75", "", ["column 's' has missing values (case 'u')"]),
        ("0.75", "much", ["column 's' must hold numbers", "'much' (row 1)"]),
    ],
)
def test_long_rows_that_do_not_pair(old, new, parts, tmp_path):
    assert old in LONG
    refused(write(tmp_path, LONG.replace(old, new)), *parts, class_="class", case="id")


def test_long_with_a_wrong_column_is_rejected_in_little_memory(tmp_path):
    n = 5000
    table = {"y": [0, 1] * n, "s": [0.5] * 2 * n, "id": list(range(2 * n)), "who": [f"w{i}" for i in range(2 * n)]}
    source = as_format({**table, "class": [0, 1] * n}, "polars", tmp_path)
    refused(source, "Case 0 has no row for", classifier="who", case="id", class_="class")


def test_dropping_drops_the_case_of_every_classifier(tmp_path):
    path = write(tmp_path, STACKED.replace("0.3", "NA") + "3,f,b,1,1,u\n3,g,b,1,1,u\n")
    with pytest.warns(DroppedRowsWarning, match=r"Dropped 1 of 3 rows .*classifier 'g'"):
        got = read(path, truth="y", scores="s", case="id", missing="drop", labels=["a", "b"], classifier="who")
    assert got.values["f"].tolist() == [0.2, 1.0]
    assert got.dropped == 1


# what CSV files look like


@pytest.mark.parametrize(
    "text",
    [
        "y,s\r\na,0.5\r\nb,1\r\n",
        "y,s\ra,0.5\rb,1\r",
        b"\xef\xbb\xbfy,s\na,0.5\nb,1\n",
        b'\xef\xbb\xbf"y","s"\r\n"a","0.5"\r\n"b","1"',
        "y;s\na;0.5\nb;1\n",
        "y\ts\na\t0.5\nb\t1\n",
        "y|s\na|0.5\nb|1\n",
        "\n\ny,s\na,0.5\nb,1\n",
        "y,s\n\na,0.5\n\nb,1\n\n\n",
        ",y,s\n0,a,0.5\n1,b,1\n",
        "y,s,\na,0.5,\nb,1,\n",
        "s;y;a, b, c, d\n0.5;a;1\n1;b;2\n",
        'y,s,"many\nlines"\na, 0.5 ,"x\ny"\nb,1e0,"""z"""\n',
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_dialects(text, zipped, tmp_path):
    data = text if isinstance(text, bytes) else text.encode()
    path = write(tmp_path, gzip.compress(data) if zipped else data, "data.csv.gz" if zipped else "data.csv")
    got = read(path, truth="y", scores="s", pos_label="b")
    assert got.labels == ("a", "b")
    assert got.values["classifier"].tolist() == [0.5, 1.0]


@pytest.mark.parametrize("word", ["", "NA", "nan", "NaN", "NULL", "null", '""', "N/A", "<NA>"])
def test_words_for_missing(word, tmp_path):
    text = f"y,s\n0,0.5\n1,{word}\n{word},0.25\n1,1\n"
    refused(write(tmp_path, text), "column 's' has missing values (row 2); 2 of 4 rows")
    with pytest.warns(DroppedRowsWarning, match=r"Dropped 2 of 4 rows .*column 's': 1, column 'y': 1"):
        got = read(tmp_path / "data.csv", truth="y", scores="s", missing="drop")
    assert got.values["classifier"].tolist() == [0.5, 1.0]


# what is wrong with the data


@pytest.mark.parametrize(
    ("text", "options", "parts"),
    [
        ("y,s\n0,0.5\n1,inf\n1,-Infinity\n", {}, ["column 's' holds infinity (rows 2, 3)"]),
        ("y,s\n0,0.5\n1,1e999\n", {}, ["column 's' holds infinity (row 2)"]),
        ("y,s\n0,0.5\n1,high\n0,x\n", {}, ["column 's' must hold numbers", "'high' (rows 2, 3)"]),
        ("y;s\n0;0,5\n1;0,75\n", {}, ["column 's' must hold numbers", "'0,5' (rows 1, 2)", "decimal comma"]),
        ("y,s\na,a\nb,b\na,x\n", {}, ["decisions for the classes ['a', 'b']", "holds the text 'x' (row 3)"]),
        ("y,s\na,0.5\nb,b\na,1\n", {}, ["must hold numbers", "holds the text 'b' (row 2)"]),
        ("y,s\n0,true\n1,0.5\n", {}, ["must hold numbers", "holds the text 'true' (row 1)"]),
        ("y,s\na,1\na,2\n", {}, ["column 'y' holds one class only ('a')", "labels=[...]"]),
        ("y,s\n,1\n,2\n", {}, ["column 'y' holds no label at all"]),
        ("y,s\n0,1\n1,2\n", {"sample_weight": "s", "scores": ["y2"]}, ["no column 'y2'"]),
        ("y,s,w\n0,1,1\n1,2,-1\n", {"sample_weight": "w"}, ["column 'w' has negative weights (row 2)"]),
        ("y,s,w\n0,1,0\n1,2,0\n", {"sample_weight": "w"}, ["column 'w' is zero for every case"]),
        ("y,s,w\n0,1,one\n1,2,1\n", {"sample_weight": "w"}, ["column 'w' must hold numbers", "'one' (row 1)"]),
        ("y,s,w\n0,1,\n1,2,1\n", {"sample_weight": "w"}, ["column 'w' has missing values (row 1)"]),
        ("y,s,g\n0,1,\n1,2,1\n", {"groups": "g"}, ["column 'g' has missing values (row 1)"]),
        (
            "y,p_a,p_b,p_c\na,1,,0\nb,0,1,0\nc,0,0,1\n",
            {"scores": "p_*"},
            ["column 'p_b' has missing values (row 1); 1 of 3 rows"],
        ),
        (
            "y,p_a,p_b,p_c\na,1,0,0\nb,0,1,inf\nc,0,0,1\n",
            {"scores": "p_*"},
            ["column 'p_c' holds infinity (row 2)"],
        ),
        (
            "y,p_a,p_b,p_c\na,1,0,0\nb,0,1,much\nc,0,0,1\n",
            {"scores": "p_*"},
            ["column 'p_c' must hold numbers, but holds the text 'much' (row 2)"],
        ),
        (
            "y,p_a,p_b\na,1,0\nb,0,1\nc,0,0\n",
            {"scores": "p_*"},
            ["'p_a', 'p_b'", "data.csv", "class 'c' has no column"],
        ),
        (
            "y,p_a,p_b,p_d\na,1,0,0\nb,0,1,0\nc,0,0,1\n",
            {"scores": "p_*"},
            ["column 'p_d' belongs to no class and class 'c' has no column"],
        ),
        (
            "y,f_a,f_b,g_a,g_b\na,1,0,,1\nb,0,1,1,0\n",
            {"scores": {"f": "f_*", "g": "g_*"}},
            ["column 'g_a' has missing values (row 1)"],
        ),
        (
            "y,f,g\na,1,a\nb,0,b\n",
            {"scores": {"f": "f", "g": "g"}},
            ["same kind of scores", "f: score, g: decisions"],
        ),
        ("y,s,s\n0,1,2\n1,2,3\n", {}, ["more than one column named 's'", "rename"]),
        ("y,s,x,x\n0,1,2,3\n1,2,3,4\n", {}, ["more than one column named 'x'", "rename"]),
        ("y,s\n0,1\n1,2,3\n0,4\n0,1,1\n", {}, ["more values than the header has names (2) in rows 2, 4", "1,2,3"]),
        ("y,s\n0,1\n1\n0,4\n", {}, ["fewer values than the header has names (2) in row 2", "'1'"]),
        ("\ny,s\n0,1\n1\n0,4\n", {}, ["fewer values than the header has names (2) in row 2", "'1'"]),
        ('y,s\n0,1\n"1,2\n0,4\n', {}, ["a quote that is not closed", "in row 2"]),
        ('y,s\n0,1\n"1"x,2\n', {}, ["a quote that is not closed", "in row 2"]),
        ("y,s\r\n0,1\n1,2\r\n", {}, ["not regular CSV", "its line endings differ"]),
        (b"y,s\n0,1\n\xff\xfe\xfd,2\n1,3\n", {}, ["not text in UTF-8"]),
        ("y,s\n", {}, ["has columns but no rows"]),
        ("y,s", {}, ["has columns but no rows"]),
        ("\n\n", {}, ["is empty"]),
        ("", {}, ["is empty (0 bytes)"]),
        ('{"y":1,"s":2}\n', {}, ["should be CSV, by its ending, but looks like JSON"]),
        ('[{"y":1,"s":2}]', {}, ["should be CSV, by its ending, but looks like JSON"]),
        (bytes(range(256)) * 4, {}, ["should be CSV, by its ending, but looks like binary data"]),
        (b"\x93\xfa\x96\x7b" * 100, {}, ["is not text in UTF-8"]),
        ("y,s\n0,1\n1,2\n".encode("utf-16"), {}, ["text in UTF-16", "encoding='utf-16'"]),
    ],
)
def test_a_faulty_csv(text, options, parts, tmp_path):
    refused(write(tmp_path, text), *parts, **options)


@pytest.mark.slow
def test_a_bad_byte_far_from_the_beginning(tmp_path):
    path = write(tmp_path, b"y,s\n" + b"aaaa,1\nbbbb,2\n" * 200_000 + b"caf\xe9,2\n")
    refused(path, "(row 400001) is not text in UTF-8", "encoding='latin-1'")


@pytest.mark.slow
@pytest.mark.parametrize("form", ["parquet", "jsonl", "pandas", "polars", "pyarrow"])
def test_faults_in_typed_columns(form, tmp_path):
    table = {
        "y": [0, 1, 1],
        "inf": [0.5, float("inf"), 1.0],
        "text": ["0.5", "1.5", "high"],
        "digits": ["0.5", "1.5", "2.5"],
        "list": [[1, 2], [3, 4], [5, 6]],
        "w": [0.0, 0.0, 0.0],
        "n": [1.0, -1.0, 1.0],
        "one": ["a", "a", "a"],
    }
    source = as_format(table, form, tmp_path)
    refused(source, "column 'inf' holds infinity (row 2)", scores="inf")
    refused(source, "column 'text' must hold numbers", "'high' (row 3)", scores="text")
    refused(source, "column 'digits' must hold numbers", "text '0.5' (rows 1, 2, 3)", scores="digits")
    refused(source, "column 'list'", "lists or records", scores="list")
    refused(source, "column 'list'", "lists or records", scores="inf", truth="list")
    refused(source, "column 'w' is zero for every case", scores="n", sample_weight="w")
    refused(source, "column 'n' has negative weights (row 2)", scores="w", sample_weight="n")
    refused(source, "column 'one' holds one class only ('a')", truth="one", scores="w")


def test_too_many_labels(tmp_path):
    frame = pl.DataFrame({"y": np.arange(70_000), "s": np.zeros(70_000)})
    refused(frame, "column 'y' holds 70,000 different labels in 70,000 cases", "is it an identifier")


# what is wrong with the file


def test_a_missing_file(tmp_path):
    write(tmp_path, "y,s\n0,1\n", "predictions.csv")
    with pytest.raises(
        MissingFileError, match=r"There is no file '.*prediction\.csv'; did you mean 'predictions\.csv'"
    ):
        read(tmp_path / "prediction.csv", truth="y", scores="s")
    with pytest.raises(FileNotFoundError, match=r"did you mean 'predictions\.csv'"):
        read(tmp_path / "predictions.parquet", truth="y", scores="s")
    with pytest.raises(MissingFileError, match="check the path"):
        read(str(tmp_path / "something else.csv"), truth="y", scores="s")
    with pytest.raises(MissingFileError, match=r"nor a folder '.*nowhere'"):
        read(tmp_path / "nowhere" / "a.csv", truth="y", scores="s")


def test_a_folder(tmp_path):
    write(tmp_path, "y,s\n0,1\n", "one.csv")
    refused(tmp_path, "is a folder", "'one.csv'")
    (tmp_path / "empty.csv").mkdir()
    refused(tmp_path / "empty.csv", "is a folder; give the path of one file.")


@pytest.mark.parametrize("name", ["a", "a.csv.old", "a.gz", "a.parquet.gz", ".csv"])
def test_an_unknown_ending(name, tmp_path):
    refused(write(tmp_path, "y,s\n0,1\n", name), "is no known format; expected .csv, .tsv, .txt, .xlsx", ".gz")


def test_a_path_that_cannot_be():
    refused("x" * 5000 + ".csv", "cannot be read")
    refused("nul\0.csv", "There is no file")


@pytest.mark.parametrize(
    ("name", "make", "parts"),
    [
        ("a.parquet", lambda: b"y,s\n0,1\n", ["should be Parquet", "looks like text"]),
        ("a.parquet", lambda: b"PAR1 and then nothing of the kind", ["a.parquet' cannot be read"]),
        ("a.parquet", lambda: parquet_bytes()[:-20], ["a.parquet' cannot be read"]),
        ("a.parquet", lambda: b"\0\1\2\3" * 50, ["should be Parquet", "binary data"]),
        ("a.csv", lambda: parquet_bytes(), ["should be CSV", "looks like Parquet"]),
        ("a.csv", lambda: gzip.compress(b"y,s\n0,1\n"), ["should be CSV", "looks like gzip"]),
        ("a.jsonl", lambda: parquet_bytes(), ["should be JSON", "looks like Parquet"]),
        ("a.jsonl", lambda: b"y,s\n0,1\n", ["should be JSON", "looks like text"]),
        ("a.jsonl", lambda: b'{"y":1,"s":2}\n{"y":1,"s":\n', ["a.jsonl': line 2 is not a JSON record"]),
        ("a.jsonl", lambda: b'{"y":1,"s":2}\nnot json\n', ["line 2 is not a JSON record: 'not json'"]),
        ("a.jsonl", lambda: b'{"y":1,"s":2}\n{"y":"\xff"}\n', ["a.jsonl': line 2 is not a JSON record"]),
        ("a.jsonl", lambda: b'{"y":1,"y":2,"s":0}\n', ["a.jsonl' cannot be read", "duplicate key"]),
        ("a.jsonl", lambda: b"[1,2]\n[3,4]\n", ["line 1 is not a JSON record: '[1,2]'", "per line"]),
        ("a.json", lambda: b"[]", ["line 1 is not a JSON record: '[]'"]),
        ("a.json", lambda: b'[{"y":1},\n{"y":}]', ["a.json' cannot be read", "Malformed JSON"]),
        ("a.jsonl.gz", lambda: gzip.compress(b'{"y":1}\n' * 9)[:-9], ["damaged", "gzip"]),
        ("a.jsonl", lambda: b" \n ", ["is empty"]),
        ("a.csv.gz", lambda: b"y,s\n0,1\n", ["is not a gzip file"]),
        ("a.csv.gz", lambda: gzip.compress(b""), ["is empty"]),
        ("a.csv.gz", lambda: gzip.compress(parquet_bytes()), ["should be CSV", "looks like Parquet"]),
        ("a.csv.gz", lambda: gzip.compress(b"y,s\n0,1\n")[:-9], ["damaged", "gzip"]),
        ("a.csv.gz", lambda: zipped_rows()[:-2000], ["a.csv.gz' "]),
        ("a.csv.gz", lambda: b"\x1f\x8b" + b"junk" * 40, ["damaged", "gzip"]),
        ("a.jsonl.gz", lambda: b'{"y":1,"s":2}\n', ["is not a gzip file"]),
    ],
)
def test_a_file_that_is_not_what_its_ending_says(name, make, parts, tmp_path):
    message = refused(write(tmp_path, make(), name), *parts)
    assert "LINE 1" not in message
    assert "ignore_errors" not in message


def parquet_bytes():
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"y": [0, 1], "s": [0.5, 1.0]}), sink)
    return sink.getvalue().to_pybytes()


def zipped_rows():
    rng = np.random.default_rng(0)
    return gzip.compress(b"y,s\n" + b"".join(b"%d,%f\n" % (i % 2, x) for i, x in enumerate(rng.random(100_000))))


def test_a_parquet_file_with_two_columns_of_one_name(tmp_path):
    pq.write_table(pa.table([[0, 1], [0.5, 1.0], [0.5, 1.0]], names=["y", "s", "s"]), tmp_path / "a.parquet")
    refused(tmp_path / "a.parquet", "more than one column named 's'")


def test_a_parquet_file_with_nested_columns(tmp_path):
    table = pa.table({"deep": [{"a": {"b": 1}, "c": [1]}] * 2, "y": [0, 1], "list": [[1], [2]], "s": [0.5, 1.0]})
    pq.write_table(table, tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet", truth="y", scores="s").values["classifier"].tolist() == [0.5, 1.0]


# data frames


def test_a_frame_with_two_columns_of_one_name():
    refused(
        pd.DataFrame([[0, 1, 2], [1, 2, 3]], columns=["y", "s", "s"]), "the data frame has more than one column"
    )
    refused(pa.table([[0, 1], [0.5, 1.0], [0.5, 1.0]], names=["y", "s", "s"]), "more than one column named 's'")


@pytest.mark.parametrize("source", [None, 3, [1, 2], {"y": [0, 1]}, np.zeros((2, 2)), pl.Series([1])])
def test_what_is_neither_a_path_nor_a_frame(source):
    refused(source, "source must be the path of a file, a binary file object, a data frame", type(source).__name__)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_frame_without_rows(library):
    refused(library({"y": [], "s": []}), "the data frame has columns but no rows")


def test_pandas_in_all_its_kinds():
    frame = pd.DataFrame(
        {
            "y": pd.Categorical(["b", "a", "b"], categories=["b", "a", "unused"]),
            "s": pd.array([1, 2, 3], dtype="Int64"),
            "o": np.array(["u", "v", "u"], dtype=object),
            "complex": [1j, 2j, 3j],
            "period": pd.period_range("2020", periods=3),
        },
        index=[5, 5, 2],
    )
    got = read(frame, truth="y", scores="s", groups="o", pos_label="b")
    assert (got.labels, got.codes.tolist()) == (("a", "b"), [1, 0, 1])
    assert got.values["classifier"].tolist() == [1, 2, 3]
    assert got.groups.tolist() == [0, 1, 0]
    refused(frame, "the data frame cannot be read", "complex128", scores="complex")


def test_pandas_columns_that_are_not_named_by_text():
    got = read(pd.DataFrame({0: [0, 1], 1: [0.5, 1.0]}), truth="0", scores="1")
    assert got.values["classifier"].tolist() == [0.5, 1.0]


@pytest.mark.slow
def test_one_text_among_many_objects_is_found():
    values = np.full(200_001, 1.5, dtype=object)
    values[123_456] = "late"
    frame = pd.DataFrame({"y": np.arange(len(values)) % 2, "s": values})
    refused(frame, "column 's' must hold numbers", "'late' (row 123457)")


def test_polars_in_all_its_kinds():
    frame = pl.DataFrame(
        {
            "y": pl.Series(["b", "a", "b"], dtype=pl.Categorical),
            "s": pl.Series([1, 2, 3], dtype=pl.UInt8),
            "f": pl.Series([1, 2, 3], dtype=pl.Float32),
            "big": pl.Series([2**64 - 1, 2**63, 0], dtype=pl.UInt64),
            "d": pl.Series(["1.50", "2.50", "0.25"]).str.to_decimal(scale=2),
        }
    )
    got = read(frame, truth="y", scores={"s": "s", "f": "f", "d": "d"}, groups="big", case="big", pos_label="b")
    assert (got.labels, got.codes.tolist()) == (("a", "b"), [1, 0, 1])
    assert [values.tolist() for values in got.values.values()] == [[1, 2, 3], [1, 2, 3], [1.5, 2.5, 0.25]]
    assert got.groups.tolist() == [2, 1, 0]


def test_a_frame_is_not_changed():
    frame = pd.DataFrame({"y": [0, 1], "s": [0.5, 1.0]})
    before = frame.copy(deep=True)
    got = read(frame, truth="y", scores="s")
    got.values["classifier"][:] = -1
    pd.testing.assert_frame_equal(frame, before)


# what is imported


def run_alone(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_importing_imports_no_engine_and_files_need_no_frames(tmp_path):
    path = str(write(tmp_path, "y,s\n0,0.5\n1,1\n"))
    program = (
        "import sys\n"
        "from polyroc.io.read import read\n"
        "assert 'duckdb' not in sys.modules\n"
        f"print(read({path!r}, truth='y', scores='s'))\n"
        "assert not {'pandas', 'polars', 'pyarrow'} & set(sys.modules)\n"
    )
    done = run_alone(program)
    assert done.stderr == ""
    assert done.stdout == "Scores(2 cases (0: 1, 1: 1); score of classifier)\n"


@pytest.mark.slow
def test_polars_without_pyarrow():
    program = (
        "import sys\n"
        "sys.modules['pyarrow'] = None\n"
        "import polars\n"
        "from polyroc.io.read import read\n"
        "frame = polars.DataFrame({'y': ['a', 'b'], 's': [0, 1]})\n"
        "print(read(frame, truth='y', scores='s', pos_label='a'))"
    )
    done = run_alone(program)
    assert done.stderr == ""
    assert done.stdout == "Scores(2 cases (a: 1, b: 1); score of classifier)\n"


def test_a_list_that_names_only_some_classes_is_not_taken_by_position(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("y,p_a,p_c,p_x\na,0.6,0.3,0.1\nb,0.2,0.7,0.1\nc,0.2,0.2,0.6\n")
    options = {"truth": "y", "scores": ["p_a", "p_c", "p_x"], "labels": ["a", "b", "c"]}
    with pytest.raises(InputError, match="column 'p_x' belongs to no class and class 'b' has no column"):
        read(file, **options)
    file.write_text(file.read_text().replace("p_a,p_c,p_x", "first,second,third"))
    scores = read(file, **{**options, "scores": ["first", "second", "third"]})
    assert scores.values["classifier"][0].tolist() == [0.6, 0.3, 0.1]
