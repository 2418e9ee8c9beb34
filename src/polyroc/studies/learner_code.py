"""The code of a learner: its parameters, the source of what the user wrote, and the versions of packages.

A store keeps it, so that a study is never resumed with another learner under the same name. Code of the user is
followed from the estimator to the functions, classes and constants that it uses; code of installed packages is
known by their versions. Functions are compared by their compiled form: comments and line numbers do not count.
"""

import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from polyroc.studies.features import is_frame, is_sparse

__all__ = ["Code", "code_of", "differences", "file_code", "sent_code"]

Code = dict[str, dict[str, str]]  # by kind ("parameters", "source", "versions"), texts or digests by name
LONGEST = 80  # characters of a parameter that are stored; of longer ones a digest
PLAIN = (str, bytes, int, float, complex, bool, type(None))
NOT_CODE = {  # attributes of classes that Python makes
    *(
        "__module__",
        "__doc__",
        "__dict__",
        "__weakref__",
        "__annotations__",
        "__abstractmethods__",
        "__parameters__",
    ),
    *("__firstlineno__", "__static_attributes__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
    *("_abc_impl", "__orig_bases__", "__hash__", "__slots__"),
}


def code_of(model: Any) -> Code:
    """The code of an unfitted model."""
    reader = _Reader()
    parameters = dict(reader.parameters(model))
    reader.follow(type(model))
    versions = {"python": f"{sys.version_info[0]}.{sys.version_info[1]}", "numpy": np.__version__}
    versions |= {package: _version(package) for package in sorted(reader.packages)}
    return {"parameters": parameters, "source": dict(sorted(reader.source.items())), "versions": versions}


def file_code(content: bytes) -> Code:
    """The code of a learner whose predictions were made elsewhere: the content of its file."""
    return {"parameters": {}, "source": {"file": _digest(content)}, "versions": {}}


def sent_code(code: Code) -> Code:
    """The part of a code that another process must have too: what it imports by itself, and versions.

    Code of notebooks and scripts, and functions inside functions, are sent along with a learner.
    """
    imported = {
        name: text
        for name, text in code["source"].items()
        if not name.startswith("__main__:") and "<" not in name and name != "file"
    }
    return {"parameters": {}, "source": imported, "versions": code["versions"]}


def differences(stored: Code, new: Code) -> tuple[list[str], list[str]]:
    """What differs in parameters and source, and what in versions, in words."""
    versions = [
        f"{package} {stored['versions'][package]} before, {now} now"
        for package, now in new["versions"].items()
        if stored["versions"].get(package, now) != now
    ]
    changed = [f"parameter {text}" for text in _changed(stored["parameters"], new["parameters"])]
    # Compiled code of two versions of Python cannot be compared.
    if stored["versions"].get("python") == new["versions"].get("python"):
        before, now = stored["source"], new["source"]
        names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        changed += [f"the code of {name}" for name in names if name != "file"]
        changed += ["its file"] if "file" in names else []
    return changed, versions


def _changed(stored: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """Parameters that differ; of nested ones the innermost, which says most."""
    names = [name for name in {**stored, **new} if stored.get(name) != new.get(name)]
    inner = [name for name in names if not any(other.startswith(f"{name}__") for other in names)]
    plain = [name for name in inner if not _is_digest(stored.get(name)) and not _is_digest(new.get(name))]
    shown = plain or inner
    return [
        f"{name} (changed)"
        if _is_digest(stored.get(name)) or _is_digest(new.get(name))
        else f"{name} is {stored.get(name, 'not there')} there and {new.get(name, 'not there')} here"
        for name in shown
    ]


def _is_digest(text: str | None) -> bool:
    return text is not None and text.startswith("sha256 ")


def _digest(content: bytes) -> str:
    return f"sha256 {hashlib.sha256(content).hexdigest()[:16]}"


class _Reader:
    """Collects parameters, code of the user and packages, starting at a model."""

    def __init__(self) -> None:
        self.source: dict[str, str] = {}
        self.packages: set[str] = set()
        self._inside: list[int] = []  # objects whose text is being made, since they may contain themselves

    def parameters(self, model: Any) -> Iterator[tuple[str, str]]:
        """The parameters of a model and of its parts, by name, as texts or digests."""
        yield "class", _name(type(model))
        for name, value in sorted(_parameters(model, deep=True).items()):
            text = self.text(value)
            yield name, text if len(text) <= LONGEST else _digest(text.encode(errors="replace"))

    def text(self, value: Any) -> str:
        """A text of a value that is the same in every process, and differs if the value does."""
        if isinstance(value, PLAIN):
            return repr(value)
        if id(value) in self._inside:
            return "..."
        self._inside.append(id(value))
        try:
            return self._container_text(value)
        finally:
            self._inside.pop()

    def _container_text(self, value: Any) -> str:
        if isinstance(value, list | tuple):
            return f"[{', '.join(map(self.text, value))}]"
        if isinstance(value, Mapping):
            return f"{{{', '.join(sorted(f'{self.text(k)}: {self.text(v)}' for k, v in value.items()))}}}"
        if isinstance(value, set | frozenset):
            return f"{{{', '.join(sorted(map(self.text, value)))}}}"
        if isinstance(value, np.generic):
            return repr(value.item())
        if isinstance(value, np.ndarray) and value.dtype != object:
            return _digest(f"{value.dtype} {value.shape} ".encode() + np.ascontiguousarray(value).tobytes())
        if isinstance(value, CodeType):
            return self._code_text(value)
        if isinstance(value, type | FunctionType | MethodType | BuiltinFunctionType | np.ufunc):
            self.follow(value)
            return _name(value)
        if is_frame(value) or is_sparse(value) or isinstance(value, np.ndarray):
            return _digest(repr(value).encode())
        return self._object_text(value)

    def _object_text(self, value: Any) -> str:
        """The text of an object: its class, and its parameters or else its attributes."""
        self.follow(type(value))
        content = _parameters(value, deep=False)
        if not content:
            state = getattr(value, "__dict__", None)
            content = dict(state) if isinstance(state, dict) else {}
        parts = [
            f"{name}={self.text(part)}" for name, part in sorted(content.items(), key=lambda pair: str(pair[0]))
        ]
        return f"{_name(type(value))}({', '.join(parts)})"

    def follow(self, thing: Any) -> None:
        """Record the code of a class or function of the user, or the package of one that is installed."""
        thing = getattr(thing, "__func__", thing)
        module = getattr(thing, "__module__", None) or "builtins"
        if _is_installed(module):
            self._add_package(module)
            return
        name = _name(thing)
        if name in self.source:
            return
        self.source[name] = ""  # before it is read, since code may refer to itself
        text = self._class_text(thing) if isinstance(thing, type) else self._function_text(thing)
        self.source[name] = _digest(text.encode(errors="replace"))
        for base in thing.__mro__[1:] if isinstance(thing, type) else ():
            self.follow(base)

    def _add_package(self, module: str) -> None:
        top = module.partition(".")[0]
        if top not in sys.stdlib_module_names and top != "polyroc":
            self.packages.add(top)

    def _class_text(self, kind: type) -> str:
        parts = []
        for name, value in sorted(vars(kind).items()):
            if name in NOT_CODE:
                continue
            if isinstance(value, staticmethod | classmethod):
                value = value.__func__
            functions = (value.fget, value.fset) if isinstance(value, property) else (value,)
            for part in functions:
                text = self._function_text(part) if isinstance(part, FunctionType) else _constant(part)
                parts.append(f"{name}: {text}")
        return "\n".join(parts)

    def _function_text(self, function: Any) -> str:
        if not isinstance(function, FunctionType):
            return repr(type(function))
        self._follow_names(function.__code__, function.__globals__)
        cells = [self._cell_text(cell) for cell in function.__closure__ or ()]
        defaults = self.text([function.__defaults__, function.__kwdefaults__])
        return f"{self._code_text(function.__code__)} {defaults} {cells}"

    def _cell_text(self, cell: Any) -> str:
        try:
            return self.text(cell.cell_contents)
        except ValueError:  # empty
            return ""

    def _code_text(self, code: CodeType) -> str:
        names = code.co_names, code.co_freevars, code.co_cellvars, code.co_argcount, code.co_kwonlyargcount
        return f"{code.co_code.hex()} {self.text(code.co_consts)} {names}"

    def _follow_names(self, code: CodeType, space: Mapping[str, Any]) -> None:
        """Follow the names that code uses, and those of the modules of the user among them."""
        spaces = [space]
        spaces += [
            vars(space[name])
            for name in code.co_names
            if isinstance(space.get(name), ModuleType) and not _is_installed(space[name].__name__)
        ]
        for name in code.co_names:
            for inside in spaces:
                value = inside.get(name)
                if isinstance(value, type | FunctionType):
                    self.follow(value)
                elif not isinstance(value, ModuleType) and name in inside and _constant(value):
                    owner = inside.get("__name__", "")
                    self.source[f"{owner}:{name}"] = _digest(_constant(value).encode(errors="replace"))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._follow_names(constant, space)


def _parameters(value: Any, deep: bool) -> dict[str, Any]:
    if isinstance(value, type) or not hasattr(value, "get_params"):
        return {}
    try:
        return dict(value.get_params(deep=deep))
    except Exception:  # whatever an object without parameters raises
        return {}


def _constant(value: Any) -> str:
    """The text of a constant, of a list or dict of constants; empty for anything else, such as a cache."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, list | tuple) and all(map(_constant, value)):
        return repr(value)
    if isinstance(value, dict) and all(_constant(key) and _constant(entry) for key, entry in value.items()):
        return repr(value)
    return ""


def _name(thing: Any) -> str:
    module = getattr(thing, "__module__", None) or "builtins"
    return f"{module}:{getattr(thing, '__qualname__', getattr(thing, '__name__', type(thing).__name__))}"


@cache
def _version(package: str) -> str:
    stated = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(stated, str):
        return stated
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


@cache
def _is_installed(module: str) -> bool:
    """Whether a module belongs to Python or to an installed package, not to the code of the user."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names or top == "polyroc":
        return True
    if top == "__main__":
        return False
    own = sys.modules.get(module, sys.modules.get(top))
    # Of the module itself: another package of the same name may be installed, such as `tests`.
    origin = getattr(own, "__file__", None)
    if origin is None:  # a notebook, or a package without a file of its own
        paths = list(getattr(own, "__path__", []))
        origin = f"{paths[0]}/__init__.py" if paths else None
    return origin is not None and any(map(_has_packages, Path(origin).parents))


@cache
def _has_packages(folder: Path) -> bool:
    """Whether packages are installed in a folder."""
    if folder in (Path(sysconfig.get_path("purelib")), Path(sysconfig.get_path("platlib"))):
        return True
    return any(folder.glob("*.dist-info"))
