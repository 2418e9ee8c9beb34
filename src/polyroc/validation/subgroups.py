"""Columns that divide the cases into subgroups: arrays, series and data frames as labels, by name."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import IntArray
from polyroc.messages import Option, short_repr
from polyroc.scores import Coded, Scores
from polyroc.validation.arguments import ArgumentNames, did_you_mean
from polyroc.validation.arrays import Missing, complete_rows
from polyroc.validation.data_frames import check_alignment, ordered_categories
from polyroc.validation.labels import encode

__all__ = ["by_columns", "split_cases", "with_subgroups"]

UNNAMED = "by"  # the name of a column that has none

Group = tuple[Hashable, ...]


def by_columns(by: Any, n: int, arguments: ArgumentNames | None = None) -> dict[str, Coded]:
    """The columns of `by` as labels, by name; missing values have the code -1.

    Parameters
    ----------
    by
        An array with one entry per case, a mapping from names to such arrays, a list of arrays, or a data frame.
    n
        The number of cases.
    arguments
        The names of the arguments in messages.

    >>> by_columns({"sex": ["f", "m", "f"]}, 3)
    {'sex': Coded(codes=array([0, 1, 0], dtype=int32), labels=('f', 'm'))}
    """
    if isinstance(by, str):
        raise InputError(
            Option("by", by),
            " is the name of a column, but the cases are arrays; pass its values, one per case, as an array, or ",
            Option("by", {"NAME": ...}),
            ".",
        )
    arguments, columns = arguments or ArgumentNames(), _named(by)
    if not columns:
        raise InputError(f"by names no column, got {short_repr(by)}; leave it out, or give one value per case.")
    coded = {}
    for name, data in columns.items():
        labels = _in_stated_order(data, encode(data, f"{arguments.by} {name!r}"))
        if len(labels.codes) != n:
            raise InputError(
                f"by must have one entry per case ({n}), got {len(labels.codes)}"
                f"{'' if name == UNNAMED else f' in {name!r}'}; pass an array, a mapping from names to arrays, or "
                "a data frame."
            )
        coded[name] = labels
    return coded


def _named(by: Any) -> dict[str, Any]:
    """The columns by name."""
    if isinstance(by, Mapping):
        return {str(name): data for name, data in by.items()}
    if isinstance(by, Coded):
        return {UNNAMED: by}
    if hasattr(by, "columns"):  # a data frame; a pyarrow table has column_names
        names = [*(getattr(by, "column_names", None) or by.columns)]
        return {str(name): by[name] for name in names}
    if isinstance(by, np.ndarray) and by.ndim == 2:
        by = [*by.T]
    if isinstance(by, list | tuple) and len(by) and all(_is_column(item) for item in by):
        return {_name(item) or f"{UNNAMED} {place}": item for place, item in enumerate(by, 1)}
    return {_name(by) or UNNAMED: by}


def _is_column(item: Any) -> bool:
    """True for an array, a series or a list; False for a label, which may be a tuple."""
    return isinstance(item, list | np.ndarray) or (hasattr(item, "dtype") and np.ndim(item) > 0)


def _name(data: Any) -> str | None:
    """The name of a series."""
    name = getattr(data, "name", None)
    return name if isinstance(name, str) and name else None


def _in_stated_order(data: Any, coded: Coded) -> Coded:
    """The labels in the order of an ordered categorical, if the column is one."""
    categories = ordered_categories(data)
    if categories is None:
        return coded
    order = [label for label in categories if label in coded.labels]
    number = np.array([*(order.index(label) for label in coded.labels), -1], dtype=np.int32)
    return Coded(number[coded.codes], tuple(order))


def with_subgroups(scores: Scores, by: Any, missing: Missing = "raise") -> Scores:
    """The scores with the requested columns of `by` only: stored ones by name, or passed ones."""
    names = [by] if isinstance(by, str) else by
    if isinstance(names, list | tuple) and names and all(isinstance(name, str) for name in names):
        known = all(name in scores.by for name in names)
        if known or isinstance(by, str) or len(names) != len(scores):
            return scores._replace(by={name: _stored(scores, name) for name in names})
    check_alignment(by=by)
    columns = by_columns(by, len(scores))
    codes = {f"by {name!r}": column.codes for name, column in columns.items()}
    keep = complete_rows(scores.codes, {}, None, codes, missing, ArgumentNames())
    divided = scores._replace(by=columns)
    if keep is None:
        return divided
    return divided.subset(keep)._replace(dropped=scores.dropped + int((~keep).sum()))


def _stored(scores: Scores, name: str) -> Coded:
    if name in scores.by:
        return scores.by[name]
    stored = did_you_mean(name, scores.by) if scores.by else "they have none."
    raise InputError(
        f"There is no column {name!r} (",
        Option("by"),
        f") in these Scores; {stored} Pass its values, one per case, or name it when the scores are read: ",
        Option("by", name),
        " of polyroc.read.",
    )


def split_cases(scores: Scores) -> dict[Group, IntArray]:
    """By combination of the values of all columns of `by` that occurs, the positions of its cases, in order.

    >>> scores = Scores([0, 1, 1], [0.2, 0.9, 0.4], by={"sex": ["f", "m", "f"]})
    >>> split_cases(scores)
    {('f',): array([0, 2]), ('m',): array([1])}
    """
    columns = [*scores.by.values()]
    codes = np.zeros(len(scores), dtype=np.int64)
    for column in columns:
        codes = codes * len(column.labels) + column.codes
    groups = {}
    for code in np.unique(codes).tolist():
        cases, rest, values = np.flatnonzero(codes == code), code, list[Hashable]()
        for column in reversed(columns):
            rest, place = divmod(rest, len(column.labels))
            values.append(column.labels[place])
        groups[tuple(reversed(values))] = cases
    _check_repeats(scores, groups)
    return groups


def _check_repeats(scores: Scores, groups: Mapping[Group, IntArray]) -> None:
    """Raise an error if the rows of a case in different repeats are in different subgroups."""
    folds = scores.folds
    if folds is None or folds.repeats == 1:
        return
    for group, cases in groups.items():
        rows = np.bincount(folds.repeat[folds.codes[cases]], minlength=folds.repeats)
        if rows.min() < rows.max():
            raise InputError(
                f"by must have the same value in all rows of a case, but the subgroup {', '.join(map(str, group))}"
                f" has from {rows.min()} to {rows.max()} rows in a repeat; correct it, or pass one repeat."
            )
