"""Batches of a DuckDB query as numpy arrays, by Arrow's C stream interface: no pyarrow, no copy.

https://arrow.apache.org/docs/format/CStreamInterface.html
"""

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np

__all__ = ["Batch", "StreamError", "batches"]

Batch = tuple[np.ndarray[Any, Any], ...]

_TYPES: dict[bytes, type[np.generic]] = {
    b"c": np.int8,
    b"s": np.int16,
    b"i": np.int32,
    b"l": np.int64,
    b"f": np.float32,
    b"g": np.float64,
}


class _Array(ctypes.Structure):
    pass


_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", ctypes.c_void_p),
]


class _Schema(ctypes.Structure):
    pass


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", ctypes.c_void_p),
]


class _Stream(ctypes.Structure):
    pass


_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", ctypes.c_void_p),
]

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class StreamError(Exception):
    """The error message of a stream that failed."""


def batches(capsule: object) -> Iterator[Batch]:
    """The batches of a numeric stream as tuples of columns, nan for null; memory is freed with the last array."""
    stream = ctypes.cast(_pointer(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream))
    types = _types(stream)
    while True:
        array = _Array()
        _check(stream, stream.contents.get_next(stream, ctypes.byref(array)))
        if not array.release:  # a released array marks the end of the stream
            return
        owner = _Owner(array)
        yield tuple(_column(array.children[i].contents, kind, owner) for i, kind in enumerate(types))


def _types(stream: Any) -> list[type[np.generic]]:
    schema = _Schema()
    _check(stream, stream.contents.get_schema(stream, ctypes.byref(schema)))
    types = [_TYPES[schema.children[i].contents.format] for i in range(schema.n_children)]
    schema.release(ctypes.byref(schema))
    return types


def _check(stream: Any, code: int) -> None:
    if code:
        raise StreamError((stream.contents.get_last_error(stream) or b"").decode(errors="replace"))


class _Owner:
    """Frees a batch when nothing refers to it any more."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __del__(self) -> None:
        self._array.release(ctypes.byref(self._array))


def _column(array: Any, kind: type[np.generic], owner: _Owner) -> np.ndarray[Any, Any]:
    """A column as a view of the stream's memory, or a copy with nan for null."""
    size = np.dtype(kind).itemsize
    n = array.length
    if not n:
        return np.empty(0, kind)
    # Buffer 1 holds the values. numpy keeps `raw` alive, and `raw` its owner, which releases the batch at the end.
    raw = (ctypes.c_char * (n * size)).from_address(array.buffers[1] + array.offset * size)
    raw.owner = owner
    values = np.frombuffer(raw, dtype=kind)
    if array.null_count and array.buffers[0]:  # buffer 0 is the bitmap of the values that are not null
        bits = (ctypes.c_uint8 * ((array.offset + n + 7) // 8)).from_address(array.buffers[0])
        valid = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[array.offset : array.offset + n]
        values = np.where(valid == 1, values, np.nan)
    return values
