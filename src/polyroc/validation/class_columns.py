"""Which column of a table belongs to which class."""

from collections import Counter
from collections.abc import Hashable, Sequence

from polyroc.errors import InputError
from polyroc.messages import Option, short_repr
from polyroc.scores import readable

__all__ = ["are_numbers_only", "match_columns", "named_after"]


def match_columns(columns: Sequence[str], labels: Sequence[Hashable], what: str) -> list[int]:
    """Which column belongs to which label: by name, all with the same beginning and the same end added.

    >>> match_columns(["p_b", "p_a"], ["a", "b"], "y_score")
    [1, 0]
    """
    place = {column: i for i, column in enumerate(columns)}
    expected = _expected(columns, labels)
    if place.keys() == set(expected):
        return [place[name] for name in expected]
    trouble = [f"column {short_repr(column)} belongs to no class" for column in columns if column not in expected][
        :1
    ]
    names = zip(expected, labels, strict=True)
    trouble += [f"class {short_repr(label)} has no column" for name, label in names if name not in place][:1]
    raise InputError(
        f"The columns {short_repr(list(columns))} of {what} do not match the classes {short_repr(list(labels))}: "
        f"{' and '.join(trouble)}. Name the columns after the classes, or name every class with ",
        Option("labels", [...]),
        ".",
    )


def named_after(columns: Sequence[str], labels: Sequence[Hashable]) -> bool:
    """True if most columns are named after classes, so that their order alone cannot be meant.

    >>> named_after(["p_a", "p_c", "p_x"], "abc"), named_after(["first", "second", "third"], "abc")
    (True, False)
    """
    return 2 * len(set(columns) & set(_expected(columns, labels))) > len(columns)


def _expected(columns: Sequence[str], labels: Sequence[Hashable]) -> list[str]:
    """The names that the columns should have, in the order of the labels."""
    spellings = dict.fromkeys((readable(tuple(labels)), readable(tuple(_whole(label) for label in labels))))
    guesses = [_dressed(names, columns) for names in spellings]
    return max(guesses, key=lambda guess: len(set(columns) & set(guess)))


def _whole(label: Hashable) -> Hashable:
    """An integer that a missing neighbour has turned into a float, as an integer again."""
    return int(label) if isinstance(label, float) and label.is_integer() else label


def _dressed(names: Sequence[str], columns: Sequence[str]) -> list[str]:
    """The names with the beginning and the end that most columns add to a name; nothing if that fits as well."""
    bare = len(set(names) & set(columns))
    if bare == len(columns):
        return list(names)
    found = Counter({("", ""): bare})
    found.update(
        (column[:start], column[start + len(name) :])
        for name in names
        for column in columns
        if name in column and name != column
        for start in range(len(column) + 1)
        if column.startswith(name, start)
    )
    (head, tail), _ = found.most_common(1)[0]
    return [head + name + tail for name in names]


def are_numbers_only(columns: Sequence[str]) -> bool:
    """True if the columns have no names, only the numbers that pandas and Polars give to a bare array's."""
    return any(list(columns) == [f"{head}{i}" for i in range(len(columns))] for head in ("", "column_"))
