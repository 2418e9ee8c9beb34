"""Python objects by import path: "package.module:name", or with a dot for the colon."""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polyroc.errors import InputError
from polyroc.validation.arguments import did_you_mean

__all__ = ["check_parameters", "found", "on_path"]


@contextmanager
def on_path(folder: Path | None) -> Iterator[None]:
    """Let Python look for modules in the folder of the plan too."""
    place = str(folder)
    if folder is None or place in sys.path:
        yield
        return
    sys.path.insert(0, place)
    try:
        yield
    finally:
        sys.path.remove(place)


def found(path: str) -> Any:
    """What a path names; an error has the nearest right name.

    >>> found("math:sqrt")(4.0)
    2.0
    """
    module_name, sign, name = path.partition(":")
    if not sign:
        module_name, sign, name = path.rpartition(".")
    if not module_name or not name:
        raise InputError(f"cannot import {path!r}; write it like package.module:Name.")
    module = _module(module_name, path)
    if not hasattr(module, name):
        known = [each for each in dir(module) if not each.startswith("_")]
        raise InputError(f"cannot import {path!r}: {module_name} has no {name!r}; {did_you_mean(name, known)}")
    return getattr(module, name)


def _module(name: str, path: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not name.startswith(error.name):
            raise InputError(f"cannot import {path!r}: {error}.") from None
        raise InputError(f"cannot import {path!r}: {_no_module(error.name)}") from None
    except Exception as error:
        raise InputError(f"cannot import {path!r}: {type(error).__name__}: {error}.") from None


def _no_module(name: str) -> str:
    """What to say of a module that is not there: its nearest neighbour, or that its package is not installed."""
    package, _, last = name.rpartition(".")
    if not package:
        extra = "; pip install 'polyroc[study]'" if name == "sklearn" else ""
        return f"there is no module {name!r}{extra or '; install its package, or put it beside the plan'}."
    paths = getattr(sys.modules[package], "__path__", [])
    known = [each.name for each in pkgutil.iter_modules(paths) if not each.name.startswith("_")]
    return f"{package} has no module {last!r}; {did_you_mean(last, known)}"


def check_parameters(what: Callable[..., Any], given: Mapping[str, Any]) -> str | None:
    """What is wrong with parameters, if something is: the first one that `what` does not take."""
    try:
        known = inspect.signature(what).parameters
    except (TypeError, ValueError):
        return None
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values()):
        return None
    for name in given:
        if name not in known:
            return f"{getattr(what, '__name__', what)} has no parameter {name!r}; {did_you_mean(name, known)}"
    return None
