"""Where in a TOML text each key stands, for messages that name the line."""

import re
import tomllib
from collections.abc import Iterator
from typing import TypeAlias

__all__ = ["Path", "key_lines"]

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
