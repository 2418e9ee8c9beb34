"""Stored fronts given instead of data."""

from pathlib import Path
from typing import Any

import click

__all__ = ["is_front", "needs_data"]

HEAD = 200  # the kind of a stored result is within the first bytes of its JSON


def is_front(file: Path) -> bool:
    """True if a file looks like a stored front, by its ending or by the kind in its JSON."""
    if file.suffix == ".npz":
        return True
    try:
        with file.open("rb") as text:
            return file.suffix == ".json" and b'"kind": "Front"' in text.read(HEAD)
    except OSError:
        return False  # reading it raises the error


def needs_data(file: Path | list[Path] | None, columns: dict[str, Any]) -> Any:
    """The file; FILE and --truth are required unless there is a stored front."""
    context = click.get_current_context()
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.", context)
    if columns.get("truth") is None:
        raise click.UsageError("Missing option '--truth'.", context)
    return file
