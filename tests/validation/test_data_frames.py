"""What pandas and Polars state beside values: an index that contradicts the pairing, the order of categories."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import polyroc as pr
from polyroc.errors import DroppedRowsWarning, InputError, NotApplicableError

N = 60
RNG = np.random.default_rng(0)
Y = pd.Series(np.arange(N) % 2)
SCORE = pd.Series(Y + RNG.normal(size=N))
LEVELS = ["low", "middle", "high"]
GRADES = np.array(LEVELS)[np.arange(N) % 3]
RISING = pd.Series(np.arange(N) % 3 + RNG.normal(size=N))
P = RNG.dirichlet(np.ones(3), N)


def shuffled(data):
    return data.sample(frac=1, random_state=0)


def area(y, score, **options):
    return float(pr.evaluate(y, score, measure="auc", **options))


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (lambda: area(Y, shuffled(SCORE)), ["y_true", "y_score"]),
        (lambda: area(shuffled(Y), SCORE), ["y_true", "y_score"]),
        (lambda: area(Y, SCORE, sample_weight=shuffled(SCORE.abs())), ["y_true", "sample_weight"]),
        (lambda: area(Y.to_numpy(), SCORE, groups=shuffled(Y)), ["y_score", "groups"]),
        (lambda: area(Y, {"a": SCORE, "b": shuffled(SCORE)}), ["y_true", r"y_score\['b'\]"]),
        (lambda: pr.curve(Y, shuffled(SCORE)), ["y_true", "y_score"]),
        (lambda: pr.operate(Y, shuffled(SCORE)), ["y_true", "y_score"]),
        (lambda: pr.Scores(Y, shuffled(pd.DataFrame(P[:, :2]))), ["y_true", "y_score"]),
        (lambda: pr.Tally([0, 1]).update(Y, shuffled(SCORE)), ["y_true", "y_score"]),
        (lambda: pr.search_front(pr.fronts.LogisticFamily(), shuffled(pd.DataFrame(P)), Y), ["X", "y"]),
    ],
)
def test_the_same_labels_in_another_order_raise(call, names):
    with pytest.raises(InputError, match=rf"indexes of {names[0]} and {names[1]} hold the same labels in another"):
        call()


def test_the_message_says_how_to_align():
    with pytest.raises(InputError, match=r"y_score\.loc\[y_true\.index\].*\.to_numpy\(\)"):
        area(Y, shuffled(SCORE))
    other = shuffled(SCORE)
    assert area(Y, other.loc[Y.index]) == area(Y, SCORE) != area(Y.to_numpy(), other.to_numpy())


def test_different_labels_raise():
    cases = [f"case {i}" for i in range(N)]
    patients = [f"patient {i}" for i in range(N)]
    with pytest.raises(InputError, match="hold different labels"):
        area(Y.set_axis(cases), SCORE.set_axis(patients))
    with pytest.raises(InputError, match="hold different labels"):
        area(Y.set_axis(range(N, 2 * N)), SCORE.set_axis(cases))


def test_an_index_that_pandas_made_states_nothing():
    test_cases = RNG.permutation(np.arange(100, 100 + N))  # as train_test_split leaves them
    assert area(Y.set_axis(test_cases), pd.Series(SCORE.to_numpy())) == area(Y, SCORE)
    assert area(Y, SCORE.set_axis([f"case {i}" for i in range(N)])) == area(Y, SCORE)


def test_equal_indexes_are_paired():
    order = RNG.permutation(N)
    assert area(Y.iloc[order], SCORE.iloc[order]) == pytest.approx(area(Y, SCORE))
    repeated = [i // 2 for i in range(N)]
    assert area(Y.set_axis(repeated), SCORE.set_axis(repeated)) == area(Y, SCORE)
    mixed = [*range(N - 1), "last"]  # cannot be sorted
    with pytest.raises(InputError, match="the same labels in another order"):
        area(Y.set_axis(mixed), SCORE.set_axis(mixed[::-1]))


def categoricals():
    pandas = pd.Series(pd.Categorical(GRADES, LEVELS, ordered=True))
    dictionary = pa.array(LEVELS)
    codes = pa.array([LEVELS.index(grade) for grade in GRADES], pa.int32())
    arrow = pa.chunked_array([pa.DictionaryArray.from_arrays(codes, dictionary, ordered=True)])
    return {"pandas": pandas, "polars": pl.Series(GRADES, dtype=pl.Enum(LEVELS)), "pyarrow": arrow}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_an_ordered_categorical_gives_the_order_of_the_classes(library):
    y = categoricals()[library]
    estimate = pr.evaluate(y, RISING.to_numpy(), measure="vus")
    expected = pr.evaluate(GRADES, RISING.to_numpy(), measure="vus", labels=LEVELS)
    assert float(estimate) == float(expected)
    reversed_labels = pr.evaluate(y, RISING.to_numpy(), measure="vus", labels=LEVELS[::-1])
    assert float(reversed_labels) != float(expected)  # what is given with labels comes first


def test_unordered_categories_give_no_order():
    for y in (pd.Series(pd.Categorical(GRADES, LEVELS)), pd.Series(GRADES)):
        with pytest.raises(NotApplicableError, match="needs the order of the classes"):
            pr.evaluate(y, RISING, measure="vus")


def test_columns_without_names_stay_those_of_the_sorted_classes():
    y = categoricals()["pandas"]
    assert pr.Scores(y, P).labels == ("high", "low", "middle")  # the columns of scikit-learn
    named = pd.DataFrame(P, columns=sorted(LEVELS))
    scores = pr.Scores(y, named)
    assert scores.labels == tuple(LEVELS)
    assert np.array_equal(scores.values["classifier"], named[LEVELS].to_numpy())


def test_categories_without_cases():
    y = categoricals()["pandas"]
    some = y[y != "middle"]
    scores = pr.Scores(some, RISING[some.index])
    assert (scores.labels, scores.positive) == (("low", "high"), 1)
    named = pd.DataFrame(P, columns=LEVELS).loc[some.index]
    assert pr.Scores(some, named).labels == tuple(LEVELS)


def test_missing_categories():
    holes = [None, *GRADES[1:]]
    for y in (pl.Series(holes, dtype=pl.Enum(LEVELS)), pd.Series(pd.Categorical(holes, LEVELS, ordered=True))):
        with pytest.warns(DroppedRowsWarning):
            scores = pr.Scores(y, RISING, missing="drop")
        assert (scores.labels, scores.dropped) == (tuple(LEVELS), 1)


# Tables whose columns are named

TABLE = pd.DataFrame({"grade": pd.Categorical(GRADES, LEVELS, ordered=True), "s": RISING})
TABLES = {
    "pandas": TABLE,
    "polars": pl.DataFrame({"grade": pl.Series(GRADES.tolist(), dtype=pl.Enum(LEVELS)), "s": RISING.tolist()}),
    "lazy": pl.LazyFrame({"grade": pl.Series(GRADES.tolist(), dtype=pl.Enum(LEVELS)), "s": RISING.tolist()}),
    "pyarrow": pa.table(
        {
            "grade": pa.DictionaryArray.from_arrays(pa.array(np.arange(N) % 3), pa.array(LEVELS), ordered=True),
            "s": RISING.tolist(),
        }
    ),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_the_order_of_a_column_of_categories_counts(table, engine):
    expected = pr.evaluate(GRADES, RISING, measure="vus", labels=LEVELS)
    value = pr.evaluate(table, truth="grade", scores="s", measure="vus", engine=engine).value
    assert value == pytest.approx(expected.value, abs=1e-9)
    assert pr.read(table, truth="grade", scores="s").labels == tuple(LEVELS)
    other = pr.read(table, truth="grade", scores="s", labels=LEVELS[::-1])
    assert other.labels == tuple(LEVELS[::-1])


def test_an_order_is_not_one_of_unnamed_columns():
    frame = TABLE[["grade"]].assign(a=P[:, 0], b=P[:, 1], c=P[:, 2])
    with pytest.raises(InputError, match="do not match the classes"):
        pr.read(frame, truth="grade", scores=["a", "b", "c"])
    named = frame.rename(columns={"a": "p_high", "b": "p_low", "c": "p_middle"})
    scores = pr.read(named, truth="grade", scores="p_*")
    assert scores.labels == tuple(LEVELS)
    np.testing.assert_array_equal(scores.values["classifier"], P[:, [1, 2, 0]])


def test_two_ordered_classes_have_a_positive_one_and_unordered_ones_do_not():
    sick = pd.Categorical(np.where(Y == 1, "sick", "well"), ["well", "sick"], ordered=True)
    frame = pd.DataFrame({"state": sick, "s": SCORE})
    assert float(pr.evaluate(frame, truth="state", scores="s", measure="auc")) == area(Y, SCORE)
    with pytest.raises(InputError, match="positive class is ambiguous"):
        pr.evaluate(frame.assign(state=sick.as_unordered()), truth="state", scores="s", measure="auc")


# The positive class of text labels

STATE = np.where(Y == 1, "sick", "well")
TWO = np.column_stack([1 / (1 + np.exp(SCORE)), 1 / (1 + np.exp(-SCORE))])
NEEDS_POSITIVE = {
    "evaluate": lambda s: pr.evaluate(STATE, s, measure="partial_auc"),
    "compare": lambda s: pr.compare(STATE, {"a": s, "b": s}, measure="average_precision"),
    "curve": lambda s: pr.curve(STATE, s),
    "venkatraman": lambda s: pr.curves.venkatraman(STATE, {"a": s, "b": s}),
    "decision_curve": lambda s: pr.decision_curve(STATE, s),
    "operate": lambda s: pr.operate(STATE, s, criterion="youden"),
    "rates": lambda s: pr.rates(STATE, s, threshold=0.5),
}


@pytest.mark.filterwarnings(
    "ignore::polyroc.errors.SuspectInputWarning"
)  # the columns are not in the order of labels
@pytest.mark.parametrize("call", NEEDS_POSITIVE.values(), ids=NEEDS_POSITIVE)
@pytest.mark.parametrize("scores", [TWO[:, 1], TWO], ids=["one score", "two columns"])
def test_no_verb_guesses_the_positive_class_of_text_labels(call, scores):
    with pytest.raises((InputError, NotApplicableError), match=r"pos_label|positive class"):
        call(scores)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_text_files_have_no_order_of_categories(engine, tmp_path):
    """No order is guessed, not even that of the alphabet; tests/io/test_stored_categories.py has other files."""
    stages = ["none", "mild", "severe"]
    frame = pl.DataFrame({"y": pl.Series(stages * 20, dtype=pl.Enum(stages)), "s": range(60)})
    frame.write_csv(tmp_path / "x.csv")
    options = {"truth": "y", "scores": "s", "measure": "vus"}
    with pytest.raises(NotApplicableError, match=r"vus needs the order of the classes; give it with labels="):
        pr.evaluate(tmp_path / "x.csv", engine=engine, **options)
    stated = pr.evaluate(tmp_path / "x.csv", engine=engine, labels=stages, **options)
    assert stated.value == pytest.approx(pr.evaluate(frame, **options).value)
