"""Objects of Python in a plan: estimators, data frames and functions in place of import paths and files."""

import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from polyroc.cross_validation.fits import last_step, response_of
from polyroc.errors import InputError
from polyroc.messages import short_repr
from polyroc.studies.plan_files import Locate

__all__ = ["data_tables", "is_factory", "without_objects"]

LONGEST_TEXT = 2000  # characters stored of the text of an object
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
Objects = dict[int, Any]  # by the position of the learner or data set


def without_objects(table: Mapping[str, Any], locate: Locate) -> tuple[Mapping[str, Any], Objects, Objects]:
    """A plan as plain data, in which texts replace objects; and the objects of its learners and data sets."""
    if not isinstance(table, Mapping):
        return table, {}, {}
    learners, estimators = _separated(table.get("learners"), _learner, "class", locate, "learners")
    data, sources = _separated(table.get("data"), _data_set, "memory", locate, "data")
    plain = {key: value for key, value in (("learners", learners), ("data", data)) if key in table}
    return {**table, **plain}, estimators, sources


def _separated(
    entries: Any, describe: Callable[[Any], dict[str, Any]], key: str, locate: Locate, section: str
) -> tuple[Any, Objects]:
    """The entries of a section as tables, and the objects in them: an entry itself, or the value of its key."""
    named: list[tuple[str | None, Any]]
    if isinstance(entries, Mapping):
        named = [(str(name), entry) for name, entry in entries.items()]
    elif isinstance(entries, Sequence) and not isinstance(entries, str):
        named = [(None, entry) for entry in entries]
    else:
        named = [(None, entries)] if _is_object(entries) else []
        if not named:
            return entries, {}
    tables, objects = [], {}
    names = [name for name, _ in named if name]
    for number, (name, entry) in enumerate(named):
        table = dict(entry) if isinstance(entry, Mapping) else {}
        value = table.pop(key, None) if _is_object(table.get(key)) else entry
        if _is_object(value):
            try:
                table = describe(value) | table
            except InputError as error:
                raise InputError(f"{locate((section, number))}: ", error.message) from None
            table["name"] = name or table.get("name") or _free_name(value, names)
            names.append(table["name"])
            objects[number] = value
        elif isinstance(entry, Mapping):
            table = ({"name": name} if name else {}) | table
        else:
            table = _table_of_text(section, name, entry)
        tables.append(table)
    return tables, objects


def _table_of_text(section: str, name: str | None, entry: Any) -> Any:
    """The table of an entry that is a text: an import path, a file, or a data set of the catalogue."""
    if isinstance(entry, PathLike) and section == "data":
        return {"name": name or Path(entry).stem, "file": str(entry), "frame": True}
    if name is None or not isinstance(entry, str):
        return entry
    return {"name": name, "class": entry} if section == "learners" else {"name": entry}


def _is_object(value: Any) -> bool:
    """Whether an entry is an object of Python, not plain data."""
    if isinstance(value, tuple):
        return len(value) in (2, 3) and not all(isinstance(part, str | Mapping) for part in value)
    return not isinstance(value, str | PathLike | Mapping | list | int | float | None)


def _free_name(value: Any, taken: Sequence[str]) -> str:
    """The name of an object that has none: that of its class or function, numbered if it is taken."""
    name = getattr(value, "__name__", None) or type(last_step(value)).__name__
    number = sum(1 for other in taken if other == name or other.startswith(f"{name} "))
    return f"{name} {number + 1}" if number else str(name)


def _text(value: Any) -> str:
    """The text of an object, in one line, without addresses of memory."""
    try:
        text = " ".join(ADDRESS.sub("", repr(value)).split())
    except Exception:  # a text is not worth a failure
        text = type(value).__name__
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 3]}..."


def is_factory(value: Any) -> bool:
    """Whether a learner is a class, or a function that returns an estimator."""
    return callable(value) and (isinstance(value, type) or not hasattr(value, "fit"))


def _learner(value: Any) -> dict[str, Any]:
    """The table of a learner that is an estimator or a factory."""
    model = value
    if is_factory(value):
        try:
            model = value()
        except Exception as error:
            raise InputError(f"{_text(value)} cannot be called: {type(error).__name__}: {error}.") from None
    if not hasattr(model, "fit"):
        raise InputError(
            "a learner must be a scikit-learn classifier or pipeline, a function that returns one, or an import "
            f"path, got {short_repr(value)}."
        )
    return {"object": _text(value), "output": response_of(type(last_step(model)).__name__, model)}


def _data_set(value: Any) -> dict[str, Any]:
    """The table of a data set that is in memory, or returned by a function."""
    if callable(value):
        text = f"function {getattr(value, '__name__', type(value).__name__)}"
    elif isinstance(value, tuple):
        text = ", ".join(_shape(part) for part in value)
    else:
        text = _shape(value)
    return {"memory": text, "encode": "none"}


def _shape(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape is None:
        shape = len(value) if hasattr(value, "__len__") else ""
    return f"{type(value).__module__.partition('.')[0]} {type(value).__name__} {shape}".strip()


def data_tables(data: Any, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The data sets of `Plan.of` as tables: by name, each with the same options."""
    several = isinstance(data, Mapping)
    named = data.items() if several else [(None, data)]
    return [_data_table(None if name is None else str(name), entry, options) for name, entry in named]


def _data_table(name: str | None, entry: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(entry, Mapping):
        return {"name": name, **options, **entry}
    if isinstance(entry, PathLike) or (isinstance(entry, str) and Path(entry).suffix):
        return {"name": name or Path(entry).stem, "file": str(entry), "frame": True, **options}
    if isinstance(entry, str):
        return {"name": entry, **options}
    if entry is None:
        raise InputError(
            "data must be a data frame, a file, a pair (X, y), a function or a dict of these, got None."
        )
    return {"name": name or "data", "memory": entry, **options}
