"""Classes get their order; the positive class is told, not guessed."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from polyroc._normalise.coding import Coded, encode, is_hashable, sortable
from polyroc._normalise.words import Words, shown
from polyroc.errors import InputError
from polyroc.scores import Kind

__all__ = ["in_order", "positive_class", "renumber"]


def in_order(truth: Coded, labels: Sequence[Hashable] | None, words: Words) -> Coded:
    """Number the classes in the caller's order, or make sure that sorting gave one."""
    if len(truth.codes) == 0:
        raise InputError(f"{words.truth} is empty; give cases of at least two classes.")
    if labels is None:
        _check_found(truth.labels, words)
        return truth
    order = _order(labels)
    trouble = f"which is not among labels {shown(list(order))}; add it there"
    return renumber(truth, order, words.truth, trouble, words)


def _check_found(labels: tuple[Hashable, ...], words: Words) -> None:
    if len(labels) < 2:
        held = f"one class only ({shown(labels[0])})" if labels else "no label at all"
        raise InputError(
            f"{words.truth} holds {held}; ROC analysis needs cases of at least two classes. "
            "If other classes exist but have no case here, name them all with labels=[...]."
        )
    if not sortable(labels):
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise InputError(
            f"{words.truth} holds labels that cannot be sorted (kinds: {kinds}); give their order as labels=[...]."
        )


def _order(labels: Any) -> tuple[Hashable, ...]:
    if isinstance(labels, set | frozenset):
        raise InputError(f"labels must be a list, since a set has no order; got {shown(labels)}.")
    named = encode(labels, "labels")
    if (named.codes < 0).any():
        raise InputError("labels holds a missing value, which is no class; leave it out.")
    if len(named.labels) < 2 or len(named.labels) < len(named.codes):
        got = [named.labels[code] for code in named.codes]
        raise InputError(f"labels must name at least two classes, each once, got {shown(got)}; correct the list.")
    return tuple(named.labels[code] for code in named.codes)


def renumber(found: Coded, order: tuple[Hashable, ...], what: str, trouble: str, words: Words) -> Coded:
    """The same labels, numbered by their place in `order`; a label that is not there is an error."""
    number = {label: i for i, label in enumerate(order)}
    unknown = [i for i, label in enumerate(found.labels) if label not in number]
    if unknown:
        where = words.where(found.codes == unknown[0])
        label = shown(found.labels[unknown[0]])
        raise InputError(f"{what} holds {label} ({where}), {trouble}, or correct the data.")
    if order == found.labels:
        return Coded(found.codes, order)
    table = np.array([*(number[label] for label in found.labels), -1], dtype=np.int32)
    return Coded(table[found.codes], order)


def positive_class(
    labels: tuple[Hashable, ...], pos_label: Hashable, kind: Kind, ordered: bool, words: Words
) -> int | None:
    """The positive class of two: said, conventional, or the last of the labels given. Never guessed."""
    if pos_label is not None:
        return _said(labels, pos_label)
    if len(labels) != 2:
        return None
    if ordered or labels in ((0, 1), (-1, 1)):
        return 1
    if kind == "score":
        raise InputError(
            f"The positive class, which high values of {words.scores} indicate, is ambiguous. The classes are "
            f"{shown(list(labels))}; say pos_label={shown(labels[1])} or pos_label={shown(labels[0])}."
        )
    return None


def _said(labels: tuple[Hashable, ...], pos_label: Hashable) -> int:
    if len(labels) != 2:
        raise InputError(
            f"pos_label is for two classes, but there are {len(labels)}: {shown(list(labels))}; leave it out."
        )
    number = {label: i for i, label in enumerate(labels)}
    if not is_hashable(pos_label) or pos_label not in number:
        raise InputError(
            f"pos_label must be one of the classes, got {shown(pos_label)}; the classes are {shown(list(labels))}."
        )
    return number[pos_label]
