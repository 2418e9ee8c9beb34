"""Kernels: loops on arrays that are machine code where that is faster.

To load numba takes half a second, and to compile a kernel as much again. So a kernel whose work can be estimated
(`steps`) is run by Python as it is written, until it has done so much that compiled code would have been faster;
or by a function of numpy that does the same (`by_numpy`), if the loops are long even on little data. What it
computes is the same to the last bit: such kernels only compare, add and multiply, in a fixed order. No import
compiles anything or loads numba.

Compiled code has no object mode, does not hold the interpreter lock, and is kept on disk by numba.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property, partial, update_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar, cast, overload

import numpy as np

__all__ = ["INTERPRETED", "Kernel", "all_sizes", "kernel"]

F = TypeVar("F", bound=Callable[..., Any])
Steps = Callable[..., int]
INTERPRETED = 200_000  # steps of a kernel that Python runs before it is compiled: about a tenth of a second


def all_sizes(*arguments: Any) -> int:
    """The steps of a kernel with linear work: the numbers of all arrays together."""
    return sum(argument.size for argument in arguments if isinstance(argument, np.ndarray))


class Kernel:
    """A function of arrays and numbers, run as Python or as machine code.

    Attributes
    ----------
    types
        The types of the arguments, in numba's notation, if it is compiled for these only: a read-only or strided
        array then costs no second compilation. Otherwise it is compiled for every combination of types.
    steps
        The steps that a call takes, at most, given its arguments; None if the kernel is always compiled. A step
        takes half a microsecond.
    by_numpy
        A function of the same arguments that Python runs instead of the kernel; None to run it as it is written.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        types: str | None,
        steps: Steps | None,
        by_numpy: Callable[..., Any] | None = None,
    ) -> None:
        update_wrapper(self, function)
        self.function, self.types, self.steps, self.by_numpy = function, types, steps, by_numpy
        self._taken = 0
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel."""
        # Machine code that exists is used at once; otherwise Python, until the steps so far exceed the limit.
        if self._compiled is None and self.steps is not None:
            self._taken += self.steps(*arguments)
            if self._taken <= INTERPRETED:
                return self.interpret(*arguments)
        try:
            return self.dispatcher(*arguments)
        except TypeError:  # the arguments are not those that it is compiled for
            raise
        except Exception as error:  # numba's cache raises whatever reading and unpickling a damaged file raise
            _do_without_stored_code(error)
            return self.dispatcher(*arguments)

    def __reduce__(self) -> str:
        return str(self.function.__qualname__)

    @property
    def dispatcher(self) -> Any:
        """The function that numba compiles; no lock, since two threads may well make it twice."""
        if self._compiled is None:
            self._compiled = self._make_dispatcher()
        return self._compiled

    @property
    def _numba_type_(self) -> Any:  # how numba sees a kernel that another one calls
        return self.dispatcher._numba_type_

    def interpret(self, *arguments: Any) -> Any:
        """Run the kernel by Python; division by zero and overflow as in machine code, numbers as Python's."""
        with np.errstate(all="ignore"):
            result = (self.by_numpy or self.as_written)(*arguments)
        return result.item() if isinstance(result, np.generic) else result

    @cached_property
    def as_written(self) -> Callable[..., Any]:
        """The function of Python, which calls other kernels as functions of Python too."""
        # A copy of the function whose global names of kernels lead to the Python functions behind them.
        function = cast("FunctionType", self.function)
        called = {
            name: function.__globals__[name].as_written
            for name in function.__code__.co_names
            if isinstance(function.__globals__.get(name), Kernel)
        }
        return FunctionType(function.__code__, {**function.__globals__, **called})

    def _make_dispatcher(self) -> Any:
        import numba

        config: Any = numba.config  # numba has no types
        if config.DISABLE_JIT:
            return self.interpret
        _KERNELS.add(self)
        make: Any = partial(numba.njit, nogil=True, error_model="numpy")
        try:
            dispatcher = make(cache=not _UNSTORED)(self.function)
        except RuntimeError as error:  # no folder can be written to
            _do_without_stored_code(error)
            dispatcher = make()(self.function)
        if not _UNSTORED:
            _announce_compilation(Path(dispatcher.stats.cache_path), self.function)
        if self.types is not None:
            dispatcher.compile(self.types)
            dispatcher.disable_compile()
        return dispatcher


_KERNELS: set[Kernel] = set()  # those that numba compiles
_UNSTORED: list[Exception] = []  # why compiled code is not stored in this process


def _do_without_stored_code(error: Exception) -> None:
    """Remove the stored code, and let this process compile all kernels anew without it; raise a second error."""
    if _UNSTORED:
        raise error
    _UNSTORED.append(error)
    for known in list(_KERNELS):
        stored = None if known._compiled is None else known._compiled.stats.cache_path
        known._compiled = None
        with suppress(OSError):  # read-only, or removed by another process
            for path in [] if stored is None else Path(stored).glob("*.nb[ci]"):
                path.unlink()
    from polyroc.errors import CompilationCacheWarning, warn

    warn(
        f"Compiled code cannot be stored or read ({error}), so that this process compiles it anew, which takes "
        "seconds. Set the environment variable NUMBA_CACHE_DIR to a folder that you can write to.",
        CompilationCacheWarning,
    )


@cache
def _announce_once() -> None:
    """Say on a terminal why this takes longer than the next time."""
    with suppress(OSError):
        sys.stderr.write("polyroc: compiling, first run only ...\n")
        sys.stderr.flush()


def _announce_compilation(folder: Path, function: Any) -> None:
    stored = folder.glob(f"*.{function.__qualname__}-*.nbi")
    if sys.stderr is not None and sys.stderr.isatty() and not any(stored):
        _announce_once()


@overload
def kernel(function: F, /) -> F: ...
@overload
def kernel(
    *, types: str | None = None, steps: Steps | None = None, by_numpy: Callable[..., Any] | None = None
) -> Callable[[F], F]: ...


def kernel(
    function: Any = None,
    /,
    *,
    types: str | None = None,
    steps: Steps | None = None,
    by_numpy: Callable[..., Any] | None = None,
) -> Any:
    """Make a kernel of a function; the options are the attributes of `Kernel`.

    Arguments are arrays and numbers, no named tuples: numba stores the name of the class and fails if it is
    renamed.
    """
    if function is None:
        return partial(Kernel, types=types, steps=steps, by_numpy=by_numpy)
    return Kernel(function, types, steps, by_numpy)
