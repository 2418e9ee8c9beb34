"""Labels of any hashable kind become codes."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polyroc._normalise.frames import Array, as_array
from polyroc._normalise.words import shown
from polyroc.errors import InputError
from polyroc.kernels.arrays import CodeArray

__all__ = ["Coded", "encode", "is_hashable", "is_missing", "sortable"]


class Coded(NamedTuple):
    """Labels that are already numbered: `labels[codes[i]]` is the label of case i; code -1 is missing."""

    codes: CodeArray
    labels: tuple[Hashable, ...]


def encode(y: Any, what: str) -> Coded:
    """Number the labels, sorted where they can be, in the order of appearance otherwise.

    >>> encode(["b", "a", None, "b"], "y_true")
    Coded(codes=array([ 1,  0, -1,  1], dtype=int32), labels=('a', 'b'))
    """
    if isinstance(y, Coded):
        return _tidy(y.codes, y.labels)
    array = _from_list(y, what) if isinstance(y, list | tuple) else as_array(y, what)
    if array.ndim != 1:
        raise InputError(f"{what} must hold one label per case (1-D), got shape {array.shape}; give one column.")
    if not isinstance(array, np.ma.MaskedArray):
        return _encode(array, what)
    present = _encode(array.compressed(), what)
    codes = np.full(len(array), -1, dtype=np.int32)
    codes[~np.ma.getmaskarray(array)] = present.codes
    return Coded(codes, present.labels)


def _from_list(y: Sequence[Any], what: str) -> Array:
    """Labels as an array, without letting numpy turn 1 into "1" or 1.0, or a tuple into columns."""
    kinds = set(map(type, y))
    if kinds & {list, np.ndarray}:
        return as_array(y, what)
    for kind, letters in (((int, np.integer), "biu"), ((float, np.floating), "f")):
        if all(issubclass(each, kind) for each in kinds):
            array = np.asarray(y)
            if array.dtype.kind in letters:  # not so for integers too big for numpy
                return array
    return np.fromiter(y, dtype=object, count=len(y))


def _encode(y: Array, what: str) -> Coded:
    if len(y) == 0:
        return Coded(np.zeros(0, dtype=np.int32), ())
    if y.dtype.kind == "b":
        return _tidy(y.astype(np.int32), (False, True))
    if y.dtype.kind in "iu":
        return _encode_integers(y)
    if y.dtype.kind == "f":
        values, codes = np.unique(y, return_inverse=True)
        return _tidy(codes, values.tolist())
    return _encode_objects(y, what)


def _encode_integers(y: Array) -> Coded:
    low, high = int(y.min()), int(y.max())
    if high - low > 65_535:  # a table of every integer in between would not be small
        values, codes = np.unique(y, return_inverse=True)
        return _tidy(codes, values.tolist())
    if high - low == 1:
        return Coded((y == high).astype(np.int32), (low, high))
    above = y.astype(np.int64, copy=False) - y.min().astype(np.int64)  # right even where both wrap around
    return _tidy(above.astype(np.int32), range(low, high + 1))


def _encode_objects(y: Array, what: str) -> Coded:
    index: dict[Any, int] = {}
    labels = y.tolist()
    try:
        codes = np.fromiter((index.setdefault(label, len(index)) for label in labels), np.int32, count=len(y))
    except TypeError:
        label = next(label for label in labels if not is_hashable(label))
        raise InputError(
            f"{what} holds {shown(label)}, a {type(label).__name__}, which cannot be a label; "
            "use strings, numbers or tuples."
        ) from None
    return _tidy(codes, list(index))


def _tidy(codes: Array, labels: Sequence[Any]) -> Coded:
    """Leave out the labels that are missing or that no case has, and sort the others if they can be."""
    from polyroc.kernels.grouping import count  # not above: messages and help need no compiler

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
    """None, pandas' NA, and whatever is not equal to itself, such as nan."""
    if label is None or type(label).__name__ == "NAType":
        return True
    try:
        return bool(label != label)
    except (TypeError, ValueError):  # an array, say
        return False


def is_hashable(label: Any) -> bool:
    """True if it can be looked up; of a tuple, if all inside it can."""
    try:
        hash(label)
    except TypeError:
        return False
    return True


def sortable(labels: Sequence[Any]) -> bool:
    """True if every two labels can be told which comes first."""
    try:
        sorted(labels)
    except TypeError:
        return False
    return True
