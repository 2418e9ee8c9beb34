"""Labels as a command line gives them: matched to the column's labels by their text."""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set

import numpy as np

from polyroc.errors import InputError

__all__ = ["as_labels", "like"]

_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}


def as_labels(labels: Sequence[Hashable] | None, found: Sequence[Hashable]) -> tuple[Hashable, ...] | None:
    """The labels given, each of the kind that the column holds.

    >>> as_labels(["2", "1"], [1, 2])
    (2, 1)
    """
    if labels is None:
        return None
    if isinstance(labels, str | Set | Mapping) or not isinstance(labels, Iterable):
        raise InputError(
            f"labels must be a list of the classes in their order, got {labels!r}; write labels=[...]."
        )
    given = labels.tolist() if isinstance(labels, np.ndarray) else labels
    return tuple(like(label, found) for label in given)


def like(label: Hashable, found: Sequence[Hashable]) -> Hashable:
    """The label itself if the column holds it, else the label of the column's kind with the same text.

    >>> like("1", [0, 1]), like("true", [False, True]), like(1, ["0", "1"]), like("x", [0, 1])
    (1, True, '1', 'x')
    """
    if label is None or not found or label in found:
        return label
    kinds = {type(value) for value in found}
    if kinds == {str}:
        return str(label)
    if not isinstance(label, str):
        return label
    if kinds == {bool}:
        return _BOOLEANS.get(label.strip().lower(), label)
    try:
        return int(label) if kinds == {int} else float(label)
    except ValueError:
        return label
