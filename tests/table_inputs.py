"""The same rows as every kind of input: data frames, lazy tables, files and file objects."""

import gzip
from io import BytesIO

import dask.dataframe as dd
import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import feather, ipc


def _compressed(path, content, codec):
    if codec == "gzip":
        path.write_bytes(gzip.compress(content))
    else:
        with pa.CompressedOutputStream(str(path), codec) as stream:
            stream.write(content)
    return path


def _relation(frame, folder):
    connection = duckdb.connect()
    connection.register("rows_of_test", frame.to_arrow())
    connection.execute("CREATE TABLE stored AS SELECT * FROM rows_of_test")
    return connection.table("stored")


def _dataset(frame, folder):
    parts = folder / "parts"
    parts.mkdir()
    for i, part in enumerate(frame.iter_slices(max(len(frame) // 3, 1))):
        part.write_parquet(parts / f"{i}.parquet")
    if not len(frame):
        frame.write_parquet(parts / "0.parquet")
    return ds.dataset(parts, format="parquet")


def _csv(frame, folder, ending="csv", codec=None):
    content = frame.write_csv().encode()
    path = folder / f"rows.{ending}"
    if codec:
        return _compressed(path, content, codec)
    path.write_bytes(content)
    return path


def _json(frame, folder, ending="jsonl", codec=None):
    content = frame.write_ndjson().encode()
    path = folder / f"rows.{ending}"
    if codec:
        return _compressed(path, content, codec)
    path.write_bytes(content)
    return path


def _parquet(frame, folder):
    frame.write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


def _feather(frame, folder):
    feather.write_feather(frame.to_arrow(), str(folder / "rows.feather"), chunksize=257)
    return folder / "rows.feather"


def _arrow_stream(frame, folder):
    table = frame.to_arrow()
    with ipc.new_stream(str(folder / "rows.arrow"), table.schema) as writer:
        writer.write_table(table, max_chunksize=257)
    return folder / "rows.arrow"


def _duckdb(frame, folder):
    with duckdb.connect(str(folder / "rows.duckdb")) as connection:
        connection.register("rows_of_test", frame.to_arrow())
        connection.execute("CREATE TABLE predictions AS SELECT * FROM rows_of_test")
    return folder / "rows.duckdb"


def _dask(frame, folder):
    return dd.from_pandas(frame.to_pandas(), npartitions=3)


FRAMES = {
    "pandas": lambda frame, _: frame.to_pandas(),
    "polars": lambda frame, _: frame,
    "pyarrow": lambda frame, _: frame.to_arrow(),
}
LAZY = {
    "LazyFrame": lambda frame, _: frame.lazy(),
    "dataset": _dataset,
    "relation": _relation,
    "dask": _dask,
}
FILES = {
    "csv": _csv,
    "csv.gz": lambda frame, folder: _csv(frame, folder, "csv.gz", "gzip"),
    "csv.zst": lambda frame, folder: _csv(frame, folder, "csv.zst", "zstd"),
    "parquet": _parquet,
    "jsonl": _json,
    "jsonl.zst": lambda frame, folder: _json(frame, folder, "jsonl.zst", "zstd"),
    "feather": _feather,
    "arrow stream": _arrow_stream,
    "duckdb": _duckdb,
}
OPEN = {
    "file object": lambda frame, folder: _parquet(frame, folder).open("rb"),
    "bytes": lambda frame, _: BytesIO(frame.write_csv().encode()),
}
INPUTS = {**FRAMES, **LAZY, **FILES, **OPEN}
