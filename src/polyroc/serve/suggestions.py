"""Suggested roles of columns, with reasons; they are shown, and used only if the visitor accepts them."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from polyroc.io.preview import Column, Preview

__all__ = ["Suggestion", "suggestions"]

TRUTH = ("y", "y_true", "truth", "true", "label", "labels", "class", "target", "outcome", "diagnosis", "species")
CLASSIFIER = ("classifier", "model", "method", "learner", "algorithm")
CASE = ("case", "case_id", "id", "row", "index", "sample", "patient_case")
GROUPS = ("patient", "patient_id", "subject", "fold", "group", "groups", "cluster")
WEIGHT = ("weight", "weights", "sample_weight")


class Suggestion(NamedTuple):
    """A role, the columns suggested for it, and the reason."""

    role: str
    columns: tuple[str, ...]
    reason: str


def suggestions(seen: Preview) -> tuple[Suggestion, ...]:
    """Roles suggested by the names and values of the columns.

    >>> pets = Column("kind", False, None, None, ("cat", "dog"), 2)
    >>> p = [Column(f"p_{kind}", True, 0.1, 0.9, (), 500) for kind in pets.values]
    >>> [(each.role, each.columns) for each in suggestions(Preview((pets, *p), (), 1000))]
    [('truth', ('kind',)), ('scores', ('p_cat', 'p_dog'))]
    """
    columns = {column.name: column for column in seen.columns}
    by_name = [
        *_named(columns, "classifier", CLASSIFIER, lambda c: 1 < c.distinct <= 50),
        *_named(columns, "case", CASE, lambda c: c.distinct > 1),
        *_named(columns, "groups", GROUPS, lambda c: c.distinct > 1),
        *_named(columns, "weight", WEIGHT, lambda c: c.numeric and (c.low or 0) >= 0),
    ]
    taken = {name for suggestion in by_name for name in suggestion.columns}
    left = [column for column in seen.columns if column.name not in taken]
    truth = _truth(left)
    if truth is None:
        return tuple(by_name)
    scores = _scores([column for column in left if column is not truth[0]], truth[0])
    first = Suggestion("truth", (truth[0].name,), truth[1])
    return (first, *([scores] if scores else []), *by_name)


def _named(
    columns: dict[str, Column], role: str, names: Iterable[str], fits: Callable[[Column], bool]
) -> Iterable[Suggestion]:
    lower = {name.lower(): column for name, column in columns.items()}
    for name in names:
        if name in lower and fits(lower[name]):
            yield Suggestion(role, (lower[name].name,), f"a column of this name often is the {role}")
            return


def _truth(columns: list[Column]) -> tuple[Column, str] | None:
    """The column that others are named after, or one with a typical name, or the only column of text."""
    few = [column for column in columns if 2 <= column.distinct <= 50 and column.values]
    for column in few:
        if _by_class(columns, column):
            return column, "other columns are named after its values"
    for column in few:
        if column.name.lower() in TRUTH:
            return column, f"its name, and it has {column.distinct} distinct values"
    words = [column for column in few if not column.numeric]
    if len(words) == 1:
        return words[0], f"it is the only column of text, with {words[0].distinct} values"
    return None


def _by_class(columns: list[Column], truth: Column) -> tuple[str, ...]:
    """One column of numbers per value of the truth, named by a common beginning and the value."""
    names = [column.name for column in columns if column.numeric and column is not truth]
    for value in truth.values[:1]:
        for name in names:
            if name.endswith(value):
                wanted = tuple(name[: len(name) - len(value)] + other for other in truth.values)
                if all(column in names for column in wanted):
                    return wanted
    return ()


def _scores(columns: list[Column], truth: Column) -> Suggestion | None:
    by_class = _by_class([*columns, truth], truth)
    if by_class:
        return Suggestion("scores", by_class, "one column for each class, by their names")
    numbers = tuple(column.name for column in columns if column.numeric and column.distinct > 2)
    if truth.distinct == 2 and numbers:
        return Suggestion("scores", numbers[:1], "a column of numbers; two classes need one score")
    if len(numbers) == truth.distinct:
        return Suggestion("scores", numbers, "as many columns of numbers as there are classes")
    return None
