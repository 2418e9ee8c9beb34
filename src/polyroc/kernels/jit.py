"""Compilation of kernels: machine code without object mode, without the interpreter lock, cached on disk."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from polyroc.kernels.code_cache import code_cache

__all__ = ["kernel", "kernel_for"]

numba_config: Any = numba.config  # numba has no types
F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile on first use for the types of the arguments; later processes load the machine code from disk.

    Arguments are arrays and numbers, no named tuples: numba stores the name of the class and fails if it is
    renamed.
    """
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    if not numba_config.DISABLE_JIT:
        dispatcher._cache = code_cache(function)  # what `cache=True` does, with numba's own cache
    return cast("F", dispatcher)


def kernel_for(*types: Any) -> Callable[[F], F]:
    """Compile for these argument types only: a read-only or strided array then costs no second compilation."""

    def compiled(function: F) -> F:
        dispatcher: Any = kernel(function)
        if not numba_config.DISABLE_JIT:
            dispatcher.compile(types)
            dispatcher.disable_compile()
        return cast("F", dispatcher)

    return compiled
