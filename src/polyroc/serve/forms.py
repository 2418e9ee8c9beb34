"""What the page asks for, as options of `polyroc.read`."""

import json
import re
from typing import Any

from polyroc.errors import InputError

__all__ = ["as_columns", "for_visitors"]


ROLES = ("classifier", "case", "class_", "weight", "groups")
CHOICES = {"missing": "drop", "sampling": "case-control", "weight_kind": "frequency"}  # if not the default
LARGEST = 2**20


def as_columns(body: bytes) -> dict[str, Any]:
    """Options from the page's JSON; names of columns are checked where the file is read.

    >>> as_columns(b'{"truth": "kind", "scores": ["p_cat", "p_dog"], "groups": "", "labels": []}')
    {'truth': 'kind', 'scores': ['p_cat', 'p_dog']}
    """
    try:
        asked = json.loads(body) if len(body) <= LARGEST else None
    except ValueError:
        asked = None
    if not isinstance(asked, dict):
        raise InputError("The page sent something that is not a choice of columns; load it again.")
    if not _text(asked.get("truth")):
        raise InputError("Say which column holds the true classes.")
    scores = asked.get("scores")
    if not isinstance(scores, list) or not scores or not all(map(_text, scores)):
        raise InputError("Say which column or columns hold the scores.")
    columns: dict[str, Any] = {"truth": asked["truth"], "scores": scores}
    columns |= {role: asked[role] for role in ROLES if _text(asked.get(role))}
    labels = asked.get("labels") or []
    if not isinstance(labels, list) or not all(map(_text, labels)):
        raise InputError("The classes in order must be a list of their names.")
    if labels:
        columns["labels"] = labels
    if _text(asked.get("pos_label")):
        columns["pos_label"] = asked["pos_label"]
    columns |= {name: choice for name, choice in CHOICES.items() if asked.get(name) == choice}
    if "weight" not in columns:
        columns.pop("weight_kind", None)
    return columns


def _text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


WHERE = 'under "More to say"'
WORDS = (
    (r"say pos_label=(.+?) or (?:pos_label=)?(.+?)\.", rf"name the positive one {WHERE}: \1 or \2."),
    (r"say missing='drop' to leave such rows out", f"tick {WHERE} that rows with missing values are left out"),
    (r"(?:in|with|as) (?:the order of )?labels=\[\.\.\.\]", f"{WHERE}, the classes in order"),
)


def for_visitors(message: str) -> str:
    """What to do next, for somebody who sees the form and not the call.

    >>> print(for_visitors("auc needs to know the positive class; say pos_label='dog' or 'cat'."))
    auc needs to know the positive class; name the positive one under "More to say": 'dog' or 'cat'.
    """
    for call, words in WORDS:
        message = re.sub(call, words, message)
    return message
