"""Lists, arrays, series and data frames of any library as numpy arrays, through narwhals.

What is missing comes out as nan among floats, as None among objects, and as a mask on integers and booleans,
which have no value for it.
"""

from typing import Any

import numpy as np

from polyroc._normalise.words import shown
from polyroc.errors import InputError
from polyroc.kernels.arrays import BoolArray

__all__ = ["Array", "as_array", "as_columns"]

Array = np.ndarray[Any, Any]


def as_array(data: Any, what: str) -> Array:
    """Anything array-like as a numpy array; one column as 1-D."""
    array, _ = as_columns(data, what)
    return array


def as_columns(data: Any, what: str) -> tuple[Array, tuple[str, ...] | None]:
    """The same, with the names of the columns if it is a data frame of several."""
    names = None
    if isinstance(data, np.ndarray):
        array = _from_numpy(data)
    elif isinstance(data, list | tuple | range):
        array = _from_list(data, what)
    else:
        array, names = _from_library(data, what)
    return (array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array), names


def _from_numpy(data: Array) -> Array:
    if isinstance(data, np.ma.MaskedArray):
        return _settled(np.asarray(data.data), np.ma.getmaskarray(data))
    return np.asarray(data)


def _settled(array: Array, holes: BoolArray) -> Array:
    """The array with its holes marked in the way its kind allows."""
    if array.dtype.kind in "biu":
        return np.ma.masked_array(array, holes)
    array = np.array(array, dtype=array.dtype if array.dtype.kind == "f" else object)
    array[holes] = np.nan if array.dtype.kind == "f" else None
    return array


def _from_list(data: Any, what: str) -> Array:
    try:
        array = np.asarray(data)
    except ValueError:
        raise InputError(f"{what} has rows of different lengths; every case needs the same columns.") from None
    return array if array.dtype.kind in "biufmM" else np.asarray(data, dtype=object)


def _from_library(data: Any, what: str) -> tuple[Array, tuple[str, ...] | None]:
    import narwhals as nw

    try:
        frame = nw.from_native(_known(data), allow_series=True, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise InputError(f"{what} has two columns of the same name; rename one.") from None
    try:
        if isinstance(frame, nw.Series):
            return _from_series(frame), None
        if isinstance(frame, nw.DataFrame):
            return _from_frame(frame, what)
        array = np.asarray(None if hasattr(type(data), "columns") else data)  # a frame we cannot read has no array
    except InputError:
        raise
    except Exception as trouble:  # the library's own, of any kind
        told = shown(str(trouble))
        raise InputError(f"{what} ({type(data).__name__}) cannot be made a numpy array: {told}.") from trouble
    if array.ndim == 0:
        raise InputError(
            f"{what} must be a list, an array, a series or a data frame in memory (pandas, Polars, pyarrow), "
            f"got {type(data).__name__}; turn it into one of these."
        )
    return array, None


def _known(data: Any) -> Any:
    """Bare arrays of pandas and pyarrow as the series and tables that narwhals knows."""
    from narwhals.dependencies import get_pandas, get_pyarrow

    pandas, pyarrow = get_pandas(), get_pyarrow()  # None unless the caller has imported them
    if pandas is not None and isinstance(data, pandas.Index | pandas.api.extensions.ExtensionArray):
        return pandas.Series(data)
    if pyarrow is not None and isinstance(data, pyarrow.Array):
        return pyarrow.chunked_array([data])
    if pyarrow is not None and isinstance(data, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([data])
    return data


def _from_series(series: Any) -> Array:
    holes = series.is_null().to_numpy()
    if not holes.any():
        return np.asarray(series.to_numpy())
    present = np.asarray(series.drop_nulls().to_numpy())
    array = np.zeros(len(holes), dtype=present.dtype)
    array[~holes] = present
    return _settled(array, holes)


def _from_frame(frame: Any, what: str) -> tuple[Array, tuple[str, ...] | None]:
    names = tuple(str(name) for name in frame.columns)
    if len(set(names)) != len(names):
        raise InputError(f"{what} has two columns of the same name; rename one.")
    if not names:
        raise InputError(f"{what} is a data frame without columns; give one column per class.")
    columns = [_from_series(frame.get_column(name)) for name in frame.columns]
    if len(columns) == 1:
        return columns[0], None
    return np.column_stack([_stackable(column) for column in columns]), names


def _stackable(column: Array) -> Array:
    """Masked integers as floats with nan; dates as text, since they go with no number."""
    if isinstance(column, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(column.astype(np.float64), np.nan))
    return column.astype(str).astype(object) if column.dtype.kind in "mM" else column
