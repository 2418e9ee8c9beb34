"""Lists, arrays, series and data frames of any library as numpy arrays, through narwhals.

What is missing comes out as nan among floats, as None among objects, and as a mask on integers and booleans,
which have no value for it.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from polyroc.errors import DroppedRowsWarning, InputError, warn
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.messages import Option, short_repr
from polyroc.validation.messages import Words

__all__ = ["Array", "Missing", "as_array", "as_columns", "as_features", "complete_rows"]


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
        told = short_repr(str(trouble))
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


def as_features(X: Any, what: str = "X", columns: int | None = None) -> FloatArray:
    """Cases x features as a new array of finite numbers, with so many columns if that is known.

    >>> as_features([1, 2]).tolist()
    [[1.0], [2.0]]
    """
    given, _ = as_columns(X, what)
    try:
        features = np.array(given, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(
            f"{what} must hold numbers, cases x features, got {short_repr(X)}; code text as numbers."
        ) from None
    features = features[:, None] if features.ndim == 1 else features
    if features.ndim != 2 or features.shape[1] == 0:
        raise InputError(f"{what} must be cases x features, got shape {features.shape}.")
    holes = np.ma.getmaskarray(given).reshape(features.shape)
    bad = np.asarray((holes | ~np.isfinite(features)).any(axis=1))
    if bad.any():
        where = Words().where(bad)
        raise InputError(
            f"{what} must hold finite numbers; not so at {where}. Leave these cases out, or fill gaps."
        )
    if columns not in (None, features.shape[1]):
        raise InputError(
            f"{what} must have {columns} features, as the training cases had, got {features.shape[1]}."
        )
    return features


Missing = Literal["raise", "drop"]


def complete_rows(
    codes: CodeArray,
    values: Mapping[str, FloatArray],
    weight: FloatArray | None,
    group: IntArray | None,
    missing: Missing,
    words: Words,
) -> BoolArray | None:
    """The rows to keep, or None if all are complete."""
    if missing not in ("raise", "drop"):
        raise InputError(f"missing must be 'raise' or 'drop', got {missing!r}.")
    columns = {words.of(name, len(values)): column for name, column in values.items()}
    if weight is not None:
        columns[words.weight] = weight
    holes = {what: _holes(column, what, words) for what, column in columns.items()}
    holes[words.truth] = codes < 0
    if group is not None:
        holes[words.groups] = group < 0
    found = {what: mask for what, mask in holes.items() if mask is not None and mask.any()}
    return _keep(found, missing, words) if found else None


def _holes(column: FloatArray, what: str, words: Words) -> BoolArray | None:
    """Which rows have a nan; None if all is finite."""
    if np.isfinite(column).all():
        return None
    table = column.reshape(len(column), -1)
    infinite: BoolArray = np.asarray(np.isinf(table).any(axis=1))
    if infinite.any():
        raise InputError(
            f"{what} holds infinity ({words.where(infinite)}) where a finite number was expected; "
            "replace it by a finite number beyond all others."
        )
    return np.asarray(np.isnan(table).any(axis=1))


def _keep(holes: Mapping[str, BoolArray], missing: Missing, words: Words) -> BoolArray:
    lost = np.logical_or.reduce(list(holes.values()))
    if missing == "raise":
        what, mask = next(iter(holes.items()))
        raise InputError(
            f"{what} has missing values ({words.where(mask)}); {lost.sum()} of {len(lost)} rows are incomplete. "
            "Complete them, or use ",
            Option("missing", "drop"),
            " to drop these rows.",
        )
    if lost.all():
        raise InputError("Every row has a missing value; nothing is left to evaluate.")
    counts = ", ".join(f"{what}: {mask.sum()}" for what, mask in holes.items())
    warn(f"Dropped {lost.sum()} of {len(lost)} rows with missing values ({counts}).", DroppedRowsWarning)
    return np.asarray(~lost)
