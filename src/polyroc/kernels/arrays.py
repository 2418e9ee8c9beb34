"""Array type aliases, and sums with care for rounding and threads."""

from typing import Any

import numpy as np

__all__ = [
    "ONE_THREAD",
    "BoolArray",
    "CodeArray",
    "FloatArray",
    "IntArray",
    "ShortArray",
    "inner_product",
    "row_products",
    "sums_of_others",
]

ONE_THREAD = 10_000  # numbers below which BLAS sums in one thread: the sum does not depend on how many there are
ONE_THREAD_PRODUCTS = 2**17  # the same for the products in a product of matrices

# Not numpy's NDArray, which numpy 2.5 made an alias that `typing.get_args` does not look into: the codec of stored
# results reads these as type hints.
FloatArray = np.ndarray[Any, np.dtype[np.float64]]
IntArray = np.ndarray[Any, np.dtype[np.int64]]
CodeArray = np.ndarray[Any, np.dtype[np.int32]]
BoolArray = np.ndarray[Any, np.dtype[np.bool_]]
ShortArray = np.ndarray[Any, np.dtype[np.uint16]]


def inner_product(a: FloatArray, b: FloatArray) -> float:
    """The sum of the products of two vectors, the same whatever the number of threads.

    For long vectors, `a @ b` would start the threads of BLAS, whose sum depends on their number. They then wait
    actively for more work, about a tenth of a second, and take the processors from the threads of the caller.

    >>> inner_product(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(a.dot(b) if len(a) < ONE_THREAD else np.add.reduce(a * b))


def row_products(values: FloatArray) -> FloatArray:
    """The sums of products of every two rows, the same whatever the number of threads; see `inner_product`.

    >>> row_products(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """
    rows, n = values.shape
    step = max(1, min(ONE_THREAD - 1, ONE_THREAD_PRODUCTS // rows**2))
    products = np.zeros((rows, rows))
    for start in range(0, n, step):
        part = values[:, start : start + step]
        products += part @ part.T
    return products


def sums_of_others(values: FloatArray) -> FloatArray:
    """For each number, the sum of all others along the last axis, without cancellation.

    >>> sums_of_others(np.array([1e30, 1.0, 2.0])).tolist()
    [3.0, 1e+30, 1e+30]
    """
    before, after = np.zeros((2, *values.shape))
    np.add.accumulate(values[..., :-1], axis=-1, out=before[..., 1:])
    np.add.accumulate(values[..., :0:-1], axis=-1, out=after[..., -2::-1])
    return np.asarray(before + after)
