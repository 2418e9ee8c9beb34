"""Folds: every case tested on once, classes and groups dealt fairly, the same whenever they are made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyroc.errors import InputError
from polyroc.studies.data import Data
from polyroc.studies.plan_entries import Splitting
from polyroc.studies.splits import split_data, training_cases


@st.composite
def data_sets(draw, grouped=False):
    """Cases of two to four classes in any order, with groups or without."""
    classes = draw(st.integers(2, 4))
    codes = draw(st.lists(st.integers(0, classes - 1), min_size=12, max_size=60))
    codes = np.array([*range(classes), *codes], dtype=np.int32)
    groups = None
    if grouped:
        groups = np.array(draw(st.lists(st.integers(0, 9), min_size=len(codes), max_size=len(codes))))
        groups[:8] = np.arange(8)  # eight groups at least
    return Data("made up", np.zeros((len(codes), 1)), codes, tuple(range(classes)), ("x",), groups=groups)


@given(data_sets(), st.integers(2, 6), st.integers(1, 3), st.booleans(), st.integers(0, 5))
def test_each_case_is_tested_on_once_in_every_repeat(data, folds, repeats, stratified, seed):
    splitting = Splitting(folds=folds, repeats=repeats, stratified=stratified)
    splits = split_data(data, splitting, seed)
    assert [(block.repeat, block.fold) for block in splits] == [
        (r, f) for r in range(repeats) for f in range(folds)
    ]
    for repeat in range(repeats):
        tested = np.concatenate([block.test for block in splits if block.repeat == repeat])
        assert sorted(tested) == list(range(len(data)))
    sizes = [len(block.test) for block in splits]
    assert max(sizes) - min(sizes) <= 1
    if stratified:
        for k in range(len(data.labels)):
            counts = [int((data.codes[block.test] == k).sum()) for block in splits]
            assert max(counts) - min(counts) <= 1


@given(data_sets(grouped=True), st.sampled_from(["k-fold", "hold-out", "leave-one-out"]), st.booleans())
def test_groups_are_never_split(data, kind, stratified):
    splitting = Splitting(kind, folds=4, test_size=0.2, stratified=stratified)
    splits = split_data(data, splitting, 1)
    for block in splits:
        rest = training_cases(len(data), block.test)
        assert len(block.test)
        assert len(rest)
        assert not set(data.groups[block.test]) & set(data.groups[rest])
    if kind != "hold-out":
        assert sorted(np.concatenate([block.test for block in splits])) == list(range(len(data)))


def test_groups_of_equal_size_are_dealt_evenly_by_class():
    codes = np.repeat([0, 0, 1, 1], 25).astype(np.int32)
    data = Data("g", np.zeros((100, 1)), codes, (0, 1), ("x",), groups=np.repeat(np.arange(20), 5))
    for block in split_data(data, Splitting(folds=5), 3):
        assert np.bincount(codes[block.test]).tolist() == [10, 10]


@given(data_sets(), st.floats(0.05, 0.6), st.booleans())
def test_a_hold_out_is_a_share_rounded_up_or_a_number(data, share, stratified):
    splits = split_data(data, Splitting("hold-out", repeats=4, test_size=share, stratified=stratified), 0)
    wanted = int(np.ceil(round(share * len(data), 9)))
    assert [len(set(block.test)) for block in splits] == [wanted] * 4
    if stratified:
        exact = np.bincount(data.codes) * wanted / len(data)
        for block in splits:
            counts = np.bincount(data.codes[block.test], minlength=len(exact))
            assert np.abs(counts - exact).max() < 1 + 1e-6
    assert len(split_data(data, Splitting("hold-out", test_size=5), 0)[0].test) == 5


def test_bradleys_ten_test_sets_have_ceil_of_a_tenth_of_the_cases():
    """The printed accuracies are multiples of 1/(10 ceil(n/10)): 120 for 117 cases, 300 for 297, 270 for 261."""
    for n, denominator in ((117, 120), (113, 120), (297, 300), (261, 270)):
        data = Data("n", np.zeros((n, 1)), (np.arange(n) % 2).astype(np.int32), (0, 1), ("x",))
        splits = split_data(data, Splitting("hold-out", repeats=10, test_size=0.1), 1997)
        assert sum(len(block.test) for block in splits) == denominator


def test_leave_one_out():
    data = Data("n", np.zeros((7, 1)), np.array([0, 1, 0, 1, 0, 1, 1], dtype=np.int32), (0, 1), ("x",))
    assert [block.test.tolist() for block in split_data(data, Splitting("leave-one-out"), 0)] == [
        [i] for i in range(7)
    ]


def test_folds_follow_from_the_seed_the_name_and_the_repeat_alone():
    def dealt(name, seed, repeats=2):
        data = Data(name, np.zeros((40, 1)), (np.arange(40) % 2).astype(np.int32), (0, 1), ("x",))
        return [block.test.tolist() for block in split_data(data, Splitting(folds=4, repeats=repeats), seed)]

    assert dealt("a", 0) == dealt("a", 0)
    assert dealt("a", 0, repeats=1) == dealt("a", 0)[:4]
    assert dealt("a", 0)[:4] != dealt("a", 0)[4:]
    assert dealt("a", 0) != dealt("a", 1)
    assert dealt("a", 0) != dealt("b", 0)


def test_too_few_cases_are_reported():
    data = Data("tiny", np.zeros((4, 1)), np.array([0, 1, 0, 1], dtype=np.int32), (0, 1), ("x",))
    with pytest.raises(InputError, match="'tiny' has 4 cases, too few for 5 folds"):
        split_data(data, Splitting(folds=5), 0)
    with pytest.raises(InputError, match="leaves none for training"):
        split_data(data, Splitting("hold-out", test_size=4), 0)
