"""The file format of a front: JSON, or a header and compressed arrays (.npz, no pickle)."""

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
    """Write a file next to the target and rename it, so that an interrupted process leaves the old file whole."""
    path = Path(path)
    buffer = io.BytesIO()
    if path.suffix == ".json":
        plain = {**header, **{name: array.tolist() for name, array in arrays.items()}}
        buffer.write(json.dumps(plain, allow_nan=False).encode())
    else:
        header_bytes = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
        np.savez_compressed(buffer, header=header_bytes, **arrays)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(buffer.getbuffer())
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise InputError(f"The front could not be saved in {path} ({error.strerror}).") from None


def read_front(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Header and arrays in one mapping; no code in the file is run."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {path}; give the path of a front stored by save.") from None
    except OSError as error:
        raise InputError(f"The front {path} cannot be read ({error.strerror}).") from None
    try:
        data = _unpacked(content) if content.startswith(b"PK") else json.loads(content)
    except Exception as error:  # json, numpy, zipfile, zlib and struct raise different errors for a damaged file
        raise InputError(f"{path} is not a complete stored front ({error}); make it again.") from None
    if not isinstance(data, dict):
        raise InputError(f"{path} is not a stored front, but a {type(data).__name__}.")
    return data


def _unpacked(content: bytes) -> Any:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        header = json.loads(arrays["header"].tobytes())
        return {**header, **{name: arrays[name] for name in arrays.files if name != "header"}}
