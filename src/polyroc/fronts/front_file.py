"""The file format of a front: JSON, or a header and compressed arrays (.npz, no pickle)."""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from polyroc.errors import InputError, MissingFileError
from polyroc.output.files import write_file

__all__ = ["read_front", "write_front"]

# Arrays may take so many bytes, or so many times the size of their file if that is more. Costs are random numbers,
# which do not compress, so that no stored front comes near; a file of zeros could fill the memory.
MOST_BYTES, MOST_EXPANSION = 2**28, 50


def write_front(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a file; an interrupted process leaves the old one whole."""
    path = Path(path)
    buffer = io.BytesIO()
    if path.suffix == ".json":
        plain = {**header, **{name: array.tolist() for name, array in arrays.items()}}
        buffer.write(json.dumps(plain, allow_nan=False).encode())
    else:
        header_bytes = np.frombuffer(json.dumps(header, allow_nan=False).encode(), dtype=np.uint8)
        np.savez_compressed(buffer, header=header_bytes, **arrays)
    if not path.name:
        raise InputError(f"path must name a file to save the front in, got '{path}'.")
    write_file(path, buffer.getvalue())


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
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        size = sum(member.file_size for member in members.infolist())
        if size > max(MOST_BYTES, MOST_EXPANSION * len(content)):
            raise ValueError(f"{size:,} bytes in a file of {len(content):,}")
        # `read` stops at the size that was checked above, whatever the compressed data hold.
        arrays = {
            member.filename.removesuffix(".npy"): _array(members.read(member)) for member in members.infolist()
        }
    header = json.loads(arrays.pop("header").tobytes())
    return {**header, **arrays}


def _array(content: bytes) -> np.ndarray[Any, Any]:
    """An array in NumPy's format, after checking that its shape fits its bytes: numpy allocates first."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read_header(stream)
    if dtype.hasobject or dtype.kind not in "iuf" or min(shape, default=0) < 0:
        raise ValueError(f"an array of {dtype}")
    if prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError(f"an array of shape {shape} in {len(content)} bytes")
    stream.seek(0)
    return np.lib.format.read_array(stream, allow_pickle=False)
