"""Import public names when they are first used, so that `import polyroc` stays fast."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["attach"]


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
