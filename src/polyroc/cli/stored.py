"""Files that commands take instead of data, and those they write."""

import os
import tempfile
from pathlib import Path
from typing import Any

import click

from polyroc.errors import InputError

__all__ = ["is_front", "needs_data", "store"]

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


def needs_data(file: Path | list[Path] | None, columns: dict[str, Any]) -> Any:
    """FILE and --truth, which only stored fronts do without."""
    context = click.get_current_context()
    if file is None:
        raise click.UsageError("Missing argument 'FILE'.", context)
    if columns.get("truth") is None:
        raise click.UsageError("Missing option '--truth'.", context)
    return file


def store(text: str, path: Path, option: str) -> None:
    """All of it or nothing: written beside, then moved into place."""
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            Path(beside).chmod(0o644)
            Path(beside).replace(path)
        except OSError:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as trouble:
        raise InputError(f"{option}: {path} cannot be written ({trouble.strerror}).") from None
