"""The cases of two classes by falling score, found once: weights then give the curve, and nothing is sorted."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from polyroc.curves.sweep import Sweep
from polyroc.kernels.arrays import BoolArray, FloatArray, IntArray
from polyroc.kernels.tracing import heights

__all__ = ["Falling", "falling"]


class Falling(NamedTuple):
    """Cases (as places among those grouped by class), which are positive, and which end a block of ties."""

    cases: IntArray
    positive: BoolArray
    ends: BoolArray

    def at(self, weight: npt.NDArray[Any], rates: FloatArray) -> FloatArray:
        """The true positive rate at false positive rates: one row per row of weights, nan without both classes."""
        found = np.empty((len(weight), len(rates)))
        heights(weight, *self, rates, found)
        return found

    def mirrored(self) -> "Falling":
        """Classes exchanged and scores turned round: (FPR, TPR) becomes (1 - TPR, 1 - FPR)."""
        starts = np.concatenate([[True], self.ends[:-1]])
        return Falling(self.cases[::-1].copy(), ~self.positive[::-1], starts[::-1].copy())


def falling(found: Sweep) -> Falling:
    """The cases of a sweep in the order in which they are called."""
    sample = found.sample
    cases = [sample.starts[k] + sample.order(k, found.column)[::-1] for k in found.classes]
    step = np.concatenate([np.repeat(np.arange(len(called) - 1), np.diff(called)) for called in found.called])
    positive = np.arange(len(step)) < len(cases[0])
    order = np.argsort(step, kind="stable")
    ends = np.append(np.diff(step[order]) > 0, True)
    return Falling(np.concatenate(cases)[order], positive[order], ends)
