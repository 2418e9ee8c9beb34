"""The file format of a front: JSON, or a header and compressed arrays (.npz, no pickle).

It has the state from which a search can be resumed.
"""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Self

import numpy as np

from polyroc.errors import InputError, MissingFileError
from polyroc.fronts.models import Model, kind_of, model_from
from polyroc.kernels.arrays import FloatArray, IntArray
from polyroc.output.files import write_file

__all__ = ["Search", "read_front", "write_front"]

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
        if Path(path).is_char_device():  # which may have no end
            raise InputError(f"{path} is a device, not a stored front.")
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Search:
    """The search behind the front of a family.

    Attributes
    ----------
    family
        The name and settings of the family, as plain data.
    options
        The options of the search: costs per generation, selection, objectives, alpha, bounds.
    data
        A hash of the cases it ran on.
    generations
        How many generations it ran.
    models
        Parameter vectors x parameters: those of the points of the front, each once.
    place, generation
        For each point, its row in `models`, and the generation it was found in; 0 is the start.
    state
        State of the random number generator after the last generation.
    interrupted
        True if it ended before the number of generations requested.
    model
        What the points share, for built-in families; None for others.
    """

    family: Mapping[str, Any]
    options: Mapping[str, Any]
    data: str
    generations: int
    models: FloatArray
    place: IntArray
    generation: IntArray
    state: Mapping[str, Any]
    interrupted: bool = False
    model: Model | None = None

    def __repr__(self) -> str:
        broken = ", interrupted" if self.interrupted else ""
        return f"Search({self.generations} generations of {self.family.get('name', 'a family')}{broken})"

    def fits(self, points: int, classes: int) -> bool:
        """Whether there are parameters for so many points, valid for the model and this number of classes."""
        if not len(self.place) == len(self.generation) == points or self.models.ndim != 2:
            return False
        if not (self.place.min() >= 0 and self.place.max() < len(self.models)):
            return False
        if not (self.generation.min() >= 0 and self.generation.max() <= self.generations):
            return False
        model = self.model
        return model is None or all(model.fits(parameters, classes) for parameters in self.models)

    def header(self) -> dict[str, Any]:
        """All but the arrays, as plain data."""
        return {
            "family": dict(self.family),
            "options": dict(self.options),
            "data": self.data,
            "generations": self.generations,
            "state": dict(self.state),
            "interrupted": self.interrupted,
            "model": None if self.model is None else kind_of(self.model),
        }

    def arrays(self) -> dict[str, Any]:
        """The arrays, by the name they are stored under."""
        shared = {} if self.model is None else self.model.arrays()
        own = {"models": self.models, "place": self.place, "generation": self.generation}
        return {**own, **{f"model_{name}": array for name, array in shared.items()}}

    @classmethod
    def from_parts(cls, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> Self:
        """A search from its `header` and `arrays`."""
        prefix = "model_"
        shared = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        models = np.asarray(arrays["models"], dtype=np.float64)
        plain = {name: header[name] for name in ("family", "options", "data", "generations", "state")}
        for name in ("family", "options", "state"):
            if not isinstance(plain[name], Mapping):
                raise InputError(f"The front's search: {name} must be a mapping; the stored data are damaged.")
        return cls(
            **plain,
            models=models.reshape(len(models), -1),
            place=np.asarray(arrays["place"], dtype=np.int64),
            generation=np.asarray(arrays["generation"], dtype=np.int64),
            interrupted=bool(header["interrupted"]),
            model=None if header["model"] is None else model_from(header["model"], shared),
        )
