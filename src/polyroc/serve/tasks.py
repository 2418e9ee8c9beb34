"""What the processes of jobs do: read the first rows of a file, and make a report."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from polyroc.errors import InputError, PolyrocError
from polyroc.io.sources import DataFile
from polyroc.serve.limits import Limits

__all__ = ["make_report", "preview_file"]

Progress = Callable[[int, int, str], None]
MOST_SHOWN = 60  # characters of a value
MOST_NAMES = 2**20  # characters of all column names


def preview_file(path: Path, name: str, limits: Limits, progress: Progress) -> dict[str, Any]:
    """The columns and the first rows of a file, and the roles that are suggested, as plain data."""
    from polyroc.io.preview import preview
    from polyroc.serve.suggestions import suggestions

    file = DataFile(path, name)
    progress(0, 0, "reading")
    seen = preview(file, most_columns=limits.columns)
    if not seen.previewed:
        raise InputError(f"{file.name} has column names but no rows; write the file again.")
    if sum(len(column.name) for column in seen.columns) > MOST_NAMES:
        raise InputError(f"The column names of {file.name} are too long; shorten them.")
    _check_rows(file, limits)
    return {
        "columns": [
            {
                "name": column.name,
                "distinct": column.distinct,
                "range": f"{column.low:.4g} to {column.high:.4g}" if column.numeric else None,
            }
            for column in seen.columns
        ],
        "rows": [[None if value is None else shortened(value) for value in row] for row in seen.rows],
        "previewed": seen.previewed,
        "suggestions": [suggestion._asdict() for suggestion in suggestions(seen)],
    }


def make_report(
    path: Path, name: str, limits: Limits, target: Path, columns: dict[str, Any], progress: Progress
) -> None:
    """Read a file by the chosen columns and write its report."""
    from polyroc.io.read import read

    file = DataFile(path, name)
    progress(0, 0, "reading")
    _check_rows(file, limits)
    scores = read(file, **columns)
    from polyroc.reports.report import report

    report(scores, path=target, title=name, progress=progress)


def _check_rows(file: DataFile, limits: Limits) -> None:
    from polyroc.io.preview import has_more_rows

    try:
        more = has_more_rows(file, limits.rows)
    except PolyrocError:  # `read` says which rows cannot be read
        return
    if more:
        raise InputError(
            f"{file.name} has more than {limits.rows:,} rows, the limit of this page; for larger files use the "
            "command line: polyroc report FILE."
        )


def shortened(text: str) -> str:
    """A text of at most 60 characters.

    >>> shortened("a" * 100) == "a" * 57 + "..."
    True
    """
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."
