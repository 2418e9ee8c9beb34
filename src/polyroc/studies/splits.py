"""Splits of a data set into training and test cases."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import CodeArray, IntArray
from polyroc.studies.data import Data
from polyroc.studies.features import equal_rows
from polyroc.studies.plan_entries import Splitting
from polyroc.validation.random import rng_for

__all__ = ["Block", "Duplicates", "duplicates_of", "split_data", "training_cases"]


class Block(NamedTuple):
    """A fold of a repeat and its test cases; all other cases are training cases."""

    repeat: int
    fold: int
    test: IntArray


class Duplicates(NamedTuple):
    """Test cases of a data set that have an equal case, by all features, in their training set.

    Attributes
    ----------
    data_set
        Name of the data set.
    cases, total
        Such cases, and all test cases, of the first repeat.
    other_class
        Those of `cases` with an equal training case of another class.
    """

    data_set: str
    cases: int
    total: int
    other_class: int

    @property
    def text(self) -> str:
        """The duplicates in a sentence.

        >>> print(Duplicates("a", 9, 12, 1).text)
        9 of 12 test cases of 'a' equal a training case in all features (1 of them one of another class), so values
        are too high for learners that remember cases; remove copies, or keep them together with groups.
        """
        other = f" ({self.other_class} of them one of another class)" if self.other_class else ""
        return (
            f"{self.cases} of {self.total} test cases of {self.data_set!r} equal a training case in all features"
            f"{other}, so values are too high for learners that remember cases; remove copies, or keep them "
            "together with groups."
        )


def duplicates_of(data: Data, blocks: Sequence[Block]) -> Duplicates | None:
    """Return the test cases of the first repeat that have equal training cases; None if there are none."""
    if data.X.shape[1] == 0:
        return None
    contents = equal_rows(data.X)
    counts = np.bincount(contents)
    if counts.max() < 2:
        return None
    # Numbers of contents and classes together, to tell equal cases of the same class from others.
    labelled = contents * len(data.labels) + data.codes
    of_class = np.bincount(labelled, minlength=len(counts) * len(data.labels))
    cases, total, other_class = 0, 0, 0
    for test in (block.test for block in blocks if block.repeat == 0):
        equal = counts[contents[test]] - _occurrences(contents[test])
        same_class = of_class[labelled[test]] - _occurrences(labelled[test])
        cases, total = cases + int((equal > 0).sum()), total + len(test)
        other_class += int((equal > same_class).sum())
    return Duplicates(data.name, cases, total, other_class) if cases else None


def _occurrences(numbers: IntArray) -> IntArray:
    """How often each number occurs among them."""
    _, positions, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    return np.asarray(counts[positions], dtype=np.int64)


def split_data(data: Data, splitting: Splitting, seed: int) -> list[Block]:
    """Every fold of every repeat, in order."""
    # What is assigned to folds: cases, or groups of cases that must not be separated.
    units = np.arange(len(data)) if data.groups is None else np.unique(data.groups, return_inverse=True)[1]
    if splitting.kind == "leave-one-out":
        return [Block(0, unit, np.flatnonzero(units == unit)) for unit in range(units.max() + 1)]
    blocks = []
    for repeat in range(splitting.repeats):
        rng = rng_for(seed, "split", data.name, repeat)
        if splitting.kind == "hold-out":
            blocks.append(Block(repeat, 0, _hold_out_cases(data, units, splitting, rng)))
            continue
        folds = _case_folds(data, units, splitting, rng)
        blocks += [Block(repeat, fold, np.flatnonzero(folds == fold)) for fold in range(splitting.folds)]
    return blocks


def training_cases(cases: int, test: IntArray) -> IntArray:
    """Positions of all cases that are not test cases."""
    training = np.ones(cases, dtype=bool)
    training[test] = False
    return np.flatnonzero(training)


def _case_folds(data: Data, units: IntArray, splitting: Splitting, rng: np.random.Generator) -> IntArray:
    """Return the fold of every case."""
    n_units = int(units.max()) + 1
    if n_units < splitting.folds:
        kind = "cases" if data.groups is None else "groups"
        raise InputError(
            f"Data set {data.name!r} has {n_units} {kind}, too few for {splitting.folds} folds; use fewer folds."
        )
    codes = data.codes if splitting.stratified else np.zeros(len(data), dtype=np.int32)
    if data.groups is not None:
        return _group_folds(codes, units, splitting.folds, rng)
    folds = np.empty(len(data), dtype=np.int64)
    # Cases sorted by class go to the folds in turn, so the counts of a class in two folds differ by one at most.
    order = _random_order_by_class(codes, rng)
    folds[order] = rng.permutation(splitting.folds)[np.arange(len(data)) % splitting.folds]
    return folds


def _random_order_by_class(codes: CodeArray, rng: np.random.Generator) -> IntArray:
    """Return the cases of the first class in random order, then those of the second, and so on."""
    shuffled = rng.permutation(len(codes))
    order: IntArray = shuffled[np.argsort(codes[shuffled], kind="stable")]
    return order


def _group_folds(codes: CodeArray, units: IntArray, folds: int, rng: np.random.Generator) -> IntArray:
    """Return the fold of every case if groups stay together.

    Greedy: the largest groups first, each to the fold where the sum of squared class shares grows least. That
    keeps the class shares of the folds as even as whole groups allow.
    """
    counts = np.zeros((int(units.max()) + 1, int(codes.max()) + 1))
    np.add.at(counts, (units, codes), 1.0)
    shares = counts / counts.sum(axis=0)
    shuffled = rng.permutation(len(counts))
    order = shuffled[np.argsort(-counts[shuffled].sum(axis=1), kind="stable")]
    fold_shares, sizes = np.zeros((folds, counts.shape[1])), np.zeros(folds)
    fold_of = np.empty(len(counts), dtype=np.int64)
    for unit in order:
        increase = ((fold_shares + shares[unit]) ** 2).sum(axis=1) - (fold_shares**2).sum(axis=1)
        # Rounded, so that equal increases tie; the smallest fold then wins, and no fold stays empty.
        fold_of[unit] = np.lexsort((sizes, np.round(increase, 12)))[0]
        fold_shares[fold_of[unit]] += shares[unit]
        sizes[fold_of[unit]] += counts[unit].sum()
    folds_of_cases: IntArray = fold_of[units]
    return folds_of_cases


def _hold_out_cases(data: Data, units: IntArray, splitting: Splitting, rng: np.random.Generator) -> IntArray:
    """Return the cases of one test set: a share of all, rounded up, or a number of them."""
    n, test_size = len(data), splitting.test_size
    # Rounded first: 0.07 * 100 is 7.000000000000001 in floating point and would give 8 cases.
    size = int(np.ceil(round(test_size * n, 9))) if test_size < 1 else int(test_size)
    if size >= n:
        raise InputError(
            f"Data set {data.name!r} has {n} cases, so a test set of {size} leaves none for training."
        )
    if data.groups is not None:
        order = rng.permutation(int(units.max()) + 1)
        total = np.cumsum(np.bincount(units)[order])
        chosen = order[: int(np.searchsorted(total, size)) + 1]
        if len(chosen) == len(order):
            raise InputError(f"Data set {data.name!r} has too few groups for a test set of {size} cases.")
        return np.flatnonzero(np.isin(units, chosen))
    shuffled = rng.permutation(n)
    if not splitting.stratified:
        return np.sort(shuffled[:size])
    counts = _class_counts(data.codes, size, rng)
    return np.sort(np.concatenate([shuffled[data.codes[shuffled] == k][:count] for k, count in enumerate(counts)]))


def _class_counts(codes: CodeArray, size: int, rng: np.random.Generator) -> IntArray:
    """Cases of each class in a stratified test set, by largest remainders; ties are broken at random."""
    exact = np.bincount(codes) * (size / len(codes))
    counts = np.floor(exact + 1e-9).astype(np.int64)  # 1e-9: 2.9999999999 is 3 with a rounding error
    tie_breaker = rng.random(len(counts))
    by_remainder = np.lexsort((tie_breaker, -np.round(exact - counts, 9)))
    counts[by_remainder[: size - int(counts.sum())]] += 1
    class_counts: IntArray = counts
    return class_counts
