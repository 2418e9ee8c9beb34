"""The rows of a CSV file that cannot be read, and why."""

from collections.abc import Sequence

from polyroc.errors import InputError
from polyroc.io.session import Session
from polyroc.io.source import Source

__all__ = ["rejected"]

_REASONS = {
    "TOO MANY COLUMNS": (
        "more values than the header has names",
        "Put values that hold the delimiter in quotes, or complete the header",
    ),
    "MISSING COLUMNS": (
        "fewer values than the header has names",
        "Complete the row; a missing value is written as an empty one",
    ),
    "UNQUOTED VALUE": (
        "a quote that does not end, or does not enclose the whole value,",
        "Put the whole value in quotes and double the quotes inside it",
    ),
    "INVALID ENCODING": ("bytes that are not text in UTF-8", "Save the file again with that encoding"),
}
_OTHER = ("something that is not CSV", "Correct it")


def rejected(session: Session, source: Source, expressions: Sequence[str]) -> str | None:
    """Read once more, noting the bad rows; None if the source has no rows to note."""
    if source.rejects is None:
        return None
    query = f"CREATE TEMP TABLE readable AS {source.select(expressions, source.rejects)}"
    told = "SELECT line, error_type::VARCHAR, csv_line FROM reject_errors ORDER BY line"
    try:
        session.run(query, source.parameters, source.name)
        found = session.rows(told, (), source.name)
    except InputError as error:
        if "state machine" not in str(error):
            return str(error)
        return (
            f"{source.name} is not regular CSV: its lines end in different ways, or its quotes do not match. "
            "Save it again from the program that made it."
        )
    return _message(source, found) if found else None


def _message(source: Source, found: Sequence[tuple[int, str, str]]) -> str:
    kind, text = found[0][1:]
    trouble, remedy = _REASONS.get(kind, _OTHER)
    names = f" ({len(source.columns)})" if "COLUMNS" in kind else ""
    rows = [str(line - source.before) for line, same, _ in found if same == kind]
    where = f"row{'s' if rows[1:] else ''} {', '.join(rows[:3])}{' and more' if rows[3:] else ''}"
    return f"{source.name} has {trouble}{names} in {where}: {text.strip()[:60]!r}. {remedy}."
