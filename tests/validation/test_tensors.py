"""Arrays of other libraries, by small stand-ins that behave as theirs do; the libraries are not installed."""

import numpy as np
import pytest

import polyroc as pr
from polyroc.errors import InputError

Y = [0, 1, 0, 1, 1, 0, 0, 1]
S = [0.1, 0.8, 0.4, 0.7, 0.3, 0.2, 0.5, 0.9]
EXPECTED = pr.evaluate(Y, S, measure="auc").value


class TorchTensor:
    """As torch.Tensor: no array of one that requires a gradient, is on a GPU, or has 16 bits of bfloat16."""

    def __init__(self, values, grad=False, device="cpu", bfloat16=False):
        self.values = np.asarray(values)
        self.grad, self.device, self.bfloat16 = grad, device, bfloat16

    def __array__(self, dtype=None, copy=None):
        if self.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        if self.device != "cpu":
            raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() first.")
        if self.bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values if dtype is None else self.values.astype(dtype)

    def __dlpack__(self, **_):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return (TorchTensor(value, self.grad, self.device, self.bfloat16) for value in self.values)

    def __getitem__(self, key):
        return TorchTensor(self.values[key], self.grad, self.device, self.bfloat16)

    def detach(self):
        return TorchTensor(self.values, False, self.device, self.bfloat16)

    def cpu(self):
        return TorchTensor(self.values, self.grad, "cpu", self.bfloat16)

    def float(self):
        return TorchTensor(self.values.astype(np.float32), self.grad, self.device)


class JaxArray:
    """As jax.Array: an array by `__array__`."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __dlpack__(self, **_):
        raise NotImplementedError

    def __len__(self):
        return len(self.values)


class CupyArray:
    """As cupy.ndarray: on a GPU, and no array without being asked for."""

    __cuda_array_interface__ = None

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`.")

    def __dlpack__(self, **_):
        raise BufferError

    def get(self):
        return self.values


class OnlyDlpack:
    """An array of the exchange protocol alone."""

    def __init__(self, values):
        self.values = np.asarray(values, dtype=np.float64)

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


class Opaque:
    """A tensor that cannot be converted."""

    def __dlpack__(self, **_):
        raise BufferError("on another device")

    def __dlpack_device__(self):
        return (2, 0)


MAKERS = {
    "torch": TorchTensor,
    "torch with a gradient": lambda values: TorchTensor(values, grad=True),
    "torch on a GPU": lambda values: TorchTensor(values, grad=True, device="cuda:0"),
    "JAX": JaxArray,
    "CuPy": CupyArray,
    "DLPack": OnlyDlpack,
}


@pytest.mark.parametrize("name", MAKERS)
def test_tensors_of_scores_and_classes(name):
    make = MAKERS[name]
    assert pr.evaluate(make(Y), make(S), measure="auc").value == EXPECTED
    assert pr.evaluate(Y, {"a": make(S)}, measure="auc")["a"].value == EXPECTED
    matrix = np.column_stack([1 - np.array(S), S])
    assert pr.evaluate(make(Y), make(matrix), measure="auc").value == pytest.approx(EXPECTED)
    weighted = pr.evaluate(Y, S, measure="auc", sample_weight=make(np.ones(8)))
    assert weighted.value == pytest.approx(EXPECTED)


def test_sixteen_bits():
    scores = TorchTensor(S, grad=True, device="cuda:0", bfloat16=True)
    assert pr.evaluate(Y, scores, measure="auc").value == EXPECTED


def test_lists_of_tensors():
    assert pr.evaluate([*TorchTensor(Y)], [*TorchTensor(S, grad=True)], measure="auc").value == EXPECTED


def test_a_tensor_that_cannot_be_converted():
    with pytest.raises(InputError, match=r"tensor\.detach\(\)\.cpu\(\)\.numpy\(\), .* outside of jit and grad"):
        pr.evaluate(Y, Opaque(), measure="auc")


def test_a_matrix_of_xgboost():
    class DMatrix:
        def get_label(self):
            return Y

    with pytest.raises(InputError, match=r"DMatrix, which holds features and labels; pass its labels"):
        pr.evaluate(DMatrix(), S, measure="auc")
    assert pr.evaluate(DMatrix().get_label(), np.asarray(S, dtype=np.float32), measure="auc").value == EXPECTED


def test_an_evaluation_of_one_named_classifier():
    evaluation = pr.evaluate(Y, {"a": S}, measure=["auc", "gini"])
    assert evaluation["a"]["auc"].value == evaluation["auc"].value == EXPECTED
