"""Compilation of kernels: machine code without object mode, without the interpreter lock, cached on disk."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["kernel", "kernel_for"]

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile on first use for the types of the arguments; later processes load the machine code from disk.

    Arguments are arrays and numbers, no named tuples: numba stores the name of the class and fails if it is
    renamed.
    """
    return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def kernel_for(*types: Any) -> Callable[[F], F]:
    """Compile for these argument types only: a read-only or strided array then costs no second compilation."""

    def compiled(function: F) -> F:
        return cast("F", numba.njit(types, cache=True, nogil=True, error_model="numpy")(function))

    return compiled
