"""One way to compile a kernel: machine code, no object mode, kept on disk between runs."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["kernel", "kernel_for"]

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile on first use for the types that come; later processes load the machine code from disk.

    Arguments are arrays and numbers, no named tuples: numba stores the name of the class and fails if it is gone.
    """
    return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def kernel_for(*types: Any) -> Callable[[F], F]:
    """Compile for these argument types only: a read-only or strided array then costs no second compilation."""

    def compiled(function: F) -> F:
        return cast("F", numba.njit(types, cache=True, nogil=True, error_model="numpy")(function))

    return compiled
