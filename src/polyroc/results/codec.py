"""The codec of results: plain data for JSON from the fields of a record, and back by their type hints.

Records are dataclasses and named tuples. Layout:

- a record is an object with one entry per field (a leading underscore is left out); a result has "schema" and
  "kind" as well, so that each piece of a larger result can be read alone;
- nan is null; an infinity is the text "inf" or "-inf", as JSON has neither;
- arrays and tuples are lists; a mapping by name is an object; a mapping by several names is a list of objects with
  the entry "key", in which a value that is no record is the entry "value";
- values that follow from the fields (intervals at a level, p-values) are written for readers of JSON and ignored
  when the data are read; "level" is there wherever one of them depends on it.

Fields that need more state it in their metadata: `NOT_STORED`, `STORED_IF_SET`, `stored_as`, `stored_unless`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from math import inf, isfinite, isnan, nan
from types import NoneType, UnionType
from typing import (
    Any,
    Generic,
    Literal,
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

from polyroc.errors import InputError
from polyroc.messages import short_repr
from polyroc.results.invariants import check_invariants

__all__ = [
    "NOT_STORED",
    "STORED_IF_SET",
    "Known",
    "Once",
    "Record",
    "decode_fields",
    "encode_fields",
    "lazy_fields",
    "stored_as",
    "stored_unless",
]

T = TypeVar("T")
NON_FINITE = {"inf": inf, "-inf": -inf}
KEY, VALUE = "key", "value"


class Known(Generic[T]):
    """A function without arguments that returns a known value; unlike a lambda it can be pickled.

    >>> Known(3)()
    3
    """

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def __call__(self) -> T:
        """The value."""
        return self._value

    def __reduce__(self) -> tuple[type["Known[T]"], tuple[T]]:
        return Known, (self._value,)


class Once(Generic[T]):
    """A function without arguments that computes its value at the first call (functools.cache is slower).

    >>> Once(lambda: 3)()
    3
    """

    __slots__ = ("_make", "_value")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make

    def __call__(self) -> T:
        """The value."""
        make = self._make  # read once: another thread may be faster
        if make is not None:
            self._value = make()
            self._make = None
        return self._value


class Record:
    """A dataclass that the codec stores.

    Methods that a record may have beside its fields: `_derived()` and `_derived_at(level)` return further values
    by name, for readers of JSON; they are not read back. `_invariants()` states what must hold of the fields when
    they are read (see `polyroc.results.invariants`).
    """

    __slots__ = ()

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Plain data for JSON, with intervals at a level."""
        return encode_fields(self, level)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what `to_dict` wrote."""
        if not isinstance(data, dict):
            _fail("an object", data, cls.__name__)
        record = cls(**decode_fields(cls, data, cls.__name__))
        check_invariants(record, cls.__name__)
        return record


# How fields are stored -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Storage:
    """What the metadata of a field say of how it is stored."""

    name: str | None = None
    encode: Callable[[Any, float], Any] | None = None
    decode: Callable[[dict[str, Any]], Any] | None = None
    skip: bool = False
    omit_none: bool = False
    omit_text: str | None = None


NOT_STORED: Mapping[str, _Storage] = {"storage": _Storage(skip=True)}
"""Metadata of a field that is not stored; it needs a default."""

STORED_IF_SET: Mapping[str, _Storage] = {"storage": _Storage(omit_none=True)}
"""Metadata of a field that has an entry only where it is not None, its default."""


def stored_unless(text: str) -> Mapping[str, _Storage]:
    """Metadata of a field that has no entry where it is this text, its default."""
    return {"storage": _Storage(omit_text=text)}


def stored_as(
    name: str | None = None,
    *,
    encode: Callable[[Any, float], Any] | None = None,
    decode: Callable[[dict[str, Any]], Any] | None = None,
) -> Mapping[str, _Storage]:
    """Metadata of a field that is stored under another name or in another form.

    Parameters
    ----------
    name
        Of the entry.
    encode
        From the record and the level of intervals to what is encoded in the place of the field.
    decode
        From the data of the record to the value of the field.
    """
    return {"storage": _Storage(name, encode, decode)}


@dataclass(frozen=True, slots=True)
class _Field:
    """A stored field of a record: its name, that of its entry, type hint, storage, default and decoder."""

    name: str
    entry: str
    hint: Any
    storage: _Storage
    has_default: bool
    decode: "Decoder"

    @classmethod
    def of(cls, name: str, hint: Any, storage: _Storage, has_default: bool) -> Self:
        """The field with the decoder of its hint, unless its storage has one."""
        decode = _decoder(hint) if storage.decode is None else _label
        return cls(name, storage.name or name.lstrip("_"), hint, storage, has_default, decode)


@cache
def _stored_fields(kind: Any) -> tuple[_Field, ...]:
    hints = get_type_hints(kind)
    if not is_dataclass(kind):  # a named tuple
        names, defaults = kind._fields, kind._field_defaults
        return tuple(_Field.of(name, hints[name], _Storage(), name in defaults) for name in names)
    stored = [(field, field.metadata.get("storage", _Storage())) for field in fields(kind)]
    return tuple(
        _Field.of(
            field.name,
            hints[field.name],
            storage,
            field.default is not MISSING or field.default_factory is not MISSING,
        )
        for field, storage in stored
        if not storage.skip
    )


@cache
def lazy_fields(kind: Any) -> frozenset[str]:
    """The fields of a record that are computed when they are first needed: functions without arguments."""
    return frozenset(name for name, hint in get_type_hints(kind).items() if _is_lazy(hint))


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and (
        is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    )


def _is_lazy(hint: Any) -> bool:
    members = (hint, *get_args(hint))
    return any(get_origin(member) is Callable and get_args(member)[0] == [] for member in members)


# Plain data from records -----------------------------------------------------------------------------------------


def encode_fields(record: Any, level: float = 0.95) -> dict[str, Any]:
    """Plain data of a record: its fields, and what follows from them at a level."""
    encoder = _Encoder(level)
    data = encoder.record(record)
    return {**data, "level": level} if encoder.used_level and "level" not in data else data


class _Encoder:
    """Encodes one record; notes whether anything depended on the level."""

    def __init__(self, level: float) -> None:
        self.level, self.used_level = level, False

    def record(self, record: Any) -> dict[str, Any]:
        data, kind = {}, cast(Any, type(record))
        for field in _stored_fields(kind):
            value = getattr(record, field.name)
            if field.storage.omit_none and value is None:
                continue
            if isinstance(value, str) and value == field.storage.omit_text:
                continue
            if field.storage.encode is not None:
                data[field.entry] = self.value(field.storage.encode(record, self.level))
            else:
                data[field.entry] = self.value(getattr(record, field.name), field.hint)
        derived = record._derived() if hasattr(record, "_derived") else {}
        if hasattr(record, "_derived_at"):
            self.used_level = True
            derived = {**derived, **record._derived_at(self.level)}
        return {**data, **{name: self.value(value) for name, value in derived.items()}}

    def value(self, value: Any, hint: Any = Any) -> Any:
        """Plain data of any value; the hint decides how an empty mapping is written."""
        if value is None or isinstance(value, str | bool | int):
            return value
        if isinstance(value, float):
            return _plain_number(value)
        if isinstance(value, np.generic):
            return self.value(value.item())
        if isinstance(value, np.ndarray):
            return _plain_array(value)
        return self._compound(value, hint)

    def _compound(self, value: Any, hint: Any) -> Any:
        if isinstance(value, Record):
            return value.to_dict(self.level)
        if hasattr(value, "to_dict") and hasattr(value, "from_dict"):  # rules and plans have a layout of their own
            return value.to_dict()
        if _is_record(type(value)):
            return self.record(value)
        if isinstance(value, Mapping):
            return self._mapping(value, hint)
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        if callable(value) and _is_lazy(hint):
            return self.value(value())
        if isinstance(value, Hashable):
            return str(value)  # a label of a type that JSON does not have, such as a date
        raise TypeError(f"{type(value).__name__} cannot be stored: {value!r}")

    def _mapping(self, mapping: Mapping[Any, Any], hint: Any) -> Any:
        arguments = get_args(hint)
        key_hint, value_hint = arguments if len(arguments) == 2 else (Any, Any)
        if get_origin(key_hint) is not tuple and not isinstance(next(iter(mapping), None), tuple):
            return {key: self.value(item, value_hint) for key, item in mapping.items()}
        return [self._keyed(key, self.value(item, value_hint)) for key, item in mapping.items()]

    def _keyed(self, key: tuple[Any, ...], item: Any) -> dict[str, Any]:
        content = item if isinstance(item, dict) else {VALUE: item}
        assert KEY not in content
        return {KEY: self.value(key), **content}


def _plain_number(value: float) -> float | str | None:
    if isfinite(value):
        return float(value)  # also of a subclass of float
    return None if isnan(value) else str(float(value))


def _plain_array(array: np.ndarray[Any, Any]) -> list[Any]:
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return list(array.tolist())
    return [_plain_array(row) if array.ndim > 1 else _plain_number(float(row)) for row in array]


# Records from plain data -----------------------------------------------------------------------------------------

Decoder = Callable[[Any, str], Any]
"""From plain data and their place (for messages) to a value; made once per field, as reading hints is slow."""


def decode_fields(kind: Any, data: dict[str, Any], where: str) -> dict[str, Any]:
    """The fields of a record by name, from what `encode_fields` wrote; fields with a default may be absent."""
    values = {}
    for field in _stored_fields(kind):
        if field.storage.decode is not None:
            values[field.name] = field.storage.decode(data)
        elif field.entry in data:
            values[field.name] = field.decode(data[field.entry], f"{where}.{field.entry}")
        elif not field.has_default:
            raise InputError(f"{where} has no entry {field.entry!r}; the stored data are damaged.")
    return values


def _fail(expected: str, data: Any, where: str) -> NoReturn:
    raise InputError(f"Expected {expected} for {where}, got {short_repr(data)}; the stored data are damaged.")


def _decoder(hint: Any) -> Decoder:
    """The decoder of a type hint."""
    if hint in _SCALARS:
        return _SCALARS[hint]
    origin = get_origin(hint)
    if origin in _GENERICS:
        return _GENERICS[origin](hint)
    if _is_record(hint) or hasattr(hint, "from_dict"):
        return _record(hint)
    if hint in (Hashable, Any):
        return _label
    raise TypeError(f"The codec has no decoder for the type hint {hint}: does typing.get_args see through it?")


def _record(kind: Any) -> Decoder:
    reader = getattr(kind, "from_dict", None)
    # Results, rules and plans read themselves; the reader of a plain record would lose its place in the data.
    reads_itself = reader is not None and reader.__func__ is not cast(Any, Record.from_dict).__func__

    def decode(data: Any, where: str) -> Any:
        if not isinstance(data, dict):
            _fail(f"an object ({kind.__name__})", data, where)
        if reads_itself:
            return kind.from_dict(data)
        record = kind(**decode_fields(kind, data, where))
        check_invariants(record, where)
        return record

    return decode


def _float(data: Any, where: str) -> float:
    if data is None:
        return nan
    if isinstance(data, str) and data in NON_FINITE:
        return NON_FINITE[data]
    if isinstance(data, bool) or not isinstance(data, int | float):
        _fail("a number", data, where)
    try:
        return float(data)
    except OverflowError:
        _fail("a number", data, where)


def _int(data: Any, where: str) -> int:
    if isinstance(data, bool) or not isinstance(data, int):
        _fail("a whole number", data, where)
    return data


def _bool(data: Any, where: str) -> bool:
    if not isinstance(data, bool):
        _fail("true or false", data, where)
    return data


def _str(data: Any, where: str) -> str:
    if not isinstance(data, str):
        _fail("a text", data, where)
    return data


def _label(data: Any, where: str) -> Any:
    if not isinstance(data, str | int | float | None):
        _fail("a text or a number", data, where)
    return data


def _choice(hint: Any) -> Decoder:
    known = get_args(hint)

    def decode(data: Any, where: str) -> Any:
        if not isinstance(data, str | int) or data not in known:
            _fail(f"one of {', '.join(map(repr, known))}", data, where)
        return data

    return decode


def _tuple(hint: Any) -> Decoder:
    *items, last = get_args(hint)
    any_length = last is Ellipsis
    decoders = [_decoder(item) for item in (items if any_length else (*items, last))]

    def decode(data: Any, where: str) -> tuple[Any, ...]:
        if not isinstance(data, list) or not (any_length or len(data) == len(decoders)):
            _fail("a list" if any_length else f"a list of {len(decoders)}", data, where)
        by_item = decoders * len(data) if any_length else decoders
        return tuple(
            decode_item(item, f"{where}[{place}]")
            for place, (decode_item, item) in enumerate(zip(by_item, data, strict=True))
        )

    return decode


def _mapping(hint: Any) -> Decoder:
    key_hint, value_hint = get_args(hint)
    if get_origin(key_hint) is tuple:
        return _keyed_mapping(key_hint, value_hint)
    decode_value = _decoder(value_hint)

    def decode(data: Any, where: str) -> dict[str, Any]:
        if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
            _fail("an object", data, where)
        return {name: decode_value(item, f"{where}.{name}") for name, item in data.items()}

    return decode


def _keyed_mapping(key_hint: Any, value_hint: Any) -> Decoder:
    """The decoder of a mapping by several names."""
    decode_key, decode_value = _decoder(key_hint), _decoder(value_hint)
    has_records = any(_is_record(member) for member in (value_hint, *get_args(value_hint)))

    def decode(data: Any, where: str) -> dict[Any, Any]:
        if not isinstance(data, list):
            _fail("a list", data, where)
        mapping = {}
        for place, item in enumerate(data):
            here = f"{where}[{place}]"
            if not isinstance(item, dict) or KEY not in item:
                _fail(f"an object with {KEY!r}", item, here)
            content = item if has_records else item.get(VALUE)
            key = decode_key(item[KEY], f"{here}.{KEY}")
            if key in mapping:
                _fail("a key that occurs once", item[KEY], f"{here}.{KEY}")
            mapping[key] = decode_value(content, here)
        return mapping

    return decode


def _array(hint: Any) -> Decoder:
    dtype = np.dtype(get_args(get_args(hint)[1])[0])

    def decode(data: Any, where: str) -> np.ndarray[Any, Any]:
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

    return decode


def _union(hint: Any) -> Decoder:
    """One type or None; or several results, which are distinguished by their kind."""
    optional = NoneType in get_args(hint)
    members = [member for member in get_args(hint) if member is not NoneType]
    decoders = {getattr(member, "__name__", str(member)): _decoder(member) for member in members}

    def decode(data: Any, where: str) -> Any:
        if data is None and optional:
            return None
        if len(decoders) == 1:
            (decode_member,) = decoders.values()
            return decode_member(data, where)
        kind = data.get("kind") if isinstance(data, dict) else None
        if not isinstance(kind, str) or kind not in decoders:
            _fail(f"a stored {' or '.join(decoders)}", data if kind is None else kind, where)
        return decoders[kind](data, where)

    return decode


def _lazy(hint: Any) -> Decoder:
    decode_value = _decoder(get_args(hint)[1])
    return lambda data, where: Known(decode_value(data, where))


_SCALARS: dict[Any, Decoder] = {float: _float, int: _int, bool: _bool, str: _str}
_GENERICS: dict[Any, Callable[[Any], Decoder]] = {
    Literal: _choice,
    tuple: _tuple,
    Mapping: _mapping,
    dict: _mapping,
    np.ndarray: _array,
    Union: _union,
    UnionType: _union,
    Callable: _lazy,
}
