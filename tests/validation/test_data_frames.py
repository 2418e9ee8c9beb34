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
        (lambda: pr.Scores.from_arrays(Y, shuffled(pd.DataFrame(P[:, :2]))), ["y_true", "y_score"]),
        (lambda: pr.Tally([0, 1]).update(Y, shuffled(SCORE)), ["y_true", "y_score"]),
        (lambda: pr.front(pr.fronts.LogisticFamily(), shuffled(pd.DataFrame(P)), Y), ["X", "y"]),
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
    assert pr.Scores.from_arrays(y, P).labels == ("high", "low", "middle")  # the columns of scikit-learn
    named = pd.DataFrame(P, columns=sorted(LEVELS))
    scores = pr.Scores.from_arrays(y, named)
    assert scores.labels == tuple(LEVELS)
    assert np.array_equal(scores.values["classifier"], named[LEVELS].to_numpy())


def test_categories_without_cases():
    y = categoricals()["pandas"]
    some = y[y != "middle"]
    scores = pr.Scores.from_arrays(some, RISING[some.index])
    assert (scores.labels, scores.positive) == (("low", "high"), 1)
    named = pd.DataFrame(P, columns=LEVELS).loc[some.index]
    assert pr.Scores.from_arrays(some, named).labels == tuple(LEVELS)


def test_missing_categories():
    holes = [None, *GRADES[1:]]
    for y in (pl.Series(holes, dtype=pl.Enum(LEVELS)), pd.Series(pd.Categorical(holes, LEVELS, ordered=True))):
        with pytest.warns(DroppedRowsWarning):
            scores = pr.Scores.from_arrays(y, RISING, missing="drop")
        assert (scores.labels, scores.dropped) == (tuple(LEVELS), 1)
