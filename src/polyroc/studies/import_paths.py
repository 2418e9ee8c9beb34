"""Objects named by import path: "package.module:name", with a dot in place of the colon, or "file.py:name"."""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polyroc.errors import InputError
from polyroc.messages import install_command
from polyroc.validation.arguments import did_you_mean

PICKLES = (".joblib", ".pkl", ".pickle")

__all__ = ["import_object", "importable_from", "unknown_parameter"]


@contextmanager
def importable_from(folder: Path | None) -> Iterator[None]:
    """Let Python import modules from a folder, that of the plan, too."""
    entry = str(folder)
    if folder is None or entry in sys.path:
        yield
        return
    sys.path.insert(0, entry)
    try:
        yield
    finally:
        sys.path.remove(entry)


def import_object(path: str) -> Any:
    """Import the object at an import path; the error for a wrong name suggests the nearest one.

    A file is relative to the folders from which Python imports, that of the plan first.

    >>> import_object("math:sqrt")(4.0)
    2.0
    """
    if Path(path).suffix in PICKLES:
        return _unpickled(path)
    module_name, separator, name = path.rpartition(":")
    if Path(module_name).suffix == ".py":
        return _attribute(_import_file(module_name, path), module_name, name, path)
    if not separator:
        module_name, separator, name = path.rpartition(".")
    if not module_name or not name:
        raise InputError(f"cannot import {path!r}; write it like package.module:Name.")
    return _attribute(_import_module(module_name, path), module_name, name, path)


def _attribute(module: Any, module_name: str, name: str, path: str) -> Any:
    if not hasattr(module, name):
        public = [attribute for attribute in dir(module) if not attribute.startswith("_")]
        raise InputError(f"cannot import {path!r}: {module_name} has no {name!r}; {did_you_mean(name, public)}")
    return getattr(module, name)


def _located(file: str, path: str) -> Path:
    """Find a file of a plan: an absolute path, or one in a folder from which Python imports."""
    for folder in ("", *sys.path):
        candidate = Path(folder, file).expanduser()
        if candidate.is_file():
            return candidate.resolve()
    raise InputError(f"cannot import {path!r}: there is no file {file!r} beside the plan.")


def _import_file(file: str, path: str) -> Any:
    """Import the module in a Python file by its name, so that what it defines can be pickled."""
    located = _located(file, path)
    with importable_from(located.parent):
        module = _import_module(located.stem, path)
    origin = getattr(module, "__file__", None)
    if origin is None or Path(origin).resolve() != located:
        raise InputError(
            f"cannot import {path!r}: Python has another module {located.stem!r} ({origin}); rename the file."
        )
    return module


def _unpickled(path: str) -> Any:
    """Load the estimator in a file that joblib or pickle wrote. Like every import, this runs code of the file."""
    import joblib

    try:
        return joblib.load(_located(path, path))
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"cannot import {path!r}: {type(error).__name__}: {error}.") from None


def _import_module(name: str, path: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        # The module itself is missing only if its name, or that of a parent package, is in the error; otherwise it
        # is there and one of its own imports failed.
        if error.name is None or not name.startswith(error.name):
            raise InputError(f"cannot import {path!r}: {error}.") from None
        raise InputError(f"cannot import {path!r}: {_missing_module_message(error.name)}") from None
    except Exception as error:
        raise InputError(f"cannot import {path!r}: {type(error).__name__}: {error}.") from None


def _missing_module_message(name: str) -> str:
    """For a submodule the nearest name in its package, for a package how to install it."""
    package, _, submodule = name.rpartition(".")
    if not package:
        extra = f"; {install_command('study')}" if name == "sklearn" else ""
        return f"there is no module {name!r}{extra or '; install its package, or put it beside the plan'}."
    paths = getattr(sys.modules[package], "__path__", [])
    public = [module.name for module in pkgutil.iter_modules(paths) if not module.name.startswith("_")]
    return f"{package} has no module {submodule!r}; {did_you_mean(submodule, public)}"


def unknown_parameter(function: Callable[..., Any], parameters: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first parameter that a function does not have, with a message; None if it has all of them."""
    try:
        accepted = inspect.signature(function).parameters
    except (TypeError, ValueError):  # no signature, as for many functions written in C
        return None
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in accepted.values()):
        return None
    for name in parameters:
        if name not in accepted:
            label = getattr(function, "__name__", function)
            return name, f"{label} has no parameter {name!r}; {did_you_mean(name, accepted)}"
    return None
