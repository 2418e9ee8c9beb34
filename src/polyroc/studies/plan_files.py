"""TOML of plans: written, read with checks, and with the line of each key for error messages."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn, TypeAlias

from polyroc.errors import InputError
from polyroc.validation.arguments import did_you_mean

__all__ = ["KeyPath", "Locate", "TableReader", "key_lines", "to_toml"]

KeyPath: TypeAlias = tuple[str | int, ...]  # keys and positions in lists, from the outermost table inwards
Locate: TypeAlias = Callable[[KeyPath], str]  # where a key is, in words, for error messages

# Lines of keys --------------------------------------------------------------------------------------------------
# tomllib says nothing about lines. The scanner only has to follow a text that tomllib has accepted, so it skips
# values without checking them.

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY = re.compile(r"[ \t]*(?:\"((?:[^\"\\\n]|\\.)*)\"|'([^'\n]*)'|([A-Za-z0-9_-]+))[ \t]*")
_BARE = re.compile(r"[^,\]}\n#]*")
_TEXT = re.compile(r"\"\"\".*?(?<!\\)\"\"\"\"{0,2}|'''.*?''''{0,2}|\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'", re.DOTALL)


def key_lines(text: str) -> dict[KeyPath, int]:
    r"""The line of every key and array entry of a valid TOML text.

    >>> key_lines('seed = 1\n[[learners]]\nsteps = [\n  {class = "x:y"},\n]')[("learners", 0, "steps", 0, "class")]
    4
    """
    return _Scanner(text).lines


def _unescaped(quoted: str) -> str:
    return str(tomllib.loads(f'key = "{quoted}"')["key"])


class _Scanner:
    """One pass over a TOML text; `lines` has the line of each key."""

    def __init__(self, text: str) -> None:
        self.text, self.position = text, 0
        self.lines: dict[KeyPath, int] = {}
        self._last: dict[KeyPath, int] = {}  # position of the latest entry of each array of tables
        table: KeyPath = ()
        while self._skip_blanks():
            if text[self.position] == "[":
                table = self._header()
            else:
                self._pair(table)

    def _header(self) -> KeyPath:
        """Read [table] or [[table]]; the path of the table, to which the following pairs belong."""
        many = self.text.startswith("[[", self.position)
        self.position += 1 + many
        keys = list(self._keys())
        self.position += 1 + many
        table: KeyPath = ()
        for key in keys[:-1]:
            table = self._latest((*table, key))
        table = (*table, keys[-1])
        if many:
            self._last[table] = self._last.get(table, -1) + 1
        self._record(table)
        table = self._latest(table)
        self._record(table)
        return table

    def _latest(self, table: KeyPath) -> KeyPath:
        """The path itself, or of an array of tables its latest entry."""
        return (*table, self._last[table]) if table in self._last else table

    def _pair(self, table: KeyPath) -> None:
        """Read `key = value`; a dotted key stands for nested tables."""
        start = self.position
        path = table
        for key in self._keys():
            path = (*path, key)
            self._record(path, start)
        self.position += 1  # the equals sign
        self._value(path)

    def _value(self, path: KeyPath) -> None:
        """Skip a value; the keys inside arrays and inline tables are recorded."""
        self._skip_blanks()
        opening = self.text[self.position]
        if opening == "[":
            for number, _ in enumerate(self._members("]")):
                self._record((*path, number))
                self._value((*path, number))
        elif opening == "{":
            for _ in self._members("}"):
                self._pair(path)
        else:
            value = _TEXT.match(self.text, self.position) or _BARE.match(self.text, self.position)
            self.position = value.end() if value else self.position

    def _members(self, end: str) -> Iterator[None]:
        """Yield at the start of each member of an array or inline table; end behind its closing bracket."""
        self.position += 1
        while self._skip_blanks() and self.text[self.position] != end:
            yield
            self._skip_blanks()
            self.position += self.text[self.position] == ","
        self.position += 1

    def _keys(self) -> Iterator[str]:
        """Read a dotted key, part by part."""
        while key := _KEY.match(self.text, self.position):
            self.position = key.end()
            quoted, *others = key.groups()
            yield next(part for part in others if part is not None) if quoted is None else _unescaped(quoted)
            if self.text[self.position] != ".":
                return
            self.position += 1

    def _skip_blanks(self) -> bool:
        """Skip white space and comments; False at the end of the text."""
        blank = _BLANK.match(self.text, self.position)
        self.position = blank.end() if blank else self.position
        return self.position < len(self.text)

    def _record(self, path: KeyPath, position: int | None = None) -> None:
        self.lines.setdefault(path, self.text.count("\n", 0, self.position if position is None else position) + 1)


# Writing --------------------------------------------------------------------------------------------------------


def to_toml(data: Mapping[str, Any]) -> str:
    """Data as TOML text: plain values first, then tables, then arrays of tables.

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
    raise InputError(f"TOML has strings, numbers, booleans, arrays and tables, got {value!r}; remove it.")


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


# Reading with checks --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class TableReader:
    """A table of a plan whose values are read one by one, each with a check.

    Attributes
    ----------
    table, path
        The table, and its path in the plan.
    locate
        Where a key is, for error messages.
    known_keys
        The keys that have been read; `finish` rejects all others.
    """

    table: Mapping[str, Any]
    path: KeyPath
    locate: Locate
    known_keys: list[str] = field(default_factory=list)

    def fail(self, message: str, key: str | None = None) -> NoReturn:
        """Raise an error about the table, or about a key in it."""
        raise InputError(f"{self.locate(self.path if key is None else (*self.path, key))}: {message}")

    def value(self, key: str, expected: str, is_valid: Callable[[Any], bool], default: Any = None) -> Any:
        """The value of a key, or the default; an error names what was expected."""
        self.known_keys.append(key)
        if key not in self.table:
            return default
        value = self.table[key]
        if not is_valid(value):
            self.fail(f"{key} must be {expected}, got {value!r}.", key)
        return value

    def text(self, key: str, default: str | None = None) -> Any:
        """A string that is not blank."""
        return self.value(key, "a string", lambda value: isinstance(value, str) and bool(value.strip()), default)

    def required_text(self, key: str) -> str:
        """A string that is not blank and has no default."""
        text = self.text(key)
        if text is None:
            self.fail(f"{key} is missing.")
        return str(text)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings."""
        return tuple(self.value(key, "a list of strings", _is_list_of_strings, ()))

    def whole(self, key: str, default: int, least: int) -> int:
        """A whole number that is not too small."""
        expected = f"a whole number, at least {least}"
        return int(self.value(key, expected, lambda value: _is_whole(value) and value >= least, default))

    def seconds(self, key: str) -> float | None:
        """A number above 0, or None."""
        seconds = self.value(key, "a number of seconds above 0", lambda value: _is_number(value) and value > 0)
        return None if seconds is None else float(seconds)

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        return bool(self.value(key, "true or false", lambda value: isinstance(value, bool), default))

    def choice(self, key: str, choices: Sequence[str], default: str) -> Any:
        """One of several words."""
        choice = self.text(key, default)
        if choice not in choices:
            self.fail(f"there is no {key} {choice!r}; {did_you_mean(choice, choices)}", key)
        return choice

    def mapping(self, key: str) -> dict[str, Any]:
        """A table with any keys."""
        return dict(self.value(key, "a table", lambda value: isinstance(value, Mapping), {}))

    def tables(self, key: str, shorthand: str | None = None) -> list["TableReader"]:
        """A list of tables; a bare string stands for a table with the key `shorthand` alone."""
        expected = "a list of tables" if shorthand is None else f"a list of tables or strings ({shorthand})"
        readers = []
        for number, entry in enumerate(self.value(key, expected, _is_list, [])):
            path = (*self.path, key, number)
            table = {shorthand: entry} if shorthand and isinstance(entry, str) else entry
            if not isinstance(table, Mapping):
                raise InputError(f"{self.locate(path)}: {key} must be {expected}, got an entry {entry!r}.")
            readers.append(TableReader(table, path, self.locate))
        return readers

    def inner(self, key: str) -> "TableReader":
        """The table of a key; empty if the key is absent."""
        return TableReader(self.mapping(key), (*self.path, key), self.locate)

    def finish(self) -> None:
        """Raise an error for keys that have not been read, since they are misspelt or do not exist."""
        for key in self.table:
            if key not in self.known_keys:
                self.fail(f"there is no key {key!r} here; {did_you_mean(str(key), self.known_keys)}", str(key))


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_list_of_strings(value: Any) -> bool:
    return _is_list(value) and all(isinstance(entry, str) for entry in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: Any) -> bool:
    return (_is_whole(value) or isinstance(value, float)) and isfinite(value)
