"""A tally as bytes: a header in JSON and plain integers, compressed, behind a version and a checksum."""

import json
import zlib
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import IntArray

if TYPE_CHECKING:
    pass

__all__ = ["StoredTally", "pack", "unpack"]

MAGIC = b"polyroc tally 1\n"
DIGEST = sha256().digest_size


class StoredTally(NamedTuple):
    """What is written: the header, and by name the places of what is held and its records."""

    header: dict[str, Any]
    held: dict[str, tuple[IntArray, IntArray]]

    @classmethod
    def of(cls, header: dict[str, Any], counted: "Counted | None") -> "StoredTally":
        """The cells and patterns that hold cases."""
        held: dict[str, tuple[IntArray, IntArray]] = {}
        if counted is not None:
            for place, cells in counted.cells.items():
                which = np.flatnonzero(cells.records[:, 0])
                held[f"column {place}"] = which, cells.records[which]
            for kind, patterns in counted.patterns.items():
                held[kind] = patterns.codes, patterns.records
        return cls(header, held)

    def fill(self, counted: "Counted") -> None:
        """Put the records where they belong."""
        for place, cells in counted.cells.items():
            which, records = self._checked(f"column {place}", cells.records.shape[1])
            if len(which) and not 0 <= which.min() <= which.max() < len(cells.records):
                raise _damaged("cells out of range")
            cells.records[which] = records
        for kind, patterns in counted.patterns.items():
            patterns.codes, patterns.records = self._checked(kind, patterns.records.shape[1])

    def _checked(self, name: str, width: int) -> tuple[IntArray, IntArray]:
        if name not in self.held or self.held[name][1].shape[1] != width:
            raise _damaged(f"no {name}, or of another width")
        which, records = self.held[name]
        if (np.diff(which) <= 0).any() or (records[:, 1:] < 0).any():
            raise _damaged(f"{name} out of order")
        return which, records


def pack(stored: StoredTally) -> bytes:
    """Header and arrays as bytes."""
    plain = (str, int, float, bool, type(None))
    strange = [label for label in stored.header["labels"] if not isinstance(label, plain)]
    if strange:
        raise InputError(f"A stored tally has labels of text, numbers or booleans, got {strange[0]!r}.")
    shapes = {name: records.shape for name, (_, records) in stored.held.items()}
    head = json.dumps({**stored.header, "held": shapes}).encode()
    arrays = b"".join(
        _planes(array)
        for which, records in stored.held.values()
        for array in (np.diff(which, prepend=0), records.T)
    )
    body = zlib.compress(len(head).to_bytes(8, "little") + head + arrays, 1)
    return MAGIC + sha256(body).digest() + body


def unpack(data: bytes) -> StoredTally:
    """What `pack` wrote; anything else is refused."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InputError(f"A stored tally is bytes, got {type(data).__name__}.")
    data = bytes(data)
    if not data.startswith(MAGIC):
        known = data.startswith(b"polyroc tally")
        raise InputError(
            "This tally was written by another version of polyroc; tally again."
            if known
            else "These bytes are no stored tally; give what Tally.to_bytes wrote."
        )
    digest, body = data[len(MAGIC) : len(MAGIC) + DIGEST], data[len(MAGIC) + DIGEST :]
    if sha256(body).digest() != digest:
        raise _damaged("the checksum does not fit")
    try:
        return _parsed(zlib.decompress(body))
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise _damaged(str(error)) from None


def _parsed(raw: bytes) -> StoredTally:
    end = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:end])
    held: dict[str, tuple[IntArray, IntArray]] = {}
    for name, (rows, width) in header.pop("held").items():
        which = np.cumsum(_numbers(raw, rows, end))
        records = _numbers(raw, rows * width, end + 8 * rows).reshape(width, rows).T
        held[name] = which, np.ascontiguousarray(records)
        end += 8 * rows * (1 + width)
    return StoredTally(header, held)


def _planes(numbers: IntArray) -> bytes:
    """Integers as bytes, the lowest of all first, then the next: most of counts are zero and shrink to nothing."""
    return np.ascontiguousarray(numbers, "<i8").reshape(-1, 1).view(np.uint8).T.tobytes()


def _numbers(raw: bytes, count: int, start: int) -> IntArray:
    planes = np.frombuffer(raw, np.uint8, 8 * count, start).reshape(8, count)
    return np.ascontiguousarray(planes.T).view("<i8")[:, 0].astype(np.int64)


def _damaged(why: str) -> InputError:
    return InputError(f"The stored tally is damaged ({why}); it was cut off or changed. Tally again.")
