"""Features of cases as learners receive them: arrays of numbers, data frames, sparse matrices."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from polyroc.errors import InputError, MissingPackageError
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.messages import short_repr

__all__ = [
    "as_features",
    "check_not_lazy",
    "equal_rows",
    "first_infinite",
    "frame_of",
    "is_frame",
    "is_sparse",
    "text_columns",
    "update_digest",
    "with_categories",
]


def is_frame(X: Any) -> bool:
    """Whether features are a data frame."""
    if isinstance(X, np.ndarray):
        return False
    import narwhals as nw

    return bool(nw.dependencies.is_into_dataframe(X))


def is_sparse(X: Any) -> bool:
    """Whether features are a sparse matrix."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def as_features(X: Any, name: str) -> Any:
    """Features as learners get them: data frames and sparse matrices as they are, anything else as numbers."""
    if is_frame(X):
        # scikit-learn selects rows of pandas and Polars only
        return X.to_pandas() if hasattr(X, "to_pandas") and type(X).__module__.startswith("pyarrow") else X
    if is_sparse(X):
        return X.tocsr()
    check_not_lazy(X, name)
    try:
        return np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be features as numbers or a data frame, got {short_repr(X)}; put text into the columns "
            "of a data frame."
        ) from None


def check_not_lazy(data: Any, name: str) -> None:
    """Raise an error for a table whose rows are not in memory."""
    if hasattr(data, "collect") or hasattr(data, "compute"):
        raise InputError(f"{name} is a lazy table; compute it first, with .collect() or .compute().")


def frame_of(columns: dict[str, Any]) -> Any:
    """Make a pandas data frame of these columns."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingPackageError(
            "frame = true needs pandas, which is not installed; pip install pandas."
        ) from None
    return pd.DataFrame(columns)


def with_categories(frame: Any, names: Sequence[str]) -> Any:
    """Turn columns into categories, for learners that know categories by the type of a column."""
    if not names:
        return frame
    if hasattr(frame, "iloc"):
        return frame.astype(dict.fromkeys(names, "category"))
    import narwhals as nw

    columns = [nw.col(name).cast(nw.String).cast(nw.Categorical) for name in names]  # Polars: of texts only
    return nw.from_native(frame, eager_only=True).with_columns(*columns).to_native()


def _columns(X: Any) -> Iterator[Any]:
    """Return the columns of a data frame."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    return (frame[:, position] for position in range(frame.shape[1]))


def _is_numeric(column: Any) -> bool:
    import narwhals as nw

    return bool(column.dtype.is_numeric() or column.dtype == nw.Boolean)


def text_columns(X: Any) -> tuple[int, ...]:
    """Positions of the columns of a data frame that are not numbers."""
    return tuple(position for position, column in enumerate(_columns(X)) if not _is_numeric(column))


def first_infinite(X: Any) -> tuple[int, int] | None:
    """Row and column of the first infinite number; None if there is none."""
    if is_sparse(X):
        positions = np.argwhere(np.isinf(X.data))
        row = int(np.searchsorted(X.indptr, positions[0][0], "right")) - 1 if len(positions) else 0
        return (row, int(X.indices[positions[0][0]])) if len(positions) else None
    if not is_frame(X):
        infinite = np.isinf(X)
        return tuple(np.argwhere(infinite)[0].tolist()) if infinite.any() else None
    for position, column in enumerate(_columns(X)):
        if _is_numeric(column):
            infinite = np.isinf(_numbers(column))
            if infinite.any():
                return int(np.argmax(infinite)), position
    return None


def _numbers(column: Any) -> FloatArray:
    """Return a column of numbers; nan for a missing value."""
    import narwhals as nw

    return np.asarray(column.cast(nw.Float64).to_numpy(), dtype=np.float64)


def _codes(column: Any) -> IntArray:
    """Return the values of a column by number, equal ones with equal numbers; missing values are equal."""
    if _is_numeric(column):
        return np.asarray(np.unique(_numbers(column), return_inverse=True, equal_nan=True)[1], dtype=np.int64)
    return np.asarray(np.unique(_texts(column), return_inverse=True)[1], dtype=np.int64)


def _texts(column: Any) -> Any:
    """Return the values of any column as texts; a missing value is an empty text with a mark."""
    missing = column.is_null().to_numpy()
    texts = np.array([str(value) for value in column.to_list()], dtype=object)
    texts[np.asarray(missing, dtype=bool) | (texts == "nan")] = "\0missing"
    return texts.astype(str)


def update_digest(digest: "hashlib._Hash", X: Any) -> None:
    """Add the features to a digest: all their values, and the names and types of the columns of a data frame."""
    if is_sparse(X):
        for part in (X.data, X.indices, X.indptr):
            digest.update(np.ascontiguousarray(part).tobytes())
    elif not is_frame(X):
        digest.update(np.ascontiguousarray(X).tobytes())
    else:
        for column in _columns(X):
            numeric = _is_numeric(column)
            digest.update(f"{column.name!r} {'number' if numeric else column.dtype}\n".encode())
            values = _numbers(column).tobytes() if numeric else "\1".join(_texts(column)).encode(errors="replace")
            digest.update(len(values).to_bytes(8, "little") + values)


def equal_rows(X: Any) -> IntArray:
    """Return the number of each row's content: rows with equal features have equal numbers."""
    if is_sparse(X):
        rows = [
            X.indices[a:b].tobytes() + X.data[a:b].tobytes()
            for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)
        ]
        return np.asarray(np.unique(np.array(rows, dtype=object), return_inverse=True)[1], dtype=np.int64)
    table: np.ndarray[Any, Any]
    if is_frame(X):
        table = np.column_stack([_codes(column) for column in _columns(X)])
    else:
        table = np.where(np.isnan(X), np.inf, X) + 0.0  # one value for all missing ones; -0 is 0
    whole = np.ascontiguousarray(table)
    rows_as_bytes = whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    return np.asarray(np.unique(rows_as_bytes, return_inverse=True)[1], dtype=np.int64)
