"""Stored fronts, which some commands take instead of a data file."""

from pathlib import Path
from typing import Any

import click

__all__ = ["is_front", "needs_data"]

HEAD = 200  # bytes at the beginning of a JSON file that tell its kind


def is_front(file: Path) -> bool:
    """Whether a file looks like a stored front: arrays by its name, or JSON of that kind."""
    if file.suffix == ".npz":
        return True
    try:
        with file.open("rb") as text:
            return file.suffix == ".json" and b'"kind": "Front"' in text.read(HEAD)
    except OSError:
        return False  # whoever reads it says what is wrong


def needs_data(file: Path | None, columns: dict[str, Any]) -> Path:
    """FILE and --truth, which only stored fronts do without."""
    context = click.get_current_context()
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.", context)
    if columns.get("truth") is None:
        raise click.UsageError("Missing option '--truth'.", context)
    return file
