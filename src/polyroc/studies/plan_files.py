"""Where in a TOML text each key stands, for messages that name the line."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn, TypeAlias

from polyroc.errors import InputError
from polyroc.validation.arguments import did_you_mean

__all__ = ["Path", "Place", "Reader", "key_lines", "to_toml"]


Path: TypeAlias = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"[ \t]*(?:\"((?:[^\"\\\n]|\\.)*)\"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*")
_PLAIN = re.compile(r"[^,\]}\n#]*")
_TEXT = re.compile(r"\"\"\".*?(?<!\\)\"\"\"\"{0,2}|'''.*?''''{0,2}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'", re.DOTALL)


def key_lines(text: str) -> dict[Path, int]:
    r"""The line of every key and array entry of a TOML text that is known to be right.

    >>> key_lines('seed = 1\n[[learners]]\nsteps = [\n  {class = "x:y"},\n]')[("learners", 0, "steps", 0, "class")]
    4
    """
    return _Scanner(text).lines


def _unescaped(quoted: str) -> str:
    return str(tomllib.loads(f'key = "{quoted}"')["key"])


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.place = text, 0
        self.lines: dict[Path, int] = {}
        self._last: dict[Path, int] = {}
        table: Path = ()
        while self._skip():
            table = self._header() if text[self.place] == "[" else self._entry(table)

    def _header(self) -> Path:
        """[table] or [[table]]; what comes next is in it."""
        many = self.text.startswith("[[", self.place)
        self.place += 1 + many
        keys = list(self._keys())
        self.place += 1 + many
        table: Path = ()
        for key in keys[:-1]:
            table = self._within((*table, key))
        table = (*table, keys[-1])
        if many:
            self._last[table] = self._last.get(table, -1) + 1
        self._note(table)
        table = self._within(table)
        self._note(table)
        return table

    def _within(self, table: Path) -> Path:
        return (*table, self._last[table]) if table in self._last else table

    def _entry(self, table: Path) -> Path:
        self._pair(table)
        return table

    def _pair(self, table: Path) -> None:
        """Key = value, the key perhaps with dots."""
        start = self.place
        path = table
        for key in self._keys():
            path = (*path, key)
            self._note(path, start)
        self.place += 1  # the equals sign
        self._value(path)

    def _value(self, path: Path) -> None:
        self._skip()
        sign = self.text[self.place]
        if sign == "[":
            for number, _ in enumerate(self._members("]")):
                self._note((*path, number))
                self._value((*path, number))
        elif sign == "{":
            for _ in self._members("}"):
                self._pair(path)
        else:
            found = _TEXT.match(self.text, self.place) or _PLAIN.match(self.text, self.place)
            self.place = found.end() if found else self.place

    def _members(self, end: str) -> Iterator[None]:
        """Stop at each member of an array or inline table, and behind its end."""
        self.place += 1
        while self._skip() and self.text[self.place] != end:
            yield
            self._skip()
            self.place += self.text[self.place] == ","
        self.place += 1

    def _keys(self) -> Iterator[str]:
        while found := _KEY.match(self.text, self.place):
            self.place = found.end()
            quoted, *others = found.groups()
            yield next(part for part in others if part is not None) if quoted is None else _unescaped(quoted)
            if self.text[self.place] != ".":
                return
            self.place += 1

    def _skip(self) -> bool:
        """Go on to the next sign that is no blank and no comment; False at the end."""
        found = _BLANK.match(self.text, self.place)
        self.place = found.end() if found else self.place
        return self.place < len(self.text)

    def _note(self, path: Path, place: int | None = None) -> None:
        self.lines.setdefault(path, self.text.count("\n", 0, self.place if place is None else place) + 1)


def to_toml(data: Mapping[str, Any]) -> str:
    """The data as TOML text: plain values first, then tables, then lists of tables.

    >>> print(to_toml({"seed": 1, "splitting": {"folds": 10}, "data": [{"name": "iris"}]}))
    seed = 1
    <BLANKLINE>
    [splitting]
    folds = 10
    <BLANKLINE>
    [[data]]
    name = "iris"
    <BLANKLINE>
    """
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    lists = {key: value for key, value in data.items() if _is_list_of_tables(value)}
    plain = {key: value for key, value in data.items() if key not in tables and key not in lists}
    parts = [_pairs(plain)] if plain else []
    parts += [f"[{_key(key)}]\n{_pairs(value)}" for key, value in tables.items()]
    parts += [f"[[{_key(key)}]]\n{_pairs(entry)}" for key, value in lists.items() for entry in value]
    return "\n\n".join(parts) + "\n"


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _pairs(table: Mapping[str, Any]) -> str:
    return "\n".join(f"{_key(key)} = {_value(value)}" for key, value in table.items())


def _key(key: str) -> str:
    bare = key.isascii() and key.replace("-", "a").replace("_", "a").isalnum()
    return key if bare else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(key)} = {_value(entry)}' for key, entry in value.items())}}}"
    raise InputError(f"TOML knows texts, numbers, true and false, lists and tables, got {value!r}; leave it out.")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


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
