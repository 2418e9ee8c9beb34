"""What is made when it is first used: public names, so that `import polyroc` stays fast, and attributes."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

__all__ = ["attach", "cached_property"]

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property:  # noqa: N801 - named like the one of functools
        """That of functools without the lock that it has before Python 3.12, which takes a microsecond each time.

        Two threads may both compute the value; it is the same.
        """

        def __init__(self, make: Callable[[Any], Any]) -> None:
            self._make, self.__doc__ = make, make.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self._name = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self._name] = self._make(instance)
            return value


def attach(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose public names live in the modules that `homes` gives.

    A name that its module does not define is the module itself.
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(homes[name])
        value = getattr(module, name, module)
        if homes[name] != f"{package}.{name}":  # not the name of a module, which Python sets itself
            vars(sys.modules[package])[name] = value  # from now on found without this function
        return value

    return get, lambda: sorted(homes)
