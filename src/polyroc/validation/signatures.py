"""Arguments are checked against the annotations of a signature, for every public function and record.

`@validated` makes a function check the arguments that were passed before it runs; a frozen record calls
`validate_fields(self)` in its `__post_init__`. The annotation is the check: `int` is a whole number, `float` a
finite number, a `Literal` one of its values, `Sequence[float]` a list of numbers, and so on. What an annotation
cannot express is attached to it (`Annotated[float, within(0, 1)]`), or is checked where the value is used. Checks
are made when a function is called first, so that they cost nothing at import, and afterwards a fraction of a
microsecond per argument.
"""

import os
import sys
import types
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, fields
from functools import cache, wraps
from inspect import CO_VARKEYWORDS, Parameter, get_annotations, signature
from math import inf, isfinite, isnan
from numbers import Integral
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np

from polyroc.errors import InputError
from polyroc.messages import short_repr
from polyroc.validation.arguments import (
    ALPHA_WORDS,
    LEVEL_WORDS,
    SAMPLING_WORDS,
    WEIGHT_WORDS,
    did_you_mean,
    is_number,
)
from polyroc.validation.names_elsewhere import CHOICE_NAMES, option_hint

__all__ = [
    "LARGEST",
    "MOST_DRAWS",
    "Alpha",
    "Check",
    "Count",
    "ExtendedFloat",
    "Level",
    "OpenShare",
    "Positive",
    "PositiveInt",
    "Probability",
    "expected",
    "is_sequence",
    "own_check",
    "validate_fields",
    "validated",
    "within",
]

Function = TypeVar("Function", bound=Callable[..., Any])
LARGEST = 2**63 - 1
MOST_DRAWS = 10**9


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a value is valid, and the words for what is."""

    accepts: Callable[[Any], bool]
    expects: str
    plural: str = ""
    choices: tuple[str, ...] = ()

    def error(self, name: str, value: object) -> InputError:
        """The error for a value that is not valid."""
        near = did_you_mean(_own_name(value, self.choices), self.choices) if isinstance(value, str) else ""
        hint = f"; {near}" if near.startswith("did") else "."
        return InputError(f"{name} must be {self.expects}, got {short_repr(value)}{hint}")


def within(low: float = -inf, high: float = inf, *, open: bool = False) -> Callable[[Check], Check]:  # noqa: A002
    """Attached to an annotation of numbers: the range of valid ones, with its limits unless it is open.

    >>> scale = Annotated[float, within(0, open=True)]
    """

    def limit(check: Check) -> Check:
        def accepts(value: Any) -> bool:
            return check.accepts(value) and (low < value < high if open else low <= value <= high)

        if open:
            limits = f"between {low:,} and {high:,}" if high < inf else f"above {low:,}"
        else:
            limits = f"from {low:,} to {high:,}" if high < inf else f"of {low:,} or more"
        return Check(accepts, f"{check.expects} {limits}", f"{check.plural} {limits}")

    return limit


def expected(words: str) -> Callable[[Check], Check]:
    """Attached to an annotation: the words for what is valid, where those made from the annotation do not do."""
    return lambda check: Check(check.accepts, words, choices=check.choices)


def own_check(_check: Check | None) -> None:
    """Attached to an annotation whose values the function checks itself, with a better message."""


def validated(function: Function) -> Function:
    """Check the arguments of each call against the annotations of the function; defaults are not checked.

    >>> @validated
    ... def draw(n: int, kind: Literal["bars", "lines"] = "bars") -> int:
    ...     return n
    >>> draw(3)
    3
    >>> draw(2.5)
    Traceback (most recent call last):
    polyroc.errors.InputError: n must be a whole number, got 2.5.
    >>> draw(2, kind="line")
    Traceback (most recent call last):
    polyroc.errors.InputError: kind must be 'bars' or 'lines', got 'line'; did you mean 'lines'?
    """
    checks: dict[str, Check] | None = None
    positional: list[str] = []
    known: frozenset[str] | None = None
    passed_on = bool(function.__code__.co_flags & CO_VARKEYWORDS)

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        nonlocal checks, known
        if checks is None:
            positional[:], known, checks = _of_function(function)
        if known is not None and not known.issuperset(options):
            _hint_at_options(options, known, passed_on)
        for name, value in zip(positional, arguments, strict=False):
            check = checks.get(name)
            if check is not None and not check.accepts(value):
                raise check.error(name, value)
        for name, value in options.items():
            check = checks.get(name)
            if check is not None and not check.accepts(value):
                raise check.error(name, value)
        return function(*arguments, **options)

    return checked  # type: ignore[return-value]


def validate_fields(record: Any) -> None:
    """Check the public fields of a dataclass against their annotations."""
    for name, check in _of_record(type(record)):  # type: ignore[arg-type]
        value = getattr(record, name)
        if not check.accepts(value):
            raise check.error(name, value)


@cache
def _of_record(kind: type) -> list[tuple[str, Check]]:
    names = [field.name for field in fields(kind) if field.init and not field.name.startswith("_")]
    annotations = {name: hint for base in reversed(kind.__mro__) for name, hint in get_annotations(base).items()}
    checks = _resolved(annotations, kind, {})
    return [(name, checks[name]) for name in names if name in checks]


def _own_name(value: str, choices: tuple[str, ...]) -> str:
    """The choice that other packages call by this name; the name itself if there is none."""
    return next((own for other, own in CHOICE_NAMES if other == value.casefold() and own in choices), value)


def _hint_at_options(options: Iterable[str], known: frozenset[str], passed_on: bool) -> None:
    """Raise an error for an unknown option; Python's own error follows unless options are passed on by name."""
    for name in options:
        hint = None if name in known else option_hint(name)
        if hint is not None:
            raise InputError(f"There is no option {name!r}; {hint}")
        if name not in known and passed_on:
            near = did_you_mean(name, known)
            hint = near if near.startswith("did") else "the documentation of the function lists them."
            raise InputError(f"There is no option {name!r}; {hint}")


def _of_function(function: Callable[..., Any]) -> tuple[list[str], frozenset[str] | None, dict[str, Check]]:
    """The names of the positional parameters and of all (None: any name is valid), and the checks."""
    parameters = signature(function).parameters.values()
    kinds = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    hints: dict[str, Any] = {}
    known: frozenset[str] | None = frozenset(
        parameter.name for parameter in parameters if parameter.kind is not Parameter.VAR_KEYWORD
    )
    for parameter in parameters:
        hint = parameter.annotation
        if parameter.kind is Parameter.VAR_KEYWORD and get_origin(hint) is Unpack:
            hints |= get_type_hints(get_args(hint)[0], include_extras=True)
            known = None if known is None else known | hints.keys()
        elif parameter.kind is Parameter.VAR_KEYWORD:
            known = None
        elif (
            parameter.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL) and hint is not Parameter.empty
        ):
            hints[parameter.name] = hint
    names = [parameter.name for parameter in parameters if parameter.kind in kinds]
    return names, known, _resolved(hints, function, BY_NAME)


def _resolved(hints: Mapping[str, Any], owner: Any, by_name: Mapping[str, Any]) -> dict[str, Check]:
    """The checks of annotations; those that name what is imported for the type checker alone have none."""
    space = vars(sys.modules[owner.__module__])
    checks = {}
    for name, hint in hints.items():
        try:
            resolved = eval(hint, dict(space)) if isinstance(hint, str) else hint
        except (NameError, TypeError):
            continue
        check = check_of(by_name.get(name, resolved))
        if check is not None:
            checks[name] = check
    return checks


def check_of(hint: Any) -> Check | None:
    """The check that an annotation stands for; None if everything is valid."""
    origin = get_origin(hint)
    if origin is Annotated:
        inner, *changes = get_args(hint)
        check = check_of(inner)
        for change in changes:
            check = change(check)
        return check
    if origin in (Union, types.UnionType):
        return _union(get_args(hint))
    if origin is Literal:
        return _choice(get_args(hint))
    if hint in SIMPLE:
        return SIMPLE[hint]
    if hint is Hashable:
        return Check(_is_hashable, "hashable, such as a number or text")
    if origin is os.PathLike or hint is os.PathLike:
        return Check(_is_path, "a path")
    return _container(origin, get_args(hint)) if origin is not None else _instance(hint)


def _is_number(value: object) -> bool:
    try:
        return is_number(value) and isfinite(value)
    except OverflowError:  # an integer beyond the range of floats
        return False


def _is_extended(value: object) -> bool:
    infinite = isinstance(value, float | np.floating) and not isnan(value)
    return infinite or _is_number(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and abs(int(value)) <= LARGEST


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except Exception:  # whatever the object raises
        return False
    return True


def _is_path(value: object) -> bool:
    """True for a path that the operating system accepts as a name."""
    if not isinstance(value, str | os.PathLike):
        return False
    try:
        name = os.fsencode(value)
        return len(name) > 0 and b"\0" not in name
    except (TypeError, ValueError):
        return False


SIMPLE: dict[Any, Check] = {
    bool: Check(lambda value: isinstance(value, bool | np.bool_), "True or False"),
    int: Check(_is_whole, "a whole number", "whole numbers"),
    float: Check(_is_number, "a finite number", "finite numbers"),
    str: Check(lambda value: isinstance(value, str), "text", "names"),
    bytes: Check(lambda value: isinstance(value, bytes), "bytes", "bytes"),
    None: Check(lambda value: value is None, "None"),
    types.NoneType: Check(lambda value: value is None, "None"),
    np.random.Generator: Check(
        lambda value: isinstance(value, np.random.Generator), "a numpy.random.Generator", "generators"
    ),
}


def _choice(choices: tuple[Any, ...]) -> Check:
    kinds = tuple({type(choice) for choice in choices})
    words = [repr(choice) for choice in choices]
    listed = " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
    return Check(
        lambda value: isinstance(value, kinds) and value in choices,
        listed,
        choices=tuple(choice for choice in choices if isinstance(choice, str)),
    )


def _union(hints: tuple[Any, ...]) -> Check | None:
    has_paths = any(get_origin(hint) is os.PathLike for hint in hints)
    checks = [check_of(hint) for hint in hints if not (has_paths and hint is str)]
    if any(check is None for check in checks):
        return None
    parts = [check for check in checks if check is not None]
    words = [part.expects for part in parts if part.expects != "None"]
    listed = " or ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]
    accepting = tuple(part.accepts for part in parts)
    choices = tuple(choice for part in parts for choice in part.choices)

    def accepts(value: Any) -> bool:
        for accepted in accepting:  # noqa: SIM110 - a loop; `any` of a generator takes three times as long
            if accepted(value):
                return True
        return False

    return Check(accepts, listed, listed, choices)


def _container(origin: Any, inner: tuple[Any, ...]) -> Check | None:
    if not isinstance(origin, type):
        return None
    if origin is Callable:
        return Check(callable, "a function")
    if issubclass(origin, np.ndarray):
        return Check(lambda value: isinstance(value, np.ndarray), "an array", "arrays")
    if issubclass(origin, Mapping):
        return _mapping(*inner)
    if issubclass(origin, tuple) and Ellipsis not in inner:
        return _record_of(tuple(check_of(hint) for hint in inner))
    if issubclass(origin, Iterable):
        return _sequence(check_of(inner[0]))
    return _instance(origin)


def is_sequence(value: object) -> bool:
    """True for a list, a tuple, an array, a series, ..., with one or more dimensions."""
    if isinstance(value, str | bytes | bytearray | Mapping):
        return False
    if isinstance(value, Sequence):
        return True
    indexable = isinstance(value, Sized) and hasattr(value, "__getitem__") and hasattr(value, "__iter__")
    return indexable and getattr(value, "ndim", 1) > 0


def _sequence(item: Check | None) -> Check:
    words = f"a list of {item.plural or item.expects}" if item is not None else "a list"

    def accepts(value: Any) -> bool:
        return is_sequence(value) and (item is None or all(map(item.accepts, value)))

    return Check(accepts, words, words.replace("a list", "lists"))


def _record_of(items: tuple[Check | None, ...]) -> Check:
    kinds = {item.plural or item.expects for item in items if item is not None}
    words = f"{len(items)} {kinds.pop()}" if len(kinds) == 1 else f"{len(items)} values"

    def accepts(value: Any) -> bool:
        return (
            is_sequence(value)
            and len(value) == len(items)
            and all(item is None or item.accepts(element) for item, element in zip(items, value, strict=True))
        )

    return Check(accepts, words, f"tuples of {words}")


def _mapping(key: Any = Any, item: Any = Any) -> Check:
    keys, items = check_of(key), check_of(item)
    words = f"a mapping of {items.plural or items.expects}" if items is not None else "a mapping"

    def accepts(value: Any) -> bool:
        return (
            isinstance(value, Mapping)
            and (keys is None or all(map(keys.accepts, value)))
            and (items is None or all(map(items.accepts, value.values())))
        )

    return Check(accepts, words, words.replace("a mapping", "mappings"))


def _instance(kind: Any) -> Check | None:
    """An object of a class; None for what is not a class, and for protocols that cannot be checked."""
    if kind is Any or not isinstance(kind, type) or kind is object:
        return None
    try:
        isinstance(None, kind)
    except TypeError:  # a protocol, or a typed dictionary
        return None
    if kind is np.ndarray:
        return Check(lambda value: isinstance(value, np.ndarray), "an array", "arrays")
    if kind is Mapping or kind is dict:
        return _mapping()
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    return Check(lambda value: isinstance(value, kind), f"{article} {kind.__name__}", f"{kind.__name__} objects")


Level = Annotated[float, within(0, 1, open=True), expected(LEVEL_WORDS)]
Alpha = Annotated[float, within(0, 1, open=True), expected(ALPHA_WORDS)]
PositiveInt = Annotated[int, within(1)]
Count = Annotated[int, within(1, MOST_DRAWS)]  # of random draws
Positive = Annotated[float, within(0, open=True)]
Probability = Annotated[float, within(0, 1)]
OpenShare = Annotated[float, within(0, 1, open=True)]
ExtendedFloat = Annotated[float, lambda _: Check(_is_extended, "a number", "numbers")]
# What means the same in every function.
BY_NAME: dict[str, Any] = {
    "level": Level,
    "method": Any,  # see `as_method`
    "priors": Any,  # see `as_priors`
    "sampling": Annotated[Literal["cohort", "case-control"] | None, expected(SAMPLING_WORDS)],
    "threshold": ExtendedFloat | None,
    "weight_kind": Annotated[Literal["importance", "frequency"] | None, expected(WEIGHT_WORDS)],
}
