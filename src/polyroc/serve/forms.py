"""The form of the page: its fields, what they send to `polyroc.read`, and suggested roles of columns."""

import json
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from polyroc.errors import InputError
from polyroc.messages import Option, Reference, short_repr

if TYPE_CHECKING:
    from polyroc.io.preview import Column, Preview

__all__ = ["FIELDS", "MORE", "ROLES", "as_columns", "field_spelling", "suggestions"]

# what a column can be chosen as, by option
ROLES = {
    "truth": "true class",
    "scores": "score",
    "classifier": "classifier",
    "case": "case",
    "class_": "class of the score",
    "weight": "weight",
    "groups": "group",
}
MORE = "More options"
# the fields under MORE, by option
FIELDS = {
    "labels": "Classes in order",
    "pos_label": "Positive class",
    "missing": "Drop rows with missing values",
    "sampling": "Case-control sampling",
    "weight_kind": "Frequency weights",
    "decimal": "Decimal commas",
}
CHOICES = {
    "missing": "drop",
    "sampling": "case-control",
    "weight_kind": "frequency",
    "decimal": ",",
}  # if not the default
TRUTH = ("y", "y_true", "truth", "true", "label", "labels", "class", "target", "outcome", "diagnosis", "species")
CLASSIFIER = ("classifier", "model", "method", "learner", "algorithm")
CASE = ("case", "case_id", "id", "row", "index", "sample", "patient_case")
GROUPS = ("patient", "patient_id", "subject", "fold", "group", "groups", "cluster")
WEIGHT = ("weight", "weights", "sample_weight")


def as_columns(body: bytes) -> dict[str, Any]:
    """Options from the page's JSON; names of columns are checked where the file is read.

    >>> as_columns(b'{"truth": "kind", "scores": ["p_cat", "p_dog"], "groups": "", "labels": []}')
    {'scores': ['p_cat', 'p_dog'], 'truth': 'kind'}
    """
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):  # not JSON, or nested without end
        sent = None
    if not isinstance(sent, dict):
        raise InputError("The page sent something that is not a choice of columns; reload it.")
    if not _is_text(sent.get("truth")):
        raise InputError("Choose the column of the true classes.")
    scores = sent.get("scores")
    if not isinstance(scores, list) or not scores or not all(map(_is_text, scores)):
        raise InputError("Choose the column or columns of the scores.")
    columns: dict[str, Any] = {"scores": scores}
    columns |= {role: sent[role] for role in ROLES if role != "scores" and _is_text(sent.get(role))}
    labels = sent.get("labels") or []
    if not isinstance(labels, list) or not all(map(_is_text, labels)):
        raise InputError("The classes in order must be a list of their names.")
    if labels:
        columns["labels"] = labels
    if _is_text(sent.get("pos_label")):
        columns["pos_label"] = sent["pos_label"]
    columns |= {name: choice for name, choice in CHOICES.items() if sent.get(name) == choice}
    if "weight" not in columns:
        columns.pop("weight_kind", None)
    return columns


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def field_spelling(reference: Reference) -> str:
    """An option as the field of the page that sets it; as in Python where the page has none.

    >>> print(field_spelling(Option("pos_label", "dog", "cat")))
    "Positive class" under "More options" ('dog' or 'cat')
    >>> print(field_spelling(Option("missing", "drop")))
    "Drop rows with missing values" under "More options"
    >>> print(field_spelling(Option("case", ...)))
    "case"
    """
    if not isinstance(reference, Option):
        return str(reference)
    if reference.name in ROLES:
        return f'"{ROLES[reference.name]}"'
    if reference.name not in FIELDS:
        return str(reference)
    field = f'"{FIELDS[reference.name]}" under "{MORE}"'
    if reference.name in CHOICES or reference.values in ((), (...,), ([...],)):
        return field
    return f"{field} ({' or '.join(map(short_repr, reference.values))})"


class Suggestion(NamedTuple):
    """A role, the columns suggested for it, and the reason."""

    role: str
    columns: tuple[str, ...]
    reason: str


def suggestions(seen: "Preview") -> tuple[Suggestion, ...]:
    """Roles suggested by the names and values of the columns.

    >>> from polyroc.io.preview import Column, Preview
    >>> pets = Column("kind", False, None, None, ("cat", "dog"), 2)
    >>> p = [Column(f"p_{kind}", True, 0.1, 0.9, (), 500) for kind in pets.values]
    >>> [(role, columns) for role, columns, _ in suggestions(Preview((pets, *p), (), 1000))]
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
    columns: "dict[str, Column]", role: str, names: Iterable[str], fits: "Callable[[Column], bool]"
) -> Iterable[Suggestion]:
    lower = {name.lower(): column for name, column in columns.items()}
    for name in names:
        if name in lower and fits(lower[name]):
            yield Suggestion(role, (lower[name].name,), f"a column of this name often is the {role}")
            return


def _truth(columns: "list[Column]") -> "tuple[Column, str] | None":
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


def _by_class(columns: "list[Column]", truth: "Column") -> tuple[str, ...]:
    """One column of numbers per value of the truth, named by a common beginning and the value."""
    names = [column.name for column in columns if column.numeric and column is not truth]
    for value in truth.values[:1]:
        for name in names:
            if name.endswith(value):
                wanted = tuple(name[: len(name) - len(value)] + other for other in truth.values)
                if all(column in names for column in wanted):
                    return wanted
    return ()


def _scores(columns: "list[Column]", truth: "Column") -> Suggestion | None:
    by_class = _by_class([*columns, truth], truth)
    if by_class:
        return Suggestion("scores", by_class, "one column for each class, by their names")
    numbers = tuple(column.name for column in columns if column.numeric and column.distinct > 2)
    if truth.distinct == 2 and numbers:
        return Suggestion("scores", numbers[:1], "a column of numbers; two classes need one score")
    if len(numbers) == truth.distinct:
        return Suggestion("scores", numbers, "as many columns of numbers as there are classes")
    return None
