"""The form of the page: its fields, what it sends as options of `polyroc.read`, and its fields in messages."""

import json
from typing import Any

from polyroc.errors import InputError
from polyroc.messages import Option, Reference, short_repr

__all__ = ["FIELDS", "MORE", "ROLES", "as_columns", "field_spelling"]

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
}
CHOICES = {"missing": "drop", "sampling": "case-control", "weight_kind": "frequency"}  # if not the default


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
    if not _text(sent.get("truth")):
        raise InputError("Choose the column of the true classes.")
    scores = sent.get("scores")
    if not isinstance(scores, list) or not scores or not all(map(_text, scores)):
        raise InputError("Choose the column or columns of the scores.")
    columns: dict[str, Any] = {"scores": scores}
    columns |= {role: sent[role] for role in ROLES if role != "scores" and _text(sent.get(role))}
    labels = sent.get("labels") or []
    if not isinstance(labels, list) or not all(map(_text, labels)):
        raise InputError("The classes in order must be a list of their names.")
    if labels:
        columns["labels"] = labels
    if _text(sent.get("pos_label")):
        columns["pos_label"] = sent["pos_label"]
    columns |= {name: choice for name, choice in CHOICES.items() if sent.get(name) == choice}
    if "weight" not in columns:
        columns.pop("weight_kind", None)
    return columns


def _text(value: Any) -> bool:
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
