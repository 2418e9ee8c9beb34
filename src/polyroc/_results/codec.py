"""The codec of results: plain data for JSON from the fields of a record, and back by their type hints.

Records are dataclasses and named tuples. Layout:

- a record is an object with one entry per field (a leading underscore is left out); a result has "schema" and
  "kind" as well, so that each piece of a larger result can be read alone;
- nan is null; an infinity is the text "inf" or "-inf", as JSON has neither;
- arrays and tuples are lists; a mapping by name is an object; a mapping by several names is a list of objects with
  the entry "key", in which a value that is no record is the entry "value";
- values that follow from the fields (intervals at a level, p-values) are written for readers of JSON and ignored
  when the data are read; "level" is there wherever one of them depends on it.

Fields that need more state it in their metadata: `NOT_STORED`, `STORED_IF_SET`, `stored_as`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from math import inf, isfinite, isnan, nan
from types import NoneType, UnionType
from typing import (
    Any,
    Generic,
    Literal,
    NamedTuple,
    NoReturn,
    Self,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from polyroc._results.invariants import check_invariants
from polyroc.errors import InputError
from polyroc.messages import short_repr

__all__ = ["NOT_STORED", "STORED_IF_SET", "Known", "Once", "Record", "decode_fields", "encode_fields", "stored_as"]

T = TypeVar("T")
Storage = Mapping[str, Any]
NON_FINITE = {None: nan, "inf": inf, "-inf": -inf}
KEY, VALUE = "key", "value"

NOT_STORED: Storage = {"stored": False}
"""Metadata of a field that is not stored; it needs a default."""

STORED_IF_SET: Storage = {"if_set": True}
"""Metadata of a field that has an entry only where it is not its default, None or a text."""


def stored_as(
    name: str | None = None,
    *,
    encode: Callable[[Any, float], Any] | None = None,
    decode: Callable[[dict[str, Any]], Any] | None = None,
) -> Storage:
    """Return metadata of a field that is stored under another name or in another form.

    Parameters
    ----------
    name
        Of the entry.
    encode
        From the record and the level of intervals to what is encoded in the place of the field.
    decode
        From the data of the record to the value of the field.
    """
    return {"entry": name, "encode": encode, "decode": decode}


class Known(Generic[T]):
    """A function without arguments that returns a known value; unlike a lambda it can be pickled.

    >>> Known(3)()
    3
    """

    def __init__(self, value: T) -> None:
        self._value = value

    def __call__(self) -> T:
        """Return the value."""
        return self._value


class Once(Generic[T]):
    """A function without arguments that computes its value at the first call, or when it is pickled.

    >>> Once(lambda: 3)()
    3
    """

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make

    def __call__(self) -> T:
        """Return the value."""
        make = self._make  # read once: another thread may be faster
        if make is not None:
            self._value = make()
            self._make = None
        return self._value

    def __reduce__(self) -> tuple[type[Known[T]], tuple[T]]:
        return Known, (self(),)


class Record:
    """A dataclass that the codec stores.

    Methods that a record may have beside its fields: `_derived()` and `_derived_at(level)` return further values
    by name, for readers of JSON; they are not read back. `_invariants()` states what must hold of the fields when
    they are read (see `polyroc._results.invariants`).
    """

    __slots__ = ()

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return plain data for JSON, with intervals at a level."""
        return encode_fields(self, level)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        return cast(Self, _decode_record(cls, data, cls.__name__))


class _Field(NamedTuple):
    """A stored field of a record; its default (or what makes it) is MISSING if there is none."""

    name: str
    hint: Any
    default: Any
    storage: Storage

    @property
    def entry(self) -> str:
        return self.storage.get("entry") or self.name.lstrip("_")


@cache
def _stored_fields(kind: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(kind)
    if not is_dataclass(kind):  # a named tuple
        defaults = kind._field_defaults
        return tuple(_Field(name, hints[name], defaults.get(name, MISSING), {}) for name in kind._fields)
    return tuple(
        _Field(f.name, hints[f.name], f.default_factory if f.default is MISSING else f.default, f.metadata)
        for f in fields(kind)
        if f.metadata.get("stored", True)
    )


def _is_record(kind: Any) -> bool:
    return is_dataclass(kind) or hasattr(kind, "_field_defaults")


# Plain data from records -----------------------------------------------------------------------------------------


def encode_fields(record: Any, level: float = 0.95) -> dict[str, Any]:
    """Return plain data of a record: its fields, and what follows from them at a level."""
    encoder = _Encoder(level)
    data = encoder.record(record)
    return {**data, "level": level} if encoder.used_level and "level" not in data else data


class _Encoder:
    """Encodes one record; notes whether anything depended on the level."""

    def __init__(self, level: float) -> None:
        self.level, self.used_level = level, False

    def record(self, record: Any) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for field in _stored_fields(cast(Any, type(record))):
            value, encode = getattr(record, field.name), field.storage.get("encode")
            if "if_set" in field.storage and isinstance(value, str | None) and value == field.default:
                continue
            plain = self.value(encode(record, self.level) if encode else value)
            is_keyed = get_origin(next(iter(get_args(field.hint)), None)) is tuple
            data[field.entry] = [] if is_keyed and plain == {} else plain
        derived = record._derived() if hasattr(record, "_derived") else {}
        if hasattr(record, "_derived_at"):
            self.used_level = True
            derived = {**derived, **record._derived_at(self.level)}
        return {**data, **self._mapping(derived)}

    def value(self, value: Any) -> Any:
        """Return plain data of any value."""
        if value is None or isinstance(value, str | bool | int):
            return value
        if isinstance(value, float):
            return float(value) if isfinite(value) else None if isnan(value) else str(float(value))
        if isinstance(value, np.generic | np.ndarray):
            is_plain = value.dtype.kind in "biu" or (value.dtype.kind == "f" and np.isfinite(value).all())
            return value.tolist() if is_plain else self.value(value.tolist())
        if isinstance(value, Known | Once):
            return self.value(value())
        if isinstance(value, Record):
            return value.to_dict(self.level)
        if hasattr(value, "from_dict"):  # rules and plans have a layout of their own
            return value.to_dict()
        return self._compound(value)

    def _compound(self, value: Any) -> Any:
        if _is_record(type(value)):
            return self.record(value)
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        if isinstance(value, Hashable):
            return str(value)  # a label of a type that JSON does not have, such as a date
        raise TypeError(f"{type(value).__name__} cannot be stored: {value!r}")

    def _mapping(self, mapping: Mapping[Any, Any]) -> Any:
        plain = {key: self.value(item) for key, item in mapping.items()}
        if not isinstance(next(iter(plain), None), tuple):
            return plain
        return [
            {KEY: self.value(key), **(item if isinstance(item, dict) else {VALUE: item})}
            for key, item in plain.items()
        ]


# Records from plain data -----------------------------------------------------------------------------------------


def decode_fields(kind: Any, data: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the fields of a record by name, from what `encode_fields` wrote; defaults may be absent."""
    values = {}
    for field in _stored_fields(kind):
        decode_own = field.storage.get("decode")
        if decode_own is not None:
            values[field.name] = decode_own(data)
        elif field.entry in data:
            values[field.name] = _decode(field.hint, data[field.entry], f"{where}.{field.entry}")
        elif field.default is MISSING:
            raise InputError(f"{where} has no entry {field.entry!r}; the stored data are damaged.")
    return values


def _fail(expected: str, data: Any, where: str) -> NoReturn:
    raise InputError(f"Expected {expected} for {where}, got {short_repr(data)}; the stored data are damaged.")


def _decode(hint: Any, data: Any, where: str) -> Any:
    """Return the value of a type hint from plain data; `where` is their place, for messages."""
    if hint in _SCALARS:
        return _decode_scalar(hint, data, where)
    origin = get_origin(hint)
    if origin in _GENERICS:
        return _GENERICS[origin](get_args(hint), data, where)
    reader = getattr(hint, "from_dict", None)
    # Results, rules and plans read themselves; the reader of a plain record would lose its place in the data.
    if reader is not None and reader.__func__ is not cast(Any, Record.from_dict).__func__:
        return reader(data) if isinstance(data, dict) else _fail(f"an object ({hint.__name__})", data, where)
    if _is_record(hint):
        return _decode_record(hint, data, where)
    raise TypeError(f"The codec has no decoder for the type hint {hint}: does typing.get_args see through it?")


def _decode_record(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        _fail(f"an object ({kind.__name__})", data, where)
    record = kind(**decode_fields(kind, data, where))
    check_invariants(record, where)
    return record


def _decode_scalar(hint: Any, data: Any, where: str) -> Any:
    kinds, expected = _SCALARS[hint]
    if hint is float and isinstance(data, str | None) and data in NON_FINITE:
        return NON_FINITE[data]
    if not isinstance(data, kinds) or (isinstance(data, bool) and bool not in kinds):
        _fail(expected, data, where)
    try:
        return float(data) if hint is float else data
    except OverflowError:
        _fail(expected, data, where)


def _decode_choice(known: tuple[Any, ...], data: Any, where: str) -> Any:
    if not isinstance(data, str | int) or data not in known:
        _fail(f"one of {', '.join(map(repr, known))}", data, where)
    return data


def _decode_tuple(hints: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    any_length = hints[-1] is Ellipsis
    if not isinstance(data, list) or not (any_length or len(data) == len(hints)):
        _fail("a list" if any_length else f"a list of {len(hints)}", data, where)
    by_item = hints[:1] * len(data) if any_length else hints
    return tuple(_decode(hint, data[i], f"{where}[{i}]") for i, hint in enumerate(by_item))


def _decode_mapping(hints: tuple[Any, ...], data: Any, where: str) -> dict[Any, Any]:
    key_hint, value_hint = hints
    if get_origin(key_hint) is not tuple:
        if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
            _fail("an object", data, where)
        return {name: _decode(value_hint, item, f"{where}.{name}") for name, item in data.items()}
    if not isinstance(data, list):
        _fail("a list", data, where)
    mapping = {}
    for place, item in enumerate(data):
        here = f"{where}[{place}]"
        if not isinstance(item, dict) or KEY not in item:
            _fail(f"an object with {KEY!r}", item, here)
        key = _decode(key_hint, item[KEY], f"{here}.{KEY}")
        if key in mapping:
            _fail("a key that occurs once", item[KEY], f"{here}.{KEY}")
        mapping[key] = _decode(value_hint, item[VALUE] if item.keys() == {KEY, VALUE} else item, here)
    return mapping


def _decode_array(hints: tuple[Any, ...], data: Any, where: str) -> np.ndarray[Any, Any]:
    dtype = np.dtype(get_args(hints[1])[0])
    if not isinstance(data, list | np.ndarray):
        _fail("a list of numbers", data, where)
    try:
        # numpy reads None as nan and "inf" as an infinity; whole numbers must not be rounded.
        array = np.array(data, dtype=dtype if dtype.kind == "f" else None)
    except (ValueError, TypeError, OverflowError):
        _fail("numbers in lists of equal lengths", data, where)
    if dtype.kind != "f" and array.size and array.dtype.kind not in "iu":
        _fail("whole numbers in lists of equal lengths", data, where)
    return array.astype(dtype, copy=False)


def _decode_union(hints: tuple[Any, ...], data: Any, where: str) -> Any:
    """Return None or a value of the one type; or one of several results, which their kind tells apart."""
    if data is None and NoneType in hints:
        return None
    members = [hint for hint in hints if hint is not NoneType]
    if len(members) > 1:
        kind = data.get("kind") if isinstance(data, dict) else None
        names = " or ".join(member.__name__ for member in members)
        members = [member for member in members if member.__name__ == kind] or _fail(
            f"a stored {names}", data if kind is None else kind, where
        )
    return _decode(members[0], data, where)


def _decode_lazy(hints: tuple[Any, ...], data: Any, where: str) -> Known[Any]:
    return Known(_decode(hints[1], data, where))


_LABEL = ((str, int, float, bool, NoneType), "a text or a number")
_SCALARS: dict[Any, tuple[Any, str]] = {
    float: ((int, float), "a number"),
    int: ((int,), "a whole number"),
    bool: ((bool,), "true or false"),
    str: ((str,), "a text"),
    Hashable: _LABEL,
    Any: _LABEL,
}
_GENERICS: dict[Any, Callable[[tuple[Any, ...], Any, str], Any]] = {
    Literal: _decode_choice,
    tuple: _decode_tuple,
    Mapping: _decode_mapping,
    dict: _decode_mapping,
    np.ndarray: _decode_array,
    Union: _decode_union,
    UnionType: _decode_union,
    Callable: _decode_lazy,
}
