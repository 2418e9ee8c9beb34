"""Files as sources: their format by ending and content; CSV, Parquet, JSON, Arrow, and tables of DuckDB files."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from polyroc.errors import InputError, MissingFileError
from polyroc.io.columns import short_list
from polyroc.io.compression import check_compressed, decompressed
from polyroc.io.csv_files import csv_call, read_header
from polyroc.io.file_formats import arrow_source, check_no_table_format, json_source
from polyroc.io.other_formats import other_program
from polyroc.io.session import Session
from polyroc.io.sources import (
    DataFile,
    Source,
    StoredFolds,
    check_names,
    expand_home,
    kind_of,
    literal,
    local_path,
)
from polyroc.io.text_copies import text_copy
from polyroc.messages import Option
from polyroc.validation.arguments import did_you_mean

__all__ = [
    "HEAD",
    "check_file",
    "check_no_table",
    "content_of",
    "file_source",
    "files_source",
    "parquet_source",
]

HEAD = 4096  # bytes by which a format is recognised

_TABLES = """
    SELECT table_name FROM information_schema.tables
    WHERE table_catalog = 'stored' AND table_schema = 'main' ORDER BY table_name
"""

_STORE_TABLES = """
    SELECT count(*) FROM information_schema.tables WHERE table_catalog = 'stored'
    AND table_schema = 'polyroc_study' AND table_name IN ('blocks', 'data_sets') AND table_type = 'BASE TABLE'
"""
_STORED_FOLDS = """
    SELECT count(*), count(DISTINCT b.repeat) FROM stored.polyroc_study.blocks AS b
    JOIN stored.polyroc_study.data_sets AS d ON d.data_set = b.data_set WHERE d.name = ? AND len(b.cases) > 1
"""


Format = Literal["csv", "parquet", "json", "arrow", "duckdb", "workbook"]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".xlsx": "workbook",
    ".xlsm": "workbook",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".ipc": "arrow",
    ".duckdb": "duckdb",
}
_COMPRESSIBLE = ("csv", "json")
_CONTENT: dict[Format, str] = {
    "csv": "CSV",
    "parquet": "Parquet",
    "json": "JSON",
    "arrow": "Arrow IPC",
    "duckdb": "DuckDB",
    "workbook": "an Excel workbook",
}
_NOT_TEXT = "binary data, or text that is not UTF-8"
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_MAGIC = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow IPC",
    b"\xff\xff\xff\xff": "Arrow IPC",  # the beginning of a stream
    b"FEA1": "Feather of version 1",
    _GZIP: "gzip",
    _ZSTD: "zstd",
    b"\xff\xfe": "text in UTF-16",
    b"\xfe\xff": "text in UTF-16",
}


def file_source(
    session: Session,
    path: Path | DataFile,
    names: Collection[str],
    table: str | None = None,
    *,
    verify: bool = True,
) -> Source:
    """A source for a file.

    Parameters
    ----------
    session
        The connection that reads it.
    path
        The file.
    names
        The names of the requested columns, which help to detect the delimiter of a CSV file.
    table
        The table or view of a DuckDB file.
    verify
        Whether to verify the checksum of a compressed file, which decompresses all of it.
    """
    file = path if isinstance(path, DataFile) else DataFile(expand_home(path))
    session.show_as(file.path, file.name)
    format_ = check_file(file)
    if format_ == "workbook" or file.encoding is not None:
        file, table = text_copy(session, file, table), None if format_ == "workbook" else table
        format_ = check_file(file)
    if format_ != "csv" and format_ != "parquet":
        return files_source(session, [file], names, table, file.name, verify=verify)
    check_no_table(table, file.name)
    if verify:
        check_compressed([file])
    return _csv(file, names) if format_ == "csv" else _parquet(session, file)


def files_source(
    session: Session,
    files: Sequence[DataFile],
    names: Collection[str],
    table: str | None,
    name: str,
    *,
    verify: bool = True,
) -> Source:
    """A source for JSON or Arrow files, or a DuckDB file, which are all of one format and called `name`."""
    (format_,) = {check_file(file) for file in files}
    files = [text_copy(session, file) for file in files]
    if format_ == "duckdb":
        if len(files) > 1:
            raise InputError("Several DuckDB files cannot be read together; give one of them.")
        return _database(session, files[0], table)
    check_no_table(table, name)
    if verify:
        check_compressed(files)
    return arrow_source(session, files, names, name) if format_ == "arrow" else json_source(session, files, name)


def check_no_table(table: str | None, name: str = "The data frame") -> None:
    """Raise an error for the name of a table of something that has no tables."""
    if table is not None:
        what = f"{name} is not a DuckDB file and" if name.startswith("'") else name
        raise InputError(f"{what} has no tables; leave out ", Option("table", table), ".")


def check_text_options(format_: Format, file: DataFile) -> None:
    """Raise an error for a decimal sign or an encoding of a file that is not text."""
    if file.decimal != "." and format_ not in ("csv", "workbook"):
        raise InputError(
            f"{file.name} is a {_CONTENT[format_]} file, whose numbers have no decimal sign; leave out ",
            Option("decimal", file.decimal),
            ".",
        )
    if file.encoding is not None and format_ not in _COMPRESSIBLE:
        raise InputError(
            f"{file.name} is not a text file, so it has no encoding; leave out ",
            Option("encoding", file.encoding),
            ".",
        )


def check_file(file: DataFile) -> Format:
    """The format of a file, which must exist and have the content that its ending stands for."""
    _check_exists(file)
    format_ = _format(file)
    check_text_options(format_, file)
    _check_content(file, format_)
    return format_


def _check_exists(file: DataFile) -> None:
    path = file.path
    try:
        if path.is_dir():
            check_no_table_format([path])
            files = sorted(inner.name for inner in path.iterdir() if DataFile(inner).ending in _FORMATS)
            content = f" It contains {short_list(files)}." if files else ""
            raise InputError(f"{file.name} is a folder; give the path of one file.{content}")
        if not path.exists():
            raise MissingFileError(f"There is no file {file.name}{_suggestion(path)}")
        if path.stat().st_size == 0:
            raise InputError(f"{file.name} is empty (0 bytes); write the file again.")
    except OSError as error:
        if isinstance(error, MissingFileError):
            raise
        raise InputError(
            f"{file.name} cannot be read ({error.strerror}); check the path and its permissions."
        ) from None


def _suggestion(path: Path) -> str:
    """What to do about a file that does not exist: the nearest names in its folder."""
    if not path.parent.is_dir():
        return f", nor a folder '{path.parent}'; check the path."
    files = sorted(file.name for file in path.parent.iterdir() if file.is_file())
    same_stem = [name for name in files if Path(name).stem.lower() == path.stem.lower()]
    near = list(dict.fromkeys([*get_close_matches(path.name, files, n=3, cutoff=0.6), *same_stem]))
    return f"; did you mean {' or '.join(repr(name) for name in near[:3])}?" if near else "; check the path."


def _format(file: DataFile) -> Format:
    format_, zipped = _FORMATS.get(file.ending), file.compression != "uncompressed"
    if format_ is None or (zipped and format_ not in _COMPRESSIBLE):
        if (message := other_program(file)) is not None:
            raise InputError(message)
        ending = "".join(file.path.suffixes[-2:] if zipped else file.path.suffixes[-1:])
        raise InputError(
            f"{file.name} has the ending {ending!r}, which is no known format; expected {', '.join(_FORMATS)}, or "
            ".gz or .zst after one of the text formats."
        )
    return format_


def _check_content(file: DataFile, expected: Format) -> None:
    """Compare the first bytes with the format that the ending stands for."""
    with file.path.open("rb") as stream:
        content = content_of(stream.read(HEAD), expected, file.encoding)
    if content == file.compression:
        with decompressed(file) as stream:
            content = content_of(stream.read(HEAD), expected, file.encoding)
    elif file.compression != "uncompressed":
        raise InputError(
            f"{file.name} is not a {file.compression} file but {content}; remove {file.path.suffix} from its "
            "name, or compress it."
        )
    if content == "nothing":
        raise InputError(f"{file.name} is empty; write the file again.")
    if content == "text in UTF-16" and expected in _COMPRESSIBLE:
        raise InputError(f"{file.name} is {content}; read it with ", Option("encoding", "utf-16"), ".")
    if content != _CONTENT[expected]:
        raise InputError(
            f"{file.name} should be {_CONTENT[expected]}, by its ending, but looks like {content}; rename it, or "
            "export it again",
            *((", or name its ", Option("encoding", ...)) if content == _NOT_TEXT else ()),
            ".",
        )


def content_of(head: bytes, expected: Format | None = None, encoding: str | None = None) -> str:
    """What the first bytes look like; text has this encoding, or else that of its byte order mark, or UTF-8."""
    if encoding is not None and not head.startswith((_GZIP, _ZSTD)):
        head = head.decode(encoding, errors="replace").encode()
    for magic, content in _MAGIC.items():
        if head.startswith(magic):
            return content
    if head.startswith(b"PK\x03\x04"):
        return _CONTENT["workbook"] if b"xl/" in head or b"[Content_Types].xml" in head else "a ZIP archive"
    if head[8:12] == b"DUCK":
        return "DuckDB"
    if b"\0" in head:
        return _NOT_TEXT
    text = head.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        return "nothing"
    json = rb"[\[{]" if expected == "json" else rb"\{|\[\s*\{"  # a CSV header may well start with [id]
    return "JSON" if re.match(json, text) else "CSV" if expected in ("csv", None) else "text"


def _database(session: Session, file: DataFile, table: str | None) -> Source:
    """A source for a table or view of a DuckDB file; if there is only one, it need not be named."""
    quoted = local_path(file.path).replace("'", "''")
    session.run(f"ATTACH '{quoted}' AS stored (READ_ONLY)", (), file.name)
    tables = [str(row[0]) for row in session.rows(_TABLES, (), file.name)]
    if not tables:
        raise InputError(f"{file.name} has no tables; give another file.")
    if table is None and len(tables) > 1:
        raise InputError(f"{file.name} has several tables; choose one with ", Option("table", *tables), ".")
    if table is not None and table not in tables:
        raise InputError(f"{file.name} has no table {table!r}; {did_you_mean(table, tables)}")
    chosen = (table or tables[0]).replace('"', '""')
    call = f'stored.main."{chosen}"'
    session.forbid_files(f"{table or tables[0]!r} of {file.name}")
    description = session.rows(f"DESCRIBE SELECT * FROM {call}", (), file.name)
    names = tuple(str(row[0]) for row in description)
    check_names(names, file.name)
    kinds = tuple(kind_of(str(row[1])) for row in description)
    return Source(file.name, names, call, (), kinds, stored_folds=_stored_folds(session, file, table or tables[0]))


def _stored_folds(session: Session, file: DataFile, data_set: str) -> StoredFolds | None:
    """The folds of a data set, if the file is the store of a study; folds of one case are not counted."""
    if session.rows(_STORE_TABLES, (), file.name)[0][0] != 2:
        return None
    ((folds, repeats),) = session.rows(_STORED_FOLDS, (data_set,), file.name)
    return StoredFolds(folds, repeats) if folds else None


def _csv(file: DataFile, requested: Collection[str]) -> Source:
    header = read_header(file, requested)
    check_names(header.names, file.name)
    options = "hive_partitioning = false"
    call, parameters = csv_call([file], header, {}, options)
    rejects, _ = csv_call([file], header, {}, f"{options}, store_rejects = true, rejects_limit = 4")
    return Source(
        file.name, header.names, call, parameters, None, None, rejects, header.skip + 1, decimal=file.decimal
    )


def _parquet(session: Session, file: DataFile) -> Source:
    call = "read_parquet(?, hive_partitioning = false)"
    return parquet_source(session, [file], file.name, call, (literal(file.path),))


def parquet_source(
    session: Session, files: Sequence[DataFile], name: str, call: str, parameters: tuple[Any, ...]
) -> Source:
    """Return a source for Parquet files with the same columns; those of partitions are the last."""
    description = session.rows(f"DESCRIBE SELECT * FROM {call}", parameters, name)
    tops = _top_level(session, files, name)
    for file, columns in tops.items():
        check_names([column for column, _ in columns], f"'{file}'" if len(tops) > 1 else name)
        lower = Counter(column.lower() for column, _ in columns)
        if len(tops) > 1 and (alike := [column for column, _ in columns if lower[column.lower()] > 1]):
            raise InputError(
                f"'{file}' has columns whose names differ in capitals only ({short_list(alike)}), which cannot be "
                "told apart when several files are read together; rename one in each file."
            )
    first = next(iter(tops.values()))
    names = (*(column for column, _ in first), *(str(row[0]) for row in description[len(first) :]))
    wide = {column for columns in tops.values() for column, precision in columns if (precision or 0) > 38}
    kinds = (kind_of(str(row[1])) for row in description)
    return Source(
        name,
        names,
        call,
        parameters,
        tuple("other" if column in wide else kind for column, kind in zip(names, kinds, strict=True)),
    )


def _top_level(session: Session, files: Sequence[DataFile], name: str) -> dict[str, list[tuple[str, int | None]]]:
    """Return by file the columns and their numbers of decimal digits; `DESCRIBE` renames equal names.

    In Parquet's list of nodes children follow their parent.
    """
    query = "SELECT file_name, name, num_children, precision FROM parquet_schema(?)"
    columns: dict[str, list[tuple[str, int | None]]] = {}
    inside = 0
    for file, column, children, precision in session.rows(query, ([literal(file.path) for file in files],), name):
        if file not in columns:  # the root, whose children are the columns
            columns[file] = []
            continue
        if inside == 0:
            columns[file].append((str(column), precision))
        else:
            inside -= 1
        inside += children or 0
    return columns
