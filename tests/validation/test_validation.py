"""The door: every container gives the same Scores, and everything bad gives one clear error."""

import datetime as dt
import itertools
import subprocess
import sys
import tracemalloc
from collections import deque
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.dtypes import StringDType

import polyroc
from polyroc.errors import DroppedRowsWarning, InputError, PolyrocError
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.labels import Coded, encode
from polyroc.validation.predictions import match_columns
from polyroc.validation.scores import as_scores, normalise

NAN, INF = float("nan"), float("inf")
TEXT = ["b", "a", "c", "a", "b", "c"]
INTS = [1, 0, 2, 0, 1, 2]
BOOLS = [False, True, True, False, True, False]
SCORE = [0.25, 0.5, 1.0, 0.0, 0.75, 0.5]  # exact in half precision
MATRIX = [[0.25, 0.5, 0.25], [1, 0, 0], [0, 0.5, 0.5], [0.5, 0.25, 0.25], [0, 0.75, 0.25], [0, 0, 1]]
P = np.array(MATRIX)


def assert_same(result, expected):
    for one in ("labels", "names", "kind", "positive", "ordered", "dropped", "classifiers"):
        assert getattr(result, one) == getattr(expected, one)
    assert [type(label) for label in result.labels] == [type(label) for label in expected.labels]
    pairs = [(result.codes, expected.codes)]
    pairs += [(result.values[name], expected.values[name]) for name in result.values]
    pairs += [(result.sample_weight, expected.sample_weight), (result.groups, expected.groups)]
    for one, other in pairs:
        assert type(one) is type(other), "a plain array, or None"
        assert other is None or one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def dropping(*arguments, **options):
    with pytest.warns(DroppedRowsWarning):
        return normalise(*arguments, missing="drop", **options)


def refusal(*arguments, **options):
    """The message of the one error that this input must cause; a warning, an error too here, would not do."""
    with pytest.raises(PolyrocError) as caught:
        normalise(*arguments, **options)
    message = str(caught.value)
    assert isinstance(caught.value, ValueError)
    assert message.splitlines() == [message], "a message is one line"
    assert len(message) < 1000
    return message


def assert_says(message, parts):
    """The message contains these pieces, in this order."""
    for part in parts.split(" ... "):
        assert part in message
        message = message.partition(part)[2]


# What comes in: the true classes


def numpy(dtype):
    return lambda y: np.array(y, dtype=dtype)


def pandas(dtype):
    return lambda y: pd.Series(y, dtype=dtype)


def polars(dtype):
    return lambda y: pl.Series(y, dtype=dtype)


def chunks(y):
    whole = pa.array(y)
    return pa.chunked_array([whole[:2], whole[2:]])


def spaced(y):
    """Every second row of an array: not contiguous."""
    return np.repeat(np.asarray(y), 2, axis=0)[::2]


LIBRARIES = {  # what is made of a list of anything, holes or no holes
    "pandas": pd.Series,
    "pandas index": lambda y: pd.Series(y, index=[9, 9, 3, 2, 1, 0]),
    "pandas category": pandas("category"),
    "pandas frame": lambda y: pd.DataFrame({"y": pd.array(y)}),
    "polars": pl.Series,
    "polars frame": lambda y: pl.DataFrame({"y": y}),
    "pyarrow": pa.array,
    "pyarrow chunks": chunks,
    "pyarrow dictionary": lambda y: pa.array(y).dictionary_encode(),
    "pyarrow table": lambda y: pa.table({"y": y}),
    "pyarrow batch": lambda y: pa.record_batch({"y": y}),
}
PLAIN = {
    "tuple": tuple,
    "deque": deque,
    "rows": lambda y: [[label] for label in y],
    "numpy": np.array,
    "numpy scalars": lambda y: [*np.array(y[:2]), *y[2:]],
    "numpy column": lambda y: np.array(y).reshape(-1, 1),
    "numpy object": numpy(object),
    "numpy object column": lambda y: np.array(y, dtype=object).reshape(-1, 1),
    "numpy masked": np.ma.masked_array,
    "numpy spaced": spaced,
}
NULLABLE_TEXT = {
    **LIBRARIES,
    **{f"pandas {name}": pandas(name) for name in ("str", "object", "string", "string[pyarrow]")},
    "pandas Index": pd.Index,
    "pandas Categorical": pd.Categorical,
    "pandas other order": pandas(pd.CategoricalDtype(["z", "c", "a", "b"])),
    "pandas arrow dictionary": pandas(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
    "polars Categorical": polars(pl.Categorical),
    "numpy StringDType": numpy(StringDType(na_object=None)),
    "coded": lambda y: Coded(
        np.array([-1 if label is None else "czab".index(label) for label in y]), tuple("czab")
    ),
}
WHOLE = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4"]
NULLABLE_INTS = {
    **{name: make for name, make in LIBRARIES.items() if make is not pd.Series and name != "pandas index"},
    **{f"pandas {name}": pandas(name) for name in ("Int64", "int64[pyarrow]")},
    "pandas array": pd.array,
    "tuple": tuple,
}
NULLABLE_BOOLS = {
    **{name: make for name, make in LIBRARIES.items() if "dictionary" not in name},
    **{f"pandas {name}": pandas(name) for name in ("boolean", "bool[pyarrow]", "object")},
}
NULLABLE_FLOATS = {
    **{name: make for name, make in LIBRARIES.items() if "dictionary" not in name},
    **{f"pandas {name}": pandas(name) for name in ("float32", "Float32", "Float64", "double[pyarrow]", "object")},
    "polars Float32": polars(pl.Float32),
}
TEXT_FORMS = PLAIN | NULLABLE_TEXT
INT_FORMS = PLAIN | NULLABLE_INTS | {f"numpy {kind}": numpy(kind) for kind in WHOLE} | {"pandas": pd.Series}
FLOAT_FORMS = PLAIN | NULLABLE_FLOATS | {f"numpy {kind}": numpy(kind) for kind in ("f2", "f4", "f8", ">f8")}


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_text_labels(form):
    assert_same(normalise(TEXT_FORMS[form](TEXT), SCORE), normalise(TEXT, SCORE))


@pytest.mark.parametrize("form", NULLABLE_TEXT)
def test_text_labels_with_holes(form):
    holed = [*TEXT[:3], None, *TEXT[4:]]
    assert_same(dropping(NULLABLE_TEXT[form](holed), SCORE), dropping(holed, SCORE))


@pytest.mark.parametrize("labels", [(0, 1, 2), (3, 4, 100), (5, 7, 100)], ids=str)
@pytest.mark.parametrize("form", INT_FORMS)
def test_integer_labels(form, labels):
    y = [labels[i] for i in INTS]
    scores = normalise(INT_FORMS[form](y), SCORE)
    assert_same(scores, normalise(y, SCORE))
    assert scores.names == tuple(str(label) for label in labels)


@pytest.mark.parametrize("form", NULLABLE_INTS)
def test_integers_with_holes_stay_integers(form):
    """Not floats: '1.0' would match no column '1', and neighbours beyond 2**53 would become one."""
    holed = [0, None, 1, 2**60, 2**60 + 1, 1]
    scores = dropping(NULLABLE_INTS[form](holed), SCORE)
    assert_same(scores, dropping(holed, SCORE))
    assert scores.names == ("0", "1", str(2**60), str(2**60 + 1))


@pytest.mark.parametrize("form", PLAIN | NULLABLE_BOOLS)
def test_booleans(form):
    make = (PLAIN | NULLABLE_BOOLS)[form]
    scores = normalise(make(BOOLS), SCORE)
    assert_same(scores, normalise(BOOLS, SCORE))
    assert scores.names == ("False", "True")
    if form != "deque":
        assert_same(normalise(INTS, make(BOOLS)), normalise(INTS, [0, 1, 1, 0, 1, 0]))


@pytest.mark.parametrize("form", NULLABLE_BOOLS)
def test_booleans_with_holes(form):
    holed = [None, *BOOLS[1:]]
    assert_same(dropping(NULLABLE_BOOLS[form](holed), SCORE), dropping(holed, SCORE))
    assert_same(dropping(INTS, NULLABLE_BOOLS[form](holed)), dropping(INTS, [NAN, 1, 1, 0, 1, 0]))


@pytest.mark.parametrize("form", FLOAT_FORMS)
def test_float_labels(form):
    y = [-0.5, 0.0, 1.5, 0.0, 1.5, -0.5]
    assert_same(normalise(FLOAT_FORMS[form](y), SCORE), normalise(y, SCORE))


# What comes in: scores, weights and groups


SCORE_FORMS = FLOAT_FORMS | {
    "numpy longdouble": numpy(np.longdouble),
    "decimals": lambda y: [Decimal(score) for score in y],
    "fractions": lambda y: [Fraction(score) for score in y],
    "polars Decimal": lambda y: pl.Series([Decimal(score) for score in y]),
    "pyarrow decimal": lambda y: pa.array([Decimal(str(score)) for score in y]),
}


@pytest.mark.parametrize("form", SCORE_FORMS)
def test_scores(form):
    make = SCORE_FORMS[form]
    assert_same(normalise(BOOLS, make(SCORE)), normalise(BOOLS, np.array(SCORE)))
    scores = normalise(BOOLS, SCORE, sample_weight=make(SCORE), groups=make(SCORE))
    assert_same(scores, normalise(BOOLS, SCORE, sample_weight=SCORE, groups=SCORE))
    assert scores.groups.tolist() == [1, 2, 4, 0, 3, 2]


@pytest.mark.parametrize("kind", [*WHOLE, "bool", "f2", "f4", "f8"])
def test_scores_of_every_numpy_kind(kind):
    table = np.array([[0, 1], [1, 0], [1, 0], [0, 1], [1, 0], [0, 1]], dtype=kind)
    assert_same(normalise(BOOLS, table), normalise(BOOLS, table.astype(float)))
    assert_same(normalise(BOOLS, table[:, 0]), normalise(BOOLS, table[:, 0].astype(float)))


@pytest.mark.parametrize("form", NULLABLE_FLOATS)
def test_scores_with_holes(form):
    holed = NULLABLE_FLOATS[form]([SCORE[0], None, *SCORE[2:]])
    assert_same(dropping(BOOLS, holed), dropping(BOOLS, [SCORE[0], NAN, *SCORE[2:]]))


def test_ranges():
    assert_same(normalise(range(6), range(6)), normalise(np.arange(6), np.arange(6.0)))


def test_masked_arrays_are_missing_where_masked():
    masked = np.ma.masked_array(P, mask=False)
    masked[2, 1] = np.ma.masked
    assert_same(dropping(TEXT, masked), dropping(TEXT, masked.filled(NAN)))
    counts = np.ma.masked_array([5, 6, 7, 8, 9, 10], [0, 0, 0, 0, 0, 1])
    assert dropping(TEXT, counts).values["classifier"].tolist() == [5, 6, 7, 8, 9]
    assert dropping(counts, SCORE).labels == (5, 6, 7, 8, 9)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_numpy_matrices_are_arrays():
    assert_same(normalise(np.asmatrix(INTS).T, np.asmatrix(P)), normalise(INTS, P))


FRAMES = {
    "pandas": pd.DataFrame,
    **{
        f"pandas {d}": lambda t, d=d: pd.DataFrame(t).astype(d)
        for d in ("float32", "Float64", "double[pyarrow]", "O")
    },
    "pandas index": lambda table: pd.DataFrame(table, index=[5, 4, 3, 2, 1, 0]),
    "polars": pl.DataFrame,
    "polars Float32": lambda table: pl.DataFrame(table).cast(pl.Float32),
    "pyarrow": pa.table,
    "pyarrow batch": pa.record_batch,
    "pyarrow chunks": lambda table: pa.concat_tables([pa.table(table)[:2], pa.table(table)[2:]]),
}
BARE = {
    "lists": list,
    "tuples": lambda rows: tuple(tuple(row) for row in rows),
    "list of arrays": lambda rows: [np.array(row) for row in rows],
    "half": numpy("f2"),
    "single": numpy("f4"),
    "objects": numpy(object),
    "Fortran": np.asfortranarray,
    "spaced": spaced,
    "pandas": pd.DataFrame,
    "polars": lambda rows: pl.DataFrame(np.array(rows)),
}


@pytest.mark.parametrize("form", BARE)
def test_matrices(form):
    assert_same(normalise(TEXT, BARE[form](MATRIX)), normalise(TEXT, P))


@pytest.mark.parametrize("form", FRAMES)
def test_frames_are_matched_by_name(form):
    table = {"p_c": P[:, 2].tolist(), "p_a": P[:, 0].tolist(), "p_b": P[:, 1].tolist()}
    assert_same(normalise(TEXT, FRAMES[form](table)), normalise(TEXT, P))
    table["p_a"][4] = NAN if form == "pandas float32" else None
    expected = P.copy()
    expected[4, 0] = NAN
    assert_same(dropping(TEXT, FRAMES[form](table)), dropping(TEXT, expected))


def test_several_classifiers():
    one, two = (
        pd.DataFrame(P[:, [2, 0, 1]], columns=["c", "a", "b"]),
        pl.DataFrame(P[::-1], schema=["a", "b", "c"]),
    )
    scores = normalise(TEXT, {"one": one, "two": two})
    assert_same(scores, normalise(TEXT, {"one": P, "two": P[::-1]}))
    assert scores.classifiers == ("one", "two")
    assert normalise(TEXT, {1: SCORE, "1": SCORE}).classifiers == ("1", "'1'"), "no classifier may vanish"


def test_truth_and_scores_may_come_from_different_libraries():
    for one, other in itertools.product([pd.Series, pl.Series, pa.array, np.array, list], repeat=2):
        assert_same(normalise(one(INTS), other(SCORE)), normalise(INTS, SCORE))


def test_evaluate_takes_frames():
    y, frame = pd.Series(TEXT, dtype="category"), pl.DataFrame(P[:, ::-1], schema=["c", "b", "a"])
    expected = polyroc.evaluate(TEXT, MATRIX, measure="hand_till")
    assert polyroc.evaluate(y, frame, measure="hand_till").value == expected.value


# Which column is which class


def test_columns_may_be_named_by_integers():
    frame = pd.DataFrame(P[:, [2, 0, 1]], columns=[30, 10, 20])
    y = [20, 10, 30, 10, 20, 30]
    assert_same(normalise(y, frame), normalise(y, P))


def test_numbered_columns_are_names_where_they_fit_and_positions_elsewhere():
    frame = pd.DataFrame(MATRIX)
    assert_same(normalise(INTS, frame, labels=[2, 1, 0]), normalise(INTS, P[:, ::-1], labels=[2, 1, 0]))
    assert_same(normalise(TEXT, frame, labels=list("cba")), normalise(TEXT, P, labels=list("cba")))


def test_columns_match_integers_that_holes_made_floats():
    scores = dropping(pd.Series([NAN, *INTS[1:]]), pd.DataFrame(P[:, ::-1], columns=["p_2", "p_1", "p_0"]))
    np.testing.assert_array_equal(scores.values["classifier"], P[1:])


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        (["b", "a"], ["a", "b"]),
        (["p_b", "p_a"], ["a", "b"]),
        (["P(b|x)", "P(a|x)"], ["a", "b"]),
        (["data_b", "data_a"], ["a", "b"]),
        (["p_Iris-b", "p_Iris-a"], ["Iris-a", "Iris-b"]),
        (["p_aa", "p_a"], ["a", "aa"]),
        (["p_x", "p_"], ["", "x"]),
        (["p_1", "p_0"], [0, 1]),
        (["p_1", "p_0"], [0.0, 1.0]),
        (["1.0", "0.0"], [0.0, 1.0]),
        (["p_True", "p_False"], [False, True]),
        (["p_'1'", "p_1"], [1, "1"]),
        (["ä", "日本"], ["日本", "ä"]),
    ],
)
def test_columns_are_matched_by_name(columns, labels):
    assert match_columns(columns, labels, "y_score") == [1, 0]


NAME = st.text("ab1_", max_size=4)


@given(st.lists(NAME, min_size=2, max_size=6, unique=True).flatmap(lambda y: st.permutations(y)), NAME, NAME)
def test_whatever_all_names_have_added_they_are_matched(labels, head, tail):
    columns = [head + label + tail for label in sorted(labels)]
    assert match_columns(columns, labels, "y_score") == [sorted(labels).index(label) for label in labels]


# Labels of any kind


class Colour(Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    "labels",
    [
        ("", " ", "ä", "日本", "🙂"),
        (-7, -3, 0, 12),
        (-(2**62), 0, 2**62),
        (0, 2**63, 2**64 - 1),
        (-1, 2**63, 2**63 + 1),
        (10**30, 10**30 + 1),
        (1, 2.5, 3),
        (2**53, 2**53 + 1, 1e300),
        (-INF, 0.0, INF),
        (False, True),
        (b"a", b"b"),
        (("a", 1), ("a", 2), ("b",)),
        (Fraction(1, 3), Decimal("0.5")),
        (dt.date(2020, 1, 1), dt.date(2021, 1, 1)),
    ],
    ids=str,
)
def test_labels_of_any_kind_are_sorted(labels):
    y = [*reversed(labels), *labels]
    scores = normalise(y, range(len(y)), pos_label=labels[0] if len(labels) == 2 else None)
    assert scores.labels == labels
    assert [type(label) for label in scores.labels] == [type(label) for label in labels]
    assert [scores.labels[code] for code in scores.codes] == y


@pytest.mark.parametrize("low", [0, 250, 2**63 - 2, 2**64 - 4])
def test_the_biggest_integers_of_numpy(low):
    y = np.array([low + 2, low, low + 3], dtype=np.uint64)
    assert normalise(y, SCORE[:3]).labels == (low, low + 2, low + 3)


def test_the_whole_range_of_small_integers():
    y = np.tile(np.arange(-128, 128).astype(np.int8), 2)
    assert normalise(y, np.arange(512)).codes.tolist() == [*range(256), *range(256)]


class TestIdentifiers:
    """Labels that are nearly as many as cases, or too many for predictions without a column for each."""

    NAMES = tuple(f"case {i}" for i in range(60_000))

    @pytest.mark.parametrize("n", [21, 300, 10_000, 60_000])
    @pytest.mark.parametrize("kind", ["score", "matrix", "decisions"])
    def test_as_truth(self, n, kind):
        names = self.NAMES[:n]
        predictions = {"score": np.arange(n), "matrix": np.ones((n, 3)), "decisions": names[::-1]}[kind]
        with pytest.raises(
            InputError, match=f"y_true holds {n:,} different labels in {n:,} cases; is it an ident"
        ):
            polyroc.evaluate(names, predictions)

    def test_many_decisions(self):
        y = np.array(self.NAMES[:10_000])[np.arange(60_000) % 10_000]
        with pytest.raises(
            InputError, match=r"10,000 different labels in 60,000 cases.*need one column of predic"
        ):
            polyroc.rates(y, y)

    def test_that_are_classes(self):
        """A thousand in enough cases, those with a column for each, and those that are named."""
        y = np.array(self.NAMES[:1000])[np.arange(3000) % 1000]
        assert polyroc.evaluate(y, y, measure="accuracy", method=None).value == 1
        names = self.NAMES[:25]
        assert normalise(names, np.eye(25)).n_classes == 25
        assert normalise(names, names, labels=names).n_classes == 25
        assert normalise([*names, *names], np.arange(50)).n_classes == 25
        assert normalise(names[:20], np.arange(20)).n_classes == 20

    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    @pytest.mark.parametrize("scores", ["s", ["p", "q"]])
    @pytest.mark.parametrize("n", [300, 70_000])
    def test_of_a_file(self, tmp_path, engine, scores, n):
        columns = {"id": [f"case {i}" for i in range(n)], **dict.fromkeys("spq", np.arange(n) / n)}
        pd.DataFrame(columns).to_parquet(tmp_path / "a.parquet")
        with pytest.raises(
            InputError, match=r"column 'id' holds .* different labels.* is it an identifier.*"
        ) as error:
            polyroc.evaluate(tmp_path / "a.parquet", truth="id", scores=scores, engine=engine)
        assert "truth=..." in str(error.value)

    def test_of_a_tally(self):
        tally = polyroc.Tally(self.NAMES[:10_000])
        with pytest.raises(
            polyroc.errors.OutOfSpaceError, match=r"counts of 10,000 classes in 10,000 columns take .* GB"
        ):
            tally.update(self.NAMES[:2], np.zeros((2, 10_000)))

    def test_memory_of_decisions(self, monkeypatch):
        monkeypatch.setattr("polyroc.validation.predictions.machine_memory", lambda: 1000)
        with pytest.raises(
            polyroc.errors.OutOfSpaceError, match=r"100 decisions for 2 classes take .* GB, more than half"
        ):
            polyroc.evaluate(["a", "b"] * 50, ["a", "b"] * 50)


KINDS = [
    st.integers(),
    st.integers(-300, 300),
    st.text(max_size=2),
    st.floats(allow_nan=False),
    st.one_of(st.integers(), st.booleans(), st.floats(allow_nan=False)),
    st.tuples(st.integers(0, 3), st.text("ab", max_size=1)),
]


@given(st.one_of([st.lists(kind, min_size=3) for kind in KINDS]).filter(lambda y: len(set(y)) > 2))
def test_codes_agree_with_labels(y):
    scores = normalise(y, range(len(y)))
    assert [scores.labels[code] for code in scores.codes] == y
    assert list(scores.labels) == sorted(set(y))


@pytest.mark.parametrize("hole", [None, NAN, np.float32(NAN), pd.NA, pd.NaT, Decimal("nan")], ids=repr)
@pytest.mark.parametrize("labels", [("a", "b"), (0, 1), (False, True), (("a",), ("b",))], ids=str)
def test_missing_labels(hole, labels):
    scores = dropping([labels[1], hole, labels[0], hole], SCORE[:4], pos_label=labels[0])
    assert scores.labels == labels
    assert scores.names == tuple(str(label) for label in labels)
    assert scores.codes.tolist() == [1, 0]


def test_dates_are_labels_and_groups():
    days = np.array(["2021-01-01", "2020-01-01", "NaT", "2021-01-01"], dtype="M8[D]")
    assert dropping(days, range(4), pos_label=dt.date(2020, 1, 1)).positive == 0
    for stamps in (days, days.astype("M8[ns]"), pd.Series(days), pl.Series(days)):
        assert dropping([0, 1, 1, 1], range(4), groups=stamps).groups.tolist() == [1, 0, 1]


def test_one_and_true_are_one_label():
    assert normalise([True, 1, 0, False], SCORE[:4]).labels == (0, 1)
    assert normalise([True, False], [1, 2], labels=[0, 1]).codes.tolist() == [1, 0]
    assert "each once" in refusal([0, 1], [1, 2], labels=[1, True])


def test_labels_that_print_the_same_are_distinguished():
    scores = normalise([1, "1", 1, "1"], SCORE[:4], labels=[1, "1"])
    assert scores.codes.tolist() == [0, 1, 0, 1]
    assert scores.names == ("1", "'1'")


@pytest.mark.parametrize("y", [[1, "a", 1], [(1,), "a", 2], [Colour.RED, Colour.BLUE, Colour.RED]], ids=str)
def test_labels_without_an_order_need_one(y):
    kind = type(y[0]).__name__
    assert_says(refusal(y, [1, 2, 3]), f"y_true holds labels that cannot be sorted ... {kind} ... labels=[...]")
    scores = normalise(y, [1, 2, 3], labels=list(dict.fromkeys(y))[::-1])
    assert [scores.labels[code] for code in scores.codes] == y
    assert scores.labels[-1] == y[0]


@pytest.mark.parametrize("labels", [["c", "a", "b"], [2, 0, 1]], ids=str)
@pytest.mark.parametrize(
    "make", [list, tuple, np.array, pd.Index, pd.Series, pandas("category"), pl.Series, pa.array]
)
def test_labels_give_the_order(make, labels):
    scores = normalise([labels[1], labels[0], labels[2]], SCORE[:3], labels=make(labels))
    assert scores.labels == tuple(labels)
    assert [type(label) for label in scores.labels] == [type(label) for label in labels]
    assert scores.codes.tolist() == [1, 0, 2]
    assert scores.ordered


def test_labels_may_name_classes_without_cases():
    scores = normalise(["b", "d"], [[0, 0, 1, 0], [0, 0, 0, 1]], labels=["d", "c", "b", "a"])
    assert scores.absent == ("c", "a")
    assert scores.codes.tolist() == [2, 0]
    assert normalise(["b", "b"], [1, 2], labels=["a", "b"]).cases == {"a": 0, "b": 2}


def test_numbers_are_the_same_label_in_any_type():
    labels = np.array([2, 1, 0], dtype=np.int8)
    assert normalise(np.array([0.0, 1.0, 2.0]), SCORE[:3], labels=labels).codes.tolist() == [2, 1, 0]
    assert normalise([0, 1], [1, 2], pos_label=np.int64(0)).positive == 0


# Decisions


@pytest.mark.parametrize("form", [form for form in TEXT_FORMS if form != "deque"])
def test_text_scores_are_decisions(form):
    message = TEXT_FORMS[form](TEXT)
    scores = normalise(TEXT[::-1], message)
    assert scores.kind == "decisions"
    assert scores.values["classifier"].tolist() == np.eye(3)[INTS].tolist()
    assert_same(normalise(TEXT, {"p": message, "q": TEXT}), normalise(TEXT, {"p": TEXT, "q": TEXT}))


@pytest.mark.parametrize("form", NULLABLE_TEXT)
def test_decisions_with_holes(form):
    scores = dropping(TEXT, NULLABLE_TEXT[form](["b", None, *TEXT[2:]]))
    assert scores.values["classifier"].tolist() == np.eye(3)[[1, 2, 0, 1, 2]].tolist()


def test_bytes_are_decisions_too():
    y = [b"b", b"a", b"b"]
    for decisions in (y, np.array(y), np.array(y, dtype=object)):
        assert normalise(y, decisions).values["classifier"].tolist() == [[0, 1], [1, 0], [0, 1]]


def test_coded_decisions():
    message = Coded(np.array([0, 1, -1, 0]), (7, 5))
    scores = dropping([5, 6, 7, 7], message, labels=[7, 6, 5])
    assert scores.kind == "decisions"
    assert scores.values["classifier"].tolist() == [[1, 0, 0], [0, 0, 1], [1, 0, 0]]
    assert "y_score holds 5 (position 1), which is not one of the classes [6, 7]" in refusal([6, 7, 7, 7], message)
    assert "y_true has 3 cases but y_score has 4" in refusal([5, 6, 7], message)


def test_coded_labels_may_be_small_integers():
    codes = np.arange(128, dtype=np.int8)
    coded = Coded(np.tile(codes, 2), tuple(range(128)))
    assert normalise(coded, np.arange(256)).codes.tolist() == [*codes.tolist()] * 2


def test_coded_groups_need_no_labels():
    codes = np.array([4, 0, 4], dtype=np.int32)
    assert normalise([0, 1, 1], [1, 2, 3], groups=Coded(codes, ())).groups.tolist() == [4, 0, 4]


# The positive class


@pytest.mark.parametrize("y", [[0, 1], [-1, 1], [False, True], [0.0, 1.0], np.array([0, 1], "u1")], ids=str)
def test_conventional_positive_classes(y):
    assert normalise(y, [1, 2]).positive == 1


@pytest.mark.parametrize(
    ("y", "pos_label"),
    [([0, 1], 0), ([False, True], False), ([0, 1], False), ([0.0, 1.0], 0), (["", "x"], ""), ([(), (1,)], ())],
)
def test_the_positive_class_as_stated(y, pos_label):
    assert normalise(y, [1, 2], pos_label=pos_label).positive == 0
    assert normalise(y, [1, 2], pos_label=y[1]).positive == 1
    assert normalise(y, [[1, 2], [2, 1]], pos_label=pos_label).positive == 0
    assert normalise(y, [1, 2], labels=y, pos_label=pos_label).positive == 0
    assert normalise(y, [1, 2], labels=y[::-1], pos_label=pos_label).positive == 1


@pytest.mark.parametrize("y", [["case", "control"], [1, 2], [0, 2], [-1, 0], [0.0, 0.5]], ids=str)
def test_other_classes_need_pos_label(y):
    expected = (
        f"The positive class is ambiguous: y_true takes values in {{{y[0]!r}, {y[1]!r}}} and pos_label is not"
    )
    assert_says(refusal(y, [1, 2]), f"{expected} ... high values of y_score ... pos_label={y[1]!r} or {y[0]!r}")
    assert normalise(y, [1, 2], labels=y).positive == 1
    assert normalise(y, [1, 2], labels=y[::-1]).positive == 1, "the last of the labels given"
    assert normalise(y, [[1, 2], [2, 1]]).positive is None, "a matrix has a column for each"


def test_three_classes_have_no_positive_one():
    assert normalise(TEXT, SCORE).positive is None
    assert normalise(TEXT, SCORE, labels=["a", "b", "c"]).positive is None


@pytest.mark.parametrize("pos_label", ["1", 2, NAN, pd.NA, [1], np.array([0, 1]), {}], ids=repr)
def test_pos_label_must_be_a_class(pos_label):
    assert_says(refusal([0, 1], [1, 2], pos_label=pos_label), "pos_label must be one of the classes ... [0, 1]")


# What is refused


class Foreign:
    """A data frame of a library we do not know: as a mere array it would lose the names of its columns."""

    columns = ("1", "0")

    def __array__(self, dtype=None, copy=None):
        return np.array(ROWS)


DAYS = np.array(["2020-01-01"] * 4, "M8[ns]")
ROWS = [[1, 0], [0, 1], [0, 1], [1, 0]]
FEW = [1, 2, 3, 4]
NOT_ARRAY = "y_score must be a list, an array"
NOT_NUMBERS = "y_score must hold numbers, but holds"
BAD_SCORES = {
    "nan": ([1, NAN, 2, NAN], "y_score has missing values (positions 1, 3) ... 2 of 4 rows ... missing='drop'"),
    "None": ([1, None, 2, 3], "y_score has missing values (position 1) ... 1 of 4 rows ... missing='drop'"),
    "infinity": ([1, INF, -INF, 2], "y_score holds infinity (positions 1, 2) ... finite number ... replace"),
    "huge": ([1, 10**400, 2, 3], "y_score holds infinity (position 1)"),
    "infinite half": (np.array([1, INF, 2, 3], "f2"), "y_score holds infinity (position 1)"),
    "huge long double": (np.array(["1e4000", "1", "2", "3"], "g"), "y_score holds infinity (position 0)"),
    "short": ([1, 2], "y_true has 4 cases but y_score has 2 ... one row of scores per case"),
    "empty": ([], "y_true has 4 cases but y_score has 0"),
    "transposed": (np.zeros((2, 4)), "y_true has 4 cases but y_score has 2"),
    "three columns": (np.zeros((4, 3)), "y_score has 3 columns but there are 2 classes [0, 1] ... labels=[...]"),
    "no columns": (np.zeros((4, 0)), "y_score has 0 columns but there are 2 classes"),
    "frame without columns": (pd.DataFrame(index=FEW), "a data frame without columns; give one column per class"),
    "3-D": (np.zeros((4, 2, 2)), "y_score must be 1-D or 2-D (cases x classes), got shape (4, 2, 2) ... mapping"),
    "0-D": (np.array(1.0), "y_score must be 1-D or 2-D (cases x classes), got shape ()"),
    "scalar": (0.5, f"{NOT_ARRAY} ... got float ... convert it to"),
    "text": ("0.5", f"{NOT_ARRAY} ... got str"),
    "set": ({1, 2, 3, 4}, f"{NOT_ARRAY} ... got set"),
    "generator": ((x for x in FEW), f"{NOT_ARRAY} ... got generator"),
    "nothing": (None, f"{NOT_ARRAY} ... got NoneType"),
    "lazy frame": (pl.LazyFrame({"0": FEW, "1": FEW}), f"{NOT_ARRAY} ... in memory ... got LazyFrame"),
    "unknown frame": (Foreign(), f"{NOT_ARRAY} ... in memory ... got Foreign"),
    "no classifier": ({}, "y_score is an empty mapping; give at least one classifier's scores"),
    "ragged": ([[1, 2], [1], [1, 2], [1, 2]], "y_score has rows of different lengths; every case needs the same"),
    "partly nested": ([[1, 2], 1, 2, 3], "y_score has rows of different lengths"),
    "complex": (
        np.array(FEW) + 1j,
        f"{NOT_NUMBERS} (1+1j) (positions 0, 1, 2 and 1 more); convert it to a number",
    ),
    "complex list": ([1j, 2, 3, 4], f"{NOT_NUMBERS} 1j (position 0)"),
    "complex object": (np.array([1, np.complex64(1), 2, 3], object), f"{NOT_NUMBERS} ... (position 1)"),
    "dates": (DAYS, f"{NOT_NUMBERS} '2020-01-01T"),
    "dates of pandas": (pd.Series(DAYS), f"{NOT_NUMBERS} '2020-01-01T"),
    "dates in a frame": (pd.DataFrame({0: FEW, 1: DAYS}), f"{NOT_NUMBERS} '2020-01-01T"),
    "durations": (np.array(FEW, "m8[s]"), NOT_NUMBERS),
    "list of durations": (list(np.array(FEW, "m8[s]")), NOT_NUMBERS),
    "records": (np.zeros(4, dtype="f8,f8"), f"{NOT_NUMBERS} (0.0, 0.0)"),
    "objects": ([object(), 1, 2, 3], f"{NOT_NUMBERS} <object object ... (position 0)"),
    "arrays": (np.array([1, np.zeros((2, 2)), 2, 3], object), f"{NOT_NUMBERS} array( ... (position 1)"),
    "lists in polars": (pl.Series([[1], [1, 2], [], []]), NOT_NUMBERS),
    "too big for numpy": (
        polars(pl.Int128)([2**100, 1, 2, 3]),
        "y_score (Series) cannot be converted to a numpy array",
    ),
    "text in lists": ([[1, "x"], *ROWS[1:]], f"{NOT_NUMBERS} 'x' (position 0)"),
    "text in objects": (np.array([*ROWS[:3], [1, "0"]], object), f"{NOT_NUMBERS} '0' (position 3)"),
    "text in a frame": (pd.DataFrame({0: FEW, 1: [1, "?", 2, 3]}), f"{NOT_NUMBERS} '?' (position 1)"),
    "numbers as text": ([["1", "0"]] * 4, f"{NOT_NUMBERS} '1' (positions 0, 1, 2 and 1 more)"),
    "numbers as numpy text": (np.array([["1", "0"]] * 4), f"{NOT_NUMBERS} '1'"),
    "no such class": (list("xyyx"), "y_score holds 'x' (positions 0, 3) ... classes [0, 1] ... as numbers"),
    "no such class in bytes": (np.array([b"x"] * 4), "y_score holds b'x' ... not one of the classes [0, 1]"),
    "text among numbers": ([1, "x", 0, 1], "y_score holds 'x' (position 1) ... not one of the classes [0, 1]"),
    "two kinds": (
        {"p": FEW, "q": ROWS},
        "the same kind of scores, got p: score, q: matrix; evaluate them separately",
    ),
    "hole in one": ({"p": FEW, "q": [1, 2, 3, NAN]}, "y_score['q'] has missing values (position 3)"),
    "one too short": ({"p": FEW, "q": [1, 2]}, "y_true has 4 cases but y_score['q'] has 2"),
    "a name twice": (pd.DataFrame(ROWS, columns=["0", "0"]), "two columns of the same name; rename one"),
    "a name twice as text": (pd.DataFrame(ROWS, columns=[1, "1"]), "y_score has two columns of the same name"),
}


@pytest.mark.parametrize("case", BAD_SCORES)
def test_bad_scores_are_rejected(case):
    y_score, expected = BAD_SCORES[case]
    assert_says(refusal([0, 1, 1, 0], y_score), expected)


NOT_LABELS = "y_true must hold one label per case (1-D), got shape"
BAD_TRUTHS = {
    "empty": ([], "y_true is empty; give cases of at least two classes"),
    "empty array": (np.array([]), "y_true is empty"),
    "empty series": (pl.Series([], dtype=pl.Int64), "y_true is empty"),
    "one class": (["a"] * 3, "y_true holds one class only ('a') ... at least two classes ... labels=[...]"),
    "one number": (np.array([3, 3, 3]), "y_true holds one class only (3)"),
    "one class and a hole": (["a", None, "a"], "y_true holds one class only ('a')"),
    "holes only": ([None, NAN, None], "y_true holds no label at all"),
    "masks only": (pd.Series([pd.NA] * 3, dtype="Int64"), "y_true holds no label at all"),
    "hole": ([0, None, 1], "y_true has missing values (position 1) ... 1 of 3 rows ... missing='drop'"),
    "scalar": (1, "y_true must be a list, an array ... got int"),
    "string": ("aba", "y_true must be a list, an array ... got str"),
    "bytes": (b"aba", "y_true must be a list, an array ... got bytes"),
    "dict": ({"a": 1, "b": 2}, "y_true must be a list, an array ... got dict"),
    "nothing": (None, "y_true must be a list, an array ... got NoneType"),
    "0-D": (np.array(1), f"{NOT_LABELS} ()"),
    "two columns": (np.zeros((3, 2)), f"{NOT_LABELS} (3, 2); give one column"),
    "two columns in lists": ([[0, 1], [1, 0], [1, 1]], f"{NOT_LABELS} (3, 2)"),
    "two columns in a frame": (pl.DataFrame(np.zeros((3, 2))), f"{NOT_LABELS} (3, 2)"),
    "ragged": ([[0], [1, 2], [1]], "y_true has rows of different lengths"),
    "sets": ([{"a"}, {"b"}, {"a"}], "y_true holds {'a'}, a set, which cannot be a label; use strings"),
    "list in a tuple": ([(1, 2), (1, [2]), (1, 3)], "y_true holds (1, [2]), a tuple, which cannot be a label"),
    "dicts": (np.array([{}, 1, 2], dtype=object), "y_true holds {}, a dict, which cannot be a label"),
    "lists in polars": (pl.Series([[1], [1, 2], [3]]), "y_true holds array( ... which cannot be a label"),
}


@pytest.mark.parametrize("case", BAD_TRUTHS)
def test_bad_labels_are_rejected(case):
    y_true, expected = BAD_TRUTHS[case]
    assert_says(refusal(y_true, [1, 2, 3]), expected)


UNKNOWN = (
    "y_true holds 'c' (positions 2, 5), which is not among labels ['a', 'b']; add it there, or correct the data"
)
BAD_OPTIONS = {
    "labels as a set": ({"labels": {"a", "b"}}, "labels must be a list, since a set has no order"),
    "labels as a frozen set": ({"labels": frozenset("ab")}, "labels must be a list, since a set has no order"),
    "labels as text": ({"labels": "abc"}, "labels must be a list ... got str"),
    "labels 2-D": ({"labels": [["a", "b"], ["c", "d"]]}, "labels must hold one label ... shape (2, 2)"),
    "one label": ({"labels": ["a"]}, "labels must name at least two classes ... got ['a']"),
    "no label": ({"labels": []}, "labels must name at least two classes ... got []"),
    "a label twice": ({"labels": ["b", "a", "b"]}, "each once, got ['b', 'a', 'b']"),
    "a label missing": ({"labels": ["a", "b", None]}, "labels holds a missing value ... leave it out"),
    "a label unhashable": ({"labels": [{}, "b", "c"]}, "labels holds {}, a dict, which cannot be a label"),
    "a label unknown": ({"labels": ["a", "b"]}, UNKNOWN),
    "labels of another kind": (
        {"labels": [0, 1, 2]},
        "y_true holds 'a' (positions 1, 3) ... not among labels [0, 1, 2]",
    ),
    "pos_label of three": (
        {"pos_label": "a"},
        "pos_label is for two classes, but there are 3: ['a', 'b', 'c']; leave",
    ),
    "weights short": ({"sample_weight": [1, 2]}, "sample_weight must hold one number per case ... (6,) ... (2,)"),
    "weights 2-D": ({"sample_weight": P}, "sample_weight must hold one number per case ... got shape (6, 3)"),
    "weights scalar": ({"sample_weight": 2}, "sample_weight must be a list ... got int"),
    "weights negative": (
        {"sample_weight": [1, -1, 1, -2, 1, 1]},
        "negative weights (positions 1, 3) ... 0 or more",
    ),
    "weights zero": ({"sample_weight": [0] * 6}, "sample_weight is zero for every case; give"),
    "weights nan": ({"sample_weight": [1, 1, NAN, 1, 1, 1]}, "sample_weight has missing values (position 2)"),
    "weights infinite": ({"sample_weight": [1, INF, 1, 1, 1, 1]}, "sample_weight holds infinity (position 1)"),
    "weights text": (
        {"sample_weight": [*SCORE[1:], "x"]},
        "sample_weight must hold numbers, but holds 'x' (position 5)",
    ),
    "groups short": ({"groups": [1, 2]}, "groups must name one group per case (6), got 2"),
    "groups empty": ({"groups": []}, "groups must name one group per case (6), got 0"),
    "groups missing": (
        {"groups": [1, None, 1, 2, 2, 2]},
        "groups has missing values (position 1) ... missing='drop'",
    ),
    "groups unhashable": ({"groups": [{}] * 6}, "groups holds {}, a dict, which cannot be a label"),
    "groups 2-D": ({"groups": P}, "groups must hold one label per case (1-D), got shape (6, 3)"),
    "missing misspelt": ({"missing": "omit"}, "missing must be 'raise' or 'drop', got 'omit'"),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options_are_rejected(case):
    options, expected = BAD_OPTIONS[case]
    assert_says(refusal(TEXT, SCORE, **options), expected)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("a b d", "column 'd' belongs to no class and class 'c' has no column. Name ... labels=[...]"),
        ("a b c id", "column 'id' belongs to no class. "),
        ("a b", "class 'c' has no column. "),
        ("p_a p_b p_d", "column 'p_d' belongs to no class and class 'c' has no column"),
        ("p_a q_b p_c", "column 'q_b' belongs to no class and class 'b' has no column"),
        ("p0 p1 p2", "columns ['p0', 'p1', 'p2'] of y_score do not match ... as a dict, {'NAME': column, ...}."),
    ],
)
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_columns_that_match_no_class_are_rejected(columns, expected, make):
    assert_says(refusal(["a", "b", "c"], make({name: [1, 2, 3] for name in columns.split()})), expected)


def test_messages_stay_short():
    many = np.arange(1000)
    assert_says(
        refusal(np.tile(many, 2), np.zeros((2000, 3))), "3 columns but there are 1000 classes [0, 1, 2 ... 9, ...]"
    )
    refusal(many, np.zeros(1000), labels=range(999))
    refusal(many, [str(i) for i in many])
    refusal(
        many[:200],
        pd.DataFrame(np.zeros((200, 200))).add_prefix("x" * 100).rename(columns=lambda name: name[:-1] * 2),
    )
    refusal(["x" * 5000, "y" * 5000], [1, 2])
    refusal(["a\nb", "c\nd"], [1, 2])


def test_words_name_the_arguments():
    arguments = ArgumentNames(truth="Y", scores="S", weight="W", groups="G", row="row", first=2)
    assert refusal([0, 1, 1], [1, NAN, NAN], arguments=arguments).startswith("S has missing values (rows 3, 4)")
    assert refusal([0, None, 1], [1, 2, 3], arguments=arguments).startswith("Y has missing values (row 3)")
    assert refusal([0, 1], [1, 2], sample_weight=[1, -1], arguments=arguments).startswith(
        "W has negative weights (row 3)"
    )
    assert refusal([0, 1], [1, 2], groups=[1], arguments=arguments).startswith("G must name one group")


@pytest.mark.parametrize("option", ["pos_label", "labels", "sample_weight", "groups"])
def test_scores_hold_everything_already(option):
    scores = normalise([0, 1], [1, 2])
    value = {"pos_label": False, "labels": [0, 1], "sample_weight": np.ones(2), "groups": [1, 2]}[option]
    assert as_scores(scores, None, **{option: None}, missing="raise") is scores
    with pytest.raises(InputError, match=f"Scores cannot be combined with {option}; pass these to polyroc.read"):
        polyroc.evaluate(scores, **{option: value})
    with pytest.raises(InputError, match=f"combined with y_score, {option}; pass"):
        as_scores(scores, [1, 2], **{option: value})


def test_forgotten_scores():
    with pytest.raises(InputError, match=r"y_score is missing; pass \(y_true, y_score\)"):
        polyroc.evaluate([0, 1])
    with pytest.raises(InputError, match=r"y_score must be a list.*got Scores"):
        polyroc.evaluate([0, 1], normalise([0, 1], [1, 2]))


# Missing values


def test_rows_are_dropped_from_all_at_once():
    p, q = np.arange(14.0).reshape(7, 2), np.arange(14.0).reshape(7, 2)
    p[1, 0] = q[3, 1] = NAN
    weight, groups = [1, NAN, 1, 1, NAN, 2, 3], ["g", "g", "g", "g", "g", None, "h"]
    with pytest.warns(DroppedRowsWarning) as caught:
        scores = normalise(
            [0, 1, None, 0, 1, 0, 1], {"p": p, "q": q}, sample_weight=weight, groups=groups, missing="drop"
        )
    counts = "y_score['p']: 1, y_score['q']: 1, sample_weight: 2, y_true: 1, groups: 1"
    assert [str(record.message) for record in caught] == [f"Dropped 5 of 7 rows with missing values ({counts})."]
    assert scores.dropped == 5
    assert scores.codes.tolist() == [0, 1]
    assert [values.tolist() for values in scores.values.values()] == [[[0, 1], [12, 13]]] * 2
    assert scores.sample_weight.tolist() == [1, 3]
    assert scores.groups.tolist() == [0, 1]


def test_no_warning_where_nothing_is_dropped():
    assert normalise(TEXT, SCORE, missing="drop").dropped == 0


def test_a_class_that_loses_all_its_cases_stays_a_class():
    assert dropping(["a", "b", "c"], [1, 2, NAN]).cases == {"a": 1, "b": 1, "c": 0}


def test_dropping_has_limits():
    nothing = "Every row has a missing value"
    assert nothing in refusal([0, None, 1], [NAN, 1, NAN], missing="drop")
    assert nothing in refusal([None, None], [1, 2], labels=[0, 1], missing="drop")
    assert nothing in refusal([0, 1], [1, 2], sample_weight=[NAN, NAN], missing="drop")
    assert "holds infinity (position 1)" in refusal([0, None, 1], [NAN, INF, 1], missing="drop")
    with pytest.warns(DroppedRowsWarning), pytest.raises(InputError, match="zero for every case"):
        normalise([0, 1, 1], [1, 2, 3], sample_weight=[0, 0, NAN], missing="drop")


def test_no_warning_comes_before_an_error():
    assert "use pos_label=" in refusal(["a", "b", "a"], [1, 2, NAN], missing="drop")


@pytest.mark.parametrize("call", [normalise, as_scores, polyroc.evaluate])
def test_the_warning_points_at_the_caller(call):
    with pytest.warns(DroppedRowsWarning, match=r"Dropped 1 of 5 rows .*\(y_score: 1\)") as caught:
        call([0, 1, 1, 0, 1], [1, 2, 3, 4, NAN], missing="drop")
    assert [warning.filename for warning in caught] == [__file__]


def test_what_was_dropped_is_in_the_provenance():
    with pytest.warns(DroppedRowsWarning):
        evaluation = polyroc.evaluate([0, 1, 1, 0, 1], [1, 2, 3, 4, NAN], measure="auc", missing="drop")
    assert evaluation.provenance.dropped == 1


# Inputs stay as they are


def frozen(values, dtype=None):
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize("missing", ["raise", "drop"])
@pytest.mark.parametrize("table", [P, P > 0.3, np.asfortranarray(P)], ids=["floats", "booleans", "Fortran"])
@pytest.mark.parametrize("kind", ["i1", "i8", "f8", "U1", "O"])
def test_read_only_arrays_are_left_alone(kind, table, missing):
    arrays = y, scores, weight = frozen(INTS, kind), frozen(table), frozen([1, 2, 3, 4, 0, 1.0])
    before = [array.copy() for array in arrays]
    normalise(y, scores, sample_weight=weight, groups=y, labels=frozen([2, 1, 0], kind), missing=missing)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_inputs_with_holes_are_left_alone():
    y, score, weight = [0, 1, None, 1], [1, NAN, 2, 3], [1, 2, 3, None]
    arrays = frozen(y, object), frozen(score), frozen(weight, object)
    masked = np.ma.masked_array([5.0, 6.0, 7.0, 8.0], [0, 1, 0, 0])
    frame = pd.DataFrame({"0": pd.array([1, 2, None, 4], "Int64"), "1": score})
    copy = frame.copy()
    dropping(*arrays[:2], sample_weight=arrays[2])
    dropping(y, masked)
    dropping(y, frame)
    np.testing.assert_array_equal(arrays[0], frozen(y, object))
    np.testing.assert_array_equal(arrays[1], score)
    np.testing.assert_array_equal(arrays[2], frozen(weight, object))
    np.testing.assert_array_equal(masked.data, [5, 6, 7, 8])
    pd.testing.assert_frame_equal(frame, copy)


def test_lists_and_dicts_are_left_alone():
    y, scores, labels = list(TEXT), {"p": [list(row) for row in MATRIX], "q": list(MATRIX)}, ["c", "a", "b"]
    normalise(y, scores, labels=labels)
    assert (y, scores, labels) == (TEXT, {"p": MATRIX, "q": MATRIX}, ["c", "a", "b"])


def test_evaluate_takes_read_only_arrays():
    evaluation = polyroc.evaluate(
        frozen(INTS), frozen(P), sample_weight=frozen(np.ones(6)), groups=frozen(range(6))
    )
    expected = polyroc.evaluate(INTS, MATRIX, sample_weight=[1] * 6, groups=range(6))
    assert evaluation.rows() == expected.rows()


# Nothing heavy is imported, nothing is copied, and no Python object is made per row


HEAVY = {"pandas", "polars", "pyarrow", "narwhals", "duckdb", "matplotlib"}


def modules_after(*steps):
    """The packages that are there after each step of a program."""
    tell = "import sys\nprint(*{name.partition('.')[0] for name in sys.modules})"
    script = "\n".join(f"{step}\n{tell}" for step in steps)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_import_is_light():
    (loaded,) = modules_after("import polyroc")
    assert "polyroc" in loaded
    assert not loaded & (HEAVY | {"numba", "scipy"})


@pytest.mark.slow
def test_evaluating_lists_and_arrays_needs_no_data_frames():
    calls = ["import numpy as np, polyroc"]
    for make in ("list", "tuple", "np.array"):
        options = f"labels={make}([0, 1]), sample_weight={make}([1, 1, 1, 1]), groups=range(4)"
        calls.append(f"polyroc.evaluate({make}([0, 0, 1, 1]), {make}([0.1, 0.4, 0.35, 0.8]), {options})")
    loaded = modules_after(*calls)
    assert [modules & HEAVY for modules in loaded] == [set()] * 4


@pytest.mark.slow
@pytest.mark.parametrize("make", ["pandas.Series", "polars.Series", "pyarrow.array"])
def test_a_library_of_data_frames_brings_in_no_other(make):
    library = make.partition(".")[0]
    data = f"import {library}\ny, s = {make}([0, 0, 1, 1]), {make}([0.1, 0.4, 0.35, 0.8])"
    before, after = modules_after(data, "import polyroc\npolyroc.evaluate(y, s)")
    assert (after - before) & HEAVY == {"narwhals"}


MANY = 10**6


def peak_per_row(*arguments, **options):
    """The most bytes in use at once, by row."""
    tracemalloc.start()
    try:
        assert len(normalise(*arguments, **options)) == MANY
        return tracemalloc.get_traced_memory()[1] / MANY
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        ([0, 1], "i8"),
        ([1000, 1001, 1002], "i8"),
        ([1000, 1500, 2500], "i4"),
        ([0, 1, 2], "u1"),
        ([False, True], "?"),
    ],
    ids=str,
)
def test_numpy_labels_make_no_object_per_row(classes, kind):
    """A Python object and its place in a list take 40 bytes; integers below 256 would take 8."""
    y = np.resize(np.array(classes, dtype=kind), MANY)
    score = np.linspace(0, 1, MANY)
    assert peak_per_row(y, score) < 40
    assert peak_per_row(y, score, labels=classes[::-1]) < 40


def test_coded_decisions_make_no_object_per_row():
    y = np.resize(np.array([1000, 1001]), MANY)
    decisions = Coded(np.resize(np.array([1, 0], dtype=np.int32), MANY), (1000, 1001))
    matrix = 2 * 8
    assert peak_per_row(y, decisions) < matrix + 40


@pytest.mark.parametrize("values", [P[:, 0].copy(), P[:, :1].copy(), P], ids=["1-D", "one column", "2-D"])
def test_float64_scores_are_not_copied(values):
    weight = np.ones(6)
    scores = normalise(TEXT, {"p": values}, sample_weight=weight)
    assert np.shares_memory(scores.values["p"], values)
    assert np.shares_memory(scores.sample_weight, weight)
    series = pd.Series(weight)
    assert np.shares_memory(normalise(TEXT, series).values["classifier"], series.to_numpy())


FLOATS = st.sampled_from([0.0, -0.0, 1.0, 2.0, -1.0, 0.5, 65536.0, 65537.0, 1e300, NAN, INF])
TEXTS = st.sampled_from(["", "a", "b", "ab", "é", *"cdefghij"])


@given(st.one_of(st.lists(FLOATS, min_size=1), st.lists(TEXTS, min_size=1)))
def test_labels_of_numpy_are_numbered_as_python_objects_are(labels):
    """Whole floats and short lists of texts have a quicker way than the others."""
    quick, slow = (encode(np.array(labels, dtype=kind), "y_true") for kind in (type(labels[0]), object))
    assert quick.labels == slow.labels
    assert [type(label) for label in quick.labels] == [type(label) for label in slow.labels]
    np.testing.assert_array_equal(quick.codes, slow.codes)
