"""Arrays of PyTorch, JAX, TensorFlow, CuPy and other libraries as numpy arrays; none of these is imported."""

from typing import Any

import numpy as np

from polyroc.errors import InputError
from polyroc.messages import short_repr

__all__ = ["from_tensor", "is_tensor_type"]

# what data frames, series and arrays of Arrow have
_FRAMES = ("__dataframe__", "__arrow_c_array__", "__arrow_c_stream__", "columns", "to_frame")


def is_tensor_type(kind: type) -> bool:
    """Whether this is a type of arrays of another library, not of data frames or series."""
    if issubclass(kind, np.ndarray | np.generic) or any(hasattr(kind, name) for name in _FRAMES):
        return False
    return hasattr(kind, "__dlpack__") or (hasattr(kind, "detach") and hasattr(kind, "cpu"))


def from_tensor(data: Any, argument: str) -> np.ndarray[Any, Any]:
    """A tensor as a numpy array: without its gradient, and copied from the device that it is on."""
    try:
        array = _as_numpy(data)
    except Exception as error:  # whatever the library raises
        raise InputError(
            f"{argument} ({type(data).__module__}.{type(data).__name__}) cannot be converted to a numpy array: "
            f"{short_repr(str(error))}; pass a numpy array, in PyTorch tensor.detach().cpu().numpy(), in CuPy "
            "array.get(), in JAX an array outside of jit and grad."
        ) from error
    # Types of 8 and 16 bits that NumPy does not have, such as bfloat16, are "void" to it.
    return array.astype(np.float64) if array.dtype.kind == "V" and array.dtype.names is None else array


def _as_numpy(data: Any) -> np.ndarray[Any, Any]:
    if callable(getattr(data, "detach", None)) and callable(getattr(data, "cpu", None)):  # PyTorch
        data = data.detach().cpu()
        try:
            return np.asarray(data)
        except (TypeError, RuntimeError):  # bfloat16, or a sparse or quantised tensor
            data = data.to_dense() if getattr(data, "is_sparse", False) else data
            return np.asarray(data.float())
    if hasattr(data, "__cuda_array_interface__") and callable(getattr(data, "get", None)):  # CuPy
        return np.asarray(data.get())
    if hasattr(data, "__array__"):
        return np.asarray(data)
    return np.from_dlpack(data)
