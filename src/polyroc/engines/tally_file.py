"""A tally as bytes: a JSON header and arrays of integers, compressed, after a version and a checksum."""

import json
import zlib
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polyroc.errors import InputError
from polyroc.kernels.arrays import IntArray

if TYPE_CHECKING:
    from polyroc.engines.counts import Counts

__all__ = ["StoredTally", "pack", "unpack"]

MAGIC = b"polyroc tally 1\n"
DIGEST_SIZE = sha256().digest_size


class StoredTally(NamedTuple):
    """The content of a file: the header, and by name the occupied positions and their records."""

    header: dict[str, Any]
    arrays: dict[str, tuple[IntArray, IntArray]]

    @classmethod
    def of(cls, header: dict[str, Any], counts: "Counts | None") -> "StoredTally":
        """The occupied bins and the patterns that occurred."""
        arrays: dict[str, tuple[IntArray, IntArray]] = {}
        if counts is not None:
            for place, bins in counts.bins.items():
                occupied = np.flatnonzero(bins.records[:, 0])
                arrays[f"column {place}"] = occupied, bins.records[occupied]
            for kind, patterns in counts.patterns.items():
                arrays[kind] = patterns.codes, patterns.records
        return cls(header, arrays)

    def fill(self, counts: "Counts") -> None:
        """Put the records into empty counts."""
        for place, bins in counts.bins.items():
            occupied, records = self._checked(f"column {place}", bins.records.shape[1])
            if len(occupied) and not 0 <= occupied.min() <= occupied.max() < len(bins.records):
                raise _damaged("bins out of range")
            bins.records[occupied] = records
        for kind, patterns in counts.patterns.items():
            patterns.codes, patterns.records = self._checked(kind, patterns.records.shape[1])

    def _checked(self, name: str, width: int) -> tuple[IntArray, IntArray]:
        if name not in self.arrays or self.arrays[name][1].shape[1] != width:
            raise _damaged(f"no {name}, or of another width")
        positions, records = self.arrays[name]
        if (np.diff(positions) <= 0).any() or (records[:, 1:] < 0).any():
            raise _damaged(f"{name} out of order")
        return positions, records


def pack(stored: StoredTally) -> bytes:
    """Header and arrays as bytes."""
    plain = (str, int, float, bool, type(None))
    other = [label for label in stored.header["labels"] if not isinstance(label, plain)]
    if other:
        raise InputError(f"A stored tally has labels of text, numbers or booleans, got {other[0]!r}.")
    shapes = {name: records.shape for name, (_, records) in stored.arrays.items()}
    head = json.dumps({**stored.header, "held": shapes}).encode()
    arrays = b"".join(
        _byte_planes(array)
        for positions, records in stored.arrays.values()
        for array in (np.diff(positions, prepend=0), records.T)  # differences are small, so they compress well
    )
    body = zlib.compress(len(head).to_bytes(8, "little") + head + arrays, 1)
    return MAGIC + sha256(body).digest() + body


def unpack(data: bytes) -> StoredTally:
    """Read what `pack` wrote; anything else is an error."""
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
    digest, body = data[len(MAGIC) : len(MAGIC) + DIGEST_SIZE], data[len(MAGIC) + DIGEST_SIZE :]
    if sha256(body).digest() != digest:
        raise _damaged("the checksum does not fit")
    try:
        return _parsed(zlib.decompress(body))
    except (zlib.error, ValueError, KeyError, TypeError) as error:
        raise _damaged(str(error)) from None


def _parsed(raw: bytes) -> StoredTally:
    end = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:end])
    arrays: dict[str, tuple[IntArray, IntArray]] = {}
    for name, (rows, width) in header.pop("held").items():
        positions = np.cumsum(_from_byte_planes(raw, rows, end))
        records = _from_byte_planes(raw, rows * width, end + 8 * rows).reshape(width, rows).T
        arrays[name] = positions, np.ascontiguousarray(records)
        end += 8 * rows * (1 + width)
    return StoredTally(header, arrays)


def _byte_planes(numbers: IntArray) -> bytes:
    """The lowest bytes of all integers, then the next ones: high bytes are mostly zero and compress well."""
    return np.ascontiguousarray(numbers, "<i8").reshape(-1, 1).view(np.uint8).T.tobytes()


def _from_byte_planes(raw: bytes, count: int, start: int) -> IntArray:
    planes = np.frombuffer(raw, np.uint8, 8 * count, start).reshape(8, count)
    return np.ascontiguousarray(planes.T).view("<i8")[:, 0].astype(np.int64)


def _damaged(why: str) -> InputError:
    return InputError(f"The stored tally is damaged ({why}); it was cut off or changed. Tally again.")
