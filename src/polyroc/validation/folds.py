"""Folds and repeats of cross-validated predictions: the trained model and the case of each row."""

from typing import Any, NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray, CodeArray, IntArray
from polyroc.messages import Option
from polyroc.scores import Folds, readable
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.labels import Coded, encode

__all__ = ["FoldColumns", "as_folds", "fold_columns"]


class FoldColumns(NamedTuple):
    """The fold and the repeat of each row as codes; -1 is a missing value, None for a single repeat.

    Attributes
    ----------
    folds, repeats
        The labels of the folds, and of the repeats.
    cases
        The case of each row, by its name or else by its position among the rows of its repeat.
    named
        True if the cases have names.
    """

    folds: Coded
    repeats: Coded | None
    cases: IntArray
    named: bool = False


def fold_columns(
    folds: Any, repeats: Any, cases: Coded | None, n: int, arguments: ArgumentNames
) -> FoldColumns | None:
    """The folds and repeats of n rows; None if no folds are given."""
    if folds is None:
        if repeats is not None:
            raise InputError(
                f"{arguments.repeats} are the repeats of a cross-validation, but the folds are missing; pass ",
                Option("folds"),
                ".",
            )
        return None
    fold = _labels(folds, n, arguments.folds, "fold")
    repeat = None if repeats is None else _labels(repeats, n, arguments.repeats, "repeat")
    if repeat is None:
        return FoldColumns(fold, None, np.arange(n))
    if cases is not None:
        return FoldColumns(fold, repeat, cases.codes.astype(np.int64), True)
    return FoldColumns(fold, repeat, _position(repeat.codes))


def _labels(data: Any, n: int, argument: str, noun: str) -> Coded:
    coded = encode(data, argument)
    if len(coded.codes) != n:
        raise InputError(f"{argument} must name one {noun} per row ({n}), got {len(coded.codes)}.")
    return coded


def _position(codes: CodeArray) -> IntArray:
    """The position of each row among the rows with the same code."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=codes[order[:1]] - 1))
    position = np.empty(len(codes), dtype=np.int64)
    position[order] = np.arange(len(codes)) - np.repeat(starts, np.diff(np.append(starts, len(codes))))
    return position


def as_folds(
    columns: FoldColumns,
    keep: BoolArray | None,
    truth: CodeArray,
    groups: IntArray | None,
    arguments: ArgumentNames,
) -> Folds:
    """Check that the rows are a cross-validation, and number its folds.

    Parameters
    ----------
    columns
        The folds and repeats of all rows.
    keep
        Which of these rows are complete; None if all are.
    truth, groups
        The classes, and the groups, of the complete rows.
    arguments
        The names of the arguments in messages.
    """
    kept = slice(None) if keep is None else keep
    fold, case = columns.folds.codes[kept], columns.cases[kept]
    repeat: IntArray = np.zeros(len(fold), dtype=np.int64)
    if columns.repeats is not None:
        labels, repeat = np.unique(columns.repeats.codes[kept], return_inverse=True)
        repeat_names = readable(tuple(columns.repeats.labels[i] for i in labels))
    else:
        repeat_names = ("",)
    pairs = repeat * len(columns.folds.labels) + fold
    used = np.bincount(pairs) > 0  # a table of all pairs is much faster than sorting them
    present = np.flatnonzero(used)
    codes = (np.cumsum(used) - 1).astype(np.int32)[pairs]
    repeat_of, fold_of = np.divmod(present, len(columns.folds.labels))
    _check_several(repeat_of, repeat_names, arguments)
    names = readable(columns.folds.labels)
    several = len(repeat_names) > 1
    by_group = groups is not None and not columns.named
    if several:
        _check_repeats(repeat, groups if by_group else case, truth, repeat_names, by_group, arguments)
    return Folds(
        codes,
        tuple(
            f"repeat {repeat_names[r]}, fold {names[f]}" if several else names[f]
            for r, f in zip(repeat_of.tolist(), fold_of.tolist(), strict=True)
        ),
        repeat_of,
        np.unique(case, return_inverse=True)[1] if several and not by_group else None,
    )


def _check_several(repeat_of: IntArray, names: tuple[str, ...], arguments: ArgumentNames) -> None:
    """Every repeat must have two or more folds."""
    counts = np.bincount(repeat_of)
    if counts.min() > 1:
        return
    where = f" in repeat {names[int(np.argmin(counts))]}" if len(names) > 1 else ""
    raise InputError(
        f"{arguments.folds} has one fold only{where}, but a cross-validation has two or more. For predictions of "
        "one model on one test set, leave out ",
        Option("folds"),
        "; for repeats of a cross-validation, pass ",
        Option("folds"),
        " and ",
        Option("repeats"),
        ".",
    )


def _check_repeats(
    repeat: IntArray,
    case: Any,
    truth: CodeArray,
    names: tuple[str, ...],
    grouped: bool,
    arguments: ArgumentNames,
) -> None:
    """Check that every repeat has each case as often (a group may have several cases) and with the same class."""
    classes = int(truth.max()) + 1
    present, key = np.unique(case * classes + truth, return_inverse=True)
    table = np.zeros((len(names), len(present)), dtype=np.int64)
    np.add.at(table, (repeat, key), 1)
    odd = (table != table[0]).any(axis=0)
    if odd.any():
        _raise_incomplete(table, int(np.argmax(odd)), len(truth), names, grouped, arguments)


def _raise_incomplete(
    table: IntArray, column: int, rows: int, names: tuple[str, ...], grouped: bool, arguments: ArgumentNames
) -> None:
    """Say which repeats differ, by their sizes if these do, else by the first case or group."""
    sizes = table.sum(axis=1)
    if sizes.min() < sizes.max():
        few, many = int(np.argmin(sizes)), int(np.argmax(sizes))
        problem = (
            f"repeat {names[few]} has {sizes[few]} rows and repeat {names[many]} has {sizes[many]}: a repeat does "
            "not cover all cases, or its test sets overlap"
        )
    elif grouped:
        odd = int(np.argmax(table[:, column] != table[0, column]))
        problem = (
            f"a group has {table[0, column]} cases of a class in repeat {names[0]} and {table[odd, column]} in "
            f"repeat {names[odd]}: a repeat does not cover all cases, its test sets overlap, or classes differ"
        )
    else:
        raise InputError(
            f"The repeats of the cross-validation ({rows} rows) do not have the same cases in the same order: "
            f"{arguments.truth} differs between repeats. Identify the cases with ",
            Option("groups"),
            ", or those of a file with ",
            Option("case"),
            ".",
        )
    raise InputError(
        f"{arguments.repeats} must have every case once in each repeat, but {problem}. Complete the repeats, or "
        "pass those that are complete."
    )
