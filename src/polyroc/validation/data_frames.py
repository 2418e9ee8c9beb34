"""What series and data frames state beside their values: the index of the rows, and the order of categories.

Rows are paired by position everywhere. A pandas index that contradicts this is an error, never ignored: the same
labels in another order mean that the rows belong to other cases.
"""

import sys
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

from polyroc.errors import InputError
from polyroc.validation.arrays import as_array
from polyroc.validation.labels import sortable
from polyroc.validation.predictions import are_numbers_only

__all__ = ["check_alignment", "ordered_categories", "ordered_classes", "stated_order"]


def check_alignment(**columns: Any) -> None:
    """Raise an error if the pandas indexes of these arguments do not agree; mappings are checked entry by entry.

    An index 0, 1, 2, ... that pandas made states nothing, so it may stand beside other labels; but not beside the
    same numbers in another order.
    """
    pandas = sys.modules.get("pandas")  # None unless the caller has imported it
    if pandas is None:
        return
    first: tuple[str, Any] | None = None
    for name, data in _entries(columns):
        if not isinstance(data, pandas.Series | pandas.DataFrame):
            continue
        if first is None:
            first = name, data.index
        elif len(first[1]) == len(data.index) and not first[1].equals(data.index):
            _check_pair(*first, name, data.index)


def _entries(columns: Mapping[str, Any]) -> list[tuple[str, Any]]:
    entries = []
    for name, data in columns.items():
        if isinstance(data, Mapping):
            entries += [(f"{name}[{key!r}]", entry) for key, entry in data.items()]
        else:
            entries.append((name, data))
    return entries


def _check_pair(first: str, one: Any, second: str, other: Any) -> None:
    """Compare two indexes of equal length that are not equal."""
    same = one.sort_values().equals(other.sort_values()) if _sortable(one, other) else set(one) == set(other)
    if not same and (_is_default(one) or _is_default(other)):
        return
    problem = "the same labels in another order" if same else "different labels"
    raise InputError(
        f"The pandas indexes of {first} and {second} hold {problem}, but rows are paired by position. Align them "
        f"with .loc[], such as {second}.loc[{first}.index], or pass .to_numpy() of both if the rows are in the "
        "same order."
    )


def _sortable(one: Any, other: Any) -> bool:
    try:
        one.sort_values()
        other.sort_values()
    except TypeError:
        return False
    return True


def _is_default(index: Any) -> bool:
    """True for 0, 1, 2, ... as pandas numbers rows without an index."""
    pandas = sys.modules["pandas"]
    return isinstance(index, pandas.RangeIndex) and index.start == 0 and index.step == 1


def stated_order(y_true: Any, y_score: Any) -> Sequence[Hashable] | None:
    """The classes in the order of an ordered categorical (pandas, Polars' Enum, pyarrow); None if none is stated.

    Classes without a case are left out, unless the scores have one column for each. Columns without names are in
    the order of the labels, sorted by default, as those of scikit-learn are: if the categories are in another
    order, it is not used, because the columns would be taken for those of other classes.
    """
    categories = ordered_categories(y_true)
    if categories is None:
        return None
    scores = next(iter(y_score.values()), None) if isinstance(y_score, Mapping) else y_score
    shape = getattr(scores, "shape", None) or _shape(scores)
    width = shape[1] if len(shape) == 2 else 1
    present = set(as_array(y_true, "y_true").tolist())
    classes = ordered_classes(categories, present, width)
    if width > 1 and not _has_names(scores) and not (sortable(classes) and classes == sorted(classes)):
        return None
    return classes


def ordered_classes(categories: Sequence[Any], present: Collection[Any], width: int) -> list[Any]:
    """The categories as classes: those with a case, or all if the scores have one column for each."""
    return [label for label in categories if width == len(categories) or label in present]


def ordered_categories(data: Any) -> list[Any] | None:
    """The categories of an ordered categorical, of whichever library; None for anything else."""
    pandas, polars, pyarrow = (sys.modules.get(library) for library in ("pandas", "polars", "pyarrow"))
    dtype = getattr(data, "dtype", None)
    if pandas is not None and isinstance(dtype, pandas.CategoricalDtype):
        return dtype.categories.tolist() if dtype.ordered else None
    if polars is not None and isinstance(dtype, polars.Enum):
        return list(dtype.categories)
    if pyarrow is not None and isinstance(data, pyarrow.Array | pyarrow.ChunkedArray):
        if not (pyarrow.types.is_dictionary(data.type) and data.type.ordered and len(data)):
            return None
        array = data.unify_dictionaries().chunk(0) if isinstance(data, pyarrow.ChunkedArray) else data
        return list(array.dictionary.to_pylist())
    return None


def _shape(scores: Any) -> tuple[int, ...]:
    nested = isinstance(scores, list | tuple) and len(scores) > 0 and isinstance(scores[0], list | tuple)
    return (len(scores), len(scores[0])) if nested else (0,)


def _has_names(scores: Any) -> bool:
    columns = [str(column) for column in getattr(scores, "columns", ())]
    return bool(columns) and not are_numbers_only(columns)
