"""The one file that a front is stored in: JSON, or a header and compressed arrays (.npz, no pickle)."""

import io
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.errors import InputError, MissingFileError

__all__ = ["read_front", "write_front"]


def write_front(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """The file appears whole or not at all: what was there before stays until the new one is complete."""
    path = Path(path)
    text = io.BytesIO()
    if path.suffix == ".json":
        plain = {**header, **{name: each.tolist() for name, each in arrays.items()}}
        text.write(json.dumps(plain, allow_nan=False).encode())
    else:
        told = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
        np.savez_compressed(text, header=told, **arrays)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(text.getbuffer())
        part.replace(path)
    except OSError as trouble:
        with suppress(OSError):
            part.unlink()
        raise InputError(f"The front cannot be stored in {path} ({trouble.strerror}).") from None


def read_front(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Header and arrays in one mapping; nothing in the file is ever run."""
    try:
        text = Path(path).read_bytes()
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {path}; give the path of a front stored by save.") from None
    except OSError as trouble:
        raise InputError(f"The front {path} cannot be read ({trouble.strerror}).") from None
    try:
        data = _unpacked(text) if text.startswith(b"PK") else json.loads(text)
    except Exception as trouble:  # json, numpy, zipfile, zlib and struct each have errors of their own for damage
        raise InputError(f"{path} is not a whole stored front ({trouble}); make it again.") from None
    if not isinstance(data, dict):
        raise InputError(f"{path} is not a stored front, but a {type(data).__name__}.")
    return data


def _unpacked(text: bytes) -> Any:
    with np.load(io.BytesIO(text), allow_pickle=False) as arrays:
        header = json.loads(arrays["header"].tobytes())
        return {**header, **{name: arrays[name] for name in arrays.files if name != "header"}}
