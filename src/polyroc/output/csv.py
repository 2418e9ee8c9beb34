"""Records for a spreadsheet."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["as_csv"]


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    r"""Records as comma-separated values, all digits; a name that a spreadsheet would run gets a quote first.

    >>> as_csv([{"classifier": "=1+1", "class": "-1"}])
    "classifier,class\n'=1+1,-1"
    """
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _defused(value) for name, value in row.items()} for row in rows)
    return text.getvalue().rstrip("\n")


def _defused(value: Any) -> Any:
    if not isinstance(value, str) or value[:1] not in ("=", "+", "-", "@", "\t", "\r"):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
