"""Lists, arrays, series and data frames of any library as numpy arrays, through narwhals; missing values.

A missing value is nan among floats, None among objects, and masked among integers and booleans, which have no
value for it.
"""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from polyroc.errors import DroppedRowsWarning, InputError, warn
from polyroc.kernels.arrays import BoolArray, CodeArray, FloatArray, IntArray
from polyroc.messages import Option, short_repr
from polyroc.validation.arguments import ArgumentNames
from polyroc.validation.tensors import from_tensor, is_tensor_type

__all__ = ["Array", "Missing", "as_array", "as_columns", "as_features", "complete_rows"]


Array = np.ndarray[Any, Any]


def as_array(data: Any, argument: str) -> Array:
    """An array-like as a numpy array; a single column becomes 1-D."""
    array, _ = as_columns(data, argument)
    return array


def as_columns(data: Any, argument: str) -> tuple[Array, tuple[str, ...] | None]:
    """An array-like as a numpy array, and the column names if it is a data frame of several columns."""
    names = None
    if isinstance(data, np.ndarray):
        array = _from_numpy(data)
    elif isinstance(data, list | tuple | range):
        array = _from_list(data, argument)
    else:
        array, names = _from_library(data, argument)
    return (array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array), names


def _from_numpy(data: Array) -> Array:
    if isinstance(data, np.ma.MaskedArray):
        return _with_missing(np.asarray(data.data), np.ma.getmaskarray(data))
    return np.asarray(data)


def _with_missing(array: Array, missing: BoolArray) -> Array:
    """The array with its missing values marked as its type allows."""
    if array.dtype.kind in "biu":
        return np.ma.masked_array(array, missing)
    array = np.array(array, dtype=array.dtype if array.dtype.kind == "f" else object)
    array[missing] = np.nan if array.dtype.kind == "f" else None
    return array


def _from_list(data: Any, argument: str) -> Array:
    if any(map(is_tensor_type, set(map(type, data)))):  # one per case, which NumPy does not always convert
        data = [from_tensor(item, argument) if is_tensor_type(type(item)) else item for item in data]
    try:
        array = np.asarray(data)
    except ValueError:
        raise InputError(f"{argument} has rows of different lengths; every case needs the same columns.") from None
    return array if array.dtype.kind in "biufmM" else np.asarray(data, dtype=object)


def _from_library(data: Any, argument: str) -> tuple[Array, tuple[str, ...] | None]:
    if is_tensor_type(type(data)):
        return from_tensor(data, argument), None
    import narwhals as nw

    try:
        frame = nw.from_native(_as_series_or_table(data), allow_series=True, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        raise InputError(f"{argument} has two columns of the same name; rename one.") from None
    try:
        if isinstance(frame, nw.Series):
            return _from_series(frame), None
        if isinstance(frame, nw.DataFrame):
            return _from_frame(frame, argument)
        array = np.asarray(None if hasattr(type(data), "columns") else data)  # an unknown kind of data frame
    except InputError:
        raise
    except Exception as error:  # whatever the library raises
        raise InputError(
            f"{argument} ({type(data).__name__}) cannot be converted to a numpy array: {short_repr(str(error))}."
        ) from error
    if array.ndim == 0 and callable(getattr(data, "get_label", None)):  # xgboost.DMatrix, lightgbm.Dataset
        raise InputError(
            f"{argument} is a {type(data).__name__}, which holds features and labels; pass its labels, "
            "data.get_label(), and the predictions of the model."
        )
    if array.ndim == 0:
        raise InputError(
            f"{argument} must be a list, an array, a series or a data frame in memory (pandas, Polars, pyarrow), "
            f"got {type(data).__name__}; convert it to one of these."
        )
    return array, None


def _as_series_or_table(data: Any) -> Any:
    """Arrays of pandas and pyarrow as series and tables, which narwhals supports."""
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
    import narwhals as nw

    if isinstance(series.dtype, nw.Decimal):  # Polars would round them to doubles
        return np.fromiter(series.to_list(), dtype=object, count=len(series))
    missing = series.is_null().to_numpy()
    if not missing.any():
        return np.asarray(series.to_numpy())
    present = np.asarray(series.drop_nulls().to_numpy())
    array = np.zeros(len(missing), dtype=present.dtype)
    array[~missing] = present
    return _with_missing(array, missing)


def _from_frame(frame: Any, argument: str) -> tuple[Array, tuple[str, ...] | None]:
    names = tuple(str(name) for name in frame.columns)
    if len(set(names)) != len(names):
        raise InputError(f"{argument} has two columns of the same name; rename one.")
    if not names:
        raise InputError(f"{argument} is a data frame without columns; give one column per class.")
    columns = [_from_series(frame.get_column(name)) for name in frame.columns]
    if len(columns) == 1:
        return columns[0], None
    return np.column_stack([_stackable(column) for column in columns]), names


def _stackable(column: Array) -> Array:
    """Masked integers as floats with nan; dates as text, because they cannot be stacked with numbers."""
    if isinstance(column, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(column.astype(np.float64), np.nan))
    return column.astype(str).astype(object) if column.dtype.kind in "mM" else column


def as_features(X: Any, argument: str = "X", columns: int | None = None) -> FloatArray:
    """A new array of finite numbers, cases x features, with the given number of columns unless it is None.

    >>> as_features([1, 2]).tolist()
    [[1.0], [2.0]]
    """
    array, _ = as_columns(X, argument)
    try:
        features = np.array(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(
            f"{argument} must hold numbers, cases x features, got {short_repr(X)}; encode text as numbers."
        ) from None
    features = features[:, None] if features.ndim == 1 else features
    if features.ndim != 2 or features.shape[1] == 0:
        raise InputError(f"{argument} must be cases x features, got shape {features.shape}.")
    missing = np.ma.getmaskarray(array).reshape(features.shape)
    bad = np.asarray((missing | ~np.isfinite(features)).any(axis=1))
    if bad.any():
        where = ArgumentNames().where(bad)
        raise InputError(
            f"{argument} must hold finite numbers, but does not at {where}; drop these cases, or impute values."
        )
    if columns not in (None, features.shape[1]):
        raise InputError(
            f"{argument} must have {columns} features, as the training cases had, got {features.shape[1]}."
        )
    return features


Missing = Literal["raise", "drop"]


def complete_rows(
    codes: CodeArray,
    values: Mapping[str, FloatArray],
    weight: FloatArray | None,
    labels: Mapping[str, CodeArray | IntArray | None],
    missing: Missing,
    arguments: ArgumentNames,
) -> BoolArray | None:
    """True for the complete rows; None if all are complete.

    Parameters
    ----------
    codes, values, weight
        Classes, predictions by classifier and weights.
    labels
        Other labels as codes (groups, folds), by their name in messages; None if not given.
    missing, arguments
        As in `polyroc.validation.scores.normalise`.
    """
    if not isinstance(missing, str) or missing not in ("raise", "drop"):
        raise InputError(f"missing must be 'raise' or 'drop', got {short_repr(missing)}.")
    columns = {arguments.of(name, len(values)): column for name, column in values.items()}
    if weight is not None:
        columns[arguments.weight] = weight
    masks = {argument: _rows_with_nan(column, argument, arguments) for argument, column in columns.items()}
    masks[arguments.truth] = codes < 0
    masks |= {argument: column < 0 for argument, column in labels.items() if column is not None}
    incomplete = {argument: mask for argument, mask in masks.items() if mask is not None and mask.any()}
    return _keep(incomplete, missing, arguments) if incomplete else None


def _rows_with_nan(column: FloatArray, argument: str, arguments: ArgumentNames) -> BoolArray | None:
    """True for the rows with a nan; None if all values are finite."""
    if np.isfinite(column).all():
        return None
    table = column.reshape(len(column), -1)
    infinite: BoolArray = np.asarray(np.isinf(table).any(axis=1))
    if infinite.any():
        raise InputError(
            f"{argument} holds infinity ({arguments.where(infinite)}) where a finite number was expected; "
            "replace it by a finite number beyond all others."
        )
    return np.asarray(np.isnan(table).any(axis=1))


def _keep(masks: Mapping[str, BoolArray], missing: Missing, arguments: ArgumentNames) -> BoolArray:
    lost = np.logical_or.reduce(list(masks.values()))
    if missing == "raise":
        argument, mask = next(iter(masks.items()))
        raise InputError(
            f"{argument} has missing values ({arguments.where(mask)}); {lost.sum()} of {len(lost)} rows are "
            "incomplete. Complete them, or use ",
            Option("missing", "drop"),
            " to drop these rows.",
        )
    if lost.all():
        raise InputError("Every row has a missing value; nothing is left to evaluate.")
    counts = ", ".join(f"{argument}: {mask.sum()}" for argument, mask in masks.items())
    warn(f"Dropped {lost.sum()} of {len(lost)} rows with missing values ({counts}).", DroppedRowsWarning)
    return np.asarray(~lost)
