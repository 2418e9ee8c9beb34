"""Text files in other encodings and Excel workbooks: a temporary CSV file in UTF-8, which DuckDB reads."""

import csv
import tempfile
import warnings
from collections.abc import Callable, Iterator
from datetime import date, datetime, time
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO
from zipfile import BadZipFile

from polyroc.errors import InputError, MissingPackageError, OutOfSpaceError
from polyroc.io.compression import decompressed
from polyroc.io.session import Session
from polyroc.io.sources import DataFile, Decimal
from polyroc.messages import Option, short_repr
from polyroc.validation.arguments import did_you_mean

__all__ = ["check_encoding", "is_workbook", "text_copy"]

_BLOCK = 2**20  # characters that are copied at once
_UTF8 = ("utf-8", "utf-8-sig", "ascii")


def is_workbook(file: DataFile) -> bool:
    """Whether this is an Excel workbook, by its ending."""
    return file.ending in (".xlsx", ".xlsm")


def check_encoding(encoding: str | None) -> str | None:
    """The name of an encoding that Python knows; None for UTF-8."""
    if encoding is None:
        return None
    try:
        if not isinstance(encoding, str):
            raise LookupError
        b"".decode(encoding)
        "".encode(encoding)
    except (LookupError, ValueError):
        raise InputError(
            Option("encoding"),
            f" must be the name of an encoding, such as 'latin-1', 'cp1252' or 'utf-16', got "
            f"{short_repr(encoding)}.",
        ) from None
    name = encoding.strip().lower().replace("_", "-")
    return None if name in (*_UTF8, "utf8") else encoding


def text_copy(session: Session, file: DataFile, table: str | None = None) -> DataFile:
    """The file itself if it is text in UTF-8, or no text; else a CSV copy that is removed with the session.

    `table` is the sheet of a workbook.
    """
    if is_workbook(file):
        return _copy(session, file, lambda target: _write_sheet(file, table, target))
    if file.encoding is not None:
        return _copy(session, file, lambda target: _transcode(file, target))
    return file


def _copy(session: Session, file: DataFile, write: Callable[[TextIO], None]) -> DataFile:
    """A copy that messages call by the name of the original, in folders of the same Hive partitions."""
    partitions = [part for part in file.path.absolute().parts[:-1] if "=" in part]
    ending = ".csv" if is_workbook(file) else file.ending
    stem = Path(file.path.name if file.compression == "uncompressed" else file.path.stem).stem
    try:
        folder = Path(session.keep(tempfile.TemporaryDirectory(prefix="polyroc-")).name, *partitions)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{stem}{ending}"
        with path.open("w", encoding="utf-8", newline="") as target:
            write(target)
    except OSError as error:
        raise OutOfSpaceError(
            f"{file.name} cannot be converted: a temporary copy cannot be written ({error.strerror}). Save it as "
            "CSV in UTF-8, or set TMPDIR to another folder."
        ) from None
    copy = DataFile(path, file.shown_as or str(file.path), file.decimal)
    session.show_as(path, copy.name)
    return copy


def _transcode(file: DataFile, target: TextIO) -> None:
    assert file.encoding is not None
    try:
        with decompressed(file) as content, TextIOWrapper(content, file.encoding, newline="") as text:
            while block := text.read(_BLOCK):
                target.write(block)
    except UnicodeError:
        raise InputError(
            f"{file.name} is not text in the encoding {file.encoding!r}; name another one with ",
            Option("encoding", ...),
            ", or leave it out for UTF-8.",
        ) from None


def _write_sheet(file: DataFile, sheet: str | None, target: TextIO) -> None:
    """Write the rows of a sheet as CSV, without empty rows, and without empty cells after the header."""
    writer = csv.writer(target, lineterminator="\n")
    width = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of openpyxl, about styles and validation rules of cells
        for row in _sheet_rows(file, sheet):
            texts = [_cell_text(value, file.decimal) for value in row]
            while texts and not texts[-1]:
                texts.pop()
            width = width or len(texts)
            if texts:
                writer.writerow(texts + [""] * (width - len(texts)))
    if not width:
        raise InputError(f"{file.name} has no cells in this sheet; a header and at least one row are needed.")


def _cell_text(value: Any, decimal: Decimal) -> str:
    """A cell as it would be written in a CSV file.

    >>> [_cell_text(value, ",") for value in (None, True, 3.0, 0.25, "a", date(2026, 11, 17))]
    ['', 'true', '3', '0,25', 'a', '2026-11-17']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):  # Excel has no integers: 3 is stored as 3.0
        text = str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
        return text.replace(".", decimal)
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def _sheet_rows(file: DataFile, sheet: str | None) -> Iterator[tuple[Any, ...]]:
    try:
        import openpyxl
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError:
        raise MissingPackageError(
            f"{file.name} is an Excel workbook, which needs openpyxl: pip install openpyxl. Or save the sheet as "
            "CSV (in Excel: File, Save As, CSV UTF-8)."
        ) from None
    try:
        book = openpyxl.load_workbook(file.path, read_only=True, data_only=True)
    except (BadZipFile, InvalidFileException, KeyError, ValueError, EOFError):
        raise _damaged(file) from None
    worksheets = {str(one.title): one for one in book.worksheets}
    try:
        yield from worksheets[_chosen(file, sheet, [*worksheets])].iter_rows(values_only=True)
    finally:
        book.close()


def _damaged(file: DataFile) -> InputError:
    return InputError(f"{file.name} is not an Excel workbook, or it is damaged; save it again, or save it as CSV.")


def _chosen(file: DataFile, sheet: str | None, sheets: list[str]) -> str:
    """The sheet that was named, or the only one."""
    if not sheets:
        raise InputError(f"{file.name} has no sheet with cells; save the table as CSV.")
    if sheet is None and len(sheets) > 1:
        raise InputError(f"{file.name} has several sheets; choose one with ", Option("table", *sheets[:8]), ".")
    if sheet is not None and sheet not in sheets:
        raise InputError(f"{file.name} has no sheet {sheet!r}; {did_you_mean(sheet, sheets)}")
    return sheet or sheets[0]
