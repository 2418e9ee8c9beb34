"""Records as comma-separated values."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["as_csv"]

# A spreadsheet takes a cell that begins so for a formula.
FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Records as comma-separated values with all digits; a name that looks like a formula gets a quote in front.

    >>> as_csv([{"classifier": "=1+1", "class": "-1"}])
    "classifier,class\n'=1+1,-1"
    """
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _quoted(value) for name, value in row.items()} for row in rows)
    return text.getvalue().rstrip("\n")


def _quoted(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(FORMULA_SIGNS):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
