"""Reading a plan key by key: every complaint says where, what was expected, and the nearest right name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn

from polyroc.errors import InputError, did_you_mean
from polyroc.studies.lines import Path

__all__ = ["Place", "Reader"]

Place = Callable[[Path], str]


@dataclass(slots=True)
class Reader:
    """A table of the plan, where it stands, and the keys that were asked for."""

    table: Mapping[str, Any]
    path: Path
    place: Place
    asked: list[str] = field(default_factory=list)

    def fail(self, message: str, key: str | None = None) -> NoReturn:
        """Complain of the table, or of a key in it."""
        raise InputError(f"{self.place(self.path if key is None else (*self.path, key))}: {message}")

    def get(self, key: str, expected: str, fits: Callable[[Any], bool], default: Any = None) -> Any:
        """The value of a key, if it is what was expected."""
        self.asked.append(key)
        if key not in self.table:
            return default
        value = self.table[key]
        if not fits(value):
            self.fail(f"{key} must be {expected}, got {value!r}.", key)
        return value

    def text(self, key: str, default: str | None = None) -> Any:
        """A text that is not empty."""
        return self.get(key, "a text", lambda value: isinstance(value, str) and bool(value.strip()), default)

    def needed(self, key: str) -> str:
        """A text that must be there."""
        found = self.text(key)
        if found is None:
            self.fail(f"{key} is missing; give it.")
        return str(found)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        found = self.get(key, "a list of texts", _all_texts, ())
        return tuple(found)

    def whole(self, key: str, default: int, least: int) -> int:
        """A whole number, at least so large."""
        expected = f"a whole number, at least {least}"
        return int(self.get(key, expected, lambda value: _whole(value) and value >= least, default))

    def seconds(self, key: str) -> float | None:
        """A number above 0, or nothing."""
        found = self.get(key, "a number of seconds above 0", lambda value: _number(value) and value > 0)
        return None if found is None else float(found)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        return bool(self.get(key, "true or false", lambda value: isinstance(value, bool), default))

    def choice(self, key: str, among: Sequence[str], default: str) -> Any:
        """One of some words."""
        found = self.text(key, default)
        if found not in among:
            self.fail(f"there is no {key} {found!r}; {did_you_mean(found, among)}", key)
        return found

    def mapping(self, key: str) -> dict[str, Any]:
        """A table whose keys are free."""
        return dict(self.get(key, "a table", lambda value: isinstance(value, Mapping), {}))

    def tables(self, key: str, shorthand: str | None = None) -> list["Reader"]:
        """A list of tables; where there is a shorthand, a bare text stands for a table with that one key."""
        expected = "a list of tables" if shorthand is None else f"a list of tables or of each {shorthand}"
        found = self.get(key, expected, _is_list, [])
        readers = []
        for number, entry in enumerate(found):
            path = (*self.path, key, number)
            table = {shorthand: entry} if shorthand and isinstance(entry, str) else entry
            if not isinstance(table, Mapping):
                raise InputError(f"{self.place(path)}: {key} must be {expected}, got {entry!r} in it.")
            readers.append(Reader(table, path, self.place))
        return readers

    def inner(self, key: str) -> "Reader":
        """The table of a key; empty if it is not there."""
        return Reader(self.mapping(key), (*self.path, key), self.place)

    def finish(self) -> None:
        """Complain of keys that nobody asked for."""
        for key in self.table:
            if key not in self.asked:
                self.fail(f"there is no key {key!r} here; {did_you_mean(str(key), self.asked)}", str(key))


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _all_texts(value: Any) -> bool:
    return _is_list(value) and all(isinstance(entry, str) for entry in value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return (_whole(value) or isinstance(value, float)) and isfinite(value)
