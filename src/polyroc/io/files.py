"""DuckDB files: a table or view of one, such as the predictions in the store of a study."""

import gzip
import re
import zlib
from collections.abc import Collection
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, NamedTuple

from polyroc.errors import InputError, MissingFileError
from polyroc.io.csv_files import read_header
from polyroc.io.json_lines import json_source
from polyroc.io.messages import shortened
from polyroc.io.session import Session
from polyroc.io.sources import Source, check_names, compression, kind_of, literal
from polyroc.validation.arguments import did_you_mean

__all__ = ["database_source", "file_source"]


_NAMES = """
    SELECT table_name FROM information_schema.tables
    WHERE table_catalog = 'stored' AND table_schema = 'main' ORDER BY table_name
"""


def database_source(session: Session, path: Path, table: str | None) -> Source:
    """A source for a table or view in the file; the only one need not be named."""
    name, quoted = f"'{path}'", str(path).replace("'", "''")
    session.run(f"ATTACH '{quoted}' AS stored (READ_ONLY)", (), name)
    held = [str(row[0]) for row in session.rows(_NAMES, (), name)]
    if not held:
        raise InputError(f"{name} holds no table; give another file.")
    if table is None and len(held) > 1:
        raise InputError(f"{name} holds several tables; say which with table=...: {', '.join(held)}.")
    if table is not None and table not in held:
        raise InputError(f"{name} holds no table {table!r}; {did_you_mean(table, held)}")
    chosen = (table or held[0]).replace('"', '""')
    call = f'stored.main."{chosen}"'
    told = session.rows(f"DESCRIBE SELECT * FROM {call}", (), name)
    names = tuple(str(row[0]) for row in told)
    check_names(names, name)
    return Source(name, names, call, (), tuple(kind_of(str(row[1])) for row in told))


Format = Literal["csv", "parquet", "json", "duckdb"]

_FORMATS: dict[str, Format] = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".duckdb": "duckdb",
}
_CONTENT: dict[Format, str] = {"csv": "CSV", "parquet": "Parquet", "json": "JSON", "duckdb": "DuckDB"}
_MISSING = ["", "NA", "N/A", "#N/A", "<NA>", "nan", "NaN", "NAN", "-nan", "NULL", "null", "Null"]


class _File(NamedTuple):
    path: Path
    format: Format
    zipped: bool

    @property
    def name(self) -> str:
        return f"'{self.path}'"


def file_source(session: Session, path: Path, asked: Collection[str], table: str | None = None) -> Source:
    """A source for the file; `asked` are column names that help to tell the delimiter, `table` is DuckDB's."""
    _check_there(path)
    file = _File(path, *_format(path))
    _check_content(file)
    if table is not None and file.format != "duckdb":
        raise InputError(f"{file.name} is no DuckDB file and has no tables; leave table={table!r} out.")
    if file.format == "csv":
        return _csv(file, asked)
    if file.format == "duckdb":
        return database_source(session, path, table)
    return _parquet(session, file) if file.format == "parquet" else json_source(session, path, file.zipped)


def _check_there(path: Path) -> None:
    try:
        if path.is_dir():
            files = sorted(file.name for file in path.iterdir() if _known(file))
            held = f" It holds {shortened(files)}." if files else ""
            raise InputError(f"'{path}' is a folder; give the path of one file.{held}")
        if not path.exists():
            raise MissingFileError(f"There is no file '{path}'{_hint(path)}")
        if path.stat().st_size == 0:
            raise InputError(f"'{path}' is empty (0 bytes); write the file again.")
    except OSError as error:
        if isinstance(error, MissingFileError):
            raise
        raise InputError(
            f"'{path}' cannot be read ({error.strerror}); check the path and its permissions."
        ) from None


def _hint(path: Path) -> str:
    if not path.parent.is_dir():
        return f", nor a folder '{path.parent}'; check the path."
    files = sorted(file.name for file in path.parent.iterdir() if file.is_file())
    same = [name for name in files if Path(name).stem.lower() == path.stem.lower()]
    near = get_close_matches(path.name, files, n=3, cutoff=0.6)
    found = list(dict.fromkeys([*near, *same]))
    return f"; did you mean {' or '.join(repr(name) for name in found[:3])}?" if found else "; check the path."


def _known(path: Path) -> bool:
    return _ending(path)[0] in _FORMATS


def _ending(path: Path) -> tuple[str, bool]:
    """The ending that tells the format, and whether .gz came after it."""
    zipped = path.suffix.lower() == ".gz"
    return Path(path.stem if zipped else path.name).suffix.lower(), zipped


def _format(path: Path) -> tuple[Format, bool]:
    ending, zipped = _ending(path)
    if ending not in _FORMATS or (zipped and ending in (".parquet", ".duckdb")):
        raise InputError(
            f"'{path}' ends in {''.join(path.suffixes[-2:] if zipped else path.suffixes[-1:]) or 'nothing'!r}, "
            f"which tells no format; expected {', '.join(_FORMATS)}, or .gz after one of the text formats."
        )
    return _FORMATS[ending], zipped


def _check_content(file: _File) -> None:
    """Compare the first bytes with what the ending promises."""
    content = _content(_first_bytes(file.path, zipped=False), file.format)
    if file.zipped and content == "gzip":
        content = _content(_first_bytes(file.path, zipped=True), file.format)
    elif file.zipped:
        raise InputError(f"{file.name} is not a gzip file but {content}; take the .gz off its name, or pack it.")
    if content == "nothing":
        raise InputError(f"{file.name} is empty; write the file again.")
    if content != _CONTENT[file.format]:
        raise InputError(
            f"{file.name} should be {_CONTENT[file.format]}, by its ending, but looks like {content}; "
            "give it the ending of what it is, or export it again."
        )


def _first_bytes(path: Path, zipped: bool) -> bytes:
    try:
        with gzip.open(path) if zipped else path.open("rb") as stream:
            return bytes(stream.read(4096))
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"'{path}' is damaged: it cannot be unpacked. Pack it again with gzip.") from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be read ({error.strerror}); check its permissions.") from None


def _content(head: bytes, expected: Format) -> str:
    """What the first bytes look like."""
    for magic, content in ((b"PAR1", "Parquet"), (b"\x1f\x8b", "gzip")):
        if head.startswith(magic):
            return content
    if head[8:12] == b"DUCK":
        return "DuckDB"
    if b"\0" in head:
        return "binary data, or text that is not UTF-8"
    text = head.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        return "nothing"
    json = rb"[\[{]" if expected == "json" else rb"\{|\[\s*\{"  # a CSV header may well start with [id]
    return "JSON" if re.match(json, text) else "CSV" if expected == "csv" else "text"


def _csv(file: _File, asked: Collection[str]) -> Source:
    header = read_header(file.path, file.zipped, _ending(file.path)[0] == ".tsv", asked)
    check_names(header.names, file.name)
    options = (
        "?, delim = ?, skip = ?, columns = ?, nullstr = ?, compression = ?, header = true, auto_detect = false, "
        "quote = '\"', escape = '\"', hive_partitioning = false"
    )
    columns = {f"c{i}": "VARCHAR" for i in range(len(header.names))}
    parameters = (literal(file.path), header.delimiter, header.skip, columns, _MISSING, compression(file.zipped))
    rejects = f"read_csv({options}, store_rejects = true, rejects_limit = 4)"
    call = f"read_csv({options})"
    return Source(file.name, header.names, call, parameters, None, None, rejects, header.skip + 1)


def _parquet(session: Session, file: _File) -> Source:
    call = "read_parquet(?, hive_partitioning = false)"
    told = session.rows(f"DESCRIBE SELECT * FROM {call}", (literal(file.path),), file.name)
    nodes = session.rows("SELECT name, num_children FROM parquet_schema(?)", (literal(file.path),), file.name)
    names = _top_level(nodes)  # DESCRIBE renames what differs in capitals only
    check_names(names, file.name)
    return Source(file.name, names, call, (literal(file.path),), tuple(kind_of(str(row[1])) for row in told))


def _top_level(nodes: list[Any]) -> tuple[str, ...]:
    """The names of the columns in Parquet's list of nodes, where children follow their parent."""
    names, inside = [], 0
    for name, children in nodes[1:]:
        if inside == 0:
            names.append(str(name))
        else:
            inside -= 1
        inside += children or 0
    return tuple(names)
