"""A tally as bytes: a JSON header and arrays of integers, compressed, after a version and a checksum.

A checksum finds accidents; whoever changes a file can sign it again. So every entry of the header is validated
before memory is allocated for what it announces, no more bytes are decompressed than it implies, and the counts
must agree with each other.
"""

import json
import zlib
from collections.abc import Mapping
from hashlib import sha256
from math import frexp, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from polyroc.engines.bins import BinCounts, Layout, bin_bytes, record_width
from polyroc.engines.counts import MOST_CLASSES, DecisionPatterns
from polyroc.errors import InputError
from polyroc.kernels.arrays import IntArray
from polyroc.kernels.bins import FRACTION_BITS, MIXED, disguised_values

if TYPE_CHECKING:
    from polyroc.engines.counts import Counts

__all__ = ["LARGEST_TALLY", "StoredTally", "pack", "unpack"]

MAGIC = b"polyroc tally 1\n"
DIGEST_SIZE = sha256().digest_size
LARGEST_TALLY = 2**30  # bytes of the counts of a stored tally by default: 24 bits for two classes take 950 MB
LARGEST_HEADER = 2**24  # bytes: the names of some hundred thousand classes
MOST_ROWS = 2**53  # cases; all counts up to here are exact as floating-point numbers


class StoredTally(NamedTuple):
    """The content of a file: the header, and by name the occupied positions and their records."""

    header: dict[str, Any]
    arrays: dict[str, tuple[IntArray, IntArray]]

    def check(self, counts: "Counts") -> None:
        """Raise an error unless the records fit these empty counts and agree with each other."""
        rows, totals = self.header["rows"], []
        for place, bins in counts.bins.items():
            occupied, records = self.arrays[f"column {place}"]
            _check_order(occupied, len(bins.records))
            totals.append(_class_totals(records, bins, rows))
            _check_values(occupied, records, bins.layout, counts.ranges[place])
        for kind, patterns in counts.patterns.items():
            codes, records = self.arrays[kind]
            _check_order(codes, _most_patterns(kind, patterns.classes))
            totals.append(_class_totals(records, patterns, rows))
        if any(total != totals[0] for total in totals):
            _fail("the columns have different numbers of cases")


def _check_order(positions: IntArray, end: int) -> None:
    if (np.diff(positions, prepend=-1, append=end) <= 0).any():
        _fail("bins out of range or out of order")


def _class_totals(records: IntArray, counted: BinCounts | DecisionPatterns, rows: int) -> list[list[int]]:
    """Return sums by class, as exact integers: cases and, with weights, weights in units of 2^-52."""
    c = counted.classes
    cases, *sums = (records[:, 1 + i * c : 1 + (i + 1) * c] for i in range(5 if counted.weighted else 1))
    # A pattern of cases of weight 0 has a record without cases, and then without a mark.
    if (cases < 0).any() or (cases > rows).any() or (cases.any(axis=1) != (records[:, 0] != 0)).any():
        _fail("counts out of range")
    total = sum(cases.sum(axis=0).tolist())
    if total > rows or (total < rows and not counted.weighted):  # cases of weight 0 are rows that do not count
        _fail(f"{total} cases are counted in {rows} rows")
    if not counted.weighted:
        return [cases.sum(axis=0).tolist()]
    whole, fraction, squares, squares_fraction = sums
    if any((part < 0).any() for part in sums) or ((fraction | squares_fraction) >> FRACTION_BITS).any():
        _fail("weights out of range")
    weight, squared = (
        high + low * 2.0**-FRACTION_BITS for high, low in ((whole, fraction), (squares, squares_fraction))
    )
    # The sum of squares is between (sum)^2 / n and (sum)^2; small weights are rounded to units of 2^-52.
    unit = 4.0 * 2.0**-FRACTION_BITS * (1.0 + cases) * (1.0 + weight)
    slack = 1e-9
    fits = squared * cases * (1 + slack) + unit * cases >= weight**2
    fits &= squared <= weight**2 * (1 + slack) + unit
    if not (fits & ((weight > 0) <= (cases > 0))).all():
        _fail("weights that do not fit their squares or cases")
    totals = [[sum(column) for column in part.T.tolist()] for part in (whole, fraction)]
    return [cases.sum(axis=0).tolist(), [(high << FRACTION_BITS) + low for high, low in zip(*totals, strict=True)]]


def _check_values(occupied: IntArray, records: IntArray, layout: Layout, limits: tuple[float, float]) -> None:
    """Check that bins of one value have it in their mark, and that all values are in the range of the scores."""
    single = ~np.isin(records[:, 0], (0, MIXED))
    values = disguised_values(records[single, 0])
    low, high = limits
    if not np.isfinite(values).all() or (layout.locate(values) != occupied[single]).any():
        _fail("a value outside its bin")
    first, last = layout.locate(np.array([low, high])).tolist()
    outside = (occupied < first) | (occupied > last)
    if outside.any() or (values < low).any() or (values > high).any():
        _fail("values outside their range")


def pack(stored: StoredTally) -> bytes:
    """Write header and arrays as bytes."""
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


def unpack(data: bytes, most_bytes: int = LARGEST_TALLY) -> StoredTally:
    """Read what `pack` wrote; anything else is an error, and so are counts that need more memory."""
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
        _fail("the checksum does not fit")
    try:
        return _parsed(_BoundedReader(body), most_bytes)
    except InputError:
        raise
    except (zlib.error, ValueError, KeyError, TypeError, RecursionError) as error:
        _fail(str(error))


class _BoundedReader:
    """Decompresses as many bytes as are requested, and no more."""

    def __init__(self, body: bytes) -> None:
        self._stream, self._rest = zlib.decompressobj(), body

    def read(self, size: int) -> bytes:
        """Read so many bytes; an error if there are fewer."""
        data = self._stream.decompress(self._rest, size) if size else b""
        self._rest = self._stream.unconsumed_tail if size else self._rest
        if len(data) != size:
            _fail("it is too short")
        return data

    def close(self) -> None:
        """Raise an error unless all bytes were read."""
        more = self._stream.decompress(self._rest, 1)
        if more or not self._stream.eof or self._stream.unused_data:
            _fail("it is too long")


def _parsed(reader: _BoundedReader, most_bytes: int) -> StoredTally:
    size = int.from_bytes(reader.read(8), "little")
    if size > LARGEST_HEADER:
        _fail(f"a header of {size} bytes")
    header = json.loads(reader.read(size), parse_constant=_fail)
    if not isinstance(header, dict):
        _fail("the header is no object")
    shapes = header.pop("held")
    _check_header(header)
    _check_shapes(header, shapes, most_bytes)
    arrays: dict[str, tuple[IntArray, IntArray]] = {}
    for name, (rows, width) in shapes.items():
        positions = np.cumsum(_from_byte_planes(reader.read(8 * rows), rows))
        records = _from_byte_planes(reader.read(8 * rows * width), rows * width).reshape(width, rows).T
        arrays[name] = positions, np.ascontiguousarray(records)
    reader.close()
    return StoredTally(header, arrays)


def _check_header(header: Mapping[str, Any]) -> None:
    """Raise an error unless every entry is of its type and in its range."""
    labels, kind, bits, rows, positive = (header[k] for k in ("labels", "kind", "bits", "rows", "positive"))
    plain = isinstance(labels, list) and all(isinstance(label, str | int | float | None) for label in labels)
    if not plain or len(labels) < 2 or len(set(labels)) < len(labels):
        _fail("labels must be two or more different texts or numbers")
    if header["pos_label"] is not None and header["pos_label"] not in labels:
        _fail("pos_label is no label")
    empty = kind is None
    if not _is_whole(bits, 2, 24) and not (empty and bits is None):
        _fail(f"bits must be from 2 to 24, not {bits!r}")
    if not empty and kind not in ("score", "matrix", "decisions"):
        _fail(f"unknown kind {kind!r}")
    if not _is_whole(rows, 0 if empty else 1, 0 if empty else MOST_ROWS) or type(header["weighted"]) is not bool:
        _fail(f"rows {rows!r}, weighted {header['weighted']!r}")
    scale = header.get("weight_scale", 1.0)
    if type(scale) is not float or scale <= 0 or frexp(scale)[0] != 0.5:
        _fail(f"weight_scale must be a power of two, not {scale!r}")
    needs_positive = kind == "score" and len(labels) == 2
    if not (_is_whole(positive, 0, 1) if needs_positive else positive is None or _is_whole(positive, 0, 1)):
        _fail(f"positive must be 0 or 1, not {positive!r}")
    if not empty:
        _check_limits(header["ends"], _places(header))


def _check_limits(limits: Any, places: range) -> None:
    """Raise an error unless there are a smallest and a largest finite score for every column."""
    listed = isinstance(limits, list) and all(isinstance(row, list) and len(row) == 3 for row in limits)
    if not listed or [row[0] for row in limits] != [*places]:
        _fail("ends must have one row per column")
    for _, low, high in limits:
        numbers = all(isinstance(end, int | float) and type(end) is not bool for end in (low, high))
        if not numbers or not isfinite(low) or not isfinite(high) or low > high:
            _fail(f"ends {low!r} and {high!r}")


def _check_shapes(header: Mapping[str, Any], shapes: Any, most_bytes: int) -> None:
    """Raise an error unless the arrays are those of such a tally, and all counts fit into so many bytes."""
    c, weighted = len(header["labels"]), header["weighted"]
    width, places, largest = record_width(c, weighted), range(0), {}
    memory = 0
    if header["kind"] is not None:
        places, size = _places(header), Layout.of(header["bits"]).size
        memory = len(places) * size * bin_bytes(c, weighted)
        largest = {f"column {place}": size for place in places}
        if header["kind"] != "score" and c <= MOST_CLASSES:
            largest |= {kind: _most_patterns(kind, c) for kind in ("decisions", "wins")}
    if not isinstance(shapes, dict) or shapes.keys() != largest.keys():
        _fail("other arrays than such a tally has")
    for name, shape in shapes.items():
        most_rows = min(largest[name], header["rows"])
        if not isinstance(shape, list) or len(shape) != 2 or shape[1] != width:
            _fail(f"{name} has another width")
        if not _is_whole(shape[0], 0, most_rows):
            _fail(f"{name} has {shape[0]!r} rows")
        memory += 8 * shape[0] * (1 + width)
    if memory > most_bytes:
        raise InputError(
            f"This stored tally needs {memory:,} bytes of memory, more than most_bytes ({most_bytes:,}); if you "
            "know where it comes from, pass a larger most_bytes."
        )


def _places(header: Mapping[str, Any]) -> range:
    return range(1 if header["kind"] == "score" else len(header["labels"]))


def _most_patterns(kind: str, classes: int) -> int:
    """Return one more than the largest code of a pattern: a digit for each class, to base 3 or 2."""
    return int((3 if kind == "wins" else 2) ** classes)


def _is_whole(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _byte_planes(numbers: IntArray) -> bytes:
    """Write the lowest bytes of all integers, then the next ones: high bytes, mostly zero, compress well."""
    return np.ascontiguousarray(numbers, "<i8").reshape(-1, 1).view(np.uint8).T.tobytes()


def _from_byte_planes(raw: bytes, count: int) -> IntArray:
    planes = np.frombuffer(raw, np.uint8).reshape(8, count)
    return np.ascontiguousarray(planes.T).view("<i8")[:, 0].astype(np.int64)


def _fail(reason: str) -> NoReturn:
    raise InputError(f"The stored tally is damaged ({reason}); it was cut off or changed. Tally again.")
