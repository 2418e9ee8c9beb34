"""Splits of a cross-validation: repeats of partitions of the cases into test sets, and the fold of each case."""

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import CodeArray, IntArray
from polyroc.messages import Call, Option, short_repr
from polyroc.validation.arguments import checked_cv
from polyroc.validation.labels import encode
from polyroc.validation.random import is_whole, seed_for
from polyroc.validation.signatures import validated

__all__ = ["Split", "folds_of", "make_splits", "partitions"]


class Split(NamedTuple):
    """One fold of one repeat: the positions of its training and its test cases."""

    repeat: int
    fold: int
    train: IntArray
    test: IntArray


@validated
def folds_of(cv: Any, X: Any, y: Any, groups: Any = None) -> IntArray:
    """Find the fold of each case, counted from 0, for predictions of scikit-learn's `cross_val_predict`.

    `cross_val_predict` returns the predictions without saying which model made them. With the same splitter this
    function says it, so that measures can be computed within folds:

        P = cross_val_predict(model, X, y, cv=cv, method="predict_proba")
        pr.evaluate(y, P, measure="hand_till", folds=pr.folds_of(cv, X, y))

    Parameters
    ----------
    cv
        The splitter that was given to `cross_val_predict`, or its number of folds, which stands for stratified
        folds in the order of the cases, as there.
    X, y, groups
        What was given to `cross_val_predict`.

    Raises
    ------
    polyroc.errors.InputError
        If the test sets are no partition of the cases, or if the splitter draws other folds at each call.

    Examples
    --------
    >>> from sklearn.model_selection import KFold
    >>> folds_of(KFold(3), [[0.0]] * 6, [0, 1, 0, 1, 0, 1])
    array([0, 0, 1, 1, 2, 2])
    """
    codes = encode(y, "y").codes
    if is_whole(cv):
        from sklearn.model_selection import StratifiedKFold

        cv = StratifiedKFold(_number_of_folds(cv))
    first, second = (partitions(_split_by(cv, X, y, groups), len(codes)) for _ in range(2))
    if len(first) > 1:
        raise InputError(
            f"{short_repr(cv)} has {len(first)} repeats, but cross_val_predict predicts each case once; use ",
            Call("out_of_fold", ...),
            ".",
        )
    fold, again = (_fold_numbers(tests, len(codes)) for (tests,) in (first, second))
    if (fold != again).any():
        raise InputError(
            f"{short_repr(cv)} draws other folds at each call, so those of the predictions are unknown; give it a "
            "random_state, and predict again."
        )
    return fold


def _fold_numbers(tests: Sequence[tuple[IntArray, IntArray]], n: int) -> IntArray:
    fold = np.empty(n, dtype=np.int64)
    for number, (_, test) in enumerate(tests):
        fold[test] = number
    return fold


def make_splits(
    cv: Any, repeats: int | None, X: Any, y: Any, codes: CodeArray, groups: Any, names: Sequence[str], seed: int
) -> list[Split]:
    """All folds of all repeats.

    Parameters
    ----------
    cv, repeats
        As in `out_of_fold`.
    X, y, groups
        Features, labels and groups as the splitter takes them.
    codes, names
        The class of each case as a position among the names of the classes.
    seed
        Seed of the folds, if `cv` is their number.
    """
    if is_whole(cv):
        times = 1 if repeats is None else repeats
        if not is_whole(times, 1):
            raise InputError(f"repeats must be a whole number, 1 or more, got {short_repr(repeats)}.")
        folds = _number_of_folds(cv)
        _check_class_sizes(folds, codes, groups, names)
        rounds = [
            partitions(_split_by(_splitter(folds, groups, seed_for(seed, "split", r)), X, y, groups), len(codes))
            for r in range(times)
        ]
        parts = [part for (part,) in rounds]
    elif repeats is not None:
        raise InputError(
            "repeats are for a number of folds (cv=5, repeats=10); for a splitter, use one that repeats, such as "
            "RepeatedStratifiedKFold."
        )
    else:
        parts = partitions(_split_by(cv, X, y, groups), len(codes))
    return [
        Split(repeat, fold, train, test)
        for repeat, part in enumerate(parts)
        for fold, (train, test) in enumerate(part)
    ]


def _number_of_folds(cv: int) -> int:
    if cv < 2:
        raise InputError(f"cv must be two folds or more, or a splitter of scikit-learn, got {cv!r}.")
    return int(cv)


def _check_class_sizes(folds: int, codes: CodeArray, groups: Any, names: Sequence[str]) -> None:
    """Raise an error if a class has fewer cases than there are folds, so that some fold would be without it."""
    counts = np.bincount(codes, minlength=len(names))
    small = int(np.argmin(counts))
    if counts[small] < folds and groups is None:
        raise InputError(
            f"Class {names[small]!r} has {counts[small]} cases, fewer than the {folds} folds, so some folds would "
            "have none of it and no value; use fewer folds, or ",
            Call("leave_pair_out", ...),
            " for the AUC and Hand & Till's M.",
        )


def _splitter(folds: int, groups: Any, seed: int) -> Any:
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    return kind(folds, shuffle=True, random_state=seed)


def _split_by(cv: Any, X: Any, y: Any, groups: Any) -> list[tuple[IntArray, IntArray]]:
    """Return the training and test cases of each split; of a splitter, or given as pairs of positions."""
    checked_cv(cv)
    with warnings.catch_warnings():
        # whether groups are separated is checked by the caller
        warnings.filterwarnings("ignore", message="The groups parameter is ignored")
        pairs = cv.split(X, y, groups) if hasattr(cv, "split") else cv
        try:
            listed = [(train, test) for train, test in pairs]
        except TypeError:
            if hasattr(cv, "split"):
                raise
            expected = "a number of folds, a splitter or pairs of training and test positions"
            raise InputError(f"cv must be {expected}, got {short_repr(cv)}.") from None
        return [(np.asarray(train), np.asarray(test)) for train, test in listed]


def partitions(splits: Sequence[tuple[IntArray, IntArray]], n: int) -> list[list[tuple[IntArray, IntArray]]]:
    """Split the splits into repeats, whose test sets are disjoint and have all cases.

    Parameters
    ----------
    splits
        Training and test cases, one repeat after the other.
    n
        Number of cases.

    Examples
    --------
    >>> even, odd = np.array([0, 2]), np.array([1, 3])
    >>> len(partitions([(even, odd), (odd, even)] * 3, 4))
    3
    """
    repeats: list[list[tuple[IntArray, IntArray]]] = []
    remaining = np.zeros(n, dtype=bool)
    for train, test in splits:
        if not remaining.any():
            repeats.append([])
            remaining[:] = True
        if len(test) == 0 or not remaining[test].all() or len(np.unique(test)) < len(test):
            raise InputError(*_no_partition(splits, n))
        if np.isin(test, train).any():
            raise InputError("A case is in the training set and in the test set of the same split.")
        remaining[test] = False
        repeats[-1].append((train, test))
    if not repeats or remaining.any():
        raise InputError(*_no_partition(splits, n))
    return repeats


def _no_partition(splits: Sequence[tuple[IntArray, IntArray]], n: int) -> tuple[Any, ...]:
    times = Counter(int(case) for _, test in splits for case in test)
    counts = [times.get(case, 0) for case in range(n)]
    return (
        f"The test sets must be a partition of the {n} cases, in each repeat, but cases are in {min(counts)} to "
        f"{max(counts)} of the {len(splits)} test sets; use KFold, StratifiedKFold, StratifiedGroupKFold or a "
        "repeated one of these, or a number of folds with ",
        Option("repeats"),
        ", instead of a splitter that draws test sets at random or leaves cases out.",
    )
