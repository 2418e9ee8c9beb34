"""Plain data written as TOML (the standard library only reads it)."""

import json
from collections.abc import Mapping
from typing import Any

from polyroc.errors import InputError

__all__ = ["to_toml"]


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
