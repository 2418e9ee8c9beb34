"""Names for the kinds of arrays that travel through the house."""

import numpy as np
import numpy.typing as npt

__all__ = ["BoolArray", "CodeArray", "FloatArray", "IntArray", "ShortArray"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
CodeArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
ShortArray = npt.NDArray[np.uint16]
