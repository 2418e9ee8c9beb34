"""Stored fronts given instead of data, and text files that commands write."""

import os
import tempfile
from pathlib import Path
from typing import Any

import click

from polyroc.errors import InputError

__all__ = ["is_front", "needs_data", "store"]

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


def store(text: str, path: Path, option: str) -> None:
    """Write a text file atomically: to a temporary file in the same folder, then renamed."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            Path(temporary).chmod(0o644)
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise InputError(f"{option}: {path} cannot be written ({error.strerror}).") from None
