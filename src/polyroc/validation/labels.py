"""Labels of any hashable type as codes; the order of the classes, and the positive one."""

from collections.abc import Hashable, Sequence
from typing import Any, cast

import numpy as np

from polyroc.errors import InputError
from polyroc.messages import Option, short_repr
from polyroc.scores import Coded, Kind
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.arrays import Array, as_array
from polyroc.validation.tensors import is_tensor_type

__all__ = [
    "MAX_CLASSES",
    "Coded",
    "check_class_count",
    "encode",
    "in_order",
    "is_hashable",
    "is_missing",
    "positive_class",
    "renumber",
    "seem_identifiers",
    "sortable",
]

MAX_CLASSES = 1000  # without one column of predictions per class
FEW_CLASSES = 20  # that may be nearly as many as cases
LARGEST_WHOLE = 2**16  # of labels that are floats
FEW_LABELS = 8  # of text, up to which comparing all cases with each is faster than a dictionary


def encode(y: Any, argument: str) -> Coded:
    """Number the labels: sorted if possible, otherwise in the order of appearance.

    >>> encode(["b", "a", None, "b"], "y_true")
    Coded(codes=array([ 1,  0, -1,  1], dtype=int32), labels=('a', 'b'))
    """
    if isinstance(y, Coded):
        return _tidy(y.codes, y.labels)
    array = _from_list(y, argument) if isinstance(y, list | tuple) else as_array(y, argument)
    if array.ndim != 1:
        raise InputError(
            f"{argument} must hold one label per case (1-D), got shape {array.shape}; give one column."
        )
    if not isinstance(array, np.ma.MaskedArray):
        return _encode(array, argument)
    present = _encode(array.compressed(), argument)
    codes = np.full(len(array), -1, dtype=np.int32)
    codes[~np.ma.getmaskarray(array)] = present.codes
    return Coded(codes, present.labels)


def _from_list(y: Sequence[Any], argument: str) -> Array:
    """Labels as an array, without numpy's conversions of 1 to "1" or 1.0, and of tuples to columns."""
    kinds = set(map(type, y))
    if kinds & {list, np.ndarray} or any(map(is_tensor_type, kinds)):
        return as_array(y, argument)
    for kind, letters in (((int, np.integer), "biu"), ((float, np.floating), "f")):
        if all(issubclass(label_type, kind) for label_type in kinds):
            array = np.asarray(y)
            if array.dtype.kind in letters:  # false for integers too large for numpy
                return array
    return np.fromiter(y, dtype=object, count=len(y))


def _encode(y: Array, argument: str) -> Coded:
    if len(y) == 0:
        return Coded(np.zeros(0, dtype=np.int32), ())
    if y.dtype.kind == "b":
        return _tidy(y.astype(np.int32), (False, True))
    if y.dtype.kind in "iu":
        return _encode_integers(y)
    if y.dtype.kind == "f":
        return _encode_floats(y)
    text = _encode_text(y) if y.dtype.kind in "US" else None
    return _encode_objects(y, argument) if text is None else text


def _encode_integers(y: Array) -> Coded:
    low, high = int(y.min()), int(y.max())
    if high - low > 65_535:  # a table of all integers in between would be large
        values, codes = np.unique(y, return_inverse=True)
        return _tidy(codes, values.tolist())
    if high - low == 1:
        return Coded((y == high).astype(np.int32), (low, high))
    above = y.astype(np.int64, copy=False) - y.min().astype(np.int64)  # correct even if both wrap around
    return _tidy(above.astype(np.int32), range(low, high + 1))


def _encode_floats(y: Array) -> Coded:
    # Whole numbers are numbered without sorting them, which takes ten times as long. Of nan no comparison is true.
    low, high = float(y.min()), float(y.max())
    if max(-low, high) <= LARGEST_WHOLE:
        whole = y.astype(np.int32)
        if (whole == y).all():
            coded = _encode_integers(whole)
            return Coded(coded.codes, tuple(float(cast("int", label)) for label in coded.labels))
    values, codes = np.unique(y, return_inverse=True)
    return _tidy(codes, values.tolist())


def _encode_text(y: Array) -> Coded | None:
    """Labels that numpy holds as text, each compared with all cases at once; None if there are many different."""
    codes, first = np.full(len(y), -1, dtype=np.int32), 0
    labels: list[Any] = []
    while first >= 0:
        if len(labels) == FEW_LABELS:
            return None
        codes[y == y[first]] = len(labels)
        labels.append(y[first].item())
        first = int(codes.argmin())  # the first case without a code, if there is one
        first = first if codes[first] < 0 else -1
    return _tidy(codes, labels)


def _encode_objects(y: Array, argument: str) -> Coded:
    index: dict[Any, int] = {}
    labels = y.tolist()
    try:
        codes = np.fromiter((index.setdefault(label, len(index)) for label in labels), np.int32, count=len(y))
    except TypeError:
        label = next(label for label in labels if not is_hashable(label))
        raise InputError(
            f"{argument} holds {short_repr(label)}, a {type(label).__name__}, which cannot be a label; "
            "use strings, numbers or tuples."
        ) from None
    return _tidy(codes, list(index))


def _tidy(codes: Array, labels: Sequence[Any]) -> Coded:
    """Remove missing labels and labels without cases, and sort the others if possible."""
    from polyroc.kernels.class_blocks import count  # imported late: help and messages need no compiler

    plain = [label.item() if isinstance(label, np.bool_ | np.number | np.character) else label for label in labels]
    codes = codes.astype(np.int32, copy=False)
    used = count(codes, len(plain)).tolist()
    kept = [label for label, count in zip(plain, used, strict=True) if count and not is_missing(label)]
    number = {label: i for i, label in enumerate(dict.fromkeys(sorted(kept) if sortable(kept) else kept))}
    table = [number.get(label, -1) for label in plain]
    if table != list(range(len(plain))):
        codes = np.array([*table, -1], dtype=np.int32)[codes]
    return Coded(codes, tuple(number))


def is_missing(label: Any) -> bool:
    """True for None, pandas' NA, and anything that is not equal to itself, such as nan."""
    if label is None or type(label).__name__ == "NAType":
        return True
    if isinstance(label, np.ndarray):
        return False
    try:
        return bool(label != label)
    except (TypeError, ValueError):  # a table, say
        return False


def is_hashable(label: Any) -> bool:
    """True if the label can be a key of a mapping."""
    try:
        hash(label)
    except TypeError:
        return False
    return True


def sortable(labels: Sequence[Any]) -> bool:
    """True if the labels can be sorted."""
    try:
        sorted(labels)
    except TypeError:
        return False
    return True


def in_order(truth: Coded, labels: Sequence[Hashable] | None, arguments: ArgumentNames) -> Coded:
    """The true classes, numbered in the order of `labels`, or sorted if there are none."""
    if len(truth.codes) == 0:
        raise InputError(f"{arguments.truth} is empty; give cases of at least two classes.")
    if labels is None:
        _check_classes(truth.labels, arguments)
        return truth
    order = _order(labels)
    advice = f"which is not among labels {short_repr(list(order))}; add it there"
    return renumber(truth, order, arguments.truth, advice, arguments)


def _check_classes(labels: tuple[Hashable, ...], arguments: ArgumentNames) -> None:
    if len(labels) < 2:
        content = f"one class only ({short_repr(labels[0])})" if labels else "no label at all"
        raise InputError(
            f"{arguments.truth} holds {content}; ROC analysis needs cases of at least two classes. If "
            "other classes exist "
            "but have no case here, name them all with ",
            Option("labels", [...]),
            ".",
        )
    if not sortable(labels):
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise InputError(
            f"{arguments.truth} holds labels that cannot be sorted (types: {kinds}); give their order with ",
            Option("labels", [...]),
            ".",
        )


def seem_identifiers(classes: int, cases: int) -> bool:
    """Return True if there are nearly as many labels as cases."""
    return classes > max(FEW_CLASSES, cases // 2)


def check_class_count(classes: int, cases: int | None, arguments: ArgumentNames) -> None:
    """Raise an error if there are too many classes for predictions that do not have one column for each.

    `cases` is None if their number is not known.
    """
    if classes <= MAX_CLASSES and (cases is None or not seem_identifiers(classes, cases)):
        return
    among = "" if cases is None else f" in {cases:,} cases"
    question: tuple[str | Option, ...] = (f"or exchanged with {arguments.scores}? Pass the classes as y_true",)
    if arguments.truth != "y_true":
        question = "or is another column meant? Name that of the classes with ", Option("truth", ...)
    raise InputError(
        f"{arguments.truth} holds {classes:,} different labels{among}; is it an identifier, ",
        *question,
        f". (More than {MAX_CLASSES:,} classes need one column of predictions for each.)",
    )


def _order(labels: Any) -> tuple[Hashable, ...]:
    if isinstance(labels, set | frozenset):
        raise InputError(f"labels must be a list, since a set has no order; got {short_repr(labels)}.")
    named = encode(labels, "labels")
    if (named.codes < 0).any():
        raise InputError("labels holds a missing value, which is no class; leave it out.")
    if len(named.labels) < 2 or len(named.labels) < len(named.codes):
        got = [named.labels[code] for code in named.codes]
        raise InputError(
            f"labels must name at least two classes, each once, got {short_repr(got)}; use ",
            Option("labels", [...]),
            ".",
        )
    return tuple(named.labels[code] for code in named.codes)


def renumber(
    coded: Coded, order: tuple[Hashable, ...], argument: str, advice: str, arguments: ArgumentNames
) -> Coded:
    """The same labels, numbered by their position in `order`.

    Raises `InputError` for a label that is not there; `advice` says what to do then.
    """
    number = {label: i for i, label in enumerate(order)}
    unknown = [i for i, label in enumerate(coded.labels) if label not in number]
    if unknown:
        where = f" ({arguments.where(coded.codes == unknown[0])})" if arguments.row else ""
        label = short_repr(coded.labels[unknown[0]])
        raise InputError(f"{argument} holds {label}{where}, ", advice, ", or correct the data.")
    if order == coded.labels:
        return Coded(coded.codes, order)
    table = np.array([*(number[label] for label in coded.labels), -1], dtype=np.int32)
    return Coded(table[coded.codes], order)


def positive_class(
    labels: tuple[Hashable, ...], pos_label: Hashable, kind: Kind, ordered: bool, arguments: ArgumentNames
) -> int | None:
    """The position of the positive class of two; None where it does not matter.

    It is `pos_label`, the 1 of 0/1 and -1/1, or the last of the labels where their order was given; never guessed.
    """
    if pos_label is not None:
        return _position_of(labels, pos_label)
    if len(labels) != 2:
        return None
    if ordered or labels in ((0, 1), (-1, 1)):
        return 1
    if kind == "score":
        raise InputError(
            f"The positive class is ambiguous: {arguments.truth} takes values in "
            f"{{{short_repr(labels)[1:-1]}}} and ",
            Option("pos_label"),
            f" is not specified. For the class that high values of {arguments.scores} indicate, use ",
            Option("pos_label", *reversed(labels)),
            ".",
        )
    return None


def _position_of(labels: tuple[Hashable, ...], pos_label: Hashable) -> int:
    if len(labels) != 2:
        raise InputError(
            Option("pos_label"),
            f" is for two classes, but there are {len(labels)}: {short_repr(list(labels))}; leave it out.",
        )
    number = {label: i for i, label in enumerate(labels)}
    if not is_hashable(pos_label) or pos_label not in number:
        raise InputError(
            Option("pos_label"),
            f" must be one of the classes {short_repr(list(labels))}, got {short_repr(pos_label)}.",
        )
    return number[pos_label]
