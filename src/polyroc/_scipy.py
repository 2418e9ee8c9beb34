"""Functions of scipy without the import of the packages they are in.

To import scipy.special takes ten times as long as to import its compiled functions, and scipy.optimize even
longer; most commands need a quantile or two. Here the module with the compiled functions is imported alone. They
are the functions of scipy themselves; if a version of scipy has other modules, its public names are imported.

>>> from polyroc._scipy import ndtri
>>> round(float(ndtri(0.975)), 6)
1.959964
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["brentq"]


class _Unloaded(ModuleType):
    """Stands for a package while one of its modules is imported; who looks for anything in it gets the package."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


def _module(package: str, name: str) -> Any:
    """A module of a package of scipy; only itself is imported, if the package is not loaded yet."""
    if package in sys.modules:
        return import_module(f"{package}.{name}")
    import scipy

    stand_in = _Unloaded(package)
    stand_in.__path__ = [str(Path(folder, package.rpartition(".")[2])) for folder in scipy.__path__]
    sys.modules[package] = stand_in
    try:
        return import_module(f"{package}.{name}")
    finally:
        if sys.modules.get(package) is stand_in:
            del sys.modules[package]


def __getattr__(name: str) -> Any:
    """A function of scipy.special."""
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(_module("scipy.special", "_ufuncs"), name)
    except (ImportError, AttributeError):
        return getattr(import_module("scipy.special"), name)


def brentq(function: Callable[[float], float], low: float, high: float, *, xtol: float, rtol: float) -> float:
    """The root of a function between two points at which it has different signs: `scipy.optimize.brentq`.

    >>> round(brentq(lambda x: x**3 - 8.0, 0.0, 5.0, xtol=1e-12, rtol=1e-12), 9)
    2.0
    """
    try:
        zeros = _module("scipy.optimize", "_zeros")
        root = zeros._brentq(function, low, high, xtol, rtol, 100, (), False, True)
    except (ImportError, AttributeError, TypeError):  # another version
        from scipy.optimize import brentq as public

        root = public(function, low, high, xtol=xtol, rtol=rtol)
    return float(root)
