"""Tables that are not files: data frames in memory, and lazy tables that are read again for every scan.

A lazy table is registered as an object with Arrow's C stream interface, of the requested columns only. DuckDB asks
it for a new stream whenever a query needs its rows, and reads the stream batch by batch.
"""

import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from fnmatch import fnmatchcase
from importlib.util import find_spec
from math import isfinite
from numbers import Real
from os import PathLike
from typing import Any, NamedTuple

from polyroc.errors import InputError
from polyroc.io.session import Session
from polyroc.io.sources import Kind, Source, check_names, kind_of
from polyroc.io.stacked_rows import MAX_COLUMNS, is_key
from polyroc.validation.data_frames import ordered_categories
from polyroc.validation.predictions import check_distinct

__all__ = [
    "LazyTable",
    "Streams",
    "frame_source",
    "is_lazy",
    "is_table",
    "lazy_source",
    "plain_batches",
    "plain_schema",
    "record_streams",
    "stated_categories",
]

_FRAME = "the data frame"
MAX_CELLS = 2**25  # of a data frame whose columns are all registered: those of pandas are copied
_READAHEAD = {"batch_readahead": 4, "fragment_readahead": 1}  # of a dataset; by default 16 batches of 4 files


class LazyTable(NamedTuple):
    """A table whose rows are computed or read when they are needed.

    Attributes
    ----------
    name
        The name in messages.
    columns
        The names of the columns.
    select
        Some of the columns, as an object with Arrow's C stream interface.
    """

    name: str
    columns: tuple[Hashable, ...]
    select: Callable[[list[Any]], Any]


class Streams:
    """Arrow's C stream interface: a new stream for every scan.

    DuckDB asks for the schema before every query. It is given here so that no stream is opened for that, which
    would start the computation.
    """

    def __init__(self, open_stream: Callable[[], Any], schema: Any = None) -> None:
        self._open = open_stream
        if schema is not None:
            self.__arrow_c_schema__ = schema.__arrow_c_schema__

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._open().__arrow_c_stream__(requested_schema)


def is_table(data: Any) -> bool:
    """Whether this is a data frame or a lazy table; no package is imported to find out."""
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(data) or is_lazy(data)


def is_lazy(data: Any) -> bool:
    """Whether this is a lazy table: its rows are not in memory."""
    return _opener(data) is not None


def stated_categories(data: Any, column: str) -> list[Any] | None:
    """The categories of a column that is an ordered categorical; None for other columns, tables and files."""
    if isinstance(data, str | PathLike):
        return None
    import narwhals as nw
    from narwhals import dependencies

    if dependencies.is_polars_lazyframe(data):
        dtype: Any = data.collect_schema().get(column)
        return list(dtype.categories) if type(dtype).__name__ == "Enum" else None
    if not dependencies.is_into_dataframe(data) or column not in _names(data):
        return None
    position = _names(data).index(column)  # by position: a column of pandas may be named by a number
    return ordered_categories(nw.from_native(data, eager_only=True)[:, position].to_native())


def frame_source(
    session: Session, data: Any, requested: Collection[str], *, keys: bool = False, view: str = "frame"
) -> Source:
    """A source for a data frame or a lazy table; only the requested columns are registered, and keys if so.

    Parameters
    ----------
    session, data
        The connection, and the table.
    requested
        The names and globs of the columns.
    keys
        Whether to register keys too (see `stacked_rows`). Every scan of a lazy table reads all registered columns.
    view
        The name of the table in queries.
    """
    opener = _opener(data)
    if opener is None:
        return _eager_source(session, data, requested, keys, view)
    return lazy_source(session, opener(data), requested, keys=keys, view=view)


def lazy_source(
    session: Session, table: LazyTable, requested: Collection[str], *, keys: bool = False, view: str = "frame"
) -> Source:
    """As `frame_source`, for a lazy table."""
    names = tuple(str(name) for name in table.columns)
    check_names(names, table.name)
    selectable = tuple(
        i for i, name in enumerate(names) if _is_requested(name, requested) or (keys and is_key(name))
    )
    kinds: list[Kind] = []
    if selectable:
        with _errors_of(table.name):
            stream = table.select([table.columns[i] for i in selectable])
        kinds = _register(session, stream, table.name, view)
    return _source(table.name, names, selectable, kinds, view)


def _eager_source(session: Session, data: Any, requested: Collection[str], keys: bool, view: str) -> Source:
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True, pass_through=True)
    except nw.exceptions.DuplicateError:
        check_names(_names(data), _FRAME)
        raise
    if not isinstance(frame, nw.DataFrame):
        raise InputError(
            "source must be the path of a file, a binary file object, a data frame (pandas, Polars, pyarrow) or a "
            f"lazy table (Polars, Dask, pyarrow dataset, DuckDB relation), got {type(data).__name__}."
        )
    names = _names(frame.to_native())
    check_names(names, _FRAME)
    few = len(frame) * len(names) <= MAX_CELLS and len(names) <= MAX_COLUMNS
    plain = [keys and (few or is_key(name)) and _is_plain(frame[:, i].dtype) for i, name in enumerate(names)]
    selectable = tuple(i for i, name in enumerate(names) if _is_requested(name, requested) or plain[i])
    kinds: list[Kind] = []
    if selectable:
        selected = frame[:, list(selectable)]
        # pandas as it is, all others by Arrow's C interface, which needs no pyarrow
        is_pandas = frame.implementation.is_pandas()
        kinds = _register(session, selected.to_native() if is_pandas else selected, _FRAME, view)
        if is_pandas:
            _check_objects(selected.to_native(), kinds)
    return _source(_FRAME, names, selectable, kinds, view)


def _is_plain(dtype: Any) -> bool:
    """Whether a column holds text or numbers, which can always be read."""
    import narwhals as nw

    return bool(dtype.is_numeric()) or isinstance(dtype, nw.String | nw.Categorical | nw.Enum | nw.Boolean)


def _source(
    name: str, names: tuple[str, ...], selectable: tuple[int, ...], kinds: Sequence[Kind], view: str
) -> Source:
    by_position = dict(zip(selectable, kinds, strict=True))
    return Source(name, names, view, (), tuple(by_position.get(i, "other") for i in range(len(names))), selectable)


def _register(session: Session, data: Any, name: str, view: str) -> list[Kind]:
    session.register(view, data, name)
    return [kind_of(str(row[1])) for row in session.rows(f"DESCRIBE SELECT * FROM {view}", (), name)]


def _check_objects(frame: Any, kinds: Sequence[Kind]) -> None:
    """Raise an error if different numbers among objects, which DuckDB may read as doubles, would become equal."""
    for position, kind in enumerate(kinds):
        column = frame.iloc[:, position]
        if kind == "float" and column.dtype == object:
            check_distinct(filter(_is_finite, column.tolist()), f"column {column.name!r} of {_FRAME}")


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real | Decimal) and isfinite(value)


def _names(native: Any) -> tuple[str, ...]:
    names = native.column_names if hasattr(native, "column_names") else native.columns
    return tuple(str(name) for name in names)


def _is_requested(name: str, requested: Collection[str]) -> bool:
    return name in requested or any(fnmatchcase(name, pattern) for pattern in requested)


@contextmanager
def _errors_of(name: str) -> Iterator[None]:
    """Errors of the package that a table is from, as errors of polyroc."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(" .")
        raise InputError(f"{name} cannot be read: {reason}. Check that its columns can be computed.") from error


def _opener(data: Any) -> Callable[[Any], LazyTable] | None:
    """The function that opens a lazy table; None for anything else."""
    from narwhals import dependencies

    if dependencies.is_polars_lazyframe(data):
        return _polars_table
    if dependencies.is_duckdb_relation(data):
        return _relation_table
    if dependencies.is_dask_dataframe(data):
        return _dask_table
    datasets = sys.modules.get("pyarrow.dataset")
    return _dataset_table if datasets is not None and isinstance(data, datasets.Dataset) else None


def _dataset_table(dataset: Any) -> LazyTable:
    def select(names: list[Any]) -> Streams:
        def scanner() -> Any:
            return dataset.scanner(columns=names, **_READAHEAD)

        return Streams(lambda: scanner().to_reader(), scanner().projected_schema)

    return LazyTable("the pyarrow dataset", tuple(dataset.schema.names), select)


def _relation_table(relation: Any) -> LazyTable:
    """A relation is computed by its own connection."""

    def select(names: list[Any]) -> Streams:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        schema = None if find_spec("pyarrow") is None else _schema(relation.project(quoted).limit(0))
        return Streams(lambda: relation.project(quoted), schema)

    name = "the DuckDB relation"
    with _errors_of(name):
        return LazyTable(name, tuple(relation.columns), select)


def _polars_table(frame: Any) -> LazyTable:
    name = "the Polars lazy frame"
    with _errors_of(name):
        columns = tuple(frame.collect_schema().names())
    return LazyTable(name, columns, lambda names: _polars_columns(frame.select(names)))


def _polars_columns(frame: Any) -> Any:
    """Batches of Polars' streaming engine; all at once if Polars has no batches, or there is no pyarrow."""
    import polars as pl

    plain = frame.cast({pl.Categorical: pl.String, pl.Enum: pl.String})
    if find_spec("pyarrow") is None or not hasattr(plain, "collect_batches"):
        collected = plain.collect()
        return Streams(lambda: collected)
    schema = pl.DataFrame(schema=plain.collect_schema()).to_arrow().schema

    def batches() -> Iterator[Any]:
        for batch in plain.collect_batches(maintain_order=True):
            yield from batch.to_arrow().cast(schema).to_batches()

    return record_streams(schema, batches)


def _dask_table(frame: Any) -> LazyTable:
    return LazyTable("the Dask data frame", tuple(frame.columns), lambda names: _dask_columns(frame[names]))


def _dask_columns(frame: Any) -> Streams:
    """The partitions, computed one after the other; the types are those of the first one that has rows."""
    import pyarrow as pa

    def partition(number: int) -> Any:
        return pa.Table.from_pandas(frame.partitions[number].compute(), preserve_index=False)

    first = next((table for table in map(partition, range(frame.npartitions)) if len(table)), None)
    if first is None:
        first = pa.Table.from_pandas(frame.head(0), preserve_index=False)
    schema = plain_schema(first.schema)

    def batches() -> Iterator[Any]:
        for number in range(frame.npartitions):
            yield from plain_batches(partition(number).to_batches(), schema)

    return record_streams(schema, batches)


def plain_schema(fields: Iterable[Any]) -> Any:
    """The fields with the type of their values for categories, which may differ between batches; text for null."""
    import pyarrow as pa

    return pa.schema([pa.field(field.name, _plain_type(field.type)) for field in fields])


def _plain_type(data_type: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(data_type):
        return data_type.value_type
    return pa.string() if pa.types.is_null(data_type) else data_type


def plain_batches(batches: Sequence[Any], schema: Any) -> list[Any]:
    """The batches with the types of a plain schema."""
    import pyarrow as pa

    return pa.Table.from_batches(batches).cast(schema).to_batches() if batches else []


def record_streams(schema: Any, batches: Callable[[], Iterator[Any]]) -> Streams:
    """Streams of the batches that a function makes for every scan."""
    import pyarrow as pa

    return Streams(lambda: pa.RecordBatchReader.from_batches(schema, batches()), schema)


def _schema(stream: Any) -> Any:
    import pyarrow as pa

    return pa.RecordBatchReader.from_stream(stream).schema
