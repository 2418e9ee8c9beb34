"""Array type aliases, and a sum that does not cancel."""

import numpy as np
import numpy.typing as npt

__all__ = ["BoolArray", "CodeArray", "FloatArray", "IntArray", "ShortArray", "sums_of_others"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
CodeArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
ShortArray = npt.NDArray[np.uint16]


def sums_of_others(values: FloatArray) -> FloatArray:
    """For each number, the sum of all others along the last axis, without cancellation.

    >>> sums_of_others(np.array([1e30, 1.0, 2.0])).tolist()
    [3.0, 1e+30, 1e+30]
    """
    before, after = np.zeros((2, *values.shape))
    np.add.accumulate(values[..., :-1], axis=-1, out=before[..., 1:])
    np.add.accumulate(values[..., :0:-1], axis=-1, out=after[..., -2::-1])
    return np.asarray(before + after)
